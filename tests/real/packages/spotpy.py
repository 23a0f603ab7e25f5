import numpy as np
from spotpy import likelihoods, objectivefunctions
from spotpy.examples.hymod_python.hymod import hymod

CALLS: dict = {}
SEEN = np.array([1.2, 2.3, 0.9, 1.7, 3.1, 2.2])
SIMULATED = np.array([1.0, 2.6, 1.1, 1.5, 2.7, 2.4])

for name in (
    "rmse",
    "mse",
    "mae",
    "nashsutcliffe",
    "lognashsutcliffe",
    "kge",
    "kge_non_parametric",
    "log_p",
    "pbias",
    "bias",
    "correlationcoefficient",
    "rsquared",
    "covariance",
    "decomposed_mse",
    "rrmse",
    "rsr",
    "agreementindex",
    "volume_error",
):
    CALLS[name] = (lambda s, name=name: getattr(objectivefunctions, name)(SEEN, s), SIMULATED)
for name in (
    "gaussianLikelihoodMeasErrorOut",
    "logLikelihood",
    "NashSutcliffeEfficiencyShapingFactor",
    "ExponentialTransformErrVarShapingFactor",
    "InverseErrorVarianceShapingFactor",
):
    CALLS[name] = (lambda s, name=name: getattr(likelihoods, name)(list(SEEN), list(s)), SIMULATED)
RAIN, PET = np.array([3.0, 0.0, 12.0, 5.0, 0.0, 1.0, 7.0]), np.full(7, 1.5)
CALLS["hymod"] = (lambda c, b, a, k, q: list(hymod(RAIN, PET, c, b, a, k, q)), 40.0, 0.6, 0.7, 0.05, 0.4)
