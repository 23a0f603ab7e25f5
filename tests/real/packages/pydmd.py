import numpy as np
from pydmd import DMD, OptDMD
from pydmd.utils import compute_svd, compute_tlsq, pseudo_hankel_matrix

t = np.linspace(0, 4, 12)
space = np.linspace(-1, 1, 6)[:, None]
X = np.exp(-(space**2)) * np.cos(2.3 * t) + space * np.exp(-0.3 * t) + 0.01 * np.sin(space * t**2 * 3)


def fitted(x, kind=DMD, **options):
    d = kind(svd_rank=2, **options)
    d.fit(x)
    return d


CALLS = {
    "eigs": (lambda x: np.sort(np.abs(fitted(x).eigs)) + fitted(x).eigs.imag.sum(), X),
    "reconstructed_data": (lambda x: fitted(x).reconstructed_data, X),
    "exact modes": (lambda x: np.abs(fitted(x, exact=True).modes), X),
    "compute_tlsq": (lambda x: compute_tlsq(x[:, :-1], x[:, 1:], 3)[0], X),
    "compute_svd": (lambda x: compute_svd(x, 2)[1], X),
    "pseudo_hankel_matrix": (lambda x: pseudo_hankel_matrix(x, 3), X),
    "OptDMD": (lambda x: np.abs(fitted(x, OptDMD, factorization="evd").eigs), X),
}
