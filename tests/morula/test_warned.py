"""Warnings of NumPy's in differentiated programs: as many as plainly, at the program's lines, under its filters."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import morula

X = np.array([1.0, -2.0, 3.0])


def logs(x):
    y = np.log(x)
    z = np.log(2 * x)
    return np.sum(np.where(x > 0, y + z, 0.0) * x)


def noted(call, *actions, **options):
    """Where warnings are shown, as lines from the first of `logs`."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        for action in actions:
            warnings.filterwarnings(action, **options)
        for _ in range(2):
            call()
    first = logs.__code__.co_firstlineno
    assert {w.filename for w in shown} <= {__file__}
    assert {w.category for w in shown} <= {RuntimeWarning}
    return [(w.lineno - first, str(w.message)) for w in shown]


VERBS = [
    lambda: morula.gradient(logs, X),
    lambda: morula.jvp(logs, (X,), (X,)),
    lambda: morula.value_and_grad(logs)(X),
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("actions", [("always",), ("default",), ("once",), ("module",), ("ignore",)])
def test_warnings_are_those_of_the_plain_program(verb, actions):
    with morula.tier("eager"):
        noted(verb)  # what is imported and transformed at first changes filters, which forget what they have seen
        assert noted(verb, *actions) == noted(lambda: logs(X), *actions)


def test_filters_see_the_users_module():
    with morula.tier("eager"):
        assert noted(VERBS[0], "ignore", module=__name__.replace(".", r"\.")) == []
        with pytest.raises(RuntimeWarning, match="in log"):
            noted(VERBS[0], "error", module=__name__.replace(".", r"\."))


def roots(x):
    total = 0.0
    for i in range(3):
        total += np.sum(np.where(x > 0, np.sqrt(x), 0.0) * i)
    return total


def test_warnings_of_static_adjoints_name_the_function():
    with morula.tier("static"), warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        morula.gradient(roots, X)
        morula.gradient(roots, X)
    assert shown
    first = roots.__code__.co_firstlineno
    assert all(w.filename == __file__ and first <= w.lineno < first + 5 for w in shown)


def test_a_script_is_told_its_own_lines(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, morula\ndef f(x):\n    return np.sum(np.where(x > 0, np.log(x), 0.0))\n"
        "morula.gradient(f, np.array([1.0, -1.0]))\n"
    )
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert f"{script}:3: RuntimeWarning: invalid value encountered in log" in found.stderr
