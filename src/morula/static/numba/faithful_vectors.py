"""How LLVM turns the loops of generated code into vectors.

**Sums** keep their order of additions, and their terms are vectorised nevertheless. LLVM does not vectorise
``s += sin(x[i])`` for x86-64 on its own: another order of additions would round otherwise. It can compute four terms at
a time and add them one by one, bit for bit the same sum, if it is asked to.

**Masked loads** are avoided. LLVM (20, at least) moves a load past a write to the same place, where a lane of a vector
is read under a mask and something else stands in for the others: `InstCombine` makes
``select(mask, load(p, mask), other)`` one load with the operand `other`, at the place of the `select`. Adjoints read a
cotangent and set it to zero, so they would find the zero. Masks come from branches in loops, and from loops that are
known to be short, whose rest is done under a mask. Branches may become masks where this cannot happen (`masks.py`).
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm
from numba.core.compiler_lock import global_compiler_lock

__all__ = ["faithful_vectors"]

_BRANCHES = "enable-if-conversion"
_UNMASKED = {_BRANCHES: ("false", "true"), "vectorizer-min-trip-count": ("0", "16")}  # as LLVM has them
_ORDERED = {"force-ordered-reductions": ("true", "false")}
_OPTIONS = _UNMASKED | (_ORDERED if platform.machine().lower() in ("x86_64", "amd64") else {})
_open: list[bool] = []  # of those that are open, whether they may use masks


@contextmanager
def faithful_vectors(may_use_masks: bool = False) -> Iterator[None]:
    """While it is open, what Numba compiles has its sums vectorised in order, and loads nothing under a mask.

    Args:
        may_use_masks: branches may become masks nevertheless.

    LLVM's options hold for the process, so they are on only while the generated code is compiled; other threads wait
    with compiling. Processors other than x86-64 order their sums as LLVM chooses.

    >>> import numba, numpy as np
    >>> def loss(x):
    ...     s = 0.0
    ...     for i in range(x.size):
    ...         s += np.sqrt(x[i])
    ...     return s
    >>> one, other, x = numba.njit(loss), numba.njit(loss), np.arange(1000.0)
    >>> with faithful_vectors():
    ...     y = one(x)
    >>> y == other(x)
    True
    """
    with global_compiler_lock:
        _open.append(may_use_masks)
        try:
            _set()
            yield
        finally:
            _open.pop()
            _set()


def _set() -> None:
    for name, (inside, outside) in _OPTIONS.items():
        is_ours = bool(_open) and not (name == _BRANCHES and _open[-1])
        llvm.set_option("morula", f"-{name}={inside if is_ours else outside}")
