"""A function as an argument of a rule: what it has captured is active, though the function itself is no number."""

import functools
from collections.abc import Iterator, Mapping
from types import FunctionType, GeneratorType, MethodType
from typing import Any

import numpy as np

from chainrules import AbstractTangent, NoTangent, Tangent, is_constant
from morula.eager.containers.parts import attribute_names, attributes_of, parts_of
from morula.eager.containers.records import Record
from morula.eager.context.entries import OfCallable, deliver
from morula.eager.context.kinds import ATOMS, captured_values, is_empty, is_plain_object, rebinds_outside
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable, RuleError, describe

Captured = list[tuple[str, Any, Any]]  # name, value, shadow
Met = dict[int, Any]  # identity -> shadow


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
                f"a rule returned no cotangent for its argument {describe(self.f)}, which holds active values "
                f"({names}): use chainrules.rrule_via in the rule (needs=('reverse',)), return a Tangent of the "
                "captured variables, or return ZeroTangent() if that is what you mean"
            )
        if isinstance(bar, AbstractTangent) and not isinstance(bar, Tangent):
            return
        for name, value, shadow in self.captured:
            part = bar if self.is_method else getattr(bar, name, None)
            if part is not None or not isinstance(shadow, FunctionShadow):
                deliver(value, shadow, part)


class ObjectShadow:
    """The shadow of an object: those of its attributes at the time of the call, which may be others later.

    A field that its cotangent leaves out is zero. What no one has read or written yet is left to the `record`.
    """

    __slots__ = ("parts", "record")

    def __init__(self, record: Record | None, parts: Captured):
        self.record = record
        self.parts = parts

    def deliver(self, bar: Any) -> None:
        """Add a cotangent of the object to its attributes."""
        if bar is None or (isinstance(bar, AbstractTangent) and not isinstance(bar, Tangent)):
            return
        fields: Mapping[str, Any]
        if isinstance(bar, np.ndarray | np.number | float | int | complex | list | tuple):
            raise ValueError(f"{type(bar).__qualname__} is not a cotangent of an object")
        if isinstance(bar, dict):
            fields = bar
        elif isinstance(bar, Tangent):
            fields = bar.fields()
        else:
            fields = {name: getattr(bar, name) for name in attribute_names(bar)}
        for name, value, shadow in self.parts:
            if fields.get(name) is not None:
                deliver(value, shadow, fields[name])
        if self.record is not None and self.record.lifted:
            names = {name for name, *_ in self.parts}
            rest = {name: part for name, part in fields.items() if name not in names and part is not None}
            if rest:
                self.record.deliver(Tangent(type(self.record.obj), **rest))


def shadow_of_argument(ctx: Context, a: Any, d: Any, what: str, met: Met | None = None) -> Any:
    """The shadow of an argument of a rule, with the functions and objects that lie in it at any depth.

    Args:
        ctx: the context.
        a: the argument.
        d: the shadow that it came with.
        what: how to speak of the rule in an error.
        met: the shadows of what was met already, which ends cycles.
    """
    if is_leaf(a):
        return ctx.shadow_of(a, d)
    if is_constant(a):
        return None
    met = {} if met is None else met
    if id(a) in met:
        return met[id(a)]
    met[id(a)] = None
    if isinstance(a, GeneratorType) and ctx.reaches_active(a, set()):
        raise NotDifferentiable(
            f"{what} was given a generator of active values, which a rule cannot follow; pass a list"
        )
    if callable(a) and not isinstance(a, tuple | float | complex):
        found = shadow_of_callable(ctx, a, what, met)
    elif isinstance(a, list | tuple | dict):
        found = _shadow_of_items(ctx, a, d, what, met)
    else:
        found = shadow_of_object(ctx, a, ctx.shadow_of(a, d), what, met)
    met[id(a)] = found
    return found


def _shadow_of_items(ctx: Context, a: list | tuple | dict, d: Any, what: str, met: Met) -> Any:
    values = list(a.values() if isinstance(a, dict) else a)
    if d is None and ctx.records.of(a) is None and ATOMS.issuperset(map(type, values)):
        return None
    own = ctx.shadow_of(a, d)
    if all(map(is_leaf, values)):
        return own
    shadows = own[1] if isinstance(a, dict) and own is not None else own
    if shadows is None:
        shadows = (None,) * len(values)
    parts = tuple([
        shadow_of_argument(ctx, v, None if isinstance(v, list | dict) else s, what, met)
        for v, s in zip(values, shadows, strict=True)
    ])  # fmt: skip
    if all(p is None for p in parts):
        return None
    return (tuple(a), parts) if isinstance(a, dict) else parts


def shadow_of_object(ctx: Context, a: Any, own: Any, what: str, met: Met) -> Any:
    """The shadow of an object whose shadow as a whole is `own`: with those of all that lies in it."""
    if not is_plain_object(a) or (own is not None and type(own) is not Record):
        return own
    slots = {} if own is None else own.slots
    parts = []
    for name, value in attributes_of(a).items():
        if name not in slots and own is not None and own.lifted:
            continue
        shadow = slots.get(name)
        if shadow is None and type(value) not in ATOMS:
            shadow = shadow_of_argument(ctx, value, None, what, met)
        if shadow is not None or name in slots:
            parts.append((name, value, shadow))
    if own is None:
        return ObjectShadow(None, parts) if any(shadow is not None for *_, shadow in parts) else None
    return ObjectShadow(own, parts) if parts else own


def is_leaf(x: Any) -> bool:
    return type(x) in ATOMS or isinstance(x, np.ndarray)


def shadow_of_callable(ctx: Context, f: Any, what: str, met: Met) -> Any:
    """The shadow of a callable that is handed to a rule; ``None`` where it holds nothing active."""
    owner: Any = None
    own: Any = None
    if isinstance(f, MethodType) and isinstance(f.__func__, FunctionType):
        owner, own = f.__self__, ctx.shadow_of(f.__self__, ctx.shadow_in_object(f, "__self__"))
    elif not isinstance(f, FunctionType | functools.partial):
        owner, own = f, ctx.shadow_of(f, None)
    own = shadow_of_object(ctx, owner, own, what, met)
    if owner is not None and own is not None:
        return FunctionShadow(f, [(type(owner).__qualname__, owner, own)], is_method=True)
    captured = captured_by(ctx, f, what, met=met)
    return FunctionShadow(f, captured) if captured else None


def function_inside(a: Any, shadow: Any, around: tuple = ()) -> FunctionShadow | None:
    """A function with active variables that lies in an argument, where these get no derivatives.

    A method of an object that it lies in is none: what it holds is found in that object.
    """
    parts: list[tuple[Any, Any]] = []
    if type(shadow) is tuple and isinstance(a, dict | list | tuple):
        parts = list(zip(a.values(), shadow[1], strict=True) if isinstance(a, dict) else zip(a, shadow, strict=True))
    elif isinstance(shadow, ObjectShadow):
        around = (*around, a)
        parts = [(value, own) for _, value, own in shadow.parts]
    elif isinstance(shadow, FunctionShadow):
        if not shadow.is_method:
            return shadow
        ((_, owner, own),) = shadow.captured
        if owner is not a:
            return None if any(owner is x for x in around) else shadow
        parts = [(owner, own)]
    for value, own in parts:
        found = function_inside(value, own, around)
        if found is not None:
            return found
    return None


def names_of(captured: Captured) -> dict[str, Any]:
    """The names of captured variables, as `Run` takes them: of a function with those that it captures itself."""
    return {
        name: names_of(shadow.captured) if isinstance(shadow, FunctionShadow) and not shadow.is_method else None
        for name, _, shadow in captured
    }


def captured_by(
    ctx: Context, f: Any, what: str, functions: set[int] | None = None, met: Met | None = None
) -> Captured:  # fmt: skip
    """The active variables that a function has captured; a captured function among them has a `FunctionShadow`.

    Args:
        ctx: the context.
        f: any callable.
        what: how to speak of `f` in an error.
        functions: the functions that were met already, by identity: what captures and is captured.

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
        raise NotDifferentiable(
            f"{describe(f)}, given to {what}, rebinds a variable of an enclosing scope; return the value"
        )
    if any(s is not None for s in ctx.twins.default_shadows(f).values()) or default_reaches_active(ctx, f):
        raise NotDifferentiable(
            f"{describe(f)}, given to {what}, has an active default argument; pass it as an argument"
        )
    if ctx.globals_hold_active(f):
        raise NotDifferentiable(
            f"{describe(f)}, given to {what}, reads active values in a list, a dict or an object that is a global "
            "variable; pass it as an argument"
        )
    if vars(f) and ctx.attributes_reach(f, {id(f)}):
        raise NotDifferentiable(f"{describe(f)}, given to {what}, has an active attribute; pass it as an argument")
    found = []
    functions = set() if functions is None else functions
    functions.add(id(f))
    met = {} if met is None else met
    met.setdefault(id(f), None)
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        if is_empty(cell):
            continue
        value = cell.cell_contents
        if isinstance(value, FunctionType):
            inside = [] if id(value) in functions else captured_by(ctx, value, what, functions, met)
            if inside:
                found.append((name, value, FunctionShadow(value, inside)))
            continue
        if id(cell) not in ctx.twins.paired and id(cell) not in ctx.twins.lifted:
            ctx.refuse_argument(f, name, value)
        pair = ctx.twins.cells.get(id(cell))
        shadow = ctx.shadow_of(value, pair[1].cell_contents if pair is not None else None)
        if shadow is not None:
            shadow = shadow_of_object(ctx, value, shadow, what, met)
        if shadow is not None:
            found.append((name, value, shadow))
        elif ctx.reaches_active(value, set()):
            raise NotDifferentiable(
                f"{describe(f)}, given to {what}, captures the variable {name!r}, which reaches active values; "
                "pass them as arguments"
            )
    return found


def default_reaches_active(ctx: Context, f: FunctionType) -> bool:
    """Whether a function, a list or the like that is a default of a function holds something active."""
    defaults = [*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()]
    return any(type(x) not in ATOMS and ctx.reaches_active(x, {id(f)}) for x in defaults)


def functions_in(f: Any) -> Iterator[FunctionType]:
    """`f` and the functions that it captures, and so on."""
    waiting, seen = [f], set()
    while waiting:
        f = waiting.pop()
        if isinstance(f, FunctionType) and id(f) not in seen:
            seen.add(id(f))
            yield f
            waiting += captured_values(f)


def refuse_hidden(ctx: Context, x: Any, functions: set[int], seen: set[int]) -> None:
    """Methods of the class of an argument may capture active values, of which no tangent is known.

    `functions` are those of which it is, by identity.
    """
    if is_leaf(x) or id(x) in seen:
        return
    seen.add(id(x))
    if isinstance(x, FunctionType | MethodType | functools.partial):  # see `function_inside`
        return
    if ctx.class_captures(type(x), set(functions)):
        raise NotDifferentiable(
            f"a method of {type(x).__qualname__} captures active values, and an instance is an argument of a "
            "derivative taken inside a differentiated function; keep the values in attributes"
        )
    for part in parts_of(x):
        refuse_hidden(ctx, part, functions, seen)
