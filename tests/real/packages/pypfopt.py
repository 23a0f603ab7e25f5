import numpy as np
from pypfopt import objective_functions, risk_models
from pypfopt.hierarchical_portfolio import HRPOpt

S = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.16]])
mu = np.array([0.05, 0.08, 0.1])
w = np.array([0.3, 0.5, 0.2])

CALLS = {
    "portfolio_variance": (lambda w: objective_functions.portfolio_variance(w, S), w),
    "portfolio_return": (lambda w: objective_functions.portfolio_return(w, mu), w),
    "sharpe_ratio": (lambda w: objective_functions.sharpe_ratio(w, mu, S), w),
    "quadratic_utility": (lambda w: objective_functions.quadratic_utility(w, mu, S, 2.0), w),
    "L2_reg": (lambda w: objective_functions.L2_reg(w, 0.5), w),
    "transaction_cost": (lambda w: objective_functions.transaction_cost(w, np.zeros(3) + 0.1, 0.01), w),
    "fix_nonpositive_semidefinite": (lambda a: risk_models.fix_nonpositive_semidefinite(S * a), 1.2),
    "cov_to_corr": (lambda a: risk_models.cov_to_corr(S + a * np.eye(3)).to_numpy(), 0.1),
    "cluster_var": (lambda a: HRPOpt._get_cluster_var, 0.1),
}
del CALLS["cluster_var"]
