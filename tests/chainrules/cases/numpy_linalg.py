# ruff: noqa: E501
"""`numpy.linalg`."""

import numpy as np

from .points import CH, CS, HH, SS, C, H, M, S, T, U, V, case

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
]  # fmt: skip
