"""Verbs inside differentiated functions: derivatives of derivatives.

The outer derivation needs no second tape. A reverse derivation inside another one, ``g = J(x)^T s`` with the seed s,
runs by itself, and is one entry on the outer tape. Its pullback rests on

    <u, J(x)^T s> = <s, J(x) u> = <s, jvp(f, x, u)>,

so that a cotangent u of g is pulled back through a jvp of `f` along u, differentiated in reverse: by x and by all that
`f` captures. Its tangent is found alike. So reverse over reverse is reverse over forward, at any order.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType, MethodType, NoneType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

import morula.verbs.gradients as api
from chainrules import Tangent, ZeroTangent, is_absent, varying_fields
from morula.eager.calls.captured import function_inside, functions_in, names_of, refuse_hidden
from morula.eager.calls.held import apart, kept_argument
from morula.eager.calls.registry import STRUCTURAL, TANGENTS, structural, where_active
from morula.eager.context.kinds import has_method, refuse_gaps
from morula.eager.context.protocol import Context
from morula.eager.context.run import Run
from morula.eager.context.seeds import or_zero, unit_seed, unit_seed_of_first
from morula.eager.forward.derivation import apart as own
from morula.eager.forward.derivation import derive, sow_captured
from morula.eager.forward.tangent_rules import sibling
from morula.eager.replay.calls import summary_of
from morula.eager.replay.imprint import changed, imprint
from morula.eager.replay.lost import marking_lost
from morula.eager.replay.remembered import Remembered, redrawing
from morula.errors import NotDifferentiable, describe
from morula.static.tiers.dispatch import is_dispatcher
from morula.static.tiers.fallback import for_tangents
from morula.verbs.gradients import WithGradient, _Grad, _OfArguments, _ValueAndGrad
from morula.verbs.plain_functions import function_of_verb, with_functions

ndarray = np.ndarray
Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Call:
    """How a function is called, and with respect to what.

    Attributes:
        names: of the last arguments, which are keywords.
        wanted: the positions of the arguments by which the inner derivation goes.
        active: the positions of those that are active outside.
        captured: the active variables that the function captures, as `Run` takes them.
        seed_of: makes the seed from the value; None where a seed is given.
        around: the number of derivations around the inner one.
    """

    names: tuple[str, ...]
    wanted: tuple[int, ...]
    active: tuple[int, ...]
    captured: dict[str, Any]
    seed_of: Callable[[Any], Any] | None
    around: int

    def __call__(self, ctx: Context, f: Callable, args: tuple, ds: tuple, kw: dict) -> Pair:
        """Call `f` with the last of `args` by name."""
        n = len(args) - len(self.names)
        named, named_d = (dict(zip(self.names, v[n:], strict=True)) for v in (args, ds))
        return ctx.call(f, args[:n], ds[:n], named, named_d)

    def derived(
        self, ctx: Context, f: Any, args: tuple, ds: Any, tangents: tuple, tangents_d: Any, f_dot: Any, f_dot_d: Any
    ) -> Pair:  # fmt: skip
        """The same call for the value and its tangent; `f_dot` holds the tangents of captured variables."""
        captured = None if f_dot is None else lambda k: sow_captured(ctx, k, f, f_dot, f_dot_d)
        (y, y_d), (y_dot, y_dot_d) = derive(
            ctx, lambda xs, xs_d: self(ctx, f, xs, xs_d, {}), args, ds, tangents, tangents_d, captured, of_pullback=True
        )
        return (y, y_dot), ctx.packed((y_d, y_dot_d))

    def with_tangents(self, tangents: tuple, f_dot: Any = None) -> Callable[..., Pair]:
        """`derived` along tangents that are constants, as `Run` calls it."""
        return lambda ctx, f, args, ds, kw: self.derived(ctx, f, args, ds, tangents, None, f_dot, None)

    def seed(self, y: Any, given: Any) -> Any:
        """The cotangent of `y` that the call begins with."""
        return given if self.seed_of is None else self.seed_of(y)


def sensitivities(f: Callable, how: Call, seed: Any, *args: Any) -> tuple[Any, tuple]:
    """The value of `f` and the cotangents of `args`."""
    run = Run(f, apart(args), {}, active=how.wanted, call=how, around=how.around, fresh=True)
    y = apart(run.y)
    return y, run.gradients_once(lambda y: how.seed(y, seed))


class Sensitivities:
    """The pullback of one call of `sensitivities`, and what its function read: it runs again as it ran first."""

    def __init__(self, f: Callable, how: Call, seed: Any, args: tuple):
        self.f, self.how, self.given_seed, self.args = f, how, seed, args
        before = imprint(f)
        self.remembered = Remembered(before, args, {})
        self.y, self.bars = sensitivities(f, how, seed, *args)
        if changed(before, imprint(f), but_for={int, bool, str, NoneType}):
            raise NotDifferentiable(
                f"{describe(f)}, whose derivative is differentiated again, writes into captured variables or other "
                "reachable state; let it return what it computes"
            )
        self.then = to_compare(self.y)

    def check(self, y: Any) -> None:
        """Raise where another run gave another value than the first."""
        if not agree(self.then, to_compare(y)):
            raise NotDifferentiable(
                f"{describe(self.f)}, whose derivative is differentiated again, returned a different value when it "
                "ran again: something that it reads has changed since"
            )

    def __call__(self, seeds: Any) -> tuple:
        """The cotangents of the seed and of the arguments."""
        f, how, args = self.f, self.how, self.args
        y_bar, directions = seeds[0], of_fields(seeds[1])
        along = not is_absent(directions)
        with self.remembered.with_state_restored():
            with redrawing(self.remembered.generators):
                call = how.with_tangents(directions) if along else how
                run = Run(f, apart(args), {}, how.captured, active=how.active, call=call, around=how.around, fresh=True)
            self.check(run.y[0] if along else run.y)
            f_bar, *args_bar = run.gradients((y_bar, how.seed(run.y[0], self.given_seed)) if along else y_bar)
        f_bar, *args_bar = (
            ZeroTangent() if bar is None and callable(x) else bar  # it is known that they do not matter
            for x, bar in zip((f, *args), (f_bar, *args_bar), strict=True)
        )
        return (f_bar, None, run.y[1] if along and how.seed_of is None else None, *args_bar)


def sensitivities_rule(f: Callable, how: Call, seed: Any, *args: Any) -> Any:
    """The rule for `sensitivities`."""
    call = Sensitivities(f, how, seed, args)
    return (call.y, call.bars), call


def to_compare(y: Any) -> Any:
    """What is kept of a value to know it again: numbers and arrays as they are, of the rest a summary."""
    if isinstance(y, ndarray):
        return np.array(y) if y.dtype.kind in "fc" else summary_of(y)
    if isinstance(y, tuple | list):
        return [to_compare(v) for v in y]
    return y if isinstance(y, float | complex | np.inexact) else summary_of(y)


def agree(then: Any, now: Any) -> bool:
    """Whether two values are the same but for rounding and `np.float64`, which depend on the derivations around."""
    if isinstance(then, list):
        return isinstance(now, list) and len(then) == len(now) and all(map(agree, then, now))
    if not isinstance(then, ndarray | float | complex | np.inexact):
        return type(then) is type(now) and then == now
    if not isinstance(now, ndarray | float | complex | np.inexact) or np.shape(then) != np.shape(now):
        return False
    eps = np.finfo(np.result_type(then)).eps
    size = np.max(np.abs(then), initial=0.0, where=np.isfinite(then))
    return bool(np.allclose(now, then, rtol=0.0, atol=np.sqrt(eps) * size + eps, equal_nan=True))


def sensitivities_tangent(
    ctx: Context, args: tuple, shadows: tuple, dots: list, y: Any, pullback: Sensitivities
) -> Pair:  # fmt: skip
    """The tangent of `sensitivities`: those of the value and of the cotangents."""
    with pullback.remembered.with_state_restored():
        found, again = _tangent_of_sensitivities(ctx, args, shadows, dots, y)
    pullback.check(again)
    return found


def _tangent_of_sensitivities(ctx: Context, args: tuple, shadows: tuple, dots: list, y: Any) -> tuple[Pair, Any]:
    """The same by another run, and the value that this one gave."""
    f, how, seed, *xs = args
    s = how.seed(y[0], seed)
    f_dot, _, s_dot, *x_dots = dots
    tangents = tuple([None if d is None else d[0] for d in x_dots])
    if ctx.ops(ctx.depth) is not ctx:
        call = how.with_tangents(tangents, f_dot and f_dot[0])
        run = Run(f, apart(tuple(xs)), {}, active=how.wanted, call=call, around=how.around, fresh=True)
        again = apart(run.y[0])
        return ((run.y[1], run.gradients_once(lambda _: (s_dot and s_dot[0], s))), None), again
    tangents_d = ctx.packed(tuple([None if d is None else d[1] for d in x_dots]))
    tangents, tangents_d = own(ctx, tangents, tangents_d)  # that of an argument may be that of a captured variable
    f_dot, f_dot_d = f_dot or (None, None)
    s_dot, s_dot_d = s_dot or (None, None)
    plainly = replace(how, seed_of=None)  # which may hold active values that no cotangent is asked for
    h, _ = ctx.call(pushed, (f, plainly, tangents, f_dot), (None, None, tangents_d, f_dot_d))
    xs_d = tuple([sibling(ctx, x, d) for x, d in zip(xs, shadows[3:], strict=True)])
    (value, value_d), (bars, bars_d) = differentiated(
        ctx, h, tuple(xs), xs_d, (s_dot, s), ctx.packed((s_dot_d, sibling(ctx, seed, shadows[2]))), wanted=how.wanted
    )
    return ((value[1], bars), ctx.packed((None if value_d is None else value_d[1], bars_d))), value[0]


def of_fields(u: Any) -> Any:
    """A cotangent of gradients, in which that of an object's (a `Tangent`) is the dict of its fields."""
    if (names := varying_fields(type(u))) is not None:
        return {n: getattr(u, n) for n in names}
    if isinstance(u, Tangent):
        fields = u.fields()
        return of_fields(fields["_fields"] if u.primal_type is Tangent else dict(fields))
    if isinstance(u, tuple | list):
        return type(u)(*map(of_fields, u)) if hasattr(u, "_fields") else type(u)(map(of_fields, u))
    return {k: of_fields(v) for k, v in u.items()} if isinstance(u, dict) else u


def pushed(f: Callable, how: Call, tangents: tuple, f_dot: Any) -> Callable:
    """The function whose value is that of `f` and its tangent."""
    return lambda *args: directional(f, how, args, tangents, f_dot)


def directional(f: Callable, how: Call, args: tuple, tangents: tuple, f_dot: Any) -> Any:
    """Value and tangent of a call along the tangents of its arguments and of what it captures."""
    raise AssertionError("only a context calls this")


@structural(directional)
def _directional(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    f, how, xs, tangents, f_dot = args
    _, _, xs_d, tangents_d, f_dot_d = ds
    return how.derived(ctx, f, xs, xs_d, tangents, tangents_d, f_dot, f_dot_d)


TANGENTS[sensitivities] = sensitivities_tangent


def differentiated(
    ctx: Context, f: Any, args: tuple, ds: Any, seed: Any, seed_d: Any, *, kw: dict | None = None,
    kw_d: dict | None = None, seed_of: Callable | None = None, wanted: tuple[int, ...] | None = None,
) -> tuple[Pair, Pair]:  # fmt: skip
    """Value of ``f(*args, **kw)`` and cotangents of `args` (those `wanted`) in a context where something is active."""
    names = tuple(kw or {})
    ds = ds or (None,) * len(args)
    if wanted is None:
        wanted = tuple(range(len(args)))
    hidden = 0
    verbs: list[tuple[_OfArguments, int]] = []
    while not isinstance(f, FunctionType):  # the state of a callable is its first argument
        if isinstance(f, MethodType):
            owner, owner_d = f.__self__, ctx.shadow_in_object(f, "__self__")
            f, args, ds, hidden = f.__func__, (owner, *args), (owner_d, *ds), hidden + 1
        elif isinstance(f, partial):
            refuse_gaps(f)
            kw, kw_d = {**f.keywords, **(kw or {})}, dict(kw_d or {})
            kw_d |= {k: ctx.shadow_in_object(f, ("keywords", k)) for k in f.keywords if k not in kw_d}
            names = tuple(kw)
            front_d = tuple(ctx.shadow_in_object(f, ("args", i)) for i in range(len(f.args)))
            f, args, ds, hidden = f.func, (*f.args, *args), (*front_d, *ds), hidden + len(f.args)
        elif is_dispatcher(f):
            f = for_tangents(f, by_verb=True)
        elif isinstance(f, _OfArguments):
            again, f = f, f.f
            verbs.append((again, hidden))
        elif has_method(type(f), "__call__") and type(f).__call__ not in STRUCTURAL:
            f, args, ds, hidden = type(f).__call__, (f, *args), (None, *ds), hidden + 1
        else:
            break
    for verb, outer in reversed(verbs):
        f = function_of_verb(f, verb, hidden - outer)
    if isinstance(f, FunctionType):
        f = with_functions(ctx, f)
    every = (*args, *(kw or {}).values())
    every_d = (*ds, *((kw_d or {}).get(name) for name in names))
    functions = {id(g) for g in functions_in(f)}
    for x in every:
        refuse_hidden(ctx, x, functions, set())
    shadows = ctx.argument_shadows(sensitivities, (f, seed, *every), (None, seed_d, *every_d))
    for x, shadow in zip(every, shadows[2:], strict=True):
        inside = function_inside(x, shadow)
        if inside is not None:
            names_inside = ", ".join(repr(name) for name, *_ in inside.captured)
            raise NotDifferentiable(
                f"{describe(f)}, which is differentiated inside a differentiated function, was given "
                f"{describe(inside.f)}, which holds active values ({names_inside}); pass these as arguments too"
            )
    wanted = tuple([i + hidden for i in wanted])
    active = tuple([i for i, s in enumerate(shadows[2:]) if s is not None])
    captured = {} if shadows[0] is None else names_of(shadows[0].captured)
    how = Call(names, wanted, active, captured, seed_of, ctx.around + max(ctx.depth + ctx.taped, 1))
    all_shadows = (shadows[0], None, *shadows[1:])
    kept = tuple(map(kept_argument, every))
    found = marking_lost(
        ctx, "a gradient", ctx._rule_result, sensitivities, sensitivities_rule, (f, how, seed, *kept), all_shadows, {},
        False,
    )  # fmt: skip
    (y, bars), found_d = found
    y_d, bars_d = found_d or (None, None)
    n = len(every) - len(names)
    return (y, y_d), (bars[hidden:n], None if bars_d is None else ctx.packed(bars_d[hidden:n]))


# -- the verbs ------------------------------------------------------------------------------------------------


def _gradient(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    f, args = args[0], args[1:]
    seed_of = partial(unit_seed, verb="gradient")
    _, bars = differentiated(ctx, f, args, ds[1:], None, None, kw=kw, kw_d=kw_d, seed_of=seed_of)
    return bars


def _withgradient(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    f, args = args[0], args[1:]
    (y, y_d), (bars, bars_d) = differentiated(
        ctx, f, args, ds[1:], None, None, kw=kw, kw_d=kw_d, seed_of=unit_seed_of_first
    )
    return WithGradient(y, bars), ctx.packed((y_d, bars_d))


def _of_arguments(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """A call of what `grad` or `value_and_grad` made."""
    verb, args = args[0], args[1:]
    chosen = verb.chosen(args)
    (y, y_d), (bars, bars_d) = differentiated(
        ctx, verb.f, args, ds[1:], None, None, kw=kw, kw_d=kw_d, seed_of=verb.seed_of, wanted=chosen
    )
    found = tuple([or_zero(bars[i], args[i]) for i in chosen])
    found_d = None if bars_d is None else tuple([bars_d[i] for i in chosen])
    if isinstance(verb.argnums, int):
        found, found_d = found[0], None if found_d is None else found_d[0]
    if isinstance(verb, _ValueAndGrad):
        return (y, found), ctx.packed((y_d, found_d))
    if verb.has_aux:
        return (found, y[1]), ctx.packed((found_d, None if y_d is None else y_d[1]))
    return found, found_d


class NestedBack:
    """The pullback of a call inside a differentiated function; it runs the function again."""

    def __init__(self, f: Callable, args: tuple, kwargs: dict):
        self.f = f
        self.args = args
        self.kwargs = kwargs

    def __call__(self, seed: Any) -> tuple:
        """One cotangent per positional argument, for the seed of the value."""
        return api.pullback(self.f, *self.args, **self.kwargs)[1](seed)


def _pullback(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if kw.pop("with_self", False):
        raise NotDifferentiable("pullback(..., with_self=True) inside a differentiated function is not supported")
    f, args = args[0], args[1:]
    (args, args_d) = (
        zip(*[own(ctx, x, d) for x, d in zip(args, ds[1:], strict=True)], strict=True) if args else ((), ())
    )
    named = {name: own(ctx, v, kw_d.get(name)) for name, v in kw.items()}
    kept = {name: v for name, (v, _) in named.items()}
    ctx.new_dict(kept, {name: d for name, (_, d) in named.items()})
    back, _ = ctx.call(NestedBack, (f, args, kept), (None, ctx.packed(args_d), None))
    BACKS[back] = imprint(f)
    again, again_d = (
        zip(*[own(ctx, x, d) for x, d in zip(args, args_d, strict=True)], strict=True) if args else ((), ())
    )
    y, y_d = ctx.call(f, again, again_d, kw, kw_d)
    return (y, back), ctx.packed((y_d, None))


def _back(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    back, seed = args
    if changed(BACKS[back], imprint(back.f)):
        raise NotDifferentiable(
            f"something that {describe(back.f)} captures has changed since its pullback was created, inside a "
            "differentiated function"
        )
    xs, xs_d = ctx.getattr(back, None, "args")
    kwargs, _ = ctx.getattr(back, None, "kwargs")
    named = {name: ctx.getitem(kwargs, None, name, None) for name in kwargs}
    _, bars = differentiated(
        ctx, back.f, xs, xs_d, seed, ds[1], kw=kwargs, kw_d={name: d for name, (_, d) in named.items()}
    )
    return bars


BACKS: WeakKeyDictionary[NestedBack, Any] = WeakKeyDictionary()
where_active(api.gradient)(_gradient)
where_active(api.withgradient)(_withgradient)
where_active(api.pullback)(_pullback)
where_active(_Grad.__call__)(_of_arguments)
where_active(_ValueAndGrad.__call__)(_of_arguments)
structural(NestedBack.__call__)(_back)
for _make in (api.grad, api.value_and_grad):
    structural(_make)(lambda ctx, args, ds, kw, kw_d, make=_make: (make(*ctx.callees(args, ds), **kw), None))
