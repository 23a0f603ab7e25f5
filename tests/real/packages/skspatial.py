import numpy as np
from skspatial.objects import Circle, Cylinder, Line, Plane, Point, Points, Sphere, Triangle, Vector

p, q = np.array([1.0, 2.0, 3.0]), np.array([-0.5, 0.4, 0.7])


CALLS = {
    "Point.distance_point": (lambda p, q: Point(p).distance_point(q), p, q),
    "Vector.unit": (lambda v: Vector(v).unit(), p),
    "Vector.angle_between": (lambda u, v: Vector(u).angle_between(v), p, q),
    "Vector.project_vector": (lambda u, v: Vector(u).project_vector(v), p, q),
    "Line.project_point": (lambda a, d: Line(point=a, direction=d).project_point([0.3, 0.2, 0.9]), p, q),
    "Line.intersect_line": (
        lambda x: Line([0.0, 0.0], [1.0, x]).intersect_line(Line([5.0, 5.0], [0.0, 1.0])),
        1.3,
    ),
    "Line.distance_line": (lambda a: Line(a, [1, 1, 0]).distance_line(Line([0, 0, 1], [1, -1, 0.5])), p),
    "Line.best_fit": (
        lambda x: Line.best_fit(Points(x)).distance_point([1.0, 5.0]),
        np.array([[0.0, 0.1], [1, 1.2], [2, 1.9], [3, 3.1]]),
    ),
    "Plane.distance_point": (lambda a, n: Plane(point=a, normal=n).distance_point([4.0, 1.0, 0.0]), p, q),
    "Plane.intersect_line": (lambda n: Plane([0, 0, 0], n).intersect_line(Line([5, -3, 3], [1, 2, 1])), p),
    "Plane.from_points": (lambda a: Plane.from_points(a, [1, 0, 0], [0, 1, 0.5]).normal, p),
    "Sphere.volume": (lambda r: Sphere([1, 2, 3], r).volume() + Sphere([1, 2, 3], r).surface_area(), 2.0),
    "Sphere.intersect_line": (lambda r: Sphere([0, 0, 0], r).intersect_line(Line([0, 0, 0], [1, 2, 0.0])), 1.5),
    "Circle.intersect_circle": (lambda r: Circle([0, 0], 1.0).intersect_circle(Circle([1.2, 0.0], r)), 0.9),
    "Circle.best_fit": (
        lambda x: Circle.best_fit(x).radius,
        np.array([[1.0, 0.1], [0.0, 1.1], [-1.0, 0.05], [0.1, -0.9]]),
    ),
    "Triangle.area": (lambda a: Triangle(a, [1, 1, 0], [0, 2, 1]).area(), p),
    "Triangle.angle": (lambda a: Triangle(a, [1, 1], [0, 2]).angle("B"), np.array([0.3, 0.1])),
    "Cylinder.volume": (lambda r, v: Cylinder([0, 0, 0], v, r).volume(), 1.3, p),
    "Points.centroid": (lambda x: Points(x).centroid(), np.array([[0.0, 0.1], [1, 1.2], [2, 1.9]])),
}
