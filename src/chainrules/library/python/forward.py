"""Forward rules for Python's selections, operators and containers."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...lookup import frules_for, rules_for
from ...projection import project
from ...rules import Rule, add_rule, frule, where_written
from ...tangents import ZeroTangent, is_absent
from ..forward import filled, forward
from ..numpy.forward_linalg import multilinear
from ..partials import NUMERIC
from . import math as _of_math  # noqa: F401  (the reverse rules)
from .items import is_sequence
from .operator import ARITHMETIC, REAL_ARITHMETIC, _reads_plainly


@forward(sum, 0, 1)
def sum_forward(y: Any, dots: Any, xs: Any, start: Any = 0, **options: Any) -> Any:
    """The sum of the tangents."""
    xs_dot, start_dot = dots
    return sum([] if xs_dot is None else filled(xs, xs_dot), 0.0 if start_dot is None else start_dot)


@forward(sorted)
def sorted_forward(y: Any, dots: Any, xs: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """The tangents in the order of the items."""
    order = sorted(range(len(xs)), key=xs.__getitem__ if key is None else lambda i: key(xs[i]), reverse=reverse)
    return [filled(xs, dots[0])[i] for i in order]


def _selection(pick: Any) -> None:
    for found in rules_for(pick):

        def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any, _call: Any = found.function) -> Any:
            """The tangent of the item that the reverse rule takes the value from."""
            if is_absent(tangents):
                return ZeroTangent()
            answer = _call(*primals, **kwargs)
            if answer is NotImplemented:
                return answer
            bars, xs, dots = answer[1](True), primals, tangents
            if len(primals) == 1:
                (xs,), (dots,) = primals, tangents
                bars = bars[0] if isinstance(bars, tuple) else bars
            for i, bar in enumerate(bars):
                if bar is not None:
                    return filled(xs[i], dots[i])
            return ZeroTangent()

        def rule(
            primals: Any, tangents: Any, /, _call: Any = found.function, _tangent: Any = tangent, **kw: Any
        ) -> Any:
            answer = _call(*primals, **kw)
            return answer if answer is NotImplemented else (answer[0], _tangent(answer[0], primals, tangents, kw))

        rule.__doc__ = tangent.__doc__
        add_rule(pick, Rule(rule, found.types, *where_written(rule), tangent=tangent), forward=True)


_selection(max)
_selection(min)


# -- operators --------------------------------------------------------------------------------------------


def _in_place(f: Any, value_form: Any) -> None:
    (value_rule,) = frules_for(value_form)

    def rule(primals: Any, tangents: Any) -> Any:
        """Of immutable numbers the value form; an array is written into, which is an engine's."""
        return NotImplemented if isinstance(primals[0], np.ndarray) else value_rule.function(primals, tangents)

    def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        if isinstance(primals[0], np.ndarray):
            return NotImplemented
        return value_rule.tangent(y, primals, tangents, kwargs)  # type: ignore[misc]

    add_rule(f, Rule(rule, (NUMERIC, NUMERIC), *where_written(rule), tangent=tangent), forward=True)


for value_form, in_place, *_ in [*ARITHMETIC, *REAL_ARITHMETIC]:
    _in_place(in_place, value_form)
multilinear(operator.matmul, 2, *[rule.types for rule in rules_for(operator.matmul)])


@forward(operator.concat, 0, 1)
def concat_forward(y: Any, dots: Any, a: Any, b: Any) -> Any:
    """The tangents one after the other."""
    return type(y)([*filled(a, dots[0]), *filled(b, dots[1])])


def item_forward(x: Any, x_dot: Any, get: Any) -> Any:
    """What ``get`` reads from the tangent of a container."""
    if isinstance(x, Mapping):
        return get({key: filled(v, x_dot.get(key)) for key, v in x.items()})
    return get(filled(x, x_dot))


@forward(operator.getitem)
def getitem_forward(y: Any, dots: Any, x: Any, index: Any) -> Any:
    """The item of the tangent."""
    return item_forward(x, dots[0], lambda t: t[index])


@frule(operator.itemgetter, instances=True, given_value=True)
def itemgetter_forward(y: Any, primals: Any, tangents: Any) -> Any:
    """The items of the tangent."""
    (get, x), (_, x_dot) = primals, tangents
    if not _reads_plainly(x):
        return NotImplemented
    return ZeroTangent() if is_absent(x_dot) else project(item_forward(x, x_dot, get), y)


# -- containers -------------------------------------------------------------------------------------------


def _container(kind: Any) -> None:
    def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        if is_absent(tangents):
            return ZeroTangent()
        return kind(filled(primals[0], tangents[0])) if is_sequence(primals[0]) else NotImplemented

    def rule(primals: Any, tangents: Any) -> Any:
        """The tangents of the items; an iterator is gone when it has been walked."""
        if primals and not is_sequence(primals[0]):
            return NotImplemented
        y = kind(*primals)
        return y, tangent(y, primals, tangents, {})

    add_rule(kind, Rule(rule, (), *where_written(rule), tangent=tangent), forward=True)


_container(list)
_container(tuple)
