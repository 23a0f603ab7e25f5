"""Tuples, named ones too: their shadow is a tuple, which comes with the value."""

from collections.abc import Iterable
from typing import Any

from morula.eager.containers.registry import CONTAINERS, Container
from morula.eager.containers.sequences import NEW, operator_method, plain_method
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]


class Tuples(Part):
    """What a reverse context knows of tuples."""

    __slots__ = ()

    def packed(self, shadows: tuple) -> Any:
        """The shadow of a tuple with these parts."""
        return None if all(s is None for s in shadows) else shadows

    def tuple_method(self, xs: Any, xs_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``xs.name(*args)`` of a tuple or named tuple, for methods written in C or generated."""
        if name == "__getitem__":
            y = tuple.__getitem__(xs, *args)
            if xs_d is None:
                return y, None
            part = xs_d[args[0]]
            return y, self.packed(part) if isinstance(args[0], slice) else part
        fields = getattr(xs, "_fields", None)
        if fields is None or name not in ("_replace", "_asdict", "_make"):
            if kw or not hasattr(tuple, name):
                return plain_method(self, xs, name, args, ds, kw, kw_d)
            return operator_method(self, tuple, xs, xs_d, name, args, ds)
        shadows = xs_d or (None,) * len(xs)
        if name == "_asdict":
            d = xs._asdict()
            self.new_dict(d, dict(zip(fields, shadows, strict=True)))
            return d, None
        if name == "_make":
            values, shadows = self.spread(args[0], ds[0])
            return xs._make(values), self.packed(tuple(shadows))
        made = xs._replace(*args, **kw)
        return made, self.packed(tuple(kw_d.get(n) if n in kw else s for n, s in zip(fields, shadows, strict=True)))


def _pairs(ctx: Context, xs: tuple, xs_d: Any, backwards: bool = False) -> Iterable[Pair]:
    shadows = xs_d if xs_d is not None else (None,) * tuple.__len__(xs)
    return zip(tuple.__iter__(xs), shadows, strict=True)


def _taken_apart(ctx: Context, xs: Any, xs_d: Any) -> tuple:
    if hasattr(type(xs), "_fields"):
        return NEW, (type(xs), *xs), (None, *(xs_d or (None,) * len(xs))), None, None
    return NEW, (type(xs), tuple(xs)), (None, xs_d), None, None


CONTAINERS[tuple] = Container(
    parts=list,
    method=Tuples.tuple_method,
    pairs=_pairs,
    shadow=lambda ctx, xs: ctx.tuple_shadow(xs, (None,) * len(xs)),
    taken_apart=_taken_apart,
    is_sequence=True,
)
