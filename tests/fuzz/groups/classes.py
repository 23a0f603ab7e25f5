"""Classes of all sorts, and the protocols that the language asks of objects (also where C code does the asking)."""

from ..grammar import Group, each_line, each_paragraph

CLASSES = Group(
    "classes",
    module="""
import abc
import enum
from dataclasses import dataclass, field, fields, asdict, astuple


class Positive:
    def __set_name__(self, owner, name):
        self.name = '_' + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, t):
        setattr(obj, self.name, abs(t))


class Shape(abc.ABC):
    size = Positive()
    made = 0

    def __init_subclass__(cls, scale=1.0, **kw):
        super().__init_subclass__(**kw)
        cls.scale = scale

    def __init__(self, size):
        self.size = size
        type(self).made += 1

    @abc.abstractmethod
    def area(self): ...

    def twice(self):
        return 2 * self.area()


class Square(Shape, scale=0.5):
    def area(self):
        return self.size ** 2 * self.scale


class Ring(Square, metaclass=type(Shape)):
    def __init__(self, size, hole=0.1):
        super().__init__(size)
        self.hole = hole

    def area(self):
        return super().area() - self.hole ** 2


class Meta(type):
    def __call__(cls, *args, **kw):
        made = super().__call__(*args, **kw)
        made.stamp = 2
        return made


class Stamped(metaclass=Meta):
    def __init__(self, t):
        self.t = t


class Single:
    def __new__(cls, t):
        self = super().__new__(cls)
        self.start = t
        return self

    def __init__(self, t):
        self.t = t * 0.5


@dataclass(order=True)
class Rank:
    t: float
    name: str = field(default='r', compare=False)
    more: list = field(default_factory=list, compare=False)

    def __post_init__(self):
        self.doubled = self.t * 2


@dataclass(frozen=True)
class Fixed:
    t: float
    r: object = None

    @classmethod
    def of(cls, t, *rest):
        return cls(t * 0.5, rest)


@dataclass(slots=True, kw_only=True)
class Slot:
    t: float = 0.5
    r: float = 1.0


class Mixin:
    def bonus(self):
        return self.t * 3 + super().bonus()


class Base:
    def bonus(self):
        return 0.25


class Mixed(Mixin, Base):
    def __init__(self, t):
        self.t = t


class Color(enum.Enum):
    RED = 1.5
    BLUE = 0.5
""",
    setup="""
ring = Ring(a, b)
rank = Rank(c)
slot = Slot(t=a)
""",
    result="out += ring.area() + ring.hole + rank.t + rank.doubled * 0.3 + sum(rank.more) + slot.t * slot.r",
    shown=("ring.size", "ring.hole", "rank", "slot", "Shape.made", "Ring.made"),
    scalars=each_line("""
ring.size
ring.area()
ring.twice()
Ring($S).area()
Square($S).twice()
Ring($S, hole=$S).twice()
Stamped($S).t
Stamped($S).stamp * $S
Single($S).start
Single($S).t
rank.t
rank.doubled
max(rank, Rank($S)).t
sorted([Rank($S), Rank($S)])[0].t
min([rank, Rank($S)], key=lambda r: r.doubled).t
asdict(rank)['t']
astuple(Fixed($S))[0]
sum(getattr(slot, f.name) for f in fields(slot))
Fixed.of($S, $S).t
Fixed.of($S, $S).r[0]
Mixed($S).bonus()
Color.RED.value * $S
Color(0.5).value * $S
slot.t
Slot(r=$S).r
(Rank($S) < Rank($S)) * $S
(Fixed($S) == Fixed($S)) * $S
type(ring)($S).size
super(Ring, ring).area()
Ring.area(ring)
Ring.__mro__[1].area(ring)
"""),
    lines=each_line("""
ring.size = $S
ring.size += $S
ring.hole *= $S
ring = Ring($S, $S)
ring.scale = $S
rank.t = $S
rank.more.append($S)
rank = Rank($S, more=[$S])
rank.__post_init__()
rank.t, rank.doubled = rank.doubled, rank.t
slot.t = $S
slot.r += $S
slot = Slot(t=$S, r=$S)
slot = copy.copy(slot)
ring = copy.deepcopy(ring)
ring.area = lambda: $S
ring.__class__ = Ring
"""),
    blocks=each_paragraph("""
match rank:
    case Rank(t=z, more=[first, *_]) if z > first:
        a = z * first
        $b
    case Rank(z):
        b = math.sin(z)
        $b

class Inner$0(Ring):
    def area(self):
        return super().area() * $S
a = math.tanh(Inner$0($S).twice())

try:
    Fixed($S).t = $S
except AttributeError:
    $b

class Counter$0:
    count = 0
    def __init__(self, t):
        Counter$0.count += 1
        self.t = t * self.count
b = math.sin(Counter$0($S).t + Counter$0($S).t)
"""),
)

PROTOCOLS = Group(
    "protocols",
    module="""
class Countdown:
    def __init__(self, t, n):
        self.t, self.n = t, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.t = math.sin(self.t)
        return self.t


class Vec:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return Vec(*self.items[k]) if isinstance(k, slice) else self.items[k]

    def __setitem__(self, k, t):
        self.items[k] = t

    def __delitem__(self, k):
        del self.items[k]

    def __contains__(self, t):
        return any(t == z for z in self.items)

    def __add__(self, other):
        if not isinstance(other, Vec):
            return NotImplemented
        return Vec(*(p + q for p, q in zip(self, other)))

    def __radd__(self, other):
        return Vec(*(other + p for p in self.items))

    def __mul__(self, t):
        return Vec(*(p * t for p in self.items))

    __rmul__ = __mul__

    def __imul__(self, t):
        self.items[:] = [p * t for p in self.items]
        return self

    def __matmul__(self, other):
        return sum(p * q for p, q in zip(self.items, other))

    def __rmatmul__(self, other):
        return 2 * sum(p * q for p, q in zip(other, self.items))

    def __neg__(self):
        return Vec(*(-p for p in self.items))

    def __abs__(self):
        return math.sqrt(sum(p * p for p in self.items) + 0.1)

    def __pow__(self, n, mod=None):
        return Vec(*(p ** n for p in self.items))

    def __rsub__(self, t):
        return Vec(*(t - p for p in self.items))

    def __truediv__(self, t):
        return Vec(*(p / t for p in self.items))

    def __float__(self):
        return float(self.items[0])

    def __bool__(self):
        return bool(self.items[0] > 0)

    def __eq__(self, other):
        return isinstance(other, Vec) and self.items == other.items

    def __hash__(self):
        return 7

    def __reversed__(self):
        return iter(self.items[::-1])

    def __call__(self, t, *more, k=1.0):
        return self.items[0] * t * k + sum(more)

    def __index__(self):
        return 1

    def __round__(self, n=0):
        return self.items[0] * 10

    def __divmod__(self, t):
        return self.items[0] / t, self.items[-1] * t

    def __array__(self, dtype=None, copy=None):
        return np.array([0.5, 1.5])

    def __repr__(self):
        return f'Vec({self.items})'


class Lazy:
    def __init__(self, t):
        self.t = t

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        self.__dict__[name] = self.t * len(name)
        return self.__dict__[name]

    def __delattr__(self, name):
        self.t = self.t + self.__dict__.pop(name)


class Guard:
    def __init__(self, vec, swallow=ValueError):
        self.vec, self.swallow = vec, swallow

    def __enter__(self):
        self.old = self.vec.items[0]
        return self.vec

    def __exit__(self, kind, error, tb):
        self.vec.items[0] = self.vec.items[0] + self.old
        if error is not None and error.args:
            self.vec.items[-1] = error.args[0]
        return kind is not None and issubclass(kind, self.swallow)
""",
    setup="""
vec = Vec(a, b, c)
lazy2 = Lazy(s)
""",
    result="out += sum(p * (1 + k) for k, p in enumerate(vec.items)) + lazy2.t * 0.3",
    shown=("vec", "vars(lazy2)"),
    scalars=each_line("""
vec[0]
vec[-1]
vec[:2][1]
(vec @ [$S, $S])
([$S, $S] @ vec)
(vec + Vec($S, $S))[0]
($S + vec)[1]
(vec * $S)[0]
($S * vec)[0]
(-vec)[0]
abs(vec)
abs(Vec($S, $S))
(vec ** 2)[0]
($S - vec)[0]
(vec / 1.5)[0]
float(vec)
vec($S, $S, k=$S)
vec(*$A)
[$S, $S, $S][vec]
divmod(vec, 1.5)[0]
sum(vec)
max(vec)
sum(reversed(vec))
list(vec)[0]
sum(Countdown($S, 3))
list(Countdown($S, 2))[1]
lazy2.abc
lazy2.t
next(iter(Countdown($S, 1)))
next(Countdown($S, 0), $S)
sum(t * z for t, z in zip(Countdown($S, 2), vec))
"""),
    conditions=("vec", "$S in vec", "vec == Vec($S)", "not vec", "len(vec) > 2"),
    lines=each_line("""
vec[0] = $S
vec[-1] += $S
vec[:1] = [$S]
vec *= $S
vec = vec + Vec($S, $S)
vec = Vec(*vec.items, $S)
vec.items.append($S)
del vec[1:]
vec = -vec
vec = Vec($S, $S, $S)
a, *rest = vec
a, b = Countdown($S, 2)
lazy2.t = $S
lazy2 = Lazy($S)
lazy2.xy = $S
lazy2.abc; del lazy2.abc
"""),
    blocks=each_paragraph("""
for t$0 in Countdown($S, 3):
    a = math.sin(a + t$0)
    $L

for t$0 in vec:
    b = math.tanh(b + t$0)
    $b

with Guard(vec) as z$0:
    $B
    if $C: raise ValueError($S)
    z$0[0] = $S

with Guard(vec), Guard(Vec($S)) as z$0:
    $b
    if $C: raise ValueError($S)
    a = z$0[0]

it$0 = Countdown($S, 4)
for t$0 in it$0:
    $b
    if $C: break
b = math.sin(it$0.t + it$0.n)
"""),
)

IMPLICIT = Group(
    "implicit calls",
    module="""
class Counted:
    def __init__(self, t):
        self.t = t

    def counted(self, n):
        self.t = math.sin(self.t) + n
        return n

    def __len__(self):
        return self.counted(2)

    def __index__(self):
        return self.counted(1)

    def __hash__(self):
        return self.counted(3)

    def __eq__(self, other):
        return self is other

    def __str__(self):
        return str(self.counted(4))

    def __format__(self, spec):
        return str(self.counted(5))

    def __int__(self):
        return self.counted(6)

    def __bool__(self):
        return self.counted(7) > 0

    def __lt__(self, other):
        return self.counted(8) > 9

    def __class_getitem__(cls, t):
        return t * 2


class Table(type):
    def __getitem__(cls, t):
        return t * 3


class Looked(metaclass=Table):
    pass


class Ended:
    def __init__(self, t):
        self.t = t

    def __iter__(self):
        return self

    def __next__(self):
        raise StopIteration(self.t)


def ended(t):
    return (yield from Ended(t))


def value_of(it):
    try:
        while True:
            next(it)
    except StopIteration as stop:
        return stop.value
""",
    setup="counted = Counted(a)",
    result="out += counted.t",
    shown=("counted.t",),
    scalars=each_line("""
counted.t
len(counted) * $S
hash(counted) * $S
int(counted) * $S
Counted[$S]
Looked[$S]
StopIteration($S).value
OSError($S, 'text').errno
value_of(Ended($S))
value_of(ended($S))
max(counted, counted).t
(counted and $S)
all([counted]) * $S
$A[counted]
[$S, $S][counted]
{counted: $S}[counted]
"""),
    conditions=("counted", "not counted", "counted in {counted}", "counted in [1, counted]"),
    lines=each_line("""
LOG.append(f'{counted}')
LOG.append(str(counted))
LOG.append('%s' % counted)
$V[counted] = $S
counted.t = $S
a = range(counted)[-1] * $S
"""),
)

VALUES = Group(
    "values with classes",
    module="""
import collections
import copy
import functools


class Scaled:
    def __init__(self, k):
        self.k = k

    def __get__(self, obj, owner=None):
        return self if obj is None else self.k * float(obj)


class Gauge(float):
    thrice = Scaled(3.0)

    def __new__(cls, value, unit='m'):
        self = float.__new__(cls, value)
        self.unit = unit
        return self

    def __getattr__(self, name):
        if name != 'half':
            raise AttributeError(name)
        return self / 2.0

    @functools.cached_property
    def squared(self):
        return self * self

    @property
    def longer(self):
        return self * len(self.unit)

    def to(self, unit):
        return type(self)(self * 1.5, unit)

    def __call__(self, t):
        return self * t + 0.5

    def __next__(self):
        return self * 0.25

    def __getnewargs__(self):
        return float(self), self.unit


class Fine(Gauge):
    @property
    def longer(self):
        return super().longer + super().thrice

    def __getattribute__(self, name):
        return 5.0 * float(self) if name == 'five' else super().__getattribute__(name)


class Span(tuple):
    def __new__(cls, *ends):
        return tuple.__new__(cls, ends)

    def __getattr__(self, name):
        if name == 'times':
            return lambda k: self[0] * k
        if name not in ('low', 'high'):
            raise AttributeError(name)
        return tuple.__getitem__(self, name == 'high')

    @functools.cached_property
    def width(self):
        return self.high - self.low

    @property
    def middle(self):
        return sum(self) / len(self)

    def __call__(self, t):
        return self.low + t * self.high

    def __getnewargs__(self):
        return tuple(self)


class Label(str):
    pass


class Wide(Span):
    @property
    def middle(self):
        return super().middle * 2.0

    def __getattribute__(self, name):
        return self[1] * 0.5 if name == 'edge' else tuple.__getattribute__(self, name)


class Bounds(collections.namedtuple('Bounds', 'low high')):
    @property
    def low(self):
        return super().low * 2.0

    @functools.cached_property
    def width(self):
        return self.high - self.low

    def __call__(self, *factors):
        return self.high - sum(factors) * self.low
""",
    setup="""
gauge = Gauge(a, 'km')
span = Wide(b, c)
bounds = Bounds(a, c)
label = Label('ab')
label.number = b
""",
    result="out += gauge.half + gauge.longer + span.low * span.middle + span.width + bounds.low + bounds.width",
    shown=("gauge", "gauge.unit", "span", "bounds"),
    scalars=each_line("""
gauge.half
gauge.thrice
gauge.squared
gauge.longer
gauge * gauge
gauge.to('cm').longer
Fine($S).longer
Fine($S).five + Fine($S, 'mm').to('m').half
span.low
span.high
span.width
span.middle
span.edge
span.times($S)
span[$i % 2]
Span($S, $S).middle
getattr(span, 'low')
bounds.low
bounds.high
bounds.width
bounds._replace(high=$S).width
gauge($S)
span($S)
bounds($S, $S)
Bounds($S, $S)(*span)
sum(map(gauge, span))
functools.partial(span, $S)()
functools.reduce(lambda u, f: f(u), [gauge, span, bounds], $S)
next(gauge)
copy.copy(gauge).longer
copy.deepcopy(Fine($S, 'mm'))($S)
copy.deepcopy([span, gauge])[0]($S)
copy.copy(label).number * len(copy.copy(label))
"""),
    lines=each_line("""
gauge = Gauge($S)
gauge = Fine(gauge, 'cm')
gauge = gauge.to('km')
span = Span($S, span.high)
span = Wide(*reversed(span))
bounds = Bounds(high=$S, low=bounds.high)
bounds = bounds._replace(low=$S)
low, high = span
to, times = gauge.to, span.times
gauge = copy.deepcopy(gauge)
label = copy.copy(label)
label.number = $S
$V[$i] = span.width
"""),
    blocks=each_paragraph("""
for end$0 in span:
    $V[$i] = $V[$i] * 0.5 + end$0 * gauge.half
    $b
if span.low < span.high:
    span = Wide(span.middle, $S)
else:
    $b
"""),
)
