"""Iterators of `itertools` as generators, whose bodies stand where a loop goes through them (see `generators`).

Each takes what it goes through item by item, just as the original does, so that what generators do between two items
happens when it does in the program.
"""

from __future__ import annotations

import ast
import itertools
import operator
from typing import Any

from morula.static.python.slopes import has_own_rule
from morula.transform.syntax import walk

__all__ = ["is_group_gone_through_once", "looks_ahead", "stream_for"]


def sliced_to(items, stop):  # type: ignore[no-untyped-def]
    if operator.index(stop) < 0:
        raise ValueError
    i = 0
    if stop > 0:
        for x in items:
            yield x
            i += 1
            if i >= stop:
                break


def sliced(items, start, stop, step=1):  # type: ignore[no-untyped-def]
    if operator.index(start) < 0 or operator.index(stop) < 0 or operator.index(step) < 1:
        raise ValueError
    i = 0
    if stop > 0:
        for x in items:
            if i >= start and (i - start) % step == 0:
                yield x
            i += 1
            if i >= stop:
                break


def sliced_from(items, start):  # type: ignore[no-untyped-def]
    if operator.index(start) < 0:
        raise ValueError
    for i, x in enumerate(items):
        if i >= start:
            yield x


def added_up(items, initial):  # type: ignore[no-untyped-def]
    total = initial
    yield total
    for x in items:
        total = total + x
        yield total


def accumulated(items, func, initial):  # type: ignore[no-untyped-def]
    total = initial
    yield total
    for x in items:
        total = func(total, x)
        yield total


def taken_while(predicate, items):  # type: ignore[no-untyped-def]
    for x in items:
        if not predicate(x):
            break
        yield x


def dropped_while(predicate, items):  # type: ignore[no-untyped-def]
    has_begun = False
    for x in items:
        if not has_begun:
            if predicate(x):
                continue
            has_begun = True
        yield x


def filtered_false(predicate, items):  # type: ignore[no-untyped-def]
    for x in items:
        if not predicate(x):
            yield x


def counted(start=0, step=1):  # type: ignore[no-untyped-def]
    n = start
    while True:
        yield n
        n = n + step


def repeated(item, times):  # type: ignore[no-untyped-def]
    for _ in range(times):
        yield item


def zipped_longest(one, other, fillvalue=None):  # type: ignore[no-untyped-def]
    n = len(one)
    m = len(other)
    for i in range(max(n, m)):
        yield (one[i] if i < n else fillvalue), (other[i] if i < m else fillvalue)


def grouped_by(items, key):  # type: ignore[no-untyped-def]
    n = len(items)
    if n > 0:
        start = 0
        old = key(items[0])
        for i in range(1, n):
            new = key(items[i])
            if old != old or new != new:  # a key that is the very same object is equal to itself
                raise ValueError
            if new != old:
                yield old, items[start:i]
                old = new
                start = i
        yield old, items[start:]


def itself(item):  # type: ignore[no-untyped-def]
    return item


def grouped(items):  # type: ignore[no-untyped-def]
    yield from grouped_by(items, itself)


ALL_OF_IT = frozenset(["list", "tuple", "sum", "max", "min", "sorted", "any", "all"])  # which take all of an iterator
AHEAD = (zipped_longest, grouped_by, grouped)  # which read items before their turns come


def stream_for(f: Any, node: ast.Call) -> Any:
    """The generator function that stands for one of `itertools` in a call; None where there is none."""
    if getattr(f, "__module__", "") != "itertools" or has_own_rule(f):
        return None
    if any(isinstance(a, ast.Starred) for a in node.args):
        return None
    n, named = len(node.args), {k.arg for k in node.keywords}
    if f is itertools.islice and not named:
        if n == 3 and isinstance(node.args[2], ast.Constant) and node.args[2].value is None:
            return None
        return {2: sliced_to, 3: sliced, 4: sliced}.get(n)
    if f is itertools.accumulate and "initial" in named:
        return {(1, 1): added_up, (2, 1): accumulated}.get((n, len(named)))
    if f is itertools.zip_longest:
        return zipped_longest if n == 2 and named <= {"fillvalue"} else None
    if f is itertools.groupby:
        return grouped_by if n + len(named) == 2 and named <= {"key"} else grouped if n == 1 and not named else None
    if f is itertools.repeat:
        return repeated if n == 2 and not named else None
    if f is itertools.count:
        return counted if not named else None
    by = {itertools.takewhile: taken_while, itertools.dropwhile: dropped_while, itertools.filterfalse: filtered_false}
    return by.get(f) if n == 2 and not named else None


def looks_ahead(f: Any) -> bool:
    """Whether such a generator reads items before their turns come, so that nothing may change them meanwhile."""
    return any(f is each for each in AHEAD)


def is_group_gone_through_once(f: Any, s: ast.For) -> bool:
    """Whether a loop goes through each group of `itertools.groupby` just once, which it does not hold for a list."""
    if f not in (grouped_by, grouped):
        return True
    if not isinstance(s.target, ast.Tuple) or len(s.target.elts) != 2 or not isinstance(s.target.elts[1], ast.Name):
        return False
    name = s.target.elts[1].id
    nodes = [n for part in s.body for n in walk(part)]
    if any(type(n).__module__ != "ast" or isinstance(n, ast.Lambda | ast.FunctionDef | ast.While) for n in nodes):
        return False
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    inner = [n for n in nodes if isinstance(n, ast.For)]
    repeated = {id(n) for loop in inner for part in loop.body for n in walk(part)}
    taken: list[ast.expr] = [loop.iter for loop in inner]
    for n in nodes:
        if isinstance(n, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            taken.append(n.generators[0].iter)
            repeated.update(id(x) for part in ast.iter_child_nodes(n) for x in walk(part))
            repeated -= {id(n.generators[0].iter)}
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ALL_OF_IT and n.args:
            taken.append(n.args[0])
    return len(uses) <= 1 and all(id(n) not in repeated and any(n is t for t in taken) for n in uses)
