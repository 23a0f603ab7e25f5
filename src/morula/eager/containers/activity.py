"""Whether something active lies in a value, and the shadow of a value as a rule needs it."""

import functools
import gc
import re
import types
import weakref
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from chainrules import is_constant
from morula.eager.containers.container_types import ALL, CONTAINERS, container_of
from morula.eager.containers.dicts import dict_of_view
from morula.eager.containers.iteration import DICT_VIEWS
from morula.eager.containers.parts import parts_of, parts_of_code
from morula.eager.context.kinds import ATOMS, fields_of, functions_of_member
from morula.eager.context.part import Part
from morula.eager.memory.foreign_memory import held_in_c
from morula.static.tiers.dispatch import is_compiled_class

ndarray = np.ndarray


ARRAY_ITERATORS = (np.nditer, np.broadcast, np.flatiter)
SHADOW_NAME = re.compile(r"_d\d*$")  # of a twin's variable


class Activity(Part):
    """Questions about shadows."""

    __slots__ = ()

    def array_shadow(self, x: Any, x_d: Any) -> Any:
        if x_d is not None or type(x) is not ndarray:
            return x_d
        return self.buffers.find(x) if x.dtype.kind != "O" else self.objects_shadow(x)

    def shadow_of(self, x: Any, x_d: Any) -> Any:
        """The shadow of a value as a rule needs it: a structure for tuples and lists, a record for an object."""
        if x_d is not None or type(x) in ATOMS:
            return x_d if not (type(x_d) is tuple and isinstance(x, tuple)) else self.tuple_shadow(x, x_d)
        if isinstance(x, ndarray):
            return self.objects_shadow(x) if x.dtype.kind == "O" else self.buffers.find(x)
        if isinstance(x, ALL):
            return CONTAINERS[container_of(type(x))].shadow(self, x)
        record = self.records.of(x)
        if record is not None and record.is_active():
            return record
        if type(x) is types.GeneratorType:
            return self.pairs_of(x)
        if isinstance(x, DICT_VIEWS):
            return self.shadow_of(dict_of_view(x), None)
        return None

    def tuple_shadow(self, xs: Any, shadows: Any) -> Any:
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
        if self.state and isinstance(x, type | types.ModuleType):
            return self.state_reaches(x)
        if type(x) in ATOMS or id(x) in seen or is_constant(x):
            return False
        seen.add(id(x))
        if isinstance(x, ndarray):
            if self.buffers.find(x) is not None or (type(x) is not ndarray and self.attributes_reach(x, seen)):
                return True
            return x.dtype.kind == "O" and any(self.reaches_active(v, seen) for v in x.flat)
        if type(x) is FunctionType:
            return self._function_reaches(x, seen)
        if type(x) in ARRAY_ITERATORS:
            return any(self.buffers.find(a) is not None for a in iterated_arrays(x))
        if type(x) is MethodType and self.shadow_in_object(x, "__self__") is not None:
            return True
        if type(x) is MethodType or is_compiled_class(type(x)):
            return any(self.reaches_active(v, seen) for v in parts_of_code(x) or ())
        if type(x) is types.GeneratorType:
            pairs = self.pairs_of(x)
            return self.frame_reaches((x if pairs is None else pairs).gi_frame, seen)
        if isinstance(x, DICT_VIEWS):
            return any(self.reaches_active(v, seen) for v in gc.get_referents(x))
        if self.records.keys and isinstance(x, dict) and self.keys_active(x):
            return True
        record = self.records.of(x)
        if record is not None and record.is_active():
            return True
        if self.state and self.state_reaches(type(x)):
            return True
        if isinstance(x, functools.partial | weakref.ref) or type(x) in weakref.ProxyTypes:
            return any(self.reaches_active(v, seen) for v in parts_of_code(x) or ())
        if self.class_captures(type(x), seen):
            return True
        if isinstance(x, BaseException):  # not its traceback, whose frames hold everything
            parts = (*x.args, *vars(x).values(), x.__cause__, x.__context__)
            return any(self.reaches_active(v, seen) for v in parts)
        if isinstance(x, types.TracebackType | types.FrameType):
            return False
        if type(x).__module__ in ("builtins", "itertools", "collections") and container_of(type(x)) is None:
            return any(self.reaches_active(v, seen) for v in gc.get_referents(x) if not isinstance(v, type))
        if any(self.reaches_active(v, seen) for v in parts_of(x)):
            return True
        return any(self.reaches_active(v, seen) for v in held_in_c(x))

    def _function_reaches(self, f: FunctionType, seen: set[int]) -> bool:
        if self.twins.captures_active(f) or any(s is not None for s in self.twins.default_shadows(f).values()):
            return True
        if self.reads_active_state(f, seen):
            return True
        if self.attributes_reach(f, seen):
            return True
        return any(self.reaches_active(v, seen) for v in parts_of_code(f) or ())

    def attributes_reach(self, x: Any, seen: set[int]) -> bool:
        """Whether an attribute of a function or of an array is, or holds, something active."""
        attributes = fields_of(x)
        if not attributes:
            return False
        record = self.records.of(x)
        if record is not None and record.is_active():
            return True
        return any(self.reaches_active(v, seen) for v in list(attributes.values()))

    def frame_reaches(self, frame: Any, seen: set[int]) -> bool:
        """Whether code that runs, or that waits to go on, can see anything active."""
        if frame is None:
            return False
        return any(
            (value is not None)
            if SHADOW_NAME.search(name)
            else (value is not self and self.reaches_active(value, seen))
            for name, value in dict(frame.f_locals).items()
        )

    def class_captures(self, cls: type, seen: set[int]) -> bool:
        """Whether a method of a class made inside a function captures something active."""
        return "<locals>" in cls.__qualname__ and any(
            isinstance(f, FunctionType) and self.reaches_active(f, seen)
            for base in cls.__mro__
            if "<locals>" in base.__qualname__
            for member in list(vars(base).values())
            for f in functions_of_member(member)
        )


def iterated_arrays(iterator: Any) -> Any:
    """The arrays that an iterator of NumPy's reads."""
    if type(iterator) is np.nditer:
        return iterator.operands
    return [i.base for i in iterator.iters] if type(iterator) is np.broadcast else [iterator.base]
