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


@pytest.mark.parametrize("f", [with_cells, of_groups, of_windows, of_a_portfolio])
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
