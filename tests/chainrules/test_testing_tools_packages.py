"""The tools for whole packages: the pytest plugin, cases declared and found, and the lint, which notices each fault."""

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import chainrules
from chainrules import (
    frule,
    non_differentiable,
    opt_out,
    registry,
    rrule,
    rules_for,
    scalar_rule,
    split_rule,
    unsupported,
)
from chainrules.testing import Case, cases, cases_for, lint
from chainrules.testing.cases import automatic_cases
from chainrules.testing.collect import rule_tests

ROOT = Path(__file__).parent.parent.parent
SRC = ROOT / "src"

PACKAGE = """
import numpy as np
from chainrules import frule, rrule, scalar_rule

def softplus(x):
    return np.log1p(np.exp(x))

scalar_rule(softplus, lambda y, x: 1 / (1 + np.exp(-x)))

def root(x):
    return np.sqrt(x - 1)

@rrule(root)
def _(x):
    y = root(x)
    return y, lambda y_bar: y_bar / (2 * y)

def smooth(x, kind):
    return x * {"soft": 0.5, "hard": 2.0}[kind]

@rrule(smooth)
def _(x, kind):
    return smooth(x, kind), lambda y_bar: (smooth(y_bar, kind), None)

@rrule(smooth, np.ndarray)
def _(x, kind):
    return smooth(x, kind), lambda y_bar: (smooth(y_bar, kind), None)
"""

WRONG = """
def square(x):
    return x * x

@rrule(square)
def _(x):
    return square(x), lambda y_bar: 3 * x * y_bar

@frule(square)
def _(primals, tangents):
    return square(*primals), 3 * primals[0] * tangents[0]
"""


def run_pytest(folder, *args):
    """A run of pytest in a process of its own, where nothing but the plugin knows of the package."""
    code = "import pytest, sys; sys.exit(pytest.main(sys.argv[1:], plugins=[]))"
    path = f"import sys; sys.path[:0] = [{str(SRC)!r}, {str(folder)!r}]; "
    command = [
        sys.executable,
        "-c",
        path + code,
        "-p",
        "no:chainrules",  # as it is registered where the package is installed
        "-p",
        "pytest_chainrules",
        "-p",
        "no:cacheprovider",
        "-W",
        "error",
        *args,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def package(tmp_path):
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "__init__.py").write_text(PACKAGE)
    return tmp_path


def test_a_package_is_tested_by_three_lines(package):
    code, out = run_pytest(package, "--chainrules", "tiny", "-q")
    assert code == 1 and "smooth" in out and "no cases declared and none found automatically" in out
    assert "4 failed" not in out and "2 failed, 4 passed" in out

    (package / "conftest.py").write_text(
        "import numpy as np, tiny\nfrom chainrules.testing import cases\n"
        "cases(tiny.smooth, (2.0, 'soft'), (np.ones(3), 'hard'))\n"
    )
    code, out = run_pytest(package, "--chainrules", "tiny", "-v")
    assert code == 0 and "6 passed" in out, out
    for name in ("rrule-softplus()", "frule-softplus()", "rrule-root()", "rrule-smooth(ndarray)", "::lint PASSED"):
        assert f"chainrules:tiny::{name}" in out or name in out
    code, out = run_pytest(package, "--chainrules", "tiny", "-q", "-k", "softplus")
    assert code == 0 and "2 passed, 4 deselected" in out
    (package / "pytest.ini").write_text("[pytest]\nchainrules = tiny\n")
    code, out = run_pytest(package, "-q")
    assert code == 0 and "6 passed" in out


def test_faults_of_a_package_are_found(package):
    (package / "tiny" / "wrong.py").write_text("from chainrules import frule, rrule\n" + WRONG)
    (package / "tiny" / "__init__.py").write_text("from . import wrong\n")
    code, out = run_pytest(package, "--chainrules", "tiny", "-q")
    assert code == 1 and "2 failed, 1 passed" in out
    assert "square: argument 0: the rule says" in out and "square: the tangent: the rule says" in out
    assert "wrong.py:6" in out and "rule_test.py" not in out  # the rule's place, and no frames of the tools

    (package / "tiny" / "__init__.py").write_text(PACKAGE)
    (package / "conftest.py").write_text(
        "import tiny\nfrom chainrules.testing import cases\ncases(tiny.smooth, (2.0, 'soft'))\n"
    )
    code, out = run_pytest(package, "--chainrules", "tiny", "-q")
    assert code == 1 and "1 failed, 5 passed" in out and "no case declared for smooth reaches its rule" in out


def test_the_plugin_costs_nothing_unless_asked_for(package):
    (package / "test_it.py").write_text(
        "import sys\ndef test(): assert not {'numpy', 'chainrules'} & set(sys.modules)\n"
    )
    code, out = run_pytest(package, "-q")
    assert code == 0 and "1 passed" in out, out


def test_the_plugin_is_announced():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    module = settings["project"]["entry-points"]["pytest11"]["chainrules"]
    assert (SRC / f"{module}.py").exists()
    assert f"src/{module}.py" in settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def points(f, rule=None):
    return [c.args for c in automatic_cases(f, rule or rules_for(f)[0])]


def test_points_are_found_in_the_domain():
    def pole(x):
        return 1 / np.sqrt(x - 1)

    scalar_rule(pole, lambda y, x: -0.5 * y**3)
    assert points(pole)[0] == (1.43,) and all(np.all(x > 1) for (x,) in points(pole))

    def solved(a, b):
        return np.linalg.solve(a, b)

    rrule(solved, np.ndarray, np.ndarray)(lambda a, b: NotImplemented)
    assert points(solved)[0][0].shape == (3, 3)

    def powered(z):
        return z**2 if isinstance(z, complex) else None

    rrule(powered, complex)(lambda z: NotImplemented)
    assert points(powered)[0] == (0.3 + 0.4j,)

    def counted(x, n=3, *, scale=1.0):
        return x * n * scale

    rrule(counted)(lambda x, n=3, **rest: NotImplemented)
    assert all(len(args) == 1 for args in points(counted))

    def named(x, name):
        return {"a": x}[name]

    rrule(named)(lambda x, name: NotImplemented)
    assert not points(named)

    class Scale:
        def __init__(self, by):
            self.by = by

        def __call__(self, x):
            return x * self.by

    rrule(Scale, instances=True)(lambda s, x: NotImplemented)
    found = list(automatic_cases(Scale, registry.INSTANCE_RULES[Scale][0]))
    assert found and all(isinstance(case.of, Scale) for case in found)


def test_cases_know_their_options():
    def scaled(x, *, by=1.0):
        return x * by

    cases(scaled, (1.0,), Case((2.0,), {"by": 3.0}, options={"rtol": 1e-3}), rtol=1e-8, atol=0.0)
    first, second = cases_for(scaled)
    assert first.options == {"rtol": 1e-8, "atol": 0.0} and second.options == {"rtol": 1e-3, "atol": 0.0}
    assert second.kwargs == {"by": 3.0}


def test_cases_for_calls_of_instances(tmp_path):
    (tmp_path / "lines.py").write_text(
        "import numpy as np\n"
        "from chainrules import Tangent, rrule\n"
        "from chainrules.testing import Case, cases\n"
        "class Line:\n"
        "    def __init__(self, slope): self.slope = slope\n"
        "    def __call__(self, x): return self.slope * x\n"
        "@rrule(Line, with_self=True)\n"
        "def _(line, x):\n"
        "    return line(x), lambda y_bar: (Tangent(Line, slope=np.sum(x * y_bar)), line.slope * y_bar)\n"
    )
    code, out = run_pytest(tmp_path, "--chainrules", "lines", "-q")
    assert code == 0 and "2 passed" in out, out
    with open(tmp_path / "lines.py", "a") as file:
        file.write("cases(Line, Case((np.ones(2),), of=Line(2.0)))\n")
    code, out = run_pytest(tmp_path, "--chainrules", "lines", "-q")
    assert code == 0 and "2 passed" in out, out


def test_the_rules_of_the_library_can_be_collected():
    tests = list(rule_tests("chainrules.library.python.cmath"))
    assert len(tests) > 10 and tests[-1].rule is None and len({t.name for t in tests}) == len(tests)
    next(t for t in tests if "sinh" in t.name).run()


# The lint: each fault alone, in a registry that is put back.


@pytest.fixture
def registered():
    tables = [
        registry.RULES, registry.INSTANCE_RULES, registry.FORWARD_RULES, registry.FORWARD_INSTANCE_RULES,
        registry.SPLIT_RULES, registry.SCALAR_RULES, registry.NON_DIFFERENTIABLE, registry.UNSUPPORTED,
        registry.OPTED_OUT,
    ]  # fmt: skip
    kept = [table.copy() for table in tables]
    yield
    for table, was in zip(tables, kept, strict=True):
        table.clear()
        table.update(was)


def findings(kind, name):
    return [f.message for f in lint() if f.kind == kind and name in f.message]


def wave(x, phase=0.0, *, scale=1.0):
    return scale * np.sin(x + phase)


def nothing(*args, **kwargs):
    return NotImplemented


@pytest.mark.parametrize(
    ("rule", "kind", "message"),
    [
        (lambda x, phase=0.0: NotImplemented, "keyword", "no parameter 'scale'"),
        (lambda x, shift=0.0, *, scale=1.0: NotImplemented, "keyword", "no parameter 'phase'"),
        (lambda t, phase=0.0, *, scale=1.0: NotImplemented, "keyword", "no parameter 'x'"),
        (lambda t, phase=0.0, **rest: NotImplemented, "keyword", "calls 't' what is 'x' there"),
        (lambda phase, x, *, scale=1.0: NotImplemented, "order", "has 'x' at position 1, not 0"),
        (lambda x, *, phase=0.0, scale=1.0: NotImplemented, "order", "takes 'phase' by keyword only"),
        (lambda x, phase, *, scale=1.0: NotImplemented, "default", "needs 'phase', which has the default 0.0"),
        (lambda x, phase=1.0, *, scale=1.0: NotImplemented, "default", "has phase=1.0, not 0.0"),
    ],
)
def test_a_rule_that_cannot_be_called_as_its_function(registered, rule, kind, message):
    rrule(wave)(lambda x, phase=0.0, *, scale=1.0: NotImplemented)
    assert not [f for f in lint() if "wave" in f.message]
    rrule(wave)(lambda *args, **kwargs: NotImplemented)
    assert not [f for f in lint() if "wave" in f.message]
    rrule(wave)(rule)
    assert any(message in text for text in findings(kind, "wave"))


def test_a_forward_rule_that_cannot_be_called(registered):
    frule(wave)(lambda primals, tangents, *, scale=1.0: None)
    assert not [f for f in lint() if "wave" in f.message]
    frule(wave)(lambda primals, tangents: None)
    assert findings("keyword", "wave") == ["the forward rule for wave has no parameter 'scale'"]
    frule(wave)(lambda x, x_dot, phase: None)
    assert findings("order", "wave")


def test_declarations_that_contradict_each_other(registered):
    rrule(wave)(nothing)
    non_differentiable(wave)
    assert findings("conflict", "wave") == ["wave is declared non-differentiable, and has a rule"]
    unsupported("because", wave)
    assert len(findings("conflict", "wave")) == 3


def test_opt_outs_without_effect(registered):
    opt_out(wave, str)
    assert findings("opt-out", "wave") == ["the opt-out of wave for (str) has no effect"]
    rrule(wave, np.ndarray)(nothing)
    assert findings("opt-out", "wave")
    rrule(wave)(nothing)
    assert not findings("opt-out", "wave")
    opt_out(wave)
    assert findings("unreachable", "wave") == ["every call of wave is opted out of its rules"]


def test_rules_that_stand_in_each_others_way(registered):
    rrule(wave, float, (float, np.ndarray))(nothing)
    rrule(wave, (float, np.ndarray), float)(nothing)
    assert len(findings("ambiguous", "wave")) == 1
    rrule(wave, float, float)(nothing)
    assert not findings("ambiguous", "wave")
    rrule(wave, object)(nothing)
    assert not findings("unreachable", "wave")
    rrule(wave)(nothing)
    assert findings("unreachable", "wave")[0].startswith(
        "the rule for wave of the types () is hidden by the one for (object)"
    )
    rrule(wave, (float,), (float,))(nothing)
    assert len(findings("ambiguous", "wave")) == 1
    frule(wave, float, (float, np.ndarray))(lambda primals, tangents, **rest: None)
    frule(wave, (float, np.ndarray), float)(lambda primals, tangents, **rest: None)
    assert len(findings("ambiguous", "wave")) == 2


def test_other_faults(registered):
    def sharp(x):
        return x * x

    split_rule(sharp, lambda x: (x * x, (x,), [1]), lambda residuals, static, y_bar: None)
    assert "unhashable" in findings("static", "sharp")[0]
    split_rule(sharp, lambda x: (x * x, (x,), (1,)), lambda residuals, static, y_bar: None)
    assert not findings("static", "sharp")

    def rule(x):
        def back(y_bar):
            return y_bar

        return x, back

    rrule(sharp)(rule)
    assert "is called 'back'" in findings("name", "sharp")[0]
    assert [f.severity for f in lint() if f.kind == "name" and "sharp" in f.message] == ["style"]


def test_the_lint_of_one_package():
    everywhere, here = lint(), lint("chainrules")
    home = str(Path(chainrules.__file__).parent)
    assert all(f.file.startswith(home) for f in here) and set(here) <= set(everywhere)
    assert not lint("chainrules.library.python.cmath")
    assert all(str(f).startswith(f"{f.file}:{f.line}: {f.kind}: ") for f in here)


def test_the_library_itself_has_no_findings():
    done = subprocess.run([sys.executable, "-m", "chainrules", "lint", "chainrules"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0 findings\n"), done.stdout + done.stderr
