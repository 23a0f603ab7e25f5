"""Calls: which meaning a callable has, and how its arguments' shadows travel."""

import functools
import gc
from collections.abc import Callable
from inspect import CO_GENERATOR
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from morula.eager.calls.called_back import watched
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.opaque import is_concurrent, is_queue, library_of
from morula.eager.calls.registry import INSTANCE_HANDLERS, is_library_rule, no_rule
from morula.eager.context.kinds import (
    ATOMS,
    PARTIALS,
    PLACEHOLDER,
    around,
    container_of,
    has_method,
    is_empty,
    is_generated_init,
    is_library_code,
    is_numpy_code,
    is_plain_numpy_code,
)
from morula.eager.context.part import Part
from morula.eager.memory.outputs import ARRAY_FUNCTIONS, has_out
from morula.eager.numpy.object_arrays import OBJECT, holds_objects
from morula.eager.numpy.overrides import ASKING, UNASKED
from morula.eager.numpy.python_ufuncs import call_elements, function_of
from morula.eager.numpy.rearranged import rearranges
from morula.eager.objects.class_attributes import class_attribute, is_descriptor
from morula.eager.objects.construction import dataclass_init, dataclass_of
from morula.eager.replay.random_state import is_random_draw
from morula.errors import NotDifferentiable, describe, no_source, refused
from morula.static.tiers.dispatch import is_compiled_class, is_decorator
from morula.transform import SourceUnavailable, template_of

ndarray = np.ndarray
Pair = tuple[Any, Any]


DESCRIPTORS = (MethodDescriptorType, WrapperDescriptorType)  # methods of C types, unbound
WRITING_DRAWS = frozenset(
    {"shuffle", "permuted", "random", "standard_normal", "standard_exponential", "standard_gamma"}
)


QUESTIONS = ("scipy._lib._array_api", "scipy._lib.array_api", "scipy._external.array_api")


PROGRAM: list[Callable[..., Pair]] = []  # how a program in place of a function is followed, once the verbs are there


def wraps_user_code(f: FunctionType, args: tuple) -> bool:
    """Whether a library's function works for a function of the user (`contextmanager`, `singledispatch` ...)."""
    captured = [cell.cell_contents for cell in f.__closure__ or () if not is_empty(cell)]
    return any(
        type(g) is FunctionType and not is_library_code(g) for g in (getattr(f, "__wrapped__", None), *captured, *args)
    )


def cached_function(f: Any) -> Any:
    """What a wrapper of `functools.lru_cache` calls; its ``__wrapped__`` may have been set to something else."""
    return next(g for g in gc.get_referents(f) if callable(g) and not isinstance(g, type))


class Calls(Part):
    """How a reverse context calls things."""

    __slots__ = ()

    # -- the general call ---------------------------------------------------------------------------------

    def call(self, f: Any, args: tuple, ds: tuple, kw: dict | None = None, kw_d: dict | None = None) -> Pair:
        """``f(*args, **kw)``."""
        kind = type(f)
        if kind is FunctionType and not kw:
            known = self.plain_twins.get(f)
            if known is not None and len(args) == known[1]:
                return known[0](self, *args, *ds)
            if meaning_of(f).is_plain and (twin := self._direct_twin(f, len(args))) is not None:
                self.plain_twins[f] = (twin, len(args))
                return twin(self, *args, *ds)
        elif self.ways and not kw and (ways := self.ways.get(id(f))) is not None:  # of a compiled function
            found = ways[0].call(self, f, args, ds)
            if found is not None:
                return found
        kw = kw or {}
        kw_d = kw_d or {}
        if kind is MethodType:
            if f.__name__ == "_make" and isinstance(f.__self__, type) and hasattr(f.__self__, "_fields"):
                return self.class_method(f.__self__, "_make", args, ds, kw, kw_d)
            return self.call(f.__func__, (f.__self__, *args), (self.shadow_in_object(f, "__self__"), *ds), kw, kw_d)
        if kind in PARTIALS:
            return self._call_partial(f, args, ds, kw, kw_d)
        meaning = meaning_of(f)
        if meaning.is_plain:
            return self.call_function(f, args, ds, kw, kw_d)
        if meaning.adjoint is not None:
            return self.apply_rule(f, meaning.adjoint, args, ds, kw, kw_d, opaque=True)
        rule = meaning.array_rule
        if rule is not None and kind in ARRAY_FUNCTIONS and not has_out(f, args, kw):
            found = self._quick_rule(f, rule, args, ds, kw, kw_d)
            if found is not None:
                return found
            rule = None
        if kind in ASKING and not UNASKED.issuperset(map(type, args)):
            found = self.overridden(f, args, ds, kw, kw_d)
            if found is not None:
                return found
        if kind in ARRAY_FUNCTIONS and has_out(f, args, kw):
            written = self.call_with_out(f, args, ds, kw, kw_d)
            if written is not None:
                return written
        if meaning.handler is not None:
            return meaning.handler(self, args, ds, kw, kw_d)
        if rule is not None:
            found = self._quick_rule(f, rule, args, ds, kw, kw_d)
            if found is not None:
                return found
        if kind in INSTANCE_HANDLERS:
            return INSTANCE_HANDLERS[kind](self, (f, *args), (None, *ds), kw, kw_d)
        if meaning.constant:
            return self._plain(f, args, ds, kw, kw_d)
        if meaning.rules:
            found = self._try_rules(f, args, ds, kw, kw_d)
            if found is not None:
                return found
        if meaning.substitute is not None:
            return self.call_function(meaning.substitute, args, ds, kw, kw_d)
        if meaning.program is not None:
            return PROGRAM[0](self, f, meaning.program, args, ds, kw, kw_d)
        if kind is FunctionType:
            return self.call_python(f, args, ds, kw, kw_d)
        if isinstance(f, type):
            return self.construct(f, args, ds, kw, kw_d)
        if is_compiled_class(kind):
            from morula.static.numba.calls import call_compiled

            return call_compiled(self, f, args, ds, kw, kw_d)
        if kind in DESCRIPTORS and args and isinstance(args[0], f.__objclass__):
            if container_of(f.__objclass__) is not None:
                return self.container_method(args[0], ds[0], f.__name__, args[1:], ds[1:], kw, kw_d)
            if type(args[0]) in ATOMS and (type(args[0]) is f.__objclass__ or isinstance(args[0], np.generic)):
                return self.method(args[0], ds[0], f.__name__, args[1:], ds[1:], kw, kw_d)
            if f.__objclass__ is float:  # of a class of its own
                return self.method(float.__float__(args[0]), ds[0], f.__name__, args[1:], ds[1:], kw, kw_d)
        if kind is MethodWrapperType:
            if container_of(type(f.__self__)) is not None:
                own = self.shadow_in_object(f, "__self__")
                return self.container_method(f.__self__, own, f.__name__, args, ds, kw, kw_d)
            return self.method(f.__self__, None, f.__name__, args, ds, kw, kw_d)
        if kind is BuiltinFunctionType:
            owner = f.__self__
            if isinstance(owner, type) and f.__name__ in ("fromkeys", "__new__"):
                return self.class_method(owner, f.__name__, args, ds, kw, kw_d)
            if container_of(type(owner)) is not None:
                own = self.shadow_in_object(f, "__self__")
                return self.container_method(owner, own, f.__name__, args, ds, kw, kw_d)
            if owner is not None and not isinstance(owner, ModuleType | type) and hasattr(type(owner), f.__name__):
                return self.method(owner, None, f.__name__, args, ds, kw, kw_d)
        if isinstance(f, functools._lru_cache_wrapper):
            implementation = cached_function(f)
            # a memo table outlives the call and holds plain values: with active data the function itself runs
            if not self.any_active((implementation, *args), (None, *ds), kw, kw_d):
                return self.opaque(f, args, kw), None
            return self._memoised(f, args, ds, kw, kw_d)
        if kind is np.ufunc and (function := function_of(f)) is not None:
            if self.any_active((function, *args), (None, *ds), kw, kw_d):
                return call_elements(self, f, function, args, ds, kw)
            return self.opaque(f, args, kw), None
        if has_method(kind, "__call__"):
            how = class_attribute(kind, "__call__")
            if type(how) is staticmethod:
                return self.call(kind.__call__, args, ds, kw, kw_d)
            if is_descriptor(how):
                bound, _ = self.call(type(how).__get__, (how, f, kind), (None, None, None))
                return self.call(bound, args, ds, kw, kw_d)
            return self.call(kind.__call__, (f, *args), (None, *ds), kw, kw_d)
        if kind is property and args:  # a special method that is a property of its class: Python binds it
            return self.call(self.call1(f.fget, args[0], ds[0])[0], args[1:], ds[1:], kw, kw_d)
        if not callable(f):
            return f(*args, **kw), None  # raises
        if self.any_active(args, ds, kw, kw_d) or self.shadow_of(f, None) is not None or self.reaches_through_c(f):
            if args and rearranges(args[0], getattr(f, "__name__", "")):
                return self.rearranged(args[0], f.__name__, args[1:], ds[1:], kw, kw_d)
            raise no_rule(f)
        return self.opaque(f, args, kw), None

    def _plain(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A call that is declared non-differentiable: its result is apart from active memory."""
        if is_random_draw(f, args) and self.any_active(args, ds, kw, kw_d):
            raise NotDifferentiable(
                f"{describe(f)} was given active parameters, and its draws are not a smooth function of them. Draw "
                "from a distribution whose draws are (normal, uniform, exponential, ...), or make the parameters "
                "constant with chainrules.ignore_derivatives"
            )
        writes = isinstance(f, FunctionType) or getattr(f, "__name__", "") in WRITING_DRAWS
        module = getattr(f, "__module__", None) or ""
        # those of the rules themselves, and SciPy's questions about arrays, write into nothing
        if not writes or meaning_of(f).rules or is_library_rule(f) or module.startswith(QUESTIONS):
            y = f(*args, **kw)
        elif library_of(f) == "numpy":  # which calls ``write``, ``__len__`` and the like
            y = watched(self, f, args, kw, lambda: self.opaque(f, args, kw))
        else:
            y = self.opaque(f, args, kw)
        if type(y) is ndarray and self.buffers.find(y) is not None:
            y = y.copy()
        if type(y) is not bool and type(y) is not int and any(map(holds_objects, args)):
            if getattr(y, "dtype", OBJECT).kind not in "biu" and self.any_active(args, ds, kw, kw_d):
                raise no_rule(f)  # it may hand on the objects themselves
        return y, None

    def _memoised(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A function under `functools.lru_cache`, with a memo table of this run, which keeps shadows too.

        An argument that is equal to an earlier one and depends otherwise on the inputs is another argument.
        """
        table = self.memo.setdefault(f, {})
        key = (args, tuple(sorted(kw.items())), tuple(map(id, ds)), tuple(id(kw_d.get(k)) for k in sorted(kw)))
        found = table.pop(key, None)
        if found is None:
            # what stands beside the pair keeps the identities in the key their own
            found = (self.call(cached_function(f), args, ds, kw, kw_d), ds, kw_d)
            size = f.cache_parameters()["maxsize"]
            if size is not None and len(table) >= size:
                if size == 0:
                    return found[0]
                del table[next(iter(table))]
        table[key] = found
        return found[0]

    def _call_partial(self, f: functools.partial, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        frozen_d = tuple(self.shadow_in_object(f, ("args", i)) for i in range(len(f.args)))
        written = self.records.of(f.keywords)  # by whoever has read it as a dict
        if written is not None:
            keywords_d = {k: self.records.part(written, k, v) for k, v in f.keywords.items()}
        else:
            keywords_d = {k: self.shadow_in_object(f, ("keywords", k)) for k in f.keywords}
        if len(args) < sum(x is PLACEHOLDER for x in f.args):
            return f(*args, **kw), None  # raises
        every, every_d = around(f, f.args, args), around(f, frozen_d, ds)
        return self.call(f.func, every, every_d, {**f.keywords, **kw}, {**keywords_d, **kw_d})

    def shadow_in_object(self, o: Any, key: Any) -> Any:
        record = self.records.of(o)
        return None if record is None else record.slots.get(key)

    # -- Python functions and classes ---------------------------------------------------------------------

    def call_python(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A Python function: its twin, or the function itself where it is a library's and nothing is active."""
        if type(f) is not FunctionType:
            if isinstance(f, type):
                return self.construct(f, args, ds, kw, kw_d)
            raise no_rule(f)
        if is_decorator(f):  # it keeps a function, whatever that captures
            return f(*args, **kw), None
        if (
            is_library_code(f)
            and not f.__code__.co_flags & CO_GENERATOR  # what it yields may be active only later
            and not self.any_active(args, ds, kw, kw_d)
            and not self.twins.captures_paired(f)
            and (is_concurrent(f) or not wraps_user_code(f, args))
        ):
            return self.opaque(f, args, kw), None
        if is_numpy_code(f) and not is_plain_numpy_code(f) and not wraps_user_code(f, ()):
            if not self.any_active(args, ds, kw, kw_d):
                return self.opaque(f, args, kw), None
            raise no_rule(f, *args)
        if is_concurrent(f) or (self.elsewhere and is_queue(f)):
            raise NotDifferentiable(
                f"{describe(f)} hands active values to another thread, process or event loop, where they cannot be "
                "followed; compute them here, and hand over the results"
            )
        return self.call_function(f, args, ds, kw, kw_d)

    def _may_reach(self, f: FunctionType, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> bool:
        """Whether a function that cannot be transformed may meet something active."""
        return self.any_active(args, ds, kw, kw_d) or self.twins.captures_paired(f) or self.reads_active_state(f)

    def call_function(self, f: FunctionType, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if args and is_generated_init(f):
            owner = dataclass_of(f, args[0])
            if owner is not None:  # its defaults have shadows, which its byte code does not know
                dataclass_init(self, owner, args[0], args[1:], ds[1:], kw, kw_d)
                return None, None
        try:
            template = template_of(f)
        except SourceUnavailable as reason:
            if self._may_reach(f, args, ds, kw, kw_d):
                raise no_source(f, str(reason)) from None
            return self.opaque(f, args, kw), None
        if template.code is None:
            assert template.refused is not None
            if self._may_reach(f, args, ds, kw, kw_d):
                raise refused(*template.refused, f)
            return self.opaque(f, args, kw), None
        twin = self.twin_of(f, template)
        if template.simple and not kw and len(args) == len(template.parameters):
            result = twin(self, *args, *ds)
        else:
            values, shadows = self.twins.binding(f, template)(self, args, ds, kw, kw_d)
            result = twin(self, *values, *shadows)
        return (self.generator(result, f.__name__), None) if template.is_generator else result
