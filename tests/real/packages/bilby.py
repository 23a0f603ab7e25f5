import bilby
import numpy as np
from bilby.core.likelihood import ExponentialLikelihood, GaussianLikelihood, PoissonLikelihood, StudentTLikelihood

CALLS: dict = {}
X = np.linspace(0.0, 1.0, 6)
Y = 1.0 + 2.0 * X + 0.1 * np.cos(9 * X)


def line(x, m, c):
    return m * x + c


def logged(kind, y, **given):
    def log_likelihood(m, c):
        likelihood = kind(X, y, line, **given)
        try:
            return likelihood.log_likelihood({"m": m, "c": c})
        except TypeError:  # before parameters became an argument
            likelihood.parameters.update(m=m, c=c)
            return likelihood.log_likelihood()

    return log_likelihood


CALLS["GaussianLikelihood"] = (logged(GaussianLikelihood, Y, sigma=0.3), 1.7, 1.1)
CALLS["StudentTLikelihood"] = (logged(StudentTLikelihood, Y, nu=4.0, sigma=0.3), 1.7, 1.1)
CALLS["ExponentialLikelihood"] = (logged(ExponentialLikelihood, Y), 1.7, 1.1)
CALLS["PoissonLikelihood"] = (logged(PoissonLikelihood, np.array([1, 2, 1, 3, 2, 4])), 1.7, 1.1)
for name, prior in {
    "Gaussian": bilby.prior.Gaussian(0.4, 1.2),
    "PowerLaw": bilby.prior.PowerLaw(-2, 0.1, 5.0),
    "LogNormal": bilby.prior.LogNormal(0.1, 0.7),
    "Beta": bilby.prior.Beta(2.0, 3.0),
    "Gamma": bilby.prior.Gamma(2.0, 0.3),
    "Cosine": bilby.prior.Cosine(),
    "Cauchy": bilby.prior.Cauchy(0.3, 0.7),
    "TruncatedGaussian": bilby.prior.TruncatedGaussian(0.4, 1.2, -1.0, 3.0),
}.items():
    CALLS[f"{name}.ln_prob"] = (prior.ln_prob, 0.37)
    CALLS[f"{name}.rescale"] = (prior.rescale, 0.37)
CALLS["PriorDict.ln_prob"] = (
    lambda a, b: bilby.prior.PriorDict(
        {"a": bilby.prior.Gaussian(0, 1.3), "b": bilby.prior.PowerLaw(-2, 0.1, 5.0)}
    ).ln_prob({"a": a, "b": b}),
    0.37,
    0.6,
)
CALLS["chirp mass"] = (bilby.gw.conversion.component_masses_to_chirp_mass, 36.0, 29.0)
CALLS["component masses"] = (bilby.gw.conversion.chirp_mass_and_mass_ratio_to_component_masses, 28.0, 0.8)
