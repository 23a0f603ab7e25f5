"""`morula.explain` names the line: planted programs, whose guilty line ends in ``# <-``."""

import inspect
import math
import re
import subprocess
import sys
import time
import warnings
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import morula

pytestmark = pytest.mark.quick


# -- cotangents that are not finite: the first NaN is born at the marked line ----------------------------------


def roots(x):
    y = x * 2.0
    return np.sqrt(y) - np.cbrt(y)  # <-


def distances(p):
    total = 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            d = p[i] - p[j]
            total = total + math.sqrt(d)  # <-
    return total


def softmax(w):
    e = np.exp(w)
    p = e / e.sum()  # <-
    return p[0]


def entropy(p):
    q = p * 1.0
    return -(q * np.log(q)).sum()  # <-


def far_away(x):
    big = math.exp(x)
    huge = big * big
    return huge / (1.0 + huge)  # <-


def by_norm(v):
    u = v - v.mean()
    return (u / np.sqrt((u * u).sum())).sum()  # <-


def angle(x):
    c = x / x
    return math.acos(c) * x  # <-


# -- gradients of zero or None ------------------------------------------------------------------------------


def whole(x, y):
    n = int(x)  # <-
    return n * y


def compared(x, y):
    return y if x > 0.5 else -y  # <-


def rounded(x):
    y = np.round(x * 10.0) / 10.0  # <-
    return y * 3.0


def printed(x):
    text = f"{x / 7:.3f}"  # <-
    return float(text) * 2.0


def copied(x):
    y = morula.stop_gradient(x * 2.0)  # <-
    return (y * y).sum()


def dropped(x, y):
    z = x * x  # <-
    z = y * 2.0
    return z


def dead(x):
    h = x - 10.0
    a = np.maximum(h, 0.0)  # <-
    return a.sum()


def counted(x):
    order = np.argsort(x)  # <-
    return float(order[0])


# -- what costs -----------------------------------------------------------------------------------------------


def slow(x):
    y = x * 2.0
    A = np.outer(x, x) + np.eye(len(x))
    z = np.linalg.svd(A)[1].sum()  # <-
    return y.sum() + z


def slow_and_constant(x):
    y = x * 2.0
    time.sleep(0.02)  # <-
    return y.sum()


def greedy(x):
    y = x * 2.0
    table = np.outer(y, y) * y.sum()  # <-
    return np.sin(table[:2, :2]).sum() + y.sum()


NAN = [
    (roots, 0.0), (distances, np.array([1.0, 1.0])), (softmax, np.array([1000.0, 0.0])),
    (entropy, np.array([0.0, 1.0])), (far_away, 400.0), (by_norm, np.ones(3)), (angle, 2.0),
]  # fmt: skip
ZERO = [
    (whole, 2.5, 1.0), (compared, 1.0, 2.0), (rounded, 0.33), (printed, 1.0), (copied, np.ones(3)),
    (dropped, 1.0, 2.0), (dead, np.ones(3)), (counted, np.array([3.0, 1.0])),
]  # fmt: skip


def line_of(f):
    lines, first = inspect.getsourcelines(f)
    (at,) = [i for i, line in enumerate(lines) if line.rstrip().endswith("# <-")]
    return first + at


def explained(f, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return morula.explain(f, *args)


@pytest.mark.parametrize(("f", "x"), NAN, ids=lambda v: getattr(v, "__name__", None))
def test_what_is_not_finite_has_a_line(f, x):
    report = explained(f, x)
    assert not np.all(np.isfinite(report.gradient[0]))
    assert line_of(f) in [birth.line.number for birth in report.births]
    birth = next(b for b in report.births if b.line.number == line_of(f))
    assert birth.text in birth.line.text or birth.operation
    assert f"test_explain.py:{line_of(f)}" in str(report)


def test_the_first_nan_has_its_operation_operands_and_partials():
    report = explained(roots, 0.0)
    infinite, nan = report.births
    assert (infinite.text, infinite.operands, infinite.partials) == ("np.cbrt(y)", {"y": "0.0"}, ["inf"])
    assert (nan.text, nan.met, nan.is_nan) == ("np.sqrt(y)", "-inf", True)
    strange = explained(softmax, np.array([1000.0, 0.0])).strange
    assert [s.line.text for s in strange][:1] == ["e = np.exp(w)"]
    assert "1 inf" in strange[0].value


@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in ZERO], ids=lambda v: getattr(v, "__name__", None))
def test_what_is_zero_has_a_line(f, args):
    report = explained(f, *args)
    reason = report.reasons[0]
    assert reason.kind == ("None" if report.gradient[0] is None else "zero")
    assert line_of(f) in [line.number for line, _ in reason.notes if line is not None]
    assert f"Why the gradient with respect to {inspect.getfullargspec(f).args[0]}" in str(report)


def test_an_argument_that_is_never_read():
    report = morula.explain(lambda x, unused, model: x * model["a"], 2.0, 3.0, {"a": 1.0, "b": 2.0, "name": "n"})
    notes = {r.name: [note for _, note in r.notes] for r in report.reasons}
    assert notes == {"unused": ["it is never read"], "model['b']": ["it is never read"]}

    class Model:
        def __init__(self):
            self.a, self.b = 1.0, np.ones(2)

    report = morula.explain(lambda model, x: model.a * x, Model(), 2.0)
    assert [(r.name, r.notes) for r in report.reasons] == [("model.b", [(None, "it is never read")])]


@pytest.mark.parametrize("f", [slow, slow_and_constant])
def test_the_dearest_line_is_the_slow_one(f):
    def dearest():
        return max(explained(f, np.linspace(1.0, 2.0, 100)).lines, key=lambda line: line.seconds).number

    dearest()  # rules are loaded
    assert line_of(f) in [dearest() for _ in range(3)]  # the machine may have paused at another line


def test_what_the_tape_keeps_and_where_memory_peaks():
    x = np.linspace(0.0, 1.0, 300)
    with morula.explaining(memory=True) as report:
        morula.gradient(greedy, x)
    assert max(report.lines, key=lambda line: line.kept).number == line_of(greedy)
    assert 300 * 300 * 8 < max(line.kept for line in report.lines) < 4 * 300 * 300 * 8
    assert report.peak > 300 * 300 * 8
    assert report.peak_at.number >= line_of(greedy)
    assert "memory peaks at" in str(report)


# -- what is counted ------------------------------------------------------------------------------------------


def inner(v):
    return v * v


def outer(x, n):
    total = 0.0
    for _ in range(n):
        total = total + inner(x)
    total = sum(inner(k) for k in [x, total])
    return total


def test_lines_and_runs():
    report = morula.explain(outer, 3.0, 4)
    first = inspect.getsourcelines(outer)[1]
    runs = {line.number - first: line.runs for line in report.lines if line.number >= first}
    assert runs[3] == 4
    (inside,) = [line for line in report.lines if line.number < first]
    assert inside.runs == 6 and inside.entries == 6
    assert inside.largest == pytest.approx(2.0 * 36.0)  # of total * total, by total
    assert report.gradient == morula.gradient(outer, 3.0, 4)
    assert report.value == outer(3.0, 4)


def test_lines_of_libraries_are_under_the_users():
    from scipy.optimize import rosen

    def f(x):
        return rosen(x) * 2.0

    report = morula.explain(f, np.array([1.0, 2.0, 3.0]))
    assert [line.text for line in report.lines] == ["return rosen(x) * 2.0"]
    assert {i.under.text for i in report.inner} == {"return rosen(x) * 2.0"}
    assert "in scipy/optimize" in str(report)


def test_verbs_in_a_block():
    def f(x):
        y = x.copy()
        y[0] *= y[1]
        return (y**2).sum()

    x = np.array([1.0, 2.0, 3.0])
    plain = [morula.gradient(f, x), morula.hessian(f, x), morula.jvp(f, (x,), (x,)), morula.jacobian(np.sin, x)]
    with morula.explaining() as report:
        watched = [morula.gradient(f, x), morula.hessian(f, x), morula.jvp(f, (x,), (x,)), morula.jacobian(np.sin, x)]
        _, back = morula.pullback(lambda x: morula.checkpoint(f, x) * 2.0, x)
        assert np.array_equal(back(1.0)[0], 2.0 * plain[0][0]) and np.array_equal(back(2.0)[0], 4.0 * plain[0][0])
    for a, b in zip(plain, watched, strict=True):
        np.testing.assert_allclose(a if not isinstance(a, tuple) else a[-1], b if not isinstance(b, tuple) else b[-1])
    assert report.runs > 4 and not report.births and np.array_equal(x, [1.0, 2.0, 3.0])
    assert not morula.eager.context.observed.WATCH


def test_errors_end_a_watched_run_as_any_other():
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        morula.explain(f, 1.0)
    assert not morula.eager.context.observed.WATCH
    assert str(morula.explain(greedy)).startswith("greedy: the eager tier so far")  # nothing runs


# -- errstate -------------------------------------------------------------------------------------------------


def test_errstate():
    def bad(x):
        return math.sqrt(x) - math.cbrt(x)

    def steep(x):
        return np.sqrt(x).sum()

    line = inspect.getsourcelines(bad)[1] + 1
    for verb in (morula.gradient, morula.withgradient, lambda f, x: morula.grad(f)(x)):
        assert np.isnan(verb(bad, 0.0)).any() if verb is morula.gradient else verb(bad, 0.0) is not None
        with morula.errstate(nan="raise"):
            with pytest.raises(
                morula.NonFiniteError, match=rf"the gradient is NaN: .*line {line}: math.sqrt\(x\), x = 0.0"
            ):
                verb(bad, 0.0)
            assert verb(bad, 1.0) is not None
            verb(steep, np.zeros(2))
        with morula.errstate(inf="warn"), pytest.warns(morula.NonFiniteWarning, match="infinite: .*np.sqrt"):
            verb(steep, np.zeros(2))
    with pytest.raises(ValueError, match="errstate takes"), morula.errstate(nan="stop"):
        pass
    with morula.tier("static"), morula.errstate(nan="raise"), pytest.raises(FloatingPointError):
        morula.value_and_grad(bad)(0.0)


# -- how it is shown ------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Every tag is closed; nothing is fetched."""

    def __init__(self):
        super().__init__()
        self.open, self.outside = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.outside += [v for k, v in attrs if k in ("src", "href") and not v.startswith("#")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html(tmp_path):
    report = explained(roots, 0.0)
    page = tmp_path / "page.html"
    report.save(page)
    text = page.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert not tags.open and not tags.outside
    assert not re.search(r"https?://|@import|url\(", text)
    assert "prefers-color-scheme:dark" in text and "np.cbrt(y)" in text and "class=bad" in text
    assert report._repr_html_() in text


SCRIPT = """
import numpy as np
import morula

data = np.arange(3.0)

def loss(w):
    return (w * data).sum()

def wrong(w):
    return morula.stop_gradient(w).sum() + w.sum()

if __name__ == "__main__":
    morula.gradient(loss, data)
"""


def run(*words, cwd):
    done = subprocess.run(
        [sys.executable, "-m", "morula", *words], cwd=cwd, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def test_the_command_line(tmp_path, capsys, monkeypatch):
    from morula.diagnostics.command import main

    (tmp_path / "script.py").write_text(SCRIPT)
    status, out = run("explain", "script.py", "--html", "page.html", cwd=tmp_path)
    assert status == 0 and "return (w * data).sum()" in out and (tmp_path / "page.html").exists()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for words, status, found in [
        (["--version"], 0, f"morula {morula.__version__}"),
        (["explain", "script.py:loss", "[1, 2, 3]"], 0, "the eager tier"),
        (["check", "script.py:loss", "data"], 0, "agrees with finite differences"),
        (["check", "script.py:wrong", "data"], 1, "gradient"),
        (["show", "script.py:loss"], 0, "def loss(ctx, w, w_d):"),
        (["show", "script.py:nothing"], 2, "the script defines no nothing"),
        (["show", "nowhere.py:f"], 2, "there is no file nowhere.py"),
    ]:
        assert main(words) == status, words
        printed = capsys.readouterr()
        assert found in printed.out + printed.err, words


def test_the_magic():
    cells, magics = [], {}

    class Shell:
        def register_magic_function(self, function, magic_kind, magic_name):
            magics[magic_kind, magic_name] = function

        def run_cell(self, cell):
            cells.append(cell)
            morula.gradient(outer, 2.0, 2)

    morula.load_ipython_extension(Shell())
    report = magics["cell", "morula"]("", "the cell")
    assert cells == ["the cell"] and report.runs == 1 and Path(report.lines[0].file).name == "test_explain.py"


def test_temporaries_that_have_no_derivative_here_and_one_elsewhere():
    def f(x):
        ok = True
        for v in x:
            ok = ok & bool(v > 0)
        return x.sum() if ok else 0.0

    report = morula.explain(f, np.array([0.3, 0.7, 1.1]))
    assert "ok = ok & bool(v > 0)" in str(report)
