"""What derivatives are compared with: central differences and complex steps along a random direction."""

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from structures import at_path, leaves, replaced

from .program import Module

STEPS = (1e-4, 1e-5, 1e-3)
RTOL, ATOL = 2e-6, 1e-7  # of a directional derivative
NOT_ANALYTIC = re.compile(r"abs|real|imag|conj|norm|vdot|hypot|angle|phase|copysign")


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
