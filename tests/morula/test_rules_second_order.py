"""The code of every rule, differentiated by this engine: the derivatives of its cotangents against differences.

What is refused with a reason is no failure here; a wrong number is one, and an error that is nobody's.
"""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "chainrules"))

import cases
from test_rules_numerically import name_of

from chainrules import NotImplementedDerivative
from chainrules.testing import Unjudged, test_rrule
from morula import NotDifferentiable, ReverseMode

CHUNKS = 20
# The second derivative is NaN where singular values are cut off: it would need those of the decomposition there.
SINGULAR = {np.linalg.pinv}
REFUSED = {np.unique, np.broadcast_arrays}
# The exponent is an integer, of which the rule of the rule gives a derivative nobody can check.
BY_INTEGERS = {np.ldexp, math.ldexp}
config = ReverseMode()


def second_order(case):
    f, args, kwargs = case
    if f in BY_INTEGERS:
        return None
    try:
        with np.errstate(all="ignore"):
            test_rrule(f, *args, kwargs=kwargs, order=2, config=config)
    except (Unjudged, NotImplementedDerivative):
        return None
    except NotDifferentiable as error:
        said = str(error)
        known = f in REFUSED or "is not implemented" in said
        return None if known else f"{name_of(case)}: {error}"
    except AssertionError as error:
        return None if f in SINGULAR and "the engine says nan" in str(error) else f"{name_of(case)}: {error}"
    return True


@pytest.mark.parametrize("part", range(CHUNKS))
@pytest.mark.slow
def test_the_code_of_rules(part):
    found = [second_order(case) for case in cases.some_of(cases.CASES, 8)[part::CHUNKS]]
    wrong = [message for message in found if isinstance(message, str)]
    assert not wrong, "\n\n".join(wrong)
    assert sum(message is True for message in found) > 0.8 * len(found)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (np.linalg.det, (np.zeros((2, 2)),)),
        (np.linalg.det, (np.diag([2.0, 0.0, 0.0]),)),
        (np.linalg.det, (np.diag([2.0, 0.0, 0.0, 1.0 + 1j]),)),
        (np.linalg.det, (np.outer([1.0, -2.0, 0.5, 3.0], [0.3, 1.0, 2.0, -1.0]),)),
        (np.logaddexp, (np.array([0.3, 1.0]), np.array([0.3, 0.0]))),
        (np.logaddexp2, (np.array([0.3, 1.0]), np.array([0.3, 0.0]))),
        (np.hypot.reduce, (np.array([0.0, 1.0, 2.0]),)),
        (np.hypot.reduce, (np.array([-0.5, 1.0, 2.0]),)),
    ],
)
def test_choices_inside_of_rules_keep_second_derivatives(f, args):
    test_rrule(f, *args, order=2, config=config)
