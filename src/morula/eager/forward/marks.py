"""A run that finds out which inputs each number depends on.

Every number gets a *mark*, a node of a graph (`mark_graph`). Marks stand in the place of tangents (`levels`), so what
moves values moves them: reads, writes, views, containers, closures. An operation that computes gets new nodes, of an
array one for each element at once, so a run takes few steps more than any forward run.

A call that a rule answers asks for the pattern that was declared for the function; without one it is dense.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from chainrules import NotImplementedTangent, is_absent, mark_leaves, pattern_of, scalar_rule_for
from morula.eager.calls.keywords import leading_keywords
from morula.eager.calls.registry import is_library_rule
from morula.eager.calls.short_ways import general_way
from morula.eager.containers.parts import varying_names
from morula.eager.context.entries import Hooked
from morula.eager.context.kinds import is_exact_number, is_hashable, is_plain_object
from morula.eager.context.number_entries import Gather, Selected, Stacked, Summed
from morula.eager.context.observed import WATCH
from morula.eager.context.protocol import Context
from morula.eager.context.reverse import Reverse
from morula.eager.context.run import raise_recursion_limit, restore_recursion_limit
from morula.eager.forward.derivation import apart, reap, sow
from morula.eager.forward.following import Following
from morula.eager.forward.levels import Level, UntapedLevel, same_view
from morula.eager.forward.mark_graph import Graph
from morula.eager.forward.program import DerivedInside
from morula.eager.forward.tangent_rules import _innermost
from morula.eager.memory.writes import Write
from morula.eager.operators.arithmetic import MUL, TRUEDIV
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]


KINDS_OF = {id(op.rule.partials): kind for op, kind in ((MUL, "product"), (TRUEDIV, "quotient")) if op.rule is not None}


class Marked(UntapedLevel):
    """What stands in the place of a derivation while a context marks."""

    __slots__ = ("graph",)

    def __init__(self, graph: Graph):
        super().__init__()
        self.graph = graph


class Marking(Following):
    """A context that marks."""

    __slots__ = ()
    quick = False

    def begin_level(self, of_pullback: bool = False) -> tuple[list[Level], int]:
        raise DerivedInside

    @property
    def graph(self) -> Graph:
        """The graph of the run."""
        return cast(Marked, self.levels[0]).graph

    def general(self, f: Any, n: int) -> Callable:
        return general_way(f, n)

    # -- marks of values ---------------------------------------------------------------------------------------

    def marks(self, x_d: Any) -> Any:
        """The marks of a number or an array by its shadow; None where it depends on nothing."""
        found = None if x_d is None else self.dot(0, x_d)
        return None if found is None else self.integers(found[0])

    def integers(self, raw: Any) -> Any:
        """Marks as they are stored, as integers."""
        if type(raw) is not ndarray:
            return self.graph.join((), [raw.real, raw.imag], "linear") if isinstance(raw, complex) else int(raw)
        if raw.dtype.kind == "c":
            return self.graph.join(raw.shape, [raw.real.astype(np.int64), raw.imag.astype(np.int64)], "linear")
        return raw.astype(np.int64)

    def structured_marks(self, x: Any, x_d: Any) -> Any:
        """The marks of any value, in its structure."""
        found = self.dots(0, x, x_d)
        return None if found is None else _mapped(self.integers, found[0])

    def stored(self, marks: Any, dtype: np.dtype) -> Any:
        """Marks as memory of `dtype` keeps them: both parts of a complex number have them."""
        if np.size(marks) and np.max(marks) >= 2 / np.finfo(dtype).eps:
            raise NotDifferentiable(f"a sparsity pattern has more nodes than {dtype} can count; use double precision")
        return marks * (1.0 + 1.0j) if dtype.kind == "c" else marks

    def _stored_parts(self, y: Any, marks: Any) -> Any:
        """Marks in the structure of a value, as memory keeps them."""
        if marks is None:
            return None
        if isinstance(y, dict) or isinstance(marks, dict):
            part_of = y.__getitem__ if isinstance(y, dict) else lambda name: getattr(y, name)
            return {key: self._stored_parts(part_of(key), part) for key, part in marks.items()}
        if isinstance(y, tuple | list):
            return [self._stored_parts(v, part) for v, part in zip(y, marks, strict=True)]
        if isinstance(y, ndarray) and y.dtype.kind in "fc":
            return self.stored(np.asarray(marks).astype(np.int64), y.dtype) + np.zeros(y.shape)
        return marks

    def put(self, y: Any, y_d: Any, marks: Any) -> None:
        """Let a value have marks, of its structure."""
        if y_d is None and not isinstance(y, dict | list) and not is_plain_object(y):
            return
        if type(y_d) is list:
            self.levels[0].set_number(y_d, int(np.reshape(marks, ())), None)
        elif isinstance(y, ndarray) or (y is None and hasattr(y_d, "dtype")):
            raw = self.stored(np.asarray(marks).astype(np.int64), y_d.dtype)
            self.set_dot(
                0, y, y_d, np.array(np.broadcast_to(raw, y_d.shape), float if raw.dtype.kind != "c" else None), None
            )
        else:
            self.set_dot(0, y, y_d, self._stored_parts(y, marks), None)

    # -- operations --------------------------------------------------------------------------------------------

    def by_partials(self, partials: Any, y: Any, y_d: Any, args: tuple, ds: tuple) -> None:
        if y_d is None:
            return
        curved: list[Any] = []
        straight: list[Any] = []
        for p, d in zip(partials, ds, strict=False):
            if d is not None and not (type(p) is int and p == 0):
                (curved if callable(p) else straight).append(self.marks(d))
        shape = np.shape(y)
        if any(m is not None for m in curved):
            kind = KINDS_OF.get(id(partials), "smooth") if len(ds) == 2 else "smooth"
            if kind != "smooth":
                curved = [None if d is None else self.marks(d) for d in ds]
            parts = [0 if m is None else m for m in curved]
            straight.append(self.graph.join(shape, parts, kind))
        marked = [m for m in straight if m is not None]
        if marked:
            self.put(y, y_d, self.graph.join(shape, marked, "linear"))

    def _rule_result(self, f: Any, rule: Callable, args: tuple, shadows: tuple, kw: dict, opaque: bool) -> Pair | None:
        found, entries = self.answered(f, rule, args, shadows, kw, opaque)
        if found is None or not entries:
            return found
        y, y_d = found[0], entries[0].y_d
        marks = tuple([self.structured_marks(a, d) for a, d in zip(args, shadows, strict=True)])
        leaves = mark_leaves(marks)
        if not any(np.any(m) for m in leaves):
            return found
        made: Any = NotImplemented
        if not opaque and is_library_rule(_innermost(rule)) and is_hashable(f):
            own = pattern_of(f)
            if own is not None:
                more, left = leading_keywords(f, len(args), kw)
                made = own(self.graph, y, (*args, *more), (*marks, *[None] * len(more)), left)
            elif (is_ufunc(f) or scalar_rule_for(f) is not None) and isinstance(
                y, ndarray | float | complex | np.number
            ):
                made = self._elementwise_marks(np.shape(y), leaves)
        if made is NotImplemented or isinstance(made, NotImplementedTangent):
            hub = self.graph.hub(leaves, "smooth")
            made = hub if type(y_d) is list else like(y, hub)
        if not is_absent(made):
            self.put(y, y_d, made)
        return found

    def _elementwise_marks(self, shape: tuple, leaves: list) -> Any:
        try:
            fits = np.broadcast_shapes(shape, *map(np.shape, leaves)) == shape
        except ValueError:
            fits = False
        return self.graph.join(shape, leaves, "smooth") if fits else NotImplemented

    # -- entries that move values ------------------------------------------------------------------------------

    def note(self, entry: Any) -> None:
        inputs = entry[1:] if type(entry) is list else None
        self.to_tape(entry)
        kind = type(entry)
        if kind is list:
            assert inputs is not None
            if len(inputs) == 3:  # y = x[key]
                found = self.dot(0, inputs[0])
                if found is not None:
                    self.put(0.0, entry, self.integers(found[0][inputs[1]]))
            else:
                self._put_union(entry, inputs[::2])
        elif kind is tuple:
            self._write(entry[1], entry[2], entry[4])
        elif kind is Gather:
            found = self.dot(0, entry.x_d)
            if found is not None:
                self.put(None, entry.y_d, self.integers(np.asarray(found[0][entry.key])))
        elif isinstance(entry, Write):
            self._write(entry.x_d, entry.key, entry.v_d)
        elif kind is Selected or kind is Summed:
            self._put_union(entry.y_d, entry.shadows)
        elif kind is Stacked:
            made = np.zeros(entry.y_d.shape, np.int64)
            for i, shadow in entry.shadows:
                made[i] = self.marks(shadow) or 0
            self.put(None, entry.y_d, made)
        elif kind is Hooked:
            found = self.dot(0, entry.x_d)
            if found is not None:
                self.put(entry.x, entry.y_d, self.integers(found[0]))
        elif entry.y_d is not None:
            raise NotDifferentiable(f"{kind.__name__.strip('_').lower()} cannot be followed in forward mode")

    def _put_union(self, y_d: list, shadows: Any) -> None:
        found = [m for s in shadows if s is not None and (m := self.marks(s)) is not None]
        if found:
            self.put(0.0, y_d, self.graph.join((), found, "linear"))

    def _write(self, x_d: Any, key: Any, v_d: Any) -> None:
        """``x[key] = v``: the marks of the cells are those of `v`, or none."""
        if x_d is None:
            return
        if type(v_d) is tuple:
            raise NotDifferentiable("a structure of active values is written into an array in forward mode")
        marks = self.marks(v_d)
        level = self.levels[0]
        mirror = level.mirror(x_d.buffer)
        if mirror is None:
            if marks is None:
                return
            mirror = level.new_mirror(x_d.buffer)
        same_view(x_d, mirror)[key] = 0 if marks is None else self.stored(marks, x_d.dtype)


def is_ufunc(f: Any) -> bool:
    """Whether a function works element by element."""
    return type(f) is np.ufunc and f.signature is None and f.nout == 1


def _mapped(f: Callable, x: Any) -> Any:
    if isinstance(x, dict):
        return {key: _mapped(f, v) for key, v in x.items()}
    if isinstance(x, tuple | list):
        return type(x)([_mapped(f, v) for v in x])
    return None if x is None else f(x)


def like(y: Any, mark: int) -> Any:
    """One mark for all numbers of a value, in its structure."""
    if isinstance(y, ndarray):
        return np.full(y.shape, mark)
    if isinstance(y, dict):
        return {key: like(v, mark) for key, v in y.items()}
    if isinstance(y, tuple | list):
        return [like(v, mark) for v in y]
    if is_plain_object(y) and not is_exact_number(type(y)):
        return {name: like(getattr(y, name), mark) for name in varying_names(y)}
    return mark


def marked(f: Callable, args: tuple, marks: tuple, kwargs: dict, graph: Graph) -> Pair:
    """Run ``f(*args, **kwargs)`` on copies, with marks for the arguments; the value, and its marks in its structure.

    Raises:
        DerivedInside: the function asks for derivatives itself.
        NotDifferentiable: something in it has no tangents.
    """
    ctx: Context = Reverse(taped=False)
    if WATCH:
        WATCH[-1](ctx, f, None)
    own = [apart(ctx, x, None)[0] for x in args]
    before = ctx.begin_level()
    ctx.levels = [Marked(graph)]
    ctx.descend(0)
    sown: set[int] = set()
    shadows = []
    for i, (x, t) in enumerate(zip(own, marks, strict=True)):
        shadows.append(sow(ctx, 0, x, None, t, None, f"argument {i}", sown))
    ctx.descend(1)
    ctx.follow_as(Marking)
    raise_recursion_limit()
    try:
        y, y_d = ctx.whole(ctx.call, f, tuple(own), tuple(shadows), kwargs, {})
        ctx.follow_as(Following)
        ctx.descend(0)
        return y, reap(ctx, 0, y, y_d)[0]
    finally:
        restore_recursion_limit()
        ctx.follow_as(Following)
        ctx.depth = 1
        ctx.end_level(before)
        ctx.finish_forward()
