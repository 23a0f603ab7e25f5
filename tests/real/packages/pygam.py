import numpy as np
from pygam import GammaGAM, LinearGAM, LogisticGAM, PoissonGAM, l, s
from pygam.distributions import GammaDist, NormalDist, PoissonDist
from pygam.links import LogLink
from pygam.utils import b_spline_basis

CALLS: dict = {}
X = np.linspace(0, 3, 25)[:, None]
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 0] + 2
AT = np.array([[0.4], [1.3]])

CALLS["LinearGAM"] = (lambda y: LinearGAM(s(0, n_splines=6)).fit(X, y).predict(AT), Y)
CALLS["linear term"] = (lambda y: LinearGAM(l(0)).fit(X, y).predict(AT), Y)
CALLS["predict at"] = (lambda x: LinearGAM(s(0, n_splines=6)).fit(X, Y).predict(x), AT)
CALLS["confidence"] = (lambda x: LinearGAM(s(0, n_splines=6)).fit(X, Y).confidence_intervals(x), AT)
CALLS["PoissonGAM at"] = (lambda x: PoissonGAM(s(0, n_splines=6)).fit(X, np.round(Y * 2)).predict(x), AT)
CALLS["LogisticGAM at"] = (lambda x: LogisticGAM(s(0, n_splines=6)).fit(X, np.arange(25) % 3 > 0).predict_mu(x), AT)
CALLS["GammaGAM"] = (lambda y: GammaGAM(s(0, n_splines=5), tol=1e-13, max_iter=300).fit(X, y).predict(AT), Y)
CALLS["b_spline_basis"] = (
    lambda x: b_spline_basis(x, edge_knots=np.array([0.0, 3.0]), n_splines=6, sparse=False),
    AT[:, 0],
)
CALLS["NormalDist"] = (lambda y: NormalDist(scale=1.3).log_pdf(y, np.array([0.5, 1.0])), np.array([0.7, 1.2]))
CALLS["GammaDist"] = (lambda m: GammaDist(scale=1.3).deviance(np.array([0.5, 1.0]), m), np.array([0.7, 1.2]))
CALLS["PoissonDist"] = (lambda m: PoissonDist().log_pdf(np.array([2, 1]), m), np.array([0.7, 1.2]))
CALLS["links"] = (lambda m: LogLink().gradient(m, PoissonDist()), np.array([0.7, 1.2]))
