"""Views that lay windows over what is no array yet, and views of arrays without elements."""

import numpy as np
import pytest
from morula_helpers import verify
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import morula

V = np.array([0.3, -1.2, 2.5, 0.9])
W = np.arange(1.0, 7.0).reshape(3, 2)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (sliding_window_view([x[0], x[1], x[2] * x[3], 1.0], 2) * W).sum(),
        lambda x: (sliding_window_view((x[0], x[1], x[2] * x[3], 1.0), window_shape=2) * W).sum(),
        lambda x: (sliding_window_view(x=[x[0], x[1], x[2] * x[3], 1.0], window_shape=2) * W).sum(),
        lambda x: (as_strided([x[0], x[1], x[2] * x[3], 1.0], (3, 2), (8, 8)) * W).sum(),
        lambda x: (sliding_window_view(x * 2.0, 2) * W).sum(),
        lambda x: (sliding_window_view(V, 2) * x[1:, None]).sum(),
    ],
)
def test_windows_over_lists(f):
    verify(f, V)


@pytest.mark.parametrize("f", [np.flip, np.fliplr, lambda x: np.rot90(x, 3), lambda x: x[:, ::-1], np.transpose])
def test_views_of_arrays_without_elements(f):
    x = np.zeros((0, 3))
    (x_bar,) = morula.gradient(lambda x: (f(x) * f(x)[...]).sum() + x.sum(), x)
    assert x_bar.shape == (0, 3)
    y, back = morula.pullback(lambda x: (f(x), f(x)), x)
    assert back((np.ones(y[0].shape), np.ones(y[1].shape)))[0].shape == (0, 3)


WRITES = [
    lambda x: x.__setitem__((0, 0), 2.0), lambda x: x.__setitem__(..., 2 * x), lambda x: x.__setitem__(x > 1, 2.0),
    lambda x: x.fill(2.0), lambda x: np.add(x, 1.0, out=x), lambda x: x.flat.__setitem__(1, 2.0),
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
def test_writes_into_arguments_whose_elements_share_memory(write):
    """Refused by name, as such arguments are; where NumPy lets nobody write, it raises what NumPy raises."""

    def f(x):
        write(x)
        return x.sum()

    with pytest.raises(morula.NotDifferentiable, match="elements share memory"):
        morula.gradient(f, as_strided(V.copy(), (2, 3), (8, 8)))
    with pytest.raises(ValueError, match="read-only"):
        morula.gradient(f, np.broadcast_to(V, (2, 4)))


@pytest.mark.parametrize(
    "view", [lambda x: np.broadcast_to(x, (2, 4)), lambda x: x.view(), lambda x: x.real, lambda x: x[1:], np.asarray]
)
def test_views_of_arguments_whose_elements_share_memory(view):
    with pytest.raises(morula.NotDifferentiable, match="elements share memory"):
        morula.gradient(lambda x: view(x).sum(), np.broadcast_to(V[:1], (4,)))
