"""Queues: a `collections.deque` is a list of the text, which loses items where it would become too long."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Display, ListOf
from morula.static.python.things import Thing, Turns

__all__ = ["QUEUE", "Queues"]

QUEUE = deque


class Queues:
    """The part of a `front.Builder` that makes queues."""

    line: int
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    constant: Callable[[Any], Any]
    number_or_value: Callable[[ast.expr], Any]
    sequence: Callable[[Any], tuple | None]
    listed: Callable[[Any], ListOf]
    listed_items: Callable[[Any], Any]
    length: Callable[[Any], str]
    compute: Callable[..., str]

    def queue(self, node: ast.Call) -> ListOf:
        """``deque(items, maxlen=n)``."""
        given = dict(zip(("iterable", "maxlen"), node.args, strict=False)) | {
            str(k.arg): k.value for k in node.keywords
        }
        if len(given) < len(node.args) + len(node.keywords) or not given.keys() <= {"iterable", "maxlen"}:
            raise Unsupported("a queue with these arguments", self.line)
        items: Any = Display()
        if (first := given.get("iterable")) is not None:
            items = self.listed_items(first) if isinstance(first, ast.GeneratorExp) else self.value(first)
        if isinstance(items, Thing | Turns):
            items = self.sequence(items)
        longest = given.get("maxlen", ast.Constant(None))
        is_open = isinstance(longest, ast.Constant) and longest.value is None
        n = None if is_open else self.constant(self.number_or_value(longest))
        if not is_open and (type(n) is not int or n < 0):
            raise Unsupported("a queue whose length is not the same each time", self.line)
        return self._new_queue(items, n)

    def _new_queue(self, items: Any, longest: int | None) -> ListOf:
        """``deque(items, longest)``."""
        if type(items) is tuple:
            items = Display(self.held(items))
        if isinstance(items, Display):
            items = self.listed(Display(tuple(items)[max(len(items) - longest, 0) :] if longest is not None else items))
        elif isinstance(items, ListOf) and items.kind is list and items.is_vector:
            n = self.length(items)
            low = "0" if longest is None else self.compute("call", self.compute("sub", n, str(longest)), "0", f=max)
            items = replace(items, var=self.compute("sliced", items.var, low, n, f=list))
        else:
            raise Unsupported("a queue of something other than numbers", self.line)
        return ListOf(items.var, (None,), True, list, is_queue=True, longest=longest)
