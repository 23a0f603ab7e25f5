# ruff: noqa: E501
"""Choosing, sorting, interpolating."""

import numpy as np

from .points import EMPTY, MASK, C, M, N, T, U, V, both, case

CASES = [
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
    case(np.interp, EMPTY, np.array([0.0, 1.0, 2.0, 4.0]), U), case(np.interp, M, np.array([0.45]), np.array([2.0])), case(np.interp, M, np.array([0.45]), np.array([2.0]), 1.5, 2.5),
    *(case(np.sort, x, **kw) for x in (T, C, M.astype(np.float32)) for kw in ({"axis": 0}, {"axis": -2, "kind": "heapsort"}, {"axis": None}, {"stable": True})), case(np.sort, EMPTY), case(np.sort_complex, M), case(np.sort_complex, C), case(np.partition, T, -2, 1), case(np.partition, M, (0, 3)),
    *(case(np.nan_to_num, np.array([1.0, np.nan, np.inf, 3.0]) * sign, True, 0.5, 7.0, -3.0) for sign in (1, -1)), case(np.nan_to_num, np.array([1.0, np.nan]), True, 0.5), case(np.nan_to_num, np.array([complex(np.nan, 1.0), complex(2.0, np.inf)]), True, 0.5, 3.0),
    case(np.select, [MASK, True], [M, 2.0]), case(np.select, [M > 0.1], [np.float32(2.0) * M], np.array([1.0, 2.0, 3.0, 4.0])), case(np.choose, np.array([[0], [1]]), [V, U]), case(np.choose, [1, 0, 1, 0], np.stack((V, U))), case(np.choose, 1, [V, 2.0]),
    case(np.take, np.array(1.5), 0), case(np.take, M, [-1, 0, -1], 0), case(np.take, M, [-1, 13, -14], mode="wrap"), case(np.take_along_axis, T, np.array([[[-1], [0], [1]]]), -1), case(np.compress, [False] * 3, M, 0), case(np.extract, [False], V[:1]),
]  # fmt: skip
if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
    CASES += [case(np.sort, x, **kw, descending=True) for x in (M, T, C) for kw in ({}, {"axis": 0}, {"axis": None})]
UNVARIED = [
    case(np.trim_zeros, np.array([0.0, 0.0, 1.5, 2.0, 0.0])), case(np.trim_zeros, np.array([0.0, 1.5, 0.0]), "b"),
    case(np.trim_zeros, np.array([0.0, 1.5, 0.0]), trim="f"),
]  # fmt: skip
