"""Functions as linear maps at a point: `linearize`, `taylor`, `as_linear_operator`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.registry import where_active
from morula.errors import MorulaError, NotDifferentiable, ResultError, SeedError
from morula.extras import needs
from morula.verbs.blocks import leaves_of, not_holomorphic
from morula.verbs.directional import jvp
from morula.verbs.gradients import _user_errors, pullback
from morula.verbs.hessians import direction
from morula.verbs.structure import Structure

ndarray = np.ndarray


@_user_errors
def linearize(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> tuple[Any, Callable]:
    """Compute the value of a function and its linearization at a point.

    Args:
        f: a function of any result.
        args: as for `gradient`. They are copied, so later changes to them do not affect the map.
        kwargs: passed on to `f`; constants.

    Returns:
        ``(y, push)``. ``push(*tangents)``, with one tangent for each argument (of its structure, None for a constant
        one), returns the tangent of `y`; any number of times. Each time `f` runs again at the same point.

    Raises:
        SeedError: a tangent does not have the structure of its argument.
        As `jvp`.

    >>> import numpy as np, morula
    >>> y, push = morula.linearize(lambda a, b: a * b, 2.0, np.array([1.0, 3.0]))
    >>> y, push(1.0, None), push(0.5, np.array([1.0, 0.0]))
    (array([2., 6.]), array([1., 3.]), array([2.5, 1.5]))
    """
    structures = [Structure(a, f"argument {j + 1}") for j, a in enumerate(args)]
    kept = tuple(owned(s, a) for s, a in zip(structures, args, strict=True))

    @_user_errors
    def push(*tangents: Any) -> Any:
        if len(tangents) != len(kept):
            raise SeedError(f"the linear map takes {len(kept)} tangents, one for each argument, not {len(tangents)}")
        given = [None if t is None else direction(s, t) for s, t in zip(structures, tangents, strict=True)]
        return jvp(f, kept, tuple(given), **kwargs)[1]

    y = jvp(f, args, (None,) * len(args), **kwargs)[0]
    return y, push


def owned(structure: Structure, x: Any) -> Any:
    """A structure with copies of its arrays."""
    return structure.value([p.copy() if isinstance(p, ndarray) else p for p in structure.values(x)])


@_user_errors
def taylor(f: Callable[..., Any], x: Any, v: Any, order: int, /, **kwargs: Any) -> list:
    """Compute the derivatives of ``t -> f(x + t v)`` at 0, of order 0, 1, and so on.

    Args:
        f: a function of one argument and of any result.
        x: the point: a number, an array, or a structure of them.
        v: a direction, with the structure of `x`.
        order: the highest order of derivative. The time doubles with each order.
        kwargs: passed on to `f`; constants.

    Returns:
        A list of ``order + 1`` values of the structure of the result. Divided by the factorials they are the
        coefficients of the Taylor series.

    Raises:
        MorulaError: `order` is negative.
        SeedError: `v` does not have the structure of `x`.
        As `jvp`.

    >>> import morula
    >>> morula.taylor(lambda x: x**3, 2.0, 1.0, 4)
    [8.0, 12.0, 12.0, 6.0, 0.0]
    """
    if order < 0:
        raise MorulaError(f"taylor was given order={order}; the order must not be negative")
    structure = Structure(x)
    starts, steps = structure.values(x), structure.parts(direction(structure, v))

    def along(t: Any) -> Any:
        parts = [start + t * step for start, step in zip(starts, steps, strict=True)]
        return f(structure.value(parts), **kwargs)

    climbed = along
    for _ in range(order):
        climbed = _with_derivative(climbed)
    found = climbed(0.0)
    return [_taken(found, order, k) for k in range(order + 1)]


def _with_derivative(f: Callable) -> Callable:
    def both(t: Any) -> Any:
        return jvp(f, (t,), (1.0,))

    return both


def _taken(found: Any, order: int, k: int) -> Any:
    """The derivative of order `k` out of pairs of pairs of values and derivatives."""
    for level in range(order):
        found = found[int(level >= order - k)]
    return found


@_user_errors
def as_linear_operator(f: Callable[..., Any], x: Any, /, **kwargs: Any) -> Any:
    """Return the Jacobian of a function at a point as a SciPy linear operator, without forming the matrix.

    Args:
        f: a function of one argument.
        x: the point: a number, an array, or a structure of them, in which case the operator acts on the vector that
            `ravel` makes of it. Complex numbers must be complex throughout, and `f` holomorphic; they stay complex.
        kwargs: passed on to `f`; constants.

    Returns:
        A ``scipy.sparse.linalg.LinearOperator`` of as many rows as the result has numbers and as many columns as
        the point has. ``matvec`` is a forward run of `f`; ``rmatvec`` is a backward pass over the one run recorded
        here. Several columns are handled one at a time.

    Raises:
        ResultError: the point is complex, and `f` is not holomorphic.
        ImportError: SciPy is not installed.
        As `jvp`.

    >>> import numpy as np, morula
    >>> J = morula.as_linear_operator(lambda x: x**2 * x[0], np.array([1.0, 2.0]))
    >>> J @ np.array([1.0, 0.0]), J.T @ np.array([0.0, 1.0])
    (array([3., 4.]), array([4., 4.]))
    """
    with needs("sparse", "scipy"):
        from scipy.sparse.linalg import LinearOperator  # type: ignore[import-untyped]

    at = Flat(f, x, kwargs)
    return LinearOperator(at.shape, matvec=at.matvec, rmatvec=at.rmatvec, dtype=at.dtype)


@where_active(as_linear_operator)
def _refused(*_: Any) -> Any:
    raise NotDifferentiable(
        "as_linear_operator of a function that depends on the values being differentiated: SciPy's operators "
        "cannot be followed; use jvp and pullback instead"
    )


class Flat:
    """A function at a point, as a linear map of vectors."""

    def __init__(self, f: Callable, x: Any, kwargs: dict):
        self._ins = Structure(x)
        self._push_at = linearize(f, x, **kwargs)[1]
        y, self._back = pullback(f, owned(self._ins, x), **kwargs)
        self._outs = Structure(y, "the result")
        self._complex_in = any(leaf.is_complex for leaf in self._ins.leaves)
        self._complex_out = any(leaf.is_complex for leaf in self._outs.leaves)
        if self._complex_in and not all(leaf.is_complex for leaf in leaves_of([self._ins, self._outs])):
            raise ResultError(
                "as_linear_operator of a function between complex and real numbers is not linear: use a function "
                "of real numbers, or one of complex numbers with complex results"
            )
        rows = sum(leaf.count for leaf in self._outs.leaves)
        columns = sum(leaf.count for leaf in self._ins.leaves)
        self.shape = rows, columns
        self.dtype = np.result_type(*[leaf.dtype for leaf in leaves_of([self._ins, self._outs])], np.float32)
        if self._complex_in:
            self._check()

    def _check(self) -> None:
        v = np.random.default_rng(0).uniform(1.0, 2.0, self.shape[1])
        one, other = self._push(v + 0j), self._push(1j * v)
        size = np.max(abs(one) + abs(other), initial=0.0)
        if np.any(abs(1j * one - other) > np.finfo(self.dtype).eps ** (1 / 3) * size):
            raise not_holomorphic()

    def matvec(self, v: ndarray) -> ndarray:
        """The Jacobian times a vector."""
        v = np.ravel(v)
        if np.iscomplexobj(v) and not self._complex_in:
            return self._push(v.real) + 1j * self._push(v.imag)
        return self._push(v)

    def rmatvec(self, w: ndarray) -> ndarray:
        """The conjugate transpose of the Jacobian times a vector."""
        w = np.ravel(w)
        if self._complex_in or not (np.iscomplexobj(w) or self._complex_out):
            return self._pull(w)
        if self._complex_out:
            return self._pull(w) + 1j * self._pull(-1j * w)
        return self._pull(w.real) + 1j * self._pull(w.imag)

    def _push(self, v: ndarray) -> ndarray:
        return joined(self._outs, self._push_at(self._ins.tangent(parted(self._ins, v))))

    def _pull(self, w: ndarray) -> ndarray:
        return joined(self._ins, self._back(self._outs.tangent(parted(self._outs, w)))[0])


def parted(structure: Structure, vector: ndarray) -> list:
    """The leaves that stand in a vector, where a complex number counts once."""
    ends = np.cumsum([0, *[leaf.count for leaf in structure.leaves]])
    parts = []
    for leaf, start, end in zip(structure.leaves, ends[:-1], ends[1:], strict=True):
        part = vector[start:end]
        if not leaf.is_complex:
            part = part.real
        parts.append(leaf.cast(part.astype(leaf.dtype).reshape(leaf.shape)))
    return parts


def joined(structure: Structure, tangent: Any) -> ndarray:
    """The numbers of a tangent as one vector, where a complex number counts once."""
    dtype = np.result_type(*[leaf.dtype for leaf in structure.leaves], np.float32)
    parts = [
        np.zeros(leaf.count, dtype) if part is None else np.ravel(part)
        for leaf, part in zip(structure.leaves, structure.parts(tangent), strict=True)
    ]
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype)
