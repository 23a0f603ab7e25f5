"""Every rule of the library, in every case, by the tools that test rules."""

import math
from pathlib import Path

import cases
import numpy as np
from cases import each_function, name_of

import chainrules
from chainrules import covered, frules_for, project, rules_for, unthunk
from chainrules.testing import call_frule, call_rule, test_frule, test_rrule

__all__ = ["CONTINUED", "ROUNDING", "name_of"]
CASES = cases.CASES
UNVARIED = cases.UNVARIED
# Functions that take integers alone there, and have the derivative of what they are for real numbers.
CONTINUED = {np.ldexp: (1,), math.ldexp: (1,), np.ldexp.outer: (1,)}

# They round, and finite differences find the steps; their tangents are tested below.
ROUNDING = {np.float32, np.complex64}


def has_forward_rule(case):
    f, args, kwargs = case
    try:
        call_frule(f, args, (None,) * len(args), **kwargs)
    except AssertionError:
        return False
    return True


@each_function(CASES, one_of=2)
def test_rule(case):
    f, args, kwargs = case
    test_rrule(f, *args, kwargs=kwargs, constant=CONTINUED.get(f, ()))


@each_function([case for case in CASES if case[0] not in ROUNDING and frules_for(case[0])], one_of=2)
def test_forward_rule(case):
    f, args, kwargs = case
    if has_forward_rule(case):
        test_frule(f, *args, kwargs=kwargs, constant=CONTINUED.get(f, cases.LACKING.get(f, ())))


def test_numbers_that_are_rounded_have_a_tangent_that_is():
    y, y_dot = call_frule(np.float32, (1.1,), (0.1,))
    assert y == np.float32(1.1) and y_dot == np.float32(0.1) and y_dot.dtype == np.float32
    assert call_frule(np.complex64, (1.5,), (0.1 + 0.5j,))[1] == np.complex64(0.1 + 0.5j)


@each_function(UNVARIED)
def test_rule_gives_its_constants(case):
    f, args, kwargs = case
    y, back = call_rule(f, *args, **kwargs)
    for bar, x in zip(back(np.ones_like(y)), args, strict=True):
        assert np.shape(bar) == np.shape(x)


def test_every_rule_has_a_case():
    tested = {f for f, _, _ in [*CASES, *UNVARIED]} | cases.ELSEWHERE
    home = str(Path(chainrules.__file__).parent)
    missing = [f for f, rules in covered().items() if f not in tested and any(r.file.startswith(home) for r in rules)]
    assert not missing, missing


def test_arrays_may_be_zero_dimensional_or_float32():
    y, back = call_rule(np.multiply, np.float32(2.0), np.ones(3, np.float32))
    a_bar, b_bar = back(np.ones(3))
    assert type(a_bar) is np.float32 and b_bar.dtype == np.float32 and y.dtype == np.float32


def test_a_thunk_is_forced_by_its_user_only():
    (rule,) = rules_for(np.matmul)
    _, pullback = rule.function(np.ones((2, 2)), np.ones(2))
    bars = pullback(np.ones(2))
    assert all(not isinstance(bar, np.ndarray) for bar in bars)
    assert project(unthunk(bars[1]), np.ones(2)).tolist() == [2.0, 2.0]
