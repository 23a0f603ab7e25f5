"""Functions: closures, defaults, decorators, partials, caches, dispatch, recursion."""

import functools
import math
from functools import lru_cache, partial, singledispatch, wraps

import numpy as np

import morula
from corpus import LOG, THREE, TWO, VECTOR, Programs, X, floats
from morula import gradient, pullback

program = Programs()


@program(VECTOR)
def array_captured(a):
    buf = np.zeros(4)

    def put(i, v):
        buf[i] = v

    def get():
        return buf

    for i, v in enumerate(a):
        put(i, v * v)
    g = get()
    g[0] = g[1]
    return (buf * a).sum()


@program(X)
def nonlocal_in_depth(x):
    t = 0.0

    def a():
        u = x

        def b():
            nonlocal t, u
            u *= x

            def c():
                nonlocal t
                t += u * x
                return lambda: t + u

            return c()

        r = b()
        return r() + u

    return a() * t + a()


@program(floats(3), want=floats(6))
def late_binding_of_a_loop_variable(x):
    fs = [lambda: x[0] * i for i in range(3)]  # noqa: B023
    return sum(f() for f in fs)


@program(X)
def default_list_grows(x):
    def g(v, acc=[]):  # noqa: B006
        acc.append(v)
        return acc

    g(x)
    g(x * x)
    return sum(g(1.0))


@program(floats(1, 2))
def default_list_keeps_values(x):
    def push(v, seen=[]):  # noqa: B006
        seen.append(v)
        return seen

    push(x[0])
    return sum(push(x[1] * 2))


@program(THREE)
def default_dict_counts(x):
    def f(v, cache={}):  # noqa: B006
        cache.setdefault("n", 0)
        cache["n"] += 1
        return v * cache["n"]

    return f(x[0]) + f(x[1])


@program(VECTOR)
def default_array_of_active_values(a):
    def g(v, w=a * 2):
        w[0] += v
        return w.sum()

    return g(1.0) * g(2.0)


@program(X)
def default_array_written(x):
    def g(v, w=np.zeros(3)):  # noqa: B008
        w[0] += v
        return w.sum()

    return g(x) * g(x * x)


@program(X)
def parameters_of_all_kinds(x):
    def g(a, /, b, *c, d=x, e, **f):
        return a * b + sum(c) * d + e * sum(f.values())

    return g(x, 2.0, x * x, x, e=x, z=x * 3, y=2.0) + g(*[x, x * 2], **{"e": x, "q": x}) + g(1.0, b=x, e=2.0, d=3.0)


@program(THREE)
def kwargs_merge(x):
    def f(**k):
        return k["a"] * k.get("b", 2.0) + len(k)

    d = {"a": x[0]}
    return f(**d) + f(**d, b=x[1]) + f(**{**d, "a": x[2]})


@program(THREE)
def star_args_array(x):
    return (lambda a, *b: a * sum(b))(*x) + max(*x) + math.hypot(*x) + np.hypot(*x[:2])


@program(X)
def tree_of_dicts(x):
    def tree(n):
        return {"v": x * n, "c": [tree(n - 1) for _ in range(n)]}

    def tot(t):
        return t["v"] + sum(tot(c) * 0.5 for c in t["c"])

    return tot(tree(3))


@program(X)
def mutual_recursion(x):
    def ev(n, v):
        return v if n == 0 else od(n - 1, v * x)

    def od(n, v):
        return v * 2 if n == 0 else ev(n - 1, v + x)

    return ev(5, x)


@program(X)
def recursion_300_deep(x):
    def g(n):
        return x if n == 0 else g(n - 1) * 1.001

    return g(300)


@program(X)
def methods_300_deep(x):
    class T:
        def __init__(s, n):
            s.n = T(n - 1) if n else None

        def v(s):
            return x if s.n is None else s.n.v() * 1.001

    return T(300).v()


@program(THREE)
def nested_functions_recursive(x):
    def tree(d):
        return x[d] if d == 2 else tree(d + 1) * x[d] + tree(d + 1)

    return tree(0)


@program(X)
def wrapped_function(x):
    def deco(f):

        @wraps(f)
        def inner(*a, **k):
            return f(*a, **k) * 2

        return inner

    @deco
    def g(v):
        return v * x

    return g(x)


@program(X)
def wrapped_function_that_counts(x):
    def deco(k):
        def d(f):
            @functools.wraps(f)
            def w(*a, **kw):
                w.calls += 1
                return f(*a, **kw) * k

            w.calls = 0
            return w

        return d

    @deco(2.0)
    @deco(x)
    def f(v):
        return v * v

    return f(x) + f(2.0) + f.calls + f.__wrapped__(x)


@program(X)
def decorators_with_arguments(x):
    def scale(s):

        def deco(f):

            @wraps(f)
            def inner(*a, **k):
                return f(*a, **k) * s

            return inner

        return deco

    @scale(x)
    @scale(s=2)
    def g(v):
        return v * x

    return g(3.0)


@program(X)
def decorator_class(x):
    class Memo:
        def __init__(s, f):
            s.f = f
            s.c = {}

        def __call__(s, n):
            if n not in s.c:
                s.c[n] = s.f(n)
            return s.c[n]

    @Memo
    def g(n):
        return x if n < 2 else g(n - 1) * x + g(n - 2)

    return g(5)


@program(X)
def partial_nested(x):
    f = partial(partial(lambda a, b, c=1: a * b * c, x), c=x)
    return f(3.0)


@program(X)
def partial_keyword_overridden(x):
    f = partial(lambda a, k=1: a * k, k=x)
    return f(x, k=3.0) + f(2.0)


@program(X)
def partial_of_a_partial(x):
    def f(a, b, c=1.0):
        return a * b - c

    g = functools.partial(f, x, c=x * x)
    h = functools.partial(g, c=3.0)
    return g(2.0) + h(x) + g.args[0] * g.keywords["c"]


@program(X)
def stack_of_partials(x):
    f = functools.partial(functools.partial(lambda a, b, c, d=1.0: a * b + c * d, x), x * x, d=x)
    return f(2.0) + f.func(1.0, 2.0, 3.0) + f(c=x) if True else 0


@program(X)
def defaults_and_cells_read(x):
    def f(a, b=x, *, c=x * x):
        return a

    g = lambda: x * 3
    k = g.__closure__[0].cell_contents
    return f.__defaults__[0] * f.__kwdefaults__["c"] + k + g.__code__.co_argcount


@program(X)
def cache_of_arguments(x):
    @lru_cache
    def g(q):
        LOG.append(1)
        return q * q

    return g(x) + g(x) + g(q=x)


@program(X)
def cached_method(x):
    class C:
        def __init__(s):
            s.v = x

        @lru_cache(None)  # noqa: B019
        def f(s, n):
            LOG.append(n)
            return s.v * n

    c = C()
    return c.f(2) + c.f(2)


@lru_cache(None)
def doubled_once(n):
    return n * 2.0


@program(X)
def cache_of_the_module(x):
    return doubled_once(3) * x + doubled_once(x) + doubled_once(x)


@lru_cache(None)
def counted_once(n):
    return np.arange(float(n))


@program(X)
def cache_of_arrays(x):
    return (counted_once(3) * x).sum() + counted_once(3)[1] * x


@program(X)
def cached_methods(x):
    class A:
        def __init__(self, v):
            self.v = v

        @functools.cache  # noqa: B019
        def f(self, k):
            return self.v * k

        @functools.cache  # noqa: B019
        def g(self):
            return self.v**2

    a = A(x)
    return a.f(2) + a.f(2) * a.f(x) + a.g() * a.g()


@program(X)
def cached_recursion(x):
    @functools.lru_cache
    def fib(n):
        return x * n if n < 2 else fib(n - 1) + fib(n - 2) * x

    return fib(8)


@program(X)
def memo_by_floats(x):
    memo = {}

    def f(v):
        if v in memo:
            return memo[v]
        memo[v] = r = math.sin(v) * x
        return r

    return f(x) + f(x) * f(2.0) + f(2.0)


@program(THREE)
def cached_fibonacci(x):
    @functools.cache
    def fib(n):
        return x[0] if n < 2 else fib(n - 1) + fib(n - 2) * x[1]

    return fib(6)


@program(VECTOR)
def cache_that_captures_an_array(a):
    @functools.cache
    def g(i):
        return a[i] * 2

    return g(1) + g(2)


@program(TWO)
def a_memo_table_whose_function_writes(x):
    c = np.ones(2)
    fill = functools.lru_cache(lambda i: c.fill(i))
    s = (x * c).sum()
    fill(5.0)
    return s


@program(X)
def singledispatch_on_kinds(x):
    @singledispatch
    def g(v):
        return x

    @g.register(int)
    def _(v):
        return v * x

    return g(2) + g("a")


@program(X)
def singledispatch_on_active(x):
    @singledispatch
    def g(v):
        return 1.0

    @g.register(float)
    def _(v):
        return v * v

    return g(x)


@program(X)
def singledispatch_on_classes(x):
    @functools.singledispatch
    def area(s):
        return 0.0

    class Sq:
        def __init__(self, a):
            self.a = a

    class Ci:
        def __init__(self, r):
            self.r = r

    @area.register
    def _(s: Sq):
        return s.a**2

    @area.register(Ci)
    def _(s):
        return 3.0 * s.r**2

    @area.register(int)
    @area.register(float)
    def _(s):
        return s * 2

    return area(Sq(x)) + area(Ci(x)) * area(x) + area(3)


@program(THREE)
def singledispatch_on_lists(x):
    @functools.singledispatch
    def f(v):
        return v * 2

    @f.register
    def _(v: list):
        return v[0] * 3

    return f(x[0]) * f([x[1]])


@program(X)
def singledispatchmethod(x):
    class V:
        def __init__(self, k):
            self.k = k

        @functools.singledispatchmethod
        def on(self, n):
            raise TypeError

        @on.register
        def _(self, n: float):
            return n * self.k

        @on.register
        def _(self, n: list):
            return sum(self.on(i) for i in n)

        @on.register
        def _(self, n: int):
            return n + self.k

    return V(x).on([x, 2.0, 3])


class Dispatching:
    def __init__(self, k):
        self.k = k

    @functools.singledispatchmethod
    def scaled(self, n):
        return self.k * n

    @scaled.register(list)
    def _(self, n):
        return sum(map(self.scaled, n)) * self.k


@program(X)
def singledispatchmethod_of_the_module(x):
    o = Dispatching(x)
    each = o.scaled
    return each([x, 2.0]) + o.scaled(x) + Dispatching.scaled.__get__(o)(2.0)


@program(X)
def out_of_a_function(x):
    def g(v, out=None):
        if out is None:
            out = np.zeros(2)
        out[...] = v
        return out.sum() * v

    buf = np.zeros(2)
    r = g(x, out=buf)
    return r + buf[0]


@program(X)
def out_filled(x):
    def g(v, out):
        out[:] = v * np.array([1.0, 2.0])

    buf = np.zeros(2)
    g(x, out=buf)
    return buf[0] * buf[1]


@program(VECTOR)
def out_by_a_ufunc(a):
    def g(v, out):
        np.multiply(v, v, out=out)
        return None

    buf = np.zeros(4)
    g(a, out=buf)
    return buf.sum()


@program(TWO)
def a_nested_verb_that_writes(x):
    def inner(z):
        z *= 2.0
        c[0] = 3.0
        return (z**2).sum()

    c, z = np.ones(2), np.ones(2)
    s = (x * z * c).sum()
    pullback(inner, z)
    gradient(inner, np.ones(2))
    return s


@program(0.5, want=9.15)
def checkpointed_steps(a):
    def step(a, X):
        return a * X + 0.1

    X = 1.0
    ll = 0.0
    for t in range(4):
        X = morula.checkpoint(step, a, X)
        ll += (t + 1) * X
    return ll


@program(X)
def variables_of_a_frame(x):
    def inner(a, b=2.0):
        c = a * b
        return dict(vars(), d=c)

    found = inner(x)
    y = found["d"] * found["a"]
    return vars()["y"] * locals()["x"]
