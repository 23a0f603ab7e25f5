"""From a graph of marks to patterns: which inputs each node reaches, level by level, on index sets in one pool."""

import itertools
from typing import Any

import numpy as np

from morula.eager.forward.marks import Graph

ndarray = np.ndarray
Entries = tuple[ndarray, ndarray]
SHORT = 200  # edges of a level, below which a look at each edge costs less than the level


class Sets:
    """The inputs that each node of a graph depends on, for the nodes that are needed.

    A set is a stretch of one array of indices. Nodes of one level have no edges between them, so their sets are found
    together; a level costs as much as its edges have indices.
    """

    def __init__(self, graph: Graph, inputs: int, wanted: ndarray):
        self.inputs = inputs
        targets, sources = graph.edges()
        order, bounds = levels_of(graph.size, targets, sources)
        targets, sources = targets[order], sources[order]
        self.live = live = np.zeros(graph.size, bool)
        live[wanted] = True
        live[0] = False
        for start, end in reversed(bounds):
            live[sources[start:end][live[targets[start:end]]]] = True
        self._start = np.zeros(graph.size, np.int64)
        self._count = np.zeros(graph.size, np.int64)
        self._start[1 : inputs + 1] = np.arange(inputs)
        self._count[1 : inputs + 1] = 1
        self._pool = np.arange(inputs)
        self._used = inputs
        for start, end in bounds:
            alive = live[targets[start:end]]
            if alive.any():
                self._fill(targets[start:end][alive], sources[start:end][alive])

    def _fill(self, targets: ndarray, sources: ndarray) -> None:
        owners, indices = self.of(sources, targets)
        keys = np.unique(owners * self.inputs + indices)
        owners, indices = np.divmod(keys, max(self.inputs, 1))
        end = self._used + len(indices)
        if end > len(self._pool):
            self._pool = np.concatenate((self._pool[: self._used], np.empty(max(end, 1024), np.int64)))
        self._pool[self._used : end] = indices
        nodes, first, counts = np.unique(owners, return_index=True, return_counts=True)
        self._start[nodes] = self._used + first
        self._count[nodes] = counts
        self._used = end

    def of(self, nodes: ndarray, names: ndarray) -> Entries:
        """The sets of `nodes` one after the other: for each index the name of its node, and the index."""
        counts = self._count[nodes]
        total = int(counts.sum())
        skipped = np.cumsum(counts) - counts
        within = np.arange(total) - np.repeat(skipped, counts)
        return np.repeat(names, counts), self._pool[np.repeat(self._start[nodes], counts) + within]


def levels_of(size: int, targets: ndarray, sources: ndarray) -> tuple[ndarray, list[tuple[int, int]]]:
    """Edges in an order in which each comes after those into its source, and the bounds of those without such a tie.

    Nodes are numbered after their sources. So a stretch of nodes whose sources all lie before its first one is a level,
    which is found quickly and is all that array operations need. Where stretches are short, as in loops over elements,
    the levels are those of the longest way from an input.
    """
    order = np.argsort(targets, kind="stable")
    nodes, first = np.unique(targets[order], return_index=True)
    if not len(nodes):
        return order, []
    ends = [*first[1:].tolist(), len(order)]
    bounds = []
    begin, head = 0, int(nodes[0])
    latest = np.maximum.reduceat(sources[order], first).tolist()
    for i, (node, source) in enumerate(zip(nodes.tolist(), latest, strict=True)):
        if source >= head and i:
            bounds.append((begin, ends[i - 1]))
            begin, head = ends[i - 1], node
    bounds.append((begin, len(order)))
    if len(bounds) < 50 or len(order) > SHORT * len(bounds):
        return order, bounds
    depth = [0] * size
    for target, source in zip(targets[order].tolist(), sources[order].tolist(), strict=True):
        if depth[source] >= depth[target]:
            depth[target] = depth[source] + 1
    of_edges = np.array(depth)[targets]
    order = np.argsort(of_edges, kind="stable")
    starts = np.flatnonzero(np.diff(of_edges[order], prepend=-1))
    return order, list(itertools.pairwise([*starts.tolist(), len(order)]))


def jacobian_entries(graph: Graph, inputs: int, outputs: ndarray) -> Entries:
    """Rows and columns of the pattern of the numbers whose marks are `outputs`."""
    sets = Sets(graph, inputs, outputs)
    return sets.of(outputs, np.arange(len(outputs)))


def hessian_entries(graph: Graph, inputs: int, output: int) -> Any:
    """The pattern of the second derivatives of one number, as a symmetric boolean matrix of SciPy."""
    from scipy import sparse

    node, a, b = graph.pairs()
    sets = Sets(graph, inputs, np.array([output]))
    met = np.unique(np.stack([a, b], 1)[sets.live[node]], axis=0) if len(node) else np.zeros((0, 2), np.int64)
    names = np.arange(len(met))
    firsts, seconds = (
        sparse.csr_array((np.ones(len(i), np.int8), (row, i)), shape=(len(met), inputs)).astype(bool)
        for row, i in (sets.of(met[:, k], names) for k in (0, 1))
    )
    found = (firsts.T @ seconds).astype(bool)
    return sparse.csr_array((found + found.T).astype(bool))
