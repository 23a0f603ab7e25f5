"""Run by each of several ranks: programs of mpi4py against the serial gradient."""

import sys

import numpy as np
from mpi4py import MPI

import morula

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
parts = [np.random.default_rng(r).random((20, 3)) for r in range(size)]
mine, everything = parts[rank], np.concatenate(parts)
w = np.array([0.1, -0.2, 0.3])
v = np.array([1.0, 0.5, -2.0])


def lower(w):
    return comm.allreduce((np.tanh(mine @ comm.bcast(w)) ** 2).sum())


def serial_lower(w):
    return (np.tanh(everything @ w) ** 2).sum()


def upper(w):
    own = np.array(w)
    comm.Bcast(own, root=0)
    part, whole = np.tanh(mine.T @ np.tanh(mine @ own)), np.empty(3)
    comm.Allreduce(part, whole, op=MPI.SUM)
    return (whole**2).sum()


def serial_upper(w):
    return (sum(np.tanh(d.T @ np.tanh(d @ w)) for d in parts) ** 2).sum()


def ring(w):
    own = comm.bcast(w) * (rank + 1.0)
    z = np.tanh(own)
    got = comm.sendrecv(z, dest=(rank + 1) % size, source=(rank - 1) % size)
    other = np.empty(3)
    comm.Sendrecv(z * 2.0, dest=(rank - 1) % size, recvbuf=other, source=(rank + 1) % size)
    return comm.allreduce((got**2).sum() + (other * z).sum())


def serial_ring(w):
    zs = [np.tanh(w * (r + 1.0)) for r in range(size)]
    return sum((zs[r - 1] ** 2).sum() + (2.0 * zs[(r + 1) % size] * zs[r]).sum() for r in range(size))


def gathered(w):
    ys = comm.allgather((mine @ comm.bcast(w)).sum())
    return comm.allreduce(sum(y**2 for y in ys)) / size


def serial_gathered(w):
    return sum((d @ w).sum() ** 2 for d in parts)


def with_penalty(w):
    own = comm.bcast(w)
    return comm.allreduce(((mine @ own) ** 3).sum()) + 0.3 * (own**2).sum()


def serial_with_penalty(w):
    return ((everything @ w) ** 3).sum() + 0.3 * (w**2).sum()


def variance(w):
    z = mine @ comm.bcast(w)
    n = comm.allreduce(len(z))
    mean = comm.allreduce(z.sum()) / n
    return mean**2 + comm.allreduce(((z - mean) ** 3).sum()) / n


def serial_variance(w):
    z = everything @ w
    return z.mean() ** 2 + ((z - z.mean()) ** 3).mean()


def loss_at_one_rank(w):
    found = comm.reduce((np.sin(mine @ comm.bcast(w if rank == 0 else None))).sum(), root=size - 1)
    return found**2 if rank == size - 1 else 0.0


def serial_loss_at_one_rank(w):
    return np.sin(everything @ w).sum() ** 2


def around_the_ring(w):
    """Each rank adds to what comes from the one before; the last one has the loss."""
    own = comm.bcast(w)
    z = np.tanh(own * (rank + 1.0))
    if rank > 0:
        z = z * comm.recv(source=rank - 1, tag=7)
    if rank < size - 1:
        comm.send(z, dest=rank + 1, tag=7)
        return 0.0
    return (z**3).sum()


def serial_around_the_ring(w):
    return (np.prod([np.tanh(w * (r + 1.0)) for r in range(size)], axis=0) ** 3).sum()


def halo(w):
    """Neighbours exchange the edges of their parts of a rod, without blocking, into buffers."""
    own, left, right = np.empty(3), np.zeros(1), np.zeros(1)
    if rank == 0:
        own[:] = w
    comm.Bcast([own, MPI.DOUBLE], root=0)
    u = np.sin(own * (rank + 1.0))
    for _ in range(2):
        waiting = []
        if rank > 0:
            waiting += [comm.Isend(u[:1], rank - 1), comm.Irecv(left, rank - 1)]
        if rank < size - 1:
            waiting += [comm.Isend(u[-1:], rank + 1), comm.Irecv(right, rank + 1)]
        MPI.Request.Waitall(waiting)
        padded = np.concatenate([left, u, right])
        u = u + 0.1 * (padded[2:] - 2.0 * u + padded[:-2])
    total = np.zeros(1)
    comm.Reduce((u**2).sum().reshape(1), total, op=MPI.SUM, root=0)
    return total[0] if rank == 0 else 0.0


def serial_halo(w):
    u = np.concatenate([np.sin(w * (r + 1.0)) for r in range(size)])
    for _ in range(2):
        padded = np.concatenate([np.zeros(1), u, np.zeros(1)])
        u = u + 0.1 * (padded[2:] - 2.0 * u + padded[:-2])
    return (u**2).sum()


def scattered(w):
    """One rank cuts the work and puts the results together."""
    works = [{"w": w * (r + 1.0), "name": "part"} for r in range(size)] if rank == 0 else None
    work = comm.scatter(works, root=0)
    found = comm.gather({"loss": (np.tanh(work["w"]) ** 2).sum(), "rank": rank}, root=0)
    if rank != 0:
        return 0.0
    return sum(part["loss"] * (part["rank"] + 1) for part in found)


def serial_scattered(w):
    return sum((np.tanh(w * (r + 1.0)) ** 2).sum() * (r + 1) for r in range(size))


def scattered_arrays(w):
    rows, row, sums = None, np.empty(3), np.empty(size) if rank == 0 else None
    if rank == 0:
        rows = np.outer(np.arange(1.0, size + 1.0), w)
    comm.Scatter(rows, row, root=0)
    comm.Gather((row**3).sum().reshape(1), sums, root=0)
    return (sums**2).sum() if rank == 0 else 0.0


def serial_scattered_arrays(w):
    return sum((((r + 1.0) * w) ** 3).sum() ** 2 for r in range(size))


def from_anyone(w):
    """A master collects what comes first; workers know nothing of the parameters but by messages."""
    if rank == 0:
        for r in range(1, size):
            comm.send({"w": w, "shard": r}, dest=r)
        total, status = 0.0, MPI.Status()
        for _ in range(1, size):
            found = comm.recv(source=MPI.ANY_SOURCE, status=status)
            total += found * status.Get_source()
        return total
    work = comm.recv(source=0)
    comm.send((np.cos(work["w"]) * work["shard"]).sum(), dest=0)
    return 0.0


def serial_from_anyone(w):
    return sum((np.cos(w) * r).sum() * r for r in range(1, size))


def swapped(w):
    parts = comm.alltoall([comm.bcast(w)[r % 3] * (rank + 1.0) for r in range(size)])
    return comm.allreduce(sum(p**2 for p in parts))


def serial_swapped(w):
    return sum((w[r % 3] * (q + 1.0)) ** 2 for r in range(size) for q in range(size))


def swapped_parts(w):
    rows, got = np.outer(np.arange(1.0, size + 1), comm.bcast(w)[:2] * (rank + 1.0)), np.empty(2 * size)
    comm.Alltoall([rows, MPI.DOUBLE], got)
    comm.Alltoall(MPI.IN_PLACE, got)
    return comm.allreduce((got**2 * np.arange(2.0 * size)).sum())


def serial_swapped_parts(w):
    rows = [np.outer(np.arange(1.0, size + 1), w[:2] * (r + 1.0)).reshape(-1) for r in range(size)]
    return sum((row**2 * np.arange(2.0 * size)).sum() for row in rows)


def prefixes(w):
    x = np.sin(comm.bcast(w) * (rank + 1.0))
    before, upto, largest = comm.exscan(x), comm.scan(x), comm.scan(x[0], op=MPI.MAX)
    return comm.allreduce((upto**2).sum() * largest + (0.0 if before is None else (before**3).sum()))


def serial_prefixes(w):
    xs, total = [np.sin(w * (r + 1.0)) for r in range(size)], 0.0
    for r in range(size):
        total += (sum(xs[: r + 1]) ** 2).sum() * max(x[0] for x in xs[: r + 1])
        total += (sum(xs[:r]) ** 3).sum() if r else 0.0
    return total


def extremes(w):
    x = (comm.bcast(w) * (rank + 1.0)).sum()
    sizes = comm.allreduce(len(mine), MPI.MAX)
    product = comm.reduce(x, MPI.PROD, root=0)
    largest = comm.allreduce(x, MPI.MAX) * sizes
    return largest**2 + product if rank == 0 else 0.0


def serial_extremes(w):
    xs = [(w * (r + 1.0)).sum() for r in range(size)]
    return (max(xs) * 20) ** 2 + np.prod(xs)


PROGRAMS = [
    (lower, serial_lower), (upper, serial_upper), (ring, serial_ring), (gathered, serial_gathered),
    (with_penalty, serial_with_penalty), (variance, serial_variance), (loss_at_one_rank, serial_loss_at_one_rank),
    (around_the_ring, serial_around_the_ring), (halo, serial_halo), (scattered, serial_scattered),
    (scattered_arrays, serial_scattered_arrays), (from_anyone, serial_from_anyone), (swapped, serial_swapped),
    (swapped_parts, serial_swapped_parts), (prefixes, serial_prefixes),
    (extremes, serial_extremes),
]  # fmt: skip


def same(found, wanted):
    """Whether the root has the gradient, and the others have none."""
    if rank == 0:
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
    else:
        assert found is None or not np.any(found)


for program, serial in PROGRAMS:
    if len(sys.argv) > 1 and program.__name__ not in sys.argv[1:]:
        continue
    if rank == 0:
        print(program.__name__, flush=True)
    found = morula.withgradient(program, w)
    everywhere = comm.allgather(found.value)
    value = everywhere[0] if len(set(everywhere)) == 1 else sum(everywhere)
    np.testing.assert_allclose(value, serial(w), rtol=1e-12)
    same(found.gradient[0], morula.gradient(serial, w)[0])
    tangents = comm.allgather(morula.jvp(program, (w,), (v,))[1])
    tangent = tangents[0] if len(set(everywhere)) == 1 else sum(t for t in tangents if t is not None)
    np.testing.assert_allclose(tangent, morula.jvp(serial, (w,), (v,))[1], rtol=1e-11)
    same(morula.hvp(program, w, v), morula.hvp(serial, w, v))
refused = lambda w: comm.allreduce(w.sum(), MPI.MAXLOC)
try:
    morula.gradient(refused, w)
except morula.NotDifferentiable as reason:
    assert "MPI.SUM" in str(reason), reason
else:
    raise AssertionError("not refused")
comm.Barrier()
if rank == 0:
    print("all ranks agree")
