"""Arrays that a function writes into which it was given: the caller's variable has what they have become.

An array that is written into by slices, or as a whole, becomes another one in the variable of the function that writes.
Where it came from a variable of the caller, that gets it as soon as the call has returned; where it came from an
attribute of an object, that gets it at each write, since others may read it from there while the call runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from types import CodeType
from typing import Any, NoReturn

from morula.static.python.asides import as_written, called_apart
from morula.static.python.bindings import of_node, replaced_whole
from morula.static.python.ir import Again, Unsupported
from morula.static.python.liveness import read_after_call
from morula.static.python.scopes import Array, Names, Scope, Small, Static, key_of
from morula.static.python.sharing import Sharing, arrays_in, has_own, slot_name
from morula.static.python.things import Thing
from morula.transform.syntax import walk

__all__ = ["Lending"]


class Lending(Sharing):
    """The part of a `front.Builder` that knows of which variables of a caller a function has the arrays.

    Attributes:
        apart: by code, the calls that are statements of their own (see `asides`); `given_anew`, texts without these.
        read_from: by atom, the object and the slot that an array was read from, and how often one like it had been set.
    """

    apart: dict[CodeType, set[int]]
    given_anew: list[Any]
    read_from: dict[str, tuple[Thing, Any, int]]
    slots_set: list[Names]
    sub: Any
    texts: dict[CodeType, tuple[Any, set[str]]]
    set_in_place: Callable[[Thing, Any, Any], None]
    by_slices: set[Any]
    floating: set[Any]
    several: Callable[[Scope, str, Any], None]
    put_by_slices: Callable[[Names], NoReturn]

    def expect_lending(self, scope: Scope, node: Any, given: dict[str, Any]) -> None:
        """See to it that what a function writes items of is no list where it is an array of an object."""
        for name, value in given.items():
            key = key_of(scope, name)
            is_put = key <= self.by_reference and not key <= self.by_slices and name not in _written_in_loops(node)
            if is_put and isinstance(value, Array) and self._can_put_back(value):
                self.put_by_slices(key)

    def _can_put_back(self, value: Array) -> bool:
        """Whether an array was read from an attribute, which has it still and can get another one in its place."""
        thing, key, before = self.read_from.get(value.atom, (None, None, 0))
        if thing is None or thing.home is None or thing.copied_as is not None or thing.is_shared:
            return False
        slot = slot_name(thing, key)
        is_there = self.slots_set.count(slot) == before and value.origins == slot
        return is_there and thing.sub is self.sub and value.dtype.kind in "fc"

    def lend(self, scope: Scope, node: Any, given: dict[str, Any]) -> None:
        """Take note of the arrays that a function is given out of variables of its caller."""
        caller, code, rebound = self.scopes[-1], scope.function.__code__, replaced_whole(node)
        for name, value in given.items():
            is_changed = isinstance(value, Array) and (code, name) in self.by_slices
            if not is_changed or value.of or name in rebound or not has_own(code, name):
                continue
            if self._can_put_back(value):
                self._call_apart(caller)
                scope.lent_slots[name] = list(self.read_from[value.atom])
                continue
            own = [n for n, held in caller.bound.items() if isinstance(held, Array) and held.atom == value.atom]
            if len(own) != 1 or not self._can_get_back(caller, own[0]):
                continue
            self._call_apart(caller)
            scope.caller, scope.lent[name], key = caller, own[0], key_of(caller, own[0])
            if own[0] not in caller.tuples:  # a parameter that has no variable of its own
                self.by_reference |= key
                self.put_by_slices(key)
            for other, held in given.items():  # which may be read when the array is another one already
                if other != name and any(key & array.origins for array in arrays_in(held)):
                    self.share(key | {(code, other)}, True)

    def _can_get_back(self, caller: Scope, name: str) -> bool:
        key = key_of(caller, name)
        return key not in self.own and not key <= self.floating and has_own(*next(iter(key)))

    def _call_apart(self, caller: Scope) -> None:
        """See to it that a call is all that its statement computes, if it can be."""
        code, call, s = caller.function.__code__, as_written(caller.calling), caller.current
        text: Any = self.texts[code][0]
        is_apart = getattr(s, "value", None) is caller.calling and id(s) in read_after_call(self.definitions.get(code))
        calls = self.apart.get(code, set())
        if is_apart or call is None or id(call) in calls or not any(n is call for n in walk(text)):
            return
        if called_apart(text, calls | {id(call)}, code) is not None:
            self.apart[code] = calls | {id(call)}
            self.given_anew.append(self.definitions.pop(code))  # whose parts are known by their identities
            raise Again

    def _root(self, scope: Scope, name: str) -> list[Any] | None:
        """The object and the slot that the array of a variable came from, maybe by way of several calls."""
        while name not in scope.lent_slots and name in scope.lent and scope.caller is not None:
            scope, name = scope.caller, scope.lent[name]
        return scope.lent_slots.get(name)

    def slot_lent(self, scope: Scope, name: str) -> Names:
        """The slot whose array a variable has that is written into; nothing that is read must hold it."""
        root = self._root(scope, name)
        if root is None:
            return frozenset()
        slot = slot_name(*root[:2])
        held = self.slots_held[: self.scopes[-1].held_before]
        if sum(slot <= names for names in held) > 1:  # more than the argument
            raise Unsupported("writing into an array that something else may have, too", self.line)
        return slot

    def put_back(self, scope: Scope, name: str, value: Any) -> None:
        """Give a variable what an array has become that is written into, and the slot that it came from, too."""
        self.several(scope, name, value)
        if (root := self._root(scope, name)) is not None:
            thing, key, _ = root
            self._check_slot(root)
            alone = self.alone - {(thing.number, key, *slot_name(thing, key))}
            self.set_in_place(thing, key, replace(value, origins=frozenset()))
            self.alone, root[2] = alone, root[2] + 1

    def _check_slot(self, root: list[Any]) -> None:
        thing, key, times = root
        if self.slots_set.count(slot_name(thing, key)) != times:
            raise Unsupported("writing into an array in whose place something else is put meanwhile", self.line)

    def give_back(self, scope: Scope) -> None:
        """Give the caller's variables the arrays that its own ones have become in a function that has returned."""
        caller = self.scopes[-1]
        for name, root in scope.lent_slots.items():
            if name in scope.written:
                self._check_slot(root)
        for name, own in scope.lent.items():
            if name not in scope.written:
                continue
            value, key = scope.bound[name], key_of(caller, own)
            if value.dtype.kind in "bi" and not key <= self.by_slices:  # of which it is known what they hold
                self.by_slices |= key
                raise Again
            caller.written.add(own)
            self.several(caller, own, replace(value, origins=frozenset()))

    def forget_frame(self, scope: Scope, result: Any) -> None:
        """The variables of a call that has returned are no more: what had their arrays has them without these.

        Not where its result may be such an array, which then has the names of these variables still.
        """
        code = scope.function.__code__
        is_running = any(other.function.__code__ is code for other in self.scopes)
        is_plain = isinstance(result, str | Array | Small) or (isinstance(result, Static) and result.value is None)
        if is_running or not is_plain or any(key[0] is code for array in arrays_in(result) for key in array.origins):
            return

        for i, write in enumerate(self.writes):
            running, later = write.running - {code}, {c: names for c, names in write.later.items() if c is not code}
            key = write.key
            if _others(code, key) != key:
                key = _others(code, key.union(*[names for names in self.bonds if names & key]))
            self.writes[i] = replace(write, key=key, running=running, later=later)
        self.writes = [write for write in self.writes if write.key]
        self.unbind_frame(code)

    def unbind_frame(self, code: CodeType) -> None:
        """No variable of a call is bound to others any more."""
        for names in self.bonds:
            if _others(code, names) != names and not names.isdisjoint(self.held_elsewhere):
                self.held_elsewhere |= _others(code, names)
        self.bonds = [_others(code, names) for names in self.bonds]

    def read_by_callers(self, name: str, running: list[Any]) -> dict[Any, frozenset[str]]:
        """By the codes of the callers of which it is known, what they read once their calls have returned.

        The variables that then get the array of the variable `name` are not read before. All the codes are `running`.
        """
        found: dict[Any, frozenset[str]] = {}
        lent: str | None = name
        for caller, callee in zip(self.scopes[-2::-1], self.scopes[:0:-1], strict=True):
            lent = callee.lent.get(lent) if lent is not None and callee.caller is caller else None
            code, call = caller.function.__code__, caller.current
            after = read_after_call(self.definitions.get(code)).get(id(call))
            if after is not None and caller.calling is getattr(call, "value", self) and running.count(code) == 1:
                found[code] = after.returned - {lent} | after.raised
        return found


def _others(code: CodeType, names: Names) -> Names:
    """Those of the names that are no variables of a function alone."""
    return frozenset([key for key in names if key[0] is not code or not has_own(*key)])


@of_node
def _written_in_loops(function: Any) -> frozenset[str]:
    """The variables of a function of which loops write single items: each would copy the whole array."""
    loops = [n for n in walk(function) if isinstance(n, ast.For | ast.While)]
    places = [n for loop in loops for n in walk(loop) if isinstance(n, ast.Subscript)]
    written = [n.value for n in places if not isinstance(n.ctx, ast.Load) and not any(
        isinstance(i, ast.Slice) for i in walk(n.slice))]  # fmt: skip
    return frozenset([n.id for n in written if isinstance(n, ast.Name)])
