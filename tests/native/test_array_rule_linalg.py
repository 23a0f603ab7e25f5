"""The rules for solving, inverting, determinants, powers and Cholesky factors."""

import numpy as np
import pytest

pytest.importorskip("numba")

from array_rule_checks import check, check_compiled, name_of_case, often

from morula.static.numba.array_rules import RULES

rng = np.random.default_rng(5)
TYPES = [float, np.float32, complex]


def array(shape, dtype=float):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x, dtype)


def regular(n, dtype=float):
    return (array((n, n), dtype) + 3 * np.eye(n)).astype(dtype)


def positive(n, dtype=float):
    """Hermitian in the lower triangle; the upper one is not read."""
    x = array((n, n), dtype)
    return np.asarray(np.tril(x @ np.conj(x.T) + n * np.eye(n)) + np.triu(array((n, n), dtype), 1), dtype)


def singular(n, rank, dtype=float):
    return np.asarray(array((n, rank), dtype) @ array((rank, n), dtype), dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("b", [(3,), (3, 2), (3, 0)], ids=str)
def test_solve(b, dtype):
    check(np.linalg.solve, regular(3, dtype), array(b, dtype))
    check(np.linalg.solve, regular(6, dtype)[::2, ::2], array(b, dtype))


def test_solve_of_a_seed_that_is_not_finite():
    a, b = regular(2), array(2)
    b_bar = np.zeros(2)
    RULES[np.linalg.solve].adjoint(np.linalg.solve(a, b), np.array([np.inf, 1.0]), a, b, None, b_bar)
    assert np.isnan(b_bar).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("f", [np.linalg.inv, np.linalg.det, np.linalg.slogdet], ids=lambda f: f.__name__)
def test_of_a_square_matrix(f, dtype):
    for a in (regular(1, dtype), regular(3, dtype), regular(4, dtype).T, regular(6, dtype)[::2, ::2]):
        check(f, a)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_determinant_of_a_singular_matrix(rank, dtype):
    a = singular(4, rank, dtype)
    y = np.linalg.det(a)
    zero = y * 0
    a_bar = np.zeros_like(a)
    RULES[np.linalg.det].adjoint(zero, 1.0, a, a_bar)
    minors = [
        [np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) * (-1) ** (i + j) for j in range(4)] for i in range(4)
    ]
    np.testing.assert_allclose(a_bar, np.conj(minors), atol=1e-12)
    check(np.linalg.det, a, library=False, tol=1e-6)


def test_determinant_out_of_range():
    a = np.diag([1e-200, 1e-200, 1e200])
    a_bar = np.zeros_like(a)
    RULES[np.linalg.det].adjoint(0.0, 1.0, a, a_bar)
    np.testing.assert_allclose(np.diag(a_bar), [1.0, 1.0, 0.0])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_cholesky(n, dtype):
    check(np.linalg.cholesky, positive(n, dtype))
    check(np.linalg.cholesky, positive(2 * n, dtype)[::2, ::2])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, -1, -3])
def test_matrix_power(n):
    check(np.linalg.matrix_power, regular(3) / 3, n)
    check(np.linalg.matrix_power, regular(2, complex).T / 3, n)


COMPILED = [
    (np.linalg.cholesky, (positive(3),)),
    (np.linalg.slogdet, (regular(3),)),
    (np.linalg.solve, (regular(3), array(3))),
    (np.linalg.solve, (regular(3, complex), array((3, 2), complex))),
    (np.linalg.inv, (regular(3),)),
    (np.linalg.det, (regular(3),)),
    (np.linalg.slogdet, (regular(3, complex),)),
    (np.linalg.cholesky, (positive(3, complex),)),
    (np.linalg.matrix_power, (regular(3), 3)),
]


@pytest.mark.parametrize("case", often(COMPILED, 2), ids=name_of_case)
def test_compiled(case):
    f, args = case
    check_compiled(f, *args)
