"""Programs in place of functions, see `chainrules.program`: what their steps mean to this engine."""

from types import NoneType
from typing import Any

import numpy as np

import morula.verbs.gradients as gradients
from chainrules import NotImplementedDerivative
from morula.eager.calls.calls import PROGRAM
from morula.eager.calls.registry import structural
from morula.eager.calls.rule_config import ReverseMode
from morula.eager.forward.program import Recorder
from morula.eager.forward.transposed import around
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable, describe
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
