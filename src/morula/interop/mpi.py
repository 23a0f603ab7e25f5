"""What `mpi4py` means in differentiated programs: communication is linear, and its way back communicates, too.

Every rank runs the same program and differentiates it with respect to the same parameters, which it takes from the root
by `bcast`. What `allreduce` gives is one value that all ranks hold, so each rank has the whole cotangent of it, and a
loss that every rank returns is one loss. The pullback of `bcast` adds the cotangents of all ranks up at the root, which
then has the gradient; the others have zeros.

What one rank alone computes with would leave the others waiting on the way back: so `reduce`, `gather`, `scatter`,
`send` and `recv` are refused where they are given active values, and messages go both ways (`sendrecv`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI

import chainrules
from chainrules import NotImplementedDerivative, frule, is_absent, rrule, unthunk
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


def total(comm: Any, x: Any) -> Any:
    """The sum over all ranks, which each has."""
    return comm.allreduce(x, MPI.SUM)


@rrule(total)
def total_rule(comm: Any, x: Any) -> Any:
    return total(comm, x), lambda y_bar: (None, y_bar)


@frule(total)
def total_forward(primals: Any, tangents: Any) -> Any:
    comm, x = primals
    return total(comm, x), total(comm, given(tangents[1], x))


def from_root(comm: Any, x: Any, root: int) -> Any:
    """The value of one rank, which each has."""
    return comm.bcast(x, root)


@rrule(from_root)
def from_root_rule(comm: Any, x: Any, root: int) -> Any:
    y = from_root(comm, x, root)

    def from_root_pullback(y_bar: Any) -> tuple:
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
    ys = from_all(comm, x)

    def from_all_pullback(bars: Any) -> tuple:
        return None, given(unthunk(bars)[comm.Get_rank()], x)

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
    y = exchanged(comm, x, dest, source, tag)

    def exchanged_pullback(y_bar: Any) -> tuple:
        return None, exchanged(comm, given(y_bar, y), source, dest, tag), None, None, None

    return y, exchanged_pullback


@frule(exchanged)
def exchanged_forward(primals: Any, tangents: Any) -> Any:
    comm, x, *where = primals
    return exchanged(comm, x, *where), exchanged(comm, given(tangents[1], x), *where)


@means(Comm.allreduce)
def allreduce(self: Any, sendobj: Any, op: Any = MPI.SUM) -> Any:
    """The sum over all ranks."""
    refuse_other(op)
    return total(self, sendobj)


@means(Comm.Allreduce)
def allreduce_into(self: Any, sendbuf: Any, recvbuf: Any, op: Any = MPI.SUM) -> None:
    """The sum over all ranks, into an array."""
    refuse_other(op)
    recvbuf[...] = total(self, recvbuf.copy() if sendbuf is MPI.IN_PLACE else sendbuf.copy())


@means(Comm.bcast)
def bcast(self: Any, obj: Any, root: int = 0) -> Any:
    """The value of one rank."""
    return from_root(self, obj, root)


@means(Comm.Bcast)
def bcast_into(self: Any, buf: Any, root: int = 0) -> None:
    """The values of one rank, into an array."""
    buf[...] = from_root(self, buf.copy(), root)


@means(Comm.allgather)
def allgather(self: Any, sendobj: Any) -> list:
    """The values of all ranks."""
    return from_all(self, sendobj)


@means(Comm.Allgather)
def allgather_into(self: Any, sendbuf: Any, recvbuf: Any) -> None:
    """The values of all ranks, into an array."""
    for i, part in enumerate(from_all(self, sendbuf.copy())):
        recvbuf.reshape(self.Get_size(), -1)[i] = part.ravel()


@means(Comm.sendrecv)
def sendrecv(
    self: Any, sendobj: Any, dest: int, sendtag: int = 0, recvbuf: Any = None, source: int = MPI.ANY_SOURCE,
    recvtag: int = MPI.ANY_TAG, status: Any = None,
) -> Any:  # fmt: skip
    """What another rank sends, in exchange."""
    refuse_any(source)
    return exchanged(self, sendobj, dest, source, sendtag)


@means(Comm.Sendrecv)
def sendrecv_into(
    self: Any, sendbuf: Any, dest: int, sendtag: int = 0, recvbuf: Any = None, source: int = MPI.ANY_SOURCE,
    recvtag: int = MPI.ANY_TAG, status: Any = None,
) -> None:  # fmt: skip
    """What another rank sends, in exchange, into an array."""
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
