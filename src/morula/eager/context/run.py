"""One differentiated call: inputs become leaves, the function runs, and pullbacks give back gradients."""

import operator
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from chainrules import Tangent
from morula.eager.calls import (  # noqa: F401  (they register themselves)
    called_back,
    substitutes,
)
from morula.eager.calls.foreign_arguments import SIMPLE, refuse_foreign_arguments
from morula.eager.containers.records import gradient_of
from morula.eager.context.kinds import ATOMS, is_empty, is_exact_number, is_plain_object
from morula.eager.context.observed import WATCH
from morula.eager.context.reverse import Reverse
from morula.eager.context.seeds import check_seed
from morula.eager.context.taking_turns import turn
from morula.eager.memory.arguments import Arguments, copied, copies_in, overlapping
from morula.eager.memory.guards import Kept
from morula.eager.memory.layout import owner_of
from morula.eager.objects import copies  # noqa: F401  (it registers itself)
from morula.eager.operators import operator_calls  # noqa: F401  (they register themselves)
from morula.eager.python import (  # noqa: F401  (they register themselves)
    builtin_calls,
    collections_substitutes,
    functools_calls,
    heap_substitutes,
    iterable_calls,
    itertools_substitutes,
    logging_calls,
    text_calls,
)
from morula.errors import AliasedArgumentsError, MorulaError

ndarray = np.ndarray
Groups = tuple[tuple[CellType, ...], ...]
UNCOPIED = nullcontext()


class Run:
    """A finished forward run of ``f(*args, **kwargs)`` and its leaves.

    Attributes:
        y: the value.
        ctx: the context, with its tape.
    """

    __slots__ = ("_args", "_cells", "_f", "_given", "_kept", "_leaves", "_lock", "_sweeping", "ctx", "y", "y_d")

    def __init__(
        self,
        f: Callable,
        args: tuple,
        kwargs: dict,
        with_self: bool | frozenset[str] | dict[str, Any] | Groups = False,
        active: tuple[int, ...] | None = None,
        call: Callable[..., tuple[Any, Any]] = Reverse.call,
        around: int = 0,
        fresh: bool = False,
    ):
        """Run.

        `active` are the positions of the arguments to differentiate by (None: all); `with_self` whether by what `f`
        has captured too, or the names of those variables, or groups of cells, also of functions that `f` calls, where
        those of a group hold the same; `call` is how `f` is called; `around` how many derivations are around this;
        `fresh` whether the arrays among the arguments are copies, which nobody else has.
        """
        ctx = self.ctx = Reverse(around=around)
        if WATCH:
            WATCH[-1](ctx, f, self)
        self._f = f
        self._kept: Kept | None = None
        self._lock = threading.Lock()
        self._sweeping = 0  # by which thread
        given = None
        kinds = set(map(type, args))
        if not ATOMS.issuperset(kinds):
            if not SIMPLE.issuperset(kinds):
                refuse_foreign_arguments(args, active)
                refuse_same_container(args)
            if not fresh:
                given = Arguments(ctx.buffers, ctx.writes)
                args = tuple([given.apart(x) if active is None or i in active else x for i, x in enumerate(args)])
                ctx.records.aliased |= overlapping(ctx.buffers)
        self._args = args
        self._given = given
        if active is None:
            self._leaves = [ctx.records.leaf(a) for a in args]
        else:
            self._leaves = [ctx.records.leaf(a) if i in active else None for i, a in enumerate(args)]
        self._cells: dict[Any, Any] | None = None
        if isinstance(with_self, tuple):
            self._cells = lift_cells(with_self, ctx)
        elif with_self:
            self._cells = lift_function(f, ctx, None if with_self is True else with_self)
        ctx.leaves = (*self._leaves, *leaves_in(self._cells)) if self._cells else tuple(self._leaves)
        arrays = [a for a in (*args, *kwargs.values()) if isinstance(a, ndarray)]
        if arrays or ctx.records.kept:
            keep(ctx, arrays)
        pairs = copies_in(args) if arrays else []
        raise_recursion_limit()
        try:
            try:
                with copied(ctx.buffers, ctx.writes, pairs) if pairs else UNCOPIED:
                    self.y, self.y_d = ctx.whole(call, ctx, f, args, tuple(self._leaves), kwargs)
                if ctx.buffers.lent:
                    ctx.check_lent()
            finally:
                restore_recursion_limit()
                ctx.finish_forward()
        except BaseException:  # also an interruption after the run
            ctx.restore_arguments()
            raise

    def value(self) -> Any:
        """The value as the user sees it: an argument that the function returned is the caller's own array."""
        return self.y if self._given is None else self._given.handed_back(self.y)

    def watch(self) -> None:
        """From now on the user may change what the tape has kept; find that out before it is used.

        The user sees what the function did to its arguments.
        """
        if self._given is not None:
            self._given.hand_back()
            self._given = None
        self._kept = Kept(self.ctx.tape)

    def gradients(self, bar: Any, shown: Callable[[list], Any] | None = None) -> tuple:
        """The cotangent of ``f`` itself (None unless it was asked for) and of the arguments, for the seed `bar`.

        The way back goes over what `shown` makes of the tape.

        Where groups of cells were asked for, a tuple of their cotangents stands in the place of the first.
        """
        check_seed(self.y, bar, "")
        return self._alone(self.ctx.backward if shown is None else partial(self.ctx.backward, shown=shown), bar)

    def all_gradients_once(self, bar: Any) -> tuple:
        """As `gradients`, for the only time: frees the tape, and leaves the arguments as they were before the call."""

        def checked(y: Any) -> Any:
            check_seed(y, bar, "")
            return bar

        return self._once(checked)

    def value_and_gradients_once(self, seed_of: Callable[[Any], Any]) -> tuple[Any, tuple]:
        """The value as the user sees it, and `gradients_once`."""
        try:
            return self.value(), self.gradients_once(seed_of)
        except BaseException:  # an interruption between the two
            self.ctx.restore_arguments()
            raise

    def gradients_once(self, seed_of: Callable[[Any], Any]) -> tuple:
        """The same for the seed that `seed_of` gives for the value; arguments are then as before the call."""
        return self._once(seed_of)[1:]

    def _once(self, seed_of: Callable[[Any], Any]) -> tuple:
        try:
            return self._alone(self.ctx.backward_once, seed_of(self.y))
        except BaseException:  # also an interruption on the way to the sweep
            self.ctx.restore_arguments()
            raise

    def _alone(self, backward: Callable, bar: Any) -> tuple:
        """One sweep at a time over one tape, and one over memory that is rewound on the way: runs may share it."""
        me = threading.get_ident()
        if self._sweeping == me:
            raise MorulaError("back was called by a hook or a pullback that it runs itself")
        if self.ctx.writes:
            with turn(self.ctx.writes), self._lock:
                return self._swept(me, backward, bar)
        with self._lock:
            return self._swept(me, backward, bar)

    def _swept(self, me: int, backward: Callable, bar: Any) -> tuple:
        self._sweeping = me
        try:
            if self.ctx.buffers.lent:
                self.ctx.check_lent()
            if self._kept is not None:
                self._kept.check()
            found = backward(self.y, self.y_d, bar, self._collect)
            if self.ctx.refusal is not None:
                self.ctx.stay_refused()
            return found
        finally:
            self._sweeping = 0

    def _collect(self) -> tuple:
        records = self.ctx.records
        f_bar = self._collect_self() if self._cells is not None else None
        bars = [gradient_of(a, leaf, records, set()) for a, leaf in zip(self._args, self._leaves, strict=True)]
        return (f_bar, *bars)

    def _collect_self(self) -> Any:
        assert self._cells is not None
        records = self.ctx.records
        if 0 in self._cells:
            return tuple([gradient_of(v, leaf, records, set()) for v, leaf in self._cells.values()])
        f = self._f
        owner = f.__self__ if isinstance(f, MethodType) else f
        if not isinstance(owner, FunctionType):
            return gradient_of(owner, None, records, set())
        return captured_gradient(self._cells, records)


def keep(ctx: Reverse, given: list[ndarray]) -> None:
    """Keep the arrays among the arguments of a run, and watch those over memory that is not NumPy's own."""
    kept = ctx.records.kept
    if len(kept) != len(given) or any(map(operator.is_not, kept, given)):
        ids = set(map(id, kept))
        kept += [x for x in given if id(x) not in ids]
    for x in kept:
        if id(x) not in ctx.buffers.given:
            ctx.watch_foreign(x)


FRAMES_PER_CALL = 6  # of the engine and of the user, at the most, for one call of the user's
DEEPEST = 12_000  # what the C stack of an ordinary thread bears

_runs = 0
_limit = 0  # before anything ran
_raised = 0  # while something runs
_limit_lock = threading.Lock()


def raise_recursion_limit() -> None:
    """Raise the recursion limit while something runs, since one call of the user takes several frames here."""
    global _runs, _limit, _raised
    with _limit_lock:
        if _runs == 0:
            _limit = sys.getrecursionlimit()
            _raised = max(_limit, min(_limit * FRAMES_PER_CALL, DEEPEST))
            sys.setrecursionlimit(_raised)
        _runs += 1


def restore_recursion_limit() -> None:
    global _runs
    with _limit_lock:
        _runs -= 1
        if _runs == 0 and sys.getrecursionlimit() == _raised:  # else the program has chosen one
            sys.setrecursionlimit(_limit)


def refuse_same_container(args: tuple) -> None:
    """One object as two arguments has one state, and no two gradients."""
    seen: set[int] = set()
    for a in args:
        if isinstance(a, list | dict) or (is_plain_object(a) and not is_exact_number(type(a))):
            if id(a) in seen:
                raise AliasedArgumentsError(
                    f"the same {type(a).__qualname__} was passed as two arguments: pass a copy as one of them"
                )
            seen.add(id(a))


def captured_gradient(cells: dict[str, tuple[Any, Any]], records: Any) -> Any:
    """The cotangents of captured variables, those of a captured function inside that of the variable."""
    found = {
        n: captured_gradient(leaf, records) if isinstance(leaf, dict) else gradient_of(v, leaf, records, set())
        for n, (v, leaf) in cells.items()
    }
    return None if all(v is None for v in found.values()) else Tangent(FunctionType, **found)


def leaves_in(cells: dict[Any, tuple[Any, Any]]) -> Iterator[Any]:
    for _, leaf in cells.values():
        if isinstance(leaf, dict):
            yield from leaves_in(leaf)
        else:
            yield leaf


def lift_function(f: Any, ctx: Reverse, names: Any = None) -> dict[str, tuple[Any, Any]]:
    """Make what `f` captures (or the fields of the object that it is) leaves; captured variables by name.

    `names` are those of the variables that are meant; None means all. A dict of names says of each whether it is a
    function, by the names of the variables which that captures, or None. What a captured function captures stands in
    a dict of its own; a variable that several functions capture is a leaf once.
    """
    if isinstance(f, MethodType):
        ctx.records.lift(f.__self__)
        return {}
    if not isinstance(f, FunctionType):
        ctx.records.leaf(f)
        return {}
    leaves: dict[str, tuple[Any, Any]] = {}
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        if is_empty(cell) or (names is not None and name not in names):
            continue
        value = cell.cell_contents
        if id(cell) in ctx.twins.lifted:
            continue
        if isinstance(names, dict) and names[name] is not None:
            ctx.twins.lifted.add(id(cell))
            leaves[name] = (value, lift_function(value, ctx, names[name]))
            continue
        leaf = ctx.records.leaf(value)
        leaves[name] = (value, leaf)
        ctx.twins.cells[id(cell)] = (cell, CellType(leaf))
        ctx.twins.lifted.add(id(cell))
    return leaves


def lift_cells(groups: Groups, ctx: Reverse) -> dict[int, tuple[Any, Any]]:
    """Make the variables in these cells leaves, those of a group one; by the number of the group.

    A view of an array that is among them has no leaf of its own: its cotangent is that array's.
    """
    leaves: dict[int, tuple[Any, Any]] = {}
    owners: set[int] = set()
    values = [cells[0].cell_contents for cells in groups]
    for i in sorted(range(len(groups)), key=lambda i: isinstance(x := values[i], ndarray) and owner_of(x) is not x):
        value = values[i]
        shadow = leaf = None
        if isinstance(value, ndarray) and id(owner_of(value)) in owners:
            shadow = ctx.buffers.find(value)
        else:
            shadow = leaf = ctx.records.leaf(value)
            owners.add(id(value))
        leaves[i] = (value, leaf)
        for cell in groups[i]:
            ctx.twins.cells[id(cell)] = (cell, CellType(shadow))
            ctx.twins.lifted.add(id(cell))
    return dict(sorted(leaves.items()))
