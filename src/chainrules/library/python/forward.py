"""Forward rules for Python's builtins, `math`, `cmath` and `operator`.

A function that returns one number has the inner product of its gradient with the tangents.
"""

from __future__ import annotations

import builtins
import cmath
import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...lookup import frules_for, rules_for
from ...projection import project
from ...rules import frule
from ...tangents import ZeroTangent, is_absent
from ..forward import by_gradient, filled, forward
from ..numpy.forward_linalg import multilinear
from ..partials import NUMERIC, phase, remainder_dy
from . import math as _of_math  # noqa: F401  (the reverse rules)
from .items import is_sequence
from .operator import ARITHMETIC, COMPLEX, REAL_ARITHMETIC, _reads_plainly

ONE_NUMBER: tuple[Any, ...] = (
    pow, float, complex, math.dist, math.fsum, math.hypot, math.log, math.nextafter, math.prod, cmath.log,
    cmath.phase, *([math.sumprod] if hasattr(math, "sumprod") else []),
)  # fmt: skip
for f in ONE_NUMBER:
    by_gradient(f)


@forward(round)
def round_forward(y: Any, dots: Any, *args: Any, **options: Any) -> Any:
    """Zero."""
    return 0.0


@forward(sum, 0, 1)
def sum_forward(y: Any, dots: Any, xs: Any, start: Any = 0, **options: Any) -> Any:
    """The sum of the tangents."""
    xs_dot, start_dot = dots
    return sum([] if xs_dot is None else filled(xs, xs_dot), 0.0 if start_dot is None else start_dot)


@forward(sorted)
def sorted_forward(y: Any, dots: Any, xs: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """The tangents in the order of the items."""
    order = sorted(range(len(xs)), key=xs.__getitem__ if key is None else lambda i: key(xs[i]), reverse=reverse)
    return [filled(xs, dots[0])[i] for i in order]


def _selection(name: str) -> None:
    pick: Any = getattr(builtins, name)
    for found in rules_for(pick):

        def rule(primals: Any, tangents: Any, /, _call: Any = found.function, **options: Any) -> Any:
            """The tangent of the item that the reverse rule takes the value from."""
            answer = _call(*primals, **options)
            if answer is NotImplemented:
                return answer
            y, pullback = answer
            bars, xs, dots = pullback(True), primals, tangents
            if len(primals) == 1:
                (xs,), (dots,) = primals, tangents
                bars = bars[0] if isinstance(bars, tuple) else bars
            if is_absent(dots) or is_absent(list(bars)):
                return y, ZeroTangent()
            at = next(i for i, bar in enumerate(bars) if bar is not None)
            return y, filled(xs[at], dots[at])

        frule(pick, *found.types)(rule)


_selection("max")
_selection("min")


@forward(divmod, 0, 1)
def divmod_forward(y: Any, dots: Any, a: Any, b: Any) -> Any:
    """Zero to the quotient; to the remainder ``a_dot - floor(a / b) b_dot``."""
    a_dot, b_dot = dots
    r_dot = 0.0 if a_dot is None else a_dot
    return 0.0 * y[0], r_dot if b_dot is None else r_dot + remainder_dy(None, a, b) * b_dot


@forward(math.modf)
def modf_forward(y: Any, dots: Any, x: Any) -> Any:
    """The fractional part moves with ``x``, the integer part does not."""
    return dots[0], 0.0


@forward(math.frexp)
def frexp_forward(y: Any, dots: Any, x: Any) -> Any:
    """``x_dot 2**-e``; in two steps, for the power alone may leave the range."""
    e = y[1]
    return dots[0] / math.ldexp(1.0, e // 2) / math.ldexp(1.0, e - e // 2), None


# -- complex numbers --------------------------------------------------------------------------------------


def modulus_forward(primals: Any, tangents: Any, f: Any = abs) -> Any:
    """``Re(conj(z) z_dot)/|z|``, 0 at 0."""
    (z,), (z_dot,) = primals, tangents
    if isinstance(z, np.ndarray) and z.dtype.kind != "c":
        return NotImplemented
    y = f(z)
    if is_absent(z_dot):
        return y, ZeroTangent()
    return y, (np.conj(phase(y, z)) * filled(z, z_dot)).real


frule(abs, COMPLEX)(modulus_forward)
frule(operator.abs, COMPLEX)(modulus_forward)


def _turned(z: Any, z_dot: Any) -> float:
    """``Im(z_dot / z)``, 0 at 0."""
    r = abs(z)
    return (z_dot * complex(z).conjugate() / r / r).imag if r else 0.0


@forward(cmath.polar)
def polar_forward(y: Any, dots: Any, z: Any) -> Any:
    """``Re(conj(z) z_dot)/|z|`` and ``Im(z_dot/z)``."""
    turn = phase(y[0], z)
    return (complex(turn).conjugate() * dots[0]).real, _turned(z, dots[0])


@forward(cmath.rect, 0, 1)
def rect_forward(y: Any, dots: Any, r: Any, angle: Any) -> Any:
    """``(r_dot + i r angle_dot) exp(i angle)``."""
    r_dot, angle_dot = [0.0 if t is None else t for t in dots]
    return cmath.rect(1.0, angle) * complex(r_dot, r * angle_dot)


# -- operators --------------------------------------------------------------------------------------------


def _in_place(f: Any, value_form: Any) -> None:
    (value_rule,) = frules_for(value_form)

    @frule(f, NUMERIC, NUMERIC)
    def rule(primals: Any, tangents: Any) -> Any:
        """Of immutable numbers the value form; an array is written into, which is an engine's."""
        return NotImplemented if isinstance(primals[0], np.ndarray) else value_rule.function(primals, tangents)


for value_form, in_place, *_ in [*ARITHMETIC, *REAL_ARITHMETIC]:
    _in_place(in_place, value_form)
multilinear(operator.matmul, 2, *[rule.types for rule in rules_for(operator.matmul)])


@forward(operator.concat, 0, 1)
def concat_forward(y: Any, dots: Any, a: Any, b: Any) -> Any:
    """The tangents one after the other."""
    return type(y)([*filled(a, dots[0]), *filled(b, dots[1])])


def item_forward(x: Any, x_dot: Any, get: Any) -> Any:
    """What ``get`` reads from the tangent of a container."""
    if isinstance(x, Mapping):
        return get({key: filled(v, x_dot.get(key)) for key, v in x.items()})
    return get(filled(x, x_dot))


@forward(operator.getitem)
def getitem_forward(y: Any, dots: Any, x: Any, index: Any) -> Any:
    """The item of the tangent."""
    return item_forward(x, dots[0], lambda t: t[index])


@frule(operator.itemgetter, instances=True)
def itemgetter_forward(primals: Any, tangents: Any) -> Any:
    """The items of the tangent."""
    (get, x), (_, x_dot) = primals, tangents
    if not _reads_plainly(x):
        return NotImplemented
    y = get(x)
    return y, ZeroTangent() if is_absent(x_dot) else project(item_forward(x, x_dot, get), y)


# -- containers -------------------------------------------------------------------------------------------


def _container(kind: Any) -> None:
    @frule(kind)
    def rule(primals: Any, tangents: Any) -> Any:
        """The tangents of the items; an iterator is gone when it has been walked."""
        if not primals:
            return kind(), ZeroTangent()
        if not is_sequence(primals[0]):
            return NotImplemented
        y = kind(primals[0])
        return y, ZeroTangent() if is_absent(tangents[0]) else kind(filled(primals[0], tangents[0]))


_container(list)
_container(tuple)
