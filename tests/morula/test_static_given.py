"""Functions that a program gives to SciPy, such as integrands: the other lines of the program stay static."""

import dataclasses
import functools
import math

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

import morula
from morula.static.python import followed
from morula.static.python.pairs import record_of
from morula.static.python.solving import solved_at_once

integrate, optimize = (pytest.importorskip(f"scipy.{name}") for name in ("integrate", "optimize"))

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

DATA = np.array([0.3, 0.1, 0.4])
RATE = 0.7
A, B = 0.7, 1.3


def damped(t, rate, shift=0.1):
    return math.exp(-rate * t) + shift


def quadrature_in_a_loop(a, b):
    total = 0.0
    for k in range(3):
        total += integrate.quad(lambda t: math.exp(-a * t) * math.cos(b * t * k), 0, 2)[0] / (k + 1)  # noqa: B023
    return total


def roots(a, b):
    f = lambda x: x**3 + a * x - b
    return optimize.brentq(f, 0, 2) * optimize.newton(lambda x: math.cos(x) - a * x * b, 0.5)


def trajectory(a, b):
    sol = integrate.solve_ivp(
        lambda t, y: [-a * y[0] + 0.1, a * y[0] - b * y[1]], (0, 1), [1.0, 0.0], t_eval=np.linspace(0, 1, 4),
        rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    return np.sum((sol.y[1] - 0.3) ** 2)


def rhs(t, y, a, b):
    dy = np.zeros(2)
    dy[0] = y[1] * a
    dy[1] = -b * y[0]
    return dy


def with_arguments(a, b):
    y = integrate.odeint(rhs, [1.0, 0.5], np.linspace(0, 1, 4), args=(a, b), tfirst=True, rtol=1e-11)
    return y[-1, 0] * a


def functions_in_functions(a, b):
    def g(t):
        return a * t

    def f(t):
        u = g(t) + 1
        u += damped(t, RATE)
        return math.exp(-u * b)

    return integrate.quad(f, 0, 1)[0] + a


def parameters_in_containers(a, b):
    p = {"a": a, "{b}": b, "n": 3}
    w = (a, 2.0)
    return integrate.quad(lambda t, c=b: math.exp(-p["a"] * t * c) * w[0] * p["n"] + p["{b}"], 0, 1)[0] + a


def partial_function(a, b):
    return integrate.quad(functools.partial(damped, rate=a, shift=b), 0, 1)[0]


def arrays(a, b):
    w = np.array([a, b, a * b])

    def f(x):
        found = []
        for i in range(len(w)):
            found.append(w[i] * x ** (i + 1) - DATA[i])
        return sum(found)

    return optimize.brentq(f, 0, 2) + integrate.quad(lambda t: (w * np.sin(DATA * t)).sum(), 0, 1)[0]


def least_squares(a, b):
    t = np.linspace(0, 1, 9)
    d = a * np.exp(-b * t) + 0.01 * t
    return optimize.least_squares(lambda q: q[0] * np.exp(-q[1] * t) - d, [1.0, 1.0], xtol=1e-14, ftol=1e-14).x[0]


def changed_between(a, b):
    c = a
    f = lambda t: c * t * b
    one = integrate.quad(f, 0, 1)[0]
    c = c * b + 1
    return one * integrate.quad(f, 0, 1)[0]


def brackets_that_depend(a, b):
    c = 10.0 * a * b
    return optimize.brentq(lambda x: x * x - c, 0, c)


def own_root(a, b):
    return optimize.brentq(lambda x: x - integrate.quad(lambda t: a * t * x, 0, 1)[0] - b, 0, 5)


def result_of_a_solver(a, b):
    res = optimize.minimize(lambda z: (z[0] - a) ** 2 + (z[1] * b - 1) ** 2, [0.1, 0.2], tol=1e-12)
    if not res.success:
        return 0.0
    return res.x[0] * res.x[1] + res.fun


def solution_that_is_read_often(a, b):
    sol = integrate.solve_ivp(
        lambda t, y: -a * y, (0, 1), np.array([b]), t_eval=[0.2, 0.5, 1.0], rtol=1e-11, atol=1e-11
    )
    total = 0.0
    for i in range(len(sol.t)):
        total += sol.y[0, i] * sol.t[i]
    return total


@dataclasses.dataclass
class Params:
    k: float = 2.0
    c: float = 0.1


@dataclasses.dataclass(frozen=True)
class Frozen:
    k: float
    w: object


class Model:
    scale = 2.0

    def __init__(self, rate, cap):
        self.rate, self.cap = rate, cap
        self.history = [rate]
        self.table = np.array([rate, 0.5])
        self.p = Params(k=rate)

    def growth(self, y):
        return self.rate * y * self.scale

    def rhs(self, t, y):
        return self.growth(y) * (1 - y / self.cap) + self.table[0] * self.p.k

    def solve(self, y0):
        return integrate.solve_ivp(self.rhs, (0, 0.5), [y0], rtol=1e-10, atol=1e-10).y[0, -1]


GLOBAL = Model(0.3, 0.4)


def by_method(a, b):
    m = Model(a, b)
    return m.solve(0.1) * m.cap


def objects_that_are_captured(a, b):
    p, q = Params(k=a, c=b), Frozen(a, b)
    return integrate.quad(lambda t: p.k * t * (1 - t / p.c) + q.k * q.w * t, 0, 1)[0] + p.k


def object_that_changes(a, b):
    m = Model(a, b)
    r = optimize.brentq(lambda z: m.growth(z) - b, 0, 9)
    m.rate = a * 2
    return r + optimize.brentq(lambda z: m.growth(z) - b, 0, 9)


def object_from_outside(a, b):
    return integrate.quad(lambda t: GLOBAL.growth(t) * a, 0, 1)[0] * b + integrate.quad(GLOBAL.growth, 0, 1)[0] * a


PROGRAMS = [
    by_method, objects_that_are_captured, object_that_changes, object_from_outside,
    result_of_a_solver, solution_that_is_read_often, quadrature_in_a_loop, roots, trajectory, with_arguments,
    functions_in_functions, parameters_in_containers, partial_function, arrays, least_squares, changed_between,
    brackets_that_depend, own_root,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_functions_that_compute(f):
    check_static(f, (A, B))


def one_number_twice(a, b):
    return integrate.quad(lambda t, c, d: math.exp(-c * t) * d, 0, b, args=(a, a))[0]


def a_limit_that_is_captured(a, b):
    return integrate.quad(lambda t: math.sin(a * t) * b, 0, a)[0]


def limits_that_are_equal(a, b):
    return integrate.quad(lambda t: t * a * b, a, a + 0.0 * b)[0] + a * b


def with_its_error(a, b):
    y, error, _ = integrate.quad(lambda t: math.exp(-a * t) * b, 0, 1, full_output=1)[:3]
    return y + 0.0 * error


def an_array_twice(a, b):
    w = np.array([a, b])
    return integrate.quad(lambda t, v: w[0] * t + v[1] * t * t, 0, 1, args=(w,))[0]


def roots_in_an_integrand(a, b):
    return integrate.quad(lambda t: optimize.brentq(lambda z: z**3 + a * z - t - b, -5, 5), 0, 1)[0]


def with_counts(a, b):
    found = optimize.root_scalar(lambda z: z**3 + a * z - b, bracket=[-5, 5])
    return found.root if found.converged and found.iterations else 0.0


def a_bracket_that_moves(a, b):
    return optimize.brentq(lambda z: z**3 + a * z - b, -5 * a, 5 * a)


def by_args(a, b):
    return optimize.fsolve(lambda z, p, q: [z[0] ** 2 + z[1] - p - 2, z[1] - q * z[0]], [1.0, 1.0], args=(a, b))[1]


def minimum(a, b):
    found = optimize.minimize(lambda z: (z[0] - a) ** 2 + b * (z[1] - 1) ** 2 + 0.1 * z[0] * z[1], [0.0, 0.0])
    return found.x[0] * found.x[1]


def a_constant_integral(a, b):
    return integrate.quad(lambda t: t * t, 0, 1)[0] * a * b


IN_ONE_STEP = [
    one_number_twice, a_limit_that_is_captured, with_counts, a_bracket_that_moves, by_args, minimum,
    quadrature_in_a_loop, roots, limits_that_are_equal,
]  # fmt: skip
IN_OTHER_WAYS = [with_its_error, an_array_twice, roots_in_an_integrand, a_constant_integral]


@pytest.mark.parametrize("f", IN_ONE_STEP + IN_OTHER_WAYS, ids=lambda f: f.__name__)
def test_solvers_in_one_step(f, monkeypatch):
    found = []

    def noting(*args):
        found.append(solved_at_once(*args))
        return found[-1]

    monkeypatch.setattr(followed, "solved_at_once", noting)
    for args in ((A, B), (B, B), (np.float64(A), B)):
        static, eager = (found_by(tier, f, args) for tier in ("static", "eager"))
        y = f(*args)
        assert (static.value, type(static.value)) == (y, type(y))
        assert alike(static.gradient, eager.gradient)
        h, rtol = (1e-4, 1e-3) if f is minimum else (1e-6, 1e-6)
        for i, bar in enumerate(static.gradient):
            low, high = ([x + sign * h * (i == k) for k, x in enumerate(args)] for sign in (-1, 1))
            assert bar == pytest.approx((f(*high) - f(*low)) / (2 * h), rel=rtol, abs=1e-7)
    assert f in IN_OTHER_WAYS or any(each is not None for each in found)


def counted(a, b):
    n = 0

    def f(t):
        nonlocal n
        n += 1
        return a * t * b

    return integrate.quad(f, 0, 1)[0] * n


def noted(a, b):
    seen = []

    def f(t):
        seen.append(t)
        return a * t * b

    return integrate.quad(f, 0, 1)[0] * len(seen)


def written(a, b):
    w = np.array([a, b])

    def f(t):
        w[0] = 2.0 * t
        return w[1] * t

    return integrate.quad(f, 0, 1)[0] + w[0]


def written_by_another_name(a, b):
    w = np.array([a, b])

    def f(t):
        v = w
        v += t
        return v[1] * t

    return integrate.quad(f, 0, 1)[0] * a


def written_into_a_dict(a, b):
    d = {"k": 0.4}

    def f(t):
        d["k"] = 0.3
        return a * t * b

    return integrate.quad(f, 0, 1)[0] + d["k"]


def appended(a, b):
    d = [0.4]

    def f(t):
        d.append(t)
        return a * t * b

    return integrate.quad(f, 0, 1)[0] + d[0]


def printed(a, b):
    def f(t):
        print("at", t)
        return a * t * b

    return integrate.quad(f, 0, 1)[0]


def drawn(a, b):
    np.random.seed(3)
    return optimize.brentq(lambda t: a * t - b + 1e-3 * np.random.normal(), 0, 5, maxiter=3, disp=False)


def stored(a, b):
    class Count:
        n = 0

    c = Count()

    def f(t):
        c.n = c.n + 1
        return a * t * b

    return integrate.quad(f, 0, 1)[0] * c.n


class Doing:
    def __init__(self, a):
        self.a, self.n = a, 0

    @property
    def noisy(self):
        self.n = 0.5
        return self.a

    def by_property(self, t):
        return self.noisy * t

    def sum(self):
        return self.noisy

    def scaled(self, t):
        return self.a * t


def with_a_property(a, b):
    m = Doing(a)
    return integrate.quad(m.by_property, 0, 1)[0] * b + m.n


def name_of_a_method_of_arrays(a, b):
    m = Doing(a)
    return integrate.quad(lambda t: (lambda v: v.sum())(m) * t, 0, 1)[0] * b + m.n


class Callable(Doing):
    def __call__(self, t):
        self.n = 0.5
        return self.a * t

    def __add__(self, t):
        self.n = 0.5
        return self.a + t


def with_a_special_method(a, b):
    m = Callable(a)
    return integrate.quad(lambda t: m + t, 0, 1)[0] * b + m.n


def remembers(t, seen=[]):  # noqa: B006
    seen[:] = [t]
    return t * len(seen)


def with_memory(a, b):
    return integrate.quad(remembers, 0, 1)[0] + a * b


@pytest.mark.parametrize(
    "f",
    [
        counted,
        written_into_a_dict,
        appended,
        noted,
        written,
        written_by_another_name,
        drawn,
        stored,
        with_memory,
        with_a_property,
        name_of_a_method_of_arrays,
        with_a_special_method,
    ],
    ids=lambda f: f.__name__,
)
def test_functions_that_do_more_are_left_to_the_eager_tier(f):
    eager = found_by("eager", f, (A, B))
    for _ in range(2):
        static = found_by("static", f, (A, B))
        assert isinstance(eager, type) == isinstance(static, type)
        if isinstance(eager, type):
            assert static is eager
        else:
            assert static.value == eager.value and alike(static.gradient, eager.gradient)
    assert not any(pair.calls for pair in record_of(f).all_pairs)


def test_what_a_function_prints_is_printed_as_often(capsys):
    printed(A, B)
    plainly = capsys.readouterr().out
    found_by("eager", printed, (A, B))
    eagerly = capsys.readouterr().out
    found_by("static", printed, (A, B))
    assert plainly in eagerly and capsys.readouterr().out == eagerly


def written_into_a_result(a, b):
    res = optimize.root(lambda z: [z[0] * 2 - a, z[1] ** 3 + z[1] - b], [0.5, 0.5])
    x = res.x
    x[0] = 2.0 * a
    return res.x[0] * res.x[1]


def result_changed_by_its_name(a, b):
    res = optimize.root(lambda z: [z[0] * 2 - a, z[1] ** 3 + z[1] - b], [0.5, 0.5])
    x = res.x
    x *= 2.0
    return res.x[0] * res.x[1] + res.fun[0]


def steps(a, b):
    solver = integrate.RK45(lambda t, y: -a * y, 0.0, np.array([b]), 1.0, first_step=0.3)
    solver.step()
    one = solver.y[0]
    solver.step()
    return one * solver.y[0]


@pytest.mark.parametrize("f", [written_into_a_result, result_changed_by_its_name, steps], ids=lambda f: f.__name__)
def test_objects_that_change(f):
    eager = found_by("eager", f, (A, B))
    for _ in range(2):
        static = found_by("static", f, (A, B))
        assert repr(static.value) == repr(eager.value) == repr(f(A, B)) and alike(static.gradient, eager.gradient)


def failing(a, b):
    return integrate.quad(lambda t: a / (t - t) * b, 0, 1)[0] * a


def without_a_root(a, b):
    return optimize.brentq(lambda x: x * x + a, 0, b)


def test_exceptions_are_the_program_s():
    with morula.tier("static"):
        with pytest.raises(ZeroDivisionError):
            morula.gradient(failing, A, B)
        for _ in range(2):
            with pytest.raises(ValueError, match="different signs"):
                morula.gradient(without_a_root, A, B)


def decided_by_a_constant(a, b):
    if integrate.quad(lambda t: a * t * b, math.nan, 1.0)[0] > 2.0:
        return a
    return b


def test_what_the_eager_tier_refuses_is_refused():
    """Also where the value only decides which way the program takes."""
    for tier in ("eager", "static"):
        for _ in range(2):
            with morula.tier(tier), pytest.raises(morula.NotDifferentiable, match="did not converge"):
                morula.gradient(decided_by_a_constant, A, B)


def decaying(a, b):
    total, rate = 0.0, a
    for _ in range(2):
        total += integrate.quad(lambda t: math.exp(-rate * t) * b, 0, 1)[0]  # noqa: B023
        rate = rate * 2 + b
    return total


def of_a_pair(p):
    return decaying(*p)


@pytest.mark.parametrize("kind", [tuple, list, np.array])
def test_parts_of_arguments_move(kind):
    """Also one that nothing is computed of before it is given on, and that has other derivatives, too."""
    check_static(of_a_pair, (kind([A, B]),))


def test_functions_inside_a_run():
    """A hot callee that gives a function on is one entry of the tape of an eager run."""

    def f(a, b):
        return sum([quadrature_in_a_loop(a * 0.1 * i, b) for i in range(1, 4)])

    eager, static = found_by("eager", f, (A, B)), found_by("static", f, (A, B))
    assert alike(static.gradient, eager.gradient)


def test_several_seeds():
    def f(a, b):
        return np.array([1.0, 2.0]) * integrate.quad(lambda t: math.exp(-a * t * b), 0, 1)[0]

    with morula.tier("eager"):
        expected = morula.jacobian(f, A, B)
    with morula.tier("static"):
        _, back = morula.pullback(f, A, B)
        for k, seed in enumerate(np.eye(2)):
            for _ in range(2):
                np.testing.assert_allclose(back(seed), [np.asarray(e)[k] for e in expected], rtol=1e-12)


GIVEN_INTEGERS = {
    "newton": "optimize.newton(lambda z: z + 0.1 * np.sin(z) - math.sin(norm.logpdf(0.25, k, 2.0)) * x, 0.5)",
    "brentq": "optimize.brentq(lambda z: z**3 - x * np.hypot(k, 0.3), -1.0, 5.0)",
    "quad": "integrate.quad(lambda t: t * norm.pdf(t, scale=k) * x + math.sin(k * t), 0.0, 1.0)[0]",
    "by args": "optimize.brentq(lambda z, c: z**3 - norm.cdf(c) * x, -1.0, 5.0, args=(k,))",
}


@pytest.mark.parametrize("how", GIVEN_INTEGERS)
def test_integers_that_a_given_function_hands_on_have_derivatives(how):
    """Functions of SciPy take them as they are, where nothing of the text has made a float of them."""
    from scipy.stats import norm

    space = {"np": np, "math": math, "norm": norm, "optimize": optimize, "integrate": integrate}
    exec(f"def f(x, k):\n    return {GIVEN_INTEGERS[how]}\n", space)
    f, h = space["f"], 1e-5
    for _ in range(3):
        for tier in ("eager", "static"):
            found = found_by(tier, f, (0.8, 1)).gradient
            expected = [(f(0.8 + h, 1) - f(0.8 - h, 1)) / (2 * h), (f(0.8, 1 + h) - f(0.8, 1 - h)) / (2 * h)]
            assert found == pytest.approx(expected, rel=1e-6)
