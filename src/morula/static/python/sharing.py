"""Who else has an array: variables that may hold one, those that give each other theirs, and those not read again.

An array that is written into by slices, or as a whole, becomes another one in its variable. That is the same as long as
nobody else who has it looks at it later.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any, NoReturn

from morula.static.python.ir import Again, Unsupported
from morula.static.python.liveness import read_later
from morula.static.python.meanwhile import Meanwhile
from morula.static.python.plain_classes import dataclass
from morula.static.python.scopes import Array, Names, Scope, Single, Small, Static, key_of
from morula.static.python.things import Thing
from morula.transform.syntax import walk

__all__ = ["Sharing", "arrays_in", "has_own", "may_be_of_slots", "slot_name"]

SLOT = "a slot "


def slot_name(thing: Thing, key: Any) -> Names:
    """The name of arrays in a slot: one for all objects of a class, or for all dicts or lists that one line makes."""
    return frozenset([(None, f"{SLOT}{thing.kind.__qualname__}{thing.line}.{key}")])


def arrays_in(value: Any) -> list[Array | Single | Small]:
    """The arrays that a value has."""
    if isinstance(value, tuple):
        return [array for part in value for array in arrays_in(part)]
    return [value] if isinstance(value, Array | Single | Small) else []


@dataclass(frozen=True)
class Write:
    """A write that gave a variable another array.

    Attributes:
        key: the variable, or the slot.
        running: the functions that ran then.
        later: of those of which it is known, by their codes, the variables that are read afterwards.
    """

    key: Names
    running: frozenset[Any]
    later: dict[Any, frozenset[str]] = field(default_factory=dict)

    def is_unseen(self, names: Names) -> bool:
        """Whether none of these variables is read afterwards, but for the one that is written into."""
        return all(len(name) == 2 and name[0] is not None and self._is_unread(*name) for name in names - self.key)

    def _is_unread(self, code: Any, name: str) -> bool:
        if code in self.later:
            return name.partition(" ")[0] not in self.later[code]
        return code not in self.running and has_own(code, name)


def may_be_of_slots(value: Any) -> bool:
    """Whether the value of an expression may be an array that a slot holds, or have one."""
    if isinstance(value, Array | Small):
        return bool(value.origins or getattr(value, "of", ""))
    return not isinstance(value, str | Static)


class Sharing(Meanwhile):
    """The part of a `front.Builder` that knows this.

    Attributes:
        swaps: variables that give each other their arrays; `slot_swaps`, slots that do.
        shared: variables of arrays that may be one, at any time.
        bonds: the same, in groups.
        held_elsewhere: those whose array something else may have that is no variable, at any time.
        alone: variables of arrays that have no other name where the statement stands.
        put_into: variables of arrays that are written into.
        changing: places of arrays that became other ones where the program writes into them.
        slots_held: the slots whose arrays the expressions hold that are read.
        put_into_slots: variables whose arrays objects have in slots.
        taken_in: variables that a loop, or a branch, read for the last time as long as they hold what they do.
        writes: the same of variables and of slots.
    """

    swaps: list[Names]
    slot_swaps: list[Names]
    shared: set[Any]
    bonds: list[Names]
    held_elsewhere: set[Any]
    alone: set[Any]
    put_into: set[Any]
    changing: set[Any]
    slots_held: list[Names]
    put_into_slots: set[tuple[int, str]]
    taken_in: dict[tuple[Any, str], Any]
    around: tuple
    writes: list[Write]
    by_reference: set[Any]
    own: dict[Names, str]
    definitions: dict[Any, Any]
    defining: int
    line: int
    scopes: list[Scope]
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    assign: Callable[[ast.expr, Any], None]
    set_in_place: Callable[[Thing, Any, Any], None]
    names_move: Callable[..., list[Callable[[], None]]]
    read_by_callers: Callable[[str, list[Any]], dict[Any, frozenset[str]]]
    make_cell: Callable[[Scope, str], NoReturn]
    stand_instead: Callable[[Names], None]
    places_swapped: Callable[..., list[tuple[Any, Any]] | None]
    item_named: Callable[[str], Any]

    def share(self, names: Names, are_all: bool = False, is_into_slot: bool = True) -> None:
        """Take note that these variables may hold one array; something else may, too, unless they `are_all`.

        A variable that gets the array of a slot does not make slots that are swapped have the same one.
        """
        names, every = self.swapped_with(names, is_into_slot), self.swapped_with(names)
        self.shared |= every
        if any(self.taken_in[key] in self.around for key in every & self.taken_in.keys()):
            raise Again
        self.alone = {key for key in self.alone if key not in every and (len(key) < 3 or key[2] not in every)}
        joined = [group for group in self.bonds if group & names]
        group = names.union(*joined)
        self.bonds = [*[other for other in self.bonds if other not in joined], group]
        if not are_all:
            self.held_elsewhere |= every
        if every & self.changing:
            self.relist(every)
        for write in self.writes:
            if self.swapped_with(write.key) & group and not self.is_write_unseen(write):
                self.relist(names)

    def last_of(self, scope: Scope, name: str) -> Any:
        """What a variable holds that is read for the last time: the array has one name less, perhaps none."""
        around = self.around[len(scope.around) :]
        if around:  # the next turn of a loop reads it again, when it may be another's array
            self.taken_in[scope.function.__code__, name] = around[0]
        return scope.bound[name]

    @contextmanager
    def perhaps(self, is_so: bool = True) -> Iterator[None]:
        """What is built inside may be passed over, if that is so: behind it, nothing more is known to be alone."""
        before = set(self.alone)
        yield
        self.alone &= before if is_so else self.alone

    @contextmanager
    def calling(self, node: ast.Call) -> Iterator[None]:
        """The call is made inside: its arguments have been read."""
        scope = self.scopes[-1]
        before, scope.calling = scope.calling, node
        try:
            yield
        finally:
            scope.calling = before

    def also_named(self, scope: Scope, name: str, value: Any) -> None:
        """Take note of a parameter: it is one more name of the arrays of slots, as long as this call runs."""
        origins = frozenset().union(*[array.origins for array in arrays_in(value)])
        if slots := frozenset([key for key in origins if key[0] is None and key[1].startswith(SLOT)]):
            self.share(slots | {(scope.function.__code__, f"{name} {scope.number}")}, True, False)

    def share_with_slot(self, names: Names, slot: Names) -> None:
        """Take note that an object, a list or a dict has an array of these names in a slot.

        A slot's name is that of several objects, so that a second one with the same array would not be told apart: only
        an array of a single name that has been put into no slot before is known to be in one alone.
        """
        scope = self.scopes[-1]
        (code, name), *others = names
        is_only = not others and code is scope.function.__code__ and has_own(code, name)
        source = (scope.number, name)
        self.share(names | slot, is_only and source not in self.put_into_slots)
        self.put_into_slots.add(source)

    def is_held(self, slot: Names) -> bool:
        """Whether an expression that has called the function that runs may hold the array of a slot."""
        return any(slot <= names for names in self.slots_held[: self.scopes[-1].held_before])

    def write_to_slot(self, slot: Names) -> Write:
        write = self._write_now(self.scopes[-1], slot)
        return write or Write(slot, frozenset([scope.function.__code__ for scope in self.scopes]))

    def is_write_unseen(self, write: Write) -> bool:
        """Whether nobody who may have the array of a variable looks at it after a write."""
        swapped = self.swapped_with(write.key) - write.key
        bonds = [names for names in self.bonds if names & (swapped | write.key)]
        # what is swapped with it is another array, unless something has had the arrays of both
        group = write.key.union(*[names if names & write.key else names - swapped for names in bonds])
        is_given = any(frozenset([name]) in self.own for name in group - write.key)  # the caller may look at it later
        return not is_given and group.isdisjoint(self.held_elsewhere) and write.is_unseen(group)

    def relist(self, names: Names) -> NoReturn:
        """Build the program anew, with lists in these variables."""
        if names <= self.by_reference:
            self.stand_instead(names)
            raise Unsupported("an array of several names that is written into", self.line)
        self.by_reference |= names
        raise Again

    def _alone(self, scope: Scope, name: str, old: Small | Array) -> None:
        """See to it that nobody else looks at an array later: it may become another one then."""
        if self.views_unread:
            self.check_unread(scope, name, old)
        key = key_of(scope, name)
        if name not in scope.tuples or not isinstance(scope.things.get(name, old), Array | Small):
            self.make_cell(scope, name)
        scope.written.add(name)
        self.put_into.update(key)
        if key <= self.alone:
            return
        write = self._write_now(scope, key)
        if key & self.shared or old.origins > key:
            if write is None:
                self.relist(old.origins | key)
            if old.origins > key:
                self.share(old.origins | key, True)
            if not self.is_write_unseen(write):
                self.relist(old.origins | key)
        if write is None:
            self.changing.update(key)
        else:
            self.writes.append(write)

    def _write_now(self, scope: Scope, key: Names) -> Write | None:
        """The write that a statement does; None where it is not known what is read afterwards."""
        s, code = scope.current, scope.function.__code__
        later = read_later(self.definitions.get(code))
        running = [other.function.__code__ for other in self.scopes]
        if self.defining or id(s) not in later or running.count(code) > 1:
            return None
        found = later[id(s)]
        is_last = isinstance(s, ast.AugAssign) or (isinstance(s, ast.Assign) and len(s.targets) == 1
                                                   and isinstance(s.targets[0], ast.Subscript))  # fmt: skip
        if not is_last:  # something else of the statement may come after the write
            found |= {n.id for n in walk(s) if isinstance(n, ast.Name)}
        names = [name for other, name in key if other is code]
        known = self.read_by_callers(names[0], running) if names and scope is self.scopes[-1] else {}
        return Write(key, frozenset(running), known | {code: found})

    def swapped_with(self, names: Names, with_slots: bool = True) -> Names:
        """All variables, and slots, whose array may be that of one of these."""
        swaps = self.swaps + self.slot_swaps * with_slots
        for _ in swaps:
            names = names.union(*[keys for keys in swaps if keys & names])
        return names

    def exchange(self, statements: Sequence[ast.stmt]) -> tuple[ast.Assign, int] | None:
        """``a, b = b, a`` for ``t = a; a = b; b = t``, with how many statements that are; None for something else.

        Nothing may read `t` afterwards. There may be more variables that hand on what they hold.
        """
        pairs: list[tuple[str, str]] = []
        for s in statements:
            if not isinstance(s, ast.Assign) or len(s.targets) > 1 or not isinstance(s.value, ast.Name):
                return None
            (target,) = s.targets
            if not isinstance(target, ast.Name) or (pairs[1:] and target.id != pairs[-1][1]):
                return None
            pairs.append((target.id, s.value.id))
            if s.value.id == pairs[0][0]:
                break
        if len(pairs) < 3 or pairs[0][1] != pairs[1][0]:
            return None
        spare, names = pairs[0][0], [name for name, _ in pairs[1:]]
        code = self.scopes[-1].function.__code__
        later = read_later(self.definitions.get(code)).get(id(statements[len(pairs) - 1]))
        is_ring = pairs[-1][1] == spare and len({spare, *names}) == len(pairs)
        if not is_ring or later is None or spare in later:
            return None
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        values: list[ast.expr] = [ast.Name(name, ast.Load()) for name in (*names[1:], names[0])]
        found = ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple(values, ast.Load()))
        return ast.fix_missing_locations(ast.copy_location(found, statements[0])), len(pairs)

    def swapped(self, s: ast.Assign) -> bool:
        """Do ``a, b = b, a``, which gives no array another name; whether the assignment is such a one."""
        target = s.targets[0]
        if len(s.targets) > 1 or not isinstance(target, ast.Tuple) or not isinstance(s.value, ast.Tuple):
            return False
        if (places := self.places_swapped(target.elts, s.value.elts)) is not None:
            return self._swapped_places(places)
        if any(isinstance(n, ast.Name) and self.item_named(n.id) for n in target.elts):
            return False
        names, given = ([n.id for n in t.elts if isinstance(n, ast.Name)] for t in (target, s.value))
        if len(set(names)) < len(target.elts) or sorted(names) != sorted(given) or len(given) < len(s.value.elts):
            return False
        keys: Names = frozenset([(self.scopes[-1].function.__code__, name) for name in names])
        self.swaps.append(keys)
        if keys & self.shared:
            self.share(keys)
        are_alone = keys <= self.alone
        found = []
        for name, node in zip(given, s.value.elts, strict=True):
            value = self.value(node)
            if isinstance(value, Small | Array):
                value = replace(value, origins=value.origins - key_of(self.scopes[-1], name))
            found.append(self.held(value))
        for node, value in zip(target.elts, found, strict=True):
            self.assign(node, value)
        self.alone = self.alone | keys if are_alone else self.alone - keys
        return True

    def _swapped_places(self, places: list[tuple[Any, Any]]) -> bool:
        """Do ``self.a, self.b = self.b, self.a``, where both are arrays of one shape; whether it is such a one."""
        found: list[Any] = [source.thing.slots.get(source.key) for _, source in places]
        if not all(isinstance(v, Array) and v.atom[0] == "o" for v in found):
            return False
        if len({(v.shape, v.dtype) for v in found}) > 1:
            return False
        own = [slot_name(item.thing, item.key) for item, _ in places]
        keys: Names = frozenset().union(*own)
        self.slot_swaps.append(keys)
        for write in self.writes:
            if write.key & self.swapped_with(keys) and not self.is_write_unseen(write):
                self.relist(write.key)
        if keys & self.shared:
            self.shared |= keys
        alone = {(item.thing.number, item.key, *name) for (item, _), name in zip(places, own, strict=True)}
        are_alone = alone <= self.alone
        held = [self.held(replace(v, origins=v.origins - keys)) for v in found]
        moves = self.names_move(places)
        for (item, _), value in zip(places, held, strict=True):
            self.set_in_place(item.thing, item.key, value)
        for move in moves:
            move()
        self.alone = self.alone | alone if are_alone else self.alone - alone
        return True


def has_own(code: Any, name: str) -> bool:
    """Whether a variable, maybe of one call, is one of the function alone, which forgets it when it returns."""
    name = name.partition(" ")[0]
    return name in code.co_varnames and name not in code.co_cellvars and not code.co_flags & 0x2A0
