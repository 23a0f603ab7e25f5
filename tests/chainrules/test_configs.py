"""Rules over functions, rules in two halves, ambiguity, and rules that packages bring along."""

import importlib.metadata
import math
import subprocess
import sys
import textwrap
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import chainrules as cr
from chainrules import NoTangent, RuleConfig, Tangent, frule_via, registry, rrule, rrule_via, split_rule, unthunk


class Doubling(RuleConfig):
    """An engine that believes that every function doubles its arguments."""

    traits = frozenset({"reverse", "forward"})

    def rrule_via(self, f, args, kwargs):
        return f(*args, **kwargs), lambda y_bar: (NoTangent(), *(2 * y_bar for _ in args))

    def frule_via(self, f, primals, tangents, kwargs):
        return f(*primals, **kwargs), 2 * tangents[1]


def total(f, xs):
    return sum(map(f, xs))


@rrule(total, needs=("reverse",))
def _(config, f, xs):
    pairs = [rrule_via(config, f, x) for x in xs]

    def total_pullback(y_bar):
        bars = [back(y_bar) for _, back in pairs]
        f_bar = None
        for own, _ in bars:
            f_bar = cr.accumulate(f_bar, own)
        return f_bar, [x_bar for _, x_bar in bars]

    return sum(y for y, _ in pairs), total_pullback


def double(x):
    return 2 * x


def test_a_rule_is_for_engines_that_can_what_it_needs():
    assert cr.rules_for(total) == () == cr.rules_for(total, RuleConfig())
    (rule,) = cr.rules_for(total, Doubling())
    y, back = rule.function(Doubling(), double, [1.0, 2.0])
    assert y == 6.0
    assert list(map(unthunk, back(1.0)[1])) == [2.0, 2.0] and back(1.0)[0] is NoTangent()


def test_a_function_that_has_a_rule_needs_no_engine():
    (rule,) = cr.rules_for(total, Doubling())
    y, back = rule.function(Doubling(), math.sin, [0.0, 0.5])
    assert [unthunk(bar) for bar in back(1.0)[1]] == [1.0, math.cos(0.5)]
    # and rules over functions call each other
    y, pullback = rrule_via(Doubling(), total, math.sin, [0.0, 0.5])
    assert y == math.sin(0.5)
    own, f_bar, xs_bar = pullback(2.0)
    assert own is NoTangent() and f_bar is NoTangent() and xs_bar == [2.0, 2 * math.cos(0.5)]


def test_functions_with_state_get_their_cotangent():
    class Scaled:
        def __init__(self, w):
            self.w = w

        def __call__(self, x):
            return self.w * x

    @rrule(Scaled, with_self=True)
    def _(layer, x):
        return layer(x), lambda y_bar: (Tangent(Scaled, w=x * y_bar), layer.w * y_bar)

    (rule,) = cr.rules_for(total, Doubling())
    y, back = rule.function(Doubling(), Scaled(3.0), [1.0, 2.0])
    f_bar, xs_bar = back(1.0)
    assert y == 9.0 and f_bar == Tangent(Scaled, w=3.0) and xs_bar == [3.0, 3.0]


def test_what_goes_on_to_the_next_pullback_is_in_its_space():
    _, back = rrule_via(RuleConfig(), np.multiply, 2.0, np.array([1.0, 3.0]))
    _, a_bar, b_bar = map(unthunk, back(np.ones(2)))
    assert type(a_bar) is float and a_bar == 4.0 and b_bar.tolist() == [2.0, 2.0]


def test_without_rule_and_without_engine():
    assert rrule_via(RuleConfig(), len, [1.0])[1](1.0) == (NoTangent(), NoTangent())
    assert frule_via(RuleConfig(), len, ([1.0],), (None, [1.0])) == (1, cr.ZeroTangent())
    assert frule_via(Doubling(), double, (3.0,), (None, 1.0)) == (6.0, 2.0)
    with pytest.raises(NotImplementedError, match="reverse"):
        rrule_via(RuleConfig(), double, 1.0)
    with pytest.raises(NotImplementedError, match="forward"):
        frule_via(RuleConfig(), double, (1.0,), (None, 1.0))


def test_two_rules_that_are_equally_specific_are_an_error():
    def f(a, b):
        return a * b

    @rrule(f, float, object)
    def left(a, b):
        return a * b, lambda y_bar: (b * y_bar, a * y_bar)

    @rrule(f, object, float)
    def right(a, b):
        return a * b, lambda y_bar: (b * y_bar, a * y_bar)

    assert [r.function for r in cr.candidates(f, (1.0, 2))] == [left]
    assert [r.function for r in cr.candidates(f, (1, 2.0))] == [right]
    with pytest.raises(cr.AmbiguousRules, match=r"two rules for f .*test_configs\.py:\d+.*test_configs\.py:\d+"):
        list(cr.candidates(f, (1.0, 2.0)))

    @rrule(f, float, float)
    def both(a, b):
        return a * b, lambda y_bar: (b * y_bar, a * y_bar)

    assert next(cr.candidates(f, (1.0, 2.0))).function is both
    cr.opt_out(f, float, float)
    assert not list(cr.candidates(f, (1.0, 2.0)))


def test_the_more_an_engine_can_do_the_earlier_its_rule():
    def f(x):
        return x

    plain = rrule(f)(lambda x: (x, lambda y_bar: y_bar))
    needy = rrule(f, needs=("reverse",))(lambda config, x: (x, lambda y_bar: y_bar))
    assert [r.function for r in cr.candidates(f, (1.0,), Doubling())] == [needy, plain]
    assert [r.function for r in cr.candidates(f, (1.0,))] == [plain]


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def softmax_forward(x, axis=-1):
    y = softmax(x, axis)
    return y, (y,), axis


def softmax_backward(residuals, axis, y_bar):
    (y,) = residuals
    return y * (y_bar - np.sum(y * y_bar, axis=axis, keepdims=True))


def test_a_rule_in_two_halves():
    split_rule(softmax, softmax_forward, softmax_backward)
    (half,) = cr.split_rules_for(softmax)
    assert half.forward is softmax_forward and half.file == __file__
    x = np.array([[0.1, 0.7, -0.4], [1.0, 2.0, 0.5]])
    from chainrules.testing import test_rrule

    test_rrule(softmax, x)
    test_rrule(softmax, x, axis=0)
    assert cr.split_rules_for([]) == () == cr.split_rules_for(softmax_forward)


def test_the_halves_share_arrays_only():
    def f(x):
        return x

    split_rule(f, lambda x: (x, [x], None), lambda residuals, static, y_bar: y_bar)
    with pytest.raises(TypeError, match="tuple of arrays"):
        cr.rules_for(f)[0].function(1.0)
    split_rule(f, lambda x: (x, (), [1]), lambda residuals, static, y_bar: y_bar)
    with pytest.raises(TypeError, match="hashable"):
        cr.rules_for(f)[0].function(1.0)
    split_rule(f, lambda x: NotImplemented, lambda residuals, static, y_bar: y_bar, int)
    assert cr.rules_for(f)[0].function(1) is NotImplemented and len(cr.split_rules_for(f)) == 2


PLUGIN = {
    "orbits/__init__.py": "def period(a):\n    return a ** 1.5\n",
    "orbits_rules.py": """
        import chainrules, orbits
        def declare():
            chainrules.scalar_rule(orbits.period, lambda y, a: 1.5 * a ** 0.5)
    """,
    "orbits-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: orbits\nVersion: 1.0\n",
    "orbits-1.0.dist-info/entry_points.txt": "[chainrules]\norbits = orbits_rules:declare\nnowhere = no_such_module\n",
}


def test_a_package_brings_its_rules_along(tmp_path):
    for name, text in PLUGIN.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
    program = textwrap.dedent("""
        import sys, chainrules
        assert chainrules.rules_for(abs) and "orbits_rules" not in sys.modules
        import orbits
        (rule,) = chainrules.rules_for(orbits.period)
        y, back = rule.function(4.0)
        assert (y, back(1.0)) == (8.0, 3.0), (y, back(1.0))
        assert "no_such_module" not in sys.modules
        print(chainrules.registry_version() > 0)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{tmp_path}:{':'.join(sys.path)}"},
    )
    assert done.stdout.strip() == "True", done.stderr


def test_what_is_announced_twice_is_loaded_once(monkeypatch):
    point = EntryPoint("json", "orbits_rules:declare", registry.GROUP)
    waiting: list[str] = []
    monkeypatch.setattr(registry, "_may_announce", lambda path: True)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [point, point])
    monkeypatch.setattr(registry, "when_loaded", lambda name, load: waiting.append(name))
    registry.find_plugins()
    assert waiting == ["json"]


def test_without_an_engine():
    program = "import sys, chainrules; chainrules.rules_for(abs); print([m for m in sys.modules if m[:6] == 'morula'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
