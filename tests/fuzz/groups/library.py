"""What programs use of the standard library."""

from ..grammar import Group, each_line, each_paragraph

COLLECTIONS = Group(
    "collections",
    module="from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple\n",
    setup="""
line = deque([a, b], maxlen=5)
sums = defaultdict(float)
order = OrderedDict(k=a, m=b)
count = Counter(k=1, m=2)
chain = ChainMap({'k': c}, {'k': a, 'm': b})
""",
    result="""
out += sum(line) + sum(sums.values()) + sum(t * (1.0 + j) for j, t in enumerate(order.values()))
out += chain['k'] + chain['m'] + sum(count.values())
""",
    shown=("line", "sums", "order", "count", "chain"),
    scalars=each_line("""
line[-1]
line[0]
sum(line)
max(line)
sums['k']
sums['fresh']
order['k']
next(iter(order.values()))
chain['k']
chain.get('none', $S)
count['k'] * $S
namedtuple('Pair', 'p q')($S, $S).q
list(line)[0]
[t * $S for t in line][-1]
len(line) * $S
"""),
    conditions=("len(line) > 2", "'k' in sums", "count['k'] > 1", "line"),
    lines=each_line("""
line.append($S)
line.appendleft($S)
line.extend([$S, $S])
line.extendleft([$S])
line.rotate(1)
line.reverse()
line[0] = $S
line[-1] *= $S
line += [$S]
$X = line.pop() if len(line) > 1 else b
$X = line.popleft() if len(line) > 1 else b
line = deque(line, maxlen=4)
line = deque([$S, $S])
line.insert(1, $S) if len(line) < 4 else None
line = line.copy()
sums['k'] += $S
sums['m'] = $S
sums['k'] *= sums['m']
sums.setdefault('new', $S)
sums = defaultdict(float, k=$S)
order['k'] = $S
order['new'] = $S
order.move_to_end('k')
order.update(m=$S)
$X = order.popitem(last=False)[1] if len(order) > 2 else a
order = OrderedDict(sorted(order.items()))
count['k'] += 1
count.update('km')
count = Counter(['k', 'k', 'm'])
count = count + Counter(k=1)
chain['k'] = $S
chain['new'] = $S
chain.maps[1]['m'] = $S
chain = chain.new_child({'k': $S})
chain = ChainMap({'k': $S}, *chain.maps[:2])
groups = defaultdict(list); groups['k'].append($S); a = groups['k'][0]
b = count.most_common(1)[0][1] * $S
"""),
    blocks=each_paragraph("""
for t$0 in list(line):
    a = math.sin(a + t$0)
    $b

for k$0, t$0 in order.items():
    b = math.tanh(b + t$0)
    $b

while len(line) > 2:
    a = math.sin(a + line.popleft())
    $b

groups$0 = defaultdict(list)
for i$0, t$0 in enumerate($A):
    groups$0[i$0 % 2].append(t$0 * $S)
a = math.tanh(sum(groups$0[0]) - sum(groups$0[1]))
"""),
)

ORDER = Group(
    "sets, heaps and bisection",
    module="import bisect\nimport heapq\n",
    setup="""
seen = {1, 2}
heap = [a, b]
heapq.heapify(heap)
ranked = sorted([a, b])
""",
    result="out += sum(heap) + heap[0] * 2 + ranked[0] - ranked[-1] * 0.3 + len(seen)",
    shown=("seen", "heap", "ranked"),
    scalars=each_line("""
heap[0]
ranked[0]
ranked[len(ranked) // 2]
heapq.nlargest(1, heap)[0]
heapq.nsmallest(2, [$S, $S, $S])[1]
len(seen) * $S
bisect.bisect(ranked, $S) * $S
heapq.heappushpop(list(heap), $S)
sum(sorted({1.5, 2.5})) * $S
list(heapq.merge(ranked, [$S]))[0]
max(heap, key=lambda t: abs(t))
"""),
    conditions=("1 in seen", "$k in seen", "len(seen) > 2"),
    lines=each_line("""
heapq.heappush(heap, $S)
$X = heapq.heappop(heap) if len(heap) > 1 else $S
$X = heapq.heapreplace(heap, $S)
$X = heapq.heappushpop(heap, $S)
heap = [$S, $S, $S]; heapq.heapify(heap)
bisect.insort(ranked, $S)
bisect.insort_left(ranked, $S)
ranked.insert(bisect.bisect_left(ranked, $S), $S); ranked.sort()
ranked = sorted([*ranked[-2:], $S])
seen.add($k)
seen.discard($k)
seen |= {3, 4}
seen = {k % 3 for k in seen}
seen = seen & {1, 2, 3}
seen.update([1, 5])
seen = seen | frozenset([7])
"""),
    blocks=each_paragraph("""
queue$0 = []
for i$0, t$0 in enumerate($A):
    heapq.heappush(queue$0, (t$0, i$0))
    $b
a = math.tanh(heapq.heappop(queue$0)[0] + queue$0[0][0] * $S)

for k$0 in sorted(seen):
    a = math.sin(a + k$0)
    $b
"""),
)

ITERTOOLS = Group(
    "itertools",
    module="import itertools\nimport operator\n",
    scalars=each_line("""
sum(itertools.chain($A, [$S]))
list(itertools.accumulate($A))[-1]
list(itertools.accumulate($A, operator.mul))[2]
list(itertools.accumulate([$S, $S], initial=$S))[-1]
sum(p * q for p, q in itertools.product($A, [$S, 0.5]))
sum(p * q for p, q in itertools.combinations($A, 2))
sum(p * p * q for p, q in itertools.permutations([$S, $S, 0.3], 2))
sum(p * q for p, q in itertools.pairwise($A))
sum(itertools.islice($A, 1, 3))
sum(itertools.islice(itertools.cycle([$S, $S]), 3))
sum(itertools.repeat($S, 3))
sum(p * q for p, q in itertools.zip_longest($A, [$S], fillvalue=0.5))
sum(itertools.takewhile(lambda t: t < 0.5, $A))
sum(itertools.dropwhile(lambda t: t < 0.1, $A))
sum(itertools.filterfalse(lambda t: t < 0.1, $A))
sum(sum(g) * (k + 1) for k, g in itertools.groupby($A, key=lambda t: t > 0))
sum(next(itertools.islice(t, 1, None)) for t in itertools.tee($A, 2))
sum(itertools.chain.from_iterable([$A, $A]))
sum(itertools.compress($A, [1, 0, 1, 1]))
sum(itertools.starmap(pow, [(1.1 + abs($S), 2), (1.5, $S)]))
sum(p * q for p, q in itertools.combinations_with_replacement([$S, $S], 2))
next(itertools.count($S, 0.5))
sum(p + q for p, q in zip(itertools.count(0.5, $S), $A))
sum(map(operator.mul, $A, $A))
sum(filter(None, $A))
operator.itemgetter(1)($A)
operator.add($S, $S)
sum(operator.itemgetter(0, 2)([$S, $S, $S]))
sum(p * q for p, q in enumerate($A, start=1))
sum(reversed([$S, $S]))
sum(t for t in iter(lambda it=iter([1.5, 2.5, 0.0]): next(it), 0.0)) * $S
"""),
    blocks=each_paragraph("""
for t$0, q$0 in itertools.pairwise($A):
    a = math.sin(a + t$0 * q$0)
    $L

for i$0, t$0 in itertools.product(range(2), $A):
    b = math.tanh(b + t$0)
    $b

for k$0, g$0 in itertools.groupby($A, key=lambda t: t > 0.0):
    for t$0 in g$0:
        c = math.sin(c + t$0)
        $b

left$0, right$0 = itertools.tee(t * $S for t in $A)
next(right$0)
a = math.tanh(sum(t * z for t, z in zip(left$0, right$0)))

it$0 = iter($A)
a = next(it$0)
$b
b = math.sin(sum(it$0) * a)

z$0 = zip($A, $V)
a, b = next(z$0)
$b
c = sum(t * q for t, q in z$0)
"""),
)

FUNCTOOLS = Group(
    "functools",
    module="""
import functools


@functools.lru_cache
def cached(k):
    return k * 0.5


@functools.singledispatch
def kind_of(t):
    return t * 2


@kind_of.register
def _(t: list):
    return sum(t)


@kind_of.register
def _(t: np.ndarray):
    return t.sum() * 0.5


class Lazy:
    def __init__(self, t):
        self.t = t
        self.calls = 0

    @functools.cached_property
    def value(self):
        self.calls += 1
        return math.sin(self.t)

    @functools.singledispatchmethod
    def of(self, t):
        return self.t * t

    def scaled(self, t, k=1.0):
        return self.t * t * k

    doubled = functools.partialmethod(scaled, k=2.0)


@functools.total_ordering
class Ranked:
    def __init__(self, t):
        self.t = t

    def __eq__(self, other):
        return self.t == other.t

    def __lt__(self, other):
        return self.t < other.t
""",
    setup="lazy = Lazy(a)\npart = functools.partial(pow, 1.5)",
    result="out += lazy.value + lazy.t + lazy.calls",
    shown=("lazy.calls", "lazy.t"),
    scalars=each_line("""
lazy.value
lazy.of($S)
lazy.doubled($S)
part($S)
functools.partial(lambda p, q, r=1.0: p * q + r, $S, r=$S)($S)
functools.reduce(lambda p, q: p * 0.5 + q, $A)
functools.reduce(lambda p, q: p + q * $S, [$S, $S], $S)
cached($k) * $S
kind_of($S)
sorted([$S, $S], key=functools.cmp_to_key(lambda p, q: (p > q) - (p < q)))[0]
functools.lru_cache(lambda: $S)()
functools.cache(lambda t: t * 2)($S)
kind_of([$S, $S])
kind_of($A)
max(Ranked($S), Ranked($S)).t
"""),
    lines=each_line("""
lazy = Lazy($S)
lazy.t = $S
lazy.__dict__.pop('value', None)
part = functools.partial(lambda p, q: p * q, $S)
"""),
    blocks=each_paragraph("""
@functools.lru_cache(maxsize=None)
def f$0(n):
    return $S if n < 2 else f$0(n - 1) * 0.5 + f$0(n - 2)
a = math.tanh(f$0(5))

def f$0(t):
    return t * $S
@functools.wraps(f$0)
def g$0(*args):
    return f$0(*args) * 2
b = math.sin(g$0($S))
"""),
)

CONTEXTS = Group(
    "contextlib",
    module="""
import contextlib


@contextlib.contextmanager
def scaled(cell, t):
    before = cell[0]
    cell[0] = before * t
    try:
        yield cell[0]
    except KeyError as error:
        cell[0] = cell[0] + 0.5
    finally:
        cell[0] = cell[0] + before


class Closing:
    def __init__(self, t):
        self.t = t

    def close(self):
        LOG.append(repr(self.t))
""",
    setup="cell1 = [a]",
    result="out += cell1[0]",
    shown=("cell1",),
    scalars=("cell1[0]",),
    blocks=each_paragraph("""
with scaled(cell1, $S) as t$0:
    $B
    b = math.sin(b + t$0)

with scaled(cell1, $S):
    $b
    if $C: raise KeyError('k')
    $b

with contextlib.suppress(ValueError, IndexError):
    $B
    if $C: raise ValueError
    $b

with contextlib.ExitStack() as stack$0:
    t$0 = stack$0.enter_context(scaled(cell1, $S))
    stack$0.callback(cell1.append, $S)
    $B

with contextlib.nullcontext($S) as t$0:
    $B

with contextlib.closing(Closing($S)) as z$0:
    a = math.sin(z$0.t)
    $b

@contextlib.contextmanager
def m$0(t):
    $N
    $F
    yield t * $S
    $F
with m$0($S) as t$0, scaled(cell1, 0.5):
    $B

with np.errstate(all='ignore'):
    $B

@scaled(cell1, $S)
def f$0(t):
    return t * $S
a = math.sin(f$0($S))
"""),
)

COPIES = Group(
    "copies and text",
    module="import json\nimport operator\n",
    scalars=each_line("""
copy.copy($S)
copy.deepcopy([$S, $S])[1]
float(repr(1.5)) * $S
len(format($S, '.2f')) * $S
copy.deepcopy({'k': [$S]})['k'][0]
operator.methodcaller('sum')($A)
json.loads('[1.5, 2]')[0] * $S
isinstance($S, float) * $S
hash('k') * 0.0 + $S
id($V) * 0.0 + $S
type($S)(0.5) * $S
bool($S) * $S
sum(divmod($S, 1.3))
int($S) + $S
str(type($V))[:3].count('c') * $S
"""),
    vectors=each_line("""
copy.copy($A)
copy.deepcopy($A)
copy.deepcopy([$V, $V])[1]
$A.__copy__()
np.copy($A)
"""),
    lines=each_line("""
u, v = copy.deepcopy((u, v))
both = copy.deepcopy([u, u]); both[0][1] = $S; v = both[1]
LOG.append(f"{($S)!r} {($A)}")
LOG.append('%.5f' % $S)
LOG.append('{:.3f} {}'.format($S, $A))
"""),
)

NAMESPACES = Group(
    "namespaces",
    module="import operator\nimport types\n",
    setup="ns = types.SimpleNamespace(t=a, r=u)",
    result="out += ns.t + (ns.r * K).sum()",
    shown=("ns",),
    scalars=each_line("""
ns.t
operator.attrgetter('t')(ns)
types.SimpleNamespace(q=$S).q
"""),
    vectors=("ns.r", "operator.attrgetter('r')(ns)"),
    lines=each_line("""
ns.t = $S
ns.r = $V
ns.r[$i] = $S
ns = copy.copy(ns)
ns = copy.deepcopy(ns)
ns = types.SimpleNamespace(t=$S, r=$A)
ns.__dict__.update(t=$S)
LOG.append(str(ns))
"""),
)
