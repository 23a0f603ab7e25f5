"""Python's own containers: building them, unpacking them, their operators; tuples."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from morula.eager.calls.called_back import watched
from morula.eager.containers.container_types import CONTAINERS, SEQUENCES, container_of
from morula.eager.containers.dict_keys import DictKeys
from morula.eager.containers.dicts import Dicts, dict_of_view, is_read_directly
from morula.eager.containers.lists import Lists
from morula.eager.containers.sets import KEYS, Sets
from morula.eager.containers.tuples import Tuples
from morula.eager.context.kinds import ATOMS, c_method, has_method
from morula.eager.objects.copies import REDUCERS
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]


class Containers(Tuples, Lists, Dicts, DictKeys, Sets):
    """What a reverse context knows about Python's own containers."""

    __slots__ = ()

    # -- building -----------------------------------------------------------------------------------------

    def spread(self, xs: Any, xs_d: Any) -> tuple[Iterable, Iterable]:
        """``*xs``: items and their shadows."""
        if type(xs) is tuple:
            return xs, xs_d if xs_d is not None else (None,) * len(xs)
        pairs = list(self.iter(xs, xs_d))
        return [p[0] for p in pairs], [p[1] for p in pairs]

    def spread_dict(self, d: Any, d_d: Any) -> tuple[dict, dict]:
        """``**d``: the mapping as a plain dict, and the shadows of its values."""
        if is_read_directly(d):
            return d, self.dict_shadows(d)
        found: dict = {}
        shadows: dict = {}
        if not hasattr(d, "keys"):
            raise TypeError(f"argument after ** must be a mapping, not {type(d).__name__}")
        for key, _ in self.iter(*self.method(d, d_d, "keys", (), ())):
            found[key], shadows[key] = self.getitem(d, d_d, key, None)
        return found, shadows

    def merge_keywords(self, *parts: dict) -> dict:
        """The keyword arguments of a call, each name once."""
        merged: dict = {}
        for part in parts:
            for key, value in part.items():
                if not isinstance(key, str):
                    raise TypeError("keywords must be strings")
                if key in merged:
                    raise TypeError(f"got multiple values for keyword argument {key!r}")
                merged[key] = value
        return merged

    def listed(self, items: list, shadows: list) -> Pair:
        self.new_list(items, shadows)
        return items, None

    def dicted(self, items: dict, shadows: dict) -> Pair:
        self.new_dict(items, shadows)
        return items, None

    def unpack(self, xs: Any, xs_d: Any, before: int, after: int) -> tuple[tuple, tuple]:
        """``a, b = xs`` (after < 0) or ``a, *b, c = xs``: values and shadows."""
        kind = type(xs)
        if kind is tuple:
            values, shadows = list(xs), list(xs_d) if xs_d is not None else [None] * len(xs)
        elif kind is ndarray and xs.dtype.names is None and xs.ndim == 1 and len(xs) == before and after < 0:
            shadow = xs_d if xs_d is not None else self.buffers.find(xs)
            if shadow is None:
                return tuple(xs), (None,) * before
            nodes = tuple([[0, shadow, i, None] for i in range(before)])
            for node in nodes:
                self.append(node)
            return tuple(xs), nodes
        else:
            if not hasattr(kind, "__iter__") and not hasattr(kind, "__getitem__"):
                raise TypeError(f"cannot unpack non-iterable {kind.__name__} object")
            pairs = []
            for pair in self.iter(xs, xs_d):
                pairs.append(pair)
                if after < 0 and len(pairs) > before:
                    break
            values, shadows = [p[0] for p in pairs], [p[1] for p in pairs]
        n = len(values)
        if after < 0:
            if n > before:
                raise ValueError(f"too many values to unpack (expected {before})")
            if n < before:
                raise ValueError(f"not enough values to unpack (expected {before}, got {n})")
            return tuple(values), tuple(shadows)
        if n < before + after:
            raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {n})")
        stop = n - after
        middle = values[before:stop]
        self.new_list(middle, shadows[before:stop])
        return (
            (*values[:before], middle, *values[stop:]),
            (*shadows[:before], None, *shadows[stop:]),
        )

    # -- operators ----------------------------------------------------------------------------------------

    def sequence_operator(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair | None:
        """An operator of containers as C gives it, whatever overrides it; None where this is none."""
        kind, other = container_of(type(x)), container_of(type(y))
        if name == "mod":
            if not isinstance(x, str | bytes):
                return None
            given = y if type(y) is tuple else (y,)
            if isinstance(x, bytes) and any(type(v) is np.ndarray and self.buffers.find(v) is not None for v in given):
                raise NotDifferentiable("formatting an active array as bytes would lose its derivative")
            if ATOMS.issuperset(map(type, given)):
                return x % y, None
            return watched(self, x.__mod__, given, {}, lambda: x % y), None
        if name == "mul":
            if kind is None:
                kind, x, x_d, y, other = other, y, y_d, x, kind
            if kind not in SEQUENCES or not hasattr(type(y), "__index__"):
                return None
            if kind is tuple:
                return tuple.__mul__(x, y), None if x_d is None else self.packed(x_d * y)
            return self._combined_slots(kind.__mul__(x, y), kind, self.records.slots_of(x), y)
        if name == "add":
            if kind is not other or kind not in SEQUENCES:
                return None
            if kind is tuple:
                none_x, none_y = (None,) * len(x), (None,) * len(y)
                return tuple.__add__(x, y), self.packed((x_d or none_x) + (y_d or none_y))
            slots = self.records.slots_of
            return self._combined_slots(kind.__add__(x, y), kind, slots(x), slots(y))
        if kind is dict and other is dict and name == "or_":
            z = c_method(type(x), "__or__")(x, y)
            if z is NotImplemented:
                return None
            self.new_dict(z, {**self.dict_shadows(x), **self.dict_shadows(y)})
            self.copy_keys(z, x, y)
            return z, None
        if name in ("or_", "and_", "sub", "xor"):
            for a, b in ((x, y), (y, x)):
                if isinstance(a, KEYS) and (self.shadow_of(b, None) is not None or self._items_active(a)):
                    raise NotDifferentiable(
                        "a set operator combines a view of a dict with active values; make sets of both"
                    )
            return self.set_operator(name, x, y)
        return None

    def _items_active(self, view: Any) -> bool:
        return self.keys_active(dict_of_view(view)) or (
            isinstance(view, KEYS[1]) and self.shadow_of(view, None) is not None
        )

    def _combined_slots(self, z: Any, kind: Any, slots: Any, more: Any) -> Pair:
        """``x + y`` or ``x * n`` of a list or a deque: the same operator gives the shadows."""
        if z is not NotImplemented:
            shadows = slots + more if isinstance(more, kind) else slots * more
            if any(s is not None for s in shadows):
                self.records.make(z).slots = shadows
        return z, None

    def overrides_operator(self, name: str, x: Any, y: Any) -> bool:
        """Whether the class of an operand has the operator in Python."""
        plain = name.rstrip("_")
        return has_method(type(x), f"__{plain}__") or has_method(type(y), f"__r{plain}__")

    def sequence_in_place(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair | None:
        """``xs += ys``, ``d |= e`` and the like; None where this is no operator of containers, or overridden."""
        kind = container_of(type(x))
        if kind is None or has_method(type(x), f"__i{name.rstrip('_')}__") or self.overrides_operator(name, x, y):
            return None
        return CONTAINERS[kind].in_place(self, name, x, y, y_d)

    # -- methods ------------------------------------------------------------------------------------------

    def container_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``o.name(*args, **kw)`` as C defines it for the container that `o` is, or inherits from."""
        if name in OBJECT_METHODS:
            return self.object_method(o, o_d, name, args, ds)
        if name in REDUCERS:
            return self.reducer(o, o_d, name, args, ds)
        container: Any = container_of(type(o))
        return CONTAINERS[container].method(self, o, o_d, name, args, ds, kw, kw_d)

    def object_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple) -> Pair:
        """The methods of `object` that look at attributes."""
        if name == "__getattribute__":
            return self.object_getattribute(o, o_d, *args)
        if name == "__setattr__":
            self.object_setattr(o, args[0], args[1], ds[-1])
            return None, None
        return getattr(object, name)(o, *args), None

    def container_pairs(self, base: Any, xs: Any, xs_d: Any, backwards: bool = False) -> Iterable[Pair]:
        """The items of a container as C iterates it, whatever its class overrides."""
        return CONTAINERS[base].pairs(self, xs, xs_d, backwards)


OBJECT_METHODS = frozenset({"__getattribute__", "__setattr__", "__delattr__"})
