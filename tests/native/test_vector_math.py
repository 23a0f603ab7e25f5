"""The vector versions of elementary functions: their values everywhere, and that loops use them."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from morula.static.numba import vector_math

L = np.longdouble
REFERENCE = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "erf": np.vectorize(lambda x: L(math.erf(x))), "erfc": np.vectorize(lambda x: L(math.erfc(x))),
    "cbrt": np.cbrt, "pow": np.power, "hypot": np.hypot, "atan2": np.arctan2,
}  # fmt: skip
BINARY = ["pow", "hypot", "atan2"]
UNARY = [n for n in REFERENCE if n not in BINARY]
DTYPES = [np.float64, np.float32]


def is_vectorised(f, name: str, dtype=np.float64) -> bool:
    suffix = "f" if dtype is np.float32 else ""
    return any(re.search(rf"_ZGV[de]N\d+v+_{name}{suffix}\b", asm) for asm in f.inspect_asm().values())


def must_be_vectorised(f, *names: str, dtype=np.float64) -> None:
    for name in names:
        assert is_vectorised(f, name, dtype) == (name in vector_math.available()), name


def mapped(name: str):
    g = getattr(vector_math, name)
    if name in BINARY:

        @numba.njit(error_model="numpy")
        def loop(x, y, out):
            for i in range(out.size):
                out[i] = g(x[i], y[i])
    else:

        @numba.njit(error_model="numpy")
        def loop(x, out):
            for i in range(out.size):
                out[i] = g(x[i])

    return loop


def points(dtype, n: int) -> np.ndarray:
    """Special values, numbers of every magnitude, and those around one where most functions bend."""
    rng = np.random.default_rng(0)
    info = np.finfo(dtype)
    ends = [
        0,
        1,
        0.5,
        2,
        np.inf,
        info.max,
        info.tiny,
        info.smallest_subnormal,
        info.eps,
        1 + info.eps,
        1 - info.eps / 2,
    ]
    angles = [np.pi, np.pi / 2, 1e22, 709.78, 709.79, 710.48, 745.2, 708.5, 88.73, 89.5, 103.9, 104.1, 26.6, 10.1]
    special = np.array(ends + angles, dtype=L)
    smallest, largest = (1e-320, 1e308) if dtype is np.float64 else (2e-45, 3e38)
    magnitudes = np.exp(rng.uniform(np.log(smallest), np.log(largest), n)) * rng.choice([-1, 1], n)
    near = [rng.uniform(-w, w, n) for w in (1, 10, 750)]
    with np.errstate(under="ignore", over="ignore"):
        return np.concatenate([special, -special, [np.nan], magnitudes, *near]).astype(dtype)


def ulps(got: np.ndarray, exact: np.ndarray, dtype) -> np.ndarray:
    """Errors in units of the last place; infinite where one is NaN, infinite or of another zero and the other not."""
    with np.errstate(all="ignore"):
        expected = exact.astype(dtype)
        error = np.abs(got.astype(L) - exact) / np.spacing(np.abs(expected))
    same = ((got == expected) & np.isinf(expected)) | (np.isnan(got) & np.isnan(expected))
    wrong_kind = (np.isnan(got) != np.isnan(expected)) | (np.isinf(got) != np.isinf(expected))
    wrong_zero = (got == 0) & (expected == 0) & (np.signbit(got) != np.signbit(expected))
    return np.where(same, 0, np.where(wrong_kind | wrong_zero, np.inf, error)).astype(float)


def check_accuracy(name: str, dtype, *xs: np.ndarray) -> None:
    out = np.empty_like(xs[0])
    loop = mapped(name)
    loop(*xs, out)
    with np.errstate(all="ignore"):
        exact = np.asarray(REFERENCE[name](*(x.astype(L) for x in xs)), dtype=L)
    errors = ulps(out, exact, dtype)
    worst = int(np.argmax(errors))
    # 4 is glibc's bound; the reference of erf and erfc, and that of others where long double is double, adds 1.
    assert errors[worst] <= 5, f"{errors[worst]} ulp at {[float(x[worst]) for x in xs]}: {out[worst]}"
    must_be_vectorised(loop, name, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_values_everywhere(name: str, dtype) -> None:
    check_accuracy(name, dtype, points(dtype, 4000))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_values_of_two_arguments_everywhere(name: str, dtype) -> None:
    rng = np.random.default_rng(1)
    x = points(dtype, 1000)
    every = [a.ravel() for a in np.meshgrid(x[:51], x[:51])]
    first = np.concatenate([every[0], x, np.abs(x)])
    second = np.concatenate([every[1], rng.permutation(x), rng.uniform(-30, 30, x.size).astype(dtype)])
    check_accuracy(name, dtype, first, second)


def test_every_name_is_tested() -> None:
    names = {n for n in vector_math.__all__ if n not in ("available", "variant")}
    assert names == set(REFERENCE)
    assert vector_math.available() <= names


@pytest.mark.parametrize("name", ["sin", "log", "tanh"])
def test_the_remainder_of_a_loop_and_single_numbers_are_the_ordinary_function(name: str) -> None:
    g, plain = getattr(vector_math, name), getattr(math, name)
    single = numba.njit(lambda x: g(x))
    xs = np.random.default_rng(2).uniform(0.1, 9, 3)
    assert [single(x) for x in xs] == [plain(x) for x in xs]
    out = np.empty(3)
    mapped(name)(xs, out)
    assert out.tolist() == [plain(x) for x in xs]


def test_types_of_numbers() -> None:
    @numba.njit
    def f(n, x32, x64):
        return vector_math.sin(n), vector_math.hypot(x32, x64), vector_math.exp(n > 0)

    values = f(3, np.float32(0.5), 0.25)
    assert f.nopython_signatures[0].return_type == numba.types.UniTuple(numba.float64, 3)
    assert values == pytest.approx((math.sin(3), math.hypot(0.5, 0.25), math.e))
    single = numba.njit(lambda x, y: vector_math.hypot(x, y))
    single(np.float32(0.5), np.float32(0.5))
    assert single.nopython_signatures[0].return_type == numba.float32


def test_it_may_stand_for_math() -> None:
    space = {"math": vector_math}
    exec("def f(x): return math.sin(x) * math.sqrt(x) + math.pi + math.lgamma(x) if x > -math.inf else 0.0", space)
    expected = math.sin(0.5) * math.sqrt(0.5) + math.pi + math.lgamma(0.5)
    assert numba.njit(space["f"])(0.5) == pytest.approx(expected, rel=1e-15)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = vector_math.no_such_name


def test_complex_numbers_are_refused() -> None:
    f = numba.njit(lambda x: vector_math.sin(x))
    with pytest.raises(numba.core.errors.TypingError):
        f(1j)


def test_loops_over_two_arrays_into_two() -> None:
    @numba.njit(error_model="numpy")
    def backward(x, y, y_bar, x_bar):
        for i in range(x.size):
            x_bar[i] += y_bar[i] * vector_math.cos(x[i]) / vector_math.exp(y[i])
            y_bar[i] = 0.0

    x, y, y_bar = np.random.default_rng(3).normal(size=(3, 1003))
    x_bar = np.ones_like(x)
    expected = 1 + y_bar * np.cos(x) / np.exp(y)
    backward(x, y, y_bar, x_bar)
    np.testing.assert_allclose(x_bar, expected, rtol=1e-12)
    assert not y_bar.any()
    must_be_vectorised(backward, "cos", "exp")


def test_loops_over_a_matrix_and_in_callees() -> None:
    @numba.njit(error_model="numpy")
    def cell(x):
        return vector_math.tanh(x) * x

    @numba.njit(error_model="numpy")
    def f(x):
        y = np.empty_like(x)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                y[i, j] = cell(x[i, j])
        return y

    x = np.random.default_rng(4).normal(size=(30, 101))
    np.testing.assert_allclose(f(x), np.tanh(x) * x, rtol=1e-14)
    must_be_vectorised(f, "tanh")


def test_parallel_loops() -> None:
    @numba.njit(error_model="numpy", parallel=True)
    def f(x):
        y = np.empty_like(x)
        for i in numba.prange(x.size):
            y[i] = vector_math.erf(x[i])
        return y

    x = np.random.default_rng(5).normal(size=1003)
    np.testing.assert_allclose(f(x), [math.erf(v) for v in x], rtol=1e-14)
    must_be_vectorised(f, "erf")


def test_two_dtypes_in_one_loop() -> None:
    @numba.njit(error_model="numpy")
    def f(x32, x64, y32, y64):
        for i in range(x32.size):
            y32[i] = vector_math.sin(x32[i])
            y64[i] = vector_math.sin(x64[i]) * x32[i]

    x64 = np.random.default_rng(6).normal(size=1003)
    x32, y32, y64 = x64.astype(np.float32), np.empty(1003, np.float32), np.empty(1003)
    f(x32, x64, y32, y64)
    np.testing.assert_allclose(y32, np.sin(x32), rtol=1e-6)
    np.testing.assert_allclose(y64, np.sin(x64) * x32, rtol=1e-14)


def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MORULA_VECTOR_MATH", "0")
    assert vector_math.available() == frozenset()
    assert vector_math.variant() == ""
    for name in ("sin", "log1p"):
        loop, x = mapped(name), np.linspace(0, 10, 103)
        out = np.empty_like(x)
        loop(x, out)
        assert out.tolist() == [getattr(math, name)(v) for v in x]
        assert not is_vectorised(loop, name)


def python(code: str, **environment: str) -> str:
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_processor_without_these_registers_gets_the_scalar_functions() -> None:
    """Numba can be told to compile for another processor: arguments would be passed in other registers."""
    code = (
        "import math, numba, numpy as np; from morula.static.numba import vector_math\n"
        "print(sorted(vector_math.available()), vector_math.variant())\n"
        "def f(x): return vector_math.sin(x)\n"
        "g = numba.vectorize(['f8(f8)', 'f4(f4)'])(f)\n"
        "x = np.arange(100.0)\n"
        "print(g(x).tolist() == [math.sin(v) for v in x], abs(g(x.astype('f4')) - np.sin(x)).max() < 1e-6)"
    )
    printed = python(code, NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES="+sse2,-avx")
    assert printed.splitlines() == ["[] ", "True True"]


MODULES = {
    "vector_kernels": """
import numba
from morula.static.numba import vector_math
@numba.njit(error_model="numpy", cache=True)
def waves(x, y):
    for i in range(x.size):
        y[i] = vector_math.sin(x[i])
""",
    "vector_user": """
import numba
from vector_kernels import waves
@numba.njit(cache=True)
def twice(x, y):
    waves(x, y)
    y *= 2
""",
}
USE = """
import sys, numpy as np
from {module} import {name}
x = np.linspace(0, 10, 103)
y = np.empty_like(x)
{name}(x, y)
print(float(abs(y - {factor} * np.sin(x)).max()), sum({name}.stats.cache_hits.values()))
"""


@pytest.mark.parametrize(("module", "name", "factor"), [("vector_kernels", "waves", 1), ("vector_user", "twice", 2)])
def test_cached_code_is_loaded_in_a_new_process(module: str, name: str, factor: int, tmp_path: Path) -> None:
    for file, source in MODULES.items():
        (tmp_path / f"{file}.py").write_text(source)
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    run = USE.format(module=module, name=name, factor=factor)
    for hits, switch in [(0, "1"), (1, "1"), (1, "0")]:  # what was cached with vector calls runs when they are off, too
        printed = python(run, PYTHONPATH=paths, NUMBA_CACHE_DIR=str(tmp_path / "cache"), MORULA_VECTOR_MATH=switch)
        error, loaded = printed.split()
        assert float(error) < 1e-15 and int(loaded) == hits
