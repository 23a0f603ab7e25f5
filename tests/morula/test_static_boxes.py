"""Static adjoints of programs with sets, heaps, dicts with computed keys, queues of tuples, and memoised recursion."""

import functools
import heapq
import math
import sys
from collections import Counter, defaultdict, deque
from pathlib import Path

import numpy as np
import pytest
from static_checks import alike, check_programs, check_static, check_tiers, found_by

import morula
from morula.static.python.pairs import record_of

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.fuzz import plain_boxes
from tests.fuzz.plain_methods import MethodsWriter


def shortest_path(w):
    graph = {0: [(1, 1.0), (2, 4.0)], 1: [(2, 2.0), (3, 6.0)], 2: [(3, 3.0)], 3: []}
    distance, done = {0: 0.0}, set()
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done.add(u)
        for v, cost in graph[u]:
            longer = d + cost * w
            if v not in distance or longer < distance[v]:
                distance[v] = longer
                heapq.heappush(heap, (longer, v))
    return distance[3]


def on_a_grid(w):
    n = 5
    start, goal = (0, 0), (n - 1, n - 1)
    cost = {start: 0.0}
    front, closed = [(0.0, start)], set()
    while front:
        _, place = heapq.heappop(front)
        if place == goal:
            break
        if place in closed:
            continue
        closed.add(place)
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            following = (place[0] + dx, place[1] + dy)
            if following[0] < 0 or following[1] < 0 or following[0] >= n or following[1] >= n:
                continue
            found = cost[place] + 1.0 + w * ((following[0] * 3 + following[1]) % 4)
            if found < cost.get(following, math.inf):
                cost[following] = found
                heapq.heappush(front, (found + abs(goal[0] - following[0]), following))
    return cost[goal]


def events(rate):
    queue = []
    heapq.heappush(queue, (1.0 / rate, 0))
    total, n = 0.0, 0
    while queue and n < 40:
        t, kind = heapq.heappop(queue)
        total += math.exp(-0.1 * t) * (kind + 1)
        n += 1
        heapq.heappush(queue, (t + (1.0 + 0.371 * (n % 3) + 0.013 * n) / rate, (kind + 1) % 3))
        if n % 5 == 0:
            heapq.heappush(queue, (t + 0.533 / rate, 2))
    return total


def served(mu):
    busy, wait = [], 0.0
    for i in range(40):
        arrival = 0.3 * i + 0.1 * math.sin(i)
        while busy and busy[0] <= arrival:
            heapq.heappop(busy)
        start = arrival if len(busy) < 3 else heapq.heappop(busy)
        wait += start - arrival
        heapq.heappush(busy, start + 1.2 / mu)
    return wait


def memoised(x):
    memo = {}

    def f(n):
        if n < 2:
            return x * n + 1.0
        if n in memo:
            return memo[n]
        memo[n] = 0.5 * f(n - 1) + 0.3 * f(n - 2) * x
        return memo[n]

    return f(20) + len(memo) * x


def filled_by_recursion(x):
    memo, order = {}, []

    def fill(i):
        if i >= 6:
            return None
        memo[i * 7 % 5, i] = x * i
        fill(i + 1)

    def note(i, y):
        order.append((i, y * x))
        return 0 if i > 3 else 1 + note(i + 1, y * y)

    fill(0)
    n = note(0, x)
    return sum([v * v for v in memo.values()]) + sum([i * y for i, y in order]) + n


def knapsack(x):
    weights, values = [3, 4, 5, 9, 4], [3.0 * x, 4.0, 4.0 + x, 10.0, 4.5]
    memo = {}

    def best(i, capacity):
        if i == len(weights):
            return 0.0
        if (i, capacity) not in memo:
            found = best(i + 1, capacity)
            if weights[i] <= capacity:
                found = max(found, values[i] + best(i + 1, capacity - weights[i]))
            memo[i, capacity] = found
        return memo[i, capacity]

    return best(0, 11) * x


def sparse_product(x):
    matrix, n = {}, 12
    for i in range(n):
        matrix[i, i] = 2.0 + x
        if i > 0:
            matrix[i, i - 1] = -1.0
            matrix[i - 1, i] = -x
    v = [1.0] * n
    for _ in range(3):
        w = [0.0] * n
        for (i, j), entry in matrix.items():
            w[i] += entry * v[j]
        v = w
    return sum(v)


def markov(p):
    distribution = {0: 1.0}
    for _ in range(8):
        following = {}
        for state, q in distribution.items():
            for step, weight in ((1, p), (-1, 1.0 - p)):
                t = max(min(state + step, 4), -4)
                following[t] = following.get(t, 0.0) + q * weight
        distribution = following
    return sum(state * q for state, q in distribution.items())


def page_rank(x):
    adjacent = {}
    for a, b, weight in [(0, 1, 0.5), (1, 2, 0.7), (2, 3, 0.2), (3, 0, 0.9), (1, 3, 0.4)]:
        adjacent.setdefault(a, []).append((b, weight))
        adjacent.setdefault(b, []).append((a, weight))
    rank = {n: 1.0 + 0.1 * n for n in adjacent}
    for _ in range(6):
        new = {}
        for n in adjacent:
            new[n] = 0.15 + x * sum([weight * rank[m] / len(adjacent[m]) for m, weight in adjacent[n]])
        rank = new
    return sum(r * (n + 1) for n, r in rank.items())


def breadth_first(x):
    graph = {0: [1, 2], 1: [3, 4], 2: [4, 5], 3: [6], 4: [6, 7], 5: [7], 6: [8], 7: [8], 8: []}
    queue, seen, total = deque([(0, 1.0)]), {0}, 0.0
    while queue:
        u, v = queue.popleft()
        total += v
        for w in graph[u]:
            if w not in seen:
                seen.add(w)
                queue.append((w, v * x))
    return total


def spanning_tree(x):
    points = [(math.cos(i * x), math.sin(i * 1.7)) for i in range(7)]
    edges = []
    for i in range(7):
        for j in range(i):
            edges.append((math.hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]), i, j))
    edges.sort()
    part = {i: i for i in range(7)}
    total = 0.0
    for d, i, j in edges:
        if part[i] != part[j]:
            total += d
            old, new = part[i], part[j]
            for k in part:
                if part[k] == old:
                    part[k] = new
    return total


def histogram(x):
    counts, totals = Counter(), defaultdict(float)
    y = x
    for _ in range(12):
        y = 3.1 * y * (1 - y)
        counts[int(y * 10)] += 1
        totals[int(y * 10)] += y
    return sum(totals[b] * counts[b] / (b + 1) for b in sorted(totals)) + counts[77]


def counted(x):
    return sum(n * x**k for k, n in Counter([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]).items())


def sieve(x):
    composite, total = set(), 0.0
    for n in range(2, 60):
        if n not in composite:
            total += 1.0 / n**x
            composite.update(range(n * n, 60, n))
    return total


def by_key(x):
    path = [(x * i % 1.0, i) for i in range(6)]
    path.sort(key=lambda item: (-item[1] % 3, item[0] * len(path)))
    return sum((i + 1) * v * x for i, (v, _) in enumerate(path))


class Grid:
    def __init__(self, h):
        self.h = h
        self.cells = {}
        self.seen = set()

    def deposit(self, i, j, mass):
        self.cells[i, j] = self.cells.get((i, j), 0.0) + mass * self.h
        self.seen.add(i)

    def energy(self):
        total = 0.0
        for (i, j), mass in self.cells.items():
            if (i + 1, j) in self.cells:
                total += mass * self.cells[i + 1, j]
        return total * len(self.seen)


def particle_mesh(x):
    grid = Grid(0.5)
    for k in range(20):
        grid.deposit(k % 3, (k * k) % 2, math.sin(k * x))
    return grid.energy()


def cached(x):
    @functools.cache
    def best(i, j):
        if i == 0 or j == 0:
            return x * (i + j)
        return min(best(i - 1, j), best(i, j - 1)) + math.sin(x * i * j)

    @functools.cache
    def pair(n):
        if n == 0:
            return x, 0.5
        a, b = pair(n - 1)
        return a * 0.5 + b, b * x

    return best(6, 6) + pair(7)[0] * pair(7)[1]


def ranked(x):
    score = {}
    for i in range(9):
        score[i % 4, i % 3] = math.sin(i * x)
    best = max(score, key=score.get)
    order = sorted(score.items(), key=lambda item: -item[1])
    total = score[best]
    for place, ((i, j), value) in enumerate(order):
        total += value * (place + 1) * (i - j)
    return total + min(order, key=lambda item: item[1])[1]


def reverse_polish(x):
    stack = []
    for token in "3 x * 2 + x x * -".split():
        if token == "x":
            stack.append(x)
        elif token in "+-*":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if token == "+" else a - b if token == "-" else a * b)
        else:
            stack.append(float(token))
    return stack[0]


def noted_on_one_side(x):
    cache, total = {}, 0.0
    for i in range(10):
        v = x * i
        if i > 2:
            k = (i * 7) % 3
            if k in cache:
                v += cache[k]
            cache[k] = v
        total += v
    return total


PROGRAMS = [
    (shortest_path, 0.37), (on_a_grid, 0.37), (events, 1.3), (served, 0.37), (memoised, 0.37), (knapsack, 0.7),
    (filled_by_recursion, 0.7),
    (sparse_product, 0.37), (markov, 0.37), (page_rank, 0.37), (breadth_first, 0.37), (spanning_tree, 0.37),
    (histogram, 0.2), (counted, 0.37), (by_key, 0.37), (particle_mesh, 0.37),
    (cached, 0.37), (ranked, 0.37), (reverse_polish, 0.37), (noted_on_one_side, 0.37),
]  # fmt: skip


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_programs_with_such_containers(f, x):
    check_static(f, (x,))


def ties(x, y):
    """Equal items of a heap: which of them comes first decides where its derivative goes."""
    heap = []
    for _ in range(7):
        heapq.heappush(heap, (x * 1.0, 1))
        heapq.heappush(heap, (y * 1.0, 1))
    total = 0.0
    for i in range(14):
        v, _ = heapq.heappop(heap)
        total += v * (i + 1)
    return total


def test_equal_items_of_a_heap_are_taken_in_the_same_order():
    check_tiers(ties, (0.5, 0.5))
    assert found_by("static", ties, (0.5, 0.5)).gradient != found_by("static", ties, (0.5, 0.4)).gradient


def of_sets(x):
    one = {8, 0, 16, 3}
    other = set(one)
    other |= {24, 32}
    again = set({i * 8: x for i in range(9)})
    again.discard(16)
    again.update(other)
    total = x
    for members in (one, other, again, one | again, again - one, {i % 5 * 8 for i in again}):
        for i in members:
            total = total * 0.9 + i * x
    while other:
        total = total * 1.1 - other.pop()
    return total


def test_sets_have_the_order_that_they_have():
    check_static(of_sets, (0.37,))


class Meter:
    def __init__(self, u):
        self.u, self.calls, self.seen = u, 0, set()

    @property
    def reading(self):
        self.calls += 1
        return self.u * self.calls

    def several(self):
        return [self.reading, self.reading]


def once_each(x):
    meter = Meter(x)
    known = {int(meter.reading): 1.0}
    total = min(meter.reading, 9.0) + sum(meter.several()) + max(meter.several()) + len(meter.several())
    for i, v in enumerate(meter.several()):
        total += i * v
    for v in reversed(meter.several()):
        total = total * 0.5 + v
    if meter.reading in known or (meter.reading, 1) == (x, 1):
        total += 100.0
    known[int(meter.reading) + 5] = meter.reading
    total += known.get(77, meter.reading)
    return total * meter.calls + sum(known.values())


def test_nothing_runs_twice_because_it_was_looked_at():
    found = found_by("static", once_each, (0.3,))
    assert found.value == once_each(0.3)
    assert alike(found.gradient, found_by("eager", once_each, (0.3,)).gradient)


def cached_of_numbers(x):
    @functools.lru_cache
    def square(v):
        return v * v

    return square(x) + square(x * 1.0) + square(2.0) * x


def cached_too_small(x):
    @functools.lru_cache(maxsize=3)
    def f(n):
        return x if n < 1 else f(n - 1) * x + n

    return f(9) + f(2)


def test_caches_that_texts_do_not_have_are_left_to_the_eager_tier():
    for f in (cached_of_numbers, cached_too_small):
        eager, static = found_by("eager", f, (0.4,)), found_by("static", f, (0.4,))
        assert repr(static.value) == repr(eager.value)
        assert alike(static.gradient, eager.gradient)


def changed_meanwhile(x):
    d = {k: x * k for k in range(3)}
    for k in d:
        d[k + 5] = x
    return d[0]


def test_what_raises_in_the_program_does_so():
    with pytest.raises(RuntimeError, match="changed size"), morula.tier("static"):
        morula.gradient(changed_meanwhile, 0.5)


def looked_up(x, k):
    d = {i: x * i for i in range(4)}
    return d[k] * x


def test_a_key_that_is_missing_is_the_programs_error():
    with morula.tier("static"):
        assert morula.gradient(looked_up, 0.5, 2) == (2.0, None)
        with pytest.raises(KeyError):
            morula.gradient(looked_up, 0.5, 7)


def kinds(x):
    d = {}
    for i in range(4):
        d[i * 2] = i
    d[2] = d[2] + x
    total = 0
    for k, v in d.items():
        total += v * v * k
    return total


def test_numbers_that_become_active_later_keep_their_derivatives():
    check_static(kinds, (0.5,))
    check_tiers(kinds, (2,))
    check_tiers(kinds, (np.float64(0.5),))


def float_keys(x):
    seen = {}
    y = x
    for i in range(5):
        y = y * 1.7
        seen[y] = i * x
        seen[float("nan")] = x
    return sum(seen.values()) + (1.0 if float("nan") in seen else x)


def test_a_nan_is_no_key_of_a_text():
    assert alike(found_by("static", float_keys, (0.3,)).gradient, found_by("eager", float_keys, (0.3,)).gradient)


def read_back(x):
    d = {x * 1.5: 1, x * 2.5: 2}
    return sum(k * v for k, v in d.items())


def test_keys_with_a_derivative_that_are_read_again_are_left_to_the_eager_tier():
    with morula.tier("static"):
        assert morula.gradient(read_back, 0.4) == (6.5,)
    assert "derivative" in str(record_of(read_back).why) or not record_of(read_back).all_pairs


def test_random_programs_with_such_containers():
    check_programs(plain_boxes.BoxWriter, range(20), 10)


def a_queue_gets_what_it_holds(x):
    held = {0: deque([x, 0.2])}
    for i in range(3):
        held[i + 1] = deque([x * i])
    for queue in held.values():
        queue.extend([1.0, queue[-1] * 2.0, queue[-1] + len(queue)])
    return sum([v * (i + 1) for queue in held.values() for i, v in enumerate(queue)])


def a_list_gets_what_it_holds(x):
    twice = [x, 1.0]
    twice.insert(0, x)
    twice.extend((twice[-1], len(twice) * x, twice[-1]))
    return sum([v * (i + 1) for i, v in enumerate(twice)])


def a_set_gets_what_it_holds(x):
    sizes = {1, 2}
    for i in range(3):
        sizes.add(i + 3)
    sizes.update([len(sizes) + 10, len(sizes) + 10, len(sizes) + 20])
    return x * sum(sorted(sizes))


@pytest.mark.parametrize("f", [a_queue_gets_what_it_holds, a_list_gets_what_it_holds, a_set_gets_what_it_holds])
def test_what_a_container_gets_is_read_before_it_changes(f):
    check_static(f, (0.3,))


def test_random_programs_of_methods():
    check_programs(MethodsWriter, range(16), 4)
