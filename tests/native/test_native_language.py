"""Programs in Numba's subset: compiled adjoints against the eager tier on the Python function and differences.

The programs are in `programs_*.py`, each `native` unless it says otherwise: then falling back is a failure. Few
of them are compiled ordinarily, which takes seconds each; what is generated for the others is run by Python.
``MORULA_TESTS=all`` compiles them all.
"""

import cmath
import json
import math
import operator
import re
import sys
import zlib
from collections import namedtuple
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from extent import EVERYTHING, part_of

numba = pytest.importorskip("numba")

import programs_calls
import programs_data
import programs_exceptions
import programs_loops
import programs_outside
import programs_parallel
import programs_products
import programs_series
import programs_slabs
import programs_small
import programs_states
import programs_traps
from morula_helpers import module_of
from native_helpers import (
    Unsupported,
    by_floats,
    check,
    check_lanes,
    compare,
    compare_values,
    copied,
    eager_gradient,
    kernels_of,
    native_gradients,
    point,
    twin,
)  # fmt: skip

import morula

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fuzz.interpreted import interpreted

MODULES = (
    programs_loops,
    programs_states,
    programs_data,
    programs_calls,
    programs_exceptions,
    programs_traps,
    programs_parallel,
    programs_slabs,
    programs_small,
    programs_products,
    programs_series,
    programs_outside,
)
ALWAYS = (programs_exceptions, programs_parallel)


OUTSIDE = {  # what the subset does not hold yet, and what is said of it: these fall back, and are right
    "lists_of_arrays": "an array in a list, which is written into",
    "ufuncs_of_numbers": "that gives no array",
}
LONG = {"cholesky", "ufuncs", "products", "linear_algebra", "array_expressions"}  # half a minute of compiling each


def is_chosen(program, module):
    """Some of the programs, always the same ones, unless all are asked for."""
    if EVERYTHING or program.id in OUTSIDE:
        return True
    return program.id not in LONG and (module in ALWAYS or zlib.crc32(program.id.encode()) % 24 == 0)


PROGRAMS = [p for module in MODULES for p in module.PROGRAMS if is_chosen(p, module)]


@pytest.mark.parametrize(("f", "args", "options"), PROGRAMS)
def test_program(f, args, options, request):
    outside = OUTSIDE.get(request.node.callspec.id)
    if outside is not None and kernels_of is not None:
        with pytest.raises(Unsupported, match=re.escape(outside)):
            kernels_of(f, copied(args), by_floats(args))
        options = options | {"native": False}
    check(f, *copied(args), **options)


COMPILED_RACES = {"own_elements", "rows", "in_place_steps"}
RACES = [p for p in programs_parallel.RACES if EVERYTHING or p.id in COMPILED_RACES]
REST = [p for module in MODULES for p in module.PROGRAMS if not is_chosen(p, module)]
REST += [p for p in programs_parallel.RACES if not any(p is other for other in RACES)]


@pytest.mark.parametrize(("f", "args", "options"), part_of(REST, 2))
def test_program_run_by_python(f, args, options):
    """Those that are not compiled here: what is generated for them is right as Python has it, too."""
    plain = twin(f)
    at = point(plain, copied(args), plain)._replace(f=f)
    eager = eager_gradient(at, same_value=False)
    with interpreted():
        for name, g in native_gradients(at).items():
            compare(g, eager, at.rtol, name)


@pytest.mark.parametrize(("f", "args", "options"), part_of(REST, 2))
def test_directions_at_once(f, args, options):
    """Tangents in lanes are those of one direction after the other, as Python has what is generated."""
    plain = twin(f)
    at = point(plain, copied(args), plain)._replace(f=f)
    with interpreted(), suppress(Unsupported):
        check_lanes(at)


@pytest.mark.parametrize(("f", "args", "options"), RACES)
def test_parallel(f, args, options):
    """Threads lose no updates: the same again and again."""
    check(f, *copied(args), **options)
    at = point(f, args)
    eager = eager_gradient(at)
    for _ in range(20 if kernels_of is not None else 0):
        for name, g in native_gradients(at).items():
            compare(g, eager, at.rtol, name)


# -- exceptions ----------


def raised(call, *args):
    with pytest.raises(Exception) as caught:
        call(*args)
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize(("f", "args", "options"), programs_exceptions.RAISING)
def test_exceptions_surface_as_they_would_plainly(f, args, options):
    """And nothing half-written stays behind in the arguments of `gradient`."""
    want = raised(f, *copied(args))
    assert issubclass(want[0], options["error"])
    mine = copied(args)
    assert raised(morula.gradient, twin(f), *mine)[0] is want[0]
    compare_values(mine, args, "arguments after the eager tier", 0.0)
    if kernels_of is None:
        return
    kernels = kernels_of(f, copied(args), by_floats(args))
    bars = [np.zeros(leaf.shape) for leaf in args if isinstance(leaf, np.ndarray)]
    assert raised(kernels.joint, copied(args), bars, (1.0,)) == want
    assert raised(kernels.forward, copied(args)) == want
    assert raised(morula.gradient, f, *mine) == want
    compare_values(mine, args, "arguments after gradient", 0.0)
    with pytest.raises(want[0]):
        morula.pullback(f, *mine)


# -- the cases of the eager tier that Numba compiles ----------

CASES = json.loads((Path(__file__).parents[1] / "morula" / "language_cases.json").read_text(encoding="utf-8"))
COMPILED = (
    "z021 z024 z027 z033 z039 z042 z045 z063 z066 z069 z075 z099 z108 z111 z114 z144 z147 z177 z180 z192 z204 "
    "z213 z216 z219 z228 z231 z234 z237 z240 z243 z246 z249 z252 z255 z261"
).split()
MAY_FALL_BACK = "z039 z042 z045 z066 z069 z099 z111 z114 z204".split()  # exceptions caught, mixed containers
KINKS = ("z249",)
NT = namedtuple("NT", "a b")


def array(values):
    x = np.asarray(values)
    return x if x.dtype.kind == "c" else x.astype(float)


NAMES = {"np": np, "math": math, "cmath": cmath, "operator": operator, "A": array, "NT": NT}


# outside of the subset: a star argument, lambdas that share a line
OUTSIDE_CASES = {"z063", "z075"}


def in_floats(args):
    """Numba's integers have no derivative, those of the eager tier do."""
    return tuple(float(a) if type(a) is int else in_floats(a) if type(a) is tuple else a for a in args)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES if c["id"] in COMPILED])
def test_case(case):
    source = case["source"] if not case["source"].startswith("lambda") else "f=" + case["source"]
    f = module_of(source + "\n", f"native language {case['id']}", **NAMES).f
    args = in_floats(eval(f"({case['args']},)", NAMES))
    want = eval(f"({case['expected']},)", NAMES)
    if case["id"] == "z042":
        args = (True, *args[1:])
    check(
        numba.njit(f),
        *args,
        plain=f,
        want=want,
        native=case["id"] not in {*MAY_FALL_BACK, *OUTSIDE_CASES},
        fd=case["id"] not in KINKS,
    )


# -- what is said where nothing is generated ------------------------------------------------------------------------

PARTICLES = np.zeros(3, [("at", "f8", 2), ("mass", "f8")])
PARTICLES["mass"] = [1.0, 2.0, 4.0]


@numba.njit
def guarded_root(x):
    try:
        return math.sqrt(x)
    except Exception:
        return 0.0


@numba.njit
def calls_guarded_root(x):
    return x * guarded_root(x)


@numba.njit
def seeded_mean(x):
    np.random.seed(3)
    return x * np.random.random()


@numba.njit
def heaviest(x, particles):
    return x * particles[2]["mass"]


@numba.njit
def heaviest_by_attribute(x, particles):
    return x * particles[2].mass


@pytest.mark.parametrize(
    ("f", "args", "words"),
    [
        (calls_guarded_root, (2.0,), "calls guarded_root, which uses `try` (line {callee}). Instead, test what could"),
        (seeded_mean, (2.0,), "uses a call to np.random.seed (line {own}). Instead, draw outside, and"),
        (heaviest, (2.0, PARTICLES), "uses indexing of a record (line {own}). Instead, pass one array for each field"),
    ],
)
def test_a_message_names_function_line_and_rewrite(f, args, words):
    at = {"callee": guarded_root.py_func.__code__.co_firstlineno + 2, "own": f.py_func.__code__.co_firstlineno + 2}
    with pytest.raises(morula.NotNative, match=re.escape(words.format(**at))), morula.native_mode("require"):
        morula.grad(f)(*args)


def test_fields_that_are_attributes_in_compiled_code_only():
    with morula.native_mode("never"):
        assert morula.grad(heaviest)(2.0, PARTICLES) == 4.0
        with pytest.raises(morula.NotDifferentiable, match=re.escape("Write record['mass'], or pass one array")):
            morula.grad(heaviest_by_attribute)(2.0, PARTICLES)


@numba.njit
def cubed(v):
    return v * v * math.sin(v)


@numba.njit
def squared_number(v):
    return v * v


@numba.njit
def applied(f, x):
    total = 0.0
    for i in range(len(x)):
        total += f(x[i])
    return total


@numba.njit
def applied_twice(f, x, g):
    return applied(f, x) * applied(g, x) + f(x[0])


@pytest.mark.parametrize("f", [cubed, squared_number])
@pytest.mark.parametrize("g", [cubed, squared_number])
def test_functions_that_are_arguments_stand_inline(f, g):
    x = np.array([0.5, 1.5, 2.0])
    with morula.native_mode("require"):
        found = morula.grad(applied_twice, 1)(f, x, g)
    wanted = [(applied_twice(f, x + h, g) - applied_twice(f, x - h, g)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(found, wanted, atol=1e-7)


@numba.vectorize(["float64(float64,float64)"])
def sine_weighted(a, b):
    return a * a * math.sin(b) + b


@numba.vectorize
def powered(a, b):
    return math.sin(a) * a**b


@numba.njit
def calls_ufuncs(x, m):
    total = np.sum(sine_weighted(x, 2.0)) + sine_weighted(x[0], x[1]) + sine_weighted(x[2], 2)
    total += np.sum(powered(x, 2)) + np.sum(sine_weighted(m, x.reshape(1, 3)) ** 2)
    for i in range(len(m)):
        total += powered(m[i, 0], 1.5) * np.sum(sine_weighted(m[i], x))
    return total


def test_ufuncs_of_numba_are_called_natively():
    rng = np.random.default_rng(0)
    x, m = rng.uniform(0.5, 1.5, 3), rng.uniform(0.5, 1.5, (2, 3))
    with morula.native_mode("require"):
        by_x, by_m = morula.grad(calls_ufuncs, (0, 1))(x, m)
    h = 1e-6
    for k in range(3):
        e = h * np.eye(3)[k]
        np.testing.assert_allclose(by_x[k], (calls_ufuncs(x + e, m) - calls_ufuncs(x - e, m)) / (2 * h), rtol=1e-6)
    for at in np.ndindex(2, 3):
        e = np.zeros((2, 3))
        e[at] = h
        np.testing.assert_allclose(by_m[at], (calls_ufuncs(x, m + e) - calls_ufuncs(x, m - e)) / (2 * h), rtol=1e-6)
    with pytest.raises(ValueError, match="broadcast"):
        morula.grad(calls_ufuncs)(x, np.ones((2, 4)))


@numba.njit
def named_as_flags(x, s):
    skip, exit, returned = 0.5, 1.0, s
    for i in range(len(x)):
        skip += x[i] * s
        if x[i] < 0:
            continue
        if x[i] > 0.9:
            break
        exit *= skip
    return skip * exit * returned


@numba.njit
def first_above(r, p):
    for i in range(len(r)):
        if r[i] > p:
            return r[i] * p
    return 0.3 * p


@numba.njit
def search_in_a_loop(x, s):
    w = x * 1.0
    for i in range(len(x)):
        w[i:] = 0.5 * w[i:] + first_above(x, s * np.mean(x))
    return w.sum()


@pytest.mark.parametrize("f", [named_as_flags, search_in_a_loop])
def test_variables_are_no_flags_of_ours(f):
    """Jumps become flags, which had the names of variables: `skip`, and in second derivatives `exit_1`."""
    x, h = np.array([0.3, -0.2, 0.7, 0.1, 0.95, 0.5]), 1e-4
    slope = (f.py_func(x, 0.7 + h) - f.py_func(x, 0.7 - h)) / (2 * h)
    assert morula.gradient(f, x, 0.7)[1] == pytest.approx(slope, rel=1e-6)
    direction = np.arange(6.0)
    product = morula.hvp(lambda v: f(v, 0.7) ** 2, x, direction)
    ahead, behind = (morula.gradient(lambda v: f.py_func(v, 0.7) ** 2, x + k * direction)[0] for k in (h / 10, -h / 10))
    np.testing.assert_allclose(product, (ahead - behind) / (h / 5), rtol=1e-5, atol=1e-6)
