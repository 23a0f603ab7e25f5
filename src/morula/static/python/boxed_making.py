"""Containers that the text has as the program does: how they are made, by displays, comprehensions and calls."""

from __future__ import annotations

import ast
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from morula.static.python.boxed_items import BoxedItems
from morula.static.python.boxed_values import BOOLEAN, PLAIN
from morula.static.python.boxes import Inner, View, made_by
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Branch, Fail, Set, Unsupported
from morula.static.python.scopes import Box, Static
from morula.static.python.things import Thing, is_record
from morula.static.python.types import INT
from morula.transform.constant_sets import held_set
from morula.transform.syntax import walk

__all__ = ["BoxedMaking", "Step"]

KINDS: dict[Any, Any] = {
    dict: dict, list: list, set: set, deque: deque, defaultdict: dict, Counter: dict, OrderedDict: dict,
}  # fmt: skip


class BoxedMaking(BoxedItems):
    """The part of a `boxed.Boxer` that makes containers, and puts items in.

    Attributes:
        factories: what makes the items that a dict lacks, by the function.
    """

    factories: dict[Any, Any]
    peeked: Callable[[ast.expr], tuple[Any, ast.expr]]
    may_be_box: Callable[[ast.expr], bool]
    with_letters: Callable[[ast.expr], ast.expr]
    own_method_of: Callable[[Box, str], bool]

    # -- items ----------------------------------------------------------------------------------------------

    def item_value(self, node: ast.expr, place: Any) -> Any:
        """What an expression comes to that is put into a container of a place."""
        if (made := self.box_of(node, (place, "inner"))) is not None:
            return made
        if isinstance(node, ast.Tuple) and not any(isinstance(v, ast.Starred) for v in node.elts):
            return tuple([self.item_value(v, (place, i)) for i, v in enumerate(node.elts)])
        return self.held(self.value(node))

    def box_of(self, node: ast.expr, place: Any) -> Box | None:
        """The container that a display, a comprehension or a call makes; None for any other expression."""
        kind = made_by(node)
        if not kind:
            return None
        if isinstance(node, ast.Dict):
            box = self.new_box(dict, place)
            for k, v in zip(node.keys, node.values, strict=True):
                if k is None:
                    self.update(box, self.value(v))
                else:
                    key = self.held(self.value(k))
                    self.put_item(box, key, self.item_value(v, box.place))
            return box
        if (held := held_set(node)) is not None:
            name = self.given(self.program.space, held)
            box = self.new_box(set, place, name if isinstance(node, ast.Constant) else f"{{{{*{name}}}}}")
            for v in held:
                self.key_atom(box, self.constant_of(v))
            return box
        if isinstance(node, ast.Set | ast.List):
            box = self.new_box(set if isinstance(node, ast.Set) else list, place)
            self._add_all(box, node.elts)
            return box
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
            return self._of_comprehension(node, place)
        if isinstance(node, ast.BinOp):
            assert isinstance(node.left, ast.List)
            box = self.new_box(list, place)
            if len(node.left.elts) != 1:
                self._add_all(box, node.left.elts)
                n = self.number(node.right)
                if not self.types_now(n, 1) <= INT:
                    raise Unsupported("a product of a list", self.line)
                return self.new_box(list, place, "{a0} * {a1}", box.atom, n)
            item = self.item_atom(box, self.item_value(node.left.elts[0], box.place))
            n = self.number(node.right)
            if not self.types_now(n, 1) <= INT:
                raise Unsupported("a product of a list", self.line)
            return self.new_box(list, place, "[{a0}] * {a1}", item, n)
        assert isinstance(node, ast.Call)
        return self._of_call(node, place)

    def _of_call(self, node: ast.Call, place: Any) -> Box | None:
        """``dict()``, ``defaultdict(list)``, ``deque(items)`` and their kin."""
        found = self.value(node.func)
        f: Any = found.value if isinstance(found, Static) else None
        if f not in KINDS or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        args = list(node.args)
        factory: Any = f if f in (Counter, OrderedDict) else None
        if f is defaultdict and args:
            made = self.value(args.pop(0))
            factory = made.value if isinstance(made, Static) else object
            if factory is not None and factory not in (float, int, *KINDS) and type(factory) is not FunctionType:
                raise Unsupported("such a defaultdict", self.line)
            self.factories[factory] = made
        if len(args) > 1:
            raise Unsupported("a container made in this way", self.line)
        if args and f in (set, dict) and (value := self.peeked(args[0])[0]) is not None:
            if isinstance(value, Box) and self.contents(value).kind in (dict, f):
                return self._copied_into(f, value, place)
            args = [ast.copy_location(Given(value), args[0])]
        box = self.new_box(KINDS[f], place, factory=factory)
        if args and f is Counter:
            self.count_all(box, args[0])
        elif args:
            self.fill_box(box, args[0])
        return box

    def _copied_into(self, f: Any, other: Box, place: Any) -> Box:
        """``set(box)`` or ``dict(box)``: the order of a set depends on what it was made of."""
        if self.contents(other).factory not in PLAIN:
            raise Unsupported("a copy of a dict with defaults", self.line)
        box = self.new_box(f, place, f"{f.__name__}({{a0}})", other.atom)
        if self.contents(other).kind is f:
            self.join(box.place, other.place)
        elif self.is_read(other, "key"):
            self.expect_keys(box, other)
        return box

    def fill_box(self, box: Box, node: ast.expr) -> None:
        """Put all that an expression gives into a container."""
        value, node = self.peeked(node)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            node = ast.copy_location(Given(self.value(node)), node)
        kind = self.contents(box).kind
        if isinstance(value, Box) and kind in (set, dict) and self.contents(value).kind is kind:
            self.update(box, value)
            return
        if isinstance(value, Box) and kind is set and self.contents(value).kind is dict:
            raise Unsupported("a set that gets the keys of a dict", self.line)
        if isinstance(node, ast.Tuple | ast.List) and kind is not dict:
            self._add_all(box, node.elts)
            return
        each = ast.Name(self.own_name("item"), ast.Load())
        step: ast.expr = Step(box, "add", [each])
        if kind is dict:
            if self.is_mapping(node):
                raise Unsupported("a dict that gets the items of another one", self.line)
            parts: list[ast.expr] = [ast.Subscript(each, ast.Constant(i), ast.Load()) for i in range(2)]
            step = Step(box, "put", parts)
        self.loop_of(each.id, node, ast.Expr(step))

    def is_mapping(self, node: ast.expr) -> bool:
        """Whether an expression that has been read gives a dict."""
        value = node.value if isinstance(node, Given) else None
        if isinstance(value, Box):
            return self.contents(value).kind is dict
        return isinstance(value, Thing) or isinstance(node, ast.Dict | ast.DictComp)

    def count_all(self, box: Box, node: ast.expr) -> None:
        """``Counter(items)``: one more of each of them."""
        node = self.with_letters(self.peeked(node)[1])
        if isinstance(node, ast.Name):
            node = ast.copy_location(Given(self.value(node)), node)
        if self.is_mapping(node) or not isinstance(node, ast.List | ast.Tuple | Given | ast.GeneratorExp):
            raise Unsupported("a counter of something", self.line)
        each = ast.Name(self.own_name("item"), ast.Load())
        self.loop_of(each.id, node, ast.Expr(Step(box, "count", [each])))

    def loop_of(self, name: str, items: ast.expr, step: ast.stmt) -> None:
        """Do a step for each of the items."""
        loop = ast.For(ast.Name(name, ast.Store()), items, [step], [])
        line = self.line
        for n in walk(loop):
            if isinstance(n, ast.stmt | ast.expr) and not hasattr(n, "lineno"):
                n.lineno = line
        self.block([loop])
        self.line = line

    def own_name(self, stem: str) -> str:
        name = self._unused(stem)
        self.scopes[-1].own.add(name)
        return name

    def _add_all(self, box: Box, nodes: Sequence[ast.expr]) -> None:
        if any(isinstance(v, ast.Starred) for v in nodes):
            raise Unsupported("a display of items whose number is not known", self.line)
        for value in [self.item_value(v, box.place) for v in nodes]:  # which may read the container as it was
            self.add(box, value)

    def _of_comprehension(self, node: Any, place: Any) -> Box:
        kind = {ast.ListComp: list, ast.SetComp: set, ast.DictComp: dict}[type(node)]
        box = self.new_box(kind, place)
        if isinstance(node, ast.DictComp):
            elt: ast.expr = ast.Tuple([node.key, node.value], ast.Load())
        else:
            elt = ast.Tuple([node.elt], ast.Load())
        first = node.generators[0]
        first = ast.comprehension(first.target, self.peeked(first.iter)[1], first.ifs, first.is_async)
        listed = ast.copy_location(ast.ListComp(elt, [first, *node.generators[1:]]), node)
        items, generators = self._renamed(listed)
        assert isinstance(items, ast.Tuple)
        step = ast.Expr(Step(box, "put" if kind is dict else "add", items.elts))
        self._run(self.own_name("made"), ast.Constant(0), step, generators)
        return box

    def _value_Step(self, node: Step) -> Static:
        box = node.box
        if node.what == "count":
            key = self.held(self.value(node.parts[0]))
            self.put_item(box, key, self.compute("add", self.item_at(box, key), "1"))
        elif node.what == "put":
            key = self.held(self.value(node.parts[0]))
            self.put_item(box, key, self.item_value(node.parts[1], box.place))
        else:
            self.add(box, self.item_value(node.parts[0], box.place))
        return Static(None)

    def add(self, box: Box, value: Any) -> None:
        """Add an item to a list or a queue, or a member to a set."""
        kind = self.contents(box).kind
        if kind is set:
            self.box_step("{a0}.add({a1})", box.atom, self.key_atom(box, value))
        elif kind is dict:
            raise Unsupported("a dict that something is added to", self.line)
        else:
            self.box_step("{a0}.append({a1})", box.atom, self.item_atom(box, value))

    def put_item(self, box: Box, key: Any, value: Any) -> None:
        """``box[key] = value``; the text is a statement, behind the temporary that gets the item, too."""
        if self.contents(box).kind is dict:
            atom = self.key_atom(box, key)
        elif self.contents(box).kind is set or not isinstance(key, str):
            raise Unsupported("an item of such a container", self.line)
        else:
            atom = key
        self.box_step("{a0}[{a1}] = {a2}", box.atom, atom, self.item_atom(box, value))

    def item_at(self, box: Box, key: Any) -> Any:
        """``box[key]``."""
        contents = self.contents(box)
        if contents.kind is set or (contents.kind is not dict and not isinstance(key, str)):
            raise Unsupported("an item of such a container", self.line)
        if contents.kind is not dict:
            return self.taken_item(box, "{a0}[{a1}]", box.atom, key)
        atom = self.key_atom(box, key)
        if contents.factory in PLAIN:
            return self.taken_item(box, "{a0}[{a1}]", box.atom, atom)
        has = self.box_step("{a1} in {a0}", box.atom, atom, types=BOOLEAN)
        if contents.factory is Counter:
            return self.item_or(box, has, atom, "0")  # which is not kept
        branch, out = Branch(has), self.out
        self.emit(branch)
        self.out = branch.orelse
        with self.perhaps():
            self.put_item(box, key, self._made_by(contents.factory, box))
        self.out = out
        return self.taken_item(box, "{a0}[{a1}]", box.atom, atom)

    def _made_by(self, factory: Any, box: Box) -> Any:
        if factory in (float, int):
            return "0.0" if factory is float else "0"
        if factory in KINDS:
            return self.new_box(KINDS[factory], (box.place, "inner"))
        return self.held(self.call(self.factories[factory], [], {}))

    def item_or(self, box: Box, has: str, key: str, other: Any, text: str = "{a0}[{a1}]") -> Any:
        """The item of a key that a dict has, or something else."""
        is_box = isinstance(self.contents(box).layouts.get("item"), Inner)
        if is_box and (other == () or isinstance(other, Thing | tuple)) and not isinstance(other, Box):
            other = self.new_box(list, (box.place, "inner"))
        if "item" not in self.contents(box).layouts and not (isinstance(other, Static) and other.value is None):
            self.expect(box, "item", other)
        branch, out = Branch(has), self.out
        self.emit(branch)
        self.out = branch.body
        item = self.taken_item(box, text, box.atom, key)
        self.out = out
        return self.one_of([item, other], (branch.body, branch.orelse))

    def contains(self, box: Box | View, value: Any) -> str:
        """``value in box``."""
        if isinstance(box, View) and box.what != "keys":
            raise Unsupported("a search among the values of a dict", self.line)
        box = box.box if isinstance(box, View) else box
        if self.contents(box).kind in (list, tuple):
            return self.of_same("{a1} in {a0}", box, value, BOOLEAN)
        if self.contents(box).kind not in (set, dict):
            raise Unsupported("a search in a list of this kind", self.line)
        return self.box_step("{a1} in {a0}", box.atom, self.key_atom(box, value), types=BOOLEAN)

    def of_same(self, text: str, box: Box, value: Any, types: frozenset[str] = frozenset(), *more: str) -> str:
        """What a list is asked for about what may be one of its items: an object, or numbers and texts."""
        if not is_record(value):
            return self.box_step(text, box.atom, self.sought_atom(box, value), *more, types=types)
        if any(self.own_method_of(value, name) for name in ("__eq__", "__hash__")):
            raise Unsupported("a search for objects whose class says which are equal", self.line)
        return self.box_step(text, box.atom, self.item_atom(box, value), *more, types=types)

    def size_of(self, box: Box | View) -> str:
        box = box.box if isinstance(box, View) else box
        return self.box_step("len({a0})", box.atom, types=INT)

    def update(self, box: Box, other: Any) -> None:
        """``box.update(other)`` for sets and dicts."""
        if (
            self.contents(box).factory is Counter
            or not isinstance(other, Box)
            or self.contents(other).kind is not self.contents(box).kind
        ):
            raise Unsupported("something other than a container of the same kind", self.line)
        self.join(box.place, other.place)
        self.box_step("{a0}.update({a1})", box.atom, other.atom)

    def part_of_box(self, box: Box, node: ast.Slice) -> Box:
        """``box[a:b]``."""
        if self.contents(box).kind is not list:
            raise Unsupported("a slice of such a container", self.line)
        ends, atoms = self.slice_of(node)
        return Box(self.box_step(f"{{a0}}[{':'.join(ends)}]", box.atom, *atoms), box.place)

    def parts_of_box(self, box: Box, targets: Sequence[ast.expr]) -> list[Any]:
        """The items of a list as they are assigned to so many targets; the text gives way if there are others."""
        if self.contents(box).kind not in (list, tuple):
            raise Unsupported("taking such a container apart", self.line)
        n = len(targets)
        starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), n)
        least = n - (starred < n)
        is_other = self.compute("!=" if starred == n else "<", self.size_of(box), str(least))
        self.emit(Branch(is_other, [Fail()]))
        found: list[Any] = [self.taken_item(box, f"{{a0}}[{i}]", box.atom) for i in range(starred)]
        if starred < n:
            rest = n - starred - 1
            found.append(Box(self.box_step(f"{{a0}}[{starred}:{f'-{rest}' if rest else ''}]", box.atom), box.place))
            found += [self.taken_item(box, f"{{a0}}[-{i}]", box.atom) for i in range(rest, 0, -1)]
        return found

    def slice_of(self, node: ast.Slice) -> tuple[list[str], list[str]]:
        """How the ends of a slice are written, as ``{a1}``, ``{a2}`` ... or not at all, and what they are."""
        ends = [None if e is None else self.held(self.number(e)) for e in (node.lower, node.upper, node.step)]
        atoms = [e for e in ends if e is not None]
        places = iter(range(1, 4))
        return ["" if e is None else f"{{a{next(places)}}}" for e in ends], atoms

    def put_slice(self, box: Box, node: ast.Slice, value: Any) -> None:
        """``box[a:b] = value``."""
        if self.contents(box).kind is not list:
            raise Unsupported("an assignment to a slice of such a container", self.line)
        if not isinstance(value, Box) or self.contents(value).kind is not list:
            value, given = self.new_box(list, (box.place, "part")), value
            self.fill_box(value, ast.copy_location(Given(given), node))
        self.join(box.place, value.place)
        ends, atoms = self.slice_of(node)
        self.box_step(f"{{a0}}[{':'.join(ends)}] = {{a{len(atoms) + 1}}}", box.atom, *atoms, value.atom)

    def chosen_box(self, sides: list[Any], blocks: Any) -> Box:
        """Either of two containers, by the side of a branch that is taken."""
        self.join(sides[0].place, sides[1].place)
        var, out = self.fresh("b"), self.out
        for side, self.out in zip(sides, blocks, strict=True):
            self.emit(Set(var, side.atom))
        self.out = out
        return Box(self.compute("copy", var), self.place_of(sides[0].place))


class Step(ast.expr):
    """What is done with a container in a turn of a loop: an item is added, put at a key, or counted."""

    def __init__(self, box: Box, what: str, parts: list[ast.expr]):
        super().__init__()
        self.box, self.what, self.parts = box, what, parts
