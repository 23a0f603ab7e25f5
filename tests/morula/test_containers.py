"""Containers with active members: every program against central differences, its value, log and arguments."""

import collections
import copy
import operator
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from types import SimpleNamespace
from typing import NamedTuple

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


# -- lists ------------------------------------------------------------------------------------------------


@program(A([1.0, 2.5, -0.5]))
def list_methods(x):
    xs = [x[0], 1.5]
    xs.append(x[1] * 2)
    xs.extend(v * v for v in x)
    xs.insert(1, x[2])
    xs.insert(-1, x[0] * 3)
    xs.insert(100, x[1])
    a = xs.pop() * xs.pop(0) + xs.pop(-2)
    xs.reverse()
    xs.remove(1.5)
    LOG.append([type(v).__name__ for v in xs])
    return a + sum(v * i for i, v in enumerate(xs))


@program(A([1.0, 2.5, -0.5]))
def list_slices(x):
    xs = [v * 1.0 for v in x] + [4.0, 5.0]
    xs[1:3] = (v * 2 for v in [x[2], x[0], x[1]])
    xs[::2] = [x[0], x[0] * x[1], x[2]]
    del xs[1]
    del xs[-2:]
    xs += xs
    xs *= 2
    ys = 2 * xs[1:3] + [x[0]]
    return sum(v * i for i, v in enumerate(xs)) + ys[-1] * ys[0]


@program(A([1.0, 2.5, -0.5]))
def list_cleared_and_copied(x):
    xs = list(x)
    ys = xs.copy()
    zs = xs[:]
    xs.clear()
    LOG.append(len(xs))
    xs += ys
    xs[0] = x[0] * ys[1]
    return xs[0] + ys[0] * zs[2] + copy.copy(ys)[1]


@program(A([1.0, 2.5, -0.5]))
def list_becomes_active_late(x):
    xs = [0.0, 0.0, 0.0]
    total = 0.0
    for i, v in enumerate(xs):
        total = total + v
        if i + 1 < len(xs):
            xs[i + 1] = x[i] * 2
        if i == 1:
            xs.append(x[2] * x[0])
    return total


@program(A([1.0, 2.5, -0.5]))
def list_errors_half_way(x):
    def items():
        yield x[0] * 2
        yield x[1] * 3
        raise KeyError("stop")

    xs = [x[2]]
    try:
        xs.extend(items())
    except KeyError as error:
        LOG.append((str(error), len(xs)))
    for attempt in (
        lambda: xs.remove(77.0),
        lambda: xs.pop(99),
        lambda: xs.__delitem__(5),
        lambda: xs.__setitem__(9, x[0]),
        lambda: xs.insert("a", x[0]),
        lambda: xs.append(),
        lambda: xs.append(x[0], x[1]),
        lambda: xs.extend(3),
        lambda: xs.__setitem__(slice(0, 3, 2), [x[0]]),
        lambda: xs.sort(lambda v: v),
        lambda: xs.sort(key=3),
        lambda: xs.pop(x),
        lambda: xs.index(x[0] * 77),
        lambda: [].pop(),
    ):
        try:
            attempt()
        except Exception as error:
            LOG.append((type(error).__name__, str(error)))
    return sum(v * (i + 1) for i, v in enumerate(xs))


@program(A([1.0, 2.5, -0.5]))
def list_extended_by_what_looks_at_it(x):
    xs = [x[0]]

    def items():
        for _ in range(3):
            yield xs[-1] * x[1]

    xs.extend(items())
    xs += (v + xs[0] for v in list(xs))
    xs.extend(xs)
    return sum(v * (i + 1) for i, v in enumerate(xs))


@program(A([1.0, 2.5, -0.5, 0.7]))
def list_sort(x):
    xs = [(v, i) for i, v in enumerate(x)]
    xs.sort(key=lambda p: p[0], reverse=True)
    LOG.append([i for _, i in xs])
    ys = [v * 2 for v in x]
    ys.sort()
    return sum(v * k for k, (v, _) in enumerate(xs)) + ys[0] * ys[-1]


@program(A([1.0, 2.5, -0.5]))
def list_sort_looked_at(x):
    xs = [v * 2 for v in x]

    def key(v):
        LOG.append(len(xs))
        return -v

    xs.sort(key=key)

    def spoil(v):
        xs.append(v)
        return v

    try:
        xs.sort(key=spoil)
    except ValueError as error:
        LOG.append(str(error))

    def fail(v):
        if v < 0:
            raise KeyError("negative")
        return v

    try:
        xs.sort(key=fail)
    except KeyError:
        LOG.append(len(xs))
    return xs[0] + xs[1] * xs[2]


class Ranked:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        LOG.append((float(self.v), float(other.v)))
        if other.v > 100:
            raise OverflowError
        return self.v < other.v


@program(A([1.0, 2.5, -0.5]))
def sort_by_lt(x):
    xs = [Ranked(v * 2) for v in x]
    xs.sort()
    ys = sorted([Ranked(x[1]), Ranked(x[0])], reverse=True)
    zs = [Ranked(x[2]), Ranked(x[1]), Ranked(x[0]), Ranked(x[1] * 100)]
    try:
        zs.sort()
    except OverflowError:
        LOG.append(len(zs))
    low, high = min(xs), max(xs, key=lambda r: -r.v)
    return xs[0].v * xs[1].v + ys[0].v * 3 + zs[0].v * zs[1].v + low.v + high.v * 2


@program(A([1.0, 2.5, -0.5]))
def sort_that_counts_in_active_numbers(x):
    seen = []

    class Counting:
        def __init__(self, v):
            self.v = v

        def __lt__(self, other):
            seen.append(self.v * other.v)
            return self.v < other.v

    sorted(Counting(v) for v in x)
    return sum(seen)


@program(A([1.0, 2.5]))
def unbound_and_bound_methods(x):
    xs = []
    list.append(xs, x[0])
    add = xs.append
    add(x[1] * 2)
    for _ in map(xs.append, [x[0] * x[1], 3.0]):
        pass
    list(map(list.append, [xs, xs], [x[1], x[0]]))
    d = {}
    put = d.__setitem__
    put("a", x[0])
    dict.update(d, b=x[1])
    get = d.get
    first = xs.__getitem__
    pop = operator.methodcaller("pop", 0)
    add_more = operator.methodcaller("append", 5.0)
    add_more(xs)
    return (
        pop(xs) + get("a") * get("c", x[1]) + first(0) + sum(xs) * dict.get(d, "b") + list.pop(xs, 1) + list.copy(xs)[0]
    )


@program(A([1.0, 2.5]))
def structures_that_hold_themselves(x):
    xs = [x[0]]
    xs.append(xs)
    d = {"v": x[1]}
    d["self"] = d
    xs[1][1][1].append(d["self"]["self"]["v"] * 2)
    ys = copy.deepcopy(xs)
    ys[0] = ys[0] * 3
    e = copy.deepcopy(d)
    return xs[-1] * ys[1][0] + ys[2] * e["self"]["v"] + (0.0 if ys[1] is ys else 100.0)


# -- subclasses -------------------------------------------------------------------------------------------


class Doubling(list):
    def append(self, v):
        LOG.append("append")
        super().append(v * 2)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return super().__getitem__(i)
        return super().__getitem__(i) + 1

    def total(self):
        return sum(self) + self.offset


@program(A([1.0, 2.5]))
def list_subclass(x):
    xs = Doubling([x[0]])
    xs.append(x[1])
    xs.offset = x[0] * x[1]
    xs.extend([x[0], 3.0])
    xs[1] = xs[1] * xs[0]
    ys = xs[1:] + [x[0]]
    zs = xs + Doubling([x[1]])
    return xs.total() + sum(ys) * 2 + zs[-1] * 3 + xs.pop() + sum(v * i for i, v in enumerate(reversed(xs)))


class Logged(dict):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.count = 0.0

    def __setitem__(self, k, v):
        LOG.append(k)
        self.count = self.count + v
        super().__setitem__(k, v)

    def __getitem__(self, k):
        return super().__getitem__(k) * 2

    def update(self, *args, **kw):
        for k, v in dict(*args, **kw).items():
            self[k] = v

    def __missing__(self, k):
        return 7.0


@program(A([1.0, 2.5]))
def dict_subclass(x):
    d = Logged({"a": x[0]}, b=x[1])
    d["c"] = x[0] * x[1]
    d.update({"d": x[1]}, e=x[0])
    d.setdefault("f", x[0] * 3)
    d |= {"g": x[1] * 3}
    for k in list(d):
        LOG.append(k)
    return d["a"] + d["c"] + d.count * d["zz"] + d.get("b") * d.pop("f") + sum(d.values()) + {**d}["e"]


class Members(set):
    def add(self, v):
        LOG.append("add")
        super().add(v)
        self.last = v


@program(A([1.0, 2.5]))
def set_subclass(x):
    s = Members([x[0]])
    s.add(x[1] * 2)
    s |= {x[0] * 3}
    LOG.append(type(s | {1.0}).__name__)
    return sum(s) + s.last * max(s)


class Ring(deque):
    def __init__(self, items=(), n=3):
        super().__init__(items, n)

    def append(self, v):
        LOG.append(len(self))
        super().append(v)

    def mean(self):
        return sum(self) / len(self)


@program(A([1.0, 2.5]))
def deque_subclass(x):
    q = Ring([x[0], x[1]])
    q.append(x[0] * 2)
    q.append(x[1] * 3)
    return q.mean() * q[0] + super(Ring, q).pop()


class Vector(tuple):
    def __new__(cls, *items):
        return super().__new__(cls, items)

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other, strict=True))

    def __add__(self, other):
        return Vector(*[a + b for a, b in zip(self, other, strict=True)])

    def __getitem__(self, i):
        return super().__getitem__(i)


@program(A([1.0, 2.5]))
def tuple_subclass(x):
    v = Vector(x[0], x[1])
    w = v + Vector(x[1], 3.0)
    dot = v.dot
    return dot(w) + w[0] * v[1] + sum(tuple(w)) + super(Vector, w).__getitem__(1)


class Overriding(list):
    def __radd__(self, other):
        LOG.append("radd")
        return [v * 2 for v in self]

    def __iadd__(self, other):
        LOG.append("iadd")
        self.append(other)
        return self

    def __len__(self):
        return 1


@program(A([1.0, 2.5]))
def list_operators_overridden(x):
    xs = Overriding([x[0], x[1]])
    ys = [x[0]] + xs
    xs += x[1] * 5
    return sum(ys) + list.__getitem__(xs, 2) + sum(iter(xs))


# -- dicts ------------------------------------------------------------------------------------------------


@program(A([1.0, 2.5, -0.5]))
def dict_methods(x):
    d = {"a": x[0], "b": 2.0}
    d.update({"c": x[1]}, e=x[2])
    d.update([("f", x[0] * 2), ["g", x[1] * 2]])
    d.update(zip("hi", x, strict=False))
    total = d.setdefault("a", 5.0) + d.setdefault("z", x[2] * 3) * 2
    total += d.pop("f") * d.pop("nothing", x[1]) + d.get("q", x[0]) + (d.get("q") or 0.0)
    k, v = d.popitem()
    LOG.append((k, list(d)))
    total += v
    e = d | {"a": x[2], "k": x[0]}
    d |= [("m", x[1])]
    del d["h"]
    e.clear()
    e["a"] = 1.0
    return total + sum(d.values()) + sum(v * i for i, (k, v) in enumerate(d.items())) + len(e)


@program(A([1.0, 2.5]))
def dict_errors_half_way(x):
    def entries():
        yield "a", x[0]
        yield "b", x[1]
        raise ValueError("stop")

    d = {}
    for attempt in (
        lambda: d.update(entries()),
        lambda: d.update([("c", x[0]), (1, 2, 3)]),
        lambda: d.update([("d", x[0]), 5]),
        lambda: d.update(5),
        lambda: d.update({}, {}),
        lambda: d.get(),
        lambda: d.pop("missing"),
        lambda: d.setdefault([], x[0]),
        lambda: d["missing"],
        lambda: d.__delitem__("missing"),
        lambda: {}.popitem(),
        lambda: dict([("a", 1), ("b",)]),
    ):
        try:
            attempt()
        except Exception as error:
            LOG.append((type(error).__name__, str(error)))
    LOG.append(list(d))
    return d["a"] * d["b"] + d["c"] + d["d"]


@program(A([1.0, 2.5]))
def dict_views(x):
    d = {"a": x[0], "b": 1.0}
    values, items, keys = d.values(), d.items(), d.keys()
    d["b"] = x[1] * 2
    d["c"] = x[0] * x[1]
    total = sum(values) + sum(v * 2 for k, v in items if k in keys)
    LOG.append(sorted(keys & {"a", "c", "q"}) + sorted(keys | {"z"}) + sorted(keys - {"a"}) + sorted(keys ^ {"a", "y"}))
    for k, v in reversed(d.items()):
        LOG.append(k)
        total = total * 1.1 + v
    for v in reversed(d.values()):
        total = total * 1.1 + v
    LOG.append(list(reversed(d)))
    first, *rest = values
    return total + first * rest[-1] + max(values) + dict(items)["c"]


@program(A([1.0, 2.5]))
def dict_changes_while_iterated(x):
    d = {"a": x[0], "b": x[1]}
    total = 0.0
    for make in (lambda: d, d.keys, d.values, d.items):
        try:
            for _ in make():
                total = total + d["a"]
                d[len(d)] = x[1]
        except RuntimeError as error:
            LOG.append(str(error))
    it = iter(d.values())
    d["late"] = x[0]
    try:
        next(it)
    except RuntimeError as error:
        LOG.append(str(error))
    for k in d:
        d[k] = d[k] * 2  # values may change
    return total + sum(d.values())


@program(A([1.0, 2.5]))
def values_become_active_while_iterated(x):
    d = dict.fromkeys("abc", 0.0)
    total = 0.0
    for i, v in enumerate(d.values()):
        total = total + v * (i + 1)
        d["b"] = x[0] * 2
        d["c"] = x[1] * x[0]
    return total


@program(A([1.0, 2.5]))
def fromkeys(x):
    d = dict.fromkeys(["a", "b"], x[0] * 2)
    e = {}.fromkeys(iter("xy"), x[1])
    f = OrderedDict.fromkeys("pq", x[0])
    g = dict.fromkeys("ab")
    g["a"] = x[1]
    d["a"] = d["a"] * x[1]
    made = [*map(dict.fromkeys, ["ab", "c"], [x[0], x[1] * 2])]
    return d["a"] + d["b"] * e["y"] + f["p"] * g["a"] + made[0]["b"] * made[1]["c"]


@program(A([1.0, 2.5]))
def splats(x):
    def f(*args, a=0.0, **kw):
        return sum(args) * a + sum(kw.values()) + kw.get("b", 0.0)

    d = {"a": x[0], "b": x[1]}
    od = OrderedDict(b=x[0], c=x[1] * 2)
    q = deque([x[0], x[1]])
    s = {x[0] * 2, x[1] * 3}
    cm = ChainMap({"a": x[1]}, {"b": x[0]})
    ud = UserDict(a=x[0], k=x[1])
    total = f(*q, *s, *d.values(), **d) + f(*[x[0]], a=x[1], **od) + f(x[0], **cm) + f(x[1], **ud)
    merged = {**d, **od, **ud}
    spread = [*q, *s, *d.values(), *(v for v in q)]
    return total + merged["b"] * merged["k"] + sum(v * i for i, v in enumerate(sorted(spread))) + sum({*q, *s})


@program(A([1.0, 2.5]))
def default_dicts(x):
    d = defaultdict(list)
    d["a"].append(x[0])
    d["a"].append(x[1])
    e = defaultdict(lambda: x[0] * 2)
    total = e["new"] * x[1] + e["new"]
    e["other"] += x[1]
    f = defaultdict(float, {"k": x[0]}, m=x[1])
    f["k"] += x[1]
    f["n"] += x[0]
    g = f | {"o": x[1]}
    LOG.append((type(g).__name__, list(g), g["absent"]))
    h = f.copy()
    h["k"] = h["k"] * 2
    try:
        defaultdict(None)["missing"]
    except KeyError as error:
        LOG.append(str(error))
    nested = defaultdict(lambda: defaultdict(float))
    nested["p"]["q"] += x[0] * x[1]
    return total + sum(d["a"]) + e["other"] * f["n"] + g["o"] * h["k"] + nested["p"]["q"]


class Grouping(defaultdict):
    def __missing__(self, key):
        LOG.append(key)
        return super().__missing__(key)


@program(A([1.0, 2.5]))
def default_dict_subclass(x):
    made = []

    def factory():
        made.append(x[1] * 2)
        return made[-1]

    d = Grouping(factory, a=x[0])
    return d["a"] * d["b"] + d["b"] + made[0]


@program(A([1.0, 2.5, -0.5]))
def ordered_dicts(x):
    d = OrderedDict([("a", x[0]), ("b", x[1])], c=x[2])
    d.move_to_end("a")
    d.move_to_end("c", last=False)
    LOG.append(list(d))
    k, v = d.popitem(last=False)
    d["e"] = x[1] * 2
    LOG.append((k, list(reversed(d)), d == OrderedDict(d)))
    e = d.copy()
    e |= {"f": x[0] * x[1]}
    total = v + d.pop("b", default=3.0) + d.pop("none", default=x[2]) + d.setdefault(key="g", default=x[0])
    for i, w in enumerate(reversed(e.values())):
        total = total + w * (i + 1)
    for (_, w), u in zip(e.items(), e.values(), strict=True):
        total = total + w * u
    return total + (d | e)["f"]


@program(A([1.0, 2.5, -0.5]))
def counters(x):
    c = Counter(a=x[0], b=x[1])
    c["z"] += x[2]
    c.update({"a": x[1], "q": x[0] * 2.25})
    c.update(b=x[2])
    c.subtract({"a": x[2]})
    c["never"] += 0.0
    LOG.append([k for k, _ in c.most_common()])
    (_, top), (_, second) = c.most_common(2)
    total = c.total() + top * second + c["absent"]
    d = Counter(a=x[2] * x[2], b=1.0)
    for e in (c + d, c - d, c | d, c & d, +c, -c):
        LOG.append(sorted(e))
        total = total + sum(v * v for v in e.values())
    c += d
    c -= Counter(b=x[0])
    return total + c["a"] * c["b"] + copy.copy(c)["a"]


@program(A([1.0, 2.5]))
def counters_of_words(x):
    c = Counter("abracadabra")
    LOG.append((c.most_common(2), sorted(c.elements())))
    del c["a"]
    c["b"] = x[0]
    return c["b"] * x[1] + c["r"]


@program(A([1.0, 2.5]))
def chain_maps(x):
    first, second = {"a": x[0]}, {"a": 5.0, "b": x[1]}
    c = ChainMap(first, second)
    child = c.new_child({"c": x[0] * x[1]})
    child["a"] = x[1] * 3
    c["z"] = x[0] * 2
    LOG.append((list(child), len(child), "b" in child))
    total = child["a"] * child["b"] + c["a"] + child.parents["z"] + child.get("none", x[1])
    second["b"] = second["b"] * 2
    del child["a"]
    return total + child["a"] * child["b"] + sum(c.values()) + c.pop("z") + sum(v for _, v in child.items())


@program(A([1.0, 2.5]))
def user_containers(x):
    d = UserDict({"a": x[0]})
    d["b"] = x[1]
    d.update(c=x[0] * x[1])
    d |= {"e": x[1] * 2}
    total = sum(d.values()) + d.pop("a") * d.get("b") + sum(v for _, v in d.items()) + d.setdefault("n", x[0])
    xs = UserList([x[0]])
    xs.append(x[1])
    xs += [x[0] * 2]
    xs.insert(0, x[1] * 3)
    xs[1:2] = [x[0], x[0]]
    ys = xs + [x[1]]
    xs.sort()
    return total + sum(v * i for i, v in enumerate(xs)) + ys[-1] * xs.pop() + d.copy()["c"] + xs.copy()[0]


@program(A([1.0, 2.5]))
def user_containers_become_active_late(x):
    xs = UserList([0.0, 0.0])
    total = 0.0
    for v in xs:
        total = total + v
        xs[1] = x[0] * x[1]
    d = UserDict(a=0.0, b=0.0)
    for v in d.values():
        total = total + v
        d["b"] = x[0] * 3
    c = ChainMap({"a": 0.0}, {"b": 0.0})
    for _, v in c.items():
        total = total + v
        c["a"] = c["b"] = x[1] * 2
    return total


# -- sets -------------------------------------------------------------------------------------------------


@program(A([1.0, 2.5, -0.5]))
def set_methods(x):
    s = {x[0], x[1] * 2, 9.0}
    s.add(x[2] * 3)
    s.add(x[0] * 1.0)  # equal to a member: that one stays
    s.discard(9.0)
    s.discard(77.0)
    s.update([x[0] * 4], (v * 7 for v in x), {x[1] * 8})
    s.remove(x[1] * 2)
    try:
        s.remove(77.0)
    except KeyError as error:
        LOG.append(str(error))
    LOG.append((len(s), 4.0 in s))
    t = s.copy()
    v = t.pop()
    t.clear()
    t.add(x[1])
    return sum(v * i for i, v in enumerate(sorted(s))) + v * 2 + sum(t) + max(s) * min(s)


@program(A([1.0, 2.5, -0.5]))
def set_algebra(x):
    s, t = {x[0] * 2, x[1], 4.25}, {x[1] * 1.0, x[2], x[0] * 4}
    total = 0.0
    for i, u in enumerate((s | t, s & t, s - t, s ^ t, t - s, t & s, frozenset(s) | t, s & frozenset(t))):
        LOG.append((type(u).__name__, len(u)))
        total = total + sum(v * v for v in u) * (i + 1)
    return total


@program(A([1.0, 2.5, -0.5]))
def set_algebra_by_name(x):
    s = {x[0] * 2, x[1], 4.0}
    total = 0.0
    for i, u in enumerate(
        (
            s.union([x[2]], {x[0] * 3}, (v * 5 for v in x)),
            s.union(),
            s.intersection([x[1] * 1.0, 4.0], {2.5, 4.0}),
            s.intersection(),
            s.difference([4.0], iter([x[0] * 2])),
            s.symmetric_difference([x[2], x[1]]),
            s.copy(),
            frozenset(s).union([x[2]]),
            frozenset(s).copy(),
        )
    ):
        LOG.append((type(u).__name__, len(u)))
        total = total + sum(v * v for v in u) * (i + 1)
    LOG.append((s.issubset([x[0] * 2, x[1], 4.0]), s.issuperset(v for v in [4.0]), s.isdisjoint({5.0}), s <= s | {1.0}))
    return total


@program(A([1.0, 2.5, -0.5]))
def set_algebra_in_place(x):
    s = {x[0] * 2, x[1], 4.0}
    s |= {x[2]}
    s &= {x[1], x[2], 4.0, 6.0}
    s -= {4.0}
    s ^= {x[0], x[1]}
    t = set(s)
    t.difference_update([x[0]], (v for v in [5.0]))
    t.symmetric_difference_update(v * 3 for v in x)
    s.intersection_update([x[0], x[2]], {x[0], x[2]})
    f = frozenset(t)
    f |= {x[0] * 11}
    return sum(v * v for v in s) + sum(v * i for i, v in enumerate(sorted(t))) + sum(f)


def test_kept_members_have_exact_gradients():
    """Of equal members the gradient is that of the object that Python keeps; differences know no ties."""

    def f(a, b, make):
        a, b = a * 1.0, b * 1.0
        s = make(a, b)
        (v,) = s
        f.first = v is a
        return v * 1.0

    for make in (
        lambda a, b: {a, b},
        lambda a, b: {b, a},
        lambda a, b: {a} & {b},
        lambda a, b: {a} & {b, 1.0},
        lambda a, b: {a, 1.0} & {b},
        lambda a, b: {a} | {b},
        lambda a, b: {a} | {b} | {a},
        lambda a, b: frozenset([b]) | {a},
        lambda a, b: {a}.intersection([b]),
        lambda a, b: {v * 1.0 for v in (b, a)} and {v for v in (b, a)},
        lambda a, b: {*[a], b},
        lambda a, b: set(dict.fromkeys([1.0])) ^ {1.0, a} | {b},
        lambda a, b: set([b, a]).union({a}),
        lambda a, b: {a}.union([b], {b}),
        lambda a, b: {b}.union({a: 1}),
    ):
        g = morula.gradient(lambda a, b, make=make: f(a, b, make), 2.5, 2.5)
        assert [v or 0.0 for v in g] == ([1.0, 0.0] if f.first else [0.0, 1.0])


@program(A([1.0, 2.5, -0.5]))
def sets_of_tuples_and_sets(x):
    s = {(x[0], "a"), ("b", x[1] * 2), frozenset([x[2], 1.0])}
    total = 0.0
    for m in s:
        total = total + sum(v for v in m if not isinstance(v, str)) ** 2
    t = frozenset({(x[0], x[1])})
    ((p, q),) = t
    return total + p * q


@program(A([1.0, 2.5]))
def set_changes_while_iterated(x):
    s = {x[0], x[1]}
    total = 0.0
    try:
        for v in s:
            total = total + v
            s.add(x[0] * 77)
    except RuntimeError as error:
        LOG.append(str(error))
    it = iter(s)
    s.add(x[1] * 55)
    try:
        next(it)
    except RuntimeError as error:
        LOG.append(str(error))
    return total + sum(s)


@program(A([1.0, 2.5]))
def set_errors_half_way(x):
    def items():
        yield x[0] * 2
        yield x[1] * 3
        yield []
        LOG.append("not reached")

    s = {x[0]}
    for attempt in (
        lambda: s.update(items()),
        lambda: s.add([]),
        lambda: s | [x[0]],
        lambda: set(x[0], x[1]),
        lambda: set(items()),
        lambda: {[] if v is None else v for v in [x[0], None, LOG.append("evaluated")]},
        lambda: s.difference_update([x[0]], [[]]),
        lambda: set().pop(),
        lambda: s.union(5),
        lambda: frozenset([x[0]]).add(x[1]),
    ):
        try:
            attempt()
        except Exception as error:
            LOG.append((type(error).__name__, str(error)))
    return sum(v * v for v in s)


def test_sets_and_deques_as_arguments():
    s, q = {1.0, 2.5}, deque([1.0, 2.0], 5)
    g = morula.gradient(lambda s, y: sum(v * v * y for v in s), s, 3.0)
    assert g == ({1.0: 6.0, 2.5: 15.0}, 7.25)

    def f(s, q):
        s.add(q[0] * 9)
        q.append(q[0] * q[1])
        q.popleft()
        return sum(q) * max(s)

    g = morula.gradient(f, s, q)
    assert g == ({1.0: 0.0, 2.5: 0.0}, [54.0, 18.0])
    assert s == {1.0, 2.5} and q == deque([1.0, 2.0], 5) and q.maxlen == 5
    assert morula.gradient(lambda x, words: x * len(words), 2.0, {"a", "b"}) == (2.0, None)
    with pytest.raises(morula.AliasedArgumentsError):
        morula.gradient(lambda a, b: sum(a) + sum(b), q, q)


# -- deques -----------------------------------------------------------------------------------------------


@program(A([1.0, 2.5, -0.5]))
def deque_methods(x):
    q = deque([x[0], 2.0])
    q.append(x[1])
    q.appendleft(x[2])
    q.extend(v * 2 for v in x)
    q.extendleft([x[0] * 3, x[1] * 3])
    q.rotate(2)
    q.rotate(-1)
    q.insert(1, x[2] * 5)
    q.remove(2.0)
    q.reverse()
    LOG.append((len(q), q.count(x[0]), q.index(x[0]), x[1] in q))
    total = q.pop() * q.popleft() + q[0] * q[-1]
    q[1] = x[0] * x[1]
    del q[2]
    r = q.copy()
    r.append(x[0])
    q += [x[1]]
    p = q + r
    p *= 2
    total += sum(v * i for i, v in enumerate(p)) + sum(v * i for i, v in enumerate(reversed(r * 2)))
    q.clear()
    q.append(x[2])
    return total + q[0] + copy.copy(r)[0] + copy.deepcopy(r)[1]


@program(A([1.0, 2.5, -0.5]))
def bounded_deques(x):
    q = deque(maxlen=3)
    total = 0.0
    for i in range(7):
        q.append(x[i % 3] * (i + 1))
        total = total + sum(q) * i
    q.appendleft(x[0])
    q.extend([x[1], x[2]])
    q.extendleft((x[0] * 2,))
    try:
        q.insert(0, x[1])
    except IndexError as error:
        LOG.append(str(error))
    r = q.copy()
    s = deque(r, 2) + q
    LOG.append((q.maxlen, r.maxlen, s.maxlen, len(s)))
    q *= 2
    return total + sum(v * i for i, v in enumerate(s)) + sum(q) * r[0] + deque([x[0]], maxlen=None)[0]


@program(A([1.0, 2.5, -0.5]))
def deque_errors(x):
    q = deque([x[0], x[1]])
    for attempt in (
        lambda: q[5],
        lambda: q[0:1],
        lambda: q.remove(77.0),
        lambda: deque().pop(),
        lambda: deque().popleft(),
        lambda: q + [x[0]],
        lambda: q.__setitem__(9, x[2]),
        lambda: q.__delitem__(9),
        lambda: q.index(77.0),
        lambda: deque(x, -1),
        lambda: deque(5),
        lambda: q.append(),
        lambda: q.append(x, x),
        lambda: q.rotate("a"),
    ):
        try:
            attempt()
        except Exception as error:
            LOG.append((type(error).__name__, str(error)))
    try:
        for v in q:
            q.append(v)
    except RuntimeError as error:
        LOG.append(str(error))
    q.extend(q)
    return sum(v * i for i, v in enumerate(q))


@program(A([1.0, 2.5]))
def deque_becomes_active_late(x):
    q = deque([0.0, 0.0, 0.0])
    total = 0.0
    for i, v in enumerate(q):
        total = total + v * (i + 1)
        q[1] = x[0]
        q[2] = x[0] * x[1]
    q[1] = 3.0
    LOG.append((q == deque([0.0, 3.0, 2.5]), q < deque([1.0])))
    return total + sum(q)


# -- named tuples -----------------------------------------------------------------------------------------

Point = namedtuple("Point", "x y z", defaults=[3.0])


class Pair(NamedTuple):
    a: float
    b: float = 2.0

    def norm(self):
        return self.a * self.a + self.b * self.b

    @property
    def sum(self):
        return self.a + self.b


class Shifted(Point):
    def norm(self):
        return self.x * self.y * self.z

    def _replace(self, **kw):
        return super()._replace(**kw)


@program(A([1.0, 2.5]))
def named_tuples(x):
    p = Point(x[0], y=x[1])
    q = p._replace(x=x[1] * 2, z=x[0])
    d = q._asdict()
    d["x"] = d["x"] * 2
    r = Point._make(v * 3 for v in q)
    pair = Pair(x[0])
    other = Pair(b=x[1], a=x[0] * 2)
    norm = other.norm
    s = Shifted(*p)
    LOG.append((p._fields, Pair._field_defaults, type(s).__name__, type(s._replace(x=1.0)).__name__))
    x0, y0, *rest = r
    return (
        p.x * q.x + d["x"] + r.z * rest[0] + x0 * y0 + pair.norm() * other.sum + norm() + s.norm()
        + s._replace(y=x[0]).norm() + sum(p + q) + (p * 2)[3] + copy.copy(p).y + copy.deepcopy(q).z + max(p)
    )  # fmt: skip


@program(A([1.0, 2.5]))
def operator_getters(x):
    o = SimpleNamespace(a=x[0], b=SimpleNamespace(c=x[1] * 2))
    d = {"k": x[0] * x[1], "m": x[1]}
    p = Point(x[0], x[1])
    first, last = operator.itemgetter(0, -1)([x[0], 1.0, x[1]])
    return (
        operator.attrgetter("a")(o) * operator.attrgetter("b.c")(o) + sum(operator.itemgetter("k", "m")(d))
        + first * last + operator.attrgetter("x", "y")(p)[1] + operator.itemgetter(slice(0, 2))([x[0], x[1]])[1]
        + operator.methodcaller("get", "zz", 3.0)(d) + sum(map(operator.itemgetter(1), d.items()))
        + operator.methodcaller("_replace", z=4.0)(p).y
    )  # fmt: skip


# -- copies -----------------------------------------------------------------------------------------------


class Slotted:
    __slots__ = ("v", "w")

    def __init__(self, v):
        self.v = v


class Both(Slotted):
    pass


class Stateful:
    def __init__(self, v):
        self.v = v
        self.cache = [v]

    def __getstate__(self):
        LOG.append("getstate")
        return {"v": self.v * 1.0}

    def __setstate__(self, state):
        LOG.append("setstate")
        self.v = state["v"] * 2
        self.cache = None


class Deep:
    def __init__(self, v):
        self.v = v

    def __deepcopy__(self, memo):
        LOG.append("deepcopy")
        new = Deep(copy.deepcopy(self.v, memo))
        memo[id(self)] = new
        return new

    def __copy__(self):
        LOG.append("copy")
        return Deep(self.v)


class Reduced:
    def __init__(self, v, w):
        self.v, self.w = v, w

    def __reduce__(self):
        return Reduced, (self.v * 2, self.w)


@program(A([1.0, 2.5]))
def copies_of_objects(x):
    total = 0.0
    for copier in (copy.copy, copy.deepcopy):
        s = Slotted(x[0])
        b = Both(x[1])
        b.more = [x[0] * x[1]]
        t = copier(s)
        c = copier(b)
        c.more[0] = c.more[0] * 2
        LOG.append((hasattr(t, "w"), c.more is b.more))
        total = total + t.v * 3 + c.v * 4 + c.more[0] + b.more[0] * 2
        total = total + copier(Stateful(x[1])).v + copier(Deep([x[0]])).v[0] + copier(Reduced(x[0], 1.0)).v
    return total


@program(A([1.0, 2.5]))
def copies_of_containers(x):
    total = 0.0
    od = OrderedDict(a=x[0], b=[x[1]])
    dd = defaultdict(lambda: x[0] * 5, a=x[1])
    for copier in (copy.copy, copy.deepcopy):
        for original in (
            [x[0], [x[1]]], {"a": x[0], "b": [x[1]]}, (x[0], [x[1]]), deque([x[0], x[1]], 4), {x[0], x[1] * 3},
            frozenset([x[0] * 2]), od, dd, Counter(a=x[0]), Doubling([x[0]]), Members([x[1]]), Point(x[0], [x[1]], 1.0),
            UserDict(a=x[0]), ChainMap({"a": x[1]}), {"n": {"m": (x[0], {"k": x[1]})}},
        ):  # fmt: skip
            made = copier(original)
            LOG.append((type(made).__name__, made == original, made is original))
            values = made.values() if hasattr(made, "values") else made
            for v in values:
                if isinstance(v, float):
                    total = total * 1.1 + v
                elif isinstance(v, list):
                    v.append(x[0])
                    total = total + v[0] * len(v)
        total = total + copier(dd)["new"] + copier({"n": {"m": (x[0], {"k": x[1]})}})["n"]["m"][1]["k"]
    return total + od["b"][-1]


@program(A([1.0, 2.5]))
def deep_copies_share_what_is_shared(x):
    inner = [x[0]]
    arr = x * 2
    view = arr[1:]
    outer = {"p": inner, "q": (inner, 1.0), "arr": arr, "again": arr, "view": view}
    made = copy.deepcopy(outer)
    made["p"].append(x[1])
    made["arr"][0] = x[1] * 7
    LOG.append((made["p"] is made["q"][0], made["arr"] is made["again"], len(inner), made["view"].base is None))
    return sum(made["q"][0]) + made["again"].sum() + arr.sum() * inner[0] + made["view"][0]


@program(A([1.0, 2.5]))
def deep_copy_with_memo(x):
    memo = {}
    xs = [x[0], [x[1]]]
    ys = copy.deepcopy(xs, memo)
    zs = copy.deepcopy(xs, memo)
    LOG.append(zs is ys)
    zs[1].append(x[0] * 2)
    return sum(ys[1]) * ys[0] + copy.deepcopy(xs[1], memo=memo)[0]


class Node:
    def __init__(self, v):
        self.v = v
        self.next = self


@program(2.0)
def deep_copy_of_a_ring(x):
    a, b = Node(x), Node(x * x)
    a.next, b.next = b, a
    c = copy.deepcopy(a)
    c.next.v = c.next.v * 3
    LOG.append(c.next.next is c)
    return c.v + c.next.v + a.next.v * 2


@program(A([1.0, 2.5]))
def deep_copy_of_an_error(x):
    error = ValueError(x[0] * 2, "words")
    error.extra = [x[1]]
    made = copy.deepcopy(error)
    LOG.append((type(made).__name__, made.args[1]))
    return made.args[0] + made.extra[0]


@program(A([1.0, 2.5]))
def collections_of_arrays(x):
    d = {"w": x * 2, "b": x[:1]}
    q = deque([d["w"], x], maxlen=2)
    d["w"][0] = x[1] * x[0]
    q.append(d["w"] * 3)
    q[0][1] += 1.0
    t = {id(q): q}
    xs = [*q]
    xs.sort(key=lambda v: -v.sum())
    return sum(v.sum() for v in t[id(q)]) + xs[0][0] + d["b"][0] + collections.OrderedDict(d)["w"].prod()
