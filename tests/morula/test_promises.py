"""What every gradient promises: results of its own, hard zeros of selections, derivatives inside derivatives."""

import numpy as np
import pytest
from corpus import floats
from corpus.attributes import array_in_an_object
from corpus.views import element_scaled_by_another
from morula_helpers import assert_identical, assert_same, verify

import morula
from morula import gradient, pullback


def roots_of_the_positive(x):
    return np.where(x > 0, np.sqrt(x), 0.0).sum()


def test_the_same_array_twice():
    x = floats(1, 2, 3)
    g, h = gradient(lambda a, b: (a * b).sum(), x, x)
    assert_same((g, h), (x, x))

    def writes(a, b):
        a *= 2
        return (a * b).sum()

    with pytest.raises(morula.AliasedArgumentsError):
        gradient(writes, x, x)
    with pytest.raises(morula.AliasedArgumentsError):
        pullback(writes, x, x)
    assert_identical(x, floats(1, 2, 3))


def test_rows_of_jacobians():
    for f, x, J in [
        (element_scaled_by_another, floats(2, 3), floats((3, 2), (0, 1))),
        (array_in_an_object, floats(1, 2), floats((2, 0), (0, 4))),
    ]:
        verify(f, x)
        _y, back = pullback(f, x.copy())
        for row, want in enumerate(J):
            seed = np.zeros(2)
            seed[row] = 1
            for _ in range(2):
                assert_same(back(seed), (want,))


def test_a_jacobian_of_a_program_that_writes():
    assert_same(np.asarray(morula.jacobian(element_scaled_by_another, floats(2, 3))[0]), floats((3, 2), (0, 1)))


def test_results_never_alias():
    x, y = floats(1, 2, 3), floats(4, 5, 6)
    ga, gb = gradient(lambda a, b: (a + b).sum(), x, y)
    assert ga is not gb and not np.shares_memory(ga, gb)
    g = gradient(lambda a, b: a @ b, x, y)
    assert g[0] is not y and not np.shares_memory(g[0], y)
    assert_identical((x, y), (floats(1, 2, 3), floats(4, 5, 6)))
    assert_same(gradient(lambda a, b: a @ b, x, y), g)


def test_selection_is_a_hard_zero():
    assert_same(gradient(roots_of_the_positive, floats(0, 4)), (floats(0, 0.25),))
    (g,) = gradient(lambda x: np.max(x), floats(1, 3, 3))
    assert g.sum() == 1.0
    _, back = pullback(roots_of_the_positive, floats(0, 4))
    for _ in range(3):
        assert_same(back(2.0), (floats(0, 0.5),))


def derivatives():
    def forward(f, x):
        return morula.jvp(f, (x,), (1.0,))[1]

    def reverse(f, x):
        return gradient(f, x)[0]

    return [forward, reverse, lambda f, x: morula.grad(f)(x)]


@pytest.mark.parametrize("outer", derivatives())
@pytest.mark.parametrize("inner", derivatives())
def test_no_perturbation_confusion(outer, inner):
    assert outer(lambda x: x * inner(lambda y: x + y, 1.0), 1.0) == 1.0
    assert outer(lambda x: x * inner(lambda y: x * y, 2.0), 3.0) == 6.0


def test_no_perturbation_confusion_with_gradient():
    assert gradient(lambda x: x * gradient(lambda y: x + y, 1.0)[0], 1.0) == (1.0,)


def test_a_loop_with_random_draws():
    def f(a, seed):
        rng = np.random.default_rng(seed)
        X, ll = 1.0, 0.0
        for t in range(4):
            X = a * X + 0.1 + rng.normal()
            ll += (t + 1) * X
        return ll

    verify(f, 0.5, 3)
    g = gradient(f, 0.5, 3)
    assert g[1] is None
    verify(lambda a: f(a, 3), 0.5, want=(g[0],))
