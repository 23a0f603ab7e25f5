"""Calls of SciPy's and NumPy's own Python code inside a static adjoint, which the eager tier follows each time.

For what no rule answers at once, such as splines through data, filters that are made of others, and statistics: one
line of a program that needs them does not cost the other lines their speed. An object that a library makes, such as a
spline, is the expression that made it, until something is asked of it that is a number or an array.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections import Counter
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from chainrules import ZeroTangent, program_of
from morula.eager.context.kinds import module_of
from morula.eager.context.run import Run
from morula.static.python.computing import draws
from morula.static.python.given_functions import GivenFunctions
from morula.static.python.ir import Again, Loop, Unsupported, is_name, walk
from morula.static.python.ndarrays import function_name
from morula.static.python.ruled_calls import DRAWING, WRITING, Slot, is_ruled
from morula.static.python.ruled_values import Parts, form_of
from morula.static.python.scopes import Array, ListOf, Single, Static
from morula.static.python.solving import solved_at_once
from morula.static.python.things import Bound, Partial

__all__ = ["FollowedCalls", "Made", "is_followed"]

LIBRARIES = ("scipy.", "numpy.polynomial")
NUMBERS = (float, np.float64)
LASTING = ("scipy.interpolate", "scipy.stats", "scipy.spatial", "numpy.polynomial")  # objects that methods only ask
ATTEMPTS = 5  # in a row to have derivatives in one step, after which that is given up
LATER = "later"  # what is not known as an object is made
INTEGER = frozenset(["int"])
PRINTING = frozenset(["disp", "iprint", "print_message", "printmessg", "verbose"])  # parameters that tell to print


class Expression:
    """Calls of a library's, one inside the other.

    Attributes:
        text: with places for operands.
        operands: numbers and arrays.
        reads: where functions in it are read, or their global names, and what is there, by their names in the text.
        callee: the name of the function that is called first.
    """

    def __init__(self, before: Expression | None = None):
        self.text: str = "" if before is None else before.text
        self.operands: list[Any] = [] if before is None else list(before.operands)
        self.reads: dict[str, tuple[str, Any]] = {} if before is None else dict(before.reads)
        self.callee: str = "" if before is None else before.callee


class Made:
    """An object that a library makes: the expression that made it, and the loops around it.

    Attributes:
        value: what it is of samples.
        place: in the source.
        asked: the one thing that was asked of it, for which it is made there, and whether that has no axes.
        answers: where several things are asked, what they are: all are found as it is made.
    """

    def __init__(self, made_by: Expression, value: Any, around: Any, place: Any):
        self.made_by, self.value, self.around, self.place = made_by, value, around, place
        self.asked, self.is_single = "", False
        self.answers: dict[str, Any] = {}


class Followed:
    """The rule of an expression: its value, and the way back over it, by the eager tier.

    Attributes:
        names: what stands in its code for the objects that it is given first.
        callee: the name of the function that is called first.
        active: the places of the operands that have derivatives.
    """

    is_followed = True

    def __init__(self, code: CodeType, space: dict[str, Any], names: tuple[str, ...], callee: str):
        self.code, self.space, self.names, self.callee = code, space, names, callee
        self.active: tuple[int, ...] = ()
        self.program = program_of(space[callee])
        self.attempts = ATTEMPTS

    def plain(self, given: tuple, **instead: Any) -> FunctionType:
        """The function of the operands; `instead` are things in the places of others."""
        return FunctionType(self.code, {**self.space, **dict(zip(self.names, given, strict=True)), **instead})

    def __call__(self, given: tuple, *xs: Any) -> tuple[Any, Callable]:
        if not self.active:
            return self.plain(given)(*xs), lambda y_bar: (None,) * (1 + len(xs))
        if self.program is not None and self.attempts:
            found = solved_at_once(lambda f: self.plain(given, **{self.callee: f}), self.program, xs, self.active)
            if found is not None:
                self.attempts = ATTEMPTS
                return found
            self.attempts -= 1
        run = Run(self.plain(given), xs, {}, active=self.active, fresh=True)
        y = run.y
        has_no_axes = type(y) is np.ndarray and y.ndim == 0

        def pullback(y_bar: Any) -> tuple:
            bars = run.gradients(np.asarray(y_bar) if has_no_axes else y_bar)[1:]
            return (None, *[ZeroTangent() if bar is None else bar for bar in bars])

        return y[()] if has_no_axes else y, pullback


class FollowedCalls(GivenFunctions):
    """The part of a `front.Builder` that reads such calls."""

    around: Any
    viewed: set[str]
    key: Callable[[ast.expr], Any]
    asked: Counter[Any]
    in_tuple: Callable[[Any], Any]
    wants_structures: Callable[[], bool]
    values_found: dict[Any, Any]  # of expressions that call back, by their places in the source, in all attempts
    parts_asked: dict[Any, dict[str, bool]]  # of an object, by its place in the source, and whether they have no axes

    def followed_call(self, callee: Static, args: list, named: dict[str, Any]) -> Any:
        """A call of a function or of a class."""
        f = callee.value
        if draws(f):
            raise Unsupported(f"a call to {function_name(f)}, which may draw at random", self.line)
        made = Expression()
        made.callee = self.given(self.program.space, f)
        made.text = f"{made.callee}({self._given_texts(f, args, named, made)})"
        return self._answered(made, f)

    def made_method(self, owner: Made, name: str, args: list, named: dict[str, Any]) -> Any:
        """A call of a method of an object that was made; an empty name is the object's own call."""
        found = Expression(owner.made_by)
        given = self._given_texts(None, args, named, found)
        is_fixed = len(found.operands) == len(owner.made_by.operands) and found.reads == owner.made_by.reads
        is_fixed &= module_of(type(owner.value)).startswith(LASTING)
        found.text = f"{'.' * bool(name)}{name}({given})"
        return self._asked(owner, found, name or "an object", is_fixed)

    def made_attribute(self, owner: Made, name: str) -> Any:
        found = Expression(owner.made_by)
        found.text = f".{name}"
        return self._asked(owner, found, name)

    def made_item(self, owner: Made, node: ast.expr) -> Any:
        """``made[i]``, of a result that has fields."""
        i = self.key(node)
        if type(i) is not int:
            raise Unsupported("an item of an object of a library", self.line)
        found = Expression(owner.made_by)
        found.text = f"[{i}]"
        return self._asked(owner, found, "an object")

    def _asked(self, owner: Made, what: Expression, f: Any, is_fixed: bool = True) -> Any:
        """What is asked of an object: `is_fixed` says whether that may be found as it is made."""
        part = what.text
        if part in owner.answers:
            return owner.answers[part]
        is_first = not (owner.asked or owner.answers) and owner.around == self.around
        if not (is_first or (is_fixed and owner.asked != LATER)):
            raise Unsupported("an object of a library that is asked for several things", self.line)
        what.text = owner.made_by.text + part
        found = self._answered(what, f, is_fixed and not part.endswith(")"))
        if is_first and found is not None:
            owner.asked, owner.is_single = part if is_fixed else LATER, isinstance(found, Single)
            return found
        known = self.parts_asked.setdefault(owner.place, {})
        known |= {owner.asked: owner.is_single} if owner.asked else {}
        known[part] = isinstance(found, Single)
        if found is None and isinstance(owner.value, dict):  # which a number or an array is found with
            known |= next(({f".{k}": False} for k, v in owner.value.items() if _is_value(v)), {})
        raise Again

    def _object(self, made: Expression, y: Any, f: Any) -> Made:
        """An object of a library, of which all is found at once that several things asked of it need."""
        place: Any = self.scopes[-1].function.__code__, self.line
        place = *place, self.asked[place]
        self.asked[place[:2]] += 1
        found = Made(made, y, self.around, place)
        if parts := self.parts_asked.get(place):
            whole = Expression(made)
            texts = [f"o{part}{'[()]' * is_single}, " for part, is_single in parts.items()]
            whole.text = f"(lambda o: ({''.join(texts)}))({made.text})"
            answers = self.in_tuple(self._answered(whole, f))  # the arrays are the object's, too
            found.answers = {
                part: Single(answer) if is_single else answer
                for (part, is_single), answer in zip(parts.items(), answers, strict=True)
            }
        return found

    def _given_texts(self, f: Any, args: list, named: dict[str, Any], to: Expression) -> str:
        """The arguments of a call as they are written, with places for operands, which are added to those there are."""
        if f is not None:
            self.check_silent(f, args, named)
        texts = [self._text_of(v, to) for v in args]
        for name, value in named.items():
            if name in DRAWING or (name.startswith(WRITING) and self.constant(value) not in (False, None)):
                raise Unsupported(f"a call to {function_name(f)} that writes, or draws at random", self.line)
            texts.append(f"{name}={self._text_of(value, to)}")
        return ", ".join(texts)

    def check_silent(self, f: Any, args: list, named: dict[str, Any]) -> None:
        """See to it that a call prints nothing: what the program prints comes in the end."""
        try:
            signature = inspect.signature(f)
            given = signature.bind(*args, **named).arguments
        except (TypeError, ValueError):
            return  # it has no signature, or the call raises
        for name in PRINTING & signature.parameters.keys():
            default = signature.parameters[name].default
            said = self.constant(given[name]) if name in given else default is not signature.empty and default
            if said and not (name == "disp" and f.__module__.endswith("_zeros_py")):  # where it means to raise
                raise Unsupported(f"a call to {function_name(f)} that prints", self.line)

    def _text_of(self, value: Any, to: Expression) -> str:
        if isinstance(value, Partial | Bound) or (isinstance(value, Static) and callable(value.value)):
            return self.function_text(value, to.operands, to.reads)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Array | ListOf):  # an object may keep it, and see what is written into it
                self.share(part.origins)
            if self.is_wanted(part):
                raise Unsupported("an integer that is differentiated by, and given to a library", self.line)
        return self._taken(value, to.operands)[0]

    def _answered(self, made: Expression, f: Any, or_none: bool = False) -> Any:
        """What an expression gives: a number, an array or several of them, or an object that stays an expression.

        None for something else, if that is asked for.
        """
        if self.program.verb not in ("gradient", "pullback"):
            raise Unsupported(f"a call to {function_name(f)}, which has a rule or belongs to a library", self.line)
        operands = made.operands
        names = [f"x{i}" for i in range(len(operands))]
        body = made.text.format(**{f"a{i}": name for i, name in enumerate(names)})
        space = {k: v for k, v in self.program.space.items() if re.search(rf"\b{k}\b", body)}
        code = eval(compile(f"lambda {', '.join(names)}: {body}", "<a call of a library>", "eval"), space).__code__
        rule = Followed(code, space, tuple(made.reads), made.callee)
        y, run = self._tried(rule, made)
        if not _is_value(y):
            if module_of(type(y)).partition(".")[0] not in ("scipy", "numpy") or isinstance(y, np.ndarray | np.generic):
                if or_none:
                    return None
                raise Unsupported(
                    f"a call to {function_name(f)} that gives something other than real numbers", self.line
                )
            self.viewed.update([x.of or x.atom for x in operands if isinstance(x, Array)])  # which it may keep
            return self._object(made, y, f)
        rule.active = tuple([i for i, x in enumerate(operands) if self._may_move(x if isinstance(x, str) else x.atom)])
        text = made.text
        for name, (where, _) in made.reads.items():
            text = re.sub(rf"\b{name}\b", where, text)
        if not rule.active and not isinstance(y, tuple):
            plain = f"alike({text}, {self.given(self.program.space, form_of(y))})"
            return self.made(run, plain, operands, lambda shape: (None,) * len(operands))
        given = f"({''.join([f'{where}, ' for where, _ in made.reads.values()])})"
        if isinstance(y, np.ndarray) and not y.ndim:
            return Single(self._answered_at_once(rule, y[()], operands, given))
        return self._answered_at_once(rule, y, operands, given)

    def _tried(self, rule: Followed, made: Expression) -> tuple[Any, Callable]:
        """What an expression gives, and what does that: of samples or, if it calls back, of what its operands are."""
        run = rule.plain(tuple([value for _, value in made.reads.values()]))
        if not made.reads:
            return self.tried(run, made.operands), run
        place = self.scopes[-1].function.__code__, self.line, made.text
        if place not in self.values_found:  # samples would do for many functions, and others would never come to an end
            atoms = tuple([x if isinstance(x, str) else x.atom for x in made.operands])
            xs = self.found(f"({''.join([f'{{a{i}}}, ' for i in range(len(atoms))])})", atoms)
            if xs is None:
                raise Unsupported(
                    "a function that is given to a library where the program does not come now", self.line
                )
            self.values_found[place] = self.tried(lambda *_: run(*xs), made.operands)
        y = self.values_found[place]
        return y, lambda *_: y

    def _answered_at_once(self, rule: Followed, y: Any, operands: list, given: str) -> Any:
        slots = [None, *map(Slot, range(len(operands)))]
        texts = [given, *[f"{{a{i}}}" for i in range(len(operands))]]
        integers = [i for i, x in enumerate(operands) if isinstance(x, str) and self._is_integer(x)]
        self.program.relied_on += [(operands[i], INTEGER) for i in integers]
        # also where nobody needs the derivative, since the eager tier may refuse such a call
        plain = f"{self.given(self.program.space, rule)}({', '.join(texts)})[0]"
        return self._by_rule(rule, y, slots, operands, texts, plain, integers=integers)

    def _is_integer(self, atom: str) -> bool:
        s = self.computed.get(atom)
        while s is not None and s.op == "copy":
            atom = s.args[0]
            s = self.computed.get(atom)
        counts = any(isinstance(s, Loop) and s.var == atom for s in walk(self.program.body))
        return counts or self.types_now(atom, 20) == INTEGER

    def _may_move(self, atom: str) -> bool:
        """Whether an atom may depend on what the program is differentiated by."""
        seen: set[str] = set()
        open_ones = [atom]
        sources = [*self.program.sources()]
        if self.wants_structures():  # whose parts are known in the end alone
            sources += [given for given in self.program.inputs if given.in_argument]
        moving = {name for given in sources for name in (given.name, given.array) if name}
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
    if not isinstance(f, FunctionType | type) or not module_of(f).startswith(LIBRARIES):
        return False
    return not is_ruled(f) and (isinstance(f, FunctionType) or not issubclass(f, BaseException))
