"""Numbers that are keys of dicts and come out again."""

from collections import Counter, OrderedDict, defaultdict

from corpus import Programs

program = Programs()


@program(0.7, 1.9)
def keys_in_a_loop(a, b):
    d = {a: 1, b: 2}
    total = 0.0
    for k in d:
        total += k * d[k]
    return total + sum(k * v for k, v in d.items()) * max(d) + min(d.keys())


@program(0.7, 1.9)
def keys_of_copies(a, b):
    d = {a: 1}
    e = {**d, b: 2}
    f = dict((e | {a * b: 3}).items()).copy()
    f.update({b * b: 1.0})
    return sum(f) + max(reversed(f.keys())) * next(iter(e)) + sum({**d}.keys()) + sum(set(e))


@program(0.7, 1.9)
def keys_stored(a, b):
    d = {}
    d[a] = 1.0
    d.setdefault(b, a)
    d.setdefault(a, 7.0)
    d[a] += 1.0
    del d[b]
    d[b * 2] = 1.0
    k, v = d.popitem()
    return sum(d) * k + v + list(dict.fromkeys([a, b, a]))[1]


@program(0.7, 1.9)
def keys_of_other_classes(a, b):
    d = OrderedDict([(a, 1), (b, 2)])
    d.move_to_end(a)
    k, v = d.popitem()
    lists = defaultdict(list)
    lists[a].append(b)
    lists[a * 2].append(a)
    return k * k * v + sum(d) + sum(k * len(v) + sum(v) for k, v in lists.items())


@program(0.7, 1.9)
def counted(a, b):
    counts = Counter([a, b, a])
    counts[b * b] += 2
    return sum(counts.elements()) + counts.most_common(1)[0][0] ** 2 + sum(counts)


@program(0.7, 1.9)
def tuples_as_keys(a, b):
    d = {(a, 1): 2.0, (b, 2): 3.0}
    inverse = {v: k for k, v in {"p": a, "q": b}.items()}
    return sum(k[0] * v for k, v in d.items()) + sum(x * x for x in inverse) + max(inverse, key=inverse.get)


@program(0.7, 1.9)
def kept_values_of_a_function(a, b):
    seen = {}

    def f(x):
        if x not in seen:
            if len(seen) > 1:
                seen.pop(next(iter(seen)))
            seen[x] = x**3
        return seen[x]

    return f(a) + f(b) * f(a) + f(a * b) + f(a)


class Pairs:
    def __init__(self):
        self.pairs = []

    def __setitem__(self, k, v):
        self.pairs.append(k * v)


@program(0.7, 1.9)
def keys_of_own_classes(a, b):
    p = Pairs()
    p[a] = 2.0
    p[b] = a
    p[a] = b
    return sum(p.pairs)


@program(0.7, 1.9)
def one_object_is_two_keys(a, b):
    c = a
    d, e = {a: b}, {c: 2.0}
    return sum(d) * 3 + sum(e) * b
