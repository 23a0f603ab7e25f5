"""What editors and type checkers see of the verbs, and what is said where one is called in the place of another."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import morula

SOURCE = str(Path(morula.__file__).parents[1])
USER_CODE = """
from typing import Any

import numpy as np
import morula

def loss(w: np.ndarray, rate: float = 0.1) -> float:
    return rate * float((w**2).sum())

w = np.ones(3)
reveal_type(morula.grad(loss)(w))  # Any
reveal_type(morula.value_and_grad(loss)(w))  # tuple[float, Any]
reveal_type(morula.withgradient(loss, w))  # WithGradient
reveal_type(morula.gradient(loss, w))  # tuple[Any, ...]
reveal_type(morula.pullback(loss, w)[0])  # float
reveal_type(morula.pullback(loss, w)[1](1.0))  # tuple[Any, ...]
reveal_type(morula.jacobian(loss, w))  # tuple[Any, ...]
reveal_type(morula.jvp(loss, (w,), (w,)))  # tuple[Any, Any]
morula.grad(loss)(w, rate="fast")  # error
morula.value_and_grad(loss)()  # error
morula.jacobian(loss, w, mode=3)  # error
morula.hessian()  # error
morula.withgradient()  # error
morula.grad(loss, "w")  # error
morula.grad(np.sin)(0.5)
morula.grad(lambda x: x * x)(0.5)
morula.gradient(lambda x: x * x, 0.5)

@morula.adjoint(loss)
def rule(w: np.ndarray, rate: float) -> tuple[float, Any]:
    return loss(w, rate), lambda y_bar: (2 * rate * w * y_bar, None)

rule(w, "fast")  # error
"""
CHECKERS = {"mypy": ["--no-error-summary"], "pyright": [], "basedpyright": []}
OF_PYRIGHT = f'extraPaths = ["{SOURCE}"]\ntypeCheckingMode = "standard"\n'


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_see_the_signatures(checker, tmp_path):
    pytest.importorskip(checker)
    program = tmp_path / "program.py"
    program.write_text(USER_CODE)
    (tmp_path / "pyproject.toml").write_text(f"[tool.pyright]\n{OF_PYRIGHT}[tool.basedpyright]\n{OF_PYRIGHT}")
    done = subprocess.run(
        [sys.executable, "-m", checker, *CHECKERS[checker], str(program)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": SOURCE, "MYPY_CACHE_DIR": str(tmp_path / "cache")},
    )
    found: dict[int, str] = {}
    for line in done.stdout.splitlines():
        told = re.match(r".*program\.py:(\d+)(.*)", line)
        if told and "error" in told[2]:
            found[int(told[1])] = "error"
        elif told and (shown := re.search(r'(?:Revealed type is|Type of .* is) "(.*)"', told[2])):
            found[int(told[1])] = "WithGradient" if "WithGradient" in shown[1] else shown[1]
    expected = {i: line.split("  # ")[1] for i, line in enumerate(USER_CODE.splitlines(), 1) if "  # " in line}
    assert found == expected, done.stdout + done.stderr


def test_completion_shows_the_verbs():
    names = {name for name in dir(morula) if not name.startswith("_")}
    assert names == set(morula.__all__)
    assert "__version__" in dir(morula)


@pytest.mark.parametrize("verb", ["grad", "value_and_grad"])
@pytest.mark.parametrize("argnums", [np.ones(2), np.arange(2), 0.5, "w", {"a": 1}, ([0],), None])
def test_an_argument_in_the_place_of_its_position(verb, argnums):
    def loss(w):
        return (w**2).sum()

    called_at_once = {"grad": "gradient", "value_and_grad": "withgradient"}[verb]
    with pytest.raises(morula.MorulaError, match=rf"{verb}\(f\)\(x\), or use {called_at_once}\(f, x\)"):
        getattr(morula, verb)(loss, argnums)


def test_positions_of_every_kind():
    def f(x, y):
        return x * y

    assert morula.grad(f, np.int64(1))(2.0, 3.0) == 2.0
    assert morula.grad(f, np.array(1))(2.0, 3.0) == 2.0
    assert morula.grad(f, [0, 1])(2.0, 3.0) == (3.0, 2.0)
    assert morula.grad(f, -1)(2.0, 3.0) == 2.0


def test_what_is_no_function():
    with pytest.raises(morula.MorulaError, match="takes a function, and was given a float"):
        morula.grad(0.5)


def test_adjoint_without_its_argument():
    with pytest.raises(morula.MorulaError, match=r"write @morula.adjoint\(f\) above def rule"):

        @morula.adjoint
        def rule(x):
            return x, lambda y_bar: y_bar


def test_adjoint_without_its_argument_where_the_name_is_taken():
    def rule(x):
        return 2 * x

    made = morula.adjoint(rule)
    for call in (lambda: made(0.5), lambda: made(rule, 0.5), lambda: morula.gradient(made, 0.5)):
        with pytest.raises(morula.MorulaError, match=r"adjoint needs the function that .*rule is a rule for"):
            call()


def test_adjoint_of_functions_wherever_they_stand():
    double = lambda x: 2 * x
    morula.adjoint(double)(lambda x: (2 * x, lambda y_bar: 5 * y_bar))
    assert morula.gradient(double, 1.0) == (5.0,)

    class Scale:
        def by(self, x):
            return x

        @morula.adjoint(by)
        def _by(self, x):
            return x, lambda y_bar: (None, 7 * y_bar)

    assert morula.gradient(Scale().by, 1.0) == (7.0,)
