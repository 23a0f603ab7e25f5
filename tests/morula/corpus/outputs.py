"""Functions that write: `out=`, `np.put` and its kind, shuffles, buffers of other modules."""

import functools
import io
import operator
import struct

import numpy as np

from corpus import MATRIX, SQUARE, THREE, VECTOR, Programs, X, floats

program = Programs()


@program(VECTOR)
def clip_out_positional(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.clip(a * 2, 0, 1.2, b)
    return s + (a * b).sum()


@program(VECTOR)
def clip_method_out(a):
    b = np.ones(4)
    s = (a * b).sum()
    (a * 2).clip(0, 1.2, b)
    return s + (a * b).sum()


@program(MATRIX)
def sum_out_positional(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    np.sum(m, 0, None, b)
    return s + (m[0] * b).sum()


@program(MATRIX)
def sum_method_out(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    m.sum(0, None, b)
    return s + (m[0] * b).sum()


@program(MATRIX)
def mean_out(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    np.mean(m, 0, None, b)
    return s + (m[0] * b).sum()


@program(VECTOR)
def cumsum_out_positional(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.cumsum(a, 0, None, b)
    return s + (a * b).sum()


@program(VECTOR)
def cumsum_method_out(a):
    b = np.ones(4)
    s = (a * b).sum()
    a.cumsum(0, None, b)
    return s + (a * b).sum()


@program(MATRIX, VECTOR)
def dot_out_positional(m, a):
    b = np.ones(3)
    s = (m[:, 0] * b).sum()
    np.dot(m, a, b)
    return s + (m[:, 0] * b).sum()


@program(MATRIX, VECTOR)
def dot_method_out(m, a):
    b = np.ones(3)
    s = (m[:, 0] * b).sum()
    m.dot(a, b)
    return s + (m[:, 0] * b).sum()


@program(MATRIX, VECTOR)
def matmul_out(m, a):
    b = np.ones(3)
    s = (m[:, 0] * b).sum()
    np.matmul(m, a, b)
    return s + (m[:, 0] * b).sum()


@program(MATRIX)
def max_out(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    np.max(m, 0, b)
    return s + (m[0] * b).sum()


@program(MATRIX)
def max_method_out(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    m.max(0, b)
    return s + (m[0] * b).sum()


@program(VECTOR)
def round_out(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.round(a, 1, b)
    return s + (a * b).sum()


@program(VECTOR)
def concatenate_out_positional(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.concatenate((a[:2], a[:2]), 0, b)
    return s + (a * b).sum()


@program(VECTOR)
def concatenate_out(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.concatenate((a[:2], a[:2]), out=b)
    return s + (a * b).sum()


@program(VECTOR)
def stack_out(a):
    b = np.ones((2, 2))
    s = (a[:2] * b).sum()
    np.stack((a[:2], a[:2]), 0, b)
    return s + (a[:2] * b).sum()


@program(VECTOR)
def outer_out(a):
    b = np.ones((4, 4))
    s = (a * b).sum()
    np.outer(a, a, b)
    return s + (a * b).sum()


@program(VECTOR)
def take_out_positional(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.take(a, [0, 0, 1, 2], 0, b)
    return s + (a * b).sum()


@program(VECTOR)
def take_method_out(a):
    b = np.ones(4)
    s = (a * b).sum()
    a.take([0, 0, 1, 2], 0, b)
    return s + (a * b).sum()


@program(MATRIX)
def einsum_out(m):
    b = np.ones(4)
    s = (m[0] * b).sum()
    np.einsum("ij->j", m, out=b)
    return s + (m[0] * b).sum()


@program(SQUARE)
def trace_out(s):
    b = np.zeros(())
    np.trace(s, 0, 0, 1, None, b)
    return b * 2


@program(VECTOR)
def ufunc_out_tuple(a):
    b = np.ones(4)
    s = (a * b).sum()
    r = np.add(a, a, out=(b,))
    return s + (r * b * a).sum()


WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0])


@program(VECTOR)
def outputs_of_constants(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.add(WEIGHTS, WEIGHTS, b)
    s += (a * b).sum()
    np.cumsum(WEIGHTS, 0, None, b)
    s += (a * b).sum()
    WEIGHTS.cumsum(out=b)
    s += (a * b).sum()
    WEIGHTS.clip(0, 2, b)
    s += (a * b).sum()
    np.dot(np.eye(4), WEIGHTS, b)
    s += (a * b).sum()
    np.sum(np.eye(4), 0, None, b)
    s += (a * b).sum()
    np.round(WEIGHTS / 3, 1, b)
    s += (a * b).sum()
    np.take(WEIGHTS, [1, 1, 2, 2], 0, b)
    s += (a * b).sum()
    np.concatenate((WEIGHTS[:2], WEIGHTS[:2]), 0, b)
    return s + (a * b).sum()


@program(VECTOR)
def constants_written_by_functions(a):
    b = np.ones(4)
    s = (a * b).sum()
    np.put(b, [0], 9.0)
    s += (a * b).sum()
    b.put([1], 8.0)
    s += (a * b).sum()
    np.place(b, b > 5, [3.0])
    s += (a * b).sum()
    np.putmask(b, b < 2, 7.0)
    s += (a * b).sum()
    np.put_along_axis(b, np.array([2]), 5.0, 0)
    s += (a * b).sum()
    b.partition(2)
    s += (a * b).sum()
    b[::-1].sort()
    s += (a * b).sum()
    b.fill(2.0)
    s += (a * b).sum()
    b.itemset(0, 5.0) if hasattr(b, "itemset") else None
    np.copyto(b, WEIGHTS, where=WEIGHTS > 1)
    s += (a * b).sum()
    np.fill_diagonal(b.reshape(2, 2), 6.0)
    s += (a * b).sum()
    b.byteswap(True)
    b.byteswap(inplace=True)
    b.setfield(3.0, float)
    return s + (a * b).sum()


@program(VECTOR)
def struct_pack_into(a):
    b = np.ones(4)
    s = (a * b).sum()
    struct.pack_into("d", b, 8, 5.0)
    return s + (a * b).sum()


@program(VECTOR)
def readinto(a):
    b = np.ones(4)
    s = (a * b).sum()
    io.BytesIO(WEIGHTS.tobytes()).readinto(b)
    return s + (a * b).sum()


@program(VECTOR)
def np_random_shuffle(a):
    np.random.seed(0)
    b = WEIGHTS.copy()
    s = (a * b).sum()
    np.random.shuffle(b)
    return s + (a * b).sum()


@program(VECTOR)
def permuted_out(a):
    r = np.random.default_rng(1)
    b = WEIGHTS.copy()
    s = (a * b).sum()
    r.permuted(b, out=b)
    return s + (a * b).sum()


@program(VECTOR)
def partial_of_fill(a):
    b = WEIGHTS.copy()
    s = (a * b).sum()
    functools.partial(b.fill, 3.0)()
    return s + (a * b).sum()


@program(VECTOR)
def operator_writes(a):
    b = WEIGHTS.copy()
    s = (a * b).sum()
    operator.setitem(b, 0, 5.0)
    s += (a * b).sum()
    operator.iadd(b, 1.0)
    s += (a * b).sum()
    operator.methodcaller("fill", 5.0)(b)
    s += (a * b).sum()
    b.__iadd__(1.0)
    s += (a * b).sum()
    operator.imul(b, a[0])
    return s + (a * b).sum()


@program(VECTOR, X)
def operator_writes_active(a, x):
    b = WEIGHTS.copy()
    s = (a * b).sum()
    operator.setitem(b, 0, x)
    s += (a * b).sum()
    operator.iadd(b, x)
    return s + (a * b).sum()


@program(VECTOR, X)
def bound_fill(a, x):
    b = WEIGHTS.copy()
    s = (a * b).sum()
    f = b.fill
    f(x)
    return s + (a * b).sum()


@program(VECTOR)
def bound_sort(a):
    b = a * 1.0
    s = (a * b).sum()
    f = b.sort
    f()
    return s + (a * b * WEIGHTS).sum()


@program(VECTOR)
def np_resize_of_a_constant(a):
    b = np.ones(4)
    s = (a * b).sum()
    b = np.resize(b, 8)
    return s + (a * b[:4]).sum()


@program(VECTOR)
def shuffled_indices(a):
    rng = np.random.default_rng(0)
    idx = np.arange(4)
    s = (a[idx] * np.array([1.0, 2, 3, 4])).sum()
    rng.shuffle(idx)
    return s + (a[idx] * np.array([1.0, 2, 3, 4])).sum()


@program(VECTOR)
def shuffled_weights(a):
    rng = np.random.default_rng(0)
    w = np.array([1.0, 2, 3, 4])
    s = (a * w).sum()
    rng.shuffle(w)
    return s + (a * w).sum()


@program(VECTOR)
def random_out(a):
    rng = np.random.default_rng(0)
    buf = np.zeros(4)
    s = 0.0
    for _ in range(3):
        rng.random(out=buf)
        s += (a * buf).sum()
    return s


@program(VECTOR)
def standard_normal_out(a):
    rng = np.random.default_rng(0)
    buf = np.zeros(4)
    s = 0.0
    for _ in range(3):
        rng.standard_normal(4, out=buf)
        s += (a * buf).sum()
    return s


@program(VECTOR)
def nan_to_num_inplace(a):
    buf = np.array([1.0, np.nan, 2.0, 3.0])
    buf2 = np.array([1.0, 2.0, 2.0, 3.0])
    s = (a * buf2).sum()
    np.nan_to_num(buf, copy=False)
    return s + (a * buf).sum()


@program(VECTOR)
def nan_to_num_of_infinities(a):
    buf = np.array([1.0, np.inf, 2.0, 3.0])
    s = (a / buf).sum()
    np.nan_to_num(buf, copy=False, posinf=7.0)
    return s + (a * buf).sum()


@program(THREE)
def put(x):
    y = np.zeros(3)
    np.put(y, [0, 2], x[:2])
    return (y * [1, 2, 3]).sum()


@program(THREE)
def put_along(x):
    y = np.zeros((1, 3))
    np.put_along_axis(y, np.array([[1]]), x[:1].reshape(1, 1), 1)
    return y.sum() * x[1]


@program(THREE)
def place(x):
    y = x * 2
    np.place(y, y > 3, [x[0] * 10, 5.0])
    return (y**2).sum()


@program(THREE)
def putmask(x):
    y = x * 2
    np.putmask(y, y > 3, x * x)
    return (y**2).sum()


@program(THREE)
def copyto(x):
    y = np.zeros(3)
    np.copyto(y, x * 2)
    return (y**2).sum()


@program(THREE)
def copyto_where(x):
    y = x * 3
    np.copyto(y, x * 2, where=x > 1.5)
    return (y**2).sum()


@program(THREE)
def add_at(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 2], x)
    return (y**2).sum()


@program(THREE)
def fill_diagonal(x):
    y = np.outer(x, x)
    np.fill_diagonal(y, x[0])
    return (y**2).sum()


@program(THREE)
def sort_in_place(x):
    y = x[::-1] * 1.0
    y.sort()
    return (y * [1, 2, 3]).sum()


@program(THREE)
def partition(x):
    y = x[::-1] * 1.0
    y.partition(1)
    return (y * [1, 2, 3]).sum()


@program(THREE)
def take_out(x):
    y = np.empty(2)
    np.take(x, [0, 2], out=y)
    return (y**2).sum()


@program(THREE)
def dot_out(x):
    y = np.empty((3, 3))
    np.dot(np.outer(x, x), np.eye(3), out=y)
    return (y**2).sum()


@program(THREE)
def sum_out(x):
    y = np.empty(())
    np.sum(x * 2, out=y)
    return float(y) * 3


@program(THREE)
def cumsum_out(x):
    y = np.empty(3)
    np.cumsum(x, out=y)
    return (y**2).sum()


@program(THREE)
def clip_out(x):
    y = x * 2
    np.clip(y, 0.0, 4.5, out=y)
    return (y**2).sum()


@program(THREE)
def method_out(x):
    y = np.empty(3)
    x.cumsum(out=y)
    return (y**2).sum()


@program(THREE)
def ufunc_where(x):
    y = np.zeros(3)
    np.multiply(x, x, out=y, where=x > 1.5)
    return y.sum()


@program(THREE)
def iadd_operator(x):
    y = x * 2
    operator.iadd(y, x)
    y = operator.imul(y, x)
    return y.sum()


@program(THREE)
def setitem_operator(x):
    y = x * 2
    operator.setitem(y, 1, x[0])
    return (y * y).sum() + operator.getitem(y, 0)


@program(floats(1, 2, 3))
def ufuncs_with_out(x):
    y = np.empty(3)
    np.multiply(x, x, out=y)
    np.sin(y, out=y)
    return y.sum()


@program(VECTOR)
def shuffled_lists(a):
    xs, ys = [v * i for i, v in enumerate(a, 1)], list(a)
    np.random.default_rng(1).shuffle(xs)
    np.random.RandomState(2).shuffle(ys)
    return sum(x * y * i for i, (x, y) in enumerate(zip(xs, ys, strict=True)))
