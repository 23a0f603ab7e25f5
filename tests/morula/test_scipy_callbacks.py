"""Callbacks of solvers: they run as often as plainly, and only a derivative of what they are given is refused."""

import functools

import numpy as np
import pytest
from scipy import integrate, optimize, sparse
from scipy.sparse.linalg import cg, gmres
from scipy_checks import check

import morula
from morula import NotDifferentiable


def bowl(x, a):
    return (x[0] - a) ** 2 * (1 + x[1] ** 2) + (x[1] - 2 * a) ** 4 + (x[1] - a) ** 2


class History:
    def __init__(self):
        self.iterates, self.values, self.table = [], [], np.zeros((200, 2))

    def keep(self, x, *more):
        self.table[len(self.iterates)] = x
        self.iterates.append(x.copy())

    def keep_result(self, intermediate_result):
        self.values.append(intermediate_result.fun)
        self.iterates.append(intermediate_result.x)

    def keep_state(self, x, state):
        self.iterates.append((x, state.nit))


def cubic(x, a):
    return np.array([x[0] ** 3 - a, x[1] - x[0] * a])


SQUARE = [(-4.0, 4.0)] * 2
SOLVERS = {
    "minimize": lambda a, h: optimize.minimize(bowl, [0.3, 0.2], (a,), tol=1e-10, callback=h.keep).x,
    "by its name": lambda a, h: optimize.minimize(bowl, [0.3, 0.2], (a,), tol=1e-10, callback=h.keep_result).x,
    "trust-constr": lambda a, h: optimize.minimize(
        bowl, [0.3, 0.2], (a,), "trust-constr", tol=1e-10, callback=h.keep_state
    ).x,
    "root": lambda a, h: optimize.root(cubic, [1.0, 1.0], (a,), "krylov", tol=1e-11, callback=h.keep).x,
    "basinhopping": lambda a, h: optimize.basinhopping(
        lambda x: bowl(x, a), [0.0, 0.0], 2, minimizer_kwargs={"tol": 1e-10}, callback=h.keep, rng=1
    ).x,
    "differential_evolution": lambda a, h: optimize.differential_evolution(
        bowl, SQUARE, (a,), tol=1e-12, callback=h.keep_result, rng=1
    ).x,
    "cg": lambda a, h: cg(sparse.diags_array([2 + a, 3.0]), np.ones(2) * a, rtol=1e-12, callback=h.keep)[0],
    "gmres": lambda a, h: gmres(
        sparse.diags_array([2 + a, 3.0]), np.ones(2) * a, rtol=1e-12, callback=h.keep, callback_type="x"
    )[0],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")
@pytest.mark.parametrize("name", SOLVERS)
def test_a_history_is_kept(name) -> None:
    def f(a):
        h = History()
        x = SOLVERS[name](a, h)
        return x[0] * x[1] + len(h.iterates)

    assert morula.withgradient(f, 1.3).value == pytest.approx(f(1.3), rel=1e-12)
    without = lambda a: (lambda x: x[0] * x[1])(SOLVERS[name](a, History()))
    check(without, 1.3, h=3e-2 if name == "basinhopping" else 1e-2, rtol=1e-4)


def test_an_iterate_has_no_derivative() -> None:
    def last(a):
        h = History()
        SOLVERS["minimize"](a, h)
        return h.iterates[-1][0]

    with pytest.raises(NotDifferentiable, match="an iterate that a solver gave to its callback has no derivative"):
        morula.gradient(last, 1.3)
    assert np.isnan(morula.jvp(last, (1.3,), (1.0,))[1])
    assert np.isnan(morula.hvp(lambda a: last(a) + a**2, 1.3, 1.0))


def test_a_callback_that_ends_the_iterations() -> None:
    def stop(x):
        raise StopIteration

    with pytest.raises(NotDifferentiable, match="stopped the iterations"):
        morula.gradient(lambda a: optimize.minimize(bowl, [0.3, 0.2], (a,), callback=stop).x[0], 1.3)


def test_what_a_callback_has_of_the_program_varies() -> None:
    def f(a):
        seen = []
        optimize.minimize(bowl, [0.3, 0.2], (a,), callback=lambda x: seen.append(a**2))
        return sum(seen) / len(seen)

    assert morula.gradient(f, 1.3)[0] == pytest.approx(2.6)


def test_an_objective_that_writes_is_told_of_callbacks() -> None:
    def f(a):
        seen = []
        return optimize.minimize(lambda x: (seen.append(x), bowl(x, a))[1], [0.3, 0.2]).x[0]

    with pytest.raises(NotDifferentiable, match="a callback may store it"):
        morula.gradient(f, 1.3)


def steep(a):
    return lambda x: x**3 + a * x


class Held:
    def __init__(self, f):
        self.f = f


HIDDEN = {
    "default": lambda f, a: integrate.quad(lambda x, f=f: f(x), 0, 1)[0],
    "keyword": lambda f, a: integrate.quad(lambda x, *, f=f: f(x), 0, 1)[0],
    "list": lambda f, a: integrate.quad(lambda x, held=[a]: held[0] * x, 0, 1)[0],
    "tuple": lambda f, a: integrate.quad(lambda x, held=(f, 1.0): held[0](x), 0, 1)[0],
    "inner default": lambda f, a: (lambda g: integrate.quad(lambda x: g(x), 0, 1)[0])(lambda x, f=f: f(x)),
    "argument": lambda f, a: integrate.quad(lambda x, f: f(x), 0, 1, args=(f,))[0],
    "argument, tuple": lambda f, a: integrate.quad(lambda x, t: t[0] * x, 0, 1, args=((a, 1),))[0],
    "argument, list": lambda f, a: integrate.quad(lambda x, t: t[0] * x, 0, 1, args=([a],))[0],
    "argument, object": lambda f, a: integrate.quad(lambda x, o: o.f(x), 0, 1, args=(Held(f),))[0],
    "partial": lambda f, a: integrate.quad(functools.partial(lambda g, x: g(x), f), 0, 1)[0],
    "root": lambda f, a: optimize.brentq(lambda x, f=f: f(x) - 2.0, 0, 3),
    "states": lambda f, a: integrate.odeint(lambda y, t, f: -0.1 * f(y[0]), [1.0], [0.0, 1.0], args=(f,))[-1, 0],
    "states, default": lambda f, a: integrate.solve_ivp(lambda t, y, f=f: [-0.1 * f(y[0])], (0, 1), [1.0]).y[0, -1],
}


def attributed(a):
    def f(x):
        return x * f.rate

    f.rate = a
    return f


RATES = {"rate": 1.0}


def rated(x):
    return RATES["rate"] * x


def of_a_global_dict(f, a):
    RATES["rate"] = a
    found = integrate.quad(rated, 0, 1)[0] + optimize.brentq(lambda x: x**3 - RATES["rate"], 0, 3)
    RATES["rate"] = 1.0
    return found


REGISTER = {}


def registered(x):
    return REGISTER["f"](x)


def of_a_register(f, a):
    REGISTER["f"] = f
    try:
        return integrate.quad(registered, 0, 1)[0] + a * 0.0
    finally:
        REGISTER.clear()


HIDDEN["register"] = of_a_register
HIDDEN["attribute"] = lambda f, a: integrate.quad(attributed(a), 0, 1)[0]
HIDDEN["global dict"] = of_a_global_dict
HIDDEN["captured list"] = lambda f, a: (lambda held: integrate.quad(lambda x: held[0] * x, 0, 1)[0])([a, 2.0 * a])


@pytest.mark.parametrize("name", HIDDEN)
def test_functions_and_containers_in_defaults_and_arguments(name):
    """What a function reaches through its defaults, or its arguments, is no less active than what it captures."""
    h, f = 1e-5, lambda a: HIDDEN[name](steep(a), a)
    (g,) = morula.gradient(f, 1.3)
    assert g == pytest.approx((f(1.3 + h) - f(1.3 - h)) / (2 * h), rel=1e-4)


@pytest.mark.parametrize(
    "f",
    [
        lambda f: optimize.minimize(lambda v, f=f: (f(v[0]) - 2) ** 2 + v[0] ** 2, [1.0]).x[0],
        lambda f: optimize.minimize_scalar(lambda x, f=f: (f(x) - 3.0) ** 2, bracket=(0, 2)).x,
        lambda f: optimize.least_squares(lambda v, f=f: [f(v[0]) - 2], [1.0]).x[0],
        lambda f: morula.gradient(lambda x, f=f: f(x), 2.0)[0],
    ],
)
def test_functions_in_defaults_are_refused_where_they_cannot_be_followed(f):
    with pytest.raises(morula.NotDifferentiable, match="default argument"):
        morula.gradient(lambda a: f(steep(a)), 1.3)
