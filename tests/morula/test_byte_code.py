"""Functions without source: what their byte code says is differentiated, and equals what their source says."""

import ast
import calendar
import collections
import copy
import dataclasses
import fractions
import functools
import inspect
import statistics
import subprocess
import sys
import textwrap
from types import CodeType, FunctionType

import corpus
import numpy as np
import pytest
import scipy.stats
import test_exceptions
import test_state
import test_syntax
from morula_helpers import assert_same

import morula
from morula import gradient, withgradient
from morula.transform import SourceUnavailable, reading_of
from morula.transform.bytecode.functions import decompiled
from morula.transform.bytecode.same import same_code
from morula.transform.bytecode.values import Unreadable


def stripped_code(code):
    """`code`, and all code inside it, from a file that nobody has."""
    inner = tuple(stripped_code(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename="<nowhere>", co_consts=inner)


def stripped(f):
    made = FunctionType(stripped_code(f.__code__), f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def without_source(source, **namespace):
    exec(compile(textwrap.dedent(source), "<nowhere>", "exec", dont_inherit=True), namespace)
    return namespace


def outcome(f, args):
    np.random.seed(0)
    try:
        return withgradient(f, *copy.deepcopy(args))
    except Exception as error:
        return error


# -- corpora ----------------------------------------------------------------------------------------------------

PROGRAMS = [(program.f, program.args) for _, program in corpus.programs()][::3]
PROGRAMS += [(f, (0.7,)) for module in (test_exceptions, test_state) for f in module.PROGRAMS]
PROGRAMS += [param.values[:2] for param in test_syntax.PROGRAMS]
PROGRAMS = [(f, args) for f, args in PROGRAMS if type(f) is FunctionType][::6]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda a: getattr(a, "__name__", ""))
def test_a_program_is_what_its_source_says(f, args):
    bare = stripped(f)
    try:
        decompiled(bare.__code__)
    except Unreadable:
        pytest.skip("a construct that is not read back")
    found, expected = outcome(bare, args), outcome(f, args)
    if isinstance(expected, Exception):
        assert type(found) is type(expected)
    else:
        assert_same(found, expected)


def codes_in(code):
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from codes_in(inner)


@pytest.mark.parametrize("module", [statistics, fractions, calendar, functools, textwrap], ids=lambda m: m.__name__)
def test_nearly_all_functions_of_the_standard_library_are_read_back(module):
    tried = read = 0
    for code in codes_in(compile(inspect.getsource(module), "<nowhere>", "exec")):
        if code.co_flags & inspect.CO_OPTIMIZED and (code.co_name == "<lambda>" or not code.co_name.startswith("<")):
            tried += 1
            try:
                decompiled(code)  # which proves what it returns
            except Unreadable:
                continue
            read += 1
    assert tried > 10
    assert read >= 0.93 * tried


# -- functions that are made by code ---------------------------------------------------------------------------

LOOPS = """
import math

def f(x, n=4, *, scale=2.0):
    total = 0.0
    for i in range(n):
        if i == 2 and x > 0 or n < 0:
            continue
        try:
            total += math.log(x - i)
        except ValueError as error:
            total -= x * len(error.args)
        finally:
            total *= scale
    while total < 10.0:
        total = total + x
    else:
        total += x
    a, b = total, x
    a, b = b, a
    parts = [q * a for q in (a, b) if q > 0]
    return sum(parts) + (lambda z: z * b if z > 1 else z)(parts[0]) + sum(y * y for y in parts)
"""


def test_loops_handlers_and_comprehensions():
    f = without_source(LOOPS)["f"]
    g = without_source(LOOPS)["f"]
    for x in (0.7, 1.3, 2.9):
        h = 1e-6
        (found,) = gradient(f, x)
        assert found == pytest.approx((g(x + h) - g(x - h)) / (2 * h), rel=1e-6)
        assert withgradient(f, x).value == g(x)


def test_global_state_of_functions_without_source():
    names = without_source(
        """
        LEVEL = 1.0
        def read():
            return LEVEL
        def f(x):
            global LEVEL
            LEVEL = x * x
            return read() * x
        """
    )
    assert_same(gradient(names["f"], 2.0), (12.0,))


def test_closures_and_generators_without_source():
    names = without_source(
        """
        def f(x):
            def grow(k=x):
                nonlocal x
                x = x * k
                return x
            def items():
                yield x
                yield from (x * 2.0, grow())
            return sum(items()) * x
        """
    )
    x, h = 1.5, 1e-6
    f = names["f"]
    assert gradient(f, x)[0] == pytest.approx((f(x + h) - f(x - h)) / (2 * h), rel=1e-7)


def test_generated_methods():
    point = collections.namedtuple("point", "a b", defaults=[2.0])
    assert_same(gradient(lambda x: point.__new__(point, x).a * point(b=x, a=1.0).b, 3.0), (6.0,))

    @dataclasses.dataclass(order=True)
    class Pair:
        a: float
        b: float = 2.0

    assert_same(gradient(lambda x: Pair(x).a * (Pair(x) < Pair(4.0)) * Pair(x, x).b, 3.0), (6.0,))


def test_scipy_distributions():
    x, h = 0.3, 1e-6
    f = lambda m: scipy.stats.norm.logpdf(1.0, loc=m, scale=2.0)
    assert gradient(f, x)[0] == pytest.approx((f(x + h) - f(x - h)) / (2 * h), rel=1e-7)


def test_functions_on_the_command_line():
    program = (
        "import morula\n"
        "def f(x):\n    y = x\n    for _ in range(3):\n        y = y * x\n    return y\n"
        "print(morula.gradient(f, 2.0)[0])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) == 32.0


def test_the_line_of_an_error_is_that_of_the_function():
    f = without_source("def f(x):\n    y = x\n    return y + missing\n")["f"]
    with pytest.raises(NameError, match="missing") as caught:
        gradient(f, 1.0)
    assert caught.traceback[-1].lineno + 1 == 3


def test_what_is_not_read_back_is_named():
    f = without_source("def f(x):\n    match x:\n        case [a]: return a\n    return x\n")["f"]
    with pytest.raises(morula.SourceNotFound, match="cannot be read back"):
        gradient(f, 1.0)


# -- the proof --------------------------------------------------------------------------------------------------

DIFFERENT = [
    ("return x * 1", "return x * 1.0"),
    ("return x * 1", "return x * True"),
    ("return 0.0 * x", "return -0.0 * x"),
    ("return x in (1, 2)", "return x in (1, 2.0)"),
    ("return x in {1, 2}", "return x in {1, True + 1.0}"),
    ("return x + 1j", "return x + -0.0 + 1j"),
    ("return [lambda: x]", "return [lambda: -x]"),
    ("return [y for y in x]", "return [-y for y in x]"),
    ("def g(a=1): return a\n    return g(x)", "def g(a=2): return a\n    return g(x)"),
    ("class A:\n        b = 1\n    return A", "class A:\n        b = 1.0\n    return A"),
    ("return o.p(x)", "return o.q(x)"),
    ("return x if x else y", "return y if x else x"),
    ("try: return x\n    except ValueError: return 1", "try: return x\n    except TypeError: return 1"),
    ("try: f(x)\n    finally: g(x)", "f(x)\n    g(x)"),
    ("return x is not None", "return x is None"),
    ("a = x; b = x\n    return a - b * 2", "a = x; b = x\n    return b * 2 - a"),
]


def only_code(body):
    return without_source(f"def f(x, y=0):\n    {body}\n")["f"].__code__


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_code_that_differs_is_told_apart(one, other):
    assert same_code(only_code(one), only_code(one))
    assert not same_code(only_code(one), only_code(other))


SAME = [
    ("if x: return 1\n    return 2", "if not x: return 2\n    return 1"),
    ("while x: x = f(x)", "while True:\n        if not x: break\n        x = f(x)"),
    ("if x in y: return 1\n    return 2", "if x not in y: return 2\n    return 1"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_ways_of_writing_the_same(one, other):
    assert same_code(only_code(one), only_code(other))


@pytest.mark.slow
def test_sets_among_the_constants_do_not_depend_on_the_seed_of_hashes():
    program = (
        "import marshal, sys\n"
        "from morula.transform.bytecode.same import same_code\n"
        'code = compile(\'def f(x): return x in {"a", "b", "c", "d"}\', \'\', \'exec\')\n'
        "data = sys.stdin.buffer.read()\n"
        "assert not data or same_code(marshal.loads(data), code)\n"
        "sys.stdout.buffer.write(marshal.dumps(code))"
    )
    data = b""
    for seed in "0123":
        environment = {**__import__("os").environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, env=environment)
        assert done.returncode == 0, done.stderr
        data = done.stdout


def test_a_reading_is_a_tree_that_compiles():
    node = reading_of(without_source(LOOPS)["f"].__code__).node
    assert isinstance(node, ast.FunctionDef) and node.name == "f"
    with pytest.raises(SourceUnavailable):
        reading_of(without_source("async def f(): pass")["f"].__code__)
