# ruff: noqa: E501
"""Shapes, joining and splitting."""

import numpy as np

from .points import EMPTY, MASK, C, M, N, T, U, V, both, case

ZERO_D = np.array(1.5)
SINGLE = M.astype(np.float32)
ZEROS = np.array([0.5, 0.0, -1.5])

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
    case(np.pad, M, pad_width=((1, 0), (2, 1)), constant_values=2), case(np.pad, V, pad_width=2, mode="edge"), case(np.pad, V, mode="maximum", pad_width=1),
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
    *(case(f, x) for f in (np.ravel, np.ndarray.ravel, np.ndarray.flatten) for x in (C, SINGLE, EMPTY, ZERO_D)), case(np.ravel, [[1.5, 2.5]]), *(case(np.ravel, T.transpose(1, 0, 2), order) for order in "KkCcFfAa"),
    *(case(np.ndarray.flatten, T.transpose(p), "K") for p in ((1, 0, 2), (2, 0, 1), (0, 2, 1))), case(np.ndarray.flatten, T[:, ::2], "K"), case(np.ndarray.ravel, T[::-1, :, ::-1], "K"), case(np.ravel, np.broadcast_to(V, (3, 4)).transpose(), "C"),
    *(case(np.reshape, T, (4, 6), order) for order in "CcFfAa"), *(case(np.ndarray.reshape, M.T, 2, 6, order=order) for order in "CcFfA"), case(np.reshape, EMPTY, (3, 0)), case(np.reshape, EMPTY, -1), case(np.reshape, C, -1), case(np.reshape, M, 12, copy=True),
    *both("squeeze", EMPTY[None], 0), *both("squeeze", ZERO_D), *both("squeeze", T[:1, :, None], (0, -2)), case(np.squeeze, [[1.5]]), case(np.expand_dims, ZERO_D, 0), case(np.expand_dims, EMPTY, -1), case(np.expand_dims, [1.5, 2.5], 0),
    *(case(f, x) for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d) for x in (EMPTY, ZERO_D, C, [1.5, 2.5])), *both("transpose", ZERO_D), *both("transpose", EMPTY), *both("transpose", V), case(np.transpose, [[1.5, 2.5]]), case(np.transpose, C, [1, 0]), case(np.ndarray.T, EMPTY), case(np.ndarray.T, C), case(np.ndarray.mT, EMPTY),
    *both("swapaxes", EMPTY, 0, 1), case(np.swapaxes, [[1.5, 2.5]], 0, 1), case(np.moveaxis, EMPTY, 0, 1), case(np.moveaxis, [[1.5, 2.5]], 0, -1), case(np.moveaxis, T, (-1, 0), (0, -1)), case(np.rollaxis, EMPTY, 1), case(np.rollaxis, T, -2, -1),
    *(case(np.flip, x) for x in (EMPTY, ZERO_D, C, [1.5, 2.5])), case(np.flip, T, (-1, 0)), case(np.fliplr, EMPTY), case(np.flipud, EMPTY), case(np.flipud, V), *(case(np.rot90, M, k) for k in (-1, 0, 4, -6)), case(np.rot90, T, 1, (-1, 0)), case(np.rot90, EMPTY),
    *(case(np.roll, x, 1) for x in (EMPTY, ZERO_D, C, [1.5, 2.5])), case(np.roll, M, np.array([1, 2]), (0, -1)), case(np.roll, M, -9, -1), case(np.roll, M, 2, (0, 1)), case(np.roll, M, (1, 2), 0),
    case(np.broadcast_to, EMPTY, (2, 0, 3)), case(np.broadcast_to, V[:1], (0,)), case(np.broadcast_to, [[1.5], [2.5]], (3, 2, 2)), case(np.broadcast_to, C[:, :1], (3, 4)), case(np.broadcast_to, ZERO_D, ()), case(np.broadcast_arrays, EMPTY, V[:3]), case(np.broadcast_arrays, [1.5, 2.5], M[:, :1]), case(np.broadcast_arrays, C), case(np.ma.filled, M), case(np.ma.filled, [1.5, 2.5]), case(np.ma.getdata, M),
    case(np.tile, M, 0), case(np.tile, M, (0, 2)), case(np.tile, EMPTY, (2, 2)), case(np.tile, ZERO_D, (2, 2)), case(np.tile, [1.5, 2.5], np.array([2, 1])), case(np.tile, C, ()), *both("repeat", EMPTY, 2), *both("repeat", M, 0), *both("repeat", M, np.array([0, 2, 1, 1]), -1), case(np.repeat, 1.5, 3), case(np.repeat, [[1.5, 2.5]], [3], 0), *both("repeat", SINGLE, [2], 1),
    case(np.resize, EMPTY, (2, 2)), case(np.resize, V, 0), case(np.resize, [1.5, 2.5], 5), case(np.resize, ZERO_D, (2, 3)), case(np.resize, C, (2, 2)),
    case(np.diag, V[:0]), case(np.diag, V, 5), case(np.diag, M, -5), case(np.diag, [[1.5, 2.5], [3.5, 4.5]]), case(np.diagflat, ZERO_D), case(np.diagflat, C, -2), case(np.diagflat, EMPTY), *both("diagonal", EMPTY), *both("diagonal", T, -1, -1, 0), *both("diagonal", M, 9), case(np.diagonal, [[1.5, 2.5]]),
    *(case(f, x, k) for f in (np.tril, np.triu) for x in (EMPTY, C, SINGLE, V[:0], T) for k in (-1, 0, 2)),
    case(np.trim_zeros, ZEROS), case(np.trim_zeros, V[:0]), case(np.trim_zeros, [1.5, 2.5], "f"), case(np.trim_zeros, C[0]),
    *([case(np.trim_zeros, M), case(np.trim_zeros, T, "b", axis=(0, -1))] if int(np.__version__.split(".")[1]) > 1 else []),
    *(case(f, [EMPTY, EMPTY]) for f in (np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack)), *(case(f, (SINGLE, M)) for f in (np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack)),
    case(np.concatenate, [M, V], None), case(np.concatenate, [M, EMPTY, T[0]], None), case(np.concatenate, T, -1), case(np.concatenate, [V], dtype=complex), case(np.concatenate, [M, N], dtype=int, casting="unsafe"), case(np.concatenate, [[1.5], [2, 3]]), case(np.stack, [ZERO_D, 2.5], -1), case(np.stack, (M, N), -2, dtype=complex), case(np.stack, [M, N], dtype=int, casting="unsafe"),
    case(np.hstack, [ZERO_D, V, 1.5]), case(np.vstack, [V, M]), case(np.dstack, [V, V[None]]), case(np.column_stack, [V[:3], M, [1, 2, 3]]), case(np.hstack, [V, V], dtype=complex), case(np.vstack, [V, V], dtype=int, casting="unsafe"),
    case(np.block, ZERO_D), case(np.block, [ZERO_D, V, 1.5]), case(np.block, [[[M]], [[N]]]), case(np.block, [[C, M], [N, SINGLE]]), case(np.block, [EMPTY, EMPTY]),
    case(np.append, EMPTY, M[:, :3], 0), case(np.append, [1.5], [[2.5]]), case(np.append, C, 1.5), case(np.append, 1.5, 2.5), case(np.insert, EMPTY, 0, 1.5, 0), case(np.insert, V, [1, -1], 2.5), case(np.insert, M, -1, [1.5, 2.5, 3.5], 1), case(np.insert, C, [2], V[:3, None], 1),
    case(np.insert, V, MASK[0], 1.5), case(np.insert, [1.5, 2.5], 2, 3.5), case(np.delete, EMPTY, 0, 1), case(np.delete, V, [-1, 0, 0]), case(np.delete, C, MASK[0], 1), case(np.delete, [1.5, 2.5], 1), case(np.delete, V, []),
    *(case(f, V, at) for f in (np.split, np.array_split, np.hsplit) for at in ([3, 1], [-1], [2, 9], [], [4, 0, 2, 1])), case(np.split, T, [2, 1], -1), case(np.array_split, M, 5, 1), case(np.vsplit, M, [2, 1]), case(np.dsplit, T, [3, 1]), case(np.split, C, 3), case(np.split, EMPTY, [2], 1), case(np.hsplit, M, [3, 1]), case(np.array_split, EMPTY, 2),
    case(np.unstack, T, axis=-1), case(np.unstack, EMPTY, axis=1), case(np.unstack, C), case(np.unstack, EMPTY), case(np.meshgrid, V, U, copy=False), case(np.meshgrid, C[0], V[:2], 1.5, sparse=True, indexing="ij"), case(np.meshgrid, V[:0], U), case(np.meshgrid, [1.5], M), case(np.ix_, V[:0], U), case(np.ix_, C[0]),
]  # fmt: skip

ELSEWHERE = {getattr(np, "row_stack", np.vstack)}  # NumPy warns of it
