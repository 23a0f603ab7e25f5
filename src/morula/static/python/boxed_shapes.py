"""How containers from outside are put together, which a text looks at in each call before it reads them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

from morula.static.python.boxes import NUMBER, TEXT
from morula.static.python.ir import Unsupported
from morula.static.python.plain_classes import dataclass
from morula.static.python.things import holds

__all__ = ["KINDS", "NUMBERS", "Shape", "are_apart", "containers_in", "doubled", "fits", "shape_of"]

LARGEST = 20_000  # numbers and texts in a container, which are looked at in each call
LONGEST = 8  # tuples that have as many parts each time
NUMBERS = {float: "float", int: "int", bool: "bool"}
KINDS: dict[Any, Any] = {dict: dict, list: list, tuple: list, set: set, frozenset: set, deque: deque}


@dataclass(frozen=True)
class Shape:
    """How values of one place in a container are put together.

    Attributes:
        kind: `NUMBER`, `TEXT`, a kind of container, or the number of parts of a tuple.
        types: of numbers.
        parts: of a tuple; of a container the keys, then the items; None where there is none.
    """

    kind: Any
    types: frozenset[type] = frozenset()
    parts: tuple[Shape | None, ...] = ()


def shape_of(values: list) -> Shape | None:
    """How all these values are put together; None where there is none.

    Raises:
        Unsupported: they are not alike.
    """
    kinds = frozenset(map(type, values))
    if not kinds:
        return None
    if kinds <= NUMBERS.keys():
        return Shape(NUMBER, kinds)
    if kinds == {str}:
        return Shape(TEXT)
    (kind, *others) = kinds
    if others or kind not in KINDS:
        raise Unsupported(f"a container of {' and '.join(sorted(k.__qualname__ for k in kinds))}")
    if kind is tuple and len(lengths := {*map(len, values)}) == 1 and 0 < (n := lengths.pop()) <= LONGEST:
        return Shape(n, frozenset(), tuple([shape_of([*map(itemgetter(i), values)]) for i in range(n)]))
    inner = [*chain.from_iterable(values)]
    if len(inner) > LARGEST:
        raise Unsupported("a container of very many numbers")
    if kind is dict:
        return Shape(kind, frozenset(), (shape_of(inner), shape_of([*chain.from_iterable(map(dict.values, values))])))
    return Shape(kind, frozenset(), (shape_of(inner),))


@lru_cache(maxsize=256)
def fits(shape: Shape) -> Callable[[Any], bool]:
    """What says whether a container is put together so: a function of its own, which takes level by level."""
    lines = ["def fits(x):", f"    if type(x) is not {shape.kind.__name__}: return False"]
    space: dict[str, Any] = {"chain": chain.from_iterable, "values_of": dict.values, "deque": deque}
    count = 0

    def are_of(what: str, values: str, allowed: Iterable[Any]) -> None:
        name = f"test{len(space)}"
        space[name] = frozenset(allowed).issuperset
        lines.append(f"    if not {name}(map({what}, {values})): return False")

    def fresh(text: str) -> str:
        nonlocal count
        count += 1
        lines.append(f"    y{count} = {text}")
        return f"y{count}"

    def check(values: str, shape: Shape | None) -> None:
        if shape is None:
            lines.append(f"    if {values}: return False")
        elif shape.kind is NUMBER or shape.kind is TEXT:
            are_of("type", values, shape.types or {str})
        elif type(shape.kind) is int:
            are_of("type", values, {tuple})
            are_of("len", values, {shape.kind})
            for i, part in enumerate(shape.parts):
                check(fresh(f"[y[{i}] for y in {values}]"), part)
        else:
            are_of("type", values, {shape.kind})
            inside(shape, f"[*chain({values})]", f"[*chain(map(values_of, {values}))]")

    def inside(shape: Shape, keys: str, items: str) -> None:
        found = fresh(keys)
        lines.append(f"    if len({found}) > {LARGEST}: return False")
        check(found, shape.parts[0])
        if shape.kind is dict:
            check(fresh(items), shape.parts[1])

    inside(shape, "[*x]", "[*x.values()]")
    exec(compile("\n".join([*lines, "    return True"]), "<contents>", "exec"), space)
    return space["fits"]


def doubled(value: Any) -> Any:
    """A copy of a container with copies of those in it."""
    kind = type(value)
    if kind is dict:
        return {k: doubled(v) for k, v in value.items()}
    return kind(map(doubled, value)) if kind in (list, tuple, deque) else value.copy() if kind is set else value


def containers_in(value: Any) -> Iterator[int]:
    """The identities of a container and of those in it."""
    if type(value) in KINDS:
        yield id(value)
        for part in value.values() if type(value) is dict else value:
            yield from containers_in(part)


def are_apart(box: Any, given: tuple, others: tuple) -> bool:
    """Whether nothing in a container is in what else a program is given, or is one of the others."""
    inner = {*containers_in(box)}
    return inner.isdisjoint(map(id, others)) and not any(holds(x, inner) for x in given)
