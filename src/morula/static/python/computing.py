"""Whether a function of the program does nothing but compute: it has no effect, and nothing is drawn at random."""

from __future__ import annotations

import ast
import builtins
import inspect
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from morula.eager.calls.meanings import meaning_of
from morula.eager.context.kinds import module_of
from morula.static.python.comprehensions import CHANGING, COMPUTING, METHODS
from morula.static.python.ir import Unsupported
from morula.static.python.ndarrays import function_name
from morula.static.python.ruled_calls import DRAWING, WRITING
from morula.static.python.scopes import Array, ListOf, Small, Static, given_names
from morula.static.python.things import Bound, Partial, Thing
from morula.transform.syntax import walk

__all__ = ["Reading", "draws", "is_simple"]

REFUSED = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.ClassDef, ast.With,
    ast.Delete, ast.FunctionDef, ast.AsyncFunctionDef, ast.NamedExpr, ast.Match, ast.Try,
)  # fmt: skip
NEW = frozenset([abs, complex, float, int, len, list, range, round, sorted])
NEW_ARRAYS: frozenset[Any] = frozenset(
    [np.array, np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like]
)
CREATING = NEW_ARRAYS | {np.arange, np.asarray, np.eye, np.identity, np.linspace, np.logspace, np.geomspace}
COMPUTING_PARTS = tuple(
    f"scipy.{part}" for part in "constants fft integrate interpolate linalg ndimage optimize signal special".split()
)
COMPUTED = ast.Constant | ast.BinOp | ast.UnaryOp | ast.List | ast.ListComp | ast.Compare


OF_ARRAYS = frozenset(["T", "dtype", "imag", "ndim", "real", "shape", "size"])
BENIGN = frozenset([  # what a class may define without taking part in what is computed with its objects
    "__init__", "__post_init__", "__repr__", "__eq__", "__hash__", "__doc__", "__module__", "__dict__", "__weakref__",
    "__annotations__", "__match_args__", "__slots__", "__replace__", "__static_attributes__", "__firstlineno__",
    "__annotate__", "__annotate_func__", "__annotations_cache__", "__orig_bases__", "__parameters__",
])  # fmt: skip


class Reading:
    """Reads a function, and finds what it may change."""

    def __init__(self, front: Any, function: Static, owner: Thing | None):
        self.front, self.function, self.owner = front, function, owner
        node = front.definition(function.value)
        body = node.body if isinstance(node.body, list) else [node.body]
        self.nodes = [n for part in body for n in walk(part)]
        code = function.value.__code__
        inside = {n.id for n in self.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        inside |= {a.arg for n in self.nodes if isinstance(n, ast.Lambda) for a in _arguments(n)}
        self.own = set(code.co_varnames + code.co_cellvars) | inside
        doubtful = inside - set(code.co_varnames + code.co_cellvars)
        if any(hasattr(builtins, n) or n in function.value.__globals__ or n in code.co_freevars for n in doubtful):
            self.refuse("a name of several meanings")
        self.new = self._new_ones()
        self.myself = code.co_varnames[0] if owner is not None and code.co_argcount else ""
        if self.myself in inside:
            self.refuse("another object in the place of the own one")
        front.attributes_named.update([n.attr for n in self.nodes if isinstance(n, ast.Attribute)])

    def refuse(self, what: str) -> None:
        raise Unsupported(
            f"{what} in {function_name(self.function.value)}, which is given to a library", self.front.line
        )

    def _new_ones(self) -> set[str]:
        """The variables that hold nothing but numbers, and lists and arrays that the function makes."""
        code = self.function.value.__code__
        found = set(code.co_varnames + code.co_cellvars).difference(given_names(code))
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                is_new = isinstance(node.value, COMPUTED) or self._makes(node.value)
                for target in node.targets:
                    names = {n.id for n in walk(target) if isinstance(n, ast.Name)}
                    if not (is_new and isinstance(target, ast.Name)) and not isinstance(target, ast.Subscript):
                        found -= names
            elif isinstance(node, ast.For | ast.comprehension | ast.Lambda | ast.AnnAssign):
                targets = _arguments(node) if isinstance(node, ast.Lambda) else [node.target]
                found -= {getattr(n, "id", getattr(n, "arg", "")) for t in targets for n in walk(t)}
        return found

    def _makes(self, node: ast.expr) -> bool:
        """Whether a call gives a number, or a new list or array."""
        if not isinstance(node, ast.Call) or any(k.arg == "copy" for k in node.keywords):
            return False
        f = self.known(node.func)
        return f in NEW or f in NEW_ARRAYS or getattr(f, "__module__", "") == "math"

    def known(self, node: ast.expr) -> Any:
        """The function or module that an expression is, if it is one from outside."""
        if isinstance(node, ast.Name) and node.id not in self.own:
            found = self.front.seen_from(self.function, node.id)
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
                found = self.front.seen_from(self.function, node.id)
                if not self._is_handed_in(node.id) and _holds_thing(found):
                    self.front.sees_things = True
                self._check_outside(found)
            elif isinstance(node, ast.Attribute) and isinstance(self.known(node.value), ModuleType):
                self._check_outside(self._part(node))
            elif isinstance(node, ast.Attribute) and (thing := self.thing(node.value)) is not None:
                self._check_attribute(thing, node.attr)
            elif isinstance(node, ast.Attribute) and node.attr not in METHODS | OF_ARRAYS | {"append", "extend"}:
                self.refuse(f"the attribute {node.attr!r}")
            elif isinstance(node, ast.Call):
                self._check_call(node)

    def _is_handed_in(self, name: str) -> bool:
        """Whether a captured variable is given to the function as it is made in the text, with what it holds then."""
        f = self.function.value
        return f in self.front.closures and name in f.__code__.co_freevars

    def thing(self, node: ast.expr) -> Thing | None:
        """The object of the program that an expression is."""
        found: Any = None
        if isinstance(node, ast.Name) and node.id == self.myself:
            found = self.owner
        elif isinstance(node, ast.Name) and node.id not in self.own:
            found = self.front.seen_from(self.function, node.id)
        elif isinstance(node, ast.Attribute) and (owner := self.thing(node.value)) is not None:
            found = self.front.attribute_of(owner, node.attr) if self.front.has(owner, node.attr) else None
        return found if isinstance(found, Thing) and found.kind not in (dict, list) else None

    def _check_attribute(self, thing: Thing, name: str) -> None:
        if type(getattr(thing.kind, name, None)) is property:
            self.refuse("a property")
        value = self.front.attribute_of(thing, name)
        if isinstance(value, Bound):
            self.front.check_computing(value.function, value.owner)
        elif not isinstance(value, Thing):
            self._check_outside(value)

    def _part(self, node: ast.Attribute) -> Any:
        owner = node.value
        if isinstance(owner, ast.Attribute):
            return self.front.attribute_from(self._part(owner), node.attr)
        assert isinstance(owner, ast.Name)
        return self.front.attribute_from(self.front.seen_from(self.function, owner.id), node.attr)

    def _is_new(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.new

    def _check_outside(self, value: Any) -> None:
        if isinstance(value, Array | ListOf):
            self.front.share(value.origins)
        if isinstance(value, tuple):
            for part in value:
                self._check_outside(part)
        elif isinstance(value, Static) and type(value.value) is FunctionType and not _is_of_library(value.value):
            self.front.check_computing(value)
        elif not isinstance(value, str | Array | ListOf | Small | Static | Partial | Thing):
            self.refuse("something from outside")

    def _check_call(self, node: ast.Call) -> None:
        names = [k.arg for k in node.keywords]
        if any(name is None or name.startswith(WRITING) for name in names):
            self.refuse("a call with such keywords")
        f = self.known(node.func)
        if isinstance(node.func, ast.Attribute) and (thing := self.thing(node.func.value)) is not None:
            if not isinstance(self.front.attribute_of(thing, node.func.attr), Bound):
                self.refuse("a call of what is no method")
        elif isinstance(node.func, ast.Attribute) and f is None:
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


def _holds_thing(value: Any) -> bool:
    return any(map(_holds_thing, value)) if isinstance(value, tuple) else isinstance(value, Thing)


def is_simple(kind: type) -> bool:
    """Whether objects of a class do nothing by themselves, and have no names that those of arrays have, too."""
    names = {name for base in kind.__mro__[:-1] for name in vars(base) if not name.startswith("__dataclass_")}
    is_frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    special = {name for name in names if name.startswith("__") and name.endswith("__")} - BENIGN
    return special <= ({"__setattr__", "__delattr__"} if is_frozen else set()) and not names & (METHODS | OF_ARRAYS)


def _arguments(node: ast.Lambda) -> list[ast.arg]:
    a = node.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *[x for x in (a.vararg, a.kwarg) if x is not None]]


def _is_of_library(f: Any) -> bool:
    return module_of(f).partition(".")[0] in ("math", "numpy", "scipy") and not isinstance(f, type)


def _only_computes(f: Any) -> bool:
    """Whether a function of a library has no effect, and draws nothing at random."""
    if f in COMPUTING or isinstance(f, np.ufunc) or (module := module_of(f)) == "math":
        return True
    if not _is_of_library(f) or f in CHANGING or module.startswith("numpy.random"):
        return False
    if module.startswith("scipy"):
        return module.startswith(COMPUTING_PARTS) and not draws(f)
    return bool(meaning_of(f).rules) or f in CREATING


def draws(f: Any) -> bool:
    """Whether a function may draw at random."""
    try:
        return not DRAWING.isdisjoint(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        return False
