"""Programs with `scipy.interpolate`, as their users write them: by data, places, weights, coefficients and points."""

import numpy as np
import pytest
from scipy import interpolate as si
from scipy.optimize import brentq
from scipy.spatial import Delaunay
from scipy_checks import central, check, flat, weighed, whole

import morula
from morula import NotDifferentiable, gradient, hessian

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")  # of newer versions of SciPy
R = np.random.default_rng(3)
X = np.array([0.1, 0.5, 1.3, 1.8, 2.6, 3.1, 3.9, 4.4, 5.0])
Y = np.sin(X) + 0.1 * X + 0.1 * R.normal(size=9)
Q = np.array([0.7, 3.3, 1.15, 4.75, 2.25])
KNOTS = np.array([0.0, 0.2, 0.5, 1.1, 1.5, 2.6, 3.1, 4.0, 4.4, 4.9, 5.1, 5.5])
INNER = np.array([1.5, 3.3])
W = 1.0 + 0.1 * np.arange(9.0)
GX, GY = np.array([0.0, 0.2, 0.5, 0.9, 1.1, 1.4]), np.array([-1.0, -0.3, 0.1, 0.6, 1.0])
GRID = R.normal(size=(6, 5))
POINTS = R.uniform(0.15, 0.85, size=(4, 2))
PLACES = np.concatenate([R.uniform(-1, 2, size=(9, 2)), [[-2.0, -2.0], [3.0, -2.1], [0.0, 4.0]]])
DATA = R.normal(size=12)


def closed(y):
    """Data of a period."""
    return np.concatenate([y[:-1], y[:1]])


def of(make, **named):
    """An interpolator of data, at points."""
    return lambda x, y, q: weighed(make(x, y, **named)(q))


CUBIC = {
    "natural": of(si.CubicSpline, bc_type="natural"),
    "clamped": of(si.CubicSpline, bc_type="clamped"),
    "not a knot": of(si.CubicSpline),
    "mixed": lambda x, y, q: weighed(si.CubicSpline(x, y, bc_type=((1, y[0]), (2, x[1])))(q)),
    "periodic": lambda x, y, q: weighed(si.CubicSpline(x, closed(y), bc_type="periodic")(q + 4.03)),
    "three points": lambda x, y, q: weighed(si.CubicSpline(x[:3], y[:3])(q)),
    "three, periodic": lambda x, y, q: weighed(si.CubicSpline(x[:3], closed(y[:3]), bc_type="periodic")(q)),
    "two points": lambda x, y, q: weighed(si.CubicSpline(x[:2], y[:2], bc_type=((2, 0.3), "not-a-knot"))(q)),
    "columns": lambda x, y, q: weighed(si.CubicSpline(x, np.stack([y, y**2]), axis=1)(np.reshape(q[:4], (2, 2)))),
    "derivative": lambda x, y, q: weighed(si.CubicSpline(x, y)(q, 2)) + weighed(si.CubicSpline(x, y).derivative()(q)),
    "antiderivative": lambda x, y, q: weighed(si.CubicSpline(x, y).antiderivative(2)(q)),
    "integral": lambda x, y, q: si.CubicSpline(x, y).integrate(q[0], q[1]) * q[2],
    "periodic integral": lambda x, y, q: si.CubicSpline(x, closed(y), bc_type="periodic").integrate(q[0], q[1] + 12.0),
    "roots": lambda x, y, q: weighed(si.CubicSpline(x, y - 0.4).roots(extrapolate=False)) + q[0],
    "pchip": of(si.PchipInterpolator),
    "pchip function": lambda x, y, q: weighed(si.pchip_interpolate(x, y, q)),
    "akima": of(si.Akima1DInterpolator),
    "makima": of(si.Akima1DInterpolator, method="makima"),
    "hermite": lambda x, y, q: weighed(si.CubicHermiteSpline(x, y, np.cos(x) * y)(q)),
}
ONE = {
    **{f"interp1d {kind}": of(si.interp1d, kind=kind) for kind in ("linear", "nearest", "previous", "next")},
    **{f"interp1d {kind}": of(si.interp1d, kind=kind) for kind in ("slinear", "quadratic", "cubic", 5)},
    "interp1d, extrapolated": lambda x, y, q: weighed(si.interp1d(x, y, fill_value="extrapolate")(q + 3.0)),
    "interp1d, filled": lambda x, y, q: weighed(si.interp1d(x, y, bounds_error=False, fill_value=(q[0], 1.0))(q * 3)),
    "barycentric": of(si.BarycentricInterpolator),
    "krogh": of(si.KroghInterpolator),
    "lagrange": lambda x, y, q: weighed(si.lagrange(x[:4], y[:4])(q)),
    "rational": of(si.FloaterHormannInterpolator) if hasattr(si, "FloaterHormannInterpolator") else of(si.CubicSpline),
    **{f"spline of degree {k}": of(si.make_interp_spline, k=k) for k in range(6)},
    "spline, natural": of(si.make_interp_spline, bc_type="natural"),
    "spline, ends": lambda x, y, q: weighed(si.make_interp_spline(x, y, bc_type=([(1, q[0])], [(2, y[0])]))(q, 1)),
    "spline, integral": lambda x, y, q: si.make_interp_spline(x, y).integrate(q[0], q[1]) * q[2],
    "spline, columns": lambda x, y, q: weighed(si.make_interp_spline(x, np.stack([y, y * y]), axis=1)(q)),
    **{
        f"periodic spline of degree {k}": lambda x, y, q, k=k: weighed(
            si.make_interp_spline(x, closed(y), k=k, bc_type="periodic")(q + 7.03)
        )
        for k in (1, 2, 3, 4)
    },
    "least squares": lambda x, y, q: weighed(si.make_lsq_spline(x, y, full(x, INNER), w=1.0 + 0.1 * y)(q)),
    "smoothing": lambda x, y, q: weighed(si.make_smoothing_spline(x, y, 1.0 + 0.1 * y, lam=0.1 * q[0])(q)),
    "splrep": lambda x, y, q: weighed(si.splev(q, si.splrep(x, y))),
    "splrep, even": lambda x, y, q: weighed(si.splev(q, si.splrep(x, y, k=2), der=1, ext=3)),
    "splrep, knots": lambda x, y, q: weighed(si.splev(q, si.splrep(x, y, W, t=INNER), ext=1)),
    "splprep": lambda x, y, q: weighed(si.splev(q / 9.0, si.splprep([x, y], s=0)[0])),
    "splint": lambda x, y, q: si.splint(q[0], q[1], si.splrep(x, y)),
    "spalde": lambda x, y, q: weighed(si.spalde(q, si.splrep(x, y))),
    "sproot": lambda x, y, q: weighed(si.sproot(si.splrep(x, y - 0.4))),
    "splder": lambda x, y, q: weighed(si.splev(q, si.splder(si.splrep(x, y)))),
    "univariate": of(si.UnivariateSpline, s=0),
    "interpolated univariate": of(si.InterpolatedUnivariateSpline, k=2),
    "univariate, calculus": lambda x, y, q: (
        weighed(si.UnivariateSpline(x, y, s=0).derivative()(q))
        + si.UnivariateSpline(x, y, s=0).integral(q[0], q[1])
        + weighed(si.UnivariateSpline(x, y, s=0).antiderivative()(q))
        + weighed(si.UnivariateSpline(x, y - 0.4, s=0).roots())
        + weighed(si.UnivariateSpline(x, y, s=0).derivatives(q[0]))
    ),
    "univariate, knots": lambda x, y, q: (
        weighed(si.LSQUnivariateSpline(x, y, INNER, W)(q)) + si.LSQUnivariateSpline(x, y, INNER).get_residual()
    ),
    "splev, slopes outside": lambda x, y, q: weighed(si.splev(q + 1.53, si.splrep(x, y, k=2), der=1, ext=3)),
    "univariate, slopes outside": lambda x, y, q: weighed(si.UnivariateSpline(x, y, s=0, ext="const")(2 * q - 1.5, 2)),
    "univariate, kept outside": of(si.UnivariateSpline, s=0, ext="const"),
    "make_splrep": lambda x, y, q: weighed(si.make_splrep(x, y, s=0)(q)) if hasattr(si, "make_splrep") else y[0] + q[0],
}


def full(x, inner):
    """Knots of degree 3."""
    return np.concatenate([np.stack([x[0]] * 4), inner, np.stack([x[-1]] * 4)])


@pytest.mark.parametrize("name", CUBIC)
def test_cubic_interpolation(name) -> None:
    check(CUBIC[name], X, Y, Q)


@pytest.mark.parametrize("name", ONE)
def test_interpolation_on_a_line(name) -> None:
    check(ONE[name], X, Y, Q)


COEFFICIENTS = {
    "PPoly": lambda c, b, q: weighed(si.PPoly(c, b)(q)) + si.PPoly(c, b).integrate(q[0], 3.0),
    "falling PPoly": lambda c, b, q: weighed(si.PPoly(c, b[::-1])(q)),
    "BPoly": lambda c, b, q: weighed(si.BPoly(c, b)(q, 1)) + weighed(si.BPoly(c, b).antiderivative()(q)),
    "converted": lambda c, b, q: weighed(si.BPoly.from_power_basis(si.PPoly(c, b))(q)),
    "BSpline": lambda c, b, q: weighed(si.BSpline(KNOTS, c[0], 3)(q)) + weighed(si.BSpline(KNOTS, c[0], 3)(q, 2)),
    "BSpline, knots": lambda c, b, q: weighed(si.BSpline(np.concatenate([b - 2.0, b + 3.5])[2:14], c[1], 3)(q)),
    "BSpline, calculus": lambda c, b, q: (
        weighed(si.BSpline(KNOTS, c[0], 3).derivative()(q))
        + si.BSpline(KNOTS, c[0], 3).integrate(q[0], q[1])
        + si.BSpline(KNOTS, c[0], 3, extrapolate=False).integrate(-1.0, q[1])
        + weighed(si.BSpline(KNOTS, c[0], 3).antiderivative()(q))
    ),
    "knot inserted": lambda c, b, q: weighed(si.BSpline(KNOTS, c[0], 3).insert_knot(2.2)(q)),
    "PPoly of a spline": lambda c, b, q: weighed(si.PPoly.from_spline((KNOTS, c[0], 3))(q)),
    "roots and jumps": lambda c, b, q: weighed(si.PPoly(RISING + 0.01 * c[:2], b).roots(extrapolate=False)) + q[0],
    "a level and jumps": lambda c, b, q: weighed(si.PPoly(RISING, b).solve(0.1 * q[0], extrapolate=False)) + c[0, 0],
}
RISING = np.array([[1.0] * 8, [-0.3, 0.5] * 4])  # lines: every second one has a root, and jumps down at its end


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_coefficients(name) -> None:
    if "inserted" in name and not hasattr(si.BSpline, "insert_knot"):
        pytest.skip("of newer versions of SciPy")
    check(COEFFICIENTS[name], R.normal(size=(4, 8)), X, Q)


def test_complex_coefficients() -> None:
    parts = lambda c, q: np.sum(np.abs(si.PPoly(c[:4] + 1j * c[4:], X)(q)) ** 2)
    check(parts, R.normal(size=(8, 8)), Q)
    check(lambda c, q: np.sum(np.abs(si.BSpline(KNOTS, c[0] + 1j * c[1], 3)(q)) ** 2), R.normal(size=(2, 8)), Q)
    check(lambda y, q: np.sum(np.abs(si.CubicSpline(X, y[0] + 1j * y[1])(q)) ** 2), R.normal(size=(2, 9)), Q)


def grid(**named):
    return lambda g, v, p: weighed(si.RegularGridInterpolator((g, GY), v, **named)(p))


GRIDS = {
    "linear": grid(),
    "nearest": grid(method="nearest"),
    "pchip": grid(method="pchip"),
    "extrapolated": lambda g, v, p: weighed(
        si.RegularGridInterpolator((g, GY), v, bounds_error=False, fill_value=None)(3 * p)
    ),
    "filled": lambda g, v, p: weighed(
        si.RegularGridInterpolator((g, GY), v, bounds_error=False, fill_value=0.7)(3 * p)
    ),
    "falling": lambda g, v, p: weighed(si.RegularGridInterpolator((g[::-1], GY), v)(p)),
    "coordinates": lambda g, v, p: weighed(si.RegularGridInterpolator((g, GY), v)((p[:, 0], 0.3))),
    "columns": lambda g, v, p: weighed(si.RegularGridInterpolator((g, GY), np.stack([v, v * v], axis=2))(p)),
    "interpn": lambda g, v, p: weighed(si.interpn((g, GY), v, p, method="splinef2d")),
    "rectangle": lambda g, v, p: weighed(si.RectBivariateSpline(g, GY, v)(p[:, 0], p[:, 1], grid=False)),
    "rectangle, derivative": lambda g, v, p: weighed(si.RectBivariateSpline(g, GY, v, kx=2).ev(p[:, 0], p[:, 1], dx=1)),
    "rectangle, all": lambda g, v, p: weighed(si.RectBivariateSpline(g, GY, v)(np.sort(p[:, 0]), np.sort(p[:, 1]))),
    "rectangle, integral": lambda g, v, p: si.RectBivariateSpline(g, GY, v).integral(p[0, 0], 1.2, p[0, 1] - 1.0, 0.5),
}


@pytest.mark.parametrize("name", GRIDS)
def test_grids(name) -> None:
    check(GRIDS[name], GX, GRID, POINTS)


@pytest.mark.parametrize("method", ["slinear", "cubic"])
def test_splines_on_grids(method) -> None:
    """SciPy's solver stops early: the gradient is that of the solution, which the older method has."""
    legacy = f"{method}_legacy" if hasattr(si, "NdBSpline") else method
    want = gradient(grid(method=legacy), GX, GRID, POINTS)
    got = gradient(grid(method=method), GX, GRID, POINTS)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)
    check(grid(method=legacy), GX, GRID, POINTS, second=False)


def test_tensor_products() -> None:
    check(lambda c, p: weighed(si.NdPPoly(c, (GX, GY))(p)), R.normal(size=(3, 2, 5, 4)), POINTS)
    if hasattr(si, "NdBSpline"):
        check(lambda c, p: weighed(si.NdBSpline((KNOTS, KNOTS), c, 3)(p + 2.0)), R.normal(size=(8, 8)), POINTS)


SCATTERED = {
    "linear": lambda p, v, q: weighed(si.LinearNDInterpolator(p, v)(q)),
    "linear, scaled": lambda p, v, q: weighed(
        si.LinearNDInterpolator(p, np.stack([v, v * v], 1), fill_value=0.0, rescale=True)(q[:, 0], q[:, 1])
    ),
    "triangulated": lambda p, v, q: weighed(si.LinearNDInterpolator(Delaunay(p), v)(q)),
    "griddata": lambda p, v, q: weighed(si.griddata(p, v, q, fill_value=0.0)),
    "nearest": lambda p, v, q: weighed(si.NearestNDInterpolator(p, v)(q)),
    "griddata, nearest": lambda p, v, q: weighed(si.griddata(p, v, q, method="nearest")),
    "griddata, one axis": lambda p, v, q: weighed(si.griddata(p[:, 0], v, np.clip(q[:, 0], -0.5, 1.0))),
    **{
        f"radial {kernel}": lambda p, v, q, kernel=kernel: weighed(
            si.RBFInterpolator(p, v, kernel=kernel, epsilon=1.0)(q)
        )
        for kernel in ("linear", "thin_plate_spline", "cubic", "multiquadric", "inverse_quadratic", "gaussian")
    },
    "radial parameters": lambda p, v, q: weighed(
        si.RBFInterpolator(p, v, smoothing=v**2, kernel="inverse_multiquadric", epsilon=1.0 + q[0, 0], degree=1)(q)
    ),
    "radial, neighbours": lambda p, v, q: weighed(si.RBFInterpolator(p, v, neighbors=6)(q)),
    "radial, old": lambda p, v, q: weighed(si.Rbf(p[:, 0], p[:, 1], v, smooth=0.1)(q[:, 0], q[:, 1])),
}


@pytest.mark.parametrize("name", SCATTERED)
def test_scattered_points(name) -> None:
    check(SCATTERED[name], PLACES, DATA, POINTS, rtol=1e-5)


# -- programs ----------------------------------------------------------------------------------------------------


def test_a_curve_fitted_to_data_in_both_coordinates() -> None:
    """Errors in variables: places and values of the knots are unknown."""
    t = np.linspace(0.2, 4.8, 15)
    seen = np.sin(t)

    def misfit(places, heights, strength):
        curve = si.CubicSpline(np.cumsum(np.exp(places)), heights, bc_type="natural")
        rough = curve.derivative(2)
        return np.sum((curve(t) - seen) ** 2) + strength * np.sum(rough(t) ** 2)

    check(misfit, np.full(6, -0.1), np.sin(np.arange(6.0)), 0.01)


def test_a_ray_through_a_medium() -> None:
    """The time of a ray along a bent path, by the slowness on a grid."""

    def time(slowness, bend):
        s = np.linspace(0.0, 1.0, 9)
        path = np.stack([0.1 + 1.2 * s, -0.8 + 1.5 * s + bend * np.sin(np.pi * s)], axis=1)
        at = si.RegularGridInterpolator((GX, GY), slowness)(path)
        lengths = np.sqrt(np.sum(np.diff(path, axis=0) ** 2, axis=1))
        return np.sum(0.5 * (at[1:] + at[:-1]) * lengths)

    check(time, np.exp(0.1 * GRID), 0.2)


def test_a_term_structure_of_rates() -> None:
    """The price of a bond by a monotone curve through its discount factors, and its sensitivity to each quote."""

    def price(rates, coupon):
        curve = si.PchipInterpolator(X, -np.log1p(rates) * X)
        return coupon * np.exp(curve(np.arange(1.0, 5.0))).sum() + np.exp(curve(4.5))

    check(price, 0.02 + 0.01 * np.cos(X), 0.03)
    h = hessian(lambda r: price(r, 0.03), 0.02 + 0.01 * np.cos(X))
    np.testing.assert_allclose(h, h.T, atol=1e-12)


def test_a_subclass_and_attributes() -> None:
    class Curve(si.CubicSpline):
        def __init__(self, x, y):
            super().__init__(x, y, bc_type="natural")
            self.top = y.max()

    def f(y):
        curve = Curve(X, y)
        return weighed(curve(Q)) * curve.top + np.sum(curve.c[1] ** 2) + curve.x[2]

    check(f, Y)


def test_constants_and_repeated_use() -> None:
    """An interpolator that was made outside, used twice in a loop."""
    curve = si.PchipInterpolator(X, Y)

    def f(q):
        for _ in range(3):
            q = curve(q) + 0.5 * curve(q + 0.5, 1) + 1.0
        return np.sum(q)

    check(f, Q[:3])
    assert gradient(lambda y: si.CubicSpline(X, y, extrapolate=False)(7.0) * 0 + y[0], Y)[0][0] == 1.0


def level_reached(x, y, w, level, k, at):
    """The smoothest spline with inner knots at ``x[at]`` whose weighted squares are at a level, by a root search."""
    t = np.concatenate([[x[0]] * (k + 1), x[at], [x[-1]] * (k + 1)])
    units = [si.BSpline(t, e, k) for e in np.eye(len(t) - k - 1)]
    edges = np.concatenate([x[:1], x[at], x[-1:]])
    values = np.stack([b(x) for b in units], axis=1)
    jumps = np.stack([np.diff(b.derivative(k)((edges[1:] + edges[:-1]) / 2)) for b in units], axis=1)

    def coefficients(q):
        a = values.T @ (w[:, None] ** 2 * values) + np.exp(q) * jumps.T @ jumps
        return np.linalg.solve(a, values.T @ (w**2 * y))

    off = lambda q: np.log(np.sum((w * (y - values @ coefficients(q))) ** 2) / level)
    return si.BSpline(t, coefficients(brentq(off, -30.0, 25.0, xtol=1e-13)), k)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("make", ["splrep", "splprep", "UnivariateSpline", "make_splrep", "make_splprep"])
def test_smoothing_splines_are_those_of_the_level_that_was_reached(make, k) -> None:
    rng = np.random.default_rng(6)
    x = np.linspace(0, 10, 25) + 0.1 * rng.random(25)
    y, w = np.sin(x) + 0.1 * rng.normal(size=25), 1.0 + rng.random(25)
    q = np.linspace(0.4, 9.7, 9)

    def f(x, y, w, s):
        if make == "splrep":
            return weighed(si.splev(q, si.splrep(x, y, w, k=k, s=s)))
        if make == "splprep":
            return weighed(si.splev(q, si.splprep([y], w, x, k=k, s=s)[0])[0])
        if make == "make_splrep":
            return weighed(si.make_splrep(x, y, w=w, k=k, s=s)(q))
        if make == "make_splprep":
            return weighed(si.make_splprep([y], w=w, u=x, k=k, s=s)[0](q)[0])
        return weighed(si.UnivariateSpline(x, y, w, k=k, s=s)(q))

    t, c, _ = si.splrep(x, y, w, k=k, s=0.6)
    if make.startswith("make"):
        if not hasattr(si, make):
            pytest.skip("SciPy has it from 1.15 on")
        made = si.make_splrep(x, y, w=w, k=k, s=0.6)
        t, c = made.t, made.c
    at = np.searchsorted(x, t[k + 1 : -k - 1])
    level = np.sum((w * (y - si.splev(x, (t, c, k)))) ** 2)
    exact = lambda x, y, w, s: weighed(level_reached(x, y, w, s + level - 0.6, k, at)(q))
    args = (x, y, w, 0.6)
    got = flat(whole(gradient(f, *args), args))
    split = lambda v: (v[:25], v[25:50], v[50:75], v[75])
    directions = rng.normal(size=(8, 76)) * np.repeat([1e-2, 1.0, 1.0, 0.1], [25, 25, 25, 1])
    for v in directions:
        np.testing.assert_allclose(got @ v, central(exact, args, split(v), 1e-4), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(morula.jvp(f, args, split(v))[1], got @ v, rtol=1e-10)
    if k == 3:
        turned = morula.jvp(lambda *xs: flat(whole(gradient(f, *xs), args)), args, split(v))[1] @ v
        moved = [exact(*(a + h * d for a, d in zip(args, split(v), strict=True))) for h in (-3e-4, 0.0, 3e-4)]
        np.testing.assert_allclose(turned, (moved[0] - 2 * moved[1] + moved[2]) / 9e-8, rtol=1e-2)


def test_smoothing_splines_at_the_ends_of_smoothness() -> None:
    check(lambda y: weighed(si.UnivariateSpline(X, y)(Q)), Y)  # so smooth that it has no knots
    check(lambda x, y: weighed(si.splev(Q, si.splrep(X, y, s=1e3, k=2))) + x, 1.0, Y)
    smooth = lambda y: si.UnivariateSpline(X, y, s=0.05).get_residual()
    np.testing.assert_allclose(gradient(smooth, Y)[0], 0.0, atol=1e-12)  # it is s


class Scaled(si.interp1d):
    def __init__(self, x, y, scale):
        super().__init__(x, y)
        self.scale = scale


def test_lines_on_data_that_come_in_any_order_or_change_afterwards() -> None:
    def kept(x, y, q):
        data = y * 1.0
        f = si.interp1d(x[::-1], data[::-1])
        line = si.interp1d(x, data)
        data[:] = 0.0
        return weighed(f(q)) + weighed(line(q)) + Scaled(x, y, q[0])(2.0) * Scaled(x, y, q[1]).scale

    check(kept, X, Y, Q)
    beyond = np.array([-1.0, 2.0, 9.0])
    check(lambda x, y, q: weighed(si.interp1d(x, y, fill_value="extrapolate")(q)), X, Y, beyond)
    check(lambda y, q: weighed(si.interp1d(X, y, bounds_error=False, fill_value=(y[0], 0.3))(q)), Y, beyond)
    with pytest.raises(ValueError, match="must be equal in length"):
        gradient(lambda y: si.interp1d(X[:3], y)(Q).sum(), Y)


def test_smoothing_by_cross_validation() -> None:
    """Against the minimum of the criterion, by hat matrices that SciPy gives."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(15) * 30)
    y, w, q = np.sin(x / 3) + 0.3 * rng.normal(size=15), 1 + rng.random(15), np.linspace(1, 28, 7)
    f = lambda x, y, w: weighed(si.make_smoothing_spline(x, y, w)(q))

    def exact(x, y, w):
        def criterion(s):
            hat = si.make_smoothing_spline(x, np.eye(15), w, np.exp(s))(x)
            return np.log(np.sum((y - hat @ y) ** 2)) - 2 * np.log(15 - np.trace(hat))

        slope = lambda s: 8 * (criterion(s + 0.01) - criterion(s - 0.01)) - criterion(s + 0.02) + criterion(s - 0.02)
        return weighed(si.make_smoothing_spline(x, y, w, np.exp(brentq(slope, -4.0, 2.5, xtol=1e-12)))(q))

    bars = gradient(f, x, y, w)
    for scales in ((0.01, 0.0, 0.0), (0.0, 0.1, 0.1)):
        v = [scale * rng.normal(size=15) for scale in scales]
        assert flat(bars) @ flat(v) == pytest.approx(central(exact, (x, y, w), v, 1e-2), rel=1e-3)
    turned = morula.hvp(lambda y: f(x, y, w), y, v[1])
    moved = [gradient(f, x, y + h * v[1], w)[1] for h in (1e-3, -1e-3)]
    np.testing.assert_allclose(turned, (moved[0] - moved[1]) / 2e-3, rtol=1e-2, atol=1e-3)


@pytest.mark.skipif(not hasattr(si, "make_splrep"), reason="SciPy has it from 1.15 on")
def test_smoothing_splines_on_given_knots_and_along_curves(monkeypatch) -> None:
    from scipy.interpolate import _fitpack_repro

    monkeypatch.setattr(_fitpack_repro, "TOL", 1e-10)
    x = np.linspace(0, 10, 25)
    y, t = np.sin(x) + 0.3 * np.cos(7.0 * x), np.repeat([0.0, 3.0, 5.0, 8.0, 10.0], [4, 1, 1, 1, 4])
    check(lambda y, s: weighed(si.make_splrep(x, y, s=s, t=t)(Q, 1)), y, 1.2, second=False)
    check(lambda y: weighed(si.make_splrep(x, y)(Q)) + weighed(si.make_splprep([x, y])[0]([0.2, 0.5])), y)


def test_what_is_refused() -> None:
    with pytest.raises(NotDifferentiable, match="LinearNDInterpolator"):
        gradient(lambda v: weighed(si.CloughTocher2DInterpolator(PLACES, v)(POINTS)), DATA)
    smooth = si.CloughTocher2DInterpolator(PLACES, DATA)
    with pytest.raises(NotDifferentiable, match="linear"):
        gradient(lambda q: weighed(smooth(q)), POINTS)
    with pytest.raises(NotDifferentiable, match="give one number lam"):
        gradient(lambda y: weighed(si.make_smoothing_spline(X / 1e3, y)(Q)), Y)  # a minimum that SciPy does not find


def test_errors_of_the_plain_call_come_through() -> None:
    with pytest.raises(ValueError, match="strictly increasing"):
        gradient(lambda y: weighed(si.CubicSpline(X[::-1], y)(Q)), Y)
    with pytest.raises(ValueError, match="out of bounds"):
        gradient(lambda v: weighed(si.RegularGridInterpolator((GX, GY), v)(POINTS * 9)), GRID)
    with pytest.raises(ValueError, match="above the interpolation range"):
        gradient(lambda y: weighed(si.interp1d(X, y)(Q * 9)), Y)
    assert morula.gradient(lambda y: si.CubicSpline(X, y)(np.zeros(0)).sum() + y[0], Y)[0][0] == 1.0
