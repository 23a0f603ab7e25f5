"""Writing into arrays and lists: their items, all of them, and slices, which give the variable another array."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.static.python.arrays import indices
from morula.static.python.comprehensions import Given
from morula.static.python.forms import Term, summed
from morula.static.python.ir import Again, Loop, Store, Unsupported, is_name
from morula.static.python.lists import is_all, is_ellipsis, parts_of
from morula.static.python.new_lists import NewLists, is_list
from morula.static.python.scopes import MOST, Array, Display, ListOf, Names, Small, key_of
from morula.static.python.sharing import slot_name
from morula.static.python.subscripts import is_listed_once, items_of_index
from morula.static.python.things import OfFew, Thing
from morula.transform.syntax import walk

__all__ = ["Writes", "is_alike"]

Plain = int | slice | np.ndarray  # in an index, each for an axis of its own
MOST_PUT = 2000  # numbers of an array of which each write makes a new one
DEEP = 20  # operations that are looked at to find out of what type a number is
WHOLE = frozenset(["int", "np.int64"])
REAL = WHOLE | {"float", "np.float64"}
FEW = 16  # rows of such an array, however long they are


class Writes(NewLists):
    """The part of a `front.Builder` that writes into arrays and lists."""

    types_now: Callable[..., frozenset[str]]
    key: Callable[[ast.expr], Any]
    index: Callable[[ast.expr], ast.expr]
    block: Callable[[Sequence[ast.stmt]], str]
    _unused: Callable[[str], str]
    in_order: Callable[[ast.Call], Any]
    _extend: Callable[[ast.expr, ast.expr, ListOf], None]
    key_in: Callable[[Thing, ast.expr], Any]
    set_in_place: Callable[[Thing, Any, Any], None]
    alone_in_slot: Callable[[Thing, Any, Any], None]
    hands_back: bool
    slots_set: list[Names]  # all that has been assigned to

    def store(self, target: ast.Subscript, value: Any) -> None:
        """``owner[index] = value``."""
        before, owner, target = len(self.slots_set), self.value(target.value), self._with_slices(target)
        self._by_slices(target, owner)
        if self._is_put(target, owner):
            self._put(target, owner, value)
            return
        if (slot := self._slot_of(target.value, owner)) is not None:
            self._put_in_slot(slot, owner, target, value, before)
            return
        array, place = self._changed(owner, target.slice), self.places(target.slice, self._owner_of(target))
        if isinstance(value, Array | ListOf) and 0 < len(place) < len(array.shape):
            self._by_rows(array, target, array.shape[len(place)])
        if len(place) == len(array.shape):
            self.emit(Store(array.var, place, self.only_number(value)))
        elif place and array.kind is list and array.rows is not None:
            self._store_row(array, place[0], value)
        else:
            self._store_all(self.part(array, *place) if place else array, value)

    def store_augmented(self, operator: ast.operator, target: ast.Subscript, value: ast.expr) -> None:
        """``owner[index] += value``."""
        before, owner, target = len(self.slots_set), self.value(target.value), self._with_slices(target)
        self._by_slices(target, owner)
        if self._is_put(target, owner):
            if isinstance(operator, ast.Add | ast.Sub):
                self._put(target, owner, self.value(value), "+" if isinstance(operator, ast.Add) else "-")
                return
            mask, x = self._mask_of(target.slice, owner), self.value(value)
            if mask is not None and isinstance(x, str):
                self._put_where(target, owner, mask, self.operated(operator, self.as_array(owner), x))
            else:
                old = self.read_part(self.as_array(owner), target.slice)
                self._put(target, owner, self.operated(operator, old, self.operand(x)))
            return
        if (slot := self._slot_of(target.value, owner)) is not None:
            if isinstance(owner, Small):
                old = self.only_number(self._part_of_small(owner, target.slice))
            else:
                old = self.read_part(owner, target.slice)
            found = self.operated(operator, old, self.operand(self.value(value)))
            self._put_in_slot(slot, owner, target, found, before)
            return
        array, place = self._changed(owner, target.slice), self.places(target.slice, self._owner_of(target))
        old = self.part(array, *place) if place else array
        if place and isinstance(old, ListOf) and not old.is_short:
            self._by_rows(array, target, old.shape[0])
        if isinstance(old, str):
            self.emit(Store(array.var, place, self.operated(operator, old, self.number(value))))
        else:
            self._change(operator, old, self.value(value))

    def _with_slices(self, target: ast.Subscript) -> ast.Subscript:
        """A place with the slices written out that its index has from elsewhere."""
        index = self.index(target.slice)
        if index is target.slice:
            return target
        return ast.copy_location(ast.Subscript(target.value, index, target.ctx), target)

    def augmented(self, target: ast.Name, operator: ast.operator, old: Any, value: Any) -> None:
        """``target += value`` for an array."""
        scope = self.scopes[-1]
        if isinstance(operator, ast.Add) and is_list(old) and is_list(value):
            array = self._changed(old)
            self._extend(ast.copy_location(ast.Name(target.id, ast.Load()), target), Given(value), array)
            return
        if isinstance(operator, ast.Pow) or isinstance(old, tuple) or self.defining:
            raise Unsupported("such an augmented assignment", self.line)
        if isinstance(old, ListOf) and scope.bound.get(target.id) is not old and not old.measured:
            raise Unsupported("an augmented assignment to a variable that may not be bound", self.line)
        if isinstance(old, ListOf) and old.measured:
            self.relist(key_of(scope, target.id))
        if isinstance(old, ListOf):
            self._change(operator, old, value)
        elif isinstance(old, Small | Array):
            self._alone(scope, target.id, old)
            found = self.operated(operator, old, self.operand(value))
            if not (isinstance(found, Small) if isinstance(old, Small) else is_alike(old, found)):
                raise Unsupported("an augmented assignment of another shape or type", self.line)
            self.several(scope, target.id, found)
        else:
            raise Unsupported("an augmented assignment to such a thing", self.line)

    def _change(self, operator: ast.operator, array: ListOf, value: Any) -> None:
        if array.kind is np.ndarray and not array.is_short:
            whole = self.as_array(array)
            self._store_array(array, whole, self.operated(operator, whole, self.operand(value)))
            return
        if isinstance(operator, ast.Pow) or array.kind is list:
            raise Unsupported("such a change of an array in place", self.line)
        self._store_all(array, self.operated(operator, self.as_small(array), self.operand(value)))

    def _store_all(self, array: ListOf, value: Any) -> None:
        """Write into all elements of an array, of numbers that are known by then."""
        n = array.shape[0]
        if isinstance(value, ListOf):
            value = self.one_form(value)
        if isinstance(value, Array) and value.shape == (n,) and array.is_short:
            value = tuple([self.read(value, [str(i)], False) for i in range(n or 0)])
        if isinstance(value, str) and array.is_vector and array.kind is not list and not array.is_short:
            self._fill(array, value)
            return
        parts = (value,) * (n or 0) if isinstance(value, str) else parts_of(value)
        if array.kind is list or not array.is_short or len(parts) != n or not all(isinstance(v, str) for v in parts):
            raise Unsupported("writing several numbers into such an array", self.line)
        if not array.fixed:
            self.program.lengths[array.measured] = n
        for i, v in enumerate(parts):
            self.emit(Store(array.var, (str(i),), v))

    def _store_array(self, array: ListOf, whole: Array, value: Any) -> None:
        """Write an array of the shape of the `whole` into one that is a list, number by number."""
        if not is_alike(whole, value) or len(whole.shape) > 2:
            raise Unsupported("such a change of an array in place", self.line)
        found = ListOf(self.compute("listed", value.atom, f=np.ndarray), whole.shape, True)
        out, place = self.out, []
        for n in whole.shape:
            loop = Loop(self.fresh("i"), (str(n),))
            self.emit(loop)
            self.out = loop.body
            place.append(str(loop.var))
        self.emit(Store(array.var, tuple(place), self.compute("index", found.var, *place)))
        self.out = out

    def _fill(self, array: ListOf, value: str) -> None:
        """Write one number into all elements of an array of any length."""
        loop = Loop(self.fresh("i"), (self.length(array),))
        value = self.held(value)
        self.emit(loop)
        out, self.out = self.out, loop.body
        self.emit(Store(array.var, (str(loop.var),), value))
        self.out = out

    def _by_slices(self, target: ast.Subscript, owner: Any) -> None:
        """Have the variable of a complex array, which is no list of the text, hold a new one at each write."""
        name = self._owner_of(target)
        if isinstance(owner, Array) and owner.dtype.kind == "c" and name is not None and name not in self.by_slices:
            self.by_slices.add(name)
            raise Again

    def _by_rows(self, array: ListOf, target: ast.Subscript, width: int | None) -> None:
        """Make an array of few numbers that rows are written into a new one at each write, unless they are short."""
        owner = self._owner_of(target)
        is_short = width is not None and width <= MOST
        if owner is not None and not is_short and array.kind is not list and not array.measured:
            if None in array.shape and not self.by_length:
                self.by_length = True
                raise Again
            are_few = (array.shape[0] or MOST_PUT) <= FEW or math.prod([n or MOST_PUT for n in array.shape]) < MOST_PUT
            if are_few and owner not in self.by_slices:
                self.by_slices.add(owner)
                raise Again

    def _changed(self, owner: Any, index: ast.expr | None = None) -> ListOf:
        """The list that is written into."""
        if isinstance(owner, Small | Display | Array) and not owner.origins <= self.by_reference:
            self.relist(owner.origins)
        if not isinstance(owner, ListOf) or (owner.is_vector and owner.rows is tuple):
            raise Unsupported("writing into something other than an array or a list of numbers", self.line)
        if owner.kind is list and isinstance(index, ast.Tuple):
            raise Unsupported("an index of a list that is no integer", self.line)
        return owner

    def places(self, node: ast.expr, owner: Any = None) -> tuple[str, ...]:
        """An index, without what says that all elements are meant."""
        nodes = indices(node)
        while nodes and is_all(nodes[-1]):
            nodes = nodes[:-1]
        has_slices = any(isinstance(n, ast.Slice) or is_ellipsis(n) for n in nodes)  # which may be from a variable
        values = [] if has_slices else [self.value(n) for n in nodes]
        if has_slices or (owner is not None and any(isinstance(v, Array | Small | ListOf | tuple) for v in values)):
            if owner is None or owner in self.by_slices:
                where = "into a slice of an array that has several names" if has_slices else "at places of another kind"
                raise Unsupported(f"writing {where}", self.line)
            self.by_slices.add(owner)
            raise Again
        return tuple(map(self.only_number, values))

    def _owner_of(self, target: ast.Subscript) -> Any:
        """The variable of an array that is written into."""
        return (self.scopes[-1].function.__code__, target.value.id) if isinstance(target.value, ast.Name) else None

    def _is_put(self, target: ast.Subscript, owner: Any) -> bool:
        if isinstance(owner, ListOf):
            return False
        name, scope = target.value.id if isinstance(target.value, ast.Name) else "", self.scopes[-1]
        code = scope.function.__code__
        if scope.outer is not None and name in code.co_freevars:
            self.make_cell(scope, name)
        is_put = (code, name) in self.by_slices
        if isinstance(owner, Array) and not is_put and name in scope.lent and owner.origins <= self.by_reference:
            self.put_by_slices(key_of(scope, name))
        return is_put

    def _put(self, target: ast.Subscript, owner: Any, value: Any, sign: str = "") -> None:
        """Give the variable an array that is the old one but for a part, to which `value` is added with a sign."""
        assert isinstance(target.value, ast.Name)
        scope, name = self.scopes[-1], target.value.id
        if isinstance(owner, Small):
            raise OfFew("slices of an array of few numbers that is written into", self.line)
        if isinstance(owner, Array):
            self._alone(scope, name, owner)
        found = self._put_into(owner, target.slice, value, sign, is_over=is_ellipsis(target.slice) and not sign)
        self.several(scope, name, found)

    def _mask_of(self, node: ast.expr, owner: Any) -> Array | None:
        """An array of truth values that is an index."""
        if not isinstance(owner, Array) or not isinstance(node, ast.Compare | ast.Name | ast.BinOp | ast.UnaryOp):
            return None
        mask = self.value(node)
        is_mask = isinstance(mask, Array) and mask.dtype == bool and mask.shape == owner.shape
        return mask if is_mask else None

    def _put_where(self, target: ast.Subscript, owner: Array, mask: Array, new: Any) -> None:
        """Give the variable the new array where the mask says so, and the old one elsewhere."""
        assert isinstance(target.value, ast.Name)
        found = self.numpy_call(np.where, [mask, new, owner], {})
        if not is_alike(owner, found):
            raise Unsupported("a change of an array in place to one of another type", self.line)
        self._alone(self.scopes[-1], target.value.id, owner)
        self.several(self.scopes[-1], target.value.id, found)

    def _slot_of(self, node: ast.expr, owner: Any) -> tuple[Thing, Any] | None:
        """The object and the attribute that an array is read from, or the list and the index; None for a variable."""
        if not isinstance(node, ast.Attribute | ast.Subscript) or not isinstance(owner, Array | Small):
            return None
        if any(isinstance(n, ast.Call) for n in walk(node)):
            return None
        thing = self.value(node.value)
        if not isinstance(thing, Thing):
            return None
        key = node.attr if isinstance(node, ast.Attribute) else self.key_in(thing, node.slice)
        self.alone_in_slot(thing, key, owner)
        return thing, key

    def _put_in_slot(self, slot: tuple[Thing, Any], owner: Any, target: ast.Subscript, value: Any, before: int) -> None:
        """Give a slot the array that it has held since `before` slots were assigned to, with `value` in a part."""
        found = self._put_into(owner, target.slice, value)
        if slot_name(*slot) in self.slots_set[before:]:
            raise Unsupported("an item of an array, in whose place the statement puts another one", self.line)
        self.set_in_place(*slot, found)

    def _part_of_small(self, owner: Small, node: ast.expr) -> str:
        i = self.key(node)
        if type(i) is not int or not -len(owner.parts) <= i < len(owner.parts):
            raise OfFew("an item of an array of few numbers that is not the same each time", self.line)
        return owner.parts[i]

    def _put_into(self, owner: Any, index: ast.expr, value: Any, sign: str = "", is_repeated: bool = False,
                  is_over: bool = False) -> Any:  # fmt: skip
        """The array that is the old one but for a part, to which `value` is added with a sign.

        The places are several ones; `is_repeated`, some may come twice, and all are added; `is_over`, nothing is left
        of the old one, on which the new one does not even depend.
        """
        if isinstance(owner, Small):
            self._part_of_small(owner, index)  # there is one
            parts = list(owner.parts)
            parts[int(self.key(index))] = self.compute("element", self.only_number(value))
            return self.together(parts)
        is_flag = isinstance(owner, Array) and owner.dtype == bool and not sign and _is_flag(value)
        is_whole = isinstance(owner, Array) and owner.dtype == np.int64 and self._is_whole(value)
        is_into_complex = isinstance(owner, Array) and owner.dtype.kind == "c" and self._fits_complex(value)
        is_fine = isinstance(owner, Array) and (owner.dtype == np.float64 or is_flag or is_whole or is_into_complex)
        if not isinstance(owner, Array) or not is_fine or self.defining:
            raise Unsupported("writing into such an array by slices", self.line)
        if owner.dtype == np.float64 and isinstance(value, tuple) and value and all(isinstance(v, str) for v in value):
            value = self.packed(self._as_floats(value), (len(value),))
        value = value if isinstance(value, str) else self.as_array(value)
        operands, place, probe, ints = self.place(owner, index)
        places = tuple([i for i, x in enumerate(operands) if i and isinstance(x, Array)])
        at = [operands[i] for i in places if operands[i].dtype == np.int64]
        is_listed = is_listed_once(probe, owner.shape)
        is_one = (
            len(at) == len(places) == 1
            and len(at[0].shape) == 1
            and all(isinstance(p, Plain) for p in items_of_index(probe))
        )
        are_several = len(at) == len(owner.shape) > 1 and place == ", ".join([f"{{a{i}}}" for i in places])
        is_one |= are_several
        if ("[" in place.replace("{a", "") and not is_listed) or (at and not (is_repeated or is_one)):
            raise Unsupported("writing at places of which some may come twice", self.line)
        if is_repeated and (not at or len(at) < len(operands) - 1):
            raise Unsupported("adding at places of another kind", self.line)
        if places and not at and not isinstance(value, str):
            probe, _ = self.with_mask(operands, probe)
        try:
            part = np.shape(self.sample(owner)[probe])
            np.broadcast_to(self.sample(value), part)
        except (ValueError, IndexError):
            raise Unsupported("a value of another shape than the slice that it is written into", self.line) from None
        v = f"{{a{len(operands)}}}"
        of_value = summed("-{z}" if sign == "-" else "{z}", part, np.shape(self.sample(value))).replace(
            "{z}", f"{{z}}[{place}]"
        )
        if not part:
            of_value = f"{'-' * (sign == '-')}{{z}}.item({place})"
        if is_into_complex and not (isinstance(value, Array) and value.dtype.kind == "c"):
            of_value = of_value.replace(f"[{place}]", f"[{place}].real") if part else f"{of_value}.real"
        of_old = Term("{z}", of_number="number") if sign else Term(f"without({{z}}, key[{place}])")
        if is_over and self.hands_back:
            raise Unsupported("writing over a whole array in a part: nothing is sent to what it held", self.line)
        terms = (None if is_over else of_old, *[None] * (len(operands) - 1), Term(of_value))
        written = place
        if at and not is_repeated:
            if are_several:
                written = f"once(({place}), {owner.shape})"
            else:
                n = next(
                    n for n, p in zip(owner.shape, items_of_index(probe), strict=False) if isinstance(p, np.ndarray)
                )
                named = f"{{a{places[0]}}}"
                written = place.replace(named, f"once(({named},), ({n},))[0]")
        how = "_add" if sign == "+" else "_sub" if sign else ""
        text = f"put{'_each' * is_repeated}{how}({{a0}}, key[{written}], {v})"

        def run(x: Any, *rest: Any) -> Any:
            x = x.copy()
            x[probe] = rest[-1]
            return x

        if isinstance(value, Array) and value.dtype != owner.dtype and not is_into_complex:
            raise Unsupported("writing integers into an array of floats", self.line)
        return self.made(run, text, [*operands, value], lambda shape: terms, ints=tuple(ints), places=places,
                         is_complex=True)  # fmt: skip

    def _fits_complex(self, value: Any) -> bool:
        """Whether something can be written into an array of complex numbers; a number has to be real."""
        if isinstance(value, str) and is_name(value):
            self.program.relied_on.append((value, REAL))
        return isinstance(value, str) or (isinstance(value, Array) and value.dtype.kind in "fc")

    def _is_whole(self, value: Any) -> bool:
        """Whether something is an integer, or an array of integers."""
        if isinstance(value, str):
            return not self.is_wanted(value) and self.types_now(value, DEEP, True) <= WHOLE
        return isinstance(value, Array) and value.dtype == np.int64

    def _store_row(self, array: ListOf, place: str, value: Any) -> None:
        """``rows[i] = row`` for a list of rows."""
        row = self.row_like(array, self.held(value))
        self.emit(Store(array.var, (place,), row.var))
        self.reads = {}  # rows that were read before may be other ones


def _is_flag(value: Any) -> bool:
    return value in ("True", "False") if isinstance(value, str) else isinstance(value, Array) and value.dtype == bool


def is_alike(old: Array, found: Any) -> bool:
    return isinstance(found, Array) and found.shape == old.shape and found.dtype == old.dtype
