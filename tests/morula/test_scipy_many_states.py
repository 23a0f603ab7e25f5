"""Implicit solvers of many states: one Jacobian serves many steps, and gives what Jacobians at all nodes give."""

import math

import numpy as np
import pytest
from scipy import integrate, linalg

import morula
from chainrules.library.scipy.integrate import collocations, simplified
from morula import gradient

N = 14
LAPLACE = np.diag(-2.0 * np.ones(N)) + np.diag(np.ones(N - 1), 1) + np.diag(np.ones(N - 1), -1)
START = 1 + np.sin(np.linspace(0, math.pi, N))
MOVES = np.where(np.arange(N) == N // 2, 0.0, 1.0)
METHODS = ["Radau", "BDF", "LSODA"]


def reacts(t, u, k, stiff):
    """Diffusion that depends on the state, a forcing, and a state in the middle that stays as it is."""
    return (k * stiff * (LAPLACE @ u) * u + u * np.sin(t + u) + 1) * MOVES


@pytest.fixture
def taken(monkeypatch):
    """What came of the systems of single steps, on the way back: whether they were solved by iterations."""
    found = []

    def noted(*args):
        found.append(simplified.adjoint_of(*args))
        return found[-1]

    monkeypatch.setattr(collocations, "adjoint_of", noted)
    return found


def at_all_nodes(monkeypatch, f, *args):
    with monkeypatch.context() as patched:
        patched.setattr(collocations, "FEW", N)
        return gradient(f, *args)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stiff", [1.0, 20.0])
@pytest.mark.parametrize("span", [(0.0, 1.0), (0.2, -0.1)])
def test_one_jacobian_for_many_steps(method, stiff, span, taken, monkeypatch):
    options = {"method": method, "rtol": 1e-9, "atol": 1e-11}
    if span[1] < 0:
        stiff = 0.5  # diffusion backwards grows

    def captured(k, u):
        fun = lambda t, u: reacts(t, u, k, stiff)
        return (integrate.solve_ivp(fun, span, u, t_eval=np.linspace(*span, 4), **options).y ** 2).sum()

    def by_arguments(k, u):
        return (integrate.solve_ivp(reacts, span, u, args=(k, stiff), **options).y[:, -1] ** 2).sum()

    for f in (captured, by_arguments):
        taken.clear()
        k_bar, u_bar = gradient(f, 0.9, START)
        assert sum(found is not None for found in taken) > 2
        wanted = at_all_nodes(monkeypatch, f, 0.9, START)
        assert k_bar == pytest.approx(wanted[0], rel=1e-11)
        np.testing.assert_allclose(u_bar, wanted[1], rtol=1e-11, atol=1e-12 * np.max(np.abs(wanted[1])))
        h = 1e-3
        difference = (8 * (f(0.9 + h, START) - f(0.9 - h, START)) - f(0.9 + 2 * h, START) + f(0.9 - 2 * h, START)) / (
            12 * h
        )
        assert k_bar == pytest.approx(difference, rel=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_linear_system_in_closed_form(method, taken):
    def f(k):
        fun = lambda t, u: k * (LAPLACE @ u)
        return integrate.solve_ivp(fun, (0.0, 0.7), START, method=method, rtol=1e-9, atol=1e-12).y[:, -1].sum()

    exact = (0.7 * LAPLACE @ linalg.expm(0.7 * 1.3 * LAPLACE) @ START).sum()
    assert gradient(f, 1.3)[0] == pytest.approx(exact, rel=1e-6)
    assert any(found is not None for found in taken)


@pytest.mark.parametrize("broken", ["forwards", "backwards", "both"])
def test_steps_without_iterations_take_all_jacobians(broken, monkeypatch):
    """Where the iterations do not converge, in one direction or both, for some of the steps."""
    f = lambda k: (integrate.solve_ivp(reacts, (0.0, 1.0), START, "BDF", args=(k, 20.0), rtol=1e-7).y[:, -1] ** 2).sum()
    wanted = at_all_nodes(monkeypatch, f, 0.9)[0]
    calls = {"nodes_of": 0, "adjoint_of": 0}

    def sometimes(name, original):
        def called(*args):
            calls[name] += 1
            return None if calls[name] % 3 == 0 else original(*args)

        return called

    if broken != "backwards":
        monkeypatch.setattr(simplified, "nodes_of", sometimes("nodes_of", simplified.nodes_of))
    if broken != "forwards":
        monkeypatch.setattr(collocations, "adjoint_of", sometimes("adjoint_of", simplified.adjoint_of))
    assert gradient(f, 0.9)[0] == pytest.approx(wanted, rel=1e-11)
    assert max(calls.values()) > 6


def test_states_without_a_slope_end_the_iterations():
    factors = simplified.Factors(-np.eye(2), 0.1)
    guess = np.ones((3, 2))
    y, count = simplified.nodes_of(factors, lambda t, u: -u, 0.0, np.ones(2), 0.1, guess)
    np.testing.assert_allclose(y[2], math.exp(-0.1), rtol=1e-7)
    assert count < 4

    def refuses(t, u):
        return np.array([math.sqrt(0.5 - x) for x in u])

    assert simplified.nodes_of(factors, refuses, 0.0, np.ones(2), 0.1, guess) is None
    assert simplified.nodes_of(factors, lambda t, u: 1e3 * u * u, 0.0, np.ones(2), 0.1, guess) is None


def test_a_jacobian_goes_where_another_one_costs_less():
    made = []
    kept = simplified.Jacobian(lambda t, y: made.append(t) or -np.eye(2))
    for n, count, times in ((2, 5, 1), (2, 6, 2), (20, 11, 2), (20, 12, 3)):
        kept.step(lambda t, u: -u, float(len(made)), np.ones(2), 0.1, np.ones((3, 2)))
        kept.leave(count, n)
        kept.step(lambda t, u: -u, 1.0 + len(made), np.ones(2), 0.1, np.ones((3, 2)))
        assert len(made) == times


def test_values_are_those_of_the_solver():
    f = lambda k: integrate.solve_ivp(reacts, (0.0, 1.0), START, "Radau", args=(k, 20.0)).y[:, -1].sum()
    assert morula.withgradient(f, 0.9).value == f(0.9)
