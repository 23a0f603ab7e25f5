"""Curves through noisy points."""

import numpy as np
from scipy.interpolate import (
    BSpline, CubicSpline, LSQUnivariateSpline, UnivariateSpline, make_smoothing_spline, splev, splrep,
)  # fmt: skip
from scipy.linalg import solveh_banded

rng = np.random.default_rng(6)
x = np.linspace(0, 10, 25)
y = np.sin(x) + 0.1 * rng.normal(size=25)
x_new = np.linspace(0.3, 9.7, 15)


def roughness(y):
    """Of the spline that SciPy smooths out of the points."""
    spl = UnivariateSpline(x, y, s=0.4)
    return np.sum((spl(x_new) - np.sin(x_new)) ** 2) + 0.1 * spl.integral(1, 9) + np.sum(spl.derivative()(x_new) ** 2)


def by_fitpack(y):
    tck = splrep(x, y, s=0.3)
    return np.sum(splev(x_new, tck) ** 2) + np.sum(splev(x_new, tck, der=1))


class PSpline:
    """Eilers and Marx's: a basis, a penalty of differences, a strength chosen by cross-validation."""

    def __init__(self, knots, degree=3):
        self.t = np.r_[[knots[0]] * degree, knots, [knots[-1]] * degree]
        self.k = degree

    def basis(self, x):
        n = len(self.t) - self.k - 1
        B = np.zeros((len(x), n))
        for j in range(n):
            c = np.zeros(n)
            c[j] = 1
            B[:, j] = BSpline(self.t, c, self.k)(x)
        return B

    def fit(self, x, y, lam):
        B = self.basis(x)
        D = np.diff(np.eye(B.shape[1]), n=2, axis=0)
        A = B.T @ B + lam * D.T @ D
        self.coef_ = np.linalg.solve(A, B.T @ y)
        self.edf_ = np.trace(np.linalg.solve(A, B.T @ B))
        return self

    def __call__(self, x):
        return BSpline(self.t, self.coef_, self.k)(x)


def generalised_cross_validation(p):
    model = PSpline(np.linspace(0, 10, 9)).fit(x, y, lam=10 ** p[0])
    residual = y - model(x + p[1])
    return len(x) * np.sum(residual**2) / (len(x) - model.edf_) ** 2


def natural_smoother(p):
    """SciPy's other splines: a strength, moving knots, slopes at the ends."""
    lam, shift, slope = np.exp(p[0]), p[1], p[2]
    smooth = make_smoothing_spline(x, y, lam=lam)
    fixed = LSQUnivariateSpline(x, y, t=[2 + shift, 4, 6, 8 - shift])
    clamped = CubicSpline(x[::4], y[::4], bc_type=((1, slope), (2, 0.0)))
    ab = np.array([np.r_[0, np.full(24, -lam)], np.full(25, 1 + 2 * lam)])
    whittaker = solveh_banded(ab, y)
    return np.sum(smooth(x_new) ** 2) + fixed.get_residual() + clamped.integrate(0, 5) + np.sum(whittaker**2)


PROGRAMS = [
    (roughness, y),
    (by_fitpack, y),
    (generalised_cross_validation, np.array([-0.5, 0.02])),
    (natural_smoother, np.array([-1.0, 0.1, 0.8])),
]
