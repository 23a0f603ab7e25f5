"""NumPy's functions that are a few lines of others: correlation, tensor equations, sets; polynomials of class `poly1d`.

They run transformed where something active reaches them, and are called plainly otherwise.
"""

from typing import Any

import numpy as np

from morula.eager.numpy.array_methods import OF_POLYNOMIALS
from morula.eager.numpy.numpy_substitutes import substitute


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


_NAMES = ("sqrt", "log", "log2", "log10", "logn", "power", "arccos", "arcsin", "arctanh")
for _f in (*[getattr(np.emath, name) for name in _NAMES], *OF_POLYNOMIALS):
    substitute(_f, always=False)(_f.__wrapped__)
