"""Hulls, triangulations and diagrams of points: facets and regions are constants, what is measured on them is not."""

from __future__ import annotations

from copy import copy
from math import factorial
from typing import Any

import numpy as np
from scipy import spatial  # type: ignore[import-untyped]

from ....declarations import non_differentiable, unsupported
from ....programs import program
from ....tangents import NotImplementedDerivative
from ..objects import adopt, state_of

ConvexHull, Delaunay, Voronoi = spatial.ConvexHull, spatial.Delaunay, spatial.Voronoi


def points_of(points: Any, incremental: Any) -> Any:
    if incremental:
        raise NotImplementedDerivative("incremental=True is not implemented: points that come later are not followed")
    return np.asarray(points, float)


def on_copy(obj: Any, name: str, *args: Any, **named: Any) -> Any:
    """An attribute of an object that stores what it computes, or the value of a method."""
    found = getattr(copy(obj), name)
    return found(*args, **named) if callable(found) else found


@program(ConvexHull.__init__)
def hull_init(config: Any, self: Any, points: Any, incremental: Any = False, qhull_options: Any = None) -> None:
    """The volume is that of the cones over the facets: ``sum |det|/d!``; the normals solve ``(p - m) n = 1``."""
    p = points_of(points, incremental)
    made = adopt(config, self, ConvexHull, points, incremental, qhull_options)
    self._vertices = config.plainly(on_copy, made, "vertices")
    self._points = p
    d = p.shape[1]
    middle = np.mean(p, axis=0)
    corners = p[made.simplices] - middle
    self.volume = np.sum(np.abs(np.linalg.det(corners))) / factorial(d)
    edges = corners[:, 1:] - corners[:, :1]
    gram = edges @ np.swapaxes(edges, 1, 2)
    self.area = np.sum(np.sqrt(np.linalg.det(gram))) / factorial(d - 1)
    normals = np.linalg.solve(corners, np.ones((len(corners), d, 1)))[:, :, 0]
    normals = normals / np.sqrt(np.sum(normals * normals, axis=1))[:, None]
    offsets = -np.sum(normals * (corners[:, 0] + middle), axis=1)
    self.equations = np.concatenate([normals, offsets[:, None]], axis=1)
    self.min_bound, self.max_bound = np.min(p, axis=0), np.max(p, axis=0)


@program(Delaunay.__init__)
def delaunay_init(
    config: Any, self: Any, points: Any, furthest_site: Any = False, incremental: Any = False,
    qhull_options: Any = None,
) -> None:  # fmt: skip
    p = points_of(points, incremental)
    made = config.plainly(Delaunay, points, furthest_site, incremental, qhull_options)
    for name, value in config.plainly(state_of, made).items():
        if name not in ("equations", "paraboloid_scale", "paraboloid_shift"):  # which depend on the points
            setattr(self, name, value)
    self._made = made
    self._points = p
    self.min_bound, self.max_bound = np.min(p, axis=0), np.max(p, axis=0)


@program(Voronoi.__init__)
def voronoi_init(
    config: Any, self: Any, points: Any, furthest_site: Any = False, incremental: Any = False,
    qhull_options: Any = None,
) -> None:  # fmt: skip
    """A vertex v is as far from all its points: ``2 (p_j - p_0) v = p_j^2 - p_0^2``."""
    p = points_of(points, incremental)
    made = adopt(config, self, Voronoi, points, furthest_site, incremental, qhull_options)
    self._points = p
    around = p[config.plainly(points_around, made)]
    middle = np.mean(p, axis=0)
    around = around - middle
    a = 2.0 * (around[:, 1:] - around[:, :1])
    squares = np.sum(around * around, axis=2)
    self.vertices = np.linalg.solve(a, (squares[:, 1:] - squares[:, :1])[:, :, None])[:, :, 0] + middle
    self.min_bound, self.max_bound = np.min(p, axis=0), np.max(p, axis=0)


def points_around(diagram: Any) -> Any:
    """For each vertex as many points as make it: of the ridges that it ends."""
    near: list[set[int]] = [set() for _ in diagram.vertices]
    for pair, vertices in zip(diagram.ridge_points, diagram.ridge_vertices, strict=True):
        for v in vertices:
            if v >= 0:
                near[v].update(map(int, pair))
    n = diagram.ndim + 1
    if any(len(points) != n for points in near):
        raise NotImplementedDerivative("a vertex of the diagram has more points around it than make it: it may split")
    return np.array([sorted(points) for points in near], int).reshape(-1, n)


for _cls in (ConvexHull, Delaunay, Voronoi):
    program(_cls.points.fget)(lambda config, self: self._points)
program(ConvexHull.vertices.fget)(lambda config, self: self._vertices)


def constant_property(name: str) -> Any:
    return lambda config, self: config.plainly(on_copy, self._made, name)


for _name in ("vertex_to_simplex", "vertex_neighbor_vertices", "convex_hull"):
    program(getattr(Delaunay, _name).fget)(constant_property(_name))


@program(Delaunay.find_simplex)
def find_simplex_program(config: Any, self: Any, xi: Any, *options: Any, **named: Any) -> Any:
    return config.plainly(on_copy, getattr(self, "_made", self), "find_simplex", xi, *options, **named)


unsupported(
    "is not implemented: solve for the barycentric coordinates of points in their simplices",
    Delaunay.transform.fget, Delaunay.plane_distance, Delaunay.lift_points,
)  # fmt: skip
unsupported(
    "is not implemented: use the points of ConvexHull, Delaunay or Voronoi",
    spatial.HalfspaceIntersection, spatial.HalfspaceIntersection.__init__, spatial.SphericalVoronoi, spatial.Rectangle,
)  # fmt: skip
non_differentiable(spatial.tsearch, spatial.convex_hull_plot_2d, spatial.delaunay_plot_2d, spatial.voronoi_plot_2d)
