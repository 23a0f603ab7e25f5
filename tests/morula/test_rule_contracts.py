"""Every rule of the library inside programs: cotangents meet others, memory is shared, pullbacks are called again.

For each case of the rule library the rule alone says what the cotangents of the arguments are. Programs that use the
same arguments in a second way must then give these plus that way's own cotangents, whichever comes first.
"""

import contextlib
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from morula_helpers import verify

import morula
from chainrules import AbstractTangent, NotImplementedTangent
from chainrules.testing import call_rule, leaves, random_tangent
from chainrules.testing.leaves import copied, is_inexact

# the cases and the comparisons are those of the rules' own tests
sys.path.append(str(Path(__file__).parent.parent / "chainrules"))
from cases import CASES, each_function
from test_contracts import assert_close, backwards, changed, frozen, in_fortran_order, is_single, seed_for
from test_values import arrays_in, described, plain, strided

LAYOUTS = {
    "as it is": lambda a: a,
    "in Fortran's order": in_fortran_order,
    "strided": strided,
    "of negative strides": backwards,
}


def varied(case):
    """Positions of the arguments that a case can be differentiated by."""
    f, args, kwargs = case
    y, back = call_rule(f, *copied(args), **kwargs)
    bars = back(seed_for(y, 1))
    return [
        i
        for i, (a, bar) in enumerate(zip(args, bars, strict=True))
        if not isinstance(bar, NotImplementedTangent) and any(is_inexact(leaf) for _, leaf in leaves(a))
    ]


def calling(case, active):
    """A function of the active arguments alone, and these."""
    f, args, kwargs = case
    attribute = None if callable(f) else f.__name__

    def call(xs):
        given = list(args)
        for i, x in zip(active, xs, strict=True):
            given[i] = x
        return f(*given, **kwargs) if attribute is None else getattr(given[0], attribute)

    return call


def times_one(x):
    """Another use of `x`, all of it."""
    if isinstance(x, list):
        return [times_one(v) for v in x]
    if isinstance(x, tuple):
        return tuple([times_one(v) for v in x])
    return x * 1.0 if isinstance(x, float | complex | np.ndarray | np.inexact) else x


def inner(v, x):
    return np.sum(np.real(np.conj(v) * x))


def sums(bars, others):
    """Leaf by leaf, an absent one being zero; in the structure of `others`."""
    if isinstance(others, list | tuple) and not isinstance(bars, AbstractTangent):
        mine = bars if isinstance(bars, list | tuple) else [None] * len(others)
        return [sums(a, b) for a, b in zip(mine, others, strict=True)]
    if bars is None or isinstance(bars, AbstractTangent):
        return others
    return bars if others is None else bars + others


def arrays(*values):
    return [leaf for _, leaf in leaves(values) if isinstance(leaf, np.ndarray)]


def assert_apart(gradients, *others):
    """No gradient is the memory of an input, a seed, a value, or another gradient."""
    mine = arrays(*gradients)
    for i, g in enumerate(mine):
        for other in (*mine[:i], *arrays(*others)):
            assert not np.shares_memory(g, other), "a gradient shares memory"
        assert g.flags.writeable


def spoil(*values):
    for a in arrays(*values):
        a[...] = np.nan


class Reference:
    """What the rule alone says of a case."""

    def __init__(self, case, active):
        f, args, kwargs = case
        self.active = active
        self.y, self.back = call_rule(f, *copied(args), **kwargs)

    def bars(self, seed):
        found = self.back(copied(seed))
        return [found[i] for i in self.active]


def check_pullback(program, xs, seed, wanted, single):
    """A pullback's gradients are as wanted, each time; nothing that it was given changes."""
    before, kept = frozen(xs), frozen(seed)
    y, back = morula.pullback(program, *xs)
    value = frozen(y)
    first = back(seed)
    assert_close(first, wanted, single)
    assert_apart(first, xs, seed, y)
    again = frozen(first)
    spoil(first)
    mine = copied(seed)
    second = back(mine)
    assert frozen(second) == again, "the second call of back differs"
    spoil(mine)
    assert frozen(second) == again, "a gradient changes with the seed"
    assert frozen(xs) == before, "an argument was changed"
    assert frozen(seed) == kept, "the seed was changed"
    assert frozen(y) == value, "the value was changed"


@each_function(CASES, one_of=4)
def test_rule(case):
    """Every program around the rule; what the rule alone says is asked once."""
    with np.errstate(all="ignore"):
        active = varied(case)
        if active:
            rule = Reference(case, active)
            for check in (cotangents_are_added, sums_of_uses, memory_as_in_the_plain_call, views_of_one_owner):
                check(case, active, rule)


def cotangents_are_added(case, active, rule):
    """In whatever order an argument is used, its gradient is the sum of its uses'."""
    call = calling(case, active)
    xs = [copied(case[1][i]) for i in active]
    single = is_single(case[1], rule.y)
    w, v = seed_for(rule.y, 1), tuple(random_tangent(x, np.random.default_rng(2)) for x in xs)
    f_bar = rule.bars(w)
    u, other = tuple(random_tangent(x, np.random.default_rng(4)) for x in xs), seed_for(rule.y, 3)
    twice = [sums(b, a) if a is not None else b for a, b in zip(f_bar, rule.bars(other), strict=True)]

    def alone(*xs):
        return call(xs)

    def used_before(*xs):  # the sweep adds the first call's cotangents, and then a seed, to the second call's
        z = times_one(xs)
        return call(xs), call(xs), z

    def used_after(*xs):  # the argument itself is returned: its seed is there before the rule's pullback runs
        y = call(xs)
        return y, times_one(xs), xs

    check_pullback(alone, xs, w, f_bar, single)
    check_pullback(used_before, xs, (w, other, v), sums(twice, v), single)
    check_pullback(used_after, xs, (w, v, u), sums(sums(f_bar, v), u), single)


def sums_of_uses(case, active, rule):
    """``<w, f(x)> + <v, x>`` and ``<v, x> + <w, f(x)>`` by `gradient`; arguments are left as they were."""
    call = calling(case, active)
    xs = [copied(case[1][i]) for i in active]
    if not is_inexact(rule.y) or not all(is_inexact(x) for x in xs):
        return
    w, v = seed_for(rule.y, 1), [random_tangent(x, np.random.default_rng(2)) for x in xs]
    wanted = sums(rule.bars(w), v)

    def rule_first(*xs):
        total = inner(w, call(xs))
        for u, x in zip(v, xs, strict=True):
            total = total + inner(u, x)
        return total

    def rule_last(*xs):
        total = 0.0
        for u, x in zip(v, xs, strict=True):
            total = total + inner(u, x)
        return total + inner(w, call(xs))

    for program in (rule_first, rule_last):
        before, kept = frozen(xs), frozen((w, v))
        got = morula.gradient(program, *xs)
        assert_close(got, wanted, is_single(case[1], rule.y))
        assert_apart(got, xs, w, v)
        assert frozen(xs) == before and frozen((w, v)) == kept


def memory_as_in_the_plain_call(case, active, rule):
    """Value, layout, flags and shared memory, for arguments of any layout; and the gradient is that of the numbers."""
    f, args, kwargs = case
    w = seed_for(rule.y, 1)
    wanted = rule.bars(w)
    for layout, how in LAYOUTS.items():
        given = changed(copied(args), how)
        if layout != "as it is" and not arrays(given):
            continue
        if layout in ("strided", "of negative strides") and any(isinstance(a, str) and a == "K" for a in args):
            continue  # ravel in the order of memory: refused where there are gaps or turns in it
        theirs = plain(f, given, kwargs)
        call = calling((f, given, kwargs), active)
        xs = [given[i] for i in active]
        mine, back = morula.pullback(lambda *xs, call=call: call(xs), *xs)
        arguments = arrays_in(given)
        found, expected = list(leaves(mine)), list(leaves(theirs))
        assert [path for path, _ in found] == [path for path, _ in expected]
        for (_, a), (_, b) in zip(found, expected, strict=True):
            if 0 not in getattr(b, "strides", ()):  # repeated in memory: with active arguments each element has its own
                assert described(a, arguments) == described(b, arguments), layout
        assert sharing(found) == sharing(expected), layout
        assert frozen(mine) == frozen(theirs), layout
        same = dict(leaves(rule.y))
        if all(np.allclose(b, same[path], equal_nan=True) for path, b in leaves(theirs) if is_inexact(b)):
            got = back(w)
            assert_close(got, wanted, is_single(args, rule.y))
            assert_apart(got, given, mine, w)


def sharing(values):
    found = [v for _, v in values if isinstance(v, np.ndarray)]
    return [[np.shares_memory(a, b) for b in found] for a in found]


def test_empty_views():
    """An empty view has strides of 0, and no elements that could share memory."""
    (g,) = morula.gradient(lambda x: np.square(x).sum(), np.zeros((0, 6))[:, ::2])
    assert g.shape == (0, 3)


def views_of_one_owner(case, active, rule):
    """All array arguments are interleaved views of one array, whose cotangent is there already."""
    args = case[1]
    xs = [copied(args[i]) for i in active]
    inside = [i for i, x in enumerate(xs) if isinstance(x, np.ndarray) and x.dtype == np.float64]
    if not inside:
        return
    call, k = calling(case, active), len(inside)
    size = max(xs[i].size for i in inside)
    owner = np.random.default_rng(4).uniform(0.5, 1.5, k * size + 1)
    keys = {i: slice(j, j + k * xs[i].size, k) for j, i in enumerate(inside)}
    for i, key in keys.items():
        owner[key] = xs[i].ravel()
    shapes = {i: xs[i].shape for i in inside}
    rest = [None if i in inside else x for i, x in enumerate(xs)]

    def program(owner, *rest):
        given = list(rest)
        for i, key in keys.items():
            given[i] = owner[key].reshape(shapes[i])
        return call(given), owner

    plain_y = program(owner, *rest)[0]
    same = dict(leaves(rule.y))
    if any(not np.allclose(b, same[path], equal_nan=True) for path, b in leaves(plain_y) if is_inexact(b)):
        assert case[2].get("order", "K") in ("K", "A"), "only functions of the order in memory see a layout"
        return
    w, v = seed_for(rule.y, 1), np.random.default_rng(5).normal(size=owner.shape)
    bars = rule.bars(w)
    total = v.copy()
    for i, key in keys.items():
        if bars[i] is not None and not isinstance(bars[i], AbstractTangent):
            total[key] += np.ravel(bars[i])
    others = [None if i in inside else bar for i, bar in enumerate(bars)]
    check_pullback(program, [owner, *rest], (w, v), [total, *others], is_single(args, rule.y))


# -- functions that write into what they are given --------------------------------------------------------------

R = np.random.default_rng(6)
X, Y, I3 = R.uniform(0.5, 1.5, (3, 4)), R.uniform(0.5, 1.5, (3, 4)), np.array([2, 0, 2])


def out_of_a_ufunc(x, y):
    np.multiply(x, y, out=y)
    return (y * x).sum() + y[0, 0]


def out_is_an_operand_twice(x, y):
    np.add(x, x, x)
    np.multiply(x, x, out=x)
    return (x * y).sum()


def out_is_a_view(x, y):
    np.exp(y[:, 1:], out=x[:, :-1])
    return (x * x).sum()


def copyto(x, y):
    np.copyto(x, y * y)
    np.copyto(y[0], x[1])
    return (x * y).sum()


def in_place_operators(x, y):
    z = x
    x += y
    x *= y
    x[1:] -= z[:-1]
    return (x * z).sum()


def sorted_in_place(x, y):
    z = x * y
    z.sort()
    return (z * y).sum()


def filled(x, y):
    s = x[0, 0] * y[0, 0]
    x.fill(2.0)
    return (x * y).sum() + s


def repeated_indices(x, y):
    x[I3] = y * 2.0
    x[I3, 0] += y[0, :3]
    return (x * x).sum()


def through_a_reshaped_view(x, y):
    square = x[1].reshape(2, 2)  # of a row, so that it is a view in any layout
    square[0] = square[1] * y[0, :2]
    return (x * y).sum() + square[0, 0]


def through_a_transpose(x, y):
    x.T[1] = y[:, 0] * x[:, 2]
    return (x * x).sum()


WRITERS = [
    out_of_a_ufunc, out_is_an_operand_twice, out_is_a_view, copyto, in_place_operators, sorted_in_place, filled,
    repeated_indices, through_a_reshaped_view, through_a_transpose,
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", WRITERS, ids=lambda f: f.__name__)
def test_written_arguments(f, layout):
    """Memory after the call, after `back` and after `gradient`, in the layouts that arguments come in."""
    how = LAYOUTS[layout]
    verify(f, how(X.copy()), how(Y.copy()))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", WRITERS, ids=lambda f: f.__name__)
def test_written_memory_with_a_cotangent(f, layout):
    """The same on a copy, with both the written memory and the arguments used before and after, and seeds on all."""
    how = LAYOUTS[layout]

    def program(x, y):
        early = (x * y).sum()
        u, v = x.copy(), y.copy()
        value = f(u, v)
        return early + value + (u * x).sum() + (v * v * y).sum()

    verify(program, how(X.copy()), how(Y.copy()))
    verify(lambda x, y: np.stack([program(x, y) * x, y]), how(X.copy()), how(Y.copy()))


def test_what_a_write_had_written_before_its_warning_was_raised():
    """NumPy warns when all is written: a program that goes on after the exception has the new contents."""
    factors = np.array([1e308, 2.0, 3.0])

    def program(x):
        y = x * 1.0
        with contextlib.suppress(RuntimeWarning):
            y *= factors
        return y[1] * y[2]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, (g,) = morula.withgradient(program, np.array([1e5, 1.0, 2.0]))
    assert value == 12.0 and g.tolist() == [0.0, 12.0, 6.0]
