"""The syntax tree of a function: from its source, and where nobody has that, from its byte code."""

import dis
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

from morula.transform import source
from morula.transform.codes import ByCode, held_sets
from morula.transform.deep import deeply
from morula.transform.source import FunctionSource, SourceUnavailable, source_of
from morula.transform.state import Rebound
from morula.transform.syntax import one_at_a_time

registered: ByCode[FunctionSource] = ByCode()  # of functions that the transform itself compiled
_read: ByCode[FunctionSource | str] = ByCode()  # of code without source, or with sets: its tree, or why there is none


def reading_of(code: CodeType) -> FunctionSource:
    """The syntax tree that `code` was compiled from, or another one that compiles to the same.

    Raises:
        SourceUnavailable: no source, and byte code that cannot be read back.
    """
    known = registered.get(code)
    if known is not None:
        return known
    reading = _read.get(code)
    try:
        found = source_of(code)
        if not held_sets(code):
            return found
        if isinstance(reading, FunctionSource) and not reading.from_byte_code:
            return reading
        from morula.transform.constant_sets import with_held_sets  # few functions hold any

        reading = replace(found, node=deeply(lambda: with_held_sets(found.node, code)))
    except SourceUnavailable as reason:
        if reading is None:
            reading = _of_byte_code(code, str(reason))
    _read.put(code, reading)
    if isinstance(reading, str):
        raise SourceUnavailable(reading)
    return reading


def forget_readings() -> None:
    """Drop everything that was parsed or read back."""
    _read.clear()
    source.forget_sources()


def _of_byte_code(code: CodeType, reason: str) -> FunctionSource | str:
    from morula.transform.bytecode.functions import decompiled  # most programs have source
    from morula.transform.bytecode.values import Unreadable

    with one_at_a_time:
        try:
            node = deeply(lambda: decompiled(code))
        except Unreadable as construct:
            return f"{reason}, and its byte code cannot be read back: {construct}"
    rebound: set[Rebound] = {(None, "", name) for name in _stored_globals(code)}
    return FunctionSource(node, code.co_filename, None, tuple(rebound), from_byte_code=True)


def rebound_beside(function: FunctionType) -> tuple[Rebound, ...]:
    """The global variables that functions of the same text rebind, as far as the namespace still holds them."""
    space = function.__globals__
    found: set[str] = set()
    for value in list(space.values()):
        members = vars(value).values() if isinstance(value, type) else (value,)
        for member in members:
            if isinstance(member, FunctionType) and member.__globals__ is space:
                found |= _stored_globals(member.__code__)
    return tuple((None, "", name) for name in found)


STORES = frozenset([dis.opmap["STORE_GLOBAL"], dis.opmap["DELETE_GLOBAL"]])


def _stored_globals(code: CodeType) -> set[str]:
    found: set[str] = set()
    if not STORES.isdisjoint(code.co_code[::2]):  # of most functions nothing more need be looked at
        found = {step.argval for step in dis.get_instructions(code) if step.opcode in STORES}
    return found.union(*(_stored_globals(c) for c in _inner(code)))


def _inner(code: CodeType) -> list[Any]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]
