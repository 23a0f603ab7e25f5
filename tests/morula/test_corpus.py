"""Every program of the corpus under one law: right in value, effects and derivatives, or refused with a reason."""

import copy

import corpus
import numpy as np
import pytest
from morula_helpers import assert_identical, assert_same, verify

import morula

EVERY = corpus.programs()
FIRST = dict(reversed(EVERY))  # of each room, one of the quick tests
PROGRAMS = [
    pytest.param(program, id=f"{room}-{program.f.__name__}", marks=[pytest.mark.quick] * (program is FIRST[room]))
    for room, program in EVERY
]


@pytest.mark.filterwarnings("ignore:Setting the shape on a NumPy array:DeprecationWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program):
    """As plainly called in value, effects and arguments; gradients as differences, in all modes and both tiers."""
    f, args = program.f, program.args
    if program.refused:
        with pytest.raises(morula.MorulaError, match=program.refused):
            morula.gradient(f, *copy.deepcopy(args))
        return
    want = None if program.want is None else (program.want,)
    g = verify(f, *args, want=want, log=corpus.LOG)
    if isinstance(f(*copy.deepcopy(args)), np.ndarray):
        return
    with morula.tier("static"):
        assert_same(morula.gradient(f, *copy.deepcopy(args)), g)
    if not program.in_one_piece:
        in_views_of_others(f, args, g)
    if want is not None:
        verify(lambda s: np.sum(morula.gradient(lambda x: f(x * s), args[0])[0] * program.want), 1.0)


def in_views_of_others(f, args, g):
    """Arguments that are every other row of a larger array have the same gradients, and the array stays as it was."""
    args = copy.deepcopy(args)
    owners = [np.full((2 * x.shape[0] + 2, *x.shape[1:]), 7.0) if is_array(x) else None for x in args]
    views = [x if owner is None else owner[1:-1:2] for x, owner in zip(args, owners, strict=True)]
    if all(owner is None for owner in owners):
        return
    for x, view in zip(args, views, strict=True):
        if is_array(x):
            view[...] = x
    before = copy.deepcopy(owners)
    assert_same(morula.gradient(f, *views), g)
    assert_identical(owners, before)


def is_array(x):
    return isinstance(x, np.ndarray) and x.ndim > 0
