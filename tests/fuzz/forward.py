"""Forward mode, second and third derivatives of one program, against its gradient and differences of gradients."""

import math
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import nestings
import numpy as np
from structures import at_path, leaves

import morula

from .oracles import Differences, moved
from .program import Module, Wrong, data_of, differentiated, same

RTOL = 1e-9  # of what both modes compute, beside the terms of their sum
RTOL_SINGLE = 2e-3
RTOL_SECOND = 1e-5
STEEPEST = 1e6
SHARE = 4  # one program of so many has its second derivatives compared
SHARE_OF_THIRD = 4  # and one of so many of these its third


class Forgetful:
    """A log that keeps nothing: what a function writes cannot be run again to be differentiated once more."""

    def append(self, item: Any) -> None:
        pass


def is_chosen(source: str) -> bool:
    """Whether the second derivatives of a program are compared: always the same ones."""
    return zlib.crc32(source.encode()) % SHARE == 0


def compare_forward(module: Module, want: tuple, g: tuple) -> str:
    """The jvp of a program: value and effects as the plain run's (`want`), tangent as the gradient says.

    Returns why it was refused, or an empty string.
    """
    namespace = module.load()
    args = namespace["arguments"]()
    v = nestings.direction(args, np.random.default_rng(1))
    try:
        y, y_dot = differentiated(jvp, namespace["program"], *args)
    except morula.MorulaError as error:
        return refusal(error)
    same((y, data_of(namespace)), (want[0], want[2]), "(value, globals) of jvp")
    same(args, module.load()["arguments"](), "arguments after jvp")
    if not isinstance(y_dot, float):
        raise Wrong(f"jvp: the tangent {y_dot!r} is of {type(y_dot).__name__}")
    by_gradient = nestings.inner(g, v)
    rtol = RTOL_SINGLE if "F32" in without_its_definition(module.source) else RTOL
    if math.isfinite(y) and not close(y_dot, by_gradient, rtol * max(1.0, size_of(g))):
        raise Wrong(f"jvp: {y_dot!r} in a direction, {by_gradient!r} by the gradient")
    return ""


def compare_second_order(module: Module, third_order: bool = False) -> tuple[str, ...]:
    """The derivative of the gradient along one direction, times another, by all nestings and by differences.

    `third_order`: whether to compare third derivatives in any case, and not only of a share of the programs.

    Returns why nestings were refused. Nothing is compared where differences do not settle: near a kink, say.
    """
    if "F32" in without_its_definition(module.source):
        return ()
    arguments = module.load()["arguments"]()
    rng = np.random.default_rng(2)
    v, w = nestings.direction(arguments, rng), nestings.direction(arguments, rng)
    want = second_derivative(module, v, w)
    if want is None:
        return ("second order: differences do not settle",)
    refused = []
    for name, nesting in nestings_of(v, w):
        namespace = module.load(LOG=Forgetful())
        try:
            got = differentiated(nesting, namespace["program"], namespace["arguments"]())
        except morula.MorulaError as error:
            refused.append(f"{name}: {refusal(error)}")
            continue
        except Wrong as wrong:
            raise Wrong(str(wrong).replace("nesting raised", f"second order, {name}, raised")) from wrong
        if not close(got, want, RTOL_SECOND * max(1.0, abs(want))):
            raise Wrong(f"second order, {name}: {got!r} along two directions, {want!r} by differences of gradients")
    if not refused and (third_order or zlib.crc32(module.source.encode()) // SHARE % SHARE_OF_THIRD == 0):
        refused += compare_third_order(module, v, w)
    return tuple(refused)


def compare_third_order(module: Module, v: tuple, w: tuple) -> list[str]:
    """The derivative along `v` of the products of the Hessian with `v`, times `w`: of each nesting by differences."""

    def product(h: float) -> float:
        namespace = module.load(LOG=Forgetful())
        args = moved(namespace["arguments"](), direction, h)
        return float(nestings.inner(hessian_product(namespace["program"], args, v), w))

    direction = {path: at_path(v, path) for path, _ in leaves(module.load()["arguments"]())}
    try:
        differences = Differences(product)
        want = differences.settled(RTOL_SECOND / 10)
        if want is None or abs(want) > STEEPEST or differences.has_kink():
            return ["third order: differences do not settle"]
    except Exception as error:
        return [f"third order: a step away {type(error).__name__}"]
    refused = []
    for name, nesting in third_nestings(v, w):
        namespace = module.load(LOG=Forgetful())
        try:
            got = differentiated(nesting, namespace["program"], namespace["arguments"]())
        except morula.MorulaError as error:
            refused.append(f"third order, {name}: {refusal(error)}")
            continue
        except Wrong as wrong:
            raise Wrong(str(wrong).replace("nesting raised", f"third order, {name}, raised")) from wrong
        if not close(got, want, RTOL_SECOND * max(1.0, abs(want))):
            raise Wrong(f"third order, {name}: {got!r} along three directions, {want!r} by differences of products")
    return refused


def hessian_product(f: Callable, args: tuple, v: tuple) -> tuple:
    return morula.jvp(lambda *a: morula.gradient(f, *a), args, v)[1]


def third_nestings(v: tuple, w: tuple) -> Iterator[tuple[str, Callable]]:
    def outer_forward(f: Callable, args: tuple) -> float:
        return nestings.inner(morula.jvp(lambda *a: hessian_product(f, a, v), args, v)[1], w)

    def outer_reverse(f: Callable, args: tuple) -> float:
        return nestings.inner(morula.gradient(lambda *a: nestings.inner(hessian_product(f, a, v), v), *args), w)

    def all_reverse(f: Callable, args: tuple) -> float:
        def along_gradient(*a: Any) -> Any:
            return nestings.inner(morula.gradient(f, *a), v)

        def along_product(*a: Any) -> Any:
            return nestings.inner(morula.gradient(along_gradient, *a), v)

        return nestings.inner(morula.gradient(along_product, *args), w)

    yield "forward over forward over reverse", outer_forward
    yield "reverse over forward over reverse", outer_reverse
    yield "reverse over reverse over reverse", all_reverse


def nestings_of(v: tuple, w: tuple) -> Iterator[tuple[str, Callable]]:
    """What makes the second derivative of a program along `v` and `w`, in all nestings."""

    for k, (name, _) in enumerate(nestings.second_order(None, None, None)):

        def nesting(f: Callable, args: tuple, k: int = k) -> float:
            return nestings.inner(list(nestings.second_order(f, args, v))[k][1](*args), w)

        yield name, nesting

    def nesting(f: Callable, args: tuple) -> float:
        return morula.jvp(lambda *a: morula.jvp(f, a, v)[1], args, w)[1]

    yield "forward over forward", nesting


def second_derivative(module: Module, v: tuple, w: tuple) -> float | None:
    """By differences of gradients; None where two steps do not agree on it, or the slopes of two sides."""

    arguments = module.load()["arguments"]()
    direction = {path: at_path(v, path) for path, _ in leaves(arguments)}

    def value(h: float) -> float:
        namespace = module.load()
        args = moved(namespace["arguments"](), direction, h)
        return float(nestings.inner(morula.gradient(namespace["program"], *args), w))

    differences = Differences(value)
    try:
        want = differences.settled(RTOL_SECOND / 10)
        if want is None or abs(want) > STEEPEST or differences.has_kink():
            return None
    except Exception:  # a step away the program raises
        return None
    return want


def jvp(f: Callable, *args: Any) -> Any:
    """Along some direction."""
    return morula.jvp(f, args, nestings.direction(args, np.random.default_rng(1)))


def refusal(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def close(got: float, want: float, tolerance: float) -> bool:
    """Whether two numbers agree; infinities and NaN stand for whatever the other mode makes of a singular point."""
    return abs(got - want) <= tolerance if math.isfinite(got) and math.isfinite(want) else not math.isfinite(want)


def size_of(g: tuple) -> float:
    """The size of a gradient."""
    return sum(float(np.sum(np.abs(bar))) for path, bar in leaves(g))


def without_its_definition(source: str) -> str:
    return source.replace("F32 = np.float32", "")
