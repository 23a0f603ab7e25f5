"""A portfolio under constraints, and how it and its return move with what is expected."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, minimize

COV = np.array([[0.10, 0.02, 0.01, 0.00], [0.02, 0.08, 0.03, 0.01], [0.01, 0.03, 0.12, 0.02], [0.00, 0.01, 0.02, 0.05]])
MU = np.array([0.12, 0.10, 0.15, 0.02])


def portfolio_variance(w, cov):
    return w @ cov @ w


def optimal_weights(mu, target, cov=COV):
    constraints = (
        {"type": "eq", "fun": lambda w: np.sum(w) - 1.0},
        {"type": "ineq", "fun": lambda w: w @ mu - target},
    )
    bounds = [(0, 1) for _ in mu]
    w0 = np.full(len(mu), 1 / len(mu))
    res = minimize(
        portfolio_variance,
        w0,
        args=(cov,),
        method="SLSQP",
        bounds=bounds,
        constraints=constraints,
        options={"ftol": 1e-14},
    )
    return res.x


def risk_at_target(x):
    mu, target = x[:4], x[4]
    w = optimal_weights(mu, target)
    return np.sqrt(w @ COV @ w) + w[2]


class Portfolio:
    """Mean and variance with a price of risk, trading costs, and a limit on concentration."""

    def __init__(self, returns, cov, aversion=4.0):
        self.returns, self.cov, self.aversion = returns, cov, aversion
        self.trace = []

    def utility(self, w):
        cost = 0.01 * np.sum((w - 0.25) ** 2)
        return w.dot(self.returns) - 0.5 * self.aversion * w.dot(self.cov).dot(w) - cost

    def optimise(self):
        n = len(self.returns)
        budget = LinearConstraint(np.ones(n), 1.0, 1.0)
        concentration = NonlinearConstraint(lambda w: np.sum(w**2), -np.inf, 0.30)
        result = minimize(
            lambda w: -self.utility(w),
            x0=np.ones(n) / n,
            method="SLSQP",
            bounds=Bounds(0.0, 0.4),
            constraints=[budget, concentration],
            callback=lambda w: self.trace.append(w.copy()),
            options=dict(maxiter=500, ftol=1e-14),
        )
        if not result.success:
            raise RuntimeError(result.message)
        self.weights_ = result.x
        return self


def best_utility(x):
    p = Portfolio(returns=x[:4], cov=COV, aversion=x[4]).optimise()
    return p.utility(p.weights_) + np.sum(p.weights_[:2] ** 2)


PROGRAMS = [
    (risk_at_target, np.append(MU, 0.11)),
    (best_utility, np.append(MU, 4.0)),
]
