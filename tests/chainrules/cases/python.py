"""Where the rules for Python's own functions are checked: ``(function, arguments, keywords)``."""

import cmath
import math
import operator

import numpy as np

from chainrules.library.partials import quotient, reciprocal

A = np.array([0.3, -1.3, 2.5])
B = np.array([1.7, 0.6, -0.4])
Z = 0.7 - 1.3j
W = -0.4 + 0.9j


def case(f, *args, **kwargs):
    return f, args, kwargs


MATH = [
    *(
        case(f, x)
        for f in (
            math.sin, math.cos, math.tan, math.sinh, math.cosh, math.tanh, math.asinh, math.exp, math.expm1, math.atan,
            math.fabs, math.erf, math.erfc, math.degrees, math.radians, math.cbrt, math.exp2,
        )
        for x in (0.3, -1.7)
    ),
    *(case(f, x) for f in (math.asin, math.acos, math.atanh) for x in (0.3, -0.8)),
    *(case(f, x) for f in (math.log2, math.log10, math.log1p, math.sqrt, math.gamma, math.lgamma) for x in (0.4, 3.3)),
    case(math.gamma, -1.4), case(math.lgamma, -2.3), case(math.acosh, 1.8),
    case(math.atan2, 0.4, -1.2), case(math.pow, 1.3, 2.4), case(math.pow, -1.3, 3),
    case(math.fmod, 7.3, 2.1), case(math.fmod, -7.3, 2.1), case(math.remainder, 7.3, 2.0),
    case(math.copysign, 1.2, -3.0), case(math.copysign, -1.2, -3.0),
    *(case(f, x) for f in (math.floor, math.ceil, math.trunc) for x in (1.4, -1.4)),
    case(math.ldexp, 1.3, 4), case(math.log, 2.3), case(math.log, 2.3, 3.1),
    case(math.hypot, 3.0, 4.0), case(math.hypot, 1.0, -2.0, 3.0), case(math.hypot, 2.0),
    case(math.dist, [1.0, 2.0], [0.5, -1.0]), case(math.fsum, [1.0, 2.5, 3.0]), case(math.fsum, A),
    case(math.prod, [1.5, -2.0, 3.0]), case(math.prod, (1.5, 0.0, 3.0), start=2.0), case(math.prod, []),
    case(math.modf, 3.7), case(math.frexp, 5.3), case(math.dist, (1.0, 2.0), A[:2]),
    case(math.prod, [Z, W, 2.0]), case(math.prod, A), case(math.prod, np.outer(A, B)), case(math.prod, [A, 2.0]),
    case(math.fsum, []), case(math.fsum, (1, 2.5)),
    case(math.hypot),
]  # fmt: skip
UNVARIED = [case(math.nextafter, 1.2, 3.0), case(math.ulp, 3.0)]
if hasattr(math, "fma"):
    MATH.append(case(math.fma, 1.2, 3.4, 0.5))
if hasattr(math, "sumprod"):
    MATH.append(case(math.sumprod, [1.2, 3.4], [0.5, 2.0]))

CMATH = [
    *(
        case(f, z)
        for f in (
            cmath.sin, cmath.cos, cmath.tan, cmath.asin, cmath.acos, cmath.atan, cmath.sinh, cmath.cosh, cmath.tanh,
            cmath.asinh, cmath.acosh, cmath.atanh, cmath.exp, cmath.log10, cmath.sqrt, cmath.log, cmath.phase,
            cmath.polar,
        )
        for z in (Z, W)
    ),
    case(cmath.log, Z, W), case(cmath.rect, 1.3, 0.6), case(cmath.asin, 2.0), case(cmath.acos, -2.5),
    case(cmath.acosh, -3.0), case(cmath.acosh, 0.5), case(cmath.atanh, 2.0), case(cmath.log, -2.0),
    case(cmath.sqrt, -2.0),
    case(cmath.phase, 1e200 + 2e200j), case(cmath.polar, -2.0), case(cmath.phase, -2.0),
]  # fmt: skip

BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow,
]  # fmt: skip
REAL_BINARY = [operator.mod, operator.floordiv]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow]
OPERATOR = [
    *(case(f, 1.7, 2.3) for f in (*BINARY, *REAL_BINARY, *IN_PLACE, operator.imod, operator.ifloordiv)),
    *(case(f, Z, W) for f in (*BINARY, *IN_PLACE)),
    *(case(f, 1.7, W) for f in BINARY),
    *(case(f, np.abs(A), B) for f in (*BINARY, *REAL_BINARY)),
    *(case(f, np.abs(A)[:, None], 1.3) for f in BINARY),
    *(case(f, 1.3, np.abs(A)[:, None] + B) for f in BINARY[:4]),
    *(case(f, A + 1j * B, B) for f in BINARY),
    case(operator.pow, -1.7, 3), case(operator.pow, -1.7, 0.5), case(operator.pow, A, 3), case(operator.pow, A, 0),
    *(case(f, x) for f in (operator.neg, operator.pos, operator.abs) for x in (1.7, -1.7, Z, A, A + 1j * B)),
    case(operator.matmul, A, B), case(operator.matmul, np.outer(A, B), B),
    case(operator.concat, [1.0, 2.0], [3.0]), case(operator.concat, (1.0, 2.0), (3.0,)),
    case(operator.concat, [], [1.0]),
    case(operator.matmul, [1.0, 2.0, 3.0], A), case(operator.matmul, A, [[1.0], [2.0], [3.0]]),
    case(operator.getitem, [1.0, 2.0, 3.0], 1), case(operator.getitem, (1.0, 2.0, 3.0), -1),
    case(operator.getitem, [1.0, 2.0, 3.0], slice(None, None, -2)), case(operator.getitem, [1.0, [2.0, A]], 1),
    case(operator.getitem, [], slice(2)),
    *(case(operator.getitem, A, i) for i in (0, -1, slice(1, None), ..., None, [0, 0, 2], A > 0, np.array(1), ())),
    *(case(operator.getitem, np.outer(A, B), i) for i in (0, (0, 1), (..., 1), ([0, 1], [1, 1]), (slice(2), None))),
    case(operator.getitem, A + 1j * B, [1, 1]), case(operator.getitem, np.array(2.5), ()),
    case(operator.getitem, A.astype(np.float32), slice(2)), case(operator.getitem, np.zeros((0, 3)), slice(None)),
]  # fmt: skip

BUILTINS = [
    *(case(abs, x) for x in (1.7, -1.7, Z, A, A + 1j * B)),
    case(pow, 1.7, 2.3), case(pow, A, 2), case(pow, Z, W),
    case(divmod, 7.3, 2.1), case(divmod, A, 0.7),
    case(round, 1.7), case(round, 1.7, 1), case(round, 1.7, ndigits=1),
    case(float, 1.7), case(float, np.array(1.7)), case(complex, 1.7), case(complex, 1.7, 2.3), case(complex, Z, W),
    case(max, 1.0, 2.0), case(max, 2.0, 1.0), case(max, 1.0, 3.0, 2.0), case(min, 1.0, 2.0), case(min, 2.0, 1.0),
    case(min, 3.0, 1.0, 2.0), case(max, 1, 2.5),
    case(sum, [1.0, 2.0]), case(sum, (1.0, Z), 3.0), case(sum, [1.0], start=2.0), case(sum, np.outer(A, B)),
    case(sum, A, 2.0), case(sum, [A, B]), case(sum, []), case(sum, np.zeros(0)), case(sum, np.ones(3), np.zeros(3)),
    case(sum, [1.0, A], 0.5),
    case(pow, 1.7, exp=2.3), case(pow, 1.7, 2.3, None), case(pow, 3, 5, 7), case(pow, 1.7, np.array([1.0, 2.0])),
    case(complex, 1.7, imag=2.3), case(complex, np.float32(1.7)), case(divmod, 7, 2.5),
    case(max, [1.0, 3.0, 2.0]), case(max, A), case(min, tuple(A)), case(min, [2.5]), case(max, [], default=2.0),
    case(max, [1.0, -3.0], key=abs), case(min, 1.0, -3.0, 0.5, key=abs), case(max, [1.0, 2.0], [3.0, 0.5]),
    case(max, True, 0.5), case(min, np.float32(1.5), 2.0),
    *(case(sorted, x) for x in ([2.0, 1.0, 3.0], A, (), (1.5,), ["b", "a"])),
    case(sorted, [2.0, -1.0, 3.0], reverse=True), case(sorted, [2.0, -1.0, -3.0], key=abs),
    case(sorted, [[2.0, 1.0], [1.0, 3.0]]), case(sorted, [2.0, -1.0, -3.0], key=abs, reverse=True),
]  # fmt: skip

PARTIALS = [
    case(reciprocal, 1.7), case(reciprocal, Z), case(quotient, 1.7, -2.3), case(quotient, Z, W),
]  # fmt: skip

CASES = MATH + CMATH + OPERATOR + BUILTINS + PARTIALS
ELSEWHERE = {operator.itemgetter}
