"""How an attribute of an instance is found, by its class and name."""

from __future__ import annotations

import functools
import types
import weakref
from typing import Any

import numpy as np

from morula.eager.containers.parts import MISSING
from morula.eager.context.kinds import ATOMS, has_method
from morula.eager.objects.class_attributes import class_attribute, is_descriptor, is_of_c


class _Kind:
    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name


PLAIN = _Kind("an instance attribute, a slot or a class attribute")
OF_C = _Kind("an attribute that a class written in C computes")
NUMBER = _Kind("an attribute of a number")
TUPLE = _Kind("an attribute of a tuple")
OUTSIDE = _Kind("an attribute of something that holds nothing active")
FRAME = _Kind("the variables of a frame")
FALLBACK = _Kind("found by __getattr__")
ITEM = _Kind("found by dict.__getitem__, of a dict whose items are attributes")
SUPER = _Kind("an attribute of super()")
CUSTOM = _Kind("found by a __getattribute__ of the user's own")
CLASS_STATE = _Kind("an attribute of the class, which is active, or an instance attribute over it")
PROXIED = _Kind("an attribute of what a weak proxy stands for")
OF_CLASS = _Kind("an attribute of a class itself")
OF_MODULE = _Kind("an attribute of a module")
KINDS = (
    PLAIN,
    OF_C,
    NUMBER,
    TUPLE,
    OUTSIDE,
    FRAME,
    FALLBACK,
    CUSTOM,
    SUPER,
    ITEM,
    CLASS_STATE,
    PROXIED,
    OF_CLASS,
    OF_MODULE,
)


def attribute_kind(kind: type, name: str) -> Any:
    """One of the constants above, or the property or other descriptor of the user's that answers."""
    if kind is types.FrameType and name in ("f_locals", "f_back"):
        return FRAME
    if kind in weakref.ProxyTypes:
        return PROXIED
    if issubclass(kind, int | float | complex | np.generic):
        return _answered_by_class(kind, name) or NUMBER
    if issubclass(kind, tuple):
        return _answered_by_class(kind, name) or (TUPLE if hasattr(kind, "_fields") else PLAIN)
    if issubclass(kind, type):
        return OF_CLASS
    if issubclass(kind, types.ModuleType):
        return OF_MODULE
    if kind in ATOMS:
        return OUTSIDE
    if kind is super:
        return SUPER
    if (how := _answered_by_class(kind, name)) is not None:
        return how
    found = class_attribute(kind, name)
    if found is MISSING:
        return ITEM if getattr(kind, "__getattr__", None) is dict.__getitem__ else PLAIN
    if isinstance(found, types.FunctionType | classmethod | staticmethod):
        return PLAIN
    return OF_C if is_of_c(found) else PLAIN


def _answered_by_class(kind: type, name: str) -> Any:
    """What code of the user's answers: a property or another descriptor, or a hook; None where there is none."""
    if has_method(kind, "__getattribute__"):
        return CUSTOM
    found = class_attribute(kind, name)
    if found is MISSING:
        return FALLBACK if has_method(kind, "__getattr__") else None
    if isinstance(found, property | functools.cached_property):
        return found
    if isinstance(found, types.FunctionType | classmethod | staticmethod) or is_of_c(found):
        return None
    return found if is_descriptor(found) else None
