"""A host for a call: of a function and of arguments whose leaves are values of another engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from morula.errors import describe
from morula.interop.hosts import Aval, Host
from morula.interop.trees import Branch, Constant, Node, flatten, leaf_numbers

__all__ = ["constants_of", "host_of"]


def host_of(
    f: Callable, args: tuple, kwargs: dict, is_leaf: Callable[[Any], bool], avals: Callable[[Any], Aval],
    conjugates: bool = False, out_like: Callable | None = None,
) -> tuple[Host, list[Any]]:  # fmt: skip
    """A host of `f` for arguments of this structure, and their leaves.

    Args:
        f: the function.
        args, kwargs: of a call; the leaves are values of another engine.
        is_leaf: which parts of them are its values.
        avals: shape and dtype of such a value.
        conjugates: see `Host`.
        out_like: gives the shapes of the results; see `Host.like`.
    """
    leaves: list[Any] = []
    slots = [flatten(x, is_leaf, leaves) for x in (*args, *kwargs.values())]
    shapes = [avals(x) for x in leaves]
    active: list[Node] = []
    passive: list[Node] = []
    order: list[tuple[bool, int]] = []
    for node in slots:
        varies = any(shapes[i][1].kind in "fc" for i in leaf_numbers(node))
        group = active if varies else passive
        order.append((varies, len(group)))
        group.append(node)
    host = Host(
        as_call(f, tuple(order), tuple(kwargs)), branch(active), branch(passive), shapes, describe(f), conjugates,
        like=None if out_like is None else as_call(out_like, tuple(order), tuple(kwargs)),
    )  # fmt: skip
    host.f, host.is_simple = f, not kwargs and all(varies for varies, _ in order)
    return host, leaves


def constants_of(*nodes: Node) -> list[Any]:
    """What a structure holds beside its leaves."""
    found: list[Any] = []
    for node in nodes:
        if type(node) is Branch:
            found += constants_of(*node.nodes)
        elif type(node) is Constant:
            found.append(node.value)
    return found


def branch(nodes: list[Node]) -> Branch:
    return Branch(tuple, tuple(range(len(nodes))), tuple(nodes))


def as_call(f: Callable, order: tuple[tuple[bool, int], ...], names: tuple[str, ...]) -> Callable[[tuple, tuple], Any]:
    """`f` as a function of what varies and of what does not."""
    if not names and all(varies for varies, _ in order):

        def call(active: tuple, passive: tuple) -> Any:
            return f(*active)

        return call
    positional, named = order[: len(order) - len(names)], order[len(order) - len(names) :]

    def call_with_constants(active: tuple, passive: tuple) -> Any:
        args = []
        for varies, i in positional:
            args.append(active[i] if varies else passive[i])
        kwargs = {}
        for name, (varies, i) in zip(names, named, strict=True):
            kwargs[name] = active[i] if varies else passive[i]
        return f(*args, **kwargs)

    return call_with_constants
