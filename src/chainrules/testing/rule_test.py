"""`test_rrule`: everything a rule promises, checked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from numbers import Number
from typing import Any

import numpy as np

from ..tangents import NoTangent, NotImplementedTangent
from .calling import Call, find_call, plain_call, plain_seed, where_from
from .comparing import Tolerance, Undefined, check_classes, check_same, check_space, judge, shortly, told_where
from .contracts import CONTRACTS, seed_for
from .finite_differences import OUTSIDE, complex_step
from .layouts import frozen
from .leaves import (
    Path,
    at,
    complexified,
    copied,
    doubled,
    inner,
    is_absent,
    is_inexact,
    leaves,
    path_text,
    random_tangent,
    replaced,
    settled,
)
from .split import check_split

__all__ = ["test_rrule"]


def test_rrule(
    f: Any, *args: Any, rtol: float = 1e-6, atol: float = 1e-8, step: float = 1e-2, seed: int = 0,
    check_complex: bool = False, constant: tuple[int, ...] = (), kwargs: dict[str, Any] | None = None,
    config: Any = None, order: int = 1, **more: Any,
) -> None:  # fmt: skip
    """Check the rule that ``f`` has for these arguments.

    - The value is that of ``f``: its type, shape, dtype, numbers.
    - There is one cotangent for each positional argument, in its space. Each agrees with finite differences in a
      random direction, leaf by leaf: numbers and arrays in lists, tuples, dictionaries and attributes of objects.
    - What cannot be varied (strings, ``None``, functions, ...) has no cotangent. Integers and booleans are numbers:
      they may have one, which then is zero or that of the number, or none.
    - Neither the arguments, the value nor the seed are changed, also where they are read-only.
    - The pullback is linear, can be called any number of times, and takes seeds of any layout, thunks, and values
      some of whose parts have no seed.
    - Cotangents can be added to others, in place too, and an in-place thunk does the same as ``+``.

    An argument with a `NotImplementedTangent` is passed over. Where differences cannot tell, because the function is
    not smooth or its values are inaccurate, the check fails and says so.

    Args:
        f: a function that has a rule, or an instance whose class has one.
        args: where to check it. Stay away from kinks.
        rtol: relative tolerance of the derivatives. Float32 arguments get at least 1e-3, float16 5e-2.
        atol: absolute tolerance.
        step: the first of the finite differences' steps.
        seed: of the random directions.
        check_complex: repeat the check with complex values in place of all float ones.
        constant: positions of arguments for which the rule gives no derivative.
        kwargs: keyword arguments of ``f`` that have the names of parameters here.
        config: the engine for rules that need one (a `RuleConfig`); without it, finite differences.
        order: 2 differentiates the rule's own code by ``config``, and compares with differences of the pullback.
        more: further keyword arguments of ``f``.

    Raises:
        AssertionError: names the function, the path of the leaf, both numbers, the rule's file and line, and the seed.

    >>> test_rrule(np.hypot, 3.0, np.array([1.0, 2.0]))
    """
    options = {**(kwargs or {}), **more}
    if order not in (1, 2) or (order == 2 and config is None):
        raise ValueError("order is 1 or 2, and 2 needs the config of an engine that differentiates the rule")
    rng = np.random.default_rng(seed)
    tolerance = Tolerance(rtol, atol, step).allowing_for(args)
    given = copied(args)
    with np.errstate(all="ignore"), told_where(f, args, options, seed) as context:
        call = _called(f, given, options, config)
        context["rule"] = where_from(call.rule)
        wanted = settled(plain_call(f, copied(args), options))
        check_same("the value", call.y, wanted, rtol=1e-9)
        if frozen(given) != frozen(args):
            raise AssertionError("the arguments were changed by the rule")
        y_bar = seed_for(call.y, int(rng.integers(1 << 31)))
        if not is_absent(y_bar):
            bars = call.back(copied(y_bar))
            compare = partial(_compare, call, y_bar, rng=rng, tolerance=tolerance)
            for i, x in enumerate(call.primals):
                if i - call.with_self in constant or isinstance(bars[i], NotImplementedTangent):
                    continue
                if not (call.with_self and i == 0 and isinstance(bars[i], NoTangent)):  # else it is a constant
                    check_classes(call.label(i), bars[i], x)
                    for path, leaf in leaves(x, fields=True):
                        compare(i, path, leaf, at(bars[i], path))
            check_split(call, plain_seed(y_bar))
            for check in CONTRACTS:
                check(call)
        if order == 2 and not is_absent(y_bar):
            from .second_order import check_second_order

            check_second_order(call, y_bar, config, rng, tolerance)

    if check_complex:
        test_rrule(
            f, *(complexified(a, rng) for a in args), rtol=rtol, atol=atol, step=step, seed=seed, constant=constant,
            kwargs=options, config=config, order=order,
        )  # fmt: skip


test_rrule.__test__ = False  # type: ignore[attr-defined]


def _called(f: Any, args: tuple[Any, ...], options: dict[str, Any], config: Any) -> Call:
    call = find_call(f, args, options, config)
    return Call(call.f, call.args, call.kwargs, call.config, call.rule, settled(call.y), call.pullback)


def _compare(call: Call, y_bar: Any, i: int, path: Path, leaf: Any, bar: Any, rng: Any, tolerance: Tolerance) -> None:
    """The cotangent ``bar`` of one leaf of the primal ``i`` is right."""
    where = f"{call.label(i)}{path_text(path)}"
    if is_inexact(leaf):
        check_space(where, bar, leaf)
        if np.size(leaf):
            direction = random_tangent(leaf, rng)
            phi = moved_value(call, y_bar, i, path, direction)
            analytic = None if np.iscomplexobj(leaf) else partial(_moved_analytically, call, y_bar, i, path, direction)
            judge(where, inner(bar, direction), phi, tolerance, analytic)
    elif isinstance(leaf, Number) or (isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "iub"):
        if not is_absent(bar) and np.any(np.asarray(bar, dtype=complex)):
            _check_discrete(call, y_bar, i, path, leaf, bar, where, rng, tolerance)
    elif not (bar is None or isinstance(bar, NoTangent)) and not (
        is_absent(bar) and isinstance(bar, (list, tuple, dict))
    ):
        raise AssertionError(
            f"{where} cannot be varied, it is {shortly(leaf)}; its cotangent is {bar!r}, not NoTangent()"
        )


def _check_discrete(
    call: Call, y_bar: Any, i: int, path: Path, leaf: Any, bar: Any, where: str, rng: Any, tolerance: Tolerance
) -> None:
    """A cotangent of an integer that is not zero is that of the same number as a float."""
    number = np.asarray(leaf, float) if isinstance(leaf, np.ndarray) else float(leaf)
    direction = random_tangent(number, rng)
    primals = tuple(replaced(x, path, lambda _: number) if j == i else x for j, x in enumerate(call.primals))
    try:
        same = settled(_plain(call, copied(primals)))
        check_same("the value", same, call.y, rtol=1e-9, kinds=False)
    except Exception as error:
        raise AssertionError(
            f"{where} is {shortly(leaf)}, which does not stand for a number ({type(error).__name__}: {error}); "
            f"its cotangent is {bar!r}, not NoTangent()"
        ) from error
    with suppress(Undefined, *OUTSIDE):  # (-2.0)**3 has no neighbours
        judge(where, inner(bar, direction), moved_value(call, y_bar, i, path, direction, primals), tolerance)


def _plain(call: Call, primals: Any) -> Any:
    """The function itself at other primals."""
    f, args = (primals[0], primals[1:]) if call.with_self else (call.f, primals)
    return plain_call(f, args, call.kwargs)


def moved_value(
    call: Call, y_bar: Any, i: int, path: Path, direction: Any, primals: Any = None
) -> Callable[[float], float]:
    """The inner product of the seed and the value as a function of one leaf's distance along a direction."""
    start = doubled(call.primals if primals is None else primals)
    wide_bar, wide_direction = doubled(y_bar), doubled(direction)

    def phi(h: float) -> float:
        moved = list(copied(start))
        moved[i] = replaced(moved[i], path, lambda leaf: _stepped(leaf, h * wide_direction))
        return inner(wide_bar, settled(_plain(call, tuple(moved))))

    return phi


def _moved_analytically(call: Call, y_bar: Any, i: int, path: Path, direction: Any) -> float:
    """The derivative of `moved_value` by a step into the complex plane; raises where the value is not real here."""
    start, wide = doubled(call.primals), doubled(y_bar)
    if any(np.iscomplexobj(leaf) for _, leaf in leaves(wide)):
        raise ValueError("a complex value")

    def phi(h: complex) -> complex:
        moved = list(copied(start))
        moved[i] = replaced(moved[i], path, lambda leaf: leaf + h * doubled(direction))
        y = settled(_plain(call, tuple(moved)))
        return sum((complex(np.sum(b * at(y, p))) for p, b in leaves(wide) if is_inexact(b)), 0j)

    return complex_step(phi)


def _stepped(leaf: Any, step: Any) -> Any:
    return np.add(leaf, step, out=np.empty_like(leaf)) if isinstance(leaf, np.ndarray) else leaf + step
