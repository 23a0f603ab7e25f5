# ruff: noqa: E501
"""What the programs of `scipy.interpolate` and `scipy.spatial` compute with."""

import numpy as np

from chainrules.library.scipy.interpolate.basis import basis, span
from chainrules.library.scipy.interpolate.grids import multilinear
from chainrules.library.scipy.interpolate.piecewise import evaluated
from chainrules.library.scipy.interpolate.splines import spline
from chainrules.library.scipy.optimize.linear import undefined
from chainrules.library.scipy.spatial.distances import minkowski, quadratic

from .points import R, case

B = np.array([0.0, 0.4, 1.1, 1.9])
T = np.array([-0.3, 0.0, 0.1, 0.4, 0.9, 1.3, 1.6, 2.0, 2.2, 2.7])
X = np.array([0.55, 1.2, 0.7, 1.45])
Y = X.reshape(2, 2)
C, CC = R.normal(size=(4, 3)), R.normal(size=(4, 3, 2))
D, DD = R.normal(size=6), R.normal(size=(6, 2))
LEFT, RIGHT = R.normal(size=(4, 3)), R.normal(size=(3, 3))
M = np.eye(3) + 0.1 * R.normal(size=(3, 3))
W = np.array([0.7, 1.3, 0.4])
CELLS = [np.array([[0, 1], [2, 3], [0, 1]]), np.array([[1, 2], [0, 1], [0, 0]])]
SHARES = (np.array([0.3, 0.9, 0.0]), np.array([0.6, 0.2, 0.7]))
CASES = [
    case(multilinear, CELLS, C, *SHARES), case(multilinear, CELLS, CC, *SHARES), case(multilinear, CELLS, C + 1j * C[::-1], *SHARES), case(multilinear, CELLS[:1], D, SHARES[0]),
    case(evaluated, C, B, X), case(evaluated, CC, B, Y, 1), case(evaluated, C + 1j * C[::-1], B, X), case(evaluated, C, B[::-1], X, 2),
    case(evaluated, C[:1], B, X), case(evaluated, C, B, np.array([0.2, 5.0, -3.0])), case(evaluated, C, B, np.zeros(0)), case(evaluated, C, B, X, 4),
    case(spline, T, D, X, 3), case(spline, T, DD, Y, 3), case(spline, T, D + 1j * D[::-1], X, 3), case(spline, T[2:], D, X, 1), case(spline, T[1:8], D, X, 0),
    case(spline, T, D, np.array([-1.0, 0.5, 4.0]), 3), case(spline, T, D, np.zeros((2, 0)), 3),
    *(case(basis, T, X, span(T, X, k), k) for k in range(4)),
    *(case(quadratic, LEFT, RIGHT, m, False) for m in (None, W, M)), case(quadratic, LEFT, RIGHT, None, True), case(quadratic, LEFT, RIGHT, W, True), case(quadratic, LEFT[:0], RIGHT, None, False),
    case(minkowski, LEFT, RIGHT, 2.7, W), case(minkowski, LEFT, RIGHT, None, W), case(minkowski, LEFT, RIGHT, 1.3, W),
]  # fmt: skip
ELSEWHERE = {undefined}
