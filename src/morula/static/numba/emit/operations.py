"""The backward pass of one operation."""

from typing import TYPE_CHECKING, Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Op, Value
from morula.static.numba.elementary import describe_op
from morula.static.numba.emit.calls import emit_call
from morula.static.numba.emit.products import contribution
from morula.static.numba.emit.text import is_scalar, operand_text
from morula.static.passes.activity import SCALAR

if TYPE_CHECKING:
    from morula.static.numba.emit.backward import Backward


def emit_operation(backward: "Backward", s: Op) -> None:
    """Emit what one operation adds to the cotangents of what it read."""
    if s.kind in SCALAR:
        _scalar(backward, s)
    elif s.kind == "load":
        _load(backward, s)
    elif s.kind == "store":
        _store(backward, s)
    elif s.kind == "array":
        _rule(backward, s)
    elif s.kind == "fit":
        _fit(backward, s)
    elif s.kind not in ir.WITHOUT_BACKWARD:
        raise AssertionError(s.kind)


def _scalar(backward: "Backward", s: Op) -> None:
    if s.out not in backward.defined:
        return
    g = backward.bar(s.out)
    partials = describe_op(s.kind, s.attr).partials
    if s.attr == "*" and s.args[0] is s.args[1] and not isinstance(s.out.type, types.Complex):
        text = contribution(s, 0, "2.0 * {0}", g, s in backward.guarded)
        backward.add(s.args[0], text, s.line)
        return
    for place, (x, partial) in enumerate(zip(s.args, partials, strict=False)):
        if partial is not None and partial != "0" and backward.activity.is_active(x):
            backward.add(x, contribution(s, place, partial, g, s in backward.guarded), s.line)


def _load(backward: "Backward", s: Op) -> None:
    if s.out not in backward.defined:
        return
    array: Any = s.args[0]
    g = backward.bar(s.out)
    place = backward.texts.element(backward.bar(array), s.args[1:])
    if s.attr == "guarded":
        # a cotangent that is zero may have a tangent: that counts where the generator reads the text again
        inside = backward.texts.in_bounds(backward.bar(array), s.args[1:])
        backward.out.add(f"if {g} != 0.0:" if backward.tapes.is_owned else f"if {inside}:")
        backward.out.add(f"    {place} += {g}", backward.line_remark(s.line))
    else:
        backward.additions.append((len(backward.out.lines), array, tuple(s.args[1:])))
        backward.out.add(f"{place} += {g}", backward.line_remark(s.line))


def _store(backward: "Backward", s: Op) -> None:
    array: Any
    value: Any
    array, value, *index = s.args
    if backward.record.is_undone(s):
        place = backward.texts.element(array.name, index)
        old = backward.forward.old(s)
        backward.out.add(f"{place} = {old if old is not None else backward.tapes.entry(('old', s))}")
    if not backward.activity.is_active(array):
        return
    place = backward.texts.element(backward.bar(array), index)
    wanted = isinstance(value, Value) and backward.activity.is_active(value)
    real = ".real" if wanted and ir.is_complex_type(array.type) and not ir.is_complex_type(value.type) else ""
    if s.attr is None:
        if wanted and value not in backward.dropped:
            backward.add(value, f"{place}{real}", s.line)
        backward.out.add(f"{place} = 0.0")
    elif wanted:
        backward.add(value, f"{'-' if s.attr == '-' else ''}{place}{real}", s.line)


def _rule(backward: "Backward", s: Op) -> None:
    rule = s.attr
    if getattr(rule, "callee", None) is not None:
        emit_call(backward, s)
        return
    name = backward.tapes.fresh_rule(rule.adjoint, f"{rule.primal.__name__}_adjoint", backward.record.f.namespace)
    bars = []
    for parameter in rule.differentiable:
        x = s.args[rule.parameters.index(parameter)]
        if not backward.activity.is_active(x):
            bars.append("None")
        else:
            bars.append(backward.bar(x) if ir.is_array(x) else "0.0")
    ys, y_bars = [o.name for o in s.outs], []
    for o in s.outs:
        if ir.is_array(o) and not backward.activity.is_active(o):
            y_bars.append(f"np.zeros_like({o.name})")
        else:
            y_bars.append(backward.bar(o) if ir.is_array(o) or o in backward.defined else "0.0")
    if not any(ir.is_array(o) or o in backward.defined for o in s.outs):
        return
    many = len(s.outs) > 1
    y = f"({', '.join(ys)})" if many else ys[0]
    y_bar = f"({', '.join(y_bars)})" if many else y_bars[0]
    args = ", ".join([y, y_bar, *[operand_text(x) for x in s.args], *bars])
    call = f"{name}({args})"
    numbers = [n for n in rule.numbers if is_scalar(s.args[rule.parameters.index(n)])]
    numbers = [n for n in numbers if backward.activity.is_active(s.args[rule.parameters.index(n)])]
    if not numbers:
        backward.out.add(call, backward.line_remark(s.line))
        return
    found = backward.tapes.fresh("found")
    backward.out.add(f"{found} = {call}", backward.line_remark(s.line))
    for n in numbers:
        backward.add(s.args[rule.parameters.index(n)], f"{found}[{rule.numbers.index(n)}]", s.line)


def _fit(backward: "Backward", s: Op) -> None:
    source: Any = s.args[0]
    backward.out.add(
        f"unfit{source.type.ndim}({backward.bar(source)}, {backward.bar(s.out)})", backward.line_remark(s.line)
    )
