"""Forward mode: what `jvp` takes and gives."""

from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

from morula import SeedError, jvp


def test_a_complex_tangent_of_a_real_number_is_refused():
    for x, t in ((1.0, 1j), (np.ones(2), 1j * np.ones(2))):
        with pytest.raises(SeedError, match="is complex, and the primal is real"):
            jvp(lambda x: x * 2.0, (x,), (t,))


@dataclass
class Weights:
    w: np.ndarray
    b: float


def test_the_direction_of_an_object_with_arrays_is_such_an_object():
    def f(p):
        return (p.w**2).sum() * p.b**2

    point, along = Weights(np.array([1.0, 2.0]), 3.0), Weights(np.array([0.5, -1.0]), 2.0)
    value, slope = jvp(f, (point,), (along,))
    moved = [f(Weights(point.w + h * along.w, point.b + h * along.b)) for h in (1e-6, -1e-6)]
    assert value == f(point)
    assert slope == pytest.approx((moved[0] - moved[1]) / 2e-6, rel=1e-8)


@pytest.mark.parametrize("kind", [list, deque, tuple])
def test_the_tangent_of_a_sequence_is_one_of_its_items(kind):
    def f(values):
        a, b = values
        return kind([a * b, a**2, 1.0, {"b": b}])

    _, tangent = jvp(f, (kind([3.0, 2.0]),), ([1.0, 0.5],))
    assert list(tangent) == [3.5, 6.0, 0.0, {"b": 0.5}]


def test_the_tangent_of_a_set_is_that_of_each_member_as_its_gradient_is():
    value, tangent = jvp(lambda x: {x**2, 7.0, "a"}, (3.0,), (1.0,))
    assert value == {9.0, 7.0, "a"} and tangent == {9.0: 6.0, 7.0: 0.0, "a": None}
