"""`scipy.sparse`: products by the pattern. Solutions are tested through programs that solve."""

import numpy as np
from scipy.sparse.linalg import SuperLU

from chainrules.library.scipy.sparse.linalg.solving import solved
from chainrules.library.scipy.sparse.products import product, sampled

from .points import CS, C, M, R, U, V, case

D = R.normal(size=6)
ROWS, COLUMNS = np.array([0, 0, 1, 2, 2, 2], np.int32), np.array([1, 3, 0, 2, 3, 3], np.int32)  # one of them twice
POINTERS = np.array([0, 2, 3, 6], np.int32)
PATTERNS = [
    ("coo", (3, 4), ROWS, COLUMNS), ("csr", (3, 4), POINTERS, COLUMNS), ("csc", (4, 3), POINTERS, COLUMNS),
]  # fmt: skip
ROOM = ("csr", (3, 4), POINTERS, np.append(COLUMNS, np.int32(0)))  # SciPy allows more than is used
CASES = [
    *(case(product, D, x, *p) for p in PATTERNS[:2] for x in (V, M.T, M.T[:, :1], U.astype(np.float32), C.T)),
    *(case(product, d, x, *PATTERNS[2]) for d in (D, D + 1j) for x in (V[:3], M, CS[0])),
    *(case(sampled, u, v, *p) for p in PATTERNS[:2] for u, v in ((V[:3], U), (M, C.T @ np.ones((3, 4))))),
    case(sampled, U, V[:3], *PATTERNS[2]), case(sampled, V[:3], U, *ROOM), case(product, np.append(D, 0.5), U, *ROOM),
    case(product, D, M.T[:, :0], *PATTERNS[0]),
    case(product, D[:0], V, "coo", (3, 4), ROWS[:0], COLUMNS[:0]),
]  # fmt: skip
ELSEWHERE = {solved, SuperLU.solve}
