"""Morula and JAX: plain Python functions as functions of JAX's arrays, and JAX's functions in plain programs."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.errors import NotDifferentiable
from morula.extras import needs

with needs("jax", "jax"):
    import jax
    import jax.numpy as jnp

from morula.interop.border import refuse_captured, refuse_hidden
from morula.interop.calling import constants_of, host_of
from morula.interop.foreign import Engine, Foreign
from morula.interop.hosts import Aval
from morula.interop.layers import Layer
from morula.interop.trees import built

try:
    from morula.interop.jax_primitives import call_host
except (ImportError, AttributeError) as missing:  # of names that JAX may rename
    from morula.interop.jax_callbacks import call_host

    warnings.warn(
        f"to_jax has no forward mode, jacfwd or hessian with JAX {jax.__version__}, which lacks what they stand on: "
        f"{missing}",
        stacklevel=2,
    )

__all__ = ["from_jax", "to_jax"]


def to_jax(f: Callable, *, out_like: Callable | None = None, vmap_method: str = "sequential") -> Callable:
    """A plain Python function as a function of JAX's arrays.

    Args:
        f: any function that Morula differentiates.
        out_like: a function of the same arguments that returns what has the shapes and dtypes of the results.
        vmap_method: what `jax.vmap` makes of it, as of `jax.pure_callback`. ``"sequential"``: `f` runs row by row.
            ``"broadcast_all"``: `f` works along axes in front, as ufuncs do, and runs once with arrays that all have
            the axis; ``"expand_dims"``: with an axis of length 1 for arguments that are the same in all rows.
    """
    if vmap_method not in ("sequential", "broadcast_all", "expand_dims"):
        raise ValueError(f"vmap_method must be 'sequential', 'broadcast_all' or 'expand_dims', not {vmap_method!r}")

    def of_jax(*args: Any, **kwargs: Any) -> Any:
        host, leaves = host_of(f, args, kwargs, is_array, aval_of, True, out_like)
        host.vmap_method = vmap_method
        refuse_hidden(f, constants_of(host.active, host.passive), is_jax_array, "morula.jax.to_jax")
        if not leaves:
            return f(*args, **kwargs)
        ys = call_host(host, [jnp.asarray(x) for x in leaves])
        assert host.outs is not None
        return built(host.outs, ys)

    return Layer(of_jax, to_jax, f, out_like=out_like, vmap_method=vmap_method)


def aval_of(x: Any) -> Aval:
    """The shape and NumPy's dtype of an array."""
    x = jnp.asarray(x)
    if getattr(x.dtype, "kind", "V") not in "fciub":
        raise NotDifferentiable(
            f"NumPy has no equivalent of an array of {x.dtype}: convert it first, with .astype(jnp.float32), which JAX "
            "differentiates, or jax.random.key_data"
        )
    return tuple(x.shape), np.dtype(x.dtype)


def is_jax_array(x: Any) -> bool:
    """Whether a value is an array of JAX's, or a tracer."""
    return isinstance(x, jax.Array)


def is_array(x: Any) -> bool:
    """Whether an argument is an array to JAX; numbers and booleans of Python but floats stay what they are."""
    return isinstance(x, jax.Array | float | complex | np.ndarray | np.generic)


def from_jax(f: Callable, *, x64: bool | None = None) -> Callable:
    """A function of JAX's arrays as a function of NumPy's arrays and numbers, which Morula differentiates.

    The derivatives are JAX's, at any order and in both modes.

    Args:
        f: a function that JAX differentiates. It is given JAX's arrays in the place of arrays and floating and complex
            numbers, at any depth of tuples, lists and dicts; all other arguments are handed on as they are. Where `f`
            comes from `jax.jit`, its derivatives are compiled, too: that is much faster.
        x64: whether `f` and its derivatives run with 64 bits. None: where the process does, and where an argument has
            them, as NumPy's usually do.

    Returns:
        A function that returns arrays and numbers in the place of the arrays of `f`'s result.

    Raises:
        NotDifferentiable: `f` was made inside a differentiated function and captures what depends on its arguments.
        As `f` and `jax.vjp`.

    >>> import jax, numpy as np, morula
    >>> from morula.jax import from_jax
    >>> softplus = from_jax(jax.jit(jax.nn.softplus))
    >>> morula.gradient(lambda x: (softplus(x) ** 2).sum(), np.zeros(2))
    (array([0.69314718, 0.69314718]),)
    """
    return Foreign(f, Jax(isinstance(f, jax.stages.Wrapped), x64))


refuse_captured(from_jax)


class Jax(Engine):
    """JAX as `morula.interop.foreign` sees it."""

    conjugates = True

    def __init__(self, compiles: bool, x64: bool | None):
        self.compiles, self.x64 = compiles, x64
        static = functools.partial(jax.jit, static_argnums=0) if compiles else lambda f: f
        self._call = static(lambda flat, xs, others: flat(xs, others))
        self._vjp = static(vjp)
        self._push = static(push)
        self._back = jax.jit(lambda back, bars: back(bars)) if compiles else lambda back, bars: back(bars)

    def __reduce__(self) -> tuple:
        return type(self), (self.compiles, self.x64)

    def enter(self, x: Any) -> Any:
        """See `Engine`."""
        x = np.asarray(x)
        if self.compiles:
            return x  # what is compiled takes it as it is
        with self.precision((x,)):
            return jnp.asarray(x)

    def leave(self, y: Any) -> np.ndarray:
        """See `Engine`."""
        return np.array(y)

    def is_array(self, y: Any) -> bool:
        """See `Engine`."""
        return is_array(y)

    def is_inexact(self, y: Any) -> bool:
        """See `Engine`."""
        return jnp.issubdtype(jnp.result_type(y), jnp.inexact)

    def precision(self, xs: tuple) -> Any:
        """In which a call runs."""
        wide = any(x.dtype.itemsize // (1 + (x.dtype.kind == "c")) == 8 for x in xs)
        now = jax.config.jax_enable_x64
        wanted = now or wide if self.x64 is None else self.x64
        return contextlib.nullcontext() if wanted == now else enable_x64(wanted)

    def call(self, flat: Callable, xs: tuple, others: tuple) -> Any:
        """See `Engine`."""
        with self.precision((*xs, *others)):
            return self._call(flat, xs, others)

    def vjp(self, flat: Callable, xs: tuple, others: tuple) -> tuple[tuple, tuple, Callable[[tuple], tuple]]:
        """See `Engine`."""
        with self.precision((*xs, *others)):
            ys, back, aux = self._vjp(flat, xs, others)

        def backward(bars: tuple) -> tuple:
            with self.precision((*xs, *others)):
                return self._back(back, conjugate(bars))

        return ys, aux, lambda bars: conjugate(backward(bars))

    def pull(self, flat: Callable, xs: tuple, others: tuple, bars: tuple) -> tuple:
        """See `Engine`."""
        return conjugate(vjp(flat, xs, others)[1](conjugate(bars)))

    def push(self, flat: Callable, xs: tuple, others: tuple, dots: tuple) -> tuple:
        """See `Engine`."""
        return push(flat, xs, others, dots)


def vjp(flat: Callable, xs: tuple, others: tuple) -> Any:
    return jax.vjp(lambda *xs: flat(xs, others), *xs, has_aux=True)


def push(flat: Callable, xs: tuple, others: tuple, dots: tuple) -> tuple:
    return jax.jvp(lambda *xs: flat(xs, others), xs, dots, has_aux=True)[1]


def conjugate(xs: tuple) -> tuple:
    """JAX's cotangents of complex numbers are the conjugates of Morula's."""
    return tuple([jnp.conj(x) if jnp.iscomplexobj(x) else x for x in xs])


def enable_x64(on: bool) -> Any:
    """A block that runs with 64 bits or without."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(on)
    from jax.experimental import enable_x64 as before

    return before(on)
