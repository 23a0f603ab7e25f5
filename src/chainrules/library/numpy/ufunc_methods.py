"""Methods of binary ufuncs: ``reduce``, ``accumulate``, ``reduceat`` and ``outer``, from the ufunc's own partials.

A running value is ``s[i] = f(s[i-1], x[i])``, and its cotangent runs back the same way. Where several elements
could be said to have won (``maximum`` and its kin), it is the first, as in all reductions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...declarations import is_non_differentiable, non_differentiable, unsupported
from ...derived import chain, check_ufunc_keywords, constant_chain
from ...projection import unbroadcast
from ...rules import rrule
from ...scalar import scalar_rule_for
from . import nondiff, ufuncs  # noqa: F401  (what ufuncs are is declared there)
from .extrema import max_rule, min_rule
from .products import cumprod_rule, prod_rule
from .reductions import check_dtype, cumsum_rule, sum_rule
from .shared import NO_VALUE, as_array, first_joined, leading, normal_axes, refuse

Partials = tuple[Any, Any]

FIRST_WINS: dict[Any, Partials] = {
    np.maximum: (lambda y, a, b: np.greater_equal(a, b), lambda y, a, b: np.less(a, b)),
    np.minimum: (lambda y, a, b: np.less_equal(a, b), lambda y, a, b: np.greater(a, b)),
    np.fmax: (lambda y, a, b: (a >= b) | np.isnan(b), lambda y, a, b: ~((a >= b) | np.isnan(b))),
    np.fmin: (lambda y, a, b: (a <= b) | np.isnan(b), lambda y, a, b: ~((a <= b) | np.isnan(b))),
}
REDUCTIONS: dict[Any, Any] = {np.add: sum_rule, np.multiply: prod_rule, np.maximum: max_rule, np.minimum: min_rule}
# What NumPy's `reduce` folds from the left; that of `power` and `arctan2` depends on shape and machine.
FOLDED = frozenset({
    np.add, np.subtract, np.multiply, np.true_divide, np.maximum, np.minimum, np.fmax, np.fmin, np.logaddexp,
    np.logaddexp2, np.hypot, np.copysign, np.float_power, np.floor_divide, np.fmod, np.remainder, np.heaviside,
    np.nextafter,
})  # fmt: skip
ACCUMULATIONS: dict[Any, Any] = {np.add: cumsum_rule, np.multiply: cumprod_rule}


def _sent(p: Any, y: Any, a: Any, b: Any, g: Any) -> Any:
    return chain(p(y, a, b), g) if callable(p) else constant_chain(p, g)


def _floats(x: Any) -> Any:
    return x.astype(np.float64) if x.dtype.kind in "iub" else x


def _run_back(f: Any, partials: Partials, x: Any, seeds: list[Any], start: Any = None, mask: Any = None) -> Any:
    """The cotangent of ``x`` for the cotangents ``seeds`` of the running values along its first axis.

    Args:
        f: the ufunc.
        partials: by the running value and by the element.
        x: array with at least one axis, not empty along it.
        seeds: one for each running value.
        start: what the first element was combined with, or ``None``.
        mask: which elements take part, or ``None`` for all; there is a ``start`` then.
    """
    p, q = partials
    values = [x[0] if start is None else np.broadcast_to(start, x.shape[1:])]
    steps = range(0 if start is None else -1, len(x) - 1)
    for i in steps:
        v = f(values[-1], x[i + 1])
        values.append(v if mask is None else np.where(mask[i + 1], v, values[-1]))
    seeds = seeds if start is None else [0.0, *seeds]
    bars = []
    g = seeds[-1]
    for i in steps[::-1]:
        before, after = values[i - steps.start], values[i - steps.start + 1]
        x_bar, s_bar = _sent(q, after, before, x[i + 1], g), _sent(p, after, before, x[i + 1], g)
        if mask is not None:
            x_bar, s_bar = np.where(mask[i + 1], x_bar, 0.0), np.where(mask[i + 1], s_bar, g)
        bars.append(x_bar)
        g = s_bar + seeds[i - steps.start]
    if start is None:
        bars.append(g)
    return np.stack([np.broadcast_to(b, x.shape[1:]) for b in bars[::-1]])


def _only_last(g: Any, n: int) -> list[Any]:
    return [0.0] * (n - 1) + [g]


def _reduce_rule(f: Any, partials: Partials) -> Callable[..., Any]:
    def rule(
        array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False,
        initial: Any = NO_VALUE, where: Any = True,
    ) -> Any:  # fmt: skip
        """The seed, sent back through the running values."""
        refuse(f"numpy.{f.__name__}.reduce", out=out)
        check_dtype(f"numpy.{f.__name__}.reduce", dtype, array)
        a = as_array(array)
        options = {} if initial is NO_VALUE else {"initial": initial}
        y = f.reduce(a, axis, dtype, None, keepdims, where=where, **options)

        def reduce_pullback(y_bar: Any) -> Any:
            axes = normal_axes(axis, a.ndim)
            others = tuple(i for i in range(a.ndim) if i not in axes)
            moved = np.transpose(_floats(a), axes + others)
            x = first_joined(moved, len(axes))
            if x.size == 0:
                return np.zeros(a.shape)
            start = None if initial is NO_VALUE else initial
            mask = None
            if where is not True:
                mask = np.transpose(np.broadcast_to(where, a.shape), axes + others).reshape(x.shape)
            if initial is NO_VALUE and (mask is not None or (f is np.hypot and len(x) == 1)):
                # The others' identity changes nothing where an element is there at all.
                start = f.identity
            seeds = _only_last(np.reshape(y_bar, x.shape[1:]), len(x))
            x_bar = _run_back(f, partials, x, seeds, start, mask).reshape(moved.shape)
            return np.transpose(x_bar, np.argsort(axes + others))

        return y, reduce_pullback

    return leading(rule)


def _known_reduce_rule(f: Any, reduction: Any) -> Callable[..., Any]:
    def rule(
        array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False,
        initial: Any = NO_VALUE, where: Any = True,
    ) -> Any:  # fmt: skip
        """As the function for all axes."""
        refuse(f"numpy.{f.__name__}.reduce", out=out)
        options: dict[str, Any] = {"keepdims": keepdims, "where": where}
        if f in ACCUMULATIONS:
            options["dtype"] = dtype
        elif dtype is not None:
            refuse(f"numpy.{f.__name__}.reduce", dtype=dtype)
        if initial is not NO_VALUE and not (initial is None and f not in ACCUMULATIONS):
            options["initial"] = initial
        return reduction(as_array(array), axis=axis, **options)

    return leading(rule)


def _accumulate_rule(f: Any, partials: Partials) -> Callable[..., Any]:
    def rule(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """The seeds, collected on the way back through the running values."""
        refuse(f"numpy.{f.__name__}.accumulate", out=out)
        check_dtype(f"numpy.{f.__name__}.accumulate", dtype, array)
        a = as_array(array)
        y = f.accumulate(a, axis, dtype)

        def accumulate_pullback(y_bar: Any) -> Any:
            if a.size == 0:
                return np.zeros(a.shape)
            x_bar = _run_back(f, partials, np.moveaxis(_floats(a), axis, 0), list(np.moveaxis(y_bar, axis, 0)))
            return np.moveaxis(x_bar, 0, axis)

        return y, accumulate_pullback

    return leading(rule)


def _known_accumulate_rule(f: Any, reduction: Any) -> Callable[..., Any]:
    def rule(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """As the function."""
        refuse(f"numpy.{f.__name__}.accumulate", out=out)
        return reduction(as_array(array), axis=axis, dtype=dtype)

    return leading(rule)


def _reduceat_rule(f: Any, partials: Partials) -> Callable[..., Any]:
    def rule(array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Each seed to its slice; an index that is not below the next one stands for its element alone."""
        refuse(f"numpy.{f.__name__}.reduceat", out=out)
        check_dtype(f"numpy.{f.__name__}.reduceat", dtype, array)
        a = as_array(array)
        starts = [int(i) for i in as_array(indices)]
        y = f.reduceat(a, starts, axis, dtype)

        def reduceat_pullback(y_bar: Any) -> Any:
            x, g = np.moveaxis(_floats(a), axis, 0), np.moveaxis(y_bar, axis, 0)
            x_bar = np.zeros(x.shape, np.result_type(x, g))
            for i, (start, stop) in enumerate(zip(starts, [*starts[1:], len(x)], strict=True)):
                part = slice(start, max(stop, start + 1))
                if f is np.add:
                    x_bar[part] += g[i]
                elif f is np.multiply:
                    x_bar[part] += prod_rule(x[part], 0)[1](g[i])[0]
                else:
                    x_bar[part] += _run_back(f, partials, x[part], _only_last(g[i], len(x[part])))
            return np.moveaxis(x_bar, 0, axis)

        return y, reduceat_pullback

    return leading(rule)


def _outer_rule(f: Any, partials: Partials, real: bool) -> Callable[..., Any]:
    def rule(A: Any, B: Any, **options: Any) -> Any:
        """As the ufunc of two arrays whose axes do not meet."""
        check_ufunc_keywords(f, options)
        a, b = as_array(A), as_array(B)
        if real and "c" in (a.dtype.kind, b.dtype.kind):
            return NotImplemented
        y = f.outer(a, b, **options)
        wide = a.reshape(a.shape + (1,) * b.ndim)

        def outer_pullback(y_bar: Any) -> Any:
            a_bar, b_bar = (_sent(p, y, wide, b, y_bar) for p in partials)
            return unbroadcast(as_array(a_bar), wide.shape).reshape(a.shape), unbroadcast(as_array(b_bar), b.shape)

        return y, outer_pullback

    return rule


def _declare(f: Any) -> None:
    """Declare the rules for the methods of a ufunc, or why they have none."""
    unsupported("writes in place, which is an engine's matter", f.at)
    if f.signature is not None or f.nin != 2 or f.nout != 1:
        return
    if is_non_differentiable(f):
        non_differentiable(f.reduce, f.accumulate, f.reduceat, f.outer)
        return
    scalar = scalar_rule_for(f)
    assert scalar is not None, f
    p, q = scalar.partials
    rrule(f.outer)(_outer_rule(f, (p, q), scalar.real))
    if "dd->d" not in f.types:
        unsupported("its arguments are of two types", f.reduce, f.accumulate, f.reduceat)
        return
    p, q = FIRST_WINS.get(f, (p, q))
    reduction = ACCUMULATIONS.get(f)
    rrule(f.accumulate)(_accumulate_rule(f, (p, q)) if reduction is None else _known_accumulate_rule(f, reduction))
    if f in FOLDED:
        rrule(f.reduce)(_known_reduce_rule(f, REDUCTIONS[f]) if f in REDUCTIONS else _reduce_rule(f, (p, q)))
        rrule(f.reduceat)(_reduceat_rule(f, (p, q)))
    else:
        unsupported("NumPy folds it from the left or otherwise, depending on shape and machine", f.reduce, f.reduceat)


for f in {id(f): f for f in vars(np).values() if isinstance(f, np.ufunc)}.values():
    _declare(f)
