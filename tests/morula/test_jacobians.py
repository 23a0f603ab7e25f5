"""`jacobian`, `withjacobian`, `wirtinger`: against central differences, complex steps and each other."""

import dataclasses
from collections import namedtuple

import numpy as np
import pytest
from scipy.optimize._numdiff import approx_derivative

import morula
from chainrules import Tangent
from morula import jacobian, wirtinger, withjacobian

MODES = ["forward", "reverse", None]
A = np.array([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]])
X = np.array([0.4, -0.8, 1.3])
Pair = namedtuple("Pair", "low high")


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float
    name: str = "p"


def linear(x):
    return A @ x


def waves(x):
    return np.sin(A @ x) * x[0]


def in_place(x):
    y = x.copy()
    y[0] *= y[1]
    for i in range(1, 3):
        y[i] += np.sin(y[i - 1])
    return y


def matrix(x):
    return np.outer(x, np.exp(x)) + x[0] * np.eye(3)


def a_list(x):
    return np.array([x[0] * x[1], x[2] ** 3, abs(x[1])])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [linear, waves, in_place, matrix, a_list])
def test_against_differences(f, mode) -> None:
    (found,) = jacobian(f, X, mode=mode)
    want = approx_derivative(lambda x: f(x).ravel(), X, method="3-point")
    assert found.shape == f(X).shape + X.shape and found.dtype == float
    np.testing.assert_allclose(found.reshape(want.shape), want, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
def test_the_shape_is_that_of_result_and_argument(mode) -> None:
    def f(x, k, z):
        return k * np.tensordot(x, np.ones((4, 2)), ([0], [1])) + z

    x, z = np.arange(6.0).reshape(2, 3), np.zeros((3, 1))
    by_x, by_k, by_z = jacobian(f, x, 2.0, z, mode=mode)
    assert by_x.shape == (3, 4, 2, 3) and by_k.shape == (3, 4) and by_z.shape == (3, 4, 3, 1)
    for i in np.ndindex(2, 3):
        step = np.zeros((2, 3))
        step[i] = 1e-3
        want = (f(x + step, 2.0, z) - f(x - step, 2.0, z)) / 2e-3
        np.testing.assert_allclose(by_x[(..., *i)], want, atol=1e-8)
    np.testing.assert_allclose(by_k, f(x, 3.0, z) - f(x, 2.0, z))
    np.testing.assert_allclose(by_z[..., 0], np.eye(3)[:, None, :] * np.ones((3, 4, 3)))


@pytest.mark.parametrize("mode", MODES)
def test_numbers(mode) -> None:
    assert jacobian(lambda x: x**3, 2.0, mode=mode) == (12.0,)
    assert type(jacobian(lambda x: x**3, 2.0, mode=mode)[0]) is float
    assert type(jacobian(lambda x: x**3, 2, mode=mode)[0]) is float
    assert type(jacobian(lambda x: x * x, np.float32(2.0), mode=mode)[0]) is np.float32
    (row,) = jacobian(lambda x: (x**2).sum(), X, mode=mode)
    np.testing.assert_allclose(row, 2 * X)
    (column,) = jacobian(lambda k: k * X, 3.0, mode=mode)
    np.testing.assert_allclose(column, X)
    (zero_d,) = jacobian(lambda x: x * 2.0, np.array(1.5), mode=mode)
    assert zero_d.shape == () and isinstance(zero_d, np.ndarray) and zero_d == 2.0


@pytest.mark.parametrize("mode", MODES)
def test_structures_in_and_out(mode) -> None:
    def f(p, q):
        return {"y": p["a"] * q.high, "pair": Pair(q.low + p["a"][0], "text"), "more": [p["b"] * p["a"]]}

    p, q = {"a": np.array([1.0, 2.0]), "b": 3.0}, Pair(4.0, 5.0)
    by_p, by_q = jacobian(f, p, q, mode=mode)
    assert list(by_p) == ["y", "pair", "more"] and isinstance(by_p["pair"], Pair)
    np.testing.assert_allclose(by_p["y"]["a"], 5.0 * np.eye(2))
    np.testing.assert_allclose(by_p["y"]["b"], [0.0, 0.0])
    np.testing.assert_allclose(by_p["pair"].low["a"], [1.0, 0.0])
    assert by_p["pair"].low["b"] == 0.0 and by_p["pair"].high is None
    np.testing.assert_allclose(by_p["more"][0]["a"], 3.0 * np.eye(2))
    np.testing.assert_allclose(by_p["more"][0]["b"], [1.0, 2.0])
    np.testing.assert_allclose(by_q["y"].high, [1.0, 2.0])
    assert by_q["pair"].low == Pair(1.0, 0.0)


@pytest.mark.parametrize("mode", MODES)
def test_objects(mode) -> None:
    (by_p,) = jacobian(lambda p: p.w * p.b, Params(X, 2.0), mode=mode)
    assert isinstance(by_p, Tangent) and by_p.name is None
    np.testing.assert_allclose(by_p.w, 2 * np.eye(3))
    np.testing.assert_allclose(by_p.b, X)
    (of_object,) = jacobian(lambda x: Params(x * 2, x[0]), X, mode=mode)
    assert isinstance(of_object, Tangent)
    np.testing.assert_allclose(of_object.w, 2 * np.eye(3))
    np.testing.assert_allclose(of_object.b, [1.0, 0.0, 0.0])


@pytest.mark.parametrize("mode", MODES)
def test_what_does_not_depend_is_zero_and_what_cannot_is_none(mode) -> None:
    by_x, by_unused, by_text = jacobian(lambda x, unused, text: (x * 2, 7.0, np.ones(2)), 1.0, X, "t", mode=mode)
    assert by_x[:2] == (2.0, 0.0) and by_x[2].tolist() == [0.0, 0.0]
    assert [v.tolist() for v in by_unused] == [[0.0] * 3, [0.0] * 3, [[0.0] * 3] * 2]
    assert by_text == (None, None, None)
    assert jacobian(lambda: 3.0, mode=mode) == ()
    assert jacobian(lambda t: 3.0, "text", mode=mode) == (None,)


@pytest.mark.parametrize("mode", MODES)
def test_empty_arrays(mode) -> None:
    (found,) = jacobian(lambda x: x * 2, np.zeros((0, 2)), mode=mode)
    assert found.shape == (0, 2, 0, 2)
    (found,) = jacobian(lambda x: x[:0], X, mode=mode)
    assert found.shape == (0, 3)
    (found,) = jacobian(lambda x: x.sum() + np.ones(2), np.zeros(0), mode=mode)
    assert found.shape == (2, 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("of_x", "of_y"), [("f4", "f4"), ("f4", "f8"), ("f8", "f4"), ("i8", "f8")])
def test_the_dtype_is_that_of_a_gradient(mode, of_x, of_y) -> None:
    x = np.array([1, 2, 3], of_x)
    (found,) = jacobian(lambda x: (x * x).astype(of_y), x, mode=mode)
    assert found.dtype == morula.gradient(lambda x: (x * 0.5).sum(), x)[0].dtype
    np.testing.assert_allclose(found, np.diag([2.0, 4.0, 6.0]))


def test_the_mode_is_picked_by_the_shapes() -> None:
    runs = []

    def f(x, n):
        runs.append(None)
        return np.outer(np.ones(n), x).sum(1)

    x = np.ones(4)
    for n, most in ((1, 1), (4, 1), (40, 6)):  # on a tape, as a program, then one for each column
        runs.clear()
        (found,) = jacobian(lambda x, n=n: f(x, n), x)
        np.testing.assert_allclose(found, np.ones((n, 4)))
        assert len(runs) == most
    runs.clear()
    jacobian(lambda x: f(x, 40), x, mode="reverse")
    assert len(runs) == 1

    def recorded(x):
        runs.append(None)
        return (np.ones((40, 1)) * np.sin(x)).sum(1)

    runs.clear()
    (found,) = jacobian(recorded, x, mode="forward")
    np.testing.assert_allclose(found, np.ones((40, 1)) * np.cos(x))
    assert len(runs) == 1
    with pytest.raises(morula.MorulaError, match="'forward', 'reverse' or None, not 'sideways'"):
        jacobian(linear, X, mode="sideways")


@pytest.mark.parametrize("mode", MODES)
def test_arguments_are_left_as_they_were(mode) -> None:
    def f(x, p):
        x[0] = x[1] * p["k"]
        p["k"] = 0.0
        return x

    x, p = X.copy(), {"k": 2.0}
    value, (by_x, by_p) = withjacobian(f, x, p, mode=mode)
    assert x.tolist() == X.tolist() and p == {"k": 2.0}
    np.testing.assert_allclose(value, [-1.6, -0.8, 1.3])
    np.testing.assert_allclose(by_x, [[0.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(by_p["k"], [-0.8, 0.0, 0.0])


def test_keywords_are_constants() -> None:
    (found,) = jacobian(lambda x, *, k: k * x, 2.0, k=5.0)
    assert found == 5.0


@pytest.mark.parametrize("mode", MODES)
def test_with_the_value(mode) -> None:
    found = withjacobian(waves, X, mode=mode)
    np.testing.assert_allclose(found.value, waves(X))
    np.testing.assert_allclose(found.jacobian[0], jacobian(waves, X)[0])


# -- complex numbers ---------------------------------------------------------------------------------------------


Z = np.array([0.3 + 0.4j, -1.1 + 0.2j])


def polynomial(z):
    return np.array([z[0] ** 2 * z[1], np.exp(z[1]), z[0] / z[1]])


@pytest.mark.parametrize("mode", MODES)
def test_holomorphic(mode) -> None:
    (found,) = jacobian(polynomial, Z, mode=mode, holomorphic=True)
    assert found.shape == (3, 2) and found.dtype == complex
    for k in range(2):
        for h in (1e-6, 1e-6j):
            step = h * np.eye(2)[k]
            want = (polynomial(Z + step) - polynomial(Z - step)) / (2 * h)
            np.testing.assert_allclose(found[:, k], want, rtol=1e-6, atol=1e-9)
    (found,) = jacobian(lambda z: z**3, 1 + 1j, mode=mode, holomorphic=True)
    assert found == pytest.approx(3 * (1 + 1j) ** 2) and type(found) is complex


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize(
    "f",
    [
        lambda z: np.conj(z),
        lambda z: z * abs(z),
        lambda z: z.real * 1j,
        lambda z: 1j * z.imag,
        lambda z: z + 1e-3 * np.conj(z),
        lambda z: abs(z),
        lambda z: z.real + 0.0,
    ],
)
def test_what_is_not_holomorphic_is_found_out(f, mode) -> None:
    for z in (Z, 1 + 2j):
        with pytest.raises(morula.ResultError, match="not holomorphic"):
            jacobian(f, z, mode=mode, holomorphic=True)


@pytest.mark.parametrize("mode", MODES)
def test_holomorphic_with_real_arguments_beside(mode) -> None:
    by_z, by_k = jacobian(lambda z, k: z**2 * k + 1j * k, Z, 2.0, mode=mode, holomorphic=True)
    np.testing.assert_allclose(by_z, np.diag(4 * Z))
    np.testing.assert_allclose(by_k, Z**2 + 1j)
    with pytest.raises(morula.ResultError, match="needs a complex argument"):
        jacobian(lambda x: x * 1j, X, mode=mode, holomorphic=True)


@pytest.mark.parametrize("mode", MODES)
def test_complex_results_of_real_arguments(mode) -> None:
    def f(x):
        return np.exp(1j * A @ x) * x[1]

    (found,) = jacobian(f, X, mode=mode)
    assert found.dtype == complex
    parts = [approx_derivative(lambda x, p=p: getattr(f(x), p), X, method="3-point") for p in ("real", "imag")]
    np.testing.assert_allclose(found, parts[0] + 1j * parts[1], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
def test_real_results_of_complex_arguments_are_as_gradients(mode) -> None:
    (found,) = jacobian(lambda z: abs(z) ** 2 + z.real, Z, mode=mode)
    np.testing.assert_allclose(found, np.diag(2 * Z + 1))
    (one,) = jacobian(lambda z: (abs(z) ** 2).sum(), Z, mode=mode)
    np.testing.assert_allclose(one, morula.gradient(lambda z: (abs(z) ** 2).sum(), Z)[0])


@pytest.mark.parametrize("mode", MODES)
def test_two_complex_sides_need_a_word(mode) -> None:
    with pytest.raises(morula.ResultError, match=r"pass holomorphic=True .* morula.wirtinger"):
        jacobian(polynomial, Z, mode=mode)


@pytest.mark.parametrize(
    "f",
    [
        lambda z: z * z.conj() + z**2,
        lambda z: np.exp(z) * abs(z),
        lambda z: abs(z) ** 2,
        lambda z: z.real * z.imag * 1j,
        polynomial,
    ],
)
def test_wirtinger_is_the_first_order_of_the_function(f) -> None:
    ((by_z, by_conj),) = wirtinger(f, Z)
    for h in (np.array([1e-6, 0]), np.array([1e-6j, 0]), np.array([0.3e-6, 1e-6 - 0.7e-6j])):
        want = (f(Z + h) - f(Z - h)) / 2
        np.testing.assert_allclose(by_z @ h + by_conj @ h.conj(), want, rtol=1e-5, atol=1e-14)


def test_wirtinger_of_what_kind() -> None:
    (found,) = wirtinger(lambda z: z**2, 1 + 2j)
    assert found == (2 + 4j, 0) and type(found.z) is complex
    (found,) = wirtinger(lambda z: abs(z) ** 2, 1 + 2j)
    assert found.conj == pytest.approx(morula.gradient(lambda z: abs(z) ** 2, 1 + 2j)[0] / 2)
    (found,) = wirtinger(lambda x: x * 1j, 3.0)
    assert found == (0.5j, 0.5j)
    by_p, by_text = wirtinger(lambda p, text: {"y": p[0] * p[1]}, [1j, 2.0], "t")
    assert by_p.z == {"y": [2.0, 0.5j]} and by_p.conj == {"y": [0.0, 0.5j]} and by_text.z == {"y": None}


# -- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_refusals(mode) -> None:
    with pytest.raises(morula.NotDifferentiable, match="argument 2 is a set"):
        jacobian(lambda x, s: x, 1.0, {1.0}, mode=mode)
    with pytest.raises(morula.NotDifferentiable, match="the result is a set"):
        jacobian(lambda x: {1.0, 2.0}, X, mode=mode)
    with pytest.raises(ZeroDivisionError):
        jacobian(lambda x: x / 0, 2.0, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_an_error_leaves_the_arguments_alone(mode) -> None:
    def f(x):
        x[0] = 9.0
        return {1.0}

    x = X.copy()
    with pytest.raises(morula.NotDifferentiable):
        jacobian(f, x, mode=mode)
    assert x.tolist() == X.tolist()


@pytest.mark.parametrize("mode", MODES)
def test_poles_do_not_spread(mode) -> None:
    (found,) = jacobian(lambda x: np.array([np.sqrt(x[0]), x[1] * 2.0]), np.array([0.0, 1.0]), mode=mode)
    assert found.tolist() == [[np.inf, 0.0], [0.0, 2.0]]
