"""Functions of the program that are given to a library, such as an integrand: made in the text, with what they capture.

The library calls them, so that the eager tier follows them with it. Such a function may only compute: then it does not
matter how often it is called, and that the text may give way afterwards.
"""

from __future__ import annotations

import ast
import builtins
import functools
import weakref
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context
from morula.static.python.computing import Reading, is_simple
from morula.static.python.ir import Unsupported
from morula.static.python.library_objects import LibraryObjects
from morula.static.python.ndarrays import function_name
from morula.static.python.outside import is_constant
from morula.static.python.scopes import Array, ListOf, Named, Scope, Small, Static
from morula.static.python.texts import literally
from morula.static.python.things import Bound, Partial, Thing

__all__ = ["GivenFunctions"]

Reads = dict[str, tuple[str, Any]]


def closed(code: CodeType, names: dict[str, Any], n: int, *values: Any) -> FunctionType:
    """A function: with `n` of the values as its defaults, and the others in what it captures."""
    return FunctionType(code, names, code.co_name, values[:n] or None, tuple(map(CellType, values[n:])))


@structural(closed)
def _closed(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> tuple[Any, Any]:
    """The same where some of the values are active."""
    code, _, n, *_ = args
    f = closed(*args)
    for cell, d in zip(f.__closure__ or (), ds[3 + n :], strict=True):
        ctx.twins.cells[id(cell)] = cell, CellType(d)
        ctx.twins.paired.add(id(cell))
    given = code.co_varnames[code.co_argcount - n : code.co_argcount]
    shadows = {name: d for name, d in zip(given, ds[3:], strict=False) if d is not None}
    if shadows:
        ctx.twins.defaults[id(f)] = f, shadows
    return f, None


def remade(cls: type, names: tuple[str, ...], *values: Any) -> Any:
    """An object with these attributes."""
    made: Any = object.__new__(cls)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made


@structural(remade)
def _remade(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> tuple[Any, Any]:
    """The same where some of the values are active."""
    cls, names, *_ = args
    made = object.__new__(cls)
    for name, value, d in zip(names, args[2:], ds[2:], strict=True):
        ctx.call(object.__setattr__, (made, name, value), (None, None, d))
    return made, None


class GivenFunctions(LibraryObjects):
    """The part of a `front.Builder` that hands functions on.

    Attributes:
        closures: functions that the program makes.
        handed_on: the codes of those that are being read, or are known to compute only, with the object of a method.
        in_text: those that are being written, and objects.
        attributes_named: the names of attributes in them.
        sees_things: whether one of them finds an object, a dict or a list by itself, when the library calls it.
    """

    closures: dict[Any, Any]
    is_plain: Callable[[FunctionType], bool]
    definition: Callable[[FunctionType], Any]
    defaults_of: Callable[[Static, list[str], list[str]], dict[str, Any]]
    share: Callable[..., None]
    scopes: list[Scope]
    count: int
    handed_on: set[Any]
    in_text: set[Any]
    attributes_named: set[str]
    sees_things: bool
    has: Callable[[Thing, Any], bool]
    attribute_of: Callable[[Thing, str], Any]
    sequence: Callable[[Any], tuple | None]
    slots_of: Callable[[Any], dict[Any, Any]]

    def function_text(self, given: Any, operands: list[Any], reads: Reads) -> str:
        """The text of a function that is given to a library; `reads` gets what stands in it for things from outside."""
        if any(self.is_wanted(atom) for atom in self.given_ints):
            raise Unsupported("integers that are differentiated by, beside a function given to a library", self.line)
        if isinstance(given, Partial):
            if given.last or not isinstance(given.function, Static):
                raise Unsupported("such a partial function, which is given to a library", self.line)
            texts = [self.function_text(given.function, operands, reads)]
            texts += [self._captured_text(v, operands, reads) for v in given.args]
            texts += [f"{k}={self._captured_text(v, operands, reads)}" for k, v in given.named.items()]
            return f"{self.given(self.program.space, functools.partial)}({', '.join(texts)})"
        if isinstance(given, Bound):
            if not isinstance(given.owner, Thing):
                raise Unsupported("a method of an object of a library, which is given to a library", self.line)
            self.check_computing(given.function, given.owner)
            text = self._function_text(given.function, operands, reads)
            owner = self._captured_text(given.owner, operands, reads)
            return f"{self.given(self.program.space, functools.partial)}({text}, {owner})"
        return self._function_text(given, operands, reads)

    def _function_text(self, given: Static, operands: list[Any], reads: Reads) -> str:
        f = given.value
        if type(f) is not FunctionType:
            if f is builtins.print or getattr(f, "__module__", None) == "random":
                raise Unsupported(f"{function_name(f)}, which is given to a library", self.line)
            return self.spelled(f)
        if not self._computes_only(f):
            self.check_computing(given)
        if f not in self.closures:
            return self._read_here(given.where, f, reads)
        if f in self.in_text:
            raise Unsupported("a function that captures itself, and is given to a library", self.line)
        self.in_text.add(f)
        made = self.closures[f]
        names = self._read_here(f"{given.where}.__globals__" if given.where else "names", f.__globals__, reads)
        code = f.__code__
        by_place = f.__code__.co_varnames[: f.__code__.co_argcount]
        values = [made.defaults[name] for name in by_place if name in made.defaults]
        n = len(values)
        if len(made.defaults) != n:
            raise Unsupported("a function with defaults by keyword, which is given to a library", self.line)
        values += [self.seen_from(given, name) for name in code.co_freevars]
        texts = [self._captured_text(v, operands, reads) for v in values]
        maker, own = self.given(self.program.space, closed), self.given(self.program.space, code)
        self.in_text.discard(f)
        return f"{maker}({', '.join([own, names, str(n), *texts])})"

    def _read_here(self, where: str, value: Any, reads: Reads) -> str:
        for name, (read, _) in reads.items():
            if read == where:
                return name
        name = f"given{len(reads)}"
        reads[name] = where, value
        return name

    def _captured_text(self, value: Any, operands: list[Any], reads: Reads) -> str:
        """The text of what a function captures."""
        if isinstance(value, Static):
            if isinstance(value.value, FunctionType):
                return self.function_text(value, operands, reads)
            if isinstance(value.value, ModuleType):
                return self._read_here(value.where, value.value, reads)
            if value.value is None or type(value.value) is str:
                return literally(repr(value.value))
        if isinstance(value, Partial):
            return self.function_text(value, operands, reads)
        if type(value) is tuple:
            texts = [self._captured_text(v, operands, reads) for v in value]
            return f"({', '.join(texts)}{',' * (len(texts) == 1)})"
        if isinstance(value, Thing) and value.kind in (dict, list) and value.factory is None:
            slots = dict(enumerate(self.sequence(value) or ())) if value.kind is list else self.slots_of(value)
            parts = {k: self._captured_text(v, operands, reads) for k, v in slots.items()}
            if value.kind is list:
                return f"[{', '.join(parts.values())}]"
            if all(is_constant(k) for k in parts):
                return f"{{{{{', '.join([f'{literally(repr(k))}: {text}' for k, text in parts.items()])}}}}}"
        if isinstance(value, Thing) and value.kind not in (dict, list):
            return self._object_text(value, operands, reads)
        if isinstance(value, Bound):
            return self.function_text(value, operands, reads)
        if self.is_wanted(value):
            raise Unsupported("an integer that is differentiated by, and captured by a function", self.line)
        is_listed = isinstance(value, ListOf) and value.kind is list
        if isinstance(value, Named) or is_listed or not isinstance(value, str | Array | ListOf | Small):
            raise Unsupported("such a captured variable of a function that is given to a library", self.line)
        if isinstance(value, Array | ListOf):
            self.share(value.origins)
        return self._taken(value, operands)[0]

    def _object_text(self, thing: Thing, operands: list[Any], reads: Reads) -> str:
        """The text of an object as it is now, with the attributes that functions which are handed on may ask for."""
        kind = thing.kind
        if thing in self.in_text or not is_simple(kind):
            raise Unsupported(
                f"an object of type {kind.__qualname__} in a function that is given to a library", self.line
            )
        self.in_text.add(thing)
        names = [name for name in sorted(self.attributes_named) if self.has(thing, name)]
        texts = [self._captured_text(self.held(self.attribute_of(thing, name)), operands, reads) for name in names]
        self.in_text.discard(thing)
        maker, cls = self.given(self.program.space, remade), self.given(self.program.space, weakref.ref(kind))
        return f"{maker}({', '.join([f'{cls}()', literally(repr(tuple(names))), *texts])})"

    def seen_from(self, function: Static, name: str) -> Any:
        """What a name stands for in a function."""
        f = function.value
        self.count += 1
        scope = Scope(f, self.count, function.where)
        if f in self.closures:
            scope.outer = self.closures[f].scope
        self.scopes.append(scope)
        try:
            return self.held(self.value(ast.Name(name, ast.Load())))
        finally:
            self.scopes.pop()

    def check_seen(self) -> None:
        """What the program writes into things from outside is not there before its end: nobody may look at it then."""
        if self.program.stored and self.sees_things:
            raise Unsupported("writing into what a function that is given to a library may read")

    # -- what it does -----------------------------------------------------------------------------------------

    def _computes_only(self, f: FunctionType) -> bool:
        """Whether a function is one that computes only, be it as a method."""
        return any(code is f.__code__ for code, _ in self.handed_on)

    def check_computing(self, function: Static, owner: Thing | None = None) -> None:
        """See to it that a function, and those that it calls, compute what they return, and do nothing else.

        It may be a method of `owner`.
        """
        key = function.value.__code__, owner
        if key in self.handed_on:
            return
        self.handed_on.add(key)
        try:
            self._check_anew(function, owner)
        except BaseException:
            self.handed_on.discard(key)
            raise

    def _check_anew(self, function: Static, owner: Thing | None) -> None:
        f = function.value
        if not self.is_plain(f) or f.__code__.co_flags & 0x2A0:
            raise Unsupported(f"{function_name(f)}, which is given to a library", self.line)
        if f not in self.closures:
            if f.__kwdefaults__ or not all(map(is_constant, f.__defaults__ or ())):
                raise Unsupported(f"the defaults of {function_name(f)}, which is given to a library", self.line)
            names = f.__code__.co_varnames[: f.__code__.co_argcount]
            self.defaults_of(function, list(names), list(names)[len(names) - len(f.__defaults__ or ()) :])
        Reading(self, function, owner).check()
