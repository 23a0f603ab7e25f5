"""Single complex numbers: the text computes with the very numbers that the program has, be they Python's or NumPy's.

A cotangent is ``dL/dRe + i dL/dIm``, as in `chainrules`: a holomorphic function sends the conjugate of its derivative,
and what is sent to a real number is the real part. A variable may hold both: then a real number in it is taken for a
complex one until the way back comes to what is known to be real.
"""

from __future__ import annotations

import cmath
import sys
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from morula.static.python.ir import Compute, Invoke, Program, Unsupported, is_name
from morula.static.python.sums import compensated, lost, lost_from_zero

__all__ = [
    "COMPLEX", "OF_COMPLEX", "OF_LISTS", "TAKEN_APART", "check_complex", "complex_terms", "complex_text",
    "is_of_complex", "types_of_complex_call",
]  # fmt: skip

COMPLEX = frozenset(["complex", "np.complex128"])
REAL = frozenset(["float", "np.float64"])
PARTS = {"complex": "float", "np.complex128": "np.float64"}
FLOAT, NUMBER, PYTHON = frozenset(["float"]), frozenset(["np.float64"]), frozenset(["complex"])


def real(z: complex) -> float:
    """``z.real``."""
    return z.real


def imag(z: complex) -> float:
    """``z.imag``."""
    return z.imag


def conjugate(z: complex) -> complex:
    """``z.conjugate()``."""
    return z.conjugate()


TAKEN_APART = {"real": real, "imag": imag, "conjugate": conjugate}
TO_REAL = frozenset([abs, real, imag, np.absolute, cmath.phase])
FROM_REAL = frozenset([complex, cmath.rect])
HOLOMORPHIC = frozenset([
    cmath.exp, cmath.sqrt, cmath.sin, cmath.cos, cmath.tan, cmath.sinh, cmath.cosh, cmath.tanh, cmath.atan,
    cmath.asin, cmath.acos, cmath.asinh, cmath.acosh, cmath.atanh, cmath.log10, cmath.log,
])  # fmt: skip
OF_NUMPY = frozenset([np.exp, np.sqrt, np.log, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.square])
AS_PYTHON = {np.absolute: abs, np.conjugate: conjugate}
# What is called nowhere but with complex numbers, or makes such.
OF_COMPLEX = frozenset([real, imag, conjugate, np.conjugate, cmath.phase]) | FROM_REAL | HOLOMORPHIC
ADDING = frozenset([lost, lost_from_zero, compensated])  # of `sum`, which makes up for nothing before Python 3.14
CALLED = OF_COMPLEX | OF_NUMPY | {abs, np.absolute} | (ADDING if sys.version_info < (3, 14) else set())
OPERATIONS = frozenset([
    "add", "sub", "mul", "truediv", "pow", "neg", "pos", "copy", "bound", "unset", "not", "==", "!=",
])  # fmt: skip
OF_LISTS = frozenset(["index", "display", "new", "copied", "sliced", "joined", "reversed", "length"])


class Known(Protocol):
    """What is known of the types of a program's numbers."""

    def __getitem__(self, atom: str) -> frozenset[str]: ...


def is_of_complex(s: Compute, types: Known) -> bool:
    """Whether an operation of numbers or lists takes or gives a complex number."""
    return s.op != "numpy" and (s.f in OF_COMPLEX or any(types[a] & COMPLEX for a in (*s.args, s.target)))


def types_of_complex_call(f: Any, given: list[frozenset[str]]) -> frozenset[str] | None:
    """The types that a call gives, where it takes or gives complex numbers; None for any other call."""
    together = frozenset[str]().union(*given)
    if f is cmath.phase:
        return FLOAT
    if f in TO_REAL and (together & COMPLEX or f in OF_COMPLEX):
        return frozenset([PARTS.get(t, t) for t in together])
    if f is conjugate:
        return together
    if f in FROM_REAL | HOLOMORPHIC:
        return PYTHON
    return frozenset(["np.complex128"]) if isinstance(f, np.ufunc) and together & COMPLEX else None


# -- what a program may do with them ----------------------------------------------------------------------------


def check_complex(program: Program, types: Any) -> None:
    """Refuse a program whose text might do otherwise with complex numbers than the program does."""
    has_any = False
    program.makes_float |= types.has_complex
    for s in program.statements():
        if isinstance(s, Compute) and is_of_complex(s, types):
            has_any = True
            _check(s, [types[a] for a in s.args], types)
        if isinstance(s, Compute) and s.op == "numpy" and any(types[a] & COMPLEX for a in s.args):
            has_any = True
            if any(types[a] & COMPLEX and is_name(a) for a in s.args):
                raise Unsupported("arrays together with complex numbers")
        if isinstance(s, Invoke) and any(types[name] & COMPLEX and types[name] - COMPLEX for name, _ in s.passed()):
            raise Unsupported("a recursive function of complex numbers and real ones")
    for name in {s.array for s in program.statements() if hasattr(s, "array")}:
        if types[name] & COMPLEX:
            _check_list(name, types)
    if has_any and (program.verb not in ("gradient", "pullback") or program.is_exact):
        raise Unsupported("complex numbers, for another verb")


def _check_list(name: str, types: Any) -> None:
    if types[name] - COMPLEX or not types.is_of_python(name):
        raise Unsupported("a list of complex numbers and real ones")


def _check(s: Compute, given: list[frozenset[str]], types: Any) -> None:
    is_list = s.op in OF_LISTS
    if is_list and s.op not in ("index", "length") and types[s.target] & COMPLEX:
        _check_list(s.target, types)
    if is_list or s.op == "copy":
        return
    if s.op == "call" and s.f not in CALLED:
        raise Unsupported("a call that complex numbers are given to")
    if s.op != "call" and s.op not in OPERATIONS:
        raise Unsupported("an operation of complex numbers")
    is_made = s.f is cmath.rect or (s.f is complex and len(given) > 1)
    if is_made and any(t - REAL - {"int"} for t in given):
        raise Unsupported("a complex number made of something other than real ones")
    if s.f in TAKEN_APART.values() and not given[0] & COMPLEX:
        raise Unsupported("a part of a real number")
    if isinstance(s.f, np.ufunc) and given[0] - COMPLEX:
        raise Unsupported("a function of NumPy of complex numbers and real ones")
    if any(t - COMPLEX - REAL - {"int"} or ("np.float64" in t and len(t) > 1) for t in given):
        raise Unsupported("complex numbers together with others of several types")


# -- texts --------------------------------------------------------------------------------------------------------


def complex_text(s: Compute, args: list[str], types: Known, named: Callable[[Any], str]) -> str | None:
    """The text of an operation, where that is another one than of real numbers."""
    if s.f in ADDING:
        return args[0] if s.f is compensated else args[-1]
    if s.op == "call":
        x = args[0] if is_name(s.args[0]) else f"({args[0]})"
        if s.f in (real, imag):
            found = f"{x}.{s.f.__name__}"
        elif s.f is conjugate:
            return f"{x}.conjugate()"
        else:
            found = f"{named(s.f)}({', '.join(args)})"
        return f"float({found})" if s.f in TO_REAL and types[s.target] == NUMBER else found
    signs = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**"}
    if s.op not in signs:
        return None
    of_numpy = ["np.float64" in types[a] for a in s.args]  # which is Python's in the text
    texts = [f"float64({text})" if wrap else text for text, wrap in zip(args, of_numpy, strict=True)]
    return f" {signs[s.op]} ".join(texts)


def complex_terms(
    s: Compute, z: str, value: Callable[[str], str], wanted: Callable[[str], bool], partial: Callable[[], str],
    types: Known,
) -> list[tuple[str, str]]:  # fmt: skip
    """``(operand, text)``: what the cotangent `z` of the result sends to each wanted operand.

    Args:
        s: the operation.
        z: the name of the cotangent.
        value: gives the text of an atom's value on the way back.
        wanted: says which operands are.
        partial: gives the text of the derivative of a holomorphic function of one number.
        types: of all atoms.
    """
    found = []
    for atom, text in zip(s.args, _sent(s, z, value, partial), strict=False):
        if wanted(atom):
            found.append((atom, text() if types[atom] & COMPLEX else f"({text()}).real"))
    return found


def _sent(s: Compute, z: str, value: Callable[[str], str], partial: Callable[[], str]) -> list[Callable[[], str]]:
    """For each operand what gives the text, which has its conjugate where the slope is complex."""
    x, w, y = (lambda: value(s.args[0])), (lambda: value(s.args[1])), (lambda: value(s.target))
    by = lambda text: f"{z} * ({text}).conjugate()"
    found: dict[Any, list[Callable[[], str]]] = {
        "copy": [lambda: z], "bound": [lambda: z], "pos": [lambda: z], "neg": [lambda: f"-{z}"],
        "add": [lambda: z, lambda: z], "sub": [lambda: z, lambda: f"-{z}"],
        "mul": [lambda: by(w()), lambda: by(x())],
        "truediv": [lambda: f"{z} / ({w()}).conjugate()", lambda: f"-{by(f'{y()} / {w()}')}"],
        "pow": [lambda: by(f"{w()} * {x()} ** ({w()} - 1)"), lambda: by(f"{y()} * log_of({x()})")],
        abs: [lambda: f"({z} * ({x()} / {y()}) if {y()} else 0.0 * {z})"],
        real: [lambda: z], imag: [lambda: f"1j * {z}"], compensated: [lambda: z],
        conjugate: [lambda: f"({z}).conjugate()"],
        cmath.phase: [lambda: f"1j * {z} * {x()} / abs({x()}) ** 2"],
        complex: [lambda: z, lambda: f"({z}).imag"],
        cmath.rect: [lambda: by(f"turned_by({w()})"), lambda: by(f"1j * {y()}")],
        cmath.log: [lambda: f"{z} / ({x()}).conjugate()", lambda: "missing()"],
    }  # fmt: skip
    return found.get(AS_PYTHON.get(s.f, s.f) if s.op == "call" else s.op) or [lambda: by(partial())]
