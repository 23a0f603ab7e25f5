"""How generated functions, and the small ones that they call, are compiled and cached."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.cpu_options import ParallelOptions
from numba.core.errors import NumbaError

from morula.static.front.quick_compiling import Quick
from morula.static.numba.emit.outlined import parts_of, text_of
from morula.static.numba.faithful_vectors import faithful_vectors
from morula.static.numba.masks import may_use_masks
from morula.static.tiers.dispatch import is_dispatcher

# Generated texts say themselves which loops have parts. What Numba makes of its own accord of other expressions of
# arrays would have another order of summation, and fails where it cannot tell a length: `x_bar += seed` where `x` has
# come out of a branch.
ONLY_LOOPS = ParallelOptions(
    dict.fromkeys(("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion"), False)
)


def compiled(function: Callable, options: dict[str, Any], text: str) -> Any:
    """A generated function under Numba.

    Args:
        function: as Python has it.
        options: of the function that it is the adjoint of.
        text: its source, among that of others.
    """
    serial = {k: v for k, v in options.items() if k != "parallel"}
    for part in parts_of(text, function.__name__):
        compile_part = numba.njit(error_model="numpy", pipeline_class=Quick, **serial)
        function.__globals__[part] = compile_part(function.__globals__[part])
    if "in prange(" in text_of(text, function.__name__):
        options = {**options, "parallel": ONLY_LOOPS}
    else:
        options = serial
    made = numba.njit(error_model="numpy", no_cfunc_wrapper=True, pipeline_class=Quick, **options)(function)
    compile_one = made.compile

    def compile_ordered(signature: Any) -> Any:
        try:
            with faithful_vectors(may_use_masks(text, function.__name__)):
                return compile_one(signature)
        except NumbaError:
            raise
        except Exception as error:  # Numba trips over itself; what runs the function knows what to do then
            raise NumbaError(f"{type(error).__name__}: {error}") from error

    made.compile = compile_ordered
    return made


def always_as_typed(forward: Any) -> bool:
    """Whether the second part of what a compiled function returns has just one type as an argument, in every call."""
    if not is_dispatcher(forward) or len(forward.overloads) != 1:
        return False
    (compiled,) = forward.overloads.values()
    return _is_as_typed(compiled.signature.return_type[1])


def _is_as_typed(t: Any) -> bool:
    if isinstance(t, types.BaseTuple):
        return all(map(_is_as_typed, t))
    if isinstance(t, types.Array):
        return bool(t.layout == "C" and t.mutable and t.aligned)
    return isinstance(t, types.Number | types.Boolean | types.NoneType)


class Forgiving(FunctionCache):
    """Numba's cache of machine code, whose failures mean that it is empty."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.library.has_dynamic_globals or any(not part.can_cache for part in data.lifted):
            return  # Numba would warn, of a function that is not the user's
        with suppress(Exception):
            super().save_overload(sig, data)


def helper(**options: Any) -> Callable[[Callable], Any]:
    """Compile a function of Morula's own, with Numba's options; its machine code is cached beside its file.

    Numba knows a function's code as old when its file has changed, and looks at no other file: only for functions
    that call none of another file.
    """

    def declare(function: Callable) -> Any:
        made = numba.njit(**options)(function)
        with suppress(Exception):  # nowhere to write to
            made._cache = Forgiving(function)
        return made

    return declare
