"""Every public callable of the numeric modules, with many patterns of arguments: right or refused.

Nothing is listed here: what Python and NumPy offer is enumerated, called plainly, differentiated numerically,
and compared. A silent zero of a function that nobody thought of shows up.
"""

import builtins
import cmath
import itertools
import math
import operator
import warnings
from types import GeneratorType

import numpy as np
import pytest

import morula

X = np.array([0.31, 0.72, 0.55, 0.93])
M = np.array([[1.3, 0.2], [0.45, 1.7]])
S = 0.37
PATTERNS = [
    (X, lambda f, x: f(x)),
    (M, lambda f, m: f(m)),
    (S, lambda f, s: f(s)),
    (X, lambda f, x: f(x, x * x + 0.1)),
    (M, lambda f, m: f(m, m.T * 0.7)),
    (M, lambda f, m: f(m, m[0])),
    (S, lambda f, s: f(s, 0.61)),
    (S, lambda f, s: f(0.61, s)),
    (S, lambda f, s: f(s, s * 1.3, s * 0.9)),
    (X, lambda f, x: f(x, 1)),
    (M, lambda f, m: f(m, 1)),
    (M, lambda f, m: f(m, 0, 1)),
    (X, lambda f, x: f(x, 0.4)),
    (X, lambda f, x: f(0.4, x)),
    (X, lambda f, x: f(x, 0.4, 0.7)),
    (X, lambda f, x: f(x, (2, 2))),
    (X, lambda f, x: f(x, [1, 2])),
    (X, lambda f, x: f(x, np.array([2, 0]))),
    (X, lambda f, x: f([x, x * 2])),
    (X, lambda f, x: f(list(x))),
    (X, lambda f, x: f(v * 2 for v in x)),
    (X, lambda f, x: f(np.array([True, False, True, False]), x, x * 3)),
    (X, lambda f, x: f(np.array([0.1, 0.5]), np.array([0.0, 0.3, 0.6, 0.9]), x)),
    (X, lambda f, x: f(lambda *v: v[0] * 2, x)),
]
# interactive, endless, of files and of the interpreter itself; uninitialised memory; deprecated classes
LEFT_OUT = """
    __import__ asmatrix bmat breakpoint compile copyright count credits cycle delattr dir empty empty_like
    errstate eval exec exit float16 from_dlpack fromfile fromregex genfromtxt get_include getattr globals half
    hash help id info input ix_ license load loadtxt locals matrix may_share_memory memmap ndarray object open
    print quit repeat save savetxt savez savez_compressed setattr setbufsize seterr seterrcall shares_memory
    show_config show_runtime super test tofile dump setflags type vars
""".split()
SPACES = {
    "numpy": np,
    "numpy.linalg": np.linalg,
    "numpy.fft": np.fft,
    "math": math,
    "cmath": cmath,
    "operator": operator,
    "itertools": itertools,
    "builtins": builtins,
}


def public_callables():
    for space, module in SPACES.items():
        for name in sorted(dir(module)):
            if name.startswith("_") or name in LEFT_OUT:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                f = getattr(module, name)
            if callable(f) and not (isinstance(f, type) and issubclass(f, BaseException)):
                yield f"{space}.{name}", f
    for name in sorted(dir(np.ndarray)):
        if name.startswith("_") or name in LEFT_OUT:
            continue
        if callable(getattr(np.ndarray, name)):
            yield f"ndarray.{name}", lambda x, *args, name=name: getattr(x, name)(*args)
        else:
            yield f"ndarray.{name}", lambda x, name=name: getattr(x, name)


def parts(y):
    if isinstance(y, tuple | list):
        for v in y:
            yield from parts(v)
    elif isinstance(y, np.ndarray | np.inexact | float | complex):
        yield y


def seed_of(y, rng):
    if isinstance(y, tuple | list):
        found = [seed_of(v, rng) for v in y]
        if isinstance(y, list):
            return found
        return y._make(found) if hasattr(y, "_make") else tuple(found) if type(y) is tuple else type(y)(*found)
    if isinstance(y, np.ndarray) and y.dtype.kind in "fc":
        return rng.uniform(0.5, 1.5, y.shape)
    if isinstance(y, float | complex | np.inexact):
        return float(rng.uniform(0.5, 1.5))
    return None


def inner(y, seed):
    if seed is None:
        return 0.0
    if isinstance(y, tuple | list):
        return sum(inner(v, s) for v, s in zip(y, seed, strict=True))
    return float(np.real(np.sum(y * seed)))


def central(loss, a, h):
    if isinstance(a, float):
        return (loss(a + h) - loss(a - h)) / (2 * h)
    g = np.zeros(a.shape)
    for i in np.ndindex(a.shape):
        up, down = a.copy(), a.copy()
        up[i] += h
        down[i] -= h
        g[i] = (loss(up) - loss(down)) / (2 * h)
    return g


def numerically(g, a):
    """The seed and the derivative by differences, or None where the call makes no sense or warns."""
    try:
        y = g(np.copy(a) if isinstance(a, np.ndarray) else a)
        found = list(parts(y))
        if not found or any(v.dtype.kind == "O" for v in found if isinstance(v, np.ndarray)):
            return None
        if not all(np.all(np.isfinite(v)) for v in found):
            return None
        seed = seed_of(y, np.random.default_rng(0))

        def loss(v):
            return inner(g(v), seed)

        if loss(np.copy(a) if isinstance(a, np.ndarray) else a) != inner(y, seed):
            return None
        coarse, fine = central(loss, a, 1e-5), central(loss, a, 3e-6)
        return (seed, fine) if np.allclose(coarse, fine, rtol=1e-4, atol=1e-5) else None
    except Exception:
        return None


def check(name, f):
    def iterated(y):
        return list(itertools.islice(y, 20)) if hasattr(y, "__next__") else y

    for n, (a, pattern) in enumerate(PATTERNS):

        def g(v, pattern=pattern):
            return iterated(pattern(f, v))

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                if isinstance(pattern(f, np.copy(a) if isinstance(a, np.ndarray) else a), GeneratorType):
                    continue  # the argument itself came back
        except Exception:
            continue

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            known = numerically(g, a)
        if known is None:
            continue
        seed, want = known
        try:
            _, back = morula.pullback(g, a.copy() if isinstance(a, np.ndarray) else a)
            (got,), (again,) = back(seed), back(seed)
        except (morula.MorulaError, NotImplementedError):
            continue
        got, again = (0.0 if v is None else v for v in (got, again))
        message = f"{name}, pattern {n}"
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4, err_msg=message)
        np.testing.assert_allclose(again, got, rtol=1e-12, err_msg=message)


CALLABLES = list(public_callables())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "f"), CALLABLES, ids=[name for name, _ in CALLABLES])
def test_right_or_refused(name, f):
    check(name, f)
