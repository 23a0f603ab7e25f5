"""`for_scipy`: with the optimisers of SciPy, against their own differences."""

import dataclasses
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize
from scipy.optimize import check_grad, least_squares, minimize, rosen, rosen_der, rosen_hess

import morula
from morula import for_scipy

X = np.array([0.4, -0.8, 1.3, 0.2])
T = np.linspace(0.0, 3.0, 25)
DATA = 2.0 * np.exp(-1.3 * T) + 0.5 + 0.01 * np.sin(40 * T)


@dataclasses.dataclass(frozen=True)
class Decay:
    height: float
    rate: float
    rest: np.ndarray
    name: str = "decay"


def residuals(p, data=DATA):
    return p.height * np.exp(-p.rate * T) + p.rest - data


def quartic(x):
    return ((x - 1.0) ** 4).sum() + (x[:-1] * x[1:]).sum()


def counted(f):
    def wrapper(*args):
        calls.append(None)
        return f(*args)

    calls: list = []
    return wrapper, calls


# -- values and derivatives --------------------------------------------------------------------------------------


def test_a_function_of_vectors() -> None:
    p = for_scipy(rosen)
    assert type(p.fun(X)) is float and p.fun(X) == pytest.approx(rosen(X))
    np.testing.assert_allclose(p.jac(X), rosen_der(X))
    np.testing.assert_allclose(p.hess(X), rosen_hess(X))
    np.testing.assert_allclose(p.hessp(X, X), rosen_hess(X) @ X)
    assert check_grad(p.fun, p.jac, X) < 1e-4
    assert p(X) == p.fun(X)


def test_parameters_of_any_structure() -> None:
    like = {"w": np.ones((2, 2), np.float32), "b": [1.0, 2], "z": np.array([1 + 1j]), "name": "m"}

    def f(p):
        assert p["name"] == "m" and p["w"].shape == (2, 2) and p["w"].dtype == np.float32
        return (p["w"] ** 2).sum() * p["b"][0] + p["b"][1] ** 2 + abs(p["z"][0]) ** 2

    p = for_scipy(f, like)
    assert p.x0.tolist() == [1.0] * 4 + [1.0, 2.0, 1.0, 1.0] and p.x0.dtype == float
    assert p.jac(p.x0).tolist() == [2.0] * 4 + [4.0, 4.0, 2.0, 2.0]
    np.testing.assert_allclose(p.jac(p.x0), optimize.approx_fprime(p.x0, p.fun, 1e-4), atol=1e-2)
    assert p.unravel(p.x0)["b"] == [1.0, 2.0] and like["b"] == [1.0, 2]
    assert p.ravel(like).tolist() == p.x0.tolist()
    want = np.diag([2.0] * 4 + [0.0, 2.0, 2.0, 2.0])
    want[4, :4] = want[:4, 4] = 2.0
    np.testing.assert_allclose(p.hess(p.x0), want)


@pytest.mark.parametrize("like", [SimpleNamespace(a=1.0, b=np.ones(2)), {"a": 1.0, "b": np.ones(2)}, (1.0, np.ones(2))])
def test_minimize_any_structure(like) -> None:
    def f(p):
        a, b = p.values() if isinstance(p, dict) else p if isinstance(p, tuple) else (p.a, p.b)
        return (a - 3.0) ** 2 + ((b - a) ** 2).sum()

    p = for_scipy(f, like)
    found = minimize(p.fun, p.x0, jac=p.jac)
    assert type(p.unravel(found.x)) is type(like)
    np.testing.assert_allclose(found.x, [3.0, 3.0, 3.0], atol=1e-4)


def test_no_parameters() -> None:
    p = for_scipy(lambda x, k: (x**2).sum() + k)
    assert p.fun(np.zeros(0), 2.0) == 2.0 and p.jac(np.zeros(0), 2.0).shape == (0,)
    assert for_scipy(lambda x: x.sum() + np.ones(3)).jac(np.zeros(0)).shape == (3, 0)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "TNC", "SLSQP", "trust-constr"])
def test_first_order_methods(method) -> None:
    p = for_scipy(quartic)
    found = minimize(p.fun, X, jac=p.jac, method=method)
    want = minimize(quartic, X, method="BFGS", options={"gtol": 1e-6})
    assert found.fun == pytest.approx(want.fun, abs=1e-5)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "trust-krylov", "trust-exact", "dogleg", "trust-constr"])
def test_second_order_methods(method) -> None:
    p = for_scipy(lambda x: (x**2).sum() ** 2 + np.cosh(x).sum() + x[0])
    options: dict = {"hess": p.hess} if method in ("trust-exact", "dogleg") else {"hessp": p.hessp}
    found = minimize(p.fun, X, jac=p.jac, method=method, **options)
    np.testing.assert_allclose(p.jac(found.x), 0.0, atol=2e-4)


def test_arguments_are_constants() -> None:
    p = for_scipy(lambda x, a, b: ((x - a) ** 2).sum() * b)
    found = minimize(p.fun, X, (2.0, 3.0), jac=p.jac, hess=p.hess, method="Newton-CG")
    np.testing.assert_allclose(found.x, [2.0] * 4, atol=1e-6)
    np.testing.assert_allclose(p.hess(X, 2.0, 3.0), 6 * np.eye(4))
    np.testing.assert_allclose(p.hessp(X, X, 2.0, 3.0), 6 * X)


def test_least_squares() -> None:
    p = for_scipy(residuals, Decay(1.0, 1.0, np.zeros(1)))
    assert p.x0.tolist() == [1.0, 1.0, 0.0]
    exact = least_squares(p.fun, p.x0, p.jac)
    rival = least_squares(p.fun, p.x0, "3-point")
    np.testing.assert_allclose(exact.x, rival.x, rtol=1e-6)
    np.testing.assert_allclose(exact.jac, rival.jac, rtol=1e-6, atol=1e-8)
    fitted = p.unravel(exact.x)
    assert isinstance(fitted, Decay) and fitted.name == "decay" and fitted.rate == pytest.approx(1.3, abs=0.05)


def test_results_of_any_structure() -> None:
    p = for_scipy(lambda x: {"a": x[0] * x[1], "b": np.outer(x, x)[:, :2]})
    assert p.fun(X).shape == (9,) and p.jac(X).shape == (9, 4)
    np.testing.assert_allclose(p.jac(X), optimize.approx_fprime(X, p.fun), atol=1e-6)


def test_root_finding() -> None:
    p = for_scipy(lambda x: np.array([x[0] ** 2 + x[1] ** 2 - 4.0, x[0] - x[1]]))
    found = optimize.root(p.fun, [1.0, 2.0], jac=p.jac)
    np.testing.assert_allclose(found.x, np.sqrt([2.0, 2.0]))
    line = for_scipy(lambda x: x**3 - 2.0)
    assert optimize.newton(line.fun, 1.0, fprime=line.jac) == pytest.approx(2 ** (1 / 3))
    assert type(line.jac(1.0)) is float


def test_constraints() -> None:
    """The point of x + y closest to the unit circle's inside, and the projection onto a sphere."""
    p = for_scipy(lambda x: (x - np.array([2.0, 1.0])) @ (x - np.array([2.0, 1.0])))
    disc = for_scipy(lambda x: np.array([x[0] ** 2 + x[1] ** 2, x[0] * x[1]]))
    want = np.array([2.0, 1.0]) / np.sqrt(5.0)
    options = {"fun": lambda x: 1.0 - disc.fun(x)[0], "jac": lambda x: -disc.jac(x)[0]}
    found = minimize(p.fun, [0.1, 0.2], jac=p.jac, method="SLSQP", constraints={"type": "ineq", **options})
    np.testing.assert_allclose(found.x, want, atol=1e-5)
    bounds = disc.constraint([-np.inf, -np.inf], [1.0, np.inf])
    found = minimize(p.fun, [0.1, 0.2], jac=p.jac, hess=p.hess, method="trust-constr", constraints=bounds)
    np.testing.assert_allclose(found.x, want, atol=1e-3)
    one = for_scipy(lambda x: x[0] ** 2 + x[1] ** 2).constraint(-np.inf, 1.0)
    found = minimize(p.fun, [0.1, 0.2], jac=p.jac, hess=p.hess, method="trust-constr", constraints=one)
    np.testing.assert_allclose(found.x, want, atol=1e-3)


def test_weighted_hessians() -> None:
    p = for_scipy(lambda x: {"a": x[0] * x[1], "b": x**3})
    v = np.array([2.0, 1.0, -1.0, 0.5, 3.0])
    want = np.diag(6 * X * v[1:])
    want[0, 1] = want[1, 0] = 2.0
    np.testing.assert_allclose(p.weighted_hess(X, v), want)
    np.testing.assert_allclose(p.weighted_hess(X, 2 * v), 2 * want)


# -- one run at a point ------------------------------------------------------------------------------------------


def test_value_and_gradient_share_a_run() -> None:
    f, calls = counted(rosen)
    p = for_scipy(f)
    p.fun(X), p.jac(X), p.jac(X), p.fun(X)
    assert len(calls) == 1
    p.hess(X), p.hessp(X, X), p.hessp(X, 2 * X), p.hess(X)
    assert len(calls) == 2
    p.jac(X + 1), p.fun(X + 1)
    assert len(calls) == 3


def test_vectors_share_a_run() -> None:
    f, calls = counted(lambda x: x * x[0])
    p = for_scipy(f)
    p.fun(X), p.jac(X), p.fun(X), p.jac(X)
    assert len(calls) == 1
    tall, calls = counted(lambda x: np.outer(np.ones(100), x))
    p = for_scipy(tall)
    p.fun(X), p.jac(X), p.jac(X)
    assert len(calls) == 5  # once, and once for each parameter
    p.fun(X + 1), p.fun(X + 1), p.jac(X + 1)
    assert len(calls) == 10


def test_a_point_that_changes_in_place_is_another_point() -> None:
    p = for_scipy(rosen)
    x = X.copy()
    p.fun(x)
    x[0] = 2.0
    assert p.fun(x) == pytest.approx(rosen(x)) and p.fun(x) != p.fun(X)
    np.testing.assert_allclose(p.jac(x), rosen_der(x))


def test_zeros_have_signs() -> None:
    p = for_scipy(lambda x: np.arctan2(x[0], -1.0))
    assert p.fun(np.array([0.0])) == -p.fun(np.array([-0.0]))


def test_results_belong_to_the_caller() -> None:
    p = for_scipy(lambda x: x * x[0])
    for got in (p.fun, p.jac, lambda x: p.weighted_hess(x, np.ones(4))):
        first = got(X)
        kept = first.copy()
        first[:] = 0.0
        np.testing.assert_array_equal(got(X), kept)


def test_what_the_function_reads_may_change() -> None:
    data, table = np.ones(4), {"k": 1.0}

    def f(x, extra):
        return ((x - data) ** 2).sum() * table["k"] + extra["e"][0]

    extra = {"e": np.zeros(1)}
    p = for_scipy(f)
    for change in (
        lambda: data.__setitem__(0, 5.0),
        lambda: table.__setitem__("k", 2.0),
        lambda: extra["e"].__setitem__(0, 7.0),
    ):
        p.fun(X, extra), p.jac(X, extra), p.hess(X, extra)
        change()
        assert p.fun(X, extra) == pytest.approx(f(X, extra))
        np.testing.assert_allclose(p.jac(X, extra), 2 * (X - data) * table["k"])
        np.testing.assert_allclose(p.hess(X, extra), 2 * np.eye(4) * table["k"])


def test_functions_that_write_into_their_parameters() -> None:
    def f(p):
        p["w"] *= 2.0
        return (p["w"] ** 3).sum()

    like = {"w": X.copy()}
    p = for_scipy(f, like)
    np.testing.assert_allclose(p.jac(p.x0), 24 * X**2)
    np.testing.assert_allclose(p.hess(p.x0), np.diag(48 * X))
    np.testing.assert_allclose(p.jac(p.x0), 24 * X**2)
    assert (like["w"] == X).all()
    x = X.copy()

    def g(x):
        x *= 2.0
        return (x**3).sum()

    q = for_scipy(g)
    np.testing.assert_allclose(q.jac(x), 24 * X**2)
    assert (x == X).all()


def test_it_can_be_pickled() -> None:
    p = pickle.loads(pickle.dumps(for_scipy(residuals, Decay(1.0, 1.0, np.zeros(1)))))
    assert p.fun(p.x0).shape == (25,)
    q = for_scipy(rosen)
    q.fun(X)
    assert pickle.loads(pickle.dumps(q)).fun(X) == q.fun(X)


# -- edges -------------------------------------------------------------------------------------------------------


def test_what_does_not_depend_has_zeros() -> None:
    p = for_scipy(lambda p: p["a"] ** 2, {"a": 1.0, "unused": np.ones(2)})
    assert p.jac(p.x0).tolist() == [2.0, 0.0, 0.0]
    assert p.hess(p.x0).tolist() == np.diag([2.0, 0.0, 0.0]).tolist()
    q = for_scipy(lambda x: np.inf)
    assert q.fun(X) == np.inf and q.jac(X).tolist() == [0.0] * 4


def test_refusals() -> None:
    vector = for_scipy(lambda x: x * 2)
    for ask in (lambda: vector.hess(X), lambda: vector.hessp(X, X)):
        with pytest.raises(morula.ResultError, match="weighted_hess"):
            ask()
    for f, message in (
        (lambda x: None, "is a return statement missing"),
        (lambda x: 1j * x.sum(), "complex numbers"),
        (lambda x: {"a": x * 1j}, "complex numbers"),
        (lambda x: "text", "returned str"),
    ):
        with pytest.raises(morula.ResultError, match=message):
            for_scipy(f).fun(X)
    p = for_scipy(rosen, X)
    with pytest.raises(ValueError, match="the point has 4 numbers"):
        p.fun(np.ones(3))
    x = np.ones(2)
    with pytest.raises(morula.AliasedArgumentsError):
        for_scipy(rosen, [x, x])


def test_errors_of_the_function_pass_through() -> None:
    def f(x):
        if x[0] > 1:
            raise ValueError("out of range")
        return (x**2).sum()

    p = for_scipy(f)
    p.fun(X)
    with pytest.raises(ValueError, match="out of range"):
        p.fun(X + 2)
    assert p.fun(X) == pytest.approx((X**2).sum())


def test_inside_of_a_differentiated_function_it_is_refused_by_name() -> None:
    with pytest.raises(morula.NotDifferentiable, match="for_scipy of a function"):
        morula.gradient(lambda a: for_scipy(lambda x: ((x - a) ** 2).sum()).fun(np.ones(2)), 1.0)
