"""What `mpi4py` means in differentiated programs: communication is linear, and its way back is its transpose.

Every rank runs the same program and differentiates it with respect to the same parameters, which it takes from the
root by `bcast`; the root then has the gradient, and the others have zeros. What is differentiated is the value that all
ranks return, if they return the same, and the sum of what they return otherwise (a loss on one rank and zeros, say).

A rank may have nothing active in a message that it takes part in, and what it returns need not depend on one. So that
every message has its way back on every rank, and in order, a number runs through all of them: each takes it and gives
it on, and the last one has a cotangent.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from mpi4py import MPI

import chainrules
from chainrules import frule, is_absent, rrule, unthunk
from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context
from morula.errors import MorulaError
from morula.interop.remote import scaled
from morula.interop.trees import built, flatten, parts_at

__all__ = ["Line", "carry", "followed", "moved"]

Comm = MPI.Comm
Pair = tuple[Any, Any]
chainrules.opaque(Comm, MPI.Op, MPI.Status)


# -- the number that runs through all messages ------------------------------------------------------------


class Line:
    """The messages of one derivation.

    Attributes:
        comm: the processes that run this program.
        token: the number, and its shadow.
        loose: the shadows of the number, and of its tangents, after the last message.
    """

    def __init__(self, comm: Any):
        self.comm = comm
        self.token: Pair | None = None
        self.loose: list[list] = []

    def __call__(self, y: Any, bar: Any) -> Any:
        """The part of a seed that a rank begins with: of a value that all ranks have, only one of them is meant."""
        for shadow in self.loose:
            shadow[0] += 1.0
        same = np.array_equal(y, self.comm.bcast(y), equal_nan=True)
        return scaled(bar, 1.0 / self.comm.Get_size()) if self.comm.allreduce(same, MPI.LAND) else bar


def fresh(ctx: Context, depth: int) -> Pair:
    """A number that is active, with tangents in the derivations around it that are, too."""
    shadow: list = [0]
    for k in range(depth):
        ctx.set_dot(k, 1.0, shadow, *fresh(ctx, k))
    return 1.0, shadow


def shadows_of(ctx: Context, depth: int, token: Pair) -> Iterator[list]:
    """That of the number and those of its tangents."""
    yield token[1]
    for k in range(depth):
        dot = ctx.dots(k, *token)
        if dot is not None:
            yield from shadows_of(ctx, k, dot)


def with_tangents(ctx: Context, token: Pair) -> Pair:
    """The number, with a tangent also in derivations that have begun since."""
    for k in range(ctx.depth):
        if ctx.dots(k, *token) is None:
            ctx.set_dot(k, *token, *fresh(ctx, k))
    return token


def followed(*fs: Any) -> Callable:
    """Declare what methods of communicators do, whether anything active reaches them or not; a decorator.

    Args:
        fs: the methods.

    Returns:
        A decorator for a function of the number and of the same arguments, which returns the number and the result.
    """

    def declare(body: Callable) -> Callable:
        def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
            line = ctx.collective
            if not isinstance(line, Line):
                line = ctx.collective = Line(args[0])
            before = with_tangents(ctx, line.token or fresh(ctx, ctx.depth))
            taken = [id(s) for s in shadows_of(ctx, ctx.depth, before)]
            found, found_d = ctx.call(body, (before[0], *args), (before[1], *ds), kw, kw_d)
            line.token = ctx.getitem(found, found_d, 0, None)
            line.loose = [s for s in line.loose if id(s) not in taken]
            line.loose += shadows_of(ctx, ctx.depth, line.token)
            return ctx.getitem(found, found_d, 1, None)

        structural(*fs)(handler)
        return body

    return declare


# -- one message ------------------------------------------------------------------------------------------


class Message:
    """A message that was sent.

    Attributes:
        kind: its name in `KINDS`.
        how: the communicator, and where it goes.
        node, out: the structures of what this rank gave and got.
        ys: the numbers and arrays that it got.
        number: of this message among those of all ranks of the communicator.
    """

    def __init__(self, kind: str, how: tuple, node: Any, out: Any, ys: tuple):
        self.kind, self.how, self.node, self.out, self.ys = kind, how, node, out, ys
        self.number = 0
        if kind not in BETWEEN_TWO:
            handle = MPI._handleof(how[0])
            self.number = _numbers[handle] = _numbers.get(handle, 0) + 1


_numbers: dict[int, int] = {}
BETWEEN_TWO = ("send", "isend", "recv", "sendrecv")
chainrules.opaque(Message)


def is_smooth(x: Any) -> bool:
    """Whether a part of a message has derivatives."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "fc"
    return isinstance(x, float | complex | np.floating | np.complexfloating)


def exchanged(kind: str, x: Any, how: tuple) -> Any:
    """Send a message; what this rank gets is its own."""
    y = KINDS[kind][0](x, *how)
    return copy.deepcopy(y) if y is x else y


def matters(kind: str, how: tuple, here: bool) -> bool:
    """Whether a message has derivatives: on all ranks that take part, or on none."""
    return here if kind in BETWEEN_TWO else how[0].allreduce(here, MPI.LOR)


def message(*of_message: Any) -> Message:
    """A message as a constant."""
    return Message(*of_message)


chainrules.non_differentiable(exchanged, matters, message)


def carry(token: Any, kind: str, x: Any, *how: Any) -> tuple[Any, Any]:
    """Send a message: the number, and what this rank gets."""
    xs: list = []
    node = flatten(x, is_smooth, xs)
    y = exchanged(kind, x, how)
    ys: list = []
    out = flatten(y, is_smooth, ys)
    if not matters(kind, how, bool(xs or ys)):
        return token, y
    token, found = moved(token, tuple(xs), message(kind, how, node, out, tuple(ys)))
    return token, built(out, found)


def moved(token: Any, xs: tuple, sent: Message) -> tuple[Any, tuple]:
    """The number, and the numbers and arrays that a message brought."""
    return token, sent.ys


def filled(values: tuple, bars: Any) -> list:
    """Cotangents or tangents of values, zeros where there are none."""
    given = (None,) * len(values) if bars is None or is_absent(bars) else bars
    return [
        np.zeros(np.shape(v), np.asarray(v).dtype)[()] if b is None or is_absent(b) else unthunk(b)
        for v, b in zip(values, given, strict=True)
    ]


@rrule(moved)
def moved_rule(token: Any, xs: tuple, sent: Message) -> Any:
    def moved_pullback(bars: Any) -> tuple:
        y_bar = built(sent.out, filled(sent.ys, bars[1]))
        found = parts_at(sent.node, turned(sent, y_bar), [])
        return 1.0, tuple(filled(xs, found)), None

    return (token, sent.ys), moved_pullback


def turned(sent: Message, y_bar: Any) -> Any:
    """Send the cotangents back.

    Raises:
        MorulaError: the ranks have come to different messages.
    """
    comm = sent.how[0]
    if sent.number and len(set(comm.allgather(sent.number))) > 1:
        raise MorulaError(
            "the ranks go back over different calls of mpi4py: all ranks of a communicator must make the same calls"
        )
    return KINDS[sent.kind][1](y_bar, *sent.how)


@frule(moved)
def moved_forward(primals: tuple, tangents: tuple) -> Any:
    token, xs, sent = primals
    token_dot = 1.0 if tangents[0] is None or is_absent(tangents[0]) else tangents[0]
    x_dot = built(sent.node, filled(xs, tangents[1]))
    token_dot, y_dot = carry(token_dot, sent.kind, x_dot, *sent.how)
    found: list = []
    flatten(y_dot, is_smooth, found)
    return (token, sent.ys), (token_dot, tuple(found))


def summed(bar: Any, comm: Any, root: int) -> Any:
    """A structure of cotangents added up at the root."""
    leaves: list = []
    node = flatten(bar, is_smooth, leaves)
    found = [comm.reduce(leaf, MPI.SUM, root) for leaf in leaves]
    return built(node, found) if comm.Get_rank() == root else None


def added(bars: list) -> Any:
    """A sum of structures."""
    lists: list[list] = []
    for bar in bars:
        lists.append([])
        node = flatten(bar, is_smooth, lists[-1])
    return built(node, [functools.reduce(lambda a, b: a + b, parts) for parts in zip(*lists, strict=True)])


_under_way: list[Any] = []  # messages under way, which need not have come before the next one


def sent_at_once(bar: Any, comm: Any, source: int, tag: int) -> None:
    """Send without waiting for who gets it."""
    _under_way[:] = [request for request in _under_way if not request.test()[0]]
    _under_way.append(comm.isend(bar, source, tag))


KINDS: dict[str, tuple[Callable, Callable]] = {  # what a message does, and its transpose
    "allreduce": (lambda x, comm: comm.allreduce(x, MPI.SUM), lambda bar, comm: comm.allreduce(bar, MPI.SUM)),
    "bcast": (lambda x, comm, root: comm.bcast(x, root), summed),
    "allgather": (lambda x, comm: comm.allgather(x), lambda bars, comm: added(comm.alltoall(bars))),
    "alltoall": (lambda x, comm: comm.alltoall(x), lambda bars, comm: comm.alltoall(bars)),
    "reduce": (lambda x, comm, root: comm.reduce(x, MPI.SUM, root), lambda bar, comm, root: comm.bcast(bar, root)),
    "gather": (lambda x, comm, root: comm.gather(x, root), lambda bars, comm, root: comm.scatter(bars, root)),
    "scatter": (lambda x, comm, root: comm.scatter(x, root), lambda bar, comm, root: comm.gather(bar, root)),
    "send": (lambda x, comm, dest, tag: comm.send(x, dest, tag), lambda _, comm, dest, tag: comm.recv(None, dest, tag)),
    "isend": (sent_at_once, lambda _, comm, dest, tag: comm.recv(None, dest, tag)),
    "recv": (lambda _, comm, source, tag: comm.recv(None, source, tag), sent_at_once),
    "sendrecv": (
        lambda x, comm, dest, source, tag, got: comm.sendrecv(x, dest, tag, None, source, got),
        lambda bar, comm, dest, source, tag, got: comm.sendrecv(bar, source, got, None, dest, tag),
    ),
}  # fmt: skip
