"""Writes into arrays: elements, slices, fancy indices, masks, sequences, in place."""

import collections

import numpy as np

from corpus import MATRIX, OTHER, SQUARE, THREE, TWO, VECTOR, Programs, X, Y, floats

program = Programs()


@program(VECTOR)
def flat_of_a_constant_written(a):
    buf = np.ones(4)
    s = (a * buf).sum()
    buf.flat[0] = 5.0
    return s + (a * buf).sum()


@program(VECTOR)
def flat_element_overwritten(a):
    y = a * 2
    y.flat[0] = 3.0
    return (y * y).sum()


@program(X)
def flat_element_activated(x):
    y = np.zeros(3)
    y.flat[1] = x * x
    return (y * y).sum()


@program(VECTOR)
def flat_slice_overwritten(a):
    y = a * 2
    y.flat[1:] = 3.0
    return (y * y).sum()


@program(THREE)
def flat_write(x):
    y = np.outer(x, x)
    y.flat[3] = x[0]
    return (y**2).sum()


@program(THREE)
def flat_all_written(x):
    y = np.zeros((1, 3))
    y.flat = x
    return (y**2).sum()


@program(VECTOR)
def real_part_assigned(a):
    buf = np.ones(4)
    s = (a * buf).sum()
    buf.real = np.arange(4.0)
    return s + (a * buf).sum()


@program(THREE)
def complex_parts_assigned(x):
    z = np.zeros(3, complex)
    z.real = x
    z.imag = x * 2
    return (abs(z) ** 2).sum()


@program(X, Y)
def rows_from_a_list(x, y):
    b = np.zeros((2, 2))
    b[:] = [x, y]
    return b[0, 0] + 10 * b[0, 1] + 100 * b[1, 0] + 1000 * b[1, 1]


@program(X, Y)
def rows_from_a_tuple(x, y):
    b = np.zeros((2, 2))
    b[:] = (x, y)
    return b[0, 0] + 10 * b[0, 1] + 100 * b[1, 0] + 1000 * b[1, 1]


@program(X, Y)
def rows_from_a_list_broadcast(x, y):
    b = np.zeros((3, 2))
    b[:] = [x, y]
    return b[0, 0] + 10 * b[0, 1] + 100 * b[1, 0] + 1000 * b[2, 1]


@program(X, Y)
def list_cleared_after_the_write(x, y):
    b = np.zeros(2)
    xs = [x, y]
    b[:] = xs
    xs.clear()
    return b[0] + 10 * b[1]


@program(X, Y)
def matrix_from_nested_lists(x, y):
    b = np.zeros((2, 2))
    b[:] = [[x, 1.0], [y, x * y]]
    return b[0, 0] + 10 * b[0, 1] + 100 * b[1, 0] + 1000 * b[1, 1]


@program(VECTOR, OTHER)
def rows_from_arrays(a, b):
    z = np.zeros((2, 4))
    z[:] = [a, b]
    return (z * np.arange(8.0).reshape(2, 4)).sum()


@program(VECTOR, OTHER)
def planes_from_arrays(a, b):
    z = np.zeros((3, 2, 4))
    z[:] = [a, b]
    return (z * np.arange(24.0).reshape(3, 2, 4)).sum()


@program(X)
def all_from_a_list_of_one(x):
    z = np.zeros(3)
    z[:] = [x]
    return (z * np.arange(3.0)).sum()


@program(VECTOR)
def list_plus_array(a):
    return (a + [1.0, 2.0, 3.0, 4.0]).sum() * (a * (1, 2, 3, 4)).sum()  # noqa: RUF005


@program(VECTOR)
def array_matmul_list(a):
    return a @ [1.0, 2.0, 3.0, 4.0]


@program(VECTOR)
def list_minus_array(a):
    return ([1.0, 2.0, 3.0, 4.0] - a) @ a


@program(VECTOR)
def array_plus_list_in_place(a):
    y = a * 1.0
    y += [1, 2, 3, 4]
    return (y * y).sum()


@program(X)
def list_of_active_plus_array(x):
    y = np.ones(2) + [x, 2 * x]  # noqa: RUF005
    return (y * y).sum()


@program(VECTOR)
def fancy_write(a):
    y = a * 1.0
    y[[0, 0, 1]] = a[1:] * 2
    y[np.array([2, 2])] += 1.0
    return (y * y).sum()


@program(MATRIX)
def fancy_writes_of_a_matrix(m):
    y = m * 1.0
    y[[0, 0, 2], 1] = m[0, :3]
    y[[1, 1], :] = m[:2]
    y[:, [3, 3]] *= 2.0
    y[[[0], [0]], [0, 0]] = m[:2, :2]
    return (y * np.arange(12.0).reshape(3, 4)).sum()


@program(MATRIX)
def mask_writes_of_a_matrix(m):
    y = m * 1.0
    y[m > 0.8] = 0.5 * y[0, 0]
    y[m < 0.5] *= y[m < 0.5]
    y[[True, False, True]] += 1.0
    y[m.sum(1) > 3.0, 1] = 7.0
    return (y * y).sum()


@program(VECTOR)
def mask_write_of_values(a):
    y = a * 1.0
    k = a > 0.8
    y[k] = a[k] * a[k]
    y[~k] = a[0]
    return (y * y).sum()


@program(MATRIX)
def mask_write_into_rows(m):
    y = m * 1.0
    y[0][m[0] > 0.8] = 9.0
    y[1:][m[1:] > 0.8] *= 2
    return (y * y).sum()


@program(MATRIX, VECTOR)
def broadcast_writes(m, a):
    y = np.zeros((3, 4))
    y[:] = a
    y[:, 1] = m[:, 0]
    y[1:] *= m[0]
    y[..., None][:] += a[:, None]
    y += m[:, :1]
    return (y * m).sum()


@program(VECTOR)
def empty_write(a):
    y = a * 1.0
    y[:0] = y[2:2]
    y[[]] = 5.0
    y[:0] += 1
    return (y * y).sum()


@program(VECTOR)
def elements_swapped(a):
    y = a * 1.0
    y[0], y[1] = (y[1], y[0])
    y[[2, 3]] = y[[3, 2]]
    y[:2], y[2:] = (y[2:].copy(), y[:2].copy())
    return (y * np.arange(4.0)).sum()


@program(MATRIX)
def rows_swapped(m):
    y = m * 1.0
    y[[0, 2]] = y[[2, 0]]
    y[0], y[1] = (y[1], y[0])
    return (y * np.arange(12.0).reshape(3, 4)).sum()


@program(MATRIX)
def slice_objects(m):
    s = slice(1, 3)
    y = m * 1.0
    y[:, s] *= 2
    y[s, s] += y[:2, :2]
    y[Ellipsis, 0] -= 1
    y[np.s_[0, :2]] = 3.0
    i = np.int64(1)
    y[i, i] = y[-i, -i] * 2
    y[2,] = y[0]
    return (y * np.arange(12.0).reshape(3, 4)).sum()


@program(VECTOR)
def complex_array_written(a):
    z = a * np.exp(1j * a)
    z[0] *= 2j
    w = z @ z.conj()
    q = np.outer(z, z)[0, 1]
    z.imag[1] = a[0]
    f = np.fft.fft(z)
    return w.real + q.imag + (np.abs(f) ** 2).sum() + np.real(z).sum() * np.imag(z[2]) + np.angle(z[3])


@program(VECTOR)
def real_array_from_complex(a):
    y = np.zeros(4)
    z = a * 1j + 1
    y[:] = z.real
    y[0] = abs(z[1])
    y[1:3] = np.abs(z[1:3]) ** 2
    return (y * y).sum()


@program(VECTOR)
def complex_array_in_place(a):
    z = np.zeros(4, complex)
    z += a
    z *= 1j * a
    z[1:] -= z[:-1]
    z.real += a
    return (z * z.conj()).real.sum() + (z**2).imag.sum()


@program(THREE)
def broadcast_write(x):
    y = np.zeros((3, 3))
    y[:] = x
    y[:, 1] = x[0]
    y[1] += x
    y.T[2] *= x
    return (y**2).sum()


@program(THREE)
def item_set(x):
    y = x * 1.0
    y[(0,)] = y.item(2)
    return (y**2).sum()


@program(VECTOR)
def shape_of_a_constant_assigned(a):
    y = np.zeros(4)
    y.shape = (2, 2)
    y[0] = a[1] * 2
    return (y * y).sum()


@program(floats(1, 2, 3))
def overwritten_before_use(x):
    x[0] = 2.0
    x[0] = x[1]
    x[1] = 3.0
    return (x**2).sum()


@program(floats(1, 2, 3))
def repeated_index_write(x):
    y = np.zeros(3)
    y[[0, 0, 1]] = x
    return y @ floats(1, 10, 100)


@program(floats(1, 2, 3))
def repeated_index_add(x):
    y = np.ones(3)
    y[[0, 0, 1]] += x
    return y @ floats(1, 10, 100)


@program(floats(1, 2, 3))
def masked_write(x):
    x[x > 1.5] = 0.0
    return (x * floats(1, 10, 100)).sum()


@program(floats(1, 2, 3))
def write_a_scalar_over_all(x):
    y = np.empty((2, 3))
    y[...] = x[1]
    y[0] += x
    return (y**2).sum()


@program(floats(1, 2, 3))
def rows_swapped_by_index(x):
    x[[0, 2]] = x[[2, 0]]
    return x @ floats(1, 10, 100)


@program(floats(1, 2, 3))
def elements_swapped_by_names(x):
    x[0], x[2] = x[2], x[0]
    return x @ floats(1, 10, 100)


@program(floats(1, 2, 3))
def loop_of_overwrites(x):
    s = 0.0
    buffer = np.zeros(2)
    for i in range(3):
        buffer[0] = x[i] * (i + 1)
        buffer[1] = buffer[0] * x[0]
        s += buffer.sum()
    return s


@program(floats(3, 1, 2))
def fill_and_sort(x):
    y = x.copy()
    y.fill(2.0)
    z = np.sort(x)
    return (y * z * floats(1, 2, 3)).sum()


@program(VECTOR)
def write_to_a_frozen_array(a):
    y = a * 1.0
    y.flags.writeable = False
    try:
        y[0] = 3.0
    except ValueError:
        return (y * y).sum()


@program(VECTOR)
def in_place_on_a_frozen_array(a):
    y = a * 1.0
    y.setflags(write=False)
    try:
        y += 3.0
    except ValueError:
        return (y * y).sum()


@program(VECTOR)
def write_to_a_broadcast(a):
    y = np.broadcast_to(a, (2, 4))
    try:
        y[0] = 3.0
    except ValueError:
        return (y * y).sum()


@program(SQUARE)
def write_to_a_diagonal(s):
    try:
        np.diagonal(s)[0] = 3.0
    except ValueError:
        return (s * s).sum()


@program(VECTOR)
def writes_that_fail(a):
    y = a * 1.0
    try:
        y[:] = np.ones(3)
    except ValueError:
        pass
    try:
        y[7] = y[0]
    except IndexError:
        pass
    try:
        y[[0, 9]] = a[0]
    except IndexError:
        pass
    try:
        y += np.ones(3)
    except ValueError:
        pass
    try:
        y[0] = np.ones(3) * a[0]
    except (ValueError, TypeError):
        pass
    try:
        y[0] = "x"
    except ValueError:
        pass
    try:
        y[0] = 1j
    except TypeError:
        pass
    try:
        np.add(a, a, out=np.zeros(3))
    except ValueError:
        pass
    try:
        y.sort(axis=3)
    except Exception:
        pass
    try:
        y.reshape(3, 3)
    except ValueError:
        pass
    return (y * y).sum()


@program(VECTOR)
def failed_writes_into_integers(a):
    k = np.arange(4)
    try:
        k += a
    except TypeError:
        pass
    try:
        k /= 2
    except TypeError:
        pass
    return (k * a).sum()


@program(2.0, want=7.0)
def integer_memory_cuts(x):
    z = np.zeros(1, int)
    z[0] = x * 3.7
    return z[0] * x


class Doubled:
    def __init__(self, a):
        self.a = a

    def __array__(self, dtype=None, copy=None):
        return self.a * 2.0


@program(TWO)
def operators_with_what_becomes_an_array(x):
    a = np.ones(2)
    s = (a * Doubled(x)).sum() + (a @ Doubled(x)) * x[0] + Doubled(x) * a @ a
    a += Doubled(x)
    return s + a.sum()


class Items(list):
    pass


CORNER = (3.0, 4.0)


Pair = collections.namedtuple("Pair", "a b")


@program(TWO)
def operators_with_sequences(x):
    a = np.array([2.0, 3.0])
    s = (a + collections.deque(x)).sum() + (a * Items(x)).sum() + (Pair(x[0], x[1]) * a).sum()
    return s + ([1.0, 2.0] * x).sum() + (CORNER + x).sum() + (x * collections.deque(x)).sum()


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __array__(self, dtype=None, copy=None):
        return np.array(self.rows)


class Number:
    def __init__(self, f):
        self.f = f

    def __float__(self):
        return float(self.f())


@program(TWO)
def writes_of_what_becomes_an_array(x):
    a = np.zeros(2)
    a[:] = Table(list(x))
    b = np.zeros(2)
    b[:] = collections.deque(x)
    b += Items(x)
    c = np.zeros(2)
    c[0] = Number(lambda: x[0])
    return (a * b).sum() + c[0] * x[1]


@program(TWO)
def sequences_changed_in_place_by_arrays(x):
    xs = [1.0, x[0]]
    xs += np.array([1.0, 2.0])
    ys = collections.deque([x[0]])
    ys += x
    zs = [x[0]]
    try:
        zs -= 3
    except TypeError as error:
        zs.append(len(str(error)) * x[1])
    return xs.sum() + (ys * ys).sum() + sum(zs)


@program(floats(0.6, 1.7, 0.8, 1.9, 1.1))
def roots_of_those_that_are_left(a):
    x, step = np.ones(5), np.zeros(5)
    left = np.ones(5, bool)
    while left.any():
        step[left] = (x[left] ** 2 - a[left]) / (2 * x[left])
        x[left] -= step[left]
        left[left] = abs(step[left]) > 1e-9
    return (x * np.arange(1.0, 6.0)).sum()


@program(floats(0.6, 1.7, 0.8, 1.9, 1.1))
def indices_written_by_themselves(a):
    b, at, large = a.copy(), np.array([1, 2, 0, 4, 3]), a > 1
    b[at] *= 2 * a
    at[at] = np.arange(5)
    b[at] += a**2 * np.arange(5)
    at[at > 1] -= 1
    b[large] **= 2
    large[~large] = a[~large] > 0.7
    b[large] *= 3 * b[at][large]
    large[large] ^= np.arange(large.sum()) % 2 == 0
    b[large] *= a[0]
    at[at[:3]] = 1
    np.add.at(at, at, 1)
    return (b * np.arange(5)).sum() * b[at].sum()


@program(floats(0.4, 2.3, -0.8, 1.7))
def arguments_partitioned(v):
    v[-1] *= 0.8
    v.partition(2)
    v[:2] *= v[2]
    v.partition(1)
    return v @ np.array([1.0, -0.7, 0.4, 1.3])


@program(VECTOR)
def read_as_a_list_and_written_later(v):
    y = v * 1.0
    xs = y.tolist()
    y[0] = 7.0 * xs[1]
    y += y[::-1]
    zs = np.array([xs[0], y[0], 2.0])
    parts = [y[:1], zs[1:]]
    joined = np.concatenate(parts)
    parts[0] = zs
    y[1:] = y[:-1]
    y[:2] *= zs[1:]
    total = sum([xs[2], y[2], 1.0]) + sum([y[1]]) + sum([xs[0], xs[1], xs[2], y[0]])
    return (joined * zs).sum() + total * max(xs[0], y[0], 0.1) * min(y[1], 3.0, xs[1])
