"""`scipy.sparse.csgraph`: what an algorithm chooses is constant; lengths of paths have rules in `paths`."""

from __future__ import annotations

from scipy.sparse import csgraph  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable
from . import paths
from .refusing import named, refuse

__all__ = ["paths"]

CHOICES = """
    connected_components breadth_first_order depth_first_order reverse_cuthill_mckee maximum_bipartite_matching
    min_weight_full_bipartite_matching structural_rank reconstruct_path
"""
DENSE = """
    csgraph_masked_from_dense csgraph_from_dense csgraph_from_masked csgraph_to_dense csgraph_to_masked
"""

non_differentiable(*named(csgraph, CHOICES))
needs_no_rule(csgraph.laplacian)
for _f in named(csgraph, "yen construct_dist_matrix"):
    refuse(_f, "is compiled; use shortest_path")
for _f in named(csgraph, DENSE):
    refuse(_f, "takes values for absent edges; make a sparse array of the weights")
for _f in named(csgraph, "maximum_flow"):
    refuse(_f, "computes with integers")
