"""Matrices from compressed products: what sparse Jacobians and Hessians share.

Products along sums of unit directions hold several columns at once, where no row has an entry in two of them (Curtis,
Powell, Reid 1974; Coleman, Moré 1983). The pattern is that of the control flow that a run takes, so another point may
have another one. One more product, along a random direction, finds that out.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.errors import ResultError
from morula.verbs.curvature import Program
from morula.verbs.directional import jvp
from morula.verbs.gradients import _user_errors
from morula.verbs.hessians import real_structure
from morula.verbs.native_columns import native_columns
from morula.verbs.sparsity import real_result, scipy_sparse
from morula.verbs.structure import Structure

ndarray = np.ndarray


class Prepared:
    """What sparse Jacobians and Hessians share: a pattern with its colours, for as long as it fits.

    Attributes:
        pattern: a boolean ``scipy.sparse.csr_array``; None until it has been looked for.
        colours: how many products an evaluation takes; the check takes one more.
        found: how often a pattern has been looked for.
    """

    def __init__(self, f: Callable, pattern: Any, order: str | None, check: bool, again: bool):
        self._f = f
        self._order = order
        self._check = check
        self._again = again
        self._random = np.random.default_rng()
        self._drawn = np.zeros(0)
        self.pattern: Any = None
        self.colours = 0
        self.found = 0
        if pattern is not None:
            self._use(scipy_sparse().csr_array(pattern).astype(bool))

    def _use(self, pattern: Any) -> None:
        pattern = scipy_sparse().csr_array(pattern)
        pattern.sum_duplicates()
        pattern.sort_indices()
        self.pattern = pattern
        self._places = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr)), pattern.indices
        self._turned = pattern.T
        self._colour()

    def _colour(self) -> None:
        raise NotImplementedError

    def _find(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
        raise NotImplementedError

    def _values(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> tuple[ndarray, bool, bool]:
        """The entries; whether the pattern fits as far as rounding lets one see, and whether it may fit."""
        raise NotImplementedError

    @_user_errors
    def __call__(self, x: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The matrix at a point, as a ``scipy.sparse.csr_array``."""
        structure = real_structure(x, type(self).__name__)
        fresh = self.pattern is None
        if fresh:
            self._look(x, args, kwargs, structure)
        found, fits, may_fit = self._values(x, args, kwargs, structure)
        if not fits and not fresh:
            if not self._again:
                raise ResultError(
                    "the pattern of a sparse matrix does not fit at this point: a branch or an index has changed, "
                    "or the given pattern lacks entries. Set find_again=True, or do not pass a pattern"
                )
            self._look(x, args, kwargs, structure)
            found, fits, may_fit = self._values(x, args, kwargs, structure)
        if not may_fit:
            raise ResultError(
                "the pattern of a sparse matrix, found at this very point, contradicts a product: the function "
                "returns a different value when it runs again, or the pattern of a rule is wrong"
            )
        return self._matrix(found)

    def _look(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> None:
        self.found += 1
        self._use(self._find(x, args, kwargs, structure))

    def _matrix(self, data: ndarray) -> Any:
        """The matrix with these entries, which shares no memory with the pattern."""
        found = with_entries(self.pattern, data)
        found.indices, found.indptr = found.indices.copy(), found.indptr.copy()
        return found

    def _fits(self, data: ndarray, v: ndarray, want: ndarray, from_left: bool = False) -> tuple[bool, bool]:
        """Whether the matrix of these entries times `v` is `want`: as far as rounding lets one see, and in the main.

        `from_left`: whether it is ``v @ matrix`` instead.
        """
        found = with_entries(self._turned if from_left else self.pattern, data)
        limits = np.finfo(data.dtype)
        with np.errstate(all="ignore"):
            apart = found @ v
            apart -= want
            np.abs(apart, out=apart)
            size = abs(want)
            bound = limits.eps**0.6 * size
            bound += limits.tiny
            if (apart < bound).all():
                return True, True
            size += abs(found) @ abs(v)
            finite = np.isfinite(apart)
            if not finite.all():  # infinities and NaN hide what else a row may lack
                apart, size = apart[finite], size[finite]
            elif np.all(apart < limits.eps**0.6 * size + limits.tiny):
                return True, True
            return False, bool(np.all(apart <= limits.eps**0.25 * size + limits.tiny))

    def _direction(self, n: int, dtype: np.dtype) -> ndarray:
        """A random vector without small numbers: a stretch, chosen anew, of numbers that were drawn once."""
        if len(self._drawn) != 2 * n or self._drawn.dtype != dtype:
            drawn = self._random.uniform(-1.0, 1.0, 2 * n)
            self._drawn = (drawn + np.copysign(0.5, drawn)).astype(dtype, copy=False)
        start = int(self._random.integers(n + 1))
        return self._drawn[start : start + n]


def with_entries(pattern: Any, data: ndarray) -> Any:
    """A pattern with entries in the place of its own; the rest is shared."""
    found = copy.copy(pattern)
    found.data = data
    return found


def sums(colours: ndarray, number: int, dtype: np.dtype) -> ndarray:
    """For each colour the sum of the unit vectors that have it."""
    found = np.zeros((number, len(colours)), dtype)
    has = colours >= 0
    found[colours[has], np.flatnonzero(has)] = 1.0
    return found


def pushed(f: Callable, x: Any, args: tuple, kwargs: dict, structure: Structure, directions: ndarray) -> ndarray | None:
    """The derivatives of the numbers of the value along directions, one to a row: in one run where it can be recorded.

    None where the value of one run has another structure than that of another.
    """
    found = native_columns(f, x, args, kwargs, directions)
    if found is None:
        found = _recorded(f, x, args, kwargs, structure, directions)
    if found is not None:
        return found
    rows: list[ndarray] = []
    for v in directions:
        y, y_dot = jvp(f, (x, *args), (structure.tangent(structure.split(v)), *(None,) * len(args)), **kwargs)
        outs = real_result(y)
        rows.append(outs.joined(outs.parts(y_dot)))
        if len(rows[-1]) != len(rows[0]):
            return None
    return np.stack(rows)


def _recorded(
    f: Callable, x: Any, args: tuple, kwargs: dict, structure: Structure, directions: ndarray
) -> ndarray | None:
    parts = structure.values(x)
    if not parts or not all(type(p) is float or (type(p) is ndarray and p.dtype == float) for p in parts):
        return None
    program = Program.of(lambda *parts: f(structure.value(parts), *args, **kwargs), tuple(parts))
    if program is None or not isinstance(program.value, float | ndarray):
        return None
    ends = np.cumsum([0, *[leaf.size for leaf in structure.leaves]])
    given = [
        directions[:, start:end].reshape(len(directions), *leaf.shape).copy()  # the program may keep them
        for leaf, start, end in zip(structure.leaves, ends, ends[1:], strict=False)
    ]
    rows = program.push(given).reshape(len(directions), np.size(program.value))
    return rows if np.isfinite(rows).all() else None
