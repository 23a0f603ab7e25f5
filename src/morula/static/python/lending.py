"""Arrays that a function writes into which it was given: the caller's variable has what they have become.

An array that is written into by slices, or as a whole, becomes another one in the variable of the function that writes.
Where it came from a variable of the caller, that gets it as soon as the call has returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from morula.static.python.bindings import replaced_whole
from morula.static.python.ir import Again
from morula.static.python.liveness import read_after_call
from morula.static.python.scopes import Array, Names, Scope, Small, Static, key_of
from morula.static.python.sharing import Sharing, arrays_in, has_own

__all__ = ["Lending"]


class Lending(Sharing):
    """The part of a `front.Builder` that knows of which variables of a caller a function has the arrays."""

    by_slices: set[Any]
    floating: set[Any]
    several: Callable[[Scope, str, Any], None]
    put_by_slices: Callable[[Names], NoReturn]

    def lend(self, scope: Scope, node: Any, given: dict[str, Any]) -> None:
        """Take note of the arrays that a function is given out of variables of its caller."""
        caller, code, rebound = self.scopes[-1], scope.function.__code__, replaced_whole(node)
        for name, value in given.items():
            is_changed = isinstance(value, Array) and (code, name) in self.by_slices
            if not is_changed or value.of or name in rebound or not has_own(code, name):
                continue
            own = [n for n, held in caller.bound.items() if isinstance(held, Array) and held.atom == value.atom]
            if len(own) != 1 or not self._can_get_back(caller, own[0]):
                continue
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

        def others(names: Names) -> Names:
            return frozenset([key for key in names if key[0] is not code or not has_own(*key)])

        for names in self.bonds:
            if others(names) != names and not names.isdisjoint(self.held_elsewhere):
                self.held_elsewhere |= others(names)
        for i, write in enumerate(self.writes):
            if others(write.key) != write.key:
                group = write.key.union(*[names for names in self.bonds if names & write.key])
                self.writes[i] = replace(write, key=others(group))
        self.writes = [write for write in self.writes if write.key]
        self.bonds = list(map(others, self.bonds))

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
