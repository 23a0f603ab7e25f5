"""Forward mode: what `jvp` takes and gives."""

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
