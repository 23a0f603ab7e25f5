"""Calls by rules: functions and methods of NumPy and SciPy for which the library has one, which keeps its pullback.

Arguments are numbers and arrays, also inside tuples and lists, and constants. A value that is a tuple is taken apart at
once; what is no real number in it may be handed on, but not computed with.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

import chainrules
from chainrules import AbstractTangent, is_non_differentiable
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.registry import is_library_rule
from morula.eager.context.kinds import module_of
from morula.static.python.complex_arrays import COMPLEX, is_complex
from morula.static.python.elementwise import Elementwise
from morula.static.python.forms import ARRAY, NUMBER, Form, Term, zeros_of
from morula.static.python.fresh_arrays import NEW_ARRAYS
from morula.static.python.ir import Unsupported, is_name
from morula.static.python.ndarrays import Value, function_name
from morula.static.python.ruled_values import Just, Parts, form_of, places_of
from morula.static.python.scopes import Array, Display, ListOf, Named, Single, Static
from morula.static.python.things import ABSENT, Bound, Thing, is_named_tuple

__all__ = ["RuledCalls", "is_library_callable", "is_of_lists", "is_ruled"]

AXES = frozenset(["axis", "axes", "keepdims"])
OPTIONS = frozenset(["out", "where", "dtype", "casting", "subok"])
DRAWING = frozenset(["random_state", "rng", "seed"])
WRITING = ("overwrite", "out", "callback")  # what names of parameters begin with that let a function write
MOST_TAKEN = 64  # numbers of a list
OF_LISTS = frozenset([math.dist, math.fsum, math.hypot])
OF_STATISTICS = frozenset(["mean", "fmean", "stdev", "pstdev", "variance", "pvariance", "median"])
OF_FLOATS = frozenset(["fmean", "stdev", "pstdev"])  # which give floats, whatever numbers they are given
SPELLED = (int, float, bool, str)
HANDED_ON = np.dtype(np.int32)  # of pivots
FLOAT64 = np.dtype(np.float64)
FLOATING = frozenset([FLOAT64, COMPLEX])
FLOAT = frozenset(["float"])


class Slot(int):
    """The place of an operand among those of a call."""


class RuledCalls(Elementwise):
    """The part of a `front.Builder` that calls functions by their rules."""

    constant_of: Callable[[Any], Any]
    likewise: Callable[[Any, list], Any]
    new_thing: Callable[[type, dict[Any, Any]], Any]
    gone_through: set[int]  # the identities of arrays that loops are written out over

    def spelled(self, value: Any) -> str:
        """The text of a constant."""
        if type(value) is tuple:
            return f"({', '.join(map(self.spelled, value))}{',' * (len(value) == 1)})"
        return repr(value) if type(value) in SPELLED else self.given(self.program.space, value)

    # -- what is called ---------------------------------------------------------------------------------------

    def library_call(self, f: Any, callee: Any, args: list, named: dict[str, Any]) -> Any:
        """A call of a function or of a method of SciPy."""
        if isinstance(callee, Bound):
            args = [callee.owner, *args]
        try:
            parameters = inspect.signature(f).parameters
            given = inspect.signature(f).bind(*args, **named).arguments
        except (TypeError, ValueError):
            raise Unsupported(f"a call to {function_name(f)} that does not fit", self.line) from None
        if DRAWING & parameters.keys() or f.__name__ == "rvs":
            raise Unsupported(f"a call to {function_name(f)}, which may draw at random", self.line)
        for name, value in given.items():
            if name.startswith(WRITING) and self.constant(value) not in (False, None):
                raise Unsupported(f"a call to {function_name(f)}, which writes into what it is given", self.line)
        return self.general(f, args, named, f"{self.given(self.program.space, f)}({{}})")

    def of_items(self, f: Any, args: list) -> Any:
        """A call of a function of the standard library that takes a list of numbers, by its rule."""
        self.program.follows_kinds |= f.__module__ == "statistics" and f.__name__ not in OF_FLOATS
        args = [Display(self.sequence(a) or ()) if isinstance(a, Thing) else a for a in args]
        given = [self._few_items(a) if isinstance(a, ListOf) else a for a in args]
        return self.general(f, given, {}, f"{self.given(self.program.space, f)}({{}})")

    def _few_items(self, array: ListOf) -> Any:
        n = self.length(array)
        if not n.isdigit() and array.measured in self.lengths_of_inputs:
            n = str(self.lengths_of_inputs[array.measured])
        if array.kind is not list or not array.is_vector or not n.isdigit() or not 0 < int(n) <= MOST_TAKEN:
            raise Unsupported("a list of many numbers that a function takes", self.line)
        parts = self.items(array, int(n))
        return tuple(parts) if array.rows is tuple else Display(parts)

    # -- arguments --------------------------------------------------------------------------------------------

    def _is_operand(self, value: Any) -> bool:
        if isinstance(value, str):
            return is_name(value) and self.number_of(value) is None
        return self.is_array(value)

    def _taken(self, value: Any, operands: list[Value]) -> tuple[str, Any]:
        """The text of an argument, and the argument itself, with a `Slot` for each operand."""
        if isinstance(value, ListOf) and value.kind is list:
            value = self.array_of_list(value)
        if self._is_operand(value):
            operands.append(value if isinstance(value, str) else self.as_array(value))
            return f"{{a{len(operands) - 1}}}", Slot(len(operands) - 1)
        if isinstance(value, tuple) and not isinstance(value, Named):
            found = [self._taken(v, operands) for v in value]
            text = ", ".join(text for text, _ in found)
            if isinstance(value, Display):
                return f"[{text}]", [v for _, v in found]
            return f"({text}{',' * (len(found) == 1)})", tuple([v for _, v in found])
        given = self.constant(value)
        return self.spelled(given), given

    def _by_position(self, f: Any, args: list, named: dict[str, Any]) -> tuple[list, dict[str, Any]]:
        """Arguments with those operands by position that are given by name, as rules answer for them."""
        moving = [k for k, v in named.items() if self._is_operand(v)]
        if not moving:
            return args, named
        rules = meaning_of(f).rules
        given = [v.value if isinstance(v, Static) else _Kept(v) for v in args]
        kept = {k: _Kept(v) for k, v in named.items()}
        found = chainrules.as_positional(rules[0], tuple(given), kept, moving) if len(rules) == 1 else None
        if found is None:
            raise Unsupported(f"a call to {function_name(f)} with these keywords", self.line)
        positional = [v.value if isinstance(v, _Kept) else self.constant_of(v) for v in found[0][len(args) :]]
        return [*args, *positional], {k: v.value for k, v in found[1].items()}

    # -- calls ------------------------------------------------------------------------------------------------

    def general(self, f: Any, args: list, named: dict[str, Any], text: str, method: str = "") -> Any:
        """A call by the rule of the function."""
        self.allowed(f)
        args, named = self._by_position(f, args, named)
        options = self.options(named)
        if OPTIONS & options.keys():
            raise Unsupported("options of NumPy's functions", self.line)
        operands: list[Value] = []
        taken = [self._taken(a, operands) for a in args]
        given = [v for _, v in taken]
        if method and any(isinstance(x, str) for x in operands):
            raise Unsupported(f"the method {method!r} with these arguments", self.line)
        more = [f"{k}={self.spelled(v)}" for k, v in options.items()]
        texts = [text for text, _ in taken]
        plain = text.format(texts[0], ", ".join(texts[1:] + more)) if method else text.format(", ".join(texts + more))

        def run(*xs: Any) -> Any:
            return f(*[filled(v, xs) for v in given], **options)

        y = self.tried(run, operands)
        if f is np.unique and all(isinstance(x, Array) and x.dtype == np.int64 for x in operands):
            return self._groups(run, plain, operands, y)
        if _are_whole(y) and not any(map(self._is_of_floats, operands)):
            return self.parts_of_integers(run, plain, operands, y)
        if f is np.ndarray.astype and y.dtype.kind in "bi":  # whose cotangent is zero
            return self.made(run, plain, operands, lambda shape: (None,) * len(operands))
        is_whole = isinstance(y, np.ndarray) and y.dtype.kind in "bi" and not any(map(self._is_of_floats, operands))
        if is_non_differentiable(f) or is_whole:
            plain = f"alike({plain}, {self.given(self.program.space, form_of(y))})"
            made = self.made(run, plain, operands, lambda shape: (None,) * len(operands), is_constant=True)
            return self._viewing(operands, made)
        rule = self._rule_of(f, given, options, operands)
        self._check_wanted(rule, y, [filled(v, list(map(self.sample, operands))) for v in given], args)
        is_new = f in NEW_ARRAYS or (f is np.diag and isinstance(operands[0], Array) and len(operands[0].shape) == 1)
        found = self._by_rule(rule, y, given, operands, texts, plain, is_new)
        return self.guarded(run, operands, y, found)

    def _is_of_floats(self, x: Value) -> bool:
        return not isinstance(x, Array) or self._has_slope(x)

    def _groups(self, run: Callable, plain: str, operands: list[Value], y: Any) -> Any:
        """``np.unique(labels)`` of integers that are known: as many as there were when the text was made."""
        if any(self.known_array(x.atom) is None for x in operands if isinstance(x, Array)):
            raise Unsupported("a call to unique with what is computed", self.line)
        text = f"alike({plain}, {self.given(self.program.space, form_of(y))})"
        made = lambda one, its: self.made(one, its, operands, lambda shape: (None,), is_constant=True)
        found = (made(run, text),) if isinstance(y, np.ndarray) else self.parts_of_integers(run, plain, operands, y)
        self.gone_through |= {id(self.values_of_input[part.atom]) for part in found}
        return found[0] if isinstance(y, np.ndarray) else found

    def parts_of_integers(self, run: Callable, plain: str, operands: list[Value], y: Any) -> Any:
        """A tuple or list of arrays of integers: as many as there were when the text was made."""
        text = f"alike({plain}, {self.given(self.program.space, form_of(y))})"
        terms = lambda shape: (None,) * len(operands)
        found = [
            self.made(lambda *xs, i=i: run(*xs)[i], f"{text}[{i}]", operands, terms, is_constant=True)
            for i in range(len(y))
        ]
        return self.new_thing(list, dict(enumerate(found))) if type(y) is list else tuple(found)

    def _rule_of(self, f: Any, given: list, options: dict[str, Any], operands: list[Value]) -> Any:
        """The rule of a function, which takes such arguments."""
        rules = meaning_of(f).rules
        is_only = len(rules) == 1 and not (rules[0].types or rules[0].needs or rules[0].instances)
        if not is_only or not is_library_rule(rules[0].function):
            raise Unsupported(f"a call to {function_name(f)}", self.line)
        samples = [filled(v, list(map(self.sample, operands))) for v in given]
        if chainrules.is_opted_out(f, tuple(samples)) or chainrules.reason_unsupported(f, *options.values()):
            raise Unsupported(f"a call to {function_name(f)}", self.line)
        rule: Any = partial(rules[0].function, **options)
        rule.primal = f  # for the tangent of what it gives
        if self.tried(lambda *xs: rule(*[filled(v, xs) for v in given]), operands) is NotImplemented:
            raise Unsupported(f"a call to {function_name(f)}, whose rule is for other arguments", self.line)
        return rule

    def _by_rule(
        self, rule: Any, y: Any, given: list, operands: list[Value], texts: list[str], plain: str, is_new: bool = False,
        integers: Sequence[int] = (),
    ) -> Any:  # fmt: skip
        """What a rule gives; some operands may be numbers that are `integers`, by their places."""
        space = self.program.space
        form = form_of(y)
        name, like = self.given(space, rule), self.given(space, form)
        spaces = tuple([(path, self._space_of(operands[k])) for k, path in sorted(slots(given))])
        terms = tuple([
            None if k in integers or not (isinstance(x, str) or x.dtype in FLOATING)
            else Term(f"float({{p}}[{k}])" if isinstance(x, str) else f"{{p}}[{k}]")
            for k, x in enumerate(operands)
        ])  # fmt: skip
        floats = tuple([k for k, x in enumerate(operands) if isinstance(x, str) and k not in integers])
        shape, types = self._cotangent_of(form)
        z = "array({z})" if form == ((), FLOAT64) else "{z}"
        if type(form) is Parts:
            z = f"unpacked({{z}}, {self.given(space, places_of(form))})"
        prelude = f"pulled({{y}}, {z}, {self.given(space, spaces)})"
        is_followed = getattr(rule, "is_followed", False)
        called = f"{'followed' if is_followed else 'ruled'}({name}, {like}, {', '.join(texts)})"
        plainly = f"(alike({plain}, {like}),)"
        pair_form = Form(called, types, terms, plainly, prelude, floats=floats, may_be_absent=is_followed)
        pair = self.compute("numpy", *[x if isinstance(x, str) else x.atom for x in operands], f=pair_form)
        if shape:
            self.program.shapes[pair] = shape
        if type(form) is Parts:
            return self._viewing(operands, self._taken_apart(pair, form, y))
        cast = "float" if types == NUMBER else ""
        return self._viewing(
            [] if is_new else operands, self._read(pair, f"{cast}({{a0}}[0])" if cast else "{a0}[0]", form, Term("{z}"))
        )

    def _space_of(self, x: Value) -> Any:
        """Something of the type and shape of an operand, which takes no memory."""
        if not isinstance(x, Array):
            return self.sample(x)
        return np.broadcast_to(COMPLEX.type(0.0), x.shape) if is_complex(x) else zeros_of(x.shape)

    def _cotangent_of(self, form: Any) -> tuple[tuple[int, ...], frozenset[str]]:
        """The shape of the cotangent of a value, empty for a number, and the types of the value."""
        if type(form) is Parts:
            ends = [place[1] for place in places_of(form) if place is not None]
            if ends:
                return (ends[-1],), ARRAY
        elif form is np.float64 or form is float or form == ((), FLOAT64):
            return (), FLOAT if form is float else NUMBER
        elif type(form) is tuple and form[1] in FLOATING and form[0] and 0 not in form[0]:
            if form[1] == COMPLEX and self.program.verb not in ("gradient", "pullback"):
                raise Unsupported("a tangent of complex numbers", self.line)
            return form[0], ARRAY
        raise Unsupported("a call that gives something other than an array of real numbers", self.line)

    def _taken_apart(self, pair: str, form: Parts, y: tuple) -> tuple:
        """The items of a tuple that a rule has given."""
        if form.kind not in (tuple, list) and not is_named_tuple(form.kind):
            raise Unsupported(f"a call that gives a {form.kind.__name__}", self.line)
        found: list[Any] = []
        for i, (like, place) in enumerate(zip(form.forms, places_of(form), strict=True)):
            text = f"{{a0}}[0][{i}]"
            if type(like) is Just:
                flag = type(like.value) is np.ndarray  # of `scipy.linalg.cho_factor`
                found.append(Static(like.value) if flag else self.constant_of(like.value))
            elif like is int:
                found.append(self.compute("numpy", pair, f=Form(text, frozenset(["int"]), (None,))))
            elif place is None and (type(like) is not tuple or not like[0] or like[1] != HANDED_ON):
                found.append(Static(ABSENT))
            elif place is None:
                found.append(self._read(pair, text, like, None))
            elif not place[2]:  # a number, or an array without axes
                text = text if like is float else f"float({text})"
                found.append(self._read(pair, text, like, Term("{z}", index=str(place[0]))))
            else:
                found.append(self._read(pair, text, like, Term("{z}.reshape(-1)", index=f"{place[0]}:{place[1]}")))
        if form.kind in (tuple, list):
            return tuple(found) if form.kind is tuple else Display(found)
        where = self.given(self.program.space, form.kind)
        return Named(found, form.kind, where)

    def _read(self, pair: str, text: str, form: Any, term: Term | None) -> Any:
        """One value of a pair."""
        is_array = type(form) is tuple and form[0] != ()
        types = ARRAY if is_array else FLOAT if form is float else NUMBER
        target = self.compute("numpy", pair, f=Form(text, types, (term,)))
        if not is_array:
            return Single(target) if type(form) is tuple else target
        shape, dtype = form
        self.program.shapes[target] = shape
        return Array(target, shape, dtype)

    def _viewing(self, operands: Sequence[Value], found: Any) -> Any:
        """What a call has given, which may be a view of its operands."""
        if isinstance(found, tuple):
            return self.likewise(found, [self._viewing(operands, v) for v in found])
        for x in operands:
            found = self.view(x, found) if isinstance(x, Array) else found
        return found

    def _holds_wanted(self, value: Any) -> bool:
        return any(map(self._holds_wanted, value)) if isinstance(value, tuple) else self.is_wanted(value)

    def options(self, named: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name, which are constants."""
        for name, value in named.items():
            if name not in AXES and self._holds_wanted(value):
                raise Unsupported(f"an integer that is differentiated by, for {name!r}", self.line)
        return {k: self.constant(v) for k, v in named.items()}

    def _check_wanted(self, rule: Any, y: Any, given: list, args: list) -> None:
        """Refuse an integer that is taken for a constant though it is differentiated by, and has a derivative."""
        if any(self._holds_wanted(a) for a in args if isinstance(a, tuple)):
            raise Unsupported("an integer that is differentiated by, in a tuple that is given to a function", self.line)
        places = [i for i, a in enumerate(args) if self.is_wanted(a)]
        if not places:
            return
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            bars = rule(*given)[1](y)
        bars = bars if type(bars) is tuple else (bars,)
        if any(bars[i] is not None and not isinstance(bars[i], AbstractTangent) for i in places):
            raise Unsupported("an integer that is differentiated by, and given to NumPy's functions", self.line)


class _Kept:
    """A value of the program, beside the defaults of a function."""

    def __init__(self, value: Any):
        self.value = value


def filled(value: Any, xs: Sequence[Any]) -> Any:
    """An argument with operands in it.

    >>> filled((Slot(1), [Slot(0)], "a"), (2.0, 3.0))
    (3.0, [2.0], 'a')
    """
    if type(value) is Slot:
        return xs[value]
    return type(value)([filled(v, xs) for v in value]) if type(value) in (tuple, list) else value


def slots(value: Any, path: tuple[int, ...] = ()) -> list[tuple[int, tuple[int, ...]]]:
    """The operands in arguments: of each its place among the operands, and where it stands.

    >>> slots([1.0, (Slot(0), True)])
    [(0, (1, 0))]
    """
    if type(value) is Slot:
        return [(int(value), path)]
    parts = value if type(value) in (tuple, list) else ()
    return [found for i, v in enumerate(parts) for found in slots(v, (*path, i))]


def is_ruled(f: Any) -> bool:
    """Whether a call of a function of SciPy is answered by one rule of the library."""
    if not module_of(f).startswith("scipy"):
        return False
    rules = meaning_of(f).rules
    return len(rules) == 1 and not (rules[0].types or rules[0].needs or rules[0].instances)


def is_of_lists(f: Any) -> bool:
    """Whether a function of the standard library takes a list of numbers, and has a rule."""
    is_known = type(f) is FunctionType and f.__module__ == "statistics" and f.__name__ in OF_STATISTICS
    return is_known or (isinstance(f, BuiltinFunctionType) and f in OF_LISTS)


def is_library_callable(value: Any) -> bool:
    """Whether an object is a function of SciPy that is none of Python's, such as those of `scipy.fft`."""
    return type(value).__name__ == "_Function" and is_ruled(value)


def _are_whole(y: Any) -> bool:
    """Whether a value is a tuple or list of arrays of integers."""
    return type(y) in (list, tuple) and bool(y) and all(type(v) is np.ndarray and v.dtype == np.int64 for v in y)
