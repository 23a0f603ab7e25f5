import nashpy as nash
import numpy as np

A = np.array([[3.0, 0.0], [1.0, 2.0]])

CALLS = {
    "payoff": (lambda A: nash.Game(A, A.T)[np.array([0.3, 0.7]), np.array([0.6, 0.4])], A),
    "strategies": (lambda s: nash.Game(A)[s, np.array([0.6, 0.4])], np.array([0.3, 0.7])),
    "support_enumeration": (
        lambda A: next(iter(nash.Game(A, -A).support_enumeration())),
        np.array([[3.0, 1.0], [1.0, 2.5]]),
    ),
    "replicator_dynamics": (
        lambda A: nash.Game(A).replicator_dynamics(y0=np.array([0.4, 0.6]), timepoints=np.linspace(0, 1, 5)),
        A,
    ),
}
