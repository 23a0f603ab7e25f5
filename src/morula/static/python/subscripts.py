"""What an index in brackets means: parts of arrays, numbers and arrays of them at known and at computed places."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.static.python.arrays import Arrays, indices
from morula.static.python.comprehensions import Given
from morula.static.python.forms import Form, Term
from morula.static.python.ir import Unsupported, is_name
from morula.static.python.plain_classes import dataclass
from morula.static.python.ruled_values import form_of
from morula.static.python.scopes import Array, Display, ListOf, Static
from morula.static.python.things import Rigid

__all__ = ["PLACES", "Subscripts", "is_listed_once", "items_of_index"]

PLACES = frozenset([np.dtype(np.int64), np.dtype(bool)])
Value = Any  # an atom or an `Array`


@dataclass(frozen=True)
class Window:
    """A slice of known length, by the atoms of its ends."""

    start: str
    stop: str
    length: int


class Subscripts(Arrays):
    """The part of a `front.Builder` that reads indices of arrays."""

    values_of_input: dict[str, np.ndarray]
    once: dict[str, str]
    as_array: Callable[[Any], Array]
    constant: Callable[[Any], Any]
    is_outside: Callable[[str], bool]
    made: Callable[..., Any]
    number_of: Callable[[str], Any]
    integers_of: Callable[[Any], Array | None]
    observed_integer: Callable[[str], int | None]
    tried: Callable[[Callable, Sequence[Value]], Any]
    view: Callable[[Array, Any], Any]

    def is_index_array(self, node: ast.expr) -> bool:
        """Whether an index is an array or a list, as far as that can be seen without reading it."""
        if isinstance(node, ast.List) or (isinstance(node, Given) and isinstance(node.value, Array)):
            return True
        if not isinstance(node, ast.Name):
            return False
        scope = self.scopes[-1]
        found = scope.bound.get(node.id)
        if found is None and self.is_outside(node.id) and scope.outer is None:
            found = self.value(node)
        return isinstance(found, ListOf | Array | Display)

    def read_part(self, x: Array, node: ast.expr) -> Any:
        """What an index in brackets gives."""
        return self.read(x, *self._indices(node))

    def _indices(self, node: ast.expr) -> tuple[list, bool]:
        """The items of an index in brackets, and whether it is a tuple."""
        is_tuple = isinstance(node, ast.Tuple) or (isinstance(node, ast.Constant) and type(node.value) is tuple)
        found = [self._index(i) for i in indices(node)]
        if len(found) == 1 and isinstance(found[0], tuple):
            return list(found[0]), True
        return found, is_tuple

    def _index(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            if (window := self._window(node)) is not None:
                return window
            ends = [None if e is None else self.constant(self.value(e)) for e in (node.lower, node.upper, node.step)]
            if any(type(e) not in (int, type(None)) for e in ends):
                raise Unsupported("a slice of another kind", self.line)
            return slice(*ends)
        value = self.value(node)
        if isinstance(value, Array) and value.dtype in PLACES:
            return value
        if self.is_index_array(node):
            if isinstance(value, Display):
                return self._places_listed(value)
            if isinstance(value, ListOf) and value.kind is list and (found := self.integers_of(value)) is not None:
                return found
            found = self.as_array(value)
            if found.dtype in PLACES:
                return found
        if isinstance(value, tuple) and all(isinstance(v, Array) and v.dtype == np.int64 for v in value):
            return value
        if isinstance(value, Static) and (value.value is None or value.value is Ellipsis):
            return value.value
        if isinstance(value, Display):
            return self._places_listed(value)
        if isinstance(value, ListOf) and value.kind is list and (found := self.integers_of(value)) is not None:
            return found
        if not isinstance(value, str):
            raise Unsupported("an index of another kind", self.line)
        return value

    def _places_listed(self, value: Display) -> Any:
        """A list of places: of constants, or an array of those that are computed."""
        if all(isinstance(v, str) and (not is_name(v) or self.number_of(v) is not None) for v in value):
            return [self.constant(v) for v in value]
        found = self.integers_of(value)
        if found is None:
            raise Unsupported("an index of another kind", self.line)
        return found

    def _window(self, node: ast.Slice) -> Window | None:
        """A slice of known length that begins anywhere, such as ``i - 1 : i + 2``."""
        if node.lower is None or node.upper is None or node.step is not None:
            return None
        ends = [self.value(e) for e in (node.lower, node.upper)]
        if not all(isinstance(e, str) for e in ends) or all(self.number_of(e) is not None for e in ends):
            return None
        (one, start), (other, stop) = map(self._offset, ends)
        return Window(ends[0], ends[1], stop - start) if one == other and stop > start else None

    def _offset(self, atom: str) -> tuple[str, int]:
        """A number as another one and what is added to it."""
        s = self.computed.get(atom)
        if s is not None and s.op in ("add", "sub", "copy"):
            if s.op == "copy":
                return self._offset(s.args[0])
            more = self.number_of(s.args[1])
            if type(more) is int:
                base, offset = self._offset(s.args[0])
                return base, offset + (more if s.op == "add" else -more)
            if s.op == "add" and type(more := self.number_of(s.args[0])) is int:
                base, offset = self._offset(s.args[1])
                return base, offset + more
        return atom, 0

    def read(self, x: Array, index: list, is_tuple: bool) -> Any:
        """``x[i, a:b, None]``: an item for each part, an atom or a constant that is no number."""
        if any(isinstance(i, Array | list) for i in index):
            return self._gathered(x, index)
        operands, place, probe, ints = self._place(x, index, is_tuple)
        items = probe if isinstance(probe, tuple) else (probe,)
        if any(isinstance(i, Window) for i in index):
            return self._in_window(x, operands, place, probe, ints)
        is_all = all(p is None or p is Ellipsis or p == slice(None) for p in items)
        term = Term(f"{{z}}.reshape({x.shape})") if is_all else Term("{z}", index=place)
        if x.dtype.kind == "c" and not is_all:
            term = Term(f"complex_at({x.shape}, key[{place}], {{z}})")
        rest = (None,) * (len(operands) - 1)
        text = f"{{a0}}[{place}]"
        if len(x.shape) == 1 and type(probe) is int and x.dtype == np.float64:
            text = f"{{a0}}.item({place})"
        run = lambda a, *_: a[probe]
        found = self.made(
            run,
            text,
            operands,
            lambda shape: (term, *rest),
            may_be_single=True,
            ints=tuple(ints),
            is_complex=True,
        )
        return self.view(x, found)

    def _in_window(self, x: Array, operands: list, place: str, probe: Any, ints: list[int]) -> Any:
        """A part at places that are computed, which is shorter where it leaves the array: then the text is left."""
        run = lambda a, *_: a[probe]
        form = self.given(self.program.space, form_of(self.tried(run, operands)))
        terms = (Term("{z}", index=place), *(None,) * (len(operands) - 1))
        text = f"alike({{a0}}[{place}], {form})"
        return self.view(x, self.made(run, text, operands, lambda shape: terms, ints=tuple(ints)))

    def _gathered(self, x: Array, index: list) -> Any:
        """``x[i, numbers, :]``, of arrays or lists of integers, in which some may come twice."""
        if any(isinstance(i, Window) for i in index):
            raise Unsupported("an index of another kind", self.line)
        if any(isinstance(i, list) and not (i and all(type(k) is int for k in i)) for i in index):
            raise Unsupported("an index of another kind", self.line)
        operands, place, probe, ints = self._place(x, index, len(index) > 1)
        rest = (None,) * (len(operands) - 1)
        if any(isinstance(i, Array) and i.dtype == bool for i in index):
            return self._masked(x, operands, place, probe, ints)
        back = f"complex_at({x.shape}" if x.dtype.kind == "c" else f"scatter({self.program.zeros(x.shape)}"
        terms = (Term(f"{back}, key[{place}], {{z}})"), *rest)
        places = tuple([i for i, v in enumerate(operands) if i and isinstance(v, Array)])
        run = lambda a, *_: a[probe]
        return self.made(run, f"{{a0}}[{place}]", operands, lambda shape: terms, ints=tuple(ints), places=places,
                         is_complex=True)  # fmt: skip

    def _masked(self, x: Array, operands: list, place: str, probe: Any, ints: list[int]) -> Any:
        """``x[mask, i]``: as many numbers as there were when the text was made."""
        probe, at = self.with_mask(operands, probe)
        run = lambda a, *_: a[probe]
        form = self.given(self.program.space, form_of(self.tried(run, operands)))
        terms = (Term("{z}", index=place), *(None,) * (len(operands) - 1))
        text = f"alike({{a0}}[{place}], {form})"
        return self.made(run, text, operands, lambda shape: terms, ints=tuple(ints), places=(at,))

    def with_mask(self, operands: list, probe: Any) -> tuple[Any, int]:
        """An index like one with a mask, which selects as many as that does now; where it is among the operands."""
        items = probe if isinstance(probe, tuple) else (probe,)
        masks = [i for i, x in enumerate(operands) if i and isinstance(x, Array)]
        if len(masks) != 1 or operands[masks[0]].dtype != bool or any(isinstance(p, list) for p in items):
            raise Unsupported("an index of another kind", self.line)
        mask = self.mask_like(operands[masks[0]])
        return tuple([mask if isinstance(p, np.ndarray) else p for p in items]), masks[0]

    def mask_like(self, mask: Array) -> np.ndarray:
        """A mask that selects as many as this one does now; the text sees to it that it still does.

        It is this very one where that is known.
        """
        if (known := self.known_array(mask.atom)) is not None:
            return known
        text = f"int({self.given(self.program.space, np.count_nonzero)}({{a0}}))"
        form = Form(text, frozenset(["int"]), (None,), is_constant=True)
        n = self.observed_integer(self.compute("numpy", mask.atom, f=form))
        if n is None:
            raise Unsupported("an index of another kind", self.line)
        return np.arange(math.prod(mask.shape)).reshape(mask.shape) < n

    def known_array(self, atom: str) -> np.ndarray | None:
        """The array that an atom is for the arguments that the text is made for; None where it is not known."""
        while atom not in self.values_of_input:
            s = self.computed.get(atom)
            before = self.once.get(atom) or (s.args[0] if s is not None and s.op == "copy" else None)
            if before is None:
                return None
            atom = before
        return self.values_of_input[atom]

    def place(self, x: Array, node: ast.expr) -> tuple[list, str, Any, list[int]]:
        index, is_tuple = self._indices(node)
        if any(isinstance(i, Window) for i in index):
            raise Rigid("a slice that is written into, at a place that is no constant", self.line)
        return self._place(x, index, is_tuple)

    def _place(self, x: Array, index: list, is_tuple: bool) -> tuple[list, str, Any, list[int]]:
        """An array and the atoms in an index of it, the text of the index, one like it, and which must be integers."""
        operands: list[Value] = [x]
        texts: list[str] = []
        probes: list[Any] = []
        ints = []
        for item in index:
            if isinstance(item, str) and is_name(item):
                texts.append(f"{{a{len(operands)}}}")
                ints.append(len(operands))
                operands.append(item)
                probes.append(0)
            elif isinstance(item, Window):
                texts.append(f"{{a{len(operands)}}}:{{a{len(operands) + 1}}}")
                ints += [len(operands), len(operands) + 1]
                operands += [item.start, item.stop]
                probes.append(slice(0, item.length))
            elif isinstance(item, Array):
                texts.append(f"{{a{len(operands)}}}")
                operands.append(item)
                anywhere = np.zeros(item.shape, int)
                is_mask = item.dtype == bool
                example = self.known_array(item.atom)
                probes.append(np.ones(item.shape, bool) if is_mask else anywhere if example is None else example)
            elif isinstance(item, str):
                probes.append(ast.literal_eval(item))
                texts.append(item.strip("()"))
            else:
                probes.append(item)
                texts.append(_slice(item) if isinstance(item, slice) else repr(item).replace("Ellipsis", "..."))
        if any(type(p) not in (int, slice, type(None), type(Ellipsis), list, np.ndarray) for p in probes):
            raise Unsupported("an index of another kind", self.line)
        place = ", ".join(texts) + ("," if is_tuple and len(texts) == 1 else "")
        return operands, place, tuple(probes) if is_tuple or len(probes) > 1 else probes[0], ints


def _slice(s: slice) -> str:
    parts = ["" if v is None else str(v) for v in (s.start, s.stop)]
    return ":".join(parts + ([] if s.step is None else [str(s.step)]))


def items_of_index(probe: Any) -> tuple:
    return probe if isinstance(probe, tuple) else (probe,)


def is_listed_once(probe: Any, shape: tuple[int, ...]) -> bool:
    """Whether an index is a list of places of which none comes twice, alone or beside integers and slices."""
    listed = [(p, n) for p, n in zip(items_of_index(probe), shape, strict=False) if isinstance(p, list)]
    if len(listed) != 1 or not all(isinstance(p, int | slice | list) for p in items_of_index(probe)):
        return False
    places, n = listed[0]
    return len({i % n for i in places}) == len(places)
