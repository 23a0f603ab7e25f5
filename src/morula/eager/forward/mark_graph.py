"""Marks as nodes of a graph: what each number comes from, and which of its sources meet nonlinearly.

The first nodes are the inputs, and 0 is nothing at all. A node is made after all of its sources. Operations on arrays
make nodes for all of their elements at once, and where a number depends on what another one does it has its node.
"""

import math
from typing import Any

import numpy as np

ndarray = np.ndarray


class Graph:
    """Nodes and what they come from.

    Attributes:
        size: how many nodes there are, that of nothing included; new ones come after all of their sources.
        steps: for the edges that came together the first new node, the latest source, and their number.
        second: whether pairs are noted.
    """

    def __init__(self, inputs: int, second: bool):
        self.size = inputs + 1
        self.second = second
        self.steps: list[tuple[int, int, int]] = []
        self._edges: list[tuple[ndarray, ndarray]] = []
        self._numbers: tuple[list[int], list[int]] = ([], [])  # edges of single nodes, since the last array
        self._pairs: list[tuple[ndarray, ndarray, ndarray]] = []
        self._number_pairs: list[tuple[int, int, int]] = []

    def edges(self) -> tuple[ndarray, ndarray]:
        """Nodes and their sources, step by step."""
        self._flush()
        if not self._edges:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        targets, sources = (np.concatenate(column) for column in zip(*self._edges, strict=True))
        return targets, sources

    def pairs(self) -> tuple[ndarray, ndarray, ndarray]:
        """Nodes, and two nodes each that meet nonlinearly in them."""
        of_numbers = np.array(self._number_pairs, np.int64).reshape(-1, 3)
        node, a, b = (np.concatenate(column) for column in zip(*self._pairs, of_numbers.T, strict=True))
        both = (a > 0) & (b > 0)
        return node[both], a[both], b[both]

    def _flush(self) -> None:
        targets, sources = self._numbers
        if targets:
            self._edges.append((np.array(targets, np.int64), np.array(sources, np.int64)))
            self._numbers = [], []

    def _add(self, nodes: ndarray, terms: list[tuple[ndarray, ndarray]]) -> None:
        """Edges into new `nodes`."""
        self._flush()
        terms = [(t, s) for t, s in terms if len(t)]
        if terms:
            latest = max([int(s.max()) for _, s in terms])
            self.steps.append((int(nodes[0]), latest, sum([len(t) for t, _ in terms])))
            self._edges += terms

    def fresh(self, shape: tuple[int, ...]) -> Any:
        """New nodes."""
        count = int(np.prod(shape, dtype=int))
        start = self.size
        self.size += count
        return np.arange(start, start + count).reshape(shape) if shape else start

    # -- what patterns ask for (`chainrules.patterns.Joining`) -------------------------------------------------

    def join(self, shape: tuple[int, ...], parts: list[Any], kind: str) -> Any:
        """Marks of `shape`, each the union of those of `parts` at its place."""
        shape = tuple(shape)
        nonlinear = self.second and kind != "linear"
        if not shape:
            return self._join_numbers([int(np.reshape(p, ())) for p in parts], kind, nonlinear)
        given = [np.broadcast_to(np.asarray(p, np.int64), shape) for p in parts if np.any(p)]
        if not given:
            return np.zeros(shape, np.int64)
        if not nonlinear:
            first = given[0]
            given = [first, *(p for p in given[1:] if not np.array_equal(p, first))]
            if len(given) == 1:
                return first
        made = self.fresh(shape)
        nodes = made.ravel()
        flat = [p.ravel() for p in given]
        self._add(nodes, [(nodes, p) for p in flat])
        if nonlinear:
            if kind == "smooth":
                self._pairs.append((nodes, nodes, nodes))
            elif len(parts) == len(given):
                for i, p in enumerate(flat):
                    self._pairs += [(nodes, p, q) for q in flat[i + 1 :]]
            if kind == "quotient" and np.any(parts[-1]):
                self._pairs.append((nodes, flat[-1], flat[-1]))
        return made

    def _join_numbers(self, parts: list[int], kind: str, nonlinear: bool) -> int:
        parents = [p for p in parts if p]
        if not nonlinear:
            parents = list(dict.fromkeys(parents))
            if len(parents) < 2:
                return parents[0] if parents else 0
        if not parents:
            return 0
        node = self.size
        self.size += 1
        self.steps.append((node, max(parents), len(parents)))
        targets, sources = self._numbers
        for p in parents:
            targets.append(node)
            sources.append(p)
        if nonlinear:
            pairs = [(node, node)] if kind == "smooth" else []
            if kind != "smooth":
                pairs += [(p, q) for i, p in enumerate(parts) for q in parts[i + 1 :]]
            if kind == "quotient":
                pairs.append((parts[-1], parts[-1]))
            self._number_pairs += [(node, a, b) for a, b in pairs]
        return node

    def grouped(self, marks: Any, axes: tuple[int, ...], kind: str) -> Any:
        """The union of marks along `axes`, which are gone from the result."""
        marks = np.asarray(marks, np.int64)
        rest = [k for k in range(marks.ndim) if k not in axes]
        shape = tuple(marks.shape[k] for k in rest)
        if not axes:
            return self.join(shape, [marks], kind)
        count, along = (math.prod([marks.shape[k] for k in ks]) for ks in (rest, axes))
        columns = np.transpose(marks, [*rest, *axes]).reshape(count, along)
        made = np.reshape(self.fresh((len(columns),)), shape)
        nodes = made.ravel()
        self._add(nodes, [(np.repeat(nodes, columns.shape[1]), columns.ravel())])
        if self.second and kind != "linear":
            self._pairs.append((nodes, nodes, nodes))
        return made

    def scattered(self, shape: tuple[int, ...], terms: list[tuple[Any, Any]], kind: str) -> Any:
        """Marks of `shape`; each of `terms` has flat places in it, and marks that go there."""
        made = np.reshape(self.fresh((int(np.prod(shape, dtype=int)),)), shape)
        nodes = made.ravel()
        self._add(nodes, [(nodes[np.ravel(at)], np.ravel(marks).astype(np.int64)) for at, marks in terms])
        if self.second and kind != "linear":
            self._pairs.append((nodes, nodes, nodes))
        return made

    def hub(self, parts: list[Any], kind: str) -> int:
        """One node for all marks in `parts`."""
        parents = (
            np.unique(np.concatenate([np.ravel(p).astype(np.int64) for p in parts])) if parts else np.zeros(0, int)
        )
        parents = parents[parents > 0]
        return int(self.grouped(parents, (0,), kind)) if len(parents) else 0
