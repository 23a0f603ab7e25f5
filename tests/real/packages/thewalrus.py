import numpy as np
from thewalrus import hafnian, hermite_multidimensional, perm, tor
from thewalrus.quantum import Amat, Covmat, density_matrix, photon_number_mean, photon_number_mean_vector
from thewalrus.symplectic import beam_splitter, expand, squeezing, two_mode_squeezing

CALLS: dict = {}
A = np.array([[0.2, 0.5, 0.3, 0.1], [0.5, 0.4, 0.2, 0.6], [0.3, 0.2, 0.1, 0.7], [0.1, 0.6, 0.7, 0.3]])
CALLS["hafnian"] = (lambda a: hafnian(a + a.T), A)
CALLS["loop hafnian"] = (lambda a: hafnian(a + a.T, loop=True), A)
CALLS["perm"] = (lambda a: perm(a, method="ryser"), A)
CALLS["perm bbfg"] = (lambda a: perm(a, method="bbfg"), A)
CALLS["tor"] = (lambda a: tor(0.2 * (a + a.T)), A)
CALLS["hermite"] = (lambda r: hermite_multidimensional(r, 3, y=np.array([0.3, 0.2])), A[:2, :2] + A[:2, :2].T)
CALLS["squeezing"] = (lambda r, p: squeezing(r, p), 0.6, 0.3)
CALLS["beam_splitter"] = (beam_splitter, 0.4, 0.2)
CALLS["two_mode_squeezing"] = (two_mode_squeezing, 0.4, 0.2)


def state(r, theta):
    s = expand(squeezing(r, 0.0), 0, 2)
    t = beam_splitter(theta, 0.1) @ s
    return t @ t.T


CALLS["Covmat of Amat"] = (lambda r, t: Covmat(Amat(state(r, t))), 0.5, 0.3)
CALLS["photon_number_mean"] = (
    lambda r, t: photon_number_mean(np.array([0.1, 0.2, 0.3, 0.4]), state(r, t), 0),
    0.5,
    0.3,
)
CALLS["photon numbers"] = (lambda r, t: photon_number_mean_vector(np.full(4, 0.2), state(r, t)), 0.5, 0.3)
CALLS["density_matrix"] = (lambda r, t: density_matrix(np.full(4, 0.2), state(r, t), cutoff=3), 0.5, 0.3)
