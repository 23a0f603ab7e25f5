"""Where rules are checked: arrays away from kinks, and how a case is written."""

import numpy as np

R = np.random.default_rng(7)
V = np.array([0.3, -1.2, 2.5, 0.9])
U = np.array([1.7, 0.6, -0.4, 1.1])
M = R.choice([-1.0, 1.0], (3, 4)) * R.uniform(0.3, 2.0, (3, 4))
N = R.choice([-1.0, 1.0], (3, 4)) * R.uniform(0.3, 2.0, (3, 4))
P = R.uniform(0.5, 2.0, size=(3, 4))
T = R.normal(size=(2, 3, 4))
S = R.normal(size=(3, 3)) + 3 * np.eye(3)
SS = R.normal(size=(2, 3, 3)) + 3 * np.eye(3)
H = S @ S.T
HH = SS @ SS.swapaxes(-1, -2)
C = M + 1j * N
CS = S + 1j * R.normal(size=(3, 3))
CH = CS @ CS.conj().T
EMPTY = np.zeros((0, 3))
MASK = np.array([[True, False, True, True], [True, True, False, True], [False, True, True, True]])


def case(f, *args, **kwargs):
    return f, args, kwargs


def both(name, *args, **kwargs):
    """The function and the method of the same name."""
    return [case(getattr(np, name), *args, **kwargs), case(getattr(np.ndarray, name), *args, **kwargs)]
