import numpy as np
from pygsp import filters, graphs

CALLS: dict = {}
S = np.cos(np.arange(8.0))


def ring():
    g = graphs.Ring(8)
    g.compute_fourier_basis()
    g.estimate_lmax()
    return g


CALLS["Heat"] = (lambda s: filters.Heat(ring(), 2.0).filter(s, method="exact"), S)
CALLS["chebyshev"] = (lambda s: filters.Heat(ring(), 2.0).filter(s, method="chebyshev"), S)
CALLS["tau"] = (lambda t: filters.Heat(ring(), t).filter(S, method="exact"), 2.0)
CALLS["gft"] = (lambda s: ring().gft(s), S)
CALLS["dirichlet_energy"] = (lambda s: ring().dirichlet_energy(s), S)
