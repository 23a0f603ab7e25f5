"""Polynomials where finite differences do not reach: trimmed zeros, repeated roots, options, and Bessel functions."""

import numpy as np
import pytest
from numpy import polynomial as P

from chainrules import is_non_differentiable, program_of, reason_unsupported, rules_for
from chainrules.library.numpy.bessel import i1
from chainrules.testing import call_rule

BASES = [
    (P.polynomial, "poly"), (P.chebyshev, "cheb"), (P.legendre, "leg"), (P.hermite, "herm"), (P.hermite_e, "herme"),
    (P.laguerre, "lag"),
]  # fmt: skip
R = np.random.default_rng(5)


@pytest.mark.parametrize(("module", "prefix"), BASES)
def test_zeros_that_are_trimmed_have_cotangents(module, prefix):
    add, sub, mul, div = (getattr(module, prefix + name) for name in ("add", "sub", "mul", "div"))
    a, b = np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, -3.0])
    y, back = call_rule(add, a, b)
    assert len(y) == 2
    assert [g.tolist() for g in back(np.array([1.0, 2.0]))] == [[1.0, 2.0, 0.0]] * 2
    _, back = call_rule(sub, a, np.array([0.0, 0.0, 3.0]))
    assert [g.tolist() for g in back(np.array([1.0, 2.0]))] == [[1.0, 2.0, 0.0], [-1.0, -2.0, 0.0]]
    # A zero at the end may become something: its cotangent is that of the longer product.
    seed = R.normal(size=5)
    (got, _) = call_rule(mul, np.append(a, 0.0), b[:2])[1](seed[:4])
    (wanted, _) = call_rule(mul, np.append(a, 1.0), b[:2])[1](np.append(seed[:4], 0.0))
    np.testing.assert_allclose(got, wanted, atol=1e-12)
    y, back = call_rule(div, np.append(a, 0.0), np.append(b[:2], 0.0))
    ones = tuple(map(np.ones_like, y))
    for one, two in zip(back(ones), call_rule(div, a, b[:2])[1](ones), strict=True):
        np.testing.assert_allclose(one, np.append(two, 0.0), atol=1e-12)
    zero = getattr(module, prefix + "int")
    (bar, _, k_bar) = call_rule(zero, np.array([0.0]), 2, [1.5, 2.0])[1](np.ones(len(zero([0.0], 2, [1.5, 2.0]))))
    assert bar.shape == (1,) and len(k_bar) == 2


@pytest.mark.parametrize(("module", "prefix"), BASES)
def test_products_of_high_degree(module, prefix):
    mul = getattr(module, prefix + "mul")
    a, b = R.normal(size=13), R.normal(size=9)
    y, back = call_rule(mul, a, b)
    seed = R.normal(size=len(y))
    wanted = [seed[: len(y)] @ np.append(mul(row, b), np.zeros(len(y)))[: len(y)] for row in np.eye(13)]
    np.testing.assert_allclose(back(seed)[0], wanted, rtol=1e-8)


def test_options_of_fits():
    x = np.linspace(-1.0, 1.0, 6)
    values = np.exp(x)
    for fit in (np.polyfit, *(getattr(m, p + "fit") for m, p in BASES)):
        plain = call_rule(fit, x, values, 2)[1](np.ones(3))
        _, back = call_rule(fit, x, values, 2, None, True)
        rest = (None,) * 4 if fit is np.polyfit else ([None] * 4,)
        for one, two in zip(plain, back((np.ones(3), *rest)), strict=False):
            if one is not None:
                np.testing.assert_allclose(one, two, rtol=1e-12)
        rest = (np.ones(1), *(None,) * 3) if fit is np.polyfit else ([np.ones(1), None, None, None],)
        with pytest.raises(NotImplementedError, match="full=True"):
            back((np.ones(3), *rest))
        with pytest.warns(np.exceptions.RankWarning):
            _, back = call_rule(fit, np.ones(6), values, 2)
        with pytest.raises(NotImplementedError, match="determine all coefficients"):
            back(np.ones(3))
    with pytest.raises(NotImplementedError, match="cov"):
        call_rule(np.polyfit, x, values, 2, None, False, None, True)


def test_repeated_roots_have_no_finite_derivative():
    for roots in (np.roots, P.polynomial.polyroots):
        (bar,) = call_rule(roots, np.array([0.0, 0.0, 1.0])[:: 1 if roots is not np.roots else -1])[1](np.ones(2))
        assert not np.isfinite(bar).all()
    assert np.isfinite(call_rule(np.roots, np.array([1.0, 2.0, 0.0]))[1](np.ones(2))[0]).all()


def test_the_characteristic_polynomial_at_a_defective_matrix():
    a = np.eye(3, k=1)
    (bar,) = call_rule(np.poly, a)[1](np.array([0.0, 0.0, 0.0, 1.0]))
    np.testing.assert_allclose(bar, np.eye(3, k=-2) * -1.0, atol=1e-12)


def test_poly1d_is_not_for_these_rules():
    p = np.poly1d([1.0, 2.0])
    for f, args in ((np.polyadd, (p, [1.0])), (np.polymul, ([1.0], p)), (np.polyval, (p, 2.0)), (np.polyder, (p,))):
        with pytest.raises(AssertionError, match="no rule"):
            call_rule(f, *args)
    assert reason_unsupported(np.poly1d) and not rules_for(np.poly1d)
    assert is_non_differentiable(P.legendre.leggauss) and is_non_differentiable(P.chebyshev.chebpts1)


def test_i1_everywhere():
    special = pytest.importorskip("scipy.special")
    x = np.concatenate((np.linspace(-300, 300, 1001), np.linspace(-31, 31, 801), [0.0, 1e-300, -1e-8]))
    np.testing.assert_allclose(i1(x), special.i1(x), rtol=3e-14)
    np.testing.assert_allclose(call_rule(np.i0, x)[1](np.ones_like(x))[0], special.i1(x), rtol=3e-14)


@pytest.mark.parametrize(("module", "prefix"), BASES)
def test_every_function_of_a_base_is_spoken_for(module, prefix):
    for name in module.__all__:
        f = getattr(module, name)
        if callable(f):
            assert rules_for(f) or program_of(f) or is_non_differentiable(f) or reason_unsupported(f), name
