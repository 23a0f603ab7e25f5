"""Rules for differentiation, for any engine.

>>> import numpy as np
>>> from chainrules import rules_for
>>> y, pullback = rules_for(np.sin)[0].function(0.0)
>>> float(pullback(2.0))
2.0
"""

from .accumulate import accumulate, accumulate_into
from .products import strong_div, strong_mul
from .projection import ProjectTo, project, project_to, unbroadcast
from .rules import (
    Rule,
    as_positional,
    covered,
    ignore_derivatives,
    is_non_differentiable,
    is_opted_out,
    non_differentiable,
    opt_out,
    registry_version,
    rrule,
    rules_for,
    when_loaded,
)
from .scalar import ScalarRule, scalar_rule, scalar_rule_for
from .tangents import (
    AbstractTangent,
    NoTangent,
    NotImplementedDerivative,
    NotImplementedTangent,
    Tangent,
    Thunk,
    ZeroTangent,
    unthunk,
)

from . import library as library  # isort: skip

__all__ = [
    "AbstractTangent",
    "NoTangent",
    "NotImplementedDerivative",
    "NotImplementedTangent",
    "ProjectTo",
    "Rule",
    "ScalarRule",
    "Tangent",
    "Thunk",
    "ZeroTangent",
    "accumulate",
    "accumulate_into",
    "as_positional",
    "covered",
    "ignore_derivatives",
    "is_non_differentiable",
    "is_opted_out",
    "non_differentiable",
    "opt_out",
    "project",
    "project_to",
    "registry_version",
    "rrule",
    "rules_for",
    "scalar_rule",
    "scalar_rule_for",
    "strong_div",
    "strong_mul",
    "unbroadcast",
    "unthunk",
    "when_loaded",
]
