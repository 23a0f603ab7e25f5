"""Filters that select an element of each window: by its rank."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...rules import rrule
from ..forward import array_dot, forward
from ..numpy.shared import as_array, leading, scatter


def declare_selection(f: Any, first_of: Any = np.less) -> None:
    """Declare the rules of a filter that gives one of the elements in a window, or what stands beyond the boundary.

    Args:
        f: a filter of ``(input, ...)``; what stands beyond is ``cval``, 0 where it takes none.
        first_of: which of equal elements is the first to be chosen has the smallest (`numpy.less`) or the largest rank.
    """
    signature = inspect.signature(f)
    backwards = first_of is np.greater

    def options_of(*args: Any, **named: Any) -> dict[str, Any]:
        options = dict(signature.bind(None, *args, **named).arguments)
        del options[next(iter(options))]
        return options

    def rule(input: Any, *args: Any, **named: Any) -> Any:
        """The seed to the element that was chosen."""
        options = options_of(*args, **named)
        if isinstance(options.get("output"), np.ndarray):
            return NotImplemented
        if options.get("structure") is not None:
            raise NotImplementedError(f"the rule for {f.__name__} has no derivative for structure=, which is added")
        y = f(input, *args, **named)
        x = as_array(input)

        def selection_pullback(y_bar: Any) -> Any:
            return scatter(chosen(f, x, options, backwards), y_bar, x.size + 1)[:-1].reshape(x.shape)

        return y, selection_pullback

    rrule(f)(leading(rule))

    @forward(f)
    def selection_forward(y: Any, dots: Any, input: Any, *args: Any, **named: Any) -> Any:
        """The tangent of the element that was chosen."""
        x = as_array(input)
        x_dot = np.append(np.ravel(array_dot(x, dots[0])), 0.0)
        return x_dot[chosen(f, x, options_of(*args, **named), backwards)]


def chosen(f: Any, x: Any, options: dict[str, Any], backwards: bool) -> Any:
    """The numbers of the elements that a filter chooses, found by the filter of their ranks; the size for none.

    The rank is that among the elements, and counts from what stands beyond the boundary: that has rank 0.
    """
    flat = np.ravel(x)
    n = flat.size
    order = n - 1 - np.argsort(flat[::-1], kind="stable") if backwards else np.argsort(flat, kind="stable")
    below = np.count_nonzero(flat < options.get("cval", 0.0))
    ranks = np.empty(n)
    ranks[order] = np.arange(n) - below
    ranks = np.where(ranks >= 0, ranks + 1, ranks).reshape(x.shape)
    plain = {k: v for k, v in options.items() if k not in ("output", "cval")}
    found = np.asarray(f(ranks, **plain)).astype(int)
    return np.append(order, n)[np.where(found == 0, n, found + below - (found > 0))]


non_differentiable(chosen)
