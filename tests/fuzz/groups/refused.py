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
statistics.mean([$S, $S, 0.5])
statistics.variance([float($S), float($S), 2.5])
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
"""),
)
