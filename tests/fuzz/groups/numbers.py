"""Other kinds of numbers: complex ones, of other precision, integers, exact ones."""

from ..grammar import Group, each_line, each_paragraph

COMPLEX = Group(
    "complex",
    setup="""
z = x + 1j * y
e = complex(s, 0.5)
zr = z.real
""",
    parameters=(("zz", "np.array([$n + $nj, $n + $nj])"), ("ee", "complex($n, $n)")),
    result="""
out += (z * np.conj(z)).real.sum() + (z.imag * K).sum() + e.real * 0.3 + e.imag + abs(e) + zr[1]
out += abs(zz[0] * ee) + zz[1].imag - ee.real
""",
    shown=("z.tolist()", "e", "zr.tolist()", "zz.tolist()", "ee"),
    scalars=each_line("""
e.real
e.imag
abs(e)
abs(z[$i])
(e * e.conjugate()).real
z.real[$i]
z[$i].imag
(z @ np.conj(z)).real
np.angle(e + 2.0)
complex($S, $S).imag
np.abs(z).sum()
zr[$i]
(e ** 2).real
abs(ee)
(zz[0] * ee).imag
np.vdot(zz, zz).real
np.linalg.norm(z)
cmath.exp(1j * $S).real
cmath.sqrt(e).imag
cmath.phase(e + 2.0)
np.exp(1j * $S).imag
"""),
    vectors=each_line("""
z.real
z.imag
np.abs(z)
np.real(z * e)
(z * 1j).real
np.real(np.conj(z) * z)
np.imag(np.exp(1j * $A))
z[::-1].imag
np.angle(z + 2.0)
zr
np.fft.ifft(np.fft.fft($A)).real
np.fft.fft(z).imag
np.where($A > 0, z, e).real
np.concatenate([zz, zz]).imag
z.view(float)[::2]
"""),
    lines=each_line("""
z[$i] = complex($S, $S)
z[$i] *= e
z.real[$i] = $S
z.imag[...] = $A
z.imag *= 0.5
z.real += z.imag
z.real = $A
z.imag[1:] = z.real[:-1]
z += $A
z = z * e
z = np.conj(z)
z = $A + 1j * $A
z[1:] = z[:-1]
z[:] = $A
z[$V > 0] = 0.5j
z = z / (1.0 + abs(e))
z = np.exp(1j * $A)
z.view(float)[1] = $S
e = e * complex($S, 0.5)
e = complex($S, $S)
e = z[$i]
e += $S
e = e / (1.0 + abs(e))
e = sum(z)
e = z.sum() * 0.5
e = z.mean()
e = complex(np.tanh(e.real), np.tanh(e.imag))
zz[0] = e
zz *= ee
zz[::-1] = zz
ee = ee * zz[1]
zr = z.real
zr = z.imag[::-1]
zr[$i] = $S
zr *= 0.7
$V[:] = z.real
u = z.imag
v = z.real
"""),
    blocks=each_paragraph("""
for t$0 in np.abs(z):
    a = math.tanh(a + t$0)
    $b

for z$0 in z:
    e = e * 0.5 + z$0
    $b

for q$0 in (z.real, z.imag):
    q$0[1:] *= $S
    $b
"""),
    module="import cmath",
)

SINGLE = Group(
    "single precision",
    setup="f = x.astype(F32)\nh = F32(s)",
    parameters=(("fx", "np.array([$n, $n, $n, $n], F32)"),),
    result="out += float((f * f).sum()) + float(h) + (f * K).sum() + float((fx * f[::-1]).sum())",
    shown=("f.tolist()", "h", "fx.tolist()"),
    scalars=("float(f[$i])", "float(f.sum())", "float(h)", "float(fx[$i])", "(f @ K)", "np.float64(f[0] * h)"),
    vectors=("f", "fx", "(f * $A)", "f.astype(float)", "(fx + f)", "np.asarray(f, dtype=float)"),
    lines=each_line("""
f[$i] = $S
f[:] = $A
f *= 0.5
f += $A.astype(F32)
f = np.tanh(f)
f = $A.astype(F32)
f = (f * f[::-1]).astype(F32)
f[1:] = f[:-1]
f[[0, 0, 2]] += F32(0.5)
fx[$i] = $S
fx *= h
fx[:] = np.sin(f)
h = F32($S)
h = h * F32(0.5)
h = f[0] * fx[1]
h = h + 1
$V[:] = f
$V[$i] = h
u = f * 1.0
v = np.array(f, dtype=float)
"""),
    blocks=("for q$0 in f:\n    a = math.tanh(a + float(q$0))\n    $b",),
)

PRECISION = Group(
    "precision",
    setup="""
lg = x.astype(np.longdouble)
lone = np.longdouble(s)
""",
    result="out += float((lg * lg).sum()) + float(lone)",
    shown=("lg.tolist()", "lone"),
    scalars=each_line("""
float(lone)
float(lg[$i])
float(lg.sum())
float(lone * lg[1])
"""),
    vectors=("lg.astype(float)", "(lg * $A).astype(float)", "np.asarray(lg, float)"),
    lines=each_line("""
lg[$i] = $S
lg *= lone
lg += $A
lg = np.sin(lg)
lone = np.longdouble($S)
lone = lone * lg[0]
$V[:] = lg
$V[$i] = lone
"""),
)

INTEGERS = Group(
    "integers",
    setup="""
ints = np.array([2, -1, 0, 3])
flags = x > 0.0
j = 2
""",
    result="out += (ints * K * s).sum() + (flags * x).sum() + j * b",
    shown=("ints.tolist()", "flags.tolist()", "j"),
    scalars=each_line("""
ints[$i] * $S
j * $S
$S ** j
j ** 0.5 * $S
(ints @ $A)
np.int64(j) * $S
($S // 0.4 + $S)
(2 ** abs($S))
(True * $S)
(flags * $A).sum()
ints.sum() * $S
np.count_nonzero($A > 0.1) * $S
int(np.argmax($A)) * $S
math.floor($S) * $S
math.trunc($S * 3) + $S
divmod(j, 2)[0] * $S
(j << 1) * $S
float(np.sign($S)) * $S
np.bool_($S > 0) * $S
"""),
    vectors=each_line("""
(ints * $A)
(ints / (2.0 + $S ** 2))
($A ** 2)
($A ** ints.clip(0, 2))
(2.0 ** $A)
np.where(flags, $A, ints)
(flags * $A)
ints.astype(float) * $S
np.arange(4) * $S
($A // 0.5 + $A)
np.array([j, $S, 1, True])
(np.ones(4, int) * $A)
np.floor($A * 2).astype(int) * $A
np.full(4, j) * $S
np.bincount([0, 1, 1, 3], weights=$A)
np.searchsorted([0.0, 0.5], $A) * $A
np.digitize($A, [0.0, 0.3]) * $A
np.cumsum(ints) * $S
"""),
    lines=each_line("""
ints[$i] = $S * 3
ints[:] = $A * 4
ints[1:] = ints[:-1]
ints += 1
ints *= np.array([1, 2, 0, -1])
ints = (np.sin($A) * 3).astype(int)
ints = np.arange(4) - 2
ints = ints[::-1]
$V[:] = ints
$V += ints
$V *= flags
$V[flags] = $S
$V[ints % 4] = $A
$V[$i] = j
$V[$i] = True
flags = $A > 0.1
flags[$i] = not flags[$i]
flags = ~flags
flags[:] = $A
flags |= $V < 0.0
j = j + 1
j = int(abs($S) * 3)
j = len($A)
j += int($S > 0)
a = a * j / 2
"""),
)

EXACT = Group(
    "exact numbers",
    module="""
import statistics
from decimal import Decimal
from fractions import Fraction
""",
    setup="third = Fraction(1, 3)",
    result="out += float(third) * s",
    shown=("third",),
    scalars=each_line("""
third * $S
float(third) * $S
(third + $S)
$S / Fraction(3, 2)
float(Decimal('1.25')) * $S
statistics.fmean([$S, $S])
"""),
    lines=("third = third + Fraction(1, 7)", "third = third * 2 - 1"),
)
