"""Series and frames of pandas with active values; `tests/real/packages/pandas.py` has many more calls."""

import numpy as np
import pytest

import morula

pd = pytest.importorskip("pandas")

V = np.array([1.3, 0.4, 2.5, 1.9])
DAYS = pd.date_range("2024-01-01", periods=4)


def with_cells(v):
    table = pd.DataFrame({"t": [1.0, 2.0, 3.0, 4.0]})
    table["v"] = v
    table.loc[1, "t"] = v[0]
    table.iloc[2, 0] = v[1] * 2
    return (table["t"] ** 2 * table["v"]).sum()


def of_groups(v):
    groups = pd.DataFrame({"a": v, "g": list("uvuv")}).groupby("g")["a"]
    return groups.mean().prod() + groups.std().sum() + sum((g**3).sum() for _, g in groups)


def of_windows(v):
    s = pd.Series(v, index=DAYS)
    return s.rolling(2).std().sum() + s.ewm(span=3).mean().iloc[-1] + s.resample("2D").sum().prod()


def of_a_portfolio(v):
    returns = pd.Series(v).pct_change().dropna()
    wealth = (1 + returns).cumprod()
    return returns.mean() / returns.std() + (wealth / wealth.cummax() - 1).min()


def of_labels(v):
    index = pd.Index(v)
    s = pd.Series(v * v, index=index)
    near = s.loc[float(v[3])] * s.sort_index().iloc[2] + s.reindex(v[::-1]).iloc[1]
    table = pd.DataFrame({"a": v, "b": v**2}).set_index("a")
    return near + index.max() * index.take([1, 2])[1] + (table["b"] * table.index.to_numpy()).sum()


def of_classes(v):
    middle = pd.qcut(v, [0.2, 0.9], labels=False) == 0
    table = pd.DataFrame({"v": v, "c": pd.cut(pd.Series(v), 2, labels=False)})
    return (v[middle] ** 2).sum() + (table.groupby("c")["v"].mean() ** 2).sum()


def of_distinct_values(v):
    s = pd.Series(np.concatenate([v, v[:2], [np.nan]]))
    codes, found = pd.factorize(s.to_numpy())
    counts = s.value_counts()
    return s.dropna().unique() @ np.arange(4.0) + found[2] ** 2 * codes[4:].sum() + counts.index[0] * counts.iloc[0]


def of_functions_of_numpy(v):
    s = pd.Series(np.concatenate([v, [np.nan]]))
    table = pd.DataFrame({"a": v, "b": v * v})
    return np.mean(s) * np.max(s) + np.std(table["a"]) + np.cumsum(s).iloc[2] + np.sum(np.mean(table))


def of_rows(v):
    table = pd.DataFrame([("a", v[0], 1), ("b", v[1] * v[2], 2)], columns=["n", "x", "k"])
    other = pd.DataFrame([[v[0], 1], [2, v[3]]], columns=["x", "y"])
    records = pd.DataFrame.from_records([(v[0], None), (v[1], v[3])], columns=["x", "y"])
    return (
        table.set_index("n").loc["b", "x"] * table["k"].sum()
        + other["x"].std() * other["y"].prod()
        + records["y"].fillna(2.0).prod() * records["x"].mean()
    )


def of_joined_labels(v):
    first, second = pd.Index(np.sort(v)), pd.Index(np.sort(v)[1:])
    both = first.join(second, how="inner")
    left, right = pd.DataFrame({"k": np.arange(4.0), "v": v}), pd.DataFrame({"k": np.arange(0.0, 8.0, 2.0), "w": v**2})
    merged = left.merge(right, on="k")
    return both[1] * first.union(second)[1] + first.intersection(second)[0] + (merged["v"] * merged["w"]).sum()


OF_SERIES = [with_cells, of_groups, of_windows, of_a_portfolio, of_functions_of_numpy, of_rows]
OF_LABELS = [of_labels, of_classes, of_distinct_values, of_joined_labels]


@pytest.mark.parametrize("f", OF_SERIES + OF_LABELS)
def test_series_and_frames(f) -> None:
    value, (v_bar,) = morula.withgradient(f, V.copy())
    assert value == pytest.approx(f(V), rel=1e-12)
    want = [(f(V + h) - f(V - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(v_bar, want, rtol=1e-6, atol=1e-8)


def test_a_memo_table_by_hashes_holds_no_constants_of_an_earlier_run() -> None:
    table: dict = {}

    def total(v):
        key = pd.util.hash_pandas_object(pd.Series(v)).sum()
        if key not in table:
            table[key] = v.sum()
        return table[key]

    total(V)
    np.testing.assert_array_equal(morula.gradient(total, V)[0], 1.0)


def test_dtypes_of_what_is_not_active_are_as_plainly():
    def dtypes(x):
        days, lags = pd.to_datetime(["2021-03-05", "2022-01-02"]), [pd.Timedelta(1, "D"), pd.Timedelta(2, "D")]
        made = [
            pd.Series(list(days)),
            pd.Series(["a", "b"]).map(dict(zip("ab", days, strict=True))),
            pd.Series([1.0, 2.0]).apply(lambda v: lags[0]),
            pd.Series([1, 2]).map({1: True, 2: False}),
            pd.DataFrame([{"t": days[0]}, {"t": days[1]}])["t"],
            pd.Series([pd.Period("2020-01"), pd.Period("2021-01")]),
        ]
        found.append([str(m.dtype) for m in made])
        return x * float(made[1].dt.year.sum())

    found = []
    assert morula.gradient(dtypes, 1.0) == (dtypes(1.0),)
    assert found[0] == found[1]
