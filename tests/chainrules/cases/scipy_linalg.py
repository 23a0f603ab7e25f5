# ruff: noqa: E501
"""`scipy.linalg`."""

import numpy as np
import scipy.linalg as la

from .points import CH, CS, HH, SS, C, H, M, N, R, S, T, U, V, case

F32 = np.float32
B = S @ S.T / 4 + np.eye(3)  # positive definite, for the generalised problem
B2 = R.normal(size=(3, 2))
E5 = np.array([5.0, 0.0, 0.0, 0.0])
LOW, UP = np.tril(S), np.triu(S)
RATES = np.array(
    [[-1.0, 0.4, 0.6, 0.0], [0.2, -0.7, 0.3, 0.2], [0.7, 0.1, -0.9, 0.1], [0.3, 0.3, 0.1, -0.7 + 1e-13]]
)  # of a chain: singular but for what no machine rounds away, and no two pivots are as large as one another
CUT = S @ np.diag([-1.3, -0.4, 2.0]) @ np.linalg.inv(S)  # on the branch cut
CB = np.conj(CS).T @ CS / 4 + np.eye(3)
AB = R.normal(size=(4, 5)) + np.array([[0.0], [0.0], [5.0], [0.0]])
ST = np.random.default_rng(3).normal(size=(3, 3, 3)) / 2 + 3 * np.eye(
    3
)  # as many matrices as rows: vectors of a stack look like one matrix
HT = ST @ np.swapaxes(ST, 1, 2) + np.eye(3)
CASES = [
    *(case(la.solve, x, y) for x, y in ((S, V[:3]), (S, M), (SS, M), (CS, M), (S, C), (S.astype(F32), B2.astype(F32)))), case(la.solve, S, M, transposed=True),
    *(case(la.solve, x, M, lower, assume_a=kind) for x, kind, lower in ((H, "pos", False), (H, "sym", True), (CH, "her", True), (CH, "pos", False), (CS + CS.T, "sym", False))), case(la.solve, UP, M, assume_a="upper triangular"), case(la.solve, LOW, V[:3], assume_a="lower triangular"), case(la.solve, S, M, assume_a="gen"), case(la.solve, np.diag(U[:3]), M, assume_a="diagonal"), case(la.solve, np.triu(np.tril(S, 1), -1), M, assume_a="tridiagonal"),
    *(case(la.inv, x) for x in (S, SS, CS)), case(la.inv, H, assume_a="pos"), case(la.inv, H, assume_a="sym", lower=True), case(la.inv, UP, assume_a="upper triangular"), *(case(la.det, x) for x in (S, SS, CS, np.diag([1.0, 0.0, 3.0]))),
    *(case(la.solve_triangular, x, y, trans, lower, unit) for x, lower, y, trans, unit in ((LOW, True, V[:3], 0, False), (UP, False, M, 1, True), (CS, True, M, 2, False), (CS, False, V[:3], 1, False), (CS, True, M, "C", True), (CS, True, M, 0, True))),
    *(case(la.cholesky, x, lower) for x in (H, CH, HH) for lower in (False, True)), case(la.cho_factor, H), case(la.cho_factor, CH, True), *(case(la.cho_solve, la.cho_factor(x, lower), y) for x, lower, y in ((H, False, V[:3]), (CH, True, M), (CH, False, M))),
    *(case(la.lu_factor, x) for x in (S, S[::-1], CS, SS)), *(case(la.lu, x) for x in (S, S[::-1], CS)), case(la.lu, S[::-1], True), case(la.lu, S[::-1], p_indices=True), *(case(la.lu_solve, la.lu_factor(x), y, trans) for x, y, trans in ((S[::-1], V[:3], 0), (CS, M, 1), (CS, V[:3], 2))),
    *(case(la.qr, x, mode=mode) for x, mode in ((S, "full"), (M.T, "economic"), (M, "full"), (CS, "economic"), (M.T, "r"), (M.T, "full"))), case(la.qr, M.T, pivoting=True, mode="economic"), case(la.qr, S, pivoting=True),
    case(la.svd, M, False), case(la.svd, M.T, full_matrices=False), case(la.svd, S), case(la.svd, M, compute_uv=False), *(case(la.svdvals, x) for x in (M, S, C, T)),
    case(la.eigh, H, lower=False), case(la.eigh, H, eigvals_only=True), *(case(la.eigh, H, B, lower=lower) for lower in (False, True)), case(la.eigh, H, B, eigvals_only=True), case(la.eigvalsh, H), case(la.eigvalsh, CH), case(la.eigvalsh, H, B), case(la.eigvalsh, CH, CB, lower=False),
    *(case(la.eigvals, x) for x in (S, CS)), case(la.eig, np.diag([1.0, 2.0, 4.0]) + 0.2 * S), case(la.eig, S, right=False),
    case(la.lstsq, M.T, V), case(la.lstsq, M.T, N.T), case(la.lstsq, M, V[:3]), *(case(la.pinv, x) for x in (M, M.T, C)), case(la.pinv, M, return_rank=True), *(case(la.pinvh, x, lower=lower) for x in (H, CH) for lower in (False, True)),
    *(case(f, x) for f in (la.expm, la.cosm, la.sinm, la.sinhm, la.coshm) for x in (S / 3,)), case(la.expm, CS / 4), case(la.cosm, CS / 4), case(la.expm, SS / 3), case(la.tanm, S / 9), case(la.tanhm, S / 9), *(case(f, x) for f in (la.logm, la.sqrtm) for x in (H, H + 0.3 * S, CH, CUT)), case(la.fractional_matrix_power, CUT, 0.3), case(la.signm, S - 3 * np.eye(3)), case(la.fractional_matrix_power, H, 0.4), case(la.fractional_matrix_power, H, -1.3),
    case(la.block_diag, M, 2.0, V, S), case(la.block_diag, M), *(case(f, V) for f in (la.toeplitz, la.hankel, la.circulant)), case(la.toeplitz, V, U[:3]), case(la.hankel, V, U[:3]), case(la.toeplitz, C[0]), case(la.circulant, M), case(la.toeplitz, [1.0, 2.0, 3.0]),
    *(case(la.norm, M, o) for o in (None, "nuc", 1, 2, np.inf)), *(case(la.norm, V, p) for p in (None, 3)), case(la.norm, M, None, 1, True), case(la.norm, C),
    case(la.solve_sylvester, S, H, M[:, :3]), case(la.solve_sylvester, CS, H, M[:, :3]), *(case(f, x, y) for f in (la.solve_continuous_lyapunov, la.solve_discrete_lyapunov) for x in (S / 9, CS / 9) for y in (H, M[:, :3])), case(la.solve_discrete_lyapunov, S / 9, H, method="direct"),
    *(case(la.solve_toeplitz, (V + E5, U), y) for y in (V, M.T)), case(la.solve_toeplitz, V + E5, U), case(la.solve_toeplitz, C[0] + E5, U), *(case(la.solve_banded, (1, 2), AB, y) for y in (R.normal(size=5), R.normal(size=(5, 2)))), case(la.solve_banded, (1, 2), AB * (1 + 0.5j), R.normal(size=5)),
    *(case(la.solve, x, V[:3], assume_a=kind) for x, kind in ((ST, None), (HT, "pos"), (HT, "sym"), (ST, "upper triangular"))), case(la.solve, ST, V[:3], transposed=True), case(la.solve, ST[0], HT), *(case(la.solve_triangular, ST, V[:3], trans) for trans in (0, 1)),
    *(case(la.cho_solve, la.cho_factor(HT, lower), V[:3]) for lower in (False, True)), case(la.cho_solve, la.cho_factor(H), HT), *(case(la.lu_solve, la.lu_factor(ST[:, ::-1]), V[:3], trans) for trans in (0, 1)), case(la.lu_solve, la.lu_factor(S[::-1]), ST), case(la.lu_factor, ST[:, ::-1]), case(la.lu_factor, RATES), case(la.lu, RATES, True), case(la.lu, ST[:, ::-1]), case(la.lu, ST[:, ::-1], True), case(la.qr, ST, pivoting=True), case(la.qr, ST, pivoting=True, mode="r"), case(la.eig, np.diag([1.0, 2.0, 4.0]) + 0.05 * ST), case(la.eig, S.astype(F32), right=False), case(la.eigvals, ST),
    *(case(la.solveh_banded, x, y, lower=lower) for x, lower in ((AB[1:3] + E5[:1] * np.eye(2)[:, 1:] * 2, False), (AB[2:] * 1.0 + np.array([[9.0], [0.0]]), True), (np.array([[0.0, 1.0 + 0.5j, 0.3j], [5.0, 6.0, 7.0]]), False)) for y in (R.normal(size=x.shape[1]), R.normal(size=(x.shape[1], 2)))), case(la.solveh_banded, np.array([[4.0, 5.0]]), np.array([1.0, 2.0])),
    case(la.solve, np.zeros((0, 0)), np.zeros((0, 2))), case(la.solve_sylvester, np.zeros((0, 0)), S, np.zeros((0, 3))), case(la.lu, np.zeros((0, 0))), case(la.expm, np.array(0.7)), case(la.solve, np.array([[2.0 + 1.0j]]), C[:1], assume_a="her"), case(la.solve, np.array(0.7), np.array(0.3)), case(la.solve_continuous_lyapunov, np.array(0.7), np.array(0.3)),
]  # fmt: skip
