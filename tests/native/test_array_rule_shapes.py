"""The rules for functions that rearrange and make arrays."""

import numpy as np
import pytest

pytest.importorskip("numba")

from array_rule_checks import check, check_compiled, name_of_case, often

rng = np.random.default_rng(9)
TYPES = [float, np.float32, complex]


def array(shape, dtype=float):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x, dtype)


def number(dtype=float):
    return dtype(array((), complex)) if dtype is complex else dtype(array(()))


REARRANGED = [
    (np.copy, (array((2, 3), complex),)),
    (np.ascontiguousarray, (array((2, 3)).T,)),
    (np.swapaxes, (array((2, 3, 4)), 0, -1)),
    (np.moveaxis, (array((2, 3, 4)), 2, 0)),
    (np.expand_dims, (array((2, 3)), 1)),
    (np.rot90, (array((2, 3)),)),
    (np.rot90, (array((2, 3, 2)), -1)),
    (np.flip, (array((2, 3)),)),
    (np.fliplr, (array((2, 3)),)),
    (np.flipud, (array((2, 3)),)),
    (np.atleast_1d, (array(3),)),
    (np.atleast_2d, (array(3),)),
    (np.atleast_3d, (array((3, 2)),)),
    (np.broadcast_to, (array((3, 1)), (2, 3, 4))),
    (np.broadcast_to, (array(4, complex), (0, 4))),
    (np.tril, (array((3, 4)), 1)),
    (np.tril, (array(3), -1)),
    (np.triu, (array((4, 3)), -1)),
    (np.triu, (array(3), 1)),
    (np.triu, (array((4, 3)), -9)),
    (np.tril, (array((4, 3)), 9)),
    (np.diag, (array(3), -1)),
    (np.diag, (array((3, 4)), 2)),
    (np.diag, (array((4, 3)), -2)),
    (np.diagflat, (array((2, 2)), 1)),
    (np.diagflat, (array(2), -2)),
]


@pytest.mark.parametrize("case", REARRANGED, ids=lambda case: f"{case[0].__name__}{case[1][0].shape}")
def test_rearranged(case):
    f, args = case
    check(f, *args)
    check(f, args[0].real.astype(np.float32), *args[1:])
    check(f, array(args[0].shape, complex), *args[1:])


MADE = [
    (np.linspace, (number(), number(), 5)),
    (np.linspace, (number(complex), number(), 4)),
    (np.linspace, (number(), number(), 1)),
    (np.linspace, (number(), number(), 0)),
    (np.logspace, (number(), number(), 4)),
    (np.geomspace, (1.5, 4.0, 5)),
    (np.geomspace, (-1.5, -4.0, 3)),
    (np.geomspace, (1.5 + 1j, 2.0 - 1j, 4)),
    (np.arange, (0.5, 3.0)),
    (np.arange, (0.5, 3.0, 0.4)),
    (np.vander, (array(3),)),
    (np.vander, (array(3), 5, True)),
    (np.vander, (np.array([0.0, 1.0, 2.0]), 4)),
    (np.vander, (array(3, complex), 2)),
]


@pytest.mark.parametrize("case", MADE, ids=lambda case: case[0].__name__)
def test_made(case):
    f, args = case
    check(f, *args, library=not (f is np.linspace and args[2] == 0), smooth=f is not np.arange)


def test_made_of_numbers_in_single_precision():
    check(np.linspace, np.float32(1.0), np.float32(2.0), 3)


COMPILED = [
    (np.tril, (array((3, 4)), 1)),
    (np.copy, (array((2, 3)),)),
    (np.swapaxes, (array((2, 3)), 0, 1)),
    (np.moveaxis, (array((2, 3)), 1, 0)),
    (np.expand_dims, (array(3), 1)),
    (np.rot90, (array((2, 3)),)),
    (np.flip, (array(3),)),
    (np.fliplr, (array((2, 3)),)),
    (np.flipud, (array((2, 3)),)),
    (np.atleast_2d, (array(3),)),
    (np.broadcast_to, (array((3, 1)), (3, 4))),
    (np.triu, (array((3, 4)), 1)),
    (np.diag, (array(3), -1)),
    (np.diag, (array((3, 4)), 1)),
    (np.diagflat, (array(2), 1)),
    (np.linspace, (number(), number(), 4)),
    (np.logspace, (number(), number(), 4)),
    (np.geomspace, (1.5, 4.0, 4)),
    (np.arange, (0.5, 3.0, 0.4)),
    (np.vander, (array(3), 4)),
]


@pytest.mark.parametrize("case", often(COMPILED, 5), ids=name_of_case)
def test_compiled(case):
    f, args = case
    check_compiled(f, *args)
