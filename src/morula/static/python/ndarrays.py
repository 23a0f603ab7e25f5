"""Arrays as NumPy has them, in expressions: what they are, what an operation with them gives, their parts.

What an operation returns is found by doing it, with numbers of the same types and shapes.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from morula.static.python.forms import ARRAY, NUMBER, Form, Term
from morula.static.python.ir import Unsupported, is_name
from morula.static.python.observed import Observations
from morula.static.python.scopes import READ_ONLY, Array, ListOf, Single, Small, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.subscripts import Subscripts
from morula.static.python.things import OfFew, Rigid

__all__ = ["NdArrays", "Value", "function_name"]

DTYPES = frozenset([np.dtype(np.float64), np.dtype(np.int64), np.dtype(bool)])
PLACES = frozenset([np.dtype(np.int64), np.dtype(bool)])
NUMBERS = {
    np.float64: ("float", NUMBER),
    np.int64: ("int", frozenset(["np.int64"])),
    np.bool_: ("bool", frozenset(["np.bool"])),
    bool: ("bool", frozenset(["bool"])),
}

OF_FLOATS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "neg": operator.neg,
}  # fmt: skip
ROOTS = frozenset([math.sqrt, np.sqrt])  # by which the widths of layers are made into widths of distributions
Value = Any  # an atom or an `Array`


class NdArrays(Subscripts, Observations):
    """The part of a `front.Builder` that has arrays of any size."""

    known_floats: dict[str, tuple[str, float]]  # such as `math.pi`: where they are read, and what they are
    once: dict[str, str]  # what is assigned to variables that are assigned just once
    held_by: dict[str, list[str]]
    spent: set[str]  # temporaries that nobody needs
    pending: dict[int, Any]  # arguments that are no numbers or arrays
    _samples: dict[Any, np.ndarray]
    values_of_input: dict[str, np.ndarray]
    is_outside: Callable[[str], bool]

    # -- values -------------------------------------------------------------------------------------------

    def as_array(self, value: Any) -> Array:
        """An array of any form as NumPy has it."""
        if isinstance(value, Array):
            return value
        if isinstance(value, Small):
            if self.is_small:
                self.program.is_small = True  # it may be found out without such arrays
                raise OfFew("an array of few numbers that NumPy's functions take", self.line)
            return self.packed(value.parts, (len(value.parts),))
        if not isinstance(value, ListOf) or value.kind is list:
            raise Unsupported("something other than an array where NumPy's functions take one", self.line)
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
            atoms = tuple([self.compute("element", a, f=atoms) if is_name(a) else a for a in atoms])
        texts = [f"{{a{i}}}" for i in range(len(atoms))]
        for n in shape[:0:-1]:
            texts = [f"[{', '.join(texts[i : i + n])}]" for i in range(0, len(texts), n)]
        terms = tuple([Term(f"{{z}}.item({i})") for i in range(len(atoms))])
        text = f"{self.given(self.program.space, np.array)}([{', '.join(texts)}])"
        return self.made(lambda *xs: np.array(xs).reshape(shape), text, atoms, lambda shape: terms)

    def array_copied(self, value: Any, text: str) -> Array:
        """``np.array(x)`` of an array, whose order it keeps, or what the `text` says."""
        text = text or f"{self.given(self.program.space, np.array)}({{a0}})"
        term = Term("{z}", of_number="number")
        return self.made(np.array, text, [self.as_array(value)], lambda shape: (term,))

    def rows(self, values: tuple) -> Any:
        """``np.array`` of rows: of numbers, or arrays themselves."""
        if all(isinstance(v, tuple) and all(isinstance(x, str) for x in v) for v in values):
            width = len(values[0])
            if not width or any(len(v) != width for v in values):
                raise Unsupported("an array of rows of several lengths", self.line)
            flat = tuple([x for v in values for x in v])
            if any(map(is_name, flat)) and self.are_integers(flat) and (found := self.integers_of(flat)) is not None:
                shape = (len(values), width)
                return self.made(lambda a: a.reshape(shape), f"{{a0}}.reshape({shape})", [found], lambda shape: (None,))
            return self.packed(flat, (len(values), width))
        arrays = [
            self.array_of_list(v) if isinstance(v, ListOf) and v.kind is list else self.as_array(v) for v in values
        ]
        if any(x.dtype != np.float64 for x in arrays):
            raise Unsupported("an array of something other than floats", self.line)
        terms = tuple([Term(f"{{z}}[{i}]") for i in range(len(arrays))])
        text = f"{self.given(self.program.space, np.array)}([{', '.join(f'{{a{i}}}' for i in range(len(arrays)))}])"
        return self.made(lambda *xs: np.array(xs), text, arrays, lambda shape: terms)

    def number_of(self, atom: str) -> Any:
        """The number that an atom is whatever the program is called with; None where it depends."""
        if not is_name(atom):
            return ast.literal_eval(atom)
        if atom in self.once:
            return self.number_of(self.once[atom])
        if (given := self.given_ints.get(atom)) is not None:
            read, value = given
            self.guard(f"type({read}) is {type(value).__name__} and {read} == {value}")
            return value
        if atom in self.known_floats:
            read, number = self.known_floats[atom]
            self.guard(f"{read} == {number!r}")
            return number
        s = self.computed.get(atom)
        if s is None:
            return None
        if s.op in ("length", "width"):
            listed = next((i for i in self.program.inputs if i.name == s.args[0]), None)
            if listed is None or listed.name not in self.shape_of_input:  # or a list
                return None
            axis = int(s.op == "width")
            n = self.shape_of_input[listed.name][axis]
            self.guard(f"{listed.read}.shape[{axis}] == {n}")
            return n
        if s.op == "copy":
            return self.number_of(s.args[0])
        if s.op in ("add", "sub", "mul", "floordiv"):
            found = [self.number_of(a) for a in s.args]
            if all(type(v) is int for v in found) and not (s.op == "floordiv" and not found[1]):
                return int(getattr(int, f"__{s.op}__")(*found))
        if s.op in OF_FLOATS:
            found = [self.number_of(a) for a in s.args]
            if all(type(v) in (int, float) for v in found) and not (s.op == "truediv" and not found[1]):
                return OF_FLOATS[s.op](*found)
        return None

    def float_of(self, atom: str) -> Any:
        """The number that an atom is, a NumPy one as Python's: what is drawn with them is the same."""
        found = self.number_of(atom)
        if found is not None or not is_name(atom):
            return found
        if atom in self.once:
            return self.float_of(self.once[atom])
        s = self.computed.get(atom)
        if s is None or (s.f not in ROOTS if s.op == "call" else s.op not in OF_FLOATS):
            return None
        f: Callable[..., Any] = s.f if s.op == "call" else OF_FLOATS[s.op]
        known = [self.float_of(a) for a in s.args]
        if any(type(v) not in (int, float) for v in known):
            return None
        try:
            return float(f(*known))
        except (ArithmeticError, ValueError):  # the program's own, when it gets there
            return None

    def is_wanted(self, value: Any) -> bool:
        """Whether a number that is known beforehand may come from an integer that is differentiated by."""
        waiting, met = [value], set()
        while waiting:
            x = waiting.pop()
            if not isinstance(x, str) or not is_name(x) or x in met:
                continue
            met.add(x)
            if x in self.given_ints:
                if int(x[1:]) in self.program.wanted if x[0] == "a" else self.wants_structures() or self._captures(x):
                    return True
                continue
            waiting += self.held_by.get(x, ())  # of an array that is written into what it held at any time
            s = self.computed.get(x)
            if s is not None and s.op not in ("length", "width"):
                waiting += s.args
        return False

    def _captures(self, name: str) -> bool:
        """Whether a number from outside is a captured variable that is differentiated by."""
        return any(given is not None and given.name == name for given in self.program.captured.values())

    def wants_structures(self) -> bool:
        """Whether an argument that is a structure is differentiated by."""
        return not set(self.program.wanted).isdisjoint(self.pending)

    def constant(self, value: Any) -> Any:
        """The object that an argument is, such as an axis, a shape, a name."""
        if isinstance(value, Static) and not value.where:
            return value.value
        if isinstance(value, tuple):
            return tuple(map(self.constant, value))
        if isinstance(value, str):
            found = self.number_of(value)
            if found is None:
                found = self.observed_integer(value)
            if found is not None:
                return found
        raise Rigid("an argument of NumPy's that is no constant", self.line)

    def sample(self, value: Value) -> Any:
        """Something of the type and shape of a value."""
        if isinstance(value, str):
            if is_name(value):
                return self.values_of_input.get(value, 0.75)
            return ast.literal_eval(value)
        if (found := self.known_array(value.atom)) is not None:
            return found
        key = (value.shape, value.dtype)
        if key not in self._samples:
            count = math.prod(value.shape)
            found = np.linspace(0.5, 0.6, count)
            if len(value.shape) > 1:  # of full rank
                found = found + 0.1 * np.sin(np.arange(count) ** 2)
            found = found.reshape(value.shape)
            if len(value.shape) > 1 and value.shape[-1] == value.shape[-2]:  # positive definite
                found = (found + found.swapaxes(-1, -2)) / 2 + len(found) * np.eye(value.shape[-1])
            self._samples[key] = found.astype(value.dtype)
        return self._samples[key]

    def tried(self, run: Callable, operands: Sequence[Value]) -> Any:
        """What `run` gives of samples, some of which are the user's own arrays: whatever writes into them raises."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return without_writing(run, [self.sample(x) for x in operands])
            except Exception as error:
                raise Unsupported(f"a call to NumPy that ends in {type(error).__name__}: {error}", self.line) from None

    def made(
        self,
        run: Callable,
        text: str,
        operands: Sequence[Value],
        terms: Callable[[tuple[int, ...]], tuple],
        is_complex: bool = False,
        may_be_single: bool = False,
        **more: Any,
    ) -> Any:
        """What a call gives, which `run` is of samples; `is_complex`: the terms hold for complex arrays, too."""
        if not is_complex and any(isinstance(x, Array) and x.dtype.kind == "c" for x in operands):
            raise Unsupported("an operation of complex numbers", self.line)
        y = self.tried(run, operands)
        kind = type(y)
        shape: tuple[int, ...] = ()
        dtypes = DTYPES | {np.dtype(np.complex128)} if is_complex else DTYPES
        if kind is np.ndarray and y.ndim and y.dtype in dtypes:
            shape, types = y.shape, ARRAY
        elif kind in NUMBERS or (may_be_single and kind is np.ndarray and not y.ndim and y.dtype == np.float64):
            cast, types = NUMBERS.get(kind, ("float", NUMBER))
            text, plain = f"{cast}({text})", more.get("plain")
            if plain:
                more["plain"] = f"{cast}({plain})"
        else:
            raise Unsupported("a call to NumPy that gives something other than an array of real numbers", self.line)
        is_float = kind is not bool and y.dtype.kind in "fc"
        found = terms(shape) if is_float else (None,) * len(operands)
        integers = [i for i, x in enumerate(operands) if isinstance(x, Array) and not self._has_slope(x)]
        found = tuple([None if i in integers else t for i, t in enumerate(found)])
        atoms = [x if isinstance(x, str) else x.atom for x in operands]
        target = self.compute("numpy", *atoms, f=Form(text, types, found, **more))
        is_known = all(map(self.is_settled, atoms)) and not more.get("is_drawn")
        if (kind is np.ndarray or kind is np.int64) and is_known:
            self.values_of_input[target] = y
        if kind is not np.ndarray:
            return target
        if not y.ndim:
            return self.guarded(run, operands, y, Single(target))
        self.program.shapes[target] = shape
        return self.guarded(run, operands, y, Array(target, shape, y.dtype))

    def guarded(self, run: Callable, operands: Sequence[Value], y: Any, found: Any) -> Any:
        """What a call gives, with who else has its memory: an operand, or NumPy, where `run` gave a read-only `y`.

        The samples are read-only, and so are the views of them: what matters is whether those of others are, too.
        """
        if not isinstance(found, Array | Single):
            return found
        for x in operands:
            if isinstance(x, Array) and np.may_share_memory(y, self.sample(x)):
                found = self.view(x, found)
        if y.flags.writeable:
            return found
        # It has run without writing, so that it may have the samples themselves, but for what is read-only anyway.
        free = [x.copy() if type(x) is np.ndarray and not x.flags.writeable else x for x in map(self.sample, operands)]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            is_free = run(*free).flags.writeable
        return found if is_free else replace(found, origins=found.origins | READ_ONLY)

    def is_settled(self, atom: str) -> bool:
        """Whether an atom is one value for the arguments that the text is made for."""
        return not is_name(atom) or self.known_array(atom) is not None

    def _has_slope(self, x: Array) -> bool:
        """Whether an array is one of floats, or one of integers that is differentiated by."""
        if x.dtype.kind in "fc":
            return True
        i = x.atom.removesuffix("_array")[1:]
        is_argument = x.atom[0] == "a" and i.isdigit() and x.dtype == np.int64
        return is_argument and int(i) in self.program.wanted and self.program.verb in ("gradient", "pullback")

    def allowed(self, f: Any) -> None:
        if has_own_rule(f):
            raise Unsupported(f"a call to {function_name(f)}, which has a user-defined rule", self.line)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, Array | Small | ListOf)

    def view(self, x: Array, found: Any) -> Any:
        """What may share memory with an array."""
        return (
            replace(found, origins=found.origins | x.origins, of=found.of or x.of)
            if isinstance(found, Array | Single)
            else found
        )


def function_name(f: Any) -> str:
    return getattr(f, "__name__", None) or repr(f)


def without_writing(run: Callable, xs: list[Any]) -> Any:
    """``run(*xs)`` with arrays that nothing can write into, or copies for what insists on such as could be written."""
    guarded = [x.view() if type(x) is np.ndarray else x for x in xs]
    for x in guarded:
        if type(x) is np.ndarray:
            x.flags.writeable = False
    try:
        return run(*guarded)
    except ValueError as error:
        if str(error) != "buffer source array is read-only":
            raise
    copies = [x.copy() if type(x) is np.ndarray else x for x in xs]
    y = run(*copies)
    if any(type(x) is np.ndarray and x.tobytes() != old.tobytes() for x, old in zip(copies, xs, strict=True)):
        raise ValueError("the function writes into an array that it is given")
    return y
