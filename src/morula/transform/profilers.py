"""`line_profiler` counts the lines of the code that it was told of: of a function's twin only where it is told so."""

import sys
from types import CellType, CodeType, FunctionType

__all__ = ["counted"]


def counted(function: FunctionType, code: CodeType) -> CodeType:
    """The code of the twin of `function`, known to every active profiler that counts the lines of `function`.

    A profiler tells functions apart by their byte code, to which it adds.
    """
    module = sys.modules.get("line_profiler._line_profiler")
    managers = getattr(getattr(module, "LineProfiler", None), "_managers", {})
    for manager in list(managers.values()):
        for profiler in list(getattr(manager, "active_instances", ())):
            if code not in profiler.code_hash_map and any(f is function for f in profiler.functions):
                twin = FunctionType(code, {}, function.__name__, None, tuple([CellType() for _ in code.co_freevars]))
                profiler.add_function(twin)
                code = twin.__code__
    return code
