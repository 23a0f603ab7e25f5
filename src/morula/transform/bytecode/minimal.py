"""A graph with equal parts made one, and what dominates what in it.

The compiler copies tests of ``while`` loops and short ends of functions. Two nodes that do the same, in the same place
of the source, and lead to equal nodes, are one here. Loops then have one head each.
"""

from collections.abc import Iterable, Mapping
from types import CodeType

from morula.transform.bytecode.graph import Graph, Node
from morula.transform.bytecode.same import constant_key


def minimal(graph: Graph) -> Graph:
    nodes = graph.nodes
    classes = _numbered({i: _label(node) for i, node in nodes.items()})
    while True:
        refined = _numbered(
            {
                i: (
                    classes[i],
                    tuple(classes[s] for s in n.succ),
                    classes.get(n.region) if n.region is not None else None,
                )
                for i, n in nodes.items()
            }
        )
        if len(set(refined.values())) == len(set(classes.values())):
            break
        classes = refined
    first: dict[int, int] = {}
    for i in sorted(nodes):
        first.setdefault(classes[i], i)
    one = {i: first[classes[i]] for i in nodes}
    kept = {}
    for i in sorted(set(one.values())):
        node = nodes[i]
        region = one.get(node.region) if node.region is not None else None
        kept[i] = Node(node.op, node.val, node.line, [one[s] for s in node.succ], None, region, node.where)
    return Graph(kept, one[graph.entry])


def _label(node: Node) -> tuple:
    value = id(node.val) if isinstance(node.val, CodeType) else constant_key(node.val)
    return node.op, value, node.line, node.where


def _numbered(keys: Mapping[int, object]) -> dict[int, int]:
    numbers: dict[object, int] = {}
    return {i: numbers.setdefault(key, len(numbers)) for i, key in keys.items()}


def loop_heads(graph: Graph) -> set[int]:
    """The nodes that some path from themselves leads back to without leaving what they dominate."""
    edges = {i: [*n.succ, *([n.region] if n.region is not None else [])] for i, n in graph.nodes.items()}
    edges = {i: [t for t in targets if t in graph.nodes] for i, targets in edges.items()}
    dominators = _dominators(edges, graph.entry)
    return {t for i, targets in edges.items() for t in targets if t in dominators.get(i, ())}


def _dominators(edges: Mapping[int, Iterable[int]], entry: int) -> dict[int, frozenset[int]]:
    order: list[int] = []
    seen = {entry}
    stack = [(entry, iter(edges[entry]))]
    while stack:
        i, rest = stack[-1]
        for t in rest:
            if t not in seen:
                seen.add(t)
                stack.append((t, iter(edges[t])))
                break
        else:
            order.append(i)
            stack.pop()
    order.reverse()
    before: dict[int, list[int]] = {i: [] for i in order}
    for i in order:
        for t in edges[i]:
            before[t].append(i)
    found: dict[int, frozenset[int]] = {entry: frozenset([entry])}
    changed = True
    while changed:
        changed = False
        for i in order:
            if i == entry:
                continue
            so_far = [found[p] for p in before[i] if p in found]
            new = frozenset.intersection(*so_far) | {i}
            if found.get(i) != new:
                found[i] = new
                changed = True
    return found


def post_dominators(graph: Graph) -> dict[int, int | None]:
    """For each node the first one that every path from it to an end goes through."""
    end = -1
    nodes = graph.nodes
    after = {i: list(n.succ) or [end] for i, n in nodes.items()}
    before: dict[int, list[int]] = {i: [] for i in (*nodes, end)}
    for i, targets in after.items():
        for t in targets:
            before[t].append(i)
    order, seen, waiting = [], {end}, [end]
    while waiting:  # nearest to the end first
        i = waiting.pop(0)
        order.append(i)
        for p in before[i]:
            if p not in seen:
                seen.add(p)
                waiting.append(p)
    sets: dict[int, frozenset[int]] = {end: frozenset([end])}
    changed = True
    while changed:
        changed = False
        for i in order[1:]:
            so_far = [sets[t] for t in after[i] if t in sets]
            new = frozenset.intersection(*so_far) | {i}
            if sets.get(i) != new:
                sets[i] = new
                changed = True
    found: dict[int, int | None] = {}
    for i, all_after in sets.items():
        others = all_after - {i}
        nearest = max(others, key=lambda j: len(sets[j]), default=end)
        found[i] = nearest if nearest != end else None
    return found
