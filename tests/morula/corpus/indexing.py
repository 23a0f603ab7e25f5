"""Reads of arrays: fancy and boolean indices, `flat`, one element, none."""

import numpy as np

from corpus import MATRIX, THREE, VECTOR, Programs, floats

program = Programs()


@program(MATRIX)
def flat_as_an_array(m):
    y = np.zeros(14)
    y[1:13] = m.T.flat
    total = np.sum(m.flat) * np.dot(m.flat, np.arange(12.0)) + np.mean(m.flat) + np.sin(m.flat).sum()
    joined = np.concatenate([m.flat, m.T.flat]) @ np.arange(24.0) + np.stack([m.flat, y[:12]])[1, 3]
    return total + joined + y @ np.arange(14.0) + np.einsum("i,i", m.flat, y[2:]) + np.array(m.flat)[2]


class Plain(np.ndarray):
    """Arrays with a name of their own."""

    def __setitem__(self, key, value):
        np.ndarray.__setitem__(self, key, value)

    def __getitem__(self, key):
        return np.ndarray.__getitem__(self, key)


@program(MATRIX)
def attributes_of_a_subclass(m):
    a = (m * m).view(Plain)
    y = np.zeros(12)
    y[:] = a.flat
    a.flat = m.T
    z = (1j * m).view(Plain)
    z.real = m * 2.0
    z.imag = m[0, 1]
    a[0] = m[1] ** 2
    return y @ np.arange(12.0) + (np.asarray(a) * m).sum() + abs(np.asarray(z)).sum() + float(a[0, 1])


@program(MATRIX)
def flat_iterated(m):
    s = 0.0
    for i, v in enumerate(m.flat):
        s = s + v * i
    return s


@program(MATRIX)
def flat_index(m):
    return m.flat[3] * m.flat[-1]


@program(MATRIX)
def flat_sliced(m):
    return (m.flat[2:5] * np.arange(3.0)).sum()


@program(MATRIX)
def flat_fancy(m):
    return (m.flat[[2, 2, 5]] * np.arange(3.0)).sum()


@program(THREE)
def flat_read(x):
    return sum(v * i for i, v in enumerate(np.outer(x, x).flat))


@program(VECTOR)
def repeated_indices(a):
    return (a[[0, 0, 2]] * a[np.array([1, 1, 1])]).sum() * a[[True, False, True, False]].sum()


@program(MATRIX)
def mixed_indices(m):
    i = np.array([0, 0, 2])
    j = np.array([[1], [1]])
    return (
        (m[i, j] * np.arange(6.0).reshape(2, 3)).sum()
        + m[1:, [0, 0]].sum()
        + m[[0, 1], :2].sum()
        + m[..., [1, 1]].sum()
        + m[None, [0], 1:].sum()
    )


@program(floats(1, 2), want=floats(3, 3))
def repeated_first_element(x):
    return x[[0, 0, 1]] @ floats(1, 2, 3)


@program(floats(1, 2, 3), want=floats(5, 0, 3))
def index_array_changed_later(x):
    i = np.array([2, 0])
    y = x[i]
    i[0] = 1
    return y @ floats(3, 5)


@program(VECTOR)
def index_array_reused(a):
    i = np.zeros(2, int)
    s = 0.0
    for n in range(3):
        i[0] = n
        i[1] = n * 2 % 4
        s += (a[i] * n).sum()
        a2 = a.copy()
        a2[i] = a2[i[::-1]] * 2
        s += a2[i].sum()
    return s


@program(VECTOR)
def mask_reused(a):
    k = a > 0.8
    s = (a[k] ** 2).sum()
    k[:] = False
    k[1] = True
    b = a.copy()
    b[k] = b[~k].sum()
    k[0] = True
    return s + (b * b).sum()


@program(VECTOR)
def index_list_changed(a):
    i = [0, 1]
    y = a.copy()
    s = y[i].sum()
    i[0] = 3
    y[i] = y[i] * 2
    i.append(0)
    s += (y[i] ** 2).sum()
    i.clear()
    return s + (y * y).sum()


@program(MATRIX)
def index_lists_in_a_tuple(m):
    i = [0, 1]
    t = (i, [1, 2])
    y = m.copy()
    s = y[t].sum()
    y[t] = 5 * y[t]
    i[0] = 2
    s += y[t].sum()
    return s + (y * y).sum()


@program(THREE)
def ix(x):
    m = np.outer(x, x)
    return m[np.ix_([0, 2], [1, 2])].sum() * 2


@program(THREE)
def newaxis_and_ellipsis(x):
    y = x[None, :, None] * x[:, None, None]
    y[..., 0] += x
    return (y**2).sum()


@program(THREE)
def boolean_combos(x):
    m = (x > 1.5) & (x < 4) | ~(x > 0)
    y = x * 2
    y[m] = y[m] * 3
    y[~m] += 1
    return (y * x)[m].sum() + y.sum()


@program(VECTOR)
def arrays_of_one_element(a):
    return a[:1].item() * a[1:2].sum() + a[2:3].squeeze() * 1.0 + np.squeeze(a[:1])[()] + a[:1].reshape(())[()]


@program(VECTOR)
def arrays_as_conditions(a):
    return (a.sum() if a.any() else 0.0) + (a[0] if a.all() else 1.0) + len(a) * a[1] + (a[2] if a[2] in a else 0.0)


@program(VECTOR)
def comparisons_combined(a):
    return np.where((a > 0.5) & (a < 1.2) | ~(a > 0.3), a * a, a).sum() + ((a > 0.5) * a).sum() + (a * (a > 1)).sum()


@program(MATRIX)
def attributes_of_an_array(m):
    return m.T[0, 0] * m.shape[0] + m.ndim * m.size * m.real[1, 1] + m.mT[0, 2] + m.itemsize * m.flat[2]


@program(VECTOR)
def empty_arrays(a):
    e = a[:0]
    f = a[5:]
    return (
        e.sum()
        + f.sum()
        + np.concatenate([e, a]).sum()
        + (e * e).sum()
        + np.stack([e, e]).sum()
        + a[[]].sum()
        + a[np.zeros(4, bool)].sum()
    )


@program(VECTOR)
def zero_d_return(a):
    return np.array(a.sum())


@program(VECTOR)
def zero_d_accumulated(a):
    t = np.zeros(())
    for v in a:
        t = t + v * v
    return t * 2


@program(VECTOR)
def zero_d_in_place(a):
    z = np.array(0.0)
    z += a[0]
    z[()] = z * a[1]
    z[...] *= 2
    b = z.copy()
    z -= 1
    return z * b


@program(MATRIX)
def polynomial_features(m):
    features = [(0, 0), (0, 1), (1, 1, 3)]
    columns = np.empty((3, 3))
    for i, factors in enumerate(features):
        columns[:, i] = np.prod(m[:, factors], axis=1)
    return (columns * np.arange(9.0).reshape(3, 3)).sum() + m[(0, 0), (1, 1)].sum() + (m[..., range(1, 3)] ** 2).sum()


@program(MATRIX)
def written_at_tuples(m):
    y = 2 * m
    y[:, (0, 0)] = m[:, :2]
    y[(0, 2), 1:] *= m[(1, 1), 1:]
    return (y * np.arange(12.0).reshape(3, 4)).sum()
