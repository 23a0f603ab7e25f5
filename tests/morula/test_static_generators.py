"""Static adjoints of loops over generators that the program leaves, or whose variables it assigns meanwhile."""

import numpy as np
import pytest
from morula_helpers import module_of
from static_checks import check_programs, check_static
from tests.fuzz.plain_jumps import JumpsWriter


def multiples(x, y):
    for i in range(3):
        yield y * i + x
    yield 100.0 * y


def in_turn(x, y):
    for part in (y, 2.0 * y, 3.0 * x):
        yield part * 1.0
    yield 7.0 * y


def nested(x, y):
    i = 0
    while i < 2:
        if i == 1:
            yield y
        yield x * i
        i += 1
    for j in (1.0, y):
        for k in range(2):
            yield j * k
    yield 9.0 * y


def handing_on(x, y):
    yield from multiples(x, y)
    for v in in_turn(y, x):
        yield v * y
    yield 3.0 * y


def parts_of(tree):
    if isinstance(tree, tuple):
        for part in tree:
            yield from parts_of(part)
    else:
        yield tree


def of_a_tree(x, y):
    yield from parts_of((y, (0.5, (x, y)), y))
    yield x


LOOPS = """
def left(x, y):
    for i, v in enumerate({0}(x, y)):
        x += v
        if i == {1}:
            break
        x *= 1.5
    return x * y

def ended(x, y):
    for i, v in enumerate({0}(x, y)):
        x += v
        if i == {1}:
            return x * v
    return x

def not_found(x, y):
    for v in {0}(x, y):
        if v > 0.3 * {1}:
            break
        x += v * y
    else:
        x *= 5.0
    return x * y
"""


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("generator", [multiples, in_turn, nested, handing_on, of_a_tree])
def test_loops_that_are_left(generator, n):
    name = generator.__name__
    module = module_of(LOOPS.format(name, n), f"loops_over_{name}_{n}", **{name: generator})
    for f in (module.left, module.ended, module.not_found):
        check_static(f, (0.01, 0.404))


def counted(a):
    yield 1.0
    for i in range(3):
        yield a * i
    yield a


def of_an_array(a):
    for i in range(3):
        yield a[i]
    yield a.sum()


def downwards(x):
    for v in counted(x):
        x -= 0.3 * v * x
    return x


def with_another_array(x):
    a, s = np.array([x, 2.0 * x, 3.0]), 0.0
    for v in of_an_array(a):
        a = a * 2.0
        s += v
    return s + a.sum()


def with_the_same_array(x):
    a, s = np.ones(20) * x, 0.0
    for v in of_an_array(a):
        a[2] = a[2] * 2.0 + v
        s += v
    return s + a.sum()


@pytest.mark.filterwarnings("default::RuntimeWarning")  # as errors, these are left to the eager tier
@pytest.mark.parametrize("f", [downwards, with_another_array, with_the_same_array])
def test_a_loop_assigns_what_the_generator_was_given(f):
    check_static(f, (0.3,))


def perhaps(x, y):
    if x > 1.0:
        meant(x - 1.0, y)


def meant(x, y):
    m = y
    m = perhaps(x, y)
    return x * y if m is None else m * x


def test_functions_that_call_themselves_and_return_nothing():
    check_static(meant, (2.5, 0.5))


def test_random_programs_that_jump():
    check_programs(JumpsWriter, range(14), 4)
