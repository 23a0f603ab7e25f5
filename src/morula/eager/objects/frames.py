"""Frames of callers and their variables, and attributes that compiled descriptors have Python functions compute."""

import gc
import sys
import types
from collections.abc import Callable
from typing import Any

from morula.eager.containers.activity import SHADOW_NAME
from morula.eager.context.kinds import C_ATTRIBUTES
from morula.eager.context.part import Part
from morula.eager.objects.class_attributes import class_attribute
from morula.errors import NotDifferentiable
from morula.frames import is_engine_frame
from morula.transform.build import CTX

Pair = tuple[Any, Any]
C_PROPERTIES: dict[type, Callable[..., Pair]] = {}  # descriptors written in C -> how to run their Python functions


class Frames(Part):
    """What a program reads off the frames of its callers."""

    __slots__ = ()

    def frame(self, depth: int = 0) -> types.FrameType:
        """``sys._getframe(depth)``, counting the frames of the user's."""
        found = sys._getframe(1)
        for _ in range(depth):
            back, _ = self.frame_attribute(found, "f_back")
            if back is None:
                raise ValueError("call stack is not deep enough")
            found = back
        return found

    def frame_attribute(self, frame: types.FrameType, name: str) -> Pair:
        """The frame of the user's that called, or the variables of one."""
        if name == "f_back":
            back = frame.f_back
            while back is not None and is_engine_frame(back.f_globals):
                back = back.f_back
            return back, None
        found = dict(frame.f_locals)
        if found.pop(CTX, None) is self:  # of a twin, whose variables have shadows beside them
            suffix = max((m[0] for m in map(SHADOW_NAME.search, found) if m), key=lambda m: (len(m), m), default="_d")
            shadows = {n: found.pop(n) for n in list(found) if n.endswith(suffix)}
            self.new_dict(found, {n: shadows.get(n + suffix) for n in found})
            return found, None
        if self.frame_reaches(frame, set()):
            raise NotDifferentiable("active values are read from a frame (f_locals); use the variables themselves")
        return frame.f_locals, None

    def computed_in_c(self, o: Any, o_d: Any, name: str) -> Pair:
        """``o.name``, which C code computes, or has a Python function compute."""
        how = class_attribute(type(o), name)
        if not isinstance(how, C_ATTRIBUTES):
            read = C_PROPERTIES.get(type(how))
            if read is not None:
                return read(self, how, o, o_d)
            if any(type(f) is types.FunctionType for f in gc.get_referents(how)):
                self.refuse_if_active(o, o_d, f"the attribute {name!r}, which C code has a Python function compute,")
        return self.c_attribute(o, o_d, name, getattr(o, name))
