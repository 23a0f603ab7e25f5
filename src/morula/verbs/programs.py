"""Programs in place of functions, see `chainrules.program`: what their steps mean to this engine."""

from types import CellType, FunctionType, NoneType
from typing import Any

import numpy as np

import morula.verbs.gradients as gradients
from chainrules import NotImplementedDerivative, constant_instances
from morula.eager.calls.calls import PROGRAM
from morula.eager.calls.captured import captured_by
from morula.eager.calls.held import apart
from morula.eager.calls.registry import structural
from morula.eager.calls.rule_config import ReverseMode
from morula.eager.context.kinds import is_empty
from morula.eager.context.reverse import Reverse
from morula.eager.forward.program import Recorder
from morula.eager.forward.transposed import around
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable, describe
from morula.static.python.pairs import static_pullback
from morula.verbs.directional import jvp
from morula.verbs.hessians import HessianOperator
from morula.verbs.jacobians import jacobian

Pair = tuple[Any, Any]


class Programs(ReverseMode):
    """The engine as programs see it. Followed, these methods mean what is said below; called plainly, what they say."""

    traits = ReverseMode.traits | {"programs"}

    def plainly(self, f: Any, *args: Any, **kwargs: Any) -> Any:
        """`f(*args, **kwargs)`, without derivatives."""
        return f(*args, **kwargs)

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
        return None  # which nobody wants of a program that is called plainly

    def hessian_products(self, f: Any, x: Any) -> Any:
        return HessianOperator(f, x, {}).at_once


@structural(Programs.plainly)
def _plainly(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    _, f, *rest = args
    before = imprint(f, rest, kw)
    y = ctx.opaque(f, tuple(rest), kw)
    if changed(before, imprint(f, rest, kw), but_for={int, bool, str, NoneType}):
        raise NotDifferentiable(
            f"a function that {describe(f)} calls writes into its arguments, what it captures, or other state in "
            "reach; let it return what it computes"
        )
    return (y.copy() if isinstance(y, np.ndarray) else y), None


@structural(Programs.orders)
def _orders(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return around(ctx) + isinstance(ctx, Recorder), None  # a recorder's steps are for second derivatives


@structural(Programs.quick_pullback)
def _quick_pullback(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    _, f, primals, constants = args
    if type(ctx) is not Reverse or not ctx.taped or ctx.depth or ctx.around or type(f) is not FunctionType:
        return None, None
    first_d = None if ds[2] is None else ds[2][0]
    shadows = (ctx.shadow_of(primals[0], first_d), ctx.shadow_of(constants, ds[3]))
    if ctx.any_active((primals[0], constants), shadows, {}, {}):
        return None, None
    captured = captured_by(ctx, f, "quick_pullback") if ctx.reaches_active(f, set()) else []
    names = tuple([name for name, *_ in captured])
    start = pullback_by_numbers(f, primals, names)
    if start is None:
        return None, None
    found = tuple([value for _, value, _ in captured])
    return (start, found), ctx.packed((None, ctx.packed(tuple([shadow for *_, shadow in captured]))))


def pullback_by_numbers(f: FunctionType, args: tuple, captured: tuple[str, ...]) -> "ByNumbers | None":
    """See `chainrules.RuleConfig.quick_pullback`: by a static adjoint of `f`."""
    cells, defaults = f.__closure__ or (), f.__defaults__ or ()
    left_out = f.__code__.co_argcount - len(args)
    if any(map(is_empty, cells)) or f.__kwdefaults__ or not 0 <= left_out <= len(defaults):
        return None
    given = [apart(a) for a in args[2:]]
    rest = (*given, *defaults[len(defaults) - left_out :])
    own = [
        CellType(apart(cell.cell_contents) if name in captured else cell.cell_contents)
        for name, cell in zip(f.__code__.co_freevars, cells, strict=True)
    ]
    kept = FunctionType(f.__code__, f.__globals__, f.__name__, None, tuple(own))
    first, second = float(args[0]), np.array(args[1])
    wanted = tuple(range(1, len(args)))
    weighted = static_pullback(kept, (first, second, *rest), np.ones(len(second)), wanted, captured)
    return None if weighted is None else ByNumbers(kept, weighted, len(given), rest, captured)


class ByNumbers:
    """The pullback of a function of numbers, as the function was: with its own cells, and copies of arguments."""

    def __init__(self, f: FunctionType, weighted: Any, count: int, rest: tuple, captured: tuple[str, ...]):
        self.f, self.weighted, self.count, self.rest, self.captured = f, weighted, count, rest, captured
        self.before = imprint(f)

    def __call__(self) -> Any:
        """The pullback, for one use."""
        if changed(self.before, imprint(self.f)):
            raise NotDifferentiable(
                f"something that {describe(self.f)} captures or reads has changed since a solver called it; pass it as "
                "an argument of the function"
            )
        return self.pullback

    def pullback(self, first: Any, second: Any, y_bar: Any) -> Any:
        found = self.weighted(first, second, *self.rest, y_bar)
        return self.followed(first, second, y_bar) if found is None else numbers(found[1])

    def followed(self, first: Any, second: Any, y_bar: Any) -> Any:
        """The same by following the function."""
        y, back = gradients.pullback(self.f, first, second, *self.rest, with_self=True)
        seed = y_bar if isinstance(y, np.ndarray) else type(y)(y_bar.tolist() if np.ndim(y) else y_bar[0])
        own, _, *bars = back.with_self(seed)
        return numbers((*bars[: self.count + 1], *[getattr(own, name, None) for name in self.captured]))


def numbers(bars: Any) -> Any:
    return tuple([0.0 if bar is None else bar for bar in bars])


constant_instances(ByNumbers)


for _method, _verb in ((Programs.gradient, gradients.gradient), (Programs.jvp, jvp)):
    structural(_method)(lambda ctx, args, ds, kw, kw_d, verb=_verb: ctx.call(verb, args[1:], ds[1:], kw, kw_d))


def follow(ctx: Any, f: Any, program: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """``f(*args, **kw)`` by its program where something active reaches it."""
    if not ctx.any_active((f, *args), (None, *ds), kw, kw_d):
        return ctx.opaque(f, args, kw), None
    try:
        return ctx.call_function(program, (Programs(), *args), (None, *ds), kw, kw_d)
    except NotImplementedDerivative as reason:
        raise NotDifferentiable(f"{describe(f)}: {reason}") from None


PROGRAM.append(follow)
