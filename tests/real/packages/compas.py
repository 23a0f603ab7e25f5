import numpy as np
from compas.datastructures import Mesh
from compas.geometry import (
    Frame,
    Line,
    Plane,
    Point,
    Polygon,
    Polyline,
    Quaternion,
    Rotation,
    Transformation,
    Vector,
    area_polygon,
    bestfit_plane,
    centroid_points,
    closest_point_on_segment,
    distance_line_line,
    distance_point_plane,
    intersection_line_plane,
    normal_polygon,
    volume_polyhedron,
)  # fmt: skip

CALLS: dict = {}
P = np.array([[0.0, 0.1, 0.2], [1.0, 0.2, 0.0], [1.2, 1.1, 0.3], [0.1, 0.9, 0.1]])
rows = lambda p: [[float(v) for v in r] for r in p]
CALLS["vector"] = (lambda a, b: list(Vector(*a).cross(Vector(*b)).unitized()), P[1], P[2])
CALLS["angle"] = (lambda a, b: Vector(*a).angle(Vector(*b)), P[1], P[2])
CALLS["area_polygon"] = (lambda p: area_polygon(rows(p)), P)
CALLS["Polygon"] = (lambda p: [*Polygon(rows(p)).centroid, Polygon(rows(p)).area], P)
CALLS["Polyline length"] = (lambda p: Polyline(rows(p)).length, P)
CALLS["normal_polygon"] = (lambda p: normal_polygon(rows(p)), P)
CALLS["centroid_points"] = (lambda p: centroid_points(rows(p)), P)
CALLS["bestfit_plane"] = (lambda p: list(bestfit_plane(rows(p))[1]), P)
CALLS["plane"] = (lambda a, n: distance_point_plane(Point(*a), Plane([0.1, 0.2, 0.3], n)), P[2], P[1])
CALLS["line plane"] = (
    lambda a, b: list(intersection_line_plane(Line(Point(*a), Point(*b)), Plane([0.0, 0.0, 0.5], [0.1, 0.2, 1.0]))),
    P[0],
    np.array([0.3, 0.4, 1.7]),
)
CALLS["line line"] = (
    lambda a, b: distance_line_line((list(a), list(b)), ([0.0, 1.0, 2.0], [1.0, 0.5, 0.7])),
    P[0],
    P[1],
)
CALLS["closest point"] = (lambda a, b: list(closest_point_on_segment(list(a), (list(b), [2.0, 1.0, 1.0]))), P[2], P[0])
CALLS["Frame"] = (lambda a, b, c: list(Frame(list(a), list(b), list(c)).to_local_coordinates(Point(1, 2, 3))), *P[:3])
CALLS["Rotation"] = (
    lambda a, t: list(Point(1.0, 2.0, 3.0).transformed(Rotation.from_axis_and_angle(list(a), t))),
    P[2],
    0.7,
)
CALLS["Quaternion"] = (
    lambda a, b: list((Quaternion(*a) * Quaternion(*b)).unitized()),
    np.array([0.9, 0.1, 0.2, 0.3]),
    np.array([0.7, -0.2, 0.4, 0.1]),
)
CALLS["Transformation"] = (
    lambda a: list(
        Point(1.0, 2.0, 3.0).transformed(Transformation.from_frame(Frame(list(a), [1, 0.2, 0], [0, 1, 0.1])))
    ),
    P[1],
)
CUBE = Mesh.from_polyhedron(6)
CALLS["volume"] = (
    lambda p: volume_polyhedron((rows(p), [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])),
    np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 1.0, 0.1], [0.1, 0.3, 1.2]]),
)


def mesh_area(p):
    mesh = Mesh.from_vertices_and_faces(rows(p), [[0, 1, 2, 3]])
    return mesh.area() + sum(mesh.face_centroid(0)) + mesh.edge_length((0, 1))


CALLS["mesh"] = (mesh_area, P)
