"""The module `random`; loaded when the program has imported it.

`choice`, `choices` and `sample` move what they are given; which items, is constant. ``gauss``, ``uniform`` and the
other draws with parameters are Python, which engines follow: with the same random bits they depend smoothly on these.
"""

from __future__ import annotations

import random
from typing import Any

from ...declarations import non_differentiable, unsupported
from ...lookup import rules_for
from ...programs import followed
from ...rules import frule, rrule
from ...tangents import NotImplementedTangent, ZeroTangent, is_absent
from ..forward import filled
from .items import answering, bars_of, could_be_active, is_sequence, parts

non_differentiable(
    random.random, random.getrandbits, random.randbytes, random.randint, random.randrange, random.seed, random.getstate,
    random.setstate, random.Random, random.SystemRandom,
)  # fmt: skip
if hasattr(random, "binomialvariate"):  # Python 3.12
    non_differentiable(random.binomialvariate)
unsupported("moves the items of the list that it is given, in place", random.shuffle)


DRAWS = """
betavariate expovariate gammavariate gauss lognormvariate normalvariate paretovariate triangular uniform
vonmisesvariate weibullvariate
"""
followed(*[getattr(random, name) for name in DRAWS.split()])


def _constant(x: Any) -> Any:
    """The cotangent of weights: which items are drawn jumps as they vary."""
    return NotImplementedTangent("which items are drawn jumps as the weights vary") if could_be_active(x) else None


@rrule(random.choice)
def choice_rule(seq: Any) -> Any:
    """All to the item that was drawn."""
    if not is_sequence(seq) or not len(seq):
        return NotImplemented
    at = random.choice(range(len(seq)))  # takes the same steps, for only the length counts
    return seq[at], lambda y_bar: (bars_of(len(seq), [(at, y_bar)]),)


@rrule(random.choices)
@answering
def choices_rule(population: Any, weights: Any = None, **options: Any) -> Any:
    """As `choice`, for each; the weights are constants, as all parameters of draws."""
    if not is_sequence(population):
        return NotImplemented
    chosen = random.choices(range(len(population)), weights, **options)

    def choices_pullback(y_bar: Any) -> Any:
        moved = bars_of(len(population), zip(chosen, parts(y_bar, len(chosen)), strict=True))
        return moved, _constant(weights)

    return [population[i] for i in chosen], choices_pullback


@rrule(random.sample)
@answering
def sample_rule(population: Any, k: Any, **options: Any) -> Any:
    """As `choice`, for each."""
    if not is_sequence(population):
        return NotImplemented
    chosen = random.sample(range(len(population)), k, **options)

    def sample_pullback(y_bar: Any) -> Any:
        return bars_of(len(population), zip(chosen, parts(y_bar, len(chosen)), strict=True)), None

    return [population[i] for i in chosen], sample_pullback


def _chosen_forward(f: Any, one: bool) -> None:
    (reverse,) = rules_for(f)

    @frule(f)
    def rule(primals: Any, tangents: Any, **options: Any) -> Any:
        """The tangents of the items that were drawn: where they came from, the pullback says."""
        answer = reverse.function(*primals, **options)
        if answer is NotImplemented:
            return answer
        y, pullback = answer
        if is_absent(tangents[0]):
            return y, ZeroTangent()

        def place(seed: Any) -> int:
            bars = pullback(seed)[0]
            return next(i for i, bar in enumerate(bars) if bar is not None)

        items = filled(primals[0], tangents[0])
        if one:
            return y, items[place(1.0)]
        n = len(y)
        return y, [items[place([1.0 if i == k else None for i in range(n)])] for k in range(n)]


_chosen_forward(random.choice, True)
_chosen_forward(random.choices, False)
_chosen_forward(random.sample, False)
