"""Exceptions that programs of numbers catch, in the static tier."""

import math

import numpy as np
import pytest
from static_checks import check_programs, check_static, found_by
from tests.fuzz.plain_tried import TriedWriter

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class Bad(Exception):
    pass


class Worse(Bad):
    pass


def safe_log(x):
    try:
        return math.log(x)
    except ValueError:
        return -5.0 * x


def many_logs(a, b):
    total = 0.0
    for i in range(20):
        total += safe_log(a - 0.1 * i) * b
    return total


def two_kinds_at_once(a, b):
    total = 0.0
    for i in range(12):
        try:
            y = math.sqrt(a * i - b)
            total += y / (i - 5)
        except (ValueError, ZeroDivisionError):
            total -= b * i
    return total


def two_handlers(a, b):
    total = 0.0
    for i in range(12):
        x = a
        try:
            x = x * i
            y = math.sqrt(x - b)
            z = y / (i - 5)
        except ValueError:
            z = b * i
        except ZeroDivisionError:
            z = x * b
        else:
            z = z * 2
        total += z * x
    return total


def solve(a, b):
    x = 1.0
    for _ in range(30):
        if x < 0:
            raise Worse("negative")
        if x > 50:
            raise ValueError(f"too large: {x}")
        new = x - (x * x - a) / (2 * x) * b
        if abs(new - x) < 1e-10:
            return new
        x = new
    raise Bad


def own_exceptions(a, b):
    total = 0.0
    for i in range(10):
        try:
            r = solve(a + i, b * (1 + 0.2 * i))
        except Bad:
            r = 0.5 * a * i
        except ValueError:
            r = -b
        total += r * r
    return total


def left_early(a, b):
    total = 0.0
    for i in range(10):
        try:
            if a * i > 3:
                raise ValueError("large")
            total += math.exp(a * i)
        except Exception:
            total += b * i
            if i > 6:
                break
            continue
        total += a * b
    return total


def overflowing(a, b):
    total = a
    for i in range(8):
        try:
            total += math.exp(a * 1000.0 * (i - 2))
        except OverflowError:
            return total * b
    return total


def at_the_end(a, b):
    try:
        if a > 1:
            return math.sqrt(b)
        c = math.log(b)
        return a * c
    except ValueError:
        return b * a


def with_defaults(a, b):
    settings, total = {"k": a}, 0.0
    for n in range(20):
        try:
            c = settings["scale"] * a
        except KeyError:
            c = b
        try:
            k = settings["k"]
        except KeyError:
            k = 1.0
        total += c * math.exp(-k * n)
    return total


STATIC = [
    (with_defaults, (0.5, 1.2)),
    (at_the_end, (0.3, 0.7)), (at_the_end, (0.3, -0.7)), (at_the_end, (1.3, -0.7)),
    (many_logs, (1.25, 0.7)), (two_kinds_at_once, (0.71, 1.3)), (two_handlers, (0.71, 1.3)), (left_early, (0.7, 0.2)),
    (own_exceptions, (2.0, 0.9)), (overflowing, (0.7, 0.2)),
]  # fmt: skip


@pytest.mark.parametrize("f, args", STATIC, ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_caught_is_static(f, args):
    check_static(f, args)
    found = {}
    for tier in ("eager", "static"):
        with morula.tier(tier):
            _, back = morula.pullback(f, *args)
            found[tier] = (*back(2.0), *morula.jvp(f, args, (0.3, -1.0)))
    np.testing.assert_allclose(found["static"], found["eager"], rtol=1e-10)


class Tank:
    def __init__(self):
        self.level = 0.0

    def fill(self, x):
        self.level += x
        if self.level > 3:
            raise ValueError("full")


def with_effects(a, b):
    tank, n = Tank(), 0
    for i in range(10):
        try:
            tank.fill(a * i)
        except ValueError:
            tank.level, n = b, n + 1
    return tank.level * a + n


def not_caught(a, b):
    try:
        y = math.sqrt(a)
    except ZeroDivisionError:
        y = b
    return y * a


def order_of_errors(a, b):
    try:
        y = math.sqrt(a) + 1 / b  # the square root raises first, which nobody catches here
    except ZeroDivisionError:
        y = 1.0
    return y * a


def looked_at(a, b):
    try:
        return math.log(a) * b
    except ValueError as error:
        return len(str(error)) * a


def finally_too(a, b):
    try:
        y = math.log(a)
    except ValueError:
        y = a * b
    finally:
        b = b * 2
    return y * b


def by_numpy(a, b):
    try:
        return a / (b - b)  # a warning of NumPy's, for its numbers
    except ZeroDivisionError:
        return a * b


@pytest.mark.parametrize(
    "f, args",
    [(with_effects, (0.71, 0.2)), (not_caught, (-1.0, 2.0)), (order_of_errors, (-1.0, 0.0)), (looked_at, (-1.0, 2.0)),
     (finally_too, (-1.0, 2.0)), (by_numpy, (np.float64(2.0), 3.0)), (by_numpy, (2.0, np.float64(3.0))),
     (by_numpy, (2.0, 3.0))],
)  # fmt: skip
def test_the_outcome_is_the_eager_one(f, args):
    for _ in range(2):
        assert repr(found_by("static", f, args)) == repr(found_by("eager", f, args))


def named_again(X, y):
    X = X
    x = y - np.sum(X, axis=0)
    return np.dot(np.add(x, x - 3), np.add(x, x - 3)) * 3.0


def test_a_gradient_has_the_shape_of_what_is_named_again():
    found = found_by("static", named_again, (np.arange(18.0).reshape(9, 2), np.array([1.0, 2.0])))
    assert record_of(named_again).all_pairs[0].calls
    assert [g.shape for g in found.gradient] == [(9, 2), (2,)]


class Swallows:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def root_in_the_end(x):
    z = x
    try:
        z = math.sqrt(x)
    except ValueError:
        z = 3.0 * x
    finally:
        z = z + x
    return z


def swallowed(x):
    with Swallows():
        x = math.sqrt(x)
    return x * 2.0


def roots(xs):
    for x in xs:
        yield root_in_the_end(x)


def recursive_root(n, x):
    z = x
    try:
        z = recursive_root(n - 1, x) * 2.0 if n else math.sqrt(x)
    except ValueError:
        z = x * 3.0
    finally:
        z = z + 1.0
    return z


CALLS = ["root_in_the_end(x)", "swallowed(x)", "sum(roots([x, y]))", "recursive_root(2, y) + recursive_root(2, x)"]


@pytest.mark.parametrize("call", CALLS)
def test_what_a_callee_catches_in_other_ways_is_not_the_callers(call):
    body = f"    try:\n        z = {call}\n    except ValueError:\n        z = x * 7.0\n    return z * y\n"
    space = {**globals()}
    exec("def f(x, y):\n" + body, space)
    for args in ((0.5, 2.0), (-0.5, 2.0), (0.5, 2.0)):
        found = found_by("static", space["f"], args)
        assert repr(found) == repr(found_by("eager", space["f"], args))
        assert found.value == space["f"](*args)


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_random_programs_that_catch_in_callees(start):
    check_programs(TriedWriter, range(start, start + 10))


def roots_of_an_array(a):
    try:
        y = math.sqrt(a[0] - 0.5)
    except ValueError:
        y = -a[0]
    try:
        z = math.log(a[1] - 5)
    except ValueError:
        z = a[1]
    return y * z


def step_by_step_in_an_array(a):
    t = a[0]
    try:
        t = math.sqrt(t - 0.1)
        t = math.log(t - 0.2)
        t *= 2
    except ValueError:
        t = t * a[1]
    else:
        t += 1.0
    finally:
        t += a[2]
    return t


def powers_of_an_array(a):
    try:
        return math.pow(2.0 + a[0] * a[0], 1e4) * a[1]
    except OverflowError:
        return a[1] * a[2]


def guarded(f, x, otherwise):
    try:
        return f(x)
    except ValueError:
        return otherwise


def guarded_calls(a):
    t = 0.0
    for x in a.tolist():
        t += guarded(math.sqrt, x, a[0]) + guarded(math.acos, x * 2, 1.0)
    return t


OF_ARRAYS = [roots_of_an_array, step_by_step_in_an_array, powers_of_an_array, guarded_calls]


@pytest.mark.parametrize("f", OF_ARRAYS, ids=lambda f: f.__name__)
def test_what_functions_of_math_raise_of_the_numbers_of_an_array(f):
    for a in ([0.7, 0.3, -0.4, 0.41], [0.2, 0.9, 0.1, 0.33]):
        check_static(f, (np.array(a),))


def test_what_numpy_does_not_raise():
    """A quotient of NumPy's numbers is infinite where Python's raises."""

    def f(a):
        try:
            t = a[0] / (a[1] - a[1])
        except ZeroDivisionError:
            t = 1000.0
        return a[1] if math.isinf(t) else t

    with np.errstate(divide="ignore"):
        for tier in ("eager", "static", "static"):
            assert found_by(tier, f, (np.array([0.7, 0.3]),)).value == 0.3
