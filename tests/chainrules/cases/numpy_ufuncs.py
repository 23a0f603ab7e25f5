# ruff: noqa: E501
"""Elementwise functions of NumPy."""

import numpy as np

from chainrules.library.numpy.ufuncs import logistic, logistic2

from .points import EMPTY, C, M, N, P, U, V, both, case

HOLOMORPHIC = [
    np.negative, np.positive, np.square, np.reciprocal, np.sqrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10,
    np.log1p, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arctan, np.sinc,
]  # fmt: skip
REAL = [
    np.absolute, np.fabs, np.sign, np.cbrt, np.degrees, np.rad2deg, np.radians, np.deg2rad, np.floor, np.ceil,
    np.trunc, np.rint,
]  # fmt: skip
ELSEWHERE = set()
if np.lib.NumpyVersion(np.__version__) < "2.5.0":
    REAL.append(np.fix)
else:
    ELSEWHERE.add(np.fix)
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
    *(case(f, *a) for f in (np.maximum, np.minimum, np.fmax, np.fmin) for a in ((C, 1j * C), (C[:, :1], N), (0.3j, C))), case(np.rint, C),
    *(case(f, EMPTY, 1.5) for f in (*ANY_BINARY, *REAL_BINARY)), *(case(f, np.array(0.7), np.array([[1.6]])) for f in (*ANY_BINARY, *REAL_BINARY)), case(np.heaviside, EMPTY, 0.5), case(np.divmod, EMPTY, 2.0), case(np.ldexp, EMPTY, 2),
]  # fmt: skip
UNVARIED = [case(np.nextafter, V, U), case(np.float16, np.float16(1.5)),
]  # fmt: skip

LOGISTIC = [case(f, x) for f in (logistic, logistic2) for x in (P, -0.7)]  # in the partials of others
CASES = UNARY + BINARY + LOGISTIC
