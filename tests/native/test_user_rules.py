"""Rules of the user as compiled functions: they give what the rule gives as it is called by the eager tier."""

import ast
import math

import numpy as np
import pytest

import chainrules
import morula
from chainrules import NoTangent, Thunk, rrule, scalar_rule, split_rule, strong_mul

numba = pytest.importorskip("numba")

from morula.static.numba.frozen import Frozen
from morula.static.numba.plain_callees import compiled
from morula.static.numba.rule_helpers import OF_LIBRARY, helper_of
from morula.static.numba.split_source import split_source
from morula.static.numba.user_rules import halves_of, partials_of, rule_of

F, C, V, M = numba.float64, numba.complex128, numba.float64[::1], numba.float64[:, ::1]
SCALE = 3.0
WEIGHTS = np.array([1.0, 2.0])


@pytest.fixture
def f():
    return numba.njit(lambda x: x * x)


@pytest.fixture
def g():
    return numba.njit(lambda x, y: x * y)


def check(f, *args, y_bar=1.0, types=None):
    """Both halves against the rule itself; compiled functions must not be the plain ones."""
    types = types or tuple(map(numba.typeof, args))
    halves = halves_of(f, types)
    assert halves is not None
    y, pullback = next(chainrules.candidates(f, args)).function(*args)
    value, kept = halves.forward(*args)
    np.testing.assert_allclose(value, y, rtol=1e-15)
    for _ in range(2):
        bars, expected = halves.backward(kept, y_bar), pullback(y_bar)
        expected = expected if isinstance(expected, tuple) else (expected,)
        assert len(bars) == len(expected) == len(halves.cotangents)
        for bar, wanted, t in zip(bars, expected, halves.cotangents, strict=True):
            wanted = chainrules.unthunk(wanted)
            if chainrules.is_absent(wanted):
                assert bar is None and t == numba.types.none
            else:
                np.testing.assert_allclose(bar, wanted, rtol=1e-14)
    assert halves.forward.nopython_signatures and halves.backward.nopython_signatures
    return halves


# Scalar rules


def test_partials_of_a_function_of_two_numbers(g) -> None:
    scalar_rule(g, lambda y, x, z: z, lambda y, x, z: y / z)
    partials = partials_of(g, (F, F), F)
    assert [p(6.0, 2.0, 3.0) for p in partials.functions] == [3.0, 2.0]
    assert partials.needs == (frozenset({3 - 1}), frozenset({0, 2}))
    assert partials.results == (F, F) and not partials.real


def test_constant_partials_stay_constants(g) -> None:
    scalar_rule(g, 1, lambda y, x, z: -x)
    partials = partials_of(g, (F, F), F)
    assert partials.functions[0] == 1 and partials.results[0] is None
    assert partials.functions[1](0.0, 2.0, 3.0) == -2.0


def test_a_partial_that_calls_plain_functions(f) -> None:
    def half(x):
        return x / 2

    def quarter(x):
        return half(half(x))

    scalar_rule(f, lambda y, x: quarter(x) * SCALE)
    (partial,) = partials_of(f, (F,), F).functions
    assert partial(0.0, 8.0) == 6.0
    assert partial.nopython_signatures


def test_a_partial_that_calls_itself(f) -> None:
    def power(y, x):
        return x if x < 1 else power(y, x / 2) * 2

    scalar_rule(f, power)
    partials = partials_of(f, (F,), F)
    assert partials is None or partials.functions[0](0.0, 6.0) == power(0.0, 6.0)


def test_a_pole_is_an_infinity_and_not_an_exception(f) -> None:
    scalar_rule(f, lambda y, x: 1 / x)
    assert partials_of(f, (F,), F).functions[0](0.0, 0.0) == math.inf


def test_partials_of_arrays_and_of_complex_numbers(f) -> None:
    scalar_rule(f, lambda y, x: 2 * np.cos(x))
    (partial,) = partials_of(f, (V,), V).functions
    np.testing.assert_allclose(partial(WEIGHTS, WEIGHTS), 2 * np.cos(WEIGHTS))
    (partial,) = partials_of(f, (C,), C).functions
    assert partial(0j, 1 + 1j) == pytest.approx(2 * np.cos(1 + 1j))


def test_real_rules_are_not_for_complex_arguments(f) -> None:
    scalar_rule(f, lambda y, x: 2 * x, real=True)
    assert partials_of(f, (C,), C) is None
    assert partials_of(f, (F,), F).real


def test_what_numba_does_not_compile_is_a_rule_but_no_partials(f) -> None:
    scalar_rule(f, lambda y, x: {"a": x}.get("a", eval("2")))
    assert partials_of(f, (F,), F) is None
    assert isinstance(rule_of(f, (F,)), chainrules.ScalarRule)


@pytest.mark.parametrize("partial", [lambda y, x: "no number", lambda y, x: None, lambda y, x: (x, x)])
def test_what_is_no_number_is_no_partial(f, partial) -> None:
    scalar_rule(f, partial)
    assert partials_of(f, (F,), F) is None


def test_a_rule_for_the_python_function_counts(f) -> None:
    scalar_rule(f.py_func, lambda y, x: 5 * x)
    assert partials_of(f, (F,), F).functions[0](0.0, 2.0) == 10.0


def test_the_rule_that_is_more_specific_wins(f) -> None:
    scalar_rule(f, lambda y, x: 2 * x)
    rrule(f, np.ndarray)(lambda x: (x, lambda y_bar: y_bar))
    assert partials_of(f, (F,), F) is not None
    assert partials_of(f, (V,), V) is None
    assert halves_of(f, (V,)) is not None and halves_of(f, (F,)) is None


def test_an_adjoint_wins(f) -> None:
    scalar_rule(f, lambda y, x: 2 * x)
    morula.adjoint(f)(lambda x: (x, lambda y_bar: 7 * y_bar))
    assert partials_of(f, (F,), F) is None
    assert halves_of(f, (F,)).backward((), 2.0) == (14.0,)


def test_calls_that_opted_out_have_no_rule(f) -> None:
    scalar_rule(f, lambda y, x: 2 * x)
    chainrules.opt_out(f, np.ndarray)
    assert rule_of(f, (V,)) is None
    assert partials_of(f, (F,), F) is not None


def test_no_rule(f) -> None:
    assert rule_of(f, (F,)) is None and partials_of(f, (F,), F) is None and halves_of(f, (F,)) is None


def test_a_rule_that_needs_an_engine_is_a_rule_and_is_not_compiled(f) -> None:
    rrule(f, needs=("reverse",))(lambda config, x: (x, lambda y_bar: y_bar))
    assert isinstance(rule_of(f, (F,)), chainrules.Rule)
    assert halves_of(f, (F,)) is None


# Rules cut in two halves


def test_a_rule_with_an_inner_function(f) -> None:
    @rrule(f)
    def square_rule(x):
        """Keeps the square root."""
        r = math.sqrt(x)
        y = r**4

        def square_pullback(y_bar):
            """Ditto."""
            return 2 * r * r * y_bar

        return y, square_pullback

    halves = check(f, 3.0, y_bar=0.5)
    assert "def square_rule_forward(x):" in halves.source and "return (y, (r,))" in halves.source


def test_a_lambda_and_nothing_kept(g) -> None:
    rrule(g)(lambda x, z: (x + z, lambda y_bar: (y_bar, y_bar)))
    assert check(g, 2.0, 3.0).forward(2.0, 3.0) == (5.0, ())


def test_arrays_loops_and_branches(g) -> None:
    @rrule(g)
    def g_rule(x, n):
        steps = np.empty_like(x)
        total = 0.0
        for i in range(x.size):
            if i < n:
                steps[i] = np.exp(-x[i])
            else:
                steps[i] = 0.0
            total += steps[i]

        def g_pullback(y_bar):
            x_bar = np.zeros_like(steps)
            for i in range(n):
                x_bar[i] -= steps[i] * y_bar
            return x_bar, NoTangent()

        return total, g_pullback

    halves = check(g, np.arange(5.0), 3)
    assert halves.cotangents[0].ndim == 1 and halves.cotangents[1] == numba.types.none


def test_arrays_as_values(g) -> None:
    rrule(g)(lambda a, x: (a @ x, lambda y_bar: (np.outer(y_bar, x), a.T @ y_bar)))
    rng = np.random.default_rng(0)
    check(g, rng.normal(size=(3, 4)), rng.normal(size=4), y_bar=rng.normal(size=3))


def test_several_values(f) -> None:
    @rrule(f)
    def f_rule(x):
        s, c = math.sin(x), math.cos(x)

        def f_pullback(bars):
            s_bar, c_bar = bars
            return c * s_bar - s * c_bar

        return (s, c), f_pullback

    check(f, 0.7, y_bar=(1.0, 0.5))


def test_thunks_and_absent_cotangents(g) -> None:
    @rrule(g)
    def g_rule(x, z):
        return x * z, lambda y_bar: (Thunk(lambda: z * y_bar), chainrules.ZeroTangent())

    check(g, 2.0, 3.0)


def test_the_variable_that_is_captured_is_read_at_the_end(f) -> None:
    @rrule(f)
    def f_rule(x):
        k = 1.0

        def f_pullback(y_bar):
            return k * y_bar

        k = k + x
        return x, f_pullback

    assert check(f, 4.0).backward((5.0,), 1.0) == (5.0,)


def test_a_rule_that_is_a_closure_and_reads_globals(f) -> None:
    offset = 10.0

    def helper(x):
        return x + offset

    @rrule(f)
    def f_rule(x):
        y = helper(x) * SCALE

        def f_pullback(y_bar):
            return strong_mul(SCALE + offset, y_bar)

        return y, f_pullback

    check(f, 2.0)


def test_a_rule_that_calls_the_function_itself() -> None:
    def root(a):
        x = a
        while abs(x * x - a) > 1e-14 * a:
            x = (x + a / x) / 2
        return x

    compiled_root = numba.njit(root)

    @rrule(compiled_root)
    def root_rule(a):
        x = root(a)  # the plain one: compiled with the rule
        return x, lambda x_bar: x_bar / (2 * x)

    check(compiled_root, 5.0)


def test_errstate_is_left_out(f) -> None:
    @rrule(f)
    def f_rule(x):
        with np.errstate(all="ignore"):
            y = np.sqrt(x)

        def f_pullback(y_bar):
            with np.errstate(all="ignore"):
                return y_bar / (2 * y)

        return y, f_pullback

    check(f, 4.0)


def test_branches_of_a_pullback(f) -> None:
    @rrule(f)
    def f_rule(x):
        def f_pullback(y_bar):
            if x < 0:
                return -y_bar
            return y_bar

        return abs(x), f_pullback

    check(f, -2.0)
    check(f, 2.0)


def test_float32_and_complex(f) -> None:
    rrule(f)(lambda x: (x * x, lambda y_bar: 2 * np.conj(x) * y_bar))
    check(f, 1 + 2j, y_bar=1 - 1j)
    halves = halves_of(f, (numba.float32,))
    assert halves.value == numba.float32 and isinstance(halves.cotangents[0], numba.types.Float)


def test_a_rule_in_two_halves_already(g) -> None:
    def forward(x, z):
        p = x * z
        return math.sin(p), (x, z, math.cos(p)), None

    def pullback(residuals, static, y_bar):
        x, z, c = residuals
        return z * c * y_bar, x * c * y_bar

    split_rule(g, forward, pullback)
    check(g, 2.0, 3.0)


def test_an_error_of_the_rule_is_raised(f) -> None:
    @rrule(f)
    def f_rule(x):
        if x < 0:
            raise ValueError("negative")
        return 1 / x, lambda y_bar: -y_bar / (x * x)

    halves = check(f, 2.0)
    with pytest.raises(ValueError, match="negative"):
        halves.forward(-1.0)
    with pytest.raises(ZeroDivisionError):
        halves.forward(0.0)


# What is not compiled


def declining(x):
    if x < 0:
        return NotImplemented
    return x, lambda y_bar: y_bar


def two_ends(x):
    if x < 0:
        return x, lambda y_bar: -y_bar
    return x, lambda y_bar: y_bar


def keywords(x, **kw):
    return x, lambda y_bar: y_bar


def any_number(*xs):
    return xs[0], lambda y_bar: y_bar


def nested(x):
    def inner(z):
        return z * x

    return inner(x), lambda y_bar: inner(y_bar)


def in_pullback(x):
    def pullback(y_bar):
        def twice():
            return 2 * y_bar

        return twice()

    return x, pullback


def counting(x):
    n = 0

    def pullback(y_bar):
        nonlocal n
        n += 1
        return n * y_bar

    return x, pullback


def made_elsewhere(x):
    return x, make(x)


def make(x):
    return lambda y_bar: x * y_bar


def rebound(x):
    def pullback(y_bar):
        return y_bar

    pullback = make(x)  # noqa: F811
    return x, pullback


def maybe_bound(x):
    if x > 0:
        k = x
    return x, lambda y_bar: k * y_bar


def too_many(x):
    return x, lambda y_bar: (y_bar, y_bar)


def thunk_of_a_name(x):
    def pullback(y_bar):
        return Thunk(make, y_bar)

    return x, pullback


def reads_an_array(x):
    return x, lambda y_bar: WEIGHTS[0] * y_bar


def keeps_a_list(x, _calls=[]):  # noqa: B006
    _calls.append(x)
    return x, lambda y_bar: y_bar


def wants_two(x):
    return x, lambda y_bar, z_bar: y_bar


def array_for_a_number(x):
    return x, lambda y_bar: np.ones(3) * y_bar


def complex_for_a_real_number(x):
    return x, lambda y_bar: 1j * y_bar


def nothing(x):
    return x, lambda y_bar: print(y_bar)


UNSUITABLE = [
    declining, two_ends, keywords, any_number, nested, in_pullback, counting, made_elsewhere, rebound, maybe_bound,
    too_many, thunk_of_a_name, reads_an_array, keeps_a_list, wants_two, array_for_a_number, complex_for_a_real_number,
]  # fmt: skip


@pytest.mark.parametrize("rule", UNSUITABLE, ids=lambda r: r.__name__)
def test_rules_that_are_left_to_the_eager_tier(f, rule) -> None:
    rrule(f)(rule)
    assert isinstance(rule_of(f, (F,)), chainrules.Rule)
    assert halves_of(f, (F,)) is None


def test_a_pullback_that_returns_nothing_has_no_cotangent(f) -> None:
    rrule(f)(nothing)
    assert halves_of(f, (F,)).cotangents == (numba.types.none,)


def test_a_wrong_number_of_dimensions_is_no_cotangent(f) -> None:
    rrule(f)(lambda x: (np.sum(x), lambda y_bar: y_bar))
    assert halves_of(f, (V,)) is None
    rrule(f)(lambda x: (np.sum(x), lambda y_bar: np.ones((2, 2)) * y_bar))
    assert halves_of(f, (V,)) is None
    assert halves_of(f, (M,)) is not None


def test_rules_without_source_are_left_alone() -> None:
    space: dict = {}
    exec("def rule(x): return x, lambda y_bar: y_bar", space)
    assert split_source(space["rule"]) is None


def test_the_text_parses_and_names_do_not_clash() -> None:
    def rule(kept, kept_):
        return kept, lambda y_bar: (kept * y_bar, kept_ * y_bar)

    halves = split_source(rule)
    forward, backward = ast.parse(halves.text).body
    assert forward.name == halves.forward == "rule_forward"
    assert [a.arg for a in backward.args.args] == ["kept__", "y_bar"]


# What compiled code takes for constant


def test_constants_that_change_are_noticed(f) -> None:
    factor = 2.0
    space = {"helper": lambda x: x + 1}
    exec("def through(x): return helper(x)", space)
    through = space["through"]

    @rrule(f)
    def f_rule(x):
        return through(x) * factor, lambda y_bar: factor * y_bar

    halves = halves_of(f, (F,))
    assert halves.forward(1.0)[0] == 4.0 and halves.frozen.is_current()
    space["helper"] = lambda x: x + 2
    assert not halves.frozen.is_current()
    halves = halves_of(f, (F,))
    assert halves.forward(1.0)[0] == 6.0 and halves.frozen.is_current()
    factor = 3.0
    assert not halves.frozen.is_current()


def test_what_can_change_in_place_is_not_compiled() -> None:
    table = [1.0]
    assert compiled(lambda x: x * table[0], Frozen()) is None
    assert compiled(lambda x: x * WEIGHTS[0], Frozen()) is None
    assert compiled(lambda x: x * chainrules.__doc__, Frozen()) is None
    assert compiled(lambda x: x * math.pi, Frozen())(2.0) == 2 * math.pi


# Equals of the helpers of the library

NUMBERS = [-math.inf, -1e200, -2.5, -1.0, -0.3, -0.0, 0.0, 1e-300, 0.3, 1.0, 2.5, 1e200, math.inf, math.nan]


def original(name: str):
    module, _, attribute = name.rpartition(".")
    return getattr(__import__(module, fromlist=["x"]), attribute)


@pytest.mark.parametrize("name", [*OF_LIBRARY, "chainrules.products.strong_mul", "chainrules.products.strong_div"])
def test_helpers_are_the_equals_of_their_originals(name) -> None:
    plain = original(name)
    quick = helper_of(plain)
    arity = plain.__code__.co_argcount
    values: list = NUMBERS
    if arity == 3:
        with np.errstate(all="ignore"):
            # Where p - 1 is rounded, it may be odd and the power of a negative number of another sign.
            powers = [p for p in NUMBERS if abs(p) not in (1e200, 1e-300)]
            values = [(float(np.power(x, p)), x, p) for x in NUMBERS for p in powers]
    if name.endswith("digamma"):
        values = [*np.linspace(-20.3, 30, 101), -3.0, 0.0, 1e5]
    if name.endswith("two_to"):
        values = [-1100, -3, 0, 5, 1023, 1024, 2000]
    if arity == 2:
        number = np.float64 if name.endswith("strong_div") else float  # of a float by zero it says another sign
        values = [(number(a), number(b)) for a in NUMBERS for b in NUMBERS]
    for args in values:
        args = args if isinstance(args, tuple) else (args,)
        with np.errstate(all="ignore"):
            try:
                expected = float(plain(*args))
            except (OverflowError, ValueError, ZeroDivisionError):  # where only the plain one raises
                continue
        np.testing.assert_allclose(quick(*args), expected, rtol=1e-13, atol=1e-300, err_msg=f"{args}")


def test_products_of_arrays_with_strong_zeros() -> None:
    p, g = np.array([0.0, 1.0, np.inf, 2.0]), np.array([np.nan, np.nan, 0.0, 3.0])
    for name in ("strong_mul", "strong_div"):
        plain = getattr(chainrules, name)
        quick = helper_of(plain)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(quick(p, g), plain(p, g))
            np.testing.assert_array_equal(quick(2.0, g), plain(2.0, g))
            np.testing.assert_array_equal(quick(g, 2.0), plain(g, 2.0))


@pytest.mark.parametrize(
    "of", [math.asin, math.atan2, math.pow, math.erf, math.fabs, math.lgamma, np.arctan2, np.logaddexp]
)
def test_rules_of_the_library_are_compiled(of) -> None:
    rule = chainrules.scalar_rule_for(of)
    arity = len(rule.partials)
    partials = partials_of(of, (F,) * arity, F)
    for args in [(0.3, 0.7), (0.5, 0.2)]:
        args = args[:arity]
        y = float(of(*args))
        for quick, plain in zip(partials.functions, rule.partials, strict=True):
            assert quick(y, *args) == pytest.approx(float(plain(y, *args)), rel=1e-13)
