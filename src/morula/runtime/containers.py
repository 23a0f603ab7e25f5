"""Lists, dicts, tuples and sets: their operators and methods move shadows as they move items."""

import collections
import copy
import gc
from collections.abc import Iterable
from typing import Any

import numpy as np

from morula.errors import NotDifferentiable
from morula.runtime.part import Part
from morula.runtime.records import Record
from morula.runtime.registry import CONTAINER_METHODS

ndarray = np.ndarray
Pair = tuple[Any, Any]


class Containers(Part):
    """What a reverse context knows about Python's own containers."""

    __slots__ = ()

    # -- building -----------------------------------------------------------------------------------------

    def packed(self, shadows: tuple) -> Any:
        """The shadow of a tuple with these parts."""
        return None if all(s is None for s in shadows) else shadows

    def spread(self, xs: Any, xs_d: Any) -> tuple[Iterable, Iterable]:
        """``*xs``: items and their shadows."""
        if type(xs) is tuple:
            return xs, xs_d if xs_d is not None else (None,) * len(xs)
        pairs = list(self.iter(xs, xs_d))
        return [p[0] for p in pairs], [p[1] for p in pairs]

    def spread_dict(self, d: Any, d_d: Any) -> tuple[dict, dict]:
        """``**d``: the mapping as a plain dict, and the shadows of its values."""
        if isinstance(d, dict):
            return d, self._dict_shadows(d)
        found: dict = {}
        shadows: dict = {}
        for key, _ in self.iter(*self.call(type(d).keys, (d,), (d_d,))):
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

    def setted(self, items: list, shadows: list) -> Pair:
        return set(items), None

    def dicted(self, items: dict, shadows: dict) -> Pair:
        self.new_dict(items, shadows)
        return items, None

    def unpack(self, xs: Any, xs_d: Any, before: int, after: int) -> tuple[tuple, tuple]:
        """``a, b = xs`` (after < 0) or ``a, *b, c = xs``: values and shadows."""
        kind = type(xs)
        if kind is tuple:
            values, shadows = list(xs), list(xs_d) if xs_d is not None else [None] * len(xs)
        elif kind is ndarray and xs.ndim == 1 and len(xs) == before and after < 0:
            shadow = xs_d if xs_d is not None else self.buffers.find(xs)
            if shadow is None:
                return tuple(xs), (None,) * before
            nodes = tuple([[0, shadow, i, None] for i in range(before)])
            self.tape.extend(nodes)
            return tuple(xs), nodes
        else:
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
        """``+`` and ``*`` of sequences, ``|`` of dicts; None where this is no operator of containers."""
        if name == "add" and isinstance(x, list) and isinstance(y, list):
            z = x + y
            self.new_list(z, [*self._list_shadows(x), *self._list_shadows(y)])
            return z, None
        if name == "add" and isinstance(x, tuple) and isinstance(y, tuple):
            none_x, none_y = (None,) * len(x), (None,) * len(y)
            return x + y, self.packed((x_d or none_x) + (y_d or none_y))
        if name == "mul" and isinstance(y, list | tuple):
            x, x_d, y, y_d = y, y_d, x, x_d
        if name == "mul" and isinstance(x, list) and isinstance(y, int):
            z = x * y
            self.new_list(z, self._list_shadows(x) * y)
            return z, None
        if name == "mul" and isinstance(x, tuple) and isinstance(y, int):
            return x * y, None if x_d is None else self.packed(x_d * y)
        if name == "or_" and isinstance(x, dict) and isinstance(y, dict):
            merged = x | y
            self.new_dict(merged, {**self._dict_shadows(x), **self._dict_shadows(y)})
            return merged, None
        if name == "mod" and isinstance(x, str | bytes):
            return x % y, None
        return None

    def sequence_in_place(self, name: str, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair | None:
        """``xs += ys``, ``d |= e`` and the like."""
        if type(x) is list and name == "add":
            self.list_extend(x, y, y_d)
            return x, None
        if type(x) is list and name == "mul":
            shadows = self._list_shadows(x) * y
            x *= y
            self._set_shadows(x, shadows)
            return x, None
        if isinstance(x, dict) and name == "or_":
            self.dict_update(x, y, y_d)
            return x, None
        if isinstance(x, set):
            y = set(y) if isinstance(y, set) else y
            return {"or_": x.__ior__, "and_": x.__iand__, "sub": x.__isub__, "xor": x.__ixor__}[name](y), None
        return None

    def _list_shadows(self, xs: list) -> list:
        record = self.records.list_of(xs)
        return [None] * len(xs) if record is None else record.slots

    def _dict_shadows(self, d: dict) -> dict:
        if self.records.of(d) is None:
            return dict.fromkeys(d)
        slots = self.shadows_of_items(d)
        return {k: slots.get(k) for k in d}

    def _set_shadows(self, xs: list, shadows: list) -> None:
        record = self.records.of(xs)
        if record is not None or any(s is not None for s in shadows):
            if record is None:
                record = self.records.table[id(xs)] = Record(xs, shadows, False)
            record.slots = list(shadows)

    # -- lists --------------------------------------------------------------------------------------------

    def list_setitem(self, xs: list, key: Any, v: Any, v_d: Any) -> None:
        shadows = list(self._list_shadows(xs))
        if type(key) is slice:
            pairs = list(self.iter(v, v_d))
            xs[key] = [p[0] for p in pairs]
            shadows[key] = [p[1] for p in pairs]
            self._set_shadows(xs, shadows)
            return
        xs[key] = v
        record = self.records.of(xs)
        if record is not None:
            record.slots[key] = v_d
        elif v_d is not None:
            shadows[key] = v_d
            self._set_shadows(xs, shadows)

    def list_delitem(self, xs: list, key: Any) -> None:
        record = self.records.list_of(xs)
        del xs[key]
        if record is not None:
            del record.slots[key]

    def list_extend(self, xs: list, more: Any, more_d: Any) -> None:
        pairs = list(self.iter(more, more_d))
        shadows = [*self._list_shadows(xs), *(p[1] for p in pairs)]
        xs.extend(p[0] for p in pairs)
        self._set_shadows(xs, shadows)

    def list_method(self, xs: list, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``xs.name(*args)``."""
        record = self.records.list_of(xs)
        if name == "append":
            xs.append(*args)
            if record is not None:
                record.slots.append(ds[0])
            elif ds[0] is not None:
                self._set_shadows(xs, [None] * (len(xs) - 1) + [ds[0]])
            return None, None
        if name == "extend":
            self.list_extend(xs, args[0], ds[0])
            return None, None
        if name == "insert":
            shadows = list(self._list_shadows(xs))
            xs.insert(*args)
            shadows.insert(args[0], ds[1])
            self._set_shadows(xs, shadows)
            return None, None
        if name == "pop":
            y = xs.pop(*args)
            return y, None if record is None else record.slots.pop(*args)
        if name == "remove":
            i = xs.index(*args)
            self.list_delitem(xs, i)
            return None, None
        if name == "clear":
            xs.clear()
            if record is not None:
                record.slots.clear()
            return None, None
        if name == "reverse":
            xs.reverse()
            if record is not None:
                record.slots.reverse()
            return None, None
        if name == "sort":
            ordered, _ = self.call(sorted, (xs,), (None,), kw, kw_d)
            shadows = list(self._list_shadows(ordered))
            xs[:] = ordered
            self._set_shadows(xs, shadows)
            return None, None
        if name == "copy":
            y = xs.copy()
            self.new_list(y, list(self._list_shadows(xs)))
            return y, None
        return self._dunder_method(xs, name, args, ds, kw)  # index and count too

    def _dunder_method(self, o: Any, name: str, args: tuple, ds: tuple, kw: dict) -> Pair:
        """``o.__setitem__(k, v)`` and the like, called by name, of a list or a dict."""
        if name == "__setitem__":
            self.setitem(o, None, args[0], args[1], ds[1])
            return None, None
        if name == "__getitem__":
            return self.getitem(o, None, args[0], ds[0])
        if name == "__delitem__":
            self.delitem(o, None, args[0])
            return None, None
        operation = {"__add__": "add", "__mul__": "mul", "__rmul__": "mul", "__or__": "or_"}.get(name)
        if operation is not None:
            found = self.sequence_operator(operation, o, None, args[0], ds[0])
            return found if found is not None else (NotImplemented, None)
        operation = {"__iadd__": "add", "__imul__": "mul", "__ior__": "or_"}.get(name)
        if operation is not None:
            found = self.sequence_in_place(operation, o, None, args[0], ds[0])
            return found if found is not None else (NotImplemented, None)
        if name == "__iter__":
            return self.call1(iter, o, None)
        return getattr(o, name)(*args, **kw), None

    # -- dicts --------------------------------------------------------------------------------------------

    def dict_update(self, d: dict, other: Any, other_d: Any) -> None:
        if isinstance(other, dict):
            pairs = [(k, other[k], s) for k, s in self._dict_shadows(other).items()]
        else:
            pairs = []
            for item, item_d in self.iter(other, other_d):
                (k, v), (_, v_d) = self.unpack(item, item_d, 2, -1)
                pairs.append((k, v, v_d))
        for k, v, s in pairs:
            self.setitem(d, None, k, v, s)

    def dict_method(self, d: dict, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``d.name(*args)``."""
        record = self.records.of(d)
        slots = self.shadows_of_items(d) if record is not None else {}
        if name in ("get", "setdefault", "pop"):
            key = args[0]
            if key in d:
                y = d.pop(key) if name == "pop" else d[key]
                return y, slots.pop(key, None) if name == "pop" else slots.get(key)
            y = getattr(d, name)(*args)
            y_d = ds[1] if len(ds) > 1 else None
            if name == "setdefault" and y_d is not None:
                self.records.make(d).slots[key] = y_d
            return y, y_d
        if name == "values":
            return d.values(), None  # a view is live: whoever iterates it asks for the shadows then
        if name == "items":
            return d.items(), None
        if name == "popitem":
            key, value = d.popitem(*args, **kw)
            shadow = slots.pop(key, None)
            return (key, value), None if shadow is None else (None, shadow)
        if name == "update":
            if args:
                self.dict_update(d, args[0], ds[0])
            for k, v in kw.items():
                self.setitem(d, None, k, v, kw_d.get(k))
            return None, None
        if name == "clear":
            d.clear()
            slots.clear()
            return None, None
        if name == "copy":
            y = copy.copy(d)
            self.new_dict(y, dict(slots))
            return y, None
        if name == "move_to_end":
            d.move_to_end(*args, **kw)  # type: ignore[attr-defined]
            return None, None
        return self._dunder_method(d, name, args, ds, kw)

    # -- tuples -------------------------------------------------------------------------------------------

    def tuple_method(self, xs: Any, xs_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``xs.name(*args)`` of a tuple or named tuple, for methods written in C or generated."""
        if name == "__getitem__":
            return self.getitem(xs, xs_d, args[0], ds[0])
        if name in ("__add__", "__mul__", "__rmul__", "__iter__"):
            if name == "__iter__":
                return self.call1(iter, xs, xs_d)
            found = self.sequence_operator("add" if name == "__add__" else "mul", xs, xs_d, args[0], ds[0])
            return found if found is not None else (NotImplemented, None)
        fields = getattr(xs, "_fields", None)
        if fields is None or name not in ("_replace", "_asdict", "_make"):
            return getattr(xs, name)(*args, **kw), None
        shadows = xs_d or (None,) * len(xs)
        if name == "_asdict":
            d = xs._asdict()
            self.new_dict(d, dict(zip(fields, shadows, strict=True)))
            return d, None
        if name == "_make":
            values, shadows = self.spread(args[0], ds[0])
            return xs._make(values), self.packed(tuple(shadows))
        made = xs._replace(**kw)
        return made, self.packed(tuple(kw_d.get(n) if n in kw else s for n, s in zip(fields, shadows, strict=True)))

    def shadows_of_items(self, d: dict) -> dict:
        """Shadows of the items of a dict with a record, those of an input's attributes made on the way."""
        record = self.records.of(d)
        assert record is not None
        if record.lifted and record.obj is not d:
            for k, v in d.items():
                self.records.part(record, k, v)
        return record.slots

    def dict_view_pairs(self, view: Any) -> Iterable[Pair]:
        """The items of ``d.values()`` or ``d.items()``, with the shadows that they have when they are reached."""
        (d,) = (x for x in gc.get_referents(view) if isinstance(x, dict))
        items = isinstance(view, type({}.items()))
        for key, value in d.items():
            record = self.records.of(d)
            shadow = None if record is None else self.records.part(record, key, value)
            if items:
                yield (key, value), None if shadow is None else (None, shadow)
            else:
                yield value, shadow


def _plain_container(ctx: Any, o: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """A method of a container that keeps no shadows: it may hold what is found by identity, but no active numbers."""
    if any(d is not None for d in (*ds, *kw_d.values())):
        raise NotDifferentiable(
            f"{type(o).__qualname__}.{name} was given active values, which are not followed into a "
            f"{type(o).__qualname__} yet; use a list or a dict"
        )
    if name in ("extend", "extendleft", "update") and args:
        pairs = list(ctx.iter(args[0], None))
        if any(d is not None for _, d in pairs):
            raise NotDifferentiable(f"active values are not followed into a {type(o).__qualname__} yet; use a list")
        args = ([v for v, _ in pairs], *args[1:])
    return getattr(o, name)(*args, **kw), None


for _kind in (collections.deque, set, frozenset):
    CONTAINER_METHODS[_kind] = _plain_container
