"""Calls with texts, members of enumerations and functions find the kernels of the call before, and no others."""

from enum import Enum, IntEnum

import numba
import numpy as np
import pytest

import morula
from morula.static.tiers import kernel_table


class Loss(Enum):
    SQUARE = 1
    CUBE = 2


class Other(Enum):
    SQUARE = 2
    CUBE = 1


class Level(IntEnum):
    LOW = 1
    HIGH = 3


@numba.njit
def by_text(x, kind):
    return x * x if kind == "square" else x * x * x


@numba.njit
def by_member(x, loss):
    return x * x if loss.value == 1 else x * x * x


@numba.njit
def by_level(x, level):
    return x * x if level == Level.LOW else x * x * x


@numba.njit
def square(x):
    return x * x


@numba.njit
def cube(x):
    return x * x * x


@numba.njit
def by_function(x, f):
    return f(x)


@numba.njit
def by_pair(x, pair):
    return pair[0] * (x * x if pair[1] == "square" else x * x * x)


CASES = [
    (by_text, ("square", "cube"), 1),
    (by_member, (Loss.SQUARE, Loss.CUBE), 1),
    (by_member, (Loss.SQUARE, Other.SQUARE), 2),  # of another type
    (by_level, (Level.LOW, Level.HIGH), 1),
    (by_function, (square, cube), 2),
    (by_pair, ((1.0, "square"), (1.0, "cube")), 1),
]


@pytest.fixture
def made(monkeypatch):
    """The functions for which kernels are made."""
    found = []
    make = kernel_table._made
    monkeypatch.setattr(kernel_table, "_made", lambda f, *rest: found.append(f) or make(f, *rest))
    return found


@pytest.mark.parametrize(("f", "given", "number"), CASES)
def test_kernels_are_found_again(f, given, number, made):
    kernel_table.table_of(f).clear()
    gradient = morula.grad(f, argnums=0)
    for x in (1.5, -0.7):
        assert [gradient(x, a) for a in given] == pytest.approx([2.0 * x, 3.0 * x * x])
    assert len(made) == number


def test_what_has_no_type_is_no_key():
    assert kernel_table.key_of((1.0, range(3))) is None
    assert kernel_table.key_of((1.0, (range(3), "a"))) is None


WEIGHTS = (np.array([1.0, 2.0]), 3.0)


@numba.njit
def weighted(x):
    return WEIGHTS[1] * WEIGHTS[0][1] * x * x


def test_an_array_in_a_tuple_that_changes():
    assert morula.gradient(weighted, 0.5)[0] == 6.0
    WEIGHTS[0][1] = 5.0
    assert weighted(1.0) == 6.0 and morula.gradient(weighted, 0.5)[0] == 6.0  # as Numba has compiled it
    weighted.recompile()
    assert weighted(1.0) == 15.0 and morula.gradient(weighted, 0.5)[0] == 15.0
