"""Where the adjoints and tangents of whole-array functions are kept, and how one is declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from morula.static.numba.array_rules.shared import dot_of
from morula.static.numba.generated import defined

_BAR, _DOT = "_bar", "_dot"


@dataclass(frozen=True)
class ArrayRule:
    """The adjoint and the tangent of one NumPy function, in Numba's subset.

    ``adjoint(y, y_bar, *parameters, *bars)`` adds the cotangents of the arguments. The bars stand in the order of
    ``differentiable``:

    - of an array: an array of its shape, into which the cotangent is added;
    - of a number: any number, which only says that the cotangent is wanted;
    - of a tuple of arrays (or of numbers): a tuple of such;
    - ``None`` where the cotangent is not wanted. Numba drops what stands under ``if a_bar is not None:`` then.

    It returns one number for each name in ``numbers``, as a tuple, and nothing where there is none: the cotangents of
    the parameters that may be numbers; 0 for those that are arrays or not wanted. A parameter that is a tuple of
    numbers has a tuple there. What an array's adjoint must not read (see ``reads``) may be passed as anything of the
    same type and shape.

    ``tangent(y, *parameters, *dots)`` returns the tangent of the value, in fresh memory; dots are as bars, and a
    number's is its tangent. At least one of them is not ``None``.

    Of functions with several results, ``y``, ``y_bar`` and the tangent are tuples.

    Attributes:
        primal: the NumPy function.
        parameters: their names, by position.
        defaults: the values of those that may be left out.
        adjoint: as above.
        tangent: as above.
        reads: whose values the adjoint looks at: ``"y"`` and names of parameters. Shapes do not count, nor do
            parameters that have no derivative.
        differentiable: the parameters that have a derivative, in order.
        numbers: those of them that may be numbers.
        linear: whether the function is linear in its differentiable parameters taken together: then the adjoint is
            linear in its bars and ``y_bar`` and reads nothing, and is its own tangent.
    """

    primal: Callable[..., Any]
    parameters: tuple[str, ...]
    defaults: Mapping[str, Any]
    adjoint: Callable[..., Any]
    tangent: Callable[..., Any]
    reads: frozenset[str]
    differentiable: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    linear: bool = False


RULES: dict[Callable[..., Any], ArrayRule] = {}


def array_rule(
    *primals: Callable[..., Any],
    tangent: Callable[..., Any] | None = None,
    reads: str = "",
    numbers: str = "",
    linear: bool = False,
    **defaults: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the rule of some functions, on their adjoint.

    The names come from the adjoint's own signature ``(y, y_bar, *parameters, *bars)``: ``a_bar`` says that ``a`` is
    differentiable.

    Args:
        primals: the functions.
        tangent: with the signature ``(y, *parameters, *dots)``. A linear function needs none: it is taken of the dots,
            and of zeros for ``None``.
        reads: names, with spaces between them.
        numbers: names, with spaces between them.
        linear: as in `ArrayRule`.
        defaults: of the parameters that may be left out.

    Returns:
        A decorator that returns the adjoint unchanged.

    Raises:
        TypeError: where the two signatures do not fit together.

    >>> def twice(x):
    ...     return 2.0 * x
    >>> def twice_adjoint(y, y_bar, x, x_bar):
    ...     x_bar += 2.0 * y_bar
    >>> declared = array_rule(twice, linear=True)(twice_adjoint)
    >>> rule = RULES.pop(twice)
    >>> rule.parameters, rule.differentiable, rule.tangent(6.0, 3.0, 1.0)
    (('x',), ('x',), 2.0)
    """

    def declare(adjoint: Callable[..., Any]) -> Callable[..., Any]:
        names = _names(adjoint)
        differentiable = tuple([n[: -len(_BAR)] for n in names[2:] if n.endswith(_BAR)])
        parameters = names[2 : len(names) - len(differentiable)]
        bars, dots = [tuple([n + end for n in differentiable]) for end in (_BAR, _DOT)]
        fits = names == ("y", "y_bar", *parameters, *bars)
        fits = fits and (linear if tangent is None else _names(tangent) == ("y", *parameters, *dots))
        readable = {"y", *parameters}
        if not fits or not {*defaults, *reads.split(), *numbers.split()} <= readable or (linear and reads):
            raise TypeError(f"the signatures of {adjoint.__name__} and its tangent do not fit together")
        for primal in primals:
            RULES[primal] = ArrayRule(
                primal,
                parameters,
                defaults,
                _findable(adjoint, primal, "adjoint"),
                _findable(tangent or tangent_of_linear(primal, parameters, differentiable), primal, "tangent"),
                frozenset(reads.split()),
                differentiable,
                tuple(numbers.split()),
                linear,
            )
        return adjoint

    return declare


def _findable(f: Callable[..., Any], primal: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """A function of a rule, which code that is kept on the disk imports: one that is made here gets a name here."""
    if not f.__qualname__.isidentifier() or f.__module__ is None:
        f.__module__, f.__qualname__ = __name__, f"{kind}_of_{primal.__module__}_{primal.__name__}".replace(".", "_")
        globals()[f.__qualname__] = f
    return f


def tangent_of_linear(
    primal: Callable[..., Any], parameters: tuple[str, ...], differentiable: tuple[str, ...]
) -> Callable[..., Any]:
    """The function of the tangents of its arguments: the tangent of a function that is linear in them together.

    >>> tangent_of_linear(lambda a, n: n * a, ("a", "n"), ("a",))(6.0, 2.0, 3, 1.0)
    3.0
    """
    given = ", ".join([f"dot_of({p}, {p}{_DOT})" if p in differentiable else p for p in parameters])
    listed = ", ".join(["y", *parameters, *[p + _DOT for p in differentiable]])
    text = f'def tangent({listed}):\n    """The same of the tangents."""\n    return primal({given})\n'
    made: Callable[..., Any] = defined(
        text, "tangent", f"<tangent of {primal.__name__}>", {"primal": primal, "dot_of": dot_of}
    )
    return made


def _names(f: Callable[..., Any]) -> tuple[str, ...]:
    code = f.__code__
    return code.co_varnames[: code.co_argcount]
