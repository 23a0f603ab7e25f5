"""Arrays as NumPy has them: operators, functions and methods, with the rules of `chainrules` for the way back.

What a call returns is found by calling it, with numbers of the same types and shapes.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from chainrules import is_non_differentiable, scalar_rule_for
from morula.eager.calls.registry import is_library_rule, rules_of
from morula.static.python.arrays import Arrays, indices
from morula.static.python.forms import ARRAY, NUMBER, Form, Term, summed
from morula.static.python.ir import Unsupported, is_name
from morula.static.python.scopes import Array, ListOf, Small, Static
from morula.static.python.slopes import expression_of, has_own_rule

__all__ = ["CREATING", "JOINING", "ROOMS", "NumpyCalls"]

UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "pow": np.power,
    "mod": np.remainder, "floordiv": np.floor_divide, "matmul": np.matmul, "neg": np.negative, "pos": np.positive,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
    "and": np.bitwise_and, "or": np.bitwise_or, "invert": np.invert,
}  # fmt: skip
SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "mod": "%", "floordiv": "//", "matmul": "@",
    "and": "&", "or": "|",
}  # fmt: skip
PREFIXES = {"neg": "-", "pos": "+", "invert": "~"}
COMPARING = frozenset([np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal])
DTYPES = frozenset([np.dtype(np.float64), np.dtype(np.int64), np.dtype(bool)])
NUMBERS = {
    np.float64: ("float", NUMBER),
    np.int64: ("int", frozenset(["np.int64"])),
    np.bool_: ("bool", frozenset(["np.bool"])),
}
ROOMS = frozenset(["numpy", "numpy.linalg", "numpy.fft"])
CREATING: frozenset[Any] = frozenset([
    np.zeros, np.ones, np.empty, np.eye, np.identity, np.arange, np.linspace, np.full,
])  # fmt: skip
JOINING: frozenset[Any] = frozenset([np.concatenate, np.stack, np.vstack, np.hstack])

Value = Any  # an atom or an `Array`


class NumpyCalls(Arrays):
    """The part of a `front.Builder` that computes with arrays of any size."""

    once: dict[str, str]  # what is assigned to variables that are assigned just once
    spent: set[str]  # temporaries that nobody needs
    _samples: dict[Any, np.ndarray]

    # -- values -------------------------------------------------------------------------------------------

    def as_array(self, value: Any) -> Array:
        """An array of any form as NumPy has it."""
        if isinstance(value, Array):
            return value
        if isinstance(value, Small):
            if self.is_small:
                raise Unsupported("an array of few numbers that NumPy's functions take", self.line)
            return self.packed(value.parts, (len(value.parts),))
        if not isinstance(value, ListOf):
            raise Unsupported("something else than an array where NumPy's functions take one", self.line)
        given = next(i for i in self.program.inputs if i.name == value.measured.partition("[")[0])
        shape = self.shape_of_input[given.name]
        if not given.array:
            if not math.prod(shape):
                raise Unsupported("an array without elements", self.line)
            given.array = f"{given.name}_array"
            self.program.shapes[given.array] = shape
        whole = Array(given.array, shape, given.dtype, value.origins)
        if not value.index:
            return whole
        found = self.read(whole, list(value.index), False)
        self.spent.add(value.var)
        return found

    def packed(self, atoms: tuple[str, ...], shape: tuple[int, ...]) -> Array:
        """``np.array`` of numbers; those that are no constants are floats."""
        if any(is_name(a) for a in atoms):
            atoms = tuple([self.compute("element", a) if is_name(a) else a for a in atoms])
        texts = [f"{{a{i}}}" for i in range(len(atoms))]
        for n in shape[:0:-1]:
            texts = [f"[{', '.join(texts[i : i + n])}]" for i in range(0, len(texts), n)]
        terms = tuple([Term(f"{{z}}.item({i})") for i in range(len(atoms))])
        text = f"{self.given(self.program.space, np.array)}([{', '.join(texts)}])"
        return self.made(lambda *xs: np.array(xs).reshape(shape), text, atoms, lambda shape: terms)

    def array_copied(self, value: Any) -> Array:
        """``np.array(x)`` of an array."""
        text = f"{self.given(self.program.space, np.array)}({{a0}})"
        term = Term("{z}", of_number="number")
        return self.made(np.array, text, [self.as_array(value)], lambda shape: (term,))

    def rows(self, values: tuple) -> Any:
        """``np.array`` of rows: of numbers, or arrays themselves."""
        if all(isinstance(v, tuple) and all(isinstance(x, str) for x in v) for v in values):
            width = len(values[0])
            if not width or any(len(v) != width for v in values):
                raise Unsupported("an array of rows of several lengths", self.line)
            return self.packed(tuple([x for v in values for x in v]), (len(values), width))
        arrays = [self.as_array(v) for v in values]
        if any(x.dtype != np.float64 for x in arrays):
            raise Unsupported("an array of something else than floats", self.line)
        terms = tuple([Term(f"{{z}}[{i}]") for i in range(len(arrays))])
        text = f"{self.given(self.program.space, np.array)}([{', '.join(f'{{a{i}}}' for i in range(len(arrays)))}])"
        return self.made(lambda *xs: np.array(xs), text, arrays, lambda shape: terms)

    def read_part(self, x: Array, node: ast.expr) -> Any:
        """What an index in brackets gives."""
        return self.read(x, *self._indices(node))

    def _indices(self, node: ast.expr) -> tuple[list, bool]:
        """The items of an index in brackets, and whether it is a tuple."""
        is_tuple = isinstance(node, ast.Tuple) or (isinstance(node, ast.Constant) and type(node.value) is tuple)
        return [self._index(i) for i in indices(node)], is_tuple

    def _index(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            ends = [None if e is None else self.constant(self.value(e)) for e in (node.lower, node.upper, node.step)]
            if any(type(e) not in (int, type(None)) for e in ends):
                raise Unsupported("a slice of another kind", self.line)
            return slice(*ends)
        value = self.value(node)
        if isinstance(value, Static) and (value.value is None or value.value is Ellipsis):
            return value.value
        if not isinstance(value, str):
            raise Unsupported("an index of another kind", self.line)
        return value

    def number_of(self, atom: str) -> Any:
        """The number that an atom is whatever the program is called with; None where it depends."""
        if not is_name(atom):
            return ast.literal_eval(atom)
        if atom in self.once:
            return self.number_of(self.once[atom])
        if (given := self.given_ints.get(atom)) is not None:
            read, value = given
            self.guard(f"type({read}) is int and {read} == {value}")
            return value
        s = self.computed.get(atom)
        if s is None:
            return None
        if s.op in ("length", "width"):
            listed = next((i for i in self.program.inputs if i.name == s.args[0]), None)
            if listed is None:
                return None
            axis = int(s.op == "width")
            n = self.shape_of_input[listed.name][axis]
            self.guard(f"{listed.read}.shape[{axis}] == {n}")
            return n
        if s.op in ("add", "sub", "mul", "floordiv", "copy"):
            found = [self.number_of(a) for a in s.args]
            if all(type(v) is int for v in found) and not (s.op == "floordiv" and not found[1]):
                return found[0] if s.op == "copy" else int(getattr(int, f"__{s.op}__")(*found))
        return None

    def constant(self, value: Any) -> Any:
        """The object that an argument is, such as an axis, a shape, a name."""
        if isinstance(value, Static) and not value.where:
            return value.value
        if isinstance(value, tuple):
            return tuple(map(self.constant, value))
        if isinstance(value, str) and (found := self.number_of(value)) is not None:
            return found
        raise Unsupported("an argument of NumPy's that is no constant", self.line)

    def sample(self, value: Value) -> Any:
        """Something of the type and shape of a value."""
        if isinstance(value, str):
            known = None if is_name(value) else ast.literal_eval(value)
            return 0.75 if known is None else known
        key = (value.shape, value.dtype)
        if key not in self._samples:
            found = np.linspace(0.5, 0.6, math.prod(value.shape)).reshape(value.shape)
            if len(value.shape) > 1 and value.shape[-1] == value.shape[-2]:  # positive definite
                found = (found + found.swapaxes(-1, -2)) / 2 + len(found) * np.eye(value.shape[-1])
            self._samples[key] = found.astype(value.dtype)
        return self._samples[key]

    def made(
        self,
        run: Callable,
        text: str,
        operands: Sequence[Value],
        terms: Callable[[tuple[int, ...]], tuple],
        **more: Any,
    ) -> Any:
        """What a call gives, which `run` is of samples."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                y = run(*map(self.sample, operands))
            except Exception as error:
                raise Unsupported(f"a call of NumPy that ends in {type(error).__name__}: {error}", self.line) from None
        kind = type(y)
        shape: tuple[int, ...] = ()
        if kind is np.ndarray and y.ndim and y.size and y.dtype in DTYPES:
            shape, types = y.shape, ARRAY
        elif kind in NUMBERS:
            cast, types = NUMBERS[kind]
            text, plain = f"{cast}({text})", more.get("plain")
            if plain:
                more["plain"] = f"{cast}({plain})"
        else:
            raise Unsupported("a call of NumPy that gives something else than an array of real numbers", self.line)
        is_float = y.dtype == np.float64
        found = terms(shape) if is_float else (None,) * len(operands)
        integers = [i for i, x in enumerate(operands) if isinstance(x, Array) and x.dtype != np.float64]
        found = tuple([None if i in integers else t for i, t in enumerate(found)])
        atoms = [x if isinstance(x, str) else x.atom for x in operands]
        target = self.compute("numpy", *atoms, f=Form(text, types, found, **more))
        if kind is not np.ndarray:
            return target
        self.program.shapes[target] = shape
        return Array(target, shape, y.dtype)

    def allowed(self, f: Any) -> None:
        if has_own_rule(f):
            raise Unsupported(f"a call of {_called(f)}, for which there is a rule of the user's", self.line)

    # -- operators and elementwise functions ----------------------------------------------------------------

    def array_operator(self, op: str, *operands: Any) -> Any:
        """``a + b`` and the like, of which one is an array."""
        values = [x if isinstance(x, str) else self.as_array(x) for x in operands]
        if op == "matmul":
            return self.product(np.matmul, values, "{a0} @ {a1}")
        if op in PREFIXES:
            text = f"{PREFIXES[op]}{{a0}}"
        else:
            text = f"{{a0}} {SIGNS.get(op, op)} {{a1}}"
        return self.each_element(UFUNCS[op], values, text)

    def each_element(self, f: Any, operands: list[Value], text: str = "") -> Any:
        self.allowed(f)
        text = text or f"{self.given(self.program.space, f)}({', '.join(f'{{a{i}}}' for i in range(len(operands)))})"
        if f.nout != 1 or f.signature is not None or len(operands) != f.nin:
            raise Unsupported(f"a call of {f.__name__}", self.line)
        arrays = [x for x in operands if isinstance(x, Array)]
        floats: tuple[int, ...] = ()
        if f not in COMPARING and any(x.dtype != np.float64 for x in arrays):  # then it is the numbers that decide
            floats = tuple([i for i, x in enumerate(operands) if isinstance(x, str) and is_name(x)])
        python: tuple[int, ...] = ()
        if f in (np.power, np.float_power) and isinstance(operands[1], str):
            python = (1,)
        return self.made(
            f, text, operands, lambda shape: self._slopes(f, operands, shape), python=python, floats=floats
        )

    def _slopes(self, f: Any, operands: list[Value], shape: tuple[int, ...]) -> tuple:
        if is_non_differentiable(f) or f is np.sign:
            return (None,) * len(operands)
        if f is np.absolute:
            return (Term(f"{{z}} * {self.given(self.program.space, np.sign)}({{a0}})", of_number="array"),)
        rule = scalar_rule_for(f)
        if rule is None or len(rule.partials) != len(operands) or rule.outputs != 1 or rule.lacks or rule.types:
            raise Unsupported(f"a call of {f.__name__}", self.line)
        samples = [self.sample(x) for x in operands]
        return tuple([
            self._slope(f, p, i, operands, samples, shape) for i, p in enumerate(rule.partials)
        ])  # fmt: skip

    def _slope(self, f: Any, p: Any, i: int, operands: list, samples: list, shape: tuple) -> Term | None:
        x = operands[i]
        if isinstance(x, str) and not is_name(x):
            return None
        to = x.shape if isinstance(x, Array) else ()
        if not callable(p):
            if p == 0:
                return None
            text = summed("{z}", shape, to)
            text = text if p == 1 else f"-{text}" if p == -1 else f"{text} * {float(p)!r}"
            return Term(text, of_number="number" if to == shape else "")
        if f is np.true_divide and i == 1:
            total = summed("{z} * {y}", shape, to) if to else "float(vdot({z}, {y}))"
            return Term(f"-({total} / {{a1}})", of_number="array" if to else "")
        text = self._short_slope(f, i, operands) or self._times(p, len(operands))
        with np.errstate(all="ignore"):
            slope = np.shape(p(f(*samples), *samples))
        if not to and slope == shape and text in ("{z} * {a0}", "{z} * {a1}"):
            return Term(f"float(vdot({{z}}, {text[6:]}))")
        of_number = "array" if slope == shape else "number" if slope == () and to == shape else ""
        return Term(summed(text, shape, to), of_number=of_number)

    def _short_slope(self, f: Any, i: int, operands: list) -> str:
        if f is np.multiply:
            return "{z} * {a1}" if i == 0 else "{z} * {a0}"
        if f is np.true_divide:
            return "{z} / {a1}"
        if f is np.power and i == 0 and isinstance(operands[1], str) and not is_name(operands[1]):
            n = ast.literal_eval(operands[1])
            if n == 2:
                return "{z} * 2.0 * {a0}"
            if n > 1:
                return f"{{z}} * {n!r} * {{a0}} ** {n - 1!r}"
        return ""

    def _times(self, p: Any, count: int) -> str:
        """The cotangent times a partial derivative, as text."""
        names = ["{y}", *[f"{{a{i}}}" for i in range(count)]]
        body = expression_of(p)
        if body is None:
            return f"{{z}} * {self.given(self.program.space, p)}({', '.join(names)})"
        space = p.__globals__
        divided = _divided(body, space)
        renamed = _Renamed(dict(zip(p.__code__.co_varnames, names, strict=False)), space, self)
        text = ast.unparse(renamed.visit(divided or body))
        return f"{{z}} {'/' if divided else '*'} {text if text in names else f'({text})'}"

    # -- products, sums, shapes -------------------------------------------------------------------------------

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
            if not shape or shape == x.shape[len(x.shape) - len(shape) :]:
                return (Term(z, is_number=True),)
            return (Term(f"{z if f is np.sum else f'({z})'}.reshape({kept})", is_number=True),)

        if x.dtype == np.float64:  # what NumPy's functions do in the end
            text = f"add_reduce({{a0}}, {axis!r}{', None, None, True' if keepdims else ''})"
            text += "" if f is np.sum else f" / {count}"
        return self.made(lambda a: f(a, axis=axis, keepdims=keepdims), text, [x], terms)

    def reshaped(self, run: Callable, x: Array, text: str) -> Any:
        found = self.made(run, text, [x], lambda shape: (Term(f"{{z}}.reshape({x.shape})"),))
        return self.view(x, found)

    def transposed(self, x: Array, axes: Any, text: str) -> Any:
        back = "{z}.T" if not axes else f"{{z}}.transpose({tuple(np.argsort(axes).tolist())})"
        run: Any = np.transpose if not axes else lambda a: a.transpose(axes)
        return self.view(x, self.made(run, text, [x], lambda shape: (Term(back, of_number=""),)))

    def read(self, x: Array, index: list, is_tuple: bool) -> Any:
        """``x[i, a:b, None]``: an item for each part, an atom or a constant that is no number."""
        operands, place, probe, ints = self._place(x, index, is_tuple)
        items = probe if isinstance(probe, tuple) else (probe,)
        is_all = all(p is None or p is Ellipsis or p == slice(None) for p in items)
        term = Term(f"{{z}}.reshape({x.shape})") if is_all else Term("{z}", index=place)
        rest = (None,) * (len(operands) - 1)
        text = f"{{a0}}[{place}]"
        if len(x.shape) == 1 and type(probe) is int and x.dtype == np.float64:
            text = f"{{a0}}.item({place})"
        found = self.made(lambda a, *_: a[probe], text, operands, lambda shape: (term, *rest), ints=tuple(ints))
        return self.view(x, found)

    def view(self, x: Array, found: Any) -> Any:
        """What may share memory with an array."""
        return (
            replace(found, origins=found.origins | x.origins, of=found.of or x.of)
            if isinstance(found, Array)
            else found
        )

    def place(self, x: Array, node: ast.expr) -> tuple[list, str, Any, list[int]]:
        return self._place(x, *self._indices(node))

    def _place(self, x: Array, index: list, is_tuple: bool) -> tuple[list, str, Any, list[int]]:
        """An array and the atoms in an index of it, the text of the index, one like it, and which must be integers."""
        operands: list[Value] = [x]
        texts: list[str] = []
        probes: list[Any] = []
        ints = []
        for item in index:
            if isinstance(item, str) and is_name(item):
                texts.append(f"{{a{len(operands)}}}")
                ints.append(len(operands))
                operands.append(item)
                probes.append(0)
            elif isinstance(item, str):
                probes.append(ast.literal_eval(item))
                texts.append(item.strip("()"))
            else:
                probes.append(item)
                texts.append(_slice(item) if isinstance(item, slice) else repr(item).replace("Ellipsis", "..."))
        if any(type(p) not in (int, slice, type(None), type(Ellipsis)) for p in probes):
            raise Unsupported("an index of another kind", self.line)
        place = ", ".join(texts) + ("," if is_tuple and len(texts) == 1 else "")
        return operands, place, tuple(probes) if is_tuple or len(probes) > 1 else probes[0], ints

    # -- calls ------------------------------------------------------------------------------------------------

    def is_array(self, value: Any) -> bool:
        return isinstance(value, Array | Small | ListOf)

    def numpy_call(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        """``f(*args, **named)`` of arrays, or one that makes an array."""
        if isinstance(f, np.ufunc) and not named and f.signature is None:
            return self.each_element(f, [x if isinstance(x, str) else self.as_array(x) for x in args])
        if f in (np.dot, np.matmul) and not named:
            values = [x if isinstance(x, str) else self.as_array(x) for x in args]
            return self.product(f, values, f"{self.given(self.program.space, f)}({{a0}}, {{a1}})")
        if getattr(f, "__module__", None) not in ROOMS:
            raise Unsupported(f"a call of {_called(f)} with something else than numbers", self.line)
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
            **dict.fromkeys(JOINING, self._joined), **dict.fromkeys(CREATING - {np.full}, self._created),
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
        if name == "copy" and not args and not named:
            return self.made(np.copy, "{a0}.copy()", [x], lambda shape: (Term("{z}", of_number="number"),))
        return self.general(f, [x, *args], named, f"{{}}.{name}({{}})", name)

    def array_attribute(self, x: Array, name: str) -> Any:
        if name == "T":
            return self.transposed(x, (), "{a0}.T")
        if name == "shape":
            return tuple(map(str, x.shape))
        if name in ("size", "ndim"):
            return str(math.prod(x.shape) if name == "size" else len(x.shape))
        raise Unsupported(f"the attribute {name!r} of an array", self.line)

    def _sum(self, f: Any, args: list, named: dict[str, Any], head: str = "") -> Any:
        if not set(named) <= {"axis", "keepdims"} or not 1 <= len(args) <= 2 or not self.is_array(args[0]):
            return None
        given = {k: self.constant(v) for k, v in named.items()}
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
        given = [self.constant(a) for a in args]
        options = {k: self.constant(v) for k, v in named.items()}
        if set(options) - {"dtype", "shape", "N", "k", "M", "num", "endpoint", "step", "start", "stop"}:
            return None
        spell = [self._spelled(v) for v in given] + [f"{k}={self._spelled(v)}" for k, v in options.items()]
        text = f"{self.given(self.program.space, f)}({', '.join(spell)})"
        return self.made(lambda: f(*given, **options), text, [], lambda shape: ())

    def _spelled(self, value: Any) -> str:
        return repr(value) if type(value) in (int, float, bool, tuple, str) else self.given(self.program.space, value)

    def _joined(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        axis = self.constant(named["axis"]) if "axis" in named else 0
        if set(named) - {"axis"} or len(args) != 1 or not isinstance(args[0], tuple) or not args[0]:
            return None
        if f not in (np.concatenate, np.stack) and named:
            return None
        self.allowed(f)
        values = [self.as_array(x) for x in args[0]]
        if type(axis) is not int or any(x.dtype != np.float64 for x in values):
            return None
        ranks = {len(x.shape) for x in values}
        if len(ranks) > 1:
            return None
        rank = ranks.pop()
        is_new = f is np.stack or (f is np.vstack and rank == 1)
        axis = 0 if f is np.vstack else min(1, rank - 1) if f is np.hstack else axis % (rank + is_new)
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

    def general(self, f: Any, args: list, named: dict[str, Any], text: str, method: str = "") -> Any:
        """A call by the rule of the function, which keeps its pullback."""
        self.allowed(f)
        options = {k: self.constant(v) for k, v in named.items()}
        if any(k in ("out", "where", "dtype", "casting", "subok") for k in options):
            raise Unsupported("options of NumPy's functions", self.line)
        operands: list[Value] = []
        given: list[Any] = []  # constants, and None where operands stand
        texts = []
        for a in args:
            if isinstance(a, str) and is_name(a) and self.number_of(a) is None:
                raise Unsupported(f"a call of {_called(f)} with a number that is no constant", self.line)
            if self.is_array(a):
                texts.append(f"{{a{len(operands)}}}")
                operands.append(self.as_array(a))
                given.append(None)
            else:
                value = self.constant(a)
                texts.append(self._spelled(value))
                given.append((value,))
        more = [f"{k}={self._spelled(v)}" for k, v in options.items()]
        if method:
            plain = text.format(texts[0], ", ".join(texts[1:] + more))
        else:
            plain = text.format(", ".join(texts + more))

        def filled(*xs: Any) -> list:
            left = iter(xs)
            return [next(left) if g is None else g[0] for g in given]

        def run(*xs: Any) -> Any:
            return f(*filled(*xs), **options)

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                y = run(*map(self.sample, operands))
            except Exception as error:
                raise Unsupported(f"a call of NumPy that ends in {type(error).__name__}: {error}", self.line) from None
        space = self.program.space
        like = (y.shape, y.dtype) if type(y) is np.ndarray else type(y)
        kind = self.given(space, like)
        plain = f"alike({plain}, {kind})"  # what the shape is may depend on the numbers
        if is_non_differentiable(f):
            found = self.made(run, plain, operands, lambda shape: (None,) * len(operands))
            for x in operands:
                found = self.view(x, found)
            return found
        rules = rules_of(f)
        if len(rules) != 1 or rules[0].types or rules[0].needs or rules[0].instances:
            raise Unsupported(f"a call of {_called(f)}", self.line)
        if not is_library_rule(rules[0].function) or any(x.dtype != np.float64 for x in operands):
            raise Unsupported(f"a call of {_called(f)}", self.line)
        is_array = type(y) is np.ndarray
        if type(y) is not np.float64 and (not is_array or y.dtype != np.float64 or not y.ndim or not y.size):
            raise Unsupported("a call of NumPy that gives something else than an array of real numbers", self.line)
        rule: Any = partial(rules[0].function, **options) if options else rules[0].function
        name = self.given(space, rule)
        spaces = tuple([self.sample(operands[i]) for i in range(len(operands))])
        places = [i for i, g in enumerate(given) if g is None]
        of = tuple([spaces[places.index(i)] if i in places else None for i in range(len(given))])
        called = f"ruled({name}, {kind}, {', '.join(texts)})"
        terms = tuple([Term(f"{{p}}[{i}]") for i in places])
        prelude = f"pulled({{y}}, {{z}}, {self.given(space, of)})"
        shape = y.shape
        form = Form(called, ARRAY if is_array else NUMBER, terms, f"({plain},)", prelude)
        pair = self.compute("numpy", *[x.atom for x in operands], f=form)
        if is_array:
            self.program.shapes[pair] = shape
        made = Array(pair, shape, np.dtype(np.float64)) if is_array else pair
        found = self._first_of(made, shape)
        for x in operands:  # it may be a view of them
            found = self.view(x, found)
        return found

    def _first_of(self, pair: Any, shape: tuple[int, ...]) -> Any:
        text = "{a0}[0]" if shape else "float({a0}[0])"
        form = Form(text, ARRAY if shape else NUMBER, (Term("{z}"),))
        target = self.compute("numpy", pair.atom if shape else pair, f=form)
        if not shape:
            return target
        self.program.shapes[target] = shape
        return Array(target, shape, np.dtype(np.float64))


def _divided(body: ast.expr, space: dict[str, Any]) -> ast.expr | None:
    """What a partial divides 1 by, if it does."""
    if isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute) and body.func.attr == "true_divide":
        one, by = body.args
        is_one = isinstance(one, ast.Constant) and one.value == 1
        return by if is_one and isinstance(body.func.value, ast.Name) and space.get(body.func.value.id) is np else None
    return None


def _called(f: Any) -> str:
    return getattr(f, "__name__", None) or repr(f)


def _slice(s: slice) -> str:
    parts = ["" if v is None else str(v) for v in (s.start, s.stop)]
    return ":".join(parts + ([] if s.step is None else [str(s.step)]))


PRODUCTS = {
    (1, 1): (Term("{z} * {a1}", of_number=""), Term("{z} * {a0}", of_number="")),
    (2, 1): (Term("{z}[:, None] * {a1}"), Term("{z} @ {a0}")),
    (1, 2): (Term("{a1} @ {z}"), Term("{a0}[:, None] * {z}")),
    (2, 2): (Term("{z} @ {a1}.T"), Term("{a0}.T @ {z}")),
}


class _Renamed(ast.NodeTransformer):
    """The expression of a partial derivative, with the operands in place of its parameters."""

    def __init__(self, names: dict, space: dict, builder: Any):
        self.names, self.space, self.builder = names, space, builder

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id not in self.names:
            owner = self.space.get(node.value.id)
            if owner is np:
                return ast.Name(self.builder.given(self.builder.program.space, getattr(np, node.attr)), ast.Load())
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.names:
            return ast.Name(self.names[node.id], ast.Load())
        if node.id in self.space:
            return ast.Name(self.builder.given(self.builder.program.space, self.space[node.id]), ast.Load())
        return node
