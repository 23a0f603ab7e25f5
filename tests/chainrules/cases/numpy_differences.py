# ruff: noqa: E501
"""Differences, convolutions, polynomials, integrals of samples."""

import numpy as np

from .points import EMPTY, C, M, N, P, T, U, V, case

CASES = [
    case(np.diff, V), case(np.diff, M, 2), case(np.diff, T, 1, 1), case(np.diff, M, axis=0), case(np.diff, C), case(np.diff, V, 0),
    case(np.diff, V, prepend=1.0), case(np.diff, M, axis=1, append=N[:, :2]), case(np.diff, V, 2, prepend=1.0, append=2.0),
    case(np.ediff1d, V), case(np.ediff1d, M, 2.0, [1.0, 3.0]), case(np.ediff1d, V, to_end=1.0),
    case(np.gradient, V), case(np.gradient, M), case(np.gradient, M, 0.5), case(np.gradient, M, 0.5, 2.0), case(np.gradient, M, axis=1, edge_order=2),
    *(case(np.gradient, x, *spacing, **kw) for x in (M, C) for kw in ({}, {"edge_order": 2}) for spacing in ((), (0.5,), (np.array([0.0, 1.2, 1.9]), 0.5), (np.array([2.0, 1.2, 0.1]), np.array([0.0, 1.2, 1.9, 4.0])))),
    *(case(np.gradient, M, np.array([0.0, 1.2, 1.9, 4.0]), axis=axis, edge_order=e) for axis in (1, -1) for e in (1, 2)), case(np.gradient, T, 0.5, np.array([0.0, 1.2, 1.9, 4.0]), axis=(1, -1)), case(np.gradient, T, 0.3, axis=(2, 0)), case(np.gradient, V[:2], 0.3), case(np.gradient, V[:3], [0.0, 1.0, 3.0], edge_order=2), case(np.gradient, M.astype(np.float32), np.float32(0.5)),
    *(case(np.correlate, a, v, mode) for a, v in ((V[:3], U), (V[:2], U), (C[0, :3], C[1]), (C[0], V)) for mode in ("full", "same", "valid")), *(case(np.convolve, V[:3], C[0], mode) for mode in ("same", "valid")),
    case(np.diff, M, 1, 0, 1.5, N[:2]), case(np.diff, M, 2, -1, N[:, :1]), case(np.diff, V, 6), case(np.diff, V, 2, -1, 0.5, -0.5), case(np.diff, EMPTY, axis=1), case(np.diff, EMPTY, axis=0), case(np.diff, C, prepend=1j), case(np.ediff1d, EMPTY), case(np.ediff1d, C, 1j),
    case(np.bincount, [0, 2, 2], np.ones(3, np.float32)), case(np.trapezoid, EMPTY), case(np.trapezoid, EMPTY, axis=0),
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
