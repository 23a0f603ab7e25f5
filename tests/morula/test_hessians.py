"""`hessian`, `hvp`, `diaghessian`, `laplacian`: against differences of gradients, SciPy and mathematics."""

import cmath
import contextlib
import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der, rosen_hess, rosen_hess_prod

import chainrules
import morula
from chainrules import Tangent
from morula import diaghessian, gradient, hessian, hvp, jacobian, jvp, laplacian, wirtinger, withjacobian

X = np.array([0.4, -0.8, 1.3, 0.2])
V = np.array([1.0, -0.5, 0.25, 2.0])
RNG = np.random.default_rng(3)
DATA = RNG.normal(size=(20, 4))
LABELS = (RNG.random(20) > 0.5).astype(float)


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float
    name: str = "p"


def logistic(w):
    p = 1 / (1 + np.exp(-DATA @ w))
    return -np.mean(LABELS * np.log(p) + (1 - LABELS) * np.log(1 - p))


def loop(x):
    y = x[0]
    for i in range(1, len(x)):
        y = np.sin(y) * x[i] + y**2
    return y


def in_place(x):
    y = x.copy()
    y[0] *= y[1]
    for i in range(1, 4):
        y[i] = y[i - 1] * np.exp(0.3 * y[i])
    return (y**2).sum()


def matrices(x):
    a = x.reshape(2, 2)
    s = a @ a.T + np.eye(2)
    return np.linalg.slogdet(s)[1] + np.trace(np.linalg.inv(s))


def branching(x):
    total = 0.0
    for v in x:
        total += v**3 if v > 0 else np.cosh(v)
    return total * x[1]


def unpacking(x):
    a, b, *rest = x
    c, d = x[2:]
    rows = np.zeros((3, 2))
    rows[0] = a * b, c
    for i, (left, right) in enumerate(rows[:2]):
        rows[i + 1] = left * right + d, np.sin(left) * rest[0]
    return (rows**2).sum()


FUNCTIONS = [unpacking, rosen, logistic, loop, in_place, matrices, branching]


def differences(f, x, h=1e-5):
    rows = [(gradient(f, x + h * e)[0] - gradient(f, x - h * e)[0]) / (2 * h) for e in np.eye(len(x))]
    return np.array(rows)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_hessian_against_differences_of_gradients(f) -> None:
    found = hessian(f, X)
    assert found.shape == (4, 4) and found.dtype == float and (found == found.T).all()
    np.testing.assert_allclose(found, differences(f, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_products_are_those_of_the_matrix(f) -> None:
    matrix, operator = hessian(f, X), hvp(f, X)
    np.testing.assert_allclose(hvp(f, X, V), matrix @ V, rtol=1e-10, atol=1e-12)
    for v in (V, -2 * V, np.zeros(4), X):
        np.testing.assert_allclose(operator(v), matrix @ v, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(operator.gradient, gradient(f, X)[0])
    assert operator.value == pytest.approx(f(X))
    np.testing.assert_allclose(diaghessian(f, X), np.diag(matrix), rtol=1e-10, atol=1e-12)
    assert laplacian(f, X) == pytest.approx(np.trace(matrix))


def test_rosenbrock_against_scipy() -> None:
    x, v = RNG.normal(size=12), RNG.normal(size=12)
    np.testing.assert_allclose(hessian(rosen, x), rosen_hess(x), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(hvp(rosen, x, v), rosen_hess_prod(x, v), rtol=1e-10)
    np.testing.assert_allclose(hvp(rosen, x).gradient, rosen_der(x))


def test_against_autograd() -> None:
    autograd = pytest.importorskip("autograd")
    import autograd.numpy as anp

    def f(x):
        return anp.sum(anp.tanh(x[1:] * x[:-1]) ** 2) / (1 + anp.exp(x[0]))

    def g(x):
        return np.sum(np.tanh(x[1:] * x[:-1]) ** 2) / (1 + np.exp(x[0]))

    np.testing.assert_allclose(hessian(g, X), autograd.hessian(f)(X), rtol=1e-12)


def test_a_program_that_writes() -> None:
    def f(x):
        y = x.copy()
        y[0] *= y[1]
        return y[0] ** 2

    assert hessian(f, np.array([1.0, 2.0])).tolist() == [[8.0, 8.0], [8.0, 2.0]]


def test_numbers() -> None:
    found = hessian(lambda x: x**3, 2.0)
    assert found == 12.0 and type(found) is float
    assert hvp(lambda x: x**3, 2.0, 0.5) == 6.0
    assert hvp(lambda x: x**3, 2.0)(0.5) == 6.0
    assert diaghessian(lambda x: x**3, 2.0) == 12.0 and laplacian(lambda x: x**3, 2.0) == 12.0
    assert type(hessian(lambda x: x * x, np.float32(3.0))) is np.float32
    assert hessian(lambda n: n**3, 2) == 12.0


def test_arrays_of_any_shape() -> None:
    x = RNG.normal(size=(2, 3))
    found = hessian(lambda x: (x @ x.T).sum() + (x**3).sum(), x)
    assert found.shape == (2, 3, 2, 3)
    want = np.kron(np.ones((2, 2)), 2 * np.eye(3)) + np.diag(6 * x.ravel())
    np.testing.assert_allclose(found.reshape(6, 6), want, atol=1e-12)
    v = RNG.normal(size=(2, 3))
    np.testing.assert_allclose(hvp(lambda x: (x**3).sum(), x, v), 6 * x * v)
    assert hessian(lambda x: (x**2).sum(), np.array(3.0)).shape == ()
    assert hessian(lambda x: (x**2).sum(), np.zeros((0, 2))).shape == (0, 2, 0, 2)


def test_float32_stays() -> None:
    x = np.array([1.0, 2.0], np.float32)
    assert hessian(lambda x: (x**3).sum(), x).dtype == np.float32
    assert hvp(lambda x: (x**3).sum(), x, x).dtype == np.float32
    assert diaghessian(lambda x: (x**3).sum(), x).dtype == np.float32


def test_structures_have_blocks() -> None:
    def f(p):
        return (p["a"] ** 2).sum() * p["b"][0] + p["b"][1] ** 3

    p = {"a": np.array([1.0, 2.0]), "b": [3.0, 4.0], "name": "p"}
    found = hessian(f, p)
    np.testing.assert_allclose(found["a"]["a"], 6 * np.eye(2))
    np.testing.assert_allclose(found["a"]["b"][0], [2.0, 4.0])
    np.testing.assert_allclose(found["b"][0]["a"], [2.0, 4.0])
    assert found["b"][1]["b"] == [0.0, 24.0] and found["name"] is None and found["a"]["name"] is None
    v = {"a": np.array([1.0, 0.0]), "b": [1.0, None], "name": None}
    for product in (hvp(f, p, v), hvp(f, p)(v)):
        np.testing.assert_allclose(product["a"], [8.0, 4.0])
        assert product["b"] == [2.0, 0.0] and product["name"] is None
    diagonal = diaghessian(f, p)
    np.testing.assert_allclose(diagonal["a"], [6.0, 6.0])
    assert diagonal["b"] == [0.0, 24.0] and laplacian(f, p) == 36.0


def test_objects() -> None:
    p = Params(np.array([1.0, 2.0]), 3.0)
    found = hessian(lambda p: (p.w**2).sum() * p.b**2, p)
    assert isinstance(found, Tangent) and isinstance(found.w, Tangent) and found.name is None
    np.testing.assert_allclose(found.w.w, 18 * np.eye(2))
    np.testing.assert_allclose(found.w.b, [12.0, 24.0])
    assert found.b.b == 10.0
    for v in (Params(np.array([1.0, 0.0]), 0.0), Tangent(Params, w=np.array([1.0, 0.0]))):
        product = hvp(lambda p: (p.w**2).sum() * p.b**2, p, v)
        np.testing.assert_allclose(product.w, [18.0, 0.0])
        assert product.b == 12.0


def test_objects_in_objects_of_which_a_field_is_written() -> None:
    """Such a function is not recorded; its gradient is a `Tangent`, which is also read field by field."""

    def f(p):
        p.w *= 2.0
        return (p.w**2).sum() * p.b.b**2

    def gradient_and_more(p):
        (p_bar,) = gradient(f, p)
        return p_bar, p_bar.b.b**2

    p = Params(np.array([1.0, 2.0]), Params(np.zeros(1), 3.0))  # 4 * (w * w).sum() * b**2
    v = Tangent(Params, w=np.array([1.0, 0.0]), b=Tangent(Params, b=0.5))
    for product in (hvp(f, p)(v), hvp(f, p, v)):
        np.testing.assert_allclose(product.w, [72.0 + 24.0, 48.0])
        assert product.b.b == 48.0 + 20.0
    _, back = morula.pullback(gradient_and_more, p)
    (p_bar,) = back((v, 1.0))
    np.testing.assert_allclose(p_bar.w, np.array([96.0, 48.0]) + 240.0 * 48.0 * p.w)
    assert p_bar.b.b == 68.0 + 240.0 * 40.0


def test_what_is_linear_or_constant() -> None:
    for f in (lambda x: x.sum(), lambda x: 3.0, lambda x: float(len(x))):
        assert hessian(f, X).tolist() == np.zeros((4, 4)).tolist()
        assert hvp(f, X, V).tolist() == [0.0] * 4
        assert hvp(f, X)(V).tolist() == [0.0] * 4
        assert laplacian(f, X) == 0.0


def test_random_draws_are_the_same_for_every_direction() -> None:
    rng = np.random.default_rng(5)

    def f(x):
        return ((x * rng.normal(size=4)) ** 2).sum()

    factors = np.random.default_rng(5).normal(size=4)
    np.testing.assert_allclose(hessian(f, X), 2 * np.diag(factors**2))
    operator = hvp(f, X)
    assert (operator(V) == operator(V)).all()


def test_a_function_that_changes_is_found_out() -> None:
    data = np.ones(4)
    operator = hvp(lambda x: ((x * data) ** 2).sum(), X)
    before = operator(V)
    data[0] = 100.0
    with contextlib.suppress(morula.MorulaError):
        assert (operator(V) == before).all()  # of the function as it was


def test_keywords_are_constants() -> None:
    assert hessian(lambda x, *, k: k * x**2, 1.0, k=5.0) == 10.0
    assert hvp(lambda x, *, k: k * x**2, 1.0, 1.0, k=5.0) == 10.0
    assert laplacian(lambda x, *, k: k * x**2, 1.0, k=5.0) == 10.0


def test_arguments_are_left_as_they_were() -> None:
    def f(x):
        x *= 2.0
        return (x**3).sum()

    x, v = X.copy(), V.copy()
    np.testing.assert_allclose(hessian(f, x), np.diag(48 * X))
    np.testing.assert_allclose(hvp(f, x, v), 48 * X * V)
    np.testing.assert_allclose(hvp(f, x)(v), 48 * X * V)
    assert (x == X).all() and (v == V).all()


def test_complex_numbers() -> None:
    z, v = np.array([1 + 2j, -0.5j]), np.array([0.3 - 1j, 2.0 + 1j])

    def f(z):
        return (abs(z) ** 4).sum()

    h = 1e-6
    want = (gradient(f, z + h * v)[0] - gradient(f, z - h * v)[0]) / (2 * h)
    np.testing.assert_allclose(hvp(f, z, v), want, rtol=1e-6)
    np.testing.assert_allclose(hvp(f, z)(v), want, rtol=1e-6)
    for verb in (hessian, diaghessian, laplacian):
        with pytest.raises(morula.NotDifferentiable, match=f"{verb.__name__} with respect to complex numbers"):
            verb(f, z)


@pytest.mark.parametrize("x", [0.6, -0.6])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: ((-x) ** 0.5).real * x + (x**0.5).imag,  # a float has a complex root
        lambda x: x * abs(cmath.sqrt(x)) + cmath.sqrt(x).imag,
        lambda x: (complex(x, x * x) ** 3).imag * x,
        lambda x: x * np.emath.sqrt(x).imag + np.emath.log(x).real,
    ],
)
def test_complex_numbers_between_real_ones(f, x) -> None:
    h = 1e-4
    slope = (f(x + h) - f(x - h)) / (2 * h)
    curvature = (f(x + h) - 2 * f(x) + f(x - h)) / h**2
    assert jacobian(f, x)[0] == pytest.approx(slope, abs=1e-6)
    assert jacobian(lambda x: [f(x), x], x)[0][0] == pytest.approx(slope, abs=1e-6)
    for found in (hessian(f, x), hvp(f, x, 1.0), gradient(lambda s: gradient(f, s)[0], x)[0]):
        assert found == pytest.approx(curvature, abs=1e-5)


F = Fraction(3, 4)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * F + x * x,
        lambda x: F * x * x / F,
        lambda x: F / x - x**F + F**x,
        lambda x: max(x, F) * x + min(F, x * x),
        lambda x: divmod(x * x, F)[1] + x % F,
        lambda x: x**3 if F > x > F - 1 else -x,
        lambda x: sum([x, F, x * x]) * (F if x == F else 2),
    ],
)
def test_fractions_beside_floats(f) -> None:
    x, h = 0.7, 1e-4
    slope = (f(x + h) - f(x - h)) / (2 * h)
    curvature = (f(x + h) - 2 * f(x) + f(x - h)) / h**2
    for found in (jacobian(f, x)[0], gradient(f, x)[0], jvp(f, (x,), (1.0,))[1]):
        assert found == pytest.approx(slope, abs=1e-6)
        assert type(found) is float
    for found in (hessian(f, x), hvp(f, x, 1.0), gradient(lambda s: gradient(f, s)[0], x)[0] or 0.0):
        assert found == pytest.approx(curvature, abs=1e-5)
        assert type(found) is float


# -- refusals ---------------------------------------------------------------------------------------------------


def product(a, b):
    return a * b


@chainrules.rrule(product)
def _(a, b):
    return a * b, lambda y_bar: (y_bar * b, y_bar * a * 2.0)


def test_a_hessian_that_is_not_symmetric_is_an_error() -> None:
    def f(x):
        return product(x[0], x[1]) + 100.0 * x[2]

    with pytest.raises(morula.ResultError, match=r"not symmetric: its entry .0, 1. .*not twice continuously"):
        hessian(f, X)
    with pytest.raises(morula.ResultError, match="not symmetric"):
        hessian(lambda p: product(p["a"], p["b"]), {"a": 1.0, "b": 2.0})


@pytest.mark.parametrize("verb", [hessian, diaghessian, laplacian, hvp, lambda f, x: hvp(f, x, x)])
def test_results_that_are_no_real_number(verb) -> None:
    for f in (lambda x: x * 2, lambda x: 1j * x.sum(), lambda x: None):
        with pytest.raises(morula.ResultError):
            verb(f, X)


def test_directions_of_another_structure() -> None:
    p = {"a": X, "b": 2.0}
    for f, x, v in (
        (rosen, X, np.ones(3)),
        (rosen, X, np.ones((4, 1))),
        (rosen, X, "up"),
        (lambda p: p["a"].sum() * p["b"], p, {"a": np.ones(3), "b": 1.0}),
        (lambda p: p["a"].sum() * p["b"], p, {"a": np.ones(4), "b": [1.0, 2.0]}),
        (lambda p: p["a"].sum() * p["b"], p, [np.ones(4), 1.0]),
    ):
        with pytest.raises(morula.SeedError):
            hvp(f, x, v)
        with pytest.raises(morula.SeedError):
            hvp(f, x)(v)


def test_the_point_of_an_operator_stays() -> None:
    for x, at in ((X.copy(), lambda x: x), ({"a": [X.copy()]}, lambda p: p["a"][0])):
        operator = hvp(lambda x, at=at: rosen(at(x)), x)
        at(x)[0] = 7.0
        direction = V if isinstance(x, np.ndarray) else {"a": [V]}
        try:
            found = at(operator(direction))
        except morula.StaleMemoryError:
            continue
        np.testing.assert_allclose(found, rosen_hess_prod(X, V))


# -- inside each other --------------------------------------------------------------------------------------


def f3(x):
    return np.sin(np.cumsum(x)) * x


INNER = {
    "jacobian, reverse": lambda x: (jacobian(f3, x, mode="reverse")[0] ** 2).sum(),
    "jacobian, forward": lambda x: (jacobian(f3, x, mode="forward")[0] ** 2).sum(),
    "withjacobian": lambda x: (withjacobian(f3, x).value * withjacobian(f3, x).jacobian[0]).sum(),
    "hessian": lambda x: (hessian(loop, x) ** 2).sum(),
    "diaghessian": lambda x: (diaghessian(loop, x) ** 2).sum(),
    "laplacian": lambda x: laplacian(loop, x),
    "hvp": lambda x: (hvp(loop, x, V) ** 2).sum(),
    "operator": lambda x: (hvp(loop, x)(V) * x).sum(),
    "of a dict": lambda x: hvp(lambda p: loop(p["a"]) * p["b"], {"a": x, "b": x[0]}, {"a": V, "b": 1.0})["b"],
    "linearize": lambda x: (morula.linearize(f3, x)[1](V) ** 2).sum(),
    "taylor": lambda x: morula.taylor(f3, x, V, 2)[2].sum(),
    "wirtinger": lambda x: abs(wirtinger(lambda z: z**2 * abs(z), x[0] + 1j * x[1])[0].z) ** 2,
    "ravel": lambda x: (morula.ravel({"a": x, "b": x[0]})[0] ** 3).sum(),
}


@pytest.mark.parametrize("name", INNER)
def test_inside_of_a_gradient_and_of_a_jvp(name) -> None:
    f, h = INNER[name], 1e-5
    want = np.array([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(4)])
    np.testing.assert_allclose(gradient(f, X)[0], want, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(morula.jvp(f, (X,), (V,))[1], want @ V, rtol=1e-4, atol=1e-6)


def test_captured_variables_are_active() -> None:
    def f(k):
        return hessian(lambda x: (k * x**3).sum(), X)[1, 1] + jacobian(lambda x: k * x, X, mode="reverse")[0][0, 0]

    assert gradient(f, 2.0)[0] == pytest.approx(6 * X[1] + 1.0)


def test_operators_of_scipy_are_refused_inside() -> None:
    with pytest.raises(morula.NotDifferentiable, match="as_linear_operator of a function that depends"):
        gradient(lambda x: (morula.as_linear_operator(f3, x) @ V).sum(), X)
    assert gradient(lambda x: (x * (morula.as_linear_operator(f3, X) @ V)).sum(), X)[0] is not None


def test_a_gradient_penalty() -> None:
    def penalty(x):
        (x_bar,) = gradient(logistic, x)
        return logistic(x) + (x_bar**2).sum()

    h = 1e-5
    want = [(penalty(X + h * e) - penalty(X - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(gradient(penalty, X)[0], want, rtol=1e-6)
    np.testing.assert_allclose(
        gradient(penalty, X)[0], gradient(logistic, X)[0] + 2 * hessian(logistic, X) @ gradient(logistic, X)[0]
    )


@pytest.mark.parametrize("direction", [1.0 + 0j, 1j, 1 - 2j])
@pytest.mark.parametrize("seed", [1.0 + 0j, 1j])
@pytest.mark.parametrize(
    "f", [lambda z: z**3, lambda z: z * abs(z), np.exp, lambda z: z * z.conjugate(), lambda z: abs(z) ** 2 + 0j]
)
def test_tangents_of_cotangents_of_complex_numbers(f, seed, direction) -> None:
    z, h = 0.4 - 0.8j, 1e-6

    def cotangent(z):
        return morula.pullback(f, z)[1](seed)[0]

    want = (cotangent(z + h * direction) - cotangent(z - h * direction)) / (2 * h)
    assert morula.jvp(cotangent, (z,), (direction,))[1] == pytest.approx(want, rel=1e-6, abs=1e-8)
    (found,) = gradient(lambda z: (cotangent(z) * np.conj(direction)).real, z)
    steps = [(cotangent(z + h * e) - cotangent(z - h * e)) / (2 * h) for e in (1.0, 1j)]
    parts = [(s * np.conj(direction)).real for s in steps]
    assert found == pytest.approx(parts[0] + 1j * parts[1], rel=1e-6, abs=1e-8)


def test_a_jvp_inside_is_never_seen_without_its_tangent():
    """The operations that a hessian records are walked only where no tangent is asked for inside."""

    def f(p):
        x = np.array([1.0, 2.0]) * p
        columns = [morula.jvp(lambda q: q[0] * np.exp(-q[1] * p) + q, (x,), (e,))[1] for e in np.eye(2)]
        return np.linalg.inv(np.stack(columns, axis=1))[0, 1]  # of zeros, it is an error

    h = 1e-5
    wanted = (morula.gradient(f, 0.7 + h)[0] - morula.gradient(f, 0.7 - h)[0]) / (2 * h)
    assert morula.hessian(f, 0.7) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("f", "x", "want"),
    [
        (math.sqrt, 0.0, -math.inf),
        (math.asin, 1.0, math.inf),
        (math.acos, -1.0, math.inf),
        (math.acosh, 1.0, -math.inf),
        (math.cbrt, 0.0, -math.inf),
        (np.cbrt, 0.0, -math.inf),
        (lambda x: 1 / x, 1e-200, math.inf),
        (np.log, 1e-200, -math.inf),
        (np.sqrt, 1e-200, -2.5e299),
    ],
)
def test_second_derivatives_at_poles(f, x, want) -> None:
    """A partial that catches Python's `ZeroDivisionError` is no constant there, and small squares are no zeros."""
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(hessian(f, x), want)
        np.testing.assert_allclose(gradient(lambda x: gradient(f, x)[0], x), [want])
        np.testing.assert_allclose(jvp(lambda x: jvp(f, (x,), (1.0,))[1], (x,), (1.0,))[1], want)


def test_a_linear_function_whose_derivatives_are_rounding_errors():
    def f(x):
        z = np.exp(x - x.max())
        p = z / z.sum()
        return -np.log(p[1]) + np.log(p).mean()

    np.testing.assert_allclose(morula.hessian(f, np.array([1.3, 0.4, 2.2])), 0.0, atol=1e-14)
