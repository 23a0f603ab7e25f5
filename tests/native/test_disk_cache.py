"""Adjoints on disk: what another process finds, what it must not find, and files that are broken."""

import json
import math
import os
import subprocess
import sys
import textwrap
from collections import namedtuple
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core import types

import morula
from morula.static.front.normal_form import normal_form
from morula.static.numba import cache_keys, helpers
from morula.static.numba.array_rules import RULES
from morula.static.numba.array_rules.reductions import cumsum_adjoint
from morula.static.numba.cache_keys import key_of, type_text
from morula.static.numba.disk import RULER, Shelf, own_folder
from morula.static.numba.emit.namespace import HELPERS
from morula.static.numba.spelled_objects import LARGEST, header, object_text
from morula.static.tiers.kernel_summary import Leaf, Summary

SOURCE = Path(morula.__file__).parents[1]
Pair = namedtuple("Pair", "a b")

PROGRAM = """
import math
from collections import namedtuple

import numpy as np
from numba import njit

FACTOR = 3.0
SCALE = np.array([0.5, 2.0, 1.5])
Pair = namedtuple("Pair", "a b")


@njit
def bend(x):
    return FACTOR * x * x


@njit(cache=True)
def loss(x, p):
    s = 0.0
    for i in range(len(x)):
        s += math.sin(p.a * x[i]) * SCALE[i] + bend(x[i]) * p.b
    return s


@njit(cache=True)
def summed(x, c):
    return (np.cumsum(x) * c).sum()


@njit(cache=True)
def rooted(x):
    s = 0.0
    for i in range(len(x)):
        s += 0.0 * math.sqrt(x[i]) + x[i] * x[i]
    return s


@njit(cache=True)
def chained(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += x[i] ** 2 * x[i + 1]
    return s


@njit
def plain(x):
    return x[0] * x[1]
"""

CHILD = """
import json
import sys
import warnings

import numpy as np

import morula
import program
from morula.static.numba.kernels import kernels_of

warnings.simplefilter("error")
if "found" in sys.argv:  # nothing is compiled, and no types are inferred
    import numba.core.compiler

    def refused(*args, **options):
        raise AssertionError("a function is compiled")

    numba.core.compiler.compile_extra = refused
x, p = np.array([0.3, -0.7, 1.1]), program.Pair(0.7, 0.4)
g, pair = morula.gradient(program.loss, x, p)
found = {"loss": [*g, *pair]}
if "every" in sys.argv:
    args = (x, p)
    kernels = kernels_of(program.loss, args, (True, True))
    y, tape = kernels.forward(args)
    bar = np.zeros(3)
    found["split"] = [y, *kernels.backward(args, tape, [bar], (1.0,)), *bar]
    y, (y_dot,) = kernels.tangent(args, (np.array([1.0, 2.0, -1.0]), 0.5, 0.25))
    found["tangent"] = [y, y_dot]
    g, c = morula.gradient(program.summed, x, 2.0)
    found["summed"] = [*g, c]
    found["rooted"] = [*morula.gradient(program.rooted, np.array([0.0, 1.0]))[0]]
    found["source"] = kernels.source
    z = np.linspace(0.5, 1.5, 70)  # so many that several directions go at once
    found["hvp"] = morula.hvp(program.chained, z, z).tolist()
    found["hessian"] = morula.hessian(program.chained, z).tolist()
print(json.dumps(found))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "child.py").write_text(CHILD)
    return tmp_path


def start(folder, *options, **environment):
    known = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_") and k != "PYTHONPYCACHEPREFIX"}
    paths = os.pathsep.join([str(SOURCE), known.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "child.py", *options], cwd=folder, env={**known, "PYTHONPATH": paths, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def result(child):
    out, error = child.communicate(timeout=300)
    assert child.returncode == 0, error
    return json.loads(out)


def run(folder, *options, **environment):
    return result(start(folder, *options, **environment))


def kept(folder, pattern):
    return sorted(own_folder(folder / "__pycache__").glob(pattern))


def loss(x, a, b, factor=3.0):
    return sum(math.sin(a * v) * s + factor * v * v * b for v, s in zip(x, (0.5, 2.0, 1.5), strict=True))


def differences(factor=3.0):
    """The gradient of `loss` by central differences, all five numbers of it."""
    at, h, found = np.array([0.3, -0.7, 1.1, 0.7, 0.4]), 1e-5, []
    for k in range(5):
        step = h * np.eye(5)[k]
        up, down = ((*z[:3],) for z in (at + step, at - step))
        above, below = loss(up, *(at + step)[3:], factor), loss(down, *(at - step)[3:], factor)
        found.append((above - below) / (2 * h))
    return np.array(found)


# -- other processes ----------


def test_another_process_compiles_nothing(folder):
    cold = run(folder, "every")
    texts = {path: path.read_bytes() for path in kept(folder, "*.py")}
    # three of loss, one of summed, rooted is guarded once at 0, and chained has two of second order beside its gradient
    assert len(texts) == 9
    warm = run(folder, "every", "found")
    assert warm == cold
    assert {path: path.read_bytes() for path in kept(folder, "*.py")} == texts

    g = np.array(cold["loss"])
    assert np.allclose(g, differences(), rtol=1e-8)
    split = np.array(cold["split"])
    assert np.allclose(split, [loss((0.3, -0.7, 1.1), 0.7, 0.4), *g[3:], *g[:3]], rtol=1e-13)
    assert np.allclose(cold["tangent"], [split[0], g @ [1.0, 2.0, -1.0, 0.5, 0.25]], rtol=1e-13)
    assert np.allclose(cold["summed"], [6.0, 4.0, 2.0, 0.3 - 0.4 + 0.7], rtol=1e-13)
    assert np.allclose(cold["rooted"], [0.0, 2.0])
    z = np.linspace(0.5, 1.5, 70)
    wanted = np.diag(np.append(2.0 * z[1:], 0.0)) + np.diag(2.0 * z[:-1], 1) + np.diag(2.0 * z[:-1], -1)
    assert np.allclose(cold["hessian"], wanted) and np.allclose(cold["hvp"], wanted @ z)
    for name in ("loss_adjoint", "loss_forward", "loss_backward"):
        assert f"def {name}(" in cold["source"]
    assert "import" not in cold["source"]


def test_a_changed_callee_is_not_found(folder):
    assert np.allclose(run(folder)["loss"], differences(), rtol=1e-8)
    (folder / "program.py").write_text(PROGRAM.replace("FACTOR = 3.0", "FACTOR = 5.0"))
    assert np.allclose(run(folder)["loss"], differences(5.0), rtol=1e-8)
    assert len(kept(folder, "loss_*.json")) == 2


def test_broken_files_are_as_if_they_were_not_there(folder):
    want = run(folder)
    (text,), (record,) = kept(folder, "*.py"), kept(folder, "*.json")
    (machine,) = kept(folder, "__pycache__/*.nbc")
    whole = {path: path.read_bytes() for path in (text, record, machine)}
    # A text that was edited would give other numbers if it were believed.
    text.write_bytes(whole[text].replace(b"sin", b"cos").replace(b"+=", b"-="))
    machine.write_bytes(whole[machine][:100])
    assert run(folder) == want
    assert text.read_bytes() == whole[text]
    record.write_bytes(whole[record][:-40])
    assert run(folder) == want
    assert json.loads(record.read_text()) == json.loads(whole[record])


def test_without_a_folder_to_write_to(folder):
    (folder / "__pycache__").mkdir()
    place = own_folder(folder / "__pycache__")
    place.write_text("no folder")
    assert np.allclose(run(folder)["loss"], differences(), rtol=1e-8)
    assert place.read_text() == "no folder"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="rights are another thing here")
def test_only_the_user_may_write(folder):
    run(folder)
    place = own_folder(folder / "__pycache__")
    assert str(os.getuid()) in place.name
    assert place.stat().st_mode & 0o777 == 0o700
    files = [*kept(folder, "*.py"), *kept(folder, "*.json")]
    assert files and {path.stat().st_mode & 0o777 for path in files} == {0o600}
    # a text of somebody else's, in a folder that they may write into, is not run
    for path in files:
        path.unlink()
    place.chmod(0o777)
    assert own_folder(folder / "__pycache__") is None
    assert np.allclose(run(folder)["loss"], differences(), rtol=1e-8)
    assert kept_in(place) == []
    place.rename(place.with_name("elsewhere"))
    place.with_name("elsewhere").chmod(0o700)
    place.symlink_to(place.with_name("elsewhere"))
    assert own_folder(folder / "__pycache__") is None


def kept_in(place):
    return sorted(path.name for path in place.iterdir() if path.is_file())


def test_processes_at_once(folder):
    children = [start(folder) for _ in range(3)]
    for found in map(result, children):
        assert np.allclose(found["loss"], differences(), rtol=1e-8)
    assert run(folder, "found").keys() == {"loss"}
    assert [path.name for path in kept(folder, ".*")] == []  # nothing half written is left


# -- files ----------


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path / "cache", "f", "0123456789" * 6, {})


def test_facts_are_read_as_they_were_written(shelf):
    assert shelf.summary() is None
    leaves = (Leaf(0, (), True), Leaf(2, (1, 0), False))
    summary = Summary(leaves, (Leaf(0, (), False),), frozenset({0, 3}), True, "number", True)
    shelf.keep(summary)
    assert shelf.summary() == summary
    other = Shelf(shelf.folder, "f", shelf.key[:-1] + "x", {})  # whose digits in the file's name are the same
    assert other.stem == shelf.stem and other.summary() is None


def test_texts_are_read_as_they_were_written(shelf):
    text = "def f_adjoint(x):\n    return np.cos(x) if is_finite(x) else vector_math.sin(x)\n"
    assert shelf.functions("plain") is None and shelf.text("plain") is None
    assert shelf.put("plain", text, ("f_adjoint",), HELPERS)
    assert shelf.text("plain") == (text, ("f_adjoint",))
    (f,) = shelf.functions("plain")
    assert f(0.3) == pytest.approx(math.cos(0.3))
    assert f.py_func.__code__.co_filename.startswith(str(shelf.folder))
    assert shelf.functions("plain")[0] is f
    assert shelf.functions("split") is None
    assert shelf.put("split", "", (), {})
    assert shelf.functions("split") == () and shelf.text("split") == ("", ())
    assert shelf.functions("plain")[0] is f


def test_what_cannot_be_said_is_not_kept(shelf):
    assert not shelf.put("plain", "def f(x):\n    return g(x)\n", ("f",), {"g": numba.njit(lambda x: x)})
    assert shelf.functions("plain") is None


def test_a_written_module_can_be_imported(shelf):
    text = "def f_adjoint(x):\n    return times(np.cos(x), digamma(1.5))\n"
    assert shelf.put("plain", text, ("f_adjoint",), HELPERS)
    (path,) = shelf.folder.glob("*.py")
    assert path.read_text().partition(RULER)[2] == text
    space: dict = {}
    exec(path.read_text(), space)
    # digamma(3/2) = 2 - gamma - 2 log 2
    assert space["f_adjoint"](0.0) == pytest.approx(2 - np.euler_gamma - 2 * math.log(2))


# -- what is said of objects ----------


@pytest.mark.parametrize(
    "value",
    [
        3, -2.5, 1e300, math.inf, -0.0, 2 - 3j, True, None, "text", (1, 2.5, "c"), np.float32(0.1), np.dtype("c16"),
        np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.zeros((0, 2)),
        np.array(1.5), np.array([True, False]),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)  # fmt: skip
def test_constants_are_found_again(value):
    space: dict = {}
    exec(object_text("c", value), space)
    found = space["c"]
    assert type(found) is type(value) and repr(found) == repr(value)
    if isinstance(value, np.ndarray):
        assert found.dtype == value.dtype and found.flags.writeable
        assert (found.flags.c_contiguous, found.flags.f_contiguous) == (
            value.flags.c_contiguous, value.flags.f_contiguous,
        )  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [np, math, helpers.digamma, Pair, ValueError, math.sin, np.linalg.solve, numba.prange],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_objects_of_modules_are_imported(value):
    space: dict = {}
    exec(object_text("c", value), space)
    assert space["c"] is value


def test_an_adjoint_of_an_array_function_is_compiled_again():
    space: dict = {}
    exec(object_text("c", numba.njit(error_model="numpy")(cumsum_adjoint)), space)
    assert space["c"].py_func is cumsum_adjoint and space["c"].targetoptions["error_model"] == "numpy"
    assert object_text("c", numba.njit(cumsum_adjoint)) is None


@pytest.mark.parametrize(
    "value",
    [
        numba.njit(lambda x: x), lambda x: x, differences, object(), [1.0], {"a": 1}, (1.0, [2.0]), (math.nan, 1.0),
        np.arange(6.0)[::2], np.zeros(LARGEST), np.array([None]), namedtuple("Local", "a"), type("C", (), {}),
        np.ma.zeros(3),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_other_objects_are_not_said(value):
    assert object_text("c", value) is None


def test_a_header_names_what_is_used():
    text = "def f(x):\n    return np.sin(x) + own\n"
    assert header(text, {"np": np, "own": 2.0, "unused": object()}).splitlines()[1:] == [
        "import numpy as np",
        "own = float('2.0')",
    ]


# -- keys ----------


def one(x, n):
    return x[n] * 2.0


def other(x, n):
    return x[n] * 3.0


def wave(x):
    return math.sin(x)


V = types.Array(types.float64, 1, "C")
GIVEN = ((V, types.int64), (True, False), {}, True)


def test_keys_tell_apart_what_differs(monkeypatch):
    form = normal_form(one)
    key = key_of(form, *GIVEN)
    assert key == key_of(normal_form(one), *GIVEN)
    types_, active, options, raises = GIVEN
    renamed = normal_form(one)
    renamed.namespace["c"] = 2.0
    keys = [
        key,
        key_of(normal_form(other), *GIVEN),
        key_of(renamed, *GIVEN),
        key_of(form, (types.Array(types.float64, 1, "A"), types.int64), active, options, raises),
        key_of(form, (types.Array(types.float64, 1, "C", readonly=True), types.int64), active, options, raises),
        key_of(form, (V, types.int32), active, options, raises),
        key_of(form, types_, (False, False), options, raises),
        key_of(form, types_, active, {"fastmath": True}, raises),
        key_of(form, types_, active, options, False),
    ]
    monkeypatch.setattr(cache_keys, "_versions", lambda: ("another",))
    keys.append(key_of(form, *GIVEN))
    monkeypatch.undo()
    monkeypatch.setenv("MORULA_VECTOR_MATH", "0")
    if key_of(form, *GIVEN) != key:  # where the processor has vector functions
        keys.append(key_of(form, *GIVEN))
    assert len(set(keys)) == len(keys) and None not in keys


def test_sets_of_options_have_one_order():
    form = normal_form(one)
    first, second = ({"fastmath": set(names)} for names in (["nnan", "contract"], ["contract", "nnan"]))
    assert key_of(form, GIVEN[0], GIVEN[1], first, True) == key_of(form, GIVEN[0], GIVEN[1], second, True)


def test_no_key_where_something_has_no_words():
    form = normal_form(one)
    function = numba.typeof(numba.njit(one))
    assert key_of(form, (V, function), *GIVEN[1:]) is None
    assert type_text(types.Tuple([types.float64, function])) is None
    form.namespace["f"] = lambda x: x
    assert key_of(form, *GIVEN) is None


def test_named_tuples_of_the_same_name_are_told_apart():
    alike = namedtuple("Pair", "b a")
    number = types.float64
    found = {type_text(types.NamedUniTuple(number, 2, cls)) for cls in (Pair, alike)}
    found.add(type_text(types.UniTuple(number, 2)))
    assert len(found) == 3


def test_a_function_that_is_not_cached_leaves_nothing(folder):
    (folder / "child.py").write_text(
        textwrap.dedent("""
            import json
            import numpy as np
            import morula, program
            print(json.dumps([*map(float, morula.gradient(program.plain, np.array([2.0, 3.0]))[0])]))
        """)
    )
    assert run(folder) == [3.0, 2.0]
    assert not (folder / "__pycache__" / "morula").exists()


def test_what_calls_a_rule_of_the_user_is_not_kept(monkeypatch):
    form = normal_form(wave)
    assert not cache_keys.calls_rules(form)
    monkeypatch.setattr(cache_keys, "has_rule", lambda f: f is math.sin)
    assert cache_keys.calls_rules(form)
    assert not cache_keys.calls_rules(normal_form(one))


@pytest.mark.parametrize("part", ["adjoint", "tangent"])
def test_rules_of_array_functions_are_found_again(part):
    for rule in RULES.values():
        space: dict = {}
        exec(object_text("c", getattr(rule, part)), space)
        assert space["c"] is getattr(rule, part)
