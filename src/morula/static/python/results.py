"""What the text of a function gives: its value, a sum of its values, what it leaves in what it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from morula.static.python.ir import Set, Unsupported
from morula.static.python.loops import Loops
from morula.static.python.optionals import is_none
from morula.static.python.scopes import Array, ListOf, Names, Scope, Small
from morula.static.python.things import Thing
from morula.transform.syntax import walk

__all__ = ["Results"]


class Results(Loops):
    """The part of a `front.Builder` that knows what is returned."""

    def with_written(self, scope: Scope, node: Any, names: Sequence[str], structured: dict[int, Any]) -> Any:
        """What a function returns, followed by what it leaves in the arrays and objects that it is given."""
        changed = {id(n.target) for n in walk(node) if isinstance(n, ast.AugAssign)}
        rebound = {n.id for n in walk(node) if isinstance(n, ast.Name) and n.id in names
                   and not isinstance(n.ctx, ast.Load) and id(n) not in changed}  # fmt: skip
        has_value = scope.result is not None and not is_none(scope.result)
        found: list[Any] = [scope.result] if has_value else []
        self.scopes.append(scope)
        for i, name in enumerate(names[: self.program.n_args]):
            key = (scope.function.__code__, name)
            is_written = key in self.by_reference or not self.swapped_with(frozenset([key])).isdisjoint(self.put_into)
            if not is_written or not self.program.inputs[i].is_array:
                continue
            if name in rebound or self.program.captured:
                raise Unsupported("writing into an array that has other names, or beside captured variables")
            value = self.value(ast.Name(name, ast.Load()))
            if isinstance(value, ListOf):
                final = self.varying(value, f"written{i}")
                self.emit(Set(final.var, value.var))
            else:
                final, pairs = self.placed(value, f"written{i}_{{}}")
                for var, v in pairs:
                    self.emit(Set(var, v))
                final = replace(final, origins=frozenset())
            found.append(final)
            self.program.handed += ((i,),)
        self.scopes.pop()
        seen: set[int] = set()
        places = {where: path for i, thing in structured.items() for where, path in _places(thing, (i,), seen)}
        for where, parts in self.program.stored.items():
            if self.program.captured or where not in places:
                raise Unsupported("writing into what is reached in another way, or beside captured variables")
            if not all(isinstance(v, str) for v in parts.values()):
                raise Unsupported("writing something other than numbers into what the program is given")
            found += parts.values()
            is_item = where not in self.program.objects
            self.program.handed += tuple([(*places[where], (is_item, key)) for key in parts])
        self.program.stored = {}
        if not self.program.handed:
            return scope.result
        self.program.returns = has_value
        return tuple(found)

    def is_shared(self, replaced: set[str], names: Names) -> bool:
        """Whether the array of one of these variables may be one that somebody else has, too.

        A parameter holds the caller's until it is `replaced` for sure.
        """
        names = self.swapped_with(names)
        given = any(frozenset([key]) in self.own and key[1] not in replaced for key in names)
        return given or any(code is None for code, _ in names) or not self.shared.isdisjoint(names)

    def weighted(self, result: Any, weights: ListOf, n: int) -> str:
        """The variable of a sum of results."""
        if isinstance(result, Array) and result.shape == weights.shape:
            total = self.array_operator("matmul", result, weights)
            self.emit(Set("weighted", total))
            return "weighted"
        numbers = (result,) if isinstance(result, str) else result.parts if isinstance(result, Small) else result
        if not isinstance(numbers, tuple) or len(numbers) != n:
            raise Unsupported("a value of another length")
        total = "0.0"
        for i, number in enumerate(numbers):
            product = self.compute("mul", number, self.compute("index", weights.var, str(i)))
            total = self.compute("add", total, product)
        self.emit(Set("weighted", total))
        return "weighted"


def _places(value: Any, path: tuple, seen: set[int]) -> Iterator[tuple[str, tuple]]:
    """The texts of all objects, dicts and lists in an argument that are not `seen` yet, with their places."""
    parts: Any = enumerate(value) if type(value) is tuple else ()
    if isinstance(value, Thing) and value.home is None and id(value) not in seen:
        seen.add(id(value))  # one may lie in itself
        yield value.where, path
        parts = value.slots.items()
    for key, part in parts:
        is_item = type(value) is tuple or value.kind in (dict, list)
        yield from _places(part, (*path, (is_item, key)), seen)
