"""Calls of SciPy's and NumPy's own Python code inside a static adjoint, which the eager tier follows each time.

For what no rule answers at once, such as splines through data, filters that are made of others, and statistics: one
line of a program that needs them does not cost the other lines their speed. An object that a library makes, such as a
spline, is the expression that made it, until something is asked of it that is a number or an array.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from chainrules import ZeroTangent
from morula.eager.context.run import Run
from morula.static.python.ir import Unsupported, is_name
from morula.static.python.library_objects import LibraryObjects
from morula.static.python.ndarrays import function_name
from morula.static.python.ruled_calls import DRAWING, WRITING, Slot, is_ruled
from morula.static.python.ruled_values import Parts, form_of
from morula.static.python.scopes import Array, ListOf, Single, Static

__all__ = ["FollowedCalls", "Made", "is_followed"]

LIBRARIES = ("scipy.", "numpy.polynomial")
CALLABLES = (FunctionType, BuiltinFunctionType, MethodType, np.ufunc)
NUMBERS = (float, np.float64)


class Made:
    """An object that a library makes: the text of the expression, its operands, and the loops around it.

    Something is asked of it once: it would be made each time.
    """

    def __init__(self, text: str, operands: list[Any], around: Any):
        self.text, self.operands, self.around = text, operands, around
        self.is_spent = False


class Followed:
    """The rule of an expression: its value, and the way back over it, by the eager tier.

    Attributes:
        active: the places of the operands that have derivatives.
    """

    def __init__(self, f: Callable, active: tuple[int, ...]):
        self.f, self.active = f, active

    def __call__(self, *xs: Any) -> tuple[Any, Callable]:
        run = Run(self.f, xs, {}, active=self.active, fresh=True)
        y = run.y
        has_no_axes = type(y) is np.ndarray and y.ndim == 0

        def pullback(y_bar: Any) -> tuple:
            bars = run.gradients(np.asarray(y_bar) if has_no_axes else y_bar)[1:]
            return tuple([ZeroTangent() if bar is None else bar for bar in bars])

        return y[()] if has_no_axes else y, pullback


class FollowedCalls(LibraryObjects):
    """The part of a `front.Builder` that reads such calls."""

    share: Callable[[Any], None]
    around: Any
    viewed: set[str]
    key: Callable[[ast.expr], Any]

    def followed_call(self, callee: Static, args: list, named: dict[str, Any]) -> Any:
        """A call of a function or of a class."""
        f = callee.value
        operands: list[Any] = []
        where = self.given(self.program.space, f)
        return self._answered(f"{where}({self._given_texts(f, args, named, operands)})", operands, f)

    def made_method(self, owner: Made, name: str, args: list, named: dict[str, Any]) -> Any:
        """A call of a method of an object that was made; an empty name is the object's own call."""
        self._spend(owner)
        operands = list(owner.operands)
        given = self._given_texts(None, args, named, operands)
        return self._answered(f"{owner.text}{'.' * bool(name)}{name}({given})", operands, name or "an object")

    def _spend(self, owner: Made) -> None:
        if owner.is_spent or owner.around != self.around:
            raise Unsupported("an object of a library that is asked for several things", self.line)
        owner.is_spent = True

    def made_attribute(self, owner: Made, name: str) -> Any:
        self._spend(owner)
        return self._answered(f"{owner.text}.{name}", list(owner.operands), name)

    def made_item(self, owner: Made, node: ast.expr) -> Any:
        """``made[i]``, of a result that has fields."""
        i = self.key(node)
        if type(i) is not int:
            raise Unsupported("an item of an object of a library", self.line)
        self._spend(owner)
        return self._answered(f"{owner.text}[{i}]", list(owner.operands), "an object")

    def _given_texts(self, f: Any, args: list, named: dict[str, Any], operands: list[Any]) -> str:
        """The arguments of a call as they are written, with places for operands, which are added to those there are."""
        texts = [self._text_of(v, operands) for v in args]
        for name, value in named.items():
            if name in DRAWING or (name.startswith(WRITING) and self.constant(value) not in (False, None)):
                raise Unsupported(f"a call to {function_name(f)} that writes, or draws at random", self.line)
            texts.append(f"{name}={self._text_of(value, operands)}")
        return ", ".join(texts)

    def _text_of(self, value: Any, operands: list[Any]) -> str:
        if isinstance(value, Static) and isinstance(value.value, CALLABLES):
            raise Unsupported("a function that is given to a library", self.line)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Array | ListOf):  # an object may keep it, and see what is written into it
                self.share(part.origins)
            if self.is_wanted(part):
                raise Unsupported("an integer that is differentiated by, and given to a library", self.line)
        return self._taken(value, operands)[0]

    def _answered(self, text: str, operands: list[Any], f: Any) -> Any:
        """What an expression gives: a number, an array or several of them, or an object that stays an expression."""
        if self.program.verb not in ("gradient", "pullback"):
            raise Unsupported(f"a call to {function_name(f)}, which has a rule or belongs to a library", self.line)
        names = [f"x{i}" for i in range(len(operands))]
        body = text.format(**{f"a{i}": name for i, name in enumerate(names)})
        space = {k: v for k, v in self.program.space.items() if re.search(rf"\b{k}\b", body)}
        run = eval(compile(f"lambda {', '.join(names)}: {body}", "<a call of a library>", "eval"), space)
        y = self.tried(run, operands)
        if not _is_value(y):
            if type(y).__module__.partition(".")[0] not in ("scipy", "numpy") or isinstance(y, np.ndarray | np.generic):
                raise Unsupported(
                    f"a call to {function_name(f)} that gives something other than real numbers", self.line
                )
            self.viewed.update([x.of or x.atom for x in operands if isinstance(x, Array)])  # which it may keep
            return Made(text, operands, self.around)
        active = tuple([i for i, x in enumerate(operands) if self._may_move(x if isinstance(x, str) else x.atom)])
        if not active:
            if isinstance(y, tuple):
                raise Unsupported(f"a call to {function_name(f)} of constants", self.line)
            plain = f"alike({text}, {self.given(self.program.space, form_of(y))})"
            return self.made(run, plain, operands, lambda shape: (None,) * len(operands))
        if isinstance(y, np.ndarray) and not y.ndim:
            return Single(self._answered_at_once(run, active, y[()], operands, f"{text}[()]"))
        return self._answered_at_once(run, active, y, operands, text)

    def _answered_at_once(self, run: Callable, active: tuple[int, ...], y: Any, operands: list, text: str) -> Any:
        slots = [Slot(i) for i in range(len(operands))]
        return self._by_rule(Followed(run, active), y, slots, operands, [f"{{a{i}}}" for i in slots], text)

    def _may_move(self, atom: str) -> bool:
        """Whether an atom may depend on what the program is differentiated by."""
        seen: set[str] = set()
        open_ones = [atom]
        moving = {name for given in self.program.sources() for name in (given.name, given.array) if name}
        while open_ones:
            name = open_ones.pop()
            if not is_name(name) or name in seen:
                continue
            seen.add(name)
            if name in moving:
                return True
            s = self.computed.get(name)
            if s is not None:
                open_ones += s.args
            elif all(given.name != name and given.array != name for given in self.program.inputs):
                return True  # a variable, which may hold anything
        return False


def _is_value(y: Any) -> bool:
    """Whether a result is a real number, an array of them, or a tuple in which some is."""
    form = form_of(y)
    if type(form) is Parts:
        return type(y) is tuple and any(_is_value(v) for v in y if not isinstance(v, tuple))
    is_array = type(y) is np.ndarray and y.dtype == np.float64 and math.prod(y.shape) > 0
    return is_array or type(y) in NUMBERS


def is_followed(f: Any) -> bool:
    """Whether a function or a class is Python code of a library's, which no rule answers at once."""
    if not isinstance(f, FunctionType | type) or not (f.__module__ or "").startswith(LIBRARIES):
        return False
    return not is_ruled(f) and (isinstance(f, FunctionType) or not issubclass(f, BaseException))
