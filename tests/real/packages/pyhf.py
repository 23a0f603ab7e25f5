import numpy as np
import pyhf

CALLS: dict = {}
model = pyhf.simplemodels.uncorrelated_background(signal=[5.0, 10.0], bkg=[50.0, 60.0], bkg_uncertainty=[5.0, 12.0])
data = [53.0, 65.0, *list(model.config.auxdata)]
CALLS["logpdf"] = (lambda t: model.logpdf(t, data)[0], np.array([1.0, 1.02, 0.98]))
CALLS["expected"] = (lambda t: model.expected_data(t), np.array([1.0, 1.02, 0.98]))
CALLS["nll"] = (lambda t: pyhf.infer.mle.twice_nll(t, data, model)[0], np.array([0.5, 1.0, 1.0]))
m2 = pyhf.simplemodels.correlated_background([5.0, 10.0], [50.0, 60.0], [55.0, 66.0], [45.0, 54.0])
d2 = [53.0, 65.0, *list(m2.config.auxdata)]
CALLS["correlated"] = (lambda t: m2.logpdf(t, d2)[0], np.array([1.0, 0.3]))
