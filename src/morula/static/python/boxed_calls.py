"""Methods of containers that the text has as the program does, and functions of heaps."""

from __future__ import annotations

import ast
import heapq
import operator
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import Any

from morula.static.python.boxed_making import BoxedMaking, Step
from morula.static.python.boxed_values import BOOLEAN
from morula.static.python.boxes import View
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Branch, Fail, Unsupported
from morula.static.python.scopes import Box, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.things import Thing
from morula.static.python.types import INT
from morula.transform.syntax import walk

__all__ = ["HEAPS", "VIEWS", "BoxedCalls"]

PUSHING = (heapq.heappush, heapq.heappushpop, heapq.heapreplace)
HEAPS = (*PUSHING, heapq.heappop, heapq.heapify)
BY_NAME = ("move_to_end", "popitem")  # methods of dicts that say which end is meant
VIEWS = frozenset(["keys", "values", "items"])


def sort_by(items: list, given: list, keys: list, backwards: bool) -> None:
    """Put what a list had into it, sorted by keys; while these were found it was empty, as `list.sort` has it."""
    if items:
        raise ValueError
    items[:] = [given[i] for i in sorted(range(len(given)), key=keys.__getitem__, reverse=backwards)]


def place_of_largest(keys: list) -> int:
    """Where the first of the largest items is."""
    return max(range(len(keys)), key=keys.__getitem__)


def place_of_smallest(keys: list) -> int:
    """Where the first of the smallest items is."""
    return min(range(len(keys)), key=keys.__getitem__)


class BoxedCalls(BoxedMaking):
    """The part of a `boxed.Boxer` that calls their methods."""

    # -- methods --------------------------------------------------------------------------------------------

    def method_of_box(self, box: Box, name: str, node: ast.Call) -> Any:
        """A method of a container."""
        if name in BY_NAME and self.contents(box).kind is dict:
            return self._linked(box, name, node)
        if any(isinstance(a, ast.Starred) for a in node.args) or (node.keywords and name != "sort"):
            raise Unsupported(f"the method {name!r} with these arguments", self.line)
        kind, n = self.contents(box).kind, len(node.args)
        found = getattr(self, f"_{kind.__name__}_{name}", None)
        if found is not None:
            return found(box, *node.args) if name != "sort" else found(box, node)
        if name == "copy" and not n:
            return Box(self.box_step("{a0}.copy()", box.atom), box.place)
        if name == "clear" and not n:
            self.box_step("{a0}.clear()", box.atom)
            return Static(None)
        raise Unsupported(f"the method {name!r} of a {kind.__name__}", self.line)

    def _dict_get(self, box: Box, key: ast.expr, default: ast.expr | None = None) -> Any:
        atom = self.key_atom(box, self.held(self.value(key)))
        other = Static(None) if default is None else self.item_value(default, box.place)
        has = self.box_step("{a1} in {a0}", box.atom, atom, types=BOOLEAN)
        return self.item_or(box, has, atom, other)

    def _dict_pop(self, box: Box, key: ast.expr, default: ast.expr | None = None) -> Any:
        atom = self.key_atom(box, self.held(self.value(key)))
        if default is None:
            return self.taken_item(box, "{a0}.pop({a1})", box.atom, atom)
        other = self.item_value(default, box.place)
        has = self.box_step("{a1} in {a0}", box.atom, atom, types=BOOLEAN)
        return self.item_or(box, has, atom, other, "{a0}.pop({a1})")

    def _dict_setdefault(self, box: Box, key: ast.expr, default: ast.expr) -> Any:
        found = self.held(self.value(key))
        value = self.item_value(default, box.place)
        atom = self.key_atom(box, found)
        branch, out = Branch(self.box_step("{a1} in {a0}", box.atom, atom, types=BOOLEAN)), self.out
        self.emit(branch)
        self.out = branch.orelse
        self.put_item(box, found, value)
        self.out = out
        return self.taken_item(box, "{a0}[{a1}]", box.atom, atom)

    def _linked(self, box: Box, name: str, node: ast.Call) -> Any:
        """``box.popitem(last=False)`` and ``box.move_to_end(key)``; of the keys that of the last one, if not said."""
        is_linked = self.contents(box).factory is OrderedDict
        named = {k.arg: k.value for k in node.keywords}
        n = len(node.args) - (name == "move_to_end")
        last = named.pop("last", node.args[-1] if n == 1 else ast.Constant(True))
        if n not in (0, 1) or named or not isinstance(last, ast.Constant) or type(last.value) is not bool:
            raise Unsupported(f"the method {name!r} with these arguments", self.line)
        if not is_linked and (name == "move_to_end" or node.keywords or n):
            raise Unsupported(f"the method {name!r} of a dict", self.line)
        if name == "move_to_end":
            if not last.value:
                raise Unsupported("the method 'move_to_end' with these arguments", self.line)
            atom = self.key_atom(box, self.held(self.value(node.args[0])))
            self.box_step("{a0}[{a1}] = {a0}.pop({a1})", box.atom, atom)
            return Static(None)
        at = self.box_step(f"next({'reversed' if last.value else 'iter'}({{a0}}))", box.atom)
        key = self.taken_key(box, "{a0}", at)
        return key, self.taken_item(box, "{a0}.pop({a1})", box.atom, at)

    def _dict_most_common(self, box: Box, n: ast.expr | None = None) -> Any:
        if self.contents(box).factory is not Counter:
            raise Unsupported("the method 'most_common' of a dict", self.line)
        if n is not None:
            n = ast.copy_location(Given(self.held(self.number(n))), n)
            self.emit(Branch(self.compute("<", n.value, "0"), [Fail()]))
        by = ast.Call(Given(Static(operator.itemgetter)), [ast.Constant(1)], [])
        options = [ast.keyword("key", Given(self.value(by))), ast.keyword("reverse", ast.Constant(True))]
        items = ast.Call(Given(Static(sorted)), [Given(View(box, "items"))], options)
        for each in walk(items):
            if isinstance(each, ast.expr | ast.keyword):
                each.lineno = each.end_lineno = self.line
                each.col_offset = each.end_col_offset = 0
        found = self.value(items)
        return found if n is None else self.part_of_box(found, ast.Slice(None, n))

    def _dict_total(self, box: Box) -> Any:
        if self.contents(box).factory is not Counter:
            raise Unsupported("the method 'total' of a dict", self.line)
        given = ast.copy_location(Given(View(box, "values")), ast.Constant(0, lineno=self.line, col_offset=0))
        return self.value(ast.copy_location(ast.Call(Given(Static(sum)), [given], []), given))

    def _dict_update(self, box: Box, other: ast.expr) -> Static:
        if self.contents(box).factory is Counter:
            self.count_all(box, other)
            return Static(None)
        self.update(box, self.box_of(other, box.place) or self.value(other))
        return Static(None)

    def _dict_keys(self, box: Box) -> View:
        return View(box, "keys")

    def _dict_values(self, box: Box) -> View:
        return View(box, "values")

    def _dict_items(self, box: Box) -> View:
        return View(box, "items")

    def _set_add(self, box: Box, member: ast.expr) -> Static:
        self.add(box, self.held(self.value(member)))
        return Static(None)

    def _set_discard(self, box: Box, member: ast.expr) -> Static:
        self.box_step("{a0}.discard({a1})", box.atom, self.key_atom(box, self.held(self.value(member))))
        return Static(None)

    def _set_remove(self, box: Box, member: ast.expr) -> Static:
        self.box_step("{a0}.remove({a1})", box.atom, self.key_atom(box, self.held(self.value(member))))
        return Static(None)

    def _set_update(self, box: Box, items: ast.expr) -> Static:
        self.fill_box(box, items)
        return Static(None)

    def _set_pop(self, box: Box) -> Any:
        return self.taken_key(box, "{a0}.pop()", box.atom)

    def _list_append(self, box: Box, item: ast.expr) -> Static:
        self.add(box, self.item_value(item, box.place))
        return Static(None)

    def _list_pop(self, box: Box, at: ast.expr | None = None) -> Any:
        if at is None:
            return self.taken_item(box, "{a0}.pop()", box.atom)
        return self.taken_item(box, "{a0}.pop({a1})", box.atom, self.number(at))

    def _list_insert(self, box: Box, at: ast.expr, item: ast.expr) -> Static:
        i = self.held(self.number(at))
        self.box_step("{a0}.insert({a1}, {a2})", box.atom, i, self.item_atom(box, self.item_value(item, box.place)))
        return Static(None)

    def _list_extend(self, box: Box, items: ast.expr) -> Static:
        value, items = self.peeked(items)
        if isinstance(value, Box) and self.contents(value).kind is list:
            self.join(box.place, value.place)
            self.box_step("{a0}.extend({a1})", box.atom, value.atom)
        else:
            self.fill_box(box, items)
        return Static(None)

    def _list_remove(self, box: Box, item: ast.expr) -> Static:
        self.of_same("{a0}.remove({a1})", box, self._sought(item))
        return Static(None)

    def _list_index(self, box: Box, item: ast.expr, *ends: ast.expr) -> str:
        value = self._sought(item)
        atoms = [self.held(self.number(end)) for end in ends]
        places = "".join([f", {{a{i}}}" for i in range(2, len(atoms) + 2)])
        return self.of_same(f"{{a0}}.index({{a1}}{places})", box, value, INT, *atoms)

    def _list_count(self, box: Box, item: ast.expr) -> str:
        return self.of_same("{a0}.count({a1})", box, self._sought(item), INT)

    def _sought(self, node: ast.expr) -> Any:
        value = self.held(self.value(node))
        if isinstance(value, Thing):
            self.record_instead(value)
        return value

    def _list_reverse(self, box: Box) -> Static:
        self.box_step("{a0}.reverse()", box.atom)
        return Static(None)

    def _list_sort(self, box: Box, node: ast.Call) -> Static:
        if node.args:
            raise Unsupported("sorting with these arguments", self.line)
        self.sort(box, {k.arg: k.value for k in node.keywords})
        return Static(None)

    def sort(self, box: Box, options: dict[str | None, ast.expr]) -> None:
        """``box.sort(key=f, reverse=True)``."""
        backwards = options.pop("reverse", ast.Constant(False))
        key = options.pop("key", ast.Constant(None))
        if options or not isinstance(backwards, ast.Constant) or type(backwards.value) is not bool:
            raise Unsupported("sorting with these arguments", self.line)
        if isinstance(key, ast.Constant) and key.value is None:
            self.order(box)
            self.box_step(f"{{a0}}.sort(reverse={backwards.value})", box.atom)
            return
        given = Box(self.box_step("{a0}[:]", box.atom), box.place)
        self.box_step("{a0}.clear()", box.atom)
        keys = self._keys_of(given, key)
        by = self.given(self.program.space, sort_by)
        self.box_step(f"{by}({{a0}}, {{a1}}, {{a2}}, {backwards.value})", box.atom, given.atom, keys.atom)

    def _keys_of(self, box: Box, key: ast.expr) -> Box:
        """A list of what a function gives for each item of another one."""
        if not isinstance(key, ast.Lambda | ast.Name | ast.Attribute | Given):
            raise Unsupported("sorting with these arguments", self.line)
        if isinstance(key, ast.Attribute) and not self.may_be_box(key.value):
            key = ast.copy_location(Given(self.value(key)), key)
        keys = self.new_box(list, (self.scopes[-1].function.__code__, "keys", key.lineno, key.col_offset))
        self.order(keys)
        each = ast.Name(self.own_name("item"), ast.Load())
        call = ast.copy_location(ast.Call(key, [each], []), key)
        self.loop_of(each.id, Given(box), ast.Expr(Step(keys, "add", [call])))
        return keys

    def foremost_of(self, f: Any, box: Box, options: dict[str | None, ast.expr]) -> Any:
        """``max(box, key=f)`` or ``min(box, key=f)`` of a new list."""
        default = options.pop("default", None)
        if default is not None:
            other = self.held(self.value(default))
            branch, out = Branch(self.compute(">", self.size_of(box), "0")), self.out
            self.emit(branch)
            self.out = branch.body
            found = self.foremost_of(f, box, options)
            self.out = out
            return self.one_of([found, other], (branch.body, branch.orelse))
        key = options.pop("key", None)
        if options:
            raise Unsupported(f"a call to {f.__name__} with these arguments", self.line)
        if key is None:
            self.order(box)
        keys = box if key is None else self._keys_of(box, key)
        self.program.is_vague = True  # of the items that are not chosen
        by = self.given(self.program.space, place_of_largest if f is max else place_of_smallest)
        return self.taken_item(box, f"{{a0}}[{by}({{a1}})]", box.atom, keys.atom)

    def _deque_append(self, box: Box, item: ast.expr) -> Static:
        return self._list_append(box, item)

    def _deque_appendleft(self, box: Box, item: ast.expr) -> Static:
        self.box_step("{a0}.appendleft({a1})", box.atom, self.item_atom(box, self.item_value(item, box.place)))
        return Static(None)

    def _deque_pop(self, box: Box) -> Any:
        return self._list_pop(box)

    def _deque_popleft(self, box: Box) -> Any:
        return self.taken_item(box, "{a0}.popleft()", box.atom)

    def _deque_rotate(self, box: Box, n: ast.expr | None = None) -> Static:
        self.box_step("{a0}.rotate({a1})", box.atom, "1" if n is None else self.held(self.number(n)))
        return Static(None)

    def _deque_extend(self, box: Box, items: ast.expr) -> Static:
        self.fill_box(box, self.peeked(items)[1])
        return Static(None)

    # -- functions ------------------------------------------------------------------------------------------

    def of_heap(self, f: Any, box: Box, args: Sequence[ast.expr]) -> Any:
        """A function of `heapq`."""
        if has_own_rule(f) or len(args) != (f in PUSHING):
            raise Unsupported(f"a call to {f.__name__}, which has a user-defined rule", self.line)
        self.order(box)
        called = self.given(self.program.space, f)
        if f in (heapq.heappop, heapq.heapify):
            if f is heapq.heapify:
                self.box_step(f"{called}({{a0}})", box.atom)
                return Static(None)
            return self.taken_item(box, f"{called}({{a0}})", box.atom)
        item = self.item_atom(box, self.item_value(args[0], box.place))
        if f is heapq.heappush:
            self.box_step(f"{called}({{a0}}, {{a1}})", box.atom, item)
            return Static(None)
        return self.taken_item(box, f"{called}({{a0}}, {{a1}})", box.atom, item)
