"""Every case of the rule library through forward mode: its jvp against its pullback, and second derivatives by two
forward derivations against a reverse one over a forward one.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "chainrules"))

import cases
from nestings import direction, inner
from structures import leaves
from test_rules_numerically import name_of

import chainrules
import morula
from extent import EVERYTHING
from morula import NotDifferentiable
from morula.eager.forward import tangent_rules

CHUNKS = 14


# Without their forward rules the matrix is decomposed anew for each derivative, with other phases: NaN, but not wrong.
DECOMPOSED = {"eigh", "eigvalsh", "eig", "eigvals", "svd", "svdvals"}


def total(y, seed):
    """The real inner product of a result, of any structure, with a seed."""
    if isinstance(y, tuple | list):
        s = 0.0
        for v, t in zip(y, seed, strict=True):
            s = s + total(v, t)
        return s
    if isinstance(y, dict):
        return total(list(y.values()), list(seed.values()))
    return np.sum(np.real(np.conj(seed) * y)) if seed is not None else 0.0


def close(a, b, args):
    singly = any(np.asarray(x).dtype.char in "efF" for _, x in leaves(args))
    return np.allclose(a, b, rtol=1e-2 if singly else 1e-6, atol=1e-3 if singly else 1e-7, equal_nan=True)


def own(x):
    """`x` without memory that it shares with another argument, or with itself."""
    if isinstance(x, np.ndarray):
        return np.array(x)
    if isinstance(x, list | tuple):
        return x._make(map(own, x)) if hasattr(x, "_make") else type(x)(map(own, x))
    return x


def check(case, undefined=()):
    """None where there is nothing to compare, True where all is as it should be, else what is wrong.

    Second derivatives of the functions in `undefined` may be NaN.
    """
    f, args, kwargs = case
    args = tuple(map(own, args))
    if not callable(f) or not list(leaves(args)):
        return None
    rng = np.random.default_rng(0)
    v, w = direction(args, rng), direction(args, rng)
    with np.errstate(all="ignore"):
        try:
            y = f(*args, **kwargs)
            seed = direction(y, rng)
            if not list(leaves(y)):
                return None

            def loss(*a):
                return total(f(*a, **kwargs), seed)

            g = morula.gradient(loss, *args)
            _, along = morula.jvp(loss, args, v)
            if not close(along, inner(g, v), args):
                return f"{name_of(case)}: jvp {along}, gradient {inner(g, v)}"
            hessian = morula.gradient(lambda *a: morula.jvp(loss, a, v)[1], *args)
            _, twice = morula.jvp(lambda *a: morula.jvp(loss, a, v)[1], args, w)
            if np.isnan(twice) and f.__name__ in undefined:
                return None
            if not close(twice, inner(hessian, w), args):
                return f"{name_of(case)}: forward over forward {twice}, reverse over forward {inner(hessian, w)}"
        except NotDifferentiable:
            return None
    return True


class WithoutForwardRules:
    """`chainrules` as it is where nobody has written a forward rule."""

    def __getattr__(self, name):
        return getattr(chainrules, name)

    def candidates(self, f, args, config=None, forward=False):
        return iter(()) if forward else chainrules.candidates(f, args, config)


@pytest.mark.parametrize("part", range(CHUNKS))
def test_rules_in_forward_mode_by_transposing(part, monkeypatch):
    """The same without any forward rule: all tangents come from the pullbacks."""
    monkeypatch.setattr(tangent_rules, "chainrules", WithoutForwardRules())
    chosen = [case for i, case in enumerate(cases.CASES) if EVERYTHING or i % 480 < 20]
    found = [check(case, DECOMPOSED) for case in chosen[part::CHUNKS]]
    wrong = [message for message in found if isinstance(message, str)]
    assert not wrong, "\n\n".join(wrong)
    assert sum(message is True for message in found) > 0.7 * len(found)


@pytest.mark.parametrize("part", range(CHUNKS))
@pytest.mark.slow
def test_rules_in_forward_mode(part):
    found = [check(case) for case in cases.some_of(cases.CASES, 8)[part::CHUNKS]]
    wrong = [message for message in found if isinstance(message, str)]
    assert not wrong, "\n\n".join(wrong)
    assert sum(message is True for message in found) > 0.7 * len(found)
