"""What compiled functions do besides giving a value."""

from typing import Any

import numba

from morula.static.ir import is_array
from morula.static.passes.memory import Memory
from morula.static.pipeline import front


def reads_only(f: Any, args: tuple) -> bool:
    """Whether a Numba function is known to write into none of its arguments."""
    types_of = tuple(map(numba.typeof, args))
    try:
        read = front(f.py_func, types_of, getattr(f, "targetoptions", {}).get("error_model", "python") == "python")
        r = read.representation()
    except Exception:  # nothing is known of code that is not understood
        return False
    memory = Memory(r)
    return not any(is_array(v) and memory.is_written(v) for v in r.leaves)
