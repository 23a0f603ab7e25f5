"""`test_rrule` notices what is wrong with a rule: each promise is broken by a rule that breaks nothing else."""

import math
from functools import partial

import numpy as np
import pytest

import chainrules as cr
from chainrules import InplaceThunk, NoTangent, NotImplementedTangent, Tangent, Thunk, ZeroTangent, rrule, split_rule
from chainrules.testing import FiniteDifferenceConfig, call_rule, derivative, test_rrule
from chainrules.testing.comparing import Unjudged

X = np.arange(1.0, 7.0).reshape(2, 3) / 4
check = test_rrule


def ruled(f, rule=None, **options):
    """A fresh function that does as `f`, with this rule."""
    fresh = lambda *args, **kwargs: f(*args, **kwargs)
    if rule is not None:
        rrule(fresh, **options)(rule)
    return fresh


def double(x):
    return x * 2.0


def square(x):
    return x * x


def of_double(pullback):
    """The rule of `double` with a pullback that knows the argument and the value."""

    def rule(x):
        y = x * 2.0
        return y, partial(pullback, x, y)

    return rule


def times(a, b):
    return a * b


def listed(xs):
    return xs[0] * xs[1]["a"][0]


def first_of_two(xs):
    return {"a": xs[0], "b": 2}


# Each entry: what is wrong, the function, the rule, the arguments, what the message says.
def wrong_derivative(x):
    return square(x), lambda y_bar: 3 * x * y_bar


def wrong_by_little(x):
    return square(x), lambda y_bar: 2.00001 * x * y_bar


def conjugate_forgotten(x):
    return square(x), lambda y_bar: 2 * x * y_bar


def wrong_in_one_leaf(xs):
    return listed(xs), lambda y_bar: ([y_bar * xs[1]["a"][0], {"a": [y_bar]}],)


def wrong_value(x):
    return x * 2.001, lambda y_bar: 2 * y_bar


def wrong_type_of_value(x):
    return np.float64(x * 2.0), lambda y_bar: 2 * y_bar


def wrong_dtype_of_value(x):
    return np.multiply(x, 2.0, dtype=np.float64), lambda y_bar: 2 * y_bar


def too_few(a, b):
    return a * b, lambda y_bar: (y_bar * b,)


def no_tuple(a, b):
    return a * b, lambda y_bar: y_bar * b


def no_pair(x):
    return x * 2.0


def does_not_fit(x):
    return x * 2.0, lambda y_bar: np.ones((5, 7))


def is_text(x):
    return x * 2.0, lambda y_bar: "text"


def silently_zero(a, b):
    return a * b, lambda y_bar: (y_bar * b, None)


def zero_tangent(a, b):
    return a * b, lambda y_bar: (y_bar * b, ZeroTangent())


@of_double
def writes_its_argument(x, y, y_bar):
    x[...] = 0.0
    return 2.0 * y_bar


@of_double
def writes_its_value(x, y, y_bar):
    y[...] = 0.0
    return 2.0 * y_bar


@of_double
def writes_its_seed(x, y, y_bar):
    y_bar *= 2.0
    return y_bar


@of_double
def writes_its_seed_and_mends_it(x, y, y_bar):
    y_bar *= 2.0
    x_bar = y_bar.copy()
    y_bar /= 2.0
    return x_bar


@of_double
def is_not_linear(x, y, y_bar):
    return 2.0 * np.clip(y_bar, -1.6, 1.6)  # of the sum of two seeds only


@of_double
def is_not_zero_for_zero(x, y, y_bar):
    return 2.0 * y_bar + (0.5 if not np.any(y_bar) else 0.0)


@of_double
def reads_the_seeds_memory(x, y, y_bar):
    return 2.0 * np.ravel(y_bar, "K").reshape(x.shape)


def reads_the_arguments_memory(x):
    return x * x, lambda y_bar: 2.0 * np.ravel(x, "K").reshape(x.shape) * y_bar


def writes_its_argument_forward(x):
    y = x * 2.0
    x[0] = 1.0
    return y, lambda y_bar: 2 * y_bar


def works_once(x):
    kept = [2.0]
    return x * 2.0, lambda y_bar: y_bar * kept.pop()


def adds_up(x):
    total = np.zeros_like(x)

    def pullback(y_bar):
        np.add(total, 2.0 * y_bar, total)
        return total

    return x * 2.0, pullback


def keeps_a_buffer(x):
    buffer = np.empty_like(x)

    def pullback(y_bar):
        return Thunk(lambda: np.multiply(2.0, y_bar, buffer))

    return x * 2.0, pullback


def gives_away_its_memory(x):
    two = np.full_like(x, 2.0)
    cache = {}

    def pullback(y_bar):
        key = y_bar.tobytes()
        if key not in cache:
            cache[key] = two * y_bar
        return cache[key]

    return x * 2.0, pullback


def thunk_of_the_last_seed(x):
    last = []

    def pullback(y_bar):
        last[:] = [y_bar]
        return Thunk(lambda: 2.0 * last[0])

    return x * 2.0, pullback


def in_place_thunk(add_to):
    def rule(x):
        return x * 2.0, lambda y_bar: InplaceThunk(partial(add_to, y_bar), lambda: 2.0 * y_bar)

    return rule


@in_place_thunk
def adds_something_else(y_bar, x_bar):
    x_bar += y_bar
    return x_bar


@in_place_thunk
def overwrites(y_bar, x_bar):
    x_bar[...] = 2.0 * y_bar
    return x_bar


@in_place_thunk
def returns_something_else(y_bar, x_bar):
    return x_bar + 2.0 * y_bar


def shares_one_cotangent(a, b):
    def pullback(y_bar):
        both = 1.0 * y_bar
        return both, both

    return a + b, pullback


def hands_out_its_argument(a, b):
    def pullback(y_bar):
        return y_bar * b, a if np.all(y_bar == 1.0) else a * y_bar

    return a * b, pullback


def gives_its_argument(a):
    return 0.5 * float(a @ a), lambda y_bar: np.multiply(a, y_bar, out=a) if y_bar == 1.0 else a * y_bar


def needs_both_parts(x):
    def pullback(y_bar):
        a, b = y_bar
        return a * 2.0 + b * 3.0

    return (x * 2.0, x * 3.0), pullback


def drops_a_part(x):
    def pullback(y_bar):
        a, b = y_bar
        return 2.0 * a + 3.0 * b if a is not None and b is not None else None

    return (x * 2.0, x * 3.0), pullback


def answers_for_text(x, how):
    return x * 2.0, lambda y_bar: (2.0 * y_bar, 0.0)


def answers_for_nothing(x, how=None):
    return x * 2.0, lambda y_bar: (2.0 * y_bar, ZeroTangent())


def answers_for_an_index(x, i):
    return x[i], lambda y_bar: (np.eye(len(x))[i] * y_bar, 1.0)


def answers_wrongly_for_a_count(x, n):
    return x * n, lambda y_bar: (n * y_bar, 3.0 * np.sum(x * y_bar))


def answers_for_a_mask(x, mask):
    return x[mask], lambda y_bar: (np.zeros_like(x), np.ones(mask.shape))


FAULTS = [
    (square, wrong_derivative, (X,), "argument 0: the rule says .*, finite differences"),
    (square, wrong_by_little, (1.5,), "argument 0: the rule says"),
    (square, conjugate_forgotten, (0.5 + 1j,), "argument 0: the rule says"),
    (listed, wrong_in_one_leaf, ([2.0, {"a": [3.0]}],), r"argument 0\[1\]\['a'\]\[0\]: the rule says"),
    (double, wrong_value, (X,), "the value: "),
    (double, wrong_type_of_value, (1.5,), "the value: .*float64"),
    (double, wrong_dtype_of_value, (X.astype(np.float32),), "the value: dtype float64 is not float32"),
    (times, too_few, (1.5, 2.0), "1 cotangents for 2 arguments"),
    (times, no_tuple, (1.5, 2.0), "not a tuple, for 2 arguments"),
    (double, no_pair, (1.5,), "must return a value and a pullback"),
    (double, does_not_fit, (X,), "argument 0: the cotangent does not fit"),
    (double, is_text, (X,), "argument 0"),
    (times, silently_zero, (1.5, 2.0), "argument 1: the rule says 0.0"),
    (times, zero_tangent, (1.5, 2.0), "argument 1: the rule says 0.0"),
    (double, writes_its_argument, (X,), "changed"),
    (double, writes_its_value, (X,), "changed"),
    (double, writes_its_seed, (X,), "seed was changed"),
    (double, writes_its_seed_and_mends_it, (X,), "seed was changed"),
    (double, is_not_linear, (X,), "not linear|the rule says"),
    (double, is_not_zero_for_zero, (X,), "a seed of zeros gives"),
    (double, reads_the_seeds_memory, (X,), "layout of the seed"),
    (square, reads_the_arguments_memory, (X,), "layout of the arguments"),
    (double, writes_its_argument_forward, (X,), "arguments were changed by the rule|value"),
    (double, adds_up, (X,), "later call|changed an earlier result|memory"),
    (double, keeps_a_buffer, (X,), "later call|memory"),
    (double, gives_away_its_memory, (X,), "still needs the memory of the cotangent"),
    (double, thunk_of_the_last_seed, (X,), "changed an earlier result"),
    (double, adds_something_else, (X,), "sum|in-place thunk"),
    (double, overwrites, (X,), "sum|in-place thunk"),
    (double, returns_something_else, (X,), "has to return the array"),
    (np.add, shares_one_cotangent, (X, X + 1), "argument 1: the cotangent lies in the memory of that of argument 0"),
    (lambda x: (x * 2.0, x * 3.0), drops_a_part, (X,), "without a cotangent for all but"),
    (lambda x, how: x * 2.0, answers_for_text, (X, "up"), "argument 1 cannot be varied, it is 'up'"),
    (lambda x, how: x * 2.0, answers_for_nothing, (X, None), "argument 1 cannot be varied, it is None"),
    (lambda x, i: x[i], answers_for_an_index, (X[0], 1), "argument 1 is 1, which does not stand for a number"),
    (lambda x, n: x * n, answers_wrongly_for_a_count, (X, 2), "argument 1: the rule says"),
    (lambda x, m: x[m], answers_for_a_mask, (X[0], np.array([True, False, True])), "argument"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "rule", "args", "message"), FAULTS, ids=range(len(FAULTS)))
def test_a_fault_is_noticed(f, rule, args, message):
    with pytest.raises(AssertionError, match=message):
        check(ruled(f, rule), *args)


def test_an_error_inside_of_a_rule_says_where():
    with pytest.raises(TypeError) as found:
        check(ruled(lambda x: (x * 2.0, x * 3.0), needs_both_parts), X)
    assert "called with" in found.value.__notes__[0]
    with pytest.raises(IndexError):
        check(ruled(double, works_once), X)


def test_cotangents_in_the_memory_of_an_argument():
    def half_square(x):
        return 0.5 * np.sum(x * x, axis=0), lambda y_bar: x if np.all(y_bar == 1.0) else x * y_bar

    # Seeds are random, so a shortcut for a seed of ones is met through the layouts only; a view always.
    def view(x):
        return x.copy(), lambda y_bar: x.view() * 0 + y_bar

    check(ruled(np.copy, view), X)

    def shifted(x):
        y = np.zeros_like(x)
        return y + x, lambda y_bar: np.add(y, y_bar, out=y)

    with pytest.raises(AssertionError, match=r"lies in the memory|a later call of the pullback changed|later call"):
        check(ruled(lambda x: 0.0 + x, shifted), X)
    check(ruled(lambda x: 0.5 * np.sum(x * x, axis=0), half_square), X)


GOOD = [
    (square, lambda x: (x * x, lambda y_bar: 2 * np.conj(x) * y_bar), (X,)),
    (square, lambda x: (x * x, lambda y_bar: 2 * np.conj(x) * y_bar), (X + 1j,)),
    (square, lambda x: (x * x, lambda y_bar: 2 * x * y_bar), (X.astype(np.float32),)),
    (square, lambda x: (x * x, lambda y_bar: 2 * x * y_bar), (X.astype(np.float16),)),
    (square, lambda x: (x * x, lambda y_bar: 2 * x * y_bar), (X.astype(np.longdouble),)),
    (square, lambda x: (x * x, lambda y_bar: 2 * x * y_bar), (np.float32(1.5),)),
    (square, lambda x: (x * x, lambda y_bar: 2 * x * y_bar), (np.zeros((0, 3)),)),
    (square, lambda x: (x * x, lambda y_bar: 2 * x * y_bar), (np.array(1.5),)),
    (np.add, lambda a, b: (a + b, lambda y_bar: (y_bar, y_bar)), (X, X[0])),
    (times, lambda a, b: (a * b, lambda y_bar: (Thunk(lambda: y_bar * b), NotImplementedTangent("later"))), (X, 2.0)),
    (lambda x, n: x * n, lambda x, n: (x * n, lambda y_bar: (n * y_bar, np.sum(x * y_bar))), (X, 2)),
    (lambda x, n: x * n, lambda x, n: (x * n, lambda y_bar: (n * y_bar, NoTangent())), (X, 2)),
    (lambda x, n: x**n, lambda x, n: (x**n, lambda y_bar: (n * x ** (n - 1) * y_bar, None)), (-X, 2)),
    (lambda x, s: x * 1.0, lambda x, s: (x * 1.0, lambda y_bar: (y_bar, NoTangent())), (X, "text")),
    (first_of_two, lambda xs: (first_of_two(xs), lambda y_bar: ([y_bar["a"], None],)), ([1.0, 2.0],)),
    (max, lambda xs: (max(xs), lambda y_bar: ([y_bar["never"], None],)), (["b", "a"],)),  # no seed for text
    (lambda x: (x * 2.0, "text", 3), lambda x: ((x * 2.0, "text", 3), lambda y_bar: 2.0 * y_bar[0]), (X,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "rule", "args"), GOOD, ids=range(len(GOOD)))
def test_a_good_rule_passes(f, rule, args):
    check(ruled(f, rule), *args)


def test_a_good_in_place_thunk_passes():
    def rule(x):
        def picked_pullback(y_bar):
            def add_to(x_bar):
                x_bar[1] += y_bar
                return x_bar

            return InplaceThunk(add_to, lambda: np.where(np.arange(len(x)) == 1, y_bar, 0.0))

        return x[1], picked_pullback

    check(ruled(lambda x: x[1], rule), X[0])


def test_single_and_half_precision_are_judged_by_their_own_digits():
    for dtype in (np.float32, np.float16, np.longdouble):
        x = X.astype(dtype)
        with pytest.raises(AssertionError, match="the rule says"):
            check(ruled(square, lambda x: (x * x, lambda y_bar: x * y_bar * x.dtype.type(2.5))), x)


def test_complex_on_demand():
    f = ruled(square, lambda x: (x * x, lambda y_bar: 2 * x * y_bar))
    check(f, X)
    with pytest.raises(AssertionError, match="the rule says"):
        check(f, X, check_complex=True)


def test_differences_that_cannot_tell_say_so():
    rng = np.random.default_rng(1)
    noisy = ruled(
        lambda x: x * (1 + 1e-3 * rng.uniform(-1, 1)), lambda x: (noisy_value(x), lambda y_bar: y_bar)
    )  # fmt: skip
    noisy_value = lambda x: x * 1.0
    with pytest.raises(AssertionError, match=r"too noisy to judge|the value"):
        check(noisy, 2.0)

    calls = [0]

    def wobbling(x):
        calls[0] += 1
        return x + 1e-4 * math.sin(1e7 * calls[0]) if x != 2.0 else 2.0

    with pytest.raises(Unjudged, match=r"too noisy to judge.*the rule says"):
        check(ruled(wobbling, lambda x: (x, lambda y_bar: y_bar)), 2.0)
    with pytest.raises(Unjudged, match="not finite around"):
        check(ruled(lambda x: x if x == 2.0 else math.nan, lambda x: (x, lambda y_bar: y_bar)), 2.0)


def test_noise_is_no_excuse_for_what_is_far_off():
    calls = [0]

    def wobbling(x):
        calls[0] += 1
        return x + 1e-6 * math.sin(1e7 * calls[0]) if x != 2.0 else 2.0

    with pytest.raises(AssertionError, match="the rule says") as found:
        check(ruled(wobbling, lambda x: (x, lambda y_bar: 5 * y_bar)), 2.0, rtol=1e-12, atol=1e-12)
    assert not isinstance(found.value, Unjudged)


def test_the_step_adapts():
    for f, df, x in (
        (np.log, lambda x: 1 / x, 1e-6),
        (lambda x: math.sin(1e4 * x), lambda x: 1e4 * math.cos(1e4 * x), 0.3),
        (lambda x: x**2, lambda x: 2 * x, 1e8),
        (lambda x: abs(x - 1.0), lambda x: -1.0, 0.9995),
        (lambda x: math.sqrt(x), lambda x: 0.5 / math.sqrt(x), 1e-5),
    ):
        check(ruled(f, lambda x, f=f, df=df: (f(x), lambda y_bar: df(x) * y_bar)), x)
        with pytest.raises(AssertionError, match="the rule says"):
            check(ruled(f, lambda x, f=f, df=df: (f(x), lambda y_bar: 1.01 * df(x) * y_bar)), x)


def test_a_complex_step_decides_where_values_are_inaccurate():
    def rounded(x):
        return np.round(np.real(x) ** 2, 7) + 1j * np.imag(x**2) if isinstance(x, complex) else round(x**2, 7)

    check(ruled(rounded, lambda x: (rounded(x), lambda y_bar: 2 * x * y_bar)), 1.3, rtol=1e-9, atol=1e-9)


def test_an_estimate_covers_its_error():
    for f, exact in ((math.exp, 1.0), (lambda h: 1 / (1 - h), 1.0), (lambda h: math.sin(50 * h), 50.0)):
        found = derivative(f)
        assert abs(found.value - exact) <= found.error < 1e-6


def test_the_message_has_all_that_is_needed():
    def rule(xs):
        return xs["a"][0] * 2.0, lambda y_bar: {"a": [3.0 * y_bar]}

    with pytest.raises(AssertionError) as found:
        check(ruled(lambda xs: xs["a"][0] * 2.0, rule), {"a": [1.5]}, seed=7)
    text = str(found.value)
    assert "argument 0['a'][0]: the rule says" in text and "finite differences" in text
    assert f"rule: {__file__}:{rule.__code__.co_firstlineno}" in text and "seed=7" in text
    assert "called with: ({'a': [1.5]})" in text


class Line:
    def __init__(self, slope, offset):
        self.slope, self.offset = slope, offset
        self.label = "line"

    def __call__(self, x):
        return self.slope * x + self.offset


def line_rule(factor):
    def rule(line, x):
        def line_pullback(y_bar):
            own = Tangent(type(line), slope=np.sum(x * y_bar), offset=factor * np.sum(y_bar))
            return own, line.slope * y_bar

        return line(x), line_pullback

    return rule


def test_calls_of_instances_and_their_fields():
    class Other(Line):
        pass

    rrule(Other, with_self=True)(line_rule(1.0))
    check(Other(2.0, 1.0), X)
    rrule(Other, with_self=True)(line_rule(2.0))
    with pytest.raises(AssertionError, match=r"the instance\.offset: the rule says"):
        check(Other(2.0, 1.0), X)
    rrule(Other, with_self=True)(lambda line, x: (line(x), lambda y_bar: (Tangent(Line), line.slope * y_bar)))
    with pytest.raises(AssertionError, match=r"a Tangent of Line for an object of .*Other"):
        check(Other(2.0, 1.0), X)
    rrule(Other, with_self=True)(lambda line, x: (line(x), lambda y_bar: (None, line.slope * y_bar)))
    with pytest.raises(AssertionError, match=r"the instance\.slope: the rule says 0.0"):
        check(Other(2.0, 1.0), X)
    rrule(Other, instances=True)(lambda line, x: (line(x), lambda y_bar: line.slope * y_bar))
    check(Other(2.0, 1.0), X)


def test_arguments_with_fields():
    def value(line):
        return line.slope * 3.0 + line.offset

    good = lambda line: (value(line), lambda y_bar: Tangent(Line, slope=3.0 * y_bar, offset=y_bar))
    bad = lambda line: (value(line), lambda y_bar: Tangent(Line, slope=3.0 * y_bar, offset=-y_bar))
    lacking = lambda line: (value(line), lambda y_bar: Tangent(Line, slope=3.0 * y_bar))
    check(ruled(value, good), Line(2.0, 1.0))
    for rule in (bad, lacking):
        with pytest.raises(AssertionError, match=r"argument 0\.offset: the rule says"):
            check(ruled(value, rule), Line(2.0, 1.0))


def mapped(f, xs):
    return [f(x) for x in xs]


def mapped_rule(factor):
    def rule(config, f, xs):
        found = [cr.rrule_via(config, f, x) for x in xs]

        def mapped_pullback(y_bars):
            bars = [back(y_bar) for (_, back), y_bar in zip(found, y_bars, strict=True) if y_bar is not None]
            own = NoTangent()
            for f_bar, _ in bars:
                own = own + f_bar
            xs_bar = iter(bars)
            return own, [None if y_bar is None else factor * cr.unthunk(next(xs_bar)[1]) for y_bar in y_bars]

        return [y for y, _ in found], mapped_pullback

    return rule


def test_rules_that_need_an_engine():
    check(ruled(mapped, mapped_rule(1.0), needs=("reverse",)), np.sin, [0.3, 0.7])
    check(ruled(mapped, mapped_rule(1.0), needs=("reverse",)), lambda x: x * x, [0.3, 0.7])
    check(ruled(mapped, mapped_rule(1.0), needs=("reverse",)), Line(2.0, 1.0), [0.3, 0.7])
    with pytest.raises(AssertionError, match=r"argument 1\[0\]: the rule says"):
        check(ruled(mapped, mapped_rule(2.0), needs=("reverse",)), lambda x: x * x, [0.3, 0.7])

    class Reverse(FiniteDifferenceConfig):
        traits = frozenset({"reverse"})

    check(ruled(mapped, mapped_rule(1.0), needs=("reverse",)), np.sin, [0.3, 0.7], config=Reverse())
    with pytest.raises(AssertionError, match="no rule"):
        check(ruled(mapped, mapped_rule(1.0), needs=("forward",)), np.sin, [0.3, 0.7], config=Reverse())


def test_iterators_are_looked_at_as_lists():
    def rule(xs):
        return iter([2.0 * x for x in xs]), lambda y_bars: [None if g is None else 2.0 * g for g in y_bars]

    def wrong(xs):
        return iter([2.0 * x for x in xs]), lambda y_bars: [None if g is None else 3.0 * g for g in y_bars]

    f = lambda xs: iter([2.0 * x for x in xs])
    check(ruled(f, lambda xs: (rule(xs)[0], lambda g: (rule(xs)[1](g),))), [0.3, 0.7])
    with pytest.raises(AssertionError, match=r"argument 0\[0\]"):
        check(ruled(f, lambda xs: (wrong(xs)[0], lambda g: (wrong(xs)[1](g),))), [0.3, 0.7])


def in_halves(forward, pullback):
    fresh = lambda x: x * x
    split_rule(fresh, forward, pullback)
    return fresh


def test_rules_in_two_halves():
    def pullback(residuals, static, y_bar):
        return 2 * residuals[0] * y_bar

    check(in_halves(lambda x: (x * x, (x,), x.shape), pullback), X)
    with pytest.raises(AssertionError, match="residual 1 has to be an array"):
        check(in_halves(lambda x: (x * x, (x, "text"), None), pullback), X)
    with pytest.raises(AssertionError, match="static data depend on the values"):
        check(in_halves(lambda x: (x * x, (x,), float(x.sum())), pullback), X)
    with pytest.raises(TypeError, match="tuple of arrays"):
        check(in_halves(lambda x: (x * x, [x], None), pullback), X)
    with pytest.raises(TypeError, match="unhashable"):
        check(in_halves(lambda x: (x * x, (x,), [1]), pullback), X)

    kept = []

    def forward(x):
        kept[:] = [x]
        return x * x, (x,), None

    def by_the_back_door(residuals, static, y_bar):
        return 2 * y_bar * (residuals[0] if residuals[0] is kept[0] else 0.0)

    with pytest.raises(AssertionError, match=r"halves give other|the rule says"):
        check(in_halves(forward, by_the_back_door), X)


def test_seeds_of_all_forms():
    _, back = call_rule(np.multiply, 2.0, 3.0)
    assert back(Thunk(lambda: 1.0)) == back(1.0) == (3.0, 2.0)
    for absent in (None, NoTangent(), ZeroTangent()):
        assert back(absent) == (None, None)


def test_keywords():
    def scaled(x, *, by=1.0):
        return x * by

    f = ruled(scaled, lambda x, *, by=1.0: (x * by, lambda y_bar: by * y_bar))
    check(f, X, by=3.0)
    check(f, X, kwargs={"by": 3.0})
    with pytest.raises(AssertionError, match=r"by=3.0"):
        check(ruled(scaled, lambda x, *, by=1.0: (x * by, lambda y_bar: y_bar)), X, by=3.0)


class HalfOfIt(FiniteDifferenceConfig):
    """An engine that is wrong by a factor."""

    def rrule_via(self, f, args, kwargs):
        y, back = super().rrule_via(f, args, kwargs)
        return y, lambda y_bar: tuple(bar * 0.5 if isinstance(bar, np.ndarray | float) else bar for bar in back(y_bar))


def test_second_order():
    f = ruled(square, lambda x: (x * x, lambda y_bar: 2 * x * y_bar))
    check(f, X, order=2, config=FiniteDifferenceConfig())
    check(np.multiply, X, 2.0, order=2, config=FiniteDifferenceConfig())
    with pytest.raises(AssertionError, match="second order, the derivative of the cotangents by argument 0"):
        check(f, X, order=2, config=HalfOfIt())
    with pytest.raises(ValueError, match="needs the config"):
        check(f, X, order=2)
