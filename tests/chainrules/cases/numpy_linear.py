# ruff: noqa: E501
"""Products of arrays and `einsum`."""

import numpy as np

from .points import CS, C, M, N, P, R, S, T, U, V, case

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
    *(case(f, np.zeros(x), np.zeros(y)) for f in (np.matmul, np.dot) for x, y in (((0,), (0,)), ((3, 0), (0, 2)), ((0, 3), (3,)), ((2, 0, 3), (3, 4)))), case(np.matmul, T, b3, axes=[(-2, -1), (-2, -1), (0, 1)]),
    case(np.matmul, T.transpose(1, 2, 0), b3, axes=[(0, 1), (1, 2), (0, 2)]), case(np.matmul, M.T * 1j, N, axes=[(1, 0), (1, 0), (1, 0)]), case(np.matmul, T, V, axes=[(1, 2), (0,), (0,)]), case(np.linalg.matmul, T, b3), case(np.matmul, V, T.swapaxes(1, 2), axes=[0, (1, 2), 0]),
    case(np.vecdot, M, N, axis=0), case(np.vecdot, M, V, axis=-1, keepdims=True), case(np.vecdot, C, T, axes=[-1, 2, ()]), case(np.vecdot, T, T[:, :1] * 1j, axis=0), case(np.vecdot, T, M[:, :2].T[:, :, None], axes=[(0,), (0,)]), case(np.vecdot, M, M[:1], axis=1, keepdims=True), case(np.vecdot, V, U, keepdims=True),
    case(np.matvec, T.transpose(1, 2, 0), V, axes=[(0, 1), (0,), (1,)]), case(np.matvec, T, M[0], axes=[(1, 2), 0, 0]), case(np.vecmat, U[:3], T.transpose(1, 2, 0) * 1j, axes=[(0,), (0, 1), (0,)]), case(np.vecmat, C[:, :2], T, axes=[0, (1, 2), -1]),
    case(np.linalg.vecdot, T, T[:, :1] * 1j, axis=0), case(np.vecdot, T, T[:, :1], axes=[0, 0, 1], keepdims=True), case(np.vecdot, T, M[:2, :1], axis=0, keepdims=True), case(np.linalg.vecdot, C.T, C.T[:1], axis=1), *(case(f, np.zeros((0, 3)), V[:3]) for f in (np.vecdot, np.matvec, np.linalg.vecdot)),
    *(case(np.kron, x, y) for x, y in ((2.0, M), (np.array(3.0), V), (np.zeros((0, 2)), M), (T, np.zeros((2, 0))), (V.astype(np.float32), U.astype(np.float32)), ([1.0, 2.0], V), (C, T))),
    case(np.cross, np.zeros((0, 3)), V[:3]), case(np.cross, T.swapaxes(1, 2) * 1j, V[:3]), case(np.cross, T, T[:1], axis=1), case(np.cross, T.transpose(1, 0, 2), T.transpose(0, 2, 1), 0, 2, 0), case(np.cross, V[:3].astype(np.float32), U[:3].astype(np.float32)),
    *(case(np.linalg.multi_dot, xs) for xs in ([C, C.T, M, V], [M, np.zeros((4, 0)), np.zeros((0, 2))], [V, M.T, U[:3]], [M, N.T])), case(np.tensordot, T, T, axes=(-1, -1)), case(np.tensordot, np.zeros((0, 3)), M, 1), case(np.tensordot, T, C, ([1, -1], [0, 1])),
    case(np.linalg.tensordot, T, T, axes=([0, 2], [0, 2])), *(case(f, np.zeros(0), V) for f in (np.outer, np.linalg.outer)), case(np.outer, C, T), case(np.vdot, np.zeros(0), np.zeros(0)), case(np.inner, np.zeros((0, 4)), V), case(np.inner, C, 2.0),
]  # fmt: skip
EINSUM = [
    case(np.einsum, "ij,j->i", M, V), case(np.einsum, "ij,kj", M, N), case(np.einsum, "ij,ij->", M, N), case(np.einsum, "ii", S), case(np.einsum, "ii->i", S),
    case(np.einsum, "ij->ji", M), case(np.einsum, "ij->j", M), case(np.einsum, "...ij,...jk->...ik", T, b3), case(np.einsum, "...j,j", T, V), case(np.einsum, "i...->...", T),
    case(np.einsum, "ij,jk,kl->il", M, N.T, S), case(np.einsum, "ij,jk,kl->il", M, N.T, S, optimize=True), case(np.einsum, "i,j->ij", V, U), case(np.einsum, "ijj->i", T[:, :, :3]),
    case(np.einsum, "iij,j->ij", T.reshape(2, 3, 4)[:, :2], V), case(np.einsum, " i j , j -> i ", M, V), case(np.einsum, "ba", M), case(np.einsum, "ij,k->i", M, V),
    case(np.einsum, M, [0, 1], V, [1], [0]), case(np.einsum, M, [0, 1], V, [1]), case(np.einsum, T, [Ellipsis, 0], V, [0], [Ellipsis]), case(np.einsum, C, [0, 1], C, [0, 1]),
    case(np.einsum, "ij,kj->ik", C, C), case(np.einsum, "...,...", M, V), case(np.einsum, "i...,...->i...", M, V), case(np.einsum, ",ij->ij", 2.0, M), case(np.einsum, "ij,ij->i", M, N[:, :1]),
    case(np.einsum, "i,i,i->", V, U, V), case(np.einsum, "...ii->...i", T[:, :, :3]), case(np.einsum, "ijk,ijk->", T, T), case(np.einsum, "ab...,b...->a...", T, T[0]),
    case(np.einsum, "", 2.0), case(np.einsum, "->", 2.0), case(np.einsum, "...", T), case(np.einsum, "...->...", C), case(np.einsum, "i->", V), case(np.einsum, "i->i", np.zeros(0)), case(np.einsum, "ij,jk", np.zeros((0, 3)), M), case(np.einsum, "ij,jk", np.zeros((2, 0)), np.zeros((0, 3))),
    case(np.einsum, "ii->i", np.zeros((0, 0))), case(np.einsum, "iii", R.normal(size=(3, 3, 3))), case(np.einsum, "iii->i", R.normal(size=(3, 3, 3)) * 1j), case(np.einsum, "ijij->ij", R.normal(size=(2, 3, 2, 3))), case(np.einsum, "ii,jj", S, CS), case(np.einsum, "ij,ji", S, S), case(np.einsum, "ij...,jk...->ik...", T.transpose(1, 2, 0), b3.transpose(1, 2, 0)),
    case(np.einsum, "...i,...i", T, T[0, :1]), case(np.einsum, "i...j,j...->...i", T, M.T), case(np.einsum, "...a,a...->...", T, R.normal(size=(4, 2, 3))), case(np.einsum, "ij,...->...ij", M, V), case(np.einsum, "aB,Bc->ca", M, M.T), case(np.einsum, "Ab,bA->A", M, N.T), case(np.einsum, "ij,jk,kl,lm->im", M, N.T, M, N.T, optimize="greedy"), case(np.einsum, "ij,jk,kl->", C, M.T, C, optimize="optimal"),
    case(np.einsum, "ij,jk,kl->il", M, N.T, S, optimize=["einsum_path", (1, 2), (0, 1)]), case(np.einsum, "i,i->i", V, V.astype(np.float32)), case(np.einsum, "i,i", V.astype(np.float32), V.astype(np.float32)), case(np.einsum, "i,j,k,l->lkji", V, U, V, U), case(np.einsum, "ij->ij", M[:1]), case(np.einsum, "ij,ij->ij", M[:1], N), case(np.einsum, "ij,kj->", M[:, :1], N), case(np.einsum, "ij->...j", M),
    case(np.einsum, T, [0, 1, 2], M, [1, 2], [0]), case(np.einsum, T, [0, Ellipsis], [Ellipsis]), case(np.einsum, S, [5, 5]), case(np.einsum, S, [5, 5], [5]), case(np.einsum, T, [Ellipsis, 2, 7], C, [2, 7], [Ellipsis]), case(np.einsum, M, [30, 2], N, [30, 2], [2]), case(np.einsum, [[1.0, 2.0]], [0, 1], [3.0, 4.0], [1]), case(np.einsum, "ij,jk", M, N.T, dtype=np.complex128), case(np.einsum, "ij,j", [[1.0, 2.0]], [3.0, 4.0]), case(np.einsum, "ij,jk->ik", M, N.T, order="F"),
]  # fmt: skip

CASES = LINEAR + EINSUM
