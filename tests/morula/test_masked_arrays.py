"""Masked arrays: NumPy's own Python over a plain array and a mask."""

import numpy as np
import pytest
from morula_helpers import verify

import morula

X = np.array([1.0, 1.4, 2.0, 1.7])
HIDE = np.array([False, True, False, False])
PLAIN = np.ma.array([1.0, 2.0, 3.0, 4.0])
HIDDEN = np.ma.array([1.0, 2.0, 3.0, 4.0], mask=HIDE)
ma = np.ma


def masked(x):
    return ma.array(x * x, mask=HIDE)


def written(x):
    a = ma.zeros(4)
    a[:] = x * x
    a[1] = ma.masked
    a[2] = 3 * x[2]
    return a.sum()


def in_place(x):
    a = ma.array(x * 1.0, mask=HIDE)
    a += x
    a *= 2.0
    return a.sum()


def filtered(x):
    """As the Kalman filters of pykalman look at their observations."""
    seen, mean = ma.asarray(x * 2.0), np.zeros(1)
    for t in range(4):
        if not np.any(ma.getmask(seen[t : t + 1])):
            mean = mean + np.dot(np.eye(1), seen[t : t + 1] - mean) * 0.3
    return mean[0]


PROGRAMS = {
    "constant plus active": lambda x: (HIDDEN + x).sum() + (x - HIDDEN).mean(),
    "nothing hidden": lambda x: (PLAIN * x).mean() + np.dot(np.ones((2, 4)), PLAIN - x).sum(),
    "matrix product": lambda x: (np.eye(4) @ (PLAIN - x)).sum(),
    "made of active values": lambda x: ma.masked_array(x * x, mask=HIDE).mean(),
    "hidden by a condition": lambda x: ma.masked_greater(x * 2, 3.0).sum(),
    "filled": lambda x: ma.masked_where(x > 1.5, x).filled(7.0).sum(),
    "not numbers": lambda x: ma.masked_invalid(np.array([1.0, np.nan, 1.0, 1.0]) * x).sum(),
    "mended": lambda x: ma.fix_invalid(np.array([1.0, np.nan, 1.0, 1.0]) * x, fill_value=2.0).sum(),
    "spread": lambda x: masked(x).std() + ma.var(masked(x)) + (masked(x).anom() ** 2).sum(),
    "functions of ma": lambda x: ma.exp(masked(x)).sum() + ma.log(ma.array(x - 1.2)).sum() + ma.sqrt(x - 1.2).sum(),
    "ufuncs": lambda x: np.exp(ma.array(x, mask=HIDE)).sum() + (-masked(x)).sum(),
    "division": lambda x: (ma.array(x, mask=HIDE) / ma.array([1.0, 2.0, 0.0, 3.0])).sum(),
    "powers": lambda x: (masked(x) ** 2).sum() + ma.power(masked(x), 1.5).sum(),
    "items": lambda x: masked(x)[2] * 3.0 + masked(x)[1:].sum(),
    "compressed": lambda x: (masked(x).compressed() * np.arange(3.0)).sum(),
    "order": lambda x: masked(x).max() + ma.median(masked(x)) + ma.sort(masked(x))[0],
    "averages": lambda x: ma.average(masked(x), weights=[1.0, 2.0, 3.0, 4.0]),
    "functions of NumPy": lambda x: np.sum(masked(x)) + np.mean(masked(x)) + np.cumsum(masked(x)).sum(),
    "memory": lambda x: (masked(x).data * 2).sum() + np.asarray(masked(x)).sum(),
    "shapes": lambda x: masked(x).reshape(2, 2).sum(axis=0)[1] + ma.concatenate([masked(x), HIDDEN]).sum(),
    "products": lambda x: ma.dot(ma.array(np.outer(x, x)), masked(x)).sum() + ma.array(np.outer(x, x)).T.sum(),
    "written": written,
    "in place": in_place,
    "filtered": filtered,
}  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_masked_arrays(f):
    verify(f, X)
    v = np.array([0.3, -0.2, 0.5, 0.1])
    h = 1e-6
    wanted = (f(X + h * v) - f(X - h * v)) / (2 * h)
    assert morula.jvp(f, (X,), (v,))[1] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.filterwarnings("ignore:Warning. .partition. will ignore:UserWarning")
@pytest.mark.parametrize("f", [np.median, np.linalg.norm, np.ptp, np.var], ids=lambda f: f.__name__)
def test_functions_that_know_no_masks_are_right_or_refused(f):
    """Hidden zeros and large numbers: the value is that of the plain program, or it is refused."""

    def loss(x):
        return 1.0 * f(ma.array(x * np.array([1.0, 0.0, 1.0, 1.0]), mask=HIDE))

    try:
        verify(loss, X)
    except morula.NotDifferentiable as refusal:
        assert "masked array" in str(refusal)


def test_masked_arrays_as_arguments_are_refused():
    with pytest.raises(morula.NotDifferentiable, match="masked array"):
        morula.gradient(lambda x: x.sum(), HIDDEN)
