"""What of `scipy.interpolate` is followed, as Python or by programs for its methods, and what is refused."""

from __future__ import annotations

from scipy import interpolate  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable, unsupported
from ..naming import named, refuse

needs_no_rule(
    *named(
        interpolate,
        """
        Akima1DInterpolator BPoly BSpline BarycentricInterpolator BivariateSpline CubicHermiteSpline CubicSpline
        FloaterHormannInterpolator InterpolatedUnivariateSpline KroghInterpolator LSQUnivariateSpline
        LinearNDInterpolator NdBSpline NdPPoly NearestNDInterpolator PPoly PchipInterpolator RBFInterpolator Rbf
        RectBivariateSpline RegularGridInterpolator UnivariateSpline approximate_taylor_polynomial
        barycentric_interpolate griddata interp1d interpn krogh_interpolate lagrange make_splprep make_splrep pade
        pchip_interpolate splantider splder
        """,
    )
)
non_differentiable(*named(interpolate, "generate_knots"))
SMOOTH = "chooses knots and a smoothing parameter in compiled steps; interpolate with RectBivariateSpline"
SPHERE = "is compiled; make a RectBivariateSpline of the data"
for reason, names in {
    SMOOTH: "SmoothBivariateSpline SmoothSphereBivariateSpline LSQBivariateSpline LSQSphereBivariateSpline",
    SPHERE: "RectSphereBivariateSpline",
}.items():
    for of_surfaces in named(interpolate, names):
        unsupported(reason, of_surfaces)
        refuse(reason, of_surfaces.__init__)
refuse(SMOOTH, interpolate.bisplrep)
refuse(SPHERE, interpolate.bisplev)
refuse("is compiled; make a BSpline, and call its insert_knot", interpolate.insert)
unsupported(
    "chooses its poles in steps that have no derivative; use FloaterHormannInterpolator", *named(interpolate, "AAA")
)
unsupported(
    "finds gradients in steps that have no derivative; use LinearNDInterpolator or RBFInterpolator",
    interpolate.CloughTocher2DInterpolator,
)
unsupported(
    "was removed from SciPy; use RectBivariateSpline or RegularGridInterpolator", *named(interpolate, "interp2d")
)
