"""What a callable is asked for when it is called, and in which order: decided once for each.

A step is called as ``step(ctx, f, args, ds, kw, kw_d)``. It gives the value and its shadow, or None where it leaves the
call to the next one. The last one answers in any case.
"""

import functools
import weakref
from collections.abc import Callable, Iterator
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from morula.eager.calls.meanings import Meaning, meaning_of, stays
from morula.eager.calls.quick_rules import quick_rule
from morula.eager.calls.registry import INSTANCE_HANDLERS, Handler, no_rule
from morula.eager.containers.container_types import container_of
from morula.eager.context.kinds import ATOMS, HEAP_TYPE, PARTIALS, has_method, is_hashable
from morula.eager.context.protocol import Context
from morula.eager.memory.outputs import ARRAY_FUNCTIONS, has_out
from morula.eager.numpy.overrides import ASKING, UNASKED
from morula.eager.numpy.python_ufuncs import call_elements, function_of
from morula.eager.numpy.rearranged import REARRANGING, rearranged_objects, rearranges
from morula.eager.objects.class_attributes import class_attribute, is_descriptor
from morula.static.tiers.dispatch import is_compiled_class

Pair = tuple[Any, Any]
Step = Callable[..., Pair | None]

DESCRIPTORS = (MethodDescriptorType, WrapperDescriptorType)  # methods of C types, unbound
PROGRAM: list[Callable[..., Pair]] = []  # how a program in place of a function is followed, once the verbs are there


class StepTable(dict):
    """callable -> its steps, for one run; those of a passing callable are not kept."""

    __slots__ = ()

    def __missing__(self, f: Any) -> tuple[Step, ...]:
        steps = steps_of(f)
        if stays(f):
            self[f] = steps
        return steps


def steps_of(f: Any) -> tuple[Step, ...]:
    """The steps of a call of `f`, as of the declarations that stand."""
    if type(f) in PARTIALS:
        return OF_PARTIALS
    if isinstance(f, weakref.ref):  # whose hash is that of its object
        return OF_REFERENCES
    if type(f) is weakref.CallableProxyType:
        return OF_PROXIES
    meaning = meaning_of(f)
    if meaning.steps is None:
        meaning.steps = tuple(_steps(f, meaning))
    return meaning.steps


def _steps(f: Any, meaning: Meaning) -> Iterator[Step]:
    """The steps in order, up to the first that answers in any case."""
    kind = type(f)
    if meaning.is_plain:
        yield call_function
        return
    if meaning.adjoint is not None:
        yield by_adjoint(meaning.adjoint)
        return
    if meaning.array_rule is not None:
        yield quick_rule(f, meaning.array_rule)
    if kind in ASKING:
        yield overridden
    if kind in ARRAY_FUNCTIONS:
        yield with_out
    if meaning.handler is not None:
        yield by_handler(meaning.handler)
    elif kind in INSTANCE_HANDLERS:
        yield of_instance
    elif meaning.constant:
        yield constant
    else:
        bound = rearranges(getattr(f, "__self__", None), getattr(f, "__name__", ""))
        if bound or (is_hashable(f) and f in REARRANGING):
            yield rearranged_objects
        if meaning.rules:
            yield by_rules
        if meaning.substitute is not None:
            yield by_substitute(meaning.substitute)
        elif meaning.program is not None:
            yield by_program(meaning.program)
        elif kind is FunctionType:
            yield call_python
        elif isinstance(f, type):
            yield construct
        elif is_compiled_class(kind):
            yield compiled
        else:
            yield by_kind
            yield by_special_method
            yield undeclared


# -- as declared ------------------------------------------------------------------------------------------------------


def by_adjoint(adjoint: Callable) -> Step:
    return lambda ctx, f, args, ds, kw, kw_d: ctx.apply_rule(f, adjoint, args, ds, kw, kw_d, opaque=True)


def by_handler(handler: Handler) -> Step:
    return lambda ctx, f, args, ds, kw, kw_d: handler(ctx, args, ds, kw, kw_d)


def by_substitute(body: FunctionType) -> Step:
    return lambda ctx, f, args, ds, kw, kw_d: ctx.call_function(body, args, ds, kw, kw_d)


def by_program(program: Callable) -> Step:
    return lambda ctx, f, args, ds, kw, kw_d: PROGRAM[0](ctx, f, program, args, ds, kw, kw_d)


def by_rules(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
    return ctx._try_rules(f, args, ds, kw, kw_d)


def constant(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.constant_call(f, args, ds, kw, kw_d)


def of_instance(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return INSTANCE_HANDLERS[type(f)](ctx, (f, *args), (None, *ds), kw, kw_d)


def overridden(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
    """What the classes of the arguments make of a function of NumPy's."""
    return None if UNASKED.issuperset(map(type, args)) else ctx.overridden(f, args, ds, kw, kw_d)


def with_out(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
    return ctx.call_with_out(f, args, ds, kw, kw_d) if has_out(f, args, kw) else None


# -- as Python has it -------------------------------------------------------------------------------------------------


def partial(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.partial_call(f, args, ds, kw, kw_d)


OF_PARTIALS = (partial,)


def reference(ctx: Context, f: weakref.ref, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
    """What a weak reference leads to; of a class with a ``__call__`` of its own, that is asked."""
    return None if has_method(type(f), "__call__") else ctx.referent(f)


def call_function(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.call_function(f, args, ds, kw, kw_d)


def call_python(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.call_python(f, args, ds, kw, kw_d)


def construct(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.construct(f, args, ds, kw, kw_d)


def compiled(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    from morula.static.numba.calls import call_compiled

    return call_compiled(ctx, f, args, ds, kw, kw_d)


def by_kind(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
    """Methods written in C, bound and unbound, functions with memo tables, ufuncs of Python functions."""
    kind = type(f)
    if kind in DESCRIPTORS and args and isinstance(args[0], f.__objclass__):
        if container_of(f.__objclass__) is not None:
            return ctx.container_method(args[0], ds[0], f.__name__, args[1:], ds[1:], kw, kw_d)
        if type(args[0]) in ATOMS and (type(args[0]) is f.__objclass__ or isinstance(args[0], np.generic)):
            return ctx.method(args[0], ds[0], f.__name__, args[1:], ds[1:], kw, kw_d)
        if f.__objclass__ is float:  # of a class of its own
            return ctx.method(float.__float__(args[0]), ds[0], f.__name__, args[1:], ds[1:], kw, kw_d)
    if kind is MethodWrapperType:
        if f.__name__ == "__call__" and isinstance(f.__self__, type | BuiltinFunctionType):
            return ctx.call(f.__self__, args, ds, kw, kw_d)
        own = ctx.shadow_in_object(f, "__self__")
        if container_of(type(f.__self__)) is not None:
            return ctx.container_method(f.__self__, own, f.__name__, args, ds, kw, kw_d)
        if (bound := hidden_method(f)) is not None:
            return ctx.call(bound, (f.__self__, *args), (own, *ds), kw, kw_d)
        return ctx.method(f.__self__, own, f.__name__, args, ds, kw, kw_d)
    if kind is BuiltinFunctionType:
        owner, own = f.__self__, ctx.shadow_in_object(f, "__self__")
        if isinstance(owner, type) and f.__name__ in ("fromkeys", "__new__"):
            return ctx.class_method(owner, f.__name__, args, ds, kw, kw_d)
        if container_of(type(owner)) is not None:
            return ctx.container_method(owner, own, f.__name__, args, ds, kw, kw_d)
        if owner is not None and not isinstance(owner, ModuleType | type) and hasattr(type(owner), f.__name__):
            if (bound := hidden_method(f)) is not None:
                return ctx.call(bound, (owner, *args), (own, *ds), kw, kw_d)
            return ctx.method(owner, own, f.__name__, args, ds, kw, kw_d)
    if isinstance(f, functools._lru_cache_wrapper):
        return ctx.memoised_call(f, args, ds, kw, kw_d)
    if kind is np.ufunc and (function := function_of(f)) is not None:
        if ctx.any_active((function, *args), (None, *ds), kw, kw_d):
            return call_elements(ctx, f, function, args, ds, kw)
        return ctx.opaque(f, args, kw), None
    return None


def hidden_method(f: Any) -> Any:
    """The method in C that was bound to an object whose class has another one of this name; None elsewhere.

    >>> class Frozen:
    ...     def __setattr__(self, name, value): ...
    >>> hidden_method(object.__setattr__.__get__(Frozen())), hidden_method([].append)
    (<slot wrapper '__setattr__' of 'object' objects>, None)
    """
    name, kind = f.__name__, type(f.__self__)
    if not kind.__flags__ & HEAP_TYPE:
        return None
    of_c = next((m for base in kind.__mro__ if type(m := vars(base).get(name)) in DESCRIPTORS), None)
    return None if getattr(kind, name, None) is of_c else of_c


def by_special_method(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
    """An object with a ``__call__`` in Python."""
    kind = type(f)
    if has_method(kind, "__call__"):
        how = class_attribute(kind, "__call__")
        if type(how) is staticmethod:
            return ctx.call(kind.__call__, args, ds, kw, kw_d)
        if is_descriptor(how):
            bound, _ = ctx.call(type(how).__get__, (how, f, kind), (None, None, None))
            return ctx.call(bound, args, ds, kw, kw_d)
        return ctx.call(kind.__call__, (f, *args), (None, *ds), kw, kw_d)
    if kind is property and args:  # a special method that is a property of its class: Python binds it
        return ctx.call(ctx.call1(f.fget, args[0], ds[0])[0], args[1:], ds[1:], kw, kw_d)
    return None


def proxy(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.call(ctx.behind(f), args, ds, kw, kw_d)


OF_REFERENCES, OF_PROXIES = (reference, by_special_method), (proxy,)


def undeclared(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """It runs plainly, where nothing active reaches it."""
    if not callable(f):
        return f(*args, **kw), None  # raises
    if ctx.any_active(args, ds, kw, kw_d) or ctx.shadow_of(f, None) is not None or ctx.reaches_through_c(f):
        if args and rearranges(args[0], getattr(f, "__name__", "")):
            return ctx.rearranged(args[0], f.__name__, args[1:], ds[1:], kw, kw_d)
        raise no_rule(f)
    return ctx.opaque(f, args, kw), None
