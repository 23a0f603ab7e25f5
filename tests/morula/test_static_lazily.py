"""Loops over iterators that read lists and numbers bit by bit, which the turns of the loop change."""

import itertools

import pytest
from static_checks import check_static, found_by

import morula


def in_pairs(x, y):
    L = [x, 0.5, y * 0.3, -0.2]
    for v, w in itertools.pairwise(L):
        x += v * w
        L[1] = x
    return x + sum(L)


def products_in_pairs(x, y):
    L = [x, 0.5, y * 0.3, -0.2]
    for v in (v * w for v, w in itertools.pairwise(L)):
        x += v
        L[1], L[2] = x, x * y
    return x + sum(L)


def chained(x, y):
    L, M = [x, 0.5, y * 0.3], [x * y, 2.0]
    for v in itertools.chain(L, M):
        x += v
        M[1], L[2] = x, y
    return x + sum(L)


def combined(x, y):
    L = [x, 0.5, y * 0.3]
    for v, w in itertools.combinations(L, 2):
        x += v * w
        L[2] = x
    return x + sum(L)


def counted(x, y):
    L = [x, 0.5, y, 2.0]
    for i, v in enumerate(v * 2 for v in L):
        x += v * i
        L[-1] = x
    return x


def with_a_number(x, y):
    k, total = x, 0.0
    for i, v in enumerate(k * w for w in [x, y, 1.0]):
        k += v
        total += v * i
    return total


def beside_another(x, y):
    L = [x, 0.5, y, 2.0]
    for v, w in zip((v * 2 for v in L), [1.0, x, y, 3.0], strict=True):
        x += v * w
        L[3] = x
    return x


def mapped(x, y):
    L = [x, 0.5, y, 2.0]
    for i, v in enumerate(map(lambda q: q * 2, L)):  # noqa: C417
        x += v * i
        L[3] = x
    return x


def by_a_function(x, y):
    L = [x, 0.5, y, 2.0]

    def put(v):
        L[2] = v * y

    for v, w in itertools.pairwise(L):
        x += v * w
        put(x)
    return x


def backwards(x, y):
    L = [x, 0.5, y, 2.0]
    for v, w in zip(reversed(L), L, strict=True):
        x += v * w
        L[0], L[1] = x, y
    return x


def beside_a_display(x, y):
    L = [x, 0.5, y, 2.0]
    for v, w in zip(L, [1.0, x, y, 3.0], strict=True):
        x += v * w
        L[3], L[2] = x, y
    return x


def backwards_alone(x, y):
    L = [x, 0.5, y, 2.0]
    for v in reversed(L):
        x += v
        L[0], L[1] = x, y * x
    return x


def beside_a_range(x, y):
    L = [x, 0.5, y, 2.0]
    for i, v in zip(range(3), L, strict=False):
        x += v * i
        L[2] = x * y
    return x


def numbers_of_a_display(x, y):
    for v, w in zip([x, y], (x * y, 2.0), strict=True):
        x += v * w
        y *= v
    return x + y


def unchanged(x, y):
    L = [x, 0.5, y, 2.0]
    for i, (v, w) in enumerate(itertools.pairwise(L)):
        x += v * w * i
    return x


@pytest.mark.parametrize(
    "f",
    [in_pairs, products_in_pairs, chained, combined, counted, with_a_number, beside_another, mapped, by_a_function,
     backwards, backwards_alone, beside_a_display, beside_a_range, numbers_of_a_display, unchanged],
)  # fmt: skip
def test_iterators_of_what_the_loop_changes(f):
    """Whether they have static adjoints or not, they are what the program makes of them."""
    for args in ((0.7, 0.4), (1.3, -0.6)):
        static, eager = found_by("static", f, args), found_by("eager", f, args)
        assert static.value == eager.value == f(*args)
        assert [bar is None for bar in static.gradient] == [bar is None for bar in eager.gradient]
        found, wanted = ([bar for bar in each.gradient if bar is not None] for each in (static, eager))
        assert found == pytest.approx(wanted, rel=1e-12)
        h = 1e-6
        slope = (f(args[0] + h, args[1]) - f(args[0] - h, args[1])) / (2 * h)
        assert morula.gradient(f, *args)[0] == pytest.approx(slope, rel=1e-6)


def by_another_max(x, y):
    L = [x, 0.5, y]

    def max(q, r):
        L[2] = q
        return q + r

    for v, w in itertools.pairwise(L):
        x += max(v, w)
    return x


def by_a_new_name(x, y):
    L = [x, 0.5, y, 1.0]
    M = L
    for v in reversed(L):
        x += v
        M[0] = x
    return x


@pytest.mark.parametrize("f", [by_another_max, by_a_new_name])
def test_names_do_not_tell_what_the_loop_changes(f):
    test_iterators_of_what_the_loop_changes(f)


def counted_calls(x, y):
    calls = 0

    def several():
        nonlocal calls
        calls += 1
        return [x * calls, y]

    total = x
    for v in reversed(several()):
        total = total * 0.5 + v
    for i, v in enumerate(reversed(several())):
        total += i * v
    for v, w in zip(several(), reversed(several()), strict=True):
        total += v * w
    return (total + sum(v * v for v in reversed(several()))) * calls


def test_what_is_gone_through_backwards_is_made_once():
    check_static(counted_calls, (0.3, 0.7))
