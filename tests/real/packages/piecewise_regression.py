import numpy as np
import piecewise_regression

CALLS: dict = {}
X = np.linspace(0.0, 10.0, 30)
Y = np.where(X < 4.0, X, 4.0 - 0.5 * (X - 4.0)) + 0.05 * np.sin(9 * X)


def fitted(y):
    return piecewise_regression.Fit(X, y, start_values=[4.2], n_breakpoints=1, n_boot=0, verbose=False).get_results()[
        "estimates"
    ]


CALLS["slopes"] = (lambda y: fitted(y)["alpha1"]["estimate"] + fitted(y)["alpha2"]["estimate"], Y)
CALLS["breakpoint"] = (lambda y: fitted(y)["breakpoint1"]["estimate"], Y)
