"""Constructs that are refused where active values meet them; what becomes supported moves to a group of its kind."""

from ..grammar import Group, each_line, each_paragraph

UNSUPPORTED = Group(
    "unsupported",
    module="""
import functools
import itertools
import json
import statistics
import weakref

""",
    setup="box = Box()",
    scalars=each_line("""
sum(sum(g) * (k + 1) for k, g in itertools.groupby($A, key=lambda t: t > 0))
sum(next(itertools.islice(t, 1, None)) for t in itertools.tee($A, 2))
sum(itertools.chain.from_iterable([$A, $A]))
statistics.mean([$S, $S, 0.5])
statistics.variance([float($S), float($S), 2.5])
sorted([$S, $S], key=functools.cmp_to_key(lambda p, q: (p > q) - (p < q)))[0]
"""),
    vectors=each_line("""
np.broadcast_arrays($A, $S)[1]
"""),
    lines=each_line("""
ref = weakref.ref(box); ref().t = $S
LOG.append(json.dumps([float(t) for t in $A]))
$V.setfield($S, $V.dtype)
"""),
    blocks=each_paragraph("""
z$0 = $V.reshape(2, 2)
z$0.shape = (4,)
z$0[1] = $S
a = math.tanh(z$0[2] * $S)

for t$0 in np.nditer($A):
    a = math.sin(a + float(t$0))

for k$0, g$0 in itertools.groupby($A, key=lambda t: t > 0.0):
    for t$0 in g$0:
        c = math.sin(c + t$0)
        $b

left$0, right$0 = itertools.tee(t * $S for t in $A)
next(right$0)
a = math.tanh(sum(t * z for t, z in zip(left$0, right$0)))

@functools.lru_cache(maxsize=None)
def f$0(n):
    return $S if n < 2 else f$0(n - 1) * 0.5 + f$0(n - 2)
a = math.tanh(f$0(5))
"""),
)
