"""The rules for eigenvalues, eigenvectors and singular values: separated, repeated, vanishing."""

import numpy as np
import pytest

from chainrules.testing.calling import call_rule

pytest.importorskip("numba")

from array_rule_checks import check, check_compiled, name_of_case, often

from morula.static.numba.array_rules import RULES

rng = np.random.default_rng(6)
TYPES = [float, np.float32, complex]


def array(shape, dtype=float):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x, dtype)


def of_values(values, dtype=float):
    q = np.linalg.qr(array((len(values), len(values)), dtype))[0]
    return (q * np.array(values)) @ np.conj(q.T)


def bars(f, a, y_bar, *rest):
    """The rule's cotangent, and the library's."""
    y = f(a, *rest)
    a_bar = np.zeros(a.shape, a.dtype)
    RULES[f].adjoint(y, y_bar, a, *(rest or RULES[f].defaults.values()), a_bar)
    return a_bar, call_rule(f, a, *rest)[1](y_bar)[0]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_eigvalsh(n, dtype):
    check(np.linalg.eigvalsh, array((n, n), dtype))
    check(np.linalg.eigvalsh, array((2 * n, 2 * n), dtype)[::2, ::2])


@pytest.mark.parametrize("n", [0, 1, 3, 4])
def test_eigh(n):
    check(np.linalg.eigh, array((n, n)), smooth=n > 0)
    check(np.linalg.eigh, array((n, n), np.float32).T, smooth=False, tol=2e-3)


def test_eigh_of_complex_matrices():
    # A loss of the vectors that does not depend on their phases.
    a = array((3, 3), complex)
    c = array((3, 3), complex)
    _, v = np.linalg.eigh(a)
    found, expected = bars(np.linalg.eigh, a, (array(3), (c + np.conj(c.T)) @ v * np.array([1.0, 2.0, 3.0])))
    np.testing.assert_allclose(found, expected)
    assert np.isfinite(found).all()
    found, expected = bars(np.linalg.eigh, a, (array(3), array((3, 3), complex)))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    assert np.isnan(found).any()


@pytest.mark.parametrize("dtype", [float, complex])
def test_eigh_at_repeated_values(dtype):
    a = of_values([1.0, 2.0, 2.0, 3.0], dtype)
    _, v = np.linalg.eigh(a)
    none = np.zeros_like(v)
    for y_bar in [
        (array(4), none),  # of the values alone
        (None, 2 * v[:, 1:3] @ np.conj(v[:, 1:3].T) @ v),  # of a projector
        (array(4), v),  # of both
        (np.zeros(4), v),
        (None, array((4, 4), dtype)),
    ]:
        seeds = tuple([None if g is None else g for g in y_bar])
        found, expected = bars(np.linalg.eigh, a, seeds)
        np.testing.assert_array_equal(np.isnan(np.tril(found)), np.isnan(np.tril(expected)))
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [float, complex])
def test_eigenvalues_of_other_matrices(dtype):
    own = np.random.default_rng(1)  # of the values of a matrix that is drawn anew two may nearly meet
    turn = own.standard_normal((3, 3)) + (1j * own.standard_normal((3, 3)) if dtype is complex else 0.0)
    a = np.diag([1.0, 2.0, 4.0]).astype(dtype) + 0.1 * turn
    check(np.linalg.eigvals, a)
    if dtype is float:
        check(np.linalg.eig, a)
    found, expected = bars(np.linalg.eig, a, (array(3, dtype), array((3, 3), dtype)))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    _, v = np.linalg.eig(a)
    found, expected = bars(np.linalg.eig, a, (array(3, dtype), np.conj(np.linalg.inv(v)).T * array(3)))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


def test_no_basis_of_eigenvectors():
    for f in (np.linalg.eigvals,):
        found, expected = bars(f, np.array([[1.0, 1.0], [0.0, 1.0]]), np.ones(2))
        assert np.isnan(found).all() and np.isnan(expected).all()


SHAPES = [(3, 3), (4, 2), (2, 4), (1, 1), (3, 1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_svd(shape):
    check(np.linalg.svd, array(shape), False)
    check(np.linalg.svd, array(shape, np.float32), False, smooth=False, tol=5e-3)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_svd_of_values_and_gauge_free_seeds(shape, dtype):
    a = array(shape, dtype)
    for full in (False, True):
        u, s, vh = np.linalg.svd(a, full)
        zeros = np.zeros_like(u), np.zeros_like(vh)
        c, d = array((shape[0],) * 2, dtype), array((shape[1],) * 2, dtype)
        # Losses of the projectors onto the spans do not depend on phases, nor on the vectors that complete them.
        n = len(s)
        u_bar, v_bar = np.zeros_like(u), np.zeros_like(vh)
        u_bar[:, :n] = (c + np.conj(c.T)) @ u[:, :n] * np.arange(1, n + 1)
        v_bar[:n] = (vh[:n].T * np.arange(1, n + 1)).T @ (d + np.conj(d.T))
        for y_bar in [(zeros[0], array(n), zeros[1]), (u_bar, array(n), v_bar), (None, array(n), None)]:
            found, expected = bars(np.linalg.svd, a, y_bar, full)
            np.testing.assert_allclose(found, expected, atol=1e-11)
            assert np.isfinite(found).all()
    found, expected = bars(np.linalg.svd, a, (array(u.shape, dtype), array(n), array(vh.shape, dtype)), True)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("dtype", [float, complex])
def test_svd_at_repeated_and_vanishing_values(dtype):
    u, v = (np.linalg.qr(array((4, 4), dtype))[0] for _ in range(2))
    for values in ([2.0, 2.0, 1.0, 0.5], [3.0, 2.0, 0.0, 0.0], [2.0, 2.0, 2.0, 2.0], [0.0] * 4):
        a = (u * np.array(values)) @ np.conj(v.T)
        p, _, qh = np.linalg.svd(a, False)
        zeros = np.zeros_like(p)
        # The polar factor, whose loss is known, and seeds of everything, whose is not.
        for y_bar in [
            (zeros, array(4), zeros),
            (None, None, None),
            (p @ qh @ np.conj(qh.T), None, np.conj(p.T) @ p @ qh),
        ]:
            y_bar = tuple([zeros if g is None and k != 1 else g for k, g in enumerate(y_bar)])
            found, expected = bars(np.linalg.svd, a, y_bar, False)
            np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
            np.testing.assert_allclose(found, expected, atol=1e-10)
        found, expected = bars(np.linalg.svd, a, (array((4, 4), dtype), array(4), array((4, 4), dtype)), False)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


COMPILED = [
    (np.linalg.eigh, (array((3, 3)),)),
    (np.linalg.eigvalsh, (array((3, 3), complex),)),
    (np.linalg.eig, (np.diag([1.0, 2.0, 4.0]) + 0.1 * array((3, 3)),)),
    (np.linalg.eigvals, (np.diag([1.0, 2.0, 4.0]) + 0.1 * array((3, 3)),)),
    (np.linalg.svd, (array((3, 2)), False)),
]


@pytest.mark.parametrize("case", often(COMPILED, 1), ids=name_of_case)
def test_compiled(case):
    f, args = case
    check_compiled(f, *args)
