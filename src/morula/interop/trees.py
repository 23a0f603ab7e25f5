"""Structures of arguments and results, taken apart into leaves at a border and put together behind it.

A node is a structure without its leaves: the number of a leaf, a `Constant`, or a `Branch`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import chainrules

__all__ = [
    "Branch",
    "Constant",
    "Node",
    "built",
    "conjugated",
    "filled",
    "flatten",
    "leaf_numbers",
    "parts_at",
    "renumbered",
    "without",
]


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A part that holds no leaf."""

    value: Any


@dataclass(frozen=True, slots=True)
class Branch:
    """A list, tuple, named tuple or dict.

    Attributes:
        kind: its class.
        keys: those of a dict; of others the positions.
        nodes: the node of each part.
    """

    kind: Any
    keys: tuple[Any, ...]
    nodes: tuple[Any, ...]


Node = int | Constant | Branch
chainrules.opaque(Constant, Branch)


def flatten(x: Any, is_leaf: Callable[[Any], bool], leaves: list[Any]) -> Node:
    """The structure of `x`, whose leaves are appended to `leaves`.

    >>> leaves = []
    >>> node = flatten({"a": 1.0, "b": [2.0, "c"]}, lambda x: isinstance(x, float), leaves)
    >>> leaves, built(node, [3.0, 4.0])
    ([1.0, 2.0], {'a': 3.0, 'b': [4.0, 'c']})
    """
    if is_leaf(x):
        leaves.append(x)
        return len(leaves) - 1
    if isinstance(x, dict):
        mapping = OrderedDict if isinstance(x, OrderedDict) else dict
        return Branch(mapping, tuple(x), tuple([flatten(v, is_leaf, leaves) for v in x.values()]))
    if isinstance(x, list | tuple):
        kind = type(x) if hasattr(x, "_fields") else (list if isinstance(x, list) else tuple)
        return Branch(kind, tuple(range(len(x))), tuple([flatten(v, is_leaf, leaves) for v in x]))
    return Constant(x)


def built(node: Node, leaves: Sequence[Any]) -> Any:
    """A structure with these leaves."""
    if type(node) is int:
        return leaves[node]
    if type(node) is Constant:
        return node.value
    assert type(node) is Branch
    parts = [built(part, leaves) for part in node.nodes]
    if issubclass(node.kind, dict):
        return node.kind(zip(node.keys, parts, strict=True))
    return node.kind(*parts) if hasattr(node.kind, "_fields") else node.kind(parts)


def parts_at(node: Node, x: Any, found: list[Any]) -> list[Any]:
    """What stands in `x`, which has this structure, in the places of the leaves; None for what is not there.

    Constants may have become None.
    """
    if type(node) is int:
        found.append(x)
    elif type(node) is Branch:
        is_dict = isinstance(x, dict)
        for key, part in zip(node.keys, node.nodes, strict=True):
            parts_at(part, None if x is None else x.get(key) if is_dict else x[key], found)
    return found


def leaf_numbers(node: Node) -> Iterator[int]:
    """The leaves of a structure, in order."""
    if type(node) is int:
        yield node
    elif type(node) is Branch:
        for part in node.nodes:
            yield from leaf_numbers(part)


def without(node: Node, kept: Callable[[int], bool]) -> Node:
    """The structure of a tangent: None in the place of constants and of leaves that are not kept."""
    if type(node) is Branch:
        return Branch(node.kind, node.keys, tuple([without(part, kept) for part in node.nodes]))
    return node if type(node) is int and kept(node) else Constant(None)


def renumbered(node: Node, start: int) -> Node:
    """A structure whose leaves are numbered in order from `start`."""
    numbers = {old: new for new, old in enumerate(leaf_numbers(node), start)}

    def again(node: Node) -> Node:
        if type(node) is Branch:
            return Branch(node.kind, node.keys, tuple(map(again, node.nodes)))
        return numbers[node] if type(node) is int else node

    return again(node)


def filled(node: Node, bar: Any, x: Any) -> Any:
    """A cotangent of `x` with a zero for each leaf that has none, and None for everything else.

    Written in plain Python, for derivatives of higher order go through it.
    """
    if type(node) is int:
        return np.zeros_like(x) if bar is None else bar
    if type(node) is not Branch:
        return None
    parts = []
    for key, part in zip(node.keys, node.nodes, strict=True):
        if bar is None:
            parts.append(filled(part, None, x[key]))
        elif isinstance(bar, dict):
            parts.append(filled(part, bar.get(key), x[key]))
        else:
            parts.append(filled(part, bar[key], x[key]))
    if issubclass(node.kind, dict):
        return dict(zip(node.keys, parts, strict=True))
    if hasattr(node.kind, "_fields"):
        return node.kind(*parts)
    return parts if node.kind is list else tuple(parts)


def conjugated(node: Node, x: Any) -> Any:
    """A tangent of this structure with every complex number replaced by its conjugate."""
    if type(node) is int:
        return np.conj(x) if np.iscomplexobj(x) else x
    if type(node) is not Branch or x is None:
        return x
    parts = [conjugated(part, x[key]) for key, part in zip(node.keys, node.nodes, strict=True)]
    if issubclass(node.kind, dict):
        return dict(zip(node.keys, parts, strict=True))
    if hasattr(node.kind, "_fields"):
        return node.kind(*parts)
    return parts if node.kind is list else tuple(parts)
