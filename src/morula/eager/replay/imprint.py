"""What a function can reach, as it is now: to find out afterwards whether it changed anything but its result."""

import sys
from collections.abc import Collection
from types import FunctionType
from typing import Any

import numpy as np

from chainrules import is_constant
from morula.eager.containers.container_types import container_of
from morula.eager.containers.parts import attributes_of, consists_of, parts_of, parts_of_code
from morula.eager.context.kinds import (
    ATOMS,
    HEAP_TYPE,
    captured_values,
    functions_of_member,
    is_library_code,
    is_plain_object,
)
from morula.eager.memory.fingerprints import fingerprint
from morula.frames import is_engine_frame

PACKAGES = "site-packages"  # what is installed is not followed: it keeps no state of the program
Imprint = dict[int, tuple]


def imprint(*values: Any) -> Imprint:
    """identity -> the object and its parts (of an array, its fingerprint), for all that can be reached from `values`.

    Functions of the user are followed into what they capture, their defaults and the global variables they name.
    """
    found: Imprint = {}
    waiting = list(values)
    while waiting:
        x = waiting.pop()
        if type(x) in ATOMS or id(x) in found or is_constant(x):
            continue
        parts = _parts(x)
        if parts is not None:
            found[id(x)] = (x, *parts)
            if not isinstance(x, np.ndarray):
                waiting += parts
    return found


def _parts(x: Any) -> list[Any] | None:
    if isinstance(x, np.ndarray):
        return [fingerprint(x)]
    if isinstance(x, dict):
        return [*x, *x.values()]
    if container_of(type(x)) is not None:
        return parts_of(x)
    if type(x) is np.vectorize:  # it keeps the ufunc that it makes of a function when it is called
        return [x.pyfunc]
    parts = parts_of_code(x)
    if type(x) is FunctionType and parts is not None:
        if is_engine_frame(x.__globals__):  # made of a function of the user's, for one of its derivatives
            return captured_values(x) or None
        if is_library_code(x) or PACKAGES in x.__code__.co_filename:
            return None
        return [*parts, *(x.__globals__.get(name) for name in x.__code__.co_names)]
    if parts is not None:
        return parts
    if isinstance(x, type):
        file = getattr(sys.modules.get(x.__module__), "__file__", None) or ""
        if not x.__flags__ & HEAP_TYPE or PACKAGES in file:
            return None
        return [part for member in list(vars(x).values()) for part in (member, *functions_of_member(member))]
    return [*attributes_of(x).values(), type(x)] if is_plain_object(x) else None


def changed(before: Imprint, after: Imprint, but_for: Collection[type] = ()) -> bool:
    """Whether something that could be reached then has other parts now; new parts of some types do not count."""
    for key, then in before.items():
        now = after.get(key)
        if now is None:
            return True
        if isinstance(then[0], np.ndarray):
            if now[1] != then[1]:
                return True
        elif len(now) != len(then) or any(a is not b for a, b in zip(now, then, strict=True)):
            before_ids = set(map(id, then))
            if not but_for or any(id(part) not in before_ids and not consists_of(part, but_for) for part in now):
                return True
    return False


def first_stored(before: Imprint, after: Imprint, harmless: Collection[type]) -> Any:
    """What could be reached then, and holds other parts now or holds them elsewhere, but for those of some types."""
    for key, then in before.items():
        now = after.get(key)
        if now is None or isinstance(then[0], np.ndarray):
            if now is None or now[1] != then[1]:
                return then[0]
        elif _placed(now, harmless) != _placed(then, harmless):
            return then[0]
    return None


def _placed(parts: tuple, harmless: Collection[type]) -> list[tuple[int, int]]:
    return [(i, id(part)) for i, part in enumerate(parts) if type(part) not in harmless]
