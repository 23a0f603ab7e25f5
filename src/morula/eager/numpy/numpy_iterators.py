"""Objects of NumPy's that walk through arrays: `numpy.broadcast` for its shape, `numpy.nditer` to read elements."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context

ndarray = np.ndarray
Pair = tuple[Any, Any]
READING = frozenset({"refs_ok", "zerosize_ok"})  # flags that leave order and shape of the elements as they are


@structural(np.broadcast)
def _broadcast(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """Its attributes are constants; iteration finds the arrays in it."""
    if not kw and ctx.any_active(args, ds, kw, kw_d):
        args = tuple(
            [a if type(a) is ndarray else ctx.call(np.asarray, (a,), (d,))[0] for a, d in zip(args, ds, strict=True)]
        )
    return np.broadcast(*args, **kw), None


@structural(np.nditer)
def _nditer(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if (
        len(args) == 1
        and type(args[0]) is ndarray
        and args[0].flags.c_contiguous
        and args[0].size
        and kw.keys() <= {"flags"}
        and READING.issuperset(kw.get("flags") or ())
        and ctx.any_active(args, ds, kw, kw_d)
    ):
        return ctx.call(elements, args, ds, {}, {})
    return ctx.construct(np.nditer, args, ds, kw, kw_d)


def elements(x: ndarray) -> Iterator[ndarray]:
    """A plain body for the iterator over one array: arrays without axes, in the order of memory."""
    for i in np.ndindex(x.shape):
        yield x[(*i, ...)]
