"""`checkpoint_loop`: a long loop of which a few states are stored, by a binomial schedule.

`checkpoint_schedules` has such schedules, and others. It is not used: importing it loads and compiles with Numba
where that is installed; its schedules keep the tape of the last step from the forward run to the backward pass, and
can be walked back once, while ``back`` may be called again. What would be taken from it is `stride`, three lines here;
the tests compare the numbers of steps.
"""

import functools
import operator
from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from morula.eager.calls.registry import structural
from morula.eager.context.entries import deliver
from morula.eager.context.kinds import ATOMS, is_exact_number
from morula.eager.context.protocol import Context
from morula.eager.context.tape import Entry, NaNMet, has_nan, take
from morula.eager.forward.derivation import apart
from morula.eager.memory.guards import arrays_in
from morula.eager.memory.layout import owner_of
from morula.eager.replay.calls import Call, summary_of
from morula.eager.replay.lost import marking_lost
from morula.eager.replay.remembered import States, redrawing, set_states, states_after
from morula.errors import NotDifferentiable
from morula.verbs.progress import Progress, ticking

ndarray = np.ndarray
Pair = tuple[Any, Any]


def checkpoint_loop(
    step: Callable[..., Any], state: Any, n: int, *args: Any, snapshots: int, with_index: bool = False,
    progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Return the state after `n` steps ``state = step(state, *args)``, storing only a few states for the backward pass.

    The backward pass needs the states in reverse order. It starts from the nearest stored state, runs the steps again
    from there, and stores others where room has become free, by the binomial schedule of Griewank
    and Walther, Algorithm 799: Revolve, ACM TOMS 26 (2000), which needs the fewest steps. With k snapshots and
    ``beta(k, r) = comb(k + r, k)``, and r the smallest number for which ``n < beta(k, r)``, a gradient runs
    ``r * (n + 1) - beta(k + 1, r - 1)`` steps plainly, the `n` of the forward run among them, and each of the `n`
    steps once more with a tape. So ten snapshots do for a thousand steps, each of which runs at most five times. A
    second call of ``back`` begins with the first state alone.

    In memory are `snapshots` states (what the generators of random numbers are at is part of a state), the tape of
    one step, and the few states that it works with.

    Args:
        step: a function that returns the next state, of any structure of those below. It may write into its state,
            which is its own, and not into what it captures or into `args`. Active variables that it captures have
            their gradients. It must give the same value when it runs again.
        state: a number, an array, or tuples, lists and dicts of them, nested. The loop begins with a copy; nothing
            in a state shares memory with anything else in it.
        n: how many steps, as in ``range(n)``.
        args: further arguments for each step, constant or active.
        snapshots: how many states may be stored, at least 1.
        with_index: call ``step(i, state, *args)``, where i counts from 0.
        progress: a progress bar for loops, such as `tqdm`; it is called with a range, and the result is iterated over.
            The steps forward
            are shown, and then the steps back.

    Returns:
        The last state.

    Raises:
        NotDifferentiable: the state holds something else; or as `checkpoint`.
        ValueError: `snapshots` is less than 1.

    >>> import morula
    >>> def logistic(x, r):
    ...     return r * x * (1 - x)
    >>> morula.withgradient(lambda x, r: morula.checkpoint_loop(logistic, x, 3, r, snapshots=2), 0.5, 2.0)
    WithGradient(value=0.5, gradient=(0.0, 0.25))
    """
    count, advance = _checked(step, n, args, snapshots, with_index)
    state = private(state)
    tick = ticking(progress, count)
    for i in range(count):
        state = separate(advance(i, state))
        tick()
    return state


def _checked(step: Any, n: Any, args: tuple, snapshots: Any, with_index: bool) -> tuple[int, Callable[[int, Any], Any]]:
    """How many steps, and what one is: the state after it, of the number of the step and the state."""
    if operator.index(snapshots) < 1:
        raise ValueError(f"checkpoint_loop needs at least 1 snapshot, and was given {snapshots}")
    if with_index:
        return operator.index(n), lambda i, state: step(i, state, *args)
    return operator.index(n), lambda i, state: step(state, *args)


# -- the schedule -------------------------------------------------------------------------------------------------


def beta(k: int, r: int) -> int:
    """The longest chain of steps that can be walked back with `k` snapshots and `r` plain runs of each step."""
    return comb(k + r, k)


@functools.lru_cache(4096)
def stride(length: int, k: int) -> int:
    """After how many steps of a chain the next snapshot is best taken.

    The chain has at least two steps, and `k` snapshots, of which one is the state at its start. By Griewank and
    Walther, any m will do that has

        beta(k, r - 2) <= m <= beta(k, r - 1)  and  beta(k - 1, r - 1) <= length - m <= beta(k - 1, r),

    with r the smallest number for which ``length <= beta(k, r)``. The largest takes the fewest snapshots.
    """
    if k == 1:
        return length - 1
    r = 1
    while beta(k, r) < length:
        r += 1
    return min(beta(k, r - 1), length - beta(k - 1, r - 1))


class Trajectory:
    """The states of a loop, from last to first; never more than `k` of them are stored.

    Attributes:
        advance: the state after a step, of the number of the step and the state before; it may write into that.
        stored: what is stored, in order: the number of steps done, the state, and the random generators.
    """

    __slots__ = ("advance", "k", "stored")

    def __init__(self, advance: Callable[[int, Any], Any], start: Any, generators: States, k: int):
        self.advance = advance
        self.k = k
        self.stored = [(0, private(start), generators)]

    def state_at(self, end: int) -> Any:
        """The state after `end` steps, to be written into; the next to be asked for is the one before."""
        at, stored, generators = self.stored[-1]
        set_states(generators)
        if at == end > 0:
            self.stored.pop()
            return stored
        state = private(stored)
        while at < end:
            before = at
            at += stride(end + 1 - at, self.k + 1 - len(self.stored))
            for i in range(before, at):
                state = separate(self.advance(i, state))
            if at < end:
                self.stored.append((at, private(state), states_after(self.stored[-1][2])))
        return state

    def draw_from(self, generators: States) -> None:
        """Leave all other generators than these as they are."""
        drawn = {id(g) for g, _ in generators}
        self.stored = [(at, state, [(g, s) for g, s in states if id(g) in drawn]) for at, state, states in self.stored]

    def forget(self) -> None:
        """Back to the first state alone."""
        del self.stored[1:]


# -- states -------------------------------------------------------------------------------------------------------


def private(state: Any) -> Any:
    """A copy of a state."""
    return _separate(state, None)


def separate(state: Any) -> Any:
    """A state as the next step gets it, and as a copy of it would be: arrays that are whole and share no memory."""
    return _separate(state, set())


def _separate(x: Any, seen: set[int] | None) -> Any:
    kind = type(x)
    if kind is ndarray and not x.dtype.hasobject:
        if seen is None or x.base is not None or id(x) in seen or not (x.flags.forc and x.flags.writeable):
            return x.copy("K")
        seen.add(id(x))
        return x
    if kind in ATOMS or isinstance(x, float | int | complex) or is_exact_number(kind):
        return x
    if kind is list:
        return [_separate(v, seen) for v in x]
    if kind is dict:
        return {k: _separate(v, seen) for k, v in x.items()}
    if kind is tuple:
        return tuple([_separate(v, seen) for v in x])
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return kind(*[_separate(v, seen) for v in x])
    what = f"an array of dtype {x.dtype}" if kind is ndarray else f"a {kind.__qualname__}"
    raise NotDifferentiable(
        f"the state of checkpoint_loop holds {what}; it may hold numbers, arrays, and tuples, lists and dicts of "
        "them. Pass what does not change from step to step as a further argument"
    )


# -- differentiated -----------------------------------------------------------------------------------------------


class _Loop(Entry):
    """The tape entry of a loop of `n` steps; `summary` stands for its value."""

    __slots__ = ("arrays_read", "call", "n", "progress", "start_d", "states", "summary", "with_index", "y_d")
    reads = ("arrays_read",)

    def __init__(
        self, call: Call, states: Trajectory, start_d: Any, n: int, with_index: bool, y: Any, y_d: Any,
        progress: Progress | None = None,
    ):  # fmt: skip
        self.progress = progress
        self.y_d = y_d
        self.call = call
        self.arrays_read = call.remembered.arrays
        self.states = states
        self.start_d = start_d
        self.n = n
        self.with_index = with_index
        self.summary = summary_of(y)

    def pull(self, strict: bool) -> None:
        bar = take(self.y_d)
        if bar is None:
            return
        if not strict and has_nan(bar):
            raise NaNMet
        try:
            with self.call.remembered.with_state_restored():
                expected = self.summary
                tick = ticking(self.progress, self.n)
                for i in reversed(range(self.n)):
                    if bar is None:
                        return
                    expected, bar = self._pull_step(i, expected, bar)
                    tick()
                deliver(self.states.stored[0][1], self.start_d, bar)
        finally:
            self.states.forget()

    def _pull_step(self, i: int, expected: Any, bar: Any) -> tuple[Any, Any]:
        """Back over one step: the summary of the state before it, and its cotangent."""
        with redrawing(self.call.remembered.generators):
            state = private(self.states.state_at(i))
            before = summary_of(state)
            run = self.call.again(i, state, active=(1,)) if self.with_index else self.call.again(state, active=(0,))
        self.call.check(expected, summary_of(separate(run.y)))
        captured, *bars = run.all_gradients_once(bar)
        if self.with_index:
            del bars[0]
        self.call.deliver(captured, bars[1:])
        return before, bars[0]


def _parts(
    step: Any, state: Any, n: Any, *args: Any, snapshots: Any, with_index: Any = False, progress: Any = None
) -> tuple:
    return step, state, n, args, snapshots, with_index, progress


_parts.__qualname__ = checkpoint_loop.__qualname__  # for the error where arguments are missing


@structural(checkpoint_loop)
def _checkpoint_loop(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    step, start, n, more, snapshots, with_index, progress = _parts(*args, **kw)
    _, start_d, _, more_d, *_ = _parts(*ds, **{name: kw_d.get(name) for name in kw})
    count, advance = _checked(step, n, more, snapshots, with_index)
    if ctx.depth:  # tangents are computed on the way, and what they need is gone when it is
        return _with_tangents(ctx, step, (start, start_d), count, (more, more_d), with_index)
    call = Call(ctx, "checkpoint_loop", step, more, more_d, {})
    if progress is not None:
        advance = shown_first(advance, count, ticking(progress, count))
    states = Trajectory(advance, start, call.remembered.generators, snapshots)
    shadow = call.shadow_of(ctx, start, start_d)
    y = marking_lost(
        ctx, "checkpoint_loop", call.first, ctx, _run, states, count, step, *(a for a in more if callable(a))
    )
    states.draw_from(call.remembered.generators)
    y_d = call.result_shadow(ctx, y, (start, shadow))
    if y_d is None:
        return y, None
    ctx.append(_Loop(call, states, shadow, count, with_index, y, y_d, progress))
    return y, ctx.attach(y, y_d)


def shown_first(advance: Callable[[int, Any], Any], n: int, tick: Callable[[], None]) -> Callable[[int, Any], Any]:
    """The same steps; those of the forward run, which come first, tick."""
    left = n

    def shown(i: int, state: Any) -> Any:
        nonlocal left
        state = advance(i, state)
        if left:
            left -= 1
            tick()
        return state

    return shown


def _run(states: Trajectory, n: int, *called: Any) -> Any:
    """The loop; `called` are the functions that it calls, whose memory others may hold."""
    return states.state_at(n)


def _with_tangents(ctx: Context, step: Any, start: Pair, n: int, more: tuple[tuple, tuple], with_index: bool) -> Pair:
    """The loop, of which nothing is stored but by derivations around that go in reverse."""
    state, state_d = _apart(ctx, *start)
    for i in range(n):
        index = (i,) if with_index else ()
        args, ds = (*index, state, *more[0]), (*(None for _ in index), state_d, *more[1])
        state, state_d = _apart(ctx, *ctx.call(step, args, ds, {}, {}))
    return state, state_d


def _apart(ctx: Context, state: Any, state_d: Any) -> Pair:
    private(state)  # refuses what a state may not be
    shared = isinstance(state, list | dict) and [id(owner_of(x)) for x in arrays_in(state, set())]
    if shared and len(set(shared)) < len(shared):  # a copy of the list would share memory still
        raise NotDifferentiable(
            "arrays in the state of checkpoint_loop share memory, which is not supported in forward mode; return copies"
        )
    if isinstance(state, tuple):
        pairs = [_apart(ctx, v, d) for v, d in zip(state, state_d or (None,) * len(state), strict=True)]
        values, shadows = (tuple([pair[i] for pair in pairs]) for i in (0, 1))
        return (type(state)(*values) if hasattr(state, "_fields") else values), ctx.packed(shadows)
    return apart(ctx, state, state_d)
