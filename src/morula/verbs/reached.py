"""From a graph of marks to patterns: which inputs each node reaches, level by level, on index sets in one pool."""

import itertools
from typing import Any

import numpy as np

from morula.eager.forward.mark_graph import Graph

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
        order, bounds = levels_of(graph, targets, sources)
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
        keys = owners * self.inputs + indices
        keys.sort(kind="stable")
        keys = keys[np.diff(keys, prepend=-1) != 0]
        owners, indices = np.divmod(keys, max(self.inputs, 1))
        end = self._used + len(indices)
        if end > len(self._pool):
            self._pool = np.concatenate((self._pool[: self._used], np.empty(max(end, 1024), np.int64)))
        self._pool[self._used : end] = indices
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        self._start[owners[first]] = self._used + first
        self._count[owners[first]] = np.diff(first, append=len(owners))
        self._used = end

    def of(self, nodes: ndarray, names: ndarray) -> Entries:
        """The sets of `nodes` one after the other: for each index the name of its node, and the index."""
        counts = self._count[nodes]
        total = int(counts.sum())
        skipped = np.cumsum(counts) - counts
        within = np.arange(total) - np.repeat(skipped, counts)
        return np.repeat(names, counts), self._pool[np.repeat(self._start[nodes], counts) + within]


def levels_of(graph: Graph, targets: ndarray, sources: ndarray) -> tuple[Any, list[tuple[int, int]]]:
    """Edges in an order in which each comes after those into its source, and the bounds of those without such a tie.

    Steps of a graph whose sources all lie before the first of them make one level, which is found quickly and is all
    that array operations need. Where such levels have few edges, as in loops over elements, they are those of the
    longest way from an input.
    """
    bounds = []
    begin = end = 0
    head = graph.steps[0][0] if graph.steps else 0
    for first, latest, edges in graph.steps:
        if latest >= head and end > begin:
            bounds.append((begin, end))
            begin, head = end, first
        end += edges
    bounds.append((begin, end))
    if len(bounds) < 50 or end > SHORT * len(bounds):
        return slice(None), bounds
    depth = [0] * graph.size
    for target, source in zip(targets.tolist(), sources.tolist(), strict=True):
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
    from scipy import sparse  # type: ignore[import-untyped]

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
