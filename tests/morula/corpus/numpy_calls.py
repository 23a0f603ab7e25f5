"""Other functions of NumPy, with keywords, lists and results of several parts."""

import numpy as np

from corpus import MATRIX, OTHER, SQUARE, THREE, VECTOR, Programs, X, Y

program = Programs()


@program(VECTOR)
def sum_by_keyword(a):
    return np.sum(a=a * a)


@program(VECTOR, OTHER)
def dot_by_keywords(a, b):
    return np.dot(a=a, b=b)


@program(VECTOR)
def clip_by_keywords(a):
    return np.clip(a, a_min=0.5 * a[0], a_max=1.0).sum()


@program(X, Y)
def where_of_a_list(x, y):
    return np.where(np.array([True, False]), [x, y], 0.5 * x).sum()


@program(X, VECTOR)
def array_of_rows(x, a):
    return (np.array([a * x, a]) * np.arange(8.0).reshape(2, 4)).sum()


@program(MATRIX)
def array_of_scaled_rows(m):
    return np.array([r * i for i, r in enumerate(m)]).sum()


@program(X)
def append_in_a_loop(x):
    r = np.array([])
    for i in range(3):
        r = np.append(r, x * i)
    return (r * r).sum()


@program(X)
def fromiter_of_constants(x):
    return np.fromiter((i * 2.0 for i in range(3)), float).sum() * x


@program(VECTOR)
def unique(a):
    return np.unique(a)[0]


@program(VECTOR)
def bincount(a):
    return (np.bincount([0, 0, 1, 2], weights=a) ** 2).sum()


@program(VECTOR)
def divmod_modf_frexp(a):
    _s, r = np.divmod(a, 0.3)
    i, _f = np.modf(a)[::-1]
    m, _e = np.frexp(a)
    return r.sum() + i.sum() + m.sum()


@program(VECTOR)
def polyfit(a):
    q = np.polyfit(np.arange(4.0), a, 1)
    return q[0]


@program(SQUARE)
def linear_algebra(s):
    w, _v = np.linalg.eigh(s + s.T)
    _q, r = np.linalg.qr(s)
    return (
        w[0] * w[2]
        + abs(r[0, 0])
        + np.linalg.svd(s)[1].sum()
        + np.linalg.slogdet(s)[1]
        + np.linalg.inv(s)[0, 0]
        + np.linalg.solve(s, s[0])[1]
        + np.linalg.cholesky(s @ s.T + np.eye(3))[1, 0]
        + np.linalg.pinv(s)[0, 1]
        + np.linalg.matrix_power(s, 3)[0, 1]
        + np.linalg.det(s)
        + np.linalg.lstsq(s, s[0] * 2, rcond=None)[0][1]
        + np.linalg.multi_dot([s, s, s])[0, 1]
        + np.linalg.norm(s, 2)
        + np.linalg.cond(s)
    )


@program(THREE)
def resize(x):
    return np.resize(x, 5) @ np.arange(5.0)


@program(THREE)
def ufunc_reduceat(x):
    return np.add.reduceat(x, [0, 2])[0] * 2


@program(THREE)
def ufunc_dtype(x):
    return np.multiply(x, 2.0, dtype=np.float64).sum()


@program(THREE)
def meshgrid(x):
    a, b = np.meshgrid(x, x * 2)
    return (a * b * b).sum()


@program(VECTOR)
def ufunc_of_a_python_function(a):
    product = np.frompyfunc(lambda t, u: t * u + a[1], 2, 1)
    parts = np.frompyfunc(lambda t: (t * t, t + 1.0), 1, 2)
    squares, more = parts(a.astype(object))
    smooth = product.accumulate(a.astype(object)).astype(float)
    table = product(a[:, None], product.outer(a[:2], a[0])[1]).astype(float)
    return (squares * more).sum() + (smooth * table).sum() + product.reduce(a, dtype=object) * product(a[0], 2.0)


@program(VECTOR)
def vectorized_over_objects(a):
    things = np.array([a[0], a[1], 2.0], dtype=object)
    pairs = np.vectorize(lambda t: [t, t * t], otypes=[object])(a)
    squares, _ = np.vectorize(lambda t: (t * t, str(t)[:1]), otypes=[float, object])(things)
    return np.vectorize(lambda t, u: t * u, otypes="O")(things, a[1:]).sum() * squares[1] + sum(q for _, q in pairs)


@program(VECTOR)
def bins_that_numpy_counts(a):
    sample = np.concatenate([a, 2 * a, a**2])
    edges = [np.histogram(sample, rule)[1] for rule in ("auto", "fd")]
    density, _ = np.histogram(sample, "sturges", density=True)
    return sum((e**2).sum() for e in edges) + (density**2).sum() + np.histogram_bin_edges(sample, "sqrt")[1]


@program(VECTOR)
def truth_of_numbers(a):
    kept = np.where(a, a**2, 3.0) * np.where(a - a[1], a, 2.0)
    return kept.sum() + np.extract(a, a**3)[1] * np.compress(a - a[0], a).sum()


@program(VECTOR, X)
def joined_with_displays(a, x):
    ends = np.concatenate(([1, 2], a, [x, 3.0], (0.5,)))
    more = np.hstack((x, a[:2] * x, 4, [a[1], 2]))
    return (ends[2:] * ends[:-2]).sum() * (more[1:] ** 2 - more[:-1]).sum()


@program(SQUARE, VECTOR)
def constant_operands_by_keyword(m, a):
    solved = np.linalg.solve(m, b=np.ones(len(m))).sum() * np.linalg.solve(a=m.T, b=np.eye(len(m)))[0, 1]
    return solved + np.dot(a, b=np.arange(4.0)) * np.kron(a[:2], b=[1.0, 3.0]).sum() + np.convolve(a, v=[1.0, 2.0])[1]


@program(SQUARE, X)
def active_operands_by_keyword(m, x):
    there = m > m[0, 0]
    sums = m.sum(axis=0, initial=x) * np.prod(m, axis=1, initial=x) * np.add.reduce(m, initial=x * x, where=there)
    ends = np.max(m, axis=0, initial=x, where=there) * m.min(axis=1, initial=-x) + np.nansum(m, initial=x)
    clip = np.clip if np.lib.NumpyVersion(np.__version__) >= "2.1.0" else np.ndarray.clip
    cut = clip(m, min=-x / 3, max=x / 2) * m.clip(max=x / 4) @ m.dot(b=m)
    there = there | np.eye(3, dtype=bool)
    spread = np.var(m, axis=0, mean=x * np.ones((1, 3)), ddof=0.5, where=there)
    spread = spread * m.std(mean=m.mean(keepdims=True) * x)
    edges = np.pad(m, ((1, 0), (0, 2)), constant_values=((x, 1.0), (2.0, x * x)))
    ramps = np.pad(m[0], 2, "linear_ramp", end_values=(x, x**3))
    return (sums * ends + spread).sum() + (cut**2).sum() + (edges**2).sum() * (ramps**2).sum()


@program(VECTOR, X)
def interpolated_at_chebyshev_points(a, x):
    series = np.polynomial.Chebyshev.interpolate(lambda t: np.exp(x * t) * a[1], 4)
    return series(0.3) + np.polynomial.chebyshev.chebinterpolate(lambda t, k: np.sin(k * t), 5, (x,))[3] * a[0]


@program(THREE)
def old_series_of_series(c):
    inner = np.poly1d([c[0], 1.0])
    quotient, rest = np.polydiv(np.poly1d(c), inner)
    total = np.polyadd(np.poly1d(c), [1.0, 2.0]) * np.polymul(inner, inner) - np.polysub([c[1]], inner)
    slope = np.polyder(np.poly1d(c)) + np.polyint(inner, 2)
    return np.sum(np.poly1d(c)(inner)) + np.polyval(c, inner)(0.3) + (quotient + rest + total + slope)(0.7)


@program(THREE, 0.4)
def series_of_series(c, y):
    p = np.polynomial.Polynomial(c, domain=[0.0, 2.0])
    q = np.polynomial.Chebyshev(c)
    return p(p)(y) + q(q(0.1 * q) * y)(y) + p(np.polynomial.Polynomial([y, 1.0]))(0.2)


@program(VECTOR)
def masks_of_the_same_shape(v):
    m = np.ma.masked_greater(v, 1.2)
    w = v * 1.0
    w.shape = w.shape
    return (m**2).sum() * w[1] + m.std()


@program(VECTOR, X)
def everything_by_keyword(a, x):
    z = complex(real=x, imag=a[0]) * complex(imag=a[1]) + complex(1.0, imag=x)
    rows = np.array(object=[a[0], x * a[1]], dtype=float) * np.asarray(a=(a[2], x), dtype=float)
    padded = np.pad(array=a, pad_width=(1, 2), mode="wrap") * np.pad(a, mode="constant", pad_width=(0, 3))
    line = np.polynomial.polynomial.polyline(x, scl=2.0) * np.polynomial.legendre.legline(off=1.0, scl=x)
    return abs(z) ** 2 + (rows**2).sum() + np.asanyarray(a=padded).sum() * line.sum()


@program(X, Y)
def one_object_from_vectorize(x, y):
    coefficients = np.vectorize(lambda a, b: (a * b, a + b), otypes=[np.ndarray], excluded=[1])
    k, alpha = np.array(coefficients(x, y).tolist())
    made = np.vectorize(lambda a: {"a": a * y}, otypes=[object])(x)
    rows = np.vectorize(lambda a: np.array([a, a * x]), otypes=[object])
    return k**alpha * made.item()["a"] + np.sum(rows(y).tolist()) * rows([x, y])[1][0]


@program(VECTOR)
def one_function_in_many_ways(v):
    out = np.zeros(len(v))
    total = 0.0
    for w in (v, v[::-1], np.abs(v - 1.5), 2.0):
        total += np.sum(w) + np.sum([w, w]) + np.sum((np.sum(w), 2.0)) + np.mean(a=w) + np.mean(w, axis=None)
        np.add(w, v, out)
        total += out.sum() + out.sum(keepdims=True)[0] + np.max(w) * np.min([v, out]) + np.abs(out, out=out)[0]
        total += np.where(out > 1.0, w, v).mean() + np.hypot(w, v).sum() + np.abs(np.sum(w)) + np.fmin(w, 1.2).sum()
        out = np.stack([out, v])[0]
    return total


@program(X, Y)
def ranges_by_keyword(x, y):
    up_to = np.arange(stop=4.0 * y, step=x)
    return (up_to**2).sum() + np.arange(x, stop=3.0 * y, dtype=float).sum() + np.arange(x, 5.0, step=y)[1:].prod()


@program(X)
def elements_of_objects_chosen(x):
    o = np.array([x, None, x * x, "b"], object)
    chosen = np.where([True, False, False, True], o, x * 3.0)
    filled = np.where(o == None, 2.0, o)  # noqa: E711
    return chosen[0] * chosen[1] + sum(filled[:3]) * chosen[2] + (filled[3] == "b") * x


@program(MATRIX)
def extremes_of_masked_rows(m):
    a = np.ma.array(m * 1.0, mask=np.arange(m.size).reshape(m.shape) % 3 == 1)
    b = np.ma.array(m * m, mask=np.arange(m.size).reshape(m.shape) < m.shape[1])
    return (
        a.max(axis=1).sum() * a.min(axis=0).filled(2.0).sum()
        + np.ma.ptp(a, axis=1)[0]
        + b.max(axis=1, fill_value=-9.0).sum()
    )
