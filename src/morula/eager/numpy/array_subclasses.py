"""Subclasses of arrays: shadows are of the memory, so the class is only a way to look at it.

What NumPy does with one is done with its memory as a plain array, and the result looked at through the class that
NumPy gives it. Attributes that ``__array_finalize__`` hands on keep their shadows; what it computes of active ones is
refused.
"""

import os
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from chainrules import reason_unsupported
from morula.eager.context.kinds import has_method
from morula.eager.context.part import Part
from morula.eager.operators.operations import OPERATOR, UFUNC
from morula.errors import NotDifferentiable, describe

ndarray = np.ndarray
Pair = tuple[Any, Any]
# Array methods that write into the array itself.
WRITERS = frozenset(
    "fill sort partition put itemset resize setfield setflags byteswap __setitem__ __iadd__ __isub__ __imul__ "
    "__itruediv__ __ifloordiv__ __imod__ __ipow__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__".split()
)
OBJECT = np.dtype(object)
# NumPy's functions in C take what lies under a mask as any other number, those in Python may not.
HIDDEN = (
    "is given a masked array with hidden elements, which other functions than those of numpy.ma may take for numbers: "
    "use the function of this name in numpy.ma, a method of the array, or numpy.where"
)
# NumPy's functions that call the method of the same name, where a class has one, or work by its items.
METHODS = (os.path.join("_core", "fromnumeric.py"), os.path.join("lib", "_shape_base_impl.py"))
PROTOCOL = ("__array_ufunc__", "__array_function__")


def is_transparent(cls: Any) -> bool:
    """Whether a class is one of arrays, to which NumPy's functions mean what they mean to plain ones."""
    if not issubclass(cls, ndarray) or cls is ndarray:
        return False
    if cls is np.memmap or cls is np.matrix or is_masked_class(cls):
        return True
    if is_overriding(cls):
        return False
    return reason_unsupported(np.add, ndarray.__new__(cls, 0)) is None


def is_overriding(cls: Any) -> bool:
    """Whether a class is one of arrays, and says itself what NumPy's functions mean to it."""
    return (
        issubclass(cls, ndarray)
        and cls is not ndarray
        and any(has_method(cls, name) and getattr(cls, name) is not None for name in PROTOCOL)
        and not is_masked_class(cls)
    )


def is_masked_class(cls: Any) -> bool:
    """Whether a class is one of masked arrays: NumPy's Python code over a plain array and a mask, which is followed."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and issubclass(cls, masked.MaskedArray)


def hides_something(x: Any) -> bool:
    """Whether an argument is a masked array with a hidden element, or a list with one."""
    if type(x) is list or type(x) is tuple:
        return any(map(hides_something, x))
    return isinstance(x, ndarray) and is_masked_class(type(x)) and bool(np.any(np.ma.getmask(x)))


def is_matrix(x: Any) -> bool:
    """Whether `x` is an `numpy.matrix`, which rules do not take: it is seen as the array that it lies in."""
    return type(x) is np.matrix


def is_subclass(x: Any) -> bool:
    return isinstance(x, ndarray) and type(x) is not ndarray and (is_transparent(type(x)) or is_overriding(type(x)))


class ArraySubclasses(Part):
    """Arrays of classes of their own in a reverse context."""

    __slots__ = ()

    def active_matrix(self, x: Any) -> bool:
        """Whether `x` is an `numpy.matrix` of active memory."""
        return is_matrix(x) and self.buffers.find(x) is not None

    def through_plain(self, run: Callable, again: Callable, args: tuple, ds: tuple) -> Pair:
        """A call of NumPy's of subclasses.

        Args:
            run: gives the value, of whatever class, from the arguments.
            again: gives value and shadow from plain arrays and their shadows.
            args: the arguments, some of which are subclasses.
            ds: their shadows.
        """
        y = run(*args)
        plain = [as_plain(a) for a in args]
        z, z_d = again(*plain, *(None if p is not a else d for p, a, d in zip(plain, args, ds, strict=True)))
        return self.seen_as(z, z_d, y, args)

    def seen_as(self, z: Any, z_d: Any, y: Any, args: tuple) -> Pair:
        """The value `z` in the classes that NumPy gave its twin `y`."""
        if isinstance(z, tuple) or type(z) is list:
            parts = [self.seen_as(v, d, w, args) for v, d, w in zip(z, z_d or (None,) * len(z), y, strict=True)]
            values = [v for v, _ in parts]
            if type(z) is list:
                return self.listed(values, [d for _, d in parts])
            made = type(z)(*values) if hasattr(z, "_fields") else tuple(values)
            return made, self.packed(tuple([d for _, d in parts]))
        if not isinstance(y, ndarray) or type(y) is ndarray:
            if any(map(holds_masked, args)) and not same_numbers(y, z):
                raise NotDifferentiable(f"a function of NumPy's {HIDDEN}")
            return z, z_d
        if not isinstance(z, ndarray):
            z, z_d = self.call(np.asarray, (z,), (z_d,))
        if isinstance(y, np.matrix) and z.shape != y.shape:  # which always has two dimensions
            z, z_d = self.call(np.reshape, (z, y.shape), (z_d, None))
            if not np.array_equal(y.view(ndarray), z, equal_nan=y.dtype.kind in "fc"):
                raise NotDifferentiable("a function means something else to an np.matrix; use arrays and @")
        if self.array_shadow(as_plain(z), None) is None:
            if z_d is not None:
                raise NotDifferentiable(f"active values in an array of class {type(y).__qualname__} cannot be followed")
            self.finalized(y, args)
            return y, None
        if has_method(type(y), "__array_wrap__") and not same_numbers(y.view(ndarray), z):
            raise NotDifferentiable(
                f"{type(y).__qualname__}.__array_wrap__ computes other numbers; it must pass them on unchanged"
            )
        if np.may_share_memory(y, z):
            seen = y
        else:
            seen = as_plain(z).view(type(y))
            seen.__dict__.clear()
            seen.__dict__.update(y.__dict__)
        self.finalized(seen, args)
        return seen, None

    def finalized(self, y: ndarray, args: tuple) -> None:
        """The attributes that a new array has from those of `args` have their shadows."""
        for x in args:
            record = self.records.attributes_of(x) if is_subclass(x) else None
            if record is None:
                continue
            active = {name: s for name, s in record.slots.items() if s is not None}
            for name, value in getattr(y, "__dict__", {}).items():
                if name in active and value is getattr(x, name, None):
                    self.records.make_attributes(y).slots[name] = active[name]
                elif active and type(value) in (float, complex, np.float64) and value is not getattr(x, name, None):
                    raise NotDifferentiable(
                        f"{type(y).__qualname__}.__array_finalize__ computes {name!r} beside active attributes; it "
                        "must pass them on unchanged"
                    )

    def subclass_operate1(self, name: str, x: Any, x_d: Any) -> Pair:
        """A unary operator."""
        if is_overriding(type(x)):
            return self.call(UFUNC[name], (x,), (x_d,))
        return self.through_plain(OPERATOR[name], lambda a, a_d: self.operate1(name, a, a_d), (x,), (x_d,))

    def subclass_operate(self, op: Any, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        """A binary operator."""
        if is_overriding(type(x)) or is_overriding(type(y)):
            return self.call(UFUNC[op.name], (x, y), (x_d, y_d))
        again = getattr(self, op.name)
        return self.through_plain(op.plain, lambda a, b, a_d, b_d: again(a, a_d, b, b_d), (x, y), (x_d, y_d))

    def subclass_in_place(self, op: Any, x: ndarray, y: Any, y_d: Any) -> Pair:
        """``x op= y``."""
        if any(is_overriding(type(v)) and has_method(type(v), "__array_ufunc__") for v in (x, y)):
            return self.call(UFUNC[op.name], (x, y), (None, y_d), {"out": (x,)}, {})
        self.array_in_place(op, as_plain(x), None, as_plain(y), None if is_subclass(y) else y_d)
        return x, None

    def _matrix_item(self, x: ndarray, key: Any, key_d: Any) -> Pair:
        """``x[key]``: a number, or a matrix; vectors are rows, and columns where the second of two indices is one."""
        y, y_d = self.getitem(x.view(ndarray), None, as_plain(key), key_d)
        if type(y) is not ndarray:
            return y, y_d
        if y.ndim == 1:
            is_column = isinstance(key, tuple) and len(key) > 1 and np.isscalar(key[1])
            y, y_d = self.call(np.reshape, (y, (-1, 1) if is_column else (1, -1)), (y_d, None))
        return y.view(np.matrix), None

    def subclass_item(self, o: ndarray, o_d: Any, key: Any, key_d: Any) -> Pair:
        """``o[key]``, which a class of the program's may define itself."""
        if type(o) is np.matrix:
            return self._matrix_item(o, key, key_d)
        if is_masked_class(type(o)):
            return self.call(type(o).__getitem__, (o, key), (o_d, key_d))
        if has_method(type(o), "__getitem__"):
            return self.special(type(o), "__getitem__", (o, key), (o_d, key_d))
        return self._item_in_memory(o, key, key_d)

    def _item_in_memory(self, o: ndarray, key: Any, key_d: Any) -> Pair:
        """``ndarray.__getitem__(o, key)``."""
        read: Any = ndarray.__getitem__
        return self.through_plain(
            lambda a: read(a, key), lambda a, a_d: self.getitem(a, a_d, key, key_d), (o,), (None,)
        )

    def subclass_method(self, o: ndarray, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``o.name(*args, **kw)`` of a method that arrays have."""
        if name in WRITERS or kw.get("out") is not None:
            y, y_d = self.array_method(as_plain(o), None, name, args, ds, kw, kw_d)
            return (o, None) if isinstance(y, ndarray) else (y, y_d)
        if name == "view":
            y = ndarray.view(o, *args, **kw)
            self.array_method(as_plain(o), None, "view", args, ds, kw, kw_d)  # refuses where that is not possible
            self.finalized(y, (o,))
            return y, None
        if name == "__getitem__" and len(args) == 1:
            return self._item_in_memory(o, args[0], ds[0])
        n = len(args)
        return self.through_plain(
            lambda a, *rest: getattr(a, name)(*rest, **kw),
            lambda a, *rest: self.array_method(a, None, name, rest[:n], rest[n + 1 :], kw, kw_d),
            (o, *args),
            (None, *ds),
        )

    def subclass_call(
        self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict, plain: Callable | None = None
    ) -> Pair:
        """A function of NumPy, which is called as `plain`."""
        n = len(args)
        own = getattr(f, "_implementation", None)
        if type(own) is FunctionType and any(map(holds_masked, args)):
            if is_masked_class(type(args[0])) and own.__code__.co_filename.endswith(METHODS):
                return self.call_function(own, args, ds, kw, kw_d)
            if any(map(hides_something, args)) and self.any_active(tuple(map(as_plain, args)), ds, kw, kw_d):
                raise NotDifferentiable(f"{describe(f)} {HIDDEN}")
        return self.through_plain(
            lambda *given: (plain or f)(*given, **kw),
            lambda *given: self.call(f, given[:n], given[n:], kw, kw_d),
            args,
            ds,
        )


def same_numbers(y: Any, z: Any) -> bool:
    return np.array_equal(y, z, equal_nan=getattr(y, "dtype", OBJECT).kind in "fc")


def as_plain(x: Any) -> Any:
    """The memory of subclasses as plain arrays, also in lists."""
    if type(x) is list or type(x) is tuple:
        parts = [as_plain(v) for v in x]
        return type(x)(parts) if any(p is not v for p, v in zip(parts, x, strict=True)) else x
    return x.view(ndarray) if is_subclass(x) else x


def holds_matrix(x: Any) -> bool:
    """Whether an argument is an `numpy.matrix`, or a list with one."""
    return any(map(holds_matrix, x)) if type(x) is list or type(x) is tuple else is_matrix(x)


def holds_subclass(x: Any) -> bool:
    """Whether an argument is an array of such a class, or a list with one."""
    if type(x) is list or type(x) is tuple:
        return any(map(holds_subclass, x))
    return is_subclass(x)


def holds_masked(x: Any) -> bool:
    """Whether an argument is a masked array, or a list with one."""
    if type(x) is list or type(x) is tuple:
        return any(map(holds_masked, x))
    return type(x) is not ndarray and isinstance(x, ndarray) and is_masked_class(type(x))
