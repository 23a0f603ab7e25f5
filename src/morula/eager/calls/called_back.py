"""Functions written in C that call methods of the user's: a file's ``write``, a metaclass's ``__instancecheck__`` ...

Where such a method can reach active values it is called from here, transformed; where it cannot, C calls it as ever.
"""

import functools
import sys
import types
from typing import Any

import numpy as np

from morula.eager.calls.registry import structural
from morula.eager.context.kinds import ATOMS, has_method, is_library_code, is_plain_object
from morula.eager.context.protocol import Context
from morula.eager.objects.class_attributes import class_attribute
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable, describe

Pair = tuple[Any, Any]
UNCOUNTED = (int, bool, str, bytes, type(None))  # new values of these types carry no derivative


@structural(print)
def _print(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    file = kw.get("file") if kw.get("file") is not None else sys.stdout
    if not has_method(type(file), "write") or not ctx.reaches_active(file, set()):
        return watched(ctx, print, args, kw), None
    sep, end = (" " if kw.get(k) is None else kw[k] for k in ("sep", "end"))
    end = "\n" if kw.get("end") is None else end
    for i, a in enumerate(args):
        if i:
            ctx.method(file, None, "write", (sep,), (None,))
        ctx.method(file, None, "write", (str(a),), (None,))
    ctx.method(file, None, "write", (end,), (None,))
    if kw.get("flush"):
        ctx.method(file, None, "flush", (), ())
    return None, None


def _type_check(f: Any, hook: str) -> None:
    """``isinstance`` and ``issubclass``, which a metaclass may define, or a class by a ``__class__`` of its own."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if len(args) != 2 or kw:
            return f(*args, **kw), None  # raises
        x, of = args
        if type(of) is type and type(class_attribute(type(x), "__class__")) is not property:
            return f(x, of), None
        if isinstance(of, tuple):
            return any(handler(ctx, (x, each), (ds[0], None), {}, {})[0] for each in of), None
        check = getattr(type(of), hook, None)
        if type(check) is types.FunctionType and not is_library_code(check) and type(x) is not of:
            return bool(ctx.call(check, (of, x), (None, ds[0]))[0]), None
        said = class_attribute(type(x), "__class__")
        if f is isinstance and isinstance(said, property) and said.fget is not None:
            if isinstance(of, type) and issubclass(type(x), of):
                return True, None
            return issubclass(ctx.call(said.fget, (x,), (ds[0],))[0], of), None
        return f(x, of), None

    structural(f)(handler)


_type_check(isinstance, "__instancecheck__")
_type_check(issubclass, "__subclasscheck__")


def watched(ctx: Context, f: Any, args: tuple, kw: dict, call: Any = None) -> Any:
    """``f(*args, **kw)`` of a function that may only look at what is active; `call` is how it is called.

    Raises:
        NotDifferentiable: a method of one of its arguments stored what may be active.
    """
    call = functools.partial(f, *args, **kw) if call is None else call
    objects = [a for a in (*args, *kw.values()) if type(a) not in ATOMS and may_store(a)]
    if not objects or not any(ctx.reaches_active(a, set()) for a in objects):
        return call()
    before = imprint(*objects)
    y = call()
    if changed(before, imprint(*objects), UNCOUNTED):
        raise NotDifferentiable(
            f"{describe(f)} called a method that stored values where they cannot be followed; store them in a "
            "method that the program calls directly"
        )
    return y


def may_store(x: Any) -> bool:
    """Whether C code that looks at `x` may run code of the user's."""
    return is_plain_object(x) or (isinstance(x, dict) and type(x) is not dict)


def _hook_setter(f: Any) -> None:
    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        for a in (*args, *kw.values()):
            ctx.refuse_hook(a, f, "")
        return f(*args, **kw), None

    structural(f)(handler)


for _set in (np.seterrcall, sys.settrace, sys.setprofile, sys.addaudithook):
    _hook_setter(_set)


def holds_floats(x: Any) -> bool:
    """Whether an object that NumPy would call ``__float__`` of lies in a list or tuple, at any depth."""
    if ATOMS.issuperset(map(type, x)):
        return False
    return any(holds_floats(v) if type(v) in (list, tuple) else is_float_like(v) for v in x)


def is_float_like(x: Any) -> bool:
    return is_plain_object(x) and has_method(type(x), "__float__") and not hasattr(type(x), "__array__")


def floats_of(x: Any) -> Any:
    """What NumPy reads in a list of objects with ``__float__``: a plain body, which is transformed."""
    if isinstance(x, list | tuple):
        return [floats_of(v) for v in x]
    return float(x) if is_float_like(x) else x
