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
from ..implicit import as_found, corrected, invertible, jacobian_of
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


def bracketed(method: Any) -> None:
    """Declare the program of a method that finds a root between two ends."""

    def solver(config: Any, f: Any, a: Any, b: Any, args: Any = (), *options: Any, **named: Any) -> Any:
        found = config.plainly(with_root, method, f, a, b, tuple_of(args), *options, **named)
        converged(found[1].converged, found[1].flag)
        x = elementwise(config, f, found[1].root, tuple_of(args))
        return (x, with_values(found[1], root=x)) if found[0] else x

    program(method)(solver)


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
    found = config.plainly(
        optimize.newton, func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, full_output=True, disp=disp
    )
    if np.ndim(found[0]):
        converged(np.all(found[1]), "of some elements")
        x = elementwise(config, func, found[0], args)
        return type(found)(x, *found[1:]) if full_output else x
    converged(found[1].converged, found[1].flag)
    x = elementwise(config, func, found[0], args)
    return (x, with_values(found[1], root=x)) if full_output else x


@program(optimize.root_scalar)
def root_scalar_program(
    config: Any, f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
    fprime2: Any = None, *options: Any, **named: Any,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    found = config.plainly(optimize.root_scalar, f, args, method, bracket, fprime, fprime2, *options, **named)
    converged(found.converged, found.flag)
    value = f
    if fprime is not None and callable(fprime) is False and fprime:
        value = lambda *xs: f(*xs)[0]  # with its derivatives beside it
    return with_values(found, root=elementwise(config, value, found.root, args))


@program(optimize.fixed_point)
def fixed_point_program(
    config: Any, func: Any, x0: Any, args: Any = (), xtol: Any = 1e-8, maxiter: Any = 500, method: Any = "del2"
) -> Any:
    x = config.plainly(optimize.fixed_point, func, x0, args, xtol, maxiter, method)
    if np.ndim(x):
        return vector_root(config, lambda z: np.asarray(z - func(z, *args)), x)
    return elementwise(config, lambda z: z - func(z, *args), config.plainly(float, x), ())


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
    found, calls = found_by(config, optimize.root, fun, x0, args, method, jac, *options, **named)
    converged(found.success, found.message)
    value = lambda z: np.asarray(fun(z, *args))
    if not callable(jac) and jac:
        value = lambda z: np.asarray(fun(z, *args)[0])
    x = vector_root(config, value, found.x)
    tell(named.get("callback"), calls, x)
    return with_values(found, x=x)


@program(optimize.fsolve)
def fsolve_program(
    config: Any, func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, *options: Any,
    **named: Any,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    found = config.plainly(optimize.fsolve, func, x0, args, fprime, True, *options, **named)
    converged(found[2] == 1, found[3])
    x = vector_root(config, lambda z: np.asarray(func(z, *args)), found[0])
    return (x, *found[1:]) if full_output else x
