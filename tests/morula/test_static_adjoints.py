"""Static adjoints of plain Python: the same values and gradients as the eager tier, and never anything else."""

import builtins
import gc
import linecache
import math
import sys
import threading
import types
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
from static_checks import alike

import chainrules
import morula
from morula.static.python import pairs

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.fuzz import plain

X = np.array([0.3, -0.7, 1.1, 0.4])
DATA = np.array([3.0, 8.0, 26.0, 76.0])
COUNTS = np.array([1, 2, 3, 4])
M = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
SCALE, STEPS = 2.0, 5

# Where a warning would be an error the eager tier does what NumPy's numbers do.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def flow(s, i, beta, gamma):
    infections = beta * s * i / 763
    return -infections, infections - gamma * i


def epidemic(beta, gamma, first):
    s, i, h, total = 763 - first, first, 0.1, 0.0
    for day in range(1, len(DATA)):
        for _ in range(STEPS):
            s1, i1 = flow(s, i, beta, gamma)
            s2, i2 = flow(s + h / 2 * s1, i + h / 2 * i1, beta, gamma)
            s, i = s + h * s2, i + h * i2
        total += (i - DATA[day]) ** 2
    return math.log(total)


def anomaly(m, e):
    x = m
    for _ in range(50):
        step = (x - e * math.sin(x) - m) / (1.0 - e * math.cos(x))
        x = x - step
        if abs(step) < 1e-12:
            break
    return x


def kepler(a, e, m):
    total = 0.0
    for k in range(10):
        x = anomaly(m + 0.06 * k, e)
        total += (a * (math.cos(x) - e) - math.cos(m)) ** 2
    return total


def mse(y, t):
    total = 0.0
    for i in range(len(y)):
        total = total + (y[i] - t[i]) ** 2
    return total / len(y)


def early(x, n):
    for i in range(n):
        if x > 1.0:
            return x * i
        x = x * 1.5 if i % 2 else x + 0.1
    return -x


def skipping(x, y):
    total = n = 0
    while n < 6:
        n += 1
        if n == 2:
            continue
        if n > 4 and total > y:
            break
        total += max(x, y * n) + min(x * n, 0.3) ** 2
    return total


def zipped(y, t):
    total = 0.0
    for i, v in enumerate(y):
        total += i * v
    for v, w in zip(y, t):  # noqa: B905
        total += math.hypot(v, w) * SCALE
    return total


def of_tuples(x):
    p = (x, 2 * x)
    total = 0.0
    for v in p:
        total += v**3
    return total * p[1] + (p[0] if 0 < x < 1 and not x > 0.9 else 1.0)


def of_counts(x):
    total = 0.0
    for c in COUNTS:
        total += c * x**c
    return total


def defaults(x, k=0.5):
    return helper(x) + helper(x, k=k) ** 2


def helper(x, k=3.0):
    return math.exp(-k * x) / (1 + x)


def predators(p):
    y, total = np.array([10.0, 5.0]), 0.0
    for i in range(20):
        k1 = growth(y, p)
        k2 = growth(y + 0.05 * k1, p)
        y = y + 0.025 * (k1 + k2)
        if i % 5 == 0:
            total = total + np.sum((y - 7.0) ** 2) + y.mean()
    return total


def growth(y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])


def swapped(p):
    x, y = np.array([p[0], p[1]]), np.array([p[1], 0])
    x, y = y, x
    if p[0] > 0.2:
        z = x * 3
    else:
        z = y - p.shape[0]
    for v in z:
        x = x + v
    return np.sum(-x * y) / len(z) + p.copy().sum() * z[-1]


def bilinear(m, v, w=0.5):
    n, k = m.shape
    total = 0.0
    for i in range(n):
        for j in range(k):
            total = total + m[i, j] * m[i][-1] * v[j] ** 2
    return total * w


def fading(x, n=3, k=0.5):
    for _ in range(n):
        x = x * k + x * x
    return x


def begun_with_an_integer(a, x):
    total, kept = 0, 1
    for v in a:
        if v > x:
            kept = v
        total += v * kept
    return total / len(a) + kept * x


def power(x, n):
    return x if n <= 1 else x * power(x, n - 1)


def back_and_forth(x, n, f):
    if n == 0:
        return x, 1.0
    a, b = forth(f(x), n, f)
    for i in range(n):
        a = a + b * i
    return a * x, b + a


def forth(x, n, f):
    a, b = back_and_forth(0.9 * x, n - 1, f)
    return a * SCALE, b - x


def recursive(x, n):
    a, b = back_and_forth(x, n, helper)
    c, d = back_and_forth(b, 2, math.sin)
    return a * b + c * d + power(x, n)


def halved(x, n):
    while n > 0:
        x = x * 0.5 + halved(x * 0.3, n - 2)
        n -= 1
    return x


def not_used(x, n):
    if n < 1:
        return x * x
    not_used(x * 2.0, n - 2)
    return x + 0.5 * not_used(x * 0.3, n - 1)


PROGRAMS = [
    (not_used, (0.7, 4)),
    (recursive, (0.7, 3)), (recursive, (0.7, 0)), (halved, (0.9, 4)), (halved, (np.float64(0.9), 4)), (power, (1.1, 5)),
    (begun_with_an_integer, (X, 0.2)), (begun_with_an_integer, (X, 5.0)),
    (begun_with_an_integer, (X, np.float64(-5.0))),
    (bilinear, (np.outer(X, DATA[:3]), X[:3].copy())), (bilinear, (np.outer(X, DATA[:3]).T, X, 2.0)),
    (fading, (1.5,)), (fading, (1.5, 2)), (fading, (0.0, 2, 0.25)),
    (predators, (np.array([1.0, 0.1, 0.1, 1.0]),)), (swapped, (np.array([0.3, 0.7]),)), (swapped, (-X[:2],)),
    (epidemic, (2.0, 0.5, 1.0)), (kepler, (1.1, 0.3, 0.2)), (mse, (X, X[::-1].copy())), (mse, (DATA, DATA * 1.1)),
    (early, (0.4, 3)), (early, (0.4, 9)), (skipping, (0.2, 0.4)), (zipped, (X, DATA)),
    (of_tuples, (0.7,)), (of_tuples, (np.float64(1.7),)), (defaults, (0.3, 0.5)),
    (lambda x: x * x, (3.0,)), (lambda x: np.sin(x) * math.sqrt(x), (3.0,)),
]  # fmt: skip


def both(f, args):
    with morula.tier("eager"):
        eager = morula.withgradient(f, *args)
    with morula.tier("static"):
        static = morula.withgradient(f, *args)
    return eager, static


def is_static(f):
    record = pairs.record_of(f)
    return record.why is None and any(pair.calls and not pair.failures for pair in record.all_pairs)


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_as_the_eager_tier(f, args):
    eager, static = both(f, args)
    assert is_static(f), pairs.record_of(f).why
    assert static.value == eager.value == f(*args)
    assert type(static.value) is type(eager.value) is type(f(*args))
    for g, h in zip(static.gradient, eager.gradient, strict=True):
        assert type(g) is type(h)
        if g is not None:
            np.testing.assert_allclose(g, h, rtol=1e-12)


@pytest.mark.parametrize("args", [(np.float64(0.2), 0.4), (0.2, np.float64(0.4)), (np.float64(-0.2), 0.4)])
def test_a_value_of_either_type(args):
    """One that would be one of NumPy's numbers, by which of two is the larger one."""
    eager, static = both(skipping, args)
    assert repr(static) == repr(eager) and repr(static.value) == repr(skipping(*args)) and is_static(skipping)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    source, verdict = plain.check(seed)
    assert verdict.kind != "wrong", f"{verdict.message}\n\n{source}"


@pytest.mark.slow
def test_what_the_fuzzer_compares_can_differ(monkeypatch):
    """With a fault planted into the static tier, random programs are wrong."""
    made = pairs.generated

    def faulty(f, args, wanted):
        pair, text = made(f, args, wanted)
        return (lambda *given: (lambda y, g: (y, tuple([v and v * 1.001 for v in g])))(*pair(*given))), text

    monkeypatch.setattr(pairs, "generated", faulty)
    assert "wrong" in {plain.check(seed)[1].kind for seed in range(10_000, 10_020)}


# -- guards: each has a program that would be wrong without it ----------------------------------------------------


def reading(x):
    return SCALE * x * x


def test_globals_of_another_value_and_of_another_type(monkeypatch):
    with morula.tier("static"):
        assert morula.gradient(reading, 1.0) == (4.0,)
        monkeypatch.setattr(sys.modules[__name__], "SCALE", 5.0)
        assert morula.gradient(reading, 1.0) == (10.0,)
        monkeypatch.setattr(sys.modules[__name__], "SCALE", np.array([1.0, 2.0]))
        with pytest.raises(morula.ResultError):
            morula.gradient(reading, 1.0)


def test_functions_that_are_rebound_or_get_other_code(monkeypatch):
    with morula.tier("static"):
        before = morula.gradient(defaults, 0.3, 0.5)
        monkeypatch.setattr(helper, "__defaults__", (1.0,))
        assert morula.gradient(defaults, 0.3, 0.5) != before
        monkeypatch.setattr(helper, "__code__", (lambda x, k=1.0: x * k).__code__)
        assert morula.gradient(defaults, 0.3, 0.5) == (1.0 + 2 * 0.3 * 0.25, 2 * 0.3 * 0.5 * 0.3)
        monkeypatch.setattr(sys.modules[__name__], "helper", lambda x, k=1.0: 7.0 * x)
        assert morula.gradient(defaults, 0.3, 0.5) == (pytest.approx(7.0 + 2 * 49 * 0.3), None)


def test_closures_have_cells_of_their_own():
    def make(k):
        return lambda x: k * x * x

    with morula.tier("static"):
        assert [morula.gradient(make(k), 1.0)[0] for k in (1.0, 2.0, 3.0, 4)] == [2.0, 4.0, 6.0, 8.0]


def test_rules_that_are_declared_later():
    def inner(x):
        return x * 3.0

    def outer(x):
        return inner(x) + 1.0

    with morula.tier("static"):
        assert morula.gradient(outer, 1.0) == (3.0,)
        chainrules.rrule(inner)(lambda x: (x * 3.0, lambda bar: 100.0 * bar))
        assert morula.gradient(outer, 1.0) == (100.0,)


def test_arguments_that_share_memory():
    with morula.tier("static"):
        both_at_once = [X, X[::-1]]
        expected = 2 * (X - X[::-1]) / 4
        np.testing.assert_allclose(morula.gradient(mse, *both_at_once)[0], expected)
        eager = None
        try:
            with morula.tier("eager"):
                eager = morula.gradient(mse, X, X)
        except morula.AliasedArgumentsError:
            with pytest.raises(morula.AliasedArgumentsError):
                morula.gradient(mse, X, X)
        else:
            np.testing.assert_array_equal(morula.gradient(mse, X, X), eager)


def fails(x):
    if x > 1.0:
        raise ValueError("too large: " + "x")
    assert x > -1.0
    return math.sqrt(x) * x


def test_exceptions_are_the_programs_own():
    with morula.tier("static"):
        assert morula.gradient(fails, 0.25) == (0.75,)
        with pytest.raises(ValueError, match="too large: x"):
            morula.gradient(fails, 2.0)
        with pytest.raises(AssertionError):
            morula.gradient(fails, -2.0)
        with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
            morula.gradient(fails, -0.5)


def unbound(x):
    return assigned_sometimes(x) + assigned_sometimes(-x)


def assigned_sometimes(x):
    if x > 0:
        y = x
    return y


def test_variables_of_a_callee_are_not_those_of_its_last_call():
    with morula.tier("static"), pytest.raises(UnboundLocalError):
        morula.gradient(unbound, 1.0)


def powers(x, p):
    return abs(x**p)


def test_powers_that_are_complex():
    with morula.tier("static"):
        static = morula.gradient(powers, -2.0, 0.5)
    with morula.tier("eager"):
        assert static == morula.gradient(powers, -2.0, 0.5)


def test_zero_gradients_are_the_eager_tiers():
    with morula.tier("static"):
        assert morula.gradient(lambda x, y: (x - 1.0) ** 2 + y, 1.0, 2.0) == (0.0, 1.0)
        assert morula.gradient(lambda x, y: x * x, 1.0, 2.0) == (2.0, None)
        assert morula.gradient(lambda x, y: x if x > y else y, 1.0, 2.0) == (None, 1.0)
        assert morula.gradient(lambda x, y: x // 2 + y, 1.0, 2.0) == (0.0, 1.0)


def reached_on_all_paths(x, y):
    p = x * y
    for _ in range(3):
        p = p * x if y > 2.0 else p * 0.5
    if p > 1.0:
        raise ValueError
    return p**2 + math.sin(x) * y


@pytest.mark.parametrize("args", [(0.0, 0.0), (-0.0, 1.0), (1.0, 0.0), (0.0, 3.0)])
def test_zeros_that_are_no_absent_gradients(args):
    f = types.FunctionType(reached_on_all_paths.__code__.replace(), globals())
    eager, static = in_both(f, *args)
    assert eager == static and is_static(f)


def test_absent_gradients_are_no_zeros():
    def f(x, y):
        for _ in range(int(y)):
            x = x * y
        return x if x < 0.5 else y * 0.0

    for args in ((0.0, 0.0), (1.0, 0.0), (0.0, 2.0), (1.0, 2.0)):
        eager, static = in_both(f, *args)
        assert eager == static


def test_many_threads_take_one_adjoint():
    f = made_from("def f(x, n):\n    for _ in range(n):\n        x = x * 0.5 + x * x\n    return x\n")["f"]
    found = []

    def work(k):
        with morula.tier("static"):
            found.extend([(k, n, morula.gradient(f, 0.1 * k, n)[0]) for n in range(1, 20)])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with morula.tier("eager"):
        assert all(g == pytest.approx(morula.gradient(f, 0.1 * k, n)[0], rel=1e-12) for k, n, g in found)
    assert len(found) == 76


def test_hot_functions_get_one_by_themselves():
    def hot(x):
        for _ in range(3000):
            x = math.sin(x) + 0.01
        return x

    with morula.tier("auto"):
        first = morula.gradient(hot, 0.5)
        for _ in range(30):
            assert morula.gradient(hot, 0.5) == pytest.approx(first, rel=1e-12)
    assert is_static(hot)


def test_other_verbs_take_it_too():
    with morula.tier("static"):
        value, slope = morula.value_and_grad(kepler, argnums=1)(1.1, 0.3, 0.2)
        assert morula.grad(kepler, argnums=(0, 1))(1.1, 0.3, 0.2)[1] == pytest.approx(slope)
    with morula.tier("eager"):
        assert (value, slope) == pytest.approx(morula.value_and_grad(kepler, argnums=1)(1.1, 0.3, 0.2))


def test_unknown_tiers_are_refused():
    with pytest.raises(ValueError, match="no tier 'fast'"), morula.tier("fast"):
        pass


# -- what careful readers of the code have broken ------------------------------------------------------------------


def active_loop_variable(x):
    i = x * x
    for i in range(3):  # noqa: B007
        pass
    return x * i


def named_like_a_cotangent(x):
    y = x
    y_b = 2.0
    for _ in range(2):
        y = y * x
    return y * y_b + x


def named_like_a_part(x):
    p = (x, 2 * x)
    p_0 = 1.0
    for _ in range(3):
        p_0 = p_0 * p[0] + x
    return p_0 + p[1]


def tuple_read_late(x):
    y = x * 2.0
    for v in (x, y):
        y = y + v
    return y * x


def nested_unpacking(x):
    a, b, c = x, x * x, 3.0 * x
    a, (b, c) = c, (a, b)
    return a + 10 * b + 100 * c * x


def chained_targets(x):
    y, z = x, x * x
    z, y = p = y, z
    return y * 10 + z * 100 + p[0] * x + p[1] * 3


def value_that_is_not_bound(x):
    helper_without_value(x)
    return x * x


def helper_without_value(x):
    if x > 5:
        y = x
    return y


def positional_only(x, /, y):
    return x * y


def by_keyword(x):
    return positional_only(x=x, y=2.0)


def compared_with_a_large_integer(x):
    return x * 2.0 if x < 2**53 + 1 else x * 3.0


def root_of_a_negative_element(a):
    y = a[0] ** 0.5
    return a[0] * 2 if y != y else a[0] * 3


def ufunc_of_an_integer(x):
    return np.square(3) * x + np.floor(2) * x


def loops_in_both_branches(x, c=0.3):
    total = 0.0
    if x > 1:
        for _ in range(3):
            total += x * (c * 2.0)
    else:
        for _ in range(3):
            total -= x * (c * 2.0)
    return total


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (active_loop_variable, (1.5,)), (named_like_a_cotangent, (1.5,)), (named_like_a_part, (1.5,)),
        (tuple_read_late, (1.5,)), (nested_unpacking, (1.5,)), (chained_targets, (1.5,)),
        (value_that_is_not_bound, (1.5,)), (by_keyword, (1.5,)), (ufunc_of_an_integer, (1.5,)),
        (compared_with_a_large_integer, (np.float64(2.0**53),)), (compared_with_a_large_integer, (2.0**53,)),
        (root_of_a_negative_element, (np.array([-2.0]),)), (loops_in_both_branches, (0.5, 0.3)),
        (loops_in_both_branches, (1.5, 0.3)), (lambda x: x * x, ()),
    ],
)  # fmt: skip
def test_programs_that_were_wrong_once(f, args):
    def told(tier):
        with morula.tier(tier):
            return plain.told(lambda: morula.withgradient(f, *args))

    eager, static = told("eager"), told("static")
    assert repr(static) == repr(eager)


def last_count(x):
    k = 1
    for c in COUNTS:
        k = c
    return k * x


@pytest.mark.parametrize("x", [1.5, 2, np.float64(1.5)])
def test_integers_that_are_numpys_at_times(x):
    eager, static = in_both(last_count, x)
    assert eager == static


def test_functions_of_one_code():
    def make(k):
        def f(x):
            return k * x * x

        return f

    one, other = make(2.0), make(3.0)
    chainrules.rrule(other)(lambda x: (3.0 * x * x, lambda bar: 1000.0 * bar))
    with morula.tier("static"):
        assert morula.gradient(one, 1.0) == (4.0,)
        assert morula.gradient(other, 1.0) == (1000.0,)
        assert morula.gradient(one, 1.0) == (4.0,)


@pytest.mark.slow
def test_sums_too_deep_for_the_compiler_are_the_eager_tiers():
    source = "def f(x):\n    return " + " + ".join(["x * x"] * 300) + "\n"
    space = {}
    exec(source, space)
    with morula.tier("static"):
        assert morula.gradient(space["f"], 1.0) == (600.0,)


def test_what_numpy_is_told_to_raise_is_raised():
    def f(a):
        return a[0] * 1e-300 * 1e-200 + a[0]

    with morula.tier("static"), np.errstate(all="raise"), pytest.raises(FloatingPointError):
        morula.gradient(f, np.array([1e-5]))


# -- what must not be noticed -------------------------------------------------------------------------------------


def made_from(source, **space):
    name = f"<made {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), space)
    return space


def in_both(f, *args):
    def told(tier):
        with morula.tier(tier):
            return repr(plain.told(lambda: morula.withgradient(f, *args)))

    return told("eager"), told("static")


def test_builtins_of_the_programs_own():
    own = made_from("def f(x):\n    return abs(x) * x\n", __builtins__={**vars(builtins), "abs": lambda x: 7.0})
    eager, static = in_both(own["f"], -3.0)
    assert eager == static and "7.0" in static


def test_builtins_that_are_shadowed_later(monkeypatch):
    space = made_from("def f(x):\n    return abs(x) * x\n")
    for change in (lambda: None, lambda: space.update(abs=lambda x: x * 9.0), lambda: space.pop("abs"),
                   lambda: monkeypatch.setattr(builtins, "abs", lambda x: x * 11.0)):  # fmt: skip
        change()
        eager, static = in_both(space["f"], -3.0)
        assert eager == static


def test_modules_with_attributes_of_their_own():
    class Computed(types.ModuleType):
        @property
        def k(self):
            return 100.0

    module = types.ModuleType("module")
    module.k = 2.0
    f = made_from("def f(x):\n    return m.k * x\n", m=module)["f"]
    assert in_both(f, 1.0)[1] == repr(morula.withgradient(f, 1.0)) == in_both(f, 1.0)[0]
    module.__class__ = Computed
    eager, static = in_both(f, 1.0)
    assert eager == static and "100.0" in static


def test_names_inside_classes():
    space = made_from(
        "__k = 7.0\n_C__k = 11.0\nclass C:\n    def local(x):\n        __k = x * x\n        return __k * 3\n"
        "    def outer(x):\n        return x * __k\n"
    )
    for f in (space["C"].local, space["C"].outer):
        eager, static = in_both(f, 2.0)
        assert eager == static


def test_overflow_that_the_program_wants_to_hear_of():
    def f(a):
        return np.sin(a[0]) + 1.0 / (a[0] * 1e300 * 1e300)

    assert len(set(in_both(f, np.array([1.0])))) == 1
    with np.errstate(over="raise"):
        assert "FloatingPointError" in in_both(f, np.array([1.0]))[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "RuntimeWarning" in in_both(f, np.array([1.0]))[1]


CACHED = "import functools\n@functools.cache\ndef twice(n):\n    return n * 2\ndef f(x):\n    return x * x * twice(3)\n"
OF_A_MODULE = (
    "import types\nm = types.ModuleType('m')\ndef f(x):\n    return x * x if hasattr(m, 'g') else x\nm.g = f\n"
)


@pytest.mark.parametrize(
    "source", ["def g(x):\n    return x * 2\ndef f(x):\n    return g(x) * x\n", CACHED, OF_A_MODULE]
)
def test_functions_are_not_kept_alive(source):
    space = made_from(source)
    with morula.tier("static"):
        morula.gradient(space["f"], 1.0)
    assert is_static(space["f"])
    known = weakref.ref(space["f"])
    del space
    gc.collect()
    assert known() is None


def test_one_adjoint_serves_all_closures_of_a_factory():
    def make(k):
        def g(x):
            return k * x

        def f(x):
            return g(x) * x

        return f

    fs = [make(float(k)) for k in range(1, 9)]
    with morula.tier("static"):
        assert [morula.gradient(f, 1.0)[0] for f in fs] == [2.0 * k for k in range(1, 9)]
    assert [pair.calls for pair in pairs.record_of(fs[0]).all_pairs] == [8]


def test_a_callee_with_a_rule_is_not_like_one_without():
    def make(g):
        return lambda x: g(x) + x

    def scaled(k):
        return lambda x: k * x

    one, other = scaled(2.0), scaled(3.0)
    chainrules.rrule(other)(lambda x: (3.0 * x, lambda bar: 1000.0 * bar))
    with morula.tier("static"):
        assert morula.gradient(make(one), 1.0) == (3.0,)
        assert morula.gradient(make(other), 1.0) == (1001.0,)


def test_debuggers_see_the_lines():
    seen = []

    def f(x):
        y = x * x
        return y * 2

    def follow(frame, event, arg):
        seen.append((frame.f_code.co_name, event))
        return follow

    with morula.tier("static"):
        morula.gradient(f, 2.0)
        before = sys.gettrace()
        sys.settrace(follow)
        try:
            morula.gradient(f, 2.0)
        finally:
            sys.settrace(before)
    assert seen.count(("f", "line")) == 2


def test_small_arrays_of_other_lengths_and_kinds():
    def f(p):
        return np.sum(p * p)

    for p in (X[:2], X[:3], np.arange(30.0), X[:2].astype(np.float32), np.array([1, 2]), X[:2].copy()[::-1], X[:0]):
        eager, static = in_both(f, p)
        assert eager == static


@pytest.mark.parametrize(
    ("m", "v"),
    [
        (M, X[:3]), (M.T[:2], X[:2]), (M[:, ::2], X), (M, M[0]), (M[1:], M[0]), (M[:0], X), (M[:, :0], X),
        (np.broadcast_to(X, (2, 4)), X.copy()), (np.lib.stride_tricks.sliding_window_view(X, 2), X[:2].copy()),
        (M.astype(int), X), (M.view(np.matrix), X), (M.astype(np.float32), X), (np.zeros((200, 200)), X), (M[0], X),
    ],
)  # fmt: skip
def test_arrays_of_rows(m, v):
    f = types.FunctionType(bilinear.__code__.replace(), globals(), "bilinear", (0.5,))
    eager, static = in_both(f, m, v)
    assert eager == static


def test_defaults_that_change():
    f = types.FunctionType(fading.__code__.replace(), globals(), "fading", (3, 0.5))
    for defaults in ((3, 0.5), (2, 0.25), (2, np.float64(0.25)), (True, 1), (1.5, 2.0), (0.25,), None):
        f.__defaults__ = defaults
        eager, static = in_both(f, 1.5)
        assert eager == static


def test_second_names_of_an_array_that_is_written_into():
    def in_place(p):
        y = p * 1.0
        z = y
        z += 1.0
        z[0] = 3.0
        return y[0] * y[1]

    eager, static = in_both(in_place, X)
    assert eager == static and is_static(in_place)


def test_a_tier_holds_in_its_thread_only():
    inside, done = threading.Event(), threading.Event()

    def work():
        with morula.tier("eager"):
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait(10)
    f = made_from("def f(x):\n    return x * x\n")["f"]
    with morula.tier("static"):
        assert morula.gradient(f, 1.0) == (2.0,)
        done.set()
        thread.join()
    assert is_static(f)


def test_what_is_always_in_vain_is_given_up():
    f = made_from("def f(x, y):\n    return x * x if x > 0 else y\n")["f"]
    with morula.tier("static"):
        for _ in range(pairs.VAIN + 2):
            assert morula.gradient(f, 1.0, 1.0) == (2.0, None)
    assert sum(pair.failures for pair in pairs.record_of(f).all_pairs) <= 1


def test_what_is_said_of_a_function():
    source = "def outer(x):\n    return inner(x) * 2\ndef inner(x):\n    xs = [x]; return locals()['xs'][0]\n"
    source += "def good(x):\n    return x * x\n"
    space = made_from(source)
    why = "a call to locals (line 4, inner)"
    assert morula.explain(space["outer"], 1.0).tier == f"outer: the eager tier: {why}"
    assert str(morula.explain(space["good"])) == "good: the eager tier so far"
    with morula.tier("static"):
        morula.gradient(space["good"], 1.0)
        morula.gradient(space["outer"], 1.0)
    assert "static, by arguments 0: 1 calls" in str(morula.explain(space["good"]))
    assert f"{why}\n  eager: 1 runs" in str(morula.explain(space["outer"]))
    assert morula.explain(len, []).tier == "len: the eager tier: not a function written in Python"
    assert "def value_and_gradient(" in morula.code_adjoint(space["good"], 1.0)
    assert "ctx.mul" in morula.code_adjoint(space["good"])


# -- hot callees of an eager run ----------------------------------------------------------------------------------


def residual(a, e, m):
    x = anomaly(m, e)
    return a * math.cos(x) * SCALE - math.pi * math.cos(m)


def fitted(a, e, m):
    found = [residual(a, e, m + 0.06 * k) for k in range(30)]
    return sum(r * r for r in found) + 0 * len(repr(found))


def test_callees_are_entries_of_an_eager_run():
    eager, static = both(fitted, (1.1, 0.3, 0.2))
    assert static.value == eager.value
    assert static.gradient == pytest.approx(eager.gradient, rel=1e-12)
    assert [pair.calls for pair in pairs.record_of(residual).all_pairs] == [30]
    assert not pairs.record_of(fitted).all_pairs


def test_hot_callees_get_one_by_themselves():
    def hot(x, n):
        for _ in range(n):
            x = math.sin(x) + 0.01
        return x

    space = made_from("def f(x):\n    return sum([hot(x, 2000) for _ in range(300)])\n", hot=hot)
    with morula.tier("eager"):
        expected = morula.gradient(space["f"], 0.5)
    with morula.tier("auto"):
        assert morula.gradient(space["f"], 0.5) == pytest.approx(expected, rel=1e-12)
    assert pairs.record_of(hot).all_pairs[0].calls > 10


def test_callees_that_read_what_may_be_active():
    array, state = np.array([1.0, 2.0]), {}
    source = (
        "def scaled(x):\n    return x * A[0] * K + M.k\n"
        "def of_array(a):\n    return sorted([scaled(2.0 * a[0])])[0]\n"
        "def of_global(x):\n    global K\n    K = x\n    return sorted([scaled(x)])[0]\n"
        "def of_module(x):\n    M.k = x\n    return sorted([scaled(x)])[0]\n"
    )
    module = types.ModuleType("module")
    for name, x in (("of_array", array), ("of_array", array.copy()), ("of_global", 3.0), ("of_module", 3.0)):
        module.k = 1.0
        state = made_from(source, A=array, K=2.0, M=module)
        eager, static = in_both(state[name], x)
        assert eager == static


def test_callees_with_arrays_that_are_active():
    def inner(a, x):
        return a[0] * x * a[1]

    for source in ("b = a * 2.0\n    return sorted([inner(b, x)])[0] + inner(a, 3.0 * x)\n",
                   "return sorted([inner(np.array([1.0, 2.0]), x)])[0] * a[0]\n"):  # fmt: skip
        f = made_from(f"def f(a, x):\n    {source}", inner=inner, np=np)["f"]
        eager, static = in_both(f, np.array([1.0, 2.0]), 3.0)
        assert eager == static


def test_callees_of_arrays_are_entries():
    def inner(a, x):
        return a[0] * x * a[1] + math.sin(a[-1])

    def total(a):
        return np.sum(a * a) * a[0]

    source = (
        "def f(a, x):\n    b = a * 2.0\n    c = b[::-1]\n    s = 0.0\n    for k in sorted(range(4), reverse=True):\n"
        "        s = s + inner(b, x) * k + inner(c, s) + total(b[1:])\n        b[0] = s * 0.1\n        x = x * 0.9\n"
        "    return s * len(f'{x:.3f}')\n"
    )
    f = made_from(source, inner=inner, total=total, np=np)["f"]
    args = (np.array([1.0, 2.0, -0.3]), 0.4)
    eager, static = both(f, args)
    assert static.value == eager.value
    assert alike(static.gradient, eager.gradient)
    assert sum(pair.calls for pair in pairs.record_of(inner).all_pairs) > 4
    with morula.tier("static"):
        back = morula.pullback(f, *args)[1]
        for seed in (1.0, -2.0, 1.0):
            assert alike(back(seed), tuple([seed * g for g in eager.gradient]))
    h = 1e-6
    slope = (f(args[0] + h, 0.4 + h) - f(args[0] - h, 0.4 - h)) / (2 * h)
    assert np.sum(static.gradient[0]) + static.gradient[1] == pytest.approx(slope, rel=1e-6)


def test_closures_are_entries():
    of_numbers = (
        "def f(a, b):\n    def rate(t, y):\n        return a * math.sin(y) - b * t\n    y = 0.3\n"
        "    for i in range(6):\n        y = y + 0.1 * rate(0.1 * i, y)\n        b = b * y\n"
        "    return y * len(f'{y:.3f}')\n"
    )
    of_arrays = (
        "def f(a, b):\n    c = np.array([a, b, a * b])\n    def loss(k):\n        return c[0] * k + c[1] * c[2]\n"
        "    s = 0.0\n    for k in range(5):\n        s = s + loss(0.3 * k)\n        c[1] = s\n"
        "    return s * len(f'{s:.3f}')\n"
    )
    of_lists = (
        "def f(a, b):\n    c = [a, b]\n    def loss(k):\n        return c[0] * k + c[1]\n"
        "    return loss(0.3) * loss(b) * len(f'{a:.3f}')\n"
    )
    of_others = (
        "def f(a, b):\n    def inner(k):\n        return k * a\n    def loss(k):\n        return inner(k) * b\n"
        "    return loss(0.3) * loss(b) * len(f'{a:.3f}')\n"
    )
    of_views = (
        "def f(a, b):\n    c = np.ones(4)\n    v = c[1:]\n    def loss(k):\n        return v[0] * k + v[1]\n"
        "    s = loss(b)\n    c[1] = a\n    return s + loss(b) * len(f'{a:.3f}')\n"
    )
    defaults = "def f(a, b):\n    def loss(k, a=a):\n        return k * a\n    return loss(b) * b * len(f'{a:.3f}')\n"
    for source in (of_numbers, of_arrays, of_lists, of_others, of_views, defaults):
        f = made_from(source, np=np, math=math)["f"]
        eager, static = both(f, (0.7, 0.4))
        assert static.value == eager.value, source
        assert static.gradient == pytest.approx(eager.gradient, rel=1e-12), source
        slope = (f(0.7 + 1e-6, 0.4 - 1e-6) - f(0.7 - 1e-6, 0.4 + 1e-6)) / 2e-6
        assert static.gradient[0] - static.gradient[1] == pytest.approx(slope, rel=1e-6)


def test_callees_inside_other_derivations():
    def inner(x):
        return x * x * x

    space = made_from("def f(x):\n    return sorted([inner(x)])[0] * x\n", inner=inner)
    f = space["f"]
    with morula.tier("static"):
        assert morula.gradient(f, 2.0) == (32.0,)
        assert morula.hessian(f, 2.0) == 48.0
        assert morula.hvp(f, 2.0, 1.0) == 48.0
        assert morula.jvp(f, (2.0,), (1.0,)) == (16.0, 32.0)
        assert morula.gradient(lambda x: morula.gradient(f, x)[0], 2.0) == (48.0,)
        assert morula.gradient(lambda x: morula.jvp(f, (x,), (1.0,))[1], 2.0) == (48.0,)
        y, back = morula.pullback(f, 2.0)
        assert (y, back(1.0), back(2.0)) == (16.0, (32.0,), (64.0,))
