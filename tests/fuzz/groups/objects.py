"""Containers and objects."""

from ..grammar import Group, each_line, each_paragraph

CONTAINERS = Group(
    "containers",
    parameters=(),
    setup="""
held = [a]
table = {'k': b, 'm': 0.5}
nest = {'u': [u, a], 'pair': (b, v)}
""",
    result="""
out += sum(held) + sum(t * (1.0 + j) for j, t in enumerate(table.values()))
out += (nest['u'][0] * K).sum() + nest['u'][-1] + nest['pair'][0]
""",
    shown=("held", "table", "nest"),
    scalars=each_line("""
held[-1]
held[0]
held[$k % len(held)]
sum(held)
table['k']
table.get('m', $S)
table.get('none', $S)
sum(table.values())
nest['u'][-1]
nest['pair'][0]
max(held)
min([*held, $S])
sorted(held)[0]
len(held) * $S
sum(t * j for j, t in enumerate(held))
[$S, $S, $S][$k - 1]
($S, $S)[-1]
{'q': $S, 'r': $S}['r']
math.prod(held[-3:])
sum(t for t in held if t > 0.1)
next(iter(held))
[t * 2 for t in held][-1]
math.fsum(held)
"""),
    vectors=each_line("""
nest['u'][0]
nest['pair'][1]
np.array([held[-1], held[0], $S, 0.2])
np.array((held * 4)[:4])
np.asarray([*held, $S, $S, $S])[:4]
np.array([[held[0], $S], [$S, 0.1]]).ravel()
"""),
    conditions=("len(held) > 2", "held[-1] > 0.1", "'old' in table", "held", "a in held", "table.get('none') is None"),
    lines=each_line("""
held.append($S)
held.extend([$S, $S])
held.insert(0, $S)
held[0] = $S
held[-1] *= $S
held += [$S]
held = held + [$S]
held = [*held[-2:], $S]
held[1:] = [$S, $S]
held[:1] = [$S]
held[::-1] = held[:]
held = held[::-1]
held = held[-4:] * 2
$X = held.pop() if len(held) > 1 else b
$X = held.pop(0) if len(held) > 1 else c
held.reverse()
held.sort()
held.sort(key=lambda t: -t)
held = sorted(held, reverse=True)
held = [t * $S for t in held]
held = list(map(math.sin, held))
held = [$S] if $C else held
del held[1:]
del held[:-1]
held[:] = held[-3:]
held = held.copy()
held.remove(held[0]) if len(held) > 1 else held.append($S)
table['k'] = $S
table['k'] *= $S
table['old'] = table['k']
table.update(m=$S)
table.update({'k': $S, 'z': $S})
table |= {'k': $S}
table = {**table, 'm': $S}
table = {k: t * 0.5 for k, t in table.items()}
table = dict(table, k=$S)
table['m'] = table.pop('old', $S)
$X = table.setdefault('new', $S)
table.setdefault('k', $S)
$X = table.popitem()[1] if len(table) > 2 else a
table = dict(zip(['k', 'm'], [$S, $S]))
del table['k']; table['k'] = 0.5
nest['u'][0] = $V
nest['u'][0][$i] = $S
nest['u'][-1] += $S
nest['u'].append($S)
nest['u'][0] += $A
nest['u'] = [$A, *nest['u'][1:], $S]
nest['pair'] = ($S, $V)
nest['pair'][1][$i] *= $S
nest['pair'] = nest['pair'][::-1][::-1]
nest['held'] = held
nest['held'] = list(held)
u = nest['u'][0]
a, *rest, b = [$S, $S, $S, $S]
a, (b, c) = $S, [$S, $S]
(a, b), c = held[-1:] * 2, $S
[a, b, c] = $A[1:]
a, b, *_ = $A
for held[0] in $A: pass
"""),
    blocks=each_paragraph("""
for j$0, t$0 in enumerate(list(held)):
    held[j$0] = math.sin(t$0 + $S)

for t$0 in held[-4:]:
    a = math.tanh(a + t$0)
    $L

for k$0, t$0 in table.items():
    b = math.sin(b + t$0)
    $b

for k$0 in list(table):
    table[k$0] = table[k$0] * $S

other$0 = held
other$0.append($S)
$b
other$0[0] = $S
"""),
)

OBJECTS = Group(
    "objects",
    module="""
from dataclasses import dataclass, field, replace
from typing import NamedTuple


class Point(NamedTuple):
    left: float
    right: float = 0.5


@dataclass
class Cell:
    t: float
    r: np.ndarray = field(default_factory=lambda: np.ones(4))

    def moved(self, by):
        return Cell(self.t + by, self.r * by)

    @property
    def twice(self):
        return self.t * 2

    @twice.setter
    def twice(self, t):
        self.t = t / 2


class Slim:
    __slots__ = ('r', 't')

    def __init__(self, t, r):
        self.t, self.r = t, r

    def __mul__(self, other):
        return Slim(self.t * other, self.r)

    __rmul__ = __mul__

    def __iadd__(self, other):
        self.t += other
        return self

    def __getitem__(self, k):
        return self.r[k] * self.t

    def __setitem__(self, k, t):
        self.r[k] = t

    def __call__(self, t):
        return math.sin(self.t + t)

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.t
        yield self.r[0]

    def __lt__(self, other):
        return self.t < other.t

    def __neg__(self):
        return Slim(-self.t, self.r)

    def __float__(self):
        return float(self.t)

    def __enter__(self):
        self.t *= 0.5
        return self

    def __exit__(self, *error):
        self.t = math.sin(self.t)
        return error[0] is KeyError


class Child(Slim):
    shared = 0.5

    def __init__(self, t, r):
        super().__init__(t * self.shared, r)
        self.extra = t

    def __call__(self, t):
        return super().__call__(t) + self.extra

    @classmethod
    def made(cls, t):
        return cls(t, np.full(4, t))

    @staticmethod
    def helped(t):
        return t * t

    def __getattr__(self, name):
        if name == 'ghost': return self.t * 3
        raise AttributeError(name)
""",
    setup="""
box = Box()
box.v, box.w = c, v
cell = Cell(a, u)
slim = Slim(b, v)
child = Child(s, x)
point = Point(a)
""",
    result="""
out += box.v + (box.w * K).sum() + cell.t - (cell.r * K).sum() + slim.t * 0.3 + slim.r[1]
out += child.t * 0.7 + child.extra + child.r[2] + point.left * 0.6 - point.right
""",
    shown=(
        "box.v",
        "box.w.tolist()",
        "cell",
        "slim.t",
        "slim.r.tolist()",
        "child.t",
        "child.extra",
        "point",
    ),
    scalars=each_line("""
box.v
cell.t
cell.twice
slim.t
slim[$i]
slim($S)
child($S)
child.extra
child.ghost
Child.helped($S)
child.shared
point.left
point.right
point[0]
sum(slim)
float(slim)
Cell($S).t
cell.moved($S).t
Point($S, right=$S).right
point._replace(left=$S).left
getattr(box, 'v')
getattr(box, 'none', $S)
(slim * $S).t
($S * slim).t
(-slim).t
max(slim, child).t
vars(box)['v']
replace(cell, t=$S).t
Child.made($S).r[1]
"""),
    vectors=("box.w", "cell.r", "slim.r", "child.r", "cell.moved($S).r"),
    conditions=("slim < child", "isinstance(child, Slim)", "hasattr(box, 'w')", "slim", "cell.r is slim.r"),
    lines=each_line("""
box.v = box.v * 0.5 + $S
box.v += $S
box.w = $V
box.w[$i] = $S
box.w += np.sin($A)
box.w[1:] = box.w[:-1]
box.cell = cell
cell.t = $S
cell.twice = $S
cell.twice += 0.5
cell.r = $V
cell.r[$i] = $S
cell.r *= $S
cell = cell.moved($S)
cell = Cell($S, $V)
cell = copy.copy(cell)
cell = copy.deepcopy(cell)
slim.t = $S
slim.t *= $S
slim.r = $V
slim[$i] = $S
slim[$i] += $S
slim += $S
slim = slim * $S
slim = -slim
slim = child
slim = Slim($S, $V)
child.extra = $S
child = Child.made(math.sin($S))
child.t, child.extra = child.extra, child.t
child.shared = $S
setattr(box, 'v', $S)
delattr(box, 'v'); box.v = 0.5
del box.w; box.w = $V
box.__dict__.update(v=$S)
vars(box)['v'] = $S
point = Point($S, $S)
point = point._replace(right=$S)
a, b = point
$X, _ = slim
box = copy.copy(box)
box.w = box.w.copy()
Child.shared = 0.25
"""),
    blocks=each_paragraph("""
with slim as z$0:
    $B
    a = math.sin(a + z$0.t)

with slim, child:
    $b
    if $C: raise KeyError('inside')
    $b

class Local$0:
    scale = 0.7
    def __init__(self, t):
        self.t = t * self.scale
    def value(self):
        $N
        $F
        return self.t * $S
b = math.sin(Local$0($S).value())

for z$0 in (box, cell, slim):
    z$0.t = math.sin($S)
    $b

match point:
    case Point(left=t$0, right=z) if t$0 > 0:
        $B
    case Point(t$0, z):
        a = math.sin(t$0 + z)
        $b

match cell:
    case Cell(t=t$0) if $C:
        b = t$0 * 0.5
    case _:
        $b
"""),
)

WEAK = Group(
    "weak references",
    module="""
import weakref

class Node:
    def __init__(self, t, r, parent=None):
        self.t, self.r, self.kids = t, r, []
        self.parent = parent and weakref.ref(parent)
        if parent: parent.kids.append(self)

    def scaled(self, t):
        return self.t * t + (self.parent().t if self.parent else 0.0)

    def __getitem__(self, i):
        return self.r[i]
""",
    setup="""
root = Node(a, u)
kid = Node(b, v, root)
known = weakref.WeakValueDictionary(root=root, kid=kid)
nodes = weakref.WeakSet([root, kid])
extra = weakref.WeakKeyDictionary({root: s, kid: c})
stand_in = weakref.proxy(root)
scaled = weakref.WeakMethod(kid.scaled)
""",
    result="""
out += root.t + (root.r * K).sum() - kid.t * 0.6 + (kid.r * K).sum() * 0.3
out += extra[root] * 0.4 - extra[kid] + len(nodes) * len(known)
""",
    shown=("root.t", "kid.t", "root.r.tolist()", "kid.r.tolist()", "len(known)"),
    scalars=each_line("""
kid.parent().t
kid.scaled($S)
scaled()($S)
stand_in.t
stand_in.scaled($S)
known['kid'].t
known.get('root').r[$i]
extra[kid]
extra.get(root, 0.5)
max(t.t for t in nodes)
sum(t.t for t in known.values())
root.kids[-1].parent().t
"""),
    vectors=("kid.parent().r", "stand_in.r", "known['kid'].r"),
    conditions=("kid in nodes", "'root' in known", "scaled() is not None", "kid.parent() is root", "len(extra) == 2"),
    lines=each_line("""
stand_in.t = $S
stand_in.t *= $S
stand_in.r = $V
stand_in.r[$i] = $S
kid.parent().t += $S
kid.parent().r[$i] = $S
known['kid'].t = $S
extra[root] = $S
extra[kid] *= $S
kid = Node($S, $V, root); known['kid'] = kid; nodes.add(kid); extra[kid] = $S; scaled = weakref.WeakMethod(kid.scaled)
root.w = Node($S, $V, kid); $X = root.w.parent().t
"""),
    blocks=each_paragraph("""
for t$0 in known.values():
    t$0.t *= 0.5
    $b

for t$0 in list(extra):
    extra[t$0] = t$0.t * 0.5
    $b

for t$0 in root.kids:
    a = math.tanh(a + t$0.scaled($S))
"""),
)
