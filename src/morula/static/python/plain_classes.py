"""`dataclass` as the generator's classes need it, made in a fraction of the time: a first gradient waits for them.

Nothing is printed, and assignments to frozen objects are found by the type checker alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import field
from operator import attrgetter
from typing import TypeVar, cast, dataclass_transform

__all__ = ["dataclass"]

T = TypeVar("T", bound=type)


@dataclass_transform(field_specifiers=(field,))
def dataclass(*, frozen: bool = False, eq: bool = True) -> Callable[[T], T]:
    """The class with a constructor; frozen objects are equal if the fields to compare are, others if they are one."""

    def made(cls: T) -> T:
        found = cast(T, dataclasses.dataclass(repr=False, eq=False, match_args=False)(cls))
        if frozen and eq:
            fields = attrgetter(*[f.name for f in dataclasses.fields(found) if f.compare])

            def __eq__(self: object, other: object) -> bool:
                return bool(fields(self) == fields(other)) if other.__class__ is self.__class__ else NotImplemented

            def __hash__(self: object) -> int:
                return hash(fields(self))

            for method in (__eq__, __hash__):
                if method.__name__ not in cls.__dict__ or cls.__dict__[method.__name__] is None:
                    setattr(found, method.__name__, method)
        return found

    return made
