"""State outside objects: global variables, attributes of modules and of classes.

Their shadows are kept for one run, by the identity of the module's dictionary or of the class, so that what outlives
the call is a plain value. A shadow counts only while the value beside it is the one that was written with it: code
that is not transformed may have put in another one since.
"""

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from logging import Logger
from types import CodeType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from chainrules import is_constant
from morula.eager.calls.registry import structural
from morula.eager.containers.parts import MISSING
from morula.eager.containers.records import Record
from morula.eager.context.kinds import ATOMS, has_method
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.memory.guards import arrays_in
from morula.eager.objects.class_attributes import class_attribute
from morula.errors import NotDifferentiable, describe
from morula.frames import is_engine_frame
from morula.transform import add_state, forget_readers

Pair = tuple[Any, Any]
CONSTANT_MODULES = ("math", "cmath", "numpy")  # whose numbers the transform takes for granted


@structural(globals)
def _globals(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    frame = sys._getframe(1)
    while is_engine_frame(frame.f_globals) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_globals, None


class StateRecord(Record):
    """Shadows of the names of a module or a class.

    Attributes:
        written: name -> the value that the shadow belongs to.
    """

    __slots__ = ("written",)

    def __init__(self, obj: Any):
        super().__init__(obj, {}, False)
        self.written: dict[str, Any] = {}

    def shadow(self, name: str, value: Any) -> Any:
        found = self.slots.get(name)
        if found is None:
            return None
        if self.written.get(name, MISSING) is value:
            return found
        if isinstance(self.obj, type) and isinstance(value, float | complex | np.inexact | np.ndarray):
            raise NotDifferentiable(
                f"{self.obj.__qualname__}.{name} held an active value, and code that is not transformed has stored "
                "another number there: store it in a function that the program calls directly"
            )
        return None


class State(Part):
    """What a reverse context knows about modules and classes."""

    __slots__ = ()

    def write_state(self, owner: Any, name: str, value: Any, shadow: Any) -> None:
        """`name` of a class, or in a module's dictionary, has become `value` (MISSING: it was deleted)."""
        record = self.state.get(id(owner))
        if record is None:
            if shadow is None:
                return
            record = self.state[id(owner)] = self.records.table[id(owner)] = StateRecord(owner)
        if shadow is None:
            record.slots.pop(name, None)
            record.written.pop(name, None)
            return
        if isinstance(owner, dict) and record.slots.get(name) is None:
            self._refuse_plain_readers(owner, name)
        record.slots[name] = shadow
        record.written[name] = value

    def _refuse_plain_readers(self, namespace: dict, name: str) -> None:
        """A twin made before `name` was known to be state reads it without a shadow: those in use are in the way."""
        if str(namespace.get("__name__", "")).split(".")[0] in CONSTANT_MODULES:
            raise NotDifferentiable(f"the variable {name!r} of the module {namespace['__name__']} is a constant here")
        readers = [f for f, names in self.twins.plain_reads.items() if f.__globals__ is namespace and name in names]
        forget_readers(add_state(namespace, [name]))
        if readers:
            raise NotDifferentiable(
                f"the global variable {name!r} is assigned an active value, but {describe(readers[0])} was "
                "transformed when it was still a constant, and treats it as one. Call again: Morula now knows "
                "that it is active"
            )

    # -- global variables ---------------------------------------------------------------------------------

    def global_shadow(self, name: str, value: Any = MISSING) -> Any:
        """The shadow of a global variable of the calling twin; `value` is what it was read as, or not given."""
        if not self.state:
            return None
        namespace = sys._getframe(1).f_globals
        record = self.state.get(id(namespace))
        return None if record is None else record.shadow(name, namespace.get(name) if value is MISSING else value)

    def global_written(self, name: str, value: Any, shadow: Any) -> None:
        """A global variable of the calling twin was assigned."""
        if shadow is not None or self.state:
            self.write_state(sys._getframe(1).f_globals, name, value, shadow)

    def imported_shadow(self, module: str | None, level: int, name: str, value: Any) -> Any:
        """The shadow of what ``from module import name`` gave the calling twin."""
        if not self.state:
            return None
        package = sys._getframe(1).f_globals.get("__package__")
        full_name = importlib.util.resolve_name("." * level + (module or ""), package)
        record = self.state.get(id(vars(sys.modules[full_name]))) if full_name in sys.modules else None
        return None if record is None else record.shadow(name, value)

    def module_attribute(self, module: ModuleType, name: str) -> Any:
        """``module.name``, with its shadow."""
        namespace = vars(module)
        kind: Any = type(module)
        if kind is not ModuleType:
            found = class_attribute(kind, name)
            if isinstance(found, property) and found.fget is not None:
                return self.call1(found.fget, module, None)
            if found is MISSING and name not in namespace and has_method(kind, "__getattr__"):
                return self.call(kind.__getattr__, (module, name), (None, None))
        if name not in namespace and type(namespace.get("__getattr__")) is FunctionType:
            if not hasattr(type(module), name):
                return self.call1(namespace["__getattr__"], name, None)
        y = getattr(module, name)
        record = self.state.get(id(namespace)) if self.state else None
        return y, None if record is None else record.shadow(name, y)

    def evaluated(self, name: str, args: tuple, ds: tuple, visible: dict) -> Pair | None:
        """``eval(text)`` where active values reach it; `visible` are the locals. None where none does.

        Raises:
            NotDifferentiable: active values reach a statement, or code that is compiled already.
        """
        caller = sys._getframe(1).f_globals
        if name == "eval" and args and type(args[0]) is str and all(type(a) in (dict, NoneType) for a in args[1:]):
            try:
                found = self._evaluated_text(args, visible, caller)
            except SyntaxError:
                return None
            if found is not None:
                return found
        seen = {f"argument {i}": (v, d) for i, (v, d) in enumerate(zip(args[1:], ds[1:], strict=True), 2)}
        if len(args) == 1 and isinstance(args[0], str | bytes | CodeType):
            try:
                code = args[0] if isinstance(args[0], CodeType) else compile(args[0], "<string>", name)
            except SyntaxError:
                return None
            record = self.records.of(visible)
            slots = record.slots if record is not None else {}
            used = names_in(code)
            seen = {n: (visible[n], slots.get(n)) for n in used & visible.keys()}
            state = self.state.get(id(caller))
            seen |= {n: (None, d) for n, d in (state.slots if state is not None else {}).items() if n in used}
        for what, (value, shadow) in seen.items():
            if self.any_active((value,), (shadow,), {}, {}):
                raise NotDifferentiable(f"{name}() uses active values ({what}), which cannot be followed into its code")
            for x in arrays_in(value, set(), through_globals=True):
                self.hand_out(x, f"{name}()")
        return None

    def _evaluated_text(self, args: tuple, visible: dict, caller: dict) -> Pair | None:
        """``eval(*args)`` of a text."""
        spaces = [a for a in args[1:] if a is not None]
        if len(args) > 1 and args[1] is not None:
            namespace, *local = spaces
        else:
            namespace, local = caller, spaces or [visible]
        names: dict[str, Pair] = {}
        for space in (namespace, *local) if namespace is not caller else local:
            record = self.records.of(space)
            names |= {
                k: (v, None if record is None else self.records.part(record, k, v))
                for k, v in space.items()
                if type(k) is str and k.isidentifier()
            }
        return self.evaluated_text(args[0], names, namespace)

    # -- classes ------------------------------------------------------------------------------------------

    def class_shadow(self, base: type, name: str) -> Any:
        """The shadow of an attribute that `base` itself holds."""
        record = self.state.get(id(base)) if self.state else None
        return None if record is None else record.shadow(name, base.__dict__.get(name, MISSING))

    # -- what code that is not transformed would read -----------------------------------------------------

    def state_reaches(self, x: Any) -> bool:
        """Whether a class (or a base of it) or a module holds something active."""
        owners = x.__mro__ if isinstance(x, type) else (vars(x),)
        return any(record is not None and record.is_active() for record in map(self.state.get, map(id, owners)))

    def holds_active_state(self) -> bool:
        return any(record.is_active() for record in self.state.values())

    def reads_active_state(self, f: FunctionType, met: set[int] | None = None) -> bool:
        """Whether a function reads an active global variable, or a module or class that holds something active.

        It may do so through functions that are global variables.
        """
        if self.globals_hold_active(f, met):
            return True
        for namespace, name, value in globals_read(f) if self.state else ():
            record = self.state.get(id(namespace))
            if record is not None and record.slots.get(name) is not None:
                return True
            if isinstance(value, type | ModuleType) and self.state_reaches(value):
                return True
        return False

    def globals_hold_active(self, f: FunctionType, met: set[int] | None = None) -> bool:
        """Whether a global variable of a function, or of one of the same module that it calls, has something active in
        it: an array, a collection or an object. So may an attribute that it reads of a module or a class.
        """
        met = {id(f)} if met is None else met
        is_any = self.records.table or self.twins.cells or self.buffers.table
        for _, _, value in globals_read(f, of_module=True) if is_any else ():
            if type(value) in ATOMS or is_constant(value):
                continue
            if isinstance(value, FunctionType | ModuleType | type | Logger):
                continue
            if (record := self.records.of(value)) is not None and record.is_active():
                return True
            if self.reaches_active(value, met):
                return True
        return False


def globals_read(f: FunctionType, of_module: bool = False) -> Iterator[tuple[Mapping[str, Any], str, Any]]:
    """The global variables, and attributes of modules and classes, that a function and those that it calls may read.

    Args:
        f: the function.
        of_module: whether to go through functions of the same module alone.

    Yields:
        The namespace, the name, and what stands there now, or None.
    """
    waiting, seen = [f], {id(f)}
    while waiting:
        g = waiting.pop()
        names = names_in(g.__code__)
        for namespace, name, value in _named(g.__globals__, names):
            yield namespace, name, value
            if type(value) is FunctionType and id(value) not in seen:
                if not of_module or value.__globals__ is f.__globals__:
                    seen.add(id(value))
                    waiting.append(value)


def _named(namespace: dict[str, Any], names: set[str]) -> Iterator[tuple[Mapping[str, Any], str, Any]]:
    """What names stand for in a module, and in the modules and classes that these stand for."""
    for name in names:
        value: Any = namespace.get(name)
        yield namespace, name, value
        if issubclass(type(value), type):  # not `isinstance`: a weak proxy may be of what is gone
            for base in value.__mro__[:-1]:
                yield from ((vars(base), attribute, vars(base)[attribute]) for attribute in names & vars(base).keys())
        elif issubclass(type(value), ModuleType) and value.__name__ not in CONSTANT_MODULES:
            inner = vars(value)
            yield from ((inner, attribute, inner[attribute]) for attribute in names & inner.keys())


def names_in(code: CodeType) -> set[str]:
    """The names of globals and attributes that code mentions, at any depth."""
    found = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= names_in(inner)
    return found
