"""Where a tangent may be infinite: products from there on must be killed by an exact zero (`sqrt(x) ** 2` at 0)."""

from typing import Any

from morula.static import ir
from morula.static.ir import Function, Op, Value
from morula.static.numba.elementary import describe_op
from morula.static.passes.activity import SCALAR, Activity
from morula.static.passes.explosive import _is_tame


def forward_bursts(f: Function, activity: Activity) -> set[Any]:
    """The operations in which a partial derivative or a tangent may be infinite although the values are finite."""
    statements = list(ir.walk(f.body))
    tainted: set[Any] = set()
    found: set[Any] = set()
    changed = True
    while changed:
        size = len(tainted), len(found)
        for s in statements:
            if isinstance(s, Op) and s.kind in SCALAR:
                if describe_op(s.kind, s.attr).may_explode and not _is_tame(s):
                    found.add(s)
                    tainted.add(s.out)
            for x, y in activity.pairs(s):
                if (
                    isinstance(x, Value)
                    and isinstance(y, Value)
                    and activity.key(x) in tainted
                    and activity.is_active(y)
                ):
                    tainted.add(activity.key(y))
                    if isinstance(s, Op):
                        found.add(s)
        changed = (len(tainted), len(found)) != size
    return found
