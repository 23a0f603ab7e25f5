"""`checkpoint`: a call that stores nothing and runs again in the backward pass."""

from collections.abc import Callable
from typing import Any

from morula.eager.calls.registry import structural
from morula.eager.context.entries import filled
from morula.eager.context.protocol import Context
from morula.eager.context.tape import Entry, NaNMet, has_nan, take
from morula.eager.replay.calls import Call, summary_of
from morula.eager.replay.lost import marking_lost
from morula.eager.replay.remembered import redrawing
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]


def checkpoint(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Return ``f(*args, **kwargs)`` without storing anything of the run: the backward pass runs `f` again.

    Side effects of `f` happen again in every backward pass: it may print, count its calls and keep a log of texts. For
    the second run, captured variables, everything that `f` reaches through them, through its arguments and through
    global variables, and NumPy's random generators are restored; if the value still differs, that is an error.

    Checkpoints nest: those inside `f` store nothing either, and code that is d levels deep runs d + 1 times.

    Args:
        f: a function that does not write into its arguments.
        args, kwargs: its arguments.

    Returns:
        The value of `f`.

    Raises:
        NotDifferentiable: `f` stores numbers in its arguments, its captured variables or other reachable state, or
            returns a different value when it runs again.

    >>> import morula
    >>> morula.gradient(lambda x: morula.checkpoint(lambda v: v**3, x), 2.0)
    (12.0,)
    """
    return f(*args, **kwargs)


class _Checkpoint(Entry):
    """The tape entry of a checkpointed call; `summary` stands for its value, `arrays_read` are those that it reads."""

    __slots__ = ("arrays_read", "call", "summary", "y_d")
    reads = ("arrays_read",)

    def __init__(self, call: Call, y: Any, y_d: Any):
        self.y_d = y_d
        self.call = call
        self.arrays_read = call.remembered.arrays
        self.summary = summary_of(y)

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        if not strict and has_nan(y_bar):
            raise NaNMet
        if isinstance(self.y_d, tuple):
            y_bar = filled(y_bar, self.y_d)
        with self.call.remembered.with_state_restored(counting=True):
            with redrawing(self.call.remembered.generators):
                run = self.call.again()
            self.call.check(self.summary, summary_of(run.y))
            captured, *bars = run.all_gradients_once(y_bar)
            self.call.deliver(captured, bars)


@structural(checkpoint)
def _checkpoint(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    (f,), args, ds = ctx.callees(args[:1], ds[:1]), args[1:], ds[1:]
    if ctx.depth:  # tangents are computed on the way, and what they need is gone when it is
        return ctx.call(f, args, ds, kw, kw_d)
    if any(ctx.keyword_active(v, kw_d.get(k)) for k, v in kw.items()):
        raise NotDifferentiable("active keyword arguments of checkpoint are not supported; pass them by position")
    call = Call(ctx, "checkpoint", f, args, ds, kw)
    y = marking_lost(ctx, "checkpoint", call.first, ctx, f, *args)
    y_d = call.result_shadow(ctx, y)
    if y_d is None:
        return y, None
    ctx.append(_Checkpoint(call, y, y_d))
    return y, ctx.attach(y, y_d)
