"""Masked arrays have no rules; loaded when the program has imported `numpy.ma`."""

from __future__ import annotations

import numpy as np

from ...declarations import is_non_differentiable, reason_unsupported, unsupported
from ...lookup import rules_for
from ...refused import refuse_instances

MASKED = (
    "meets a masked array, and what is masked has no derivative that a rule for plain arrays would get right; use "
    "numpy.where, or the where= of a reduction"
)

refuse_instances(MASKED, np.ma.MaskedArray)
for owner in (np.ma, np.ma.MaskedArray):
    for name in dir(owner):
        f = getattr(owner, name)
        if name[0] != "_" and callable(f) and not (rules_for(f) or is_non_differentiable(f) or reason_unsupported(f)):
            try:
                unsupported(MASKED, f)
            except TypeError:  # what cannot be hashed is no key
                continue
