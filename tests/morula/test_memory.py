"""What the tape keeps, what it frees, and memory brought back after sweeps that stop anywhere."""

import gc
import tracemalloc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from morula_helpers import assert_same, keys_that_change, verify

import chainrules
import morula
from morula import gradient, pullback
from morula.eager.forward.levels import Level
from morula.eager.memory.buffers import Buffers

N, STEPS = 5000, 40


def heat(u0):
    u = u0.copy()
    for _ in range(STEPS):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return (u * u).sum()


def decay(u0):
    u = u0.copy()
    for _ in range(STEPS):
        u *= 1.5 - u
    return u.sum()


def peak(run):
    """The most bytes that `run` held at a time, beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("f", "kept"), [(heat, 1), (decay, 2)])
def test_the_peak_is_what_was_overwritten(f, kept):
    u0 = np.linspace(0.1, 0.9, N)
    gradient(f, u0)
    minimum = kept * STEPS * u0.nbytes
    peaks = [peak(lambda: gradient(f, u0)) for _ in range(3)]  # threads of other tests may allocate meanwhile
    assert min(peaks) < 1.3 * minimum


def test_the_way_back_frees_as_it_goes():
    """When the pullback of the first operation runs, nothing else is left."""
    alive = []

    def probe(x):
        return x * 1.0

    @morula.adjoint(probe)
    def _(x):
        def probe_pullback(y_bar):
            alive.append(tracemalloc.get_traced_memory()[0])
            return y_bar

        return x * 1.0, probe_pullback

    u0 = np.linspace(0.1, 0.9, N)
    pullback(lambda x: decay(probe(x)), u0)[1](1.0)  # a first call also makes the twins
    peak(lambda: gradient(lambda x: decay(probe(x)), u0))
    peak(lambda: pullback(lambda x: decay(probe(x)), u0)[1](1.0))
    _, once, again = alive
    assert once < 0.2 * again


# -- strict zeros while the tape is freed ----------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 5000])
def test_a_zero_kills_an_infinity_beside_large_arrays(n):
    x = np.linspace(0.0, 1.0, n)

    def f(x):
        s = np.sqrt(x**2).sum()  # at 0: 0 * inf
        t = (x[0] * 2.0) ** 2
        return s + np.sqrt(t) + (np.where(x > 0, np.sqrt(x), 0.0)).sum()

    (g,) = gradient(f, x)
    (g2,) = pullback(f, x)[1](1.0)
    np.testing.assert_array_equal(g, g2)
    assert g[0] == 0.0
    np.testing.assert_allclose(g[1:], 1.0 + 0.5 / np.sqrt(x[1:]))


def test_a_nan_met_before_the_first_large_array():
    """Scalars swept carelessly have made a NaN when the first large array is met: all is swept again."""
    x = np.linspace(0.0, 1.0, 5000)

    def f(x):
        y = np.sin(x)
        z = y[0] ** 2
        return np.sqrt(z) + y.sum()

    (g,) = gradient(f, x)
    np.testing.assert_allclose(g, np.cos(x))


def test_a_true_nan_stays():
    x = np.linspace(0.0, 1.0, 5000)
    (g,) = gradient(lambda x: (np.sqrt(x) * 2.0).sum() * float("nan"), x)
    assert np.isnan(g).all()


# -- sweeps that stop ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 5000])
@pytest.mark.parametrize("where", ["late", "early"])
def test_memory_after_a_rule_that_raises(n, where):
    class Broken(Exception):
        pass

    def broken(x):
        return x * 1.0

    @morula.adjoint(broken)
    def _(x):
        def broken_pullback(y_bar):
            raise Broken

        return x * 1.0, broken_pullback

    outside = np.zeros(n)

    def f(x):
        if where == "early":
            x = broken(x)
        else:
            x[1] = 7.0
        y = x
        y[:] = np.sin(y)
        outside[:] += y
        outside[1:3] *= 2.0
        y[0] = 3.0
        z = (broken(y) if where == "late" else y) * outside
        y[:2] = 1.0
        return z.sum()

    x = np.linspace(0.1, 1.0, n)
    x0 = x.copy()
    plain_outside = np.zeros(n)
    with pytest.raises(Broken):
        gradient(f, x)
    np.testing.assert_array_equal(x, x0)
    plain_outside, outside = outside.copy(), np.zeros(n)
    f(x0.copy())
    np.testing.assert_array_equal(outside, plain_outside)
    outside[:] = 0.0
    x = x0.copy()
    _, back = pullback(f, x)
    x1, outside1 = x.copy(), outside.copy()
    for _ in range(2):
        with pytest.raises(Broken):
            back(1.0)
        np.testing.assert_array_equal(x, x1)
        np.testing.assert_array_equal(outside, outside1)


@pytest.mark.parametrize("n", [6, 5000])
def test_keys_that_are_written_themselves(n):
    """Memory is brought back whatever masks and indices hold by then."""

    def f(x):
        return keys_that_change(x, 2.0)

    x = np.linspace(0.1, 1.03, n)
    if n < 100:
        verify(f, x)
    _, back = pullback(f, x)
    np.testing.assert_array_equal(back(1.0)[0], back(1.0)[0])
    np.testing.assert_array_equal(back(1.0)[0], gradient(f, x)[0])


def test_one_element_of_a_large_array():
    """Where little was written of a large array, little is saved of it."""
    table = np.zeros(100_000)

    def f(x):
        table[3] = 2.0
        y = table[:5] * x
        table[3] = 5.0
        return y.sum() * x

    assert gradient(f, 2.0) == (8.0,)
    assert table[3] == 5.0
    _, back = pullback(f, 2.0)
    assert back(1.0) == back(1.0) == (8.0,)
    assert table[3] == 5.0
    assert peak(lambda: back(1.0)) < 100_000


# -- augmented assignment, where the cotangent is changed in place too ------------------------------------------


def plus(x, u, v):
    u += v


def minus(x, u, v):
    u -= v * x[0]


def times(x, u, v):
    u *= v


def over(x, u, v):
    u /= v + 2.0


@pytest.mark.parametrize("change", [plus, minus, times, over])
@pytest.mark.parametrize(
    "parts",
    [
        lambda u, x: (u, x),
        lambda u, x: (u, u),
        lambda u, x: (u, u[::-1]),
        lambda u, x: (u[1:], u[:-1]),
        lambda u, x: (u[:-1], u[1:]),
        lambda u, x: (u[::-2], u[:2]),
        lambda u, x: (u, x[1]),
        lambda u, x: (u, x[1:2]),
        lambda u, x: (u.reshape(2, 2), x[:2]),
        lambda u, x: (u.reshape(2, 2).T, u[2:]),
        lambda u, x: (u[1:2], u[2:3]),
        lambda u, x: (u[3:3], x[1:1]),
        lambda u, x: (u, 2.5),
        lambda u, x: (u, 3),
        lambda u, x: (u, np.array([1.0, 2.0, 0.5, 3.0])),
        lambda u, x: (u, np.array([1, 2, 3, 4])),
    ],
)
@pytest.mark.parametrize("start", [lambda x: np.sin(x), lambda x: x, lambda x: np.full(4, 0.7)])
def test_augmented_assignment(change, parts, start):
    def f(x):
        u = start(x)
        before = u * 2.0
        kept = u * u
        change(x, *parts(u, x))
        after = np.exp(u)
        change(x, *parts(u, x))
        return (before * kept).sum() + after.sum() + (u * np.array([1.0, 3.0, 5.0, 7.0])).sum()

    verify(f, np.array([0.3, 0.5, 0.8, 1.1]))


def test_augmented_assignment_that_raises_for_what_it_has_written():
    def f(x):
        u = x * np.array([1.0, 0.0])
        try:
            with np.errstate(all="raise"):
                u /= np.array([2.0, 0.0])
        except FloatingPointError:
            u[1] = x[1]
        return u[0] * 3.0 + u[1]

    verify(f, np.array([0.3, 0.5]))


def test_augmented_assignment_of_another_shape_is_numpys_error():
    def f(x):
        u = x * 2.0
        try:
            u += np.ones(3)
        except ValueError as error:
            assert "could not be broadcast" in str(error)
        try:
            u *= np.ones((2, 2))
        except ValueError as error:
            assert "output" in str(error) or "broadcast" in str(error)
        return u.sum()

    verify(f, np.array([0.3, 0.5]))


# -- memory that somebody still sees is brought back, and only that -----------------------------------------------

BIG = 5000
SHELF: dict = {}


def in_a_list(u, x):
    SHELF["it"] = [u]


def a_view_of_it(u, x):
    SHELF["it"] = u[10:20]


def a_view_of_a_view(u, x):
    SHELF["it"] = u.reshape(50, 100)[3][::2]


def reversed_and_transposed(u, x):
    SHELF["it"] = (u[::-1], u.reshape(50, 100).T)


def in_a_closure(u, x):
    SHELF["it"] = lambda: u


def in_an_object(u, x):
    SHELF["it"] = SimpleNamespace(u=u)


def in_a_default(u, x):
    def f(v=u):
        return v

    SHELF["it"] = f


def in_a_generator(u, x):
    def g():
        yield 0
        yield u

    made = g()
    next(made)
    SHELF["it"] = made


def in_an_exception(u, x):
    try:
        raise KeyError(u)
    except KeyError as error:
        SHELF["it"] = error


def as_a_global(u, x):
    global SHELVED
    SHELVED = u


SHELVED = None


def nowhere(u, x):
    pass


def seen(it):
    if isinstance(it, np.ndarray):
        return it.copy()
    if isinstance(it, list | tuple):
        return [seen(v) for v in it]
    if isinstance(it, SimpleNamespace):
        return it.u.copy()
    if isinstance(it, KeyError):
        return it.args[0].copy()
    if hasattr(it, "send"):
        return next(it).copy()
    return it().copy() if callable(it) else it


@pytest.mark.parametrize(
    "keep",
    [
        in_a_list,
        a_view_of_it,
        a_view_of_a_view,
        reversed_and_transposed,
        in_a_closure,
        in_an_object,
        in_a_default,
        in_a_generator,
        in_an_exception,
        as_a_global,
        nowhere,
    ],
)
@pytest.mark.parametrize("how", ["elements", "slices", "in place", "all", "twice seen"])
def test_memory_that_outlives_the_call(keep, how):
    def f(x):
        global SHELVED
        u = np.zeros(BIG)
        u[5:25] = x[5:25]
        before = u * u
        keep(u, x)
        if how == "elements":
            for i in range(20):
                u[i] = x[i] * 2.0
        elif how == "slices":
            u[1:] = u[:-1] * x[1:]
        elif how == "in place":
            u *= x
            u[::2] += 1.0
        else:
            u[:] = np.sin(x)
        if how == "twice seen":
            return (u[:100] * before[:100]).sum() + (u[3:] * u[:-3]).sum()
        return (u * before).sum()

    x = np.linspace(0.1, 1.0, BIG)
    SHELF.clear()
    f(x)
    want = seen(SHELF["it"]) if SHELF else None if SHELVED is None else SHELVED.copy()
    SHELF.clear()
    y, back = pullback(f, x)
    (expected,) = back(1.0)
    SHELF.clear()
    (g,) = gradient(f, x)
    np.testing.assert_array_equal(g, expected)
    got = seen(SHELF["it"]) if SHELF else None if SHELVED is None else SHELVED
    np.testing.assert_equal(got, want)
    np.testing.assert_array_equal(x, np.linspace(0.1, 1.0, BIG))
    assert np.isclose(y, f(x.copy()))


def test_a_result_that_is_written_is_as_it_was():
    def f(x):
        u = x * 2.0
        u[1:] += u[:-1]
        return (u * u).sum(), u

    x = np.linspace(0.1, 1.0, BIG)
    value, g = morula.withgradient(f, x)
    want = f(x)
    np.testing.assert_array_equal(value[1], want[1])
    np.testing.assert_array_equal(g[0], pullback(f, x)[1]((1.0, None))[0])


def trajectory(x):
    rows = np.zeros((STEPS, N))
    rows[0] = x
    for i in range(1, STEPS):
        rows[i] = rows[i - 1] * 0.99
    return rows[-1].sum()


def test_what_nobody_sees_again_is_not_copied():
    """The rows, what they overwrote, their cotangent: three of them, and no fourth."""
    u0 = np.linspace(0.1, 0.9, N)
    gradient(trajectory, u0)
    assert peak(lambda: gradient(trajectory, u0)) < 3.4 * STEPS * u0.nbytes


def test_numpy_reads_what_it_has_just_written():
    """Rows that overlap with unequal strides are not buffered by NumPy: the plain result, or an error."""

    def f(x):
        m = np.array([x, x * 2.0, x * 3.0])
        m[1] = m.reshape(4, 3)[:, 1]
        return (m * m).sum()

    x = np.array([0.3, 0.5, 0.8, 1.1])
    with pytest.raises(morula.NotDifferentiable, match="assign a copy"):
        gradient(f, x)

    def inactive(x):
        m = np.arange(12.0).reshape(3, 4)
        y = m[1] * x
        m[1] = m.reshape(4, 3)[:, 1]
        return (y + m[1] * x).sum()

    verify(inactive, x)


def test_a_number_written_into_an_array_of_extended_precision():
    def f(x):
        wide = x.astype(np.longdouble)
        wide[2] = x.take(2)
        wide[1] = x[0] * 2.0
        wide[0] = np.float32(3.0) * x[1]
        return float((wide * wide).sum())

    verify(f, np.array([0.3, 0.5, 0.8, 1.1]), smooth=False)  # differences of float32 products


def test_what_a_call_made_dies_with_it():
    made = []

    def note(*objects):
        made.extend(map(weakref.ref, objects))

    chainrules.non_differentiable(note)

    def f(x):
        class Body:
            def __init__(self, mass):
                self.mass = mass

        big = np.zeros(10)
        body = Body(x[0])
        items = [lambda: big[0] * body.mass, {"k": body.mass}, {body.mass}]
        big[:] = x[0]
        note(Body, big, body, items[0])
        try:
            raise ValueError(body.mass)
        except ValueError as error:
            return items[0]() * error.args[0] + sum(items[2])

    x = np.array([0.3, 0.5])
    for run in (gradient, lambda f, x: pullback(f, x)[1](1.0)):
        made.clear()
        run(f, x)
        gc.collect()
        assert [r() for r in made] == [None] * 4


# -- headers of arrays ---------------------------------------------------------------------------------------------


def reshaped_by_assignment(x):
    y = np.arange(3.0)
    s = x * y
    y.shape = (3, 1)
    return s.sum()


def retyped_by_assignment(x):
    y = np.arange(3.0)
    s = x * y
    y.dtype = np.int64
    return s.sum()


def restrided_by_assignment(x):
    y = np.arange(9.0).reshape(3, 3).copy()
    s = y @ x
    y.strides = y.strides[::-1]
    return s[0] * s[1]


def reshaped_index(x):
    i = np.array([0, 1, 2, 0])
    s = x[i]
    i.shape = (2, 2)
    return (s * np.arange(4)).sum()


def reshaped_after_a_write(x):
    y = np.arange(4.0)
    s = x[0] * y
    y[3] = 7.0
    y.shape = (2, 2)
    return s.sum()


def resized(x):
    y = np.arange(3.0)
    s = x * y
    y.resize(2, refcheck=False)
    return s.sum()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "f",
    [
        retyped_by_assignment,
        restrided_by_assignment,
        resized,
    ],
)
def test_another_layout_for_an_array_in_use_is_refused(f):
    with pytest.raises(morula.NotDifferentiable, match="already been used"):
        gradient(f, np.array([0.3, 0.5, 0.8]))


def reshaped_in_use(x):
    y = x * x
    total, tail = y.sum(), y[1:]
    also = [y]
    y.shape = (2, -1)
    y[0, 1] *= 2
    tail[0] += 1.0
    y @= np.array([[1.0, 0.3], [0.2, -1.0]])
    also[0].shape = (4,)
    return (y * tail[0]).sum() * total + tail[1] * also[0][3]


def reshaped_argument(x):
    x.shape = (2, 2)
    return (x @ x).sum()


def reshaped_views(x):
    part = np.sin(x)[1:]
    column = part[:2]
    column.shape = (2, 1)
    column *= 3.0
    row = np.reshape(x * x, (4, 1))
    row.shape = (2, 2)
    return (column * np.array([1.0, -2.0])).sum() + part.prod() + (row @ row)[0, 1]


def reshaped_in_a_loop(x):
    y = x * np.array([1.0, 2.0, 3.0, 4.0])
    for _ in range(3):
        y.shape = (2, 2)
        y[:] = y @ y / 5.0
        y.shape = (4,)
        y[0] = y[1] * y[2]
    return (y**2).sum()


def reshaped_many(x):
    y = np.tile(x, 2000)
    y = y * y
    y.shape = (2000, 4)
    y[3] *= 2
    first = (y @ x).sum()
    y.shape = (-1,)
    y += 1.0
    return first * (y[::7] ** 2).mean()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "f",
    [
        reshaped_by_assignment,
        reshaped_index,
        reshaped_after_a_write,
        reshaped_in_use,
        reshaped_argument,
        reshaped_views,
        reshaped_in_a_loop,
        reshaped_many,
    ],
)
def test_a_shape_that_is_assigned(f):
    x = np.array([0.3, 0.5, 0.8, 1.1])[: 3 if f is reshaped_by_assignment else 4]
    want = np.array([(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(x.size)])
    given = x.copy()
    np.testing.assert_allclose(gradient(f, given)[0], want, rtol=1e-6)
    assert given.shape == x.shape
    _, back = pullback(f, x.copy())
    for seed in (1.0, 2.0):
        np.testing.assert_allclose(back(seed)[0], seed * want, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_result_keeps_the_shape_that_it_was_given():
    def f(x):
        y = 2 * x
        y.shape = (2, 2)
        return y

    y, back = pullback(f, np.arange(4.0))
    assert back(np.ones((2, 2)))[0].shape == (4,)
    assert y.shape == (2, 2)
    with pytest.raises(morula.NotDifferentiable, match="'shape' of an array that has already been used"):
        morula.jvp(f, (np.arange(4.0),), (np.ones(4),))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_another_layout_for_an_array_that_was_not_used():
    def f(x):
        y = np.arange(3.0)
        y.shape = (3, 1)
        return (y * x).sum()

    verify(f, np.array([0.3, 0.5, 0.8]))


@pytest.mark.parametrize("n", [3, 5000])
@pytest.mark.parametrize("lock", ["flags", "setflags", "argument", "view"])
def test_memory_that_is_locked_after_it_was_written(n, lock):
    def f(x):
        y = x if lock == "argument" else x.copy()
        y[0] = 2.0 * y[1]
        y[1:] *= y[:-1]
        part = y[:2]
        if lock == "setflags":
            y.setflags(write=False)
        elif lock == "view":
            part[1] = 3.0
            part.flags.writeable = False
        else:
            y.flags.writeable = False
        return (y**2).sum() + part[0]

    x = np.linspace(0.3, 1.0, n)
    before = x.copy()
    (g,) = gradient(f, x)
    np.testing.assert_array_equal(x, before)
    x = before.copy()
    _, back = pullback(f, x)
    after = x.copy()
    np.testing.assert_array_equal(back(1.0)[0], g)
    np.testing.assert_array_equal(back(1.0)[0], g)
    np.testing.assert_array_equal(x, after)
    assert x.flags.writeable == (lock != "argument")
    if n == 3:
        direction = np.array([1.0, -0.5, 0.7])
        slope = (f(before + 1e-6 * direction) - f(before - 1e-6 * direction)) / 2e-6
        np.testing.assert_allclose(g @ direction, slope, rtol=1e-6)


def test_an_argument_that_the_function_reads_from_an_object_is_a_constant_there():
    class Model:
        def __init__(self):
            self.w = np.array([2.0, 1.0])

        def loss(self, w):
            return (self.w @ w) ** 2

    model = Model()
    held = {"a": [model.w]}
    for f in (model.loss, lambda w: (held["a"][0] @ w) ** 2, lambda w: (model.w @ w) ** 2):
        assert_same(morula.gradient(f, model.w), (np.array([20.0, 10.0]),))


def test_arrays_that_their_shadows_keep_alive():
    """One of several shadows, as of nested derivatives, is freed and was the last to hold the array."""
    for k in range(6):
        x = np.zeros(3)
        root = Buffers().new(x)
        shadows = [Level().new_mirror(root) for _ in range(6)]
        del root.mirrors
        shadows[k].bar = x
        dies = weakref.ref(x)
        del x
        shadows[k] = None
        assert dies() is None
