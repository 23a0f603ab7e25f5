"""``copy.copy`` and ``copy.deepcopy``: their own Python code runs transformed, over what is said here of objects."""

import copy
import copyreg
from collections import defaultdict
from typing import Any

import numpy as np

from morula.eager.calls.registry import structural
from morula.eager.containers.container_types import CONTAINERS, container_of
from morula.eager.containers.parts import attribute_names
from morula.eager.containers.sequences import NEW
from morula.eager.context.kinds import ATOMS, fields_of, has_method, is_plain_object, plain_number
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.memory.foreign_memory import is_foreign_class
from morula.eager.objects.construction import is_namedtuple_method

Pair = tuple[Any, Any]
NEW_BY_NAMES: Any = copyreg.__newobj_ex__  # type: ignore[attr-defined]
NEW_ARGUMENTS = ("__getnewargs_ex__", "__getnewargs__")
REDUCERS = frozenset({"__reduce_ex__", "__reduce__", "__getstate__", "__setstate__"})


class Copies(Part):
    """How an object with active parts says what it is made of, where that is written in C."""

    __slots__ = ()

    def reducer(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple) -> Pair:
        """``o.__reduce_ex__(protocol)`` and kin."""
        kind = type(o)
        if name == "__reduce_ex__" and has_method(kind, "__reduce__"):
            return self.call(kind.__reduce__, (o,), (o_d,))
        ours = is_plain_object(o) and not is_foreign_class(kind)
        is_ours = container_of(kind) is not None or ours or isinstance(o, BaseException)
        if not is_ours or (name == "__reduce_ex__" and args != (4,)):
            self.refuse_if_active(o, o_d, f"{kind.__qualname__}.{name}")
            return getattr(o, name)(*args), None
        if name == "__getstate__":
            return self._state(o)
        if name == "__setstate__":
            for key, value, shadow in self._entries(*args):
                self.setattr(o, None, key, value, shadow)
            return None, None
        return self.rebuilt(o, o_d)

    def _entries(self, state: Any) -> list:
        return [] if state is None else [(k, v, self.dict_shadows(state)[k]) for k, v in state.items()]

    def rebuilt(self, o: Any, o_d: Any) -> Pair:
        """Function, arguments, state, items and entries, as the module `copyreg` describes them."""
        cls: Any = type(o)
        container = container_of(cls)
        items = entries = None
        if isinstance(o, BaseException):
            record = self.records.of(o)
            make, args = cls, o.args
            args_d = (record.slots.get("args") if record is not None else None) or ()
        elif container is not None:
            make, args, args_d, items, entries = CONTAINERS[container].taken_apart(self, o, o_d)
            if any(has_method(cls, name) and not is_namedtuple_method(cls, name) for name in NEW_ARGUMENTS):
                make, args, args_d = self._made_by(o, o_d)
        else:
            make, args, args_d = self._made_by(o, o_d)
        if has_method(cls, "__getstate__"):
            state, state_d = self.call1(cls.__getstate__, o, o_d)
        else:
            state, state_d = (None, None) if isinstance(o, defaultdict) else self._state(o)
        parts_d = (None, self.packed(args_d), state_d, None, None)
        return (make, args, state, items, entries), self.packed(parts_d)

    def _made_by(self, o: Any, o_d: Any) -> tuple[Any, tuple, tuple]:
        """What makes an object of its class, with which arguments, and their shadows."""
        cls: Any = type(o)
        if has_method(cls, "__getnewargs_ex__"):
            (args, named), given_d = self.call1(cls.__getnewargs_ex__, o, o_d)
            return NEW_BY_NAMES, (cls, args, named), (None, *(given_d or (None, None)))
        if has_method(cls, "__getnewargs__"):
            args, args_d = self.call1(cls.__getnewargs__, o, o_d)
            return NEW, (cls, *args), (None, *(args_d or (None,) * len(args)))
        if isinstance(o, int | float | complex):
            return NEW, (cls, plain_number(o)), (None, o_d)
        own: Any = next((kind for kind in (str, bytes) if isinstance(o, kind)), None)
        args = () if own is None else own.__getnewargs__(o)
        return NEW, (cls, *args), (None,) * (1 + len(args))

    def _state(self, o: Any) -> Pair:
        """``object.__getstate__``: the attributes, those in slots apart."""
        fields = fields_of(o)
        state = self.dict_of(o) if fields else None
        slots = {name: self.getattr(o, None, name) for name in attribute_names(o) if name not in fields}
        if not slots:
            return state, None
        values = {name: value for name, (value, _) in slots.items()}
        self.new_dict(values, {name: shadow for name, (_, shadow) in slots.items()})
        return (state, values), None


def _transformed(f: Any) -> None:
    """Copying of what holds something active, or runs code of the user's own, goes through the twin of `f`."""
    hook = f"__{f.__name__}__"

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if args and type(args[0]) in ATOMS:
            return args[0], ds[0]
        if ctx.any_active(args, ds, kw, kw_d) or (args and has_method(type(args[0]), hook)):
            return ctx.call_function(f, args, ds, kw, kw_d)
        return f(*args, **kw), None

    structural(f)(handler)


_transformed(copy.copy)
_transformed(copy.deepcopy)
structural(np.ndarray.__copy__, np.ndarray.__deepcopy__)(
    lambda ctx, args, ds, kw, kw_d: ctx.call(np.copy, args[:1], ds[:1], {"subok": True}, {"subok": None})
)
