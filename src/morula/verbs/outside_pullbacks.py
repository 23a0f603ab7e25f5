"""A pullback that was made outside the differentiated function: a linear function of its seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from morula.eager.calls.registry import TANGENTS, where_active
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable
from morula.verbs.gradients import Back

Pair = tuple[Any, Any]


def pulled_back(back: Back, seed: Any) -> tuple[Any, Any]:
    """``back(seed)``, and how a cotangent of that goes back to the seed: each row of the Jacobian times it."""

    def to_seed(bars_bar: Any) -> tuple[None, Any]:
        rows = iter([inner(back(basis), bars_bar) for basis in unit_seeds(seed)])
        return None, filled(seed, rows)

    return back(seed), to_seed


def unit_seeds(seed: Any) -> Iterator[Any]:
    """The structure of `seed` with one number set to one, and for complex numbers to ``1j``, at a time."""
    if isinstance(seed, np.ndarray):
        for at in np.ndindex(seed.shape):
            for unit in (1.0, 1j)[: 1 + np.iscomplexobj(seed)]:
                basis = np.zeros_like(seed, dtype=np.result_type(seed, float))
                basis[at] = unit
                yield basis
    elif isinstance(seed, list | tuple):
        for i, part in enumerate(seed):
            for basis in unit_seeds(part):
                yield type(seed)([basis if i == k else None for k in range(len(seed))])
    elif isinstance(seed, dict):
        for name, part in seed.items():
            for basis in unit_seeds(part):
                yield {name: basis}
    elif seed is not None:
        yield 1.0
        if isinstance(seed, complex | np.complexfloating):
            yield 1j


def filled(seed: Any, numbers: Iterator[float]) -> Any:
    """The structure of `seed` with numbers in the order of `unit_seeds`."""
    if isinstance(seed, np.ndarray):
        is_complex = np.iscomplexobj(seed)
        found = [next(numbers) + (1j * next(numbers) if is_complex else 0.0) for _ in range(seed.size)]
        return np.array(found, dtype=np.result_type(seed, float)).reshape(seed.shape)
    if isinstance(seed, list | tuple):
        return type(seed)([filled(part, numbers) for part in seed])
    if isinstance(seed, dict):
        return {name: filled(part, numbers) for name, part in seed.items()}
    if seed is None:
        return None
    return next(numbers) + (1j * next(numbers) if isinstance(seed, complex | np.complexfloating) else 0.0)


def inner(a: Any, b: Any) -> float:
    """The real inner product of two cotangents of one structure; None is a zero."""
    if a is None or b is None:
        return 0.0
    if isinstance(a, list | tuple):
        return sum([inner(u, v) for u, v in zip(a, b, strict=True)])
    if isinstance(a, dict):
        return sum([inner(u, b.get(name)) for name, u in a.items()])
    if isinstance(a, np.ndarray | np.generic | float | complex | int):
        return np.real(np.sum(np.conj(a) * b))
    raise NotDifferentiable(
        f"a pullback that was made outside gives the cotangent of a {type(a).__qualname__}, and has an active seed; "
        "make it inside: y, back = morula.pullback(f, x)"
    )


@where_active(Back.__call__)
def _back(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.apply_rule(Back.__call__, pulled_back, args, ds, {}, {}, opaque=True)


@where_active(Back.with_self)
def _back_with_self(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    raise NotDifferentiable(
        "back.with_self of a pullback that was made outside the differentiated function is given an active seed; "
        "make it inside: y, back = morula.pullback(f, x, with_self=True)"
    )


def _tangent(ctx: Context, args: tuple, shadows: tuple, dots: tuple, y: Any, pullback: Any) -> Pair:
    seed_dot, seed_dot_d = dots[1]
    return ctx.call(Back.__call__, (args[0], seed_dot), (None, seed_dot_d))


TANGENTS[Back.__call__] = _tangent
