"""Private names: ``__name`` inside a class means ``_Class__name``."""

import ast
from collections.abc import Sequence
from typing import Any


def mangled_name(name: str, class_name: str) -> str:
    hidden = name.startswith("__") and not name.endswith("__") and class_name.strip("_")
    return f"_{class_name.lstrip('_')}{name}" if hidden else name


class _Mangler(ast.NodeTransformer):
    def __init__(self, class_name: str, attributes_only: bool):
        self.class_name = class_name
        self.attributes_only = attributes_only

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = mangled_name(node.attr, self.class_name)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not self.attributes_only:
            node.id = mangled_name(node.id, self.class_name)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        if not self.attributes_only:
            node.arg = mangled_name(node.arg, self.class_name)
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        return self.generic_visit(self._renamed(node, "name"))

    def visit_alias(self, node: ast.alias) -> ast.AST:
        """An import without ``as`` of a private name binds it by its mangled one."""
        first = node.name.partition(".")[0]
        if node.asname is None and not self.attributes_only and mangled_name(first, self.class_name) != first:
            node.asname = mangled_name(first, self.class_name) if first == node.name else None
        return self._renamed(node, "asname")

    def visit_Global(self, node: ast.Global) -> ast.AST:
        return self._all_renamed(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        return self._all_renamed(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        return self.generic_visit(self._renamed(node, "name"))

    def visit_MatchStar(self, node: ast.MatchStar) -> ast.AST:
        return self._renamed(node, "name")

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        return self.generic_visit(self._renamed(node, "rest"))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self._bound(self.generic_visit(node))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return self._bound(self.generic_visit(node))

    def _bound(self, node: Any) -> Any:
        """A function or class keeps its name; the variable that it is bound to has the mangled one."""
        variable = mangled_name(node.name, self.class_name)
        if self.attributes_only or variable == node.name:
            return node
        same = ast.Assign([ast.Name(variable, ast.Store())], ast.Name(node.name, ast.Load()))
        return [node, ast.fix_missing_locations(ast.copy_location(same, node))]

    def _renamed(self, node: Any, field: str) -> Any:
        name = getattr(node, field)
        if name is not None and not self.attributes_only:
            setattr(node, field, mangled_name(name, self.class_name))
        return node

    def _all_renamed(self, node: Any) -> Any:
        if not self.attributes_only:
            node.names = [mangled_name(name, self.class_name) for name in node.names]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """A class of its own: only what is evaluated outside it belongs to this one."""
        for outside in (node.decorator_list, node.bases, node.keywords):
            outside[:] = [self.visit(n) for n in outside]
        return self._bound(node)


def mangled(node: Any, class_name: str | None) -> Any:
    """`node` with the private names of a class around it written out."""
    return node if class_name is None else _Mangler(class_name, False).generic_visit(node)


def with_mangled_attributes(body: Sequence[Any], class_name: str) -> list[Any]:
    """Statements of a class body; the compiler itself takes care of the names."""
    return [_Mangler(class_name, True).visit(node) for node in body]
