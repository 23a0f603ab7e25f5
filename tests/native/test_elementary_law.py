"""Elementary functions answer alike in both tiers: value, first and second derivative, at the edges too."""

import itertools
import math

import numba
import numpy as np
import pytest
from morula_helpers import module_of

import morula
from chainrules.library.partials import power_dx
from morula.static.numba.elementary import elementary, table
from morula.static.numba.emit.namespace import HELPERS

inf, nan, tiny = math.inf, math.nan, 5e-324

EDGES = [
    0.0, -0.0, tiny, -tiny, 1e-310, 1e-200, -1e-200, 1e-9, -1e-9, 0.3, -0.3, 0.5, -0.5, 1.0, -1.0, 1.0 - 1e-16,
    1.5, -1.5, 2.0, -2.0, 2.5, 3.0, -3.7, 5.0, 9.0, 12.5, -12.5, 30.0, -40.0, 170.0, 800.0, -800.0, 1e16, 1e200, -1e200,
    1.7e308, inf, -inf, nan,
]  # fmt: skip
PAIRS = [
    0.0, -0.0, tiny, -1e-200, 1e-9, 0.5, -0.5, 1.0, -1.0, 2.0, 2.5, -3.0, 5.0, 3e200, -2e200, inf, -inf, nan,
]  # fmt: skip


def known_of(operands):
    """The functions of so many real numbers, with derivatives, that `math` and NumPy have."""
    for f, known in table().items():
        is_plain = isinstance(f, np.ufunc) or getattr(f, "__module__", "") == "math"
        if (
            is_plain
            and len(known.given) == operands
            and not {None, "conj"} & set(known.given)
            and "ldexp" not in known.text
        ):
            yield f


UNARY, BINARY = list(known_of(1)), list(known_of(2))
# `math`'s functions have the partials of NumPy's, so that one of two is enough for second derivatives.
APART = [list({table()[f].given: f for f in functions}.values()) for functions in (UNARY, BINARY)]


def partials_in_one(functions, points):
    """The partials of all functions at all points, compiled in one function: ``(function, argument, point)``."""
    n = len(points)
    names = ("a", "b")[:n]
    lines = ["def every(points, found):", "    for i in range(points.shape[1]):"]
    lines += [f"        {name} = points[{k}, i]" for k, name in enumerate(names)]
    for k, f in enumerate(functions):
        known = elementary(f)
        lines.append(f"        y = {known.text.format(*names)}")
        for j, partial in enumerate(known.partials):
            text = partial.format(*names, y="y").replace("sign(", "np.sign(", partial.startswith("sign("))
            lines.append(f"        found[{k}, {j}, i] = {text}")
    space = {**HELPERS, "math": math}
    exec("\n".join(lines), space)
    found = np.empty((len(functions), n, points.shape[1]))
    numba.njit(error_model="numpy")(space["every"])(points, found)
    return found


def partials_of_eager(f, at):
    """The partials at a point in the eager tier; None where the function itself raises."""
    try:
        with np.errstate(all="ignore"):
            f(*at)
            found = morula.gradient(lambda *xs: f(*xs), *at)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return [0.0 if g is None else float(g) for g in found]


def differing(functions, points):
    found = partials_in_one(functions, points)
    for k, f in enumerate(functions):
        for i, at in enumerate(points.T.tolist()):
            expected = partials_of_eager(f, at)
            # 1 - tanh^2 loses the digits in which two libraries' tanh differ
            digits = 1e-8 if f in (np.tanh, math.tanh) else 1e-13
            if expected is not None and not np.allclose(found[k, :, i], expected, digits, 0.0, equal_nan=True):
                yield f"{f.__module__ or 'numpy'}.{f.__name__}{tuple(at)}: eager {expected}, native {found[k, :, i]}"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_one_number():
    assert not list(differing(UNARY, np.array([EDGES])))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_two_numbers():
    assert not list(differing(BINARY, np.array(list(itertools.product(PAIRS, PAIRS))).T))


# -- second order, and arrays ---------------------------------------------------------------------------------

CURVED = [
    x for x in EDGES if abs(x) == 0.0 or 1e-9 <= abs(x) <= 200.0
]  # beyond, native NaNs are left to the eager tier
CURVED_PAIRS = [0.0, -0.0, 0.5, -1.0, 1.0, -3.0]


def spelled(f):
    return f"{'math' if f.__module__ == 'math' else 'np'}.{f.__name__}"


def sum_of(functions, operands):
    """A program: the sum of all functions, each of its own part of `x`."""
    parts = [", ".join(f"x[{operands * k + j}]" for j in range(operands)) for k in range(len(functions))]
    calls = [f"{spelled(f)}({part})" for f, part in zip(functions, parts, strict=True)]
    return module_of("def total(x):\n    return " + " + ".join(calls), "sum_of_all", math=math, np=np).total


def blocks(matrix, n):
    return np.array([matrix[i : i + n, i : i + n] for i in range(0, len(matrix), n)])


def harmless(f, n):
    return (1.5,) if f in (np.arccosh, math.acosh) else (0.25, 0.75)[:n]


def blocks_on_diagonal(f, x, n):
    """The blocks on the diagonal of the Hessian; there is nothing beside, as each function has variables of its own."""
    rows = [morula.hvp(f, x, np.tile(unit, len(x) // n)) for unit in np.eye(n)]
    return np.stack([row.reshape(-1, n) for row in rows], axis=1)


def eager_blocks(functions, f, at):
    """Where to take second derivatives, and these: at a harmless point where there is none, or no number."""
    n = len(at)
    x = np.tile(at, len(functions))
    for k, g in enumerate(functions):
        if partials_of_eager(g, at) is None:
            x[n * k : n * k + n] = harmless(g, n)
    with morula.tier("eager"), np.errstate(all="ignore"):
        for k in np.nonzero(~np.isfinite(blocks_on_diagonal(f, x, n)).all((1, 2)))[0]:
            x[n * k : n * k + n] = harmless(functions[k], n)
        return x, blocks_on_diagonal(f, x, n)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("functions", "points"),
    [(APART[0], [(x,) for x in CURVED]), (APART[1], list(itertools.product(CURVED_PAIRS, CURVED_PAIRS)))],
    ids=["one number", "two numbers"],
)
def test_second_order(functions, points):
    f = sum_of(functions, len(points[0]))
    compiled = numba.njit(f)
    for at in points:
        x, expected = eager_blocks(functions, f, at)
        with morula.native_mode("require"):
            found = blocks(morula.hessian(compiled, x), len(at))
        for g, a, b in zip(functions, found, expected, strict=True):
            assert np.allclose(a, b, 1e-8, 1e-15), (spelled(g), at, a, b)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("operands", [1, 2])
def test_arrays(operands):
    functions = [f for f in (UNARY, BINARY)[operands - 1] if f.__module__ != "math"][::4]  # by the same texts, all
    points = np.array([EDGES] if operands == 1 else list(zip(*itertools.product(PAIRS, PAIRS), strict=True)))
    rows = [", ".join(f"x[{operands * k + j}]" for j in range(operands)) for k in range(len(functions))]
    calls = [f"np.sum({spelled(f)}({row}) * w)" for f, row in zip(functions, rows, strict=True)]
    f = module_of("def total(x, w):\n    return " + " + ".join(calls), "sum_over_arrays", np=np).total
    x, w = np.tile(points, (len(functions), 1)), np.ones(points.shape[1])
    with np.errstate(all="ignore"):
        found = morula.gradient(numba.njit(f), x, w)[0].reshape(len(functions), operands, -1)
        for k, g in enumerate(functions):
            for at, got in zip(points.T.tolist(), found[k].T, strict=True):
                expected = partials_of_eager(g, at)
                if expected is not None:
                    np.testing.assert_allclose(got, expected, 1e-8, 0.0, err_msg=f"{spelled(g)}{at}")


@numba.njit
def many(x):
    total = np.arctan2(x[0], x[1]) + np.logaddexp(x[2], x[3]) + np.arcsinh(x[4]) * x[5] + np.expm1(x[6])
    total += np.copysign(x[7] * x[7], x[8]) + np.fmod(x[9] * x[10], x[11]) + x[12] * x[12] % x[13]
    total += np.fmax(x[14] * x[15], x[16]) + np.maximum(x[17] * x[17], x[18]) + np.fmin(x[19], x[20] * x[20])
    return total + np.sqrt(x[21] * x[21] + 1.0) * np.minimum(x[22] ** 3, x[23])


POINT = np.array([
    0.3, -0.7, 1.2, -0.4, 0.9, 1.1, -2.0, -1.5, -0.0, 2.3, 1.9, 0.7, 2.1, -0.8, 1.4, 1.3, 0.2, 1.6, 0.1, 5.0, 1.2, 0.4,
    0.6, 2.0,
])  # fmt: skip
FAR = POINT.copy()
FAR[[0, 1, 2, 3, 4, 6]] = [4e100, -3e100, 900.0, -900.0, 1e160, -40.0]


@pytest.mark.parametrize("x", [POINT, FAR])
def test_second_order_in_one_program(x):
    with morula.native_mode("require"):
        found, slope = morula.hessian(many, x), morula.gradient(many, x)[0]
    with morula.native_mode("never"):
        expected, expected_slope = morula.hessian(many, x), morula.gradient(many, x)[0]
    np.testing.assert_allclose(slope, expected_slope, rtol=1e-12)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("p", [-1.5, -0.5, 0.5, 1.5, 2.5])
def test_powers_by_half_numbers(p):
    """Their partial derivatives are spelled with square roots."""
    f = numba.njit(module_of(f"def f(x):\n    return x ** ({p})\n", f"power {p}").f)
    with morula.native_mode("require"), np.errstate(all="ignore"):
        for x in EDGES:
            if x == -inf:
                continue  # `pow` has a value there, beside numbers where it has none
            found, wanted = morula.gradient(f, x)[0], float(power_dx(None, np.float64(x), p))
            np.testing.assert_allclose(found, wanted, rtol=2e-15, err_msg=f"{x}")
            if x > 1e-200 and x < 1e200:
                second = p * (p - 1.0) * x ** (p - 2.0)
                np.testing.assert_allclose(morula.hvp(f, x, 1.0), second, rtol=1e-13, err_msg=f"{x}")
