"""Under differentiation a program looks to Python's own tools as it does plainly: its file, its lines."""

import importlib.util
import subprocess
import sys
import textwrap
import traceback
from pathlib import Path
from types import ModuleType

import pytest

import morula

MODEL = """\
import math
import struct


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def force(self, x):
        if x > 2.5:
            raise ValueError(f"overstretched at {x}")
        return -self.stiffness * x


def walk(x, steps):
    total = 0.0
    spring = Spring(2.0)
    for i in range(steps):
        x = x + 1.0
        total += math.sin(spring.force(x))
    return total


def deep(x, n):
    if n == 0:
        return 1.0 / (x - x)
    return deep(x * 2.0, n - 1)


def listed(x):
    return sum([
        math.sqrt(v)
        for v in [x, -x]
    ])


def unknown(x):
    y = x * 2.0
    return struct.pack("d", y)


def by_lambda(x):
    root = lambda v: math.log(-v)
    return root(x)


def generated(x):
    def items():
        yield x
        yield x / 0.0
    return sum(items())


def decided(x):
    y = x * x
    z = y + 1.0
    return z
"""


def line_of(text: str) -> int:
    """The number of the (only) line of MODEL that holds `text`."""
    found = [i for i, line in enumerate(MODEL.splitlines(), 1) if text in line]
    assert len(found) == 1
    return found[0]


@pytest.fixture
def model(tmp_path: Path) -> ModuleType:
    path = tmp_path / "model_of_user.py"
    path.write_text(MODEL)
    spec = importlib.util.spec_from_file_location("model_of_user", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def frames_of(error: BaseException, model: ModuleType) -> list[tuple[str, int]]:
    """Function and line of every frame below the test's own; all of them must be the user's."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    assert all(f.filename == model.__file__ for f in frames), frames
    return [(f.name, f.lineno or 0) for f in frames]


def differentiate(f, *args) -> BaseException:
    with pytest.raises(BaseException) as caught:
        morula.gradient(f, *args)
    return caught.value


def plainly(f, *args) -> BaseException:
    with pytest.raises(BaseException) as caught:
        f(*args)
    return caught.value


CASES = [
    ("walk", (1.0, 5), ValueError, 'raise ValueError(f"overstretched'),
    ("deep", (1.0, 3), ZeroDivisionError, "return 1.0 / (x - x)"),
    ("listed", (2.0,), ValueError, "math.sqrt(v)"),
    ("by_lambda", (2.0,), ValueError, "math.log(-v)"),
    ("generated", (2.0,), ZeroDivisionError, "yield x / 0.0"),
]


@pytest.mark.parametrize(("name", "args", "kind", "text"), CASES, ids=[c[0] for c in CASES])
def test_traceback_of_the_users_error_is_the_plain_one(model, name, args, kind, text) -> None:
    f = getattr(model, name)
    error, plain = differentiate(f, *args), plainly(f, *args)
    assert type(error) is type(plain) is kind
    assert str(error) == str(plain)
    assert not getattr(error, "__notes__", [])
    frames, wanted = frames_of(error, model), frames_of(plain, model)
    assert frames[-1][1] == line_of(text)
    if name != "listed":  # a comprehension has a frame of its own up to Python 3.11 only
        assert frames == wanted


@pytest.mark.parametrize("verb", ["gradient", "withgradient", "pullback", "grad", "value_and_grad"])
def test_every_verb_hides_the_engine(model, verb) -> None:
    with pytest.raises(ValueError, match="overstretched") as caught:
        if verb in ("grad", "value_and_grad"):
            getattr(morula, verb)(model.walk)(1.0, 5)
        else:
            getattr(morula, verb)(model.walk, 1.0, 5)
    assert [name for name, _ in frames_of(caught.value, model)] == ["walk", "force"]


def test_the_printed_traceback_shows_the_users_text(model) -> None:
    text = "".join(traceback.format_exception(differentiate(model.walk, 1.0, 5)))
    assert "total += math.sin(spring.force(x))" in text
    assert str(Path(morula.__file__).parent) not in text


def test_an_error_of_the_engine_names_the_users_line(model) -> None:
    error = differentiate(model.unknown, 1.0)
    assert isinstance(error, morula.NotDifferentiable)
    assert "struct.pack" in str(error) and "non_differentiable" in str(error)
    assert frames_of(error, model)[-1] == ("unknown", line_of("struct.pack"))
    assert any(f"line {line_of('struct.pack')}" in note for note in error.__notes__)


def test_an_error_in_the_backward_pass_shows_the_users_rule(model) -> None:
    def cube(x):
        return x**3

    @morula.adjoint(cube)
    def _(x):
        def cube_pullback(y_bar):
            raise RuntimeError("in the pullback")

        return cube(x), cube_pullback

    with pytest.raises(RuntimeError, match="in the pullback") as caught:
        morula.gradient(lambda x: cube(x) * 2.0, 2.0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [f.name for f in frames[1:]] == ["cube_pullback"]


# Tracing ---------------------------------------------------------------------------------------------


def lines_run(f, model: ModuleType, function: str) -> list[int]:
    """The lines of one function of the user's file that a tracer sees, without repetitions in a row."""
    seen: list[int] = []

    def tracer(frame, event, arg):
        if frame.f_code.co_filename != model.__file__ or frame.f_code.co_name != function:
            return None
        if event == "line" and seen[-1:] != [frame.f_lineno]:
            seen.append(frame.f_lineno)
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        f()
    finally:
        sys.settrace(before)
    return seen


@pytest.mark.parametrize(("name", "args"), [("decided", (2.0,)), ("walk", (-3.0, 3))])
def test_coverage_sees_the_lines_that_run(model, name, args) -> None:
    f = getattr(model, name)
    plain = lines_run(lambda: f(*args), model, name)
    assert set(lines_run(lambda: morula.gradient(f, *args), model, name)) == set(plain)


def test_a_tracer_sees_the_lines_in_order(model) -> None:
    assert lines_run(lambda: morula.gradient(model.decided, 2.0), model, "decided") == lines_run(
        lambda: model.decided(2.0), model, "decided"
    )


def test_variables_have_their_names_in_the_frame(model) -> None:
    found = []

    def tracer(frame, event, arg):
        if event == "return" and frame.f_code.co_filename == model.__file__:
            found.append({k: frame.f_locals.get(k) for k in "xyz"})
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        morula.gradient(model.decided, 2.0)
    finally:
        sys.settrace(before)
    assert {"x": 2.0, "y": 4.0, "z": 5.0} in found


# pdb -------------------------------------------------------------------------------------------------


def debug(script: Path, commands: list[str], *options: str) -> str:
    """What a session with the debugger prints."""
    done = subprocess.run(
        [sys.executable, *options, str(script)],
        input="\n".join([*commands, ""]),
        capture_output=True,
        text=True,
        timeout=120,
        cwd=script.parent,
    )
    return done.stdout + done.stderr


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "script_of_user.py"
    path.write_text(textwrap.dedent(text))
    return path


PROGRAM = """\
    import morula

    def half(v):
        w = v / 2.0
        {stop}
        return w * w

    def f(x):
        y = x * 3.0
        return half(y)

    if __name__ == "__main__":
        print("result", morula.gradient(f, 4.0))
    """


@pytest.mark.parametrize("stop", ["breakpoint()", "import pdb; pdb.set_trace()"])
def test_breakpoint_stops_at_the_users_line(tmp_path, stop) -> None:
    path = script(tmp_path, PROGRAM.format(stop=stop))
    shown = debug(path, ["p 'v is', v", "p 'w is', w", "where", "next", "c"])
    assert "('v is', 12.0)" in shown
    assert "('w is', 6.0)" in shown
    assert f"> {path}(" in shown and ")half()" in shown
    assert "-> return w * w" in shown  # at the stop, or after `next`
    assert f"{path}(10)f()" in shown  # `where` shows the caller with its line
    assert "result (18.0,)" in shown


def test_up_leads_to_the_caller(tmp_path) -> None:
    path = script(tmp_path, PROGRAM.format(stop="breakpoint()"))
    shown = debug(path, ["up", "up", "up", "up", "up", "up", "where", "c"])
    assert f"{path}(10)f()" in shown
    assert "-> return half(y)" in shown


def test_a_breakpoint_set_from_outside_stops(tmp_path) -> None:
    path = script(tmp_path, PROGRAM.format(stop="pass"))
    shown = debug(path, [f"break {path}:6", "c", "p 'w is', w", "p __name__", "c", "q"], "-m", "pdb")
    assert f"> {path}(6)half()" in shown
    assert "('w is', 6.0)" in shown
    assert "result (18.0,)" in shown


def test_a_function_breakpoint_stops(tmp_path) -> None:
    path = script(tmp_path, PROGRAM.format(stop="pass"))
    shown = debug(path, [f"tbreak {path}:4", "c", "p 'v is', v", "step", "p 'w is', w", "c", "q"], "-m", "pdb")
    assert f"> {path}(4)half()" in shown
    assert "('v is', 12.0)" in shown


def test_post_mortem_lands_where_it_was_raised(tmp_path) -> None:
    text = """\
        import pdb, sys
        import morula

        def g(v):
            k = v - 4.0
            return 1.0 / k

        try:
            morula.gradient(lambda x: g(x * 2.0), 2.0)
        except ZeroDivisionError as error:
            pdb.post_mortem(error.__traceback__)
        """
    path = script(tmp_path, text)
    shown = debug(path, ["p 'k is', k", "q"])
    assert f"> {path}(6)g()" in shown
    assert "('k is', 0.0)" in shown
