"""Expressions of a program, in the order in which Python evaluates them."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from morula.static.python.arrays import OPERATIONS
from morula.static.python.call_expressions import CallExpressions
from morula.static.python.comprehensions import Given
from morula.static.python.concatenators import CONCATENATORS
from morula.static.python.containers import METHODS
from morula.static.python.followed import Made
from morula.static.python.ir import Branch, Fail, Set, Unsupported, is_flag, is_integer, is_name
from morula.static.python.known import RELATIONS as COMPARED
from morula.static.python.library_objects import Fixed
from morula.static.python.lists import parts_of
from morula.static.python.liveness import last_uses
from morula.static.python.named_expressions import NamedExpressions
from morula.static.python.new_lists import MOST_REPEATED, is_list
from morula.static.python.optionals import is_none
from morula.static.python.scopes import (
    Array,
    Coded,
    Display,
    Lines,
    ListOf,
    Single,
    Small,
    Span,
    Static,
    Text,
    given_names,
)
from morula.static.python.sharing import may_be_of_slots
from morula.static.python.texts import is_text
from morula.static.python.things import ABSENT, Rigid, Thing, Turns, is_of_class
from morula.static.python.type_tests import is_of_types
from morula.static.python.unsupported import NoItem
from morula.static.python.vacating import Item

__all__ = ["BITS", "OPERATORS", "Expressions"]

OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.Pow: "pow", ast.Mod: "mod",
    ast.FloorDiv: "floordiv",
}  # fmt: skip
COUNTER = re.compile(r"i\d+")  # of the turns of a loop
BITS = {
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}  # fmt: skip
OF_ARRAYS = {ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or"}
ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
RELATIONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


class Expressions(CallExpressions, NamedExpressions):
    """The part of a `front.Builder` that reads expressions."""

    copy: Callable[[str], str]
    captured: Callable[[Any, str], Any]
    changed_inside: Callable[[Any], frozenset[str]]
    definitions: dict[Any, Any]
    shared: set[Any]

    # -- expressions --------------------------------------------------------------------------------------

    def number(self, node: ast.expr) -> str:
        """The atom that an expression comes to."""
        return self.only_number(self.value(node))

    def only_number(self, value: Any) -> str:
        if not isinstance(value, str):
            raise Unsupported("something other than a number where one is computed with", self.line)
        return value

    def value(self, node: ast.expr) -> Any:
        """What an expression comes to: an atom, an array, a tuple of values, or a `Static`."""
        return self.present(self.value_or_none(node))

    def value_or_none(self, node: ast.expr) -> Any:
        """The same, where that may also be None."""
        method = getattr(self, f"_value_{type(node).__name__}", None)
        if method is None:
            raise Unsupported(f"{type(node).__name__} expressions", getattr(node, "lineno", self.line))
        before = len(self.slots_held)
        found = method(node)
        if before < len(self.slots_held) and not may_be_of_slots(found):
            del self.slots_held[before:]
        return found

    def _value_Constant(self, node: ast.Constant) -> Any:
        if type(node.value) is tuple:  # as it is in byte code
            return self.constant_of(node.value)
        if node.value is None or node.value is Ellipsis or type(node.value) is str:
            return Static(node.value)
        return self.literal(node.value)

    def _value_Name(self, node: ast.Name) -> Any:
        scope = self.scopes[-1]
        name = node.id
        if (scope.number, name) in self.maybes:
            return self.now(self.maybes[scope.number, name])
        if (coded := self.coded_now(scope, name)) is not None:
            return coded
        if (thing := self.thing_named(name)) is not None:
            if isinstance(thing, Item):
                return self.slot(thing.thing, thing.key)
            return self.as_named(scope, name, thing)
        if is_flag(known := scope.things.get(name)):
            return known
        if name in scope.bound:
            if name in scope.tuples and not any(name in names for names in scope.sure):
                if isinstance(scope.bound[name], ListOf):
                    return self.same_list(scope.bound[name], "bound" if name in scope.unbound else "copy")
                if scope.number:
                    raise Unsupported(f"the tuple {name!r}, which may not be bound", self.line)
                found = self.each(self.copy, scope.bound[name])  # raises where it is not bound
                return self.as_named(scope, name, found)
            code = scope.function.__code__
            is_own = (scope.number and not self.defining) or name not in given_names(code)  # not the caller's, too
            if is_own and (code, name) not in self.shared and id(node) in last_uses(self.definitions.get(code)):
                return self.last_of(scope, name)
            return self.named(scope, name)
        if not self.is_outside(name):
            if any(name in names for names in scope.sure) and name not in self.changed_inside(scope):
                known = scope.things.get(name)
                return known if is_integer(known) else scope.variable(name)
            op = "bound" if name in scope.unbound else "copy"
            return self.compute(op, scope.variable(name))  # which raises where it is not bound, also if unused
        if scope.outer is not None and name in scope.function.__code__.co_freevars:
            return self.captured(scope, name)
        return self.outside(scope, name)

    def held(self, value: Any) -> Any:
        """A value that stays what it is when variables are assigned anew."""
        if isinstance(value, Turns):
            if value.again is None:
                raise Unsupported("an iterator that is kept", self.line)
            return value
        if isinstance(value, Small | Display):
            self.share(value.origins)
            return self.likewise(value, [self.held(v) for v in (value.parts if isinstance(value, Small) else value)])
        if isinstance(value, tuple):
            return self.likewise(value, [self.held(v) for v in value])
        if isinstance(value, ListOf):
            return self.same_list(value) if value.var[0] in "vr" else value
        if isinstance(value, Small | Display | Array):
            self.share(value.origins)
            self.seen(value)
        if isinstance(value, Single):
            return self.each(self.held, self.settled_single(value))
        if isinstance(value, tuple | Small | Array | Span):
            return self.each(self.held, value)
        is_fixed = not isinstance(value, str) or not is_name(value) or value[0] in "tagq" or COUNTER.fullmatch(value)
        return value if is_fixed else self.copy(value)

    def _value_BinOp(self, node: ast.BinOp) -> Any:
        if (number := self.integer(node)) is not None:
            return self.literal(number)
        left = self.value(node.left)
        with self.before_reading([(node.left, left)], node.right):
            right = self.value(node.right)
        if (found := self.texts_operator(node.op, left, right)) is not ABSENT:
            return found
        if (found := self.named_operator(METHODS.get(type(node.op)), left, right)) is not ABSENT:
            return found
        if isinstance(left, Thing | Fixed) or isinstance(right, Thing | Fixed):
            is_known = Fixed in (type(left), type(right))
            return (self.library_operator if is_known else self.thing_operator)(node.op, left, right)
        if isinstance(node.op, ast.Mult) and (isinstance(left, Display) or isinstance(right, Display)):
            return self.repeated(left, right)
        if isinstance(node.op, ast.Add) and is_list(left) and is_list(right):
            return self.joined(left, right)
        if (found := self.tuples_operator(node.op, left, right)) is not None:
            return found
        if isinstance(node.op, ast.BitOr) and is_of_types(left) and (is_of_types(right) or is_none(right)):
            return Static(left.value | right.value)
        return self.operated(node.op, self.operand(left), self.operand(right))

    def tuples_operator(self, operation: ast.operator, left: Any, right: Any) -> tuple | None:
        """A sum of tuples, or a tuple several times; None for anything else."""
        if isinstance(operation, ast.Add) and type(left) is type(right) is tuple:
            return self.held(left + right)
        one, n = (right, left) if isinstance(left, str) else (left, right)
        if not isinstance(operation, ast.Mult) or type(one) is not tuple or not isinstance(n, str):
            return None
        count = int(n) if n.isdigit() else self.number_of(n)
        return self.held(one * count) if type(count) is int and len(one) * count <= MOST_REPEATED else None

    def operated(self, operation: ast.operator, left: Any, right: Any) -> Any:
        op = OPERATORS.get(type(operation)) or OF_ARRAYS.get(type(operation), "")
        if isinstance(left, str) and isinstance(right, str) and op in OPERATORS.values():
            return self.compute(op, left, right)
        if type(operation) in BITS and isinstance(left, str) and isinstance(right, str):
            return self.compute("call", left, right, f=BITS[type(operation)])
        if not op or (isinstance(left, str) and isinstance(right, str)):
            raise Unsupported("an operator of integers", self.line)
        is_square = op == "pow" and right in ("2", "2.0")
        if not isinstance(left, Array) and not isinstance(right, Array) and (op in OPERATIONS or is_square):
            lengths = {len(x.parts) for x in (left, right) if isinstance(x, Small)}
            if len(lengths) == 1 and (not is_square or isinstance(left, Small)):
                return self.elementwise(op, left, right)
        return self.array_operator(op, left, right)

    def _value_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Invert):
            value = self.operand(self.value(node.operand))
            if not isinstance(value, Array):
                raise Unsupported("an operator of integers", self.line)
            return self.array_operator("invert", value)
        op = {ast.USub: "neg", ast.UAdd: "pos", ast.Not: "not"}[type(node.op)]
        if op == "neg" and isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float):
            return self.literal(-node.operand.value)  # type: ignore[operator]
        if op == "not":
            test = self.truth(node.operand)
            return str(test == "False") if test in ("True", "False") else self.compute(op, test)
        value = self.value(node.operand)
        if is_of_class(value):
            return self.dunder(value, f"__{op}__", [])
        value = self.operand(value)
        if isinstance(value, Small):
            return self.together([self.compute(op, v) for v in value.parts])
        if isinstance(value, Array) and op != "not":
            return self.array_operator(op, value)
        return self.compute(op, self.only_number(value))

    def _value_Compare(self, node: ast.Compare) -> Any:
        if len(node.ops) > 1:
            return self._value_BoolOp(self._chain(node))
        (among,) = node.comparators
        if isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(among, ast.List | ast.Set) and among.elts:
            if all(isinstance(v, ast.Constant) for v in among.elts):  # it is asked as a tuple is
                items = ast.copy_location(ast.Tuple(among.elts, ast.Load()), among)
                node = ast.copy_location(ast.Compare(node.left, node.ops, [items]), node)
        if answer := self.known_comparison(node):
            return answer
        if type(node.ops[0]) not in RELATIONS:
            raise Unsupported("a comparison other than of numbers", self.line)
        left = self.value(node.left)
        with self.before_reading([(node.left, left)], among):
            right = self.value(node.comparators[0])
        if is_integer(left) and is_integer(right):
            return str(COMPARED[type(node.ops[0])](*[int(v.strip("()")) for v in (left, right)]))
        if (found := self.compared_by_class(type(node.ops[0]), left, right)) is not ABSENT:
            return found
        op = RELATIONS[type(node.ops[0])]
        if type(left) is type(right) is tuple and op not in ("==", "!="):
            return self._ordered(op, left, right)
        left, right = self.operand(left), self.operand(right)
        return self.compute(op, left, right) if isinstance(left, str) and isinstance(right, str) else (
            self.array_operator(op, left, right)
        )  # fmt: skip

    def _ordered(self, op: str, left: tuple, right: tuple) -> str:
        """Which of two tuples of numbers comes first: the first two numbers that are not equal tell."""
        if not all(isinstance(v, str) for v in (*left, *right)):
            raise Unsupported("a comparison of tuples of something other than numbers", self.line)
        var, out = self.fresh("b"), self.out
        for one, other in zip(left, right, strict=False):
            self.emit(Branch(self.compute("!=", one, one), [Fail()]))  # a NaN is equal to itself in a tuple
            branch = Branch(self.compute("==", one, other))
            self.emit(branch)
            self.out = branch.orelse
            self.emit(Set(var, self.compute(op, one, other)))
            self.out = branch.body
        self.emit(Set(var, str(ORDERS[op](len(left), len(right)))))
        self.out = out
        return var

    def _chain(self, node: ast.Compare) -> ast.BoolOp:
        """``a < b < c`` as ``a < b and b < c``, where ``b`` is evaluated once, after ``a``."""
        left, middle = node.left, node.comparators[0]
        if not isinstance(middle, ast.Constant | ast.Name):
            left, middle = [ast.copy_location(Given(self.held(self.value(n))), n) for n in (left, middle)]
        first, rest = ast.Compare(left, node.ops[:1], [middle]), ast.Compare(middle, node.ops[1:], node.comparators[1:])
        parts: list[ast.expr] = [ast.copy_location(n, node) for n in (first, rest)]
        return ast.copy_location(ast.BoolOp(ast.And(), parts), node)

    def _value_BoolOp(self, node: ast.BoolOp) -> Any:
        found, *rest = node.values
        stops = str(isinstance(node.op, ast.Or))
        first = self.value(found)
        while (truth := self.truth_of(first)) in ("True", "False") and rest:
            if truth == stops:
                return first
            first = self.value(rest.pop(0))
        if not rest:
            return first
        var = self.fresh("b")
        self.emit(Set(var, self.only_number(first)))
        out = self.out
        with self.aside(*rest):
            for v in rest:
                branch = Branch(var)
                self.emit(branch)
                self.out = branch.body if isinstance(node.op, ast.And) else branch.orelse
                self.emit(Set(var, self.number(v)))
        self.out = out
        return var

    def _value_IfExp(self, node: ast.IfExp) -> Any:
        test = self.truth(node.test)
        if test in ("True", "False"):
            return self.value(node.body if test == "True" else node.orelse)
        branch, out = Branch(test), self.out
        self.emit(branch)
        sides: list[Any] = []
        for block, part in ((branch.body, node.body), (branch.orelse, node.orelse)):
            self.out = block
            with self.aside(part):
                sides.append(self.value_or_none(part))
        self.out = out
        return self.one_of(sides, (branch.body, branch.orelse))

    def _value_Subscript(self, node: ast.Subscript) -> Any:
        if (found := self.chosen_item(node)) is not None:
            return found
        owner = self.value(node.value)
        with self.before_reading([(node.value, owner)], node.slice):
            return self._part_of(owner, node)

    def _part_of(self, owner: Any, node: ast.Subscript) -> Any:
        if isinstance(owner, Thing):
            return self.item_of(owner, node.slice if owner.kind is dict else self.index(node.slice))
        if isinstance(owner, Made):
            return self.made_item(owner, node.slice)
        if is_text(owner):
            return self.part_of_text(owner, node.slice)
        if isinstance(owner, Lines):
            return self.line_of(owner, node.slice)
        if isinstance(owner, Static) and any(owner.value is by for by in CONCATENATORS.values()):
            return self.concatenated(owner.value, node.slice)
        if (index := self.index(node.slice)) is not node.slice:
            node = ast.copy_location(ast.Subscript(Given(owner), index, node.ctx), node)
            return self._value_Subscript(node)
        if isinstance(owner, Array) or (isinstance(owner, Small) and not self.is_number(node.slice)):
            return self.read_part(self.as_array(owner), node.slice)
        if isinstance(owner, Single) and isinstance(node.slice, ast.Tuple) and not node.slice.elts:
            return self.operand(owner)
        if isinstance(owner, tuple | Small) and isinstance(node.slice, ast.Slice):
            return self.likewise(owner, self.held(parts_of(owner))[self.known_slice(node.slice)])
        owner = owner.parts if isinstance(owner, Small) else owner
        if isinstance(owner, tuple):
            i = self.key(node.slice)
            if type(i) is int and -len(owner) <= i < len(owner):
                return owner[i]
            if self.short_lists and isinstance(owner, Display) and owner.origins:
                self.relist(owner.origins)
            raise Rigid("an item of a tuple", self.line)
        if not isinstance(owner, ListOf):
            refusal = NoItem if isinstance(owner, Text | Coded) else Unsupported
            raise refusal("items of something other than an array", self.line)
        return self.item(owner, node.slice)
