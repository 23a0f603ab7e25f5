# ruff: noqa: E501
"""`scipy.special`: each function at numbers, and at arrays that broadcast."""

import numpy as np
import scipy.special as s

from chainrules import rules_for

from .points import C, M, case

rules_for(s.gamma)  # the rules are loaded by the first look-up
from chainrules.library.scipy.special import (  # noqa: E402
    bessel,
    bessel_orders,
    betainc,
    betainc_shape,
    elliptic,
    gamma,
    gammainc_shape,
    harmonics,
    hypergeometric_parameters,
    zeta,
)  # fmt: skip

Z = np.array([0.6 + 0.4j, 1.3 - 0.7j])
# Real arguments by function; of several points each stands in a region of its own.
POINTS = {
    "gamma": [(2.6,), (-1.4,)], "rgamma": [(2.6,), (-1.4,), (-2.0,)], "gammaln": [(2.6,), (-1.4,)], "loggamma": [(2.6,)],
    "gammasgn": [(2.6,)], "digamma": [(2.6,), (-1.4,)], "polygamma": [(0, 2.6), (2, 1.7)], "beta": [(2.6, 0.7)],
    "betaln": [(2.6, 0.7)], "poch": [(2.6, 0.7)], "binom": [(5.3, 2.2), (2.0, 3.0)], "multigammaln": [(4.2, 3)],
    "gammainc": [(0.3, 0.2), (2.6, 1.1), (2.6, 4.0), (0.4, 3.0), (40.0, 38.0), (3.0, 1e-3)],
    "gammaincc": [(2.6, 1.1), (2.6, 4.0)], "gammaincinv": [(2.6, 0.3), (0.7, 0.8)], "gammainccinv": [(2.6, 0.3), (0.7, 0.8)],
    "chdtr": [(3.2, 2.1)], "chdtrc": [(3.2, 2.1)], "chdtri": [(3.2, 0.3)], "chdtriv": [(0.4, 2.0)],
    "gdtr": [(1.3, 2.2, 0.9)], "gdtrc": [(1.3, 2.2, 0.9)], "gdtria": [(0.4, 2.2, 0.9)], "gdtrib": [(1.3, 0.4, 0.9)], "gdtrix": [(1.3, 2.2, 0.4)],
    "pdtr": [(2.3, 1.7)], "pdtrc": [(2.3, 1.7)], "pdtri": [(2, 0.4)], "pdtrik": [(0.6, 1.7)],
    "betainc": [(0.3, 0.4, 0.2), (0.3, 0.4, 0.9), (2.6, 3.1, 0.3), (2.6, 3.1, 0.8), (30.0, 0.6, 0.9), (0.5, 25.0, 0.1)],
    "betaincc": [(2.6, 3.1, 0.3)], "betaincinv": [(2.6, 3.1, 0.3), (0.5, 0.8, 0.7)], "betainccinv": [(2.6, 3.1, 0.3)],
    "btdtria": [(0.4, 3.1, 0.3)], "btdtrib": [(2.6, 0.4, 0.3)],
    "stdtr": [(3.4, 1.2), (3.4, -2.2), (0.8, 0.3)], "stdtrit": [(3.4, 0.7), (3.4, 0.1)], "stdtridf": [(0.8, 1.0)],
    "fdtr": [(3.4, 5.2, 1.3)], "fdtrc": [(3.4, 5.2, 1.3)], "fdtri": [(3.4, 5.2, 0.6)], "fdtridfd": [(3.4, 0.6, 1.3)],
    "bdtr": [(2.3, 6, 0.3)], "bdtrc": [(2.3, 6, 0.3)], "bdtri": [(2.3, 6, 0.4)], "nbdtr": [(2, 4, 0.3)], "nbdtrc": [(2, 4, 0.3)], "nbdtri": [(2, 4, 0.3)],
    "erf": [(0.7,)], "erfc": [(0.7,)], "erfcx": [(0.7,), (-1.2,), (30.0,)], "erfi": [(0.7,)], "erfinv": [(0.4,)], "erfcinv": [(0.4,)],
    "dawsn": [(0.7,), (25.0,)], "ndtr": [(0.7,)], "log_ndtr": [(0.7,), (-6.0,), (-200.0,)], "ndtri": [(0.3,)], "ndtri_exp": [(-0.3,), (-50.0,)],
    "owens_t": [(0.7, 1.2)], "voigt_profile": [(0.7, 1.2, 0.5), (0.7, 0.0, 0.5), (20.0, 0.4, 0.5)], "fresnel": [(0.7,)],
    "chndtr": [(1.3, 4.2, 2.1)], "chndtrix": [(0.4, 4.2, 2.1)], "chndtridf": [(3.3, 0.4, 2.1)], "chndtrinc": [(3.3, 2.2, 0.4)],
    "ncfdtr": [(3.4, 5.2, 2.1, 1.3)], "ncfdtri": [(3.4, 5.2, 2.1, 0.4)], "nctdtr": [(4.2, 0.7, 1.3)], "nctdtridf": [(0.63, 0.7, 1.3)], "nctdtrinc": [(4.2, 0.4, 1.3)], "nctdtrit": [(4.2, 0.7, 0.4)],
    "kolmogorov": [(0.8,)], "kolmogi": [(0.3,)], "smirnov": [(7, 0.3)], "smirnovi": [(7, 0.3)],
    "nrdtrimn": [(0.3, 1.2, 0.5)], "nrdtrisd": [(0.2, 0.7, 1.4)],
    "expm1": [(0.3,)], "log1p": [(0.3,)], "expit": [(0.7,), (-3.0,)], "log_expit": [(0.7,)], "logit": [(0.3,)], "exprel": [(0.0,), (1e-3,), (2.3,), (-4.0,)],
    "cosm1": [(0.7,)], "exp2": [(0.7,)], "exp10": [(0.7,)], "cbrt": [(-0.7,)], "powm1": [(1.2, 0.6)],
    "sindg": [(40.0,)], "cosdg": [(40.0,)], "tandg": [(40.0,)], "cotdg": [(40.0,)], "radian": [(40.0, 3.0, 2.0)], "round": [(0.7,)],
    "xlogy": [(1.2, 0.6), (0.0, 0.6)], "xlog1py": [(1.2, 0.6)], "entr": [(0.4,)], "rel_entr": [(0.4, 0.7)], "kl_div": [(0.4, 0.7)],
    "huber": [(0.5, 0.3), (0.5, -2.0)], "pseudo_huber": [(0.5, 0.3), (0.5, -2.0), (3.0, 1e-2)],
    "boxcox": [(1.7, 0.4), (1.7, 0.0), (1.7, 1e-4)], "boxcox1p": [(0.7, 0.4), (0.7, 0.0)], "inv_boxcox": [(0.7, 0.4), (0.7, 0.0), (0.7, 1e-3)], "inv_boxcox1p": [(0.7, 0.4), (0.7, 0.0)],
    "jv": [(1.4, 2.2), (1, 0.0)], "yv": [(1.4, 2.2)], "iv": [(1.4, 2.2)], "kv": [(1.4, 2.2), (-0.6, 0.4), (3.0, 20.0), (12.0, 0.8)], "jve": [(1.4, 2.2)], "yve": [(1.4, 2.2)], "ive": [(1.4, 2.2)],
    "kve": [(1.4, 2.2), (0.0, 1.3)], "hankel1": [(1.4, 2.2)], "hankel2": [(1.4, 2.2)], "hankel1e": [(1.4, 2.2)], "hankel2e": [(1.4, 2.2)], "yn": [(2, 2.2)], "kn": [(2, 2.2), (0, 1.3)],
    **{name: [(1.3,)] for name in "j0 j1 y0 y1 i0 i1 i0e i1e k0 k1 k0e k1e ber bei ker kei berp beip kerp keip kelvin airye itj0y0 iti0k0 it2j0y0 it2i0k0 itstruve0 it2struve0 itmodstruve0 itairy".split()},
    "airy": [(0.7,), (-1.3,)], "struve": [(0.6, 1.7)], "modstruve": [(0.6, 1.7)],
    **{name: [(2, 1.3)] for name in "spherical_jn spherical_yn spherical_in spherical_kn".split()},
    **{name: [(1.4, 2.2), (1.4, 2.2, 2)] for name in "jvp yvp ivp kvp h1vp h2vp".split()},
    "ellipk": [(0.4,), (0.0,), (-2.0,), (1e-3,)], "ellipkm1": [(0.4,), (0.9,)], "ellipe": [(0.4,), (0.0,)], "ellipkinc": [(0.7, 0.4), (4.0, 0.4), (-0.7, 1e-3), (0.7, 0.0)],
    "ellipeinc": [(0.7, 0.4), (4.0, 0.4), (0.7, 0.0)], "ellipj": [(0.7, 0.4), (2.7, 0.3)], "agm": [(1.2, 2.7)],
    "hyp0f1": [(1.4, 0.7)], "hyp1f1": [(0.6, 1.4, 0.7), (0.6, 1.4, -2.7)], "hyperu": [(0.6, 1.4, 0.7)], "hyp2f1": [(0.6, 1.4, 2.1, 0.3), (0.6, 1.4, 2.1, -3.0)],
    **{name: [(3, 0.4), (0, 0.4), (1, 0.4)] for name in "eval_legendre eval_chebyt eval_chebyu eval_chebyc eval_chebys eval_laguerre eval_hermite eval_hermitenorm eval_sh_legendre eval_sh_chebyt eval_sh_chebyu".split()},
    "eval_genlaguerre": [(3, 0.6, 0.4), (0, 0.6, 0.4), (4, 0.6, 0.4)], "eval_gegenbauer": [(3, 0.6, 0.4), (0, 0.6, 0.4)], "eval_jacobi": [(3, 0.6, 0.7, 0.4), (0, 0.6, 0.7, 0.4)], "eval_sh_jacobi": [(3, 1.6, 0.7, 0.4)],
    "lpmv": [(1.0, 2.0, 0.4)], "wright_bessel": [(0.6, 1.4, 0.7)], "log_wright_bessel": [(0.6, 1.4, 0.7)],
    "exp1": [(0.7,)], "expi": [(0.7,)], "expn": [(2, 0.7), (0, 0.7), (1, 0.7)], "sici": [(0.7,)], "shichi": [(0.7,)], "spence": [(0.7,), (1.0,), (2.3,)], "wrightomega": [(0.7,)],
    "lambertw": [(0.7,), (-0.2, -1)], "zeta": [(2.4,), (2.4, 1.3), (-1.6,), (-2.0,)], "zetac": [(2.4,), (-1.6,)],
    "comb": [(5.3, 2.2), (2.0, 3.0)], "perm": [(5.3, 2.2), (2.0, 3.0)], "factorial": [(3.4,)],
}  # fmt: skip
# What SciPy keeps for its distributions, of first order: complements, densities, and inverses by parameters.
KEPT = {
    "_kolmogc": (0.8,), "_kolmogci": (0.3,), "_smirnovc": (7, 0.3), "_smirnovci": (7, 0.3), "_nct_pdf": (1.3, 4.2, 0.7), "_nct_sf": (1.3, 4.2, 0.7),
    "_ncf_pdf": (1.3, 3.4, 5.2, 2.1), "_ncf_sf": (1.3, 3.4, 5.2, 2.1), "_beta_ppf": (0.3, 1.4, 2.3), "_beta_pdf": (0.3, 1.4, 2.3), "_binom_pmf": (2, 6.3, 0.3), "_nbinom_pmf": (2, 6.3, 0.3), "_cosine_cdf": (0.7,), "_cosine_invcdf": (0.3,),
    "_log1mexp": (-0.7,), "_scaled_exp1": (1.3,), "_landau_cdf": (1.3, 0.2, 0.9), "_landau_sf": (1.3, 0.2, 0.9), "_landau_ppf": (0.3, 0.2, 0.9), "_landau_isf": (0.3, 0.2, 0.9),
}  # fmt: skip
# Where SciPy takes complex numbers, and what is holomorphic.
COMPLEX = """
    gamma rgamma loggamma digamma erf erfc erfcx erfi dawsn wofz ndtr log_ndtr expm1 log1p exp1 expi spence wrightomega sici shichi fresnel airy lambertw
""".split()
# Parameters that are a matter of integers, or that no rule gives a derivative for: tested to say so.
LACKING = {}
for name, n in {
    "polygamma": 1, "yn": 1, "kn": 1, "struve": 1, "modstruve": 1,
    "jvp": 1, "yvp": 1, "ivp": 1, "kvp": 1, "h1vp": 1, "h2vp": 1,
    "smirnov": 1, "smirnovi": 1, "hyp0f1": 1, "hyperu": 2, "lpmv": 2, "wright_bessel": 2, "log_wright_bessel": 2, "expn": 1,
    "eval_genlaguerre": 1, "eval_gegenbauer": 1, "eval_jacobi": 1, "eval_sh_jacobi": 3,
    **dict.fromkeys("eval_legendre eval_chebyt eval_chebyu eval_chebyc eval_chebys eval_laguerre eval_hermite eval_hermitenorm eval_sh_legendre eval_sh_chebyt eval_sh_chebyu".split(), 1),
}.items():  # fmt: skip
    LACKING[getattr(s, name)] = tuple(range(n))


for names, n in (("_smirnovc _smirnovci", (0,)), ("_landau_cdf _landau_sf _landau_ppf _landau_isf", (1, 2))):
    for name in names.split():
        if hasattr(s._ufuncs, name):
            LACKING[getattr(s._ufuncs, name)] = n


def spread(x):
    return np.array([x, x * 1.05]) if isinstance(x, float) else x


def arrays(point):
    """The last argument as a vector, those before it as a column, where they are no integers."""
    return (*(np.array([[x], [1.02 * x]]) if isinstance(x, float) else x for x in point[:-1]), spread(point[-1]))


CASES = [case(getattr(s, name), *point) for name, points in POINTS.items() for point in points]
CASES += [case(getattr(s._ufuncs, k), *v) for k, v in KEPT.items() if hasattr(s._ufuncs, k)]
CASES += [
    case(getattr(s, name), *arrays(points[0]))
    for name, points in POINTS.items()
    if not (name in ("multigammaln", "lpmv", "itairy") or name.endswith("vp"))
]
CASES += [case(getattr(s, name), z) for name in COMPLEX for z in (0.6 + 0.4j, Z)]
CASES += [
    case(f, np.array([0.4, 0.7], np.float32))
    for f in (s.gammaln, s.erf, s.expit, s.log_ndtr, s.ndtri, s.exprel, s.j1, s.ellipk)
]
CASES += [
    case(s.gammainc, np.float32(1.3), np.array([0.4, 2.7], np.float32)),
    case(s.jv, 1, Z),
    case(s.iv, 1, Z),
    case(s.hyp2f1, 1, 2, 3, Z / 3),
    case(s.eval_legendre, 3, Z),
    case(s.xlogy, Z, Z[::-1]),
]
CASES += [
    *(case(f, x) for f in (s.softmax, s.log_softmax) for x in (M, M[0], C)), *(case(f, M, axis=a) for f in (s.softmax, s.log_softmax) for a in (0, 1, (0, 1))), case(s.softmax, [0.3, 0.7]),
    *(case(s.logsumexp, x) for x in (M, M[0], 0.7, [0.3, 0.7], C, M[0].astype(np.float32))), *(case(s.logsumexp, M, a, None, k) for a in (0, 1, (0, 1), -1) for k in (False, True)),
    case(s.logsumexp, M, None, np.abs(M)), case(s.logsumexp, M, 1, M[:, ::-1] + 3, True), case(s.logsumexp, M[0], 0, np.abs(M)), case(s.logsumexp, M, 1, M[::-1], False, True), case(s.logsumexp, M, return_sign=True), case(s.logsumexp, M, axis=0, b=[[2.0], [1.0], [3.0]]),
    case(s.logsumexp, C, 1, None, False, True), case(s.logsumexp, np.array([0.3, -np.inf, 1.2])),
    case(s.softplus, 0.7), case(s.softplus, M),
    case(s.spherical_jn, 2, 1.3, True), case(s.spherical_yn, 2, 1.3, True), case(s.spherical_in, 1, np.array([1.3, 0.4]), True), case(s.spherical_kn, 2, 1.3, derivative=True), case(s.spherical_jn, 2, Z),
    case(s.comb, 5, 2, exact=True), case(s.comb, 5.3, 2.2, repetition=True), case(s.comb, np.array([5.0, 6.0]), 2), case(s.perm, 5, 2, exact=True), case(s.factorial, np.array([0.4, 2.0])), case(s.factorial, 4, exact=True), case(s.factorial, 1.4 + 0.2j, extend="complex"),
    case(s.multigammaln, np.array([4.2, 5.3]), 2), case(s.wofz, 14.0 + 3.0j), case(s.kelvin, np.array([0.7, 1.3])),
]  # fmt: skip
# The derivatives with respect to parameters, whose own derivatives are rules too.
CASES += [
    case(f, a, x)
    for f in (gammainc_shape.gammainc_da, gammainc_shape.gammainc_daa)
    for a, x in ((0.3, 0.2), (2.6, 1.1), (2.6, np.array([4.0, 1.3])), (40.0, 38.0))
]
CASES += [
    case(f, a, b, u)
    for f in (betainc_shape.beta_da, betainc_shape.beta_daa, betainc_shape.beta_dab)
    for a, b, u in ((0.3, 0.4, -1.4), (2.6, 3.1, np.array([1.3, -0.8])), (30.0, 0.6, 2.2), (0.5, 25.0, -4.0))
]
CASES += [
    case(betainc.t_dv, 3.4, 1.2), *(case(f, 3.4, 5.2, 1.3) for f in (betainc.f_dm, betainc.f_dn)), *(case(f, 1.4, 2.2) for f in (bessel.kve_dv, bessel.kve_dvv)), *(case(f, 1.4, np.array([0.3, 6.1])) for f in (bessel_orders.jv_dv, bessel_orders.jv_dvv, bessel_orders.yv_dv, bessel_orders.yv_dvv, bessel_orders.ive_dv, bessel_orders.ive_dvv)), *(case(f, 2.4, 1.3) for f in (zeta.zeta_ds, zeta.zeta_dss)), *(case(f, 0.6, 1.4, 0.7) for f in (hypergeometric_parameters.hyp1f1_da, hypergeometric_parameters.hyp1f1_db)), *(case(f, 0.6, 1.4, 2.1, -3.0) for f in (hypergeometric_parameters.hyp2f1_da, hypergeometric_parameters.hyp2f1_db, hypergeometric_parameters.hyp2f1_dc)), case(gamma.trigamma, np.array([0.3, 2.6])),
    *((case(harmonics.spherical_harmonic, 3, np.array([-2, 1]), 0.7, 0.4), case(harmonics.spherical_harmonic, 2, 1, 1.3, np.array([0.2, 1.1]))) if hasattr(s, "sph_harm_y") else ()),
    *(case(f, z) for f in (gamma.inverse_slope, gamma._inverse_curvature, gamma._inverse_third) for z in (2.6, -1.4)), case(gamma.inverse_slope, -2.0), case(gamma.complex_zeta, 3, -2.2 + 0.7j),
    *(case(elliptic.sine_square, phi, m) for phi, m in ((0.7, 0.4), (4.0, 0.05), (-0.7, np.array([0.0, -0.4])))), case(elliptic._sine_fourth, 0.7, 0.4),
]  # fmt: skip
LACKING |= {
    gammainc_shape.gammainc_daa: (0,),
    betainc_shape.beta_daa: (0, 1),
    betainc_shape.beta_dab: (0, 1),
    bessel.kve_dvv: (0,),
    **dict.fromkeys((bessel_orders.jv_dvv, bessel_orders.yv_dvv, bessel_orders.ive_dvv), (0,)),
    zeta.zeta_dss: (0,),
    elliptic._sine_fourth: (1,),
}
ELSEWHERE = {
    betainc.t_dvv,
    betainc.f_dmm,
    betainc.f_dmn,
    betainc.f_dnn,
}  # without derivatives of their own: see the tests of second order
# Those without any derivative, and inverses of a function that SciPy knows to four digits: see test_scipy_special.py.
ELSEWHERE |= {
    getattr(s._ufuncs, name)
    for name in ("_kolmogp", "_smirnovp", "_landau_pdf", "ncfdtridfn", "ncfdtridfd", "ncfdtrinc")
    if hasattr(s._ufuncs, name)
}
