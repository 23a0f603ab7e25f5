"""Numbers that tell whether memory has changed, and the error where it has."""

import zlib
from typing import Any

import numpy as np

from morula.errors import StaleMemoryError


def fingerprint(x: Any) -> int:
    """A number that changes with the contents of an array (or a NumPy scalar): a CRC of its bytes."""
    if x.dtype.hasobject:
        return hash(tuple(map(id, x.ravel().tolist())))
    if x.dtype.names is not None:  # between fields may lie bytes that nobody sets
        return hash(tuple([fingerprint(x[name]) for name in x.dtype.names]))
    if x.dtype.char in "gG":  # and within numbers of extended precision
        rounded = x.astype(complex if x.dtype.char == "G" else float)
        return hash((fingerprint(rounded), fingerprint((x - rounded).astype(rounded.dtype))))
    if x.flags.f_contiguous:
        x = x.T
    return zlib.crc32(x if x.flags.c_contiguous else x.tobytes())


def changed_behind(x: np.ndarray, how: str) -> StaleMemoryError:
    return StaleMemoryError(
        f"an array of shape {x.shape} and dtype {x.dtype} was changed by code that is not transformed, "
        f"which could reach it through {how}: the gradient cannot be told"
    )
