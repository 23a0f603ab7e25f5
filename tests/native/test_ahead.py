"""Plain functions that are compiled without a decorator, in a process of their own: the mode "compile"."""

import math
import subprocess
import sys

import numpy as np
import pytest

import morula
from chainrules.testing import check_gradient
from morula.static.numba import worker
from morula.static.python.pairs import record_of
from morula.static.tiers import ahead

K = 0.03
TABLE = np.array([1.0, 2.0])
LARGE = np.ones(10_000)
X = np.linspace(0.2, 1.0, 50)


class AtOnce:
    """A process that has done its work when it was started: the same code, without starting Python anew."""

    started = 0

    def __init__(self, command, **_):
        assert command[:3] == [sys.executable, "-m", worker.__name__]
        type(self).started += 1
        self.status = worker.run(*command[3:])

    def poll(self):
        return self.status

    def kill(self):
        assert self.status is not None

    def wait(self):
        return self.status


@pytest.fixture
def at_once(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(subprocess, "Popen", AtOnce)
    monkeypatch.setattr(ahead, "PAUSE", 0.0)
    AtOnce.started = 0
    yield AtOnce
    ahead.end_all()
    assert not ahead._waiting
    assert not list(tmp_path.glob("*.morula"))


def answer(f, *args, verb=morula.withgradient, calls=4):
    """What a verb gives of a function that is hot from the first call on, when compiled code may answer."""
    with morula.tier("static"), morula.native_mode("compile"):
        for _ in range(calls):
            found = verb(f, *args)
    return found


def states(f):
    return [p.run.state for p in record_of(f).all_pairs if isinstance(p.run, ahead.Ahead)]


def calls_of(f):
    return sum(p.calls for p in record_of(f).all_pairs if isinstance(p.run, ahead.Ahead))


def step(angle, speed, torque):
    speed = speed + K * (torque - 9.81 * math.sin(angle))
    return angle + K * speed, speed


def swing(torques, w):
    angle = speed = effort = 0.0
    for torque in torques:
        angle, speed = step(angle, speed, torque)
        effort += 0.001 * torque**2
    return (angle - math.pi) ** 2 + w * speed**2 + effort


def test_compiled_code_answers(at_once, monkeypatch):
    with morula.tier("eager"):
        expected = morula.withgradient(swing, X, 0.5)
    value, bars = answer(swing, X, 0.5)
    assert states(swing) == ["ready"], record_of(swing).uncompiled
    assert at_once.started == 1
    assert value == pytest.approx(expected.value, rel=1e-12)
    assert type(value) is type(swing(X, 0.5))
    for bar, other in zip(bars, expected.gradient, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-10)
    check_gradient(swing, lambda *args: answer(swing, *args).gradient, X + 0.1, 0.7)
    assert calls_of(swing) > 2
    assert "compiled by Numba, by arguments 0, 1: ready" in str(morula.explain(swing, X, 0.5))

    before = calls_of(swing)
    with morula.tier("auto"):
        morula.gradient(swing, X, 0.5)
    assert calls_of(swing) == before  # outside the mode
    monkeypatch.setattr(sys.modules[__name__], "K", 0.05)
    value, bars = answer(swing, X, 0.5)
    assert value == pytest.approx(swing(X, 0.5), rel=1e-12)
    check_gradient(swing, bars, X, 0.5)


def test_positions_and_other_verbs(at_once):
    def f(x, n, scale):
        total = 0.0
        for i in range(n):
            total += x[i % x.size] ** 2 * scale
        return total

    verb = morula.value_and_grad(f, argnums=2)
    with morula.tier("static"), morula.native_mode("compile"):
        for _ in range(4):
            value, bar = verb(X, 70, 2.0)
    assert states(f) == ["ready"]
    assert value == pytest.approx(f(X, 70, 2.0), rel=1e-12)
    assert bar == pytest.approx(f(X, 70, 1.0), rel=1e-12)
    assert calls_of(f) > 0


@pytest.mark.parametrize("unused", [False, True])
def test_a_closure_is_compiled_for_what_it_has_captured(at_once, unused):
    def family(k):
        def f(x, y):
            total = 0.0
            for i in range(30):
                total += k * x * math.sin(x + i) + (0.0 if unused else y)
            return total

        return f

    for k in (2.0, 3.0):
        f = family(k)
        value, (x_bar, y_bar) = answer(f, 0.4, 0.5)
        assert value == pytest.approx(f(0.4, 0.5), rel=1e-12)
        assert x_bar == pytest.approx((f(0.4 + 1e-6, 0.5) - f(0.4 - 1e-6, 0.5)) / 2e-6, rel=1e-7)
        assert y_bar is None if unused else y_bar == pytest.approx(30.0)


def test_where_compiled_code_has_other_numbers_it_is_not_taken(at_once):
    def f(x):
        n = 3
        for _ in range(6):
            n = n * n
        return x * x * n  # 3**64, which wraps around in 64 bits

    value, (bar,) = answer(f, 2.0)
    assert value == f(2.0)
    assert bar == pytest.approx(2 * f(2.0) / 2.0)
    assert states(f) == []
    assert "different numbers" in record_of(f).uncompiled


def test_what_raises_raises_as_in_python(at_once):
    def f(x):
        total = 0.0
        for i in range(30):
            total += math.sqrt(x - i * 0.01)
        return 1 / total

    answer(f, 5.0)
    assert states(f) == ["ready"]
    for tier in ("eager", "static"):
        with pytest.raises(ValueError, match="math domain error"), morula.tier(tier), morula.native_mode("compile"):
            morula.gradient(f, 0.1)


def prints(x):
    print("seen")
    return x * x


def reads_an_array(x):
    return x * LARGE[0] + TABLE[0]


def text_inside(x):
    found = {"a": x}
    return found["a"] * x


class Model:
    def __init__(self, k):
        self.k = k


def of_an_object(model):
    return model.k * model.k


@pytest.mark.parametrize(
    ("f", "args", "reason"),
    [
        (prints, (3.0,), "prints uses print"),
        (reads_an_array, (3.0,), "may change in place"),
        (of_an_object, (Model(2.0),), "something other than numbers"),
        (of_an_object, ({"k": 1.0},), "something other than numbers"),
    ],
)
def test_what_is_not_compiled_says_why(at_once, capsys, f, args, reason):
    with morula.tier("eager"):
        try:
            expected = morula.gradient(f, *args)
        except AttributeError as error:
            expected = type(error)
    capsys.readouterr()
    try:
        found = answer(f, *args, verb=morula.gradient, calls=1)
    except AttributeError as error:
        found = type(error)
    assert found == expected or found[0].k == expected[0].k
    assert reason in record_of(f).uncompiled
    assert states(f) == []
    assert not at_once.started
    assert capsys.readouterr().out == ("seen\n" if f is prints else "")


mean = {"a": 1.0}  # what has the name of a method below


def of_a_method(x):
    return x.mean() * x[0]


def test_names_of_methods_are_none_of_the_module(at_once):
    x = np.array([1.0, 2.0, 4.0])
    answer(of_a_method, x)
    assert states(of_a_method) == ["ready"], record_of(of_a_method).uncompiled


def test_what_numba_does_not_take_stays_python(at_once):
    def f(x):
        parts = {"a": x, 3: x * x}
        return parts["a"] * parts[3]

    assert answer(f, 2.0) == (8.0, (12.0,))
    assert states(f) == []
    assert "uses" in record_of(f).uncompiled


def test_declared_rules_have_it_made_anew(at_once):
    def g(x):
        return x * x

    def f(x):
        return g(x) + x

    assert answer(f, 2.0).gradient == (5.0,)
    morula.adjoint(g)(lambda x: (x * x, lambda bar: (100.0 * bar,)))
    assert answer(f, 2.0).gradient == (101.0,)


def test_a_function_with_a_rule_inside_is_not_compiled(at_once):
    def g(x):
        return x * x

    morula.adjoint(g)(lambda x: (x * x, lambda bar: (bar * min(2 * x, 6.0),)))

    def f(x):
        return g(x) + x

    assert answer(f, 2.0).gradient == (5.0,)
    assert answer(f, 20.0).gradient == (7.0,)
    assert "g has a rule" in record_of(f).uncompiled


def looked_up(x, y):
    total = 0.0
    for i in range(TABLE.size):
        total += TABLE[i] * x[i] * y
    return total


def test_arrays_from_outside_may_change(at_once):
    x = np.array([0.3, 0.4])
    for k in (1.0, 3.0):
        TABLE[0] = k
        value, (x_bar, y_bar) = answer(looked_up, x, 2.0)
        assert value == looked_up(x, 2.0)
        np.testing.assert_array_equal(x_bar, 2 * TABLE)
        assert y_bar == pytest.approx(value / 2)
        assert calls_of(looked_up) > 0
    before = calls_of(looked_up)
    value, (x_bar, _) = answer(looked_up, TABLE, 2.0)  # which is an argument, too
    with morula.tier("eager"):
        np.testing.assert_array_equal(x_bar, morula.gradient(looked_up, TABLE, 2.0)[0])
    assert calls_of(looked_up) == before


def test_a_process_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    k = 1.5

    def f(x):
        total = 0.0
        for i in range(40):
            total += k * math.exp(-x * i)
        return total

    answer(f, 0.3, calls=2)
    (made,) = [p.run for p in record_of(f).all_pairs if isinstance(p.run, ahead.Ahead)]
    assert made.state == "compiling"
    made._process.wait(300)
    value, (bar,) = answer(f, 0.3, calls=20)
    assert made.state == "ready"
    assert value == pytest.approx(f(0.3), rel=1e-12)
    assert bar == pytest.approx((f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6, rel=1e-6)
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0 or sys.platform == "win32"
    assert ahead._waiting == []


def test_nothing_is_left_behind(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def f(x):
        return math.exp(x) * x

    answer(f, 0.3, calls=1)
    (made,) = [p.run for p in record_of(f).all_pairs if isinstance(p.run, ahead.Ahead)]
    process = made._process
    ahead.end_all()
    assert process.poll() is not None
    assert answer(f, 0.3).value == f(0.3)
