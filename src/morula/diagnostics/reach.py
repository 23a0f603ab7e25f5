"""Why a gradient is None or zero: how far an argument's influence gets, and what ends it."""

import dis
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from chainrules import AbstractTangent
from morula.diagnostics.cotangents import flat, largest, sources
from morula.diagnostics.observer import Observer
from morula.diagnostics.places import Line
from morula.eager.context.protocol import Context
from morula.eager.context.tape import root_of

__all__ = ["Reason", "reasons"]

ndarray = np.ndarray


class Reason:
    """What is known of an argument without a gradient, or with one of zero.

    Attributes:
        name: of the parameter.
        kind: "None", "zero" or "nan".
        notes: ``(line or None, sentence)``, in the order of the program.
    """

    def __init__(self, name: str, kind: str):
        self.name = name
        self.kind = kind
        self.notes: list[tuple[Line | None, str]] = []


def reasons(watch: Observer) -> list[Reason]:
    """For each argument of the run whose gradient is None or zero."""
    if watch.bars is None or watch.run is None:
        return []
    run = watch.run
    names = parameter_names(watch.f, len(run._args))
    found = []
    for name, x, leaf, bar in zip(names, run._args, run._leaves, watch.bars, strict=True):
        for path, value, shadow, part in parts(name, x, leaf, bar, watch.ctx):
            kind = kind_of(part)
            if kind is not None:
                reason = Reason(path, kind)
                reason.notes = notes(watch, value, shadow)
                if reason.notes == UNREAD and (line := overwritten_at(watch, path)) is not None:
                    reason.notes = [(line, f"{path} is overwritten here before it is read")]
                found.append(reason)
    return found


def parameter_names(f: Any, n: int) -> list[str]:
    """What the positional arguments are called."""
    try:
        bound = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        bound = []
    names: list[str] = []
    for p in bound:
        if p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}[{i}]" for i in range(n - len(names))]
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    return (names + [f"argument {i}" for i in range(len(names), n)])[:n]


def parts(name: str, x: Any, leaf: Any, bar: Any, ctx: Context) -> Iterator[tuple[str, Any, Any, Any]]:
    """The numbers and arrays in an argument: how to reach them, their shadows and cotangents."""
    if isinstance(x, float | int | complex | ndarray | np.number) and not isinstance(x, bool):
        yield name, x, leaf, bar
        return
    if isinstance(x, tuple):
        leaves = leaf if type(leaf) is tuple else (None,) * len(x)
        for i, v in enumerate(x):
            yield from parts(f"{name}[{i}]", v, leaves[i], None if bar is None else bar[i], ctx)
        return
    record = ctx.records.table.get(id(x))
    if record is None or record.obj is not x:
        return
    is_object = not isinstance(x, list | dict)
    for key, (v, shadow) in list((record.leaves or {}).items())[:100]:
        path = f"{name}.{key}" if is_object and isinstance(key, str) else f"{name}[{key!r}]"
        yield from parts(path, v, shadow, item(bar, key), ctx)
    if is_object:
        for key, v in list(getattr(x, "__dict__", {}).items())[:100]:
            if isinstance(v, float | complex | np.floating | ndarray) and key not in (record.leaves or {}):
                yield f"{name}.{key}", v, UNSEEN, item(bar, key)


def item(bar: Any, key: Any) -> Any:
    """The part of a cotangent."""
    if bar is None:
        return None
    if isinstance(bar, AbstractTangent):
        return getattr(bar, str(key), None)
    try:
        return bar[key]
    except (KeyError, IndexError, TypeError):
        return None


def kind_of(bar: Any) -> str | None:
    """Whether a cotangent asks for reasons."""
    if bar is None:
        return "None"
    size = largest(bar) if isinstance(bar, ndarray | float | complex | np.number) else 1.0
    return "zero" if size == 0 else None


def notes(watch: Observer, value: Any, leaf: Any) -> list[tuple[Line | None, str]]:
    """Where the influence of an argument ends."""
    if leaf is UNSEEN:
        return UNREAD
    if leaf is None:
        return [(None, f"it is not a number that can be differentiated with respect to: {type(value).__name__}")]
    reached = {id(root_of(d)) for d in flat(leaf)}
    first: Line | None = None
    last: Line | None = None
    n = 0
    for i, entry in enumerate(watch.ctx.tape):
        if any(id(root_of(d)) in reached for d in sources(entry)):
            reached |= {id(root_of(d)) for d in results(entry)}
            last = watch.line_of(i)
            first = first or last
            n += 1
    found: list[tuple[Line | None, str]] = []
    for (line, why), end in watch.ends.items():
        if any(id(root_of(d)) in reached for s in end.shadows for d in flat(s)):
            found.append((line, f"{why} keeps no derivative{times(end.times)}"))
    for lost in watch.lost.values():
        if any(id(root_of(d)) in reached for d in lost.shadows):
            what = f"`{lost.text}`" if lost.text else "an operation"
            found.append((lost.line, f"the derivative of {what} is zero here{times(lost.times)}"))
    if not found:
        if n == 0:
            return UNREAD
        return [(last, "what is computed from it ends here and never reaches the value")]
    return found


UNSEEN = object()  # in place of the shadow of an attribute that was never read
UNREAD: list[tuple[Line | None, str]] = [(None, "it is never read")]


def overwritten_at(watch: Observer, name: str) -> Line | None:
    """The line where the function that ran assigns to its parameter before it reads it; None where it does not."""
    code = getattr(watch.f, "__code__", None)
    if code is None or name not in code.co_varnames[: code.co_argcount]:
        return None
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        if step.positions is not None and step.positions.lineno is not None:
            line = step.positions.lineno
        named = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if name in named and "_FAST" in step.opname:
            return watch.ledger.line((code.co_filename, line)) if step.opname.startswith("STORE_FAST") else None
    return None


def times(n: int) -> str:
    return "" if n == 1 else f", {n} times"


def results(entry: Any) -> list[Any]:
    """The shadows of what an entry gave."""
    kind = type(entry)
    if kind is list:
        return [entry]
    if kind is tuple:
        return [entry[1] if len(entry) == 6 else entry[0]]
    shadow = getattr(entry, "y_d", None)
    if shadow is None:
        shadow = getattr(entry, "x_d", None)
    return list(flat(shadow))
