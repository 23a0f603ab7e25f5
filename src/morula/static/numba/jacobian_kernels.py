"""Rows and columns of Jacobians from the kernels of one function."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.errors import NumbaError

from morula.static.numba.emit.many import blocks_text, columns_text, pushed_text, rows_by_joint_text, rows_text
from morula.static.numba.lanes import FEWEST, width_for
from morula.static.unsupported import Unsupported

Text = tuple[str, tuple[str, ...], dict[str, Any]]  # the functions, their names, what they name


class JacobianKernels:
    """The part of `Kernels` that makes Jacobians."""

    value_leaves: Any
    leaves: Any
    may_burst: bool
    dispatcher: Any
    read: Any
    active: tuple[bool, ...]
    plain: Any
    guarded: Any
    chained: Callable[..., tuple[Callable, ...]]
    _functions: Callable[[str], tuple[Callable, ...]]
    _text: Callable[[str], Text]

    def __init__(self) -> None:
        self._lanes: dict[tuple[str, int], Callable | None] = {}  # what they do, and how many there are
        self._faster: dict[tuple[int, int], Callable] = {}  # by the number of rows and of columns

    @cached_property
    def rows(self) -> Callable:
        """The compiled function ``(*args) -> (value, is_finite, Jacobians)`` that goes row by row."""
        return self._functions("rows")[-1] if self._functions("rows") else self._rows_by_joint()

    @cached_property
    def columns(self) -> Callable:
        """The same, column by column."""
        return self._functions("columns")[-1]

    def along(self, columns: int, args: tuple) -> Callable:
        """The same for so many columns: several at a time, where there is such code for arguments of these types."""
        return self._in_lanes("blocks", columns, args) or self.columns

    def pushed(self, args: tuple, directions: np.ndarray) -> Any:
        """The value for arguments of which one array moves, and its tangents along directions, one to a row.

        None where there is no code for several directions.
        """
        run = self._in_lanes("pushed", len(directions), (*args, directions))
        return None if run is None else run(*args, directions)

    def _in_lanes(self, which: str, number: int, given: tuple) -> Callable | None:
        """A function that follows several of so many directions at once, for arguments of these types."""
        if number < FEWEST:
            return None
        width = width_for(number, given)
        if (which, width) not in self._lanes:
            try:
                made = self._functions(f"{which}{width}")[-1]
                made.compile(tuple([numba.typeof(a) for a in given]))  # type: ignore[attr-defined]
                self._lanes[which, width] = made
            except (Unsupported, NumbaError):
                self._lanes[which, width] = None
        return self._lanes[which, width]

    def faster(self, rows: int, columns: int, args: tuple) -> Callable:
        """Whichever of both takes less for so many rows and columns."""
        made = self._faster.get((rows, columns))
        if made is None:
            made = self._faster[rows, columns] = self._chosen(rows, columns, args)
        return made

    def _chosen(self, rows: int, columns: int, args: tuple) -> Callable:
        blocks = -(-columns // width_for(columns, args))
        if rows <= (columns if columns < FEWEST else 2 * blocks):
            return self.rows
        made = self.along(columns, args)
        return self.rows if made is self.columns and rows <= columns else made

    def _jacobians(self, which: str) -> Text:
        """A text of rows or columns after what it calls; of no functions where there are no halves to call."""
        is_number = not self.value_leaves[0].is_array
        rows_of = "plain" if is_number else "split"
        lanes = which.lstrip("abcdefghijklmnopqrstuvwxyz")
        text, names, namespace = self._text(
            f"lanes{lanes}" if lanes else "tangent" if which == "columns" else rows_of,
        )
        if not names:
            return "", (), {}
        name = f"{self.read.form.name}_{which}"
        while name in namespace or name in names:
            name += "_"
        given = len(self.active), self._moving, is_number
        result: Any = self.read.representation().result
        if lanes and getattr(result.type, "dtype", result.type) != types.float64:
            raise Unsupported("lanes of a value that is not of doubles")  # their memory is another one
        if which == "rows":
            more = rows_text(name, names, *given, self.may_burst, getattr(result.type, "ndim", 0) == 1)
        elif which == "columns":
            more = columns_text(name, names[-1], *given)
        elif which.startswith("blocks"):
            more = blocks_text(name, names[-1], *given, int(lanes))
        else:
            more = pushed_text(name, names[-1], *given, int(lanes))
        return f"{text.rstrip()}\n\n\n{more}", (*names, name), namespace

    def _rows_by_joint(self) -> Callable:
        """Rows where there are no halves: each by the joint function, in the place of the second one."""
        text, names = rows_by_joint_text(len(self.active), self._moving)
        kernel = self.guarded if self.may_burst else self.plain
        return self.chained(text, names, {"kernel": kernel, "primal": self.dispatcher})[-1]

    @property
    def _moving(self) -> list[tuple[int, bool]]:
        return [(leaf.argument, leaf.is_array) for leaf in self.leaves]
