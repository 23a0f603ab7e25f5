"""Two primitives of JAX that carry everything: a call of a host, and its linear map at a point or that transposed.

They stand on `jax.extend` and `jax.interpreters`, which promise no compatibility between versions: all that is used of
these is imported by name, so that a version without it has `jax_callbacks` instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters.ad import Zero, is_undefined_primal, primitive_jvps, primitive_transposes
from jax.interpreters.batching import primitive_batchers
from jax.interpreters.mlir import emit_python_callback, register_lowering
from jax.sharding import NamedSharding, PartitionSpec

from morula.errors import ResultError
from morula.interop.batches import Batched
from morula.interop.hosts import Aval, inexact_of

__all__ = ["call_host"]

host_p, linear_p = Primitive("morula_call"), Primitive("morula_linear")
host_p.multiple_results = linear_p.multiple_results = True


def call_host(host: Any, xs: Sequence[Any]) -> list[Any]:
    """The results of a host as JAX's arrays."""
    return bind_host(xs, host)


def bind_host(xs: Sequence[Any], host: Any) -> list[Any]:
    return host_p.bind(*varied(xs), host=host)


def bind_linear(operands: Sequence[Any], host: Any, transposed: bool, levels: tuple = ()) -> list[Any]:
    return linear_p.bind(*varied(operands), host=host, transposed=transposed, levels=levels)


def axes_of(x: Any) -> frozenset:
    """The axes of `jax.shard_map` along which an array differs from device to device."""
    aval = jax.typeof(x)
    return aval.manual_axis_type.varying if hasattr(aval, "manual_axis_type") else getattr(aval, "vma", frozenset())


def varied(xs: Sequence[Any]) -> list[Any]:
    """Arrays that all differ along the axes along which one does: the transpose of the step sums over devices."""
    found = [axes_of(x) for x in xs]
    axes = frozenset().union(*found)
    if not axes:
        return list(xs)
    cast = functools.partial(jax.lax.pcast, to="varying") if hasattr(jax.lax, "pcast") else jax.lax.pvary
    return [cast(x, tuple(axes - own)) if axes - own else x for x, own in zip(xs, found, strict=True)]


def canonical(avals: Sequence[Aval]) -> list[jax.ShapeDtypeStruct]:
    """Shapes and dtypes as JAX has them: with 32 bits, where it runs without 64."""
    return [jax.ShapeDtypeStruct(shape, jax.dtypes.canonicalize_dtype(dtype)) for shape, dtype in avals]


def abstract(avals: Sequence[Aval], operands: Sequence[Any]) -> list[Any]:
    """The results in JAX's terms; they differ from device to device where the operands do."""
    first = next((a for a in operands if getattr(a, "manual_axis_type", getattr(a, "vma", None))), None)
    more: list[dict] = [{} for _ in avals]
    if first is not None:
        kind = "manual_axis_type" if hasattr(first, "manual_axis_type") else "vma"
        place = lambda shape: NamedSharding(first.sharding.mesh, PartitionSpec(*[None] * len(shape)))
        more = [{kind: getattr(first, kind), "sharding": place(shape)} for shape, _ in avals]
    return [jax.core.ShapedArray(s.shape, s.dtype, **m) for s, m in zip(canonical(avals), more, strict=True)]


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
        return emit_python_callback(
            ctx, called, None, list(operands), ctx.avals_in, ctx.avals_out, has_side_effect=False
        )[0]

    def announced(*avals: Any, **params: Any) -> list[Any]:
        with jax.core.eval_context():  # the function may be run to find the shapes, and may be one of JAX's
            return abstract(results(**params), avals)

    primitive.def_impl(now)
    primitive.def_abstract_eval(announced)
    register_lowering(primitive, lowered)


# -- a call -----------------------------------------------------------------------------------------------

both_ways(host_p, lambda host: host.run, lambda host: host.like())


def run_now(*xs: Any, host: Any) -> list[Any]:
    """Without announcing shapes, which might take a run of its own."""
    return [jnp.asarray(y) for y in host.run([np.asarray(x) for x in xs])]


host_p.def_impl(run_now)


def is_zero(t: Any) -> bool:
    return isinstance(t, Zero) or getattr(t, "dtype", None) == jax.dtypes.float0


def instantiated(t: Any, x: Any) -> Any:
    return jnp.zeros(x.shape, x.dtype) if is_zero(t) else t


def host_jvp(xs: Sequence[Any], dots: Sequence[Any], *, host: Any) -> tuple[list, list]:
    ys = bind_host(xs, host)
    pairs = zip(inexact_of(host.inexact, dots), inexact_of(host.inexact, xs), strict=True)
    given = [instantiated(t, x) for t, x in pairs]
    found = iter(bind_linear([*xs, *given], host, False) if given else [])
    return ys, [
        next(found) if inexact and given else Zero(jax.typeof(y).to_tangent_aval())
        for y, inexact in zip(ys, host.outs_inexact, strict=True)
    ]


primitive_jvps[host_p] = host_jvp


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
        ys = bind_host(xs, wide)
        host.outs = wide.outs
        if any(y.shape[:1] != (size,) for y in ys):
            raise ResultError(
                f"{host.name} gave arrays of shapes {[y.shape for y in ys]} under vmap over {size} rows: with "
                f"vmap_method={host.vmap_method!r} a function has to keep the axis in front of its arguments"
            )
        return ys, [0] * len(ys)
    ys = bind_host(xs, Batched(host, axes, size))
    return ys, [0] * len(ys)


primitive_batchers[host_p] = host_batch


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
    ys = bind_linear(operands, host, **how)
    n = len(host.inexact)
    if all(map(is_zero, dots[:n])):  # linear in all the rest
        rest = [instantiated(t, x) for t, x in zip(dots[n:], operands[n:], strict=True)]
        return ys, bind_linear([*operands[:n], *rest], host, **how)
    inner = linear_host(host, **how)
    pairs = zip(inexact_of(inner.inexact, dots), inexact_of(inner.inexact, operands), strict=True)
    given = [instantiated(t, x) for t, x in pairs]
    return ys, bind_linear([*operands, *given], inner, False)


def linear_transpose(
    bars: Sequence[Any], *operands: Any, host: Any, transposed: bool, levels: tuple
) -> list[Any]:  # fmt: skip
    n = len(host.inexact)
    xs, rest = operands[:n], operands[n:]
    if any(map(is_undefined_primal, xs)):
        raise NotImplementedError(f"a call to {host.name} is not linear in its arguments")
    avals = canonical(linear_host(host, transposed, levels).like())
    given = [jnp.zeros(s.shape, s.dtype) if is_zero(bar) else bar for bar, s in zip(bars, avals, strict=True)]
    turned = tuple([((*axes[:n], *[True] * len(given)), size) for axes, size in levels])
    found = bind_linear([*xs, *given], host, not transposed, turned)
    return [None] * n + [x if is_undefined_primal(t) else None for x, t in zip(found, rest, strict=True)]


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
        ys = bind_linear([*xs, *rest], wide, transposed)
        return ys, [0] * len(ys)
    outer = ((*axes[:n], *[True] * len(rest)), size)
    ys = bind_linear([*moved[:n], *rest], host, transposed, (*levels, outer))
    return ys, [0] * len(ys)


primitive_jvps[linear_p] = linear_jvp
primitive_transposes[linear_p] = linear_transpose
primitive_batchers[linear_p] = linear_batch
