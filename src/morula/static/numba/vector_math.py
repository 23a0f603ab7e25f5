"""Elementary functions for generated code that LLVM's loop vectoriser can take four or eight at a time.

In compiled code `sin` is a call of the C library's ``sin``, like `math.sin`. On x86-64 Linux the call also names
glibc's vector versions of it (libmvec: ``_ZGVdN4v_sin`` for AVX2, ``_ZGVeN8v_sin`` for AVX-512), and the loop
vectoriser replaces it by one of them where a loop's iterations are independent; the loop's remainder calls the ordinary
function. Elsewhere the names here are `math`'s functions as Numba compiles them.

libmvec's results differ from the scalar ones in the last bits: by 4 ulp at most (glibc's own bound, and the largest
seen over the whole range of float64 and float32); infinities, NaN, subnormal numbers, huge arguments and the sign of
zero come out as from the scalar functions.

Every other name is `math`'s: generated code that says ``math.sin(x) * math.sqrt(x)`` may mean this module by ``math``.

The environment variable ``MORULA_VECTOR_MATH=0`` turns the vector versions off for what is compiled from then on.
Code that calls these names, and is cached on disk, has to import this module where it is defined, since that makes the
vector symbols known to the process; `variant` belongs into the key of such a cache.

Sources: the vector function ABI for x86-64, LLVM's ``vector-function-abi-variant`` attribute.

>>> import numba, numpy as np
>>> from morula.static.numba import vector_math
>>> @numba.njit(error_model="numpy")
... def waves(x):
...     y = np.empty_like(x)
...     for i in range(x.size):
...         y[i] = vector_math.sin(x[i])
...     return y
>>> bool(np.allclose(waves(np.arange(9.0)), np.sin(np.arange(9.0)), rtol=1e-15, atol=0))
True
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from morula.eager.context.protocol import Context

__all__ = [  # noqa: RUF022 - in the order of the definitions
    "available", "variant", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "erf", "erfc", "cbrt", "pow", "hypot", "atan2",
]  # fmt: skip

_ARITY: dict[str, int] = {}
_ISAS = (("d", 32, "+avx2"), ("e", 64, "+avx512dq"))  # letter of the ABI, bytes of a vector, what LLVM has to know
_ATTRIBUTE = "vector-function-abi-variant"
_KEPT = "llvm.compiler.used"  # keeps declarations that nothing calls yet

with suppress(RuntimeError):  # on another platform, or with another C library, no vector symbol is found below
    llvm.load_library_permanently("libmvec.so.1")


def __getattr__(name: str) -> Any:
    return getattr(math, name)


def available() -> frozenset[str]:
    """The names with a vector version that code compiled now will use; empty where there is none.

    Returns:
        Names of functions of this module: a set that depends on the platform, its C library, the processor for which
        Numba compiles and the environment variable ``MORULA_VECTOR_MATH``.

    >>> sorted(available() - {"sin", "pow"})  # doctest: +ELLIPSIS
    [...]
    """
    if os.environ.get("MORULA_VECTOR_MATH", "1") == "0":
        return frozenset()
    features = _features(cpu_target.target_context)
    return frozenset(name for name, arity in _ARITY.items() if _versions(name, arity, 8, features))


def variant() -> str:
    """What distinguishes code compiled now from the same code compiled elsewhere: a part of a disk cache's key.

    Returns:
        ``"libmvec-de"``, with the ABI's letters of the vector versions; ``""`` without any.

    >>> (variant() == "") == (not available())
    True
    """
    letters = {letter for name in available() for letter, _, _ in _versions_now(name)}
    return "libmvec-" + "".join(sorted(letters)) if letters else ""


def _features(context: Any) -> str:
    return str(context.codegen().magic_tuple()[2])


def _versions_now(name: str) -> tuple[tuple[str, int, str], ...]:
    return _versions(name, _ARITY[name], 8, _features(cpu_target.target_context))


@cache
def _versions(name: str, arity: int, size: int, features: str) -> tuple[tuple[str, int, str], ...]:
    """The vector versions that the process has and the processor runs: letter of the ABI, lanes, symbol.

    ``features`` must be what LLVM compiles for: where it does not know a register's width, it would pass the
    arguments in other registers than the library reads.
    """
    found = []
    of_processor = features.split(",")
    for letter, width, feature in _ISAS:
        lanes = width // size
        symbol = f"_ZGV{letter}N{lanes}{'v' * arity}_{_symbol(name, size)}"
        if feature in of_processor and llvm.address_of_symbol(symbol):
            found.append((letter, lanes, symbol))
    return tuple(found)


def _symbol(name: str, size: int) -> str:
    return name if size == 8 else name + "f"


def _number_type(arguments: tuple[Any, ...]) -> Any:
    """float32 if all are, float64 for other real numbers, as in `math`; ``None`` for what is no real number."""
    if all(t == types.float32 for t in arguments):
        return types.float32
    if all(isinstance(t, types.Float | types.Integer | types.Boolean) for t in arguments):
        return types.float64
    return None


def _call(name: str, scalar: Callable[..., Any], context: Any, builder: Any, sig: Any, args: Any) -> Any:
    size = sig.return_type.bitwidth // 8
    versions = _versions(name, len(args), size, _features(context)) if name in available() else ()
    if not versions:
        return context.compile_internal(builder, scalar, sig, args)
    number = context.get_value_type(sig.return_type)
    function = _declare(builder.module, _symbol(name, size), number, len(args))
    names = [f"{symbol}({symbol})" for _, _, symbol in versions]
    _keep(builder.module, [_declare(builder.module, s, ir.VectorType(number, n), len(args)) for _, n, s in versions])
    call = builder.call(function, args)
    for attribute in ("readnone", "nounwind", "willreturn", f'"{_ATTRIBUTE}"="{",".join(names)}"'):
        set.add(call.attributes, attribute)  # llvmlite's own `add` knows only some names
    return call


def _declare(module: Any, symbol: str, of: Any, arity: int) -> Any:
    found = module.globals.get(symbol)
    return ir.Function(module, ir.FunctionType(of, [of] * arity), symbol) if found is None else found


def _keep(module: Any, functions: list[Any]) -> None:
    """Add to the module's list of what the optimiser must not drop."""
    pointer = ir.IntType(8).as_pointer()
    kept = module.globals.get(_KEPT)
    new = [f.bitcast(pointer) for f in functions]
    if kept is None:
        kept = ir.GlobalVariable(module, ir.ArrayType(pointer, 0), _KEPT)
        kept.linkage, kept.section = "appending", "llvm.metadata"
        kept.initializer = ir.Constant(kept.value_type, [])
    present = {str(c) for c in kept.initializer.constant}
    elements = [*kept.initializer.constant, *(c for c in new if str(c) not in present)]
    kept.value_type = ir.ArrayType(pointer, len(elements))
    kept.type = kept.value_type.as_pointer()
    kept.initializer = ir.Constant(kept.value_type, elements)


def _unary(name: str, scalar: Callable[..., Any]) -> Any:
    _ARITY[name] = 1

    def typing(typingctx: Context, x: Any) -> Any:
        number = _number_type((x,))
        return None if number is None else (number(number), generate)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(name, scalar, context, builder, sig, args)

    return _named(name, typing)


def _binary(name: str, scalar: Callable[..., Any]) -> Any:
    _ARITY[name] = 2

    def typing(typingctx: Context, x: Any, y: Any) -> Any:
        number = _number_type((x, y))
        return None if number is None else (number(number, number), generate)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(name, scalar, context, builder, sig, args)

    return _named(name, typing)


def _named(name: str, typing: Any) -> Any:
    typing.__name__ = typing.__qualname__ = name
    typing.__doc__ = f"``{name}`` of real numbers, float32 or float64, in compiled code."
    return intrinsic(typing)


sin = _unary("sin", lambda x: math.sin(x))
cos = _unary("cos", lambda x: math.cos(x))
tan = _unary("tan", lambda x: math.tan(x))
asin = _unary("asin", lambda x: math.asin(x))
acos = _unary("acos", lambda x: math.acos(x))
atan = _unary("atan", lambda x: math.atan(x))
sinh = _unary("sinh", lambda x: math.sinh(x))
cosh = _unary("cosh", lambda x: math.cosh(x))
tanh = _unary("tanh", lambda x: math.tanh(x))
asinh = _unary("asinh", lambda x: math.asinh(x))
acosh = _unary("acosh", lambda x: math.acosh(x))
atanh = _unary("atanh", lambda x: math.atanh(x))
exp = _unary("exp", lambda x: math.exp(x))
exp2 = _unary("exp2", lambda x: np.exp2(x))
expm1 = _unary("expm1", lambda x: math.expm1(x))
log = _unary("log", lambda x: np.log(x))
log2 = _unary("log2", lambda x: np.log2(x))
log10 = _unary("log10", lambda x: np.log10(x))
log1p = _unary("log1p", lambda x: np.log1p(x))
erf = _unary("erf", lambda x: math.erf(x))
erfc = _unary("erfc", lambda x: math.erfc(x))
cbrt = _unary("cbrt", lambda x: np.cbrt(x))
pow = _binary("pow", lambda x, y: math.pow(x, y))
hypot = _binary("hypot", lambda x, y: math.hypot(x, y))
atan2 = _binary("atan2", lambda x, y: math.atan2(x, y))
