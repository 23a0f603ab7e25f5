"""Iterators, `itertools`, sorting, sums and extremes."""

import functools
import itertools
import operator

import numpy as np

from corpus import MATRIX, NUMBERS, THREE, VECTOR, Programs, X, Y

program = Programs()


@program(X)
def enumerate_a_written_array(x):
    buf = np.zeros(4)
    buf[0] = 1.0
    for i, v in enumerate(buf):
        if i + 1 < 4:
            buf[i + 1] = v + x
    return buf[3]


@program(X)
def loop_over_a_written_array(x):
    buf = np.zeros(4)
    s = 0.0
    i = 0
    for v in buf:
        s = s + v
        i += 1  # noqa: SIM113
        if i < 4:
            buf[i] = x * i
    return s


@program(X)
def loop_over_written_rows(x):
    buf = np.zeros((4, 2))
    s = 0.0
    i = 0
    for v in buf:
        s = s + v.sum()
        i += 1  # noqa: SIM113
        if i < 4:
            buf[i] = x * i
    return s


@program(X)
def zip_with_a_written_array(x):
    buf = np.zeros(4)
    s = 0.0
    for i, v in zip(range(4), buf):
        s = s + v
        if i < 3:
            buf[i + 1] = x * i + v
    return s


@program(X)
def rows_written_ahead(x):
    b = np.zeros((3, 2))
    s = 0.0
    for i, r in enumerate(b):
        s = s + r.sum()
        if i < 2:
            b[i + 1] = x * i + x
    return s


@program(X)
def iterator_made_before_the_write(x):
    b = np.zeros(3)
    m = iter(b)
    b[1] = x
    next(m)
    return next(m) * 2


@program(X)
def reversed_before_the_write(x):
    xs = [1.0, 2.0]
    m = reversed(xs)
    xs[0] = x
    next(m)
    return next(m) * 2


@program(X)
def enumerate_before_the_write(x):
    xs = [1.0, 2.0]
    m = enumerate(xs)
    xs[0] = x
    return next(m)[1] * 2


@program(X)
def map_and_zip_before_the_write(x):
    xs = [1.0, 2.0]
    m = map(lambda v: v * 2, xs)  # noqa: C417
    xs[0] = x
    z = zip(xs, xs)
    xs[1] = x * x
    return sum(m) + sum((a * b for a, b in z))


@program(THREE)
def elements_added_ahead(x):
    y = x * 1.0
    s = 0.0
    for i, v in enumerate(y):
        if i < 2:
            y[i + 1] += v * 2
        s += v
    return s


@program(THREE)
def rows_added_ahead(x):
    m = np.outer(x, x)
    s = 0.0
    for i, r in enumerate(m):
        if i < 2:
            m[i + 1] += r
        s += r.sum() * (i + 1)
    return s


@program(np.arange(6.0).reshape(2, 3) + 1, want=8 * (np.arange(6.0).reshape(2, 3) + 1))
def rows_scaled_in_a_loop(X):
    for r in X:
        r *= 2
    return (X**2).sum()


@program(THREE)
def reversed_array(x):
    return sum(v * (i + 1) for i, v in enumerate(reversed(x)))


@program(THREE)
def iter_callable(x):
    it = iter(x)
    vals = [v * 2 for v in it]
    n = [0]

    def step():
        n[0] += 1
        return x[0] * n[0] if n[0] < 4 else None

    return sum(vals) + sum(iter(step, None))


@program(THREE)
def ndenumerate(x):
    return sum(v * (i + 1) for (i,), v in np.ndenumerate(x))


@program(THREE, in_one_piece=True)
def nditer(x):
    return sum(float(v) * 2 for v in np.nditer(x))


@program(THREE, refused="numpy.nditer was given active values")
def nditer_write(x):
    y = x * 1.0
    with np.nditer(y, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = v * 2
    return (y**2).sum()


@program(NUMBERS)
def many_of_itertools(xs):
    s = 0.0
    for a, b in itertools.combinations(xs, 2):
        s += a * b
    for a, b in itertools.product(xs, repeat=2):
        s += a * b * b
    for a, b in itertools.pairwise(xs):
        s += a * b
    for a, b in itertools.zip_longest(xs, xs[:2], fillvalue=xs[0]):
        s += a * b
    for v in itertools.islice(itertools.cycle(xs), 1, 7, 2):
        s += v * v
    for v in itertools.accumulate(xs, operator.mul, initial=xs[2]):
        s += v
    for v in itertools.chain(xs, [2.0], *[[xs[0]]]):
        s += v * v
    for v in itertools.takewhile(lambda v: v > 0, xs):
        s += v * v
    for v in itertools.dropwhile(lambda v: v > 0, xs):
        s += v * v
    for v in itertools.starmap(pow, [(abs(v), 2) for v in xs]):
        s += v
    for v in itertools.compress(xs, [1, 0, 1]):
        s += v * v
    for v in itertools.filterfalse(lambda v: v > 1, xs):
        s += v * v
    return s + functools.reduce(operator.mul, xs, xs[0]) + functools.reduce(lambda a, b: a * b + a, xs)


@program(THREE)
def groupby(x):
    return sum(sum(g) * k for k, g in itertools.groupby(x, key=lambda v: 1 if v < 1.5 else 2))


@program(THREE)
def zip_longest(x):
    return sum(a * b for a, b in itertools.zip_longest(x, x[:1], fillvalue=x[1]))


@program(THREE)
def tee(x):
    a, b = itertools.tee(v * 2 for v in x)
    return sum(a) * sum(b)


@program(THREE)
def cycle(x):
    return sum(v * (i + 1) for i, v in zip(range(5), itertools.cycle(x)))


@program(THREE)
def count_compress(x):
    return (
        sum(itertools.compress(x, [1, 0, 1]))
        + sum(v * n for v, n in zip(x, itertools.count(2)))
        + sum(itertools.chain.from_iterable([[x[0]], x]))
    )


@program(THREE)
def dropwhile_filterfalse(x):
    return (
        sum(itertools.dropwhile(lambda v: v < 1.5, x))
        + sum(itertools.filterfalse(lambda v: v < 1.5, x)) * 3
        + sum(filter(None, [x[0], 0.0, x[1]]))
    )


@program(THREE)
def permutations(x):
    return (
        sum(a * b * b for a, b in itertools.permutations(x, 2))
        + sum(a * b for a, b in itertools.combinations_with_replacement(x, 2))
        + sum(a * b for a, b in itertools.product(x, repeat=2))
    )


@program(THREE)
def accumulate_fn(x):
    return sum(itertools.accumulate(x, lambda a, b: a * b, initial=x[0])) + sum(itertools.accumulate(x, max))


@program(THREE)
def reduce_initial(x):
    return functools.reduce(lambda a, b: a * b + x[0], x, x[1]) + functools.reduce(operator.add, [x, x * 2])[0]


@program(NUMBERS)
def sorted_and_extremes_by_key(xs):
    s = sorted(xs, key=lambda v: -v)
    xs.sort(reverse=True)
    m = min(xs, key=abs)
    M_ = max(xs, key=lambda v: (v > 0, -v))
    return s[0] * 3 + xs[1] * s[2] + m * M_ + max(*xs) + min(*xs, 0.0) + max([], default=xs[0])


@program(X)
def sorted_by_comparison(x):
    def cmp(a, b):
        return (a > b) - (a < b)

    xs = sorted([x, x * x, 0.5], key=functools.cmp_to_key(cmp))
    ys = [x, 0.1, x + 2]
    ys.sort(key=functools.cmp_to_key(lambda a, b: -1 if a > b else 1))
    return xs[0] * 2 + xs[1] * 3 + xs[2] * 5 + ys[0] * 7 + max([x, 0.2], key=functools.cmp_to_key(cmp))


@program(X)
def key_that_logs(x):
    log = []

    def key(v):
        log.append(v * 2)
        return -v

    a = sorted([x, x * x], key=key)
    b = max([x, x * x], key=key)
    return a[0] * b + sum(log)


@program(X, Y, VECTOR)
def extremes_of_all_kinds(x, y, a):
    return (
        max(a)
        + min(a[1:])
        + max(x, y, 1.0)
        + min([x, y], key=lambda v: -v)
        + max((x, "a"), (y, "b"))[0]
        + max(a, key=abs)
    )


@program(THREE)
def min_max_default(x):
    return (
        max([], default=x[0]) * min([x[1], x[2]], default=0.0)
        + max(x, default=1.0)
        + min((v for v in x), key=lambda v: -v)
    )


@program(X, VECTOR)
def sums_with_start(x, a):
    return sum([x, x], x) + sum(a, start=x) + sum([[x], [x]], [])[1] + sum(((x,), (2.0,)), ())[0]  # noqa: RUF017


@program(THREE)
def sum_of_arrays(x):
    return sum([x, x * 2, np.ones(3)]).sum() + sum(np.outer(x, x)).sum() + sum([[x[0]], [x[1]]], [])[1]  # noqa: RUF017


@program(THREE)
def any_that_logs(x):
    log = []
    ok = any(log.append(v) or v > 1.5 for v in x)
    return sum(log) * (2 if ok else 3)


@program(MATRIX)
def lists_of_an_array(m):
    xs = m.tolist()
    return xs[0][1] * xs[2][3] + sum(map(sum, xs))
