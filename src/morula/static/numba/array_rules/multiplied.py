"""Products over all elements, and running ones: the other factors, never a quotient, so zeros are exact.

Where a running product may leave the range of floats while the whole one does not, each number has an exponent of its
own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.scaled import add_scaled, scaled, shifted, stays_in_range
from morula.static.numba.array_rules.shared import strong_mul, zero


@register_jitable
def rest_products(x: Any) -> Any:
    """For each element of a vector the product of all others: running products from both sides."""
    n = len(x)
    rest = np.ones_like(x)
    if stays_in_range(x):
        for i in range(1, n):
            rest[i] = rest[i - 1] * x[i - 1]
        right = np.ones_like(x)
        for i in range(n - 2, -1, -1):
            right[i] = right[i + 1] * x[i + 1]
            rest[i] *= right[i]
    else:
        m, e = np.ones_like(x), np.zeros(n, np.int64)
        for i in range(1, n):
            m[i], e[i] = scaled_product(m[i - 1], e[i - 1], x[i - 1])
        right, f = np.ones_like(x), np.zeros(n, np.int64)
        for i in range(n - 2, -1, -1):
            right[i], f[i] = scaled_product(right[i + 1], f[i + 1], x[i + 1])
        for i in range(n):
            rest[i] = shifted(m[i] * right[i], e[i] + f[i])
    return rest


@register_jitable
def scaled_product(m: Any, e: Any, x: Any) -> Any:
    """``(m 2**e) x``, scaled."""
    z, k = scaled(x, 0)
    return scaled(m * z, e + k)


def prod_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """Each tangent times the other factors."""
    rest = rest_products(a.flatten())
    y_dot = zero(y)
    i = 0
    for at in np.ndindex(a.shape):
        y_dot += strong_mul(rest[i], a_dot[at])
        i += 1
    return y_dot


@array_rule(np.prod, tangent=prod_tangent, reads="a")
def prod_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """The product of the other factors, exact where some are zero."""
    rest = rest_products(a.flatten())
    i = 0
    for at in np.ndindex(a.shape):
        a_bar[at] += strong_mul(np.conj(rest[i]), y_bar)
        i += 1


@register_jitable
def running_bars(x: Any, y_bar: Any) -> Any:
    """``x_bar[k] = conj(x[0] ... x[k-1]) s[k]`` with ``s[k] = y_bar[k] + conj(x[k+1]) s[k+1]``."""
    n = len(x)
    x_bar = np.ones_like(x)
    if stays_in_range(x):
        for k in range(1, n):
            x_bar[k] = x_bar[k - 1] * np.conj(x[k - 1])
        s = y_bar.dtype.type(0)
        for k in range(n - 1, -1, -1):
            s += y_bar[k]
            x_bar[k] *= s
            s *= np.conj(x[k])
    else:
        e = np.zeros(n, np.int64)
        for k in range(1, n):
            x_bar[k], e[k] = scaled_product(x_bar[k - 1], e[k - 1], np.conj(x[k - 1]))
        s, f = np.zeros_like(x), np.zeros(n + 1, np.int64)
        for k in range(n - 1, -1, -1):
            g, j = scaled(y_bar[k], 0)
            if k < n - 1:
                more, i = scaled_product(s[k + 1], f[k + 1], np.conj(x[k + 1]))
                g, j = add_scaled(g, j, more, i)
            s[k], f[k] = g, j
        for k in range(n):
            x_bar[k] = shifted(x_bar[k] * s[k], e[k] + f[k])
    return x_bar


@register_jitable
def running_tangents(x: Any, x_dot: Any) -> Any:
    """``y_dot[k] = y_dot[k-1] x[k] + (x[0] ... x[k-1]) x_dot[k]``."""
    y_dot = np.empty_like(x)
    if len(x):
        product, total = x[0], x_dot[0]
        y_dot[0] = total
        for k in range(1, len(x)):
            total = total * x[k] + product * x_dot[k]
            product *= x[k]
            y_dot[k] = total
    return y_dot


def cumprod_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """Of the flat array, as NumPy flattens it."""
    return running_tangents(a.flatten(), a_dot.flatten())


@array_rule(np.cumprod, tangent=cumprod_tangent, reads="a")
def cumprod_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """Of the flat array: no division, so zeros are exact."""
    a_bar += running_bars(a.flatten(), y_bar).reshape(a.shape)
