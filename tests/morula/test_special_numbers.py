"""A derivative exists or is NaN, but nothing is raised, wherever the program itself has a value."""

import cmath
import itertools
import math
import operator

import numpy as np
import pytest

import morula

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SPECIAL = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 5e-324, 1e308]
ONE = [getattr(math, name) for name in dir(math) if not name.startswith("_") and callable(getattr(math, name))] + [
    abs, operator.neg, lambda x: x**2, lambda x: x**-1, lambda x: x**0.5, lambda x: x**0, lambda x: 2.0**x,
    lambda x: 0.0**x, lambda x: 1 / x, lambda x: x % 2.0, lambda x: 5.0 % x, lambda x: x // 2.0,
    lambda x: math.hypot(x, 1.0, 0.0), lambda x: math.dist((x, 1.0), (0.0, 0.0)), lambda x: math.fsum([x, 1.0]),
    lambda x: max(x, 0.0), lambda x: abs(complex(x, 0)), lambda x: cmath.phase(complex(x, 0)),
]  # fmt: skip
TWO = [
    math.atan2, math.hypot, math.pow, math.fmod, math.copysign, math.remainder, operator.add, operator.mul,
    operator.truediv, operator.pow, operator.mod, operator.floordiv, max, min,
]  # fmt: skip
UFUNCS = [f for name in sorted(dir(np)) if isinstance(f := getattr(np, name), np.ufunc) and f.nout == 1 and f.nin <= 2]


def value(f, args):
    """A real number; None for anything else."""
    try:
        y = f(*args)
    except Exception:
        return None
    return y if isinstance(y, float) else None


@pytest.mark.parametrize("tier", ["eager", "static"])
@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize("n, functions", [(1, ONE), (2, TWO)])
def test_of_python(n, functions, kind, tier):
    for f, args in itertools.product(functions, itertools.product(map(kind, SPECIAL), repeat=n)):
        check(f, args, tier)


@pytest.mark.parametrize("f", UFUNCS, ids=lambda f: f.__name__)
def test_of_numpy(f):
    for args in itertools.product(map(np.float64, SPECIAL), repeat=f.nin):
        check(f, args, "eager")


def check(f, args, tier):
    y = value(f, args)
    if y is None:
        return
    with morula.tier(tier):
        try:
            found = morula.withgradient(lambda *xs: f(*xs), *args).value
        except morula.MorulaError:
            return  # a refusal, which says why
    assert type(found) is type(y), (f, args)
    assert found == y or (math.isnan(found) and math.isnan(y)), (f, args)
