import copulae
import numpy as np

CALLS: dict = {}
U = np.array([[0.2, 0.4], [0.7, 0.6], [0.5, 0.9]])


def clayton(theta):
    cop = copulae.ClaytonCopula(dim=2)
    cop.params = theta
    return cop


CALLS["Clayton pdf"] = (lambda t: clayton(t).pdf(U), 1.3)
CALLS["Clayton log_lik"] = (lambda t: clayton(t).log_lik(U, to_pobs=False), 1.3)
CALLS["Clayton cdf"] = (lambda u: clayton(1.3).cdf(u), U)


def gaussian(rho):
    cop = copulae.GaussianCopula(dim=2)
    cop.params = np.array([rho])
    return cop


CALLS["Gaussian pdf"] = (lambda r: gaussian(r).pdf(U), 0.4)
CALLS["Gaussian tau"] = (lambda r: gaussian(r).tau, 0.4)


def gumbel(theta):
    cop = copulae.GumbelCopula(dim=2)
    cop.params = theta
    return cop


CALLS["Gumbel cdf"] = (lambda t: gumbel(t).cdf(U), 1.6)
CALLS["Gumbel pdf"] = (lambda t: gumbel(t).pdf(U), 1.6)
