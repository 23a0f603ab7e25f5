"""NumPy's functions that are a few lines of others: correlation, polynomials, tensor equations, sets.

They run transformed where something active reaches them, and are called plainly otherwise.
"""

from typing import Any

import numpy as np

from morula.eager.numpy.numpy_substitutes import substitute
from morula.errors import NotDifferentiable


@substitute(np.corrcoef, always=False)
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    c: Any = np.cov(x, y, rowvar, dtype=dtype)
    if np.ndim(c) == 0:
        return c / c
    stddev = np.sqrt(np.diag(c).real)
    c = c / stddev[:, None]
    c /= stddev[None, :]
    np.clip(c.real, -1, 1, out=c.real)
    if np.iscomplexobj(c):
        np.clip(c.imag, -1, 1, out=c.imag)
    return c


def coefficients(p: Any) -> Any:
    """Those of a polynomial given as an array; a `poly1d` would want a `poly1d` in return."""
    if isinstance(p, np.poly1d):
        raise NotDifferentiable("numpy.poly1d together with active coefficients is not supported; use arrays")
    return np.atleast_1d(p)


def padded(p: Any, n: int) -> Any:
    return np.concatenate((np.zeros(n - len(p), p.dtype), p)) if len(p) < n else p


def without_leading_zeros(p: Any) -> Any:
    p = np.trim_zeros(coefficients(p), "f")
    return p if len(p) else np.array([0], p.dtype)


@substitute(np.polyadd, always=False)
def polyadd(a1, a2):
    a1, a2 = coefficients(a1), coefficients(a2)
    n = max(len(a1), len(a2))
    return padded(a1, n) + padded(a2, n)


@substitute(np.polysub, always=False)
def polysub(a1, a2):
    a1, a2 = coefficients(a1), coefficients(a2)
    n = max(len(a1), len(a2))
    return padded(a1, n) - padded(a2, n)


@substitute(np.polymul, always=False)
def polymul(a1, a2):
    return np.convolve(without_leading_zeros(a1), without_leading_zeros(a2))


@substitute(np.polyder, always=False)
def polyder(p, m=1):
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    if isinstance(p, np.poly1d):
        p = coefficients(p)
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@substitute(np.polyint, always=False)
def polyint(p, m=1, k=None):
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    k = np.atleast_1d(np.zeros(m) if k is None else k)
    if len(k) == 1 and m > 1:
        k = k[0] * np.ones(m)
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    if isinstance(p, np.poly1d):
        p = coefficients(p)
    p = np.asarray(p)
    for i in range(m):
        p = np.concatenate((p / np.arange(len(p), 0, -1), [k[i]]))
    return p


@substitute(np.union1d, always=False)
def union1d(ar1, ar2):
    return np.unique(np.concatenate((ar1, ar2), axis=None))


@substitute(np.linalg.tensorinv, always=False)
def tensorinv(a, ind=2):
    a = np.asarray(a)
    shape = a.shape
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    rows = 1
    for n in shape[ind:]:
        rows *= n
    return np.linalg.inv(a.reshape(rows, -1)).reshape(*shape[ind:], *shape[:ind])


@substitute(np.linalg.tensorsolve, always=False)
def tensorsolve(a, b, axes=None):
    a, b = np.asarray(a), np.asarray(b)
    order = list(range(a.ndim))
    for k in axes or ():
        order.remove(k)
        order.insert(a.ndim, k)
    a = a.transpose(order)
    shape = a.shape[-(a.ndim - b.ndim) :]
    n = 1
    for k in shape:
        n *= k
    if a.size != n**2:
        raise np.linalg.LinAlgError("Input arrays must satisfy prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return np.linalg.solve(a.reshape(n, n), b.ravel()).reshape(shape)


for _name in ("sqrt", "log", "log2", "log10", "logn", "power", "arccos", "arcsin", "arctanh"):
    _f = getattr(np.emath, _name)
    substitute(_f, always=False)(_f.__wrapped__)
