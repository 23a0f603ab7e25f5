"""What of `scipy.integrate` is followed as Python, what is constant, and what is refused."""

from __future__ import annotations

from scipy import integrate  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable, unsupported
from ..naming import named

needs_no_rule(
    *named(
        integrate,
        "cumulative_simpson romb fixed_quad cubature nsum tanhsinh qmc_quad",
    ),
    *named(
        integrate, "BDF DOP853 RK23 RK45 Radau OdeSolver DenseOutput OdeSolution ode complex_ode"
    ),  # with the control of steps
)
non_differentiable(*named(integrate, "newton_cotes lebedev_rule"))
unsupported(
    "takes its steps in compiled code; call solve_ivp with the same method, which has derivatives",
    *named(integrate, "LSODA"),
)
