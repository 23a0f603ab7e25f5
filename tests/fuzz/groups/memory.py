"""Arrays as memory: aliases, views, indices, and what writes without an assignment."""

from ..grammar import Group, each_line, each_paragraph

ALIASES = Group(
    "aliases",
    setup="""
p = v[1:3]
rows = [u, v, u]
""",
    result="out += p[0] - 0.3 * p[1] + sum((r * r).sum() for r in rows)",
    shown=("p.tolist()", "[r.tolist() for r in rows]"),
    scalars=("p[0]", "p[-1]", "p.sum()", "rows[0][$i]", "rows[-1][$i]"),
    vectors=("rows[0]", "rows[1]", "rows[-1]", "np.concatenate([p, p])"),
    conditions=("rows[0] is rows[-1]", "np.shares_memory(p, v)", "u is v"),
    lines=each_line("""
u = $V
v = $V
w = $V
u = v = $V
p = $V[1:3]
p = $V[::2]
p = $V[2:][::-1]
p = $V.reshape(2, 2)[1]
p = $V.reshape(2, 2).T[0]
p[0] = math.tanh($S)
p *= 0.7
p[:] = np.sin($V[:2])
p += p[::-1]
p[::-1] = p
p[:] = $V[1:3]
p -= $V[::2] * $S
rows[$k - 1] = $V
rows.append($V)
rows[0][$i] = $S
rows[-1] += np.sin($A)
rows[0], rows[1] = rows[1], rows[0]
rows[1][:] = rows[0]
rows = [$V, $V[::-1], $V]
rows = rows[-3:]
$V[1:3] = p
$V[:] = $V[::-1]
$V[1:] += $V[:-1]
$V[:3] *= $V[1:]
u, v = v, u
np.add($V[:3], $V[1:], $V[:3])
"""),
    blocks=each_paragraph("""
for r$0 in rows[:3]:
    r$0 *= $S
    a = math.sin(a + r$0.sum())

for r$0 in list(rows[:2]):
    r$0[0] = math.sin(r$0[1])
    $b

for i$0 in range(1, 4):
    $V[i$0] = $V[i$0 - 1] * math.sin($S)

z$0 = p
p = p + 0.0
$b
z$0[0] = math.sin(p[1] + $S)
"""),
)

INDEXING = Group(
    "indexing",
    setup="idx = np.array([2, 0, 2])",
    lines=each_line("""
$V[[0, 2, 0]] = np.sin($A[:3])
$V[$V > 0.2] *= $n
$V[$V > 0.2] = math.sin($S)
$V[[1, 3]] += np.array([$S, $S])
$V[[3, 1]] = $V[[1, 3]]
$V[[1, 1, 2]] += $A[:3]
$V[idx] = $A[:3] * 0.5
$V[idx] *= $S
$V[idx] -= np.sin($A[1:])
idx[0] = 1
idx = (idx + 1) % 4
$V[np.array([True, False, True, False])] = $A[:2]
$V[~($V < 0.0)] = 0.5
$V[$V < $A] += 0.1
$V[np.nonzero($V > 0.0)[0]] *= 0.5
$V[np.argsort($V)] = np.sin($A)
$V[...] = $V[idx[0]]
$V[np.newaxis, :][0, 1:3] = $A[:2]
$V[[-1]] = $S
$V[2:2] = 0.0
$V[np.array([], dtype=int)] = 1.0
$V[np.where($A > 0.1)] = math.tanh($S)
"""),
    vectors=each_line("""
$A[np.argsort($A)]
$A[[3, -1, 0, 0]]
np.resize($A[$A > -9.0], 4)
$A[np.ix_([3, 0, 1, 1])]
np.take($A, [0, 3, 3, 1])
np.take_along_axis($A, np.argsort($A), 0)
np.choose([0, 1, 1, 0], [$A, $A])
np.select([$A > 0.3, $A < -0.3], [$A, $A], $S)
np.where([True, False, False, True], $A, $A)
np.compress([1, 1, 1, 1], $A)
$A[np.array([1, 0]), None].ravel().repeat(2)
"""),
    scalars=each_line("""
$A[idx].sum()
$A[$A > 0.0].sum()
$A[np.argmax($A)]
$A.take(2)
$A.item(1)
$A[int(abs($S) * 3) % 4]
np.where($S > 0, $S, $S).sum()
"""),
)


IN_PLACE = Group(
    "in-place functions",
    lines=each_line("""
np.copyto($V, $A)
np.modf($A, $V, np.empty(4))
np.random.default_rng(1).shuffle($V)
np.copyto($V[1:], $A[:3])
np.copyto($V, $S, where=$A > 0.0)
np.put($V, [0, 2], [$S, $S])
np.put($V, [1, 1], $A[:2])
np.place($V, $V > 0.0, $A[:2])
left$0 = $A > -0.2; $V[left$0] *= $n; left$0[left$0] = $A[left$0] > 0.3; $V[left$0] = math.sin($S)
np.putmask($V, $V < 0.0, $A)
np.fill_diagonal($V.reshape(2, 2), $S)
np.add.at($V, [0, 1, 0], $A[:3])
np.add.at($V, [2, 2], $S)
np.subtract.at($V, [3, 0, 3], $A[:3])
np.multiply.at($V, [1, 1], math.sin($S))
$V.fill(math.sin($S))
$V[1:3].fill($S)
$V.sort()
$V[1:].sort()
$V.partition(2)
$V.put([1, 3], [$S, 0.5])
$V.itemset(1, $S) if hasattr($V, 'itemset') else None
np.put_along_axis($V, np.argsort($A)[:2], $S, 0)
np.negative.at($V, [0, 0, 1])
$V.__setitem__($k, $S)
$V.__iadd__($A)
"""),
)

OUT = Group(
    "out and where",
    setup="o = np.empty(4)\no[:] = 0.1",
    result="out += (o * K).sum()",
    shown=("o.tolist()",),
    vectors=("o", "np.add($A, $A, out=o)", "np.sin($A, o)", "np.where($A > 0, $A, $A)"),
    scalars=("o[$i]", "np.sum($A, where=[True, False, True, True])", "np.max($A, initial=-1.0)"),
    lines=each_line("""
np.add($A, $A, out=$V)
np.multiply($V, $S, out=$V)
np.sin($A, out=$V)
np.sin($V, out=$V)
np.exp(np.minimum($A, 1.0), out=o)
np.add($V, $V, out=o, where=$V > 0.0)
np.multiply($A, $S, out=$V, where=[True, False, True, False])
np.tanh($V, where=$V < 0.3, out=$V)
np.maximum($V, $A, out=$V)
np.clip($V, -0.5, 0.5, out=$V)
np.cumsum($V, out=$V)
np.add($V[1:], $V[:-1], out=$V[1:])
np.subtract($V[::-1], $V, out=$V)
np.dot($V.reshape(2, 2), $A[:2], out=o[:2])
np.matmul($A.reshape(2, 2), $A.reshape(2, 2), out=o.reshape(2, 2))
np.concatenate([$A[2:], $A[:2]], out=o)
np.stack([$A[2:], $A[:2]], out=o.reshape(2, 2))
np.sum($A.reshape(2, 2), axis=0, out=o[2:])
$A.sum(out=o[:1].reshape(()))
$A.clip(-0.4, 0.6, out=o)
np.take($A, [0, 0, 1, 2], out=o)
np.add.reduce($A.reshape(2, 2), axis=1, out=o[:2])
np.add.accumulate($A, out=o)
np.square($V, o)
np.divide($A, 2.0, o)
np.einsum('i,i->i', $A, $A, out=o)
np.mean($A.reshape(2, 2), axis=1, out=o[1:3])
np.cumprod($A, out=o)
o = $V
"""),
)

# What is reached otherwise than as the argument is a constant: differences move the argument, and leave it alone.
REACHED_OTHERWISE = Group(
    "reached otherwise",
    module="""
import morula

HELD = {}

class Keeper:
    shared = None

    def times(self, x):
        return x * self.own

KEEPER = Keeper()

def remembered(x):
    HELD['x'], HELD['deep'] = x, [(x[1:],)]
    KEEPER.own, Keeper.shared = x, x[::-1]
    return x
""",
    parameters=(("given", "remembered(np.array([$n, $n, $n, $n]))"),),
    result="out += (given * K).sum() + (np.sin(given) * HELD['x']).sum()",
    scalars=(
        "HELD['x'][$i]",
        "given[$i]",
        "morula.jvp(lambda z: (z * z * HELD['x']).sum(), ($V,), (K,))[1]",
        "morula.jvp(lambda z: (z * KEEPER.own).sum(), (given,), ($V,))[1]",
        "morula.gradient(lambda z: (z * z * Keeper.shared).sum(), $V)[0].sum()",
        "morula.gradient(lambda z: (z * KEEPER.times(z)).sum(), given)[0][$i]",
    ),
    vectors=(
        "HELD['x']",
        "given",
        "given[::-1]",
        "KEEPER.own",
        "Keeper.shared",
        "KEEPER.times($V)",
        "np.append(HELD['deep'][0][0], $S)",
        "morula.jvp(lambda z: z * HELD['x'], ($V,), (given,))[1]",
    ),
    conditions=("HELD['x'][$i] > given[$i]",),
    lines=each_line("""
u = $V * HELD['x']
v = given * KEEPER.own
w = np.sin(given + Keeper.shared)
u = KEEPER.times($V)
a = math.sin((given * HELD['x']).sum())
given = given * $S
given[$i] = $S
"""),
    blocks=each_paragraph("""
for r$0 in (given, HELD['x']):
    u = np.tanh(u + r$0)
    $b
"""),
)
