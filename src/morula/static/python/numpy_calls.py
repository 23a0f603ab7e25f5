"""Products, sums and other functions and methods of NumPy that have a text of their own for the way back."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from morula.static.python.einsums import Einsums
from morula.static.python.followed import FollowedCalls
from morula.static.python.forms import Term, summed
from morula.static.python.index_arrays import INDICES, IndexArrays
from morula.static.python.ir import Unsupported, is_name
from morula.static.python.ndarrays import Value, function_name
from morula.static.python.scopes import Array, Display, ListOf, Named, Static
from morula.static.python.things import Thing, is_known_list
from morula.static.python.types import REAL

__all__ = ["CREATING", "JOINING", "ROOMS", "NumpyCalls"]

ROOMS = frozenset(["numpy", "numpy.linalg", "numpy.fft"])
CREATING: frozenset[Any] = frozenset([
    np.zeros, np.ones, np.empty, np.eye, np.identity, np.arange, np.linspace, np.full, np.fft.fftfreq, np.fft.rfftfreq,
    np.hanning, np.hamming, np.blackman, np.bartlett, np.tri, np.indices, np.logspace, np.geomspace,
])  # fmt: skip
JOINING: frozenset[Any] = frozenset([np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack])
OPTIONS_OF_NEW = frozenset([
    "dtype", "shape", "N", "k", "M", "num", "endpoint", "step", "start", "stop", "n", "d", "base", "dimensions",
])  # fmt: skip
SPACED = (np.linspace, np.logspace, np.geomspace)
PRODUCTS = {
    (1, 1): (Term("{z} * {a1}", of_number=""), Term("{z} * {a0}", of_number="")),
    (2, 1): (Term("{z}[:, None] * {a1}"), Term("{z} @ {a0}")),
    (1, 2): (Term("{a1} @ {z}"), Term("{a0}[:, None] * {z}")),
    (2, 2): (Term("{z} @ {a1}.T"), Term("{a0}.T @ {z}")),
}
EXTREMES = {np.max: ("max_reduce", np.argmax), np.min: ("min_reduce", np.argmin)}


class NumpyCalls(FollowedCalls, Einsums, IndexArrays):
    """The part of a `front.Builder` that calls NumPy."""

    def product(self, f: Any, values: list[Value], text: str) -> Any:
        """``a @ b``, ``np.dot(a, b)`` of vectors and matrices."""
        self.allowed(f)
        if len(values) != 2:
            raise Unsupported("a product of so many operands", self.line)
        if any(isinstance(x, str) for x in values):
            if f is np.dot:
                return self.each_element(np.multiply, values)
            raise Unsupported("a matrix product with a number", self.line)
        ranks = tuple([len(x.shape) for x in values])
        if ranks not in PRODUCTS:
            raise Unsupported("a product of arrays of more than two axes", self.line)
        return self.made(f, text, values, lambda shape: PRODUCTS[ranks])

    def reduction(self, f: Any, x: Array, text: str, axis: Any = None, keepdims: Any = False) -> Any:
        """A sum or a mean."""
        self.allowed(f)
        n = len(x.shape)
        axes = range(n) if axis is None else [k % n for k in (axis if isinstance(axis, tuple) else (axis,))]
        count = math.prod([x.shape[k] for k in axes])
        kept = tuple([1 if k in axes else m for k, m in enumerate(x.shape)])

        def terms(shape: tuple[int, ...]) -> tuple:
            z = "{z}" if f is np.sum else f"{{z}} / {count}.0"
            if not shape or (max(axes) < n - len(shape) and not keepdims):  # it is the first axes that are gone
                return (Term(z, is_number=True),)
            return (Term(f"{z if f is np.sum else f'({z})'}.reshape({kept})", is_number=True),)

        if x.dtype == np.float64:  # what NumPy's functions do in the end
            text = f"add_reduce({{a0}}, {axis!r}{', None, None, True' if keepdims else ''})"
            text += "" if f is np.sum else f" / {count}"
        return self.made(lambda a: f(a, axis=axis, keepdims=keepdims), text, [x], terms)

    def reshaped(self, run: Callable, x: Array, text: str) -> Any:
        back = lambda shape: (Term(f"{{z}}.reshape({x.shape})" if shape else f"array({{z}}).reshape({x.shape})"),)
        return self.view(x, self.made(run, text, [x], back, may_be_single=True))

    def transposed(self, x: Array, axes: Any, text: str) -> Any:
        back = "{z}.T" if not axes else f"{{z}}.transpose({tuple(np.argsort(axes).tolist())})"
        run: Any = np.transpose if not axes else lambda a: a.transpose(axes)
        return self.view(x, self.made(run, text, [x], lambda shape: (Term(back),)))

    def of_number(self, f: Any, atom: str) -> Any:
        """The sum or the mean of a number."""
        self.allowed(f)
        text = f"{self.given(self.program.space, f)}({{a0}})"
        return self.made(f, text, [atom], lambda shape: (Term("{z}"),), floats=(0,))

    # -- calls ------------------------------------------------------------------------------------------------

    def as_arrays(self, f: Any, args: list) -> list:
        """The arguments of a function of NumPy, with arrays in the place of lists and tuples of numbers."""
        is_numpy = isinstance(f, np.ufunc) or getattr(f, "__module__", None) in ROOMS
        if not is_numpy or f in JOINING | CREATING | INDICES or f in (np.reshape, np.einsum):
            return args
        found = [self._of_numbers(x, i == 0) for i, x in enumerate(args)]
        return [x if array is None else array for x, array in zip(args, found, strict=True)]

    def _of_numbers(self, value: Any, is_first: bool) -> Array | None:
        """The array of a list of numbers that is known by its items, or of numbers that are computed.

        Behind the first argument a tuple may be a shape, and a list of constants one of places.
        """
        parts = self.sequence(value) if is_known_list(value) else value
        is_list = isinstance(value, Display | Thing)
        if not isinstance(parts, tuple) or isinstance(parts, Named) or not (is_first or is_list):
            return None
        if not all(isinstance(v, str) for v in parts) or not parts:
            return None
        if not any(map(is_name, parts)) and not (is_first and is_list):
            return None
        if any(map(is_name, parts)) and self.are_integers(parts) and (found := self.integers_of(parts)) is not None:
            return found
        return self.packed(parts, (len(parts),))

    def numpy_call(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        """``f(*args, **named)`` of arrays, or one that makes an array."""
        if not named and (found := self.index_arrays(f, args)) is not None:
            return found
        args = [self.array_of_list(x) if isinstance(x, ListOf) and x.kind is list else x for x in args]
        args = [self.sequence(x) if f in JOINING and is_known_list(x) else x for x in args]
        f = np.absolute if f is abs else f
        if isinstance(f, np.ufunc) and not named and f.signature is None:
            return self.each_element(f, [x if isinstance(x, str) else self.as_array(x) for x in args])
        if f in (np.dot, np.matmul) and not named:
            values = [x if isinstance(x, str) else self.as_array(x) for x in args]
            return self.product(f, values, f"{self.given(self.program.space, f)}({{a0}}, {{a1}})")
        if getattr(f, "__module__", None) not in ROOMS:
            raise Unsupported(f"a call to {function_name(f)} with something other than numbers", self.line)
        handler = self._handlers().get(f)
        if handler is not None:
            found = handler(f, args, named)
            if found is not None:
                return found
        return self.general(f, args, named, f"{self.given(self.program.space, f)}({{}})")

    def _handlers(self) -> dict[Any, Callable]:
        return {
            np.sum: self._sum, np.mean: self._sum, np.reshape: self._reshape, np.ravel: self._reshape,
            np.transpose: self._transpose, np.where: self._where, np.outer: self._outer, np.full: self._full,
            np.einsum: self._einsum, np.append: self._appended,
            **dict.fromkeys(EXTREMES, self._extreme), **dict.fromkeys(JOINING, self._joined),
            **dict.fromkeys(CREATING - {np.full}, self._created),
        }  # fmt: skip

    def array_method(self, array: Any, name: str, args: list, named: dict[str, Any]) -> Any:
        """``array.name(*args, **named)``."""
        x = self.as_array(array)
        f = getattr(np.ndarray, name, None)
        if f is None:
            raise Unsupported(f"the method {name!r} of an array", self.line)
        self.allowed(f)
        if name in ("sum", "mean") and set(named) <= {"axis", "keepdims"} and len(args) <= 1:
            return self._sum(getattr(np, name), [x, *args], named, f"{{a0}}.{name}")
        if name in ("max", "min"):
            found = self._extreme(getattr(np, name), [x, *args], named)
            if found is not None:
                return found
        if name == "dot" and len(args) == 1 and not named:
            other = args[0] if isinstance(args[0], str) else self.as_array(args[0])
            return self.product(np.dot, [x, other], "{a0}.dot({a1})")
        if name in ("reshape", "ravel", "flatten") and not named:
            shape = tuple(map(self.constant, args))
            shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
            if name != "reshape" and args:
                raise Unsupported("another order of elements", self.line)
            given = f"{shape}" if args else ""
            return self.reshaped(lambda a: a.reshape(shape) if args else a.ravel(), x, f"{{a0}}.{name}({given})")
        if name == "transpose" and not named:
            axes = tuple(map(self.constant, args))
            axes = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple) else axes
            return self.transposed(x, axes, f"{{a0}}.transpose({', '.join(map(repr, axes))})")
        if name == "tolist" and not args and not named and x.dtype == np.float64 and len(x.shape) == 1:
            return ListOf(self.compute("listed", x.atom, f=list), (None,), True, list)
        if name == "copy" and not args and not named:
            return self.made(np.copy, "{a0}.copy()", [x], lambda shape: (Term("{z}", of_number="number"),))
        return self.general(f, [x, *args], named, f"{{}}.{name}({{}})", name)

    def array_attribute(self, x: Array, name: str) -> Any:
        if name in ("real", "imag"):
            return self.complex_attribute(x, name)
        if name == "T":
            return self.transposed(x, (), "{a0}.T")
        if name == "shape":
            return tuple(map(str, x.shape))
        if name in ("size", "ndim"):
            return str(math.prod(x.shape) if name == "size" else len(x.shape))
        if name == "dtype":
            return Static(x.dtype)
        raise Unsupported(f"the attribute {name!r} of an array", self.line)

    def _sum(self, f: Any, args: list, named: dict[str, Any], head: str = "") -> Any:
        if not set(named) <= {"axis", "keepdims"} or not 1 <= len(args) <= 2 or not self.is_array(args[0]):
            return None
        given = self.options(named)
        if len(args) == 2:
            given = {"axis": self.constant(args[1]), **given}
        options = ", ".join([f"{k}={v!r}" for k, v in given.items()])
        x = self.as_array(args[0])
        if head:
            text = f"{head}({options})"
        else:
            self.allowed(getattr(np.ndarray, f.__name__))
            text = f"{self.given(self.program.space, f)}({', '.join(['{a0}', *[options][: bool(options)]])})"
        return self.reduction(f, x, text, **given)

    def _extreme(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        """The largest or the smallest number, of all or along one axis: the first of equals moves it."""
        if not set(named) <= {"axis", "keepdims"} or not 1 <= len(args) <= 2 or not self.is_array(args[0]):
            return None
        x = self.as_array(args[0])
        options = self.options(named)
        axis = self.constant(args[1]) if len(args) == 2 else options.get("axis")
        keepdims = options.get("keepdims", False)
        n = len(x.shape)
        if x.dtype != np.float64 or not n or type(keepdims) is not bool or not (axis is None or type(axis) is int):
            return None
        self.allowed(f)
        self.allowed(getattr(np.ndarray, f.__name__))
        space = self.program.space
        reduce, first = EXTREMES[f]  # what NumPy's functions do in the end
        text = f"{reduce}({{a0}}, {axis!r}{', None, None, True' if keepdims else ''})"
        if axis is None and n > 1:
            index = f"{self.given(space, np.unravel_index)}({{p}}, {x.shape})"
            left: tuple[int, ...] = ()
        else:
            axis = (axis or 0) % n
            left = tuple([m for k, m in enumerate(x.shape) if k != axis])
            around = [self.given(space, places) for places in np.ogrid[tuple([slice(m) for m in left])]] if left else []
            index = ", ".join([*around[:axis], "{p}", *around[axis:]])
        z = f"{{z}}.reshape({left})" if keepdims else "{z}"
        prelude = f"{self.given(space, first)}({{a0}}{f', {axis}' if left else ''})"
        terms = (Term(z, index=index),)
        return self.made(lambda a: f(a, axis=axis, keepdims=keepdims), text, [x], lambda _: terms, prelude=prelude)

    def _reshape(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        if named or not args:
            return None
        x, rest = self.as_array(args[0]), [self.constant(a) for a in args[1:]]
        if len(rest) != (f is np.reshape):
            return None
        text = f"{self.given(self.program.space, f)}({', '.join(['{a0}', *map(repr, rest)])})"
        return self.reshaped(lambda a: f(a, *rest), x, text)

    def _transpose(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        if named or not 1 <= len(args) <= 2:
            return None
        axes = self.constant(args[1]) if len(args) == 2 else ()
        text = f"{self.given(self.program.space, f)}({', '.join(['{a0}', *[repr(axes)][: bool(axes)]])})"
        return self.transposed(self.as_array(args[0]), axes, text)

    def _where(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        if named or len(args) != 3:
            return None
        self.allowed(f)
        condition, *others = [x if isinstance(x, str) else self.as_array(x) for x in args]
        arrays = [x for x in others if isinstance(x, Array)]
        if isinstance(condition, str) or (any(isinstance(x, str) and is_name(x) for x in others) and not arrays):
            return None
        if any(x.dtype != np.float64 for x in arrays):
            return None

        def terms(shape: tuple[int, ...]) -> tuple:
            found: list[Term | None] = [None]
            for x, text in zip(others, ("where({a0}, {z}, 0.0)", "where({a0}, 0.0, {z})"), strict=True):
                to = x.shape if isinstance(x, Array) else ()
                of_number = "array" if condition.shape == shape else ""
                found.append(Term(summed(text, shape, to), of_number=of_number))
            return tuple(found)

        name = self.given(self.program.space, f)
        return self.made(np.where, f"{name}({{a0}}, {{a1}}, {{a2}})", [condition, *others], terms)

    def _outer(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        if named or len(args) != 2 or not all(map(self.is_array, args)):
            return None
        self.allowed(f)
        values = [self.as_array(x) for x in args]
        if any(len(x.shape) != 1 for x in values):
            return None
        terms = (Term("{z} @ {a1}"), Term("{a0} @ {z}"))
        return self.made(f, f"{self.given(self.program.space, f)}({{a0}}, {{a1}})", values, lambda shape: terms)

    def _full(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        if named or len(args) != 2 or not isinstance(args[1], str):
            return None
        self.allowed(f)
        shape = self.constant(args[0])
        text = f"{self.given(self.program.space, f)}({shape!r}, {{a0}})"
        floats = (0,) if is_name(args[1]) else ()
        return self.made(
            lambda v: np.full(shape, v), text, [args[1]], lambda s: (Term(summed("{z}", s, ())),), floats=floats
        )

    def _created(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        self.allowed(f)
        if f in SPACED and any(map(self.is_wanted, (*args[:2], named.get("start"), named.get("stop")))):
            raise Unsupported(f"an integer that is differentiated by, and given to numpy.{f.__name__}", self.line)
        if f in SPACED and any(is_name(a) and self.number_of(a) is None for a in args[:2] if isinstance(a, str)):
            return None
        given = [self.constant(a) for a in args]
        options = self.options(named)
        if options.keys() - OPTIONS_OF_NEW:
            return None
        spell = [self.spelled(v) for v in given] + [f"{k}={self.spelled(v)}" for k, v in options.items()]
        text = f"{self.given(self.program.space, f)}({', '.join(spell)})"
        return self.made(lambda: f(*given, **options), text, [], lambda shape: ())

    def _joined(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        if len(args) == 2 and f in (np.concatenate, np.stack) and "axis" not in named:
            args, named = args[:1], {**named, "axis": args[1]}
        axis = self.constant(named["axis"]) if "axis" in named else 0
        if set(named) - {"axis"} or len(args) != 1 or not isinstance(args[0], tuple) or not args[0]:
            return None
        if f not in (np.concatenate, np.stack) and named:
            return None
        self.allowed(f)
        values = [self._part(f, x) for x in args[0]]
        if type(axis) is not int or any(x.dtype != np.float64 for x in values):
            return None
        ranks = {len(x.shape) for x in values}
        if len(ranks) > 1:
            return None
        rank = ranks.pop()
        is_new = f is np.stack or (f in (np.vstack, np.column_stack) and rank == 1)
        at = {np.vstack: 0, np.hstack: min(1, rank - 1), np.column_stack: 1}.get(f, axis)
        axis = at % (rank + is_new)
        terms: list[Term | None] = []
        start = 0
        for i, x in enumerate(values):
            n = 1 if is_new else x.shape[axis]
            place = str(i) if is_new else f"{start}:{start + n}"
            terms.append(Term(f"{{z}}[{':, ' * axis}{place}]"))
            start += n
        option = f", axis={axis}" if named else ""
        text = f"{self.given(self.program.space, f)}([{', '.join(f'{{a{i}}}' for i in range(len(values)))}]{option})"
        run = partial(f, axis=axis) if named else f
        return self.made(lambda *xs: run(list(xs)), text, values, lambda shape: tuple(terms))

    def _appended(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        """``np.append(a, x)`` and ``np.append(a, x, axis=0)``, which join the two."""
        given = dict(zip(("arr", "values", "axis"), args, strict=False)) | named
        if len(given) < len(args) + len(named) or not {"arr", "values"} <= given.keys() <= {"arr", "values", "axis"}:
            return None
        array, x = self.as_array(given["arr"]) if self.is_array(given["arr"]) else None, given["values"]
        self.allowed(f)
        if array is None or (isinstance(x, str) and is_name(x) and not self.types_now(x, 1) <= REAL):
            return None
        if "axis" in given:
            return self._joined(np.concatenate, [(array, x)], {"axis": given["axis"]})
        is_flat = isinstance(x, str) or (self.is_array(x) and len(self.as_array(x).shape) == 1)
        return self._joined(np.hstack, [(array, x)], {}) if is_flat and len(array.shape) == 1 else None

    def _part(self, f: Any, value: Any) -> Array:
        """An array, a display of numbers, or for `np.hstack` a number: something that is joined."""
        numbers = (value,) if f is np.hstack and isinstance(value, str) else value
        if isinstance(numbers, tuple) and numbers and all(isinstance(x, str) for x in numbers):
            floats = tuple([x if is_name(x) else repr(float(ast.literal_eval(x))) for x in numbers])
            return self.packed(floats, (len(numbers),))
        return self.as_array(self.new_array(value) if isinstance(value, Display) and value else value)
