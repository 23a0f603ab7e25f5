"""The intermediate representation as text."""

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from morula.static.front.lower import lower
from morula.static.front.normal_form import normal_form
from morula.static.front.types import line_types
from morula.static.listing import listing
from morula.static.naming import rename
from morula.static.passes.simplify import simplify


def of(f, *args, remark=None) -> str:
    form, types = normal_form(f), tuple(map(numba.typeof, args))
    function = lower(form, types, line_types(form, types))
    simplify(function)
    rename(function)
    return listing(function, remark)


def test_loops_branches_and_stores() -> None:
    def f(x, n):
        total = 0.0
        for i in range(n):
            if x[i] > 1:
                total += x[i]
            x[i] = total
        return total, n

    text = of(f, np.ones(3), 3)
    lines = [line.strip() for line in text.splitlines()]
    assert lines[0] == "def f(x, n):  # x: array(float64, 1d, C); n: int64"
    assert "for i in range(0, n, 1):" in lines
    assert any(line.startswith("total = phi(0.0, ") and line.endswith("# float64") for line in lines)
    assert any(line.startswith("x[i] = total") for line in lines)
    assert any(" if t2 else " in line for line in lines)
    assert lines[-1] == "return (total, n)"


def test_loops_that_only_a_condition_ends() -> None:
    def f(x):
        while x > 1:
            x = x / 2
        return x

    lines = [line.strip() for line in of(f, 5.0).splitlines()]
    assert "while True:" in lines
    assert any(line.startswith("if ") and line.endswith(": break") for line in lines)


def test_remarks_take_the_place_of_types() -> None:
    def f(x):
        return np.sin(x) * 2

    text = of(f, 1.0, remark=lambda v: "the value" if v.name == "result" else "")
    assert [line.partition("  # ")[2] for line in text.splitlines()] == ["x: ", "", "the value", ""]
