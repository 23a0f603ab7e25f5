"""Calls: which meaning a callable has, and how its arguments' shadows travel."""

import functools
import gc
from inspect import CO_GENERATOR
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from chainrules import is_constant
from morula.eager.calls.called_back import watched
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.opaque import is_concurrent, is_queue, library_of
from morula.eager.calls.registry import is_library_rule, no_rule
from morula.eager.calls.steps import steps_of
from morula.eager.context.kinds import (
    ATOMS,
    HASHABLE_CALLABLES,
    PLACEHOLDER,
    around,
    is_empty,
    is_generated_init,
    is_library_code,
    is_numpy_code,
    is_plain_numpy_code,
    module_of,
)
from morula.eager.context.part import Part
from morula.eager.numpy.array_subclasses import is_overriding
from morula.eager.numpy.object_arrays import OBJECT, holds_objects
from morula.eager.objects.construction import dataclass_init, dataclass_of
from morula.eager.replay.random_state import is_random_draw
from morula.errors import NotDifferentiable, describe, no_source, refused
from morula.static.tiers.dispatch import is_decorator
from morula.transform import SourceUnavailable, template_of

ndarray = np.ndarray
Pair = tuple[Any, Any]


WRITING_DRAWS = frozenset(
    {"shuffle", "permuted", "random", "standard_normal", "standard_exponential", "standard_gamma"}
)


QUESTIONS = ("scipy._lib._array_api", "scipy._lib.array_api", "scipy._external.array_api")


def is_only_read(a: Any) -> bool:
    """Whether an argument is nothing that a library's function could write into or call: numbers, text, shapes."""
    return type(a) in ATOMS or is_constant(a) or (type(a) is tuple and ATOMS.issuperset(map(type, a)))


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
            entry = self.plain_twins.get(f)
            if entry is None:
                entry = self.plain_twins[f] = self.plain_twin(f)
            if len(args) == entry[1]:
                return entry[0](self, *args, *ds)
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
        for step in self.steps[f] if kind in HASHABLE_CALLABLES else steps_of(f):
            found = step(self, f, args, ds, kw, kw_d)
            if found is not None:
                return found
        raise AssertionError(f"no step answers a call of {describe(f)}")

    def constant_call(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A call that is declared non-differentiable: its result is apart from active memory."""
        if is_random_draw(f, args) and self.any_active(args, ds, kw, kw_d):
            raise NotDifferentiable(
                f"{describe(f)} was given active parameters, and its draws are not a smooth function of them. Draw "
                "from a distribution whose draws are (normal, uniform, exponential, ...), or make the parameters "
                "constant with chainrules.ignore_derivatives"
            )
        writes = isinstance(f, FunctionType) or getattr(f, "__name__", "") in WRITING_DRAWS
        module = module_of(f)
        # those of the rules themselves, and SciPy's questions about arrays, write into nothing
        if not writes or meaning_of(f).rules or is_library_rule(f) or module.startswith(QUESTIONS):
            y = f(*args, **kw)
        elif library_of(f) in ("numpy", "random"):  # which calls ``write``, ``__len__`` and the like
            if all(map(is_only_read, args)) and all(map(is_only_read, kw.values())):
                y = f(*args, **kw)
            else:
                y = watched(self, f, args, kw, lambda: self.opaque(f, args, kw))
        else:
            y = self.opaque(f, args, kw)
        if type(y) is ndarray and self.buffers.find(y) is not None:
            y = y.copy()
        if type(y) is not bool and type(y) is not int and any(map(holds_objects, args)):
            if getattr(y, "dtype", OBJECT).kind not in "biu" and self.any_active(args, ds, kw, kw_d):
                raise no_rule(f)  # it may hand on the objects themselves
        return y, None

    def memoised_call(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A function under `functools.lru_cache`, with a memo table of this run, which keeps shadows too.

        The table of the function's own outlives the call and holds plain values: with active data the function itself
        runs. An argument that is equal to an earlier one and depends otherwise on the inputs is another argument.
        """
        implementation = cached_function(f)
        if not self.any_active((implementation, *args), (None, *ds), kw, kw_d):
            return self.opaque(f, args, kw), None
        table = self.memo.setdefault(f, {})
        key = (args, tuple(sorted(kw.items())), tuple(map(id, ds)), tuple(id(kw_d.get(k)) for k in sorted(kw)))
        found = table.pop(key, None)
        if found is None:
            # what stands beside the pair keeps the identities in the key their own
            found = (self.call(implementation, args, ds, kw, kw_d), ds, kw_d)
            size = f.cache_parameters()["maxsize"]
            if size is not None and len(table) >= size:
                if size == 0:
                    return found[0]
                del table[next(iter(table))]
        table[key] = found
        return found[0]

    def partial_call(self, f: functools.partial, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
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
            and not self.refers_weakly(f)
            and not f.__code__.co_flags & CO_GENERATOR  # what it yields may be active only later
            and not self.any_active(args, ds, kw, kw_d)
            and not self.twins.captures_paired(f)
            and (is_concurrent(f) or not wraps_user_code(f, args))
        ):
            return self.opaque(f, args, kw), None
        if is_numpy_code(f) and not is_plain_numpy_code(f) and not wraps_user_code(f, ()):
            if not self.any_active(args, ds, kw, kw_d):
                return self.opaque(f, args, kw), None
            public = getattr(np, f.__name__, None)
            if getattr(public, "_implementation", None) is f:  # `np.unwrap.__wrapped__`, say
                return self.call(public, args, ds, kw, kw_d)
            if not any(is_overriding(type(a)) for a in (*args, *kw.values())):  # whose functions it calls in turn
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
        template = self.twins.templates.get(f)
        if template is None:
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
