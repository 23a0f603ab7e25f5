"""Roots: `scipy.optimize.brentq` and kin, `newton`, `root_scalar`, `fixed_point`, `root`, `fsolve`.

The implicit function theorem at the root. Where the search begins or is bracketed does not matter. Of the numbers in
a result object only the root has derivatives: the residual there is 0, the rest are counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..callbacks import found_by, tell
from ..implicit import DIRECTLY, as_found, corrected, invertible, jacobian_of
from ..solutions import converged, tuple_of, with_values


def slope_of(config: Any, f: Any, x: Any, args: Any) -> Any:
    """The derivative of a function of one number, or of one array elementwise."""
    _, slope = config.jvp(lambda z: f(z, *args), (x,), (np.ones_like(x) if np.ndim(x) else 1.0,))
    slope = np.zeros(np.shape(x)) if slope is None else slope
    if np.any(slope == 0):
        raise NotImplementedDerivative("the slope of the function is 0 at the root, which has no derivative there")
    return invertible(np.float64(slope)) if np.ndim(x) == 0 else slope


def elementwise(config: Any, f: Any, x: Any, args: Any) -> Any:
    """A root `x` of ``f(x, *args)``, for each element of an array by itself."""
    slope = config.plainly(slope_of, config, f, x, args)
    r = config.plainly(f, x, *args)
    for _ in range(config.orders()):
        x = as_found(x, x - (f(x, *args) - r) / slope)
    return x


def root_at_once(config: Any, f: Any, ways: Any, args: Any, others: Any, find: Any, *given: Any) -> Any:
    """A root that is found by ``find(f, args, *given)``, with its first derivatives; see `RuleConfig.at_once`."""
    if not ways.reach(1):
        return None
    x, found = find(f, args, *given)
    if np.ndim(x) == 0:
        slope, *bars = ways.pullback(float(x), np.ones(1))
        return ((x, found), [-bar / slope for bar in bars]) if slope and np.isfinite(slope) else None
    rows = [ways.pullback(x, e) for e in np.eye(len(x))] if np.ndim(x) == 1 and len(x) <= DIRECTLY else []
    if not rows:
        return None
    slopes, *columns = (np.stack(parts) for parts in zip(*rows, strict=True))
    inverse = np.linalg.inv(invertible(slopes))
    return (x, found), [-np.tensordot(inverse, column, 1) for column in columns]


def bracketed(method: Any) -> None:
    """Declare the program of a method that finds a root between two ends."""

    def solver(config: Any, f: Any, a: Any, b: Any, args: Any = (), *options: Any, **named: Any) -> Any:
        args = tuple_of(args)
        quick = config.at_once(root_at_once, f, 0.5, args, (), between, method, a, b, options, named)
        if quick is not None:
            x, found = quick
        else:
            found = config.plainly(with_root, method, f, a, b, args, *options, **named)
            converged(found[1].converged, found[1].flag)
            x = elementwise(config, f, found[1].root, args)
        return (x, with_values(found[1], root=x)) if found[0] else x

    program(method)(solver)


def between(f: Any, args: Any, method: Any, a: Any, b: Any, options: Any, named: Any) -> Any:
    """A root between two ends, and what `with_root` gives."""
    found = with_root(method, f, a, b, args, *options, **named)
    converged(found[1].converged, found[1].flag)
    return found[1].root, found


def with_root(method: Any, f: Any, a: Any, b: Any, args: Any, *options: Any, **named: Any) -> Any:
    """Whether the caller asked for the full output, and that."""
    names = ["xtol", "rtol", "maxiter", "full_output", "disp"]
    if method is optimize.toms748:
        names = ["k", *names]
    named = {**dict(zip(names, options, strict=False)), **named}
    full = named.pop("full_output", False)
    return full, method(f, a, b, args, full_output=True, **named)[1]


for _method in (optimize.brentq, optimize.brenth, optimize.bisect, optimize.ridder, optimize.toms748):
    bracketed(_method)


@program(optimize.newton)
def newton_program(
    config: Any, func: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-8, maxiter: Any = 50,
    fprime2: Any = None, x1: Any = None, rtol: Any = 0.0, full_output: Any = False, disp: Any = True,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    given = (fprime, args, tol, maxiter, fprime2, x1, rtol)
    quick = config.at_once(root_at_once, func, 0.5, args, (), newton_root, x0, given, disp)
    if quick is not None:
        x, found = quick
        return (x, with_values(found[1], root=x)) if full_output else x
    found = config.plainly(optimize.newton, func, x0, *given, full_output=True, disp=disp)
    if np.ndim(found[0]):
        converged(np.all(found[1]), "of some elements")
        x = elementwise(config, func, found[0], args)
        return type(found)(x, *found[1:]) if full_output else x
    converged(found[1].converged, found[1].flag)
    x = elementwise(config, func, found[0], args)
    return (x, with_values(found[1], root=x)) if full_output else x


def newton_root(f: Any, args: Any, x0: Any, given: Any, disp: Any) -> Any:
    """The root, a number, that `newton` finds, and all that it gives."""
    if np.ndim(x0):
        raise NotImplementedDerivative("each element has a root of its own")
    found = optimize.newton(f, x0, *given, full_output=True, disp=disp)
    converged(found[1].converged, found[1].flag)
    return found[0], found


@program(optimize.root_scalar)
def root_scalar_program(
    config: Any, f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
    fprime2: Any = None, *options: Any, **named: Any,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    given = (method, bracket, fprime, fprime2, *options)
    quick = config.at_once(root_at_once, f, 0.5, args, (), scalar_root, given, named)
    if quick is not None:
        x, found = quick
        return with_values(found, root=x)
    found = config.plainly(optimize.root_scalar, f, args, *given, **named)
    converged(found.converged, found.flag)
    value = f
    if fprime is not None and callable(fprime) is False and fprime:
        value = lambda *xs: f(*xs)[0]  # with its derivatives beside it
    return with_values(found, root=elementwise(config, value, found.root, args))


def scalar_root(f: Any, args: Any, given: Any, named: Any) -> Any:
    """The root that `root_scalar` finds, and its result."""
    found = optimize.root_scalar(f, args, *given, **named)
    converged(found.converged, found.flag)
    return found.root, found


@program(optimize.fixed_point)
def fixed_point_program(
    config: Any, func: Any, x0: Any, args: Any = (), xtol: Any = 1e-8, maxiter: Any = 500, method: Any = "del2"
) -> Any:
    x = config.plainly(optimize.fixed_point, func, x0, args, xtol, maxiter, method)
    if np.ndim(x):
        return vector_root(config, lambda z: np.asarray(z - func(z, *args)), x)
    root = elementwise(config, lambda z: z - func(z, *args), config.plainly(float, x), ())
    return np.asarray(root) if config.plainly(isinstance, x, np.ndarray) else root


def vector_root(config: Any, residual: Any, x: Any) -> Any:
    """A root of a system."""
    flat = lambda z: np.ravel(residual(np.reshape(z, np.shape(x))))
    z = config.plainly(np.ravel, x)
    z = corrected(config, z, flat, config.plainly(jacobian_of, config, flat, z))
    return np.reshape(z, np.shape(x))


@program(optimize.root)
def root_program(
    config: Any, fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, *options: Any, **named: Any
) -> Any:
    args = tuple_of(args)
    if named.get("callback") is None and np.size(x0) <= DIRECTLY:
        given = (x0, method, jac, options, named)
        quick = config.at_once(root_at_once, fun, np.atleast_1d(x0), args, (), system_root, *given)
        if quick is not None:
            x, found = quick
            return with_values(found, x=x)
    found, calls = found_by(config, optimize.root, fun, x0, args, method, jac, *options, **named)
    converged(found.success, found.message)
    value = lambda z: np.asarray(fun(z, *args))
    if not callable(jac) and jac:
        value = lambda z: np.asarray(fun(z, *args)[0])
    x = vector_root(config, value, found.x)
    tell(named.get("callback"), calls, x)
    return with_values(found, x=x)


def system_root(f: Any, args: Any, x0: Any, method: Any, jac: Any, options: Any, named: Any) -> Any:
    """The root that `root` finds, and its result."""
    found = optimize.root(f, x0, args, method, jac, *options, **named)
    converged(found.success, found.message)
    return found.x, found


@program(optimize.fsolve)
def fsolve_program(
    config: Any, func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, *options: Any,
    **named: Any,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    quick = None
    if np.size(x0) <= DIRECTLY:
        quick = config.at_once(root_at_once, func, np.atleast_1d(x0), args, (), older_root, x0, fprime, options, named)
    if quick is not None:
        x, found = quick
    else:
        found = config.plainly(optimize.fsolve, func, x0, args, fprime, True, *options, **named)
        converged(found[2] == 1, found[3])
        x = vector_root(config, lambda z: np.asarray(func(z, *args)), found[0])
    return (x, *found[1:]) if full_output else x


def older_root(f: Any, args: Any, x0: Any, fprime: Any, options: Any, named: Any) -> Any:
    """The root that `fsolve` finds, and all that it gives."""
    found = optimize.fsolve(f, x0, args, fprime, True, *options, **named)
    converged(found[2] == 1, found[3])
    return found[0], found
