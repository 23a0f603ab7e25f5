"""How the rules for arrays are declared and found."""

import numpy as np
import pytest

pytest.importorskip("numba")

from morula.static.numba.array_rules import NON_DIFFERENTIABLE, RULES, array_rule


def test_names_come_from_the_signature():
    rule = RULES[np.linalg.solve]
    assert rule.parameters == ("a", "b") and rule.differentiable == ("a", "b")
    assert rule.reads == {"y", "a"} and rule.numbers == () and not rule.linear
    rule = RULES[np.ediff1d]
    assert rule.defaults == {"to_end": None, "to_begin": None} and rule.numbers == ("to_end", "to_begin")


def test_signatures_that_do_not_fit_are_refused():
    def tangent(y, a, a_dot):
        return a_dot

    def with_another_parameter(y, y_bar, a, b, a_bar):
        pass

    def without_a_seed(y, a, a_bar):
        pass

    def fitting(y, y_bar, a, a_bar):
        pass

    for adjoint, options in [
        (with_another_parameter, {}),
        (without_a_seed, {}),
        (fitting, {"reads": "b"}),
        (fitting, {"reads": "a", "linear": True}),
    ]:
        with pytest.raises(TypeError, match="do not fit together"):
            array_rule(np.sum, tangent=tangent, **options)(adjoint)
    assert RULES[np.sum].adjoint is not fitting


def test_constants_have_no_rules_and_agree_with_the_library():
    from chainrules import is_non_differentiable

    assert not NON_DIFFERENTIABLE & set(RULES)
    rounding = {np.floor, np.ceil, np.trunc, np.rint}  # numeric zeros there
    assert [f for f in NON_DIFFERENTIABLE - rounding if not is_non_differentiable(f)] == []


def test_every_rule_says_what_it_is():
    for rule in RULES.values():
        assert rule.adjoint.__doc__ and rule.tangent.__doc__, rule.primal
        assert set(rule.numbers) <= set(rule.differentiable)
        assert set(rule.defaults) <= set(rule.parameters)
