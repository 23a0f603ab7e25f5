"""Functions of NumPy that call functions, with an engine that takes differences."""

import numpy as np
import pytest
from cases.numpy_mapped import WITH_CONFIG, scaled
from test_rules_numerically import name_of
from test_values import LAYOUTS, arrays_in, bits, changed, described, parts

from chainrules import RuleConfig, rrule_via, rules_for, unthunk
from chainrules.testing import FiniteDifferenceConfig, test_rrule
from chainrules.testing.leaves import copied

CONFIG = FiniteDifferenceConfig()


@pytest.mark.parametrize("case", WITH_CONFIG, ids=map(name_of, WITH_CONFIG))
def test_rule(case):
    f, args, kwargs = case
    test_rrule(f, *args, kwargs=kwargs)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", WITH_CONFIG, ids=map(name_of, WITH_CONFIG))
def test_the_value_is_the_plain_one(case, layout):
    f, args, kwargs = case
    args = changed(copied(args), LAYOUTS[layout])
    with np.errstate(all="ignore"):
        try:
            wanted = f(*args, **kwargs)
        except (TypeError, ValueError):
            assert layout != "as it is"
            return
        y, _ = rrule_via(CONFIG, f, *args, **kwargs)
    for (_, a), (_, b) in zip(parts(y), parts(wanted), strict=True):
        assert described(a, arrays_in(args)) == described(b, arrays_in(args))
        if not isinstance(b, tuple):
            assert bits(a) == bits(b)


def test_only_engines_that_differentiate_functions_see_these_rules():
    for f in (np.apply_along_axis, np.apply_over_axes, np.piecewise, np.vectorize(scaled)):
        assert rules_for(f) == () and len(rules_for(f, CONFIG)) == 1


def test_later_conditions_win():
    x = np.array([1.0, -1.0, 2.0])
    _, back = rrule_via(CONFIG, np.piecewise, x, [x > 0, x > 1.5], [np.square, np.exp, 7.0])
    _, x_bar, _, values_bar = map(unthunk, back(np.ones(3)))
    np.testing.assert_allclose(x_bar, [2.0, 0.0, np.exp(2.0)])
    assert values_bar[2] == 1.0


def test_what_is_not_chosen_is_a_hard_zero():
    x = np.array([-1.0, 0.0, 4.0])
    with np.errstate(all="ignore"):
        _, back = rrule_via(CONFIG, np.piecewise, x, [x >= 0, x <= 0], [np.sqrt, 0.0])
        assert unthunk(back(np.ones(3))[1]).tolist() == [0.0, 0.0, 0.25]


class Capturing(RuleConfig):
    """Says for every function ``f(x) = state x`` what its state gets."""

    traits = frozenset({"reverse", "iterators"})

    def rrule_via(self, f, args, kwargs):
        return f(*args, **kwargs), lambda y_bar: (args[0] * y_bar, 2.0 * y_bar)


def test_what_a_function_captures_has_its_cotangent():
    def twice(x):
        return 2.0 * x

    x = np.array([1.0, 2.0, 3.0])
    _, back = rrule_via(Capturing(), np.vectorize(twice), x)
    own, x_bar = back(np.array([1.0, 10.0, 100.0]))
    assert own.pyfunc == 321.0 and x_bar.tolist() == [2.0, 20.0, 200.0]
    _, back = rrule_via(Capturing(), np.apply_along_axis, twice, 0, x)
    assert back(np.array([1.0, 10.0, 100.0]))[1].tolist() == [1.0, 20.0, 300.0]


@pytest.mark.parametrize("options", [{}, {"cache": True}, {"otypes": [float]}])
def test_functions_are_called_as_often_as_in_the_plain_call(options):
    def counted(x):
        calls.append(x)
        return 2.0 * x

    found = []
    for run in (lambda f, x: f(x), lambda f, x: rrule_via(CONFIG, f, x)):
        calls = []
        run(np.vectorize(counted, **options), np.array([1.0, 2.0]))
        found.append(calls)
    assert found[0] == found[1]
