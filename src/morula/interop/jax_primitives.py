"""Two primitives of JAX that carry everything: a call of a host, and its linear map at a point or that transposed.

They stand on `jax.extend` and `jax.interpreters`, which promise no compatibility between versions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from morula.errors import ResultError
from morula.interop.batches import Batched
from morula.interop.hosts import Aval, inexact_of

__all__ = ["call_host"]

host_p, linear_p = Primitive("morula_call"), Primitive("morula_linear")
host_p.multiple_results = linear_p.multiple_results = True


def call_host(host: Any, xs: Sequence[Any]) -> list[Any]:
    """The results of a host as JAX's arrays."""
    return host_p.bind(*xs, host=host)


def canonical(avals: Sequence[Aval]) -> list[jax.ShapeDtypeStruct]:
    """Shapes and dtypes as JAX has them: with 32 bits, where it runs without 64."""
    return [jax.ShapeDtypeStruct(shape, jax.dtypes.canonicalize_dtype(dtype)) for shape, dtype in avals]


def abstract(avals: Sequence[Aval]) -> list[Any]:
    return [jax.core.ShapedArray(s.shape, s.dtype) for s in canonical(avals)]


def aval_of(x: Any) -> Aval:
    return tuple(x.shape), np.dtype(x.dtype)


def checked(ys: Sequence[Any], avals: Sequence[Aval], name: str) -> list[np.ndarray]:
    """Results with the shapes and dtypes that were announced."""
    found = []
    for y, (shape, dtype) in zip(ys, avals, strict=True):
        if y.shape != shape or KINDS.index(y.dtype.kind) > KINDS.index(dtype.kind):
            raise ResultError(
                f"{name} returned an array of shape {y.shape} and dtype {y.dtype}, but {shape} and {dtype} were "
                "announced: shapes and dtypes under jit must not depend on values; see out_like="
            )
        found.append(np.asarray(y, dtype))
    return found


KINDS = "buifc"  # a number of one kind is none of a kind before it


def both_ways(primitive: Primitive, runner: Callable, results: Callable) -> None:
    """How a primitive runs now and in compiled code, and what comes out.

    ``runner(**params)`` gives a function of a list of arrays, ``results(**params)`` the avals of its results.
    """

    def now(*xs: Any, **params: Any) -> list[Any]:
        ys = runner(**params)([np.asarray(x) for x in xs])
        announced = [aval_of(s) for s in canonical(results(**params))]
        return [jnp.asarray(y) for y in checked(ys, announced, params["host"].name)]

    def lowered(ctx: Any, *operands: Any, **params: Any) -> Any:
        run, avals, name = runner(**params), [aval_of(a) for a in ctx.avals_out], params["host"].name

        def called(*arrays: Any) -> tuple:
            return tuple(checked(run([np.asarray(a) for a in arrays]), avals, name))

        # not jax.pure_callback, which puts the arguments on a device first: that waits for ever where all threads of
        # the CPU backend wait for callbacks
        return mlir.emit_python_callback(
            ctx, called, None, list(operands), ctx.avals_in, ctx.avals_out, has_side_effect=False
        )[0]

    primitive.def_impl(now)
    primitive.def_abstract_eval(lambda *_, **params: abstract(results(**params)))
    mlir.register_lowering(primitive, lowered)


# -- a call -----------------------------------------------------------------------------------------------

both_ways(host_p, lambda host: host.run, lambda host: host.like())


def run_now(*xs: Any, host: Any) -> list[Any]:
    """Without announcing shapes, which might take a run of its own."""
    return [jnp.asarray(y) for y in host.run([np.asarray(x) for x in xs])]


host_p.def_impl(run_now)


def is_zero(t: Any) -> bool:
    return isinstance(t, ad.Zero) or getattr(t, "dtype", None) == jax.dtypes.float0


def instantiated(t: Any, x: Any) -> Any:
    return jnp.zeros(x.shape, x.dtype) if is_zero(t) else t


def host_jvp(xs: Sequence[Any], dots: Sequence[Any], *, host: Any) -> tuple[list, list]:
    ys = host_p.bind(*xs, host=host)
    pairs = zip(inexact_of(host.inexact, dots), inexact_of(host.inexact, xs), strict=True)
    given = [instantiated(t, x) for t, x in pairs]
    found = iter(linear_p.bind(*xs, *given, host=host, transposed=False, levels=()) if given else [])
    return ys, [
        next(found) if inexact and given else ad.Zero(jax.typeof(y).to_tangent_aval())
        for y, inexact in zip(ys, host.outs_inexact, strict=True)
    ]


ad.primitive_jvps[host_p] = host_jvp


def spread(xs: Sequence[Any], dims: Sequence[Any]) -> tuple[int, list[Any], list[bool]]:
    """The size of the axis, the arguments with it in front, and which have it."""
    size = next(x.shape[d] for x, d in zip(xs, dims, strict=True) if d is not None)
    moved = [x if d is None else jnp.moveaxis(x, d, 0) for x, d in zip(xs, dims, strict=True)]
    return size, moved, [d is not None for d in dims]


def host_batch(xs: Sequence[Any], dims: Sequence[Any], *, host: Any) -> tuple[list, list]:
    size, xs, axes = spread(xs, dims)
    if vectorized(host):
        xs = widened(xs, axes, size, host)
        wide = host.widened([aval_of(x) for x in xs])
        ys = host_p.bind(*xs, host=wide)
        host.outs = wide.outs
        return ys, [0] * len(ys)
    ys = host_p.bind(*xs, host=Batched(host, axes, size))
    return ys, [0] * len(ys)


batching.primitive_batchers[host_p] = host_batch


def vectorized(host: Any) -> bool:
    """Whether a function takes arrays with another axis in front."""
    return getattr(host, "vmap_method", "sequential") != "sequential"


def widened(xs: Sequence[Any], axes: Sequence[bool], size: int, host: Any) -> list[Any]:
    """The arguments with an axis in front, of length 1 where ``expand_dims`` allows it."""
    length = 1 if host.vmap_method == "expand_dims" else size
    return [x if own else jnp.broadcast_to(x, (length, *x.shape)) for x, own in zip(xs, axes, strict=True)]


# -- its linear map ---------------------------------------------------------------------------------------
# linear_p(x..., x_dot...; transposed=False) gives y_dot..., linear_p(x..., y_bar...; transposed=True) gives x_bar...
# `levels` has, for each vmap, which operands have its axis, and its size; all results have it.


def linear_host(host: Any, transposed: bool, levels: tuple) -> Any:
    """What linear_p runs."""
    found = host.vjp if transposed else host.jvp
    for axes, size in levels:
        found = Batched(found, axes, size)
    return found


both_ways(
    linear_p,
    lambda host, transposed, levels: linear_host(host, transposed, levels).run,
    lambda host, transposed, levels: linear_host(host, transposed, levels).like(),
)


def linear_jvp(operands: Sequence[Any], dots: Sequence[Any], *, host: Any, **how: Any) -> tuple[list, list]:
    ys = linear_p.bind(*operands, host=host, **how)
    n = len(host.inexact)
    if all(map(is_zero, dots[:n])):  # linear in all the rest
        rest = [instantiated(t, x) for t, x in zip(dots[n:], operands[n:], strict=True)]
        return ys, linear_p.bind(*operands[:n], *rest, host=host, **how)
    inner = linear_host(host, **how)
    pairs = zip(inexact_of(inner.inexact, dots), inexact_of(inner.inexact, operands), strict=True)
    given = [instantiated(t, x) for t, x in pairs]
    return ys, linear_p.bind(*operands, *given, host=inner, transposed=False, levels=())


def linear_transpose(
    bars: Sequence[Any], *operands: Any, host: Any, transposed: bool, levels: tuple
) -> list[Any]:  # fmt: skip
    n = len(host.inexact)
    xs, rest = operands[:n], operands[n:]
    if any(map(ad.is_undefined_primal, xs)):
        raise NotImplementedError(f"a call to {host.name} is not linear in its arguments")
    avals = canonical(linear_host(host, transposed, levels).like())
    given = [jnp.zeros(s.shape, s.dtype) if is_zero(bar) else bar for bar, s in zip(bars, avals, strict=True)]
    turned = tuple([((*axes[:n], *[True] * len(given)), size) for axes, size in levels])
    found = linear_p.bind(*xs, *given, host=host, transposed=not transposed, levels=turned)
    return [None] * n + [x if ad.is_undefined_primal(t) else None for x, t in zip(found, rest, strict=True)]


def linear_batch(
    operands: Sequence[Any], dims: Sequence[Any], *, host: Any, transposed: bool, levels: tuple
) -> tuple[list, list]:  # fmt: skip
    size, moved, axes = spread(operands, dims)
    n = len(host.inexact)
    rest = [
        x if own else jnp.broadcast_to(x, (size, *x.shape)) for x, own in zip(moved[n:], axes[n:], strict=True)
    ]  # fmt: skip
    if vectorized(host) and not levels and host.vmap_method == "broadcast_all":
        xs = widened(moved[:n], axes[:n], size, host)
        wide = host.widened([aval_of(x) for x in xs])
        ys = linear_p.bind(*xs, *rest, host=wide, transposed=transposed, levels=())
        return ys, [0] * len(ys)
    outer = ((*axes[:n], *[True] * len(rest)), size)
    ys = linear_p.bind(*moved[:n], *rest, host=host, transposed=transposed, levels=(*levels, outer))
    return ys, [0] * len(ys)


ad.primitive_jvps[linear_p] = linear_jvp
ad.primitive_transposes[linear_p] = linear_transpose
batching.primitive_batchers[linear_p] = linear_batch
