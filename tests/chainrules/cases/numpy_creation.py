# ruff: noqa: E501
"""Arrays made from values, copies, conversions."""

import numpy as np

from .points import C, M, P, U, V, case

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
]  # fmt: skip
