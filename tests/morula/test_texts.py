"""Numbers that become text, or bytes, and what is read back from these."""

import ast
import copy
import csv
import io
import json
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import morula

LONG = 0.123456789123  # of more digits than would agree by chance
ARRAY = np.array([0.123456789123, 1.23456789e-5 * np.pi])


def written_and_read(x):
    file = io.StringIO()
    json.dump({"w": x.tolist()}, file)
    file.seek(0)
    return np.array(json.load(file)["w"]).sum()


def rows(x):
    file = io.StringIO()
    csv.writer(file).writerow(x.tolist())
    file.seek(0)
    return sum(float(v) for v in next(csv.reader(file)))


def table(x):
    file = io.StringIO()
    np.savetxt(file, x)
    file.seek(0)
    return np.loadtxt(file).sum()


def element_from_text(x):
    y = np.zeros(3)
    y[0] = str(x)
    y[1:] = [str(x), "2.5"]
    return y @ [3.0, -2.0, 0.0]


SAME = [
    lambda x: float(repr(x)),
    lambda x: float(f"{x:.18f}"),
    lambda x: float(f" {x!r} "),
    lambda x: float(("{:." + str(18) + "f}").format(x)),
    lambda x: float("%.17g" % x),  # noqa: UP031
    lambda x: float(("%.17g,%d" % (x, 2)).split(",")[0]),  # noqa: UP031
    lambda x: float(format(x, ".17g")),
    lambda x: float("{a:.15g}".format_map({"a": x})),
    lambda x: eval("1.0*" + repr(x)),
    lambda x: eval("y + 0", {"y": x}),
    lambda x: eval("np.sum([" + str([x]) + ", [0.0]])"),
    lambda x: ast.literal_eval(repr({"a": [x, 2.5], "b": (x,)}))["b"][0],
    lambda x: json.loads(json.dumps({"a": [x, 2.5]}))["a"][0],
    lambda x: -complex(str(-x)).real,
    lambda x: np.fromstring(f"{x:.17g} 3.5", sep=" ")[0],
    lambda x: float(str(x).encode()),
    lambda x: np.float64(str(x)),
    lambda x: np.complex128(str(x)).real,
    lambda x: np.array(["1.5", str(x)], dtype=float)[1],
    lambda x: np.asarray([str(x)]).astype(float)[0],
    lambda x: element_from_text(x),
]


@pytest.mark.parametrize("f", SAME)
def test_numbers_come_back_with_their_derivative(f) -> None:
    assert morula.gradient(lambda x: f(x) * x, LONG) == pytest.approx((2 * LONG,))


@pytest.mark.parametrize(
    "f",
    [
        written_and_read,
        rows,
        table,
        lambda x: np.array([str(v) for v in x]).astype(float).sum(),
        lambda x: x.astype(str).astype(float).sum(),
        lambda x: np.array(x, dtype="S30").astype(float).sum(),
        lambda x: sum(map(float, x.astype(str))),
    ],
)
def test_arrays_come_back(f) -> None:
    (x_bar,) = morula.gradient(f, ARRAY)
    np.testing.assert_array_equal(x_bar, 1.0)


def test_few_digits() -> None:
    """Whether a short number is the same can only be said where the text is known."""
    assert morula.gradient(lambda x: float(str(x)) * x, 0.5) == (1.0,)
    assert morula.gradient(lambda x: float(f"{x:.1f}") * x, 0.51) == (0.5,)  # rounded, as by round(x, 1)
    assert morula.gradient(lambda x: eval("2.0") * x, 2.0) == (2.0,)
    for f in (
        lambda x: float(f"{x}") * x,
        lambda x: eval("sum([" + str([x])[1:-1] + ", 0.5])"),
        lambda x: eval("np.sum([" + str([x]) + ", [0.5]])"),
    ):
        with pytest.raises(morula.NotDifferentiable, match=r"0\.5 is read from text.*stop_gradient"):
            morula.gradient(f, 0.5)


def test_what_has_no_way_back() -> None:
    for f in (lambda x: float(Decimal(str(x))), lambda x: float(Fraction(str(x)))):
        with pytest.raises(morula.NotDifferentiable, match=r"(Decimal|Fraction) of text .* use \1\(x\)"):
            morula.gradient(f, LONG)
    with pytest.raises(morula.NotDifferentiable, match=r"pickle\.loads reads back .* copy\.deepcopy"):
        morula.gradient(lambda x: pickle.loads(pickle.dumps({"x": x}))["x"].sum(), ARRAY)
    assert morula.gradient(lambda x: copy.deepcopy({"x": x})["x"].sum(), ARRAY)[0].tolist() == [1.0, 1.0]


def test_a_log_of_a_loss() -> None:
    log = []

    def loss(x):
        y = (x**2).sum()
        log.append(pickle.dumps({"x": x, "y": y}))
        log.append(json.dumps({"y": float(y), "x": x.tolist()}))
        log.append(f"{y:.3g} {x}")
        pickle.dump(x, io.BytesIO())
        return y + 0 * json.loads("[1.0]")[0] + pickle.loads(pickle.dumps(0))

    (x_bar,) = morula.gradient(loss, ARRAY)
    np.testing.assert_array_equal(x_bar, 2 * ARRAY)
    assert pickle.loads(log[0])["y"] == json.loads(log[1])["y"] == (ARRAY**2).sum()


def test_second_order() -> None:
    assert morula.hessian(lambda x: float(repr(x)) ** 2 * x, LONG) == pytest.approx(6 * LONG)
    assert morula.jvp(lambda x: float(repr(x)) ** 2 * x, (LONG,), (1.0,))[1] == pytest.approx(3 * LONG**2)
