"""Decompositions: losses that do not depend on the choice of vectors, at separated and at repeated values.

The seeds of such a loss are those of finite differences over the factors, and its gradient that over the matrix.
"""

import numpy as np
import pytest
from cases.points import CH, CS, HH, SS, C, H, M, S, T, U, V

from chainrules.testing import call_rule, finite_difference_gradient

R = np.random.default_rng(23)
la = np.linalg
G, GC = R.normal(size=(4, 4)), R.normal(size=(4, 4)) + 1j * R.normal(size=(4, 4))
Q4, Q3 = la.qr(R.normal(size=(4, 4)))[0], la.qr(R.normal(size=(3, 3)))[0]
QC = la.qr(GC)[0]


def weighed(x, shift=0):
    """A real number that depends on every entry."""
    weights = np.cos(np.arange(x.size) + shift).reshape(x.shape)
    return float(np.sum(np.real(x) * weights) + np.sum(np.imag(x) * np.sin(1 + weights)))


def h(x):
    return np.conj(np.swapaxes(x, -1, -2))


def gradient_through(f, loss, a, *args, absent=(), **kwargs):
    """The gradient of ``loss(f(a))`` by the rule; `absent` outputs have no cotangent at all."""
    y, back = call_rule(f, a, *args, **kwargs)
    parts = [p if p.dtype.kind in "fc" else p.astype(float) for p in map(np.asarray, y)]
    seeds = finite_difference_gradient(lambda *parts: loss(*parts), *parts)
    return back(tuple(None if i in absent else s for i, s in enumerate(seeds)))[0]


def check(f, loss, a, *args, absent=(), tolerance=1e-6, **kwargs):
    with np.errstate(all="ignore"):
        got = gradient_through(f, loss, a, *args, absent=absent, **kwargs)
        (wanted,) = finite_difference_gradient(lambda a: loss(*f(a, *args, **kwargs)), a)
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * max(1.0, np.abs(wanted).max(initial=0.0)))


def of_matrix(f):
    return lambda w, v: weighed((v * f(w)[..., None, :]) @ h(v))


def soft(w):
    return np.exp(-0.2 * w)


def projector(k):
    return lambda w, v: weighed(v[..., :k] @ h(v[..., :k]))


@pytest.mark.parametrize("a", [H, HH, CH, np.stack([CH, H + 0j]), QC @ np.diag([1.0, 2.0, 4.0, -1.0]) @ h(QC)])
@pytest.mark.parametrize("uplo", "LU")
@pytest.mark.parametrize("loss", [of_matrix(soft), of_matrix(np.sin), projector(2), lambda w, v: weighed(w)])
def test_eigh(a, uplo, loss):
    check(la.eigh, loss, a, uplo)


def test_phases_of_eigenvectors_have_no_derivative():
    for f, a in ((la.eigh, CH), (la.eig, CS)):
        assert np.isnan(gradient_through(f, lambda w, v: weighed(v), a)).any()
        check(f, lambda w, v: weighed(np.abs(v)), a)


DOUBLE = Q4 @ np.diag([1.0, 2.0, 2.0, 3.0]) @ Q4.T
DOUBLE_C = QC @ np.diag([1.0, 2.0, 2.0, 3.0]) @ h(QC)
REPEATED = [np.eye(4), 2.5 * np.eye(4), np.diag([1.0, 2.0, 2.0, 3.0]), DOUBLE, DOUBLE_C, np.zeros((4, 4))]


@pytest.mark.parametrize("a", REPEATED)
def test_symmetric_functions_of_repeated_eigenvalues(a):
    w_bar = np.cos(la.eigvalsh(a).round(6))
    v = la.eigh(a)[1]
    wanted = (v * np.cos(la.eigvalsh(a))) @ h(v)
    low = np.tril(2 * wanted) - np.diag(np.diag(wanted))
    for seeds in ((w_bar, None), (w_bar, np.zeros_like(v))):
        np.testing.assert_allclose(call_rule(la.eigh, a)[1](seeds)[0], low, atol=1e-12)
    np.testing.assert_allclose(call_rule(la.eigvalsh, a)[1](w_bar)[0], low, atol=1e-12)
    w = la.eigvals(a)
    np.testing.assert_allclose(call_rule(la.eigvals, a)[1](np.cos(w.real) + 0 * w)[0], wanted, atol=1e-7)


@pytest.mark.parametrize("a", [np.diag([1.0, 2.0, 2.0, 3.0]), DOUBLE, DOUBLE_C])
def test_projectors_onto_the_vectors_of_a_repeated_eigenvalue(a):
    def onto_the_double_one(w, v):
        return weighed(v[:, 1:3] @ h(v[:, 1:3]))

    check(la.eigh, onto_the_double_one, a, absent=(0,))
    check(la.eigh, projector(1), a)
    check(la.eigh, projector(3), a, absent=(0,))


@pytest.mark.parametrize("a", [np.eye(4), 2.5 * np.eye(4), DOUBLE, DOUBLE_C])
def test_what_a_repeated_eigenvalue_leaves_open_is_nan(a):
    assert np.isnan(gradient_through(la.eigh, of_matrix(soft), a)).any()
    if a is DOUBLE or a is DOUBLE_C:
        assert np.isnan(gradient_through(la.eigh, lambda w, v: weighed(np.abs(v) ** 2), a, absent=(0,))).any()
    if not np.iscomplexobj(a):
        assert np.isnan(gradient_through(la.eigh, lambda w, v: weighed(v), a)).any()
        assert np.isnan(gradient_through(la.eig, lambda w, v: weighed(v), a)).any()


def test_two_losses_with_the_same_seeds_at_the_unit_matrix():
    # No rule for eigh can tell them apart, so there is no number that it may give.
    def first(w, v):
        return float(np.sum((v * w) @ v.T) + np.sum((v * (w * np.log(w))) @ v.T))

    def second(w, v):
        return float(np.sum((v * w) @ v.T) + np.sum(w * np.log(w)))

    a = np.eye(2)
    parts = la.eigh(a)
    for one, two in zip(*(finite_difference_gradient(f, *parts) for f in (first, second)), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-9)
    gradients = [finite_difference_gradient(lambda a, f=f: f(*la.eigh(a)), a)[0] for f in (first, second)]
    assert not np.allclose(*gradients)
    assert np.isnan(gradient_through(la.eigh, first, a)).any()


def rebuilt(f):
    return lambda u, s, vh: weighed((u[..., : s.shape[-1]] * f(s)[..., None, :]) @ vh[..., : s.shape[-1], :])


def polar(u, s, vh):
    k = s.shape[-1]
    return weighed(u[..., :k] @ vh[..., :k, :])


def null_spaces(u, s, vh):
    k = s.shape[-1]
    return weighed(u[..., k:] @ h(u[..., k:])) + weighed(h(vh[..., k:, :]) @ vh[..., k:, :], 2)


FULL = [M, M.T, C, C.T, S, CS, T, T.swapaxes(1, 2), R.normal(size=(5, 2)), R.normal(size=(2, 5)) * (1 + 1j)]


@pytest.mark.parametrize("a", FULL)
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("loss", [rebuilt(soft), rebuilt(np.sqrt), polar, null_spaces, lambda u, s, vh: weighed(s)])
def test_svd(a, full, loss):
    check(la.svd, loss, a, full)


@pytest.mark.parametrize("a", [H, CH, Q4 @ np.diag([1.0, -2.0, 3.0, -0.5]) @ Q4.T])
def test_svd_of_hermitian_matrices(a):
    for loss in (rebuilt(soft), polar, lambda u, s, vh: weighed(s)):
        check(la.svd, loss, a, hermitian=True)


def test_svd_at_repeated_values():
    orthogonal, thin = Q4, Q4[:, :3]
    for a in (orthogonal, thin, thin.T, QC, np.eye(3), Q4 @ np.diag([3.0, 1.0, 1.0, 2.0])):
        check(la.svd, polar, a, False, absent=(1,))
        s_bar = np.cos(la.svd(a, False)[1])
        u, s, vh = la.svd(a, False)
        wanted = (u * np.cos(s)) @ vh
        for seeds in ((None, s_bar, None), (np.zeros_like(u), s_bar, np.zeros_like(vh))):
            np.testing.assert_allclose(call_rule(la.svd, a, False)[1](seeds)[0], wanted, atol=1e-9)
        np.testing.assert_allclose(call_rule(la.svdvals, a)[1](s_bar)[0], wanted, atol=1e-9)
        assert np.isnan(gradient_through(la.svd, rebuilt(soft), a, False)).any()
        assert np.isnan(gradient_through(la.svd, lambda u, s, vh: weighed(u), a, False)).any()


def test_svd_at_values_that_vanish():
    tall = np.outer(V, U[:3]) + np.outer(U, V[1:])
    square = np.diag([2.0, 1.0, 0.0])
    check(la.svd, rebuilt(lambda s: s), square)
    assert np.isnan(gradient_through(la.svd, rebuilt(lambda s: s), tall, False)).any()
    assert np.isnan(gradient_through(la.svd, rebuilt(lambda s: s), np.diag([2.0, 0.0, 0.0]))).any()

    def of_the_largest_two(u, s, vh):
        return weighed((u[:, :2] * s[:2]) @ vh[:2])

    for a in (tall, square, tall.T * (1 + 1j)):
        check(la.svd, of_the_largest_two, a, False)
    zero = np.zeros((3, 2))
    assert not call_rule(la.svdvals, zero)[1](np.ones(2))[0].any()
    assert not call_rule(la.svd, zero, False)[1]((None, np.ones(2), None))[0].any()


def test_vectors_that_complete_a_basis_have_no_derivative_of_their_own():
    for a in (R.normal(size=(5, 2)), C.T[:, :2]):
        assert np.isnan(gradient_through(la.svd, lambda u, s, vh: weighed(u[:, 2:]), a)).any()
        assert np.isnan(gradient_through(la.qr, lambda q, r: weighed(q[:, 2:]), a, "complete")).any()


@pytest.mark.parametrize("a", [a for a in FULL if a.shape[-1] < a.shape[-2]])
def test_complete_qr(a):
    n = a.shape[-1]
    check(
        la.qr, lambda q, r: weighed(q[..., n:] @ h(q[..., n:])) + weighed(q[..., :n], 1) + weighed(r, 2), a, "complete"
    )


def test_qr_refuses_what_it_cannot():
    with pytest.raises(NotImplementedError, match="raw"):
        call_rule(la.qr, M, "raw")
    _, back = call_rule(la.qr, np.ones((3, 2)) * [[1.0, 0.0]])
    with pytest.raises((AssertionError, NotImplementedError), match="Singular"):
        back((np.ones((3, 2)), np.ones((2, 2))))


@pytest.mark.parametrize("a", [S, SS, CS, np.array([[1.0, -2.0], [3.0, 1.0]]), R.normal(size=(5, 5))])
def test_eig(a):
    def of_matrix(w, v):
        return weighed(np.linalg.solve(h(v), h(v * np.sin(w)[..., None, :])))

    check(la.eig, of_matrix, a)
    check(la.eig, lambda w, v: weighed(np.abs(v)), a)
    check(la.eig, lambda w, v: weighed(w), a)


def test_defective_matrices_have_no_derivative():
    for a in (np.array([[1.0, 1.0], [0.0, 1.0]]), np.eye(3, k=1)):
        assert np.isnan(call_rule(la.eigvals, a)[1](np.ones(len(a)))[0]).all()
        assert np.isnan(call_rule(la.eig, a)[1]((np.ones(len(a)), None))[0]).all()
        assert not call_rule(la.eigvals, a)[1](np.zeros(len(a)))[0].any()


def cofactors(a):
    def minor(i, j):
        return np.delete(np.delete(a, i, 0), j, 1)

    n = len(a)
    return np.array([[(-1) ** (i + j) * la.det(minor(i, j)) for j in range(n)] for i in range(n)])


def test_determinants_of_singular_matrices():
    rank_1, rank_2 = np.outer(V, U), np.outer(V, U) + np.outer(U, [1.0, 2.0, -1.0, 0.5])
    counted = np.arange(1.0, 10.0).reshape(3, 3)
    a = np.stack([rank_2[1:, 1:], rank_1[1:, 1:], S, counted, np.zeros((3, 3))])
    (got,) = call_rule(la.det, a)[1](np.ones(5))
    for one, matrix in zip(got, a, strict=True):
        np.testing.assert_allclose(one, cofactors(matrix), atol=1e-9)
    complex_one = rank_2[1:, 1:] * (1 + 2j) @ np.diag([1.0, 1j, 2.0])
    np.testing.assert_allclose(call_rule(la.det, complex_one)[1](1.0)[0], np.conj(cofactors(complex_one)), atol=1e-9)
    np.testing.assert_allclose(call_rule(la.det, np.diag([2.0, 0.0, 3.0]))[1](1.0)[0], np.diag([0.0, 6.0, 0.0]))
    assert not call_rule(la.det, np.zeros((3, 3)))[1](1.0)[0].any()
    assert call_rule(la.det, np.zeros((1, 1)))[1](2.0)[0].tolist() == [[2.0]]
    assert call_rule(la.det, np.zeros((0, 0)))[1](2.0)[0].shape == (0, 0)


def test_least_squares_of_a_rank_that_is_not_full():
    low = np.outer(V, U[:3]) + np.outer(U, V[1:])
    b = np.array([1.0, -2.0, 0.5, 3.0])
    y, (a_bar, b_bar, *_) = (lambda y, back: (y, back((np.ones(3), None, None, None))))(*call_rule(la.lstsq, low, b))
    assert y[2] == 2
    inverse, back = call_rule(la.pinv, low)
    np.testing.assert_allclose(b_bar, inverse.T @ np.ones(3), atol=1e-12)
    np.testing.assert_allclose(a_bar, back(np.outer(np.ones(3), b))[0], atol=1e-9)
    # The same matrix, moved so that its rank stays: the derivative along that curve.
    d = np.outer(V, [1.0, 0.0, 2.0])
    moved = [la.lstsq(low + t * d, b, 1e-9)[0].sum() for t in (1e-5, -1e-5)]
    np.testing.assert_allclose(np.sum(a_bar * d), (moved[0] - moved[1]) / 2e-5, rtol=1e-5)
    zero_bar, _ = call_rule(la.lstsq, 0 * low, b)[1]((np.ones(3), None, None, np.ones(3)))
    assert not zero_bar.any()


def test_norms_at_kinks():
    for f, a, wanted in (
        (lambda x: (la.norm, x), np.zeros(3), np.zeros(3)),
        (lambda x: (la.norm, x, 3), np.zeros(3), np.zeros(3)),
        (lambda x: (la.norm, x, np.inf), np.array([2.0, -2.0, 1.0]), np.array([1.0, 0.0, 0.0])),
        (lambda x: (la.norm, x, -np.inf), np.array([2.0, -1.0, 1.0]), np.array([0.0, -1.0, 0.0])),
        (lambda x: (la.norm, x, 0), np.array([2.0, 0.0]), np.zeros(2)),
        (lambda x: (la.norm, x, -1), np.array([2.0, 0.0]), np.zeros(2)),
        (lambda x: (la.norm, x, "nuc"), np.diag([2.0, 0.0]), np.diag([1.0, 0.0])),
        (lambda x: (la.norm, x, "nuc"), np.eye(2), np.eye(2)),
        (lambda x: (la.norm, x, 2), np.zeros((2, 2)), np.zeros((2, 2))),
        (lambda x: (la.norm, x, "fro"), np.zeros((2, 2)), np.zeros((2, 2))),
        (lambda x: (la.norm, x, 1), np.eye(2), np.diag([1.0, 0.0])),
    ):
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(call_rule(*f(a))[1](1.0)[0], wanted, atol=1e-12)
    assert np.isnan(call_rule(la.cond, np.zeros((2, 2)))[1](1.0)[0]).all()
