"""What a call to NumPy is in a program, there and back: texts in which the operands stand as ``{a0}``, ``{a1}`` ...

Shapes and dtypes are those that the arrays had when the text was made, which its guards see to, so that what
broadcasting did is known. Arrays are never written into, but for the cotangents of inputs, which nobody else has.
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from morula.static.python.plain_classes import dataclass
from morula.static.python.ruled_values import Pulled, alike, ruled, unpacked

__all__ = ["ARRAY", "HELPERS", "NUMBER", "Form", "Term", "summed", "zeros_of"]

FEW = 4096
SERIAL = 8192  # numbers
LETTERS = string.ascii_letters
ARRAY, NUMBER = frozenset(["array"]), frozenset(["np.float64"])


@dataclass(frozen=True)
class Term:
    """What the cotangent ``{z}`` sends to an operand, by ``{y}``, the operands and ``{p}``, the `Form.prelude`.

    To a list of the text it is sent by a call, which adds to the list's cotangent ``{s}``.

    Attributes:
        index: where in the operand it belongs; empty: everywhere.
        is_number: one number for all elements, or an array that is still to be broadcast.
        of_number: what becomes of such a `z`: ``""``, it has to be broadcast first; ``"array"``: an array of the
            operand's shape all the same; ``"number"``: something that is still to be broadcast, too.
    """

    text: str
    index: str = ""
    is_number: bool = False
    of_number: str = ""


@dataclass(frozen=True, eq=False)
class Form:
    """A call.

    Attributes:
        text: what the program does.
        types: of the result.
        terms: for each operand, None where nothing is sent.
        plain: the text where nothing is differentiated; empty: the same one.
        prelude: what the terms share.
        ints: the operands that have to be integers.
        floats: those that have to be floats.
        python: those that may be no number of NumPy's.
        places: those that are arrays of indices.
        is_drawn: whether it is to stand just where it stands in the program.
        is_constant: whether the result is no function of its operands that has a derivative, not even one of zero.
        may_be_absent: whether a derivative of zero may stand for none: the eager tier has followed the call.
        raises_alike: whether it raises what the program does, so that the text may catch that.
        still: the operands that may not move: where one does, the eager tier says that there is no derivative.
    """

    text: str
    types: frozenset[str]
    terms: tuple[Term | None, ...]
    plain: str = ""
    prelude: str = ""
    ints: tuple[int, ...] = ()
    floats: tuple[int, ...] = ()
    python: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    is_drawn: bool = False
    is_constant: bool = False
    may_be_absent: bool = False
    raises_alike: bool = False
    still: tuple[int, ...] = ()

    def values(self, args: tuple[str, ...]) -> tuple[str, ...]:
        """The operands that are computed with, and do not just say where."""
        return tuple([a for i, a in enumerate(args) if i not in self.ints and i not in self.places])


def summed(text: str, shape: tuple[int, ...], to: tuple[int, ...]) -> str:
    """A text of an array of a shape, summed over what broadcasting from the shape `to` has added.

    >>> summed("z", (5, 3), (3,)), summed("z", (5, 3), (5, 1)), summed("z", (3,), ())
    ('add_reduce(z, 0)', 'add_reduce(z, 1).reshape((5, 1))', 'float(add_reduce(z))')
    """
    if shape == to:
        return text
    if not to:
        return f"float(add_reduce({text}{', None' if len(shape) > 1 else ''}))"
    lead = len(shape) - len(to)
    axes = [i for i, n in enumerate(shape) if i < lead or n != to[i - lead]]
    add = "add_between" if len(axes) == 1 and 0 < axes[0] < len(shape) - 1 else "add_reduce"
    text = f"{add}({text}, {axes[0] if len(axes) == 1 else tuple(axes)})"
    left = tuple([n for i, n in enumerate(shape) if i not in axes])
    return text if left == to else f"{text}.reshape({to})"


def zeros_of(shape: tuple[int, ...]) -> np.ndarray:
    """Zeros that take no memory, and that nobody can write into."""
    return np.broadcast_to(0.0, shape)


# -- what the texts call ----------------------------------------------------------------------------------


def at(zeros: np.ndarray, index: Any, x_bar: Any) -> np.ndarray:
    """The cotangent of an array of which a part was read."""
    found = np.zeros(zeros.shape)
    found[index] = x_bar
    return found


def scatter(zeros: np.ndarray, index: Any, x_bar: Any) -> np.ndarray:
    """The cotangent of an array of which some numbers were read, maybe more than once."""
    found = np.zeros(zeros.shape)
    np.add.at(found, index, x_bar)
    return found


def complex_at(shape: tuple[int, ...], index: Any, x_bar: Any) -> np.ndarray:
    """The same of a complex array, also where places come twice."""
    found = np.zeros(shape, complex)
    np.add.at(found, index, x_bar)
    return found


def plus_at(before: np.ndarray, index: Any, x_bar: Any) -> np.ndarray:
    """The same, added to what it was before."""
    found = before.copy()
    found[index] += x_bar
    return found


def minus_at(before: np.ndarray, index: Any, x_bar: Any) -> np.ndarray:
    """The same, taken off what it was before."""
    found = before.copy()
    found[index] -= x_bar
    return found


def largest(x: np.ndarray) -> Any:
    """A number that is 0 where all of an array is, and neither finite nor an infinity where something in it is not."""
    if x.size < FEW:
        return np.vdot(x, x)
    most, least = x.max(), x.min()  # quicker than what BLAS does by several threads
    return most if most > -least else -least


def put(x: np.ndarray, index: Any, value: Any) -> np.ndarray:
    """The array that ``x[index] = value`` leaves."""
    x = x.copy()
    x[index] = value
    return x


def put_add(x: np.ndarray, index: Any, value: Any) -> np.ndarray:
    x = x.copy()
    x[index] += value
    return x


def put_sub(x: np.ndarray, index: Any, value: Any) -> np.ndarray:
    x = x.copy()
    x[index] -= value
    return x


def put_each_add(x: np.ndarray, index: Any, value: Any) -> np.ndarray:
    """The array that ``np.add.at(x, index, value)`` leaves."""
    x = x.copy()
    np.add.at(x, index, value)
    return x


def put_each_sub(x: np.ndarray, index: Any, value: Any) -> np.ndarray:
    x = x.copy()
    np.subtract.at(x, index, value)
    return x


def once(places: tuple[np.ndarray, ...], shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Places along the first axes of an array of a shape, none of which may come twice.

    >>> once((np.array([0, 1]), np.array([1, -1])), (2, 3))[1]
    array([ 1, -1])
    """
    whole = np.broadcast_arrays(*places) if any(p.ndim > 1 for p in places) else places
    given = [[i % n for i in p.ravel().tolist()] for p, n in zip(whole, shape, strict=False)]
    if len(set(zip(*given, strict=True))) < len(given[0]):
        raise ValueError
    return places


def add_between(x: np.ndarray, axis: int) -> np.ndarray:
    """The sum along an axis that has others on both sides, for which `numpy.sum` begins a new loop at each step."""
    axes = LETTERS[: x.ndim]
    found: np.ndarray = np.einsum(f"{axes}->{axes.replace(axes[axis], '')}", x)
    return found


def missing() -> None:
    """In place of a derivative that is not implemented: the eager tier says so, if it is needed there, too."""
    raise ValueError


def without(x_bar: np.ndarray, index: Any) -> np.ndarray:
    """The cotangent of an array of which a part was written anew."""
    return put(x_bar, index, 0.0)


def vdot(x: np.ndarray, y: np.ndarray) -> float:
    """The sum of the products, in parts that are too short for BLAS to start threads, which may cost more than all."""
    if x.size <= SERIAL:
        return np.vdot(x, y)
    x, y = x.reshape(-1), y.reshape(-1)
    return sum([np.vdot(x[i : i + SERIAL], y[i : i + SERIAL]) for i in range(0, x.size, SERIAL)])


HELPERS: dict[str, Any] = {
    "alike": alike, "at": at, "complex_at": complex_at, "plus_at": plus_at, "minus_at": minus_at, "scatter": scatter,
    "put": put,
    "put_add": put_add, "put_sub": put_sub, "put_each_add": put_each_add, "put_each_sub": put_each_sub, "once": once,
    "without": without, "ruled": ruled, "followed": ruled, "pulled": Pulled, "unpacked": unpacked, "missing": missing,
    "add_reduce": np.add.reduce, "max_reduce": np.maximum.reduce, "min_reduce": np.minimum.reduce,
    "add_between": add_between,
    "vdot": vdot, "largest": largest, "zeros": np.zeros, "where": np.where, "key": np.s_,
}  # fmt: skip
