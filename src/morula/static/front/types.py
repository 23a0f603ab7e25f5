"""Types: Numba's own inference, run on the normal form, read off line by line."""

from collections.abc import Callable
from typing import Any

from numba.core import compiler, ir, types
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import InlineClosureLikes

from morula.static.front.normal_form import NormalForm
from morula.static.front.quick_compiling import quick
from morula.static.unsupported import Unsupported


class _Inferred(Exception):
    def __init__(self, state: Any):
        self.state = state


@register_pass(mutates_CFG=False, analysis_only=True)
class _StopHere(FunctionPass):
    _name = "morula_types_are_known"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        raise _Inferred(state)


class _TypesOnly(compiler.CompilerBase):
    def define_pipelines(self) -> list[PassManager]:
        manager = PassManager("morula_types")
        untyped = compiler.DefaultPassBuilder.define_untyped_pipeline(self.state).passes
        # A normal form has no closures, and lists that become arrays are to keep their types.
        kept = [entry for entry in untyped if entry[0] is not InlineClosureLikes]
        manager.passes.extend(quick(kept, self.state))
        manager.add_pass(NopythonTypeInference, "types")
        manager.add_pass(_StopHere, "stop")
        manager.finalize()
        return [manager]


class LineTypes:
    """The types of a function in normal form.

    Attributes:
        assigned: line -> name -> the type of what the line assigns to the name.
        result: the type of the value.
    """

    def __init__(self, assigned: dict[int, dict[str, types.Type]], lines: set[int], result: types.Type):
        self.assigned = assigned
        self.lines = lines
        self.result = result


def line_types(form: NormalForm, argument_types: tuple) -> LineTypes:
    """Infer the types of `form` for arguments of the given Numba types.

    Raises:
        Unsupported: Numba itself cannot type it.
    """
    function = compiled_function(form.text, form.name, form.namespace)
    flags = compiler.Flags()
    flags.nrt = True
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    try:
        compiler.compile_extra(
            cpu_target.typing_context, cpu_target.target_context, function, argument_types, None, flags, {},
            pipeline_class=_TypesOnly,
        )  # fmt: skip
    except _Inferred as found:
        return _read(found.state)
    except NumbaError as error:
        raise Unsupported(f"what Numba cannot type in normal form: {_message(error)}") from None
    raise AssertionError("the pipeline of type inference ended without types")


def compiled_function(text: str, name: str, namespace: dict[str, Any]) -> Callable:
    """The function that a text defines."""
    held = dict(namespace)
    exec(compile(text, f"<normal form of {name}>", "exec"), held)
    return held[name]


def _read(state: Any) -> LineTypes:
    assigned: dict[int, dict[str, types.Type]] = {}
    lines: set[int] = set()
    for block in state.func_ir.blocks.values():
        for node in block.body:
            lines.add(node.loc.line)
            if not isinstance(node, ir.Assign) or node.target.name.startswith("$"):
                continue
            if isinstance(node.value, ir.Expr) and node.value.op == "phi":
                continue
            name = node.target.name.split(".")[0]
            type_now = types.unliteral(state.typemap[node.target.name])
            assigned.setdefault(node.loc.line, {})[name] = type_now
    return LineTypes(assigned, lines, types.unliteral(state.return_type))


def _message(error: NumbaError) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[1:3] if len(lines) > 1 else lines)[:300]
