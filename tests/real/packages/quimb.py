import numpy as np
import quimb as qu

CALLS: dict = {}


def mixed(x):
    a = np.array([[1.0 + x, 0.2, 0.1j, 0.0], [0.2, 2.0, 0.3, 0.1], [-0.1j, 0.3, 1.5, 0.4], [0.0, 0.1, 0.4, 0.7 * x]])
    return qu.qarray(a / np.trace(a))


def pure(t):
    return qu.qu([np.cos(t), 0.3j, np.sin(t) * 0.5, 0.2], qtype="ket", normalized=True)


CALLS["rotation"] = (lambda t: qu.expec(qu.rotation(t, "x") @ qu.up(), qu.pauli("z")), 0.7)
CALLS["expec"] = (lambda t: qu.expec(pure(t), qu.ham_heis(2)), 0.6)
CALLS["fidelity"] = (lambda x: qu.fidelity(mixed(x), mixed(0.3)), 0.9)
CALLS["entropy"] = (lambda x: qu.entropy(mixed(x)), 0.9)
CALLS["purity"] = (lambda x: qu.tr(mixed(x) @ mixed(x)), 0.9)
CALLS["trace_distance"] = (lambda x: qu.trace_distance(mixed(x), mixed(0.3)), 0.9)
CALLS["partial trace"] = (lambda t: qu.partial_trace(pure(t), [2, 2], 0), 0.6)
CALLS["concurrence"] = (lambda x: qu.concurrence(pure(x)), 0.9)
CALLS["mutual information"] = (lambda t: qu.mutinf(pure(t)), 0.6)
CALLS["logneg"] = (lambda t: qu.logneg(pure(t)), 0.6)
CALLS["kron"] = (lambda t: qu.kron(qu.rotation(t), qu.hadamard()), 0.6)
CALLS["expm"] = (lambda t: qu.expm(-1j * t * qu.ham_heis(2)), 0.6)
