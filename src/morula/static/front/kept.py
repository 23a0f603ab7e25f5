"""Lowering of calls that do not stand inline: recursive ones and large ones."""

import inspect
from typing import Any

from numba.core import types

from morula.static.front.callees import CallRule, Named, callee_of
from morula.static.front.flat import flat_operands, flat_types, operand_type, rebuilt
from morula.static.front.source import canonical_name
from morula.static.ir import Const, Op, is_array
from morula.static.numba.generalized import is_generalized, of_generalized
from morula.static.numba.vectorized import of_ufunc, takes
from morula.static.unsupported import Unsupported


class KeptCalls:
    """The part of lowering that knows calls which stay calls."""

    callees: list[Any]

    def kept_call(self: Any, f: Any, args: list, keywords: dict, base: str, t: types.Type | None) -> Any:
        """A call of a compiled function."""
        args = _bound(f, args, keywords)
        argument_types = tuple(operand_type(x) for x in args)
        value_type = types.none if t is None else types.unliteral(t)
        callee = callee_of(f, argument_types, value_type)
        self.callees.append(callee)
        name = self.name_of(callee.apart(), callee.name)
        return self.call_by_rule(callee.rule(), name, args, base, value_type)

    def vectorized(self: Any, f: Any, args: list) -> tuple[list, Any]:
        """The operands of a ufunc that Numba made, and the function that computes the same; None for none."""
        if is_generalized(f):
            return args, of_generalized(f, tuple(map(operand_type, args)))
        kinds = {types.float64: "d", types.int64: "l"}
        dtypes = [x.type.dtype if is_array(x) else types.unliteral(operand_type(x)) for x in args]
        if any(t not in kinds for t in dtypes):
            return args, None
        codes = "".join([kinds[t] for t in dtypes])
        wanted = takes(f, codes)
        if wanted is None or any(is_array(x) and c == "l" for x, c in zip(args, codes, strict=True)):
            return args, None
        made = []
        for x, is_one, code in zip(args, codes, wanted, strict=True):
            is_other = is_one != code
            made.append(self.emit("cast", [x], "number", types.float64, attr="float") if is_other else x)
        return made, of_ufunc(f, tuple([x.type.ndim if is_array(x) else 0 for x in args]))

    def call_by_rule(self: Any, rule: CallRule, name: str, args: list, base: str, t: types.Type) -> Any:
        """The operation of a call, and the writes that bring back what it has written."""
        flat = [leaf for x in args for leaf in flat_operands(x)]
        named = CallRule(**{**vars(rule), "primal": Named(name)})
        op = Op("array", [], flat, named, self.line)
        outs = [] if isinstance(t, types.NoneType) else flat_types(t)
        for k, part in enumerate(outs):
            op.outs.append(self.value(base if len(outs) == 1 else f"{base}_{k}", part, op))
        values = list(op.outs)
        self.block.statements.append(op)
        for k in sorted(rule.written):
            x = flat[k]
            after = self.value(f"{x.base or x.name}_after", types.Array(x.type.dtype, x.type.ndim, "C"), op)
            op.outs.append(after)
            self.effect("fill", [x, after], None)
        return rebuilt(t, iter(values)) if values else Const(None)

    def name_of(self: Any, f: Any, hint: str) -> str:
        """The name of a function in generated code."""
        canonical = canonical_name(f)
        if canonical is not None:
            return canonical
        for name, held in self.form.namespace.items():
            if held is f:
                return str(name)
        name = self.fresh(hint if hint.isidentifier() else "function")
        self.form.namespace[name] = f
        return name


def _bound(f: Any, args: list, keywords: dict) -> list:
    """All arguments by position; literals in place of those that are left out."""
    python = getattr(f, "py_func", None)
    if python is None:
        if keywords:
            raise Unsupported(f"a call to {getattr(f, '__name__', f)} with keywords")
        return args
    signature = inspect.signature(python)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
        raise Unsupported("star arguments")
    bound = signature.bind(*args, **keywords)
    found = []
    for name, parameter in signature.parameters.items():
        found.append(bound.arguments[name] if name in bound.arguments else Const(parameter.default))
    return found


__all__ = ["KeptCalls"]
