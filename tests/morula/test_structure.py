"""`ravel`: the numbers of nested structures in order, and back."""

import dataclasses
from collections import OrderedDict, deque, namedtuple
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import morula
from morula import ravel

NT = namedtuple("NT", "a b")


@dataclasses.dataclass(frozen=True)
class Layer:
    w: np.ndarray
    b: float
    name: str = "layer"


class Model:
    def __init__(self):
        self.layers = [Layer(np.ones((2, 3)), 0.5), Layer(np.zeros(1), 1.5, "last")]
        self.scale = np.float32(2.0)
        self.log = None


class Slots:
    __slots__ = ("a", "rest")

    def __init__(self, a):
        self.a = a


@pytest.mark.parametrize(
    ("x", "numbers"),
    [
        (2.0, [2.0]),
        (3, [3.0]),
        (1 + 2j, [1.0, 2.0]),
        (np.array([[1.0, 2.0], [3.0, 4.0]]).T, [1.0, 3.0, 2.0, 4.0]),
        (np.array(5.0), [5.0]),
        (np.zeros((0, 3)), []),
        ({"b": 1.0, "a": [2.0, (3.0,)], "s": "text", "n": None, "t": True}, [1.0, 2.0, 3.0]),
        (NT(1.0, np.array([2.0, 3.0])), [1.0, 2.0, 3.0]),
        (deque([1.0, 2.0]), [1.0, 2.0]),
        (Layer(np.array([1.0, 2.0]), 3.0), [1.0, 2.0, 3.0]),
        ([np.array([1 - 1j]), 4.0], [1.0, -1.0, 4.0]),
        (Fraction(1, 2), [0.5]),
        ((), []),
        ("text", []),
    ],
    ids=repr,
)
def test_the_numbers_in_order(x, numbers) -> None:
    vector, unravel = ravel(x)
    assert vector.tolist() == numbers
    again = unravel(vector)
    assert ravel(again)[0].tolist() == numbers
    assert type(again) is (float if isinstance(x, int | Fraction) else type(x))


def test_what_is_no_number_stays() -> None:
    x = OrderedDict(name="m", ok=True, f=abs, w=np.ones(2), none=None)
    again = ravel(x)[1](np.array([3.0, 4.0]))
    assert list(again) == list(x) and type(again) is OrderedDict
    assert (again["name"], again["ok"], again["f"], again["none"]) == ("m", True, abs, None)
    assert again["w"].tolist() == [3.0, 4.0] and x["w"].tolist() == [1.0, 1.0]


def test_objects_are_made_anew_and_the_old_ones_left() -> None:
    model = Model()
    vector, unravel = ravel(model)
    assert vector.tolist() == [1.0] * 6 + [0.5, 0.0, 1.5, 2.0]
    moved = unravel(vector + 1.0)
    assert isinstance(moved, Model) and moved is not model and moved.log is None
    assert moved.layers[0].w.shape == (2, 3) and moved.layers[1].name == "last"
    assert moved.layers[0].b == 1.5 and moved.scale == np.float32(3.0) and type(moved.scale) is np.float32
    assert model.layers[0].b == 0.5 and model.scale == 2.0
    slots = Slots(4.0)
    assert ravel(slots)[1](np.array([7.0])).a == 7.0 and slots.a == 4.0


def test_dtypes() -> None:
    assert ravel(np.ones(2, np.float32))[0].dtype == np.float32
    assert ravel([np.ones(2, np.float32), np.ones(1, np.float16)])[0].dtype == np.float32
    assert ravel([np.ones(2, np.float32), 1.0])[0].dtype == np.float64
    assert ravel(np.ones(2, np.complex64))[0].dtype == np.float32
    assert ravel([1.0, np.longdouble(1.0)])[0].dtype == np.longdouble
    vector, unravel = ravel({"a": np.ones(2, np.float32), "n": np.arange(2), "z": np.ones(1, np.complex64)})
    again = unravel(vector + 0.25)
    assert [again[k].dtype for k in "anz"] == [np.float32, np.float64, np.complex64]
    assert again["n"].tolist() == [0.25, 1.25] and again["z"].tolist() == [1.25 + 0.25j]
    big_endian = ravel(np.ones(2, ">f8"))
    assert big_endian[0].dtype == np.dtype("=f8")


def test_a_vector_of_another_length_is_refused() -> None:
    unravel = ravel([1.0, 2.0])[1]
    for wrong in (np.ones(3), np.ones((2, 1)), 1.0):
        with pytest.raises(ValueError, match="has 2 numbers, and the vector has shape"):
            unravel(wrong)


def test_memory_is_not_shared() -> None:
    x = np.ones(3)
    vector, unravel = ravel(x)
    vector[0] = 5.0
    again = unravel(vector)
    vector[1] = 7.0
    assert x.tolist() == [1.0, 1.0, 1.0] and again.tolist() == [5.0, 1.0, 1.0]


def test_shared_arrays_are_refused() -> None:
    x = np.ones(4)
    with pytest.raises(morula.AliasedArgumentsError, match=r"\['a'\] and \['b'\]\[0\], share memory"):
        ravel({"a": x, "b": [x]})
    with pytest.raises(morula.AliasedArgumentsError):
        ravel([x[:3], x[2:]])
    assert ravel([x[:2], x[2:]])[0].size == 4


def test_what_has_no_order_is_refused() -> None:
    loop: list = [1.0]
    loop.append(loop)
    for x, message in (
        ({"s": {1.0, 2.0}}, r"\['s'\] is a set"),
        ([iter([1.0])], "is a list_iterator"),
        (loop, "contains itself"),
        (np.array([None, 1.0]), "dtype object"),
        (np.zeros(2, [("a", float)]), "dtype"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "masked"),
    ):
        with pytest.raises(morula.NotDifferentiable, match=message):
            ravel(x)
    assert ravel([{"a", "b"}, 1.0])[0].tolist() == [1.0]


def test_unravel_can_be_differentiated() -> None:
    start = {"w": np.array([[1.0, 2.0]]), "b": 3.0, "z": np.array([1 + 2j])}
    vector, unravel = ravel(start)

    def loss(v):
        p = unravel(v)
        return (p["w"] ** 2).sum() * p["b"] + abs(p["z"][0]) ** 2

    (found,) = morula.gradient(loss, vector)
    np.testing.assert_allclose(found, [6.0, 12.0, 5.0, 2.0, 4.0])
    vector, unravel = ravel(Model())
    (found,) = morula.gradient(lambda v: (unravel(v).layers[0].w ** 2).sum() * unravel(v).scale, vector)
    np.testing.assert_allclose(found, [4.0] * 6 + [0.0, 0.0, 0.0, 6.0])


numbers = st.floats(-1e3, 1e3) | st.complex_numbers(max_magnitude=1e3)
arrays = st.tuples(st.lists(st.integers(0, 3), max_size=3), st.sampled_from(["f4", "f8", "c16"])).map(
    lambda t: np.full(t[0], 0.1, t[1])
)
structures = st.recursive(
    numbers | arrays | st.sampled_from(["s", None, True]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
        | st.builds(NT, inner, inner)
        | st.builds(Layer, inner, inner)
    ),
    max_leaves=8,
)


def same(a, b) -> bool:
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    if dataclasses.is_dataclass(a):
        return type(a) is type(b) and same(vars(a), vars(b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@given(structures)
def test_there_and_back_is_the_same(x) -> None:
    vector, unravel = ravel(x)
    assert same(x, unravel(vector))
