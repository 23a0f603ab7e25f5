"""``autograd.test_util``: derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.autograd_compat.misc.flatten import flatten
from morula.autograd_compat.operators import filled
from morula.verbs.directional import jvp
from morula.verbs.gradients import pullback

__all__ = ["check_grads"]

STEP, TOLERANCE = 1e-6, 1e-6


def check_grads(f: Callable[..., Any], modes: Sequence[str] = ("fwd", "rev"), order: int = 2) -> Callable[..., None]:
    """A function of arguments that compares derivatives there with differences, along one random direction each.

    Args:
        f: the function.
        modes: ``"fwd"`` and ``"rev"``.
        order: how often.

    >>> import morula
    >>> check_grads(np.sin)(0.5)
    >>> check_grads(lambda x: morula.stop_gradient(x) * x, order=1)(0.5)
    Traceback (most recent call last):
    AssertionError: Derivative check of mode fwd failed: -0.0166096 by differences, -0.00830479 by the rule
    """

    def check(*args: Any) -> None:
        x, unflatten = flatten(args)
        rng = np.random.default_rng(0)
        v = rng.standard_normal(x.shape)
        g = lambda vector: flatten(f(*unflatten(vector)))[0]
        y = g(x)
        w = rng.standard_normal(y.shape)
        wanted = w @ (g(x + STEP * v) - g(x - STEP * v)) / (2 * STEP)
        for mode in modes:
            if mode == "fwd":
                found = w @ filled(jvp(g, (x,), (v,))[1], y)
            else:
                found = filled(pullback(g, x)[1](w)[0], x) @ v
            if not abs(found - wanted) <= TOLERANCE * (1 + abs(wanted)) * 10:
                raise AssertionError(
                    f"Derivative check of mode {mode} failed: {wanted:.6g} by differences, {found:.6g} by the rule"
                )
            if order > 1:
                if mode == "fwd":
                    again = lambda vector: filled(jvp(g, (vector,), (v,))[1], y)
                else:
                    again = lambda vector: filled(pullback(g, vector)[1](w)[0], x)
                check_grads(again, (mode,), order - 1)(x)

    return check
