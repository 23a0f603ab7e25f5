"""Tools to test rules and gradients.

>>> import numpy as np
>>> from chainrules.testing import test_rrule
>>> test_rrule(np.sin, np.array([0.3, 1.2]))
"""

from .calling import call_rule, find_rule
from .cases import Case, cases, cases_for
from .comparing import Unjudged
from .difference_config import FiniteDifferenceConfig
from .finite_differences import (
    Estimate,
    complex_step,
    derivative,
    directional_derivative,
    finite_difference_gradient,
)
from .frule_test import call_frule, test_frule
from .gradients import check_gradient, gradient_by
from .leaves import inner, leaves, random_tangent
from .lint import Finding, lint
from .rule_test import test_rrule

__all__ = [
    "Case",
    "Estimate",
    "Finding",
    "FiniteDifferenceConfig",
    "Unjudged",
    "call_frule",
    "call_rule",
    "cases",
    "cases_for",
    "check_gradient",
    "complex_step",
    "derivative",
    "directional_derivative",
    "find_rule",
    "finite_difference_gradient",
    "gradient_by",
    "inner",
    "leaves",
    "lint",
    "random_tangent",
    "test_frule",
    "test_rrule",
]
