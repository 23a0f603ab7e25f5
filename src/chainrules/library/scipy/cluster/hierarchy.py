"""Hierarchical clustering: the distances at which clusters merge, while the merges stay the same.

The distance of a merged cluster from another one follows from those of its parts: G. N. Lance and W. T. Williams, "A
general theory of classificatory sorting strategies", Computer Journal 9 (1967).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster import hierarchy  # type: ignore[import-untyped]
from scipy.spatial import distance  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable, unsupported
from ....programs import program
from ..naming import named, refuse


def merged(method: str, a: Any, b: Any, ab: Any, m: int, n: int, sizes: Any) -> Any:
    """The distances of others from two clusters that merge.

    Args:
        method: as of `scipy.cluster.hierarchy.linkage`.
        a, b: their distances from the first and from the second.
        ab: that of these two.
        m, n: the sizes of these; ``sizes``, those of the others.
    """
    if method == "single":
        return np.minimum(a, b)
    if method == "complete":
        return np.maximum(a, b)
    if method == "average":
        return (m * a + n * b) / (m + n)
    if method == "weighted":
        return 0.5 * (a + b)
    if method == "centroid":
        return np.sqrt((m * a * a + n * b * b) / (m + n) - m * n * ab * ab / (m + n) ** 2)
    if method == "median":
        return np.sqrt(0.5 * (a * a + b * b) - 0.25 * ab * ab)
    return np.sqrt(((m + sizes) * a * a + (n + sizes) * b * b - sizes * ab * ab) / (m + n + sizes))


def found(y: Any, method: str, metric: Any, optimal_ordering: bool) -> Any:
    """The merges as pairs of clusters, and the table as SciPy has it."""
    table = hierarchy.linkage(y, method, metric, optimal_ordering)
    return table[:, :2].astype(int).tolist(), table


@program(hierarchy.linkage)
def linkage_program(
    config: Any, y: Any, method: str = "single", metric: Any = "euclidean", optimal_ordering: bool = False
) -> Any:
    pairs, table = config.plainly(found, y, method, metric, optimal_ordering)
    y = np.asarray(y)
    d = distance.squareform(distance.pdist(y, metric) if y.ndim == 2 else y)
    n = len(d)
    rows = [d[i] for i in range(n)]  # of each cluster its distances from those that are there
    places = list(range(n))  # which these are
    sizes = [1] * n
    heights = []
    for i, j in pairs:
        first, second = places.index(i), places.index(j)
        left = [k for k in range(len(places)) if k not in (first, second)]
        ab = rows[first][second]
        heights.append(ab)
        others = np.array([sizes[places[k]] for k in left], float)
        new = merged(method, rows[first][left], rows[second][left], ab, sizes[i], sizes[j], others)
        rows = [np.concatenate([rows[k][left], new[at : at + 1]]) for at, k in enumerate(left)]
        rows.append(np.concatenate([new, np.zeros(1)]))
        places = [places[k] for k in left] + [len(sizes)]
        sizes.append(sizes[i] + sizes[j])
    return np.column_stack([table[:, :2], np.stack(heights), table[:, 3]])


def joining(table: Any) -> Any:
    """For each pair of observations the row of the merge that joins them."""
    numbered = np.array(table, float)
    numbered[:, 2] = np.arange(len(numbered))
    return hierarchy.cophenet(numbered).astype(int)


@program(hierarchy.cophenet)
def cophenet_program(config: Any, Z: Any, Y: Any = None) -> Any:
    heights = np.asarray(Z)[:, 2][config.plainly(joining, Z)]
    if Y is None:
        return heights
    y, z = np.asarray(Y) - np.mean(Y), heights - np.mean(heights)
    return np.sum(y * z) / np.sqrt(np.sum(y * y) * np.sum(z * z)), heights


@program(hierarchy.optimal_leaf_ordering)
def optimal_leaf_ordering_program(config: Any, Z: Any, y: Any, metric: Any = "euclidean") -> Any:
    table = config.plainly(hierarchy.optimal_leaf_ordering, Z, y, metric)
    return np.column_stack([table[:, :2], np.asarray(Z)[:, 2], table[:, 3]])


CONSTANT = """
    cut_tree fcluster fclusterdata is_isomorphic is_monotonic is_valid_im is_valid_linkage leaders leaves_list
    num_obs_linkage correspond set_link_color_palette
"""
non_differentiable(*named(hierarchy, CONSTANT), joining)
needs_no_rule(*named(hierarchy, "average centroid complete median single ward weighted"))
refuse("is not implemented: take the heights from linkage", *named(hierarchy, "dendrogram to_tree"))
refuse(
    "is not implemented",
    *named(hierarchy, "from_mlab_linkage to_mlab_linkage inconsistent maxRstat maxdists maxinconsts"),
)
unsupported("holds no derivatives", *named(hierarchy, "ClusterNode DisjointSet"))
