"""One contribution: a cotangent times a partial derivative, as text."""

import re

from numba.core import types

from morula.static import ir
from morula.static.front.operands import type_of
from morula.static.ir import Op
from morula.static.numba.elementary import describe_op
from morula.static.numba.emit.text import operand_text, vectorised


def contribution(s: Op, place: int, partial: str, g: str, is_guarded: bool) -> str:
    """What an operation adds to the cotangent of its operand number `place`.

    Complex numbers follow dL/dRe + i dL/dIm: the cotangent times the conjugate of the partial; a real operand takes
    the real part. A guarded product is 0 where either factor is exactly 0, so that an infinite partial, or seed,
    is killed by a zero.
    """
    x = s.args[place]
    operands = [getattr(y, "type", None) for y in [*s.args, s.out]]
    is_complex = any(isinstance(t, types.Complex) for t in operands)
    if not is_complex:
        return _real(s, partial, g, is_guarded)
    text = _complex(s, place, partial, g)
    if not isinstance(getattr(x, "type", None), types.Complex):
        text = f"({text}).real"
    return text


def _filled(s: Op, partial: str) -> str:
    return partial.format(*[operand_text(y) for y in s.args], y=s.out.name)


def _real(s: Op, partial: str, g: str, is_guarded: bool) -> str:
    if partial == "1":
        return g
    if partial == "-1":
        return f"-{g}"
    if partial == "conj":
        return g
    if partial.startswith("select"):
        test = operand_text(s.args[0])
        return f"({g} if {test} else 0.0)" if partial.endswith("1") else f"(0.0 if {test} else {g})"
    if partial.startswith("sign("):
        return f"{g} * np.sign({operand_text(s.args[0])})"
    if (condition := test_of(s, partial)) is not None:
        return f"({g} if {condition} else 0.0)"
    if s.kind == "binary" and s.attr == "**":
        special = _power(s, partial)
        if special is not None:
            partial = special
    text = vectorised(_filled(s, partial), [*s.args, s.out])
    if is_guarded:
        return f"times({g}, {text})"
    if partial.startswith("1.0 / ") and partial.count("/") == 1:
        return f"{g} / {text[6:]}" if _is_closed(text[6:]) else f"{g} / ({text[6:]})"
    if text.startswith("-"):
        return f"-{g} * {text[1:]}" if _is_product(text[1:]) else f"-{g} * ({text[1:]})"
    return f"{g} * {text}" if _is_product(text) else f"{g} * ({text})"


ONE_OR_ZERO = re.compile(r"\(?(1\.0 if (?P<one>.*) else 0\.0|0\.0 if (?P<zero>.*) else 1\.0)\)?")


def test_of(s: Op, partial: str) -> str | None:
    """The condition under which a partial is 1, if it is 0 otherwise: a choice takes less time than a product."""
    found = ONE_OR_ZERO.fullmatch(partial)
    if found is None:
        return None
    test = vectorised(_filled(s, found["one"] or found["zero"]), [*s.args, s.out])
    return test if found["one"] else f"not ({test})"


HALVES = {  # partials of powers by half numbers (adding 0.0 makes -0.0 the zero that `pow` takes it for)
    -1.5: "-1.5 / ({0} * {0} * np.sqrt({0} + 0.0))",
    -0.5: "-0.5 / ({0} * np.sqrt({0} + 0.0) + 0.0)",
    0.5: "0.5 / np.sqrt({0} + 0.0)",
    1.5: "1.5 * np.sqrt({0} + 0.0)",
    2.5: "2.5 * {0} * np.sqrt({0} + 0.0)",
}


def _power(s: Op, partial: str) -> str | None:
    """Shorter partials for powers that are written as literals."""
    p = getattr(s.args[1], "value", None)
    if not partial.startswith("power_dx") or not isinstance(p, int | float) or isinstance(p, bool):
        return None
    if p == 2:
        return "2.0 * {0}"
    if p == 3:
        return "3.0 * {0} * {0}"
    if p == 1:
        return "1.0"
    if isinstance(p, int) and p > 3:
        return f"{float(p)} * {{0}} ** {p - 1}"
    return HALVES.get(p)


MOST_FACTORS = 5  # of a power of a complex number that is written out: Numba calls `cpow` from 3 on


def of_complex(s: Op, place: int) -> str:
    """The partial derivative with respect to operand number `place`, for complex numbers."""
    if s.attr == "**" and place == 0 and type(p := getattr(s.args[1], "value", None)) in (int, float):
        x = operand_text(s.args[0])
        if p == 2:
            return f"{x} + {x}"
        for n in range(3, MOST_FACTORS + 1):
            if p == n:
                return " * ".join([str(float(n)), *[x] * (n - 1)])
    return str(describe_op(s.kind, s.attr).of_complex[place]).format(*[operand_text(y) for y in s.args], y=s.out.name)


def _complex(s: Op, place: int, partial: str, g: str) -> str:
    if partial == "1":
        return g
    if partial == "-1":
        return f"-{g}"
    if partial == "imag":
        return f"{g} * 1j"
    if partial == "conj":
        return f"{g}.conjugate()"
    if partial.startswith("select"):
        return _real(s, partial, g, False)
    if partial.startswith("sign("):
        return f"{g} * unit({operand_text(s.args[0])})"
    text = of_complex(s, place)
    other = s.args[-1 - place] if s.attr == "*" else s.args[1] if s.attr == "/" and place == 0 else None
    if other is not None and not ir.is_complex_type(type_of(other)) and g.isidentifier():
        factor = text if _is_product(text) else f"({text})"
        return f"complex({g}.real * {factor}, {g}.imag * {factor})"  # two products, where Numba would take four
    return f"{g} * np.conj({text})"


def _is_closed(text: str) -> bool:
    """Whether a text is one operand already."""
    if text.isidentifier():
        return True
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and k < len(text) - 1:
            return False
    return True


def _is_product(text: str) -> bool:
    """Whether a text can be a factor as it stands: no sum outside its brackets, and no quotient.

    (A quotient in brackets is computed beside the cotangent, not after it.)
    """
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if depth == 0 and c in "+-/" and k > 0 and text[k - 1] == " ":
            return False
    return " if " not in text
