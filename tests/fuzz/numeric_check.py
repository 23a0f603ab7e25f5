"""One program in Numba's subset: the compiled adjoint, the eager tier on the twin, and differences must agree.

The program is written to a file, since that is where source is read from. It is judged at several sizes, which share
what was compiled; `native_helpers` has the comparisons.
"""

import ast
import importlib.util
import itertools
import math
import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import native_helpers as native
import numpy as np
from structures import leaves

import morula
from chainrules.testing.comparing import Unjudged

from .check import Verdict, limited, quiet
from .interpreted import interpreted
from .numeric_grammar import SIZES
from .oracles import RTOL, Differences
from .program import TimedOut

NUMBERS = itertools.count()
PARTS = ("split", "tangent", "integers", "lanes", "second order")  # compared beside the joint adjoint
STEEPEST = 1e7
LIMIT: float | None = 120.0  # seconds of the process for one program; None for as long as it takes
LARGEST = 1e6  # values above that are not well conditioned


@dataclass
class Skipped(Exception):
    """Nothing can be said about a program."""

    why: str


def check(
    source: str,
    folder: Path,
    sizes: tuple[int, ...] = SIZES,
    differences: bool = True,
    compiled: bool = True,
    parts: tuple[str, ...] = PARTS,
) -> Verdict:
    """Judge one program at every size.

    Args:
        source: a module with ``program(...)`` and ``arguments(n)``.
        folder: where its file goes.
        differences: compare with central differences, too (at the first size).
        compiled: whether Numba compiles the program and its adjoints. Otherwise Python runs them; only where something
            is wrong then they are compiled after all, and judged again.
        parts: what is compared beside the joint adjoint.
    """
    if compiled:
        return judged(source, folder, sizes, differences, compiled, parts)
    with interpreted():
        verdict = judged(source, folder, sizes, differences, compiled, parts)
    if verdict.kind != "wrong":
        return verdict
    again = judged(source, folder, sizes, differences, True, parts)
    said = "" if again.kind == "wrong" else f"wrong if Python runs it: {verdict.message}"
    return replace(again, notes=(*again.notes, *([said] if said else [])))


def judged(
    source: str,
    folder: Path,
    sizes: tuple[int, ...],
    differences: bool,
    compiled: bool,
    parts: tuple[str, ...] = PARTS,
) -> Verdict:
    """Of one program in one way."""
    filename = folder / f"program_{next(NUMBERS)}.py"
    filename.write_text(source, encoding="utf-8")
    try:
        with quiet(), limited(LIMIT, of_process=True) if LIMIT else nullcontext():
            single = "F32" in source.partition("def program")[2]
            return compare(load(filename), single, sizes, differences, compiled, parts)
    except Skipped as skipped:
        return Verdict("skipped", skipped.why)
    except TimedOut:
        return Verdict("skipped", "takes too long")
    except AssertionError as wrong:
        return Verdict("wrong", str(wrong))
    except Exception as error:
        return Verdict("wrong", f"raised {type(error).__name__}: {first_line(error)}")
    finally:
        native.twin_of.cache_clear()
        sys.modules.pop(filename.stem, None)
        filename.unlink()


def load(filename: Path) -> Any:
    try:
        spec = importlib.util.spec_from_file_location(filename.stem, filename)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # without which Numba cannot link functions that call themselves
        spec.loader.exec_module(module)
    except Exception as error:
        raise Skipped(f"no program: {type(error).__name__}") from error
    return module


def first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


def compare(
    module: Any, single: bool, sizes: tuple[int, ...], differences: bool, compiled: bool, parts: tuple[str, ...]
) -> Verdict:
    notes: list[str] = []
    judged = fallen = 0
    why = ""
    for n in sizes:
        arguments = module.arguments(n)
        if n < 2 and changes_its_types(module, arguments):
            continue
        try:
            first = differences and n == sizes[0]
            fell_back, note = compare_at(module.program, arguments, single, first, compiled, parts)
        except Skipped as skipped:
            why = skipped.why
            if n == sizes[0]:
                raise
            notes.append(why)
            continue
        except AssertionError as wrong:
            raise AssertionError(f"{wrong}, n = {n}") from wrong
        judged += 1
        fallen += bool(fell_back)
        notes += [note] if note else []
        if fell_back:
            return Verdict("refused", fell_back, notes=tuple(dict.fromkeys(notes)))
    return Verdict("right" if judged else "skipped", "" if judged else why, notes=tuple(dict.fromkeys(notes)))


def changes_its_types(module: Any, arguments: tuple) -> bool:
    """Arrays of at most one element are contiguous, whatever their strides: another compilation."""
    numba = sys.modules["numba"]
    return any(numba.typeof(a) != numba.typeof(b) for a, b in zip(arguments, module.arguments(5), strict=True))


def compare_at(
    f: Any, args: tuple, single: bool, differences: bool, compiled: bool, parts: tuple[str, ...]
) -> tuple[str, str]:
    """Why it fell back, if it did, and a note; at one size."""
    try:
        of = f if compiled else native.twin(f)
        at = native.point(of, args, native.twin(f), native.RTOL_SINGLE if single else None)._replace(f=f)
    except Exception as error:
        numbas = type(error).__module__.startswith("numba")
        what = f"does not compile: {summary(error)}" if numbas else f"raises {type(error).__name__}: {error}"
        raise Skipped(what) from error
    largest = max((float(np.max(np.abs(leaf), initial=0.0)) for _, leaf in leaves((at.y, at.after))), default=0.0)
    if not largest < LARGEST:
        raise Skipped("large values")
    try:
        native.compare_values(at.plain(*native.copied(args)), at.y, "value", 1e-3 if single else 1e-8)
    except AssertionError as error:
        raise Skipped(f"Numba computes something else than Python: {str(error)[:300]}") from error
    except Exception as error:
        raise Skipped(f"the twin raises {type(error).__name__}: {error}") from error

    eager, note = None, ""
    try:
        eager = native.eager_gradient(at, same_value=False)
    except morula.MorulaError as error:
        note = f"eager: {type(error).__name__}: {first_line(error)}"
    fell_back = ""
    found: dict[str, dict] = {}
    try:
        found = native.native_gradients(at, is_split="split" in parts)
    except native.Unsupported as error:
        fell_back = f"falls back: {error.construct}"
    except AssertionError as wrong:
        raise AssertionError(f"native: {wrong}") from wrong
    except Exception as error:
        raise AssertionError(f"native raised {type(error).__name__}: {summary(error)}") from error
    if found and "tangent" in parts and (message := off_forward(at, found["joint"])):
        raise AssertionError(f"forward mode: {message}")
    if found and differences and eager is not None and "integers" in parts and (message := off_integers(at)):
        raise AssertionError(f"integers: {message}")
    if found and "lanes" in parts:
        note = note or off_lanes(at)
    if found and "second order" in parts:
        note = note or off_second(at, differences)
    slope = steepness(found or {"eager": eager or {}})
    if slope > STEEPEST:
        raise Skipped("too steep")
    settled = differences_of(at, of) if differences else None
    disagreements = []
    for name, g in {**found, **({"eager": eager} if eager is not None else {})}.items():
        if settled is not None and (message := off(g, settled)):
            disagreements.append(f"{name} disagrees with differences: {message}")
    if eager is not None:
        for name, g in found.items():
            try:
                native.compare(g, eager, max(at.rtol, 1e-8), f"{name} against eager")
            except AssertionError as error:
                disagreements.insert(0, str(error))
    if disagreements:
        raise AssertionError("; ".join(disagreements))
    if differences and settled is None:
        note = note or "differences do not settle"
    return fell_back, note


def off_integers(at: native.Point) -> str:
    """How a gradient with respect to integer arguments, too, disagrees with the eager tier."""
    places = [i for i, moves in enumerate(native.by_floats(at.args)) if not moves]
    try:
        kernels = native.kernels_of(at.f, native.copied(at.args), (True,) * len(at.args)) if places else None
    except native.Unsupported:
        return ""
    if kernels is None:
        return ""
    bars = native.bars_of(kernels, at)
    numbers = kernels.joint(native.copied(at.args), bars, native.seeds_of(kernels, at))[1]
    found = native.gradient_of(kernels, at, bars, numbers)
    eager = morula.gradient(at.loss(at.plain), *native.copied(at.args))
    wanted = {(i,): 0.0 if eager[i] is None else float(eager[i]) for i in places}
    try:
        native.compare(
            {path: found.get(path, 0.0) for path in wanted}, wanted, max(at.rtol, 1e-8), "integers against eager"
        )
    except AssertionError as error:
        return str(error)
    return ""


def off_forward(at: native.Point, g: dict) -> str:
    """How the tangent along a direction disagrees with the cotangents."""
    direction = native.weights_of(at.args, np.random.default_rng(2))
    try:
        dot, _ = native.tangent_of(at, direction, gaps=True)
    except native.Unsupported:
        return ""
    want = native.along(g, direction)
    scale = sum(float(np.sum(np.abs(np.asarray(g[p]) * d))) for p, d in direction.items())
    rtol = native.RTOL_SINGLE if at.rtol > native.RTOL else 1e-8
    is_right = abs(dot - want) <= rtol * max(1.0, abs(want), scale) or not math.isfinite(dot + want)
    return "" if is_right else f"{dot!r} is not {want!r}"


def off_lanes(at: native.Point) -> str:
    """Why there are no tangents along several directions at once; they are compared with those along each."""
    try:
        native.check_lanes(at)
    except native.Unsupported as error:
        return str(error.construct)
    except AssertionError as wrong:
        raise AssertionError(f"lanes: {wrong}") from wrong
    return ""


def off_second(at: native.Point, differences: bool) -> str:
    """Why there are no products of the Hessian with several directions at once; they are compared with those with one.

    The first one is compared with differences of gradients, too.
    """
    try:
        direction, product, kernels = native.check_products(at)
    except native.Unsupported as error:
        return f"second order: {error.construct}"
    except AssertionError as wrong:
        raise AssertionError(f"second order: {wrong}") from wrong
    slope = Differences(native.slope_of(at, kernels, direction))
    try:
        want = slope.settled(RTOL) if differences else None
        if want is None or slope.has_kink():
            return ""
    except (ArithmeticError, ValueError, Unjudged):
        return ""
    got = native.along(product, direction)
    scale = sum(float(np.sum(np.abs(np.asarray(product[p]) * d))) for p, d in direction.items())
    if not abs(got - want) <= 10 * RTOL * max(1.0, abs(want), scale):
        raise AssertionError(f"second order: {got!r} is not {want!r}")
    return ""


def summary(error: Exception) -> str:
    """What Numba's long messages are about."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Failed in nopython", "File", "During", "<source", "^"))]
    return " / ".join(told[:3])[:300]


def steepness(found: dict[str, dict]) -> float:
    bars = [np.max(np.abs(bar), initial=0.0) for g in found.values() for bar in g.values()]
    return float(max(bars, default=0.0))


def differences_of(at: native.Point, f: Callable) -> tuple[dict, float, float] | None:
    """A direction, the derivative in it, and how far it may be off; None at kinks and jumps."""
    single = at.rtol > native.RTOL
    loss = at.loss(native.in_double(at) if single else f)
    args = native.doubled(at.args) if single else at.args
    direction = native.weights_of(args, np.random.default_rng(1))

    def value(h: float) -> float:
        return float(loss(*native.moved(args, direction, h)))

    rtol = native.RTOL_SINGLE if single else RTOL
    try:
        found = Differences(value)
        want = found.settled(rtol)
        if want is None or not math.isfinite(want) or found.has_kink():
            return None
    except (ArithmeticError, ValueError, Unjudged):
        return None
    return direction, want, rtol


def off(g: dict, settled: tuple[dict, float, float]) -> str:
    direction, want, rtol = settled
    got = native.along(g, direction)
    scale = sum(float(np.sum(np.abs(np.asarray(g[p]) * d))) for p, d in direction.items())
    return "" if abs(got - want) <= rtol * max(1.0, abs(want), scale) else f"{got!r} is not {want!r}"


def inputs(source: str) -> str:
    """The part of a module that makes the arguments, and the names of the parameters."""
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    if not {"arguments", "program"} <= functions.keys():
        return ""
    return ast.unparse(functions["arguments"]) + ast.unparse(functions["program"].args)


def smaller(source: str, folder: Path, until: Callable[[], bool]) -> tuple[str, str]:
    """A smaller program that fails alike, as far as there is time, and its message."""
    from .shrink import shrunk
    from .survey import signature

    def judge(candidate: str, differences: bool = True) -> Verdict:
        with nullcontext() if compiled else interpreted():
            return judged(candidate, folder, SIZES, differences, compiled)

    compiled = False
    first = judge(source)
    if first.kind != "wrong":
        compiled = True
        first = judge(source)
    before = signature(first)
    differences = "differences" in before
    given = inputs(source)

    def fails(candidate: str) -> bool:
        if until() or inputs(candidate) != given:  # arrays that overlap are none of the generated code's business
            return False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verdict = judge(candidate, differences)
        return verdict.kind == "wrong" and signature(verdict) == before

    best = shrunk(source, fails)
    return best, judge(best).message
