"""Calls of SciPy and NumPy that the eager tier follows inside a static adjoint."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

import morula

interpolate = pytest.importorskip("scipy.interpolate")
ndimage, signal, stats = (pytest.importorskip(f"scipy.{name}") for name in ("ndimage", "signal", "stats"))
Rotation = pytest.importorskip("scipy.spatial.transform").Rotation

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

T = np.linspace(0, 1, 8)
X = np.array([0.3, 0.9, 0.1, 0.6, 1.2, 0.4, 0.8, 0.5])


def spline_and_a_loop(x):
    f = interpolate.CubicSpline(T, x * np.sin(T * 5))
    level = 0.0
    for i in range(50):
        level += x[0] * level * 0.1 + 0.01 * i
    return float(f(0.37)) + level


def table(x):
    return interpolate.interp1d(T, x)(T * 0.5).sum() * x[1]


def shape_of_a_sample(x):
    return stats.skew(x) + np.median(x) * stats.kurtosis(x)


def turned(x):
    return Rotation.from_rotvec(x[:3]).apply(np.array([1.0, 2, 3])).sum()


def filtered(x):
    y = signal.resample(x, 5)
    return (y**2).sum() + signal.filtfilt([1.0, 0.2], [1.0, -0.3], np.concatenate([x, x]))[2]


def windowed(x):
    window = signal.windows.hann(8)
    return (window * x).sum() * x[0]


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        total += interpolate.PchipInterpolator(T, x * (i + 1))(0.3 + 0.1 * i) * x[i]
    return total


def correlated(x):
    found = stats.pearsonr(x, T)
    return found.statistic + stats.linregress(T, x)[0]


def image(x):
    return ndimage.rotate(np.outer(x, x), 20.0, order=1).sum()


def no_longer_named(x):
    y = x * 1.0
    f = interpolate.CubicSpline(T, y)
    y = y * 2
    return f(0.5) + y.sum()


PROGRAMS = [
    spline_and_a_loop, table, shape_of_a_sample, turned, filtered, windowed, in_a_loop, correlated, image,
    no_longer_named,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_followed(f):
    check_static(f, (X,))


def written_after(x):
    y = x * 1.0
    f = interpolate.RegularGridInterpolator((T,), y)
    y[3] = 9.0 * x[0]
    return f([[0.4]])[0] + y[3]


def written_from_the_start(x):
    y = x * 1.0
    y[0] = 0.5
    f = interpolate.RegularGridInterpolator((T,), y[:])
    y[3:] *= 9.0 * x[0]
    return f([[0.4]])[0] + y[3]


def argument_written(x):
    f = interpolate.RegularGridInterpolator((T,), x)
    x[3] = 9.0 * x[0]
    return f([[0.4]])[0] + x[3]


def part_of_an_argument_written(x):
    f = interpolate.RegularGridInterpolator((T[:7],), x[1:])
    for i in range(2, 5):
        x[i] += 2.0 * x[0]
    return f([[0.4]])[0] + x[3]


def asked_twice(x):
    f = interpolate.CubicSpline(T, x)
    return f.integrate(0.1, 0.8) + f.derivative()(0.3) + sum(f(t) for t in (0.1, 0.2))


def wrong(x):
    return interpolate.CubicSpline(T[::-1], x)(0.3) * x[0]


@pytest.mark.parametrize(
    "f",
    [written_after, written_from_the_start, argument_written, part_of_an_argument_written, asked_twice],
    ids=lambda f: f.__name__,
)
def test_objects_that_change_or_are_asked_often(f):
    """An object that keeps an array sees what is written into it, and one of several uses is made once."""
    with morula.tier("static"):
        for _ in range(2):
            found = morula.withgradient(f, X.copy())
    assert repr(found.value) == repr(f(X.copy()))
    assert alike(found.gradient, found_by("eager", f, (X.copy(),)).gradient)


def test_exceptions_are_the_program_s():
    with morula.tier("static"), pytest.raises(ValueError, match="increasing"):
        morula.gradient(wrong, X)


def test_several_seeds():
    def f(x):
        return interpolate.interp1d(T, x)(T[:2] * 0.5) * x[0]

    with morula.tier("eager"):
        expected = morula.jacobian(f, X)
    with morula.tier("static"):
        _, back = morula.pullback(f, X)
        for k, seed in enumerate(np.eye(2)):
            for _ in range(2):
                np.testing.assert_allclose(back(seed)[0], np.asarray(expected)[..., k, :].reshape(-1), rtol=1e-12)
