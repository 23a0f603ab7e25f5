"""The functions that a function calls and that are not inlined: translated, generated and compiled together."""

from collections.abc import Callable
from typing import Any

import numba
from numba.core import types

from morula.static import ir
from morula.static.front.callees import Callee, CallRule, forget
from morula.static.numba.emit.joint import emit_joint
from morula.static.numba.emit.namespace import HELPERS
from morula.static.numba.emit.primal import emit_primal
from morula.static.numba.generated import defined
from morula.static.passes.memory import Memory
from morula.static.unsupported import Unsupported


def translate(callee: Callee, front: Callable[..., Any]) -> ir.Function:
    """A fresh representation of the function."""
    if callee.read is None:
        raises = getattr(callee.dispatcher, "targetoptions", {}).get("error_model", "python") == "python"
        callee.read = front(callee.dispatcher.py_func, callee.argument_types, raises, settle_callees=False)
    found: ir.Function = callee.read.representation()
    return found


def note_effects(callee: Callee, f: ir.Function) -> bool:
    """Find what the function writes into; whether that is more than was known."""
    memory = Memory(f)
    for s in ir.walk(f.body):
        if isinstance(s, ir.Op) and s.kind in ("print", "draw"):
            raise Unsupported(f"a call to {callee.name}, which prints or draws at random, that is not inlined")
    if memory.results & memory.parameters:
        raise Unsupported(f"a call to {callee.name}, which returns an argument, that is not inlined")
    leaves = list(f.leaves)
    written = frozenset(k for k, v in enumerate(leaves) if ir.is_array(v) and memory.is_written(v))
    grows = not written <= callee.written
    callee.written |= written
    return grows


def build(callee: Callee, front: Callable[..., Any]) -> None:
    """Generate its joint adjoint, and a copy of the function itself that nobody else has had compiled."""
    f = translate(callee, front)
    name = f"{callee.name}_adjoint"
    f.namespace[name] = callee  # it may call itself
    active = tuple([not isinstance(t, types.Integer) for t in callee.argument_types])
    made = emit_joint(f, active, name, is_guarded=True)
    callee.joint = _defined(callee, made.text, name, made.namespace)
    f = translate(callee, front)
    name = f"{callee.name}_primal"
    f.namespace[name] = callee.stand_in
    callee.primal = _defined(callee, emit_primal(f, name), name, f.namespace)


def _defined(callee: Callee, text: str, name: str, namespace: dict[str, Any]) -> Any:
    space = {**HELPERS, **namespace}
    filename = f"<{name} {id(callee)}>"
    made = numba.njit(error_model="numpy")(defined(text, name, filename, space))
    callee.spaces.append(space)
    space[name] = made
    return made


def settle(f: ir.Function, front: Callable[..., Any]) -> None:
    """Translate all functions that a function calls, and those that they call.

    What a function writes into is found by trying: with nothing at first, then with what was found, until no more is
    found.

    Args:
        f: the function.
        front: makes the normal form and the types of a Python function (`pipeline.front`).

    Raises:
        Unsupported: one of them is outside the subset.
    """
    reached: dict[Callee, None] = {}
    try:
        grows = True
        while grows:
            grows = False
            work = list(f.callees)
            seen: set[Callee] = set()
            while work:
                callee = work.pop()
                if callee.is_settled or callee in seen:
                    continue
                seen.add(callee)
                reached[callee] = None
                inner = translate(callee, front)
                grows |= note_effects(callee, inner)
                work += inner.callees
        for callee in reached:
            refuse_overlaps(translate(callee, front))
            build(callee, front)
        for callee in reached:
            callee.link()
        for callee in reached:
            callee.compile()
    except Unsupported:
        for callee in reached:
            forget(callee)
        raise


def refuse_overlaps(f: ir.Function) -> None:
    """Raise where an array that a callee writes into may share memory with another argument of the call."""
    memory = Memory(f)
    for s in ir.walk(f.body):
        if isinstance(s, ir.Op) and s.kind == "array" and isinstance(s.attr, CallRule):
            if not s.outs:
                raise Unsupported(f"a call to {s.attr.primal.__name__} for its effect")
            arrays = [memory.of(x) for x in s.args if ir.is_array(x)]
            written = {memory.of(s.args[k]) for k in s.attr.written}
            if any(arrays.count(w) > 1 for w in written):
                raise Unsupported("a call that writes into an array which may be another argument as well")
