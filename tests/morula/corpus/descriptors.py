"""Properties, descriptors, cached properties, bound and partial methods."""

import functools
import types
from functools import cached_property

import numpy as np

from corpus import LOG, THREE, Programs, X

program = Programs()


@program(X)
def descriptor_stores_in_owner(x):
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


@program(X)
def descriptor_stores_by_identity(x):
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


@program(X)
def descriptor_without_set(x):
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


class SquaringDescriptor:
    def __set_name__(s, o, n):
        s.n = "_" + n

    def __get__(s, o, t=None):
        return s if o is None else getattr(o, s.n) * 2

    def __set__(s, o, v):
        setattr(o, s.n, v * v)


class Squared:
    v = SquaringDescriptor()


@program(X)
def descriptor(x):
    h = Squared()
    h.v = x
    h.v += x
    return h.v


class DictDescriptor:
    def __set_name__(s, o, n):
        s.n = n

    def __get__(s, o, t=None):
        return o.__dict__[s.n] * 2

    def __set__(s, o, v):
        o.__dict__[s.n] = v * v


class SquaredInDict:
    v = DictDescriptor()


@program(X)
def descriptor_dict(x):
    h = SquaredInDict()
    h.v = x
    return h.v


@program(X)
def property_with_cache(x):
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


@program(THREE)
def property_that_caches(x):
    class P:
        def __init__(self, v):
            self._v = v
            self._c = None

        @property
        def c(self):
            if self._c is None:
                self._c = self._v**2
            return self._c

    p = P(x[0])
    return p.c * p.c + p.c


@program(X)
def property_filled_by_hasattr(x):
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


@program(X)
def property_setter(x):
    class C:
        def __init__(s):
            s._v = 0.0

        @property
        def v(s):
            return s._v * 2

        @v.setter
        def v(s, q):
            s._v = q * q

        @v.deleter
        def v(s):
            s._v = x

    c = C()
    c.v = x
    r = c.v
    c.v += x
    r2 = c.v
    del c.v
    return r * r2 * c.v


@program(X)
def property_of_a_base(x):
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


@program(X)
def cached_property_used_twice(x):
    class C:
        def __init__(s, v):
            s.v = v

        @cached_property
        def sq(s):
            LOG.append("c")
            return s.v * s.v

    c = C(x)
    return c.sq * c.sq


class CachedSquares:
    def __init__(s):
        s.v = 0.7
        s.k = 2

    @cached_property
    def sq(s):
        return s.v * s.v

    @cached_property
    def const(s):
        return s.k * 3.0


@program(CachedSquares())
def cached_property_of_an_argument(o):
    return o.sq * o.const


@program(X)
def cached_property_deleted(x):
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


@program(X)
def set_name_of_a_descriptor(x):
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


@program(X)
def descriptor_with_state(x):
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


@program(X)
def class_property(x):
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


@program(X)
def partialmethod(x):
    class A:
        def __init__(self, v):
            self.v = v

        def scale(self, k, *, by=1.0):
            return self.v * k * by

        double = functools.partialmethod(scale, 2.0)
        triple = functools.partialmethod(scale, 3.0, by=5.0)

    a = A(x)
    return a.double() * a.triple(by=x) + a.double(by=x)


@program(X)
def partialmethod_that_sets(x):
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


@program(X)
def bound_methods_stored(x):
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


@program(X)
def methods_patched(x):
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


def times_three(x, y=1.0):
    return x * 3.0 * y


@program(1.7)
def a_method_made_by_hand(x):
    return types.MethodType(times_three, x)(2.0)


@program(1.7)
def a_method_of_a_function(x):
    return times_three.__get__(x)(2.0)


@program(1.7)
def a_method_of_a_function_with_owner(x):
    return times_three.__get__(x, float)(2.0)


@program(1.7)
def a_method_by_the_class(x):
    return types.FunctionType.__get__(times_three, x)(2.0)


def second(t):
    return t[1] * 3.0


@program(1.7)
def a_method_of_a_tuple(x):
    return types.MethodType(second, (1.0, x))()


@program(1.7)
def a_method_got_of_a_tuple(x):
    return second.__get__((1.0, x))()


@program(1.7)
def a_method_of_a_numpy_number(x):
    return types.MethodType(times_three, np.float64(x))(2.0)


@program(1.7)
def a_method_kept_in_a_dict(x):
    d = {"m": types.MethodType(times_three, x)}
    return d["m"](2.0) + d["m"](y=4.0)


@program(1.7)
def a_method_mapped(x):
    return sum(map(types.MethodType(times_three, x), [1.0, 2.0]))


@program(1.7)
def a_bound_wrapper(x):
    bind = times_three.__get__
    return bind(x)(2.0)


@program(1.7)
def the_self_of_a_method(x):
    return types.MethodType(times_three, x).__self__ * 2.0


class Frozen:
    """As `attrs.frozen` makes classes: the initialiser goes around the class's own method."""

    def __init__(self, x):
        store = object.__setattr__.__get__(self)
        store("x", x)
        store("y", 2.0 * x)
        again = super().__setattr__
        again("x", object.__getattribute__.__get__(self)("y") * x)

    def __setattr__(self, name, value):
        raise AttributeError(name)


@program(X)
def methods_in_c_that_a_class_hides(x):
    class Doubling(dict):
        def __setitem__(self, key, value):
            dict.__setitem__.__get__(self)(key, value * 2.0)

    class Counting(float):
        def __mul__(self, other):
            return float.__mul__.__get__(self)(other) + 1.0

    class Summed(np.ndarray):
        def sum(self, *args, **kwargs):
            return np.ndarray.sum.__get__(self)(*args, **kwargs) * 3.0

        def __mul__(self, other):
            return np.ndarray.__mul__.__get__(self)(other) + 1.0

    d, o = Doubling(), Frozen(x)
    d["a"] = x
    v = np.array([x, x * x]).view(Summed)
    return d["a"] * o.x + o.y * (Counting(x) * x) + float((v * 2.0).sum())


@program(X)
def methods_of_numbers_as_values(x):
    times, power, less = x.__mul__, np.float64(x).__pow__, x.__rsub__
    conjugate = complex(x, x * x).conjugate
    return sum(map(times, [1.0, x])) + power(2) * less(x * x) + (conjugate() * 1j * x).real + x * x.is_integer()
