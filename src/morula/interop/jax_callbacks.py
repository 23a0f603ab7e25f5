"""A call of a host by JAX's public interface alone: a callback with a vjp, which is such a call again.

For versions of JAX that lack what `jax_primitives` stands on. Reverse mode works at any order; JAX has no forward mode
of a function with a vjp of its own, and so neither `jacfwd` nor `hessian`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from morula.interop.hosts import inexact_of

__all__ = ["call_host"]


def call_host(host: Any, xs: Sequence[Any]) -> list[Any]:
    """The results of a host as JAX's arrays."""
    announced = [jax.ShapeDtypeStruct(shape, jax.dtypes.canonicalize_dtype(dtype)) for shape, dtype in host.like()]

    def run(*arrays: Any) -> list[np.ndarray]:
        ys = host.run([np.asarray(a) for a in arrays])
        return [np.asarray(y, s.dtype) for y, s in zip(ys, announced, strict=True)]

    @jax.custom_vjp
    def call(*xs: Any) -> list[Any]:
        return jax.pure_callback(run, announced, *xs, vmap_method="sequential")

    def back(xs: tuple, bars: list[Any]) -> tuple:
        found = iter(call_host(host.vjp, [*xs, *inexact_of(host.outs_inexact, bars)]))
        return tuple([
            next(found) if inexact else np.zeros(x.shape, jax.dtypes.float0)
            for x, inexact in zip(xs, host.inexact, strict=True)
        ])  # fmt: skip

    call.defvjp(lambda *xs: (call(*xs), xs), back)
    return call(*xs)
