"""Random sequences of operations on containers: the same value and order as plainly, the gradient of differences."""

import copy
import itertools
from collections import OrderedDict, deque

import numpy as np
import pytest
from morula_helpers import verify


def on_lists(xs, x, n, k):
    """One operation, number `n`, on a list or a deque; `k` is any integer."""
    size = len(xs)
    i = k % size if size else 0
    v = x[k % len(x)] * (1 + 0.1 * k)
    if n == 0 or size < 2:
        xs.append(v)
    elif n == 1:
        xs[i] = xs[i - 1] * v
    elif n == 2:
        del xs[i]
    elif n == 3:
        xs.insert(k - 2, v)
    elif n == 4:
        xs.extend([v, 0.5 * k, xs[0]])
    elif n == 5:
        xs.reverse()
    elif n == 6:
        xs.append(xs.pop() + v)
    elif n == 7:
        xs += (w * 1.1 for w in list(xs)[:2])
    elif n == 8:
        xs.remove(xs[i])
    elif n == 9:
        ys = copy.copy(xs)
        ys[i] = v
        xs[0] = ys[i] + xs[0]
    elif n == 10 and isinstance(xs, list):
        xs[i : i + 2] = [v, 1.0, xs[-1]]
    elif n == 11 and isinstance(xs, list):
        xs[::2] = [w * v for w in xs[::2]]
    elif n == 12 and isinstance(xs, deque):
        xs.rotate(k)
        xs.appendleft(xs.popleft() * v)
    elif n == 13:
        for j, w in enumerate(reversed(copy.deepcopy(xs))):
            xs[j] = xs[j] + w * 0.1
    elif n == 14:
        xs.extend(list(xs * 2)[:3])


def on_mappings(d, x, n, k):
    key = "abcdef"[k % 6]
    v = x[k % len(x)] * (1 + 0.1 * k)
    if n == 0 or not d:
        d[key] = v
    elif n == 1:
        d[key] = d.setdefault(key, v) + 1
    elif n == 2:
        d["g"] = d.pop(key, v) * 2
    elif n == 3:
        d.update({key: v}, h=d.get(key, 0.5))
    elif n == 4:
        last, w = d.popitem()
        d[last + "'" if len(last) < 3 else "a"] = w * v
    elif n == 5:
        d |= {name: w * 1.1 for name, w in d.items() if name < key}
    elif n == 6:
        for name in list(d):
            if name > key:
                del d[name]
    elif n == 7:
        e = d.copy()
        e[key] = v
        d["z"] = sum(e.values())
    elif n == 8:
        d.update(zip("pq", d.values(), strict=False))
    elif n == 9 and isinstance(d, OrderedDict):
        d.move_to_end(next(iter(d)))
    elif n == 10:
        for name, w in zip(d, d.values(), strict=True):
            d[name] = w + v


def on_sets(s, x, n, k):
    v = x[k % len(x)] * (1 + 0.1 * k)
    others = {x[j] * (1 + 0.1 * j) for j in range(k % 3, k % 3 + 4)}
    if n == 0:
        s.add(v)
    elif n == 1:
        s.discard(v)
    elif n == 2:
        s |= others
    elif n == 3:
        s -= others
    elif n == 4:
        s ^= others
    elif n == 5 and len(s) > 4:
        s &= others | {v}
    elif n == 6:
        s.update(w * 1.3 for w in sorted(s)[:2])
    elif n == 7 and s:
        low = min(s)
        s.remove(low)
        s.add(low * v)
    elif n == 8:
        kept = frozenset(s).union([v], others)
        s.symmetric_difference_update(kept)
    elif n == 9:
        t = s.copy()
        t.add(v * 7)
        s.intersection_update(t.union(others))
    elif n == 10:
        s.difference_update([v], iter(others))


KINDS = {
    "list": (list, on_lists), "deque": (deque, on_lists), "bounded": (lambda: deque(maxlen=5), on_lists),
    "dict": (dict, on_mappings), "ordered": (OrderedDict, on_mappings), "set": (set, on_sets),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "seed"), list(itertools.product(KINDS, range(6))))
def test_random_operations(kind, seed):
    make, operate = KINDS[kind]
    rng = np.random.default_rng(seed)
    log: list = []

    def f(x):
        c = make()
        for n, k in steps:
            try:
                operate(c, x, n, k)
            except (IndexError, ValueError, KeyError, RuntimeError) as error:
                log.append(str(error))
            log.append([round(float(str(v)), 6) for v in (c.values() if isinstance(c, dict) else c)])
        items = c.values() if isinstance(c, dict) else c
        return sum(v * (1 + 0.2 * (i % 7)) for i, v in enumerate(items)) * 0.1 + x[0]

    steps = [(int(n), int(k)) for n, k in rng.integers(0, (15 if operate is on_lists else 11, 12), (14, 2))]
    x = rng.uniform(0.5, 1.5, 6)
    if kind == "set":  # the order of a set of numbers depends on their hashes, which differences change

        def g(x):
            c: set = set()
            for n, k in steps:
                operate(c, x, n, k)
            return sum(v * v for v in sorted(c))

        verify(g, x)
    else:
        verify(f, x, log=log)
