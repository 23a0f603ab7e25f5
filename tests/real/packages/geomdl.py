import numpy as np
from geomdl import NURBS, BSpline, operations, utilities
from geomdl.fitting import interpolate_curve

points = np.array([[5.0, 5.0], [10.0, 10.0], [20.0, 15.0], [35.0, 15.0], [45.0, 10.0], [50.0, 5.0]])


def curve_of(p):
    curve = BSpline.Curve()
    curve.degree = 3
    curve.ctrlpts = p.tolist()
    curve.knotvector = utilities.generate_knot_vector(curve.degree, len(curve.ctrlpts))
    return curve


def rational(w):
    curve = NURBS.Curve()
    curve.degree = 2
    curve.ctrlpts = points.tolist()
    curve.weights = list(w)
    curve.knotvector = utilities.generate_knot_vector(2, 6)
    return curve.evaluate_single(0.4)


def surface(z):
    s = BSpline.Surface()
    s.degree_u = s.degree_v = 2
    s.set_ctrlpts([[float(i), float(j), z[3 * i + j]] for i in range(3) for j in range(3)], 3, 3)
    s.knotvector_u = s.knotvector_v = [0, 0, 0, 1, 1, 1]
    return s.evaluate_single((0.3, 0.6))


CALLS = {
    "evaluate_single": (lambda p, u: curve_of(p).evaluate_single(u), points, 0.35),
    "derivatives": (lambda p, u: curve_of(p).derivatives(u, order=2), points, 0.35),
    "evalpts": (lambda p: np.array(curve_of(p).evalpts)[::10], points),
    "tangent": (lambda p: operations.tangent(curve_of(p), 0.3, normalize=True)[1], points),
    "length": (lambda p: operations.length_curve(curve_of(p)), points),
    "insert_knot": (lambda p: operations.insert_knot(curve_of(p), [0.5], [1]).evaluate_single(0.45), points),
    "weights": (rational, np.array([1.0, 0.8, 1.2, 1.0, 0.7, 1.1])),
    "surface": (surface, np.array([0.1, 0.4, -0.2, 0.3, 0.9, 0.5, 0.0, -0.3, 0.2])),
    "interpolate_curve": (lambda p: interpolate_curve(p.tolist(), 3).evaluate_single(0.37), points),
}
