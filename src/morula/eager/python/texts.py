"""Numbers that go through text, or through bytes, and come back: ``float(f"{x:.17g}")``, ``eval``, `json`, `pickle`.

What is active and becomes text is remembered. A number that is read from text is one of these if it agrees to nine
digits. One of few digits may stand in a text by chance, so there the text has to say that it is the same.
"""

import ast
import functools
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from morula.eager.containers.parts import parts_of
from morula.eager.context.kinds import ATOMS
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable, describe

Pair = tuple[Any, Any]
ndarray = np.ndarray
PRINTED = 1000  # elements of an array, beyond which NumPy prints no more than its ends
DIGITS = 9
NUMBERS = (float, complex, np.floating, np.complexfloating)


class Texts(Part):
    """What a reverse context remembers of active values that became text."""

    __slots__ = ()

    def tell(self, x: Any, x_d: Any, text: str | None = None) -> Any:
        """`x`, which becomes text; `text`, where it is known."""
        kind = type(x)
        if kind in ATOMS:
            if x_d is not None:
                self.told.append((x, x_d, text))
        elif kind is ndarray:
            if x.size <= PRINTED and (x_d := self.array_shadow(x, x_d)) is not None:
                self.told.append((x, x_d, text))
        elif isinstance(x, list | tuple | dict) and self.any_active((x,), (x_d,), {}, {}):
            self.told.append((x, x_d, text))
        return x

    def tell_elements(self, x: ndarray, x_d: Any) -> None:
        """Every element of an array becomes text of its own."""
        if x.size > PRINTED:
            raise NotDifferentiable(
                f"an active array of more than {PRINTED} elements becomes text; what is read from it could not be told "
                "apart. Make the text from morula.stop_gradient(x)"
            )
        self.tell(x, x_d)

    def text(self, f: Any, x: Any, x_d: Any) -> str:
        """``f(x)``, where `f` is `str`, `repr` or `ascii`."""
        y = f(x)
        self.tell(x, x_d, y)
        return y

    def tell_all(self, args: tuple, ds: tuple, kw: dict, kw_d: dict, text: str | None = None) -> None:
        """The same for the arguments of a call."""
        for a, d in zip(args, ds, strict=True):
            self.tell(a, d, text)
        for k, v in kw.items():
            self.tell(v, kw_d.get(k), text)

    def was_told(self, v: complex, text: str | None = None) -> Pair | None:
        """The active number, with its shadow, that was spelled as `v`; None where there was none.

        Args:
            v: a number that was read.
            text: what it was read from, whole; None where something else says that it is the same.

        Raises:
            NotDifferentiable: it has too few digits to be known by them.
        """
        found = self._same_number(v)
        if found is None or text is None or is_long(v) or any(told == text for _, _, told in self.told):
            return found
        raise NotDifferentiable(
            f"{v!r} is read from text, and an active number with this value was turned into text before; so few "
            "digits do not tell whether it is the same number. Use the number itself, or make the text from "
            "morula.stop_gradient(x)"
        )

    def _same_number(self, v: Any) -> Pair | None:
        if v != v or v in (0.0, float("inf"), float("-inf")):
            return None
        for x, x_d, _ in reversed(self.told):
            for y, place in numbers_in(x, ()):
                if y == v or (type(v) is float and not isinstance(y, complex) and rounded(y) == rounded(v)):
                    pair = (x, x_d)
                    for key in place:
                        pair = self.getitem(*pair, key, None)
                    if pair[0] == y:
                        return v, pair[1]
        return None

    def read_back(self, y: Any, text: str = "") -> Any:
        """The shadow of what was read from a text: a number, an array, a tree of lists, tuples and dicts."""
        kind = type(y)
        if kind is float or kind is complex or kind is np.float64:
            found = self.was_told(y, text)
            return None if found is None else found[1]
        if kind is ndarray and y.dtype.kind in "fc" and y.size <= PRINTED:
            for at in np.ndindex(y.shape):
                found = self.was_told(y[at].item(), "")
                if found is not None and found[1] is not None:
                    self.setitem(y, None, at, *found)
            return self.buffers.find(y)
        if kind is list:
            self.new_list(y, [self.read_back(v, text) for v in y])
        elif kind is dict:
            self.new_dict(y, {k: self.read_back(v, text) for k, v in y.items()})
        elif kind is tuple:
            return self.packed(tuple([self.read_back(v, text) for v in y]))
        return None

    def refuse_read(self, f: Any, y: Any) -> None:
        """Refuse what was read from bytes where something active may have come back with it."""
        leaves = list(leaves_of([x for x, _, _ in self.told], set()))
        for v in leaves_of(y, set()):
            if any(same_leaf(v, x) for x in leaves):
                raise NotDifferentiable(
                    f"{describe(f)} reads back a value that was active when it became bytes, without "
                    "its derivative; to copy, use copy.deepcopy"
                )

    def evaluated_text(self, text: str, names: dict[str, Pair], namespace: dict) -> Pair | None:
        """``eval(text)``, as the function of the active values that the text names or spells; None where it has none.

        Args:
            names: the variables that the text sees beside those of `namespace`, with their shadows.
        """
        text = text.strip()
        tree = ast.parse(text, mode="eval")
        spelled = Spelled(self, text)
        tree.body = spelled.visit(tree.body)
        used = {n.id for n in ast.walk(tree.body) if isinstance(n, ast.Name)} & names.keys()
        given = {n: names[n] for n in sorted(used)} | spelled.found
        if not any(self.any_active((v,), (d,), {}, {}) for v, d in given.values()):
            return None
        parameters = [ast.arg(n) for n in given]
        made = ast.Expression(ast.Lambda(ast.arguments([], parameters, None, [], [], None, []), tree.body))
        f = eval(_compiled(ast.unparse(made)), namespace)
        assert isinstance(f, FunctionType)
        return self.call(f, tuple([v for v, _ in given.values()]), tuple([d for _, d in given.values()]))


@functools.lru_cache(maxsize=512)
def _compiled(text: str) -> CodeType:
    """The code of an expression: the same for the same text, so that it is transformed once."""
    return compile(text, "<string>", "eval")


class Spelled(ast.NodeTransformer):
    """Puts names for the numbers of a text that active ones were spelled as.

    Attributes:
        found: the names, with value and shadow.
    """

    def __init__(self, ctx: Context, text: str):
        self.ctx = ctx
        self.text = text
        self.found: dict[str, Pair] = {}

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            v = node.operand.value
            return self._name(node, -v) if isinstance(v, float) else node
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self._name(node, node.value) if isinstance(node.value, float) else node

    def _name(self, node: ast.expr, v: float) -> ast.AST:
        within = self._is_within(node)
        if not within and not is_long(v) and self._is_elsewhere(v):
            return node
        pair = self.ctx.was_told(v, None if within else "")
        if pair is None:
            return node
        name = f"_spelled_{len(self.found)}"
        self.found[name] = pair
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _is_elsewhere(self, v: float) -> bool:
        """Whether all that was spelled as `v` is known to stand in parts of the text."""
        told = [text for x, _, text in self.ctx.told if any(y == v for y, _ in numbers_in(x, ()))]
        return bool(told) and all(text and 0 < self.text.count(text) <= told.count(text) for text in told)

    def _is_within(self, node: ast.expr) -> bool:
        """Whether a number stands in a part of the text that is known to be spelled, and does not occur otherwise."""
        if node.end_lineno != 1:
            return False
        pieces = [p for _, _, p in self.ctx.told if p]
        for piece in set(pieces):
            at = self.text.find(piece)
            while at >= 0:
                if at <= node.col_offset and (node.end_col_offset or 0) <= at + len(piece):
                    return self.text.count(piece) <= pieces.count(piece)
                at = self.text.find(piece, at + 1)
        return False


def holds_text(x: Any) -> bool:
    """Whether an array that is made of `x` reads numbers from text."""
    if type(x) in (list, tuple):
        return any(map(holds_text, x))
    return isinstance(x, str | bytes) or (isinstance(x, ndarray) and x.dtype.kind in "US")


def rounded(v: Any) -> str:
    return f"{float(v):.{DIGITS - 1}e}"


def is_long(v: Any) -> bool:
    """Whether a number has so many digits that another one is not the same by chance."""
    if isinstance(v, complex):
        return is_long(v.real) or is_long(v.imag)
    return len(repr(float(v)).partition("e")[0].replace(".", "").lstrip("-0")) > DIGITS


def numbers_in(x: Any, place: tuple) -> Iterator[tuple[Any, tuple]]:
    """The numbers that the text of `x` would show, and the keys that lead to each."""
    if isinstance(x, NUMBERS):
        yield x, place
    elif isinstance(x, ndarray):
        if x.dtype.kind in "fc":
            for at in np.ndindex(x.shape):
                yield x[at].item(), (*place, at)
    elif isinstance(x, list | tuple):
        for i, v in enumerate(x):
            yield from numbers_in(v, (*place, i))
    elif type(x) is dict:
        for k, v in x.items():
            yield from numbers_in(v, (*place, k))


def leaves_of(x: Any, seen: set[int]) -> Iterator[Any]:
    """The numbers and arrays in `x`, at any depth."""
    if isinstance(x, (*NUMBERS, ndarray)):
        yield x
    elif id(x) not in seen:
        seen.add(id(x))
        for part in parts_of(x):
            yield from leaves_of(part, seen)


def same_leaf(a: Any, b: Any) -> bool:
    return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == b)) and bool(np.any(np.asarray(a)))
