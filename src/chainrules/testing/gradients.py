"""`check_gradient`: a gradient, and a second derivative, of a whole program against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..config import RuleConfig, rrule_via
from .difference_config import stepped
from .finite_differences import derivative, gradient_and_errors
from .leaves import at, copied, doubled, inner, is_absent, is_inexact, leaves, path_text, random_tangent

__all__ = ["check_gradient", "gradient_by"]

_UNSET: Any = object()


def gradient_by(engine: RuleConfig, f: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    """The gradient of a real scalar function as an engine sees it: a function of the arguments.

    Args:
        engine: a `RuleConfig` with the trait ``"reverse"``.
        f: the function.

    >>> from chainrules.testing import FiniteDifferenceConfig
    >>> gradient_by(FiniteDifferenceConfig(), lambda x, n: x**n)(3.0, 2)[0].__round__(6)
    6.0
    """

    def gradient(*args: Any) -> tuple[Any, ...]:
        y, pullback = rrule_via(engine, f, *args)
        one = np.ones_like(y) if isinstance(y, (np.ndarray, np.generic)) else 1.0
        return tuple(pullback(one)[1:])

    return gradient


def check_gradient(
    f: Callable[..., Any], gradient: Any = _UNSET, *args: Any, engine: RuleConfig | None = None, order: int = 1,
    hessian: Any = None, rtol: float = 1e-6, atol: float = 1e-8, step: float = 1e-2, seed: int = 0,
) -> None:  # fmt: skip
    """Check a gradient of ``f`` at ``args`` element by element.

    The gradient comes from any engine: as its function, ``check_gradient(f, grad(f), x)``, as numbers, or, where the
    engine has a `RuleConfig`, from that: ``check_gradient(f, x, engine=config)``.

    Args:
        f: a real scalar function.
        gradient: one gradient for each argument, or a function of the arguments that gives them; with one
            argument a bare gradient will do. ``None`` counts as zero. With ``engine`` it is left out, and the arguments
            follow ``f``.
        args: numbers, arrays, nested containers.
        engine: a `RuleConfig` with the trait ``"reverse"``, in place of ``gradient``.
        order: 2 checks that the gradient, which has to be a function then, is smooth and its derivative, by differences
            in two random directions, symmetric: ``<u, H v> == <v, H u>``. A gradient that only looks right at this
            point fails that.
        hessian: for order 2, the engine's second derivative: a function ``hessian(*args)`` of one argument that is a
            number or an array, which gives ``H`` of shape ``x.shape + x.shape``.
        rtol: relative tolerance; for second derivatives the square root of what differences can do is added.
        atol: absolute tolerance.
        step: the first of the finite differences' steps.
        seed: of the random directions of order 2.

    Raises:
        AssertionError: names the argument and the path of the leaf that differs, and both values; also where the
            differences are too noisy to judge.

    >>> check_gradient(lambda x: float(x @ x), lambda x: 2 * x, np.array([1.0, 2.0]), order=2)
    """
    if engine is not None:
        args = args if gradient is _UNSET else (gradient, *args)
        gradient = gradient_by(engine, f)
    elif gradient is _UNSET:
        raise TypeError("check_gradient needs a gradient, or an engine to find it with")
    if order not in (1, 2) or (order == 2 and not callable(gradient)):
        raise ValueError("order is 1 or 2, and 2 needs a gradient that is a function")
    got = _gradients(gradient, args)
    wanted, errors = gradient_and_errors(f, args, step)
    if len(got) != len(wanted):
        raise AssertionError(f"{len(got)} gradients for {len(wanted)} arguments")
    for i, expected in enumerate(wanted):
        for path, value in leaves(expected):
            if value is not None:
                _check_leaf(f"argument {i}{path_text(path)}", at(got[i], path), value, at(errors[i], path), rtol, atol)
    if order == 2:
        _check_second(gradient, hessian, args, np.random.default_rng(seed), rtol, atol, step)


def _gradients(gradient: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    got = gradient(*copied(args)) if callable(gradient) else gradient
    return got if isinstance(got, tuple) and len(got) == len(args) else (got,)


def _check_leaf(where: str, got: Any, value: Any, error: Any, rtol: float, atol: float) -> None:
    mine = 0.0 if is_absent(got) else got
    if np.shape(mine) != np.shape(value) and not is_absent(got):
        raise AssertionError(f"{where}: the gradient is of shape {np.shape(mine)}, its argument of {np.shape(value)}")
    allowed = atol + rtol * np.abs(value)
    off = np.abs(np.subtract(mine, value))
    if not np.all(off <= allowed + np.where(error > allowed, 10 * np.asarray(error), error)):
        raise AssertionError(f"{where}: the gradient is {got!r}, finite differences say {value!r}")
    if np.any(error > allowed):
        raise AssertionError(
            f"{where}: finite differences are too noisy to judge: {value!r} ± {np.max(error):.1g}; the gradient "
            f"is {got!r}. Is the function smooth here, and accurate? Choose another point, `step`, or wider tolerances"
        )


def _check_second(gradient: Any, hessian: Any, args: Any, rng: Any, rtol: float, atol: float, step: float) -> None:
    """The derivative of the gradient is symmetric, and that of the engine where it has one."""
    u, v = (tuple(random_tangent(x, rng) for x in args) for _ in range(2))
    uhv, vhu = (_along(gradient, args, a, b, step) for a, b in ((u, v), (v, u)))
    loose = atol**0.5 * 1e-2 + max(rtol, 1e-6) * max(abs(uhv.value), abs(vhu.value))
    for found in (uhv, vhu):
        if not found.error <= loose:
            raise AssertionError(f"second order: differences of the gradient are too noisy to judge: {found}")
    if not abs(uhv.value - vhu.value) <= loose + uhv.error + vhu.error:
        raise AssertionError(
            f"second order: differences of the gradient are not symmetric: <u, H v> = {uhv}, <v, H u> = {vhu}; the "
            "gradient is not that of one function"
        )
    if hessian is None:
        return
    if len(args) != 1 or not is_inexact(args[0]) or np.iscomplexobj(args[0]):
        raise ValueError("a Hessian is compared for one real number or array")
    matrix = hessian(*copied(args))
    size = np.size(args[0])
    matrix = np.asarray(matrix[0] if isinstance(matrix, tuple) else matrix, float).reshape(size, size)
    for name, a, b, found in (("<u, H v>", u, v, uhv), ("<v, H u>", v, u, vhu)):
        mine = float(np.ravel(a[0]) @ matrix @ np.ravel(b[0]))
        if not abs(mine - found.value) <= loose + found.error:
            raise AssertionError(
                f"second order: {name} is {mine!r} by the Hessian, {found} by differences of the gradient"
            )


def _along(gradient: Any, args: Any, u: Any, v: Any, step: float) -> Any:
    """``<u, H v>``: the derivative along ``v`` of the gradient's part along ``u``."""
    start = doubled(args)

    def phi(h: float) -> float:

        moved = tuple(stepped(x, x_dot, h) for x, x_dot in zip(copied(start), v, strict=True))
        return sum(inner(a, b) for a, b in zip(u, _gradients(gradient, moved), strict=True))

    return derivative(phi, step)
