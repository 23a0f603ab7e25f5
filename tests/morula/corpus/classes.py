"""Class bodies, inheritance, construction, metaclasses, state of classes."""

import abc
import contextlib
import enum
import typing

import numpy as np

from corpus import THREE, TWO, Programs, X, Y

program = Programs()


@program(X)
def list_of_a_class(x):
    class C:
        items = []

    C.items.append(x)
    C().items.append(x * x)
    return sum(C.items)


@program(X)
def array_of_a_class(x):
    class C:
        buf = np.zeros(3)

    C.buf[1] = x
    c = C()
    c.buf[2] = x * x
    c.buf += x
    return (C.buf * c.buf).sum()


@program(X)
def classmethod_state(x):
    class C:
        reg = {}

        @classmethod
        def put(cls, k, v):
            cls.reg[k] = v
            return cls

        @staticmethod
        def sc(v):
            return v * x

    C.put("a", x).put("b", x * x)
    return C.sc(C.reg["a"]) * C.reg["b"]


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


@program(X)
def total_of_a_module_class(x):
    Counter.total = 0.0
    Counter.items = []
    Counter().add(x)
    Counter().add(x * x)
    return Counter.total * x + Counter.get() + sum(Counter.items) + Counter.bump(x) * Counter.count


@program(X)
def total_of_a_local_class(x):
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


@program(X)
def class_body_active(x):
    class C:
        k = x * x
        a, b = k + 1, x

        def f(self, v):
            return self.k * v + C.a * self.b

        lst = [x, 2.0]

    return C().f(x) + C.k + sum(C.lst)


@program(X)
def class_body_loop(x):
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


@program(X)
def method_defaults(x):
    class C:
        def f(self, v=x * x, *, k=x):
            return v * k

    return C().f() + C().f(2.0)


@program(X)
def type_of_three_arguments(x):
    C = type("C", (), {"k": x * x, "f": lambda self: self.k * x, "lst": [x]})
    return C().f() + C.k + C().lst[0]


@program(X)
def init_subclass(x):
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


class Registered:
    registry = {}
    count = 0

    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.tag = tag
        Registered.count = Registered.count + 1


@program(X)
def init_subclass_of_the_module(x):
    Registered.count = 0

    class A(Registered, tag=x):
        pass

    class B(A, tag=x * x):
        k = x

    return A.tag * B.tag * B.k + Registered.count


@program(X)
def class_getitem(x):
    class A:
        def __class_getitem__(cls, k):
            return k * x

    return A[x] + A[2.0]


@program(X)
def super_chain(x):
    class A:
        def __init__(s, v):
            s.v = v

        def f(s):
            return s.v

        @property
        def p(s):
            return s.v * 3

    class B(A):
        def __init__(s, v, w):
            super().__init__(v * 2)
            s.w = w

        def f(s):
            return super().f() * s.w

        @property
        def p(s):
            return super().p * 2

    class C(B):
        def f(s):
            return super(C, s).f() + A.f(s)  # noqa: UP008

    return C(x, x * x).f() * C(x, x).p


@program(X)
def bases_side_by_side(x):
    class A:
        def __init__(s, **k):
            super().__init__()
            s.a = k["a"]

    class M:
        def __init__(s):
            s.m = x

    class B(A, M):
        pass

    b = B(a=x * x)
    return b.a * b.m


@program(THREE)
def inheritance_super_chain(x):
    class A:
        def __init__(self, v, **k):
            self.v = v
            self.k = k

        def f(self):
            return self.v

        @classmethod
        def make(cls, v):
            return cls(v)

    class B(A):
        def __init__(self, v, *, w=2.0, **k):
            super().__init__(v * 2, **k)
            self.w = w

        def f(self):
            return super().f() * self.w

        @classmethod
        def make(cls, v):
            return super().make(v * 3)

    class C(B):
        @staticmethod
        def h(v):
            return v + 1

        f2 = B.f

    c = C(x[0], w=x[1], z=x[2])
    return c.f() + c.f2() * c.h(c.k["z"]) + C.make(x[0]).f()


@program(X)
def mixin(x):
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


@program(X)
def diamond(x):
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


@program(X)
def super_in_comprehension(x):
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


@program(X)
def metaclass_call(x):
    class Meta(type):
        def __call__(cls, v, *a, **kw):
            o = super().__call__(v * 2, *a, **kw)
            o.extra = v * v
            return o

    class A(metaclass=Meta):
        def __init__(self, v):
            self.v = v

    return A(x).v * A(x).extra


@program(X)
def singleton_by_metaclass(x):
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


@program(X)
def attributes_of_a_metaclass(x):
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


@program(X)
def metaclass_new(x):
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


@program(THREE)
def operators_of_a_metaclass(x):
    class M(type):
        def __add__(cls, o):
            return cls.k + o

    class K(metaclass=M):
        k = 2.0

    return (K + x[0]) * x[1]


@program(X)
def abstract_class(x):
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


@program(X)
def generic_class(x):
    T = typing.TypeVar("T")

    class Box(typing.Generic[T]):
        def __init__(self, v: T):
            self.v = v

        def get(self) -> T:
            return self.v

    return Box[float](x).get() * Box(x * x).v


@program(X)
def runtime_protocol(x):
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


@program(X)
def generic_alias(x):
    class Stack(typing.Generic[typing.TypeVar("T")]):
        def __init__(self):
            self.items = []

        def push(self, v):
            self.items.append(v)
            return self

    s = Stack[float]().push(x).push(x * x)
    return sum(s.items)


@program(THREE)
def abstract_method(x):
    import abc

    class A(abc.ABC):
        @abc.abstractmethod
        def f(self): ...
        def g(self):
            return self.f() * 2

    class B(A):
        def __init__(self, v):
            self.v = v

        def f(self):
            return self.v**2

    return B(x[0]).g() + B(x[1]).f()


@program(X)
def new_with_a_pool(x):
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


@program(X)
def new_of_another_type(x):
    class A:
        def __new__(cls, v):
            return v * 2 if cls is A else super().__new__(cls)

    class B(A):
        def __init__(self, v):
            self.v = v

    return A(x) * B(x).v


@program(X)
def init_called_by_hand(x):
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


@program(X)
def class_decorator_adds_init(x):
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


@program(X)
def class_in_a_loop(x):
    r = 0.0
    for k in [x, x * x]:

        class C:
            w = k * 2

            def f(self, v):
                return v * self.w * k  # noqa: B023

        r += C().f(x)
    return r


@program(X)
def nested_class_with_state(x):
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


@program(X)
def nested_class(x):
    class A:
        class B:
            def f(s):
                return x * 2

        def g(s):
            return A.B().f() * s.k

        k = 3
        lst = [i * 2 for i in range(3)]

        @staticmethod
        def st(v):
            return v * x

    return A().g() + A.st(2.0) + sum(A.lst)


@program(X)
def private_names_of_a_class(x):
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


@program(X)
def private_names(x):
    class C:
        __k = 2.0

        def __init__(s):
            s.__v = x

        def __f(s):
            return s.__v * s.__k

        def g(s):
            __loc = s.__f()
            return __loc * C.__k

    return C().g()


@program(X)
def class_cell(x):
    class A:
        def f(s):
            return __class__.k * x

        k = 3.0

    return A().f()


@program(X)
def class_doc(x):
    class A:
        """Doc."""

        k = x
        v: float = x * x
        w: "int"

    return A.k * A.v * len(A.__doc__) * len(A.__annotations__) + len(A.__qualname__) * 0 + len(A.__name__)


@program(X)
def nonlocal_in_a_class_body(x):
    t = x

    class A:
        nonlocal t
        t = t * x
        k = t

    return A.k * t


@program(X)
def statements_of_a_class_body(x):
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


@program(X)
def class_decorator(x):
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


@program(X)
def class_replaced_by_decorator(x):
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


@program(X)
def enum_with_a_method(x):
    class E(enum.Enum):
        A = 2.0
        B = 3.0

        def times(self, v):
            return self.value * v

    return E.A.times(x) * E["B"].value + sum(e.value for e in E) * x


@program(X)
def enum_values(x):
    class E(enum.Enum):
        A = 1.0
        B = 2.0

    return sum(e.value * x for e in E) + E.A.value * x


@program(X)
def enum_with_methods(x):
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


@program(X)
def enum_members_with_state(x):
    class S(enum.Enum):
        A = 1
        B = 2

    S.A.weight = x * x
    S.B.weight = x
    return sum(s.weight * s.value for s in S)


@program(X)
def intenum(x):
    class E(enum.IntEnum):
        A = 2

    class F(enum.IntFlag):
        P = 1
        Q = 2

    return E.A * x + x**E.A + (F.P | F.Q) * x + [x, x * x, x**3][E.A]


@program(X)
def floatenum(x):
    class E(float, enum.Enum):
        A = 2.5

    return E.A * x + x**E.A.value


@program(X)
def strenum(x):
    class S(enum.StrEnum):
        A = "a"

    d = {"a": x}
    return d[S.A] * 2


@program(TWO)
def enum_of_active_values(x):
    class Level(enum.Enum):
        LOW = x[0]
        HIGH = x[1] * 2.0
        BOTH = (x[0], x[1])

    return Level.LOW.value * Level["HIGH"].value + sum(v.value for v in (Level.LOW, Level.HIGH)) + Level.BOTH.value[1]


class Accumulator:
    total = 0.0
    table = {}
    log = []

    @classmethod
    def add(cls, v):
        cls.total = cls.total + v
        cls.log = [*cls.log[-1:], v]


@program(X)
def state_of_a_module_class(x):
    Accumulator.total = 0.0
    Accumulator.add(x)
    Accumulator.add(x * x)
    a = Accumulator()
    a.total += x
    Accumulator.table["k"] = x * 5
    return Accumulator.total * a.total + Accumulator.table["k"] + len(Accumulator.log)


@program(X)
def state_shared_by_instances(x):
    class Cfg:
        scale = 1.0
        opts = {"k": 1.0}

    a, b = Cfg(), Cfg()
    Cfg.scale = x
    a.scale = a.scale * x
    a.opts["k"] = x * 3
    return a.scale + b.scale + b.opts["k"] + Cfg.opts["k"] * Cfg.scale


@program(X)
def attributes_set_on_the_class(x):
    class C:
        pass

    C.k = x * x
    type.__setattr__(C, "j", x)
    r = C().k * C.j + vars(C())["q"] if False else C().k * C.j
    delattr(C, "k")
    return r + float(hasattr(C, "k"))


@program(X)
def class_of_an_object_replaced(x):
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


@program(X)
def extremes_kept_on_the_class(x):
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


@program(X)
def tree_of_nodes(x):
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


@program(X)
def instance_over_class_attribute(x):
    class Acc:
        tot = 0.0

        def add(s, v):
            s.tot = s.tot + v
            return s

    a = Acc()
    a.add(x).add(x * x)
    return a.tot


class Planet(enum.Enum):
    EARTH = (5.9, 6.3)
    MARS = (0.6, 3.4)
    seen = enum.nonmember([])

    def __init__(self, m, r):
        self.m, self.r = m, r

    @property
    def g(self):
        return self.m / self.r**2

    @enum.property
    def weight(self):
        return self.g * 2

    @classmethod
    def heaviest(cls):
        return max(cls, key=lambda p: p.g)


class Named(enum.Enum):
    A = "a"

    @property
    def value(self):
        return 7.0


@program(X, Y)
def members_that_hold_numbers(x, y):
    total = sum(p.g * x + p.m + p.weight * y for p in Planet)
    total += Planet["MARS"].value[0] * y + Planet((5.9, 6.3)).r * x + len(Planet) * x + (Planet.MARS in Planet) * y
    Planet.MARS.m = x
    Planet.seen.append(x * y)
    try:
        total += (
            Planet.MARS.g * y + sum(p.m for p in Planet) * Planet.heaviest().r + Planet.seen[-1] * len(Named.A.name)
        )
    finally:
        Planet.MARS.m = 0.6
        Planet.seen.clear()
    return total + Named.A.value * x


@program(X, Y)
def texts_evaluated_again(x, y):
    total = 0.0
    for text in ["x * y", "x**2 + total", "[x, y][1]", "x * y"]:
        total += eval(text)
    return total + eval("x * y", {"x": y, "y": 2.0}) + eval("x * y", {"x": 2.0}, {"y": x})


@program(X)
def bound_method_of_a_class(x):
    class Scale:
        def __init__(self, k):
            self.k = k

        def power(self, z):
            return self.k * z * z

    class Model:
        curve = Scale(3.0).power

        def value(self, z):
            return self.curve(z) + type(self).curve(z * x)

    return Model().value(x) + Model().curve(x)


@program(X)
def private_names_bound_inside_a_method(x):
    class Model:
        def value(self, x):
            import math as __m

            __y = x * x

            def __curve(z):
                nonlocal __y
                __y = __y + __m.sin(z)
                return __y * z

            class __Shift:
                by = 2.0

            try:
                raise ValueError(__curve.__name__)
            except ValueError as __e:
                assert str(__e) == "__curve"
            match x:
                case float() as __same:
                    __y = __y + __same * __Shift.by
            return __curve(x) + __curve(2.0 * x)

    return Model().value(x)


class Shapes:
    """What a derived class finds by ``super()``: a static and a class method, a property, a function of NumPy."""

    sine = staticmethod(np.sin)

    @staticmethod
    def power(x, n=2):
        return x**n

    @classmethod
    def thrice(cls, x):
        return x * 3.0

    @property
    def twice(self):
        return self.x * 2.0


class Round(Shapes):
    @staticmethod
    def power(x):
        return x

    def all_of_them(self, x):
        self.x = x
        of_named = super(Round, self).power(x, n=3)  # noqa: UP008
        return super().power(x) + super().thrice(x) * super().twice + of_named + super().sine(x)

    @classmethod
    def of_the_class(cls, x):
        return super().power(x) * super().thrice(x)


@program(X)
def found_by_super(x):
    return Round().all_of_them(x) * Round.of_the_class(x)


class Keeping(type):
    made: typing.ClassVar = {}

    def __call__(cls, *args, **kw):
        made = type.__call__(cls, *args, **kw)
        Keeping.made[cls.__name__] = made
        return made


class Weighted(metaclass=Keeping):
    def __init__(self, x, w=2.0):
        self.v = x * w


class Noted(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.twice = made.x * 2.0
        return made


class Note(metaclass=Noted):
    def __new__(cls, x):
        made = object.__new__(cls)
        made.squared = x**2
        return made

    def __init__(self, x):
        self.x = x


@program(X)
def instances_made_by_metaclasses(x):
    note = Note(x)
    plain = float.__call__(x) * type.__call__(float, x)
    return plain + Weighted(x).v * Weighted(x, w=x).v + Keeping.made["Weighted"].v + note.twice * note.squared


@program(X)
def classes_that_name_no_module(x):
    class Named(type):
        __module__ = property(lambda cls: None)

    class Kind(metaclass=Named):
        def __init__(self, v):
            self.v = v

        def __iter__(self):
            yield self.v
            yield self.v * 2.0

    other = type("Other", (), {"__module__": None, "v": 2.0})()
    total = 0.0
    for v in (*Kind(x), *iter(Kind(x * x))):
        total += v * other.v
    try:
        iter(other)
    except TypeError:
        total *= x
    return total + isinstance(other, Kind) + sum(Kind(x))
