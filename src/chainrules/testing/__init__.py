"""Tools to test rules and gradients.

>>> import numpy as np
>>> from chainrules.testing import test_rrule
>>> test_rrule(np.sin, np.array([0.3, 1.2]))
"""

from .finite_differences import directional_derivative, finite_difference_gradient
from .gradients import check_gradient
from .leaves import inner, leaves, random_tangent
from .rule_test import call_rule, find_rule, test_rrule

__all__ = [
    "call_rule",
    "check_gradient",
    "directional_derivative",
    "find_rule",
    "finite_difference_gradient",
    "inner",
    "leaves",
    "random_tangent",
    "test_rrule",
]
