"""The flow of control: exceptions, functions, generators."""

from ..grammar import Group, each_line, each_paragraph

EXCEPTIONS = Group(
    "exceptions",
    setup="",
    scalars=("float(str(1.5)) * $S",),
    blocks=each_paragraph("""
try:
    $B
    u[9] = $S
    $b
except IndexError:
    $B

try:
    $B
    if $C: raise ValueError($S)
    $b
except ValueError as error:
    a = math.sin(a + error.args[0])
    $b
else:
    $b
finally:
    $b

try:
    a = $S + {}['none']
except (KeyError, IndexError):
    $B

try:
    try:
        $B
        if $C: raise KeyError('k')
        $b
    finally:
        $B
except LookupError:
    $b

for i$0 in range(3):
    try:
        if $C: continue
        if $C: break
        $L
    finally:
        $b

try:
    $V[:2] = $A[:2]; $V[1:] = $A
except ValueError as error:
    LOG.append(repr(error))
    $b

try:
    $V[2], $V[7] = $S, $S
except IndexError:
    $b

try:
    $V[[0, 9]] = $S
except IndexError:
    $b

try:
    a, b = $S, math.sqrt(-1.0 - abs($S))
except ValueError:
    $b

try:
    b = $S / (0.0 * 1.0)
except ZeroDivisionError:
    a = $S
    $b

try:
    $b
    assert $S > 0.1, 'small'
    $b
except AssertionError as error:
    LOG.append(str(error))
    $b

def f$0(t):
    $N
    a = t
    try:
        $F
        if $C: return t * $S
        raise RuntimeError(t, $S)
    except RuntimeError as error:
        b = error.args[1]
        return error.args[0] * b
    finally:
        $F
c = math.tanh(f$0($S))

try:
    try:
        raise ValueError($S)
    except ValueError as first:
        raise KeyError($S) from first
except KeyError as second:
    a = second.args[0] * second.__cause__.args[0]

table$0 = {'p': 1.0}
for lookup in (table$0.__getitem__, table$0.pop, lambda k: table$0[k], {'p'}.remove, table$0.__delitem__):
    try:
        lookup($S)
    except KeyError as missed:
        a = math.sin(a + missed.args[0])

try:
    $V.reshape(3)[0] = $S
except ValueError:
    $b

class Stop$0(Exception):
    def __init__(self, t):
        super().__init__('stop')
        self.t = t
try:
    $B
    if $C: raise Stop$0($S)
except Stop$0 as error:
    b = error.t * $S

try:
    $V += $A[:3]
except ValueError:
    $b

try:
    $b
    no_such_name
    $b
except NameError:
    $b

try:
    if $C: late$0 = $S
    late$0
    a = $S
except UnboundLocalError:
    $b

try:
    gone$0 = $S
    if $C: del gone$0
    gone$0
    $b
except NameError:
    b = $S

def f$0(t):
    def inner(): return held * t
    try:
        if $C: held = t
        held
    except NameError:
        held = t * $S
    return inner()
a = math.tanh(f$0($S))
"""),
)

FUNCTIONS = Group(
    "functions",
    blocks=each_paragraph("""
def f$0(t$0, k=$S):
    $N
    $F
    return t$0 * k + $S
a = math.tanh(f$0($S) + f$0(b, k=c))

def f$0(*items, scale=1.0, **others):
    return sum(items) * scale + sum(others.values())
b = math.sin(f$0($S, $S, scale=$S, extra=$S))
c = f$0(*[$S, $S], **{'scale': $S})

count$0 = 0.0
def f$0(t):
    nonlocal count$0
    count$0 += t * $S
    return count$0
a = math.sin(f$0($S) * f$0($S) + count$0)

def make$0(t):
    def inner(z):
        nonlocal t
        t = math.sin(t + z)
        return t * z
    return inner
f$0 = make$0($S)
b = math.tanh(f$0($S) + f$0($S))

def f$0(n, t):
    if n == 0: return t
    return math.sin(f$0(n - 1, t * $S)) + t
c = math.tanh(f$0(3, $S))

fs$0 = [lambda t, j=j: t * (j + 1) + $S for j in range(3)]
a = math.tanh(sum(f(b) for f in fs$0))

fs$0 = []
for i$0 in range(3):
    fs$0.append(lambda t: t * i$0 + a)
    $b
b = math.sin(fs$0[0]($S))

def f$0(z, acc=[]):
    acc.append(z)
    return acc[0] * acc[-1]
a = math.tanh(f$0($S) + f$0($S))

def f$0(r$0):
    $N
    r$0[0] = $S
    $F
    return r$0
w = f$0($V) * 0.5

def f$0(r$0):
    r$0 += np.sin($A)
    return r$0, r$0[1:3]
u, half$0 = f$0($V)
half$0 *= $S

def deco$0(f):
    def wrapper(*args, **kw):
        return f(*args, **kw) * $S
    return wrapper
@deco$0
def f$0(t, z=0.5):
    return t * z + t
a = math.sin(f$0($S, z=$S))

f$0 = lambda t, *r, z=2.0: t * z + sum(r)
c = math.tanh(f$0($S, $S, z=$S) + f$0(*$A))

def f$0(t):
    match t:
        case float() if t > 0.1:
            return t * 2
        case [first, *rest]:
            return first + sum(rest)
        case {'k': value, **others}:
            return value * len(others)
        case (float(z), 'tag') | z:
            return $S
a = math.sin(f$0($S) + f$0([$S, $S]) + f$0({'k': $S, 'z': 1}))

a, b = (lambda p, q: (q * $S, p))($S, $S)

if (z$0 := math.sin($S)) > 0.1:
    a = z$0 * a
    $b

while (z$0 := c) > 0.2:
    c = math.tanh(z$0) * 0.3
    $b

def f$0(t$0):
    $N
    for i$0 in range(3):
        $F
        if $C: return t$0
    else:
        return t$0 * 2
    return 0.5 * $S
b = math.tanh(f$0($S))
"""),
    scalars=each_line("""
(lambda t, k=$S: t * k + a)($S)
(lambda *t: sum(t))(*$A)
sum(map(lambda t: t * $S, $A))
{k: t for k, t in zip('abcd', $A)}['c']
sum([t * z for t in $A for z in $A if t > z])
max($A, key=lambda t: -t)
sorted($A, key=abs)[0]
sum(z for z in (t * $S for t in $A))
max([$S, $S], default=0.0)
next((t for t in $A if t > 0.2), $S)
sum(t if t > 0 else -t * $S for t in $A)
all(t > -9 for t in $A) * $S
"""),
)

GENERATORS = Group(
    "generators",
    blocks=each_paragraph("""
def g$0(m):
    $N
    for i$0 in range(m):
        yield $S * x[i$0]
        $F
for t$0 in g$0(3):
    c = math.sin(c + t$0)
    $L

def g$0(t$0):
    got = yield t$0
    while got is not None:
        got = yield got * t$0 + $S
z$0 = g$0($S)
a = next(z$0)
b = math.sin(z$0.send($S))
c = math.tanh(z$0.send(b))
$b
z$0.close()

def inner$0(t):
    yield t * $S
    return t * 2
def g$0(t):
    z = yield from inner$0(t)
    yield z + $S
a = math.tanh(sum(g$0($S)))

def g$0():
    $N
    try:
        yield $S
        yield $S
    except ValueError as error:
        yield error.args[0] * $S
    finally:
        $F
z$0 = g$0()
a = next(z$0)
b = math.sin(z$0.throw(ValueError($S)))
z$0.close()

def g$0():
    $N
    try:
        for t in $A:
            yield t
    finally:
        $F
for t$0 in g$0():
    a = math.sin(a + t$0)
    if $C: break

gen$0 = (t * $S for t in $A)
$b
a = math.tanh(next(gen$0) + sum(gen$0))

def g$0(r):
    for j in range(4):
        r[j] *= 0.5
        yield r
for r$0 in g$0($V):
    b = math.sin(b + r$0[0])
    $L

def g$0():
    t = $S
    while True:
        t = math.sin(t + 0.5)
        yield t
for i$0, t$0 in zip(range(3), g$0()):
    c = c * t$0
    $L

def g$0():
    yield $S, $V
    yield $S, $V
for t$0, r$0 in g$0():
    r$0[1] = t$0
    $L

def g$0(n, t):
    if n:
        yield t
        yield from g$0(n - 1, math.sin(t * $S))
a = math.tanh(sum(g$0(3, $S)))

first$0, *others$0 = (math.sin(t) for t in $A)
a = first$0 + others$0[-1]

def g$0():
    z = 0.0
    try:
        while True:
            z += yield z
    except GeneratorExit:
        LOG.append(repr(z))
        raise
k$0 = g$0()
next(k$0)
a = math.sin(k$0.send($S))
b = math.sin(k$0.send($S))
k$0.close()
"""),
    scalars=each_line("""
sum(t * z for t, z in zip($A, $A))
max(t for t in $A)
next(t for t in $A)
dict((k, t) for k, t in enumerate($A))[2]
list(t * $S for t in $A)[-1]
sum(next(g) for g in [iter($A), iter($A)])
"""),
    vectors=("np.array(list(t * $S for t in $A))",),
)

UNUSUAL = Group(
    "unusual control",
    blocks=each_paragraph("""
def f$0(t):
    try:
        return t * $S
    finally:
        LOG.append(repr(t))
a = math.sin(f$0($S))

def f$0(t):
    for k in range(3):
        try:
            t = t * $S
            if $C: continue
            if $C: break
        finally:
            t = t + 0.1
    return t
b = math.tanh(f$0($S))

def f$0(t):
    try:
        raise ValueError(t)
    except ValueError:
        try:
            raise KeyError($S)
        except KeyError as inner:
            t = t + inner.args[0] + inner.__context__.args[0]
    return t
a = math.tanh(f$0($S))

try:
    try:
        a = noted$0 * 2
    except NameError:
        b = $S
        raise
except NameError:
    c = math.sin(b * $S)

try:
    raise ExceptionGroup('two', [ValueError($S), KeyError($S)])
except* ValueError as group:
    a = group.exceptions[0].args[0]
except* KeyError as group:
    b = group.exceptions[0].args[0]

def f$0(t):
    f$0.calls = getattr(f$0, 'calls', 0) + 1
    return t * f$0.calls
a = math.sin(f$0($S) + f$0($S))

def outer$0(t):
    total = 0.0
    def add(z):
        nonlocal total
        total += z * t
        def deeper(q):
            nonlocal total, t
            total = total * q
            t = t + q
        deeper($S)
        return total
    add($S)
    return add(t) + total
b = math.tanh(outer$0($S))

fs$0 = [(lambda q: lambda t: t * q)(z) for z in ($S, $S)]
a = math.tanh(fs$0[0]($S) + fs$0[1]($S))

fs$0 = {}
for name$0, z$0 in zip('pq', ($S, $S)):
    def fs0(t, z=z$0):
        return t * z + $S
    fs$0[name$0] = fs0
b = math.sin(fs$0['p']($S) - fs$0['q']($S))

def pos$0(p, q=$S, /, r=0.5, *, k=$S):
    return p * q + r * k
a = math.sin(pos$0($S, k=$S) + pos$0($S, $S, $S))

def fact$0(n):
    return $S if n <= 0 else n * fact$0(n - 1) * 0.5
c = math.tanh(fact$0(3))

def even$0(n, t):
    return t if n == 0 else odd$0(n - 1, t * $S)
def odd$0(n, t):
    return t + 0.5 if n == 0 else even$0(n - 1, math.sin(t))
a = math.tanh(even$0(3, $S))

z$0 = [q$0 := $S, q$0 * 2, math.sin(q$0)]
b = math.tanh(sum(z$0) + q$0)

if any((w$0 := t) > 0.2 for t in $A):
    a = w$0 * 0.5
    $b

total$0 = 0.0
for total$0 in $A: pass
c = math.sin(total$0)

del a
a = $S
$b

for i$0 in range(2):
    def late$0():
        return a * (i$0 + 1)
    a = math.tanh(late$0() + $S)
    $b

it$0 = iter([$S, $S, $S])
for t$0 in it$0:
    a = math.sin(a + t$0)
    b = next(it$0, 0.5)

grown$0 = [$S]
for t$0 in grown$0:
    if len(grown$0) < 4: grown$0.append(math.sin(t$0 + 0.1))
a = math.tanh(sum(grown$0))

shrinking$0 = {'k': $S, 'm': $S}
keys$0, values$0 = shrinking$0.keys(), shrinking$0.values()
shrinking$0['n'] = $S
b = math.tanh(sum(values$0) + len(keys$0))

args$0 = [$S, $S]
call$0 = (lambda *t: (t[0] * t[1], t))(*args$0)
args$0[0] = $S
a = math.sin(call$0[0] + call$0[1][0])

match [$S, {'k': $S}, $S]:
    case [t$0, {'k': z}, *_] if t$0 > z:
        a = t$0 * z
        $b
    case [t$0, *rest]:
        b = t$0 * rest[-1]
        $b

match $V:
    case np.ndarray() as z if z[0] > 0:
        $B
    case _:
        $b

match ($S, $S):
    case (float() | int() as t$0, z):
        c = math.sin(t$0 * z)

assert (r$0 := $A) is not None
a = math.sin(r$0[1])

class Meta$0:
    items = [1.5, 2.5]
    total = sum(items)
    def get(self, k): return self.items[k] * $S
b = math.tanh(Meta$0().get(1) * Meta$0.total)

while $C:
    a = math.tanh(a) * 0.5
    break
else:
    $b

x$0, *[y$0, *z$0] = $A
a = math.sin(x$0 * y$0 + sum(z$0))

try:
    for t$0 in $A:
        if $C: raise StopIteration(t$0)
        $b
except StopIteration as stop:
    a = math.sin(stop.value * $S)

def g$0():
    got = yield $S
    try:
        while True:
            got = yield (got or 0.5) * $S
    except ValueError as error:
        yield error.args[0]
    return 0.5
k$0 = g$0(); a = next(k$0); b = math.sin(k$0.send($S)); c = math.tanh(k$0.throw(ValueError($S)))

def chain$0(*its):
    for it in its:
        z = yield from it
        if z is not None: yield z
def ret$0(t):
    yield t
    return t * $S
a = math.sin(sum(chain$0([$S], ret$0($S), $A)))
"""),
)

CHECKPOINTS = Group(
    "checkpoints",
    module="import morula\n",
    scalars=each_line("""
morula.checkpoint(lambda t: math.sin(t * $X + $V[$i]), $S)
morula.checkpoint(lambda r: (r * $V).sum(), $A)
morula.checkpoint(math.sin, $S)
morula.checkpoint(lambda t, r: t * r[1] + $X, $S, $A)
morula.checkpoint(lambda: $X * $X)
morula.checkpoint(lambda t, *, k: t * k, $S, k=2.0)
morula.checkpoint(lambda p: p[0] * p[1].sum(), ($S, $A))
"""),
    vectors=each_line("""
morula.checkpoint(lambda r, t: r * t + np.sin(r), $A, $S)
morula.checkpoint(np.tanh, $A)
morula.checkpoint(lambda r: np.concatenate([r[2:], $V[:2]]) * $X, $A)
morula.checkpoint(lambda: $V * $X)
"""),
    blocks=each_paragraph("""
def f$0(t, r):
    z = r.copy()
    z[0] = t
    for j in range(3):
        z[j + 1] = math.sin(z[j] + $X)
        t = t * z[j]
    return z * t
u = morula.checkpoint(f$0, $S, $V)
$B

def f$0(r):
    w = np.zeros(4)
    w[1:] = r[:-1]
    w *= $V
    return w, w.sum()
w, a = morula.checkpoint(f$0, $A)
$b

for i$0 in range(3):
    a = morula.checkpoint(lambda t: math.tanh(t + u[i$0] * b), a)
    u[i$0] = a
    $L

kept$0 = np.sin($A)
c = morula.checkpoint(lambda t: (kept$0 * t).sum(), $S)
kept$0 *= $S
$b
b = math.sin(c + kept$0.sum())

def f$0(t):
    return t if t > 0.5 else morula.checkpoint(lambda z: z * z * $X, t)
a = math.tanh(morula.checkpoint(f$0, $S))
"""),
)
