"""Arguments that are no numbers to Morula, and what its errors say of code that C code calls."""

import array
import io

import numpy as np
import pytest
from corpus.observers import Lazy, stored_by_a_hash

import morula


class Sink:
    """Notes each write, as `print` makes them."""

    def __init__(self, x):
        self.x = x
        self.got = []

    def write(self, text):
        self.got.append(text)

    def flush(self):
        self.got.append("flushed")


@pytest.mark.parametrize("kw", [{}, {"sep": "-"}, {"end": ""}, {"sep": None, "end": None}, {"flush": True}], ids=str)
@pytest.mark.parametrize("args", [(), ("a",), ("a", 2, [3.0])], ids=str)
def test_print_writes_as_it_does_plainly(args, kw):
    plain = Sink(1.0)
    print(*args, file=plain, **kw)

    def printing(x):
        sink = Sink(x)
        print(*args, file=sink, **kw)
        return sink.x * 1.0, sink.got

    assert morula.withgradient(printing, 1.0).value[1] == plain.got


def test_the_error_names_what_was_stored_and_the_line():
    with pytest.raises(morula.NotDifferentiable, match="'kept' of a Lazy") as caught:
        morula.gradient(stored_by_a_hash, 1.0)
    assert "return o.kept * 3.0" in caught.value.__notes__[0]


def test_an_argument_whose_observer_stores():
    def changed(o):
        repr(o)
        return o.kept * 3.0

    with pytest.raises(morula.NotDifferentiable, match="'kept'"):
        morula.gradient(changed, Lazy(2.0))
    g = morula.gradient(lambda o: (repr(o), o.x * 3.0)[1], Lazy(2.0))[0]
    assert g.x == 3.0


# -- foreign arguments ------------------------------------------------------------------------------------------


class Tensor:
    """As those of a library that differentiates by itself: its numbers are not in attributes."""

    def __init__(self, values):
        self._held = lambda: values

    def __dlpack__(self):
        raise BufferError

    def __mul__(self, other):
        return Tensor(self._held() * other)

    def sum(self):
        return float(self._held().sum())


class Table:
    """As those of a library of data."""

    def __init__(self, values):
        self._held = lambda: values

    __mul__, sum = Tensor.__mul__, Tensor.sum

    def __array__(self, dtype=None, copy=None):
        return self._held()


VALUES = np.array([1.0, 2.0])


def doubled(x):
    return (x * 2.0).sum()


def weighted(w, x):
    return w * (x * 2.0).sum()


VERBS = [
    lambda f, x: morula.gradient(f, x),
    lambda f, x: morula.withgradient(f, x),
    lambda f, x: morula.pullback(f, x),
    lambda f, x: morula.grad(f)(x),
    lambda f, x: morula.value_and_grad(f)(x),
    lambda f, x: morula.jacobian(f, x),
    lambda f, x: morula.jvp(f, (x,), (1.0,)),
    lambda f, x: morula.hessian(f, x),
    lambda f, x: morula.hvp(f, x, 1.0),
]


@pytest.mark.parametrize("verb", VERBS, ids=range(len(VERBS)))
def test_a_foreign_array_as_the_argument(verb):
    with pytest.raises(morula.NotDifferentiable, match=r"Tensor.*asarray"):
        verb(doubled, Tensor(VALUES))


@pytest.mark.parametrize(
    "x",
    [Table(VALUES), array.array("d", [1.0]), memoryview(VALUES), [Tensor(VALUES)], {"a": (1.0, Tensor(VALUES))}],
    ids=["table", "array.array", "memoryview", "in a list", "in a dict"],
)
def test_other_foreign_arguments(x):
    with pytest.raises(morula.NotDifferentiable, match="an argument of type"):
        morula.gradient(lambda x: 3.0, x)


def test_foreign_arguments_beside_others():
    with pytest.raises(morula.NotDifferentiable, match="Tensor"):
        morula.gradient(weighted, 2.0, Tensor(VALUES))
    assert morula.grad(weighted)(2.0, Tensor(VALUES)) == 6.0
    assert morula.gradient(lambda w, x: weighted(w, x), 2.0, x=Tensor(VALUES)) == (6.0,)


@pytest.mark.parametrize(
    "x",
    [
        "text", b"bytes", None, len, np, np.random.default_rng(0), io.StringIO(), slice(0, 2), object(), {1, 2},
        np.dtype(float), range(3), lambda: 1.0,
    ],
    ids=lambda x: type(x).__name__,
)  # fmt: skip
def test_constants_as_arguments(x):
    assert morula.gradient(lambda w, x: w * 2.0, 3.0, x)[0] == 2.0
    assert morula.gradient(lambda x: 2.0, x)[0] is None or isinstance(x, set)


def test_tables_beside_numbers_are_constants():
    assert morula.gradient(weighted, 2.0, Table(VALUES)) == (6.0, None)
    with pytest.raises(morula.NotDifferentiable, match="Table"):
        morula.grad(weighted, 1)(2.0, Table(VALUES))


def test_sparse_matrices_are_objects():
    sparse = pytest.importorskip("scipy.sparse")
    g = morula.gradient(lambda m: (m.data**2).sum(), sparse.csr_matrix(np.diag([1.0, 2.0])))[0]
    np.testing.assert_array_equal(g.data, [2.0, 4.0])
