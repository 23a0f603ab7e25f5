"""Dicts: their methods move the shadows of the values as they move the values."""

import collections
import gc
import types
from collections.abc import Iterator
from typing import Any

from morula.eager.calls.registry import C_METHODS
from morula.eager.containers.registry import CONTAINERS, Container
from morula.eager.containers.sequences import NEW, plain_method
from morula.eager.context.kinds import c_method, has_method
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]


class Dicts(Part):
    """What a reverse context knows of dicts, `OrderedDict` and `defaultdict` among them."""

    __slots__ = ()

    # -- shadows ------------------------------------------------------------------------------------------

    def new_dict(self, d: dict, shadows: dict) -> None:
        """Give a new dict the shadows of its values."""
        for s in shadows.values():
            if s is not None:
                self.records.make(d).slots = dict(shadows)
                return

    def shadows_of_items(self, d: dict) -> dict:
        """Shadows of the items of a dict with a record, those of an input's attributes made on the way."""
        record = self.records.of(d)
        if record is None:
            return {}
        if record.lifted and record.obj is not d:
            for k, v in dict.items(d):
                self.records.part(record, k, v)
        return record.slots

    def dict_shadows(self, d: dict) -> dict:
        """A shadow, or None, for every item."""
        slots = self.shadows_of_items(d)
        return {k: slots.get(k) for k in c_method(type(d), "__iter__")(d)}

    # -- views --------------------------------------------------------------------------------------------

    def dict_view_pairs(self, view: Any, backwards: bool = False) -> Iterator[Pair]:
        """The items of ``d.values()`` or ``d.items()``, with the shadows that they have when they are reached."""
        d = dict_of_view(view)
        items = isinstance(view, type({}.items()))
        entries = c_method(type(d), "items")(d)
        entries = reversed(entries) if backwards else iter(entries)

        def pairs() -> Iterator[Pair]:
            for entry in entries:
                key, value = entry
                record = self.records.of(d)
                shadow = None if record is None else self.records.part(record, key, value)
                if items:
                    key_d = self.key_shadow(d, key)
                    yield entry, None if shadow is None and key_d is None else (key_d, shadow)
                else:
                    yield value, shadow

        return pairs()

    def view_method(self, view: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``view.name(*args)`` of ``d.values()`` or ``d.items()``."""
        if name in ("__iter__", "__reversed__") and not args and not kw:
            return self.generator(self.dict_view_pairs(view, name == "__reversed__"), "dict_iterator"), None
        if name not in LOOKING:
            self.refuse_if_active(view, None, f"{type(view).__qualname__}.{name}")
        return getattr(view, name)(*args, **kw), None

    # -- subscripts ---------------------------------------------------------------------------------------

    def dict_getitem(self, d: Any, key: Any, key_d: Any = None) -> Pair:
        kind: Any = type(d)
        if kind is not dict and not dict.__contains__(d, key):
            if has_method(kind, "__missing__"):
                return self.call(kind.__missing__, (d, key), (None, key_d))
            if isinstance(d, collections.defaultdict):
                return self.missing(d, key, key_d)
        try:
            y = dict.__getitem__(d, key)
        except KeyError as error:
            self.missed(error, key, key_d)
            raise
        record = self.records.of(d)
        return y, None if record is None else self.records.part(record, key, y)

    def missing(self, d: collections.defaultdict, key: Any, key_d: Any = None) -> Pair:
        """``defaultdict.__missing__(d, key)``."""
        if d.default_factory is None:
            error = KeyError(key)
            self.missed(error, key, key_d)
            raise error
        value, shadow = self.call(d.default_factory, (), ())
        self.setitem(d, None, key, value, shadow, key_d)
        return value, shadow

    def dict_setitem(self, d: dict, key: Any, v: Any, v_d: Any, key_d: Any = None) -> None:
        if key_d is not None:
            self.note_key(d, key, key_d)
        if v_d is not None and "__builtins__" in d:
            d[key] = v
            self.write_state(d, key, v, v_d)
            return
        record = self.records.of(d)
        if record is not None and record.obj is not d:  # the __dict__ of an object
            record.about_to_write(key)
        if type(d) is dict:
            d[key] = v
        else:
            c_method(type(d), "__setitem__")(d, key, v)
        if v_d is not None:
            self.records.make(d).slots[key] = v_d
        elif record is not None:
            record.slots[key] = None

    def dict_delitem(self, d: dict, key: Any, key_d: Any = None) -> None:
        record = self.records.of(d)
        if record is not None and record.obj is not d:
            record.about_to_write(key)
        try:
            c_method(type(d), "__delitem__")(d, key)
        except KeyError as error:
            self.missed(error, key, key_d)
            raise
        if record is not None:
            record.slots.pop(key, None)

    # -- methods ------------------------------------------------------------------------------------------

    def dict_store(self, d: dict, key: Any, v: Any, v_d: Any, key_d: Any) -> None:
        """One item of an update: an `OrderedDict` goes through its own ``__setitem__``, a dict does not."""
        if isinstance(d, collections.OrderedDict):
            self.setitem(d, None, key, v, v_d, key_d)
        else:
            self.dict_setitem(d, key, v, v_d, key_d)

    def dict_update(self, d: dict, other: Any, other_d: Any) -> None:
        """``d.update(other)``."""
        store = self.dict_store
        if is_read_directly(other):
            for k, s in self.dict_shadows(other).items():
                store(d, k, dict.__getitem__(other, k), s, self.key_shadow(other, k))
        elif hasattr(type(other), "keys"):
            for key, key_d in self.iter(*self.method(other, other_d, "keys", (), ())):
                store(d, key, *self.getitem(other, other_d, key, key_d), key_d)
        else:
            for i, (item, item_d) in enumerate(self.iter(other, other_d)):
                try:
                    entry, entry_d = self.call(list, (item,), (item_d,))
                except TypeError:
                    if hasattr(type(item), "__iter__"):
                        raise
                    raise TypeError(f"cannot convert dictionary update sequence element #{i} to a sequence") from None
                if len(entry) != 2:
                    raise ValueError(f"dictionary update sequence element #{i} has length {len(entry)}; 2 is required")
                (key, key_d), (value, value_d) = self.iter(entry, entry_d)
                store(d, key, value, value_d, key_d)

    def proxy_method(self, proxy: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``proxy.name(*args)`` of a `types.MappingProxyType`: what the mapping behind it answers."""
        if name in READING:
            return self.method(mapping_of(proxy), None, name, args, ds, kw, kw_d)
        self.refuse_if_active(mapping_of(proxy), None, f"mappingproxy.{name}")
        return getattr(proxy, name)(*args, **kw), None

    def dict_method(self, d: Any, d_d: None, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``d.name(*args)``, for a method written in C."""
        if name == "get" and args and args[0] in d and type(d) is dict and not kw:
            return self.dict_getitem(d, args[0])
        plain = c_method(type(d), name)
        if (
            name in ("pop", "popitem", "setdefault")
            and isinstance(d, collections.OrderedDict)
            and has_own_items(type(d))
        ):
            for x in (d, *args):
                self.refuse_if_active(x, None, f"{name}() of a {type(d).__qualname__}, which calls its own methods,")
        if name in ("get", "setdefault", "pop"):
            return self._dict_lookup(d, name, plain, args, ds, kw, kw_d)
        if name in ("values", "items") and not args:
            return plain(d), None  # a view is live: whoever iterates it asks for the shadows then
        if name == "__init__" and isinstance(d, collections.defaultdict):
            collections.defaultdict.__init__(d, *self.callees(args[:1], ds[:1]))
            args, ds = args[1:], ds[1:]
        if name in ("update", "__init__") and len(args) < 2:
            if args:
                self.dict_update(d, args[0], ds[0])
            for k, v in kw.items():
                self.dict_store(d, k, v, kw_d.get(k), None)
            return None, None
        if name == "popitem":
            key, value = plain(d, *args, **kw)
            shadow = self.shadows_of_items(d).pop(key, None)
            key_d = self.key_shadow(d, key)
            return (key, value), None if shadow is None and key_d is None else (key_d, shadow)
        if name == "clear":
            record = self.records.of(d)
            if record is not None and record.obj is not d:
                for key in list(d):
                    record.about_to_write(key)
            plain(d, *args)
            self.shadows_of_items(d).clear()
            return None, None
        if name in ("copy", "__copy__") and not args:
            if isinstance(d, collections.OrderedDict | collections.defaultdict) and has_method(type(d), "__init__"):
                self.refuse_if_active(d, None, f"the copy of a {type(d).__qualname__}, whose class has a constructor,")
            y = plain(d)
            self.new_dict(y, self.dict_shadows(d))
            self.copy_keys(y, d)
            return y, None
        if name == "__getitem__":
            return self.dict_getitem(d, *args, *ds)
        if name == "__missing__":
            return self.missing(d, *args, *ds)
        if name == "__setitem__":
            key, v = args
            self.dict_setitem(d, key, v, ds[1], ds[0])
            return None, None
        if name == "__delitem__":
            self.dict_delitem(d, *args, *ds)
            return None, None
        if name in ("__or__", "__ror__") and len(args) == 1:
            x, y = (args[0], d) if name == "__ror__" else (d, args[0])
            found = self.sequence_operator("or_", x, None, y, None)
            return found if found is not None else (NotImplemented, None)
        if name == "__ior__":
            self.dict_update(d, *args, *ds)
            return d, None
        return plain_method(self, d, name, args, ds, kw, kw_d)

    def _dict_lookup(self, d: Any, name: str, plain: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``get``, ``setdefault`` and ``pop``: the item or the default."""
        key: Any = args[0] if args else kw.get("key")
        default_d = ds[1] if len(ds) > 1 else kw_d.get("default")
        found = (args or "key" in kw) and dict.__contains__(d, key)
        record = self.records.of(d)
        shadow = default_d
        if found:
            shadow = None if record is None else self.records.part(record, key, dict.__getitem__(d, key))
        if record is not None and record.obj is not d and name != "get":
            record.about_to_write(key)
        try:
            y = plain(d, *args, **kw)
        except KeyError as error:
            self.missed(error, key, ds[0] if ds else kw_d.get("key"))
            raise
        if name == "pop" and found and record is not None:
            record.slots.pop(key, None)
        elif name == "setdefault" and not found:
            if ds and ds[0] is not None:
                self.note_kept_key(d, key, ds[0])
            if shadow is not None:
                self.records.make(d).slots[key] = shadow
            elif record is not None:
                record.slots[key] = None
        return y, shadow


def has_own_items(kind: type) -> bool:
    """Whether a class says in Python how items are read and written."""
    return any(has_method(kind, name) for name in ("__getitem__", "__setitem__", "__delitem__"))


def is_read_directly(other: Any) -> bool:
    """Whether the items of a mapping are taken as they lie there, past the methods of its class."""
    kind = type(other)
    if not isinstance(other, dict) or has_method(kind, "__iter__"):
        return False
    overridden = has_method(kind, "keys") or has_method(kind, "__getitem__")
    return not (isinstance(other, collections.OrderedDict) and overridden)


def dict_of_view(view: Any) -> dict:
    (d,) = (x for x in gc.get_referents(view) if isinstance(x, dict))
    return d


def mapping_of(proxy: Any) -> Any:
    """The mapping behind a `types.MappingProxyType`."""
    (mapping,) = gc.get_referents(proxy)
    return mapping


READING = frozenset("get items keys values copy __getitem__ __iter__ __reversed__ __contains__ __len__".split())
LOOKING = frozenset("__len__ __contains__ __eq__ __ne__ __le__ __lt__ __ge__ __gt__ __repr__ isdisjoint".split())
for _make in (dict, collections.OrderedDict):
    C_METHODS[type(_make().values())] = C_METHODS[type(_make().items())] = Dicts.view_method
C_METHODS[types.MappingProxyType] = Dicts.proxy_method


def _taken_apart(ctx: Context, d: Any, _: Any) -> tuple:
    entries, _ = ctx.call1(iter, *ctx.method(d, None, "items", (), ()))
    if isinstance(d, collections.defaultdict):
        return type(d), () if d.default_factory is None else (d.default_factory,), (), None, entries
    if isinstance(d, collections.OrderedDict):
        return type(d), (), (), None, entries
    return NEW, (type(d),), (None,), None, entries


def _shadow(ctx: Context, d: dict) -> Any:
    record = ctx.records.of(d)
    keys = tuple(d)
    shadows = tuple(ctx.shadow_of(d[k], record.slots.get(k) if record is not None else None) for k in keys)
    return None if all(s is None for s in shadows) else (keys, shadows)


def _in_place(ctx: Context, name: str, d: dict, other: Any, other_d: Any) -> Pair | None:
    if name != "or_":
        return None
    ctx.dict_update(d, other, other_d)
    return d, None


def _fill(d: dict, items: Any) -> None:
    c_method(type(d), "clear")(d)
    c_method(type(d), "update")(d, items)


CONTAINERS[dict] = Container(
    parts=lambda d: list(dict.values(d)),  # its class may say something else of its values
    method=Dicts.dict_method,
    pairs=lambda ctx, d, _, backwards=False: ctx.key_pairs(d, backwards),
    shadow=_shadow,
    taken_apart=_taken_apart,
    places=lambda d: d.items(),
    slots=lambda d, shadows: dict(shadows),
    fill=_fill,
    in_place=_in_place,
)
