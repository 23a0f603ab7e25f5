"""What an operation's cotangent sends to its operands, as text; the derivatives are those of `chainrules`."""

from __future__ import annotations

import ast
import cmath
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from chainrules import has_opt_outs, scalar_rule_for
from morula.eager.calls.meanings import number_rule, rules_of
from morula.eager.calls.registry import ADJOINTS, is_library_rule
from morula.static.python.complex_numbers import OF_COMPLEX, complex_terms, is_of_complex
from morula.static.python.ir import Compute, Unsupported, is_name
from morula.static.python.sums import PARTIALS
from morula.static.python.types import BITS, OF_INTEGERS, TESTS
from morula.transform import SourceUnavailable, source_of
from morula.transform.syntax import walk

__all__ = ["CONSTANT", "Slopes", "expression_of", "with_operands"]

# Results in which no derivative travels.
CONSTANT = frozenset([
    "<", "<=", ">", ">=", "==", "!=", "not", "unset", "int", "length", "width", "floordiv", "order", "search",
])  # fmt: skip

PARTIALS_OF_LIBRARY = "chainrules.library.partials"
# Functions of the library's partials, as they are for numbers.
WRITTEN_OUT = {
    "reciprocal": "1.0 / {_0}",
    "leg": "{_1} / {_0} if {_0} else 0.0",
    "signum": "1.0 if {_0} > 0 else -1.0 if {_0} < 0 else 0.0 * {_0}",
}


def direction(y: float, x: float) -> float:
    """The derivative of ``abs(x)``."""
    return 1.0 if x > 0 else -1.0 if x < 0 else 0.0 * x


# Whose rules are no scalar ones since they are for complex numbers, too: for real ones.
OF_REAL: dict[Any, tuple] = {np.absolute: (direction,), np.sign: (0,)}
COUNTS: dict[Any, tuple[int, ...]] = {complex: (1, 2), cmath.rect: (2,)}  # of arguments
PLAIN = (float, int, bool, np.float64, np.ndarray)  # what values of a program are


def has_own_rule(f: Any) -> bool:
    """Whether somebody else than the library says what the derivative of a function is."""
    others = [rule for rule in rules_of(f) if not is_library_rule(rule.function)]
    return f in ADJOINTS or has_opt_outs(f) or any(takes_numbers(rule.types) for rule in others)


def takes_numbers(types: tuple) -> bool:
    """Whether a rule for arguments of these types answers for some numbers or plain arrays."""
    return all(any(issubclass(kind, spec) for kind in PLAIN) for spec in types)


def is_number_function(f: Any, n: int) -> bool:
    """Whether a function of `n` numbers has a derivative here, be it zero everywhere."""
    if f in TESTS or f in OF_INTEGERS or f in PARTIALS or (f in OF_COMPLEX and n in COUNTS.get(f, (1,))):
        return True
    if f in OF_REAL:
        return n == 1
    if f is round:
        return n <= 2
    rule = number_rule(f)
    return rule is not None and len(rule.partials) == n and rule.outputs == 1


class Slopes:
    """Texts of partial derivatives; `space` gets the objects that they name, `types` has those of all atoms."""

    types: Any

    def __init__(self, space: dict[str, Any], is_exact: bool = False):
        self.space, self.is_exact = space, is_exact

    def is_constant(self, s: Compute) -> bool:
        if s.op == "numpy":
            return not any(s.f.terms)
        if s.op in CONSTANT or s.f in TESTS or s.f in OF_INTEGERS or s.f in BITS:
            return True
        if s.f in OF_COMPLEX:
            return False
        return s.op == "call" and s.f not in (abs, max, min) and all(p == 0 for p in self.partials(s))

    def partials(self, s: Compute) -> tuple:
        """The partial derivatives of a call by the rule of its function."""
        if s.f in PARTIALS:
            return PARTIALS[s.f]
        if has_own_rule(s.f):
            raise Unsupported(f"a call to {getattr(s.f, '__name__', s.f)}, which has a user-defined rule")
        if s.f is round:
            return (0,) * len(s.args)
        if s.f in OF_REAL:
            return OF_REAL[s.f]
        rule = number_rule(s.f)
        if rule is None or len(rule.partials) != len(s.args) or rule.outputs != 1:
            raise Unsupported(f"a call to {getattr(s.f, '__name__', s.f)}")
        return rule.partials

    def terms(self, s: Compute, z: str, value: Callable[[str], str], wanted: Callable[[str], bool]) -> list:
        """``(operand, text)``: what the cotangent `z` of the result sends to each wanted operand.

        `value` gives the text of an atom's value on the way back.
        """
        args, op = s.args, s.op
        if is_of_complex(s, self.types):
            return complex_terms(s, z, value, wanted, lambda: self._of_holomorphic(s, value), self.types)
        if op == "sum":
            return [(a, z) for a in args if wanted(a)]
        if op in ("copy", "bound", "plain", "float", "pos", "element"):
            return [(args[0], z)]
        if op == "chosen":  # to the others zero is sent, which only an exact text says
            return [(args[0], z), *[(a, f"{z} * 0.0") for a in args[1:] if self.is_exact and wanted(a)]]
        if op == "neg":
            return [(args[0], f"-{z}")]
        if op == "index":
            return []
        a, b = (*args, "")[:2]
        nil = f"{z} * 0.0" if self.is_exact else "0.0"
        if op == "add":
            return [(a, z), (b, z)]
        if op == "sub":
            return [(a, z), (b, f"-{z}")]
        if op == "mul":
            return [(x, f"{z} * {as_float(value(y))}") for x, y in ((a, b), (b, a)) if wanted(x)]
        if op == "truediv":
            found = [(a, f"{z} / {as_float(value(b))}")] if wanted(a) else []
            return found + ([(b, f"-{z} * {value(s.target)} / {value(b)}")] if wanted(b) else [])
        if op == "mod":
            found = [(a, z)] if wanted(a) else []
            return found + ([(b, f"-{z} * ({value(a)} // {value(b)})")] if wanted(b) else [])
        if op == "pow":
            return self._power(s, z, value, wanted)
        if s.f is abs:
            x = value(a)
            return [(a, f"({z} if {x} > 0 else -{z} if {x} < 0 else {nil} * {x})")]
        if s.f in (max, min):
            second = f"{value(b)} {'>=' if s.f is max else '<'} {value(a)}"
            return [(x, f"({z} if {c} else {nil})") for x, c in ((a, f"not {second}"), (b, second)) if wanted(x)]
        return self._called(s, z, value, wanted)

    def _of_holomorphic(self, s: Compute, value: Callable[[str], str]) -> str:
        (partial,) = self.partials(s)
        return self.applied(partial, (s.target, *s.args), value, "")

    def _power(self, s: Compute, z: str, value: Callable[[str], str], wanted: Callable[[str], bool]) -> list:
        a, p = s.args
        found = []
        if wanted(a):
            if p == "2":
                text = f"2.0 * {value(a)}"
            elif not is_name(p) and p not in ("True", "False") and float(p.strip("()")) > 1:
                text = f"{p} * {value(a)} ** {float(p.strip('()')) - 1.0!r}"
            else:
                text = self.applied(self._partial_of(math.pow, 0), (s.target, a, p), value)
            found.append((a, f"{z} * ({text})"))
        if wanted(p):
            text = self.applied(self._partial_of(math.pow, 1), (s.target, a, p), value)
            found.append((p, f"{z} * ({text})"))
        return found

    def _partial_of(self, f: Any, i: int) -> Any:
        rule = scalar_rule_for(f)
        if rule is None or has_own_rule(f):
            raise Unsupported(f"powers, where there is a user-defined rule for math.{f.__name__}")
        return rule.partials[i]

    def _called(self, s: Compute, z: str, value: Callable[[str], str], wanted: Callable[[str], bool]) -> list:
        found = []
        for x, p in zip(s.args, self.partials(s), strict=True):
            if not wanted(x) or (not callable(p) and p == 0):
                continue
            text = self.applied(p, (s.target, *s.args), value) if callable(p) else repr(float(p))
            found.append((x, f"{z} * ({text})"))
        return found

    def applied(self, partial: Any, atoms: tuple[str, ...], value: Callable[[str], str], kind: str = "float") -> str:
        """``partial(*atoms)``, as the text of its body where it is an expression of Python; a `kind` of Python's."""
        if hasattr(partial, "reason"):  # it is not implemented
            return "missing()"
        body = expression_of(partial)
        if body is not None:
            body = _OfFloats().visit(_Divided(partial).visit(body))
        if body is None or any(_is_of_library(n, partial) for n in walk(body)):
            return f"{kind}({self.named(partial)}({', '.join(map(value, atoms))}))"  # NumPy's numbers are slow
        read = {n.id for n in walk(body) if isinstance(n, ast.Name)}
        names = {p: value(a) for p, a in zip(partial.__code__.co_varnames, atoms, strict=False) if p in read}
        return ast.unparse(with_operands(body, names, partial.__globals__, self.named))

    def named(self, given: Any) -> str:
        for name, held in self.space.items():
            if held is given:
                return name
        name = f"p{len(self.space)}"
        self.space[name] = given
        return name


def as_float(text: str) -> str:
    """The text of a small integer as that of a float, with which Python multiplies floats faster.

    >>> as_float("2"), as_float("x"), as_float("10_000_000_000_000_000")
    ('2.0', 'x', '10_000_000_000_000_000')
    """
    return f"{text}.0" if text.isdecimal() and len(text) < 16 else text


class _OfFloats(ast.NodeTransformer):
    """Integers beside floats as floats, with which Python computes faster; not in exponents, which may be whole."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        node.left = self.visit(node.left)
        if isinstance(node.op, ast.Pow):
            return node
        node.right = self.visit(node.right)
        if isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
            for operand in (node.left, node.right):
                if isinstance(operand, ast.Constant) and type(operand.value) is int:
                    operand.value = float(operand.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Some functions take integers alone."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "sqrt":
            node.args = [self.visit(a) for a in node.args]
        return node


class _Divided(ast.NodeTransformer):
    """Expressions of numbers for calls of the library: where a divisor is 0 the eager tier is asked."""

    def __init__(self, partial: FunctionType):
        self.partial = partial

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        f = node.func
        if isinstance(f, ast.Attribute) and f.attr == "true_divide" and _is_numpy(f, self.partial):
            return ast.BinOp(node.args[0], ast.Div(), node.args[1])
        callee: Any = self.partial.__globals__.get(f.id) if isinstance(f, ast.Name) else None
        text = WRITTEN_OUT.get(callee.__name__) if getattr(callee, "__module__", "") == PARTIALS_OF_LIBRARY else None
        if text is None or not all(isinstance(a, ast.Name) for a in node.args[1:]):
            return node
        names = {f"_{i}": f"({ast.unparse(a)})" for i, a in enumerate(node.args)}
        return ast.parse(text.format_map(names), mode="eval").body


def expression_of(partial: Any) -> Any:
    """The expression that a partial returns; None for a function of several statements, or one written in C."""
    if type(partial) is not FunctionType:
        return None
    try:
        node = source_of(partial.__code__).node
    except SourceUnavailable:
        return None
    if isinstance(node, ast.FunctionDef):
        statements = node.body[ast.get_docstring(node) is not None :]
        body = statements[0].value if statements and isinstance(statements[0], ast.Return) else None
    else:
        body = node.body if isinstance(node, ast.Lambda) else None
    return ast.parse(ast.unparse(body), mode="eval").body if body is not None else None


def with_operands(
    body: ast.expr, texts: dict[str, str], space: dict[str, Any], named: Callable[[Any], str]
) -> ast.expr:  # fmt: skip
    """The expression of a partial with texts in the place of its parameters.

    Args:
        body: the expression.
        texts: by the names of the parameters.
        space: the globals of the partial.
        named: the name that a text has for such a global.
    """
    found: ast.expr = _Operands(texts, space, named).visit(body)
    return found


class _Operands(ast.NodeTransformer):
    def __init__(self, texts: dict[str, str], space: dict[str, Any], named: Callable[[Any], str]):
        self.texts, self.space, self.named = texts, space, named

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner = self.space.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if (owner is np or owner is math) and node.value.id not in self.texts:  # type: ignore[attr-defined]
            return ast.Name(self.named(getattr(owner, node.attr)), ast.Load())
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.texts:
            return ast.parse(self.texts[node.id], mode="eval").body
        return ast.Name(self.named(self.space[node.id]), ast.Load()) if node.id in self.space else node


def _is_numpy(node: ast.Attribute, partial: FunctionType) -> bool:
    return isinstance(node.value, ast.Name) and partial.__globals__.get(node.value.id) is np


def _is_of_library(node: ast.AST, partial: FunctionType) -> bool:
    """Whether a part of a partial is a call of what gives numbers of NumPy's: anything but Python and `math`."""
    if isinstance(node, ast.Attribute):
        return _is_numpy(node, partial)
    if not isinstance(node, ast.Call):
        return False
    f: Any = node.func
    if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name):
        return partial.__globals__.get(f.value.id) is not math
    found = partial.__globals__.get(f.id, None) if isinstance(f, ast.Name) else partial
    return found is not None and getattr(found, "__module__", None) not in ("math", "builtins")
