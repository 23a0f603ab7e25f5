"""Sets, dicts with computed keys, heaps, and lists and queues of tuples: a text has them as the program does.

Which members such a container has, and in what order, depends on numbers through comparisons alone, so it has no
derivative: the text does with it what the program does. A number in it that has a derivative is written down in a list
of the text, which only grows and has a list of cotangents beside it; the container has the number's index there. So
nothing about the container itself has to be undone on the way back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import partial
from typing import Any

from morula.static.python.bindings import of_node
from morula.static.python.forms import Form
from morula.static.python.plain_classes import dataclass
from morula.transform.syntax import walk

__all__ = [
    "CODE",
    "MISSING",
    "NOTHING",
    "NUMBER",
    "TEXT",
    "BoxForm",
    "Contents",
    "Inner",
    "Leaf",
    "OfArray",
    "OfNamed",
    "Perhaps",
    "Tie",
    "View",
    "has_boxes",
    "like",
    "names_boxed",
]

# Layouts; another one is a tuple of layouts, an `Inner`, which may be None, too, an `OfArray`, or a `Perhaps`.
NUMBER, TEXT, CODE, NOTHING = "number", "text", "code", "nothing"
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "missing"})()


class Tie(int):
    """The index of an item's numbers, at the end of an item that is compared: it does not tell two items apart."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


@dataclass(frozen=True)
class Inner:
    """The layout of a container in another one."""

    place: Any


@dataclass(frozen=True)
class Perhaps:
    """The layout of what is None at times, and `of` another layout at other times."""

    of: Any


class OfNamed(tuple):
    """The layout of a named tuple, which the text has as a tuple; `kind` is its class."""

    kind: Any

    def __new__(cls, parts: Iterable[Any], kind: Any) -> OfNamed:
        made = super().__new__(cls, parts)
        made.kind = kind
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OfNamed) and self.kind is other.kind and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__


def like(layout: tuple, parts: Iterable[Any]) -> tuple:
    """The layout of a tuple of other parts, of the same class."""
    return OfNamed(parts, layout.kind) if isinstance(layout, OfNamed) else tuple(parts)


@dataclass(frozen=True)
class OfArray:
    """The layout of an array; one of floats is written down as a number is that has a derivative."""

    shape: tuple[int, ...]
    dtype: Any

    @property
    def is_active(self) -> bool:
        return bool(self.dtype.kind == "f")


@dataclass(eq=False)
class Leaf:
    """What one number or array of all keys or all items of a container is.

    Attributes:
        types: that it has; `is_active`, whether it may have a derivative.
        arena: the list of the text that has it then.
    """

    types: frozenset[str] = frozenset()
    is_active: bool = False
    arena: str = ""


@dataclass(eq=False)
class Contents:
    """What is in all containers of one place.

    Attributes:
        kind: `set`, `dict`, `list`, or `collections.deque`; `object` where these are objects.
        layouts: of "key" (also of a member of a set) and of "item"; of an object's attributes, with a dot before them.
        leaves: the numbers in them, by the path.
        is_ordered: whether items are compared with each other, so that they need their numbers.
        is_cache: whether a dict has what a function has found for its arguments.
        factory: what a dict makes of keys that it lacks: `float`, `int`, a kind of container, or None; the class of an
            `OrderedDict`.
        is_read_only: whether nothing may be put in, since others have them, too.
        is_whole: whether items are what the program has: numbers with a derivative are not among them.
        classes: of objects, in the order in which they were met.
        may_be_none: whether None stands where they do.
    """

    kind: Any
    layouts: dict[str, Any] = field(default_factory=dict)
    leaves: dict[Any, Leaf] = field(default_factory=dict)
    is_ordered: bool = False
    factory: Any = None
    is_cache: bool = False
    is_read_only: bool = False
    is_whole: bool = False
    classes: dict[type, None] = field(default_factory=dict)
    may_be_none: bool = False

    def leaf(self, path: Any) -> Leaf:
        return self.leaves.setdefault(path, Leaf())

    def is_noted(self, path: Any, layout: Any) -> bool:
        """Whether a list of the text has what is there, and the container its index."""
        return layout.is_active if isinstance(layout, OfArray) else layout == NUMBER and self.leaf(path).is_active

    def paths(self, part: str) -> list[Any]:
        """The paths of all that is not a tuple in a key or an item."""
        return list(_paths(self.layouts[part], (part,)))


def _paths(layout: Any, path: tuple) -> Iterator[tuple[Any, Any]]:
    if isinstance(layout, tuple):
        for i, inner in enumerate(layout):
            yield from _paths(inner, (*path, i))
    elif isinstance(layout, Perhaps):
        yield from _paths(layout.of, path)
    else:
        yield path, layout


@dataclass(frozen=True, eq=False)
class BoxForm(Form):
    """What is done with a container, or with an item of one.

    Attributes:
        writes: which operands go where as they are.
        reads: which number the result is.
    """

    writes: tuple[tuple[int, Leaf, bool], ...] = ()
    reads: Leaf | None = None


@dataclass(frozen=True)
class View:
    """The keys, values or items of a dict, as its methods give them."""

    box: Any
    what: str


# -- which containers are such ---------------------------------------------------------------------------------

OF_KEYS = frozenset(["get", "setdefault", "pop", "add", "discard", "remove"])
DICTS = frozenset(["dict", "defaultdict", "Counter", "OrderedDict"])
SETS = frozenset(["set"])
CACHES = frozenset(["cache", "lru_cache"])
COUNTED = SETS | {"Counter"}
HEAPS = frozenset(["heappush", "heappop", "heapify", "heappushpop", "heapreplace"])
ADDING = frozenset(["append", "appendleft"])
WITHIN = frozenset(["insert", "remove", "reverse", "index", "count"])  # what lists of the text cannot do otherwise


def _called(node: ast.expr) -> str:
    f = node.func if isinstance(node, ast.Call) else None
    return f.id if isinstance(f, ast.Name) else f.attr if isinstance(f, ast.Attribute) else ""


def is_set(node: Any) -> bool:
    """Whether an expression is the display or the comprehension of a set, or a set that the code holds."""
    return isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Constant) and type(node.value) is frozenset)


def made_by(node: Any) -> str:
    """Which kind of container an expression makes, as far as its text shows."""
    if isinstance(node, ast.Dict | ast.DictComp) or _called(node) in DICTS:
        return "dict"
    if is_set(node) or _called(node) in SETS:
        return "set"
    if isinstance(node, ast.List | ast.ListComp):
        return "list"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        return "list"
    return "queue" if _called(node) == "deque" else "list" if _called(node) == "list" else ""


def _key_of(node: Any) -> str:
    """The name of a variable or an attribute; the latter with a dot."""
    if isinstance(node, ast.Name):
        return node.id
    return f".{node.attr}" if isinstance(node, ast.Attribute) else ""


def _is_computed(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant | ast.Slice)


def pairs_of(s: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment assigns to which variable, attribute or item."""
    if isinstance(s, ast.AnnAssign):
        return [(s.target, s.value)] if s.value is not None else []
    found: list[tuple[ast.expr, ast.expr]] = []
    for target in s.targets if isinstance(s, ast.Assign) else []:
        value = s.value  # type: ignore[attr-defined]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            found += zip(target.elts, value.elts, strict=True)
        else:
            found.append((target, value))
    return found


def _is_certain(value: ast.expr, all_lists: bool) -> bool:
    """Whether a display or a call makes such a container wherever it is used."""
    if isinstance(value, ast.Dict):
        return any(not isinstance(k, ast.Constant) for k in value.keys)
    if isinstance(value, ast.List):
        return all_lists and any(isinstance(v, ast.Tuple) for v in value.elts)
    called = _called(value)
    return called == "OrderedDict" or (called == "Counter" and isinstance(value, ast.Call) and bool(value.args))


def names_boxed(function: ast.AST, all_lists: bool) -> frozenset[str]:
    """The variables and attributes whose containers are to be such, as far as the text of a function shows.

    Attributes begin with a dot; where it is known of one only that its items are asked for by keys, with "[].", or,
    of a list, that it is changed in its middle, with "{}.".

    Args:
        all_lists: whether lists of tuples are, too.

    >>> names_boxed(ast.parse("d = {}; e = {'a': x}; d[i, j] = x; e['a'] = 2.0"), all_lists=False)
    frozenset({'d'})
    """
    return (_with_all_lists if all_lists else _without_lists)(function)


def _names_boxed(function: ast.AST, all_lists: bool) -> frozenset[str]:
    made: dict[str, set[str]] = {}
    found: set[str] = set()
    same: list[tuple[str, str]] = []
    for n in walk(function):
        for target, value in pairs_of(n):
            name, kind = _key_of(target), made_by(value)
            if name and kind:
                made.setdefault(name, set()).add(kind)
                if kind in ("set", "queue") or _is_certain(value, all_lists):
                    found.add(name)
            elif name and _key_of(value):
                same.append((name, _key_of(value)))
        if isinstance(n, ast.Subscript) and _is_computed(n.slice):
            found.add("[]" + _key_of(n.value))
        if all_lists and isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load):
            if isinstance(n.slice, ast.Slice) or isinstance(n.ctx, ast.Del):
                found.add("{}" + _key_of(n.value))
        if isinstance(n, ast.Compare) and isinstance(n.ops[-1], ast.In | ast.NotIn) and _is_computed(n.left):
            found.add("[]" + _key_of(n.comparators[-1]))
        if isinstance(n, ast.Call):
            first = n.args[0] if n.args else None
            if isinstance(n.func, ast.Attribute) and n.func.attr in OF_KEYS and first and _is_computed(first):
                found.add("[]" + _key_of(n.func.value))
            if _called(n) in HEAPS and first:
                found.add(_key_of(first))
            if all_lists and isinstance(n.func, ast.Attribute) and n.func.attr in (*ADDING, "sort"):
                if isinstance(first, ast.Tuple) or n.func.attr == "sort":
                    found.add(_key_of(n.func.value))
            if all_lists and isinstance(n.func, ast.Attribute) and n.func.attr in WITHIN:
                found.add("{}" + _key_of(n.func.value))
            if all_lists:
                found.update("[]" + _key_of(a) for a in n.args)
    attributes = {n for n in found if n.startswith(("[].", "{}."))}
    found = {n for n in found if not n.startswith(("[]", "{}"))} | {
        n[2:] for n in found if made.get(n[2:], set()) & ({"dict", "set"} if n.startswith("[]") else {"list"})
    }
    while more := {a for pair in same for a in pair if not found.isdisjoint(pair)} - found:
        found |= more
    return frozenset(found | attributes) - {""}


_with_all_lists = of_node(partial(_names_boxed, all_lists=True))
_without_lists = of_node(partial(_names_boxed, all_lists=False))


def _is_cache(node: ast.expr) -> bool:
    return (_called(node) or _key_of(node).removeprefix(".")) in CACHES


def has_boxes(function: ast.AST) -> bool:
    """Whether a function may have such containers."""
    return bool(names_boxed(function, True)) or any(
        is_set(n)
        or (isinstance(n, ast.Call) and _called(n) in COUNTED)
        or (isinstance(n, ast.FunctionDef) and any(map(_is_cache, n.decorator_list)))
        for n in walk(function)
    )
