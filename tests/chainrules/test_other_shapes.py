"""Every rule for shapes that nobody wrote down: the arrays of its cases without elements, without axes, with one more.

Where the function itself takes them the rule has to, or refuse them by name.
"""

import warnings

import cases
import numpy as np
import pytest
from cases import by_function, each_function, name_of, some_of
from test_rules_numerically import CONTINUED
from test_values import plain

from chainrules.library.partials import power_dp
from chainrules.testing import Unjudged, call_rule, find_rule, test_rrule
from chainrules.testing.layouts import changed
from chainrules.testing.leaves import copied, is_inexact, leaves


def first_gone(a):
    return a[:0] if a.ndim else a


def last_gone(a):
    return a[..., :0] if a.ndim else a


def without_axes(a):
    return np.array(a.flat[0]) if a.size else a


def one_more_axis(a):
    return a[None]


EXEMPT = {
    # NumPy shuffles a copy of what it is given, but of an empty array that cannot be written no copy.
    (np.random.Generator.permutation, first_gone),
    (np.random.Generator.permutation, last_gone),
    (np.random.permutation, first_gone),
    (np.random.permutation, last_gone),
    # The generator is the same for every call: another draw each time, where more than one row can be drawn.
    (np.random.Generator.choice, one_more_axis),
    # Looks at the exponent where a base is zero only, so it takes exponents that do not fit the bases.
    (power_dp, first_gone),
}


def taken(f, args, kwargs):
    """Whether the function itself takes these arguments, without a word of warning, and makes numbers of them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            y = plain(f, copied(args), kwargs)
    except Exception:
        return False
    values = [np.asarray(v) for _, v in leaves(y)]
    return any(map(is_inexact, values)) and all(np.all(np.isfinite(v)) for v in values if is_inexact(v))


def has_rule(f, args, kwargs):
    try:
        find_rule(f, copied(args), kwargs)
    except (NotImplementedError, AssertionError):  # refused by name, or declined
        return False
    return True


SHAPES = (first_gone, last_gone, without_axes, one_more_axis)


def told(args, kwargs):
    """All that tells one call from another: without elements many cases become the same one."""
    found = []
    for path, leaf in leaves([args, kwargs]):
        is_array = isinstance(leaf, np.ndarray)
        found.append((path, (leaf.dtype, leaf.shape, leaf.strides, leaf.tobytes()) if is_array else repr(leaf)))
    return repr(found)


@pytest.mark.parametrize("of", by_function(some_of(cases.CASES, 3)), ids=lambda of: name_of(of[0]).partition("(")[0])
def test_shapes(of):
    met = set()
    for f, args, kwargs in of:
        for how in SHAPES:
            given = changed(args, how)
            same = all(a is b for (_, a), (_, b) in zip(leaves(args), leaves(given), strict=True))
            if same or (f, how) in EXEMPT or (call := told(given, kwargs)) in met:
                continue
            met.add(call)
            check(f, given, kwargs)


def check(f, args, kwargs):
    """Test the rule where the function takes the arguments and the rule does not refuse them."""
    with np.errstate(all="ignore"):
        if not (taken(f, args, kwargs) and has_rule(f, args, kwargs)):
            return
        try:
            test_rrule(f, *args, kwargs=kwargs, constant=CONTINUED.get(f, ()))
        except (Unjudged, NotImplementedError):
            return
        except BaseException as error:
            error.add_note(name_of((f, args, kwargs)))
            raise


# What no case becomes. Older versions of NumPy take no norms of nothing.
EMPTIES = [np.zeros(shape) for shape in ((0,), (0, 4), (4, 0), (2, 0, 3), (2, 3, 0), (0, 3, 3))]
V = np.array([0.3, -1.2, 2.5])
FURTHER = [
    *((np.linalg.norm, (x, p, axis)) for x in EMPTIES for p in ("nuc", 2, 1, np.inf) for axis in (None, (-2, -1))),
    *((np.linalg.cond, (np.zeros((0, 3, 3)), p)) for p in (None, 1, -2, np.inf)),
    *((f, (np.ones((2, 3, 4)), np.zeros((4, 0)))) for f in (np.matmul, np.dot)),
    *((f, (V, ())) for f in (np.max, np.min, np.ptp, np.prod, np.std)),
    *((f.reduce, (np.array(-0.7), axis)) for f in (np.hypot, np.logaddexp, np.fmax) for axis in (0, -1, None)),
    (np.polyint, (V, 0, [])), (np.polymul, (np.zeros(0), V)), (np.cov, (np.zeros((0, 3)), V)),
]  # fmt: skip


@pytest.mark.parametrize("of", FURTHER, ids=lambda of: name_of((*of, {})))
def test_further_shapes(of):
    check(*of, {})


def test_a_diagonal_of_nothing_is_refused():
    with pytest.raises((NotImplementedError, ValueError)):  # NumPy reads numbers where it has no memory
        call_rule(np.einsum, "ii->i", np.zeros((0, 3)))


AXES = [
    (f, args, kwargs)
    for f, args, kwargs in cases.CASES
    if type(axis := kwargs.get("axis")) is int and axis >= 0 and isinstance(args[0], np.ndarray)
]


@each_function(AXES)
def test_axes_counted_from_the_end(case):
    f, args, kwargs = case
    axis = kwargs["axis"]
    for ndim in {args[0].ndim, args[0].ndim + 1}:  # where there is an axis more in the result
        other = {**kwargs, "axis": axis - ndim}
        try:
            y = plain(f, copied(args), other)
        except Exception:
            continue
        here, back = call_rule(f, *copied(args), **kwargs)
        there, other_back = call_rule(f, *copied(args), **other)
        if [np.shape(v) for _, v in leaves(y)] != [np.shape(v) for _, v in leaves(here)]:
            continue  # not the same axis: NumPy counts those of the result
        seed = changed(here, lambda v: np.cos(np.arange(v.size)).reshape(v.shape))
        if all(np.array_equal(a, b) for (_, a), (_, b) in zip(leaves(here), leaves(there), strict=True)):
            for (_, a), (_, b) in zip(leaves(back(seed)), leaves(other_back(seed)), strict=True):
                if is_inexact(a) or is_inexact(b):
                    np.testing.assert_allclose(a, b, rtol=1e-12)
