"""Every public name that the library answers for is covered, or constant, or refused with a reason."""

import subprocess
import sys
from pathlib import Path

import pytest

from chainrules.__main__ import main
from chainrules.coverage import NAMESPACES, named, public_callables, status_of

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "rule_coverage.py"
SPACES = {name: dict(public_callables(named(name))) for name in NAMESPACES}


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_no_name_was_forgotten(namespace):
    missing = [name for name, f in SPACES[namespace].items() if status_of(f).kind == "missing"]
    assert SPACES[namespace] and not missing


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_reasons_are_sentences_and_nobody_contradicts_himself(namespace):
    for name, f in SPACES[namespace].items():
        status = status_of(f)
        if status.reason is not None:
            assert len(status.reason.split()) > 2 and not status.reason.endswith("."), name
            assert status.kind == "unsupported", f"{namespace}.{name} is {status.kind} and unsupported"
        if status.kind == "non-differentiable":
            assert not status.rules, f"{namespace}.{name} is constant and has a rule"


def test_few_names_are_refused():
    for namespace, bound in {"math": 0, "cmath": 0, "numpy.fft": 1, "numpy.linalg": 1}.items():
        refused = [name for name, f in SPACES[namespace].items() if status_of(f).kind == "unsupported"]
        assert len(refused) <= bound, refused


def test_the_command_line_tells_of_a_function(capsys):
    assert main(["numpy.linalg.solve", "math.floor"]) == 0
    printed = capsys.readouterr().out
    assert "numpy.linalg.solve: covered" in printed and "linalg.py:" in printed and "any types" in printed
    assert main(["numpy.argmax"]) == 0 and "numpy.argmax: non-differentiable" in capsys.readouterr().out
    assert main(["operator.setitem"]) == 0 and "operator.setitem: unsupported (" in capsys.readouterr().out


def test_the_command_line_tells_of_a_module_and_of_all(capsys):
    assert main(["numpy.fft"]) == 0 and "rfft " in capsys.readouterr().out
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in NAMESPACES)
    assert main(["numpy.no_such_thing"]) == 1 and "no_such_thing" in capsys.readouterr().err
    assert main(["no_such_module.thing"]) == 1 and "no_such_module" in capsys.readouterr().err


@pytest.mark.slow
def test_as_a_program():
    for command in (["-m", "chainrules", "numpy.sin"], [str(BENCHMARK)]):
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
        assert done.returncode == 0 and ("covered" in done.stdout), done.stderr


@pytest.mark.parametrize("namespace", ["numpy", "numpy.linalg", "numpy.fft"])
def test_what_autograd_covers_is_covered(namespace):
    pytest.importorskip("autograd")
    sys.path.insert(0, str(BENCHMARK.parent))
    try:
        from rule_coverage import autograd_statuses
    finally:
        sys.path.pop(0)
    theirs = autograd_statuses(namespace)
    behind = [
        name
        for name, kind in theirs.items()
        if kind == "covered" and status_of(SPACES[namespace][name]).kind in ("unsupported", "missing")
    ]
    assert sum(kind == "covered" for kind in theirs.values()) > 9 and not behind
