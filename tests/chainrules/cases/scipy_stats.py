# ruff: noqa: E501
"""`scipy.stats`: each method of each distribution, in all its parameters."""

import numpy as np
import scipy.special as special
import scipy.stats as st

from chainrules import rules_for

from .points import case

rules_for(st.rv_continuous.logpdf)  # the rules are loaded by the first look-up
from chainrules.library.scipy.special import noncentral  # noqa: E402
from chainrules.library.scipy.stats import densities, kernels, normal_boxes, values  # noqa: E402

# Shapes by distribution; those of discrete ones with points.
SHAPES = {
    "norm": (), "expon": (), "laplace": (), "cauchy": (), "logistic": (), "gumbel_r": (), "gumbel_l": (), "uniform": (),
    "halfnorm": (), "rayleigh": (), "t": (3.4,), "gamma": (2.3,), "chi2": (3.1,), "invgamma": (2.2,), "beta": (2.3, 1.4),
    "f": (3.4, 5.2), "lognorm": (0.7,), "weibull_min": (1.6,), "weibull_max": (1.6,), "pareto": (2.4,),
    "genextreme": (0.2,), "invgauss": (0.8,), "triang": (0.3,), "truncnorm": (-1.2, 0.9), "skewnorm": (1.3,),
    "vonmises": (1.7,), "ncx2": (3.1, 1.7), "ncf": (3.4, 5.2, 2.1), "nct": (4.3, 0.9),
}  # fmt: skip
COUNTS = {
    "poisson": ((2.3,), [1, 2, 5]), "binom": ((6, 0.3), [0, 2, 5]), "nbinom": ((3.4, 0.3), [0, 2, 9]),
    "geom": ((0.3,), [1, 2, 5]),
}  # fmt: skip
CONTINUOUS = "logpdf pdf cdf logcdf sf logsf ppf isf".split()
DISCRETE = "logpmf pmf cdf logcdf sf logsf ppf isf".split()
Q = np.array([0.13, 0.42, 0.8])


def points(dist, method, parameters):
    return Q if method in ("ppf", "isf") else dist.ppf(Q, *parameters)


CASES = [
    case(getattr(st.rv_continuous, method), dist, points(dist, method, (*shapes, 0.3, 1.3)), *shapes, 0.3, 1.3)
    for name, shapes in SHAPES.items()
    for dist in [getattr(st, name)]
    for method in CONTINUOUS
]
CASES += [
    case(getattr(st.rv_discrete, method), dist, Q if method in ("ppf", "isf") else np.array(k), *shapes)
    for name, (shapes, k) in COUNTS.items()
    for dist in [getattr(st, name)]
    for method in DISCRETE
]
CASES += [
    *(case(f, st.gamma, Q, 2.3, -0.2, 1.3) for f in values.VALUES.values()),
    case(st.rv_continuous.logpdf, st.gamma, np.array([0.4, 1.2]), np.array([[2.3], [0.8]]), 0.1, 1.3),
    case(st.rv_continuous.logsf, st.norm, 1.4, [0.3, 0.9], scale=1.3),
    *(case(st.zscore, np.array([[0.4, 1.2, -0.3], [2.0, 0.1, 0.7]]), *more) for more in ((), (1,), (None, 1), (-1, 1))),
    case(densities.vonmises_dk, np.array([0.4, -2.8]), 1.7),
    case(densities.vonmises_dkk, 0.9, np.array([0.6, 40.0])),
]
Z = np.array([0.4, 2.9])
NONCENTRAL = {
    "ncx2_inverse": (Z, 3.1, 1.7), "ncx2_score": (Z, 3.1, 1.7), "ncx2_flow": (Z, 3.1, 1.7), "nct_dz": (Z, 4.3, 0.9),
    "nct_ddf": (Z, 4.3, 0.9), "nct_dnc": (Z, 4.3, 0.9), "nct_inverse": (Z, 4.3, 0.9), "nct_flow": (Z, 4.3, 0.9),
    "ncf_inverse": (Z, 3.4, 5.2, 2.1), "ncf_digamma": (Z, 3.4, 5.2, 2.1, 0.0), "ncf_flow": (Z, 3.4, 5.2, 2.1, 1.0),
}  # fmt: skip
for _name in ("_ncx2_sf", "_ncx2_pdf"):
    if hasattr(special._ufuncs, _name):
        CASES += [case(getattr(special._ufuncs, _name), 1.3, 3.0, 0.8)]
for _name, _args in {"kolmogn": (20, 0.23, True), "kolmogni": (20, 0.4, False)}.items():
    if hasattr(getattr(st, "_ksstats", None), _name):
        CASES += [case(getattr(st._ksstats, _name), *_args)]
if kernels.upper_tail is not None:
    CASES += [case(kernels.upper_tail, 0.3, -0.7, r) for r in (0.4, -0.95)]
CASES += [case(getattr(noncentral, name), *args) for name, args in NONCENTRAL.items()]
LACKING = {densities.vonmises_dkk: (1,)} | {
    getattr(noncentral, name): tuple(range(len(args))) for name, args in NONCENTRAL.items()
}
ELSEWHERE = {normal_boxes.box}  # with the probabilities of normal variables
if hasattr(getattr(st, "_ksstats", None), "kolmognp"):
    ELSEWHERE.add(st._ksstats.kolmognp)  # of which no rule gives a derivative
