"""What has derivative zero by definition, of what Numba compiles: counts, places, comparisons, shapes, rounding.

Functions that give back the data itself, sorted, moved or chosen, are not here, whatever else they do; nor is
`numpy.sign`, which turns for complex numbers, nor `numpy.arange`, whose numbers may be active.
"""

from __future__ import annotations

import numpy as np

NAMES = """
all allclose any argmax argmin argpartition argsort argwhere array_equal bartlett blackman broadcast_shapes ceil
count_nonzero digitize dtype empty empty_like equal eye finfo flatnonzero floor greater greater_equal
hamming hanning identity iinfo indices isclose iscomplex iscomplexobj isfinite isin isinf isnan isneginf isposinf isreal
isrealobj isscalar less less_equal logical_and logical_not logical_or logical_xor nanargmax nanargmin nonzero not_equal
ones ones_like rint searchsorted shape signbit size spacing tri tril_indices tril_indices_from triu_indices
triu_indices_from trunc zeros zeros_like
""".split()

NON_DIFFERENTIABLE: frozenset = frozenset(
    [getattr(np, name) for name in NAMES if hasattr(np, name)] + [np.linalg.matrix_rank]
)
