"""What is known without running: integers, texts, None, comparisons of them, and what variables hold on each path."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection
from typing import Any

from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Branch, Fail, Set, Unsupported, is_flag, is_integer, is_name, is_written_out
from morula.static.python.lasting import Lasting
from morula.static.python.objects import Objects
from morula.static.python.optionals import is_none
from morula.static.python.outside import FACTORY
from morula.static.python.scopes import Array, Box, Coded, Display, Lines, ListOf, Named, Scope, Small, Static, Text
from morula.static.python.texts import is_text
from morula.static.python.things import ABSENT, Rigid, Thing, is_member, is_of_class

__all__ = ["PERHAPS", "POISON", "RELATIONS", "Known"]

SINGLE = (type(None), type(NotImplemented), FACTORY)  # types of one object each, which is no number
POISON = Static(ABSENT)  # what a variable holds that holds several things, by the path taken
PERHAPS = Static(ABSENT)  # the same, where one of these is None
RELATIONS = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
OF_INTEGERS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}  # fmt: skip


class Known(Objects, Lasting):
    """The part of a `front.Builder` that knows what expressions come to whatever is computed.

    Attributes:
        replaced_later: variables that hold a number when a loop begins, and what a turn has left there in later ones.
    """

    replaced_later: dict[Any, Static]
    slots_held: list[Any]
    value: Callable[[ast.expr], Any]
    about_text: Callable[[Any, Text | Lines], str]
    part_of_named: Callable[[Named, str], Any]
    own_method: Callable[[Any, str], Static | None]
    truth_by_class: Callable[[Any], str]
    contained: Callable[[Any, Any], str]
    item_named: Callable[[str], Any]
    never_stand: Callable[[Any], None]

    def integer(self, node: ast.expr) -> int | None:
        """The integer that an expression comes to whatever is computed; None where it may be another one."""
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.Name):
            found = self.scopes[-1].things.get(node.id, self.scopes[-1].bound.get(node.id))
            return int(found.strip("()")) if isinstance(found, str) and is_integer(found) else None
        if isinstance(node, ast.Attribute):
            before = len(self.slots_held)
            found = self._at_hand(node)
            del self.slots_held[before:]  # an array that was found is not kept
            return int(found.strip("()")) if is_integer(found) else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            x = self.integer(node.operand)
            return None if x is None else -x
        if isinstance(node, ast.BinOp):
            op = OF_INTEGERS.get(type(node.op))
            x, y = self.integer(node.left), self.integer(node.right)
            if op is None or x is None or y is None or (y == 0 and op in (operator.mod, operator.floordiv)):
                return None
            return op(x, y)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
            argument = node.args[0]
            if node.func.id == "len" and self._is_builtin(node.func, len):
                found = self._at_hand(argument)
                if isinstance(found, Thing) and found.kind in (list, dict):
                    return len(self.keys(found)) if found.kind is dict else self.length_of(found)
                if isinstance(found, Array | Small):
                    return found.shape[0] if isinstance(found, Array) else len(found.parts)
                if is_text(found):
                    return len(found.value)
                return len(found) if isinstance(found, tuple) else None
        return None

    def settled(self, value: Any) -> Any:
        """A value with the integers in it as such that lists hold, where nothing else has been assigned to them."""
        if type(value) is tuple:
            return tuple(map(self.settled, value))
        atom = value
        while isinstance(atom, str) and is_name(atom):
            s = self.computed.get(atom)
            atom = self.once.get(atom) or (s.args[0] if s is not None and s.op == "copy" else None)
        return atom if is_integer(atom) else value

    def _at_hand(self, node: ast.expr) -> Any:
        """What a variable holds, or an attribute of what it holds, if nothing needs to run for it."""
        if isinstance(node, ast.Name):
            scope = self.scopes[-1]
            if (item := self.item_named(node.id)) is not None:
                return item.thing.slots.get(item.key)
            if node.id in scope.things or node.id in scope.bound:
                return scope.things.get(node.id, scope.bound.get(node.id))
            is_captured = scope.outer is not None and node.id in scope.function.__code__.co_freevars
            outer = scope.outer if is_captured else None
            return None if outer is None else outer.things.get(node.id, outer.bound.get(node.id))
        if not isinstance(node, ast.Attribute):
            return None
        owner = self._at_hand(node.value)
        if isinstance(owner, Named) and node.attr in owner.kind._fields:
            return self.part_of_named(owner, node.attr)
        if not isinstance(owner, Thing) or owner.kind in (list, dict) or not self.has(owner, node.attr):
            return None
        return (
            self.attribute_of(owner, node.attr) if type(self.find(owner.kind, node.attr)[0]) is not property else None
        )

    def _is_builtin(self, node: ast.Name, f: Any) -> bool:
        found = self.value(node)
        return isinstance(found, Static) and found.value is f

    def length_of(self, thing: Thing) -> int:
        return len(thing.value) if thing.home is None else len(thing.slots)

    def key(self, node: ast.expr, of_dict: bool = False) -> Any:
        """The key or index that an expression comes to; `ABSENT` where it is none that is known."""
        found = self.integer(node)
        if found is None and of_dict and is_written_out(known := self._at_hand(node)):
            return ast.literal_eval(known)
        return found if found is not None else self._key_of(self.value(node), of_dict)

    def _key_of(self, value: Any, of_dict: bool = False) -> Any:
        if isinstance(value, Static) and (type(value.value) is str or value.value is None or is_member(value.value)):
            return value.value
        if isinstance(value, tuple):
            keys = tuple([self._key_of(v, of_dict) for v in value])
            return ABSENT if ABSENT in keys else keys
        if of_dict and type(found := self.number_of(value) if isinstance(value, str) else None) is float:
            return found
        return int(value.strip("()")) if isinstance(value, str) and is_integer(value) else ABSENT

    def _of_key(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(map(self._of_key, key))
        return self.literal(key) if type(key) in (int, float) else Static(key)

    def known_comparison(self, node: ast.Compare) -> str:
        """A comparison that has one outcome whatever is computed, or an empty text."""
        if found := self.is_nothing(node):
            return found
        op = type(node.ops[0])
        one, other = node.left, node.comparators[0]
        if op in RELATIONS:
            x, y = self.integer(one), self.integer(other)
            if x is not None and y is not None:
                return str(RELATIONS[op](x, y))
        are_texts = (self._is_known(one) or self._is_known(other)) and op in (ast.Eq, ast.NotEq)
        if not are_texts and op not in (ast.Is, ast.IsNot, ast.In, ast.NotIn):
            return ""
        left, right = self.value(one), self.value(other)
        if op in (ast.In, ast.NotIn) and is_of_class(right) and self.own_method(right, "__contains__"):
            found = self.contained(right, left)
            return found if op is ast.In else self.compute("not", found)
        if found := self.compared_codes(op, left, right):
            return found
        if op in (ast.In, ast.NotIn) and (found := self._among(left, right)):
            return found if op is ast.In else self.compute("not", found)
        if op in (ast.In, ast.NotIn) and isinstance(right, Thing) and (found := self._in_open_dict(left, right)):
            return found if op is ast.In else self.compute("not", found)
        is_so = self._relation(op, left, right)
        if is_so is None:
            raise Unsupported("a comparison other than of numbers", self.line)
        return str(is_so)

    def _in_open_dict(self, left: Any, right: Thing) -> str:
        """The atom that says whether a dict has a key that it may lack yet; an empty text where that is known."""
        key = self._key_of(left, True)
        return (
            self.has_late(right, key) if right.kind is dict and key is not ABSENT and self.is_late(right, key) else ""
        )

    def _among(self, left: Any, right: Any) -> str:
        """The atom that says whether a number is one of several; an empty text where that is something else."""
        if not isinstance(left, str) or type(right) is not tuple or not all(isinstance(v, str) for v in right):
            return ""
        if is_integer(left) and all(map(is_integer, right)):
            return ""
        self.emit(Branch(self.compute("!=", left, left), [Fail()]))  # a NaN is in what holds the very same one
        var, out = self.fresh("b"), self.out
        self.emit(Set(var, "False"))
        for v in right:
            branch = Branch(var)
            self.emit(branch)
            self.out = branch.orelse
            self.emit(Set(var, self.compute("==", left, v)))
        self.out = out
        return var

    def _is_known(self, node: ast.expr) -> bool:
        """Whether an expression is a text or None, or a variable that holds no number."""
        if isinstance(node, Given):
            return isinstance(node.value, Static | Coded)
        if isinstance(node, ast.Constant):
            return node.value is None or type(node.value) is str
        if isinstance(node, ast.Name) and (self.scopes[-1].function.__code__, node.id) in self.coded:
            return True
        if isinstance(node, ast.Subscript):
            return is_text(self._at_hand(node.value))
        return isinstance(self._at_hand(node), Static | Coded)

    def _relation(self, op: Any, left: Any, right: Any) -> bool | None:
        negative = op in (ast.IsNot, ast.NotIn, ast.NotEq)
        if op in (ast.Is, ast.IsNot):
            is_same = self._is_same(left, right)
            return None if is_same is None else is_same != negative
        if op in (ast.In, ast.NotIn):
            if is_text(left) and is_text(right):
                return (left.value in right.value) != negative
            of_dict = isinstance(right, Thing) and right.kind is dict
            key = self._key_of(left, of_dict)
            if key is ABSENT:
                return None
            if of_dict:
                return (
                    key in (right.slots if right.is_open and right.factory is None else self.keys(right))
                ) != negative
            keys = [self._key_of(v) for v in right] if isinstance(right, tuple) else [ABSENT]
            return None if ABSENT in keys else (key in keys) != negative
        if op in (ast.Eq, ast.NotEq) and isinstance(left, Static) and isinstance(right, Static):
            if is_member(left.value) and is_member(right.value):
                return (left.value is right.value) != negative
            texts = [v.value is None or type(v.value) is str for v in (left, right)]
            return (left.value == right.value) != negative if all(texts) else None
        return None

    def _is_same(self, left: Any, right: Any) -> bool | None:
        if isinstance(left, Thing) and isinstance(right, Thing):
            return None if left.copied_as or right.copied_as or left.is_shared or right.is_shared else left is right
        if isinstance(left, Static) and isinstance(right, Static):
            is_said = type(left.value) is not str or right.value is None  # equal texts may be two
            return left.value is right.value if is_said else None
        if is_flag(left) and is_flag(right):
            return bool(left == right)
        is_fixed = [isinstance(v, Static) and type(v.value) in SINGLE for v in (left, right)]
        others = str | tuple | Thing | Static | Small | Array | ListOf | Box
        return False if any(is_fixed) and all(isinstance(v, others) for v in (left, right)) else None

    def truth(self, node: ast.expr) -> str:
        """The atom that says whether an expression holds."""
        number = self.integer(node)
        found = str(bool(number)) if number is not None else self.truth_of(self.value(node))
        if found is None:
            raise Unsupported("the truth value of something other than a number", self.line)
        return found

    def truth_of(self, value: Any) -> str | None:
        if isinstance(value, Static) and (value.value is None or type(value.value) is str):
            return str(bool(value.value))
        if isinstance(value, Text | Lines):
            return self.about_text(bool, value)
        if isinstance(value, Thing) and value.kind in (list, dict):
            return str(bool(self.keys(value) if value.kind is dict else self.length_of(value)))
        if isinstance(value, Thing):
            return self.truth_by_class(value)
        if isinstance(value, Display) or type(value) is tuple:
            return str(bool(value))
        if isinstance(value, ListOf) and value.kind is list:
            return self.compute(">", self.length(value), "0")
        return value if isinstance(value, str) else None

    def forget_assigned(self, names: set[str] | frozenset[str], bound: Collection[str]) -> None:
        """Drop what is known of variables that a loop may have assigned, or not; `bound` are bound in any case."""
        things, holders = self.scopes[-1].things, self.scopes[-1].holders
        for name in names & things.keys():
            if isinstance(things[name], str):
                del things[name]
            elif name not in bound or things[name] is not holders.get(name):
                things[name] = PERHAPS if is_none(things[name]) or things[name] is PERHAPS else POISON

    def of_several(self, value: Any) -> Static:
        """What a variable holds that holds this thing on some paths, and a number on others."""
        return PERHAPS if is_none(value) else POISON

    def before_turns(self, scope: Scope, names: set[str] | frozenset[str]) -> dict[str, Any]:
        """Take note that variables which a loop assigns may hold, in a turn, what an earlier turn has left in them."""
        self.mark_replaced(scope, names)
        outside, scope.replaced = scope.replaced, {}
        return outside

    def mark_replaced(self, scope: Scope, names: set[str] | frozenset[str]) -> None:
        code = scope.function.__code__
        for name in names:
            if (code, name) in self.replaced_later and type(scope.things.get(name, "")) is str:
                scope.things[name] = self.replaced_later[code, name]

    def after_turns(self, scope: Scope, names: set[str] | frozenset[str], outside: dict[str, Any]) -> None:
        """Build the program anew if a turn has assigned a thing to a variable that holds a number elsewhere."""
        code = scope.function.__code__
        for name, kind in scope.replaced.items():
            key = (code, name)
            if name not in names or key in self.replaced_later or key in self.optional or key in self.coded:
                continue
            if name in scope.numbers or name in scope.bound:
                self.replaced_later[key] = kind
                raise Again
        scope.replaced = outside | scope.replaced

    def thing_named(self, name: str) -> Any:
        """What a variable holds that is no number; None where it may be a number."""
        found, holder = self.scopes[-1].things.get(name), self.scopes[-1].holders.get(name)
        if found is PERHAPS:
            self.expect_none((self.scopes[-1].function.__code__, name))
        if found is POISON or found is PERHAPS:
            self.keep_what_lasts(name)
            reason = Rigid(f"{name!r}, which is something else on another path", self.line)
            reason.name = (self.scopes[-1].function.__code__, name)
            self.never_stand(reason.name)
            self.expect_codes(reason.name)
            raise reason
        is_copy = found is holder
        if isinstance(holder, Thing) and is_copy:
            return self.copy_of(holder)
        return None if isinstance(found, str) else found
