"""Calls with one or two plain arguments: what to run for them is decided once in a run, by callable."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.registry import Handler
from morula.eager.calls.short_ways import general_way, short_way
from morula.eager.context.kinds import HASHABLE_CALLABLES, is_empty
from morula.eager.context.part import Part
from morula.eager.memory.layout import owner_of
from morula.errors import AliasedArgumentsError, describe
from morula.transform import SourceUnavailable, Template, template_of

ndarray = np.ndarray
Pair = tuple[Any, Any]
CALLEES: list[Callable[..., Handler]] = []  # what may take the place of a twin, once static adjoints are there


class HandlerTable(dict):
    """callable -> what to run for a call with `n` plain positional arguments; filled as callables are met."""

    __slots__ = ("make", "n")

    def __init__(self, make: Callable[[Any, int], Any], n: int = 1):
        self.make = make
        self.n = n

    def __missing__(self, f: Any) -> Handler:
        handler = self[f] = self.make(f, self.n)
        return handler


class DirectCalls(Part):
    """How a reverse context calls what generated code calls most often."""

    __slots__ = ()

    on1: HandlerTable
    on2: HandlerTable

    # -- entry points of generated code -------------------------------------------------------------------

    def call1(self, f: Any, x: Any, x_d: Any) -> Pair:
        if type(f) in HASHABLE_CALLABLES:
            return self.on1[f](self, x, x_d)
        return self.call(f, (x,), (x_d,))

    def call2(self, f: Any, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
        if type(f) in HASHABLE_CALLABLES:
            return self.on2[f](self, x, y, x_d, y_d)
        return self.call(f, (x, y), (x_d, y_d))

    def handler(self, f: Any, n: int) -> Handler:
        """What to run for a call of `f` with `n` arguments."""
        meaning = meaning_of(f)
        way = meaning.ways[n - 1]
        if way is None:
            if meaning.is_plain and (twin := self._direct_twin(f, n)) is not None:
                return twin
            way = meaning.ways[n - 1] = short_way(f, n) or "general"
        return general_way(f, n) if way == "general" else way

    def _direct_twin(self, f: FunctionType, n: int) -> Handler | None:
        """The twin itself of a plain function, where a call with `n` arguments needs no binding."""
        try:
            template = template_of(f)
        except SourceUnavailable:
            return None
        if template.code is None or not template.simple or len(template.parameters) != n or template.is_generator:
            return None
        twin = self.twin_of(f, template)
        return CALLEES[0](self, f, twin, n) if CALLEES else twin

    def twin_of(self, f: FunctionType, template: Template) -> Any:
        """The twin of `f`; the first time it is met, what it reads from outside is checked."""
        twin = self.twins.table.get(f)
        if twin is None:
            twin = self.twins.of(f, template)
            if self.records.kept:
                self._check_outside(f, template)
        return twin

    def _check_outside(self, f: FunctionType, template: Template) -> None:
        """An argument that a function also reads as a captured or global variable would count twice."""
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            if id(cell) not in self.twins.paired and not is_empty(cell) and id(cell) not in self.twins.lifted:
                self.refuse_argument(f, name, cell.cell_contents)
        for name in template.globals_read:
            self.refuse_argument(f, name, f.__globals__.get(name))

    def refuse_argument(self, f: FunctionType, name: str, value: Any) -> None:
        if isinstance(value, ndarray):
            owner = owner_of(value)
            if any(owner_of(x) is owner for x in self.records.kept) and self.buffers.find(value) is not None:
                raise AliasedArgumentsError(
                    f"{describe(f)} reads the variable {name!r}, which shares the memory of an argument: its "
                    "gradient would count both. Pass a copy of the argument."
                )
