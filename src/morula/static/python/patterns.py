"""``match`` statements: which patterns a value fits is known from what it is, but for the numbers in it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from morula.static.python.comprehensions import Given
from morula.static.python.ir import Unsupported
from morula.static.python.records import Records
from morula.static.python.scopes import Array, Coded, Display, ListOf, Named, Scope, Small, Static
from morula.static.python.things import Thing, is_member
from morula.transform.syntax import walk

__all__ = ["Patterns"]

NEVER = None  # what a value comes to that cannot fit
Fit = tuple[list[ast.expr], list[tuple[str, Any]]]  # what must hold, and what the pattern's names stand for then
OF_VALUES = (str, int, float, bool, list, tuple, dict)  # whose patterns capture what they fit


class Cases(ast.stmt):
    """The cases of a ``match`` that have not been tried yet, by the variable of the subject."""

    def __init__(self, subject: str, cases: list[ast.match_case]):
        super().__init__()
        self.subject, self.cases = subject, cases


class Patterns(Records):
    """The part of a `front.Builder` that reads ``match``."""

    block: Callable[[list[ast.stmt]], str]
    value: Callable[[ast.expr], Any]
    value_or_none: Callable[[ast.expr], Any]
    list_of: Callable[[tuple], Any]
    new_thing: Callable[[type, dict[Any, Any]], Thing]
    sequence: Callable[[Any], tuple | None]
    slot: Callable[[Thing, Any], Any]
    keys: Callable[[Thing], Any]
    key: Callable[[ast.expr], Any]
    attribute_from: Callable[[Any, str], Any]
    _unused: Callable[[str], str]
    scopes: list[Scope]

    def _Match(self, s: ast.Match) -> str:
        name = self._unused("subject")
        self.scopes[-1].own.add(name)
        first = ast.Assign([ast.Name(name, ast.Store())], s.subject)
        return self.block(_at([first, Cases(name, s.cases)], s))

    def _Cases(self, s: Cases) -> str:
        """``if`` the first case fits, and the others where it does not."""
        if not s.cases:
            return "falls"
        case = s.cases[0]
        rest: list[ast.stmt] = [Cases(s.subject, s.cases[1:])]
        subject = ast.Name(s.subject, ast.Load())
        fit = self._fit(case.pattern, subject, self.value_or_none(_at([subject], s)[0]))
        if fit is NEVER:
            return self.block(_at(rest, s))
        tests, names = fit
        body: list[ast.stmt] = [ast.Assign([ast.Name(n, ast.Store())], Given(v)) for n, v in names]
        body += case.body if case.guard is None else [ast.If(case.guard, case.body, rest)]
        return self.block(_at([ast.If(_every(tests), body, rest)], s))

    def _fit(self, pattern: ast.pattern, node: ast.expr, value: Any) -> Fit | None:
        """What has to hold for a value to fit, with the names that the pattern gives to it and to its parts."""
        method: Callable[..., Fit | None] | None = getattr(self, f"_fit_{type(pattern).__name__}", None)
        if method is None:
            raise Unsupported("a pattern of another kind", self.line)
        return method(pattern, node, value)

    def _fit_MatchValue(self, pattern: ast.MatchValue, node: ast.expr, value: Any) -> Fit | None:
        constant = self.value(pattern.value)
        is_number = isinstance(constant, str)
        if is_number and isinstance(value, tuple | Thing | Static) and not self._is_varied(value):
            return NEVER
        if not is_number and isinstance(value, str | tuple | Thing) and isinstance(constant, Static):
            is_known = type(constant.value) is str or is_member(constant.value)
            return NEVER if is_known and not self._is_varied(value) else self._unknown()
        return [ast.Compare(node, [ast.Eq()], [pattern.value])], []

    def _is_varied(self, value: Any) -> bool:
        """Whether a value may be equal to a number or a text all the same."""
        if isinstance(value, Thing) and value.kind not in (list, dict):
            own: Any = value.kind.__eq__
            code = getattr(own, "__code__", None)
            is_generated = "__dataclass_fields__" in vars(value.kind) and code and code.co_filename == "<string>"
            if own is not object.__eq__ and not is_generated:
                return True
            space = self.program.space
            self.guard(f"{self.given(space, value.kind)}.__eq__ is {self.given(space, own)}")
            return False
        compared = getattr(value, "value", None) if isinstance(value, Static) else None
        return not (compared is None or type(compared) is str or is_member(compared))

    def _unknown(self) -> Fit | None:
        raise Unsupported("a pattern of something that is not known", self.line)

    def _fit_MatchSingleton(self, pattern: ast.MatchSingleton, node: ast.expr, value: Any) -> Fit:
        return [ast.Compare(node, [ast.Is()], [ast.Constant(pattern.value)])], []

    def _fit_MatchAs(self, pattern: ast.MatchAs, node: ast.expr, value: Any) -> Fit | None:
        found = ([], []) if pattern.pattern is None else self._fit(pattern.pattern, node, value)
        if found is NEVER or pattern.name is None:
            return found
        return found[0], [*found[1], (pattern.name, value)]

    def _fit_MatchOr(self, pattern: ast.MatchOr, node: ast.expr, value: Any) -> Fit | None:
        found = [fit for p in pattern.patterns if (fit := self._fit(p, node, value)) is not NEVER]
        if len(found) < 2 or not found[0][0]:
            return found[0] if found else NEVER
        if any(names for _, names in found):
            raise Unsupported("a pattern whose names stand for one thing or another", self.line)
        return [ast.BoolOp(ast.Or(), [_every(tests) for tests, _ in found])], []

    def _fit_MatchSequence(self, pattern: ast.MatchSequence, node: ast.expr, value: Any) -> Fit | None:
        if isinstance(value, str | Small | Array | Static) or (isinstance(value, ListOf) and value.kind is not list):
            return NEVER  # also texts
        if isinstance(value, Thing) and value.kind is not list:
            return self._unknown() if issubclass(value.kind, Sequence) else NEVER
        parts = self.sequence(value) if isinstance(value, Thing | tuple) else None
        if parts is None:
            return self._unknown()
        given = pattern.patterns
        at = next((i for i, p in enumerate(given) if isinstance(p, ast.MatchStar)), None)
        if len(parts) != len(given) if at is None else len(parts) < len(given) - 1:
            return NEVER
        pairs = list(zip(given, parts, strict=False))
        names: list[tuple[str, Any]] = []
        if at is not None:
            after = len(parts) - (len(given) - at - 1)
            pairs = [*pairs[:at], *zip(given[at + 1 :], parts[after:], strict=True)]
            if (star := given[at].name) is not None:  # type: ignore[attr-defined]
                names = [(star, self.list_of(tuple(map(self.held, parts[at:after]))))]
        return self._all(pairs, names)

    def _all(self, pairs: Sequence[tuple[ast.pattern, Any]], names: list[tuple[str, Any]]) -> Fit | None:
        """What has to hold for all of these values to fit."""
        tests: list[ast.expr] = []
        for pattern, part in pairs:
            value = self.held(part)
            found = self._fit(pattern, ast.copy_location(Given(value), pattern), value)
            if found is NEVER:
                return NEVER
            tests += found[0]
            names = [*names, *found[1]]
        return tests, names

    def _fit_MatchMapping(self, pattern: ast.MatchMapping, node: ast.expr, value: Any) -> Fit | None:
        if isinstance(value, ListOf | Coded):
            return self._unknown()
        if not isinstance(value, Thing) or value.kind is list:
            return NEVER
        if value.kind is not dict:
            return self._unknown() if issubclass(value.kind, Mapping) else NEVER
        if value.factory is not None:
            return self._unknown()
        wanted, keys = [self.key(k) for k in pattern.keys], list(self.keys(value))
        if not set(wanted) <= set(keys):
            return NEVER
        names: list[tuple[str, Any]] = []
        if pattern.rest is not None:
            left = {k: self.held(self.slot(value, k)) for k in keys if k not in wanted}
            names = [(pattern.rest, self.new_thing(dict, left))]
        return self._all([(p, self.slot(value, k)) for k, p in zip(wanted, pattern.patterns, strict=True)], names)

    def _fit_MatchClass(self, pattern: ast.MatchClass, node: ast.expr, value: Any) -> Fit | None:
        found = self.value(pattern.cls)
        cls: Any = getattr(found, "value", None)
        kind = value.kind if isinstance(value, Thing | Named) else None
        if not isinstance(found, Static) or type(cls) is not type or isinstance(value, Coded):
            return self._unknown()
        if kind is None or kind in OF_VALUES or cls in OF_VALUES:
            is_known = isinstance(value, Display | Thing | Static) or type(value) is tuple
            actual = list if isinstance(value, Display) else kind or type(getattr(value, "value", value))
            if cls in OF_VALUES and is_known:
                pairs = [(p, value) for p in pattern.patterns]
                return self._all(pairs, []) if issubclass(actual, cls) and not pattern.kwd_attrs else NEVER
            return NEVER if cls not in OF_VALUES and found.where else self._unknown()
        if not issubclass(kind, cls):
            return NEVER
        fields: tuple = ()
        if pattern.patterns:
            fields = getattr(cls, "__match_args__", ())
            self.guard(f"{found.where}.__match_args__ is {self.given(self.program.space, fields)}")
        if len(pattern.patterns) > len(fields):
            return self._unknown()
        given = [
            *zip(fields, pattern.patterns, strict=False),
            *zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True),
        ]
        return self._all([(p, self.attribute_from(value, name)) for name, p in given], [])


def _every(tests: list[ast.expr]) -> ast.expr:
    if len(tests) < 2:
        return tests[0] if tests else ast.Constant(True)
    return ast.BoolOp(ast.And(), tests)


def _at(statements: list[Any], s: ast.stmt) -> list[Any]:
    """New statements, which stand at the line of the one that they are for."""
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.stmt | ast.expr) and not hasattr(node, "lineno"):
                ast.copy_location(node, s)
    return statements
