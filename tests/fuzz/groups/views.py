"""Views of arrays, and what looks like one and is a copy."""

from ..grammar import Group, each_line, each_paragraph

VIEWS = Group(
    "views",
    setup="""
t2 = u.reshape(2, 2)
end = v[2:]
""",
    result="out += t2[0, 1] * 0.3 + t2.sum() + end[0] - end[-1] * 0.2",
    shown=("t2.tolist()", "end.tolist()", "t2.shape", "u.shape"),
    scalars=each_line("""
t2[1, 0]
t2.T[0, 1]
end[0]
end.sum()
$A.T[1]
np.real($A)[2]
$A[()][1]
$A[..., 0]
$A[True].sum()
$A[None, :, None][0, 1, 0]
np.atleast_1d($S)[0]
np.atleast_2d($A)[0, -1]
t2.flat[3]
t2.diagonal()[1]
np.ptp(t2)
"""),
    vectors=each_line("""
$A.real
$A[...]
$A[:]
$A[::1]
$A.T
$A.view()
np.asarray($A)
np.array($A, copy=True)
np.ascontiguousarray($A[::-1])
$A.astype(float)
$A.astype(float, copy=False)
np.require($A, requirements='C')
np.asanyarray($A)
np.concatenate(np.split($A, 2)[::-1])
np.hstack(np.array_split($A, 3))
np.concatenate([end, end])
t2.ravel()
t2.T.ravel()
t2.T.flatten()
t2.ravel(order='F')
t2.reshape(4, order='F')
t2.T.reshape(-1)
np.array([*t2.T.flat])
np.asarray($V.flat)
np.stack([$V.flat, $A])[1]
np.concatenate(t2)
np.concatenate([r for r in t2.T])
np.lib.stride_tricks.sliding_window_view($A, 1)[:, 0]
np.array(list(np.unstack(t2))).ravel() if hasattr(np, 'unstack') else t2.ravel()
$A.swapaxes(0, 0)
np.rot90(t2, 2).ravel()
np.flipud($A)
np.fliplr(t2).ravel()
t2[::-1, ::-1].reshape(4)
"""),
    lines=each_line("""
t2 = $V.reshape(2, 2)
t2 = $V.reshape(2, 2, order='F')
t2 = $V.reshape(2, 2).T
t2 = np.reshape($V, (-1, 2))
t2 = np.vstack([$V[:2], $V[2:]])
t2 = $V[np.newaxis].repeat(2, axis=0)[:, :2]
t2 = t2.copy(order='F')
t2 = t2[::-1]
t2 = np.swapaxes(t2, 0, 1)
t2[0] = $S
t2[:, 0] += $S
t2 *= 0.9
t2.T[0] = t2[0]
t2[...] = t2.T
t2 += t2.T
t2 += t2[::-1]
t2.real[1, 1] = $S
t2.reshape(4)[2] = $S
t2.T.reshape(4)[1] = $S
t2.T.ravel()[1] = $S
t2.ravel(order='F')[1] = $S
t2.flatten()[0] = $S
t2.flat[1] = $S
t2.T.flat[1:3] = [$S, $S]
t2.diagonal().copy()[0] = $S
t2[[0, 1]][0, 0] = $S
t2[:, ::-1][0, 0] = $S
t2[t2 > 0.0] = $S
t2[np.eye(2, dtype=bool)] *= $S
t2 = t2 @ t2 * 0.5
end = $V[2:]
end = np.split($V, 2)[1]
end = np.array_split($V, [2])[0]
end = $V[-2:][::-1]
end = $V.reshape(2, 2)[:, 0]
end = $V[1::2]
end = np.asarray($V)[:2]
end = np.ravel($V)[1:3]
end = $V.astype(float, copy=False)[1:3]
end = $V.astype(float)[1:3]
end = $V.real[1:3]
end = np.real($V)[1:3]
end = np.squeeze($V[None])[1:3]
end = $V.view()[2:]
end = np.atleast_1d($V)[2:]
end = np.asfortranarray($V)[2:]
end = np.ascontiguousarray($V[::2])
end = np.moveaxis($V.reshape(2, 2), 0, 1)[0]
end = np.broadcast_to($V[1:3], (2, 2))[0] * 1.0
end = $V[[1, 2]]
end = $V[np.array([True, True, False, False])]
end[0] = $S
end[:] = end[::-1]
end[...] = $V[1:3]
end += $S
end *= end[0]
end = end + 0.0
$V[2:] = end
$V[1:3] = end
$V[:2] += end
$V.real[1] = $S
np.real($V)[2] = $S
np.asarray($V)[0] = $S
$V.view()[1:] *= $S
np.split($V, 2)[0][1] = $S
np.atleast_2d($V)[0, 2] = $S
np.squeeze($V[:, None])[3] = $S
np.array($V, copy=False)[1] = $S
np.array($V)[1] = $S
$V[...][0] = $S
$V[:][1:][0] = $S
$V.T[2] = $S
$V[1:][1:][0] += $S
$V[::-1][::-1][1] = $S
u = v[::-1]
w = u[:]
v = np.asarray(u)
w = u.view()
x = y[::-1]
"""),
    blocks=each_paragraph("""
left$0, right$0 = np.split($V, 2)
left$0 += right$0
right$0[0] = $S
$b

for r$0 in np.split($V, 2):
    r$0[0] *= $S
    a = math.sin(a + r$0[1])

old$0 = $V.copy()
$B
c = math.tanh((old$0 * K).sum())

z$0 = $V[1:]
$B
z$0[0] = $S
b = math.sin(z$0.sum())
"""),
)

STRIDES = Group(
    "strides",
    setup="from numpy.lib.stride_tricks import as_strided, sliding_window_view",
    module="",
    scalars=each_line("""
(sliding_window_view($A, 2) @ np.array([$S, 0.5])).sum()
np.broadcast_to($S, (2, 2)).sum()
sliding_window_view($V, 3)[1, 0]
as_strided($V, (2, 2), (16, 8))[1, 0]
as_strided($V, (3, 2), (8, 8)).sum()
$V.flat[2]
np.broadcast_to($A, (3, 4))[1, $i]
"""),
    vectors=each_line("""
np.broadcast_to($A, (3, 4)).sum(axis=0)
np.broadcast_to($S, 4)
sliding_window_view(np.concatenate([$A, $A]), 4)[2]
sliding_window_view($A, 2).ravel()[1:5]
as_strided($V, (4,), (8,))
as_strided($V, (4,), (0,))
as_strided($V[::-1], (4,), (-8,))
np.squeeze($A[None, :, None])
np.expand_dims($A, 0)[0]
np.moveaxis($A.reshape(2, 1, 2), 0, 2).ravel()
np.rollaxis($A.reshape(2, 2), 1).ravel()
np.atleast_2d($A)[0]
np.transpose($A.reshape(2, 2)).reshape(4)
np.ravel($A.reshape(2, 2), order='F')
np.split($A, 2)[1].repeat(2)
np.array_split($A, 3)[0].repeat(2)
"""),
    lines=each_line("""
np.reshape($V, (2, 2)).T[0] = $S
$V.reshape(2, 2).diagonal().sum()
as_strided($V, (2, 2), (16, 8))[:, 1] = $S
as_strided($V, (3,), (8,))[:] *= 0.5
as_strided($V, (2,), (24,))[:] = $V[1:3]
sliding_window_view($V, 2, writeable=True)[1] = $S
sliding_window_view($V, 2, writeable=True)[:, 0] = $A[:3]
$V.flat[1] = $S
$V.flat[1:3] = $A[:2]
$V.flat[[0, 2]] = $S
$V.flat = $A
$V.reshape(2, 2).T.flat[1] = $S
$V.reshape(2, 2).T[...] = $A.reshape(2, 2)
$V.ravel()[1:3] = $S
np.ravel($V)[::2] *= $S
$V[None, :].T[1] = $S
$V.view()[0] = $S
$V[::-2] = $V[:2]
$V[3:0:-1] = $V[:3]
$V[-1::-3] *= $S
$V.squeeze()[1] = $S
"""),
    blocks=each_paragraph("""
for r$0 in sliding_window_view($V, 2):
    a = math.tanh(a + r$0[0] * r$0[1])

for i$0, t$0 in np.ndenumerate($A):
    c = math.sin(c + t$0)

for t$0 in $V.flat:
    b = math.sin(b + t$0)
    $b
"""),
)

MASKS = Group(
    "masks made into numbers",
    setup="""
mask = x > 0.0
gate = mask * 2.0
soft = (y > 0.1) * 1.0 + 0.5
""",
    result="out += (gate * gate * K).sum() + (-soft * x).sum() + (mask * y).sum()",
    shown=("gate.tolist()", "soft.tolist()", "mask.tolist()"),
    scalars=("(gate @ soft)", "gate[$i]", "(gate * 2.0).sum()", "(-soft)[$i]", "(mask * soft).sum()"),
    vectors=("gate", "(gate * soft)", "(-gate)", "(soft ** 2)", "(mask * $A)", "(gate + 1.0)", "(~mask * soft)"),
    conditions=("mask.any()", "(gate > soft).all()"),
    lines=each_line("""
gate[$i] = $S
gate[:] = $A
gate *= $A
gate += 1.0
gate = gate * soft
gate = mask * 0.5
gate[1:] = soft[:-1]
np.copyto(gate, $A)
np.add(gate, $A, out=gate)
soft[mask] = $S
soft[::2] *= $S
soft = -gate
soft = soft + mask
soft = gate
soft.fill($S)
mask |= y > 0.2
mask &= True
mask ^= gate > 0.5
mask[$i] = $S > 0.0
mask = ~mask
mask = (x > 0.1) | (y < 0.0)
$V *= mask
$V[mask] = $S
u = gate
"""),
    blocks=each_paragraph("""
for i$0 in range(4):
    gate[i$0] = x[i$0] * $S
    $b

def f$0(t):
    soft[1] = t
    gate[2] += t
    return (soft * gate).sum()
a = math.tanh(f$0($S))

if (new$0 := $A > 0.0).any():
    b = math.sin((new$0 * $A).sum())
    new$0 |= mask
    $b
"""),
)
