"""The code of every forward rule, differentiated by this engine: the derivatives of value and tangent, by the primals
and by the tangents, against differences.

What is refused with a reason is no failure here; a wrong number is one, and an error that is nobody's.
"""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "chainrules"))

import cases
from test_rules_numerically import CONTINUED, ROUNDING, name_of

from chainrules import NotImplementedDerivative, RuleConfig, frule, frules_for, ignore_derivatives, scalar_rule
from chainrules.testing import Unjudged, test_frule, test_rrule
from chainrules.testing.forward_second_order import check_forward_second_order
from extent import EVERYTHING
from morula import NotDifferentiable, ReverseMode

CHUNKS = 16
# The second derivative is NaN where singular values are cut off: it would need those of the decomposition there.
SINGULAR = {np.linalg.pinv}
# The engine does not take views and new values from one call.
REFUSED = {np.broadcast_arrays}
FORWARD = [case for case in cases.CASES if frules_for(case[0])]
config = ReverseMode()


def second_order(case, alone):
    f, args, kwargs = case
    if f in ROUNDING:
        return None
    try:
        checked = check_forward_second_order(f, args, kwargs, config, alone=alone, constant=CONTINUED.get(f, ()))
    except (Unjudged, NotImplementedDerivative):  # a derivative of a higher order, that says that it is missing
        return None
    except NotDifferentiable as error:
        said = str(error)
        known = f in REFUSED or "has edges without a derivative" in said or "is not implemented" in said
        known = known or "scipy.special.psi" in said  # of complex numbers
        return None if known else f"{name_of(case)}: {error}"
    except AssertionError as error:
        return None if f in SINGULAR and "the engine says nan" in str(error) else f"{name_of(case)}: {error}"
    return checked or None


@pytest.mark.parametrize("alone", [False, True], ids=["whole", "alone"])
@pytest.mark.parametrize("part", range(CHUNKS))
@pytest.mark.slow
def test_the_code_of_forward_rules(part, alone):
    """The rule as a whole, and, of more cases, its tangent beside a value that the engine has."""
    sixths = [case for i, case in enumerate(FORWARD) if EVERYTHING or i % 120 < 20]
    chosen = cases.some_of(FORWARD, 8) if alone else sixths
    found = [second_order(case, alone) for case in chosen[part::CHUNKS]]
    wrong = [message for message in found if isinstance(message, str)]
    assert not wrong, "\n\n".join(wrong)
    assert sum(message is True for message in found) > 0.8 * len(found)


def test_the_check_finds_what_is_wrong_at_second_order_alone():
    def cube(x):
        return x**3

    def declared(*, of_x=lambda x: x, of_dot=lambda t: t):
        frule(cube, given_value=True)(lambda y, primals, tangents: 3 * of_x(primals[0]) ** 2 * of_dot(tangents[0]))
        return lambda: check_forward_second_order(cube, (np.array([0.4, 1.3]),), {}, config, alone=True)

    assert declared()()
    with pytest.raises(AssertionError, match="by the primals"):
        declared(of_x=ignore_derivatives)()
    with pytest.raises(AssertionError, match="in the tangent 0"):
        declared(of_dot=ignore_derivatives)()


def test_the_tool_for_forward_rules_has_order_two():
    test_frule(np.tanh, np.array([0.3, -1.0]), order=2, config=config, check_complex=True)
    with pytest.raises(ValueError, match="config"):
        test_frule(np.tanh, 1.0, order=2)


def test_no_rule_and_no_tangent_are_nothing_to_check():
    assert not check_forward_second_order(print, (1.0,), {}, RuleConfig())
    assert not check_forward_second_order(np.array, (["a"],), {}, RuleConfig())


@pytest.mark.parametrize("point", [(1.0, 0.0), (0.0, 1.0), (np.array([1.0, 0.0]), np.array([0.0, 1.0]))])
def test_partials_that_are_one_or_zero_by_chance_are_no_constants(point):
    def product_and_square(x, y):
        return x * y, x * x

    scalar_rule(product_and_square, lambda out, x, y: (y, 2 * x), lambda out, x, y: (x, 0 * x), outputs=2)
    assert check_forward_second_order(product_and_square, point, {}, config)
    test_rrule(product_and_square, *point, order=2, config=config)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (np.linalg.det, (np.zeros((2, 2)),)),
        (np.linalg.det, (np.diag([2.0, 0.0, 0.0]),)),
        (np.linalg.det, (np.diag([2.0, 0.0, 0.0, 1.0 + 1j]),)),
        (np.linalg.det, (np.diag([2.0, 1.0, 3.0]),)),
        (np.logaddexp, (np.array([0.3, 1.0]), np.array([0.3, 0.0]))),
        (np.hypot.reduce, (np.array([0.0, 1.0, 2.0]),)),
        (np.hypot.reduce, (np.array([-0.5, 1.0, 2.0]),)),
        (np.hypot.reduce, (np.array([-0.5]),)),
        (np.prod, (np.array([0.0, 1.0, 2.0]),)),
        (np.prod, (np.array([1e-160, 1e-160, 2.0]),)),
        (np.prod, (np.array([[0.5, 1.0], [2.0, -3.0]]), 0)),
        (np.cumprod, (np.array([0.0, 1.0, 0.0]),)),
        (np.linalg.norm, (np.array([0.3, -2.0]),)),
        (np.linalg.norm, (np.array([0.3 + 1j, -2.0]),)),
        (np.std, (np.array([0.3, -2.0, 1.0]),)),
        (math.prod, ([0.0, 2.0, 3.0],)),
    ],
)
def test_choices_inside_of_forward_rules_keep_second_derivatives(f, args):
    test_frule(f, *args, order=2, config=config)
