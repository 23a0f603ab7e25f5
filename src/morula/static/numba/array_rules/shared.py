"""What the rules for arrays share: conjugates, real parts, layouts, products with strong zeros.

Each is a Python function that also has a body for Numba, chosen by types; the bodies are one line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numba.np.numpy_support import as_dtype


def _is_complex(t: Any) -> bool:
    return isinstance(getattr(t, "dtype", t), types.Complex)


def like(x: Any, v: Any) -> Any:
    """``v`` as a cotangent of ``x``: its real part where ``x`` is real."""
    return np.real(v) if np.isrealobj(x) else v


@overload(like, strict=False)
def _like(x: Any, v: Any) -> Any:
    if _is_complex(v) and not _is_complex(x):
        return lambda x, v: v.real
    return lambda x, v: v


def conj(x: Any) -> Any:
    """The conjugate of an array: a real one itself, no copy."""
    return np.conj(x) if np.iscomplexobj(x) else x


@overload(conj, strict=False)
def _conj(x: Any) -> Any:
    if _is_complex(x):
        return lambda x: np.conj(x)
    return lambda x: x


def contiguous(x: Any) -> Any:
    """``x``, or a copy where it is neither C nor Fortran contiguous: what BLAS and LAPACK read at full speed."""
    return x if x.flags.c_contiguous or x.flags.f_contiguous else np.ascontiguousarray(x)


@overload(contiguous, strict=False)
def _contiguous(x: Any) -> Any:
    if not isinstance(x, types.Array) or x.layout in "CF":
        return lambda x: x
    return lambda x: np.ascontiguousarray(x)


def h(x: Any) -> Any:
    """The conjugate transpose of a matrix, contiguous."""
    return conj(contiguous(x).T)


@overload(h, strict=False)
def _h(x: Any) -> Any:
    if _is_complex(x):
        return lambda x: np.conj(contiguous(x).T)
    return lambda x: contiguous(x).T


@register_jitable
def strong_mul(p: Any, g: Any) -> Any:
    """``p * g``, where an exact zero on either side gives zero, whatever the other side is."""
    r = p * g
    if r != r and (p == 0 or g == 0):
        return 0.0
    return r


@register_jitable
def strong_div(g: Any, d: Any) -> Any:
    """``g / d``, where an exact zero in ``g`` gives zero, whatever ``d`` is. A zero in ``d`` raises nothing."""
    r = np.divide(g, d)
    if g == 0:
        return zero(r)
    return r


def plus(u: Any, v: Any) -> Any:
    """``u + v``, where ``None`` is nothing."""
    return v if u is None else u if v is None else u + v


@overload(plus, strict=False)
def _plus(u: Any, v: Any) -> Any:
    if isinstance(u, types.NoneType):
        return lambda u, v: v
    if isinstance(v, types.NoneType):
        return lambda u, v: u
    return lambda u, v: u + v


def dot(a: Any, b: Any) -> Any:
    """`numpy.dot` of what may lie apart, ``None`` where one of the two is."""
    return None if a is None or b is None else np.dot(contiguous(a), contiguous(b))


@overload(dot, strict=False)
def _dot(a: Any, b: Any) -> Any:
    if isinstance(a, types.NoneType) or isinstance(b, types.NoneType):
        return lambda a, b: None
    return lambda a, b: np.dot(contiguous(a), contiguous(b))


def dot_of(x: Any, x_dot: Any) -> Any:
    """The tangent of an array, of a number or of a tuple of such: zeros for ``None``."""
    if isinstance(x, tuple | list):
        return tuple([dot_of(v, d) for v, d in zip(x, x_dot, strict=True)])
    return x_dot if x is None or x_dot is not None else np.zeros(x.shape, x.dtype) if np.ndim(x) else zero(x)


@overload(dot_of, strict=False)
def _dot_of(x: Any, x_dot: Any) -> Any:
    if isinstance(x, types.BaseTuple):
        if len(x) == 1:
            return lambda x, x_dot: (dot_of(x[0], x_dot[0]),)
        return lambda x, x_dot: (dot_of(x[0], x_dot[0]), *dot_of(x[1:], x_dot[1:]))
    if not isinstance(x_dot, types.NoneType) or isinstance(x, types.NoneType):
        return lambda x, x_dot: x_dot
    if isinstance(x, types.Array):
        return lambda x, x_dot: np.zeros(x.shape, x.dtype)
    return lambda x, x_dot: zero(x)


def zero(y: Any) -> Any:
    """A zero of the type of a number, to add to."""
    return np.asarray(y).dtype.type(0)


@overload(zero, strict=False)
def _zero(y: Any) -> Any:
    nothing = as_dtype(y).type(0)
    return lambda y: nothing


@register_jitable
def all_finite(x: Any) -> bool:
    """Whether an array holds neither infinities nor NaNs."""
    found = True
    for at in np.ndindex(x.shape):
        if not np.isfinite(x[at]):
            found = False
            break
    return found
