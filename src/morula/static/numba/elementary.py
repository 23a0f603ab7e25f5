"""Elementary functions of numbers: how generated code says them, and what they cost.

In the texts `{0}`, `{1}` ... are the operands and `{y}` is the value. The partial derivatives of most are the library's
(`library_texts`). Words stand for those that are no partial derivatives of real numbers, or of Python's own functions:
``sign({0})`` of `abs`, ``imag``, ``conj``, and ``select_1``, ``select_2`` for what `np.where` takes.
"""

import cmath
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from chainrules import scalar_rule_for


@dataclass(frozen=True)
class Elementary:
    """One function.

    Attributes:
        text: the call, with `{0}` ... for the operands.
        given: its partial derivatives: those of the library, or texts; "1", "-1" and "0" are exact, None stands for an
            operand without derivative.
        is_cheap: recomputing it costs less than keeping its value.
        may_explode: a partial can be infinite where the value is finite.
    """

    text: str
    given: tuple[Any, ...]
    is_cheap: bool = False
    may_explode: bool = False

    @cached_property
    def partials(self) -> tuple[str | None, ...]:
        """One text for each operand."""
        return tuple([_text(p, float) for p in self.given])

    @cached_property
    def of_complex(self) -> tuple[str | None, ...]:
        """The texts for complex operands."""
        return tuple([_text(p, complex) for p in self.given])


def _text(partial: Any, kind: type) -> str | None:
    if partial is None or isinstance(partial, str):
        return partial if partial is None or kind is float else partial.replace("math.", "np.")
    from morula.static.numba import helpers as helpers  # which knows the names of what partials call
    from morula.static.numba.library_texts import text_of

    return text_of(partial, kind)


def of_library(f: Any) -> tuple[Any, ...] | None:
    """The partial derivatives of a function in the library."""
    rule = scalar_rule_for(f, of_library=True)
    return None if rule is None else rule.partials


UNARY = {
    "-": Elementary("-{0}", ("-1",), True),
    "+": Elementary("+{0}", ("1",), True),
    "not ": Elementary("not {0}", (None,), True),
    "~": Elementary("~{0}", (None,), True),
    "real": Elementary("{0}.real", ("1",), True),
    "value": Elementary("{0}.value", (None,), True),  # of a member of an enumeration
    "imag": Elementary("{0}.imag", ("imag",), True),
}

BINARY = {
    "+": Elementary("{0} + {1}", of_library(operator.add) or (), True),
    "-": Elementary("{0} - {1}", of_library(operator.sub) or (), True),
    "*": Elementary("{0} * {1}", of_library(operator.mul) or (), True),
    "/": Elementary("{0} / {1}", of_library(operator.truediv) or (), True),
    "**": Elementary("{0} ** {1}", of_library(operator.pow) or (), False, True),
    "//": Elementary("{0} // {1}", of_library(operator.floordiv) or (), True),
    "%": Elementary("{0} % {1}", of_library(operator.mod) or (), True),
    # `{0} % {1}` of an integer that is at most one above the range, or one below it
    "wrap_up": Elementary("({0} - {1} if {0} >= {1} else {0})", (None, None), True),
    "wrap_down": Elementary("({0} + {1} if {0} < 0 else {0})", (None, None), True),
    "bdim": Elementary("bdim({0}, {1})", (None, None), True),
    "max2": Elementary("max({0}, {1})", ("(1.0 if {0} > {1} else 0.0)", "(0.0 if {0} > {1} else 1.0)"), True),
    "min2": Elementary("min({0}, {1})", ("(0.0 if {0} > {1} else 1.0)", "(1.0 if {0} > {1} else 0.0)"), True),
    **{
        symbol: Elementary(f"{{0}} {symbol} {{1}}", (None, None), True)
        for symbol in ("<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "<<", ">>")
    },
}

# By whether recomputing a value costs less than keeping it, and whether a partial can be infinite beside a finite one.
DEAR = (
    "sin cos tan arctan sinh cosh tanh arcsinh exp exp2 expm1 erf erfc gamma lgamma hypot logaddexp logaddexp2".split()
)
DEAR_EXPLOSIVE = "arcsin arccos arccosh arctanh log log2 log10 log1p cbrt arctan2".split()
CHEAP = (
    "square fabs degrees radians deg2rad rad2deg floor ceil trunc rint positive negative ldexp copysign maximum "
    "minimum fmax fmin remainder mod fmod floor_divide"
).split()
CHEAP_EXPLOSIVE = "sqrt reciprocal".split()
COSTS: dict[str, tuple[bool, bool]] = {
    **dict.fromkeys(DEAR, (False, False)),
    **dict.fromkeys(DEAR_EXPLOSIVE, (False, True)),
    **dict.fromkeys(CHEAP, (True, False)),
    **dict.fromkeys(CHEAP_EXPLOSIVE, (True, True)),
}
SPECIAL: dict[str, tuple] = {  # which have no partial derivatives in the library
    "absolute": ("sign({0})",),
    "abs": ("sign({0})",),
    "conjugate": ("conj",),
    "sign": ("0",),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "signbit", "logical_not"), (None,)),
    **dict.fromkeys(
        ("logical_and", "logical_or", "logical_xor", "less", "less_equal", "greater", "greater_equal", "equal",
         "not_equal", "bitwise_and", "bitwise_or"),
        (None, None),
    ),
}  # fmt: skip
# Python's names of functions that NumPy names otherwise.
ALSO = {"arc" + name: "a" + name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")} | {"arctan2": "atan2"}
UNKNOWN = ("math.remainder", "math.fmod", "math.cbrt")  # to Numba; the first is another one than NumPy's
MODULES = (("math", math), ("np", np), ("cmath", cmath))


@cache
def table() -> dict[Any, Elementary]:
    """All functions that there are."""
    found: dict[Any, Elementary] = {}
    for name in (*COSTS, *SPECIAL):
        functions = {
            f"{prefix}.{n}": getattr(m, n, None) for prefix, m in MODULES for n in (name, ALSO.get(name, name))
        }
        rules = filter(None, map(of_library, (getattr(np, name, None), *functions.values())))
        partials = SPECIAL.get(name) or next(rules)  # NumPy's, where it has the function: they raise at no pole
        operands = ", ".join(f"{{{i}}}" for i in range(len(partials)))
        for spelling, f in functions.items():
            if f is not None and f not in found and spelling not in UNKNOWN:
                costs = COSTS.get(name, (name != "conjugate", False))
                found[f] = Elementary(f"{spelling}({operands})", partials, *costs)
    found[np.sinc] = Elementary("np.sinc({0})", ("sinc_dx({y}, {0})",))
    found[abs] = Elementary("abs({0})", ("sign({0})",), True)
    found[np.where] = Elementary("({1} if {0} else {2})", (None, "select_1", "select_2"), True)
    found.update(_of_helpers())
    found[round] = Elementary("round({0})", ("0",), True)
    found[np.round] = found[np.around] = Elementary("np.round({0})", ("0",), True)
    found[np.angle] = Elementary("np.angle({0})", ("-1j / {0}",), False, True)
    found[cmath.phase] = Elementary("cmath.phase({0})", ("-1j / {0}",), False, True)
    found[complex] = Elementary("complex({0}, {1})", ("1", "1j"), True)
    found[np.clip] = Elementary(
        "min(max({0}, {1}), {2})",
        (
            "(1.0 if {1} <= {0} <= {2} else 0.0)",
            "(1.0 if {0} < {1} <= {2} else 0.0)",
            "(1.0 if {2} < {0} or {2} < {1} else 0.0)",
        ),
        True,
    )
    return found


def _of_helpers() -> dict[Any, Elementary]:
    """Helpers of generated code, which is differentiated once more: by the library's rules for what they are."""
    from morula.static.numba import helpers
    from morula.static.numba.library_texts import COMPILED

    found = {}
    for f, kind in COMPILED:
        rule = scalar_rule_for(f)
        if rule is not None and kind is float:
            name, kept = COMPILED[f, kind]
            operands = ", ".join(f"{{{i}}}" for i in range(len(kept)))
            given = tuple([_kept(rule.partials[i], kept) for i in kept])
            found[getattr(helpers, name)] = Elementary(f"{name}({operands})", given, False, True)
    return found


def _kept(partial: Any, kept: tuple[int, ...]) -> str:
    """The text of a partial of a helper that takes some of the arguments of its original only."""
    places = {f"{{{i}}}": f"{{{k}}}" for k, i in enumerate(kept)}
    return re.sub(r"\{\d\}", lambda found: places[found[0]], str(_text(partial, float)))


def elementary(f: Callable) -> Elementary | None:
    """The entry of a function of numbers; None if it has none."""
    try:
        return table().get(f)
    except TypeError:
        return None


MOST_CHEAP = 4  # of the exponents that are written out

ROUNDED = {  # to a number of digits
    round: Elementary("round({0}, {1})", ("0", None), True),
    np.round: Elementary("np.round({0}, {1})", ("0", None), True),
    np.around: Elementary("np.round({0}, {1})", ("0", None), True),
}


def describe_op(kind: str, attr: Any) -> Elementary:
    """The entry of a scalar operation of the intermediate representation."""
    if kind == "unary":
        return UNARY[attr]
    if kind == "binary":
        return BINARY[attr]
    if kind == "cast":
        return Elementary(
            f"{attr}({{0}})", ("1" if attr.startswith(("float", "complex", "np.float", "np.complex")) else None,), True
        )
    found = attr if isinstance(attr, Elementary) else elementary(attr)
    assert found is not None
    return found


def is_cheap(d: Any) -> bool:
    """Whether recomputing a scalar operation costs less than keeping its value; small powers are products."""
    if d.kind == "binary" and d.attr == "**":
        exponent = getattr(d.args[1], "value", None)
        return type(exponent) is int and 2 <= exponent <= MOST_CHEAP
    return describe_op(d.kind, d.attr).is_cheap
