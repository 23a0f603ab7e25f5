"""Sparse Jacobians and Hessians: the pattern from one run, a few products, and a check that they were enough.

Products along sums of unit directions hold several columns at once, where no row has an entry in two of them (Curtis,
Powell, Reid 1974; Coleman, Moré 1983). The pattern is that of the control flow that a run takes, so another point may
have another one. One more product, along a random direction, finds that out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.registry import where_active
from morula.eager.forward.marks import Graph, marked
from morula.eager.forward.program import DerivedInside
from morula.errors import MorulaError, NotDifferentiable, ResultError
from morula.static.tiers.fallback import native_mode
from morula.verbs.colouring import column_colours, count, row_colours, star_colours, two_sided
from morula.verbs.curvature import Program
from morula.verbs.directional import jvp
from morula.verbs.gradients import _user_errors
from morula.verbs.hessians import HessianOperator, real_structure
from morula.verbs.jacobians import FORWARD_RUN
from morula.verbs.reached import hessian_entries, jacobian_entries
from morula.verbs.structure import Structure
from morula.verbs.taped import Taped

ndarray = np.ndarray
MODES = ("columns", "rows", "both", None)


def scipy_sparse() -> Any:
    """`scipy.sparse`, which only these verbs need."""
    try:
        from scipy import sparse
    except ImportError as error:
        raise MorulaError("sparse Jacobians and Hessians need SciPy: pip install scipy") from error
    return sparse


# -- patterns ---------------------------------------------------------------------------------------------------


@_user_errors
def jacobian_sparsity(f: Callable, x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Which numbers of a function's value depend on which numbers of its argument, as one run of it shows.

    Args:
        f: a function of any real result, as for `jacobian`.
        x: its first argument: a real number, an array of real numbers, or a structure of them.
        args, kwargs: passed on to `f`; constants.

    Returns:
        A boolean ``scipy.sparse.csr_array``: a row for each number of the value, a column for each number of `x`, in
        the order that `ravel` gives them. The pattern is that of the branches that are taken at `x`, whatever the
        numbers are: a product with 0 depends. It holds every entry of the Jacobian there, and may hold more: a function
        that has a rule without a declared pattern (a factorization, an integral) depends on all numbers that it is
        given.

    Raises:
        MorulaError: SciPy is not installed.
        NotDifferentiable: `x` is complex.
        ResultError: the value is.

    >>> import numpy as np, morula
    >>> morula.jacobian_sparsity(lambda x: x[1:] * x[:-1], np.ones(4)).astype(int).toarray()
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    return _jacobian_pattern(f, x, args, kwargs, real_structure(x, "jacobian_sparsity"))


@_user_errors
def hessian_sparsity(f: Callable, x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Which pairs of numbers of a real function's argument meet nonlinearly in its value, as one run of it shows.

    Args:
        f: a function that returns one real number.
        x, args, kwargs: as for `jacobian_sparsity`.

    Returns:
        A symmetric boolean ``scipy.sparse.csr_array``, with a row and a column for each number of `x`.

    Raises:
        As `jacobian_sparsity`; ResultError: the value is no real number.

    >>> import numpy as np, morula
    >>> morula.hessian_sparsity(lambda x: x[0] + (x[1:] * x[:-1]).sum(), np.ones(3)).astype(int).toarray()
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    return _hessian_pattern(f, x, args, kwargs, real_structure(x, "hessian_sparsity"))


def _run(f: Callable, x: Any, args: tuple, kwargs: dict, structure: Structure, second: bool) -> Any:
    """The value, its structure, the marks of its numbers, and the graph; None for marks where all of it is dense."""
    graph = Graph(structure.size, second)
    vector = np.arange(1.0, structure.size + 1)
    parts, start = [], 0
    for leaf in structure.leaves:
        part = vector[start : start + leaf.size].reshape(leaf.shape)
        parts.append(part if leaf.number is None else part.item())
        start += leaf.size
    marks: ndarray | None = None
    try:
        if any(structure.size >= 2 / np.finfo(leaf.dtype).eps for leaf in structure.leaves):
            raise NotDifferentiable("numbers of this precision cannot count the marks of the argument")
        with native_mode("never"):
            seeds = (structure.tangent(parts), *(None,) * len(args))
            y, y_marks = marked(f, (x, *args), seeds, kwargs, graph)
        outs = _real_result(y)
        found = outs.parts(y_marks)
        sizes = [leaf.count for leaf in outs.leaves]
        marks = np.concatenate(
            [np.zeros(0, int)]
            + [np.zeros(n, int) if p is None else np.ravel(p).astype(int) for p, n in zip(found, sizes, strict=True)]
        )
    except (DerivedInside, NotDifferentiable):
        y, _ = jvp(f, (x, *args), (None,) * (1 + len(args)), **kwargs)
        outs = _real_result(y)
    return y, outs, marks, graph


def _real_result(y: Any) -> Structure:
    outs = Structure(y, "the result")
    if any(leaf.is_complex for leaf in outs.leaves):
        raise ResultError("a sparse Jacobian of a complex result: return its real and imaginary parts")
    return outs


def _jacobian_pattern(f: Callable, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
    sparse = scipy_sparse()
    _, outs, marks, graph = _run(f, x, args, kwargs, structure, False)
    shape = outs.size, structure.size
    if marks is None:
        return sparse.csr_array(np.ones(shape, bool))
    rows, columns = jacobian_entries(graph, structure.size, marks)
    return sparse.csr_array((np.ones(len(rows), bool), (rows, columns)), shape=shape)


def _hessian_pattern(f: Callable, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
    sparse = scipy_sparse()
    y, outs, marks, graph = _run(f, x, args, kwargs, structure, True)
    if outs.size != 1 or np.ndim(y) != 0 or outs.leaves[0].path:
        raise ResultError("a Hessian is that of a function that returns one real number")
    n = structure.size
    if marks is None:
        return sparse.csr_array(np.ones((n, n), bool))
    return hessian_entries(graph, n, int(marks[0]))


# -- values -----------------------------------------------------------------------------------------------------


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
        self._colour()

    def _colour(self) -> None:
        raise NotImplementedError

    def _find(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
        raise NotImplementedError

    def _values(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> tuple[Any, bool, bool]:
        """The matrix; whether its pattern fits as far as rounding lets one see, and whether it may fit."""
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
                    "the pattern of a sparse matrix does not fit at this point: a branch or an index has changed, or "
                    "the pattern that was given lacks entries. Allow find_again=True, or leave the pattern out"
                )
            self._look(x, args, kwargs, structure)
            found, fits, may_fit = self._values(x, args, kwargs, structure)
        if not may_fit:
            raise ResultError(
                "the pattern of a sparse matrix, found at this very point, contradicts a product: the function gives "
                "another value when it runs again, or the pattern of a rule is wrong"
            )
        return found

    def _look(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> None:
        self.found += 1
        self._use(self._find(x, args, kwargs, structure))

    def _matrix(self, data: ndarray) -> Any:
        p = self.pattern
        return scipy_sparse().csr_array((data, p.indices.copy(), p.indptr.copy()), shape=p.shape)

    def _places(self) -> tuple[ndarray, ndarray]:
        """Row and column of every entry."""
        p = self.pattern
        return np.repeat(np.arange(p.shape[0]), np.diff(p.indptr)), p.indices

    def _fits(self, found: Any, v: ndarray, want: ndarray) -> tuple[bool, bool]:
        """Whether ``found @ v`` is `want`: as far as rounding lets one see, and in the main."""
        eps = np.finfo(found.dtype).eps
        with np.errstate(all="ignore"):
            size = abs(found) @ abs(v) + abs(want)
            apart = abs(found @ v - want)
            known = np.isfinite(apart)
            limit = np.finfo(found.dtype).tiny
            tight, loose = (bool(np.all(apart[known] <= eps**p * size[known] + limit)) for p in (0.6, 0.25))
        return tight, loose

    def _direction(self, n: int, dtype: np.dtype) -> ndarray:
        """A random vector without small numbers."""
        return (self._random.uniform(0.5, 1.5, n) * self._random.choice((-1.0, 1.0), n)).astype(dtype)


class SparseJacobian(Prepared):
    """The sparse Jacobian of a function, for many points: ``J(x)``.

    The pattern is found at the first point, from one run. From then on a point takes as many products as there are
    colours. Each evaluation checks itself with one more product, along a random direction; where the pattern no longer
    fits, it is found again at that point.

    Args:
        f: as for `jacobian_sparsity`: ``f(x, *args, **kwargs)``.
        pattern: a matrix of SciPy or an array, whose nonzeros are the entries. None: it is found.
        mode: "columns" (products with directions), "rows" (products from the left), "both" (dense rows from the left
            and the rest by columns), or None for what needs least.
        order: of the colouring: "natural", "largest first", "smallest last", or None for the best of them.
        check: whether evaluations check themselves. Without, a pattern that does not fit gives wrong numbers.
        find_again: whether a pattern that does not fit is found again, rather than an error.

    Attributes:
        pattern, colours, found: as in `Prepared`.
        mode: that which is used.

    Raises:
        MorulaError: there is no such mode or order; SciPy is not installed.
        ResultError: when called: the pattern does not fit, and must not be found again.

    >>> import numpy as np, morula
    >>> J = morula.SparseJacobian(lambda x: x[1:] * x[:-1])
    >>> J(np.array([1.0, 2.0, 3.0])).toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]])
    >>> J.colours, J.mode
    (2, 'columns')
    """

    def __init__(
        self, f: Callable, *, pattern: Any = None, mode: str | None = None, order: str | None = None,
        check: bool = True, find_again: bool = True,
    ):  # fmt: skip
        if mode not in MODES:
            raise MorulaError(f"the mode of a sparse Jacobian is 'columns', 'rows', 'both' or None, not {mode!r}")
        self._asked = mode
        self.mode = mode or "columns"
        super().__init__(f, pattern, order, check, find_again)

    def _find(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
        return _jacobian_pattern(self._f, x, args, kwargs, structure)

    def _colour(self) -> None:
        m, n = self.pattern.shape
        tried = {}
        if self._asked in ("columns", None):
            tried["columns"] = np.full(m, -1), column_colours(self.pattern, self._order)
        if self._asked in ("rows", None):
            tried["rows"] = row_colours(self.pattern, self._order), np.full(n, -1)
        if self._asked == "both" or (self._asked is None and is_uneven(self.pattern) and is_uneven(self.pattern.T)):
            tried["both"] = two_sided(self.pattern, self._order)
        cost = lambda pair: FORWARD_RUN * count(pair[1]) + count(pair[0])  # noqa: E731
        self.mode = min(tried, key=lambda name: cost(tried[name]))
        self._rows, self._columns = tried[self.mode]
        self.colours = count(self._rows) + count(self._columns)

    def _values(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> tuple[Any, bool, bool]:
        m, n = self.pattern.shape
        if structure.size != n:
            raise ResultError(f"the pattern has {n} columns, and the point has {structure.size} numbers")
        i, j = self._places()
        from_left = self._rows[i] >= 0
        data = np.zeros(len(i), structure.dtype)
        fits = True, True
        columns = count(self._columns)
        checks_right = self._check and (columns > 0 or not (self._rows >= 0).any())
        if columns or checks_right:
            directions = _sums(self._columns, columns, structure.dtype)
            v = self._direction(n, structure.dtype)
            given = np.concatenate((directions, v[None])) if checks_right else directions
            products = _pushed(self._f, x, args, kwargs, structure, given)
            if products is None or products.shape[1] != m:
                return self._matrix(data), False, False
            at = ~from_left
            data[at] = products[self._columns[j[at]], i[at]]
        rows = count(self._rows)
        if rows or (self._check and not checks_right):
            taped = Taped(self._f, (x, *args), kwargs, [structure], (0,))
            try:
                outs = taped.outs
                if outs.size != m:
                    return self._matrix(data), False, False
                dtype = outs.dtype
                pulled = [
                    structure.joined(taped.pull(outs.split(w))) for w in _sums(self._rows, rows, dtype)
                ]
                if rows:
                    data[from_left] = np.stack(pulled)[self._rows[i[from_left]], j[from_left]]
                found = self._matrix(data)
                if self._check and not checks_right:
                    w = self._direction(m, dtype)
                    fits = self._fits(found.T, w, structure.joined(taped.pull(outs.split(w))))
            finally:
                taped.close()
        found = self._matrix(data)
        if checks_right:
            fits = self._fits(found, v, products[-1])
        return found, *fits

    def __repr__(self) -> str:
        return f"<sparse Jacobian of {getattr(self._f, '__qualname__', self._f)!s}, {self.colours} colours>"


def is_uneven(pattern: Any) -> bool:
    """Whether some rows have many more entries than most."""
    sizes = np.diff(pattern.tocsr().indptr)
    return bool(sizes.max(initial=0) > 3 * sizes.mean() + 3) if len(sizes) else False


def _sums(colours: ndarray, number: int, dtype: np.dtype) -> ndarray:
    """For each colour the sum of the unit vectors that have it."""
    found = np.zeros((number, len(colours)), dtype)
    has = colours >= 0
    found[colours[has], np.flatnonzero(has)] = 1.0
    return found


def _pushed(
    f: Callable, x: Any, args: tuple, kwargs: dict, structure: Structure, directions: ndarray
) -> ndarray | None:
    """The derivatives of the numbers of the value along directions, one to a row: in one run where it can be recorded.

    None where the value of one run has another structure than that of another.
    """
    found = _recorded(f, x, args, kwargs, structure, directions)
    if found is not None:
        return found
    rows: list[ndarray] = []
    for v in directions:
        y, y_dot = jvp(f, (x, *args), (structure.tangent(structure.split(v)), *(None,) * len(args)), **kwargs)
        outs = _real_result(y)
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
        directions[:, start:end].reshape(len(directions), *leaf.shape)
        for leaf, start, end in zip(structure.leaves, ends, ends[1:], strict=False)
    ]
    rows = program.push(given).reshape(len(directions), np.size(program.value))
    return rows if np.isfinite(rows).all() else None


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
        return _hessian_pattern(self._f, x, args, kwargs, structure)

    def _colour(self) -> None:
        p = self.pattern
        if p.shape[0] != p.shape[1] or (p != p.T).nnz:
            raise MorulaError("the pattern of a Hessian must be symmetric")
        colours = star_colours(p, self._order)
        i, j = self._places()
        if not len(i):
            self._directions, self._from, self.colours = np.full(len(colours), -1), (i, j), 0
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
        self._directions = colours
        self.colours = n

    def _values(self, x: Any, args: tuple, kwargs: dict, structure: Structure) -> tuple[Any, bool, bool]:
        n = self.pattern.shape[0]
        if structure.size != n:
            raise ResultError(f"the pattern has {n} columns, and the point has {structure.size} numbers")
        operator = HessianOperator(lambda x: self._f(x, *args, **kwargs), x, {})
        given = _sums(self._directions, self.colours, structure.dtype)
        v = self._direction(n, structure.dtype)
        if self._check:
            given = np.concatenate((given, v[None]))
        products = operator.times(given)
        rows, colours = self._from
        data = products[colours, rows] if len(rows) else np.zeros(0, structure.dtype)
        found = self._matrix(data)
        return found, *(self._fits(found, v, products[-1]) if self._check else (True, True))

    def __repr__(self) -> str:
        return f"<sparse Hessian of {getattr(self._f, '__qualname__', self._f)!s}, {self.colours} colours>"


@_user_errors
def sparse_jacobian(f: Callable, x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The Jacobian of a function that has few entries in each row or column, as a sparse matrix.

    Args:
        f, x, args, kwargs: as for `jacobian_sparsity`. For options, or more than one point, ask `SparseJacobian`.

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
    """The Hessian of a real function in which few pairs of numbers meet, as a sparse matrix.

    Args:
        f, x, args, kwargs: as for `hessian_sparsity`. For options, or more than one point, ask `SparseHessian`.

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


def _refused(*_: Any) -> Any:
    raise NotDifferentiable(
        "sparse Jacobians and Hessians inside of a differentiated function are not implemented; use morula.jacobian or "
        "morula.hessian there"
    )


for _verb in (jacobian_sparsity, hessian_sparsity, sparse_jacobian, sparse_hessian, SparseJacobian, SparseHessian):
    where_active(_verb)(_refused)
