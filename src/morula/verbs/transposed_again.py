"""The tangent of a tangent that was found by transposing, for derivatives of the third order and more.

It is written with the verbs: while derivations are followed, the engine differentiates it as any other program.
"""

from typing import Any

import numpy as np

from morula.eager.calls.registry import TANGENTS
from morula.eager.context.protocol import Context
from morula.eager.forward.transposed import Transposition, transpose
from morula.verbs.directional import jvp
from morula.verbs.gradients import gradient

Pair = tuple[Any, Any]


def transposed_again(how: Transposition, primals: tuple, dots: tuple, primals_dot: tuple, dots_dot: tuple) -> tuple:
    """The change of `transpose`'s value along the tangents of its arguments: a gradient, too."""

    def slope(*parts: Any) -> Any:
        def product(primals: tuple, dots: tuple) -> Any:
            return how.product(parts, primals, dots)

        return jvp(product, (primals, dots), (primals_dot, dots_dot))[1]

    bars = gradient(slope, *how.seed.parts)
    return tuple([np.zeros_like(s) if bar is None else bar for bar, s in zip(bars, how.seed.parts, strict=True)])


def tangent_of_transposed(ctx: Context, args: tuple, shadows: tuple, dots: list, y: Any, pullback: Any) -> Pair:
    """As an operation of a context."""
    how, primals, tangents = args
    p, p_d = dots[1] or (None, None)
    t, t_d = dots[2] or (None, None)
    _, primals_d, tangents_d = shadows
    given: tuple = (how, primals, tangents, p, t)
    if ctx.ops(ctx.depth) is not ctx:
        return transposed_again(*given), None
    return ctx.call(transposed_again, given, (None, primals_d, tangents_d, p_d, t_d))


TANGENTS[transpose] = tangent_of_transposed
