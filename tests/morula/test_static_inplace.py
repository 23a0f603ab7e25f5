"""Functions that write into the arrays they are given, by slices or as a whole: callers see it, by every name."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def sine_of_first(x, d):
    x[0:2] = np.sin(x[0:2]) * d
    return x


def shifted(x, d):
    x[0] = x[0] * d
    x[1:] += d
    return x


def ends(u):
    u[0] = 0.0
    u[-1] = u[-2]


def edges(u):
    u[0, :] = 0.0
    u[:, -1] = u[:, -2]


def halved(u):
    u[1:] *= 0.5


def right_hand(u, out):
    out[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
    out[0] = 0.0
    out[-1] = 0.0


class Grid:
    def __init__(self, u):
        self.u = u
        self.du = np.zeros_like(u)

    def ends(self):
        self.u[0] = 0.0
        self.u[-1] = self.u[-2]

    def sine_of_first(self, dt):
        u = self.u
        self.du[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
        self.u += dt * self.du
        self.bc()


def scaled(u, s=0.5):
    u[1:] *= s


def scaled_and_returned(u, s=0.5):
    u[1:] *= s
    return u


def sine_and_sum(u):
    u[1:] = np.sin(u[1:])
    return u.sum()


def where_large(u, s):
    if s > 0.5:
        u[:2] = u[:2] * s
        return
    u[2:] = 0.0


def of_a_new_array(u):
    u = u * 2.0
    u[1:] = 0.0


def and_of_a_new_array(u):
    u[1:] *= 3.0
    u = u * 2.0
    u[:1] = 0.0


def both(u, v):
    u[1:] *= 0.5
    v[:2] += u[:2]


def both_read_later(u, v):
    u[1:] *= 0.5
    return v.sum()


def raising(u, s):
    u[1:] *= 0.5
    if s > 0.5:
        raise ValueError
    u[:1] *= 3.0


def nested(u):
    u[:1] *= 2.0
    scaled(u, 0.3)
    u += 1.0


def nested_twice(u, v):
    scaled(u)
    scaled(v, 0.2)
    both(u, v)


def keeping(u, kept):
    kept.append(u)
    u[1:] *= 0.5


def cosine(u):
    u[:] = np.cos(u)


def squared(u):
    u[...] = u * u


def augmented(u, v):
    u += v
    u *= 0.5


def leaving(u):
    for k in range(3):
        u[1:] *= 0.9
        if u[0] > 0.5:
            return k
    u[:1] = 0.0
    return 7


def step_both(u):
    scaled(u)
    cosine(u)


def by_name_inside(u, v):
    w = v
    u[1:] *= 0.5
    return w.sum()


def via_tuple(u, t):
    u[1:] *= 0.5
    return t[0].sum() + t[1]


def via_list(u, given):
    u[1:] *= 0.5
    return given[0].sum()


def via_default(u, v=None):
    v = u if v is None else v
    u[1:] *= 0.5
    return v.sum()


def via_star(*us):
    us[0][1:] *= 0.5
    return us[1].sum()


def via_kw(**k):
    k["u"][1:] *= 0.5
    return k["v"].sum()


def via_views(u, v):
    u[1:] *= 0.5
    return v.sum()


def rolled(i):
    i[:2] = i[2:]


def of_three_numbers(a):
    x = np.array([a[0], a[1], a[2]])
    for _ in range(3):
        x = sine_of_first(x, a[3])
    return x.sum()


def two_writes(a):
    x = a * 2.0
    for _ in range(3):
        x = shifted(x, a[3])
    return x.sum()


def two_arrays_in_turn(a):
    x = a.copy()
    y = a * 1.5
    for _ in range(3):
        x = shifted(x, a[3])
        y = shifted(y, 2.0)
    return (x * y).sum()


def matrix(a):
    X = np.outer(a, a)
    for _ in range(3):
        X = shifted(X, 0.5)
    return X.sum()


def column(a):
    X = np.array([[a[0]], [a[1]], [a[2]], [1.0]])
    for _ in range(3):
        X = shifted(X, 0.5)
    return (X**2).sum()


def boundary_of_vector(a):
    u = np.outer(a, a).ravel()
    for _ in range(4):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        ends(u)
    return (u**2).sum()


def boundaries_of_two_matrices(a):
    u = np.outer(a, a)
    v = u * 2.0
    for _ in range(4):
        edges(u)
        edges(v)
        u[1:, 1:] = v[1:, 1:] * 0.5
    return (u * v).sum()


def halved_in_loop(a):
    u = a * 2.0
    for _ in range(3):
        halved(u)
    return (u**2).sum()


def right_hand_side(a):
    u = np.outer(a, a).ravel()
    du = np.zeros_like(u)
    for _ in range(4):
        right_hand(u, du)
        u += 0.1 * du
    return (u**2).sum()


def right_hand_side_once(a):
    u = np.outer(a, a).ravel()
    du = np.zeros_like(u)
    right_hand(u, du)
    u += 0.1 * du
    halved(u)
    return (u**2).sum()


def arrays_of_an_object(a):
    g = Grid(np.outer(a, a).ravel())
    for _ in range(4):
        right_hand(g.u, g.du)
        g.u += 0.1 * g.du
        ends(g.u)
    return (g.u**2).sum()


def second_name(a):
    u = a * 2.0
    w = u
    scaled(u)
    return w.sum() * u[0]


def view_before(a):
    u = a * 2.0
    w = u[1:]
    scaled(u)
    return w.sum() * u[0]


def one_array_twice(a):
    u = a * 2.0
    both(u, u)
    return (u**2).sum()


def one_array_twice_read_later(a):
    u = a * 2.0
    t = both_read_later(u, u)
    return t * u[0]


def within_a_sum(a):
    u = a * 2.0
    t = u.sum() + sine_and_sum(u) * u[1]
    return t * u[2]


def result_is_the_array(a):
    u = a * 2.0
    v = scaled_and_returned(u)
    v[:1] = 0.0
    return (u * v).sum() + u[0]


def exception_caught(a):
    u = a * 2.0
    try:
        raising(u, a[0])
    except ValueError:
        u[0] += 1.0
    return (u**2).sum()


def exception_and_read(a):
    u = a * 2.0
    try:
        raising(u, a[0])
    except ValueError:
        u = u * 3.0
    return (u**2).sum()


def helper_of_helper(a):
    u = a * 2.0
    for _ in range(3):
        nested(u)
    return (u**2).sum()


def helpers_of_helper(a):
    u = a * 2.0
    v = a + 1.0
    for _ in range(3):
        nested_twice(u, v)
    return (u * v).sum()


def kept_in_a_list(a):
    u = a * 2.0
    kept = []
    for _ in range(3):
        keeping(u, kept)
        u = u * 1.5
    return sum((x**2).sum() for x in kept)


def captured(a):
    u = a * 2.0
    f = lambda: u.sum()
    scaled(u)
    return f() * u[1]


def captured_and_written(a):
    u = a * 2.0

    def inner(s):
        u[1:] *= s

    inner(0.5)
    scaled(u)
    return (u**2).sum()


def by_branches(a):
    u = a * 2.0
    if a[0] > 0.5:
        scaled(u)
    else:
        cosine(u)
    return (u**2).sum()


def second_name_in_loop(a):
    u = a * 2.0
    z = a * 1.0
    for _ in range(3):
        scaled(u)
        z = z + u
        w = u
        cosine(w)
    return (u * z).sum()


def second_name_made_again(a):
    u = a * 2.0
    z = u
    t = 0.0
    for _ in range(3):
        t = t + z.sum()
        scaled(u)
        z = u
    return t


def bound_anew(a):
    u = a * 2.0
    of_a_new_array(u)
    and_of_a_new_array(u)
    return (u**2).sum()


def returns_early(a):
    u = a * 2.0
    for k in range(3):
        where_large(u, a[k])
    return (u**2).sum()


def left_out_of_a_loop(a):
    u = a * 2.0
    n = leaving(u)
    return (u**2).sum() * (n + 1)


def within_a_comprehension(a):
    u = a * 2.0
    found = [sine_and_sum(u) for _ in range(3)]
    return found[0] + found[2] * u[1]


def within_a_test(a):
    u = a * 2.0
    n = 0
    while sine_and_sum(u) > 0.3 and n < 5:
        n += 1
    return (u**2).sum()


def argument_of_all(a):
    scaled(a)
    return (a**2).sum()


def within_a_tuple(a):
    u = a * 2.0
    t = (sine_and_sum(u), u[1], sine_and_sum(u))
    return t[0] * t[1] + t[2] * u[2]


def perhaps_the_array(a):
    u = a * 2.0
    v = u
    v = v * 1.0 if a[1] > 5 else v
    scaled(v)
    return (u**2).sum() + v[1]


def rows_and_columns(a):
    M = np.outer(a, a)
    scaled(M[0])
    scaled(M[:, 1])
    squared(M)
    return M.sum()


def added_to_itself(a):
    u = a * 2.0
    augmented(u, u)
    augmented(u, a)
    return (u**2).sum()


def swapped(a):
    u = a * 2.0
    v = a * 3.0
    for _ in range(3):
        scaled(u)
        u, v = v, u
        cosine(u)
    return (u * v).sum() + v[1]


def in_a_dict(a):
    u = a * 2.0
    d = {"u": u}
    scaled(u)
    return d["u"].sum() * u[1]


def copies_and_names(a):
    u = a * 2.0
    x = u.copy()
    y = x
    scaled(x)
    scaled(u, s=0.25)
    return (y * u).sum()


def result_and_second_name(a):
    u = a * 2.0
    t = u
    u = scaled_and_returned(u)
    s1 = t.sum()
    t = scaled_and_returned(s=0.1, u=t)
    return s1 * u.sum()


def before_inner_loop(a):
    u = a * 2.0
    for _ in range(2):
        x = u
        for _ in range(2):
            scaled(u)
        u = x + 1.0
    return u.sum() * x.sum()


def by_a_function_given(a):
    u = a * 2.0

    def apply(f, x):
        f(x)
        return x.sum()

    t = apply(scaled, u)
    return t * u[1] + apply(cosine, u)


def two_helpers(a):
    u = a * 2.0
    for _ in range(3):
        step_both(u)
    return (u**2).sum()


def name_inside(a):
    u = a * 2.0
    t = by_name_inside(u, u)
    return t * u[1]


def in_a_tuple_given(a):
    u = a * 2.0
    t = via_tuple(u, (u, 1.0))
    return t * u[1]


def in_a_list_given(a):
    u = a * 2.0
    t = via_list(u, [u])
    return t * u[1]


def by_default(a):
    u = a * 2.0
    t = via_default(u)
    return t * u[1]


def starred(a):
    u = a * 2.0
    t = via_star(u, u)
    return t * u[1]


def by_keywords(a):
    u = a * 2.0
    t = via_kw(u=u, v=u)
    return t * u[1]


def view_given(a):
    u = a * 2.0
    t = via_views(u, u[1:])
    return t * u[1]


def of_a_view(a):
    u = a * 2.0
    t = via_views(u[:3], u)
    return t * u[1]


def captured_by_what_is_called(a):
    u = a * 2.0

    def run():
        scaled(u)
        return u.sum()

    t = run()
    scaled(u)
    return t * u[1]


def transposed_before(a):
    u = np.outer(a, a)
    v = u.T
    scaled(u)
    return (v * np.arange(4.0)).sum()


def transposed_given(a):
    u = np.outer(a, a)
    t = via_views(u, u.T)
    return t * u[1, 2]


def flat_given(a):
    u = np.outer(a, a)
    t = via_views(u, u.ravel())
    return t * u[1, 2]


def names_and_copies_given(a):
    u = a * 2.0
    x, y = u, u * 1.0
    t = via_views(x, y) + 0.0
    both(y, x)
    return t * (x * y).sum()


def integers(a):
    idx = np.array([0, 1, 2, 3])

    def roll(i):
        i[:2] = i[2:]

    roll(idx)
    return (a[idx] * np.arange(1.0, 5.0)).sum()


def truth_values(a):
    m = np.array([True, False, True, False])
    rolled(m)
    return a[m].sum() + np.where(m, a, 2.0).sum()


def continue_and_break(a):
    u = a * 2.0
    for k in range(3):
        if k == 1:
            continue
        scaled(u)
        if k == 2:
            break
        cosine(u)
    return (u**2).sum()


def within_an_if(a):
    u = a * 2.0
    if both_read_later(u, a) > 1.0:
        scaled(u)
    return (u**2).sum()


def returned(a):
    u = a * 2.0
    return sine_and_sum(u) * 2.0


def perhaps_a_new_array(a):
    u = a * 2.0
    v = u if a[0] > 0 else u + 1.0
    scaled(v)
    return (u * v).sum()


class Keeper:
    def __init__(self):
        self.x = np.zeros(4)
        self.t = (np.zeros(4), 0.0)


def put_in_slot(h, u):
    u[1:] *= 0.7
    h.x = u


def put_in_tuple(h, u):
    u[1:] *= 0.7
    h.t = (u, 1.0)


def put_in_list(given, u):
    u[1:] *= 0.7
    given[0] = u


def put_in_dict(d, u):
    u[1:] *= 0.7
    d["w"] = u


def put_by_helper(h, u):
    u[1:] *= 0.7
    put_in_tuple(h, u)


def put_view(h, u):
    u[1:] *= 0.7
    h.t = (u[::-1], 1.0)


def put_twice(h, u):
    w = u * 2.0
    w[1:] *= 0.7
    h.x = w
    h.t = (w, 1.0)


def put_in_slot_and_dict(h, d, u):
    w = u * 2.0
    h.x = w
    d["w"] = w
    return w[0]


def put_by_name(h, u):
    u[1:] *= 0.7
    v = u
    h.x = v
    return v[0]


def slot_of_object(a):
    h = Keeper()
    u = a * 2.0
    put_in_slot(h, u)
    u[1:] *= 0.5
    return h.x.sum() * u[1]


def tuple_of_object(a):
    h = Keeper()
    u = a * 2.0
    put_in_tuple(h, u)
    u[1:] *= 0.5
    return h.t[0].sum() * u[1]


def item_of_list(a):
    given = [a * 1.0, a]
    u = a * 2.0
    put_in_list(given, u)
    u[1:] *= 0.5
    return given[0].sum() * u[1]


def item_of_dict(a):
    d = {"w": a * 1.0}
    u = a * 2.0
    put_in_dict(d, u)
    u[1:] *= 0.5
    return d["w"].sum() * u[1]


def kept_by_helper_of_helper(a):
    h = Keeper()
    u = a * 2.0
    put_by_helper(h, u)
    u += 0.5
    return h.t[0].sum() * u[1]


def kept_view(a):
    h = Keeper()
    u = a * 2.0
    put_view(h, u)
    u += 0.5
    return h.t[0][0] * u[1]


def kept_twice(a):
    h = Keeper()
    put_twice(h, a)
    h.x += 0.5
    return h.t[0].sum() * h.x[1]


def slot_and_dict(a):
    h = Keeper()
    d = {"w": a}
    t = put_in_slot_and_dict(h, d, a)
    h.x += 0.5
    return d["w"].sum() * h.x[1] * t


def kept_by_second_name(a):
    h = Keeper()
    u = a * 2.0
    t = put_by_name(h, u)
    u[1:] *= 0.5
    return h.x.sum() * u[1] * t


def two_kept_in_turn(a):
    h = Keeper()
    u = a * 2.0
    v = a * 3.0
    put_in_slot(h, u)
    put_in_slot(h, v)
    u[1:] *= 0.5
    return h.x.sum() * u[1] * v[2]


def swapped_and_kept(a):
    h = Keeper()
    u = a * 2.0
    v = a * 3.0
    for _ in range(2):
        put_in_tuple(h, u)
        u, v = v, u
    u[1:] *= 0.5
    v[1:] *= 0.25
    return h.t[0].sum() * u[1] * v[2]


def dict_is_written(a):
    h = Keeper()
    d = {"w": a}
    t = put_in_slot_and_dict(h, d, a)
    d["w"] += 0.5
    return d["w"].sum() * h.x[1] * t


def read_from_slot(a):
    h = Keeper()
    put_twice(h, a)
    w = h.x
    w[1:] *= 0.5
    return h.t[0].sum() * h.x[1]


TAKEN = [
    of_three_numbers,
    two_writes,
    two_arrays_in_turn,
    matrix,
    column,
    boundary_of_vector,
    boundaries_of_two_matrices,
    halved_in_loop,
    right_hand_side,
    right_hand_side_once,
    helper_of_helper,
    by_branches,
    second_name_made_again,
    returns_early,
    left_out_of_a_loop,
    two_helpers,
    integers,
    truth_values,
    continue_and_break,
    returned,
]
OTHERS = [
    slot_of_object,
    tuple_of_object,
    item_of_list,
    item_of_dict,
    kept_by_helper_of_helper,
    kept_view,
    kept_twice,
    slot_and_dict,
    kept_by_second_name,
    two_kept_in_turn,
    swapped_and_kept,
    dict_is_written,
    read_from_slot,
    arrays_of_an_object,
    second_name,
    view_before,
    one_array_twice,
    one_array_twice_read_later,
    within_a_sum,
    result_is_the_array,
    exception_caught,
    exception_and_read,
    helpers_of_helper,
    kept_in_a_list,
    captured,
    captured_and_written,
    second_name_in_loop,
    bound_anew,
    within_a_comprehension,
    within_a_test,
    argument_of_all,
    within_a_tuple,
    perhaps_the_array,
    rows_and_columns,
    added_to_itself,
    swapped,
    in_a_dict,
    copies_and_names,
    result_and_second_name,
    before_inner_loop,
    by_a_function_given,
    name_inside,
    in_a_tuple_given,
    in_a_list_given,
    by_default,
    starred,
    by_keywords,
    view_given,
    of_a_view,
    captured_by_what_is_called,
    transposed_before,
    transposed_given,
    flat_given,
    names_and_copies_given,
    within_an_if,
    perhaps_a_new_array,
]
POINTS = [[0.7, 0.3, -0.4, 1.1], [0.2, -0.6, 0.55, 0.8]]


@pytest.mark.parametrize("f", TAKEN, ids=lambda f: f.__name__)
def test_what_comes_back_is_what_the_function_has_written(f):
    for a in POINTS:
        check_static(f, [np.array(a)])


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_every_other_name_of_the_array_sees_it(f):
    for a in POINTS:
        eager, static = (found_by(tier, f, [np.array(a)]) for tier in ("eager", "static"))
        assert repr(static.value) == repr(eager.value)
        assert alike(static.gradient, eager.gradient)
