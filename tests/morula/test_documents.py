"""The examples of the documents that the system follows, with their values."""

import math
import operator

import numpy as np
import pytest
from morula_helpers import assert_same, verify

import chainrules
import morula
from chainrules import Tangent
from morula import adjoint, checkpoint, grad, gradient, hook, isderiving, pullback, showgrad

COS = 0.8775825618903728


def test_pullback_of_sin():
    y, back = pullback(math.sin, 0.5)
    assert y == 0.479425538604203
    assert back(1.0) == (COS,)


def test_mygradient():
    def mygradient(f, *args):
        _, back = pullback(f, *args)
        return back(1.0)

    assert mygradient(math.sin, 0.5) == (COS,)
    assert mygradient(lambda a, b: a * b, 2.0, 3.0) == (3.0, 2.0)


def test_logistic_regression():
    def loss(w, X, y):
        p = 1 / (1 + np.exp(-X @ w))
        return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))

    rng = np.random.default_rng(1)
    w, X = rng.normal(size=3), rng.normal(size=(20, 3))
    y = (rng.uniform(size=20) > 0.5).astype(float)
    want = X.T @ (1 / (1 + np.exp(-X @ w)) - y) / 20
    np.testing.assert_allclose(gradient(loss, w, X, y)[0], want, rtol=1e-12)
    np.testing.assert_allclose(grad(loss)(w, X, y), want, rtol=1e-12)
    value, g = morula.value_and_grad(loss)(w, X, y)
    assert isinstance(value, float) and g.dtype == np.float64
    verify(loss, w, X, y)


def test_adjoint_of_mul():
    def mul(a, b):
        return a * b

    @adjoint(mul)
    def _(a, b):
        def mul_pullback(c):
            return c * b, c * a

        return mul(a, b), mul_pullback

    assert gradient(mul, 2, 3) == (3, 2)
    assert gradient(lambda a: mul(mul(a, a), a), 2.0) == (12.0,)


def points():
    """Fresh class and functions, so that rules on them stay in one test."""

    class Point:
        def __init__(self, x, y):
            self.x = x
            self.y = y

        def __add__(self, other):
            return Point(self.x + other.x, self.y + other.y)

        def __sub__(self, other):
            return Point(self.x - other.x, self.y - other.y)

        def __eq__(self, other):
            return (self.x, self.y) == (other.x, other.y)

        __hash__ = None

    def width(p):
        return p.x

    def height(p):
        return p.y

    def dist(p):
        return math.sqrt(width(p) ** 2 + height(p) ** 2)

    return Point, width, height, dist


def test_point_by_default():
    Point, _width, _height, dist = points()
    (g,) = gradient(dist, Point(1, 2))
    assert isinstance(g, Tangent) and g.primal_type is Point
    assert_same(g, Tangent(Point, x=0.4472135954999579, y=0.8944271909999159))
    (g,) = gradient(lambda p: p.x, Point(1, 2))
    assert g.x == 1 and g.y is None
    assert dict(g.fields()) == {"x": 1.0, "y": None}
    (g, h) = gradient(lambda a, b: dist(a + b), Point(1, 2), Point(3, 4))
    assert_same(g, Tangent(Point, x=0.5547001962252291, y=0.8320502943378437))
    assert_same(h, g)
    (g, h) = gradient(lambda a, b: dist(a - b), Point(4, 6), Point(1, 2))
    assert_same(g, Tangent(Point, x=0.6, y=0.8))
    assert_same(h, Tangent(Point, x=-0.6, y=-0.8))


def declare_on_functions(Point, width, height):
    @adjoint(width)
    def _(p):
        return p.x, lambda c: (Point(c, 0.0),)

    @adjoint(height)
    def _(p):
        return p.y, lambda c: (Point(0.0, c),)


def test_point_with_adjoints():
    Point, width, height, dist = points()
    assert gradient(height, Point(1, 2))[0].y == 1.0  # a gradient before the rules are there
    declare_on_functions(Point, width, height)
    (g,) = gradient(height, Point(1, 2))
    assert isinstance(g, Point) and (g.x, g.y) == (0.0, 1.0)
    assert gradient(height, Point(1, 2)) == (Point(0.0, 1.0),)
    (g,) = gradient(dist, Point(1, 2))
    assert isinstance(g, Point)
    np.testing.assert_allclose([g.x, g.y], [0.4472135954999579, 0.8944271909999159], rtol=1e-15)


def test_point_with_an_adjoint_constructor():
    Point, width, height, dist = points()
    declare_on_functions(Point, width, height)

    @adjoint(Point)
    def _(x, y):
        return Point(x, y), lambda p: (p.x, p.y)

    (g,) = gradient(lambda x: dist(Point(x, 1)), 1)
    assert g == pytest.approx(0.7071067811865475, rel=1e-15)


def test_point_constructor_rule_in_chainrules():
    Point, _width, _height, dist = points()

    @chainrules.rrule(Point)
    def _(x, y):
        return Point(x, y), lambda p: (p.x * 10, p.y)

    (g,) = gradient(lambda x: dist(Point(x, 1)), 1)
    assert g == pytest.approx(7.071067811865475, rel=1e-15)


def test_rule_of_a_method():
    class Circle:
        def __init__(self, r):
            self.r = r

        def area(self):
            return math.pi * self.r**2

    c = Circle(2.0)
    assert_same(gradient(lambda c: c.area(), c)[0].r, 4 * math.pi)

    @adjoint(Circle.area)
    def _(self):
        return Circle.area(self), lambda b: Tangent(Circle, r=100 * b)

    assert_same(gradient(lambda c: c.area(), c)[0].r, 100.0)


def test_rules_take_effect_at_once():
    def f(x):
        return x**2

    def g(x):
        return f(x) * 2

    assert gradient(f, 3.0) == (6.0,) and gradient(g, 3.0) == (12.0,)

    @chainrules.rrule(f)
    def _(x):
        return x**2, lambda b: 10 * b

    assert gradient(f, 3.0) == (10.0,) and gradient(g, 3.0) == (20.0,)

    @adjoint(f)
    def _(x):
        return x**2, lambda b: 1000 * b

    assert gradient(f, 3.0) == (1000.0,) and gradient(g, 3.0) == (2000.0,)


def test_rrule_of_instances():
    class Affine:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __call__(self, x):
            return self.a * x + self.b

    layer = Affine(2.0, 1.0)
    g, gx = gradient(lambda f, x: f(x), layer, 3.0)
    assert dict(g.fields()) == {"a": 3.0, "b": 1.0} and gx == 2.0

    @chainrules.rrule(Affine, with_self=True)
    def _(self, x):
        return self(x), lambda c: (Tangent(Affine, a=c * x, b=10 * c), self.a * c)

    g, gx = gradient(lambda f, x: f(x), layer, 3.0)
    assert dict(g.fields()) == {"a": 3.0, "b": 10.0} and gx == 2.0
    assert gradient(layer, 3.0) == (2.0,)


def test_hook():
    assert gradient(lambda a, b: a * b, 2, 3) == (3, 2)
    assert gradient(lambda a, b: hook(operator.neg, a) * b, 2, 3) == (-3, 2)
    # only this use is replaced
    assert gradient(lambda a, b: hook(operator.neg, a) * b + a, 2, 3) == (-2, 2)
    assert hook(operator.neg, 5.0) == 5.0
    x = np.array([1.0, 2.0])
    (g,) = gradient(lambda x: (hook(lambda g: np.clip(g, -1, 1), x) * 5).sum() + x.sum(), x)
    assert_same(g, np.array([2.0, 2.0]))


def test_hook_with_a_closure_that_records():
    seen = []

    def f(x):
        y = hook(lambda g: seen.append(g) or g, x * 2)
        return y**2

    assert gradient(f, 3.0) == (24.0,)
    assert seen == [12.0]


def test_showgrad(capsys):
    assert gradient(lambda a, b: showgrad(a) * b, 2, 3) == (3, 2)
    out = capsys.readouterr().out
    assert "3" in out and "a" in out and __file__ in out
    assert showgrad(7) == 7
    assert capsys.readouterr().out == ""


def test_showgrad_names_the_expression_and_the_line(capsys):
    def f(weights):
        scaled = weights * 2
        return (showgrad(scaled) ** 2).sum()

    gradient(f, np.array([1.0, 3.0]))
    out = capsys.readouterr().out
    assert "scaled" in out and "4" in out and "12" in out
    assert f"line {f.__code__.co_firstlineno + 2}" in out


def test_checkpoint_runs_again(capsys):
    def f(x):
        print("running")
        return x**2 + math.sin(x)

    assert gradient(lambda x: checkpoint(f, x), 1) == (2 + math.cos(1),)
    assert capsys.readouterr().out == "running\nrunning\n"
    _y, back = pullback(lambda x: checkpoint(f, x) * 2, 1.0)
    assert capsys.readouterr().out == "running\n"
    assert back(1.0) == back(1.0) == (2 * (2 + math.cos(1)),)
    assert capsys.readouterr().out == "running\nrunning\n"
    assert checkpoint(f, 1.0) == f(1.0)


def test_checkpoint_of_arrays_and_closures():
    def program(w, x):
        def layer(h):
            return np.tanh(w @ h)

        for _ in range(3):
            x = checkpoint(layer, x)
        return x.sum()

    rng = np.random.default_rng(0)
    verify(program, rng.normal(size=(3, 3)), rng.normal(size=3))


def test_isderiving():
    def f(x):
        return 3 * x if isderiving() else x

    assert isderiving() is False
    assert f(2.0) == 2.0
    assert gradient(f, 2.0) == (3.0,)
    assert pullback(f, 2.0)[0] == 6.0
    assert isderiving() is False


def nesting():
    levels = []

    def nestlevel():
        return 0

    @adjoint(nestlevel)
    def _():
        return nestlevel() + 1, lambda c: None

    def f(x):
        levels.append(nestlevel())
        return x

    return levels, f


def test_nestlevel_0_and_1():
    levels, f = nesting()
    assert f(1) == 1
    assert grad(f)(1) == 1.0
    assert levels == [0, 1]


def test_nestlevel_2():
    levels, f = nesting()
    assert grad(lambda x: x * grad(f)(x))(1) == 1.0
    assert levels == [2]


def test_addone_without_a_rule():
    def addone(a):
        b = np.empty_like(a)
        b[:] = a + 1
        return b.sum()

    verify(addone, np.array([1.0, 2.0, 3.0]), want=(np.ones(3),))


def test_addone_with_a_rule():
    calls = []

    def addone(a):
        b = np.empty_like(a)
        b[:] = a + 1
        return b.sum()

    @chainrules.rrule(addone)
    def _(a):
        calls.append("rule")

        def addone_pullback(y_bar):
            calls.append("pullback")
            return y_bar * np.ones_like(a)

        return addone(a), addone_pullback

    assert_same(gradient(addone, np.array([1.0, 2.0, 3.0])), (np.ones(3),))
    assert calls == ["rule", "pullback"]


def test_exception(capsys):
    def f(x):
        try:
            return x**2
        except Exception as error:
            print(error)

    assert gradient(f, 3.0) == (6.0,)
    with pytest.raises(morula.ResultError):
        gradient(f, "text")
    assert "unsupported operand" in capsys.readouterr().out


def mse(y, y_hat):
    total = 0.0
    for i in range(len(y)):
        total += (y[i] - y_hat[i]) ** 2
    return total / len(y)


def test_mse():
    rng = np.random.default_rng(0)
    y, y_hat = rng.normal(size=30), rng.normal(size=30)
    want = 2 * (y - y_hat) / 30
    verify(mse, y, y_hat, want=(want, -want))


def test_mse_with_a_rule():
    def own_mse(y, y_hat):
        return mse(y, y_hat)

    calls = []

    @chainrules.rrule(own_mse)
    def _(y, y_hat):
        def mse_pullback(c):
            calls.append(c)
            bar = 2 * c * (y - y_hat) / len(y)
            return bar, -bar

        return own_mse(y, y_hat), mse_pullback

    rng = np.random.default_rng(0)
    y, y_hat = rng.normal(size=30), rng.normal(size=30)
    want = 2 * (y - y_hat) / 30
    assert_same(gradient(own_mse, y, y_hat), (want, -want))
    assert calls == [1.0]


def test_sum3():
    def sum3(a):
        return a[0] + a[1] + a[2]

    verify(sum3, np.array([1.0, 2.0, 3.0]), want=(np.ones(3),))
    verify(sum3, np.arange(10.0), want=(np.array([1.0] * 3 + [0.0] * 7),))


def test_the_cotangent_of_a_is_one_array_made_once():
    """Reading three elements of a large array allocates about once its size in `back`, not once per read."""
    import tracemalloc

    def sum3(a):
        return a[0] + a[1] + a[2]

    a = np.ones(1_000_000)
    y, back = pullback(sum3, a)
    back(1.0)
    tracemalloc.start()
    (g,) = back(1.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert y == 3.0 and g.sum() == 3.0
    assert peak < 1.2 * a.nbytes


def test_stop_gradient():
    for stop in (morula.stop_gradient, morula.ignore_derivatives, chainrules.ignore_derivatives):
        assert gradient(lambda x, stop=stop: x * stop(x), 3.0) == (3.0,)
        assert_same(gradient(lambda x, stop=stop: (x * stop(x * 2)).sum(), np.ones(2)), (np.full(2, 2.0),))
        assert_same(gradient(lambda x, stop=stop: stop(x) * 2, 3.0), (None,))
        assert stop(4.0) == 4.0
        (t,) = gradient(lambda x, stop=stop: sum(stop([x, x])) * x, 3.0)
        assert t == 6.0


def test_memory_of_a_stopped_array_is_not_written():
    def f(x):
        frozen = morula.stop_gradient(x)
        y = x * frozen
        x[:] = 0  # plainly, frozen would be zero now too
        return y.sum() + frozen.sum()

    with pytest.raises(morula.NotDifferentiable, match="stop_gradient"):
        gradient(f, np.array([1.0, 2.0]))


def test_code_adjoint_and_refresh():
    def f(x):
        y = x * 2.0
        return y + 1.0

    text = morula.code_adjoint(f)
    assert "y_d" in text and "ctx.mul" in text
    compile(text, "generated", "exec")
    morula.refresh()
    assert gradient(f, 1.0) == (2.0,)
    with pytest.raises(morula.SourceNotFound):
        morula.code_adjoint(math.sin)


def test_non_differentiable_and_scalar_rule():
    def count(x):
        return x * 3

    chainrules.non_differentiable(count)
    assert_same(gradient(lambda x: count(x) + x, 2.0), (1.0,))

    def cube(x):
        return x**3

    chainrules.scalar_rule(cube, lambda y, x: 3 * x**2 * 100)
    assert gradient(cube, 2.0) == (1200.0,)


def test_rules_that_decline_and_opt_out():
    def f(x):
        return x**2

    @chainrules.rrule(f)
    def _(x):
        if x < 0:
            return NotImplemented
        return f(x), lambda b: 10 * b

    assert gradient(f, 3.0) == (10.0,) and gradient(f, -3.0) == (-6.0,)
    chainrules.opt_out(f, float)
    assert gradient(f, 3.0) == (6.0,)


def test_rules_by_type():
    def f(x):
        return x * 2.0

    @chainrules.rrule(f, float)
    def _(x):
        return x * 2.0, lambda b: 10.0 * b

    assert gradient(f, 1.0) == (10.0,)
    assert_same(gradient(lambda x: f(x).sum(), np.ones(2)), (np.full(2, 2.0),))


@pytest.mark.parametrize(
    "result",
    [lambda x: x, lambda x: (x, lambda b: (b, b)), lambda x: (x, 3.0), lambda x: (x, lambda b: "text")],
)
def test_wrong_rules_are_errors(result):
    def f(x):
        return x * 2.0

    adjoint(f)(lambda x: result(x))
    with pytest.raises(morula.RuleError, match="f"):
        gradient(f, 1.0)


class Inner:
    def __init__(self, v):
        self.v = v


class Outer:
    def __init__(self, x):
        self.inner = Inner(x * x)
        self.parts = [x, 2 * x]


def test_what_a_rule_made_collects_the_cotangents_of_its_parts():
    received = []

    @adjoint(Outer)
    def _(x):
        def outer_pullback(bar):
            received.append(bar)
            return 2 * x * bar.inner.v + 2 * bar.parts[1]

        return Outer(x), outer_pullback

    def f(x):
        o = Outer(x)
        return o.inner.v * 3 + o.parts[1] * 5

    assert_same(gradient(f, 2.0), (22.0,))
    _, back = pullback(f, 2.0)
    assert_same(back(1.0), (22.0,))
    assert_same(back(2.0), (44.0,))
    assert received[0].parts[0] is None


def test_a_rule_that_returns_an_active_object_is_refused():
    def same(p):
        return p

    @adjoint(same)
    def _(p):
        return p, lambda bar: bar

    with pytest.raises(morula.NotDifferentiable, match="Inner"):
        gradient(lambda x: same(Inner(x)).v, 2.0)
    with pytest.raises(morula.NotDifferentiable, match="Inner"):
        gradient(lambda p: same(p).v, Inner(2.0))
