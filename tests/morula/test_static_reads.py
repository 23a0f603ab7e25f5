"""Reads that fail at times and are caught, lists that change in their middle, texts made in loops, and iterators."""

import itertools
import math
import operator
from collections import Counter, OrderedDict, defaultdict
from itertools import accumulate, dropwhile, groupby, islice, takewhile, zip_longest

import numpy as np
import pytest
from static_checks import alike, check_static, check_tiers, found_by
from tests.fuzz import plain
from tests.fuzz.plain_reads import ReadsWriter

import morula
from morula.static.python.pairs import new_pair, record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
A = np.array([0.5, -0.3, 0.8, 1.1, 0.2, -0.7, 0.4, 0.9])


# -- exceptions of containers -----------------------------------------------------------------------------------


def memoised(a, b):
    memo = {}

    def f(n):
        try:
            return memo[n]
        except KeyError:
            pass
        r = a if n == 0 else b if n == 1 else 0.6 * f(n - 1) + 0.3 * f(n - 2)
        memo[n] = r
        return r

    return sum(f(i) * 0.1 for i in range(30))


def memoised_by_get(a, b):
    cache = {}

    def binomial(n, k):
        if k == 0 or k == n:
            return a
        v = cache.get((n, k))
        if v is None:
            v = b * binomial(n - 1, k - 1) + 0.5 * binomial(n - 1, k)
            cache[n, k] = v
        return v

    return sum(binomial(9, k) for k in range(10))


def collatz(a, b):
    memo = {1: a}
    total = 0.0
    for n in range(2, 40):
        path = []
        m = n
        while True:
            try:
                v = memo[m]
                break
            except KeyError:
                path.append(m)
                m = m // 2 if m % 2 == 0 else 3 * m + 1
        for m in reversed(path):
            v = v * 0.9 + b
            memo[m] = v
        total += memo[n]
    return total


def periodic(a, b):
    v = [a, b, a * b, 0.4]
    for _ in range(20):
        w = []
        for i in range(len(v)):
            try:
                right = v[i + 1]
            except IndexError:
                right = v[0]
            w.append(v[i] + 0.1 * b * (right - v[i]))
        v = w
    return sum(v[i] * i for i in range(len(v)))


def counted(a, b):
    weights = {}
    for i in range(40):
        try:
            weights[i * i % 7] += a / (i + 1)
        except KeyError:
            weights[i * i % 7] = b
    return sum(v * v for v in weights.values())


def grouped_by_hand(a, b):
    groups = {}
    for i in range(30):
        try:
            groups[i % 4].append(a * math.sin(i * b))
        except KeyError:
            groups[i % 4] = [b]
    return sum(k * sum(vs) / len(vs) for k, vs in groups.items())


def of_two_kinds(a, b):
    data = {"p": [a, b, a * b], "q": [b]}
    t = 0.0
    for i in range(30):
        try:
            row = data["pqr"[i % 3]]
            t += row[i % 4]
        except KeyError:
            t -= 0.1 * a
        except IndexError:
            t += 0.2 * b
    return t


def changed_before_it_raises(a, b):
    stack = [a, b]
    total = 0.0
    for i in range(30):
        try:
            x = stack.pop()
            y = stack.pop()
            stack.append(x * y)
        except IndexError:
            total += 0.1 * i
            stack.append(a)
        if i % 2:
            stack.append(b * i)
    return total + sum(stack)


def calculator(a, b):
    stack = [a]
    env = {"x": a, "y": b}
    for t in ["3", "x", "+", "2", "*", "y", "-", "1.5", "*"] * 4:
        try:
            stack.append(float(t))
        except ValueError:
            if t in env:
                stack.append(env[t])
            else:
                r = stack.pop()
                x = stack.pop()
                stack.append(x + r if t == "+" else x - r if t == "-" else math.sin(x * r))
    return sum(stack)


def recently_used(a, b):
    cache = OrderedDict()
    t = 0.0
    for i in range(40):
        k = i * i % 9
        try:
            cache.move_to_end(k)
        except KeyError:
            cache[k] = a * math.cos(k) + b
            if len(cache) > 4:
                cache.popitem(last=False)
        t += cache[k] / (i + 1)
    return t + cache.popitem()[1]


# -- lists ------------------------------------------------------------------------------------------------------


def kept_in_order(a, b):
    xs = []
    total = 0.0
    for i in range(40):
        x = a * math.sin(i * i * b)
        k = 0
        while k < len(xs) and xs[k] < x:
            k += 1
        xs.insert(k, x)
        if len(xs) > 9:
            del xs[0]
        total += xs[len(xs) // 2]
    return total


def by_slices(a, b):
    xs = [a * i for i in range(10)]
    for k in range(20):
        xs[2:4] = [xs[2] * 0.9 + b, xs[3] * 0.8]
        xs[k % 5 : k % 5] = [b]
        del xs[1:6:3]
        xs.append(a)
        xs[:] = xs[1:] + xs[:1]
        xs.reverse()
    return sum(i * x for i, x in enumerate(xs))


def searched(a, b):
    total = 0.0
    for k in range(8):
        xs = [a * math.sin(i * b + k) for i in range(8)]
        while len(xs) > 3:
            i = xs.index(max(xs))
            total += i * xs[i] + xs.count(xs[0])
            xs.remove(min(xs))
        total += sum(xs) * 0.1 + (xs[0] in xs) * b
    return total


def of_equal_ones(a, b):
    xs = [a, b, a, b, a]
    xs.remove(b)
    xs.insert(1, b * 2)
    return xs.index(a) * a + xs.count(a) * b + sum(i * x for i, x in enumerate(xs))


# -- dicts of arrays --------------------------------------------------------------------------------------------


def trained(a, b):
    p = {"w": A * a, "b": A * b}
    m = {k: np.zeros_like(v) for k, v in p.items()}
    for _ in range(20):
        g = {"w": np.cos(p["b"]), "b": p["w"] + m["w"]}
        m = {k: 0.9 * m[k] + 0.1 * g[k] for k in g}
        p = {k: v - 0.1 * m[k] for k, v in p.items()}
    return np.sum(p["w"] * p["b"])


def with_old_ones(a, b):
    p = {"w": A * a, "b": A * b}
    old, t = p, 0.0
    for i in range(12):
        q = p
        p = {k: v * 0.9 + old["w"] * 0.1 for k, v in p.items()}
        if i % 3 == 0:
            old = p
        t += np.sum(old["w"]) + np.sum(p["b"] * q["w"])
    return t


class State:
    def __init__(self, x, v):
        self.x, self.v = x, v


def of_states(a, b):
    s, t = State(A * a, A * 0.0), 0.0
    for _ in range(20):
        s = State(s.x + 0.1 * s.v, s.v - 0.1 * b * s.x)
        t += np.sum(s.x**2)
    return t


def in_layers(a, b):
    params = {"l1": {"W": A * a, "b": 0.1 * A}, "l2": {"W": A * b, "b": A}}
    for _ in range(10):
        params = {k: {n: v - 0.1 * np.sin(v + b) for n, v in layer.items()} for k, layer in params.items()}
    return sum(np.sum(layer["W"] * layer["b"]) for layer in params.values())


def written_elsewhere(a, b):
    p = {"w": A * a, "b": A * b}
    t = 0.0
    for i in range(5):
        u = p["w"]
        p = dict(p.items())
        u[1] = u[0] * 0.5 + i
        t += np.sum(p["w"]) * i
    return t


# -- texts ------------------------------------------------------------------------------------------------------


def turtle(step, angle):
    rules = {"X": "F[+X]F[-X]+X", "F": "FF"}
    s = "X"
    for _ in range(3):
        s = "".join(rules.get(c, c) for c in s)
    x = y = th = total = 0.0
    stack = []
    for c in s:
        if c == "F":
            x += step * math.cos(th)
            y += step * math.sin(th)
            total += x * y
        elif c in "+-":
            th += angle if c == "+" else -angle
        elif c == "[":
            stack.append((x, y, th))
        elif c == "]":
            x, y, th = stack.pop()
    return total


def automaton(a, b):
    s = "0001000"
    rule = {"111": "0", "110": "1", "101": "1", "100": "0", "011": "1", "010": "1", "001": "1", "000": "0"}
    t = 0.0
    for _ in range(10):
        p = "0" + s + "0"
        s = "".join(rule[p[i : i + 3]] for i in range(len(s)))
        t = t * a * 0.8 + b * s.count("1") - s.find("1") * 0.01 * a
    return t


def digits(a, b):
    total = 0.0
    for n in range(40):
        s = f"{n:b}"
        v = 0.0
        for ch in s:
            v = v * a * 0.5 + (b if ch == "1" else 0.1)
        total += v * (2 if s == s[::-1] else 1) + s.count("1") * b + len(s.strip("1"))
    return total


def machine(a, b):
    code = ["push a", "push b", "mul", "dup", "sin", "add", "halt"]
    env = {"a": a, "b": b}
    stack = []
    pc = 0
    while pc < len(code):
        op, *args = code[pc].split()
        pc += 1
        if op == "push":
            stack.append(env[args[0]])
        elif op == "mul":
            stack.append(stack.pop() * stack.pop())
        elif op == "add":
            stack.append(stack.pop() + stack.pop())
        elif op == "dup":
            stack.append(stack[-1])
        elif op == "sin":
            stack.append(math.sin(stack.pop()))
        else:
            break
    return sum(stack)


def cipher(a, b):
    t = 0.0
    for shift in range(1, 4):
        enc = "".join(chr((ord(c) - 97 + shift) % 26 + 97) if c.isalpha() else c for c in "hello world")
        for i, c in enumerate(enc.upper().lower()):
            t += a * math.cos(b * i) if c in "aeiou" else (ord(c) - 97) * 0.01 * b
    return t


def frequencies(a, b):
    c = Counter("abracadabra")
    c.update("bc")
    total = 0.0
    for _, n in c.most_common(3):
        total -= n / 13 * math.log(n / 13 * a) * b
    return total + c["a"] * a + c["z"] * b


# -- iterators --------------------------------------------------------------------------------------------------


def orbit(a, x):
    while True:
        yield x
        x = a * 0.45 * x * (1 - x) + 0.1


def taken(a, b):
    total = sum(islice(orbit(b, a), 20))
    for i, x in enumerate(islice(orbit(a, b), 5, 30, 2)):
        total += math.log(1 + x * x) * i
    for x in takewhile(lambda v: v < 1.0, orbit(a, 0.1)):
        total += x
        if total > 40:
            break
    for x in dropwhile(lambda v: v < 3, [a * i for i in range(9)]):
        total += x * b
    return total


def added_up(a, b):
    xs = [1 + 0.01 * a * math.sin(i * b) for i in range(30)]
    total = 0.0
    for i, v in enumerate(accumulate(xs, operator.mul)):
        total += v / (i + 1)
    for v in accumulate(xs, lambda s, x: 0.9 * s + x, initial=b):
        total += v * 0.1
    return total + sum(accumulate(xs, initial=a))


def side_by_side(a, b):
    xs, ys = [a * i for i in range(12)], [b / (i + 1) for i in range(9)]
    total = sum(x * y for x, y in zip_longest(xs, ys, fillvalue=0.5))
    for pair in zip(xs, ys, strict=False):
        total += pair[0] * pair[1]
    for n in itertools.count(1):
        total += a / n**2
        if n > 20:
            break
    return total


def in_groups(a, b):
    rows = [(i % 4, a * math.sin(i * b)) for i in range(24)]
    rows.sort(key=lambda r: r[0])
    out = {}
    for k, group in groupby(rows, key=lambda r: r[0]):
        vals = [v for _, v in group]
        out[k] = (k + 1) * max(vals) - min(vals)
    signs = 0.0
    for is_positive, some in groupby([a * math.sin(i * b) for i in range(20)], key=lambda v: v > 0):
        s = sum(some)
        signs += s * s if is_positive else -s * b
    return sum(out.values()) + signs


def of_ufuncs(a, b):
    x, t = A * a, 0.0
    for _ in range(5):
        d = np.subtract.outer(x, x)
        x = x - b * 0.01 * np.add.reduce(d * np.exp(-d * d), axis=1)
        t += np.add.reduce(x) + np.multiply.reduce(x) + np.maximum.reduce(x) + np.sum(np.add.accumulate(x))
    return t


PROGRAMS = [
    memoised, memoised_by_get, collatz, periodic, counted, grouped_by_hand, of_two_kinds, changed_before_it_raises,
    calculator, recently_used, kept_in_order, by_slices, searched, of_equal_ones, trained, with_old_ones, of_states,
    in_layers, turtle, automaton, digits, machine, cipher, frequencies, taken, added_up, side_by_side, in_groups,
    of_ufuncs,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs(f):
    check_static(f, (1.2, 0.4))
    other = check_tiers(f, (np.float64(0.9), 0.7))  # other branches, and another type
    with morula.tier("eager"):
        assert alike(other, morula.gradient(f, np.float64(0.9), 0.7))


def test_arrays_that_others_write_into():
    with pytest.raises(Exception, match="something else may have"):
        new_pair(written_elsewhere, (1.2, 0.4), (0, 1))
    assert alike(found_by("static", written_elsewhere, (1.2, 0.4)), found_by("eager", written_elsewhere, (1.2, 0.4)))


def looked_up(a, k):
    table = {i: a * i for i in range(5)}
    try:
        return table[k] * a
    except KeyError:
        return a


def at_place(a, i):
    xs = [a, a * a, a**3]
    try:
        del xs[i]
        return xs[i] + sum(xs)
    except IndexError:
        return xs[0] - len(xs)


@pytest.mark.parametrize("f", [looked_up, at_place])
def test_what_is_caught_on_other_paths(f):
    """Also reads that succeed the first time, keys of other types, and what is not caught at all."""
    for k in (1, 2, 7, -1, -4, 1.0, 0.5, True, "x", None):
        assert repr(found_by("static", f, (0.7, k))) == repr(found_by("eager", f, (0.7, k)))


def unhashable(a, k):
    table = {1: a}
    try:
        return table[k, [a][0] > 0]
    except (KeyError, TypeError):
        return 2 * a


def of_text(a, s):
    t = 0.0
    for c in s:
        try:
            t += float(c) * a
        except ValueError:
            t -= a
    return t + s.index("1")


def test_texts_that_are_given():
    assert found_by("static", unhashable, (0.7, 1)).value == 1.4
    for s in ("12x", "x1", "1" * 80, "", "no"):
        assert repr(found_by("static", of_text, (0.7, s))) == repr(found_by("eager", of_text, (0.7, s)))


def spelled(a):
    return float(f"{a}") * a


def test_numbers_read_from_texts_of_active_ones():
    for tier in ("static", "eager"):
        found = found_by(tier, spelled, (0.7,))
    assert repr(found) == repr(found_by("static", spelled, (0.7,)))
    assert not record_of(spelled).all_pairs


def group_used_twice(a):
    total = 0.0
    for _, group in groupby([a, a * 2, a * 3], key=lambda v: v > 1):
        total += sum(group) + 2 * sum(group)  # noqa: B031
    return total


def group_kept(a):
    held = []
    for _, group in groupby([a, a * 2, a * 3], key=lambda v: v > 1):
        held.append(group)
    return sum(sum(g) for g in held) + a


def changed_meanwhile(a):
    xs = [a, a * 2, a * 3]
    total = 0.0
    for x, y in zip_longest(xs, [a, a], fillvalue=0.5):
        xs.append(x)
        total += x * y
        if len(xs) > 6:
            break
    return total


@pytest.mark.parametrize("f", [group_used_twice, group_kept, changed_meanwhile])
def test_iterators_that_are_not_lists(f):
    assert repr(found_by("static", f, (0.7,))) == repr(found_by("eager", f, (0.7,)))
    assert found_by("static", f, (0.7,)).value == f(0.7)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    source, verdict = plain.check(seed + 40, ReadsWriter)
    assert verdict.kind != "wrong", source


def test_defaults_of_groups():
    def f(a, b):
        groups = defaultdict(list)
        for i in range(12):
            groups[i % 3].insert(0, a * i + b)
        return sum(k * vs[1] for k, vs in groups.items())

    check_static(f, (1.2, 0.4))
