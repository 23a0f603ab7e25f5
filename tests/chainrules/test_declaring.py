"""What is wrong with a declaration is said where it is made, or by the call that meets it first."""

from typing import Any

import numpy as np
import pytest

import chainrules as cr
from chainrules import NoTangent, RuleConfig, rrule, rrule_via, scalar_rule, unthunk


class Able(RuleConfig):
    traits = frozenset({"reverse"})


def product(x, y=2.0):
    return x * y


def declared(*types, **options):
    def f(x, y):
        return x * y

    rrule(f, *types, **options)(lambda x, y: (x * y, lambda g: (y * g, x * g)))
    return cr.rules_for(f, RuleConfig())


@pytest.mark.parametrize("key", ["numpy.sin", 3.0, [], None])
def test_declarations_are_for_what_can_be_called(key):
    for declare in (rrule, cr.frule, cr.non_differentiable, cr.opt_out, lambda f: cr.unsupported("why", f)):
        with pytest.raises(TypeError, match="declarations are for functions"):
            declare(key)


def test_a_decorator_without_its_function():
    @rrule
    def rule(x):
        return x, lambda y_bar: y_bar

    with pytest.raises(TypeError, match=r"Is the .f. missing after @rrule"):
        rule(1.0)
    with pytest.raises(TypeError, match="the reason must be a string"):
        cr.unsupported(product, "it is slow")


def test_types_as_annotations_have_them():
    (rule,) = declared(float | int, Any)
    assert rule.types == ((float, int), object) and rule.accepts((1, "a")) and not rule.accepts(("a", 1))
    for wrong in (1.0, "float", list[float], None, (float, "int")):
        with pytest.raises(TypeError, match="the types of a rule must be classes"):
            declared(wrong)


def test_one_need_may_be_a_string():
    assert declared(needs="reverse") == ()

    def f(x):
        return x

    rrule(f, needs="reverse")(lambda config, x: (x, lambda y_bar: y_bar))
    assert cr.rules_for(f, Able())[0].needs == {"reverse"}


@pytest.mark.parametrize(
    ("pullback", "count"), [(lambda g: (g,), 1), (lambda g: g, 1), (lambda g: [g, g], 1), (lambda g: (g, g, g), 3)]
)
def test_a_wrong_number_of_cotangents(pullback, count):
    def f(x, y):
        return x * y

    rrule(f)(lambda x, y: (x * y, pullback))
    with pytest.raises(TypeError, match=rf"the rule for f .*test_declaring\.py:\d+\) gives {count} .* for 2 arguments"):
        rrule_via(RuleConfig(), f, 1.0, 2.0)[1](1.0)


@pytest.mark.parametrize("answer", [None, 2.0, (2.0,)])
def test_a_rule_that_returns_no_pair(answer):
    def f(x):
        return x

    rrule(f)(lambda x: answer)
    cr.frule(f)(lambda primals, tangents: answer)
    with pytest.raises(TypeError, match=r"test_declaring\.py:\d+\) must return a value and a pullback"):
        rrule_via(RuleConfig(), f, 1.0)
    with pytest.raises(TypeError, match=r"test_declaring\.py:\d+\) must return a value and a tangent"):
        cr.frule_via(RuleConfig(), f, (1.0,), (None, 1.0))
    with pytest.raises(TypeError, match="1 tangents for 1 arguments: the first is that of the function"):
        cr.frule_via(RuleConfig(), f, (1.0,), (1.0,))


def test_a_scalar_rule_has_a_partial_for_each_argument():
    def f(x, y):
        return x * y

    with pytest.raises(TypeError, match="1 partials for f, which takes 2 arguments"):
        scalar_rule(f, lambda y, a: a)
    with pytest.raises(TypeError, match="partial 1 of f takes 2 arguments: it needs y and the 2 of the function"):
        scalar_rule(f, lambda y, a, b: b, lambda y, a: a)
    assert cr.rules_for(f) == ()


def test_the_arguments_of_a_scalar_rule_have_names_and_defaults():
    scalar_rule(product, lambda y, a, b: b, lambda y, a, b: a)
    for args, kwargs in [((3.0, 2.0), {}), ((3.0,), {"y": 2.0}), ((3.0,), {}), ((), {"x": 3.0})]:
        y, pullback = rrule_via(RuleConfig(), product, *args, **kwargs)
        own, *bars = pullback(1.0)
        assert y == 6.0 and own is NoTangent() and [unthunk(b) for b in bars] == [2.0, 3.0][: len(args)]
    with pytest.raises(TypeError, match=r"product\(\) is missing the argument 'x'"):
        rrule_via(RuleConfig(), product, y=1.0)


def test_a_scalar_rule_refuses_what_its_partials_do_not_know():
    def power(x, n=2, *, scale=1.0):
        return scale * x**n

    scalar_rule(power, lambda y, x: 2 * x)
    assert rrule_via(RuleConfig(), power, 3.0)[1](1.0)[1] == 6.0
    for args, kwargs in [((3.0,), {"n": 3}), ((3.0, 3), {}), ((3.0,), {"scale": 2.0})]:
        with pytest.raises(
            NotImplementedError, match=r"has no derivative for the (keyword|positional argument) '(n|scale)'"
        ):
            rrule_via(RuleConfig(), power, *args, **kwargs)


def test_what_was_opted_out_is_not_asked_after_a_narrower_rule_declined():
    class Interval(float):
        pass

    class Point(Interval):
        pass

    def f(x):
        return x

    general = rrule(f)(lambda x: (x, lambda y_bar: y_bar))
    narrow = rrule(f, Point)(lambda x: NotImplemented)
    rrule(f, Interval, needs="reverse")(lambda config, x: (x, lambda y_bar: y_bar))
    cr.opt_out(f, Interval)
    for args, wanted in [((1.0,), [general]), ((Interval(1.0),), []), ((Point(1.0),), [narrow])]:
        assert [r.function for r in cr.candidates(f, args, Able())] == wanted
        assert cr.is_opted_out(f, args) is (not wanted)


@pytest.mark.parametrize("x", [1.0, 2, 1j, np.float32(1.0), np.ones(2), [1.0]])
def test_the_tangent_of_an_object_is_not_that_of_a_number(x):
    bar = cr.Tangent(RuleConfig, a=1.0)
    wrong = [bar] if isinstance(x, list) else bar
    for use in (lambda: cr.project(wrong, x), lambda: cr.project_to(x)(wrong), lambda: cr.project([wrong], [x])):
        with pytest.raises(TypeError, match=r"a cotangent Tangent\[RuleConfig\].* cannot belong to a \w+"):
            use()


def test_the_tangent_of_an_object_stays_with_objects():
    bar = cr.Tangent(RuleConfig, a=1.0)
    assert cr.project(bar, RuleConfig()) is bar and cr.project(bar, "text") is bar


def test_the_keys_of_properties_and_classmethods_are_functions():
    class Pair:
        @property
        def total(self):
            return 1.0

        @classmethod
        def make(cls, x):
            return 2 * x

    with pytest.raises(TypeError, match=r"Class\.name\.fget"):
        cr.rrule(Pair.total)
    with pytest.raises(TypeError, match=r"Pair\.make\.__func__"):
        cr.rrule(Pair.make)
    cr.rrule(Pair.total.fget)(lambda self: (1.0, lambda y_bar: None))
    cr.rrule(Pair.make.__func__)(lambda cls, x: (2 * x, lambda y_bar: (None, 2 * y_bar)))


@pytest.mark.parametrize("partials", [((1.0,),), ((lambda y, x: 1.0, lambda y, x: 2.0),), (1.0,)])
def test_constants_for_several_outputs_are_as_many_numbers(partials):
    def f(x):
        return x, 2 * x

    with pytest.raises(TypeError, match="a constant partial must be a tuple of 2 numbers"):
        scalar_rule(f, *partials, outputs=2)
