"""`check_gradient`: a gradient of any origin against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .finite_differences import finite_difference_gradient
from .leaves import leaves

__all__ = ["check_gradient"]


def check_gradient(
    f: Callable[..., Any],
    gradient: Any,
    *args: Any,
    rtol: float = 1e-6,
    atol: float = 1e-8,
    step: float = 1e-3,
) -> None:
    """Check a gradient of ``f`` at ``args`` element by element.

    Args:
        f: a real scalar function.
        gradient: one gradient for each argument, or a function of the arguments that gives them; with one
            argument a bare gradient will do. ``None`` counts as zero.
        args: numbers, arrays, nested containers.
        rtol: relative tolerance.
        atol: absolute tolerance.
        step: of the finite differences.

    Raises:
        AssertionError: names the argument and the path of the leaf that differs, and both values.

    >>> check_gradient(lambda x: float(x @ x), lambda x: 2 * x, np.array([1.0, 2.0]))
    """
    got = gradient(*args) if callable(gradient) else gradient
    if not isinstance(got, tuple) or len(got) != len(args):
        got = (got,)
    wanted = finite_difference_gradient(f, *args, step=step)
    assert len(got) == len(wanted), f"{len(got)} gradients for {len(wanted)} arguments"
    for i, expected in enumerate(wanted):
        for path, value in leaves(expected):
            if value is None:
                continue
            mine = got[i]
            for p in path:
                mine = (
                    None
                    if mine is None
                    else getattr(mine, p)
                    if isinstance(p, str) and not hasattr(mine, "keys")
                    else mine[p]
                )
            where = "".join(f"[{p!r}]" for p in path)
            assert np.allclose(0.0 if mine is None else mine, value, rtol=rtol, atol=atol), (
                f"argument {i}{where}: the gradient is {mine!r}, finite differences say {value!r}"
            )
