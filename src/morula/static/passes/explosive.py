"""Where a seed may be infinite: products there must be killed by an exact zero (`sqrt(x ** 2)` at 0)."""

from typing import Any

from morula.static import ir
from morula.static.ir import Branch, Function, Loop, Op, Value, walk
from morula.static.numba.elementary import describe_op
from morula.static.passes.activity import SCALAR, Activity


def explosive(f: Function, activity: Activity) -> set[Any]:
    """The operations whose cotangents may be infinite or undefined although the value is finite."""
    statements = list(walk(f.body))[::-1]
    tainted: set[Any] = set()
    found: set[Any] = set()
    changed = True
    while changed:
        size = len(tainted), len(found)
        for s in statements:
            if isinstance(s, Op):
                burst = s.kind in SCALAR and describe_op(s.kind, s.attr).may_explode and not _is_tame(s)
                burst = burst or getattr(s.attr, "may_explode", False)  # a rule of the user
                if burst or any(activity.key(o) in tainted for o in s.outs):
                    found.add(s)
                    tainted |= {activity.key(x) for x in s.args if isinstance(x, Value) and activity.is_active(x)}
                elif s.kind in ("store", "fill", "scatter") and activity.key(s.args[0]) in tainted:
                    tainted |= {activity.key(x) for x in s.args[1:] if isinstance(x, Value) and activity.is_active(x)}
            elif isinstance(s, Loop):
                for c in s.carries:
                    if activity.key(c.phi) in tainted or activity.key(c.out) in tainted:
                        tainted |= {activity.key(x) for x in (c.phi, c.init, c.next) if isinstance(x, Value)}
            else:
                assert isinstance(s, Branch)
                for j in s.joins:
                    if activity.key(j.out) in tainted:
                        tainted |= {activity.key(x) for x in (j.then, j.orelse) if isinstance(x, Value)}
        changed = (len(tainted), len(found)) != size
    return found


def _is_tame(s: Op) -> bool:
    """A power with a literal exponent of at least 1 has finite partials."""
    if s.kind == "binary" and s.attr == "**":
        p = s.args[1]
        return isinstance(p, ir.Const) and isinstance(p.value, int | float) and p.value >= 1
    return False
