"""``np.einsum``: the cotangent of an operand is another such sum, of the result's cotangent and the other operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.forms import Term
from morula.static.python.scopes import Array, Static

__all__ = ["Einsums", "indices_of"]


class Einsums:
    """The part of a `front.Builder` that reads it."""

    program: Any
    allowed: Callable[[Any], None]
    is_array: Callable[[Any], bool]
    as_array: Callable[[Any], Array]
    made: Callable[..., Any]
    given: Callable[[dict[str, Any], Any], str]

    def _einsum(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        """A sum of products of arrays of floats; None where it is the rule's to say what the cotangents are."""
        text = args[0].value if args and isinstance(args[0], Static) else None
        if named or type(text) is not str or not all(map(self.is_array, args[1:])):
            return None
        found = indices_of(text)
        operands = [self.as_array(x) for x in args[1:]]
        if found is None or len(found[0]) != len(operands) or any(x.dtype != np.float64 for x in operands):
            return None
        inputs, output = found
        self.allowed(f)
        name = self.given(self.program.space, f)
        terms = []
        for k, indices in enumerate(inputs):
            others = [i for i in range(len(inputs)) if i != k]
            if not set(indices) <= set(output).union(*[inputs[i] for i in others]):
                return None
            back = f"{','.join([output, *[inputs[i] for i in others]])}->{indices}"
            terms.append(Term(f"{name}({', '.join([repr(back), '{z}', *[f'{{a{i}}}' for i in others]])})"))
        called = f"{name}({', '.join([repr(text), *[f'{{a{i}}}' for i in range(len(operands))]])})"
        return self.made(lambda *xs: np.einsum(text, *xs), called, operands, lambda shape: tuple(terms))


def indices_of(text: str) -> tuple[list[str], str] | None:
    """The indices of the operands and of the result; None where an operand has one twice, or some are not written.

    >>> indices_of("ij, jk"), indices_of("ij,j->i"), indices_of("ii->i")
    ((['ij', 'jk'], 'ik'), (['ij', 'j'], 'i'), None)
    """
    left, arrow, output = text.replace(" ", "").partition("->")
    inputs = left.split(",")
    if not arrow:
        letters = "".join(inputs)
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if not all(part.isalpha() and len(set(part)) == len(part) for part in inputs):
        return None
    return (inputs, output) if output.isalpha() or not output else None
