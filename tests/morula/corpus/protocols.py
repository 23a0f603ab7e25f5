"""Operators and protocols that classes define: arithmetic, comparison, conversion, calls, iteration, items."""

import functools
import math
import operator
import warnings

import numpy as np

from corpus import OTHER, SQUARE, THREE, VECTOR, Programs, X, Y

program = Programs()


@program(X)
def operators_that_decline(x):
    class A:
        def __init__(s, v):
            s.v = v

        def __add__(s, o):
            return NotImplemented if isinstance(o, B) else A(s.v + (o.v if isinstance(o, A) else o))

        __radd__ = __add__

        def __mul__(s, o):
            return NotImplemented

        def __lt__(s, o):
            return s.v < o.v

        def __iadd__(s, o):
            s.v = s.v + o * 2
            return s

        def __getitem__(s, i):
            return s.v * i

        def __len__(s):
            return 3

        def __contains__(s, q):
            return q == 1

        def __neg__(s):
            return A(-s.v)

        def __abs__(s):
            return A(abs(s.v))

        def __pow__(s, n):
            return A(s.v**n)

        def __matmul__(s, o):
            return s.v * o.v

        def __float__(s):
            return s.v

        def __iter__(s):
            return iter([s.v, s.v * 2])

        def __bool__(s):
            return True

    class B:
        def __init__(s, v):
            s.v = v

        def __radd__(s, o):
            return A(s.v * o.v)

        def __rmul__(s, o):
            return A(s.v * o.v * 2)

    a = A(x)
    b = B(x * x)
    c = a + b
    d = a * b
    e = 1 + a
    a += x
    f = sum([A(x), A(x * x)], A(0.0))
    g = a[2] + (-a).v + abs(a).v + (a**2).v + a @ c + float(a) + sum(a) + max([a, c]).v
    p, q = a
    return c.v * d.v + e.v + f.v + g + p * q + (1 if 1 in a else 0)


@program(X)
def numpy_operand_on_the_left(x):
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


@program(X)
def array_priority(x):
    class A:
        __array_priority__ = 100

        def __init__(self, v):
            self.v = v

        def __rmul__(self, o):
            return self.v * np.sum(o)

        def __rsub__(self, o):
            return self.v - np.sum(o)

    return np.float64(2.0) * A(x) + np.array([1.0, x]) * A(x) + (np.array([2.0]) - A(x))


@program(THREE)
def reflected_operators_of_arrays(x):
    class W:
        __array_priority__ = 1000

        def __init__(self, v):
            self.v = v

        def __rmul__(self, o):
            return W(o * self.v)

        __array_ufunc__ = None

        def __radd__(self, o):
            return W(o + self.v)

    return (x * W(x[0])).v.sum() + (x + W(2.0)).v.sum()


@program(X)
def many_special_methods(x):
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


@program(X)
def in_place_falls_back(x):
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


@program(X)
def reflected_operators(x):
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


@program(X)
def hash_and_equality(x):
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


@program(X)
def float_that_captures(x):
    class F:
        def __float__(s):
            return x * x

    return math.sin(F())


@program(X)
def float_of_an_attribute(x):
    class F:
        def __init__(s):
            s.v = x

        def __float__(s):
            return s.v * s.v

    return math.sin(F()) + float(F())


@program(X)
def float_written_into_array(x):
    class F:
        def __init__(s):
            s.v = x

        def __float__(s):
            return s.v * s.v

    b = np.zeros(2)
    b[0] = F()
    return b[0]


@program(X)
def float_that_logs(x):
    class A:
        def __float__(self):
            log.append(x)
            return x * 2

    log = []
    return math.sin(A()) + sum(log) + float(A())


@program(VECTOR)
def index_of_an_object(a):
    class Index:
        def __index__(s):
            return 2

    return a[Index()] * a[Index() :][0]


@program(THREE)
def conversions_of_an_object(x):
    class N:
        def __init__(self, v):
            self.v = v

        def __float__(self):
            return float(self.v)

        def __index__(self):
            return 1

        def __abs__(self):
            return abs(self.v)

        def __round__(self, n=None):
            return round(self.v)

        def __pos__(self):
            return self.v * 2

        def __invert__(self):
            return self.v * 3

        def __divmod__(self, o):
            return (self.v * o, self.v / o)

    n = N(x[0])
    return float(n) + x[n] + abs(n) + +n + ~n + divmod(n, x[1])[1]


@program(X)
def sequence_by_getitem(x):
    class C:
        def __len__(s):
            return 2

        def __getitem__(s, i):
            if i >= 2:
                raise IndexError
            return x * (i + 1)

    c = C()
    return sum(c) + list(reversed(c))[0] + list(c)[1]  # noqa: RUF015


@program(X)
def iterator_class(x):
    class It:
        def __init__(s):
            s.i = 0
            s.v = x

        def __iter__(s):
            return s

        def __next__(s):
            if s.i >= 3:
                raise StopIteration
            s.i += 1
            s.v = s.v * x
            return s.v

    a, b, c = It()
    i = It()
    n = next(i)
    r = list(i)
    return a * b + c + n + sum(r) + sum(It()) + max(It()) + dict(zip("abc", It()))["b"]


@program(X)
def container_class(x):
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


@program(X)
def linked_list(x):
    class Node:
        def __init__(s, v, n=None):
            s.v = v
            s.n = n

        def __iter__(s):
            while s is not None:
                yield s.v
                s = s.n

    xs = Node(x, Node(x * x, Node(2.0)))
    xs.n.v *= 3
    return sum(xs) * max(xs)


@program(THREE)
def items_and_slices(x):
    class G:
        def __init__(self, d):
            self.d = d

        def __getitem__(self, k):
            return self.d[k] if isinstance(k, int) else sum(self.d[k.start : k.stop])

        def __setitem__(self, k, v):
            self.d[k] = v * 2

        def __len__(self):
            return len(self.d)

        def __iter__(self):
            return iter(self.d)

    g = G([x[0], x[1], x[2]])
    g[0] = x[1]
    g[1] += x[0]
    return g[0] * g[1:3] + sum(g) * len(g)


@program(X)
def items_stored_scaled(x):
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


@program(X)
def total_ordering_of_two(x):
    @functools.total_ordering
    class C:
        def __init__(s, v):
            s.v = v

        def __eq__(s, o):
            return s.v == o.v

        def __lt__(s, o):
            return s.v < o.v

    return max(C(x), C(x * x)).v * (2 if C(x) >= C(0.0) else 3)


@program(X)
def total_ordering_sorted(x):
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


@program(THREE)
def total_ordering_of_three(x):
    @functools.total_ordering
    class T:
        def __init__(self, v):
            self.v = v

        def __lt__(self, o):
            return self.v < o.v

        def __eq__(self, o):
            return self.v == o.v

    return max([T(x[0]), T(x[2]), T(x[1])]).v * sorted([T(x[2]), T(x[0])])[0].v


@program(X)
def operator_functions_on_objects(x):
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


@program(X)
def callable_object_mapped(x):
    class C:
        def __init__(s):
            s.n = 0.0

        def __call__(s, v):
            s.n += v
            return s.n * v

    c = C()
    return sum(map(c, [x, x * x, 2.0]))


@program(X)
def callable_object_with_keywords(x):
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


@program(X)
def recurrent_cell(x):
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


@program(X)
def order_that_stores(x):
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


def like_an_array(cls):
    """A class whose special methods are properties, which hand out those of an array."""
    for name in ("__getitem__", "__setitem__", "__len__", "__mul__", "__rmul__", "__neg__"):
        setattr(cls, name, property(lambda self, name=name: getattr(np.asarray(self), name)))
    return cls


@like_an_array
class Cell:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else np.array(self.array, dtype)


@program(SQUARE)
def special_methods_that_are_properties(m):
    cell = Cell(m * 1.0)
    cell[0] = 2 * cell[1]
    return (-cell * 3.0).sum() + (2.0 * cell)[2, 0] * cell[0, 0]


@program(SQUARE, VECTOR)
def objects_that_numpy_makes_arrays_of(m, v):
    cell = Cell(m)
    y = np.linalg.det(cell) + np.dot(v[:3], cell).sum() + np.roots(np.poly1d([1.0, v[0], -1.0]))[0]
    return y + np.concatenate([cell, Cell(m * m)]).prod() + np.hypot(cell, 0.3).sum()


class Unit(np.ndarray):
    def __mul__(self, other):
        return np.multiply(np.asarray(self), other) * 2.0

    def __rmul__(self, other):
        return np.multiply(np.asarray(self), other) * 3.0

    def __pow__(self, power, modulus=None):
        return super().__pow__(power, modulus)

    def __abs__(self):
        return super().__abs__()


@program(VECTOR, OTHER)
def arrays_times_a_subclass(a, b):
    unit = b.view(Unit)
    power = np.asarray(abs(unit) ** 2)
    return (a * unit).sum() + np.asarray(unit * a).prod() + np.asarray(a[0] * unit).sum() + power.sum()


@program(VECTOR, X)
def operators_as_methods_of_arrays_and_numbers(a, x):
    y = np.ndarray.__add__(a, x) * a.__rsub__(2.0) + np.ndarray.__pow__(a, 2, None) + a.__abs__()
    return y.sum() * float.__pow__(x, 2.0, None) + (3.0).__mul__(x) + x.__rpow__(2.0)


@np.errstate(divide="ignore")
def in_silence(x, *, p=2):
    return np.log(x) ** p


@program(VECTOR, X)
def functions_decorated_by_numpy(a, x):
    shown = np.printoptions(precision=3)(lambda y: y * x)
    return in_silence(a, p=3).sum() + in_silence(x) + shown(x)


@program(X, Y)
def membership_is_true_or_false(x, y):
    class Scale:
        def __init__(self, v):
            self.v = v

        def __contains__(self, w):
            return self.v * w

    scale, nothing = Scale(x), Scale(0)
    return (y in scale) * x + (y not in nothing) * y + operator.contains(scale, y) * x * y


@program(X, Y)
def conversions_to_other_kinds_of_numbers(x, y):
    class Reading:
        def __init__(self, v):
            self.v = v

        def __float__(self):
            return np.float64(self.v)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        half = float(Reading(x * y)) / 2
    return half**2 * type(half).__name__.count("o")


class Declines:
    """Says that it has no part in any function of NumPy's."""

    def __init__(self, v):
        self.v = v

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return NotImplemented

    def __array_function__(self, f, types, args, kwargs):
        return NotImplemented


class Computes(Declines):
    """Computes with what it holds, and with what the other one holds."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return getattr(ufunc, method)(*[getattr(x, "v", x) for x in inputs], **kwargs)

    def __array_function__(self, f, types, args, kwargs):
        return f(*[getattr(x, "v", x) for x in args], **kwargs)


class Axes(np.ndarray):
    """Has a meaning of its own for a few functions, and only among arrays of its class."""

    def __array_function__(self, f, types, args, kwargs):
        if f is not np.concatenate:
            return super().__array_function__(f, types, args, kwargs)
        if not all(issubclass(t, Axes) for t in types):
            return NotImplemented
        return 2.0 * np.concatenate([np.asarray(a) for a in args[0]], **kwargs)


class Seen(np.ndarray):
    """A class of arrays that says nothing of its own."""


class Tripled(np.ndarray):
    """Counts three times in every ufunc."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(x) * (3.0 if isinstance(x, Tripled) else 1.0) for x in inputs]
        outs = {} if out is None else {"out": tuple(map(np.asarray, out))}
        return getattr(ufunc, method)(*plain, **outs, **kwargs)


class Mixed(np.lib.mixins.NDArrayOperatorsMixin):
    """The operators are those of the mixin."""

    def __init__(self, v):
        self.v = np.asarray(v)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return Mixed(getattr(ufunc, method)(*[x.v if isinstance(x, Mixed) else x for x in inputs], **kwargs))


@program(VECTOR)
def one_class_declines_and_the_next_computes(a):
    first, second = Declines(a), Computes(a * 2)
    total = np.add(first, second) + np.multiply.outer(first, second)[0] + np.dot(first, second)
    return (total**2).sum() + np.add.reduce(second)


@program(VECTOR, X)
def numpys_own_meaning_where_a_class_has_none(a, x):
    axes = (a * x).reshape(2, 2).view(Axes)
    plain = np.einsum("ij,j->i", axes, a[:2]) * np.sum(axes, axis=0) * np.transpose(axes)[0]
    return np.asarray(plain).sum() * np.concatenate([axes, axes]).sum() + np.where(axes > 1, axes, x).sum()


@program(SQUARE)
def numpys_own_meaning_in_c_of_several_results_and_of_the_class(a):
    axes = (a + a.T).view(Axes)
    found = np.linalg.eigh(axes)
    vectors, inverse = found.eigenvectors, np.linalg.inv(axes)
    names = len(type(vectors).__name__) * len(type(inverse).__name__)
    powers = np.vdot(axes, inverse) + np.linalg.norm(axes) + found.eigenvalues[0] ** 3
    return powers * names + float((vectors**2)[0, 1]) + np.linalg.svd(axes)[1][2] * np.linalg.det(axes)


@program(VECTOR, X)
def arrays_of_classes_changed_in_place(a, x):
    axes, seen = (a * x).view(Axes), (a * a).view(Seen)
    axes[:] /= 2.0
    axes[1:] *= a[:-1]
    seen *= a.view(Tripled)
    like = np.empty_like(axes)
    like[:] = axes * x
    np.copyto(like[2:], a[:2])
    np.put(like, [0], x)
    np.fill_diagonal(like.reshape(2, 2), a[1])
    return (np.asarray(like) ** 2).sum() + float(np.vdot(axes, seen)) if np.all(np.isfinite(like)) else x


@program(VECTOR, X)
def operators_of_the_mixin(a, x):
    m = Mixed(a)
    n = -(m**2) / x + 2 * m - a * m
    return (n @ m).v * (m > 1).v.sum() + abs(1 / (n - 3)).v.sum()


class Scaled(np.ndarray):
    """Arrays with a unit, whose size is active: products of two have the product of their units."""

    unit = 1.0

    def __array_ufunc__(self, f, method, *args, **kw):
        units = [x.unit for x in args if isinstance(x, Scaled)]
        plain = [np.asarray(x) for x in args]
        out = kw.pop("out", None)
        if out is not None:
            kw["out"] = tuple(np.asarray(x) for x in out)
        y = getattr(f, method)(*plain, **kw)
        y = np.asarray(y).view(Scaled) if out is None else out[0]
        y.unit = units[0] * (units[-1] if f is np.multiply and len(units) == 2 else 1.0)
        return y


def scaled(x, unit):
    made = x.view(Scaled)
    made.unit = unit
    return made


def in_base(x):
    return float((np.asarray(x) * getattr(x, "unit", 1.0)).sum())


@program(THREE)
def functions_of_arrays_with_units(v):
    a, b = scaled(v * 1.0, v[0]), scaled(np.array([1.0, -2.0, 0.5]), v[2])
    total = in_base(np.diff(a)) + in_base(np.outer(a, b)) + in_base(np.trapezoid(a, x=b)) + in_base(np.cumsum(a))
    total += in_base(np.kron(a, b)) + in_base(np.tile(a, 2)) + in_base(np.stack([a, b])) + in_base(np.sort(a))
    total += in_base(np.median(a)) + in_base(np.clip(a, 1.2, 2.0)) + in_base(np.ptp(a)) + in_base(np.gradient(a))
    return total + in_base(np.std(a)) + in_base(np.cross(a, b)) + float(np.linalg.norm(a)) + in_base(a.cumprod())


@program(THREE)
def methods_of_ufuncs_behind_a_class(v):
    a = scaled(v * 1.0, v[1])
    total = in_base(np.add.reduce(a, 0, None, None)) + in_base(np.multiply.accumulate(a, 0))
    return total + in_base(np.subtract(a, 1.0, None)) + in_base(np._core.umath.clip(a, 1.2, 2.0))


@program(THREE)
def implementations_of_functions(v):
    return (np.unwrap.__wrapped__(v * 4.0) * np.cumsum.__wrapped__(v)).sum() + np._core.umath.clip(v, 1.2, 2.0).sum()


class Gained(np.ndarray):
    """Constant arrays whose class multiplies what ufuncs give by an active gain."""

    gain = 1.0

    def __array_ufunc__(self, f, method, *args, **kw):
        kw.pop("out", None)
        gain = next(x.gain for x in args if isinstance(x, Gained))
        y = np.asarray(getattr(f, method)(*map(np.asarray, args), **kw) * gain).view(Gained)
        y.gain = gain
        return y


class Handing(Gained):
    def __array_function__(self, f, types, args, kw):
        return super().__array_function__(f, types, args, kw)


@program(1.0)
def active_attributes_of_constant_arrays(x):
    total = 0.0
    for kind in (Gained, Handing):
        a = np.array([1.0, 3.0, 2.0]).view(kind)
        a.gain = x
        found = [np.sum(a), np.mean(a), np.std(a), np.var(a), np.cumsum(a), np.prod(a), a.cumsum(), a.mean(), a.std()]
        found += [np.clip(a, 1.5, 2.5), np.ptp(a), np.diff(a), np.average(a), np.logaddexp.reduce(a), np.real(a) * 1.0]
        found += [np.trapezoid(a), np.gradient(a), np.median(a), np.dot(a, a), a.dot(a), np.einsum("i,i", a, a)]
        total = total + sum(float(np.asarray(y).sum()) for y in found)
    return total


class Levels:
    """NumPy makes an array of it, and it makes something of the results."""

    def __init__(self, v):
        self.v = np.asarray(v)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.v, dtype=dtype)

    def __array_wrap__(self, y, context=None, return_scalar=False):
        if context is not None and context[0] is np.multiply:
            other = next(a for a in context[1] if a is not self)
            return Levels(y * other)
        return Levels(2 * y)


@program(VECTOR)
def results_that_an_object_wraps(v):
    a = np.exp(Levels(v)).v @ v + np.add(v, Levels(v)).v.sum()
    whole, part = np.modf(Levels(3 * v))
    b = (v * Levels(v)).v.sum() + part.v.sum() * whole.v.sum()
    v = v.copy()
    v += Levels(v)
    return a + b + np.add.reduce(Levels(v)).v + (Levels(v) - v).v @ v + np.linalg.inv(Levels(np.diag(v))).v.sum()


@program(VECTOR)
def methods_that_numpy_prefers(v):
    class Table:
        T = property(lambda self: self.v * 4.0)
        real = property(lambda self: self.v * 5.0)

        def __init__(self, v):
            self.v = v

        def __array__(self, dtype=None, copy=None):
            return np.array(self.v, dtype=dtype)

        def mean(self, axis=None, dtype=None, out=None):
            return self.v[0] * 7.0

        def sum(self, axis=None, dtype=None, out=None):
            return self.v[1] * (3.0 if axis is None else 2.0)

        def round(self, decimals=0, out=None):
            return self.v * decimals

        def cumsum(self):  # which NumPy calls with other arguments, and does without
            return None

    t = Table(v)
    return np.mean(t) * np.sum(t) + np.sum(t, axis=0) + np.around(t, 2) @ v + np.real(t)[0] + np.cumsum(t) @ v
