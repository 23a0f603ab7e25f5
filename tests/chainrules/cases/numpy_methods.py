# ruff: noqa: E501
"""Padding, windows, methods and attributes of arrays, rearrangements at random (of one thing: the outcome is fixed)."""

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from chainrules.library.numpy.draws import DRAWS

from .points import C, M, T, U, V, case

ZERO_D = np.array(1.5)
EMPTY = np.zeros((0, 3))
SINGLE = M.astype(np.float32)
RNG = np.random.default_rng(0)
OLD = np.random.RandomState(0)
WIDE = ((1, 2), (5, 3))

CASES = [
    *(case(np.pad, M, ((1, 2), (2, 3)), mode) for mode in ("edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean", "median")),
    *(case(np.pad, M, WIDE, mode, reflect_type=kind) for mode in ("reflect", "symmetric") for kind in ("even", "odd")),
    *(case(np.pad, x, 3, mode, reflect_type="odd") for mode in ("reflect", "symmetric") for x in (V[:1], SINGLE, C, V[:2])),
    *(case(np.pad, M, WIDE, mode, stat_length=n) for mode in ("maximum", "minimum", "mean", "median") for n in (2, (1, 3), ((2, 1), (3, 2)))),
    *(case(np.pad, x, 2, mode) for x in (V[:1], SINGLE, C, ZERO_D) for mode in ("edge", "wrap", "linear_ramp", "mean")),
    *(case(np.pad, V, (2, 1), mode) for mode in ("maximum", "median", "linear_ramp")), case(np.pad, T, 1, "mean"),
    case(np.pad, M, WIDE, "linear_ramp", end_values=((1.5, 2.0), (0.5, -1.0))), case(np.pad, C, 2, "linear_ramp", end_values=1.0), case(np.pad, V, 2, "linear_ramp", end_values=(1.0, 2.0)),
    case(np.pad, M, WIDE, constant_values=((1.5, 2.0), (0.5, -1.0))), case(np.pad, [1.0, 2.0], (0, 3)), case(np.pad, ZERO_D, 0), case(np.pad, EMPTY, 2), case(np.pad, EMPTY, ((0, 0), (1, 2)), "mean"),
    case(np.pad, [[1.0, 2.0], [3.0, 4.0]], 1, "mean"), case(np.pad, M, 0, "mean"),

    case(sliding_window_view, V, 2), case(sliding_window_view, T, (2, 3), (0, -1)), case(sliding_window_view, M, (2, 2)), case(sliding_window_view, M, 3, 1), case(sliding_window_view, C, 2, axis=0),
    case(sliding_window_view, [1.0, 2.0, 3.0], 2), case(sliding_window_view, SINGLE, (1, 4)), case(sliding_window_view, ZERO_D, ()), case(sliding_window_view, EMPTY, 2, 1), case(sliding_window_view, M, (2, 2), (0, 0)),
    case(as_strided, V), case(as_strided, M), case(as_strided, C), case(as_strided, SINGLE), case(as_strided, ZERO_D), case(as_strided, EMPTY),

    *(case(np.ndarray.__array__, x) for x in (M, SINGLE, C, ZERO_D, EMPTY)), case(np.ndarray.__array__, M, np.complex128),
    *(case(np.ndarray.choose, np.array([0, 1, 1, 0]), [V, x]) for x in (U, 2.5, C)), case(np.ndarray.choose, np.array([0, 3, 1]), (M[:, :3], V[:3]), mode="wrap"), case(np.ndarray.choose, np.array(1), [V, M]),
    case(np.ndarray.choose, np.zeros((0, 4), int), [V]),
    *([case(np.ndarray.to_device, x, "cpu") for x in (M, C, SINGLE, ZERO_D, EMPTY)] if hasattr(np.ndarray, "to_device") else []),

    case(np.random.Generator.permutation, RNG, V[:1]), case(np.random.Generator.permutation, RNG, M[:1]), case(np.random.Generator.permutation, RNG, EMPTY), case(np.random.RandomState.permutation, OLD, M[:1]), case(np.random.permutation, V[:1]),
    case(np.random.Generator.choice, RNG, V[:1], 3), case(np.random.Generator.choice, RNG, M[:, :1], (2, 2), axis=1), case(np.random.Generator.choice, RNG, [1.5]), case(np.random.RandomState.choice, OLD, V[:1], (2, 3)), case(np.random.choice, V[:1], 2),
]  # fmt: skip
# Draws that vary with their parameters: a generator must be seeded for each call.
ELSEWHERE = {
    getattr(owner, name)
    for owner in (np.random, np.random.Generator, np.random.RandomState)
    for name in [*DRAWS, "multivariate_normal"]
}
