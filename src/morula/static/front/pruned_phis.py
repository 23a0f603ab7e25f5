"""Numba's typing of variables that may be undefined, where it has pruned a branch.

Pruning `if L < 3` for a literal `L` leaves a join of one path as a plain assignment. If nothing is assigned on that
path, the assignment is of `ir.UNDEFINED`, and type inference takes that in joins only::

    result.2 = Undefined
    result.3 = phi(result.2, result.1)      result.3 = phi(Undefined, result.1)
"""

from typing import Any

from numba.core import ir
from numba.core.compiler_machinery import FunctionPass, register_pass


@register_pass(mutates_CFG=False, analysis_only=False)
class WithoutUndefined(FunctionPass):
    """Have variables that are undefined for certain stand in joins as what they are."""

    _name = "morula_without_undefined"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        undefined: set[str] = set()
        while found := _undefined_now(state.func_ir.blocks, undefined):
            undefined |= found
        return bool(undefined)


def _undefined_now(blocks: dict[int, Any], known: set[str]) -> set[str]:
    """Take the assignments of what is undefined out of the blocks; the names of these variables."""
    found: set[str] = set()
    for block in blocks.values():
        body = []
        for statement in block.body:
            value = statement.value if isinstance(statement, ir.Assign) else None
            if isinstance(value, ir.Expr) and value.op == "phi":
                incoming = value.incoming_values
                incoming[:] = [x if x is ir.UNDEFINED or x.name not in known else ir.UNDEFINED for x in incoming]
                is_undefined = all(x is ir.UNDEFINED for x in incoming)
            else:
                is_undefined = value is ir.UNDEFINED or (isinstance(value, ir.Var) and value.name in known)
            if is_undefined:
                found.add(statement.target.name)
            else:
                body.append(statement)
        block.body = body
    return found
