"""What lies on the stack while byte code is read: syntax trees, and parts of constructs that are not complete yet."""

import ast
from dataclasses import dataclass, field
from types import CodeType
from typing import Any


class Unreadable(Exception):
    """Byte code that is not read back into source; the message names the instruction or the construct."""


@dataclass(eq=False)
class Null:
    """What stands below a callable that is no method."""


@dataclass(eq=False)
class Iter:
    """``iter(value)``."""

    value: ast.expr


@dataclass(eq=False)
class Running:
    """The iterator of a loop, inside the loop."""


@dataclass(eq=False)
class Shared:
    """A value of which there are copies on the stack, and what it has been stored to so far."""

    value: ast.expr
    targets: tuple[ast.expr, ...] = ()


@dataclass(eq=False)
class InPlace:
    """The result of ``left op= right``, before it is stored."""

    left: ast.expr
    op: ast.operator
    right: ast.expr
    line: int | None


@dataclass(eq=False)
class Part:
    """A value that is yet to be stored: its target goes into `targets` at `index`."""

    targets: list[Any]
    index: int
    starred: bool = False


@dataclass(eq=False)
class Code:
    """A code object among the constants."""

    code: CodeType


@dataclass(eq=False)
class Function:
    """A function that is being made."""

    code: CodeType
    defaults: Any = None
    kwdefaults: Any = None
    annotations: Any = None
    decorators: list[ast.expr] = field(default_factory=list)
    line: int | None = None


@dataclass(eq=False)
class BuildClass:
    """What makes a class of the function that is its body."""


@dataclass(eq=False)
class Class:
    """A class that is being made."""

    code: CodeType
    name: str
    bases: list[ast.expr]
    keywords: list[ast.keyword]
    decorators: list[ast.expr] = field(default_factory=list)


@dataclass(eq=False)
class Cleared:
    """A variable that a comprehension inside this function has put aside."""

    name: str


@dataclass(eq=False)
class Caught:
    """The exception that a handler handles, or what was handled before it."""


@dataclass(eq=False)
class Imported:
    """The module of an ``import`` statement."""

    module: str
    level: int
    names: Any
    aliases: list[ast.alias] = field(default_factory=list)


@dataclass(eq=False)
class ImportedName:
    """A name out of a module that is being imported."""

    source: Imported
    name: str


@dataclass(eq=False)
class Exit:
    """The ``__exit__`` of a context manager."""

    manager: ast.expr
    entered: Part


@dataclass(eq=False)
class AssertionName:
    """``AssertionError`` itself, whatever the name is bound to."""


class Append(ast.stmt):
    """An item that goes into the display of a comprehension; no statement of the language."""

    _fields = ("kind", "key", "item")

    def __init__(self, kind: str, key: ast.expr | None, item: ast.expr):
        super().__init__()
        self.kind, self.key, self.item = kind, key, item


def literal(node: Any) -> Any:
    """The value of a constant."""
    if not isinstance(node, ast.Constant):
        raise Unreadable(f"{type(node).__name__} for a constant")
    return node.value


def is_lambda(value: Any) -> bool:
    return isinstance(value, Function) and value.code.co_name == "<lambda>"
