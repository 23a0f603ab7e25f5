"""Memory that changes behind the engine's back: the gradient is that of the program that ran, or there is an error."""

import ctypes
import queue
import re
import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import morula
from morula import gradient, pullback

X = np.array([1.0, 5.0])
TABLE = np.array([2.0, 3.0])


# -- the user's writes between `pullback` and `back` -----------------------------------------------------------


def squares(x):
    return (x * x).sum()


def keeps_a_view(x):
    return (x[::-1][:2] * x[1:]).sum()


def keeps_a_table(x):
    return (x * TABLE).sum()


def keeps_a_factor(x):
    return x @ TABLE


def keeps_its_result(x):
    return np.exp(x)


def keeps_an_index(x):
    return x[INDEX].sum()


INDEX = np.array([1, 0, 1])


@pytest.mark.parametrize(
    ("f", "change"),
    [
        (squares, lambda x, y: x.__setitem__(0, 9.0)),
        (squares, lambda x, y: x[::-1].sort()),
        (keeps_a_view, lambda x, y: x.fill(2.0)),
        (keeps_a_table, lambda x, y: TABLE.__setitem__(1, 9.0)),
        (keeps_a_factor, lambda x, y: TABLE.__imul__(2.0)),
        (keeps_its_result, lambda x, y: y.__setitem__(0, 9.0)),
        (keeps_an_index, lambda x, y: INDEX.__setitem__(0, 0)),
    ],
)
def test_what_the_derivative_needs_was_changed(f, change):
    x = np.array([1.0, 5.0])
    y, back = pullback(f, x)
    seed = np.ones_like(y)
    before = [a.copy() for a in (x, TABLE, INDEX, np.asarray(y))]
    expected = back(seed)[0]
    change(x, y)
    with pytest.raises(morula.StaleMemoryError, match="changed after pullback"):
        back(seed)
    for a, old in zip((x, TABLE, INDEX, y), before, strict=True):
        if isinstance(a, np.ndarray):
            a[...] = old
    np.testing.assert_array_equal(back(seed)[0], expected)  # as it was: right again


def test_what_it_does_not_need_may_change():
    x = np.array([1.0, 5.0])
    y, back = pullback(lambda x: 3.0 * x + 1.0, x)
    x[0], y[0] = 7.0, 8.0
    np.testing.assert_array_equal(back(np.ones(2))[0], [3.0, 3.0])
    assert x[0] == 7.0 and y[0] == 8.0


def test_memory_that_was_written_may_be_written_on():
    def f(x):
        z = np.zeros(3)
        z[0] = x[0] * 2.0
        z[1:] = x
        return z

    x = np.array([1.0, 5.0])
    z, back = pullback(f, x)
    z[0] = 100.0
    np.testing.assert_array_equal(back(np.array([1.0, 1.0, 1.0]))[0], [3.0, 1.0])
    assert z.tolist() == [100.0, 1.0, 5.0]


# -- while the function runs -----------------------------------------------------------------------------------


def starts_a_thread(x):
    k = np.array([2.0, 3.0])
    y = x * k
    thread = threading.Thread(target=lambda: k.__setitem__(0, 50.0))
    thread.start()
    thread.join()
    return y.sum()


def starts_a_thread_with_arguments(x):
    k = np.array([2.0, 3.0])
    y = x * k
    thread = threading.Timer(0.0, overwrite, (k,))
    thread.start()
    thread.join()
    return y.sum()


def overwrite(a):
    a[0] = 50.0


def is_a_thread(x):
    class Overwrites(threading.Thread):
        def run(self):
            k[0] = 50.0

    k = np.array([2.0, 3.0])
    y = x * k
    thread = Overwrites()
    thread.start()
    thread.join()
    return y.sum()


def submits(x):
    k = np.array([2.0, 3.0])
    y = x * k
    with ThreadPoolExecutor(1) as pool:
        pool.submit(overwrite, k).result()
    return y.sum()


def hands_out_its_address(x):
    k = np.array([2.0, 3.0])
    y = x * k
    ctypes.memset(k.ctypes.data, 0, 8)
    return y.sum()


def hands_out_a_memoryview(x):
    k = np.array([2.0, 3.0])
    view = memoryview(k)
    y = x * k
    thread = threading.Thread(target=lambda: view.__setitem__(0, 9.0))
    thread.start()
    thread.join()
    return y.sum()


def writes_into_a_bytearray(x):
    raw = bytearray(16)
    k = np.frombuffer(raw)
    k[:] = [2.0, 3.0]
    y = x * k
    raw[:8] = struct.pack("d", 50.0)
    return y.sum()


def packs_into_a_bytearray(x):
    raw = bytearray(16)
    k = np.frombuffer(raw)
    k[:] = [2.0, 3.0]
    y = x * k
    struct.pack_into("d", raw, 0, 50.0)
    return y.sum()


def calls_back_from_c(x):
    k = np.array([2.0, 3.0])
    y = x * k
    re.sub("a", lambda m: (k.__setitem__(0, 50.0), "b")[1], "aa")
    return y.sum()


def calls_back_from_numpy(x):
    k = np.array([2.0, 3.0])
    y = x * k
    np.frompyfunc(lambda v: (k.__setitem__(0, v), v)[1], 1, 1)(50.0)
    return y.sum()


def calls_back_a_global(x):
    table = LARGE_TABLE
    y = x * table[:2]
    re.sub("a", touch, "aa")
    return y.sum()


LARGE_TABLE = np.full(100_000, 2.0)


def touch(match):
    LARGE_TABLE[0] += 1.0
    return "b"


@pytest.mark.parametrize(
    "f",
    [
        starts_a_thread,
        starts_a_thread_with_arguments,
        is_a_thread,
        submits,
        hands_out_its_address,
        hands_out_a_memoryview,
        writes_into_a_bytearray,
        packs_into_a_bytearray,
        calls_back_from_c,
        calls_back_from_numpy,
        calls_back_a_global,
    ],
)
def test_constants_overwritten_by_others(f):
    """The product was taken with what the constant was then."""
    want = [2.0, 2.0] if f is calls_back_a_global else [2.0, 3.0]
    for run in (gradient, lambda f, x: pullback(f, x)[1](1.0)):
        x = X.copy()
        try:
            (g,) = run(f, x)
        except morula.StaleMemoryError as error:
            assert "not transformed" in str(error)
        else:
            np.testing.assert_array_equal(g, want)
        finally:
            LARGE_TABLE[0] = 2.0
        np.testing.assert_array_equal(x, X)


def frombuffer_twice(x):
    raw = bytearray(16)
    a, b = np.frombuffer(raw), np.frombuffer(raw)
    a[0] = x[0]
    return b[0] * x[1]


def dlpack(x):
    a = np.zeros(2)
    b = np.from_dlpack(a)
    b[0] = x[0]
    return a[0] * x[1]


def erased_by_address(x):
    a = np.zeros(2)
    address = a.ctypes.data
    a[0] = x[0]
    ctypes.memset(address, 0, 8)
    return a[0] * x[1]


def written_through_a_memoryview(x):
    a = np.zeros(2)
    view = memoryview(a)
    a[0] = x[0]
    view[0] = 7.0
    return a[0] * x[1]


def written_by_a_thread(x):
    a = np.zeros(2)
    go = threading.Event()

    def write():
        go.wait(10.0)
        a[0] = 7.0

    thread = threading.Thread(target=write)
    thread.start()
    a[0] = x[0]
    try:
        go.set()
    finally:
        thread.join()
    return a[0] * x[1]


def read_by_a_thread(x):
    box, found = [], []
    go = threading.Event()

    def work():
        go.wait(10.0)
        found.append(box[0] * 2.0)

    thread = threading.Thread(target=work)
    thread.start()
    box.append(x[0])
    go.set()
    thread.join()
    return found[0] * x[1]


def a_variable_read_by_a_thread(x):
    v, found = 1.0, []
    go = threading.Event()

    def work():
        go.wait(10.0)
        found.append(v * 2.0)

    thread = threading.Thread(target=work)
    thread.start()
    v = x[0]
    go.set()
    thread.join()
    return found[0] * x[1] + v * 0.0


def queues_between_threads(x):
    inbox, outbox = queue.Queue(), queue.Queue()

    def work():
        outbox.put(inbox.get(timeout=10.0) * 2.0)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        inbox.put(x[0])
    finally:
        if inbox.empty():
            inbox.put(1.0)
    thread.join()
    return outbox.get() * x[1]


@pytest.mark.parametrize(
    "f",
    [
        frombuffer_twice,
        dlpack,
        erased_by_address,
        written_through_a_memoryview,
        written_by_a_thread,
        read_by_a_thread,
        a_variable_read_by_a_thread,
        queues_between_threads,
    ],
)
def test_active_memory_that_others_share(f):
    with pytest.raises(morula.MorulaError):
        gradient(f, X.copy())
    with pytest.raises(morula.MorulaError):
        pullback(f, X.copy())[1](1.0)


def test_a_thread_that_reaches_active_values_is_refused():
    def f(x):
        def work():
            x[0] = 7.0

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return x[0] * x[1]

    x = X.copy()
    with pytest.raises(morula.NotDifferentiable) as caught:
        gradient(f, x)
    assert "thread" in str(caught.value)
    assert "threading.Thread(target=work)" in "".join(caught.value.__notes__)
