"""The library's partial derivatives as compiled code says them.

A partial of the library takes whatever a program computes with. Of that, compiled code knows the kind: its numbers are
real, or complex. So the tests of kinds in the text are decided (``isinstance(x, np.ndarray)``, ``type(x) is float``),
Python's exceptions at poles never arise (``try`` is its body), and what is left is in Numba's subset:

>>> import chainrules, numpy as np
>>> text_of(chainrules.scalar_rule_for(np.hypot).partials[0])
'{0} / {y} if {y} != 0.0 else 0.0'
>>> print(definition_of(chainrules.scalar_rule_for(np.power).partials[0])[0])
def power_dx(x, p):
    if p == 2.0:
        return x + x
    if p == 0.0:
        return 0.0
    dx = p * x ** (p - 1.0)
    return dx
"""

from __future__ import annotations

import ast
import cmath
import inspect
import math
from contextlib import suppress
from copy import deepcopy
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

from morula.static.numba.compiling import Forgiving
from morula.static.numba.generated import defined
from morula.static.unsupported import Unsupported
from morula.transform import source_of

__all__ = ["COMPILED", "compiled_from", "definition_of", "text_of"]

COMPILED: dict[tuple[Any, type], tuple[str, tuple[int, ...]]] = {}
"""By function of the library and kind of numbers: its name in generated code, and the arguments that it takes there."""
UNKNOWN = object()
MODULES = {np: "np", math: "math", cmath: "cmath"}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
OPERATORS: dict[str, Any] = {"true_divide": ast.Div(), "subtract": ast.Sub()}
COMPARISONS: dict[str, Any] = {
    "equal": ast.Eq(), "greater": ast.Gt(), "greater_equal": ast.GtE(), "less": ast.Lt(), "less_equal": ast.LtE(),
}  # fmt: skip
TESTS = ("isnan", "isinf", "signbit")


def text_of(partial: Any, kind: type = float) -> str:
    """A partial derivative of ``(y, *args)``, with ``{y}``, ``{0}``, ``{1}`` ... for what it reads.

    Args:
        partial: of a `chainrules.ScalarRule`.
        kind: `float`, or `complex`.

    Raises:
        Unsupported: it is no single expression.
    """
    if not callable(partial):
        return repr(partial)
    count = partial.__code__.co_argcount - 1
    places: list[ast.expr] = [ast.Name("{y}"), *(ast.Name(f"{{{i}}}") for i in range(count))]
    found = _Plain().visit(_applied(partial, places, kind))
    if _is_test(found):
        found = ast.IfExp(found, ast.Constant(1.0), ast.Constant(0.0))
    return ast.unparse(ast.fix_missing_locations(found))


def definition_of(f: FunctionType, kind: type = float, keep_all: bool = False) -> tuple[str, tuple[int, ...]]:
    """The text of a function of the library for numbers of one kind, and the positions of the arguments that it reads.

    Args:
        f: a Python function.
        kind: `float`, or `complex`.
        keep_all: whether arguments that it does not read stay.
    """
    names = list(f.__code__.co_varnames[: f.__code__.co_argcount])
    body = [_Plain().visit(s) for s in _body(f, {}, kind)]
    read = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
    kept = tuple([i for i, name in enumerate(names) if keep_all or name in read])
    arguments = ast.arguments([], [ast.arg(names[i]) for i in kept], None, [], [], None, [])
    made = ast.FunctionDef(_name(f, kind), arguments, body, [])
    made.type_params = []  # type: ignore[attr-defined]
    return ast.unparse(ast.fix_missing_locations(made)), kept


def compiled_from(f: Any, kind: type = float, keep_all: bool = False, **options: Any) -> Any:
    """A function of the library, compiled from its own text.

    Args:
        f: a Python function.
        kind: `float`, or `complex`.
        keep_all: whether it takes arguments that it does not read; of others, generated code knows the name.
        options: of `numba.njit`.
    """
    text, kept = definition_of(f, kind, keep_all)
    filename = f"<{f.__module__}.{f.__name__} of {kind.__name__} {keep_all}>"
    space = {"np": np, "math": math, "cmath": cmath, **_DISPATCHERS}
    python = defined(text, _name(f, kind), filename, space)
    made = numba.njit(error_model="numpy", **options)(python)
    with suppress(Exception):  # nowhere to write to
        made._cache = Forgiving(f)
        made._cache._py_func = python
    if not keep_all:
        python.__module__ = "morula.static.numba.helpers"
        COMPILED[f, kind] = _name(f, kind), kept
        _DISPATCHERS[_name(f, kind)] = made
    return made


_DISPATCHERS: dict[str, Any] = {}


def _name(f: Any, kind: type) -> str:
    return f.__name__ if kind is float else f"{kind.__name__}_{f.__name__}"


def _applied(f: Any, args: list[ast.expr], kind: type) -> ast.expr:
    """What ``f(*args)`` is: a call of a compiled function, or the expression that `f` returns."""
    if (f, kind) in COMPILED:
        name, kept = COMPILED[f, kind]
        return ast.Call(ast.Name(name), [args[i] for i in kept], [])
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    body = _body(f, dict(zip(names, args, strict=True)), kind)
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        raise Unsupported(f"a partial that calls {f.__module__}.{f.__qualname__}")
    return body[0].value


def _body(f: Any, names: dict[str, ast.expr], kind: type) -> list[ast.stmt]:
    """The statements of a function for numbers of one kind, with expressions in place of some of its parameters."""
    if f.__name__ == "<lambda>":
        node: Any = deepcopy(source_of(f.__code__).node)
        body: list[ast.stmt] = [ast.Return(node.body)]
    else:
        body = ast.parse(inspect.getsource(f)).body[0].body  # type: ignore[attr-defined]
    return _Decided(f, names, kind).statements(body)


class _Decided(ast.NodeTransformer):
    """Decides the tests of kinds, and says by value what a function names outside itself."""

    def __init__(self, f: FunctionType, names: dict[str, ast.expr], kind: type):
        self.space, self.names, self.kind = f.__globals__, names, kind
        self.local = set(f.__code__.co_varnames) - set(names)

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for s in body:
            if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant):
                continue  # a docstring
            made = self.visit(s)
            found += made if isinstance(made, list) else [made]
            if found and isinstance(found[-1], ast.Return):
                break
        return found

    def decided(self, test: ast.expr) -> Any:
        """Whether a test of the kind of a number holds; `UNKNOWN` of any other expression."""
        value: Any = None
        match test:
            case ast.Call(ast.Name("isinstance"), [_, types]):
                return issubclass(self.kind, self.outside(types))
            case ast.Call(ast.Name("hasattr"), [_, ast.Constant(value)]):
                return hasattr(self.kind, str(value))
            case ast.Call(ast.Attribute(attr="iscomplexobj")):
                return self.kind is complex
            case ast.Compare(ast.Call(ast.Name("type"), [_]), [op], [types]):
                types_, negative = self.outside(types), isinstance(op, ast.IsNot | ast.NotIn)
                return (self.kind in (types_ if isinstance(types_, tuple) else (types_,))) is not negative
            case ast.UnaryOp(ast.Not(), operand):
                value = self.decided(operand)
                return value if value is UNKNOWN else not value
            case ast.BoolOp(op, values):
                ends = isinstance(op, ast.Or)
                found = [self.decided(v) for v in values]
                return ends if ends in found else not ends if UNKNOWN not in found else UNKNOWN
        return UNKNOWN

    def outside(self, e: ast.expr) -> Any:
        return eval(compile(ast.Expression(e), "<kinds>", "eval"), self.space)

    def visit_If(self, node: ast.If) -> Any:
        test = self.decided(node.test)
        if test is not UNKNOWN:
            return self.statements(node.body if test else node.orelse)
        return ast.If(self.visit(node.test), self.statements(node.body), self.statements(node.orelse))

    def visit_Try(self, node: ast.Try) -> Any:
        return self.statements(node.body)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        test = self.decided(node.test)
        return self.generic_visit(node) if test is UNKNOWN else self.visit(node.body if test else node.orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        left = [self.visit(v) for v in node.values if self.decided(v) is UNKNOWN]
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Call) and isinstance(node.args[0], ast.Constant):  # type(x)(1)
            return ast.Constant(self.kind(node.args[0].value))
        args = list(map(self.visit, node.args))
        f = self.space.get(node.func.id) if isinstance(node.func, ast.Name) else None
        return (
            _applied(f, args, self.kind) if isinstance(f, FunctionType) else ast.Call(self.visit(node.func), args, [])
        )

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            return deepcopy(self.names[node.id])
        if node.id in self.local or node.id not in self.space:
            return node
        value = self.space[node.id]
        if isinstance(value, ModuleType):
            return ast.Name(MODULES[value])
        return ast.Constant(float(value)) if isinstance(value, float) else node


class _Plain(ast.NodeTransformer):
    """NumPy's functions of numbers as operators, and whole numbers beside others as floats: ``1.0 / x``."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or not isinstance(node.func.value, ast.Name):
            return node
        name, args = node.func.attr, node.args
        if name in OPERATORS:
            return self.visit_BinOp(ast.BinOp(args[0], OPERATORS[name], args[1]))
        if name in COMPARISONS:
            return self.visit_Compare(ast.Compare(args[0], [COMPARISONS[name]], [args[1]]))
        if name == "square" and isinstance(args[0], ast.Name):
            return ast.BinOp(args[0], ast.Mult(), args[0])
        return ast.IfExp(*args) if name == "where" else node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ARITHMETIC):
            node.left, node.right = _float(node.left), _float(node.right)
            if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
                return ast.Constant(eval(ast.unparse(node)))
        if isinstance(node.op, ast.BitOr | ast.BitAnd) and _is_test(node.left) and _is_test(node.right):
            return ast.BoolOp(ast.Or() if isinstance(node.op, ast.BitOr) else ast.And(), [node.left, node.right])
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        return ast.UnaryOp(ast.Not(), node.operand) if _is_test(node.operand) else node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        node.comparators = list(map(_float, node.comparators))
        return node


def _is_test(e: ast.expr) -> bool:
    """Whether an expression is true or false."""
    if isinstance(e, ast.Call):
        return isinstance(e.func, ast.Attribute) and e.func.attr in TESTS
    return isinstance(e, ast.Compare | ast.BoolOp) or (isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not))


def _float(e: ast.expr) -> ast.expr:
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
        return ast.UnaryOp(e.op, _float(e.operand))
    is_whole = isinstance(e, ast.Constant) and type(e.value) is int
    return ast.Constant(float(e.value)) if is_whole else e  # type: ignore[attr-defined]
