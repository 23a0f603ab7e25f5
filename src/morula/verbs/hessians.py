"""The verbs of second order: `hvp`, `hessian`, `diaghessian`, `laplacian`."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from morula.eager.calls.foreign_arguments import refuse_foreign_arguments
from morula.errors import NotDifferentiable, ResultError
from morula.static.python.answers import noted, static_product
from morula.static.tiers.dispatch import is_dispatcher
from morula.verbs.directional import jvp
from morula.verbs.gradients import _user_errors, gradient
from morula.verbs.hessian_operators import HessianOperator, direction, filled
from morula.verbs.progress import Progress
from morula.verbs.structure import Structure

ndarray = np.ndarray


@_user_errors
def hvp(f: Callable[..., Any], x: Any, v: Any = None, /, **kwargs: Any) -> Any:
    """Compute the product of the Hessian of a real function with a direction, without forming the Hessian.

    Args:
        f: a function of one argument that returns one real number.
        x: the point: a number, an array of any shape, or a structure of them. A complex number counts as its two
            parts, as in a gradient.
        v: a direction, of the structure of `x` (None in it is a zero; for an object, an object of its class or a
            `chainrules.Tangent`). Leave it out for an operator.
        kwargs: passed on to `f`; constants.

    Returns:
        The product, in the structure of the gradient with respect to `x`, with zeros instead of None. It takes one run
        of `f` in forward mode, followed by a backward pass.
        Without `v` the operator ``H``, for many directions at one point: ``H(v)`` is the product, ``H.value`` and
        ``H.gradient`` are known already. The point stays fixed, and `f` is checked to return the same value there
        again.

    Raises:
        SeedError: `v` does not have the structure of `x`.
        As `gradient`.

    >>> import numpy as np, morula
    >>> x, v = np.array([1.0, 2.0]), np.array([1.0, 0.0])
    >>> morula.hvp(lambda x: x[0] ** 2 * x[1], x, v)
    array([4., 2.])
    >>> H = morula.hvp(lambda x: x[0] ** 2 * x[1], x)
    >>> H(v), H.gradient, float(H.value)
    (array([4., 2.]), array([4., 1.]), 2.0)
    """
    if v is None:
        return HessianOperator(f, x, kwargs)
    if is_dispatcher(f):
        return HessianOperator(f, x, kwargs)(v)
    if not kwargs and (found := static_product(f, x, v)) is not None:
        return found[2] if type(x) is type(found[2]) in (float, ndarray) else filled(Structure(x), found[2])
    structure = Structure(x)
    v = direction(structure, v)
    start = perf_counter()

    def slope(x: Any) -> Any:
        y, y_dot = jvp(f, (x,), (v,), **kwargs)
        return 0.0 if y_dot is None and isinstance(y, int | np.integer) else y_dot  # a constant, not a lack of one

    product = filled(structure, gradient(slope, x)[0])
    if not kwargs:
        noted("product", f, (x,), perf_counter() - start, (0,))
    return product


@_user_errors
def hessian(f: Callable[..., Any], x: Any, /, *, progress: Progress | None = None, **kwargs: Any) -> Any:
    """Compute all second derivatives of a real function.

    Args:
        f: a function of one argument that returns one real number. It runs once, and once for each number of `x`.
        x: the point: a real number, an array of real numbers of any shape, or a structure of them.
        progress: a progress bar for loops, such as `tqdm`; it is called with a range (of rows), and the result is
            iterated over.
        kwargs: passed on to `f`; constants.

    Returns:
        For a number a number, for an array one of shape ``x.shape + x.shape``. For a structure, a structure of
        structures: ``H["a"]["b"]`` has shape ``a.shape + b.shape``. The matrix is symmetric to the last digit.

    Raises:
        ResultError: the matrix, which is computed row by row, is not symmetric: `x` is a point where `f` is not
            twice continuously differentiable, or a rule is wrong. Or the result is not a real number.
        NotDifferentiable: as `gradient`; or `x` is complex.

    >>> import numpy as np, morula
    >>> morula.hessian(lambda x: x[0] ** 2 * x[1], np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    >>> morula.hessian(lambda p: p["a"] ** 2 * p["b"], {"a": 1.0, "b": 2.0})
    {'a': {'a': 4.0, 'b': 2.0}, 'b': {'a': 2.0, 'b': 0.0}}
    """
    structure = real_structure(x, "hessian")
    matrix = symmetric(HessianOperator(f, x, kwargs).rows(progress))
    return blocks_of(structure, matrix)


@_user_errors
def diaghessian(f: Callable[..., Any], x: Any, /, **kwargs: Any) -> Any:
    """Compute the diagonal of the Hessian of a real function.

    Args:
        f, x, kwargs: as for `hessian`.

    Returns:
        A structure like `x` (an object's is a `chainrules.Tangent`). It takes as long as the whole Hessian, and the
        memory of one row.

    Raises:
        NotDifferentiable: as `hessian`.

    >>> import numpy as np, morula
    >>> morula.diaghessian(lambda x: (x**3).sum() + x[0] * x[1], np.array([1.0, 2.0]))
    array([ 6., 12.])
    """
    structure = real_structure(x, "diaghessian")
    return structure.tangent(structure.split(HessianOperator(f, x, kwargs).diagonal()))


@_user_errors
def laplacian(f: Callable[..., Any], x: Any, /, **kwargs: Any) -> float:
    """Compute the Laplacian of a real function: the trace of its Hessian.

    Args:
        f, x, kwargs: as for `hessian`.

    Returns:
        A number.

    Raises:
        NotDifferentiable: as `hessian`.

    >>> import numpy as np, morula
    >>> morula.laplacian(lambda x: 1 / np.linalg.norm(x), np.array([1.0, 2.0, 2.0])).__round__(12) + 0.0
    0.0
    """
    real_structure(x, "laplacian")
    return HessianOperator(f, x, kwargs).diagonal().sum().item()


def real_structure(x: Any, verb: str) -> Structure:
    """The structure of an argument of `verb`, whose leaves must be real."""
    refuse_foreign_arguments((x,), (0,))
    structure = Structure(x)
    if any(leaf.is_complex for leaf in structure.leaves):
        raise NotDifferentiable(
            f"{verb} with respect to complex numbers: write the function in terms of their real and imaginary "
            "parts, or use hvp for products with directions"
        )
    return structure


def symmetric(matrix: ndarray) -> ndarray:
    """A matrix whose two halves must agree but for rounding, with their mean in both."""
    with np.errstate(all="ignore"):
        apart = abs(matrix - matrix.T)
        most, eps = np.max(abs(matrix), initial=0.0), np.finfo(matrix.dtype).eps
        # a matrix of rounding errors alone, as of a linear function, has nothing in common with its transpose
        if eps**0.75 < most < np.inf and np.max(apart, initial=0.0) > eps ** (1 / 3) * most:
            i, j = np.unravel_index(np.argmax(apart), matrix.shape)
            raise ResultError(
                f"the Hessian is not symmetric: its entry ({i}, {j}) is {matrix[i, j]:.6g}, and its entry ({j}, "
                f"{i}) is {matrix[j, i]:.6g} (numbers of the point, counted from 0). Either the function is not "
                "twice continuously differentiable at this point (move it a little), or a rule is wrong"
            )
        both = (matrix + matrix.T) / 2
    return np.where(matrix == matrix.T, matrix, both)


def blocks_of(structure: Structure, matrix: ndarray) -> Any:
    """A matrix of all numbers as a structure of structures of blocks."""
    ends = np.cumsum([0, *[leaf.size for leaf in structure.leaves]])
    rows = []
    for i, a in enumerate(structure.leaves):
        row = []
        for j, b in enumerate(structure.leaves):
            block = matrix[ends[i] : ends[i + 1], ends[j] : ends[j + 1]].reshape(a.shape + b.shape)
            if a.number is not None and b.number is not None:
                row.append(a.cast(block))
            else:
                row.append(block.astype(a.dtype))
        rows.append(structure.tangent(row))
    return structure.tangent(rows)
