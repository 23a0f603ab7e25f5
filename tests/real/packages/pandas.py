import numpy as np
import pandas as pd

table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [0.5, 1.5, 2.0, 1.0], "g": ["u", "v", "u", "v"]})
x = np.array([1.0, 2.0, 4.0, 3.0])

CALLS = {
    "column times parameter": (lambda p: (table["a"].to_numpy() * p - table["b"].values).sum() ** 2, 0.4),
    "iterrows": (lambda p: sum(row["a"] * p**2 + row["b"] for _, row in table.iterrows()), 0.4),
    "itertuples": (lambda p: sum(row.a * p**2 for row in table.itertuples()), 0.4),
    "groupby": (lambda p: sum(g["a"].mean() * p**2 for _, g in table.groupby("g")), 0.4),
    "loc": (lambda p: table.loc[1, "a"] * np.exp(p), 0.4),
    "iloc": (lambda p: table["b"].iloc[2] * np.exp(p), 0.4),
    "np.asarray": (lambda p: np.asarray(table["a"]) @ np.exp(p), x),
    "Series of an array": (lambda v: pd.Series(v).mean(), x),
    "Series.to_numpy": (lambda v: pd.Series(v * 2.0).to_numpy(), x),
    "Series.sum": (lambda v: (pd.Series(v) * table["a"]).sum(), x),
    "rolling": (lambda v: pd.Series(v).rolling(2).mean().to_numpy()[1:], x),
    "frame times number": (lambda p: (table[["a", "b"]] * p).to_numpy(), 0.4),
    "pct_change": (lambda v: pd.Series(v).pct_change().to_numpy()[1:], x),
    "describe": (lambda p: table["a"].describe()["mean"] * p**2, 0.4),
    "np of series": (lambda p: np.sum(np.exp(p * table["a"])), 0.4),
}
