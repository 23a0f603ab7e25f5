import numpy as np
from toqito.state_metrics import fidelity, helstrom_holevo, trace_distance
from toqito.state_props import concurrence, purity, von_neumann_entropy

CALLS: dict = {}


def mixed(p):
    bell = np.array([np.cos(p), 0.0, 0.0, np.sin(p)])
    return 0.8 * np.outer(bell, bell) + 0.2 * np.diag([0.4, 0.3, 0.2, 0.1])


CALLS["trace_distance"] = (lambda p: trace_distance(mixed(p), mixed(0.9)), 0.4)
CALLS["fidelity"] = (lambda p: fidelity(mixed(p), mixed(0.9)), 0.4)
CALLS["purity"] = (lambda p: purity(mixed(p)), 0.4)
CALLS["von_neumann_entropy"] = (lambda p: von_neumann_entropy(mixed(p)), 0.4)
CALLS["concurrence"] = (lambda p: concurrence(mixed(p)), 0.4)
CALLS["helstrom_holevo"] = (lambda p: helstrom_holevo(mixed(p), mixed(0.9)), 0.4)
