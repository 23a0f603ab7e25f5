"""Lists, dicts, tuples, sets, queues and counters."""

import collections
import copy
import heapq
import operator
from collections import Counter, OrderedDict, defaultdict, deque

from corpus import LOG, MATRIX, NUMBERS, PAIR, TABLE, THREE, VECTOR, Programs, X, floats

program = Programs()


@program(X)
def dict_getitem_dunder(x):
    d = {"a": x, "b": 2 * x}
    return sum(map(d.__getitem__, ["a", "b"]))


@program(X)
def dict_setitem_dunder(x):
    d = {}
    d.__setitem__("a", x * x)
    return d["a"]


@program(X)
def list_getitem_dunder(x):
    xs = [x, 2 * x]
    return xs.__getitem__(1) * 3


@program(X)
def list_setitem_dunder(x):
    xs = [0.0, 0.0]
    xs.__setitem__(1, x * x)
    return xs[1]


@program(X)
def list_iadd_dunder(x):
    xs = [0.0]
    xs.__iadd__([x * x])
    return xs[1]


@program(X)
def tuple_getitem_dunder(x):
    t = (x, 2 * x)
    return t.__getitem__(1) * 3


@program(X)
def dict_values_early(x):
    d = {"a": 1.0, "b": 2.0}
    v = d.values()
    d["a"] = x * x
    return sum(v)


@program(X)
def dict_items_early(x):
    d = {"a": 1.0, "b": 2.0}
    v = d.items()
    d["a"] = x * x
    return sum((q for _, q in v))


@program(TABLE)
def loop_over_dict(d):
    s = 0.0
    for k in d:
        s += d[k] * len(k)
    return s


@program(TABLE)
def keys_listed_and_sorted(d):
    return sum(d[k] for k in list(d)) + sum(d[k] for k in sorted(d, key=d.get))


@program(X)
def keys_of_a_dict(x):
    d = {"a": x}
    s = 0.0
    for k in d.keys():  # noqa: SIM118
        s += d[k]
    for k in d:
        s += d[k]
    return s


@program(TABLE)
def sorted_keys(d):
    return sum((d[k] * i for i, k in enumerate(sorted(d.keys()))))


@program(TABLE)
def dict_as_keywords(d):
    def g(p, q):
        return p * q * q

    return g(**d) + g(**{**d, "q": d["p"]}) + g(*d.values()) + sum((v for k, v in sorted(d.items())))


@program(TABLE)
def dict_comprehension(d):
    e = {k: v * v for k, v in d.items() if v > 0}
    f = dict(zip(d, e.values()))
    g = dict(d, p=e["q"])
    h = dict.fromkeys("ab", d["p"])
    return f["p"] * g["p"] * h["b"] + dict([("z", d["q"])])["z"] + len({v for v in d.values()})  # noqa: C406, C416


@program(THREE)
def dict_updated_by_generator(x):
    d = {i: v for i, v in enumerate(x)}  # noqa: C416
    d.update((i, v * 2) for i, v in enumerate(x[:2]))
    d = {**d, 7: x[0]}
    return sum(d[k] * (k + 1) for k in d)


@program(THREE)
def dict_of_dicts(x):
    d = {}
    d.setdefault("a", {})["b"] = x[0]
    d["a"]["b"] *= x[1]
    e = copy.copy(d)
    f = copy.deepcopy(d)
    d["a"]["b"] = 1.0
    return e["a"]["b"] * f["a"]["b"] + x[2]


@program(THREE)
def dict_views(x):
    d = {"a": x[0], "b": x[1]}
    vals, items = d.values(), d.items()
    d["c"] = x[2]
    d["a"] = x[1] * 2
    return sum(vals) + sum(v * len(k) for k, v in items) + max(d.values()) + sorted(d.items(), key=lambda t: t[1])[0][1]


@program(THREE)
def dict_mutation_in_loop(x):
    d = {"a": x[0], "b": x[1]}
    for k in list(d):
        d[k + k] = d[k] * x[2]
    for k, v in d.items():
        d[k] = v * 2
    return sum(v * (i + 1) for i, v in enumerate(d.values()))


@program(floats(2, 3), want=floats(3, 2))
def popped_and_stored_again(x):
    d = {"a": x[0]}
    d["b"] = d.pop("a") * x[1]
    d["a"] = 1.0
    return sum(v * (i + 1) for i, v in enumerate(d.values()))


@program(TABLE)
def dict_in_place(d):
    d["p"] += d["q"]
    d["r"] = d.pop("q") * d["p"]
    d |= {"s": d["p"]}
    d.update(p=d["r"] ** 2)
    k = d.setdefault("z", d["s"])
    return sum(d.values()) * k


@program(NUMBERS)
def list_in_place(xs):
    xs[0] += xs[1]
    xs[-1] *= xs[0]
    xs += [xs[0] * 2]
    xs *= 2
    xs[1:3] = [xs[0]]
    del xs[0]
    return sum((v * i for i, v in enumerate(xs)))


@program(PAIR)
def tuple_in_place(t):
    t += (t[0] * t[1],)
    t = t * 2
    a, *b, c = t
    return a * c + sum(b) * t[-2]


@program(X)
def nested_lists_in_place(x):
    g = [[0.0, 0.0], [0.0, 0.0]]
    for i in range(2):
        for j in range(2):
            g[i][j] += x * (i + 1) * (j + 2)
            g[j][i] *= x
    return sum(map(sum, g))


@program(X)
def repeated_row_in_place(x):
    g = [[0.0] * 2] * 2
    g[0][0] += x
    g[1][0] += x * x
    return g[0][0] * g[1][0]


@program(THREE)
def list_as_stack(x):
    s = [x[0]]
    while len(s) < 5:
        s.append(s[-1] * x[1] + (s[-2] if len(s) > 1 else 0.0))
    return s.pop() + sum(s[1:3]) * s[0]


@program(THREE)
def list_slice_assign(x):
    s = [x[0], x[1], x[2], 4.0]
    s[1:3] = [x[0] * 2]
    s[::2] = [x[2], 5.0]
    del s[1]
    return sum(v * (i + 1) for i, v in enumerate(s))


@program(THREE)
def list_nested_alias(x):
    a = [x[0], x[1]]
    b = [a, a]
    b[0][0] = x[2]
    return b[1][0] * b[1][1] * 2


@program(THREE)
def list_iadd_alias(x):
    a = [x[0]]
    b = a
    b += [x[1]]
    b *= 2
    return sum(v * (i + 1) for i, v in enumerate(a))


@program(THREE)
def list_of_lists_mult(x):
    a = [[x[0]]] * 3
    a[1][0] = x[1]
    return sum(r[0] * (i + 1) for i, r in enumerate(a))


@program(THREE)
def setitem_list(x):
    y = [x[0], x[1]]
    operator.setitem(y, 1, x[2])
    y.__setitem__(0, x[1])
    return y[0] * y[1]


@program(THREE)
def tuple_ops(x):
    t = (x[0], x[1])
    t += (x[2],)
    u = t * 2
    a, *b = u[1:4]
    return sum(v * (i + 1) for i, v in enumerate(u)) + a * sum(b) + t.index(x[1]) + t.count(x[0])


@program(THREE)
def tuple_compare(x):
    return (
        (x[0] if (x[0], x[1]) < (x[1], x[0]) else x[1])
        * max((x[0], 1), (x[2], 0))[0]
        * min([x[1], 3.0], [x[2], 1.0])[0]
    )


@program(X)
def counter_of_letters(x):
    c = Counter(ch for ch in "abca")
    return c["a"] * x


@program(X)
def counter_of_a_text(x):
    c = collections.Counter("aab")
    return sum(x * v for v in c.values()) + c["a"] * x + c["zz"]


@program(X)
def counter_active(x):
    c = Counter()
    c["a"] += x
    c["a"] += x * x
    return c["a"]


@program(X)
def counter_of_active_values(x):
    c = collections.Counter()
    c["a"] += x
    c["a"] += x * x
    c["b"] = x
    return c["a"] * c["b"] + c["none"]


@program(X)
def defaultdict_of_floats(x):
    d = defaultdict(float)
    d["a"] += x
    d["a"] += x * x
    d["b"] -= x
    return d["a"] * d["b"]


@program(X)
def defaultdict_list(x):
    d = defaultdict(list)
    d["a"].append(x)
    d["a"].append(x * x)
    return sum(d["a"])


@program(X)
def ordered_dict(x):
    d = OrderedDict()
    d["a"] = x
    d["b"] = x * x
    d.move_to_end("a")
    return list(d.values())[0] + 3 * d.popitem(last=False)[1]  # noqa: RUF015


@program(X)
def ordered_dict_of_pairs(x):
    d = OrderedDict([("a", x), ("b", x * x)])
    return d["a"] * d["b"]


@program(X)
def ordered_dict_of_keywords(x):
    d = OrderedDict(a=x)
    return d["a"] * 2


@program(X)
def deque_of_a_generator(x):
    q = deque(i * 2 for i in range(3))
    return q.popleft() + q.pop() * x


@program(X)
def set_updated_by_a_generator(x):
    s = set()
    s.update(i for i in range(3))
    return len(s) * x


@program(X)
def heap_of_constants(x):
    h = [3.0, 1.0, 2.0]
    heapq.heapify(h)
    return heapq.heappop(h) * x


@program(NUMBERS, VECTOR)
def stars_in_displays(xs, a):
    def g():
        return (*xs, xs[0])

    i = (0,)
    r = 0.0
    for v in (*xs, xs[1]):
        r += v * v
    h = k = q = xs[0] * 2
    j = xs[2] = xs[1] * 3
    (u, xs[0]), [w] = ((xs[1], h), [j])
    return sum(g()) + a[*i,] + r + h * k * q + j + u * w + sum([*xs, *a]) + max(*xs, *a) + sum((*xs,))


@program(NUMBERS)
def zip_of_pairs(xs):
    a, b = zip(*[(v, v * v) for v in xs])
    return sum(a) * sum(b)


@program(THREE)
def zip_of_stars(x):
    a, b = zip(*[(x[0], x[1]), (x[2], x[0])])
    return sum(a) * sum(b)


@program(VECTOR)
def arrays_in_nested_containers(a):
    t = (a * 1.0, [a * 2.0])
    t[0][1] = 7.0
    t[1][0][2] *= t[0][0]
    u = t
    b, [c] = u
    return (b * c).sum()


@program(VECTOR)
def arrays_in_a_dict(a):
    d = {}
    d["w"] = a * 1.0
    d["v"] = d["w"]
    d["w"] += 1
    d["v"][0] *= 3
    e = dict(d)
    e["w"][1] = 0.0
    e["w"] = e["w"] * 2
    return (d["w"] * d["v"]).sum() + e["w"].sum()


@program(VECTOR)
def arrays_repeated_in_a_list(a):
    r = [a * 1.0] * 2
    r[0][0] = 3.0
    s = [list(r)]
    s[0][1][1] *= 2
    r.append(r[0])
    r[2] += r[1]
    return sum((v.sum() * (i + 1) for i, v in enumerate(r)))


@program(MATRIX)
def rows_in_lists(m):
    rows = list(m)
    rows[0][:] = rows[1] * 2
    r = [*m]
    r[2][0] = m[0, 0]
    u, v, _w = m
    v += u
    return (m * m).sum()


@program(MATRIX)
def rows_in_a_dict(m):
    y = m * 1.0
    d = {i: r for i, r in enumerate(y)}  # noqa: C416
    d[0][1] = d[1][2] * 2
    d[2] += d[0]
    d[1] = d[1] * 2
    return (y * y).sum() + d[1].sum()


@program(floats(1, 2, 3))
def dictionary_of_arrays(x):
    d = {"a": x, "b": x[1:]}
    d["b"] *= 3
    return (d["a"] ** 2).sum()


@program(floats(1, 2, 3))
def written_after_use_in_a_list(x):
    held = [x * 2, x]
    x[0] = 5.0
    return held[0].sum() + (held[1] ** 2).sum()


@program(X)
def assignments_that_python_refuses(x):
    class Tagged:
        def __ror__(self, other):
            return len(other) * x

    def attempt(change):
        try:
            change()
        except TypeError as error:
            LOG.append(str(error))
            return x
        return 1.0

    def to_text(t):
        t += "a"

    def to_nothing(t):
        t["a"] -= x

    def to_set(t):
        t |= x

    kept = {1, 2}
    kept |= Tagged()
    return kept * attempt(lambda: to_text(x)) + attempt(lambda: to_nothing({"a": None})) * attempt(lambda: to_set({1}))
