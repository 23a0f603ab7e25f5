"""One check of a program with SciPy: value, gradient, tangent and Hessian product, against differences."""

import numpy as np

import morula


def moved(args, direction, h):
    return [np.asarray(a) + h * v if np.ndim(a) else a + h * float(v) for a, v in zip(args, direction, strict=True)]


def central(f, args, direction, h):
    """The derivative along a direction; differences, extrapolated once."""
    slope = lambda h: (f(*moved(args, direction, h)) - f(*moved(args, direction, -h))) / (2 * h)
    return (4 * slope(h / 2) - slope(h)) / 3


def whole(bars, args):
    return [np.zeros(np.shape(a)) if bar is None else bar for bar, a in zip(bars, args, strict=True)]


def flat(parts):
    return np.concatenate([np.ravel(part) for part in parts])


def check(f, *args, h=1e-4, rtol=1e-6, second=True):
    """Check all derivatives of a number ``f(*args)`` by its arguments, which are floats and arrays of floats."""
    rng = np.random.default_rng(5)
    v = [rng.normal(size=np.shape(a)) for a in args]
    grads = whole(morula.gradient(f, *args), args)
    for i, a in enumerate(args):
        want = np.zeros(np.shape(a))
        for k in np.ndindex(want.shape):
            unit = [np.zeros(np.shape(x)) for x in args]
            unit[i][k] = 1.0
            want[k] = central(f, args, unit, h)
        assert np.shape(grads[i]) == want.shape
        np.testing.assert_allclose(grads[i], want, rtol=rtol, atol=rtol * (1.0 + np.max(np.abs(want), initial=0.0)))
    dots = tuple(x if np.ndim(x) else float(x) for x in v)
    value, slope = morula.jvp(f, args, dots)
    np.testing.assert_allclose(value, f(*args), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(slope, flat(grads) @ flat(v), rtol=1e-9, atol=1e-10)
    if second:
        gradients = lambda *xs: flat(whole(morula.gradient(f, *xs), args))
        got = flat(whole(morula.jvp(lambda *xs: morula.gradient(f, *xs), args, dots)[1], args))
        want = central(gradients, args, v, h)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6 * (1.0 + np.max(np.abs(want))))


def weighed(y):
    """One number of all that an interpolator returns."""
    y = np.ravel(y)
    return (y * np.cos(np.arange(y.size))).sum() + (y**2).sum()
