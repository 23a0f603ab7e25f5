"""Arrays that a function writes into which it was given: the caller's variable has what they have become.

An array that is written into by slices, or as a whole, becomes another one in the variable of the function that writes.
Where it came from a variable of the caller, that gets it as soon as the call has returned; where it came from an
attribute of an object, the parameter stands for that (see `standing`), since others may read it while the call runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from types import CodeType
from typing import Any, NoReturn

from morula.static.python.asides import as_written, called_apart
from morula.static.python.bindings import of_node, replaced_whole
from morula.static.python.ir import Again
from morula.static.python.liveness import read_after_call
from morula.static.python.scopes import Array, Names, Scope, Small, Static, key_of
from morula.static.python.sharing import Sharing, arrays_in, has_own, slot_name
from morula.transform.syntax import walk

__all__ = ["Lending"]


class Lending(Sharing):
    """The part of a `front.Builder` that knows of which variables of a caller a function has the arrays.

    Attributes:
        apart: by code, the calls that are statements of their own (see `asides`); `given_anew`, texts without these.
    """

    apart: dict[CodeType, set[int]]
    given_anew: list[Any]
    texts: dict[CodeType, tuple[Any, set[str]]]
    place_read: Callable[[Any], Any]
    stand: Callable[[Scope, str, Any], None]
    by_slices: set[Any]
    floating: set[Any]
    several: Callable[[Scope, str, Any], None]
    put_by_slices: Callable[[Names], NoReturn]

    def expect_lending(self, scope: Scope, node: Any, given: dict[str, Any]) -> None:
        """See to it that what a function writes items of is no list where it is an array of an object."""
        for name, value in given.items():
            key = key_of(scope, name)
            is_put = key <= self.by_reference and not key <= self.by_slices and name not in _written_in_loops(node)
            if is_put and isinstance(value, Array) and self._is_in_place(value):
                self.put_by_slices(key)

    def _is_in_place(self, value: Array) -> bool:
        """Whether an array was read from a place, which has it still and can get another one."""
        return self.place_read(value) is not None and value.dtype.kind in "fc"

    def stands_when_given(self, scope: Scope, name: str, value: Any) -> bool:
        """Let a parameter stand for the place of the array that it is given and writes into; whether it does."""
        is_changed = isinstance(value, Array) and (scope.function.__code__, name) in self.by_slices
        if not is_changed or value.of or not self._is_in_place(value):
            return False
        self._call_apart(self.scopes[-1])
        item = self.place_read(value)
        slot = slot_name(item.thing, item.key)
        held = [i for i, names in enumerate(self.slots_held) if names == slot]
        if held:  # it is no further name of the array
            del self.slots_held[held[-1]]
        self.stand(scope, name, item)
        return True

    def lend(self, scope: Scope, node: Any, given: dict[str, Any]) -> None:
        """Take note of the arrays that a function is given out of variables of its caller."""
        caller, code, rebound = self.scopes[-1], scope.function.__code__, replaced_whole(node)
        for name, value in given.items():
            is_changed = isinstance(value, Array) and (code, name) in self.by_slices
            if not is_changed or value.of or name in rebound or name in scope.things or not has_own(code, name):
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

    def give_back(self, scope: Scope) -> None:
        """Give the caller's variables the arrays that its own ones have become in a function that has returned."""
        caller = self.scopes[-1]
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
