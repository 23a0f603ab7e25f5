"""Assignments to elements and slices of arrays, and what they leave on the tape."""

from typing import Any

import numpy as np

from morula.eager.context.kinds import ATOMS, has_method
from morula.eager.context.part import Part
from morula.eager.context.tape import LARGE
from morula.eager.memory.array_shadows import FLOAT, Buffer, is_stopped
from morula.eager.memory.fingerprints import fingerprint
from morula.eager.memory.keys import frozen_key, is_basic, writes_once
from morula.eager.memory.layout import may_share_memory, owner_of, reinterprets
from morula.eager.memory.writes import PartWrite, Write, overwrites_unread, own, wrote_whole
from morula.eager.python.texts import holds_text
from morula.errors import AliasedArgumentsError, NotDifferentiable

ndarray = np.ndarray
float64 = np.float64
FLOATS = frozenset({float, float64})
JUST_INT = {int}
OBJECT = np.dtype(object)
Pair = tuple[Any, Any]


class Assignments(Part):
    """Writing into arrays."""

    __slots__ = ()

    def write_element(self, x: ndarray, key: Any, v: Any, v_d: Any) -> bool:
        """``x[key] = v`` of a number, where nothing about `x` is special; False where it is, and nothing is done."""
        kind = type(key)
        if type(v) is not float and type(v) is not float64:
            return False
        if kind is not int and (kind is not tuple or {*map(type, key)} != JUST_INT):
            return False
        buffer = self.buffers.table.get(id(x))
        if buffer is None:
            if v_d is not None or x.base is not None:
                return False
        elif buffer() is not x or buffer.place is not None:
            return False
        if self.handed_out or self.records.aliased:
            return False
        old = x[key]
        if type(old) is not float64:
            return False
        x[key] = v
        entry = (x, buffer, key, old, v_d, None)
        self.writes.append(entry)  # first, since an interruption may come here, after which that is undone
        self.append(entry)
        return True

    def write_part(self, x: ndarray, key: Any, v: Any, v_d: Any) -> bool:
        """``x[key] = v`` of doubles, an array of them or one, where nothing about x and v is special; else False."""
        if x.dtype is not FLOAT or x.base is not None:
            return False
        is_array = type(v) is ndarray
        if (v.dtype is not FLOAT) if is_array else type(v) not in FLOATS:
            return False
        if self.handed_out or self.pointed or self.told or self.records.aliased:
            return False
        if type(key) is not slice and not is_basic(key):
            return False
        table = self.buffers.table
        x_d = table.get(id(x))
        if x_d is not None and (type(x_d) is not Buffer or x_d.place is not None or x_d() is not x):
            return False
        if is_array:
            base = v.base
            if v is x or base is x or (base is not None and owner_of(v) is x):
                return False
            if v_d is None and (base is not None or id(v) in table):
                v_d = self.buffers.find(v)
        part = x[key]
        if type(part) is not ndarray or part.size > LARGE:
            return False
        old = part.copy()
        x[key] = v  # all or nothing, where there is nothing to convert
        described: Any = None
        if v_d is not None:
            described = (v.shape, FLOAT) if is_array else type(v)
            if x_d is None:
                x_d = self.buffers.of_owner(x)
        entry = PartWrite(x, x_d, key, old, described, v_d, True)
        self.writes.append(entry)
        self.append(entry)
        return True

    def write(self, x: ndarray, x_d: Any, key: Any, v: Any, v_d: Any) -> None:
        """``x[key] = v``, logged."""
        if x.dtype is OBJECT:
            self.write_objects(x, key, v, v_d)
            return
        if not x.flags.writeable:
            x[key] = v  # raises
        owner = owner_of(x)
        if self.records.aliased and id(owner) in self.records.aliased:
            raise AliasedArgumentsError(
                "this array was passed as two arguments (or as overlapping views), and it is written: "
                "the two gradients would no longer be separate. Pass a copy as one of them."
            )
        self.buffers.about_to_write(owner, x, key)
        if x_d is None or (x_d.buffer.place is not None and x_d.buffer.place.aside):
            x_d = self.buffers.find(x)
        root = None if x_d is None else x_d.buffer
        if self.told and x.dtype.kind in "fc" and holds_text(v):
            v, v_d = self.call(np.array, (v, x.dtype), (v_d, None))
        v, v_d = self._right_hand_side(v, v_d)
        key = key if (basic := is_basic(key)) else frozen_key(key, x)
        given = v
        if type(v) is ndarray and v_d is not None and may_share_memory(x, v, owner):
            v, v_d = self.call(np.array, (v,), (v_d,))  # NumPy buffers an overlapping right-hand side; so do we
        if root is not None and root.place is not None and is_stopped(root):
            raise NotDifferentiable(
                "an array is written while the result of stop_gradient on it is still in use: copy it first"
            )
        part = x[key]
        is_large = type(part) is ndarray and part.size > LARGE
        is_special = not is_large or not self.fuses or self.handed_out or self.pointed or given is not v or x_d is None
        old: Any = None if not is_special and overwrites_unread(part, x_d, key, v, self.tape) else own(part)
        self._store(x, key, given, v, old, owner, x_d is not None or v_d is not None)
        if x.dtype.kind not in "fc":
            if x.dtype.kind in "OV" and (v_d is not None or self.reaches_active(v, set())):
                raise NotDifferentiable(f"active values are written into an array of dtype {x.dtype}")
            v_d = None  # an integer buffer cuts the derivative
        if v_d is not None and (owner.base is not None or self.pointed):
            self.refuse_lent(owner)
        if v_d is not None and x_d is None:
            x_d = self._made_active(x, owner)
        described: Any = v if type(v_d) is tuple else None
        if type(v_d) is list:
            described = type(v)
        elif v_d is not None and type(v_d) is not tuple:
            described = (v.shape, v.dtype)
        entry = Write(x, x_d, key, old, described, v_d, basic or writes_once(key))
        self.log(entry, owner)
        if is_large and basic and x_d is not None:
            wrote_whole(part, x_d.buffer, self.tape, entry)

    def _store(self, x: ndarray, key: Any, given: Any, v: Any, old: Any, owner: ndarray, is_active: bool) -> None:
        """``x[key] = given``, where `v` is what has to stand there then; what an error leaves behind is logged."""
        try:
            x[key] = given
        except Exception as error:
            if not np.array_equal(own(x[key]), old, x.dtype.kind in "fc"):
                self.log(Write(x, None, key, old, None, None, True), owner)
                if is_active:
                    raise NotDifferentiable(
                        "an assignment raised an exception after it had written into active memory"
                    ) from error
            raise
        if given is not v and not np.array_equal(x[key], np.broadcast_to(v.astype(x.dtype), np.shape(old)), True):
            self.log(Write(x, None, key, old, None, None, True), owner)
            raise NotDifferentiable(
                "a row is assigned to a row that overlaps it with a different stride, so NumPy reads what it has "
                "just written; assign a copy"
            )

    def _made_active(self, x: ndarray, owner: ndarray) -> Any:
        """A shadow for `x`, into which active values are written for the first time."""
        if owner.dtype != x.dtype and owner.dtype.names is None and not reinterprets(x.dtype, owner.dtype):
            raise NotDifferentiable("active values are written through a view of another dtype")
        if type(owner.base) is np.nditer:
            raise NotDifferentiable("active values are written through np.nditer; write into the array itself")
        if self.handed_out:
            self.refuse_shared(owner)
        self.buffers.new(owner)
        return self.buffers.find(x)

    def _right_hand_side(self, v: Any, v_d: Any) -> Pair:
        """What NumPy makes of a value that is written into an array, with its shadow."""
        kind = type(v)
        if kind is ndarray:
            return v, self.buffers.find(v) if v_d is None else v_d
        if kind is list or kind is tuple:
            return self.call(np.array, (v,), (v_d,))
        if kind in ATOMS:
            return v, v_d
        if has_method(kind, "__float__") and not hasattr(v, "__array__"):
            return self.call1(float, v, v_d)
        made = self.as_array(v, v_d)
        if made is not None:
            return made
        return v, self.shadow_of(v, None) if v_d is None else v_d

    def log(self, entry: Write, owner: ndarray) -> None:
        """Put a write on the tape."""
        if self.handed_out and id(owner) in self.handed_out:
            entry.wrote = (fingerprint(entry.x[entry.key]), self.handed_out[id(owner)][1])
        self.writes.append(entry)
        self.append(entry)

    def write_whole(self, x: ndarray, x_d: Any, v: Any, v_d: Any) -> Pair:
        """``x[...] = v``; `x` and its shadow."""
        self.write(x, x_d, Ellipsis, v, v_d)
        return x, x_d if x_d is not None or x.dtype is OBJECT else self.buffers.find(x)
