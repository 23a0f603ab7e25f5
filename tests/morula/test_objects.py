"""Classes and objects: attributes, descriptors, construction, metaclasses, subclasses of builtin types, copies."""

# ruff: noqa: B012, B018, B019, B023, B904, B905, C417, E741, E742, F841, RUF012, SIM107

import abc
import collections
import contextlib
import copy
import ctypes
import dataclasses
import enum
import functools
import io
import math
import operator
import types
import typing
import weakref
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import pytest
from morula_helpers import verify

import morula
from morula import gradient


def p_class_attr_shadowed(x):
    class A:
        v = 2.0

    a = A()
    r = a.v * x
    a.v = x * x
    r += a.v
    del a.v
    return r + a.v * x


def p_desc_owner_dict(x):
    class D:
        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, o, cls=None):
            if o is None:
                return self
            return o.__dict__[self.name]

        def __set__(self, o, v):
            o.__dict__[self.name] = v * 2.0

        def __delete__(self, o):
            del o.__dict__[self.name]

    class A:
        d = D()

        def __init__(self, v):
            self.d = v

    a = A(x)
    r = a.d * x
    del a.d
    a.d = x * x
    return r + a.d


def p_desc_own_dict(x):
    class D:
        def __init__(self):
            self.data = {}

        def __get__(self, o, cls=None):
            return self.data[id(o)]

        def __set__(self, o, v):
            self.data[id(o)] = v

    class A:
        d = D()

    a = A()
    b = A()
    a.d = x
    b.d = x * x
    return a.d * b.d


def p_desc_nondata(x):
    class Lazy:
        def __init__(self, f):
            self.f = f

        def __set_name__(self, o, n):
            self.n = n

        def __get__(self, o, cls=None):
            if o is None:
                return self
            v = self.f(o)
            o.__dict__[self.n] = v
            return v

    calls = []

    class A:
        def __init__(self, x):
            self.x = x

        @Lazy
        def sq(self):
            calls.append(1)
            return self.x * self.x

    a = A(x)
    return a.sq + a.sq * x + len(calls)


def p_setattr_dict(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __setattr__(self, n, v):
            self.__dict__[n] = v * 3.0

    a = A(x)
    a.w = x * x
    return a.v * a.w


def p_prop_cache(x):
    class A:
        def __init__(self, v):
            self._v = v
            self._c = None

        @property
        def c(self):
            if self._c is None:
                self._c = self._v**2
            return self._c

        @c.setter
        def c(self, v):
            self._c = v * 2

        @c.deleter
        def c(self):
            self._c = None

    a = A(x)
    r = a.c + a.c
    a.c = x
    r += a.c
    del a.c
    return r * a.c


def p_super_setattr(x):
    class A:
        def __setattr__(self, n, v):
            super().__setattr__(n, v * 2.0)

    class B(A):
        def __setattr__(self, n, v):
            super().__setattr__(n + "_", v)

    b = B()
    b.q = x
    return b.q_ * x


def p_object_setattr(x):
    class A:
        pass

    a = A()
    object.__setattr__(a, "v", x * x)
    object.__setattr__(a, "v", a.v * x)
    r = object.__getattribute__(a, "v")
    object.__delattr__(a, "v")
    return r + float(hasattr(a, "v"))


def p_vars_update(x):
    class A:
        pass

    a = A()
    vars(a).update(v=x, w=x * x)
    a.__dict__ |= {"z": x**3}
    vars(a)["k"] = 2.0
    r = a.v + a.w * a.z * a.k
    del a.__dict__["w"]
    return r + len(vars(a)) + sum(vars(a).values())


def p_borg(x):
    class Borg:
        shared = {}

        def __init__(self):
            self.__dict__ = self.shared

    a, b = Borg(), Borg()
    a.v = x * x
    b.w = a.v * b.v
    return a.w * b.v


def p_borg_module(x):
    a, b = BorgM(), BorgM()
    a.v = x * x
    return b.v * x


class BorgM:
    shared = {}

    def __init__(self):
        self.__dict__ = self.shared


def p_slots_dict(x):
    class A:
        __slots__ = ("__dict__", "s")

    class B(A):
        __slots__ = ("t",)

    b = B()
    b.s = x
    b.t = x * x
    b.u = x**3
    r = b.s * b.t * b.u
    del b.s
    b.s = 2.0
    return r * b.s


def p_getattribute(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __getattribute__(self, n):
            if n == "twice":
                return object.__getattribute__(self, "v") * 2
            return super().__getattribute__(n)

    a = A(x)
    return a.twice * a.v


def p_getattr(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __getattr__(self, n):
            if n.startswith("t"):
                return self.v * 2
            raise AttributeError(n)

    a = A(x)
    return a.twice * a.v + getattr(a, "nope", x) + float(hasattr(a, "tt"))


def p_dataclass_factory(x):
    @dataclass
    class A:
        v: float
        h: list = field(default_factory=list)
        d: float = 2.0

    a = A(x)
    b = A(x * x, d=x)
    a.h.append(x)
    b.h.append(a.v)
    return sum(a.h) * b.h[0] + a.d * b.d * b.v


def p_initvar(x):
    @dataclass
    class A:
        v: float
        k: dataclasses.InitVar[float] = 3.0
        w: float = field(init=False)

        def __post_init__(self, k):
            self.w = self.v * k

    return A(x).w + A(x, x * x).w


def p_kwonly(x):
    @dataclass(kw_only=True, slots=True)
    class A:
        v: float
        w: float = 1.0

    @dataclass(slots=True)
    class B(A):
        z: float = 4.0

        def total(self):
            return self.v * self.w + self.z

        def up(self):
            return super().__repr__()

    return B(v=x, w=x * x, z=x).total()


def p_replace(x):
    @dataclass(frozen=True)
    class P:
        a: float
        b: float = 2.0

        def scaled(self, k):
            return dataclasses.replace(self, a=self.a * k)

    p = P(x)
    q = dataclasses.replace(p, b=x * x)
    return p.b * q.a * q.b + q.scaled(x).a


def p_asdict(x):
    @dataclass
    class P:
        a: float
        b: list
        c: object = None

    p = P(x, [x * x, 2.0], P(x, []))
    d = dataclasses.asdict(p)
    t = dataclasses.astuple(p)
    return d["a"] * d["b"][0] + t[0] * t[1][0] + d["c"]["a"]


def p_fields(x):
    @dataclass
    class P:
        a: float
        b: float

    p = P(x, x * x)
    return sum(getattr(p, f.name) for f in dataclasses.fields(p))


def p_dc_eq(x):
    @dataclass(order=True)
    class P:
        a: float
        b: float

    p, q = P(x, 2.0), P(x, x)
    return (3.0 if p == P(x, 2.0) else 1.0) * x + (x if p > q else x * x) + max([p, q]).b * min(p, q).b


def p_dc_hash(x):
    @dataclass(frozen=True)
    class P:
        a: float

    d = {P(x): x * x}
    return d[P(x)]


def p_enum(x):
    class E(enum.Enum):
        A = 2.0
        B = 3.0

        def times(self, v):
            return self.value * v

    return E.A.times(x) * E["B"].value + sum(e.value for e in E) * x


def p_intenum(x):
    class E(enum.IntEnum):
        A = 2

    class F(enum.IntFlag):
        P = 1
        Q = 2

    return E.A * x + x**E.A + (F.P | F.Q) * x + [x, x * x, x**3][E.A]


def p_floatenum(x):
    class E(float, enum.Enum):
        A = 2.5

    return E.A * x + x**E.A.value


def p_strenum(x):
    class S(enum.StrEnum):
        A = "a"

    d = {"a": x}
    return d[S.A] * 2


def p_simplens(x):
    n = types.SimpleNamespace(a=x, b=[x])
    n.c = n.a * n.b[0]
    m = types.SimpleNamespace(**vars(n))
    return m.c * m.a


def p_partialmethod(x):
    class A:
        def __init__(self, v):
            self.v = v

        def scale(self, k, *, by=1.0):
            return self.v * k * by

        double = functools.partialmethod(scale, 2.0)
        triple = functools.partialmethod(scale, 3.0, by=5.0)

    a = A(x)
    return a.double() * a.triple(by=x) + a.double(by=x)


def p_partial(x):
    def f(a, b, c=1.0):
        return a * b - c

    g = functools.partial(f, x, c=x * x)
    h = functools.partial(g, c=3.0)
    return g(2.0) + h(x) + g.args[0] * g.keywords["c"]


def p_cached_property(x):
    n = []

    class A:
        def __init__(self, v):
            self.v = v

        @functools.cached_property
        def c(self):
            n.append(1)
            return self.v * self.v

    a = A(x)
    r = a.c + a.c
    del a.c
    a.v = a.v * 2
    r += a.c
    a.__dict__["c"] = x
    return r * a.c + len(n)


def p_lru_method(x):
    class A:
        def __init__(self, v):
            self.v = v

        @functools.cache
        def f(self, k):
            return self.v * k

        @functools.cache
        def g(self):
            return self.v**2

    a = A(x)
    return a.f(2) + a.f(2) * a.f(x) + a.g() * a.g()


def p_lru_closure(x):
    @functools.lru_cache
    def fib(n):
        return x * n if n < 2 else fib(n - 1) + fib(n - 2) * x

    return fib(8)


def p_memo_floats(x):
    memo = {}

    def f(v):
        if v in memo:
            return memo[v]
        memo[v] = r = math.sin(v) * x
        return r

    return f(x) + f(x) * f(2.0) + f(2.0)


def p_singledispatch(x):
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


def p_singledispatchmethod(x):
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


def p_singledispatchmethod_of_the_module(x):
    o = Dispatching(x)
    each = o.scaled
    return each([x, 2.0]) + o.scaled(x) + Dispatching.scaled.__get__(o)(2.0)


def p_wraps(x):
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


def p_total_ordering(x):
    @functools.total_ordering
    class T:
        def __init__(self, v):
            self.v = v

        def __eq__(self, o):
            return self.v == o.v

        def __lt__(self, o):
            return self.v < o.v

    a, b = T(x), T(x * x)
    m = max(a, b)
    return m.v * (2.0 if a >= b else 3.0) + sorted([a, b])[0].v * (1.0 if a <= b else x)


def p_cmp_to_key(x):
    def cmp(a, b):
        return (a > b) - (a < b)

    xs = sorted([x, x * x, 0.5], key=functools.cmp_to_key(cmp))
    ys = [x, 0.1, x + 2]
    ys.sort(key=functools.cmp_to_key(lambda a, b: -1 if a > b else 1))
    return xs[0] * 2 + xs[1] * 3 + xs[2] * 5 + ys[0] * 7 + max([x, 0.2], key=functools.cmp_to_key(cmp))


def p_np_left(x):
    class A:
        __array_ufunc__ = None

        def __init__(self, v):
            self.v = v

        def __rmul__(self, o):
            return A(self.v * (o.sum() if hasattr(o, "sum") else o))

        def __mul__(self, o):
            return A(self.v * o)

        def __radd__(self, o):
            return A(self.v + np.sum(o))

    a = np.float64(2.0) * A(x)
    b = np.array([1.0, 2.0]) * A(x)
    c = np.array([x, x * x]) * A(x)
    d = np.array([x, 1.0]) + A(x * x)
    return a.v * b.v + c.v + d.v


def p_array_priority(x):
    class A:
        __array_priority__ = 100

        def __init__(self, v):
            self.v = v

        def __rmul__(self, o):
            return self.v * np.sum(o)

        def __rsub__(self, o):
            return self.v - np.sum(o)

    return np.float64(2.0) * A(x) + np.array([1.0, x]) * A(x) + (np.array([2.0]) - A(x))


def p_dunders(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __bool__(self):
            return self.v > 0.5

        def __len__(self):
            return 3

        def __format__(self, s):
            return format(self.v, s)

        def __hash__(self):
            return hash(self.v)

        def __eq__(self, o):
            return self.v == o.v

        def __contains__(self, v):
            return v == self.v

        def __index__(self):
            return int(self.v + 1)

        def __float__(self):
            return self.v * 2.0

        def __int__(self):
            return int(self.v)

        def __round__(self, n=None):
            return self.v * 3.0

        def __divmod__(self, o):
            return self.v / o, self.v * o

        def __rdivmod__(self, o):
            return self.v + o, o

        def __abs__(self):
            return abs(self.v)

        def __neg__(self):
            return A(-self.v)

        def __pos__(self):
            return A(self.v * 2)

        def __invert__(self):
            return A(self.v * 7)

        def __trunc__(self):
            return self.v * 11

        def __floor__(self):
            return self.v * 13

        def __ceil__(self):
            return self.v * 17

        def __complex__(self):
            return complex(self.v, 1.0)

    a = A(x)
    r = (x if a else 0.0) + len(a) * x
    r += float(f"{a:.2f}") * x
    r += {a: x}[A(x)]
    r += x if x in a else 0
    r += [x, x * x][a]
    r += float(a) + round(a) + round(a, 2)
    q, m = divmod(a, 2.0)
    q2, m2 = divmod(2.0, a)
    r += q * m + q2 * m2 + abs(a) + (-a).v + (+a).v + (~a).v
    r += math.sin(a) + math.trunc(a) + math.floor(a) + math.ceil(a)
    r += complex(a).real
    return r


def p_iadd_fallback(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __add__(self, o):
            return A(self.v + (o.v if isinstance(o, A) else o))

        __radd__ = __add__

        def __imul__(self, o):
            self.v = self.v * o
            return self

        def __itruediv__(self, o):
            return NotImplemented

        def __truediv__(self, o):
            return A(self.v / o)

    a = A(x)
    b = a
    a += x
    a *= x
    a /= 2.0
    return a.v + b.v + sum([A(x), A(x * x)]).v + (3.0 + A(x)).v


def p_missing(x):
    class D(dict):
        def __missing__(self, k):
            self[k] = r = x * k
            return r

    d = D()
    return d[2] + d[2] * d[3] + len(d)


def p_call_state(x):
    class C:
        def __init__(self):
            self.t = 0.0
            self.n = 0

        def __call__(self, v, *, k=1.0):
            self.t += v * k
            self.n += 1
            return self.t

    c = C()
    return c(x) * c(x * x, k=x) + c.n + c.t


def p_enter_other(x):
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


def p_exit_swallow(x):
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
        1 / 0
    return m.seen * y + k.seen


def p_finally_return(x):
    def f(v):
        try:
            return v
        finally:
            return v * v

    def g(v):
        for i in range(3):
            try:
                raise ValueError(v)
            except ValueError as e:
                v = e.args[0] * 2
                continue
            finally:
                v = v + 1
                if i == 1:
                    break
        return v

    return f(x) * g(x)


def p_cm_exception(x):
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


def p_cm_misc(x):
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


def p_contextdecorator(x):
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


class Counter:
    total = 0.0
    items = []

    def add(self, v):
        Counter.total += v
        self.__class__.items.append(v)

    @classmethod
    def bump(cls, v):
        cls.count = v * 2
        return cls.count

    @staticmethod
    def get():
        return Counter.total


def p_class_total(x):
    Counter.total = 0.0
    Counter.items = []
    Counter().add(x)
    Counter().add(x * x)
    return Counter.total * x + Counter.get() + sum(Counter.items) + Counter.bump(x) * Counter.count


def p_class_local_total(x):
    class C:
        total = 0.0

        def add(self, v):
            C.total += v

    class D(C):
        pass

    C().add(x)
    D().add(x * x)
    D.total = D.total * 2
    r = C.total * D.total + D().total
    del D.total
    return r + D.total + D.total + D().total


def p_class_body_active(x):
    class C:
        k = x * x
        a, b = k + 1, x

        def f(self, v):
            return self.k * v + C.a * self.b

        lst = [x, 2.0]

    return C().f(x) + C.k + sum(C.lst)


def p_class_body_loop(x):
    class C:
        t = 0.0
        for i in range(3):
            t += x * i
        if t > 0:
            u = t * x
        else:
            u = x
        v = [i * x for i in range(3)]

    return C.t * C.u + C.v[2]


def p_class_default(x):
    class C:
        def f(self, v=x * x, *, k=x):
            return v * k

    return C().f() + C().f(2.0)


def p_type3(x):
    C = type("C", (), {"k": x * x, "f": lambda self: self.k * x, "lst": [x]})
    return C().f() + C.k + C().lst[0]


def p_init_subclass(x):
    class Base:
        reg = {}

        def __init_subclass__(cls, weight=1.0, **kw):
            super().__init_subclass__(**kw)
            cls.weight = weight
            Base.reg[cls.__name__] = weight

    class A(Base, weight=x * x):
        pass

    class B(Base, weight=2.0):
        pass

    return A.weight * B.weight + A().weight + sum(Base.reg.values())


def p_set_name(x):
    class D:
        def __init__(self, v):
            self.v = v

        def __set_name__(self, owner, name):
            self.name = name
            owner.seen = self.v * 2

        def __get__(self, o, c=None):
            return self.v * (x if o is not None else 3.0)

    class A:
        d = D(x)

    return A().d + A.d + A.seen


def p_class_getitem(x):
    class A:
        def __class_getitem__(cls, k):
            return k * x

    return A[x] + A[2.0]


def p_slots_inherit(x):
    class A:
        __slots__ = ("a",)

        def __init__(self, a):
            self.a = a

    class B(A):
        __slots__ = ("__weakref__", "b")

        def __init__(self, a, b):
            super().__init__(a)
            self.b = b

    b = B(x, x * x)
    b.a += b.b
    return b.a * b.b


def p_getstate_copy(x):
    class A:
        def __init__(self, v):
            self.v = v
            self.c = 1

        def __getstate__(self):
            return {"v": self.v * 2}

        def __setstate__(self, s):
            self.v = s["v"] * 3
            self.c = 5

    a = A(x)
    b = copy.copy(a)
    c = copy.deepcopy(a)
    return b.v * a.v + c.v * b.c


def p_copy_slots(x):
    class A:
        __slots__ = ("v", "w")

        def __init__(self, v):
            self.v = v
            self.w = [v]

    a = A(x)
    b = copy.copy(a)
    c = copy.deepcopy(a)
    b.v = b.v * x
    c.w.append(x * x)
    return a.v + b.v * c.v + sum(c.w) + len(a.w) + sum(b.w)


def p_copy_dunder(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __copy__(self):
            return A(self.v * 2)

        def __deepcopy__(self, memo):
            r = A(copy.deepcopy(self.v, memo) * 3)
            memo[id(self)] = r
            return r

    l = [A(x)]
    return copy.copy(l[0]).v * copy.deepcopy(l)[0].v


def p_reduce(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __reduce__(self):
            return (A, (self.v * 2,))

    return copy.copy(A(x)).v * copy.deepcopy(A(x)).v


def p_metaclass_call(x):
    class Meta(type):
        def __call__(cls, v, *a, **kw):
            o = super().__call__(v * 2, *a, **kw)
            o.extra = v * v
            return o

    class A(metaclass=Meta):
        def __init__(self, v):
            self.v = v

    return A(x).v * A(x).extra


def p_singleton_meta(x):
    class S(type):
        inst = {}

        def __call__(cls, *a):
            if cls not in cls.inst:
                cls.inst[cls] = super().__call__(*a)
            return cls.inst[cls]

    class A(metaclass=S):
        def __init__(self, v):
            self.v = v

    a = A(x)
    b = A(5.0)
    b.v = b.v * x
    return a.v + float(a is b)


def p_meta_attr(x):
    class M(type):
        @property
        def area(cls):
            return cls.side**2

        def grow(cls, v):
            cls.side = cls.side * v
            return cls

        def __getitem__(cls, k):
            return cls.side * k

        def __len__(cls):
            return 4

        def __iter__(cls):
            yield cls.side
            yield 2.0

        def __contains__(cls, v):
            return True

    class A(metaclass=M):
        side = 2.0

    A.side = x
    A.grow(x)
    return A.area + A[x] + len(A) + sum(A) + (x if 3 in A else 0)


def p_meta_new(x):
    class M(type):
        def __new__(m, name, bases, ns, **kw):
            ns["twice"] = lambda self: self.v * 2
            cls = super().__new__(m, name, bases, ns)
            return cls

        def __init__(cls, name, bases, ns, k=1.0):
            super().__init__(name, bases, ns)
            cls.k = k

    class A(metaclass=M, k=x):
        def __init__(self, v):
            self.v = v

    return A(x).twice() * A.k


def p_abc(x):
    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self): ...
        @property
        @abc.abstractmethod
        def name(self): ...
        def double(self):
            return 2 * self.area()

    class Sq(Shape):
        def __init__(self, a):
            self.a = a

        def area(self):
            return self.a**2

        @property
        def name(self):
            return "sq"

    return Sq(x).double() * len(Sq(x).name)


def p_generic(x):
    T = typing.TypeVar("T")

    class Box(typing.Generic[T]):
        def __init__(self, v: T):
            self.v = v

        def get(self) -> T:
            return self.v

    return Box[float](x).get() * Box(x * x).v


def p_protocol(x):
    @typing.runtime_checkable
    class HasV(typing.Protocol):
        v: float

        def get(self): ...

    class A:
        def __init__(self):
            self.v = x

        def get(self):
            return self.v

    a = A()
    return a.get() * (2.0 if isinstance(a, HasV) else 3.0)


def p_namedtuple_methods(x):
    class P(typing.NamedTuple):
        a: float
        b: float = 2.0

        def norm(self):
            return self.a * self.b

        @property
        def s(self):
            return self.a + self.b

        @classmethod
        def of(cls, v):
            return cls(v, v * v)

        def __add__(self, o):
            return P(self.a + o.a, self.b * o.b)

    p = P(x)
    q = P.of(x)
    r = p + q
    a, b = q
    return p.norm() * q.s + r.a * r.b + q._replace(a=3.0).norm() + a * b + q._asdict()["b"] + max(p).real


def p_nt_override_new(x):
    import collections

    B = collections.namedtuple("B", "a b")

    class P(B):
        __slots__ = ()

        def __new__(cls, a, b=None):
            return super().__new__(cls, a * 2, a if b is None else b)

        def sq(self):
            return self.a * self.b

    p = P(x)
    q = P(x, x * x)
    return p.sq() + q.a * q.b + q[1]


def p_tuple_subclass(x):
    class V(tuple):
        def __new__(cls, *xs):
            return super().__new__(cls, xs)

        def __add__(self, o):
            return V(*(a + b for a, b in zip(self, o)))

        def dot(self, o):
            return sum(a * b for a, b in zip(self, o))

        @property
        def first(self):
            return self[0]

    v = V(x, 2.0)
    w = V(x * x, x)
    return (v + w).dot(w) + v.first


def p_float_subclass(x):
    class F(float):
        def __new__(cls, v, unit="m"):
            o = super().__new__(cls, v)
            o.unit = unit
            return o

        def __add__(self, o):
            return F(float(self) + float(o), self.unit)

        def twice(self):
            return self * 2

    a = F(x, "k")
    return float(a + a) * len(a.unit) + a.twice()


def p_list_subclass(x):
    class L(list):
        def __init__(self, *a, name="n"):
            super().__init__(*a)
            self.name = name
            self.k = x

        def append(self, v):
            super().append(v * 2)

        def __getitem__(self, i):
            return super().__getitem__(i) * self.k

        def total(self):
            return sum(self)

    l = L([x, 1.0])
    l.append(x * x)
    return l[0] + l[2] + l.total() + len(l.name)


def p_dict_subclass(x):
    class D(dict):
        def __init__(self, **kw):
            super().__init__(**kw)
            self.n = 0

        def __setitem__(self, k, v):
            self.n += 1
            super().__setitem__(k, v * 2)

        def __getitem__(self, k):
            return super().__getitem__(k) + x

        def __getattr__(self, k):
            try:
                return self[k]
            except KeyError:
                raise AttributeError(k)

    d = D(a=x)
    d["b"] = x * x
    return d["a"] * d.b + d.n + sum(d.values()) + d.get("a")


def p_userdict(x):
    import collections

    class D(collections.UserDict):
        def __setitem__(self, k, v):
            super().__setitem__(k, v * 2)

    d = D(a=x)
    d["b"] = x * x
    l = collections.UserList([x])
    l.append(x * x)
    return d["a"] * d["b"] + sum(l) + l[1]


def p_exc_float_attr(x):
    class E(Exception):
        def __init__(self, v, *, code=1):
            super().__init__(f"v={v:.2f}")
            self.v = v
            self.code = code

    try:
        raise E(x * x, code=x)
    except E as e:
        return e.v * e.code + len(e.args[0])


def p_mutual(x):
    class Node:
        def __init__(self, v, parent=None):
            self.v = v
            self.parent = parent
            self.kids = []
            if parent is not None:
                parent.kids.append(self)

        def total(self):
            return self.v * (self.parent.v if self.parent else 1.0) + sum(k.total() for k in self.kids)

    r = Node(x)
    a = Node(x * x, r)
    Node(2.0, a)
    Node(x, a)
    return r.total()


def p_list_sub_plain(x):
    class L(list):
        pass

    l = L([x, 2.0])
    l.append(x * x)
    l[1] = x * 3
    l += [x]
    l.extend((1.0, x))
    l.k = x * 5
    del l[0]
    l.insert(0, x * 7)
    l.sort()
    l.reverse()
    return sum(l) + l[0] * l.pop() + l.k + len(l) + sum(v * i for i, v in enumerate(l)) + sum(l[1:3])


def p_list_unbound(x):
    class L(list):
        def append(self, v):
            list.append(self, v * 2)

        def extend(self, vs):
            for v in vs:
                self.append(v)

        def __setitem__(self, i, v):
            list.__setitem__(self, i, v + 1)

        def __getitem__(self, i):
            return list.__getitem__(self, i) * 3

        def __iter__(self):
            for v in list.__iter__(self):
                yield v * 5

        def __len__(self):
            return list.__len__(self)

        def insert(self, i, v):
            super().insert(i, v * 2)

        def pop(self, *a):
            return super().pop(*a) * 2

    l = L()
    l.append(x)
    l.extend([x * x, 2.0])
    l[1] = x
    l.insert(0, x * x)
    r = l.pop() + l.pop(0)
    return sum(l) + l[0] * l[1] + len(l) + r


def p_dict_unbound(x):
    class D(dict):
        def __init__(self, *a, **k):
            dict.__init__(self, *a, **k)
            self["z"] = x * 3

        def __setitem__(self, k, v):
            dict.__setitem__(self, k, v * 2)

        def __getitem__(self, k):
            return dict.__getitem__(self, k) + x

        def __delitem__(self, k):
            log.append(k)
            super().__delitem__(k)

        def get(self, k, d=None):
            return super().get(k, d)

        def update(self, *a, **k):
            for q, v in dict(*a, **k).items():
                self[q] = v

        def pop(self, k, *d):
            return super().pop(k, *d) * 7

        def setdefault(self, k, d=None):
            return super().setdefault(k, d)

        def items(self):
            return [(k, self[k]) for k in self]

    log = []
    d = D({"a": x}, b=x * x)
    d["c"] = x
    d.update(e=x * 4)
    d.setdefault("f", x * 9)
    r = d.pop("a") + d.pop("nope", x)
    del d["b"]
    return r + sum(v for k, v in d.items()) + d.get("c") + d.get("q", x) + len(log) + sum(d.values())


def p_ordered_sub(x):
    class LRU(collections.OrderedDict):
        def __init__(self, n):
            super().__init__()
            self.n = n

        def __getitem__(self, k):
            v = super().__getitem__(k)
            self.move_to_end(k)
            return v

        def __setitem__(self, k, v):
            super().__setitem__(k, v)
            if len(self) > self.n:
                del self[next(iter(self))]

    d = LRU(2)
    d["a"] = x
    d["b"] = x * x
    y = d["a"]
    d["c"] = x**3
    return y + sum(d.values()) * len(d) + d["c"] + ("b" in d) * x


def p_defaultdict_sub(x):
    class DD(collections.defaultdict):
        def __missing__(self, k):
            self[k] = v = x * k
            return v

    d = DD(list)
    return d[2] * d[3] + d[2] + len(d)


def p_counter(x):
    c = collections.Counter("aab")
    return sum(x * v for v in c.values()) + c["a"] * x + c["zz"]


def p_counter_active(x):
    c = collections.Counter()
    c["a"] += x
    c["a"] += x * x
    c["b"] = x
    return c["a"] * c["b"] + c["none"]


def p_attrdict(x):
    class AD(dict):
        def __getattr__(self, k):
            try:
                return self[k]
            except KeyError as e:
                raise AttributeError(k) from e

        def __setattr__(self, k, v):
            self[k] = v

        def __delattr__(self, k):
            del self[k]

    d = AD(a=x)
    d.b = d.a * x
    r = d.b * d["b"]
    del d.a
    return r + float(hasattr(d, "a")) + len(d)


def p_tuple_sub_init(x):
    class V(tuple):
        __slots__ = ()

        @property
        def x(self):
            return self[0]

        def __mul__(self, k):
            return V(v * k for v in self)

        __rmul__ = __mul__

        def __neg__(self):
            return V([-v for v in self])

        def __eq__(self, o):
            return all(a == b for a, b in zip(self, o))

        __hash__ = None

    v = V([x, x * x])
    w = 2.0 * v * x
    return w.x + (-w)[1] + sum(w) + (x if w == w else 0) + len(w)


def p_float_sub_more(x):
    class Q(float):
        def __new__(cls, v, u):
            return float.__new__(cls, v)

        def __init__(self, v, u):
            self.u = u

        def __mul__(self, o):
            return Q(super().__mul__(o), self.u)

        def __repr__(self):
            return "q"

        def half(self):
            return self / 2

        @property
        def sq(self):
            return self**2

    q = Q(x, x * 3)
    r = q * x
    return (
        float(r)
        + q.half()
        + q.sq
        + q.u
        + math.sin(q)
        + np.exp(q)
        + abs(q)
        + (-q)
        + max(q, 0.1)
        + round(q, 5) * 0
        + float(q.real)
    )


def p_int_sub(x):
    class I(int):
        def __add__(self, o):
            return I(int(self) + int(o))

        def times(self, v):
            return self * v

    i = I(3)
    return (i + 2) * x + i.times(x) + x**i + [x, x * x, 3.0, 2.0][i]


def p_str_sub(x):
    class S(str):
        def scale(self, v):
            return len(self) * v

    return S("abc").scale(x) + len(S("a") + "b") * x


def p_set_sub(x):
    class S(set):
        def total(self):
            return sum(self)

    return S([1.0, 2.0]).total() * x


def p_deque_sub(x):
    class D(collections.deque):
        pass

    d = D([1.0, 2.0])
    return sum(d) * x


def p_nt_sub(x):
    class P(collections.namedtuple("P", "a b", defaults=[2.0])):
        def __new__(cls, a, *r):
            self = super().__new__(cls, a * 3, *r)
            return self

        def __add__(self, o):
            return self._replace(a=self.a + o.a)

    p = P(x)
    q = P(x * x, x)
    return (p + q).a + p.b * q.b + P._make([x, 2.0]).a * 0 + sum(q)


def p_nt_classmethod(x):
    class P(typing.NamedTuple):
        a: float
        b: float = 3.0

        @classmethod
        def of(cls, v):
            return cls(v, b=v * v)

        @staticmethod
        def f(v):
            return v * 2

        def __mul__(self, k):
            return P(self.a * k, self.b)

    p = P.of(x) * x
    match p:
        case P(a=u, b=v):
            r = u * v
    match p:
        case P(u, v):
            r += u + v
    return r + P.f(x) + p._asdict()["b"]


def p_userlist(x):
    l = collections.UserList([x])
    l.append(x * x)
    return sum(l) + l[1] + len(l)


def p_chainmap(x):
    c = collections.ChainMap({"a": x}, {"b": x * x})
    c["b2"] = x * 3
    return c["a"] * c["b"] + c["b2"]


def p_mutmapping(x):
    class M(collections.abc.MutableMapping):
        def __init__(self):
            self.d = {}

        def __getitem__(self, k):
            return self.d[k]

        def __setitem__(self, k, v):
            self.d[k] = v * 2

        def __delitem__(self, k):
            del self.d[k]

        def __iter__(self):
            return iter(self.d)

        def __len__(self):
            return len(self.d)

    m = M()
    m["a"] = x
    m.update(b=x * x)
    m.setdefault("c", x)
    return sum(m.values()) + m.get("a") + m.pop("b") + len(m) + sum(v for k, v in m.items()) + dict(m)["a"]


def p_sequence_abc(x):
    class S(collections.abc.Sequence):
        def __init__(self, *v):
            self.v = v

        def __getitem__(self, i):
            return self.v[i] * 2

        def __len__(self):
            return len(self.v)

    s = S(x, x * x, 1.0)
    return sum(s) + sum(reversed(s)) * s[1] + s.index(2.0)


def p_call_class_in_loop(x):
    r = 0.0
    for k in [x, x * x]:

        class C:
            w = k * 2

            def f(self, v):
                return v * self.w * k

        r += C().f(x)
    return r


def p_nested_class(x):
    class A:
        k = x

        class B:
            j = x * x

            def f(self):
                return self.j * A.k

        b = B.j * 2
        lst = [i * 3 for i in (k, b)]

        def m(self):
            return self.b + self.B().f()

    return A().m() + sum(A.lst) + A.B.j


def p_class_private(x):
    class A:
        __k = x * x

        def __init__(self):
            self.__v = x

        def f(self):
            return self.__k * self.__v * A.__k

        def __g(self):
            return self.__v

        h = lambda self: self.__g() * 2
        t = __k * 2

    return A().f() + A().h() + A.t + A._A__k


def p_class_doc(x):
    class A:
        """Doc."""

        k = x
        v: float = x * x
        w: "int"

    return A.k * A.v * len(A.__doc__) * len(A.__annotations__) + len(A.__qualname__) * 0 + len(A.__name__)


def p_class_nonlocal(x):
    t = x

    class A:
        nonlocal t
        t = t * x
        k = t

    return A.k * t


def p_class_try(x):
    class A:
        try:
            k = x
            raise ValueError(x * x)
        except ValueError as e:
            j = e.args[0]
        finally:
            z = x * 3
        with contextlib.nullcontext(x) as q:
            w = q * 2
        while z < 100:
            z = z * 5
        import math as mm

        s = mm.sin(k)
        del q

    return A.k * A.j + A.w + A.z + A.s + float(hasattr(A, "q"))


def p_class_deco(x):
    def deco(k):
        def d(cls):
            cls.extra = k
            old = cls.f
            cls.f = lambda self: old(self) * k
            return cls

        return d

    @deco(x)
    @deco(x * x)
    class A:
        def f(self):
            return x

    return A().f() * A.extra


def p_class_replace_deco(x):
    def deco(cls):
        class W(cls):
            def f(self):
                return super().f() * x

        return W

    @deco
    class A:
        k = x

        def f(self):
            return self.k

    return A().f()


def p_dc_active_default(x):
    @dataclass
    class P:
        a: float = x * x
        b: float = field(default=x)
        c: list = field(default_factory=lambda: [x])

    @dataclass
    class Q(P):
        d: float = 1.0

    @dataclass(slots=True, frozen=True)
    class R:
        a: float = x * 3

    p = P()
    q = Q(d=x, a=2.0)
    return p.a * p.b + sum(p.c) + q.a * q.b * q.d + P.a + P().b + R().a


def p_dc_transformer(x):
    @dataclass(eq=True, unsafe_hash=True)
    class P:
        a: float
        _b: float = 0.0

        @property
        def b(self):
            return self._b

        @b.setter
        def b(self, v):
            self._b = v * 2

        def __post_init__(self):
            self.b = self.a

    p = P(x)
    p.b = p.b * x
    return p.b + P.__dataclass_fields__["a"].default.__class__.__name__.count("z")


def p_enum_members(x):
    class Op(enum.Enum):
        ADD = ("add", 2.0)
        MUL = ("mul", 3.0)

        def __init__(self, label, k):
            self.label = label
            self.k = k

        def __call__(self, v):
            return v * self.k if self.label == "mul" else v + self.k

        @classmethod
        def best(cls):
            return max(cls, key=lambda m: m.k)

        @property
        def double(self):
            return self.k * 2

    return sum(op(x) for op in Op) * Op.best()(x) + Op.ADD.double * x + {Op.ADD: x}[Op["ADD"]]


def p_enum_state(x):
    class S(enum.Enum):
        A = 1
        B = 2

    S.A.weight = x * x
    S.B.weight = x
    return sum(s.weight * s.value for s in S)


def p_module_cls_state(x):
    Acc.total = 0.0
    Acc.add(x)
    Acc.add(x * x)
    a = Acc()
    a.total += x
    Acc.table["k"] = x * 5
    return Acc.total * a.total + Acc.table["k"] + len(Acc.log)


class Acc:
    total = 0.0
    table = {}
    log = []

    @classmethod
    def add(cls, v):
        cls.total = cls.total + v
        cls.log = [*cls.log[-1:], v]


class Base0:
    registry = {}
    count = 0

    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.tag = tag
        Base0.count = Base0.count + 1


def p_subclass_module(x):
    Base0.count = 0

    class A(Base0, tag=x):
        pass

    class B(A, tag=x * x):
        k = x

    return A.tag * B.tag * B.k + Base0.count


def p_instances_share(x):
    class Cfg:
        scale = 1.0
        opts = {"k": 1.0}

    a, b = Cfg(), Cfg()
    Cfg.scale = x
    a.scale = a.scale * x
    a.opts["k"] = x * 3
    return a.scale + b.scale + b.opts["k"] + Cfg.opts["k"] * Cfg.scale


def p_setattr_type(x):
    class C:
        pass

    C.k = x * x
    type.__setattr__(C, "j", x)
    r = C().k * C.j + vars(C())["q"] if False else C().k * C.j
    delattr(C, "k")
    return r + float(hasattr(C, "k"))


def p_class_swap(x):
    class A:
        k = 2.0

        def f(self):
            return self.k * self.v

    class B:
        k = x

        def f(self):
            return self.k * self.v * 3

    a = A()
    a.v = x
    r = a.f()
    a.__class__ = B
    return r + a.f()


def p_bound_stored(x):
    class A:
        def __init__(self, v):
            self.v = v

        def f(self, k):
            return self.v * k

    a = A(x)
    g = a.f
    a.v = x * x
    h = A.f
    fs = [a.f, A(x * 3).f]
    a.cb = a.f
    return g(2.0) + h(a, 3.0) + sum(q(x) for q in fs) + a.cb(1.0) + g.__func__(a, x) + g.__self__.v


def p_method_patch(x):
    class A:
        def f(self):
            return x

    a = A()
    a.f = lambda: x * x
    r = a.f()
    a.g = types.MethodType(lambda self, k: k * x, a)
    A.f = lambda self: x * 7
    del a.f
    return r + a.g(3.0) + a.f()


def p_iterclass(x):
    class R:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return RI(self.n)

        def __reversed__(self):
            yield x
            yield x * x

        def __getitem__(self, i):
            return x * i

        def __len__(self):
            return self.n

        def __contains__(self, v):
            return v > 3

        def __matmul__(self, o):
            return self[1] * o[2]

        def __rmatmul__(self, o):
            return sum(o) * x

        def __lshift__(self, v):
            self.acc = getattr(self, "acc", 0.0) + v
            return self

        def __enter__(self):
            return self[2]

        def __exit__(self, *e):
            pass

    class RI:
        def __init__(self, n):
            self.i = 0
            self.n = n

        def __iter__(self):
            return self

        def __next__(self):
            self.i += 1
            if self.i > self.n:
                raise StopIteration
            return x * self.i

    r = R(3)
    a, *b = r
    with r as z:
        pass
    r << x << x * x
    return sum(r) + sum(reversed(r)) + a * b[0] + r @ r + [x, 2.0] @ r + z + r.acc + (x if 4 in r else 0)


def p_setitem_dunder(x):
    class M:
        def __init__(self):
            self.d = {}

        def __setitem__(self, k, v):
            self.d[k] = v * 2

        def __getitem__(self, k):
            return self.d[k]

        def __delitem__(self, k):
            self.gone = self.d.pop(k)

    m = M()
    m["a"] = x
    m["a"] += x
    m[1, 2] = x * x
    del m["a"]
    return m.gone + m[1, 2]


def p_reflected_chain(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __add__(self, o):
            return NotImplemented

        def __radd__(self, o):
            return NotImplemented

        def __eq__(self, o):
            return NotImplemented

        def __lt__(self, o):
            return NotImplemented

    class B(A):
        def __radd__(self, o):
            return self.v + (o.v if isinstance(o, A) else o)

        def __gt__(self, o):
            return self.v > o.v

    t = A(x) + B(x * x) + (2.0 + B(x)) + (np.float64(3.0) + B(x))
    try:
        A(x) + A(x)
    except TypeError:
        t += x
    t += x if A(x) < B(x * 2) else 0
    t += x if A(1) != A(1) else 0
    return t


def p_index_hash(x):
    class K:
        def __init__(self, v):
            self.v = v

        def __hash__(self):
            return hash(round(self.v, 3))

        def __eq__(self, o):
            return abs(self.v - o.v) < 1e-9

    d = {K(x): x * 2}
    d[K(x)] = d[K(x)] * x
    s = {K(x), K(x)}
    return d[K(x)] + len(s) * sum(k.v for k in s) + sum(k.v for k in d)


def p_property_base(x):
    class A:
        def __init__(self):
            self._v = x

        @property
        def v(self):
            return self._v

        @v.setter
        def v(self, q):
            self._v = q * 2

    class B(A):
        @A.v.getter
        def v(self):
            return super().v * 3

        @property
        def w(self):
            return A.v.fget(self)

        @w.setter
        def w(self, q):
            A.v.fset(self, q)

    class C(B):
        @property
        def v(self):
            return super().v + 1

        @v.setter
        def v(self, q):
            super(C, type(self)).v.fset(self, q * 5)

    b = B()
    b.v = x * x
    b.w = b.w * x
    c = C()
    c.v = x
    return b.v + c.v


def p_slots_default(x):
    class A:
        __slots__ = ["__dict__", "a", "b"]

        def __init__(self, **k):
            for n, v in k.items():
                setattr(self, n, v)

    a = A(a=x, b=x * x, c=x * 3)
    t = sum(getattr(a, n) for n in ("a", "b", "c"))
    return t + len(vars(a)) + sum(vars(a).values())


def p_callable_stateful(x):
    class RNN:
        def __init__(self, w):
            self.w = w
            self.h = np.zeros(2)
            self.hist = []

        def __call__(self, v):
            self.h = np.tanh(self.w * self.h + v)
            self.hist.append(self.h.sum())
            return self.h

    r = RNN(np.array([x, x * x]))
    for v in (x, 0.3, x * 2):
        out = r(v)
    return out.sum() + sum(r.hist)


def p_mixin(x):
    class Log:
        def f(self, v):
            self.log = getattr(self, "log", 0.0) + v
            return super().f(v * 2)

    class Scale:
        def f(self, v):
            return super().f(v * x)

    class Core:
        def f(self, v):
            return v * v

    class All(Log, Scale, Core):
        pass

    a = All()
    return a.f(x) + a.log


class L(list):
    pass


def p_sub_a(x):
    l = L([x, 2.0])
    l.append(x * x)
    l[1] = x * 3
    l += [x]
    l.extend((1.0, x))
    return sum(l)


def p_sub_b(x):
    l = L([x, 2.0])
    l.append(x * x)
    l.k = x * 5
    del l[0]
    l.insert(0, x * 7)
    return sum(l) + l.k


def p_sub_c(x):
    l = L([x, 2.0, x * x])
    l.sort()
    l.reverse()
    return sum(v * i for i, v in enumerate(l)) + l[0]


def p_sub_d(x):
    l = L([x, 2.0, x * x])
    return sum(l[1:3]) + l.pop() + l[0]


def p_sub_e(x):
    l = L([x, 2.0, x * x])
    return l[0] * l.pop()


class D(dict):
    def __init__(self, *a, **k):
        dict.__init__(self, *a, **k)
        self["z"] = 1.0

    def __setitem__(self, k, v):
        dict.__setitem__(self, k, v * 2)

    def __getitem__(self, k):
        return dict.__getitem__(self, k) + 0.5

    def __delitem__(self, k):
        super().__delitem__(k)

    def get(self, k, d=None):
        return super().get(k, d)

    def update(self, *a, **k):
        for q, v in dict(*a, **k).items():
            self[q] = v

    def pop(self, k, *d):
        return super().pop(k, *d) * 7

    def setdefault(self, k, d=None):
        return super().setdefault(k, d)

    def items(self):
        return [(k, self[k]) for k in self]


def p_sub_f(x):
    d = D({"a": x}, b=x * x)
    return sum(dict.values(d))


def p_sub_g(x):
    d = D({"a": x}, b=x * x)
    d["c"] = x
    d.update(e=x * 4)
    d.setdefault("f", x * 9)
    return sum(dict.values(d))


def p_sub_h(x):
    d = D({"a": x}, b=x * x)
    return d.pop("a") + d.pop("nope", x) + len(d)


def p_sub_i(x):
    d = D({"a": x}, b=x * x)
    return sum(v for k, v in d.items()) + d.get("b") + d.get("q", x)


def p_sub_j(x):
    d = D({"a": x}, b=x * x)
    return sum(d.values())


def p_sub_k(x):
    d = D({"a": x}, b=x * x)
    return sum(v for k, v in dict.items(d))


def p_key_fn(x):
    log = []

    def key(v):
        log.append(v * 2)
        return -v

    a = sorted([x, x * x], key=key)
    b = max([x, x * x], key=key)
    return a[0] * b + sum(log)


def p_callable_dunder_getattr_hasattr(x):
    class A:
        def __getattr__(self, n):
            if n.startswith("__"):
                raise AttributeError(n)
            self.__dict__[n] = v = x * len(n)
            return v

    a = A()
    h = hasattr(a, "abc")
    return a.abc * (2 if h else 3) + len(vars(a))


def p_prop_hasattr(x):
    class A:
        _c = None

        @property
        def c(self):
            if self._c is None:
                self._c = x * x
            return self._c

    a = A()
    h = hasattr(a, "c")
    return a._c * (2 if h else 3)


def p_math_isclose_obj(x):
    class A:
        def __float__(self):
            log.append(x)
            return x * 2

    log = []
    return math.sin(A()) + sum(log) + float(A())


def p_operator_fns(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __add__(self, o):
            return A(self.v + o)

        def __call__(self, k):
            return self.v * k

        def meth(self, k):
            return self.v * k

    a = A(x)
    g = operator.attrgetter("v")
    return (
        operator.add(a, x).v
        + operator.call(a, 2.0)
        + g(a)
        + operator.methodcaller("meth", x)(a)
        + operator.itemgetter(0)([x])
    )


def p_getattr_chain(x):
    class A:
        pass

    a = A()
    a.b = A()
    a.b.c = x
    f = functools.reduce(getattr, ["b", "c"], a)
    return f * operator.attrgetter("b.c")(a)


def p_setattr_loop(x):
    class A:
        pass

    a = A()
    for k, v in {"p": x, "q": x * x}.items():
        setattr(a, k, v)
    list(map(lambda kv: setattr(a, *kv), [("r", x * 3)]))
    any(map(functools.partial(setattr, a), ["s"], [x * 5]))
    return a.p * a.q + a.r + a.s


def p_ns_merge(x):
    a = types.SimpleNamespace(v=x)
    b = types.SimpleNamespace(**{**a.__dict__, "w": x * x})
    a.__dict__.update(b.__dict__)
    return a.w * b.v + (a == b)


def p_del_attr_paths(x):
    class A:
        pass

    a = A()
    a.v = x
    a.w = x * 2
    a.__dict__.pop("v")
    r = a.__dict__.popitem()[1]
    a.__dict__["z"] = r * x
    b = a.__dict__.copy()
    a.__dict__.clear()
    a.v = 1.0
    return r + b["z"] + a.v


def p_replace_dict(x):
    class A:
        pass

    a = A()
    a.v = x
    a.__dict__ = {"v": x * x, "k": 2.0}
    d = a.__dict__
    a.k = x
    return a.v * d["k"]


def p_module_class(x):
    class Lazy(types.ModuleType):
        @property
        def val(self):
            return self.base * 2

        def __getattr__(self, n):
            return self.base * 5

    m = Lazy("m")
    m.base = x
    return m.val + m.base + m.other


def p_generic_alias(x):
    class Stack(typing.Generic[typing.TypeVar("T")]):
        def __init__(self):
            self.items = []

        def push(self, v):
            self.items.append(v)
            return self

    s = Stack[float]().push(x).push(x * x)
    return sum(s.items)


def p_weird_new(x):
    class Cache:
        pool = {}

        def __new__(cls, k):
            if k not in cls.pool:
                o = super().__new__(cls)
                o.v = x * k
                cls.pool[k] = o
            return cls.pool[k]

        def __init__(self, k):
            self.n = getattr(self, "n", 0) + 1
            self.w = self.v * k

    a = Cache(2)
    b = Cache(2)
    c = Cache(3)
    return a.w + b.w * c.v + a.n + float(a is b)


def p_new_other(x):
    class A:
        def __new__(cls, v):
            return v * 2 if cls is A else super().__new__(cls)

    class B(A):
        def __init__(self, v):
            self.v = v

    return A(x) * B(x).v


def p_init_via_cls(x):
    class A:
        def __init__(self, v):
            self.v = v

    class B(A):
        def __init__(self, v):
            A.__init__(self, v * 2)
            self.w = v

    b = B.__new__(B)
    B.__init__(b, x)
    b.__init__(b.w * x)
    return b.v + b.w


def p_diamond(x):
    class R:
        def __init__(self, **k):
            self.log = []

    class A(R):
        def __init__(self, a, **k):
            super().__init__(**k)
            self.a = a
            self.log.append(a)

    class B(R):
        def __init__(self, b, **k):
            super().__init__(**k)
            self.b = b
            self.log.append(b * 2)

    class C(A, B):
        def __init__(self, *args, **k):
            super().__init__(*args, **k)

    c = C(a=x, b=x * x)
    return c.a * c.b + sum(v * i for i, v in enumerate(c.log, 1))


def p_super_in_comp(x):
    class A:
        def f(self, k):
            return x * k

    class B(A):
        def f(self, k):
            s = super()
            return sum(s.f(i) for i in range(k)) + super().f(2)

        @classmethod
        def mk(cls):
            return cls()

        @classmethod
        def tot(cls, v):
            return v * 2

    class C(B):
        @classmethod
        def tot(cls, v):
            return super().tot(v) * x

        @staticmethod
        def st(v):
            return v + x

    return B.mk().f(3) + C.tot(x) + C.st(x) + C().st(2.0)


def p_attrs_like(x):
    def attrs(cls):
        names = list(cls.__annotations__)

        def __init__(self, *args):
            for n, v in zip(names, args):
                setattr(self, n, v)

        cls.__init__ = __init__
        return cls

    @attrs
    class P:
        a: float
        b: float

    p = P(x, x * x)
    return p.a * p.b


def p_partialmethod_kw(x):
    class A:
        def __init__(self):
            self.v = x

        def set(self, name, value):
            setattr(self, name, value)

        set_v = functools.partialmethod(set, "v")

        @functools.partialmethod
        def q(self):
            return self.v

        cm = functools.partialmethod(classmethod(lambda cls, k: k * x), 3.0) if False else None

    a = A()
    a.set_v(x * x)
    return a.v


def p_stack_of_partials(x):
    f = functools.partial(functools.partial(lambda a, b, c, d=1.0: a * b + c * d, x), x * x, d=x)
    return f(2.0) + f.func(1.0, 2.0, 3.0) + f(c=x) if True else 0


def p_method_on_numpy_attr(x):
    class Model:
        def __init__(self, n):
            self.W = np.full((n, n), x)
            self.b = np.zeros(n)

        def step(self, v):
            self.b += v
            self.W[0] *= 2
            self.W[:, 1] = self.b * x
            return (self.W @ self.b).sum()

    m = Model(3)
    return m.step(x) * m.step(x * x)


def p_closure_class_attr_update(x):
    class C:
        hist = []
        best = None

        def see(self, v):
            self.hist.append(v)
            if C.best is None or v < C.best:
                C.best = v
            type(self).last = v
            return self

    c = C().see(x).see(x * x).see(x * 2)
    return C.best * C.last + sum(C.hist) + c.best


def p_descr_class_state(x):
    class Count:
        def __init__(self):
            self.n = 0.0

        def __get__(self, o, cls):
            self.n = self.n + x
            return self.n

    class A:
        k = Count()

    a = A()
    return a.k * A.k + A().k


def p_classprop(x):
    class cp:
        def __init__(self, f):
            self.f = f

        def __get__(self, o, cls):
            return self.f(cls)

    class A:
        base = x

        @cp
        def twice(cls):
            return cls.base * 2

    class B(A):
        base = x * x

    return A.twice * B.twice + B().twice


def p_ctx_state(x):
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


def p_fn_parts(x):
    def f(a, b=x, *, c=x * x):
        return a

    g = lambda: x * 3
    k = g.__closure__[0].cell_contents
    return f.__defaults__[0] * f.__kwdefaults__["c"] + k + g.__code__.co_argcount


def p_order_that_stores(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __lt__(self, o):
            log.append(self.v * o.v)
            return self.v < o.v

    log = []
    xs = sorted([A(x), A(x * x)])
    ys = [A(x * 2), A(x)]
    ys.sort()
    return sum(log) + xs[0].v + ys[1].v


PROGRAMS = [f for name, f in list(globals().items()) if name.startswith("p_")]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__[2:])
def test_program(f):
    verify(f, 0.7)


def refused(f, match):
    with pytest.raises(morula.NotDifferentiable, match=match):
        gradient(f, 0.7)


def test_finalizers_that_look_at_active_values_are_refused():
    log = []

    class Logged:
        def __init__(self, v):
            self.v = v

        def __del__(self):
            log.append(self.v)

    class Counted:
        alive = 0

        def __init__(self, v):
            self.v = v
            Counted.alive += 1

        def __del__(self):
            Counted.alive -= 1

    refused(lambda x: Logged(x).v, "__del__")
    assert gradient(lambda x: x * Logged(2.0).v, 0.7) == (2.0,)
    assert log[-1] == 2.0
    assert gradient(lambda x: Counted(x).v * 3.0, 0.7) == (3.0,)
    assert Counted.alive == 0


def test_an_array_beside_an_object_makes_an_array_of_objects():
    class Number:
        def __init__(self, v):
            self.v = v

        def __radd__(self, other):
            return self.v + other

    refused(lambda x: (np.array([1.0, 2.0]) + Number(x))[0], "__array_ufunc__")


def test_class_bodies_that_look_at_their_namespace():
    def active(x):
        class Local:
            k = x
            locals()["j"] = k

        return Local.j

    def inactive(x):
        class Local:
            locals()["j"] = 2.0

        return Local.j * x

    refused(active, "namespace")
    assert gradient(inactive, 0.7) == (2.0,)


def stored_by_bool(x):
    class A:
        def __init__(self):
            self.v = x

        def __bool__(self):
            self.v = self.v * 2
            return True

    a = A()
    if a:
        pass
    t = a.v
    while a:
        break
    r = (a and x) + t
    return r + a.v * (1 if not a else 2)


def stored_by_len(x):
    class A:
        def __init__(self):
            self.v = x
            self.log = []

        def __len__(self):
            self.log.append(self.v)
            return 3

    a = A()
    n = len(a)
    if a:
        n += 1
    return sum(a.log) * n


def stored_by_repr(x):
    class A:
        def __init__(self):
            self.v = x
            self.log = []

        def __repr__(self):
            self.log.append(self.v)
            return "a"

        def __format__(self, s):
            self.log.append(self.v * 2)
            return "b"

        def __str__(self):
            self.log.append(self.v * 3)
            return "c"

        def __hash__(self):
            self.log.append(self.v * 4)
            return 1

        def __eq__(self, o):
            self.log.append(self.v * 5)
            return True

        def __int__(self):
            self.log.append(self.v * 6)
            return 1

        def __index__(self):
            self.log.append(self.v * 7)
            return 1

        def __bool__(self):
            self.log.append(self.v * 8)
            return True

    a = A()
    s = repr(a) + f"{a}" + str(a) + f"{a!r}" + f"{a}"
    h = hash(a)
    d = {a: 1.0}
    e = a == 3
    i = int(a) + [1, 2][a] + bool(a)
    return sum(a.log) + len(s)


def stored_by_contains(x):
    class A:
        def __init__(self, v):
            self.v = v
            self.n = []

        def __eq__(self, o):
            self.n.append(self.v)
            return False

        __hash__ = object.__hash__

    a = A(x)
    r = 3.0 in [a, a]
    r2 = [a].count(4)
    return sum(a.n)


def stored_by_isinstance(x):
    log = []

    class M(type):
        def __instancecheck__(cls, o):
            log.append(x)
            return True

    class A(metaclass=M):
        pass

    t = isinstance(x, A)
    return x * t + sum(log)


def stored_by_issubclass(x):
    log = []

    class M(abc.ABCMeta):
        def __subclasscheck__(cls, o):
            log.append(x * 2)
            return True

    class A(metaclass=M):
        pass

    t = issubclass(int, A)
    return x * t + sum(log)


def stored_by_dir(x):
    log = []

    class A:
        def __dir__(self):
            log.append(x)
            return ["a"]

    return len(dir(A())) * x + sum(log)


STORING = [f for name, f in list(globals().items()) if name.startswith("stored_by_")]


@pytest.mark.parametrize("f", STORING, ids=lambda f: f.__name__[10:])
def test_what_python_calls_itself_may_not_store_active_values(f):
    refused(f, "stores values|a method stored")


def test_what_python_calls_itself_may_store_what_is_inactive():
    class Counted:
        compared = 0

        def __init__(self, v):
            self.v = v
            self.hash = None

        def __lt__(self, other):
            Counted.compared += 1
            return self.v < other.v

        def __eq__(self, other):
            return self.v == other.v

        def __hash__(self):
            self.hash = hash(self.v)
            return self.hash

    def f(x):
        items = sorted([Counted(x), Counted(x * x)])
        return {items[0]: x}[items[0]] * items[1].v * Counted.compared

    assert gradient(f, 0.5) == (1.0,)


def test_parts_of_functions_are_not_assigned_active_values():
    def defaults(x):
        def f(a=1.0):
            return a

        f.__defaults__ = (x,)
        return f()

    def cell(x):
        y = 1.0

        def f():
            return y

        f.__closure__[0].cell_contents = x
        return f()

    refused(defaults, "__defaults__")
    refused(cell, "cell_contents")


class Node:
    def __init__(self, v, parent=None):
        self.v = v
        self.parent = parent


def weak_parent(x):
    root = Node(x)
    return Node(2.0, weakref.ref(root)).parent().v


def weak_before_active(x):
    node = Node(2.0)
    seen = weakref.ref(node)
    node.v = x
    value = node.v
    del node
    return value if seen() is None else 0.0


def weak_values(x):
    node = Node(x)
    table = weakref.WeakValueDictionary()
    table["node"] = node
    return table["node"].v


def weak_keys(x):
    node = Node(x)
    table = weakref.WeakKeyDictionary()
    table[node] = x
    return table[node]


@pytest.mark.parametrize("f", [weak_parent, weak_before_active, weak_values, weak_keys], ids=lambda f: f.__name__)
def test_weak_references_to_active_objects_are_refused(f):
    refused(f, "weak reference")


def test_weak_references_to_inactive_objects():
    def f(x):
        node = Node(2.0)
        seen = weakref.ref(node)
        v = seen().v
        node = None
        return x * v * (3.0 if seen() is None else 5.0)

    assert gradient(f, 0.7) == (6.0,)


# -- what metaclasses make of a body -------------------------------------------------------------------------------


def enum_of_active_values(x):
    class Level(enum.Enum):
        LOW = x[0]
        HIGH = x[1] * 2.0
        BOTH = (x[0], x[1])

    return Level.LOW.value * Level["HIGH"].value + sum(v.value for v in (Level.LOW, Level.HIGH)) + Level.BOTH.value[1]


def test_members_of_an_enum():
    verify(enum_of_active_values, np.array([1.5, 0.7]))


def test_a_prepared_namespace_with_active_values_is_refused():
    def f(x):
        class Meta(type):
            @classmethod
            def __prepare__(mcs, name, bases):
                return {"q": x}

        class Made(metaclass=Meta):
            z = q * 2.0  # noqa: F821

        return Made.z

    with pytest.raises(morula.NotDifferentiable, match="__prepare__"):
        morula.gradient(f, 1.5)


# -- what Python itself calls, and what that calls in turn ------------------------------------------------------------


def length_by_a_lazy_helper(x):
    class Lazy:
        def __init__(self, x):
            self.x, self.made = x, None

        def data(self):
            if self.made is None:
                self.made = [v * 2.0 for v in self.x]
            return self.made

        def __len__(self):
            return len(self.data())

    lazy = Lazy(x)
    n = len(lazy)
    return sum(lazy.data()) * n


def text_by_a_cached_property(x):
    class Norm:
        def __init__(self, x):
            self.x = x

        @functools.cached_property
        def norm(self):
            return math.sqrt(self.x @ self.x)

        def __repr__(self):
            return f"{self.norm:.2f}"

    made = Norm(x)
    repr(made)
    return made.norm


def text_by_a_function_that_notes(x):
    seen = []

    def note(v):
        seen.append(v)
        return True

    class Noted:
        def __init__(self, x):
            self.x = x

        def __str__(self):
            return str(note(self.x[0] * 2.0))

    str(Noted(x))
    return seen[0]


def finalizer_that_stores_what_it_captures(x):
    a, seen = x[0] * 2.0, []

    class Final:
        def __del__(self):
            seen.append(a)

    made = Final()
    del made
    return seen[0] * x[1]


def finalize(x):
    seen = []
    made = types.SimpleNamespace()
    weakref.finalize(made, seen.append, x[0])
    del made
    return seen[0] * x[1]


@pytest.mark.parametrize(
    "f",
    [
        length_by_a_lazy_helper,
        text_by_a_cached_property,
        text_by_a_function_that_notes,
        finalizer_that_stores_what_it_captures,
        finalize,
    ],
)
def test_what_runs_unseen_may_not_store(f):
    with pytest.raises(morula.NotDifferentiable):
        gradient(f, np.array([1.5, 0.7]))


def observers_that_only_look(x):
    class Vector:
        def __init__(self, x):
            self.x = x

        def total(self):
            return sum(self.x)

        def __repr__(self):
            parts = []
            for v in self.x:
                parts.append(format(v * 2.0, ".2f"))
            return ", ".join(parts) + f" {self.total():.2f}"

        def __len__(self):
            return len(self.x)

        def __eq__(self, other):
            return np.allclose(self.x, other.x)

        __hash__ = None

    v = Vector(x)
    assert repr(v) and len(v) == len(x) and v == v
    return v.total() * v.x[0]


def test_observers_that_only_look():
    verify(observers_that_only_look, np.array([1.5, 0.7]))


def typed_dict_call(x):
    return typing.TypedDict("T", {"a": float})(a=x)["a"] * 3


def typed_dict_class(x):
    class T(typing.TypedDict):
        a: float

    t = T(a=x)
    return t["a"] * x


def structure(x):
    class S(ctypes.Structure):
        _fields_ = (("a", ctypes.c_double),)

    return S(2.0).a * x


@pytest.mark.parametrize("f", [typed_dict_call, typed_dict_class, structure])
def test_classes_whose_metaclass_is_not_written_in_python(f):
    value, (x_bar,) = morula.withgradient(f, 0.7)
    assert value == f(0.7)
    assert x_bar == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: float(Decimal(x) * Decimal(x)),
        lambda x: float(Decimal(x) * 2 + 3),
        lambda x: float(Decimal(x).exp()) * x,
        lambda x: float(abs(-(Decimal(x) ** 2)) / 3),
        lambda x: float(sum([Decimal(x), Decimal(2)])),
        lambda x: float(Decimal(x) % Decimal("0.4")) * x,
    ],
)
def test_decimal_numbers_in_every_mode(f):
    first = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    second = (f(0.7 + 1e-4) - 2 * f(0.7) + f(0.7 - 1e-4)) / 1e-8
    assert morula.gradient(f, 0.7)[0] == pytest.approx(first, rel=1e-6)
    assert morula.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(first, rel=1e-6)
    (found,) = morula.gradient(lambda x: morula.jvp(f, (x,), (1.0,))[1], 0.7)
    assert (found or 0.0) == pytest.approx(second, abs=1e-3)


@pytest.mark.parametrize(
    "look",
    [lambda it: it.__setstate__(1), lambda it: it.__reduce__(), lambda it: it.__length_hint__(), copy.copy],
    ids=["setstate", "reduce", "length_hint", "copy"],
)
def test_the_state_of_an_iterator_is_refused(look):
    def f(x):
        items = iter([x, 2.0 * x])
        look(items)
        return next(items)

    with pytest.raises(morula.NotDifferentiable, match="state of an iterator"):
        morula.gradient(f, 1.0)


def test_a_zero_partial_kills_an_infinite_cotangent_of_a_number():
    for f in (lambda s: np.floor(s) * np.inf, lambda s: np.floor(s) ** np.float64(0.8)):
        with np.errstate(all="ignore"):
            assert morula.gradient(f, 0.37) == (0.0,)
