"""Arrays of complex numbers, between what makes them, such as a Fourier transform, and what makes them real again.

Cotangents are those of `chainrules`: ``dL/dRe + i dL/dIm``, so that a holomorphic function sends the conjugate of its
derivative. Those of complex arrays are complex wherever there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from morula.static.python.forms import Term, summed
from morula.static.python.ir import Unsupported, is_name
from morula.static.python.ndarrays import NdArrays, Value
from morula.static.python.scopes import Array

__all__ = ["COMPLEX", "ComplexArrays", "is_complex"]

COMPLEX = np.dtype(np.complex128)
SLOPES = {
    np.add: ("{z}", "{z}"),
    np.subtract: ("{z}", "-{z}"),
    np.multiply: ("{z} * {conj}({a1})", "{z} * {conj}({a0})"),
    np.true_divide: ("{z} / {conj}({a1})", "-({z} * {conj}({y}) / {conj}({a1}))"),
    np.negative: ("-{z}",),
    np.positive: ("{z}",),
    np.conjugate: ("{conj}({z})",),
    np.absolute: ("{z} * {sign}({a0})",),  # the direction of a complex number, 0 at 0
    np.exp: ("{z} * {conj}({y})",),
    np.sqrt: ("{z} / {conj}(2.0 * {y})",),
    np.log: ("{z} / {conj}({a0})",),
    np.square: ("{z} * {conj}(2.0 * {a0})",),
    np.power: ("{z} * {conj}({a1} * {a0} ** ({a1} - 1))", ""),  # by a number that is written out
}


class ComplexArrays(NdArrays):
    """The part of a `front.Builder` that computes with complex arrays."""

    def complex_element(self, f: Any, operands: list[Value], text: str) -> Any:
        """An operation of which an operand is a complex array, element by element."""
        if f not in SLOPES:
            raise Unsupported(f"a call to {f.__name__} of complex numbers", self.line)
        names = {
            "conj": self.given(self.program.space, np.conjugate), "sign": self.given(self.program.space, np.sign),
            **{name: f"{{{name}}}" for name in ("z", "y", "a0", "a1")},
        }  # fmt: skip

        def terms(shape: tuple[int, ...]) -> tuple:
            found: list[Term | None] = []
            for x, slope in zip(operands, SLOPES[f], strict=True):
                slope = slope.format_map(names)
                to = x.shape if isinstance(x, Array) else ()
                if not isinstance(x, Array) and not is_name(x):
                    found.append(None)
                    continue
                if not slope:
                    raise Unsupported("a power of complex numbers", self.line)
                is_real = not is_complex(x) and f is not np.absolute
                found.append(Term(summed(f"({slope}).real" if is_real else slope, shape, to)))
            return tuple(found)

        floats = tuple([i for i, x in enumerate(operands) if isinstance(x, str) and is_name(x)])
        return self.made(f, text, operands, terms, floats=floats, is_complex=True)

    def complex_attribute(self, x: Array, name: str) -> Any:
        """``x.real`` or ``x.imag``."""
        if is_complex(x):
            back = "({z} + 0j)" if name == "real" else "(1j * {z})"
        elif name == "real":
            back = "{z}"
        else:
            raise Unsupported("the imaginary part of an array of real numbers", self.line)
        text = f"{{a0}}.{name}"
        made = self.made(lambda a: getattr(a, name), text, [x], lambda shape: (Term(back),), is_complex=True)
        return self.view(x, made)


def is_complex(x: Value) -> bool:
    """Whether it is a complex array, or a complex number that is written out."""
    return x.dtype == COMPLEX if isinstance(x, Array) else x[-1] == "j" and not is_name(x)
