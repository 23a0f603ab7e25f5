"""Arrays of objects: containers, in which every cell has the shadow of what was put there.

A shadow is found by the address of its cell, so that views need nothing of their own. Lists, arrays and objects that
lie in a cell have their shadows by identity anyway; what the table holds is those of numbers and tuples.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.registry import no_rule
from morula.eager.containers.container_types import RECORDED
from morula.eager.context.kinds import ATOMS, NUMERIC, has_method
from morula.eager.context.part import Part
from morula.eager.memory.array_shadows import NO_ACTION, Buffer, ObjectsBuffer
from morula.eager.memory.layout import address_of, owner_of
from morula.eager.memory.wholes import ObjectsShadow
from morula.eager.memory.writes import Write
from morula.eager.operators.operations import OPERATOR, UFUNC
from morula.errors import NotDifferentiable, describe

ndarray = np.ndarray
Pair = tuple[Any, Any]
OBJECT = np.dtype(object)
NOTHING = itertools.repeat(None)
NAMES = {f: name for name, f in UFUNC.items()} | {np.divmod: "divmod"}


class Token:
    """What stands for a value, with its shadow, where NumPy is asked which value goes where."""

    __slots__ = ("shadow", "value")

    def __init__(self, value: Any, shadow: Any):
        self.value = value
        self.shadow = shadow


class Tokens(list):
    """The same for a list, which NumPy may take apart or put into a cell as it is."""

    origin: Any


class TokenArray(ndarray):
    """The same for an array."""

    origin: ndarray


class ObjectArrays(Part):
    """Arrays of objects in a reverse context."""

    __slots__ = ()

    def objects_shadow(self, x: ndarray) -> Any:
        """The shadow of an array of objects, which says that something active can be reached from it; or None."""
        found = self.buffers.find(x)
        if found is not None or ATOMS.issuperset(map(type, x.flat)):
            return found
        seen: set[int] = {id(x)}
        if any(self.reaches_active(v, seen) for v in x.flat):
            return ObjectsShadow(Buffer(owner_of(x), NO_ACTION))
        return None

    def cell_shadow(self, x: ndarray, address: int, value: Any) -> Any:
        """The shadow of what lies in one cell."""
        buffer = self.buffers.table.get(id(owner_of(x)))
        found = buffer.cells.get(address) if type(buffer) is ObjectsBuffer else None
        if found is None:
            return None
        if found[0] is not value:
            raise NotDifferentiable("code that is not followed changed an array of objects that holds active values")
        return found[1]

    def cell_pairs(self, x: ndarray) -> list[Pair]:
        """All that lies in an array of objects, in order, with the shadows."""
        places = addresses(x).flat
        return [(v, self.cell_shadow(x, int(at), v)) for v, at in zip(x.flat, places, strict=True)]

    def objects_item(self, x: ndarray, key: Any) -> Pair:
        """``x[key]``."""
        y = x[key]
        at = addresses(x)[key]
        if type(at) is not ndarray:
            return y, self.cell_shadow(x, int(at), y)
        if y.base is None:
            self.set_cells(y, [self.cell_shadow(x, int(a), v) for v, a in zip(y.flat, at.flat, strict=True)])
        return y, None

    def set_cells(self, x: ndarray, shadows: list) -> None:
        """Say which shadows what now lies in `x` has, in order."""
        owner = owner_of(x)
        buffer = self.buffers.table.get(id(owner))
        if type(buffer) is not ObjectsBuffer or buffer() is not owner:
            if all(s is None for s in shadows):
                return
            if owner.dtype is not OBJECT:
                raise NotDifferentiable("active values are written into objects in an array of records")
            if self.handed_out:
                self.refuse_shared(owner)
            buffer = self.buffers.new_objects(owner)
        for v, at, shadow in zip(x.flat, addresses(x).flat, shadows, strict=True):
            if shadow is None:
                buffer.cells.pop(int(at), None)
            else:
                buffer.cells[int(at)] = (v, shadow)

    def made_objects(self, shape: tuple, pairs: list[Pair]) -> ndarray:
        """A new array of objects of these values."""
        y = np.empty(shape, object)
        flat = y.reshape(-1)
        for i, (v, _) in enumerate(pairs):
            flat[i] = v
        self.set_cells(y, [s for _, s in pairs])
        return y

    def objects_attribute(self, x: ndarray, name: str, y: ndarray) -> None:
        """Say which shadows lie in `y`, an array that NumPy has made of the attribute `name` of each element of `x`."""
        shadows = []
        for (v, v_d), part in zip(self.cell_pairs(x), y.flat, strict=True):
            shadow = v_d
            if part is not v and self.any_active((v,), (v_d,), {}, {}):
                shadow = self._part_shadow(v, v_d, name, part)
            shadows.append(shadow)
        self.set_cells(y, shadows)

    def _part_shadow(self, v: Any, v_d: Any, name: str, part: Any) -> Any:
        """The shadow of `part`, which NumPy takes for ``v.name``."""
        if isinstance(part, ndarray) or (type(part) is int and part == 0):
            return None  # an array is found by its memory; the imaginary part of what has none is 0
        found, shadow = self.getattr(v, v_d, name)
        if type(part) not in NUMERIC or type(found) is not type(part) or not (found == part or found != found):
            raise NotDifferentiable(f"the attribute {name!r} of an array of objects that holds active values")
        return shadow

    # -- writes -------------------------------------------------------------------------------------------

    def write_objects(self, x: ndarray, key: Any, v: Any, v_d: Any) -> None:
        """``x[key] = v``."""
        place = key if type(key) is tuple else (key,)
        if len(place) == x.ndim and all(type(k) is int for k in place):
            cell = x[(*place, ...)]
            old = cell.copy()
            x[key] = v
            self.log(Write(cell, None, Ellipsis, old, None, None, True), owner_of(x))
            stored = cell[()]
            if isinstance(stored, (ndarray, *RECORDED)):
                v_d = None  # found by identity
            self.set_cells(cell, [v_d])
            return
        self.objects_written(x, v, v_d, lambda y, values: y.__setitem__(key, values))

    def objects_written(self, x: ndarray, v: Any, v_d: Any, run: Callable) -> None:
        """``run(x, v)`` of code that puts values into an array of objects; NumPy says which goes where."""
        active = self.any_active((v,), (v_d,), {}, {})
        given = self.tokens(v, v_d) if active else None  # before anything is written, which may be the same memory
        kept_shadows = self._shadows_in(x)
        before = x.copy()
        try:
            run(x, v)
        finally:
            self.log_write(x, before)
            if kept_shadows is not None:
                kept = zip(before.flat, x.flat, kept_shadows, strict=True)
                self.set_cells(x, [s if old is new else None for old, new, s in kept])
        if not active:
            return
        made = np.empty(x.shape, object)
        run(made, given)
        shadows = []
        for cell, old, new, s in zip(
            made.flat, before.flat, x.flat, kept_shadows or NOTHING, strict=kept_shadows is not None
        ):
            value, shadow = self.untoken(cell)
            if cell is None and new is old:
                value, shadow = old, s
            if value is not new and not (type(value) is type(new) and (value == new or value != value)):
                raise NotDifferentiable(
                    "active values are stored in an array of objects in a way that cannot be followed"
                )
            shadows.append(shadow)
        self.set_cells(x, shadows)

    def _shadows_in(self, x: ndarray) -> list | None:
        """The shadows of the cells of `x`, in order; None where there are none."""
        if type(self.buffers.table.get(id(owner_of(x)))) is not ObjectsBuffer:
            return None
        return [s for _, s in self.cell_pairs(x)]

    def tokens(self, v: Any, v_d: Any) -> Any:
        """The same structure of lists, tuples and arrays as `v`, with a token in the place of every value."""
        if isinstance(v, ndarray):
            made = np.empty(v.shape, object)
            flat = made.reshape(-1)
            for i, (item, s) in enumerate(self.array_pairs(v, v_d)):
                flat[i] = Token(item, s)
            seen = made.view(TokenArray)
            seen.origin = v
            return seen
        if type(v) is list or type(v) is tuple:
            shadows = self.shadow_of(v, v_d) or (None,) * len(v)
            parts: list[Any] = [self.tokens(item, s) for item, s in zip(v, shadows, strict=True)]
            if type(v) is tuple:
                return tuple(parts)
            made_list = Tokens(parts)
            made_list.origin = v
            return made_list
        return Token(v, self.shadow_of(v, v_d) if type(v) in ATOMS else v_d)

    def untoken(self, cell: Any) -> Pair:
        """The value that a cell of tokens stands for."""
        if type(cell) is Token:
            return cell.value, cell.shadow
        if type(cell) is Tokens or (type(cell) is TokenArray and cell.ndim):
            return cell.origin, None
        if type(cell) is tuple:
            pairs = [self.untoken(part) for part in cell]
            return tuple([v for v, _ in pairs]), self.packed(tuple([s for _, s in pairs]))
        if cell is None:
            return None, None
        if isinstance(cell, ndarray) and cell.ndim == 0:
            return self.untoken(cell[()])
        raise NotDifferentiable(f"a {type(cell).__qualname__} with active values is stored in an array of objects")

    def array_pairs(self, v: ndarray, v_d: Any) -> list[Pair]:
        """The elements of an array as they are where it becomes one of objects, in order."""
        if v.dtype is OBJECT:
            return self.cell_pairs(v)
        v_d = self.array_shadow(v, v_d)
        if v_d is None:
            return [(item, None) for item in v.ravel().tolist()]
        return [self.method(*self.getitem(v, v_d, i, None), "item", (), ()) for i in np.ndindex(v.shape)]

    # -- operations ---------------------------------------------------------------------------------------

    def objects_operate(self, name: str, args: tuple, ds: tuple) -> Pair:
        """An operator of arrays of objects: that of each element."""
        if not self.any_active(args, ds, {}, {}):
            return OPERATOR[name](*args), None
        if name == "matmul":
            raise NotDifferentiable("@ of an array of objects that holds active values; use .astype(float)")
        shape = np.broadcast_shapes(*map(np.shape, args))
        columns = []
        for a, d in zip(args, ds, strict=True):
            if isinstance(a, ndarray):
                pairs = self.array_pairs(a, d)
                numbers = np.broadcast_to(np.arange(len(pairs)).reshape(a.shape), shape)
                columns.append([pairs[i] for i in numbers.flat])
            else:
                pair = self.method(a, d, "item", (), ()) if isinstance(a, np.generic) else (a, d)
                columns.append([pair] * int(np.prod(shape)))
        operation = getattr(self, name, None)
        if operation is None:
            raise no_rule(OPERATOR[name])
        pairs = [operation(*itertools.chain(*row)) for row in zip(*columns, strict=True)]
        return pairs[0] if shape == () else (self.made_objects(shape, pairs), None)

    def objects_call(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A function of NumPy of an array of objects that holds something active."""
        name = NAMES.get(f)
        if name is not None and not kw and all(type(a) in NUMERIC for a in args):
            return self.objects_operate(name, args, ds)
        x = args[0]
        name = getattr(f, "__name__", "")
        if isinstance(x, ndarray) and x.dtype is OBJECT:
            if name in ("sum", "prod") and len(args) == 1 and not kw and x.size:
                return self._folded("add" if name == "sum" else "mul", self.cell_pairs(x))
            dtype = floats_asked_for(name, args, kw)
            if dtype is not None:
                pairs = self.cell_pairs(x)
                items = [v for v, _ in pairs]
                self.new_list(items, [s for _, s in pairs])
                flat, flat_d = self.call(np.array, (items, dtype), (None, None))
                return self.call(np.reshape, (flat, x.shape), (flat_d, None))
            if name == "tolist":
                return (self._listed(x), None) if x.ndim else self.cell_pairs(x)[0]
            if name in CALLED_OF_ITEMS and isinstance(f, np.ufunc) and len(args) == 1 and not kw:
                pairs = self.cell_pairs(x)
                if all(has_method(type(v), name) for v, _ in pairs):
                    pairs = [self.method(v, d, name, (), ()) for v, d in pairs]
                    return pairs[0] if x.shape == () else (self.made_objects(x.shape, pairs), None)
        if name in VIEWS or (name in MOVES and "dtype" not in kw and "out" not in kw):
            y = f(*args, **kw)
            if isinstance(y, ndarray) and y.dtype is OBJECT and self.buffers.find(y) is None:
                moved = slice(1, 3) if f is np.where else slice(1)
                given = list(args)
                given[moved] = [self.tokens(a, d) for a, d in zip(args[moved], ds[moved], strict=True)]
                tokens = f(*given, **kw)
                self.set_cells(y, [self.untoken(cell)[1] for cell in tokens.flat])
            if isinstance(y, ndarray) and y.dtype is OBJECT:
                return y, None
        raise NotDifferentiable(
            f"{describe(f)} was given an array of objects that holds active values; use .astype(float), or its elements"
        )

    def _folded(self, name: str, pairs: list[Pair]) -> Pair:
        y, y_d = pairs[0]
        for v, d in pairs[1:]:
            y, y_d = getattr(self, name)(y, y_d, v, d)
        return y, y_d

    def _listed(self, x: ndarray) -> Any:
        """``x.tolist()``."""
        if x.ndim != 1:
            return [self._listed(row) for row in x]
        pairs = self.cell_pairs(x)
        made = [v for v, _ in pairs]
        self.new_list(made, [s for _, s in pairs])
        return made

    def objects_from(self, v: Any, v_d: Any, options: dict) -> ndarray:
        """``np.array(v, dtype=object)``."""
        y = np.array(v, **options)
        made = np.array(self.tokens(v, v_d), **options)
        if made.shape != y.shape:
            raise NotDifferentiable("active values are stored in an array of objects together with sequences")
        self.set_cells(y, [self.untoken(cell)[1] for cell in made.flat])
        return y


# Functions that make views of their first argument, or move its elements.
VIEWS = frozenset("reshape ravel transpose squeeze swapaxes moveaxis expand_dims flip diagonal view".split())
MOVES = frozenset(
    "copy flatten concatenate stack vstack hstack take repeat tile roll array asarray delete where".split()
)
# Functions that NumPy takes of objects by calling their methods of the same name.
CALLED_OF_ITEMS = frozenset(
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh "
    "arctanh fabs rint deg2rad rad2deg degrees radians".split()
)


def floats_asked_for(name: str, args: tuple, kw: dict) -> Any:
    """The dtype of ``x.astype(float)``, ``np.asarray(x, dtype=float)`` and the like; None where it is another call."""
    if name not in ("astype", "array", "asarray", "asanyarray") or len(args) > 2 or not kw.keys() <= {"dtype"}:
        return None
    dtype = args[1] if len(args) == 2 else kw.get("dtype")
    return dtype if dtype is not None and np.dtype(dtype).kind in "fc" else None


def holds_objects(x: Any) -> bool:
    """Whether an argument is an array of objects, or holds one."""
    if type(x) is list or type(x) is tuple:
        return any(map(holds_objects, x))
    return isinstance(x, ndarray) and x.dtype is OBJECT


def addresses(x: ndarray) -> ndarray:
    """For each element of `x`, where it lies in memory."""
    found: Any = np.full(x.shape, address_of(x))
    for axis, (n, stride) in enumerate(zip(x.shape, x.strides, strict=True)):
        found += (np.arange(n) * stride).reshape((n,) + (1,) * (x.ndim - axis - 1))
    return found
