"""The rules for products of vectors and matrices."""

import operator

import numpy as np
import pytest

pytest.importorskip("numba")

from array_rule_checks import check, check_compiled, name_of_case, often

rng = np.random.default_rng(3)
SHAPES = [
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((4,), (4, 3)),
    ((3, 4), (4, 2)),
    ((0, 4), (4, 2)),
    ((3, 0), (0, 2)),
    ((0,), (0,)),
]


def array(shape, dtype=float):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x, dtype)


@pytest.mark.parametrize("dtype", [float, np.float32, complex])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("f", [np.dot, np.matmul])
def test_dot(f, shapes, dtype):
    check(f, *[array(s, dtype) for s in shapes])


def test_dot_of_strided():
    check(np.dot, array((4, 3)).T, array((4, 6))[:, ::2])
    check(np.dot, array((6, 8))[::2, ::2], array(8)[::2])


@pytest.mark.parametrize("types", [(float, float), (float, complex), (complex, float), (np.float32, float)])
def test_outer(types):
    check(np.outer, array(3, types[0]), array(4, types[1]))
    check(np.outer, array((2, 3), types[0]), array((4, 2), types[1]).T)
    check(np.outer, array(0, types[0]), array(4, types[1]))


@pytest.mark.parametrize("dtype", [float, np.float32, complex])
def test_vdot(dtype):
    check(np.vdot, array(4, dtype), array(8, dtype)[::2])
    check(np.vdot, array(0, dtype), array(0, dtype))


KRON = [((3,), (4,)), ((2, 3), (2, 2)), ((2,), (2, 3)), ((2, 3), (2,)), ((0,), (3,))]


@pytest.mark.parametrize("dtype", [float, np.float32, complex])
@pytest.mark.parametrize("shapes", KRON, ids=str)
def test_kron(shapes, dtype):
    check(np.kron, *[array(s, dtype) for s in shapes])


CROSS = [((3,), (3,)), ((5, 3), (5, 3)), ((5, 3), (3,)), ((3,), (5, 3)), ((1, 3), (5, 3)), ((0, 3), (3,))]


@pytest.mark.parametrize("types", [(float, float), (float, complex), (complex, complex), (np.float32, np.float32)])
@pytest.mark.parametrize("shapes", CROSS, ids=str)
def test_cross(shapes, types):
    check(np.cross, *[array(s, t) for s, t in zip(shapes, types, strict=True)])


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) >= "2.5.0", reason="np.cross takes three components only")
def test_cross_with_two_components():
    with pytest.warns(DeprecationWarning):
        check(np.cross, array((5, 2)), array((5, 3)))
        check(np.cross, array((5, 3)), array(2))


COMPILED = [
    (np.dot, (array((3, 4)), array((4, 2)))),
    (operator.matmul, (array((3, 4)), array(4))),
    (np.outer, (array(3), array(4, complex))),
    (np.dot, (array(4), array(4))),
    (np.dot, (array(4), array((4, 3)))),
    (np.dot, (array((3, 4), complex), array((4, 2), complex))),
    (np.dot, (array((3, 8), np.float32)[:, ::2], array((4, 2), np.float32))),
    (np.dot, (array((0, 4)), array((4, 2)))),
    (np.outer, (array((2, 3)), array(4))),
    (np.vdot, (array(4, complex), array(4, complex))),
    (np.kron, (array((2, 3)), array((3, 2)).T)),
    (np.kron, (array(3, complex), array((2, 2), complex))),
    (np.cross, (array(3), array(3))),
    (np.cross, (array((4, 3)), array(3, complex))),
]


@pytest.mark.parametrize("case", often(COMPILED, 3), ids=name_of_case)
def test_compiled(case):
    f, args = case
    check_compiled(f, *args)


@pytest.mark.parametrize("names", often([["b"], ["a"]], 1))
def test_compiled_for_one_of_two(names):
    # What is not wanted is not even typed.
    check_compiled(np.dot, array((4, 3), complex).T, array(8, complex)[::2], wrt=names)
