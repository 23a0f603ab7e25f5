"""The text that is differentiated is the program that runs; names are read where the program reads them."""

import builtins
import functools
import importlib.util
import linecache
import subprocess
import sys
import textwrap
import warnings

import pytest
from morula_helpers import assert_same, module_of

import morula
from morula import gradient, withgradient

# -- names as statements ----------------------------------------------------------------------------------------

READS = {
    "global": "no_such",
    "local": "late",
    "cell": "held",
    "deleted": "gone = 1\ndel gone\ngone",
    "attribute": "no_such.a",
    "bare annotation of an attribute": "no_such.a: int",
    "bare annotation of an item": "[0][no_such]: int",
    "in a loop": "for i in range(2): no_such",
    "class body": "class A:\n    no_such",
    "class body with a base": "class A(Base):\n    no_such",
    "deleted in a class body": "class A(Base):\n    y = 1\n    del y\n    y",
    "annotation in a class body": "class A(Base):\n    y: no_such = 1",
    "two names": "no_such, no_such",
    "starred": "[*no_such]",
    "text": "f'{no_such}'",
    "default of a lambda": "lambda a=no_such: 0",
    "comparison": "no_such is None",
    "item": "x[no_such]",
    "operator": "1 and no_such",
}


@pytest.mark.parametrize("statement", READS.values(), ids=READS)
def test_a_name_as_a_statement_is_read(statement):
    source = f"""
class Base: pass
def f(x):
    def inner(): return held
    try:
{textwrap.indent(statement, " " * 8)}
    except NameError:
        late = held = 0
        return 2 * x
    late = held = inner
    return x
"""
    f = module_of(source, f"reads {statement!r}").f
    assert f(3.0) == 6.0
    assert_same(tuple(withgradient(f, 3.0)), (6.0, (2.0,)))


def test_the_annotation_of_a_local_variable_is_not_evaluated():
    def f(x):
        y: no_such = x * 2  # noqa: F821
        z: no_such_either  # noqa: F821
        z = y
        return z

    assert_same(gradient(f, 3.0), (2.0,))


def test_a_bare_annotation_declares_what_an_inner_function_binds():
    def f(x):
        result: float

        def inner():
            nonlocal result
            result = x * 2.0

        inner()
        return result * x

    assert_same(gradient(f, 3.0), (12.0,))


def test_annotated_attributes_in_a_class_body_are_assigned():
    class Box:
        pass

    def f(x):
        box = Box()

        class A(Box):
            box.y: float = x * 2.0

        return box.y * x

    assert_same(gradient(f, 3.0), (12.0,))


@pytest.mark.slow
def test_a_sum_of_thousands_of_terms():
    n = 1200 if sys.version_info[:2] == (3, 12) else 2000  # the first releases of 3.12 compile no deeper trees
    many = " + ".join(["x"] * n)
    module = module_of(f"def f(x):\n    return {many}\ndef g(x):\n    return (lambda: {many})()\n", "long sums")
    for f in (module.f, module.g):
        assert_same(tuple(withgradient(f, 3.0)), (3.0 * n, (float(n),)))


# -- sources that were edited -----------------------------------------------------------------------------------

EDITS = {
    "lambda": ("h = lambda: x * 2.0", "h = lambda: x * 7.0"),
    "inner function": ("def h(): return x * 2.0", "def h(): return x * 7.0"),
    "default": ("def h(a=2.0): return x * a", "def h(a=7.0): return x * a"),
    "comprehension": ("h = lambda: sum([x * 2.0 for _ in (1,)])", "h = lambda: sum([x * 7.0 for _ in (1,)])"),
    "class body": (
        "class h:\n        def __new__(c): return x * 2.0",
        "class h:\n        def __new__(c): return x * 7.0",
    ),
    "type of a constant": ("h = lambda: x * 2.0 ** True", "h = lambda: x * 2.0 ** 1"),
    "generator": ("h = lambda: sum(x * 2.0 for _ in (1,))", "h = lambda: sum(x * 7.0 for _ in (1,))"),
    "two deep": ("h = lambda: (lambda: x * 2.0)()", "h = lambda: (lambda: x * 7.0)()"),
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS)
def test_a_source_that_is_edited_after_the_import(tmp_path, before, after):
    path = tmp_path / "edited.py"
    text = "def f(x):\n    {}\n    return h() * x\n"
    path.write_text(text.format(before))
    spec = importlib.util.spec_from_file_location("edited", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text(text.format(after))
    linecache.checkcache(str(path))
    plain = module.f(3.0)
    assert_same(tuple(withgradient(module.f, 3.0)), (plain, (12.0,)))


def test_a_source_whose_lines_move(tmp_path):
    path = tmp_path / "moved.py"
    text = "def f(x):\n    return [x * k for k in (1.0, 2.0)][1] * x\n"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("moved", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text("import math\n\n" + text)
    linecache.checkcache(str(path))
    assert_same(gradient(module.f, 3.0), (12.0,))


def test_two_cells_under_one_name():
    first = module_of("def f(x):\n    return (lambda: x * 2.0)() * x\n", "one cell")
    second = module_of("def f(x):\n    return (lambda: x * 5.0)() * x\n", "one cell")
    assert_same(gradient(first.f, 3.0), (12.0,))
    assert_same(gradient(second.f, 3.0), (30.0,))


def test_code_whose_inner_code_was_replaced():
    f = module_of("def f(x):\n    return (lambda: x * 2.0)() * x\n", "inner code").f
    other = module_of("def f(x):\n    return (lambda: x * 5.0)() * x\n", "other inner code").f
    swap = {type(c): c for c in other.__code__.co_consts}
    f.__code__ = f.__code__.replace(co_consts=tuple(swap.get(type(c), c) for c in f.__code__.co_consts))
    assert f(3.0) == 45.0
    assert_same(gradient(f, 3.0), (30.0,))


@pytest.mark.parametrize("options", [(), ("-X", "no_debug_ranges"), ("-O",), ("-OO",)], ids=str)
def test_functions_on_one_line_are_told_apart_without_columns(tmp_path, options):
    path = tmp_path / "program.py"
    path.write_text(
        "import types, morula\n"
        "o = types.SimpleNamespace(p=2.0, q=5.0)\n"
        "d = {'p': lambda x: x * o.p, 'q': lambda x: x * o.q, 'r': lambda x, y=3.0: (lambda: x * y)()}\n"
        "def f(x):\n"
        "    'doc'\n"
        "    e = {'p': lambda z: z * x, 'q': lambda z: z * x * x}\n"
        "    return e['q'](1.0) + e['p'](1.0) + (x in {'a', 'b', 'c'})\n"
        "print([morula.gradient(d[k], 1.0)[0] for k in 'pqr'], morula.gradient(f, 3.0)[0])\n"
    )
    done = subprocess.run([sys.executable, *options, path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[2.0, 5.0, 3.0] 7.0"


# -- functions that change --------------------------------------------------------------------------------------


def test_code_that_is_replaced_in_a_run():
    def f(x):
        def g(a):
            return a * 2.0

        def h(a):
            return a * 5.0

        y = g(x)
        g.__code__ = h.__code__
        return y + g(x)

    assert_same(tuple(withgradient(f, 3.0)), (21.0, (7.0,)))


def test_keywords_that_are_written_into():
    def of_partial(x):
        p = functools.partial(lambda a, k=1.0: a * k)
        p.keywords["k"] = x
        return p(2.0)

    def of_function(x):
        def g(*, t=1.0):
            return t * x

        y = g()
        g.__kwdefaults__["t"] = x
        return y + g()

    assert_same(gradient(of_partial, 3.0), (2.0,))
    assert_same(gradient(of_function, 3.0), (7.0,))


def test_an_active_builtin_is_refused():
    def f(x):
        builtins.no_such_builtin = x
        return no_such_builtin * 2  # noqa: F821

    try:
        with pytest.raises(morula.NotDifferentiable, match=r"builtins\.no_such_builtin"):
            gradient(f, 3.0)
    finally:
        vars(builtins).pop("no_such_builtin", None)


def test_the_compilers_warnings_are_given_once(tmp_path, monkeypatch):
    """The program's text is compiled again; what the compiler says of it was said when the program was loaded."""
    text = "def f(x):\n    if x is 1:\n        return x\n    assert (x, 'always')\n    return x * len('\\d')\n"
    (tmp_path / "warned.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    space = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module("warned")
        exec(text, space)  # without a source
    assert morula.gradient(module.f, 3.0) == morula.gradient(space["f"], 3.0) == (2.0,)


def test_partials_with_placeholders(monkeypatch):
    """As Python 3.14 has them: of those before it, only the engine knows what the gap stands for."""
    gap = object()
    for module in ("morula.eager.context.kinds", "morula.eager.calls.calls"):
        monkeypatch.setattr(f"{module}.PLACEHOLDER", gap)

    def f(a, b, c):
        return a * b**2 * c**3

    def held(x):
        return functools.partial(f, gap, x, gap)(5.0, 2.0 * x)

    assert morula.gradient(held, 1.5) == (pytest.approx(40.0 * 5.0 * 1.5**4),)
    with pytest.raises(morula.NotDifferentiable, match="Placeholder"):
        morula.gradient(lambda x: functools.partial(functools.partial(f, gap, x), 2.0)(3.0), 1.5)
