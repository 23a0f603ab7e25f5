"""Programs in place of functions, see `chainrules.program`: what their steps mean to this engine."""

from types import FunctionType, NoneType
from typing import Any

import numpy as np

import morula.verbs.gradients as gradients
from chainrules import NotImplementedDerivative, shortcut_of
from morula.eager.calls.captured import captured_by
from morula.eager.calls.nearby import nearby
from morula.eager.calls.registry import is_library_rule, structural
from morula.eager.calls.rule_config import JVP, ReverseMode
from morula.eager.calls.steps import PROGRAM
from morula.eager.context.kinds import ATOMS, module_of
from morula.eager.context.protocol import Context
from morula.eager.context.reverse import Reverse
from morula.eager.forward.program import Recorder
from morula.eager.forward.transposed import around
from morula.eager.replay.frozen import frozen
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable, describe
from morula.verbs.directional import jvp
from morula.verbs.hessians import HessianOperator
from morula.verbs.jacobians import jacobian
from morula.verbs.quick_pullbacks import pullback_by_numbers

Pair = tuple[Any, Any]
FOUND = frozenset([np.ndarray, int, bool, str, tuple, NoneType])  # of what a shortcut gives: by itself, or constant


class Programs(ReverseMode):
    """The engine as programs see it. Followed, these methods mean what is said below; called plainly, what they say."""

    traits = ReverseMode.traits | {"programs"}

    def plainly(self, f: Any, *args: Any, **kwargs: Any) -> Any:
        """`f(*args, **kwargs)`, without derivatives."""
        return f(*args, **kwargs)

    def take_state(self, obj: Any, state: dict[str, Any]) -> None:
        """Give `obj` attributes, which are constants."""
        for name, value in state.items():
            setattr(obj, name, value)

    def orders(self) -> int:
        """How many derivations are under way."""
        return 0

    def gradient(self, f: Any, *args: Any) -> Any:
        """The gradient of a number-valued `f`."""
        return gradients.gradient(f, *args)

    def jvp(self, f: Any, primals: tuple, tangents: tuple) -> Any:
        """Value and directional derivative of `f`."""
        return jvp(f, primals, tangents)

    def jacobian(self, f: Any, *args: Any) -> Any:
        """The Jacobian of `f` at `args`."""
        return jacobian(f, *args)

    def quick_pullback(self, f: Any, args: tuple, constants: tuple) -> Any:
        """None: nobody wants one of a program that is called plainly."""

    def at_once(self, solve: Any, f: Any, x: Any, args: tuple, others: tuple, *constants: Any) -> Any:
        """None: nobody wants a derivative of what a program that is called plainly finds."""

    def as_it_is(self, f: Any) -> Any:
        """None: no derivative is wanted of a program that is called plainly."""

    def nearby(self, f: Any) -> Any:
        """None: no value of a program that is called plainly is active."""

    def hessian_products(self, f: Any, x: Any) -> Any:
        """The Hessian of a number-valued `f` at a vector, as the function that multiplies it with a vector."""
        return HessianOperator(f, x, {}).at_once


@structural(Programs.plainly)
def _plainly(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    _, f, *rest = args
    # a step that nothing of the user's is part of, or which only notes what it is given
    if is_library_rule(f) and not kw and (type(f) is type or all(map(is_of_numbers, rest))):
        y = f(*rest)
        return (y.copy() if isinstance(y, np.ndarray) else y), None
    before = imprint(f, rest, kw)
    y = ctx.opaque(f, tuple(rest), kw)
    if changed(before, imprint(f, rest, kw), but_for={int, bool, str, NoneType}):
        raise NotDifferentiable(
            "a function that a solver calls writes into its arguments, its captured variables, or other reachable "
            "state; let it return what it computes (a callback may store it)"
        )
    return (y.copy() if isinstance(y, np.ndarray) else y), None


@structural(Programs.take_state)
def _take_state(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    _, obj, state = args
    kind = type(obj)
    is_new = kind.__setattr__ is object.__setattr__ and ctx.records.attributes_of(obj) is None
    if is_new and module_of(kind).startswith("scipy."):  # no code of the user's takes part
        for name, value in state.items():
            setattr(obj, name, value)
        return None, None
    for name, value in state.items():
        ctx.setattr(obj, None, name, value, None)
    return None, None


def is_of_numbers(x: Any) -> bool:
    """Whether something is numbers, text and arrays alone, to which nothing happens that the user wrote."""
    kind = type(x)
    if kind is list or kind is tuple:
        return all(map(is_of_numbers, x))
    if kind is dict:
        return all(map(is_of_numbers, x.values()))
    return kind in ATOMS or (kind is np.ndarray and not x.dtype.hasobject)


@structural(Programs.orders)
def _orders(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return around(ctx) + isinstance(ctx, Recorder), None  # a recorder's steps are for second derivatives


@structural(Programs.as_it_is)
def _as_it_is(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if not pulls_once(ctx) or (f := frozen(ctx, args[1])) is None:
        return None, None
    try:
        captured_by(ctx, f, "as_it_is")
    except NotDifferentiable:  # no rule can be given the function
        return None, None
    return f, None


def pulls_once(ctx: Context) -> bool:
    """Whether the first derivative in reverse is all that is wanted."""
    return type(ctx) is Reverse and bool(ctx.taped) and not (ctx.depth or ctx.around)


@structural(Programs.quick_pullback)
def _quick_pullback(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    _, f, primals, constants = args
    if not pulls_once(ctx) or type(f) is not FunctionType:
        return None, None
    numbers = [i for i, x in enumerate(primals[:2]) if not isinstance(x, np.ndarray)]
    still = (*[primals[i] for i in numbers], constants)
    shadows = (*[None if ds[2] is None else ds[2][i] for i in numbers], ctx.shadow_of(constants, ds[3]))
    if ctx.any_active(still, shadows, {}, {}):
        return None, None
    others = [i for i, x in enumerate(primals) if not isinstance(x, np.ndarray | np.number | float | int)]
    if ctx.any_active(tuple([primals[i] for i in others]), tuple([ds[2] and ds[2][i] for i in others]), {}, {}):
        return None, None  # of numbers and arrays alone there is a way back
    captured: list = []
    if ctx.reaches_active(f, set()):
        if ctx.state or any(d is not None for d in ctx.twins.default_shadows(f).values()):
            return None, None
        try:
            captured = captured_by(ctx, f, "quick_pullback")
        except NotDifferentiable:  # active values lie elsewhere than in captured variables
            return None, None
    if any(isinstance(value, list | tuple | dict) for _, value, _ in captured):  # cotangents are added as numbers are
        return None, None
    names = tuple([name for name, *_ in captured])
    start = pullback_by_numbers(f, primals, names)
    if start is None:
        return None, None
    found = tuple([value for _, value, _ in captured])
    return (start, found), ctx.packed((None, ctx.packed(tuple([shadow for *_, shadow in captured]))))


@structural(Programs.nearby)
def _nearby(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return nearby(ctx, args[1]), None


for _method, _verb in ((Programs.gradient, gradients.gradient), (Programs.jvp, jvp)):
    structural(_method)(lambda ctx, args, ds, kw, kw_d, verb=_verb: ctx.call(verb, args[1:], ds[1:], kw, kw_d))


def _short(ctx: Context, f: Any, args: tuple, ds: tuple) -> tuple | None:
    """The call that ``f(*args)`` comes to where what is active are numbers and arrays, or arrays that objects hold."""
    short = shortcut_of(f)
    if short is None:
        return None
    moving = {id(x): d for x, d in zip(args, ds, strict=True) if d is not None and type(x) in (np.ndarray, float)}
    still = [i for i, x in enumerate(args) if id(x) not in moving]
    is_held = ctx.any_active(tuple([args[i] for i in still]), tuple([ds[i] for i in still]), {}, {})
    if not (moving or is_held) or (found := short(*args)) is None:
        return None
    shadows = [moving.get(id(x)) for x in found[1]]
    if is_held:
        if any(type(x) not in FOUND and id(x) not in moving for x in found[1]):
            return None
        arrays = [i for i, x in enumerate(found[1]) if type(x) is np.ndarray and shadows[i] is None]
        held = {i: d for i in arrays if (d := ctx.buffers.find(found[1][i])) is not None}
        if not held:  # what is active lies elsewhere
            return None
        shadows = [held.get(i, d) for i, d in enumerate(shadows)]
    return found[0], found[1], tuple(shadows)


def follow(ctx: Context, f: Any, program: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """``f(*args, **kw)`` by its program where something active reaches it."""
    own = () if is_library_rule(program) else (f,)  # the functions of libraries hold nothing active
    if not ctx.any_active((*own, *args), (*(None for _ in own), *ds), kw, kw_d):
        return ctx.opaque(f, args, kw), None
    if not kw and type(ctx) is Reverse and (short := _short(ctx, f, args, ds)) is not None:
        return ctx.call(*short)
    try:
        return ctx.call_function(program, (Programs(), *args), (None, *ds), kw, kw_d)
    except NotImplementedDerivative as reason:
        raise NotDifferentiable(f"{describe(f)}: {reason}") from None


PROGRAM.append(follow)
JVP.append(jvp)
