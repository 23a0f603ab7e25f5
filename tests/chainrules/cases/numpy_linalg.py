# ruff: noqa: E501
"""`numpy.linalg`."""

import numpy as np

from chainrules.library.numpy import eigenpairs, general_values, singular_pairs
from chainrules.library.numpy.cofactors import change, of_singular

from .points import CH, CS, HH, SS, C, H, M, N, P, R, S, T, U, V, case

F32, E0, O1 = np.float32, np.zeros((0, 0)), np.array([[1.7]])
NONE, TALL0, WIDE0 = np.zeros((0, 3, 3)), np.zeros((4, 0)), np.zeros((0, 4))
CC = CS + R.normal(size=(2, 3, 3))
LOW = np.outer(V, U[:3]) + np.outer(U, V[1:])  # rank 2
GAP = (np.linalg.qr(M.T)[0] * [3.0, 2.0, 0.1]) @ np.linalg.qr(S)[0]  # singular values 3, 2, 0.1
Z6 = R.normal(size=(6, 6)) + 3 * np.eye(6)
Z3 = R.normal(size=(2, 3, 6)) + 3 * np.eye(6).reshape(2, 3, 6)
SQUARE = (O1, S, SS, E0, NONE, CS, CC, S.astype(F32))
ODD = (*SQUARE, M, M.T, T, TALL0, WIDE0, np.zeros((0, 2, 3)), M.astype(F32), C, C.T)
CASES = [
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
    *(case(f, x) for f in (np.linalg.inv, np.linalg.det, np.linalg.slogdet) for x in SQUARE), case(np.linalg.det, LOW[:3]), case(np.linalg.det, np.outer(V, U)),
    case(np.linalg.det, np.stack([S, np.outer(V[1:], U[1:]), LOW[1:], 0 * S])), case(np.linalg.det, (1 + 2j) * LOW[1:]), case(np.linalg.slogdet, -S.astype(F32)),
    *(case(np.linalg.solve, x, y) for x, y in ((E0, np.zeros(0)), (E0, np.zeros((0, 2))), (S, np.zeros((3, 0))), (NONE, U[:3]), (O1, [2.0]), (SS[:, None], SS), (S.astype(F32), U[:3].astype(F32)), (CC, M), (CC, U[:3]), (SS, M[None]))),
    *(case(np.linalg.cholesky, x, upper=up) for x in (O1, E0, NONE, HH, CH, np.stack([CH, H]), H.astype(F32)) for up in (False, True)),
    *(case(np.linalg.matrix_power, x, n) for x in (SS, CC, O1, E0) for n in (-1, 0, 1, 5)), case(np.linalg.matrix_power, S.astype(F32), -3), case(np.linalg.matrix_power, CS, -2),
    *(case(np.linalg.pinv, x) for x in ODD), case(np.linalg.pinv, LOW, 0.1), case(np.linalg.pinv, GAP, 0.2), case(np.linalg.pinv, GAP.T, 0.2), case(np.linalg.pinv, GAP, rtol=0.2), case(np.linalg.pinv, np.stack([GAP, GAP[::-1] * 2]), np.array([0.2, 0.8])),
    case(np.linalg.pinv, GAP * (1 + 0.5j), 0.2), *(case(np.linalg.pinv, x, hermitian=True) for x in (H, HH, CH, S)), case(np.linalg.pinv, GAP[:3] + GAP[:3].T, 0.2, True), case(np.linalg.pinv, M, None), case(np.linalg.pinv, M, rtol=None),
    *(case(np.linalg.norm, x) for x in (np.zeros(0), np.zeros((0, 3)), np.array(-2.0), O1, M.astype(F32))), *(case(np.linalg.norm, V, p) for p in (-2, -0.5, 0.5, -3)), case(np.linalg.norm, M, "f"),
    *(case(np.linalg.norm, x, o, a, k) for x in (T, T * (1 + 0.5j)) for o in (None, 0, 1, -1, 2, -2, 3, -0.5, np.inf, -np.inf) for a, k in ((-1, False), ((1,), True))),
    *(case(np.linalg.norm, x, o, a, k) for x in (T, T * (1 + 0.5j)) for o in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf) for a, k in (((0, 1), False), ((-1, 0), True))),
    *(case(np.linalg.vector_norm, x, axis=a, ord=o) for x in (T, C) for a in (None, -1, (0, 1)) for o in (0, 1, -1, 2, 3, -2, np.inf, -np.inf)), case(np.linalg.vector_norm, np.array(2.0)),
    *(case(np.linalg.matrix_norm, x, ord=o, keepdims=k) for x in (T, C) for o, k in ((1, False), (-1, True), (2, True), (-2, False), (np.inf, False), (-np.inf, False), ("nuc", True), ("fro", True))),
    *(case(np.linalg.cond, x, p) for x in (S, SS, CS, O1) for p in (None, 2, -2, "fro", 1, -1, np.inf, -np.inf)), case(np.linalg.cond, M), case(np.linalg.cond, T, -2), case(np.linalg.cond, S.astype(F32)),
    *(case(np.linalg.svdvals, x) for x in ODD), *(case(np.linalg.svd, x, compute_uv=False) for x in (H, TALL0)), *(case(np.linalg.svd, x, compute_uv=False, hermitian=True) for x in (H, -HH, CH, S)),
    *(case(np.linalg.svd, x, False) for x in (O1, E0, NONE, TALL0, WIDE0, T, T.swapaxes(1, 2), M.astype(F32))), *(case(np.linalg.svd, x) for x in (M, M.T, T, SS)), *(case(np.linalg.svd, x, hermitian=True) for x in (H, -HH, S)),
    *(case(np.linalg.eigvalsh, x, u) for x in (H, HH, CH, O1, E0, NONE, S, H.astype(F32)) for u in "LU"), *(case(np.linalg.eigh, x, u) for x in (H, HH, O1, E0, NONE, S, H.astype(F32)) for u in "LUl"),
    *(case(np.linalg.eigvals, x) for x in (S, SS, CS, CC, O1, E0, NONE, np.array([[1.0, -2.0], [3.0, 1.0]]), S.astype(F32))), *(case(np.linalg.eig, x) for x in (O1, E0, NONE, np.diag([1.0, 2.0, 4.0]) + 0.2 * S)),
    *(case(np.linalg.qr, x, m) for x in (O1, E0, S, M, M.T, T, T.swapaxes(1, 2), TALL0, WIDE0, C, C.T, CS, CC, M.astype(F32), np.zeros((0, 3, 2))) for m in ("reduced", "r")), *(case(np.linalg.qr, x, "complete") for x in (S, M, M.T, T, CS)),
    *(case(np.linalg.lstsq, x, y) for x, y in ((M.T, P.T), (M, V[:3]), (M, P), (S, V[:3]), (C.T, V), (C.T, C.T), (M.T, C.T), (C, P), (O1, [2.0]), (TALL0, V), (M.T, np.zeros((4, 0))), (M.T.astype(F32), V.astype(F32)))),
    *(case(np.linalg.lstsq, x, y, 0.2) for x, y in ((GAP, V), (GAP.T, P), (GAP, P.T))), case(np.linalg.lstsq, M.T, V, -1),
    case(np.linalg.tensorsolve, Z6.reshape(2, 3, 6), N[:2, :3]), case(np.linalg.tensorsolve, Z6.reshape(2, 3, 2, 3), N[:2, :3]), case(np.linalg.tensorsolve, Z3.transpose(1, 0, 2), R.normal(size=6), (1, 0)),
    case(np.linalg.tensorsolve, Z6.reshape(2, 3, 6).transpose(2, 0, 1), R.normal(size=6), axes=(1, 2)), case(np.linalg.tensorsolve, Z6.reshape(2, 3, 6) * (1 + 1j), N[:2, :3]), case(np.linalg.tensorsolve, Z6, V[[0, 1, 2, 3, 0, 1]]),
    case(np.linalg.tensorinv, Z6.reshape(2, 3, 6)), case(np.linalg.tensorinv, Z6.reshape(6, 3, 2), 1), case(np.linalg.tensorinv, Z6.reshape(2, 3, 3, 2), ind=2), case(np.linalg.tensorinv, Z6.reshape(6, 2, 3) * (1 + 2j), ind=1), case(np.linalg.tensorinv, Z6.reshape(3, 2, 6)),
    *(case(np.linalg.trace, x) for x in (M, T, E0, TALL0, C)), case(np.linalg.trace, T, offset=-1), *(case(np.linalg.diagonal, x) for x in (M, T, E0, TALL0, C)), case(np.linalg.diagonal, T, offset=1), *(case(np.linalg.matrix_transpose, x) for x in (M, T, TALL0, C)),
]  # fmt: skip

SINGULAR = (S, S[:2, :2], np.array([[1.0, 2.0], [2.0, 4.0]]), CS, SS)
CASES += [case(of_singular, x) for x in SINGULAR] + [case(change, x, x[..., ::-1, :] + 0.3) for x in SINGULAR]
# What they are given besides the matrix depends on it: see tests/morula/test_repeated_values.py.
ELSEWHERE = {
    eigenpairs.value_dots, eigenpairs.of_values, eigenpairs.pair_dots, singular_pairs.singular_value_dots,
    singular_pairs.of_singular_values, singular_pairs.singular_pair_dots, eigenpairs.splitting, general_values.along_values,
    general_values.of_general_values,
}  # fmt: skip
