"""What forward rules share: which tangents are there, and rules made of a function of the tangents alone.

The reverse rule of a function knows which of its options have no derivative. A forward rule made here asks it for the
value, and so refuses and declines the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..lookup import rules_for
from ..products import strong_mul
from ..projection import project
from ..rules import frule
from ..tangents import NotImplementedTangent, ZeroTangent, is_absent, unthunk

Forward = Callable[..., Any]


def filled(x: Any, x_dot: Any) -> Any:
    """A tangent without gaps: zeros of the shape of ``x`` where it is absent.

    >>> filled([1.0, np.ones(2)], [None, np.ones(2)])
    [0.0, array([1., 1.])]
    """
    if is_absent(x_dot):
        if isinstance(x, (list, tuple)):
            return type_of(x)([filled(v, None) for v in x])
        return np.zeros(np.shape(x), _tangent_type(x)) if isinstance(x, np.ndarray) else 0.0
    x_dot = unthunk(x_dot)
    if isinstance(x, (list, tuple)) and isinstance(x_dot, (list, tuple)):
        return type_of(x)([filled(v, d) for v, d in zip(x, x_dot, strict=True)])
    return x_dot


def _tangent_type(x: Any) -> Any:
    return x.dtype if x.dtype.kind in "fc" else np.float64


def array_dot(x: Any, x_dot: Any) -> Any:
    """The tangent of what ``np.asarray(x)`` is, as an array of its shape."""
    return np.broadcast_to(np.asarray(filled(x, x_dot)), np.shape(x))


def varies(x_dot: Any) -> bool:
    """Whether a tangent is anything else than zeros."""
    if isinstance(x_dot, (list, tuple)):
        return any(map(varies, x_dot))
    return not is_absent(x_dot) and (isinstance(x_dot, NotImplementedTangent) or bool(np.any(unthunk(x_dot))))


def unknown(x_dot: Any) -> NotImplementedTangent | None:
    """The first part of a tangent that nobody worked out."""
    if isinstance(x_dot, (list, tuple)):
        return next((found for found in map(unknown, x_dot) if found is not None), None)
    return x_dot if isinstance(x_dot, NotImplementedTangent) else None


def missing(name: str, tangents: tuple[Any, ...], *active: int) -> NotImplementedTangent | None:
    """What stands for the tangent of the value where another argument than the active ones varies, or one varies in a
    way that nobody worked out.
    """
    for i, x_dot in enumerate(tangents):
        if i in active:
            found = unknown(x_dot)
            if found is not None:
                return found
        elif varies(x_dot):
            return NotImplementedTangent(f"the forward rule for {name} has no derivative by argument {i}")
    return None


def takes_tangents(y: Any) -> bool:
    """Whether a value, or some part of it, is not integers, text or truth."""
    if isinstance(y, (list, tuple)):
        return any(map(takes_tangents, y))
    return bool(np.asarray(y).dtype.kind in "fcO")


def forward(f: Any, *active: int) -> Callable[[Forward], Forward]:
    """Declare a forward rule from ``tangent(y, dots, *args, **options)``; a decorator.

    Args:
        f: a function that has a reverse rule.
        active: the positions of the arguments that can vary, the first one alone where none is given. ``dots`` has one
            tangent for each of them, ``None`` where it is absent.

    What comes back is projected onto ``y``. ``NotImplemented`` declines.

    >>> def twice(x, times=2): return x * times
    >>> from chainrules import frules_for, rrule
    >>> _ = rrule(twice)(lambda x, times=2: (x * times, lambda y_bar: (y_bar * times, None)))
    >>> _ = forward(twice)(lambda y, dots, x, times=2: dots[0] * times)
    >>> frules_for(twice)[0].function((3.0, 2), (1.0, None))
    (6.0, 2.0)
    """
    places = active or (0,)

    def declare(tangent: Forward) -> Forward:
        def follow(y: Any, pullback: Any, tangents: Any, primals: Any, options: Any) -> Any:
            dots = tuple([_given(tangents, i) for i in places])
            if all(t is None for t in dots) or not takes_tangents(y):
                return ZeroTangent()
            y_dot = tangent(y, dots, *primals, **options)
            return y_dot if y_dot is NotImplemented else _fitted(y_dot, y)

        _beside_reverse(f, places, follow, tangent)
        return tangent

    return declare


def _beside_reverse(f: Any, active: tuple[int, ...], follow: Forward, wrapped: Forward) -> None:
    """Declare a forward rule for each reverse rule of ``f``, which is asked for the value.

    Args:
        f: the function.
        active: the positions of the arguments that can vary; none for all.
        follow: ``follow(y, pullback, tangents, primals, options)`` gives the tangent, or ``NotImplemented``.
        wrapped: what says what the rule does, and where it stands.
    """
    name = getattr(f, "__name__", str(f))
    for reverse in _rules(f):

        def rule(
            primals: tuple[Any, ...], tangents: tuple[Any, ...], /, _call: Any = reverse.function, **options: Any
        ) -> Any:
            answer = _call(*primals, **options)
            if answer is NotImplemented:
                return answer
            y, pullback = answer
            y_dot = missing(name, tangents, *(active or range(len(primals))))
            if y_dot is None:
                y_dot = follow(y, pullback, tangents, primals, options)
            return y_dot if y_dot is NotImplemented else (y, y_dot)

        rule.__doc__ = wrapped.__doc__
        rule.__wrapped__ = wrapped  # type: ignore[attr-defined]
        frule(f, *reverse.types)(rule)


def _rules(f: Any) -> tuple[Any, ...]:
    found = rules_for(f)
    if not found:
        raise LookupError(f"{f} has no reverse rule, or none yet")
    return found


def _given(tangents: tuple[Any, ...], i: int) -> Any:
    return None if i >= len(tangents) or is_absent(tangents[i]) else unthunk(tangents[i])


def _fitted(y_dot: Any, y: Any) -> Any:
    """A tangent in the space of the value; a narrower one is the same all over it."""
    if isinstance(y_dot, NotImplementedTangent) or y_dot is None:
        return y_dot
    if isinstance(y, (list, tuple)) and unknown(y_dot) is not None:
        return type_of(y)([_fitted(t, v) for t, v in zip(y_dot, y, strict=True)])
    if isinstance(y, np.ndarray) and np.ndim(y_dot) < y.ndim and not is_absent(y_dot):
        y_dot = np.broadcast_to(y_dot, y.shape)
    return project(y_dot, y)


def by_gradient(f: Any, *active: int) -> None:
    """Declare the forward rule of a function that returns one number, or a few: the inner products with its gradients.

    Args:
        f: a function that has a reverse rule; of complex numbers it is holomorphic, or real.
        active: the positions of the arguments that can vary, all of them where none is given.
    """

    def follow(y: Any, pullback: Any, tangents: Any, primals: Any, options: Any) -> Any:
        """The inner product with the gradient."""
        if isinstance(y, (np.ndarray, dict)):
            return NotImplemented
        if is_absent(list(tangents)):
            return ZeroTangent()
        if isinstance(y, (list, tuple)):
            units = [[one_like(v) if i == k else None for i, v in enumerate(y)] for k in range(len(y))]
            return project([along(pullback, type_of(y)(unit), tangents) for unit in units], y)
        if not _is_number(y):
            return ZeroTangent()
        return along(pullback, one_like(y), tangents, isinstance(y, (complex, np.complexfloating)))

    _beside_reverse(f, active, follow, follow)


def along(pullback: Any, seed: Any, tangents: tuple[Any, ...], holomorphic: bool = False) -> Any:
    """The inner product of what a pullback makes of a seed with the tangents."""
    bars = pullback(seed)
    bars = bars if isinstance(bars, tuple) else (bars,)
    pairs = list(zip(bars, tangents, strict=True))
    lost = next((bar for bar, x_dot in pairs if isinstance(bar, NotImplementedTangent) and varies(x_dot)), None)
    return sum([inner(bar, x_dot, holomorphic) for bar, x_dot in pairs]) if lost is None else lost


def type_of(y: Any) -> Any:
    """What makes a list, a tuple or a named tuple like ``y`` of a list."""
    return getattr(y, "_make", type(y))


def inner(bar: Any, x_dot: Any, holomorphic: bool) -> Any:
    """``sum(conj(bar) x_dot)``, of which the real part counts for a real function; absent parts add nothing."""
    if is_absent(x_dot) or is_absent(bar) or isinstance(bar, NotImplementedTangent):
        return 0.0
    bar, x_dot = unthunk(bar), unthunk(x_dot)
    if isinstance(bar, (list, tuple)) or isinstance(x_dot, (list, tuple)):
        return sum([inner(b, d, holomorphic) for b, d in zip(bar, x_dot, strict=True)])
    if isinstance(bar, np.ndarray) or isinstance(x_dot, np.ndarray):
        product = np.sum(np.conj(bar) * x_dot)
    else:
        product = strong_mul(bar.conjugate() if hasattr(bar, "conjugate") else bar, x_dot)
    return product if holomorphic else getattr(product, "real", product)


def one_like(y: Any) -> Any:
    """The seed 1 in the numbers of ``y``."""
    return 1.0 if isinstance(y, (int, complex, np.generic)) else type(y)(1)


def _is_number(y: Any) -> bool:
    return (not isinstance(y, (bool, str, bytes)) and hasattr(y, "__float__")) or isinstance(y, complex)
