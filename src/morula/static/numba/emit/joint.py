"""The joint adjoint: one function that computes the value and adds the cotangents."""

import re
from dataclasses import dataclass, field
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Function, Loop, Value
from morula.static.naming import Names, unused
from morula.static.numba.emit.backward import Backward
from morula.static.numba.emit.cleanup import cleaned
from morula.static.numba.emit.forward import Forward
from morula.static.numba.emit.namespace import HELPERS
from morula.static.numba.emit.outlined import outlined
from morula.static.numba.emit.tapes import Tapes
from morula.static.numba.emit.text import Lines, Texts, has_vector_version, operand_text, zero
from morula.static.passes.activity import Activity
from morula.static.passes.explosive import explosive
from morula.static.passes.fission import fission
from morula.static.passes.fuse import Fusion, fusion
from morula.static.passes.memory import Memory
from morula.static.passes.real_integers import numbers_of_integers
from morula.static.passes.record import Record


@dataclass
class Emitted:
    """A generated function: its text, and what it takes and returns."""

    name: str
    text: str
    namespace: dict[str, Any]
    leaves: list[Value] = field(default_factory=list)  # the active parts of the arguments, in order
    results: list[Any] = field(default_factory=list)  # the differentiable parts of the value, in order
    written: frozenset[int] = frozenset()
    fused: list[Loop] = field(default_factory=list)
    may_burst: bool = False  # a seed can become infinite: then the guarded text is needed

    @property
    def is_repeatable(self) -> bool:
        """Whether a second run does what the first one did: it prints and draws nothing."""
        return re.search(r"\bprint\(|random|draw", self.text) is None


def requested(f: Function, active: tuple[bool, ...]) -> list[Value]:
    """The parts of the active arguments that can have a derivative; integers among them get a real number each."""
    numbers_of_integers(f, active)
    return [v for v, (place, _) in f.leaves.items() if active[place] and ir.is_active_type(v.type)]


def ready(f: Function, leaves: list[Value], names: Names) -> tuple[Memory, Activity]:
    """Split the loops of a function that gain by it; its memory, and what is active of it."""
    memory = Memory(f)
    activity = Activity(f, memory, leaves)
    if fission(f, memory, activity, names, has_vector_version):
        memory = Memory(f)
        activity = Activity(f, memory, leaves)
    return memory, activity


def result_values(f: Function) -> list[Any]:
    """The parts of the value that can have a cotangent."""
    found = []
    for x in ir.result_leaves(f.result):
        t = (
            x.type
            if isinstance(x, Value)
            else types.float64
            if isinstance(getattr(x, "value", None), float)
            else types.none
        )
        if ir.is_active_type(t):
            found.append(x)
    return found


def result_text(result: Any) -> str:
    """The value, as a return statement says it."""
    items = getattr(result, "items", None)
    if items is None:
        return operand_text(result)
    kind = getattr(getattr(result, "type", None), "instance_class", None) or (
        result.type if isinstance(result.type, type) else None
    )
    inner = ", ".join(result_text(x) for x in items)
    if kind is not None and result.fields:
        return f"{kind.__name__}({inner})"
    return f"({inner},)" if len(items) == 1 else f"({inner})"


def emit_joint(
    f: Function,
    active: tuple[bool, ...],
    name: str,
    is_guarded: bool = False,
    is_parallel: bool = False,
    is_final: bool = False,
) -> Emitted:
    """The text of the joint adjoint of a function.

    Args:
        f: the function, simplified, with named loop outs.
        active: which arguments are differentiated by.
        name: of the generated function.
        is_guarded: whether products kill infinite seeds by exact zeros (needed only where something is not finite).
        is_parallel: whether parallel loops run backwards in parallel, too.
        is_final: whether the text is compiled, and never read by the generator again.
    """
    leaves = requested(f, active)
    names = unused(f, HELPERS)
    memory, activity = ready(f, leaves, names)
    parts = fusion(f, memory, activity)
    record = Record(f, memory, activity, parts.all_loops(), may_undo=True)
    texts, out = Texts(), Lines()
    tapes = Tapes(record, texts, names, is_owned=is_final and not is_parallel)
    forward = Forward(record, tapes, texts, out)
    signs = forward.hide_signs() if is_final else []
    bursts = explosive(f, activity)
    backward = Backward(record, tapes, texts, forward, bursts if is_guarded else set(), out, is_parallel)
    results = result_values(f)
    bars = [f"{v.name}_bar" for v in leaves if ir.is_array(v)]
    seeds = [names("seed") for _ in results]
    own_shadows(f, leaves, activity, out)
    first = len(out.lines)
    forward.block(parts.before)
    if not parts.loops:
        value = keep_value(f, names, out)
    turn_back(parts, None, forward, backward)
    for x, seed in zip(results, seeds, strict=True):
        if ir.is_array(x) and activity.is_active(x):
            out.add(f"{x.name}_bar += {seed}")
        else:
            backward.add(x, seed)
    emit_fused_loops(parts, forward, backward)
    if parts.loops:
        value = keep_value(f, names, out)
    backward.block(parts.before)
    returned = []
    for v in leaves:
        if not ir.is_array(v):
            returned.append(f"{v.name}_bar" if v in backward.defined else zero(v.type))
    numbers = f"({', '.join(returned)}{',' if len(returned) == 1 else ''})"
    finite = ""
    if bursts:
        tests = [f"all_finite({bar})" for bar in bars] + [f"is_finite({x})" for x in returned]
        finite = f", {' and '.join(tests) or 'True'}"
    tapes.end(out)
    out.add(f"return {value}, {numbers}{finite}")
    parameters = ", ".join([*(p.name for p in f.parameters), *bars, *seeds])
    out.lines[first:first] = at_the_top(tapes, backward) + signs
    text = outlined(cleaned(f"def {name}({parameters}):\n{out.text()}\n"), name, names)
    written = frozenset(f.leaves[v][0] for v in f.leaves if ir.is_array(v) and memory.is_written(v))
    return Emitted(name, text, f.namespace, leaves, results, written, parts.loops, bool(bursts))


def at_the_top(tapes: Tapes, backward: Backward) -> list[str]:
    """What must be defined whatever the program does."""
    zero = [f"    {backward.hidden_zero} = opaque(0)"] if backward.hidden_zero else []
    return tapes.lists() + tapes.begun + zero


def keep_value(f: Function, names: Names, out: Lines) -> str:
    """Hold the value: the backward pass uses the variables of the program again."""
    value = names("value")
    out.add(f"{value} = {result_text(f.result)}")
    return value


def own_shadows(f: Function, leaves: list[Value], activity: Activity, out: Lines) -> None:
    """Arguments that are written, and not differentiated by, need a shadow of their own."""
    for v in f.leaves:
        if ir.is_array(v) and activity.is_active(v) and v not in leaves:
            out.add(f"{v.name}_bar = np.zeros_like({v.name})")


def turn_back(parts: Fusion, loop: Loop | None, forward: Forward, backward: Backward) -> None:
    """Between the forward pass of the statements before fused loops, and the way back (through a fused loop's body)."""
    for top, kept in forward.tapes.list_tops(loop):
        forward.out.add(f"{top} = len({kept})")
    backward.prologue(parts.before)


def emit_fused_loops(parts: Fusion, forward: Forward, backward: Backward) -> None:
    """The fused loops, between the two passes of what is linear in their sums."""
    backward.block(parts.after)
    for loop in parts.loops:
        emit_fused(loop, parts.bodies[loop], forward, backward)
    forward.block(parts.after)


def emit_fused(loop: Loop, parts: Fusion, forward: Forward, backward: Backward) -> None:
    """A loop whose iterations go forward and backward in one."""
    out = forward.out
    forward.tapes.make(loop, out)
    forward.assign([(c.phi, c.init) for c in loop.carries])
    if loop.trips is not None:
        out.add(f"{loop.trips.name} = 0")
    for v in forward.slabs.rooms_before(loop, is_shadow=False):
        out.add(f"{v.name} = {forward.slabs.made(v)}")
    backward.rooms(loop)
    carries = [c for c in loop.carries if backward.activity.is_active(c.phi)]
    for c in carries:
        if c.out not in backward.defined:
            out.add(f"{c.out.name}_bar = 0.0")
    backward.open(loop)
    out.add(forward.header(loop))
    out.depth += 1
    forward.begin(loop)
    forward.block(parts.before)
    before = set(backward.defined)
    turn_back(parts, loop, forward, backward)
    backward.dropped |= {c.phi for c in carries}
    for c in carries:
        backward.add(c.next, f"{c.out.name}_bar", loop.line)
    emit_fused_loops(parts, forward, backward)
    backward.block(parts.before)
    backward.defined = before
    forward.assign([(c.phi, c.next) for c in loop.carries])
    if loop.exit is not None:
        out.add(f"if {operand_text(loop.exit)}:")
        out.add("    break")
    out.depth -= 1
    for c in carries:
        backward.defined.discard(c.out)
        backward.add(c.init, f"{c.out.name}_bar")
