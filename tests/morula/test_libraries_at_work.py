"""What libraries from the index do, in small: each program stopped a real one."""

import contextlib
import csv
import inspect
import io
import json
import logging
import math
import sys
import threading

import numpy as np
import pytest

import morula


def central(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2 * h)


class Model:
    """A class whose text looks as if looking at it stored values."""

    table: dict[str, list[str]] = {}  # noqa: RUF012
    frexp = math.frexp

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        Model.table[type(other).__name__] = [type(other).__module__]
        return isinstance(other, Model) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        lines = self.table.setdefault("lines", [])
        lines.append(f"{self.value}")
        return "".join(lines)


def compared(x):
    a, b = Model(x), Model(2.0 * x)
    return a.value * b.value * (3.0 if a in [b, a] else 5.0)


def printed(x):
    return Model(x).value * len(repr(Model(x))[:1])


def exponent(x):
    return Model(1.0).frexp(x)[0] * 2.0


class Length:
    """A quantity as those of pint: NumPy's functions ask it."""

    def __init__(self, size, scale):
        self.size, self.scale = size, scale

    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        plain = [v.size * v.scale if isinstance(v, Length) else v for v in inputs]
        return Length(getattr(ufunc, method)(*plain, **kw), 1.0)

    def __array_function__(self, f, types, args, kw):
        return Length(f(*[v.size * v.scale if isinstance(v, Length) else v for v in args], **kw), 1.0)


class Unit(np.ndarray):
    """A quantity as those of astropy: an array with a unit."""

    def __new__(cls, values, unit):
        made = np.array(values, dtype=float, copy=None, subok=True).view(cls)
        made.unit = unit
        return made

    def __array_finalize__(self, other):
        super().__array_finalize__(other)
        if other is not None:
            self.unit = getattr(other, "unit", 1.0)

    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        plain = [v.view(np.ndarray) * v.unit if isinstance(v, Unit) else v for v in inputs]
        return Unit(super().__array_ufunc__(ufunc, method, *plain, **kw), 1.0)

    def __mul__(self, other):
        if isinstance(other, str):
            return Unit(self.view(np.ndarray), 1000.0)
        return super().__mul__(other)


class Wrapping(np.ndarray):
    def __array_wrap__(self, made, context=None, return_scalar=False):
        return made[()] if made.ndim == 0 else made


class Buffered(np.ndarray):
    def __new__(cls, values):
        values = np.array(values, dtype=float)
        return super().__new__(cls, values.shape, float, values)


LOCAL = threading.local()


PROGRAMS = {
    "compared": compared,
    "printed": printed,
    "exponent": exponent,
    "ufunc_of_an_object": lambda x: np.sin(Length(x, 2.0)).size,
    "function_of_an_object": lambda x: np.sum(Length(np.array([x, 2.0 * x]), 3.0)).size,
    "array_times_an_object": lambda x: (np.array([x, 1.0]) * Length(x, 3.0)).size.sum(),
    "number_times_an_object": lambda x: (np.float64(x) * Length(x, 3.0)).size,
    "reduction_of_an_object": lambda x: np.add.reduce(Length(np.array([x, 2.0 * x]), 3.0)).size,
    "unit": lambda x: float((Unit([x, 2.0], 3.0) * Unit([x, x], 2.0))[0].view(np.ndarray)),
    "unit_by_name": lambda x: float((Unit([x, 2.0], 3.0) * "km").sum().view(np.ndarray)),
    "minus_unit": lambda x: float((-Unit([x, 2.0], 3.0)).view(np.ndarray).sum()),
    "number_minus_unit": lambda x: float((1.0 - Unit([x, 2.0], 3.0)).view(np.ndarray).sum()),
    "powers_of_units": lambda x: float((Unit([x, 2.0], 3.0) ** 2).reshape(2, 1)[0, 0]),
    "sum_of_units": lambda x: float(np.asarray(Unit([x, 2.0 * x], 3.0).sum())),
    "compared_units": lambda x: x**2 if bool(np.all((Unit([x], 3.0) > 1.0).view(np.ndarray))) else x,
    "wrapping": lambda x: float((np.array([x, x**2]).view(Wrapping) * 3.0).sum()),
    "buffered": lambda x: float((Buffered([x, x**2]) * 3.0).sum()),
    "static_attribute": lambda x: inspect.getattr_static(Model(x), "value") * x,
    "static_default": lambda x: inspect.getattr_static(3, "value", x) * x,
    "broadcast": lambda x: np.full(np.broadcast(np.array([x, 1.0]), x).shape, x).sum(),
    "nditer": lambda x: sum(float(v) ** 2 for v in np.nditer(np.array([[x, 1.0], [2.0 * x, 3.0]]))),
    "item_of_objects": lambda x: np.array([x * np.ones(2), None], dtype=object)[:1].item().sum(),
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=[*PROGRAMS])
def test_right(f):
    Model.table.clear()
    value, (x_bar,) = morula.withgradient(f, 0.7)
    Model.table.clear()
    assert value == f(0.7)
    assert x_bar == pytest.approx(central(f, 0.7), rel=1e-7)


def test_the_class_is_as_before():
    members = dict(vars(Model))
    morula.gradient(compared, 0.7)
    with pytest.raises(ZeroDivisionError):
        morula.gradient(lambda x: Model(x).value / 0, 0.7)
    assert dict(vars(Model)) == members


def test_a_number_that_is_not_active_has_no_items_to_set():
    def clipped(x):
        y = np.float64(x) * 2.0
        with contextlib.suppress(TypeError):
            y[y > 1.0] = 0.0
        return float(y)

    assert morula.withgradient(clipped, 0.7) == (1.4, (2.0,))


def test_generic_aliases_of_a_mapping():
    from collections.abc import Mapping

    assert morula.gradient(lambda x: x * 2.0 if Mapping[str, int] else x, 0.7) == (2.0,)


STORED: list = []


class Remembering:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        STORED.append(self.value * 2.0)
        return True

    __hash__ = object.__hash__


def test_what_python_calls_may_not_store_active_values():
    def f(x):
        STORED.clear()
        return x * 0.0 + (STORED[0] if [Remembering(x)].index(Remembering(x)) == 0 else 0.0)

    try:
        found = morula.gradient(f, 0.7)
    except morula.NotDifferentiable as error:
        assert "stores values" in str(error) or "stored" in str(error)
    else:
        assert found == (2.0,)


@pytest.mark.parametrize("cut", [lambda x: int(x * 2.0**53), lambda x: next(map(int, [x * 2.0**53]))])
def test_all_digits_of_a_number_are_not_cut_off(cut):
    with pytest.raises(morula.NotDifferentiable, match="keeps all its digits"):
        morula.gradient(lambda x: cut(x) / 2.0**53, 0.7)


def test_the_fraction_is_cut_off():
    assert morula.gradient(lambda x: int(1e6 * x) * x, 0.5) == (500000.0,)
    assert morula.gradient(lambda x: x if math.isinf(x) else int(2.7) * x, 0.5) == (2.0,)


def test_a_thread_s_own_attributes():
    LOCAL.values = None

    def f(x):
        LOCAL.values = np.array([x, 2.0 * x])
        return LOCAL.__dict__["values"].sum() * x

    try:
        found = morula.gradient(f, 0.7)
    except morula.NotDifferentiable:
        return
    assert found == pytest.approx((4.2,))


def test_records_of_a_loss() -> None:
    """What is written to a file, or compared by a test, is a constant."""

    def loss(x):
        json.dump([x], io.StringIO())
        rows = csv.DictWriter(file, ["x"])
        rows.writerow({"x": x})
        rows.writerows([{"x": x * x}])
        np.testing.assert_allclose([x, x], x)
        with contextlib.suppress(AssertionError):
            np.testing.assert_array_equal(x, x + 1)
        return x * x + 0 * sys.getsizeof(x)

    file = io.StringIO()
    assert morula.gradient(loss, 3.0) == (6.0,)
    assert file.getvalue().split() == ["3.0", "9.0"]


def test_pictures_of_a_loss() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    def loss(x):
        y = x * x
        figure, axes = plt.subplots()
        axes.plot(x, y, label=f"{y[0]:.2f}")
        axes.scatter(x.tolist(), list(y))
        axes.set_ylim(0, float(y.max()))
        plt.title(str(y.sum()))
        figure.savefig(io.BytesIO())
        plt.close(figure)
        y *= 2.0
        return y.sum()

    (x_bar,) = morula.gradient(loss, np.array([1.0, 2.0]))
    np.testing.assert_array_equal(x_bar, [4.0, 8.0])


def test_messages_to_a_log():
    log = logging.getLogger("a log of its own")
    text = io.StringIO()
    log.addHandler(handler := logging.StreamHandler(text))
    log.propagate = False

    def f(x):
        log.debug("at %.1f", x)
        log.warning("now %s of %r", x, log.name)
        return x * x

    try:
        for level, seen in ((logging.ERROR, ""), (logging.WARNING, "now 2.0 of 'a log of its own'\n"), (1, "at 2.0\n")):
            log.setLevel(level)
            with morula.tier("eager"):
                assert morula.gradient(f, 2.0) == (4.0,)
            assert text.getvalue().startswith(seen)
            assert (level < logging.ERROR) == ("now" in text.getvalue())
            text.seek(0)
            text.truncate()
    finally:
        log.removeHandler(handler)


def test_a_log_that_says_itself_what_it_is_enabled_for():
    class Log(logging.Logger):
        total = 0.0

        def isEnabledFor(self, level):
            self.total = self.total + level * 0.5
            return False

    log = Log("one of the program's")

    def f(x):
        log.total = x
        log.debug("at %s", x)
        return log.total * x

    with morula.tier("eager"):
        assert morula.gradient(f, 2.0) == (9.0,)
