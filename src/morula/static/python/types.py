"""The types that the numbers of a program can have, found without running it.

Numbers are computed with as Python's own, also those that come out of arrays: an operation of two `numpy.float64` gives
the same bits as that of two floats, or raises here where NumPy warns. What the type of the value would have been is
known from these types, and the value is given that type in the end.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from morula.static.python.forms import ARRAY
from morula.static.python.ir import Append, Compute, Drop, Invoke, Loop, Program, Set, Store, Unsupported, is_name
from morula.static.python.memory import MAKING, Memory
from morula.static.python.sums import COMPENSATED, compensated, lost, lost_from_zero

__all__ = [
    "CLASSES", "COMPARISONS", "FLOAT", "INT", "OF_INTEGERS", "Types", "result_types", "types_of_argument",
    "types_of_list",
]  # fmt: skip

COMPARISONS = frozenset(["<", "<=", ">", ">=", "==", "!="])
CLASSES: dict[str, type] = {  # by what they are called here
    "float": float, "int": int, "bool": bool, "np.float64": np.float64, "np.int64": np.int64, "np.bool": np.bool_,
}  # fmt: skip
OF_LISTS = {
    np.dtype(np.float64): frozenset(["np.float64"]), np.dtype(np.int64): frozenset(["np.int64"]),
    np.dtype(bool): frozenset(["np.bool"]),
}  # fmt: skip
OF_NUMBERS = {
    float: frozenset(["float"]), int: frozenset(["int"]), np.float64: frozenset(["np.float64"]),
    bool: frozenset(["bool"]),
}  # fmt: skip
TESTS = frozenset([math.isnan, math.isinf, math.isfinite])
OF_INTEGERS = frozenset([math.factorial, math.comb, math.perm, math.gcd, math.isqrt, operator.index])
TO_INTEGER = frozenset([math.floor, math.ceil, math.trunc, round]) | OF_INTEGERS
MANY = 9  # items of a list that is no thing
OF_ANYTHING = frozenset(["not", "copy", "bound", "unset", "length", "width", "float", "int", "search", "chosen"])
SELECTIONS = frozenset([max, min])
FLOAT, INT, BOOL = frozenset(["float"]), frozenset(["int"]), frozenset(["bool"])
NUMPY_INT = frozenset(["np.int64"])
STEPS = frozenset(["add", "sub", "mod", "floordiv"])  # of integers of NumPy's, far from where they end
REAL = frozenset(["float", "np.float64"])


def has_integers(f: np.ufunc) -> bool:
    """Whether a function of integers gives an integer, and no float."""
    return f"{'q' * f.nin}->q" in f.types


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
                elif isinstance(s, Store | Append) and self._is_of_python(s.array):
                    self._learn(s.array, self[s.value])
                elif isinstance(s, Loop) and s.var is not None:
                    self._learn(s.var, INT)
                elif isinstance(s, Invoke):
                    for name, atom in s.passed():
                        self._learn(name, self[atom])
            if self.of == before:
                break

    def check(self, program: Program) -> None:
        """Refuse operations that numbers of these types would do in another way."""
        for s in program.statements():
            if isinstance(s, Compute):
                self._check(s)
            elif isinstance(s, Loop):
                self._check_range(s)
            elif isinstance(s, Invoke):
                self._check_passed(s)
            elif isinstance(s, Store):
                self._check_store(s)
            elif isinstance(s, Drop):
                self._check_index([self[s.at]])

    def __getitem__(self, atom: str) -> frozenset[str]:
        if is_name(atom):
            return self.of.get(self.memory.leader(atom), frozenset())
        text = atom.strip("()")
        return BOOL if text in ("True", "False") else INT if text.lstrip("-").isdigit() else FLOAT

    def _learn(self, name: str, types: frozenset[str]) -> None:
        name = self.memory.leader(name)
        self.of[name] = self.of.get(name, frozenset()) | types

    def _is_of_python(self, array: str) -> bool:
        return self.memory.kind(array) is list

    def is_compensated(self, s: Compute) -> bool:
        """Whether `sum` makes up for what is lost here: as long as it has a float of Python, and gets another one."""
        return not any(self[a] == {"np.float64"} for a in s.args[:2])

    # -- what must not be -----------------------------------------------------------------------------------

    def _check(self, s: Compute) -> None:
        given = [self[a] for a in s.args]
        if s.op == "numpy":
            self._check_index(given[i] for i in s.f.ints)
            if any(given[i] - {"float", "np.float64"} for i in s.f.floats):
                raise Unsupported("an array of something other than floats")
            if any(not given[i] <= {"float", "int"} for i in s.f.python):
                raise Unsupported("a power of an array by a number of NumPy's")
        elif s.op == "element":
            is_among_floats = any(self[a] and self[a] <= REAL for a in s.f or ())
            if given[0] - (REAL | INT if is_among_floats else REAL):
                raise Unsupported("an array of something other than floats")
        elif s.op in ("index", "row"):
            self._check_index(given[1:])
        elif s.op == "new":
            if s.f is np.ndarray and given[0] - {"float", "np.float64"}:
                raise Unsupported("a new array of something other than floats")
            self._check_index(given[1:])
        elif s.op == "packed":
            if given[0] - {"float", "np.float64", "int"} or given[0] == INT:
                raise Unsupported("an array of something other than floats")
        elif s.op == "copied" and s.f is np.ndarray and given[0] - {"float", "np.float64"}:
            raise Unsupported("an array of something other than floats")
        elif s.op in ("sliced", "part"):
            self._check_index(given[1:])
        elif s.op in MAKING:
            pass
        elif s.op in ("plain", "sum"):
            together = frozenset().union(*given)
            if "np.bool" in together or "np.int64" in together or (s.op == "plain" and "np.float64" in together):
                raise Unsupported("NumPy's numbers in a sum, or with an object")
            if "np.float64" in together and COMPENSATED:  # `sum` adds floats more exactly than these
                raise Unsupported("a sum of NumPy's numbers")
        elif s.op not in COMPARISONS and s.op not in OF_ANYTHING:
            together = frozenset().union(*given)
            if "np.bool" in together:
                raise Unsupported("arithmetic of NumPy's truth values")
            is_step = s.op in STEPS and any(not is_name(a) for a in s.args[s.op in ("mod", "floordiv") :])
            if "np.int64" in together and not is_step and not any(t <= {"float", "np.float64"} and t for t in given):
                raise Unsupported("arithmetic of NumPy's integers")
            if isinstance(s.f, np.ufunc) and (together & BOOL or (has_integers(s.f) and together & INT)):
                raise Unsupported("a function of NumPy with integers")
            if s.f in (lost, lost_from_zero) and self.is_compensated(s) and "np.float64" in together:
                raise Unsupported("a sum of floats of Python and of NumPy")
            if s.f in OF_INTEGERS and any(t - INT for t in given):
                raise Unsupported("a function of integers, of something else")
            if s.f is round and (len(given) > 1 or "np.float64" in together):
                raise Unsupported("rounding of NumPy's numbers")

    def _check_passed(self, s: Invoke) -> None:
        for name in (*s.sub.params, *s.targets):
            if len(self[name]) > 1 and not self[name] <= {"int", "float", "bool"}:
                raise Unsupported("a recursive function of numbers that are NumPy's at times")

    def _check_index(self, given: Iterable[frozenset[str]]) -> None:
        if any(t - INT - NUMPY_INT for t in given):  # which are Python's in the text
            raise Unsupported("an index that is no integer")

    def _check_store(self, s: Store) -> None:
        self._check_index(self[i] for i in s.index)
        if not self._is_of_python(s.array) and self[s.array] != {"np.float64"}:
            raise Unsupported("an array of integers that is written into")

    def _check_range(self, s: Loop) -> None:
        if any(self[a] - INT - BOOL for a in s.args):
            raise Unsupported("a range of something other than integers")


def result_types(s: Compute, given: list[frozenset[str]]) -> frozenset[str]:
    """The types that an operation can give, as far as those of its operands are known."""
    if s.op in ("copy", "bound", "plain", "chosen", "pos", "neg"):
        is_same = s.op in ("copy", "bound", "plain", "chosen") or not given[0] & BOOL
        return given[0] if is_same else given[0] - BOOL | INT
    if s.op in ("unset", "not"):
        return BOOL
    if s.op in COMPARISONS:
        return frozenset(["np.bool"]) if any("np.float64" in t or "np.int64" in t for t in given) else BOOL
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
    numbers = given[:1] if s.op == "new" else given
    return frozenset(["np.float64"]) if s.f is np.ndarray else frozenset().union(*numbers)


def _of_call(s: Compute, given: list[frozenset[str]]) -> frozenset[str]:
    if isinstance(s.f, np.ufunc):
        return frozenset(["np.float64"])
    if s.f is abs:
        return given[0] - BOOL | (INT if given[0] & BOOL else frozenset())
    if s.f in SELECTIONS:
        return frozenset().union(*given)
    if s.f is compensated:
        return given[0]
    if s.f in TESTS:
        return BOOL
    return INT if s.f in TO_INTEGER else FLOAT


def _of_operator(op: str, a: str, b: str) -> Iterable[str]:
    if "np.float64" in (a, b) or ("np.int64" in (a, b) and "float" in (a, b)):
        return ("np.float64",)
    if "np.int64" in (a, b):
        return ("np.int64",)
    if "float" in (a, b) or op == "truediv":
        return ("float",)
    return ("int", "float") if op == "pow" else ("int",)
