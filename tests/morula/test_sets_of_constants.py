"""Loops over sets of constants go in the order of the program's own, also of a module that came from a ``.pyc`` file.

Such a file holds the items of a set sorted, and the set that is made of them has another order where they collide.
"""

import linecache
import marshal

import pytest
from static_checks import check_static

import morula

TEXT = """
def iterated(x):
    t = x
    for i in {8, 0, 16, 3}:
        t = t * 0.9 + i * x
    return t


def of_two(x):
    return sum([x * i * 1.1**k for k, i in enumerate({8, 0})]) + sum([x**2 * i for i in {16, 8}], x)


def named(x):
    t = x
    one = {8, 0, 16, -3, 32}
    for i in one:
        t = t * 0.9 + i * x
    return t


def in_a_function(x):
    def inside(y):
        return [y * i * 1.1**i for i in {8, 0, 16, 24, 3}]

    t = 0.0
    for i in inside(x):
        t = t * 0.9 + i
    return t


def taken_from(x):
    t = x
    rest = {16, 0, 8, 3}
    rest |= {24, 32}
    while rest:
        t = t * 0.9 + rest.pop() * x
    return t


def folded(x):
    t = x
    for i in {8, 0, 16, 3, 24, 32, 40, 5 + 3, -11, 2.5}:
        t = t * 0.9 + i * x if i in {0, 8, 3} else t + 0.1 * x * i
    return t


def of_texts(x):
    t = x
    for i in {"a", "b", "c", "zz", "w", "u"}:
        t = t * 0.9 + ord(i[0]) * x
    return t


def of_pairs(x):
    t = x
    for i, name in {(8, "u"), (0, "v"), (16, "u"), (3, "w")}:
        t = t * 0.9 + i * x if name != "u" else t * 1.1 + i
    return t


def looked_into_first(x):
    t = x if 8 in {8, 16, 0} else -x
    for i in {0, 8, 16}:
        t = t * 0.9 + i * x
    return t


def of_other_functions(x):
    return iterated(x) * named(x) + 0.1 * in_a_function(x)
"""
FILE = "<sets of constants>"


def programs():
    """The functions of the text, as a module has them that was read from its file of byte code."""
    linecache.cache[FILE] = (len(TEXT), None, TEXT.splitlines(keepends=True), FILE)
    space = {}
    exec(marshal.loads(marshal.dumps(compile(TEXT, FILE, "exec"))), space)
    return {name: f for name, f in space.items() if callable(f)}


@pytest.mark.parametrize("name", [line[4:-4] for line in TEXT.splitlines() if line.startswith("def ")])
def test_loops_go_in_the_order_of_the_programs_own_sets(name):
    f = programs()[name]
    check_static(f, (0.37,))
    for tier in ("eager", "static", "auto"):
        with morula.tier(tier):
            assert morula.withgradient(f, 0.37).value == f(0.37)


def test_the_orders_of_such_programs_differ_from_those_of_their_text():
    space = {}
    exec(TEXT, space)
    assert any(f(0.37) != space[name](0.37) for name, f in programs().items())


def test_also_without_the_text():
    for name, f in programs().items():
        f.__code__ = f.__code__.replace(co_filename=f"<nowhere {name}>")
        with morula.tier("eager"):
            assert morula.withgradient(f, 0.37).value == f(0.37)


def test_sets_of_constants_and_of_what_moves():
    def f(x):
        return {*"", x}.pop() * 2 * x

    for tier in ("eager", "static"):
        with morula.tier(tier):
            assert morula.gradient(f, 0.3) == (1.2,)
