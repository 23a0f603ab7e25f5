"""Arrays whose memory is not theirs alone: views, and what NumPy lets nobody write into."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

A = np.arange(9.0).reshape(3, 3)


def scaled(x, y):
    d = np.diag(np.eye(2) * y)
    d *= x
    return d.sum()


def added(x, y):
    d = np.broadcast_to(np.array([x, y]), (3, 2))
    d += 1.0
    return d.sum()


def item(x, y):
    d = np.diagonal(A * y)
    d[0] = x
    return d.sum()


def items(x, y):
    d = np.eye(20).diagonal() * 1.0
    e = np.diagonal(np.outer(d, d) * y).reshape(4, 5).T
    e[0] += x
    return e.sum()


def by_mask(x, y):
    d = np.diagonal(A * y)
    d[d > 1.0] = x
    return d.sum()


def by_callee(x, y):
    def doubled(v):
        v *= 2.0
        return v

    return doubled(np.diagonal(A * y)).sum() * x


def of_callee(x, y):
    def taken():
        return np.diag(A * y)

    d = taken()
    d += x
    return d.sum()


def in_list(x, y):
    rows = [np.diag(A * y)]
    rows[0] *= x
    return rows[0].sum()


def in_growing_list(x, y):
    rows = []
    for i in range(3):
        rows.append(np.diag(A * (y + i)))
    rows[1] *= x
    return rows[1].sum()


def in_dict(x, y):
    d = {"a": np.diag(A * y)}
    d["a"][1] = x
    return d["a"].sum()


class Held:
    def __init__(self, a):
        self.a = a


def in_object(x, y):
    held = Held(np.diag(A * y))
    held.a *= x
    return held.a.sum()


def on_one_branch(x, y):
    d = np.ones(3) * x
    if x < y:
        d = np.diag(A * y)
    d += 1.0
    return d.sum()


def late(x, y):
    d = np.ones(3) * x
    for i in range(3):
        d += y
        if i == 2:
            d = np.diag(A * y)
    d *= 2.0
    return d.sum()


def sorted_in_place(x, y):
    d = np.diag(A * y)
    d.sort()
    return d.sum() * x


def given_out(x, y):
    d = np.diag(A * y)
    np.multiply(d, x, out=d)
    return d.sum()


READ_ONLY = [
    scaled, added, item, items, by_mask, by_callee, of_callee, in_list, in_growing_list, in_dict, in_object,
    on_one_branch, late, sorted_in_place, given_out,
]  # fmt: skip


@pytest.mark.parametrize("f", READ_ONLY, ids=lambda f: f.__name__)
def test_what_is_read_only_is_not_written_into(f):
    with pytest.raises(ValueError, match="read-only"):
        f(1.5, 2.5)
    assert found_by("eager", f, (1.5, 2.5)) is found_by("static", f, (1.5, 2.5)) is ValueError


def read(x, y):
    d, e = np.diag(A * y), np.broadcast_to(np.array([x, y, x]), (3, 3))
    u = np.zeros(3)
    for i in range(3):
        u[i] += d[i] * e[0, i]
    return u.sum()


def copied(x, y):
    d = np.diag(A * y).copy()
    d *= x
    e = np.diag(A) + x
    e[0] = y
    return d.sum() + e.sum()


@pytest.mark.parametrize("f", [read, copied], ids=lambda f: f.__name__)
def test_what_is_read_only_is_read(f):
    check_static(f, (1.5, 2.5))


def summed_as_it_is(x, y):
    a = np.arange(8.0) * x
    b = np.einsum("i->i", a)
    b *= y
    return (a * np.arange(8)).sum()


def transposed_by_sum(x, y):
    a = np.arange(8.0).reshape(2, 4) * x
    b = np.einsum("ij->ji", a)
    b[1] *= y
    return (a * np.arange(8).reshape(2, 4)).sum()


@pytest.mark.parametrize("f", [summed_as_it_is, transposed_by_sum], ids=lambda f: f.__name__)
def test_a_sum_over_no_axis_is_a_view(f):
    eager, static = (found_by(tier, f, (1.5, 2.5)) for tier in ("eager", "static"))
    assert static.value == eager.value == f(1.5, 2.5)
    assert np.allclose(static.gradient, eager.gradient, rtol=1e-12)


def whole_in_list(x, y):
    a = np.arange(9.0) * x
    rows = [a]
    rows[0] -= 1.0
    return a.sum() * y


def rows_in_list(x, y):
    a = A * x
    rows = [a[0], a[1]]
    rows[0][1] = y
    rows[1] += y
    return a.sum()


def rows_in_growing_list(x, y):
    a, rows = A * x, []
    for i in range(3):
        rows.append(a[i])
    for r in rows:
        r[0] = y
        r += 1.0
    return a.sum()


def columns_in_list(x, y):
    a, columns = A * x, []
    for c in a.T:
        columns.append(c)
    columns[1][1] = y
    return a.sum()


def slices_in_list(x, y):
    a, parts = np.arange(9.0) * x, []
    for i in range(3):
        parts.append(a[i : i + 3])
    parts[0][1] = y
    parts[1] *= 2.0
    return a.sum()


def flat_in_list(x, y):
    a = A * x
    b = a.ravel()
    parts = [b]
    parts[0] -= y
    return a.sum()


def row_that_is_read_again(x, y):
    rows, a = [], np.arange(3.0) * x
    for _ in range(3):
        rows.append(a)
        a = a * y
    rows[0][1] = y
    return sum(r.sum() * i for i, r in enumerate(rows)) + a[1]


@pytest.mark.parametrize(
    "f",
    [
        whole_in_list, rows_in_list, rows_in_growing_list, columns_in_list, slices_in_list, flat_in_list,
        row_that_is_read_again,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_rows_of_lists_are_the_arrays_that_they_were(f):
    eager, static = (found_by(tier, f, (1.5, 2.5)) for tier in ("eager", "static"))
    assert repr(static.value) == repr(eager.value) == repr(f(1.5, 2.5))
    assert alike(static.gradient, eager.gradient)
