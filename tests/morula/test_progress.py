"""``progress=`` of what may take long: the same numbers, and each step shown."""

import numpy as np
import pytest

import morula

pytestmark = pytest.mark.quick


class Bar:
    """As tqdm: called with a range, iterates over it."""

    def __init__(self):
        self.seen = []

    def __call__(self, steps):
        self.seen.append([len(steps), 0])
        for i in steps:
            yield i
            self.seen[-1][1] += 1


def f(x):
    y = x.copy()
    y[1:] *= x[:-1]
    return np.sin(y)


def g(x):
    total = 0.0
    for v in f(x):
        total = total + v**3
    return total


X = np.linspace(0.5, 2.0, 20)


def step(x, r):
    return r * x * (1 - x)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_jacobian(mode):
    bar = Bar()
    (J,) = morula.jacobian(f, X, mode=mode, progress=bar)
    np.testing.assert_array_equal(J, morula.jacobian(f, X, mode=mode)[0])
    assert bar.seen in ([[20, 20]], [])  # nothing where all columns come from one run
    if mode == "reverse":
        assert bar.seen


def test_hessian():
    for x, h in ((X, g), (X[:3], lambda x: float(str(1.5)) * g(x))):
        bar = Bar()
        np.testing.assert_allclose(morula.hessian(h, x, progress=bar), morula.hessian(h, x), rtol=1e-12, atol=1e-14)
        assert bar.seen == [[len(x), len(x)]]


def test_back():
    _, back = morula.pullback(lambda x: g(x) + np.sqrt(x[0] - x[0]) * 0.0, X)
    bar = Bar()
    np.testing.assert_array_equal(back(2.0, progress=bar)[0], back(2.0)[0])  # strict zeros in both
    ((n, done),) = bar.seen
    assert n == done > 20


def test_checkpoint_loop():
    def loop(x, r, progress=None):
        return morula.checkpoint_loop(step, x, 30, r, snapshots=3, progress=progress)

    bar = Bar()
    assert loop(0.3, 3.1, bar) == loop(0.3, 3.1)
    assert morula.gradient(loop, 0.3, 3.1, progress=bar) == morula.gradient(loop, 0.3, 3.1)
    assert bar.seen == [[30, 30]] * 3  # plainly; forward; back


def test_inside_a_differentiated_function():
    bar = Bar()

    def outer(x, progress=None):
        return morula.jacobian(f, x, mode="reverse", progress=progress)[0].sum()

    np.testing.assert_allclose(morula.gradient(outer, X[:4], progress=bar)[0], morula.gradient(outer, X[:4])[0])
