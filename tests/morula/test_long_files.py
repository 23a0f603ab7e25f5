"""Functions of files so long that each is read alone."""

import ast
import importlib
import inspect
import sys

import pytest

import morula
from morula.transform import source, state

TEXT = '''
import functools
import math
from numpy import (
    linalg,
    random as chance,
)

rate = 1.0


def plain(x):
    return x * x


def kept(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper


@kept
@kept
def decorated(
    x,
    *,
    p=3,
) -> float:
    """Text
that begins further left."""
    y = (x +
0.0)
# a comment, too
    return y**p


def captures(x):
    a = 2.0 * x

    def inner(y):
        def innermost():
            return a * y
        return innermost()

    return inner(x)


class Base:
    __secret = 5.0

    def of(self, x):
        return self.__secret * x


class Derived(Base):
    __secret = 7.0

    def of(self, x):
        def own():
            return self.__secret * x

        return super().of(x) + own()


def of_class(x):
    return Derived().of(x)


def counted(x):
    global rate
    rate = x
    return rate * plain(x)


if True:
    def indented(x): return math.sin(x)
'''
PROGRAMS = {
    "plain": 4.0,
    "decorated": 12.0,
    "captures": 8.0,
    "of_class": 12.0,
    "counted": 12.0,
    "indented": -0.4161468365,
}


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    (folder / "a_long_file.py").write_text(TEXT + "\n" * source.LONG)
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("a_long_file")
    finally:
        sys.path.remove(str(folder))
        del sys.modules["a_long_file"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_of_long_files(name, long_file):
    f = inspect.unwrap(getattr(long_file, name))
    assert morula.gradient(f, 2.0) == (pytest.approx(PROGRAMS[name]),)
    source.forget_sources()
    assert (source._alone(f.__code__) is None) == (name == "decorated")  # whose text looks shorter than it is


def test_lines_are_those_of_the_file(long_file):
    node = source.source_of(long_file.indented.__code__).node
    assert node.lineno == TEXT[: TEXT.index("def indented")].count("\n") + 1
    assert node.col_offset == 4


def test_an_edited_long_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "edited_file.py"
    path.write_text("def f(x):\n    return x * x\n" + "\n" * source.LONG)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("edited_file")
    path.write_text("def f(x):\n    return x * x * x\n" + "\n" * source.LONG)
    assert source._alone(module.f.__code__) is None


REBINDING = [
    "def f():\n    global a\n    a = 1",
    "def f():\n    globals()['a'] = 1",
    "import m\ndef f():\n    m.a = 1",
    "import m\ndef f():\n    m.a += 1",
    "import m\ndef f():\n    m.a, b = 1, 2",
    "import m\ndef f():\n    m.a: int = 1",
    "import k, m as n\ndef f(): n.a = 1",
    "from p import (\n    k,\n    m,\n)\ndef f():\n    m.a = 1",
    "from p import k, \\\n    m\ndef f():\n    m.a = 1",
    "import m\ndef f():\n    vars(m)['a'] = 1",
    "import m\ndef f():\n    m.__dict__['a'] = 1",
    "import m\ndef f():\n    setattr(m, 'a', 1)",
    "import sys\nm = sys.modules[__name__]\ndef f():\n    m.a = 1",
]
NOT_REBINDING = [
    "import numpy as np\ndef f(x):\n    return np.sum(x, axis=0)",
    "import numpy as np\ndef f(x, dtype=np.float64):\n    if np.pi == x: pass\n    y = np.ones(3)",
    "class A:\n    def f(self):\n        self.a = 1; setattr(self, 'b', 2)",
    '"""Text about a global thing: np.x = 3."""',
]


@pytest.mark.parametrize("text", REBINDING)
def test_a_text_that_rebinds_globals_is_noticed(text):
    assert list(state.rebound_globals(ast.parse(text)))
    assert state.may_rebind_globals(text.splitlines(keepends=True))


@pytest.mark.parametrize("text", NOT_REBINDING)
def test_most_texts_are_known_to_rebind_nothing(text):
    assert not list(state.rebound_globals(ast.parse(text)))
    assert not state.may_rebind_globals(text.splitlines(keepends=True))
