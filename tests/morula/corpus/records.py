"""Dataclasses and named tuples."""

import collections
import dataclasses
import typing
from collections import namedtuple
from dataclasses import dataclass, field

from corpus import Programs, X

program = Programs()


@dataclass
class Record:
    a: float
    b: float = 2.0
    c: list = field(default_factory=list)


@program(X)
def dataclass_with_list(x):
    o = Record(x, c=[x])
    o.c.append(o.a * o.b)
    o.b += x
    return sum(o.c) * o.b


@program(X)
def replaced_dataclass(x):
    o = Record(x)
    k = dataclasses.replace(o, b=x * x)
    return k.a * k.b + o.b


@program(X)
def asdict_of_a_dataclass(x):
    o = Record(x, x * x, [x])
    d = dataclasses.asdict(o)
    return d["a"] * d["b"] * d["c"][0]


@program(X)
def astuple_of_a_dataclass(x):
    o = Record(x, x * x, [x])
    a, b, c = dataclasses.astuple(o)
    return a * b * c[0]


@program(X)
def fields_of_a_dataclass(x):
    o = Record(x, x * x)
    return sum(getattr(o, f.name) for f in dataclasses.fields(o) if f.name != "c")


@dataclass(frozen=True)
class FrozenRecord:
    a: float
    b: float = 1.0

    def __post_init__(self):
        object.__setattr__(self, "s", self.a * self.b)


@program(X)
def frozen_dataclass(x):
    o = FrozenRecord(x, x * x)
    return o.s * o.a


@dataclass
class RecordWithInit(Record):
    d: float = 0.0

    def __init__(self, a, d):
        super().__init__(a)
        self.d = d


@program(X)
def dataclass_with_own_init(x):
    o = RecordWithInit(x, x * x)
    return o.a * o.d * o.b


class RecordOfOne(Record):
    def __init__(self, a):
        super().__init__(a, a * a)


@program(X)
def subclass_of_a_dataclass(x):
    o = RecordOfOne(x)
    return o.a * o.b


@dataclass(slots=True)
class SlottedRecord:
    a: float
    b: float = 1.0


@program(X)
def dataclass_with_slots(x):
    o = SlottedRecord(x, x * x)
    o.a *= o.b
    return o.a


@program(SlottedRecord(1.5, 2.0))
def dataclass_with_slots_as_argument(o):
    return o.a * o.b * dataclasses.replace(o, b=3.0).b


@dataclass(order=True)
class OrderedRecord:
    key: float
    v: float = field(compare=False, default=0.0)


@program(X)
def ordered_dataclass(x):
    xs = sorted([OrderedRecord(2.0, x), OrderedRecord(1.0, x * x)])
    return xs[0].v * 3 + min(xs).v + max(xs).v


@dataclass(eq=True, unsafe_hash=True)
class RecordWithInitVar:
    a: float
    iv: dataclasses.InitVar[float] = 1.0

    def __post_init__(self, iv):
        self.q = self.a * iv


@program(X)
def init_only_field(x):
    return RecordWithInitVar(x, x * x).q + RecordWithInitVar(x).q


@program(X)
def default_factory(x):
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


@program(X)
def init_only_field_with_default(x):
    @dataclass
    class A:
        v: float
        k: dataclasses.InitVar[float] = 3.0
        w: float = field(init=False)

        def __post_init__(self, k):
            self.w = self.v * k

    return A(x).w + A(x, x * x).w


@program(X)
def keyword_only_fields(x):
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


@program(X)
def replace_in_a_method(x):
    @dataclass(frozen=True)
    class P:
        a: float
        b: float = 2.0

        def scaled(self, k):
            return dataclasses.replace(self, a=self.a * k)

    p = P(x)
    q = dataclasses.replace(p, b=x * x)
    return p.b * q.a * q.b + q.scaled(x).a


@program(X)
def asdict_nested(x):
    @dataclass
    class P:
        a: float
        b: list
        c: object = None

    p = P(x, [x * x, 2.0], P(x, []))
    d = dataclasses.asdict(p)
    t = dataclasses.astuple(p)
    return d["a"] * d["b"][0] + t[0] * t[1][0] + d["c"]["a"]


@program(X)
def fields_by_name(x):
    @dataclass
    class P:
        a: float
        b: float

    p = P(x, x * x)
    return sum(getattr(p, f.name) for f in dataclasses.fields(p))


@program(X)
def dataclass_compared(x):
    @dataclass(order=True)
    class P:
        a: float
        b: float

    p, q = P(x, 2.0), P(x, x)
    return (3.0 if p == P(x, 2.0) else 1.0) * x + (x if p > q else x * x) + max([p, q]).b * min(p, q).b


@program(X)
def dataclass_as_key(x):
    @dataclass(frozen=True)
    class P:
        a: float

    d = {P(x): x * x}
    return d[P(x)]


@program(X)
def active_field_defaults(x):
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


@program(X)
def dataclass_with_property(x):
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


@program(X)
def make_dataclass(x):
    K = dataclasses.make_dataclass("K", ["a", "b"])
    return K(x, x * x).b


@program(X)
def local_dataclass(x):
    @dataclasses.dataclass
    class P:
        a: float
        b: float = 2.0

        def s(self):
            return self.a * self.b * x

    return P(x).s() + dataclasses.replace(P(x), b=x).b


Pair = namedtuple("NT", "a b", defaults=[2.0])


@program(X)
def namedtuple_methods(x):
    n = Pair(x)
    m = n._replace(b=x * x)
    a, b = m
    return n.a * n.b + a * b + m[0] * m[-1] + sum(m) + m._asdict()["b"]


class TypedPair(typing.NamedTuple):
    a: float
    b: float = 3.0

    def prod(self):
        return self.a * self.b

    @property
    def s(self):
        return self.a + self.b

    @classmethod
    def mk(cls, v):
        return cls(v, v * v)


@program(X)
def typed_namedtuple(x):
    n = TypedPair.mk(x)
    return n.prod() * n.s + TypedPair(x).b


@program(X)
def namedtuple_make(x):
    return Pair._make([x, x * x]).b


@program(X)
def namedtuple_from_stars(x):
    n = Pair(*[x, x * x])
    k = Pair(**{"a": x, "b": x * x})
    return n.b * k.b


@program(X)
def namedtuple_concatenated(x):
    n = Pair(x, x * x) + (x,)  # noqa: RUF005
    return n[1] * n[2]


class Measured(Pair):
    def __init__(self, a, b=2.0):
        self.product = a * b

    def _asdict(self):
        return {"a": self.a * 3.0}


@program(X)
def namedtuple_with_attributes(x):
    n = Measured(x, b=x * x)
    return n.product * n.b + Measured(x).product + n._asdict()["a"]


@program(X)
def namedtuple_sliced(x):
    n = Pair(x, x * x)
    return n[1:][0] * n[::-1][0]


@program(X)
def local_namedtuple(x):
    P = namedtuple("P", "a b")
    p = P(x, b=x * x)
    return p.a * p.b


@program(X)
def local_typed_namedtuple(x):
    class P(typing.NamedTuple):
        a: float
        b: float = 2.0

        def s(self):
            return self.a * self.b

    return P(x).s()


@program(X)
def typed_namedtuple_methods(x):
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


@program(X)
def namedtuple_new(x):
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


@program(X)
def namedtuple_subclass(x):
    class P(collections.namedtuple("P", "a b", defaults=[2.0])):
        def __new__(cls, a, *r):
            self = super().__new__(cls, a * 3, *r)
            return self

        def __add__(self, o):
            return self._replace(a=self.a + o.a)

    p = P(x)
    q = P(x * x, x)
    return (p + q).a + p.b * q.b + P._make([x, 2.0]).a * 0 + sum(q)


@program(X)
def typed_namedtuple_matched(x):
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
