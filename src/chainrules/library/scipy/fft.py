"""`scipy.fft`: the transforms of `numpy.fft`, those of cosines and sines, and the fast Hankel transform.

No rule lets SciPy overwrite its arguments: ``overwrite_x=True`` allows it, and changes no result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft as sp  # type: ignore[import-untyped]

from ...declarations import non_differentiable
from ...programs import followed
from ...rules import rrule
from ...tangents import Thunk
from ..forward import forward
from ..numpy.fft import ADJOINT, along_axes, axes_along, declare_transforms, fitted
from ..numpy.shared import as_array, leading


def _workers(name: str, overwrite_x: Any = False, workers: Any = None, *, plan: Any = None) -> dict[str, Any]:
    return {"workers": workers, "plan": plan}


def _declare(f: Any, rule: Any, transform: Any) -> None:
    rrule(f)(leading(rule))

    def tangent(y: Any, dots: Any, x: Any, *args: Any, **named: Any) -> Any:
        """The transform of the tangent, a complex one for complex numbers: of these SciPy transforms otherwise."""
        return transform(dots[0] + 0j if np.iscomplexobj(x) else dots[0], *args, **named)

    forward(f)(tangent)
    along_axes(f, 3 if "ct" in f.__name__ or "st" in f.__name__ else 2)


declare_transforms(sp, _workers, _declare)

# With ``orthogonalize`` the matrix of each transform is orthogonal up to a factor, which the norm says: the inverse has
# the transpose for its matrix. Without, some of its rows are longer by the square root of 2 and some of its columns
# shorter: the first one (0), the last one (-1), or both.
_LONG_ROWS = {("c", 1): [0, -1], ("c", 2): [0], ("s", 2): [-1]}
_SHORT_COLUMNS = {("c", 1): [0, -1], ("c", 3): [0], ("s", 3): [-1]}
_OF_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _weighted(x: Any, axes: tuple[int, ...], ends: list[int], factor: float) -> Any:
    for axis in axes if ends else ():
        weights = np.ones(x.shape[axis], x.real.dtype)
        weights[ends] = factor
        x = x * weights.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return x


def _transposed(name: str, x: Any, size: Any, axes: Any, type: int, norm: Any, orthogonalize: Any) -> Any:
    """The pullback of a transform of cosines or sines: the inverse of the seed, the ends weighted before and after."""
    back, many = name.startswith("i"), name.endswith("n")
    inverse = getattr(sp, name[1:] if back else "i" + name)
    along = axes_along(x, size, axes)
    matrix = (name[-3 - many + 1], _OF_INVERSE[type] if back else type)
    # of complex numbers SciPy transforms the parts, and takes the norm's word for it
    orthogonal = norm == "ortho" if orthogonalize is None or x.dtype.kind == "c" else orthogonalize
    rows, columns = ([], []) if orthogonal else (_LONG_ROWS.get(matrix, []), _SHORT_COLUMNS.get(matrix, []))

    def back_of(g: Any) -> Any:
        return inverse(g, type, None, along if many else along[0], ADJOINT[norm], orthogonalize=True)

    def pullback(y_bar: Any) -> Any:
        g = _weighted(as_array(y_bar), along, rows, np.sqrt(2))
        g = back_of(g.real) + 1j * back_of(g.imag) if g.dtype.kind == "c" else back_of(g)
        return fitted(_weighted(g, along, columns, np.sqrt(0.5)), x.shape)

    return lambda y_bar: Thunk(pullback, y_bar)


def _trigonometric(name: str) -> None:
    f = getattr(sp, name)

    def along_one(
        x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: Any = False,
        workers: Any = None, orthogonalize: Any = None,
    ) -> Any:  # fmt: skip
        """The inverse transform of the seed, the ends weighted."""
        y = f(x, type, n, axis, norm, workers=workers, orthogonalize=orthogonalize)
        return y, _transposed(name, as_array(x), n, axis, type, norm, orthogonalize)

    def along_many(
        x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: Any = False,
        workers: Any = None, orthogonalize: Any = None,
    ) -> Any:  # fmt: skip
        """The inverse transform of the seed, the ends weighted."""
        y = f(x, type, s, axes, norm, workers=workers, orthogonalize=orthogonalize)
        return y, _transposed(name, as_array(x), s, axes, type, norm, orthogonalize)

    rule = along_many if name.endswith("n") else along_one
    _declare(f, rule, lambda x, *args, **named: rule(x, *args, **named)[0])


for name in ("dct", "dst"):
    for ending in ("", "n"):
        _trigonometric(name + ending)
        _trigonometric("i" + name + ending)


def _hankel(f: Any) -> None:
    def rule(a: Any, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Any:
        """The transform of the seed: the matrix of a circular correlation, weighted on both sides, is symmetric."""
        return f(a, dln, mu, offset, bias), lambda y_bar: Thunk(f, y_bar, dln, mu, offset, bias)

    rrule(f)(leading(rule))
    forward(f)(lambda y, dots, a, *args, **named: f(dots[0], *args, **named))


for f in (sp.fht, sp.ifht):
    _hankel(f)

CONSTANT = """
    next_fast_len prev_fast_len set_backend skip_backend set_global_backend register_backend get_workers set_workers
"""
non_differentiable(*[getattr(sp, name) for name in CONSTANT.split() if hasattr(sp, name)])
followed(sp.fhtoffset)
