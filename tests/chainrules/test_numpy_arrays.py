"""What the cases of shapes and creation cannot say: keywords that are active, layouts, draws, kinks, refusals."""

from copy import deepcopy

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from chainrules import (
    as_positional,
    frules_for,
    project,
    reason_unsupported,
    rules_for,
    unthunk,
)
from chainrules.testing import call_rule
from chainrules.testing import test_rrule as check_rule

V = np.array([0.3, -1.2, 2.5, 0.9])
M = np.arange(12.0).reshape(3, 4) ** 1.5


def by_keywords(f, args, kwargs, names):
    """The cotangents of active keywords for a seed of ones, as an engine would ask for them."""
    (rule,) = rules_for(f)
    positional, rest = as_positional(rule, args, kwargs, names)
    y, pullback = rule.function(*positional, **rest)
    bars = pullback(np.ones(y.shape))
    return [project(unthunk(bar), x) for bar, x in zip(bars, positional, strict=True)]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (2.5, 4.0),
        ((2.5, 1.5), [1.0, 3.0]),
        ([[2.5, 1.5]], [[1.0, 3.0]]),
        (np.array([2.5, 1.5]), [1.0, 3.0]),
    ],
)
def test_the_values_that_are_padded_have_cotangents(values, wanted):
    bars = by_keywords(np.pad, (V, (1, 3)), {"constant_values": values}, ["constant_values"])
    assert np.array_equal(bars[4], wanted) and bars[0].tolist() == [1.0] * 4


def test_the_corners_belong_to_the_axis_that_is_padded_last():
    values = ((1.0, 2.0), (3.0, 4.0))
    bars = by_keywords(np.pad, (M, ((1, 2), (3, 1))), {"constant_values": values}, ["constant_values"])
    assert bars[4] == ((4.0, 8.0), (18.0, 6.0))


def test_the_ends_of_a_ramp_have_cotangents():
    bars = by_keywords(np.pad, (V, 2, "linear_ramp"), {"end_values": (5.0, 7.0)}, ["end_values"])
    assert bars[0].tolist() == [1.5, 1.0, 1.0, 1.5] and bars[5] == (1.5, 1.5)


def test_padding_that_holds_anything_has_no_cotangent():
    y, back = call_rule(np.pad, V, (1, 2), "empty")
    assert y.shape == (7,) and back(np.arange(7.0))[0].tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("mode", ["maximum", "minimum"])
def test_ties_in_what_is_padded_go_to_the_first(mode):
    _, back = call_rule(np.pad, np.array([1.0, 1.0]), (1, 0), mode)
    assert back(np.array([5.0, 0.0, 0.0]))[0].tolist() == [5.0, 0.0]


def test_padded_integers_are_rounded_and_have_no_cotangent():
    _, back = call_rule(np.pad, np.array([1, 2]), 1, "mean")
    assert back(np.ones(4))[0] is None


@pytest.mark.parametrize("widths", [{0: (1, 2)}, {-1: 1}, {0: 1, 1: (0, 3)}])
def test_padding_may_be_given_by_axis(widths):
    try:
        np.pad(M, widths)
    except TypeError:
        pytest.skip("NumPy has it from 2.3 on")
    for mode in ("constant", "linear_ramp", "mean", "wrap"):
        check_rule(np.pad, M, widths, mode)


@pytest.mark.parametrize("order", ["f", "a", "c"])
def test_orders_may_be_written_small(order):
    a = np.asfortranarray(M)
    for f, args in ((np.reshape, (a, (4, 3), order)), (np.ravel, (a, order)), (np.ndarray.flatten, (a, order))):
        y, back = call_rule(f, *args)
        assert np.array_equal(back(y)[0], a)
    y, back = call_rule(np.ndarray.reshape, a, 6, 2, order=order)
    assert np.array_equal(back(y)[0], a)


@pytest.mark.parametrize("axes", [(1, 0, 2), (2, 0, 1), (0, 2, 1), (2, 1, 0)])
def test_an_array_read_as_it_lies_is_written_back_as_it_lay(axes):
    a = np.arange(60.0).reshape(3, 4, 5).transpose(axes)[::-1, ::2]
    for f in (np.ravel, np.ndarray.ravel, np.ndarray.flatten):
        for order in "Kk":
            y, back = call_rule(f, a, order)
            assert np.array_equal(back(y)[0], a)


@pytest.mark.parametrize(
    ("shape", "strides", "wanted"),
    [((2, 3), (8, 8), [1.0, 2.0, 2.0, 1.0]), ((3, 4), (0, 8), [3.0] * 4), ((2,), (16,), [1.0, 0.0, 1.0, 0.0])],
)
def test_cells_that_a_view_shows_twice_add_up(shape, strides, wanted):
    _, back = call_rule(as_strided, V, shape, strides)
    assert back(np.ones(shape))[0].tolist() == wanted


def test_a_view_of_a_reversed_array_is_found_in_memory():
    x = V[::-1]
    _, back = call_rule(as_strided, x, (2, 2), (-8, -8))
    assert back(np.array([[1.0, 2.0], [3.0, 4.0]]))[0].tolist() == [1.0, 5.0, 4.0, 0.0]


def test_a_view_of_what_is_not_its_argument_is_refused():
    with pytest.raises(NotImplementedError, match="leaves them"):
        call_rule(as_strided, V[:2], (4,), (8,))
    with pytest.raises(NotImplementedError, match="share memory"):
        call_rule(as_strided, np.broadcast_to(V, (2, 4)), (4,), (8,))


@pytest.mark.parametrize("trim", ["f", "b", "fb"])
@pytest.mark.parametrize("x", [[0.0, 0.0, 1.0, 0.0, 2.0, 0.0], [0.0, 0.0], [1.0, 2.0]])
def test_trimmed_zeros_have_no_cotangent(trim, x):
    x = np.array(x)
    y, back = call_rule(np.trim_zeros, x, trim)
    seed = np.arange(1.0, len(y) + 1)
    (x_bar, *_) = back(seed)
    start = len(x) - len(np.trim_zeros(x, "f")) if "f" in trim and x.any() else 0
    wanted = np.zeros(len(x))
    wanted[start : start + len(y)] = seed
    assert np.array_equal(x_bar, wanted)


def test_integers_take_no_derivative_of_what_is_put_between_them():
    _, back = call_rule(np.insert, np.arange(3), 1, 2.5)
    assert back(np.ones(4))[2] is None


@pytest.mark.parametrize("f", [np.concatenate, np.stack, np.hstack, np.vstack])
def test_nothing_gets_through_a_conversion_to_integers(f):
    _, back = call_rule(f, [V, V], dtype=int, casting="unsafe")
    assert back(np.ones((2, 4)))[0] is None


RECORD = [("a", float), ("b", float)]


@pytest.mark.parametrize(
    ("f", "args"),
    [(np.array, ([(1.0, 2.0)], RECORD)), (np.full, (2, 1.0, RECORD)), (np.full_like, (np.zeros(2, RECORD), 1.0)),
     (np.ndarray.item, (np.zeros(2, RECORD), 0))],
)  # fmt: skip
def test_records_are_refused(f, args):
    with pytest.raises(NotImplementedError, match="records"):
        call_rule(f, *args)


DATA = [
    V, M, np.arange(24.0).reshape(2, 3, 4), np.asfortranarray(M), M[::-1, ::2], M.T[:, ::-1], np.zeros((0, 3)),
    M.astype(np.float32), M * 1j,
]  # fmt: skip


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("x", DATA, ids=lambda x: f"{x.dtype}{x.shape}")
@pytest.mark.parametrize(
    ("name", "args"),
    [("choice", (4,)), ("choice", ((2, 3),)), ("choice", (2, False)), ("permutation", ()), ("permutation", (1,))],
)  # fmt: skip
def test_rearrangements_at_random_move_the_seed_as_the_data(kind, x, name, args):
    rng = kind(5)
    f = getattr(type(rng), name, None)
    try:
        wanted = f(deepcopy(rng), x, *args)
    except (TypeError, ValueError):
        pytest.skip("no such call")
    plain = deepcopy(rng)
    f(plain, x, *args)
    y, back = call_rule(f, rng, x, *args)
    assert np.array_equal(y, wanted) and y.strides == wanted.strides
    assert rng.bytes(8) == plain.bytes(8), "the generator is not where the plain call leaves it"
    for function in (np.real, np.imag):  # linear in the cells alone: other cells, other numbers
        assert np.isclose(np.sum(np.conj(back(y)[1]) * function(x)), np.sum(np.conj(y) * function(wanted)))
    assert back(y)[0] is None


@pytest.mark.parametrize(("name", "args"), [("choice", (6,)), ("permutation", ())])
def test_the_global_generator_rearranges_too(name, args):
    f = getattr(np.random, name)
    np.random.seed(3)
    wanted = f(V, *args)
    np.random.seed(3)
    y, back = call_rule(f, V, *args)
    assert np.array_equal(y, wanted)
    assert np.isclose(np.sum(back(y)[0] * V), np.sum(y * y))


def test_a_draw_from_so_many_numbers_is_a_constant():
    _, back = call_rule(np.random.Generator.permutation, np.random.default_rng(0), 5)
    assert back(np.ones(5)) == (None, None)


WRITERS = [np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal, np.random.shuffle]
METHODS = ["fill", "sort", "partition", "put", "resize", "setfield", "__setitem__", "__iadd__"]


@pytest.mark.parametrize("f", [*WRITERS, *[getattr(np.ndarray, name) for name in METHODS]])
def test_what_writes_into_its_argument_says_so(f):
    assert rules_for(f) == () and "writes into its argument" in reason_unsupported(f)


@pytest.mark.parametrize("order", ["C", "F", "A", "K", "k"])
@pytest.mark.parametrize("x", [M, M.T, M[::-1, ::2], np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)[:, ::-1]])
def test_a_tangent_is_read_in_the_order_of_its_primal(x, order):
    x_dot = np.ascontiguousarray(x)  # the same numbers, laid out otherwise: tangent and value must agree
    for f in (np.ravel, np.ndarray.flatten):
        (rule,) = frules_for(f)
        y, y_dot = rule.function((x, order), (x_dot, None))
        assert np.array_equal(y, y_dot)


def test_absent_tangents_in_lists_are_zeros():
    (rule,) = frules_for(np.concatenate)
    _, y_dot = rule.function(([V, np.ones(2)],), ([None, np.array([2.0, 3.0])],))
    assert y_dot.tolist() == [0.0, 0.0, 0.0, 0.0, 2.0, 3.0]
    (rule,) = frules_for(np.insert)
    _, y_dot = rule.function((V, 1, 5.0), (None, None, 2.0))
    assert y_dot.tolist() == [0.0, 2.0, 0.0, 0.0, 0.0]
    (rule,) = frules_for(np.pad)
    _, y_dot = rule.function((V[:2], 1), (np.ones(2), None), constant_values=3.0)
    assert y_dot.tolist() == [0.0, 1.0, 1.0, 0.0]
    _, y_dot = rule.function((V, 1, "median"), (V, None, None))
    assert y_dot.tolist() == [0.6, *V, 0.6]
