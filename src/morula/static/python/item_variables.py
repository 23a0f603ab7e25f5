"""Variables of loops that stand for items of lists: ``for w, g in zip(weights, gradients): w -= rate * g``.

Where such an item is an array, the variable is no further name of it: whoever reads the variable reads the item, and
what is written into the variable's array is written into the item's. So the list still has its arrays alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from morula.static.python.bindings import of_node
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again
from morula.static.python.plain_classes import dataclass
from morula.static.python.scopes import Array, Scope, Small
from morula.static.python.things import Thing, Turns, same
from morula.transform.syntax import walk

__all__ = ["ItemVariables"]

LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)  # what reads when it runs

COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True)
class Item:
    """An item of a list or a dict, which a loop has come to."""

    thing: Thing
    key: Any


class ItemVariables:
    """The part of a `front.Builder` that knows such variables.

    Attributes:
        stood_for: the items for which variables stand at present, with the loops.
        replaced_items: loops during which the program puts other things into the places of such items.
        is_in_place: whether an item that is assigned is the array that it was, with other contents.
    """

    stood_for: dict[tuple[int, Any], Any]
    replaced_items: set[Any]
    is_in_place: bool
    scopes: list[Scope]
    maybes: dict[Any, Any]
    defining: int
    definition: Callable[..., Any]
    slot: Callable[[Thing, Any], Any]
    set_slot: Callable[[Thing, Any, Any], None]
    held: Callable[[Any], Any]
    assign: Callable[[ast.expr, Any], None]
    _item: Callable[[Thing, Any], tuple]
    _of_key: Callable[[Any], Any]
    _place_of: Callable[[ast.stmt], Any]

    def by_items(self, s: ast.For, x: Turns) -> Turns:
        """What a loop goes through; items of lists and dicts stand for themselves."""
        if any(isinstance(n, ast.Subscript | ast.Attribute) for n in walk(s.target)):  # which is changed meanwhile
            return x
        read = {self.slot: Item, self._item: lambda thing, key: (self._of_key(key), Item(thing, key))}
        values = [partial(same, read[v.func](*v.args)) if isinstance(v, partial) and v.func in read and not v.keywords
                  else v for v in x.values]  # fmt: skip
        return Turns(values, x.things, x.lengths)

    def assign_turn(self, s: ast.For, target: ast.expr, value: Any) -> None:
        """Assign what a turn of a loop begins with; a variable stands for an item that is an array."""
        is_whole = not isinstance(target, ast.Tuple) or any(isinstance(each, ast.Starred) for each in target.elts)
        if type(value) is tuple and not is_whole and len(value) == len(target.elts):  # type: ignore[attr-defined]
            for each, part in zip(target.elts, value, strict=True):  # type: ignore[attr-defined]
                self.assign_turn(s, each, part)
            return
        if isinstance(value, Item) and self._may_stand(s, target, value):
            self.scopes[-1].items[target.id] = value  # type: ignore[attr-defined]
            self.scopes[-1].things.pop(target.id, None)  # type: ignore[attr-defined]
            self.stood_for[value.thing.number, value.key] = self._place_of(s)
        else:
            self.assign(target, self._read_now(value))

    def _read_now(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple(map(self._read_now, value))
        return self.held(self.slot(value.thing, value.key)) if isinstance(value, Item) else value

    def _may_stand(self, s: ast.For, target: ast.expr, item: Item) -> bool:
        if not isinstance(target, ast.Name) or self.defining or self._place_of(s) in self.replaced_items:
            return False
        scope, thing, name = self.scopes[-1], item.thing, target.id
        is_new = name not in scope.bound and name not in scope.numbers and (scope.number, name) not in self.maybes
        is_own = thing.home is not None and thing.copied_as is None and not thing.is_shared
        is_array = isinstance(thing.slots.get(item.key), Array | Small) and thing.holders.get(item.key) is None
        return is_new and is_own and is_array and name in _of_loops_alone(self.definition(self.scopes[-1].function))

    @contextmanager
    def standing(self) -> Iterator[None]:
        """A turn of a loop, behind which no variable stands for an item of this turn any more."""
        scope = self.scopes[-1]
        items, stood_for = dict(scope.items), dict(self.stood_for)
        try:
            yield
        finally:
            scope.items, self.stood_for = items, stood_for

    def item_for(self, name: str) -> ast.expr | None:
        """The item for which a variable stands, as an expression; None where it is a variable like any other."""
        item = self.scopes[-1].items.get(name)
        return None if item is None else ast.Subscript(Given(item.thing), Given(self._of_key(item.key)), ast.Load())

    def item_instead(self, s: Any) -> Any:
        """A place that is written into, with the item in place of a variable that stands for it."""
        if isinstance(s, ast.Subscript) and isinstance(s.value, ast.Name | ast.Subscript):
            owner = self.item_instead(s.value)
            return s if owner is s.value else ast.copy_location(ast.Subscript(owner, s.slice, s.ctx), s)
        item = self.item_for(s.id) if isinstance(s, ast.Name) else None
        return s if item is None else ast.copy_location(item, s)

    def check_place(self, thing: Thing, key: Any) -> None:
        """See to it that nothing else comes into the place of an item for which a variable stands."""
        loop = self.stood_for.get((thing.number, key))
        if loop is not None and not self.is_in_place:
            self.replaced_items.add(loop)
            raise Again

    @contextmanager
    def in_place(self) -> Iterator[None]:
        before, self.is_in_place = self.is_in_place, True
        try:
            yield
        finally:
            self.is_in_place = before

    def set_in_place(self, thing: Thing, key: Any, value: Any) -> None:
        """Give an item the array that it has, with other contents."""
        with self.in_place():
            self.set_slot(thing, key, value)


def _own_names(node: Any) -> list[ast.Name]:
    """The names in a comprehension that stand for variables of its own."""
    if not isinstance(node, COMPREHENSIONS):
        return []
    first = {id(n) for n in walk(node.generators[0].iter)}
    bound = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
    return [n for n in walk(node) if isinstance(n, ast.Name) and n.id in bound and id(n) not in first]


@of_node
def _of_loops_alone(function: Any) -> frozenset[str]:
    """The variables of a function that loops bind, and that nothing reads but the turns of such loops.

    The turns may change what the variable holds by augmented assignments; nothing that runs later knows it.

    >>> f = "def f(a):\\n for x in a:\\n  x += 1\\n  y = x\\n for y in a:\\n  pass\\n for z in a: z = 2\\n return y"
    >>> sorted(_of_loops_alone(ast.parse(f).body[0]))
    ['x']
    """
    loops = [n for n in walk(function) if isinstance(n, ast.For)]
    found = {n.id for loop in loops for n in walk(loop.target) if isinstance(n, ast.Name)}
    inside: dict[str, set[int]] = {name: set() for name in found}
    for loop in loops:
        for name in {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}:
            inside[name].update(id(n) for part in loop.body for n in walk(part))
            inside[name].update(id(n) for n in walk(loop.target))
    targets = {id(n) for loop in loops for n in walk(loop.target)}
    changed = {id(n.target) for n in walk(function) if isinstance(n, ast.AugAssign)}
    own = {id(n) for comprehension in walk(function) for n in _own_names(comprehension)}
    for n in walk(function):
        if isinstance(n, ast.Name) and n.id in found and id(n) not in own:
            is_fine = isinstance(n.ctx, ast.Load) or id(n) in changed or id(n) in targets
            if not is_fine or id(n) not in inside[n.id]:
                found.discard(n.id)
        elif isinstance(n, LATER) and n is not function:
            found -= {m.id for m in walk(n) if isinstance(m, ast.Name) and id(m) not in own}
    for loop in loops:  # a loop inside that binds the same variable
        for inner in [n for part in loop.body for n in walk(part) if isinstance(n, ast.For)]:
            names = [{n.id for n in walk(each.target) if isinstance(n, ast.Name)} for each in (loop, inner)]
            found -= names[0] & names[1]
    others = {getattr(n, how, None) for n in walk(function) for how in ("name", "asname", "rest")}
    others |= {name for n in walk(function) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    return frozenset(found - others - {n.arg for n in walk(function) if isinstance(n, ast.arg)})
