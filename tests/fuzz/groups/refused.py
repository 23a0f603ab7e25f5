"""Constructs that are refused where active values meet them; what becomes supported moves to a group of its kind."""

from ..grammar import Group, each_line, each_paragraph

UNSUPPORTED = Group(
    "unsupported",
    module="""
import functools
import itertools
import json
import statistics

""",
    setup="",
    scalars=each_line("""
statistics.mean([$S, $S, 0.5])
statistics.variance([float($S), float($S), 2.5])
"""),
    vectors=each_line("""
np.broadcast_arrays($A, $S)[1]
"""),
    lines=each_line("""
LOG.append(json.dumps([float(t) for t in $A]))
$V.setfield($S, $V.dtype)
"""),
    blocks=each_paragraph("""
z$0 = $V.copy()
z$0.resize(2, 2)
z$0[1, 1] = $S
a = math.tanh(z$0[0, 1] * $S)
"""),
)

CAUGHT = Group(
    "caught",
    module="""
import contextlib
import struct

opaque = lambda t: 0.5 * np.array(memoryview(1.0 * np.asarray(t)))
made_elsewhere = eval('lambda t: 0.5 * t')

class Swallows:
    def __init__(self, *kinds): self.kinds = kinds
    def __enter__(self): return self
    def __exit__(self, kind, error, tb):
        LOG.append(kind is None)
        return kind is not None and issubclass(kind, self.kinds)

class Translates(Swallows):
    def __exit__(self, kind, error, tb):
        if kind is not None: raise KeyError('k') from error

class Tries:
    def __init__(self, t): self.t = t
    def __add__(self, other):
        try: return float(opaque(self.t))
        except Exception: return NotImplemented
    def __getattr__(self, name):
        try: return made_elsewhere(self.t)
        except Exception as error: raise AttributeError(name) from error

class Adds:
    def __radd__(self, other): return 0.5

@contextlib.contextmanager
def quiet(kind):
    try:
        yield
    except kind:
        LOG.append('quiet')

""",
    setup="",
    scalars=each_line("""
(Tries($S) + Adds())
getattr(Tries($S), 'missing', 0.5)
(0.5 if hasattr(Tries($S), 'missing') else 0.7)
"""),
    lines=each_line("""
$X = float(opaque($S))
$X = made_elsewhere($S)
$X = struct.unpack('d', struct.pack('d', $S))[0]
$V[:] = opaque($A).astype(float)
"""),
    blocks=each_paragraph("""
try:
    $B
    $b
except TypeError:
    $B

try:
    $B
    $b
except OSError:
    $B

try:
    $b
    $B
except (ValueError, RuntimeError) as error:
    a = 0.5
    $b
else:
    $b
finally:
    $b

try:
    $B
    $b
except Exception:
    $B

try:
    $b
    $b
except BaseException as error:
    LOG.append(type(error).__name__)
    $b

try:
    $B
    $b
except:
    $B

try:
    $B
    $b
except Exception as error:
    try:
        $b
        raise KeyError('k') from error
    except LookupError:
        $b

try:
    try:
        $b
    finally:
        raise KeyError('k')
except KeyError:
    $b

for i$0 in range(2):
    try:
        $b
        $L
    except Exception:
        continue

for i$0 in range(2):
    try:
        $b
    finally:
        b = $S
        break

for i$0 in range(2):
    try:
        $b
        if $C: break
    finally:
        continue

def tried$0():
    $N
    try:
        $F
        $b
        return $S
    finally:
        return 0.5
a = tried$0()

try:
    $b
    $B
except* Exception:
    a = 0.5

try:
    raise ExceptionGroup('g', [TypeError($S), KeyError()])
except* TypeError as error:
    b = error.exceptions[0].args[0]
except* LookupError:
    $b

with contextlib.suppress(Exception):
    $b
    $B

with contextlib.suppress(TypeError, OSError), Swallows(BaseException):
    $B
    $b

with Swallows(Exception):
    $b

with quiet(Exception):
    $b
    $B

try:
    with Translates():
        $b
except KeyError:
    $b

def steps$0():
    $N
    try:
        $b
        yield $S
    except Exception:
        yield 0.5
    finally:
        $b
for t$0 in steps$0():
    $b
"""),
)
