"""What NumPy writes in Python: polynomials as objects, functions with complex results, questions about masks."""

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial
from test_enumeration import central

import morula

CLASSES = [Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre]


def against_differences(f, x=0.7, rel=1e-5):
    want = central(f, x, 1e-6)
    value, (x_bar,) = morula.withgradient(f, x)
    np.testing.assert_array_equal(value, f(x))
    np.testing.assert_allclose(0.0 if x_bar is None else x_bar, want, rtol=rel, atol=1e-7)
    if isinstance(x, float):
        np.testing.assert_allclose(morula.jvp(f, (x,), (1.0,))[1], want, rtol=rel, atol=1e-7)


OPERATIONS = {
    "call": lambda P, x: P([x, 2.0, x * x])(1.5),
    "at": lambda P, x: P([1.0, 2.0, 3.0])(x),
    "at_array": lambda P, x: P([1.0, x, 3.0])(np.array([x, 0.2])).sum(),
    "add": lambda P, x: (P([1.0, x]) + P([x, 2.0, 3.0]))(x),
    "sub": lambda P, x: (P([1.0, x]) - x)(0.3),
    "neg": lambda P, x: (-P([1.0, x]))(0.3),
    "mul": lambda P, x: (P([1.0, 2.0, x]) * P([x, 1.0]))(2.0),
    "rmul": lambda P, x: (x * P([1.0, 2.0, x]))(2.0),
    "truediv": lambda P, x: (P([1.0, 2.0, x]) / x)(2.0),
    "floordiv": lambda P, x: (P([1.0, 2.0, x]) // P([x, 1.0]))(2.0),
    "mod": lambda P, x: (P([1.0, 2.0, x]) % P([x, 1.0]))(2.0),
    "divmod": lambda P, x: sum(q(2.0) for q in divmod(P([1.0, 2.0, x]), P([x, 1.0]))),
    "pow": lambda P, x: (P([1.0, x]) ** 3)(0.4),
    "deriv": lambda P, x: P([1.0, 2.0, x, x * x]).deriv(2)(2.0),
    "integ": lambda P, x: P([1.0, 2.0, x]).integ()(x),
    "roots": lambda P, x: P([-1.0, 2.0, x]).roots().real.sum(),  # which may be complex
    "fit": lambda P, x: P.fit([1.0, 2.0, 2.5, 4.0], [x, 1.0, 3.0, x * x], 2)(2.0),
    "fromroots": lambda P, x: P.fromroots([x, 2.0])(0.3),
    "domain": lambda P, x: P([1.0, x, 2.0], domain=[0.0, 3.0])(x),
    "coef": lambda P, x: P([1.0, x, 2.0]).coef @ np.array([1.0, x, 2.0]),
    "trim": lambda P, x: P([1.0, x, 0.0]).trim()(0.3),
    "truncate": lambda P, x: P([1.0, x, 3.0]).truncate(2)(0.3),
    "cutdeg": lambda P, x: P([1.0, x, 3.0]).cutdeg(1)(0.3),
    "copy": lambda P, x: P([1.0, x, 3.0]).copy()(0.3),
    "items": lambda P, x: sum(c * c for c in P([1.0, x, 3.0])) + len(P([x, 1.0])),
    "linspace": lambda P, x: P([1.0, x, 3.0]).linspace(4)[1].sum(),
    "convert": lambda P, x: P([1.0, x, 3.0]).convert(kind=Polynomial)(0.3),
    "basis": lambda P, x: P.basis(3)(x),
}


@pytest.mark.parametrize("P", CLASSES, ids=lambda P: P.__name__)
@pytest.mark.parametrize("name", [*OPERATIONS])
def test_polynomials(name, P):
    against_differences(lambda x: float(OPERATIONS[name](P, x)))


ONE_D = {
    "call": lambda x: np.poly1d([x, 2.0, 3.0])(1.5),
    "at": lambda x: np.poly1d([1.0, 2.0, 3.0])(x),
    "mul": lambda x: (np.poly1d([1.0, 2.0, x]) * np.poly1d([x, 1.0]))(2.0),
    "add": lambda x: (np.poly1d([1.0, 2.0, x]) + np.poly1d([x, 1.0]) - x)(2.0),
    "pow": lambda x: (np.poly1d([x, 1.0]) ** 2)(2.0),
    "scaled": lambda x: (2.0 * np.poly1d([x, 1.0]) / x)(2.0),
    "deriv": lambda x: np.poly1d([1.0, 2.0, x]).deriv()(x),
    "integ": lambda x: np.poly1d([1.0, 2.0, x]).integ()(x),
    "item": lambda x: np.poly1d([1.0, 2.0, x])[0] * np.poly1d([x, 2.0]).coeffs[0],
    "roots": lambda x: np.poly1d([-1.0, 2.0, x]).roots.sum(),
    "from_roots": lambda x: np.poly1d([x, 2.0], r=True)(0.3),
}


@pytest.mark.parametrize("f", ONE_D.values(), ids=[*ONE_D])
def test_poly1d(f):
    against_differences(lambda x: float(f(x)))


COMPLEX = {
    "sqrt": lambda x: np.emath.sqrt(x),
    "sqrt_of_negative": lambda x: np.emath.sqrt(-x).imag,
    "log": lambda x: np.emath.log(x) + np.emath.log(-x).real,
    "log2": lambda x: np.emath.log2(x),
    "log10": lambda x: np.emath.log10(x),
    "logn": lambda x: np.emath.logn(2.0, x),
    "power": lambda x: np.emath.power(x, 2.5) + np.emath.power(-x, 2.5).imag,
    "arccos": lambda x: np.emath.arccos(x) + np.emath.arccos(x * 3.0).imag,
    "arcsin": lambda x: np.emath.arcsin(x),
    "arctanh": lambda x: np.emath.arctanh(x),
    "array": lambda x: np.abs(np.emath.sqrt(np.array([x, -2.0 * x]))).sum(),
}


@pytest.mark.parametrize("f", COMPLEX.values(), ids=[*COMPLEX])
def test_complex_results(f):
    against_differences(lambda x: float(f(x)))


MASKS = {
    "isMaskedArray": lambda x: x if np.ma.isMaskedArray(np.array([x])) else 2 * x,
    "getmask": lambda x: 3 * x if np.ma.getmask(np.array([x])) is np.ma.nomask else 2 * x,
    "is_masked": lambda x: x if np.ma.is_masked([x]) else 2 * x,
    "filled": lambda x: np.ma.filled(np.array([x, 2.0]))[0] * 3.0,
    "filled_list": lambda x: np.ma.filled([x, 2.0])[0] * 3.0,
    "getdata": lambda x: np.ma.getdata(np.array([x, 2.0]))[0] * x,
    "count": lambda x: np.ma.count(np.array([x, 2.0])) * x,
}


@pytest.mark.parametrize("f", MASKS.values(), ids=[*MASKS])
def test_masks_of_plain_arrays(f):
    against_differences(lambda x: float(f(x)))


BROADCAST = {
    "numbers": lambda x: np.broadcast_arrays(x, 2.0)[0] * 2,
    "number_and_array": lambda x: sum(v.sum() for v in np.broadcast_arrays(x, np.ones(3))),
    "list": lambda x: sum(v.sum() for v in np.broadcast_arrays([x, 3 * x], 2.0)),
    "same": lambda x: np.broadcast_arrays(np.array([x, 2.0]), np.array([1.0, x]))[1][1] * x,
}


@pytest.mark.parametrize("f", BROADCAST.values(), ids=[*BROADCAST])
def test_broadcast_arrays(f):
    against_differences(lambda x: float(f(x)))


def test_broadcast_arrays_of_an_active_array():
    a = np.array([[1.0], [2.0]])
    f = lambda x: float(sum((v * v).sum() for v in np.broadcast_arrays(x, 2.0, np.arange(3.0))))
    against_differences(f, a)
