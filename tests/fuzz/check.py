"""One program, run plainly and differentiated: all that must agree, and what disagrees.

The program is a module with ``LOG``, ``arguments()`` and ``program(...)``, which returns a real number. It is made
anew for every run, so that no run sees what another left in globals, defaults or caches.
"""

import inspect
import math
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from morula_helpers import assert_same, scaled
from structures import at_path, leaves

import morula
from morula.eager.context import tape

from . import forward
from .oracles import RTOL, Differences, along, complex_step, direction_of, moved
from .program import Module, TimedOut, Wrong, data_of, differentiated, same

RTOL_SINGLE = 2e-3  # of a program that computes in single precision somewhere
RTOL_COMPLEX = 1e-9  # of complex steps
STEEPEST = 1e8  # a sine of such values has a derivative that differences cannot see
NUMPYS_OWN = re.compile(
    "could not be broadcast|read-only|is out of bounds for"
)  # texts that name the function which was called


@dataclass(frozen=True)
class Verdict:
    """What became of one program.

    Attributes:
        kind: "right", "refused", "wrong" or "skipped".
        message: of the error, or what disagreed; for skipped programs why.
        raised: the program ended with an exception of its own.
        by_complex_step: a complex step confirmed the gradient.
        notes: why forward mode or a second derivative was refused or skipped.
        is_compiled: Numba compiled the adjoint that was compared.
    """

    kind: str
    message: str = ""
    raised: bool = False
    by_complex_step: bool = False
    notes: tuple[str, ...] = ()
    is_compiled: bool = False


@contextmanager
def quiet() -> Iterator[None]:
    """Overflows and the like are the programs' own business."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def limited(seconds: float, of_process: bool = False) -> Iterator[None]:
    """Raise `TimedOut` after a while, or after so much time of the process, where the system has alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(signum: int, frame: Any) -> None:
        raise TimedOut

    def report(unraisable: Any) -> None:
        if unraisable.exc_type is not TimedOut:  # which finalizers swallow: it strikes again
            report_before(unraisable)

    timer, number = (signal.ITIMER_PROF, signal.SIGPROF) if of_process else (signal.ITIMER_REAL, signal.SIGALRM)
    before = signal.signal(number, stop)
    report_before, sys.unraisablehook = sys.unraisablehook, report
    signal.setitimer(timer, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(timer, 0.0)
        signal.signal(number, before)
        sys.unraisablehook = report_before


def check(source: str, seconds: float = 60.0, order: int | None = None) -> Verdict:
    """Run one program plainly and differentiated, and compare.

    `order`: up to which derivatives are compared; None for second and third ones of a share of the programs.
    """
    try:
        module = Module(source)
    except SyntaxError as error:
        return Verdict("skipped", f"no program: {error.msg}")
    try:
        with quiet(), limited(seconds):
            return compare(module, order)
    except Wrong as wrong:
        return Verdict("wrong", str(wrong))
    except morula.MorulaError as error:
        return Verdict("refused", f"{type(error).__name__}: {error}")
    except TimedOut:
        return Verdict("skipped", "takes too long")
    finally:
        module.forget()


def compare(module: Module, order: int | None) -> Verdict:
    try:
        plain = module.load()
        plain_args = plain["arguments"]()
        program = plain["program"]
        inspect.signature(program).bind(*plain_args)
    except Exception as error:
        return Verdict("skipped", f"no program: {error}")
    try:
        y = program(*plain_args)
    except Exception as error:
        return compare_raised(module, plain, error)
    if not isinstance(y, float):
        return Verdict("skipped", f"the value is of {type(y).__name__}")
    want = (y, plain_args, data_of(plain))

    namespace = module.load()
    args = namespace["arguments"]()
    value, back = differentiated(morula.pullback, namespace["program"], *args)
    same((value, args, data_of(namespace)), want, "(value, arguments, globals)")
    first = differentiated(back, 1.0)
    same((value, args, data_of(namespace)), want, "(value, arguments, globals) after back")
    second, third = differentiated(back, 1.0), differentiated(back, -2.0)
    same((value, args, data_of(namespace)), want, "(value, arguments, globals) after back")

    compare_after_write(back, args, first)

    namespace = module.load()
    args = namespace["arguments"]()
    g = differentiated(morula.gradient, namespace["program"], *args)
    same(args, module.load()["arguments"](), "arguments after gradient")
    same(data_of(namespace), data_of(plain), "globals after gradient")

    try:
        assert_same(second, first, rtol=0, atol=0, at="the second back")
        assert_same(first, g, rtol=0, atol=0, at="back(1.0)")
        assert_same(third, scaled(first, -2.0), rtol=0, atol=0, at="back(-2.0)")
    except AssertionError as error:
        raise Wrong(str(error)) from error
    compare_as_large(module, want, g)
    verdict = compare_gradient(module, y, g)
    refused = forward.compare_forward(module, want, g)
    notes = (f"forward: {refused}",) if refused else ()
    wanted = forward.is_chosen(module.source) if order is None else order > 1
    if wanted and not refused and verdict.kind == "right":
        notes = forward.compare_second_order(module, order == 3)
    return replace(verdict, notes=notes)


def compare_as_large(module: Module, want: tuple, g: tuple) -> None:
    """The same when every array counts as a large one, whose memory is used again or given back early."""
    engine = [m for name, m in sys.modules.items() if name.startswith("morula.")]
    before = {m: m.LARGE for m in engine if getattr(m, "LARGE", None) is tape.LARGE}  # not sizes of other things
    for m in before:
        m.LARGE = 0
    try:
        namespace = module.load()
        args = namespace["arguments"]()
        value, back = differentiated(morula.pullback, namespace["program"], *args)
        bars = [differentiated(back, 1.0), differentiated(back, 1.0)]
        same((value, args, data_of(namespace)), want, "(value, arguments, globals) with large arrays")
        namespace = module.load()
        bars.append(differentiated(morula.gradient, namespace["program"], *namespace["arguments"]()))
        for bar in bars:
            assert_same(bar, g, rtol=1e-6 if "F32" in module.source else 1e-11, atol=1e-12)
    except AssertionError as error:
        raise Wrong(f"with large arrays: {error}") from error
    finally:
        for m, size in before.items():
            m.LARGE = size


def compare_after_write(back: Callable, args: tuple, first: tuple) -> None:
    """Memory that is written between `pullback` and `back`: an error, or still the right gradient."""
    for path, leaf in leaves(args):
        if isinstance(leaf, np.ndarray) and leaf.flags.writeable:
            leaf += 1.5
            try:
                again = back(1.0)
            except morula.StaleMemoryError:
                continue
            except Exception as error:
                raise Wrong(f"back after a write raised {type(error).__name__}: {error}") from error
            try:
                assert_same(again, first, rtol=0, atol=0)
            except AssertionError as error:
                raise Wrong(f"back after a write into the argument {path}: {error}") from error


def compare_raised(module: Module, plain: dict[str, Any], error: Exception) -> Verdict:
    """A program that raises: the same exception, the same effects before it, and arguments as before the call."""
    for verb in (morula.pullback, morula.gradient):
        compare_error(module, plain, error, verb)
    try:
        compare_error(module, plain, error, forward.jvp)
    except morula.MorulaError as refused:
        return Verdict("right", raised=True, notes=(f"forward: {type(refused).__name__}: {refused}",))
    return Verdict("right", raised=True)


def compare_error(module: Module, plain: dict[str, Any], error: Exception, verb: Callable) -> None:
    """What one verb does with a program that raises."""
    namespace = module.load()
    args = namespace["arguments"]()
    try:
        verb(namespace["program"], *args)
    except morula.MorulaError:
        raise
    except Exception as other:
        same_text = str(other) == str(error) or NUMPYS_OWN.search(str(error)) or type(error) is RecursionError
        if type(other).__name__ != type(error).__name__ or not same_text:
            raise Wrong(f"{verb.__name__} raised {other!r}, the plain run {error!r}") from other
    else:
        raise Wrong(f"{verb.__name__} did not raise {error!r}")
    same(args, module.load()["arguments"](), f"arguments after an exception in {verb.__name__}")
    same(data_of(namespace), data_of(plain), f"globals after an exception in {verb.__name__}")


def compare_space(bar: Any, leaf: Any, path: tuple) -> None:
    """The gradient of a leaf has its shape and, but for Python's numbers, its type."""
    if bar is None:
        return
    if np.shape(bar) != np.shape(leaf) or isinstance(bar, np.ndarray) != isinstance(leaf, np.ndarray):
        raise Wrong(f"gradient at {path}: {bar!r} has not the shape of {leaf!r}")
    if isinstance(leaf, np.ndarray) and bar.dtype != leaf.dtype:
        raise Wrong(f"gradient at {path}: {bar.dtype} is not {leaf.dtype}")


def compare_gradient(module: Module, y: float, g: tuple) -> Verdict:
    if not math.isfinite(y):
        return Verdict("skipped", "the value is not finite")
    arguments = module.load()["arguments"]()
    for path, leaf in leaves(arguments):
        compare_space(at_path(g, path), leaf, path)
    direction = direction_of(arguments, np.random.default_rng(0))
    got = along(g, direction)
    single = module.source.count("F32") > 1  # more than its definition

    def value(h: float) -> float:
        namespace = module.load(F32=np.float64)
        return float(namespace["program"](*moved(namespace["arguments"](), direction, h)))

    rtol = RTOL_SINGLE if single else RTOL
    try:
        differences = Differences(value)
        want = differences.settled(rtol)
        if want is None:
            return Verdict("skipped", "differences do not settle")
        if abs(want) > STEEPEST:
            return Verdict("skipped", "too steep for differences")
        if abs(got - want) <= rtol * max(1.0, abs(want)):
            exact = complex_step(module, y, direction, want)
            if exact is not None and abs(got - exact) > RTOL_COMPLEX * max(1.0, abs(exact)):
                raise Wrong(f"gradient: {got!r} in a direction, {exact!r} by a complex step")
            return Verdict("right", by_complex_step=exact is not None)
        if differences.has_kink():
            return Verdict("skipped", "a kink")
    except Wrong:
        raise
    except Exception as error:
        return Verdict("skipped", f"a step away it raises {type(error).__name__}")
    raise Wrong(f"gradient: {got!r} in a direction, {want!r} by differences")
