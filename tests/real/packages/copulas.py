import numpy as np
from copulas.bivariate import Clayton, Frank, Gumbel
from copulas.univariate import GaussianUnivariate

u = np.array([[0.2, 0.3], [0.6, 0.4], [0.7, 0.9]])


def copula(kind, theta):
    c = kind()
    c.theta = theta
    c.tau = 0.4
    return c


def fitted(x):
    g = GaussianUnivariate()
    g.fit(x)
    return g


CALLS = {
    "Clayton.cumulative_distribution": (lambda t, u: copula(Clayton, t).cumulative_distribution(u), 1.4, u),
    "Clayton.probability_density": (lambda t, u: copula(Clayton, t).probability_density(u), 1.4, u),
    "Frank.cumulative_distribution": (lambda t, u: copula(Frank, t).cumulative_distribution(u), 2.4, u),
    "Frank.probability_density": (lambda t: copula(Frank, t).probability_density(u), 2.4),
    "Gumbel.cumulative_distribution": (lambda t, u: copula(Gumbel, t).cumulative_distribution(u), 1.6, u),
    "Gumbel.partial_derivative": (lambda u: copula(Gumbel, 1.6).partial_derivative(u), u),
    "GaussianUnivariate.probability_density": (
        lambda x: fitted(x).probability_density(np.array([0.3, 0.8])),
        np.array([0.1, 0.5, 0.4, 1.2]),
    ),
    "GaussianUnivariate.percent_point": (
        lambda x: fitted(x).percent_point(np.array([0.3, 0.8])),
        np.array([0.1, 0.5, 0.4, 1.2]),
    ),
}
