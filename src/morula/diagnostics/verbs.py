"""`explain`, `explaining` and `errstate`."""

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from morula.diagnostics.seeds import apart, is_any, ones_like
from morula.eager.context.observed import WATCH
from morula.eager.context.protocol import Context
from morula.eager.context.run import Run
from morula.errors import NonFiniteError, NonFiniteWarning, at_user_line
from morula.static.python.choice import tier
from morula.static.tiers.dispatch import is_dispatcher
from morula.verbs.gradients import CHECKS

if TYPE_CHECKING:
    from morula.diagnostics.report import Report

__all__ = ["errstate", "explain", "explaining"]

_lock = threading.Lock()
WAYS = ("ignore", "warn", "raise")


def explain(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Report":
    """Run a function and its gradient once, and explain by line NaN, zeros, time and memory.

    Args:
        f: a function; its value may be a number, an array, or a structure of them.
        args: numbers, arrays, structures of them, as for `gradient`. Without any, nothing is run, and the report says
            only which tier differentiates `f`.
        kwargs: passed on to `f`; constants.

    Returns:
        A report. It prints as text, and notebooks show it as a table; ``report.save("page.html")`` writes a page.
        Programs can use ``report.lines``, ``report.first`` (where the first non-finite cotangent arose),
        ``report.reasons`` (why arguments have no gradient) and ``report.gradient``. The seed is 1 for each number of
        the value.

    The eager tier runs, with compiled functions that `f` calls unchanged; the report states which tier would otherwise
    run, and why. An error raised by `f` is raised unchanged.

    >>> import math, morula
    >>> def distance(x, y):
    ...     return math.sqrt(x * x + y * y) - math.cbrt(x * y)
    >>> report = morula.explain(distance, 0.0, 0.0)
    >>> report.first.text, report.first.partials
    ('math.cbrt(x * y)', ['inf'])
    >>> morula.explain(lambda x: float(int(x)), 1.0).reasons[0].notes[0][1]
    'int() keeps no derivative'
    """
    from morula.diagnostics.report import Report
    from morula.static.python.explain import tier_text

    if not args:
        return Report(tier_text(f))
    text: Any = partial(tier_text, f, *args)
    if is_dispatcher(f):
        text = f"{f.__name__}: compiled by Numba; this explains the Python function it was compiled from"
        f = f.py_func  # type: ignore[attr-defined]
    try:
        with explaining() as report:
            report._tier = text

            def seed_of(y: Any) -> Any:
                report.value = apart(y)
                return ones_like(y)

            report.gradient = Run(f, args, kwargs).gradients_once(seed_of)
        return report
    except BaseException as error:
        at_user_line(error)
        raise


@contextmanager
def explaining(memory: bool = False) -> Iterator["Report"]:
    """Explain every derivative that a block takes, by any verb, in this thread.

    Args:
        memory: also measure the peak of memory, and where it stood (`tracemalloc`, which makes a run slower).

    Yields:
        The report, as of `explain`, which is complete when the block ends. What it says of NaN is of the first run that
        had one; what it says of zeros and of the tape, of the last run.

    >>> import morula
    >>> with morula.explaining() as report:
    ...     for x in (1.0, 2.0):
    ...         g = morula.gradient(lambda x: x * x, x)
    >>> report.runs, g
    (2, (4.0,))
    """
    import tracemalloc

    from morula.diagnostics.report import Report

    starts = memory and not tracemalloc.is_tracing()
    if starts:
        tracemalloc.start(1)
    report = Report(memory=beyond(tracemalloc.get_traced_memory()[0]) if memory else None)
    me = threading.get_ident()
    outer = WATCH[-1] if WATCH else None

    def watch(ctx: Context, f: Any, run: Any) -> None:
        if threading.get_ident() == me:
            report.watch(ctx, f, run)
        elif outer is not None:
            outer(ctx, f, run)

    with _lock:
        WATCH.append(watch)
    try:
        with tier("eager"):
            yield report
    finally:
        with _lock:
            WATCH.remove(watch)
        report.settle()
        if starts:
            tracemalloc.stop()


def beyond(start: int) -> Callable[[], tuple[int, int]]:
    """The memory traced now and at the peak since the last question, beyond what was there at the start."""
    import tracemalloc

    def memory() -> tuple[int, int]:
        now, peak = tracemalloc.get_traced_memory()
        return now - start, peak - start

    if tracemalloc.is_tracing():
        tracemalloc.reset_peak()
    return memory


@contextmanager
def errstate(nan: str = "ignore", inf: str = "ignore") -> Iterator[None]:
    """Set what happens inside a block if a gradient is NaN or infinite; also a decorator.

    It holds for `gradient`, `withgradient`, and the functions that `grad` and `value_and_grad` make. They run as fast
    as ever, by any tier; where what they found is not finite, the function runs once more, watched, to say which line
    it was. So whatever else it does (a draw, a line that it prints) happens twice.

    Args:
        nan, inf: ``"ignore"``, ``"warn"`` or ``"raise"``.

    Raises:
        NonFiniteError: when a gradient is taken that holds a NaN (an infinity), with ``"raise"``.
        ValueError: there is no such word.

    >>> import math, morula
    >>> with morula.errstate(nan="raise"):
    ...     morula.gradient(lambda x: math.sqrt(x) - math.cbrt(x), 0.0)
    Traceback (most recent call last):
        ...
    morula.errors.NonFiniteError: the gradient is NaN: ...
    """
    for way in (nan, inf):
        if way not in WAYS:
            raise ValueError(f"errstate takes 'ignore', 'warn' or 'raise', not {way!r}")
    wanted = ContextVar("morula.errstate", default=False)
    token = wanted.set(True)

    def check(f: Any, args: tuple, kwargs: dict, found: Any) -> None:
        if not wanted.get():
            return
        for way, what, is_so in ((nan, "NaN", np.isnan), (inf, "infinite", np.isinf)):
            if way != "ignore" and is_any(is_so, found):
                token = wanted.set(False)
                try:
                    message = f"the gradient is {what}: {birthplace(f, args, kwargs, what)}"
                finally:
                    wanted.reset(token)
                if way == "raise":
                    raise NonFiniteError(message)
                warnings.warn(message, NonFiniteWarning, stacklevel=4)

    with _lock:
        CHECKS.append(check)
    try:
        yield
    finally:
        with _lock:
            CHECKS.remove(check)
        wanted.reset(token)


def birthplace(f: Any, args: tuple, kwargs: dict, what: str) -> str:
    """Where the first such cotangent was born, in a few words."""
    report = explain(f, *args, **kwargs)
    births = [b for b in report.births if b.is_nan == (what == "NaN")] or report.births
    if not births:
        return "run once more, it is not; see morula.explain"
    birth = births[0]
    partials = f" (partial derivative {', '.join(birth.partials)})" if birth.partials else ""
    operands = "".join(f", {name} = {value}" for name, value in birth.operands.items())
    return f"{birth.line.file}, line {birth.line.number}: {birth.text or birth.line.text}{operands}{partials}"
