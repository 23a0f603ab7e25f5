"""Several threads at once: the same function, different ones, new ones, pullbacks that are shared.

Threads change places as often as the interpreter lets them. What each call must give is known in closed form, or was
computed by the same program in one thread.
"""

import math
import sys
import threading
import traceback

import numpy as np
import pytest
from morula_helpers import module_of

import chainrules
import morula
from morula.eager.calls import short_ways
from morula.eager.context import taking_turns

CALLS = 10_000
PATIENCE = 120  # seconds, after which a thread counts as stuck


@pytest.fixture(autouse=True)
def _frequent_switches():
    before, limit = sys.getswitchinterval(), sys.getrecursionlimit()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
    assert sys.getrecursionlimit() == limit, "the recursion limit is not what it was"


def in_threads(n, work, *barriers):
    """Run ``work(i)`` in `n` threads that start together; errors of any of them are raised here.

    `barriers` are those that `work` waits at: nobody waits for a thread that has failed.
    """
    errors = []
    start = threading.Barrier(n)

    def run(i):
        try:
            start.wait(PATIENCE)
            work(i)
        except BaseException:
            errors.append(traceback.format_exc())
            for barrier in barriers:
                barrier.abort()

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(PATIENCE)
    assert not errors, "\n".join(errors)
    assert not any(t.is_alive() for t in threads), "a thread is stuck"


# -- programs, with their gradients ----------------------------------------------------------------------------


def polynomial(x):
    y = 0.0
    for k in range(4):
        y = y * x + k
    return y


def polynomial_bar(x):  # y = x**2 + 2 x + 3
    return 2 * x + 2


def branches(x):
    y = [math.sin(x)]
    if x > 1:
        y.append(x * x)
    else:
        y.append(3 * x)
    return sum(y)


def branches_bar(x):
    return math.cos(x) + (2 * x if x > 1 else 3)


def squares(n, x):
    for i in range(n):
        yield i * x * x


def generated(x):
    total = 0.0
    for y in squares(4, x):
        total += y
    return total


def generated_bar(x):
    return 12 * x


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        self.k = self.k * x
        return self.k


def objects(x):
    s = Scale(x)
    s(x)
    return s(2.0) + (lambda z: z * x)(x)


def objects_bar(x):
    return 6 * x


def caught(x):
    y = x
    try:
        y = y * x
        if x > 1:
            raise ValueError(y * 2)
        y = y + x
    except ValueError as error:
        y = y + error.args[0]
    return y


def caught_bar(x):
    return 6 * x if x > 1 else 2 * x + 1


SCALARS = [
    (polynomial, polynomial_bar), (branches, branches_bar), (generated, generated_bar), (objects, objects_bar),
    (caught, caught_bar),
]  # fmt: skip


def written(x):
    y = np.zeros(3)
    y[0] = x[0] * x[1]
    y[1:] = x[1:] * y[0]
    y *= x
    x[0] = y[2]
    return y.sum() + x[0]


def written_bar(x):
    a, b, c = x  # y = (a² b, a b³, a b c²), and the third again
    return np.array([2 * a * b + b**3 + 2 * b * c**2, a**2 + 3 * a * b**2 + 2 * a * c**2, 4 * a * b * c])


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize(("f", "f_bar"), SCALARS, ids=[f.__name__ for f, _ in SCALARS])
def test_the_same_function_on_different_arguments(f, f_bar, n):
    def work(i):
        for j in range(CALLS // n // len(SCALARS)):
            x = 0.5 + 0.25 * i + (j % 7) / 4
            (g,) = morula.gradient(f, x)
            assert math.isclose(g, f_bar(x), rel_tol=1e-12)

    in_threads(n, work)


@pytest.mark.parametrize("n", [2, 4])
def test_different_functions(n):
    def work(i):
        for j in range(CALLS // n):
            f, f_bar = SCALARS[(i + j) % len(SCALARS)]
            x = 0.5 + 0.25 * i + (j % 7) / 4
            value, (g,) = morula.withgradient(f, x)
            assert math.isclose(g, f_bar(x), rel_tol=1e-12) and value == f(x)

    in_threads(n, work)


@pytest.mark.parametrize("n", [2, 4])
def test_writes_into_arrays(n):
    def work(i):
        rng = np.random.default_rng(i)
        for _ in range(CALLS // n // 5):
            x = rng.uniform(0.5, 1.5, 3)
            mine, kept = x.copy(), x.copy()
            (g,) = morula.gradient(written, mine)
            assert np.allclose(g, written_bar(x), rtol=1e-12) and np.array_equal(mine, kept)
            _, back = morula.pullback(written, mine)
            after = mine.copy()
            assert np.array_equal(back(1.0)[0], back(1.0)[0]) and np.array_equal(mine, after)
            written(kept)
            assert np.array_equal(after, kept)

    in_threads(n, work)


def test_one_argument_of_many_threads():
    """An array that nobody writes into may be everybody's."""
    x = np.random.default_rng(0).uniform(0.5, 1.5, (3, 4))
    kept = x.copy()

    def work(i):
        def f(a):
            y = a.copy()
            y[1:] += y[:-1] * (i + 1)
            return (y * a).sum()

        wanted = morula.gradient(f, kept.copy())[0]
        for _ in range(CALLS // 20):
            assert np.array_equal(morula.gradient(f, x)[0], wanted)

    in_threads(4, work)
    assert np.array_equal(x, kept)


def test_one_container_of_many_threads():
    """Nor do containers and objects that are read only remember who differentiates them."""
    state = {"w": [1.0, np.array([2.0, 3.0])], "s": Scale(4.0)}

    def work(i):
        def f(state, x):
            a, b = state["w"]
            return a * x + (b * b).sum() * (i + 1) + state["s"].k * x * i

        for j in range(CALLS // 20):
            x = 1.0 + j % 5
            state_bar, x_bar = morula.gradient(f, state, x)
            assert state_bar["w"][0] == x and state_bar["w"][1].tolist() == [4.0 * (i + 1), 6.0 * (i + 1)]
            assert state_bar["s"].k == x * i and x_bar == 1.0 + 4.0 * i

    in_threads(4, work)


# -- the first call of a function ------------------------------------------------------------------------------

FRESH = """
import math

def inner(x, k=2.0):
    return math.sin(x) * k

def generator(x, n):
    for i in range(n):
        yield x * i

class Model:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x

def f(x):
    def nested(y):
        return [inner(y, k=v) for v in (x, 1.0)]
    total = sum(generator(x, 3))
    return total + sum(nested(x)) + Model(x)(3.0) + (lambda z: z * z)(x)
"""


def fresh_bar(x):
    return 3 + math.sin(x) + x * math.cos(x) + math.cos(x) + 3 + 2 * x


@pytest.mark.parametrize("n", [2, 4])
def test_first_calls_race(n):
    """Every round differentiates functions that nobody has transformed yet, in all threads at once."""
    rounds = 20
    modules = [module_of(FRESH.replace("3.0", f"{3 + r}.0"), f"fresh {n} {r}") for r in range(rounds)]
    together = threading.Barrier(n)

    def work(i):
        for r, module in enumerate(modules):
            together.wait(PATIENCE)
            for x in (0.5 + i, 1.5 + i):
                (g,) = morula.gradient(module.f, x)
                assert math.isclose(g, fresh_bar(x) + r, rel_tol=1e-12)

    in_threads(n, work, together)


def test_templates_are_forgotten_meanwhile():
    """`refresh` empties every cache while other threads are in the middle of a call."""
    done = threading.Event()

    def work(i):
        if i == 0:
            while not done.is_set():
                morula.refresh()
            return
        try:
            for j in range(30):
                f, f_bar = SCALARS[j % len(SCALARS)]
                x = 0.5 + (j % 7) / 4
                assert math.isclose(morula.gradient(f, x)[0], f_bar(x), rel_tol=1e-12)
        finally:
            done.set()

    in_threads(2, work)


# -- rules that are declared meanwhile --------------------------------------------------------------------------


def test_rules_are_declared_meanwhile():
    """Declarations for other functions disturb nobody; one's own hold from the next call on."""
    done = threading.Event()

    def declaring(i):
        for _ in range(CALLS // 50):

            def own(x, k):
                return k

            scale = float(i + 1)
            chainrules.rrule(own)(lambda x, k, scale=scale: (k * x, lambda bar: (scale * bar, None)))
            assert morula.gradient(lambda x, own=own: own(x, 2.0) * x, 3.0) == (3.0 * scale + 6.0,)

            def constant(x):
                return x

            chainrules.non_differentiable(constant)
            assert morula.gradient(lambda x, constant=constant: constant(x) * x, 3.0) == (3.0,)

    def work(i):
        if i < 2:
            try:
                declaring(i)
            finally:
                done.set()
            return
        j = 0
        while not done.is_set() or j < 100:
            j += 1
            f, f_bar = SCALARS[j % len(SCALARS)]
            x = 0.5 + (j % 7) / 4
            assert math.isclose(morula.gradient(f, x)[0], f_bar(x), rel_tol=1e-12)
            a = np.array([x, 2.0])
            assert np.allclose(morula.gradient(lambda a: np.dot(a, np.tanh(a)), a)[0], np.tanh(a) + a / np.cosh(a) ** 2)

    in_threads(4, work)


# -- exceptions, recursion, state of the interpreter -------------------------------------------------------------


class Failure(Exception):
    pass


def failing(x, depth):
    x[0] = x[0] * 2.0
    if depth == 0:
        raise Failure(depth)
    return failing(x, depth - 1)


def test_exceptions_are_each_threads_own():
    def work(i):
        for j in range(CALLS // 20):
            x = np.array([1.0 + i, 2.0])
            with pytest.raises(Failure) as caught:
                morula.gradient(failing, x, (i + j) % 5)
            assert x.tolist() == [1.0 + i, 2.0]
            names = [f.name for f in traceback.extract_tb(caught.tb)]
            assert names.count("failing") == (i + j) % 5 + 1
            with pytest.raises(morula.NotDifferentiable):
                morula.gradient(lambda x: memoryview(x)[0], x)
            assert math.isclose(morula.gradient(polynomial, 0.5)[0], 3.0)

    in_threads(4, work)


def deep(x, n):
    return x if n == 0 else deep(x, n - 1) * 1.0 + x


def test_recursion_is_as_deep_in_every_thread():
    """The recursion limit is raised while anybody runs, and is what it was when the last one is done."""
    depth = sys.getrecursionlimit() // 2

    def work(i):
        for j in range(15):
            n = depth - 10 * i if (i + j) % 2 else 5
            assert morula.gradient(deep, 0.5, n)[0] == n + 1

    in_threads(4, work)


def test_numpys_error_state_is_left_alone():
    """`back` computes with NumPy's warnings off, in its own thread only."""
    _, back = morula.pullback(lambda x: np.sqrt(x).sum(), np.zeros(2000))
    done = threading.Event()

    def work(i):
        if i == 0:
            try:
                for _ in range(300):
                    assert np.isinf(back(1.0)[0]).all()
            finally:
                done.set()
            return
        with np.errstate(divide="raise"):
            while not done.is_set():
                with pytest.raises(FloatingPointError):
                    np.ones(2) / np.zeros(2)
                assert np.geterr()["divide"] == "raise"

    in_threads(2, work)


# -- pullbacks that are shared ----------------------------------------------------------------------------------


def rewritten(x, y):
    u = x * 1.0
    for _ in range(5):
        u[1:] += u[:-1] * y
        u[::2] *= y
        x[:2] = u[:2]
    return u


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("f", [rewritten, lambda x, y: np.tanh(x * y) * x], ids=["writes", "pure"])
def test_one_pullback_of_many_threads(f, n):
    """Each gets the cotangents of its own seed, and memory is at last what it was at first."""
    x = np.linspace(0.5, 1.5, 20)
    value, back = morula.pullback(f, x, 1.1)
    after, kept = x.copy(), value.copy()
    seeds = [np.random.default_rng(i).normal(size=20) for i in range(n)]
    wanted = [back(seed) for seed in seeds]

    def work(i):
        for _ in range(CALLS // 20 // n):
            x_bar, y_bar = back(seeds[i])
            assert np.array_equal(x_bar, wanted[i][0]) and y_bar == wanted[i][1]
            x_bar[:] = np.nan  # it is the caller's own

    in_threads(n, work)
    assert np.array_equal(x, after) and np.array_equal(value, kept)
    fresh = morula.pullback(f, np.linspace(0.5, 1.5, 20), 1.1)[1](seeds[0])
    assert np.array_equal(fresh[0], wanted[0][0])


def test_hooks_and_rules_of_the_user():
    """Pullbacks of the user run once for each call of ``back``, with the seed of that call."""
    seen = [[] for _ in range(4)]
    mine = threading.local()

    def noted(bar):
        seen[mine.i].append(bar)
        return bar

    _, back = morula.pullback(lambda x: morula.hook(noted, x * x), 3.0)

    def work(i):
        mine.i = i
        for j in range(500):
            assert back(float(i + j)) == (6.0 * (i + j),)

    in_threads(4, work)
    assert seen == [[float(i + j) for j in range(500)] for i in range(4)]


def test_pullbacks_made_and_used_in_different_threads():
    """A pullback is no thread's own."""
    made = []
    lock = threading.Lock()

    def work(i):
        for j in range(CALLS // 40):
            x = np.array([1.0 + i, 2.0, 0.5 + j % 3])
            numbers = x.copy()
            pair = (numbers, morula.pullback(written, x)[1])
            with lock:
                made.append(pair)
                numbers, back = made.pop(len(made) // 2)
            assert np.allclose(back(1.0)[0], written_bar(numbers), rtol=1e-12)

    in_threads(4, work)
    assert not made


def summed_in_a_shared_buffer(buffer):
    def f(x):
        buffer[:] = x * x
        for _ in range(5):
            buffer[:] = np.sin(buffer) * 1.01
        return buffer.sum()

    return f


def test_two_pullbacks_over_one_memory():
    """Walking back rewinds memory for a while: two that rewind the same do so one after the other."""
    f = summed_in_a_shared_buffer(np.zeros(500))
    x = np.linspace(0.1, 1.0, 500)
    backs = [morula.pullback(f, x)[1] for _ in range(2)]
    wanted = backs[0](1.0)[0]
    together = threading.Barrier(2)

    def work(i):
        right = 0
        for _ in range(500):
            together.wait(PATIENCE)
            right += np.array_equal(backs[i](1.0)[0], wanted)
        assert right == 500

    in_threads(2, work, together)


def test_a_pullback_inside_of_itself():
    backs = []

    def again(bar):
        return backs[0](bar)[0]

    _, back = morula.pullback(lambda x: morula.hook(again, x) * x, 2.0)
    backs.append(back)
    with pytest.raises(morula.MorulaError, match="called by a hook or a pullback that it runs itself"):
        back(1.0)


# -- declarations ----------------------------------------------------------------------------------------------


def test_a_rule_declared_while_the_library_s_is_looked_up(monkeypatch):
    """The later declaration holds, although another thread has decided by the earlier one."""
    looked_up, declared = threading.Event(), threading.Event()
    plain = short_ways.rule_handler

    def slow(f, rule, n):
        handler = plain(f, rule, n)
        if f is np.rot90 and not looked_up.is_set():
            looked_up.set()
            declared.wait(PATIENCE)
        return handler

    monkeypatch.setattr(short_ways, "rule_handler", slow)

    def f(x):
        return np.rot90(x)

    def work(i):
        x = np.ones((2, 2))
        if i == 0:
            assert morula.pullback(f, x)[1](x)[0].tolist() == [[1.0, 1.0], [1.0, 1.0]]
            return
        looked_up.wait(PATIENCE)
        before = chainrules.rules_for(np.rot90)[0]
        try:
            chainrules.rrule(np.rot90)(lambda x: (x.copy(), lambda bar: (10.0 * bar,)))
            wanted = [[10.0, 10.0], [10.0, 10.0]]
            assert morula.pullback(f, x)[1](x)[0].tolist() == wanted
            declared.set()
            while threading.active_count() > alive:
                pass
            assert morula.pullback(f, x)[1](x)[0].tolist() == wanted
        finally:
            declared.set()
            chainrules.rrule(np.rot90)(before.function)

    alive = threading.active_count() + 1
    in_threads(2, work)


def test_declarations_for_one_function_at_once():
    """None is lost."""
    for _ in range(50):

        def f(x):
            return x

        def work(i, f=f):
            for j in range(5):
                kind = type(f"K{i}{j}", (float,), {})
                chainrules.rrule(f, kind)(lambda x: (x, lambda bar: bar))

        in_threads(4, work)
        assert len(chainrules.rules_for(f)) == 20


def test_a_program_may_choose_the_recursion_limit():
    limit = sys.getrecursionlimit()

    def f(x):
        sys.setrecursionlimit(limit + 123)
        return x * x

    try:
        assert morula.gradient(f, 3.0) == (6.0,)
        assert sys.getrecursionlimit() == limit + 123
    finally:
        sys.setrecursionlimit(limit)


# -- sweeps that wait for each other ---------------------------------------------------------------------------


def waiting_program(wait):
    """A program that writes into `memory`, and whose pullback runs `wait`."""

    def passed_on(x):
        return x * 1.0

    @morula.adjoint(passed_on)
    def _(x):
        def pullback(y_bar):
            wait()
            return (y_bar,)

        return x * 1.0, pullback

    def f(x, memory):
        memory[0] = x * x
        return passed_on(memory[0] * 3.0)

    return f


def test_a_pullback_that_waits_for_the_sweep_of_another_thread():
    found = []

    def wait():
        t = threading.Thread(
            target=lambda: found.append(morula.grad(waiting_program(lambda: None))(2.0, np.zeros(2))), daemon=True
        )
        t.start()
        t.join(PATIENCE)
        assert not t.is_alive()

    f = waiting_program(wait)

    def whole():
        found.append(morula.grad(f)(5.0, np.zeros(2)))

    t = threading.Thread(target=whole, daemon=True)
    t.start()
    t.join(2 * PATIENCE)
    assert found == [12.0, 30.0]


def test_two_sweeps_over_one_memory_that_wait_for_each_other(monkeypatch):
    monkeypatch.setattr(taking_turns, "PATIENCE", 1.0)
    shared = np.zeros(2)
    errors, found = [], []

    def other():
        try:
            morula.grad(waiting_program(lambda: None))(2.0, shared)
        except morula.MorulaError as error:
            errors.append(str(error))

    def wait():
        t = threading.Thread(target=other, daemon=True)
        t.start()
        t.join(PATIENCE)
        assert not t.is_alive()

    t = threading.Thread(target=lambda: found.append(morula.grad(waiting_program(wait))(5.0, shared)), daemon=True)
    t.start()
    t.join(2 * PATIENCE)
    assert found == [30.0]
    assert len(errors) == 1 and "the same memory" in errors[0]


# -- objects that other threads change while the engine looks for active parts ----------------------------------


class Board:
    def __init__(self):
        self.notes = {i: Note(i) for i in range(500)}
        self.kinds = set(self.notes.values())


class Note:
    def __init__(self, i):
        self.i = i


def test_objects_that_another_thread_changes_are_searched():
    board, stop = Board(), threading.Event()

    def change():
        i = 0
        while not stop.is_set():
            i += 1
            note = board.notes[1000 + i % 7] = Note(i)
            board.kinds.add(note)
            board.kinds.discard(board.notes.pop(1000 + (i + 3) % 7, None))
            setattr(board, f"extra{i % 5}", note)
            vars(board).pop(f"extra{(i + 2) % 5}", None)

    thread = threading.Thread(target=change, daemon=True)
    thread.start()
    try:
        for _ in range(20):
            assert morula.gradient(lambda x: x * min(sys.getsizeof(board), 1), 2.0) == (1.0,)
    finally:
        stop.set()
        thread.join(PATIENCE)
