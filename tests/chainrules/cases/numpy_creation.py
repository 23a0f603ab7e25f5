# ruff: noqa: E501
"""Arrays made from values, copies, conversions."""

import numpy as np

from .points import EMPTY, C, M, P, T, U, V, case

ZERO_D = np.array(1.5)
SINGLE = M.astype(np.float32)

CASES = [
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
    case(np.clongdouble, 1.5), case(np.clongdouble, V),
    *(case(f, x) for f in (np.array, np.asarray, np.asanyarray, np.asarray_chkfinite, np.copy, np.require, np.ascontiguousarray, np.asfortranarray) for x in (C, SINGLE, EMPTY, ZERO_D)),
    case(np.array, M, ndmin=4), case(np.array, M, int), case(np.array, M, dtype=bool), case(np.array, M, order="F", copy=True), case(np.asarray, M, complex, "F"), case(np.copy, M, "F"), case(np.require, M, float, ["F", "W"]),
    case(np.astype, M, complex), case(np.ndarray.astype, SINGLE, float), case(np.ndarray.astype, ZERO_D, complex, order="C"),
    *(case(np.ndarray.tolist, x) for x in (C, T[0], SINGLE, EMPTY)), *(case(np.ndarray.item, M, *at) for at in ((-1, 0), (-3, -4), (0, -1), (-12,), ((-1, 2),))), case(np.ndarray.item, T, 1, -2, 3), case(np.ndarray.item, SINGLE, 3),
    case(np.full, (0, 3), 1.5), case(np.full, (), 1.5), case(np.full, (2, 3), [1.5, 2.5, 3.5]), case(np.full, 3, 2.5, int), case(np.full, (2, 3), [[1.5], [2.5]]), case(np.full, (3, 4), C), case(np.full, 3, 1.5, order="F"),
    case(np.full_like, C, M), case(np.full_like, SINGLE, 2.5), case(np.full_like, EMPTY, 2.5), case(np.full_like, M, 2.5, int), case(np.full_like, np.zeros((2, 2), int), 2.5), case(np.full_like, M, 2.5, shape=(2, 2)), case(np.full_like, [1, 2], 2.5, float),
    case(np.linspace, V, U, 5, axis=-1), case(np.linspace, M, V, 3, False, True), case(np.linspace, C, 2.0, 4, axis=1), case(np.linspace, 0.5, 2.0, 0), case(np.linspace, 0.5, 2.0, 4, dtype=complex), case(np.linspace, 0.5, 7.0, 4, dtype=int), case(np.linspace, EMPTY, 1.0, 3), case(np.linspace, [0.5, 1.5], (2.0, 2.5), 3),
    case(np.linspace, 0.5, 2.0, 4, False, True, None, -1), case(np.linspace, np.float32(0.5), 2.0, 3), case(np.linspace, 1, 4, 4), case(np.linspace, 1 + 2j, 3.0, 3, retstep=True),
    case(np.logspace, 0.5, 1.5, 4, True, np.array([2.0, 3.0]), axis=-1), case(np.logspace, V, 1.5, 4, True, P[0]), case(np.logspace, 0.5, M, 3, axis=1), case(np.logspace, 0.5 + 1j, 1.5, 3), case(np.logspace, 0.5, 1.5, 4, dtype=complex), case(np.logspace, 0.5, 1.5, 4, dtype=int), case(np.logspace, 0.5, 1.5, 0), case(np.logspace, EMPTY, 1.5, 3),
    case(np.geomspace, P, 2.0, 3, axis=-1), case(np.geomspace, -P, -3.0, 4), case(np.geomspace, 0.5, 4.0, 1), case(np.geomspace, 0.5, 4.0, 3, dtype=complex), case(np.geomspace, 0.5, 40.0, 3, dtype=int), case(np.geomspace, 0.5, [4.0, 2.0], 3), case(np.geomspace, 0.5, 2.0, 0),
    case(np.bincount, [], [], 3), case(np.bincount, np.array([0, 2, 2]), [1.5, 2.5, 0.5], 5), case(np.bincount, [], np.zeros(0), 0),
]  # fmt: skip
