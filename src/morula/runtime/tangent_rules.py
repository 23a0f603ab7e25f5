"""The tangent of what a rule answered: by the forward rule, or through the pullback of the reverse rule."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import chainrules
from chainrules import NotImplementedDerivative, NotImplementedTangent, Tangent, is_absent, unthunk
from morula.errors import NotDifferentiable, describe
from morula.runtime.kinds import is_hashable, is_plain_object
from morula.runtime.memory import ARRAY_SHADOWS
from morula.runtime.records import attribute_names
from morula.runtime.registry import TANGENTS, is_library_rule

ndarray = np.ndarray
NUMERIC_SHADOWS = (list, *ARRAY_SHADOWS)
Pair = tuple[Any, Any]


def tangent_by_rule(
    ctx: Any, f: Any, rule: Callable, args: tuple, shadows: tuple, kw: dict, y: Any, y_d: Any, opaque: bool, again: Any
) -> None:
    """Give `y`, which `rule` returned for ``f(*args, **kw)``, its tangents.

    `opaque`: the rule belongs to this engine and wins over all others. `again` makes a context manager in which a
    random draw is that of the call.
    """
    for k in range(ctx.depth):
        dots = [ctx.dots(k, a, d) for a, d in zip(args, shadows, strict=True)]
        if all(d is None for d in dots):
            continue
        before = ctx.descend(k)
        try:
            own = None if opaque else own_tangent(f)
            with again(), np.errstate(all="ignore"):
                if own is not None:
                    found = own(ctx, args, shadows, dots, y)
                else:
                    try:
                        found = _tangent(ctx, f, rule, args, shadows, dots, kw, y, y_d, opaque)
                    except NotImplementedDerivative as reason:
                        raise NotDifferentiable(f"the tangent of {describe(f)}: {reason}") from None
            if found is not None:
                fresh = not any(found[0] is v for v in (y, *args, *(d[0] for d in dots if d is not None)))
                ctx.set_dot(k, y, y_d, *found, fresh)
        finally:
            ctx.descend(before)


def _tangent(
    ctx: Any, f: Any, rule: Callable, args: tuple, shadows: tuple, dots: list, kw: dict, y: Any, y_d: Any, opaque: bool
) -> Pair | None:
    """The tangent of a call's result, as an operation of whatever is still followed."""
    ops = ctx.ops(ctx.depth)
    tangents = tuple([None if d is None else d[0] for d in dots])
    tangents_d: Any = tuple([None if d is None else d[1] for d in dots])
    primals_d: Any = (
        shadows if ops is not ctx else tuple([sibling(ctx, a, s) for a, s in zip(args, shadows, strict=True)])
    )
    gapless, gapless_d = tangents, tangents_d
    if any(type(t) in (list, tuple) for t in tangents):
        gapless, gapless_d = ops.call(without_gaps_in_lists, (args, tangents), (None, tangents_d))
    if not opaque:
        of_instance = chainrules.frules_for(f) and chainrules.frules_for(f)[0].instances
        for each in chainrules.candidates(f, args[1:] if of_instance else args, forward=True):
            if is_library_rule(each.function) and not is_library_rule(_innermost(rule)):
                continue  # the user has said something else of the derivative
            if each.tangent is not None and type(y_d) in NUMERIC_SHADOWS:  # of the value that is there already
                y_dot, y_dot_d = ops.call(each.tangent, (y, args, gapless, kw), (y_d, primals_d, gapless_d, None))
                if y_dot is not NotImplemented:
                    return _checked(f, y_dot, y_dot_d)
                continue
            answer, answer_d = ops.call(each.function, (args, gapless), (primals_d, gapless_d), kw, {})
            if answer is not NotImplemented:
                y_dot, y_dot_d = ops.getitem(answer, answer_d, 1, None)
                return _checked(f, y_dot, y_dot_d)
    if ops is ctx and isinstance(rule, functools.partial):
        raise NotDifferentiable(
            f"the rule for {describe(f)} differentiates a function it is given, and has no forward rule: "
            "no second derivative can be taken through it"
        )
    y_dot, y_dot_d = ops.call(through_pullback, (rule, args, tangents, kw), (None, primals_d, tangents_d, None))
    return _checked(f, y_dot, y_dot_d)


def own_tangent(f: Any) -> Callable | None:
    """What the engine itself does for the tangent of a call of `f`."""
    return TANGENTS.get(f) if is_hashable(f) else None


def _innermost(rule: Any) -> Any:
    return rule.func if isinstance(rule, functools.partial) else rule


def _checked(f: Any, y_dot: Any, y_dot_d: Any) -> Pair | None:
    y_dot = unthunk(y_dot)
    if isinstance(y_dot, NotImplementedTangent):
        y_dot * 1.0  # raises, naming the rule
    return None if is_absent(y_dot) else (y_dot, y_dot_d)


def sibling(ctx: Any, a: Any, shadow: Any) -> Any:
    """The shadow of a rule's argument as a variable has it; those of the items of a list or dict are put in place."""
    if shadow is None or type(shadow) is list or isinstance(a, ndarray):
        return shadow
    if isinstance(a, dict) and type(shadow) is tuple:
        ctx.new_dict(a, {k: sibling(ctx, a[k], s) for k, s in zip(*shadow, strict=True)})
    elif isinstance(a, list):
        ctx.new_list(a, [sibling(ctx, v, s) for v, s in zip(a, shadow, strict=True)])
    elif isinstance(a, tuple):
        return ctx.packed(tuple([sibling(ctx, v, s) for v, s in zip(a, shadow, strict=True)]))
    return None


def through_pullback(rule: Callable, primals: tuple, tangents: tuple, options: dict) -> Any:
    """The tangent of ``rule``'s value from its pullback: the inner product with each row of the jacobian."""
    y, pullback = rule(*primals, **options)
    return rows(y, lambda seed: along(pullback(seed), tangents))


def without_gaps_in_lists(primals: tuple, tangents: tuple) -> tuple:
    pairs = zip(primals, tangents, strict=True)
    return tuple([without_gaps(x, t) if isinstance(t, tuple | list) else t for x, t in pairs])


def without_gaps(x: Any, x_dot: Any) -> Any:
    """A tangent in which no number lacks one beside others in a list or tuple that have one."""
    if x_dot is None:
        if isinstance(x, ndarray) and x.dtype.kind in "fc":
            return np.zeros_like(x)
        is_number = isinstance(x, float | complex | int | np.number) and not isinstance(x, bool)
        return x * 0.0 if is_number else None
    if isinstance(x_dot, tuple | list) and isinstance(x, tuple | list):
        return type(x_dot)([without_gaps(v, t) for v, t in zip(x, x_dot, strict=True)])
    return x_dot


def rows(y: Any, product: Callable) -> Any:
    """What `product` gives for each seed of `y` with a single 1, in the structure of `y`."""
    if isinstance(y, tuple | list):
        return [
            rows(v, lambda seed, i=i: product(tuple([seed if j == i else zeros(u) for j, u in enumerate(y)])))
            for i, v in enumerate(y)
        ]
    if isinstance(y, dict):
        rest = {key: zeros(v) for key, v in y.items()}
        return {key: rows(v, lambda seed, key=key: product({**rest, key: seed})) for key, v in y.items()}
    if isinstance(y, ndarray) and y.ndim:
        if y.dtype.kind not in "fc":
            return None
        found = [rows_of_cell(y, i, product) for i in range(y.size)]
        return np.reshape(np.array(found), y.shape) if found else np.zeros(y.shape)
    if isinstance(y, ndarray):
        return rows_of_cell(y, 0, product)
    if isinstance(y, complex | np.complexfloating):
        return product(1.0 + 0.0j) + 1j * product(1j)
    if isinstance(y, float | np.floating):
        return product(1.0)
    if is_plain_object(y):
        cls = type(y)
        return {
            name: rows(getattr(y, name), lambda seed, name=name: product(Tangent(cls, **{name: seed})))
            for name in attribute_names(y)
        }
    return None


def zeros(y: Any) -> Any:
    """The seed of a part that is not used, as rules of the user's take it."""
    if isinstance(y, tuple | list):
        return tuple([zeros(v) for v in y])
    if isinstance(y, dict):
        return {key: zeros(v) for key, v in y.items()}
    if isinstance(y, ndarray) and y.dtype.kind in "fc":
        return np.zeros(y.shape, y.dtype)
    return 0.0 if isinstance(y, float | complex | np.inexact) else None


def rows_of_cell(y: ndarray, i: int, product: Callable) -> Any:
    seed = unit(y, i, 1.0)
    return product(seed) + 1j * product(unit(y, i, 1j)) if y.dtype.kind == "c" else product(seed)


def unit(y: ndarray, i: int, one: complex) -> ndarray:
    """An array like `y` with `one` in its i-th cell and zeros elsewhere."""
    seed = np.zeros(y.shape, y.dtype)
    seed.flat[i] = one
    return seed


def along(bars: Any, dots: Any) -> Any:
    """The real inner product of natural cotangents with tangents, of any structure."""
    bars = unthunk(bars)
    if dots is None or is_absent(bars):
        return 0.0
    if isinstance(bars, NotImplementedTangent):
        return bars * 1.0  # raises, naming the rule
    if isinstance(dots, tuple | list):
        if not isinstance(bars, tuple | list):
            if len(dots) > 1 and not isinstance(bars, ndarray):
                raise TypeError(f"a pullback returned {type(bars).__name__} for {len(dots)} arguments")
            bars = [bars] if len(dots) == 1 else bars
        total = 0.0
        for bar, dot in zip(bars, dots, strict=True):
            total = total + along(bar, dot)
        return total
    if isinstance(dots, dict):
        total = 0.0
        for name, dot in dots.items():
            total = total + along(bars.get(name) if isinstance(bars, dict) else getattr(bars, name, None), dot)
        return total
    product = np.conj(bars) * dots
    return np.sum(np.real(product))
