"""The backward pass of a parallel loop, in as many parts as there are threads.

parts = parts_for(n, threads(), 6, v_bar.size) if are_apart((extent(x_bar, 0),)) else 1
v_bar_parts = parts_like(v_bar, parts)
a_bar_parts = np.zeros(parts)
for part in prange(parts):
    v_bar_part = v_bar_parts[part]
    a_bar_part = 0.0
    low, high = part_of(0, n, part, parts)
    for i in range(low, high):
        x_bar[i] += ...
        v_bar_part[k[i]] += ...
        a_bar_part += ...
    a_bar_parts[part] = a_bar_part
add_parts(v_bar, v_bar_parts)
a_bar += a_bar_parts.sum()

The body of the outer loop becomes a function of its own in the end (`outlined`).
"""

import re
from typing import Any

from morula.static.front.operands import dtype_text
from morula.static.ir import Loop
from morula.static.numba.emit.text import Lines, operand_text, zero
from morula.static.passes.parallel import Shares


def emit_parts(backward: Any, loop: Loop, body: list[str], plan: Shares, carried: list[Any]) -> None:
    """Emit a loop whose iterations run in parts.

    Args:
        backward: what emits the backward pass.
        loop: the loop.
        body: the lines of one iteration.
        plan: how its iterations share shadows.
        carried: sums, whose cotangent is the same in all iterations.
    """
    out, fresh, bar = backward.out, backward.tapes.fresh, backward.bar
    parts, part, low, high = (fresh(name) for name in ("parts", "part", "low", "high"))
    private = {bar(v): fresh(f"{bar(v)}_part") for v in [*plan.shared, *plan.numbers, *carried]}
    partial = {bar(v): fresh(f"{bar(v)}_parts") for v in [*plan.shared, *plan.numbers]}
    shared = " + ".join(f"{bar(v)}.size" for v in plan.shared) or "0"
    count = f"parts_for({backward.tapes.trips(loop)}, threads(), {plan.work}, {shared})"
    if plan.own:
        extents = [f"extent({bar(v)}, {axis})" for v, axis in plan.own.items()]
        count += f" if are_apart(({', '.join(extents)}{',' if len(extents) == 1 else ''})) else 1"
    out.add(f"{parts} = {count}")
    for v in plan.shared:
        out.add(f"{partial[bar(v)]} = parts_like({bar(v)}, {parts})")
    for v in plan.numbers:
        dtype = "" if zero(v.type) == "0.0" else f", dtype={dtype_text(v.type)}"
        out.add(f"{partial[bar(v)]} = np.zeros({parts}{dtype})")
    out.add(f"for {part} in prange({parts}):")
    out.depth += 1
    for v in plan.shared:
        out.add(f"{private[bar(v)]} = {partial[bar(v)]}[{part}]")
    for v in plan.numbers:
        out.add(f"{private[bar(v)]} = {zero(v.type)}")
    for v in carried:
        out.add(f"{private[bar(v)]} = {bar(v)}")
    out.add(f"{low}, {high} = part_of({operand_text(loop.start)}, {operand_text(loop.stop)}, {part}, {parts})")
    out.add(f"for {loop.index.name} in range({low}, {high}):")  # type: ignore[union-attr]
    _add_renamed(out, body, private)
    for v in plan.numbers:
        out.add(f"{partial[bar(v)]}[{part}] = {private[bar(v)]}")
    out.depth -= 1
    for v in plan.shared:
        out.add(f"add_parts({bar(v)}, {partial[bar(v)]})")
    for v in plan.numbers:
        out.add(f"{bar(v)} += {partial[bar(v)]}.sum()")


def _add_renamed(out: Lines, body: list[str], private: dict[str, str]) -> None:
    """The lines of an iteration, under the names of its part."""
    for line in body:
        code, mark, comment = line.partition("  # ")
        named = re.sub(r"(?<![\w.])[A-Za-z_]\w*", lambda word: private.get(word[0], word[0]), code)
        out.lines.append(f"    {named}{mark}{comment}")
