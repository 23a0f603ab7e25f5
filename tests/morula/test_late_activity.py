"""What becomes active, or is written, only after something was made that will look at it.

PYTEST_DONT_REWRITE: one program carries a value in the message of an assertion.
"""

import contextlib

import numpy as np
import pytest
from morula_helpers import verify

STATE = [1.0]
A = np.array
W = A([[0.3, -0.2, 0.7], [0.1, 0.9, -0.4], [0.5, 0.2, 0.6]])


@contextlib.contextmanager
def scaled():
    yield STATE[0] * 2.0


def context_manager_over_module_state(x):
    STATE[0] = x * x
    with scaled() as s:
        return s * 1.5


def dict_view_made_early(x):
    d = {"a": 1.0}
    values, items = d.values(), iter(d.items())
    d["a"] = x * x
    return sum(values) + next(items)[1]


def array_iterated_while_it_becomes_active(x):
    buffer = np.zeros(4)
    for i, v in enumerate(buffer):
        if i < 3:
            buffer[i + 1] = v + x * (i + 1)
    return buffer.sum()


def flat_iterator_made_early(x):
    buffer = np.zeros(3)
    flat = buffer.flat
    buffer[0] = x
    return next(flat) * 3.0


def memory_written_through_other_doors(x):
    weights = np.ones(4)
    y = x * weights
    memoryview(weights)[1] = 5.0
    weights.data[2] = 7.0
    put = weights.__setitem__
    put(0, 9.0)
    weights.__imul__(2.0)
    np.add.reduce(np.outer(weights, weights), 0, None, weights)
    return y.sum()


def lists_that_broadcast(x):
    rows = list(x)
    return (np.add(rows, W) * W).sum() + (np.where(W > 0, rows, W) * W).sum() + (np.maximum(rows, W) * W).sum()


def attributes_that_are_items(x):
    class Items(dict):
        __getattr__ = dict.__getitem__
        __setattr__ = dict.__setitem__

    d = Items()
    d.a = x
    d["b"] = x * x
    return d["a"] * d.b


def instance_dict_and_attributes(x):
    class Box:
        pass

    box = Box()
    box.__dict__.update(v=x * 2.0)
    fields = vars(box)
    box.w = x * x
    return box.v * fields["w"]


def assertion_that_carries_a_value(x):
    try:
        assert x < 0, x * x
    except AssertionError as error:
        return error.args[0] * 2.0


@pytest.mark.parametrize(
    "f, x",
    [
        (context_manager_over_module_state, 0.7),
        (dict_view_made_early, 0.7),
        (array_iterated_while_it_becomes_active, 0.7),
        (flat_iterator_made_early, 0.7),
        (memory_written_through_other_doors, A([1.0, 2.0, 3.0, 4.0])),
        (lists_that_broadcast, A([0.25, 0.45, -0.35])),
        (attributes_that_are_items, 0.7),
        (instance_dict_and_attributes, 0.7),
        (assertion_that_carries_a_value, 0.7),
    ],
)
def test_program(f, x):
    verify(f, x)


# -- arrays that a comparison made ---------------------------------------------------------------------------------


def mask_of_numbers(x):
    k = (x > 0) * 2.0
    k[:] = x
    return (k * k).sum() + (-k).sum()


def mask_copied_onto(x):
    k = (x > 0) + 0.0
    np.copyto(k, x)
    j = k if len(x) else 0
    return (j * k).sum()


def mask_by_elements(x):
    k = (x > 0) * 1.0
    for i in range(len(x)):
        k[i] = x[i]
    return (1.0 - k) @ k


def mask_changed_in_place(x):
    m = x > 0.0
    same = m
    y = x * m
    same |= x < 0.5
    z = x * m * 3.0
    m ^= True
    return (y + z + x * m * 7.0).sum()


def mask_as_a_key_changed_in_place(x):
    y = x * 1.0
    m = x > 0.0
    y[m] = x[m] * 2.0
    m |= True
    y[m] *= x
    return y.sum()


@pytest.mark.parametrize(
    "f",
    [mask_of_numbers, mask_copied_onto, mask_by_elements, mask_changed_in_place, mask_as_a_key_changed_in_place],
)
def test_arrays_made_by_comparisons(f):
    verify(f, np.array([0.3, -0.4, 0.7]))
