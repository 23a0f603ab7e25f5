"""Every attribute and method of every NumPy scalar type, of active numbers and with active arguments: right or refused.

The names are enumerated from the types. What they give is compared with central differences, in steps that the
precision of the type allows.
"""

import itertools
import warnings

import numpy as np
import pytest
from test_enumeration import central, inner, parts, seed_of

import morula

S = 0.37
FLOATS = [np.float64, np.float32, np.float16, np.longdouble]
COMPLEX = [np.complex128, np.complex64, np.clongdouble]
INTEGERS = [*{np.dtype(c).type for c in "bBhHiIlLqQ"}]
STEPS = {"e": 0.03, "f": 3e-3, "F": 3e-3}
RECEIVERS = {
    **{t: lambda s, t=t: t(s) for t in FLOATS},
    **{t: lambda s, t=t: t(s * (1.0 + 0.5j)) for t in COMPLEX},
    **{t: lambda s, t=t: t(1) for t in INTEGERS},
    np.bool_: lambda s: np.bool_(True),
    np.str_: lambda s: np.str_("a"),
    np.bytes_: lambda s: np.bytes_(b"a"),
    np.void: lambda s: np.void(b"abcdefgh"),
    np.datetime64: lambda s: np.datetime64("2020-01-01"),
    np.timedelta64: lambda s: np.timedelta64(3, "D"),
}
CONSTANTS = {t: lambda s, t=t: t(0.8) for t in (*FLOATS, *COMPLEX)}
ARGUMENTS = [
    lambda f, s: f(),
    lambda f, s: f(s),
    lambda f, s: f(np.float64(s)),
    lambda f, s: f(0),
    lambda f, s: f(1, 1),
    lambda f, s: f((1, 1)),
    lambda f, s: f([True]),
    lambda f, s: f([0]),
    lambda f, s: f(()),
    lambda f, s: f(float),
    lambda f, s: f("float32"),
    lambda f, s: f(s, 2.0),
    lambda f, s: f(0.1, s),
    lambda f, s: f(None, s),
    lambda f, s: f(0, s),
    lambda f, s: f([s, 2.0]),
    lambda f, s: f([2.0, s, 3.0]),
    lambda f, s: f(np.array([s, 2.0])),
    lambda f, s: f(np.array(s)),
    lambda f, s: f(np.array([[True], [True]]), np.array([s])),
    lambda f, s: f(None, None, np.array([s])),
    *(
        lambda f, s, k=k, v=v: f(**{k: v(s)})
        for k in ("initial", "min", "max", "where", "a", "value", "values", "v", "repeats", "decimals", "b")
        for v in (lambda s: s, lambda s: np.array(s), lambda s: np.array([s]))
    ),
    lambda f, s: f(out=np.array([s])),  # with one without dimensions NumPy's cumprod crashes
    *(lambda f, s, o=o: f(np.float64(o(s))) for o in (np.floor, np.square)),
]
CASES = [*RECEIVERS.items(), *CONSTANTS.items()]
LEFT_OUT = {
    *"__init_subclass__ __subclasshook__ __class_getitem__ __new__ __init__ __dir__ __getattribute__".split(),
    *"__setattr__ __delattr__ __buffer__ __release_buffer__ tofile dump __class__ __doc__".split(),
}


def listed(y):
    return list(itertools.islice(y, 20)) if hasattr(y, "__next__") else y


def value_and_differences(g, h):
    """A seed and the derivative by differences; None where the call makes no sense."""
    try:
        y = g(S)
        found = list(parts(y))
        if not found or any(np.asarray(v).dtype.kind not in "fciub" or not np.all(np.isfinite(v)) for v in found):
            return None
        seed = seed_of(y, np.random.default_rng(0))
        coarse, fine = (central(lambda v: inner(g(v), seed), S, step) for step in (h, h / 2))
    except Exception:
        return None
    near = np.allclose(coarse, fine, rtol=1e-4 if h < 1e-4 else 0.1, atol=1e-5 if h < 1e-4 else 0.05)
    return (y, seed, fine) if near else None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "receiver"), CASES, ids=[f"{kind.__name__}-{n}" for n, (kind, _) in enumerate(CASES)])
def test_right_or_refused(kind, receiver):
    h = STEPS.get(np.dtype(kind).char, 1e-5)
    checked = 0
    for name in sorted(set(dir(kind)) - LEFT_OUT):
        for n, pattern in enumerate([lambda f, s: f, *ARGUMENTS]):

            def plainly(s, name=name, pattern=pattern):
                return listed(pattern(getattr(receiver(s), name), s))

            def called(s, name=name, pattern=pattern):
                o = receiver(s)
                return listed(pattern(lambda *args, **kw: getattr(o, name)(*args, **kw), s))

            g = called if n else plainly
            known = value_and_differences(g, h)
            if known is None:
                continue
            y, seed, want = known
            where = f"{kind.__name__}.{name}, pattern {n}"
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    value, back = morula.pullback(g, S)
                    (got,) = back(seed)
            except (morula.MorulaError, NotImplementedError):
                continue
            assert type(value) is type(y), where
            np.testing.assert_array_equal(np.asarray(value), np.asarray(y), err_msg=where)
            tight = h < 1e-4
            np.testing.assert_allclose(
                0.0 if got is None else got,
                want,
                rtol=1e-3 if tight else 0.1,
                atol=1e-4 if tight else 0.05,
                err_msg=where,
            )
            checked += 1
    assert checked
