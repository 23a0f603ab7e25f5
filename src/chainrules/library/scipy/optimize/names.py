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
TO_MINIMIZE = "goes the steps of a solver; call minimize with its method, whose solution has derivatives"
TO_ROOT = "goes the steps of a solver; call root with its method, whose solution has derivatives"
refuse(
    TO_MINIMIZE,
    *named(
        optimize,
        "fmin fmin_bfgs fmin_cg fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc line_search brute",
    ),
)
refuse(TO_ROOT, *named(optimize, "anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov"))
refuse(
    "goes the steps of a solver; call minimize_scalar, whose solution has derivatives",
    *named(optimize, "brent fminbound golden bracket"),
)
refuse("goes the steps of a solver; call least_squares, whose solution has derivatives", optimize.leastsq)
refuse(
    "divides differences, of which a derivative loses half of the digits; differentiate the function itself",
    *named(optimize, "approx_fprime check_grad"),
)
unsupported(
    "pools neighbours in compiled code; take the mean of each block that it returns",
    *named(optimize, "isotonic_regression"),
)
unsupported(
    "is a part of a solver",
    *named(optimize, "BFGS SR1 HessianUpdateStrategy BroydenFirst InverseJacobian KrylovJacobian LbfgsInvHessProduct"),
)
