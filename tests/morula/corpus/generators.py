"""Generators: sending, throwing, delegating, laziness, what they write."""

import math

from corpus import LOG, NUMBERS, THREE, VECTOR, Programs, X, floats

program = Programs()


@program(X)
def stopiteration_value(x):
    def g():
        yield 1
        return x * x

    it = g()
    next(it)
    try:
        next(it)
    except StopIteration as e:
        return e.value


@program(X)
def stopiteration_value_after_send(x):
    def g():
        yield 1
        return x * x

    it = g()
    it.send(None)
    try:
        it.send(None)
    except StopIteration as e:
        return e.value


@program(X)
def finally_after_break(x):
    tot = [0.0]

    def g():
        try:
            yield x
            yield (2 * x)
        finally:
            tot[0] += x * x

    for v in g():  # noqa: B007
        break
    return v * tot[0]


@program(VECTOR)
def generator_that_writes(a):
    y = a * 1.0

    def g():
        for i in range(4):
            yield y[i]
            y[i] = y[i - 1] * 2

    s = 0.0
    for v in g():
        s += v * v
        y[0] += v
    return s + (y * y).sum()


@program(VECTOR)
def two_generators(a):
    def g(k):
        acc = 0.0
        for v in a:
            acc += v * k
            yield acc

    s = 0.0
    for u, v in zip(g(1.0), g(a[0])):
        s += u * v
    it = g(2.0)
    next(it)
    s += next(it)
    s += sum(it)
    return s


@program(X)
def send(x):
    def g():
        t = 0.0
        while True:
            v = yield t
            if v is None:
                return
            t += v * v

    it = g()
    next(it)
    it.send(x)
    r = it.send(x * x)
    try:
        it.send(None)
    except StopIteration:
        pass
    return r


@program(X)
def throw(x):
    def g():
        try:
            yield x
        except ValueError as e:
            yield (e.args[0] * x)
        finally:
            LOG.append("f")

    it = g()
    a = next(it)
    b = it.throw(ValueError(x * 3))
    it.close()
    return a * b


@program(X)
def yield_from(x):
    def inner():
        r = yield x
        yield (x * x)
        return x * 3

    def outer():
        v = yield from inner()
        yield v
        yield from (x * i for i in range(3))
        yield from [x, 2.0]
        w = yield from [v]

    return sum((v * (i + 1) for i, v in enumerate(outer())))


@program(X)
def generators_stored(x):
    gs = [(x * i * j for j in range(3)) for i in range(3)]
    d = {"g": gs[2]}
    return next(gs[1]) + next(d["g"]) + sum(gs[2]) + sum(map(sum, gs))


@program(X)
def expression_sees_rebinding(x):
    k = 1.0
    g = (k * i for i in range(4))
    k = x
    return sum(g)


@program(X)
def expression_sees_list_change(x):
    xs = [1.0, 2.0]
    g = (v * v for v in xs)
    xs[0] = x
    xs.append(x * x)
    return sum(g)


@program(X)
def nonlocal_in_a_generator(x):
    t = 0.0

    def g():
        nonlocal t
        for i in range(3):
            t = t + x * i
            yield t

    r = sum(g())
    return r * t


@program(X)
def generators_of_generators(x):
    def nat():
        v = x
        while True:
            yield v
            v = v * 1.1

    def take(n, it):
        for _, v in zip(range(n), it):
            yield v

    def sq(it):
        for v in it:
            yield (v * v)

    it = nat()
    a = list(take(2, sq(it)))
    b = next(it)
    return sum(a) * b


@program(NUMBERS)
def nested_expressions(xs):
    return sum(a * b for a in xs for b in (a * c for c in xs) if b > 0)


@program(X)
def generator_that_raises(x):
    def g():
        try:
            yield x
            raise ValueError(x * x)
        finally:
            LOG.append("fin")

    r = 0.0
    try:
        for v in g():
            r += v
    except ValueError as e:
        r += e.args[0]
    return r


@program(X)
def value_of_yield_from(x):
    def g():
        yield x
        return x * x

    def h():
        r = yield from g()
        return r * 2

    it = h()
    a = next(it)
    try:
        next(it)
    except StopIteration as e:
        return a * e.value


@program(X)
def lambda_that_yields(x):
    g = lambda: (yield (x * 2))
    return next(g())


@program(THREE)
def generator_pipeline(x):
    def src():
        for v in x:  # noqa: UP028
            yield v

    def sq(it):
        for v in it:
            yield v * v

    def acc(it):
        s = 0.0
        for v in it:
            s += v
            yield s

    return sum(acc(sq(src()))) * max(sq(src()))


@program(THREE)
def generator_class(x):
    class Tree:
        def __init__(self, v, xs=None, r=None):
            self.v, self.l, self.r = v, xs, r

        def __iter__(self):
            if self.l:
                yield from self.l
            yield self.v
            if self.r:
                yield from self.r

    t = Tree(x[0], Tree(x[1]), Tree(x[2], Tree(x[0] * x[1])))
    return sum(v * (i + 1) for i, v in enumerate(t))


@program(THREE)
def generator_try(x):
    def g():
        try:
            yield x[0]
            yield x[1] * math.log(-1)
        except ValueError:
            yield x[2] * 5
        finally:
            pass

    return sum(v * (i + 1) for i, v in enumerate(g()))


@program(THREE)
def list_of_generators(x):
    gs = [(v * k for v in x) for k in range(3)]
    return sum(next(g) for g in gs) + sum(sum(g) for g in gs)


@program(floats(3), want=floats(17))
def generator_over_a_changing_array(x):
    def gen(a):
        for i in range(3):
            yield a[0] * (i + 1)

    s = 0.0
    for v in gen(x):
        s += v
        x[0] *= 2
    return s
