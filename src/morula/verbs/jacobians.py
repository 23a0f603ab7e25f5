"""The verbs `jacobian`, `withjacobian` and `wirtinger`: all partial derivatives of all results."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from morula.eager.calls.foreign_arguments import refuse_foreign_arguments
from morula.errors import MorulaError, ResultError, at_user_line
from morula.static.tiers.jacobians import value_and_jacobians
from morula.verbs.blocks import Blocks, Pushed, columns_of, leaves_of
from morula.verbs.gradients import _user_errors, add_hint
from morula.verbs.progress import Progress
from morula.verbs.structure import Leaf, Structure
from morula.verbs.taped import Taped

ndarray = np.ndarray
_MODES = (None, "forward", "reverse")
FORWARD_RUN = 2  # sweeps back that take about as long as one run forward


class WithJacobian(NamedTuple):
    """What `withjacobian` returns: the value of the function, and a Jacobian for each argument, as of `jacobian`.

    >>> withjacobian(lambda x: [x, x**2], 3.0)
    WithJacobian(value=[3.0, 9.0], jacobian=([1.0, 6.0],))
    """

    value: Any
    jacobian: tuple[Any, ...]


class Wirtinger(NamedTuple):
    """The two derivatives of a function of a complex number.

    Attributes:
        z: the derivative with respect to `z`, which is (d/dRe - i d/dIm) / 2.
        conj: the derivative with respect to the conjugate of `z`, which is (d/dRe + i d/dIm) / 2.

    >>> wirtinger(lambda z: z * z.conjugate(), 1.0 + 2.0j)
    (Wirtinger(z=(1-2j), conj=(1+2j)),)
    """

    z: Any
    conj: Any


def jacobian(
    f: Callable[..., Any], /, *args: Any, mode: str | None = None, holomorphic: bool = False,
    progress: Progress | None = None, **kwargs: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Compute the derivatives of every result of a function with respect to every number of its arguments.

    Args:
        f: a function that returns a number, an array, or tuples, lists, dicts and objects of them.
        args: as for `gradient`.
        mode: "forward" (one run of `f` for each number of the arguments), "reverse" (one run, and one backward pass for
            each number of the result), or None for the one expected to be faster. A `hook` acts in the backward pass,
            and so in reverse mode only.
        holomorphic: `f` is a holomorphic function of its complex arguments, whose complex derivatives are wanted.
            That is checked in one random direction.
        progress: a progress bar for loops, such as `tqdm`; it is called with a range (of rows or columns), and the
            result is iterated over.
        kwargs: passed on to `f`; constants.

    Returns:
        A tuple with one Jacobian for each positional argument. For a result `y` and an argument `a`, numbers or
        arrays, it has the shape ``y.shape + a.shape`` (a number where both are numbers), the dtype of the gradient with
        respect to `a`, and zeros where `y` does not depend on `a`. A structure of results has a structure of such, and
        a structure of
        arguments a structure of arrays in each of these. None means that there is no derivative.
        A complex result of a real argument has complex derivatives; a real result of a complex one has dy/dRe + i
        dy/dIm, as a gradient has.

    Raises:
        ResultError: the result is complex, and so is an argument, without `holomorphic`; or with it, and `f` is
            not holomorphic.
        NotDifferentiable: as `gradient`; or a result or an argument is a set or the like.
        MorulaError: there is no such mode.

    >>> import numpy as np, morula
    >>> morula.jacobian(lambda x, k: k * x**2, np.array([1.0, 2.0]), 3.0)
    (array([[ 6.,  0.],
           [ 0., 12.]]), array([1., 4.]))
    >>> morula.jacobian(lambda p: {"sum": p["a"] + p["b"], "a": p["a"]}, {"a": 1.0, "b": 2.0})
    ({'sum': {'a': 1.0, 'b': 1.0}, 'a': {'a': 1.0, 'b': 0.0}},)
    >>> morula.jacobian(np.exp, 1j * np.pi, holomorphic=True)[0].real
    -1.0
    """
    try:
        if progress is None and not holomorphic and mode in _MODES:
            found = value_and_jacobians(f, args, kwargs, mode)
            if found is not None:
                return found[1]
        return _jacobian(f, args, kwargs, mode, holomorphic, progress).jacobian
    except BaseException as error:
        at_user_line(error)
        add_hint(error, (f, *args), kwargs)
        raise


@_user_errors
def withjacobian(
    f: Callable[..., Any], /, *args: Any, mode: str | None = None, holomorphic: bool = False, **kwargs: Any
) -> WithJacobian:
    """Compute the value and the Jacobian of a function.

    Args:
        f, args, mode, holomorphic, kwargs: as for `jacobian`.

    Returns:
        A named pair ``(value, jacobian)``.

    Raises:
        As `jacobian`.

    >>> import numpy as np, morula
    >>> morula.withjacobian(lambda x: x**2, np.array([1.0, 2.0]))
    WithJacobian(value=array([1., 4.]), jacobian=(array([[2., 0.],
           [0., 4.]]),))
    """
    if not holomorphic and mode in _MODES:
        found = value_and_jacobians(f, args, kwargs, mode)
        if found is not None:
            return WithJacobian(*found)
    return _jacobian(f, args, kwargs, mode, holomorphic)


@_user_errors
def wirtinger(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Compute the Wirtinger derivatives of a function of complex numbers, which need not be holomorphic.

    To first order ``f(z + h) = f(z) + df/dz h + df/dz* conj(h)``. For a real argument both are half of its
    derivative. The derivative with respect to the conjugate is zero exactly where `f` is holomorphic; for a real `f` it
    is half
    of its gradient.

    Args:
        f: a function of any numbers, real or complex, of any result.
        args: as for `gradient`.
        kwargs: passed on to `f`; constants.

    Returns:
        A tuple with a named pair ``Wirtinger(z, conj)`` for each positional argument; each has the structure and
        the shapes that `jacobian` gives, and is complex.

    Raises:
        NotDifferentiable: as `jacobian`.

    >>> import morula
    >>> morula.wirtinger(lambda z: z * z.conjugate(), 3 + 4j)
    (Wirtinger(z=(3-4j), conj=(3+4j)),)
    """
    _, ins, outs, blocks = _blocks(f, args, kwargs, None, None)

    def halves(sign: int) -> Callable[[int, int], ndarray]:
        def half(i: int, j: int) -> ndarray:
            real = blocks.by_re[i][j] / 2
            return real + sign * 0.5j * blocks.by_im[i][j] if blocks.xs[j].is_complex else real + 0j

        return half

    by_z, by_conj = (nested(ins, outs, blocks, halves(sign)) for sign in (-1, 1))
    return tuple(Wirtinger(*pair) for pair in zip(by_z, by_conj, strict=True))


def _jacobian(
    f: Callable, args: tuple, kwargs: dict, mode: str | None, holomorphic: bool, progress: Progress | None = None
) -> WithJacobian:
    """By the engine, where no compiled code gives all of it at once."""
    y, ins, outs, blocks = _blocks(f, args, kwargs, mode, holomorphic, progress)

    def derivative(i: int, j: int) -> ndarray:
        if not blocks.xs[j].is_complex or blocks.ys[i].is_complex:
            return blocks.by_re[i][j]
        return blocks.by_re[i][j] + 1j * blocks.by_im[i][j]

    return WithJacobian(y, nested(ins, outs, blocks, derivative))


def _blocks(
    f: Callable, args: tuple, kwargs: dict, mode: str | None, holomorphic: bool | None,
    progress: Progress | None = None,
) -> tuple[Any, list[Structure], Structure, Blocks]:  # fmt: skip
    """The value, the structures of the arguments and the value, and the matrices of the jacobian.

    `holomorphic` may be None, which means that any function of complex numbers will do.
    """
    if mode not in _MODES:
        raise MorulaError(f"the mode of a jacobian must be 'forward', 'reverse' or None, not {mode!r}")
    refuse_foreign_arguments(args, None)
    ins = [Structure(a, f"argument {j + 1}") for j, a in enumerate(args)]
    xs = leaves_of(ins)
    if holomorphic and not any(x.is_complex for x in xs):
        raise ResultError("jacobian with holomorphic=True needs a complex argument, and all of them are real")
    columns = sum(x.count if holomorphic else x.size for x in xs)
    if mode != "forward" and (mode == "reverse" or columns > 1):
        taped = Taped(f, args, kwargs, ins)
        try:
            refuse_nothing(taped.y)
            refuse_two_complex(taped.outs, xs, holomorphic)
            rows = sum(y.count if holomorphic else y.size for y in taped.outs.leaves)
            if mode == "reverse" or rows <= FORWARD_RUN * columns:
                blocks = Blocks(taped.outs.leaves, xs)
                blocks.sweep(taped, bool(holomorphic), progress)
                if holomorphic:
                    blocks.probe_sweep(taped)
                mode = "reverse"
        finally:
            taped.close()
        if mode == "reverse":
            return taped.y, ins, taped.outs, blocks
        del taped
    found = None if holomorphic else columns_of(f, args, kwargs, ins)
    if found is not None:
        y, columns_by_leaf = found
        outs = Structure(y, "the result")
        blocks = Blocks(outs.leaves, xs)
        for j, columns_of_leaf in enumerate(columns_by_leaf):
            blocks.by_re[0][j][:] = columns_of_leaf.T
        return y, ins, outs, blocks
    pushed = Pushed(f, args, kwargs, ins)
    refuse_nothing(pushed.y)
    refuse_two_complex(pushed.outs, xs, holomorphic)
    blocks = Blocks(pushed.outs.leaves, xs)
    blocks.push(pushed, bool(holomorphic), progress)
    if holomorphic:
        blocks.probe_push(pushed)
    return pushed.y, ins, pushed.outs, blocks


def refuse_nothing(y: Any) -> None:
    """Raise where a function returns nothing that could have a Jacobian."""
    if y is None or isinstance(y, str | bytes):
        hint = " (is a return statement missing?)" if y is None else ""
        raise ResultError(
            f"jacobian needs a function that returns numbers, and this one returned {type(y).__name__}{hint}"
        )


def refuse_two_complex(outs: Structure, xs: list[Leaf], holomorphic: bool | None) -> None:
    """Raise where complex results meet complex arguments, and `holomorphic` leaves open what is meant."""
    if holomorphic is False and any(y.is_complex for y in outs.leaves) and any(x.is_complex for x in xs):
        raise ResultError(
            "jacobian of a complex result with respect to a complex argument: pass holomorphic=True if the "
            "function is holomorphic; otherwise use morula.wirtinger, or differentiate the real and the imaginary "
            "part of the result"
        )


def nested(
    ins: list[Structure], outs: Structure, blocks: Blocks, matrix: Callable[[int, int], ndarray]
) -> tuple[Any, ...]:
    """For each argument the matrices in the structure of the result, and of the argument inside that."""
    found = []
    start = 0
    for s in ins:
        rows = []
        for i, y in enumerate(blocks.ys):
            parts = [finished(y, x, matrix(i, j)) for j, x in enumerate(s.leaves, start)]
            rows.append(s.tangent(parts))
        found.append(outs.tangent(rows))
        start += len(s.leaves)
    return tuple(found)


def finished(y: Leaf, x: Leaf, matrix: ndarray) -> Any:
    """A matrix in the shape of the result and the argument; a number where both are numbers."""
    matrix = (matrix + 0.0).reshape(y.shape + x.shape)  # no negative zeros of conjugates
    if x.number is None or y.number is None:
        return matrix
    return matrix[()] if issubclass(x.number, np.generic) else matrix.item()
