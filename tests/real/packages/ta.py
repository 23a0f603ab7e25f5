import numpy as np
import pandas as pd
import ta

CALLS: dict = {}
rng = np.random.default_rng(0)
s = pd.Series(100 + np.cumsum(rng.normal(size=40)))
CALLS["sma"] = (lambda v: ta.trend.sma_indicator(pd.Series(v), 5).dropna().to_numpy(), s.to_numpy())
CALLS["ema"] = (lambda v: ta.trend.ema_indicator(pd.Series(v), 5).dropna().to_numpy(), s.to_numpy())
CALLS["rsi"] = (lambda v: ta.momentum.rsi(pd.Series(v), 7).dropna().to_numpy(), s.to_numpy())
CALLS["macd"] = (lambda v: ta.trend.macd(pd.Series(v), 8, 4).dropna().to_numpy(), s.to_numpy())
CALLS["bollinger"] = (
    lambda v: ta.volatility.BollingerBands(pd.Series(v), 8).bollinger_hband().dropna().to_numpy(),
    s.to_numpy(),
)
