# ruff: noqa: E501
"""Shapes, joining and splitting."""

import numpy as np

from .points import C, M, N, T, U, V, both, case

CASES = [
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
