"""Forward rules for ``reduce``, ``accumulate``, ``reduceat`` and ``outer`` of binary ufuncs.

A running value ``s[i] = f(s[i-1], x[i])`` has the tangent ``p s_dot[i-1] + q x_dot[i]``, by the partials of the ufunc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lookup import frules_for, rules_for
from ...products import strong_mul
from ...scalar import scalar_rule_for
from ..forward import array_dot, forward
from . import forward_reductions, forward_statistics  # noqa: F401  (the rules of the functions)
from .shared import NO_VALUE, as_array, normal_axes
from .ufunc_methods import FIRST_WINS, Partials, _floats

REDUCTIONS: dict[Any, Any] = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
ACCUMULATIONS: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def _moved(p: Any, y: Any, a: Any, b: Any, x_dot: Any) -> Any:
    return strong_mul(p(y, a, b), x_dot) if callable(p) else p * x_dot


def _run(f: Any, partials: Partials, x: Any, x_dot: Any, start: Any = None, mask: Any = None) -> list[Any]:
    """The tangents of the running values along the first axis, of which there is one at least.

    Args:
        f: the ufunc.
        partials: by the running value and by the element.
        x: the elements.
        x_dot: their tangents.
        start: what the first element is combined with, a constant, or ``None``.
        mask: which elements take part, or ``None`` for all; there is a ``start`` then.
    """
    p, q = partials
    first = 1 if start is None else 0
    s, s_dot = (x[0], x_dot[0]) if start is None else (np.broadcast_to(start, x.shape[1:]), np.zeros(x.shape[1:]))
    found = [s_dot] if first else []
    for i in range(first, len(x)):
        y = f(s, x[i])
        y_dot = _moved(p, y, s, x[i], s_dot) + _moved(q, y, s, x[i], x_dot[i])
        if mask is not None:
            y, y_dot = np.where(mask[i], y, s), np.where(mask[i], y_dot, s_dot)
        s, s_dot = y, y_dot
        found.append(s_dot)
    return found


def _by_function(method: Any, function: Any) -> None:
    (rule,) = frules_for(function)

    @forward(method)
    def known_forward(y: Any, dots: Any, array: Any, axis: Any = 0, *args: Any, **options: Any) -> Any:
        """As the function."""
        given = dict(zip(("dtype", "out", "keepdims", "initial", "where"), args, strict=False), **options)
        if given.get("initial", 0) is None:
            del given["initial"]
        if given.get("dtype") is None:
            given.pop("dtype", None)
        return rule.function((as_array(array),), dots, axis=axis, **given)[1]


def _reduce(f: Any, partials: Partials) -> None:
    @forward(f.reduce)
    def reduce_forward(
        y: Any, dots: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False,
        initial: Any = NO_VALUE, where: Any = True,
    ) -> Any:  # fmt: skip
        """That of the last of the running values."""
        a, a_dot = as_array(array), array_dot(array, dots[0])
        axes = normal_axes(axis, a.ndim)
        others = tuple(i for i in range(a.ndim) if i not in axes)

        def lined(v: Any) -> Any:
            return np.transpose(v, axes + others).reshape(-1, *[a.shape[i] for i in others])

        x = lined(_floats(a))
        if not x.size:
            return np.zeros(np.shape(y))
        start = None if initial is NO_VALUE else initial
        mask = None if where is True else lined(np.broadcast_to(where, a.shape))
        if initial is NO_VALUE and (mask is not None or (f is np.hypot and len(x) == 1)):
            start = f.identity
        return np.reshape(_run(f, partials, x, lined(a_dot), start, mask)[-1], np.shape(y))


def _accumulate(f: Any, partials: Partials) -> None:
    @forward(f.accumulate)
    def accumulate_forward(y: Any, dots: Any, array: Any, axis: int = 0, *args: Any, **options: Any) -> Any:
        """Those of the running values."""
        x, x_dot = (np.moveaxis(v, axis, 0) for v in (_floats(as_array(array)), array_dot(array, dots[0])))
        return np.moveaxis(np.stack(_run(f, partials, x, x_dot)), 0, axis) if x.size else np.zeros(np.shape(y))


def _reduceat(f: Any, partials: Partials) -> None:
    @forward(f.reduceat)
    def reduceat_forward(
        y: Any, dots: Any, array: Any, indices: Any, axis: int = 0, *args: Any, **options: Any
    ) -> Any:  # fmt: skip
        """Slice by slice; an index that is not below the next one stands for its element alone."""
        x, x_dot = (np.moveaxis(v, axis, 0) for v in (_floats(as_array(array)), array_dot(array, dots[0])))
        starts = [int(i) for i in as_array(indices)]
        if not y.size:
            return np.zeros(y.shape)
        found = []
        for start, stop in zip(starts, [*starts[1:], len(x)], strict=True):
            part = slice(start, max(stop, start + 1))
            found.append(_run(f, partials, x[part], x_dot[part])[-1])
        return np.moveaxis(np.stack(found), 0, axis)


def _outer(f: Any, partials: Partials) -> None:
    @forward(f.outer, 0, 1)
    def outer_forward(y: Any, dots: Any, A: Any, B: Any, **options: Any) -> Any:
        """As the ufunc of two arrays whose axes do not meet."""
        b = as_array(B)
        wide, a_dot = (np.reshape(v, np.shape(A) + (1,) * b.ndim) for v in (A, array_dot(A, dots[0])))
        moves = zip(partials, (a_dot, array_dot(B, dots[1])), dots, strict=True)
        return sum([_moved(p, y, wide, b, move) for p, move, given in moves if given is not None])


for f in {id(f): f for f in vars(np).values() if isinstance(f, np.ufunc)}.values():
    scalar = scalar_rule_for(f)
    if f.nin != 2 or scalar is None or not rules_for(f.outer):
        continue
    p, q = scalar.partials
    _outer(f, (p, q))
    p, q = FIRST_WINS.get(f, (p, q))
    if rules_for(f.accumulate):
        _by_function(f.accumulate, ACCUMULATIONS[f]) if f in ACCUMULATIONS else _accumulate(f, (p, q))
    if rules_for(f.reduce):
        _by_function(f.reduce, REDUCTIONS[f]) if f in REDUCTIONS else _reduce(f, (p, q))
        _reduceat(f, (p, q))
