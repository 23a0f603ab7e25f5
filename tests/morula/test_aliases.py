"""Memory of an argument that the function also reaches otherwise is a constant there, in every nesting.

The judge is the same program where what it reaches otherwise is an explicit copy.
"""

import functools
import types

import numpy as np
import pytest

import morula
from morula import gradient, hessian, hvp, jacobian, jvp, linearize, pullback, withgradient

A = np.array([1.0, 2.0, 3.0])
V = np.array([5.0, 7.0, 11.0])


class Holder:
    def __init__(self, a):
        self.a = a

    def __call__(self, z):
        return z * self.a

    def method(self, z):
        return z * self.a


def ways(a):
    """Functions of an array that multiply by `a`, which they reach in as many ways."""
    holder, items, pair, view = Holder(a), {"a": a}, (a,), a[:]
    deep = [[{"q": (a,)}]]
    many = [np.zeros(1) for _ in range(500)] + [a]
    module = types.ModuleType("constants")
    module.a = a

    class Class:
        attribute = a

    def default(z, a=a):
        return z * a

    return {
        "cell": lambda z: z * a,
        "item": lambda z: z * items["a"],
        "get": lambda z: z * items.get("a"),
        "values": lambda z: sum(z * v for v in items.values()),
        "attribute": lambda z: z * holder.a,
        "getattr": lambda z: z * getattr(holder, "a"),  # noqa: B009
        "vars": lambda z: z * vars(holder)["a"],
        "class_attribute": lambda z: z * Class.attribute,
        "module": lambda z: z * module.a,
        "tuple": lambda z: z * pair[0],
        "loop": lambda z: sum([z * v for v in pair]),
        "deep": lambda z: z * deep[0][0]["q"][0],
        "many": lambda z: z * many[500],
        "view": lambda z: z * view,
        "reversed": lambda z: z * pair[0][::-1],
        "default": default,
        "keyword_default": (lambda z, *, a=a: z * a),
        "partial": functools.partial(lambda q, z: z * q, a),
        "object": holder,
        "bound_method": holder.method,
        "inner": lambda z: (lambda: z * items["a"])(),
        "out": lambda z: np.multiply(z, items["a"], out=np.empty(3)),
        "matrix": lambda z: np.diag(items["a"]) @ z,
    }


VERBS = {
    "gradient": lambda h, x: gradient(lambda z: h(z).sum(), x),
    "withgradient": lambda h, x: withgradient(lambda z: h(z).sum(), x),
    "pullback": lambda h, x: pullback(h, x)[1](V),
    "jacobian": jacobian,
    "hessian": lambda h, x: hessian(lambda z: (h(z) * z).sum(), x),
    "hvp": lambda h, x: hvp(lambda z: (h(z) * z).sum(), x, V),
    "linearize": lambda h, x: linearize(h, x)[1](V),
    "reverse_forward": lambda h, x: gradient(lambda x: jvp(h, (x,), (V,))[1].sum(), x),
    "reverse_forward_squared": lambda h, x: gradient(lambda x: jvp(lambda z: h(z) * z, (x,), (V,))[1].sum(), x),
    "forward_reverse": lambda h, x: jvp(lambda x: gradient(lambda z: (h(z) * z).sum(), x)[0], (x,), (V,))[1],
    "reverse_reverse": lambda h, x: gradient(lambda x: (gradient(lambda z: (h(z) * z).sum(), x)[0] * V).sum(), x),
    "forward_forward": lambda h, x: jvp(lambda x: jvp(lambda z: h(z) * z, (x,), (V,))[1], (x,), (V,))[1],
    "reverse_linear": lambda h, x: gradient(lambda x: linearize(h, x)[1](V).sum(), x),
    "reverse_pullback": lambda h, x: gradient(lambda x: pullback(h, x)[1](V)[0].sum(), x),
    "checkpoint": lambda h, x: gradient(lambda x: morula.checkpoint(lambda z: h(z), x).sum(), x),
    "checkpointed_forward": lambda h, x: gradient(
        lambda x: morula.checkpoint(lambda z: jvp(h, (z,), (V,))[1], x).sum(), x
    ),
    "in_a_dict": lambda h, x: gradient(lambda p: (h(p["w"]) * p["w"]).sum(), {"w": x, "n": 3.0}),
    "in_a_list": lambda h, x: gradient(lambda p: jvp(lambda z: h(z) * z, (p[0],), (V,))[1].sum(), [x]),
    "in_tuples": lambda h, x: pullback(lambda p: h(p[0][0]), ((x,), 1.0))[1](V),
    "deep_inside": lambda h, x: gradient(lambda p: (h(p["q"][0][0]) * p["q"][0][0]).sum(), {"q": [(x,)]}),
    "dicts_reverse_reverse": lambda h, x: gradient(
        lambda p: (gradient(lambda p: (h(p["w"]) * p["w"]).sum(), p)[0]["w"] * V).sum(), {"w": x}
    ),
}


def assert_same(got, want):
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        got, want = list(got.values()), list(want.values())
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            assert_same(g, w)
    elif want is None:
        assert got is None
    else:
        np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("way", ways(A))
def test_what_is_reached_otherwise_is_a_constant(way, verb):
    a = A.copy()
    got = VERBS[verb](ways(a)[way], a)
    assert_same(got, VERBS[verb](ways(A.copy())[way], a))
    np.testing.assert_array_equal(a, A)


GLOBAL = {"a": A.copy()}


def test_a_global_container():
    a = GLOBAL["a"]
    g = lambda x: jvp(lambda z: z * GLOBAL["a"], (x,), (V,))[1].sum()
    assert gradient(g, a) == (None,)
    assert_same(gradient(lambda x: (x * GLOBAL["a"]).sum(), a), (A,))


@pytest.mark.parametrize("given", [{"a": 3.0}, [3.0]], ids=["dict", "list"])
def test_a_container_that_is_captured_too(given):
    key = next(iter(given)) if isinstance(given, dict) else 0
    f = lambda p: p[key] * given[key]
    assert_same(gradient(f, given), ({key: 3.0},) if isinstance(given, dict) else ([3.0],))
    assert jvp(f, (given,), (type(given)(given) if key == 0 else {key: 1.0},))[0] == 9.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x, held: np.multiply(x, 2.0, out=x).sum() + held["a"].sum(),
        lambda x, held: x.__setitem__(0, 5.0) or (x * held["a"]).sum(),
        lambda x, held: held["a"].__setitem__(0, 5.0) or (x * x).sum(),
        lambda x, held: held["a"][1:].fill(2.0) or (x * x).sum(),
    ],
)
def test_memory_that_is_written_here_and_read_there_is_refused(f):
    a = A.copy()
    held = {"a": a}
    with pytest.raises(morula.AliasedArgumentsError, match="copy"):
        gradient(lambda x: f(x, held), a)
    np.testing.assert_array_equal(a, A)


def test_a_part_that_no_argument_lies_in_may_be_written():
    whole = np.arange(6.0)

    def f(x):
        whole[4] = 9.0
        return (x * x).sum() * whole[4]

    assert_same(gradient(f, whole[:3]), (18 * np.arange(3.0),))


def test_what_the_function_does_to_its_arguments_is_seen_after_a_pullback():
    a, words, items = A.copy(), [A.copy(), 1.0], {"w": A.copy()}
    first = words[0]

    def f(x, xs, d):
        x[0] = 7.0
        xs.append(x)
        xs[0] *= 2.0
        d["new"] = d.pop("w")
        return (x * xs[0] * d["new"]).sum()

    _, back = pullback(f, a, words, items)
    assert a[0] == 7.0
    assert words[0] is first and words[2] is a and len(words) == 3
    assert list(items) == ["new"] and first[1] == 4.0
    gx, gw, gd = back(1.0)
    np.testing.assert_allclose(gx, [0.0, 4.0 * 2.0, 6.0 * 3.0])
    np.testing.assert_allclose(gw[0], 2 * np.array([7.0, 2.0, 3.0]) * A)
    np.testing.assert_allclose(gd["w"], np.array([7.0, 2.0, 3.0]) * 2 * A)


@pytest.mark.parametrize("make", [lambda: A.copy(), lambda: np.arange(12.0).reshape(3, 4).T[::2]], ids=["own", "gaps"])
def test_an_argument_looks_as_the_caller_has_it(make):
    x = make()
    seen = []

    def f(y):
        seen.append((y.shape, y.strides, y.dtype, y.flags.writeable, type(y)))
        y[0] = y[-1] * 2.0
        return (y**2).sum()

    gradient(f, x)
    assert seen == [(x.shape, x.strides, x.dtype, True, np.ndarray)]
    np.testing.assert_array_equal(x, make())


def test_arguments_of_a_forward_derivative_that_share_memory():
    """Forward mode works on copies of arguments: sharing matters where one of them is written into."""

    def written(a, rows):
        a[0] = 5.0 * a[1]
        return (rows * rows).sum()

    x = np.arange(1.0, 5.0).reshape(2, 2)
    for args in ((x[0], x), (x, x.T), (x[0], [1.0, (x,)])):
        f = written if isinstance(args[1], np.ndarray) else lambda a, b: written(a, b[1][0])
        with pytest.raises(morula.AliasedArgumentsError, match="copy"):
            morula.jvp(f, args, (np.ones_like(args[0]), None))
    y, y_dot = morula.jvp(lambda a, b: (a * b).sum(), (x, x), (x, None))
    assert (y, y_dot) == (30.0, 30.0)
    y, y_dot = morula.jvp(lambda a, b: written(a, b), (x[0], x[1]), (np.ones(2), np.ones(2)))
    assert (y, y_dot) == (25.0, 14.0)


KNOWN = np.array([1.046, 0.149, 0.355])
ALONG = np.ones(3)


def written_and_read_elsewhere(x):
    x -= 0.5
    return (x * x).sum() * KNOWN[0]


def elsewhere_written(x):
    KNOWN[0] = 3.0
    return (x * x * x).sum()


def cell_by_cell(x):
    s = 0.0
    for i in range(3):
        x[i] = x[i] * x[i]
        s += KNOWN[i] * x[i]
    return s


def read_before(x):
    c = KNOWN[0] * 2.0
    x -= 0.5
    return (x * x).sum() * c


ON_COPIES = {
    "jvp": lambda f, x: morula.jvp(f, (x,), (ALONG,)),
    "hvp": lambda f, x: morula.hvp(f, x, ALONG),
    "hessian": morula.hessian,
    "operator": lambda f, x: morula.hvp(f, x)(ALONG),
    "laplacian": morula.laplacian,
    "gradient of gradient": lambda f, x: morula.gradient(lambda v: morula.gradient(f, v)[0].sum(), x)[0],
    "jvp of gradient": lambda f, x: morula.jvp(lambda v: morula.gradient(f, v)[0], (x,), (ALONG,)),
    "gradient of jvp": lambda f, x: morula.gradient(lambda v: morula.jvp(f, (v,), (ALONG,))[1], x)[0],
    "jvp of jvp": lambda f, x: morula.jvp(lambda v: morula.jvp(f, (v,), (ALONG,))[1], (x,), (ALONG,)),
}


@pytest.mark.parametrize("verb", ON_COPIES.values(), ids=ON_COPIES)
@pytest.mark.parametrize("tier", ["eager", "static"])
def test_verbs_on_copies_refuse_memory_that_is_reached_otherwise_and_written(verb, tier):
    """Where it is the copy that is written, the array itself is not, which the function sees by another name."""
    before = KNOWN.copy()
    try:
        for f in (written_and_read_elsewhere, elsewhere_written, cell_by_cell):
            for _ in range(2):
                KNOWN[...] = before
                with morula.tier(tier), pytest.raises(morula.AliasedArgumentsError, match="another route"):
                    verb(f, KNOWN[:])
        KNOWN[...] = before
        with morula.tier(tier):
            np.testing.assert_equal(verb(read_before, KNOWN[:]), verb(read_before, KNOWN.copy()))
    finally:
        KNOWN[...] = before


def test_large_memory_that_is_read_often_is_compared_at_the_end():
    known = np.arange(1000.0)

    def f(x):
        s = 0.0
        for i in range(6):
            s = s + (known * x).sum()
            if i == 4:
                x += 1.0
        return s

    with morula.tier("eager"), pytest.raises(morula.AliasedArgumentsError):
        morula.jvp(f, (known,), (np.ones(1000),))
