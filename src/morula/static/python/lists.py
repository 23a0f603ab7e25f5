"""Arrays and lists that the program makes and writes into.

As long as nothing is written into an array of few numbers, or into a list of known length, its numbers are atoms. Where
that turns out to be wrong the program is built again with real lists in the variables concerned (`relist`): names
of one array are names of one list then. What has no other name may also be changed by a plain assignment.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from morula.static.python.arrays import MOST, Arrays
from morula.static.python.ir import Again, Append, Set, Store, Unsupported
from morula.static.python.memory import Memory
from morula.static.python.scopes import Array, Display, ListOf, Names, Scope, Small, Static
from morula.static.python.slopes import has_own_rule

__all__ = ["NEW", "Lists"]

FILLS = {np.zeros: "0.0", np.ones: "1.0", np.empty: "0.0", np.zeros_like: "0.0", np.ones_like: "1.0",
         np.empty_like: "0.0"}  # fmt: skip
NEW = frozenset([*FILLS, np.full, np.full_like])
PARAMETERS = {"shape": ("shape", "dtype"), "full": ("shape", "fill_value", "dtype"), "like": ("a", "dtype"),
              "full_like": ("a", "fill_value", "dtype")}  # fmt: skip


class Lists(Arrays):
    """The part of a `front.Builder` that makes lists, binds them to names, and writes into them.

    Attributes:
        by_reference: variables whose arrays and lists are lists in the text, since something is written into them.
        shared: variables of small arrays that may be one.
        vague: variables that hold lists of several lengths.
        augmenting: variables of small arrays that augmented assignments have changed.
        snapshots: by arrays from outside, the variables that got their numbers.
    """

    by_reference: set[Any]
    shared: set[Any]
    vague: set[Any]
    augmenting: set[Any]
    snapshots: dict[str, set[Any]]
    iterating: int  # loops over lists around the statement
    several: Callable[[Scope, str, Any], None]

    # -- names ----------------------------------------------------------------------------------------------

    def named(self, scope: Scope, name: str) -> Any:
        """What a variable holds that holds no number."""
        value = scope.bound[name]
        if isinstance(value, Small | Display):
            return self.likewise(value, value.parts if isinstance(value, Small) else value, _key(scope, name))
        return value

    def likewise(self, value: Any, parts: Iterable[str], also: Names = frozenset()) -> Any:
        """A small array, a list or a tuple, as `value` is one, of the same variables."""
        if isinstance(value, Small):
            return Small(tuple(parts), value.origins | also)
        if not isinstance(value, Display):
            return tuple(parts)
        found = Display(parts)
        found.origins = value.origins | also
        return found

    def share(self, names: Names) -> None:
        """Take note that these variables may hold one array."""
        self.shared |= names
        if names & self.augmenting:
            self.relist(names)

    def relist(self, names: Names) -> NoReturn:
        """Build the program anew, with lists in these variables."""
        self.by_reference |= names
        raise Again

    def expect_writes(self, code: Any, node: Any) -> None:
        """Take note of the variables of a function that it writes items of, or appends to."""
        for n in ast.walk(node):
            is_store = isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)
            if is_store or (isinstance(n, ast.Attribute) and n.attr == "append"):
                owner = getattr(n, "value", None)
                if isinstance(owner, ast.Name):
                    self.by_reference.add((code, owner.id))

    def same_list(self, array: ListOf, op: str = "copy") -> ListOf:
        return replace(array, var=self.compute(op, array.var))

    def bind(self, scope: Scope, name: str, value: Any) -> None:
        """Assign what is no number to a variable."""
        if not self.is_small:
            value = self.in_one_form(value)
        key = _key(scope, name)
        before = scope.bound.get(name)
        is_list = isinstance(before, ListOf) or key <= self.by_reference
        if isinstance(value, ListOf):
            if not is_list and self._is_small(value):
                self.snapshots.setdefault(value.measured.partition("[")[0], set()).update(key)
                value = self.as_small(value)
        elif is_list and isinstance(value, Small | Display):
            value = self.listed(value)
        if isinstance(value, ListOf):
            if before is not None and not isinstance(before, ListOf):
                self.relist(key)
            self._bind_list(scope, name, value)
        elif isinstance(value, tuple | Small | Array):
            if isinstance(value, Small | Display) and value.origins:
                self.share(value.origins | key)
            self.several(scope, name, value)
        else:
            raise Unsupported(f"{name!r}, which is no number", self.line)

    def _is_small(self, array: ListOf) -> bool:
        n = array.shape[0]
        return array.is_vector and bool(array.measured) and n is not None and 0 < n <= MOST and array.is_float

    def _bind_list(self, scope: Scope, name: str, value: ListOf) -> None:
        if name in scope.numbers:
            raise Unsupported(f"{name!r}, which is a number elsewhere", self.line)
        held = self.varying(value, scope.variable(name))
        key = _key(scope, name)
        if key <= self.vague:
            held = replace(held, shape=(None,) * len(held.shape))
        before = scope.bound.setdefault(name, held)
        if before != held:
            if replace(before, shape=()) != replace(held, shape=()) or len(before.shape) != len(held.shape):
                raise Unsupported(f"{name!r}, which is something else elsewhere", self.line)
            self.vague |= key
            raise Again
        scope.tuples.add(name)
        scope.sure[-1].add(name)
        self.emit(Set(held.var, value.var))

    def varying(self, value: ListOf, var: str) -> ListOf:
        """The list that a variable holds to which `value` is assigned."""
        shape: tuple[int | None, ...] = value.shape
        if not value.fixed:
            shape = (None,) * len(shape)
            if self._is_small(value):
                shape = value.shape
                self.program.lengths[value.measured] = value.shape[0] or 0
        return ListOf(var, shape, True, value.kind, value.is_float)

    def listed(self, value: Small | Display) -> ListOf:
        """A list of the numbers of an array that has no name yet, or of a list."""
        if value.origins:
            if value.origins <= self.by_reference:
                raise Unsupported("an array of several names that is written into", self.line)
            self.relist(value.origins)
        parts = _parts(value)
        if not all(isinstance(v, str) for v in parts):
            raise Unsupported("a list of something else than numbers", self.line)
        if isinstance(value, Small):
            found = ListOf(self.compute("display", *parts, f=np.ndarray), (len(parts),), True)
            self.known |= {("index", (found.var, str(i))): v for i, v in enumerate(parts)}
            return found
        return ListOf(self.compute("display", *parts, f=list), (None,), True, list)

    def check_snapshots(self) -> None:
        """Numbers that were taken from an array must not be asked for when something was written into it."""
        memory = Memory(self.program)
        for var, keys in self.snapshots.items():
            if memory.is_written(var):
                self.relist(frozenset(keys))

    def in_one_form(self, value: Any) -> Any:
        """Nothing in it an array in two forms."""
        if isinstance(value, tuple):
            return self.likewise(value, [self.in_one_form(v) for v in value])
        is_array = isinstance(value, ListOf) and value.kind is not list and value.var == value.measured
        return self.one_form(value) if is_array else value

    def placed(self, value: Any, name: str) -> tuple[Any, list[tuple[str, str]]]:
        """The value with variables in place of its atoms, called after `name`; these variables with the atoms."""
        found: list[tuple[str, str]] = []

        def variable(atom: str) -> str:
            found.append((name.format(len(found)), atom))
            return found[-1][0]

        def within(part: Any) -> Any:
            if isinstance(part, Small | tuple):
                return self.likewise(part, [within(v) for v in _parts(part)])
            if not isinstance(part, str | Array):
                raise Unsupported("a tuple of something else than numbers and arrays", self.line)
            return self.each(variable, part)

        return within(value), found

    # -- new lists ------------------------------------------------------------------------------------------

    def new_list(self, f: Any, node: ast.Call) -> ListOf | Small:
        """``np.zeros(n)`` and its kin."""
        if has_own_rule(f):
            raise Unsupported(f"a call of {f.__name__}, for which there is a rule of the user's", self.line)
        stem = f.__name__ if f in (np.full, np.full_like) else "like" if f.__name__.endswith("_like") else "shape"
        names = PARAMETERS[stem]
        given = dict(zip(names, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
        found = {name: self.value(each) for name, each in given.items()}
        dtype = found.pop("dtype", None)
        is_said = isinstance(dtype, Static) and dtype.value in (float, np.float64)
        if (
            len(given) < len(node.args) + len(node.keywords)
            or not set(names) - {"dtype"} == found.keys()
            or (dtype is not None and not is_said)
        ):
            raise Unsupported(f"a call of {f.__name__} with such arguments", self.line)
        fill = FILLS[f] if f in FILLS else self.only_number(found["fill_value"])
        shape = self._shape_like(found["a"], is_said) if "a" in found else found["shape"]
        lengths = shape if isinstance(shape, tuple) else (shape,)
        if not 1 <= len(lengths) <= 2 or not all(isinstance(n, str) for n in lengths):
            raise Unsupported("an array of such a shape", self.line)
        known = tuple([int(n) if n.isdigit() else None for n in lengths])
        if len(known) == 1 and known[0] is not None and 0 < known[0] <= MOST:
            return Small(tuple([self.compute("element", fill) for _ in range(known[0])]))
        return ListOf(self.compute("new", fill, *lengths, f=np.ndarray), known, True)

    def _shape_like(self, array: Any, is_said: bool) -> Any:
        if isinstance(array, Small):
            return str(len(array.parts))
        if not isinstance(array, ListOf) or array.kind is list or not (array.is_float or is_said):
            raise Unsupported("a new array like something else than an array of floats", self.line)
        shape = self.attribute(array, "shape")
        return shape[0] if len(shape) == 1 else shape

    def repeated(self, one: Any, other: Any) -> ListOf:
        """``[x] * n``."""
        display, n = (one, other) if isinstance(one, Display) else (other, one)
        if not isinstance(n, str) or len(display) != 1 or not isinstance(display[0], str):
            raise Unsupported("a product of a list", self.line)
        return ListOf(self.compute("new", display[0], n, f=list), (None,), True, list)

    # -- writes ---------------------------------------------------------------------------------------------

    def store(self, owner: Any, index: ast.expr, value: Any) -> None:
        """``owner[index] = value``."""
        array = self._changed(owner)
        place = self.index(index)
        if len(place) == len(array.shape):
            self.emit(Store(array.var, place, self.only_number(value)))
        else:
            self._store_all(self.part(array, *place), value)

    def store_augmented(self, op: str, target: ast.Subscript, value: ast.expr) -> None:
        """``owner[index] += value``."""
        array = self._changed(self.value(target.value))
        place = self.index(target.slice)
        old = self.part(array, *place)
        if isinstance(old, str):
            self.emit(Store(array.var, place, self.compute(op, old, self.number(value))))
        else:
            self._change(op, old, self.value(value))

    def augmented(self, target: ast.Name, op: str, old: Any, value: Any) -> None:
        """``target += value`` for an array."""
        scope = self.scopes[-1]
        if isinstance(old, ListOf):
            self._change(op, old, value)
        elif isinstance(old, Small) and op != "pow":
            key = _key(scope, target.id)
            if key & self.shared or old.origins > key:
                self.relist(old.origins | key)
            self.augmenting.update(key)
            self.several(scope, target.id, self.elementwise(op, old, self.operand(value)))
        else:
            raise Unsupported("an augmented assignment to a list or a tuple", self.line)

    def _change(self, op: str, array: ListOf, value: Any) -> None:
        if op == "pow":
            raise Unsupported("a power in place", self.line)
        self._store_all(array, self.elementwise(op, self.as_small(array), self.operand(value)))

    def _store_all(self, array: ListOf, value: Any) -> None:
        """Write into all elements of an array, of numbers that are known by then."""
        n = array.shape[0]
        if isinstance(value, ListOf):
            value = self.as_small(value)
        parts = (value,) * (n or 0) if isinstance(value, str) else _parts(value)
        if array.kind is list or not array.is_vector or len(parts) != n or not all(isinstance(v, str) for v in parts):
            raise Unsupported("writing several numbers into such an array", self.line)
        if not array.fixed:
            self.program.lengths[array.measured] = n
        for i, v in enumerate(parts):
            self.emit(Store(array.var, (str(i),), v))

    def _changed(self, owner: Any) -> ListOf:
        """The list that is written into."""
        if isinstance(owner, Small | Display) and not owner.origins <= self.by_reference:
            self.relist(owner.origins)
        if not isinstance(owner, ListOf):
            raise Unsupported("writing into something else than an array or a list of numbers", self.line)
        return owner

    def changing_method(self, owner: Any, node: ast.Call) -> Static:
        """A method of a list, or one with arguments."""
        assert isinstance(node.func, ast.Attribute)
        if node.func.attr != "append" or len(node.args) != 1 or isinstance(owner, Small):
            raise Unsupported(f"the method {node.func.attr!r} of a list or an array", self.line)
        array = self._changed(owner)
        if array.kind is not list or self.iterating:
            raise Unsupported("append", self.line)
        self.emit(Append(array.var, self.number(node.args[0])))
        return Static(None)


def _key(scope: Scope, name: str) -> Names:
    return frozenset([(scope.function.__code__, name)])


def _parts(value: Any) -> tuple:
    return value.parts if isinstance(value, Small) else tuple(value) if isinstance(value, tuple) else ()
