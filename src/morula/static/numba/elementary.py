"""Elementary functions of numbers: how generated code says them, and their partial derivatives.

In the texts `{0}`, `{1}` ... are the operands and `{y}` is the value. Partials follow the table of conventions
(ties of `max` go to the second operand, of `min` to the first; `abs` and `hypot` have derivative 0 at 0).
"""

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Elementary:
    """One function.

    Attributes:
        text: the call, with `{0}` ... for the operands.
        partials: one text per operand; "1", "-1" and "0" are exact, None stands for an operand without derivative.
        is_cheap: recomputing it costs less than keeping its value.
        may_explode: a partial can be infinite where the value is finite.
    """

    text: str
    partials: tuple[str | None, ...]
    is_cheap: bool = False
    may_explode: bool = False


UNARY = {
    "-": Elementary("-{0}", ("-1",), True),
    "+": Elementary("+{0}", ("1",), True),
    "not ": Elementary("not {0}", (None,), True),
    "~": Elementary("~{0}", (None,), True),
    "real": Elementary("{0}.real", ("1",), True),
    "imag": Elementary("{0}.imag", ("imag",), True),
}

BINARY = {
    "+": Elementary("{0} + {1}", ("1", "1"), True),
    "-": Elementary("{0} - {1}", ("1", "-1"), True),
    "*": Elementary("{0} * {1}", ("{1}", "{0}"), True),
    "/": Elementary("{0} / {1}", ("1.0 / {1}", "-{y} / {1}"), True),
    "**": Elementary("{0} ** {1}", ("power_dx({0}, {1})", "power_dp({0}, {1}, {y})"), False, True),
    "//": Elementary("{0} // {1}", ("0", "0"), True),
    "%": Elementary("{0} % {1}", ("1", "-({0} // {1})"), True),
    "bdim": Elementary("bdim({0}, {1})", (None, None), True),
    "max2": Elementary("max({0}, {1})", ("(1.0 if {0} > {1} else 0.0)", "(0.0 if {0} > {1} else 1.0)"), True),
    "min2": Elementary("min({0}, {1})", ("(0.0 if {0} > {1} else 1.0)", "(1.0 if {0} > {1} else 0.0)"), True),
    **{
        symbol: Elementary(f"{{0}} {symbol} {{1}}", (None, None), True)
        for symbol in ("<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "<<", ">>")
    },
}

_ONE: dict[str, tuple] = {  # name: partial, is_cheap, may_explode
    "sin": ("math.cos({0})",),
    "cos": ("-math.sin({0})",),
    "tan": ("1.0 + {y} * {y}",),
    "arcsin": ("1.0 / math.sqrt((1.0 - {0}) * (1.0 + {0}))", False, True),
    "arccos": ("-1.0 / math.sqrt((1.0 - {0}) * (1.0 + {0}))", False, True),
    "arctan": ("1.0 / (1.0 + {0} * {0})",),
    "sinh": ("math.cosh({0})",),
    "cosh": ("math.sinh({0})",),
    "tanh": ("1.0 - {y} * {y}",),
    "arcsinh": ("(1.0 / math.sqrt(1.0 + {0} * {0}) if abs({0}) < 1e150 else 1.0 / abs({0}))",),
    "arccosh": ("1.0 / (math.sqrt({0} - 1.0) * math.sqrt({0} + 1.0))", False, True),
    "arctanh": ("1.0 / ((1.0 - {0}) * (1.0 + {0}))", False, True),
    "exp": ("{y}",),
    "exp2": ("0.6931471805599453 * {y}",),
    "expm1": ("math.exp({0})",),
    "log": ("1.0 / {0}", False, True),
    "log2": ("1.4426950408889634 / {0}", False, True),
    "log10": ("0.4342944819032518 / {0}", False, True),
    "log1p": ("1.0 / (1.0 + {0})", False, True),
    "sqrt": ("0.5 / {y}", True, True),
    "cbrt": ("1.0 / (3.0 * {y} * {y})", False, True),
    "square": ("2.0 * {0}", True),
    "reciprocal": ("-{y} * {y}", True, True),
    "fabs": ("sign({0})", True),
    "absolute": ("sign({0})", True),
    "abs": ("sign({0})", True),
    "degrees": ("57.29577951308232", True),
    "radians": ("0.017453292519943295", True),
    "deg2rad": ("0.017453292519943295", True),
    "rad2deg": ("57.29577951308232", True),
    "erf": ("1.1283791670955126 * math.exp(-{0} * {0})",),
    "erfc": ("-1.1283791670955126 * math.exp(-{0} * {0})",),
    "gamma": ("{y} * digamma({0})",),
    "lgamma": ("digamma({0})",),
    "conjugate": ("conj",),
    "floor": ("0", True),
    "ceil": ("0", True),
    "trunc": ("0", True),
    "rint": ("0", True),
    "sign": ("0", True),
    "positive": ("1", True),
    "negative": ("-1", True),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "signbit", "logical_not"), (None, True)),
}
_ALSO = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}

_TWO: dict[str, tuple] = {  # name: partials, is_cheap, may_explode
    "hypot": (("ratio({0}, {y})", "ratio({1}, {y})"),),
    "arctan2": (("angle_leg({1}, {0})", "-angle_leg({0}, {1})"), False, True),
    "ldexp": (("math.ldexp(1.0, {1})", None), True),
    "copysign": (("math.copysign(1.0, {0}) * math.copysign(1.0, {1})", "0"), True),
    "maximum": (("(1.0 if {0} > {1} else 0.0)", "(1.0 if {1} >= {0} else 0.0)"), True),
    "minimum": (("(1.0 if {0} <= {1} else 0.0)", "(1.0 if {1} < {0} else 0.0)"), True),
    "fmax": (
        (
            "(1.0 if {0} > {1} or ({1} != {1} and {0} == {0}) else 0.0)",
            "(0.0 if {0} > {1} or ({1} != {1} and {0} == {0}) else 1.0)",
        ),
        True,
    ),
    "fmin": (("(1.0 if {0} <= {1} or {1} != {1} else 0.0)", "(0.0 if {0} <= {1} or {1} != {1} else 1.0)"), True),
    "logaddexp": (("share_of({0}, {1})", "share_of({1}, {0})"),),
    "remainder": (("1", "-({0} // {1})"), True),
    "mod": (("1", "-({0} // {1})"), True),
    # Not the integer part of the quotient, which may round up to the next one.
    "fmod": (("1", "-np.rint(({0} - {y}) / {1})"), True),
    "floor_divide": (("0", "0"), True),
    "heaviside": (("0", "(1.0 if {0} == 0.0 else 0.0)"), True),
    **dict.fromkeys(
        ("logical_and", "logical_or", "logical_xor", "less", "less_equal", "greater", "greater_equal", "equal",
         "not_equal", "bitwise_and", "bitwise_or"),
        ((None, None), True),
    ),
}  # fmt: skip


@cache
def _table() -> dict[Any, Elementary]:
    found: dict[Any, Elementary] = {}
    for name, (partial, *flags) in _ONE.items():
        for prefix, module in (("math", math), ("np", np), ("cmath", cmath)):
            for said in (name, *(k for k, v in _ALSO.items() if v == name)):
                f = getattr(module, said, None)
                if f is not None and f not in found:
                    found[f] = Elementary(f"{prefix}.{said}({{0}})", (partial,), *flags)
    for name, (partials, *flags) in _TWO.items():
        for prefix, module in (("math", math), ("np", np)):
            for said in (name, "atan2" if name == "arctan2" else name):
                f = getattr(module, said, None)
                if f is not None and f not in found:
                    found[f] = Elementary(f"{prefix}.{said}({{0}}, {{1}})", partials, *flags)
    found[abs] = Elementary("abs({0})", ("sign({0})",), True)
    found[np.where] = Elementary("({1} if {0} else {2})", (None, "select_1", "select_2"), True)
    for f, partials in _of_helpers():
        names = ", ".join(f"{{{i}}}" for i in range(len(partials)))
        found[f] = Elementary(f"{f.__name__}({names})", partials, False, True)
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


def _of_helpers() -> list[tuple[Any, tuple]]:
    """Helpers of generated code, which is differentiated once more."""
    from morula.static.numba.helpers import power_dp, power_dx, times

    return [
        (times, ("{1}", "{0}")),
        (power_dx, ("power_dx_dx({0}, {1})", "power_dx_dp({0}, {1})")),
        (power_dp, ("power_dp_dx({0}, {1}, {2})", "0", "log_of_size({0})")),
    ]


def elementary(f: Callable) -> Elementary | None:
    """The entry of a function of numbers; None if it has none."""
    try:
        return _table().get(f)
    except TypeError:
        return None


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
