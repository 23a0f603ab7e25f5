"""`test_frule`, `check_gradient` and the engine of finite differences: what they notice, and what they let pass."""

import math

import numpy as np
import pytest

from chainrules import (
    NoTangent,
    NotImplementedTangent,
    RuleConfig,
    Tangent,
    ZeroTangent,
    frule,
    frule_via,
    rrule,
    rrule_via,
)
from chainrules.testing import (
    FiniteDifferenceConfig,
    call_frule,
    check_gradient,
    finite_difference_gradient,
    gradient_by,
    test_frule,
)
from chainrules.testing.difference_config import flattened, stepped, tangent_like

X = np.arange(1.0, 7.0).reshape(2, 3) / 4
ABSENT = (type(None), NoTangent, ZeroTangent)
check = test_frule


def ruled(f, rule, reverse=None, **options):
    fresh = lambda *args, **kwargs: f(*args, **kwargs)
    frule(fresh, **options)(rule)
    if reverse is not None:
        rrule(fresh)(reverse)
    return fresh


def times(a, b):
    return a * b


def dot(t):
    """A tangent as a number to compute with."""
    return 0.0 if type(t) in ABSENT else t


def right(primals, tangents):
    (a, b), (a_dot, b_dot) = primals, tangents
    return a * b, dot(a_dot) * b + a * dot(b_dot)


def wrong(primals, tangents):
    (a, b), (a_dot, b_dot) = primals, tangents
    return a * b, dot(a_dot) * b + 1.001 * a * dot(b_dot)


def of_another_value(primals, tangents):
    y, y_dot = right(primals, tangents)
    return 1.001 * y, y_dot


def of_another_shape(primals, tangents):
    y, y_dot = right(primals, tangents)
    return y, np.sum(y_dot)


def of_another_dtype(primals, tangents):
    y, y_dot = right(primals, tangents)
    return y, np.asarray(y_dot, np.float64)


def cannot_do_without(primals, tangents):
    (a, b), (a_dot, b_dot) = primals, tangents
    return a * b, a_dot * b + a * b_dot


def knows_none_only(primals, tangents):
    (a, b), (a_dot, b_dot) = primals, tangents
    return a * b, (0.0 if a_dot is None else a_dot * b) + (0.0 if b_dot is None else a * b_dot)


def takes_absent_for_one(primals, tangents):
    (a, b), (a_dot, b_dot) = primals, (1.0 if type(t) in ABSENT else t for t in tangents)
    return a * b, a_dot * b + a * b_dot


def is_not_linear(primals, tangents):
    a_dot, b_dot = tangents
    return right(primals, (np.clip(dot(a_dot), -1.6, 1.6), b_dot))  # of the sum of two tangents only


def writes_an_argument(primals, tangents):
    y, y_dot = right(primals, tangents)
    primals[0][...] = 1.0
    return y, y_dot


def writes_a_tangent(primals, tangents):
    y, y_dot = right(primals, tangents)
    if isinstance(tangents[0], np.ndarray):
        tangents[0][...] = 1.0
    return y, y_dot


def no_pair(primals, tangents):
    return right(primals, tangents)[1]


FAULTS = [
    (wrong, (X, X[0]), r"the tangent\[\d\]\[\d\]: the rule says .* finite differences"),
    (of_another_value, (X, X[0]), "the value"),
    (of_another_shape, (X, X[0]), r"the tangent: shape \(\) for a value of shape \(2, 3\)"),
    (
        of_another_dtype,
        (X.astype(np.float32), np.float32(2.0)),
        "the tangent: dtype float64 for a value of dtype float32",
    ),
    (cannot_do_without, (X, X[0]), "make the rule fail"),
    (takes_absent_for_one, (X, X[0]), "where zeros give"),
    (is_not_linear, (X, X[0]), "not linear|finite differences"),
    (writes_an_argument, (X, X[0]), "arguments were changed"),
    (writes_a_tangent, (X, X[0]), "tangents were changed"),
    (no_pair, (X, X[0]), "must return a value and a tangent"),
]


@pytest.mark.parametrize(("rule", "args", "message"), FAULTS, ids=[fault[0].__name__ for fault in FAULTS])
def test_a_fault_of_a_forward_rule_is_noticed(rule, args, message):
    with pytest.raises(AssertionError, match=message):
        check(ruled(times, rule), *args)


def test_forward_and_reverse_rules_have_to_agree():
    good = lambda a, b: (a * b, lambda y_bar: (y_bar * np.conj(b), np.conj(a) * y_bar))
    other = lambda a, b: (a * b, lambda y_bar: (y_bar * np.conj(b), 1.001 * np.conj(a) * y_bar))
    check(ruled(times, right, good), X, X[0])
    check(ruled(times, right, good), X, 2.0 + 1j)
    with pytest.raises(AssertionError, match=r"<y_bar, y_dot> is .* by the reverse rule"):
        check(ruled(times, right, other), X, X[0])


def test_good_forward_rules_pass():
    check(ruled(times, right), X, X[0])
    check(ruled(times, right), X.astype(np.float32), np.float32(2.0))
    check(ruled(times, right), X + 1j, 2.0)
    check(ruled(times, knows_none_only), X, X[0])  # an absent tangent swallows what it is multiplied by
    check(ruled(times, right), X, 2, tangents=(np.ones_like(X), None))
    check(ruled(times, right), X, 2.0, constant=(1,))
    check(ruled(times, right), X, 2.0, check_complex=True)
    check(np.hypot, X, 2.0)
    check(math.sin, 0.3)
    check(ruled(lambda x: (x * 2.0, "a", {"b": x}), lambda p, t: ((p[0] * 2.0, "a", {"b": p[0]}), pairs(*t))), X)
    check(ruled(times, lambda p, t: (p[0] * p[1], NotImplementedTangent("later"))), X, 2.0)
    with pytest.raises(ValueError, match="1 tangents for 2"):
        check(np.hypot, X, 2.0, tangents=(None,))
    with pytest.raises(AssertionError, match=r"no forward rule for .*times"):
        check(times, 1.0, 2.0)


def pairs(x_dot):
    return (2.0 * dot(x_dot), NoTangent(), {"b": x_dot})


def test_the_path_to_the_part_of_a_tangent():
    def rule(primals, tangents):
        (x,), (x_dot,) = primals, tangents
        return {"a": [x * 2.0]}, {"a": [3.0 * dot(x_dot)]}

    with pytest.raises(AssertionError, match=r"the tangent\['a'\]\[0\]: the rule says"):
        check(ruled(lambda x: {"a": [x * 2.0]}, rule), 1.5)


def test_keywords_and_calls_of_instances():
    class Scale:
        def __call__(self, x, by=2.0):
            return x * by

    @frule(Scale, instances=True)
    def _(primals, tangents, by=2.0):
        return primals[1] * by, dot(tangents[1]) * by

    check(Scale(), X)
    check(Scale(), X, by=3.0)
    assert call_frule(Scale(), (2.0,), (1.0,), by=3.0) == (6.0, 3.0)


def test_forward_rules_that_need_an_engine():
    def applied(f, x):
        return f(x)

    def rule(config, primals, tangents):
        (f, x), (f_dot, x_dot) = primals, tangents
        return frule_via(config, f, (x,), (f_dot, x_dot))

    check(ruled(applied, rule, needs=("forward",)), lambda x: x * x, 1.5)
    check(ruled(applied, rule, needs=("forward",)), np.sin, X)


class Line:
    def __init__(self, slope, offset):
        self.slope, self.offset = slope, offset

    def __call__(self, x):
        return self.slope * x + self.offset


def test_finite_differences_as_an_engine():
    config = FiniteDifferenceConfig()
    assert isinstance(config, RuleConfig) and config.traits == {"reverse", "forward"}
    y, pullback = rrule_via(config, Line(np.array([2.0, 3.0]), 1.0), X[:, :2])
    line_bar, x_bar = pullback(np.ones((2, 2)))
    assert np.allclose(y, [[1.5, 2.5], [3.0, 4.75]]) and np.allclose(x_bar, [[2.0, 3.0]] * 2)
    assert isinstance(line_bar, Tangent) and line_bar.primal_type is Line
    assert np.allclose(line_bar.slope, np.sum(X[:, :2], 0)) and line_bar.offset == pytest.approx(4.0)

    y, pullback = rrule_via(config, lambda z, n, text: abs(z) ** n, 3 + 4j, 2, "a")
    f_bar, z_bar, n_bar, text_bar = pullback(1.0)
    assert y == pytest.approx(25.0) and z_bar == pytest.approx(6 + 8j)
    assert (f_bar, n_bar, text_bar) == (NoTangent(),) * 3
    assert rrule_via(config, lambda x: x, 2.0)[1](ZeroTangent()) == (NoTangent(), NoTangent())

    y, y_dot = frule_via(config, lambda x, n: [x**n, 3, "a"], (3.0, 2), (None, 2.0, None))
    assert y == [9.0, 3, "a"] and y_dot[0] == pytest.approx(12.0) and y_dot[1:] == [0.0, NoTangent()]
    y, y_dot = frule_via(config, Line(2.0, 1.0), (3.0,), (Tangent(Line, slope=1.0), None))
    assert (y, y_dot) == (7.0, pytest.approx(3.0))
    assert frule_via(config, lambda x: x, (2.0,), (None, None)) == (2.0, ZeroTangent())

    float_32 = rrule_via(config, lambda x: x * x, np.ones(2, np.float32))[1](np.ones(2, np.float32))[1]
    assert float_32.dtype == np.float32 and np.allclose(float_32, 2.0)
    items = rrule_via(config, lambda x: iter([x, x * x]), 3.0)[1]([1.0, 10.0])[1]
    assert items == pytest.approx(61.0)
    calls = []

    def noisy(x):
        calls.append(x)
        return x + math.sin(1e7 * len(calls))

    for via in (lambda: rrule_via(config, noisy, 2.0)[1](1.0), lambda: frule_via(config, noisy, (2.0,), (None, 1.0))):
        with pytest.raises(FloatingPointError, match="too noisy"):
            via()


def test_vectors_of_leaves():
    y = {"a": np.array([1.0, 2.0]), "b": (3 + 4j, "c", True)}
    assert flattened(y).tolist() == [1.0, 2.0, 3.0, 4.0]
    back = tangent_like(y, flattened(y))
    assert back["a"].tolist() == [1.0, 2.0] and back["b"] == (3 + 4j, NoTangent(), NoTangent())
    moved = stepped(y, {"a": np.ones(2), "b": (1.0, None, None)}, 0.5)
    assert moved["a"].tolist() == [1.5, 2.5] and moved["b"][0] == 3.5 + 4j and y["a"].tolist() == [1.0, 2.0]


def loss(x):
    return float(np.sum(x**3) + x.flat[0] * x.flat[1])


def gradient(x):
    g = 3 * x**2
    g.flat[0] += x.flat[1]
    g.flat[1] += x.flat[0]
    return g


def hessian(x):
    h = np.diag(6 * x.ravel())
    h[0, 1] = h[1, 0] = 1.0
    return h.reshape(x.shape * 2)


def test_gradients_of_first_and_second_order():
    check_gradient(loss, gradient, X)
    check_gradient(loss, gradient(X), X)
    check_gradient(loss, X, engine=FiniteDifferenceConfig())
    check_gradient(loss, gradient, X, order=2)
    check_gradient(loss, gradient, X, order=2, hessian=hessian)
    assert np.allclose(gradient_by(FiniteDifferenceConfig(), loss)(X)[0], gradient(X))
    check_gradient(
        lambda p, n: p["a"] ** n + p["b"][0],
        lambda p, n: ({"a": n * p["a"], "b": [1.0]}, None),
        {"a": 3.0, "b": [1.0]},
        2,
    )
    check_gradient(lambda z: abs(z) ** 2, lambda z: 2 * z, 1 + 2j, order=2)


def test_what_check_gradient_notices():
    with pytest.raises(AssertionError, match="argument 0: the gradient is"):
        check_gradient(loss, lambda x: 3 * x**2, X)
    with pytest.raises(AssertionError, match="argument 0: the gradient is of shape"):
        check_gradient(lambda x: float(x.sum()), lambda x: 1.0, X)
    with pytest.raises(AssertionError, match=r"argument 0\['a'\]\[1\]: the gradient is"):
        check_gradient(lambda p: p["a"][0] * p["a"][1], lambda p: {"a": [p["a"][1], 0.0]}, {"a": [2.0, 3.0]})
    with pytest.raises(AssertionError, match=r"2 gradients for 1|the gradient is"):
        check_gradient(lambda x: x * x, lambda x: (2 * x, 1.0), 2.0)
    # right at this point, and wrong around it
    here = gradient(X)
    skewed = here + np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(AssertionError, match="not symmetric"):
        check_gradient(loss, lambda x: here + (x - X) @ np.triu(np.ones((3, 3))), X, order=2)
    with pytest.raises(AssertionError, match="by the Hessian"):
        check_gradient(loss, gradient, X, order=2, hessian=lambda x: 1.001 * hessian(x))
    with pytest.raises(AssertionError, match="argument 0"):
        check_gradient(loss, skewed, X)
    rng = np.random.default_rng(0)
    with pytest.raises(AssertionError, match="too noisy to judge"):
        check_gradient(lambda x: x + 1e-5 * rng.uniform(), 1.0, 2.0)
    with pytest.raises(ValueError, match="a gradient that is a function"):
        check_gradient(loss, gradient(X), X, order=2)
    with pytest.raises(ValueError, match="one real number or array"):
        check_gradient(lambda a, b: a * b, lambda a, b: (b, a), 1.0, 2.0, order=2, hessian=lambda a, b: 0)
    with pytest.raises(TypeError, match="needs a gradient"):
        check_gradient(loss)


def test_gradients_in_single_precision_by_differences():
    (g,) = finite_difference_gradient(lambda x: np.sum(x * x), np.array([1.0, 2.0], np.float32))
    assert np.allclose(g, [2.0, 4.0], atol=1e-7)
