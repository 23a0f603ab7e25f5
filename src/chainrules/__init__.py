"""Rules for differentiation, for any engine.

>>> import numpy as np
>>> from chainrules import rules_for
>>> y, pullback = rules_for(np.sin)[0].function(0.0)
>>> float(pullback(2.0))
2.0
"""

from .accumulate import accumulate, accumulate_into
from .adjoints import ode_adjoint
from .config import RuleConfig, frule_via, rrule_via
from .declarations import (
    constant_instances,
    ignore_derivatives,
    is_constant,
    is_non_differentiable,
    needs_no_rule,
    non_differentiable,
    opaque,
    opt_out,
    reason_unsupported,
    unsupported,
)
from .derived import by_operand, thunks
from .lookup import (
    AmbiguousRules,
    as_positional,
    candidates,
    covered,
    frules_for,
    has_opt_outs,
    is_opted_out,
    rules_for,
)
from .patterns import mark_leaves, only_moves, pattern, pattern_of
from .products import has_nan_quickly, strong_div, strong_mul
from .programs import followed, program, program_of, shortcut, shortcut_of
from .projection import ProjectTo, project, project_to, unbroadcast
from .refused import refuse_instances
from .registry import find_plugins, postponed, registry_version, when_declared, when_loaded
from .rules import Rule, frule, rrule
from .scalar import ScalarRule, scalar_rule, scalar_rule_for
from .spaces import add_tangent, rand_tangent, zero_tangent
from .split import SplitRule, split_rule, split_rules_for
from .structured import same_structure, tangent_of_fields, varying_fields, varying_in
from .tangents import (
    AbstractTangent,
    InplaceThunk,
    NoTangent,
    NotImplementedDerivative,
    NotImplementedTangent,
    Tangent,
    Thunk,
    ZeroTangent,
    is_absent,
    unthunk,
)

from . import library as library  # isort: skip
from .library.numpy.shared import scatter  # isort: skip

when_loaded("chainrules", find_plugins)  # once this module is there: not while it is being imported

__all__ = [
    "AbstractTangent",
    "AmbiguousRules",
    "InplaceThunk",
    "NoTangent",
    "NotImplementedDerivative",
    "NotImplementedTangent",
    "ProjectTo",
    "Rule",
    "RuleConfig",
    "ScalarRule",
    "SplitRule",
    "Tangent",
    "Thunk",
    "ZeroTangent",
    "accumulate",
    "accumulate_into",
    "add_tangent",
    "as_positional",
    "by_operand",
    "candidates",
    "constant_instances",
    "covered",
    "followed",
    "frule",
    "frule_via",
    "frules_for",
    "has_nan_quickly",
    "has_opt_outs",
    "ignore_derivatives",
    "is_absent",
    "is_constant",
    "is_non_differentiable",
    "is_opted_out",
    "mark_leaves",
    "needs_no_rule",
    "non_differentiable",
    "ode_adjoint",
    "only_moves",
    "opaque",
    "opt_out",
    "pattern",
    "pattern_of",
    "postponed",
    "program",
    "program_of",
    "project",
    "project_to",
    "rand_tangent",
    "reason_unsupported",
    "refuse_instances",
    "registry_version",
    "rrule",
    "rrule_via",
    "rules_for",
    "same_structure",
    "scalar_rule",
    "scalar_rule_for",
    "scatter",
    "shortcut",
    "shortcut_of",
    "split_rule",
    "split_rules_for",
    "strong_div",
    "strong_mul",
    "tangent_of_fields",
    "thunks",
    "unbroadcast",
    "unsupported",
    "unthunk",
    "varying_fields",
    "varying_in",
    "when_declared",
    "when_loaded",
    "zero_tangent",
]
