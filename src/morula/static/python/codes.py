"""Variables, attributes and results that hold one constant or another, such as the state of a machine by its name.

The text holds the number of the constant in a table. It may be compared, handed on, and be the key of a dict: then each
of the keys is asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from morula.static.python.classes import Classes
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Block, Branch, Fail, Set
from morula.static.python.scopes import Coded, Scope, Static
from morula.static.python.things import ABSENT, Bound, Thing, is_member
from morula.static.python.unsupported import NoItem

__all__ = ["Codes", "is_constant_of_table", "is_function", "is_same_function"]


class Codes(Classes):
    """The part of a `front.Builder` that knows what holds one of several constants.

    Attributes:
        coded: variables, attributes and results that do, by the code and the name, or the class and the name.
        never_coded: those that hold other things as well.
        table: the constants, by number.
        others: variables that something else than a constant was assigned to.
        functions: those of which one or another is called (see `selected`).
    """

    coded: set[Any]
    never_coded: set[Any]
    table: list[Any]
    others: set[Any]
    functions: list[Any]
    code_of_function: Callable[[Any], str]
    now: Callable[[Any], Any]
    value: Callable[[ast.expr], Any]
    slot: Callable[[Thing, Any], Any]
    set_slot: Callable[[Thing, Any, Any], None]
    perhaps: Callable[..., Any]

    def expect_codes(self, key: Any) -> None:
        """Build the program anew with a variable that holds one of several constants, if that can be."""
        if key not in self.coded | self.never_coded | self.others:
            self.coded.add(key)
            raise Again

    def is_coded(self, key: Any, value: Any) -> bool:
        """Whether a variable holds one of several constants; from now on it does if the value is one of them."""
        if key in self.coded and not isinstance(value, Coded) and not is_constant_of_table(value):
            self.coded.discard(key)
            self.never_coded.add(key)
            raise Again
        if not is_constant_of_table(value) and not isinstance(value, Coded):
            self.others.add(key)
        if isinstance(value, Coded):
            self.expect_codes(key)
        return key in self.coded

    def code_of(self, value: Any) -> str:
        """The atom that has the number of a constant."""
        if isinstance(value, Coded):
            return value.atom
        if is_function(value):
            return self.code_of_function(value)
        for i, entry in enumerate(self.table):
            if type(entry) is type(value.value) and (entry is value.value or entry == value.value):
                return str(i)
        self.table.append(value.value)
        return str(len(self.table) - 1)

    def coded_now(self, scope: Scope, name: str) -> Coded | None:
        """What a variable holds, if it is one of several constants."""
        if not self.coded or (scope.function.__code__, name) not in self.coded or name not in scope.numbers:
            return None
        return Coded(self.compute("bound" if name in scope.unbound else "copy", scope.variable(name)))

    def set_coded(self, scope: Scope, name: str, value: Any) -> None:
        """Assign a constant to a variable that holds one of several."""
        scope.numbers.add(name)
        scope.things.pop(name, None)
        self.emit(Set(scope.variable(name), self.code_of(value)))

    def set_coded_slot(self, thing: Thing, key: Any, old: Any, value: Any) -> bool:
        """Assign a constant to an attribute that holds one of several; whether it is one."""
        own = (thing.kind, key)
        if thing.home is not self.out and _are_two(old, value):
            self.expect_codes(own)
        if not self.is_coded(own, value):
            return False
        if not isinstance(old, Coded):
            thing.slots[key] = Coded(self.fresh(f"o{thing.number}_{len(thing.slots)}_"))
        self.emit(Set(thing.slots[key].atom, self.code_of(value)))
        thing.is_stored = True
        return True

    def read_coded(self, found: Coded) -> Coded:
        """A code that stays what it is."""
        return Coded(self.compute("copy", found.atom))

    def coded_result(self, scope: Scope, value: Any) -> bool:
        """Take a constant for the result of a function that returns one of several; whether that is so."""
        key, old = (scope.function.__code__, "return"), scope.result
        if _are_two(old, value):
            self.expect_codes(key)
        if not scope.number or not self.is_coded(key, value):
            return False
        var = f"result{scope.number}"
        self.emit(Set(var, self.code_of(value)))
        scope.result = Coded(var)
        return True

    def one_of_codes(self, sides: list[Any], blocks: tuple[Block, Block]) -> Coded | None:
        """Either of two constants, by the side of a branch that is taken; None where they are something else."""
        if not all(isinstance(v, Coded) or is_constant_of_table(v) for v in sides):
            return None
        var, out = self.fresh("b"), self.out
        for side, self.out in zip(sides, blocks, strict=True):
            self.emit(Set(var, self.code_of(side)))
        self.out = out
        return Coded(self.compute("copy", var))

    # -- what is asked of them ------------------------------------------------------------------------------

    def compared_codes(self, op: Any, left: Any, right: Any) -> str:
        """The atom of a comparison of constants; an empty text where there is no code among them."""
        if not isinstance(left, Coded) and not isinstance(right, Coded):
            return ""
        if op in (ast.In, ast.NotIn) and isinstance(left, Coded):
            options = self._options(right)
            found = self._is_one_of(left, options) if options is not None else ""
            return self.compute("not", found) if found and op is ast.NotIn else found
        if not all(isinstance(v, Coded) or is_constant_of_table(v) for v in (left, right)):
            return ""
        has_methods = any(isinstance(f, Bound) for f in self.functions)  # each is new when it is asked for
        if has_methods and not any(isinstance(v, Static) and not callable(v.value) for v in (left, right)):
            return ""
        is_by_value = any(isinstance(v, Static) and type(v.value) is not str for v in (left, right))
        if op in (ast.Is, ast.IsNot) and not is_by_value and any(type(v) is str for v in self.table):
            return ""  # equal texts may be two
        relation = {ast.Eq: "==", ast.Is: "==", ast.NotEq: "!=", ast.IsNot: "!="}.get(op)
        return self.compute(relation, self.code_of(left), self.code_of(right)) if relation else ""

    def _options(self, value: Any) -> list[Any] | None:
        if isinstance(value, Thing) and value.kind is dict:
            return [Static(key) for key in self.keys(value)]
        found = list(value) if isinstance(value, tuple) else None
        return found if found is not None and all(map(is_constant_of_table, found)) else None

    def _is_one_of(self, coded: Coded, options: list[Any]) -> str:
        var, out = self.fresh("b"), self.out
        self.emit(Set(var, "False"))
        for option in options:
            branch = Branch(var)
            self.emit(branch)
            self.out = branch.orelse
            self.emit(Set(var, self.compute("==", coded.atom, self.code_of(option))))
        self.out = out
        return var

    def read_once(self, node: ast.expr) -> ast.expr:
        """An expression that may be read twice: of others, what they come to."""
        is_computed = isinstance(node, ast.Subscript | ast.Call | ast.IfExp)
        return ast.copy_location(Given(self.held(self.value(node))), node) if is_computed else node

    def code_at(self, node: ast.expr) -> Any:
        """What an expression comes to that may be one of several constants, if it can be read twice."""
        if isinstance(node, Given):
            return node.value
        return self.value(node) if self.coded and isinstance(node, ast.Name | ast.Attribute) else None

    def item_by_code(self, thing: Thing, coded: Coded) -> Any:
        """``thing[key]`` of a dict: a number, or one of several constants, by the key that it is."""
        values = [(key, self.held(self.slot(thing, key))) for key in self.keys(thing)]
        is_of_numbers = all(isinstance(v, str) for _, v in values)
        if not values or not (is_of_numbers or all(is_constant_of_table(v) for _, v in values)):
            raise NoItem("an item of a dict that is not the same each time", self.line)
        var = self.fresh("b")

        def take(key: Any, value: Any) -> None:
            self.emit(Set(var, value if is_of_numbers else self.code_of(value)))

        self._by_key(coded, values, take)
        found = self.compute("copy", var)
        return found if is_of_numbers else Coded(found)

    def set_item_by_code(self, thing: Thing, coded: Coded, value: Any) -> None:
        """``thing[key] = value`` of a dict that has such a key."""
        value = self.held(value)
        self._by_key(coded, [(key, value) for key in self.keys(thing)], lambda key, v: self.set_slot(thing, key, v))

    def _by_key(self, coded: Coded, values: list[tuple[Any, Any]], act: Callable[[Any, Any], None]) -> None:
        out = self.out
        for key, value in values:
            branch = Branch(self.compute("==", coded.atom, self.code_of(Static(key))))
            self.emit(branch)
            self.out = branch.body
            with self.perhaps():
                act(key, value)
            self.out = branch.orelse
        self.emit(Fail())
        self.out = out


def is_constant_of_table(value: Any) -> bool:
    """Whether a value is a text, a member of an enumeration, None or a function, and known."""
    if is_function(value):
        return True
    if not isinstance(value, Static) or value.value is ABSENT:
        return False
    return value.value is None or type(value.value) is str or is_member(value.value)


def _are_two(old: Any, value: Any) -> bool:
    """Whether two values are different constants."""
    if not is_constant_of_table(old) or not is_constant_of_table(value):
        return False
    if isinstance(old, Bound) or isinstance(value, Bound):
        return not is_same_function(old, value)
    return old.value is not value.value


def is_function(value: Any) -> bool:
    """Whether a value is a function, a class or a method that is the same thing however often a place is come to."""
    if isinstance(value, Bound):
        owner = value.owner
        is_lasting = getattr(owner, "copied_as", owner) is None and owner.sub is None
        return is_function(value.function) and is_lasting and (owner.home is None or not owner.around)
    return isinstance(value, Static) and callable(value.value) and value.is_lasting


def is_same_function(one: Static | Bound, other: Static | Bound) -> bool:
    if isinstance(one, Bound) and isinstance(other, Bound):
        return one.owner is other.owner and is_same_function(one.function, other.function)
    return isinstance(one, Static) and isinstance(other, Static) and one.value is other.value
