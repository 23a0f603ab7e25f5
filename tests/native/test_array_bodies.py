"""Functions of arrays with plain bodies: NumPy's values, and the library's derivatives in compiled code."""

import linecache

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from array_rule_checks import near, often, unoptimised
from morula_helpers import assert_differences

import morula
from extent import part_of
from morula.static.front import array_bodies as bodies
from morula.static.numba.array_rules import RULES

rng = np.random.default_rng(4)


def array(shape, dtype=float):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x, dtype)


def with_nans(shape, dtype=float):
    x = array(shape, dtype)
    x.flat[1::3] = np.nan
    return x


SIZES = [(5, 3), (3, 5), (4, 4), (4, 1), (1, 3), (4, 2), (2, 5)]
SAME_IN_PYTHON = [
    *[(bodies.CONVOLVED[mode], np.convolve, mode) for mode in bodies.CONVOLVED],
    *[(bodies.CORRELATED[mode], np.correlate, mode) for mode in bodies.CORRELATED],
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_convolutions_have_numpys_values(sizes):
    for body, f, mode in SAME_IN_PYTHON:
        for dtype in (float, complex):
            a, v = array(sizes[0], dtype), array(sizes[1], dtype)
            np.testing.assert_allclose(body(a, v), f(a, v, mode), rtol=1e-12, atol=1e-12)


def test_other_bodies_have_numpys_values():
    for x in (array(5), array((3, 4)), array((0, 3)), array((2, 2, 3), complex)):
        np.testing.assert_array_equal(bodies.diff(x), np.diff(x))
        np.testing.assert_allclose(bodies.trapezoid_of_rows(x, 0.3), np.trapezoid(x, dx=0.3))
        np.testing.assert_allclose(
            bodies.trapezoid_of_rows_at(x, np.sqrt(np.arange(x.shape[-1]))),
            np.trapezoid(x, np.sqrt(np.arange(x.shape[-1]))),
        )
        np.testing.assert_allclose(bodies.cumsum(x.ravel()), np.cumsum(x))
    x = array(1)
    assert bodies.trapezoid(x, 1.0) == bodies.trapezoid_at(x, x) == 0
    for x in (with_nans(7), with_nans((3, 4)).T, array((2, 3)), with_nans(5, complex)):
        for body, f in [
            (bodies.nansum, np.nansum), (bodies.nanprod, np.nanprod), (bodies.nanmean, np.nanmean),
            (bodies.nancumsum, np.nancumsum), (bodies.nancumprod, np.nancumprod),
        ]:  # fmt: skip
            np.testing.assert_allclose(body(x), f(x), rtol=1e-12)


def test_every_function_is_stated_once():
    assert set(bodies.BODIES) & set(RULES) == {np.cumsum}  # along an axis it has a rule


SINGLE = [
    ("np.diff(x)", (array(5, np.float32),)),
    ("np.clip(x, z, 0.5)", (array(4, np.float32), np.float32(-0.5))),
    ("np.convolve(x, z)", (array(4, np.float32), array(3, np.float32))),
    ("np.cumsum(x)", (array(4, np.float32),)),
    ("np.nanmean(x)", (with_nans(4, np.float32),)),
]
DOUBLE = [
    ("np.convolve(x, z, 'same')", (array(4), array(3))),
    ("np.diff(x, 2)", (array((2, 4)),)),
    ("np.clip(x, None, z)", (array((2, 3)), array(3))),
    ("np.trapezoid(x, z)", (array((2, 4), complex), array(4))),
    ("np.nanprod(x)", (with_nans(4),)),
    ("np.average(x, weights=z)", (array((2, 3)), 3 + array((2, 3), complex))),
    ("np.cumsum(x)", (array((2, 3)).T,)),
    ("np.correlate(x, z, mode='same')", (array(2, complex), array(5, complex))),
    ("np.diff(x, 3)", (array((2, 2, 3)),)),
    ("np.diff(x, 0)", (array(3),)),
    ("np.diff(x, n=2)", (array(2),)),
    ("np.diff(x, 2)", (array((2, 4), complex),)),
    ("np.convolve(x, z, mode='valid')", (array(3), array(5, complex))),
    ("np.correlate(x, z)", (array(5), array(2))),
    ("np.correlate(x, z, 'full')", (array(5), array(2, complex))),
    ("np.trapezoid(x)", (array(5),)),
    ("np.trapezoid(x, None, z)", (array((2, 4)), 0.3)),
    ("np.trapezoid(x, dx=z)", (array(4, complex), 0.3)),
    ("np.trapezoid(x, z)", (array(4), array(4))),
    ("np.trapezoid(x)", (array(1),)),
    ("np.clip(x, z, None)", (array((2, 3)), array(3))),
    ("np.clip(x, z, 0.5)", (array((2, 3)), array(3))),
    ("np.clip(x, a_min=z, a_max=0.4)", (array((2, 3)), -0.3)),
    ("np.clip(x, z, 3.0)", (np.array([1.0, 2.0, 3.0, np.nan]), 1.0)),
    ("np.clip(x, z, 1.0)", (np.array([1.0, 2.0, 3.0]), 3.0)),
    ("np.clip(x, z, x - 1.0)", (np.array([0.0, 0.0]), np.array([1.0, 2.0]))),
    ("np.average(x)", (array((2, 3)),)),
    ("np.average(x, None, z)", (array(3), np.abs(array(3)))),
    ("np.nansum(x)", (with_nans((3, 4)),)),
    ("np.nansum(x)", (with_nans(5, complex),)),
    ("np.nanmean(x)", (with_nans(7),)),
    ("np.nanmean(x)", (with_nans(5, complex),)),
    ("np.nancumsum(x)", (with_nans((3, 4)),)),
    ("np.nancumprod(x)", (with_nans(7),)),
    ("np.nanprod(x)", (with_nans((2, 3), complex),)),
    ("np.ravel(x)", (array((3, 2)).T,)),
    ("x[:, ::2].flatten()", (array((3, 4), complex),)),
    ("np.mean(a=x) * z", (array(3), 2.0)),
    ("np.concatenate((x, z))", (array(2), array(3, complex))),
    ("np.concatenate((x, z), 1)", (array((2, 3)), array((2, 1)))),
    ("np.concatenate((x, z), axis=-1)", (array((2, 3, 1)), array((2, 3, 2), complex))),
    ("np.stack((x, z), 1)", (array((2, 3)), array((2, 3)))),
    ("np.stack((x, z), -1)", (array(2), array(2, complex))),
    ("np.hstack((x, z))", (array((2, 3)), array((2, 1)))),
    ("np.vstack((x, z))", (array(2), array(2))),
    ("np.vstack((x, z))", (array((2, 3)), array((1, 3)))),
    ("np.column_stack((x, z))", (array(2), array(2))),
    ("np.full((2, 2), z)", (array(2), 2.0 + 1j)),
    ("np.full_like(x, z)", (array(2), 1.5)),
    ("np.array([z, x[0]])", (array(2), 1.5)),
    ("np.select((x > 0, x > -1), (x * x, z), 2.5)", (array((2, 3)), array((2, 3)))),
    ("np.select((np.real(x) > 0,), (x,), z)", (array((2, 3), complex), 1.5 + 1j)),
    ("np.reshape(x, (3, 4))", (array((2, 6)),)),
    ("np.transpose(x, (1, 2, 0))", (array((2, 3, 4)),)),
]


def loss(text, args, y):
    """The real part of the inner product of what a text computes with a seed, as a function."""
    names = ", ".join(["x", "z"][: len(args)])
    part = "y" if np.isrealobj(y) else "(np.real(y) + np.imag(y))"
    lines = [
        f"def loss({names}, w):\n",
        f"    y = {text}\n",
        f"    return {f'({part} * w).sum()' if np.ndim(y) else f'{part} * w'}\n",
    ]
    file = f"<{text} {len(linecache.cache)}>"
    linecache.cache[file] = (0, None, lines, file)
    space = {"np": np}
    exec(compile("".join(lines), file, "exec"), space)
    return space["loss"]


@pytest.mark.parametrize(
    "case", often(DOUBLE, 9) + often(SINGLE, 3), ids=lambda case: f"{case[0]}-{case[1][0].dtype}{case[1][0].shape}"
)
@pytest.mark.filterwarnings("ignore")
def test_derivatives_are_those_of_the_library(case):
    text, args = case
    y = eval(text, {"np": np, "x": args[0], "z": args[-1]})
    w = rng.standard_normal(np.shape(y)) if np.ndim(y) else 0.7
    f = loss(text, args, y)
    single = args[0].dtype == np.float32
    tol = 2e-5 if single else 1e-10
    with unoptimised(numba), morula.native_mode("require"):
        found = morula.gradient(numba.njit(f), *args, w)
    for bar, expected, x in zip(found[:-1], morula.gradient(f, *args, w)[:-1], args, strict=True):
        zero = np.zeros(np.shape(x))
        bar, expected = (zero if g is None else g for g in (bar, expected))
        near(bar, expected, tol, text)
        assert not single or np.shape(bar) == () or bar.dtype == np.float32


TWICE = ["np.convolve(x, x * x)", "np.nanmean(x * x)", "np.diff(np.cumsum(x**3), 2)", "np.clip(x * x, 0.1, None)"]


@pytest.mark.parametrize("text", part_of(TWICE, 2))
def test_second_derivatives(text):
    x, v = array(4), array(4)
    f = loss(f"np.sum({text} * np.sqrt(np.arange(1.0, {np.size(eval(text, {'np': np, 'x': x})) + 1})))", (x,), 1.0)
    assert f.__code__.co_varnames[:2] == ("x", "w")
    with unoptimised(numba), morula.native_mode("require"):
        found = morula.hvp(numba.njit(f), x, v, w=0.7)
    near(found, morula.hvp(f, x, v, w=0.7), 1e-9, text)


def test_errors_are_those_of_the_compiled_functions():
    @numba.njit
    def shares(x, weights):
        return np.average(x, weights=weights)

    @numba.njit
    def blurred(x, v):
        return np.convolve(x, v).sum()

    with morula.native_mode("require"):
        with pytest.raises(ZeroDivisionError, match="sum to zero"):
            morula.gradient(shares, array(2), np.array([1.0, -1.0]))
        with pytest.raises(ValueError, match="'v' cannot be empty"):
            morula.gradient(blurred, array(2), np.zeros(0))


def test_functions_of_no_module(tmp_path):
    """Of which `exec` has made them in a namespace without a name, from a file."""
    path = tmp_path / "program.py"
    path.write_text("def program(x, y):\n    return np.interp(0.4, x, y) ** 2\n")

    def args():
        return np.array([0.1, 0.3, 0.9]), np.array([1.0, 2.0, -1.0])

    space = {"np": np}
    exec(compile(path.read_text(), str(path), "exec"), space)
    f = numba.njit(space["program"])
    with morula.native_mode("require"):
        g = morula.gradient(f, *args())
    assert_differences(f, args(), g)
