"""Sparse Jacobians and Hessians: the pattern from one run, a few products, and a check that they were enough."""

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.registry import where_active
from morula.errors import MorulaError
from morula.static.tiers.dispatch import is_dispatcher
from morula.verbs.colouring import column_colours, count, row_colours, star_colours, two_sided
from morula.verbs.compressed import Prepared, pushed, sums
from morula.verbs.constant_parts import Plan, Unplanned
from morula.verbs.gradients import _user_errors
from morula.verbs.hessian_operators import products
from morula.verbs.jacobians import FORWARD_RUN
from morula.verbs.sparsity import hessian_pattern, jacobian_pattern, refused
from morula.verbs.structure import Structure
from morula.verbs.taped import Taped

ndarray = np.ndarray
MODES = ("columns", "rows", "both", None)
NATIVE_RUN = 0.5  # sweeps back that take about as long as one run forward in compiled code


class SparseJacobian(Prepared):
    """The sparse Jacobian of a function, for many points: ``J(x)``.

    The pattern is found at the first point, from one run. From then on a point takes as many products as there are
    colours. Each evaluation checks itself with one more product, along a random direction; where the pattern no longer
    fits, it is found again at that point.

    Args:
        f: as for `jacobian_sparsity`: ``f(x, *args, **kwargs)``.
        pattern: a matrix of SciPy or an array, whose nonzeros are the entries. None means that it is found.
        mode: "columns" (products with directions), "rows" (products from the left), "both" (dense rows from the left
            and the rest by columns), or None for the one with the fewest products.
        order: of the colouring: "natural", "largest first", "smallest last", or None for the best of them.
        check: whether evaluations check themselves. Without the check, a pattern that does not fit gives wrong numbers.
        find_again: whether a pattern that does not fit is found again, rather than an error.

    Attributes:
        pattern, colours, found: as in `Prepared`.
        mode: the mode in use.

    Raises:
        MorulaError: there is no such mode or order; SciPy is not installed.
        ResultError: when called: the pattern does not fit, and must not be found again.

    >>> import numpy as np, morula
    >>> J = morula.SparseJacobian(lambda x: x[1:] * x[:-1])
    >>> J(np.array([1.0, 2.0, 3.0])).toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]])
    >>> J.colours, J.mode
    (2, 'rows')
    """

    def __init__(
        self, f: Callable, *, pattern: Any = None, mode: str | None = None, order: str | None = None,
        check: bool = True, find_again: bool = True,
    ):  # fmt: skip
        if mode not in MODES:
            raise MorulaError(f"the mode of a sparse Jacobian must be 'columns', 'rows', 'both' or None, not {mode!r}")
        self._asked = mode
        self.mode = mode or "columns"
        super().__init__(f, pattern, order, check, find_again)

    def _find(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
        return jacobian_pattern(self._f, x, args, kwargs, structure)

    def _colour(self) -> None:
        m, n = self.pattern.shape
        tried = {}
        if self._asked in ("columns", None):
            tried["columns"] = np.full(m, -1), column_colours(self.pattern, self._order)
        if self._asked in ("rows", None):
            tried["rows"] = row_colours(self.pattern, self._order), np.full(n, -1)
        if self._asked == "both" or (self._asked is None and is_uneven(self.pattern) and is_uneven(self.pattern.T)):
            tried["both"] = two_sided(self.pattern, self._order)
        forward = NATIVE_RUN if is_dispatcher(self._f) else FORWARD_RUN
        self.mode = min(tried, key=lambda name: forward * count(tried[name][1]) + count(tried[name][0]))
        self._rows, self._columns = tried[self.mode]
        self.colours = count(self._rows) + count(self._columns)
        i, j = self._places
        self._seeds = sums(self._rows, count(self._rows), np.dtype(float))
        self._directions = sums(self._columns, count(self._columns) + 1, np.dtype(float))  # the last one for the check
        # Where entries stand in all products in a row; those of rows with a colour in products from the left
        self._is_left = self._rows[i] >= 0
        self._at = np.where(self._is_left, self._rows[i] * np.intp(n) + j, self._columns[j] * np.intp(m) + i)
        self._plan: Plan | None = None
        self._constant: ndarray | None = None
        self._plans = 3  # tapes that may still be looked at for one

    def _values(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> tuple[ndarray, bool, bool]:
        m, n = self.pattern.shape
        misfit = np.zeros(self.pattern.nnz, structure.dtype), False, False
        if structure.size != n:
            return misfit
        rows, columns = len(self._seeds), len(self._directions) - 1
        checks_right = self._check and (columns > 0 or rows == 0)
        right = left = None
        fits, v = (True, True), None
        if columns or checks_right:
            given = self._directions.astype(structure.dtype, copy=False)
            if checks_right:
                v = given[-1] = self._direction(n, structure.dtype)
            right = pushed(self._f, x, args, kwargs, structure, given if checks_right else given[:-1])
            if right is None or right.shape[1] != m:
                return misfit
        if rows or (self._check and not checks_right):
            checks = self._check and not checks_right
            taped = Taped(self._f, (x, *args), kwargs, [structure], (0,))
            try:
                outs = taped.outs
                if outs.size != m:
                    return misfit
                if checks:
                    w = self._direction(m, outs.dtype)
                    product = structure.joined(taped.pull(outs.split(w)))
                    planned = self._planned(taped.tape)
                    if planned is not None:
                        if self._fits(planned, w, product, True)[0]:
                            return planned, True, True
                        self._plan = None
                left = np.empty((rows, n), structure.dtype)
                for k, seed in enumerate(self._seeds):
                    left[k] = structure.joined(taped.pull(outs.split(seed)))
                if checks:
                    data = self._entries(left, right, structure.dtype)
                    fits = self._fits(data, w, product, True)
                    if fits[0] and not columns and outs.dtype == float:
                        self._make_plan(taped, x)
                    return data, *fits
            finally:
                taped.close()
        data = self._entries(left, right, structure.dtype)
        if v is not None and right is not None:
            fits = self._fits(data, v, right[-1])
        return data, *fits

    def _entries(self, left: ndarray | None, right: ndarray | None, dtype: np.dtype) -> ndarray:
        """The entries, from the products from the left and from the right."""
        if left is None or right is None:
            products = right if left is None else left
            return np.zeros(0, dtype) if products is None else products.ravel().take(self._at)
        data = np.empty(len(self._at), dtype)
        data[self._is_left] = left.ravel().take(self._at[self._is_left])
        data[~self._is_left] = right.ravel().take(self._at[~self._is_left])
        return data

    def _planned(self, tape: list | None) -> ndarray | None:
        """The entries by the plan, where there is one that knows this tape; they have to be checked."""
        plan = self._plan
        if plan is None or self._constant is None or tape is None or not plan.fits(tape):
            return None
        try:
            with np.errstate(all="ignore"):
                data = plan.changes(tape).ravel().take(self._at)
        except Unplanned:
            return None
        data += self._constant
        return data

    def _make_plan(self, taped: Taped, x: Any) -> None:
        """Look for the constant part of the products, for the evaluations to come."""
        if self._plans and type(x) is ndarray and x.dtype == float:
            self._plans -= 1
            self._plan = Plan.of(taped.run, self._seeds)
            self._constant = None if self._plan is None else self._plan.constant.ravel().take(self._at)

    def __repr__(self) -> str:
        return f"<sparse Jacobian of {getattr(self._f, '__qualname__', self._f)!s}, {self.colours} colours>"


def is_uneven(pattern: Any) -> bool:
    """Whether some rows have many more entries than most."""
    sizes = np.diff(pattern.tocsr().indptr)
    return bool(sizes.max(initial=0) > 3 * sizes.mean() + 3) if len(sizes) else False


class SparseHessian(Prepared):
    """The sparse Hessian of a real function, for many points: ``H(x)``.

    As `SparseJacobian`, by products of the Hessian with directions, one for each colour of a star colouring.

    Args:
        f: as for `hessian_sparsity`.
        pattern, order, check, find_again: as for `SparseJacobian`; the pattern is symmetric.

    >>> import numpy as np, morula
    >>> H = morula.SparseHessian(lambda x: (x[1:] * x[:-1] ** 2).sum())
    >>> H(np.array([1.0, 2.0, 3.0])).toarray()
    array([[4., 2., 0.],
           [2., 6., 4.],
           [0., 4., 0.]])
    """

    def __init__(
        self, f: Callable, *, pattern: Any = None, order: str | None = None, check: bool = True, find_again: bool = True
    ):
        super().__init__(f, pattern, order, check, find_again)

    def _find(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
        return hessian_pattern(self._f, x, args, kwargs, structure)

    def _colour(self) -> None:
        p = self.pattern
        if p.shape[0] != p.shape[1] or (p != p.T).nnz:
            raise MorulaError("the pattern of a Hessian must be symmetric")
        colours = star_colours(p, self._order)
        i, j = self._places
        if not len(i):
            self._directions, self._given, self._at, self.colours = np.full(len(colours), -1), np.zeros((0, 0)), j, 0
            return
        n = count(colours)
        keys = i.astype(np.int64) * n + colours[j]
        found, where, counts = np.unique(keys, return_inverse=True, return_counts=True)
        alone = counts[where] == 1  # in the product of its column's colour no other entry of the row takes part
        self._from = np.where(alone, i, j), np.where(alone, colours[j], colours[i])
        turned = j.astype(np.int64) * n + colours[i]
        at = np.minimum(np.searchsorted(found, turned), len(found) - 1)
        if not np.all(alone | (found[at] == turned) & (counts[at] == 1)):
            raise AssertionError("a star colouring leaves an entry that stands alone nowhere")
        self.colours = n
        self._directions = colours
        self._given = np.zeros((0, 0))
        rows, of = self._from
        self._at = of * np.intp(len(colours)) + rows  # in all products, row by row

    def _values(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> tuple[ndarray, bool, bool]:
        n = self.pattern.shape[0]
        if structure.size != n:
            return np.zeros(self.pattern.nnz, structure.dtype), False, False
        f = (lambda x: self._f(x, *args, **kwargs)) if args else self._f
        if self._given.shape != (self.colours, n) or self._given.dtype != structure.dtype:
            self._given = sums(self._directions, self.colours, structure.dtype)
        v = self._direction(n, structure.dtype)
        found_products = products(f, x, {} if args else kwargs, [*self._given, v] if self._check else [*self._given])
        data = found_products.ravel().take(self._at) if len(self._at) else np.zeros(0, structure.dtype)
        return data, *(self._fits(data, v, found_products[-1]) if self._check else (True, True))

    def __repr__(self) -> str:
        return f"<sparse Hessian of {getattr(self._f, '__qualname__', self._f)!s}, {self.colours} colours>"


@_user_errors
def sparse_jacobian(f: Callable, x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Compute the Jacobian of a function with few entries in each row or column, as a sparse matrix.

    Args:
        f, x, args, kwargs: as for `jacobian_sparsity`. For options, or for several points, use `SparseJacobian`.

    Returns:
        A ``scipy.sparse.csr_array`` with a row for each number of the value and a column for each number of `x`, and
        an entry wherever the pattern has one.

    Raises:
        As `jacobian_sparsity`, and as `jacobian`.

    >>> import numpy as np, morula
    >>> morula.sparse_jacobian(lambda x: np.diff(x**2), np.array([1.0, 2.0, 3.0])).toarray()
    array([[-2.,  4.,  0.],
           [ 0., -4.,  6.]])
    """
    return SparseJacobian(f)(x, *args, **kwargs)


@_user_errors
def sparse_hessian(f: Callable, x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Compute the Hessian of a real function in which few pairs of numbers interact, as a sparse matrix.

    Args:
        f, x, args, kwargs: as for `hessian_sparsity`. For options, or for several points, use `SparseHessian`.

    Returns:
        A ``scipy.sparse.csr_array``; symmetric, but for rounding.

    Raises:
        As `hessian_sparsity`, and as `hessian`.

    >>> import numpy as np, morula
    >>> morula.sparse_hessian(lambda x: np.sum(np.diff(x) ** 4), np.array([1.0, 2.0, 4.0])).toarray()
    array([[ 12., -12.,   0.],
           [-12.,  60., -48.],
           [  0., -48.,  48.]])
    """
    return SparseHessian(f)(x, *args, **kwargs)


for _verb in (sparse_jacobian, sparse_hessian, SparseJacobian, SparseHessian):
    where_active(_verb)(refused)
