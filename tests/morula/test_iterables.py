"""What consumes and makes iterables, by value, order of side effects and gradient; heaps and bisection."""

import bisect
import collections
import functools
import heapq
import itertools
import operator
from collections import deque
from contextlib import contextmanager

import numpy as np
import pytest
from morula_helpers import Programs, verify

import morula

A = np.array
LOG: list = []
program = Programs()


@pytest.mark.parametrize(("f", "args"), program)
def test_program(f, args):
    verify(f, *args, log=LOG)


def said(xs, name):
    """The items of `xs`, each announced when it is asked for."""
    LOG.append(f"{name} starts")
    for i, v in enumerate(xs):
        LOG.append(f"{name}{i}")
        yield v
    LOG.append(f"{name} ends")


def attempts(*fs):
    for f in fs:
        try:
            f()
        except Exception as error:
            LOG.append((type(error).__name__, str(error)))


# -- itertools --------------------------------------------------------------------------------------------


@program(A([1.0, 2.5, -0.5]))
def accumulates(x):
    total = 0.0
    for i, it in enumerate(
        (
            itertools.accumulate(said(x, "a")),
            itertools.accumulate(said(x, "b"), lambda a, b: a * b + 1),
            itertools.accumulate(said(x, "c"), operator.mul, initial=x[1] * 2),
            itertools.accumulate([], initial=x[0]),
            itertools.accumulate([]),
            itertools.accumulate([[x[0]], [x[1]]], operator.add),
        )
    ):
        for v in it:
            LOG.append(i)
            total = total * 1.1 + (v if not isinstance(v, list) else sum(v))
    return total


@program(A([1.0, 2.5, -0.5]))
def chains_and_slices(x):
    a = itertools.chain(said(x, "a"), [3.0], (v * 2 for v in x))
    b = itertools.chain.from_iterable(said([x, [x[0]]], "b"))
    total = next(a) * 2 + sum(itertools.islice(a, 2)) + sum(itertools.islice(a, 1, None, 2))
    total += sum(v * i for i, v in enumerate(b))
    source = said([v for v in x] + [4.0, 5.0, 6.0], "s")
    total += sum(itertools.islice(source, 1, 4, 2)) * 2
    LOG.append("now")
    total += next(source)
    for bounds in ((3,), (None,), (1, None), (0, 5, 3), (2, 2), (5, 3), (None, None, 2), (1, 6, 2), (0,)):
        it = said([x[0], 2.0, x[1], 3.0, x[2], 7.0, 8.0], "t")
        total = total * 1.05 + sum(itertools.islice(it, *bounds))
        total += next(it, 0.5)
    return total


@program(A([1.0, 2.5, -0.5]))
def filters(x):
    def small(v):
        LOG.append("asked")
        return v < 2

    total = 0.0
    for it in (
        itertools.takewhile(small, said(x, "a")),
        itertools.dropwhile(small, said(x, "b")),
        itertools.filterfalse(small, said(x, "c")),
        itertools.filterfalse(None, [0.0, x[0], 0.0]),
        filter(small, said(x, "d")),
        filter(None, [x[0], 0.0, x[1]]),
        itertools.compress(said(x, "e"), said([1, 0, 1, 1], "f")),
        itertools.compress(said(x, "e"), said([1, 1], "f")),
    ):
        for v in it:
            total = total * 1.2 + v
    return total


@program(A([1.0, 2.5, -0.5]))
def counts_and_repeats(x):
    total = 0.0
    for v, c in zip(x, itertools.count(x[1], x[0] * 2), strict=False):
        total = total + v * c
    for c in itertools.islice(itertools.count(step=x[0]), 4):
        total = total + c
    for v in itertools.repeat(x[0] * x[1], 3):
        total = total * 1.1 + v
    for v in itertools.repeat(x[0], times=2):
        total = total * 1.1 + v
    for i, v in zip(range(8), itertools.cycle(said(x, "c")), strict=False):
        total = total + v * i
    LOG.append((list(itertools.repeat(1, -1)), list(itertools.cycle([])), next(itertools.count())))
    return total + sum(map(pow, x[:2], itertools.repeat(2)))


@program(A([1.0, 2.5, -0.5]))
def products_and_choices(x):
    total = 0.0
    for rows in (
        itertools.product(said(x, "a"), said([x[0], 2.0], "b")),
        itertools.product(x[:2], repeat=2),
        itertools.product(),
        itertools.product(x, []),
        itertools.combinations(said(x, "c"), 2),
        itertools.combinations(x, 5),
        itertools.combinations_with_replacement(x, 2),
        itertools.permutations(x),
        itertools.permutations(x, 2),
        itertools.permutations(x, None),
    ):
        LOG.append("made")
        for i, row in enumerate(rows):
            total = total + sum(v * (j + 1) for j, v in enumerate(row)) * (i + 1)
    return total


@program(A([1.0, 2.5]))
def products_are_lazy(x):
    rows = itertools.product([x[0]] * 10, repeat=12)
    return sum(next(rows)) * x[1] + sum(itertools.islice(itertools.chain.from_iterable(rows), 3))


@program(A([1.0, 2.5, -0.5]))
def pairs_and_batches(x):
    total = 0.0
    for a, b in itertools.pairwise(said(x, "a")):
        total = total * 1.1 + a * b
    for a, b in itertools.zip_longest(said(x, "b"), said([x[0], 3.0], "c"), fillvalue=x[1] * 2):
        total = total * 1.1 + a * b
    for row in itertools.zip_longest(x, []):
        LOG.append(row[1])
        total = total + row[0]
    LOG.append(list(itertools.pairwise([1])))
    return total + sum(itertools.starmap(lambda a, b: a * b, zip(x, said(x, "d"), strict=True)))


if hasattr(itertools, "batched"):

    @program(A([1.0, 2.5, -0.5, 2.0, 3.0]))
    def batches(x):
        total = 0.0
        for row in itertools.batched(said(x, "a"), 2):
            total = total * 1.1 + sum(row) * len(row)
        attempts(lambda: itertools.batched(x, 0), lambda: itertools.batched(5, 2))
        return total


@program(A([1.1, 1.5, 2.5, -0.5, 2.2]))
def groups(x):
    total = 0.0
    for k, g in itertools.groupby(said(x, "a"), key=lambda v: int(v)):
        LOG.append(k)
        total = total * 1.1 + sum(g) * (k + 1)
    for k, g in itertools.groupby(said(x, "b"), key=lambda v: v > 1):  # groups that are not read
        LOG.append(k)
        if k:
            total = total + next(g)
    kept = [(k, g) for k, g in itertools.groupby(x, key=lambda v: v > 1)]
    LOG.append([list(g) for _, g in kept])
    for k, g in itertools.groupby([x[0], x[0], x[1]]):
        total = total + k * len(list(g))
    nan = float("nan")
    LOG.append([len(list(g)) for _, g in itertools.groupby([nan, nan, float("nan"), 1.0])])
    return total


@program(A([1.0, 2.5, -0.5]))
def tees(x):
    a, b, c = itertools.tee(said(x, "a"), 3)
    total = next(a) * 2 + next(b) * next(a)
    LOG.append("between")
    d, e = itertools.tee(b)
    total += sum(d) + sum(e) * 2 + sum(a) * 3
    LOG.append(len(itertools.tee([], 0)))
    return total + sum(v * i for i, v in enumerate(c)) + next(a, x[0])


@program(A([1.0, 2.5, -0.5]))
def errors_of_itertools(x):
    attempts(
        lambda: itertools.islice(x, -1),
        lambda: itertools.islice(x, 1, 2, 0),
        lambda: itertools.islice(x, "a"),
        lambda: itertools.islice(x),
        lambda: itertools.combinations(x, -1),
        lambda: itertools.permutations(x, "a"),
        lambda: itertools.repeat(x[0], "a"),
        lambda: itertools.repeat(x[0], wrong=3),
        lambda: itertools.count("a"),
        lambda: itertools.tee(x, -1),
        lambda: itertools.product(x, wrong=3),
        lambda: itertools.chain.from_iterable(5),
        lambda: list(itertools.chain(x, 5)),
        lambda: itertools.accumulate(5),
        lambda: itertools.cycle(5),
        lambda: map(abs, 5),
        lambda: map(abs),
        lambda: filter(None, 5),
        lambda: zip(x, 5, strict=True),
        lambda: zip(x, wrong=5),
        lambda: enumerate(5),
        lambda: enumerate(x, "a"),
        lambda: enumerate(),
        lambda: functools.reduce(operator.add, []),
        lambda: reversed(5),
        lambda: reversed({x[0]}),
        lambda: iter(5),
        lambda: iter(5, 6),
        lambda: next(5),
        lambda: next(x),
        lambda: next(iter([])),
        lambda: sum(5),
        lambda: sum([x[0], "a"]),
        lambda: sum(["a"], ""),
        lambda: sum(x, 1, 2),
        lambda: max(),
        lambda: max([]),
        lambda: min(x[0], x[1], default=3),
        lambda: max(x, wrong=3),
        lambda: sorted(x, lambda v: v),
        lambda: sorted([x[0], "a"]),
        lambda: list(x, x),
        lambda: list(5),
        lambda: tuple(5),
        lambda: any(5),
    )
    return x[0] * 2


@program(A([1.0, 2.5, -0.5]))
def zips(x):
    a, b = said(x, "a"), said([x[1], x[0]], "b")
    total = sum(p * q for p, q in zip(a, b, strict=False))
    LOG.append(list(a))  # zip took one more of the first

    def strict(*sources):
        found = []
        try:
            for row in zip(*sources, strict=True):
                found.append(sum(row))
        except ValueError as error:
            LOG.append(str(error))
        return sum(found)

    total += strict(x, [x[0]]) + strict([x[1]], said(x, "c")) + strict(x, x, said(x[:1], "d")) + strict()
    columns = list(zip(*[(x[0], x[1]), (x[2], 3.0)], strict=True))
    z = zip(x, x, strict=True)
    total += next(z)[0] + sum(dict(z).values())
    return total + columns[0][1] * columns[1][0]


@program(A([1.0, 2.5, -0.5]))
def iterators_created_before_changes(x):
    d = {"a": x[0]}
    m = map(lambda k: d[k], d)
    d["b"] = x[1]
    attempts(lambda: list(m))
    xs = [x[0]]
    it, e, z, r = iter(xs), enumerate(xs), zip(xs, xs, strict=True), reversed(xs)
    c = itertools.chain(xs, xs)
    xs.append(x[1] * 2)
    xs[0] = x[2]
    total = sum(it) + sum(i * v for i, v in e) + sum(a * b for a, b in z) + sum(r) * 3
    xs.append(x[0] * x[1])
    total += next(it, 7.0) + sum(c)  # one that has ended stays so
    q = deque(x)
    it = iter(q)
    q.append(1.0)
    attempts(lambda: next(it), lambda: list(reversed(q)) and None)
    return total


@program(A([1.0, 2.5, -0.5]))
def iterators_of_what_becomes_active(x):
    xs = [0.0] * 6
    its = (
        iter(xs), map(lambda v: v * 2, xs), zip(xs, xs, strict=True), enumerate(xs), filter(lambda v: True, xs),
        itertools.chain(xs), itertools.islice(xs, 1, None), itertools.accumulate(xs), itertools.pairwise(xs),
        itertools.cycle(xs), reversed(xs), itertools.starmap(operator.add, zip(xs, xs, strict=True)),
        itertools.takewhile(lambda v: True, xs), itertools.zip_longest(xs, xs), itertools.compress(xs, xs),
        itertools.tee(xs)[1], (v * 3 for v in xs), heapq.merge(xs), itertools.groupby(xs),
        itertools.dropwhile(bool, xs),
        itertools.filterfalse(lambda v: False, xs), itertools.chain.from_iterable([xs]), xs.__iter__(),
    )  # fmt: skip
    for it in its:
        next(it, None)
    for i in range(6):
        xs[i] = x[i % 3] * (i + 1)
    total = 0.0
    for i, it in enumerate(its):
        v = next(it, 0.5)
        LOG.append(i)
        while isinstance(v, tuple):
            v = v[-1] if isinstance(v[-1], float) else v[0]
        total = total * 1.1 + v
    return total


@program(A([1.0, 2.5, -0.5]))
def iterators_by_their_methods(x):
    d, a, xs = {"a": 0.0, "b": 0.0}, np.zeros(3), [0.0, 0.0]
    values, items, back = d.values().__iter__(), d.items().__iter__(), d.values().__reversed__()
    elements, step = a.__iter__(), xs.__iter__().__next__
    d["a"], d["b"], a[1], xs[0] = x[0] * 2, x[1] * 3, x[2], x[0] * x[1]
    LOG.append((d.items().__len__(), d.values().mapping["a"] == d["a"]))
    total = next(values) + next(items)[1] * 2 + next(back) * 3 + sum(elements) + step() * 5
    return total + sum(x.__iter__()) + d.values().mapping["b"]


@program(A([1.0, 2.5, -0.5]))
def arrays_that_become_active(x):
    a, b = np.zeros(3), np.zeros((2, 2))
    total = 0.0
    for (i,), v in np.ndenumerate(a):
        total = total + v * (i + 1)
        if i < 2:
            a[i + 1] = x[i] * 2
    for index in np.ndindex(b.shape):
        b[index] = x[sum(index)] * (1 + index[0])
    for (i, j), v in np.ndenumerate(b.T):
        total = total + v * (i + 2 * j)
    for v in reversed(a):
        total = total * 1.1 + v
    flat = b.flat
    next(flat)
    b[1, 1] = x[0] * x[1]
    return total + sum(flat) + sum(v for _, v in np.ndenumerate(x[:1]))


def test_nditer_of_what_becomes_active_is_refused():
    def f(x):
        a = np.zeros(3)
        total = 0.0
        for v in np.nditer(a):
            total = total + float(v)
            a[:] = x
        return total

    with pytest.raises(morula.NotDifferentiable, match="nditer"):
        morula.gradient(f, A([1.0, 2.0, 3.0]))

    def g(x):
        a = np.zeros(3)
        with np.nditer(a, op_flags=[["readwrite"]]) as it:
            for v in it:
                v[...] = x[0]
        return a.sum()

    with pytest.raises(morula.NotDifferentiable):
        morula.gradient(g, A([1.0, 2.0, 3.0]))
    verify(lambda x: x[0] * sum(float(v) for v in np.nditer(np.ones(2))), A([1.0, 2.0]))


# -- builtins ---------------------------------------------------------------------------------------------


@program(A([1.0, 2.5, -0.5]))
def maps(x):
    total = sum(map(lambda a, b: a * b, said(x, "a"), said([x[1], x[0]], "b")))
    seen = []

    def stateful(v):
        seen.append(v)
        return sum(seen) * v

    m = map(stateful, said(x, "c"))
    LOG.append("made")
    total += next(m)
    seen[0] = x[1] * 2
    total += sum(m)
    for _ in map(seen.append, x):
        pass
    it = iter(x)
    total += sum(map(lambda _: next(it), range(10)))  # ends when `it` does
    return total + sum(seen) + sum(map(float.__mul__, [float(v) for v in x], [2.0, 3.0, 4.0]))


@program(A([1.0, 2.5, -0.5]))
def extremes(x):
    def key(v):
        LOG.append("key")
        return -v

    total = max(said(x, "a"), key=key) * 2 + min(said(x, "b"), key=key) * 3
    total += max([], default=x[0]) + min(iter(()), default=3.0) + max(x[0], 2.0, x[1]) + min(1.5, x[0])
    best = max([(x[0], "a"), (x[1], "b")])
    low = min({"p": x[0], "q": x[2]}.items(), key=lambda kv: kv[1])
    LOG.append(low[0])
    return total + best[0] * low[1] + max({x[0] * 2, x[1]}) + min(deque(x)) + max([x[0]], [x[1]])[0]


@program(A([1.0, 2.5, -0.5]))
def short_circuits(x):
    def positive(v):
        LOG.append("asked")
        return v > 0

    a, b = said(x, "a"), said(x, "b")
    any(v > 2 for v in a)
    all(positive(v) for v in b)
    rest = sum(a) + sum(b)
    return rest + sum(x) + (any([]) + all([])) * x[0]


@program(A([1.0, 2.5, -0.5]))
def sums(x):
    class Vector:
        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            LOG.append("add")
            return Vector(self.v + other.v)

        def __radd__(self, other):
            LOG.append("radd")
            return Vector(self.v + other)

    total = sum(Vector(v) for v in said(x, "a")).v + sum([Vector(x[0])], Vector(x[1])).v
    total += sum(x, start=x[0] * 2) + sum([[x[0]], [x[1]]], [])[1] + sum([(x[0],), (x[2],)], ())[1]
    total += sum([1, 2, x[0], 3.0, x]).sum() + sum([], x[1]) + sum({"a": x[0]}.values()) + sum([float(x[1]), 2, True])
    attempts(lambda: sum(said([x[0], None, x[1]], "b")))
    total += sum([1.0, float(x[0]), x[1] + 0j, 2.0]).real
    return total + sum([0.1] * 9 + [float(x[0])]) + sum(iter([x[0]] * 3), -1.0)


@program(A([1.0, 2.5, -0.5]))
def sorts(x):
    xs = sorted(said(x, "a"), key=lambda v: (v > 0, -v), reverse=True)
    pairs = sorted([(1, x[0]), (0, x[1]), (1, x[2]), (0, 3.0)], key=operator.itemgetter(0))
    back = sorted([(1, x[0]), (0, x[1]), (1, x[2]), (0, 3.0)], key=operator.itemgetter(0), reverse=True)

    def compare(a, b):
        LOG.append("compare")
        return int(a > b) - int(a < b)

    ordered = sorted(x, key=functools.cmp_to_key(compare))
    ys = list(x)
    ys.sort(key=functools.cmp_to_key(lambda a, b: compare(b, a)))
    total = sum(v * i for i, v in enumerate(xs)) + sum(v * i for i, (_, v) in enumerate(pairs + back))
    return total + ordered[0] * ordered[2] + ys[0] * 3 + sorted({x[0], x[1] * 2})[1] + sorted(deque(x))[0]


@program(A([1.0, 2.5, -0.5]))
def reduces(x):
    total = functools.reduce(lambda a, b: a * b + 1, said(x, "a"))
    total += (
        functools.reduce(operator.mul, x, x[1]) + functools.reduce(max, x) + functools.reduce(operator.add, [], x[0])
    )
    merged = functools.reduce(lambda d, kv: {**d, kv[0]: kv[1]}, [("a", x[0]), ("b", x[1])], {})
    return total + merged["a"] * merged["b"]


@program(A([1.0, 2.5, -0.5]))
def calls_until_a_sentinel(x):
    xs = [x[0] * 2, x[1], 0.0, x[2]]
    total = sum(iter(lambda: xs.pop(0), 0.0))
    LOG.append(len(xs))
    it = iter(x)
    total += sum(iter(lambda: next(it), None))

    class Countdown:
        def __init__(self, v):
            self.v = v

        def __call__(self):
            LOG.append("called")
            self.v = self.v - 1
            return self.v

    c = Countdown(x[1])
    calls = iter(c, x[1] - 2)
    return total + next(calls) * next(calls, 3.0) + next(calls, 4.0) + c.v


class Stairs:
    """The old protocol of iteration."""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, i):
        LOG.append(i)
        if i > 3:
            raise IndexError
        return self.x * i

    def __len__(self):
        return 4


class Down:
    def __init__(self, x):
        self.x = x
        self.n = 3

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        self.x = self.x * 1.5
        return self.x


@program(2.5)
def iterators_of_classes(x):
    s = Stairs(x)
    it = iter(s)
    next(it)
    s.x = x * x
    total = sum(it) + sum(reversed(Stairs(x * 2))) + sum(v * i for i, v in enumerate(Stairs(x))) + 3 * (x * 2 in s)
    d = Down(x)
    total += next(d) + sum(zip(d, [1.0, 2.0], strict=True), ())[0] + next(d, 5.0)

    class Bad:
        def __iter__(self):
            return [1.0]

    attempts(lambda: iter(Bad()), lambda: list(Bad()), lambda: [*Bad()])
    a, *b = Down(x)
    return total + a * sum(b) + max(Down(x)) + dict(enumerate(Down(x)))[1]


@program(A([1.0, 2.5, -0.5]))
def iterators_passed_on(x):
    def take(it, n):
        return [next(it) for _ in range(n)]

    source = iter([v * 2 for v in x] + [5.0, 6.0])
    first = take(source, 2)
    box = {"it": source, "map": map(lambda v: v * v, x)}
    second = take(box["it"], 1)
    total = sum(first) * second[0] + sum(box["map"])
    text = "".join(str(int(v)) for v in source)
    LOG.append(text)
    made = dict(zip("abc", (v * 3 for v in x), strict=True))
    array = np.array(list(v * w for v, w in zip(x, x, strict=True)))
    stacked = np.array([*map(lambda v: v * 2, x)])
    return total + made["b"] * array[0] + stacked.sum()


def test_fromiter():
    for make in (iter, lambda x: (v for v in x), lambda x: map(lambda v: v, x), set, deque):
        verify(lambda x, make=make: (np.fromiter(make(x), float) * np.array([1.0, 3.0])).sum(), A([1.0, 2.0]))


def test_arrays_of_bytes_take_no_active_values():
    import array

    with pytest.raises(morula.NotDifferentiable):
        morula.gradient(lambda x: array.array("d", [x])[0], 1.0)

    def written(x):
        a = array.array("d", [1.0, 2.0])
        a.append(x)
        return a[2]

    with pytest.raises(morula.NotDifferentiable):
        morula.gradient(written, 1.0)

    def stored(x):
        a = array.array("d", [1.0, 2.0])
        a[0] = x
        return a[0]

    with pytest.raises(morula.NotDifferentiable):
        morula.gradient(stored, 1.0)


# -- generators -------------------------------------------------------------------------------------------


@program(A([1.0, 2.5]))
def generators_that_talk(x):
    def average(v):
        total, n = v, 1
        try:
            while True:
                got = yield total / n
                if got is None:
                    return total * 2
                total, n = total + got, n + 1
        except ValueError as error:
            LOG.append(str(error))
            yield total * 3
        finally:
            LOG.append("closed")

    def outer():
        result = yield from average(x[0])
        LOG.append("inner done")
        other = yield from [x[1], 2.0]
        return result * x[1] if other is None else 0.0

    g = outer()
    total = next(g) + g.send(x[1]) + g.send(x[0] * 3)
    total += next(g) + next(g)
    try:
        next(g)
    except StopIteration as stop:
        total += stop.value
    h = average(x[1])
    next(h)
    total += h.throw(ValueError("thrown"))
    h.close()
    k = average(x[0])
    attempts(lambda: k.send(1.0), lambda: next(k), lambda: k.throw(KeyError("k")), lambda: next(k))
    return total


@program(A([1.0, 2.5]))
def managers_made_of_generators(x):
    @contextmanager
    def scaled(v):
        LOG.append("enter")
        try:
            yield v * 2
        except ValueError as error:
            LOG.append(str(error))
        finally:
            LOG.append("exit")

    total = 0.0
    with scaled(x[0]) as a, scaled(x[1]) as b:
        total = a * b
    with scaled(x[0]) as c:
        total += c
        raise ValueError("inside")
    return total


@program(A([1.0, 2.5]))
def generators_advanced_by_others(x):
    state = [0.0]

    def grow():
        while True:
            state[0] = state[0] + x[0]
            yield state[0] * x[1]

    g = grow()
    total = next(g)
    rows = list(zip(range(3), g, strict=False))
    total += rows[2][1] + sum(itertools.islice(g, 2))
    total += dict(zip("ab", g, strict=False))["b"]
    last = collections.deque(itertools.islice(g, 5), maxlen=1)
    g.close()
    LOG.append(list(g))
    return total + last.pop() * state[0]


# -- heaps ------------------------------------------------------------------------------------------------


@program(A([3.0, 1.0, 2.5, -0.5, 7.0, 0.25]))
def heaps(x):
    h = [v * 2 for v in x]
    heapq.heapify(h)
    LOG.append([int(v * 4) for v in h])
    heapq.heappush(h, x[0] * x[2])
    total = heapq.heappop(h) * 3 + heapq.heapreplace(h, x[1] * 5.5) * 2 + heapq.heappushpop(h, x[4])
    total += heapq.heappushpop(h, x[3] * 9)
    LOG.append([int(v * 4) for v in h])
    total += sum(v * i for i, v in enumerate(h))
    for n in (0, 1, 2, 4, 9):
        total += sum(v * (i + 1) for i, v in enumerate(heapq.nlargest(n, x)))
        total += sum(v * (i + 2) for i, v in enumerate(heapq.nsmallest(n, said(x, "s"), key=lambda v: -v * v)))
    merged = heapq.merge(sorted(x), [x[1] * 2, x[0] * 2], said([0.0, 9.0], "m"))
    total += next(merged) * 2
    for i, v in enumerate(merged):
        total += v * i
    for v in heapq.merge(sorted(x, reverse=True), [x[0], x[1] * 1.5], reverse=True):
        total = total * 1.01 + v
    for v in heapq.merge(sorted(x, key=abs), [x[1] * 2, x[0] * 2], key=abs):
        total = total * 1.01 + v
    return total


@program(A([3.0, 1.0, 2.5, -0.5]))
def heaps_of_tuples_and_objects(x):
    class Job:
        def __init__(self, priority, v):
            self.priority, self.v = priority, v

        def __lt__(self, other):
            LOG.append((self.priority, other.priority))
            return self.priority < other.priority

    h: list = []
    for i, v in enumerate(x):
        heapq.heappush(h, (i % 2, -i, v * 2))
    jobs = [Job((i * 7) % 4, v) for i, v in enumerate([*x, *(x * 2)])]
    heapq.heapify(jobs)
    total = 0.0
    while h:
        total = total * 1.2 + heapq.heappop(h)[2]
    total += heapq.heapreplace(jobs, Job(2, x[0] * x[1])).v + heapq.heappushpop(jobs, Job(0, x[2])).v
    while jobs:
        total = total * 1.1 + heapq.heappop(jobs).v
    return total + heapq.nsmallest(2, [Job(3, x[0]), Job(1, x[1]), Job(2, x[2])])[1].v


@program(A([3.0, 1.0]))
def errors_of_heaps(x):
    attempts(
        lambda: heapq.heappop([]),
        lambda: heapq.heapreplace([], x[0]),
        lambda: heapq.heappush([x[0]], "a"),
        lambda: heapq.heapify([x[0], "a"]),
        lambda: bisect.bisect([x[0]], x[1], -1),
        lambda: bisect.bisect([x[0]], "a"),
    )
    return heapq.heappushpop([], x[0]) * x[1]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 40])
def test_heaps_have_the_layout_of_c(n):
    rng = np.random.default_rng(n)

    def f(x, order):
        h = [(int(k), i) for i, k in enumerate(order)]  # many ties on the first item
        heapq.heapify(h)
        layouts = [list(h)]
        for i, k in enumerate(order[::-1]):
            heapq.heappush(h, (int(k), -i))
            if i % 3 == 0:
                heapq.heappop(h)
            layouts.append(list(h))
        f.layouts = layouts
        return x * len(h)

    order = rng.integers(0, 5, n)
    f(1.0, order)
    plain = f.layouts
    morula.gradient(f, 1.0, order)
    assert f.layouts == plain


@program(A([3.0, 1.0, 2.5, -0.5]))
def bisection(x):
    xs = sorted(v * 1.0 for v in x)
    LOG.append([bisect.bisect(xs, v) for v in (0.0, 2.0, 9.0)] + [bisect.bisect_left(xs, x[1], 1, 3)])

    def key(v):
        LOG.append("key")
        return -v

    bisect.insort(xs, x[0] * 0.7)
    bisect.insort_left(xs, x[1] * 2)
    ys = sorted(x, key=key)
    bisect.insort(ys, x[2] * 0.3, key=key)
    bisect.insort_left(ys, x[3] * 3, 0, None, key=key)
    i = bisect.bisect_right(ys, -x[1], key=key) + bisect.bisect_left(ys, -2.0, lo=1, hi=4, key=key)
    return sum(v * k for k, v in enumerate(xs)) + sum(v * (k + 1) for k, v in enumerate(ys)) * i


@program(A([3.0, 1.0, 2.5, -0.5]))
def a_priority_queue_that_becomes_active_late(x):
    h = [0.5, 4.0]
    heapq.heapify(h)
    total = 0.0
    for v in x:
        total = total * 1.5 + heapq.heappop(h)
        heapq.heappush(h, v * 2 + total)
    return total + sum(h)
