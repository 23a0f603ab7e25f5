"""The methods of mpi4py's communicators in differentiated programs, by the messages of `morula.interop.mpi`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from mpi4py import MPI

import chainrules
from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable
from morula.interop.mpi import carry, followed, is_smooth

__all__ = ["buffer_in"]

Comm = MPI.Comm


UFUNCS = ((MPI.SUM, np.add), (MPI.MAX, np.maximum), (MPI.MIN, np.minimum), (MPI.PROD, np.multiply))


def reduced(token: Any, x: Any, comm: Any, op: Any) -> Any:
    """A reduction over all ranks; one that is no sum is computed from the values of all ranks."""
    if op == MPI.SUM:
        return carry(token, "allreduce", x, comm)
    token, xs = carry(token, "allgather", x, comm)
    return token, of_ranks(xs, op)


def of_ranks(xs: list, op: Any) -> Any:
    """A reduction of the values of several ranks."""
    if not any(is_smooth(x) for x in xs):
        return functools.reduce(op, xs)
    for operation, ufunc in UFUNCS:
        if op == operation:
            return functools.reduce(ufunc, xs)
    raise NotDifferentiable("of reductions over ranks MPI.SUM, MAX, MIN and PROD are implemented")


def buffer_in(spec: Any) -> Any:
    """The array of a specification such as ``[array, MPI.DOUBLE]``."""
    array = spec[0] if isinstance(spec, list | tuple) else spec
    if isinstance(spec, list | tuple) and any(isinstance(v, int | tuple | list) for v in spec[1:]):
        raise NotDifferentiable("messages of parts of an array are not implemented: send a slice of it")
    return array


def content_of(obj: Any) -> Any:
    """An object to send, or a copy of the array of a specification."""
    if isinstance(obj, list | tuple) and len(obj) == 2 and isinstance(obj[1], MPI.Datatype):
        obj = buffer_in(obj)
    return obj.copy() if isinstance(obj, np.ndarray) else obj


def fill(spec: Any, y: Any) -> None:
    """Write what was received into an array; what is shorter goes in front."""
    array = buffer_in(spec)
    array.reshape(-1)[: np.size(y)] = np.reshape(y, -1)


@followed(Comm.allreduce)
def allreduce(token: Any, self: Any, sendobj: Any, op: Any = MPI.SUM) -> Any:
    """A sum over all ranks, or the like."""
    return reduced(token, sendobj, self, op)


@followed(Comm.Allreduce)
def allreduce_into(token: Any, self: Any, sendbuf: Any, recvbuf: Any, op: Any = MPI.SUM) -> Any:
    """The same into an array."""
    own = buffer_in(recvbuf) if sendbuf is MPI.IN_PLACE else buffer_in(sendbuf)
    token, y = reduced(token, own.copy(), self, op)
    fill(recvbuf, y)
    return token, None


@followed(Comm.reduce)
def reduce(token: Any, self: Any, sendobj: Any, op: Any = MPI.SUM, root: int = 0) -> Any:
    """A sum over all ranks, or the like, at one of them."""
    if op == MPI.SUM:
        return carry(token, "reduce", sendobj, self, root)
    token, y = reduced(token, sendobj, self, op)
    return token, y if self.Get_rank() == root else None


@followed(Comm.Reduce)
def reduce_into(token: Any, self: Any, sendbuf: Any, recvbuf: Any, op: Any = MPI.SUM, root: int = 0) -> Any:
    """The same into an array."""
    own = buffer_in(recvbuf) if sendbuf is MPI.IN_PLACE else buffer_in(sendbuf)
    token, y = reduce(token, self, own.copy(), op, root)
    if self.Get_rank() == root:
        fill(recvbuf, y)
    return token, None


@followed(Comm.bcast)
def bcast(token: Any, self: Any, obj: Any, root: int = 0) -> Any:
    """The value of one rank; what the others have does not matter."""
    return carry(token, "bcast", obj, self, root)


@followed(Comm.Bcast)
def bcast_into(token: Any, self: Any, buf: Any, root: int = 0) -> Any:
    """The values of one rank, into an array."""
    token, y = carry(token, "bcast", buffer_in(buf).copy(), self, root)
    fill(buf, y)
    return token, None


@followed(Comm.allgather)
def allgather(token: Any, self: Any, sendobj: Any) -> Any:
    """The values of all ranks."""
    return carry(token, "allgather", sendobj, self)


@followed(Comm.Allgather)
def allgather_into(token: Any, self: Any, sendbuf: Any, recvbuf: Any) -> Any:
    """The values of all ranks, into an array."""
    token, ys = carry(token, "allgather", buffer_in(sendbuf).copy(), self)
    fill(recvbuf, np.concatenate([y.reshape(-1) for y in ys]))
    return token, None


@followed(Comm.alltoall)
def alltoall(token: Any, self: Any, sendobj: Any) -> Any:
    """A value of each rank, and one for each."""
    return carry(token, "alltoall", list(sendobj), self)


@followed(Comm.Alltoall)
def alltoall_into(token: Any, self: Any, sendbuf: Any, recvbuf: Any) -> Any:
    """The same for the parts of an array."""
    rows = buffer_in(recvbuf if sendbuf is MPI.IN_PLACE else sendbuf).reshape(self.Get_size(), -1)
    token, ys = carry(token, "alltoall", [rows[i].copy() for i in range(len(rows))], self)
    fill(recvbuf, np.concatenate([y.reshape(-1) for y in ys]))
    return token, None


@followed(MPI.Intracomm.scan)
def scan(token: Any, self: Any, sendobj: Any, op: Any = MPI.SUM) -> Any:
    """The sum over the ranks up to this one."""
    token, xs = carry(token, "allgather", sendobj, self)
    return token, of_ranks(xs[: self.Get_rank() + 1], op)


@followed(MPI.Intracomm.exscan)
def exscan(token: Any, self: Any, sendobj: Any, op: Any = MPI.SUM) -> Any:
    """The sum over the ranks before this one; None on the first."""
    token, xs = carry(token, "allgather", sendobj, self)
    return token, of_ranks(xs[: self.Get_rank()], op) if self.Get_rank() else None


@followed(Comm.gather)
def gather(token: Any, self: Any, sendobj: Any, root: int = 0) -> Any:
    """The values of all ranks, at one of them."""
    return carry(token, "gather", sendobj, self, root)


@followed(Comm.Gather)
def gather_into(token: Any, self: Any, sendbuf: Any, recvbuf: Any, root: int = 0) -> Any:
    """The values of all ranks, into an array at one of them."""
    token, ys = carry(token, "gather", buffer_in(sendbuf).copy(), self, root)
    if self.Get_rank() == root:
        fill(recvbuf, np.concatenate([y.reshape(-1) for y in ys]))
    return token, None


@followed(Comm.scatter)
def scatter(token: Any, self: Any, sendobj: Any, root: int = 0) -> Any:
    """One of the values that one rank has."""
    return carry(token, "scatter", list(sendobj) if self.Get_rank() == root else None, self, root)


@followed(Comm.Scatter)
def scatter_into(token: Any, self: Any, sendbuf: Any, recvbuf: Any, root: int = 0) -> Any:
    """A part of an array that one rank has."""
    parts = None
    if self.Get_rank() == root:
        rows = buffer_in(sendbuf).reshape(self.Get_size(), -1)
        parts = [rows[i].copy() for i in range(len(rows))]
    token, y = carry(token, "scatter", parts, self, root)
    fill(recvbuf, y)
    return token, None


@followed(Comm.send, Comm.ssend, Comm.Send, Comm.Ssend)
def send(token: Any, self: Any, obj: Any, dest: int, tag: int = 0) -> Any:
    """A message to one rank; arrays of other calls go the same way."""
    return carry(token, "send", content_of(obj), self, dest, tag)


@followed(Comm.recv)
def recv(
    token: Any, self: Any, buf: Any = None, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG, status: Any = None
) -> Any:  # fmt: skip
    """A message of one rank."""
    return carry(token, "recv", None, self, *sender(self, source, tag, status))


@followed(Comm.Recv)
def recv_into(
    token: Any, self: Any, buf: Any, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG, status: Any = None
) -> Any:  # fmt: skip
    """A message of one rank, into an array."""
    token, y = carry(token, "recv", None, self, *sender(self, source, tag, status))
    fill(buf, y)
    return token, None


def sender(comm: Any, source: int, tag: int, status: Any) -> tuple[int, int]:
    """Who has sent the next message, and with which tag."""
    if source != MPI.ANY_SOURCE and tag != MPI.ANY_TAG and status is None:
        return source, tag
    found = MPI.Status() if status is None else status
    comm.probe(source, tag, found)
    return found.Get_source(), found.Get_tag()


chainrules.non_differentiable(sender, Comm.Get_rank, Comm.Get_size, Comm.Barrier, Comm.barrier)


@followed(Comm.sendrecv)
def sendrecv(
    token: Any, self: Any, sendobj: Any, dest: int, sendtag: int = 0, recvbuf: Any = None,
    source: int = MPI.ANY_SOURCE, recvtag: int = MPI.ANY_TAG, status: Any = None,
) -> Any:  # fmt: skip
    """What another rank sends, in exchange."""
    refuse_any(source)
    return carry(token, "sendrecv", sendobj, self, dest, source, sendtag, tag_of(recvtag, sendtag))


@followed(Comm.Sendrecv)
def sendrecv_into(
    token: Any, self: Any, sendbuf: Any, dest: int, sendtag: int = 0, recvbuf: Any = None,
    source: int = MPI.ANY_SOURCE, recvtag: int = MPI.ANY_TAG, status: Any = None,
) -> Any:  # fmt: skip
    """What another rank sends, in exchange, into an array."""
    refuse_any(source)
    own = buffer_in(sendbuf).copy()
    token, y = carry(token, "sendrecv", own, self, dest, source, sendtag, tag_of(recvtag, sendtag))
    fill(recvbuf, y)
    return token, None


def refuse_any(source: int) -> None:
    """Raise where nobody says who sends: the way back has to know."""
    if source == MPI.ANY_SOURCE:
        raise NotDifferentiable("an exchange with any source has no way back: say from which rank")


def tag_of(recvtag: int, sendtag: int) -> int:
    """The tag of what is received; where any will do, that of what is sent."""
    return sendtag if recvtag == MPI.ANY_TAG else recvtag


class Sent:
    """A message that is under way, in the place of a request."""

    def wait(self, status: Any = None) -> None:
        """It has gone."""

    Wait = wait

    def test(self, status: Any = None) -> tuple:
        """It has gone."""
        return True, None

    def Test(self, status: Any = None) -> bool:
        """It has gone."""
        return True


class Awaited(Sent):
    """A message to come, in the place of a request; it is received when it is waited for."""

    def __init__(self, comm: Any, into: Any, source: int, tag: int):
        self.comm, self.into, self.source, self.tag = comm, into, source, tag
        self.found: list = []

    def wait(self, status: Any = None) -> Any:
        """What has come."""
        if not self.found:
            if self.into is None:
                self.found.append(self.comm.recv(None, self.source, self.tag, status))
            else:
                self.comm.Recv(self.into, self.source, self.tag, status)
                self.found.append(None)
        return self.found[0]

    Wait = wait

    def test(self, status: Any = None) -> tuple:
        """What has come, after a wait."""
        return True, self.wait(status)

    def Test(self, status: Any = None) -> bool:
        """True, after a wait."""
        self.wait(status)
        return True


@followed(Comm.isend, Comm.Isend, Comm.issend, Comm.Issend)
def isend(token: Any, self: Any, obj: Any, dest: int, tag: int = 0) -> Any:
    """A message to one rank, which need not have come before the next one."""
    token, _ = carry(token, "isend", content_of(obj), self, dest, tag)
    return token, Sent()


@followed(Comm.irecv)
def irecv(token: Any, self: Any, buf: Any = None, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG) -> Any:
    """A message to come."""
    return token, Awaited(self, None, source, tag)


@followed(Comm.Irecv)
def irecv_into(token: Any, self: Any, buf: Any, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG) -> Any:
    """A message to come, into an array."""
    return token, Awaited(self, buf, source, tag)


@structural(MPI.Request.waitall.__func__, MPI.Request.Waitall.__func__)
def _wait_all(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> tuple[Any, Any]:
    return ctx.call(wait_all, args, ds, kw, kw_d)


def wait_all(cls: type, requests: Any, statuses: Any = None) -> list:
    """What has come."""
    return [request.wait() for request in requests]


chainrules.unsupported(
    "its transpose is not implemented: use allreduce, allgather, bcast, gather, scatter, reduce, send and recv",
    Comm.Gatherv, Comm.Scatterv, Comm.Allgatherv, Comm.Alltoallv, MPI.Intracomm.Scan, MPI.Intracomm.Exscan,
    Comm.Reduce_scatter, Comm.Ibcast, Comm.Iallreduce,
)  # fmt: skip
