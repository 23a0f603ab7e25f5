"""A look at the registry of rules for what cannot be meant: no rule is run, but the forward halves of split ones."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from .. import derived, registry
from ..lookup import covered, is_opted_out, rules_for
from ..rules import Rule, is_narrower, is_within
from .calling import name_of

__all__ = ["Finding", "lint"]

_REFUSED = frozenset({"out", "where", "casting", "order", "subok", "signature", "dtype", "extobj"})  # by name, by rules
_PLAIN = (int, float, str, bytes, tuple, type(None))
_DERIVED = derived.__file__


@dataclass(frozen=True, slots=True)
class Finding:
    """What `lint` has to say about one rule.

    Attributes:
        kind: ``"keyword"``, ``"default"``, ``"order"``, ``"conflict"``, ``"opt-out"``, ``"ambiguous"``,
            ``"unreachable"``, ``"static"`` or ``"name"``.
        message: in words.
        file: of the rule.
        line: there.
        severity: ``"error"``, or ``"style"`` for what makes no difference to results.
    """

    kind: str
    message: str
    file: str
    line: int
    severity: str = "error"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}: {self.message}"


def lint(package: str | None = None) -> list[Finding]:
    """Look for declarations that contradict each other, or the functions they are for.

    - a keyword, default or order of parameters of the function that its rule does not have: a call that gives it by
      name fails where it is differentiated;
    - a function that is declared non-differentiable, or unsupported, and has a rule;
    - an opt-out without effect;
    - two rules that take the same arguments, neither of which is the more specific one; a rule that another one hides;
    - static data of a split rule that are not hashable;
    - pullbacks without a name of their own (of severity ``"style"``).

    Args:
        package: look at the rules in this package or module only, which is imported. Without it, at all.

    Returns:
        The findings, by file and line.

    >>> from chainrules import rrule
    >>> def wave(x, phase=0.0): return np.sin(x + phase)
    >>> @rrule(wave)
    ... def _(x): return wave(x), lambda y_bar: np.cos(x) * y_bar
    >>> {(f.kind, f.message) for f in lint() if "wave" in f.message}
    {('keyword', "the rule for wave has no parameter 'phase'")}
    """
    places = _places(package) if package is not None else None
    found: list[Finding] = []
    for f, rules in covered().items():
        for rule in rules:
            found += [*_signature(f, rule), *_names(f, rule)]
        found += [*_conflicts(f, rules), *_ambiguities(f, rules), *_hidden(f, rules)]
    for table in (registry.FORWARD_RULES, registry.FORWARD_INSTANCE_RULES):
        for f, rules in list(table.items()):
            for rule in rules:
                found += _forward_signature(f, rule)
            found += [*_ambiguities(f, rules), *_hidden(f, rules)]
    found += [*_opt_outs(), *_declared_twice(), *_static()]
    if places is not None:
        found = [f for f in found if any(_lies_in(f.file, place) for place in places)]
    return sorted(set(found), key=lambda f: (f.file, f.line, f.kind, f.message))


def _places(package: str) -> list[Path]:
    module = import_module(package)
    folders = getattr(module, "__path__", None) or [module.__file__]
    return [Path(str(p)).resolve() for p in folders]


def _lies_in(file: str, place: Path) -> bool:
    path = Path(file).resolve()
    return path == place or place in path.parents


def _parameters(function: Any, skip: int = 0, wrapped: bool = True) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(function, follow_wrapped=wrapped).parameters.values())[skip:]
    except (TypeError, ValueError):
        return None


def _signature(f: Any, rule: Rule) -> Iterator[Finding]:
    """What a call of the function may look like, a call of its rule may."""
    if isinstance(f, np.ufunc) or getattr(getattr(rule.function, "__code__", None), "co_filename", None) == _DERIVED:
        return
    called = f.__call__ if rule.instances and isinstance(f, type) else f
    theirs = _parameters(called)
    mine = _parameters(rule.function, bool(rule.needs) + rule.instances)
    if theirs is None or mine is None:
        return
    if rule.instances and theirs:
        theirs = theirs[1:]
    yield from _compared(f, rule, theirs, mine, bool(_takes_any(rule.function)))


def _takes_any(function: Any) -> bool:
    """Whether the outermost function takes all keywords, and so can refuse some of them by name."""
    try:
        parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.kind is p.VAR_KEYWORD for p in parameters)


def _compared(f: Any, rule: Rule, theirs: Any, mine: Any, refuses: bool) -> Iterator[Finding]:
    of = f"the rule for {name_of(f)}"
    own = {p.name: p for p in mine if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    takes_all = any(p.kind is p.VAR_KEYWORD for p in mine)
    takes_more = any(p.kind is p.VAR_POSITIONAL for p in mine)
    positions = [p.name for p in mine if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for i, p in enumerate(theirs):
        if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) or (i == 0 and p.name == "self"):
            continue
        if p.kind is p.POSITIONAL_ONLY:
            if i >= len(positions) and not takes_more:
                yield _finding("order", f"{of} takes {len(positions)} positional arguments, and not {p.name!r}", rule)
            continue
        partner = own.get(p.name)
        if partner is None or partner.kind is p.POSITIONAL_ONLY:
            if not takes_all and not (refuses and p.name in _REFUSED):
                yield _finding("keyword", f"{of} has no parameter {p.name!r}", rule)
            elif partner is None and i < len(positions) and p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty:
                yield _finding("keyword", f"{of} calls {positions[i]!r} what is {p.name!r} there", rule)
            continue
        if p.kind is p.POSITIONAL_OR_KEYWORD and partner.kind is p.KEYWORD_ONLY and not takes_more:
            yield _finding("order", f"{of} takes {p.name!r} by keyword only", rule)
        elif p.kind is p.POSITIONAL_OR_KEYWORD and partner.kind is not p.KEYWORD_ONLY and positions.index(p.name) != i:
            yield _finding("order", f"{of} has {p.name!r} at position {positions.index(p.name)}, not {i}", rule)
        yield from _defaults(of, rule, p, partner)


def _defaults(of: str, rule: Rule, p: inspect.Parameter, partner: inspect.Parameter) -> Iterator[Finding]:
    if p.default is not p.empty and partner.default is p.empty:
        yield _finding("default", f"{of} needs {p.name!r}, which has the default {p.default!r} there", rule)
    elif type(p.default) in (bool, *_PLAIN) and type(partner.default) in (bool, *_PLAIN):
        other = type(p.default) is not type(partner.default) or p.default != partner.default
        if other and partner.default is not None:  # None in a rule means: not given
            yield _finding("default", f"{of} has {p.name}={partner.default!r}, not {p.default!r}", rule)


def _forward_signature(f: Any, rule: Rule) -> Iterator[Finding]:
    """A forward rule takes primals, tangents, and the keywords of the function."""
    # What is called, and not what it may wrap: that is often the tangent alone.
    mine = _parameters(rule.function, bool(rule.needs), wrapped=False)
    if mine is None:
        return
    plain = [p for p in mine if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    any_number = any(p.kind is p.VAR_POSITIONAL for p in mine)
    if len(plain) != 2 and not any_number:
        yield _finding(
            "order", f"the forward rule for {name_of(f)} has to take (primals, tangents), and keywords", rule
        )
        return
    if any(p.kind is p.VAR_KEYWORD for p in mine) or isinstance(f, np.ufunc):
        return
    own = {p.name for p in mine}
    for p in _parameters(f) or ():
        if p.kind is p.KEYWORD_ONLY and p.name not in own:
            yield _finding("keyword", f"the forward rule for {name_of(f)} has no parameter {p.name!r}", rule)


def _conflicts(f: Any, rules: Iterable[Rule]) -> Iterator[Finding]:
    for rule in rules:
        if not rule.instances and f in registry.NON_DIFFERENTIABLE:
            yield _finding("conflict", f"{name_of(f)} is declared non-differentiable, and has a rule", rule)
        if not rule.instances and f in registry.UNSUPPORTED:
            yield _finding("conflict", f"{name_of(f)} is declared unsupported, and has a rule", rule)


def _declared_twice() -> Iterator[Finding]:
    for f in list(registry.NON_DIFFERENTIABLE):
        if f in registry.UNSUPPORTED:
            file, line = _place_of(f)
            yield Finding("conflict", f"{name_of(f)} is declared non-differentiable, and unsupported", file, line)


def _opt_outs() -> Iterator[Finding]:
    f: Any
    for f, signatures in list(registry.OPTED_OUT.items()):
        file, line = _place_of(f)
        rules = (*rules_for(f), *registry.INSTANCE_RULES.get(f, ()))
        for types in signatures:
            out = Rule(f, types, file, line)
            if not any(_overlap(r, out) and not is_narrower(r, out) for r in rules):
                yield Finding("opt-out", f"the opt-out of {name_of(f)} for {_listed(types)} has no effect", file, line)


def _ambiguities(f: Any, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    for i, a in enumerate(rules):
        for b in rules[i + 1 :]:
            if a.needs != b.needs or is_narrower(a, b) or is_narrower(b, a) or not _overlap(a, b):
                continue
            if any(_takes_overlap(r, a, b) for r in rules) or is_opted_out(f, ()):
                continue
            yield _finding(
                "ambiguous",
                f"the rules for {name_of(f)} of the types {_listed(a.types)} and {_listed(b.types)} "
                f"({b.file}:{b.line}) take the same arguments, neither is more specific; declare one for these",
                a,
            )


def _takes_overlap(r: Rule, a: Rule, b: Rule) -> bool:
    """Whether a rule decides between two others, being within both."""
    return r is not a and r is not b and is_narrower(r, a) and is_narrower(r, b)


def _hidden(f: Any, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    out: Any = registry.OPTED_OUT.get(f, ())
    for i, rule in enumerate(rules):
        if not rule.instances and any(not types for types in out) and not rule.types:
            yield _finding("unreachable", f"every call of {name_of(f)} is opted out of its rules", rule)
        for other in rules[:i]:
            if other.needs <= rule.needs and is_narrower(other, rule) and _covers(other, rule):
                yield _finding(
                    "unreachable",
                    f"the rule for {name_of(f)} of the types {_listed(rule.types)} is hidden by the one for "
                    f"{_listed(other.types)} ({other.file}:{other.line})",
                    rule,
                )


def _covers(a: Rule, b: Rule) -> bool:
    """Whether ``a`` takes all that ``b`` takes of at least one argument."""
    theirs = b.types or (object,)
    return len(a.types) <= len(theirs) and all(_is_within(y, x) for x, y in zip(a.types, theirs, strict=False))


def _is_within(x: Any, y: Any) -> bool:
    try:
        return is_within(x, y)
    except TypeError:  # no class
        return False


def _overlap(a: Rule, b: Rule) -> bool:
    """Whether some class known by now is within both, at every position."""

    def common(x: Any, y: Any) -> bool:
        xs, ys = (s if isinstance(s, tuple) else (s,) for s in (x, y))
        return any(_is_within(p, q) or _is_within(q, p) for p in xs for q in ys)

    return all(common(x, y) for x, y in zip(a.types, b.types, strict=False))


def _static() -> Iterator[Finding]:
    from .cases import automatic_cases, cases_for

    for f, splits in list(registry.SPLIT_RULES.items()):
        for split in splits:
            rule = Rule(split.forward, split.types, split.file, split.line)
            for case in cases_for(f) or [c for c, _ in zip(automatic_cases(f, rule), range(1), strict=False)]:
                try:
                    answer = split.forward(*case.args, **case.kwargs)
                    if answer is not NotImplemented:
                        hash(answer[2])
                except TypeError as error:
                    yield Finding("static", f"the static data of {name_of(f)}: {error}", split.file, split.line)
                except Exception:  # the point was no good
                    continue


def _names(f: Any, rule: Rule) -> Iterator[Finding]:
    """Tracebacks show the name of a pullback: it should say whose it is."""
    code = getattr(inspect.unwrap(rule.function), "__code__", None)
    if code is None or code.co_filename == _DERIVED:
        return
    for inside in code.co_consts:
        if isinstance(inside, CodeType) and inside.co_name in ("pullback", "back", "pb", "_", "inner"):
            message = f"the pullback of the rule for {name_of(f)} is called {inside.co_name!r}, not '..._pullback'"
            yield Finding("name", message, rule.file, inside.co_firstlineno, "style")


def _finding(kind: str, message: str, rule: Rule) -> Finding:
    return Finding(kind, message, rule.file, rule.line)


def _listed(types: Any) -> str:
    def one(t: Any) -> str:
        return "|".join(map(one, t)) if isinstance(t, tuple) else getattr(t, "__name__", repr(t))

    return f"({', '.join(map(one, types))})"


def _place_of(f: Any) -> tuple[str, int]:
    """Where a declaration without a place of its own may be looked for: the rules of the function, or itself."""
    for rule in rules_for(f):
        return rule.file, rule.line
    code = getattr(f, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else ("", 0)
