"""Forward rules: declared, derived from partials, found like reverse rules."""

import math

import numpy as np
import pytest

import chainrules as cr
from chainrules import NoTangent, RuleConfig, Tangent, ZeroTangent, frule, frules_for, scalar_rule, unthunk

H = 1e-6


def pushed(f, primals, tangents, **kwargs):
    for rule in cr.candidates(f, primals, forward=True):
        answer = rule.function(primals, tangents, **kwargs)
        if answer is not NotImplemented:
            return answer
    raise LookupError(f)


def moved(f, primals, tangents, h):
    return np.asarray(f(*[x if t is None else x + h * np.asarray(t) for x, t in zip(primals, tangents, strict=True)]))


A = np.array([0.3, -1.2, 2.5])
B = np.array([[0.7], [1.4]])
Z = A + 1j * A[::-1]


@pytest.mark.parametrize(
    ("f", "primals", "tangents"),
    [
        (np.sin, (A,), (A[::-1],)),
        (np.exp, (Z,), (Z * (2 - 1j),)),
        (math.sin, (0.4,), (1.5,)),
        (np.multiply, (A, B), (np.ones(3), np.ones((2, 1)))),
        (np.multiply, (A, B), (None, np.ones((2, 1)))),
        (np.add, (A, B), (None, np.ones((2, 1)))),
        (np.add, (A, 2.0), (None, 1.0)),
        (np.true_divide, (A, B), (np.ones(3), None)),
        (np.subtract, (Z, A), (Z, A)),
        (np.hypot, (3.0, A), (0.5, np.ones(3))),
        (np.power, (np.abs(A), 2.5), (np.ones(3), 0.3)),
        (math.atan2, (0.4, -1.2), (1.0, 2.0)),
        (np.logaddexp, ([0.3, 0.4], A[:2]), ([1.0, 2.0], np.ones(2))),
    ],
)
def test_derived_from_partials(f, primals, tangents):
    y, y_dot = pushed(f, primals, tangents)
    assert np.array_equal(y, f(*primals))
    arrays = tuple(np.asarray(x) if isinstance(x, list) else x for x in primals)
    wanted = (moved(f, arrays, tangents, H) - moved(f, arrays, tangents, -H)) / (2 * H)
    assert np.shape(y_dot) == np.shape(y)
    np.testing.assert_allclose(y_dot, wanted, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("absent", [None, NoTangent(), ZeroTangent()])
def test_absent_tangents(absent):
    assert pushed(np.sin, (A,), (absent,))[1] is ZeroTangent()
    _, y_dot = pushed(np.multiply, (A, 2.0), (absent, 1.0))
    assert y_dot.tolist() == A.tolist()


def test_what_a_derived_rule_does_not_follow_is_refused():
    with pytest.raises(NotImplementedError, match="where"):
        pushed(np.sin, (A,), (A,), where=A > 0)
    with pytest.raises(LookupError):
        pushed(np.hypot, (Z, 1.0), (Z, None))  # real arguments only
    zeros = pushed(np.sqrt, (np.array([0.0, 4.0]),), (np.array([0.0, 1.0]),))[1]
    assert zeros.tolist() == [0.0, 0.25]  # an exact zero kills an infinite partial


def test_several_outputs_from_partials():
    def polar(x, y):
        return np.hypot(x, y), np.arctan2(y, x)

    scalar_rule(
        polar,
        lambda out, x, y: (x / out[0], -y / out[0] ** 2),
        lambda out, x, y: (y / out[0], x / out[0] ** 2),
        outputs=2,
        real=True,
    )
    assert cr.scalar_rule_for(polar).outputs == 2
    (r, _phi), (r_dot, phi_dot) = pushed(polar, (A, 2.0), (np.ones(3), None))
    up, down = polar(A + H, 2.0), polar(A - H, 2.0)
    np.testing.assert_allclose(r_dot, (up[0] - down[0]) / (2 * H), rtol=1e-8)
    np.testing.assert_allclose(phi_dot, (up[1] - down[1]) / (2 * H), rtol=1e-8)
    (rule,) = cr.rules_for(polar)
    (r, _), back = rule.function(A, 2.0)
    x_bar, y_bar = map(unthunk, back((A, None)))
    np.testing.assert_allclose(x_bar, A * A / r, rtol=1e-12)
    np.testing.assert_allclose(np.sum(y_bar), np.sum(A * 2.0 / r), rtol=1e-12)
    assert [unthunk(bar) for bar in back(ZeroTangent())] == [None, None]
    assert unthunk(back((None, A))[0]).shape == (3,)

    def split(x):
        return x, 3 * x

    scalar_rule(split, (1, 3), outputs=2)
    assert unthunk(cr.rules_for(split)[0].function(2.0)[1]((1.0, 1.0))) == 4.0
    assert pushed(split, (2.0,), (1.0,)) == ((2.0, 6.0), (1.0, 3.0))


def test_forward_rules_are_chosen_like_reverse_ones():
    def f(x):
        return 2 * x

    @frule(f)
    def general(primals, tangents):
        return f(*primals), 2 * tangents[0]

    @frule(f, int)
    def of_integers(primals, tangents):
        return NotImplemented

    @frule(f, float, needs=("forward",))
    def needy(config, primals, tangents):
        return f(*primals), "config"

    assert [r.function for r in frules_for(f)] == [of_integers, general]
    assert pushed(f, (1.5,), (1.0,)) == (3.0, 2.0) and pushed(f, (1,), (1.0,)) == (2, 2.0)

    class Engine(RuleConfig):
        traits = frozenset({"forward"})

    assert next(cr.candidates(f, (1.5,), Engine(), forward=True)).function is needy
    assert not cr.rules_for(f)


def test_forward_rules_of_instances():
    class Scaled:
        def __init__(self, w):
            self.w = w

        def __call__(self, x):
            return self.w * x

    @frule(Scaled, instances=True)
    def _(primals, tangents):
        (layer, x), (layer_dot, x_dot) = primals, tangents
        return layer(x), layer_dot.w * x + layer.w * x_dot

    layer = Scaled(3.0)
    y, y_dot = cr.frule_via(RuleConfig(), layer, (2.0,), (Tangent(Scaled, w=1.0), 0.5))
    assert (y, y_dot) == (6.0, 3.5)


def test_a_reverse_rule_of_ones_own_leaves_the_derived_forward_rule():
    def g(x):
        return np.sin(x)

    scalar_rule(g, lambda y, x: np.cos(x))
    cr.rrule(g)(lambda x: (g(x), lambda y_bar: 0.0))
    assert cr.scalar_rule_for(g) is None and len(frules_for(g)) == 1


def test_what_a_forward_rule_does_not_follow_is_said():
    np.testing.assert_array_equal(pushed(np.where, (A, A, A), (A, A, A))[1], A)
    assert isinstance(pushed(np.histogram, (A, 2, None, True), (None, None, None, 1.0))[1], cr.NotImplementedTangent)
    lost = cr.NotImplementedTangent("nobody knows")
    assert pushed(np.interp, (0.5, A, A), (lost, None, None))[1] is lost
    edges = pushed(np.histogram, (A, "sqrt"), (A, None))[1][1]
    np.testing.assert_allclose(edges, [A.min(), (A.min() + A.max()) / 2, A.max()])
    for f, kwargs in [(np.cumprod, {"dtype": int}), (np.quantile, {"q": 0.5, "out": np.zeros(())})]:
        with pytest.raises(NotImplementedError, match="derivative"):
            pushed(f, (A,), (A,), **kwargs)
    iterator = iter([1.0])
    with pytest.raises(LookupError):
        pushed(list, (iterator,), (None,))
    assert next(iterator) == 1.0


def test_ties_zeros_and_kinks_in_forward_mode():
    assert pushed(max, (1.0, 1.0), (2.0, 3.0))[1] == 3.0 and pushed(min, (1.0, 1.0), (2.0, 3.0))[1] == 2.0
    assert pushed(np.partition, (np.array([2.0, 1.0, 1.0]), 1), (np.array([1.0, 2.0, 3.0]), None))[1].tolist() == [
        2,
        3,
        1,
    ]
    assert pushed(np.unique, (np.array([1.0, 0.0, 1.0]),), (np.array([1.0, 2.0, 3.0]),))[1].tolist() == [2.0, 1.0]
    zeros = np.array([2.0, 0.0, 3.0])
    assert pushed(np.cumprod, (zeros,), (np.array([0.0, 1.0, 0.0]),))[1].tolist() == [0.0, 2.0, 6.0]
    assert pushed(abs, (0j,), (1.0 + 1j,))[1] == 0.0 and pushed(np.absolute, (0j,), (1.0,))[1] == 0.0
    clipped = pushed(np.clip, (np.array([1.0, 3.0, -1.0]), 1.0, 2.0), (np.array([5.0, 6.0, 7.0]), 0.5, 0.25))
    assert clipped[1].tolist() == [5.0, 0.25, 0.5]


def test_rearrangements_at_random_move_the_tangents_along():
    x, x_dot = np.arange(6.0), np.arange(6.0) * 10
    y, y_dot = pushed(np.random.Generator.permutation, (np.random.default_rng(3), x), (None, x_dot))
    assert y_dot.tolist() == (10 * y).tolist() != x_dot.tolist()
    y, y_dot = pushed(np.random.permutation, (x,), (x_dot,))
    assert y_dot.tolist() == (10 * y).tolist()


def test_what_is_summed_may_be_constant():
    assert pushed(sum, (range(3), 1.0), (None, 2.0)) == (4.0, 2.0)
    assert pushed(sum, ([1.0, 2.0],), ([None, 2.0],)) == (3.0, 2.0)
    _, y_dot = pushed(sum, (B, 1.0), (None, 2.0))
    assert y_dot.tolist() == [2.0]


def test_repeated_singular_values_in_forward_mode():
    a_dot = np.array([[1.0, 2.0], [3.0, 4.0]])
    _, (u_dot, s_dot, _) = pushed(np.linalg.svd, (np.eye(2),), (a_dot,))
    assert np.isfinite(s_dot).all() and np.isnan(u_dot).any()
    _, s_dot = pushed(np.linalg.svd, (np.diag([3.0, 1.0]), True, False), (a_dot, None, None))
    assert s_dot.tolist() == [1.0, 4.0]
