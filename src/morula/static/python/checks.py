"""What a program may not do with its numbers, by their types: what its text would do otherwise than Python does."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from morula.static.python.complex_numbers import OF_LISTS, check_complex, is_of_complex
from morula.static.python.ir import Compute, Drop, Invoke, Loop, Program, Store, Unsupported, is_name
from morula.static.python.memory import MAKING
from morula.static.python.sums import COMPENSATED, lost, lost_from_zero
from morula.static.python.types import BITS, BOOL, COMPARISONS, INT, OF_INTEGERS, REAL, SHIFTS, Types

__all__ = ["check"]

Given = list[frozenset[str]]
Check = Callable[[Types, Compute, Given], None]

NUMPY_INT = frozenset(["np.int64"])
NUMPY_BOOL = frozenset(["np.bool"])
STEPS = frozenset(["add", "sub", "mod", "floordiv"])  # of integers of NumPy's, far from where they end
OF_ANYTHING = frozenset(["not", "copy", "bound", "unset", "length", "width", "float", "int", "search", "chosen"])


def check(types: Types, program: Program) -> None:
    """Refuse a program that does with its numbers what its text would do otherwise."""
    check_complex(program, types)
    for s in program.statements():
        if isinstance(s, Compute) and s.op not in OF_LISTS and is_of_complex(s, types):
            continue
        if isinstance(s, Compute):
            _check_of(s)(types, s, [types[a] for a in s.args])
        elif isinstance(s, Loop):
            if any(types[a] - INT - BOOL for a in s.args):
                raise Unsupported("a range of something other than integers")
        elif isinstance(s, Invoke):
            for name in (*s.sub.params, *s.targets):
                if len(types[name]) > 1 and not types[name] <= {"int", "float", "bool"}:
                    raise Unsupported("a recursive function of numbers that are sometimes NumPy's")
        elif isinstance(s, Store):
            _indices(types[i] for i in s.index)
            if not types.is_of_python(s.array) and types[s.array] != {"np.float64"}:
                raise Unsupported("an array of integers that is written into")
        elif isinstance(s, Drop):
            _indices([types[s.at]])


def _check_of(s: Compute) -> Check:
    """What is to be checked of an operation."""
    if s.op in BY_OPERATION:
        return BY_OPERATION[s.op]
    if s.op in MAKING or s.op in COMPARISONS or s.op in OF_ANYTHING or s.f is bool:
        return _anything
    return _bits if s.f in BITS else _arithmetic


def _anything(types: Types, s: Compute, given: Given) -> None:
    """It does the same with all numbers."""


def _indices(given: Iterable[frozenset[str]]) -> None:
    if any(t - INT - NUMPY_INT for t in given):  # which are Python's in the text
        raise Unsupported("an index that is not an integer")


def _all_but_first(types: Types, s: Compute, given: Given) -> None:
    _indices(given[1:])


def _numpy(types: Types, s: Compute, given: Given) -> None:
    _indices(given[i] for i in s.f.ints)
    if any(given[i] - REAL for i in s.f.floats):
        raise Unsupported("an array of something other than floats")
    if any(not given[i] <= {"float", "int"} for i in s.f.python):
        raise Unsupported("a power of an array by a number of NumPy's")


def _element(types: Types, s: Compute, given: Given) -> None:
    is_among_floats = any(types[a] and types[a] <= REAL for a in s.f or ())
    if given[0] - (REAL | INT if is_among_floats else REAL):
        raise Unsupported("an array of something other than floats")


def _new(types: Types, s: Compute, given: Given) -> None:
    if s.f is np.ndarray and given[0] - REAL:
        raise Unsupported("a new array of something other than floats")
    _indices(given[1:])


def _packed(types: Types, s: Compute, given: Given) -> None:
    if given[0] - REAL - INT or (given[0] == INT and s.f is not float):
        raise Unsupported("an array of something other than floats")


def _copied(types: Types, s: Compute, given: Given) -> None:
    if s.f is np.ndarray and given[0] - REAL:
        raise Unsupported("an array of something other than floats")


def _added(types: Types, s: Compute, given: Given) -> None:
    together = frozenset[str]().union(*given)
    if together & (NUMPY_BOOL | NUMPY_INT) or (s.op == "plain" and "np.float64" in together):
        raise Unsupported("NumPy's numbers in a sum, or with an object")
    if "np.float64" in together and COMPENSATED:  # `sum` adds floats more exactly than these
        raise Unsupported("a sum of NumPy's numbers")


def _bits(types: Types, s: Compute, given: Given) -> None:
    together = given[0] | given[1]
    is_of_numpy = "np.bool" in together and (s.f in SHIFTS or together & INT)
    if together - INT - BOOL - NUMPY_BOOL or is_of_numpy:
        raise Unsupported("an operator of integers that are NumPy's")


def _arithmetic(types: Types, s: Compute, given: Given) -> None:
    together = frozenset[str]().union(*given)
    if "np.bool" in together:
        raise Unsupported("arithmetic of NumPy's truth values")
    is_float = any(t and t <= REAL for t in given)
    is_step = s.op in STEPS and any(not is_name(a) for a in s.args[s.op in ("mod", "floordiv") :])
    if "np.int64" in together and not is_step and not is_float:
        raise Unsupported("arithmetic of NumPy's integers")
    if isinstance(s.f, np.ufunc) and (together & BOOL or (_has_integers(s.f) and together & INT and not is_float)):
        raise Unsupported("a function of NumPy with integers")
    is_mixed = s.f in (lost, lost_from_zero) and "np.float64" in together
    if is_mixed and (types.is_compensated(s) or types.is_lost(s)):
        raise Unsupported("a sum of floats of Python and of NumPy")
    if s.f in OF_INTEGERS and any(t - INT for t in given):
        raise Unsupported("a function of integers, of something else")
    if s.f is round and len(given) > 1 and (("np.float64" in given[0] and len(given[0]) > 1) or given[1] != INT):
        raise Unsupported("rounding of floats of Python and of NumPy")


def _has_integers(f: np.ufunc) -> bool:
    """Whether a function of integers gives an integer, and no float."""
    return f"{'q' * f.nin}->q" in f.types


BY_OPERATION: dict[str, Check] = {
    "numpy": _numpy, "element": _element, "index": _all_but_first, "row": _all_but_first, "sliced": _all_but_first,
    "part": _all_but_first, "new": _new, "packed": _packed, "copied": _copied, "plain": _added, "sum": _added,
}  # fmt: skip
