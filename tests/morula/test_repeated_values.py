"""Second derivatives of eigenvalues, singular values and their vectors, where others repeat."""

import numpy as np
import pytest
import scipy.linalg

import morula

RNG = np.random.default_rng(0)
FLAT = RNG.normal(size=(2, 5))  # of rank 2: x.T @ x has the eigenvalue 0 three times
STEP = RNG.normal(size=(2, 5))
TO = np.arange(5.0)


def along(v):
    return v * np.sign(v[0]) @ TO


def principal(x, svd=np.linalg.svd):
    u, s, vh = svd(np.vstack([x, 2 * x]))
    return s[0] * along(vh[0]) + u[0, 0] * u[1, 0]


def first_of(eigh):
    def f(x):
        w, v = eigh(x.T @ x)
        return w[-1] * along(v[:, -1]) + along(v[:, -2])

    return f


PROGRAMS = {
    "eigh": first_of(np.linalg.eigh),
    "scipy eigh": first_of(scipy.linalg.eigh),
    "a stack": lambda x: along(np.linalg.eigh(np.stack([x.T @ x, x.T @ x + np.diag(TO)]))[1][0, :, -1]),
    "svd": principal,
    "scipy svd": lambda x: principal(x, scipy.linalg.svd),
    "thin svd": lambda x: along(np.linalg.svd(np.vstack([x, x, x, x]), full_matrices=False)[2][1]),
    "svd of a symmetric matrix": lambda x: along(np.linalg.svd(x.T @ x, hermitian=True)[2][0]),
    "a projector": lambda x: (lambda v: (v @ v.T)[0, 1])(np.linalg.eigh(x.T @ x)[1][:, -2:]),
    "largest value": lambda x: np.linalg.eigvalsh(x.T @ x)[-1] ** 2,
    "sum of cubes": lambda x: (np.linalg.svd(np.vstack([x, x]), compute_uv=False) ** 3).sum(),
    "spectral norm": lambda x: np.linalg.norm(x.T @ x, 2),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_others_repeat(name):
    f = PROGRAMS[name]
    g = lambda x: morula.gradient(f, x)[0]
    near = [g(FLAT + k * 1e-4 * STEP) for k in (-2, -1, 1, 2)]
    expected = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / 12e-4
    np.testing.assert_allclose(morula.hvp(f, FLAT, STEP), expected, rtol=1e-6, atol=1e-7)
    slope = morula.gradient(lambda x: np.sum(morula.gradient(f, x)[0] * STEP), FLAT)[0]
    np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-7)


def test_a_value_that_splits():
    """The second derivative hangs on how the function treats the halves, which no rule for the values can know."""
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    for f in (
        lambda a: np.sum(np.linalg.eigvalsh(a) ** 2),
        lambda a: np.sum(np.log(np.linalg.eigvalsh(a))),
        lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 2),
        lambda a: np.sum(scipy.linalg.eigvalsh(a) ** 2),
        lambda a: np.linalg.eigh(a)[1][0, 0],
        lambda a: np.sum(np.linalg.eigvals(a).real ** 2),
        lambda a: np.sum(scipy.linalg.eigvalsh(a, 2 * np.eye(2)) ** 2),
        lambda a: np.sum((np.linalg.eigvalsh(a) - 1) ** 2),
        lambda a: np.sum((np.linalg.svdvals(a) - 1) ** 2),
    ):
        assert np.isnan(morula.hvp(f, np.eye(2), turn)).any()
    cross = np.diag([1.0, 1.0, 0.0])[[1, 0, 2]]
    assert np.isnan(morula.hvp(lambda a: np.sum(np.linalg.eigvalsh(a) ** 2), np.diag([0.0, 0.0, 1.0]), cross)).any()
    straight = morula.hvp(lambda a: np.sum(np.linalg.eigvalsh(a) ** 2), np.eye(2), np.eye(2))
    np.testing.assert_allclose(straight, 2 * np.eye(2), atol=1e-12)


def test_seeds_that_are_nan_stay_nan():
    assert np.isnan(morula.gradient(lambda a: np.sum(np.linalg.eigh(a)[1] * np.nan), np.eye(2))[0]).any()


def test_complex_values():
    a = np.diag([1.0, 1.0, 4.0]) + 0j
    t = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
    t = t + t.conj().T
    f = lambda s: np.linalg.eigvalsh(a + s * t)[-1]
    expected = (f(1e-3) - 2 * f(0.0) + f(-1e-3)) / 1e-6
    assert morula.hessian(f, 0.0) == pytest.approx(expected, rel=1e-4)


PAIR, SPLIT = np.diag([1.0, 1.0, 2.0]), np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
VALUES = {
    "eigvalsh": np.linalg.eigvalsh,
    "eigh": lambda a: np.linalg.eigh(a)[0],
    "svd": lambda a: np.sort(np.linalg.svd(a, compute_uv=False)),
    "svdvals": lambda a: np.sort(np.linalg.svdvals(a)),
    "eigvals": lambda a: np.sort(np.linalg.eigvals(a).real),
    "scipy eigvalsh": scipy.linalg.eigvalsh,
    "scipy eigh": lambda a: scipy.linalg.eigh(a)[0],
    "generalised": lambda a: scipy.linalg.eigvalsh(a, np.eye(3)),
}
NESTINGS = [
    lambda f: morula.hvp(f, PAIR, SPLIT),
    lambda f: morula.jvp(lambda a: morula.gradient(f, a)[0], (PAIR,), (SPLIT,))[1],
    lambda f: morula.gradient(lambda a: np.sum(morula.gradient(f, a)[0] * SPLIT), PAIR)[0],
    lambda f: morula.gradient(lambda a: morula.jvp(f, (a,), (SPLIT,))[1], PAIR)[0],
]


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("nesting", NESTINGS)
def test_a_pair_that_splits_where_its_seeds_are_zero(name, nesting):
    """A seed of zero may be that of a value that nobody uses, or of one at which a function is stationary."""
    values = VALUES[name]
    for f in (lambda w: np.sum((w - 1) ** 2), lambda w: (w[0] - 1) * (w[1] - 1) + w[2] ** 2):
        assert np.isnan(nesting(lambda a, f=f: f(values(a)))).any()
    for f in (
        lambda w: w[-1] ** 2,
        lambda w: np.max(w) ** 2,
        lambda w: np.where(w > 1.5, w * w, 0.0).sum(),
        lambda w: (w * np.array([0.0, 0.0, 1.0])).sum() ** 2,
        lambda w: np.sum((w - 1) ** 3),
    ):
        np.testing.assert_allclose(nesting(lambda a, f=f: f(values(a))), np.zeros((3, 3)), atol=1e-12)
