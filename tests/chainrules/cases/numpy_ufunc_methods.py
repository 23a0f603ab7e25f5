# ruff: noqa: E501
"""`reduce`, `accumulate`, `reduceat` and `outer` of ufuncs."""

import numpy as np

from chainrules import rules_for
from chainrules.library.numpy.ufunc_methods import FOLDED

from .points import MASK, C, M, P, T, U, V, case

TWO_NUMBERS = [
    f for f in {id(f): f for f in vars(np).values() if isinstance(f, np.ufunc)}.values() if rules_for(f.accumulate)
]
CASES = [
    *(case(f.outer, x, y) for f in TWO_NUMBERS for x, y in ((U + 2.03, P), (2.03, P))), case(np.multiply.outer, C, M), case(np.subtract.outer, [1.0, 2.0], V),
    *(case(f.accumulate, x, axis) for f in TWO_NUMBERS for x, axis in ((P, 0), (P, -1))), case(np.divide.accumulate, C, 1), case(np.add.accumulate, V),
    *(case(f.reduce, x, axis, **kw) for f in FOLDED for x, axis, kw in ((P, 0, {}), (P, -1, {"keepdims": True}), (P, 1, {"initial": 0.7}), (P[:, :1], 1, {}), (P, -2, {"initial": 0.7, "where": MASK}), (np.zeros((2, 0)) , 1, {"initial": 0.7}), (np.array([0.7], np.float32), 0, {}))),
    *(case(f.reduce, M, axis, **kw) for f in (np.add, np.multiply, np.logaddexp, np.logaddexp2, np.hypot) for axis in (0, None, (1, 0)) for kw in ({"where": MASK}, {"keepdims": True}, {"initial": 0.3})), *(case(f.reduce, M[:, :1], 1) for f in FOLDED),
    *(case(f.accumulate, np.zeros((0, 2))) for f in TWO_NUMBERS), *(case(f.accumulate, P, -2) for f in FOLDED), case(np.add.reduce, M, 0, np.float64), case(np.multiply.accumulate, M.astype(np.float32), 0, np.float64),
    *(case(f.reduce, T, axis) for f in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp, np.hypot) for axis in (None, (0, 2))),
    case(np.divide.reduce, C, 0), case(np.subtract.reduce, V), case(np.add.reduce, M, 0, None, None, False, 0.0, MASK), case(np.maximum.reduce, M, 0, None, None, False, -9.0, MASK),
    *(case(f.reduceat, x, i, axis) for f in FOLDED for x, i, axis in ((P, [0, 2, 1], 0), (P, [3, 0], -1), (P, [0, 1, 1, 3], 1))), case(np.divide.reduceat, C[0], [0, 2]),
    case(np.insert, M, 1, U[:3], 1), case(np.insert, M, [0, 1], U, 0), case(np.insert, M, np.array([True, False, True, False]), U[:3, None], 1),
    case(np.interp, np.array([0.3, 1.7, -1.0, 5.0]), np.array([3.0, 0.0, 5.1, 2.0]), U, None, None, 2.3),
    case(np.interp, np.array([0.3, 1.7, -1.0, 5.0]), np.array([3.0, 0.0, 5.1, 2.0]), U + 1j * V, period=-2.3),
]  # fmt: skip
# An exponent is an integer.
UNVARIED = [case(np.ldexp.outer, V, np.array([1, 2]))]
