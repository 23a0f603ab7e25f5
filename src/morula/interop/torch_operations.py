"""Hosts of tensors: run at once, or as operations that PyTorch knows, where it traces or batches for itself.

PyTorch puts an operation into the graphs of ``torch.compile``, ``torch.export`` and ``torch.func.linearize``, which do
not look into Python, and takes it apart row by row for ``is_grads_batched``. All that it carries is a number.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import torch

from morula.errors import NotDifferentiable
from morula.interop.batches import Batched
from morula.interop.hosts import Aval, Host, inexact_of

__all__ = [
    "Hosts",
    "aval_of",
    "carried",
    "is_inexact",
    "is_tensor",
    "is_traced",
    "kept",
    "operation",
    "run",
    "to_numpy",
]

NUMPY = {
    getattr(torch, name): np.dtype(name)
    for name in ("float16", "float32", "float64", "complex64", "complex128", "int8", "int16", "int32", "int64",
                 "uint8", "uint16", "uint32", "uint64", "bool")
}  # fmt: skip
TORCH = {dtype: kind for kind, dtype in NUMPY.items()}


def is_tensor(x: Any) -> bool:
    """Whether a value is a tensor."""
    return isinstance(x, torch.Tensor)


def is_inexact(x: torch.Tensor) -> bool:
    """Whether a tensor has derivatives."""
    return x.is_floating_point() or x.is_complex()


def aval_of(x: torch.Tensor) -> Aval:
    """The shape and NumPy's dtype of a tensor."""
    dtype = NUMPY.get(x.dtype)
    if dtype is None or x.layout != torch.strided:
        raise NotDifferentiable(
            f"NumPy has no equivalent of a tensor of {x.dtype} and {x.layout}: convert it first, with "
            ".to(torch.float32) or .to_dense(), which PyTorch differentiates"
        )
    return tuple(x.shape), dtype


def to_numpy(x: torch.Tensor) -> np.ndarray:
    """The numbers of a tensor, read only."""
    array = x.detach().cpu().contiguous().resolve_conj().resolve_neg().numpy().view()
    array.flags.writeable = False
    return array


def apart(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Contiguous arrays, of which those are copied that share memory with another one.

    A tensor may be given twice, and parameters may be views of one vector: arrays over memory that is not NumPy's are
    not known to share it.
    """
    starts = [a.__array_interface__["data"][0] for a in arrays]
    end = 0
    for k in sorted(range(len(arrays)), key=starts.__getitem__):
        if starts[k] < end:
            arrays[k] = arrays[k].copy()
            arrays[k].flags.writeable = False
        end = max(end, starts[k] + arrays[k].nbytes)
    return arrays


@torch._disable_dynamo
def run(host: Host | Batched, xs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """A host of tensors, without derivatives."""
    return carried(host, xs) if is_traced(xs) else run_now(host, xs)


def run_now(host: Host | Batched, xs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    arrays = [to_numpy(x) for x in xs]
    if len(arrays) > 1:
        arrays = apart(arrays)
    ys = host.run_and_keep(arrays) if isinstance(host, Host) and host.keeps else host.run(arrays)
    device = device_of(xs)
    return tuple([torch.from_numpy(np.array(y, order="C")).to(device) for y in ys])


def device_of(xs: Sequence[torch.Tensor]) -> torch.device:
    """Where results are: where the first tensor is that is not on the CPU."""
    return next((x.device for x in xs if x.device.type != "cpu"), xs[0].device)


def is_batched(xs: Sequence[torch.Tensor]) -> bool:
    """Whether PyTorch does something for many rows at once, as for ``is_grads_batched``."""
    return any(map(torch._C._functorch.is_legacy_batchedtensor, xs))


def is_traced(xs: Sequence[torch.Tensor]) -> bool:
    """Whether tensors have no numbers of their own: they are batched, or PyTorch records what is done."""
    return torch._C._len_torch_dispatch_stack() > 0 or is_batched(xs)


# -- operations -------------------------------------------------------------------------------------------


class Hosts:
    """What makes a host for tensors of given shapes and dtypes; known by its number while something holds it."""

    def __init__(self, make: Callable[[tuple[Aval, ...]], Any]):
        self.number = next(NUMBERS)
        self.make = functools.cache(make)
        KNOWN[self.number] = self

    def at(self, xs: Sequence[torch.Tensor]) -> Any:
        """The host for these tensors."""
        return self.make(tuple([(tuple(map(int, x.shape)), NUMPY[x.dtype]) for x in xs]))

    @functools.cached_property
    def vjp(self) -> Hosts:
        """That of the vjp."""
        return Hosts(lambda avals: self.make(avals).vjp)


NUMBERS = itertools.count()
KNOWN: WeakValueDictionary[int, Hosts] = WeakValueDictionary()
KEPT: list[Hosts] = []  # a graph has only the number, and may live for ever


def kept(hosts: Hosts) -> Hosts:
    """Known for good."""
    KEPT.append(hosts)
    return hosts


def carried(host: Host | Batched, xs: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """The results of a host by an operation."""
    hosts = Hosts(lambda _: host)
    if torch._C._len_torch_dispatch_stack():
        kept(hosts)
    ys = operation(len(xs), len(host.like()))(hosts.number, *xs)
    return (ys,) if isinstance(ys, torch.Tensor) else tuple(ys)


@functools.cache
def operation(n: int, m: int) -> Callable[..., Any]:
    """The operation that runs hosts of `n` tensors with `m` results."""
    given = "".join([f", Tensor x{i}" for i in range(n)])
    schema = f"(int number{given}) -> ({', '.join(['Tensor'] * m)})"

    @functools.partial(torch.library.custom_op, f"morula::call_{n}_{m}", mutates_args=(), schema=schema)
    def call(number: int, *xs: torch.Tensor) -> Any:
        ys = run_now(KNOWN[number].at(xs), xs)
        return ys[0] if m == 1 else ys

    @call.register_fake
    def _(number: int, *xs: torch.Tensor) -> Any:
        avals = KNOWN[number].at(xs).like()
        ys = tuple([torch.empty(shape, dtype=TORCH[dtype], device=device_of(xs)) for shape, dtype in avals])
        return ys[0] if m == 1 else ys

    call.register_autograd(call_backward, setup_context=keep_arguments)
    return call._opoverload


def keep_arguments(ctx: Any, inputs: Any, output: Any) -> None:
    """For `call_backward`."""
    number, *xs = inputs
    ctx.hosts = KNOWN[number]
    ctx.save_for_backward(*xs)


def call_backward(ctx: Any, *bars: Any) -> Any:
    """The cotangents, by an operation again."""
    xs = ctx.saved_tensors
    host = ctx.hosts.at(xs)
    seeds = inexact_of(host.outs_inexact, bars)
    found = operation(len(xs) + len(seeds), sum(host.inexact))(ctx.hosts.vjp.number, *xs, *seeds)
    ys = iter([found] if isinstance(found, torch.Tensor) else found)
    return None, *[next(ys).to(x.device) if inexact else None for x, inexact in zip(xs, host.inexact, strict=True)]
