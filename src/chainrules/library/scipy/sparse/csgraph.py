"""`scipy.sparse.csgraph`: what an algorithm chooses is constant, and what it computes of the weights is refused."""

from __future__ import annotations

from scipy.sparse import csgraph  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, non_differentiable
from .refusing import named, refuse

CHOICES = """
    connected_components breadth_first_order depth_first_order reverse_cuthill_mckee maximum_bipartite_matching
    min_weight_full_bipartite_matching structural_rank reconstruct_path
"""
PATHS = "shortest_path floyd_warshall dijkstra bellman_ford johnson yen construct_dist_matrix"
TREES = "breadth_first_tree depth_first_tree minimum_spanning_tree"
DENSE = """
    csgraph_masked_from_dense csgraph_from_dense csgraph_from_masked csgraph_to_dense csgraph_to_masked
"""

non_differentiable(*named(csgraph, CHOICES))
needs_no_rule(csgraph.laplacian)
for _f in named(csgraph, PATHS):
    refuse(_f, "is compiled; take the predecessors of constant weights, and add up the weights along the paths")
for _f in named(csgraph, TREES):
    refuse(_f, "is compiled; take the tree of constant weights, and the weights that stand where it has entries")
for _f in named(csgraph, DENSE):
    refuse(_f, "takes values for absent edges; make a sparse array of the weights")
for _f in named(csgraph, "maximum_flow"):
    refuse(_f, "computes with integers")
