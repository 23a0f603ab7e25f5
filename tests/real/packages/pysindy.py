import numpy as np
import pysindy as ps

CALLS: dict = {}
T = np.linspace(0, 2, 30)
X = np.column_stack([3 * np.exp(-2 * T), 0.5 * np.exp(T)])


def coefficients(x, **how):
    model = ps.SINDy(feature_library=ps.PolynomialLibrary(degree=1), **how)
    model.fit(x, t=T)
    return model.coefficients()


CALLS["FiniteDifference"] = (lambda x: ps.FiniteDifference()(x, T), X)
CALLS["SmoothedFiniteDifference"] = (lambda x: ps.SmoothedFiniteDifference()(x, T), X)
CALLS["spectral"] = (lambda x: ps.SpectralDerivative()(x, T), X)
CALLS["PolynomialLibrary"] = (lambda x: np.asarray(ps.PolynomialLibrary(degree=2).fit_transform(x)), X[:4])
CALLS["FourierLibrary"] = (lambda x: np.asarray(ps.FourierLibrary(n_frequencies=2).fit_transform(x)), X[:4])
CALLS["SINDy"] = (lambda x: coefficients(x, optimizer=ps.STLSQ(threshold=0.2)), X)
CALLS["SR3"] = (lambda x: coefficients(x, optimizer=ps.SR3(reg_weight_lam=0.1)), X)
