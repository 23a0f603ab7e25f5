"""Operators and comparisons between numbers, arrays and sequences and classes of the user's: Python's own outcome."""

import collections
import operator

import numpy as np
import pytest
from static_checks import check_static
from tests.fuzz import plain
from tests.fuzz.plain_operators import OperatorsWriter

import morula

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
OPERATORS = [getattr(operator, name) for name in (*ARITHMETIC, *COMPARISONS)]


class Parts:
    def __init__(self, a, b):
        self.a, self.b = a, b


def methods():
    """Special methods that say which of them was asked."""
    found = {"__hash__": None}
    for name in ARITHMETIC:
        found[f"__{name}__"] = lambda self, other, name=name: ("left", name)
        found[f"__r{name}__"] = lambda self, other, name=name: ("right", name)
    for name in COMPARISONS:
        found[f"__{name}__"] = lambda self, other, name=name: ("asked", name)
    return found


PAIR = {"__len__": lambda self: 2, "__getitem__": lambda self, i: (self.a, self.b)[i]}
BASES = {
    "tuple": (tuple, lambda cls, x, y: cls((x, y))),
    "list": (list, lambda cls, x, y: cls([x, y])),
    "named": (collections.namedtuple("Named", "a b"), lambda cls, x, y: cls(x, y)),
    "object": (Parts, lambda cls, x, y: cls(x, y)),
    "sequence": (type("Pair", (Parts,), PAIR), lambda cls, x, y: cls(x, y)),
    "dict": (dict, lambda cls, x, y: cls({1: x})),
    "float": (float, lambda cls, x, y: cls(x)),
    "str": (str, lambda cls, x, y: cls("a")),
}
OTHERS = {
    "float": lambda x: x,
    "float64": np.float64,
    "float32": np.float32,
    "int": lambda x: 3,
    "int64": lambda x: np.int64(3),
    "complex": lambda x: complex(x, x),
    "array": lambda x: np.array([x, x]),
    "array without axes": np.array,
    "tuple": lambda x: (x, x),
    "list": lambda x: [x, x],
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("base", BASES)
def test_whom_an_operator_asks(base, other):
    kind, make = BASES[base]
    cls = type("Own", (kind,), methods())

    def outcome(x, y, apply, turned):
        a, b = OTHERS[other](x), make(cls, x, y)
        try:
            return apply(b, a) if turned else apply(a, b)
        except (TypeError, ValueError) as error:
            return type(error).__name__

    def noting(x, y, apply, turned, kept):
        kept.append(outcome(x, y, apply, turned))
        return x * y

    cases = [(apply, turned) for apply in OPERATORS for turned in (False, True)]
    with np.errstate(all="ignore"), morula.tier("eager"):
        for apply, turned in cases:
            kept, plainly = [], outcome(0.7, 1.3, apply, turned)
            try:
                morula.gradient(lambda x, y, case=(apply, turned, kept): noting(x, y, *case), 0.7, 1.3)
            except morula.NotDifferentiable:  # of what NumPy would make arrays of objects
                assert base in ("object", "sequence", "dict", "str") or other == "complex"
                continue
            assert repr(kept[0]) == repr(plainly) and type(kept[0]) is type(plainly), (apply, turned)


@pytest.mark.parametrize("start", range(0, 60, 12))
def test_random_classes_with_operators(start):
    kinds = []
    for seed in range(start, start + 12):
        source, verdict = plain.check(seed, OperatorsWriter)
        assert verdict.kind != "wrong", f"{verdict.message}\n{source}"
        kinds.append(verdict.kind)
    assert kinds.count("right") > 3


class Vector:
    def __init__(self, u, v):
        self.u, self.v = u, v

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self.u + other.u, self.v + other.v)

    def __mul__(self, k):
        return Vector(self.u * k, self.v * k) if isinstance(k, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1.0

    def __abs__(self):
        return (self.u**2 + self.v**2) ** 0.5

    def __matmul__(self, other):
        return self.u * other.u + self.v * other.v

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __iter__(self):
        return iter((self.u, self.v))


class Turned:
    """Which a `Vector` leaves its operators to."""

    def __init__(self, w):
        self.w = w

    def __radd__(self, other):
        return other.u * self.w


def orbit(u, v):
    x, w, h = Vector(1.0, 0.0), Vector(u, v), 0.05
    for _ in range(30):
        w = w + h * (-x) * (1.0 / abs(x) ** 3)
        x = x + h * w
    return abs(x) + w @ w


def left_to_the_right(u, v):
    return Vector(u, v) + Turned(v) + sum([Vector(u, v), Vector(v, u)], Vector(0.0, 0.0)).u


def compared_and_unpacked(u, v):
    a, b = Vector(u, v), Vector(v, 2.0 * u)
    p, q = a
    if a < b:
        p *= q
    return p + q * b.u


@pytest.mark.parametrize("f", [orbit, left_to_the_right, compared_and_unpacked])
def test_classes_of_vectors_are_static(f):
    for args in ((0.1, 1.1), (1.2, 0.3)):
        check_static(f, args)


class Gauge(float):
    pass


class Phase(complex):
    pass


NUMBERS = {
    "Gauge": Gauge, "Phase": lambda x: Phase(x, x), "float": lambda x: x, "float64": np.float64,
    "complex128": lambda x: np.complex128(complex(x, 1.0)), "float32": np.float32, "int64": lambda x: np.int64(2),
    "array": lambda x: np.array([x, 1.0]),
}  # fmt: skip


@pytest.mark.parametrize("right", NUMBERS)
@pytest.mark.parametrize("left", ["Gauge", "Phase"])
def test_the_type_of_what_numbers_of_classes_come_to(left, right):
    """`Gauge(x) * np.float64(y)` is one of Python's floats, since Python asks the class of the left one first."""

    def results(x):
        found = []
        for apply in (operator.add, operator.sub, operator.mul, operator.truediv, operator.eq):
            found += [apply(NUMBERS[left](x), NUMBERS[right](x)), apply(NUMBERS[right](x), NUMBERS[left](x))]
        return found

    kept = []

    def noting(x):
        kept.extend(results(x))
        return x * 2.0

    with morula.tier("eager"):
        assert morula.gradient(noting, 0.7) == (2.0,)
    assert [(type(v), repr(v)) for v in kept] == [(type(v), repr(v)) for v in results(0.7)]
