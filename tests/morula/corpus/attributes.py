"""Attributes and where they lie: `__dict__`, slots, `getattr` and `setattr`, classes that answer for them."""

import functools
import operator
import types

import numpy as np

from corpus import THREE, Programs, X, floats

program = Programs()


@program(X)
def class_attribute_shadowed(x):
    class A:
        v = 2.0

    a = A()
    r = a.v * x
    a.v = x * x
    r += a.v
    del a.v
    return r + a.v * x


@program(X)
def read_through_vars(x):
    class Thing:
        pass

    o = Thing()
    o.a = x * x
    return vars(o)["a"]


@program(X)
def keywords_into_dict(x):
    class Thing:
        def __init__(self, **kw):
            self.__dict__.update(kw)

    o = Thing(a=x * x)
    return o.a


@program(X)
def locals_into_dict(x):
    class Thing:
        def __init__(self, a, b):
            self.__dict__.update(locals())

    o = Thing(x * x, 2)
    return o.a


@program(X)
def set_in_dict(x):
    class Thing:
        pass

    o = Thing()
    o.__dict__["a"] = x * x
    return o.a


@program(X)
def updated_through_vars(x):
    class Thing:
        pass

    o = Thing()
    vars(o).update(a=x * x)
    return o.a


@program(X)
def dict_of_an_object_updated(x):
    class A:
        pass

    a = A()
    vars(a).update(v=x, w=x * x)
    a.__dict__ |= {"z": x**3}
    vars(a)["k"] = 2.0
    r = a.v + a.w * a.z * a.k
    del a.__dict__["w"]
    return r + len(vars(a)) + sum(vars(a).values())


@program(X)
def dict_taken_before_the_attribute(x):
    class Thing:
        pass

    o = Thing()
    dd = o.__dict__
    o.a = x * x
    return dd["a"]


@program(X)
def setattr_by_object(x):
    class C:
        def __setattr__(s, n, v):
            object.__setattr__(s, n, v * 2)

    c = C()
    c.a = x
    c.a *= x
    return c.a


@program(X)
def setattr_super(x):
    class C:
        def __setattr__(s, n, v):
            super().__setattr__(n, v * 2)

    c = C()
    c.a = x
    c.a *= x
    return c.a


@program(X)
def setattr_dict(x):
    class C:
        def __setattr__(s, n, v):
            s.__dict__[n] = v * 2

    c = C()
    c.a = x
    return c.a


@program(X)
def setattr_into_dict_scales(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __setattr__(self, n, v):
            self.__dict__[n] = v * 3.0

    a = A(x)
    a.w = x * x
    return a.v * a.w


@program(X)
def setattr_along_the_bases(x):
    class A:
        def __setattr__(self, n, v):
            super().__setattr__(n, v * 2.0)

    class B(A):
        def __setattr__(self, n, v):
            super().__setattr__(n + "_", v)

    b = B()
    b.q = x
    return b.q_ * x


@program(X)
def object_setattr(x):
    class A:
        pass

    a = A()
    object.__setattr__(a, "v", x * x)
    object.__setattr__(a, "v", a.v * x)
    r = object.__getattribute__(a, "v")
    object.__delattr__(a, "v")
    return r + float(hasattr(a, "v"))


@program(X)
def getattribute_doubles(x):
    class C:
        def __init__(s):
            s.v = x

        def __getattribute__(s, n):
            r = object.__getattribute__(s, n)
            return r * 2 if n == "v" else r

    return C().v


@program(X)
def getattribute_invents(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __getattribute__(self, n):
            if n == "twice":
                return object.__getattribute__(self, "v") * 2
            return super().__getattribute__(n)

    a = A(x)
    return a.twice * a.v


@program(X)
def getattr_invents(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __getattr__(self, n):
            if n.startswith("t"):
                return self.v * 2
            raise AttributeError(n)

    a = A(x)
    return a.twice * a.v + getattr(a, "nope", x) + float(hasattr(a, "tt"))


@program(X)
def getattr_fallback(x):
    class C:
        def __init__(s):
            s.d = {"k": x}

        def __getattr__(s, n):
            if n in ("k",):
                return s.d[n]
            raise AttributeError(n)

    c = C()
    return c.k * getattr(c, "zz", x) * getattr(c, "k", 1.0) * (2 if hasattr(c, "qq") else 3)


@program(X)
def getattr_that_stores_under_hasattr(x):
    class A:
        def __getattr__(self, n):
            if n.startswith("__"):
                raise AttributeError(n)
            self.__dict__[n] = v = x * len(n)
            return v

    a = A()
    h = hasattr(a, "abc")
    return a.abc * (2 if h else 3) + len(vars(a))


@program(X)
def shared_dict(x):
    class Borg:
        shared = {}

        def __init__(self):
            self.__dict__ = self.shared

    a, b = Borg(), Borg()
    a.v = x * x
    b.w = a.v * b.v
    return a.w * b.v


class SharedState:
    shared = {}

    def __init__(self):
        self.__dict__ = self.shared


@program(X)
def shared_dict_of_the_module(x):
    a, b = SharedState(), SharedState()
    a.v = x * x
    return b.v * x


@program(X)
def slots_beside_dict(x):
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


class Slotted:
    __slots__ = ("a", "b")

    def __init__(s, a, b):
        s.a = a
        s.b = b


@program(X)
def slots(x):
    o = Slotted(x, x * x)
    o.a *= 2
    return o.a * o.b


@program(X)
def slots_inherit(x):
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


@program(X)
def slots_set_by_name(x):
    class A:
        __slots__ = ["__dict__", "a", "b"]

        def __init__(self, **k):
            for n, v in k.items():
                setattr(self, n, v)

    a = A(a=x, b=x * x, c=x * 3)
    t = sum(getattr(a, n) for n in ("a", "b", "c"))
    return t + len(vars(a)) + sum(vars(a).values())


@program(X)
def getattr_chain(x):
    class A:
        pass

    a = A()
    a.b = A()
    a.b.c = x
    f = functools.reduce(getattr, ["b", "c"], a)
    return f * operator.attrgetter("b.c")(a)


@program(X)
def setattr_loop(x):
    class A:
        pass

    a = A()
    for k, v in {"p": x, "q": x * x}.items():
        setattr(a, k, v)
    list(map(lambda kv: setattr(a, *kv), [("r", x * 3)]))  # noqa: C417
    any(map(functools.partial(setattr, a), ["s"], [x * 5]))
    return a.p * a.q + a.r + a.s


@program(X)
def namespaces_merged(x):
    a = types.SimpleNamespace(v=x)
    b = types.SimpleNamespace(**{**a.__dict__, "w": x * x})
    a.__dict__.update(b.__dict__)
    return a.w * b.v + (a == b)


@program(X)
def namespace_from_vars(x):
    n = types.SimpleNamespace(a=x, b=[x])
    n.c = n.a * n.b[0]
    m = types.SimpleNamespace(**vars(n))
    return m.c * m.a


@program(X)
def namespace(x):
    o = types.SimpleNamespace(a=x, b=2)
    o.c = x * x
    return o.a * o.c * o.b


@program(X)
def attributes_deleted_in_dict(x):
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


@program(X)
def dict_replaced(x):
    class A:
        pass

    a = A()
    a.v = x
    a.__dict__ = {"v": x * x, "k": 2.0}
    d = a.__dict__
    a.k = x
    return a.v * d["k"]


@program(X)
def subclass_of_modules(x):
    class Lazy(types.ModuleType):
        @property
        def val(self):
            return self.base * 2

        def __getattr__(self, n):
            return self.base * 5

    m = Lazy("m")
    m.base = x
    return m.val + m.base + m.other


@program(THREE)
def setattr_builtin(x):
    class Thing:
        pass

    o = Thing()
    o.v = x[0]
    object.__setattr__(o, "w", x[1])
    o.__setattr__("u", x[2])
    return o.v * o.w * o.u


@program(THREE)
def delattr_builtin(x):
    class Thing:
        v = 3.0

    o = Thing()
    o.v = x[0]
    delattr(o, "v")
    return o.v * x[1]


@program(THREE)
def class_attribute_write(x):
    class Thing:
        v = 3.0

    Thing.v = x[0]
    o = Thing()
    y = o.v * x[1]
    o.v = x[2]
    return y * o.v + Thing.v


@program(THREE)
def function_attribute(x):
    def f():
        return f.k * 2

    f.k = x[0]
    return f() * x[1]


@program(THREE)
def module_attribute(x):
    import types

    m = types.SimpleNamespace()
    m.a = x[0]
    m.__dict__["b"] = x[1]
    return m.a * m.b


@program(X)
def model_with_array_attributes(x):
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


@program(THREE)
def view_kept_in_object(x):
    class Thing:
        pass

    o = Thing()
    o.v = x[1:]
    x[1] = x[0] * 3
    o.v *= 2
    return o.v.sum() * x[0]


class Holder:
    pass


@program(floats(1, 2))
def array_in_an_object(x):
    s = Holder()
    s.x = x
    return s.x**2


class Answers:
    """Has no ``__dict__``, and an answer for everything that is asked of it."""

    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a
        self.b = [1.0]

    def __getattr__(self, name):
        return None


@program(X)
def answers_for_everything(x):
    o = Answers(2.0 * x)
    o.b.append(o.a)
    held = {"o": o}
    return o.a * held["o"].b[1] if o.anything is None else x


class Looking:
    """Has no ``__dict__``, and looks up in a table what is asked of it, the table's own name too."""

    __slots__ = ("k", "table")

    def __init__(self, a):
        self.table = {"p": a, "q": 2.0}
        self.k = a

    def __getattr__(self, name):
        return self.table[name]


@program(X)
def attributes_in_a_table(x):
    o = Looking(x)
    o.k = o.k * 2.0
    return o.p * o.q + o.k + sum([v.p for v in (o, Looking(x * x))])


class Hidden:
    __slots__ = ("__v", "w")

    def __init__(self, a):
        self.__v = a
        self.w = 2.0

    def grow(self, x):
        self.__v = self.__v * x

    def area(self):
        return self.__v**2 * self.w


@program(Hidden(1.5), X)
def private_slots_of_an_argument(o, x):
    o.grow(x)
    return o.area()
