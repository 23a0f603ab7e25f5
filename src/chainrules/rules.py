"""The one registry of rules: what a rule is, how it is declared and how it is found.

A rule for ``f`` is called as ``f`` is and returns ``(y, pullback)``, or ``NotImplemented`` to decline.
``pullback(y_bar)`` returns a tuple with one cotangent per positional argument; a value that is not a tuple
is the cotangent of the only positional argument. Cotangents are natural: whoever calls brings them to shape
with `chainrules.project`. A rule never writes into what it was given.

Rules for a library that takes long to import are loaded when the program has imported it: see `when_loaded`.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

__all__ = [
    "Rule",
    "as_positional",
    "covered",
    "ignore_derivatives",
    "is_non_differentiable",
    "is_opted_out",
    "non_differentiable",
    "opt_out",
    "registry_version",
    "rrule",
    "rules_for",
    "when_loaded",
]

F = TypeVar("F", bound=Callable[..., Any])
TypeSpec = type | tuple[type, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule.

    Attributes:
        function: called with the arguments of the function it is for, returns ``(y, pullback)``.
        types: one class, or tuple of classes, for each of the first positional arguments; empty accepts
            all.
        file: where the rule was written.
        line: the line there.
        instances: whether the rule is for calls of instances of a class, which are then the first argument.
    """

    function: Callable[..., Any]
    types: tuple[TypeSpec, ...]
    file: str
    line: int
    instances: bool = False

    def accepts(self, args: tuple[Any, ...]) -> bool:
        """Whether the positional arguments are of the types the rule is for.

        >>> Rule(len, (float,), "", 0).accepts((1.0,)), Rule(len, (float,), "", 0).accepts(("a",))
        (True, False)
        """
        types = self.types
        if not types:
            return True
        return len(args) >= len(types) and all(map(isinstance, args, types))


_rules: dict[Hashable, tuple[Rule, ...]] = {}
_instance_rules: dict[type, tuple[Rule, ...]] = {}
_non_differentiable: set[Hashable] = set()
_opted_out: dict[Hashable, tuple[tuple[TypeSpec, ...], ...]] = {}
_scalar_rules: dict[Any, Any] = {}  # what `scalar` has derived the rule of a function from
_version = 0
# The modules whose rules wait for them, with what declares those; those being loaded stay until they are done.
_pending: tuple[tuple[str, Callable[[], object]], ...] = ()
_running: list[str] = []
_loading = threading.RLock()
_declaring = threading.Lock()  # held where a declaration is entered; lookups see what was there before or after


def rrule(f: Any, *types: TypeSpec, instances: bool = False) -> Callable[[F], F]:
    """Declare a rule for ``f``; a decorator.

    Args:
        f: a function, builtin, ufunc, method descriptor such as ``np.ndarray.sum``, or a class (its
            constructor).
        types: one class or tuple of classes for each of the first positional arguments. Rules with types
            are tried before the one without, the most specific first. The same ``f`` and types again
            replace the old rule.
        instances: ``f`` is a class, and the rule is for calls of its instances: the instance is the first
            argument, and its cotangent the first that the pullback returns.

    Raises:
        TypeError: where ``f`` is not hashable, or ``instances`` is asked for something that is no class.

    >>> def cube(x): return x**3
    >>> @rrule(cube)
    ... def _(x):
    ...     def cube_pullback(y_bar):
    ...         return 3 * x**2 * y_bar
    ...     return cube(x), cube_pullback
    >>> y, back = rules_for(cube)[0].function(2.0)
    >>> y, back(1.0)
    (8.0, 12.0)
    """
    hash(f)
    if instances and not isinstance(f, type):
        raise TypeError(f"rrule(..., instances=True) needs a class, not {f!r}")

    def declare(function: F) -> F:
        code = getattr(function, "__code__", None)
        if code is not None:
            file, line = code.co_filename, code.co_firstlineno
        else:
            caller = sys._getframe(1)
            file, line = caller.f_code.co_filename, caller.f_lineno
        add_rule(f, Rule(function, types, file, line, instances))
        return function

    return declare


def add_rule(f: Any, rule: Rule) -> None:
    """Enter a rule for ``f`` that is made already; `rrule` is the usual way."""
    if _pending:
        _load_pending()
    registry: dict[Any, tuple[Rule, ...]] = _instance_rules if rule.instances else _rules
    with _declaring:
        others = [r for r in registry.get(f, ()) if r.types != rule.types]
        registry[f] = _ordered([*others, rule])
        derived = _scalar_rules.get(f)
        if derived is not None and derived.types == rule.types:  # it is replaced
            del _scalar_rules[f]
        _changed()


def rules_for(f: Any) -> tuple[Rule, ...]:
    """The rules for calls of ``f``, most specific first; empty where there are none.

    Args:
        f: any callable. Where it has no rule of its own, the rules for calls of instances of its class (or
            the nearest base that has some) are returned; those have ``rule.instances``.

    >>> rules_for(print)
    ()
    """
    if _pending:
        _load_pending()
    try:
        found = _rules.get(f)
    except TypeError:
        found = None
    if found is not None:
        return found
    if _instance_rules:
        for cls in type(f).__mro__:
            if cls in _instance_rules:
                return _instance_rules[cls]
    return ()


def as_positional(
    rule: Rule, args: tuple[Any, ...], kwargs: Mapping[str, Any], names: Iterable[str]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The same call with the keywords ``names`` made positional: a pullback answers for positional ones only.

    Args:
        rule: the rule that will be called.
        args: positional arguments.
        kwargs: keyword arguments.
        names: the keywords whose values are active.

    Returns:
        New ``(args, kwargs)``, with defaults filled in on the way; ``None`` where a keyword has no position.

    >>> def f_rule(x, axis=None, weights=None): ...
    >>> as_positional(Rule(f_rule, (), "", 0), (1.0,), {"weights": 2.0}, ["weights"])
    ((1.0, None, 2.0), {})
    """
    try:
        parameters = list(inspect.signature(rule.function).parameters.values())
    except (TypeError, ValueError):
        return None
    waiting, rest, positional = set(names), dict(kwargs), list(args)
    for p in parameters[len(args) :]:
        if not waiting:
            break
        if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            return None
        if p.name not in rest and p.default is p.empty:
            return None
        positional.append(rest.pop(p.name, p.default))
        waiting.discard(p.name)
    return None if waiting else (tuple(positional), rest)


def non_differentiable(*fs: Any) -> None:
    """Declare that what ``fs`` return does not depend differentiably on their arguments: derivative zero.

    Args:
        fs: functions, builtins, ufuncs, method descriptors or classes.

    >>> def epoch(x): return 3
    >>> non_differentiable(epoch)
    >>> is_non_differentiable(epoch)
    True
    """
    if _pending:
        _load_pending()
    with _declaring:
        _non_differentiable.update(fs)
        _changed()


def is_non_differentiable(f: Any) -> bool:
    """Whether ``f`` was declared by `non_differentiable`.

    >>> is_non_differentiable(len), is_non_differentiable(abs)
    (True, False)
    """
    if _pending:
        _load_pending()
    try:
        return f in _non_differentiable
    except TypeError:
        return False


def opt_out(f: Any, *types: TypeSpec) -> None:
    """Declare that the general rules for ``f`` are wrong for arguments of these types.

    A rule for more specific types than these still holds.

    Args:
        f: as for `rrule`.
        types: as for `rrule`; none at all opts every call out.

    >>> class Interval(float): pass
    >>> opt_out(abs, Interval)
    >>> is_opted_out(abs, (Interval(1.0),)), is_opted_out(abs, (1.0,))
    (True, False)
    """
    if _pending:
        _load_pending()
    with _declaring:
        _opted_out[f] = (*(t for t in _opted_out.get(f, ()) if t != types), types)
        _changed()


def is_opted_out(f: Any, args: tuple[Any, ...]) -> bool:
    """Whether a call of ``f`` with these positional arguments was opted out of its rules.

    >>> is_opted_out(abs, (1.0,))
    False
    """
    if not _opted_out:
        return False
    try:
        signatures = _opted_out.get(f)
    except TypeError:
        return False
    for types in signatures or ():
        out = Rule(f, types, "", 0)
        if out.accepts(args) and not any(_narrower(r, out) and r.accepts(args) for r in rules_for(f)):
            return True
    return False


def registry_version() -> int:
    """A number that grows with every declaration, late ones of `when_loaded` too; caches keyed by it are
    never stale.

    >>> before = registry_version()
    >>> non_differentiable(print)
    >>> registry_version() > before
    True
    """
    if _pending:
        _load_pending()
    return _version


def when_loaded(module: str, load: Callable[[], object]) -> None:
    """Declare the rules for a module once the program has imported it, and never import it for them.

    Whatever is looked up or declared first after the module has appeared in `sys.modules`, and is not in
    the middle of its own import, finds the rules there: a function of the module cannot be called earlier.
    What the program declares for the module's functions is declared later, and so takes precedence.

    Args:
        module: its full name, ``"scipy.special"``.
        load: called once, without arguments; makes its declarations as usual, most often by importing the
            module that holds them. What it raises goes to whoever looks up, once.

    >>> import sys, types
    >>> def late(x): return 2 * x
    >>> when_loaded("late_module", lambda: scalar_rule(late, 2))
    >>> from chainrules import scalar_rule
    >>> rules_for(late)
    ()
    >>> sys.modules["late_module"] = types.ModuleType("late_module")
    >>> len(rules_for(late)), sys.modules.pop("late_module").__name__
    (1, 'late_module')
    """
    global _pending
    with _loading:
        _pending = (*_pending, (module, load))


def _load_pending() -> None:
    """Run what waits for modules that are there by now."""
    global _pending
    loaded = sys.modules
    for name, _ in _pending:
        if name in loaded:
            break
    else:
        return
    # Another thread's lookup waits here until the rules are complete; the loader's own lookups pass.
    with _loading:
        for entry in _pending:
            name, load = entry
            module = loaded.get(name)
            if module is None or name in _running or _being_imported(module):
                continue
            _running.append(name)
            try:
                load()
            finally:
                _running.remove(name)
                _pending = tuple([e for e in _pending if e is not entry])


def _being_imported(module: Any) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def covered() -> Mapping[Any, tuple[Rule, ...]]:
    """Every key that has rules, with them; read-only. Keys of instance rules are the classes.

    The rules that wait for a module (see `when_loaded`) are there once it is imported.

    >>> abs in covered()
    True
    """
    if _pending:
        _load_pending()
    return MappingProxyType({**_instance_rules, **_rules})


def non_differentiable_names() -> Iterable[Any]:
    """Everything that was declared by `non_differentiable`."""
    if _pending:
        _load_pending()
    return frozenset(_non_differentiable)


def ignore_derivatives(x: Any) -> Any:
    """``x`` itself, as a constant: no derivative flows through.

    >>> ignore_derivatives(3.0)
    3.0
    """
    return x


def _changed() -> None:
    global _version
    _version += 1


def _ordered(rules: list[Rule]) -> tuple[Rule, ...]:
    """Each rule before those it is narrower than, those without types last, otherwise the latest first."""
    waiting, ordered = rules[::-1], []
    while waiting:
        first = next(r for r in waiting if not any(_narrower(other, r) for other in waiting if other is not r))
        waiting.remove(first)
        ordered.append(first)
    return tuple(ordered)


def _narrower(a: Rule, b: Rule) -> bool:
    """Whether ``a`` accepts only a part of what ``b`` accepts."""
    if a.types == b.types or len(a.types) < len(b.types):
        return False
    return all(_within(x, y) for x, y in zip(a.types, b.types, strict=False))


def _within(x: TypeSpec, y: TypeSpec) -> bool:
    members = x if isinstance(x, tuple) else (x,)
    return all(issubclass(m, y) for m in members)


non_differentiable(ignore_derivatives)
