"""Minima: `scipy.optimize.minimize` and `minimize_scalar`, by the conditions that hold at the solution.

``res.x`` has the derivatives of the minimizer and ``res.fun`` those of the least value; all else in the result is
constant. A gradient that is given (``jac``) helps the solver; what is differentiated is the function itself.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy import optimize  # type: ignore[import-untyped]

from ....programs import program
from ..callbacks import found_by, tell
from ..implicit import DIRECTLY
from ..solutions import converged, least, tuple_of, with_values
from .stationary import minimum, minimum_at_once, number, of_bounds, of_constraints, of_number


@program(optimize.minimize)
def minimize_program(
    config: Any, fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
    hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None,
    options: Any = None,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    found: Any = None
    calls: Any = []
    is_done = False
    if callback is None and np.size(x0) <= DIRECTLY:
        how = (x0, method, jac, hess, hessp, bounds, constraints, tol, options)
        quick = config.at_once(minimum_at_once, fun, np.atleast_1d(np.asarray(x0, float)), args, (), least_of, *how)
        if quick is not None:
            x, (found, is_done) = quick
    if found is None:
        given = (optimize.minimize, fun, x0, args, method, jac, hess, hessp, bounds, constraints, tol)
        found, calls = found_by(config, on_copies, *given, callback=callback, options=options)
        converged(found.success or "precision loss" in str(found.message), found.message)
    if not callable(jac) and jac is True:
        value = lambda z: number(fun(z, *args)[0])
    else:
        value = lambda z: number(fun(z, *args))
    if not is_done:
        x = minimum(config, value, found.x, of_bounds(bounds) + of_constraints(constraints))
    tell(callback, calls, x)
    return with_values(found, x=x, fun=least(config, found.fun, value, x))


def least_of(
    f: Any, args: Any, x0: Any, method: Any, jac: Any, hess: Any, hessp: Any, bounds: Any, constraints: Any, *more: Any
) -> Any:  # fmt: skip
    """The minimum that `minimize` finds, its result, and the constraints."""
    tol, options = more
    given = (f, x0, args, method, jac, hess, hessp, bounds, constraints, tol)
    found = on_copies(optimize.minimize, *given, options=options)
    converged(found.success or "precision loss" in str(found.message), found.message)
    return found.x, found, of_bounds(bounds) + of_constraints(constraints)


LIMITS = (optimize.Bounds, optimize.LinearConstraint, optimize.NonlinearConstraint)


def on_copies(solver: Any, *args: Any, **named: Any) -> Any:
    """A solver on copies of the limits, into which SciPy writes."""
    return solver(*map(apart, args), **{name: apart(v) for name, v in named.items()})


def apart(x: Any) -> Any:
    if isinstance(x, list | tuple) and any(isinstance(c, LIMITS) for c in x):
        return [apart(c) for c in x]
    if not isinstance(x, LIMITS):
        return x
    made = copy.copy(x)
    if isinstance(x, optimize.NonlinearConstraint):
        made.hess = copy.copy(x.hess)  # an approximation is updated as the solver goes on
    return made


@program(optimize.minimize_scalar)
def minimize_scalar_program(
    config: Any, fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    tol: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    value = lambda z: number(fun(z, *args))
    if bounds is None:
        quick = config.at_once(minimum_at_once, fun, 0.5, args, (), least_on_line, bracket, method, tol, options)
        if quick is not None:
            x, (found, _) = quick
            return with_values(found, x=x, fun=least(config, found.fun, value, x))
    found = config.plainly(optimize.minimize_scalar, fun, bracket, bounds, args, method, tol, options)
    converged(found.success, found.message if "message" in found else "minimize_scalar")
    x = of_number(config, value, np.ravel(found.x)[0], bounds)
    y = least(config, np.ravel(found.fun)[0], value, x)
    return with_values(found, x=shaped(x, found.x), fun=shaped(y, found.fun))


def shaped(x: Any, like: Any) -> Any:
    """A number in the shape in which SciPy has it, which gives it a dimension for each step beside arrays of one."""
    return np.reshape(x, np.shape(like)) if np.ndim(like) else x


def least_on_line(f: Any, args: Any, bracket: Any, method: Any, tol: Any, options: Any) -> Any:
    """The minimum that `minimize_scalar` finds, its result, and no constraints."""
    found = optimize.minimize_scalar(f, bracket, None, args, method, tol, options)
    converged(found.success, found.message if "message" in found else "minimize_scalar")
    return found.x, found, []


def global_minima(solver: Any) -> None:
    """Declare the program of a solver that looks for the least of all minima within bounds: it is one of them."""

    def global_program(config: Any, func: Any, bounds: Any, *options: Any, **named: Any) -> Any:
        found, calls = found_by(config, on_copies, solver, func, bounds, *options, **named)
        converged(found.success, found.message)
        args = tuple_of(named.get("args", options[0] if options else ()))
        value = lambda z: number(func(z, *args))
        constraints = named.get("constraints") or ()
        x = minimum(config, value, found.x, of_bounds(bounds) + of_constraints(constraints))
        tell(named.get("callback"), calls, x)
        return with_values(found, x=x, fun=least(config, found.fun, value, x))

    program(solver)(global_program)


for _solver in (optimize.differential_evolution, optimize.dual_annealing, optimize.shgo, optimize.direct):
    global_minima(_solver)


@program(optimize.basinhopping)
def basinhopping_program(config: Any, func: Any, x0: Any, *options: Any, **named: Any) -> Any:
    found, calls = found_by(config, on_copies, optimize.basinhopping, func, x0, *options, **named)
    inner = named.get("minimizer_kwargs") or {}
    if len(options) > 3:
        inner = options[3] or {}
    args = tuple_of(inner.get("args", ()))
    value = lambda z: number(func(z, *args))
    limits = of_bounds(inner.get("bounds")) + of_constraints(inner.get("constraints", ()))
    x = minimum(config, value, found.x, limits)
    tell(named.get("callback"), calls, x)
    return with_values(found, x=x, fun=least(config, found.fun, value, x))
