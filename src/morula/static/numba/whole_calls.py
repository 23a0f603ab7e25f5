"""A compiled function inside a program of which second derivatives are taken: its call is one operation.

What the walks over a recorded program (`morula.verbs.curvature`) need of it are its gradient at the point, and products
of its Hessian with directions; so does a backward pass over a forward one.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from morula.eager.context.protocol import Context
from morula.static.numba.second_order import second_order
from morula.static.tiers.kernel_table import at, is_of_compiler, kernels_for
from morula.static.tiers.programs import NativeProgram
from morula.static.unsupported import Unsupported

Pair = tuple[Any, Any]
R = TypeVar("R")


def compiled_or_none(make: Callable[[], R]) -> R | None:
    """What is made of generated code; None where that cannot be had."""
    try:
        return make()
    except Unsupported:
        return None
    except Exception as error:
        if is_of_compiler(error):
            return None
        raise


def whole_call(ctx: Context, f: Any, args: tuple, ds: tuple) -> Pair | None:
    """``f(*args)``, noted as one operation; None where the Python function is to be followed."""

    def made() -> NativeProgram | None:
        kernels = kernels_for(f, args, tuple([d is not None for d in ds]))
        if kernels is None or not is_plain(kernels):
            return None
        return NativeProgram(kernels, second_order(kernels, args), args)

    found = compiled_or_none(made)
    if found is None or type(found.value) is not float:
        return None
    shadows = []
    for leaf in found.leaves:
        d = ds[leaf.argument]
        for i in leaf.path:
            d = None if d is None else d[i]
        if d is None and leaf.is_array:
            d = ctx.buffers.find(at(args, (leaf.argument, *leaf.path)))
        shadows.append(d)
    y_d = [0]
    ctx.recording.add("whole", found, found.value, y_d, (), tuple(shadows))
    return found.value, y_d


def is_plain(kernels: Any) -> bool:
    """Whether a second run does what the first one did, and all it does is to give one number."""
    value = kernels.value_leaves
    is_one = len(value) == 1 and not value[0].is_array and not value[0].path
    return is_one and not kernels.written and not kernels.frozen and kernels.is_repeatable


def call_along(ctx: Context, f: Any, args: tuple, ds: tuple) -> Pair | None:
    """``f(*args)`` while one forward derivation goes on inside a backward one; None as in `whole_call`.

    One run of the adjoint's tangent function gives what both ask for: with the gradient g, the Hessian H, and the
    tangent v of the arguments, the value has the tangent ``g @ v``, whose gradient with respect to the arguments is ``H
    @ v``.
    """
    dots = [None if d is None else ctx.dots(0, a, d) for a, d in zip(args, ds, strict=True)]

    def made() -> tuple | None:
        kernels = kernels_for(f, args, tuple([d is not None for d in ds]))
        if kernels is None or not is_plain(kernels) or any(leaf.path for leaf in kernels.leaves):
            return None
        places = [leaf.argument for leaf in kernels.leaves]
        direction = [np.zeros(np.shape(args[i])) if (p := dots[i]) is None else p[0] for i in places]
        return places, direction, *second_order(kernels, args).along(args, direction)

    run = compiled_or_none(made)
    if run is None:
        return None
    places, direction, y, y_dot, bars, products = run
    if type(y) is not float or not all(np.isfinite(x).all() for x in (y, y_dot, *bars, *products)):
        return None

    def of_value(*_: Any) -> tuple[Any, Callable]:
        return y, lambda y_bar: tuple([y_bar * g for g in bars])

    def of_tangent(*_: Any) -> tuple[Any, Callable]:
        return y_dot, lambda y_bar: tuple([y_bar * part for part in (*products, *bars)])

    given, given_d = tuple([args[i] for i in places]), tuple([ds[i] for i in places])
    before = ctx.descend(0)
    try:
        found = ctx._rule_result(f, of_value, given, given_d, {}, False)
        along_d = tuple([None if (p := dots[i]) is None else p[1] for i in places])
        tangent = ctx._rule_result(f, of_tangent, (*given, *direction), (*given_d, *along_d), {}, False)
    finally:
        ctx.descend(before)
    assert found is not None and tangent is not None
    if any(p is not None for p in dots):
        ctx.set_dot(0, *found, *tangent, True)
    return found
