"""How generated functions are compiled."""

from collections.abc import Callable
from typing import Any

import numba

from morula.native.ordered_sums import ordered_sums


def compiled(function: Callable, options: dict[str, Any], text: str) -> Any:
    """A generated function under Numba.

    Args:
        function: as Python has it.
        options: of the function that it is the adjoint of.
        text: its source.
    """
    options = {k: v for k, v in options.items() if k != "parallel" or "in prange(" in text}
    made = numba.njit(error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    compile_one = made.compile

    def compile_ordered(signature: Any) -> Any:
        with ordered_sums():
            return compile_one(signature)

    made.compile = compile_ordered
    return made
