"""Arrays that mean something else than their numbers: masked ones, matrices, records. No rule may answer for them."""

import cases
import numpy as np
import pytest

from chainrules import (
    NotImplementedDerivative,
    candidates,
    is_opted_out,
    project,
    reason_unsupported,
    refuse_instances,
    rrule,
    rules_for,
)
from chainrules.testing import call_rule

CASES = {f: args for f, args, _ in reversed(cases.CASES)}
WITH_ARRAYS = [
    (f, args)
    for f, args in CASES.items()
    if any(isinstance(a, np.ndarray) for a in args) and not any(r.types for r in rules_for(f))
]


def changed(x, how):
    if isinstance(x, (list, tuple)):
        return type(x)([changed(v, how) for v in x])
    return how(x) if isinstance(x, np.ndarray) and x.ndim else x


def masked(x):
    return np.ma.masked_array(x, mask=np.arange(x.size).reshape(x.shape) % 2 == 0)


def as_matrix(x):
    return x.view(np.matrix) if x.ndim < 3 else x


@pytest.mark.parametrize(
    ("f", "args"), WITH_ARRAYS, ids=[getattr(f, "__qualname__", None) or f.__name__ for f, _ in WITH_ARRAYS]
)
def test_no_rule_answers_for_masked_arrays_or_matrices(f, args):
    given = changed(args, masked)
    if any(isinstance(a, np.ma.MaskedArray) for a in given):
        assert not list(candidates(f, given)) and "masked" in reason_unsupported(f, *given)
    given = changed(args, as_matrix)
    if any(type(a) is np.matrix for a in given):
        assert not list(candidates(f, given)) and "np.matrix" in reason_unsupported(f, *given)


M = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
X = np.ones(3)


@pytest.mark.parametrize(
    ("f", "args"),
    [(np.sum, (M,)), (np.mean, (M,)), (np.multiply, (X, M)), (np.concatenate, ([X, M],)), (np.vstack, ((X, [M, X]),)),
     (np.dot, (M, X)), (np.where, (X > 0, X, M)), (np.reshape, (M, (3, 1))), (np.linalg.norm, (M,)), (np.sort, (M,)),
     (np.ndarray.sum, (M,)), (np.ndarray.T, (M,)), (np.add.reduce, (M,)), (np.einsum, ("i,i", X, M)),
     (np.asarray, (M,)), (np.outer, (M, X)), (sum, ([1.0, M],)), (max, (X[0], M))],
)  # fmt: skip
def test_masks_are_not_ignored(f, args):
    assert is_opted_out(f, args)
    with pytest.raises(AssertionError, match="no rule"):
        call_rule(f, *args)


RECORDS = np.array([(1.0, 2.0), (3.0, 4.0)], dtype=[("a", float), ("b", float)])


@pytest.mark.parametrize(
    ("f", "args"),
    [(np.reshape, (RECORDS, (2, 1))), (np.concatenate, ([RECORDS, RECORDS],)), (np.sort, (RECORDS,)),
     (np.copy, (RECORDS,)), (np.where, (np.array([True, False]), RECORDS, RECORDS)), (np.take, (RECORDS, [0, 0])),
     (np.ndarray.tolist, (RECORDS,)), (np.ndarray.astype, (RECORDS, [("a", np.float32), ("b", float)])),
     (np.roll, (RECORDS, 1))],
)  # fmt: skip
def test_arrays_of_records_have_no_cotangent(f, args):
    with pytest.raises(NotImplementedError, match="records"):
        y, back = call_rule(f, *args)
        back(np.ones(np.shape(y)))


def test_records_have_no_rules_in_any_form():
    for x in (RECORDS.view(np.recarray), RECORDS[0], np.rec.array([(1.0, 2)])):
        assert is_opted_out(np.reshape, (x, -1)) and "records" in reason_unsupported(np.reshape, x, -1)
    with pytest.raises(NotImplementedDerivative, match="records"):
        project(np.ones(2), RECORDS)


def test_text_and_dates_have_no_cotangent():
    for x in (np.array(["a", "b"]), np.array(["2020-01-01"], "M8[D]"), np.array([3], "m8[s]")):
        assert not project(np.ones(x.shape), x)


def test_other_subclasses_of_arrays_are_arrays():
    class Plain(np.ndarray):
        pass

    _, back = call_rule(np.sum, np.ones(3).view(Plain))
    assert back(2.0)[0].tolist() == [2.0] * 3


class Degrees(np.ndarray):
    pass


def doubled(x):
    return 2.0 * x


def test_rules_made_for_the_class_hold():
    x = np.ones(3).view(Degrees)
    refuse_instances("counts otherwise", Degrees)
    rrule(np.sum, Degrees)(lambda x: (np.sum(x), lambda y_bar: y_bar * np.full(x.shape, 7.0)))
    rrule(doubled)(lambda x: (doubled(x), lambda y_bar: 2.0 * y_bar))
    assert is_opted_out(np.mean, (x,)) and is_opted_out(np.multiply, (2.0, x))
    assert not is_opted_out(np.sum, (x,)) and not is_opted_out(doubled, (x,)), "somebody's own rules"
    assert reason_unsupported(np.mean, x) == "counts otherwise" and reason_unsupported(np.mean) is None


def test_functions_of_masked_arrays_give_the_reason():
    for f in (np.ma.sum, np.ma.masked_where, np.ma.array, np.ma.MaskedArray, np.ma.MaskedArray.mean):
        assert "masked" in reason_unsupported(f)
    assert reason_unsupported(np.sin) is None and rules_for(np.sin)
