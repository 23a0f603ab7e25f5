"""Trees for the search of neighbours: which these are is constant, the distances to them are not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import spatial  # type: ignore[import-untyped]
from scipy.spatial import distance as sd  # type: ignore[import-untyped]

from ....declarations import non_differentiable, unsupported
from ....programs import program
from ....tangents import NotImplementedDerivative

KDTree: Any = spatial.KDTree
cKDTree: Any = spatial.cKDTree


class ActiveTree(spatial.cKDTree):
    """A `cKDTree` that can keep its points as an attribute."""


def tree_program(cls: Any) -> Any:
    def made(
        config: Any, data: Any, leafsize: Any = None, compact_nodes: Any = True, copy_data: Any = False,
        balanced_tree: Any = True, boxsize: Any = None,
    ) -> Any:  # fmt: skip
        points = np.ascontiguousarray(np.asarray(data, float))
        if copy_data or points is data:
            points = points.copy()
        leafsize = (16 if cls is ActiveTree else 10) if leafsize is None else leafsize
        tree = config.plainly(cls, points, leafsize, compact_nodes, False, balanced_tree, boxsize)
        tree._points = points
        return tree

    return made


program(KDTree)(tree_program(KDTree))
program(cKDTree)(tree_program(ActiveTree))


def query_program(
    config: Any, self: Any, x: Any, k: Any = 1, eps: Any = 0, p: Any = 2, *options: Any, **named: Any
) -> Any:
    found, i = config.plainly(self.query, x, k, eps, p, *options, **named)
    points, x = points_of(self), np.asarray(x, float)
    there = np.isfinite(found)
    differences = (x if np.ndim(i) < x.ndim else x[..., None, :]) - points[np.where(there, i, 0)]
    box = config.plainly(getattr, self, "boxsize")
    if box is not None:
        sizes = np.where(box > 0, box, np.inf)
        differences = differences - config.plainly(np.nan_to_num, np.round(differences / sizes) * sizes)
    return np.where(there, np.linalg.norm(differences, p, axis=-1), found)[()], i


def points_of(tree: Any) -> Any:
    return tree._points if hasattr(tree, "_points") else tree.data


for _cls in (KDTree, cKDTree):
    program(_cls.query)(query_program)
    non_differentiable(_cls.query_ball_point, _cls.query_ball_tree, _cls.query_pairs)
    unsupported(
        "is not implemented: find the pairs with query_pairs, and take their distances", _cls.sparse_distance_matrix
    )
    unsupported("counts pairs: sum the weights of those that query_ball_tree finds", _cls.count_neighbors)


@program(sd.directed_hausdorff)
def hausdorff_program(config: Any, u: Any, v: Any, *options: Any, **named: Any) -> Any:
    found, i, j = config.plainly(sd.directed_hausdorff, u, v, *options, **named)
    difference = np.asarray(u, float)[i] - np.asarray(v, float)[j]
    if found == 0:
        raise NotImplementedDerivative("the sets have distance 0, where it has no derivative")
    return np.linalg.norm(difference), i, j
