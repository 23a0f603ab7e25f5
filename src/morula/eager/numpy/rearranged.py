"""Shuffles, permutations and choices at random: the data goes through them, by the order of its cells' numbers.

The numbers are drawn once, as in the plain call, so the generator is left in the same state.
"""

from typing import Any

import numpy as np

from morula.eager.context.kinds import is_plain_object, module_of
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]

METHODS = frozenset({"shuffle", "permutation", "permuted", "choice"})
REARRANGING = frozenset(
    getattr(kind, name) for kind in (np.random.Generator, np.random.RandomState) for name in ("choice", "permutation")
)


def rearranges(o: Any, name: str) -> bool:
    """Whether ``o.name`` is a method of one of NumPy's generators that moves the data that it is given."""
    return name in METHODS and module_of(type(o)).startswith("numpy.random")


class Rearranged(Part):
    """Random rearrangements in a reverse context."""

    __slots__ = ()

    def rearranged(self, o: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``o.name(x, ...)`` for an active array `x`."""
        first = "a" if name == "choice" else "x"
        x: Any
        x, rest, kw = (args[0], args[1:], kw) if args else (kw.get(first), (), without(kw, first))
        x_d, rest_d, kw_d = (ds[0], ds[1:], kw_d) if args else (kw_d.get(first), (), without(kw_d, first))
        f = getattr(o, name)
        out = kw.get("out") if name == "permuted" else None
        if out is not None:
            if type(out) is not ndarray or x is None or out.shape != np.shape(x):
                raise NotDifferentiable(f"{type(o).__qualname__}.permuted with such an out=; assign its result")
            y, y_d = self.rearranged(o, name, (x, *rest), (x_d, *rest_d), without(kw, "out"), without(kw_d, "out"))
            return self.write_whole(out, None, y, y_d)
        if not isinstance(x, ndarray | list | tuple) or self.any_active(rest, rest_d, kw, kw_d):
            raise NotDifferentiable(
                f"{type(o).__qualname__}.{name} was given active values that are not an array of data"
            )
        if name == "shuffle" and type(x) is list:
            order = list(range(len(x)))
            f(order, *rest, **kw)
            return self.call(_reorder, (x, order), (x_d, None))
        if name == "shuffle" and isinstance(x, ndarray):
            self.permuted(x, lambda cells: f(cells, *rest, **kw))
            return None, None
        if not isinstance(x, ndarray):
            x, x_d = self.call(np.asarray, (x,), (x_d,))
        cells = np.empty_like(x, np.intp)  # laid out like x: `permuted` goes through memory
        cells[...] = np.arange(x.size).reshape(x.shape)
        chosen = f(cells, *rest, **kw)
        flat, flat_d = self.call(np.ravel, (x,), (x_d,))
        if isinstance(chosen, ndarray):
            return self.getitem(flat, flat_d, chosen, None)
        return self.getitem(flat, flat_d, int(chosen), None)


def rearranged_objects(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
    """The same of a list of the program's objects, which stay what they are; None of anything else."""
    if rearranges(getattr(f, "__self__", None), f.__name__):
        o = f.__self__
    else:
        o, args, ds = args[0], args[1:], ds[1:]
    x = args[0] if args else None
    if not isinstance(x, list | tuple) or not x or not all(map(is_plain_object, x)):
        return None
    if any(hasattr(v, "__len__") or hasattr(v, "__array__") for v in x) or ctx.any_active(args[1:], ds[1:], kw, kw_d):
        return None  # NumPy looks into them
    chosen = getattr(o, f.__name__)(np.arange(len(x)), *args[1:], **kw)
    return ctx.call(_chosen, (x, chosen), (ds[0], None))


def _chosen(xs: Any, chosen: Any) -> Any:
    if np.ndim(chosen) == 0:
        return xs[int(chosen)]
    found = np.empty(chosen.shape, object)
    for i in np.ndindex(chosen.shape):
        found[i] = xs[chosen[i]]
    return found


def _reorder(xs: list, order: list[int]) -> None:
    xs[:] = [xs[i] for i in order]


def without(d: dict, key: str) -> dict:
    return {k: v for k, v in d.items() if k != key}
