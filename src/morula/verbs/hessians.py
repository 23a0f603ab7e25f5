"""The verbs of second order: `hvp`, `hessian`, `diaghessian`, `laplacian`."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.foreign_arguments import refuse_foreign_arguments
from morula.eager.calls.registry import where_active
from morula.eager.context.seeds import unit_seed
from morula.errors import NotDifferentiable, ResultError, SeedError
from morula.static.tiers.dispatch import is_dispatcher
from morula.static.tiers.programs import NativeProgram, native_program
from morula.verbs.blocks import unit
from morula.verbs.curvature import Program
from morula.verbs.directional import jvp
from morula.verbs.gradients import _user_errors, gradient, pullback, withgradient
from morula.verbs.progress import Progress, ticking
from morula.verbs.structure import Structure

ndarray = np.ndarray

SHOWN = 16  # rows between two steps of a progress bar, which are computed together


class HessianOperator:
    """The Hessian of a real function at a point, as a map of directions: ``H(v)`` is ``H @ v``.

    A function that can be recorded as a `Program` runs once, for all directions. A compiled one has products by
    generated code (`native.second_order`), where that can be had. Any other runs once more at each call, at the same
    point and with the same random numbers, forward along the direction, and back over that.

    Attributes:
        value: of the function at the point.
        gradient: there, in the structure of the point; zeros, not None, where the function does not depend.
    """

    def __init__(self, f: Callable, x: Any, kwargs: dict):
        self._structure = structure = Structure(x)
        self._f, self._kwargs = f, kwargs
        self._x = structure.value([p.copy() if isinstance(p, ndarray) else p for p in structure.values(x)])
        self._back: Callable | None = None
        self._program = program_of(f, x, kwargs, structure)
        self._gradient: Any = None
        if self._program is None:
            self._start()
        else:
            self.value = self._program.value

    @property
    def gradient(self) -> Any:
        """The gradient at the point."""
        if self._gradient is None and self._program is not None:
            self._gradient = self._structure.tangent(self._cast(self._program.gradient()))
        return self._gradient

    def _start(self) -> None:
        """For functions that cannot be recorded: a pullback of value and gradient."""
        f, kwargs = self._f, self._kwargs

        def both(x: Any) -> Any:
            value, (x_bar,) = withgradient(f, x, **kwargs)
            return value, x_bar

        (self.value, found), self._back = pullback(both, self._x)
        self._gradient = filled(self._structure, found)

    @_user_errors
    def __call__(self, v: Any) -> Any:
        """The product of the Hessian and a direction `v` of the structure of the point, where None is a zero."""
        structure = self._structure
        given = direction(structure, v)
        if self._program is not None:
            found = [rows[0] for rows in self._program.products(self._rows(structure.vector(given)[None]))]
            if all(np.isfinite(part).all() for part in found):
                return structure.tangent(self._cast(found))
        return filled(structure, self._product(given))

    def at_once(self, v: ndarray) -> ndarray:
        """The same for a point that is an array of doubles, while nobody writes."""
        if isinstance(self._program, Program):
            (rows,) = self._program.products([v[None]], checked=False)
            if np.isfinite(rows).all():
                return rows[0]
        return self(v)

    def _product(self, v: Any) -> Any:
        if self._back is None:
            self._start()
        assert self._back is not None
        return self._back((None, v))[0]

    def _rows(self, matrix: ndarray) -> list[ndarray]:
        """Directions, one to a row, by leaf of the point."""
        ends = np.cumsum([0, *[leaf.size for leaf in self._structure.leaves]])
        return [
            matrix[:, start:end].reshape(len(matrix), *leaf.shape)
            for leaf, start, end in zip(self._structure.leaves, ends, ends[1:], strict=False)
        ]

    def _cast(self, parts: list[ndarray]) -> list[Any]:
        return [leaf.cast(part) for leaf, part in zip(self._structure.leaves, parts, strict=True)]

    def times(self, directions: ndarray) -> ndarray:
        """Its products with directions, one to a row, as rows of the numbers of the point in order."""
        structure = self._structure
        if self._program is not None:
            blocks = self._program.products(self._rows(directions))
            found = np.concatenate([b.reshape(len(b), math.prod(b.shape[1:])) for b in blocks], 1)
            if np.isfinite(found).all():
                return found
        found = np.zeros((len(directions), structure.size), structure.dtype)
        for k, v in enumerate(directions):
            found[k] = structure.vector(self._product(structure.tangent(structure.split(v))))
        return found

    def rows(self, progress: Progress | None = None) -> ndarray:
        """All of it, as a matrix of the numbers of the point in order."""
        units = np.eye(self._structure.size, dtype=self._structure.dtype)
        if progress is None:
            return self.times(units)
        found = np.zeros_like(units)
        tick = ticking(progress, len(units))
        for start in range(0, len(units), SHOWN):
            found[start : start + SHOWN] = self.times(units[start : start + SHOWN])
            for _ in units[start : start + SHOWN]:
                tick()
        return found

    def diagonal(self) -> ndarray:
        """Its diagonal, as a vector of the numbers of the point in order."""
        structure = self._structure
        if self._program is not None:
            return np.diagonal(self.rows())
        rows = [structure.vector(self._product(v))[k] for k, v in enumerate(units(structure))]
        return np.array(rows, structure.dtype)

    def __repr__(self) -> str:
        return f"<Hessian of {self._structure.size} numbers>"


def program_of(f: Callable[..., Any], x: Any, kwargs: dict, structure: Structure) -> Program | NativeProgram | None:
    """The function at a point as a program; None where it cannot be one, or other derivations go on."""
    parts = structure.values(x)
    if not parts or not all(type(p) is float or (type(p) is ndarray and p.dtype == float) for p in parts):
        return None
    found: Program | NativeProgram | None = native_program(f, x, kwargs, structure)
    if found is not None:
        pass
    elif len(parts) == 1 and parts[0] is x:
        found = Program.of(lambda x: f(x, **kwargs), (x,))
    else:
        found = Program.of(lambda *parts: f(structure.value(parts), **kwargs), tuple(parts))
    if found is not None:
        unit_seed(found.value, "hessian")
    return found


@where_active(program_of)
def _none(*_: Any) -> tuple[Any, Any]:
    return None, None


@_user_errors
def hvp(f: Callable[..., Any], x: Any, v: Any = None, /, **kwargs: Any) -> Any:
    """The product of the Hessian of a real function with a direction, without the Hessian.

    Args:
        f: a function of one argument that returns one real number.
        x: the point: a number, an array of any shape, or a structure of them. A complex number counts as its two
            parts, as in a gradient.
        v: a direction, of the structure of `x` (None in it is a zero; for an object, an object of its class or a
            `chainrules.Tangent`). Leave it out for an operator.
        kwargs: passed on to `f`; constants.

    Returns:
        The product, in the structure of the gradient by `x`, with zeros where nothing comes. It takes one run of
        `f`, whose forward mode is recorded and swept back.
        Without `v` the operator ``H``, for many directions at one point: ``H(v)`` is the product, ``H.value`` and
        ``H.gradient`` are known already. The point stays what it was, and that `f` still gives the same value
        there is checked.

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
    structure = Structure(x)
    v = direction(structure, v)

    def slope(x: Any) -> Any:
        return jvp(f, (x,), (v,), **kwargs)[1]

    return filled(structure, gradient(slope, x)[0])


@_user_errors
def hessian(f: Callable[..., Any], x: Any, /, *, progress: Progress | None = None, **kwargs: Any) -> Any:
    """All second derivatives of a real function.

    Args:
        f: a function of one argument that returns one real number. It runs once, and once for each number of `x`.
        x: the point: a real number, an array of real numbers of any shape, or a structure of them.
        progress: what shows loops, such as `tqdm`: it is called with a range (of rows), over which it iterates.
        kwargs: passed on to `f`; constants.

    Returns:
        For a number a number, for an array one of shape ``x.shape + x.shape``. For a structure, a structure of
        structures: ``H["a"]["b"]`` has shape ``a.shape + b.shape``. The matrix is symmetric to the last digit.

    Raises:
        ResultError: the matrix, which is computed row by row, is not symmetric: `x` is a point where `f` is not
            twice continuously differentiable, or a rule is wrong. Or the result is no real number.
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
    """The second derivatives of a real function by each number twice: the diagonal of its Hessian.

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
    """The sum of the second derivatives of a real function by each number: the trace of its Hessian.

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
            f"{verb} by complex numbers: give it a function of their real and imaginary parts, or ask hvp for "
            "products with directions"
        )
    return structure


def units(structure: Structure) -> Any:
    """The unit directions, one after the other."""
    for i, leaf in enumerate(structure.leaves):
        for k in range(leaf.count):
            for one in (1.0, 1.0j)[: 1 + leaf.is_complex]:
                yield structure.tangent([unit(leaf, k, one) if j == i else None for j in range(len(structure.leaves))])


def direction(structure: Structure, v: Any) -> Any:
    """A direction that a user gave, as a tangent with a part for each leaf."""
    try:
        return structure.tangent(structure.split(structure.vector(v)))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise SeedError(f"the direction does not have the structure of the point: {error}") from None


def filled(structure: Structure, tangent: Any) -> Any:
    """A tangent with zeros instead of None."""
    parts = [
        leaf.cast(np.zeros(leaf.shape, leaf.dtype)) if part is None else part
        for leaf, part in zip(structure.leaves, structure.parts(tangent), strict=True)
    ]
    return structure.tangent(parts)


def symmetric(matrix: ndarray) -> ndarray:
    """A matrix whose two halves must agree but for rounding, with their mean in both."""
    with np.errstate(all="ignore"):
        apart = abs(matrix - matrix.T)
        most = np.max(abs(matrix), initial=0.0)
        if most < np.inf and np.max(apart, initial=0.0) > np.finfo(matrix.dtype).eps ** (1 / 3) * most:
            i, j = np.unravel_index(np.argmax(apart), matrix.shape)
            raise ResultError(
                f"the Hessian is not symmetric: by the numbers {i} and {j} of the point (counted from 0) it has "
                f"{matrix[i, j]:.6g}, in the other order {matrix[j, i]:.6g}. The point is one where the function is "
                "not twice continuously differentiable (move it a little), or the rule of a function is wrong"
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
