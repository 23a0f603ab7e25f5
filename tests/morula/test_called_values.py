"""Numbers, tuples and texts of classes with methods of their own: called, asked for the next item, copied."""

import collections
import copy
import functools
import itertools
import math
import operator
import types

import numpy as np
import pytest

import morula


class Line(collections.namedtuple("Line", "a b")):
    def __call__(self, t):
        return self.a * t + self.b

    def __next__(self):
        return self.a * self.b

    def __getitem__(self, i):
        return self.a * i


class Ends(tuple):
    def __call__(self, t):
        return tuple.__getitem__(self, 0) * t + tuple.__getitem__(self, 1)

    def __next__(self):
        return tuple.__getitem__(self, 1) * 2.0


class Gain(float):
    def __call__(self, t):
        return self * t * self

    def __next__(self):
        return self * 3.0


CLASSES = {"fields": Line, "items": lambda x, y: Ends((x, y)), "number": lambda x, y: Gain(x * y)}
CALLS = {
    "called": lambda c: c(2.0),
    "next": next,
    "map": lambda c: list(map(c, [2.0, 3.0]))[1],
    "partial": lambda c: functools.partial(c, 2.0)(),
    "reduce": lambda c: functools.reduce(lambda u, f: f(u), [c, c], 2.0),
    "starmap": lambda c: list(itertools.starmap(c, [(1.0,), (2.0,)]))[1],
    "operator": lambda c: operator.call(c, 2.0),
    "in a list": lambda c: [c][0](2.0),
    "in an object": lambda c: types.SimpleNamespace(law=c).law(2.0),
    "in a closure": lambda c: (lambda: c(2.0))(),
    "by lru_cache": lambda c: functools.lru_cache(None)(c)(2.0),
    "by frompyfunc": lambda c: np.frompyfunc(c, 1, 1)(np.array([1.0, 2.0])).sum(),
    "by vectorize": lambda c: np.vectorize(c)(np.array([1.0, 2.0])).sum(),
    "copied": lambda c: copy.copy(c)(2.0) + copy.deepcopy([c])[0](1.0),
    "gradient": lambda c: morula.gradient(c, 2.0)[0] * c(1.0),
    "of a closure": lambda c: morula.gradient(lambda t: c(t) ** 2, 2.0)[0],
    "grad": lambda c: morula.grad(c)(2.0),
    "jvp": lambda c: morula.jvp(c, (2.0,), (1.0,))[1],
    "pullback": lambda c: morula.pullback(c, 2.0)[0],
    "checkpoint": lambda c: morula.checkpoint(lambda k: k(2.0), c),
}


@pytest.mark.parametrize("how", CALLS)
@pytest.mark.parametrize("kind", CLASSES)
def test_the_derivative_of_what_is_called(kind, how):
    def f(x, y):
        return CALLS[how](CLASSES[kind](x, y))

    found = morula.withgradient(f, 0.7, 1.3)
    assert found.value == f(0.7, 1.3)
    h = 1e-6
    expected = [(f(0.7 + h, 1.3) - f(0.7 - h, 1.3)) / (2 * h), (f(0.7, 1.3 + h) - f(0.7, 1.3 - h)) / (2 * h)]
    assert np.allclose([g or 0.0 for g in found.gradient], expected, rtol=1e-7, atol=1e-8)


class Label(str):
    pass


class Count(int):
    pass


class Data(bytes):
    pass


class Phase(complex):
    pass


class Gauge(float):
    def __new__(cls, value, unit):
        self = float.__new__(cls, value)
        self.unit = unit
        return self

    def __getnewargs__(self):
        return float(self), self.unit

    def __getattribute__(self, name):
        return super().__getattribute__(name)


class Tagged(str):
    def __new__(cls, text, x):
        self = str.__new__(cls, text)
        self.x = x
        return self

    def __getnewargs_ex__(self):
        return (str(self),), {"x": self.x}


class Span(tuple):
    def __new__(cls, *ends):
        return tuple.__new__(cls, ends)

    def __getnewargs__(self):
        return tuple(self)


def with_attribute(made, x):
    made.x = x
    return made


COPIED = {
    "text": lambda x, c: (lambda t: t.x * len(t))(c(with_attribute(Label("ab"), x))),
    "bytes": lambda x, c: (lambda t: t.x * len(t))(c(with_attribute(Data(b"abc"), x))),
    "whole": lambda x, c: (lambda t: t.x * t)(c(with_attribute(Count(3), x))),
    "real": lambda x, c: c(Gain(x)) * x,
    "complex": lambda x, c: abs(c(Phase(x, 2 * x))),
    "real with arguments": lambda x, c: c(Gauge(x, "km")) * len(c(Gauge(x, "km")).unit),
    "text with names": lambda x, c: c(Tagged("abc", x)).x * len(c(Tagged("abc", x))),
    "tuple with arguments": lambda x, c: c(Span(x, 2 * x))[1] * len(c(Span(x, 2 * x))),
    "inside": lambda x, c: c([Gain(x), {"k": Label("ab")}])[0] * len(c({"k": Label("ab")})["k"]),
}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("kind", COPIED)
def test_copies_of_values_with_classes(kind, copied):
    f = functools.partial(COPIED[kind], c=copied)
    found = morula.withgradient(lambda x: f(x), 1.5)
    assert found.value == f(1.5)
    assert found.gradient[0] == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-7)


def test_a_copy_of_an_array_has_its_class():
    class Signal(np.ndarray):
        pass

    def f(x):
        a = np.array([x, 2 * x]).view(Signal)
        b, c = copy.copy(a), copy.deepcopy(a)
        assert type(b) is type(c) is Signal
        return (b * c).sum()

    assert morula.gradient(f, 1.5)[0] == pytest.approx(15.0)


def called(f):
    return f()


class Twice(list):
    def __iter__(self):
        return (v * 2 for v in list.__iter__(self))


class Thrice(tuple):
    def __iter__(self):
        return (v * 3 for v in tuple.__iter__(self))


class Doubled(float):
    __match_args__ = ("double",)

    @property
    def double(self):
        return self * 2

    def __get__(self, obj, owner=None):
        return self * 3


def decorated_at_once(x, y):
    @called
    def z():
        return x * y

    return z * x


def decorated_to_a_tuple(x, y):
    @lambda f: (f(x), y)
    def z(t):
        return t * x

    return z[0] + z[1] * x


def decorator_of_numbers(x, y):
    class Scale(float):
        def __call__(self, f):
            return lambda t: f(t) * self

    @Scale(x)
    def z(t):
        return t * t

    return z(y)


def matched_by_position(x, y):
    match Doubled(x):
        case Doubled(d):
            return d * y


def described(x, y):
    class Model:
        rate = Doubled(x)

    return Model().rate * Model.rate * y


def default_made(x, y):
    table = collections.defaultdict(Pair((x, y)))
    return table["a"] + table["b"] * x


class Pair(tuple):
    def __call__(self):
        return self[0] * self[1]


class Steps(tuple):
    """Which is its own iterator."""

    def __new__(cls, *items):
        made = tuple.__new__(cls, items)
        made.taken = []
        return made

    def __iter__(self):
        return self

    def __next__(self):
        self.taken.append(1)
        if len(self.taken) > 2:
            raise StopIteration
        return tuple.__getitem__(self, 0) * len(self.taken)


def its_own_iterator(x, y):
    return sum([v * y for v in Steps(x, y)])


PROGRAMS = [
    its_own_iterator,
    decorated_at_once,
    decorated_to_a_tuple,
    decorator_of_numbers,
    matched_by_position,
    described,
    default_made,
]
TAKEN = {
    "sum": lambda a, b: np.sum(a) * np.sum(b),
    "array": lambda a, b: np.array(a) @ np.asarray(b, dtype=float),
    "operator": lambda a, b: (np.ones(2) * b).sum() + (a + np.ones(2)).sum(),
    "nested": lambda a, b: np.mean([a, b]),
    "maximum": lambda a, b: np.maximum(a, b).sum(),
    "concatenate": lambda a, b: np.concatenate([a, b]).sum(),
    "math": lambda a, b: math.fsum(a) + math.hypot(*b) + math.dist(b, a) + math.prod(b),
    "assigned": lambda a, b: assigned(a, b),
}


def assigned(a, b):
    x = np.zeros(2)
    x[:] = b
    x += a
    return x @ x


def compared(f, x, y):
    for tier in ("eager", "auto"):
        with morula.tier(tier):
            found = morula.withgradient(f, x, y)
        assert found.value == f(x, y)
        h = 1e-6
        expected = [(f(x + h, y) - f(x - h, y)) / (2 * h), (f(x, y + h) - f(x, y - h)) / (2 * h)]
        assert np.allclose([g or 0.0 for g in found.gradient], expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_classes_of_numbers_and_decorators_make(f):
    compared(f, 0.7, 1.3)


@pytest.mark.parametrize("how", TAKEN)
def test_sequences_that_iterate_in_their_own_way(how):
    compared(lambda x, y: TAKEN[how](Twice([x, y]), Thrice((y, x * y))), 0.7, 1.3)
