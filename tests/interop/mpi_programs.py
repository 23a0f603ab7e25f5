"""Run by each of several ranks: programs of mpi4py against the serial gradient."""

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
    found = comm.allreduce((np.sin(mine @ comm.bcast(w))).sum())
    return found**2 if rank == size - 1 else 0.0 * found


def serial_loss_at_one_rank(w):
    return np.sin(everything @ w).sum() ** 2


PROGRAMS = [
    (lower, serial_lower), (upper, serial_upper), (ring, serial_ring), (gathered, serial_gathered),
    (with_penalty, serial_with_penalty), (variance, serial_variance), (loss_at_one_rank, serial_loss_at_one_rank),
]  # fmt: skip


def only_at_root(x):
    return x if rank == 0 else np.zeros_like(x)


for program, serial in PROGRAMS:
    found = morula.withgradient(program, w)
    if program is not loss_at_one_rank or rank == size - 1:
        np.testing.assert_allclose(found.value, serial(w), rtol=1e-12)
    np.testing.assert_allclose(found.gradient[0], only_at_root(morula.gradient(serial, w)[0]), rtol=1e-11, atol=1e-13)
    tangent = morula.jvp(program, (w,), (v,))[1]
    if program is not loss_at_one_rank or rank == size - 1:
        np.testing.assert_allclose(tangent, morula.jvp(serial, (w,), (v,))[1], rtol=1e-11)
    if program is loss_at_one_rank:  # its other ranks need no second derivative of the sum
        try:
            morula.hvp(program, w, v)
        except morula.MorulaError as reason:
            assert "different calls" in str(reason)
            continue
        raise AssertionError("messages were mixed up")
    np.testing.assert_allclose(
        morula.hvp(program, w, v),
        only_at_root(morula.hvp(serial, w, v)),
        rtol=1e-10,
        atol=1e-12,
        err_msg=program.__name__,
    )
for refused in (lambda w: comm.reduce(w.sum()) or 0.0, lambda w: comm.allreduce(w.sum(), MPI.MAX)):
    try:
        morula.gradient(refused, w)
    except morula.NotDifferentiable as reason:
        assert "allreduce" in str(reason) or "MPI.SUM" in str(reason), reason
    else:
        raise AssertionError("not refused")
comm.Barrier()
if rank == 0:
    print("all ranks agree")
