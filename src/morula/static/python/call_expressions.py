"""Calls in the expressions of a program: read in steps, each of which answers a call or leaves it to the next."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import math
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from morula.static.python.attributes import Attributes
from morula.static.python.by_name import GETTERS
from morula.static.python.choices import Choices
from morula.static.python.complex_numbers import OF_COMPLEX
from morula.static.python.comprehensions import Given
from morula.static.python.copy_calls import COPYING, CopyCalls
from morula.static.python.counting import Counting, is_counting
from morula.static.python.distributions import is_distribution
from morula.static.python.extremes import Extremes
from morula.static.python.followed import Made, is_followed
from morula.static.python.idioms import Idioms
from morula.static.python.index_arrays import INDICES
from morula.static.python.ir import Branch, Fail, Unsupported, is_name
from morula.static.python.iterables import Iterables
from morula.static.python.library_objects import Fixed
from morula.static.python.mappings import WITH_DEFAULTS
from morula.static.python.new_lists import NEW
from morula.static.python.numpy_calls import CREATING, JOINING, ROOMS, NumpyCalls
from morula.static.python.parameters import called
from morula.static.python.patterns import Patterns
from morula.static.python.printing import Printing
from morula.static.python.queues import QUEUE, Queues
from morula.static.python.random_numbers import Drawer
from morula.static.python.ruled_calls import is_of_lists, is_ruled
from morula.static.python.scatters import ADDED_AT, Scatters
from morula.static.python.scopes import (
    Array,
    Coded,
    Display,
    Lines,
    ListOf,
    Named,
    Single,
    Small,
    Static,
    Text,
    is_vector_array,
)
from morula.static.python.searches import BISECTIONS, Searches
from morula.static.python.singles import Singles
from morula.static.python.slopes import has_own_rule, is_number_function
from morula.static.python.texts import is_any_text
from morula.static.python.things import (
    ABSENT,
    Bound,
    Cursor,
    Frozen,
    Generated,
    Partial,
    Rigid,
    Thing,
    Turns,
    is_named_tuple,
    is_of_class,
)
from morula.static.python.type_tests import DISPATCHING
from morula.static.python.types import TESTS

__all__ = ["CallExpressions"]

GENERATOR = 0x20  # of `co_flags`
CROSSES = (np.cross, np.linalg.cross)
CHECKS = (np.isfinite, np.isnan, np.isinf, np.isclose, np.allclose)
OF_SINGLES = frozenset([  # to which an array without axes is a number
    np.sum, np.mean, np.max, np.min, np.prod, np.dot, np.where, np.full, np.linspace, np.arange, np.hstack, np.append,
    np.atleast_1d, np.clip, np.isclose, np.allclose, np.outer,
])  # fmt: skip
FOLDING = (all, any, math.prod)
SELECTING = (abs, max, min)
OF_NUMBERS = (float, int, np.float64, abs, max, min, round, *TESTS)


class CallExpressions(
    Attributes,
    CopyCalls,
    Counting,
    Printing,
    Queues,
    NumpyCalls,
    Idioms,
    Iterables,
    Choices,
    Patterns,
    Extremes,
    Searches,
    Scatters,
    Singles,
):
    """The part of a `front.Builder` that reads calls."""

    held: Callable[[Any], Any]
    only_number: Callable[[Any], str]
    class_of_tuples: Callable[..., Static]
    text_in: Callable[[Any], Any]
    is_filter: Callable[[Any, ast.Call], bool]
    _value_Name: Callable[[ast.Name], Any]
    by_branches: bool

    def is_call_of(self, node: ast.expr, f: Any) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, Given) and not node.keywords:
            return isinstance(node.func.value, Static) and node.func.value.value is f
        if not isinstance(node, ast.Call) or node.keywords or not isinstance(node.func, ast.Name):
            return False
        found = self._value_Name(node.func) if self.is_outside(node.func.id) else None
        return isinstance(found, Static) and found.value is f

    def is_outside(self, name: str) -> bool:
        scope = self.scopes[-1]
        code = scope.function.__code__
        return name not in code.co_varnames and name not in code.co_cellvars and name not in scope.own | scope.extra

    def _callee(self, node: ast.expr) -> Any:
        """What is called; the owner and the name where it is a method of an array, a list or a dict."""
        if not isinstance(node, ast.Attribute) or self.super_of(node.value) is not None:
            return self.value(node)
        owner = self.value(node.value)
        if isinstance(owner, Array | ListOf | Small | Display | Drawer | Single) or (
            isinstance(owner, Thing) and owner.kind in (list, dict)
        ):
            return owner, node.attr
        is_named = isinstance(owner, Named) and node.attr == "_replace"
        is_number = isinstance(owner, str) and node.attr in ("conjugate", "item")
        if is_named or is_number or is_any_text(owner) or isinstance(owner, Made | Lines):
            return owner, node.attr
        if isinstance(owner, Static) and owner.value is dict and node.attr == "fromkeys":
            return Static(dict.fromkeys)
        return self.attribute_from(owner, node.attr)

    def _value_Call(self, node: ast.Call) -> Any:
        callee = self._callee(node.func)
        if isinstance(callee, tuple):
            owner, name = callee
            with self.before_reading([(getattr(node.func, "value", node.func), owner)], *node.args):
                return self._call_of_method(owner, name, node)
        if isinstance(callee, Partial):
            return self.called_partial(callee, node)
        if isinstance(callee, Thing | Named):
            callee = Bound(self.special(callee, "__call__"), callee)
        if isinstance(callee, Fixed):
            callee = self.called_object(callee)
        if isinstance(callee, Made):
            return self.made_method(callee, "", *self.arguments(node))
        if isinstance(callee, Coded):
            return self.called_code(callee, node)
        if not isinstance(callee, Bound | Static):
            raise Unsupported("a call of something that is no function of its own", self.line)
        callee = self.streamed(callee, node)
        f = callee.function.value if isinstance(callee, Bound) else callee.value
        if self.is_filter(f, node) or self.is_unseen(callee, node):
            return Static(None)
        if f is np.fill_diagonal and len(node.args) == 2 and not node.keywords:
            return self.filled_diagonal(*node.args)
        if f in ADDED_AT.values() and len(node.args) == 3 and not node.keywords:
            return self.added_at(f, *node.args)
        if (found := self._call_as_written(f, node)) is not ABSENT:
            return found
        is_own = isinstance(callee, Bound) or isinstance(f, FunctionType | type)
        args, named = self.arguments(node, is_own)
        with self.calling(node):
            found = self._call_of_function(callee, f, args, named)
        if found is ABSENT:
            found = self._call_of_builtin(callee, f, args, named, node)
        if found is ABSENT:
            found = self._call_of_arrays(f, args, named)
        return self._call_of_numbers(f, args) if found is ABSENT else found

    def _call_of_method(self, owner: Any, name: str, node: ast.Call) -> Any:
        """A method of an array, a list, a dict, a text, or of a generator of random numbers."""
        if isinstance(owner, Drawer):
            return self.drawn(owner, name, node)
        if isinstance(owner, Made):
            return self.made_method(owner, name, *self.arguments(node))
        if isinstance(owner, str) and not node.args and not node.keywords:
            return self.method_of_number(owner, name)
        if isinstance(owner, Single):
            return self.method_of_single(owner, name, node)
        if isinstance(owner, Named):
            return self.replaced(owner, *self.arguments(node))
        if isinstance(owner, Static | Text):
            given = node.args[0] if name == "join" and len(node.args) == 1 else None
            if isinstance(given, ast.GeneratorExp | ast.ListComp) and not self.lists_are_things:
                return self.method_of_text(owner, name, [self.listed_items(given)], {})
            return self.method_of_text(owner, name, *self.arguments(node))
        if isinstance(owner, Lines):
            if name != "append" or len(node.args) != 1 or node.keywords:
                raise Unsupported(f"the method {name!r} of a list of texts", self.line)
            return self.add_line(owner, self.value(node.args[0]))
        if isinstance(owner, Thing):
            if owner.kind is list and name == "sort":
                return self.sorted_in_place(owner, node)
            args, named = self.arguments(node)
            self.check_lines(owner, name, node.func.value, args)  # type: ignore[attr-defined]
            if named and name == "update" and owner.kind is dict:
                args, named = [*args, self.new_thing(dict, named)], {}
            if named:
                raise Unsupported(f"the method {name!r} with these arguments", self.line)
            return self.called_method(owner, name, args)
        if isinstance(owner, Display) or (isinstance(owner, ListOf) and owner.kind is list):
            found = self.found_in(owner, name, node)
            return self.changing_method(owner, node) if found is None else found
        is_plain = not node.args and not node.keywords and name in ("sum", "mean", "copy")
        if is_plain and (self.may_be_small(owner) or (name == "copy" and isinstance(owner, ListOf))):
            return self.method(owner, name)
        return self.array_method(owner, name, *self.arguments(node))

    def _call_as_written(self, f: Any, node: ast.Call) -> Any:
        """A call whose arguments are read in a way of their own: generators, displays, keys."""
        is_spread = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
        if is_spread and (f in NEW or f in (np.array, range)):
            raise Unsupported(f"a call to {called(f)} with * or **", self.line)
        if f is QUEUE and is_spread:
            return self.queue(node)
        if is_spread:
            return ABSENT
        if (consumed := self.consumed(f, node)) is not None:
            return self._value_Call(consumed)
        if f is zip:
            self.check_beside(node.args)
        if (idiom := self.idiom(f, node)) is not ABSENT:
            return idiom
        if f is print:
            return self.printed(node)
        if f in NEW:
            return self.new_list(f, node)
        if f is QUEUE:
            return self.queue(node)
        if node.keywords:
            return ABSENT
        is_chosen = any(isinstance(a, ast.GeneratorExp) and any(g.ifs for g in a.generators) for a in node.args[:1])
        if f is sum and 1 <= len(node.args) <= 2 and (is_chosen or not self.lists_are_things):
            return self.sum_of(*node.args, *[None][len(node.args) - 1 :])
        if f in FOLDING and len(node.args) == 1 and not has_own_rule(f):
            return self.folded(f, node.args[0])
        if f is list and not node.args:
            return self.list_of(())
        return ABSENT

    def _call_of_function(self, callee: Any, f: Any, args: list, named: dict[str, Any]) -> Any:
        """A function or a method of the program, a distribution or a function of SciPy's."""
        if f in COPYING and len(args) == 1 and not named and not has_own_rule(f):
            return self.copy_call(f, args[0])
        if f in GETTERS and not named:
            return self.getter(f, args)
        if is_counting(f) and not named:
            return self.counted(callee, args)
        if (found := self.call_of_texts(f, args, named)) is not ABSENT:
            return found
        if is_distribution(f):
            return Frozen(callee, [self.held(v) for v in args], {k: self.held(v) for k, v in named.items()})
        if isinstance(callee, Bound) and isinstance(callee.owner, Fixed):
            return self.by_shortcut(callee, args, named)
        has_lists = any(isinstance(a, ListOf | tuple | Thing) for a in args) or len(args) > 2
        if is_of_lists(f) and not named and has_lists:
            return self.of_items(f, args)
        if f is namedtuple and len(args) == 2 and not named:
            parts = args[1] if isinstance(args[1], Static) else self.sequence(args[1]) or ()
            return self.class_of_tuples(*map(self.text_in, (args[0], parts)))
        is_object = len(args) == 1 and isinstance(args[0], Thing) and args[0].kind not in (dict, list)
        if f is dataclasses.replace and is_object and not has_own_rule(f):
            return self.object_replaced(args[0], named)
        if f is dataclasses.asdict and is_object and not named and not has_own_rule(f):
            return self.object_as_dict(args[0])
        if is_ruled(f):
            return self.library_call(f, callee, args, named)
        if isinstance(callee, Static) and is_followed(f):
            return self.followed_call(callee, [self.held(v) for v in args], {k: self.held(v) for k, v in named.items()})
        is_own = isinstance(callee, Bound) or isinstance(f, FunctionType | type)
        if is_own and type(f) is FunctionType and f.__code__.co_flags & GENERATOR:
            kept = {k: self.held(v) for k, v in named.items()}
            return Generated(callee, [self.held(v) for v in args], kept, self.around)
        if isinstance(callee, Bound):
            return self.call(callee.function, [callee.owner, *args], named)
        if type(f) is FunctionType and f.__code__ is DISPATCHING:
            return self.call(self.dispatched(callee, args), args, named)
        if f in (np.array, np.asarray) and (found := self.array_call(f, args, named)) is not None:
            return found
        if isinstance(f, FunctionType) and f.__module__ not in ROOMS:
            return self.call(callee, args, named)
        return ABSENT

    def _call_of_builtin(self, callee: Any, f: Any, args: list, named: dict[str, Any], node: ast.Call) -> Any:
        """What a builtin or a class makes of lists, of known things, of anything that it is to hold."""
        only = args[0] if len(args) == 1 and not named else None
        if f in (abs, bool, float) and is_of_class(only):
            return self.converted(f, only)
        if f is type and isinstance(only, Thing) and is_of_class(only):
            return self.its_class(only)
        if f in (max, min) and isinstance(only, tuple | Thing | Turns):
            if parts := self.sequence(only):
                return self.extreme_of_known(f, parts)
        if f is list and isinstance(only, ListOf) and only.kind is list:
            rows = None if only.is_vector else only.rows  # a list of a tuple is none any more
            return self.copied(replace(only, is_queue=False, longest=None, rows=rows))
        is_list = f is tuple and isinstance(only, ListOf) and only.is_vector
        if is_list or (f in (list, tuple) and is_vector_array(only)):
            return self.items_of_array(f, only, node)
        if f in (max, min) and isinstance(only, Array) and len(only.shape) == 1 and only.dtype == np.float64:
            only = ListOf(self.compute("listed", only.atom, f=np.ndarray), only.shape, True)
        if f in (max, min) and isinstance(only, ListOf) and only.is_vector:
            return self.extreme_of(f, only)
        if f in (max, min) and isinstance(only, Small):
            return self.extreme_of_known(f, only.parts)
        if (answer := self.known_call(f, args, named, node)) is not ABSENT:
            return answer
        if not named and (found := self.by_name(f, args)) is not ABSENT:
            return found
        is_stream = f in (map, itertools.accumulate) and not named
        if is_stream and (turns := self.turns_of_stream(f, args, node)) is not None:
            return turns
        if f is slice and not named and 1 <= len(args) <= 3:
            return self.span(args)
        if f is iter and only is not None:
            return self.begun(only)
        if f is next and args and isinstance(args[0], Cursor) and len(args) <= 2:
            return self.next_of(args[0], args[1:])
        if f in BISECTIONS and not named:
            return self.bisected(f, args)
        if f in WITH_DEFAULTS:
            return self.new_with_default(f, args, named)
        if callee.where and is_named_tuple(f):
            return self.new_named(callee, args, named)
        if isinstance(f, type) and callee.where:
            return self.construct(callee, args, named)
        if f == dict.fromkeys and not named and 1 <= len(args) <= 2:
            return self.from_keys(*args)
        return ABSENT

    def _call_of_arrays(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        """A function of NumPy, or the length, the sum or the mean of something that holds numbers."""
        if isinstance(f, np.ufunc) or f in OF_SINGLES:
            args = [self.operand(a) if isinstance(a, Single) else a for a in args]
        only = args[0] if len(args) == 1 and not named else None
        if f is len and isinstance(only, Array):
            return str(only.shape[0])
        if f is len and isinstance(only, ListOf | Small | tuple):
            return str(len(only)) if isinstance(only, tuple) else self.length(only)
        if f in (np.sum, np.mean) and isinstance(only, ListOf | Small) and self.may_be_small(only):
            return self.total(only, f is np.mean)
        if f in CROSSES and len(args) == 2 and not named and all(map(self.may_be_small, args)):
            return self.crossed(f, *map(self.one_form, args))
        args = self.as_arrays(f, args)
        if any(isinstance(a, Array | ListOf | Small) for a in args) or f in CREATING | JOINING | INDICES:
            return self.numpy_call(f, args, named)
        if f is np.atleast_1d and len(args) == 1 and not named and isinstance(only, str) and is_name(only):
            return self.vector_of(only)
        is_check = f in CHECKS and bool(args) and all(isinstance(a, str) for a in args)
        if is_check:
            return self.general(f, args, named, f"{self.given(self.program.space, f)}({{}})")
        if named:
            raise Unsupported("keywords of a function that is not written in Python", self.line)
        if f in (np.sum, np.mean) and isinstance(only, str) and is_name(only):
            return self.of_number(f, only)
        return ABSENT

    def _call_of_numbers(self, f: Any, args: list) -> Any:
        """A builtin, or a function of `math` or of NumPy, of numbers."""
        if f in (float, int, abs, np.float64) or isinstance(f, np.ufunc) or getattr(f, "__module__", "") == "math":
            args = [self.operand(a) if isinstance(a, Single) else a for a in args]
        if not all(isinstance(a, str) for a in args):
            refusal = Rigid if any(isinstance(a, Text) for a in args) else Unsupported
            raise refusal(f"a call to {called(f)} with something other than numbers", self.line)
        if f is np.where and len(args) == 3:
            return self.where_of_numbers(*args)
        if f in (*OF_NUMBERS, *OF_COMPLEX) and has_own_rule(f):
            raise Unsupported(f"a call to {called(f)}, which has a user-defined rule", self.line)
        if f in (max, min) and len(args) > (1 if self.by_branches else 2):
            if f is max and len(args) == 2:  # of equal numbers the value is the first, the derivative the second's
                self.emit(Branch(self.compute("==", *args), [Fail()]))
            return self.extreme(f, args)
        if f is divmod and len(args) == 2:
            return tuple([self.compute(op, *args) for op in ("floordiv", "mod")])
        if f in (abs, bool, max, min) and len(args) != (2 if f in (max, min) else 1):
            raise Unsupported(f"a call to {called(f)} with so many arguments", self.line)
        if f in (float, int, np.float64) and len(args) == 1:
            number = self.compute("int" if f is int else "float", *args)
            return self.compute("element", number) if f is np.float64 else number
        if not isinstance(f, np.ufunc) and getattr(f, "__module__", None) in ROOMS:
            found = self.only_number(self.general(f, args, {}, f"{self.given(self.program.space, f)}({{}})"))
            if "float" in self.types_now(found, 1):  # which may be another one for NumPy's numbers
                raise Unsupported(f"a call to {called(f)} with something other than arrays", self.line)
            return found
        if f not in SELECTING and not is_number_function(f, len(args)):
            raise Unsupported(f"a call to {called(f)}", self.line)
        return self.compute("call", *args, f=f)
