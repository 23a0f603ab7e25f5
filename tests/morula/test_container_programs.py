"""Programs as people write them, over containers of every kind: value, log, arguments and gradient."""

import collections.abc
import contextlib
import copy
import dataclasses
import functools
import heapq
import itertools
import math
import operator
import queue
import random
import types
from collections import Counter, OrderedDict, UserList, defaultdict, deque, namedtuple

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


@program(A([1.1, 2.5]))
def dunder_class(x):
    xs = [x[0]]
    d = {"a": x[1]}
    return (
        xs.__class__([x[0], x[1]])[1] * d.__class__(a=x[0])["a"]
        + {x[0]}.__class__([x[1]]).pop()
        + deque([x[0]]).__class__([x[1]])[0]
        + (x[0],).__class__([x[1]])[0]
    )


@program(A([1.1, 2.5]))
def list_dict_attr(x):
    class L(list):
        pass

    l = L([x[0]])
    l.a = x[1]
    l.__dict__["b"] = x[0] * x[1]
    return l.a * l.b + l[0] + l.__dict__["a"] + vars(l)["b"] + sum(vars(l).values())


@program(A([1.1, 2.5]))
def super_tuple(x):
    class P(namedtuple("P", "a b")):
        def norm(self):
            return self.a * self.b

        def __getitem__(self, i):
            return super().__getitem__(i) * 2

        def __iter__(self):
            for v in super().__iter__():
                yield v * 3

        def __len__(self):
            return 2

    class Q(P):
        def norm(self):
            return super().norm() * self.a

        def __add__(self, o):
            return Q(*[a + b for a, b in zip(self, o)])

    q = Q(x[0], x[1])
    r = q + q
    return q.norm() * q[0] + sum(q) + r.norm() + sum(reversed(q))


@program(A([1.1, 2.5]))
def tuple_method_values(x):
    P = namedtuple("P", "a b")
    p = P(x[0], x[1])
    g = p.__getitem__
    it = p.__iter__
    r = p._replace
    m = map(p.__getitem__, [0, 1, 0])
    return g(1) * 2 + sum(it()) + r(a=x[1]).a + sum(m) + p._asdict()["b"] + functools.partial(p.__getitem__, 1)()


@program(2.0)
def stored_bound(x):
    class A:
        def __init__(self):
            self.xs = []
            self.add = self.xs.append

    a = A()
    a.add(x)
    a.add(x * x)
    f = {"add": a.xs.extend}
    f["add"]([x * 3])
    return sum(a.xs)


@program(2.0)
def recursion_list(x):
    xs = [x]
    xs.append(xs)
    ys = xs * 2
    return ys[3][0] * ys[2]


@program(A([1.1, 2.5]))
def nested_default(x):
    t = lambda: defaultdict(t)
    d = t()
    d["a"]["b"]["c"] = x[0]
    d["a"]["z"] = x[1]
    return d["a"]["b"]["c"] * d["a"]["z"]


@program(A([1.1, 2.5]))
def counter_iter_float(x):
    c = Counter([1, 1, 2])
    c[1] *= x[0]
    c[2] = c[2] * x[1]
    return c[1] * c[2] + sum(c.values()) + max(c.values()) + c.most_common(1)[0][1]


@program(A([1.1, 2.5]))
def lru(x):
    @functools.lru_cache(None)
    def f(n):
        return x[0] if n == 0 else f(n - 1) * x[1]

    return f(3) + f(2)


@program(A([1.1, 2.5]))
def match_containers(x):
    q = deque([x[0], x[1], 3.0])
    match q:
        case [a, *r]:
            t = a * sum(r)
    match OrderedDict(a=x[0], b=x[1]):
        case {"a": v, **rest}:
            t += v * rest["b"]
    match {x[0]}:
        case set() as s:
            t += sum(s)
    return t


@program(A([1.1, 2.5]))
def del_slices(x):
    xs = [x[0], x[1], x[0] * 2, x[1] * 2, 5.0]
    del xs[::2]
    ys = [1.0, 2.0, 3.0]
    ys[1:1] = [x[0]] * 2
    ys[:] = reversed(ys)
    a = [x[0], 1.0]
    b = a
    a += (x[1],)
    a *= 2
    a[0], a[1] = a[1], a[0]
    return sum(v * i for i, v in enumerate(xs + ys + b))


@program(A([1.1, 2.5]))
def dict_order(x):
    d = {}
    d["b"] = x[0]
    d["a"] = x[1]
    del d["b"]
    d["b"] = x[0] * 3
    return sum(v * (i + 1) for i, v in enumerate(d.values()))


@program(A([1.1, 2.5]))
def swap_in_place(x):
    d = {"a": x[0], "b": x[1]}
    d["a"], d["b"] = d["b"], d["a"]
    d["a"] += 1
    d["b"] *= d["a"]
    return d["a"] * d["b"] ** 2


@program(A([1.1, 2.5]))
def dictcomp(x):
    d = {k: v * x[0] for k, v in zip("ab", x)}
    e = {v: k for k, v in d.items()}
    inv = dict(map(reversed, [(x[0], "p"), (x[1], "q")]))
    return d["a"] + d["b"] * len(e) + inv["q"]


@program(A([1.1, 2.5]))
def list_arg(x):
    def f(a, b=[], *c, k={}, **kw):
        b.append(a)
        k["a"] = a * 2
        return sum(b) + k["a"] + sum(c) + sum(kw.values())

    return f(x[0]) + f(x[1], [x[0]], x[1], z=x[0])


@program(2.0)
def exc_args(x):
    try:
        raise KeyError(x * 2, [x])
    except KeyError as e:
        f = copy.copy(e)
        return e.args[0] * f.args[1][0]


@program(A([1.1, 2.5]))
def chain_of_maps_late(x):
    xs = [0.0, 0.0]
    m = map(lambda v: v * 2, filter(lambda v: True, xs))
    xs[0] = x[0]
    xs[1] = x[1]
    return sum(m) + sum(map(operator.mul, xs, xs))


@program(A([1.1, 2.5]))
def genexp_over_set(x):
    s = {x[0], x[1]}
    g = (v * 2 for v in s)
    return sum(g) + sum(v for v in frozenset(s) if v > 1)


@program(A([1.1, 2.5]))
def set_of_arrays_ids(x):
    o = [object(), object()]
    s = {o[0]}
    s.add(o[1])
    s |= {3}
    return x[0] * len(s)


@program(A([1.1, 2.5]))
def mathfs(x):
    return (
        math.fsum({x[0], x[1] * 2})
        + math.prod(deque(x))
        + math.fsum({"a": x[0]}.values())
        + math.hypot(*{x[0] * 3, x[1]})
        + math.fsum(iter(x))
        + math.fsum(map(lambda v: v * 2, x))
    )


@program(A([1.1, 2.5]))
def npdeque(x):
    return (
        np.sum(deque([x[0], x[1] * 2])) + np.array(deque([x[0]]))[0] + np.mean([*{x[0]}]) + np.dot(deque(x), [1.0, 2.0])
    )


@program(A([1.1, 2.5]))
def ifexp_default(x):
    d = {}
    for v in x:
        d.setdefault(int(v), []).append(v)
    return sum(sum(v) * k for k, v in d.items())


@program(A([1.1, 2.5]))
def shuffles(x):
    xs = [x[0], x[1], x[0] * 2, x[1] * 2]
    r = random.Random(0)
    r.shuffle(xs)
    ys = r.sample(xs, 2)
    z = r.choice(xs)
    w = r.choices(xs, k=2)
    return sum(v * i for i, v in enumerate(xs)) + ys[0] + z + sum(w)


@program(A([1.1, 2.5]))
def dataclass_tools(x):
    @dataclasses.dataclass
    class D:
        a: float
        b: list = dataclasses.field(default_factory=list)
        q: deque = dataclasses.field(default_factory=deque)

    d = D(x[0])
    d.b.append(x[1])
    d.q.append(x[0] * x[1])
    e = dataclasses.replace(d, a=x[1] * 2)
    f = copy.deepcopy(d)
    f.b[0] = f.b[0] * 3
    return e.a * e.b[0] + d.q[0] + f.b[0] + dataclasses.asdict(d)["a"] + dataclasses.astuple(d)[1][0]


@program(A([1.1, 2.5]))
def abc_mixins(x):
    class MS(collections.abc.MutableSequence):
        def __init__(s):
            s.d = []

        def __getitem__(s, i):
            return s.d[i]

        def __setitem__(s, i, v):
            s.d[i] = v

        def __delitem__(s, i):
            del s.d[i]

        def __len__(s):
            return len(s.d)

        def insert(s, i, v):
            s.d.insert(i, v * 2)

    m = MS()
    m.append(x[0])
    m.extend([x[1], 3.0])
    m += [x[0]]
    m.reverse()

    class MM(collections.abc.MutableMapping):
        def __init__(s, **k):
            s.d = dict(k)

        def __getitem__(s, k):
            return s.d[k] * 2

        def __setitem__(s, k, v):
            s.d[k] = v

        def __delitem__(s, k):
            del s.d[k]

        def __len__(s):
            return len(s.d)

        def __iter__(s):
            return iter(s.d)

    d = MM(a=x[0])
    d.update(b=x[1])
    d.setdefault("c", x[0] * 3)

    class MSet(collections.abc.MutableSet):
        def __init__(s, it=()):
            s.d = list(it)

        def __contains__(s, v):
            return v in s.d

        def __iter__(s):
            return iter(s.d)

        def __len__(s):
            return len(s.d)

        def add(s, v):
            if v not in s.d:
                s.d.append(v)

        def discard(s, v):
            if v in s.d:
                s.d.remove(v)

    s = MSet([x[0], x[1]])
    s |= MSet([x[0] * 2])
    u = s - MSet([x[1]])
    s.remove(x[0])
    return (
        sum(m)
        + m.pop() * m[0]
        + sum(d.values())
        + d.pop("a") * d.get("b")
        + sum(v for k, v in d.items())
        + {**d}["c"]
        + sum(s) * sum(u)
        + sum(s & u)
        + s.pop()
    )


@program(A([1.1, 2.5]))
def proxies(x):
    d = {"a": x[0]}
    p = types.MappingProxyType(d)
    d["b"] = x[1]
    return (
        p["a"] * p["b"]
        + sum(p.values())
        + p.get("a")
        + sum(v for k, v in p.items())
        + {**p}["b"]
        + dict(p)["a"]
        + p.copy()["a"]
    )


@program(A([1.1, 2.5]))
def queues(x):
    q = queue.Queue()
    q.put(x[0])
    q.put(x[1] * 2)
    p = queue.PriorityQueue()
    p.put((2, x[0]))
    p.put((1, x[1]))
    l = queue.LifoQueue()
    l.put(x[0] * 3)
    return q.get() * q.get() + p.get()[1] + l.get_nowait()


@program(A([1.1, 2.5]))
def odd_targets(x):
    xs = [0.0] * 3
    d = {}
    for i, xs[i] in enumerate([x[0], x[1], x[0] * x[1]]):
        pass
    for d["k"] in x:
        xs.append(d["k"])
    (xs[0], *d["r"]), e = [x[1], x[0], x[1]], x[0]
    [d["u"], (xs[1], *rest)] = x[0], (x[1] * 2, 1.0, x[0])
    with contextlib.nullcontext(x[0] * 5) as d["w"]:
        pass
    return sum(v * i for i, v in enumerate(xs)) + d["k"] + sum(d["r"]) * e + d["w"] + d["u"] * rest[1]


@program(A([1.1, 2.5]))
def shared_inner(x):
    xs = [[x[0]]] * 3
    xs[0].append(x[1])
    ys = [[0.0] * 2 for _ in range(2)]
    ys[1][0] = x[0]
    ys[0], ys[1] = ys[1], ys[0]
    return sum(map(sum, xs)) + ys[0][0] * 3 + sum(sum(r) for r in ys)


@program(A([1.1, 2.5]))
def frames(x):
    def g():
        try:
            yield x[0]
            yield x[1]
        finally:
            LOG.append("closed")

    v = next(g())
    LOG.append("after")
    for w in g():
        LOG.append("in")
        break
    LOG.append("after2")
    a, *_ = g()
    LOG.append("after3")
    u = max(g())
    LOG.append("after4")
    it = g()
    next(it)
    del it
    LOG.append("after5")
    return v * w + a * u


@program(A([1.1, 2.5]))
def frames2(x):
    def g():
        try:
            yield x[0]
            yield x[1]
        finally:
            LOG.append("closed")

    any(v > 0 for v in g())
    LOG.append(1)
    zip(g(), [1])
    z = list(zip(g(), [1]))
    LOG.append(2)
    next(map(lambda v: v, g()))
    LOG.append(3)
    t = sum(itertools.islice(g(), 1))
    LOG.append(4)
    d = dict(zip("a", g()))
    LOG.append(5)
    return t * d["a"] + z[0][0]


@program(A([1.1, 2.5]))
def late_dict_of_obj(x):
    class Fields:
        pass

    o = Fields()
    o.a = 0.0
    o.b = 0.0
    t = 0.0
    for k, v in vars(o).items():
        t = t + v
        o.b = x[0] * 2
    for k in o.__dict__:
        t = t + getattr(o, k) * x[1]
    o.__dict__.update(a=x[1])
    t = t + o.a
    t += o.__dict__.pop("a")
    t += o.__dict__.setdefault("c", x[0]) * o.c
    return t


@program(A([1.1, 2.5]))
def set_of_int_ops(x):
    s = {1, 2, 3}
    t = 0.0
    for i in s & {2, 3, 4}:
        t = t + x[0] * i
    s ^= {9}
    s.add(x[1])
    return t + sum(v for v in s if isinstance(v, float)) + len(s | {1})


@program(A([1.1, 2.5]))
def counters2(x):
    c = Counter()
    d = Counter({"a": x[0]})
    for k in "abc":
        c[k] += x[1]
    c.update(d)
    c.subtract(Counter(b=x[0]))
    e = c + d
    e.update(e)
    f = +c
    g = Counter(**{"p": x[0]})
    del c["zzz"]
    return (
        sum(c.values()) * e["a"]
        + f.total()
        + g["p"]
        + dict(c)["b"]
        + sorted(c.values())[0]
        + Counter(c)["a"]
        + c.copy()["b"]
    )


@program(A([1.1, 2.5]))
def user_list_sub(x):
    class U(UserList):
        def append(s, v):
            super().append(v * 2)

    u = U([x[0]])
    u.append(x[1])
    v = u + [x[0]]
    w = u * 2
    u.extend(v)
    return sum(u) + sum(v) * w[-1] + u[::2][0] + max(u) + sorted(u)[0]


# -- algorithms ----


@program(A([1.0 + 2j, 0.5 - 1.3j]))
def cplx(z):
    q = deque([z[0], z[1] * 2])
    s = {z[0] * 1.5}
    d = {"a": z[1]}
    xs = sorted(q, key=abs)
    h = [(abs(v), i, v) for i, v in enumerate(q)]
    heapq.heapify(h)
    return abs(sum(q) * s.pop() + d.pop("a") * xs[0] * heapq.heappop(h)[2]) ** 2


@program(2.5)
def zero_d(x):
    a = np.array(x)
    q = deque([a])
    q.append(a * 2)
    q[0][...] = a * 3
    d = {"k": a}
    d["k"] += 1
    return float(q[0]) + float(q[1]) * float(d["k"])


@program(A([1.1, 2.5]))
def empty(x):
    return x[0] * 1.0 + sum(frozenset()) + sum(deque([x[1]], maxlen=0)) + sum(deque()) + x[1] * len(deque([x[0]], 1))


@program(A([1.1, 2.5]))
def unpack_err(x):
    try:
        a, b = 5
    except TypeError as e:
        LOG.append(str(e))
    try:
        a, b = {x[0]}
    except ValueError as e:
        LOG.append(str(e))
    try:
        a, *b, c = deque([x[0]])
    except ValueError as e:
        LOG.append(str(e))
    a, b = sorted({x[0], x[1]})
    return a * b


@program(A([1.1, 2.5]))
def tree(x):
    class T:
        def __init__(s, v, *kids):
            s.v = v
            s.kids = list(kids)

        def __iter__(s):
            yield s.v
            for k in s.kids:
                yield from k

        def __contains__(s, v):
            return any(v == w for w in s)

        def __len__(s):
            return sum(1 for _ in s)

        def __getitem__(s, i):
            return next(itertools.islice(s, i, None))

    t = T(x[0], T(x[1], T(x[0] * x[1])), T(3.0))
    return sum(t) + t[2] * len(t) + max(t) + (x[1] in t) + functools.reduce(operator.mul, t)


@program(A([1.1, 2.5]))
def graph(x):
    g = {"a": {"b": x[0], "c": x[1] * 3}, "b": {"c": x[1]}, "c": {}}
    dist = {n: 1e9 for n in g}
    dist["a"] = 0.0
    h = [(0.0, "a")]
    while h:
        d, n = heapq.heappop(h)
        if d > dist[n]:
            continue
        for m, w in g[n].items():
            nd = d + w
            if nd < dist[m]:
                dist[m] = nd
                heapq.heappush(h, (nd, m))
    return dist["c"] * dist["b"]


@program(A([1.1, 2.5]))
def bfs(x):
    q = deque([(0, x[0])])
    seen = set()
    t = 0.0
    while q:
        n, v = q.popleft()
        if n in seen:
            continue
        seen.add(n)
        t += v * (n + 1)
        for m in (2 * n + 1, 2 * n + 2):
            if m < 9:
                q.append((m, v * x[1] * 0.5))
    return t


@program(A([1.1, 2.5]))
def window(x):
    w = deque(maxlen=3)
    out = []
    for i in range(8):
        w.append(x[i % 2] * i)
        if len(w) == 3:
            out.append(sum(w) / len(w))
    return sum(a * b for a, b in itertools.pairwise(out))


@program(A([1.1, 2.5]))
def memo(x):
    cache = {}

    def fib(n):
        if n < 2:
            return x[n]
        if n not in cache:
            cache[n] = fib(n - 1) * 0.5 + fib(n - 2)
        return cache[n]

    return fib(12)


@program(A([1.1, 2.5]))
def group_dict(x):
    g = defaultdict(list)
    for i, v in enumerate([*x, *(x * 2), *(x * 3)]):
        g[i % 3].append(v)
    return sum(functools.reduce(operator.mul, vs, 1.0) for vs in g.values())


@program(A([1.1, 2.5]))
def lru_cache_deque(x):
    od = OrderedDict()

    def get(k):
        if k in od:
            od.move_to_end(k)
            return od[k]
        od[k] = x[k % 2] * k
        if len(od) > 2:
            od.popitem(last=False)
        return od[k]

    return sum(get(k) for k in [1, 2, 1, 3, 2, 1, 4])


@program(A([1.1, 2.5]))
def zipstar(x):
    rows = [(x[0], x[1]), (x[1] * 2, 3.0)]
    a, b = zip(*rows)
    m = list(map(list, zip(*rows)))
    n = [list(r) for r in zip(*m)]
    return a[0] * b[1] + m[0][1] * n[1][0] + sum(map(sum, m))


@program(A([1.1, 2.5]))
def dict_merge_nested(x):
    a = {"p": {"q": x[0]}, "r": [x[1]]}
    b = copy.deepcopy(a)
    b["p"]["q"] *= 2
    c = {**a, **b, "s": a["r"]}
    c["s"].append(x[0])
    a["p"] |= {"z": x[1]}
    return c["p"]["q"] * sum(c["s"]) + sum(a["p"].values()) + len(b["r"])


# -- refused, and arguments -------------------------------------------------------------------------------


def simple_queue(x):
    q = queue.SimpleQueue()
    q.put(x)
    return q.get() * 2


def ratio(x):
    n, d = x.as_integer_ratio()
    return n / d


class Counting(OrderedDict):
    def __getitem__(self, key):
        return super().__getitem__(key) + 1


def popped_past_getitem(x):
    d = Counting(a=x)
    return d.pop("a")


def set_of_views(x):
    return sum(v for v in {x, x * 2} | {"a": 1}.items() if isinstance(v, float))


def views_of_items(x):
    return sum(v for _, v in {"a": x}.items() | {"b": x}.items())


def numpy_of_sets(x):
    return np.size({x, x * 2}) * x + np.sum({x})


@pytest.mark.parametrize("f", [simple_queue, ratio, popped_past_getitem, set_of_views, views_of_items, numpy_of_sets])
def test_refused(f):
    with pytest.raises(morula.NotDifferentiable):
        morula.gradient(f, 2.5)


def test_means_of_exact_sums():
    import statistics

    assert morula.gradient(lambda x: statistics.mean([x, x * 2]), 2.5) == (1.5,)
    assert morula.gradient(lambda x: statistics.mean(v * x for v in (1.0, 2.0)), 2.5) == (1.5,)


def test_powers_by_keyword():
    assert morula.gradient(lambda x: pow(x, exp=2.0), 2.5) == (5.0,)
    assert morula.gradient(lambda x: pow(exp=x, base=1.0), 2.5) == (0.0,)
    assert morula.gradient(lambda x: pow(x, 2.0, None), 2.5) == (5.0,)
    assert morula.gradient(lambda x: x * pow(3, 5, mod=7), 2.5) == (5.0,)
    with pytest.raises(TypeError):
        morula.gradient(lambda x: pow(x, power=2.0), 2.5)


def test_single_precision_stays():
    def f(x):
        q, s, c = deque(x), {x[0] * 2}, Counter(a=x[0])
        q.rotate()
        c["a"] += x[1]
        return q[0] * s.pop() + c["a"] + sum({x[1]}) + heapq.nlargest(1, x)[0]

    (g,) = morula.gradient(f, A([1.0, 2.5], np.float32))
    assert g.dtype == np.float32
    np.testing.assert_array_equal(g, [1 + 2 * 2.5, 2 + 1 + 1 + 1])


def test_arguments_of_every_kind():
    def f(xs, q, od, dd, c):
        xs.append(xs[0] * 2)
        xs[1].insert(0, xs[0])
        xs[2]["b"] = xs[1][0]
        q.append(q.popleft() * xs[2]["b"])
        q.rotate(1)
        od.move_to_end("a")
        dd["z"] += dd["a"] * c["a"]
        c["n"] += dd["z"]
        return sum(q) * xs[-1] + xs[1].pop() * next(iter(od.values())) + c.total()

    def made():
        return (
            [1.0, [2.0, 3.0], {"a": 4.0}], deque([1.5, 2.5]), OrderedDict(a=1.0, b=2.0), defaultdict(float, a=1.0),
            Counter(a=2.0),
        )  # fmt: skip

    args = made()
    g = morula.gradient(f, *args)
    assert list(args) == list(made()) and [type(a) for a in args] == [type(a) for a in made()]
    assert list(args[2]) == ["a", "b"]
    # (q1 + q0 x0) 2 x0 + x11 od_b + a + dd_a a, with q0, q1 = 1.5, 2.5
    assert g == (
        [2 * 2.5 + 4 * 1.5, [None, 2.0], None],
        [2.0, 2.0],
        {"a": None, "b": 3.0},
        {"a": 2.0},
        {"a": 2.0},
    )
