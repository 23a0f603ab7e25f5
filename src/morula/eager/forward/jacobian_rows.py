"""The tangent of what a rule answered, row by row of its Jacobian: a row is the pullback of a seed with a single 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import Tangent, is_absent, project, strong_mul, unthunk
from morula.eager.calls.registry import structural
from morula.eager.containers.parts import varying_names
from morula.eager.context.kinds import is_plain_object
from morula.eager.context.protocol import Context
from morula.errors import RuleError

ndarray = np.ndarray
Pair = tuple[Any, Any]


def through_pullback(rule: Callable, primals: tuple, tangents: tuple, options: dict) -> Any:
    """The tangent of ``rule``'s value from its pullback: the inner product with each row of the jacobian."""
    y, pullback = rule(*primals, **options)
    return rows(y, lambda seed: along(taken(pullback(seed), primals, tangents), tangents))


def taken(bars: Any, primals: tuple, dots: tuple) -> tuple:
    """The cotangents of the arguments that have tangents, each in the space of its argument; None for the others.

    What a pullback says of an argument without a tangent does not matter.
    """
    if type(bars) is not tuple:
        bars = (bars,)
    if len(bars) != len(dots):
        raise RuleError(f"a pullback returned {len(bars)} cotangents for {len(dots)} positional arguments")
    return tuple([None if t is None else fitted(bar, x) for bar, x, t in zip(bars, primals, dots, strict=True)])


def fitted(bar: Any, x: Any) -> Any:
    """A cotangent in the space of its argument."""
    bar = unthunk(bar)
    return bar if isinstance(bar, Tangent) else project(bar, x)


@structural(taken)
def _taken(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """The same in few steps, where the cotangents fit already."""
    bars, primals, dots = args
    shadows = ds[0]
    if type(bars) is not tuple:
        bars, shadows = (bars,), (ctx.shadow_of(bars, shadows),)
    if len(bars) != len(dots):
        taken(bars, primals, dots)  # raises
    pairs: list[Pair] = []
    for bar, shadow, x, dot in zip(bars, shadows or (None,) * len(bars), primals, dots, strict=True):
        if dot is None:
            pairs.append((None, None))
        elif type(bar) is ndarray and type(x) is ndarray and bar.shape == x.shape and bar.dtype == x.dtype:
            pairs.append((bar, shadow))
        else:
            pairs.append(ctx.call(fitted, (bar, x), (shadow, None)))
    return tuple([bar for bar, _ in pairs]), ctx.packed(tuple([shadow for _, shadow in pairs]))


def rows(y: Any, product: Callable) -> Any:
    """What `product` gives for each seed of `y` with a single 1, in the structure of `y`."""
    if isinstance(y, tuple | list):
        return [
            rows(v, lambda seed, i=i: product(tuple([seed if j == i else zeros(u) for j, u in enumerate(y)])))
            for i, v in enumerate(y)
        ]
    if isinstance(y, dict):
        rest = {key: zeros(v) for key, v in y.items()}
        return {key: rows(v, lambda seed, key=key: product({**rest, key: seed})) for key, v in y.items()}
    if isinstance(y, ndarray) and y.ndim:
        if y.dtype.kind not in "fc":
            return None
        found = [rows_of_cell(y, i, product) for i in range(y.size)]
        return np.reshape(np.array(found), y.shape) if found else np.zeros(y.shape)
    if isinstance(y, ndarray):
        return rows_of_cell(y, 0, product)
    if isinstance(y, complex | np.complexfloating):
        return product(1.0 + 0.0j) + 1j * product(1j)
    if isinstance(y, float | np.floating):
        return product(1.0)
    if is_plain_object(y):
        cls = type(y)
        return {
            name: rows(getattr(y, name), lambda seed, name=name: product(Tangent(cls, **{name: seed})))
            for name in varying_names(y)
        }
    return None


def zeros(y: Any) -> Any:
    """The seed of a part that is not used, as rules of the user's take it."""
    if isinstance(y, tuple | list):
        return tuple([zeros(v) for v in y])
    if isinstance(y, dict):
        return {key: zeros(v) for key, v in y.items()}
    if isinstance(y, ndarray) and y.dtype.kind in "fc":
        return np.zeros(y.shape, y.dtype)
    return 0.0 if isinstance(y, float | complex | np.inexact) else None


def rows_of_cell(y: ndarray, i: int, product: Callable) -> Any:
    seed = unit(y, i, 1.0)
    return product(seed) + 1j * product(unit(y, i, 1j)) if y.dtype.kind == "c" else product(seed)


def unit(y: ndarray, i: int, one: complex) -> ndarray:
    """An array like `y` with `one` in its i-th cell and zeros elsewhere."""
    seed = np.zeros(y.shape, y.dtype)
    seed.flat[i] = one
    return seed


def along(bars: Any, dots: Any) -> Any:
    """The real inner product of natural cotangents with tangents, of any structure."""
    if dots is None:  # whatever the pullback says of a constant
        return 0.0
    bars = unthunk(bars)
    if is_absent(bars):
        return 0.0
    if isinstance(dots, tuple | list):
        if not isinstance(bars, tuple | list):
            if len(dots) > 1 and not isinstance(bars, ndarray):
                raise TypeError(f"a pullback returned {type(bars).__name__} for {len(dots)} arguments")
            bars = [bars] if len(dots) == 1 else bars
        total = 0.0
        for bar, dot in zip(bars, dots, strict=True):
            total = total + along(bar, dot)
        return total
    if isinstance(dots, dict):
        total = 0.0
        for name, dot in dots.items():
            total = total + along(bars.get(name) if isinstance(bars, dict) else getattr(bars, name, None), dot)
        return total
    return np.sum(np.real(strong_mul(np.conj(bars), dots)))  # a limit that is infinite may move infinitely
