"""Loops over containers that the text has as the program does, and functions of all their items."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from morula.static.python.boxed_calls import VIEWS, BoxedCalls
from morula.static.python.boxed_making import Step
from morula.static.python.boxed_values import BOOLEAN
from morula.static.python.boxes import MISSING, Inner, Perhaps, View, is_set
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Branch, Fail, Unsupported
from morula.static.python.scopes import Box, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.things import is_record

__all__ = ["OF_ITEMS", "BoxedLoops", "has_box"]

ENDLESS = str((1 << 63) - 1)  # turns of a loop that is left by itself
OF_ITEMS = (sum, sorted, max, min, any, all, list, tuple)
PEEKED = VIEWS | {"get", "setdefault", "pop", "copy", "most_common"}
NO_FUNCTION = 0x2A0  # of `co_flags`: generators and coroutines
PARTS = {"items": ("key", "item"), "values": ("item",), "keys": ("key",)}


class BoxedLoops(BoxedCalls):
    """The part of a `boxed.Boxer` that goes through them.

    Attributes:
        boxed: the variables, by code and name, and the attributes, as ".name", for which such containers are made.
    """

    boxed: set[Any]
    _here: Callable[[ast.AST], Any]

    # -- loops ----------------------------------------------------------------------------------------------

    def may_be_box(self, node: ast.expr) -> bool:
        """Whether an expression may come to such a container, as far as that can be seen without reading it."""
        if isinstance(node, Given):
            return has_box(node.value)
        if isinstance(node, ast.Name):
            return has_box(self._at_hand(node))
        if isinstance(node, ast.Attribute):
            return f".{node.attr}" in self.boxed or f"[].{node.attr}" in self.boxed
        if isinstance(node, ast.Subscript):
            return self.may_be_box(node.value)
        if isinstance(node, ast.Call):
            return self._may_give_box(node)
        return is_set(node)

    def _may_give_box(self, node: ast.Call) -> bool:
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in PEEKED and self.may_be_box(node.func.value)
        if not isinstance(node.func, ast.Name):
            return False
        if node.func.id in ("sorted", "list"):
            return bool(node.args) and self.may_be_box(node.args[0])
        f = self.value(node.func)
        if isinstance(f, Static) and (f.value is set or (f.value is Counter and node.args)):
            return True
        is_own = isinstance(f, Static) and type(f.value) is FunctionType
        return is_own and not f.value.__code__.co_flags & NO_FUNCTION

    def is_apart(self, changed: ast.expr, names: set[str]) -> bool:
        """Whether a container that is changed is none of those that these variables hold, or that are in them."""
        box = self._at_hand(changed) if isinstance(changed, ast.Name) else None
        if not isinstance(box, Box):
            return False
        held = [self._at_hand(ast.Name(name, ast.Load())) for name in names]
        places = [self.place_of(b.place) for value in held for b in _boxes_in(value)]
        for place in places:  # which grows as it is gone through
            inner = self._places_within(tuple(self.kept[place].layouts.values()))
            places += [p for p in inner if p not in places]
        return self.place_of(box.place) not in places

    def _places_within(self, layout: Any) -> list[Any]:
        if isinstance(layout, tuple):
            return [place for part in layout for place in self._places_within(part)]
        if isinstance(layout, Perhaps):
            return self._places_within(layout.of)
        return [self.place_of(layout.place)] if isinstance(layout, Inner) else []

    def peeked(self, node: ast.expr) -> tuple[Any, ast.expr]:
        """What an expression comes to that may be such a container, and what stands for it then.

        Others are not read: they come to None.
        """
        if not self.may_be_box(node):
            return None, node
        value = self.value(node)
        return value, node if isinstance(node, Given) else ast.copy_location(Given(value), node)

    def _over_sequences(self, s: ast.For) -> str:
        it: Any = s.iter
        is_pair = isinstance(s.target, ast.Tuple) and len(s.target.elts) == 2
        is_counted = is_pair and isinstance(it, ast.Call) and self._is_call(it, enumerate)
        inner = it.args[0] if is_counted else it
        if (zipped := self._peeked_zip(inner)) is not None:
            if any(isinstance(v, View) or (isinstance(v, Box) and not is_record(v)) for v, _ in zipped):
                for (value, _), node in zip(zipped, inner.args, strict=True):  # others are read before the first turn
                    if not isinstance(value, Box | View) and self.may_change(s, node, False):
                        raise Unsupported("zip of what the loop may change", self.line)
                return self._over_zip(s, self._boxes_zipped(inner, zipped), it if is_counted else None)
            again: Any = ast.copy_location(ast.Call(inner.func, [given for _, given in zipped], []), inner)
            again = _with_first(it, again) if is_counted else again
            return super()._over_sequences(ast.copy_location(ast.For(s.target, again, s.body, s.orelse), s))
        is_reversed = isinstance(inner, ast.Call) and self._is_call(inner, reversed) and len(inner.args) == 1
        value, given = self.peeked(inner.args[0] if is_reversed else inner)
        if is_record(value) and not is_reversed:
            again = ast.copy_location(Given(self.iterated(value)), inner)
            again = _with_first(it, again) if is_counted else again
            return self._For(ast.copy_location(ast.For(s.target, again, s.body, s.orelse), s))
        if not isinstance(value, Box | View):
            if value is not None:  # which has run, and must not do so again
                given = _with_first(inner, given) if is_reversed else given
                given = _with_first(it, given) if is_counted else given
                s = ast.copy_location(ast.For(s.target, given, s.body, s.orelse), s)
            return super()._over_sequences(s)
        target, starts = self._counting(s.target, it if is_counted else None)
        return self._over_box(s, value, target, starts, "reversed" if is_reversed else "iter")

    def _counting(self, target: ast.expr, counted: Any) -> tuple[ast.expr, list]:
        """What a loop assigns each item to, and what the place of the item, with the place of the first one."""
        if counted is None:
            return target, []
        if (enumerated := self._enumerated(counted)) is None:
            raise Unsupported("enumerate with these arguments", self.line)
        index, each = target.elts  # type: ignore[attr-defined]
        return each, [(index, enumerated[1])]

    def _peeked_zip(self, node: Any) -> list[tuple[Any, ast.expr]] | None:
        """What ``zip`` goes through, as `peeked` has it, if such containers may be among it; None for anything else."""
        if not isinstance(node, ast.Call) or len(node.args) < 2 or not self._is_call(node, zip):
            return None
        if any(k.arg != "strict" or getattr(k.value, "value", True) is not False for k in node.keywords):
            return None
        if any(isinstance(a, ast.Starred) for a in node.args) or not any(map(self.may_be_box, node.args)):
            return None
        return [self.peeked(a) for a in node.args]

    def _boxes_zipped(self, node: ast.Call, found: list[tuple[Any, ast.expr]]) -> list[Box]:
        """What a loop goes through side by side, as lists of the text."""
        boxes = []
        for i, (value, given) in enumerate(found):
            if isinstance(value, View) or (isinstance(value, Box) and self.contents(value).kind not in (list, tuple)):
                value = self.list_of_box(value, ast.copy_location(ast.Call(node.func, [given], []), given))
            if not isinstance(value, Box):
                value = self.new_box(list, (*self._here(node), i))
                self.fill_box(value, given)
            boxes.append(value)
        return boxes

    def _over_zip(self, s: ast.For, boxes: list[Box], counted: Any) -> str:
        """A loop over containers side by side."""
        target, starts = self._counting(s.target, counted)
        if unread := [box for box in boxes if not self.is_read(box, "item")]:
            self.emit(Branch(self.compute(">", self.size_of(unread[0]), "0"), [Fail()]))
            return "falls"
        places = ", ".join([f"{{a{i}}}" for i in range(len(boxes))])
        step = Next(self.box_step(f"zip({places})", *[box.atom for box in boxes]))

        def items() -> tuple:
            return tuple([self.taken_item(box, f"{{a0}}[{i}]", step.found) for i, box in enumerate(boxes)])

        return self._by_iterator(s, step, starts, target, items)

    def _by_iterator(self, s: ast.For, step: Next, starts: list, target: ast.expr, item: Callable[[], Any]) -> str:
        counter = self.fresh("i")
        counts = [(t, partial(self._counted, counter, start)) for t, start in starts]
        var, args = (counter, (ENDLESS,)) if counts else (None, ())
        return self._loop(var, args, s.body, step, [*counts, (target, item)])

    def _is_call(self, node: ast.Call, f: Any) -> bool:
        """Whether a call is one of a builtin, with at least one argument."""
        bare = ast.copy_location(ast.Call(node.func, node.args, []), node)
        return bool(node.args) and not isinstance(node.args[0], ast.Starred) and self.is_call_of(bare, f)

    def _over_box(self, s: ast.For, given: Box | View, target: ast.expr, starts: list, how: str) -> str:
        """A loop over a container, by an iterator as Python makes it."""
        box = given.box if isinstance(given, View) else given
        what = given.what if isinstance(given, View) else ""
        kind = self.contents(box).kind
        parts = PARTS["keys" if kind in (set, dict) else "values"] if not what else PARTS[what]
        if any(not self.is_read(box, part) for part in parts):
            self.emit(Branch(self.compute(">", self.size_of(box), "0"), [Fail()]))
            return "falls"
        step = Next(self.box_step(f"{how}({{a0}}{f'.{what}()' if what else ''})", box.atom))

        def item() -> Any:
            if what == "items":
                key = self.taken_key(box, "{a0}[0]", step.found)
                return key, self.taken_item(box, "{a0}[1]", step.found)
            if what == "values" or kind not in (set, dict):
                return self.taken_item(box, "{a0}", step.found)
            return self.taken_key(box, "{a0}", step.found)

        return self._by_iterator(s, step, starts, target, item)

    def _value_Next(self, node: Next) -> str:
        end = self.given(self.program.space, MISSING)
        node.found = self.box_step("next({a0}, {a1})", node.iterator, end)
        return self.box_step("{a0} is not {a1}", node.found, end, types=BOOLEAN)

    def list_of_box(self, given: Box | View, node: ast.Call) -> Box:
        """``list(given)``, which the text has as the program does, too."""
        if isinstance(given, Box) and self.contents(given).kind is list:
            return Box(self.box_step("{a0}[:]", given.atom), given.place)
        found = self.new_box(list, (self.scopes[-1].function.__code__, node.lineno, node.col_offset))
        each = ast.Name(self.own_name("item"), ast.Load())
        self.loop_of(each.id, Given(given), ast.Expr(Step(found, "add", [each])))
        return found

    def listed_items(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        if not self.defining:
            return super().listed_items(node)
        code = self.scopes[-1].function.__code__  # of a function that calls itself, which has no lists of the text
        listed = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        return self.box_of(listed, (code, node.lineno, node.col_offset))

    def idiom(self, f: Any, node: ast.Call) -> Any:
        if f in (max, min) and self.defining and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            given = ast.copy_location(Given(self.listed_items(node.args[0])), node.args[0])
            return self._of_items(f, given.value, ast.copy_location(ast.Call(node.func, [given], node.keywords), node))
        return super().idiom(f, node)

    def _of_items(self, f: Any, first: Box | View, node: ast.Call) -> Any:
        """``sum(d.values())`` and its kin: of the items one by one."""
        if has_own_rule(f):
            raise Unsupported("such a call of a container", self.line)
        is_list = isinstance(first, Box) and self.contents(first).kind is list
        options = {k.arg: k.value for k in node.keywords}
        if f in (sorted, max, min) and len(node.args) == 1 and (is_list or "key" in options):
            listed = self.list_of_box(first, node)
            if f is sorted:
                self.sort(listed, options)
                return listed
            return self.foremost_of(f, listed, options)
        if f is list and is_list:
            return self.list_of_box(first, node)
        each = self._unused("item")
        self.scopes[-1].own.add(each)
        generators = [ast.comprehension(ast.Name(each, ast.Store()), Given(first), [], 0)]
        kind = ast.GeneratorExp if f in (sum, any, all) else ast.ListComp
        items: ast.expr = ast.copy_location(kind(ast.Name(each, ast.Load()), generators), node)
        if f is list and len(node.args) == 1:
            return self.value(items)
        if f in (max, min, sorted):
            items = ast.copy_location(Given(self.value(items)), node)
        call = ast.Call(node.func, [items, *node.args[1:]], node.keywords)
        return self.value(ast.fix_missing_locations(ast.copy_location(call, node)))


class Next(ast.expr):
    """The next item of an iterator of the text, and whether there is one."""

    def __init__(self, iterator: str):
        super().__init__()
        self.iterator, self.found = iterator, ""


def _with_first(node: Any, given: ast.expr) -> ast.expr:
    """A call with something else for its first argument."""
    return ast.copy_location(ast.Call(node.func, [given, *node.args[1:]], node.keywords), node)


def has_box(value: Any) -> bool:
    """Whether a value is such a container, or a tuple with one in it."""
    return any(map(has_box, value)) if isinstance(value, tuple) else isinstance(value, Box | View)


def _boxes_in(value: Any) -> list[Box]:
    """The containers that a value is, or has in a tuple."""
    if isinstance(value, tuple):
        return [box for part in value for box in _boxes_in(part)]
    return [value] if isinstance(value, Box) else [value.box] if isinstance(value, View) else []
