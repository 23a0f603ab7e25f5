"""Variables that stand for places: ``u = self.u; u[1:-1] += ...`` writes into the object's array.

Where an array has several names, and something is written into it, one place has the array: an attribute, or an item of
a list or a dict. The other names stand for this place: whoever reads one of them reads the place, and what is written
into its array is written into the place's. So it is known who has the array, and what is in it, at any time. If
something else comes into the place, a variable that stood for it gets the array that was there.

A variable has no array of its own then but is known, as one that holds an object is: where paths meet on which it
stands for two places, nothing is known of it. It stands for one only if the program cannot be built otherwise. A
variable that functions inside write into has a place made for it, which is what Python's cell is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence, Set
from functools import partial
from typing import Any, NoReturn

from morula.static.python.bindings import replaced_whole
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Unsupported
from morula.static.python.scopes import Array, ListOf, Names, Scope, Small, given_names, key_of
from morula.static.python.sharing import slot_name
from morula.static.python.things import Thing, Turns, same
from morula.static.python.vacating import Item, Vacating
from morula.transform.syntax import walk

__all__ = ["Standing"]

RETURN = "return"


class Standing(Vacating):
    """The part of a `front.Builder` that knows such variables.

    Attributes:
        stands: variables that stand for places from which they are assigned; `could_stand`, those that might.
        never_stands: those that cannot; `celled`, those that have places of their own.
        read_from: by atoms, the object and the slot of an array, how often such a one had been set, and the statement.
    """

    stands: set[Any]
    could_stand: dict[Any, set[Any]]
    never_stands: set[Any]
    celled: set[Any]
    read_from: dict[Any, tuple[Thing, Any, int, int]]
    statement: int
    alone: set[Any]
    slots_set: list[Names]
    slots_held: list[Names]
    bonds: list[Names]
    by_reference: set[Any]
    held_elsewhere: set[Any]
    optional: Any
    coded: Any
    count: int
    line: int
    sub: Any
    around: Any
    defining: int
    value: Callable[[ast.expr], Any]
    value_or_none: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    present: Callable[[Any], Any]
    _at_hand: Callable[[ast.expr], Any]
    as_array: Callable[[Any], Array]
    assign: Callable[[ast.expr, Any], None]
    changed_inside: Callable[[Scope], frozenset[str]]
    is_outside: Callable[[str], bool]
    _item: Callable[[Thing, Any], tuple]
    _of_key: Callable[[Any], Any]

    # -- which variables stand for what -----------------------------------------------------------------------

    def place_read(self, value: Any) -> Item | None:
        """The place that has the very array that was read from it just now; None where there is none."""
        if not isinstance(value, Array | Small):
            return None
        thing, key, before, statement = self.read_from.get(atoms_read(value), (None, None, 0, 0))
        if thing is None or thing.home is None or thing.copied_as is not None or thing.is_shared:
            return None
        slot = slot_name(thing, key)
        is_now = self.slots_set.count(slot) == before and statement == self.statement
        return Item(thing, key, self.out) if is_now and value.origins == slot and thing.sub is self.sub else None

    def noted(self, value: Any, thing: Thing, key: Any) -> Any:
        """What was read from a place, of which note is taken where it is an array."""
        if isinstance(value, Array | Small):
            self.read_from[atoms_read(value)] = thing, key, self.slots_set.count(slot_name(thing, key)), self.statement
        return value

    def is_there(self, thing: Thing, key: Any, value: Any) -> bool:
        """Whether a place has the very array that is assigned to it."""
        item = self.place_read(value)
        return item is not None and item.thing is thing and item.key == key

    def assigned_value(self, target: ast.expr, node: ast.expr) -> Any:
        """What is assigned to a target: places of arrays for which its variables can stand."""
        if not _are_side_by_side(target, node):
            return self.standing_for(target, self.value_or_none(node))
        found: list[Any] = []
        for each, part in zip(target.elts, node.elts, strict=True):  # type: ignore[attr-defined]
            value = self.assigned_value(each, part)
            found.append(value if isinstance(value, Item) else self.held(self.present(value)))
        return tuple(found)

    def standing_for(self, target: ast.expr, value: Any) -> Any:
        """A value that is assigned, or the place for which the variable can stand that has it."""
        if not isinstance(target, ast.Name) or (item := self.place_read(value)) is None:
            return value
        key = (self.scopes[-1].function.__code__, target.id)
        self.could_stand.setdefault(key, set()).update(value.origins)
        return item if key in self.stands and self._may_stand(target.id) else value

    def _may_stand(self, name: str) -> bool:
        scope = self.scopes[-1]
        key = (scope.function.__code__, name)
        is_other = key in self.never_stands or key in self.optional or key in self.coded
        return not (is_other or self.defining or name in scope.nonlocals or name in self.changed_inside(scope))

    def result_standing(self, scope: Scope, s: ast.Return, value: Any) -> Any:
        """What a function returns, or the place that has it, where the function ends with that."""
        if not scope.number or (item := self.place_read(value)) is None:
            return value
        key, node = (scope.function.__code__, RETURN), self.definitions.get(scope.function.__code__)
        self.could_stand.setdefault(key, set()).update(value.origins)
        if not isinstance(node, ast.FunctionDef) or node.body[-1] is not s or self.defining:
            return value
        is_only = sum(isinstance(n, ast.Return) for n in walk(node)) == 1
        return item if is_only and key in self.stands - self.never_stands else value

    def places_swapped(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> list[tuple[Item, Item]] | None:
        """What ``self.a, self.b = self.b, self.a`` assigns to which places, and from where; None for something else."""
        to = [self._place_at(n) for n in targets]
        of = [self._place_at(n) for n in values]
        if any(item is None for item in (*to, *of)) or len(to) < 2:
            return None
        places = [{(item.thing.number, item.key) for item in items if item is not None} for items in (to, of)]
        if places[0] != places[1] or len(places[0]) < len(to):
            return None
        return list(zip(to, of, strict=True))  # type: ignore[arg-type]

    def _place_at(self, node: ast.expr) -> Item | None:
        """The place that an expression is assigned to, or read from, if nothing needs to run for it."""
        if isinstance(node, ast.Name):
            item = self.item_named(node.id)
            is_cell = item is self.scopes[-1].holders.get(node.id)
            return item if is_cell or isinstance(node.ctx, ast.Load) else None
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        thing = self._at_hand(node.value)
        if not isinstance(thing, Thing) or thing.kind in (list, dict):
            return None
        item = Item(thing, node.attr, self.out)
        return item if self._is_own_array(item) else None

    def stand(self, scope: Scope, name: str, item: Item) -> None:
        """Let a variable stand for a place."""
        scope.things[name] = item
        self.alone = self.alone - key_of(scope, name)
        self.standing_now.append((scope, name))

    def stand_instead(self, names: Names) -> None:
        """Build the program anew, with variables that stand for places, if arrays of these names have any."""
        group = names.union(*[bound for bound in self.bonds if bound & names])
        found = {key for key, slots in self.could_stand.items() if key in group or slots & group}
        if found := found - self.stands - self.never_stands:
            codes = {code for code, _ in found}  # names of one function are given to each other
            found = {key for key in self.could_stand if key[0] in codes}
            self.stands |= found
            group = group.union(found, *[self.could_stand[key] for key in found])
            for known in (self.by_reference, self.shared, self.held_elsewhere):  # found anew without these names
                known -= group
            self.bonds = [bound for bound in self.bonds if not bound & group]
            raise Again

    def stand_throughout(self, names: Set[str], parts: Iterable[ast.AST]) -> set[str]:
        """Those of the variables that stand for a place now, and that these parts of a loop do not assign anew."""
        anew = set().union(*map(replaced_whole, parts))
        things = self.scopes[-1].things
        return {name for name in names if isinstance(things.get(name), Item) and name not in anew}

    def never_stand(self, key: Any) -> None:
        """Build the program anew, with a variable that stands for nothing, if it is thought to."""
        if key in (self.stands | self.celled) - self.never_stands:
            self.never_stands.add(key)
            raise Again

    # -- variables of loops ----------------------------------------------------------------------------------

    def by_items(self, s: ast.For, x: Turns) -> Turns:
        """What a loop goes through; items of lists and dicts stand for themselves."""
        if any(isinstance(n, ast.Subscript | ast.Attribute) for n in walk(s.target)):  # which is changed meanwhile
            return x
        read = {self.slot: self._item_at, self._item: lambda thing, key: (self._of_key(key), self._item_at(thing, key))}
        values = [partial(same, read[v.func](*v.args)) if isinstance(v, partial) and v.func in read and not v.keywords
                  else v for v in x.values]  # fmt: skip
        return Turns(values, x.things, x.lengths)

    def _item_at(self, thing: Thing, key: Any) -> Item:
        return Item(thing, key, self.out)

    def assign_turn(self, target: ast.expr, value: Any) -> None:
        """Assign what a turn of a loop begins with; a variable stands for an item that is an array."""
        is_whole = not isinstance(target, ast.Tuple) or any(isinstance(each, ast.Starred) for each in target.elts)
        if type(value) is tuple and not is_whole and len(value) == len(target.elts):  # type: ignore[attr-defined]
            for each, part in zip(target.elts, value, strict=True):  # type: ignore[attr-defined]
                self.assign_turn(each, part)
            return
        if isinstance(value, Item) and isinstance(target, ast.Name) and self._is_own_array(value):
            if self._may_stand(target.id):
                key = (self.scopes[-1].function.__code__, target.id)
                self.stands.add(key)
                self.assign(target, Item(value.thing, value.key, self.out))
                return
        self.assign(target, self._read_now(value))

    def _is_own_array(self, item: Item) -> bool:
        thing = item.thing
        is_own = thing.home is not None and thing.copied_as is None and not thing.is_shared
        return is_own and isinstance(thing.slots.get(item.key), Array | Small) and thing.holders.get(item.key) is None

    def _read_now(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple(map(self._read_now, value))
        return self.held(self.slot(value.thing, value.key)) if isinstance(value, Item) else value

    # -- variables with places of their own --------------------------------------------------------------------

    def make_cell(self, scope: Scope, name: str) -> NoReturn:
        """Build the program anew, with a place for the array that a captured variable holds."""
        while scope.outer is not None and name in scope.function.__code__.co_freevars:
            scope = scope.outer
        code = scope.function.__code__
        if (code, name) in self.could_stand:
            self.stand_instead(frozenset([(code, name)]))
        if name in code.co_cellvars and name not in given_names(code) and (code, name) not in self.celled:
            self.celled.add((code, name))
            self.by_reference.discard((code, name))
            raise Again
        raise Unsupported(f"{name!r}, which is written into", self.line)

    def bind_in_cell(self, scope: Scope, name: str, value: Any) -> bool:
        """Assign an array to a variable that has a place of its own; whether it is one."""
        key = (scope.function.__code__, name)
        if key not in self.celled or key in self.never_stands:
            return False
        is_array = isinstance(value, Array | Small) or (isinstance(value, ListOf) and value.kind is not list)
        if not is_array or self.sub is not None:
            self.never_stands.add(key)
            raise Again
        cell = scope.holders.get(name)
        if not isinstance(cell, Item):
            self.count += 1
            line = f" of {scope.function.__qualname__}, the variable {name}"
            thing = Thing(list, self.count, self.out, self.sub, around=self.around, line=line)
            cell = scope.holders[name] = Item(thing, 0, self.out)
        self.set_slot(cell.thing, 0, self.as_array(value) if isinstance(value, ListOf) else value)
        self.stand(scope, name, cell)
        return True

    # -- reading and writing ------------------------------------------------------------------------------------

    def item_named(self, name: str) -> Item | None:
        """The place for which a variable stands, maybe one that is captured."""
        scope = self.scopes[-1]
        while scope.outer is not None and name in scope.function.__code__.co_freevars:
            scope = scope.outer
        found = scope.things.get(name)
        return found if isinstance(found, Item) else None

    def place_named(self, node: ast.expr) -> ast.expr:
        """The place for which a variable stands, as an expression; any other expression as it is."""
        item = self.item_named(node.id) if isinstance(node, ast.Name) else None
        if item is None:
            return node
        if item.thing.kind in (list, dict):
            found: ast.expr = ast.Subscript(Given(item.thing), Given(self._of_key(item.key)), ast.Load())
        else:
            found = ast.Attribute(Given(item.thing), item.key, ast.Load())
        return ast.copy_location(found, node)

    def item_instead(self, s: Any) -> Any:
        """What is written into, with the place instead of a variable that stands for it."""
        if isinstance(s, ast.Subscript) and isinstance(s.value, ast.Name | ast.Subscript):
            owner = self.place_named(s.value) if isinstance(s.value, ast.Name) else self.item_instead(s.value)
            return s if owner is s.value else ast.copy_location(ast.Subscript(owner, s.slice, s.ctx), s)
        return s


def atoms_read(value: Any) -> Any:
    """What tells an array that is read from a place from all others."""
    return value.parts if isinstance(value, Small) else value.atom


def _are_side_by_side(target: ast.expr, node: ast.expr) -> bool:
    """Whether each item of a tuple is assigned to a target of its own."""
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(node, ast.Tuple):
        return False
    is_starred = any(isinstance(n, ast.Starred) for n in (*target.elts, *node.elts))
    return len(target.elts) == len(node.elts) and not is_starred
