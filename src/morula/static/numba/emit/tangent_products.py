"""One term of a tangent: a partial derivative times the tangent of an operand, as text."""

from numba.core import types

from morula.static.ir import Op
from morula.static.numba.emit.products import contribution, of_complex
from morula.static.numba.emit.text import operand_text


def term(s: Op, place: int, partial: str, dot: str, is_guarded: bool) -> str:
    """What the tangent `dot` of operand number `place` adds to the tangent of the value.

    Real numbers have the products of the reverse mode. Complex ones have no conjugates here: the tangent is linear
    in `dot` where the operation is differentiable by a complex number, and takes real parts where its value is real.
    A guarded product is 0 where either factor is exactly 0.
    """
    is_complex = any(isinstance(getattr(x, "type", None), types.Complex) for x in [*s.args, s.out])
    if not is_complex:
        return contribution(s, place, partial, dot, is_guarded)
    if partial.startswith("select"):
        test = operand_text(s.args[0])
        return f"({dot} if {test} else 0.0)" if partial.endswith("1") else f"(0.0 if {test} else {dot})"
    is_real = not isinstance(s.out.type, types.Complex)
    if partial == "imag":
        return f"{dot}.imag"
    if partial in ("1", "-1"):
        return f"{partial[:-1]}{dot}{'.real' if is_real else ''}"
    if partial == "conj":
        return f"np.conj({dot})"
    if partial.startswith("sign("):
        return f"({dot} * np.conj(unit({operand_text(s.args[place])}))).real"
    text = of_complex(s, place)
    return f"({dot} * ({text})).real" if is_real else f"{dot} * ({text})"
