"""The function itself, as its intermediate representation has it."""

from morula.native.emit.forward import Forward
from morula.native.emit.joint import said_result
from morula.native.emit.namespace import HELPERS
from morula.native.emit.tapes import Tapes
from morula.native.emit.text import Lines, Texts
from morula.native.ir import Function
from morula.native.naming import unused
from morula.native.passes.activity import Activity
from morula.native.passes.memory import Memory
from morula.native.passes.record import Record


def emit_primal(f: Function, name: str) -> str:
    """The text of a function that computes what `f` computes, with the checks that `error_model="numpy"` leaves out."""
    memory = Memory(f)
    record = Record(f, memory, Activity(f, memory, []), set(), may_undo=False)
    texts, out = Texts(), Lines()
    forward = Forward(record, Tapes(record, texts, unused(f, HELPERS)), texts, out)
    forward.with_tape = False
    forward.block(f.body.statements)
    out.add(f"return {said_result(f.result)}")
    return f"def {name}({', '.join(p.name for p in f.parameters)}):\n{out.text()}\n"
