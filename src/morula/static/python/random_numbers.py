"""Random numbers of generators: of those that a program makes of a seed, and of those of the modules.

A generator that the program makes of a seed gives the same numbers each time. The text makes one, too, and draws at the
same places; nobody else has it, so that the eager tier may begin anew. What others see is put back (see `draws`).
"""

from __future__ import annotations

import ast
import functools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.static.python.comprehensions import Comprehensions, Given
from morula.static.python.draws import OF_NUMPY
from morula.static.python.forms import Form
from morula.static.python.ir import Branch, Fail, Program, Unsupported, is_name
from morula.static.python.scopes import Array, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.types import INT

__all__ = ["SEEDED", "Drawer", "RandomNumbers", "arguments_by_name"]

SEEDED: dict[Any, dict[str, int]] = {  # what they draw: floats, by so many numbers at most; -1: by a shape
    np.random.default_rng: {"normal": 2, "standard_normal": 0, "uniform": 2, "random": 0, "exponential": 1,
                            "standard_exponential": 0},
    np.random.RandomState: {
        "normal": 2, "standard_normal": 0, "uniform": 2, "random": 0, "random_sample": 0, "exponential": 1,
        "standard_exponential": 0, "randn": -1, "rand": -1,
    },
    random.Random: {"gauss": 2, "normalvariate": 2, "uniform": 2, "random": 0, "expovariate": 1},
}  # fmt: skip
OF_INTEGERS: dict[Any, dict[str, str]] = {  # what they draw between two numbers, or below one, and its type
    np.random.default_rng: {"integers": "np.int64"}, np.random.RandomState: {"randint": "int"},
    random.Random: {"randint": "int", "randrange": "int"},
}  # fmt: skip


PARAMETERS: dict[str, dict[str, str]] = {
    "normal": {"loc": "0.0", "scale": "1.0"}, "uniform": {"low": "0.0", "high": "1.0"}, "exponential": {"scale": "1.0"},
}  # fmt: skip
_OF_GENERATOR = {"normal": "standard_normal", "uniform": "random", "exponential": "standard_exponential"}
STRETCHED = {  # what they draw by the numbers of a distribution without parameters
    name: {np.random.default_rng: own, np.random.RandomState: own} for name, own in _OF_GENERATOR.items()
}

OF_PYTHON: dict[str, tuple[str, tuple[float, ...]]] = {
    "gauss": ("gauss", (0.0, 1.0)), "normalvariate": ("normalvariate", (0.0, 1.0)), "uniform": ("random", ()),
}  # fmt: skip


@functools.cache
def is_stretched(made_by: Any, name: str, own: str) -> bool:
    """Whether here such draws are the others, moved and stretched by what Python computes, to the last bit.

    >>> is_stretched(np.random.default_rng, "normal", "standard_normal")
    True
    """
    one, other = made_by(1), made_by(1)
    for low, width in np.exp(made_by(2).normal(size=(64, 2))).tolist():
        given = {"exponential": (width,), "uniform": (low, low + width)}.get(name, (low, width))
        low, width = (0.0 if name == "exponential" else low), given[-1] - low if name == "uniform" else width
        for size, spread in ((None, given), (5, given), (5, [np.full(5, v) for v in given])):
            drawn = getattr(one, name)(*spread, size=size)
            if not np.array_equal(drawn, low + width * getattr(other, own)(size=size)):
                return False
    return True


def arguments_by_name(names: Sequence[str], node: ast.Call) -> dict[str, ast.expr] | None:
    """The arguments of a call by the names of its parameters, in the order in which the program works them out; None
    where they do not fit these.
    """
    nodes = dict(zip(names, node.args, strict=False)) | {str(k.arg): k.value for k in node.keywords}
    is_fit = len(nodes) == len(node.args) + len(node.keywords) and nodes.keys() <= set(names)
    return nodes if is_fit and not any(isinstance(a, ast.Starred) for a in node.args) else None


class Drawer:
    """A generator of random numbers that the program makes: the atom that has it, and what made it."""

    def __init__(self, atom: str, made_by: Any):
        self.atom, self.made_by = atom, made_by


class RandomNumbers(Comprehensions):
    """The part of a `front.Builder` that draws them."""

    program: Program
    sub: Any
    defining: int
    integer: Callable[[ast.expr], int | None]
    number_of: Callable[[str], Any]
    float_of: Callable[[str], Any]
    is_wanted: Callable[[Any], bool]
    held: Callable[[Any], Any]
    types_now: Callable[..., frozenset[str]]
    as_array: Callable[[Any], Array]
    new_array: Callable[[Any], Any]
    _called_as: Callable[..., Any]
    _placed: Callable[[list[Any], ast.AST], list[Any]]
    given: Callable[[dict[str, Any], Any], str]
    made: Callable[..., Any]
    allowed: Callable[[Any], None]
    drawn: Callable[[Drawer, str, ast.Call], Any]

    def seeded(self, f: Any, node: ast.Call) -> Drawer:
        """A generator that the program makes of a seed."""
        return Drawer(self._begun_by_seed(f, node), f)

    def _begun_by_seed(self, f: Any, node: ast.Call) -> str:
        """A call of `f` with an integer for a seed."""
        nodes = [*node.args, *[k.value for k in node.keywords if k.arg == "seed"]]
        seed = self.held(self.value(nodes[0])) if len(nodes) == 1 == len(node.args) + len(node.keywords) else None
        is_free = self.sub is None and not self.defining and not has_own_rule(f)
        if not isinstance(seed, str) or not self.types_now(seed, 1) <= INT or not is_free:
            raise Unsupported("a generator of random numbers without a seed that is an integer", self.line)
        if is_name(seed):
            self.emit(Branch(self.compute("<", seed, "0"), [Fail()]))  # where NumPy raises
        text = f"{self.given(self.program.space, f)}({'seed=' if node.keywords else ''}{{a0}})"
        return self.compute("numpy", seed, f=Form(text, frozenset(), (None,), is_drawn=True))

    def of_shared(self, f: Any, generator: Any, node: ast.Call) -> Any:
        """A call of a function of the module `random` or of `numpy.random`."""
        self.allowed(f)
        if self.program.weighted or self.program.verb != "gradient":  # which may run several times, or once more
            raise Unsupported("random numbers of a generator that others draw from, too", self.line)
        if generator not in self.program.draws_from:
            self.program.draws_from.append(generator)
        where = self.given(self.program.space, generator)
        made_by = np.random.RandomState if generator is OF_NUMPY else random.Random
        if f.__name__ != "seed":
            return self.drawn(Drawer(where, made_by), f.__name__, node)
        self._begun_by_seed(f, node)
        return Static(None)

    def _drawn_integers(self, drawer: Drawer, name: str, node: ast.Call) -> Any:
        """An integer that is drawn, or an array of them."""
        ends = [self.integer(a) for a in node.args]
        size = [self._written_out(k.value) for k in node.keywords if k.arg == "size"]
        shape = size[0] if size and isinstance(size[0], tuple) else tuple(size)
        is_fit = 0 < len(ends) <= 2 and len(size) == len(node.keywords) <= (drawer.made_by is not random.Random)
        if not is_fit or not all(type(k) is int for k in (*ends, *shape)):
            raise Unsupported(f"a call to {name!r} of a generator of random numbers that does not fit", self.line)
        sized = f", size={shape!r}" if shape else ""
        text = f"{drawer.atom}.{name}({', '.join(map(repr, ends))}{sized})"
        if shape:
            return self.made(lambda: np.zeros(shape, int), text, [], lambda _: (), is_drawn=True)
        return self.drawn_number(text, OF_INTEGERS[drawer.made_by][name])

    def drawn_number(self, text: str, kind: str, *operands: str) -> str:
        """One number that is drawn; with one of NumPy's integers derivatives are NumPy's, too."""
        self.program.makes_float |= kind == "np.int64"
        form = Form(text, frozenset([kind]), (None,) * len(operands), is_drawn=True)
        return self.compute("numpy", *operands, f=form)

    def drawn_of_distribution(self, drawer: Drawer, name: str, node: ast.Call) -> Any:
        """A number or an array that is drawn."""
        if name in OF_INTEGERS[drawer.made_by] and self.sub is None and not self.defining:
            return self._drawn_integers(drawer, name, node)
        known = SEEDED[drawer.made_by]
        if (found := self._stretched(drawer, name, node)) is not None:
            return found
        args = [self._written_out(a) for a in node.args]
        size = [self._written_out(k.value) for k in node.keywords if k.arg == "size"]
        if name not in known or len(size) < len(node.keywords) or self.sub is not None or self.defining:
            raise Unsupported(f"the method {name!r} of a generator of random numbers", self.line)
        n = known[name]
        if len(args) == n + 1 and n >= 0 and not size and drawer.made_by is not random.Random:
            size, args = [args[-1]], args[:-1]
        return self._drawn_by_known(drawer, name, args, size)

    def _drawn_by_known(self, drawer: Drawer, name: str, args: list, size: list) -> Any:
        """A draw by numbers that are known; `size` has at most one thing."""
        n = SEEDED[drawer.made_by][name]
        shape = tuple(args) if n < 0 else size[0] if size else ()
        shape = shape if isinstance(shape, tuple) else (shape,)
        is_fit = len(args) <= n if n >= 0 else not size
        is_fit &= size != [()]  # which is an array without axes
        if not is_fit or not all(type(k) is int and k > 0 for k in shape):
            raise Unsupported(f"a call to {name!r} of a generator of random numbers that does not fit", self.line)
        numbers = ", ".join(map(repr, shape if n < 0 else args))
        sized = f"{', ' * bool(numbers)}size={shape!r}" if shape and n >= 0 else ""
        text = f"{drawer.atom}.{name}({numbers}{sized})"
        if not shape:
            return self.compute("numpy", f=Form(text, frozenset(["float"]), (), is_drawn=True))
        return self.made(lambda: np.zeros(shape), text, [], lambda _: (), is_drawn=True)

    def _stretched(self, drawer: Drawer, name: str, node: ast.Call) -> Any:
        """A draw whose parameters are computed: one without parameters, moved and stretched; None for any other."""
        if drawer.made_by is random.Random:
            return self._as_python_does(drawer, name, node)
        own = STRETCHED.get(name, {}).get(drawer.made_by)
        if own is None or self.sub is not None or self.defining or not is_stretched(drawer.made_by, name, own):
            return None
        nodes = arguments_by_name((*PARAMETERS[name], "size"), node)
        if nodes is None or not nodes.keys() - {"size"}:
            return None
        sized = nodes.pop("size", None)
        given = PARAMETERS[name] | {k: self.held(self.value(n)) for k, n in nodes.items()}  # once: it may be a property
        size = [] if sized is None else [self._written_out(sized)]
        if None not in (numbers := [self._known_number(v) for v in given.values()]):
            return self._drawn_by_known(drawer, name, numbers, size)
        given = {k: v if isinstance(v, str) else self.as_array(v) for k, v in given.items()}
        shapes = [v.shape for v in given.values() if isinstance(v, Array)]
        is_fit = all(isinstance(v, str) or v.dtype == np.float64 for v in given.values())
        if not is_fit or any(map(self.is_wanted, given.values())):
            raise Unsupported("random numbers of a distribution of something other than numbers", self.line)
        try:
            shape: Any = np.broadcast_shapes(*shapes)
            if size and shape and np.broadcast_shapes(shape, *size) != np.broadcast_shapes(*size):
                raise ValueError
        except ValueError:
            raise Unsupported("random numbers of a shape that is not that of their distributions", self.line) from None
        if shape and not size:
            size = [shape]
        low, width = given.get("low", given.get("loc", "0.0")), given.get("scale", "")
        if not width:
            width = self._worked_out(ast.BinOp(Given(given["high"]), ast.Sub(), Given(low)), node)
        for least in (np.min, np.max):  # where NumPy may raise
            end = width if isinstance(width, str) else self._called_as(least, node, [Given(width)])
            asked = ("0.0", end) if least is np.min else (end, "inf")
            self.emit(Branch(self.compute("<", *asked), [], [Fail()]))
        drawn = self._drawn_by_known(drawer, own, [], size)
        y = ast.BinOp(Given(low), ast.Add(), ast.BinOp(Given(width), ast.Mult(), Given(drawn)))
        return self._called_as(float, node, [y]) if isinstance(drawn, str) else self._worked_out(y, node)

    def _worked_out(self, e: ast.expr, node: ast.Call) -> Any:
        return self.value(self._placed([e], node)[0])

    def _as_python_does(self, drawer: Drawer, name: str, node: ast.Call) -> Any:
        """``random.gauss(mu, sigma)`` and its kin, which the module writes as ``mu + z * sigma``."""
        own, fixed = OF_PYTHON.get(name, ("", ()))
        is_fit = len(node.args) == 2 and not node.keywords and self.sub is None and not self.defining
        if not own or not is_fit:
            return None
        one, other = (self.held(self.value(n)) for n in node.args)
        if None not in (numbers := [self._known_number(v) for v in (one, other)]):
            return self._drawn_by_known(drawer, name, numbers, [])
        if not isinstance(one, str) or not isinstance(other, str) or self.is_wanted(one) or self.is_wanted(other):
            raise Unsupported("random numbers of a distribution of something other than numbers", self.line)
        z = Given(self._drawn_by_known(drawer, own, list(fixed), []))
        if name == "uniform":
            moved: ast.expr = ast.BinOp(ast.BinOp(Given(other), ast.Sub(), Given(one)), ast.Mult(), z)
        else:
            moved = ast.BinOp(z, ast.Mult(), Given(other))
        return self._worked_out(ast.BinOp(Given(one), ast.Add(), moved), node)

    def _known_number(self, value: Any) -> Any:
        """The number that something is; None where it depends, or may have a derivative."""
        found = self.float_of(value) if isinstance(value, str) and not self.is_wanted(value) else None
        return found if type(found) in (int, float) else None

    def _written_out(self, node: ast.expr) -> Any:
        """A number or a tuple of numbers that is written out, or known."""
        if (found := self.integer(node)) is not None:
            return found
        if isinstance(node, ast.Tuple):
            return tuple(map(self._written_out, node.elts))
        try:
            found = ast.literal_eval(node)
        except ValueError:
            found = self._known_number(self.value(node))
        if type(found) not in (int, float):
            raise Unsupported("random numbers of a distribution that is not written out", self.line)
        return found
