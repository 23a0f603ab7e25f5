# ruff: noqa: E501
"""Where the rules for NumPy are checked: ``(function, arguments, keywords)``."""

import numpy as np

from chainrules import rules_for, strong_div, strong_mul, unbroadcast
from chainrules.library.numpy.shared import scatter, spread
from chainrules.library.numpy.ufunc_methods import FOLDED

R = np.random.default_rng(7)
V = np.array([0.3, -1.2, 2.5, 0.9])
U = np.array([1.7, 0.6, -0.4, 1.1])
M = R.choice([-1.0, 1.0], (3, 4)) * R.uniform(0.3, 2.0, (3, 4))
N = R.choice([-1.0, 1.0], (3, 4)) * R.uniform(0.3, 2.0, (3, 4))
P = R.uniform(0.5, 2.0, size=(3, 4))
T = R.normal(size=(2, 3, 4))
S = R.normal(size=(3, 3)) + 3 * np.eye(3)
SS = R.normal(size=(2, 3, 3)) + 3 * np.eye(3)
H = S @ S.T
HH = SS @ SS.swapaxes(-1, -2)
C = M + 1j * N
CS = S + 1j * R.normal(size=(3, 3))
CH = CS @ CS.conj().T
EMPTY = np.zeros((0, 3))
MASK = np.array([[True, False, True, True], [True, True, False, True], [False, True, True, True]])


def case(f, *args, **kwargs):
    return f, args, kwargs


def both(name, *args, **kwargs):
    """The function and the method of the same name."""
    return [case(getattr(np, name), *args, **kwargs), case(getattr(np.ndarray, name), *args, **kwargs)]


HOLOMORPHIC = [
    np.negative, np.positive, np.square, np.reciprocal, np.sqrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10,
    np.log1p, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arctan, np.sinc,
]  # fmt: skip
REAL = [
    np.absolute, np.fabs, np.sign, np.cbrt, np.degrees, np.rad2deg, np.radians, np.deg2rad, np.floor, np.ceil,
    np.trunc, np.rint,
]  # fmt: skip
DEPRECATED = set()
if np.lib.NumpyVersion(np.__version__) < "2.5.0":
    REAL.append(np.fix)
else:
    DEPRECATED.add(np.fix)
UNARY = [
    *(case(f, x) for f in HOLOMORPHIC for x in (P, 0.7, [0.7, 1.9], P.astype(np.float32), EMPTY + 1.0, np.array(0.7))),
    *(case(f, C) for f in HOLOMORPHIC),
    *(case(f, x) for f in (*REAL, np.sin, np.tanh) for x in (M, -0.7, np.float64(1.3), [0.7, -1.9])),
    *(case(f, x) for f in (np.arcsin, np.arccos, np.arctanh) for x in (M / 4, 0.3, C / 4)),
    case(np.arccosh, P + 1), case(np.arccosh, C), case(np.exp, P, dtype=np.float64),
    case(np.absolute, C), case(np.sign, C), case(np.absolute, 1 - 2j),
    *(case(f, x) for f in (np.conjugate, np.real, np.imag, np.angle, np.real_if_close) for x in (P, C, 0.4 - 2j)),
    *(case(f, C) for f in (np.ndarray.conj, np.ndarray.conjugate, np.ndarray.real, np.ndarray.imag)),
    case(np.ndarray.real, P), case(np.ndarray.imag, P), case(np.ndarray.conj, P), case(np.ndarray.conjugate, P), case(np.angle, C, deg=True), case(np.angle, C, True),
    *both("round", M), *both("round", M, 1), case(np.around, M, decimals=1),
    case(np.nan_to_num, M), case(np.nan_to_num, C), case(np.nan_to_num, np.array([1.0, np.nan]), nan=2.0),
    case(np.modf, M), case(np.frexp, M), case(np.sinc, np.array([1e-5, 2e-4, 1e-3, 0.4])),
]  # fmt: skip
ANY_BINARY = [np.add, np.subtract, np.multiply, np.true_divide]
REAL_BINARY = [
    np.arctan2, np.hypot, np.maximum, np.minimum, np.fmax, np.fmin, np.floor_divide, np.remainder, np.fmod, np.copysign,
    np.logaddexp, np.logaddexp2,
]  # fmt: skip
BINARY = [
    *(case(f, *a) for f in (*ANY_BINARY, *REAL_BINARY) for a in ((M, N), (M, U), (0.7, M), (M, 1.3), (M[:, :1], U),
      ([1.0, 2.0], [[3.0], [4.0]]), (M, 3), (M.astype(np.float32), U))),
    *(case(f, *a) for f in ANY_BINARY for a in ((C, M), (M, C), (C, 1 - 2j), (C[:, :1], C))),
    *(case(f, *a) for f in (np.power, np.float_power) for a in ((P, M), (P, 2.0), (M, 3), (M, 2), (M, 1), (M, 0), (2, M),
      (P, 0.5), (C, M), (C, C), (P[:, :1], U), (1.3, 2.2), (P, np.array([1.0, 2.0, 3.0, 0.0])))),
    case(np.power, 2, np.array([1.5, 2.5])), case(np.power, np.float64(1.5), 2),
    case(np.ldexp, M, 3), case(np.ldexp, M, np.array([1, 2, 3, 4])),
    case(np.divmod, M, N), case(np.divmod, M, 0.7),
    case(np.heaviside, M, 0.5),
]  # fmt: skip
UNVARIED = [case(np.nextafter, V, U), case(np.float16, np.float16(1.5)),
    case(np.trim_zeros, np.array([0.0, 0.0, 1.5, 2.0, 0.0])), case(np.trim_zeros, np.array([0.0, 1.5, 0.0]), "b"),
    case(np.trim_zeros, np.array([0.0, 1.5, 0.0]), trim="f")]  # fmt: skip

REDUCTIONS = [
    *(c for name in ("sum", "mean", "prod", "var", "std", "max", "min") for kw in (
        {}, {"axis": 0}, {"axis": -1}, {"axis": (0, 2)}, {"axis": (2, 0), "keepdims": True}, {"keepdims": True},
        {"axis": 1, "keepdims": True}) for c in both(name, T, **kw)),
    *(c for name in ("sum", "mean", "prod", "var", "std", "max", "min") for c in both(name, T, 1)),
    *(c for name in ("sum", "mean", "prod", "var", "std") for c in (*both(name, C), *both(name, C, axis=1))),
    *(c for name in ("sum", "prod") for c in both(name, M, axis=1, initial=2.0, where=MASK)),
    *(c for name in ("mean", "var", "std") for c in both(name, M, axis=1, where=MASK)),
    *(c for name in ("max",) for c in both(name, M, axis=0, initial=0.5, where=MASK)),
    *(c for name in ("min",) for c in both(name, M, axis=0, initial=-0.5, where=MASK)),
    *both("max", M, initial=0.1), *both("min", M, initial=-0.1),
    *(c for name in ("sum", "prod") for c in both(name, M, dtype=np.float64)),
    *(case(getattr(np, name), x) for name in ("sum", "mean", "prod", "var", "std", "max", "min")
      for x in ([1.0, 3.0, 2.0], [[1.0, 2.5], [0.3, 4.0]], 1.5, M.astype(np.float32), np.array(2.5), V)),
    *both("sum", EMPTY), *both("sum", EMPTY, axis=0), *both("prod", EMPTY),
    case(np.var, M, axis=1, ddof=1), case(np.std, M, None, None, None, 1), case(np.var, M, correction=1),
    *both("prod", np.array([2.0, 0.0, 3.0])), *both("prod", np.array([0.0, 0.0, 3.0])),
    *both("prod", np.array([[2.0, 0.0], [1.0, 3.0]]), axis=0),
    case(np.amax, M, axis=1), case(np.amin, M, axis=1),
    *both("cumsum", M), *both("cumsum", M, axis=1), *both("cumsum", T, -2), *both("cumsum", C),
    *both("cumprod", M), *both("cumprod", M, axis=1), *both("cumprod", T, -2), *both("cumprod", C),
    *both("cumprod", np.array([2.0, 0.0, 3.0, 0.0, 1.0])),
    *both("trace", M), *both("trace", T, offset=1), *both("trace", T, 0, 2, 1), *both("trace", C, -1),
    *(case(f, np.array([[1.0, np.nan, 2.5], [0.4, -1.0, np.nan]]), **kw)
      for f in (np.nansum, np.nanmean, np.nanprod, np.nanvar, np.nanstd, np.nanmax, np.nanmin)
      for kw in ({}, {"axis": 1}, {"axis": 0, "keepdims": True})),
    case(np.average, M), case(np.average, M, 1), case(np.average, M, 1, U**2), case(np.average, M, None, P),
    case(np.average, M, weights=P, axis=0), case(np.average, M, 0, P, True), case(np.average, T, (2, 0), R.uniform(1, 2, (4, 2))),
    case(np.average, M, axis=1, keepdims=True), case(np.average, C, 0, P), case(np.average, M, 0, P, keepdims=True),
    case(np.ptp, M), case(np.ptp, M, 1), case(np.ptp, M, axis=0, keepdims=True),
    case(np.median, M), case(np.median, M, 1), case(np.median, M[:, :3], axis=1, keepdims=True), case(np.median, T, (0, 1)),
    case(np.quantile, M, 0.3), case(np.quantile, M, np.array([[0.1, 0.45], [0.7, 0.9]]), axis=1), case(np.quantile, M, [0.2, 0.4], 0),
    case(np.percentile, M, 30.0, axis=0, keepdims=True),
    case(np.cov, M), case(np.cov, M, ddof=0), case(np.cov, M, bias=True), case(np.cov, M, N), case(np.cov, M, N, False), case(np.cov, M, None, False),
    case(np.cov, V), case(np.cov, V, U), case(np.cov, V, U, False), case(np.cov, M, V), case(np.cov, M, C, ddof=2), case(np.cov, C, rowvar=False), case(np.cov, M.T, U[:3], rowvar=True, bias=True),
    case(np.cov, [1.0, 2.5, 2.0], [[0.5, 1.0, 3.0], [2.0, 0.3, 1.0]]), case(np.cov, M[:1], N, True, True),
]  # fmt: skip

SHAPES = [
    *both("reshape", M, (4, 3)), *both("reshape", M, (2, -1), order="F"), *both("reshape", M.T, (2, 6), order="A"),
    case(np.ndarray.reshape, M, 4, 3), case(np.reshape, [1.0, 2.0], (2, 1)), *both("reshape", np.array(2.0), (1, 1)),
    *both("ravel", M), *both("ravel", M, "F"), *both("ravel", M.T, "K"), case(np.ndarray.flatten, M), case(np.ndarray.flatten, M, "F"),
    *both("squeeze", M[:, None]), *both("squeeze", M[:, None], 1), *both("squeeze", M[:, None], axis=1),
    case(np.expand_dims, M, 1), case(np.expand_dims, M, (0, -1)),
    *(case(f, *xs) for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d) for xs in ((1.5,), (V,), (M,), (V, 2.0, T))),
    *both("transpose", T), *both("transpose", T, (2, 0, 1)), case(np.ndarray.transpose, T, 2, 0, 1), *both("transpose", T, (-1, 0, 1)),
    case(np.ndarray.T, T), case(np.ndarray.mT, T), case(np.matrix_transpose, T), case(np.linalg.matrix_transpose, T),
    *both("swapaxes", T, 0, -1), case(np.moveaxis, T, 0, -1), case(np.moveaxis, T, [0, 1], [2, 0]),
    case(np.rollaxis, T, 2), case(np.rollaxis, T, 0, 2), case(np.rollaxis, T, 1, 3), case(np.rollaxis, T, -1, 1),
    case(np.flip, T), case(np.flip, T, 1), case(np.flip, T, (0, 2)), case(np.fliplr, M), case(np.flipud, M),
    case(np.rot90, M), case(np.rot90, T, 3, (1, 2)), case(np.rot90, M, k=2),
    case(np.roll, M, 2), case(np.roll, M, (1, -2), (0, 1)), case(np.roll, M, 1, axis=1),
    case(np.broadcast_to, U, (3, 4)), case(np.broadcast_to, 2.0, (3,)), case(np.broadcast_arrays, M, U, 2.0),
    case(np.tile, M, 2), case(np.tile, M, (2, 1, 3)), case(np.tile, 1.5, 3), case(np.tile, T, (2, 1)), case(np.tile, V, (2,)),
    *both("repeat", M, 2), *both("repeat", M, 2, axis=1), *both("repeat", M, [1, 0, 2], 0), *both("repeat", C, 3),
    case(np.resize, V, (2, 3)), case(np.resize, M, 5),
    case(np.diag, V), case(np.diag, M), case(np.diag, M, 1), case(np.diag, V, k=-2), case(np.diag, C),
    case(np.diagflat, V), case(np.diagflat, M, 1), *both("diagonal", M), *both("diagonal", T, 1), *both("diagonal", T, 0, 1, 2),
    case(np.linalg.diagonal, T), case(np.linalg.diagonal, T, offset=1), case(np.linalg.trace, T), case(np.linalg.trace, M, offset=1),
    case(np.tril, M), case(np.tril, T, 1), case(np.triu, M, -1), case(np.triu, T),
    case(np.tril, V), case(np.triu, V, 1), case(np.tril, [1.0, 2.0], -1),
    case(np.ix_, V, U[:3]), case(np.ix_, [0.5, 1.5], [True, False, True]), case(np.ix_, V),
    case(np.pad, V, 2), case(np.pad, M, ((1, 0), (2, 1))), case(np.pad, M, 1, "constant", constant_values=3.0), case(np.pad, M, 1, mode="constant"),
    *(case(np.pad, M, ((1, 2), (2, 3)), mode) for mode in ("edge", "reflect", "symmetric", "wrap")), case(np.pad, C, 1, "edge"),
    *(case(f, x) for f in (np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack)
      for x in ([M, N], (V, U), [C, M])),
    *(case(f, x) for f in (np.stack, np.hstack, np.vstack, np.dstack, np.column_stack) for x in ([1.0, 2.0], [T[0], M])),
    case(np.concatenate, [M, T[0, :, :2]], 1), case(np.concatenate, [M, V, T], None), case(np.concatenate, [T, T[:, :1]], axis=-2),
    case(np.concatenate, T), case(np.concatenate, [[1.0, 2.0], V]), case(np.stack, [M, N], -1), case(np.stack, [M, N], axis=1),
    case(np.hstack, [V, U[:2]]), case(np.vstack, [V, M]), case(np.dstack, [V, U]), case(np.column_stack, [V, M.T]),
    case(np.vstack, [V, U], dtype=np.float64), case(np.stack, M),
    case(np.block, [[M, N[:, :1]], [N[:1], M[:1, :1]]]),
    case(np.block, [V, U]), case(np.block, [[V], [U]]),
    case(np.append, M, N), case(np.append, M, N, 0), case(np.append, M, N, axis=1), case(np.append, V, 2.0),
    case(np.insert, V, 1, 2.5), case(np.insert, V, [1, 3], [2.5, 3.5]), case(np.insert, M, 1, U, 0), case(np.insert, M, [0, 2], 2.0, 1),
    case(np.insert, M, 1, 2.5), case(np.insert, M, slice(0, 2), T[0, :2], axis=0),
    case(np.delete, V, 1), case(np.delete, M, [0, 2], 1), case(np.delete, M, slice(0, 2), axis=0),
    *(case(f, M, 2, 1) for f in (np.split, np.array_split)), case(np.split, V, [1, 3]), case(np.array_split, V, 3),
    case(np.split, T, [1], axis=-1), case(np.hsplit, M, 2), case(np.hsplit, V, 2), case(np.vsplit, M, 3), case(np.dsplit, T, [1, 2]),
    case(np.unstack, T), case(np.unstack, T, axis=1),
    case(np.meshgrid, V, U[:3]), case(np.meshgrid, V, U[:3], indexing="ij"), case(np.meshgrid, V, U[:3], M[0, :2], sparse=True),
    case(np.meshgrid, V), case(np.meshgrid, V, 2.0),
]  # fmt: skip

SELECT = [
    case(np.where, MASK, M, N), case(np.where, MASK, M, 2.0), case(np.where, MASK, 1.5, U), case(np.where, MASK, C, M),
    case(np.where, True, 1.5, 2.5), case(np.where, MASK),
    case(np.select, [M > 0.5, M > 0], [M, N], 2.0), case(np.select, [M > 0.5, M > 0], [M, N]), case(np.select, [M > 0], [M], default=1.0),
    case(np.choose, np.array([0, 1, 1, 0]), [V, U]), case(np.choose, [0, 2, 3, 1], [V, 2.0], mode="wrap"), case(np.choose, [0, 2, -3, 1], [V, 2.0], mode="clip"),
    *both("take", M, [0, 5, 5]), *both("take", M, [[0, 1], [1, 1]], 1), *both("take", M, 1, axis=0), *both("take", C, [0, 0], axis=-1),
    *both("take", V, 9, mode="clip"),
    case(np.take_along_axis, M, np.argsort(N, 1), 1), case(np.take_along_axis, M, np.array([1, 1, 5]), None),
    case(np.compress, [True, False, True], M, 0), case(np.ndarray.compress, M, [True, False, True], 0), case(np.compress, [False, True], M),
    case(np.extract, MASK, M),
    *both("clip", M, -0.5, 0.6), *both("clip", M, None, 0.6), *both("clip", M, -0.5, None), *both("clip", M, U * 0.1 - 0.2, 0.9),
    *both("clip", M, min=-0.5), case(np.clip, M, max=0.3), case(np.clip, 1.5, 0.0, 1.0), *both("clip", M, 2.0, 1.0),
    case(np.sort, M), case(np.sort, M, 0), case(np.sort, M, None), case(np.sort, C), case(np.sort, M, axis=1, kind="stable"),
    case(np.partition, V, 2), case(np.partition, M, 1, 0), case(np.partition, M, 3, axis=None), case(np.partition, C, 1), case(np.partition, M, [0, 2], -1), case(np.sort_complex, C[0]),
    case(np.interp, np.array([0.3, 1.7, -1.0, 5.0]), np.array([0.0, 1.0, 2.0, 4.0]), U),
    case(np.interp, 1.3, np.array([0.0, 1.0, 2.0, 4.0]), U), case(np.interp, np.array([0.3, -1.0, 5.0]), np.array([0.0, 1.0, 2.0, 4.0]), U, 1.5, 2.5),
    case(np.interp, np.array([0.3, -1.0, 5.0]), np.array([0.0, 1.0, 2.0, 4.0]), U, left=1.5),
    case(np.interp, np.array([0.3, 1.7]), np.array([0.0, 1.0, 2.0, 4.0]), U + 1j * V),
]  # fmt: skip

DIFFERENCES = [
    case(np.diff, V), case(np.diff, M, 2), case(np.diff, T, 1, 1), case(np.diff, M, axis=0), case(np.diff, C), case(np.diff, V, 0),
    case(np.diff, V, prepend=1.0), case(np.diff, M, axis=1, append=N[:, :2]), case(np.diff, V, 2, prepend=1.0, append=2.0),
    case(np.ediff1d, V), case(np.ediff1d, M, 2.0, [1.0, 3.0]), case(np.ediff1d, V, to_end=1.0),
    case(np.gradient, V), case(np.gradient, M), case(np.gradient, M, 0.5), case(np.gradient, M, 0.5, 2.0), case(np.gradient, M, axis=1, edge_order=2),
    case(np.gradient, V, np.array([0.0, 1.0, 3.0, 3.5])), case(np.gradient, T, axis=(0, 2)),
    *(case(np.convolve, V, U[:3], mode) for mode in ("full", "same", "valid")), case(np.convolve, V[:2], U), case(np.convolve, C[0], U[:2]),
    *(case(np.correlate, V, U[:3], mode) for mode in ("full", "same", "valid")), case(np.correlate, V[:2], U, "full"), case(np.correlate, C[0], C[1, :2], "full"),
    case(np.polyval, V, 1.3), case(np.polyval, V, M), case(np.polyval, V, C), case(np.polyval, [1.0, 2.0], V),
    case(np.trapezoid, V), case(np.trapezoid, M, U, axis=1), case(np.trapezoid, M, None, 0.3), case(np.trapezoid, M, P, 1.0, 0), case(np.trapezoid, M, dx=0.5),
    case(np.trapezoid, M, P[:1]), case(np.trapezoid, M[:1], P), case(np.trapezoid, V, M), case(np.trapezoid, V, T), case(np.trapezoid, T, M), case(np.trapezoid, T, P[:, :1] + M, axis=-1), case(np.trapezoid, M, U[:3], axis=0),
    case(np.trapezoid, V[:3], M[:, :2], 1.0, 0), case(np.trapezoid, M, None, np.array([0.1, 0.2, 0.3])), case(np.trapezoid, V, None, P[:, :3]), case(np.trapezoid, C, P), case(np.trapezoid, M[:, :2], P), case(np.trapezoid, [1.0, 2.0], [0.5, 1.5]),
    case(np.vander, V), case(np.vander, V, 3), case(np.vander, V, 5, increasing=True),
    case(np.bincount, np.array([0, 2, 2, 1]), V), case(np.bincount, [0, 2], [1.0, 2.0], 5), case(np.bincount, [0, 2, 2]),
]  # fmt: skip

a3, b3 = R.normal(size=(2, 3, 4)), R.normal(size=(2, 4, 5))
LINEAR = [
    *(case(np.matmul, x, y) for x, y in ((V, U), (M, V), (V, M.T), (M, N.T), (T, V), (U[:3], T), (T, b3), (M, b3), (T, M.T), (C, V), (C, C.T),
      (T[:, None], b3), (M, np.zeros((4, 0))), (M.astype(np.float32), V.astype(np.float32)), ([[1.0, 2.0]], [3.0, 4.0]), (V[None] * 1j, b3), (U[:3] * 1j, T),
      (T * 1j, V * 1j), (T, C.T))),
    *(case(f, x, y) for f in (np.dot, np.ndarray.dot) for x, y in ((V, U), (M, V), (V, M.T), (M, N.T), (T, V), (V, b3), (T, b3), (M, b3), (T, M.T), (C, C.T), (V, 2.0), (np.array(2.0), V))),
    case(np.dot, 2.0, 3.0), case(np.dot, [1.0, 2.0], [3.0, 4.0]), case(np.dot, 2.0, M),
    case(np.tensordot, T, M, 2), case(np.tensordot, T, M.T, 1), case(np.tensordot, T, b3, ([0, 2], [0, 1])),
    case(np.tensordot, T, b3, ([2, 0], [1, 0])), case(np.tensordot, M, N, 0), case(np.tensordot, C, C, ([1], [1])), case(np.tensordot, T, T, axes=3),
    case(np.linalg.tensordot, T, M, axes=2), case(np.tensordot, V, M, (0, 1)),
    *(case(np.inner, x, y) for x, y in ((V, U), (M, N), (T, M), (C, C), (2.0, V), (M, V))),
    *(case(np.vdot, x, y) for x, y in ((V, U), (M, N), (C, C + 1), (M, C), (M, P.reshape(4, 3)))),
    *(case(np.outer, x, y) for x, y in ((V, U), (M, V), (C[0], C[1]), (2.0, V))), case(np.linalg.outer, V, U),
    *(case(np.kron, x, y) for x, y in ((V, U), (M, N[:2, :2]), (V, M), (T, V), (C, M))),
    *(case(np.cross, x, y) for x, y in ((V[:3], U[:3]), (M.T, N.T), (M.T, U[:3]), (C.T, M.T))), case(np.cross, M, N, 0, 0, 0), case(np.cross, M, N.T, 0, 1),
    case(np.cross, M, N, axis=0), case(np.cross, V[:3], N, -1, 0), case(np.linalg.cross, M, N, axis=0), case(np.linalg.cross, M.T, N.T),
    *(case(np.vecdot, x, y) for x, y in ((V, U), (M, N), (C, C + 1), (M, V))), case(np.linalg.vecdot, C, C + 1), case(np.linalg.vecdot, M, N, axis=0),
    *(case(np.matvec, x, y) for x, y in ((M, V), (T, V), (T, M[:2]), (C, V), (M, C))),
    *(case(np.vecmat, x, y) for x, y in ((U[:3], M), (M[:2, :3], T), (C[0, :3], CS))),
    case(np.linalg.multi_dot, [M, N.T, M, V]), case(np.linalg.multi_dot, [V, M.T, S, CS]), case(np.linalg.multi_dot, [M, V]), case(np.linalg.multi_dot, [V, M.T, N, U]),
]  # fmt: skip

EINSUM = [
    case(np.einsum, "ij,j->i", M, V), case(np.einsum, "ij,kj", M, N), case(np.einsum, "ij,ij->", M, N), case(np.einsum, "ii", S), case(np.einsum, "ii->i", S),
    case(np.einsum, "ij->ji", M), case(np.einsum, "ij->j", M), case(np.einsum, "...ij,...jk->...ik", T, b3), case(np.einsum, "...j,j", T, V), case(np.einsum, "i...->...", T),
    case(np.einsum, "ij,jk,kl->il", M, N.T, S), case(np.einsum, "ij,jk,kl->il", M, N.T, S, optimize=True), case(np.einsum, "i,j->ij", V, U), case(np.einsum, "ijj->i", T[:, :, :3]),
    case(np.einsum, "iij,j->ij", T.reshape(2, 3, 4)[:, :2], V), case(np.einsum, " i j , j -> i ", M, V), case(np.einsum, "ba", M), case(np.einsum, "ij,k->i", M, V),
    case(np.einsum, M, [0, 1], V, [1], [0]), case(np.einsum, M, [0, 1], V, [1]), case(np.einsum, T, [Ellipsis, 0], V, [0], [Ellipsis]), case(np.einsum, C, [0, 1], C, [0, 1]),
    case(np.einsum, "ij,kj->ik", C, C), case(np.einsum, "...,...", M, V), case(np.einsum, "i...,...->i...", M, V), case(np.einsum, ",ij->ij", 2.0, M), case(np.einsum, "ij,ij->i", M, N[:, :1]),
    case(np.einsum, "i,i,i->", V, U, V), case(np.einsum, "...ii->...i", T[:, :, :3]), case(np.einsum, "ijk,ijk->", T, T), case(np.einsum, "ab...,b...->a...", T, T[0]),
]  # fmt: skip

LINALG = [
    *(case(f, x) for f in (np.linalg.inv, np.linalg.det, np.linalg.slogdet) for x in (S, SS, CS)),
    case(np.linalg.det, np.array([[1.0, 2.0], [2.0, 4.0]])), case(np.linalg.det, np.diag([1.0, 0.0, 3.0])), case(np.linalg.slogdet, -S),
    *(case(np.linalg.solve, x, y) for x, y in ((S, U[:3]), (S, M), (SS, M), (SS, U[:3]), (CS, M), (S, C), (S, T), (SS, T))),
    *(case(np.linalg.cholesky, x) for x in (H, HH)), case(np.linalg.cholesky, H, upper=True),
    case(np.linalg.matrix_power, S, 3), case(np.linalg.matrix_power, SS, 2), case(np.linalg.matrix_power, S, -2), case(np.linalg.matrix_power, CS, 1), case(np.linalg.matrix_power, S, 0),
    case(np.linalg.pinv, M), case(np.linalg.pinv, M.T), case(np.linalg.pinv, C), case(np.linalg.pinv, T),
    *(case(np.linalg.norm, x) for x in (V, M, T, C, [1.0, 2.0])), *(case(np.linalg.norm, V, p) for p in (1, 2, 3, 2.5, np.inf, -np.inf, -1, 0)),
    *(case(np.linalg.norm, M, o) for o in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)), *(case(np.linalg.norm, C, o) for o in ("fro", "nuc", 2, 1)),
    *(case(np.linalg.norm, T, p, axis=1, keepdims=True) for p in (None, 1, 3, np.inf)), *(case(np.linalg.norm, T, o, (0, 2)) for o in (None, "fro", "nuc", 2, 1, np.inf)),
    case(np.linalg.norm, T, axis=(0, 1)), case(np.linalg.norm, T, "nuc", axis=(2, 1), keepdims=True), case(np.linalg.norm, C, 3, axis=1),
    case(np.linalg.vector_norm, M), case(np.linalg.vector_norm, M, axis=1, ord=3), case(np.linalg.vector_norm, T, axis=(0, 1), ord=np.inf, keepdims=True),
    case(np.linalg.matrix_norm, M), case(np.linalg.matrix_norm, T, ord="nuc"), case(np.linalg.matrix_norm, T, ord=1, keepdims=True),
    *(case(np.linalg.svdvals, x) for x in (M, T, C)), case(np.linalg.svd, M, compute_uv=False), case(np.linalg.svd, T, False, False),
    case(np.linalg.svd, M, full_matrices=False), case(np.linalg.svd, M.T, False), case(np.linalg.svd, S), case(np.linalg.svd, T, full_matrices=False),
    case(np.linalg.eigvalsh, H), case(np.linalg.eigvalsh, HH, "U"), case(np.linalg.eigvalsh, CH), case(np.linalg.eigh, H), case(np.linalg.eigh, HH), case(np.linalg.eigh, H, UPLO="U"),
    case(np.linalg.eigvals, H + np.triu(S)), case(np.linalg.eig, H + 0.1 * np.triu(S)),
    *(case(np.linalg.qr, x) for x in (S, M.T, SS)), case(np.linalg.qr, M.T, "r"), case(np.linalg.qr, M.T, mode="reduced"),
    case(np.linalg.lstsq, M.T, V), case(np.linalg.lstsq, M.T, T[0].T[:, :2], None), case(np.linalg.lstsq, M.T, V, rcond=None),
]  # fmt: skip

CREATION = [
    *(case(f, x) for f in (np.array, np.asarray, np.asanyarray, np.asarray_chkfinite, np.copy, np.require)
      for x in (M, [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]], (1.0, 2.0), 1.5, [V, U], [[1.0, V[0]], U[:2]], [1.0, 2])),
    *(case(f, x) for f in (np.ascontiguousarray, np.asfortranarray) for x in (M.T, [1.0, 2.0])), case(np.ascontiguousarray, np.array(1.5)), case(np.array, V, ndmin=2),
    case(np.array, [1.0, 2.0], float), case(np.array, V, dtype=complex), case(np.ndarray.copy, M), case(np.ndarray.copy, M, "F"), case(np.astype, M, np.float64),
    case(np.ndarray.astype, M, complex), case(np.ndarray.astype, M, np.float64, copy=False),
    case(np.ndarray.__copy__, M), case(np.ndarray.__deepcopy__, M, {}), case(np.ndarray.tolist, M), case(np.ndarray.tolist, V), case(np.ndarray.tolist, np.array(1.5)),
    case(np.ndarray.item, np.array(1.5)), case(np.ndarray.item, M, 5), case(np.ndarray.item, M, 1, 2), case(np.ndarray.item, M, (1, 2)), case(np.ndarray.item, V, -1), case(np.ndarray.item, C, 0),
    *(case(t, 1.5) for t in (np.float64, np.longdouble, np.complex128)), case(np.complex128, 1.5 + 2j), case(np.float64, V),
    case(np.float32, np.float32(1.5)), case(np.complex64, np.complex64(1.5)),
    case(np.full, (2, 3), 1.5), case(np.full, 4, U), case(np.full, (2, 2), 1.0 + 2j, complex), case(np.full_like, M, 2.5), case(np.full_like, M, U),
    case(np.linspace, 0.5, 2.0), case(np.linspace, 0.5, 2.0, 7, endpoint=False), case(np.linspace, V, 3.0, 5), case(np.linspace, V, U, 5, axis=1), case(np.linspace, 0.5, 2.0, 4, retstep=True),
    case(np.arange, 2.5), case(np.arange, 0.5, 3.0), case(np.arange, 0.5, 3.0, 0.4), case(np.arange, 3.0, 0.5, -0.6), case(np.arange, 0.5, 3.0, 0.4, float), case(np.arange, 0.5, 3.0, 0.4, dtype=complex),
    case(np.arange, 0.5, None, None), case(np.arange, 0.5, 3.0, None), case(np.arange, 5), case(np.arange, 2, 7, 2), case(np.arange, np.float64(0.3), 2), case(np.arange, np.float32(0.3), 2, np.float32(0.7)), case(np.arange, 0, 2, 0.3),
    case(np.arange, 2.5, 0.5), case(np.logspace, 0.5, 1.5, 4, True, 2.0), case(np.logspace, 0.5, V, 4, False), case(np.geomspace, P, P + 1, 4, False), case(np.geomspace, 1 + 0.5j, 2 - 1j, 3),
    case(np.linspace, 0.5, 2.0, 1), case(np.logspace, 0.5, 1.5, 4), case(np.logspace, 0.5, 1.5, 4, base=2.0), case(np.geomspace, 0.5, 4.0, 5),
]  # fmt: skip

PROTOCOL = [
    case(strong_mul, M, N), case(strong_mul, M, U), case(strong_mul, C, 2.0), case(strong_div, M, N), case(strong_div, C, P), case(strong_div, 2.0, U),
    case(spread, 1.5, (3, 4), None), case(spread, V, (3, 4), (1, 4)), case(scatter, np.array([0, 2, 2, 1]), V, 5), case(scatter, np.array([0, 2, 2, 1]), C[0], 5),
    case(unbroadcast, T, (3, 1)), case(unbroadcast, M, (3, 4)), case(unbroadcast, V, (3, 4)),
]  # fmt: skip

F = np.fft
FFT = [
    *(case(f, x) for f in (F.fft, F.ifft, F.fft2, F.ifft2, F.fftn, F.ifftn, F.irfft, F.irfft2, F.irfftn, F.fftshift, F.ifftshift) for x in (C, T, T * (1 + 0.5j))),
    *(case(f, x) for f in (F.rfft, F.rfft2, F.rfftn) for x in (T, T[:, :, :3])),
    *(case(f, T, n, axis, norm) for f in (F.fft, F.ifft, F.rfft, F.irfft) for n in (None, 2, 5) for axis, norm in ((1, "ortho"), (-1, "forward"), (0, "backward"))),
    *(case(f, T, s, axes, norm=norm) for f in (F.fft2, F.ifft2, F.fftn, F.ifftn, F.rfft2, F.rfftn, F.irfft2, F.irfftn) for s, axes, norm in (((2, 5), (0, 2), "ortho"), ((4, 3), (1, 2), "forward"))),
    case(F.fftshift, T, (0, 2)), case(F.ifftshift, T, axes=1),
]  # fmt: skip
MORE = [
    case(np.linalg.matmul, M, V), case(np.cumulative_sum, V), case(np.cumulative_sum, M, axis=1, include_initial=True), case(np.cumulative_prod, M, axis=0), case(np.cumulative_prod, V, include_initial=True),
    *(case(f, np.array([[1.0, np.nan, 2.5], [0.4, -1.0, 3.0]]), **kw) for f in (np.nancumsum, np.nancumprod) for kw in ({}, {"axis": 1})),
    case(np.polyfit, U, V, 2), case(np.polyfit, U, M.T, 1), case(np.polyfit, U, V, 1, w=U**2), case(np.linalg.cond, S), case(np.linalg.cond, T), case(np.linalg.cond, C, 2),
    case(np.unique, M), case(np.unique, V, True), case(np.unwrap, np.array([0.1, 3.0, 6.5, 9.9])),
]  # fmt: skip

HISTOGRAMS = [
    case(np.histogram, [0.1, 0.2, 0.7, 1.0], 3, None, None, V), case(np.histogram, [0.1, 0.2, 0.7, 1.5], 4, (0.0, 1.0), None, V),
    case(np.histogram, [0.1, 0.2, 0.7, 0.9], [0.0, 0.5, 0.6, 1.0], None, None, U), case(np.histogram, [0.1, 0.2, 0.7, -1.0], 4, (0.0, 1.0), True, U + 3.0),
]  # fmt: skip

TWO_NUMBERS = [
    f for f in {id(f): f for f in vars(np).values() if isinstance(f, np.ufunc)}.values() if rules_for(f.outer)
]
UFUNC_METHODS = [
    *(case(f.outer, x, y) for f in TWO_NUMBERS for x, y in ((U + 2.03, P), (2.03, P))), case(np.multiply.outer, C, M), case(np.subtract.outer, [1.0, 2.0], V),
    *(case(f.accumulate, x, axis) for f in TWO_NUMBERS for x, axis in ((P, 0), (P, -1))), case(np.divide.accumulate, C, 1), case(np.add.accumulate, V),
    *(case(f.reduce, x, axis, **kw) for f in FOLDED for x, axis, kw in ((P, 0, {}), (P, -1, {"keepdims": True}), (P, 1, {"initial": 0.7}), (P[:, :1], 1, {}))),
    *(case(f.reduce, T, axis) for f in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp, np.hypot) for axis in (None, (0, 2))),
    case(np.divide.reduce, C, 0), case(np.subtract.reduce, V), case(np.add.reduce, M, 0, None, None, False, 0.0, MASK), case(np.maximum.reduce, M, 0, None, None, False, -9.0, MASK),
    *(case(f.reduceat, x, i, axis) for f in FOLDED for x, i, axis in ((P, [0, 2, 1], 0), (P, [3, 0], -1), (P, [0, 1, 1, 3], 1))), case(np.divide.reduceat, C[0], [0, 2]),
    case(np.insert, M, 1, U[:3], 1), case(np.insert, M, [0, 1], U, 0), case(np.insert, M, np.array([True, False, True, False]), U[:3, None], 1),
    case(np.interp, np.array([0.3, 1.7, -1.0, 5.0]), np.array([3.0, 0.0, 5.1, 2.0]), U, None, None, 2.3),
    case(np.interp, np.array([0.3, 1.7, -1.0, 5.0]), np.array([3.0, 0.0, 5.1, 2.0]), U + 1j * V, period=-2.3),
]  # fmt: skip

CASES = (
    FFT
    + HISTOGRAMS
    + UFUNC_METHODS
    + MORE
    + PROTOCOL
    + UNARY
    + BINARY
    + REDUCTIONS
    + SHAPES
    + SELECT
    + DIFFERENCES
    + LINEAR
    + EINSUM
    + LINALG
    + CREATION
)
