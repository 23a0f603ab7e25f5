"""The shadows of all arrays in a run, found by the owner of memory."""

from typing import Any

import numpy as np

from morula.eager.memory.arguments import Original, is_argument
from morula.eager.memory.array_shadows import FLOAT, NO_ACTION, Buffer, ObjectsBuffer, Place, Shadow, Strided, place_of
from morula.eager.memory.layout import address_of, extent, leaf_dtypes, owner_of, reinterprets
from morula.eager.memory.lent import Lent
from morula.eager.memory.wholes import RecordsShadow
from morula.errors import NotDifferentiable

ndarray = np.ndarray


class Buffers:
    """All owners with a shadow in one run, by identity.

    An entry may outlive its owner, and the identity be given to another array: `find` asks the weak reference.
    """

    def __init__(self) -> None:
        self.table: dict[int, Any] = {}  # a Buffer, or an Original
        self.given: set[int] = set()  # arguments over NumPy's own memory, by identity; they live as long as the run
        self.lent: dict[int, Lent] = {}  # arrays over memory that is not NumPy's own, by identity

    def new(self, y: ndarray) -> Buffer:
        """The shadow of a fresh array (or of one that is met for the first time)."""
        if y.dtype.kind not in "fc" or (y.base is not None and not is_argument(y)):
            return self._placed(y)
        return self.of_owner(y)

    def of_owner(self, y: ndarray) -> Buffer:
        """The shadow of an array of real or complex numbers without gaps that owns its memory, or is an argument."""
        buffer = Buffer(y, NO_ACTION)
        buffer.bar = None
        buffer.owned = False
        buffer.place = None
        buffer.shape = y.shape
        buffer.dtype = y.dtype
        buffer.strides = y.strides
        self.table[id(y)] = buffer
        return buffer

    def _placed(self, y: ndarray) -> Buffer:
        """The shadow of an integer array, or of a view without an owner that has a shadow."""
        owner = owner_of(y)
        buffer = Buffer(owner, NO_ACTION)
        key = id(owner)
        buffer.bar = None
        buffer.owned = False
        buffer.place = place = Place()
        buffer.shape = y.shape
        buffer.dtype = y.dtype
        buffer.strides = y.strides
        if y.dtype.kind not in "fcV":
            buffer.dtype = FLOAT
            place.scale = FLOAT.itemsize // y.dtype.itemsize
            buffer.strides = tuple(n * place.scale for n in y.strides)
        if owner is not y or not (y.flags.c_contiguous or y.flags.f_contiguous):
            low, high = extent(y)
            place.address = low
            place.first = (address_of(y) - low) * place.scale
            place.span = (high - low) * place.scale
            before = self.table.get(key)
            place.other = before if type(before) is Buffer and before() is owner else None
        self.table[key] = buffer
        return buffer

    def new_objects(self, owner: ndarray) -> ObjectsBuffer:
        """What stands for an array of objects."""
        buffer = ObjectsBuffer(owner, NO_ACTION)
        buffer.bar = None
        buffer.owned = False
        buffer.place = Place()
        buffer.cells = {}
        self.table[id(owner)] = buffer
        return buffer

    def aside(self, x: ndarray, x_d: "Shadow") -> Buffer:
        """A buffer for the cotangent of one *use* of `x`: the memory is that of `x_d`, the cotangent is apart."""
        key = id(owner_of(x))
        before = self.table.get(key)
        buffer = self.new(x)
        if before is None:
            del self.table[key]
        else:
            self.table[key] = before
        place = place_of(buffer)
        place.aside = True
        place.other = None
        root = place_of(x_d.buffer if before is None or before() is not owner_of(x) else before)
        root.asides = (*root.asides, buffer)
        return buffer

    def find(self, x: ndarray) -> Shadow | None:
        """The shadow of `x` by its owner, or None."""
        table = self.table
        buffer = table.get(id(x))
        if type(buffer) is Buffer and buffer.place is None and buffer.dtype is FLOAT and buffer() is x:
            return buffer
        if x.base is None:
            if buffer is None:
                return None
            owner = x
        else:
            owner = owner_of(x)
            if owner.base is not None and id(owner) not in self.given:
                lent = self.lent.get(id(owner))
                if lent is None or lent.owner() is not owner:
                    self.lent[id(owner)] = Lent(owner)
        if not table:
            return None
        buffer = table.get(id(owner))
        if buffer is None or buffer() is not owner:
            return None
        if type(buffer) is Original:
            buffer.met(x)
            return None
        place = buffer.place
        if owner is x and (place is None or place.span is None):
            return buffer if x.dtype.kind not in "OV" else buffer.whole()
        if type(buffer) is ObjectsBuffer:
            return buffer.whole()
        candidate: Buffer | None = buffer
        while candidate is not None:
            if candidate.place is not None and candidate.place.span is not None and _same_place(candidate, x):
                return candidate
            found = self.view(candidate, x, owner)
            if found is not None:
                return found
            candidate = candidate.place.other if candidate.place is not None else None
        return None

    def is_original(self, x: ndarray) -> bool:
        """Whether an argument lies in the memory of `x`, which is the caller's."""
        owner = owner_of(x)
        original = self.table.get(id(owner))
        return (
            type(original) is Original
            and original() is owner
            and any(np.may_share_memory(v, x) for v in original.views)
        )

    def about_to_write(self, owner: ndarray, x: ndarray, key: Any) -> None:
        """Refuse ``x[key] = v``, where the memory of `x` belongs to `owner` and an argument lies there."""
        original = self.table.get(id(owner))
        if type(original) is Original and original() is owner:
            original.about_to_write(x, key)

    def view(self, buffer: Buffer, y: ndarray, owner: ndarray) -> Shadow | None:
        """The shadow of `y`, some view of the owner that `buffer` mirrors; None where it lies outside."""
        place = buffer.place
        if y.dtype != owner.dtype and not reinterprets(y.dtype, owner.dtype):
            leaves = leaf_dtypes(owner.dtype) if owner.dtype.names is not None else ()
            if not any(y.dtype == t or y.dtype.names is not None or reinterprets(y.dtype, t) for t in leaves):
                raise NotDifferentiable(f"active memory of {owner.dtype} is viewed as {y.dtype}")
        if y.dtype.kind not in "fc" and owner.dtype.names is not None:
            return RecordsShadow(buffer) if y.dtype.names is not None else None
        if place is None or place.address is None:
            if (
                y.nbytes == owner.nbytes
                and min(y.strides, default=0) >= 0
                and owner.strides == buffer.strides
                and (y.flags.c_contiguous or y.flags.f_contiguous)
            ):
                return Strided(buffer, 0, y)
            place = place_of(buffer)
            place.address = address_of(owner)
        elif outside(buffer, y):
            return None
        assert place.address is not None
        return Strided(buffer, address_of(y) - place.address, y)


def outside(buffer: Buffer, y: ndarray) -> bool:
    """Whether `y` begins outside the part of its owner that `buffer` mirrors (an argument that is itself a view)."""
    place = buffer.place
    if place is None or place.span is None or place.address is None:
        return False
    low, _ = extent(y)
    return not (place.address <= low < place.address + max(place.span // place.scale, 1))


def _same_place(buffer: Buffer, x: ndarray) -> bool:
    return x.shape == buffer.shape and x.strides == buffer.strides and extent(x)[0] == place_of(buffer).address
