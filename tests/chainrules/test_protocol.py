# ruff: noqa: E501
"""The protocol: tangents and their algebra, sums, projection, the registry, the test tools."""

import copy
import math
import pickle
import subprocess
import sys
import threading
from collections import namedtuple
from fractions import Fraction
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import chainrules as cr
from chainrules import NoTangent, NotImplementedTangent, Tangent, Thunk, ZeroTangent, accumulate, project
from chainrules.testing import check_gradient, finite_difference_gradient, test_rrule

Pair = namedtuple("Pair", "x y")


class Point:
    pass


class Own:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Own(self.v + other.v)


def test_singletons():
    assert NoTangent() is NoTangent() and ZeroTangent() is copy.deepcopy(ZeroTangent())
    assert pickle.loads(pickle.dumps(NoTangent())) is NoTangent()


@pytest.mark.parametrize("zero", [None, NoTangent(), ZeroTangent()])
@pytest.mark.parametrize("x", [2.0, np.ones(2), [1.0, None], {"a": 1.0}, Tangent(Point, x=1.0)])
def test_zeros_are_the_identity(zero, x):
    assert accumulate(zero, x) is x and accumulate(x, zero) is x


def test_of_two_zeros_the_number_stays():
    assert accumulate(NoTangent(), ZeroTangent()) is accumulate(ZeroTangent(), NoTangent()) is ZeroTangent()
    assert NoTangent() + NoTangent() is NoTangent()


def test_arrays_leave_addition_to_the_tangents():
    x = np.ones(2)
    assert x + ZeroTangent() is x and (x + Thunk(lambda: x)).tolist() == [2.0, 2.0]
    assert 2.0 * Tangent(Point, x=[1.0, None]) == Tangent(Point, x=[2.0, None])
    assert cr.unthunk(3 * Thunk(lambda: x)).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        (1.0, 2.0, 3.0),
        ([1.0, None], [None, 2.0], [1.0, 2.0]),
        ((1.0, (2.0,)), (1.0, (3.0,)), (2.0, (5.0,))),
        ({"a": 1.0}, {"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 2.0}),
        (Pair(1.0, None), Pair(1.0, 2.0), Pair(2.0, 2.0)),
        ([1.0, 2.0], np.array([1.0, 1.0]), [2.0, 3.0]),
        (Thunk(lambda: 1.0), Thunk(lambda: 2.0), 3.0),
        (Tangent(Point, x=1.0), Tangent(Point, x=1.0, y=2.0), Tangent(Point, x=2.0, y=2.0)),
    ],
)
def test_accumulate(a, b, wanted):
    got = accumulate(a, b)
    assert got == wanted and type(got) is type(wanted)


def test_accumulate_is_never_in_place_and_asks_the_objects():
    a = np.ones(2)
    assert accumulate(a, a) is not a and a.tolist() == [1.0, 1.0]
    assert accumulate(Own(1), Own(2)).v == 3
    with pytest.raises(TypeError, match="structure"):
        accumulate([1.0], [1.0, 2.0])
    with pytest.raises(TypeError, match="classes"):
        accumulate(Tangent(Point), Tangent(Own))


def test_accumulate_into_writes_only_where_it_fits():
    a = np.ones(2)
    assert cr.accumulate_into(a, np.ones(2)) is a and a.tolist() == [2.0, 2.0]
    assert cr.accumulate_into(a, np.ones(2) * 1j) is not a
    a.flags.writeable = False
    assert cr.accumulate_into(a, np.ones(2)).tolist() == [3.0, 3.0] and a.tolist() == [2.0, 2.0]
    assert cr.accumulate_into(None, 1.0) == 1.0


def test_a_missing_derivative_raises_where_it_is_used():
    t = NotImplementedTangent("no derivative yet")
    assert accumulate(t, NoTangent()) is t and accumulate(None, t) is t
    for use in (
        lambda: t + 1.0,
        lambda: project(t, 1.0),
        lambda: cr.unthunk(t),
        lambda: accumulate(t, ZeroTangent()),
    ):
        with pytest.raises(cr.NotImplementedDerivative, match=r"no derivative yet .*test_protocol.py"):
            use()


def test_tangent_reads_missing_fields_as_none():
    t = Tangent(Point, x=1.0)
    assert t.x == 1.0 and t.y is None and dict(t.fields()) == {"x": 1.0}
    assert repr(t) == "Tangent[Point](x=1.0)"
    with pytest.raises(AttributeError):
        t.x = 2.0


ROWS = [
    (np.ones((3, 2)), np.zeros(2), [3.0, 3.0]),
    (np.ones((3, 2)), np.zeros((3, 1)), [[2.0]] * 3),
    (np.ones(2) * 1j, np.zeros(2), [0.0, 0.0]),
    (np.ones(2), np.zeros(2, complex), [1 + 0j, 1 + 0j]),
    (np.ones(2), np.zeros(2, int), [1.0, 1.0]),
    (np.ones(2), np.zeros(2, bool), [1.0, 1.0]),
    (2.0, np.zeros(()), 2.0),
    (2.0, np.zeros((2,)), [2.0, 2.0]),
    ([1.0, None], np.zeros(2), [1.0, 0.0]),
    (np.ones((2, 1)), np.zeros(1), [2.0]),
]


@pytest.mark.parametrize(("x_bar", "x", "wanted"), ROWS)
def test_project_arrays(x_bar, x, wanted):
    for got in (project(x_bar, x), cr.project_to(x)(x_bar)):
        assert got.tolist() == wanted and got.shape == x.shape
        assert got.dtype == (x.dtype if x.dtype.kind in "fc" else np.float64)


@pytest.mark.parametrize(
    ("x_bar", "x", "wanted"),
    [
        (np.float64(2.0), 1.0, 2.0), (np.array(2.0), 1.0, 2.0), (2.0, 1, 2.0), (2.0, True, 2.0), (2 + 1j, 1.0, 2.0),
        (2.0, 1j, 2 + 0j), (np.ones(3), 1.0, 3.0), (2.0, np.float32(1), np.float32(2)), (2.0, np.int64(1), 2.0),
        (np.ones((2, 3)), [1.0, 2.0, 3.0], [2.0, 2.0, 2.0]), (np.ones((2, 2)), [[1.0, 2.0], (3.0, 4.0)], [[1.0, 1.0], (1.0, 1.0)]),
        ([1.0, None], [2.0, "a"], [1.0, None]), ({"a": 1.0}, {"a": 1, "b": 2.0}, {"a": 1.0, "b": None}),
        ((1.0, 2.0), Pair(1.0, 2.0), Pair(1.0, 2.0)), (Fraction(1, 2), Fraction(3), Fraction(1, 2)), (None, 1.0, None),
        (NoTangent(), 1.0, NoTangent()), (ZeroTangent(), np.ones(2), ZeroTangent()), (Thunk(lambda: 2.0), 1.0, 2.0),
        (3.0, "text", 3.0), (2.0, [1.0, 2.0], [2.0, 2.0]),
    ],
)  # fmt: skip
def test_project_everything_else(x_bar, x, wanted):
    for got in (project(x_bar, x), cr.project_to(x)(x_bar)):
        assert got == wanted and type(got) is type(wanted)


def test_project_is_free_where_it_fits_and_refuses_what_cannot():
    x = np.ones(2)
    assert project(x, np.zeros(2)) is x
    with pytest.raises(ValueError, match="cannot belong"):
        project(np.ones(3), np.zeros(2))
    with pytest.raises(ValueError, match="cannot belong"):
        project(np.ones(3), [1.0, 2.0])


def test_rules_are_tried_most_specific_first():
    def f(x):
        return x

    for types in ((), (float,), (object,), (np.ndarray,), ((int, float),)):
        cr.rrule(f, *types)(lambda x: (x, lambda y_bar: y_bar))
    order = [r.types for r in cr.rules_for(f)]
    assert order[-1] == () and order[-2] == (object,) and order.index((float,)) < order.index(((int, float),))
    before, n = cr.registry_version(), len(order)
    rule = cr.rrule(f, float)(lambda x: (x, lambda y_bar: 2 * y_bar))
    assert cr.registry_version() > before and len(cr.rules_for(f)) == n
    assert any(r.function is rule for r in cr.rules_for(f))
    found = cr.rules_for(f)[0]
    assert found.file == __file__ and found.line > 0


def test_rules_for_instances_and_opting_out():
    class Layer:
        def __call__(self, x):
            return 2 * x

    @cr.rrule(Layer, instances=True)
    def _(layer, x):
        return layer(x), lambda y_bar: 2 * y_bar

    (rule,) = cr.rules_for(Layer())
    assert rule.instances and cr.rules_for(Layer) == ()
    assert rule.function(Layer(), 3.0)[1](1.0) == (cr.NoTangent(), 2.0)

    @cr.rrule(Layer, with_self=True)
    def _(layer, x):
        return layer(x), lambda y_bar: (cr.Tangent(Layer, w=x * y_bar), 2 * y_bar)

    (rule,) = cr.rules_for(Layer())
    assert rule.function(Layer(), 3.0)[1](1.0) == (cr.Tangent(Layer, w=3.0), 2.0)

    def f(x):
        return x

    cr.rrule(f)(lambda x: (x, lambda y_bar: y_bar))
    cr.opt_out(f, int)
    assert cr.is_opted_out(f, (1,)) and cr.is_opted_out(f, (True,)) and not cr.is_opted_out(f, (1.0,))
    cr.rrule(f, bool)(lambda x: (x, lambda y_bar: y_bar))
    assert not cr.is_opted_out(f, (True,))
    assert cr.rules_for([]) == () and not cr.is_opted_out([], ())
    with pytest.raises(TypeError):
        cr.rrule(f, instances=True)


@pytest.mark.parametrize(
    "f", [np.zeros, np.argmax, len, math.isnan, np.random.Generator.poisson, cr.ignore_derivatives, np.less]
)
def test_non_differentiable(f):
    assert cr.is_non_differentiable(f) and cr.rules_for(f) == ()


def test_active_keywords_find_their_positions():
    (rule,) = cr.rules_for(np.average)
    args, kwargs = cr.as_positional(rule, (np.ones(2),), {"weights": np.ones(2), "keepdims": False}, ["weights"])
    assert args[1] is None and args[2].tolist() == [1.0, 1.0] and kwargs == {"keepdims": False}
    (rule,) = cr.rules_for(np.pad)
    args, _ = cr.as_positional(rule, (np.ones(2), 1), {"constant_values": 2.0}, ["constant_values"])
    assert args[1:] == (1, "constant", None, 2.0)
    (rule,) = cr.rules_for(np.concatenate)
    assert cr.as_positional(rule, ([np.ones(2)],), {"dtype": float}, ["dtype"]) is None
    (rule,) = cr.rules_for(np.sum)
    args, _ = cr.as_positional(rule, (np.ones(2),), {"initial": 2.0}, ["initial"])
    bars = rule.function(*args)[1](1.0)
    assert isinstance(bars[5], NotImplementedTangent)


def test_scalar_rules_for_many_arguments_and_for_real_ones_only():
    def fma(a, b, c):
        return a * b + c

    cr.scalar_rule(fma, lambda y, a, b, c: b, lambda y, a, b, c: a, 1, real=True)
    test_rrule(fma, 2.0, np.array([1.0, 3.0]), 4.0)
    assert cr.rules_for(fma)[0].function(1j, 2.0, 3.0) is NotImplemented
    assert cr.scalar_rule_for(fma).real and cr.scalar_rule_for(fma).file == __file__


def broken(f, partial):
    cr.scalar_rule(f, partial)
    return f


def test_the_test_tool_finds_what_is_wrong():
    with pytest.raises(AssertionError, match=r"argument 0: the rule says"):
        test_rrule(broken(lambda x: x**2, lambda y, x: 3 * x), 2.0)

    def two(x, y):
        return x * y

    cr.rrule(two)(lambda x, y: (x * y, lambda y_bar: (y_bar * y,)))
    with pytest.raises(AssertionError, match="1 cotangents for 2"):
        test_rrule(two, 1.0, 2.0)

    def writes(x):
        return x * 1.0

    def rule(x):
        def pullback(y_bar):
            y_bar *= 2
            return y_bar / 2

        return x * 1.0, pullback

    cr.rrule(writes)(rule)
    with pytest.raises(AssertionError, match="seed was changed"):
        test_rrule(writes, np.ones(2))

    def listed(xs):
        return xs[0] * xs[1]

    cr.rrule(listed)(lambda xs: (xs[0] * xs[1], lambda y_bar: [y_bar * xs[1], y_bar]))
    with pytest.raises(AssertionError, match=r"argument 0\[1\]"):
        test_rrule(listed, [2.0, 3.0])
    with pytest.raises(AssertionError, match="no rule"):
        test_rrule(print, 1.0)


def test_gradients_by_differences():
    def loss(p, n):
        return float(np.sum(p["w"] ** n) + p["b"] * 2)

    p = {"w": np.array([1.0, 2.0]), "b": 3.0}
    g, none = finite_difference_gradient(loss, p, 2)
    assert g["w"] == pytest.approx([2.0, 4.0]) and g["b"] == pytest.approx(2.0) and none is None
    check_gradient(loss, ({"w": np.array([2.0, 4.0]), "b": 2.0}, None), p, 2)
    with pytest.raises(AssertionError, match=r"argument 0\['b'\]"):
        check_gradient(loss, ({"w": np.array([2.0, 4.0]), "b": None}, None), p, 2)
    (z,) = finite_difference_gradient(lambda z: abs(z) ** 2, 1 + 2j)
    assert z == pytest.approx(2 + 4j)


def in_a_fresh_interpreter(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_rules_wait_for_the_modules_they_are_for():
    in_a_fresh_interpreter(
        "import sys, numpy as np, chainrules as cr\n"
        "modules = ('numpy.random', 'numpy.fft')\n"
        "assert not any(m in sys.modules for m in modules), sys.modules.keys()\n"
        "cr.rules_for(np.sin), cr.covered(), cr.is_non_differentiable(len), cr.scalar_rule_for(np.sin)\n"
        "assert not any(m in sys.modules for m in modules)\n"
        "before = cr.registry_version()\n"
        "f = np.fft.fft\n"
        "assert cr.registry_version() > before and f in cr.covered() and cr.rules_for(f)\n"
        "assert 'numpy.random' not in sys.modules\n"
        "assert cr.is_non_differentiable(np.random.default_rng)\n"
    )


def test_rules_that_are_there_already_when_the_library_comes():
    in_a_fresh_interpreter(
        "import numpy as np, numpy.random, numpy.fft, chainrules as cr\n"
        "assert cr.is_non_differentiable(np.random.Generator.poisson) and cr.rules_for(np.fft.fft)\n"
    )


@pytest.fixture
def late_module():
    module = ModuleType("chainrules_late")
    module.f = lambda x: 2.0 * x
    yield module
    sys.modules.pop("chainrules_late", None)


def test_late_rules_are_found_by_every_lookup_and_once(late_module):
    f, calls = late_module.f, []

    def load():
        assert cr.rules_for(f) == ()
        calls.append(cr.registry_version())
        cr.scalar_rule(f, 2)

    for look in (
        cr.rules_for,
        cr.scalar_rule_for,
        lambda f: f in cr.covered(),
        lambda f: cr.registry_version() > calls[-1],
        lambda f: not cr.is_non_differentiable(f) and len(calls),
    ):
        sys.modules.pop("chainrules_late", None)
        late_module.f = f = lambda x: 2.0 * x
        n = len(calls)
        cr.when_loaded("chainrules_late", load)
        assert cr.rules_for(f) == () and len(calls) == n
        sys.modules["chainrules_late"] = late_module
        assert look(f) and look(f) and len(calls) == n + 1
        assert cr.rules_for(f)


def test_what_the_program_declares_comes_after_the_late_rules(late_module):
    f = late_module.f
    cr.when_loaded("chainrules_late", lambda: cr.rrule(f)(lambda x: (1.0, None)))
    sys.modules["chainrules_late"] = late_module
    cr.rrule(f)(lambda x: (2.0, None))
    assert [r.function(0.0)[0] for r in cr.rules_for(f)] == [2.0]


def test_a_module_in_the_middle_of_its_import_is_waited_for(late_module):
    f = late_module.f
    late_module.__spec__ = SimpleNamespace(_initializing=True)
    cr.when_loaded("chainrules_late", lambda: cr.scalar_rule(f, 2))
    sys.modules["chainrules_late"] = late_module
    assert cr.rules_for(f) == ()
    late_module.__spec__._initializing = False
    assert cr.rules_for(f)


def test_late_rules_that_fail_say_so_once(late_module):
    def load():
        raise ImportError("wrong version")

    cr.when_loaded("chainrules_late", load)
    sys.modules["chainrules_late"] = late_module
    with pytest.raises(ImportError, match="wrong version"):
        cr.rules_for(print)
    assert cr.rules_for(print) == ()


def test_a_lookup_in_another_thread_waits_until_late_rules_are_complete(late_module):
    f, inside, go = late_module.f, threading.Event(), threading.Event()

    def load():
        inside.set()
        assert go.wait(10)
        cr.scalar_rule(f, 2)

    cr.when_loaded("chainrules_late", load)
    sys.modules["chainrules_late"] = late_module
    found = []
    first = threading.Thread(target=lambda: cr.rules_for(print))
    second = threading.Thread(target=lambda: found.append(cr.rules_for(f)))
    first.start()
    assert inside.wait(10)
    second.start()
    go.set()
    first.join()
    second.join()
    assert found[0]


def test_importing_loads_no_scipy_and_little_else():
    code = (
        "import sys; import numpy, numpy.linalg, numpy.random; a = set(sys.modules); import chainrules;"
        "new = {m.split('.')[0] for m in set(sys.modules) - a}; print(sorted(new))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "scipy" not in out and "morula" not in out
    standard = {
        "dis",
        "opcode",
        "_opcode",
        "__future__",
        "cmath",
        "fractions",
        "dataclasses",
        "inspect",
        "copy",
    }
    assert set(eval(out)) <= {"chainrules", "numpy", *standard}, out


def test_complex_checks_on_demand():
    test_rrule(np.matmul, np.array([[0.5, 1.0], [2.0, 0.1]]), np.array([1.0, 2.0]), check_complex=True)
    with pytest.raises(AssertionError):
        test_rrule(np.arctan2, np.array([0.5, 1.0]), 2.0, check_complex=True)


def test_conversions_to_integers_cut_the_derivative():
    from chainrules.testing import call_rule

    for f, args in (
        (np.array, ([1.5, 2.5], int)),
        (np.asarray, (np.ones(2), np.int32)),
        (np.astype, (np.ones(2), int)),
    ):
        assert call_rule(f, *args)[1](np.ones(2))[0] is None
    assert call_rule(np.ndarray.astype, np.ones(2), int)[1](np.ones(2))[0].tolist() == [0.0, 0.0]
    with pytest.raises(AssertionError, match="no rule"):
        call_rule(np.complex128, 1.0, 2.0)


def test_a_rule_replaces_one_that_was_derived():
    def f(x):
        return x * 2.0

    cr.scalar_rule(f, 2.0)
    assert cr.scalar_rule_for(f) is not None
    cr.rrule(f)(lambda x: (x * 2.0, lambda y_bar: (10.0 * y_bar,)))
    assert cr.scalar_rule_for(f) is None
    (rule,) = cr.rules_for(f)
    assert rule.function(1.0)[1](1.0) == (10.0,)
    cr.scalar_rule(f, 3.0)
    assert cr.scalar_rule_for(f).partials == (3.0,)
    cr.rrule(f, int)(lambda x: (x * 2.0, lambda y_bar: (10.0 * y_bar,)))  # more specific: beside it
    assert cr.scalar_rule_for(f) is not None


def test_the_same_types_written_in_two_ways_are_ambiguous():
    def f(x):
        return x

    cr.rrule(f, float)(lambda x: (x, lambda y_bar: y_bar))
    cr.rrule(f, (float,))(lambda x: (x, lambda y_bar: y_bar))
    assert len(cr.rules_for(f)) == 2
    with pytest.raises(cr.AmbiguousRules):
        list(cr.candidates(f, (1.0,)))


def test_a_subclass_that_overrides_the_call_has_not_the_rule_of_its_base():
    class Double:
        def __call__(self, x):
            return 2 * x

    class Triple(Double):
        def __call__(self, x):
            return 3 * x

    class Named(Double):
        name = "double"

    cr.rrule(Double, instances=True)(lambda double, x: (2 * x, lambda y_bar: 2 * y_bar))
    assert cr.rules_for(Named()) == cr.rules_for(Double()) != ()
    assert cr.rules_for(Triple()) == ()
