"""Which adjoint the rules for solvers of differential equations take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

__all__ = ["ode_adjoint"]


class Adjoint(NamedTuple):
    """What `ode_adjoint` said.

    Attributes:
        kind: ``"discrete"`` or ``"continuous"``.
        rtol, atol: tolerances of the continuous one; None for those of the call.
    """

    kind: str = "discrete"
    rtol: float | None = None
    atol: float | None = None


DISCRETE = Adjoint()
_chosen: ContextVar[Adjoint] = ContextVar("chainrules.ode_adjoint", default=DISCRETE)


@contextmanager
def ode_adjoint(kind: str, *, rtol: float | None = None, atol: float | None = None) -> Iterator[None]:
    """Choose how first gradients go back through `scipy.integrate.solve_ivp` and `odeint` inside a ``with`` block.

    The discrete adjoint, the default, takes the solver's steps back: its gradient is that of the computed solution. The
    continuous one solves ``dl/dt = -(df/dy)^T l`` from the end to the start, with the same method, or LSODA in place of
    an implicit one. Its gradient is that of the exact solution, up to both tolerances; after LSODA it costs less. Calls
    with active times, events or dense output, forward mode and higher orders take the discrete one in any case, as do
    right-hand sides without a static adjoint.

    Args:
        kind: ``"discrete"`` or ``"continuous"``.
        rtol, atol: tolerances of the continuous adjoint; those of the call if not given.

    Raises:
        ValueError: `kind` is another.

    Source: Chen, Rubanova, Bettencourt and Duvenaud, Neural ordinary differential equations, 2018, appendix B; the
    states are those of the solver's dense output, not solved for again.

    >>> from chainrules import ode_adjoint
    >>> with ode_adjoint("continuous", rtol=1e-10):
    ...     "gradients of calls of solve_ivp"
    'gradients of calls of solve_ivp'
    """
    if kind not in ("discrete", "continuous"):
        raise ValueError(f'ode_adjoint takes "discrete" or "continuous", not {kind!r}')
    token = _chosen.set(Adjoint(kind, rtol, atol))
    try:
        yield
    finally:
        _chosen.reset(token)


def chosen_adjoint() -> Adjoint:
    return _chosen.get()
