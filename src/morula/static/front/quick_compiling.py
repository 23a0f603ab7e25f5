"""Numba's compiler for long texts of scalar code, such as generated adjoints.

Numba tries the templates of `operator.mul` again at each product of two floats, and renames one variable at a time:
together these take most of the time before LLVM. Here each distinct call is typed once in a function, and
`SingleAssignment` renames all variables at once. The code is the same.
"""

from types import BuiltinFunctionType
from typing import Any

from numba.core import compiler, types
from numba.core.compiler_machinery import PassManager
from numba.core.untyped_passes import LiteralPropagationSubPipelinePass, ReconstructSSA

from morula.static.front.pruned_phis import WithoutUndefined
from morula.static.front.single_assignment import SingleAssignment

DECIDES = (types.Number, types.Boolean, types.Array, types.Literal)  # a call of such arguments always has one type


def quick(passes: list[tuple], state: Any) -> list[tuple]:
    """The passes of a pipeline of Numba's, for one function; its calls are typed once."""
    state.typingctx = _Remembering(state.typingctx)
    found = []
    for entry in passes:
        found.append((SingleAssignment, *entry[1:]) if entry[0] is ReconstructSSA else entry)
        if entry[0] is LiteralPropagationSubPipelinePass:  # which prunes branches
            found.append((WithoutUndefined, "joins without branches"))
    return found


class Quick(compiler.Compiler):
    """Numba's compiler, made of these passes."""

    def define_pipelines(self) -> list[PassManager]:
        pipelines = super().define_pipelines()
        for manager in pipelines:
            manager.passes = quick(manager.passes, self.state)
            manager.finalize()
        return pipelines


class _Remembering:
    """A typing context that remembers the types of calls."""

    def __init__(self, context: Any):
        self._context = context
        self._remembered: dict[tuple, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: tuple, kws: dict[str, Any]) -> Any:
        resolve = self._context.resolve_function_type
        is_known = isinstance(func, (types.Function, BuiltinFunctionType))
        if kws or not is_known or not all(isinstance(x, DECIDES) for x in args):
            return resolve(func, args, kws)
        found = self._remembered.get((func, args))
        if found is None:
            found = self._remembered[func, args] = resolve(func, args, kws)
        return found
