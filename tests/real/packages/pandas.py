import numpy as np
import pandas as pd

table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [0.5, 1.5, 2.0, 1.0], "g": ["u", "v", "u", "v"]})
x = np.array([1.0, 2.0, 4.0, 3.0])

days = pd.date_range("2024-01-01", periods=4)


def groups(v):
    return pd.DataFrame({"a": v, "g": list("uvuv")}).groupby("g")


def with_columns(v):
    d = pd.DataFrame({"t": [1.0, 2.0, 3.0, 4.0]})
    d["v"] = v
    return d.assign(w=lambda d: d["v"] ** 2 * d["t"])


def with_cells(v):
    d = pd.DataFrame({"t": [1.0, 2.0, 3.0, 4.0]})
    d.loc[1, "t"] = v[0]
    d.iloc[2, 0] = v[1] * 2
    return (d["t"] ** 2).sum()


def merged(v):
    return pd.DataFrame({"a": v, "k": [0, 1, 2, 3]}).merge(pd.DataFrame({"b": v * 2, "k": [3, 1, 2, 0]}), on="k")


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
    "arithmetic": (lambda v: (((s := pd.Series(v)) * 2 + 1) / s.mean()).std(), x),
    "np.exp of a series": (lambda v: np.exp(-pd.Series(v)).sum(), x),
    "shift and log": (lambda v: np.log(pd.Series(v) / pd.Series(v).shift(1)).dropna().std(), x),
    "cumprod": (lambda v: (1 + pd.Series(v)).cumprod().iloc[-1], x),
    "drawdown": (lambda v: ((s := pd.Series(v).pct_change().fillna(0).add(1).cumprod()) / s.cummax() - 1).min(), x),
    "sharpe": (lambda v: (r := pd.Series(v).pct_change().dropna()).mean() / r.std() * np.sqrt(252), x),
    "rolling std": (lambda v: pd.Series(v).rolling(2).std().dropna().sum(), x),
    "rolling apply": (lambda v: pd.Series(v).rolling(2).apply(lambda w: w[0] * w[1], raw=True).sum(), x),
    "expanding": (lambda v: pd.Series(v).expanding().mean().pow(2).sum(), x),
    "ewm": (
        lambda v: pd.Series(v).ewm(span=3).mean().iloc[-1] + pd.Series(v).ewm(alpha=0.3, adjust=False).mean().iloc[2],
        x,
    ),
    "groupby mean": (lambda v: (groups(v)["a"].mean() ** 2).sum(), x),
    "groupby std": (lambda v: groups(v)["a"].std().sum() + groups(v)["a"].var().sum(), x),
    "groupby apply": (lambda v: groups(v)["a"].apply(lambda s: (s**2).sum()).prod(), x),
    "groupby transform": (lambda v: (groups(v)["a"].transform("mean") * np.arange(4)).sum(), x),
    "iteration over groups": (lambda v: sum(float((s**2).sum()) * k for k, (_, s) in enumerate(groups(v)["a"])), x),
    "cov and corr": (lambda v: (d := pd.DataFrame({"a": v, "b": v**2})).cov().iloc[0, 1] + d.corr().iloc[0, 1], x),
    "map and apply": (lambda v: pd.Series(v).map(lambda u: u**2).sum() + pd.Series(v).apply(np.sin).sum(), x),
    "apply over rows": (lambda v: pd.DataFrame({"a": v, "b": v}).apply(lambda r: r["a"] * r["b"], axis=1).sum(), x),
    "columns that are set": (lambda v: with_columns(v)["w"].sum(), x),
    "cells that are set": (lambda v: with_cells(v), x),
    "fillna": (lambda v: pd.Series([1.0, np.nan, 2.0, np.nan]).fillna(pd.Series(v)).sum(), x),
    "ffill": (lambda v: pd.Series(np.where([True, False, True, False], v, np.nan)).ffill().pow(2).sum(), x),
    "interpolate": (lambda v: pd.Series(np.where([True, False, True, True], v, np.nan)).interpolate().pow(2).sum(), x),
    "where and clip": (lambda v: (s := pd.Series(v)).where(s > 1.5, 0.0).sum() + s.clip(lower=1.5).prod(), x),
    "boolean index": (lambda v: (s := pd.Series(v))[s > 1.5].prod(), x),
    "concat": (lambda v: pd.concat([pd.Series(v), pd.Series(v * v)]).sum(), x),
    "merge and eval": (lambda v: merged(v).eval("a * b").sum(), x),
    "resample": (lambda v: pd.Series(v, index=days).resample("2D").sum().prod(), x),
    "sort_values": (lambda v: (pd.Series(v).sort_values(ascending=False).to_numpy() * np.arange(4)).sum(), x),
    "quantile and median": (lambda v: pd.Series(v).quantile(0.3) * pd.Series(v).median(), x),
    "alignment": (lambda v: (pd.Series(v, list("abcd")) + pd.Series(v, list("bcda"))).pow(2).sum(), x),
    "records": (lambda v: pd.DataFrame([{"a": u, "b": u * u} for u in v])["b"].sum(), x),
    "iterrows of active": (lambda v: sum(r["a"] * r.b for _, r in pd.DataFrame({"a": v, "b": v}).iterrows()), x),
    "itertuples of active": (lambda v: sum(r.a * r.b for r in pd.DataFrame({"a": v, "b": v}).itertuples()), x),
    "zscore": (lambda v: (((s := pd.Series(v)) - s.mean()) / s.std()).pow(3).sum(), x),
    "skew and kurt": (lambda v: pd.Series(v).skew() + pd.Series(v).kurt(), x**1.5),
    "gaps in a frame": (
        lambda v: pd.DataFrame({"a": [1.0, np.nan, 2.0, np.nan], "b": v}).bfill().ffill().prod().sum(),
        x,
    ),
    "inverse variances": (lambda v: (1 / pd.DataFrame({"a": v, "b": v**2}, index=days).std()).pow(2).max(), x),
    "values": (lambda v: (pd.DataFrame({"a": v, "b": 2 * v}).values @ np.array([1.0, 3.0])).prod(), x),
    "dot": (lambda v: pd.Series(v).dot(pd.Series([1.0, 2.0, 3.0, 4.0])), x),
}
