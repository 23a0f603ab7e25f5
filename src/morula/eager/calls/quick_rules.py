"""Functions of arrays that one rule of the library answers, called with arrays and plain constants."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import chainrules
from morula.eager.calls.rule_calls import OBJECT, PLAIN, may_write
from morula.eager.context.entries import OperandPull
from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import ARRAY_SHADOWS
from morula.eager.memory.layout import owner_of
from morula.eager.memory.outputs import ARRAY_FUNCTIONS, has_out, out_position
from morula.eager.memory.wholes import RecordsShadow

ndarray = np.ndarray
float64 = np.float64
Pair = tuple[Any, Any]
PLAIN_KEYWORDS = frozenset({int, bool, str, type(None)})
# What mostly gives a view, whose shadow is a view: a context that does nothing else with results needs no rule then.
VIEWING = frozenset([
    np.reshape, np.ravel, np.transpose, np.moveaxis, np.swapaxes, np.expand_dims, np.squeeze, np.flip,
    *[getattr(ndarray, name) for name in ("reshape", "ravel", "transpose", "swapaxes", "squeeze")],
])  # fmt: skip
OTHER = object()  # in the place of a shadow, where it takes more to find it


def quick_rule(f: Any, rule: Callable) -> Callable[..., Pair | None]:
    """The step for calls of `f` by its `rule`; it leaves all that is not plain to the next ones."""
    before_out = inputs_of(f)
    has_program = chainrules.program_of(f) is not None  # which decides what it does where nothing is active
    gives_views = f in VIEWING
    forward = getattr(rule, "by_operand", None)

    def step(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
        if (kw or len(args) > before_out) and has_out(f, args, kw):
            return None
        find = ctx.buffers.find
        targets = []
        lists = False
        for i, a in enumerate(args):
            d = ds[i]
            kind = type(a)
            if kind is ndarray:
                if a.dtype is OBJECT:
                    return None
                if d is None:
                    d = find(a)
                    if d is None:
                        continue
                if type(d) is RecordsShadow:
                    return None
                targets.append((i, None if type(d) in ARRAY_SHADOWS else a, d))
                continue
            if kind is list or kind is tuple:
                d = shadows_of_parts(ctx, a, d)
                if d is OTHER:
                    return None
                lists = lists or kind is list
            elif kind not in PLAIN and (d is not None or not chainrules.is_constant(a)):
                return None
            if d is not None:
                targets.append((i, a, d))
        if kw:
            for d in kw_d.values():
                if d is not None:
                    return None
            if not PLAIN_KEYWORDS.issuperset(map(type, kw.values())):
                return None
        if not targets:
            return None if has_program or (kw and may_write(kw)) else ctx.inactive(f, args, kw)
        if gives_views and type(args[0]) is ndarray and ctx.views_at_once:
            y, (i, _, d) = f(*args, **kw), targets[0]
            if i == 0 and (found := shared_view(ctx, args[0], d, y)) is not None:
                return found
        if lists:  # which may change later
            if len(args) == 1:
                args = (list(args[0]),)
                targets = [(0, args[0], d) for _, _, d in targets]
            else:
                args = tuple([list(a) if type(a) is list else a for a in args])
                targets = [(i, None if a is None else args[i], d) for i, a, d in targets]
        if forward is not None and not kw and ctx.views_at_once:
            if (found := entered(ctx, f, forward, args, targets)) is not None:
                return found
        found = ctx.quick_result(f, rule, args, targets, kw)
        if found is not None:
            return found
        shadows: list = [None] * len(args)
        for i, _, d in targets:
            shadows[i] = d
        return ctx._rule_result(f, rule, args, tuple(shadows), kw, False)

    return step


def by_operands(ctx: Context, f: Any, forward: Callable, args: tuple, ds: tuple) -> Pair | None:
    """A call of `f` with arrays and plain constants by the `forward` of its rule (`chainrules.by_operand`).

    None where it takes more to find the shadows, where none of them is active, and where `forward` leaves it.
    """
    if not ctx.views_at_once:
        return None
    buffers = ctx.buffers
    targets = []
    for i, a in enumerate(args):
        d = ds[i]
        if type(a) is ndarray:
            if a.dtype is OBJECT:
                return None
            if d is None and (a.base is not None or id(a) in buffers.table):
                d = buffers.find(a)
            if d is not None:
                if type(d) is RecordsShadow:
                    return None
                targets.append((i, None, d))
        elif type(a) not in PLAIN:
            return None
        elif d is not None:
            targets.append((i, a, d))
    return entered(ctx, f, forward, args, targets) if targets else None


def entered(ctx: Context, f: Any, forward: Callable, args: tuple, targets: list) -> Pair | None:
    """The value that `forward` gives, and its shadow; `targets` are those of the entry on the tape."""
    try:
        answer = forward(*args)
    except Exception:  # the next step says what is wrong
        return None
    if answer is None:
        return None
    y, kept, bars = answer
    y_d: Any
    if type(y) is ndarray and y.base is None and y.dtype.kind in "fc":
        y_d = ctx.buffers.of_owner(y)
    elif type(y) is float64:
        y_d = [0]
    else:
        return None
    ctx.append(OperandPull(f, y_d, bars, kept, targets))
    return y, y_d


def shared_view(ctx: Context, x: ndarray, x_d: Any, y: Any) -> Pair | None:
    """`y` and its shadow, where it is a view of the active array `x`, or that itself; None elsewhere."""
    if y is x:
        return y, x_d
    if y.base is None or (owner := owner_of(y)) is not owner_of(x):
        return None
    return y, ctx.buffers.view(x_d.buffer, y, owner)


def inputs_of(f: Any) -> int:
    """How many positional arguments a function takes before the array for its result."""
    if type(f) is np.ufunc:
        return f.nin
    at = out_position(f) if type(f) in ARRAY_FUNCTIONS else -1
    return at if at > 0 else sys.maxsize


def shadows_of_parts(ctx: Context, xs: Any, xs_d: Any) -> Any:
    """The shadows of the parts of a list or a tuple of arrays and numbers; None where all are constant."""
    if xs_d is None and type(xs) is list and (record := ctx.records.list_of(xs)) is not None:
        xs_d = record.slots
    found: Any = None
    for i, x in enumerate(xs):
        kind = type(x)
        d = None if xs_d is None else xs_d[i]
        if kind is ndarray:
            if x.dtype.kind in "OV":
                return OTHER
            if d is None:
                d = ctx.buffers.find(x)
        elif kind not in PLAIN:
            return OTHER
        if d is not None:
            if found is None:
                found = [None] * len(xs)
            found[i] = d
    return found if found is None else tuple(found)
