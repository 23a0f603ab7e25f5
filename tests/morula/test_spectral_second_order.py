"""Second derivatives through factorizations whose factors have a free phase, sign or rotation.

The judge of a first derivative is the program itself, by central differences; that of a second one is the first.
"""

from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg

import morula
from morula import gradient, hessian, jvp

rng = np.random.default_rng(0)
N = 4
A, B, P, Q = rng.normal(size=(4, N, N))
M, T = rng.normal(size=(2, 6, N))
C = rng.normal(size=(N, N)) + 1j * rng.normal(size=(N, N))
L, R = rng.normal(size=(6, 2)), rng.normal(size=(2, N))
AT = np.array([0.3, -0.2])


def general(t):
    return A + 1j * B + t[0] * (P + 1j * Q) + t[1] * (Q - 1j * P)


def hermitian(t):
    x = general(t)
    return x + x.conj().T


def real(t):
    """A matrix with complex eigenvalues."""
    x = A + t[0] * P + t[1] * Q
    return x - x.T + 0.1 * x


def tall(t):
    return M + t[0] * T + t[1] * T**2


def complex_tall(t):
    return tall(t) * (1 + 0.3j * t[0]) + 1j * T * t[1]


def low_rank(t):
    return (L + t[0] * L**2) @ (R + t[1] * R**2)


def eigh_of(use, *options):
    return lambda t: use(*np.linalg.eigh(hermitian(t), *options))


def svd_of(matrix, use, **options):
    return lambda t: use(*np.linalg.svd(matrix(t), **options))


def eig_of(matrix, use):
    return lambda t: use(*np.linalg.eig(matrix(t)))


PROGRAMS = {
    "eigh_element": eigh_of(lambda w, v: abs(v[0, 0]) ** 2),
    "eigh_upper": eigh_of(lambda w, v: abs(v[1, 2]) ** 2, "U"),
    "eigh_projector": eigh_of(lambda w, v: (np.outer(v[:, 0], v[:, 0].conj()) * C).sum().real),
    "eigh_function": eigh_of(lambda w, v: (((v * np.exp(w / 5)) @ v.conj().T) * C).sum().real),
    "svd_left": svd_of(complex_tall, lambda u, s, vh: abs(u[0, 0]) ** 2, full_matrices=False),
    "svd_full": svd_of(complex_tall, lambda u, s, vh: abs(u[0, 0]) ** 2),
    "svd_right": svd_of(general, lambda u, s, vh: abs(vh[0, 1]) ** 2),
    "svd_function": svd_of(general, lambda u, s, vh: (((u * np.exp(-s)) @ vh) * C).sum().real),
    "eig_element": eig_of(general, lambda w, v: abs(v[0, 0]) ** 2),
    "eig_function": eig_of(general, lambda w, v: (v @ np.diag(np.sin(w / 9)) @ np.linalg.inv(v) * C).sum().real),
    "eig_of_real": eig_of(real, lambda w, v: abs(v[0, 0]) ** 2),
    "eig_of_real_function": eig_of(real, lambda w, v: (v @ np.diag(np.sin(w / 9)) @ np.linalg.inv(v) * C).sum().real),
    "eig_values": eig_of(real, lambda w, v: w.real.sum() * w.imag.max() + abs(w).sum()),
    "eig_trace": eig_of(real, lambda w, v: np.exp(w.real.sum())),  # equal seeds leave nothing to the vectors
    "eigvals_trace": lambda t: np.exp(np.linalg.eigvals(real(t)).real.sum()) + np.linalg.eigvals(general(t)).sum().imag,
    "scipy_eigvals": lambda t: (
        (scipy.linalg.eigvals(real(t)) ** 3).sum().real * scipy.linalg.eigvals(real(t)).sum().real
    ),
    "eigvals_of_stacks": lambda t: np.prod(np.linalg.eigvals(np.stack([real(t), real(t) @ A])).sum(axis=1)).real,
    "pinv": lambda t: (np.linalg.pinv(tall(t)) * M.T).sum(),
    "pinv_gram": lambda t: (np.linalg.pinv(low_rank(t).T @ low_rank(t)) * A).sum(),
    "pinv_hermitian": lambda t: (np.linalg.pinv(low_rank(t).T @ low_rank(t), hermitian=True) * A).sum(),
    "pinv_low_rank": lambda t: (np.linalg.pinv(low_rank(t)) * M.T).sum(),
    "pinv_complex": lambda t: (np.linalg.pinv(low_rank(t) * (1 + 0.2j * t[0])) * M.T).sum().real,
    "pinv_cut_off": lambda t: (np.linalg.pinv(tall(t), 0.3) * M.T).sum(),
    "lstsq_low_rank": lambda t: np.linalg.lstsq(low_rank(t), M[:, 0] * t[0], rcond=1e-10)[0].sum(),
}

UNITS = np.eye(2)
NESTINGS = {
    "hessian": hessian,
    "forward_reverse": lambda f, t: np.array([jvp(lambda s: gradient(f, s)[0], (t,), (e,))[1] for e in UNITS]),
    "reverse_forward": lambda f, t: np.array([gradient(lambda s, e=e: jvp(f, (s,), (e,))[1], t)[0] for e in UNITS]),
    "reverse_reverse": lambda f, t: np.array([gradient(lambda s, e=e: gradient(f, s)[0] @ e, t)[0] for e in UNITS]),
    "forward_forward": lambda f, t: np.array([
        [jvp(lambda s, e=e: jvp(f, (s,), (e,))[1], (t,), (d,))[1] for d in UNITS] for e in UNITS
    ]),
}  # fmt: skip


def slopes(f, h=1e-5):
    return np.array([(f(AT + h * e) - f(AT - h * e)) / (2 * h) for e in UNITS])


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_derivatives(name):
    f = PROGRAMS[name]
    np.testing.assert_allclose(gradient(f, AT)[0], slopes(f), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("nesting", NESTINGS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivatives(name, nesting):
    f = PROGRAMS[name]
    want = slopes(lambda t: gradient(f, t)[0])
    assert np.isfinite(want).all()
    np.testing.assert_allclose(NESTINGS[nesting](f, AT), want, rtol=1e-5, atol=1e-5)


def test_third_derivatives():
    f = PROGRAMS["eigh_element"]
    third = lambda t: jvp(lambda s: hessian(f, s)[0], (t,), (UNITS[0],))[1]
    want = slopes(lambda t: hessian(f, t)[0])[0]
    np.testing.assert_allclose(third(AT), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("part", [np.real, np.imag])
@pytest.mark.parametrize("matrix", [hermitian, general], ids=["eigh", "eig"])
def test_a_loss_that_depends_on_a_phase_has_no_second_derivative_either(matrix, part):
    decompose = np.linalg.eigh if matrix is hermitian else np.linalg.eig
    f = lambda t: part((decompose(matrix(t))[1] * C).sum())
    assert np.isnan(gradient(f, AT)[0]).all()
    for name in ("reverse_reverse", "forward_reverse"):
        try:
            found = NESTINGS[name](f, AT)
        except morula.NotDifferentiable:
            continue
        assert np.isnan(found).all()


# -- determinants of matrices that are singular but for rounding ------------------------------------------------


def exact_change(a, v):
    """The change of the cofactors of `a` along `v`, in fractions."""
    n, h = len(a), Fraction(1, 2**30)

    def det(m):
        rows = [[r[:j] + r[j + 1 :] for r in m[1:]] for j in range(len(m))]
        return sum((-1) ** j * m[0][j] * det(rows[j]) for j in range(len(m))) if m else Fraction(1)

    def cofactors(t):
        rows = zip(a.tolist(), v.tolist(), strict=True)
        m = [[Fraction(x) + t * Fraction(y) for x, y in zip(*row, strict=True)] for row in rows]
        without = lambda i, j: [r[:j] + r[j + 1 :] for k, r in enumerate(m) if k != i]
        return [[(-1) ** (i + j) * det(without(i, j)) for j in range(n)] for i in range(n)]

    pairs = zip(cofactors(h), cofactors(-h), strict=True)
    return np.array([[float((p - q) / (2 * h)) for p, q in zip(*rows, strict=True)] for rows in pairs])


@pytest.mark.parametrize("det", [np.linalg.det, scipy.linalg.det])
@pytest.mark.parametrize("rank", [1, 2, 3, 4])
@pytest.mark.parametrize("noise", [0.0, 1e-9])
def test_determinants_beside_singular_matrices(det, rank, noise):
    draws = np.random.default_rng(rank)
    a = draws.normal(size=(4, rank)) @ draws.normal(size=(rank, 4)) + noise * draws.normal(size=(4, 4))
    v = draws.normal(size=(4, 4))
    expected = exact_change(a, v)
    bound = 1e-12 * np.linalg.norm(a) ** 2
    np.testing.assert_allclose(morula.hvp(det, a, v), expected, rtol=1e-9, atol=bound)
    np.testing.assert_allclose(jvp(morula.grad(det), (a,), (v,))[1], expected, rtol=1e-9, atol=bound)
    whole = hessian(det, a).reshape(16, 16) @ v.ravel()
    np.testing.assert_allclose(whole, expected.ravel(), rtol=1e-9, atol=bound)
