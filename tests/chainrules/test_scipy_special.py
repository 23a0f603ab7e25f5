# ruff: noqa: E501
"""`scipy.special`: derivatives with respect to parameters to the last digits, edges, second order, and what is missing."""

import subprocess
import sys

import cases
import numpy as np
import pytest
import scipy.special as s

import morula
from chainrules import NotImplementedDerivative, rules_for, unthunk
from chainrules.testing import call_rule

rules_for(s.gamma)
from chainrules.library.scipy.special import (  # noqa: E402
    bessel,
    bessel_orders,
    betainc,
    betainc_shape,
    errors,
    gammainc_shape,
    hypergeometric_parameters,
    zeta,
)

HOMES = (bessel, betainc, betainc_shape, gammainc_shape, hypergeometric_parameters, zeta)

# From mpmath 1.3: central differences with steps of 1e-30 in 120 digits of its gammainc, hyp2f1 and besselk, and its zeta.
GOLDEN = {
    "hyp1f1_da": [
        (0.6, 1.4, 0.7, 0.69988364848791203),
        (0.0, 1.5, 2.0, 2.1637655915391002),
        (-2.0, 1.5, -3.0, -6.1916853425144004),
        (2.5, 0.3, -30.0, -0.00080374533804664092),
        (-3.7, -2.4, 12.0, -116526.68103832323),
        (0.5, 1.5, 300.0, 2.4847196935558489e128),
        (4.0, 12.5, 1e-06, 8.0000026666671703e-8),
    ],
    "hyp1f1_db": [
        (0.6, 1.4, 0.7, -0.31464660703567119),
        (0.0, 1.5, 2.0, 0.0),
        (-2.0, 1.5, -3.0, -5.2266666666666667),
        (2.5, 0.3, -30.0, 0.0033323565812457832),
        (-3.7, -2.4, 12.0, -29374.782365573085),
        (0.5, 1.5, 300.0, -1.837246051359999e128),
        (4.0, 12.5, 1e-06, -2.5600009130317323e-8),
    ],
    "hyp2f1_da": [
        (0.6, 1.4, 2.1, 0.3, 0.26845594391711711),
        (0.0, 1.5, 2.0, 0.4, 0.36616467789106828),
        (-2.0, 1.5, 2.0, -0.7, -1.0389787196705208),
        (1.0, 1.0, 2.0, -40.0, -0.1723827186825813),
        (2.5, -1.3, -2.4, 0.9, -8195.8886298388126),
        (0.5, 0.5, 1.0, 0.985, 4.6728700664775275),
        (3.2, 1.1, 4.0, 0.0, 0.0),
    ],
    "hyp2f1_db": [
        (0.6, 1.4, 2.1, 0.3, 0.12032521880281112),
        (0.0, 1.5, 2.0, 0.4, 0.0),
        (-2.0, 1.5, 2.0, -0.7, 1.0266666666666666),
        (1.0, 1.0, 2.0, -40.0, -0.1723827186825813),
        (2.5, -1.3, -2.4, 0.9, -1332.4078816041096),
        (0.5, 0.5, 1.0, 0.985, 4.6728700664775275),
        (3.2, 1.1, 4.0, 0.0, 0.0),
    ],
    "hyp2f1_dc": [
        (0.6, 1.4, 2.1, 0.3, -0.081884380539177563),
        (0.0, 1.5, 2.0, 0.4, 0.0),
        (-2.0, 1.5, 2.0, -0.7, -0.78020833333333327),
        (1.0, 1.0, 2.0, -40.0, 0.054621909893709528),
        (2.5, -1.3, -2.4, 0.9, 3518.7058487559019),
        (0.5, 0.5, 1.0, 0.985, -3.1478247954651391),
        (3.2, 1.1, 4.0, 0.0, 0.0),
    ],
    "gammainc_da": [
        (0.001, 1e-08, -17.529499859061195),
        (0.02, 0.7, -0.38495607727751849),
        (0.3, 12.0, -2.0736487085705036e-6),
        (0.8, 1.6, -0.26750793074001138),
        (1.5, 1e-06, -1.0921701301274046e-8),
        (2.5, 2.0, -0.27455132194588155),
        (7.0, 30.0, -1.8393271649841698e-7),
        (50.0, 20.0, -1.1690273381623858e-8),
        (50.0, 52.0, -0.053294552642484044),
        (300.0, 420.0, -1.0243097672186765e-10),
        (3000.0, 2900.0, -0.0013470386615686632),
        (100000.0, 100500.0, -0.00036204424288664558),
    ],
    "gammainc_daa": [
        (0.001, 1e-08, 311.20234928205357),
        (0.02, 0.7, -0.54930467514379927),
        (0.3, 12.0, -8.381219242501029e-6),
        (0.8, 1.6, -0.17322723690672461),
        (1.5, 1e-06, 1.5819967551663128e-7),
        (2.5, 2.0, 0.067077171809110783),
        (7.0, 30.0, -2.705215010339517e-7),
        (50.0, 20.0, 1.0729710192775638e-8),
        (50.0, 52.0, -0.0020919610308991432),
        (300.0, 420.0, -3.4474645502853054e-11),
    ],
    "betainc_da": [
        (0.01, 0.02, 0.3, -22.588449240546256),
        (0.01, 5.0, 0.001, -4.6138756792819166),
        (0.3, 0.4, 0.999, -0.070434400859892107),
        (2.2, 0.013, 0.96, -0.0067240660700874447),
        (0.5, 25.0, 0.2, -0.0032863974001959931),
        (3.0, 2.0, 1e-06, -5.4262001785325415e-17),
        (3.0, 2.0, 0.6, -0.15634433641359878),
        (30.0, 0.6, 0.9, -0.0019375213695609747),
        (120.0, 80.0, 0.55, -0.0086980079000486369),
        (120.0, 80.0, 0.75, -4.1057383554296797e-7),
        (900.0, 0.7, 0.999, -0.00032330496363203311),
        (1500.0, 1100.0, 0.57, -0.0052263774032921626),
    ],
    "betainc_db": [
        (0.01, 0.02, 0.3, 11.02759578976957),
        (0.01, 5.0, 0.001, 0.0020970176501314061),
        (0.3, 0.4, 0.999, 0.24893646352134729),
        (2.2, 0.013, 0.96, 2.098318497892536),
        (0.5, 25.0, 0.2, 0.00021367830649087798),
        (3.0, 2.0, 1e-06, 4.3333270833345327e-18),
        (3.0, 2.0, 0.6, 0.24086937608755657),
        (30.0, 0.6, 0.9, 0.047758616205231481),
        (120.0, 80.0, 0.55, 0.011783252706316267),
        (120.0, 80.0, 0.75, 8.6512819723629913e-7),
        (900.0, 0.7, 0.999, 0.45678425701557444),
        (1500.0, 1100.0, 0.57, 0.0070269856381946594),
    ],
    "t_dv": [
        (0.4, 0.3, 0.062173680648392563),
        (1.0, -4.0, -0.096424410194645371),
        (3.4, 1.2, 0.010317394961822285),
        (3.4, 50.0, 7.8770560823415447e-6),
        (30.0, -2.0, -0.00015393088751502687),
        (500.0, 1.5, 6.3089453394545925e-7),
    ],
    "t_dvv": [
        (0.4, 0.3, -0.16963943255168193),
        (1.0, -4.0, 0.16821511890864323),
        (3.4, 1.2, -0.0054981404353551981),
        (3.4, 50.0, -2.3539809510218896e-5),
        (30.0, -2.0, 1.0369586952395417e-5),
        (500.0, 1.5, -2.522567940243282e-9),
    ],
    "f_dm": [
        (1.0, 1.0, 0.2, -0.1980706883000038),
        (3.4, 5.2, 1.3, -0.011641118886524065),
        (3.4, 5.2, 40.0, 8.6614633014022632e-5),
        (40.0, 7.0, 0.05, -1.0085518844549742e-11),
        (200.0, 300.0, 1.1, 0.00029149288560184357),
    ],
    "f_dn": [
        (1.0, 1.0, 0.2, 0.0589071194301102),
        (3.4, 5.2, 1.3, 0.015248180765846274),
        (3.4, 5.2, 40.0, 0.00051631494957023489),
        (40.0, 7.0, 0.05, -3.9469924023490843e-11),
        (200.0, 300.0, 1.1, 0.00017382574489217075),
    ],
    "f_dmm": [
        (1.0, 1.0, 0.2, 0.29147917568058945),
        (3.4, 5.2, 1.3, 0.0056242960695072935),
        (3.4, 5.2, 40.0, -5.428440857420597e-5),
        (40.0, 7.0, 0.05, 3.4213167174712574e-12),
        (200.0, 300.0, 1.1, -1.7923330061954428e-6),
    ],
    "f_dnn": [
        (1.0, 1.0, 0.2, -0.086920854042683824),
        (3.4, 5.2, 1.3, -0.0046270881253536362),
        (3.4, 5.2, 40.0, -0.00058971951699755348),
        (40.0, 7.0, 0.05, 5.5226369430618428e-11),
        (200.0, 300.0, 1.1, -8.8539128047039255e-7),
    ],
    "f_dmn": [
        (1.0, 1.0, 0.2, -0.049310484065508438),
        (3.4, 5.2, 1.3, 0.0014230403479563014),
        (3.4, 5.2, 40.0, -5.7779468662942911e-5),
        (40.0, 7.0, 0.05, 1.1549666951748739e-11),
        (200.0, 300.0, 1.1, 5.5890048529591713e-7),
    ],
    "kve_dv": [
        (0.0, 1.0, 0.0),
        (0.3, 0.001, 62.161300735244284),
        (1.5, 2.0, 0.79479239000657606),
        (-2.5, 0.4, -125.77174518021128),
        (10.0, 0.3, 175785230561249.94),
        (3.0, 80.0, 0.0055126726430574289),
        (60.0, 45.0, 627702206681943.74),
    ],
    "kve_dvv": [
        (0.0, 1.0, 0.83671716503631404),
        (0.3, 0.001, 401.26084551861085),
        (1.5, 2.0, 0.96589454698209586),
        (-2.5, 0.4, 318.34411039126934),
        (10.0, 0.3, 733812250926796.14),
        (3.0, 80.0, 0.0020421267195625788),
        (60.0, 45.0, 693935259490912.39),
    ],
    "zeta_ds": [
        (1.01, 1.0, -9999.927281160435),
        (2.0, 1.0, -0.93754825431584375),
        (2.5, 0.3, 23.944238179029413),
        (7.0, 2.2, -0.0035866412509886511),
        (30.0, 1.0, -6.4554895388000303e-10),
        (0.3, 1.0, -1.9618608600898818),
    ],
    "zeta_dss": [
        (1.01, 1.0, 1999999.9902892093),
        (2.0, 1.0, 1.989280234298901),
        (2.5, 0.3, 29.999756363779552),
        (7.0, 2.2, 0.0030189834561820547),
        (30.0, 1.0, 4.4746260164732371e-10),
        (0.3, 1.0, -5.8385445868177233),
    ],
    "riemann_ds": [
        (-1.6, -0.064666212409579639),
        (-2.0, -0.030448457058393271),
        (-7.3, 0.0023055775627049534),
    ],
}
TOLERANCE = {"t_dv": 1e-8, "t_dvv": 1e-6, "f_dm": 1e-9, "f_dn": 1e-9, "f_dmm": 1e-7, "f_dmn": 1e-7, "f_dnn": 1e-7}


@pytest.mark.parametrize("name", GOLDEN)
def test_derivatives_by_parameters_have_many_digits(name):
    f = next(getattr(home, name) for home in HOMES if hasattr(home, name))
    with np.errstate(all="ignore"):
        for *args, wanted in GOLDEN[name]:
            got = f(None, *args) if name == "riemann_ds" else f(*args)
            assert got == pytest.approx(wanted, rel=TOLERANCE.get(name, 2e-11), abs=1e-300), args


def test_they_are_arrays_as_wide_as_their_arguments():
    a, x = np.array([[0.5], [2.5]]), np.array([0.1, 1.0, 9.0])
    y = gammainc_shape.gammainc_da(a, x)
    assert y.shape == (2, 3) and y[1, 2] == pytest.approx(gammainc_shape.gammainc_da(2.5, 9.0), rel=1e-14)
    narrow = gammainc_shape.gammainc_da(a.astype(np.float32), x.astype(np.float32))
    assert narrow.dtype == np.float32 and np.allclose(narrow, y, rtol=1e-5)
    assert gammainc_shape.gammainc_da(np.zeros(0), 1.0).shape == (0,)
    many = np.linspace(0.1, 5.0, 5000)
    some = [0, 2047, 2048, 4999]
    assert np.allclose(
        gammainc_shape.gammainc_da(2.5, many)[some], gammainc_shape.gammainc_da(2.5, many[some]), rtol=1e-13
    )


def gradient(f, *args):
    with np.errstate(all="ignore"):
        return [None if g is None else np.asarray(g).tolist() for g in morula.gradient(f, *args)]


@pytest.mark.parametrize(
    ("f", "args", "wanted"),
    [
        (s.gammainc, (2.0, 0.0), [0.0, 0.0]),
        (s.gammainc, (1.0, 0.0), [0.0, 1.0]),
        (s.betainc, (1.0, 2.0, 0.0), [0.0, 0.0, 2.0]),
        (s.betainc, (1.5, 2.0, 1.0), [0.0, 0.0, 0.0]),
        (s.xlogy, (0.0, 0.0), [-np.inf, 0.0]),
        (s.xlogy, (0.0, 2.0), [np.log(2.0), 0.0]),
        (s.rel_entr, (0.0, 0.0), [-np.inf, 0.0]),
        (s.kl_div, (0.0, 2.0), [-np.inf, 1.0]),
        (s.entr, (0.0,), [np.inf]),
        (s.entr, (-1.0,), [0.0]),
        (s.rgamma, (-3.0,), [-6.0]),
        (s.pseudo_huber, (0.0, -2.0), [2.0, 0.0]),
        (s.lambertw, (0.0,), [1.0]),
        (s.exprel, (0.0,), [0.5]),
        (s.spence, (1.0,), [-1.0]),
        (s.jv, (1.0, 0.0), [None, 0.5]),
        (s.beip, (0.0,), [0.5]),
        (s.expit, (800.0,), [0.0]),
        (s.erfcx, (1e8,), [-1.0 / np.sqrt(np.pi) * 1e-16]),
        (s.log_ndtr, (-1e8,), [1e8]),
        (s.ndtr, (np.inf,), [0.0]),
        (s.boxcox, (0.0, 2.0), [0.0, 0.25]),
        (s.stdtr, (3.0, 0.0), [0.0, float(betainc.t_density(3.0, 0.0))]),
    ],
)  # fmt: skip
def test_edges_have_their_limits(f, args, wanted):
    active = [i for i, w in enumerate(wanted) if w is not None]

    def value(*xs):
        given = list(args)
        for i, x in zip(active, xs, strict=True):
            given[i] = x
        return np.real(f(*given))

    got = gradient(value, *(args[i] for i in active))
    assert got == pytest.approx([wanted[i] for i in active], rel=1e-12)


def test_logsumexp_of_infinities():
    assert gradient(s.logsumexp, np.array([0.0, -np.inf])) == [[1.0, 0.0]]
    assert gradient(s.logsumexp, np.array([np.inf, 2.0])) == [[1.0, 0.0]]
    assert gradient(s.logsumexp, np.array([-np.inf, -np.inf])) == [[0.0, 0.0]]
    assert gradient(lambda x: s.softmax(x)[0], np.array([0.0, -np.inf])) == [[0.0, 0.0]]


@pytest.mark.parametrize(
    "call", [lambda v: s.struve(v, 2.5), lambda v: s.hyperu(v, 2.5, 0.2), lambda v: s.struve(v, np.ones(2)).sum()]
)
@pytest.mark.parametrize("verb", [morula.gradient, lambda f, x: morula.jvp(f, (x,), (1.0,))])
def test_a_missing_partial_says_so_at_the_users_line(call, verb):
    with pytest.raises(
        morula.NotDifferentiable, match=r"the derivative of scipy.special.\w+ with respect to its \w+ is not"
    ) as error:
        verb(call, 1.5)
    assert "test_scipy_special.py" in "".join(error.value.__notes__)


def test_a_missing_partial_is_a_tangent_of_the_protocol():
    _, back = rules_for(s.hyp0f1)[0].function(1.5, 2.5)
    v_bar, x_bar = back(1.0)
    assert unthunk(x_bar) == pytest.approx(s.hyp0f1(2.5, 2.5) / 1.5)
    with pytest.raises(NotImplementedDerivative, match="its parameters"):
        unthunk(v_bar)


def test_keywords_of_ufuncs():
    x = np.array([0.3, 0.9])

    def written(x):
        y = np.zeros(2)
        s.erf(x, out=y)
        s.gammaln(x, where=np.array([True, False]), out=y)
        return y.sum()

    assert gradient(written, x)[0] == pytest.approx([s.digamma(0.3), errors._SLOPE * np.exp(-0.81)])


FIRST_ORDER = {*"kolmogorov kolmogi smirnov smirnovi".split(), *"chndtr chndtrix chndtridf chndtrinc".split()}
FIRST_ORDER |= {*"ncfdtr ncfdtri nctdtr nctdtridf nctdtrinc nctdtrit".split()}
POINTS = [
    (name, point)
    for name, points in cases.scipy_special.POINTS.items()
    for point in points
    if name not in {"round", "gammasgn", "lpmv", "stdtridf", *FIRST_ORDER} and not name.endswith("vp")
]


def total(y):
    if isinstance(y, tuple):
        return sum([total(v) for v in y])
    return np.real(y) + 0.3 * np.imag(y) if np.iscomplexobj(y) else y * 1.0


@pytest.mark.parametrize(("name", "point"), POINTS, ids=[f"{name}{point}" for name, point in POINTS])
def test_second_order(name, point):
    """The derivative of the gradient in a direction, by reverse over forward, against differences of the gradient."""
    f = getattr(s, name)
    lacking = cases.scipy_special.LACKING.get(f, ())
    active = [i for i, v in enumerate(point) if isinstance(v, float) and i not in lacking]
    x, d = [point[i] for i in active], [0.7, -0.4, 1.1, 0.3][: len(active)]

    def loss(*xs):
        given = list(point)
        for i, v in zip(active, xs, strict=True):
            given[i] = v
        return total(f(*given))

    def slope(k, h):
        moved = [v + h * (i == k) for i, v in enumerate(x)]
        return sum(w * g for w, g in zip(d, morula.gradient(loss, *moved), strict=True))

    with np.errstate(all="ignore"):
        got = morula.gradient(lambda *xs: morula.jvp(loss, xs, tuple(d))[1], *x)
        for k, v in enumerate(x):
            h = 1e-3 if v == 0 or abs(v) > 0.05 else 0.05 * abs(v)
            wanted = (8 * (slope(k, h) - slope(k, -h)) - slope(k, 2 * h) + slope(k, -2 * h)) / (12 * h)
            assert (got[k] or 0.0) == pytest.approx(wanted, rel=1e-5, abs=1e-7), k


def test_in_loops_and_through_hessians():
    def evidence(x):
        total = 0.0
        for i in range(5):
            total = total + s.gammaln(x + i) - s.betaln(x, 1.0 + i)
        return total

    first = sum(s.digamma(2.5 + i) - s.digamma(2.5) + s.digamma(3.5 + i) for i in range(5))
    second = sum(s.polygamma(1, 2.5 + i) - s.polygamma(1, 2.5) + s.polygamma(1, 3.5 + i) for i in range(5))
    assert morula.gradient(evidence, 2.5)[0] == pytest.approx(first)
    assert morula.hessian(evidence, 2.5) == pytest.approx(float(second))
    shapes = np.array([0.7, 2.5])
    hessian = morula.hessian(lambda a: s.gammainc(a, 1.3).sum(), shapes)
    assert np.allclose(hessian, np.diag(gammainc_shape.gammainc_daa(shapes, 1.3)))


def test_higher_orders_where_the_value_is_zero():
    module = cases.scipy_special.gamma
    for z, wanted in ((-3.0, 25.707844458230315), (0.0, -3.935268429121523)):  # mpmath.diff(mpmath.rgamma, z, 3)
        assert call_rule(module._inverse_curvature, z)[1](1.0)[0] == pytest.approx(wanted)
    with pytest.raises(NotImplementedError, match="fourth derivative"):
        call_rule(module._inverse_third, -2.0)[1](1.0)


# From mpmath 1.4, in 40 digits: its polygamma.
COMPLEX_ZETAS = [
    (2, 0.3 + 0.7j, -0.45926685395208056 - 1.8096954015924784j),
    (5, 0.3 + 0.7j, 3.400039805138953 + 1.6068735209888534j),
    (2, -2.4 - 0.1j, 9.275002084034885 - 1.9082451541313312j),
    (5, -2.4 - 0.1j, -20.395235693716348 + 87.87619623871232j),
    (2, 5 + 0j, 0.22132295573711533 + 0j),
    (5, 5 + 0j, 0.0005859663059213666 - 0j),
    (2, -30.5 + 2j, -0.03198395136176007 - 0.002072005219255237j),
    (5, -30.5 + 2j, 2.5938359334834293e-07 + 0.00142291615162258j),
    (2, 40 - 9j, 0.024066041449801286 + 0.005482845208690837j),
    (5, 40 - 9j, 5.796394267965551e-08 + 7.242811550626167e-08j),
]


@pytest.mark.parametrize(("order", "z", "want"), COMPLEX_ZETAS)
def test_sums_of_complex_powers(order, z, want):
    assert cases.scipy_special.gamma.complex_zeta(order, z) == pytest.approx(want, rel=1e-12)
    assert cases.scipy_special.gamma.complex_zeta(order, np.array([[z], [1.0]]))[0, 0] == pytest.approx(want, rel=1e-12)


def test_digamma_of_complex_numbers_far_on_the_left_is_refused():
    with pytest.raises(NotImplementedError, match="far on the left"):
        call_rule(s.digamma, -1e6 + 0.5j)[1](1.0)


@pytest.mark.skipif(not hasattr(s, "sph_harm_y"), reason="SciPy before 1.15")
@pytest.mark.parametrize("angles", [(0.7, 0.3), (1.9, -2.0), (3.8, 1.0)])
@pytest.mark.parametrize(("n", "m"), [(0, 0), (2, 1), (3, -3), (4, np.array([-2, 0, 3]))])
def test_spherical_harmonics(n, m, angles):
    """Beside the derivatives that SciPy gives, of angles in [0, pi], and central differences."""

    def parts(angles):
        y = s.sph_harm_y(n, m, angles[0], angles[1])
        return np.stack([y.real, y.imag])

    x, step = np.array(angles), 1e-5 * np.eye(2)
    by_differences = np.stack([(parts(x + h) - parts(x - h)) / 2e-5 for h in step], axis=-1)
    jacobian = morula.jacobian(parts, x)[0]
    np.testing.assert_allclose(jacobian, by_differences, atol=1e-9)
    hessian = morula.jacobian(lambda x: morula.jacobian(parts, x)[0], x)[0]
    if angles[0] < np.pi:
        _, first, second = s.sph_harm_y(n, m, *angles, diff_n=2)
        np.testing.assert_allclose(jacobian[0] + 1j * jacobian[1], first, atol=1e-13)
        np.testing.assert_allclose(hessian[0] + 1j * hessian[1], second, atol=1e-13)


def test_rules_wait_for_the_library():
    code = (
        "import sys, chainrules; assert 'scipy' not in sys.modules; from scipy import special; "
        "assert not [m for m in sys.modules if m.startswith('chainrules.library.scipy')]; "
        "assert chainrules.rules_for(special.gamma)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("place", "name"), [(0, "ncfdtridfn"), (1, "ncfdtridfd"), (2, "ncfdtrinc")])
def test_parameters_of_the_noncentral_f_distribution(place, name):
    """SciPy computes both the function and its inverses to some four digits."""
    wanted = [3.4, 5.2, 2.1, 1.3]
    given = [*wanted[:3], wanted[3]]
    given[place] = float(s.ncfdtr(*wanted))
    f, h = getattr(s, name), 1e-3
    at = lambda p: f(*[p if i == place else v for i, v in enumerate(given)])
    assert gradient(at, given[place])[0] == pytest.approx(
        (at(given[place] + h) - at(given[place] - h)) / (2 * h), rel=2e-3
    )


@pytest.mark.skipif(not hasattr(s, "softplus"), reason="SciPy 1.17")
def test_softplus_where_it_is_asked_for():
    f = lambda x: np.sum(s.softplus(x, where=np.array([True, False]), out=np.zeros(2)))
    (bar,) = morula.gradient(f, np.array([0.7, 0.9]))
    np.testing.assert_allclose(bar, [s.expit(0.7), 0.0])


@pytest.mark.parametrize("f", [s.spherical_jn, s.spherical_yn, s.spherical_in, s.spherical_kn])
def test_orders_in_a_list(f):
    one = lambda n: morula.hvp(lambda z: f(n, z), 1.3, 1.0)
    assert morula.hvp(lambda z: np.sum(f([0, 2], z)), 1.3, 1.0) == pytest.approx(one(0) + one(2), rel=1e-12)


def test_polynomials_by_their_parameters_need_degrees_that_are_integers():
    with pytest.raises(morula.NotDifferentiable, match="integers"):
        morula.gradient(lambda a: s.eval_gegenbauer(2.5, a, 0.3), 0.4)


@pytest.mark.parametrize(
    ("f", "slope", "v", "x", "wanted"),  # mpmath 1.3, diff(besselj, ...) with 60 digits, I scaled by exp(-x)
    [
        ("jv", 1, 90.0, 60.0, -1.5466459233967086e-10), ("jv", 2, 100.0, 100.0, None), ("jv", 1, 0.5, 100.0, -0.1077326549913698),
        ("jv", 2, 2.0, 80.0, -0.1639831800492051), ("ive", 1, 0.5, 500.0, -1.7859118192649352e-05),
        ("ive", 2, 120.0, 100.0, 9.527620228389113e-31), ("ive", 1, 150.0, 100.0, -3.830498070715358e-45),
    ],
)  # fmt: skip
def test_orders_of_bessel_functions(f, slope, v, x, wanted):
    f = getattr(bessel_orders, f"{f}_d{'v' * slope}")
    if wanted is None:  # by the recurrence, which ties orders to one another
        wanted = 2 * (v + 1) / x * f(v + 1, x) + 4 / x * bessel_orders.jv_dv(v + 1, x) - f(v + 2, x)
        assert f(v, x) == pytest.approx(wanted, abs=1e-11)
    else:
        assert f(v, x) == pytest.approx(wanted, rel=1e-9)


def test_orders_and_arguments_that_are_too_large_are_refused():
    with pytest.raises(NotImplementedDerivative, match="at most 4000"):
        bessel_orders.jv_dv(3000.0, 3000.0)


def test_parameters_of_hypergeometric_functions_where_no_series_keeps_its_digits():
    for f in (lambda a: s.hyp2f1(a, 1.2, 2.3, 0.999), lambda c: s.hyp2f1(0.4, 1.2, c, -2000.0)):
        with pytest.raises(
            morula.NotDifferentiable, match=r"hyp2f1 with respect to its parameters .* keeps its digits"
        ):
            morula.gradient(f, 0.7)
    with pytest.raises(morula.NotDifferentiable, match="hyp1f1"):
        morula.gradient(lambda a: s.hyp1f1(a, 1.3, -5000.0), 0.4)


def test_second_derivatives_by_a_parameter_and_the_argument():
    def slopes(f, *at):
        (mixed,) = morula.gradient(lambda z: morula.gradient(lambda a: f(a, z), at[0])[0], at[1])
        h = 1e-5
        ends = [morula.gradient(lambda a, z=at[1] + k * h: f(a, z), at[0])[0] for k in (-1, 1)]
        assert mixed == pytest.approx((ends[1] - ends[0]) / (2 * h), rel=1e-8)

    slopes(lambda a, z: s.hyp1f1(a, 1.4, z), 0.6, 0.7)
    slopes(lambda b, z: s.hyp1f1(0.6, b, z), 1.4, -0.7)
    slopes(lambda a, z: s.hyp2f1(a, 1.4, 2.1, z), 0.6, 0.3)
    slopes(lambda b, z: s.hyp2f1(0.6, b, 2.1, z), 1.4, -3.0)
    slopes(lambda c, z: s.hyp2f1(0.6, 1.4, c, z), 2.1, 0.3)
