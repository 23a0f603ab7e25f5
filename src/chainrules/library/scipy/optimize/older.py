"""The older interfaces of the solvers: `fmin` and its kin, `leastsq`, `fminbound`, `newton_krylov` and its kin.

They find what `minimize`, `least_squares`, `minimize_scalar` and `root` find, which is differentiated as theirs is.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from scipy import optimize  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..callbacks import found_by, tell
from ..naming import named as of_names
from ..solutions import converged, tuple_of
from .minima import least, on_copies
from .roots import vector_root
from .stationary import Constraint, minimum, number, of_bounds, of_number

PRECISION_LOSS = {optimize.fmin_bfgs: 2, optimize.fmin_cg: 2}  # a warning that comes near every exact minimum


def by_name(names: Any, args: Any, named: Any) -> dict[str, Any]:
    return {**dict(zip(names, args, strict=False)), **named}


def older_minimum(solver: Any) -> None:
    """Declare the program of a function that minimizes a function of an array."""
    names = tuple(signature(solver).parameters)
    asked = "full_output" in names

    def older_program(config: Any, *args: Any, **named: Any) -> Any:
        given = by_name(names, args, named)
        if given.get("retall"):
            raise NotImplementedDerivative("retall=True is not implemented: iterates have no derivatives")
        full = {"full_output": True} if asked else {}
        found, calls = found_by(config, on_copies, solver, **{**given, **full})
        config.plainly(check, solver, found)
        func, extra = given[names[0]], tuple_of(given.get("args", ()))
        with_slope = "approx_grad" in names and not given.get("approx_grad") and given.get("fprime") is None
        value = lambda z: number(func(z, *extra)[0] if with_slope else func(z, *extra))
        start = found if isinstance(found, np.ndarray) else found[0]
        x = minimum(config, value, np.asarray(start, float), limits_of(given, extra))
        tell(given.get("callback"), calls, x)
        if isinstance(found, np.ndarray) or (asked and not given.get("full_output")):
            return x
        if solver is optimize.fmin_tnc:  # which gives no value
            return (x, *found[1:])
        return (x, least(config, found[1], value, x), *found[2:])

    program(solver)(older_program)


def check(solver: Any, found: Any) -> None:
    """Raise where a solver says that it has not converged; `fmin_cobyla` does not say."""
    if solver is optimize.fmin_l_bfgs_b:
        converged(found[2]["warnflag"] == 0, found[2].get("task"))
    elif solver is optimize.fmin_tnc:
        converged(found[2] in (0, 1, 2), optimize._tnc.RCSTRINGS.get(found[2]))
    elif solver is optimize.fmin_slsqp:
        converged(found[3] == 0, found[4])
    elif isinstance(found, tuple):
        converged(found[-1] in (0, PRECISION_LOSS.get(solver)), f"warnflag={found[-1]}")


def limits_of(given: dict[str, Any], extra: Any) -> list[Constraint]:
    """Bounds and constraints, as `fmin_slsqp`, `fmin_cobyla` and others take them."""
    bounds = given.get("bounds")
    found = of_bounds(bounds) if bounds is not None and len(bounds) else []
    more = extra if given.get("consargs") is None else tuple_of(given["consargs"])

    def limited(function: Any, high: Any) -> Constraint:
        return lambda z: np.asarray(function(z, *more)), 0.0, high

    lists = {"eqcons": 0.0, "ieqcons": np.inf, "cons": np.inf}
    for name, high in lists.items():
        functions = given.get(name) or ()
        found = found + [limited(f, high) for f in ([functions] if callable(functions) else functions)]
    for name, high in {"f_eqcons": 0.0, "f_ieqcons": np.inf}.items():
        if given.get(name) is not None:
            found = [*found, limited(given[name], high)]
    return found


for _solver in of_names(
    optimize,
    "fmin fmin_powell fmin_cg fmin_bfgs fmin_ncg fmin_l_bfgs_b fmin_tnc fmin_slsqp fmin_cobyla",
):
    older_minimum(_solver)


@program(optimize.leastsq)
def leastsq_program(config: Any, func: Any, x0: Any, args: Any = (), *options: Any, **named: Any) -> Any:
    given = by_name(tuple(signature(optimize.leastsq).parameters)[3:], options, named)
    if given.get("full_output"):
        raise NotImplementedDerivative("full_output=True is not implemented; use curve_fit for the covariance")
    extra = tuple_of(args)
    x, ier = config.plainly(optimize.leastsq, func, x0, extra, **given)
    converged(ier in (1, 2, 3, 4), f"ier={ier}")
    cost = lambda z: 0.5 * np.sum(np.asarray(func(z, *extra)) ** 2)
    return minimum(config, cost, np.atleast_1d(x), []), ier


@program(optimize.fminbound)
def fminbound_program(
    config: Any, func: Any, x1: Any, x2: Any, args: Any = (), xtol: Any = 1e-5, maxfun: Any = 500,
    full_output: Any = 0, disp: Any = 1,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    found = config.plainly(optimize.fminbound, func, x1, x2, args, xtol, maxfun, True, disp)
    converged(found[2] == 0, f"ierr={found[2]}")
    value = lambda z: number(func(z, *args))
    x = of_number(config, value, found[0], (x1, x2))
    return (x, least(config, found[1], value, x), *found[2:]) if full_output else x


def older_line(solver: Any) -> None:
    """Declare the program of a function that minimizes a function of a number."""

    def line_program(
        config: Any, func: Any, args: Any = (), brack: Any = None, tol: Any = 1.48e-8, full_output: Any = 0,
        maxiter: Any = 500,
    ) -> Any:  # fmt: skip
        args = tuple_of(args)
        found = config.plainly(solver, func, args, brack, tol, True, maxiter)
        value = lambda z: number(func(z, *args))
        x = of_number(config, value, found[0], None)
        return (x, least(config, found[1], value, x), *found[2:]) if full_output else x

    program(solver)(line_program)


older_line(optimize.brent)
older_line(optimize.golden)


def older_root(solver: Any) -> None:
    """Declare the program of a function that finds a root of a system, with ``f_tol`` and the like by name."""

    def root_program(config: Any, F: Any, xin: Any, *options: Any, **named: Any) -> Any:
        found, calls = found_by(config, solver, F, xin, *options, **named)
        x = vector_root(config, lambda z: np.asarray(F(z)), np.asarray(found))
        tell(named.get("callback"), calls, x)
        return x

    program(solver)(root_program)


for _solver in of_names(optimize, "anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov"):
    older_root(_solver)


def isotonic_regression_program(config: Any, y: Any, *, weights: Any = None, increasing: Any = True) -> Any:
    """The weighted mean of each block of neighbours that was pooled."""
    found = config.plainly(optimize.isotonic_regression, y, weights=weights, increasing=increasing)
    y = np.asarray(y, float)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    starts, lengths = found.blocks[:-1], config.plainly(np.diff, found.blocks)
    totals = np.add.reduceat(w, starts)
    found = type(found)(found)
    found["x"] = np.repeat(np.add.reduceat(w * y, starts) / totals, lengths)
    found["weights"] = totals
    return found


for _f in of_names(optimize, "isotonic_regression"):
    program(_f)(isotonic_regression_program)
