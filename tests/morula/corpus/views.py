"""Views and layouts: what shares memory with what, and writes through it."""

import numpy as np

from corpus import MATRIX, SQUARE, THREE, VECTOR, Programs, X, floats

program = Programs()


@program(MATRIX)
def write_through_transpose(m):
    y = m * 1.0
    y.T[1] = 5.0
    y.T[0] *= 2
    return (y * y).sum()


@program(MATRIX)
def fortran_order_ravelled(m):
    y = np.asfortranarray(m * 1.0)
    y[1] = y[0] * 2
    v = y.ravel()
    v[0] = 3.0
    w = y.ravel("F")
    w[1] = w[2] * 7
    return (y * np.arange(12.0).reshape(3, 4)).sum() + (v * v).sum()


@program(MATRIX)
def fortran_order_reshaped(m):
    y = np.array(m, order="F")
    z = y.T
    z[:, 1] = z[:, 0] * z[:, 2]
    r = y.reshape(-1)
    r[0] = 0.0
    k = y.reshape(-1, order="F")
    k[1:5] *= 2.0
    return (y * np.arange(12.0).reshape(3, 4)).sum() + r.sum() * k[3]


@program(MATRIX)
def permuted_axes(m):
    y = np.stack([m, m * 2], 0)
    z = np.transpose(y, (1, 2, 0)) * 1.0
    v = z[1]
    v[2] = v[0] * v[1]
    w = z.reshape(3, 8)
    w[0] = 2.0
    u = np.moveaxis(z, 0, 2)
    u[1, 1] *= u[0, 0]
    return (z * np.arange(24.0).reshape(3, 4, 2)).sum()


@program(VECTOR)
def negative_strides(a):
    y = a * 1.0
    r = y[::-1]
    r[0] = r[1] * r[2]
    r[1:] += r[:-1]
    q = r[::2][::-1]
    q[0] *= 3.0
    return (y * np.arange(4.0)).sum()


@program(MATRIX)
def reversed_in_both_axes(m):
    y = m[::-1, ::-2]
    z = y.copy()
    y2 = y + 0.0
    z[0] = y[1]
    v = y2[:, ::-1]
    v[0] *= z[1]
    return (y2 * z).sum()


@program(MATRIX)
def ravel_view(m):
    y = m * 1.0
    r = y.ravel()
    r[::2] = r[1::2]
    rr = y.T.ravel()
    rr[0] = 100.0
    return (y * y).sum() + rr.sum()


@program(VECTOR)
def reshape_alias(a):
    y = a * 1.0
    m = y.reshape(2, 2)
    m[0] += m[1]
    m.T[0] *= 2
    n = m.reshape(4, 1)[:, 0]
    n[1] = y[0] * n[2]
    return (y * np.arange(4.0)).sum()


@program(SQUARE)
def diagonal_read_after_write(s):
    y = s * 1.0
    d = np.diagonal(y)
    e = y.diagonal(1)
    t = (d * d).sum()
    y[0, 0] = 3.0
    y[1, 2] *= y[0, 1]
    return t + (d * d).sum() + (e * 3).sum()


@program(SQUARE)
def einsum_view(s):
    y = s * 1.0
    d = np.einsum("ii->i", y)
    d[:] = d * d
    return (y * y).sum()


@program(VECTOR)
def broadcast_before_write(a):
    y = a * 1.0
    b = np.broadcast_to(y, (3, 4))
    t = (b * np.arange(12.0).reshape(3, 4)).sum()
    y[0] = y[1]
    return t * (b * b).sum()


@program(VECTOR)
def broadcast_arrays(a):
    u, v = np.broadcast_arrays(a[:, None], a[None, :2])
    return (u * v * v).sum()


@program(VECTOR)
def sliding_windows_before_write(a):
    y = a * 1.0
    w = np.lib.stride_tricks.sliding_window_view(y, 2)
    t = (w * w * np.arange(6.0).reshape(3, 2)).sum()
    y[1] *= y[2]
    return t + (w[:, 0] * w[:, 1]).sum()


@program(VECTOR)
def as_strided_read(a):
    y = a * 1.0
    w = np.lib.stride_tricks.as_strided(y, (3, 2), (8, 8))
    return (w.sum(1) ** 2).sum()


@program(VECTOR)
def asstrided_write(a):
    y = a * 1.0
    w = np.lib.stride_tricks.as_strided(y, (3, 2), (8, 8))
    w[:] = np.arange(6.0).reshape(3, 2) * y[0]
    return (y * y).sum()


@program(VECTOR)
def plain_view(a):
    y = a * 1.0
    v = y.view()
    v[0] = v[1] * 2
    return (y * y).sum()


@program(VECTOR, in_one_piece=True)
def viewed_as_complex(a):
    c = a.view(complex)
    return (c.real * c.imag).sum() + np.abs(c[0])


@program(VECTOR)
def complex_parts(a):
    c = a + 1j * a[::-1]
    c.real[0] = 3.0
    c.imag *= 2
    c[1] = c[2] * c[0]
    return (np.abs(c) ** 2).sum() + c.view(float)[3]


@program(VECTOR)
def real_part_of_a_real_array(a):
    y = a * 1.0
    y.real[1] = y.real[0] * 2
    return (y * y).sum()


@program(X)
def broadcast_summed(x):
    return sum(np.broadcast_to(x, (4,)))


@program(X)
def broadcast_element(x):
    return np.broadcast_to(x, (4,))[0]


@program(X)
def broadcast_weighted(x):
    return (np.broadcast_to(x, (4,)) * np.arange(4.0)).sum()


@program(X)
def broadcast_reshaped(x):
    return np.broadcast_to(x, (4,)).reshape(2, 2)[0].sum()


@program(VECTOR)
def broadcast_column(a):
    return sum(np.broadcast_to(a[:, None] * 2, (4, 2))[1])


@program(VECTOR)
def broadcast_transposed(a):
    return np.broadcast_to(a.sum(), (2, 3)).T[0].sum()


@program(VECTOR)
def broadcast_of_an_element(a):
    v = np.broadcast_to(a[0] * 2, (2, 3))
    return v[0, 1] * v[1].sum() + v.ravel()[:2].sum()


@program(VECTOR)
def broadcast_of_a_zero_d_array(a):
    v = np.broadcast_to(np.array(a[0]), (3,))
    return v[0] * v[1] + v[[0, 1]].sum()


@program(X)
def full_of_a_number(x):
    return np.full((2, 2), x)[0].sum()


@program(VECTOR)
def tile_and_repeat(a):
    return np.tile(a, 2)[1:3].sum() + np.repeat(a, 2).reshape(2, 4)[1, :2].sum()


@program(VECTOR)
def axes_added(a):
    return np.atleast_2d(a)[0][1:].sum() + np.expand_dims(a, 1)[1:, 0].sum()


@program(VECTOR)
def diag_flip_and_rotation(a):
    return (
        np.diag(a)[1:, 1].sum()
        + np.diag(np.outer(a, a))[2]
        + np.real(a)[1:].sum()
        + np.flip(a)[0]
        + np.rot90(np.outer(a, a))[0, 1]
    )


@program(VECTOR)
def splits_read(a):
    return (
        np.split(a, 2)[1].sum()
        + np.array_split(a, 3)[0][0]
        + np.hsplit(a, 2)[0][1]
        + np.vsplit(a.reshape(2, 2), 2)[1][0, 1]
    )


@program(VECTOR)
def splits_written(a):
    u, v = np.split(a * 1.0, 2)
    u[0] = v[1] * 2
    u *= v
    return u.sum() * v.sum()


@program(VECTOR)
def splits_of_a_kept_array(a):
    y = a * 1.0
    u, v = np.split(y, 2)
    u[0] = v[1] * 2
    v *= u
    return (y * y).sum()


@program(VECTOR)
def view_functions_written(a):
    y = a * 1.0
    r = np.atleast_2d(y)
    r[0, 1] = r[0, 0] * 3
    e = np.expand_dims(y, 0)
    e[0, 2] *= 2
    s = np.squeeze(e)
    s[3] = s[2]
    f = np.flip(y)
    f[0] *= f[1]
    w = np.swapaxes(r, 0, 1)
    w[0] = 5.0
    k = np.rollaxis(r, 1)
    k[1] *= 2
    z = np.asanyarray(y)
    z[2] += 1
    q = np.ascontiguousarray(y)
    q[0] *= 2
    return (y * y * np.arange(4.0)).sum()


@program(MATRIX)
def matrix_views_written(m):
    y = m * 1.0
    t = np.triu(y)
    v = y.view()
    xs = np.atleast_1d(y[0])
    xs[1] = t[0, 0] * 2
    d = np.diagonal(y, offset=1, axis1=0, axis2=1)
    y[0, 1] = 9
    x = np.real(y)
    x[1, 1] = d[0] * 2
    g = y.reshape(4, -1)
    g[0, 2] = 3 * g[1, 1]
    return (y * np.arange(12.0).reshape(3, 4)).sum() + (d * d).sum()


@program(VECTOR)
def array_with_and_without_copy(a):
    y = np.array(a, copy=None)
    z = np.array(a, copy=True)
    z[0] = y[1]
    return (y * z).sum()


@program(VECTOR)
def require_then_write(a):
    y = np.require(a * 1.0, requirements="C")
    y[0] = y[1]
    return (y * y).sum()


@program(THREE)
def negative_steps(x):
    y = x[::-1]
    y[0] = 5.0
    z = y[::-1]
    return (x * z).sum()


@program(THREE, in_one_piece=True)
def ravel_is_view(x):
    m = x.reshape(1, 3)
    r = m.ravel()
    r[0] = x[1]
    f = m.flatten()
    f[0] = 100.0
    return (m**2).sum() + f.sum()


@program(THREE)
def transpose_write(x):
    m = np.outer(x, x)
    m.T[0, 1] = x[2]
    np.swapaxes(m, 0, 1)[1] *= 2
    np.moveaxis(m, 0, 1)[2] += x
    return (m * np.arange(9.0).reshape(3, 3)).sum()


@program(THREE)
def diagonal_by_einsum(x):
    m = np.outer(x, x)
    d = np.einsum("ii->i", m)
    d *= 2
    return (m * np.arange(9.0).reshape(3, 3)).sum()


@program(THREE)
def split_views(x):
    m = np.outer(x, x)
    _a, b, _c = np.split(m, 3)
    b *= x[0]
    return (m**2).sum()


@program(THREE)
def atleast_view(x):
    y = np.atleast_2d(x)
    y[0, 0] = 5.0
    return (x**2).sum()


@program(THREE, in_one_piece=True)
def asarray_alias(x):
    y = np.asarray(x)
    y[0] *= 3
    z = np.ascontiguousarray(x)
    z[1] *= 2
    return (x**2).sum()


@program(THREE)
def squeeze_view(x):
    y = x[None]
    np.squeeze(y)[1] = x[0] * 7
    return (x**2).sum()


@program(THREE)
def real_part_written(x):
    r = x.real
    r[0] = x[1] * 5
    return (x**2).sum()


@program(THREE)
def broadcast_against_ones(x):
    a, b = np.broadcast_arrays(x, np.ones((2, 3)))
    return (a * b * x).sum()


@program(THREE)
def same_view_twice(x):
    a, b = x[:2], x[1:]
    a *= 2
    b += a
    return (x**2).sum() + a @ b


@program(THREE)
def overlapping_add(x):
    x[:-1] += x[1:]
    x[1:] *= x[:-1]
    return (x**2).sum()


@program(floats(1, 2, 3), want=floats(2, 4, 6))
def overwritten_argument(x):
    y = x * x
    x[:] = 1
    return y.sum()


@program(floats(1, 2, 3), want=floats(2, 16, 24))
def scaled_tail(x):
    v = x[1:]
    v *= 2
    return (x * x).sum()


@program(floats(1, 2, 3), want=floats(11, 100, 0))
def overlapping_shift(x):
    x[1:] = x[:-1]
    return x @ floats(1, 10, 100)


@program(floats(2, 3, 4), want=floats(4, 1, 8), in_one_piece=True)
def as_strided_written(x):
    v = np.lib.stride_tricks.as_strided(x, (2,), (16,))
    v[:] = v * v
    return x.sum()


@program(floats(1, 2, 3), want=floats(1, 2, 1))
def sliding_windows(x):
    return np.lib.stride_tricks.sliding_window_view(x, 2).sum()


@program(floats(1, 2, 3), want=floats(4, 4, 4))
def broadcast_to_rows(x):
    return np.broadcast_to(x, (4, 3)).sum()


@program(floats((1, 2), (3, 4)))
def written_through_transposed_view(x):
    t = x.T
    t[0] *= t[1]
    return (x * floats((1, 2), (3, 4))).sum()


@program(floats((1, 2), (3, 4)), in_one_piece=True)
def view_of_view_of_reshape(x):
    v = x.reshape(-1)[1:][::2]
    v += x[0, 0] * 2
    return (x**2).sum()


@program(floats(1, 2, 3))
def element_kept_before_write(x):
    first = x[0]
    row = x[:1]
    x[0] = 9.0
    return first * 2 + row[0] * x[1]


@program(floats(1, 2, 3))
def augmented_by_own_view(x):
    x[1:] += x[:-1]
    return (x**2).sum()


@program(floats(1, 2, 3))
def return_of_a_written_view(x):
    v = x[:2]
    v[0] = v[1] * 3
    return v


@program(floats(2, 3))
def element_scaled_by_another(x):
    x[0] *= x[1]
    return x


@program(VECTOR)
def records_of_particles(a):
    particles = np.zeros(4, [("at", float, 2), ("mass", float)])
    particles["at"][:, 0] = a
    particles["mass"] = a**2
    for particle in particles[1:]:
        particle["at"][1] = particle["mass"] * particle["at"][0]
    particles[0]["at"] = a[1:3]
    particles[1]["mass"] *= a[3]
    first, *rest = particles
    rest[0]["at"][0] += first["mass"]
    return (particles["at"] ** 2).sum(axis=1) @ particles["mass"]
