"""Arrays of other shapes, and NumPy's functions of them."""

from ..grammar import Group, each_line, each_paragraph

MATRICES = Group(
    "matrices",
    setup="""
m = np.array([x, y, x * y])
q = m[:, 1]
""",
    result="out += (m * m).sum() + (m[1] * K).sum() + q.sum() * 0.3",
    shown=("m.tolist()", "q.tolist()"),
    scalars=each_line("""
m[1, $i]
m[0][$i]
m[-1, -2]
m.T[$i, 2]
m.sum()
($A @ [math.sin($S), 0.5, 0.3, -1.0])
((1.0, math.tanh($S), 0.3, -0.2) @ $A)
(m[:, 1] @ m[:, 2])
m[:, :3].trace()
np.diagonal(m[:, :3]).sum()
q[1]
m.max()
m[1:, ::2].mean()
m.ravel()[5]
"""),
    vectors=each_line("""
m[0]
m[1]
m[-1]
m.sum(axis=0)
m.mean(0)
(m.T @ m[:, 0])
np.einsum('ij,i->j', m, m[:, 2])
m.T.sum(axis=1)
m.reshape(4, 3)[:, 1]
m.ravel()[4:8]
m.T.ravel()[:4]
m.flatten()[2:6]
m[[0, 2], ::-1][1]
m[1:].max(axis=0)
m.min(0)
np.vstack([m, m[:1]])[:, 0]
m.cumsum(axis=0)[2]
np.prod(m, axis=0)
m[(m > 0.0).any(axis=1)].sum(axis=0)
m.std(axis=0)
np.diag(m[:, :3] + 0.0).repeat(2)[:4]
m.swapaxes(0, 1)[:, 1]
"""),
    lines=each_line("""
m[1] = $A
m[:, 0] *= $S
m[0, $i] = math.sin($S)
m[1:, 2:] = $S
m[::-1] = m * 0.9
m.T[0] += $S
m.T[...] = m.T * 0.9
m[0] = m[1]
m[:2] = m[1:]
m[:, 1:] = m[:, :-1]
m[:, 1] += m[:, 2]
m.reshape(4, 3)[0] = np.sin($A[:3])
m.ravel()[3] = $S
m.reshape(-1)[::5] *= 0.5
m[m > 0.5] = math.tanh($S)
m[[0, 1, 0], [1, 1, 1]] += $S
m[[2, 0]] = m[[0, 2]]
m[:, [0, 0, 3]] = $S
m = np.tanh(m)
m = m.reshape(4, 3).T.copy().reshape(3, 4)
m = np.asfortranarray(m)
m = m[::-1]
m = m.T.copy().T
m += $A
m *= m[0]
m -= m.mean(axis=0)
m /= 1.0 + m ** 2
q = m[:, 1]
q = m.diagonal().copy()
q = m[::-1, 0]
q = m.T[2]
q *= 0.8
q[0] = $S
q[:] = q[::-1]
q += m[:, 3]
u = m[0]
v = m[1]
w = m[2, ::-1]
$V[:] = m[0]
$V += m[-1]
$V[1:] = m[:, 0]
m[0] = $V
m[...] = $V
m[:, 2] = q
"""),
    blocks=each_paragraph("""
for r$0 in m:
    r$0 *= $S
    $b

for r$0 in m[1:]:
    r$0[0] = r$0[1] * a
    $b

for r$0 in np.vstack([m, m[:1]]).T:
    b = math.sin(b + r$0.sum())
    $b

for q$0 in m.T:
    q$0[:] = q$0[::-1]
    q$0 += 0.1

for i$0 in range(3):
    m[i$0, i$0] += $S
    m[i$0] = m[i$0 - 1] * 0.5
    $b

for i$0, r$0 in enumerate(m):
    m[i$0 - 1, 1] = r$0[2]
    $b
"""),
)

SHAPES = Group(
    "empty and 0-d",
    setup="""
d = np.array(s)
none = np.zeros(0)
""",
    parameters=(("dd", "np.array($n)"), ("empty", "np.zeros((0, 3))")),
    result="out += d * 0.3 + float(d) + none.sum() + dd * dd + empty.sum()",
    shown=("d.tolist()", "none.tolist()", "dd.tolist()"),
    scalars=each_line("""
d[()]
float(d)
d.item()
(d * $S)
dd[()]
np.sum(d)
none.sum()
(none @ none)
np.add(d, dd)
math.sin(d)
empty.sum()
float(np.array($S))
np.array([$S])[0]
"""),
    vectors=each_line("""
(d * $A)
np.broadcast_to(d, 4)
np.concatenate([none, $A])
np.append(none, $A)
np.full(4, d)
np.array([d, dd, $S, 0.5])
d.reshape(1).repeat(4)
(empty.sum(axis=1).sum() + $A)
np.concatenate([$A[:0], $A])
np.stack([d, dd, d, d])
"""),
    lines=each_line("""
d[()] = $S
d[...] = $S
d += $S
d *= dd
d = np.array($S)
d = dd
d = np.asarray($S)
d = $A[1:2].reshape(())
d = $V[$i, ...]
dd[...] = d
dd -= $S
d.fill($S)
none = $A[2:2]
none += $S
none[:] = $S
none = none * $S
empty += $S
empty[:] = d
empty.T[...] = 0.5
$V[$i] = d
$V[...] = d
$V[1:1] = none
$V[0:0] += none
a = d * 1.0
b = float(dd)
"""),
)

STRUCTURED = Group(
    "structured",
    setup="""
rec = np.zeros(4, dtype=[('p', float), ('q', float, (2,)), ('n', int)])
rec['p'] = 0.5
""",
    result="out += (rec['p'] * K).sum() + rec['q'][:, 1].sum()",
    shown=("rec['p'].tolist()", "rec['q'].tolist()", "rec['n'].tolist()"),
    scalars=("rec['p'][$i]", "rec[1]['p']", "rec['q'][2, 1]", "rec['p'].sum()"),
    vectors=("rec['p']", "rec['q'][:, 0]", "(rec['p'] * $A)"),
    lines=each_line("""
rec['p'][$i] = $S
rec['p'] = $A
rec['p'] *= $S
rec['p'][1:] = rec['p'][:-1]
rec['q'][:, 1] = $A
rec['q'][$k] = $S
rec[2]['p'] = $S
rec['n'][1] = 3
rec = rec[::-1]
rec = rec.copy()
$V[:] = rec['p']
"""),
)

ALGEBRA = Group(
    "algebra",
    setup="mm = np.eye(2) * 2.0 + np.outer(x[:2], y[:2]) * 0.3",
    result="out += (mm * mm).sum() + mm[0, 1]",
    shown=("mm.tolist()",),
    scalars=each_line("""
np.linalg.det(mm)
np.trace(mm)
(mm @ $A[:2])[0]
np.linalg.norm(mm)
np.vdot($A, $A)
np.inner($A, $A)
np.interp($S, [-1.0, 0.0, 1.0], $A[:3])
np.trapezoid($A)
np.var($A)
np.std($A)
np.median($A[:3])
np.ptp($A)
np.average($A, weights=np.abs($A) + 0.1)
np.percentile($A, 30.0)
np.linalg.slogdet(mm)[1]
np.logaddexp($S, $S)
np.polyval($A, $S)
np.sum($A, dtype=float)
np.prod($A[:3])
np.nansum($A)
np.amax($A)
$A.var()
$A.prod()
$A.dot($A)
np.tensordot($A, $A, 1).item()
math.dist([$S, $S], [0.5, 1.5])
math.log1p($S ** 2)
math.erf($S)
math.copysign($S, $S)
math.fmod($S, 1.3)
math.expm1(math.sin($S))
divmod($S, 0.7)[1]
"""),
    vectors=each_line("""
np.linalg.solve(mm, $A[:2]).repeat(2)
np.linalg.inv(mm).ravel()
np.kron($A[:2], $A[2:])
np.convolve($A, $A[:1])
np.convolve($A, $A, 'same')
np.cross($A[:3], $A[1:])[[0, 1, 2, 0]]
np.einsum('i,i->i', $A, $A)
np.einsum('ij,j->i', $A.reshape(2, 2), $A[:2]).repeat(2)
np.gradient($A)
np.sort($A)
np.triu($A.reshape(2, 2)).ravel()
np.diag($A)[1]
np.pad($A[:2], 1)
np.pad($A[1:3], (1, 1), mode='edge')
np.dot(mm, mm).ravel()
np.square($A)
np.sqrt(np.abs($A) + 0.1)
np.log(1.1 + np.sin($A))
np.exp(np.minimum($A, 0.5))
np.power(np.abs($A) + 0.1, $S)
np.arctan2($A, 1.5)
np.hypot($A, 0.3)
np.nan_to_num($A)
np.fmod($A, 0.7)
np.delete($A, 1).repeat(2)[:4]
np.insert($A, 1, $S)[:4]
np.append($A[:3], $S)
np.rot90($A.reshape(2, 2)).ravel()
np.linspace($S, $S, 4)
np.logspace(0.0, 0.1, 4) * $A
np.meshgrid($A[:2], $A[2:])[0].ravel()
np.float_power(np.abs($A) + 0.2, 1.5)
np.heaviside($A, 0.5) * $A
np.sign($A) * $A
np.rint($A * 2) * $A
np.floor($A * 2) * $A
np.trunc($A) + $A
np.apply_along_axis(np.sort, 0, $A)
np.piecewise($A, [$A > 0.0], [lambda t: t * 2, lambda t: -t])
np.vectorize(lambda t: t * 2)($A)
np.maximum.accumulate($A)
np.add.reduceat($A, [0, 1, 2, 3])
np.fromiter((t * 2 for t in $A), float, 4)
np.linalg.cholesky(mm @ mm.T).ravel()
np.multiply.outer($A[:2], $A[2:]).ravel()
np.add.accumulate($A)
np.unwrap($A)
np.ediff1d($A, to_begin=0.5)
np.sinc($A)
"""),
    lines=each_line("""
mm = mm @ mm / (1.0 + np.sum(mm ** 2))
mm[0] = $A[:2]
mm += np.outer($A[:2], $A[2:])
mm = np.tanh(mm) + np.eye(2) * 2
mm @= mm / 3.0
mm[np.diag_indices(2)] = $S
mm[np.triu_indices(2)] *= $S
mm = np.block([[mm[:1]], [mm[1:]]])
$V //= 0.5
$V **= 2
$V %= 0.7
$V /= 1.5 + np.sin($A)
"""),
)
