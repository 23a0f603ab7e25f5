"""Calls that a rule answers: the tape entry they leave, and the shadow of what they return."""

import functools
from collections.abc import Callable
from sys import _getframe
from types import FunctionType, MethodType
from typing import Any

import numpy as np

import chainrules
from chainrules import NotImplementedDerivative, ScalarRule, scalar_rule_for
from morula.eager.calls.held import held, kept_argument
from morula.eager.calls.keywords import operands_by_position, positional
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.registry import (
    CONFIG,
    KEYWORD_BODIES,
    first_fitting,
    holds_refused,
    is_library_rule,
    no_rule,
    refuse_lacking,
)
from morula.eager.calls.rule_arguments import RuleArguments, own_math_method
from morula.eager.context.entries import Pull, UserPull
from morula.eager.context.kinds import ATOMS, REAL, has_method, is_plain_numpy_code, is_plain_object
from morula.eager.context.number_entries import Elementwise
from morula.eager.context.results import stays_integer
from morula.eager.memory.array_shadows import ARRAY_SHADOWS, Buffer
from morula.eager.memory.structured import active_view, holds_records
from morula.eager.numpy.array_subclasses import holds_masked, holds_matrix, holds_subclass
from morula.eager.numpy.object_arrays import holds_objects
from morula.eager.operators.operations import kept_by
from morula.errors import MorulaError, NotDifferentiable, describe, wrong_rule
from morula.frames import callers

ndarray = np.ndarray
float64 = np.float64
OBJECT = np.dtype(object)
KNOWN = (ndarray, list, tuple, dict, FunctionType, MethodType)  # arguments of rules whose shadows are known
Pair = tuple[Any, Any]


class RuleCalls(RuleArguments):
    """How a reverse context applies rules."""

    __slots__ = ()

    views_at_once = True  # what only gives a view needs no rule: its shadow is the same view

    def _try_rules(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
        meaning = meaning_of(f)
        rules = meaning.rules
        if not rules:
            return None
        if np.void in map(type, args):
            args, ds = self._as_records(args, ds)
        first = rules[0].function if not rules[0].types else first_fitting(rules, f, args)
        if any(map(holds_masked, args)) and is_library_rule(first):
            is_followed = type(f) is FunctionType and is_plain_numpy_code(f)
            return None if is_followed else self.subclass_call(f, args, ds, kw, kw_d)
        if chainrules.is_opted_out(f, args) or (kw and holds_refused(f, first, kw)):
            return self._opted_out(f, args, ds, kw, kw_d)
        if rules[0].instances:
            args, ds = (f, *args), (None, *ds)
        if any(map(holds_subclass, args)) and is_library_rule(first):
            return self.subclass_call(f, args, ds, kw, kw_d)
        if not kw and len(args) <= 2 and not rules[0].instances:
            if (found := self._by_partials(f, meaning.scalar, args, ds)) is not None:
                return found
            if (own := ufunc_method(f, args)) is not None:
                return self.method(args[0], ds[0], own, (), ())
        if kw and (active := self.active_keywords(kw, kw_d)):
            body = None if rules[0].instances else keyword_body(f, active)
            if body is not None and is_library_rule(first):
                return self.call_function(body, (f, *args), (None, *ds), kw, kw_d)
            try:
                args, ds, kw, kw_d = positional(f, active, args, ds, kw, kw_d)
            except NotDifferentiable:
                if meaning.program is not None and is_library_rule(first):
                    return None  # the rule is a short way of the program, which takes all arguments
                raise
        args, ds, kw = operands_by_position(f, rules[0], args, ds, kw) if kw else (args, ds, kw)
        if (own := own_math_method(f, args)) is not None:
            return self.call(own, args, ds, kw, kw_d)
        if (found := self.of_array_likes(f, first, args, ds, kw, kw_d)) is not None:
            return found
        args, ds = self.arguments_for_rule(f, first, args, ds)
        shadows = self.argument_shadows(f, args, ds)
        if any(s is not None for s in shadows):
            if any(map(holds_objects, args)):
                return self.objects_call(f, args, ds, kw, kw_d)
            if any(map(holds_records, args)):
                return self.records_call(f, args, ds, kw, kw_d)
        for a, s in zip(args, shadows, strict=True):
            if s is None and type(a) not in ATOMS and not isinstance(a, KNOWN) and self.reaches_active(a, set()):
                raise no_rule(f)
        if not rules[0].instances and all(s is None for s in shadows):
            if may_write(kw) or meaning.program is not None:
                return self.opaque(f, args, kw), None
            return self.inactive(f, args, kw)
        if len(args) > 2:
            refuse_lacking(scalar_rule_for(f), shadows)
        return self._first_answer(f, rules, args, shadows, kw)

    def _as_records(self, args: tuple, ds: tuple) -> tuple[tuple, tuple]:
        """Arguments with active records as the arrays without dimensions in which they lie."""
        views = [active_view(self, a) if type(a) is np.void else None for a in args]
        found = tuple([a if v is None else v for a, v in zip(args, views, strict=True)])
        return found, tuple([d if v is None else None for d, v in zip(ds, views, strict=True)])

    def _opted_out(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
        """A call for which the rules were declared not to be."""
        if any(map(holds_matrix, args)):
            return self.subclass_call(f, args, ds, kw, kw_d)
        given = (*args, *kw.values())
        if chainrules.reason_unsupported(f, *given) is not None and self.any_active(args, ds, kw, kw_d):
            raise no_rule(f, *given)
        return None

    def _by_partials(self, f: Any, rule: ScalarRule | None, args: tuple, ds: tuple) -> Pair | None:
        """A call of an elementwise function with numbers and arrays; None where it is something else."""
        if rule is None or len(rule.partials) != len(args) or not all(type(a) in SCALAR_OR_ARRAY for a in args):
            return None
        shadows = tuple(self.array_shadow(a, d) for a, d in zip(args, ds, strict=True))
        if all(s is None for s in shadows):
            return f(*args), None
        if any(type(a) is ndarray and a.dtype is OBJECT for a in args):
            return self.objects_call(f, args, ds, {}, {})
        if rule.real and any(is_complex(a) for a in args):
            return None
        refuse_lacking(rule, shadows)
        return self.elementwise(rule, f, args, shadows)

    def _first_answer(self, f: Any, rules: tuple, args: tuple, shadows: tuple, kw: dict) -> Pair | None:
        """What the first of these rules gives that does not decline."""
        args = tuple([kept_argument(a) for a in args])
        if len(rules) > 1 or rules[0].types:
            fitting = chainrules.candidates(f, args[1:] if rules[0].instances else args, CONFIG[0])
            rules = tuple([r for r in fitting if r in rules])
        for rule in rules:
            config = (CONFIG[0](self, args, shadows),) if rule.needs else ()
            function = functools.partial(rule.function, *config) if config else rule.function
            found = self._rule_result(f, function, args, shadows, kw, False)
            if found is not None:
                return found
        return None

    def inactive(self, f: Any, args: tuple, kw: dict) -> Pair:
        """A call that nothing active reaches, of a function that writes into nothing."""
        y = f(*args, **kw)
        if type(y) is ndarray and y.base is not None:
            self.watch_foreign(y)
        return y, None

    def apply_rule(self, f: Any, rule: Callable, args: tuple, ds: tuple, kw: dict, kw_d: dict, opaque: bool) -> Pair:
        """A call of `f` through the user's `rule`, whatever is active."""
        if active := self.active_keywords(kw, kw_d):
            args, ds, kw, kw_d = positional(f, active, args, ds, kw, kw_d)
        elif kw:
            kw_d = {}
        args, ds = with_defaults(rule, args, ds, kw)
        shadows = self.argument_shadows(f, args, ds)
        args = tuple([kept_argument(a) for a in args])
        before = [(a, a.copy()) for a in args if isinstance(a, ndarray)]
        found = self._rule_result(f, rule, args, shadows, kw, opaque)
        if any(a.tobytes() != old.tobytes() for a, old in before):
            raise NotDifferentiable(f"the rule for {describe(f)} wrote into its arguments; work on copies")
        if found is None:
            return self.call_python(f, args, ds, kw, kw_d)
        return found

    def _rule_result(self, f: Any, rule: Callable, args: tuple, shadows: tuple, kw: dict, opaque: bool) -> Pair | None:
        unaccepted: str | None = None
        try:
            result = (self.of_next_outer(rule) if opaque else rule)(*args, **kw)
        except MorulaError:
            raise
        except NotImplementedError as reason:
            if opaque:
                raise
            raise NotDifferentiable(str(reason)) from None
        except TypeError as error:
            if opaque or not is_library_rule(rule):
                raise
            unaccepted = str(error)
        if unaccepted is not None:
            f(*args, **kw)  # a wrong call is the function's own error, in its own words
            raise NotDifferentiable(f"the rule for {describe(f)} does not accept these arguments: {unaccepted}")
        if result is NotImplemented:
            return None
        try:
            y, pullback = result
        except (TypeError, ValueError):
            raise wrong_rule(f, result) from None
        if not callable(pullback):
            raise wrong_rule(f, result)
        targets = [
            (i, None if type(d) in ARRAY_SHADOWS else args[i], d) for i, d in enumerate(shadows) if d is not None
        ]
        return self._recorded(f, rule, y, pullback, args, targets, opaque, False)

    def quick_result(self, f: Any, rule: Callable, args: tuple, targets: list, kw: dict) -> Pair | None:
        """What a rule of the library gives for plain arguments; None where `_rule_result` is to say what is wrong.

        `targets` are those of a `Pull`. Where forward derivations go on there is no short way.
        """
        y_d: Any
        try:
            y, pullback = rule(*args, **kw) if kw else rule(*args)
        except Exception:
            return None
        if not callable(pullback):
            return None
        if type(y) is float64 or type(y) is float:
            y_d = [0]
        elif type(y) is ndarray and y.base is None and self.is_new(y, args):
            y_d = self.buffers.of_owner(y)
        else:
            return self._recorded(f, rule, y, pullback, args, targets, False, True)
        self.append(Pull(f, y_d, pullback, len(args), targets, callers(_getframe(2))))
        return y, y_d

    def _recorded(
        self, f: Any, rule: Callable, y: Any, pullback: Callable, args: tuple, targets: list, opaque: bool, plain: bool
    ) -> Pair:  # fmt: skip
        """What a rule has given, with its shadow, and the entry on the tape; `plain`: no argument is an object."""
        if not targets:
            return y, None
        if type(y) is ndarray and not opaque and y.base is None and self.is_new(y, args):
            y_d: Any = self.buffers.of_owner(y)
        elif type(y) in DOUBLE:
            y_d = [0]
        else:
            y = self.without_repeats(y, args)
            known = {i: d for i, _, d in targets}
            y_d, view = self.result_shadow(y, args, tuple([known.get(i) for i in range(len(args))]), opaque)
            if y_d is None or view:
                return y, y_d
        is_filled = type(y_d) is tuple and not is_library_rule(rule)
        where = callers(_getframe(3))  # three frames at least are ours
        if opaque:
            self.append(UserPull(f, y_d, pullback, len(args), targets, where, is_filled, args))
        else:
            kept = () if plain else held(args, self.records.held)
            self.append(Pull(f, y_d, pullback, len(args), targets, where, kept, is_filled))
        return y, y_d if type(y_d) in DIRECT else self.attach(y, y_d)

    def is_new(self, y: ndarray, args: tuple) -> bool:
        """Whether an array with memory of its own is a result that nothing has met before."""
        buffer = self.buffers.table.get(id(y))
        if (buffer is not None and buffer() is y) or y.dtype.kind not in "fc":
            return False
        for a in args:  # noqa: SIM110  (in no frame of its own)
            if a is y:  # an inactive one, perhaps
                return False
        return True

    def elementwise(self, rule: ScalarRule, f: Callable | None, args: tuple, ds: tuple, y: Any = None) -> Pair:
        """``y = f(*args)`` for numbers and arrays by the partials of a scalar rule; `y` if it is known already."""
        if f is not None:
            y = f(*args)
        keep = kept_by(rule)
        if type(y) is ndarray:
            kind = y.dtype.kind
            if kind not in "fc" and not stays_integer(y, args, ds):
                return y, None
            y_d: Any = self.buffers.new(y)
            if kind == "f":
                if len(args) == 1:
                    x_d = ds[0]
                    if type(x_d) is not list and args[0].dtype == y.dtype:
                        self.append((
                            y_d, rule.partials[0], y if 0 in keep else None, args[0] if 1 in keep else None, x_d,
                        ))  # fmt: skip
                        return y, y_d
                elif len(args) == 2:
                    a, b = args
                    if real_like(a, y) and real_like(b, y):
                        a_d, b_d = ds
                        p: Any
                        q: Any
                        p, q = rule.partials
                        if a_d is None:
                            p, keep = None, kept_by(rule, 1)
                        elif b_d is None:
                            q, keep = None, kept_by(rule, 0)
                        self.append((
                            y_d, p, q, y if 0 in keep else None, a if 1 in keep else None, b if 2 in keep else None,
                            a_d, b_d,
                        ))  # fmt: skip
                        return y, y_d
        elif type(rule.f) is not np.ufunc and type(y) in REAL and all(type(a) in REAL for a in args):
            node: list = [0]
            for p, d in zip(rule.partials, ds, strict=False):
                if d is not None:
                    node += (d, p(y, *args) if callable(p) else float(p))
            self.append(node)
            return y, node
        else:
            if isinstance(y, bool | np.bool_):
                return y, None
            y_d = [0]
            if self.taped and type(y) in DOUBLE and all(type(a) in DOUBLE or type(a) is int for a in args):
                y_d += partials_of_numbers(rule.partials, ds, y, args)
                if len(y_d) > 1:
                    self.append(y_d)
                    return y, y_d
        targets = []
        for a, d, p in zip(args, ds, rule.partials, strict=False):
            if d is not None:
                if type(a) is ndarray:
                    targets.append((p, d, a.shape, a.dtype))
                else:
                    targets.append((p, d, None, type(a)))
        saved = tuple([a if i in keep else None for i, a in enumerate(args, 1)])
        self.append(Elementwise(y_d, y if 0 in keep else None, saved, targets))
        return y, y_d


@np.errstate(all="ignore")
def partials_of_numbers(partials: tuple, ds: tuple, y: Any, args: tuple) -> list:
    """For each active number its shadow and the partial, as they stand on the tape; nothing where they do not fit."""
    found: list = []
    for a, d, p in zip(args, ds, partials, strict=False):
        if d is not None:
            if callable(p):
                try:
                    p = p(y, *args)
                except (ArithmeticError, NotImplementedDerivative):  # said with the user's line if it is needed
                    return []
                if type(p) not in DOUBLE and not isinstance(p, bool | np.bool_ | int):
                    return []
            found += (d, p if type(a) is type(p) is np.float64 else float(p))
    return found


def may_write(kw: dict) -> bool:
    """Whether a function is told where to write, or that it may."""
    return any(k in ("copy", "output") or k.startswith("overwrite") for k in kw)


def with_defaults(rule: Any, args: tuple, ds: tuple, kw: dict) -> tuple[tuple, tuple]:
    """Arguments with the defaults of a rule's own parameters, since its pullback answers for those too."""
    code = getattr(rule, "__code__", None)
    if code is None or kw or not rule.__defaults__ or len(args) >= code.co_argcount:
        return args, ds
    missing = rule.__defaults__[len(args) - code.co_argcount :]
    return (*args, *missing), (*ds, *(None for _ in missing))


DOUBLE = (float, np.float64)
DIRECT = (list, Buffer)  # shadows of numbers and arrays, which are nowhere else to be found
PLAIN = frozenset({ndarray, float, int, bool, str, type(None), np.float64, np.dtype, type(np.dtype(float))})


def real_like(a: Any, y: ndarray) -> bool:
    """Whether a cotangent of `a` has y's dtype and is real: what the short tape entries assume."""
    return a.dtype == y.dtype if type(a) is ndarray else type(a) is float or type(a) is int


def is_complex(x: Any) -> bool:
    return x.dtype.kind == "c" if isinstance(x, ndarray) else isinstance(x, complex | np.complexfloating)


UFUNC_METHODS = {"absolute": "__abs__", "negative": "__neg__", "positive": "__pos__"}


def ufunc_method(f: Any, args: tuple) -> str | None:
    """The method of an object that NumPy calls in place of a ufunc, where the object is no array."""
    if type(f) is not np.ufunc or len(args) != 1 or not is_plain_object(args[0]):
        return None
    name = UFUNC_METHODS.get(f.__name__, f.__name__)
    return name if has_method(type(args[0]), name) and not hasattr(args[0], "__array__") else None


def keyword_body(f: Any, active: list[str]) -> Any:
    """The plain body of a function for keywords that are active; None without one."""
    return next(filter(None, (KEYWORD_BODIES.get((f, name)) for name in active)), None)


SCALAR_OR_ARRAY = frozenset(
    {ndarray, float, int, complex, bool} | {t for t in np.sctypeDict.values() if issubclass(t, np.number)}
)
