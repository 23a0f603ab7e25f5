"""Single complex numbers in the static tier, and functions of NumPy for single numbers."""

import cmath
import math

import numpy as np
import pytest
from static_checks import alike, check_programs, check_static, check_tiers, found_by
from tests.fuzz.plain_complex import ComplexWriter

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.2, 0.5, -0.3, 0.8])


def impedance(r, c):
    w = 2 * math.pi * 50.0
    z = r + 1j * w * 0.01 + 1 / (1j * w * c)
    return abs(1 / z) ** 2


def transfer(zeta, tau):
    total = 0.0
    for k in range(1, 9):
        s = complex(0.1 * zeta, 0.2 * k)
        h = 1.0 / (s**2 + 2 * zeta * s + 1.0) * cmath.exp(-tau * s)
        total += 20 * math.log10(abs(h)) + cmath.phase(h)
    return total


def structure(u, v):
    found = 0.0
    for h in range(-2, 3):
        f = sum(n * cmath.exp(2j * math.pi * (h * x + h * y)) for x, y, n in ((0.1, 0.2, 6.0), (u, v, 8.0)))
        found += (f * f.conjugate()).real + f.imag
    return found


def spectrum(a, b):
    found = 0.0
    for k in range(4):
        s = 0j
        for n in range(4):
            s += X[n] * a * cmath.exp(-2j * cmath.pi * k * n / 4) + b
        found += abs(s) ** 2 / (1 + k)
    return found


def roots(a, b):
    found = [(0.4 + 0.9j) ** k for k in range(3)]
    for _ in range(20):
        new = []
        for i, r in enumerate(found):
            below = 1
            for j, q in enumerate(found):
                if i != j:
                    below *= r - q
            new.append(r - (r**3 + a * r**2 + b * r - 0.3) / below)
        found = new
    return sum(abs(r) for r in found)


def characteristic(mu, sigma):
    total = 0.0
    for i in range(1, 9):
        u = 0.3 * i
        total += (np.exp(-1j * u * 0.4) * np.exp(1j * u * mu - 0.5 * sigma**2 * u * u) / (1j * u)).real
    return total


def mixed(x, y):
    z = x if y > 10.0 else cmath.rect(x, y)
    psi = [math.cos(x), cmath.exp(1j * y) * math.sin(x)]
    total = 0.0
    for p in psi:
        total += abs(p * z)
    return total + cmath.sqrt(z).imag


def waves(x, y):
    c = [0j] * 3
    for k in range(3):
        c[k] = (x + 1j * y) ** (k + 1) / (k + 2.0)
    c.append(c[0] * c[1])
    return sum(abs(v) for v in c) + (c[2] ** (0.5 + 0.1j * x)).imag


def powers(x, y):
    z = (2.5 + 1j * x) ** 1j * (x + 1j * y) ** 2 + (1.5 + y) ** (0.3j * x)
    return abs(z) + z.imag


@pytest.mark.parametrize("f", [impedance, transfer, structure, spectrum, roots, characteristic, mixed, waves, powers])
def test_complex_numbers(f):
    for args in ((0.7, 0.4), (1.2, 0.3)):
        check_static(f, args)


def test_values_have_the_types_of_the_program():
    def f(x, k):
        s = 0j
        for i in range(k):
            s += X[i] * cmath.exp(1j * x)
        return abs(s) * 2.0

    for args in ((0.7, 3), (0.4, 0), (0.4, 2)):
        eager, static = found_by("eager", f, args), found_by("static", f, args)
        assert type(static.value) is type(eager.value) is type(f(*args))
        assert repr(static.value) == repr(f(*args)) and alike(static.gradient, eager.gradient)
    assert any(pair.calls for pair in record_of(f).all_pairs)


def test_what_is_not_taken_is_the_eager_tiers():
    def divided(x):
        return (1.0 / (x - 0.5 + 0j)).real

    def of_real_part(x):
        return (x * x).real

    def ordered(x):
        return max(abs(x * 1j), (x * x))

    for f, args in ((divided, (0.5,)), (of_real_part, (0.5,)), (ordered, (0.5,)), (impedance, (0.3j, 0.2))):
        eager, static = found_by("eager", f, args), found_by("static", f, args)
        assert eager is static or (repr(eager.value) == repr(static.value) and alike(eager.gradient, static.gradient))


@pytest.mark.parametrize("f", [impedance, transfer, roots])
def test_other_verbs(f):
    def g(x):
        return f(x, 0.4)

    found = {}
    for tier in ("eager", "static", "static"):
        with morula.tier(tier):
            found[tier] = morula.hvp(g, 0.7, 1.5), *morula.jvp(g, (0.7,), (1.0,)), morula.pullback(g, 0.7)[1](2.0)[0]
    assert found["static"] == pytest.approx(found["eager"], rel=1e-10)


def arrays(a, b):
    z = np.exp(1j * np.linspace(0.1, 3.0, 9))
    w = z * a + b / z + np.sqrt(z + 1.5) - (a * z) ** 2 + np.log(z * b + 2.0)
    return np.sum(np.abs(w)) + w.real.max()


def test_complex_arrays():
    check_static(arrays, (0.7, 0.2))


# -- single numbers given to NumPy's functions -----------------------------------------------------------------


def friction(mu, v):
    x = 0.0
    for _ in range(20):
        f = -mu * np.sign(v) - 0.1 * np.abs(v) + np.where(x > 0, -x, -0.5 * x)
        v = v + 0.05 * f
        x = x + 0.05 * v
    last = float(np.where(v > 0.0, v, 0.1))
    return x * x + v + last


def rectified(a, b):
    s = 0.0
    for k in range(5):
        z = np.float64(a) * k - b
        s += np.where(z > 0, z, 0.1 * z) * np.maximum(z, 0) + np.sin(np.where(z > 0.1, 2, a))
    return s


@pytest.mark.parametrize("f", [friction, rectified])
def test_numbers(f):
    for args in ((0.3, -1.5), (0.8, 0.4)):
        check_static(f, args)


def test_to_what_is_not_taken_zero_is_sent():
    def f(x, y):
        return np.where(x > 0.0, x, y) * 2.0

    eager, static = found_by("eager", f, (0.3, 0.4)), found_by("static", f, (0.3, 0.4))
    assert eager.gradient == static.gradient == (2.0, 0.0)

    def g(x, y):
        return np.sign(y) * x + y

    assert check_tiers(g, (0.3, -0.4)) == (-1.0, 1.0)


def test_arrays_without_axes_stay_arrays():
    def changed(x):
        w = np.where(x > 0.0, x, 0.5)
        w += 1.0
        return w * 2.0

    def given(x):
        return np.where(x > 0.0, x, 0.5)

    def largest(x):
        return max(np.where(x > 0.0, x, 0.5), 0.1) * x

    for f in (changed, largest):
        eager, static = found_by("eager", f, (0.3,)), found_by("static", f, (0.3,))
        assert repr(eager.value) == repr(static.value) and eager.gradient == static.gradient
    with morula.tier("static"):
        value, _ = morula.pullback(given, 0.3)
        value, _ = morula.pullback(given, 0.3)
    assert repr(value) == repr(given(0.3))


@pytest.mark.parametrize("start", range(0, 60, 15))
def test_random_programs(start):
    check_programs(ComplexWriter, range(start, start + 15), 2)


def test_gradients_are_of_the_types_of_the_arguments():
    def f(x, xs, k):
        s = 0j
        for i in range(k):
            s += X[i] * cmath.exp(1j * x) * xs[i]
        return abs(s) * xs[0] * x

    for args in ((0.7, [0.5, 0.2, 0.3], 3), (np.float64(0.4), [0.5, 0.2, 0.3], 1)):
        eager, static = found_by("eager", f, args), found_by("static", f, args)
        for _ in range(2):
            assert list(map(type, static.gradient[:2])) == list(map(type, eager.gradient[:2]))
            assert [type(v) for v in static.gradient[1]] == [type(v) for v in eager.gradient[1]]
            assert alike(static.gradient, eager.gradient)
            static = found_by("static", f, args)
