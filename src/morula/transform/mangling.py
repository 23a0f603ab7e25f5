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

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A class of its own: only what is evaluated outside it belongs to this one."""
        for outside in (node.decorator_list, node.bases, node.keywords):
            outside[:] = [self.visit(n) for n in outside]
        return node


def mangled(node: Any, class_name: str | None) -> Any:
    """`node` with the private names of a class around it written out."""
    return node if class_name is None else _Mangler(class_name, False).visit(node)


def with_mangled_attributes(body: Sequence[Any], class_name: str) -> list[Any]:
    """Statements of a class body; the compiler itself takes care of the names."""
    return [_Mangler(class_name, True).visit(node) for node in body]
