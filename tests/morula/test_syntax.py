"""One small program for each feature of the language: value, side effects and gradient as plainly run.

Programs append to `LOG` what shall happen in the same order and as often under differentiation.
"""

# ruff: noqa: B023, C406, C408, C416, E501, E741, F821, RUF060
import contextlib
import dataclasses
import enum
import functools
import itertools
import math
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest
from morula_helpers import verify

LOG: list = []
SCALE = 1.5
TABLE = {"k": 2.0, "a": np.array([1.0, 2.0, 3.0])}
PROGRAMS = []


def say(*what):
    LOG.extend(what)
    return what[-1]


def program(*args, fd=True):
    """Register a program with the arguments of a check; several decorators, several checks."""

    def register(f):
        PROGRAMS.append(pytest.param(f, args, fd, id=f"{f.__name__}-{len(PROGRAMS)}"))
        return f

    return register


def A(*values):
    return np.array(values, dtype=float)


# -- operators ----------


@program(2.0, 3.0)
@program(A(1, 2, 3), A(4, 5, 6))
@program(2.5, A(4, 5, 6))
def arithmetic(a, b):
    y = a + b - a * b / (a + 1) + -a + +b + (a**2 + 2**b) * 1e-1 + a % 0.7 + b // 2.1
    return np.sum(y)


@program(A(1, 2, 3), A(4, 5, 6))
def matrix_products(a, b):
    return a @ b + np.outer(a, b)[0] @ b


@program(2.0, 3)
def bits_and_integers(x, n):
    m = (n << 2 | 1) & 0xFF ^ 3
    m >>= 1
    return x * m + ~n * x + (n % 2) * x


@program(2.0)
def booleans(x):
    a = x > 1 and x < 3
    b = not a or x != 7.0
    c = x is not None and x not in (2.5, 3.0) and "k" not in ()
    return x * (a + b + c)


@program(2.0)
@program(-2.0)
def short_circuit(x):
    y = (say("left", x > 0) and say("right", x * 2)) or say("else", x * 3)
    z = (say("a", 0.0) or say("b", x)) and say("c", x * x)
    return y * z


@program(2.0)
@program(0.0)
@program(7.0)
def chained_comparison(x):
    if say("low", 1.0) < say("middle", x) <= say("high", 5.0):
        return x * x
    return x * 3


@program(3.0)
@program(-3.0)
def ternary(x):
    return (x * 2 if say("test", x > 0) else x * 5) + (lambda v: v if v > 0 else -v)(x)


@program(1.5)
def order_of_evaluation(x):
    def f(*args, **kwargs):
        return sum(args) + sum(kwargs.values())

    d = {say("key", "a"): say("value", x), say("key2", "b"): say("value2", 2 * x)}
    y = f(say("1", x), *[say("2", x)], say("3", 2.0), k=say("4", x), **{"m": say("5", d["a"])})
    t = [0.0, 0.0]
    t[say("index", 1)] = say("assigned", y)
    return t[1] * d["b"] + (say("left", x) - say("right", y)) * 2


@program(1.5)
def augmented(x):
    x += 1
    x -= 0.5
    x *= x
    x /= 3
    x **= 2
    y = [x]
    y += [x * 2]
    y *= 2
    n = 7
    n //= 2
    n <<= 1
    return sum(y) * n + x % 5


@program(A(1, 2, 3))
def augmented_targets(x):
    class Box:
        pass

    box = Box()
    box.v = x[0]
    box.v += x[1] * 2
    d = {"a": x[2]}
    d["a"] *= d["a"]
    y = np.zeros(3)
    y[say("once", 1)] += x[0]
    y[1:] -= x[1:]
    return box.v * d["a"] + (y**2).sum()


@program(A(1, 2, 3, 4))
def slices(x):
    s = slice(1, 3)
    y = x[s] * x[:2] + x[-2:] + x[::2] + x[::-1][:2]
    m = x.reshape(2, 2)
    return (
        y.sum() + m[:, 1].sum() * m[0, ...].sum() + m[..., None].sum() + x[np.array([True, False, True, False])].sum()
    )


@program(1.5)
def f_strings(x):
    name = "x"
    text = f"{name}={x:.3f} {x!r:<30} {'nested ' + f'{x * 2:.1f}'} {{}}"
    LOG.append(text)
    return x * len(text)


@program(2.0)
def walrus(x):
    if (y := x * 2) > 3 and (z := y + 1):
        return y * z
    return y


@program(A(1, 2, 3))
def walrus_in_comprehension(x):
    total = 0.0
    values = [total := total + v for v in x]
    return sum(values) * total


# -- control flow ----------


@program(1.0)
@program(-1.0)
@program(5.0)
def if_elif_else(x):
    if x > 3:
        y = x * 2
    elif x > 0:
        y = x**2
    else:
        y = -x
        if x < -0.5:
            return y * 3
    return y + x


@program(2.0, 5)
def for_range(x, n):
    y = 1.0
    for i in range(1, n, 2):
        y = y * x + i
    for _ in range(0):
        y = 1e9
    return y


@program(2.0)
def for_else(x):
    y = x
    for i in range(10):
        if i == 2:
            continue
        if i == 5:
            break
        y += x * i
        LOG.append(i)
    else:
        y *= 100
    for i in range(2):
        y += i * x
    else:
        y *= 2
    return y


@program(10.0)
def while_else(x):
    n = 0
    while x > 1:
        n += 1
        if n == 2:
            x *= 0.7
            continue
        x /= 2
        LOG.append(n)
    else:
        x = x * 10
    while True:
        x += 1
        if x > 8:
            break
    else:
        x = 1e9
    return x * n


@program(A(1, 2, 3))
def nested_loops(x):
    s = 0.0
    for i in range(3):
        for j in range(3):
            if j > i:
                break
            for k, v in enumerate(x):
                if (i + j + k) % 2:
                    continue
                s += v * x[i] * (j + 1)
    return s


@program(A(1, 2, 3), [2.0, 3.0], (4.0, 5.0), {"a": 6.0, "b": 7.0})
def loops_over_everything(x, xs, t, d):
    s = 0.0
    for v in x:
        s += v * v
    for v in xs:
        s *= v
    for i, v in enumerate(t, start=1):
        s += i * v
    for k in d:
        s += d[k] * len(k)
    for k, v in d.items():
        s += v * (2 if k == "a" else 3)
    for a, b in zip(x, xs, strict=False):
        s += a * b
    for v in reversed(xs):
        s = s / 2 + v
    for v in map(lambda a, b: a * b, x, t):
        s += v
    for v in filter(lambda v: v > 1.5, x):
        s += v**2
    for a, (b, *c) in zip(xs, [(x[0], x[1], x[2]), (x[2], x[0])], strict=True):
        s += a * b + sum(c)
    for v in sorted(x, reverse=True):
        s = s * 0.5 + v
    for row in np.outer(x, x):
        s += row[0] * row.sum()
    for text in "ab":
        LOG.append(text)
    return s


@program(A(3, 1, 2))
def builtin_functions(x):
    xs = list(x)
    y = max(xs) + 2 * min(xs) + sum(xs, 1.0) + abs(-xs[0]) + pow(xs[1], 2) + round(xs[2]) + max(xs, key=lambda v: -v)
    q, r = divmod(xs[0] * 2.5, 2.0)
    s = sorted(xs, key=lambda v: -v)
    y += q + r + s[0] * 3 + s[1] * s[2] + float(xs[0]) + complex(xs[1], xs[2]).imag
    LOG.append(any(v > 2 for v in xs))
    LOG.append(all(v > 2 for v in xs))
    LOG.append((len(xs), isinstance(x, np.ndarray), type(xs[0]) is np.float64, bool(xs[0])))
    t = tuple(reversed(xs))
    return y + t[0] * max(1.5, xs[1]) + min(xs[0], 2.2, xs[2]) + next(iter(xs)) + math.fsum(xs) + math.prod(xs)


@program(2.0, 4)
def recursion(x, n):
    if n == 0:
        return 1.0
    return x * recursion(x, n - 1) + n


@program(2.0)
def mutual_recursion(x):
    def even(x, n):
        return x if n == 0 else odd(x * 1.1, n - 1)

    def odd(x, n):
        return -x if n == 0 else even(x + 1, n - 1)

    return even(x, 5)


# -- functions ----------


def signature(a, /, b, c=10.0, *args, d, e=2.0, **kwargs):
    return a + 2 * b + 3 * c + sum(args) * 4 + 5 * d + 6 * e + 7 * sum(kwargs.values())


@program(2.0)
def arguments_of_every_kind(x):
    rest = (x, x * x)
    return (
        signature(x, 1.0, d=x)
        * signature(x, b=x, d=1.0, z=x)
        * signature(1.0, x, x, *rest, d=x, **{"e": x, "q": x})
        / signature(*rest, d=x)
    )


@program(2.0)
def defaults_are_evaluated_once(x):
    def f(a, seen=[], k=say("default", 3.0), *, m=say("keyword default", 2.0)):  # noqa: B006, B008
        seen.append(1)
        return a * k * m * len(seen)

    return f(x) + f(x) + f(x, k=x)


@program(2.0)
def active_defaults(x):
    def f(a, b=x * 2, *, c=x**2):
        return a * b + c

    x = 100.0
    return f(1.0) + f(2.0, 3.0) + (lambda v=x: v)()


@program(2.0)
def closures_and_nonlocal(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * x
        return add

    add(1.0)(x)(x * x)
    x = x * 3
    add(1.0)
    return total


@program(2.0)
def counter_of_closures(x):
    def make(start):
        value = start

        def step(by):
            nonlocal value
            value *= by
            return value

        def read():
            return value

        return step, read

    step, read = make(x)
    other, _ = make(3.0)
    return step(x) + step(2.0) * other(x) + read()


@program(2.0)
def late_binding(x):
    fs = [lambda v: v * i for i in range(3)]
    gs = [lambda v, i=i: v * i for i in range(3)]
    return sum(f(x) for f in fs) + sum(g(x) ** 2 for g in gs)


@program(2.0)
def closure_over_an_active_loop_variable(x):
    fs = []
    for v in [x, x * 2, x * 3]:
        fs.append(lambda: v * v)
    return sum(f() for f in fs)


@program(2.0)
def lambdas_on_one_line(x):
    f, g, h = lambda a: a * 2, lambda a: a**2, lambda a: (lambda b: b * a)(a + 1)
    return f(x) + g(x) * h(x) + (lambda: x)() + (lambda a, b: a - b)(x, 1) + (lambda *a: sum(a))(x, x)


@program(2.0)
def higher_order_functions(x):
    def compose(*fs):
        return functools.reduce(lambda f, g: lambda v: g(f(v)), fs)

    def twice(f):
        return lambda v: f(f(v))

    return compose(math.sin, lambda v: v * x, twice(math.exp), abs)(x * 0.1)


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        LOG.append(f.__name__)
        return f(*args, **kwargs) * 2

    return wrapper


def repeat(n):
    def decorate(f):
        def wrapper(x):
            for _ in range(n):
                x = f(x)
            return x

        return wrapper

    return decorate


@logged
def decorated_once(x):
    return x * x


@repeat(3)
@logged
def decorated_twice(x):
    return x + 1


@program(2.0)
def decorators(x):
    @repeat(2)
    def local(v):
        return v * x

    @functools.lru_cache
    def cached(n):
        LOG.append("cached")
        return n * 2.0

    return decorated_once(x) + decorated_twice(x) * local(x) + cached(3) + cached(3)


@program(2.0)
def partial_functions(x):
    f = functools.partial(signature, x, d=x)
    return f(1.0) * f(x, e=x) + functools.partial(f, 3.0)()


@program(2.0)
def global_reads(x):
    return x * SCALE * TABLE["k"] * TABLE["a"][1]


@program(2.0)
def imports_inside(x):
    import math as m
    from math import exp
    from math import sin as sine

    import numpy.linalg as la

    return m.cos(x) + sine(x) * exp(x) + la.norm(np.array([x, 2 * x]))


def imported_value():
    from math import pi

    return pi


@program(2.0)
def imported_names_as_values(x):
    import math as m
    from math import e
    from math import pi as p

    def inner():
        from math import tau

        return tau * x

    k, z = m, e
    values = [e, x, inner]
    t = (imported_value(), p, k)
    return t[0] * t[2].pi * z * x + values[0] * values[2]()


@program(2.0)
def definitions_as_values(x):
    class C:
        k = 2.0

    def inner(v):
        return v * x

    q, r = C, [inner, lambda v: v + x]
    return q.k * r[0](x) + r[1](q().k)


@program(2.0)
def locals_and_del(x):
    y = x * 2
    LOG.append(sorted(locals()))
    z = locals()["y"] * 3 if "z" not in locals() else 0.0
    del y
    LOG.append("y" in locals())
    try:
        LOG.append(y)
    except UnboundLocalError as error:
        LOG.append(type(error).__name__)
    d = {"a": z, "b": x}
    del d["a"]
    xs = [x, z, x * x]
    del xs[0]
    return sum(d.values()) + xs[0] * xs[1]


@program(2.0)
def annotations(x: float) -> float:
    y: float = x * 2
    z: list[float] = [y]
    w: int
    w = 3
    return z[0] * w


@program(2.0)
def names_that_look_like_ours(x):
    x_d = 3.0
    ctx, t1, t1_d = x * 2, x * 3, "t"
    y = ctx * t1 * len(t1_d)
    y_d = y * x_d
    return y_d + x


@program(2.0)
def private_names(x):
    class Box:
        def __init__(self, v):
            self.__v = v

        def get(self):
            return self.__v * 2

    return Box(x).get()


# -- comprehensions and generators ----------


@program(A(1, 2, 3))
def comprehensions(x):
    a = [v * w for v in x for w in x if w > v]
    b = {i: v for i, v in enumerate(x) if i != 1}
    c = {round(float(v)) for v in x}
    d = sum(v * i for i, v in enumerate(x))
    e = [[v * u for u in x[: i + 1]] for i, v in enumerate(x)]
    return sum(a) + sum(b.values()) * len(c) + d + sum(sum(r) for r in e)


@program(A(1, 2, 3))
def comprehensions_with_lambdas(x):
    fs = [[lambda v=v: v * w for w in x] for v in x]
    gs = [(lambda k: [k * u for u in x])(i) for i in range(2)]
    hs = {i: (lambda: x[i] * 2) for i in range(3)}
    return sum(f() for r in fs for f in r) + sum(map(sum, gs)) + sum(h() for h in hs.values())


@program(A(1, 2, 3))
def comprehension_scopes(x):
    v = x[0]
    y = [v * 2 for v in x]
    return v * sum(y)


@program(A(1, 2, 3))
def generator_expressions(x):
    g = (say(i) * v for i, v in enumerate(x))
    first = next(g)
    LOG.append("between")
    x = x * 100
    return first + sum(g) + next(iter(()), 5.0) + max(v for v in x)


@program(A(1, 2, 3))
def generators(x):
    def numbers():
        LOG.append("start")
        for i in range(len(x)):
            yield x[i] * i
        LOG.append("end")
        return x[0] * 7

    def delegating():
        last = yield from numbers()
        yield last * 2
        yield from (v for v in x)
        yield from [x[1], 1.0]

    s = 0.0
    for i, v in enumerate(delegating()):
        s += v * (i + 1)
    return s + sum(numbers()) + list(numbers())[2]


@program(2.0)
def generator_send(x):
    def averager():
        total, count, mean = 0.0, 0, None
        while True:
            value = yield mean
            if value is None:
                return
            total += value
            count += 1
            mean = total / count

    g = averager()
    next(g)
    y = g.send(x) + g.send(x * x) * 2
    try:
        g.send(None)
    except StopIteration:
        LOG.append("stopped")
    return y


@program(2.0)
def generator_return_value(x):
    def g():
        yield x
        return x * 5

    it = g()
    y = next(it)
    try:
        next(it)
    except StopIteration as stop:
        y += stop.value
    return y


@program(2.0)
def generator_throw_and_close(x):
    def g():
        y = x
        try:
            while True:
                try:
                    y = yield y * 2
                except KeyError:
                    y = x * x
        finally:
            LOG.append("closed")

    it = g()
    a = next(it)
    b = it.send(x * 3)
    c = it.throw(KeyError("k"))
    it.close()
    return a + b * c


@program(A(1, 2, 3))
def generator_left_early(x):
    def g():
        try:
            for v in x:
                yield v * v
        finally:
            LOG.append("cleanup")

    s = 0.0
    it = g()
    for v in it:
        s += v
        if s > 2:
            break
    it.close()
    return s


@program(A(1, 2, 3))
def infinite_generator(x):
    def powers(v):
        p = 1.0
        while True:
            yield p
            p = p * v

    return sum(itertools.islice(powers(x[1]), 5)) + sum(p * v for p, v in zip(powers(x[2]), x, strict=False))


class Countdown:
    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.x = self.x * 1.5
        return self.x


class Steps:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield self.x
        yield self.x * 2

    def __len__(self):
        return 2

    def __contains__(self, v):
        return v == self.x

    def __getitem__(self, i):
        if i >= 3:
            raise IndexError
        return self.x * i


@program(2.0)
def user_iterators(x):
    s = 0.0
    for v in Countdown(x, 3):
        s += v
    a, b = Steps(x)
    LOG.append((len(Steps(x)), x in Steps(x)))
    return s + a * b + sum(Countdown(x, 2)) + sum(Steps(x)) + max(Countdown(x, 2)) + Steps(x)[2] + next(Countdown(x, 1))


# -- unpacking ----------


@program(A(1, 2, 3, 4), (5.0, (6.0, 7.0)))
def unpacking(x, t):
    a, b, *rest = x
    (c, (d, e)), f = t, a * b
    *most, last = [a, b, c]
    [g, h] = d, e
    i = j = f * 2
    k, l = l_and_k = (i, j * 2)
    first, *nothing = (g,)
    LOG.append((len(rest), len(most), nothing))
    a, b = b, a
    return a + 2 * b + sum(rest) * c + d * last + g * h + k * l + l_and_k[1] + first


@program(A(1, 2, 3))
def unpacking_into_targets(x):
    class Box:
        pass

    box, xs, d = Box(), [0.0, 0.0], {}
    box.a, xs[0], d["k"], *box.rest = x[0], x[1], x[2], x[0] * 2
    for box.b, (xs[1], d["m"]) in [(x[0] * x[1], (x[2], 3.0))]:
        pass
    return box.a * xs[0] * d["k"] + sum(box.rest) + box.b * xs[1] * d["m"]


@program(2.0)
def displays(x):
    a = [x, *[x * 2, 3.0], *(x,)]
    b = (*a, x)
    c = {"a": x, **{"b": x * 2, "c": 1.0}, "a": x * 3}  # noqa: F601
    d = {1, *[2, 3]}
    return sum(a) * sum(b) + sum(c.values()) * len(d)


# -- containers ----------


@program(A(1.1, 2.3, 3.7))
def list_methods(x):
    xs = [x[0]]
    xs.append(x[1])
    xs.extend([x[2], 4.0])
    xs.insert(1, x[0] * 2)
    last = xs.pop()
    second = xs.pop(1)
    xs.reverse()
    ys = xs.copy() + [second] * 2
    ys.sort(key=lambda v: -v)
    xs[0:2] = [last * x[1]]
    ys.remove(x[0])
    LOG.append((len(xs), len(ys), xs.index(x[0]), ys.count(second)))
    zs = ys[1:] + ys[::-1]
    zs.clear()
    return sum(v * i for i, v in enumerate(xs, 1)) + sum(v * i for i, v in enumerate(ys, 1)) * last


@program(A(1, 2, 3))
def dict_methods(x):
    d = {"a": x[0], "b": x[1]}
    d.update(c=x[2])
    d.update({"d": x[0] * x[1]})
    d |= {"e": x[2] * 2}
    e = d | {"a": 1.0}
    got = d.get("a", 5.0) + d.get("zz", x[1]) + d.setdefault("f", x[2]) + d.setdefault("a", 9.0)
    popped = d.pop("b") * d.pop("nothing", x[0])
    key, value = d.popitem()
    LOG.append((key, list(d), len(e), "a" in d))
    f = dict(p=x[0], q=2.0)
    g = dict(zip("rs", x, strict=False))
    h = dict([("t", x[1])])
    copied = d.copy()
    d.clear()
    everything = [*e.values(), *copied.values(), *f.values(), *g.values(), *h.values()]
    return got * popped + value + sum(v * (i + 1) for i, v in enumerate(everything))


@program(A(1, 2, 3))
def collections_of_the_library(x):
    d = defaultdict(list)
    d["a"].append(x[0])
    d["a"].append(x[1])
    d["b"].append(x[2])
    n = defaultdict(float)
    for k, v in zip("aba", x, strict=True):
        n[k] += v * v
    o = OrderedDict([("z", x[0]), ("y", x[1])])
    return sum(d["a"]) * d["b"][0] + n["a"] * n["b"] + o["z"] * sum(o.values())


@program(A(1, 2, 3))
def itertools_functions(x):
    s = sum(a * b for a, b in itertools.pairwise(x))
    s += sum(a * b for a, b in itertools.combinations(x, 2))
    s += sum(v * i for i, v in enumerate(itertools.chain(x, [x[0], 2.0])))
    s += sum(v * i for i, v in enumerate(itertools.accumulate(x)))
    s += sum(v * n for v, n in zip(itertools.repeat(x[0]), range(3), strict=False))
    s += sum(itertools.starmap(lambda a, b: a * b, zip(x, x, strict=True)))
    return s + sum(itertools.takewhile(lambda v: v < 2.5, x))


class Pair(NamedTuple):
    a: Any
    b: Any = 2.0

    def product(self):
        return self.a * self.b


Triple = namedtuple("Triple", "x y z", defaults=(5.0,))


@program(2.0)
def named_tuples(x):
    p = Pair(x, x * 3)
    q = p._replace(a=x * x)
    t = Triple(x, y=x * 2)
    a, b = q
    return p.product() + q.a * q[1] + a * b + t.x * t.y * t.z + Pair(b=x, a=1.0).b + sum(t) + Pair(x).product()


@program((1.0, (2.0, 3.0)), [4.0, {"k": [5.0]}])
def nested_containers(t, xs):
    a, (b, c) = t
    xs[1]["k"].append(a * b)
    xs[1]["new"] = [c, (xs[0],)]
    return sum(xs[1]["k"]) * xs[1]["new"][1][0] + c


# -- classes ----------


class Vector:
    def __init__(self, *values):
        self.values = list(values)

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(*[a + b for a, b in zip(self.values, other.values, strict=True)])

    def __radd__(self, other):
        LOG.append("radd")
        return Vector(*[other + v for v in self.values])

    def __mul__(self, other):
        return Vector(*[v * other for v in self.values])

    __rmul__ = __mul__

    def __rsub__(self, other):
        return Vector(*[other - v for v in self.values])

    def __rtruediv__(self, other):
        return Vector(*[other / v for v in self.values])

    def __rpow__(self, other):
        return Vector(*[other**v for v in self.values])

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.values, other.values, strict=True))

    def __iadd__(self, other):
        LOG.append("iadd")
        for i, v in enumerate(other.values):
            self.values[i] += v
        return self

    def __neg__(self):
        return self * -1.0

    def __abs__(self):
        return math.sqrt(self @ self)

    def __getitem__(self, i):
        return self.values[i]

    def __setitem__(self, i, v):
        self.values[i] = v

    def __delitem__(self, i):
        del self.values[i]

    def __len__(self):
        return len(self.values)

    def __bool__(self):
        LOG.append("bool")
        return True

    def __eq__(self, other):
        return self.values == other.values

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __call__(self, x):
        return self.values[0] * x

    def __contains__(self, v):
        return v in self.values

    __hash__ = None


@program(2.0, 3.0)
def user_operators(x, y):
    v, w = Vector(x, y), Vector(y, x * y)
    u = v + w * 2 + 3 * v + -v
    u += w
    z = 1.0 + v
    s = 10.0 - v
    r = 2.0 / v
    p = 2.0**v
    LOG.append((v == w, v < w, v > w, v != w, x in v, not v))
    u[0] = u[1] * x
    del z[0]
    return v @ w + abs(u) + z[0] + v(x) + len(u) * s[0] + r[1] + p[0] + sum(t for t in u.values)


@program(2.0)
def operator_errors(x):
    try:
        return Vector(x) + "text"
    except TypeError as error:
        LOG.append(str(error))
    return x * 2


class Meters:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        LOG.append("add")
        return NotImplemented


class Feet:
    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        LOG.append("radd")
        return Meters(other.v + self.v * 0.3)


class BetterMeters(Meters):
    def __radd__(self, other):
        LOG.append("subclass first")
        return Meters(self.v * other.v)


@program(2.0, 3.0)
def reflected_operators(x, y):
    return (Meters(x) + Feet(y)).v + (Meters(x) + BetterMeters(y)).v


class Base:
    count = 0

    def __init__(self, x):
        self.x = x

    @property
    def double(self):
        return self.x * 2

    @double.setter
    def double(self, value):
        LOG.append("setter")
        self.x = value / 2

    @double.deleter
    def double(self):
        LOG.append("deleter")
        self.x = 0.0

    @functools.cached_property
    def expensive(self):
        LOG.append("computed")
        return self.x**3

    @classmethod
    def make(cls, x):
        return cls(x * 3)

    @staticmethod
    def helper(x):
        return x + 1

    def area(self):
        return self.x**2

    def both(self):
        return self.area() + self.helper(self.x)


class Derived(Base):
    def __init__(self, x, k):
        super().__init__(x * k)
        self.k = k

    def area(self):
        return super().area() * self.k

    @property
    def double(self):
        return super().double * 10


class Mixin:
    def area(self):
        LOG.append("mixin")
        return super().area() + 1


class Diamond(Mixin, Derived):
    pass


@program(2.0, 3.0)
def methods_and_properties(x, k):
    b = Base(x)
    b.double = b.double * k
    c = Base.make(x)
    d = Derived(x, k)
    e = Diamond(x, k)
    m = d.area
    y = b.both() + c.area() + d.both() + e.both() + m() + d.double + Base.area(d) + b.expensive * b.expensive
    del c.double
    d.extra = x
    setattr(d, "more", x * 2)  # noqa: B010
    LOG.append((hasattr(d, "extra"), hasattr(d, "none"), isinstance(e, Base), issubclass(Diamond, Mixin)))
    y += getattr(d, "extra") * getattr(d, "missing", k) + d.more + c.x  # noqa: B009
    return y


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a
        self.b = a * 2


class Dynamic:
    def __init__(self, x):
        self.data = {"x": x}

    def __getattr__(self, name):
        try:
            return self.data[name] * 2
        except KeyError:
            raise AttributeError(name) from None


class Typed:
    """A descriptor."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, o, owner):
        return self if o is None else getattr(o, self.name) * 10

    def __set__(self, o, value):
        setattr(o, self.name, value + 1)


class Described:
    v = Typed()

    def __init__(self, v):
        self.v = v


class Watched:
    def __setattr__(self, name, value):
        LOG.append(name)
        super().__setattr__(name, value)


@program(2.0)
def attributes_of_every_kind(x):
    s = Slots(x)
    s.b *= s.a
    w = Watched()
    w.x = x * 3
    return s.a + s.b + Dynamic(x).x + Described(x).v + w.x + getattr(Dynamic(x), "none", x)


@program(2.0)
def classes_made_inside(x):
    class Local:
        shared = 2.0

        def __init__(self, v):
            self.v = v * x

        def get(self):
            return self.v + self.shared

    class Child(Local):
        def get(self):
            return super().get() * 2

    o = type("Made", (), {"m": lambda self, v: v * 3})()
    return Local(x).get() + Child(1.0).get() + o.m(x)


@dataclasses.dataclass
class Data:
    a: Any
    b: Any = 2.0
    items: list = dataclasses.field(default_factory=list)
    total: Any = dataclasses.field(init=False, default=0.0)

    def __post_init__(self):
        LOG.append("post init")
        self.total = self.a * self.b


@dataclasses.dataclass(frozen=True)
class FrozenData:
    a: Any
    b: Any = 3.0

    @property
    def product(self):
        return self.a * self.b


@dataclasses.dataclass(slots=True, kw_only=True)
class SlottedData:
    a: Any
    b: Any = 1.0


@dataclasses.dataclass
class ChildData(Data):
    c: Any = 4.0


@program(2.0)
def dataclass_objects(x):
    d = Data(x, b=x * 2)
    d.items.append(x)
    e = dataclasses.replace(FrozenData(x), b=x * x)
    f = SlottedData(a=x)
    g = ChildData(x, 1.0, c=x**2)
    LOG.append((Data(1.0) == Data(1.0), len(Data(1.0).items)))
    try:
        e.a = 1.0
    except dataclasses.FrozenInstanceError:
        LOG.append("frozen")
    return d.total + d.items[0] + e.product + f.a * f.b + g.c * g.total + dataclasses.astuple(FrozenData(x))[0]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@program(2.0, Colour.RED)
def enums(x, colour):
    return x * 2 if colour is Colour.RED else x * 3


class Model:
    """Objects as arguments, written to."""

    def __init__(self, w, b):
        self.w, self.b = w, b
        self.cache = None

    def __call__(self, x):
        self.cache = np.tanh(self.w @ x + self.b)
        return self.cache


@program(np.array([[0.1, 0.2], [0.3, 0.4]]), A(0.5, 0.6), A(1, 2))
def objects_with_state(w, b, x):
    layers = [Model(w, b), Model(w.T, b * 2)]
    for layer in layers:
        x = layer(x)
    return (x * layers[0].cache).sum()


# -- exceptions and context managers ----------


class Own(Exception):
    def __init__(self, value, note="n"):
        super().__init__(value, note)
        self.value = value


@program(2.0)
@program(-2.0)
def try_everything(x):
    y = x
    try:
        LOG.append("try")
        y = math.log(x) * x
    except (ValueError, KeyError) as error:
        LOG.append(type(error).__name__)
        y = x * 3
    except ArithmeticError:
        y = 1e9
    else:
        LOG.append("else")
        y += x
    finally:
        LOG.append("finally")
        y = y * 2
    return y + x * x


@program(2.0)
def return_from_finally(x):
    def f(v):
        try:
            return say("value", v * 2)
        finally:
            LOG.append("finally")

    def g(v):
        for i in range(5):
            try:
                if i == 2:
                    return v * i
                continue
            finally:
                v = v * 1.5
                LOG.append(i)
        return 0.0

    def h(v):
        while True:
            try:
                v += 1
                if v > 5:
                    break
            finally:
                v *= 1.1
        return v

    return f(x) + g(x) + h(x)


@program(2.0)
def exceptions_carry_values(x):
    def f(v):
        raise Own(v * 2)

    try:
        f(x)
    except Own as error:
        y = error.value + error.args[0]
    return y * x


@program(2.0)
def raise_from_and_reraise(x):
    y = x
    try:
        try:
            y *= 2
            {}["k"]
        except KeyError as error:
            y += x
            raise Own(y) from error
    except Own as error:
        LOG.append(type(error.__cause__).__name__)
        y = error.value * x
    try:
        try:
            raise ValueError("v")
        except ValueError:
            y += 1
            raise
    except ValueError as error:
        LOG.append(str(error))
        y *= 3
    try:
        raise Own
    except TypeError:
        y += x
    return y


@program(2.0)
def nested_handlers(x):
    total = 0.0
    for i in range(4):
        try:
            try:
                total += x * i
                if i == 1:
                    raise KeyError(i)
                if i == 2:
                    raise ValueError(i)
                if i == 3:
                    break
            except KeyError:
                total *= x
                continue
            finally:
                total += 1
        except ValueError as error:
            total += x**2 * error.args[0]
        else:
            LOG.append("else")
    return total


@program(2.0)
def assertions(x):
    assert x > 0, "positive"
    try:
        assert x < 0, say("message", f"{x} is not negative")
    except AssertionError as error:
        LOG.append(str(error).splitlines()[0])
        return x * 2
    return 0.0


@program(A(1, 2, 3))
def errors_half_way(x):
    xs = []
    try:
        for v in x:
            xs.append(v * 2)
            if len(xs) == 2:
                xs[7]
    except IndexError:
        pass
    return sum(xs) * x[0]


@program(A(1, -1, 3))
def exception_groups(x):
    def f(v):
        if v < 0:
            raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
        return v * 2

    s = 0.0
    for v in x:
        try:
            s += f(v)
        except* ValueError:
            s += x[0] * 10
        except* TypeError as group:
            s *= len(group.exceptions) * 2
    return s


class Scaled:
    def __init__(self, k, swallow=False):
        self.k, self.swallow = k, swallow

    def __enter__(self):
        LOG.append("enter")
        return self.k * 2

    def __exit__(self, kind, error, tb):
        LOG.append(kind.__name__ if kind else "exit")
        return self.swallow


@contextlib.contextmanager
def scope(v):
    LOG.append("in")
    try:
        yield v * 3
    except KeyError:
        LOG.append("caught")
    finally:
        LOG.append("out")


@program(2.0)
def context_managers(x):
    y = 0.0
    with Scaled(x) as k:
        y += k * x
    with Scaled(x, True) as k, Scaled(k) as m:
        y += m
        raise ValueError
    with scope(x) as s:
        y += s
        raise KeyError
    with scope(y) as (s), contextlib.suppress(ZeroDivisionError), np.errstate(divide="ignore"):
        y = s + x
        1 // 0  # noqa: B018
    with contextlib.ExitStack() as stack:
        y += stack.enter_context(scope(x))
    with contextlib.nullcontext(x) as n:
        y *= n
    return y


@program(2.0)
def return_inside_with(x):
    def f(v):
        with Scaled(v) as k:
            for i in range(3):
                with scope(k) as s:
                    if i == 1:
                        return s * v
        return 0.0

    return f(x)


# -- match ----------


class Shape:
    __match_args__ = ("w", "h")

    def __init__(self, w, h):
        self.w, self.h = w, h


def area(shape):
    match shape:
        case None:
            return 0.0
        case "unit" | "one":
            return 1.0
        case Colour.RED:
            return 5.0
        case bool():
            return 9.0
        case int(n) if n > 10:
            return n * 1.0
        case float(r) | int(r):
            return 3.0 * r**2
        case []:
            return 0.5
        case [x]:
            return x
        case [x, (y, *_), *rest] if len(rest) > 0:
            return x * y + sum(rest)
        case [x, y]:
            return x - y
        case {"r": r, "kind": "circle" as kind, **others}:
            LOG.append((kind, len(others)))
            return r**2 + sum(others.values())
        case {"r": r}:
            return r
        case Shape(0.0, h=h):
            return h * 100
        case Shape(w, h=h) if w > h:
            return w * h * 2
        case Shape(w=w, h=h) as s:
            return w * h + s.w
        case Pair(a, b):
            return a * b
        case _:
            return -1.0


@program(2.0, 3.0)
def matches(x, y):
    cases = [
        None, "unit", "one", Colour.RED, True, 12, 3, x, [], [x], [x, (y, 1.0), x * y, 2.0], (x, y),
        {"r": x, "kind": "circle", "more": y}, {"r": y}, Shape(0.0, x), Shape(y, x), Shape(x, y), Pair(x, y),
        {"other": x}, "else", Colour.BLUE,
    ]  # fmt: skip
    total = 0.0
    for i, case in enumerate(cases):
        value = area(case)
        LOG.append(i)
        total += value * (i + 1)
    return total


@program(A(1, 2, 3))
def match_of_arrays_and_fallthrough(x):
    y = 0.0
    match x.shape:
        case (3,):
            y += x.sum()
        case (n, m):
            y += n * m
    match float(x[1] > 1), x[2]:
        case 1.0, z:
            y *= z
    match x[0] > 100:
        case True:
            y = 0.0
    return y


# -- numpy as it is used ----------


@program(A(0.1, 0.2, 0.3))
def array_building(x):
    a = np.array([x[0], 2.0, x[1] * x[2]])
    b = np.array([[x[0], x[1]], [x[2], 1.0]])
    c = np.stack([x, x * 2])
    d = np.concatenate([x, [x[0]], np.zeros(2)])
    e = np.asarray(list(x)) + np.full(3, 2.0) * x[1]
    f = np.array([r for r in c])
    g = np.zeros_like(x) + np.ones(3) * x
    h = np.array((x, x))
    k = np.array([1, x[0]])
    return sum(v.sum() * i for i, v in enumerate([a, b, c, d, e, f, g, h, k], 1)) + np.linalg.det(b)


@program(A(1, 2, 3))
def array_methods(x):
    m = np.outer(x, x).reshape(3, 3)
    return (
        m.T.sum(axis=0).max() + m.mean() + m.ravel()[3] + m.diagonal().prod() + x.cumsum()[1] + x.dot(x) + m.flatten()[5]
        + x.copy().min() + m.trace() + x.astype(np.float64).std() + m.swapaxes(0, 1)[0, 1] + x.clip(1.5, 2.5).sum()
        + x.repeat(2).var() + m.squeeze().transpose(1, 0)[2, 1] + x.item(1) + sum(x.tolist()) + m.T.real[0, 1]
    )  # fmt: skip


@program(A(0.5, 1.5, 2.5))
def array_functions(x):
    y = np.where(x > 1, np.sin(x), x**2) + np.maximum(x, 1.0) * np.minimum(x, 2.0)
    y = np.exp(-y) + np.log1p(x) / np.sqrt(x) + np.tanh(x) * np.arctan(x)
    z = np.einsum("i,j->ij", x, y) + np.tile(x, (3, 1)) + np.diag(y)
    return np.mean(z, axis=0) @ np.roll(x, 1) + np.linalg.norm(z) + np.diff(x).sum() + np.tensordot(z, z)


@program(A(0.5, 1.5), 3)
def integration_loop(p, n):
    """A Runge-Kutta loop that writes rows, as a scientist would write it."""
    y = np.empty((n + 1, 2))
    y[0] = p[0], 1.0

    def f(y):
        return np.array([y[1], -p[1] * math.sin(y[0])])

    h = 0.1
    for i in range(n):
        k1 = f(y[i])
        k2 = f(y[i] + h / 2 * k1)
        k3 = f(y[i] + h / 2 * k2)
        k4 = f(y[i] + h * k3)
        y[i + 1] = y[i] + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return (y[1:, 0] ** 2).sum()


@pytest.mark.parametrize(("f", "args", "fd"), PROGRAMS)
def test_program(f, args, fd):
    verify(f, *args, log=LOG, fd=fd)
