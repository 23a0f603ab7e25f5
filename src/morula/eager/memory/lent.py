"""Memory that is not NumPy's own, but a bytearray's or a map's: where it lies, and whether it is still there."""

import weakref
from typing import Any

import numpy as np

from morula.eager.memory.layout import caller_memory

ndarray = np.ndarray
UNREAD = ("PyCapsule", "nditer", "_MemInfo")  # what may lie under an array and lets nobody else read its memory
Span = tuple[int, int]  # address, bytes


class Lent:
    """An array over memory that is not NumPy's own, and where that lay when we met it.

    The array is referred to weakly: while it lives its lender often cannot release the memory, and the program may
    want to.
    """

    __slots__ = ("held", "owner", "span")

    def __init__(self, owner: ndarray):
        self.owner = weakref.ref(owner)
        self.span = span_of(owner.base)
        # what an object keeps its memory in lives as long as we do: it need not say when it lets go of it
        self.held = () if is_buffer(owner.base) else [*getattr(owner.base, "__dict__", {}).values()]

    def is_gone(self) -> bool:
        """Whether the memory was released, or moved elsewhere."""
        owner = self.owner()
        if owner is None or self.span is None:
            return False
        now = span_of(owner.base)
        return now is None or now[0] != self.span[0] or now[1] < self.span[1]


def lender_of(owner: ndarray) -> Any:
    """What lends the memory of an owner of memory, and may read it; None where that is NumPy's own."""
    base = caller_memory(owner).base
    return None if type(base).__name__ in UNREAD else base


def is_buffer(base: Any) -> bool:
    try:
        memoryview(base)
    except TypeError:
        return False
    except (ValueError, BufferError):
        return True
    return True


def span_of(base: Any) -> Span | None:
    """Where the memory of a buffer lies now; None where it has none, or does not say."""
    try:
        view = memoryview(base)
    except TypeError:
        said = getattr(base, "__array_interface__", None)
        data = said.get("data") if isinstance(said, dict) else None
        return (data[0], 0) if isinstance(data, tuple) else None
    except (ValueError, BufferError):  # released
        return None
    if not view.contiguous or not view.nbytes:
        return (0, view.nbytes)
    return np.frombuffer(base, np.uint8).__array_interface__["data"][0], view.nbytes
