"""Constructs of everyday programs in the static tier: ``:=``, patterns, contexts, iterators, searches, masks ..."""

import bisect
import contextlib
import functools
import itertools
import logging
import math
import statistics
import warnings
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from static_checks import alike, check_programs, check_static, check_tiers, found_by
from tests.fuzz.plain_everyday import EverydayWriter

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

LOG = logging.getLogger(__name__)
RNG = np.random.default_rng(3)
X = RNG.normal(size=12)
XS = [float(x) for x in RNG.normal(size=14)]
GROUPS = RNG.integers(0, 4, size=12)
SEEN = RNG.random(12) > 0.4


# -- named expressions --------------------------------------------------------------------------------------


def newton(a, x):
    n = 0
    while abs(step := (x * x - a) / (2 * x)) > 1e-12:
        x -= step
        if (n := n + 1) > 50:
            break
    return x


def halves(x, y):
    total = 0.0
    if (z := x * y) > 0.5 and (w := z - 0.1) > 0.0:
        total += w * z
    if x < 0.0 or (v := x * 3.0) > y:
        total += z
    else:
        total += v * y
    return total + (u := math.sin(x)) * u


# -- what is tried may not run twice --------------------------------------------------------------------------


def keys_that_are_noted(x, y):
    log = []

    def key(v):
        log.append(v * 2.0)
        return -v

    a = sorted([x, y, x * y], key=key)
    return a[0] * a[1] + sum(log)


class Shelf:
    def __init__(self, x):
        self.rows, self.calls = [x, x * 2.0], x

    def of(self, k):
        self.calls = self.calls * k
        return self


def lists_behind_calls(x, y):
    shelf = Shelf(x)
    shelf.of(y).rows.append(x * y)
    shelf.of(y).rows.append(y)
    return sum(shelf.rows) * shelf.calls


# -- operators of integers and of tuples ----------------------------------------------------------------------


def by_bits(x, y):
    n = (x > 0.2) << 2 | (y > x) ^ True
    n &= 6
    k = bool(y) | (x > 5.0)
    k ^= n > 1
    return x * n + y * k - (n >> 1) * x * y


def all_positive(x, y):
    ok = True
    for v in (x, y, x * y):
        ok &= v > 0.0
    return x * y if ok else x


def with_tuples(x, y):
    t = ()
    for i in range(3):
        t += (x * i, y)
    t = t[1:] + (x * y,) * 2
    return t[0] * t[1] + sum(t * 2)


def behind_axes(x, y):
    v = x * np.arange(1.0, 13.0)
    h = np.reshape(np.diff(v), (-1, *(1,) * (v.ndim - 1)))
    return np.sum(np.zeros(v.shape[:1] + v.shape) + y) / 12.0 + np.sum(h * h) * y


# -- patterns -----------------------------------------------------------------------------------------------


@dataclass
class Ball:
    r: float


@dataclass
class Box:
    w: float
    h: float


def areas(a, b):
    total = 0.0
    for shape in [("ball", a), ("box", a, b), ("box", a, b, 0.5), [a, b], Ball(a), Box(a, b), {"w": a, "k": b}, "none"]:
        match shape:
            case "none":
                total += 1.0
            case ("ball", r):
                total += math.pi * r**2
            case ("box", w, h) if w > h:
                total += w * h
            case ("box", w, h):
                total -= w * h
            case ("box", *sides):
                total += sides[0] * sides[2]
            case [p, q]:
                total += p * q * q
            case Ball(r) | Ball(r=r):
                total += r
            case Box(w=w, h=0.25):
                total += 100.0 * w
            case Box(w, h):
                total += w / h
            case {"w": w, **rest}:
                total += w * rest["k"] * len(rest)
    return total


def by_number(x, n):
    match n, x:
        case 0, _:
            return x
        case 1 | 2, y if y > 0.7:
            return y * y
        case k, y:
            return y * k


# -- contexts -----------------------------------------------------------------------------------------------


class Scope:
    def __init__(self, log):
        self.log, self.depth = log, 0.0

    def __enter__(self):
        self.depth += self.log
        return self

    def __exit__(self, *error):
        self.depth -= 1.0


def contexts(x, y):
    scope = Scope(x)
    with np.errstate(divide="ignore", invalid="ignore"), contextlib.nullcontext(y * 2.0) as z:
        x = np.log(x) * z
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = x / y
    with contextlib.suppress(ZeroDivisionError):
        x += 1.0 / (y - y)
        x += 100.0
    with scope as s:
        x *= s.depth
    with scope:
        return x * scope.depth


# -- iterators ----------------------------------------------------------------------------------------------


def iterators(xs, a):
    total = sum(map(math.sin, xs)) + max(map(lambda x: a * x, xs))  # noqa: C417
    for x in map(lambda u, v: u * v, xs, xs[1:]):
        if x < 0.0:
            continue
        total += x * a
    for x in filter(lambda u: u > 0.0, xs):
        total += x * x
    for x in (a * u for u in xs if u > 0.1):
        total += x
        if total > 5.0:
            break
    running = list(itertools.accumulate(xs))
    products = list(itertools.accumulate(xs, lambda p, q: p * q + a))
    largest = functools.reduce(lambda p, q: p if p > q else q, xs)
    return total + running[3] * products[2] + functools.reduce(lambda p, q: p + q, xs) * largest


def known_iterators(a, b):
    u, v = map(math.exp, (a, b))
    x, y, z = itertools.accumulate([a, b, a * b])
    return u * v + x * y * z + sum(p * q for p, q in zip(map(math.sin, (a, b)), [b, a], strict=True))


# -- searches -----------------------------------------------------------------------------------------------


def searches(knots, values, t):
    k = bisect.bisect_right(knots, t) - 1
    s = (t - knots[k]) / (knots[k + 1] - knots[k])
    found = values[k] * (1 - s) + values[k + 1] * s
    j = values.index(max(values))
    return found + knots[j] * bisect.bisect_left(knots, 0.9) + values.count(0.5) * t


def binned(xs):
    sums, edges = [0.0] * 4, [-0.5, 0.0, 0.5]
    for x in xs:
        sums[bisect.bisect(edges, x)] += x * x
    return sum(v * k for k, v in enumerate(sums, start=1))


# -- names and messages -------------------------------------------------------------------------------------


class Model:
    scale = 2.0

    def __init__(self, a, b):
        self.a, self.b = a, b

    @property
    def ratio(self):
        return self.a / self.b

    def times(self, x):
        return self.a * x


def by_name(a, b):
    m = Model(a, b)
    m.c = a * b
    total = sum(getattr(m, name) ** 2 for name in ("a", "b", "c", "ratio", "scale"))
    if hasattr(m, "d"):
        total = 0.0
    return total + getattr(m, "d", 3.0) * m.times(b)


def with_messages(x, y):
    for i in range(4):
        LOG.debug("step %d: %s", i, x)
        x = x + 0.1 * y
        LOG.info(f"now {x:.3f}")
    return x * y


class Pair(namedtuple("Pair", "u v")):
    __slots__ = ()

    def __add__(self, other):
        return Pair(self.u + other.u, self.v + other.v)

    def __mul__(self, k):
        return Pair(self.u * k, self.v * k)


def pairs(a, b):
    p = Pair(a, b)
    for _ in range(3):
        p = p + Pair(b, 1.0) * a
    return p.u * p.v


# -- lists to functions of the standard library ---------------------------------------------------------------


def of_lists(p, q):
    return (
        math.dist(p, q)
        + math.hypot(*p) * math.fsum(q)
        + statistics.mean(p) * statistics.stdev([q[0], p[1], p[0] * 2.0])
    )


# -- arrays -------------------------------------------------------------------------------------------------


def concatenated(x, a):
    y = np.r_[a, x[:2], [a * a, 1.0], 0:1:3j, x[::-1]]
    z = np.c_[x, x * a, np.ones(len(x))]
    w = np.c_[z, x[::-1]]
    return np.sum(y[1:] * y[:-1]) + (w @ np.arange(4.0)).sum() * z[0, 0]


def masked(x, a):
    y, on = x * a, np.zeros(x.shape, dtype=bool)
    on[2:5] = True
    on[7] = True
    y[on] = a
    y[y < -0.2] = 0.0
    y[y > 0.3] *= 2.0
    return np.sum(y**2)


def of_those_seen(x, a):
    late = x[SEEN] * a
    positive = x[x > 0.0]
    return np.sum(late**2) + positive.sum() / (x > 0.0).sum()


def at_places(x, a):
    total, other = np.zeros(4), x * a
    np.add.at(total, GROUPS, x)
    np.subtract.at(total, GROUPS, a)
    where = np.array([1, 3, 6])
    other[where] += x[where] ** 2
    other[where + 1] = x[:3]
    other[[0, -1]] = a
    return np.sum(total**2) + np.sum(other * x)


def filtered(x, cut):
    gain = 1.0 / (1.0 + (np.fft.rfftfreq(len(x)) / cut) ** 4)
    return np.sum(np.fft.irfft(np.fft.rfft(x) * gain, n=len(x)) ** 2)


def filled(points, values):
    n = len(points)
    gram = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            gram[i, j] = np.exp(-np.sum((points[i] - points[j]) ** 2))
    gram += 0.1 * np.eye(n)
    gram *= 2.0
    row = gram[1]
    row -= row[0] * 0.1
    return np.linalg.solve(gram, values) @ values


def relaxed(grid):
    for _ in range(3):
        new = grid.copy()
        for i in range(1, grid.shape[0] - 1):
            for j in range(1, grid.shape[1] - 1):
                n = (grid[i - 1, j] + grid[i + 1, j] + grid[i, j - 1] + grid[i, j + 1]) / 4
                new[i, j] = n if n > 0.2 else grid[i, j]
        grid = new
    return grid.sum() * grid[1, 1]


def summed(a, b, v):
    y = np.einsum("ij,jk->ik", a, b) + np.einsum("kj,i->ik", b, v[: len(a)])
    return np.einsum("ij,ij", y, y) * np.einsum("i,ij->j", v[: len(a)], a)[1] + np.einsum("ij -> j", y)[0]


def with_labels(w, x, labels):
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - labels * z) + 0.3 * (labels @ z) + np.sum(z[labels == 1])


def windowed(x):
    return (np.abs(np.fft.fft(x * np.hanning(len(x)))) ** 2)[1:4].sum()


PROGRAMS = [
    (filled, (RNG.normal(size=(9, 2)), RNG.normal(size=9))), (relaxed, (RNG.random((5, 6)),)), (windowed, (X,)),
    (summed, (RNG.normal(size=(3, 4)), RNG.normal(size=(4, 4)), X)),
    (newton, (2.0, 1.5)), (by_bits, (1.2, 0.7)), (by_bits, (0.1, -0.7)), (all_positive, (1.2, 0.7)),
    (with_tuples, (1.2, 0.7)), (behind_axes, (1.2, 0.7)), (keys_that_are_noted, (1.2, 0.7)),
    (lists_behind_calls, (1.2, 0.7)), (halves, (1.2, 0.7)), (halves, (0.3, 0.7)), (halves, (-0.3, 0.7)),
    (areas, (1.3, 0.7)),
    (areas, (0.7, 1.3)),
    (contexts, (1.2, 0.7)), (iterators, (XS, 0.4)), (iterators, ([*XS[:3], 0.9, 0.8], 1.4)),
    (known_iterators, (0.3, 0.8)), (searches, (sorted(XS), XS, 0.3)), (binned, (XS,)),
    (by_name, (1.2, 0.7)), (with_messages, (1.2, 0.7)),
    (pairs, (1.2, 0.7)), (of_lists, ([1.0, 2.0, 3.0], [0.5, 0.1, 1.2])), (concatenated, (X, 0.7)), (masked, (X, 0.9)),
    (of_those_seen, (X, 0.9)), (at_places, (X, 0.9)), (filtered, (X, 0.2)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_as_the_eager_tier(f, args):
    check_static(f, args)


@pytest.mark.parametrize(
    ("f", "args"),
    [(areas, (0.7, 0.25)), (by_number, (0.6, 0)), (by_number, (0.6, 2)), (by_number, (0.8, 1)),
     (searches, ([0.0, 0.5, 1.1, 2.0], [0.5, -1.0, 2.0, 1.5], 0.8))],
)  # fmt: skip
def test_at_steps(f, args):
    check_tiers(f, args)


def made(source):
    space = {"math": math, "np": np, "functools": functools, "itertools": itertools, "bisect": bisect}
    exec(source, space)
    return space["f"]


OTHERWISE = [
    # Names that are bound by an assignment in an expression, or not.
    """\
def f(x, y):
    if x > 5 and (z := y) > 0:
        pass
    return x * z
""",
    """\
def f(x, y):
    return x + (x := y) * x
""",
    """\
def f(x, y):
    a = [x, y]
    i = 0
    a[(i := i + 1)] += y
    return a[0] * a[1] + i
""",
    # Iterators that are empty, or that what goes through them changes.
    """\
def f(x, y):
    return functools.reduce(lambda p, q: p + q, [v for v in (x, y) if v > 5.0]) * x
""",
    """\
def f(x, y):
    a = [x, y, x, y]
    t = 0.0
    for v in map(lambda u: u * x, a):
        t += v
        a[2] = t
    return t
""",
    """\
def f(x, y):
    a = [x, y, x, y]
    t = 0.0
    for v in itertools.accumulate(a):
        t += v
        a[3] = t
    return t
""",
    # Searches in vain, and of what is equal to nothing.
    """\
def f(x, y):
    try:
        return [x, y].index(y * 2.0) * x
    except ValueError:
        return y
""",
    """\
def f(x, y):
    return bisect.bisect([0.5, 1.5], x * float('nan')) * y
""",
    # Patterns that a number does not fit, and several names for one list.
    """\
def f(x, y):
    match x:
        case [a, b]:
            return a
        case 'x':
            return y
        case {'a': z}:
            return z
        case None:
            return y
        case z:
            return z * y
""",
    """\
def f(x, y):
    match [x, y]:
        case [a, *b]:
            b[0] = a * 2.0
            return b[0] * y
""",
    """\
def f(x, y):
    match x, y:
        case a, 3.0 if a > 5.0:
            return y
        case _:
            return a * y
""",
    # Places that come twice.
    """\
def f(x, y):
    a = np.zeros((3, 5)) + x
    a[:, np.array([1, -4])] += y
    return np.sum(a ** 2)
""",
    """\
def f(x, y):
    a = np.zeros(9)
    at = np.array([1, 2, 1])
    a[at] += x
    return np.sum(a ** 2) * y
""",
    """\
def f(x, y):
    a = np.zeros(9)
    at = np.array([1, -8, 2])
    a[at] = np.arange(3.0) * x
    return np.sum(a ** 2) * y
""",
]


@pytest.mark.parametrize("source", OTHERWISE, ids=range(len(OTHERWISE)))
def test_whatever_is_unusual_is_what_it_is_eagerly(source):
    f, args = made(source), (1.0 if "z := y" in source else 2.0, 3.0)
    eager = found_by("eager", f, args)
    for _ in range(2):
        static = found_by("static", f, args)
        if isinstance(eager, type):
            assert static is eager
        else:
            assert repr(static.value) == repr(eager.value) == repr(f(*args))
            assert static.gradient == pytest.approx(eager.gradient, nan_ok=True)


def test_a_log_that_is_switched_on_gets_its_messages(caplog):
    with morula.tier("static"):
        for level, count in ((logging.WARNING, 0), (logging.INFO, 4), (logging.DEBUG, 8), (logging.WARNING, 0)):
            with caplog.at_level(level, logger=__name__):
                caplog.clear()
                morula.gradient(with_messages, 1.2, 0.7)
                assert len(caplog.records) == count


def test_flags_in_a_list():
    f = made("""\
def f(x, xs, flags):
    t = 0.0
    for v, on in zip(xs, flags):
        if on:
            t += v * x
        t -= x * on
    return t * x
""")
    for flags in ([x > 0.0 for x in XS], [True] * 14, [1] * 14, [x > 0.0 for x in XS], [np.bool_(True)] * 14):
        eager, static = found_by("eager", f, (0.7, XS, flags)), found_by("static", f, (0.7, XS, flags))
        assert repr(static.value) == repr(eager.value)
        assert alike(static.gradient, eager.gradient)


def test_attributes_that_an_object_from_outside_gets_later():
    f = made(
        "class C: pass\nC.k = 2.0\nc = C()\ndef f(x):\n    return x * x * getattr(c, 'a', 3.0) * hasattr(c, 'k')\n"
    )
    for value in (3.0, 5.0):
        with morula.tier("static"):
            assert morula.gradient(f, 2.0) == (4.0 * value,)
        f.__globals__["c"].a = 5.0


def test_labels_that_are_integers():
    w, x, labels = RNG.normal(size=3), RNG.normal(size=(12, 3)), GROUPS
    eager, static = (found_by(tier, with_labels, (w, x, labels)) for tier in ("eager", "static"))
    assert repr(static.value) == repr(eager.value)
    assert alike(static.gradient, eager.gradient)
    assert static.gradient[2].dtype == float
    h = 1e-6
    away = np.flatnonzero(labels != 1)[0]  # elsewhere the loss has a step
    moved = [with_labels(w, x, labels + s * h * np.eye(12)[away]) for s in (1, -1)]
    assert static.gradient[2][away] == pytest.approx((moved[0] - moved[1]) / (2 * h), rel=1e-6)
    found_by("static", with_labels, (w, x, labels))
    assert any(pair.calls for pair in record_of(with_labels).all_pairs), record_of(with_labels).why


@pytest.mark.parametrize("term", ["y + 1", "y ** 2", "2 * y", "np.cumsum(y)", "y[::-1]", "-y", "y // 2", "y.sum()"])
def test_what_is_computed_of_integers(term):
    f = made(f"def f(w, y):\n    return np.sum(w * y) + np.sum(w * ({term}))\n")
    args = np.linspace(0.3, 1.2, 12), GROUPS
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    assert repr(static.value) == repr(eager.value)
    assert alike(static.gradient, eager.gradient)


def test_masks_that_choose_another_number_of_elements():
    f = made("def f(x, a):\n    return np.sum(x[x > 0.0] ** 2) * a\n")
    for x in (X, -X, X + 0.5, np.abs(X)):
        eager, static = found_by("eager", f, (x, 0.7)), found_by("static", f, (x, 0.7))
        assert static.value == eager.value
        np.testing.assert_allclose(static.gradient[0], eager.gradient[0], rtol=1e-12)


def polygon(x, y):
    points = [(x, 0.2), (1.0, y), (x * y, 1.5)]
    area = 0.0
    for (u, v), (p, q) in itertools.pairwise(points + points[:1]):
        area += u * q - p * v
    for p, q in itertools.combinations(points, 2):
        area += math.hypot(p[0] - q[0], p[1] - q[1])
    for (i, p), s in itertools.product(enumerate(points), (1.0, -0.5)):
        area += s * i * p[0] * p[1]
    return area + sum(v * x for p in points for v in itertools.chain(p, (y,)) if v > 0.35)


def pairs_that_change(x, y):
    values, total = [{"k": x}, {"k": y}, {"k": x * y}], 0.0
    for a, b in itertools.pairwise(values):
        b["k"] = b["k"] + 0.5 * a["k"]
        total += a["k"] * b["k"]
    for a, b in itertools.pairwise([x, y, 0.3]):
        x = a * b + x
    return total * x


def chosen(x, y):
    things = [{"size": x, "on": True}, {"size": y, "on": x > 0.5}, {"size": x * y, "on": y > 0.1}]
    return sum(t["size"] ** 2 for t in things if t["on"]) * x


@pytest.mark.parametrize("f", [polygon, pairs_that_change, chosen])
def test_what_is_rearranged(f):
    for args in ((0.7, 0.4), (0.3, 1.2)):
        check_static(f, args)


def changed_meanwhile(x, y):
    values, total = [x, y, 0.5, x * y], 0.0
    for i, (a, b) in enumerate(itertools.pairwise(values)):
        values[min(i + 1, 3)] = a * 0.5
        total += a * b
    for a, b in itertools.combinations(values, 2):
        values[0] = 9.0
        total += a * b
    for a in itertools.chain(values, [y]):
        values[3] = x
        total += a * a
    return total


def test_what_is_rearranged_while_it_changes():
    for args in ((0.7, 0.4), (0.3, 1.2)):
        for _ in range(3):
            eager, static = found_by("eager", changed_meanwhile, args), found_by("static", changed_meanwhile, args)
            assert static.value == eager.value == changed_meanwhile(*args)
            assert alike(static.gradient, eager.gradient)


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_random_programs(start):
    check_programs(EverydayWriter, range(start, start + 10), 2)


def test_statistics_of_numbers_of_numpy():
    def f(x, k):
        return statistics.mean([k, x * 0.3, 0.5]) * 2.0 + statistics.fmean([x, k])

    for k in (0.7, np.float64(0.3)):
        eager, static = found_by("eager", f, (1.2, k)), found_by("static", f, (1.2, k))
        assert repr(static) == repr(eager)


def nothing_at_all(x, depth=2):
    if depth > 0:
        nothing_at_all(x * 0.5, depth - 1)


def calling_what_returns_nothing(x):
    for _ in range(3):
        nothing_at_all(x)
        x = x * 1.1
    return x * x


def test_functions_that_call_themselves_and_return_nothing():
    check_tiers(calling_what_returns_nothing, (0.7,))


# -- what is read once, found by a name or a number, or of one of two types -----------------------------------


def noted(log, x):
    log.append(1.0)
    return np.argsort(x[:3])


def at_what_is_noted(x):
    log: list[float] = []
    y = x[noted(log, x)]
    return y[0] * len(log) + y[1]


def by_what_numpy_has(x):
    rule = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
    assert not hasattr(math, "no_such_name")
    return rule([v * v for v in x], dx=0.1) * getattr(math, "no_such_name", 2.0)


QUOTED = {0.5: 0.02, 1: 0.022, 2.5: 0.025}


def quoted(x):
    own = {0.5: x[0], 1: x[1], 2.5: x[0] * x[1]}
    error = 0.0
    for t in [0.5, 1, 2.5]:
        error += (own[t] * t - QUOTED[t]) ** 2
    for term, q in QUOTED.items():
        error += own[term] * q
    own[0.5] += 1.0
    return error + own[0.5] + own.get(3.5, 0.1) + (2.5 in own)


def meshed(x):
    k = np.zeros((4, 4)) + x[0]
    for e in range(3):
        dofs = [e, e + 1]
        k[np.ix_(dofs, dofs)] += x[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    i, j = np.array([0, 2]), np.array([[1], [3]])
    k[i, j] *= x[1]
    k[np.ix_([0, 2], [1, 3, 0])] = x[2] * np.ones((2, 3))
    return np.linalg.det(k[np.ix_([0, 1], [1, 2])] + np.eye(2)) + (k**2).sum()


def met_twice(x):
    k = np.zeros((4, 4)) + x[0]
    k[np.ix_([0, 2, 0], [1, 3])] += x[1] * np.arange(6.0).reshape(3, 2)
    return (k**2).sum()


def of_either_type(x):
    total = 0.0
    for i in range(12):
        total += max((x[:3] * i).mean() - 0.4, 0.0) - min(0.5, x[i])
    return total / 12


@pytest.mark.parametrize(
    "f", [at_what_is_noted, by_what_numpy_has, quoted, meshed, of_either_type], ids=lambda f: f.__name__
)
def test_read_once_or_by_a_number(f):
    check_static(f, (X,))


def test_meshes_with_places_that_come_twice():
    """Of these NumPy keeps the last one, which is left to the eager tier."""
    with morula.tier("static"):
        assert alike(morula.gradient(met_twice, X), found_by("eager", met_twice, (X,)).gradient)


def decorated(x):
    log = []

    def noted(n):
        log.append(n)

        def unchanged(f):
            log.append(n * 10)
            return f

        return unchanged

    def twice(f):
        @functools.wraps(f)
        def both(*args, **named):
            return f(f(*args, **named), **named)

        return both

    @noted(1)
    @noted(2)
    @twice
    def step(y, rate=0.1):
        return y - rate * x[1] * y**3

    return step(x[0], rate=0.05) * (log[0] + 2 * log[1] + 3 * log[2] + 4 * log[3])


def test_decorated_functions_inside_a_function():
    check_static(decorated, (X,))


# -- functions of integers that keep their results --------------------------------------------------------------


@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@functools.cache
def halved(n):
    return n / 2 if n % 2 else n // 2


def bezier(x):
    points = [(0.0, 0.0), (0.2, 1.0), (0.8, 1.2), (1.0, 0.3)]
    n = len(points) - 1
    a = b = 0.0
    for i, (u, v) in enumerate(points):
        weight = binomial(n, i) * x[0] ** i * (1 - x[0]) ** (n - i)
        a += weight * u
        b += weight * v * x[1]
    return math.hypot(a, b) + sum(binomial(4, k) * x[2] ** k for k in range(5))


def not_always_an_integer(x):
    return x[0] * halved(3) + x[1] * halved(4)


def test_functions_of_integers_that_keep_their_results():
    check_static(bezier, (np.abs(X) / 4,))
    with morula.tier("static"):
        for _ in range(2):
            assert alike(
                morula.gradient(not_always_an_integer, X), found_by("eager", not_always_an_integer, (X,)).gradient
            )


# From Python 3.12 on `sum` makes up for rounding as long as its total is a float: what comes before it are integers.
SUMS = ["[k, 0.1 * x, x, 0.3]", "(v * x for v in (k, 0.1, 0.7, 0.3))", "(t for v in (k, x) for t in (v, 0.1, 0.2))"]


@pytest.mark.parametrize("k", [1, 2**53 + 1, True, 0, 0.1])
@pytest.mark.parametrize("items", [*SUMS, "(d[key] for key in d)"])
def test_sums_of_floats_after_integers(items, k):
    space = {}
    exec(f"def f(x, k):\n    d = {{'a': k, 'b': 0.1, 'c': x}}\n    return sum({items}) * x\n", space)
    for x in (0.7, 0.9, 0.33):
        check_tiers(space["f"], (x, k))
        assert found_by("static", space["f"], (x, k)).value == space["f"](x, k)


@pytest.mark.parametrize("items", ["[x / 3, x, 0.5, np.mean([x, 0.1]), x]", "[v for v in np.array([x, y])], x / 3"])
def test_sums_of_floats_of_python_and_of_numpy(items):
    space = {"np": np}
    exec(f"def f(x, y):\n    return sum([y, x / 3, x]) * sum({items}) * x\n", space)
    for x in (0.7, 0.9, 0.33, 0.41, 0.1):
        assert found_by("static", space["f"], (x, 3e5)).value == space["f"](x, 3e5)
