"""The rules for norms, pseudo-inverses, least squares, QR factors and covariances."""

import numpy as np
import pytest

pytest.importorskip("numba")

from array_rule_checks import check, check_compiled, name_of_case, often

from morula.static.numba.array_rules import RULES

rng = np.random.default_rng(11)
TYPES = [float, np.float32, complex]


def array(shape, dtype=float):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x, dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_norms(dtype):
    check(np.linalg.norm, array(4, dtype))
    check(np.linalg.norm, array((3, 4), dtype).T)
    for p in (2, 1, 3, 0.5, 0, -1, np.inf, -np.inf):
        check(np.linalg.norm, array(4, dtype), p)
    for p in (1, -1, 2, -2, np.inf, -np.inf):
        check(np.linalg.norm, array((3, 4), dtype), p)


def test_norms_of_zeros_and_ties():
    for p in (None, 1, 2, 3, np.inf, -np.inf):
        check(np.linalg.norm, np.zeros(3), p, smooth=False)
        check(np.linalg.norm, np.array([1.0, 0.0, -1.0]), p, smooth=False)
        if p != 3:
            check(np.linalg.norm, np.zeros((2, 2)), p, smooth=False)
            check(np.linalg.norm, np.array([[1.0, 0.0], [0.0, -1.0]]), p, smooth=False, library=p != 2)
    check(np.linalg.norm, np.zeros(0), smooth=False)


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, np.inf])
def test_cond(p):
    check(np.linalg.cond, array((3, 3)), p, tol=1e-5, step=1e-5)
    check(np.linalg.cond, array((2, 2), complex), p, tol=1e-5, step=1e-5)
    if p is None:
        check(np.linalg.cond, array((3, 2)), p, tol=1e-5, step=1e-5)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)], ids=str)
def test_pinv(shape, dtype):
    check(np.linalg.pinv, array(shape, dtype))
    low = array((4, 2), dtype) @ array((2, 3), dtype)
    check(np.linalg.pinv, low, smooth=False)
    check(np.linalg.pinv, np.diag([3.0, 2.0, 0.1]) + 0.01 * array((3, 3)), 0.1)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("b", [(4,), (4, 2)], ids=str)
def test_lstsq(b, dtype):
    for a in (array((4, 2), dtype), array((4, 4), dtype) + 3 * np.eye(4), array((4, 6), dtype)):
        check(np.linalg.lstsq, a, array(b, dtype), -1.0, tol=1e-5)
    low = array((4, 2), dtype) @ array((2, 3), dtype)
    check(np.linalg.lstsq, low, array(b, dtype), 1e-12, smooth=False)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (1, 3)], ids=str)
def test_qr(shape, dtype):
    check(np.linalg.qr, array(shape, dtype))


def test_qr_of_a_singular_matrix_is_refused():
    a = np.array([[1.0, 2.0], [2.0, 4.0]])
    q, r = np.linalg.qr(a)
    with pytest.raises(NotImplementedError, match="full rank"):
        RULES[np.linalg.qr].adjoint((q, r), (q, r), a, np.zeros_like(a))


COVARIANCES = [
    (array((3, 5)),),
    (array((3, 5)), array((2, 5))),
    (array((3, 5)), array(5)),
    (array(5), array(5)),
    (array((5, 3)), None, False),
    (array((3, 5), complex), array((2, 5))),
]


@pytest.mark.parametrize("args", COVARIANCES, ids=lambda args: str([np.shape(a) for a in args]))
def test_covariances(args):
    check(np.cov, *args)
    check(np.corrcoef, *args)


def test_covariances_with_other_divisors():
    check(np.cov, array(5))
    check(np.cov, array((2, 5)), None, True, True)
    check(np.cov, array((2, 5)), None, True, False, 2)


def test_correlation_of_a_constant_is_not_a_number():
    x = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 4.0]])
    with np.errstate(all="ignore"):
        y = np.corrcoef(x)
        x_bar = np.zeros_like(x)
        RULES[np.corrcoef].adjoint(y, np.ones((2, 2)), x, None, True, x_bar, None)
    assert np.isnan(x_bar).any()


COMPILED = [
    (np.linalg.norm, (array(4),)),
    (np.linalg.norm, (array((3, 2), complex),)),
    (np.linalg.norm, (array(4), 3)),
    (np.linalg.norm, (array((3, 2)), 2)),
    (np.linalg.cond, (array((3, 3)),)),
    (np.linalg.pinv, (array((3, 2)),)),
    (np.linalg.lstsq, (array((3, 2)), array(3), -1.0)),
    (np.linalg.qr, (array((3, 2)),)),
    (np.cov, (array((3, 5)),)),
    (np.corrcoef, (array((3, 5)), array(5))),
]


@pytest.mark.parametrize("case", often(COMPILED, 1), ids=name_of_case)
def test_compiled(case):
    f, args = case
    check_compiled(f, *args)
