"""Programs with sets, heaps, dicts with computed keys, and lists of tuples that grow (see `boxes`).

Such a program is read like any other; only these containers are not taken apart.
"""

from __future__ import annotations

import ast
from collections import Counter
from types import CodeType, FunctionType
from typing import Any

from morula.static.python.boxed_arrays import STACKING
from morula.static.python.boxed_calls import HEAPS
from morula.static.python.boxed_comparisons import BoxedComparisons
from morula.static.python.boxed_loops import OF_ITEMS, has_box
from morula.static.python.boxed_records import Methods
from morula.static.python.boxed_values import BOOLEAN, Unread
from morula.static.python.boxes import View, has_boxes, is_set, made_by, names_boxed, pairs_of
from morula.static.python.classes import HEAP_TYPE, METACLASSES
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Append, Set, Unsupported
from morula.static.python.scopes import Array, Box, Display, ListOf, Scope, Text, key_of
from morula.static.python.slopes import has_own_rule
from morula.static.python.texts import is_any_text
from morula.static.python.things import Thing, is_record
from morula.transform import SourceUnavailable, reading_of
from morula.transform.syntax import walk

__all__ = ["Boxer", "may_have_boxes"]

NAMING = ast.Name | ast.Attribute | ast.Subscript
DEEP = 3  # calls that are looked into


class Boxer(BoxedComparisons):
    """Builds one `Program` that has such containers; with `all_lists`, also lists of tuples are such."""

    attempts = 100  # each of which may learn what one attribute holds

    def __init__(self, all_lists: bool, all_objects: bool, *args: Any):
        self.all_lists, self.all_objects = all_lists, all_objects
        self.box_places, self.recorded, self.stand_ins, self.named_parts = {}, set(), {}, set()
        self.are_compared, self.vague, self.boxed_here, self.loose = False, set(), set(), set()
        self.kept: dict[Any, Any] = {}
        self.same_places, self.factories = {}, {}
        self.boxed: set[Any] = set()
        self.with_caches = set()
        self.boxed_outside, self.in_wanted, self.alive = set(), set(), []
        self.texts_seen, self.text_variables = set(), set()
        super().__init__(*args)

    def _begin(self, *args: Any) -> None:
        super()._begin(*args)
        self.arenas, self.unread, self.caches, self.made_here, self.iterating = [], set(), {}, {}, []

    def expect_writes(self, code: Any, node: Any) -> None:
        if code in self.looked_at:
            return
        found = names_boxed(node, self.all_lists)
        attributes = {name for name in found if "." in name}
        is_new = not attributes <= self.boxed and bool(self.kept)
        self.boxed |= attributes | {(code, name) for name in found - attributes}
        super().expect_writes(code, node)
        if is_new:  # they may have been made before
            raise Again

    # -- values that are containers -------------------------------------------------------------------------

    def held(self, value: Any) -> Any:
        if isinstance(value, Box):
            atom = self.compute("copy", value.atom) if value.atom[0] not in "tagq" else value.atom
            return Box(atom, value.place, value.only)
        return super().held(value)

    def taken(self, value: Any, names: Any) -> Any:
        return value if isinstance(value, Box) else super().taken(value, names)

    def set_slot(self, thing: Thing, key: Any, value: Any) -> None:
        if not isinstance(value, Box):
            super().set_slot(thing, key, value)
            return
        if thing.home is None or thing.sub is not self.sub or thing.copied_as is not None:
            raise Unsupported("a container of this kind in what the program is given", self.line)
        self._check_home(thing, key)
        thing.is_stored = True
        self.check_place(thing, key)
        thing.slots[key] = self.held(value)

    def variables(self, value: Any, stem: str) -> Any:
        if has_box(value):
            raise Unsupported("a container of this kind in an object of which there are copies", self.line)
        return super().variables(value, stem)

    def bind(self, scope: Scope, name: str, value: Any) -> None:
        before = scope.bound.get(name)
        if not isinstance(value, Box):
            if isinstance(before, Box):
                raise Unsupported(f"{name!r}, which is something else elsewhere", self.line)
            super().bind(scope, name, value)
            return
        if isinstance(before, Display | ListOf) and name not in scope.things:
            self._box_instead(key_of(scope, name))
        if name in scope.numbers or not isinstance(before, Box | None):
            raise Unsupported(f"{name!r}, which is something else elsewhere", self.line)
        if before is not None:
            self.join(before.place, value.place)
        self.names_it(scope, name, Box(scope.variable(name), self.place_of(value.place)), value.atom)

    def _value_Name(self, node: ast.Name) -> Any:
        scope = self.scopes[-1]
        found = scope.bound.get(node.id)
        if not isinstance(found, Box) or node.id in scope.things:
            return super()._value_Name(node)
        op = "bound" if node.id in scope.unbound else "copy"
        return Box(self.compute(op, found.atom), found.place, found.only)

    def captured(self, scope: Scope, name: str) -> Any:
        if self.sub is not None and scope.outer is not None:
            held = scope.outer.things.get(name, scope.outer.bound.get(name))
            if isinstance(held, Display) or (isinstance(held, ListOf | Thing) and held.kind is list):
                self._box_instead(frozenset([(scope.outer.function.__code__, name)]))
        found = super().captured(scope, name)
        if isinstance(found, View) and self.sub is not None:
            raise Unsupported(f"{name!r}, which a function captures that calls itself", self.line)
        return found

    def is_of_lists(self, s: Any) -> bool:
        return super().is_of_lists(s) and not (isinstance(s, Append) and s.array in {x.arena for x in self.arenas})

    def truth_of(self, value: Any) -> str | None:
        if isinstance(value, Box):
            return self.truth_of_record(value) if is_record(value) else self.box_step(
                "bool({a0})", value.atom, types=BOOLEAN
            )  # fmt: skip
        if isinstance(value, View):
            return self.compute(">", self.size_of(value), "0")
        return super().truth_of(value)

    def operand(self, value: Any) -> Any:
        if has_box(value):
            raise Unsupported("an operator of such containers", self.line)
        return super().operand(value)

    def truth(self, node: ast.expr) -> str:
        if isinstance(node, ast.BoolOp):
            values: list[ast.expr] = [Truth(v) if isinstance(v, NAMING | ast.BoolOp) else v for v in node.values]
            node = ast.copy_location(ast.BoolOp(node.op, values), node)
        return super().truth(node)

    def _value_Truth(self, node: Truth) -> str:
        return self.truth(node.of)

    def one_of(self, sides: list[Any], blocks: Any) -> Any:
        sides = self.with_none(sides, blocks)
        if all(isinstance(v, Box) for v in sides):
            return self.chosen_box(sides, blocks)
        if any(has_box(v) and type(v) is not tuple for v in sides):
            raise Unsupported("a choice of containers and other things", self.line)
        if all(map(is_any_text, sides)) and any(isinstance(v, Text) for v in sides):
            var, out = self.fresh("b"), self.out
            for side, self.out in zip(sides, blocks, strict=True):
                self.emit(Set(var, self._atom(side)))
            self.out = out
            return Text(self.compute("copy", var))
        return super().one_of(sides, blocks)

    # -- statements -----------------------------------------------------------------------------------------

    def _is_made_for(self, target: ast.expr, node: ast.expr) -> bool:
        """Whether an assignment may make such a container."""
        kind = made_by(node)
        if isinstance(target, ast.Attribute):
            asked = "[]" if kind in ("dict", "set") else "{}"
            return kind != "" and not self.boxed.isdisjoint((f".{target.attr}", f"{asked}.{target.attr}"))
        if isinstance(target, ast.Subscript):
            owner = self._at_hand(target.value)
            if not isinstance(owner, Box) or kind == "" or self.contents(owner).kind not in (list, dict):
                return False
            return kind == "list" or not isinstance(target.slice, ast.Slice)
        code = self.scopes[-1].function.__code__
        return isinstance(target, ast.Name) and kind != "" and (code, target.id) in self.boxed

    def _made_for(self, target: ast.expr, node: ast.expr) -> Any:
        """The container that an assignment makes, if it is such a one."""
        if not self._is_made_for(target, node):
            return None
        code = self.scopes[-1].function.__code__
        place = (code, target.id) if isinstance(target, ast.Name) else f".{getattr(target, 'attr', '')}"
        if isinstance(target, ast.Subscript):
            place = self._at_hand(target.value).place
            place = place if isinstance(target.slice, ast.Slice) else (place, "inner")
        return self.box_of(node, place)

    def _Assign(self, s: ast.Assign) -> str:
        pairs = pairs_of(s)
        if len(s.targets) > 1 or not any(self._is_made_for(*pair) for pair in pairs):
            return super()._Assign(s)
        values = [self._made_for(*pair) or self.held(self.value(pair[1])) for pair in pairs]
        for (target, _), value in zip(pairs, values, strict=True):
            self.assign(target, value)
        return "falls"

    def _AnnAssign(self, s: ast.AnnAssign) -> str:
        made = None if s.value is None else self._made_for(s.target, s.value)
        if made is None:
            return super()._AnnAssign(s)
        self.assign(s.target, made)
        return "falls"

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(value, Unread) and isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self.assign(each, value)
            return
        if isinstance(target, ast.Subscript):
            owner, given = self.peeked(target.value)
            target = ast.copy_location(ast.Subscript(given, target.slice, target.ctx), target)
            if isinstance(owner, Box):
                value = self.held(value)
                if isinstance(target.slice, ast.Slice):
                    self.put_slice(owner, target.slice, value)
                    return
                self.put_item(owner, self.held(self.value(target.slice)), value)
                return
        super().assign(target, value)

    def _AugAssign(self, s: ast.AugAssign) -> str:
        if isinstance(s.target, ast.Subscript):
            owner, given = self.peeked(s.target.value)
            if isinstance(owner, Box):
                key = self.held(self.value(s.target.slice))
                old = self.held(self.item_at(owner, key))
                if isinstance(old, Box | Array):
                    raise Unsupported("such an augmented assignment", self.line)
                new = self.value(s.value)
                self.put_item(owner, key, self.operated(s.op, old, self.operand(new)))
                return "falls"
            target = ast.copy_location(ast.Subscript(given, s.target.slice, s.target.ctx), s.target)
            s = ast.copy_location(ast.AugAssign(target, s.op, s.value), s)
        if isinstance(s.target, ast.Name):
            old = self.scopes[-1].bound.get(s.target.id)
            now = self.value(ast.Name(s.target.id, ast.Load())) if isinstance(old, Box) else None
            if isinstance(now, Box):  # which the variable holds on this path, too
                return self._changed_box(s, now)
        return super()._AugAssign(s)

    def _changed_box(self, s: ast.AugAssign, box: Box) -> str:
        """``seen |= others``, ``path += items``."""
        kind = self.contents(box).kind
        if kind is list and isinstance(s.op, ast.Add) and isinstance(s.value, ast.ListComp):
            other = self.box_of(s.value, box.place)
            assert other is not None
            self.box_step("{a0}.extend({a1})", box.atom, other.atom)
        elif kind is list and isinstance(s.op, ast.Add):
            self._list_extend(box, s.value)
        elif kind in (set, dict) and isinstance(s.op, ast.BitOr):
            self.update(box, self.box_of(s.value, box.place) or self.value(s.value))
        else:
            raise Unsupported("such an augmented assignment", self.line)
        return "falls"

    def _Delete(self, s: ast.Delete) -> str:
        for target in s.targets:
            owner = self.peeked(target.value)[0] if isinstance(target, ast.Subscript) else None
            if not isinstance(target, ast.Subscript) or not isinstance(owner, Box):
                raise Unsupported("Delete statements", self.line)
            self.check_writable(owner)
            if self.contents(owner).kind is dict:
                key = self.key_atom(owner, self.held(self.value(target.slice)))
                self.box_step("{a0}.pop({a1})", owner.atom, key)
            elif isinstance(target.slice, ast.Slice):
                ends, atoms = self.slice_of(target.slice)
                part = f"slice({', '.join([e or 'None' for e in ends])})"
                self.box_step(f"{{a0}}.__delitem__({part})", owner.atom, *atoms)
            else:
                self.box_step("{a0}.__delitem__({a1})", owner.atom, self.number(target.slice))
        return "falls"

    # -- expressions ----------------------------------------------------------------------------------------

    def _value_Set(self, node: ast.Set) -> Any:
        return self.box_of(node, self._here(node))

    def _value_Constant(self, node: ast.Constant) -> Any:
        return self.box_of(node, self._here(node)) if is_set(node) else super()._value_Constant(node)

    def _value_SetComp(self, node: ast.SetComp) -> Any:
        return self.box_of(node, self._here(node))

    def _here(self, node: ast.AST) -> Any:
        return self.scopes[-1].function.__code__, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)

    def _value_Subscript(self, node: ast.Subscript) -> Any:
        if isinstance(node.value, ast.Dict) and not isinstance(node.slice, ast.Constant) and self.all_lists:
            made = ast.copy_location(Given(self.box_of(node.value, self._here(node.value))), node)
            node = ast.copy_location(ast.Subscript(made, node.slice, node.ctx), node)
        owner, given = self.peeked(node.value)
        if isinstance(owner, Box):
            if isinstance(node.slice, ast.Slice):
                return self.part_of_box(owner, node.slice)
            return self.item_at(owner, self.held(self.value(node.slice)))
        if isinstance(owner, Unread):
            return owner
        if isinstance(node.value, ast.Name) and (self.scopes[-1].number, node.value.id) in self.maybes:
            if isinstance(found := self.value(node.value), Unread):
                return found
            given = ast.copy_location(Given(found), node)
        if given is not node.value:
            node = ast.copy_location(ast.Subscript(given, node.slice, node.ctx), node)
        return super()._value_Subscript(node)

    def _callee(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Attribute) and self.super_of(node.value) is None:
            owner, given = self.peeked(node.value)
            if isinstance(owner, Box) and not is_record(owner):
                return owner, node.attr
            if given is not node.value:
                node = ast.copy_location(ast.Attribute(given, node.attr, node.ctx), node)
        found = super()._callee(node)
        if is_record(found):
            found = self.attribute_from(found, "__call__")
        return (found, found.name) if isinstance(found, Methods) else found

    def _value_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Attribute) and self.super_of(node.func.value) is None:
            owner, given = self.peeked(node.func.value)
            if isinstance(owner, Unread):
                return owner
            if given is not node.func.value:
                called = ast.copy_location(ast.Attribute(given, node.func.attr, ast.Load()), node.func)
                node = ast.copy_location(ast.Call(called, node.args, node.keywords), node)
        return super()._value_Call(node)

    def _call_of_method(self, owner: Any, name: str, node: ast.Call) -> Any:
        if isinstance(owner, Methods):
            return self.called_methods(owner, *self.arguments(node, True))
        if isinstance(owner, Box):
            return self.method_of_box(owner, name, node)
        return super()._call_of_method(owner, name, node)

    def _call_as_written(self, f: Any, node: ast.Call) -> Any:
        if (f is set or (f is Counter and node.args)) and not has_own_rule(f):
            made = self.box_of(node, self._here(node))
            return super()._call_as_written(f, node) if made is None else made
        if node.args and not isinstance(node.args[0], ast.Starred):
            first, given = (None, node.args[0])
            if f in HEAPS or f is len or f in OF_ITEMS or f in (dict, enumerate, *STACKING):
                first, given = self.peeked(node.args[0])
            if f in HEAPS and isinstance(first, Box):
                return self.of_heap(f, first, node.args[1:])
            if f is len and isinstance(first, Box | View) and len(node.args) == 1:
                return self.size_of(first)
            if isinstance(first, Box | View) and f in OF_ITEMS:
                return self._of_items(f, first, node)
            if isinstance(first, Box) and f in STACKING and len(node.args) == 1 and not node.keywords:
                return self.stacked(f, first)
            if f is dict and isinstance(first, Box) and len(node.args) == 1 and not node.keywords:
                made = self.box_of(node, self._here(node))
                assert made is not None
                return made
            if given is not node.args[0]:  # which has run, and must not do so again
                call = ast.Call(node.func, [given, *node.args[1:]], node.keywords)
                return self._value_Call(ast.copy_location(call, node))
        return super()._call_as_written(f, node)


class Truth(ast.expr):
    """Whether an expression is true."""

    def __init__(self, of: ast.expr):
        super().__init__()
        self.of = of


def may_have_boxes(function: FunctionType, depth: int = DEEP) -> bool:
    """Whether a function, or one that it calls, may have such containers."""
    try:
        node = reading_of(function.__code__).node
    except SourceUnavailable:
        return False
    if has_boxes(node) or any(isinstance(n, ast.ClassDef) for n in walk(node)):
        return True
    for name in _names_in(function.__code__) if depth else ():
        found: Any = function.__globals__.get(name)
        if type(found) in METACLASSES and found.__flags__ & HEAP_TYPE and not issubclass(found, BaseException | tuple):
            return True  # objects of it may stand where one or another does
        members: Any = vars(found).values() if isinstance(found, type) else (found,)
        for f in members:
            is_own = type(f) is FunctionType and f.__module__ == function.__module__
            if is_own and f is not function and may_have_boxes(f, depth - 1):
                return True
    return False


def _names_in(code: CodeType) -> set[str]:
    """The names from outside that a function reads, also in its comprehensions."""
    return set(code.co_names).union(*[_names_in(c) for c in code.co_consts if type(c) is CodeType])
