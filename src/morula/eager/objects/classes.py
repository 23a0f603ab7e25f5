"""Making classes: ``class`` statements and ``type(name, bases, namespace)``, with metaclasses and hooks transformed."""

import abc
import dataclasses
import functools
import sys
from enum import EnumMeta
from types import FunctionType
from typing import Any

from morula.eager.calls.observers import refuse_storing_metaclass
from morula.eager.calls.registry import structural
from morula.eager.context.kinds import has_method, is_library_code
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
HOOK = "__init_subclass__"


class ClassMaker:
    """Stands as the metaclass in a transformed ``class`` statement, and makes the class as its metaclass would.

    Attributes:
        ctx: the context.
        given: the metaclass that the statement names, or None.
        kw_d: shadows of the keywords of the statement.
        shadows: those of the names that the body bound.
    """

    __slots__ = ("ctx", "given", "kw_d", "shadows")

    def __init__(self, ctx: Context, given: Any, kw_d: dict[str, Any]):
        self.ctx = ctx
        self.given = given
        self.kw_d = kw_d
        self.shadows: dict[str, Any] = {}

    def __prepare__(self, name: str, bases: tuple, **kw: Any) -> Any:
        self.given = metaclass_of(self.given, bases)
        prepare = getattr(self.given, "__prepare__", None)
        if prepare is None:
            return {}
        if not isinstance(getattr(prepare, "__func__", None), FunctionType):
            return prepare(name, bases, **kw)
        namespace, _ = self.ctx.call(prepare, (name, bases), (None, None), kw, self.kw_d)
        if self.ctx.reaches_active(namespace, set()):
            raise NotDifferentiable(f"{self.given.__qualname__}.__prepare__ returned a namespace with active values")
        return namespace

    def __call__(self, name: str, bases: tuple, namespace: Any, **kw: Any) -> Any:
        self.ctx.new_dict(namespace, self.shadows)
        return self.ctx.call(self.given, (name, bases, namespace), (None, None, None), kw, self.kw_d)[0]


def metaclass_of(given: Any, bases: tuple) -> Any:
    """The metaclass of a class with these bases, where `given` is named, or None."""
    found = given if given is not None else type(bases[0]) if bases else type
    if not isinstance(found, type):
        return found
    for base in bases:
        if issubclass(type(base), found):
            found = type(base)
        elif not issubclass(found, type(base)):
            raise TypeError(
                "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the "
                "metaclasses of all its bases"
            )
    return found


class Classes(Part):
    """How a reverse context makes classes."""

    __slots__ = ()

    def class_maker(self, given: Any, kw_d: dict[str, Any]) -> ClassMaker:
        return ClassMaker(self, given, kw_d)

    def class_body(self, maker: ClassMaker, shadows: dict[str, Any]) -> None:
        maker.shadows = shadows

    def plain_class_body(self, name: str, values: tuple, shadows: tuple) -> None:
        if self.any_active(values, shadows, {}, {}):
            raise NotDifferentiable(
                f"the body of class {name} uses an active value and looks at its own namespace (locals(), eval() "
                "and the like), or its head has ** or type parameters; set the value outside the class"
            )

    def call_metaclass(self, meta: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``meta(name, bases, namespace, **kw)``."""
        if len(args) != 3:
            return meta(*args, **kw), None  # type(x), or a wrong call
        meta = metaclass_of(meta, args[1])
        if not has_method(meta, "__new__"):
            made = self.new_class(meta.__new__, meta, args, kw, kw_d)
        elif is_library_code(meta.__new__) and meta.__new__ is not abc.ABCMeta.__new__:
            return self._class_of_library(meta, args, kw, kw_d)
        elif is_library_code(meta.__new__):
            made = self.new_class(meta.__new__, meta, args, kw, kw_d)
        else:
            made, _ = self.call(meta.__new__, (meta, *args), (None, *ds), kw, kw_d)
        if isinstance(made, meta):
            if has_method(meta, "__init__"):
                self.call(meta.__init__, (made, *args), (None, *ds), kw, kw_d)
            else:
                meta.__init__(made, *args, **kw)
        return made, None

    def _class_of_library(self, meta: Any, args: tuple, kw: dict, kw_d: dict) -> Pair:
        """A class of `Enum`, `Protocol` and the like, which hooks of the user do not see active."""
        if any(d is not None for d in kw_d.values()):
            raise NotDifferentiable(f"an active keyword is given to a class created by {meta.__qualname__}")
        made = meta(*args, **kw)
        left = self._adopt(made, args[2])
        members: Any = made.__members__ if isinstance(made, EnumMeta) else {}
        for name, shadow in left.items():
            member = members.get(name)
            if member is None or member._value_ is not args[2][name]:
                raise NotDifferentiable(
                    f"{meta.__qualname__} replaces the active value {name!r} in the body of {made.__qualname__}; "
                    "set it on an instance"
                )
            self.records.make(member).slots["_value_"] = shadow
        return made, None

    def new_class(self, make: Any, meta: Any, args: tuple, kw: dict, kw_d: dict) -> Any:
        """``type.__new__(meta, *args, **kw)``.

        The hooks that it calls, ``__set_name__`` and the one for subclasses, run transformed once the class is there.
        """
        name, bases, namespace = args
        named = {k: v for k, v in dict(namespace).items() if has_method(type(v), "__set_name__")}
        hooks = _hooks(bases)
        for base in hooks:
            type.__setattr__(base, HOOK, classmethod(_silent))
        try:
            made = make(meta, name, bases, {**namespace, **dict.fromkeys(named)}, **kw)
        finally:
            for base, hook in hooks.items():
                type.__setattr__(base, HOOK, hook)
        for k, v in named.items():
            type.__setattr__(made, k, v)
        if self.class_captures(meta, set()):
            refuse_storing_metaclass(meta)
        self._adopt(made, namespace)
        for k, v in named.items():
            self._set_name(made, k, v)
        if hooks:
            parent = getattr(super(made, made), HOOK)
            self.call(parent, (), (), kw, kw_d)
        return made

    def _set_name(self, owner: type, name: str, value: Any) -> None:
        try:
            value_d = self.class_shadow(owner, name)
            self.call(type(value).__set_name__, (value, owner, name), (value_d, None, None))
        except self.refusals:
            raise
        except Exception as error:
            said = f"Error calling __set_name__ on {type(value).__name__!r} instance {name!r} in {owner.__name__!r}"
            if sys.version_info < (3, 12):
                raise RuntimeError(said) from error
            error.add_note(said)
            raise

    def _adopt(self, made: type, namespace: Any) -> dict[str, Any]:
        """The active values of a namespace are those of the class that was made of it; those that are not are left."""
        record = self.records.of(namespace)
        left: dict[str, Any] = {}
        for name, shadow in (record.slots if record is not None else {}).items():
            if shadow is None:
                continue
            if name in made.__dict__ and made.__dict__[name] is namespace.get(name):
                self.write_state(made, name, namespace[name], shadow)
            else:
                left[name] = shadow
        return left


def _silent(cls: type, **kw: Any) -> None:
    """In the place of a hook that runs later."""


def _hooks(bases: tuple) -> dict[type, Any]:
    """The hooks for subclasses that are written in Python: class -> what it holds."""
    return {
        base: base.__dict__[HOOK]
        for top in bases
        for base in top.__mro__
        if HOOK in base.__dict__ and isinstance(getattr(base.__dict__[HOOK], "__func__", None), FunctionType)
    }


@structural(type)
def _type(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.call_metaclass(type, args, ds, kw, kw_d)


@structural(type.__new__)
def _type_new(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.new_class(type.__new__, args[0], args[1:], kw, kw_d), None


# -- dataclasses ----------------------------------------------------------------------------------------------


@structural(dataclasses.field)
def _field(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    made = dataclasses.field(*args, **kw)
    if kw_d.get("default") is not None:
        ctx.records.make(made).slots["default"] = kw_d["default"]
    return made, None


@structural(dataclasses.dataclass)
def _dataclass(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if not args or args[0] is None:
        return functools.partial(dataclasses.dataclass, **kw), None
    cls = args[0]
    before = dict(vars(cls))
    shadows = {name: ctx.class_shadow(cls, name) for name in before}
    made = dataclasses.dataclass(cls, **kw)
    for name, field in made.__dataclass_fields__.items():
        given = before.get(name)
        shadow = ctx.shadow_in_object(given, "default") if given is field else shadows.get(name)
        if shadow is not None:
            ctx.records.make(field).slots["default"] = shadow
    for name, value in vars(made).items():
        shadow = shadows.get(name)
        field = made.__dataclass_fields__.get(name)
        if field is not None and field.default is value:
            shadow = ctx.shadow_in_object(field, "default")
        ctx.write_state(made, name, value, shadow)
    return made, None
