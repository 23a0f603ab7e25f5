"""The function itself, as its intermediate representation has it."""

from morula.static.ir import Function
from morula.static.numba.emit.joint import result_text
from morula.static.numba.emit.statements import Statements
from morula.static.numba.emit.text import Lines, Texts


def emit_primal(f: Function, name: str) -> str:
    """The text of a function that computes what `f` computes, with the checks that `error_model="numpy"` leaves out."""
    out = Lines()
    Statements(Texts(), out).block(f.body.statements)
    out.add(f"return {result_text(f.result)}")
    return f"def {name}({', '.join(p.name for p in f.parameters)}):\n{out.text()}\n"
