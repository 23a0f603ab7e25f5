"""An engine that knows nothing but finite differences: rules over functions can be tested with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..config import RuleConfig
from ..tangents import NoTangent, Tangent, ZeroTangent, unthunk
from .finite_differences import derivative, derivatives
from .leaves import (
    Path,
    at,
    copied,
    doubled,
    fields_of,
    inner,
    is_absent,
    is_inexact,
    leaves,
    path_text,
    replaced,
    settled,
)

__all__ = ["FiniteDifferenceConfig", "flattened", "stepped", "tangent_like"]


class FiniteDifferenceConfig(RuleConfig):
    """An engine with all traits, which differentiates any callable by finite differences, slowly.

    The attributes of an instance that is called are varied, and their derivatives are its cotangent, a `Tangent`.
    What a function has captured is a constant.

    Args:
        step: the first step of the differences.

    Raises:
        FloatingPointError: where the differences are too inaccurate to be of use.

    >>> y, pullback = FiniteDifferenceConfig().rrule_via(lambda x, n: x**n, (3.0, 2), {})
    >>> f_bar, x_bar, n_bar = pullback(1.0)
    >>> f_bar, round(x_bar, 9), n_bar
    (NoTangent(), 6.0, NoTangent())
    """

    traits = frozenset({"reverse", "forward"})

    def __init__(self, step: float = 1e-2) -> None:
        self.step = step

    def rrule_via(self, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Value, and a pullback that gives the cotangent of ``f`` and of each argument."""
        primals = copied((f, *args))
        y = f(*args, **kwargs)

        def differences_pullback(y_bar: Any) -> Any:
            y_bar = unthunk(y_bar)
            if is_absent(y_bar):
                return (NoTangent(),) * len(primals)
            return tuple(self._cotangent(primals, kwargs, y_bar, i, (), x) for i, x in enumerate(primals))

        return y, differences_pullback

    def _cotangent(self, primals: Any, kwargs: Any, y_bar: Any, i: int, path: Path, x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            parts = [self._cotangent(primals, kwargs, y_bar, i, (*path, k), v) for k, v in enumerate(x)]
            return x._make(parts) if hasattr(x, "_make") else type(x)(parts)
        if isinstance(x, dict):
            return {k: self._cotangent(primals, kwargs, y_bar, i, (*path, k), v) for k, v in x.items()}
        if is_inexact(x):
            return self._leaf(primals, kwargs, y_bar, i, path, x)
        varied = {path[:1] for path, leaf in leaves(x, fields=True) if path and is_inexact(leaf)}
        fields = {
            str(name): self._cotangent(primals, kwargs, y_bar, i, (*path, name), getattr(x, name)) for (name,) in varied
        }
        return Tangent(type(x), **fields) if fields else NoTangent()

    def _leaf(self, primals: Any, kwargs: Any, y_bar: Any, i: int, path: Path, x: Any) -> Any:
        units = (1.0, 1j) if np.iscomplexobj(x) else (1.0,)
        wide, seed = doubled(primals), doubled(y_bar)

        def along(index: Any, unit: Any) -> float:
            def phi(h: float) -> float:
                def nudge(leaf: Any) -> Any:
                    if not isinstance(leaf, np.ndarray):
                        return leaf + h * unit
                    leaf[index] += h * unit
                    return leaf

                moved = list(copied(wide))
                moved[i] = replaced(moved[i], path, nudge)
                return inner(seed, settled(moved[0](*moved[1:], **kwargs)))

            found = derivative(phi, self.step)
            if not found.error <= 1e-4 * max(1.0, abs(found.value)):
                where = "the callable" if i == 0 else f"argument {i - 1}"
                raise FloatingPointError(f"{where}{path_text(path)}: finite differences are too noisy: {found}")
            return found.value

        if not isinstance(x, np.ndarray):
            number = sum(along((), unit) * unit for unit in units)
            return type(x)(number) if isinstance(x, np.generic) else number
        x_bar = np.zeros(x.shape, x.dtype)
        for index in np.ndindex(x.shape):
            x_bar[index] = sum(along(index, unit) * unit for unit in units)
        return x_bar

    def frule_via(
        self, f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Value and tangent; ``tangents`` begins with that of ``f``."""
        whole = copied((f, *primals))
        y = f(*primals, **kwargs)
        if is_absent(list(tangents)):
            return y, ZeroTangent()
        wide = doubled(whole)

        def phi(h: float) -> np.ndarray:
            g, *xs = (stepped(x, x_dot, h) for x, x_dot in zip(copied(wide), tangents, strict=True))
            return flattened(settled(g(*xs, **kwargs)))

        values, error = derivatives(phi, self.step)
        if not error <= 1e-4 * max(1.0, float(np.max(np.abs(values), initial=0.0))):
            raise FloatingPointError(f"finite differences are too noisy: {values!r} ± {error:.1g}")
        return y, tangent_like(settled(y), values)


def stepped(x: Any, x_dot: Any, h: float) -> Any:
    """``x + h * x_dot`` through containers and attributes; arrays keep their memory order.

    >>> stepped([1.0, "a"], [2.0, None], 0.5)
    [2.0, 'a']
    """
    for path, leaf in leaves(x, fields=True):
        t = at(x_dot, path)
        if is_inexact(leaf) and not is_absent(t):
            x = replaced(x, path, partial(_added, step=h * np.asarray(t)))
    return x


def _added(v: Any, step: Any) -> Any:
    if isinstance(v, np.ndarray):
        return np.add(v, step, out=np.empty_like(v))
    moved = v + step
    if isinstance(v, np.generic) or not isinstance(v, (float, complex)):
        return moved
    return complex(moved) if np.iscomplexobj(moved) else float(moved)


def flattened(y: Any) -> np.ndarray:
    """All inexact leaves of a value as one real vector; integers count as floats.

    >>> flattened([1.0, "a", 2 + 3j])
    array([1., 2., 3.])
    """
    found: list[Any] = []
    for _, leaf in leaves(y, fields=True):
        if _counts(leaf):
            v = np.ravel(leaf)
            found += [np.real(v), np.imag(v)] if np.iscomplexobj(v) else [v]
    return np.concatenate(found).astype(np.float64) if found else np.zeros(0)


def _counts(leaf: Any) -> bool:
    return is_inexact(leaf) or (isinstance(leaf, (int, np.integer)) and not isinstance(leaf, bool))


def tangent_like(y: Any, values: np.ndarray) -> Any:
    """A vector made by `flattened` in the structure of ``y``; `NoTangent` where nothing was taken.

    >>> tangent_like([1.0, "a", 2 + 3j], np.array([4.0, 5.0, 6.0]))
    [4.0, NoTangent(), (5+6j)]
    """
    left = values

    def take(n: int) -> np.ndarray:
        nonlocal left
        taken, left = left[:n], left[n:]
        return taken

    def build(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            parts = [build(v) for v in x]
            return x._make(parts) if hasattr(x, "_make") else type(x)(parts)
        if isinstance(x, dict):
            return {k: build(v) for k, v in x.items()}
        if _counts(x):
            v = take(np.size(x)).reshape(np.shape(x))
            if np.iscomplexobj(x):
                v = v + 1j * take(np.size(x)).reshape(np.shape(x))
            if isinstance(x, np.ndarray):
                return v.astype(x.dtype)
            return type(x)(v) if isinstance(x, np.inexact) else v.item()
        fields = {k: build(v) for k, v in (fields_of(x) or {}).items()}
        return Tangent(type(x), **fields) if not is_absent(list(fields.values())) else NoTangent()

    return build(y)
