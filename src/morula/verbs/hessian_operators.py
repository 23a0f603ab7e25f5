"""The Hessian of a function at a point, as a map of directions."""

import math
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from morula.eager.calls.registry import where_active
from morula.eager.context.seeds import unit_seed
from morula.eager.memory.arguments import stands_for
from morula.errors import SeedError, StaleMemoryError
from morula.static.python.answers import noted, static_product
from morula.static.tiers.programs import NativeProgram, native_program
from morula.verbs.blocks import unit
from morula.verbs.curvature import Program
from morula.verbs.gradients import _user_errors, pullback, withgradient
from morula.verbs.progress import Progress, ticking
from morula.verbs.static_runs import is_same
from morula.verbs.structure import Structure

ndarray = np.ndarray

FEW = 50  # directions, for which products one by one by static adjoints take less time than all at once
SHOWN = 16  # rows between two steps of a progress bar, which are computed together


class HessianOperator:
    """The Hessian of a real function at a point, as a map of directions: ``H(v)`` is ``H @ v``. `hvp` makes it.

    A function that can be recorded as a `Program` runs once, for all directions. A compiled one uses generated code for
    the products (`native.second_order`), if there is any. Any other runs again at each call, at the same point and with
    the same random numbers: forward along the direction, and then backward.

    Attributes:
        value: of the function at the point.
        gradient: there, in the structure of the point; zeros, not None, where the function does not depend.

    >>> import numpy as np
    >>> import morula
    >>> h = morula.hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]))
    >>> h.value, h.gradient, h(np.array([1.0, 0.0]))
    (np.float64(9.0), array([ 3., 12.]), array([6., 0.]))
    """

    def __init__(self, f: Callable, x: Any, kwargs: dict, watched: bool = True):
        """`watched`: whether somebody may write into what `f` reads before the last product is asked for."""
        self._watched = watched
        self._structure = structure = Structure(x)
        self._f, self._kwargs = f, kwargs
        parts = structure.values(x)
        copies = [p.copy() if isinstance(p, ndarray) else p for p in parts]
        for p, copy in zip(parts, copies, strict=True):
            if isinstance(p, ndarray):
                stands_for(copy, p)
        self._x, self._given = structure.value(copies), x
        self._back: Callable | None = None
        self._recorded: Program | NativeProgram | None = None
        self._is_recorded = False
        self._gradient: Any = None
        found = self._by_text(x, self._zeros())  # of the array itself, which `f` may know by another name
        self._is_static = found is not None
        if found is not None:
            self.value, self._gradient, _ = found
        elif self._program is None:
            self._start()
        else:
            self.value = self._program.value

    @property
    def _program(self) -> Program | NativeProgram | None:
        """The function at the point as a program, for many directions at once."""
        if not self._is_recorded:
            self._is_recorded = True
            self._recorded = program_of(self._f, self._x, self._kwargs, self._structure, self._watched)
        return self._recorded

    def _zeros(self) -> Any:
        return self._structure.tangent(self._structure.split(np.zeros(self._structure.size, self._structure.dtype)))

    def _by_text(self, x: Any, v: Any) -> tuple[Any, Any, Any] | None:
        """Value, gradient and product by static adjoints; None where there are none."""
        found = None if self._kwargs else static_product(self._f, x, v)
        if found is None:
            return None
        return found[0], filled(self._structure, found[1]), filled(self._structure, found[2])

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
        if self._is_static and (product := self._static_product(given)) is not None:
            return product
        if self._program is not None:
            found = [rows[0] for rows in self._program.products(self._rows(structure.vector(given)[None]))]
            if all(np.isfinite(part).all() for part in found):
                return structure.tangent(self._cast(found))
        return filled(structure, self._product(given))

    def _static_product(self, v: Any) -> Any:
        found = self._by_text(self._x, v)
        if found is None:
            return None
        if not is_same(found[0], self.value):
            raise StaleMemoryError(
                "a function returned a different value than when its Hessian was prepared: something that it "
                "reads has changed since"
            )
        return found[2]

    def at_once(self, v: ndarray) -> ndarray:
        """The same for a point that is an array of doubles, while nobody writes."""
        if self._is_static and (product := self._static_product(v)) is not None:
            return np.asarray(product)
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
        start = perf_counter()
        if self._is_static and len(directions) <= FEW:
            rows = [self._static_product(structure.tangent(structure.split(v))) for v in directions]
            if all(row is not None for row in rows):
                return np.array([structure.vector(row) for row in rows], structure.dtype)
        if self._program is not None:
            blocks = self._program.products(self._rows(directions))
            blocks = [b.reshape(len(b), math.prod(b.shape[1:])) for b in blocks]
            found = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, 1)
            if np.isfinite(found).all():
                self._note(start)
                return found
        found = np.zeros((len(directions), structure.size), structure.dtype)
        for k, v in enumerate(directions):
            found[k] = structure.vector(self._product(structure.tangent(structure.split(v))))
        self._note(start)
        return found

    def _note(self, start: float) -> None:
        if not self._kwargs and not self._is_static:
            noted("product", self._f, (self._x,), perf_counter() - start, (0,))

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
        if self._is_static or self._program is not None:
            return np.diagonal(self.rows())
        rows = [structure.vector(self._product(v))[k] for k, v in enumerate(units(structure))]
        return np.array(rows, structure.dtype)

    def __repr__(self) -> str:
        return f"<Hessian of {self._structure.size} numbers>"


def products(f: Callable, x: Any, kwargs: dict, directions: list[ndarray]) -> ndarray:
    """Products of the Hessian of `f` at `x` with directions, as rows; nobody writes meanwhile."""
    structure = Structure(x)
    if not kwargs and len(directions) <= FEW:
        rows = np.empty((len(directions), structure.size), structure.dtype)
        for row, v in zip(rows, directions, strict=True):
            found = static_product(f, x, structure.tangent(structure.split(v)))
            if found is None:
                break
            is_array = structure.is_real_array and type(found[2]) is ndarray
            row[:] = found[2].ravel() if is_array else structure.vector(filled(structure, found[2]))
        else:
            return rows
    return HessianOperator(f, x, kwargs, watched=False).times(
        np.array(directions).reshape(len(directions), structure.size)
    )


def program_of(
    f: Callable[..., Any], x: Any, kwargs: dict, structure: Structure, watched: bool
) -> Program | NativeProgram | None:
    """The function at a point as a program; None where it cannot be one, or other derivations go on."""
    parts = structure.values(x)
    if not parts or not all(type(p) is float or (type(p) is ndarray and p.dtype == float) for p in parts):
        return None
    found: Program | NativeProgram | None = native_program(f, x, kwargs, structure)
    if found is not None:
        pass
    elif len(parts) == 1 and parts[0] is x:
        found = Program.of(lambda x: f(x, **kwargs), (x,), watched)
    else:
        found = Program.of(lambda *parts: f(structure.value(parts), **kwargs), tuple(parts), watched)
    if found is not None:
        unit_seed(found.value, "hessian")
    return found


@where_active(program_of)
def _none(*_: Any) -> tuple[Any, Any]:
    return None, None


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
    """A tangent with zeros instead of None, and numbers of the types that the point has."""
    parts = [
        part if isinstance(part, ndarray) else leaf.cast(np.full(leaf.shape, 0.0 if part is None else part, leaf.dtype))
        for leaf, part in zip(structure.leaves, structure.parts(tangent), strict=True)
    ]
    return structure.tangent(parts)
