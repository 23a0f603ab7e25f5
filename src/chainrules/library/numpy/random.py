"""Draws that are constants, and random rearrangements, which move what they are given; `draws` has those that depend
smoothly on their parameters. Loaded when the program has imported `numpy.random`.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from ...declarations import constant_instances, non_differentiable, unsupported
from ...rules import frule, rrule
from ...tangents import ZeroTangent, is_absent
from ..forward import array_dot, missing
from .nondiff import words
from .shared import leading, numbered, scatter
from .unsupported import WRITES

DRAWS = words("""
beta binomial bytes chisquare dirichlet f geometric hypergeometric integers logseries multinomial
multivariate_hypergeometric negative_binomial noncentral_chisquare noncentral_f poisson random rand randint
random_integers random_sample ranf randn sample seed set_state get_state spawn standard_cauchy standard_exponential
standard_gamma standard_normal standard_t tomaxint wald zipf get_bit_generator set_bit_generator test BitGenerator
""")

BITS_OF = (np.random.MT19937, np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)

non_differentiable(np.random.default_rng)
constant_instances(np.random.Generator, np.random.RandomState, np.random.SeedSequence, *BITS_OF)
# `np.random.normal` is a method bound to the global state.
for owner in (np.random.Generator, np.random.RandomState, np.random):
    draws = [getattr(owner, n) for n in DRAWS if hasattr(owner, n)]
    non_differentiable(*[f for f in draws if callable(f) or hasattr(f, "__get__")])  # bit_generator is also a module
    unsupported(WRITES, owner.shuffle)
unsupported(
    "writes into out= where that is given, and goes through memory in its order; shuffle an array of indices",
    np.random.Generator.permuted,
)

non_differentiable(np.random.Generator.bit_generator)

BITS = words("jumped spawn random_raw state seed_seq lock ctypes cffi advance generate_state entropy spawn_key")
for source in (np.random.BitGenerator, np.random.SeedSequence, np.random.PCG64, np.random.MT19937):
    non_differentiable(*[getattr(source, n) for n in BITS if hasattr(source, n)])


def _rearranged(method: Any, rng: Any, data: Any, *args: Any, **options: Any) -> Any:
    """Where each element came from is drawn again by a generator that is where this one was."""
    before, shape = deepcopy(rng), np.shape(data)
    y = method(rng, data, *args, **options)
    if not shape:  # drawn from so many numbers
        return y, lambda y_bar: None

    def rearranged_pullback(y_bar: Any) -> Any:
        cells = numbered(data)
        moved = method(deepcopy(before), cells, *args, **options)
        return scatter(moved, y_bar, cells.size).reshape(shape)

    return y, rearranged_pullback


def _rule_for(method: Any) -> Any:
    @leading
    def moved(data: Any, *args: Any, rng: Any, **options: Any) -> Any:
        """The seed where the elements came from."""
        return _rearranged(method, rng, data, *args, **options)

    def rule(rng: Any, *args: Any, **options: Any) -> Any:
        """The seed where the elements came from; the generator has no derivative."""
        y, pullback = moved(*args, rng=rng, **options)

        def rule_pullback(y_bar: Any) -> Any:
            bars = pullback(y_bar)
            return (None, *(bars if isinstance(bars, tuple) else (bars,)))

        return y, rule_pullback

    return rule


def _rule_for_global(f: Any, method: Any) -> Any:
    @leading
    def rule(data: Any, *args: Any, **options: Any) -> Any:
        """The seed where the elements came from."""
        return _rearranged(method, f.__self__, data, *args, **options)

    return rule


def _rearranged_forward(method: Any, at: int, rng_of: Any) -> Any:
    def rule(primals: Any, tangents: Any, **options: Any) -> Any:
        """The tangents of the elements, drawn again."""
        rng, (data, *args) = rng_of(primals), primals[at:]
        before = deepcopy(rng)
        y = method(rng, data, *args, **options)
        lost = missing(method.__name__, tangents, at)
        if lost is not None or is_absent(tangents[at]) or not np.shape(data):
            return y, lost or ZeroTangent()
        return y, array_dot(data, tangents[at]).ravel()[method(before, numbered(data), *args, **options)]

    return rule


for owner in (np.random.Generator, np.random.RandomState):
    for name in ("choice", "permutation"):
        frule(getattr(owner, name))(_rearranged_forward(getattr(owner, name), 1, lambda primals: primals[0]))
        rrule(getattr(owner, name))(_rule_for(getattr(owner, name)))
for name in ("choice", "permutation"):
    f = getattr(np.random, name)
    method = getattr(np.random.RandomState, name)
    frule(f)(_rearranged_forward(method, 0, lambda primals, rng=f.__self__: rng))
    rrule(f)(_rule_for_global(f, getattr(np.random.RandomState, name)))
