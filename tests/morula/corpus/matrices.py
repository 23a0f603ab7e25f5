"""`numpy.matrix`: arrays of two dimensions whose product is that of matrices."""

import numpy as np
import scipy.sparse as sp

from corpus import Programs, floats

program = Programs()
START = floats(2.0, 2.0, 3.0, 5.0).reshape(2, 2)


@program(START)
def products(x):
    m = np.matrix(x)
    column = np.asmatrix([[1.0], [3.0]])
    return (m * m)[0, 1] + (m * m.T * column)[1, 0] + (column.T * m * column).item() + (2.0 * m - x / 3)[1, 1]


@program(START)
def powers_and_inverses(x):
    m = np.asmatrix(x)
    return (m**2)[0, 0] + (m**-1)[0, 1] + m.I[1, 0] + np.linalg.det(m) + np.linalg.solve(m, m.T)[1, 0] + m.A1[2]


@program(START)
def reductions(x):
    m = np.matrix(x)
    rows = m.sum(axis=1)[1, 0] * m.mean(0)[0, 1] + np.sum(m, axis=1)[0, 0] + m.var(axis=0)[0, 1]
    return rows + m.sum() + m.max() * m.std() + m.prod() + np.trace(m)


@program(START)
def shapes(x):
    m = np.matrix(x)
    flat = m.ravel()[0, 3] * m.flatten()[0, 2] + m.reshape(1, 4)[0, 1] + m.tolist()[1][0] + m.diagonal()[0, 1]
    joined = np.hstack([m, m])[1, 3] + np.vstack([m, m * m])[3, 1] + np.multiply(m, m)[0, 1] + np.exp(-m)[0, 0]
    return flat * joined + sum((r * r.T)[0, 0] for r in m) + (m[1].A1 @ m[:, 0].A1)


@program(START)
def kalman_filter_with_matrices(x):
    p, h, r = np.matrix(x) * np.matrix(x).T, np.matrix([[1.0, 0.0]]), np.matrix([[0.5]])
    k = p * h.T * np.linalg.inv(h * p * h.T + r)
    z = np.matrix([[1.0], [2.0]])
    z = z + k * (3.0 - h * z)
    p -= k * h * p
    p *= 1.5
    p[0, 1] = z[0, 0] ** 2
    return z[0, 0] * p[1, 1] + z.sum() + p[0].sum()


@program(START)
def sums_of_sparse_matrices(x):
    a = sp.csr_matrix(x * x)
    return a.sum(axis=0)[0, 1] * a.mean(axis=1)[1, 0] + a.todense()[1, 0] + (a.todense() * a.todense())[0, 1]
