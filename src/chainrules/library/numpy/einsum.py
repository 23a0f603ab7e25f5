"""`numpy.einsum` in all its forms.

The cotangent of an operand is the einsum of the seed with the other operands, to the operand's own indices.
What the operand has twice is put on the diagonal; what it has alone was summed, and is spread.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .shared import as_array, conj, refuse

Labels = tuple[Any, ...]


@rrule(np.einsum)
def einsum_rule(*args: Any, **kwargs: Any) -> Any:
    """Value, and one `Thunk` for each operand."""
    check_einsum_keywords(kwargs)
    y = np.einsum(*args, **kwargs)
    if any(isinstance(a, np.ndarray) and a.ndim > 1 and not a.size for a in args):
        _check_diagonals(args)

    def einsum_pullback(y_bar: Any) -> Any:
        operands, at, inputs, output = _parsed(args)
        optimize = kwargs.get("optimize")
        bars: list[Any] = [None] * len(args)
        for k, i in enumerate(at):
            bars[i] = Thunk(_operand_bar, k, operands, inputs, output, as_array(y_bar), optimize)
        return tuple(bars)

    return y, einsum_pullback


def check_einsum_keywords(kwargs: dict[str, Any]) -> None:
    """Refuse the keywords of `numpy.einsum` that change what is differentiated."""
    refuse("numpy.einsum", out=kwargs.get("out"))
    if kwargs.get("casting") == "unsafe":  # rounds numbers, or drops their imaginary parts
        refuse("numpy.einsum", casting="unsafe")


def _parsed(args: tuple[Any, ...]) -> tuple[list[Any], range, list[Labels], Labels]:
    """The operands, their positions among the arguments, their labels and those of the result."""
    if isinstance(args[0], str):
        operands = [as_array(a) for a in args[1:]]
        return operands, range(1, len(args)), *_from_string(args[0], tuple([a.ndim for a in operands]))
    at = range(0, len(args) - 1, 2)
    operands = [as_array(args[i]) for i in at]
    given = args[-1] if len(args) % 2 else None
    return operands, at, *_from_lists([args[i + 1] for i in at], given, [a.ndim for a in operands])


def _check_diagonals(args: tuple[Any, ...]) -> None:
    """Refuse a diagonal along axes of length 0 and another one: NumPy reads memory that is not the array's."""
    _, _, inputs, _ = parsed = _parsed(args)
    for labels, a in zip(inputs, parsed[0], strict=True):
        pairs = set(zip(labels, a.shape, strict=True))
        if len(pairs) > len(set(labels)):
            raise NotImplementedError(f"numpy.einsum: an operand of shape {a.shape} has no such diagonal")


def _operand_bar(k: int, operands: Any, inputs: list[Labels], output: Labels, g: Any, optimize: Any) -> Any:
    shapes = tuple([a.shape for a in operands])
    plan = _plan_for(k, tuple(inputs), output, shapes)
    if optimize is None:  # the order of many products, which takes longer to find than few products to compute
        optimize = len(operands) > 2 and plan.size > 10_000
    terms = [g, *[conj(a) for i, a in enumerate(operands) if i != k]]
    given = [v for pair in zip(terms, plan.terms, strict=True) for v in pair]
    x_bar = np.einsum(*given, plan.seen, optimize=optimize)
    if plan.at:
        x_bar = np.reshape(x_bar, [1 if i is None else x_bar.shape[i] for i in plan.at])
    if x_bar.shape != plan.full:
        x_bar = np.broadcast_to(x_bar, plan.full)
    if plan.diagonal is None:
        return x_bar
    on_diagonal = np.zeros(shapes[k], x_bar.dtype)
    grid = np.ogrid[tuple(slice(0, n) for n in plan.full)]
    on_diagonal[tuple([grid[i] for i in plan.diagonal])] = x_bar
    return on_diagonal


class _Plan(NamedTuple):
    """How the cotangent of one operand is computed.

    Attributes:
        terms: the labels of the seed, and of the other operands, as numbers.
        seen: of what their product is summed to.
        at: the axis that each label of the operand has there, None for one that is summed alone; empty if all are
            there, in order.
        full: the lengths of the operand's labels, each once.
        diagonal: for each axis of the operand, which of its labels it has; None where it has each once.
        size: the number of terms.
    """

    terms: list[list[int]]
    seen: list[int]
    at: list[int | None]
    full: tuple[int, ...]
    diagonal: list[int] | None
    size: int


@lru_cache(1000)
def _plan_for(k: int, inputs: tuple[Labels, ...], output: Labels, shapes: tuple[tuple[int, ...], ...]) -> _Plan:
    sizes: dict[Any, int] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        for label, size in zip(labels, shape, strict=True):
            sizes[label] = max(size, sizes.get(label, 1)) if size != 0 else 0
    number = {label: i for i, label in enumerate(sizes)}
    terms = [output, *[labels for i, labels in enumerate(inputs) if i != k]]
    labels_given = {label for labels in terms for label in labels}
    mine = inputs[k]
    unique = tuple(dict.fromkeys(mine))
    # A label of length one in every other term says nothing about the true length.
    seen = [label for label in unique if label in labels_given]
    at = [seen.index(label) if label in labels_given else None for label in unique]
    return _Plan(
        [[number[label] for label in labels] for labels in terms],
        [number[label] for label in seen],
        at if len(seen) < len(unique) else [],
        tuple([sizes[label] for label in unique]),
        [unique.index(label) for label in mine] if len(unique) < len(mine) else None,
        math.prod(sizes.values()),
    )


@lru_cache
def _from_string(subscripts: str, ndims: tuple[int, ...]) -> tuple[list[Labels], Labels]:
    """Labels of each operand and of the result; the axes of an ellipsis are numbered from the last."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = [_expanded(part, n) for part, n in zip(left.split(","), ndims, strict=True)]
    if not arrow:
        return inputs, _implicit(inputs)
    return inputs, _with_ellipsis(right, inputs)


def _expanded(part: str, ndim: int) -> Labels:
    before, dots, after = part.partition("...")
    if not dots:
        return tuple(part)
    return (*before, *range(-(ndim - len(before) - len(after)), 0), *after)


def _ellipsis_of(inputs: list[Labels]) -> Labels:
    widest = max((sum(isinstance(label, int) for label in labels) for labels in inputs), default=0)
    return tuple(range(-widest, 0))


def _implicit(inputs: list[Labels]) -> Labels:
    """Without an arrow: the ellipsis, then the labels that occur once, in alphabetical order."""
    named = [label for labels in inputs for label in labels if not isinstance(label, int)]
    return _ellipsis_of(inputs) + tuple(sorted(label for label in set(named) if named.count(label) == 1))


def _with_ellipsis(right: str, inputs: list[Labels]) -> Labels:
    before, dots, after = right.partition("...")
    return (*before, *(_ellipsis_of(inputs) if dots else ()), *after)


def _from_lists(lists: list[Any], given: Any, ndims: list[int]) -> tuple[list[Labels], Labels]:
    """The other calling form: lists of numbers, in which `Ellipsis` may stand."""

    def named(items: Any, room: Labels) -> Labels:
        out: list[Any] = []
        for item in items:
            out.extend(room if item is Ellipsis else (chr(int(item) + 0x100),))
        return tuple(out)

    inputs = []
    for items, n in zip(lists, ndims, strict=True):
        rest = n - sum(item is not Ellipsis for item in items)
        inputs.append(named(items, tuple(range(-rest, 0))))
    return inputs, _implicit(inputs) if given is None else named(given, _ellipsis_of(inputs))
