"""`scipy.linalg` through the engine: gradients, tangents and second derivatives, against differences."""

import numpy as np
import pytest
import scipy.linalg as la

import morula

A = np.random.default_rng(1).normal(size=(3, 3)) + 3 * np.eye(3)
D = np.random.default_rng(2).normal(size=(3, 3))
b = np.array([1.0, 2.0, 3.0])
EYE = np.eye(3)


def evidence(a):
    c = la.cho_factor(a @ a.T + EYE)
    return b @ la.cho_solve(c, b) + 2 * np.log(np.diag(c[0])).sum()


MAIN = np.array([0.0, 0.0, 9.0])


def wide(a):
    """The upper band of a matrix of order 7."""
    return np.concatenate([a, a[:, ::-1], a[:, :1]], axis=1) + MAIN[:, None]


LOSSES = {
    "solve": lambda a: (la.solve(a, b) ** 2).sum(),
    "solve of a positive definite matrix": lambda a: (la.solve(a @ a.T, b, assume_a="pos") ** 2).sum(),
    "solve that may overwrite": lambda a: (la.solve(a * 1.0, b, overwrite_a=True) ** 2).sum(),
    "inv": lambda a: (la.inv(a) ** 2).sum(),
    "det": lambda a: la.det(a) ** 2,
    "solve_triangular": lambda a: (la.solve_triangular(a, b, lower=True, trans=1) ** 2).sum(),
    "cholesky": lambda a: (la.cholesky(a @ a.T, lower=True) ** 3).sum(),
    "cho_factor and cho_solve": evidence,
    "lu_factor and lu_solve": lambda a: (la.lu_solve(la.lu_factor(a), b) ** 2).sum(),
    "lu": lambda a: (la.lu(a)[2] ** 2).sum(),
    "cholesky_banded": lambda a: (la.cholesky_banded(a + MAIN[:, None])[MAIN > 0, :] ** 3).sum(),
    "cholesky_banded, lower": lambda a: (la.cholesky_banded(a + MAIN[::-1, None], lower=True)[:2, 0] ** 3).sum(),
    "cholesky_banded, all that it returns": lambda a: (
        (la.cholesky_banded(wide(a)) ** 3).sum() + (la.cholesky_banded(wide(a)[::-1], lower=True) ** 3).sum()
    ),
    "cho_solve_banded": lambda a: (
        la.cho_solve_banded((la.cholesky_banded(wide(a)), False), np.arange(7.0)) ** 2
    ).sum(),
    "cho_solve_banded, lower": lambda a: (
        la.cho_solve_banded((la.cholesky_banded(wide(a)[::-1], False, True), True), np.eye(7)[:, :2]) ** 2
    ).sum(),
    "qr": lambda a: (la.qr(a)[0][0] ** 3).sum() + (la.qr(a)[1] ** 2).sum() * 0.1,
    "svdvals": lambda a: (la.svdvals(a) ** 3).sum(),
    "svd": lambda a: (la.svd(a)[0][:, 0] ** 2 * b).sum(),
    "eigh": lambda a: (la.eigh(a @ a.T)[1][:, 0] ** 2 * b).sum(),
    "eigh, generalised": lambda a: (la.eigh(a + a.T, a @ a.T + EYE)[1][:, 0] ** 2 * b).sum(),
    "eigvalsh": lambda a: (la.eigvalsh(a @ a.T) ** 2 * b).sum(),
    "eigvals": lambda a: (la.eigvals(a) ** 3).sum().real,
    "lstsq": lambda a: (la.lstsq(a[:, :2], b)[0] ** 2).sum(),
    "lstsq, gelsy": lambda a: (la.lstsq(a[:, :2], b, lapack_driver="gelsy")[0] ** 2).sum(),
    "pinv": lambda a: (la.pinv(a[:, :2]) ** 2).sum(),
    "pinvh": lambda a: (la.pinvh(a @ a.T) ** 3).sum(),
    "expm": lambda a: (la.expm(a / 3) ** 2 * b).sum(),
    "cosm": lambda a: (la.cosm(a / 3) ** 2 * b).sum(),
    "sinm": lambda a: (la.sinm(a / 3) ** 2 * b).sum(),
    "logm": lambda a: (la.logm(a @ a.T) ** 2 * b).sum(),
    "sqrtm": lambda a: (la.sqrtm(a @ a.T) ** 2 * b).sum(),
    "fractional_matrix_power": lambda a: (la.fractional_matrix_power(a @ a.T, 0.4) ** 2 * b).sum(),
    "solve_sylvester": lambda a: (la.solve_sylvester(a, a.T, a @ a) ** 2 * b).sum(),
    "solve_continuous_lyapunov": lambda a: (la.solve_continuous_lyapunov(a, a @ a.T) ** 2 * b).sum(),
    "solve_discrete_lyapunov": lambda a: (la.solve_discrete_lyapunov(a / 9, a @ a.T) ** 2 * b).sum(),
    "toeplitz": lambda a: (la.toeplitz(a[0], a[1]) ** 3).sum(),
    "block_diag": lambda a: (la.block_diag(a, a @ a) ** 3).sum(),
    "solve_toeplitz": lambda a: (la.solve_toeplitz(a[0] + np.array([5.0, 0, 0]), b) ** 2).sum(),
    "solve_banded": lambda a: (la.solve_banded((1, 1), a + np.array([[0.0], [5.0], [0.0]]), b) ** 2).sum(),
    "norm": lambda a: la.norm(a) ** 3 + la.norm(a, 2),
    "solveh_banded": lambda a: (la.solveh_banded(a[:2] + np.array([[0.0], [5.0]]), b) ** 2).sum(),
    "solveh_banded, lower": lambda a: (la.solveh_banded(a + 9 * EYE[:, :1], a, lower=True) ** 2).sum(),
    "eigh, some": lambda a: (la.eigh(a @ a.T, subset_by_index=[0, 1])[1] ** 3 * a[:, 1:]).sum(),
    "eigh, by value": lambda a: (
        la.eigh(a @ a.T, a.T @ a + EYE, subset_by_value=[0.5, 9.0])[1] ** 2 * b[:, None]
    ).sum(),
    "eigh, none": lambda a: la.eigh(a @ a.T, subset_by_value=[1e3, 1e4])[1].sum() + a[0, 0],
    "eigvalsh, some": lambda a: (la.eigvalsh(a @ a.T, subset_by_index=(1, 2)) ** 2).sum(),
    "eigh, complex": lambda a: (np.abs(la.eigh(a @ a.T + 1j * (a - a.T))[1]) ** 2 * a).sum(),
    "eigh, some complex": lambda a: (
        np.abs(la.eigh(a @ a.T + 1j * (a - a.T), subset_by_index=(0, 1))[1]) ** 2 * a[:, 1:]
    ).sum(),
    "eig, complex": lambda a: (np.abs(la.eig(a + 1j * (a @ a.T) / 9)[1]) ** 2 * a).sum(),
    "svd, complex": lambda a: (np.abs(la.svd(a + 1j * (a @ a.T) / 9)[0]) ** 2 * a).sum(),
    "eig_banded": lambda a: (la.eig_banded(a[:2])[1][:, 0] ** 2 * b).sum(),
    "eigvals_banded": lambda a: (la.eigvals_banded(a, lower=True) * b).sum(),
    "eig_banded, some": lambda a: (la.eig_banded(a[:2], select="i", select_range=(1, 1))[1] ** 2 * a).sum(),
    "eigh_tridiagonal": lambda a: (la.eigh_tridiagonal(a[0], a[1, :2])[1] ** 2 * a).sum(),
    "eigvalsh_tridiagonal": lambda a: (la.eigvalsh_tridiagonal(a[0], a[1, :2]) ** 2 * b).sum(),
    "eigvalsh_tridiagonal, some": lambda a: (la.eigvalsh_tridiagonal(a[0], a[1, :2], "v", (0.0, 9.0)) ** 2).sum(),
    "schur": lambda a: sum((x**3 * a).sum() for x in la.schur(a + np.diag(b) ** 2)),
    "schur, sorted": lambda a: (la.schur(np.diag(b) - a.T @ a / 9, sort="lhp")[0] ** 3 * a).sum(),
    "funm": lambda a: (la.funm(a, lambda x: np.exp(x / 3)) ** 2 * b).sum(),
    "funm, rotating": lambda a: (la.funm(np.diag(b[:2], 1) - np.diag(b[:2], -1) + a / 9, np.sin) ** 2 * b).sum(),
    "solve_continuous_are": lambda a: (la.solve_continuous_are(a, a[:, 1:], a @ a.T, EYE[:2, :2]) ** 2 * b).sum(),
    "solve_discrete_are": lambda a: (la.solve_discrete_are(a, EYE[:, :2] + a[:, 1:], a @ a.T, EYE[:2, :2]) * b).sum(),
    "with a product": lambda a: (la.solve_continuous_are(a, EYE, EYE * 9 + a @ a.T, EYE, s=a / 9) ** 2 * b).sum(),
    "discrete, with a product": lambda a: (la.solve_discrete_are(a, EYE, EYE * 9 + a @ a.T, EYE, s=a / 9) * b).sum(),
    "rq": lambda a: sum((x**3 * a).sum() for x in la.rq(a)) + (la.rq(a[:2], mode="r") ** 2).sum(),
    "qr_multiply": lambda a: (la.qr_multiply(a, a @ a)[0] ** 3 * b).sum(),
    "qr_multiply, left": lambda a: (la.qr_multiply(a, b, "left")[0] ** 3).sum(),
    "expm_frechet, which is followed": lambda a: (la.expm_frechet(a / 3, a.T)[1] ** 2 * b).sum(),
    "null_space, which is followed": lambda a: (la.null_space(a[:2]) ** 4 * b[:, None]).sum(),
    "orthogonal_procrustes, which is followed": lambda a: (la.orthogonal_procrustes(a, EYE)[0] ** 3).sum(),
    "polar, which is followed": lambda a: (la.polar(a)[0] ** 3).sum(),
}


REFUSED = {
    "lstsq": lambda a: la.lstsq(a, np.stack([EYE, EYE]))[0],
    "solve_toeplitz": lambda a: la.solve_toeplitz(a[0], np.stack([EYE, EYE])),
    "solve_banded": lambda a: la.solve_banded((1, 1), a, np.stack([EYE, EYE])),
    "lu": lambda a: la.lu(a[:2])[2],
    "lu_factor": lambda a: la.lu_factor(a[:2])[0],
    "lu_solve": lambda a: la.lu_solve((a[:0], np.zeros(0, int)), np.zeros(0)),
    "solve_sylvester": lambda a: la.solve_sylvester(a[:0], a, a[:0]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_shapes_that_a_rule_is_not_for(name):
    f = REFUSED[name]
    f(A)
    with pytest.raises(morula.NotDifferentiable, match=r"the rules? for scipy\.linalg\.\w+ .*(is|are) for"):
        morula.gradient(lambda a: f(a).sum(), A)


@pytest.mark.parametrize("name", LOSSES)
def test_first_and_second_derivatives(name):
    loss, h = LOSSES[name], 1e-5
    before = A.copy()
    (a_bar,) = morula.gradient(loss, A)
    slope = (loss(A + h * D) - loss(A - h * D)) / (2 * h)
    assert (a_bar * D).sum() == pytest.approx(slope, rel=1e-6, abs=1e-7)
    assert morula.jvp(loss, (A,), (D,))[1] == pytest.approx(slope, rel=1e-6, abs=1e-7)
    (product,) = morula.gradient(lambda a: (morula.gradient(loss, a)[0] * D).sum(), A)
    wanted = (morula.gradient(loss, A + h * D)[0] - morula.gradient(loss, A - h * D)[0]) / (2 * h)
    assert np.allclose(product, wanted, rtol=1e-5, atol=1e-6)
    assert np.array_equal(A, before)


def test_what_may_be_overwritten_is_not():
    def loss(a, x):
        y = la.solve(a, x, overwrite_a=True, overwrite_b=True)
        return (y * x).sum() + a[0, 1]

    a, x = np.asfortranarray(A), b.copy()
    a_bar, x_bar = morula.gradient(loss, a, x)
    assert np.array_equal(a, A) and np.array_equal(x, b)
    inverse = np.linalg.inv(A)
    assert np.allclose(x_bar, inverse @ b + inverse.T @ b)
    first = np.zeros((3, 3))
    first[0, 1] = 1.0
    assert np.allclose(a_bar, first - np.outer(inverse.T @ b, inverse @ b))


ALSO_REFUSED = {
    "take eig": lambda a: la.schur(a - a.T)[0],
    "repeated": lambda a: la.schur(EYE * a[0, 0])[0],
    "distinct": lambda a: la.funm(EYE * a[0, 0], np.exp),
    "solveh_banded": lambda a: la.cholesky_banded(a + 1j + MAIN[:, None] - 1j * (MAIN[:, None] > 0)).real,
    "by its inverse": lambda a: la.solve_continuous_are(a, EYE, EYE, EYE, e=EYE * 2),
    "from the matrix": la.hessenberg,
}


@pytest.mark.parametrize("words", ALSO_REFUSED)
def test_what_is_refused(words):
    f = ALSO_REFUSED[words]
    f(A)
    with pytest.raises(morula.NotDifferentiable, match=words):
        morula.gradient(lambda a: np.sum(f(a)), A)


def test_vectors_of_one_matrix_alone_are_refused_where_they_are_not_known():
    with pytest.raises(morula.NotDifferentiable, match="choice"):
        morula.gradient(lambda a: np.real(la.schur(a, "complex")[1] ** 3).sum(), A)
