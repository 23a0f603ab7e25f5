"""Calls: which meaning a callable has, and how its arguments' shadows travel."""

import functools
import os
import sysconfig
import types
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

import chainrules
from chainrules import ScalarRule, rules_for, scalar_rule_for
from morula.errors import NotDifferentiable, no_rule, no_source, refused
from morula.runtime.arithmetic import has_method
from morula.runtime.dataclass_support import dataclass_init, is_dataclass_init
from morula.runtime.entries import Elementwise, Pull
from morula.runtime.functions import Twins, binding_of
from morula.runtime.kinds import ATOMS, HASHABLE_CALLABLES, REAL, is_plain_object
from morula.runtime.memory import owner_of
from morula.runtime.records import Record, Records, parts_of
from morula.transform import SourceUnavailable, template_of

ndarray = np.ndarray
Pair = tuple[Any, Any]
Handler = Callable[..., Pair]

ADJOINTS: dict[Any, Callable] = {}  # rules of this engine, by callable
INSTANCE_ADJOINTS: dict[type, Callable] = {}
STRUCTURAL: dict[Any, Handler] = {}  # f -> handler(ctx, args, ds, kw, kw_d): the engine's own meaning of f
INSTANCE_HANDLERS: dict[type, Handler] = {}  # the same for calls of instances, which come first in args
SUBSTITUTES: dict[Any, Callable] = {}  # f -> a plain Python function with the same meaning
_unary: dict[Any, "Handler"] = {}  # handlers of functions with a scalar rule
_unary_version = -1


def adjoints_changed() -> None:
    """Forget what was decided before a rule of this engine was declared."""
    _unary.clear()


def structural(*fs: Any) -> Callable[[Handler], Handler]:
    """Declare the engine's own handler for callables that move values without computing."""

    def declare(handler: Handler) -> Handler:
        for f in fs:
            STRUCTURAL[f] = handler
        return handler

    return declare


class HandlerTable(dict):
    """callable -> what to run for a call with `n` plain positional arguments; filled as callables are met."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[Any], Handler]):
        self.make = make

    def __missing__(self, f: Any) -> Handler:
        handler = self[f] = self.make(f)
        return handler


class Calls:
    """How a reverse context calls things."""

    __slots__ = ()

    on1: HandlerTable
    on2: HandlerTable
    twins: Twins
    append: Callable
    buffers: Any
    records: Records
    generators: dict
    generator: Callable
    getattr: Callable
    list_method: Callable
    dict_method: Callable
    generator_method: Callable
    write: Callable

    # -- entry points of generated code -------------------------------------------------------------------

    def call1(self, f: Any, x: Any, x_d: Any) -> Pair:
        if type(f) in HASHABLE_CALLABLES:
            return self.on1[f](self, x, x_d)
        return self.call(f, (x,), (x_d,))

    def call2(self, f: Any, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
        if type(f) in HASHABLE_CALLABLES:
            return self.on2[f](self, x, y, x_d, y_d)
        return self.call(f, (x, y), (x_d, y_d))

    def handler1(self, f: Any) -> Handler:
        """What to run for ``f(x)``."""
        if type(f) is FunctionType:
            twin = self._direct_twin(f, 1)
            if twin is not None:
                return twin
        else:
            global _unary_version
            if _unary_version != chainrules.registry_version():
                _unary.clear()
                _unary_version = chainrules.registry_version()
            handler = _unary.get(f)
            if handler is not None:
                return handler
            rule = self._scalar_rule(f)
            if rule is not None and len(rule.partials) == 1:
                handler = _unary[f] = unary_handler(f, rule)
                return handler
        return lambda ctx, x, x_d: ctx.call(f, (x,), (x_d,))

    def handler2(self, f: Any) -> Handler:
        """What to run for ``f(x, y)``."""
        if type(f) is FunctionType:
            twin = self._direct_twin(f, 2)
            if twin is not None:
                return twin
        return lambda ctx, x, y, x_d, y_d: ctx.call(f, (x, y), (x_d, y_d))

    def _scalar_rule(self, f: Any) -> ScalarRule | None:
        if f in ADJOINTS or f in STRUCTURAL:
            return None
        rule = scalar_rule_for(f)
        if rule is None or rule.types or len(rules_for(f)) > 2 or chainrules.is_opted_out(f, (0.0,)):
            return None
        return rule

    def _direct_twin(self, f: FunctionType, n: int) -> Handler | None:
        """The twin itself, where a call with `n` arguments needs no binding and no other decision."""
        if f in ADJOINTS or f in STRUCTURAL or f in SUBSTITUTES or rules_for(f) or chainrules.is_non_differentiable(f):
            return None
        if is_library_code(f):
            return None
        try:
            template = template_of(f)
        except SourceUnavailable:
            return None
        if template.code is None or not template.simple or len(template.parameters) != n or template.is_generator:
            return None
        return self.twins.of(f, template)

    # -- the general call ---------------------------------------------------------------------------------

    def call(self, f: Any, args: tuple, ds: tuple, kw: dict | None = None, kw_d: dict | None = None) -> Pair:
        """``f(*args, **kw)``."""
        kw = kw or {}
        kw_d = kw_d or {}
        kind = type(f)
        if kind is MethodType:
            return self.call(f.__func__, (f.__self__, *args), (None, *ds), kw, kw_d)
        if kind is functools.partial:
            return self._call_partial(f, args, ds, kw, kw_d)
        hashable = kind in HASHABLE_CALLABLES or is_hashable(f)
        if hashable:
            rule = ADJOINTS.get(f)
            if rule is not None:
                return self.apply_rule(f, rule, args, ds, kw, kw_d, opaque=True)
            if kw.get("out") is not None or (kind is np.ufunc and len(args) > f.nin):
                written = self.call_with_out(f, args, ds, kw, kw_d)  # type: ignore[attr-defined]
                if written is not None:
                    return written
            handler = STRUCTURAL.get(f)
            if handler is not None:
                return handler(self, args, ds, kw, kw_d)
        if kind in INSTANCE_HANDLERS:
            return INSTANCE_HANDLERS[kind](self, (f, *args), (None, *ds), kw, kw_d)
        if INSTANCE_ADJOINTS and kind in INSTANCE_ADJOINTS:
            return self.apply_rule(f, INSTANCE_ADJOINTS[kind], (f, *args), (None, *ds), kw, kw_d, opaque=True)
        if hashable and chainrules.is_non_differentiable(f):
            return self._plain(f, args, kw)
        found = self._try_rules(f, args, ds, kw, kw_d)
        if found is not None:
            return found
        if hashable:
            substitute = SUBSTITUTES.get(f)
            if substitute is not None:
                return self.call_function(substitute, args, ds, kw, kw_d)
        if kind is FunctionType:
            return self.call_python(f, args, ds, kw, kw_d)
        if isinstance(f, type):
            return self.construct(f, args, ds, kw, kw_d)
        if kind is BuiltinFunctionType:
            owner = f.__self__
            if owner is not None and not isinstance(owner, ModuleType) and not isinstance(owner, type):
                return self.method(owner, None, f.__name__, args, ds, kw, kw_d)
        implementation = getattr(f, "__wrapped__", None)
        if isinstance(f, functools._lru_cache_wrapper):
            # a memo table outlives the call and holds plain values: with active data the function itself runs
            if not self.any_active(args, ds, kw, kw_d):
                return f(*args, **kw), None
            return self.call(implementation, args, ds, kw, kw_d)
        if has_method(kind, "__call__"):
            return self.call(kind.__call__, (f, *args), (None, *ds), kw, kw_d)
        if not callable(f):
            return f(*args, **kw), None  # raises
        if self.any_active(args, ds, kw, kw_d) or self.shadow_of(f, None) is not None:
            raise no_rule(f)
        return f(*args, **kw), None

    def _plain(self, f: Any, args: tuple, kw: dict) -> Pair:
        return f(*args, **kw), None

    def _call_partial(self, f: functools.partial, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        frozen_d = tuple(self.shadow_in_object(f, ("args", i)) for i in range(len(f.args)))
        keywords_d = {k: self.shadow_in_object(f, ("keywords", k)) for k in f.keywords}
        return self.call(
            f.func, (*f.args, *args), (*frozen_d, *ds), {**f.keywords, **kw}, {**keywords_d, **kw_d}
        )

    def shadow_in_object(self, o: Any, key: Any) -> Any:
        record = self.records.of(o)
        return None if record is None else record.slots.get(key)

    # -- rules --------------------------------------------------------------------------------------------

    def _try_rules(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
        rules = rules_for(f)
        if not rules or chainrules.is_opted_out(f, args):
            return None
        if rules[0].instances:
            args, ds = (f, *args), (None, *ds)
        if len(args) <= 2 and not kw and not rules[0].instances:
            rule = self._scalar_rule(f)
            if rule is not None and len(rule.partials) == len(args) and all(type(a) in SCALAR_OR_ARRAY for a in args):
                shadows = tuple(self.array_shadow(a, d) for a, d in zip(args, ds, strict=True))
                if all(s is None for s in shadows):
                    return f(*args), None
                if not (rule.real and any(is_complex(a) for a in args)):
                    return self.elementwise(rule, f, args, shadows)
        if any(d is not None for d in kw_d.values()) or any(self.shadow_of(v, None) is not None for v in kw.values()):
            args, ds, kw, kw_d = self.positional(f, args, ds, kw, kw_d)
        shadows = tuple([self.shadow_of(a, d) for a, d in zip(args, ds, strict=True)])
        if not rules[0].instances and all(s is None for s in shadows):
            return f(*args, **kw), None
        args = tuple([kept_argument(a) for a in args])
        for rule in rules:
            if rule.accepts(args):
                found = self._rule_result(f, rule.function, args, shadows, kw, False)
                if found is not None:
                    return found
        return None

    def apply_rule(
        self, f: Any, rule: Callable, args: tuple, ds: tuple, kw: dict, kw_d: dict, opaque: bool
    ) -> Pair:
        """A call of `f` through the user's `rule`, whatever is active."""
        if any(d is not None for d in kw_d.values()):
            args, ds, kw, kw_d = self.positional(f, args, ds, kw, kw_d)
        shadows = tuple(self.shadow_of(a, d) for a, d in zip(args, ds, strict=True))
        found = self._rule_result(f, rule, args, shadows, kw, opaque)
        if found is None:
            return self.call_python(f, args, ds, kw, kw_d)
        return found

    def _rule_result(
        self, f: Any, rule: Callable, args: tuple, shadows: tuple, kw: dict, opaque: bool
    ) -> Pair | None:
        try:
            result = rule(*args, **kw)
        except NotImplementedError as reason:
            if opaque:
                raise
            raise NotDifferentiable(str(reason)) from None
        except TypeError:
            if not opaque:
                f(*args, **kw)  # a wrong call is the function's own error, in its own words
            raise
        if result is NotImplemented:
            return None
        try:
            y, pullback = result
        except (TypeError, ValueError):
            raise chainrules_error(f, result) from None
        if not callable(pullback):
            raise chainrules_error(f, result)
        targets = [(i, a, d) for i, (a, d) in enumerate(zip(args, shadows, strict=True)) if d is not None]
        if not targets:
            return y, None
        y_d, view = self.result_shadow(y, args, shadows)
        if y_d is None or view:
            return y, y_d
        shadow = y_d
        if type(y_d) is Record:
            shadow = y_d
            y_d = None
        elif isinstance(y, list):
            self.new_list(y, list(shadow))  # type: ignore[attr-defined]
            y_d = None
        self.append(Pull(f, shadow, pullback, len(args), targets, opaque))
        return y, y_d

    def result_shadow(self, y: Any, args: tuple, shadows: tuple) -> tuple[Any, bool]:
        """A new shadow for what a rule returned, and whether it is a view of memory that has one already."""
        if type(y) is ndarray:
            if y.dtype.kind not in "fc" and not stays_integer(y, args, shadows):
                return None, False
            for a, d in zip(args, shadows, strict=True):
                if a is y:
                    return d, True
            if y.base is not None:
                owner = owner_of(y)
                for a, d in zip(args, shadows, strict=True):
                    if isinstance(a, ndarray) and owner_of(a) is owner:
                        return (None if d is None else self.buffers.view(d.buffer, y, owner)), True
                found = self.buffers.find(y)
                if found is not None:
                    return found, True
            else:
                found = self.buffers.find(y)
                if found is not None:
                    return found, True
            return self.buffers.new(y), False
        kind = type(y)
        if kind in REAL and kind not in (int, bool) or isinstance(y, complex | np.inexact):
            return [0], False
        if kind is int:
            return [0], False
        if isinstance(y, tuple | list):
            parts = [self.result_shadow(v, args, shadows) for v in y]
            if all(p[0] is None for p in parts):
                return None, False
            if any(view for _, view in parts):
                if all(view or p is None for p, view in parts):
                    return tuple(p for p, _ in parts), True
                raise NotDifferentiable("a rule returned views of its arguments together with new values")
            return tuple(p[0] for p in parts), False
        if kind in (Fraction, Decimal):
            return [0], False
        if is_plain_object(y):
            record = self.records.table.get(id(y))
            if record is None:
                record = self.records.table[id(y)] = Record(y, {}, True)
            return record, False
        return None, False

    def positional(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> tuple[tuple, tuple, dict, dict]:
        """Active keyword arguments made positional, so that a rule gives them a cotangent."""
        import inspect

        active = [k for k, v in kw.items() if self.shadow_of(v, kw_d.get(k)) is not None]
        if not active:
            return args, ds, kw, {}
        try:
            parameters = list(inspect.signature(f).parameters.values())
        except (ValueError, TypeError):
            parameters = []
        names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        last = max((names.index(k) for k in active if k in names), default=-1)
        if any(k not in names for k in active):
            k = next(k for k in active if k not in names)
            raise NotDifferentiable(
                f"{chainrules_name(f)} was given an active value as the keyword argument {k!r}, "
                "which its rule cannot differentiate; pass it by position if it is a positional argument"
            )
        values, shadows, rest = list(args), list(ds), dict(kw)
        for name in names[len(args) : last + 1]:
            parameter = next(p for p in parameters if p.name == name)
            if name in rest:
                values.append(rest.pop(name))
                shadows.append(kw_d.get(name))
            else:
                values.append(parameter.default)
                shadows.append(None)
        return tuple(values), tuple(shadows), rest, {}

    def elementwise(self, rule: ScalarRule, f: Callable | None, args: tuple, ds: tuple, y: Any = None) -> Pair:
        """``y = f(*args)`` for numbers and arrays by the partials of a scalar rule; `y` if it is known already."""
        if f is not None:
            y = f(*args)
        keep = kept_by(rule)
        if type(y) is ndarray:
            kind = y.dtype.kind
            if kind not in "fc" and not stays_integer(y, args, ds):
                return y, None
            y_d: Any = self.buffers.new(y)
            if kind == "f":
                if len(args) == 1:
                    x_d = ds[0]
                    if type(x_d) is not list and args[0].dtype == y.dtype:
                        self.append(
                            (y_d, rule.partials[0], y if 0 in keep else None, args[0] if 1 in keep else None, x_d)
                        )
                        return y, y_d
                elif len(args) == 2:
                    a, b = args
                    if real_like(a, y) and real_like(b, y):
                        a_d, b_d = ds
                        p, q = rule.partials
                        if a_d is None:
                            p, keep = None, kept_by(rule, 1)
                        elif b_d is None:
                            q, keep = None, kept_by(rule, 0)
                        self.append((
                            y_d, p, q, y if 0 in keep else None, a if 1 in keep else None, b if 2 in keep else None,
                            a_d, b_d,
                        ))  # fmt: skip
                        return y, y_d
        elif type(rule.f) is not np.ufunc and type(y) in REAL and all(type(a) in REAL for a in args):
            node: list = [0]
            for p, d in zip(rule.partials, ds, strict=False):
                if d is not None:
                    node += (d, p(y, *args) if callable(p) else float(p))
            self.append(node)
            return y, node
        else:
            if isinstance(y, bool | np.bool_):
                return y, None
            y_d = [0]
        targets = []
        for a, d, p in zip(args, ds, rule.partials, strict=False):
            if d is not None:
                if type(a) is ndarray:
                    targets.append((p, d, a.shape, a.dtype))
                else:
                    targets.append((p, d, None, type(a)))
        saved = tuple([a if i in keep else None for i, a in enumerate(args, 1)])
        self.append(Elementwise(y_d, y if 0 in keep else None, saved, targets))
        return y, y_d

    # -- Python functions and classes ---------------------------------------------------------------------

    def call_python(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A Python function: its twin, or the function itself where it is a library's and nothing is active."""
        if type(f) is not FunctionType:
            if isinstance(f, type):
                return self.construct(f, args, ds, kw, kw_d)
            raise no_rule(f)
        if is_library_code(f) and not self.any_active(args, ds, kw, kw_d) and not self.twins.captures_paired(f):
            return f(*args, **kw), None
        return self.call_function(f, args, ds, kw, kw_d)

    def call_function(self, f: FunctionType, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        try:
            template = template_of(f)
        except SourceUnavailable as reason:
            if self.any_active(args, ds, kw, kw_d) or self.twins.captures_paired(f):
                raise no_source(f, str(reason)) from None
            return f(*args, **kw), None
        if template.code is None:
            assert template.refused is not None
            if self.any_active(args, ds, kw, kw_d) or self.twins.captures_paired(f):
                raise refused(*template.refused, f)
            return f(*args, **kw), None
        twin = self.twins.of(f, template)
        if template.simple and not kw and len(args) == len(template.parameters):
            result = twin(self, *args, *ds)
        else:
            values, shadows = binding_of(f, template, self.twins.default_shadows(f))(self, args, ds, kw, kw_d)
            result = twin(self, *values, *shadows)
        return (self.generator(result, f.__name__), None) if template.is_generator else result

    def construct(self, cls: type, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``cls(*args, **kw)``."""
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return self._named_tuple(cls, args, ds, kw, kw_d)
        meta_call = has_method(type(cls), "__call__")
        own_init, own_new = has_method(cls, "__init__"), has_method(cls, "__new__")
        if meta_call and self.any_active(args, ds, kw, kw_d):
            if type(cls).__module__ != "abc" and type(cls).__call__ is not type.__call__:
                raise NotDifferentiable(
                    f"the class {cls.__qualname__} is made by a metaclass that overrides __call__, "
                    "which cannot be differentiated with active arguments"
                )
        if not (own_init or own_new):
            if issubclass(cls, BaseException):
                y = cls(*args, **kw)
                if any(d is not None for d in ds):
                    self.records.make(y).slots["args"] = tuple(ds)
                return y, None
            if self.any_active(args, ds, kw, kw_d):
                raise no_rule(cls)
            return cls(*args, **kw), None
        if own_new:
            obj, _ = self.call(cls.__new__, (cls, *args), (None, *ds), kw, kw_d)
            if not isinstance(obj, cls):
                return obj, None
        elif cls.__new__ is object.__new__:
            obj = cls.__new__(cls)
        else:
            obj = cls.__new__(cls, *args, **kw)
        if own_init:
            self._init(cls, obj, args, ds, kw, kw_d)
        elif cls.__init__ is not object.__init__:  # type: ignore[misc]
            if self.any_active(args, ds, kw, kw_d):
                raise no_rule(cls)
            obj.__init__(*args, **kw)  # type: ignore[misc]
        return obj, None

    def _init(self, cls: type, obj: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> None:
        init = cls.__init__  # type: ignore[misc]
        if is_dataclass_init(cls, init) and init not in ADJOINTS:
            dataclass_init(self, cls, obj, args, ds, kw, kw_d)
        else:
            self.call(init, (obj, *args), (None, *ds), kw, kw_d)

    def _named_tuple(self, cls: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if has_method(cls, "__new__") and not _is_generated_new(cls):
            raise NotDifferentiable(f"the named tuple {cls.__qualname__} overrides __new__")
        y = cls(*args, **kw)
        given = dict(zip(cls._fields, ds, strict=False)) | kw_d
        shadows = tuple(given.get(n) for n in cls._fields)
        return y, None if all(s is None for s in shadows) else shadows

    # -- methods ------------------------------------------------------------------------------------------

    def method(
        self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict | None = None, kw_d: dict | None = None
    ) -> Pair:
        """``o.name(*args, **kw)`` without making the bound method where that can be avoided."""
        kind = type(o)
        kw = kw or {}
        kw_d = kw_d or {}
        if kind is ndarray:
            return self.array_method(o, o_d, name, args, ds, kw, kw_d)  # type: ignore[attr-defined]
        if kind is list:
            return self.list_method(o, name, args, ds, kw, kw_d)
        if kind is ModuleType or isinstance(o, ModuleType):
            return self.call(getattr(o, name), args, ds, kw, kw_d)
        if isinstance(o, type):
            return self._class_method(o, name, args, ds, kw, kw_d)
        if kind in ATOMS:
            return self._atom_method(o, o_d, name, args, ds, kw, kw_d)
        if kind is types.GeneratorType:
            return self.generator_method(o, name, args, ds)
        if isinstance(o, dict) and not has_method(kind, name):
            return self.dict_method(o, name, args, ds, kw, kw_d)
        if isinstance(o, list) and not has_method(kind, name) and hasattr(list, name):
            return self.list_method(o, name, args, ds, kw, kw_d)
        if isinstance(o, tuple) and (not has_method(kind, name) or name in ("_replace", "_asdict", "_make")):
            return self.tuple_method(o, o_d, name, args, ds, kw, kw_d)  # type: ignore[attr-defined]
        if kind is super:
            bound = getattr(o, name)
            if isinstance(bound, MethodType):
                return self.call(bound.__func__, (bound.__self__, *args), (None, *ds), kw, kw_d)
            return self._super_builtin(o, name, bound, args, ds, kw, kw_d)
        if not has_method(kind, "__getattribute__") and name not in getattr(o, "__dict__", ()):
            for base in kind.__mro__:
                found = base.__dict__.get(name)
                if found is not None:
                    if type(found) is FunctionType:
                        return self.call(found, (o, *args), (o_d, *ds), kw, kw_d)
                    break
            else:
                found = None
            if found is not None and type(found) not in (classmethod, staticmethod, property) and not hasattr(
                type(found), "__set__"
            ):
                key = found if is_hashable(found) else None
                if key in ADJOINTS or key in STRUCTURAL or rules_for(key) or chainrules.is_non_differentiable(key):
                    return self.call(found, (o, *args), (o_d, *ds), kw, kw_d)
                if not (has_method(type(found), "__get__") or is_plain_object(found)):
                    return self._builtin_method(o, o_d, name, args, ds, kw, kw_d)
        f, _ = self.getattr(o, o_d, name)
        return self.call(f, args, ds, kw, kw_d)

    def _atom_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method of a number, a string, a ufunc ..."""
        kind = type(o)
        if isinstance(o, np.generic):
            return self.number_method(o, o_d, name, args, ds, kw, kw_d)  # type: ignore[attr-defined]
        if kind is np.ufunc:
            return self.ufunc_method(o, name, args, ds, kw, kw_d)  # type: ignore[attr-defined]
        if kind is str or kind is bytes:
            if name == "join":
                return o.join([v for v, _ in self.iter(*args, *ds)]), None  # type: ignore[attr-defined]
            return getattr(o, name)(*args, **kw), None
        if name == "conjugate" and o_d is not None:
            return self.call(np.conjugate, (o,), (o_d,))
        f = getattr(o, name)
        if name.startswith("__") and (o_d is not None or self.any_active(args, ds, kw, kw_d)):
            plain = name.strip("_")
            if plain.startswith("r") and hasattr(self, plain[1:]) and not hasattr(self, plain):
                return getattr(self, plain[1:])(args[0], ds[0], o, o_d)
            if hasattr(self, plain):
                return getattr(self, plain)(o, o_d, *[p for pair in zip(args, ds, strict=True) for p in pair])
            raise no_rule(f)
        if self.any_active(args, ds, kw, kw_d):
            raise no_rule(f)
        return f(*args, **kw), None

    def _class_method(self, cls: type, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        f = getattr(cls, name)
        if cls is object and name == "__getattribute__":
            return self.object_getattribute(*args)  # type: ignore[attr-defined]
        if cls is object and name == "__setattr__":
            self.object_setattr(*args, ds[2])  # type: ignore[attr-defined]
            return None, None
        if isinstance(f, BuiltinFunctionType) and isinstance(f.__self__, type):
            if name == "__new__" and args and isinstance(args[0], type) and cls.__new__ is object.__new__:
                return cls.__new__(args[0]), None
            if self.any_active(args, ds, kw, kw_d):
                if name == "fromkeys":
                    d = f(args[0], *args[1:])
                    self.new_dict(d, dict.fromkeys(d, ds[1]))  # type: ignore[attr-defined]
                    return d, None
                raise no_rule(f)
            return f(*args, **kw), None
        return self.call(f, args, ds, kw, kw_d)

    def _super_builtin(self, o: Any, name: str, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method that ``super()`` found in a builtin base."""
        owner = o.__self__
        if name == "__getattribute__":
            return self.object_getattribute(owner, *args)  # type: ignore[attr-defined]
        if name == "__setattr__":
            self.object_setattr(owner, *args, ds[1])  # type: ignore[attr-defined]
            return None, None
        if name == "__init__" and not args and not kw:
            f()
            return None, None
        if name == "__new__":
            return f(*args, **kw), None
        if isinstance(owner, dict):
            return self.dict_method(owner, name, args, ds, kw, kw_d) if not name.startswith("__") else self._dunder(
                owner, name, f, args, ds, kw, kw_d
            )
        if isinstance(owner, list) and not name.startswith("__"):
            return self.list_method(owner, name, args, ds, kw, kw_d)
        return self._dunder(owner, name, f, args, ds, kw, kw_d)

    def _dunder(self, o: Any, name: str, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if self.any_active((o, *args), (None, *ds), kw, kw_d):
            raise no_rule(f)
        return f(*args, **kw), None

    def _builtin_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method written in C of an object that is no array, list, dict or tuple."""
        special = CONTAINER_METHODS.get(type(o))
        if special is not None:
            return special(self, o, name, args, ds, kw, kw_d)
        f = getattr(o, name)
        if self.any_active((o, *args), (o_d, *ds), kw, kw_d):
            raise no_rule(getattr(type(o), name, f))
        return f(*args, **kw), None

    # -- activity -----------------------------------------------------------------------------------------

    def array_shadow(self, x: Any, x_d: Any) -> Any:
        return self.buffers.find(x) if x_d is None and type(x) is ndarray else x_d

    def shadow_of(self, x: Any, x_d: Any) -> Any:
        """The shadow of a value as a rule needs it: a structure for tuples and lists, a record for an object."""
        if x_d is not None or type(x) in ATOMS:
            return x_d if not (type(x_d) is tuple and isinstance(x, tuple)) else self._tuple_shadow(x, x_d)
        if isinstance(x, ndarray):
            if x.dtype.kind == "O":
                return None
            return self.buffers.find(x)
        if isinstance(x, tuple):
            return self._tuple_shadow(x, (None,) * len(x))
        if isinstance(x, list):
            record = self.records.list_of(x)
            return self._tuple_shadow(x, record.slots if record is not None else (None,) * len(x))
        if isinstance(x, dict):
            record = self.records.of(x)
            keys = tuple(x)
            shadows = tuple(self.shadow_of(x[k], record.slots.get(k) if record is not None else None) for k in keys)
            return None if all(s is None for s in shadows) else (keys, shadows)
        record = self.records.of(x)
        if record is not None and (record.lifted or any(s is not None for s in record.slots.values())):
            return record
        if type(x) is types.GeneratorType and id(x) in self.generators:
            return self.generators[id(x)]
        return None

    def _tuple_shadow(self, xs: Any, shadows: Any) -> Any:
        parts = tuple([self.shadow_of(v, s) for v, s in zip(xs, shadows, strict=True)])
        return None if all(p is None for p in parts) else parts

    def any_active(self, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> bool:
        """Whether anything active can be reached from the arguments of a call."""
        if any(d is not None for d in ds) or any(d is not None for d in kw_d.values()):
            return True
        seen: set[int] = set()
        return any(self.reaches_active(a, seen) for a in args) or any(self.reaches_active(v, seen) for v in kw.values())

    def reaches_active(self, x: Any, seen: set[int]) -> bool:
        """Whether something active lies in `x`, at any depth."""
        if type(x) in ATOMS or id(x) in seen:
            return False
        seen.add(id(x))
        if isinstance(x, ndarray):
            return self.buffers.find(x) is not None
        if type(x) is FunctionType:
            return self.twins.captures_active(x) or any(
                self.reaches_active(cell.cell_contents, seen) for cell in x.__closure__ or () if not is_empty(cell)
            )
        if type(x) is MethodType:
            return self.reaches_active(x.__self__, seen) or self.reaches_active(x.__func__, seen)
        if type(x) is types.GeneratorType:
            return id(x) in self.generators
        record = self.records.of(x)
        if record is not None and (record.lifted or any(s is not None for s in slots_of(record))):
            return True
        if isinstance(x, functools.partial):
            return any(self.reaches_active(v, seen) for v in (x.func, *x.args, *x.keywords.values()))
        return any(self.reaches_active(v, seen) for v in parts_of(x))


def kept_argument(a: Any) -> Any:
    """An argument as a rule may keep it: lists and dicts, at any depth, are copied, since they may change later."""
    kind = type(a)
    if kind is list:
        return [kept_argument(v) for v in a]
    if kind is tuple:
        return tuple([kept_argument(v) for v in a])
    if kind is dict:
        return {k: kept_argument(v) for k, v in a.items()}
    return a


def is_empty(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def slots_of(record: Record) -> Any:
    return record.slots.values() if isinstance(record.slots, dict) else record.slots


def unary_handler(f: Any, rule: ScalarRule) -> Handler:
    """``f(x)`` for one real number at once; anything else goes the general way."""
    (partial,) = rule.partials
    if not callable(partial):
        return lambda ctx, x, x_d: ctx.call(f, (x,), (x_d,))

    def handler(ctx: Any, x: Any, x_d: Any) -> Pair:
        if type(x) in REAL:
            y = f(x)
            if x_d is None:
                return y, None
            if lazy:
                return ctx.elementwise(rule, None, (x,), (x_d,), y)
            node = [0, x_d, partial(y, x)]
            ctx.append(node)
            return y, node
        if type(x) is ndarray and not (rule.real and x.dtype.kind == "c"):
            if x_d is None:
                x_d = ctx.buffers.find(x)
                if x_d is None:
                    return f(x), None
            y = f(x)
            if type(y) is ndarray and y.dtype is x.dtype and y.dtype.kind == "f" and type(x_d) is not list:
                y_d = ctx.buffers.new(y)
                ctx.append((y_d, partial, y if keep_y else None, x if keep_x else None, x_d))
                return y, y_d
            return ctx.elementwise(rule, None, (x,), (x_d,), y)
        return ctx.call(f, (x,), (x_d,))

    (needs,) = rule.needs
    keep_y, keep_x = 0 in needs, 1 in needs
    lazy = type(f) is np.ufunc  # its partial may warn, at a singular point: it is taken in the backward pass
    return handler


_kept: dict[tuple[int, int], tuple[ScalarRule, frozenset]] = {}


def kept_by(rule: ScalarRule, only: int = -1) -> frozenset:
    """Positions of what the partials read (0 is y): all of them, or that of one argument."""
    found = _kept.get((id(rule), only))
    if found is None:
        needs = rule.needs
        kept = frozenset().union(*needs) if only < 0 else needs[only]
        found = _kept[id(rule), only] = (rule, kept)
    return found[1]


def stays_integer(y: Any, args: tuple, ds: tuple) -> bool:
    """Whether the integer array `y` was computed from active integers alone, so that it is as smooth as they are."""
    if y.dtype.kind not in "iu":
        return False
    return all(
        isinstance(a, int | np.integer) or (isinstance(a, ndarray) and a.dtype.kind in "iu")
        for a, d in zip(args, ds, strict=True)
        if d is not None
    )


def real_like(a: Any, y: ndarray) -> bool:
    """Whether a cotangent of `a` has y's dtype and is real: what the short tape entries assume."""
    return a.dtype == y.dtype if type(a) is ndarray else type(a) is float or type(a) is int


def is_complex(x: Any) -> bool:
    return x.dtype.kind == "c" if isinstance(x, ndarray) else isinstance(x, complex | np.complexfloating)


def is_hashable(f: Any) -> bool:
    try:
        hash(f)
    except TypeError:
        return False
    return True


SCALAR_OR_ARRAY = frozenset(
    {ndarray, float, int, complex, bool} | {t for t in np.sctypeDict.values() if issubclass(t, np.number)}
)
CONTAINER_METHODS: dict[type, Callable] = {}

_LIBRARY = tuple(
    os.path.normpath(p) + os.sep
    for p in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(np.__file__)}
)
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@functools.lru_cache(4096)
def _is_library_file(filename: str) -> bool:
    if filename.startswith("<frozen"):
        return True
    path = os.path.normpath(filename)
    if "site-packages" in path and not path.startswith(os.path.dirname(np.__file__)):
        return False
    return path.startswith(_LIBRARY)


def is_library_code(f: FunctionType) -> bool:
    """Whether a function belongs to the standard library or to NumPy: code without active state of its own."""
    return _is_library_file(f.__code__.co_filename)


def _is_generated_new(cls: type) -> bool:
    for base in cls.__mro__:
        if "__new__" in base.__dict__:
            new = base.__dict__["__new__"]
            new = getattr(new, "__func__", new)
            return getattr(new, "__code__", None) is None or new.__code__.co_filename.startswith("<string>") or (
                new.__module__ is not None and new.__module__.startswith("namedtuple_")
            )
    return True


def chainrules_name(f: Any) -> str:
    from morula.errors import describe

    return describe(f)


def chainrules_error(f: Any, result: Any) -> Exception:
    from morula.errors import RuleError

    return RuleError(
        f"the rule for {chainrules_name(f)} must return (y, pullback) with a function as the second, not {result!r:.80}"
    )
