"""Objects from outside and their classes, whose methods and hooks are to stay what they are."""

from __future__ import annotations

import ast
import inspect
import math
import weakref
from abc import ABCMeta
from collections.abc import Callable
from types import FunctionType
from typing import Any

import chainrules
from morula.eager.context.kinds import is_plain_object
from morula.static.python.array_idioms import is_bare
from morula.static.python.calls import Calls
from morula.static.python.counting import is_counting
from morula.static.python.distributions import is_distribution, is_frozen_distribution
from morula.static.python.ir import Structure, Unsupported
from morula.static.python.library_objects import is_library_object
from morula.static.python.outside import FACTORY, LIMITS, MOST_ITEMS, has_floats, is_constant
from morula.static.python.ruled_calls import is_library_callable
from morula.static.python.scopes import ListOf, Static
from morula.static.python.things import (
    ABSENT,
    HOOKS,
    Bound,
    Class,
    Partial,
    Thing,
    is_member,
    is_named_tuple,
    is_of_class,
)

__all__ = ["BEGUN", "HEAP_TYPE", "METACLASSES", "OF_OBJECT", "Classes", "is_frozen", "is_simple", "is_spelled"]

BEGUN = getattr(object(), "__init__")  # noqa: B009 - what ``super().__init__`` is above a class that has no other base
OF_OBJECT = {name: getattr(object, name) for name in ("__init__", "__setattr__")}  # what is called as such
HEAP_TYPE = 1 << 9  # of `type.__flags__`: of a class written in Python
METACLASSES = frozenset([type, ABCMeta])  # which say nothing about instances


class Classes(Calls):
    """The part of a `front.Builder` that knows where things come from, and what their classes have.

    Attributes:
        from_outside: things that the program is given, by identity.
        prologue: what gives the variables of their numbers a value; `leaves`, the inputs that these are.
        sub: the function of the text that is built.
    """

    held: Callable[[Any], Any]
    span: Callable[..., Any]
    not_late: Callable[..., None]
    named_outside: Callable[[str, Any, str], Any]
    vectorize_outside: Callable[[str, Any, str], Any]
    new_thing: Callable[[type, dict[Any, Any]], Thing]
    from_outside: dict[int, Thing]
    prologue: dict[str, str]
    leaves: dict[str, Any]
    classes: dict[type, tuple[Class, list[str]]]
    sub: Any
    in_argument: bool
    has_lists: bool
    check_own: Callable[[Thing, str, Any, str], None]
    set_slot: Callable[[Thing, Any, Any], None]

    # -- from outside ---------------------------------------------------------------------------------------

    def of_outside(self, read: str, value: Any, name: str) -> Any:
        kind = type(value)
        if value is None or kind is str:
            self.guard(f"{read} is None" if value is None else f"type({read}) is str and {read} == {value!r}")
            return Static(value)
        if kind is slice and {*map(type, (value.start, value.stop, value.step))} <= {int, type(None)}:
            self.guard(f"type({read}) is slice and {read} == {self.given(self.program.space, value)}")
            return self.span([self.constant_of(end) for end in (value.start, value.stop, value.step)])
        if is_member(value) or kind is FACTORY or isinstance(value, LIMITS):
            self.guard(f"{read} is {self.given(self.program.space, value)}")
            return Static(value)
        if not self.in_argument and (is_distribution(value) or is_library_callable(value)):
            self.guard(f"{read} is {self.given(self.program.space, value)}")
            return Static(value)
        if not self.in_argument and is_bare(value):
            return self.vectorize_outside(read, value, name)
        if not self.in_argument and is_frozen_distribution(value):
            return self.frozen_outside(self._called_here(read), value, name)
        if not self.in_argument and is_library_object(value):
            return self.library_object(read, value)
        if (found := self.list_input(f"g{len(self.program.inputs)}", read, value, name)) is not None:
            return found
        if kind is tuple:
            return self._tuple(read, value, name)
        if kind in (dict, list):
            return self._thing(read, value)
        if not self.in_argument and is_named_tuple(kind):
            return self.named_outside(self._called_here(read), value, name)
        if is_counting(value) or (isinstance(value, type) and value.__flags__ & HEAP_TYPE):
            where = self._called_here(read)
            self.guard(f"{where} is {self._weak(value)}")
            return Static(value, where)
        if type(kind) in METACLASSES and kind.__flags__ & HEAP_TYPE and not isinstance(value, int | float | complex):
            return self._thing(read, value)
        return super().of_outside(read, value, name)

    def _tuple(self, read: str, value: tuple, name: str) -> Any:
        if not self.in_argument and is_constant(value):
            self.guard(f"{read} is {self.given(self.program.space, value)}")
            self.program.tuples += [read] * has_floats(value)
            return self.constant_of(value)
        where = self._called_here(read)
        self.guard(f"type({where}) is tuple and len({where}) == {len(value)}")
        if len(value) > MOST_ITEMS:
            raise Unsupported(f"{name!r}, which is a long tuple", self.line)
        return tuple([self.of_outside(f"{where}[{i}]", v, f"{name}[{i}]") for i, v in enumerate(value)])

    def constant_of(self, value: Any) -> Any:
        """What a constant comes to."""
        if isinstance(value, tuple):
            return tuple([self.constant_of(v) for v in value])
        return Static(value) if value is None or type(value) is str else self.literal(value)

    def _thing(self, read: str, value: Any) -> Thing:
        met = self.from_outside.get(id(value))
        if met is not None:
            if met.kind in (dict, list) and met.is_argument is not self.in_argument:
                what = f"a {met.kind.__name__} that is an argument and is reached in another way"
                raise Unsupported(what, self.line)
            if read != met.where:
                self.guard(f"{read} is {met.where}")
            return met
        kind = type(value)
        if kind not in (dict, list) and (chainrules.is_constant(value) or not is_plain_object(value)):
            raise Unsupported(f"an object of type {kind.__qualname__}", self.line)
        if kind in (dict, list) and len(value) > MOST_ITEMS:
            raise Unsupported(f"a {kind.__name__} of many items", self.line)
        where = self._called_here(read)
        self.count += 1
        thing = Thing(kind, self.count, None, None, where=where, value=value, is_argument=self.in_argument)
        if kind is list:
            self.guard(f"type({where}) is list and len({where}) == {len(value)}")
        elif kind is dict:
            self.guard(f"type({where}) is dict")
        else:
            is_known = kind in self.classes
            self.class_of(kind, f"type({where})")
            if is_known:
                self.guard(f"type({where}) is {self.classes[kind][1][0]}")
        self.from_outside[id(value)] = thing
        self.has_lists = True
        self.program.things.append(where)
        self.program.are_given &= self.in_argument
        if kind not in (dict, list):
            self.program.objects.add(where)
        return thing

    def _weak(self, value: Any) -> str:
        return f"{self.given(self.program.space, weakref.ref(value))}()"

    def keys(self, thing: Thing) -> list[Any]:
        """All keys of a dict, in order; a dict from outside must then have these."""
        if thing.is_open:
            for key in thing.slots:
                self.not_late(thing, key)
            raise Unsupported("the keys of a dict with defaults that are made in a loop or a branch", self.line)
        if thing.home is None and thing.kind is dict and not thing.is_fixed:
            found = list(thing.value)
            if not all(map(_is_key, found)):
                raise Unsupported("a dict with other keys than texts, numbers and tuples of these", self.line)
            self.program.space["shape_of_keys"] = shape_of_keys
            given, shape = (self.given(self.program.space, v) for v in (found, shape_of_keys(found)))
            self.guard(f"[*{thing.where}] == {given} and shape_of_keys({thing.where}) == {shape}")
            thing.is_fixed = True
        return list(thing.value) if thing.home is None else list(thing.slots)

    def structures_of(self, given: dict[int, Any]) -> dict[int, Structure | None]:
        """The structures of arguments, by position."""
        met: set[int] = set()
        inputs = {i.name: i for i in self.program.inputs}

        def of(value: Any) -> Any:
            if isinstance(value, str):
                return self.leaves.get(value) or inputs.get(value)
            if isinstance(value, ListOf):
                return inputs[value.var]
            if isinstance(value, tuple):
                return Structure("tuple", "", {i: of(v) for i, v in enumerate(value)})
            if not isinstance(value, Thing):
                return None
            if id(value) in met:
                raise Unsupported("an object that is reached twice from the arguments")
            met.add(id(value))
            kind = value.kind.__name__ if value.kind in (dict, list) else "object"
            if kind == "dict" and not all(map(is_spelled, value.slots)):
                raise Unsupported("a dict with such keys among the arguments")
            n = range(len(value.value)) if value.kind is list else value.slots
            return Structure(kind, value.where, {k: of(value.slots.get(k)) for k in n})

        found = {i: of(value) for i, value in given.items()}
        for i in filter(self.program.is_given_back, self.program.wanted):
            given_up = found.get(i)
            for where in given_up.reached() if isinstance(given_up, Structure) else ():
                self.program.stored.pop(where, None)
        if self.program.stored and self.program.weighted:
            raise Unsupported("a function that writes into what it is given")
        return {i: s if isinstance(s, Structure) else None for i, s in found.items()}

    # -- classes --------------------------------------------------------------------------------------------

    def class_of(self, kind: type, text: str = "") -> Class:
        """What is known of a class, which `text` stands for."""
        if kind not in self.classes:
            recorded = Class(kind)
            where = self._called_here(text)
            self.guard(f"{where} is {self._weak(kind)} and len({where}.__mro__) == {len(recorded.mro)}")
            spaces = []
            for i, base in enumerate(recorded.mro[:-1]):
                here = self._called_here(f"{where}.__mro__[{i}]") if i else where
                if i:
                    self.guard(f"{here} is {self._weak(base)}")
                spaces.append(self._called_here(f"{here}.__dict__"))
                hooks = [h for h in HOOKS if h in base.__dict__]
                if hooks and not (is_frozen(base) and set(hooks) <= {"__setattr__", "__delattr__"}):
                    raise Unsupported(f"an object of type {kind.__qualname__}, which has {hooks[0]}", self.line)
                others = tuple([h for h in HOOKS if h not in hooks])
                self.guard(f"{spaces[-1]}.keys().isdisjoint({self.given(self.program.space, others)})")
            self.classes[kind] = recorded, [where, *spaces]
        return self.classes[kind][0]

    def find(self, kind: type, name: str) -> tuple[Any, str]:
        """What a class or a base of it has under a name, which is to stay so, and the text that reads it."""
        recorded, (_, *spaces) = self.classes[kind]
        for base, space in zip(recorded.mro, spaces, strict=False):
            if name in base.__dict__:
                return base.__dict__[name], f"{space}[{name!r}]"
            self.guard(f"{name!r} not in {space}")
        return getattr(object, name, ABSENT), ""

    def of_class(self, callee: Static, name: str) -> Any:
        """An attribute of a class, read from the class itself."""
        kind = callee.value
        self.class_of(kind, callee.where)
        self._check_name(name)
        raw, read = self.find(kind, name)
        if type(raw) is staticmethod:
            return self.of_outside(f"{read}.__func__", raw.__func__, name)
        if type(raw) is classmethod:
            return self.method_of_class(callee, name, raw, read)
        if name == "__name__" and type(kind) is type:
            self.guard(f"{callee.where}.__name__ == {kind.__name__!r}")
            return Static(kind.__name__)
        is_found = read and (type(raw) is FunctionType or is_simple(raw))
        if not is_found or inspect.isdatadescriptor(inspect.getattr_static(type(kind), name, None)):
            raise Unsupported(f"the attribute {name!r} of a class", self.line)
        return self.of_outside(read, raw, name)

    def its_class(self, thing: Any) -> Static:
        """The class of an object."""
        return Static(thing.kind, self.classes[thing.kind][1][0])

    def property_of(self, owner: Any, name: str, raw: property, read: str) -> Any:
        """What a property of a class gives for an object."""
        self.guard(f"type({read}) is property")
        return self.call(self.of_outside(f"{read}.fget", raw.fget, name), [owner], {})

    def method_of_class(self, owner: Static, name: str, raw: Any, read: str) -> Partial:
        """A class method, as it is read from the class or from an object of it."""
        self.guard(f"type({read}) is {self.given(self.program.space, classmethod)}")
        return Partial(self.of_outside(f"{read}.__func__", raw.__func__, name), [owner], {})

    def _check_name(self, name: str) -> None:
        if name.startswith("__") and not name.endswith("__"):  # inside a class it may be another one
            raise Unsupported(f"the attribute {name!r}", self.line)

    # -- super ----------------------------------------------------------------------------------------------

    def super_of(self, node: ast.expr) -> tuple[Any, type] | None:
        """The object, or in a class method the class, and the class of ``super()`` or ``super(C, self)``."""
        if not isinstance(node, ast.Call) or node.keywords or not isinstance(node.func, ast.Name):
            return None
        scope = self.scopes[-1]
        if node.args:
            return self._super_of_named(node) if node.func.id == "super" else None
        code = scope.function.__code__
        if node.func.id != "super" or "__class__" not in code.co_freevars or not code.co_argcount:
            return None
        found = self.outside(scope, "super")
        owner = scope.bound.get(code.co_varnames[0])
        cls = (scope.function.__closure__ or ())[code.co_freevars.index("__class__")].cell_contents
        if isinstance(owner, Static) and not (isinstance(owner.value, type) and owner.where):
            return None
        is_owner = isinstance(owner, Static) or is_of_class(owner)
        if not isinstance(found, Static) or found.value is not super or not is_owner:
            return None
        read = f"{scope.where or 'function'}.__closure__[{code.co_freevars.index('__class__')}].cell_contents"
        self.guard(f"{read} is {self._weak(cls)}")
        return owner, cls

    def _super_of_named(self, node: ast.Call) -> tuple[Any, type] | None:
        if len(node.args) != 2 or not all(isinstance(a, ast.Name) for a in node.args):
            return None
        found, named, owner = (self.value(n) for n in (node.func, *node.args))
        is_class = isinstance(named, Static) and isinstance(named.value, type) and bool(named.where)
        if not isinstance(found, Static) or found.value is not super or not is_class or not is_of_class(owner):
            return None
        kind = self.its_class(owner).value
        if named.value not in kind.__mro__:
            return None
        return owner, named.value

    def method_of_super(self, owner: Any, cls: type, name: str) -> Any:
        """A method that a class after `cls` has, or what a property of it gives."""
        is_class = isinstance(owner, Static)
        kind = owner if is_class else self.its_class(owner)
        self.class_of(kind.value, kind.where)
        recorded, (_, *spaces) = self.classes[kind.value]
        after = recorded.mro.index(cls) + 1
        for base, space in zip(recorded.mro[after:], spaces[after:], strict=False):
            if name in base.__dict__:
                raw = base.__dict__[name]
                if type(raw) is FunctionType and not is_class:
                    return Bound(self.of_outside(f"{space}[{name!r}]", raw, name), owner)
                if type(raw) is property and not is_class:
                    return self.property_of(owner, name, raw, f"{space}[{name!r}]")
                if type(raw) is classmethod:
                    return self.method_of_class(kind, name, raw, f"{space}[{name!r}]")
                break
            self.guard(f"{name!r} not in {space}")
        else:
            if name == "__init__" and not is_class:
                return Static(BEGUN)
        raise Unsupported(f"super().{name}", self.line)

    def of_object(self, f: Any, args: list) -> Any:
        """What `object` says of all objects: how they begin, and how they get an attribute."""
        if (f is object.__init__ and len(args) == 1) or (f is BEGUN and not args):
            return Static(None)
        if f is object.__setattr__ and len(args) == 3 and isinstance(args[0], Thing) and isinstance(args[1], Static):
            raw, read = self.find(args[0].kind, args[1].value)
            self.check_own(args[0], args[1].value, raw, read)
            self.set_slot(args[0], args[1].value, args[2])
            return Static(None)
        return ABSENT


def is_frozen(cls: type) -> bool:
    return any(getattr(base.__dict__.get("__dataclass_params__"), "frozen", False) for base in cls.__mro__)


def is_simple(raw: Any) -> bool:
    """Whether a class gives what it holds just as it is."""
    return not hasattr(type(raw), "__get__")


def _is_key(value: Any) -> bool:
    """Whether a key is a text, a finite number, a member of an enumeration, or a tuple of such."""
    if type(value) is tuple:
        return all(map(_is_key, value))
    if type(value) is float:
        return math.isfinite(value)
    return type(value) in (str, int) or is_member(value)


def is_spelled(key: Any) -> bool:
    """Whether a key, a name or an index is what its text gives."""
    return all(map(is_spelled, key)) if type(key) is tuple else not is_member(key)


def shape_of_keys(keys: Any) -> list[Any]:
    """The types of keys; of tuples those of what is in them."""
    return [shape_of_keys(k) if type(k) is tuple else type(k) for k in keys]
