"""What every program may use: floats, vectors, writes into them, loops and branches."""

from ..grammar import Group, each_line, each_paragraph

CORE = Group(
    "core",
    module="""
import copy
import math

import numpy as np

LOG = []
F32 = np.float32
K = np.array([1.0, -0.7, 0.4, 1.3])


class Box:
    pass

""",
    parameters=(("x", "np.array([$n, $n, $n, $n])"), ("y", "np.array([$n, $n, $n, $n])"), ("s", "$n")),
    setup="""
a, b, c = s, s * 0.5, 1.0
u, v, w = x * 0.5, y, np.zeros(4)
""",
    result="""
out += math.sin(a) + b * c
out += (u * K).sum() + (v * K[::-1]).sum() + (w * w).sum()
out += (x * y * K).sum()
""",
    shown=("a", "b", "c", "u.tolist()", "v.tolist()", "w.tolist()", "x.tolist()", "y.tolist()"),
    scalars=each_line("""
($S + $S)
($S - $S)
($S * $S)
(-$S)
math.sin($S)
math.tanh($S)
($S / (1.0 + $S ** 2))
np.cos($S)
abs($S)
math.sqrt(1.0 + $S ** 2)
math.exp(-abs($S))
math.hypot($S, 0.5)
math.atan2($S, 1.5)
max($S, $S)
min($S, $S, $n)
($S if $C else $S)
float($S)
($S or $S)
($S and $S)
pow(1.1 + math.sin($S), $S)
$A.sum()
$A.mean()
$A.max()
($A @ $A)
$A[$i]
$A[1:3].sum()
(lambda t: t * $S)($S)
sum(t * $S for t in $A)
math.fsum([$S, $S])
(int($S * 3) * $S)
math.tanh(round($S, 1) + $S)
np.sum($A * K)
np.dot($A, $A)
np.float64($S)
($S % 1.7)
np.linalg.norm($A + 0.1)
"""),
    vectors=each_line("""
($A + $A)
($A * $A)
($A - $S)
($S * $A)
(-$A)
np.sin($A)
np.tanh($A)
($A / (1.0 + $A ** 2))
np.where($A > 0.0, $A, $S)
np.maximum($A, $A)
np.minimum($A, $S)
$A[::-1]
$A[[0, 2, 2, 1]]
np.concatenate([$A[2:], $A[:2]])
np.array([$S, $S, 0.3, $S])
np.cumsum($A)
np.outer($A, $A)[1]
$A.reshape(2, 2).T.ravel()
np.roll($A, 1)
$A.copy()
np.clip($A, -1.0, 1.0)
np.array([t * $S for t in $A])
np.full(4, $S)
np.stack([$A, $A]).mean(axis=0)
np.abs($A)
np.tile($A[:2], 2)
np.repeat($A[1:3], 2)
np.diff($A, prepend=0.0)
np.hstack([$A[:1], $A[1:]])
(K - $A)
np.asarray($A)
np.flip($A)
np.zeros_like($A)
"""),
    lines=each_line("""
$X = math.tanh($S)
$X = $S
$X += math.sin($S)
$X *= math.cos($S)
$X -= $S * 0.5
a, b = b, a
u = np.tanh($A)
v = np.sin($A)
w = np.tanh($A)
$V[$i] = math.sin($S)
$V[$i] += math.tanh($S)
$V[$i] *= math.sin($S)
$V[1:] = $V[:-1]
$V[:-1] = $V[1:]
$V[:2] = $V[2:] * $S
$V[::2] += $V[1::2]
$V[...] = np.tanh($A)
$V[:] = math.tanh($S)
$V[1:3] *= 0.5
$V[::-1] = np.sin($A)
$V += np.sin($A)
$V *= np.cos($A)
$V -= math.sin($S)
$V[$i], $V[$i] = $V[$i], $V[$i]
LOG.append(repr($S))
LOG.append(repr($A.tolist()))
"""),
    blocks=each_paragraph("""
if $C:
    $B

if $C:
    $B
elif $C:
    $B
else:
    $B

for i$0 in range($k):
    $L

for i$0, t$0 in enumerate($V):
    c = math.sin(c + t$0)
    $L

for i$0 in reversed(range(3)):
    $L
else:
    $B

n$0 = 0
while n$0 < $k and $C:
    n$0 += 1
    $L

n$0 = 0
while True:
    n$0 += 1
    if n$0 > $k: break
    $L
else:
    $B

for t$0 in $A:
    a = math.tanh(a + t$0)
    $L

for t$0, q$0 in zip($A, $V):
    b = math.sin(b * t$0 + q$0)
    $b
"""),
)
