"""NumPy's functions that call functions: `vectorize`, `apply_along_axis`, `apply_over_axes`, `piecewise`.

Each call inside is differentiated by the engine, once, where NumPy would make it; the pullbacks are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...accumulate import accumulate
from ...config import RuleConfig, rrule_via
from ...declarations import unsupported
from ...projection import unbroadcast
from ...rules import rrule
from ...tangents import NoTangent, Tangent, unthunk
from .shared import as_array

_np: Any = np
# These functions are written in Python, or an engine for Python has its own in their place: it sees active keywords
# too, for which a rule has no cotangents. Such engines are those without the trait "iterators".
NEEDS = ("reverse", "iterators")
Pullback = Callable[[Any], Any]


class _Recorder:
    """A function that keeps the pullback of each of its calls, and the shape of what came out."""

    def __init__(self, config: RuleConfig, f: Callable[..., Any]) -> None:
        self.config, self.f = config, f
        self.pullbacks: list[Pullback] = []
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        y, pullback = rrule_via(self.config, self.f, *args, **kwargs)
        self.pullbacks.append(pullback)
        self.shapes.append(np.shape(y))
        return y


class _Sums:
    """Cotangents that come several times, by name."""

    def __init__(self) -> None:
        self.found: dict[Any, Any] = {}

    def add(self, key: Any, bar: Any) -> None:
        self.found[key] = accumulate(self.found.get(key), unthunk(bar))

    def __getitem__(self, key: Any) -> Any:
        return self.found.get(key)


def _numbers(x: Any) -> bool:
    """Whether an array can be moved by small steps: what was rounded to integers cannot."""
    return bool(as_array(x).dtype.kind in "fcO")


def _zeros(x: Any) -> Any:
    return np.zeros(np.shape(x), np.result_type(as_array(x).dtype, np.float16 if _numbers(x) else np.float64))


@rrule(np.apply_along_axis, needs=NEEDS)
def apply_along_axis_rule(config: RuleConfig, func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Each row by its own pullback; to the further arguments the sum over the rows."""
    record = _Recorder(config, func1d)
    y = _np.apply_along_axis(record, axis, arr, *args, **kwargs)
    a = as_array(arr)

    def apply_along_axis_pullback(y_bar: Any) -> Any:
        sums, arr_bar = _Sums(), _zeros(a)
        rows = np.moveaxis(arr_bar, axis, -1)
        k, at = len(record.shapes[0]), axis % a.ndim
        seeds = np.moveaxis(as_array(y_bar), range(at, at + k), range(-k, 0)) if k else as_array(y_bar)
        if _numbers(y):
            for index, pullback in zip(np.ndindex(*rows.shape[:-1]), record.pullbacks, strict=True):
                own, row_bar, *bars = pullback(seeds[index])
                row_bar = unthunk(row_bar)
                rows[index] = row_bar if isinstance(row_bar, np.ndarray) else 0.0
                for i, bar in enumerate([own, *bars]):
                    sums.add(i, bar)
        return (sums[0], None, arr_bar, *[sums[i + 1] for i in range(len(args))])

    return y, apply_along_axis_pullback


@rrule(np.apply_over_axes, needs=NEEDS)
def apply_over_axes_rule(config: RuleConfig, func: Any, a: Any, axes: Any) -> Any:
    """The pullbacks one after the other, last first."""
    record = _Recorder(config, func)
    y = np.apply_over_axes(record, a, axes)

    def apply_over_axes_pullback(y_bar: Any) -> Any:
        sums = _Sums()
        for pullback, shape in zip(record.pullbacks[::-1], record.shapes[::-1], strict=True):
            own, y_bar, _ = pullback(np.reshape(y_bar, shape))
            y_bar = unthunk(y_bar)
            sums.add(0, own)
            if not isinstance(y_bar, (np.ndarray, np.number, float, complex)):
                break
        return sums[0], y_bar, None

    return y, apply_over_axes_pullback


def _masks(x: Any, condlist: Any, n: int) -> Any:
    """One mask for each of the ``n`` functions, the last for where no condition holds: as NumPy reads them."""
    if np.isscalar(condlist) or (not isinstance(condlist[0], (list, np.ndarray)) and np.ndim(x) != 0):
        condlist = [condlist]
    masks = np.asarray(condlist, bool)
    if len(masks) == n - 1:
        masks = np.concatenate([masks, ~np.any(masks, axis=0, keepdims=True)])
    return masks


def _piecewise(x: Any, condlist: Any, funclist: Any, records: list[Any], n_args: int, y: Any) -> Pullback:
    x, masks = as_array(x), _masks(x, condlist, len(funclist))

    def piecewise_pullback(y_bar: Any) -> Any:
        sums, x_bar = _Sums(), _zeros(x)
        free = np.ones(x.shape, bool)  # what no later condition took away
        bars: list[Any] = []
        for f, record, mask in list(zip(funclist, records, masks, strict=True))[::-1]:
            seed = np.where(mask & free, y_bar if _numbers(y) else 0.0, 0.0)
            free = free & ~mask
            bar = None
            if record is None:
                bar = np.sum(seed) if not callable(f) else None
            elif record.pullbacks:
                bar, inner, *more = record.pullbacks[0](unbroadcast(seed[mask], record.shapes[0]))
                inner = unthunk(inner)
                part = np.zeros(x.shape, x_bar.dtype)
                part[mask] = inner if isinstance(inner, np.ndarray) else 0.0
                x_bar = x_bar + part
                for i, extra in enumerate(more):
                    sums.add(i, extra)
            bars.append(bar)
        return (x_bar, None, bars[::-1], *[sums[i] for i in range(n_args)])

    return piecewise_pullback


@rrule(np.piecewise, needs=NEEDS)
def piecewise_rule(
    config: RuleConfig, x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any
) -> Any:  # fmt: skip
    """Each function by its pullback, with the seed where no later condition holds."""
    records = [_Recorder(config, f) if callable(f) else None for f in funclist]
    called = [f if record is None else record for f, record in zip(funclist, records, strict=True)]
    y = np.piecewise(x, condlist, called, *args, **kwargs)
    return y, _piecewise(x, condlist, funclist, records, len(args), y)


@rrule(np.vectorize, with_self=True, needs=NEEDS)
def vectorize_rule(config: RuleConfig, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Element by element, or block by block where there is a signature; whole to what is excluded."""
    f = self.pyfunc
    if not callable(f):
        return NotImplemented
    inside = [i for i in range(len(args)) if i not in self.excluded]
    names = [n for n in kwargs if n not in self.excluded]
    looped = [*[args[i] for i in inside], *[kwargs[n] for n in names]]

    def whole_call(*parts: Any) -> Any:
        given, options = list(args), dict(kwargs)
        for i, v in zip(inside, parts, strict=False):
            given[i] = v
        options.update(zip(names, parts[len(inside) :], strict=True))
        return rrule_via(config, f, *given, **options)

    how = _in_blocks if self.signature is not None else _by_elements
    if not looped:
        return NotImplemented
    y, calls, core = how(self, whole_call, looped)
    several = isinstance(y, tuple)

    def vectorize_pullback(y_bar: Any) -> Any:
        sums = _Sums()
        bars = [_zeros(args[i]) for i in inside]
        seeds = y_bar if several else (y_bar,)
        outputs = y if several else (y,)
        for index, pullback in calls:
            seed = tuple([_part(v, g, index) for v, g in zip(outputs, seeds, strict=True)])
            own, *found = pullback(seed if several else seed[0])
            sums.add("self", own)
            for i, bar in enumerate(found):
                if i in inside:
                    k = inside.index(i)
                    _add_part(bars[k], index, unthunk(bar), core[k])
                else:
                    sums.add(i, bar)
        own = sums["self"]
        self_bar = NoTangent() if own is None or isinstance(own, NoTangent) else Tangent(np.vectorize, pyfunc=own)
        return (self_bar, *[bars[inside.index(i)] if i in inside else sums[i] for i in range(len(args))])

    return y, vectorize_pullback


def _part(y: Any, g: Any, index: tuple[int, ...]) -> Any:
    """The seed of one call."""
    if g is None or not _numbers(y):
        return None
    part = as_array(g)[index]
    return part.item() if isinstance(part, np.generic) else part


def _add_part(bar: Any, index: tuple[int, ...], part: Any, core: int) -> None:
    """Add the cotangent of one call into that of an array which was broadcast over the calls."""
    if not isinstance(part, (np.ndarray, np.number, float, complex)):
        return
    loop = bar.shape[: bar.ndim - core]
    own = index[len(index) - len(loop) :]
    bar[tuple([0 if n == 1 else i for i, n in zip(own, loop, strict=True)])] += part


def _by_elements(self: Any, call: Callable[..., Any], looped: list[Any]) -> Any:
    objects = np.broadcast_arrays(*[np.asarray(v, dtype=object) for v in looped])
    shape = objects[0].shape
    results, calls, otypes, first = [], [], self.otypes, None
    if otypes is None and objects[0].size:
        # NumPy calls it once more than there are elements, to see what comes out.
        first = call(*[np.asarray(v).flat[0] for v in looped])
        outputs = first[0] if isinstance(first[0], tuple) else (first[0],)
        otypes = "".join([np.asarray(v).dtype.char for v in outputs])
        first = first if self.cache else None
    for index in np.ndindex(*shape):
        y, pullback = call(*[v[index] for v in objects]) if first is None else first
        first = None
        results.append(y)
        calls.append((index, pullback))
    # The results in the layout that a ufunc of these arguments has.
    like = np.frompyfunc(lambda *_: None, len(looped), 1)(*[np.asarray(v, dtype=object) for v in looped])
    numbers = np.empty_like(like, dtype=int) if isinstance(like, np.ndarray) else np.empty((), int)
    numbers[...] = np.arange(numbers.size).reshape(shape)
    replay = np.vectorize(lambda i: results[i], otypes=otypes, cache=True)
    return replay(numbers), calls, [0] * len(looped)


def _in_blocks(self: Any, call: Callable[..., Any], looped: list[Any]) -> Any:
    pullbacks: list[Pullback] = []

    def recorded(*parts: Any) -> Any:
        y, pullback = call(*parts)
        pullbacks.append(pullback)
        return y

    y = np.vectorize(recorded, otypes=self.otypes, signature=self.signature)(*looped)
    core = [part.count(",") + 1 if part.strip() else 0 for part in _cores(self.signature)]
    loops = [np.shape(v)[: np.ndim(v) - k] for v, k in zip(looped, core, strict=True)]
    return y, list(zip(np.ndindex(*np.broadcast_shapes(*loops)), pullbacks, strict=True)), core


def _cores(signature: str) -> list[str]:
    """What stands in the parentheses of the inputs.

    >>> _cores("(n, m),(m),()->(n)")
    ['n, m', 'm', '']
    """
    inputs = signature.split("->")[0]
    return [part.split("(")[1] for part in inputs.split(")")[:-1]]


unsupported("what it makes calls a function of Python element by element: use numpy.vectorize", np.frompyfunc)
