"""Morula and PyTorch: plain Python functions as functions of tensors, and PyTorch's functions in plain programs."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.extras import needs
from morula.interop.batches import Batched
from morula.interop.border import refuse_captured, refuse_hidden
from morula.interop.calling import constants_of, host_of
from morula.interop.foreign import Engine, Flat, Foreign
from morula.interop.hosts import Aval, Host, inexact_of
from morula.interop.layers import Layer
from morula.interop.trees import built, flatten, parts_at

with needs("torch", "torch"):
    import torch

from morula.interop.torch_operations import (
    Hosts,
    aval_of,
    carried,
    is_batched,
    is_inexact,
    is_tensor,
    is_traced,
    kept,
    operation,
    run,
    to_numpy,
)

__all__ = ["from_torch", "to_torch"]


def to_torch(f: Callable, *, out_like: Callable | None = None) -> Callable:
    """A plain Python function as a function of tensors.

    It can be differentiated by PyTorch in every way and at any order: ``backward``, ``torch.autograd.grad`` with
    ``create_graph``, ``torch.func`` (``grad``, ``vjp``, ``jvp``, ``jacrev``, ``jacfwd``, ``hessian``, ``vmap``). Each
    derivative is Morula's, so that rules of `chainrules` and `morula.adjoint` hold.

    Args:
        f: any function that Morula differentiates. In the place of tensors, at any depth of tuples, lists and dicts, it
            is given read-only NumPy arrays, and numbers for tensors without dimensions. All other arguments are handed
            on as they are.
        out_like: a function of the same arguments that returns what has the shapes and dtypes of the results;
            arrays among its arguments have no more than ``shape``, ``dtype`` and ``ndim``. Without, ``prepare`` runs
            `f` once on random numbers between 0 and 1.

    Returns:
        A function that returns tensors in the place of the numbers and arrays of `f`'s result, on the device of the
        first tensor among the arguments that is not on the CPU. Inside ``torch.compile`` it breaks the graph. After
        one call of its ``prepare(*args)``, with arguments like those to come, it is an operation of the graph, also
        with ``fullgraph=True``; arguments that are no tensors then stay what they were.

    Raises:
        NotDifferentiable: `f` holds a tensor otherwise than as an argument (captured, a global variable, an attribute
            of an object): no derivative with respect to it could come back. A tensor has a dtype that NumPy lacks.
        As `morula.gradient`, and what `f` raises.

    >>> import torch
    >>> from morula.torch import to_torch
    >>> def norm(x):
    ...     total = 0.0
    ...     for v in x:
    ...         total += v**2
    ...     return total**0.5
    >>> x = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    >>> to_torch(norm)(x).backward()
    >>> x.grad
    tensor([0.6000, 0.8000], dtype=torch.float64)
    """
    gives_number: list[bool] = []

    def eagerly(*args: Any, **kwargs: Any) -> Any:
        host, xs = host_of(f, args, kwargs, is_tensor, aval_of, out_like=out_like)
        refuse_hidden(f, constants_of(host.active, host.passive), is_tensor, "morula.torch.to_torch")
        if not xs:
            return f(*args, **kwargs)
        host.keeps = torch.is_grad_enabled() and any(x.requires_grad for x in xs)
        host.gives_number = gives_number
        ys = HostCall.apply(host, *xs)
        assert host.outs is not None
        gives_number[:] = [host.outs == 0 and host.outs_avals[0][0] == () and host.outs_inexact[0]]
        return built(host.outs, ys)

    apart = torch._disable_dynamo(eagerly)  # as torch.compiler.disable, but that does not load the compiler yet
    prepared: list[Prepared] = []

    def of_tensors(*args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling():
            if prepared:
                return prepared[0](args, kwargs)
            return apart(*args, **kwargs)
        return eagerly(*args, **kwargs)

    def prepare(*args: Any, **kwargs: Any) -> Callable:
        prepared[:] = [Prepared(*host_of(f, args, kwargs, is_tensor, aval_of, out_like=out_like), args, kwargs)]
        return layer

    layer = Layer(of_tensors, to_torch, f, out_like=out_like)
    layer.prepare = prepare  # type: ignore[attr-defined]
    return layer


class Prepared:
    """A call of known structure as one operation of compiled code.

    Attributes:
        node: the structure of the arguments.
        outs: that of the results.
        hosts: what the operation calls.
    """

    def __init__(self, host: Host, xs: list[torch.Tensor], args: tuple, kwargs: dict):
        self.node = flatten((args, kwargs), is_tensor, [])
        host.like()
        assert host.outs is not None
        self.outs = host.outs
        n = len(xs)

        def again(avals: tuple[Aval, ...]) -> Host:
            return Host(host.call, host.active, host.passive, avals[:n], host.name, like=host._like)

        self.hosts = kept(Hosts(again))
        self.operation = operation(n, len(host.like()))

    def __call__(self, args: tuple, kwargs: dict) -> Any:
        """The results; what is no tensor among the arguments is what it was when this was made."""
        ys = self.operation(self.hosts.number, *parts_at(self.node, (args, kwargs), []))
        return built(self.outs, [ys] if isinstance(ys, torch.Tensor) else ys)


class HostCall(torch.autograd.Function):
    """A host as an operation of PyTorch."""

    @staticmethod
    def forward(host: Any, *xs: Any) -> Any:
        """The value."""
        return run(host, xs)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep the arguments."""
        ctx.host, *xs = inputs
        ctx.save_for_backward(*xs)
        ctx.save_for_forward(*xs)
        ctx.mark_non_differentiable(*[y for y in output if not is_inexact(y)])

    @staticmethod
    def backward(ctx: Any, *bars: Any) -> Any:
        """The cotangents, by a host again."""
        xs, host = ctx.saved_tensors, ctx.host
        seeds = inexact_of(host.outs_inexact, bars)
        is_plain = not (torch.is_grad_enabled() or is_traced(seeds))
        if is_plain and getattr(host, "kept", None) is not None:
            bars_there = host.bars_at_kept([to_numpy(s) for s in seeds])
            found = iter([torch.from_numpy(np.array(bar, order="C")) for bar in bars_there])
        else:
            found = iter(apply(host.vjp, [*xs, *seeds]))
        return None, *[
            next(found).to(x.device) if inexact else None for x, inexact in zip(xs, host.inexact, strict=True)
        ]

    @staticmethod
    def jvp(ctx: Any, _: Any, *dots: Any) -> Any:
        """The tangents, by a host again."""
        xs, host = ctx.saved_tensors, ctx.host
        given = [
            torch.zeros_like(x) if dot is None else dot
            for x, dot, inexact in zip(xs, dots, host.inexact, strict=True)
            if inexact
        ]
        found = iter(apply(host.jvp, [*xs, *given]))
        return tuple([next(found) if inexact else None for inexact in host.outs_inexact])

    @staticmethod
    def vmap(info: Any, dims: Any, host: Any, *xs: Any) -> Any:
        """Row by row."""
        moved = [x if d is None else x.movedim(d, 0) for x, d in zip(xs, dims[1:], strict=True)]
        ys = HostCall.apply(Batched(host, [d is not None for d in dims[1:]], info.batch_size), *moved)
        return ys, (0,) * len(ys)


def apply(host: Host, xs: list[torch.Tensor]) -> Sequence[torch.Tensor]:
    """The results of a host, with a graph; many rows at once are a matter of PyTorch's."""
    return carried(host, xs) if is_batched(xs) else HostCall.apply(host, *xs)


HostCall.forward.__signature__ = inspect.signature(HostCall.forward)  # type: ignore[attr-defined]  # asked at each call


def from_torch(f: Callable, *, device: Any = None) -> Callable:
    """A function of tensors as a function of NumPy's arrays and numbers, which Morula differentiates.

    The derivatives are PyTorch's, at any order and in both modes.

    Args:
        f: a function of tensors, or a module: what `torch.func` can differentiate. It is given tensors in the place of
            arrays and floating and complex numbers, at any depth of tuples, lists and dicts; all other arguments are
            handed on as they are. Tensors that it holds, such as the parameters of a module, are constants.
        device: where the tensors are put; None: the default device.

    Returns:
        A function that returns arrays and numbers in the place of the tensors of `f`'s result.

    Raises:
        NotDifferentiable: `f` was made inside a differentiated function and captures what depends on its arguments.
        As `f` and `torch.func.vjp`.

    >>> import numpy as np, morula, torch
    >>> from morula.torch import from_torch
    >>> softplus = from_torch(torch.nn.functional.softplus)
    >>> morula.gradient(lambda x: (softplus(x) ** 2).sum(), np.zeros(2))
    (array([0.69314718, 0.69314718]),)
    """
    return Foreign(f, Torch(device))


refuse_captured(from_torch)


class Torch(Engine):
    """PyTorch as `morula.interop.foreign` sees it."""

    def __init__(self, device: Any):
        self.device = device

    def enter(self, x: Any) -> torch.Tensor:
        """See `Engine`."""
        return torch.from_numpy(np.array(x, order="C")).to(self.device)

    def leave(self, y: torch.Tensor) -> np.ndarray:
        """See `Engine`."""
        aval_of(y)
        return np.array(to_numpy(y))

    def is_array(self, y: Any) -> bool:
        """See `Engine`."""
        return is_tensor(y)

    def is_inexact(self, y: Any) -> bool:
        """See `Engine`."""
        return is_inexact(y)

    def call(self, flat: Callable, xs: tuple, others: tuple) -> Any:
        """See `Engine`."""
        with torch.no_grad():
            return flat(xs, others)

    def vjp(self, flat: Callable, xs: tuple, others: tuple) -> tuple[tuple, tuple, Callable[[tuple], tuple]]:
        """See `Engine`."""
        if type(flat) is not Flat:
            return self.vjp_again(flat, xs, others)
        with recording():  # the same by the graph of PyTorch: much faster
            leaves = [x.requires_grad_() for x in recordable(xs)]
            ys, aux = flat(tuple([x.clone() for x in leaves]), others)
        active = [i for i, y in enumerate(ys) if y.requires_grad]

        def back(bars: tuple) -> tuple:
            found: Sequence[Any] = [None] * len(leaves)
            if active and leaves:
                with recording():
                    given = recordable([bars[i] for i in active])
                    found = torch.autograd.grad(
                        [ys[i] for i in active], leaves, given, retain_graph=True, allow_unused=True
                    )  # fmt: skip
            return tuple([torch.zeros_like(x) if bar is None else bar for x, bar in zip(leaves, found, strict=True)])

        return tuple([y.detach() for y in ys]), tuple([y.detach() for y in aux]), back

    def vjp_again(self, flat: Callable, xs: tuple, others: tuple) -> tuple[tuple, tuple, Callable[[tuple], tuple]]:
        """The same, which can be differentiated again."""
        ys, back, aux = torch.func.vjp(lambda *xs: flat(xs, others), *xs, has_aux=True)
        return ys, aux, back

    def pull(self, flat: Callable, xs: tuple, others: tuple, bars: tuple) -> tuple:
        """See `Engine`."""
        return self.vjp_again(flat, xs, others)[2](bars)

    def push(self, flat: Callable, xs: tuple, others: tuple, dots: tuple) -> tuple:
        """See `Engine`."""
        return torch.func.jvp(lambda *xs: flat(xs, others), xs, dots, has_aux=True)[1]


def recording() -> Any:
    """A block in which PyTorch keeps graphs."""
    if torch.is_grad_enabled() and not torch.is_inference_mode_enabled():
        return contextlib.nullcontext()
    blocks = contextlib.ExitStack()
    blocks.enter_context(torch.inference_mode(False))
    blocks.enter_context(torch.enable_grad())
    return blocks


def recordable(xs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Tensors that may be part of a graph, as those made in inference mode may not."""
    return [x.clone() if x.is_inference() else x for x in xs]
