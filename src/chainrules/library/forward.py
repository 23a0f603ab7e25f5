"""What forward rules share: which tangents are there, and rules made of a function of the tangents alone.

The reverse rule of a function knows which of its options have no derivative. A forward rule made here asks it for the
value, and so refuses and declines the same. An engine that has the value asks for the tangent alone, which takes few
steps: it may run them as a program that it differentiates.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from ..lookup import rules_for
from ..products import strong_mul
from ..projection import project
from ..rules import Rule, add_rule, where_written
from ..spaces import type_of
from ..tangents import NotImplementedTangent, ZeroTangent, is_absent, unthunk

Forward = Callable[..., Any]
PLAIN = (np.ndarray, float, complex, np.number)
"""What a tangent is most often: nothing in it has to be looked for."""
COMPLEX = (complex, np.complexfloating)


def filled(x: Any, x_dot: Any) -> Any:
    """A tangent without gaps: zeros of the shape of ``x`` where it is absent.

    >>> filled([1.0, np.ones(2)], [None, np.ones(2)])
    [0.0, array([1., 1.])]
    """
    if isinstance(x_dot, PLAIN):
        return x_dot
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
    if isinstance(x_dot, np.ndarray) and isinstance(x, np.ndarray) and x_dot.shape == x.shape:
        return x_dot
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
            return NotImplementedTangent(f"the forward rule for {name} has no derivative with respect to argument {i}")
    return None


def unfollowed(name: str, tangents: tuple[Any, ...], active: Any) -> NotImplementedTangent | None:
    """As `missing`, in few steps where nothing is."""
    for i in range(len(tangents)):
        x_dot = tangents[i]
        if x_dot is not None and (i not in active or not isinstance(x_dot, PLAIN)):
            return missing(name, tangents, *active)
    return None


def takes_tangents(y: Any) -> bool:
    """Whether a value, or some part of it, is not integers, text or truth.

    >>> takes_tangents(1.0), takes_tangents([1, "a"]), takes_tangents(np.arange(2))
    (True, False, False)
    """
    if isinstance(y, (np.ndarray, np.generic)):
        return y.dtype.kind in "fcO"
    if isinstance(y, (list, tuple)):
        return any(map(takes_tangents, y))
    return not isinstance(y, (int, str, bytes))


def stays_integral(y: Any, places: Any, primals: tuple[Any, ...], dots: tuple[Any, ...]) -> bool:
    """Whether a value is of integers because what varies is: it moves as it would with floats."""
    moving = [primals[i] for i, x_dot in zip(places, dots, strict=False) if x_dot is not None and not is_absent(x_dot)]
    return is_integral(y) and all(map(is_integral, moving))


def is_integral(x: Any) -> bool:
    """Whether a value is of integers alone.

    >>> is_integral([1, 2]), is_integral(1.0), is_integral(True)
    (True, False, False)
    """
    if isinstance(x, (list, tuple)):
        return all(map(is_integral, x))
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "iu"
    return isinstance(x, int) and not isinstance(x, bool)


def forward(f: Any, *active: int, rounds: bool = False) -> Callable[[Forward], Forward]:
    """Declare a forward rule from ``tangent(y, dots, *args, **options)``; a decorator.

    Args:
        f: a function that has a reverse rule.
        active: the positions of the arguments that can vary, the first one alone where none is given. ``dots`` has one
            tangent for each of them, ``None`` where it is absent.
        rounds: whether values of integers are constant even where what varies is of integers.

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
        _beside_reverse(f, _tangent_of(f, places, tangent, rounds), tangent)
        return tangent

    return declare


def _tangent_of(f: Any, places: tuple[int, ...], impl: Forward, rounds: bool) -> Forward:
    """`chainrules.Rule.tangent`, made of ``impl(y, dots, *args, **options)``."""
    name, first = getattr(f, "__name__", str(f)), places[0]
    n, leading = len(places), places == tuple(range(len(places)))

    def tangent(y: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        lost = unfollowed(name, tangents, places)
        if lost is not None:
            return lost
        dots = (tangents[first],) if first < len(tangents) else (None,)
        if n > 1:
            if leading and len(tangents) < n:
                dots = tuple([_given(tangents, i) for i in range(len(tangents))]) + (None,) * (n - len(tangents))
            else:
                dots = tuple([_given(tangents, i) for i in places])
            if _is_empty(dots):
                return ZeroTangent()
        elif not isinstance(dots[0], PLAIN):
            if is_absent(dots[0]):
                return ZeroTangent()
            dots = (unthunk(dots[0]),)
        if not takes_tangents(y) and (rounds or not stays_integral(y, places, primals, dots)):
            return ZeroTangent()
        y_dot = impl(y, dots, *primals, **kwargs) if kwargs else impl(y, dots, *primals)
        if isinstance(y_dot, np.ndarray) and isinstance(y, np.ndarray):
            if y_dot.shape == y.shape and y_dot.dtype == y.dtype:
                return y_dot
        return y_dot if y_dot is NotImplemented else _fitted(y_dot, y)

    return tangent


def _is_empty(dots: tuple[Any, ...]) -> bool:
    for x_dot in dots:  # noqa: SIM110  (a program for engines: a generator takes them longer)
        if x_dot is not None:
            return False
    return True


def _beside_reverse(f: Any, tangent: Forward, wrapped: Forward) -> None:
    """Declare a forward rule for each reverse rule of ``f``, which is asked for the value.

    Args:
        f: the function.
        tangent: as `chainrules.Rule` has it.
        wrapped: what says what the rule does, and where it stands.
    """
    for reverse in _rules(f):

        def rule(
            primals: tuple[Any, ...], tangents: tuple[Any, ...], /, _call: Any = reverse.function, **options: Any
        ) -> Any:
            answer = _call(*primals, **options)
            if answer is NotImplemented:
                return answer
            y_dot = tangent(answer[0], primals, tangents, options)
            return y_dot if y_dot is NotImplemented else (answer[0], y_dot)

        rule.__doc__ = wrapped.__doc__
        rule.__wrapped__ = wrapped  # type: ignore[attr-defined]
        add_rule(f, Rule(rule, reverse.types, *where_written(wrapped), tangent=tangent), forward=True)


def _rules(f: Any) -> tuple[Any, ...]:
    found = rules_for(f)
    if not found:
        raise LookupError(f"{f} has no reverse rule, or none yet")
    return found


def _given(tangents: tuple[Any, ...], i: int) -> Any:
    if i >= len(tangents):
        return None
    x_dot = tangents[i]
    if x_dot is None or isinstance(x_dot, PLAIN):
        return x_dot
    return None if is_absent(x_dot) else unthunk(x_dot)


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
    for reverse in _rules(f):
        _add_by_gradient(f, reverse, active)


def _add_by_gradient(f: Any, reverse: Rule, active: tuple[int, ...]) -> None:
    name, call = getattr(f, "__name__", str(f)), reverse.function

    def found(answer: Any, n: int, tangents: tuple[Any, ...]) -> Any:
        lost = missing(name, tangents, *(active or range(n)))
        return _by_pullback(answer[0], answer[1], tangents) if lost is None else lost

    def tangent(y: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if is_absent(tangents):
            return ZeroTangent()
        answer = call(*primals, **kwargs)  # for the pullback
        return answer if answer is NotImplemented else found(answer, len(primals), tangents)

    def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...], /, **options: Any) -> Any:
        """The inner product with the gradient."""
        answer = call(*primals, **options)
        if answer is NotImplemented:
            return answer
        y_dot = found(answer, len(primals), tangents)
        return y_dot if y_dot is NotImplemented else (answer[0], y_dot)

    add_rule(f, Rule(rule, reverse.types, *where_written(rule), tangent=tangent), forward=True)


def _by_pullback(y: Any, pullback: Any, tangents: tuple[Any, ...]) -> Any:
    if isinstance(y, (np.ndarray, dict)):
        return NotImplemented
    if is_absent(list(tangents)):
        return ZeroTangent()
    if isinstance(y, (list, tuple)):
        units = [[one_like(v) if i == k else None for i, v in enumerate(y)] for k in range(len(y))]
        return project([along(pullback, type_of(y)(unit), tangents) for unit in units], y)
    if not _is_number(y):
        return ZeroTangent()
    return along(pullback, one_like(y), tangents, isinstance(y, COMPLEX))


def along(pullback: Any, seed: Any, tangents: tuple[Any, ...], holomorphic: bool = False) -> Any:
    """The inner product of what a pullback makes of a seed with the tangents."""
    bars = pullback(seed)
    bars = bars if isinstance(bars, tuple) else (bars,)
    pairs = list(zip(bars, tangents, strict=True))
    lost = next((bar for bar, x_dot in pairs if isinstance(bar, NotImplementedTangent) and varies(x_dot)), None)
    return sum([inner(bar, x_dot, holomorphic) for bar, x_dot in pairs]) if lost is None else lost


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
        product = strong_mul(bar.conjugate() if isinstance(bar, COMPLEX) else bar, x_dot)
    return product if holomorphic or not isinstance(product, COMPLEX) else product.real


def one_like(y: Any) -> Any:
    """The seed 1 in the numbers of ``y``."""
    return 1.0 if isinstance(y, (int, complex, np.generic)) else type(y)(1)


def _is_number(y: Any) -> bool:
    return isinstance(y, (Number, np.number)) and not isinstance(y, (bool, np.bool_))
