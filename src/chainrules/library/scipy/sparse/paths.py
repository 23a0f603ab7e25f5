"""Shortest paths and trees: which edges they take is a choice, and lengths are sums of the weights of these edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]
from scipy.sparse import csgraph  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative

PATHS = {
    "shortest_path": "method directed return_predecessors unweighted overwrite indices",
    "dijkstra": "directed indices return_predecessors unweighted limit min_only",
    "floyd_warshall": "directed return_predecessors unweighted overwrite",
    "bellman_ford": "directed indices return_predecessors unweighted",
    "johnson": "directed indices return_predecessors unweighted",
}
TREES = "minimum_spanning_tree breadth_first_tree depth_first_tree"


def weights_of(graph: Any) -> Any:
    """The weights of all edges in a row, as `edges_of` counts them."""
    return graph.tocsr().data if sparse.issparse(graph) else np.ravel(np.asarray(graph, float))


def edges_of(graph: Any) -> Any:
    """From which node each edge leads to which, as one number that grows."""
    if sparse.issparse(graph):
        graph = graph.tocsr()
        if not graph.has_canonical_format:
            raise NotImplementedDerivative("a graph with repeated or unsorted entries is not implemented")
        rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
        return rows * graph.shape[1] + graph.indices
    return np.arange(np.size(graph))


def edge_between(graph: Any, start: Any, end: Any, directed: Any) -> Any:
    """The number of the edge from one node to another; without directions the lighter one of both."""
    keys, weights, n = edges_of(graph), weights_of(graph), graph.shape[-1] if hasattr(graph, "shape") else len(graph)

    def lookup(key: Any) -> Any:
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        return at, np.where((keys[at] == key) & (weights[at] != 0), weights[at], np.inf)

    at, weight = lookup(start * n + end)
    if not directed:
        back, other = lookup(end * n + start)
        at = np.where(other < weight, back, at)
    return at


def taken(graph: Any, predecessors: Any, directed: Any) -> Any:
    """A matrix of ones where a path takes an edge: a row for each path."""
    n = predecessors.shape[-1]
    before = np.reshape(predecessors, (-1, n))
    paths = np.arange(before.size)
    node = np.tile(np.arange(n), len(before))
    rows, columns = [], []
    while len(paths):
        previous = before[paths // n, node]
        on = previous >= 0
        paths, node, previous = paths[on], node[on], previous[on]
        rows.append(paths)
        columns.append(edge_between(graph, previous, node, directed))
        node = previous
    where = np.concatenate(rows), np.concatenate(columns)
    return sparse.csr_array((np.ones(len(where[0])), where), shape=(before.size, len(weights_of(graph))))


def declare_paths(f: Any, names: list[str]) -> None:
    def paths_program(config: Any, graph: Any, *args: Any, **named: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **named}
        if given.pop("overwrite", False):
            raise NotImplementedDerivative("overwrite=True is not implemented")
        wanted = given.pop("return_predecessors", False)
        found = config.plainly(f, graph, **given, return_predecessors=True)
        lengths = found[0]
        if not given.get("unweighted"):
            uses = config.plainly(taken, graph, found[1], given.get("directed", True))
            sums = np.reshape(uses @ weights_of(graph), lengths.shape)
            lengths = lengths + (sums - config.plainly(np.array, sums))
        return (lengths, *found[1:]) if wanted else lengths

    program(f)(paths_program)


for _name, _names in PATHS.items():
    declare_paths(getattr(csgraph, _name), _names.split())


def declare_tree(f: Any) -> None:
    def tree_program(config: Any, graph: Any, *args: Any, **named: Any) -> Any:
        found = config.plainly(f, graph, *args, **named)
        at = config.plainly(edges_in, graph, found)
        return type(found)((weights_of(graph)[at], found.indices, found.indptr), shape=found.shape)

    program(f)(tree_program)


def edges_in(graph: Any, tree: Any) -> Any:
    """The numbers of the edges of a tree."""
    rows = np.repeat(np.arange(tree.shape[0]), np.diff(tree.indptr))
    weights = weights_of(graph)
    for directed in (True, False):
        at = edge_between(graph, rows, tree.indices, directed)
        if np.array_equal(weights[at], tree.data):
            return at
    raise NotImplementedDerivative("an edge of the tree was not found among those of the graph")


for _name in TREES.split():
    declare_tree(getattr(csgraph, _name))
