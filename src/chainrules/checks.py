"""What is wrong with a declaration is said where it is made."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType, MethodType, UnionType
from typing import Any

TypeSpec = type | tuple[type, ...]


def check_key(f: Any) -> None:
    """Refuse what nothing can be declared for.

    Raises:
        TypeError: where ``f`` is not hashable, neither callable nor a descriptor, or a property or a classmethod.
    """
    if isinstance(f, property):
        raise TypeError("declare a rule for a property on its getter: Class.name.fget")
    if isinstance(f, MethodType) and isinstance(f.__self__, type):
        name = f"{f.__self__.__name__}.{f.__name__}"
        raise TypeError(
            f"declare a rule for a classmethod on the function itself, {name}.__func__, whose first argument is "
            "the class"
        )
    if not (callable(f) or hasattr(type(f), "__get__")):
        raise TypeError(
            f"declarations are for functions, classes and descriptors such as properties, not for {f!r:.60}"
        )
    hash(f)


def checked_types(types: tuple[Any, ...]) -> tuple[TypeSpec, ...]:
    """Types as rules keep them: ``float | int`` is the tuple, ``typing.Any`` is `object`.

    Raises:
        TypeError: for what `isinstance` does not take.
    """
    return tuple(map(_checked_type, types))


def _checked_type(t: Any) -> TypeSpec:
    if t is Any:
        return object
    if isinstance(t, UnionType):
        t = t.__args__
    members = t if isinstance(t, tuple) else (t,)
    for m in members:
        if not isinstance(m, type) or hasattr(m, "__origin__"):  # list[int] is no class
            raise TypeError(
                f"the types of a rule must be classes or tuples of classes, one for each argument, not {m!r:.60}"
            )
    return t


def checked_traits(needs: Iterable[str]) -> frozenset[str]:
    """Traits as rules keep them; a string is one of them."""
    return frozenset((needs,) if isinstance(needs, str) else needs)


def check_decorates(function: Any, name: str) -> None:
    """Refuse what a decorator cannot stand above, such as the value that a function got as its only argument."""
    if not callable(function):
        raise TypeError(
            f"@{name}(f) decorates the rule for f, which must be a function, not {function!r:.60}. Is the (f) "
            f"missing after @{name}?"
        )


def check_arity(f: Any, partials: tuple[Any, ...]) -> None:
    """Refuse partials that are too many or too few, or take other arguments than they will get.

    Raises:
        TypeError: where that can be seen, which it cannot for functions written in C.
    """
    n, name = len(partials), getattr(f, "__name__", f)
    least: Any = getattr(f, "nin", None)
    most = least
    if isinstance(f, FunctionType) and not f.__code__.co_flags & 0x04:  # no *args
        most = f.__code__.co_argcount
        least = most - len(f.__defaults__ or ())
    if isinstance(most, int) and not least <= n <= most:
        raise TypeError(f"{n} partials for {name}, which takes {most} arguments: scalar_rule needs one for each")
    for i, p in enumerate(partials):
        if not isinstance(p, FunctionType) or p.__code__.co_flags & 0x04:
            continue
        most = p.__code__.co_argcount  # with y
        if not most - len(p.__defaults__ or ()) <= n + 1 <= most:
            raise TypeError(f"partial {i} of {name} takes {most} arguments: it needs y and the {n} of the function")
