"""Where rules that need something of the engine are checked: iterators, and functions of functions."""

import functools
import itertools
import operator

import numpy as np

from .points import case

X = [0.3, -1.2, 2.5, 0.9]
T = (1.7, 0.6, -0.4)
A = np.array(T)
M = np.array([[1.0, -0.5], [0.3, 2.0], [1.5, 0.7]])


class Endless:
    """1, 2, 3, ... again and again."""

    def __iter__(self):
        return itertools.count(1)


class Affine:
    """A callable with state."""

    def __init__(self, slope, shift):
        self.slope, self.shift = slope, shift

    def __call__(self, x):
        return self.slope * x + self.shift


def square(x):
    return x * x


def blend(a, b):
    return a * b + 0.5 * a


def positive(x):
    return x > 0


BUILTINS = [
    case(map, square, X), case(map, square, A), case(map, square, M), case(map, blend, X, T), case(map, blend, A, T),
    case(map, square, []), case(map, operator.mul, T, A), case(map, str, [1, 2]), case(map, Affine(2.0, 1.0), T),
    case(filter, positive, X), case(filter, None, [1.0, 0, 2.0]), case(filter, positive, A),
    case(filter, positive, ()),
    case(zip, X, T), case(zip, X, "abcd"), case(zip, A, M), case(zip), case(zip, T, A, strict=True), case(zip, [], X),
    case(enumerate, X), case(enumerate, A, 3), case(enumerate, T, start=2), case(enumerate, M),
    case(reversed, X), case(reversed, T), case(reversed, A), case(reversed, M), case(reversed, []),
    case(iter, X), case(iter, A), case(iter, M), case(iter, {"a": 1.0}),
    case(list, X), case(list, T), case(list, A), case(list, M), case(list), case(list, "ab"), case(list, {"a": 1.0}),
    case(tuple, X), case(tuple, T), case(tuple, A), case(tuple), case(tuple, []),
    case(dict, {"a": 1.0, "b": A}), case(dict), case(dict, [("a", 1.0), ("b", 2.0), ("a", 3.0)]), case(dict, a=1),
    case(dict, {"a": 1.0, "b": 2.0}, a=3), case(dict, [["a", 1.0]], b=2),
]  # fmt: skip

ITERTOOLS = [
    case(itertools.accumulate, X), case(itertools.accumulate, A), case(itertools.accumulate, M),
    case(itertools.accumulate, X, operator.mul), case(itertools.accumulate, T, blend), case(itertools.accumulate, []),
    case(itertools.accumulate, X, blend, initial=2), case(itertools.accumulate, X, initial=2),
    case(itertools.accumulate, [1.0, A, 2.0]), case(itertools.accumulate, X, max),
    case(itertools.accumulate, (), initial=1.0),
    case(itertools.compress, X, [1, 0, 1, 1]), case(itertools.compress, A, [0, 1]),
    case(itertools.compress, X, [0] * 4),
    case(itertools.dropwhile, positive, X), case(itertools.dropwhile, positive, [1.0, 2.0]),
    case(itertools.takewhile, positive, X), case(itertools.takewhile, positive, T),
    case(itertools.filterfalse, positive, X), case(itertools.filterfalse, None, [1.0, 0]),
    *(case(itertools.islice, X, *bounds) for bounds in ((2,), (1, 3), (0, None, 2), (1, None), (None,), (5, 9), (0,))),
    case(itertools.islice, M, 1, None), case(itertools.pairwise, X), case(itertools.pairwise, A),
    case(itertools.pairwise, [1.0]),
    case(itertools.starmap, blend, [(1.0, 2.0), (3.0, -1.0)]), case(itertools.starmap, blend, M),
    case(itertools.starmap, blend, []),
    case(itertools.tee, X), case(itertools.tee, A, 3), case(itertools.tee, X, 0),
    case(itertools.chain, X, T, A), case(itertools.chain), case(itertools.chain, [], X, "ab"),
    case(itertools.chain, M, X),
    case(itertools.chain.from_iterable, [X, T]), case(itertools.chain.from_iterable, M),
    case(itertools.chain.from_iterable, []),
    case(itertools.zip_longest, X, T), case(itertools.zip_longest, T, X, fillvalue=0.0),
    case(itertools.zip_longest, [], A),
    case(itertools.product, X, T), case(itertools.product, T, repeat=2), case(itertools.product, T, A, repeat=2),
    case(itertools.product), case(itertools.product, X, []), case(itertools.product, "ab", X),
    case(itertools.permutations, X), case(itertools.permutations, T, 2), case(itertools.permutations, A, None),
    *(case(f, x, r) for f in (itertools.combinations, itertools.combinations_with_replacement)
      for x, r in ((X, 2), (A, 3), (M, 2), (X, 0), ([], 1))),
    case(itertools.repeat, 1.5, 3), case(itertools.repeat, A, 2), case(itertools.repeat, 1.5, 0),
    case(itertools.repeat, 1.5, times=2),
]  # fmt: skip
if hasattr(itertools, "batched"):
    ITERTOOLS += [case(itertools.batched, x, n) for x in (X, A, []) for n in (1, 2, 3)]

# Infinite ones, and how many items are looked at.
ENDLESS = [
    (case(itertools.cycle, X), 9), (case(itertools.cycle, A), 2), (case(itertools.cycle, []), 3),
    (case(itertools.count, 0.5, 0.25), 4), (case(itertools.count, 0.5), 3), (case(itertools.count, 1, 0.5), 3),
    (case(itertools.count), 2),
    (case(itertools.repeat, 1.5), 3), (case(map, blend, Endless(), X), 4),
    (case(zip, X, Endless()), 4),
    (case(itertools.islice, X, 1, None), 2), (case(itertools.chain, X, T), 5), (case(map, square, X), 2),
    (case(itertools.accumulate, X, operator.mul), 3), (case(filter, positive, X), 1),
]  # fmt: skip

CALLS = [
    case(functools.reduce, blend, X), case(functools.reduce, operator.mul, A), case(functools.reduce, blend, X, 0.7),
    case(functools.reduce, blend, [], 0.7), case(functools.reduce, blend, (1.5,)),
    case(functools.reduce, operator.add, M),
    case(functools.reduce, np.multiply, [1.5, A, 2.0]), case(functools.reduce, max, X),
    case(functools.reduce, operator.add, M, 1.0),
    case(functools.lru_cache(blend), 2.0, 1.5),
    case(operator.call, blend, 2.0, 1.5), case(operator.call, Affine(2.0, 1.0), 1.5),
    case(operator.call, blend, 2.0, b=1),
    case(operator.getitem, {"a": 1.0, "b": A}, "b"), case(operator.itemgetter(1), [1.0, 2.0]),
    case(operator.itemgetter(1, 0, 1), (1.0, 2.0)),
    case(operator.itemgetter("a"), {"a": 1.0, "b": 2.0}), case(operator.itemgetter(slice(2)), A),
    case(operator.itemgetter(0, slice(2)), A),
]  # fmt: skip

# The attributes of a partial cannot be set: what it holds is looked at in a test of its own.
HELD = [
    case(functools.partial(blend, 2.0), 1.5), case(functools.partial(blend, b=2), 1.5),
    case(functools.partial(blend), 2.0, 1.5), case(functools.partial(operator.mul, A), 1.5),
]  # fmt: skip

WITH_CONFIG = BUILTINS + ITERTOOLS + CALLS
ELSEWHERE = [f if isinstance(f, type) or f.__class__ is type(len) else type(f) for f, _, _ in WITH_CONFIG]
ELSEWHERE += [itertools.cycle, itertools.count, functools.partial]
