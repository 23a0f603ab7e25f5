"""Generic seeds for the values of rules, and inner products of cotangents with tangents, of any structure."""

from typing import Any

import numpy as np

from chainrules import Tangent, is_absent, unbroadcast
from morula.eager.containers.parts import varying_names
from morula.eager.context.kinds import is_plain_object

ndarray = np.ndarray
NUMBERS = (float, complex, np.inexact)
GOLDEN = 0.6180339887498949


class Fields:
    """Stands for an object in the layout of a value."""

    __slots__ = ("cls", "parts")

    def __init__(self, cls: type, parts: dict[str, Any]):
        self.cls = cls
        self.parts = parts


class Seed:
    """A seed that is generic, for a value of any structure.

    Attributes:
        parts: its numbers and arrays.
        layout: the structure of the value, with the position among `parts` for each number and array of floats, and
            None for everything else.
        size: how many real numbers there are.
        eps: that of the coarsest of their types.
    """

    __slots__ = ("eps", "layout", "parts", "size")

    def __init__(self, y: Any):
        self.parts: list[Any] = []
        self.size = 0
        self.eps = 0.0
        self.layout = self._laid_out(y)

    def _laid_out(self, y: Any) -> Any:
        if isinstance(y, tuple | list):
            return tuple([self._laid_out(v) for v in y])
        if isinstance(y, dict):
            return {key: self._laid_out(v) for key, v in y.items()}
        if isinstance(y, ndarray):
            if y.dtype.kind not in "fc":
                return None
            part = generic(y.size, len(self.parts), y.dtype)
            part = part.reshape(y.shape).copy()  # memory of its own
            return self._new(part)
        if isinstance(y, NUMBERS):
            one = generic(1, len(self.parts), np.dtype(type(y)))[0]
            return self._new(one if isinstance(y, np.inexact) else one.item())
        if is_plain_object(y):
            return Fields(type(y), {name: self._laid_out(getattr(y, name)) for name in varying_names(y)})
        return None

    def _new(self, part: Any) -> int:
        self.parts.append(part)
        self.eps = max(self.eps, float(np.finfo(np.asarray(part).dtype).eps))
        self.size += np.size(part) * (2 if np.iscomplexobj(part) else 1)
        return len(self.parts) - 1


def generic(n: int, k: int, dtype: np.dtype) -> ndarray:
    """`n` numbers between 1/2 and 3/2, no two of them the same; others for another `k`."""
    s = np.arange(1.0, n + 1.0)
    s += 0.3819 * k
    s *= GOLDEN
    s -= np.floor(s)
    s += 0.5
    return (s + 1j * (1.75 - 0.6 * s) if dtype.kind == "c" else s).astype(dtype, copy=False)


def structured(layout: Any, parts: Any, sequence: type = tuple) -> Any:
    """What has these parts in the structure of a value; transformed code calls it too."""
    if layout is None:
        return None
    if isinstance(layout, int):
        return parts[layout]
    if isinstance(layout, tuple):
        return sequence([structured(v, parts, sequence) for v in layout])
    if isinstance(layout, dict):
        return {key: structured(v, parts, sequence) for key, v in layout.items()}
    return Tangent(layout.cls, **{name: structured(v, parts, sequence) for name, v in layout.parts.items()})


def product_with_value(seed: Seed, y: Any) -> tuple[float, float]:
    """The inner product of a value with its seed, by which it is known again, and a bound of it."""
    return inner(y, structured(seed.layout, seed.parts))


def weighted(bars: list, dots: tuple) -> list:
    """The gradient with respect to cotangents of their inner product with tangents."""
    return [None if dot is None else against(bar, dot) for bar, dot in zip(bars, dots, strict=True)]


def against(bar: Any, dot: Any) -> Any:
    """The gradient with respect to `bar`, of any structure, of its inner product with `dot`; they are broadcast."""
    if dot is None or is_absent(bar):
        return None
    if isinstance(dot, dict):
        parts = bar if isinstance(bar, dict) else {name: getattr(bar, name, None) for name in dot}
        return {name: against(parts.get(name), t) for name, t in dot.items()}
    if isinstance(dot, tuple | list):
        if isinstance(bar, ndarray):
            pairs = zip(bar, dot, strict=True)
            return np.array([np.zeros(bar.shape[1:]) if t is None else against(b, t) for b, t in pairs])
        return [against(b, t) for b, t in zip(bar, dot, strict=True)]
    shape = np.shape(bar)
    if np.shape(dot) != shape:
        dot = unbroadcast(np.broadcast_to(dot, np.broadcast_shapes(np.shape(dot), shape)), shape)
    if np.iscomplexobj(dot) and not np.iscomplexobj(bar):
        dot = np.real(dot)
    return dot if isinstance(bar, ndarray) else np.asarray(dot)[()]


def inner(bars: Any, dots: Any) -> tuple[float, float]:
    """The real inner product of cotangents with tangents, and a bound of it."""
    if dots is None or is_absent(bars):
        return 0.0, 0.0
    if isinstance(dots, Tangent):
        dots = dict(dots.fields())
    if isinstance(dots, dict):
        parts = [(bars.get(k) if isinstance(bars, dict) else getattr(bars, k, None), t) for k, t in dots.items()]
    elif isinstance(dots, tuple | list):
        parts = list(zip(bars, dots, strict=True))
    else:
        if np.shape(bars) != np.shape(dots):
            bars, dots = np.broadcast_arrays(bars, dots)
        if not np.isfinite(np.vdot(bars, bars)):
            bars = np.where(np.equal(dots, 0), 0.0, bars)  # an exact zero kills an infinity
        if not np.isfinite(np.vdot(dots, dots)):
            dots = np.where(np.equal(bars, 0), 0.0, dots)
        bound = np.vdot(bars, bars).real * np.vdot(dots, dots).real
        return float(np.vdot(bars, dots).real), float(bound) ** 0.5
    found = [inner(bar, dot) for bar, dot in parts]
    return sum([total for total, _ in found]), sum([bound for _, bound in found])
