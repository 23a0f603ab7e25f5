"""The types that the numbers of a program can have, found without running it.

Numbers are computed with as Python's own, also those that come out of arrays: an operation of two `numpy.float64` gives
the same bits as that of two floats, or raises here where NumPy warns. What the type of the value would have been is
known from these types, and the value is given that type in the end.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from morula.static.python.complex_numbers import COMPLEX, types_of_complex_call
from morula.static.python.forms import ARRAY
from morula.static.python.ir import Append, Compute, Invoke, Loop, Program, Set, Store, is_integer, is_name
from morula.static.python.memory import MAKING, Memory
from morula.static.python.sums import compensated, lost, lost_from_zero

__all__ = [
    "BITS", "BOOL", "CLASSES", "COMPARISONS", "FLOAT", "INT", "OF_INTEGERS", "REAL", "SHIFTS", "TESTS", "Types",
    "result_types", "types_of_argument", "types_of_list", "types_of_literal",
]  # fmt: skip

COMPARISONS = frozenset(["<", "<=", ">", ">=", "==", "!="])
CLASSES: dict[str, type] = {  # by what they are called here
    "float": float, "int": int, "bool": bool, "np.float64": np.float64, "np.int64": np.int64, "np.bool": np.bool_,
    "complex": complex, "np.complex128": np.complex128,
}  # fmt: skip
OF_LISTS = {
    np.dtype(np.float64): frozenset(["np.float64"]), np.dtype(np.int64): frozenset(["np.int64"]),
    np.dtype(bool): frozenset(["np.bool"]),
}  # fmt: skip
OF_NUMBERS = {
    float: frozenset(["float"]), int: frozenset(["int"]), np.float64: frozenset(["np.float64"]),
    bool: frozenset(["bool"]),
}  # fmt: skip
TESTS = frozenset([math.isnan, math.isinf, math.isfinite, bool])
OF_INTEGERS = frozenset([math.factorial, math.comb, math.perm, math.gcd, math.isqrt, operator.index])
BITS: dict[Any, str] = {  # operators of integers and truth values, whose results have no derivative
    operator.and_: "&", operator.or_: "|", operator.xor: "^", operator.lshift: "<<", operator.rshift: ">>",
}  # fmt: skip
SHIFTS = frozenset([operator.lshift, operator.rshift])
TO_INTEGER = frozenset([math.floor, math.ceil, math.trunc, round]) | OF_INTEGERS
MANY = 9  # items of a list that is no thing
SELECTIONS = frozenset([max, min])
FLOAT, INT, BOOL = frozenset(["float"]), frozenset(["int"]), frozenset(["bool"])
WHOLE = INT | BOOL
REAL = frozenset(["float", "np.float64"])
OF_NUMPY = frozenset(["np.float64", "np.int64", "np.complex128"])


def types_of_argument(value: Any) -> tuple[frozenset[str], int] | None:
    """The types of the numbers in a value, and how many axes it has; None where it is no such thing.

    >>> types_of_argument(1.0), types_of_argument("a")
    ((frozenset({'float'}), 0), None)
    """
    if type(value) in OF_NUMBERS:
        return OF_NUMBERS[type(value)], 0
    if type(value) is np.ndarray and value.ndim and value.dtype in OF_LISTS:
        return OF_LISTS[value.dtype], value.ndim
    return None


def types_of_list(value: Any, least: int = MANY) -> tuple[frozenset[str], int] | None:
    """The same of a list or a tuple of at `least` so many numbers, or lists of them; None where it is no such thing.

    >>> types_of_list([0.5] * 20), types_of_list([(1, 0.5)] * 20)[1], types_of_list([0.5, "a"] * 20)
    ((frozenset({'float'}), 1), 2, None)
    """
    kind = type(value)
    if kind not in (list, tuple) or len(value) < least:
        return None
    kinds = set(map(type, value))
    ndim = 1
    if kinds <= {list, tuple} and len(kinds) == 1:
        kinds, ndim = {type(v) for row in value for v in row}, 2
    if not kinds or not (kinds <= {float, int} or kinds in ({np.float64}, {bool})):
        return None
    return frozenset().union(*map(OF_NUMBERS.__getitem__, kinds)), ndim


def types_of_literal(atom: str) -> frozenset[str]:
    """The type of a number that is written out.

    >>> types_of_literal("(-2)"), types_of_literal("True"), types_of_literal("inf")
    (frozenset({'int'}), frozenset({'bool'}), frozenset({'float'}))
    """
    if atom[-1] == "j":
        return frozenset(["complex"])
    return BOOL if atom.strip("()") in ("True", "False") else INT if is_integer(atom) else FLOAT


class Types:
    """The types of all atoms of a program; of a list, those of its numbers."""

    def __init__(self, program: Program, memory: Memory):
        self.memory = memory
        self.of: dict[str, frozenset[str]] = {}
        for given in program.inputs:
            self._learn(given.name, given.types)
            if given.array:
                self._learn(given.array, ARRAY)
        statements = list(program.statements())
        while True:
            before = dict(self.of)
            for s in statements:
                if isinstance(s, Compute):
                    self._learn(s.target, result_types(s, [self[a] for a in s.args]))
                elif isinstance(s, Set) and s.value != "UNBOUND":
                    self._learn(s.var, self[s.value])
                elif isinstance(s, Store | Append) and self.is_of_python(s.array):
                    self._learn(s.array, self[s.value])
                elif isinstance(s, Loop) and s.var is not None:
                    self._learn(s.var, INT)
                elif isinstance(s, Invoke):
                    for name, atom in s.passed():
                        self._learn(name, self[atom])
            if self.of == before:
                break
        self.has_complex = any(types & {"complex", "np.complex128"} for types in self.of.values())
        self.program, self.statements = program, statements

    def __getitem__(self, atom: str) -> frozenset[str]:
        if is_name(atom):
            return self.of.get(self.memory.leader(atom), frozenset())
        return types_of_literal(atom)

    def _learn(self, name: str, types: frozenset[str]) -> None:
        name = self.memory.leader(name)
        self.of[name] = self.of.get(name, frozenset()) | types

    def is_of_python(self, array: str) -> bool:
        """Whether something that holds numbers is a list."""
        return self.memory.kind(array) is list

    def is_compensated(self, s: Compute) -> bool:
        """Whether `sum` makes up for what is lost here: as long as it has a float of Python, and gets another one."""
        return all("float" in self[a] for a in s.args[:2])

    @cached_property
    def _whole(self) -> set[str]:
        """Names of what may be an integer other than the zero that `sum` begins with."""
        given = {g.name for g in self.program.inputs} | {s.target for s in self.statements if isinstance(s, Compute)}
        found = {name for name in given if self[name] & WHOLE}
        sets = [s for s in self.statements if isinstance(s, Set) and self[s.value] & WHOLE]
        while more := {s.var for s in sets if s.var not in found and self.is_whole(s.value, found)}:
            found |= more
        return found

    def is_lost(self, s: Compute) -> bool:
        """Whether `sum` meets a number of NumPy's when it may have something to make up for, which it does then."""
        return "float" in self[s.args[0]] and "np.float64" in self[s.args[1]] and s.args[3] in self._lossy

    @cached_property
    def _lossy(self) -> set[str]:
        """Names of what `sum` has lost so far, where that may be other than zero."""
        steps = [s for s in self.statements if isinstance(s, Compute) and s.f in (lost, lost_from_zero)]
        found = {s.target for s in steps if self.is_compensated(s)}
        passed = [(s.target, s.args[3]) for s in steps]
        passed += [(s.var, s.value) for s in self.statements if isinstance(s, Set)]
        while more := {name for name, given in passed if given in found} - found:
            found |= more
        return found

    def is_whole(self, atom: str, names: set[str] | None = None) -> bool:
        """Whether a total may be an integer other than the zero that `sum` begins with."""
        if is_name(atom):
            return atom in (self._whole if names is None else names)
        return atom != "0" and bool(self[atom] & WHOLE)


def result_types(s: Compute, given: list[frozenset[str]]) -> frozenset[str]:
    """The types that an operation can give, as far as those of its operands are known."""
    if s.op in ("copy", "bound", "plain", "chosen", "pos", "neg"):
        is_same = s.op in ("copy", "bound", "plain", "chosen") or not given[0] & BOOL
        return given[0] if is_same else given[0] - BOOL | INT
    if s.op in ("unset", "not"):
        return BOOL
    if s.op in COMPARISONS:
        return frozenset(["np.bool"]) if any(t & OF_NUMPY for t in given) else BOOL
    if s.op in ("index", "row", "part"):
        return given[0]
    if s.op in MAKING:
        return _of_new(s, given)
    if s.op == "packed":
        return ARRAY
    if s.op == "element":
        return frozenset(["np.float64"])
    if s.op == "sum":
        total = given[0]
        for types in given[1:]:
            total = frozenset([t for a in total for b in types for t in _of_operator("add", a, b)])
        return total
    if s.op in ("length", "width", "int", "search"):
        return INT
    if s.op == "float":
        return FLOAT
    if s.op == "numpy":
        return s.f.types
    if s.op == "call":
        return _of_call(s, given)
    if not all(given):
        return frozenset()
    found: set[str] = set()
    for a in given[0]:
        for b in given[1]:
            found.update(_of_operator(s.op, a, b))
    return frozenset(found)


def _of_new(s: Compute, given: list[frozenset[str]]) -> frozenset[str]:
    if s.op == "order":
        return INT
    if s.op == "joined":
        return given[0] | given[1]
    if s.op in ("copied", "sliced", "reversed"):
        return given[0] if s.f is list else frozenset(["np.float64"])
    if s.op == "listed" and s.f is list:
        return FLOAT
    numbers = given[:1] if s.op == "new" else given
    return frozenset(["np.float64"]) if s.f is np.ndarray else frozenset().union(*numbers)


def _of_call(s: Compute, given: list[frozenset[str]]) -> frozenset[str]:
    if (of_complex := types_of_complex_call(s.f, given)) is not None:
        return of_complex
    if isinstance(s.f, np.ufunc):
        return frozenset(["np.float64"])
    if s.f is abs or (s.f is round and len(given) > 1):
        return given[0] - BOOL | (INT if given[0] & BOOL else frozenset())
    if s.f in SELECTIONS:
        return frozenset().union(*given)
    if s.f is compensated:
        return given[0]
    if s.f in TESTS:
        return BOOL
    if s.f in BITS:
        return frozenset([_of_bits(s.f, a, b) for a in given[0] for b in given[1]])
    return INT if s.f in TO_INTEGER else FLOAT


def _of_bits(f: Any, a: str, b: str) -> str:
    if "int" in (a, b) or f in SHIFTS:
        return "int"
    return "np.bool" if "np.bool" in (a, b) else "bool"


def _of_operator(op: str, a: str, b: str) -> Iterable[str]:
    if a == "complex" and b == "np.float64":  # a kind of float, which Python's complex numbers take
        return ("complex",)
    if a in COMPLEX or b in COMPLEX:
        return ("np.complex128",) if a in OF_NUMPY or b in OF_NUMPY else ("complex",)
    if "np.float64" in (a, b) or ("np.int64" in (a, b) and "float" in (a, b)):
        return ("np.float64",)
    if "np.int64" in (a, b):
        return ("np.int64",)
    if "float" in (a, b) or op == "truediv":
        return ("float",)
    return ("int", "float") if op == "pow" else ("int",)
