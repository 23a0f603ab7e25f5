"""What the static tier finds, beside what the eager one does and central differences."""

import copy

import numpy as np
import pytest
from tests.fuzz import plain

import morula
from chainrules import Tangent
from extent import SAMPLED, part_of
from morula.static.python.pairs import record_of


def found_by(tier, f, args):
    with morula.tier(tier):
        try:
            return morula.withgradient(f, *copy.deepcopy(args))
        except Exception as error:
            return type(error)


def alike(one, other):
    """Whether two gradients are the same in all but the last digits."""
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, Tangent):
        return isinstance(other, Tangent) and alike(dict(one.fields()), dict(other.fields()))
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
    return (one is None) == (other is None) and (one is None or np.allclose(one, other, rtol=1e-11, atol=1e-14))


def slope(f, args):
    """The derivative along all numbers at once, by central differences."""

    def moved(x, h):
        if isinstance(x, list | tuple):
            return type(x)([moved(v, h) for v in x])
        return {k: moved(v, h) for k, v in x.items()} if isinstance(x, dict) else x + h

    h = 1e-6
    return (f(*moved(args, h)) - f(*moved(args, -h))) / (2 * h)


def total(x):
    if isinstance(x, list | tuple):
        return sum(map(total, x))
    return 0.0 if x is None else sum(map(total, x.values())) if isinstance(x, dict) else float(np.sum(x))


def check_tiers(f, args):
    """The static tier takes a program, and finds what the eager one does, its value to the bit; that gradient."""
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    assert repr(static.value) == repr(eager.value)
    assert alike(static.gradient, eager.gradient)
    found_by("static", f, args)
    record = record_of(f)
    assert any(pair.calls for pair in record.all_pairs), record.why
    return static.gradient


def check_printed(f, x, capsys):
    """The static tier takes a program of one argument, and prints, returns and finds what the eager one does."""
    y = f(x)
    expected = capsys.readouterr().out
    with morula.tier("eager"):
        gradient = morula.gradient(f, x)
    assert capsys.readouterr().out == expected
    with morula.tier("static"):
        for _ in range(2):
            found = morula.withgradient(f, x)
            assert capsys.readouterr().out == expected
    assert repr(found.value) == repr(y)
    assert alike(found.gradient, gradient)
    record = record_of(f)
    assert any(pair.calls for pair in record.all_pairs), record.why


def check_static(f, args):
    """The same, and the gradient is that of central differences."""
    assert total(check_tiers(f, args)) == pytest.approx(slope(f, args), rel=1e-5, abs=1e-7)


def check_programs(writer, seeds, right=None):
    """Random programs of a grammar: none is wrong, and more than so many are `right`; the others are skipped, or raise.

    A plain run takes a third of them, others each day, and does not count them.
    """
    found = [plain.check(seed, writer) for seed in (part_of(seeds, 3) if SAMPLED else seeds)]
    wrong = [f"{verdict.message}\n{source}" for source, verdict in found if verdict.kind == "wrong"]
    assert not wrong, wrong[0]
    if right is not None and not SAMPLED:
        assert sum(verdict.kind == "right" for _, verdict in found) > right
