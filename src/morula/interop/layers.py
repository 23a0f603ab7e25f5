"""What adapters return: a callable that is pickled, copied, bound and inspected as the function would be."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import MethodType
from typing import Any

import chainrules

__all__ = ["Layer", "global_name"]


class Layer:
    """A function in another engine.

    Attributes:
        adapter, f, options: ``adapter(f, **options)`` makes it.
    """

    def __init__(self, call: Callable, adapter: Callable, f: Callable, **options: Any):
        functools.update_wrapper(self, f, updated=())
        self.call, self.adapter, self.f, self.options = call, adapter, f, options

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results in the other engine."""
        return self.call(*args, **kwargs)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """A method, where it stands in the body of a class."""
        return self if owner is None else MethodType(self, owner)

    def __repr__(self) -> str:
        return f"<{self.f!r} by {self.adapter.__module__}.{self.adapter.__qualname__}>"

    def __deepcopy__(self, memo: dict) -> Layer:
        return self

    def __reduce__(self) -> Any:
        return global_name(self) or (again, (self.adapter, self.f, self.options))


chainrules.opaque(Layer)


def again(adapter: Callable, f: Callable, options: dict[str, Any]) -> Any:
    return adapter(f, **options)


def global_name(x: Any) -> str | None:
    """The name by which a module has `x`, as that of a decorated function."""
    name = getattr(x, "__qualname__", None)
    found: Any = sys.modules.get(x.__module__)
    for part in () if name is None else name.split("."):
        found = getattr(found, part, None)
    return name if found is x else None
