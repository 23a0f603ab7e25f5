"""Solutions of linear programs, of least squares within bounds, of assignments; and of global minimisers."""

import numpy as np
import pytest
from scipy import optimize
from scipy_checks import check, weighed

from morula import NotDifferentiable, gradient, pullback

R = np.random.default_rng(8)
C = np.array([-1.0, -2.0, -0.5])
UB, B_UB = np.array([[1.0, 1.0, 0.3], [1.0, 3.0, 0.1]]), np.array([4.0, 6.0])
EQ, B_EQ = np.array([[1.0, 0.5, 1.0]]), np.array([3.0])
DESIGN = R.normal(size=(6, 3))
SEEN = DESIGN @ np.array([1.0, 0.3, -0.5]) + 0.1 * R.normal(size=6)


def program(c, a, b, equal, right, top):
    return optimize.linprog(c, a, b, equal, right, bounds=[(0, top), (None, None), (0.0, 5.0)])


def test_a_vertex() -> None:
    args = C, UB, B_UB, EQ, B_EQ, 1.1
    check(lambda *p: weighed(program(*p).x), *args)
    check(lambda *p: program(*p).fun ** 2, *args)
    check(lambda *p: weighed(program(*p).ineqlin.marginals) + weighed(program(*p).eqlin.marginals), *args)
    check(lambda *p: weighed(program(*p).slack) + weighed(program(*p).upper.marginals), *args)


def test_sensitivities_are_the_multipliers() -> None:
    found = program(C, UB, B_UB, EQ, B_EQ, 1.1)
    g = gradient(lambda c, b, right: program(c, UB, b, EQ, right, 1.1).fun, C, B_UB, B_EQ)
    np.testing.assert_allclose(g[0], found.x, atol=1e-12)
    np.testing.assert_allclose(g[1], found.ineqlin.marginals, atol=1e-12)
    np.testing.assert_allclose(g[2], found.eqlin.marginals, atol=1e-12)


def test_degenerate_programs() -> None:
    """The value has the gradients that exist, the solution has none."""
    flat = lambda c, b: optimize.linprog(c, [[1.0, 1.0]], b)
    ones, b = np.array([-1.0, -1.0]), np.array([4.0])
    np.testing.assert_allclose(gradient(lambda b: flat(ones, b).fun ** 2, b)[0], [8.0])
    with pytest.raises(NotDifferentiable, match="degenerate or not unique"):
        gradient(lambda c: flat(c, b).fun, ones)
    with pytest.raises(NotDifferentiable, match="degenerate or not unique"):
        gradient(lambda b: flat(ones, b).x[0], b)
    over = lambda c, b: optimize.linprog(c, [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], b)
    c, b = np.array([-1.0, -1.1]), np.array([2.0, 1.0, 1.0])
    np.testing.assert_allclose(gradient(lambda c: over(c, b).fun, c)[0], [1.0, 1.0])
    with pytest.raises(NotDifferentiable, match="degenerate or not unique"):
        gradient(lambda b: over(c, b).fun, b)
    with pytest.raises(NotDifferentiable, match="did not converge"):
        gradient(lambda b: optimize.linprog([-1.0], [[-1.0]], b).fun, np.array([1.0]))
    with pytest.raises(NotDifferentiable, match="integer variables"):
        gradient(lambda c: optimize.linprog(c, UB, B_UB, integrality=[1, 0, 0]).fun, C)
    with pytest.raises(NotDifferentiable, match="integer variables"):
        gradient(lambda c: optimize.milp(c).fun, -C)


def test_least_squares_within_bounds() -> None:
    check(lambda a, b: weighed(optimize.nnls(a, b)[0]) + optimize.nnls(a, b)[1], DESIGN, SEEN)
    fit = lambda a, b, low, high: optimize.lsq_linear(a, b, (low, high))
    check(lambda *p: weighed(fit(*p).x) + fit(*p).cost + weighed(fit(*p).fun), DESIGN, SEEN, np.full(3, -0.2), 0.7)
    check(lambda a, b: weighed(optimize.lsq_linear(a, b).x), DESIGN, SEEN)
    with pytest.raises(NotDifferentiable, match="degenerate"):
        gradient(lambda b: weighed(optimize.lsq_linear(DESIGN, b, (0, 1.0)).x), DESIGN @ np.array([1.0, 0.3, 0.5]))
    with pytest.raises(NotDifferentiable, match="singular"):
        gradient(lambda b: weighed(optimize.lsq_linear(np.ones((4, 2)), b).x), np.arange(4.0))


def test_assignments() -> None:
    def cost(c):
        rows, columns = optimize.linear_sum_assignment(c)
        return (c[rows, columns] ** 2).sum()

    check(cost, R.normal(size=(4, 5)))


def bowl(x, a):
    return ((x - a) ** 4).sum() + (x**2).sum()


GLOBAL = {
    "differential_evolution": lambda a: optimize.differential_evolution(bowl, [(-3, 3)] * 2, (a,), tol=1e-10, rng=1),
    "dual_annealing": lambda a: optimize.dual_annealing(bowl, [(-3, 3)] * 2, (a,), rng=1, maxiter=20),
    "shgo": lambda a: optimize.shgo(bowl, [(-3, 0.2), (-3, 3)], (a,), options={"f_tol": 1e-12}),
    "basinhopping": lambda a: optimize.basinhopping(bowl, np.zeros(2), 2, minimizer_kwargs={"args": (a,)}, rng=1),
}


@pytest.mark.parametrize("name", GLOBAL)
def test_global_minimisers(name) -> None:
    a = np.array([1.0, 2.0])
    try:
        got = gradient(lambda a: weighed(GLOBAL[name](a).x) + GLOBAL[name](a).fun, a)[0]
    except TypeError:
        pytest.skip("of newer versions of SciPy")
    x = np.array([optimize.brentq(lambda x, p: 4 * (x - p) ** 3 + 2 * x, -3, 3, (p,)) for p in a])
    curvature = 12 * (x - a) ** 2
    moves = curvature / (curvature + 2.0)
    if name == "shgo":  # at its bound
        x[0], moves[0] = 0.2, 0.0
    want = (np.cos(np.arange(2.0)) + 2 * x) * moves - 4 * (x - a) ** 3
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4)


def test_a_portfolio() -> None:
    """Weights of least risk by a linear program, and what its value owes to the expected returns."""
    returns = R.normal(size=(8, 3)) * 0.1 + 0.05

    def worst(returns, need):
        n, m = returns.shape
        c = np.concatenate([np.zeros(m), np.ones(n) / n])
        loss = np.concatenate([-(returns - returns.mean(axis=0)), -np.eye(n)], axis=1)
        enough = np.concatenate([-returns.mean(axis=0), np.zeros(n)])[None]
        a, b = np.concatenate([loss, enough]), np.append(np.zeros(n), -need)
        equal = np.concatenate([np.ones(m), np.zeros(n)])[None]
        return optimize.linprog(c, a, b, equal, np.ones(1)).fun

    check(worst, returns, returns.mean(), h=1e-5, rtol=1e-5, second=False)


def test_values_are_those_of_scipy():
    p = np.array([0.5, 1.2, 0.8])
    for f in (
        lambda p: optimize.lsq_linear(np.eye(3) + 0.1, p, bounds=(0, 1)).x,
        lambda p: optimize.nnls(np.outer([1.0, 2.0, 3.0], [1.0, 0.5]) + np.eye(3, 2), p)[0],
        lambda p: optimize.linprog(-p, [[1.0, 1.0, 1.0], [1.0, 2.0, 0.0]], [1.0, 1.5]).x,
    ):
        np.testing.assert_array_equal(pullback(f, p)[0], f(p))
    fun = lambda p: optimize.linprog(-p, [[1.0, 1.0, 1.0], [1.0, 2.0, 0.0]], [1.0, 1.5]).fun
    assert type(pullback(fun, p)[0]) is type(fun(p))
