"""A rule cut in two by its source: what runs on the way forward, and the pullback with what it has captured.

```python
def root_rule(a):
    x = root(a)
    def root_pullback(x_bar):
        return x_bar / (2 * x)
    return x, root_pullback
```

becomes ``root_rule_forward(a) -> (x, (x,))`` and ``root_rule_backward(kept, x_bar) -> (x_bar / (2 * x),)``. Only the
form is looked at here; whether Numba compiles it is another matter.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import chainrules
from morula.transform import SourceUnavailable, source_of
from morula.transform.syntax import parsed

__all__ = ["SplitSource", "split_source"]


@dataclass(frozen=True)
class SplitSource:
    """The two halves of a rule as text.

    Attributes:
        forward: name of the function ``(*args) -> (y, kept)``.
        backward: name of the function ``(kept, y_bar) -> cotangents``.
        text: the source of both.
        kept: the names of the variables that the pullback has captured, in the order of ``kept``.
        parameters: the names of the arguments.
        at_hand: for each of ``kept`` where else it is: ``"y"``, or the position of an argument; ``None`` where one of
            them is a value that only the way forward has.
    """

    forward: str
    backward: str
    text: str
    kept: tuple[str, ...]
    parameters: tuple[str, ...]
    at_hand: tuple[str | int, ...] | None = None


class _Unsuitable(Exception):
    pass


def split_source(rule: FunctionType) -> SplitSource | None:
    """The halves of a rule that ends with ``return y, pullback``.

    Args:
        rule: a function of positional arguments. It has one inner function, or lambda, of one argument, and
            returns at its end only. ``NoTangent()`` and ``ZeroTangent()`` in what the pullback returns become ``None``,
            a ``Thunk(lambda: ...)`` its expression.

    Returns:
        ``None`` where the rule is written otherwise, or has no source.

    >>> import math
    >>> def f_rule(x):
    ...     y = math.exp(x)
    ...     return y, lambda y_bar: y * y_bar
    >>> print(split_source(f_rule).text)
    def f_rule_forward(x):
        y = math.exp(x)
        return (y, (y,))
    <BLANKLINE>
    def f_rule_backward(kept, y_bar):
        y = kept[0]
        return (y * y_bar,)
    """
    try:
        found = source_of(rule.__code__)
        if found.class_name is not None and any(name.startswith("_" + found.class_name) for name in _names(rule)):
            return None  # private names, which are others outside the class
        return _split(rule, copy.deepcopy(found.node))
    except (SourceUnavailable, _Unsuitable):
        return None


def _split(rule: FunctionType, node: Any) -> SplitSource:
    parameters = _plain_parameters(node.args)
    if len(parameters) != rule.__code__.co_argcount or not parameters:
        raise _Unsuitable
    body: list[ast.stmt] = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
    spaces = {**rule.__globals__, **_closure(rule)}
    *start, end = [s for part in _without_docstring(body) for s in _without_errstate(part, spaces)]
    if not isinstance(end, ast.Return) or not isinstance(end.value, ast.Tuple) or len(end.value.elts) != 2:
        raise _Unsuitable
    y, inner = end.value.elts
    if isinstance(inner, ast.Name):
        found = [s for s in start if isinstance(s, ast.FunctionDef) and s.name == inner.id]
        if len(found) != 1 or found[0].decorator_list:
            raise _Unsuitable
        start.remove(found[0])
        pullback_args, pullback_body, pullback_name = found[0].args, _without_docstring(found[0].body), inner.id
        if any(inner.id in _stored(s) for s in start):
            raise _Unsuitable
    elif isinstance(inner, ast.Lambda):
        pullback_args, pullback_body, pullback_name = inner.args, [ast.Return(inner.body)], "<lambda>"
    else:
        raise _Unsuitable
    _check_no_functions([*start, ast.Expr(y)])
    if any(isinstance(n, ast.Return) for s in start for n in ast.walk(s)):
        raise _Unsuitable
    if len(_plain_parameters(pullback_args)) != 1:
        raise _Unsuitable
    (y_bar,) = _plain_parameters(pullback_args)
    kept = _captured(rule.__code__, pullback_name)
    if not set(kept) <= _surely_bound(start) | set(parameters):
        raise _Unsuitable
    replaced = _Cotangents(spaces, len(parameters))
    pullback_body = [replaced.visit(s) for part in pullback_body for s in _without_errstate(part, spaces)]
    _check_no_functions(pullback_body)
    if any(isinstance(n, ast.Nonlocal | ast.Global) for s in (*start, *pullback_body) for n in ast.walk(s)):
        raise _Unsuitable
    base = "rule" if rule.__name__ in ("_", "<lambda>") else rule.__name__
    used = {n.id for s in pullback_body for n in ast.walk(s) if isinstance(n, ast.Name)} | {y_bar, *kept}
    kept_name = next(k for k in ("kept", "kept_", "kept__") if k not in used)
    forward = _function(f"{base}_forward", parameters, [*start, ast.Return(_tuple([y, _tuple(map(_load, kept))]))])
    unpack = [
        ast.Assign([ast.Name(name, ast.Store())], ast.Subscript(_load(kept_name), ast.Constant(i), ast.Load()))
        for i, name in enumerate(kept)
    ]
    backward = _function(f"{base}_backward", [kept_name, y_bar], [*unpack, *pullback_body])
    text = "\n\n".join(ast.unparse(ast.fix_missing_locations(part)) for part in (forward, backward))
    changed = {name for s in start for name in _stored(s)}
    places: dict[str, str | int] = {p: i for i, p in enumerate(parameters) if p not in changed}
    if isinstance(y, ast.Name):
        places.setdefault(y.id, "y")
    at_hand = tuple(places[name] for name in kept) if all(name in places for name in kept) else None
    return SplitSource(forward.name, backward.name, text, kept, tuple(parameters), at_hand)


class _Cotangents(ast.NodeTransformer):
    """What a pullback returns, as a tuple of one value or ``None`` per argument."""

    def __init__(self, names: dict[str, Any], arguments: int):
        self._names = names
        self._arguments = arguments

    def visit_Return(self, node: ast.Return) -> ast.Return:
        value = node.value
        if value is None:
            raise _Unsuitable
        bars = value.elts if isinstance(value, ast.Tuple) else [value]
        if len(bars) != self._arguments or any(isinstance(b, ast.Starred) for b in bars):
            raise _Unsuitable
        return ast.Return(_tuple(map(self._cotangent, bars)))

    def _refuse(self, node: ast.AST) -> Any:
        raise _Unsuitable

    visit_Lambda = visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _refuse

    def _cotangent(self, bar: ast.expr) -> ast.expr:
        if isinstance(bar, ast.Call):
            made = _value_of(bar.func, self._names)
            if made in (chainrules.NoTangent, chainrules.ZeroTangent) and not bar.args and not bar.keywords:
                return ast.Constant(None)
            if made is chainrules.Thunk:
                one = bar.args[0] if len(bar.args) == 1 and not bar.keywords else None
                if not isinstance(one, ast.Lambda) or _plain_parameters(one.args):
                    raise _Unsuitable
                return self._cotangent(one.body)
        if isinstance(bar, ast.Name):  # a tuple in a variable, or a cotangent that may be absent at run time
            return bar
        return self.visit(bar)


def _value_of(node: ast.expr, names: dict[str, Any]) -> Any:
    """What a name, or an attribute of one, stands for outside the function; ``None`` for other expressions."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(_value_of(node.value, names), node.attr, None)
    return None


def _without_errstate(s: ast.stmt, names: dict[str, Any]) -> list[ast.stmt]:
    """A statement, or those inside ``with np.errstate(...)``: compiled code reports no floating-point errors."""
    if not isinstance(s, ast.With):
        return [s]
    calls = [i.context_expr for i in s.items]
    if not all(isinstance(c, ast.Call) and _value_of(c.func, names) is np.errstate for c in calls):
        return [s]
    return [inner for part in s.body for inner in _without_errstate(part, names)]


def _names(rule: FunctionType) -> set[str]:
    code = rule.__code__
    return {*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars}


def _closure(rule: FunctionType) -> dict[str, Any]:
    found = {}
    for name, cell in zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            raise _Unsuitable from None
    return found


def _captured(code: CodeType, name: str) -> tuple[str, ...]:
    """The variables of the rule that its pullback reads."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name]
    if len(inner) != 1:
        raise _Unsuitable
    kept = tuple(v for v in inner[0].co_freevars if v not in code.co_freevars)
    if name in kept:  # it calls itself
        raise _Unsuitable
    return kept


def _surely_bound(body: Iterable[ast.stmt]) -> set[str]:
    """The names that are bound whichever way the statements run."""
    bound: set[str] = set()
    for s in body:
        if isinstance(s, ast.If):
            bound |= _surely_bound(s.body) & _surely_bound(s.orelse)
        elif isinstance(s, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Import | ast.ImportFrom):
            bound |= _stored(s)
    return bound


def _stored(s: ast.stmt) -> set[str]:
    if isinstance(s, ast.AnnAssign) and s.value is None:
        return set()
    return {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _plain_parameters(args: ast.arguments) -> list[str]:
    if args.vararg or args.kwarg or args.kwonlyargs:
        raise _Unsuitable
    return [a.arg for a in (*args.posonlyargs, *args.args)]


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        body = body[1:]
    if not body:
        raise _Unsuitable
    return body


def _check_no_functions(body: Iterable[ast.AST]) -> None:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Yield | ast.YieldFrom | ast.Await
    if any(isinstance(n, kinds) for s in body for n in ast.walk(s)):
        raise _Unsuitable


def _function(name: str, parameters: Iterable[str], body: list[Any]) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    made = parsed("def f(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.name, made.args, made.body = name, arguments, body
    return made


def _tuple(items: Iterable[ast.expr]) -> ast.Tuple:
    return ast.Tuple(list(items), ast.Load())


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
