"""Loops in vectors: sums whose additions keep their order, and elements that are read before they are written."""

import re

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from morula.static.numba import vector_math
from morula.static.numba.faithful_vectors import faithful_vectors


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
    with faithful_vectors():
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
    with faithful_vectors():
        with faithful_vectors():
            pass
        inside = compiled()
        inside(*data)
    outside = compiled()
    outside(*data)
    assert vector_calls(inside) and not vector_calls(outside)


def test_it_is_off_after_an_error(data) -> None:
    if "sin" not in vector_math.available():
        pytest.skip("no vector version of sin on this machine")
    with pytest.raises(KeyError), faithful_vectors():
        raise KeyError
    outside = compiled()
    outside(*data)
    assert not vector_calls(outside)


def emptied_under_a_condition(u, c, out):
    for k in range(u.shape[0]):
        v = 7.0
        if c[np.uintp(k)] > 0.0:
            v = u[np.uintp(k)]
            u[np.uintp(k)] = c[np.uintp(k)]
        else:
            v = 5.0
        out[np.uintp(k)] = v


def a_few_summed_and_emptied(u, c, out):
    s = 0.0
    for k in range(min(u.shape[0], 7)):
        s += u[np.uintp(k)]
        u[np.uintp(k)] = 0.0
    out[0] = s


@pytest.mark.parametrize("n", [3, 7, 37])
@pytest.mark.parametrize("f", [emptied_under_a_condition, a_few_summed_and_emptied])
def test_what_is_overwritten_is_read_before(f, n) -> None:
    """LLVM moves loads under a mask past the writes after them, where Numba compiles these without the options."""
    rng = np.random.default_rng(n)
    u, c = rng.normal(size=(2, n))
    ours, plain = (u.copy(), np.zeros(n)), (u.copy(), np.zeros(n))
    with faithful_vectors():
        numba.njit(error_model="numpy")(f)(ours[0], c, ours[1])
    f(plain[0], c, plain[1])
    assert np.array_equal(ours, plain)
