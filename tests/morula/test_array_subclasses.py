"""Subclasses of arrays: right where the class is a way to look at memory, refused where it means something else."""

import subprocess
import sys

import numpy as np
import pytest
from morula_helpers import verify
from test_enumeration import central

import morula


class Seen(np.ndarray):
    pass


class Unit(np.ndarray):
    def __new__(cls, values, unit=1.0):
        made = np.asarray(values).view(cls)
        made.unit = unit
        return made

    def __array_finalize__(self, other):
        self.unit = getattr(other, "unit", 1.0)

    def converted(self):
        return np.asarray(self) * self.unit


class Overriding(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        plain = [np.asarray(v) if isinstance(v, Overriding) else v for v in inputs]
        return 10.0 * getattr(ufunc, method)(*plain, **kw)


def array(x):
    return np.array([x, 2.0 * x, 3.0])


PROGRAMS = {
    "power": lambda x: (array(x).view(Seen) ** 2).sum(),
    "item": lambda x: array(x).view(Seen)[1] * 2,
    "slice": lambda x: (array(x).view(Seen)[::-1][:2] * np.arange(2.0)).sum(),
    "fancy": lambda x: array(x).view(Seen)[[0, 0, 1]].sum(),
    "mask": lambda x: array(x).view(Seen)[np.array([True, False, True])].sum(),
    "negative": lambda x: (-array(x).view(Seen)).max(),
    "both": lambda x: (array(x).view(Seen) * array(x * x).view(Seen)).sum(),
    "left": lambda x: (2.0 / array(x).view(Seen)).sum(),
    "ufunc": lambda x: np.sin(array(x).view(Seen)).sum(),
    "function": lambda x: np.dot(array(x).view(Seen), array(x)) + np.linalg.norm(array(x).view(Seen)),
    "concatenate": lambda x: np.concatenate([array(x).view(Seen), array(x)]).prod(),
    "matmul": lambda x: array(x).view(Seen) @ np.eye(3) @ array(x),
    "mean": lambda x: array(x).view(Seen).mean() + array(x).view(Seen).std(),
    "transposed": lambda x: (array(x).view(Seen).reshape(3, 1).T * 2.0).sum(),
    "iterated": lambda x: sum(v * v for v in array(x).view(Seen)),
    "asarray": lambda x: np.asarray(array(x).view(Seen))[0] * x,
    "float": lambda x: float(array(x).view(Seen)[0]) * float(np.array(x).view(Seen)),
    "unit": lambda x: (Unit(array(x), unit=3.0) * 2.0).converted().sum(),
    "active_unit": lambda x: (Unit(array(x), unit=x) * 2.0)[1:].converted().sum(),
    "unit_of_view": lambda x: Unit(array(x), unit=x * x).T.unit * x,
    "copy": lambda x: Unit(array(x), unit=x).copy().converted()[1],
}


def written(x):
    v = np.zeros(3).view(Seen)
    v[0] = x
    v[1:] = v[0] * np.array([1.0, x])
    v += x
    v *= v
    return v.sum()


def written_through(x):
    v = array(x)
    s = v.view(Seen)
    s[0] = x * x
    s[1:] *= 2.0
    s.sort()
    return v[0] * v[1] + s[2]


PROGRAMS |= {"written": written, "written_through": written_through}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=[*PROGRAMS])
def test_programs(f):
    def g(x):
        return float(f(x))

    want = central(g, 0.7, 1e-6)
    value, (x_bar,) = morula.withgradient(g, 0.7)
    assert value == g(0.7)
    assert x_bar == pytest.approx(want, rel=1e-6)
    assert morula.jvp(g, (0.7,), (1.0,))[1] == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=[*PROGRAMS])
def test_types_are_those_of_numpy(f):
    """What a program sees of the classes of its values is what it sees plainly."""
    assert type(morula.withgradient(lambda x: float(np.asarray(f(x))), 0.7)[0]) is float
    seen = []
    morula.withgradient(lambda x: float(seen.append(f(x)) or 0.0) if x < 0 else _typed(f, x, seen), 0.7)
    assert seen == [type(f(0.7))]


def _typed(f, x, seen):
    y = f(x)
    seen.append(type(y))
    return float(y)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: float((array(x).view(Overriding) * 3.0)[0]),
        lambda x: float(array(x).view(np.recarray)[0]),
        lambda x: float((np.zeros(3).view(Overriding) * x)[0]),
    ],
    ids=["overriding", "records", "overriding_constant"],
)
def test_refused_or_right(f):
    want = central(f, 0.7, 1e-6)
    try:
        (x_bar,) = morula.gradient(f, 0.7)
    except morula.MorulaError:
        return
    assert (x_bar or 0.0) == pytest.approx(want, rel=1e-6)


def test_arguments_of_a_subclass():
    x = np.array([1.0, 2.0]).view(Seen)
    (x_bar,) = morula.gradient(lambda v: float((v * v)[1:].sum() + np.sin(v).sum()), x)
    np.testing.assert_allclose(x_bar, [np.cos(1.0), 4.0 + np.cos(2.0)])
    (x_bar,) = morula.gradient(lambda v: float((v * 3.0)[0]), np.array([1.0, 2.0]).view(Overriding))
    np.testing.assert_allclose(x_bar, [30.0, 0.0])


def test_memory_maps(tmp_path):
    m = np.memmap(tmp_path / "m", float, "w+", shape=(2, 2))
    m[:] = [[1.0, 2.0], [3.0, 4.0]]
    for f in (
        lambda x: float((m * x).sum()),
        lambda x: float((m @ np.array([x, 1.0])).sum()),
        lambda x: float(x * m[1, 1]),
    ):
        assert morula.gradient(f, 0.7)[0] == pytest.approx(central(f, 0.7, 1e-6))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_writes_through_a_subclass_of_arrays():
    def f(x):
        c = np.ones(2)
        s = (x * c).sum()
        m = np.asmatrix(c)
        m[0, 0] = 6.0
        m.flat[1] = 4.0
        return s + c[1] * x[0]

    verify(f, np.array([1.5, 0.7]))


A_RULE_FOR_ANOTHER_CLASS = """
import chainrules
import numpy as np
import morula


class Other:
    pass


@chainrules.rrule(np.sum, Other)
def of_others(a):
    return 0.0, lambda y_bar: None


x = np.array([1.5, 0.7])
for f, want in (
    (lambda x: np.sum(np.asmatrix(np.outer(x, x)), axis=1)[0, 0], [2 * x[0] + x[1], x[0]]),
    (lambda x: np.sum([x, x * x], axis=0)[1], [0.0, 1 + 2 * x[1]]),
    (lambda x: np.ma.masked_array(x, [0, 1]).sum() * np.sum(np.ma.masked_array(x, [1, 0])), [x[1], x[0]]),
):
    np.testing.assert_allclose(morula.gradient(f, x)[0], want)
"""


def test_rules_for_other_classes_change_nothing(tmp_path):
    """In a process of its own, as a rule cannot be taken back."""
    script = tmp_path / "program.py"
    script.write_text(A_RULE_FOR_ANOTHER_CLASS, encoding="utf-8")
    subprocess.run([sys.executable, str(script)], check=True)
