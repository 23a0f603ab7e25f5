# ruff: noqa: E501
"""Functions of NumPy that call functions."""

import numpy as np

from .points import C, M, T, U, V, case


def scaled(a, b):
    return a * b**2


def total(v):
    return (v**2).sum()


def outer(v, c):
    return np.multiply.outer(v, v) * c


def squared_mean(a, axis):
    return a.mean(axis) ** 2


def summed(a, b):
    return (a * b).sum()


scaled_all = np.vectorize(scaled)
WITH_CONFIG = [
    *(case(np.apply_along_axis, total, axis, x) for axis, x in ((0, M), (-1, T), (1, C), (0, V))), case(np.apply_along_axis, np.cumsum, 1, M), case(np.apply_along_axis, outer, 1, T, 1.5), case(np.apply_along_axis, np.max, -1, M, keepdims=True),
    case(np.apply_over_axes, np.sum, T, [0, 2]), case(np.apply_over_axes, squared_mean, T, [-1, 0]), case(np.apply_over_axes, np.prod, M, 1),
    case(np.piecewise, M, [M > 0.5, M > 0], [np.square, np.negative, 7.5]), case(np.piecewise, M, [M > 0.5, M > 0], [1.5, 2.5]), case(np.piecewise, M, [M > 0.5, M > 0], [np.exp, 2.5, -3.0]), case(np.piecewise, M, [M > 0.5, M > 0], [1.5, 2.5, -3.0]), case(np.piecewise, V, V > 0, [scaled, np.multiply], 2.5), case(np.piecewise, np.array(0.5), [True], [np.exp]), case(np.piecewise, 0.5, [False], [np.exp, 3.0]), case(np.piecewise, C, [M > 0], [np.exp, np.square]),
    *(case(scaled_all, *args) for args in ((M, V), (M[:, :1], U), (1.5, M), (C, 2.0), (1.5, 2.0), (np.float32(1.5), V))), case(np.vectorize(scaled, otypes=[float]), np.zeros((0, 3)), 1.5),
    case(np.vectorize(lambda a: (a**2, a * 3.0)), M), case(np.vectorize(lambda a, p: a * p[0] + p[1], excluded=[1]), M, np.array([1.5, 2.5])), case(np.vectorize(scaled), M, b=2.5),
    case(np.vectorize(summed, signature="(n),(n)->()"), M, V), case(np.vectorize(lambda a, b: a * b.sum(), signature="(n),(m)->(n)"), T, V), case(np.vectorize(scaled, signature="(n),()->(n)"), T, M[:2, :3]),
]  # fmt: skip
ELSEWHERE = [np.apply_along_axis, np.apply_over_axes, np.piecewise, np.vectorize]
