"""Tables of what is known of code objects, which do not keep them alive."""

import weakref
from types import CodeType
from typing import Generic, TypeVar

T = TypeVar("T")


class ByCode(Generic[T]):
    """Values by the identity of code objects; equal ones are apart. A value goes with its code, so must not hold it.

    >>> table = ByCode()
    >>> code = compile("1", "", "eval")
    >>> table.put(code, "what is known")
    >>> table.get(code), len(table.entries)
    ('what is known', 1)
    >>> del code
    >>> len(table.entries)
    0
    """

    __slots__ = ("__weakref__", "entries")

    def __init__(self) -> None:
        self.entries: dict[int, tuple[weakref.ref[CodeType], T]] = {}

    def get(self, code: CodeType) -> T | None:
        found = self.entries.get(id(code))
        return None if found is None else found[1]

    def put(self, code: CodeType, value: T) -> None:
        key, entries = id(code), self.entries

        def forget(gone: weakref.ref) -> None:
            if key in entries and entries[key][0] is gone:
                del entries[key]

        entries[key] = (weakref.ref(code, forget), value)

    def clear(self) -> None:
        self.entries.clear()


def held_sets(code: CodeType) -> list[frozenset]:
    """The sets of constants that `code`, and all code in it, holds.

    >>> held_sets(compile("[i for i in {1}]", "", "eval"))
    [frozenset({1})]
    """
    inner = [held_sets(c) for c in code.co_consts if type(c) is CodeType]
    return sum(inner, [c for c in code.co_consts if type(c) is frozenset])
