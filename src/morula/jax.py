"""Morula and JAX: plain Python functions as functions of JAX's arrays, and JAX's functions in plain programs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from morula.interop.border import refuse_hidden
from morula.interop.hosts import host_of
from morula.interop.jax_primitives import aval_of, call_host
from morula.interop.trees import built

__all__ = ["to_jax"]


def to_jax(f: Callable, *, out_like: Callable | None = None) -> Callable:
    """A plain Python function as a function of JAX's arrays.

    Args:
        f: any function that Morula differentiates.
        out_like: a function of the same arguments that returns what has the shapes and dtypes of the results.
    """

    @functools.wraps(f, updated=())
    def of_jax(*args: Any, **kwargs: Any) -> Any:
        refuse_hidden(f, (), is_jax_array, "morula.jax.to_jax")
        host, leaves = host_of(f, args, kwargs, is_array, lambda x: aval_of(jnp.asarray(x)), True, out_like)
        if not leaves:
            return f(*args, **kwargs)
        ys = call_host(host, [jnp.asarray(x) for x in leaves])
        assert host.outs is not None
        return built(host.outs, ys)

    return of_jax


def is_jax_array(x: Any) -> bool:
    """Whether a value is an array of JAX's, or a tracer."""
    return isinstance(x, jax.Array)


def is_array(x: Any) -> bool:
    """Whether an argument is an array to JAX; numbers and booleans of Python but floats stay what they are."""
    return isinstance(x, jax.Array | float | complex | np.ndarray | np.generic)
