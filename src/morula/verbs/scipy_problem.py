"""`for_scipy`: a function as SciPy's optimisers want it, with exact derivatives and parameters of any structure."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.registry import where_active
from morula.eager.context.seeds import unit_seed
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable, ResultError
from morula.verbs.blocks import Blocks, Pushed
from morula.verbs.gradients import _user_errors
from morula.verbs.hessians import HessianOperator, symmetric
from morula.verbs.jacobians import FORWARD_RUN
from morula.verbs.sparse import SparseHessian, SparseJacobian
from morula.verbs.structure import Structure, refuse_shared
from morula.verbs.taped import Taped

ndarray = np.ndarray


class ScipyProblem:
    """What `for_scipy` returns.

    Attributes:
        x0: the parameters that were given as `like`, as a vector of float64; None without.

    >>> import numpy as np
    >>> problem = for_scipy(lambda p: p["a"] ** 2 + np.sum(p["b"]), like={"a": 3.0, "b": np.zeros(2)})
    >>> problem.x0, problem.jac(problem.x0)
    (array([3., 0., 0.]), array([6., 1., 1.]))
    """

    def __init__(self, f: Callable, like: Any = None, sparse: bool = False):
        self._f = f
        self._like = like
        self._sparse = sparse
        self._sparse_jacobian = SparseJacobian(f)
        self._sparse_hessian = SparseHessian(f)
        self._sparse_weighted = SparseHessian(self._weighted)
        self._structure: Structure | None = None
        self.x0: ndarray | None = None
        if like is not None:
            self._structure = Structure(like, "the point")
            refuse_shared(like, self._structure)
            self.x0 = self.ravel(like)
        self._point: Point | None = None
        self._forward = False
        functools.update_wrapper(self, f, updated=())

    def ravel(self, params: Any) -> ndarray:
        """Parameters as the vector that SciPy sees."""
        assert self._structure is not None, "for_scipy(f) without `like` takes vectors as they are"
        return self._structure.vector(params).astype(float)

    def unravel(self, x: Any) -> Any:
        """A vector as parameters: such as ``unravel(found.x)``."""
        if self._structure is None:
            return np.array(x, float) if isinstance(x, ndarray) else x
        return self._structure.value(self._structure.split(x))

    # -- what SciPy calls --------------------------------------------------------------------------------------

    @_user_errors
    def fun(self, x: Any, *args: Any) -> Any:
        """The value of the function: a float, or a vector of its results."""
        return self._at(x, args).value()

    @_user_errors
    def jac(self, x: Any, *args: Any) -> Any:
        """The gradient of a number as a vector; of a vector of results the Jacobian, a matrix."""
        if self._sparse and not self._at(x, args).is_number:
            return self._sparse_jacobian(self.unravel(np.asarray(x)), *args).astype(float)
        return self._at(x, args).jacobian()

    @_user_errors
    def hess(self, x: Any, *args: Any) -> Any:
        """The Hessian of a number, a matrix."""
        if self._sparse:
            return self._sparse_hessian(self.unravel(np.asarray(x)), *args).astype(float)
        return self._at(x, args).hessian(None)

    @_user_errors
    def hessp(self, x: Any, p: Any, *args: Any) -> ndarray:
        """The Hessian of a number times the vector `p`."""
        return self._at(x, args).hessian_times(p)

    @_user_errors
    def weighted_hess(self, x: Any, v: Any, *args: Any) -> Any:
        """The Hessian of the results' sum with the weights `v`: what constraints want."""
        if self._sparse:
            return self._sparse_weighted(self.unravel(np.asarray(x)), np.array(v, float), *args).astype(float)
        return self._at(x, args).hessian(np.array(v, float))

    def constraint(self, lb: Any, ub: Any, **options: Any) -> Any:
        """``lb <= f(x) <= ub`` as a ``scipy.optimize.NonlinearConstraint`` with exact derivatives."""
        from scipy.optimize import NonlinearConstraint  # type: ignore[import-untyped]

        return NonlinearConstraint(self.fun, lb, ub, jac=self.jac, hess=self.weighted_hess, **options)

    def _weighted(self, params: Any, v: ndarray, *args: Any) -> Any:
        """The sum of the results with weights."""
        y = self._f(params, *args)
        return weighted_sum(y, v)

    def __call__(self, x: Any, *args: Any) -> Any:
        """The same as ``fun``."""
        return self.fun(x, *args)

    def __reduce__(self) -> tuple:
        return type(self), (self._f, self._like, self._sparse)

    def __repr__(self) -> str:
        return f"<{getattr(self._f, '__qualname__', self._f)!s} for SciPy>"

    def _at(self, x: Any, args: tuple) -> "Point":
        """The point `x`, run already if it is the last one and nothing that `f` reads has changed."""
        point = self._point
        if point is None or not point.is_at(x, args):
            self._point = None  # frees its tape before the next one grows
            structure = self._structure or Structure(x, "the point")
            point = self._point = Point(self._f, x, args, structure, self.unravel, self._forward)
            self._forward = point.wants_forward()
        return point


class Point:
    """A function at one point: the value, and its derivatives when they are asked for."""

    def __init__(
        self, f: Callable, x: Any, args: tuple, structure: Structure, params: Callable[[Any], Any], forward: bool
    ):
        self._f = f
        self._x = np.array(x)
        self._args = args
        self._in = structure
        self._params = params
        self._forward = forward
        self._taped: Taped | None = None
        self._jacobian: Any = None
        self._operator: tuple[ndarray | None, HessianOperator] | None = None
        self._hessian: ndarray | None = None
        if forward:
            y = f(params(self._x[()]), *args)
            self._outs = Structure(y, "the result")
        else:
            self._taped = Taped(f, (params(self._x[()]), *args), {}, [structure], (0,))
            y, self._outs = self._taped.y, self._taped.outs
        leaves = self._outs.leaves
        if any(leaf.is_complex for leaf in leaves):
            raise ResultError(
                "for_scipy needs a function with real results, and this one returned complex numbers. Return "
                "their real and imaginary parts"
            )
        if not leaves:
            unit_seed(y, "for_scipy")
        self.is_number = leaves[0].path == "" and leaves[0].shape == ()
        self._value: Any = float(y) if self.is_number else self._outs.vector(y).astype(float)
        self._remember()

    def _remember(self) -> None:
        """What `f` reads, as it is after it ran; it may count its calls, for example."""
        self._imprint = imprint(self._f, self._args)

    def is_at(self, x: Any, args: tuple) -> bool:
        """Whether this is the point `x`, and everything is still as it was when `f` ran."""
        x = np.asarray(x)
        return (
            x.shape == self._x.shape
            and x.dtype == self._x.dtype
            and x.tobytes() == self._x.tobytes()
            and len(args) == len(self._args)
            and all(a is b for a, b in zip(args, self._args, strict=True))
            and not changed(self._imprint, imprint(self._f, args))
        )

    def wants_forward(self) -> bool:
        """Whether there are so many more results than parameters that forward runs give the Jacobian sooner."""
        return self._outs.size > FORWARD_RUN * max(1, self._in.size)

    def value(self) -> Any:
        """The value at the point last visited."""
        return self._value if self.is_number else self._value.copy()

    def jacobian(self) -> Any:
        """The gradient or Jacobian at the point last visited, computed when it is first asked for."""
        if self._jacobian is None:
            self._jacobian = self._gradient() if self.is_number else self._matrix()
        return self._jacobian.copy() if isinstance(self._jacobian, ndarray) else self._jacobian

    def _gradient(self) -> Any:
        if self._operator is not None and self._operator[0] is None:
            found = self._in.vector(self._operator[1].gradient)
        else:
            assert self._taped is not None
            leaf = self._outs.leaves[0]
            found = self._in.joined(self._taped.pull([leaf.cast(np.ones((), leaf.dtype))]))
        return found[0].item() if self._is_scalar() else found.astype(float)

    def _is_scalar(self) -> bool:
        """Whether the point is a mere number, as in a search along a line."""
        return self._x.ndim == 0

    def _matrix(self) -> ndarray:
        blocks = Blocks(self._outs.leaves, self._in.leaves)
        if self._forward or self.wants_forward():
            args = (self._params(self._x[()]), *self._args)
            blocks.push(Pushed(self._f, args, {}, [self._in]), False)
            self._remember()
        else:
            assert self._taped is not None
            blocks.sweep(self._taped, False)
        return blocks.matrix()

    def hessian(self, weights: ndarray | None) -> ndarray:
        """The Hessian, of the sum weighted by `weights` where the function has several values."""
        operator = self._operator_for(weights)
        if self._hessian is None:
            self._hessian = symmetric(operator.rows()).astype(float)
        return self._hessian.copy()

    def hessian_times(self, p: Any) -> ndarray:
        """The product of the Hessian and the vector `p`."""
        operator = self._operator_for(None)
        return self._in.vector(operator(self._in.tangent(self._in.split(np.asarray(p, float))))).astype(float)

    def _operator_for(self, weights: ndarray | None) -> HessianOperator:
        if weights is None and not self.is_number:
            raise ResultError(
                "hess and hessp need a function that returns one real number, and this one returned several; to "
                "weight them, use weighted_hess(x, v), as .constraint(lb, ub) does"
            )
        if self._operator is None or not _same(self._operator[0], weights):
            self._operator = self._hessian = None
            operator = HessianOperator(self._weighted(weights), self._params(self._x[()]), {})
            self._operator = weights, operator
            self._remember()
        return self._operator[1]

    def _weighted(self, weights: ndarray | None) -> Callable:
        f, args, outs = self._f, self._args, self._outs
        if weights is None:
            return lambda params: f(params, *args)
        factors = outs.split(np.ravel(weights))

        def total(params: Any) -> Any:
            parts = outs.values(f(params, *args))
            return sum([np.sum(factor * part) for factor, part in zip(factors, parts, strict=True)])

        return total


def _same(a: ndarray | None, b: ndarray | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def weighted_sum(y: Any, v: ndarray) -> Any:
    """The inner product of the numbers of a value, in order, with weights."""
    outs = Structure(y, "the result")
    factors = outs.split(np.ravel(v))
    return sum([np.sum(factor * part) for factor, part in zip(factors, outs.values(y), strict=True)])


def for_scipy(f: Callable[..., Any], like: Any = None, sparse: bool = False) -> ScipyProblem:
    """Wrap a function for SciPy's optimisers, with exact derivatives and parameters of any structure.

    Args:
        f: ``f(params, *args)``, which returns one real number (for ``minimize`` and its kin) or an array or
            structure of them (for ``least_squares``, ``root``, constraints). Its value must depend on nothing but its
            arguments and what it reads.
        like: parameters of the structure that `f` takes, as a start: a number, an array of any shape, or dicts,
            lists, dataclasses and objects of them. SciPy then sees vectors (`ravel` says how they are laid out).
            Without it `f` takes SciPy's vectors unchanged.
        sparse: whether ``jac`` of several results, ``hess`` and ``weighted_hess`` are sparse matrices, as
            `SparseJacobian` and `SparseHessian` find them.

    Returns:
        An object with

        - ``x0``: `like` as a vector; ``ravel(params)`` and ``unravel(x)``,
        - ``fun(x, *args)`` and ``jac(x, *args)``: of a number its gradient, of `m` results the matrix (m, n),
        - ``hess(x, *args)`` and ``hessp(x, p, *args)`` of a number,
        - ``weighted_hess(x, v, *args)`` and ``constraint(lb, ub)`` for constraints.

        All of these share one run of `f` at a point (the second derivatives have one of their own), and the last
        point is kept; it runs again if what `f` reads (arguments, captured and global variables) has changed.
        With many more results than parameters the Jacobian takes one run for each parameter instead.

    Raises:
        AliasedArgumentsError: two arrays of `like` share memory.
        ResultError: when called, as `gradient`; ``hess`` of several results, or a Hessian that is not symmetric.

    >>> import numpy as np, morula
    >>> from scipy.optimize import minimize
    >>> def distance(p, target):
    ...     return ((p["a"] - target) ** 2).sum() + (p["b"] - 1.0) ** 4 + p["b"] ** 2
    >>> problem = morula.for_scipy(distance, {"a": np.zeros(2), "b": 0.0})
    >>> problem.fun(problem.x0, 3.0), problem.jac(problem.x0, 3.0)
    (19.0, array([-6., -6., -4.]))
    >>> found = minimize(problem.fun, problem.x0, (3.0,), "Newton-CG", jac=problem.jac, hessp=problem.hessp)
    >>> problem.unravel(found.x.round(4))
    {'a': array([3., 3.]), 'b': 0.4102}
    """
    return ScipyProblem(f, like, sparse)


@where_active(for_scipy)
def _refused(*_: Any) -> Any:
    raise NotDifferentiable(
        "for_scipy of a function that depends on the values being differentiated: SciPy's optimisers cannot be "
        "followed; write a rule for the solution (the implicit function theorem), or an optimiser in Python"
    )
