"""Objects that a rule was given, as they were then: its pullback reads them later, when they may have changed."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from chainrules import is_constant
from morula.eager.containers.container_types import container_of
from morula.eager.containers.parts import fill, mapped, may_change, parts_of, same_items
from morula.eager.context.kinds import ATOMS, dict_of, is_plain_object
from morula.eager.memory.arguments import copy_of

Held = Sequence[tuple[Any, Any]]  # an object, its attributes; a container that lies in one, its items


def kept_argument(a: Any) -> Any:
    """An argument as a rule may keep it: lists and dicts, at any depth, are copied, since they may change later."""
    return mapped(a, kept_argument) if type(a) in (list, tuple, dict) else a


def apart(x: Any) -> Any:
    """`x` with memory of its own, in lists, tuples and dicts too."""
    return copy_of(x) if isinstance(x, np.ndarray) else mapped(x, apart)


QUIET = ATOMS | {np.ndarray}


def held(args: Iterable[Any], copies: dict[int, tuple[Any, Any]]) -> Held:
    """The objects among the arguments, what lies in them, and what is in each of them now.

    Containers among the arguments themselves are the rule's own copies; arrays are rewound by the sweep.
    What has not changed since `copies` were made shares the copy of its items.
    """
    waiting: list[tuple[Any, bool]] = []
    for a in args:
        kind = type(a)
        if kind in QUIET or ((kind is list or kind is tuple) and QUIET.issuperset(map(type, a))):
            continue
        if not isinstance(a, np.ndarray):
            waiting.append((a, False))
    if not waiting:
        return ()
    found: list[tuple[Any, Any]] = []
    seen: set[int] = set()
    while waiting:
        x, inside = waiting.pop()
        if type(x) in ATOMS or isinstance(x, np.ndarray) or id(x) in seen or is_constant(x):
            continue
        parts: Iterable[Any]
        if container_of(type(x)) is not None:
            parts = parts_of(x)
            if inside and may_change(x):
                pair = copies.get(id(x))
                if pair is None or pair[0] is not x or not same_items(x, pair[1]):
                    pair = copies[id(x)] = (x, x.copy())
                found.append(pair)
        elif is_plain_object(x) and (fields := dict_of(x)) is not None:
            parts = fields.values()
            found.append((x, dict(fields)))
            inside = True
        else:
            continue
        seen.add(id(x))
        if not ATOMS.issuperset(map(type, parts)):
            waiting += [(v, inside) for v in list(parts)]
    return found


@contextmanager
def as_held(objects: Held) -> Iterator[None]:
    """The objects as they were, while the block runs."""
    now = [(x, then, contents(x).copy()) for x, then in objects if not same_items(contents(x), then)]
    try:
        for x, then, _ in now:
            fill(contents(x), then)
        yield
    finally:
        for x, _, after in now:
            fill(contents(x), after)


def contents(x: Any) -> Any:
    return x if may_change(x) else x.__dict__
