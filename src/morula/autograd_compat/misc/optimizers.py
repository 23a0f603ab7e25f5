"""Stochastic optimisers of structures of parameters: ``sgd``, ``rmsprop``, ``adam``.

Each takes ``grad(x, i)``, the gradient at iteration `i`, and calls ``callback(x, i, g)``. Adam: Kingma and Ba, Adam: a
method for stochastic optimization, ICLR 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.autograd_compat.misc.flatten import flatten

__all__ = ["adam", "rmsprop", "sgd"]

Gradient = Callable[[Any, int], Any]
Callback = Callable[[Any, int, Any], Any] | None


def minimized(grad: Gradient, x0: Any, callback: Callback, num_iters: int, step: Callable[[Any, Any, int], Any]) -> Any:
    """What ``x = step(x, g, i)`` comes to after so many steps."""
    x, unflatten = flatten(x0)
    for i in range(num_iters):
        g = flatten(grad(unflatten(x), i))[0]
        if callback is not None:
            callback(unflatten(x), i, unflatten(g))
        x = step(x, g, i)
    return unflatten(x)


def sgd(
    grad: Gradient, x0: Any, callback: Callback = None, num_iters: int = 200, step_size: float = 0.1, mass: float = 0.9
) -> Any:  # fmt: skip
    """Gradient descent with momentum."""
    velocity: Any = 0.0

    def step(x: Any, g: Any, i: int) -> Any:
        nonlocal velocity
        velocity = mass * velocity - (1.0 - mass) * g
        return x + step_size * velocity

    return minimized(grad, x0, callback, num_iters, step)


def rmsprop(
    grad: Gradient, x0: Any, callback: Callback = None, num_iters: int = 100, step_size: float = 0.1,
    gamma: float = 0.9, eps: float = 1e-8,
) -> Any:  # fmt: skip
    """Steps divided by a running root mean square of the gradients."""
    mean_square: Any = 1.0

    def step(x: Any, g: Any, i: int) -> Any:
        nonlocal mean_square
        mean_square = mean_square * gamma + g**2 * (1 - gamma)
        return x - step_size * g / (np.sqrt(mean_square) + eps)

    return minimized(grad, x0, callback, num_iters, step)


def adam(
    grad: Gradient, x0: Any, callback: Callback = None, num_iters: int = 100, step_size: float = 0.001,
    b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
) -> Any:  # fmt: skip
    """Steps by running means of the gradients and of their squares, without the bias of their beginning."""
    first: Any = 0.0
    second: Any = 0.0

    def step(x: Any, g: Any, i: int) -> Any:
        nonlocal first, second
        first = (1 - b1) * g + b1 * first
        second = (1 - b2) * g**2 + b2 * second
        return x - step_size * (first / (1 - b1 ** (i + 1))) / (np.sqrt(second / (1 - b2 ** (i + 1))) + eps)

    return minimized(grad, x0, callback, num_iters, step)
