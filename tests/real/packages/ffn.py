import ffn
import numpy as np
import pandas as pd

CALLS: dict = {}
DAYS = pd.date_range("2021-01-01", periods=12, freq="D")
PRICES = 100.0 + np.random.default_rng(2).standard_normal((12, 2)).cumsum(axis=0)


def frame(p):
    return pd.DataFrame(p, index=DAYS, columns=["a", "b"])


CALLS["to_returns"] = (lambda p: ffn.to_returns(frame(p)).dropna().to_numpy(), PRICES)
CALLS["to_log_returns"] = (lambda p: ffn.to_log_returns(frame(p)).dropna().to_numpy(), PRICES)
CALLS["rebase"] = (lambda p: ffn.rebase(frame(p)).to_numpy(), PRICES)
CALLS["to_drawdown_series"] = (lambda p: ffn.to_drawdown_series(frame(p)["a"]).to_numpy(), PRICES)
CALLS["calc_max_drawdown"] = (lambda p: ffn.calc_max_drawdown(frame(p)["a"]), PRICES)
CALLS["calc_total_return"] = (lambda p: ffn.calc_total_return(frame(p)["a"]), PRICES)
CALLS["calc_cagr"] = (lambda p: ffn.calc_cagr(frame(p)["a"]), PRICES)
CALLS["calc_sharpe"] = (lambda p: ffn.calc_sharpe(ffn.to_returns(frame(p)["a"]).dropna(), rf=0.0, nperiods=252), PRICES)
CALLS["calc_sortino_ratio"] = (
    lambda p: ffn.calc_sortino_ratio(ffn.to_returns(frame(p)["a"]).dropna(), rf=0.0, nperiods=252),
    PRICES,
)
CALLS["calc_information_ratio"] = (
    lambda p: ffn.calc_information_ratio(
        ffn.to_returns(frame(p)["a"]).dropna(), ffn.to_returns(frame(p)["b"]).dropna()
    ),
    PRICES,
)
CALLS["calc_inv_vol_weights"] = (
    lambda p: ffn.calc_inv_vol_weights(ffn.to_returns(frame(p)).dropna()).to_numpy(),
    PRICES,
)
