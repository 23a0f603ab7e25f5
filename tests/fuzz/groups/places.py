"""Places that are assigned to, the order in which expressions are evaluated, and arguments of odd layouts."""

from ..grammar import Group, each_line, each_paragraph

TARGETS = Group(
    "targets",
    setup="""
hold = [a, b, [c, a]]
spot = Box()
spot.t, spot.r = a, u
grid = [[a, b], [c, s]]
book = {}
""",
    result="""
out += hold[0] * 0.7 + hold[1] + hold[2][0] * hold[2][-1] + spot.t + (spot.r * K).sum()
out += sum(t * (1 + i) * (2 + j) for i, row in enumerate(grid) for j, t in enumerate(row))
""",
    shown=("hold", "spot.t", "spot.r", "grid", "book"),
    scalars=each_line("""
hold[0]
hold[2][-1]
spot.t
grid[1][0]
grid[-1][-1]
sum(map(sum, grid))
sum(grid[0])
[*grid[0], $S][1]
list(zip(*grid))[1][0]
[t for row in grid for t in row][2]
[[t * $S for t in row] for row in grid][0][1]
{**book, 'k': $S}['k']
"""),
    vectors=("spot.r", "np.array(grid).ravel()", "np.array([*grid[0], *grid[1]])", "np.array(grid).T.ravel()"),
    lines=each_line("""
a = hold[0] = spot.t = $S
u = spot.r = $V
$V[0] = $V[1] = grid[0][1] = $S
hold[0], spot.t = spot.t, hold[0]
hold[0], *hold[2] = $S, $S, $S
spot.t, hold[1:] = $S, [$S, [$S]]
(a, hold[0]), $V[$i] = [$S, $S], $S
hold[2][:] = [$S, $S]
hold[2] *= 2
hold[2] = hold[2][-2:]
hold[2] += [$S]
hold[:2] = hold[1::-1]
grid[0][1] = $S
grid[1][0] += $S
grid[0] = grid[1]
grid[0] = [$S, $S]
grid = [row[:] for row in grid]
grid = [list(row) for row in zip(*grid)]
grid[0][0], grid[1][1] = grid[1][1], grid[0][0]
grid = grid[::-1]
grid = [[$S] * 2 for _ in range(2)]
grid = [[$S, $S]] * 2
grid = copy.deepcopy(grid)
[[grid[0][0], a], b] = [[$S, $S], $S]
for hold[0] in $A: b = math.sin(hold[0] + b)
for spot.t in $A: c = math.tanh(spot.t * c)
for $V[$i], a in zip($A, [$S, $S]): pass
for i, spot.r[i % 4] in enumerate([$S, $S]): pass
book[0, 1] = $S
book['u'] = book['v'] = $V
book.setdefault('w', [$S]).append($S)
spot.r = spot.r[::-1]
spot.r[1:3] += $S
spot.__dict__['t'] = $S
del spot.t; spot.t = $S
del hold[0]; hold.insert(0, $S)
del grid[0][0]; grid[0].append($S)
del book; book = {'k': $S}
a = b = c = $S
a, b = [b, a]
a, u = $S, $V
x[0], x[1] = x[1], x[0]
x[:2], y[:2] = y[:2], x[:2]
x[:2], x[2:] = x[2:].copy(), x[:2].copy()
"""),
    blocks=each_paragraph("""
for i$0, hold[1] in enumerate($A):
    a = math.sin(a + hold[1])
    $L

for (p$0, q$0), t$0 in zip(grid, $A):
    b = math.sin(p$0 * q$0 + t$0)
    $b

for row$0 in grid:
    row$0[0], row$0[1] = row$0[1] * $S, math.sin(row$0[0])
    $b

other$0 = spot
other$0.t = $S
$b
other$0.r = other$0.r * $S
a = math.sin(spot.t + spot.r[1])
"""),
)

ORDER_OF_EVALUATION = Group(
    "order of evaluation",
    module="""
def noted(t):
    LOG.append(repr(t))
    return t


def fails(t):
    LOG.append('fails')
    raise ValueError(t)


class Noisy:
    def __init__(self, t):
        self.__dict__['t'] = t

    def __setattr__(self, name, t):
        LOG.append(f'{name} = {t!r}')
        self.__dict__[name] = t

    def __getattribute__(self, name):
        if name == 't':
            LOG.append('get t')
        return object.__getattribute__(self, name)

    def __getitem__(self, k):
        LOG.append(f'get {k}')
        return self.t * k

    def __setitem__(self, k, t):
        LOG.append(f'set {k}')
        self.t = t

    def __iadd__(self, t):
        LOG.append('iadd')
        self.t += t
        return self

    def __add__(self, t):
        LOG.append('add')
        return self.t + t

    def __radd__(self, t):
        LOG.append('radd')
        return t - self.t

    def __eq__(self, other):
        LOG.append('eq')
        return self.t == other

    __hash__ = None

    def __bool__(self):
        LOG.append('bool')
        return bool(self.t > 0)

    def __contains__(self, t):
        LOG.append('in')
        return self.t > t

    def __format__(self, spec):
        return f'noisy {self.t!r}'
""",
    setup="noisy = Noisy(a)",
    result="out += noisy.t",
    shown=("noisy.t",),
    scalars=each_line("""
(noted($S) + noted($S) * noted($S))
(noted($S) if noted($S) > 0 else noted($S))
(noted($S) and noted($S))
(noted($S) or noted($S))
[noted($S), noted($S)][noted(1)]
max(noted($S), noted($S))
math.hypot(noted($S), noted($S))
(lambda p, q=noted($S): p * q)(noted($S))
{'k': noted($S), 'z': noted($S)}['k']
sum(noted(t) for t in $A)
(noisy + $S)
(float($S) + noisy)
noisy[$k]
(noisy == $S) * $S
(noisy and $S) * 1.0 if not noisy else $S
noted(noisy.t)
"""),
    vectors=("noted($A)", "(noted($A) * noted($A))", "np.array([noted($S), noted($S), 0.5, noted($S)])"),
    conditions=("noted($S) < noted($S) < noted($S)", "noisy", "$S in noisy", "noted($S) > 0 and noted($S) > 0"),
    lines=each_line("""
$V[noted(1)] += noted($S)
$V[noted(2)] = noted($S)
noted($V)[noted(0)] *= noted($S)
noted($V)[:2] = noted($A)[2:]
$V[noted(0)], $V[noted(1)] = noted($S), noted($S)
a, b = noted($S), noted($S)
noisy.t = noted($S)
noisy.t += noted($S)
noisy[noted(1)] = noted($S)
noisy[noted(1)] += noted($S)
noisy += noted($S)
noisy.new = $S
LOG.append(f'{noisy} {noisy:x}')
noisy = Noisy(noted($S))
"""),
    blocks=each_paragraph("""
try:
    a = noted($S) + fails($S)
except ValueError as error:
    b = error.args[0]

try:
    $V[noted(1)] += fails($S)
except ValueError:
    $b

try:
    $V[1], a, $V[9] = noted($S), noted($S), noted($S)
except IndexError:
    $b

try:
    noisy.t, c, $V[fails(1)] = noted($S), noted($S), noted($S)
except ValueError:
    $b

try:
    held$0 = [noted($S), fails($S), noted($S)]
except ValueError as error:
    c = math.sin(c + error.args[0])
"""),
)

LAYOUTS = Group(
    "layouts",
    parameters=(
        ("vx", "np.array([$n, $n, $n, $n, $n, $n, $n, $n])[::2]"),
        ("rx", "np.array([$n, $n, $n, $n])[::-1]"),
        ("tx", "np.array([[$n, $n], [$n, $n], [$n, $n]]).T"),
        ("fx2", "np.asfortranarray([[$n, $n], [$n, $n]])"),
        ("sx", "np.array([[$n, $n, $n], [$n, $n, $n]])[:, 1:]"),
        ("sh1", "(shared := np.array([$n, $n, $n, $n]))[:3]"),
        ("sh2", "shared[1:]"),
        ("ro", "frozen(np.array([$n, $n, $n, $n]))"),
    ),
    module="""
def frozen(r):
    r.flags.writeable = False
    return r
""",
    result="""
out += (vx * K).sum() + (rx * K).sum() + tx[0, 2] * tx[1, 1] + (fx2 @ fx2)[0, 1] + (sx * sx.T).sum()
out += (sh1 * sh2).sum() + (ro * ro * K).sum()
""",
    shown=("vx.tolist()", "rx.tolist()", "tx.tolist()", "fx2.tolist()", "sx.tolist()", "sh1.tolist()"),
    scalars=each_line("""
vx[$i]
rx[$i]
tx[1, 2]
tx.sum()
fx2[0, 1]
sx[1, 0]
sh1[1]
sh2[0]
ro[$i]
(tx @ tx.T)[0, 1]
np.trace(fx2)
"""),
    vectors=each_line("""
vx
rx
ro
vx[::-1]
fx2.ravel()
fx2.ravel(order='K')
fx2.T.reshape(4)
sx.ravel()
tx.reshape(6)[1:5]
tx.T.ravel()[:4]
np.concatenate([sh1, sh2[:1]])
np.stack([sh1, sh2]).ravel()[1:5]
"""),
    lines=each_line("""
vx[$i] = $S
vx *= $S
vx[1:] = vx[:-1]
vx[::-1] = $A
rx[$i] += $S
rx[:2] = rx[2:]
rx += $A
tx[0] = $S
tx[:, 1] *= $S
tx.T[1] = tx[:, 0]
tx[:, 1:] = tx[:, :-1]
fx2[0] = $A[:2]
fx2.T[1] += $S
fx2 @= fx2 / 2.0
fx2 += fx2.T
sx[:, 0] = $A[:2]
sx[...] = sx.T
sx *= $S
u = vx
v = rx
w = ro
vx = vx * 0.5
rx = $V
"""),
)
