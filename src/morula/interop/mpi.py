"""What `mpi4py` means in differentiated programs: communication is linear, and its way back is its transpose.

Every rank runs the same program and differentiates it with respect to the same parameters, which it takes from the
root by `bcast`; the root then has the gradient, and the others have zeros. What is differentiated is the value that all
ranks return, if they return the same, and the sum of what they return otherwise (a loss on one rank and zeros, say).

What one rank alone computes with would leave the others waiting on the way back: so `reduce`, `gather`, `scatter`,
`send` and `recv` are refused where they are given active values, and messages go both ways (`sendrecv`).
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
from mpi4py import MPI

import chainrules
from chainrules import NotImplementedDerivative, frule, is_absent, rrule, unthunk
from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context
from morula.errors import MorulaError
from morula.interop.remote import scaled
from morula.verbs.tools import means

__all__ = ["exchanged", "from_all", "from_root", "total"]

Comm = MPI.Comm
chainrules.opaque(Comm, MPI.Op)


def refuse_other(op: Any) -> None:
    """Raise for reductions that are no sums."""
    if op != MPI.SUM:
        raise NotImplementedDerivative("of reductions over ranks only sums (MPI.SUM) are implemented")


def given(bar: Any, like: Any) -> Any:
    """A cotangent or tangent to send; zeros where there is none."""
    return np.zeros(np.shape(like))[()] if is_absent(bar) else unthunk(bar)


def together(comm: Any) -> None:
    """Several processes run this program."""


@structural(together)
def _together(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> tuple[Any, Any]:
    ctx.collective = functools.partial(share_of_seed, args[0])
    return None, None


def share_of_seed(comm: Any, y: Any, bar: Any) -> Any:
    """The part of a seed that a rank begins with: of a value that all ranks have, only one of them is meant."""
    same = np.array_equal(y, comm.bcast(y), equal_nan=True)
    return scaled(bar, 1.0 / comm.Get_size()) if comm.allreduce(same, MPI.LAND) else bar


_numbers = itertools.count()


def agreed(comm: Any, number: int) -> None:
    """Raise where the ranks have come to different calls on their way back, whose messages would be mixed up.

    Raises:
        MorulaError: they have.
    """
    if len(set(comm.allgather(number))) > 1:
        raise MorulaError(
            "the ranks go back over different calls of mpi4py: what one of them returns does not depend on a call that "
            "another one's result depends on. Let all ranks return the same value"
        )


def total(comm: Any, x: Any) -> Any:
    """The sum over all ranks, which each has."""
    return comm.allreduce(x, MPI.SUM)


@rrule(total)
def total_rule(comm: Any, x: Any) -> Any:
    number = next(_numbers)

    def total_pullback(y_bar: Any) -> tuple:
        agreed(comm, number)
        return None, total(comm, given(y_bar, x))

    return total(comm, x), total_pullback


@frule(total)
def total_forward(primals: Any, tangents: Any) -> Any:
    comm, x = primals
    return total(comm, x), total(comm, given(tangents[1], x))


def from_root(comm: Any, x: Any, root: int) -> Any:
    """The value of one rank, which each has."""
    return comm.bcast(x, root)


@rrule(from_root)
def from_root_rule(comm: Any, x: Any, root: int) -> Any:
    y, number = from_root(comm, x, root), next(_numbers)

    def from_root_pullback(y_bar: Any) -> tuple:
        agreed(comm, number)
        x_bar = total(comm, given(y_bar, y))
        return None, x_bar if comm.Get_rank() == root else x_bar * 0.0, None

    return y, from_root_pullback


@frule(from_root)
def from_root_forward(primals: Any, tangents: Any) -> Any:
    comm, x, root = primals
    return from_root(comm, x, root), from_root(comm, given(tangents[1], x), root)


def from_all(comm: Any, x: Any) -> list:
    """The values of all ranks, which each has."""
    return comm.allgather(x)


@rrule(from_all)
def from_all_rule(comm: Any, x: Any) -> Any:
    ys, number = from_all(comm, x), next(_numbers)

    def from_all_pullback(bars: Any) -> tuple:
        agreed(comm, number)
        found = comm.alltoall([given(bar, y) for bar, y in zip(unthunk(bars), ys, strict=True)])
        return None, sum(found[1:], found[0])

    return ys, from_all_pullback


@frule(from_all)
def from_all_forward(primals: Any, tangents: Any) -> Any:
    comm, x = primals
    return from_all(comm, x), from_all(comm, given(tangents[1], x))


def exchanged(comm: Any, x: Any, dest: int, source: int, tag: int) -> Any:
    """What `source` has sent here, while `x` goes to `dest`."""
    return comm.sendrecv(x, dest, tag, None, source, tag)


@rrule(exchanged)
def exchanged_rule(comm: Any, x: Any, dest: int, source: int, tag: int) -> Any:
    y, number = exchanged(comm, x, dest, source, tag), next(_numbers)

    def exchanged_pullback(y_bar: Any) -> tuple:
        agreed(comm, number)
        return None, exchanged(comm, given(y_bar, y), source, dest, tag), None, None, None

    return y, exchanged_pullback


@frule(exchanged)
def exchanged_forward(primals: Any, tangents: Any) -> Any:
    comm, x, *where = primals
    return exchanged(comm, x, *where), exchanged(comm, given(tangents[1], x), *where)


@means(Comm.allreduce)
def allreduce(self: Any, sendobj: Any, op: Any = MPI.SUM) -> Any:
    """The sum over all ranks."""
    together(self)
    refuse_other(op)
    return total(self, sendobj)


@means(Comm.Allreduce)
def allreduce_into(self: Any, sendbuf: Any, recvbuf: Any, op: Any = MPI.SUM) -> None:
    """The sum over all ranks, into an array."""
    together(self)
    refuse_other(op)
    recvbuf[...] = total(self, recvbuf.copy() if sendbuf is MPI.IN_PLACE else sendbuf.copy())


@means(Comm.bcast)
def bcast(self: Any, obj: Any, root: int = 0) -> Any:
    """The value of one rank."""
    together(self)
    return from_root(self, obj, root)


@means(Comm.Bcast)
def bcast_into(self: Any, buf: Any, root: int = 0) -> None:
    """The values of one rank, into an array."""
    together(self)
    buf[...] = from_root(self, buf.copy(), root)


@means(Comm.allgather)
def allgather(self: Any, sendobj: Any) -> list:
    """The values of all ranks."""
    together(self)
    return from_all(self, sendobj)


@means(Comm.Allgather)
def allgather_into(self: Any, sendbuf: Any, recvbuf: Any) -> None:
    """The values of all ranks, into an array."""
    together(self)
    for i, part in enumerate(from_all(self, sendbuf.copy())):
        recvbuf.reshape(self.Get_size(), -1)[i] = part.ravel()


@means(Comm.sendrecv)
def sendrecv(
    self: Any, sendobj: Any, dest: int, sendtag: int = 0, recvbuf: Any = None, source: int = MPI.ANY_SOURCE,
    recvtag: int = MPI.ANY_TAG, status: Any = None,
) -> Any:  # fmt: skip
    """What another rank sends, in exchange."""
    together(self)
    refuse_any(source)
    return exchanged(self, sendobj, dest, source, sendtag)


@means(Comm.Sendrecv)
def sendrecv_into(
    self: Any, sendbuf: Any, dest: int, sendtag: int = 0, recvbuf: Any = None, source: int = MPI.ANY_SOURCE,
    recvtag: int = MPI.ANY_TAG, status: Any = None,
) -> None:  # fmt: skip
    """What another rank sends, in exchange, into an array."""
    together(self)
    refuse_any(source)
    recvbuf[...] = exchanged(self, sendbuf.copy(), dest, source, sendtag)


def refuse_any(source: int) -> None:
    """Raise where nobody says who sends: the way back has to know."""
    if source == MPI.ANY_SOURCE:
        raise NotImplementedDerivative("an exchange with any source has no way back: say from which rank")


chainrules.unsupported(
    "on the way back the other ranks would wait for this one: let every rank have the value, by allreduce, allgather, "
    "bcast or sendrecv",
    Comm.reduce, Comm.Reduce, Comm.gather, Comm.Gather, Comm.scatter, Comm.Scatter, Comm.send, Comm.Send, Comm.recv,
    Comm.Recv, Comm.isend, Comm.irecv, Comm.Isend, Comm.Irecv,
)  # fmt: skip
