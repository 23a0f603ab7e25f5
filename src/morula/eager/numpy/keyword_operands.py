"""Numbers that NumPy takes by keyword and that the rules hold constant: bodies for the calls where they are active.

They run transformed. The value is NumPy's own, computed with constants; what is added to it is zero, but for its
derivatives.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import ignore_derivatives
from morula.eager.calls.registry import KEYWORD_BODIES


def operand(names: str, *fs: Any) -> Callable:
    """Declare a body for the calls of ``fs`` in which one of these keywords is active; it is given ``f`` first."""

    def declare(body: Callable) -> Callable:
        KEYWORD_BODIES.update({(f, name): body for f in fs for name in names.split()})
        return body

    return declare


def moving(x, y):
    """Zero, with the derivatives of `x`, in the type of the result `y`."""
    return np.asarray(x - ignore_derivatives(x)).astype(np.result_type(y))[()]


@operand("initial", np.sum, np.ndarray.sum, np.nansum, np.add.reduce)
def summed(f, *args, initial, **kw):
    y = f(*args, initial=ignore_derivatives(initial), **kw)
    return y + moving(initial, y)


@operand("initial", np.prod, np.ndarray.prod, np.nanprod, np.multiply.reduce)
def multiplied(f, *args, initial, **kw):
    y = f(*args, initial=ignore_derivatives(initial), **kw)
    return y + moving(initial, y) * f(*args, **kw)


@operand("initial", np.max, np.ndarray.max, np.nanmax, np.maximum.reduce)
def largest(f, *args, initial, **kw):
    return extreme(np.maximum, f(*args, initial=ignore_derivatives(initial), **kw), f, args, kw, initial, -np.inf)


@operand("initial", np.min, np.ndarray.min, np.nanmin, np.minimum.reduce)
def smallest(f, *args, initial, **kw):
    return extreme(np.minimum, f(*args, initial=ignore_derivatives(initial), **kw), f, args, kw, initial, np.inf)


def extreme(choose, y, f, args, kw, initial, worst):
    is_rounded = np.result_type(y).kind not in "fc"
    return y if is_rounded else choose(f(*args, initial=worst, **kw), np.asarray(initial).astype(y.dtype))


@operand("min max", np.clip, np.ndarray.clip)
def clipped(f, a, *, min=None, max=None, **kw):
    return f(a, min, max, **kw)


@operand("b", np.ndarray.dot)
def product(f, a, *, b, **kw):
    return f(a, b, **kw)


@operand("mean", np.var, np.ndarray.var)
def variance(f, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, mean, where=True, correction=None):
    x = np.asarray(a, dtype) - mean
    squares = (x * np.conj(x)).real
    n = np.sum(np.broadcast_to(where, x.shape), axis=axis, keepdims=keepdims)
    free = np.maximum(n - (ddof if correction is None else correction), 0).astype(squares.dtype)
    return np.sum(squares, axis=axis, keepdims=keepdims, where=where) / free


@operand("mean", np.std, np.ndarray.std)
def deviation(f, *args, **kw):
    return np.sqrt(np.var(*args, **kw))


@operand("constant_values end_values", np.pad)
def padded(f, array, pad_width, mode="constant", **kw):
    name = "constant_values" if mode == "constant" else "end_values"
    y = f(array, pad_width, mode, **{k: ignore_derivatives(v) for k, v in kw.items()})
    if y.dtype.kind not in "fc":
        return y
    ends = np.broadcast_to(np.asarray(kw[name]), (y.ndim, 2))
    for axis, sides in enumerate(moving(ends, y)):
        for side, end in enumerate(sides):
            here = np.zeros(ends.shape)
            here[axis, side] = 1.0
            y = y + end * f(np.zeros(np.shape(array), y.dtype), pad_width, mode, **{name: here})
    return y
