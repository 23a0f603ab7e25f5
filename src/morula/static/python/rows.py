"""Lists of rows: of lists, tuples or arrays of numbers, which stand in them as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.ir import Again, Unsupported
from morula.static.python.scopes import READ_ONLY, Array, Display, ListOf, Named, Names, Small
from morula.static.python.texts import is_any_text
from morula.static.python.unsupported import NoRow

__all__ = ["Rows"]

WIDEST = 64  # numbers of an array that becomes a row
IN_A_LIST = frozenset([(None, "a list")])  # the name of arrays in lists


class Rows:
    """The part of a `front.Builder` that puts lists into lists.

    Attributes:
        of_rows: variables and comprehensions of such lists, with the type and the length of the first row.
        known_elsewhere: rows that stand for arrays, with the other variables that may have these.
    """

    of_rows: dict[Any, tuple[type, int | None]]
    known_elsewhere: dict[str, Names]
    line: int
    compute: Callable[..., str]
    share: Callable[..., None]
    listed: Callable[[Any], ListOf]
    append: Callable[[ListOf, str, bool], None]
    begin_list: Callable[[str], None]
    expect_texts: Callable[[Any], None]

    def list_of_rows(self, key: Any, values: tuple = ()) -> ListOf:
        """A new list of rows."""
        kind, width = self.of_rows[key]
        shape = (None, width if kind is np.ndarray else None)
        found = ListOf(self.compute("grid", f=list), shape, True, list, rows=kind, width=width)
        self.begin_list(found.var)
        for value in values:
            self.push(found, value, key)
        return found

    def push(self, array: ListOf, value: Any, key: Any, start: bool = False) -> None:
        """``array.append(value)``, or ``array.insert(0, value)`` at the `start`; `key` says which list it is."""
        if array.is_vector and isinstance(value, str):
            self.append(array, value, start)
            return
        if is_any_text(value):
            self.expect_texts(key)
        row = self._row(value)
        kind = self.of_rows.get(key, (None, None))[0]
        if array.is_vector:
            if kind is not None or key is None:
                raise Unsupported("a list of numbers and rows", self.line)
            self.of_rows[key] = tuple if row.rows is tuple else row.kind, row.shape[0] or row.width
            raise Again
        self.append(array, self._alike(array, row).var, start)

    def row_like(self, array: ListOf, value: Any) -> ListOf:
        """A row that may stand in a list of rows."""
        return self._alike(array, self._row(value))

    def _alike(self, array: ListOf, row: ListOf) -> ListOf:
        is_alike = array.rows is (tuple if row.rows is tuple else row.kind)
        if not is_alike or (array.rows is np.ndarray and row.shape[0] != array.shape[1]):
            raise Unsupported("a list of rows of several kinds", self.line)
        return row

    def _row(self, value: Any) -> ListOf:
        """A list that stands for a row."""
        if isinstance(value, ListOf) and value.is_vector and (value.kind is list or not value.measured):
            return value
        if isinstance(value, Display):
            return self.listed(value)
        if type(value) is tuple and value and all(isinstance(v, str) for v in value):
            return ListOf(self.compute("display", *value, f=list), (None,), True, list, rows=tuple, width=len(value))
        if isinstance(value, Small):
            return self._row_of(value, (len(value.parts),), "display", *value.parts)
        if isinstance(value, Array) and len(value.shape) == 1 and value.shape[0] <= WIDEST and not value.of:
            if value.dtype == np.float64 and not value.origins & READ_ONLY:
                return self._row_of(value, value.shape, "listed", value.atom)
        raise (NoRow if isinstance(value, Array | Named) else Unsupported)(
            "a list of something other than numbers", self.line
        )

    def _row_of(self, value: Small | Array, shape: tuple[int, ...], op: str, *atoms: str) -> ListOf:
        """A list of the numbers of an array, which stands in another list from now on as well."""
        self.share(value.origins | IN_A_LIST)
        row = ListOf(self.compute(op, *atoms, f=np.ndarray), shape, True)
        self.known_elsewhere[row.var] = value.origins
        return row
