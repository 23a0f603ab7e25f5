"""Other profilers give the user's functions and lines under differentiation.

cProfile is always there; for the others `pip install -e ".[profilers]"`.
"""

import cProfile
import inspect
import json
import subprocess
import sys
from contextlib import nullcontext

import pytest

import morula


def inner(v):
    return v * v


def outer(x, n):
    total = 0.0
    for _ in range(n):
        total = total + inner(x)
    return total


def profiled(x):
    y = outer(x, 30)
    return y * 2.0


def first_line(f):
    return inspect.getsourcelines(f)[1]


def test_cprofile_names_the_users_functions():
    profile = cProfile.Profile()
    with morula.tier("eager"):
        morula.gradient(profiled, 2.0)
        profile.runcall(morula.gradient, profiled, 2.0)
    codes = [(e.code, e.callcount) for e in profile.getstats() if not isinstance(e.code, str)]
    calls = {code.co_name: n for code, n in codes if code.co_filename == __file__}
    assert calls["profiled"] == 1 and calls["outer"] == 1 and calls["inner"] == 30


def test_coverage_has_the_users_lines():
    coverage = pytest.importorskip("coverage")
    cover = coverage.Coverage(data_file=None, include=[__file__])
    cover.start()
    try:
        morula.gradient(profiled, 2.0)
    finally:
        cover.stop()
    lines = set(cover.get_data().lines(__file__))
    inside = {first_line(profiled) + 1, first_line(profiled) + 2, first_line(outer) + 3, first_line(inner) + 1}
    assert inside <= lines and first_line(first_line) + 1 not in lines


@pytest.mark.parametrize("decorated", [False, True])
def test_line_profiler_has_the_users_lines(decorated):
    line_profiler = pytest.importorskip("line_profiler")
    profiler = line_profiler.LineProfiler()
    f = profiler(profiled) if decorated else profiled  # as `@profile` of kernprof
    profiler.add_function(profiled)
    profiler.add_function(outer)
    with nullcontext() if decorated else profiler, morula.tier("eager"):
        assert morula.gradient(f, 2.0) == (240.0,)
    hits = {line: n for timings in profiler.get_stats().timings.values() for line, n, _ in timings}
    assert hits[first_line(profiled) + 1] == 1 and hits[first_line(outer) + 3] == 30


BUSY = """
import math
import time
import morula

def inner(v):
    for _ in range(40):
        v = v + math.sin(v) * 0.01  # busy
    return v

def outer(x):
    total = 0.0
    for _ in range(60):
        total = total + inner(x)
    return total

end = time.process_time() + 1.5
while time.process_time() < end:
    with morula.tier("eager"):
        morula.gradient(outer, 2.0)
"""


def test_scalene_has_the_users_lines(tmp_path):
    pytest.importorskip("scalene")
    script, out = tmp_path / "busy.py", tmp_path / "profile.json"
    script.write_text(BUSY)
    command = [sys.executable, "-m", "scalene", "run", "--cpu-only", "-o", str(out), str(script)]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    (file,) = json.loads(out.read_text())["files"].values()
    shares = {
        line["line"].strip(): line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]
        for line in file["lines"]
    }
    used = sorted(shares, key=lambda text: -shares[text])
    assert "# busy" in next(text for text in used if not text.startswith("import"))
