"""The way back through a call that stays one: the callee's own joint adjoint.

found = f_adjoint(a, u, u_bar, y_bar)        # computes the value once more
a_bar += found[1][0]
"""

from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.flat import is_active_leaf, tuple_text
from morula.static.ir import Op
from morula.static.numba.emit.text import typed_operand_text


def emit_call(backward: Any, s: Op) -> None:
    """Emit the backward pass of a call whose rule names a callee."""
    rule, out = s.attr, backward.out
    callee = rule.callee
    activity = backward.activity
    if not any(ir.is_array(o) or o in backward.defined for o in s.outs):
        return
    leaves = callee.leaf_types
    values, after = s.outs[: len(callee.value_types)], s.outs[len(callee.value_types) :]
    afters = dict(zip(sorted(rule.written), after, strict=True))
    texts, bars, held = [typed_operand_text(x) for x in s.args], [], {}
    for k, t in enumerate(leaves):
        x: Any = s.args[k]
        if k in afters:
            texts[k] = backward.tapes.fresh(f"{x.name}_again")
            out.add(f"{texts[k]} = {x.name}.copy()")
        if not (isinstance(t, types.Array) and is_active_leaf(t)):
            continue
        if k in afters:  # the bar of what is left goes in, and that of what was there comes out of the same array
            held[k] = _bar_of(backward, afters[k])
            if activity.is_active(x) and not activity.is_active(afters[k]):
                shadow = backward.tapes.fresh(f"{afters[k].name}_bar")
                out.add(f"{shadow} = {held[k]}")
                held[k] = shadow
            bars.append(held[k])
        else:
            bars.append(backward.bar(x) if activity.is_active(x) else f"np.zeros_like({x.name})")
    seeds = [_bar_of(backward, o) for o, t in zip(values, callee.value_types, strict=True) if is_active_leaf(t)]
    namespace = backward.record.f.namespace
    parts = iter(texts)
    arguments = [tuple_text(t, parts, namespace) for t in callee.argument_types]
    name = backward.tapes.fresh_rule(callee.joint or callee, f"{rule.primal.__name__}_adjoint", namespace)
    call = f"{name}({', '.join([*arguments, *bars, *seeds])})"
    numbers = [k for k, t in enumerate(leaves) if is_active_leaf(t) and not isinstance(t, types.Array)]
    wanted = [(place, k) for place, k in enumerate(numbers) if activity.is_active(s.args[k])]
    if wanted:
        found = backward.tapes.fresh("found")
        call = f"{found} = {call}"
    out.add(call, backward.line_remark(s.line))
    for place, k in wanted:
        backward.add(s.args[k], f"{found}[1][{place}]", s.line)
    for k, bar in held.items():
        if activity.is_active(s.args[k]):
            out.add(f"{backward.bar(s.args[k])} += {bar}", backward.line_remark(s.line))


def _bar_of(backward: Any, o: Any) -> str:
    if ir.is_array(o):
        return backward.bar(o) if backward.activity.is_active(o) else f"np.zeros_like({o.name})"
    return backward.bar(o) if o in backward.defined else "0.0"
