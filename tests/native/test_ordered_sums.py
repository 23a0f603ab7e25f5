"""Sums whose terms are vectorised and whose additions keep their order."""

import re

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from morula.static.numba import vector_math
from morula.static.numba.ordered_sums import ordered_sums


def compiled():
    @numba.njit(error_model="numpy")
    def total(x, w):
        s = 0.25
        for i in range(x.size):
            s += vector_math.sin(x[i]) * w[i]
        return s

    return total


def vector_calls(f) -> set[str]:
    return set(re.findall(r"_ZGV\w+", next(iter(f.inspect_asm().values()))))


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=1003) * 10.0 ** rng.integers(-8, 8, 1003), rng.normal(size=1003)


def test_terms_are_vectorised_and_added_in_order(data) -> None:
    x, w = data
    with ordered_sums():
        total = compiled()
        s = total(x, w)

    @numba.njit(error_model="numpy")
    def terms(x, w):
        t = np.empty_like(x)
        for i in range(x.size):
            t[i] = vector_math.sin(x[i]) * w[i]
        return t

    in_order = 0.25
    for t in terms(x, w).tolist():
        in_order += t
    assert s == in_order
    assert np.sum(terms(x, w)[::-1]) + 0.25 != in_order  # another order can be told from this one
    if "sin" in vector_math.available():
        assert vector_calls(total)


def test_the_option_is_off_afterwards_and_can_be_nested(data) -> None:
    if "sin" not in vector_math.available():
        pytest.skip("no vector version of sin on this machine")
    with ordered_sums():
        with ordered_sums():
            pass
        inside = compiled()
        inside(*data)
    outside = compiled()
    outside(*data)
    assert vector_calls(inside) and not vector_calls(outside)


def test_it_is_off_after_an_error(data) -> None:
    if "sin" not in vector_math.available():
        pytest.skip("no vector version of sin on this machine")
    with pytest.raises(KeyError), ordered_sums():
        raise KeyError
    outside = compiled()
    outside(*data)
    assert not vector_calls(outside)
