"""Dataclasses: their generated ``__init__`` has no source, so it is spelled out here."""

import dataclasses
import inspect
from types import FunctionType
from typing import Any


def is_dataclass_init(cls: type, init: Any) -> bool:
    """Whether `init` is the one that `dataclasses.dataclass` generated for `cls` or a base of it."""
    return (
        dataclasses.is_dataclass(cls)
        and type(init) is FunctionType
        and init.__code__.co_filename == "<string>"
        and any(b.__dict__.get("__init__") is init and "__dataclass_fields__" in b.__dict__ for b in cls.__mro__)
    )


def dataclass_init(ctx: Any, cls: Any, obj: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> None:
    """``obj.__init__(*args, **kw)`` as the documentation of `dataclasses` gives it."""
    owner = next(b for b in cls.__mro__ if b.__dict__.get("__init__") is cls.__init__)
    signature = inspect.signature(owner.__init__)
    bound = signature.bind(obj, *args, **kw).arguments
    shadows = signature.bind(None, *ds, **{k: kw_d.get(k) for k in kw}).arguments
    frozen = owner.__dataclass_params__.frozen
    post: list[Any] = []
    post_d: list[Any] = []
    for name, field in owner.__dataclass_fields__.items():
        kind = field._field_type.name
        if kind == "_FIELD_CLASSVAR":
            continue
        if field.init and name in bound:
            value, shadow = bound[name], shadows.get(name)
        elif field.default is not dataclasses.MISSING:
            value, shadow = field.default, None
            if not field.init and not frozen and "__slots__" not in owner.__dict__:
                continue  # stays the class attribute
        elif field.default_factory is not dataclasses.MISSING:
            value, shadow = ctx.call(field.default_factory, (), ())
        else:
            continue
        if kind == "_FIELD_INITVAR":
            post.append(value)
            post_d.append(shadow)
        elif frozen:
            ctx.object_setattr(obj, name, value, shadow)
        else:
            ctx.setattr(obj, None, name, value, shadow)
    if hasattr(cls, "__post_init__"):
        ctx.method(obj, None, "__post_init__", tuple(post), tuple(post_d))
