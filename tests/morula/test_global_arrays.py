"""Arrays of the module, and of objects, collections and classes there, which become active where a program writes."""

import types
import weakref

import numpy as np
import pytest
from scipy import integrate, optimize

import morula


class Box:
    kept = np.zeros(2)

    def __init__(self):
        self.w = np.zeros(2)


W, TABLE, ROWS, PAIR, BOX, OUTER = (
    np.zeros(2),
    {"w": np.zeros(2)},
    [np.zeros(1), [np.zeros(1)]],
    (np.zeros(2),),
    Box(),
    Box(),
)
OUTER.inner, SPACE = Box(), types.ModuleType("space")
SPACE.w = np.zeros(2)

PLACES = {  # what reads an array, and what that is
    "module": (lambda: W[0], lambda: W),
    "dict": (lambda: TABLE["w"][0], lambda: TABLE["w"]),
    "list": (lambda: ROWS[0][0], lambda: ROWS[0]),
    "list in a list": (lambda: ROWS[1][0][0], lambda: ROWS[1][0]),
    "tuple": (lambda: PAIR[0][0], lambda: PAIR[0]),
    "object": (lambda: BOX.w[0], lambda: BOX.w),
    "object of an object": (lambda: OUTER.inner.w[0], lambda: OUTER.inner.w),
    "class": (lambda: Box.kept[0], lambda: Box.kept),
    "another module": (lambda: SPACE.w[0], lambda: SPACE.w),
}
USES = {  # of a function without arguments that reads it
    "quad": lambda read, p: integrate.quad(lambda x: read() * x, 0, 1)[0],
    "brentq": lambda read, p: optimize.brentq(lambda x: x * x - read(), 0, 3),
    "root": lambda read, p: optimize.root(lambda z: z**3 - read(), [1.0]).x[0],
    "solve_ivp": lambda read, p: integrate.solve_ivp(lambda t, y: -read() * y, (0, 1), [1.0], rtol=1e-9).y[0, -1],
    "minimize": lambda read, p: optimize.minimize(lambda z: (z[0] - read()) ** 2, [0.0], tol=1e-10).x[0],
    "gradient": lambda read, p: morula.gradient(lambda x: x**2 * read(), 3.0)[0],
    "jacobian": lambda read, p: morula.jacobian(lambda x: x**2 * read(), np.array([3.0]))[0][0, 0],
    "jvp": lambda read, p: morula.jvp(lambda x: x**2 * read(), (3.0,), (1.0,))[1],
    "checkpoint": lambda read, p: morula.checkpoint(lambda x: x * read(), p),
    "sorted": lambda read, p: sorted([1.0, 3.0], key=lambda v: v * read())[0] * read(),
    "vectorize": lambda read, p: float(np.sum(np.vectorize(lambda x: x * read())(np.array([1.0, 2.0])))),
}


@pytest.mark.parametrize("tier", ["auto", "eager", "static"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("use", USES)
def test_what_reads_an_active_array_of_a_module(use, place, tier):
    read, array = PLACES[place]

    def program(p):
        array()[0] = p * p
        return USES[use](read, p)

    h = 1e-5
    wanted = (program(0.7 + h) - program(0.7 - h)) / (2 * h)
    with morula.tier(tier):
        try:
            found = morula.gradient(program, 0.7)[0]
        except morula.NotDifferentiable:  # rules over functions have cotangents of captured variables alone
            assert use in ("minimize", "gradient", "jvp", "checkpoint", "jacobian")
            return
    assert found == pytest.approx(wanted, rel=1e-4)


def hot(x):
    total = 0.0
    for i in range(5):
        total += x * i * W[0] * BOX.w[0] * TABLE["w"][0]
    return total


def test_hot_functions_that_read_them():
    def program(p):
        W[0], BOX.w[0], TABLE["w"][0] = p, p * p, 2.0 * p
        y = 0.0
        for i in range(3):
            y = y + hot(p * i)
        return y

    wanted = (program(0.7 + 1e-5) - program(0.7 - 1e-5)) / 2e-5
    for tier in ("eager", "static", "auto"):
        with morula.tier(tier):
            assert morula.gradient(program, 0.7)[0] == pytest.approx(wanted, rel=1e-6)


class Thing:
    v = 1.0


GONE = [weakref.proxy(Thing())]
(ALONE,) = GONE


@pytest.mark.parametrize("use", ["quad", "brentq", "checkpoint", "jvp", "gradient"])
@pytest.mark.parametrize("read", [lambda: len(GONE), lambda: 1.0 if ALONE is not None else 0.0], ids=["list", "alone"])
def test_weak_proxies_of_what_is_gone_hold_nothing(use, read):
    def program(p):
        W[0] = p
        return USES[use](lambda: p * read(), p)

    h = 1e-5
    wanted = (program(0.7 + h) - program(0.7 - h)) / (2 * h)
    assert morula.gradient(program, 0.7)[0] == pytest.approx(wanted, rel=1e-4)
