"""The rules for functions that rearrange, join and make arrays."""

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
    (np.reshape, (array((2, 6)), (3, 4))),
    (np.reshape, (array((2, 6)).T, 12)),
    (np.ravel, (array((2, 3)).T,)),
    (np.copy, (array((2, 3), complex),)),
    (np.ascontiguousarray, (array((2, 3)).T,)),
    (np.transpose, (array((2, 3)),)),
    (np.transpose, (array((2, 3, 4)), (1, 2, 0))),
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


JOINED = [
    (np.concatenate, ((array(2), array(3)),)),
    (np.concatenate, ((array((2, 3)), array((2, 1)), array((2, 0))), 1)),
    (np.concatenate, ((array((2, 3, 1)), array((2, 3, 2), complex)), -1)),
    (np.stack, ((array((2, 3)), array((2, 3))), 1)),
    (np.stack, ((array(2), array(2, complex)), -1)),
    (np.hstack, ((array(2), array(3)),)),
    (np.hstack, ((array((2, 3)), array((2, 1))),)),
    (np.vstack, ((array(2), array(2)),)),
    (np.vstack, ((array((2, 3)), array((1, 3))),)),
    (np.dstack, ((array(2), array(2)),)),
    (np.dstack, ((array((2, 3)), array((2, 3))),)),
    (np.dstack, ((array((2, 3, 1)), array((2, 3, 2))),)),
    (np.column_stack, ((array(2), array((2, 3)), array(2, complex)),)),
]


@pytest.mark.parametrize("case", JOINED, ids=lambda case: f"{case[0].__name__}{case[1][0][0].shape}")
def test_joined(case):
    f, args = case
    check(f, *args)
    # Constants among them.
    whole = np.asarray(args[0][0])
    check(f, (whole, *[np.ones(x.shape, int) for x in args[0][1:]]), *args[1:])


MADE = [
    (np.full, (3, number())),
    (np.full, ((2, 2), number(complex))),
    (np.full_like, (np.zeros((2, 3)), number())),
    (np.full_like, (np.zeros(2, complex), number())),
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
    (np.array, ((number(), number(), number()),)),
    (np.array, (((number(), 1.0), (number(complex), 2.0)),)),
]


@pytest.mark.parametrize("case", MADE, ids=lambda case: case[0].__name__)
def test_made(case):
    f, args = case
    check(f, *args, library=f is not np.array and not (f is np.linspace and args[2] == 0), smooth=f is not np.arange)


def test_made_of_numbers_in_single_precision():
    check(np.full, (2, 2), np.float32(2.0), np.float32)
    check(np.linspace, np.float32(1.0), np.float32(2.0), 3)


COMPILED = [
    (np.concatenate, ((array(2), array(3, complex)),)),
    (np.full, ((2, 2), number())),
    (np.array, ((number(), number()),)),
    (np.transpose, (array((2, 3)),)),
    (np.tril, (array((3, 4)), 1)),
    (np.reshape, (array((2, 6)), (3, 4))),
    (np.ravel, (array((2, 3)),)),
    (np.copy, (array((2, 3)),)),
    (np.transpose, (array((2, 3)), (1, 0))),
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
    (np.concatenate, ((array((2, 3)), array((2, 1))), 1)),
    (np.stack, ((array(2), array(2)), 1)),
    (np.hstack, ((array((2, 3)), array((2, 1))),)),
    (np.vstack, ((array(2), array(2)),)),
    (np.dstack, ((array(2), array(2)),)),
    (np.column_stack, ((array(2), array((2, 3))),)),
    (np.full_like, (array(2), number())),
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
