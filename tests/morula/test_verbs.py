"""What each verb takes, returns and refuses."""

import copy
import dataclasses
import functools
import gc
import inspect
import math
import operator
import pickle
import threading
import traceback
from collections import OrderedDict, defaultdict, namedtuple
from types import SimpleNamespace

import numpy as np
import pytest
from morula_helpers import assert_identical, assert_same, verify

import chainrules
import morula
from chainrules import Tangent
from morula import grad, gradient, pullback, value_and_grad, withgradient
from morula.eager.context.reverse import Reverse

NT = namedtuple("NT", "a b")


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float
    name: str = "params"


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: float
    b: float = 2.0


class Plain:
    def __init__(self, w, inner=None):
        self.w = w
        self.inner = inner


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


X = np.array([1.0, 2.0, 3.0])

# -- structures ----------


@pytest.mark.parametrize(
    ("f", "args", "want"),
    [
        (lambda t: t[0] * t[1], ((2.0, 3.0),), ((3.0, 2.0),)),
        (lambda t: t[0] * t[1], ([2.0, 3.0],), ([3.0, 2.0],)),
        (lambda t: t["a"] * t["b"], ({"a": 2.0, "b": 3.0},), ({"a": 3.0, "b": 2.0},)),
        (lambda t: t.a * t.b, (NT(2.0, 3.0),), (NT(3.0, 2.0),)),
        (lambda t: t.a, (NT(2.0, 3.0),), (NT(1.0, None),)),
        (
            lambda t: t[0]["x"][1].b ** 2,
            (({"x": [1.0, NT(0.0, 3.0)]}, 5.0),),
            (({"x": [None, NT(None, 6.0)]}, None),),
        ),
        (
            lambda p: (p.w * X).sum() * p.b,
            (Params(X.copy(), 2.0),),
            (Tangent(Params, w=2 * X, b=14.0, name=None),),
        ),
        (lambda p: p.w * p.b, (Frozen(3.0),), (Tangent(Frozen, w=2.0, b=3.0),)),
        (lambda p: p.w**2, (Plain(3.0),), (Tangent(Plain, w=6.0, inner=None),)),
        (
            lambda p: p.w * p.inner.w,
            (Plain(3.0, Plain(4.0)),),
            (Tangent(Plain, w=4.0, inner=Tangent(Plain, w=3.0, inner=None)),),
        ),
        (lambda p: p.a * p.b, (Slotted(3.0, 4.0),), (Tangent(Slotted, a=4.0, b=3.0),)),
        (
            lambda p: p.a * p.b,
            (SimpleNamespace(a=3.0, b=4.0),),
            (Tangent(SimpleNamespace, a=4.0, b=3.0),),
        ),
        (lambda x: (x["w"] ** 2).sum(), ({"w": X, "n": 3},), ({"w": 2 * X, "n": None},)),
        (lambda xs: sum(x.sum() for x in xs), ([X, X * 2],), ([np.ones(3), np.ones(3)],)),
        (lambda m: (m @ X).sum(), (np.eye(3),), (np.array([X, X, X]),)),
        (lambda x: x.sum(), (np.array(3.0),), (np.array(1.0),)),
        (lambda x: x[0].sum(), (np.zeros((2, 0)),), (np.zeros((2, 0)),)),
    ],
)
def test_structures(f, args, want):
    given = copy.deepcopy(args)
    assert_same(gradient(f, *given), want)
    assert_identical(given, args)
    assert_same(pullback(f, *args)[1](1.0), want)
    assert_same(withgradient(f, *args).gradient, want)


@pytest.mark.parametrize(
    "make",
    [lambda: OrderedDict(a=2.0, b=3.0), lambda: defaultdict(float, a=2.0, b=3.0)],
    ids=["ordered", "default"],
)
def test_dict_subclasses(make):
    (g,) = gradient(lambda d: d["a"] * d["b"], make())
    assert g["a"] == 3.0 and g["b"] == 2.0


def test_no_arguments():
    assert gradient(lambda: 3.0) == ()
    assert withgradient(lambda: 3.0) == (3.0, ())
    y, back = pullback(lambda: 3.0)
    assert y == 3.0 and back(1.0) == ()


def test_keywords_are_constants():
    def f(x, *, scale=1.0, data=None):
        return x * scale + (0.0 if data is None else data.sum())

    assert gradient(f, 2.0) == (1.0,)
    assert gradient(f, 2.0, scale=5.0) == (5.0,)
    assert gradient(f, 2.0, scale=5.0, data=X) == (5.0,)
    assert grad(f)(2.0, scale=5.0) == 5.0
    assert withgradient(f, 2.0, scale=5.0) == (10.0, (5.0,))
    assert pullback(f, 2.0, scale=5.0)[1](2.0) == (10.0,)


def test_unused_and_non_numeric_arguments_are_none():
    g = gradient(lambda x, unused, text, flag, none, f: f(x) if flag else text, 2.0, X, "abc", True, None, math.sin)
    assert_same(g, (math.cos(2.0), None, None, None, None, None))
    assert g[1:] == (None,) * 5


# -- numbers ----------


def test_integers_have_float_gradients():
    (g,) = gradient(lambda x: x**2, 3)
    assert type(g) is float and g == 6.0
    (g,) = gradient(lambda x: x * 2.0, np.int64(3))
    assert float(g) == 2.0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128])
def test_dtype_of_arrays_stays(dtype):
    x = np.ones(3, dtype)
    (g,) = gradient(lambda x: (x * x).real.sum(), x)
    assert g.dtype == dtype and g.shape == (3,)
    (g,) = gradient(lambda x: np.abs(np.exp(x) * np.arange(3.0)).sum(), x)
    assert g.dtype == dtype


def test_float32_scalar():
    (g,) = gradient(lambda x: x * x, np.float32(3.0))
    assert type(g) is np.float32 and g == 6.0
    (g,) = gradient(lambda x: (x * X).sum(), np.float32(3.0))
    assert type(g) is np.float32


def test_float32_with_float64():
    w, x = np.ones(3, np.float32), np.arange(3.0)
    g, h = gradient(lambda w, x: (w * x).sum(), w, x)
    assert g.dtype == np.float32 and h.dtype == np.float64


def test_bool_arguments_have_none():
    assert_same(gradient(lambda c, x: x * c, True, 2.0), (None, 1.0))
    assert_same(gradient(lambda m, x: x[m].sum(), X > 1, X), (None, np.array([0.0, 1.0, 1.0])))


def test_complex_arguments():
    (g,) = gradient(lambda z: abs(z) ** 2, 3 + 4j)
    assert g == pytest.approx(6 + 8j) and type(g) is complex
    (g,) = gradient(lambda z: (z * np.conj(z)).real.sum(), np.array([1 + 1j, 2j]))
    assert_same(g, np.array([2 + 2j, 4j]))
    # a holomorphic function: conj(f'(z)) * y_bar
    _, back = pullback(lambda z: z**2, 1 + 2j)
    assert back(1.0)[0] == pytest.approx(2 - 4j)
    assert back(1j)[0] == pytest.approx((2 - 4j) * 1j)
    # a real argument stays real
    (g,) = gradient(lambda x: abs(x * (1 + 2j)) ** 2, 3.0)
    assert type(g) is float and g == pytest.approx(30.0)
    (g,) = gradient(lambda x: (x * 1j).imag.sum(), X)
    assert g.dtype == np.float64


def test_booleans_and_integers_as_results():
    assert_same(gradient(lambda x: x > 1, 2.0), (None,))
    assert_same(gradient(lambda x: int(x), 2.0), (None,))
    assert gradient(lambda x: np.float64(x * 2), 2.0) == (2.0,)
    assert gradient(lambda x: np.array(x * 2), 2.0) == (2.0,)
    assert_same(gradient(lambda x: (x * 2).sum(keepdims=True)[0], X), (np.full(3, 2.0),))


# -- results that are refused ----------


@pytest.mark.parametrize(
    "verb", [lambda f, x: gradient(f, x), lambda f, x: grad(f)(x), lambda f, x: value_and_grad(f)(x)]
)
@pytest.mark.parametrize(
    ("f", "x", "message"),
    [
        (lambda x: x * 2, X, r"shape \(3,\).*jacobian"),
        (lambda x: x.reshape(1, 3), X, r"jacobian"),
        (lambda x: x * 1j, 2.0, "complex"),
        (lambda x: np.complex128(x), 2.0, "complex"),
        (lambda x: "abc", 2.0, "str"),
        (lambda x: None, 2.0, "None"),
        (lambda x: (x, x), 2.0, "tuple"),
        (lambda x: [x], 2.0, "list"),
        (lambda x: {"a": x}, 2.0, "dict"),
        (lambda x: Plain(x), 2.0, "Plain"),
    ],
)
def test_results_that_are_refused(verb, f, x, message):
    with pytest.raises(morula.ResultError, match=message):
        verb(f, x)


def test_refused_results_leave_arguments_alone():
    def f(x):
        x *= 2
        return x

    x = X.copy()
    with pytest.raises(morula.ResultError):
        gradient(f, x)
    assert_identical(x, X)


# -- withgradient ----------


def test_withgradient():
    result = withgradient(lambda x: x**2, 3.0)
    assert result == (9.0, (6.0,)) and result.value == 9.0 and result.gradient == (6.0,)
    value, (g,) = withgradient(lambda x: ((x**2).sum(), x * 3, "log"), X)
    assert_same(g, 2 * X)
    assert_same(value[0], 14.0) and value[2] == "log"
    assert value[1].tolist() == [3.0, 6.0, 9.0]
    with pytest.raises(morula.ResultError):
        withgradient(lambda x: ("text", x), 2.0)
    with pytest.raises(morula.ResultError, match="jacobian"):
        withgradient(lambda x: x * 2, X)


# -- pullback ----------


def test_forward_runs_once_and_back_is_linear():
    runs = []

    def f(x, y):
        runs.append(1)
        return x * np.sin(y)

    _y, back = pullback(f, X, X[::-1].copy())
    seeds = np.random.default_rng(0).normal(size=(4, 3))
    found = [back(s) for s in seeds]
    assert runs == [1]
    assert_same(back(seeds[0]), found[0], rtol=0, atol=0)
    combined = back(2 * seeds[0] - 3 * seeds[1])
    for i in range(2):
        np.testing.assert_allclose(combined[i], 2 * found[0][i] - 3 * found[1][i], rtol=1e-13, atol=1e-14)
    assert_same(back(np.zeros(3))[0], np.zeros(3))


@pytest.mark.parametrize(
    ("f", "seed", "want"),
    [
        (lambda x: (x, x * 2), (1.0, 10.0), 21.0),
        (lambda x: (x, x * 2), (None, 10.0), 20.0),
        (lambda x: [x, (x * 2, x * 3)], [None, (1.0, None)], 2.0),
        (lambda x: {"a": x, "b": x * x}, {"a": None, "b": 1.0}, 6.0),
        (lambda x: NT(x, x * 2), NT(1.0, None), 1.0),
        (lambda x: Plain(x * 5), Tangent(Plain, w=2.0), 10.0),
        (lambda x: (x, "text", 3), (2.0, None, None), 2.0),
        (lambda x: np.array([x, 2 * x]), np.array([1.0, 10.0]), 21.0),
        (lambda x: (x, x), (1.0, 2.0), 3.0),
    ],
)
def test_seeds(f, seed, want):
    _, back = pullback(f, 3.0)
    assert back(seed) == (want,)
    assert back(seed) == (want,)


def test_a_seed_of_nothing():
    _, back = pullback(lambda x, y: x * y, 2.0, 3.0)
    assert_same(back(None), (None, None))
    assert back(1.0) == (3.0, 2.0)
    _, back = pullback(lambda x: "text", 2.0)
    assert_same(back(None), (None,))


@pytest.mark.parametrize(
    ("f", "seed"),
    [
        (lambda x: x * X, np.ones(4)),
        (lambda x: x * X, np.ones((2, 3))),
        (lambda x: (x, x), (1.0, 1.0, 1.0)),
        (lambda x: x * 2, "text"),
        (lambda x: {"a": x}, {"b": 1.0}),
    ],
)
def test_seeds_that_do_not_fit(f, seed):
    _, back = pullback(f, 2.0)
    with pytest.raises(morula.SeedError):
        back(seed)
    assert back(None) == (None,)


def test_the_seed_is_not_changed():
    seed = np.array([1.0, 2.0, 3.0])
    _, back = pullback(lambda x: x, X)
    (g,) = back(seed)
    assert g is not seed and not np.shares_memory(g, seed)
    g += 1
    assert seed.tolist() == [1.0, 2.0, 3.0]
    _, back = pullback(lambda x: (x, x), X)
    (g,) = back((seed, seed))
    assert seed.tolist() == [1.0, 2.0, 3.0] and g.tolist() == [2.0, 4.0, 6.0]


def test_with_self_of_a_closure():
    k, w = 3.0, np.array([1.0, 2.0])

    def f(x):
        return (k * w * x).sum()

    _, back = pullback(f, 2.0, with_self=True)
    g, gx = back.with_self(1.0)
    assert_same(g.k, 6.0)
    assert_same(g.w, np.array([6.0, 6.0]))
    assert gx == 9.0
    assert back(1.0) == (9.0,)
    g, gx = back.with_self(2.0)
    assert g.k == 12.0 and gx == 18.0


def test_with_self_of_an_object_and_of_a_bound_method():
    class Layer:
        def __init__(self, w):
            self.w = w
            self.name = "layer"

        def __call__(self, x):
            return (self.w * x).sum()

        def half(self, x):
            return self(x) / 2

    layer = Layer(X.copy())
    _, back = pullback(layer, X, with_self=True)
    g, gx = back.with_self(1.0)
    assert_same(g.w, X)
    assert_same(gx, X)
    assert g.name is None and g.primal_type is Layer
    _, back = pullback(layer.half, X, with_self=True)
    g, gx = back.with_self(1.0)
    assert_same(g.w, X / 2)
    assert_same(gx, X / 2)


def test_with_self_of_a_function_without_captures():
    _, back = pullback(math.sin, 0.5, with_self=True)
    g, gx = back.with_self(1.0)
    assert g is None and gx == math.cos(0.5)
    _, back = pullback(math.sin, 0.5)
    with pytest.raises(morula.MorulaError, match="with_self"):
        back.with_self(1.0)


def test_captured_variables_are_constants_otherwise():
    k = 3.0
    assert gradient(lambda x: k * x, 2.0) == (3.0,)


# -- grad and value_and_grad ----------


def product(a, b, c):
    return a * b * c


def with_aux(a, b):
    return a * b, {"sum": a + b}


def loss(w):
    return float(((w - X) ** 2).sum())


def test_argnums():
    assert grad(product)(2.0, 3.0, 5.0) == 15.0
    assert grad(product, 1)(2.0, 3.0, 5.0) == 10.0
    assert grad(product, argnums=-1)(2.0, 3.0, 5.0) == 6.0
    assert grad(product, argnums=(0, 2))(2.0, 3.0, 5.0) == (15.0, 6.0)
    assert grad(product, argnums=(2, 0))(2.0, 3.0, 5.0) == (6.0, 15.0)
    assert grad(product, argnums=(0, 1, 2))(2.0, 3.0, 5.0) == (15.0, 10.0, 6.0)
    assert grad(product, argnums=(1,))(2.0, 3.0, 5.0) == (10.0,)
    assert value_and_grad(product, argnums=1)(2.0, 3.0, 5.0) == (30.0, 10.0)
    with pytest.raises(morula.MorulaError, match="argnums"):
        grad(product, 3)(2.0, 3.0, 5.0)
    with pytest.raises(morula.MorulaError, match="argnums"):
        grad(product, 1)(2.0, b=3.0, c=5.0)


def test_has_aux():
    assert grad(with_aux, has_aux=True)(2.0, 3.0) == (3.0, {"sum": 5.0})
    assert grad(with_aux, (0, 1), has_aux=True)(2.0, 3.0) == ((3.0, 2.0), {"sum": 5.0})
    assert value_and_grad(with_aux, has_aux=True)(2.0, 3.0) == ((6.0, {"sum": 5.0}), 3.0)
    with pytest.raises(morula.ResultError, match="has_aux"):
        grad(product, has_aux=True)(2.0, 3.0, 5.0)


def test_optimisers_get_zeros_not_none():
    g = grad(lambda w: 3.0)(X)
    assert_same(g, np.zeros(3))
    assert grad(lambda x: 3.0)(2.0) == 0.0


def test_names_and_docs():
    g = grad(loss)
    assert "loss" in g.__name__ and "loss" in repr(g)
    assert inspect.signature(g) == inspect.signature(loss)


@pytest.mark.parametrize("verb", [grad, value_and_grad])
def test_pickling(verb):
    g = pickle.loads(pickle.dumps(verb(product, (0, 1))))
    assert_same(g(2.0, 3.0, 5.0), verb(product, (0, 1))(2.0, 3.0, 5.0))
    g = pickle.loads(pickle.dumps(verb(with_aux, has_aux=True)))
    assert_same(g(2.0, 3.0), verb(with_aux, has_aux=True)(2.0, 3.0))


def test_tangents_can_be_pickled():
    (g,) = gradient(lambda p: p.w**2, Plain(3.0))
    assert pickle.loads(pickle.dumps(g)) == g


def test_scipy_minimize():
    optimize = pytest.importorskip("scipy.optimize")
    found = optimize.minimize(value_and_grad(loss), np.zeros(3), jac=True)
    assert found.success and found.nfev < 10
    np.testing.assert_allclose(found.x, X, atol=1e-6)
    found = optimize.minimize(loss, np.zeros(3), jac=grad(loss), method="L-BFGS-B")
    np.testing.assert_allclose(found.x, X, atol=1e-5)


def test_functions_of_every_kind():
    class Callable:
        def __call__(self, x):
            return x**2

        def method(self, x):
            return x**3

        @staticmethod
        def static(x):
            return x**4

        @classmethod
        def of_class(cls, x):
            return x**5

    c = Callable()
    assert gradient(c, 2.0) == (4.0,)
    assert gradient(c.method, 2.0) == (12.0,)
    assert gradient(c.static, 2.0) == (32.0,) and gradient(Callable.static, 2.0) == (32.0,)
    assert gradient(c.of_class, 2.0) == (80.0,) and gradient(Callable.of_class, 2.0) == (80.0,)
    assert gradient(Callable.method, c, 2.0)[1] == 12.0
    assert gradient(math.exp, 0.0) == (1.0,)
    assert gradient(operator.mul, 2.0, 3.0) == (3.0, 2.0)
    assert gradient(np.sin, 0.0) == (1.0,)
    assert gradient(abs, -2.0) == (-1.0,)
    assert gradient(functools.partial(product, 2.0), 3.0, 5.0) == (10.0, 6.0)
    assert gradient(functools.partial(product, c=2.0), 3.0, 5.0) == (10.0, 6.0)


# -- memory ----------


def in_place(x, y):
    x *= y
    y[0] = 7.0
    return (x * y).sum()


def test_arguments_are_as_before_gradient_and_as_called_after_pullback():
    verify(in_place, X.copy(), X[::-1].copy())
    x, y = X.copy(), X[::-1].copy()
    grad(in_place)(x, y)
    assert_identical((x, y), (X, X[::-1].copy()))
    value_and_grad(in_place, (0, 1))(x, y)
    assert_identical((x, y), (X, X[::-1].copy()))
    withgradient(in_place, x, y)
    assert_identical((x, y), (X, X[::-1].copy()))


def test_sets_without_numbers_are_restored():
    def count(x, words, table):
        words.add("b")
        table["k"].add("b")
        return x * len(words) * len(table["k"])

    words, table = {"a"}, {"k": set()}
    assert morula.gradient(count, 1.5, words, table)[0] == 2.0
    assert (words, table) == ({"a"}, {"k": set()})


def test_arguments_are_restored_when_the_program_raises():
    def f(x, y):
        x *= 2
        y[1:] = x[1:]
        raise ValueError("stop")

    x, y = X.copy(), X.copy()
    with pytest.raises(ValueError, match="stop"):
        gradient(f, x, y)
    assert_identical((x, y), (X, X))


def test_memory_is_restored_when_a_rule_raises():
    def f(x):
        return x.sum()

    fail = [True]

    @chainrules.rrule(f)
    def _(x):
        def f_pullback(y_bar):
            if fail:
                raise RuntimeError("in the pullback")
            return np.full(3, y_bar)

        return x.sum(), f_pullback

    def program(x):
        x *= 2
        y = f(x)
        x += 1
        return y * x[0]

    x = X.copy()
    with pytest.raises(RuntimeError, match="in the pullback"):
        gradient(program, x)
    assert_identical(x, X)

    x = X.copy()
    _y, back = pullback(program, x)
    after = x.copy()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="in the pullback"):
            back(1.0)
        assert_identical(x, after)
    fail.clear()
    assert_same(back(1.0), (np.array([2 * 12 + 2 * 3.0, 6.0, 6.0]),))
    assert_same(back(1.0), back(1.0))
    assert_identical(x, after)


def test_results_never_alias():
    x, y = X.copy(), X[::-1].copy()
    for f in (
        lambda a, b: (a + b).sum(),
        lambda a, b: a @ b,
        lambda a, b: (a * b).sum(),
        lambda a, b: np.dot(a, b),
        lambda a, b: np.concatenate([a, b]).sum(),
        lambda a, b: (np.ones((3, 3)) * a + b).sum(),
        lambda a, b: (a.reshape(1, 3) + b).sum(),
    ):
        ga, gb = gradient(f, x, y)
        again = gradient(f, x, y)
        for g in (ga, gb):
            assert not any(np.shares_memory(g, other) for other in (x, y, *again))
            assert g.flags.writeable
        assert not np.shares_memory(ga, gb)
        wanted = ga.copy()
        gb += 100
        assert_identical(ga, wanted)
        assert_same(gradient(f, x, y), again)
        _, back = pullback(f, x, y)
        first = back(1.0)
        for g in first:
            g *= 0
        assert_same(back(1.0), again)
    g = gradient(lambda x: sum(x[0]) + sum(x[1]), (x, y))[0]
    assert not np.shares_memory(g[0], g[1])


def test_identity_does_not_alias():
    _y, back = pullback(lambda x: x, X)
    seed = np.ones(3)
    (a,), (b,) = back(seed), back(seed)
    assert not np.shares_memory(a, b) and not np.shares_memory(a, seed)


def test_the_same_array_as_two_arguments():
    g, h = gradient(lambda a, b: (a * b * b).sum(), X, X)
    assert_same(g, X**2)
    assert_same(h, 2 * X**2)
    assert not np.shares_memory(g, h)

    def writes(a, b):
        a *= 2
        return (a * b).sum()

    x = X.copy()
    with pytest.raises(morula.AliasedArgumentsError):
        gradient(writes, x, x)
    assert_identical(x, X)
    with pytest.raises(morula.AliasedArgumentsError):
        gradient(writes, x[:2], x[1:])
    assert_identical(x, X)
    g, h = gradient(lambda a, b: (a * b).sum(), x[:2], x[1:])
    assert_same((g, h), (X[1:], X[:2]))


def writes_first(x):
    x[0] = 1.0
    return x.sum()


def test_readonly_and_strided_arguments():
    x = X.copy()
    x.flags.writeable = False
    assert_same(gradient(lambda x: (x**2).sum(), x), (2 * X,))
    with pytest.raises(ValueError, match="read-only"):
        gradient(writes_first, x)
    y = np.arange(12.0).reshape(3, 4)
    for view in (y[:, ::2], y.T, y[::-1], np.asfortranarray(y), y[1]):
        (g,) = gradient(lambda v: (v**2).sum(), view)
        assert_same(g, 2 * view)


# -- the user's exceptions ----------


class Own(Exception):
    pass


def inner(x):
    y = x * 2
    if y.sum() > 0:
        raise Own("mine", y.sum())
    return y


def outer(x):
    z = inner(x + 1)
    return z.sum()


@pytest.mark.parametrize(
    "verb",
    [
        lambda: gradient(outer, X),
        lambda: withgradient(outer, X),
        lambda: pullback(outer, X),
        lambda: grad(outer)(X),
        lambda: value_and_grad(outer)(X),
    ],
)
def test_the_users_exception_and_lines(verb):
    with pytest.raises(Own) as caught:
        verb()
    assert caught.value.args[0] == "mine" and not getattr(caught.value, "__notes__", None)
    frames = [(f.filename, f.name, f.lineno) for f in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == (__file__, "inner", inner.__code__.co_firstlineno + 3)
    assert frames[-2] == (__file__, "outer", outer.__code__.co_firstlineno + 1)
    assert all(filename == __file__ for filename, _, _ in frames)
    text = "".join(traceback.format_exception(caught.value))
    assert 'raise Own("mine", y.sum())' in text and "z = inner(x + 1)" in text
    assert "morula/eager" not in text and "chainrules" not in text


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: x / 0.0, ZeroDivisionError),
        (lambda x: math.log(-x), ValueError),
        (lambda x: x + "text", TypeError),
        (lambda x: [x][int(x) + 1], IndexError),
        (lambda x: {"a": x}["b"], KeyError),
        (lambda x: x.missing, AttributeError),
        (lambda x: undefined_name * x, NameError),  # noqa: F821
        (lambda x: math.sin(x, x), TypeError),
        (lambda x: (lambda a: a)(x, x), TypeError),
        (lambda x: np.ones(3) @ np.ones(4) * x, ValueError),
    ],
)
def test_errors_of_python_and_numpy(f, error):
    with pytest.raises(error) as plain:
        f(2.0)
    with pytest.raises(error) as caught:
        gradient(f, 2.0)
    assert type(caught.value) is type(plain.value)
    assert str(caught.value) == str(plain.value)


def test_errors_in_a_rule_show_the_rule():
    def f(x):
        return x * 2

    @chainrules.rrule(f)
    def rule(x):
        def f_pullback(y_bar):
            raise Own("in the pullback")

        return x * 2, f_pullback

    with pytest.raises(Own) as caught:
        gradient(lambda x: f(x) + 1, 2.0)
    names = [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "f_pullback"


def test_causes_and_contexts_survive():
    def f(x):
        try:
            {}["missing"]
        except KeyError as error:
            raise Own("wrapped") from error

    with pytest.raises(Own) as caught:
        gradient(f, 2.0)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, StopIteration, RecursionError])
def test_exceptions_of_every_kind(error):
    def f(x):
        raise error

    with pytest.raises(error):
        gradient(f, 2.0)


@pytest.mark.parametrize("name", ["finish_forward", "_begin_to_free"])
def test_an_interruption_between_two_steps_leaves_arguments_as_they_were(name, monkeypatch):
    """At the end of the run; in a sweep that has freed the tape."""

    def f(x, y):
        for i in range(3):
            x[i] = np.sin(x[i]) * y[0]
        y[:2] = x[:2]
        return (x * y).sum()

    step = getattr(Reverse, name)

    def interrupted(ctx):
        step(ctx)
        raise KeyboardInterrupt

    x, y = X.copy(), X + 1
    monkeypatch.setattr(Reverse, name, interrupted)
    with morula.tier("eager"), pytest.raises(KeyboardInterrupt):
        withgradient(f, x, y)
    assert_identical([x, y], [X, X + 1])


# -- threads, repetition ----------


def test_threads():
    def f(x):
        total = 0.0
        for i in range(50):
            x[i % 3] = np.sin(x[i % 3]) + total
            total += x[i % 3] * i
        return total

    wanted = [gradient(f, X + i)[0] for i in range(8)]
    got = [None] * 8
    errors = []

    def work(i):
        try:
            for _ in range(5):
                got[i] = gradient(f, X + i)[0]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    for g, w in zip(got, wanted, strict=True):
        assert_identical(g, w)


def test_one_back_from_many_threads():
    _y, back = pullback(lambda x: (np.exp(x) * x).sum(), X)
    (want,) = back(1.0)
    got = []
    threads = [threading.Thread(target=lambda: got.append(back(1.0)[0])) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(got) == 8 and all(np.array_equal(g, want) for g in got)


@pytest.mark.slow
def test_nothing_stays_behind():
    class Box:
        alive = 0

        def __init__(self, v):
            self.v = v
            Box.alive += 1

        def __del__(self):
            Box.alive -= 1

    def f(x):
        box = Box(x * 2)
        return (box.v**2).sum()

    gradient(f, X)
    gc.collect()
    assert Box.alive == 0
    _, back = pullback(f, X)
    back(1.0)
    del back
    gc.collect()
    assert Box.alive == 0


@pytest.mark.slow
def test_memory_does_not_grow():
    def f(x):
        y = x.copy()
        for i in range(20):
            y[i % 3] = y[i % 3] * 1.01
        return {"y": [y]}["y"][0].sum()

    gradient(f, X)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        gradient(f, X)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_gradient_of_a_gradient_that_is_not_active():
    def f(x):
        return x * gradient(lambda y: y**2, 3.0)[0]

    assert gradient(f, 2.0) == (6.0,)


# -- memory that is shared in other ways ----------


@pytest.mark.parametrize(
    ("f", "args", "want"),
    [
        (lambda a, b: (a * b[0]).sum(), lambda x: (x, [x]), (X, [X])),
        (lambda a, b: (a["w"] * b).sum(), lambda x: ({"w": x}, x), ({"w": X}, X)),
        (lambda a, b: a[0] @ b[0], lambda x: ([x], (x[:],)), ([X], (X,))),
    ],
)
def test_the_same_array_in_two_arguments(f, args, want):
    """Two separate gradients, or an error: never the sum in one and nothing in the other."""
    try:
        g = gradient(f, *args(X.copy()))
    except morula.AliasedArgumentsError:
        return
    assert_same(g, want)


def test_the_same_object_as_two_arguments():
    def f(a, b):
        return (a.w * b.w).sum()

    p = Plain(X.copy())
    try:
        g, h = gradient(f, p, p)
    except morula.AliasedArgumentsError:
        return
    assert_same(g.w, X)
    assert_same(h.w, X)


def test_the_same_array_as_argument_and_keyword():
    x = X.copy()
    try:
        g = gradient(lambda a, b: (a * b).sum(), x, b=x)
    except morula.AliasedArgumentsError:
        return
    assert_same(g, (X,))


def test_a_write_between_pullback_and_back_is_an_error():
    x = X.copy()
    _, back = pullback(lambda x: (x * x).sum(), x)
    x[0] = 100.0
    with pytest.raises(morula.StaleMemoryError):
        back(1.0)


def test_a_container_changed_between_pullback_and_back():
    """What was read is kept, so the answer is right; an error would be honest too."""
    xs = [2.0, 3.0]
    _, back = pullback(lambda xs: xs[0] * xs[1], xs)
    xs[0] = 100.0
    try:
        (g,) = back(1.0)
    except morula.StaleMemoryError:
        return
    assert_same(g[:2], [3.0, 2.0])


# -- size ----------


def power_by_recursion(x, n):
    return x if n == 0 else power_by_recursion(x * 1.001, n - 1)


def test_deep_recursion_and_long_loops():
    assert_same(gradient(power_by_recursion, 1.0, 400), (1.001**400, None), rtol=1e-10)

    def loop(x):
        for _ in range(50_000):
            x = x * 1.0001 + 0.0
        return x

    assert_same(gradient(loop, 1.0), (1.0001**50_000,), rtol=1e-9)


def test_too_deep_recursion_is_the_users_error():
    def forever(x):
        return forever(x + 1)

    with pytest.raises(RecursionError):
        gradient(forever, 1.0)
    assert gradient(lambda x: x * 2, 1.0) == (2.0,)


# -- tools that look at the program ----------


def stepped(x):
    y = x * 2
    z = y + 1
    return z * y


def test_pdb_stops_at_the_users_lines():
    import io
    import pdb

    first = stepped.__code__.co_firstlineno
    out = io.StringIO()
    commands = io.StringIO(f"break {__file__}:{first + 3}\ncontinue\np y, z\nwhere\ncontinue\n")
    debugger = pdb.Pdb(stdin=commands, stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    space = {"gradient": gradient, "stepped": stepped}
    debugger.runctx("result = gradient(stepped, 3.0)", space, space)
    assert space["result"] == (26.0,)
    text = out.getvalue()
    assert "(6.0, 7.0)" in text
    assert "-> return z * y" in text and f"test_verbs.py({first + 3})stepped()" in text


def test_a_breakpoint_inside_sees_the_users_frame():
    import sys

    seen = []

    def hook():
        frame = sys._getframe(1)
        while frame.f_globals.get("__name__", "").startswith("morula"):
            frame = frame.f_back
        seen.append((frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno, frame.f_locals["y"]))

    def program(x):
        y = x * 2
        breakpoint()
        return y * y

    old, sys.breakpointhook = sys.breakpointhook, hook
    try:
        assert gradient(program, 3.0) == (24.0,)
    finally:
        sys.breakpointhook = old
    assert seen == [(__file__, "program", program.__code__.co_firstlineno + 2, 6.0)]


def test_coverage_tools_see_the_users_lines():
    import sys

    lines = set()

    def trace(frame, event, arg):
        if frame.f_code.co_filename == __file__ and frame.f_code.co_name == "stepped" and event == "line":
            lines.add(frame.f_lineno)
        return trace

    old = sys.gettrace()
    sys.settrace(trace)
    try:
        gradient(stepped, 3.0)
    finally:
        sys.settrace(old)
    first = stepped.__code__.co_firstlineno
    assert lines == {first + 1, first + 2, first + 3}


def test_warnings_point_at_the_users_line():
    import warnings

    def program(x):
        warnings.warn("mine", stacklevel=1)
        return x * 2

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert gradient(program, 3.0) == (2.0,)
    assert [(str(w.message), w.filename) for w in caught] == [("mine", __file__)]


def test_a_rule_of_the_users_replaces_a_scalar_rule():
    before = chainrules.scalar_rule_for(np.cbrt)
    assert before is not None
    try:
        chainrules.rrule(np.cbrt)(lambda x: (np.cbrt(x), lambda y_bar: (10.0 * y_bar,)))
        assert_same(gradient(lambda x: np.cbrt(x).sum(), np.ones(3)), (np.full(3, 10.0),))
        assert gradient(lambda x: np.cbrt(x), 1.0) == (10.0,)
    finally:
        chainrules.scalar_rule(np.cbrt, *before.partials, real=before.real)
    assert_same(gradient(lambda x: np.cbrt(x).sum(), np.ones(3)), (np.full(3, 1 / 3),))


def test_tuples_that_hold_nothing_but_containers():
    assert gradient(lambda t: t[0]["a"] ** 2, ({"a": 3.0},)) == (({"a": 6.0},),)
    assert gradient(lambda t: t[0][0] ** 2, ([3.0], "x")) == (([6.0], None),)
    assert gradient(lambda t: t["a"][0]["a"] ** 2, {"a": ({"a": 3.0},)}) == ({"a": ({"a": 6.0},)},)
    assert gradient(lambda t: 1.0, ({"a": 3.0},)) == (None,)


def test_what_was_meant_is_said():
    """Calls as other libraries have them, functions without a value, directions of another shape."""
    product = lambda x, y: x * y
    with pytest.raises(TypeError, match="argnums") as caught:
        morula.gradient(product, 1.0, 2.0, argnums=0)
    assert "morula.grad(f, argnums)" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="not callable") as caught:
        morula.gradient(product(1.0, 2.0), 1.0)
    assert "the function itself" in caught.value.__notes__[0]
    for x in (1.0, np.ones(3)):
        with pytest.raises(morula.ResultError, match="is a return statement missing"):
            morula.jacobian(lambda x: None, x)
    with pytest.raises(morula.SeedError, match=r"in place of an array of shape \(2,\).*needs an array of shape \(3,\)"):
        morula.hvp(lambda x: np.sum(x**3), np.ones(3), np.ones(2))
