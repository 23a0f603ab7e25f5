"""Forward mode of a text: beside each statement another one, with the tangent of what it assigns.

It takes any text that `assemble` makes, forward or forward and back, so that tangents of values and changes of
gradients come of the same rules. The tangent of a variable ``x`` is ``dot_x``. Whatever carries a tangent somewhere has
one everywhere: of zeros where nothing is known to move.
"""

from __future__ import annotations

import ast
import re

from morula.static.python.dual_calls import DualCalls
from morula.static.python.dual_expressions import place_of
from morula.static.python.dual_helpers import DUAL_HELPERS
from morula.static.python.ir import Program, Unsupported
from morula.static.python.reverse import bar
from morula.static.python.tidy import is_fresh
from morula.static.python.unused import without_unused

__all__ = ["dual_text"]

FRESH = re.compile(r"(?:nothing|zeros|own)\(")


def dual_text(text: str, program: Program, lists: set[str]) -> str:
    """The text of a function that takes the tangents of what the program is differentiated by behind the arguments.

    Args:
        text: of a function ``value_and_gradient``, which returns a tuple of two.
        program: what it was made of.
        lists: its atoms that are lists.

    Returns:
        A text of a function of the same name. It returns what was returned, and the tangent of the second part.
    """
    program.space.update(DUAL_HELPERS)
    return without_unused(Duals(text, program, lists).text())


class Duals(DualCalls):
    """One text, read twice: for what may move, and to write it again."""

    def __init__(self, text: str, program: Program, lists: set[str]):
        (self.function,) = (s for s in ast.parse(text).body if isinstance(s, ast.FunctionDef))
        self.space = program.space
        self.seeds = [given.name for given in program.sources()]
        self.active = set(self.seeds)
        self.read_from = {given.name for given in program.sources() if given.read != given.name}
        self.lists = {*lists, *map(bar, lists)}
        self.arrays = {*program.shapes, *map(bar, program.shapes)}
        self.owned: set[str] = set()  # arrays that are written into
        self.functions = {s.name: s for s in self.function.body if isinstance(s, ast.FunctionDef)}
        self.stacks: dict[str, str] = {}  # by the names of their `append`
        self.kept: dict[str, list[ast.expr]] = {}  # what is put on them
        self.results: dict[str, list[ast.expr]] = {}  # of functions
        self.lines: list[str] = []
        self.count = 0
        self._inside = ""
        while True:
            before = len(self.active), len(self.arrays), len(self.lists), len(self.kept)
            self._spread(self.function.body)
            if before == (len(self.active), len(self.arrays), len(self.lists), len(self.kept)):
                break

    def text(self) -> str:
        names = [a.arg for a in self.function.args.args]
        self.lines = []
        for s in self.function.body:
            self._statement(s)
        body = [f"    {line}" for line in self.lines]
        return "\n".join([f"def value_and_gradient({', '.join([*names, *map(dot, self.seeds)])}):", *body])

    # -- what may move --------------------------------------------------------------------------------------------

    def _spread(self, statements: list[ast.stmt]) -> None:
        for s in statements:
            if isinstance(s, ast.Assign):
                for target in s.targets:
                    self._spread_to(target, s.value)
            elif isinstance(s, ast.AugAssign):
                self._learn(root(s.target), s.value)
                if isinstance(s.target, ast.Subscript):
                    self.owned.add(root(s.target))
            elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
                self._spread_call(s.value)
            elif isinstance(s, ast.If | ast.While):
                self._spread(s.body)
                self._spread(s.orelse)
            elif isinstance(s, ast.For):
                self._spread_turns(s)
                self._spread(s.body)
            elif isinstance(s, ast.FunctionDef):
                outer, self._inside = self._inside, s.name
                self._spread(s.body)
                self._inside = outer
            elif isinstance(s, ast.Return) and self._inside:
                self.results[self._inside] = parts(s.value)

    def _spread_to(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name) and isinstance(value, ast.Attribute) and value.attr == "append":
            self.stacks[target.id] = root(value.value)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in self.functions:
            self._spread_results(parts(target), value)
        elif isinstance(value, ast.Name) and value.id == "tape":
            of = self.results.get(self._inside.removesuffix("_back"), [])
            self._spread_kept(parts(target), parts(of[0]) if of else [])
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for t, v in zip(target.elts, value.elts, strict=True):
                self._spread_to(t, v)
        elif isinstance(target, ast.Name) and target.id != "total":  # which is just looked at
            if target.id == "_" and isinstance(value, ast.Call):
                self._spread_call(value)
            self._learn(target.id, value)
            self._alias(target.id, value)
        elif isinstance(target, ast.Subscript):
            self._learn(root(target), value)
            self.owned.add(root(target))

    def _learn(self, name: str, value: ast.expr) -> None:
        if self.moves(value):
            self.active.add(name)
        if self.is_array(value) and name not in self.lists:
            self.arrays.add(name)

    def _alias(self, name: str, value: ast.expr) -> None:
        """What is written into one list may be read in another."""
        if isinstance(value, ast.Name | ast.Subscript) and (source := root(value)) in self.lists:
            if isinstance(value, ast.Name):
                self.lists.add(name)
            if name in self.active and name in self.lists:
                self.active.add(source)

    def _spread_call(self, call: ast.Call) -> None:
        f = call.func
        if isinstance(f, ast.Name) and f.id in self.stacks:
            self.kept[self.stacks[f.id]] = parts(call.args[0])
        elif isinstance(f, ast.Attribute) and f.attr == "append":
            self._learn(root(f.value), call.args[0])
        elif (isinstance(f, ast.Name) and f.id in ("plus", "plus_rows") and self.moves(call.args[1])) or (
            isinstance(f, ast.Name) and f.id == "plus_slice" and self.moves(call.args[2])
        ):
            self.active.add(root(call.args[0]))

    def _spread_turns(self, s: ast.For) -> None:
        if isinstance(s.iter, ast.Call) and s.iter.args and (stack := root(s.iter.args[0])) in self.kept:
            self._spread_kept(parts(s.target), self.kept[stack])

    def _spread_kept(self, names: list[ast.expr], values: list[ast.expr]) -> None:
        for target, value in zip(names, values, strict=False):
            assert isinstance(target, ast.Name)
            self._learn(target.id, value)
            self._alias(target.id, value)

    def _spread_results(self, targets: list[ast.expr], call: ast.Call) -> None:
        assert isinstance(call.func, ast.Name)
        function = self.functions[call.func.id]
        for a, value in zip(function.args.args, call.args, strict=True):
            if a.arg != "tape":
                self._learn(a.arg, value)
        found = self.results.get(function.name, [])
        if f"{function.name}_back" in self.functions:
            targets, found = targets[1:], found[1:]
        for target, value in zip(targets, found, strict=False):
            self._learn(root(target), value)

    # -- statements -----------------------------------------------------------------------------------------------

    def _statement(self, s: ast.stmt) -> None:
        if isinstance(s, ast.Assign):
            self._assign(s)
        elif isinstance(s, ast.AugAssign):
            self._augmented(s)
        elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
            self._call_statement(s.value)
        elif isinstance(s, ast.If):
            self.lines.append(f"if {ast.unparse(s.test)}:")
            self._inner(s.body)
            if s.orelse:
                self.lines.append("else:")
                self._inner(s.orelse)
        elif isinstance(s, ast.While):
            self.lines.append(f"while {ast.unparse(s.test)}:")
            self._inner(s.body)
        elif isinstance(s, ast.For):
            self._for(s)
        elif isinstance(s, ast.FunctionDef):
            self._function(s)
        elif isinstance(s, ast.Nonlocal):
            self.lines.append(f"nonlocal {', '.join([*s.names, *[dot(n) for n in s.names if n in self.active]])}")
        elif isinstance(s, ast.Return):
            self._return(s)
        else:
            self.lines.append(ast.unparse(s))

    def _inner(self, statements: list[ast.stmt]) -> None:
        outer, self.lines = self.lines, []
        for s in statements:
            self._statement(s)
        outer += [f"    {line}" for line in self.lines or ["pass"]]
        self.lines = outer

    def _assign(self, s: ast.Assign) -> None:
        target, value = s.targets[0], s.value
        if len(s.targets) > 1:  # what cotangents begin with
            self.lines.append(ast.unparse(s))
            for t in s.targets:
                if root(t) in self.active:
                    self._still(t, value)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in self.functions:
            self._invoked(parts(target), value)
        elif isinstance(value, ast.Name) and value.id == "tape":
            self.lines.append(f"{', '.join(self._with_dots(parts(target)))} = tape")
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            found = [self._both(t, v) for t, v in zip(target.elts, value.elts, strict=True)]
            moved = [(t, d) for t, (_, d) in zip(target.elts, found, strict=True) if d is not None]
            if moved:
                names = ", ".join(dot(root(t)) for t, _ in moved)
                self.lines.append(f"{names} = {', '.join(d for _, d in moved)}")
            self.lines.append(f"{ast.unparse(target)} = {', '.join(v for v, _ in found)}")
            for t, e, (_, d) in zip(target.elts, value.elts, found, strict=True):
                if d is None and root(t) in self.active:
                    self._still(t, e)
        elif isinstance(target, ast.Name) and target.id == "_" and isinstance(value, ast.Call):
            self._call_statement(value)
        elif root(target) not in self.active or (root(target) in self.read_from and not self.moves(value)):
            self.lines.append(ast.unparse(s))
        else:
            v, d = self._both(target, value)
            if d is not None:
                self.lines.append(f"{moved_place(target)} = {d}")
            self.lines.append(f"{ast.unparse(target)} = {v}")
            if d is None:
                self._still(target, value)

    def _both(self, target: ast.expr, value: ast.expr) -> tuple[str, str | None]:
        """The texts of a value and of the tangent of the target; None where that has none, or stands still."""
        v, d = self.dual(value)
        if root(target) not in self.active or d is None:
            return v, None
        return v, self._own(target.id, d) if isinstance(target, ast.Name) else d

    def _still(self, target: ast.expr, value: ast.expr) -> None:
        """Nothing moves in what has been assigned. It is not computed again, since that may be to draw again."""
        zero = "0.0"
        if isinstance(target, ast.Name):
            is_zero = isinstance(value, ast.Name) and value.id.startswith("zeros_")
            zero = self._own(target.id, ast.unparse(value) if is_zero else self.zero(value, target.id))
        self.lines.append(f"{moved_place(target)} = {zero}")

    def _own(self, name: str, d: str) -> str:
        """A tangent that may be written into, where that is done."""
        if name not in self.owned or name not in self.arrays or name in self.lists or FRESH.match(d) or is_fresh(d):
            return d
        return f"own({d})"

    def _augmented(self, s: ast.AugAssign) -> None:
        sign = {ast.Add: "+", ast.Sub: "-"}.get(type(s.op))
        if sign is None:
            raise Unsupported("an augmented assignment in forward mode")
        v, d = self.dual(s.value)
        if d is not None and isinstance(s.target, ast.Name):
            self.lines.append(f"{dot(s.target.id)} = {dot(s.target.id)} {sign} {d}")
        elif d is not None:
            self.lines.append(f"{moved_place(s.target)} {sign}= {d}")
        self.lines.append(f"{ast.unparse(s.target)} {sign}= {v}")

    def _call_statement(self, call: ast.Call) -> None:
        f = call.func
        if isinstance(f, ast.Name) and f.id in self.stacks:
            kept = self._with_dots(self.kept[self.stacks[f.id]])
            self.lines.append(f"{f.id}({kept[0] if len(kept) == 1 else '(' + ', '.join(kept) + ')'})")
        elif isinstance(f, ast.Attribute) and f.attr == "append" and root(f.value) in self.active:
            v, d = self.dual(call.args[0])
            self.lines += [f"{moved_place(f.value)}.append({d or '0.0'})", f"{ast.unparse(f.value)}.append({v})"]
        elif isinstance(f, ast.Name) and f.id in ("plus", "plus_rows"):
            v, d = self.dual(call.args[1])
            if d is not None:
                self.lines.append(f"{f.id}({moved_place(call.args[0])}, {d})")
            self.lines.append(f"{f.id}({ast.unparse(call.args[0])}, {v})")
        elif isinstance(f, ast.Name) and f.id == "plus_slice":
            v, d = self.dual(call.args[2])
            part = ast.unparse(call.args[1])
            if d is not None:
                self.lines.append(f"plus_slice({moved_place(call.args[0])}, {part}, {d})")
            self.lines.append(f"plus_slice({ast.unparse(call.args[0])}, {part}, {v})")
        else:
            self.lines.append(ast.unparse(call))

    def _with_dots(self, values: list[ast.expr]) -> list[str]:
        """What is kept, or the names that it has then, and the tangents of that."""
        moved = [moved_place(v) for v in values if root(v) in self.active]
        return [*map(ast.unparse, values), *moved]

    def _for(self, s: ast.For) -> None:
        target = ast.unparse(s.target)
        if isinstance(s.iter, ast.Call) and s.iter.args and root(s.iter.args[0]) in self.kept:
            target = ", ".join(self._with_dots(parts(s.target)))
        self.lines.append(f"for {target} in {ast.unparse(s.iter)}:")
        self._inner(s.body)

    # -- functions that call themselves ---------------------------------------------------------------------------

    def _function(self, s: ast.FunctionDef) -> None:
        names = [a.arg for a in s.args.args]
        moved = [dot(n) for n in names if n in self.active]
        self.lines.append(f"def {s.name}({', '.join([*names, *moved])}):")
        outer, self._inside = self._inside, s.name
        self._inner(s.body)
        self._inside = outer

    def _return(self, s: ast.Return) -> None:
        if not self._inside:
            if not isinstance(s.value, ast.Tuple):
                self.lines.append(ast.unparse(s))
                return
            y, moved = s.value.elts
            v, d = self.dual(moved)
            self.lines.append(f"return {ast.unparse(y)}, {v}, {d or self.zero(moved, v)}")
            return
        values = parts(s.value)
        texts = []
        if f"{self._inside}_back" in self.functions:
            kept = self._with_dots(parts(values[0]))
            texts.append(kept[0] if len(kept) == 1 else f"({', '.join(kept)})")
            values = values[1:]
        found = [self.dual(v) for v in values]
        texts += [v for v, _ in found]
        texts += [d for _, d in found if d is not None]
        self.lines.append(f"return {', '.join(texts)}")

    def _invoked(self, targets: list[ast.expr], call: ast.Call) -> None:
        assert isinstance(call.func, ast.Name)
        function = self.functions[call.func.id]
        found = [self.dual(a) for a in call.args]
        given = [v for v, _ in found]
        for a, (v, d), node in zip(function.args.args, found, call.args, strict=True):
            if a.arg in self.active:
                given.append(d or self.zero(node, v))
        results = self.results.get(function.name, [])
        names = [ast.unparse(t) for t in targets]
        moved = []
        start = int(f"{function.name}_back" in self.functions)
        for i, value in enumerate(results[start:]):
            if self.moves(value):
                name = root(targets[i + start]) if i + start < len(targets) else "_"
                moved.append(dot(name) if name in self.active else "_")
        self.lines.append(f"{', '.join([*names, *moved])} = {function.name}({', '.join(given)})")


def root(e: ast.expr) -> str:
    """The variable that an expression is, or a part of."""
    while isinstance(e, ast.Subscript):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def parts(e: ast.expr | None) -> list[ast.expr]:
    """The items of a tuple, or what is none."""
    return [] if e is None else list(e.elts) if isinstance(e, ast.Tuple) else [e]


def dot(name: str) -> str:
    """What the tangent of a variable is called."""
    return f"dot_{name}"


def moved_place(e: ast.expr) -> str:
    """The place in the tangent that belongs to one in the value."""
    if isinstance(e, ast.Subscript):
        return f"{moved_place(e.value)}[{place_of(e.slice)}]"
    return dot(root(e))
