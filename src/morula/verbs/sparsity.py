"""The verbs `jacobian_sparsity` and `hessian_sparsity`: patterns, from one run that marks what depends on what."""

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.registry import where_active
from morula.eager.forward.mark_graph import Graph
from morula.eager.forward.marks import marked
from morula.eager.forward.program import DerivedInside
from morula.errors import NotDifferentiable, ResultError
from morula.extras import needs
from morula.static.tiers.fallback import native_mode
from morula.verbs.directional import jvp
from morula.verbs.gradients import _user_errors
from morula.verbs.hessians import real_structure
from morula.verbs.reached import hessian_entries, jacobian_entries
from morula.verbs.structure import Structure
from morula.verbs.tape_patterns import compressed, pattern_by_tape

ndarray = np.ndarray


def scipy_sparse() -> Any:
    """`scipy.sparse`, which only these verbs need."""
    with needs("sparse", "scipy"):
        from scipy import sparse  # type: ignore[import-untyped]
    return sparse


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
        ImportError: SciPy is not installed.
        NotDifferentiable: `x` is complex.
        ResultError: the value is.

    >>> import numpy as np, morula
    >>> morula.jacobian_sparsity(lambda x: x[1:] * x[:-1], np.ones(4)).astype(int).toarray()
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    return jacobian_pattern(f, x, args, kwargs, real_structure(x, "jacobian_sparsity"))


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
    return hessian_pattern(f, x, args, kwargs, real_structure(x, "hessian_sparsity"))


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
        outs = real_result(y)
        found = outs.parts(y_marks)
        sizes = [leaf.count for leaf in outs.leaves]
        marks = np.concatenate(
            [np.zeros(0, int)]
            + [np.zeros(n, int) if p is None else np.ravel(p).astype(int) for p, n in zip(found, sizes, strict=True)]
        )
    except (DerivedInside, NotDifferentiable):
        y, _ = jvp(f, (x, *args), (None,) * (1 + len(args)), **kwargs)
        outs = real_result(y)
    return y, outs, marks, graph


def real_result(y: Any) -> Structure:
    """The structure of a value, whose leaves must be real."""
    outs = Structure(y, "the result")
    if any(leaf.is_complex for leaf in outs.leaves):
        raise ResultError("a sparse Jacobian of a complex result: return its real and imaginary parts")
    return outs


def jacobian_pattern(f: Callable, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
    """The pattern of a Jacobian; `structure` is that of `x`."""
    sparse = scipy_sparse()
    by_tape = pattern_by_tape(f, x, args, kwargs)
    if by_tape is not None:
        return sparse.csc_array(compressed(*by_tape), shape=by_tape[1]).tocsr()
    _, outs, marks, graph = _run(f, x, args, kwargs, structure, False)
    shape = outs.size, structure.size
    if marks is None:
        return sparse.csr_array(np.ones(shape, bool))
    rows, columns = jacobian_entries(graph, structure.size, marks)
    return sparse.csr_array((np.ones(len(rows), bool), (rows, columns)), shape=shape)


def hessian_pattern(f: Callable, x: Any, args: tuple, kwargs: dict, structure: Structure) -> Any:
    """The pattern of a Hessian; `structure` is that of `x`."""
    sparse = scipy_sparse()
    y, outs, marks, graph = _run(f, x, args, kwargs, structure, True)
    if outs.size != 1 or np.ndim(y) != 0 or outs.leaves[0].path:
        raise ResultError("a Hessian needs a function that returns one real number")
    n = structure.size
    if marks is None:
        return sparse.csr_array(np.ones((n, n), bool))
    return hessian_entries(graph, n, int(marks[0]))


def refused(*_: Any) -> Any:
    """What verbs of sparse matrices do inside a differentiated function."""
    raise NotDifferentiable(
        "sparse Jacobians and Hessians inside a differentiated function are not implemented; use morula.jacobian "
        "or morula.hessian there"
    )


for _verb in (jacobian_sparsity, hessian_sparsity):
    where_active(_verb)(refused)
