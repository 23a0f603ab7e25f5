import empyrical
import numpy as np

r = np.array([0.01, -0.02, 0.03, 0.005, -0.01, 0.02])
b = np.array([0.012, -0.01, 0.02, 0.004, -0.012, 0.01])

CALLS = {
    "sharpe_ratio": (empyrical.sharpe_ratio, r),
    "sortino_ratio": (empyrical.sortino_ratio, r),
    "max_drawdown": (empyrical.max_drawdown, r),
    "annual_return": (empyrical.annual_return, r),
    "annual_volatility": (empyrical.annual_volatility, r),
    "calmar_ratio": (empyrical.calmar_ratio, r),
    "beta": (lambda r: empyrical.beta(r, b), r),
    "alpha": (lambda r: empyrical.alpha(r, b), r),
    "omega_ratio": (empyrical.omega_ratio, r),
    "downside_risk": (empyrical.downside_risk, r),
    "cum_returns": (empyrical.cum_returns, r),
    "value_at_risk": (lambda r: empyrical.value_at_risk(r, 0.3), r),
    "tail_ratio": (empyrical.tail_ratio, r),
}
