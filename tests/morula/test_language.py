"""Small programs with known gradients: `language_cases.json`, and others whose expectation is a sentence."""

import cmath
import copy
import functools
import itertools
import json
import math
import operator
from collections import namedtuple
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from morula_helpers import assert_differences, assert_identical, assert_same, leaves, module_of, verify

import chainrules
import morula
from morula import gradient, pullback, withgradient

NT = namedtuple("NT", "a b")


def A(values):
    x = np.asarray(values)
    return x if x.dtype.kind == "c" else x.astype(float)


NAMES = dict(  # noqa: C408
    np=np, math=math, cmath=cmath, operator=operator, functools=functools, itertools=itertools, copy=copy,
    Fraction=Fraction, A=A, NS=SimpleNamespace, NT=NT,
)  # fmt: skip
CASES = json.loads((Path(__file__).parent / "language_cases.json").read_text(encoding="utf-8"))
LATER: dict[str, str] = {}  # id -> the issue that brings it
assert len(CASES) == 66


def cases():
    for case in CASES:
        marks = [pytest.mark.xfail(strict=True, reason=LATER[case["id"]])] if case["id"] in LATER else []
        yield pytest.param(case, id=case["id"], marks=marks)


@pytest.mark.parametrize("case", list(cases()))
def test_case(case, capsys):
    source = case["source"] if not case["source"].startswith("lambda") else "f=" + case["source"]
    f = module_of(source + "\n", f"language {case['id']}", **NAMES).f
    args = eval(f"({case['args']},)", NAMES)
    want = eval(f"({case['expected']},)", NAMES)
    given = copy.deepcopy(args)
    g = gradient(f, *given)
    assert_identical(given, args, "arguments")
    assert_same(g, want)
    y, back = pullback(f, *given)
    assert_identical(y, f(*copy.deepcopy(args)))
    for _ in range(3):
        assert_same(back(1.0), want)
    if list(leaves(args)):
        assert_differences(f, args, g)


# -- what a case of the list says in words ----------


def test_fractions_stay_exact():
    (g,) = gradient(lambda x: 3 * x**2 + 2 * x + 1, Fraction(1, 4))
    assert g == Fraction(7, 2)


def test_forward_runs_once():
    runs, pulled = [], []

    def f(x):
        runs.append(1)
        return 5 * x

    @morula.adjoint(f)
    def _(x):
        def f_pullback(y_bar):
            pulled.append(1)
            return 5 * y_bar

        return f(x), f_pullback

    _, back = pullback(f, 11)
    assert (back(1), back(2), back(3)) == ((5.0,), (10.0,), (15.0,))
    assert len(runs) == 1 and len(pulled) == 3


def test_withgradient_keeps_the_rest():
    y, g = withgradient(lambda x: (z := 1 / x, (z.sum(), z))[1], A([1, 2, 4]))
    assert_same(y, (1.75, A([1, 0.5, 0.25])))
    assert_same(g, (A([-1, -0.25, -0.0625]),))


@pytest.mark.parametrize(
    ("f", "x", "message"),
    [
        (lambda x: x * 1j, 2.0, "complex"),
        (lambda x: x * 2, A([1, 2]), "jacobian"),
        (lambda x: "text", 2.0, "str"),
        (lambda x: None, 2.0, "return statement"),
    ],
)
def test_results_that_are_no_real_number(f, x, message):
    with pytest.raises(morula.ResultError, match=message):
        gradient(f, x)


def test_primal_errors_are_the_users():
    error = ValueError("mine")

    def f(x):
        raise error

    with pytest.raises(ValueError) as caught:
        gradient(f, 1)
    assert caught.value is error


def test_an_exception_leaves_no_derivative():
    def h(x):
        raise ZeroDivisionError

    def f(x):
        try:
            return h(x)
        except ZeroDivisionError:
            return 1

    assert_same(gradient(f, 2.0), (None,))


def test_comparison_of_arguments_has_none():
    assert_same(gradient(lambda x, *a: x == a, 1, 2), (None, None))


def test_partial_and_methodcaller():
    def product(values):
        return functools.reduce(operator.mul, values, 1)

    x = A([2.0, 3.0, 5.0])
    want = gradient(lambda x: product([v + 1 for v in x]), x)
    assert_same(want, (A([24.0, 18.0, 12.0]),))
    assert_same(gradient(lambda x: product(map(functools.partial(operator.add, 1), x)), x), want)
    verify(lambda x: functools.partial(np.dot, x)(x * 2), x)
    verify(lambda x: operator.methodcaller("sum")(x * x), x)
    verify(lambda x: operator.itemgetter(1)(x) * operator.attrgetter("T")(x)[0], x)
    verify(lambda x: sum(operator.itemgetter(0, 2)(x)) * 3, x)


def test_attribute_access_overridden():
    class Scaled:
        def __init__(self, raw):
            self.raw = raw

        @property
        def x(self):
            return 2 * self.raw

    (g,) = gradient(lambda o: o.x, Scaled(5.0))
    assert_same(g.fields()["raw"], 2.0)

    class Dynamic:
        def __init__(self, raw):
            self.raw = raw

        def __getattr__(self, name):
            if name == "x":
                return 3 * self.raw
            raise AttributeError(name)

    (g,) = gradient(lambda o: o.x, Dynamic(5.0))
    assert_same(g.fields()["raw"], 3.0)

    class Intercepted:
        def __init__(self, raw):
            self.raw = raw

        def __getattribute__(self, name):
            raw = object.__getattribute__(self, "raw")
            return 4 * raw if name == "x" else object.__getattribute__(self, name)

    (g,) = gradient(lambda o: o.x, Intercepted(5.0))
    assert_same(g.fields()["raw"], 4.0)


def test_no_thunks_in_results():
    class Dense:
        def __init__(self, w):
            self.w = w

        def __call__(self, x):
            return self.w @ x

    x = A([1.0, 2.0])
    (g, gx) = gradient(lambda layers, x: layers[0](x).sum(), [Dense(np.eye(2))], x)
    assert type(g) is list and type(g[0].fields()["w"]) is np.ndarray and type(gx) is np.ndarray
    assert_same(g[0].fields()["w"], A([[1, 2], [1, 2]]))


def test_zip_of_different_lengths():
    d = np.ones(7)

    def f(s):
        t = 0
        for a, b in zip(s, d, strict=False):
            t = t + 13 * a + 17 * b
        return t

    assert_same(gradient(f, np.ones(11)), (A([13] * 7 + [0] * 4),))


@pytest.mark.parametrize("n", [0, 3])
def test_unused_comprehension_still_happens_once(n):
    seen = []

    def f(x):
        [seen.append(i) or x * i for i in range(n)]
        return 0.0

    assert_same(gradient(f, 2.0), (None,))
    assert seen == list(range(n))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.ones(x.shape).sum(),
        lambda x: np.zeros_like(x).sum(),
        lambda x: np.ones_like(x).sum(),
        lambda x: np.full_like(x, 3.0).sum(),
        lambda x: np.eye(x.size).sum(),
        lambda x: np.random.default_rng(0).normal(size=x.shape).sum(),
        lambda x: float(np.searchsorted(x, 3.5)),
        lambda x: (x == 0.5).sum(),
        lambda x: (1 - (x > 0)).sum(),
        lambda x: float(len(x)),
        lambda x: float(x.size + x.ndim + x.shape[0]),
        lambda x: float(np.argmax(x)),
        lambda x: float(int(x[0])),
        lambda x: float(x.argsort()[0]),
        lambda x: float(bool(x[0])),
    ],
)
def test_no_derivative_is_none(f):
    assert_same(gradient(f, A([1.0, 2.0, 3.0])), (None,))


def test_boolean_data_matrix():
    B = np.arange(12) % 2 == 0
    (g,) = gradient(lambda w: (w @ B.reshape(3, 4)).sum(), np.ones((2, 3)))
    assert_same(g, np.full((2, 3), 2.0))


def test_shapes_of_one_stay():
    g = gradient(lambda x, y: (x @ y).sum(), np.ones((1, 1)), np.ones((1, 10)))
    assert_same(g, (np.full((1, 1), 10.0), np.ones((1, 10))))


@pytest.mark.parametrize(
    ("f", "x", "want"),
    [
        (lambda x: np.abs(x).sum(), A([0.0]), A([0.0])),
        (lambda x: math.sqrt(x**2), 0.0, 0.0),
        (lambda x: np.sqrt(x**2), 0.0, 0.0),
        (lambda x: np.linalg.norm(x), A([0.0, 0.0]), A([0.0, 0.0])),
        (lambda x: math.hypot(x, 0.0), 0.0, 0.0),
        (lambda x: max(x, x), 2.0, 1.0),
        (lambda x: np.max(x), A([2.0, 2.0, 1.0]), A([1.0, 0.0, 0.0])),
        (lambda x: np.prod(x), A([0.0, 2.0, 3.0]), A([6.0, 0.0, 0.0])),
        (lambda x: np.std(x), A([2.0, 2.0]), A([0.0, 0.0])),
        (lambda x: float(np.clip(x, 0.0, 1.0)), 1.0, 1.0),
        (lambda x: x % 3.0, 7.0, 1.0),
        (lambda x: math.floor(x) * 1.0 + x, 1.5, 1.0),
        (lambda x: round(x) + 2 * x, 1.5, 2.0),
    ],
)
def test_kinks(f, x, want):
    assert_same(gradient(f, x), (want,))


FAMILY = {
    "real": lambda z: z.real,
    "imag": lambda z: z.imag,
    "abs": lambda z: abs(z),
    "abs2": lambda z: z.real**2 + z.imag**2,
    "phase": lambda z: abs(z) * cmath.cos(1j * cmath.phase(z)).real,
    "abs of entire": lambda z: abs(cmath.cos(cmath.exp(z))),
    "powers": lambda z: 3 * z.real**3 - 2 * z.imag**5,
    "conjugate": lambda z: (z * z.conjugate() * z).imag,
    "division": lambda z: ((1 + 2j) / z + z / (3 - 1j)).real,
    "power": lambda z: (z**3 + z**-1 + z**1.5).real,
    "square root": lambda z: cmath.sqrt(z).imag,
    "numpy": lambda z: np.abs(np.exp(z) * np.conj(z)) + np.angle(z),
    "build": lambda z: complex(z.imag, z.real * 2).real * abs(complex(z.imag, z.real * 2)),
    "polar": lambda z: cmath.polar(z)[0] * cmath.polar(z)[1],
}


@pytest.mark.parametrize("z", [1 + 2j, -2 + math.pi * 1j])
@pytest.mark.parametrize("name", FAMILY)
def test_complex_family(name, z):
    f = FAMILY[name]
    (g,) = gradient(f, z)
    assert isinstance(g, complex)
    assert_differences(f, (z,), (g,), rtol=1e-6)


def test_checkpoint_is_the_function():
    X = np.arange(4.0).reshape(2, 2) + 1
    for f, args in [
        (lambda x: x, (2.0,)),
        (max, (1.0, 2.0, 3.0)),
        (lambda x: np.cos(x).sum(), (A([1.0, 2.0]),)),
        (lambda a, b: a @ b, (X, X * 2)),
    ]:
        y, back = pullback(f, *args)
        z, back_again = pullback(lambda *xs, f=f: morula.checkpoint(f, *xs), *args)
        assert_same(z, y, at="value")
        seed = np.ones_like(y) * 3.0
        assert_same(back_again(seed), back(seed))


def test_plain_writes_into_arrays():
    def f(p):
        b = np.zeros(3)
        for i in range(3):
            b[i] = p * i
        return (b * A([2.0, 3.0, 4.0])).sum()

    assert_same(gradient(f, 1.1), (11.0,))

    def g(x):
        b = np.empty(3)
        b[:] = x
        return b.copy().sum()

    assert_same(gradient(g, A([1.0, 2.0, 3.0])), (np.ones(3),))


def test_rule_of_a_function_with_a_keyword():
    hits = []

    def f(x, k=1.0):
        return x * k

    @chainrules.rrule(f)
    def _(x, k=1.0):
        hits.append(k)
        return x * k, lambda y_bar: y_bar * k

    assert_same(gradient(lambda x: f(x), 2.0), (1.0,))
    assert_same(gradient(lambda x: f(x, k=3.0), 2.0), (3.0,))
    assert hits == [1.0, 3.0]


def test_rule_that_is_not_implemented_raises_on_use():
    def f(x, y):
        return x * y

    @chainrules.rrule(f)
    def _(x, y):
        return x * y, lambda b: (b * y, chainrules.NotImplementedTangent("no derivative in y yet"))

    assert_same(gradient(lambda x: f(x, 3.0), 2.0), (3.0,))
    with pytest.raises(morula.NotDifferentiable, match="no derivative in y yet"):
        gradient(f, 2.0, 3.0)


def test_unneeded_thunks_are_never_forced():
    def f(x, y):
        return x * y

    def boom():
        raise AssertionError("forced")

    @chainrules.rrule(f)
    def _(x, y):
        return x * y, lambda b: (b * y, chainrules.Thunk(boom))

    assert_same(gradient(lambda x: f(x, 3.0), 2.0), (3.0,))
    with pytest.raises(AssertionError, match="forced"):
        gradient(f, 2.0, 3.0)


def test_clock_inside():
    import time

    def f(x):
        start = time.perf_counter()
        y = x * 2
        assert time.perf_counter() >= start
        return y / 2 if time.perf_counter() - start < 60 else 0.0

    assert_same(gradient(f, 0.0), (1.0,))


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sin(x[:, 1, :]).sum(),
        lambda x: np.sin(x[..., ::-2]).sum(),
        lambda x: np.sin(x[[0, 1, 0], [1, 1, 1]]).sum(),
        lambda x: np.sin(x[np.array([[0, 1], [1, 0]])]).sum(),
        lambda x: np.sin(x[x > 0.5]).sum(),
        lambda x: np.sin(x.reshape(3, 8).T[2:5, 1:]).sum(),
        lambda x: sum(np.linalg.norm(r) for r in x[0]),
        lambda x: sum(np.linalg.norm(c) for c in x[1].T),
        lambda x: sum(math.sin(v) for r in x[0] for v in r),
        lambda x: (np.sin(x[0, 0]) * 0.0 + x[1, 1]).sum(),
        lambda x: np.sin(x[np.newaxis, 0, ..., None]).sum(),
    ],
)
def test_indexing_families(f):
    verify(f, RNG.uniform(0.2, 1.2, (2, 3, 4)))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sin(np.linalg.inv(x)).sum(),
        lambda x: np.linalg.det(x),
        lambda x: np.linalg.slogdet(x)[1],
        lambda x: np.sin(np.linalg.solve(x, np.arange(3.0))).sum(),
        lambda x: np.sin(np.linalg.solve(np.eye(3) * 3 + x, x)).sum(),
        lambda x: np.sin(np.diag(x)).sum() + np.sin(np.diag(x[0])).sum(),
        lambda x: np.trace(x @ x),
        lambda x: np.sin(np.tril(x) @ np.triu(x)).sum(),
        lambda x: np.log(np.exp(x).sum(axis=1)).sum(),
        lambda x: np.logaddexp(x, x.T).sum(),
        lambda x: (np.exp(x) / np.exp(x).sum(axis=0, keepdims=True))[0].sum(),
        lambda x: np.einsum("ij,jk->ik", x, np.sin(x)).sum(),
    ],
)
def test_matrix_families(f):
    verify(f, RNG.uniform(0.2, 1.2, (3, 3)) + 2 * np.eye(3))
