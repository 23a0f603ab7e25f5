"""Tapes of loops whose trip counts are not known before they run."""

from typing import Any

import numpy as np

from morula.static.numba.compiling import helper


@helper()
def grown(tape: Any, size: int) -> Any:
    """A tape with room for at least `size` entries, with the same entries so far; it doubles."""
    if size <= tape.shape[0]:
        return tape
    wider = np.empty(max(size, 2 * tape.shape[0]), tape.dtype)
    for k in range(tape.shape[0]):  # assigning to a slice takes Numba seconds to compile
        wider[k] = tape[k]
    return wider


@helper()
def grown2(tape: Any, size: int, width: int) -> Any:
    """The same of the tangents of a tape, in so many lanes."""
    if size <= tape.shape[0]:
        return tape
    wider = np.empty((max(size, 2 * tape.shape[0]), width))
    for k in range(tape.shape[0]):
        for j in range(width):
            wider[k, j] = tape[k, j]
    return wider
