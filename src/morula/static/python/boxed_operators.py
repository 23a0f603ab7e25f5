"""Objects that the text has (see `boxed_records`): what is asked of them by `isinstance`, operators and comparisons."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from inspect import CO_GENERATOR
from types import FunctionType
from typing import Any

from morula.static.python.boxed_records import BoxedRecords, Methods
from morula.static.python.boxed_values import BOOLEAN
from morula.static.python.boxes import View
from morula.static.python.classes import BEGUN, METACLASSES
from morula.static.python.comprehensions import Given
from morula.static.python.containers import METHODS as CONTAINED
from morula.static.python.ir import Branch, Fail, Set, Unsupported
from morula.static.python.optionals import is_none
from morula.static.python.overloading import COMPARISONS
from morula.static.python.scopes import Box, Static
from morula.static.python.things import ABSENT, Bound, Generated, is_record
from morula.static.python.type_tests import DISPATCHING

__all__ = ["BoxedOperators"]

SAME = (ast.Is, ast.IsNot)
EQUAL = (ast.Eq, ast.NotEq)


class BoxedOperators(BoxedRecords):
    """The part of a `boxed.Boxer` that answers."""

    _changed_box: Callable[[ast.AugAssign, Box], str]
    iterating: list[int]  # of what `iterated` asks for an iterator, how many functions are around it

    def type_test(self, f: Any, args: list) -> Any:
        if f is not isinstance or len(args) != 2 or not is_record(args[0]):
            return super().type_test(f, args)
        given = args[1] if isinstance(args[1], tuple) else (args[1],)
        if not all(isinstance(c, Static) and type(c.value) in (type, *METACLASSES) for c in given):
            raise Unsupported("isinstance of such a class", self.line)
        given = tuple([c.value for c in given])
        if type(None) in given or any("__subclasshook__" in vars(base) for c in given for base in c.__mro__[:-1]):
            raise Unsupported("isinstance of such a class", self.line)
        if object in given:
            return "True"
        kinds = self.classes_of(args[0])
        fitting = tuple([kind for kind in kinds if any(c in kind.__mro__ for c in given)])
        if any(type(c) is not type for c in given) and fitting != kinds:
            raise Unsupported("isinstance of an abstract class", self.line)
        if not fitting:
            return "False"
        if fitting == kinds and (args[0].only or not self.contents(args[0]).may_be_none):
            if not args[0].only:
                self.emit(Branch(self.is_of(args[0], kinds), [], [Fail()]))
            return "True"
        return self.is_of(args[0], fitting)

    def truth_of_record(self, record: Box) -> str:
        """Whether an object is true: it is, unless its class has something to say about it."""
        is_one = self.box_step("{a0} is not None", record.atom, types=BOOLEAN, in_place=False)
        if not any(self.own_method_of(record, name) for name in ("__bool__", "__len__")):
            return is_one
        branch, out, var = Branch(is_one), self.out, self.fresh("b")
        self.emit(branch)
        self.out = branch.body
        ways: list[tuple[tuple[type, ...], Callable[[Box], Any]]] = [
            ((kind,), self.truth_by_class) for kind in self.classes_of(record)
        ]
        with self.perhaps():
            self.emit(Set(var, self.only_number(self.by_class(record, ways))))
        self.out = branch.orelse
        self.emit(Set(var, "False"))
        self.out = out
        return self.compute("copy", var)

    # -- as containers: what its class makes of it ----------------------------------------------------------------

    def item_at(self, box: Box, key: Any) -> Any:
        return self.dunder(box, "__getitem__", [key]) if is_record(box) else super().item_at(box, key)

    def put_item(self, box: Box, key: Any, value: Any) -> None:
        if is_record(box):
            self.dunder(box, "__setitem__", [key, value])
        else:
            super().put_item(box, key, value)

    def size_of(self, box: Box | View) -> str:
        return self.converted(len, box) if is_record(box) else super().size_of(box)

    def iterated(self, value: Any) -> Any:
        if not is_record(value):
            return super().iterated(value)
        if (method := self.own_method(value, "__iter__")) is None:
            raise Unsupported("a loop over an object", self.line)
        if method.value.__code__.co_flags & CO_GENERATOR:
            return Generated(method, [value], {}, self.around)
        self.iterating.append(len(self.scopes))
        found = self.call(method, [value], {})
        self.iterating.pop()
        if not isinstance(found, Box | View) or is_record(found):
            raise Unsupported("a loop over an object that is its own iterator", self.line)
        return found

    def _call_as_written(self, f: Any, node: ast.Call) -> Any:
        if f is iter and len(node.args) == 1 and self.iterating[-1:] == [len(self.scopes) - 1]:
            statement: Any = self.scopes[-1].current  # of which nobody but the loop has the iterator
            value, given = self.peeked(node.args[0])
            if isinstance(value, Box | View) and isinstance(statement, ast.Return) and statement.value is node:
                return value
            node = ast.copy_location(ast.Call(node.func, [given], []), node)
        return super()._call_as_written(f, node)

    def contains(self, box: Box | View, value: Any) -> str:
        return self.contained(box, value) if is_record(box) else super().contains(box, value)

    def own_method(self, value: Any, name: str) -> Static | None:
        if not is_record(value):
            return super().own_method(value, name)
        found = [self.find(kind, name) for kind in self.classes_of(value)]
        if not any(read for _, read in found):
            return None
        if not all(type(raw) is FunctionType and raw is found[0][0] for raw, _ in found):
            raise Unsupported(f"{name} of objects of several classes", self.line)
        return self.of_outside(found[0][1], found[0][0], name)

    def method_of_super(self, owner: Any, cls: type, name: str) -> Any:
        if not is_record(owner):
            return super().method_of_super(owner, cls, name)
        classes = self.classes_of(owner)
        if name == "__init__" and classes and all(kind.__mro__[-2:] == (cls, object) for kind in classes):
            return Static(BEGUN)
        ways: dict[int, tuple[list[type], Any]] = {}
        for kind in classes:
            if cls not in kind.__mro__:
                continue
            self.find(kind, name)
            recorded, (_, *spaces) = self.classes[kind]
            after = recorded.mro.index(cls) + 1
            for base, space in zip(recorded.mro[after:], spaces[after:], strict=False):
                if name in base.__dict__:
                    raw = base.__dict__[name]
                    if type(raw) is not FunctionType:
                        raise Unsupported(f"super().{name}", self.line)
                    way = ways.setdefault(id(raw), ([], self.of_outside(f"{space}[{name!r}]", raw, name)))
                    way[0].append(kind)
                    break
                self.guard(f"{name!r} not in {space}")
        every = tuple([kind for kinds, _ in ways.values() for kind in kinds])
        if not set(owner.only or self.contents(owner).classes) <= set(every):
            self.emit(Branch(self.is_of(owner, every), [], [Fail()]))
        if len(ways) == 1:
            ((kinds, found),) = ways.values()
            return Bound(found, Box(owner.atom, owner.place, tuple(kinds)))
        return Methods(owner, name, [(tuple(kinds), partial(Bound, found)) for kinds, found in ways.values()])

    def own_method_of(self, record: Box, name: str) -> bool:
        """Whether a class of an object has a special method of its own."""
        return any(self.find(kind, name)[1] for kind in self.classes_of(record))

    def _by_methods(self, name: str, reflected: str, left: Any, right: Any, what: str) -> Any:
        sides = (left, right)
        for record in sides:
            if is_record(record) and len(record.only) != 1:

                def found(owner: Box, record: Box = record) -> Any:
                    one, other = (owner if v is record else v for v in sides)
                    return self._by_methods(name, reflected, one, other, what)

                return self.by_class(record, [((kind,), found) for kind in self.classes_of(record)])
        return super()._by_methods(name, reflected, left, right, what)

    def dunder(self, value: Any, name: str, args: list) -> Any:
        if is_record(value) and len(value.only) != 1:
            return self.by_class(value, [
                ((kind,), partial(self.dunder, name=name, args=args)) for kind in self.classes_of(value)
            ])  # fmt: skip
        return super().dunder(value, name, args)

    def named_operator(self, stem: str | None, left: Any, right: Any) -> Any:
        if stem and (is_record(left) or is_record(right)):
            return self.overloaded(stem, self.held(left), self.held(right))
        return super().named_operator(stem, left, right)

    def compared_by_class(self, op: type[ast.cmpop], left: Any, right: Any) -> Any:
        if not is_record(left) and not is_record(right):
            return super().compared_by_class(op, left, right)
        names = COMPARISONS[op]
        pairs = [(left, names[0]), (right, names[1]), *[(left, "__eq__"), (right, "__eq__")] * (op is ast.NotEq)]
        if any(self._has_own(value, name) for value, name in pairs):
            return super().compared_by_class(op, left, right)
        if op not in EQUAL:
            raise Unsupported("a comparison of objects that their class does not define", self.line)
        return self._are_same(left, right, op is ast.NotEq)

    def _has_own(self, value: Any, name: str) -> bool:
        return self.own_method_of(value, name) if is_record(value) else self.own_method(value, name) is not None

    def _are_same(self, left: Any, right: Any, negated: bool) -> str:
        """Whether two things are one object."""
        boxes = [v for v in (left, right) if isinstance(v, Box)]
        if any(self.contents(v).kind is tuple for v in boxes):
            raise Unsupported("whether two tuples are one", self.line)
        if len(boxes) < 2 and not is_none(left) and not is_none(right):
            other = left if right is boxes[0] else right
            if isinstance(other, Static) or (is_record(boxes[0]) and isinstance(other, str | tuple)):
                return str(negated)
            raise Unsupported("whether two things of different kinds are one", self.line)
        atoms = [v.atom for v in boxes]
        text = f"{{a0}} {'is not' if negated else 'is'} {'{a1}' if len(atoms) > 1 else 'None'}"
        return self.box_step(text, *atoms, types=BOOLEAN, in_place=False)

    def known_comparison(self, node: ast.Compare) -> str:
        nodes = [node.left, *node.comparators]
        if len(node.ops) == 1 and type(node.ops[0]) in SAME and any(map(self.may_be_box, nodes)):
            left, right = [self.held(self.value_or_none(n)) for n in nodes]
            if isinstance(left, Box) or isinstance(right, Box):
                return self._are_same(left, right, isinstance(node.ops[0], ast.IsNot))
            given: list[ast.expr] = [
                n if isinstance(n, ast.Constant) else ast.copy_location(Given(v), node)
                for n, v in zip(nodes, (left, right), strict=True)
            ]
            node = ast.copy_location(ast.Compare(given[0], node.ops, given[1:]), node)
        return super().known_comparison(node)

    # -- calls ------------------------------------------------------------------------------------------------

    def _call_of_function(self, callee: Any, f: Any, args: list, named: dict[str, Any]) -> Any:
        if type(f) is FunctionType and f.__code__ is DISPATCHING and args and is_record(args[0]):
            return self._dispatched_by_class(callee, args, named)
        return super()._call_of_function(callee, f, args, named)

    def _dispatched_by_class(self, callee: Static, args: list, named: dict[str, Any]) -> Any:
        """A call of what `functools.singledispatch` makes."""
        if not callee.where:
            raise Unsupported("a call by a type that is not known", self.line)
        args = [args[0], *map(self.held, args[1:])]
        ways: dict[int, tuple[list[type], Any]] = {}
        for kind in self.classes_of(args[0]):
            made = self.given(self.program.space, kind)
            found = self.of_outside(f"{callee.where}.dispatch({made})", callee.value.dispatch(kind), "dispatch")
            ways.setdefault(id(found.value), ([], found))[0].append(kind)

        def called(found: Any, owner: Box) -> Any:
            return self.call(found, [owner, *args[1:]], named)

        return self.by_class(args[0], [(tuple(kinds), partial(called, found)) for kinds, found in ways.values()])

    def known_call(self, f: Any, args: list, named: dict[str, Any], node: ast.Call) -> Any:
        if f is type and len(args) == 1 and is_record(args[0]) and len(kinds := self.classes_of(args[0])) == 1:
            self.by_class(args[0], [(kinds, lambda record: Static(None))])
            return self.its_class(Box(args[0].atom, args[0].place, kinds))
        if f is object.__setattr__ and len(args) == 3 and is_record(args[0]) and isinstance(args[1], Static):
            self.put_part(args[0], args[1].value, args[2])
            return Static(None)
        return super().known_call(f, args, named, node)

    def _fit_MatchClass(self, pattern: Any, node: ast.expr, value: Any) -> Any:
        if is_record(value):
            raise Unsupported("a pattern of a class, for an object of one class or another", self.line)
        return super()._fit_MatchClass(pattern, node, value)

    # -- augmented assignments ----------------------------------------------------------------------------------

    def _changed_part(self, s: ast.AugAssign, owner: Any, target: Any) -> str:
        if not is_record(owner):
            return super()._changed_part(s, owner, target)
        owner = self.held(owner)
        old = self.held(self.attribute_from(owner, target.attr))
        if isinstance(old, Box) and not is_record(old):
            self._changed_box(s, old)
            return "falls"
        new = self.value(s.value)
        stem = CONTAINED.get(type(s.op))
        if is_record(old) and stem and self.own_method_of(old, f"__i{stem}__"):
            raise Unsupported("an augmented assignment by a method of an object", self.line)
        if (found := self.named_operator(stem, old, new)) is ABSENT:
            if not isinstance(old, str) or not isinstance(new, str):
                raise Unsupported("an augmented assignment of something other than a number", self.line)
            found = self.operated(s.op, old, new)
        self.set_attribute(owner, target.attr, found)
        return "falls"
