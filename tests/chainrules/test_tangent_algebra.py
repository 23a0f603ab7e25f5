"""The algebra of tangents, as laws: whatever forms the operands have, sums and multiples mean the same."""

import copy
import dataclasses
import pickle
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrules import (
    InplaceThunk,
    NoTangent,
    NotImplementedDerivative,
    NotImplementedTangent,
    Tangent,
    Thunk,
    ZeroTangent,
    accumulate,
    accumulate_into,
    add_tangent,
    project,
    rand_tangent,
    unthunk,
    zero_tangent,
)

Pair = namedtuple("Pair", "x y")


@dataclasses.dataclass(frozen=True)
class Model:
    w: np.ndarray
    b: float
    name: str = "linear"


class Node:
    def __init__(self, value, parts=()):
        self.value, self.parts = value, list(parts)


class Slotted:
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v


PRIMALS = {
    "number": 1.5,
    "complex number": 1.5 - 2j,
    "array": np.array([1.0, -2.0]),
    "single precision": np.array([[1.0], [2.0]], np.float32),
    "list": [1.0, np.array([2.0, 3.0])],
    "named tuple": Pair(1.0, (2.0, 3.0)),
    "dictionary": {"a": 1.0, "b": [2.0]},
    "dataclass": Model(np.array([1.0, 2.0]), 0.5),
    "object": Node(1.0, [2.0, 3.0]),
    "slots": Slotted(2.0),
}
integers = st.integers(-4, 4).map(float)  # their sums are exact, whatever the order


def drawn(draw, x):
    """A tangent of `x` in numbers, small integers all."""
    like = zero_tangent(x)

    def fill(t):
        if isinstance(t, np.ndarray):
            return np.array([draw(integers) for _ in range(t.size)], t.dtype).reshape(t.shape)
        if isinstance(t, (list, tuple)):
            parts = [fill(v) for v in t]
            return t._make(parts) if hasattr(t, "_make") else type(t)(parts)
        if isinstance(t, dict):
            return {k: fill(v) for k, v in t.items()}
        if isinstance(t, Tangent):
            return Tangent(t.primal_type, **{k: fill(v) for k, v in t.fields().items()})
        return t if t is NoTangent() else type(t)(draw(integers))

    return fill(like)


def disguised(draw, t):
    """The same tangent in another form, or a zero of any kind instead of it."""
    form = draw(st.sampled_from(["plain", "thunk", "in place", "twice", "none", "no tangent", "zero"]))
    if form == "plain":
        return t, t
    if form == "thunk":
        return Thunk(lambda: t), t
    if form == "in place":
        return InplaceThunk(lambda x_bar: accumulate_into(x_bar, t), lambda: t), t
    if form == "twice":
        return Thunk(lambda: Thunk(lambda: t)), t
    return {"none": None, "no tangent": NoTangent(), "zero": ZeroTangent()}[form], None


@st.composite
def three(draw):
    """A primal, and three tangents of it: as they come, and what they mean (None is zero)."""
    name = draw(st.sampled_from(sorted(PRIMALS)))
    x = PRIMALS[name]
    return x, [disguised(draw, drawn(draw, x)) for _ in range(3)]


def meaning(t, x):
    """A tangent as numbers, with zeros for what is absent."""
    t = unthunk(t)
    return zero_tangent(x) if t is None or t in (NoTangent(), ZeroTangent()) else t


def equal(a, b):
    if isinstance(a, Tangent) and isinstance(b, Tangent):
        keys = {*a, *b}
        return a.primal_type is b.primal_type and all(equal(getattr(a, k), getattr(b, k)) for k in keys)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


def fields(x):
    if isinstance(x, Slotted):
        return x.v
    return vars(x) if isinstance(x, (Model, Node)) else x


@given(three())
def test_sums_commute_and_associate_in_every_form(drawn):
    x, [(a, ma), (b, mb), (c, mc)] = drawn
    assert equal(meaning(accumulate(a, b), x), meaning(accumulate(b, a), x))
    left, right = accumulate(accumulate(a, b), c), accumulate(a, accumulate(b, c))
    assert equal(meaning(left, x), meaning(right, x))
    assert equal(meaning(left, x), meaning(accumulate(accumulate(ma, mb), mc), x))


@given(three(), st.sampled_from([0.0, 2.0, -3.0]))
def test_multiples_distribute(drawn, factor):
    x, [(a, _), (b, _), _] = drawn
    if isinstance(x, (Model, Node, Slotted)):
        a, b = (t if t is not None else ZeroTangent() for t in (a, b))
        left = factor * accumulate(a, b)
        right = accumulate(factor * a, b * factor)
        assert equal(meaning(left, x), meaning(right, x))


@given(three())
def test_moving_by_a_sum_is_moving_twice(drawn):
    x, [(a, _), (b, _), _] = drawn
    once, twice = add_tangent(x, accumulate(a, b)), add_tangent(add_tangent(x, a), b)
    assert type(once) is type(x) and equal(fields(once), fields(twice))


@given(three())
def test_projection_keeps_what_fits(drawn):
    x, [(a, ma), _, _] = drawn
    got = project(a, x)
    assert equal(meaning(got, x), meaning(ma, x))


@given(three())
def test_nothing_is_changed(drawn):
    x, [(a, ma), (b, mb), _] = drawn
    before = copy.deepcopy((fields(x), ma, mb))
    add_tangent(x, accumulate(a, b))
    assert equal([fields(x), ma, mb], list(before))


@pytest.mark.parametrize("name", PRIMALS)
def test_random_tangents_have_the_space_of_the_zero(name):
    x = PRIMALS[name]
    t = rand_tangent(x, np.random.default_rng(0))
    assert equal(accumulate(zero_tangent(x), t), t) and not equal(t, rand_tangent(x))


def test_what_has_no_tangents():
    for x in (1, True, "a", None, len, np, int, np.int64(3), np.ones(2, int), np.ones(2, bool), b"", object()):
        assert zero_tangent(x) is NoTangent() and rand_tangent(x) is NoTangent()
    assert zero_tangent([1, 2.0]) == [NoTangent(), 0.0]
    knot = Node(1.0)
    knot.parts.append(knot)
    assert zero_tangent(knot).value == 0.0


def test_primal_plus_tangent_makes_a_moved_object():
    model = Model(np.array([1.0, 2.0]), 0.5)
    moved = model + Tangent[Model](w=np.array([1.0, 1.0]))
    assert type(moved) is Model and moved.w.tolist() == [2.0, 3.0] and moved.b == 0.5 and moved.name == "linear"
    assert model.w.tolist() == [1.0, 2.0]
    assert (Pair(1.0, 2.0) + Tangent(Pair, y=1.0)) == Pair(1.0, 3.0)
    assert (Slotted(2.0) + 2.0 * Tangent(Slotted, v=1.5)).v == 5.0
    node = Node(1.0, [Node(2.0)])
    moved = node + Tangent(Node, parts=[Tangent(Node, value=1.0)])
    assert moved.parts[0].value == 3.0 and node.parts[0].value == 2.0
    parts = [1.0]
    assert 1.0 + ZeroTangent() == 1.0 and parts + NoTangent() is parts


class Sealed:
    @property
    def norm(self):
        return 1.0


class Whole:
    """Its two fields have to fit each other."""

    def __init__(self, a):
        self.a, self.double = a, 2 * a

    def __add_tangent__(self, fields):
        return Whole(self.a + fields["a"])


def test_objects_that_cannot_be_rebuilt_say_what_to_do():
    with pytest.raises(TypeError, match=r"Sealed cannot be rebuilt.*norm.*Define Sealed\.__add_tangent__"):
        Sealed() + Tangent(Sealed, norm=1.0)
    with pytest.raises(TypeError, match=r"cannot be added to a Node"):
        add_tangent(Node(1.0), Tangent(Model, b=1.0))
    moved = Whole(1.0) + Tangent(Whole, a=2.0)
    assert (moved.a, moved.double) == (3.0, 6.0)


def test_an_in_place_thunk_adds_into_memory_that_is_owned_only():
    calls = []

    def add_to(x_bar):
        calls.append("in place")
        x_bar[1] += 5.0
        return x_bar

    t = InplaceThunk(add_to, lambda: np.array([0.0, 5.0]))
    a = np.ones(2)
    assert accumulate_into(a, t) is a and a.tolist() == [1.0, 6.0] and calls == ["in place"]
    assert accumulate(a, t).tolist() == [1.0, 11.0] and a.tolist() == [1.0, 6.0]
    a.flags.writeable = False
    assert accumulate_into(a, t).tolist() == [1.0, 11.0] and calls == ["in place"]
    assert unthunk(accumulate_into(None, t)).tolist() == [0.0, 5.0]
    assert isinstance(t, Thunk) and unthunk(2.0 * t).tolist() == [0.0, 10.0]
    again = pickle.loads(pickle.dumps(InplaceThunk(np.negative, np.ones, 2)))
    assert type(again) is InplaceThunk and unthunk(again).tolist() == [1.0, 1.0] and again.add_to is np.negative


def test_what_is_missing_raises_wherever_it_would_count():
    t = NotImplementedTangent("nobody knows")
    uses = [
        lambda: t + 1.0,
        lambda: np.ones(2) + t,
        lambda: accumulate_into(np.ones(2), t),
        lambda: add_tangent(1.0, t),
        lambda: add_tangent([1.0], [t]),
        lambda: unthunk(Thunk(lambda: t)),
        lambda: project(t, 1.0),
        lambda: project([t], [1.0]),
    ]
    for use in uses:
        with pytest.raises(NotImplementedDerivative, match=r"nobody knows .*test_tangent_algebra\.py:\d+"):
            use()
    assert 2.0 * t is t and t + NoTangent() is t
