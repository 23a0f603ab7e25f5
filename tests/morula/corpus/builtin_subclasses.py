"""Subclasses of lists, dicts, tuples, numbers and texts, and the classes of `collections` that stand for them."""

import collections
import ctypes
import functools
import math
import typing

import numpy as np

from corpus import TWO, VECTOR, Programs, X

program = Programs()


@program(X)
def tuple_of_components(x):
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


@program(X)
def tuple_with_operators(x):
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


@program(X)
def float_with_unit(x):
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


@program(X)
def float_with_operators(x):
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


@program(X)
def int_subclass(x):
    class Index(int):
        def __add__(self, o):
            return Index(int(self) + int(o))

        def times(self, v):
            return self * v

    i = Index(3)
    return (i + 2) * x + i.times(x) + x**i + [x, x * x, 3.0, 2.0][i]


@program(X)
def str_subclass(x):
    class S(str):
        def scale(self, v):
            return len(self) * v

    return S("abc").scale(x) + len(S("a") + "b") * x


@program(X)
def set_subclass(x):
    class S(set):
        def total(self):
            return sum(self)

    return S([1.0, 2.0]).total() * x


@program(X)
def deque_subclass(x):
    class D(collections.deque):
        pass

    d = D([1.0, 2.0])
    return sum(d) * x


@program(X)
def list_that_scales(x):
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

    xs = L([x, 1.0])
    xs.append(x * x)
    return xs[0] + xs[2] + xs.total() + len(xs.name)


@program(X)
def plain_list_subclass(x):
    class L(list):
        pass

    xs = L([x, 2.0])
    xs.append(x * x)
    xs[1] = x * 3
    xs += [x]
    xs.extend((1.0, x))
    xs.k = x * 5
    del xs[0]
    xs.insert(0, x * 7)
    xs.sort()
    xs.reverse()
    return sum(xs) + xs[0] * xs.pop() + xs.k + len(xs) + sum(v * i for i, v in enumerate(xs)) + sum(xs[1:3])


@program(X)
def list_methods_by_the_base(x):
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

    xs = L()
    xs.append(x)
    xs.extend([x * x, 2.0])
    xs[1] = x
    xs.insert(0, x * x)
    r = xs.pop() + xs.pop(0)
    return sum(xs) + xs[0] * xs[1] + len(xs) + r


@program(X)
def stack_of_a_list(x):
    class S(list):
        def push(s, v):
            s.append(v)

        @property
        def top(s):
            return s[-1]

    s = S()
    s.push(x)
    s.push(x * x)
    return s.pop() * s.top + sum(v for v in S([1.0, 2.0])) * x


@program(X)
def dict_that_scales(x):
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
                raise AttributeError(k)  # noqa: B904

    d = D(a=x)
    d["b"] = x * x
    return d["a"] * d.b + d.n + sum(d.values()) + d.get("a")


@program(X)
def dict_methods_by_the_base(x):
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


@program(X)
def least_recently_used(x):
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


@program(X)
def defaultdict_subclass(x):
    class DD(collections.defaultdict):
        def __missing__(self, k):
            self[k] = v = x * k
            return v

    d = DD(list)
    return d[2] * d[3] + d[2] + len(d)


@program(X)
def missing_keys_by_number(x):
    class D(dict):
        def __missing__(self, k):
            self[k] = r = x * k
            return r

    d = D()
    return d[2] + d[2] * d[3] + len(d)


@program(X)
def missing_keys_by_length(x):
    class D(dict):
        def __missing__(s, k):
            s[k] = v = x * len(k)
            return v

    d = D()
    return d["ab"] + d["ab"] * d["c"] + d.get("zz", 1.0)


@program(X)
def attribute_dict(x):
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


@program(X)
def attribute_dict_without_init(x):
    class AttrDict(dict):
        def __getattr__(s, n):
            try:
                return s[n]
            except KeyError:
                raise AttributeError(n)  # noqa: B904

        def __setattr__(s, n, v):
            s[n] = v

    d = AttrDict()
    d.a = x
    d["b"] = x * x
    return d["a"] * d.b * getattr(d, "zz", 2.0)


@program(X)
def userdict_subclass(x):
    import collections

    class D(collections.UserDict):
        def __setitem__(self, k, v):
            super().__setitem__(k, v * 2)

    d = D(a=x)
    d["b"] = x * x
    xs = collections.UserList([x])
    xs.append(x * x)
    return d["a"] * d["b"] + sum(xs) + xs[1]


@program(X)
def userdict(x):
    d = collections.UserDict()
    d["a"] = x * x
    return d["a"]


@program(X)
def userlist(x):
    xs = collections.UserList([x])
    xs.append(x * x)
    return sum(xs) + xs[1] + len(xs)


@program(X)
def chainmap(x):
    d = collections.ChainMap({"a": x}, {"a": 1.0, "b": x * x})
    return d["a"] * d["b"]


@program(X)
def chainmap_written(x):
    c = collections.ChainMap({"a": x}, {"b": x * x})
    c["b2"] = x * 3
    return c["a"] * c["b"] + c["b2"]


@program(X)
def mutable_mapping(x):
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


@program(X)
def abstract_sequence(x):
    class S(collections.abc.Sequence):
        def __init__(self, *v):
            self.v = v

        def __getitem__(self, i):
            return self.v[i] * 2

        def __len__(self):
            return len(self.v)

    s = S(x, x * x, 1.0)
    return sum(s) + sum(reversed(s)) * s[1] + s.index(2.0)


class PlainList(list):
    pass


@program(X)
def list_subclass_extended(x):
    xs = PlainList([x, 2.0])
    xs.append(x * x)
    xs[1] = x * 3
    xs += [x]
    xs.extend((1.0, x))
    return sum(xs)


@program(X)
def list_subclass_with_attribute(x):
    xs = PlainList([x, 2.0])
    xs.append(x * x)
    xs.k = x * 5
    del xs[0]
    xs.insert(0, x * 7)
    return sum(xs) + xs.k


@program(X)
def list_subclass_sorted(x):
    xs = PlainList([x, 2.0, x * x])
    xs.sort()
    xs.reverse()
    return sum(v * i for i, v in enumerate(xs)) + xs[0]


@program(X)
def list_subclass_sliced(x):
    xs = PlainList([x, 2.0, x * x])
    return sum(xs[1:3]) + xs.pop() + xs[0]


@program(X)
def list_subclass_popped(x):
    xs = PlainList([x, 2.0, x * x])
    return xs[0] * xs.pop()


class ScalingDict(dict):
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


@program(X)
def dict_subclass_values_of_the_base(x):
    d = ScalingDict({"a": x}, b=x * x)
    return sum(dict.values(d))


@program(X)
def dict_subclass_updated(x):
    d = ScalingDict({"a": x}, b=x * x)
    d["c"] = x
    d.update(e=x * 4)
    d.setdefault("f", x * 9)
    return sum(dict.values(d))


@program(X)
def dict_subclass_popped(x):
    d = ScalingDict({"a": x}, b=x * x)
    return d.pop("a") + d.pop("nope", x) + len(d)


@program(X)
def dict_subclass_items(x):
    d = ScalingDict({"a": x}, b=x * x)
    return sum(v for k, v in d.items()) + d.get("b") + d.get("q", x)


@program(X)
def dict_subclass_values(x):
    d = ScalingDict({"a": x}, b=x * x)
    return sum(d.values())


@program(X)
def dict_subclass_items_of_the_base(x):
    d = ScalingDict({"a": x}, b=x * x)
    return sum(v for k, v in dict.items(d))


class Float(float):
    pass


@program(TWO)
def patterns_of_builtin_subclasses(x):
    match Float(2.0):
        case Float(v):
            return x[0] * v + x[1].item().conjugate()


@program(X)
def typed_dict_call(x):
    return typing.TypedDict("T", {"a": float})(a=x)["a"] * 3


@program(X)
def typed_dict_class(x):
    class T(typing.TypedDict):
        a: float

    t = T(a=x)
    return t["a"] * x


@program(X)
def ctypes_structure(x):
    class S(ctypes.Structure):
        _fields_ = (("a", ctypes.c_double),)

    return S(2.0).a * x


@program(X)
def operators_in_place_of_the_base_class(x):
    class Twice(list):
        def __imul__(self, n):
            return super().__imul__(n)

    class Queue(collections.deque):
        def __imul__(self, n):
            return super().__imul__(n)

    a, b = Twice([x, x * x]), Queue([x, 2.0], maxlen=3)
    a *= 2
    b *= 2
    a.__imul__(2)
    return sum(a) * b[0] + sum(v * i for i, v in enumerate(b))


class Metres(float):
    pass


class Length(float):
    def __new__(cls, value, unit="m"):
        made = super().__new__(cls, value)
        made.unit = unit
        return made

    def __add__(self, other):
        return Length(float(self) + float(other), self.unit)

    def __mul__(self, other):
        return Length(float.__mul__(self, other), self.unit)

    __rmul__ = __mul__

    @property
    def millimetres(self):
        return self * 1000


class Noted(float):
    def __init__(self, value):
        self.raw = value


class Phase(complex):
    def __init__(self, re, im=0.0):
        self.length = re


@program(X)
def numbers_of_own_classes(x):
    f, total = Metres(x * x), 0.0
    for i in range(3):
        total += f * i - f / (f + 3) + abs(-f) ** 2
        f = Metres(f * 1.1)
    return total + sum([f, Metres(2.0) * x]) + math.sin(f) + float(f) + f.__add__(1.0) + float.__mul__(f, f).real


@program(X)
def numbers_with_attributes(x):
    a = Length(x, "cm")
    b = Noted(x * x)
    z = Phase(x, 2.0) * Phase(x * x)
    return (a + a * x).millimetres + 2.0 * a + b * b.raw + b + z.real + z.imag * Phase(x).length


@program(X)
def numbers_of_own_classes_in_arrays(x):
    y = np.zeros(3)
    y[0], y[1:] = Metres(x), [Length(x * x), 2.0]
    return y @ y + np.array([Metres(x), Noted(x * x)]).max() + max(Metres(x), Metres(0.1)) + {Metres(x): x}[x]


@program(X)
def a_default_dict_with_its_own_constructor(x):
    class Totals(collections.defaultdict):
        def __init__(self, first):
            super().__init__(float)
            self["a"] = first

    t = Totals(x)
    t["b"] += x * x
    return t["a"] * t["b"] + t["c"]


class Column(np.ndarray):
    """A column whose items are numbers, as libraries of filters have it."""

    def __new__(cls, values):
        return np.asarray(values).reshape(-1, 1).view(cls)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        inputs = [np.asarray(x) if isinstance(x, Column) else x for x in inputs]
        found = super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        return found.view(Column) if isinstance(found, np.ndarray) else found

    def __getitem__(self, key):
        return super().__getitem__((key, 0) if isinstance(key, int) else key)

    def __setitem__(self, key, value):
        super().__setitem__((key, 0) if isinstance(key, int) else key, value)


@program(VECTOR)
def an_array_class_with_items_of_its_own(a):
    s = Column(a)
    s[1] = s[0] * 2
    t = s * s[2] + 1.0
    return t[1] * s[2] + s[[0, 1]].sum() + (t[1:3] ** 2).sum() + s[(0, 2), :].sum() + s[a > 0.9, 0].sum()


class Angle:
    def __init__(self, degrees):
        self.degrees = degrees

    def sin(self):
        return math.sin(math.radians(self.degrees))

    def __float__(self):
        return float(self.degrees * 2)


@program(VECTOR)
def functions_and_floats_of_objects(a):
    angles = np.array([Angle(10 * v) for v in a], dtype=object)
    numbers = np.array([[a[0]], [a[1] ** 2]], dtype=object)
    return (
        np.sin(angles).sum()
        + np.sin(angles.reshape(2, 2))[1, 0]
        + (np.asarray(angles, dtype=float) * a).sum()
        + np.array(numbers, float)[1, 0]
        + numbers.astype(dtype=float)[0, 0]
        + np.asanyarray(numbers, dtype="float64").prod()
    )


class Calibrated(np.ndarray):
    """An array that changes what it inherits, through ``super()``."""

    def __new__(cls, values, gain=1.0):
        return np.asarray(values).view(cls)

    def __init__(self, values, gain=1.0):
        super().__init__()
        self.gain = gain

    def __array_finalize__(self, other):
        super().__array_finalize__(other)
        self.gain = getattr(other, "gain", 1.0)

    def __getitem__(self, key):
        return super().__getitem__(key) * 2

    def __iter__(self):
        return super().__iter__()

    def sum(self, *args, **kwargs):
        return super().sum(*args, **kwargs) * self.gain

    def clip(self, *args):
        return super().clip(*args) * 2


@program(VECTOR)
def an_array_class_that_calls_what_it_inherits(a):
    s = Calibrated(a, gain=a[0])
    t = s * 2
    t += a
    parts = s.sum(), t[1], s[0:2].sum(), s.clip(0.6, 1.1).sum(), *(v * k for k, v in enumerate(s))
    return sum(map(float, parts))


class Lookup(tuple):
    """A tuple with attributes by `__getattr__`, descriptors of its own, and what a base has under the same names."""

    class Scaled:
        def __get__(self, o, kind):
            return 3.0 * o[0]

    scaled = Scaled()

    def __new__(cls, *items, note=None):
        self = tuple.__new__(cls, items)
        if note is not None:
            self.note = note
        return self

    def __getattr__(self, name):
        if name == "times":
            return lambda k: self[0] * k
        if name not in ("first", "second"):
            raise AttributeError(name)
        return tuple.__getitem__(self, ("first", "second").index(name))

    @property
    def total(self):
        return sum(self)

    @functools.cached_property
    def product(self):
        return math.prod(self)


class Weighted(Lookup):
    @property
    def total(self):
        return super().total * super().scaled

    @functools.cached_property
    def product(self):
        return super().product * self.note

    def __getattribute__(self, name):
        return self[0] ** 2 if name == "square" else super().__getattribute__(name)


@program(X)
def tuple_with_attributes_by_a_hook(x):
    a = Lookup(x, x * x, note=2.0 * x)
    b = Weighted(x * x, x, note=x)
    got = a.first * a.second + a.scaled + a.total * a.product * a.product + a.times(2.0) * a.note
    return got + b.first * b.scaled + b.total * b.product + b.square * b.second


class Quantity(float):
    class Doubled:
        def __get__(self, o, kind):
            return 2.0 * float(o)

    doubled = Doubled()

    def __new__(cls, value, unit="m"):
        self = float.__new__(cls, value)
        self.unit = unit
        return self

    def __getattr__(self, name):
        if name != "half":
            raise AttributeError(name)
        return self / 2.0

    @functools.cached_property
    def square(self):
        return self * self

    @property
    def area(self):
        return self * self * len(self.unit)

    def to(self, unit):
        return Quantity(self * 1000.0, unit)


class Measured(Quantity):
    @property
    def area(self):
        return super().area * super().doubled + super().real

    def __getattribute__(self, name):
        return 5.0 * float(self) if name == "five" else float.__getattribute__(self, name)


@program(X)
def number_with_attributes_by_a_hook(x):
    q = Quantity(x, "km")
    to = q.to
    p = Measured(x * x)
    got = q.half * q.doubled + q.square * q.square + q.area * to("mm").area
    return got + p.area * p.half + p.five * p.square + p.to("cm")


class Bounds(collections.namedtuple("Bounds", "low high")):
    @functools.cached_property
    def width(self):
        return self.high - self.low

    @property
    def low(self):
        return super().low * 2.0

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


@program(TWO)
def named_tuple_whose_field_is_overridden(a):
    b = Bounds(a[0], a[1])
    take = b._replace
    return b.width * b.low * b.width + take(high=a[0] * a[1]).high * b.high


class Hooked:
    class Tripled:
        def __get__(self, o, kind):
            return 3.0 * o.x

    tripled = Tripled()

    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def square(self):
        return self.x**2

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


@program(X)
def descriptors_behind_a_hook(x):
    h = Hooked(x)
    return h.square * h.tripled * h.square


class Lazy:
    """A property that has nothing yet, for which Python asks `__getattr__`."""

    def __init__(self, x):
        self.x = x

    @property
    def solved(self):
        return self.found * 2.0

    def __getattr__(self, name):
        if name == "solved":
            self.found = self.x**2
            return self.found
        raise AttributeError(name)


@program(X)
def property_that_has_nothing_yet(x):
    o = Lazy(x)
    try:
        return o.missing
    except AttributeError as error:
        assert error.__context__ is None
    return o.solved + o.solved * x
