"""Comprehensions of lists, and sums of generators and lists: as the loops that they stand for."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from morula.static.python.ir import Branch, Fail, Unsupported
from morula.static.python.scopes import Array, Display, Lines, ListOf, Scope, Small, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.sums import COMPENSATED, compensated, lost, lost_from_zero
from morula.static.python.things import Thing, Turns, is_of_class
from morula.transform.deep import copied
from morula.transform.syntax import walk

__all__ = ["CHANGING", "COMPUTING", "METHODS", "Chosen", "Comprehensions", "Given", "Pushed", "Renamed", "in_order"]

READ_TWICE = (ast.Subscript, ast.Dict, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
LONGEST = 8  # ranges that are written out
COMPUTING = frozenset([
    abs, all, any, bool, complex, divmod, enumerate, float, int, isinstance, len, list, max, min, pow, range, reversed,
    round, sorted, sum, tuple, zip,
])  # fmt: skip
METHODS = frozenset([
    "all", "any", "argmax", "argmin", "astype", "clip", "conj", "copy", "cumsum", "diagonal", "dot", "flatten", "item",
    "max", "mean", "min", "prod", "ravel", "reshape", "round", "squeeze", "std", "sum", "swapaxes", "tolist", "trace",
    "transpose", "var",
])  # fmt: skip
CHANGING = frozenset([np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis])


class Given(ast.expr):
    """An expression whose value is known."""

    def __init__(self, value: Any):
        super().__init__()
        self.value = value


class Pushed(ast.expr):
    """``array.append(item)`` for a list that is in a variable."""

    def __init__(self, array: ast.expr, item: ast.expr, key: Any):
        super().__init__()
        self.array, self.item, self.key = array, item, key


class Added(ast.expr):
    """``name + item``, as `sum` adds; what rounding loses goes to the variable `rest`, as `lost` finds it."""

    def __init__(self, name: str, item: ast.expr, rest: str | None, lost: Callable[..., float]):
        super().__init__()
        self.name, self.item, self.rest, self.lost = name, item, rest, lost
        self.has_numbers = False  # whether numbers have been added


class Chosen(ast.expr):
    """The variable of what is chosen so far, of which an item is one."""

    def __init__(self, name: str, item: str):
        super().__init__()
        self.name, self.item = name, item


class Comprehensions:
    """The part of a `front.Builder` that reads comprehensions; their variables are those of the function, renamed.

    Attributes:
        looking: variables of comprehensions during which nothing is written into what they hold.
    """

    looking: set[str]
    line: int
    scopes: list[Scope]
    by_reference: set[Any]
    fresh: Callable[[str], str]
    emit: Callable[[Any], None]
    compute: Callable[..., str]
    value: Callable[[ast.expr], Any]
    number: Callable[[ast.expr], str]
    operand: Callable[[Any], Any]
    operated: Callable[[ast.operator, Any, Any], Any]
    overloaded: Callable[[str, Any, Any], Any]
    sum_by_class: Callable[..., Any]
    sequence: Callable[[Any], tuple | None]
    spread: Callable[[Any], tuple]
    known_length: Callable[[ListOf], int | None]
    read: Callable[..., Any]
    part: Callable[..., Any]
    length: Callable[[Any], str]
    lists_are_things: bool
    list_of: Callable[[tuple], Any]
    held: Callable[[Any], Any]
    assign: Callable[[ast.expr, Any], None]
    block: Callable[[Sequence[ast.stmt]], str]
    _changed: Callable[..., ListOf]
    generator_of: Callable[[ast.expr], Any]
    of_rows: dict[Any, Any]
    definition: Callable[..., Any]
    list_of_rows: Callable[..., ListOf]
    push: Callable[[ListOf, Any, Any], None]
    lines_of: Callable[[Any, Any], Any]
    add_line: Callable[[Lines, Any], Static]

    def _value_ListComp(self, node: ast.ListComp) -> Any:
        return self.listed_items(node)

    def listed_items(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        """The list of the items of a comprehension."""
        items, (first, *rest) = self._renamed(node)
        assigns = any(isinstance(n, ast.NamedExpr) for n in walk(node))
        is_known = not rest and not first.ifs and not assigns and self.generator_of(first.iter) is None
        values = self._known_items(first.iter) if is_known else None
        if values is not None:
            found = []
            for v in values:
                self.assign(first.target, v)
                found.append(self.held(self.value(items)))
            return Display(found)
        scope, name = self.scopes[-1], self._unused("items")
        self.by_reference.add((scope.function.__code__, name))
        key = ("comprehension", scope.function.__code__, node.lineno, node.col_offset)
        start = Given(self.list_of_rows(key)) if key in self.of_rows else Given(self.lines_of(key, Display()))
        self._run(name, start, ast.Expr(Pushed(_name(name), items, key)), [first, *rest])
        return self.value(_name(name))

    def sum_of(self, node: ast.expr, start: ast.expr | None) -> Any:
        """``sum(node, start)``."""
        if has_own_rule(sum):
            raise Unsupported("a call to sum, which has a user-defined rule", self.line)
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            items, generators = self._renamed(node)
        elif self.generator_of(node) is not None:
            each = self._unused("item")
            self.scopes[-1].own.add(each)
            items, generators = _name(each), [ast.comprehension(_name(each, ast.Store()), node, [], 0)]
        else:
            value, each = self.value(node), self._unused("item")
            if not isinstance(value, tuple | ListOf | Small | Array | Turns | Thing):
                raise Unsupported("a sum of something other than numbers", self.line)
            if isinstance(value, tuple | Thing) and any(map(is_of_class, self.sequence(value) or ())):
                total = self.value(start) if start else "0"
                return self.sum_by_class(self.sequence(value) or (), total)
            self.scopes[-1].own.add(each)
            items, generators = _name(each), [ast.comprehension(_name(each, ast.Store()), Given(value), [], 0)]
        name, rest = self._unused("total"), self._unused("lost") if COMPENSATED else None
        added = ast.Assign([_name(name, ast.Store())], Added(name, items, rest, lost if start else lost_from_zero))
        if rest is not None:
            self.scopes[-1].own.add(rest)
            self.assign(_name(rest, ast.Store()), "0.0")
        self._run(name, start or ast.Constant(0), added, generators)
        total = self.value(_name(name))
        return (
            total
            if rest is None or not isinstance(total, str)
            else self.compute("call", total, self.number(_name(rest)), f=compensated)
        )

    def folded(self, f: Any, node: ast.expr) -> Any:
        """``all(...)``, ``any(...)`` or ``math.prod(...)`` of what a comprehension goes through."""
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            items, generators = self._renamed(node)
        else:
            each = self._unused("item")
            self.scopes[-1].own.add(each)
            items, generators = _name(each), [ast.comprehension(_name(each, ast.Store()), node, [], 0)]
        name = self._unused("found")
        target = _name(name, ast.Store())
        if f is math.prod:
            step: ast.stmt = ast.Assign([target], ast.BinOp(_name(name), ast.Mult(), items))
            self._run(name, ast.Constant(1), step, generators)
        else:
            test = items if f is any else ast.UnaryOp(ast.Not(), items)
            step = ast.If(test, [ast.Assign([target], ast.Constant(f is any)), ast.Break()], [])
            self._run(name, ast.Constant(f is all), step, generators)
        return self.value(_name(name))

    def items_of(self, node: ast.expr) -> Any:
        """``list(f())`` of a generator."""
        each = self._unused("item")
        self.scopes[-1].own.add(each)
        generators = [ast.comprehension(_name(each, ast.Store()), node, [], 0)]
        return self.value(ast.copy_location(ast.ListComp(_name(each), generators), node))

    def turns_of_array(self, x: Array | ListOf, n: int | None = None, is_strict: bool = False) -> Turns:
        """The first `n` items of an array, or all of them: each is what stands there when its turn comes."""
        x = self.held(x)
        if isinstance(x, Array):
            if is_strict and n != x.shape[0]:
                raise Unsupported("zip of lists whose lengths must be the same", self.line)
            size = x.shape[0] if n is None else min(n, x.shape[0])
            return Turns([partial(self.read, x, [str(i)], False) for i in range(size)])
        if n is None and (n := self.known_length(x)) is None:
            raise Unsupported("an array whose length is not known", self.line)
        if (length := self.length(x)).isdigit():
            n = int(length) if int(length) < n and not is_strict else n
        if length != str(n):
            self.emit(Branch(self.compute("!=" if is_strict else "<", length, str(n)), [Fail()]))
        return Turns([partial(self.part, x, str(i)) for i in range(n)])

    def items_of_array(self, f: Any, array: Array | ListOf, node: ast.expr) -> Any:
        """``list(array)`` or ``tuple(array)``."""
        if f is tuple or self.lists_are_things:
            return tuple(self.spread(array)) if f is tuple else self.list_of(self.spread(array))
        return self.items_of(ast.copy_location(Given(array), node))

    def _run(self, name: str, start: ast.expr, step: ast.stmt, generators: list[ast.comprehension]) -> None:
        self.scopes[-1].own.add(name)
        for g in reversed(generators):
            for test in reversed(g.ifs):
                step = ast.If(test, [step], [])
            step = ast.For(g.target, g.iter, [step], [])
        line = self.line
        statements: list[ast.stmt] = [ast.Assign([_name(name, ast.Store())], start), step]
        for s in statements:
            for n in walk(s):
                if isinstance(n, ast.stmt):
                    n.lineno = line
        self.block(statements)
        self.line = line

    def _unused(self, name: str) -> str:
        """A name that the function does not use."""
        code = self.scopes[-1].function.__code__
        taken = {*code.co_varnames, *code.co_cellvars, *code.co_freevars, *code.co_names}
        while (found := self.fresh(f"{name}_")) in taken:
            pass
        return found

    def _renamed(self, node: Any) -> tuple[ast.expr, list[ast.comprehension]]:
        """The item and the loops, whose variables have names that nobody else uses."""
        first, *rest = node.generators
        inside = [node.elt, *[g.target for g in node.generators], *first.ifs, *rest]  # the first one stands outside
        named = {n.target.id for part in inside for n in walk(part) if isinstance(n, ast.NamedExpr)}
        if any(isinstance(n, ast.Lambda | ast.Await) for part in inside for n in walk(part)):
            raise Unsupported("a comprehension that makes functions", self.line)
        if named and not self._are_named_here(node, named):
            raise Unsupported("a comprehension that assigns what is read around it", self.line)
        if any(g.is_async for g in node.generators):
            raise Unsupported("an asynchronous comprehension", self.line)
        stored = [n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)]
        rename = Renamed({name: self._unused(name) for name in stored})
        self.scopes[-1].own.update(rename.names.values())
        generators = [rename.visit(copied(g)) for g in (first, *rest)]
        generators[0].iter = first.iter  # which is evaluated outside
        items = rename.visit(copied(node.elt))
        if not isinstance(node, ast.GeneratorExp):
            self.note_looking([items], generators, set(rename.names.values()))
        return items, generators

    def note_looking(self, made: list[ast.expr], generators: list[ast.comprehension], names: set[str]) -> None:
        """Take note of the variables of a comprehension that writes into nothing."""
        if only_looks(self, [*made, *generators[0].ifs, *generators[1:]], names):
            self.looking |= names

    def _are_named_here(self, node: Any, named: set[str]) -> bool:
        """Whether the statement around a comprehension has nothing else to do with variables that this assigns.

        In each turn one must be assigned before it is read, in an expression that is read once.
        """
        met: list[str] = []
        parts = [part for g in node.generators for part in (g.target, *[g.iter][g is node.generators[0] :], *g.ifs)]
        for n in (n for part in (*parts, node.elt) for n in in_order(part)):
            if isinstance(n, READ_TWICE) and any(isinstance(m, ast.NamedExpr) for m in walk(n)):
                return False
            if isinstance(n, ast.NamedExpr) and n.target.id in met:
                return False
            met += [n.id] if isinstance(n, ast.Name) else []
        definition = self.definition(self.scopes[-1].function)
        around = [s for s in walk(definition) if isinstance(s, ast.stmt) and not hasattr(s, "body")]
        found = next((s for s in around if any(n is node for n in walk(s))), None)
        inside = {id(n) for n in walk(node)}
        return found is not None and not any(
            isinstance(n, ast.Name) and n.id in named and id(n) not in inside for n in walk(found)
        )

    def _known_items(self, node: ast.expr) -> tuple | None:
        """What a loop gets, where that can be written out."""
        if isinstance(node, ast.Call):
            is_range = isinstance(node.func, ast.Name) and node.func.id == "range" and not node.keywords
            if is_range and all(isinstance(a, ast.Constant) and type(a.value) is int for a in node.args):
                found = self.value(node.func)
                if isinstance(found, Static) and found.value is range:
                    items = range(*[a.value for a in node.args])  # type: ignore[attr-defined]
                    return tuple([f"({i})" if i < 0 else str(i) for i in items]) if len(items) <= LONGEST else None
            return None
        value = self.value(node)
        if isinstance(value, Small):
            return value.parts
        return tuple(value) if isinstance(value, tuple) else None

    def _value_Given(self, node: Given) -> Any:
        return node.value

    def _value_Pushed(self, node: Pushed) -> Static:
        array = self.value(node.array)
        if isinstance(array, Lines):
            return self.add_line(array, self.value(node.item))
        self.push(self._changed(array), self.held(self.value(node.item)), node.key)
        return Static(None)

    def _value_Chosen(self, node: Chosen) -> Any:
        found, item = self.value(_name(node.name)), self.value(_name(node.item))
        return self.compute("chosen", found, item) if isinstance(found, str) and isinstance(item, str) else found

    def _value_Added(self, node: Added) -> Any:
        total, x = self.value(_name(node.name)), self.value(node.item)
        if is_of_class(total) or is_of_class(x):
            return self.overloaded("add", total, x)
        if not isinstance(total, str) or not isinstance(x, str):
            if node.rest is not None and node.has_numbers:
                raise Unsupported("a sum of numbers and arrays", self.line)  # with what rounding has lost
            return self.operated(ast.Add(), self.operand(total), self.operand(x))
        found = self.compute("add", total, x)
        node.has_numbers = True
        if node.rest is not None:
            rest = self.compute("call", total, x, found, self.number(_name(node.rest)), f=node.lost)
            self.assign(_name(node.rest, ast.Store()), rest)
        return found


def only_looks(front: Any, parts: list[ast.AST], own: set[str]) -> bool:
    """Whether the parts of a comprehension write into nothing, as far as arrays are concerned that its variables hold.

    They call NumPy's functions, builtins, and methods of these arrays, and name nothing else but numbers and arrays.
    """
    nodes = [n for part in parts for n in walk(part)]
    called: set[int] = set()
    if any(isinstance(n, ast.NamedExpr) for n in nodes):  # which keeps what it names
        return False
    for n in nodes:
        if isinstance(n, ast.Call):
            owner = n.func.value if isinstance(n.func, ast.Attribute) else None
            is_own = isinstance(owner, ast.Name) and owner.id in own and len(own) == 1
            found = None if is_own else _outside(front, n.func)
            if any(k.arg in (None, "out") for k in n.keywords) or any(isinstance(a, ast.Starred) for a in n.args):
                return False
            if is_own and n.func.attr not in METHODS:  # type: ignore[attr-defined]
                return False
            is_numpy = found is not None and getattr(np, getattr(found, "__name__", ""), None) is found
            is_builtin = any(found is f for f in COMPUTING)
            if not is_own and not is_builtin and (not is_numpy or found in CHANGING):
                return False
            called.update(map(id, walk(n.func)))
    names = [n.id for n in nodes if isinstance(n, ast.Name) and id(n) not in called and n.id not in own]
    return all(_is_plain(front, name) for name in names)


def _outside(front: Any, node: ast.expr) -> Any:
    """What a name, or an attribute of a module, is for the program; None for anything else."""
    if isinstance(node, ast.Attribute):
        owner = _outside(front, node.value)
        return getattr(owner, node.attr, None) if type(owner) is ModuleType else None
    if not isinstance(node, ast.Name) or not front.is_outside(node.id):
        return None
    function = front.scopes[-1].function
    if node.id in function.__code__.co_freevars:
        return None
    return function.__globals__.get(node.id, getattr(builtins, node.id, None))


def _is_plain(front: Any, name: str) -> bool:
    """Whether a name stands for a number or an array."""
    scope = front.scopes[-1]
    if name in scope.bound or name in scope.numbers:
        return name in scope.numbers or isinstance(scope.bound[name], Array | ListOf | Small)
    return type(_outside(front, ast.Name(name, ast.Load()))) in (float, int, bool, np.float64, np.ndarray)


class Renamed(ast.NodeTransformer):
    """An expression with other names for some variables."""

    def __init__(self, names: dict[str, str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(_name(self.names.get(node.id, node.id), node.ctx), node)


def in_order(node: ast.AST) -> Iterator[ast.AST]:
    """An expression and all in it, those that are evaluated first before the others."""
    yield node
    for part in ast.iter_child_nodes(node):
        yield from in_order(part)


def _name(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, context or ast.Load())
