"""Context managers: classes, generators, those of the standard library."""

import contextlib
import io
import threading
import warnings
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress

import numpy as np

from corpus import LOG, THREE, VECTOR, Programs, X, floats

program = Programs()


@program(X)
def yielded_by_a_manager(x):
    @contextmanager
    def cm():
        yield (x * 2)

    with cm() as v:
        return v


@program(X)
def manager_sees_list_change(x):
    acc = [1.0]

    @contextmanager
    def cm():
        yield acc[0]

    acc[0] = x
    with cm() as v:
        return v * x


@program(X)
def manager_sees_rebinding(x):
    acc = 1.0

    @contextmanager
    def cm():
        yield acc

    acc = x * x
    with cm() as v:
        return v * x


@contextmanager
def squared_inside(v):
    LOG.append("in")
    try:
        yield (v * v)
    finally:
        LOG.append("out")


@program(X)
def managers_of_values(x):
    with squared_inside(x) as v, squared_inside(v) as w:
        return v * w


@program(X)
def exception_through_a_manager(x):
    r = 0.0
    try:
        with squared_inside(x) as v:
            r += v
            raise ValueError
    except ValueError:
        r += x
    return r


@contextmanager
def noting_errors(xs):
    try:
        yield xs
    except ValueError as e:
        xs.append(e.args[0])


@program(X)
def manager_that_suppresses(x):
    xs = [x]
    with noting_errors(xs) as k:
        raise ValueError(x * x)
    return sum(xs)


@program(X)
def exit_stack(x):
    xs = []
    with ExitStack() as st:
        v = st.enter_context(squared_inside(x))
        st.callback(lambda q: xs.append(q * v), x)
        r = v
    return r + xs[0]


@program(X)
def suppress_after_writes(x):
    r = x
    with suppress(ZeroDivisionError):
        r = r * 2
        1 / 0  # noqa: B018
        r = 0
    return r * x


@program(floats(2, 3), want=floats(3, 2))
def suppress_a_division(x):
    s = 0.0
    with suppress(ZeroDivisionError):
        s += x[0]
        1 // 0  # noqa: B018
        s += 100 * x[0]
    return s * x[1]


@program(X)
def null_manager(x):
    with nullcontext(x * x) as v:
        return v


@program(X)
def closing_changes_the_object(x):
    class C:
        def __init__(s):
            s.v = x

        def close(s):
            s.v = s.v * 2

    c = C()
    with closing(c) as k:
        r = k.v
    return r + c.v


@program(X)
def manager_as_decorator(x):
    @contextmanager
    def cm():
        yield

    @cm()
    def g(v):
        return v * x

    return g(x)


@program(X)
def enter_gives_another_object(x):
    class R:
        def __init__(self, v):
            self.v = v

        def get(self):
            return self.v

    class M:
        def __init__(self, v):
            self.v = v
            self.out = 0.0

        def __enter__(self):
            self.r = R(self.v * 2)
            return self.r

        def __exit__(self, *e):
            self.out = self.r.v * x
            return False

    m = M(x)
    with m as r:
        y = r.get() * x
        r.v = x * x
    return y + m.out


@program(X)
def exit_swallows(x):
    class M:
        def __enter__(self):
            self.seen = 0.0
            return self

        def __exit__(self, t, e, tb):
            if t is ZeroDivisionError:
                return True
            if t is ValueError:
                self.seen = e.args[0] * 2
                return True

    with M() as m:
        y = x
        raise ValueError(x * x)
    with M() as k:
        1 / 0  # noqa: B018
    return m.seen * y + k.seen


@program(X)
def manager_catches_and_adds(x):
    @contextlib.contextmanager
    def m(v):
        box = [v]
        try:
            yield box
        except ValueError as e:
            box.append(e.args[0] * v)
        finally:
            box.append(v * 3)

    with m(x) as b:
        b.append(x * x)
        raise ValueError(x)
    return sum(b) * len(b)


@program(X)
def closing_and_redirecting(x):
    class Closer:
        def __init__(self, v):
            self.v = v

        def close(self):
            self.v = self.v * 2

    c = Closer(x)
    with contextlib.closing(c) as d:
        y = d.v * x
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.nullcontext(x * x) as z:
        print("hi", z > 0)
    return y + c.v * z + len(out.getvalue())


@program(X)
def contextdecorator(x):
    class T(contextlib.ContextDecorator):
        def __init__(self):
            self.n = 0

        def __enter__(self):
            self.n += 1
            return self

        def __exit__(self, *e):
            return False

    t = T()

    @t
    def f(v):
        return v * v

    @contextlib.contextmanager
    def cm():
        yield 1

    @cm()
    def g(v):
        return v * 3

    return f(x) * g(x) + f(2.0) + t.n


@program(X)
def managers_that_change_each_other(x):
    class T:
        def __enter__(s):
            s.v = x
            LOG.append("in")
            return s

        def __exit__(s, t, e, tb):
            LOG.append(t is None)
            s.v = s.v * 2
            return t is ValueError

    with T() as a, T() as b:
        a.v *= b.v
        raise ValueError
    return a.v * b.v


@program(X)
def stack_of_managers(x):
    class Tape:
        stack = []

        def __enter__(self):
            Tape.stack.append(self)
            self.v = x
            return self

        def __exit__(self, *e):
            Tape.stack.pop()
            Tape.total = getattr(Tape, "total", 0.0) + self.v

    with Tape() as a, Tape() as b:
        b.v = b.v * a.v
        n = len(Tape.stack)
    return Tape.total * n


@program(THREE)
def exit_changes_what_is_returned(x):
    class C:
        def __init__(self, v):
            self.v = v

        def __enter__(self):
            return self

        def __exit__(self, *e):
            self.v *= 3
            return True

    with C(x[0]) as c:
        c.v *= x[1]
        raise ValueError
    return c.v


@program(X)
def lock(x):
    xs = threading.Lock()
    with xs:
        y = x * x
    return y


@program(VECTOR)
def errstate_and_warnings(a):
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (1 / a).sum()
