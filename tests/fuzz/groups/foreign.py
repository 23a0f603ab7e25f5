"""Code of the program's that C code runs, and memory that others read or release."""

from ..grammar import Group, each_line, each_paragraph

WRITERS = Group(
    "writers",
    module="""
import contextlib
import types


class Sink:
    def __init__(self, t):
        self.t = t
        self.calls = 0
        self.text = ""

    def write(self, text):
        self.calls += 1
        self.text += text
        self.t = math.sin(self.t) + 0.25 * len(text)

    def flush(self):
        self.t = 0.5 * self.t


class Quiet:
    def __init__(self, t):
        self.t = t
        self.kept = None
        self.calls = 0

    def __repr__(self):
        if self.kept is None:
            self.kept = str(self.calls)
        return self.kept

    def __bool__(self):
        self.calls += 1
        return True

    def __hash__(self):
        self.calls += 1
        return 7

    def __eq__(self, other):
        return self is other

    def __float__(self):
        self.calls += 1
        return float(self.t) * 0.5
""",
    setup="""
sink = Sink(0.3)
quiet = Quiet(0.7)
""",
    result="out += sink.t + quiet.t * (1 + quiet.calls)",
    shown=("sink.calls", "sink.text", "sink.t", "quiet.calls"),
    scalars=("sink.t", "quiet.t", "float(quiet)", "types.MethodType(Quiet.__float__, quiet)()"),
    vectors=each_line("""
np.array([quiet, $S, 0.5, quiet], float)
np.asarray([$S, quiet, quiet, 1.0], dtype=float)
"""),
    conditions=("quiet", "quiet in {quiet: 1}", "isinstance(quiet, Quiet)", "sink.calls > $k"),
    lines=each_line("""
sink.t = $S
quiet.t = $S
sink = Sink($S)
quiet = Quiet($S)
print($k, file=sink, end="")
print("a", $n, file=sink, sep="-", flush=True)
print(quiet, file=sink)
LOG.append(repr(quiet))
LOG.append(f"{quiet}")
LOG.append({quiet: $k}[quiet])
$X = math.sin(types.MethodType(max, $S)($n))
"""),
    blocks=each_paragraph("""
with contextlib.redirect_stdout(sink):
    print("b", $k)
    $b

def w$0():
    $N
    a = math.sin(a + sink.t)
    print("c", file=sink)
w$0()

class W$0:
    def write(self, text):
        $N
        b = math.sin(b + 0.1 * len(text))
print("d", $k, file=W$0())
$b
"""),
)
LENT = Group(
    "lent memory",
    module="""
import array
import ctypes
import io
import mmap
""",
    setup="""
raw = bytearray(32)
lent = np.frombuffer(raw)
own = np.array([0.1, 0.2, 0.3, 0.4])
mirror = (ctypes.c_double * 4).from_buffer(own)
""",
    result="out += lent.sum() + own.sum() + mirror[0] + np.frombuffer(bytes(raw))[1]",
    scalars=("mirror[1]", "raw[$k]", "own[$i]", "lent[$i]", "memoryview(own)[$k]", "sum(mirror)"),
    vectors=("own", "lent", "np.array(mirror)", "np.frombuffer(bytes(raw))", "np.ctypeslib.as_array(mirror)"),
    lines=each_line("""
own[$i] = $S
own[:] = $A
own *= 0.5
lent[$i] = $S
lent[:] = $A
lent[$i] = $n
own[$i] = $n
mirror[$k] = $n
mirror[$k] = $S
LOG.append(len(own.tobytes()))
np.save(io.BytesIO(), $A)
$X = math.sin(array.array("d", [$S])[0])
$V = np.frombuffer(b"".join([$A])).copy()
np.multiply($A, 0.5, out=lent)
own = np.zeros(4)
"""),
    blocks=each_paragraph("""
m$0 = mmap.mmap(-1, 32)
r$0 = np.ndarray(4, float, m$0)
r$0[:] = [0.3, 0.2, 0.1, 0.4]
a = math.sin(a + (r$0 * $A).sum())
$b
del r$0
m$0.close()

b$0 = bytearray(32)
r$0 = np.ndarray(4, float, b$0)
r$0[1] = $n
b = math.sin(b + (r$0 * $A).sum())
del r$0
b$0.extend(bytes(4096))
$b
"""),
)
