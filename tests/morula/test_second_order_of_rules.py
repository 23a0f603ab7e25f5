"""Second derivatives of rules at points where a choice inside of them could cut the dependence."""

import numpy as np
import pytest

import morula
from chainrules.testing import test_rrule as check

V = np.array


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (np.logaddexp, (V([0.3, 1.0]), V([0.3, 0.0]))),
        (np.logaddexp2, (V([0.3, 1.0]), V([0.3, 0.0]))),
        (np.hypot.reduce, (V([0.0, 1.0, 2.0]),)),
        (np.hypot.reduce, (V([-0.5, 1.0, 2.0]),)),
    ],
)
def test_choices_inside_of_rules_keep_second_derivatives(f, args):
    check(f, *args, order=2, config=morula.ReverseMode())
