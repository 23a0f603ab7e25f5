"""Comparing a derivative with finite differences, and one value with another; what is said where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tangents import Tangent, unthunk
from .calling import name_of
from .finite_differences import OUTSIDE, Estimate, derivative
from .leaves import is_absent, is_inexact, leaves, path_text

__all__ = [
    "Tolerance",
    "Undefined",
    "Unjudged",
    "check_classes",
    "check_same",
    "check_space",
    "judge",
    "shortly",
    "told_where",
]


class Unjudged(AssertionError):
    """Differences cannot tell whether the rule is right at this point."""


class Undefined(Unjudged):
    """There are no values around the point."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far derivatives may differ, relative and absolute, and the first step of the differences."""

    rtol: float
    atol: float
    step: float

    def allowing_for(self, *values: Any) -> Tolerance:
        """Wide enough for the least precise number in the values."""
        kinds = {x.dtype for _, x in leaves(values, fields=True) if isinstance(x, (np.ndarray, np.generic))}
        if np.dtype(np.float16) in kinds:
            return Tolerance(max(self.rtol, 5e-2), max(self.atol, 1e-2), self.step)
        if kinds & {np.dtype(np.float32), np.dtype(np.complex64)}:
            return Tolerance(max(self.rtol, 1e-3), max(self.atol, 1e-4), self.step)
        return self


@contextmanager
def told_where(f: Any, args: Any, kwargs: Any, seed: int) -> Iterator[dict[str, str]]:
    """What goes wrong inside says for which function, rule, arguments and seed."""
    context: dict[str, str] = {}
    try:
        yield context
    except AssertionError as error:
        text, name = str(error), name_of(f)
        text = text if text.startswith(name) or text.startswith("no rule") else f"{name}: {text}"
        kind = type(error) if isinstance(error, Unjudged) else AssertionError
        raise kind(f"{text}{_details(args, kwargs, seed, context)}") from error.__cause__
    except Exception as error:
        error.add_note(f"in a test of the rule for {name_of(f)}{_details(args, kwargs, seed, context)}")
        raise


def _details(args: Any, kwargs: Any, seed: int, context: dict[str, str]) -> str:
    rule = f"\n  rule: {context['rule']}" if "rule" in context else ""
    with np.printoptions(threshold=20, edgeitems=2):
        shown = ", ".join([*map(shortly, args), *(f"{k}={shortly(v)}" for k, v in kwargs.items())])
    return f"{rule}\n  called with: ({shown}), seed={seed}"


def shortly(x: Any) -> str:
    """What a message shows of a value."""
    text = " ".join(repr(x).split())
    return text if len(text) <= 120 else text[:117] + "..."


def judge(
    where: str, got: float, phi: Callable[[float], float], tolerance: Tolerance,
    analytic: Callable[[], float] | None = None, who: str = "the rule",
) -> None:  # fmt: skip
    """Compare a derivative with that of ``phi`` at 0, by differences whose error is known.

    Raises:
        AssertionError: where they differ, and where the differences are too inaccurate to tell.
    """
    rtol, atol = tolerance.rtol, tolerance.atol
    found = derivative(phi, tolerance.step, rtol / 10, atol / 10)
    if found.error == float("inf"):
        raise Undefined(
            f"{where}: the function is not finite around this point; {who} says {got!r}. Choose another point"
        )
    if _agree(got, found, atol + rtol * abs(found.value)):
        return
    found = _reconsidered(phi, found, tolerance)
    allowed = atol + rtol * abs(found.value)
    if found.error > allowed and analytic is not None:
        found = _refined(found, analytic)
    if _agree(got, found, allowed):
        return
    if found.error > allowed and not abs(got - found.value) > 10 * found.error + allowed:
        raise Unjudged(
            f"{where}: finite differences are too noisy to judge: {found}; {who} says {got!r}. Is the function smooth "
            "here, and accurate? Choose another point, `step`, or wider tolerances"
        )
    raise AssertionError(f"{where}: {who} says {got!r}, finite differences {found}")


def _agree(got: float, found: Estimate, allowed: float) -> bool:
    return found.error <= allowed and abs(got - found.value) <= allowed + found.error


def _reconsidered(phi: Callable[[float], float], found: Estimate, tolerance: Tolerance) -> Estimate:
    """A second and a third opinion. A kink within reach of the first steps can look smooth, and so can rounded values.

    Closer by a kink is out of reach: then these two agree. Where they do not, what they differ by is noise.
    """
    allowed = tolerance.atol + tolerance.rtol * abs(found.value)
    if found.error > allowed:
        return found
    others = [derivative(phi, found.step * s, tolerance.rtol / 10, tolerance.atol / 10, 4) for s in (0.11, 0.037)]
    second, third = others
    if abs(second.value - third.value) <= allowed + min(second.error + third.error, 10 * allowed):
        return min(others, key=lambda e: e.error)
    spread = max(abs(e.value - found.value) for e in others)
    return Estimate(found.value, max(found.error, spread), found.step)


def _refined(found: Estimate, analytic: Callable[[], float]) -> Estimate:
    """A noisy estimate made exact by a complex step, where that confirms it: then the function is analytic."""
    try:
        value = analytic()
    except (TypeError, AttributeError, NotImplementedError, *OUTSIDE):
        return found
    if found.error <= 1e-2 * abs(value) and abs(value - found.value) <= 3 * found.error:
        return Estimate(value, 1e-14 * abs(value))
    return found


def check_same(what: str, got: Any, wanted: Any, rtol: float = 0.0, kinds: bool = True) -> None:
    """Two values have the same structure, types, shapes, dtypes, and numbers within ``rtol``."""
    mine, theirs = list(leaves(got)), list(leaves(wanted))
    if [p for p, _ in mine] != [p for p, _ in theirs] or (kinds and type(got) is not type(wanted)):
        raise AssertionError(f"{what}: {shortly(got)} ({type(got).__name__}) is not {shortly(wanted)}")
    for (path, a), (_, b) in zip(mine, theirs, strict=True):
        where = f"{what}{path_text(path)}"
        if kinds and type(a) is not type(b):
            raise AssertionError(f"{where}: {shortly(a)} is of {type(a).__name__}, not {type(b).__name__}")
        if isinstance(b, (np.ndarray, np.generic, float, complex, int)):
            if np.shape(a) != np.shape(b):
                raise AssertionError(f"{where}: shape {np.shape(a)} is not {np.shape(b)}")
            if kinds and getattr(a, "dtype", None) != getattr(b, "dtype", None):
                raise AssertionError(f"{where}: dtype {getattr(a, 'dtype', None)} is not {getattr(b, 'dtype', None)}")
            if not _equal(a, b, rtol):
                raise AssertionError(f"{where}: {a!r} is not {b!r}")
        elif isinstance(b, str) and a != b:
            raise AssertionError(f"{where}: {a!r} is not {b!r}")


def _equal(a: Any, b: Any, rtol: float) -> bool:
    dtype = getattr(b, "dtype", None)
    if dtype is not None and dtype.kind not in "fciub":
        return bool(np.all(a == b))
    if dtype is not None and dtype.kind in "fc":
        rtol = max(rtol, 16 * float(np.finfo(dtype).eps))
    return bool(np.allclose(a, b, rtol=rtol, atol=rtol, equal_nan=True))


def check_classes(where: str, bar: Any, x: Any) -> None:
    """The `Tangent` of an object is of its class: those of a base cannot be added to it."""
    bar = unthunk(bar)
    if isinstance(bar, Tangent) and bar.primal_type is not type(x):
        raise AssertionError(f"{where}: a Tangent of {name_of(bar.primal_type)} for an object of {name_of(type(x))}")
    if isinstance(x, (list, tuple)) and isinstance(bar, (list, tuple)):
        for i, (b, v) in enumerate(zip(bar, x, strict=False)):
            check_classes(f"{where}[{i}]", b, v)


def check_space(where: str, bar: Any, leaf: Any) -> None:
    """A cotangent that is there has the shape and, of an array, the dtype of what it belongs to."""
    if not is_inexact(bar):
        if not is_absent(bar) and not isinstance(bar, (int, float, complex, np.generic, np.ndarray)):
            raise AssertionError(f"{where}: {shortly(bar)} is no cotangent of {shortly(leaf)}")
        return
    if np.shape(bar) != np.shape(leaf):
        raise AssertionError(f"{where}: shape {np.shape(bar)} for a value of shape {np.shape(leaf)}")
    if isinstance(leaf, np.ndarray) and bar.dtype != leaf.dtype:
        raise AssertionError(f"{where}: dtype {bar.dtype} for a value of dtype {leaf.dtype}")
