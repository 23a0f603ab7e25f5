import numpy as np
from geometer import (
    Circle,
    Line,
    Plane,
    Point,
    Polygon,
    Triangle,
    angle,
    crossratio,
    dist,
    join,
    meet,
    reflection,
    rotation,
    translation,
)

CALLS: dict = {}
P = np.array([0.3, 1.2])
CALLS["dist"] = (lambda p: dist(Point(*p), Point(2.0, 0.5)), P)
CALLS["distance to a line"] = (lambda p: dist(Point(*p), Line(Point(0.0, 0.0), Point(2.0, 0.7))), P)
CALLS["angle"] = (lambda p: angle(Point(*p), Point(2.0, 0.5), Point(0.0, 0.0)), P)
CALLS["meet"] = (lambda p: meet(Line(Point(*p), Point(2.0, 0.5)), Line(1.0, -1.0, 0.2)).normalized_array[:2], P)
CALLS["join"] = (lambda p: join(Point(*p), Point(2.0, 0.5)).array, P)
CALLS["Triangle.area"] = (lambda p: Triangle(Point(*p), Point(2.0, 0.5), Point(0.1, 0.1)).area, P)
CALLS["Polygon.area"] = (lambda p: Polygon(Point(0.0, 0.0), Point(2.0, 0.1), Point(*p), Point(0.0, 1.0)).area, P)
CALLS["rotation"] = (lambda t: (rotation(t) * Point(1.0, 0.4)).normalized_array[:2], 0.7)
CALLS["translation"] = (lambda p: (translation(*p) * Point(1.0, 0.4)).normalized_array[:2], P)
CALLS["reflection"] = (lambda p: (reflection(Line(1.0, -1.0, 0.2)) * Point(*p)).normalized_array[:2], P)
CALLS["Circle.area"] = (lambda r: Circle(Point(0.0, 1.0), r).area, 1.3)
CALLS["Plane"] = (lambda p: dist(Point(*p, 0.4), Plane(1.0, 2.0, -1.0, 0.3)), P)
CALLS["crossratio"] = (lambda a: crossratio(Point(a, 0.0), Point(1.0, 0.0), Point(2.5, 0.0), Point(4.0, 0.0)), 0.4)
