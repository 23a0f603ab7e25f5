"""Sums in loops that keep their order of additions, and whose terms are vectorised nevertheless.

LLVM does not vectorise ``s += sin(x[i])`` for x86-64 on its own: another order of additions would round otherwise.
It can compute four terms at a time and add them one by one, bit for bit the same sum, if it is asked to.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm
from numba.core.compiler_lock import global_compiler_lock

__all__ = ["ordered_sums"]

_OPTION = "-force-ordered-reductions"
_depth = 0


@contextmanager
def ordered_sums() -> Iterator[None]:
    """While it is open, what Numba compiles has its sums vectorised in order; other threads wait with compiling.

    LLVM's option holds for the process, so it is on only while the generated code is compiled. Other processors than
    x86-64 are left at LLVM's choice.

    >>> import numba, numpy as np
    >>> def loss(x):
    ...     s = 0.0
    ...     for i in range(x.size):
    ...         s += np.sqrt(x[i])
    ...     return s
    >>> one, other, x = numba.njit(loss), numba.njit(loss), np.arange(1000.0)
    >>> with ordered_sums():
    ...     y = one(x)
    >>> y == other(x)
    True
    """
    global _depth
    if platform.machine().lower() not in ("x86_64", "amd64"):
        yield
        return
    with global_compiler_lock:
        _depth += 1
        try:
            if _depth == 1:
                llvm.set_option("morula", f"{_OPTION}=true")
            yield
        finally:
            _depth -= 1
            if _depth == 0:
                llvm.set_option("morula", f"{_OPTION}=false")
