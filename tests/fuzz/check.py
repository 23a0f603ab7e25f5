"""One program, run plainly and differentiated: all that must agree, and what disagrees.

The program is a module with ``LOG``, ``arguments()`` and ``program(...)``, which returns a real number. It is made
anew for every run, so that no run sees what another left in globals, defaults or caches.
"""

import inspect
import linecache
import math
import re
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import morula

from ..morula.morula_helpers import assert_same, at_path, leaves, replaced, scaled

STEPS = (1e-4, 1e-5, 1e-3)
RTOL, ATOL = 2e-6, 1e-7  # of a directional derivative
RTOL_SINGLE = 2e-3  # of a program that computes in single precision somewhere
RTOL_COMPLEX = 1e-9  # of complex steps
STEEPEST = 1e8  # a sine of such values has a derivative that differences cannot see
NUMPYS_OWN = re.compile("could not be broadcast|read-only")  # texts that name the function which was called
NOT_ANALYTIC = re.compile(r"abs|real|imag|conj|norm|vdot|hypot|angle|phase|copysign")


@dataclass(frozen=True)
class Verdict:
    """What became of one program.

    Attributes:
        kind: "right", "refused", "wrong" or "skipped".
        message: of the error, or what disagreed; for skipped programs why.
        raised: the program ended with an exception of its own.
        by_complex_step: a complex step confirmed the gradient.
    """

    kind: str
    message: str = ""
    raised: bool = False
    by_complex_step: bool = False


class Wrong(AssertionError):
    """Something disagrees with the plain run or with differences."""


class TimedOut(BaseException):
    """A program that runs for too long (a shrunk loop without its counter)."""


class Module:
    """The source of one program, loaded as often as one likes."""

    def __init__(self, source: str):
        self.filename = f"<program {hash(source) & 0xFFFFFFFF:08x}>"
        self.source = source
        linecache.cache[self.filename] = (len(source), None, source.splitlines(keepends=True), self.filename)
        self.code = compile(source, self.filename, "exec")

    def forget(self) -> None:
        linecache.cache.pop(self.filename, None)

    def load(self, **replacements: Any) -> dict[str, Any]:
        module = types.ModuleType("program")
        namespace = vars(module)
        exec(self.code, namespace)
        namespace.update(LOG=[], **replacements)
        return namespace


def data_of(namespace: dict[str, Any]) -> dict[str, Any]:
    """The globals of a program that are data."""
    code = types.ModuleType | types.FunctionType | types.BuiltinFunctionType | type
    return {k: v for k, v in namespace.items() if not k.startswith("__") and not isinstance(v, code)}


def difference(got: Any, want: Any, at: str, seen: dict[int, int]) -> str | None:
    """Where two values differ: in type, in any bit, in which of their parts are the same object; or None."""
    if type(got).__name__ != type(want).__name__:
        return f"{at}: {got!r} of {type(got).__name__} is not {want!r} of {type(want).__name__}"
    if isinstance(want, float | complex | np.generic):
        same = np.asarray(got).tobytes() == np.asarray(want).tobytes() or (got != got and want != want)
        return None if same else f"{at}: {got!r} is not {want!r}"
    if isinstance(want, int | str | bytes | None | type | types.FunctionType | types.ModuleType):
        same = got == want or not isinstance(want, int | str | bytes)
        return None if same else f"{at}: {got!r} is not {want!r}"
    if id(want) in seen:
        return None if seen[id(want)] == id(got) else f"{at}: the parts are not shared as they were"
    seen[id(want)] = id(got)
    if isinstance(want, np.ndarray):
        if got.dtype != want.dtype or got.shape != want.shape or got.tobytes() != want.tobytes():
            return f"{at}: {got!r} is not {want!r}"
        return difference(got.base, want.base, f"{at}.base", seen) if isinstance(want.base, np.ndarray) else None
    for key, ours, theirs in paired_parts(got, want):
        found = difference(ours, theirs, f"{at}{key}", seen)
        if found is not None:
            return found
    return None


def paired_parts(got: Any, want: Any) -> Iterator[tuple[str, Any, Any]]:
    """The parts of two containers or objects of one type, side by side, in order."""
    if isinstance(want, dict):
        yield " keys", repr(list(got)), repr(list(want))
        yield from ((f"[{k!r}]", got.get(k), v) for k, v in want.items())
    elif isinstance(want, set | frozenset):
        yield " members", repr(sorted(map(repr, got))), repr(sorted(map(repr, want)))
    elif hasattr(want, "__len__") and hasattr(want, "__getitem__"):
        yield " length", len(got), len(want)
        yield from ((f"[{k}]", got[k], want[k]) for k in range(len(want)))
    names = attributes_of(want)
    yield " attributes", repr(attributes_of(got)), repr(names)
    yield from ((f".{n}", getattr(got, n), getattr(want, n)) for n in names)


def attributes_of(x: Any) -> list[str]:
    slots = (name for base in type(x).__mro__ for name in vars(base).get("__slots__", ()))
    return sorted({*getattr(x, "__dict__", ()), *(n for n in slots if n[0] != "_" and hasattr(x, n))})


def same(got: Any, want: Any, at: str) -> None:
    found = difference(got, want, at, {})
    if found is not None:
        raise Wrong(found)


# -- the oracles ----------------------------------------------------------------------------------------------------


def direction_of(args: tuple, rng: np.random.Generator) -> dict[tuple, Any]:
    """A random direction: for every leaf of the arguments, by its path."""

    def component(leaf: Any) -> Any:
        shape = np.shape(leaf)
        made = rng.uniform(0.5, 1.0, shape) * rng.choice([-1.0, 1.0], shape)
        return made + 1j * rng.uniform(0.5, 1.0, shape) if np.iscomplexobj(leaf) else made

    return {path: component(leaf) for path, leaf in leaves(args)}


def moved(args: tuple, direction: dict[tuple, Any], h: complex) -> tuple:
    """The arguments (ours) a step along the direction; in double precision."""
    for path, d in direction.items():
        leaf = at_path(args, path)
        if isinstance(leaf, np.ndarray):
            wide = np.result_type(leaf.dtype, np.float64, np.asarray(h).dtype)
            shifted = leaf.astype(wide)  # laid out alike, which some functions look at
            shifted += h * d
            args = replaced(args, path, shifted)
        else:
            args = replaced(args, path, type(leaf)(leaf + h * d) if isinstance(h, float) else leaf + h * d)
    return args


def along(g: tuple, direction: dict[tuple, Any]) -> float:
    """The derivative in a direction, by the gradient."""
    total = 0.0
    for path, d in direction.items():
        bar = at_path(g, path)
        if bar is not None:
            total += float(np.real(np.sum(np.conj(np.asarray(bar, complex)) * d)))
    return total


class Differences:
    """Central differences of one program in one direction, extrapolated once."""

    def __init__(self, value: Callable[[float], float]):
        self.value = value

    def central(self, h: float) -> float:
        def half(h: float) -> float:
            return (self.value(h) - self.value(-h)) / (2 * h)

        return (4 * half(h / 2) - half(h)) / 3

    def settled(self, rtol: float) -> float | None:
        """The derivative, where two steps agree on it; None at a jump."""
        found: list[float] = []
        for h in STEPS:
            d = self.central(h)
            if not math.isfinite(d):
                return None
            for other in found:
                if abs(d - other) <= rtol * max(abs(d), abs(other)) + ATOL:
                    return other
            found.append(d)
        return None

    def has_kink(self) -> bool:
        """Whether the slopes to the left and to the right differ."""
        here = self.value(0.0)
        bends = []
        for h in (1e-4, 1e-6):
            left, right = here - self.value(-h), self.value(h) - here
            bends.append(abs(right - left) / h)
        return bends[1] > max(1e-6, 0.1 * bends[0])


def complex_step(module: Module, plain: float, direction: dict[tuple, Any], rough: float) -> float | None:
    """The derivative by a complex step; None where the program is not one for complex numbers.

    It is one if nothing raises and the derivative is the `rough` one of differences, which know no such limits.
    """
    if NOT_ANALYTIC.search(module.source):
        return None
    h = 1e-30
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            namespace = module.load(math=ComplexMath)
            y = namespace["program"](*moved(namespace["arguments"](), direction, 1j * h))
    except Exception:  # it compares, or writes into real memory
        return None
    if not isinstance(y, complex) or abs(y.real - plain) > 1e-10 * max(1.0, abs(plain)):
        return None
    exact = y.imag / h
    return exact if abs(exact - rough) <= RTOL * max(1.0, abs(exact)) else None


class ComplexMath:
    """The functions of `math` that the programs use, for complex numbers."""

    sin, cos, tan, tanh, exp, sqrt, pi, e = np.sin, np.cos, np.tan, np.tanh, np.exp, np.sqrt, math.pi, math.e
    log, atan, sinh, cosh = np.log, np.arctan, np.sinh, np.cosh

    @staticmethod
    def fsum(items: Any) -> Any:
        return sum(items)


# -- one program ----------------------------------------------------------------------------------------------------


@contextmanager
def quiet() -> Iterator[None]:
    """Overflows and the like are the programs' own business."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TimedOut` after a while, where the system has alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(signum: int, frame: Any) -> None:
        raise TimedOut

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def check(source: str, seconds: float = 60.0) -> Verdict:
    """Run one program plainly and differentiated, and compare."""
    try:
        module = Module(source)
    except SyntaxError as error:
        return Verdict("skipped", f"no program: {error.msg}")
    try:
        with quiet(), limited(seconds):
            return compare(module)
    except Wrong as wrong:
        return Verdict("wrong", str(wrong))
    except morula.MorulaError as error:
        return Verdict("refused", f"{type(error).__name__}: {error}")
    except TimedOut:
        return Verdict("skipped", "takes too long")
    finally:
        module.forget()


def differentiated(verb: Callable, *args: Any) -> Any:
    """An exception that the plain run did not raise is wrong, unless it refuses."""
    try:
        return verb(*args)
    except morula.MorulaError:
        raise
    except Exception as error:
        raise Wrong(f"{getattr(verb, '__name__', verb)} raised {type(error).__name__}: {error}") from error


def compare(module: Module) -> Verdict:
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
    return compare_gradient(module, y, g)


def compare_as_large(module: Module, want: tuple, g: tuple) -> None:
    """The same when every array counts as a large one, whose memory is used again or given back early."""
    before = {m: m.LARGE for name, m in sys.modules.items() if name.startswith("morula.") and hasattr(m, "LARGE")}
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
        same(args, module.load()["arguments"](), "arguments after an exception")
        same(data_of(namespace), data_of(plain), "globals after an exception")
    return Verdict("right", raised=True)


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
