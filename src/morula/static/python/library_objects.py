"""Objects of SciPy's that a program reads from outside, such as sparse matrices and splines: constants that are called.

A call with them is what its shortcut makes of it (see `chainrules.shortcut`), each time anew: what an object holds may
change between two runs, but not inside one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

import chainrules
from morula.eager.calls.meanings import meaning_of
from morula.eager.context.kinds import module_of
from morula.static.python.distributions import Distributions
from morula.static.python.ir import Unsupported
from morula.static.python.ndarrays import function_name
from morula.static.python.plain_classes import dataclass
from morula.static.python.ruled_calls import filled
from morula.static.python.scopes import Static
from morula.static.python.things import Bound

__all__ = ["Fixed", "LibraryObjects", "is_library_object"]

CALLED = ("__matmul__", "__call__")


@dataclass(frozen=True)
class Fixed:
    """An object of SciPy's, and the text that stands for it."""

    value: Any
    where: str


class Shortened:
    """The rule of what a call comes to, as a rule of the call.

    Attributes:
        short: the shortcut.
        f: what it makes of such a call.
        places: where arguments of the call stand among those of `f`.
    """

    def __init__(self, short: Callable, f: Any, rule: Callable, places: dict[int, int]):
        self.short, self.f, self.rule, self.places = short, f, rule, places

    def __call__(self, *args: Any) -> tuple[Any, Callable]:
        f, given = self.short(*args)
        if f is not self.f or any(given[k] is not args[i] for i, k in self.places.items()):
            raise ValueError
        y, pullback = self.rule(*given)

        def pulled(y_bar: Any) -> tuple:
            bars = pullback(y_bar)
            return tuple([bars[self.places[i]] if i in self.places else None for i in range(len(args))])

        return y, pulled


class LibraryObjects(Distributions):
    """The part of a `front.Builder` that knows such objects."""

    def library_object(self, read: str, value: Any) -> Fixed:
        """An object from outside."""
        where = self._called_here(read)
        self.guard(f"type({where}) is {self.given(self.program.space, type(value))} and is_still({where})")
        self.program.fixed.add(where)
        return Fixed(value, where)

    def library_attribute(self, owner: Fixed, name: str) -> Any:
        """A method, or the transpose of a matrix."""
        if name == "T" and isinstance(getattr(type(owner.value), "T", None), property):
            return Fixed(owner.value.T, f"{owner.where}.T")
        return self._method_of(owner, name)

    def _method_of(self, owner: Fixed, name: str) -> Bound:
        kind = type(owner.value)
        raw = getattr(kind, name, None)
        if type(raw) is not FunctionType or chainrules.shortcut_of(raw) is None or name in vars(owner.value):
            raise Unsupported(f"{name!r} of a {kind.__qualname__}", self.line)
        self.guard(f"{self.given(self.program.space, kind)}.{name} is {self.given(self.program.space, raw)}")
        return Bound(Static(raw), owner)

    def called_object(self, callee: Fixed) -> Bound:
        return self._method_of(callee, "__call__")

    def library_operator(self, operator: ast.operator, left: Any, right: Any) -> Any:
        """``A @ x`` or ``x @ A``."""
        if not isinstance(operator, ast.MatMult) or (isinstance(left, Fixed) and isinstance(right, Fixed)):
            raise Unsupported("an operator of objects of SciPy's", self.line)
        owner, x, name = (left, right, "__matmul__") if isinstance(left, Fixed) else (right, left, "__rmatmul__")
        return self.by_shortcut(self._method_of(owner, name), [x], {})

    def by_shortcut(self, callee: Bound, args: list, named: dict[str, Any]) -> Any:
        """A call of a method of such an object."""
        f: Any = callee.function.value
        meaning = meaning_of(f)
        if meaning.rules or meaning.adjoint or meaning.handler:
            raise Unsupported(f"a call to {function_name(f)}, which has a rule", self.line)
        if named or self.program.verb not in ("gradient", "pullback") or any(map(self.is_wanted, args)):
            raise Unsupported(f"a call to {function_name(f)} with these arguments", self.line)
        operands: list[Any] = []
        taken = [(callee.owner.where, callee.owner.value), *[self._taken(a, operands) for a in args]]
        given, texts = [v for _, v in taken], [text for text, _ in taken]
        short: Any = chainrules.shortcut_of(f)

        def shortened(*xs: Any) -> Any:
            own = filled(given, xs)
            found = short(*own)
            if found is None:
                return None
            places = {i: k for i, x in enumerate(own) for k, y in enumerate(found[1]) if y is x and given[i] is not x}
            return found[0], places

        found = self.tried(shortened, operands)
        if found is None or len(found[1]) != len(operands):
            raise Unsupported(f"a call to {function_name(f)} with these arguments", self.line)
        g, places = found
        (rule,) = meaning_of(g).rules
        run = Shortened(short, g, rule.function, places)
        y = self.tried(lambda *xs: run(*filled(given, xs))[0], operands)
        plain = f"{self.given(self.program.space, f)}({', '.join(texts)})"
        return self._by_rule(run, y, given, operands, texts, plain)


def is_library_object(value: Any) -> bool:
    """Whether calls with an object have shortcuts."""
    kind = type(value)
    if not module_of(kind).startswith("scipy."):
        return False
    return any(chainrules.shortcut_of(getattr(kind, name, None)) is not None for name in CALLED)
