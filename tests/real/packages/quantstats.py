import numpy as np
import pandas as pd
import quantstats.stats as qs

r = np.array([0.01, -0.02, 0.015, 0.03, -0.01, 0.005, -0.004, 0.02])
days = pd.date_range("2024-01-01", periods=8)


def of_returns(name):
    return lambda r: getattr(qs, name)(pd.Series(r, index=days))


NAMES = ("comp", "sharpe", "sortino", "volatility", "avg_return", "avg_win", "max_drawdown", "geometric_mean", "skew")
CALLS = {name: (of_returns(name), r) for name in NAMES}
