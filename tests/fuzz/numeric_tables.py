"""What the numeric programs are made of: templates with holes, in Numba's subset.

Vectors have `n` elements and matrices are `n` by `n`, where `n` may be 0; so an element is only read where an index
of a loop over them is at hand. Values stay of order one, because what is assigned is a bounded function of the rest.
Holes (see `numeric_grammar`):

    $S  a float          $A  a vector        $V  a variable that is a vector    $U  one that may be written
    $X  a float variable $N  a matrix        $M  a variable that is a matrix    $W  one that may be written
    $C  a condition      $Z  a complex       $P  a contiguous matrix            $Q  a contiguous vector
    $i  a safe index     $J  always the same $n  a number                       $k  1, 2 or 3
    $0  a fresh number   $R  what the program returns    $B $L $b  blocks (any, of a loop, one simple statement)
"""

from .grammar import each_line, each_paragraph

HEAD = """\
import math
from collections import namedtuple
from enum import Enum, IntEnum

import numpy as np
from numba import njit, prange

Pair = namedtuple("Pair", "mass where")
F32 = np.float32
C64 = np.complex64
G = 0.7
TABLE = np.array([0.5, -1.5, 0.8, 0.25, 1.1])
TABLES = Pair(np.float64(0.6), np.array([0.5, -1.5, 0.8, 0.25, 1.1]))
STEP, COUNT = np.float64(0.3), np.int64(2)


class Kind(IntEnum):
    NEAR = 0
    FAR = 1


class Loss(Enum):
    SQUARE = 1
    ABSOLUTE = 2
"""

HELPERS = {
    "total": """
@njit
def total(r):
    m = 0.0
    for i in range(len(r)):
        m += r[i] * TABLE[i % 5]
    return m
""",
    "bend": """
@njit
def bend(p):
    return math.sin(p) * 0.8 + $n * p
""",
    "choose": """
@njit
def choose(p, q):
    if p > q:
        return p * 0.5 + q
    m = bend(p)
    if m < $n:
        m = m * q
    return math.cos(q) + m
""",
    "relax": """
@njit
def relax(r, p):
    for i in range(len(r)):
        r[i] = 0.5 * r[i] + p * math.sin(r[i - 1])
""",
    "curve": """
@njit
def curve(r, p):
    return np.sin(r) * p + $n
""",
    "power": """
@njit
def power(p, m):
    if m <= 0:
        return p
    return math.sin(power(p * 0.9, m - 1)) + 0.1 * p
""",
    "both": """
@njit
def both(p, q):
    return 0.5 * p + q, math.sin(p) * q
""",
    "search": """
@njit
def search(r, p):
    for i in range(len(r)):
        if r[i] > p:
            return r[i] * p
    return 0.3 * p
""",
    "tail": """
@njit
def tail(r):
    return r[1:]
""",
    "trade": """
@njit
def trade(r, q):
    for i in range(len(r)):
        r[i], q[i] = q[i], 0.9 * r[i]
""",
    "smooth": """
@njit
def smooth(r, p):
    relax(r[1:], p)
    m = 0.0
    for i in range(1, len(r) - 1):
        m += r[i] * (r[i + 1] - r[i - 1])
        r[i] = r[i] + 0.1 * (r[i + 1] - 2.0 * r[i] + r[i - 1])
    return math.tanh(m)
""",
    "row": """
@njit
def row(W, i, p):
    W[i] *= math.cos(p)
    return W[i]
""",
    "made": """
def make(m, off):
    @njit
    def made(p):
        return math.sin(m * p) + off * G

    return made


made = make($k, $n)
""",
    "gathered": """
@njit
def gathered(r, index):
    out = np.zeros(len(r))
    for i in range(len(index)):
        out[index[i]] += r[i] * 0.5
    return out
""",
    "penalty": """
@njit
def penalty(p, loss, scale=STEP):
    if loss == Loss.SQUARE:
        return scale * math.tanh(p) ** 2
    return math.tanh(p) * loss.value
""",
    "inside": """
@njit
def inside(p, q):
    width = 0.5
    width = width * math.tanh(q)
    def bent(r, scale=0.7):
        return math.sin(r * width) * scale
    return bent(p) + bent(q, width)
""",
    "halves": """
@njit
def halves(r, lo, hi):
    if hi - lo <= 1:
        r[lo] = 0.9 * r[lo]
        return math.sin(r[lo])
    mid = (lo + hi) // 2
    return halves(r, lo, mid) - 0.7 * halves(r, mid, hi)
""",
    "scan": """
@njit
def scan(r, q, limit):
    m = 0.1
    count = 0
    while count < len(r):
        m = math.sin(m + r[count] * q[count])
        count += 1
        if m > limit:
            break
    return m * (count + 1)
""",
}
NEEDS = {"choose": ("bend",), "smooth": ("relax",)}

NUMBERS = ("0.5", "1.5", "-0.7", "0.3", "-1.2", "2.0", "0.9", "-0.1", "0.25")
SCALARS = each_line("""
math.sin($S)
math.cos($S)
math.tanh($S)
math.atan($S)
($S + $S)
($S - $S)
(math.tanh($S) * $S)
(math.sin($S) * math.cos($S))
(-$S)
math.exp(-(($S) ** 2))
math.sqrt(($S) ** 2 + 0.5)
math.log(($S) ** 2 + 1.5)
($S / (1.5 + ($S) ** 2))
(math.tanh($S) ** 2)
(math.tanh($S) ** k)
math.atan2($S, 2.0)
math.hypot($S, 0.5)
max($S, $S)
min($S, $n)
abs($S)
($S if $C else $S)
bend($S)
choose($S, $S)
power($S, $k)
made($S)
math.tanh(both($S, $S)[0])
penalty($S, Loss.ABSOLUTE)
penalty($S, Loss.SQUARE if $C else Loss.ABSOLUTE)
inside($S, $S)
STEP * $S
TABLES.mass * TABLES.where[k] * $S
($S if k % 3 == Kind.FAR else $S)
math.tanh($S) ** COUNT
search($V, $S)
scan($V, $V, $S)
0.2 * $A.sum()
0.2 * np.sum($A)
0.1 * np.dot($Q, $Q)
0.2 * ($V * $V).sum()
np.sin($S) * np.tanh($S)
np.maximum($S, $S)
G * $S
TABLE[k] * $S
k * $S
float(L) * 0.1
0.1 * len($V) * $S
$Z.real
math.tanh($Z.imag)
math.tanh(abs($Z + 2.5))
""")
ELEMENTS = each_line("""
$V[$i]
$V[$i]
$V[$i - 1]
$V[($i + 1) % n]
$V[($i - 1) % n]
$V[-1 - $i]
$V[idx[$i]]
$M[$i, $i]
$M[$i, $i - 1]
$M[idx[$i], $i]
$M[$i][$i]
$M.T[$i, $i]
0.1 * $V[$i:].sum()
$V[:$i + 1][-1]
0.1 * $M[$i].sum()
0.1 * $M[:, $i].sum()
0.1 * np.dot($M[$i], $V)
TABLE[$i % 5]
$i * 0.2
(idx[$i] - 1) * $S
0.3 * np.max($V)
0.3 * $V.min()
0.3 * np.mean($A)
g[$i] * 0.5
zs[$i].real * 0.5
zs[$i].imag
held[$i % 2]
""")
COMPLEX = each_line("""
z
z
(z * z * 0.3)
z.conjugate()
(0.5 * $Z + $S)
($Z * 0.5j)
complex($S, $S)
np.exp(0.2 * $Z)
($Z / (z + 3.0))
""")
VECTORS = each_line("""
np.sin($A)
np.cos($A)
np.tanh($A)
($A + $A)
($A - $A)
($A * np.tanh($A))
(-$A)
(0.5 * $A)
($A - $S)
($S * np.cos($A))
np.exp(-($V**2))
np.sqrt($V**2 + 0.5)
($A / (1.5 + $V**2))
np.arctan($A)
(np.tanh($A) ** 2)
$V[::-1]
np.where($V > $n, $A, $A)
np.where($A > $A, $S, $A)
np.maximum($A, $A)
np.minimum($A, $n)
np.abs($A)
curve($V, $S)
gathered($V, idx)
$V[idx]
$V.copy()
(0.3 * np.cumsum($A))
np.concatenate(($V[1:], $V[:1]))
(0.4 * np.dot($P, $Q))
(0.4 * $P @ $Q)
(0.3 * np.sum(np.sin($M), axis=0))
(0.3 * ($M * $V).sum(axis=1))
(0.3 * $M.T.sum(axis=0))
np.tanh(p[1])
q.where
np.zeros_like($V)
np.ones(n)
np.full(n, $S)
(np.arange(n) * 0.2)
np.linspace(0.0, 1.0, n)
zs.real
np.abs(zs + 2.5)
(g + x)
""")
MATRICES = each_line("""
np.sin($M)
($M * $V)
(0.5 * $M + $M.T)
($M + $S)
np.cos($M * $A)
np.tanh(np.outer($Q, $Q))
(0.3 * $P @ $P)
(np.tanh($M) * $V[:, np.newaxis])
$M.copy()
$M.T
np.zeros((n, n))
(np.eye(n) * $S)
np.where($M > 0.0, $M, $S)
""")
CONDITIONS = each_line("""
$S > $n
$S < $S
k > 1
k % 2 == 0
L < 3
n > 2
not $S > 0.2
$S > 0.0 and $S < 0.7
$S < -0.3 or k == 1
flag
0.0 < $S < 0.5
""")
CONDITIONS_IN_LOOPS = each_line("""
$i % 2 == 0
$i > 1
$V[$i] > $n
$V[$i] < $V[$i - 1]
idx[$i] == $i
L % 3 == 1
$M[$i, $i] > 0.0
""")
LINES = each_line("""
$X = math.sin($S)
$X = 0.5 * $X + 0.3 * math.cos($S)
$X += 0.4 * math.sin($S)
$X += $S * 0.2
$X -= math.tanh($S)
$X *= math.cos($S)
$X /= 1.5 + math.tanh($S)
s, t = t, 0.5 * s + math.sin($S)
s, t = both(math.sin($S), t)
a = math.tanh($S)
L += 1
L = (L + $k) % 7
$X += L * 0.1
$U = np.sin($A)
$U = 0.5 * $U + np.cos($A)
$U = np.tanh($A)
u, v = v, u
u, v, w = w, np.sin($A), u
$U = $V
$U = np.zeros(n)
$U = np.full(n, math.sin($S))
u = np.empty(n); u.fill(math.sin(t))
v = np.empty_like(x); v[:] = w
$U = $V.copy()
$U = np.zeros_like(x)
$U += 0.3 * $A
$U -= np.sin($A)
$U *= np.cos($A)
$U *= math.cos($S)
$U /= 1.5 + np.tanh($A)
$U[:] = np.sin($A)
$U[:] = math.cos($S)
$U[1:] = $U[:-1]
$U[:-1] = $V[1:]
$U[::2] = math.sin($S)
$U[::2] *= 0.5
$U[::-1] = np.sin($A)
$U[1:] += 0.3 * np.sin($V[:-1])
$U[1:-1] = 0.5 * $V[1:-1] + 0.2 * ($V[2:] - 2.0 * $V[1:-1] + $V[:-2])
$U[1:-1] += 0.2 * np.tanh($U[2:] - $U[:-2])
$U[idx] = np.sin($A)
$W = np.sin($N)
$W = np.zeros((n, n))
$W += 0.3 * np.cos($N)
$W *= math.cos($S)
$W[:] = np.tanh($N)
$W[1:] = 0.5 * $W[:-1]
$W[:, 1:] *= 0.7
$W[1:, 1:] += 0.3 * np.sin($M[:-1, :-1])
$W.T[:] = 0.8 * $M
relax($U, math.sin($S))
relax($U[1:], 0.3)
relax($U[::-1], 0.2)
trade($U, $U)
$X = smooth($U, math.sin($S))
tail($U)[:] = math.sin($S)
p = (math.sin($S), np.sin($A))
p = (0.5 * p[0] + math.sin($S), p[1])
p[1][:] = np.cos($A)
q = Pair(math.sin($S), np.sin($A))
q = Pair(q.mass * 0.5, q.where + $A)
z = np.tanh(0.3 * $Z)
z = 0.5 * z + complex(math.sin($S), math.cos($S))
z += 0.2 * complex(math.sin($S), 0.3)
zs = np.tanh(0.3 * zs + $Z)
zs *= 0.5 + 0.1j
zs += 0.2 * $A
g[:] = 0.5 * g
g *= F32(0.7)
held[0] = math.sin($S)
held.append(math.cos($S))
held.sort()
held.reverse()
$X = 0.3 * sum(held)
$X = 0.4 * sorted(held)[0]
""")
ELEMENT_LINES = each_line("""
$U[$i] = math.sin($S)
$U[$i] = 0.5 * $U[$i - 1] + math.cos($S)
$U[$i] += 0.4 * math.sin($S)
$U[$i] -= math.tanh($S) * $V[$i]
$U[$i] *= math.cos($S)
$U[idx[$i]] += 0.3 * $V[$i]
$U[idx[$i]] = math.sin($S)
$U[idx[$i]] *= math.cos($S)
$U[$i], $U[$i - 1] = $U[$i - 1], $U[$i]
$U[-1 - $i] = math.tanh($S)
$U[$i:] *= 0.8
$U[$i:] = math.sin($S)
$U[:$J] += 0.1 * np.sin($V[:$J])
$U[$J:] = 0.5 * $V[$J:] + $S
$W[$i, $i] = math.sin($S)
$W[$i, $i - 1] += math.cos($S)
$W[idx[$i], $i] *= math.cos($S)
$W[$i] = np.sin($A)
$W[$i] += 0.3 * $A
$W[:, $i] = np.cos($A)
$W[:, $i] *= 0.5
$W[$i, 1:] = math.sin($S)
$W[$i][$i] = math.cos($S)
$W[$i], s = np.sin($A), $W[$i, 0]
$W.T[$i] = 0.5 * $V
$U = row($W, $i, $S)
row($W, $i, $S)[$i] = 0.3
$U = $W[$i]
relax($W[$i], 0.4)
relax($W[:, $i], 0.3)
zs[$i] = np.tanh(0.3 * $Z)
zs[$i] *= 0.5j
zs[$i] += 0.3 * complex(math.sin($S), 0.2)
g[$i] += F32(0.1)
g[$i] = math.sin($S)
idx2[$i] = (idx[$i] + 1) % n
$X += $V[idx2[$i]] * 0.3
""")
LOOP_LINES = each_line("""
if $C: break
if $C: continue
if $C: return $R
""")
BLOCKS = each_paragraph("""
for i$0 in range(n):
    $L

for i$0 in range(n):
    $L

for i$0 in range(n):
    $X = 0.5 * $X + math.sin($V[i$0])
    $L

for i$0 in range(n - 1, -1, -1):
    $L

for i$0 in range(0, n, 2):
    $L

for i$0 in range(1, n):
    $L

for i$0 in range(n - 1, 0, -2):
    $L

for i$0 in range(k, n, k + 1):
    $L

for i$0 in range(n, 0):
    $L

for _ in range($k):
    $L

for _ in range(k):
    $L

for m$0 in range(k, -2, -1):
    $X = math.sin($S + m$0)
    $L

m$0 = 0
while m$0 < n:
    i$0 = m$0
    m$0 += 1
    $L

t$0 = 0.3 + 0.1 * math.tanh($S)
while t$0 < 2.5:
    t$0 = 1.4 * t$0 + 0.2
    $L

m$0 = 3
while True:
    m$0 -= 1
    if m$0 < 0: break
    $L

for t$0 in $V:
    $L

for i$0, t$0 in enumerate($V):
    $L

for t$0, o$0 in zip($V, $V):
    $X = math.sin(t$0 + o$0)
    $L

for r$0 in $W:
    $L

for t$0 in (a, b, 0.3):
    $L

for t$0 in held[:2]:
    $X = 0.5 * $X + t$0
    $b

for j$0 in range(n):
    i$0 = idx[j$0]
    $L

for i$0, j$0 in np.ndindex(n, n):
    $X = 0.9 * $X + 0.1 * math.sin($M[i$0, j$0])
    $b

for m$0 in range(n):
    w$0 = $A.copy()
    for l$0 in range($k):
        e$0 = np.zeros(n)
        for h$0 in range(1, n):
            if ($V[m$0] > $n) == (h$0 % 2 == 0):
                e$0[h$0] = math.sin(w$0[h$0] + $S) + w$0[h$0 - 1] * $V[m$0]
        w$0 = e$0
    $X += 0.3 * math.cos(np.sum(w$0))
$b

w$0, d$0 = $A.copy(), np.cos($A)
y$0 = w$0
for m$0 in range($k + 1):
    e$0 = np.ones(n)
    for h$0 in range(1, n - 1):
        e$0[h$0] = math.sin(w$0[h$0 - 1] * w$0[h$0]) + $n * d$0[h$0 + 1] ** 2 + $S
    if m$0 == $k:
        y$0 = e$0
    d$0 = w$0
    w$0 = e$0
    $b
$X = 0.2 * np.sum(w$0 * d$0 - y$0)

if $C:
    $B

if $C:
    $B
else:
    $B

if $C:
    $B
elif $C:
    $B
else:
    $B

r$0 = $U[::-1]
$B
r$0[:] = 0.5 * r$0

r$0 = $U
$B

r$0 = np.sin($A)
$B

t$0 = $S
$B

h$0 = $U[1:]
h$0 *= math.cos($S)
$B
$X = 0.3 * h$0.sum()

if n > 1:
    i$0 = n - 1
    $B

if n > 0:
    i$0 = $k % n
    r$0 = $W[i$0]
    $B

if n > 0:
    i$0 = idx[n // 2]
    r$0 = $W[:, i$0]
    $B

if n > 0:
    $X = halves($U, 0, n)
    $b

o$0 = $n
for i$0 in range($k - 1, n):
    t$0 = math.exp(-o$0 * o$0) * $S
    o$0 = 0.6 * o$0 + 0.3 * $V[i$0]
    $X -= 0.3 * math.sin(o$0 + t$0)
    $b
$X = 0.5 * $X + o$0

e$0, d$0 = np.ones(n + 1), np.zeros(n)
for i$0 in range(n):
    e$0[i$0 + 1] = 0.5 * e$0[i$0] + $V[i$0]
    d$0[i$0] = math.sin(e$0[i$0 + 1] * $n)
    $X += -0.4 * math.exp(-e$0[i$0 + 1] ** 2) * $S
    $b
$X += 0.2 * (d$0.sum() + e$0[n])

for i$0 in range(1, n):
    $U[i$0] = math.sin($U[i$0 - 1] + $S) * $V[i$0]
    $L

for i$0 in range(n - 2, -1, -1):
    $X += 0.3 * math.tanh($U[i$0 + 1] * $U[i$0])
    $U[i$0] = 0.5 * math.cos($U[i$0 + 1]) * $V[i$0] + $n
    $b

d$0 = np.full((n + 1, n + 1), math.cos($S))
for m$0 in range(1, n + 1):
    for l$0 in range(1, m$0 + $k - 1):
        if l$0 > n: break
        d$0[m$0, l$0] = math.sin(d$0[m$0 - 1, l$0 - 1] * d$0[m$0, l$0 - 1] + $S) * d$0[m$0 - 1, l$0]
$X = 0.3 * d$0[n, n // 2]
$b

d$0 = np.full((n + 3, n + 3), math.cos($S))
for m$0 in range(n):
    d$0[m$0, m$0] = math.sin(d$0[m$0, m$0] + $V[m$0])
    for l$0 in range(m$0 + $k - 1, n + 1):
        d$0[l$0, m$0] = math.tanh(d$0[l$0, m$0] * d$0[m$0, m$0])
    for l$0 in range(m$0 + $k - 1, n + 1):
        for h$0 in range(l$0, n + $k - 1):
            d$0[h$0, l$0] -= 0.3 * math.sin(d$0[h$0, m$0]) * d$0[l$0, m$0 + $k - 1]
$X = 0.3 * (d$0[n, n // 2] + d$0[0, 0] - d$0[n - n // 2, n // 2])
$b

d$0 = np.full(n + 3, math.cos($S))
for m$0 in range(n - 1, -1, -1):
    for l$0 in range(min(m$0 + $k, n + 2), n + 2):
        d$0[m$0 + $k - 1] -= 0.3 * math.sin(d$0[l$0 - $k + 1] * d$0[m$0])
    d$0[m$0] = math.tanh(d$0[m$0] * d$0[m$0 + $k - 1]) + $n
$X = 0.3 * d$0.sum()
$b

m$0 = $k - 1
while m$0 < n:
    $X = 0.5 * $X + math.sin($U[m$0] + $S)
    $U[m$0] = 0.8 * $U[m$0] + $S
    m$0 += $k
$X += 0.1 * m$0
$b

m$0 = n - 1
while $k - 2 < m$0:
    $X += 0.3 * math.sin($V[m$0]) * $S
    m$0 -= $k
$X = math.tanh($X) + 0.1 * m$0
$b

m$0 = 0
while m$0 < n:
    l$0 = m$0
    o$0 = 0.1
    while l$0 < n and ($V[l$0] > $n) == ($V[m$0] > $n):
        o$0 += math.sin($V[l$0] * o$0)
        l$0 += 1
    $X += 0.3 * o$0 * o$0
    m$0 = max(l$0, m$0 + 1)
$b

w$0 = $A.copy()
for m$0 in range(1, n):
    o$0 = w$0[m$0] * 1.1
    l$0 = m$0 - 1
    while l$0 >= 0 and w$0[l$0] > o$0:
        w$0[l$0 + 1] = 0.9 * w$0[l$0]
        l$0 -= 1
    w$0[l$0 + 1] = o$0
    $X = 0.5 * $X + 0.1 * l$0 * o$0
$X = 0.3 * np.sum(w$0 * w$0) + math.tanh($X)
$b

best$0 = $n
for m$0 in range(n):
    if w[m$0] > best$0:
        best$0 = w[m$0]
$X = math.sin(best$0)
$b

w$0 = np.zeros(n * n)
L = 0
for m$0 in range(n):
    for l$0 in range(m$0):
        w$0[L] = $V[m$0] * math.sin($V[l$0])
        L += 1
$X = 0.2 * w$0[:L].sum() + math.tanh($X)
$b

rows$0 = [(0, n, 1.0 * $S)]
while rows$0:
    l$0, m$0, o$0 = rows$0.pop()
    if m$0 - l$0 < 2:
        $X = 0.7 * $X + math.sin(o$0)
    else:
        rows$0.append((l$0, (l$0 + m$0) // 2, 0.5 * o$0 + $V[l$0]))
        rows$0.append(((l$0 + m$0) // 2, m$0, math.cos(o$0)))
$b

path$0 = [1.0 * $S]
for m$0 in range(n - 1, -1, -2):
    path$0.append(0.5 * path$0[-1] + math.sin($V[m$0]))
    if $C: path$0.append(0.3 * $X)
    for l$0 in range(m$0):
        if l$0 % 2: path$0.append($V[l$0] * $n)
        held.append(math.sin($V[l$0]))
for item$0 in path$0:
    $X += 0.1 * math.tanh(item$0)
$b

path$0 = [np.sin($A)]
for m$0 in range(3):
    path$0.append(0.5 * path$0[0] + $A)
    $L
    if $C:
        path$0.append($V[m$0:].copy())
for item$0 in path$0:
    $X += 0.1 * np.tanh(item$0).sum()
$b

rows$0 = [(1.0 * $V[m$0], m$0) for m$0 in range(n)]
if n > 2:
    rows$0[1] = (rows$0[0][0] * $n, 2)
    o$0, l$0 = rows$0.pop($k - 1)
    $X += 0.3 * o$0 * l$0
for o$0, l$0 in rows$0:
    $X += 0.2 * math.sin(o$0) * l$0
$b

queue$0 = [0]
d$0 = [1.0 * $S]
while True:
    if not queue$0 or n == 0:
        break
    m$0 = queue$0.pop(0)
    o$0 = d$0.pop(0)
    $X = 0.6 * $X + math.sin(o$0)
    for l$0 in range(2 * m$0 + 1, min(2 * m$0 + 3, n)):
        queue$0.append(l$0)
        d$0.append(0.5 * o$0 + $V[l$0])
$b
""")
SMALL = each_paragraph("""
d$0 = {"a": $S, "b": 0.5, "c d": $S}
s$0 = {0, 2}
for _ in range($k):
    d$0["a"] = math.sin(d$0["b"] + $S) if "a" in d$0 else 0.0
    if k in s$0:
        d$0["b"] += 0.3 * d$0["a"] * d$0["c d"]
    $b
$X = 0.2 * math.tanh(d$0["a"] - d$0["b"])

F$0, P$0 = 0.3 * np.eye(4), np.eye(4)
F$0[0, 1], F$0[2, 3] = math.sin($S), math.cos($S)
for _ in range($k):
    P$0 = F$0 @ P$0 @ F$0.T + 0.5 * np.identity(4)
    K$0 = P$0[:, :2] @ np.linalg.inv(P$0[:2, :2] + np.eye(2) * $n ** 2)
    P$0 = P$0 - K$0 @ P$0[:2]
    P$0[1, 2] = math.tanh($S)
$X = 0.2 * math.tanh(P$0.sum() + K$0[1, 0])

w$0, v$0, d$0 = $A.copy(), np.cos($A), np.sin($A)
e$0 = w$0
for h$0 in range(k):
    v$0[1:] = np.sin(w$0[:-1]) * $n + d$0[1:]
    d$0[:-1] = 0.4 * w$0[1:] * v$0[1:] + math.sin($S)
    $U[1:] = np.tanh(v$0[:-1] - d$0[1:]) + 0.1 * e$0[1:]
    if k > 1:
        w$0, v$0, d$0 = d$0, w$0, v$0
$X = 0.2 * np.sum(w$0 * v$0 - d$0 * e$0)

w$0, v$0 = $A.copy(), np.cos($A)
e$0 = w$0
for h$0 in range($k):
    v$0[1:] = np.sin(w$0[:-1]) * $n + e$0[1:]
    w$0, v$0 = v$0, w$0
    w$0[:-1] = np.cos(v$0[1:]) * w$0[:-1]
$X = 0.2 * np.sum(w$0 * v$0 - e$0)

w$0 = np.ones((n + 1, 3))
for m$0 in range(1, n + 1):
    a$0 = 0.0
    for h$0 in range(3):
        w$0[m$0, h$0] = math.sin(w$0[m$0 - 1, h$0] * $S) + 0.2 * w$0[m$0 - 1, 0]
        a$0 += w$0[m$0, h$0] ** 2
    a$0 = math.sqrt(a$0 + 0.5)
    for h$0 in range(3):
        w$0[m$0, h$0] /= a$0
    $B
$X = 0.2 * np.sum(w$0 * w$0)

w$0 = np.ones(n + 2)
for m$0 in range(n):
    w$0[m$0] = math.sin(w$0[m$0 + 1] + $S)
    w$0[m$0 + $k - 1] = math.tanh(w$0[m$0] * w$0[m$0 + 1])
    w$0[(m$0 * 2) % (n + 1)] = w$0[m$0 - 1] * math.cos(w$0[m$0 + 1]) if $C else $n
$X = 0.2 * np.sum(w$0 * w$0)

e$0 = np.array([$S, $n, $S])
for h$0 in range(k):
    e$0[0] = math.sin(e$0[0] * e$0[1])
    e$0[1] *= e$0[0]
    e$0[-1] = e$0[1] / (1.5 + e$0[0] ** 2)
    e$0[h$0 % 3] = math.tanh(e$0[2] * e$0[0])
    e$0[2] = e$0[1] * e$0[2] - e$0[0]
$X = 0.3 * (e$0 @ e$0)

e$0 = np.array([$S, $S])
for h$0 in range($k):
    e$0 = np.sin(e$0) * $n + np.array([$S, e$0[0]])
$X = 0.3 * np.sum(e$0 * e$0)

e$0 = np.zeros(3)
e$0[0], e$0[-1] = math.sin($S), $n
for h$0 in range($k):
    if $C:
        e$0 = 0.5 * e$0 + np.array([$S, 1, e$0[0]])
    d$0 = e$0
    e$0 = np.cos(d$0)
$X = 0.2 * (e$0 @ d$0) + 0.1 * np.cross(e$0, d$0)[1]

e$0, d$0 = np.array([$S, $n]), np.array([[0.5, $n], [$S, -0.3]])
for h$0 in range(len(x)):
    if e$0[0] > 0.9:
        break
    e$0, d$0 = np.sin(d$0 @ e$0) + 0.1, d$0 * math.cos(x[h$0])
    d$0[1, 0] += x[h$0]
$X = 0.3 * (e$0[0] - d$0[1, 1])

f$0 = (math.cos($S), $S, $n)
e$0 = np.empty((2, 3))
e$0[0], e$0[1] = f$0, (f$0[1], 0.5, f$0[0])
h$0 = 0
while h$0 < $k:
    if h$0 in (2, 5):
        e$0[0] *= 0.5
    h$0 += 1
else:
    e$0 = e$0 + 0.1
$X = math.sin(np.sum(e$0 * e$0))

""")

NESTED = each_paragraph("""
for i$0 in range($i):
    $L

for i$0 in range($i, n):
    $L

for i$0 in range($i + 1):
    $L

for i$0 in range($i, -1, -1):
    $L

for i$0 in range(n - $i):
    $L

r$0 = $M[$i]
$B

r$0 = $W[$i]
r$0 *= 0.9
$B

r$0 = $W.T[$i][::-1]
r$0[:] = 0.7 * r$0
$B

for i$0 in range(n):
    if i$0 == $i: continue
    $X += 0.1 * math.tanh($V[i$0] - $V[$i])
    $U[i$0] += 0.1 * math.tanh($V[$i])
""")
ENDINGS = {  # what the state of a program adds to `s` at its end, by the names that it depends on
    "u": "s = s + 0.3 * t - 0.2 * c + total(u) - total(v) + 0.5 * total(w)",
    "W": "for i in range(n):\n    for j in range(n):\n        s += 0.3 * W[i, j] * TABLE[i] * (j - 1.5)",
    "z": "s += 0.5 * z.real - z.imag",
    "zs": "s += total(zs.real) - 0.7 * total(zs.imag)",
    "g": "s += total(g)",
    "p": "s += p[0] - total(p[1])",
    "q": "s += q.mass + total(q.where)",
    "held": "for h in held:\n    s = 0.7 * s + h",
}
RETURNS = {  # by name: what is returned
    "number": "$S + 0.1 * s",
    "vector": "s * $V",
    "pair": "(s, 1.0 * $V)",
    "deep": "(s, k, (t * a, 1.0 * $V))",
    "complex": "z * complex(s, t)",
    "matrix": "s * $M",
    "named": "Pair(s * 0.5 + t, 1.0 * $V)",
}
