"""The tangent of what a rule answered, by transposing its pullback.

A pullback is linear in its seed: ``pullback(s) = J^T s``. So with the real inner product

    <s, J x_dot> = <pullback(s), x_dot>   for every s,

and the tangent ``J x_dot`` is the gradient of the right side by s, at any s. One run of the pullback on a tape of its
own gives it, where the rows of the Jacobian take one call for each number of the value.

The gradient is taken at a seed without zeros, without ones and without two equal numbers: a pullback may branch on its
seed (``if not y_bar.any()``), and zeros would meet infinite partials. As ``<s, y_dot>`` has to be the inner product
that was differentiated, a pullback that is not linear, or one that the tape has not followed, is noticed; then the
rows are taken, as where a pullback cannot be differentiated.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules import NotImplementedDerivative
from morula.eager.calls.held import apart, kept_argument
from morula.eager.calls.registry import structural
from morula.eager.context.entries import OfCallable
from morula.eager.context.protocol import Context
from morula.eager.context.run import Run
from morula.eager.forward.generic_seeds import Seed, inner, product_with_value, structured, weighted
from morula.eager.forward.jacobian_rows import along, rows, taken
from morula.errors import MorulaError, NotDifferentiable

ndarray = np.ndarray
FEW = 4  # seeds with a single 1: so many are cheaper than a tape
Pair = tuple[Any, Any]


def around(ctx: Context) -> int:
    """The number of derivations around one that begins in this context."""
    return ctx.around + max(ctx.depth + ctx.taped, 1)


def tangent_of_pullback(y: Any, pullback: Callable, primals: tuple, dots: tuple, around: int) -> Any:
    """The tangent of a value, in its structure, of which nothing is to be differentiated again.

    Args:
        y: the value.
        pullback: of the rule that answered, at its point.
        primals: the arguments.
        dots: the tangents of the arguments, with None where they are zero.
        around: how many derivations are around this one.
    """
    seed = Seed(y)
    found = None if seed.size <= FEW else transposed(seed, pullback, primals, dots, around)
    if found is None:
        return rows(y, lambda s: along(taken(pullback(s), primals, dots), dots))
    return structured(seed.layout, found, list)


def transposed(seed: Seed, pullback: Callable, primals: tuple, dots: tuple, around: int) -> list | None:
    """The tangents of the parts of a value; None where the rows have to be taken."""
    layout = seed.layout

    def pulled(*parts: Any) -> Any:
        return taken(pullback(parts[0] if layout == 0 else structured(layout, parts)), primals, dots)

    try:
        run = Run(pulled, tuple(seed.parts), {}, around=around, fresh=True)
        weights = weighted(run.y, dots)
        product, size = inner(run.y, dots)
        bars = run.gradients_once(lambda _: weights)
    except (MorulaError, NotImplementedDerivative):
        return None
    found = [np.zeros_like(s) if bar is None else bar for bar, s in zip(bars, seed.parts, strict=True)]
    same, more = inner(seed.parts, found)
    if np.isfinite(product):
        agree = abs(product - same) <= seed.eps**0.5 * (size + more)
    else:
        agree = not np.isfinite(same)  # a NaN that the pullback says where a derivative is not defined is a constant
    if not agree:
        return None
    return found


def with_given(xs: tuple, places: tuple, given: tuple) -> tuple:
    """These, with those `given` in some places."""
    made = list(xs)
    for i, x in zip(places, given, strict=True):
        made[i] = x
    return tuple(made)


@structural(with_given)
def _with_given(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    xs, places, _ = args
    return with_given(*args), ctx.packed(with_given((None,) * len(xs), places, ds[2] or (None,) * len(places)))


@dataclass(frozen=True, slots=True)
class Transposition:
    """How a tangent was found by transposing.

    Attributes:
        rule: the rule whose pullback it was, called with the arguments and `options`.
        options: keyword arguments.
        seed: for the value of the rule.
        product_with_value: of what the rule returned, which it has to return again.
        again: makes a context manager in which a random draw is that of the call.
        active: the positions of the arguments that something outer varies.
        around: how many derivations are around it.
    """

    rule: Callable
    options: dict
    seed: Seed
    product_with_value: tuple[float, float]
    again: Callable
    active: tuple[int, ...]
    around: int

    def product(self, parts: Any, primals: tuple, dots: tuple) -> Any:
        """The inner product of the pullback's cotangents with the tangents of the arguments."""
        with self.again():
            value, pullback = self.rule(*primals, **self.options)
        check_repeated(self, value)
        return along(taken(pullback(structured(self.seed.layout, parts)), primals, dots), dots)


def check_repeated(how: Transposition, y: Any) -> None:
    """Raise where a rule that ran again gave another value: its pullback is then another one too."""
    (then, _), (now, bound) = how.product_with_value, product_with_value(how.seed, y)
    if abs(then - now) > how.seed.eps**0.5 * bound:  # a NaN says nothing
        raise NotDifferentiable(
            "a rule whose pullback is differentiated again returned a different value when it ran again; if it "
            "draws random numbers, make it draw from a generator that is its first argument"
        )


@structural(check_repeated)
def _check_repeated(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    check_repeated(*args)
    return None, None


def transposed_in(
    ctx: Context,
    rule: Callable,
    pullback: Callable,
    args: tuple,
    shadows: tuple,
    dots: list,
    kw: dict,
    y: Any,
    again: Callable,
) -> Pair | None:
    """The tangent as one operation of the context, with its shadow; None where the rows have to be taken."""
    if any(holds_callable(s) for s in shadows):
        return None
    seed = Seed(y)
    tangents = tuple([None if d is None else d[0] for d in dots])
    found = None if seed.size <= FEW else transposed(seed, pullback, args, tangents, around(ctx))
    if found is None:
        return None
    active = tuple([i for i, s in enumerate(shadows) if s is not None])
    how = Transposition(rule, kw, seed, product_with_value(seed, y), again, active, around(ctx))
    tangents_d = tuple([None if d is None else d[1] for d in dots])
    of_tangents = ctx.argument_shadows(transpose, tangents, tangents_d)  # those of lists are found by identity
    kept = tuple(map(kept_argument, tangents))
    found_parts = ctx._rule_result(
        transpose, functools.partial(transpose_rule, apart(tuple(found))), (how, args, kept),
        (None, packed(shadows), packed(of_tangents)), {}, False,
    )  # fmt: skip
    assert found_parts is not None
    parts, parts_d = found_parts
    if seed.layout == 0:
        return ctx.getitem(parts, parts_d, 0, None)
    return ctx.call(structured, (seed.layout, parts, list), (None, parts_d, None))


def packed(shadows: tuple) -> tuple | None:
    return None if all(s is None for s in shadows) else shadows


def holds_callable(shadow: Any) -> bool:
    return any(map(holds_callable, shadow)) if type(shadow) is tuple else isinstance(shadow, OfCallable)


def transpose(how: Transposition, primals: tuple, dots: tuple) -> tuple:
    """The parts of the tangent of ``how.rule``'s value."""
    raise AssertionError("only a context calls this")


def transpose_rule(found: tuple, how: Transposition, primals: tuple, dots: tuple) -> Any:
    """The rule for `transpose`: ``<u, y_dot>`` is ``<pullback(u), dots>``, whose gradient is taken."""
    rule, options, active, layout = how.rule, how.options, how.active, how.seed.layout

    def transpose_pullback(parts: Any) -> tuple:
        u = [np.zeros_like(s) if bar is None else bar for bar, s in zip(parts, how.seed.parts, strict=True)]

        def cotangents(*given: Any) -> Any:
            value, pullback = rule(*with_given(primals, active, given), **options)
            check_repeated(how, value)
            return taken(pullback(u[0] if layout == 0 else structured(layout, u)), primals, dots)

        with how.again():
            run = Run(cotangents, tuple([apart(primals[i]) for i in active]), {}, around=how.around, fresh=True)
        dots_bar = run.y  # of the inner product, which is linear in the tangents
        primals_bar: list[Any] = [None] * len(primals)
        weights = weighted(run.y, dots)
        for i, bar in zip(active, run.gradients_once(lambda _: weights), strict=True):
            primals_bar[i] = bar
        return None, tuple(primals_bar), tuple(dots_bar)

    return found, transpose_pullback
