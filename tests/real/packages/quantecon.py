import numpy as np
import quantecon as qe

P = np.array([[0.9, 0.1], [0.3, 0.7]])

CALLS = {
    "LinearStateSpace": (
        lambda a: qe.LinearStateSpace(
            np.array([[a, 0.1], [0.0, 0.5]]), np.eye(2), np.eye(2), mu_0=np.ones(2)
        ).stationary_distributions()[2],
        0.6,
    ),
    "LQ": (
        lambda b: qe.LQ(
            np.eye(1), np.eye(2), np.array([[0.9, 0.1], [0.0, 0.5]]), np.array([[1.0], [0.5]]), beta=b, T=5
        ).update_values(),
        0.9,
    ),
    "solve_discrete_lyapunov": (lambda a: qe.solve_discrete_lyapunov(np.array([[a, 0.1], [0.0, 0.5]]), np.eye(2)), 0.6),
    "solve_discrete_riccati": (
        lambda a: qe.solve_discrete_riccati(np.array([[a]]), np.eye(1), np.eye(1), np.eye(1)),
        0.6,
    ),
    "gini_coefficient": (qe.gini_coefficient, np.array([1.0, 2.0, 4.5])),
    "lorenz_curve": (lambda y: qe.lorenz_curve(y)[1], np.array([1.0, 2.0, 4.5])),
    "shorrocks_index": (qe.shorrocks_index, P),
    "var_quadratic_sum": (lambda a: qe.var_quadratic_sum(np.array([[a]]), np.eye(1), np.eye(1), 0.9, np.ones(1)), 0.6),
    "hamilton_filter": (lambda y: qe.hamilton_filter(y, 1)[0][1:], np.array([1.0, 2.0, 4.5, 3.0, 1.0])),
    "Kalman": (
        lambda a: (
            qe.Kalman(
                qe.LinearStateSpace(np.array([[a]]), np.eye(1), np.eye(1), np.eye(1)),
                x_hat=np.zeros(1),
                Sigma=np.eye(1),
            )
            .whitener_lss()
            .A
        ),
        0.6,
    ),
    "tauchen": (lambda r: qe.tauchen(3, r, 0.5).state_values, 0.6),
    "rouwenhorst": (lambda r: qe.rouwenhorst(3, r, 0.5).P, 0.6),
}
del CALLS["LQ"], CALLS["Kalman"]
