"""Masked arrays have no rules; questions about plain arrays do. Loaded when the program has imported `numpy.ma`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declarations import is_non_differentiable, non_differentiable, reason_unsupported, unsupported
from ...lookup import rules_for
from ...refused import refuse_instances
from ...rules import rrule
from ..forward import forward

MASKED = (
    "meets a masked array, and what is masked has no derivative that a rule for plain arrays would get right; use "
    "numpy.where, or the where= of a reduction"
)

# What asks whether something is masked, and where: libraries ask it of every array.
QUESTIONS = """
    isMaskedArray isMA isarray is_mask is_masked getmask getmaskarray count count_masked make_mask make_mask_none
    make_mask_descr mask_or flatten_mask allclose allequal nonzero argmax argmin argsort ndim shape size
    default_fill_value minimum_fill_value maximum_fill_value common_fill_value notmasked_edges notmasked_contiguous
    flatnotmasked_edges flatnotmasked_contiguous clump_masked clump_unmasked
"""
non_differentiable(*[getattr(np.ma, name) for name in QUESTIONS.split() if hasattr(np.ma, name)])


@rrule(np.ma.filled)
def filled_rule(a: Any, fill_value: Any = None) -> Any:
    """The seed: nothing of a plain array is filled."""
    return np.ma.filled(a, fill_value), lambda y_bar: y_bar


@rrule(np.ma.getdata)
def getdata_rule(a: Any, subok: bool = True) -> Any:
    """The seed: it is the same array."""
    return np.ma.getdata(a, subok), lambda y_bar: y_bar


@forward(np.ma.filled)
@forward(np.ma.getdata)
def same_array_forward(y: Any, dots: Any, a: Any, *options: Any, **named: Any) -> Any:
    """The tangent."""
    return np.asarray(dots[0])


refuse_instances(MASKED, np.ma.MaskedArray)
unsupported(MASKED, np.ma.MaskedArray.__new__)
for owner in (np.ma, np.ma.MaskedArray):
    for name in dir(owner):
        f = getattr(owner, name)
        if name[0] != "_" and callable(f) and not (rules_for(f) or is_non_differentiable(f) or reason_unsupported(f)):
            try:
                unsupported(MASKED, f)
            except TypeError:  # what cannot be hashed is no key
                continue
