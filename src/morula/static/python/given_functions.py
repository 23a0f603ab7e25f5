"""Functions of the program that are given to a library, such as an integrand: made in the text, with what they capture.

The library calls them, so that the eager tier follows them with it. Such a function may only compute: then it does not
matter how often it is called, and that the text may give way afterwards.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context
from morula.static.python.ir import Unsupported
from morula.static.python.library_objects import LibraryObjects
from morula.static.python.ndarrays import function_name
from morula.static.python.outside import is_constant
from morula.static.python.ruled_calls import DRAWING, WRITING
from morula.static.python.scopes import Array, ListOf, Named, Scope, Small, Static
from morula.static.python.things import Partial, Thing

__all__ = ["GivenFunctions", "draws"]

REFUSED = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.ClassDef, ast.With,
    ast.Delete, ast.FunctionDef, ast.AsyncFunctionDef, ast.NamedExpr, ast.Match, ast.Try,
)  # fmt: skip
COMPUTING = frozenset([
    abs, all, any, bool, complex, divmod, enumerate, float, int, isinstance, len, list, max, min, pow, range, reversed,
    round, sorted, sum, tuple, zip,
])  # fmt: skip
NEW = frozenset([abs, complex, float, int, len, list, range, round, sorted])
NEW_ARRAYS: frozenset[Any] = frozenset(
    [np.array, np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like]
)
CREATING = NEW_ARRAYS | {np.arange, np.asarray, np.eye, np.identity, np.linspace, np.logspace, np.geomspace}
COMPUTING_PARTS = tuple(
    [
        f"scipy.{part}"
        for part in (
            "constants",
            "fft",
            "integrate",
            "interpolate",
            "linalg",
            "ndimage",
            "optimize",
            "signal",
            "special",
        )
    ]
)
METHODS = frozenset([
    "all", "any", "argmax", "argmin", "astype", "clip", "conj", "copy", "cumsum", "diagonal", "dot", "flatten", "item",
    "max", "mean", "min", "prod", "ravel", "reshape", "round", "squeeze", "std", "sum", "swapaxes", "tolist", "trace",
    "transpose", "var",
])  # fmt: skip
CHANGING = frozenset([np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis])
COMPUTED = ast.Constant | ast.BinOp | ast.UnaryOp | ast.List | ast.ListComp | ast.Compare


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


class GivenFunctions(LibraryObjects):
    """The part of a `front.Builder` that hands functions on.

    Attributes:
        closures: functions that the program makes.
        handed_on: the codes of those that are being read, or are known to compute only.
        in_text: those that are being written.
    """

    closures: dict[Any, Any]
    is_plain: Callable[[FunctionType], bool]
    definition: Callable[[FunctionType], Any]
    defaults_of: Callable[[Static, list[str], list[str]], dict[str, Any]]
    share: Callable[[Any], None]
    scopes: list[Scope]
    count: int
    handed_on: set[Any]
    in_text: set[Any]
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
        f = given.value
        if type(f) is not FunctionType:
            if f is builtins.print or getattr(f, "__module__", None) == "random":
                raise Unsupported(f"{function_name(f)}, which is given to a library", self.line)
            return self.spelled(f)
        self._check_computing(given)
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
        values += [self._seen_from(given, name) for name in code.co_freevars]
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
                return _literally(repr(value.value))
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
                return f"{{{{{', '.join([f'{_literally(repr(k))}: {text}' for k, text in parts.items()])}}}}}"
        if self.is_wanted(value):
            raise Unsupported("an integer that is differentiated by, and captured by a function", self.line)
        is_listed = isinstance(value, ListOf) and value.kind is list
        if isinstance(value, Named) or is_listed or not isinstance(value, str | Array | ListOf | Small):
            raise Unsupported("such a captured variable of a function that is given to a library", self.line)
        if isinstance(value, Array | ListOf):
            self.share(value.origins)
        return self._taken(value, operands)[0]

    def _seen_from(self, function: Static, name: str) -> Any:
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

    # -- what it does -----------------------------------------------------------------------------------------

    def _check_computing(self, function: Static) -> None:
        """See to it that a function, and those that it calls, compute what they return, and do nothing else."""
        f = function.value
        if f.__code__ in self.handed_on:
            return
        self.handed_on.add(f.__code__)
        try:
            self._check_anew(function)
        except BaseException:
            self.handed_on.discard(f.__code__)
            raise

    def _check_anew(self, function: Static) -> None:
        f = function.value
        if not self.is_plain(f) or f.__code__.co_flags & 0x2A0:
            raise Unsupported(f"{function_name(f)}, which is given to a library", self.line)
        if f not in self.closures:
            if f.__kwdefaults__ or not all(map(is_constant, f.__defaults__ or ())):
                raise Unsupported(f"the defaults of {function_name(f)}, which is given to a library", self.line)
            names = f.__code__.co_varnames[: f.__code__.co_argcount]
            self.defaults_of(function, list(names), list(names)[len(names) - len(f.__defaults__ or ()) :])
        _Reading(self, function).check()


class _Reading:
    """Reads a function, and finds what it may change."""

    def __init__(self, front: Any, function: Static):
        self.front, self.function = front, function
        node = front.definition(function.value)
        body = node.body if isinstance(node.body, list) else [node.body]
        self.nodes = [n for part in body for n in ast.walk(part)]
        code = function.value.__code__
        inside = {n.id for n in self.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        inside |= {a.arg for n in self.nodes if isinstance(n, ast.Lambda) for a in _arguments(n)}
        self.own = set(code.co_varnames + code.co_cellvars) | inside
        doubtful = inside - set(code.co_varnames + code.co_cellvars)
        if any(hasattr(builtins, n) or n in function.value.__globals__ or n in code.co_freevars for n in doubtful):
            self.refuse("a name of several meanings")
        self.new = self._new_ones()

    def refuse(self, what: str) -> None:
        raise Unsupported(
            f"{what} in {function_name(self.function.value)}, which is given to a library", self.front.line
        )

    def _new_ones(self) -> set[str]:
        """The variables that hold nothing but numbers, and lists and arrays that the function makes."""
        code = self.function.value.__code__
        n = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        found = {n.id for n in self.nodes if isinstance(n, ast.Name)} - set(code.co_varnames[:n])
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                is_new = isinstance(node.value, COMPUTED) or self._makes(node.value)
                for target in node.targets:
                    names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
                    if not (is_new and isinstance(target, ast.Name)) and not isinstance(target, ast.Subscript):
                        found -= names
            elif isinstance(node, ast.For | ast.comprehension | ast.Lambda | ast.AnnAssign):
                targets = _arguments(node) if isinstance(node, ast.Lambda) else [node.target]
                found -= {getattr(n, "id", getattr(n, "arg", "")) for t in targets for n in ast.walk(t)}
        return found

    def _makes(self, node: ast.expr) -> bool:
        """Whether a call gives a number, or a new list or array."""
        if not isinstance(node, ast.Call):
            return False
        f = self.known(node.func)
        return f in NEW or f in NEW_ARRAYS or getattr(f, "__module__", "") == "math"

    def known(self, node: ast.expr) -> Any:
        """The function or module that an expression is, if it is one from outside."""
        if isinstance(node, ast.Name) and node.id not in self.own:
            found = self.front._seen_from(self.function, node.id)
            return found.value if isinstance(found, Static) else None
        if isinstance(node, ast.Attribute) and isinstance(module := self.known(node.value), ModuleType):
            return getattr(module, node.attr, None)
        return None

    def check(self) -> None:
        for node in self.nodes:
            if isinstance(node, REFUSED):
                self.refuse(f"{type(node).__name__}")
            if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
                if isinstance(node, ast.Attribute) or not self._is_new(node.value):
                    self.refuse("something that is written into")
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                if node.target.id not in self.new:
                    self.refuse("something that is changed")
            elif isinstance(node, ast.Name) and node.id not in self.own:
                self._check_outside(self.front._seen_from(self.function, node.id))
            elif isinstance(node, ast.Attribute) and isinstance(self.known(node.value), ModuleType):
                self._check_outside(self._part(node))
            elif isinstance(node, ast.Call):
                self._check_call(node)

    def _part(self, node: ast.Attribute) -> Any:
        owner = node.value
        if isinstance(owner, ast.Attribute):
            return self.front.attribute_from(self._part(owner), node.attr)
        assert isinstance(owner, ast.Name)
        return self.front.attribute_from(self.front._seen_from(self.function, owner.id), node.attr)

    def _is_new(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.new

    def _check_outside(self, value: Any) -> None:
        if isinstance(value, Array | ListOf):
            self.front.share(value.origins)
        if isinstance(value, tuple):
            for part in value:
                self._check_outside(part)
        elif isinstance(value, Static) and type(value.value) is FunctionType and not _is_of_library(value.value):
            self.front._check_computing(value)
        elif not isinstance(value, str | Array | ListOf | Small | Static | Partial) and not (
            isinstance(value, Thing) and value.kind in (dict, list)
        ):
            self.refuse("something from outside")

    def _check_call(self, node: ast.Call) -> None:
        names = [k.arg for k in node.keywords]
        if any(name is None or name.startswith(WRITING) for name in names):
            self.refuse("a call with such keywords")
        f = self.known(node.func)
        if isinstance(node.func, ast.Attribute) and f is None:
            is_own = self._is_new(node.func.value) and node.func.attr in ("append", "extend")
            if node.func.attr not in METHODS and not is_own:
                self.refuse(f"the method {node.func.attr!r}")
        elif f is None:
            self.refuse("a call of what is no function of its own")
        elif isinstance(f, np.ufunc) and len(node.args) > f.nin:
            self.refuse("a call that writes")
        elif type(f) is FunctionType and not _is_of_library(f):
            pass  # which is checked where it is named
        elif not _only_computes(f):
            self.refuse(f"a call to {function_name(f)}")


def _arguments(node: ast.Lambda) -> list[ast.arg]:
    a = node.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *[x for x in (a.vararg, a.kwarg) if x is not None]]


def _is_of_library(f: Any) -> bool:
    module = getattr(f, "__module__", None) or ""
    return module.partition(".")[0] in ("math", "numpy", "scipy") and not isinstance(f, type)


def _only_computes(f: Any) -> bool:
    """Whether a function of a library has no effect, and draws nothing at random."""
    if f in COMPUTING or isinstance(f, np.ufunc) or f.__module__ == "math":
        return True
    if not _is_of_library(f) or f in CHANGING or f.__module__.startswith("numpy.random"):
        return False
    if f.__module__.startswith("scipy"):
        return f.__module__.startswith(COMPUTING_PARTS) and not draws(f)
    return bool(meaning_of(f).rules) or f in CREATING


def _literally(text: str) -> str:
    """A text as it stands in a format."""
    return text.replace("{", "{{").replace("}", "}}")


def draws(f: Any) -> bool:
    """Whether a function may draw at random."""
    try:
        return not DRAWING.isdisjoint(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        return False
