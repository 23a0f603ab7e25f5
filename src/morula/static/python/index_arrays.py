"""Calls of NumPy that give places: ``np.ix_``, ``np.triu_indices`` and its kin, and where a mask is true."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from morula.static.python.ir import Program
from morula.static.python.ruled_values import form_of
from morula.static.python.scopes import Array
from morula.static.python.things import is_known_list

__all__ = ["INDICES", "IndexArrays"]

FINDING = frozenset([np.where, np.nonzero, np.flatnonzero, np.argwhere])
INDICES = frozenset([np.triu_indices, np.tril_indices, np.diag_indices, np.ix_])
OF_ARRAY = {  # the same for an array of that shape
    np.triu_indices_from: np.triu_indices, np.tril_indices_from: np.tril_indices, np.diag_indices_from: np.diag_indices,
}  # fmt: skip


class IndexArrays:
    """The part of a `front.Builder` that reads them."""

    program: Program
    allowed: Callable[[Any], None]
    as_array: Callable[[Any], Array]
    constant: Callable[[Any], Any]
    spelled: Callable[[Any], str]
    given: Callable[[dict[str, Any], Any], str]
    number_of: Callable[[str], Any]
    sequence: Callable[[Any], tuple | None]
    integers_of: Callable[[Any], Array | None]
    mask_like: Callable[[Array], np.ndarray]
    reshaped: Callable[..., Any]
    made: Callable[..., Any]
    parts_of_integers: Callable[..., Any]

    def index_arrays(self, f: Any, args: list) -> Any:
        """What such a call gives; None for other calls."""
        if f in OF_ARRAY and len(args) == 1 and len(set(shape := self.as_array(args[0]).shape)) == 1:
            f, args = OF_ARRAY[f], [str(shape[0]), *[str(len(shape))] * (f is np.diag_indices_from)]
        if f in FINDING and len(args) == 1 and isinstance(args[0], Array) and args[0].dtype == bool:
            return self._found_places(f, args[0])
        if f not in INDICES:
            return None
        if f is np.ix_ and all(map(_is_vector_of_places, args := [self._places_of(x) for x in args])):
            shapes = [tuple([-1 if k == i else 1 for k in range(len(args))]) for i in range(len(args))]
            return tuple([
                self.reshaped(partial(np.reshape, shape=shape), x, f"{{a0}}.reshape({shape})")
                for x, shape in zip(args, shapes, strict=True)
            ])  # fmt: skip
        lists = [self.sequence(a) if f is np.ix_ else None for a in args]
        given = [self.constant(a if x is None else x) for a, x in zip(args, lists, strict=True)]
        text = f"{self.given(self.program.space, f)}({', '.join(map(self.spelled, given))})"
        return self.parts_of_integers(lambda: f(*given), text, [], f(*given))

    def _places_of(self, value: Any) -> Any:
        """The places along an axis: as they are if they are known, or an array of them."""
        parts = self.sequence(value) if is_known_list(value) else value
        if isinstance(parts, tuple) and all(isinstance(v, str) and self.number_of(v) is not None for v in parts):
            return value
        found = self.integers_of(parts)
        return value if found is None else found

    def _found_places(self, f: Any, mask: Array) -> Any:
        """``np.nonzero(mask)`` and its kin: as many places as there were when the text was made."""
        self.allowed(f)
        like = self.mask_like(mask)
        y, space = f(like), self.program.space
        text = f"{self.given(space, f)}({{a0}})"
        if not isinstance(y, np.ndarray):
            return self.parts_of_integers(lambda _: f(like), text, [mask], y)
        text = f"alike({text}, {self.given(space, form_of(y))})"
        return self.made(lambda _: f(like), text, [mask], lambda shape: (None,), is_constant=True)


def _is_vector_of_places(value: Any) -> bool:
    return isinstance(value, Array) and value.dtype == np.int64 and len(value.shape) == 1
