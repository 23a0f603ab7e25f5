"""What programs print, in the static tier: the same, and once."""

import contextlib

import numpy as np
import pytest
from static_checks import check_printed

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.31, 0.9, 0.1, 0.6])


def steps(x):
    total = 0.0
    for i, v in enumerate(x):
        total += v**2
        if i % 2 == 0:
            print("step", i, total, sep="|")
    print(f"total={total:.3f} {{}} {i}", end="!\n", flush=True)
    print()
    print("done", None, True, x.shape[0])
    return total


def newton(x):
    n, y = 0, x[0]
    while abs(y * y - 2) > 1e-10:
        y -= (y * y - 2) / (2 * y)
        n += 1
        print(f"it {n:3d}  y={y:10.6f} error={abs(y * y - 2):.2e}", y)
    return y * x[1]


@pytest.mark.parametrize("f", [steps, newton], ids=lambda f: f.__name__)
def test_the_same_is_printed(f, capsys):
    check_printed(f, X, capsys)


def printing_then_failing(x):
    print("at", x)
    return x / (x - 0.5) if x < 0.6 else x * 2


def without_a_slope(x):
    print("at", x)
    return x * 0.0 if x > 0.7 else x * x


def test_what_gives_way_prints_once(capsys):
    with morula.tier("static"):
        for x in (0.3, 0.7):
            morula.gradient(printing_then_failing, x)
            morula.gradient(without_a_slope, x)
        capsys.readouterr()
        with pytest.raises(ZeroDivisionError):
            morula.gradient(printing_then_failing, 0.5)
        for _ in range(4):
            morula.gradient(without_a_slope, 0.9)
    assert capsys.readouterr().out == "at 0.5\n" + "at 0.9\n" * 4


def with_a_side_that_is_left(x):
    print("at", x)
    if x > 100.0:
        return {"a": x}["a"].nothing(x)
    return x * x


def of_what_a_mask_selects(x):
    y = x[x > 0.3]
    print("so many:", y.shape[0])
    return (y * y).sum()


@pytest.mark.parametrize(("f", "x"), [(with_a_side_that_is_left, 0.7), (of_what_a_mask_selects, X)])
def test_trials_print_nothing(f, x, capsys):
    """Some texts are tried when they are made."""
    f(x)
    expected = capsys.readouterr().out
    with morula.tier("static"):
        for _ in range(2):
            morula.gradient(f, x)
            assert capsys.readouterr().out == expected
    record = record_of(f)
    assert any(pair.calls for pair in record.all_pairs), record.why


def test_callees_print_where_they_are_called(capsys):
    def outer(x):
        print("begin")
        for _ in range(3):
            x = x + without_a_slope(x) * 0.1
        print("end")
        return x

    for _ in range(40):
        morula.gradient(outer, 0.4)
    capsys.readouterr()
    outer(0.4)
    expected = capsys.readouterr().out
    morula.gradient(outer, 0.4)
    assert capsys.readouterr().out == expected


def told_by_a_library(a):
    optimize = pytest.importorskip("scipy.optimize")
    t = np.linspace(0.0, 1.0, 8)
    print("before")
    r = optimize.least_squares(lambda p: p[0] * np.exp(-p[1] * t) - a[0] * np.exp(-t), [1.0, 1.0], verbose=1)
    print("after")
    return r.x[0]


def told_by_default(a):
    optimize = pytest.importorskip("scipy.optimize")
    print("before")
    r = optimize.fmin(lambda x: (x[0] - a[0]) ** 2, [1.0])
    print("after")
    return r[0] * a[1]


@pytest.mark.parametrize("f", [told_by_a_library, told_by_default])
def test_what_a_library_prints_comes_where_it_does(f, capsys):
    a, said = np.array([1.3, 0.2]), []
    f(a)
    said.append(capsys.readouterr().out)
    for tier in ("eager", "static"):
        with morula.tier(tier), contextlib.suppress(morula.NotDifferentiable):
            morula.gradient(f, a)
        said.append(capsys.readouterr().out)
    assert said[0].splitlines()[0] == "before"
    assert said[0].splitlines()[-1] == "after"
    assert said[2] == said[1]
    assert said[0].startswith(said[1][:20])
