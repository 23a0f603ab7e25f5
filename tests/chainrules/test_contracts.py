"""What every rule promises to an engine: nothing that it was given changes, and a pullback is a function of its seed.

An engine adopts the cotangents that a rule returns, adds others to them, and calls pullbacks again with other seeds. A
rule may hand on its seed, or a part of it, as a cotangent; it may not write into anything.
"""

import cases
import numpy as np
import pytest
from test_rules_numerically import name_of
from test_values import bits, plain, strided

from chainrules import AbstractTangent, NotImplementedTangent, accumulate, rrule, unthunk
from chainrules.testing import call_rule, find_rule, leaves, random_tangent
from chainrules.testing.leaves import copied

CASES: dict = {}  # by function
for case in cases.CASES:
    CASES.setdefault(case[0], []).append(case)

each_rule = pytest.mark.parametrize(
    "cases", CASES.values(), ids=[getattr(f, "__qualname__", None) or f.__name__ for f in CASES]
)


def changed(x, how):
    """`x` with `how` applied to every array in it."""
    if isinstance(x, (list, tuple)):
        values = [changed(v, how) for v in x]
        return x._make(values) if hasattr(x, "_make") else type(x)(values)
    return how(x) if isinstance(x, np.ndarray) else x


def read_only(a):
    a = a.copy("K")
    a.flags.writeable = False
    return a


def backwards(a):
    """The same numbers in an array of negative strides."""
    everywhere = (slice(None, None, -1),) * a.ndim
    return a[everywhere].copy()[everywhere] if a.ndim else a


def in_fortran_order(a):
    return a.copy("F")


def repeated(a):
    """Ones that are all the same memory."""
    return np.broadcast_to(np.ones((), a.dtype), a.shape)


def frozen(x):
    """All that can be known about a value: the bits of its leaves; of a tangent without numbers its kind."""
    return [(path, type(leaf) if isinstance(leaf, AbstractTangent) else bits(leaf)) for path, leaf in leaves(x)]


def seed_for(y, number):
    """A random cotangent of `y`, in whose integers floats may come."""
    return random_tangent(float(y) if isinstance(y, (int, np.integer)) else y, np.random.default_rng(number))


def zeros_for(seed):
    if isinstance(seed, (list, tuple)):
        values = [zeros_for(v) for v in seed]
        return seed._make(values) if hasattr(seed, "_make") else type(seed)(values)
    return None if seed is None else seed * 0


def raw_bars(pullback, y_bar):
    """What the rule itself returns, before anybody brings it to shape; thunks are run."""
    bars = pullback(y_bar)
    bars = bars if isinstance(bars, tuple) else (bars,)
    return [unthunk(b) for b in bars if not isinstance(b, NotImplementedTangent)]


def parts(bar):
    """Numbers and arrays of a cotangent by path; what is absent is left out."""
    return {path: leaf for path, leaf in leaves(bar) if leaf is not None and not isinstance(leaf, AbstractTangent)}


def assert_close(got, wanted, single):
    """Two cotangents are the same up to rounding; an absent one is zero."""
    mine, theirs = parts(got), parts(wanted)
    rtol = 1e-3 if single else 1e-9
    for path in mine.keys() | theirs.keys():
        a, b = mine.get(path, 0.0), theirs.get(path, 0.0)
        scale = np.max(np.abs(b), initial=1.0, where=np.isfinite(b))
        assert np.allclose(a, b, rtol=rtol, atol=rtol * scale, equal_nan=True), (path, a, b)


def is_single(*values):
    return any(getattr(leaf, "dtype", None) in (np.float32, np.complex64, np.float16) for _, leaf in leaves(values))


def shares(a, b):
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.shares_memory(a, b)


@each_rule
def test_contract(cases):
    with np.errstate(all="ignore"):
        for case in cases:
            for check in CHECKS:
                try:
                    check(*case)
                except Exception as error:
                    error.add_note(f"{name_of(case)}: {check.__doc__}")
                    raise


def writes_nothing(f, args, kwargs):
    """Read-only arguments and seeds will do, and where they are writable they keep their bits."""
    for how in (read_only, np.copy):
        given = changed(copied(args), how)
        before = frozen(given)
        _, y, pullback = find_rule(f, given, kwargs)
        value = frozen(y)
        y_bar = changed(seed_for(y, 1), how)
        seed = frozen(y_bar)
        for _ in range(2):
            raw_bars(pullback, y_bar)
        assert frozen(given) == before, "an argument was changed"
        assert frozen(y_bar) == seed, "the seed was changed"
        assert frozen(y) == value, "the value was changed"


def is_used_again(f, args, kwargs):
    """The same seed gives the same bits, whatever came between; sums of seeds give sums, and zero gives zero."""
    y, back = call_rule(f, *copied(args), **kwargs)
    one, two = seed_for(y, 1), seed_for(y, 2)
    first = back(copied(one))
    kept = frozen(first)
    second = back(copied(two))
    both = back(accumulate(copied(one), copied(two)))
    nothing = back(zeros_for(one))
    assert frozen(back(copied(one))) == kept, "a later call differs from the first"
    assert frozen(first) == kept, "a later call changed what an earlier one had returned"
    for a, b, total, zero in zip(first, second, both, nothing, strict=True):
        there, other = parts(a), parts(b)
        for path, leaf in parts(total).items():
            assert_close(leaf, there.get(path, 0.0) + other.get(path, 0.0), is_single(args, y))
        assert not any(np.any(leaf) for leaf in parts(zero).values()), "a seed of zeros gives something else"


def takes_seeds_of_any_layout(f, args, kwargs):
    """A seed is memory of somebody: strided, reversed, in Fortran's order, repeated by a stride of 0."""
    y, back = call_rule(f, *copied(args), **kwargs)
    seed = seed_for(y, 1)
    if not any(isinstance(leaf, np.ndarray) for _, leaf in leaves(seed)):
        return
    wanted = back(copied(seed))
    for layout in (strided, backwards, in_fortran_order):
        assert_close(back(changed(copied(seed), layout)), wanted, is_single(args, y))
    assert_close(back(changed(seed, repeated)), back(changed(seed, np.ones_like)), is_single(args, y))


def takes_arguments_of_any_layout(f, args, kwargs):
    """Arguments of any layout have the same cotangents, where they have the same value."""
    if not any(isinstance(leaf, np.ndarray) for _, leaf in leaves(args)):
        return
    y, back = call_rule(f, *copied(args), **kwargs)
    wanted = back(seed_for(y, 1))
    for layout in (strided, backwards, in_fortran_order):
        given = changed(copied(args), layout)
        other = plain(f, given, kwargs)
        mine, theirs = dict(leaves(other)), dict(leaves(y))
        if any(not np.allclose(mine[path], theirs[path], equal_nan=True) for path in mine):
            assert kwargs.get("order", "K") in ("K", "A"), "only functions of the order in memory see a layout"
            continue
        _, back = call_rule(f, *given, **kwargs)
        assert_close(back(seed_for(y, 1)), wanted, is_single(args, y))


def is_added_to_what_is_there(f, args, kwargs):
    """Sums with a cotangent that stands there already are new, and leave both sides alone."""
    given = copied(args)
    y, back = call_rule(f, *given, **kwargs)
    for bar, x in zip(back(seed_for(y, 1)), given, strict=True):
        there = random_tangent(x, np.random.default_rng(3))
        added, standing = parts(bar), parts(there)
        if not added or not standing:
            continue
        before, mine = frozen(there), frozen(bar)
        for total in (accumulate(there, bar), accumulate(bar, there)):
            for path, leaf in parts(total).items():
                wanted = standing.get(path, 0.0) + added.get(path, 0.0)
                assert np.array_equal(leaf, wanted, equal_nan=True), "the sum is no sum"
                assert not (path in standing and path in added and shares(leaf, standing[path]))
                assert not (path in standing and path in added and shares(leaf, added[path]))
        assert frozen(there) == before and frozen(bar) == mine, "a summand was changed"


CHECKS = (
    writes_nothing,
    is_used_again,
    takes_seeds_of_any_layout,
    takes_arguments_of_any_layout,
    is_added_to_what_is_there,
)


def writes_its_argument(x):
    def pullback(y_bar):
        x[...] = 0.0
        return y_bar * 2.0

    return x * 2.0, pullback


def writes_its_seed(x):
    def pullback(y_bar):
        y_bar *= 2.0
        return y_bar

    return x * 2.0, pullback


def works_once(x):
    kept = [2.0]
    return x * 2.0, lambda y_bar: y_bar * kept.pop()


def adds_up(x):
    total = np.zeros_like(x)

    def pullback(y_bar):
        np.add(total, 2.0 * y_bar, total)
        return total

    return x * 2.0, pullback


def is_not_linear(x):
    return x * 2.0, lambda y_bar: 2.0 * y_bar + 1.0


def reads_the_seeds_memory(x):
    return x * 2.0, lambda y_bar: 2.0 * np.ravel(y_bar, "K").reshape(x.shape)


def reads_the_arguments_memory(x):
    return x * x, lambda y_bar: 2.0 * np.ravel(x, "K").reshape(x.shape) * y_bar


@pytest.mark.parametrize(
    ("rule", "check"),
    [
        (writes_its_argument, writes_nothing),
        (writes_its_seed, writes_nothing),
        (works_once, is_used_again),
        (adds_up, is_used_again),
        (is_not_linear, is_used_again),
        (reads_the_seeds_memory, takes_seeds_of_any_layout),
        (reads_the_arguments_memory, takes_arguments_of_any_layout),
    ],
)
def test_a_faulty_rule_is_noticed(rule, check):
    def f(x):
        return rule(x)[0]

    rrule(f)(rule)
    with pytest.raises((AssertionError, IndexError, ValueError)):
        check(f, (np.arange(1.0, 7.0).reshape(2, 3),), {})


def test_a_good_rule_passes():
    def f(x):
        return x * x

    rrule(f)(lambda x: (x * x, lambda y_bar: 2 * x * y_bar))
    for check in CHECKS:
        check(f, (np.arange(1.0, 7.0).reshape(2, 3),), {})
