"""Equations of Sylvester and Lyapunov: the cotangent of the right-hand side solves the adjoint equation."""

from __future__ import annotations

from functools import partial
from typing import Any

from scipy import linalg as la  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...numpy.linear import _h
from ...numpy.shared import as_array, leading
from .solving import as_matrix


@rrule(la.solve_sylvester)
def solve_sylvester_rule(a: Any, b: Any, q: Any) -> Any:
    """``A X + X B = Q``: with ``A^H L + L B^H = G``, ``q_bar = L``, ``a_bar = -L X^H``, ``b_bar = -X^H L``."""
    a, b = as_array(a), as_array(b)
    for m in (a, b):
        if m.ndim < 2 or m.shape[-1] != m.shape[-2]:  # SciPy looks at no shape where an array is empty
            raise NotImplementedError("the rule for scipy.linalg.solve_sylvester is for square matrices A and B")
    x = la.solve_sylvester(a, b, q)

    def q_bar(x_bar: Any) -> Any:
        return la.solve_sylvester(_h(a), _h(b), x_bar)

    return x, lambda x_bar: (
        Thunk(lambda: -(q_bar(x_bar) @ _h(x))),
        Thunk(lambda: -(_h(x) @ q_bar(x_bar))),
        Thunk(q_bar, x_bar),
    )


def solve_continuous_lyapunov_rule(a: Any, q: Any) -> Any:
    """``A X + X A^H = Q``: with ``A^H L + L A = G``, ``q_bar = L`` and ``a_bar = -(L X^H + L^H X)``."""
    a = as_matrix(a)
    x = la.solve_continuous_lyapunov(a, q)

    def q_bar(x_bar: Any) -> Any:
        return la.solve_continuous_lyapunov(_h(a), x_bar)

    def a_bar(x_bar: Any) -> Any:
        bar = q_bar(x_bar)
        return -(bar @ _h(x) + _h(bar) @ x)

    return x, lambda x_bar: (Thunk(a_bar, x_bar), Thunk(q_bar, x_bar))


rrule(la.solve_continuous_lyapunov)(solve_continuous_lyapunov_rule)
if la.solve_lyapunov is not la.solve_continuous_lyapunov:
    rrule(la.solve_lyapunov)(solve_continuous_lyapunov_rule)


@rrule(la.solve_discrete_lyapunov)
@partial(leading, active=2)
def solve_discrete_lyapunov_rule(a: Any, q: Any, method: Any = None) -> Any:
    """``A X A^H - X + Q = 0``: with ``A^H L A - L + G = 0``, ``q_bar = L``, ``a_bar = L A X^H + L^H A X``."""
    a = as_array(a)
    x = la.solve_discrete_lyapunov(a, q, method)

    def q_bar(x_bar: Any) -> Any:
        return la.solve_discrete_lyapunov(_h(a), x_bar, method)

    def a_bar(x_bar: Any) -> Any:
        bar = q_bar(x_bar)
        return bar @ a @ _h(x) + _h(bar) @ a @ x

    return x, lambda x_bar: (Thunk(a_bar, x_bar), Thunk(q_bar, x_bar))
