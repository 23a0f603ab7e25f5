"""What classes and objects may not do with active values, and where they may; programs of theirs are in the corpus."""

import copy
import functools
import math
import weakref
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from morula_helpers import verify

import morula
from morula import gradient


def refused(f, match):
    with pytest.raises(morula.NotDifferentiable, match=match):
        gradient(f, 0.7)


def test_finalizers_that_look_at_active_values_are_refused():
    log = []

    class Logged:
        def __init__(self, v):
            self.v = v

        def __del__(self):
            log.append(self.v)

    class Counted:
        alive = 0

        def __init__(self, v):
            self.v = v
            Counted.alive += 1

        def __del__(self):
            Counted.alive -= 1

    refused(lambda x: Logged(x).v, "__del__")
    assert gradient(lambda x: x * Logged(2.0).v, 0.7) == (2.0,)
    assert log[-1] == 2.0
    assert gradient(lambda x: Counted(x).v * 3.0, 0.7) == (3.0,)
    assert Counted.alive == 0


def test_an_array_beside_an_object_makes_an_array_of_objects():
    class Number:
        def __init__(self, v):
            self.v = v

        def __radd__(self, other):
            return self.v + other

    refused(lambda x: (np.array([1.0, 2.0]) + Number(x))[0], "__array_ufunc__")


def test_class_bodies_that_look_at_their_namespace():
    def active(x):
        class Local:
            k = x
            locals()["j"] = k

        return Local.j

    def inactive(x):
        class Local:
            locals()["j"] = 2.0

        return Local.j * x

    refused(active, "namespace")
    assert gradient(inactive, 0.7) == (2.0,)


def test_what_python_calls_itself_may_store_what_is_inactive():
    class Counted:
        compared = 0

        def __init__(self, v):
            self.v = v
            self.hash = None

        def __lt__(self, other):
            Counted.compared += 1
            return self.v < other.v

        def __eq__(self, other):
            return self.v == other.v

        def __hash__(self):
            self.hash = hash(self.v)
            return self.hash

    def f(x):
        items = sorted([Counted(x), Counted(x * x)])
        return {items[0]: x}[items[0]] * items[1].v * Counted.compared

    assert gradient(f, 0.5) == (1.0,)


def test_parts_of_functions_are_not_assigned_active_values():
    def defaults(x):
        def f(a=1.0):
            return a

        f.__defaults__ = (x,)
        return f()

    def cell(x):
        y = 1.0

        def f():
            return y

        f.__closure__[0].cell_contents = x
        return f()

    refused(defaults, "__defaults__")
    refused(cell, "cell_contents")


class Node:
    def __init__(self, v):
        self.v = v


def test_weak_references_to_inactive_objects():
    def f(x):
        node = Node(2.0)
        seen = weakref.ref(node)
        v = seen().v
        node = None
        return x * v * (3.0 if seen() is None else 5.0)

    assert gradient(f, 0.7) == (6.0,)


def test_a_prepared_namespace_with_active_values_is_refused():
    def f(x):
        class Meta(type):
            @classmethod
            def __prepare__(mcs, name, bases):
                return {"q": x}

        class Made(metaclass=Meta):
            z = q * 2.0  # noqa: F821

        return Made.z

    with pytest.raises(morula.NotDifferentiable, match="__prepare__"):
        morula.gradient(f, 1.5)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: float(Decimal(x) * Decimal(x)),
        lambda x: float(Decimal(x) * 2 + 3),
        lambda x: float(Decimal(x).exp()) * x,
        lambda x: float(abs(-(Decimal(x) ** 2)) / 3),
        lambda x: float(sum([Decimal(x), Decimal(2)])),
        lambda x: float(Decimal(x) % Decimal("0.4")) * x,
    ],
)
def test_decimal_numbers_in_every_mode(f):
    first = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    second = (f(0.7 + 1e-4) - 2 * f(0.7) + f(0.7 - 1e-4)) / 1e-8
    assert morula.gradient(f, 0.7)[0] == pytest.approx(first, rel=1e-6)
    assert morula.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(first, rel=1e-6)
    (found,) = morula.gradient(lambda x: morula.jvp(f, (x,), (1.0,))[1], 0.7)
    assert (found or 0.0) == pytest.approx(second, abs=1e-3)


def test_powers_of_exact_numbers_by_base_and_exponent():
    assert morula.gradient(lambda x, p: x**p, Fraction(2), 3) == (12, pytest.approx(5.545177444479562))  # 8 log 2
    base, exponent = morula.gradient(lambda x, p: x**p, Decimal(2), Decimal(3))
    assert base == 12 and exponent == 8 * Decimal(2).ln()
    two, one = (Fraction(2),), (Fraction(1),)
    assert morula.jvp(lambda x: morula.jvp(lambda t: t**3, (x,), one)[1], two, one) == (12, 12)


@pytest.mark.parametrize(
    "look",
    [lambda it: it.__setstate__(1), lambda it: it.__reduce__(), lambda it: it.__length_hint__(), copy.copy],
    ids=["setstate", "reduce", "length_hint", "copy"],
)
def test_the_state_of_an_iterator_is_refused(look):
    def f(x):
        items = iter([x, 2.0 * x])
        look(items)
        return next(items)

    with pytest.raises(morula.NotDifferentiable, match="state of an iterator"):
        morula.gradient(f, 1.0)


def test_a_zero_partial_kills_an_infinite_cotangent_of_a_number():
    for f in (lambda s: np.floor(s) * np.inf, lambda s: np.floor(s) ** np.float64(0.8)):
        with np.errstate(all="ignore"):
            assert morula.gradient(f, 0.37) == (0.0,)


class Keeps:
    """A method that keeps the instance it is bound to, as multipledispatch's do."""

    def __init__(self, f):
        self.f = f

    def __get__(self, o, owner):
        self.o = o
        return self

    def __call__(self, *args):
        return self.f(self.o, *args)


class Binds:
    def __init__(self, f):
        self.f = f

    def __get__(self, o, owner):
        return functools.partial(self.f, o)


class Length:
    def __init__(self, x):
        self.x = x

    @functools.singledispatchmethod
    def __mul__(self, other):
        return self.x * other

    @__mul__.register
    def _(self, other: str):
        return 7.0 * self.x

    __or__ = Keeps(lambda self, other: self.x * other.x)
    __add__ = Binds(lambda self, other: self.x + 2.0 * other.x)
    __getitem__ = Keeps(lambda self, k: self.x * k)
    __contains__ = Binds(lambda self, v: self.x > v)
    __iter__ = Binds(lambda self: iter([self.x, 2.0 * self.x]))
    __neg__ = functools.partial(lambda: 3.0)
    __pow__ = functools.partialmethod(lambda self, k, p: self.x ** (k * p), 2)
    __call__ = Binds(lambda self, v: self.x * v)
    __float__ = Binds(lambda self: float(self.x))
    __abs__ = Keeps(lambda self: abs(self.x))
    __lt__ = Keeps(lambda self, other: self.x < other.x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Length(x) | Length(2 * x),
        lambda x: (Length(x) + Length(x * x)) * (Length(x) * x) * (Length(x) * "a"),
        lambda x: Length(x)[3.0] * sum(a * a for a in Length(x)),
        lambda x: -Length(x) * x + Length(x) ** 2,
        lambda x: Length(x)(x) * float(Length(x)) * abs(Length(x)),
        lambda x: x * (3.0 if Length(x) < Length(2 * x) and 0.5 in Length(x) else 2.0),
    ],
)
def test_special_methods_are_bound_by_their_own_descriptors(f):
    verify(f, 1.3)


class Watched:
    """Reading an attribute leaves a note."""

    def __init__(self, t, notes):
        self.__dict__.update(t=t, notes=notes)

    def __getattribute__(self, name):
        if name == "t":
            object.__getattribute__(self, "notes").append(name)
        return object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        self.__dict__[name] = value


@pytest.mark.parametrize("tier", ["eager", "static", "auto"])
def test_attributes_are_read_as_often_as_the_program_reads_them(tier):
    """Also where a loop is looked at that writes them."""
    notes = []

    def f(x, s):
        watched = Watched(s, notes)
        for v in x:
            s = math.tanh(s + v)
            watched.t = 0.5
            watched.t = math.sin(s)
        return s + watched.t

    x = np.array([0.7, -0.1, 0.4])
    f(x, 0.6)
    plain = len(notes)
    with morula.tier(tier):
        for _ in range(3):
            notes.clear()
            morula.gradient(f, x, 0.6)
            assert len(notes) == plain
