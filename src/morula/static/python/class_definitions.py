"""Classes inside functions: a stand-in is made once, with the text, whose methods are functions inside the function.

No object of such a class leaves the program, so that nobody sees which of its classes it is of.
"""

from __future__ import annotations

import ast
import builtins
import collections
import dataclasses
import typing
from types import CodeType, FunctionType
from typing import Any

from morula.static.python.closures import Closures
from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Static
from morula.transform.syntax import walk

__all__ = ["ClassDefinitions"]

WRAPPERS = (property, staticmethod)
FACTORIES = (list, dict)
REFUSED = frozenset(["__new__", "__init_subclass__", "__set_name__", "__class_getitem__", "__slots__", "__del__"])
SAID_OTHERWISE = frozenset(["ClassVar", "InitVar", "KW_ONLY", "Final"])  # what is no field, or no usual one


class ClassDefinitions(Closures):
    """The part of a `front.Builder` that reads classes inside functions.

    Attributes:
        made_classes: the stand-ins, by what they are made of, for all attempts; `made_now`, how many of each there are.
    """

    made_classes: dict[Any, type]
    made_now: collections.Counter[Any]

    def _ClassDef(self, s: ast.ClassDef) -> str:
        code = self._code_of_class(s)
        if s.keywords or getattr(s, "type_params", None) or len(s.bases) > 1:
            raise Unsupported("a class of this kind inside a function", self.line)
        base = self.value(s.bases[0]) if s.bases else None
        is_named = isinstance(base, Static) and base.value is typing.NamedTuple
        parts = self._parts_of_class(s, code, is_named)
        if is_named:
            fields = tuple(parts["__annotations__"])
            defaults = tuple([parts[name] for name in fields if name in parts])
            if len(parts) > 1 + len(defaults) or any(name in parts for name in fields[: len(fields) - len(defaults)]):
                raise Unsupported("a named tuple of this kind inside a function", self.line)
            made = self.class_of_tuples(s.name, fields, defaults)
        else:
            made = self._class(s, code, base, parts)
        self.assign(ast.copy_location(ast.Name(s.name, ast.Store()), s), made)
        return "falls"

    def class_of_tuples(self, name: Any, fields: Any, defaults: tuple = ()) -> Static:
        """``namedtuple(name, fields)``."""
        made = lambda: collections.namedtuple(name, fields, defaults=defaults)
        return self._lasting_class(("a tuple", name, fields, defaults), made)

    def text_in(self, value: Any) -> Any:
        """A text that is known, or a tuple of such."""
        if isinstance(value, tuple):
            return tuple(map(self.text_in, value))
        if not isinstance(value, Static) or type(value.value) is not str:
            raise Unsupported("names of a named tuple that are not known", self.line)
        return value.value

    def _class(self, s: ast.ClassDef, code: CodeType, base: Any, parts: dict[str, Any]) -> Static:
        if base is not None and not self._is_base(base):
            raise Unsupported("a base of this kind for a class inside a function", self.line)
        options = [self._options_of_dataclass(d) for d in s.decorator_list]
        if len(options) > 1:
            raise Unsupported("this decorator of a class", self.line)

        def make() -> type:
            cls = type(s.name, () if base is None else (base.value,), dict(parts))
            return dataclasses.dataclass(**options[0])(cls) if options else cls

        made = self._lasting_class((code, base and base.value), make)
        for name, part in parts.items():
            f = (
                part
                if isinstance(part, FunctionType)
                else getattr(part, "fget", None) or getattr(part, "__func__", None)
            )
            if isinstance(f, FunctionType):  # which is another one in each attempt
                setattr(made.value, name, part)
                if "__class__" in f.__code__.co_freevars:
                    f.__closure__[f.__code__.co_freevars.index("__class__")].cell_contents = made.value  # type: ignore[index]
        return made

    def _lasting_class(self, key: Any, make: Any) -> Static:
        """The stand-in of this attempt, which is that of all attempts."""
        self.made_now[key] += 1
        key = key, self.made_now[key]
        if key not in self.made_classes:
            try:
                self.made_classes[key] = make()
            except (TypeError, ValueError) as error:
                raise Unsupported(f"a class inside a function, which ends in {error}", self.line) from None
        cls = self.made_classes[key]
        return Static(cls, self.given(self.program.space, cls))

    def _is_base(self, base: Any) -> bool:
        """Whether a class can be derived from without anything of the user's being called."""
        if not isinstance(base, Static) or not isinstance(base.value, type):
            return False
        if base.value is object:
            return True
        hooks = REFUSED - {"__slots__"}
        is_usual = type(base.value) is type and not any(h in vars(c) for c in base.value.__mro__[:-1] for h in hooks)
        for i in range(len(base.value.__mro__) - 1):
            self.guard(f"'__init_subclass__' not in {base.where}.__mro__[{i}].__dict__")
        return is_usual and bool(base.where) and not issubclass(base.value, tuple | BaseException)

    # -- what stands in it --------------------------------------------------------------------------------------

    def _parts_of_class(self, s: ast.ClassDef, code: CodeType, is_named: bool) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        parts: dict[str, Any] = {"__annotations__": fields}
        for x in s.body:
            if isinstance(x, ast.FunctionDef) and not is_named:
                parts[x.name] = self._method(x, code)
            elif isinstance(x, ast.AnnAssign) and isinstance(x.target, ast.Name):
                self._check_annotation(x.annotation)
                fields[x.target.id] = object
                if x.value is not None:
                    parts[x.target.id] = self._constant_of_class(x.value)
            elif isinstance(x, ast.Assign) and len(x.targets) == 1 and isinstance(x.targets[0], ast.Name):
                is_again = isinstance(x.value, ast.Name) and x.value.id in parts
                parts[x.targets[0].id] = parts[x.value.id] if is_again else self._constant_of_class(x.value)  # type: ignore[attr-defined]
            elif not isinstance(x, ast.Pass) and not (isinstance(x, ast.Expr) and isinstance(x.value, ast.Constant)):
                raise Unsupported("a statement of this kind in a class inside a function", self.line)
        if any(name in REFUSED or (name[:2] == "__" and name[-2:] != "__") for name in parts):
            raise Unsupported("a name of this kind in a class inside a function", self.line)
        return parts

    def _method(self, node: ast.FunctionDef, code: CodeType) -> Any:
        wrappers = [self.value(d) for d in node.decorator_list]
        if len(wrappers) > 1 or not all(isinstance(w, Static) and w.value in WRAPPERS for w in wrappers):
            raise Unsupported("a decorated method inside a function", self.line)
        f = self.closure(node, node.name, code).value
        return wrappers[0].value(f) if wrappers else f

    def _constant_of_class(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Call) and len(node.keywords) == 1 and not node.args:
            callee, given = self.value(node.func), self.value(node.keywords[0].value)
            is_field = isinstance(callee, Static) and callee.value is dataclasses.field
            if is_field and node.keywords[0].arg == "default_factory" and isinstance(given, Static):
                if given.value in FACTORIES:
                    return dataclasses.field(default_factory=given.value)
        try:
            found = ast.literal_eval(node)
        except ValueError:
            raise Unsupported("a default or an attribute of a class that is not a constant", self.line) from None
        if type(found) not in (int, float, bool, str, type(None)):
            raise Unsupported("a default or an attribute of a class that is not a number", self.line)
        return found

    def _check_annotation(self, node: ast.expr) -> None:
        """See to it that the names of an annotation stand for something."""
        scope = self.scopes[-1]
        names = f"{scope.where}.__globals__" if scope.where else "names"
        for n in walk(node):
            word = n.id if isinstance(n, ast.Name) else n.attr if isinstance(n, ast.Attribute) else ""
            word = n.value if isinstance(n, ast.Constant) and isinstance(n.value, str) else word
            if any(other in word for other in SAID_OTHERWISE):
                raise Unsupported("an annotation of this kind in a class inside a function", self.line)
            if isinstance(n, ast.Name):
                others = self.given(self.program.space, builtins.__dict__)
                self.guard(f"{n.id!r} in {names} or {n.id!r} in {others}")

    def _options_of_dataclass(self, node: ast.expr) -> dict[str, Any]:
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        f = self.value(call.func)
        options = {k.arg: getattr(k.value, "value", None) for k in call.keywords}
        if not isinstance(f, Static) or f.value is not dataclasses.dataclass or call.args:
            raise Unsupported("this decorator of a class", self.line)
        if not all(k in ("frozen", "order", "eq", "slots", "kw_only") and type(v) is bool for k, v in options.items()):
            raise Unsupported("a dataclass of this kind inside a function", self.line)
        return options  # type: ignore[return-value]

    def _code_of_class(self, s: ast.ClassDef) -> CodeType:
        consts = self.scopes[-1].function.__code__.co_consts
        found = [c for c in consts if type(c) is CodeType and c.co_name == s.name]
        if len(found) != 1 or self.sub is not None or self.defining:
            raise Unsupported("a class inside a function, whose code is not found", self.line)
        return found[0]
