"""What `numba.guvectorize` made: called by compiled functions, and by Python, it is the loops that it stands for."""

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from numba import float64, guvectorize, njit

import morula
from chainrules.testing import check_gradient

R = np.random.default_rng(3)
X, W, Y = R.normal(size=(4, 3)), R.normal(size=3), R.normal(size=(2, 5))


@guvectorize([(float64[:], float64[:], float64[:])], "(n),(n)->()", nopython=True)
def dots(a, b, out):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * b[i]
    out[0] = s


@guvectorize([(float64[:], float64, float64[:])], "(n),()->(n)", nopython=True)
def smoothed(x, a, out):
    out[0] = x[0]
    for i in range(1, x.shape[0]):
        out[i] = a * x[i] + (1.0 - a) * out[i - 1]


@guvectorize("(n)->(),()")
def moments(x, mean, spread):
    mean[0] = x.mean()
    spread[0] = ((x - x.mean()) ** 2).sum()


@njit
def to_one_vector(x, w):
    out = np.empty(x.shape[0])
    dots(x, w, out)
    return np.sum(out**3)


@njit
def read_before_and_after(y, a):
    out = y * a
    smoothed(y, a, out[:, ::-1])
    s = (out * y).sum()
    smoothed(out * 1.0, a * a, out)
    return s + (out**2).sum() * a


@njit
def filled_in_a_loop(x, w):
    total = 0.0
    mean, spread = np.empty(x.shape[0]), np.empty(x.shape[0])
    for k in range(3):
        moments(x * w[k], mean, spread)
        total += (mean * spread).sum() * w[k]
    return total


PROGRAMS = [(to_one_vector, (X, W)), (read_before_and_after, (Y, 0.3)), (filled_in_a_loop, (X, W))]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_compiled_callers(f, args):
    with morula.native_mode("require"):
        check_gradient(f, morula.gradient(f, *args), *args)


@pytest.mark.filterwarnings("error")
def test_called_by_python():
    def answered(x, w, a):
        return (dots(x, w) ** 2).sum() + (smoothed(x, a) * x).sum() + dots(w, w) * a

    def written(x, a):
        out = np.empty_like(x)
        smoothed(x, a, out)
        return (out**3).sum()

    for f, args in ((answered, (np.stack([X, X * X]), W, 0.4)), (written, (X, 0.4))):
        check_gradient(f, morula.gradient(f, *args), *args)
    assert morula.jvp(written, (X, 0.4), (0.0 * X, 1.0))[1] == pytest.approx(morula.gradient(written, X, 0.4)[1])


def test_sizes_that_do_not_fit():
    for f in (dots, lambda x, w: morula.gradient(lambda *args: dots(*args).sum(), x, w)):
        with pytest.raises(ValueError, match="mismatch"):
            f(X, W[:2])
