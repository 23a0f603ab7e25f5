import numpy as np
from lmfit import Parameters, lineshapes, models

x = np.linspace(-2.0, 2.0, 5)

CALLS = {
    "gaussian": (lambda a, c, s: lineshapes.gaussian(x, a, c, s), 1.0, 0.1, 0.7),
    "lorentzian": (lambda a, c, s: lineshapes.lorentzian(x, a, c, s), 1.0, 0.1, 0.7),
    "voigt": (lambda a, c, s: lineshapes.voigt(x, a, c, s), 1.0, 0.1, 0.7),
    "pvoigt": (lambda c, s: lineshapes.pvoigt(x, 1.0, c, s), 0.1, 0.7),
    "skewed": (lambda c, g: lineshapes.skewed_gaussian(x, 1.0, c, 0.7, g), 0.1, 0.7),
    "expgaussian": (lambda c, g: lineshapes.expgaussian(x, 1.0, c, 0.7, g), 0.1, 0.7),
    "Model.eval": (lambda a, c: models.GaussianModel().eval(x=x, amplitude=a, center=c, sigma=0.7), 1.0, 0.1),
    "composite": (
        lambda a, c: (models.GaussianModel() + models.LinearModel()).eval(
            x=x, amplitude=a, center=c, sigma=0.7, slope=c, intercept=0.2
        ),
        1.0,
        0.1,
    ),
    "Parameters": (lambda a: (lambda p: (p.add("a", value=a), p["a"].value * 2.0)[1])(Parameters()), 0.4),
    "expression": (
        lambda a: (lambda p: (p.add("a", value=a), p.add("b", expr="2*a**2"), p["b"].value)[2])(Parameters()),
        0.4,
    ),
    "breit_wigner": (lambda c, q: lineshapes.breit_wigner(x, 1.0, c, 0.7, q), 0.1, 0.7),
}
