"""What of `scipy.optimize` is followed as Python, what is constant, and what is refused."""

from __future__ import annotations

from scipy import optimize  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable, unsupported
from ..naming import named, refuse

needs_no_rule(
    *named(optimize, "rosen rosen_der rosen_hess rosen_hess_prod Bounds LinearConstraint NonlinearConstraint")
)
needs_no_rule(*named(optimize, "OptimizeResult RootResults"))
non_differentiable(*named(optimize, "linprog_verbose_callback show_options"))
refuse("performs steps of a solver; call minimize", *named(optimize, "line_search brute"))
refuse("brackets a minimum, which is no solution; call minimize_scalar", optimize.bracket)
refuse(
    "is a difference quotient, whose derivative loses half of the digits; differentiate the function itself",
    *named(optimize, "approx_fprime check_grad"),
)
unsupported(
    "is a part of a solver",
    *named(optimize, "BFGS SR1 HessianUpdateStrategy BroydenFirst InverseJacobian KrylovJacobian LbfgsInvHessProduct"),
)
