"""Attributes, methods and classes of the user's: see `things` for what an object is here."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable
from types import FunctionType, MemberDescriptorType
from typing import Any, NoReturn

import chainrules
from morula.eager.context.kinds import is_plain_object
from morula.static.python.calls import Calls, layout_of
from morula.static.python.ir import Again, Set, Structure, Unsupported, is_name
from morula.static.python.scopes import Display, ListOf, Scope, Small, Static
from morula.static.python.things import ABSENT, HOOKS, Class, Rigid, Thing, fields_of, has_arrays, is_number_like

__all__ = ["MOST_SLOTS", "Bound", "Objects"]

HEAP_TYPE = 1 << 9  # of `type.__flags__`: of a class written in Python
IN_SLOTS = frozenset([(None, "a slot")])  # the name of arrays in slots
MOST_SLOTS = 64  # items of a list or a dict from outside


class Bound:
    """A method of an object."""

    def __init__(self, function: Static, owner: Thing):
        self.function = function
        self.owner = owner


class Objects(Calls):
    """The part of a `front.Builder` that knows things.

    Attributes:
        from_outside: things that the program is given, by identity.
        prologue: what gives the variables of their numbers a value; `leaves`, the inputs that these are.
        sub: the function of the text that is built.
        copies: variables that hold copies of objects, since these are several; `never_copied`, that cannot.
    """

    held: Callable[[Any], Any]
    new_thing: Callable[[type, dict[Any, Any]], Thing]
    from_outside: dict[int, Thing]
    prologue: dict[str, str]
    leaves: dict[str, Any]
    classes: dict[type, tuple[Class, list[str]]]
    sub: Any
    in_argument: bool
    has_lists: bool
    copies: set[Any]
    never_copied: set[Any]

    # -- from outside ---------------------------------------------------------------------------------------

    def of_outside(self, read: str, value: Any, name: str) -> Any:
        kind = type(value)
        if value is None or kind is str:
            self.guard(f"{read} is None" if value is None else f"type({read}) is str and {read} == {value!r}")
            return Static(value)
        if kind is tuple:
            return self._tuple(read, value, name)
        if kind in (dict, list):
            return self._thing(read, value)
        if isinstance(value, type) and value.__flags__ & HEAP_TYPE:
            where = self._called_here(read)
            self.guard(f"{where} is {self._weak(value)}")
            return Static(value, where)
        if type(type(value)) is type and kind.__flags__ & HEAP_TYPE and not isinstance(value, int | float | complex):
            return self._thing(read, value)
        return super().of_outside(read, value, name)

    def _tuple(self, read: str, value: tuple, name: str) -> Any:
        if not self.in_argument and is_constant(value):
            self.guard(f"{read} is {self.given(self.program.space, value)}")
            return self.constant_of(value)
        where = self._called_here(read)
        self.guard(f"type({where}) is tuple and len({where}) == {len(value)}")
        if len(value) > MOST_SLOTS:
            raise Unsupported(f"{name!r}, which is a long tuple", self.line)
        return tuple([self.of_outside(f"{where}[{i}]", v, f"{name}[{i}]") for i, v in enumerate(value)])

    def constant_of(self, value: Any) -> Any:
        """What a constant comes to."""
        if isinstance(value, tuple):
            return tuple([self.constant_of(v) for v in value])
        return Static(value) if value is None or type(value) is str else self.literal(value)

    def _thing(self, read: str, value: Any) -> Thing:
        known = self.from_outside.get(id(value))
        if known is not None:
            if read != known.where:
                self.guard(f"{read} is {known.where}")
            return known
        kind = type(value)
        if kind not in (dict, list) and (chainrules.is_constant(value) or not is_plain_object(value)):
            raise Unsupported(f"an object of type {kind.__qualname__}", self.line)
        if kind in (dict, list) and len(value) > MOST_SLOTS:
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
        if kind not in (dict, list):
            self.program.objects.add(where)
        return thing

    def _weak(self, value: Any) -> str:
        return f"{self.given(self.program.space, weakref.ref(value))}()"

    def keys(self, thing: Thing) -> list[Any]:
        """All keys of a dict, in order; a dict from outside must then have these."""
        if thing.home is None and thing.kind is dict and not thing.is_fixed:
            if not all(type(k) in (str, int) for k in thing.value):
                raise Unsupported("a dict with other keys than texts and integers", self.line)
            found = list(thing.value)
            self.guard(f"[*{thing.where}] == {found!r} and [*map(type, {thing.where})] == "
                       f"{self.given(self.program.space, list(map(type, found)))}")  # fmt: skip
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
            n = range(len(value.value)) if value.kind is list else value.slots
            return Structure(kind, value.where, {k: of(value.slots.get(k)) for k in n})

        found = {i: of(value) for i, value in given.items()}
        for i in self.program.wanted:  # arguments that are differentiated by are left as they were
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
            known = Class(kind)
            where = self._called_here(text)
            self.guard(f"{where} is {self._weak(kind)} and len({where}.__mro__) == {len(known.mro)}")
            spaces = []
            for i, base in enumerate(known.mro[:-1]):
                here = self._called_here(f"{where}.__mro__[{i}]") if i else where
                if i:
                    self.guard(f"{here} is {self._weak(base)}")
                spaces.append(self._called_here(f"{here}.__dict__"))
                hooks = [h for h in HOOKS if h in base.__dict__]
                if hooks and not (is_frozen(base) and set(hooks) <= {"__setattr__", "__delattr__"}):
                    raise Unsupported(f"an object of type {kind.__qualname__}, which has {hooks[0]}", self.line)
                others = tuple([h for h in HOOKS if h not in hooks])
                self.guard(f"{spaces[-1]}.keys().isdisjoint({self.given(self.program.space, others)})")
            self.classes[kind] = known, [where, *spaces]
        return self.classes[kind][0]

    def find(self, kind: type, name: str) -> tuple[Any, str]:
        """What a class or a base of it has under a name, which is to stay so, and the text that reads it."""
        known, (_, *spaces) = self.classes[kind]
        for base, space in zip(known.mro, spaces, strict=False):
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
        if raw is ABSENT or hasattr(type(kind), name) or not (type(raw) is FunctionType or is_simple(raw)):
            raise Unsupported(f"the attribute {name!r} of a class", self.line)
        return self.of_outside(read, raw, name)

    # -- attributes -----------------------------------------------------------------------------------------

    def attribute_of(self, thing: Thing, name: str) -> Any:
        self._check_name(name)
        if thing.kind in (dict, list):
            raise Unsupported(f"the attribute {name!r} of a {thing.kind.__name__}", self.line)
        raw, read = self.find(thing.kind, name)
        if type(raw) is property and read:
            self.guard(f"type({read}) is property")
            return self.call(self.of_outside(f"{read}.fget", raw.fget, name), [thing], {})
        if type(raw) is MemberDescriptorType:
            self._check_member(raw, read)
        elif hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__"):
            raise Unsupported(f"the attribute {name!r}, which is a descriptor", self.line)
        if type(raw) is MemberDescriptorType or self.has(thing, name):
            if read and type(raw) is not MemberDescriptorType:
                if type(raw).__flags__ & HEAP_TYPE:
                    raise Unsupported(f"the attribute {name!r}, which the class has, too", self.line)
                self.guard(f"type({read}) is {self.given(self.program.space, type(raw))}")
            return self.slot(thing, name)
        if raw is ABSENT or not read:
            raise Unsupported(f"the attribute {name!r}, which a {thing.kind.__qualname__} lacks", self.line)
        if type(raw) is FunctionType:
            found = self.of_outside(read, raw, name)
            if thing.home is None:
                bound = f"{thing.where}.{name}"
                self.guard(f"{bound}.__self__ is {thing.where} and {bound}.__func__ is {found.where}")
            return Bound(found, thing)
        if type(raw) is staticmethod:
            if thing.home is None:
                self.guard(f"{thing.where}.{name} is {read}.__func__")
            return self.of_outside(f"{read}.__func__", raw.__func__, name)
        if not is_simple(raw):
            raise Unsupported(f"the attribute {name!r}, which is a descriptor", self.line)
        if thing.home is None:
            self.guard(f"{thing.where}.{name} is {read}")
        return self.of_outside(read, raw, name)

    def _check_name(self, name: str) -> None:
        if name.startswith("__"):  # inside a class it may be another one
            raise Unsupported(f"the attribute {name!r}", self.line)

    def _check_member(self, raw: Any, read: str) -> None:
        self.guard(f"type({read}) is {self.given(self.program.space, MemberDescriptorType)}"
                   f" and {read}.__name__ == {raw.__name__!r}")  # fmt: skip

    def has(self, thing: Thing, key: Any) -> bool:
        """Whether a thing has an attribute or an item of its own."""
        if key in thing.slots:
            return True
        if thing.home is not None:
            return False
        if thing.kind in (dict, list):
            return key in self.keys(thing)
        return key in getattr(thing.value, "__dict__", ()) or (
            type(self.find(thing.kind, key)[0]) is MemberDescriptorType and hasattr(thing.value, key)
        )

    def slot(self, thing: Thing, key: Any) -> Any:
        """What a thing holds now."""
        if thing.sub is not self.sub and thing.sub is not None:
            raise Unsupported("an object of another call of a recursive function", self.line)
        if key not in thing.slots:
            self._read_slot(thing, key)
        value = thing.slots[key]
        return self.taken(value) if is_number_like(value) and not has_arrays(value) else value

    def taken(self, value: Any) -> Any:
        """A value with temporaries in the place of variables."""
        if isinstance(value, tuple):
            return tuple([self.taken(v) for v in value])
        if isinstance(value, Small):
            return Small(tuple(map(self.taken, value.parts)), IN_SLOTS)
        return self.compute("copy", value) if is_name(value) else value

    def _read_slot(self, thing: Thing, key: Any) -> None:
        if thing.home is not None:
            raise Unsupported(f"{key!r}, which an object or a dict lacks", self.line)
        if thing.kind is dict and key not in thing.value:
            raise Unsupported(f"the key {key!r}, which a dict lacks", self.line)
        is_item = thing.kind in (dict, list)
        value = thing.value[key] if is_item else getattr(thing.value, key)
        read = f"{thing.where}[{key!r}]" if is_item else f"{thing.where}.{key}"
        outer, self.in_argument = self.in_argument, thing.is_argument
        found = self.of_outside(read, value, str(key))
        self.in_argument = outer
        if isinstance(found, str) and is_name(found):
            var = f"o{thing.number}_{len(thing.slots)}"
            self.prologue[var] = found
            self.leaves[var] = self.program.inputs[-1]
            found = var
        thing.slots[key] = found

    # -- writing --------------------------------------------------------------------------------------------

    def set_attribute(self, thing: Any, name: str, value: Any) -> None:
        if not isinstance(thing, Thing) or thing.kind in (dict, list):
            raise Unsupported(f"an assignment to the attribute {name!r}", self.line)
        self._check_name(name)
        raw, read = self.find(thing.kind, name)
        if is_frozen(thing.kind):
            raise Unsupported("an assignment to an attribute of a frozen object", self.line)
        if type(raw) is property and raw.fset is not None and read:
            self.guard(f"type({read}) is property")
            self.call(self.of_outside(f"{read}.fset", raw.fset, name), [thing, value], {})
            return
        self.check_own(thing, name, raw, read)
        self.set_slot(thing, name, value)

    def check_own(self, thing: Thing, name: str, raw: Any, read: str) -> None:
        """Whether what is assigned to the attribute is the object's own."""
        if type(raw) is MemberDescriptorType:
            self._check_member(raw, read)
        elif hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__") or not thing.kind.__dictoffset__:
            raise Unsupported(f"an assignment to the attribute {name!r}, which is a descriptor", self.line)

    def set_slot(self, thing: Thing, key: Any, value: Any) -> None:
        if thing.sub is not self.sub:
            raise Unsupported("an assignment to what a recursive function is given", self.line)
        if thing.copied_as is not None:
            self._copy_not(thing.copied_as)
        thing.is_stored = True
        if thing.home is None:
            if not self.has(thing, key):
                raise Unsupported(f"the new attribute or item {key!r} of what the program is given", self.line)
            self.slot(thing, key)
            self.program.stored.setdefault(thing.where, {})
        old = thing.slots.get(key, ABSENT)
        value = self._without_names(value)
        if not is_number_like(value) or has_arrays(value):
            value = self.held(value)
            if old is value or (isinstance(old, Static) and isinstance(value, Static) and old.value is value.value):
                return
            self._check_home(thing, key)
            thing.slots[key] = value
            return
        value = self.held(value)
        if old is ABSENT or not is_number_like(old) or layout_of(old) != layout_of(value):
            self._check_home(thing, key)
            old = thing.slots[key] = self._variables(value, f"o{thing.number}_{len(thing.slots)}")
        if thing.home is None:
            self.program.stored[thing.where][key] = old
        self.assign_parts(old, value)

    def _without_names(self, value: Any) -> Any:
        """What a slot can hold: nothing is written into arrays in slots, and lists in them are things."""
        if isinstance(value, Display | Small) and value.origins:
            self.share(value.origins)
            if isinstance(value, Display) or value.origins & self.by_reference:
                raise Unsupported("a list or an array of several names in an object, a list or a dict", self.line)
        return self.new_thing(list, dict(enumerate(value))) if isinstance(value, Display) else value

    def _check_home(self, thing: Thing, key: Any) -> None:
        if thing.home is not self.out:
            raise Rigid(f"{key!r}, which is something else on another path", self.line)

    def _variables(self, value: Any, stem: str) -> Any:
        if isinstance(value, str):
            return self.fresh(f"{stem}_")
        parts = tuple([self._variables(v, stem) for v in (value.parts if isinstance(value, Small) else value)])
        return Small(parts) if isinstance(value, Small) else parts

    def assign_parts(self, variables: Any, value: Any) -> None:
        """Assign numbers to variables that are put together alike."""
        if isinstance(variables, str):
            self.emit(Set(variables, value))
            return
        ours, theirs = (x.parts if isinstance(x, Small) else x for x in (variables, value))
        for var, v in zip(ours, theirs, strict=True):
            self.assign_parts(var, v)

    # -- calls ----------------------------------------------------------------------------------------------

    def construct(self, callee: Static, args: list, named: dict[str, Any]) -> Thing:
        """An object of a class of the user's."""
        kind: Any = callee.value
        if type(kind) is not type or not kind.__flags__ & HEAP_TYPE:
            raise Unsupported(f"a call of {kind.__qualname__}", self.line)
        self.class_of(kind, callee.where)
        if self.find(kind, "__new__")[1]:
            raise Unsupported(f"a call of {kind.__qualname__}, which has __new__", self.line)
        if chainrules.is_constant(object.__new__(kind)):
            raise Unsupported(f"an object of type {kind.__qualname__}", self.line)
        self.count += 1
        thing = Thing(kind, self.count, self.out, self.sub)
        init, read = self.find(kind, "__init__")
        if read and type(init) is FunctionType:
            found = self.call(self.of_outside(read, init, "__init__"), [thing, *args], named)
            if not isinstance(found, Static) or found.value is not None:
                raise Unsupported(f"a call of {kind.__qualname__} that gives something else", self.line)
        elif read or args or named:
            raise Unsupported(f"a call of {kind.__qualname__} that does not fit", self.line)
        thing.is_stored = False
        return thing

    # -- copies ---------------------------------------------------------------------------------------------

    def kept_of(self, scope: Scope, name: str, thing: Any) -> Any:
        """What a variable holds that something is assigned to, be it copies of objects that never change."""
        key = (scope.function.__code__, name)
        if not isinstance(thing, Thing) or key not in self.copies:
            return thing
        if thing.is_stored or thing.kind is list or any(map(has_arrays, thing.slots.values())):
            self._copy_not(key)
        thing.copied_as = key
        slots = {k: self.held(v) for k, v in self._every_slot(thing).items()}
        holder = scope.holders.get(name)
        if holder is None:
            self.count += 1
            made = {k: self._variables(v, f"o{self.count}_") if is_number_like(v) else v for k, v in slots.items()}
            holder = scope.holders[name] = Thing(thing.kind, self.count, [], self.sub, made, copied_as=key)
        if holder.kind is not thing.kind or holder.slots.keys() != slots.keys():
            raise Unsupported(f"{name!r}, which is something else elsewhere", self.line)
        for k, v in slots.items():
            mine = holder.slots[k]
            if layout_of(mine) != layout_of(v):
                raise Unsupported(f"{name!r}, which is something else elsewhere", self.line)
            if is_number_like(v):
                self.assign_parts(mine, v)
        return holder

    def copy_of(self, holder: Thing) -> Thing:
        """What a variable that holds copies holds now."""
        self.count += 1
        slots = {k: self.taken(v) if is_number_like(v) else v for k, v in holder.slots.items()}
        return Thing(holder.kind, self.count, [], self.sub, slots, copied_as=holder.copied_as)

    def _copy_not(self, key: Any) -> NoReturn:
        """Build the program without copies in this variable, since what they are of changes."""
        self.never_copied.add(key)
        self.copies.discard(key)
        raise Again

    def _every_slot(self, thing: Thing) -> dict[Any, Any]:
        if thing.home is not None:
            return {k: self.slot(thing, k) for k in thing.slots}
        if thing.kind is dict:
            return {k: self.slot(thing, k) for k in self.keys(thing)}
        names = fields_of(thing.value)
        if hasattr(thing.value, "__dict__"):
            keys = self.given(self.program.space, set(vars(thing.value)))
            self.guard(f"{thing.where}.__dict__.keys() == {keys}")
        return {k: self.slot(thing, k) for k in names}

    def super_of(self, node: ast.expr) -> tuple[Thing, type] | None:
        """The object and the class of a ``super()`` without arguments."""
        if not isinstance(node, ast.Call) or node.args or node.keywords or not isinstance(node.func, ast.Name):
            return None
        scope = self.scopes[-1]
        code = scope.function.__code__
        if node.func.id != "super" or "__class__" not in code.co_freevars or not code.co_argcount:
            return None
        found = self.outside(scope, "super")
        owner = scope.bound.get(code.co_varnames[0])
        cls = (scope.function.__closure__ or ())[code.co_freevars.index("__class__")].cell_contents
        if not isinstance(found, Static) or found.value is not super or not isinstance(owner, Thing):
            return None
        read = f"{scope.where or 'function'}.__closure__[{code.co_freevars.index('__class__')}].cell_contents"
        self.guard(f"{read} is {self._weak(cls)}")
        return owner, cls

    def method_of_super(self, owner: Thing, cls: type, name: str) -> Bound:
        """A method that a class after `cls` has."""
        known, (_, *spaces) = self.classes[owner.kind]
        after = known.mro.index(cls) + 1
        for base, space in zip(known.mro[after:], spaces[after:], strict=False):
            if name in base.__dict__:
                raw = base.__dict__[name]
                if type(raw) is FunctionType:
                    return Bound(self.of_outside(f"{space}[{name!r}]", raw, name), owner)
                break
            self.guard(f"{name!r} not in {space}")
        raise Unsupported(f"super().{name}", self.line)


def is_frozen(cls: type) -> bool:
    return any(getattr(base.__dict__.get("__dataclass_params__"), "frozen", False) for base in cls.__mro__)


def is_simple(raw: Any) -> bool:
    """Whether a class gives what it holds just as it is."""
    return not hasattr(type(raw), "__get__")


def is_constant(value: Any) -> bool:
    """Whether a value is a text, a number, None, or a tuple of such."""
    if type(value) is tuple:
        return all(map(is_constant, value))
    return value is None or type(value) in (str, int, float, bool)
