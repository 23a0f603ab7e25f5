import numpy as np
import pints
import pints.toy as toy

CALLS: dict = {}
TIMES = np.linspace(1.0, 50.0, 8)
LOGISTIC = toy.LogisticModel(initial_population_size=2.0)
DATA = LOGISTIC.simulate([0.1, 50.0], TIMES) + 0.3 * np.sin(np.arange(8.0))
PROBLEM = pints.SingleOutputProblem(LOGISTIC, TIMES, DATA)
CALLS["LogisticModel"] = (lambda p: LOGISTIC.simulate(p, TIMES), np.array([0.11, 48.0]))
CALLS["SumOfSquaresError"] = (lambda p: pints.SumOfSquaresError(PROBLEM)(p), np.array([0.11, 48.0]))
CALLS["GaussianLogLikelihood"] = (lambda p: pints.GaussianLogLikelihood(PROBLEM)(p), np.array([0.11, 48.0, 1.3]))
CALLS["StudentTLogLikelihood"] = (lambda p: pints.StudentTLogLikelihood(PROBLEM)(p), np.array([0.11, 48.0, 4.0, 1.3]))
CALLS["AR1LogLikelihood"] = (lambda p: pints.AR1LogLikelihood(PROBLEM)(p), np.array([0.11, 48.0, 0.3, 1.3]))
CALLS["LogPosterior"] = (
    lambda p: pints.LogPosterior(
        pints.GaussianKnownSigmaLogLikelihood(PROBLEM, 1.0),
        pints.ComposedLogPrior(pints.NormalLogPrior(0.1, 0.1), pints.LogNormalLogPrior(3.9, 0.2)),
    )(p),
    np.array([0.11, 48.0]),
)
CALLS["SimpleHarmonicOscillatorModel"] = (
    lambda p: toy.SimpleHarmonicOscillatorModel().simulate(p, TIMES / 10),
    np.array([1.0, 0.1, 0.2]),
)
CALLS["FitzhughNagumoModel"] = (lambda p: toy.FitzhughNagumoModel().simulate(p, TIMES / 25), np.array([0.1, 0.5, 3.0]))
CALLS["Hes1Model"] = (lambda p: toy.Hes1Model().simulate(p, TIMES[:4]), np.array([2.4, 0.025, 0.11, 6.9]))
CALLS["RosenbrockLogPDF"] = (lambda p: toy.RosenbrockLogPDF()(p), np.array([0.4, 0.7]))
CALLS["TwistedGaussianLogPDF"] = (lambda p: toy.TwistedGaussianLogPDF(dimension=3)(p), np.array([0.4, 0.7, 0.1]))
CALLS["LogitTransformation"] = (lambda p: pints.LogitTransformation(2).to_model(p), np.array([0.4, -0.7]))
