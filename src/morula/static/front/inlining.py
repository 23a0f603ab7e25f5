"""Functions in place of their calls: those that Numba compiled, and those that are defined inside another."""

import ast
import inspect
from types import FunctionType
from typing import Any

from morula.static.front.expressions import as_definition
from morula.static.front.scopes import Inner, Scope, name_node
from morula.static.front.source import MISSING, Source, assigned, own_nodes, source_of
from morula.static.unsupported import Unsupported

FRESH = "variables: "


def plain_parameters(source: Source) -> list[str]:
    """The parameters of a function without stars."""
    a = source.tree.args
    if a.vararg or a.kwarg:
        raise Unsupported("star arguments", source.line(source.tree), source.name)
    return [p.arg for p in a.posonlyargs + a.args + a.kwonlyargs]


def may_change(name: str, inner: ast.FunctionDef, tree: ast.FunctionDef) -> bool:
    """Whether a variable may be assigned after a function inside has been defined: Numba reads it at the definition."""
    for node in (n for s in tree.body for n in own_nodes(s)):
        if isinstance(node, ast.For | ast.While) and node.lineno <= inner.lineno <= (node.end_lineno or inner.lineno):
            return True
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            if node.lineno >= inner.lineno:
                return True
    return any(isinstance(n, ast.FunctionDef) and n.name == name for n in ast.walk(tree))


class Inlining:
    """The part of the maker of a normal form that knows functions."""

    def on_FunctionDef(self: Any, s: ast.FunctionDef, scope: Scope) -> None:
        if s.decorator_list or assigned(scope.source.tree)[s.name] > 1:
            raise self.refuse("an inner function whose name has other values", s, scope)
        scope.functions[s.name] = Inner(s, scope)

    def stands_for_function(self: Any, name: str, e: ast.expr, scope: Scope) -> bool:
        """Whether a variable is another name for one function; it is noted then, and nothing is computed."""
        value = Inner(as_definition(e), scope) if isinstance(e, ast.Lambda) else self.static(e, scope)
        if value is MISSING or not callable(value) or isinstance(value, type):
            return False
        if assigned(scope.source.tree)[name] > 1:
            raise self.refuse("a variable that stands for several functions", e, scope)
        scope.functions[name] = value
        return True

    def inline(
        self: Any, python: FunctionType, call: ast.Call, given: tuple[list, dict], functions: dict, scope: Scope
    ) -> ast.expr:
        """The body of a callee in place of its call.

        Args:
            python: the callee.
            call: its call.
            given: the arguments and keywords, as atoms.
            functions: those arguments of the call that are functions.
            scope: of the caller.
        """
        source = source_of(python)
        if source.tree.args.kwarg:
            raise Unsupported("star arguments", source.line(source.tree), source.name)
        self.stack.append(python)
        if python not in self.inlined:
            self.inlined.append(python)
        found = self.stand_in(source, inspect.signature(python), call, given, functions, scope, None)
        self.stack.pop()
        return found

    def inline_inner(
        self: Any, f: Inner, call: ast.Call, given: tuple[list, dict], functions: dict, scope: Scope
    ) -> ast.expr:
        """As `inline`, for a function that is defined inside another."""
        around = f.scope
        source = Source(around.source.function, f.tree, around.source.first_line, around.source.free, inner=True)
        names = plain_parameters(source)
        a = f.tree.args
        defaults = {p.arg: self.static(e, around) for p, e in zip(a.args[::-1], a.defaults[::-1], strict=False)}
        is_odd = a.posonlyargs or a.kw_defaults or any(value is MISSING for value in defaults.values())
        # Numba appends all defaults to the arguments of a call, so some of them stand for other parameters.
        is_mixed = call.keywords or len(call.args) not in (len(a.args), len(a.args) - len(defaults))
        if is_odd or (defaults and is_mixed):
            raise self.refuse("an inner function with defaults", f.tree, around)
        if f.tree in self.stack:
            raise self.refuse("an inner function that calls itself", f.tree, around)
        own = assigned(f.tree)
        for node in (n for s in f.tree.body for n in own_nodes(s)):
            owner = around.owner(node.id) if isinstance(node, ast.Name) and node.id not in own else None
            if owner is None or assigned(owner.source.tree)[node.id] <= 1:  # type: ignore[attr-defined]
                continue
            if owner is not around or may_change(node.id, f.tree, around.source.tree):  # type: ignore[attr-defined]
                raise self.refuse("an inner function that reads a variable that changes", f.tree, around)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(n, kind, default=defaults.get(n, inspect.Parameter.empty)) for n in names]
        signature = inspect.Signature(parameters)
        self.stack.append(f.tree)
        found = self.stand_in(source, signature, call, given, functions, scope, around)
        self.stack.pop()
        return found

    def stand_in(
        self: Any, source: Source, signature: inspect.Signature, call: ast.Call, given: tuple[list, dict],
        functions: dict, scope: Scope, around: Scope | None,
    ) -> ast.expr:  # fmt: skip
        """A body in place of a call."""
        inner = self.scope(source, f"{source.name}_" if source.name.isidentifier() else "lambda_")
        inner.around = around
        try:
            values = signature.bind(*given[0], **given[1]).arguments
            written = signature.bind(*call.args, **{str(k.arg): k.value for k in call.keywords}).arguments
        except TypeError:
            raise self.refuse(f"a call to {source.name} with arguments that do not fit", call, scope) from None
        inner.functions = {name: functions[e] for name, e in written.items() if e in functions}
        if any(assigned(source.tree)[name] > 1 for name in inner.functions):
            raise self.refuse("a variable that stands for several functions", call, scope)
        # Each call begins with variables that hold nothing, also where it stands in a loop.
        names = [*sorted(inner.local_names - set(values)), inner.result]
        marker = FRESH + " ".join(self.local(inner, name) for name in names)
        self.emit(ast.Expr(ast.Constant(marker)), scope, call)
        for name, parameter in signature.parameters.items():
            if name not in inner.functions:
                if parameter.kind is parameter.VAR_POSITIONAL:
                    value = ast.Tuple(list(values.get(name, ())), ast.Load())
                else:
                    value = values[name] if name in values else self.named(parameter.default, name)
                self.set(self.local(inner, name), value, scope, call)
                self.note_length(name, self.length_of(value), inner)
        body, has_value = self.body(inner)
        self.out += body
        return name_node(inner.result) if has_value else ast.Constant(None)
