"""Twins of Python functions, and what to run for a call with one or two plain arguments.

A twin is the compiled template, bound to a function's own globals, cells and defaults. What a call runs is decided once
in a run, by callable.
"""

from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.registry import Handler
from morula.eager.calls.short_ways import general_way, short_way
from morula.eager.context.kinds import HASHABLE_CALLABLES, is_empty
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.memory.layout import owner_of
from morula.errors import AliasedArgumentsError, describe
from morula.transform import SourceUnavailable, Template, template_of

ndarray = np.ndarray
Pair = tuple[Any, Any]
Binding = Callable[..., tuple[tuple, tuple]]
NO_TWIN = (None, -1)
CALLEES: list[Callable[..., Handler]] = []  # what may take the place of a twin, once static adjoints are there


class Twins:
    """The twins of one run, and the shadows of the variables that functions capture.

    A captured variable lives in a cell; its shadow lives in a cell of its own, found by the identity of the
    first. `pair` tells us of cells that transformed code made; any other cell gets a shadow cell when a function
    that captures it is first called.
    """

    def __init__(self) -> None:
        self.table: dict[FunctionType, FunctionType] = {}
        self.templates: dict[FunctionType, Template] = {}  # of these
        self.plain_reads: dict[FunctionType, frozenset[str]] = {}  # globals that the twins take for inactive
        self.cells: dict[int, tuple[CellType, CellType]] = {}
        self.paired: set[int] = set()
        self.lifted: set[int] = set()  # cells whose variables are differentiated by (`pullback(..., with_self=True)`)
        self.defaults: dict[int, tuple[FunctionType, dict[str, Any]]] = {}
        self.exposed: dict[int, tuple[FunctionType, Any]] = {}  # functions whose __kwdefaults__ were read, its record
        self.bindings: dict[FunctionType, tuple[Any, Any, Binding]] = {}

    def of(self, f: FunctionType, template: Template) -> Any:
        """The twin of `f`."""
        twin = self.table.get(f)
        if twin is None:
            code = template.code
            assert code is not None
            closure = None
            if code.co_freevars:
                values = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
                for name, part in template.parts.items():
                    own = tuple([values[n] for n in part.co_freevars])
                    values[name] = CellType(FunctionType(part, f.__globals__, f.__name__, None, own))
                closure = tuple(
                    values[n] if n in values else self.shadow_cell(values[n[: -len(template.suffix)]])
                    for n in code.co_freevars
                )
            twin = self.table[f] = FunctionType(code, f.__globals__, f.__name__, None, closure)
            self.templates[f] = template
            self.plain_reads[f] = template.plain_reads
        return twin

    def shadow_cell(self, cell: CellType) -> CellType:
        found = self.cells.get(id(cell))
        if found is None:
            found = self.cells[id(cell)] = (cell, CellType(None))
        return found[1]

    def pair(self, values: FunctionType, shadows: FunctionType, suffix: str) -> None:
        """Learn which cell holds the shadow of which, from two functions that capture them."""
        by_name = dict(zip(shadows.__code__.co_freevars, shadows.__closure__ or (), strict=True))
        for name, cell in zip(values.__code__.co_freevars, values.__closure__ or (), strict=True):
            self.cells[id(cell)] = (cell, by_name[name + suffix])
            self.paired.add(id(cell))

    def captures_paired(self, f: FunctionType) -> bool:
        """Whether `f` captures a variable of transformed code (which may be active)."""
        return any(id(cell) in self.paired for cell in f.__closure__ or ())

    def captures_active(self, f: FunctionType) -> bool:
        """Whether a variable that `f` captures has a shadow now."""
        for cell in f.__closure__ or ():
            found = self.cells.get(id(cell))
            if found is not None:
                try:
                    if found[1].cell_contents is not None:
                        return True
                except ValueError:  # not bound yet
                    continue
        return False

    def default_shadows(self, f: FunctionType) -> dict[str, Any]:
        found = self.defaults.get(id(f))
        shadows = found[1] if found is not None else {}
        exposed = self.exposed.get(id(f))
        if exposed is not None and exposed[1].obj is f.__kwdefaults__:
            return {**shadows, **exposed[1].slots}
        return shadows

    def expose_defaults(self, f: FunctionType, record: Any) -> None:
        """The program has ``f.__kwdefaults__`` in hand, whose shadows are those of the dict from now on."""
        self.exposed[id(f)] = f, record
        self.bindings.pop(f, None)

    def binding(self, f: FunctionType, template: Template) -> Binding:
        """How arguments get to the parameters of `f`; made once, as long as its defaults are what they were."""
        found = self.bindings.get(f)
        if found is not None and found[0] is f.__defaults__ and found[1] is f.__kwdefaults__:
            return found[2]
        shadows = self.default_shadows(f)
        binding = binding_of(f, template, shadows)
        if not shadows and id(f) not in self.exposed:
            self.bindings[f] = (f.__defaults__, f.__kwdefaults__, binding)
        return binding


def binding_of(f: FunctionType, template: Template, default_shadows: dict[str, Any]) -> Binding:
    """Python's own binding of arguments to parameters, done once for values and once for shadows."""
    names = template.parameters
    code = template.binder
    bind = FunctionType(code, {}, f.__name__, f.__defaults__)
    bind.__kwdefaults__ = f.__kwdefaults__
    bind_shadows = FunctionType(code, {}, f.__name__, None)
    argcount = code.co_argcount
    if f.__defaults__:
        defaulted = names[argcount - len(f.__defaults__) : argcount]
        bind_shadows.__defaults__ = tuple(default_shadows.get(n) for n in defaulted)
    if f.__kwdefaults__:
        bind_shadows.__kwdefaults__ = {n: default_shadows.get(n) for n in f.__kwdefaults__}
    has_star = bool(code.co_flags & 0x04)
    has_kwargs = bool(code.co_flags & 0x08)

    def binding(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> tuple[tuple, tuple]:
        values = bind(*args, **kw)
        shadows = bind_shadows(*ds, **(kw_d if kw_d.keys() == kw.keys() else {k: kw_d.get(k) for k in kw}))
        if not (has_star or has_kwargs):
            return values, shadows
        shadows = list(shadows)
        if has_star:
            i = argcount
            shadows[i] = ctx.packed(shadows[i])
        if has_kwargs:
            ctx.new_dict(values[-1], shadows[-1])
            shadows[-1] = None
        return values, tuple(shadows)

    return binding


class HandlerTable(dict):
    """callable -> what to run for a call with `n` plain positional arguments; filled as callables are met.

    With `n` 0 it is for calls with one list that was written down there: it gets the list and one of its shadows.
    """

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
    on3: HandlerTable
    on_list: HandlerTable

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
        """What to run for a call of `f` with `n` arguments; 0: with a list that was written down there."""
        meaning = meaning_of(f)
        way = meaning.ways[n]
        if way is None:
            if n and meaning.is_plain and (twin := self._direct_twin(f, n)) is not None:
                return twin
            way = meaning.ways[n] = short_way(f, n) or "general"
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
        is_first = not (self.plain_twins or self.on1 or self.on2 or self.on3)
        if CALLEES and not is_first:  # not what is differentiated: it was in vain there
            return CALLEES[0](self, f, twin, n)
        return twin

    def plain_twin(self, f: FunctionType) -> tuple[Any, int]:
        """The twin of a plain function that needs no binding, and its number of arguments; (None, -1) of any other."""
        n = f.__code__.co_argcount
        twin = self._direct_twin(f, n) if meaning_of(f).is_plain else None
        return NO_TWIN if twin is None else (twin, n)

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
