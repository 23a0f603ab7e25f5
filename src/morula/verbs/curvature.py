"""Second derivatives of a recorded run along many directions at once.

With tangents T of all values along a direction, found by one walk forward, a cotangent and its change along that
direction are carried back together. For ``y = f(x, z)`` with partials p, q

    x_bar += p y_bar        x_bar_dot += p y_bar_dot + (p_x T_x + p_z T_z) y_bar

(forward over reverse; Griewank & Walther, Evaluating Derivatives, 2008, section 5.1). Tangents and changes have an axis
more, in front: one row for each direction. The cotangents are the same for all of them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import scalar_rule_for
from morula.eager.context.kinds import exactly
from morula.eager.forward.program import Operation, record
from morula.eager.memory.array_shadows import Buffer, Keyed
from morula.eager.memory.fingerprints import fingerprint
from morula.errors import StaleMemoryError
from morula.verbs.directional import jvp

ndarray = np.ndarray
IN_CACHE = 1 << 15  # numbers: as many directions go together as leave the largest value's tangents in the cache


class Program:
    """A real function at a point, run once, whose Hessian can be multiplied with any number of directions.

    Attributes:
        value: of the function.
    """

    def __init__(self, value: Any, leaves: list[Any], y_d: Any, operations: list[Operation], watched: bool = True):
        self.value = value
        self._leaves = leaves
        self._y_d = y_d
        self._operations = operations
        arrays = {id(a): a for op in operations for a in op.args if isinstance(a, ndarray)} if watched else {}
        self._kept = [(a, fingerprint(a)) for a in arrays.values()]
        self._slopes: list[tuple | None] = [None] * len(operations)
        self._bars: Rows | None = None  # the cotangents of all values, which no direction changes

    @staticmethod
    def of(f: Callable, args: tuple, watched: bool = True) -> "Program | None":
        """The program of ``f(*args)``; None where it holds something that only the general way can differentiate.

        `watched`: whether somebody may write into what it has read before the last product is asked for.
        """
        found = record(f, args)
        return None if found is None else Program(*found, watched)

    def tangents(self, directions: list[ndarray]) -> "Rows":
        """The tangents of all values; `directions` holds those of the arguments, ``(n, *shape)`` each."""
        rows = Rows(len(directions[0]))
        for leaf, direction in zip(self._leaves, directions, strict=True):
            rows.add(leaf, direction)
        for i, op in enumerate(self._operations):
            forward(op, rows, self._slope(i))
        return rows

    def push(self, directions: list[ndarray]) -> ndarray:
        """The derivatives of the value along directions: ``(n, *shape)``."""
        n, block = len(directions[0]), self._block()
        if n > block:
            return np.concatenate([self.push([d[i : i + block] for d in directions]) for i in range(0, n, block)])
        with np.errstate(all="ignore"):
            return self.tangents(directions).or_zeros(self._y_d)

    def _block(self) -> int:
        """How many directions go together."""
        most = max([np.size(op.y) for op in self._operations if op.y is not None], default=1)
        return max(1, IN_CACHE // max(most, 1))

    def gradient(self) -> list[ndarray]:
        """The gradient with respect to each argument."""
        with np.errstate(all="ignore"):
            if self._bars is None:
                self._back(Rows(0))
        assert self._bars is not None
        return [self._bars.or_zeros(leaf)[0].copy() for leaf in self._leaves]

    def products(self, directions: list[ndarray], checked: bool = True) -> list[ndarray]:
        """The Hessian times each direction, by argument: ``(n, *shape)`` each.

        `checked`: whether somebody may have written since into what the function reads.

        Raises:
            StaleMemoryError: an array that the function reads was written since.
        """
        n, block = len(directions[0]), self._block()
        if n > block:
            self._check(checked)
            parts = [self.products([d[i : i + block] for d in directions], False) for i in range(0, n, block)]
            return [np.concatenate(rows) for rows in zip(*parts, strict=True)]
        self._check(checked)
        with np.errstate(all="ignore"):
            dots = self._back(self.tangents(directions))
        return [dots.or_zeros(leaf) for leaf in self._leaves]

    def _check(self, checked: bool) -> None:
        if checked and not all(fingerprint(a) == then for a, then in self._kept):
            raise StaleMemoryError(
                "an array that the function reads was changed after its Hessian was prepared; prepare it again"
            )

    def _back(self, t: "Rows") -> "Rows":
        """The changes of all cotangents, which are complete at the end: what an operation gives is used after it."""
        bars, dots, has_bars = self._bars or Rows(1), Rows(t.n), self._bars is not None
        if not has_bars:
            bars.add(self._y_d, np.ones((1, *np.shape(self.value))))
        for i in reversed(range(len(self._operations))):
            backward(self._operations[i], t, bars, dots, self._slope(i), has_bars)
        self._bars = bars
        return dots

    def _slope(self, i: int) -> tuple:
        """The partials of an operation and their derivatives, evaluated once."""
        found = self._slopes[i]
        if found is None:
            op = self._operations[i]
            found = self._slopes[i] = slopes(op) if op.kind == "partials" else ()
        return found


class Rows:
    """For each value `n` numbers or arrays, by its shadow: rows of tangents, or of cotangents."""

    def __init__(self, n: int):
        self.n = n
        self.table: dict[int, ndarray] = {}

    def get(self, shadow: Any) -> ndarray | None:
        """The curvature that belongs to `shadow`, or None."""
        root = shadow if type(shadow) is list else shadow.buffer
        found = self.table.get(id(root))
        return None if found is None else self._view(shadow, found)

    def _view(self, shadow: Any, rows: ndarray) -> ndarray:
        if type(shadow) is list or type(shadow) is Buffer:
            return rows
        if type(shadow) is Keyed:
            return self._view(shadow.parent, rows)[in_rows(shadow.key)]
        return ndarray((self.n, *shadow.shape), rows.dtype, rows, shadow.offset, (rows.strides[0], *shadow.strides))

    def add(self, shadow: Any, more: Any) -> None:
        """Accumulate ``(n, *shape)``, or something that broadcasts to it; `more` is memory of nobody else's."""
        if type(shadow) is list or type(shadow) is Buffer:
            shape = (self.n, *(shadow.shape if isinstance(shadow, Buffer) else ()))
            if id(shadow) not in self.table and more.shape == shape and more.flags.c_contiguous and more.base is None:
                self.table[id(shadow)] = more
                return
        view = self._writable(shadow)
        view += more

    def add_at(self, shadow: Any, key: Any, more: ndarray) -> None:
        """Add `more` at `key` of every row."""
        np.add.at(self._writable(shadow), in_rows(key), more)

    def _writable(self, shadow: Any) -> ndarray:
        root = shadow if type(shadow) is list else shadow.buffer
        rows = self.table.get(id(root))
        if rows is None:
            shape = () if type(shadow) is list else shadow.buffer.shape
            rows = self.table[id(root)] = np.zeros((self.n, *shape))
        return self._view(shadow, rows)

    def or_zeros(self, shadow: Any) -> ndarray:
        """The curvature that belongs to `shadow`; zeros where there is none yet."""
        self._writable(shadow)
        found = self.get(shadow)
        assert found is not None
        return found


def in_rows(key: Any) -> tuple:
    """`key` as an index of an array whose first axis counts rows."""
    return (slice(None), *(key if type(key) is tuple else (key,)))


def forward(op: Operation, t: Rows, slope: tuple) -> None:
    """Tangents of a result from those of what it was computed of."""
    found = [None if d is None else t.get(d) for d in op.ds]
    if all(x is None for x in found):
        return
    if op.kind == "partials":
        shape = np.shape(op.y) if op.y is not None else ()
        partials, _ = slope
        for p, x in zip(partials, found, strict=False):
            if x is not None:
                t.add(op.y_d, np.multiply(p, expanded(x, shape)))
    elif op.kind == "product":
        a, b = op.args
        for x, product in ((found[0], lambda x: x @ b), (found[1], lambda x: right(a, x))):
            if x is not None:
                t.add(op.y_d, product(x))
    elif op.kind == "reduction":
        is_mean, axis = op.detail
        (x,), (a,) = found, op.args
        assert x is not None
        axes = tuple(range(1, x.ndim)) if axis is None else axis % a.ndim + 1
        t.add(op.y_d, x.sum(axes) * (np.size(op.y) / max(a.size, 1) if is_mean else 1.0))
    elif op.kind == "whole":
        for x, slope_of in zip(found, op.detail.slopes, strict=True):
            if x is not None:
                t.add(op.y_d, x.reshape(t.n, slope_of.size) @ slope_of.ravel())
    elif op.kind == "stack":
        for i, x in zip(op.detail, found, strict=True):
            if x is not None:
                t.add_at(op.y_d, i, x)
    else:
        (x,) = found
        assert x is not None
        t.add(op.y_d, x[in_rows(op.detail)])


def backward(op: Operation, t: Rows, bars: Rows, dots: Rows, slope: tuple, has_bars: bool) -> None:
    """Cotangents, unless they are known, and their changes, of what a result was computed of."""
    bar, dot = bars.get(op.y_d), dots.get(op.y_d)
    if bar is None and dot is None:
        return
    sent = ((dots, dot),) if has_bars else ((bars, bar), (dots, dot))
    if op.kind == "whole" and bar is not None and any(d is not None and t.get(d) is not None for d in op.ds):
        products = op.detail.products([None if d is None else t.get(d) for d in op.ds])
        for d, product in zip(op.ds, products, strict=True):
            if d is not None:
                dots.add(d, bar[0] * product)
    for i, d in enumerate(op.ds):
        if d is None:
            continue
        if op.kind == "partials":
            partials, seconds = slope
            shape = np.shape(op.args[i]) if op.args else ()
            for rows, g in sent:
                if g is not None:
                    rows.add(d, reduced(partials[i] * g, shape))
            for j, second in seconds[i].items() if bar is not None else ():
                x = t.get(op.ds[j])
                if x is not None:
                    dots.add(d, reduced(second * bar * expanded(x, np.shape(op.y)), shape))
        elif op.kind == "product":
            a, b = op.args
            for rows, g in sent:
                if g is not None:
                    rows.add(d, of_left(g, b, a.ndim) if i == 0 else of_right(a, g, b.ndim))
            other = op.ds[1 - i]
            x = None if other is None or bar is None else t.get(other)
            if x is not None and bar is not None:
                dots.add(d, of_left(bar, x, a.ndim, b.ndim) if i == 0 else of_right(x, bar, b.ndim, a.ndim))
        elif op.kind == "whole":
            slope_of = op.detail.slopes[i]
            for rows, g in sent:
                if g is not None:
                    rows.add(d, g.reshape(len(g), *(1,) * slope_of.ndim) * slope_of)
        elif op.kind == "reduction":
            is_mean, axis = op.detail
            (a,) = op.args
            factor = np.size(op.y) / max(a.size, 1) if is_mean else 1.0
            for rows, g in sent:
                if g is not None:
                    lower = g.reshape(len(g), *(1,) * a.ndim) if axis is None else np.expand_dims(g, axis % a.ndim + 1)
                    rows.add(d, lower * factor)
        else:
            for rows, g in sent:
                if g is not None and op.kind == "stack":
                    rows.add(d, g[:, op.detail[i]])
                elif g is not None:
                    rows.add_at(d, op.detail, g)


def right(a: ndarray, x: ndarray) -> ndarray:
    """``a @ b`` for each row b of x."""
    return x @ a if a.ndim == 1 and x.ndim == 2 else x @ a.T if x.ndim == 2 else np.matmul(a, x)


def of_left(g: ndarray, b: ndarray, left: int, b_ndim: int | None = None) -> ndarray:
    """The cotangent of the left factor, of `left` axes; of rows `g`, and rows `b` where `b_ndim` says without which."""
    b_ndim = b.ndim if b_ndim is None else b_ndim
    if b_ndim == 1:  # (n,) or (m,): outer
        return g[..., None] * (b if b.ndim == 1 else b[:, None, :] if left == 2 else b)
    transposed = np.swapaxes(b, -1, -2)
    return (g[..., None, :] @ transposed)[..., 0, :] if left == 1 else g @ transposed


def of_right(a: ndarray, g: ndarray, right: int, a_ndim: int | None = None) -> ndarray:
    """The cotangent of the right factor, likewise."""
    a_ndim = a.ndim if a_ndim is None else a_ndim
    if a_ndim == 1:
        return g[..., None] * a if right == 1 else a[..., :, None] * g[..., None, :]
    if right == 1:
        return (g[..., None, :] @ a)[..., 0, :]
    return np.swapaxes(a, -1, -2) @ g


def expanded(x: ndarray, shape: tuple[int, ...]) -> ndarray:
    """Rows with as many axes as the result has."""
    missing = len(shape) - (x.ndim - 1)
    return x.reshape(len(x), *(1,) * missing, *x.shape[1:]) if missing > 0 else x


def reduced(x: Any, shape: tuple[int, ...]) -> ndarray:
    """Rows summed over the axes along which an operand of this shape was broadcast."""
    more = x.ndim - 1 - len(shape)
    if more:
        x = x.sum(tuple(range(1, more + 1)))
    axes = tuple([i for i, n in enumerate(shape, 1) if n == 1 and x.shape[i] != 1])
    return x.sum(axes, keepdims=True) if axes else x


def slopes(op: Operation) -> tuple[list[Any], list[dict[int, Any]]]:
    """The partials, and for each its derivatives with respect to the active operands, all of them elementwise."""
    values = (op.y, *op.args)
    active = [i for i, d in enumerate(op.ds) if d is not None]
    partials: list[Any] = [None] * len(op.ds)
    for i in active:
        p = op.detail[i]
        partials[i] = exactly(p(*values) if callable(p) else p, type(op.y))
    seconds: list[dict[int, Any]] = [{} for _ in op.ds]
    second_partial = KNOWN.get(op.detail[0]) if callable(op.detail[0]) else None
    for i in active:
        if not callable(op.detail[i]):
            continue
        for j in active:
            second = second_partial(i, j, *map(dividing, values)) if second_partial is not None else NotImplemented
            if second is NotImplemented:
                second = derivative(op, i, j, partials[j])
            if second is not None:
                seconds[i][j] = exactly(second, type(op.y))
    return partials, seconds


def dividing(x: Any) -> Any:
    """`x` as a number of NumPy's, whose quotients are infinite where Python's raise."""
    return np.float64(x) if type(x) is float else x


def derivative(op: Operation, i: int, j: int, slope: Any) -> Any:
    """That of the partial i by operand j, which is an elementwise function: along ones."""
    values = (op.y, *op.args)
    one: list[Any] = [None] * len(values)
    one[0] = broadcast_like(slope, op.y)
    one[j + 1] = np.ones_like(op.args[j]) if isinstance(op.args[j], ndarray) else 1.0
    p = op.detail[i]
    return jvp(lambda *v: p(*v), values, tuple(one))[1]


def broadcast_like(x: Any, y: Any) -> Any:
    """`x` broadcast to the shape of `y`, as a number where `y` is one."""
    return np.array(np.broadcast_to(x, y.shape), float) if isinstance(y, ndarray) else float(x)


def _of_product(i: int, j: int, y: Any, a: Any, b: Any) -> Any:
    return None if i == j else 1.0


def _of_quotient(i: int, j: int, y: Any, a: Any, b: Any) -> Any:
    return None if i == j == 0 else 2 * y / b / b if i == j else -1 / b / b  # the square may be 0 where b is not


def _of_power(i: int, j: int, y: Any, x: Any, n: Any) -> Any:
    """Of a power with a constant exponent; the others are left to `derivative`."""
    if i or j or not isinstance(n, int | float):
        return NotImplemented
    return 2.0 if n == 2 else None if n in (0, 1) else n * (n - 1) * np.power(x, n - 2.0)


# `derivative` finds these, too, from the rules alone: a Hessian of ten numbers then takes 1.6 to 2.7 times as long.
OF_ONE: dict[Any, Callable[[Any, Any], Any]] = {  # second derivatives, of the value and the operand
    np.exp: lambda y, x: y,
    np.log: lambda y, x: -1 / x / x,
    np.sqrt: lambda y, x: -0.25 / y / x,
    np.square: lambda y, x: 2.0,
    np.sin: lambda y, x: -y,
    np.cos: lambda y, x: -y,
    np.tanh: lambda y, x: -2 * y * (1 - y * y),
    np.reciprocal: lambda y, x: 2 * y**3,
}
KNOWN: dict[Any, Callable] = {}  # by the first partial of the rule
for _f, _seconds in ((np.multiply, _of_product), (np.true_divide, _of_quotient), (np.power, _of_power)):
    KNOWN[scalar_rule_for(_f).partials[0]] = _seconds  # type: ignore[union-attr]
for _f, _second in OF_ONE.items():
    KNOWN[scalar_rule_for(_f).partials[0]] = lambda i, j, y, x, second=_second: second(y, x)  # type: ignore[union-attr]
