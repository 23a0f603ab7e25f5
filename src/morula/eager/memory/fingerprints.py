"""Numbers that tell whether memory has changed, and the error where it has."""

import zlib
from typing import Any

import numpy as np

from morula.errors import StaleMemoryError

COLUMNS = 1024
LARGE = 8 * COLUMNS  # bytes


def fingerprint(x: Any) -> int:
    """A number that changes with the contents of an array (or a NumPy scalar).

    It is a CRC of the bytes. Of a large array, where that would take longer than many a computation with it, it is one
    of the sums of the rows and of the parities of the columns of the bytes, laid out as a table.
    """
    if x.dtype.hasobject:
        return hash(tuple(map(id, x.ravel().tolist())))
    if x.dtype.names is not None:  # between fields may lie bytes that nobody sets
        return hash(tuple([fingerprint(x[name]) for name in x.dtype.names]))
    if x.dtype.char in "gG":  # and within numbers of extended precision
        rounded = x.astype(complex if x.dtype.char == "G" else float)
        return hash((fingerprint(rounded), fingerprint((x - rounded).astype(rounded.dtype))))
    if x.flags.f_contiguous:
        x = x.T
    if not x.flags.c_contiguous:
        return zlib.crc32(x.tobytes())
    if x.nbytes < LARGE:
        return zlib.crc32(x)
    octets = x.reshape(-1).view(np.uint8)
    table = octets[: x.nbytes // LARGE * LARGE].view(np.uint64).reshape(-1, COLUMNS)
    rest = zlib.crc32(octets[table.nbytes :])
    return hash((rest, zlib.crc32(np.add.reduce(table, 1)), zlib.crc32(np.bitwise_xor.reduce(table, 0))))


def changed_behind(x: np.ndarray, how: str) -> StaleMemoryError:
    return StaleMemoryError(
        f"an array of shape {x.shape} and dtype {x.dtype} was changed by code that is not transformed, which could "
        f"reach it through {how}: the gradient cannot be determined"
    )
