"""The class `scipy.integrate.ode`: from one point of time to the next, with the derivatives of `solve_ivp`.

Its solvers do not tell their steps. The value stays theirs; the derivative is that of the same method, or of one of the
same kind, with the same tolerances, in `solve_ivp`.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..solutions import converged, moved_as

METHODS = {"dopri5": "RK45", "dop853": "DOP853", "lsoda": "LSODA"}


def slope_of(self: Any) -> Any:
    """The right-hand side that the solver takes.

    That of a `complex_ode` has real and imaginary parts beside one another; its own one writes them into one array.
    """
    if not isinstance(self, integrate.complex_ode):
        return self.f
    f = self.cf
    return lambda t, z, *args: in_pairs(np.asarray(f(t, z[::2] + 1j * z[1::2], *args)))


def in_pairs(y: Any) -> Any:
    return np.ravel(np.stack([np.real(y), np.imag(y)], axis=1))


def run(self: Any, t: Any, y: Any) -> Any:
    """The state at a time and that time, and the solver after it; those of `self` stay as they are. Called plainly."""
    own = copy.copy(self)
    own._integrator = copy.deepcopy(self._integrator)
    own._y = np.array(y)
    own.f = slope_of(self)
    found = integrate.ode.integrate(own, t)  # of parts also for `complex_ode`
    return found, own.t, own._integrator, own.successful()


def method_of(solver: Any) -> str:
    kind = type(solver).__name__
    if kind in ("vode", "zvode"):  # with Adams' methods for equations that are not stiff
        return "DOP853" if solver.meth == 1 else "BDF"
    if kind not in METHODS:
        raise NotImplementedDerivative(f"the integrator {kind} is not implemented: use solve_ivp")
    return METHODS[kind]


@program(integrate.ode.integrate)
def integrate_program(config: Any, self: Any, t: Any, step: Any = False, relax: Any = False) -> Any:
    y, start, f, given = self._y, self.t, slope_of(self), self.f_params
    method = config.plainly(method_of, self._integrator)
    if step or relax or getattr(self._integrator, "solout", None) is not None:
        raise NotImplementedDerivative("step, relax and solout are not implemented: use solve_ivp")
    found, reached, solver, success = config.plainly(run, self, t, y)
    converged(success, "the integrator failed")
    slope = lambda s, z: f(s, z, *given)
    rtol, atol = solver.rtol, solver.atol
    again = integrate.solve_ivp(slope, (start, t), y, method=method, rtol=rtol, atol=atol).y[:, -1]
    y = moved_as(config, found, again)
    self._integrator = solver
    self._y = y
    self.t = reached
    return y
