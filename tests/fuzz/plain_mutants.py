"""Programs of the other grammars, changed at random: statements that move, are repeated, guarded or left out, values
that take the place of others, names for what has one already. Constructs meet that no grammar has together.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable

from . import plain

MUTATIONS = 4  # at most, of one program
WRAPPERS = (
    "if {test}:\n    pass",
    "if {test}:\n    pass\nelse:\n    pass",
    "for _ in range(2):\n    pass",
    "try:\n    pass\nexcept (ValueError, TypeError, ZeroDivisionError, IndexError, KeyError):\n    pass",
    "try:\n    pass\nfinally:\n    pass",
    "for _ in range(3):\n    pass\n    if {test}:\n        break",
    "while True:\n    pass\n    break",
)
CALLS = (
    "(lambda: {})()", "(lambda v: v)({})", "[{}][0]", "({}, x)[0]", "float({})", "({} + 0.0)",
    "({0} if x < 9.0 else {0})", "(v_ := {})", "max({}, -9.0)",
)  # fmt: skip
KEPT = ("reset", "change")  # what the comparison calls


class MutantWriter:
    """Writes a program of another grammar, and changes it."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def program(self) -> str:
        while True:
            drawn = plain.writer_at(self.rng.random())
            if drawn is not MutantWriter:
                break
        source = drawn(self.rng).program()
        for _ in range(self.rng.randint(1, MUTATIONS)):
            tree = ast.parse(source)
            functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name not in KEPT]
            function = self.rng.choice(functions)
            if self.rng.random() < 0.5:
                function = next(f for f in functions if f.name == "program")
            self.rng.choice(self.ways())(function)
            source = compiled_or(source, tree)
        return source

    def ways(self) -> list[Callable[[ast.FunctionDef], None]]:
        return [self.move, self.repeat, self.omit, self.wrap, self.wrap, self.rename, self.rename, self.name_twice,
                self.shorten, self.call, self.change_constant, self.write]  # fmt: skip

    # statements

    def place(self, function: ast.FunctionDef) -> tuple[list[ast.stmt], int]:
        """A block and a place in it."""
        blocks = [
            block
            for node in ast.walk(function)
            for block in (getattr(node, "body", None), getattr(node, "orelse", None), getattr(node, "finalbody", None))
            if isinstance(block, list) and block
        ]
        block = self.rng.choice(blocks)
        return block, self.rng.randrange(len(block))

    def move(self, function: ast.FunctionDef) -> None:
        block, i = self.place(function)
        j = min(i + self.rng.choice((1, 1, 2)), len(block) - 1)
        block[i], block[j] = block[j], block[i]

    def repeat(self, function: ast.FunctionDef) -> None:
        block, i = self.place(function)
        other, j = self.place(function)
        other.insert(j, copy.deepcopy(block[i]))

    def omit(self, function: ast.FunctionDef) -> None:
        block, i = self.place(function)
        if len(block) > 1:
            del block[i]

    def wrap(self, function: ast.FunctionDef) -> None:
        block, i = self.place(function)
        j = min(i + self.rng.choice((1, 1, 2, 3)), len(block))
        test = self.rng.choice(("x > 0.1", "x < 0.4", "True", "x == x", "not x"))
        wrapper = ast.parse(self.rng.choice(WRAPPERS).format(test=test)).body[0]
        inner = next(b for b in ast.walk(wrapper) if isinstance(getattr(b, "body", None), list))
        at = next(k for k, s in enumerate(inner.body) if isinstance(s, ast.Pass))
        inner.body[at : at + 1] = block[i:j]
        block[i:j] = [wrapper]

    def name_twice(self, function: ast.FunctionDef) -> None:
        """Another name for what a name stands for, and the second one in places."""
        names = loaded(function)
        if not names:
            return
        name = self.rng.choice(names).id
        block, i = self.place(function)
        block.insert(i, ast.parse(f"also = {name}").body[0])
        for node in names:
            if node.id == name and self.rng.random() < 0.4:
                node.id = "also"

    def write(self, function: ast.FunctionDef) -> None:
        """A change of what a name stands for, by one of the ways that there are."""
        names = loaded(function)
        if names:
            name = self.rng.choice(names).id
            line = self.rng.choice(("{0} += 0.5", "{0} *= 0.9", "{0}[0] = x", "{0}[:] = {0}[::-1]", "{0} = {0} * 1.0",
                                    "{0}[0] += 0.3", "{0}, x = x, {0}", "del {0}", "{0}.append(x)"))  # fmt: skip
            block, i = self.place(function)
            block.insert(i, ast.parse(line.format(name)).body[0])

    # expressions

    def rename(self, function: ast.FunctionDef) -> None:
        names = loaded(function)
        if names:
            self.rng.choice(names).id = self.rng.choice(names).id

    def shorten(self, function: ast.FunctionDef) -> None:
        """A part of an expression takes its place."""
        self.replace(function, lambda node: self.rng.choice(parts_of(node) or [node]))

    def call(self, function: ast.FunctionDef) -> None:
        """An expression is computed by a function, or after something else."""
        text = self.rng.choice(CALLS)

        def made(node: ast.expr) -> ast.expr:
            return ast.parse(text.format(f"({ast.unparse(node)})"), mode="eval").body

        self.replace(function, made)

    def change_constant(self, function: ast.FunctionDef) -> None:
        found = [n for n in ast.walk(function) if isinstance(n, ast.Constant) and isinstance(n.value, int | float)]
        if found:
            self.rng.choice(found).value = self.rng.choice((0, 1, 2, 0.0, -1, 0.5, 1.5, True))

    def replace(self, function: ast.FunctionDef, made: Callable[[ast.expr], ast.expr]) -> None:
        fields = [
            (node, field, k)
            for node in ast.walk(function)
            for field, value in ast.iter_fields(node)
            for k, part in (enumerate(value) if isinstance(value, list) else ((None, value),))
            if isinstance(part, ast.expr) and isinstance(getattr(part, "ctx", ast.Load()), ast.Load)
        ]
        if not fields:
            return
        node, field, k = self.rng.choice(fields)
        if k is None:
            setattr(node, field, made(getattr(node, field)))
        else:
            getattr(node, field)[k] = made(getattr(node, field)[k])


def loaded(function: ast.FunctionDef) -> list[ast.Name]:
    """The variables that are read, not the functions that are called."""
    called = {n.func for n in ast.walk(function) if isinstance(n, ast.Call)}
    modules = {n.value for n in ast.walk(function) if isinstance(n, ast.Attribute)}
    return [
        n for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n not in called
        and not (n in modules and n.id in ("math", "np"))
    ]  # fmt: skip


def parts_of(node: ast.expr) -> list[ast.expr]:
    return [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]


def compiled_or(source: str, tree: ast.Module) -> str:
    """The text of a tree, if it is one; the source otherwise."""
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(text, "<mutant>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return source
    return text
