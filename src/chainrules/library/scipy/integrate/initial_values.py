"""Initial value problems: `scipy.integrate.solve_ivp` and `odeint`.

The steps that the solver took are taken again as differentiable code: the derivative is that of the computed solution
with its step sizes as they are, by the initial state, ``args``, what the function captures, both ends and ``t_eval``.
For RK23, RK45 and DOP853 these are the solver's own steps and values. For Radau, BDF and LSODA they are those of a
collocation method of order 5 between the solver's points of time; the values stay the solver's.
`odeint` does not tell its steps: they are LSODA's where it needed a stiff method, and DOP853's elsewhere.
Times of events move as the implicit function theorem says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....adjoints import chosen_adjoint
from ....programs import program
from ....rules import rrule
from ....tangents import NoTangent, NotImplementedDerivative
from ..solutions import converged, with_values
from .backwards import EXPLICIT, Backwards, solution_of_equation
from .collocations import Collocation, collocated_solution
from .complex_states import event_of_parts, parts, slope_of_parts, whole
from .steps import explicit_interpolant, explicit_step, implicit_interpolant, implicit_step
from .switches import refuse_moving, switches
from .trajectories import Trajectory, solution

METHODS = {m.__name__: m for m in (
    integrate.RK23, integrate.RK45, integrate.DOP853, integrate.Radau, integrate.BDF, integrate.LSODA
)}  # fmt: skip


def noted(
    fun: Any, t_span: Any, y0: Any, method: Any, t_eval: Any, dense: Any, events: Any, args: Any, options: Any
) -> Any:
    """SciPy's result, the points of time that its solver stepped to, the states there, the slopes, and the solution.

    The last, a function of time, is None unless it is wanted. Called plainly.
    """
    points: list[float] = [float(t_span[0])]
    states: list[Any] = [np.asarray(y0) * 1.0]
    slopes: list[Any] = []

    class Noting(method):
        def step(self) -> Any:
            message = super().step()
            points.append(float(self.t))
            states.append(np.array(self.y))
            if issubclass(method, EXPLICIT):
                slopes.append(slopes_of(self))
            return message

        def dense_output(self) -> Any:
            found = super().dense_output()
            if slopes:  # those that only the dense output takes are there now
                slopes[-1] = slopes_of(self)
            return found

    found = integrate.solve_ivp(
        fun, t_span, y0, method=Noting, t_eval=t_eval, dense_output=dense, events=events, args=args, **options
    )
    return with_values(found, sol=None), np.array(points), np.array(states), np.array(slopes), found.sol


def slopes_of(solver: Any) -> Any:
    """The slopes of the stages of a step, and that at its end; of DOP853 those that its dense output takes, too."""
    return getattr(solver, "K_extended", solver.K).copy()


def switches_of(method: Any, slope: Any, points: Any, states: Any, slopes: Any, order: int) -> Any:
    """Where a right-hand side is too rough on the steps of a method."""
    stages = slopes[:, : method.n_stages + 1] if len(slopes) else ()
    return switches(slope, points, states, order, stages, np.append(method.C, 1.0) if len(stages) else None)


def taken_again(
    config: Any, fun: Any, method: Any, points: Any, states: Any, t0: Any, tf: Any, y: Any, dense: Any
) -> Any:
    """The states at the points of time, and the interpolants of the steps where they are needed."""
    points = points.tolist()
    n = len(points) - 1
    explicit = issubclass(method, EXPLICIT)
    f = fun(t0, y) if explicit else None
    ys = [y]
    pieces = []
    t = t0
    for i in range(n):
        t_new = points[i + 1]
        if i == n - 1 and points[-1] == tf:
            t_new = tf
        h = t_new - t
        if explicit:
            y_new, f_new, ks = explicit_step(fun, method, t, y, f, h)
            if dense:
                pieces.append(explicit_interpolant(fun, method, t, y, h, y_new, f_new, ks))
            f = f_new
        else:
            guess = config.plainly(np.linspace, states[i], states[i + 1], 4)[1:]
            z = implicit_step(config, fun, t, y, h, guess)
            y_new = z[2]
            if dense:
                pieces.append(implicit_interpolant(t, y, h, z))
        ys.append(y_new)
        y = y_new
        t = t_new
    return ys, pieces


def step_of(points: Any, t: Any) -> int:
    """The number of the step that a point of time lies in."""
    order = points if points[-1] >= points[0] else -points
    key = t if points[-1] >= points[0] else -t
    return int(np.clip(np.searchsorted(order, key, side="left") - 1, 0, len(points) - 2))


class Dense:
    """What ``res.sol`` is in place of an `OdeSolution`: the solution as a function of time."""

    def __init__(self, ts: Any, interpolants: Any, is_complex: bool, sol: Any):
        self.ts = ts
        self.sol = sol
        self.interpolants = interpolants
        self.is_complex = is_complex
        self.t_min = ts.min()
        self.t_max = ts.max()

    def __call__(self, t: Any) -> Any:
        found = [self.interpolants[step_of(self.ts, s)](s) for s in ([t] if np.ndim(t) == 0 else t)]
        y = found[0] if np.ndim(t) == 0 else np.stack(found, axis=1)
        return valued(self.sol, t, whole(y) if self.is_complex else y)


def valued(sol: Any, t: Any, y: Any) -> Any:
    """What SciPy's solution is at `t`, with the derivatives of `y`."""
    return sol(t)


@rrule(valued)
def valued_rule(sol: Any, t: Any, y: Any) -> Any:
    return sol(t), lambda y_bar: (NoTangent(), NoTangent(), y_bar)


def moved(found: Any, y: Any, plain: Any) -> Any:
    """What SciPy computed, with the derivatives of `y`."""
    return found + (y - plain)


def apart_from_derivatives(x: Any) -> Any:
    return np.array(x)


def event_time(config: Any, event: Any, piece: Any, t: Any, args: Any) -> Any:
    """The time at which an event was found, with its derivatives."""
    at = lambda s: event(s, piece(s), *args)
    slope = config.plainly(slope_at, config, at, t)
    r = config.plainly(at, t)
    for _ in range(config.orders()):
        t = t - (at(t) - r) / slope
    return t


def slope_at(config: Any, f: Any, t: Any) -> Any:
    slope = config.jvp(f, (t,), (1.0,))[1]
    if slope is None or slope == 0:
        raise NotImplementedDerivative("an event only touches zero: its time has no derivative")
    return float(slope)


@program(integrate.solve_ivp)
def solve_ivp_program(
    config: Any, fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: Any = False,
    events: Any = None, vectorized: Any = False, args: Any = None, **options: Any,
) -> Any:  # fmt: skip
    if method not in METHODS and method not in METHODS.values():
        raise NotImplementedDerivative(f"the method {method} is not implemented: {', '.join(METHODS)} are")
    method = METHODS[method] if isinstance(method, str) else method
    if vectorized:
        of_columns = fun
        fun = lambda t, y, *args: np.ravel(
            of_columns(t, np.reshape(y, (-1, 1)), *args)
        )  # as SciPy calls it for one state
    t0 = t_span[0]
    tf = t_span[1]
    y = np.asarray(y0) * 1.0
    adjoint = config.plainly(chosen_adjoint)
    continuous = adjoint.kind == "continuous" and not dense_output and events is None
    with_solution = continuous or dense_output or events is not None
    given = (fun, t_span, y0, method, t_eval, with_solution, events, args, options)
    found, points, states, slopes, sol = config.plainly(noted, *given)
    converged(found.success, found.message)
    is_complex = np.iscomplexobj(y)
    if is_complex:
        fun, y = slope_of_parts(fun), parts(y)
        found, states, slopes = config.plainly(run_in_parts, found, states, slopes)
        if events is not None:
            events = [event_of_parts(event) for event in ([events] if callable(events) else events)]
    args = () if args is None else args
    slope = lambda t, y: np.asarray(fun(t, y, *args)) * 1.0
    path, rough = config.plainly(switches_of, method, slope, points, states, slopes, config.orders())
    if rough:
        config.plainly(refuse_moving, path, rough, config.nearby(slope))
    if not dense_output and events is None and len(points) > 1 and len(found.t):
        quick = config.quick_pullback(fun, (t0, y, *args), (t_span, t_eval))
        if quick is not None:
            start, captured = quick
            if continuous:
                solved = config.plainly(
                    solved_both_ways, method, options, adjoint, sol, points, found, start, is_complex
                )  # fmt: skip
                return with_states(found, solution_of_equation(solved, y, *args, *captured), is_complex)
            at = config.plainly(wanted_times, found, t_eval)
            if not issubclass(method, EXPLICIT):
                walked = config.plainly(Collocation, slope, y, points, states, at, found.y, start)
                return with_states(found, collocated_solution(walked, y, *args, *captured), is_complex)
            walked = config.plainly(Trajectory, method, points, states, slopes, at, found.y, start)
            return with_states(found, solution(walked, y, *args, *captured), is_complex)
    dense = dense_output or t_eval is not None or events is not None
    ys, pieces = taken_again(config, slope, method, points, states, t0, tf, y, dense)
    values: Any = {}
    if dense_output:
        values["sol"] = Dense(points, pieces, is_complex, sol)
    if events is not None:
        listed = [events] if callable(events) else events
        times = [
            [event_time(config, event, pieces[step_of(points, t)], float(t), args) for t in ts]
            for event, ts in zip(listed, found.t_events, strict=True)
        ]
        values["t_events"] = [np.array(ts) for ts in times]
        found_at = Dense(points, pieces, is_complex, sol)
        values["y_events"] = [np.stack([found_at(t) for t in ts]) if ts else np.array([]) for ts in times]
    if t_eval is not None:
        count = len(found.t)
        if count == 0:
            return with_states(found, found.y, is_complex, **values)
        at = [t_eval[i] for i in range(count)]
        columns = [pieces[step_of(points, config.plainly(float, t))](t) for t in at]
        values["t"] = np.array(at)
    else:
        at = [t0, *points[1:-1], tf]
        columns = ys
        if found.status == 1:
            last = ended(found, values["t_events"])
            at = [*at[:-1], last]
            columns = [*ys[:-1], pieces[-1](last)]
        values["t"] = np.array(at)
    replayed = np.stack(columns, axis=1)
    y = moved(found.y, replayed, config.plainly(apart_from_derivatives, replayed))
    return with_states(found, y, is_complex, **values)


def run_in_parts(found: Any, states: Any, slopes: Any) -> Any:
    """What a solver did with complex states, in real and imaginary parts. Called plainly."""
    return with_values(found, y=parts(found.y)), parts(states, 1), parts(slopes, 2) if len(slopes) else slopes


def with_states(found: Any, y: Any, is_complex: bool, **values: Any) -> Any:
    return with_values(found, y=whole(y) if is_complex else y, **values)


def solved_both_ways(
    method: Any, options: Any, adjoint: Any, sol: Any, points: Any, found: Any, start: Any, is_complex: bool
) -> Any:
    """What the continuous adjoint takes."""
    states = (lambda t: parts(sol(t))) if is_complex else sol
    chosen = tolerances_of_adjoint(adjoint, options.get("rtol", 1e-3), options.get("atol", 1e-6))
    return Backwards(method, chosen, states, points[[0, -1]], np.array(found.t), found.y, start)


def tolerances_of_adjoint(adjoint: Any, rtol: Any, atol: Any) -> dict[str, Any]:
    """Those of the call, unless others were chosen."""
    return {
        "rtol": rtol if adjoint.rtol is None else adjoint.rtol,
        "atol": np.min(atol) if adjoint.atol is None else adjoint.atol,
    }


def wanted_times(found: Any, t_eval: Any) -> Any:
    return None if t_eval is None else np.array(found.t)


def ended(found: Any, times: Any) -> Any:
    """The time of the event that ended the integration."""
    for ts, plain in zip(times, found.t_events, strict=True):
        for t, s in zip(ts, plain, strict=True):
            if s == found.t[-1]:
                return t
    raise NotImplementedDerivative("the event that ended the integration was not found again")


@program(integrate.odeint)
def odeint_program(
    config: Any, func: Any, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0,
    full_output: Any = 0, ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None, tcrit: Any = None,
    *rest: Any, tfirst: Any = False, **named: Any,
) -> Any:  # fmt: skip
    args = args if isinstance(args, tuple) else (args,)
    found = config.plainly(
        integrate.odeint, func, y0, t, args, Dfun, col_deriv, True, ml, mu, rtol, atol, tcrit, *rest, tfirst=tfirst,
        **named,
    )  # fmt: skip
    converged(found[1]["message"] == "Integration successful.", found[1]["message"])
    stiff = config.plainly(np.any, found[1]["mused"] == 2)  # otherwise explicit steps do, and cost less
    slope = (lambda s, y: func(s, y, *args)) if tfirst else (lambda s, y: func(y, s, *args))
    start = np.atleast_1d(y0) * 1.0
    tolerances = config.plainly(tolerances_of, rtol, atol)
    first = (config.plainly(float, t[0]), start) if tfirst else (start, config.plainly(float, t[0]))
    adjoint = config.plainly(chosen_adjoint)
    continuous = adjoint.kind == "continuous"
    quick = None if len(t) < 2 or (stiff and not continuous) else config.quick_pullback(func, (*first, *args), (t,))
    if quick is not None and continuous:
        given = (slope, start, t, found[0], quick[0], tfirst, tolerances, adjoint, stiff, config.orders())
        solved, path, rough = config.plainly(equation_of, *given)
        if rough:
            config.plainly(refuse_moving, path, rough, config.nearby(slope))
        y = solution_of_equation(solved, start, *args, *quick[1]).T
        return (y, found[1]) if full_output else y
    if quick is not None:
        walked = config.plainly(walked_explicitly, slope, start, t, found[0], quick[0], tfirst, tolerances)
        path, rough = config.plainly(
            switches_of, walked.method, slope, walked.times, walked.states, walked.slopes, config.orders()
        )
        if rough:
            config.plainly(refuse_moving, path, rough, config.nearby(slope))
        y = solution(walked, start, *args, *quick[1]).T
        return (y, found[1]) if full_output else y
    again = integrate.solve_ivp(
        slope, (t[0], t[-1]), start, method="LSODA" if stiff else "DOP853", t_eval=t, **tolerances
    ).y.T  # fmt: skip
    y = moved(found[0], again, config.plainly(apart_from_derivatives, again))
    return (y, found[1]) if full_output else y


def tolerances_of(rtol: Any, atol: Any) -> dict[str, Any]:
    """Those of `solve_ivp`, with `odeint`'s defaults."""
    small = 1.49012e-8
    return {"rtol": small if rtol is None else rtol, "atol": small if atol is None else atol}


def walked_explicitly(slope: Any, y0: Any, t: Any, values: Any, start: Any, t_first: Any, tolerances: Any) -> Any:
    """The steps of DOP853 in place of those that `odeint` took to `values`, which it does not tell."""
    t = np.array(t, float)
    found, points, states, slopes, _ = noted(
        slope, (t[0], t[-1]), y0, integrate.DOP853, t, False, None, None, tolerances
    )  # fmt: skip
    converged(found.success, found.message)
    return Trajectory(integrate.DOP853, points, states, slopes, t, values.T, start, t_first)


def equation_of(
    slope: Any, y0: Any, t: Any, values: Any, start: Any, t_first: Any, tolerances: Any, adjoint: Any, stiff: bool,
    order: int,
) -> Any:  # fmt: skip
    """What the continuous adjoint of `odeint` takes, a solution as a function of time; and where it is too rough."""
    t, method = np.array(t, float), integrate.LSODA if stiff else integrate.DOP853
    found, points, states, slopes, sol = noted(slope, (t[0], t[-1]), y0, method, None, True, None, None, tolerances)
    converged(found.success, found.message)
    chosen = tolerances_of_adjoint(adjoint, **tolerances)
    solved = Backwards(method, chosen, sol, t[[0, -1]], t, values.T, start, t_first)
    return solved, *switches_of(method, slope, points, states, slopes, order)
