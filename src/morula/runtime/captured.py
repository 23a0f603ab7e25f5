"""A function as an argument of a rule: what it has captured is active, though the function itself is no number."""

import dis
import functools
from types import FunctionType, MethodType
from typing import Any

from chainrules import AbstractTangent, NoTangent, Tangent
from morula.errors import NotDifferentiable, RuleError, describe
from morula.runtime.entries import OfCallable, deliver
from morula.runtime.kinds import is_empty

Captured = list[tuple[str, Any, Any]]  # name, value, shadow


class FunctionShadow(OfCallable):
    """The shadow of a function: those of the active variables that it has captured.

    Its cotangent is a `chainrules.Tangent` with a field for each of them; that of a bound method is the cotangent
    of its object.
    """

    __slots__ = ("captured", "f", "is_method")

    def __init__(self, f: Any, captured: Captured, is_method: bool = False):
        self.f = f
        self.captured = captured
        self.is_method = is_method

    def deliver(self, bar: Any) -> None:
        """Add a cotangent of the function to the variables; none at all would lose them without a word."""
        if bar is None or isinstance(bar, NoTangent):
            names = ", ".join(repr(name) for name, *_ in self.captured)
            raise RuleError(
                f"a rule gives no cotangent for its argument {describe(self.f)}, which holds active values "
                f"({names}): use chainrules.rrule_via in the rule (needs=('reverse',)), return a Tangent of what is "
                "captured, or ZeroTangent() if that is what you mean"
            )
        if isinstance(bar, AbstractTangent) and not isinstance(bar, Tangent):
            return
        for name, value, shadow in self.captured:
            deliver(value, shadow, bar if self.is_method else getattr(bar, name, None))


def shadow_of_callable(ctx: Any, f: Any, what: str) -> Any:
    """The shadow of a callable that is handed to a rule; ``None`` where it holds nothing active."""
    owner: Any = None
    if isinstance(f, MethodType) and isinstance(f.__func__, FunctionType):
        owner, own = f.__self__, ctx.shadow_of(f.__self__, ctx.shadow_in_object(f, "__self__"))
    elif not isinstance(f, FunctionType | functools.partial):
        owner, own = f, ctx.shadow_of(f, None)
    if owner is not None and own is not None:
        return FunctionShadow(f, [(type(owner).__qualname__, owner, own)], is_method=True)
    captured = captured_by(ctx, f, what)
    return FunctionShadow(f, captured) if captured else None


def captured_by(ctx: Any, f: Any, what: str) -> Captured:
    """The active variables that a function has captured.

    Args:
        ctx: the context.
        f: any callable.
        what: how to speak of `f` in an error.

    Raises:
        NotDifferentiable: where active values can be reached otherwise than as captured variables.
    """
    if not isinstance(f, FunctionType):
        if ctx.reaches_active(f, set()):
            raise NotDifferentiable(
                f"{what} takes a function, and {describe(f)} holds active values; pass them as its arguments"
            )
        return []
    if rebinds_outside(f) and ctx.reaches_active(f, set()):
        raise NotDifferentiable(f"{describe(f)}, given to {what}, rebinds a variable from outside; return the value")
    if any(s is not None for s in ctx.twins.default_shadows(f).values()):
        raise NotDifferentiable(
            f"{describe(f)}, given to {what}, has an active default argument; pass it as an argument"
        )
    found = []
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        if is_empty(cell):
            continue
        value = cell.cell_contents
        pair = ctx.twins.cells.get(id(cell))
        shadow = ctx.shadow_of(value, pair[1].cell_contents if pair is not None else None)
        if shadow is not None:
            found.append((name, value, shadow))
        elif ctx.reaches_active(value, set()):
            raise NotDifferentiable(
                f"the variable {name!r} that {describe(f)} captures, given to {what}, reaches active values; "
                "pass them as arguments"
            )
    return found


def rebinds_outside(f: FunctionType) -> bool:
    """Whether a function assigns to a captured or a global variable."""
    return any(
        step.opname == "STORE_GLOBAL" or (step.opname == "STORE_DEREF" and step.argval in f.__code__.co_freevars)
        for step in dis.get_instructions(f)
    )
