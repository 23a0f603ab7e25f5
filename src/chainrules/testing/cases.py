"""Where rules are to be tested: points that a package declares, or found automatically."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

import numpy as np

from ..checks import TypeSpec
from ..rules import Rule
from ..scalar import scalar_rule_for
from .calling import plain_call
from .leaves import is_inexact, leaves, settled

__all__ = ["Case", "automatic_cases", "cases", "cases_for"]


@dataclass(frozen=True, eq=False)
class Case:
    """A call at which a rule is tested.

    Attributes:
        args: the positional arguments.
        kwargs: the keywords.
        of: the instance to call, where the rule is for calls of instances.
        options: what `test_rrule` and `test_frule` are told: ``rtol``, ``atol``, ``constant``, ``check_complex`` ...
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    of: Any = None
    options: dict[str, Any] = field(default_factory=dict)


_declared: dict[Any, list[Case]] = {}


def cases(f: Any, *points: Any, **options: Any) -> None:
    """Declare where the rules of ``f`` are to be tested by ``pytest --chainrules``.

    Args:
        f: what has rules; for calls of instances, their class.
        points: tuples of positional arguments, or `Case`s. Several for a function whose rules depend on types:
            every rule has to be reached by one.
        options: for all of them, as `Case.options`.

    >>> def scale(x, by): return x * by
    >>> cases(scale, (2.0, 3.0), (np.ones(3), 2.0), rtol=1e-8)
    >>> [c.args for c in cases_for(scale)][0]
    (2.0, 3.0)
    """
    made = [p if isinstance(p, Case) else Case(tuple(p)) for p in points]
    _declared.setdefault(f, []).extend(Case(c.args, c.kwargs, c.of, {**options, **c.options}) for c in made)


def cases_for(f: Any) -> tuple[Case, ...]:
    """The points that were declared by `cases` for ``f``, in order; or an empty tuple.

    >>> cases_for(print)
    ()
    """
    return tuple(_declared.get(f, ()))


# Points within most functions' domains, by kind: first those that are good for anything.
_NUMBERS = (0.37, 1.43, -0.62, 2.9, 0.08)
_SQUARE = np.array([[2.1, 0.3, -0.4], [0.2, 1.7, 0.5], [-0.1, 0.4, 2.6]])
_VECTORS = (np.array([0.31, 0.72, 0.55]), np.array([1.37, 2.21, 1.84]), np.array([-0.42, 0.63, -0.17]))
_MATRICES = (_SQUARE, _SQUARE @ _SQUARE.T, _SQUARE[:2] / 4)
_OTHERS: dict[Any, tuple[Any, ...]] = {
    float: _NUMBERS,
    complex: (0.3 + 0.4j, 1.2 - 0.7j),
    int: (2, 1, 3),
    np.ndarray: (*_VECTORS, *_MATRICES),
    list: ([0.3, 0.9, 0.5], [1.3, 2.2]),
    tuple: ((0.3, 0.9, 0.5),),
    bool: (True,),
    np.floating: (np.float64(0.37), np.float64(1.43)),
}
_MOST_TRIES, _MOST_POINTS = 400, 3


def automatic_cases(f: Any, rule: Rule) -> Iterator[Case]:
    """Points where ``f`` has a finite value, found by trying ordinary numbers and arrays.

    Only positional parameters without defaults are given; of the types that the rule is for, or numbers and arrays.

    Args:
        f: what the rule is for.
        rule: the rule.

    >>> def root(x): return np.sqrt(x - 1)
    >>> case = next(automatic_cases(root, Rule(root, (float,), "", 0)))
    >>> case.args
    (1.43,)
    """
    if rule.instances:
        for one in islice(_instances(f), 3):
            yield from islice(_points(one, rule, rule.types[1:]), 2)
    else:
        yield from _points(f, rule, rule.types)


def _points(f: Any, rule: Rule, types: tuple[TypeSpec, ...]) -> Iterator[Case]:
    n = _arity(f, rule)
    if n is None:
        return
    of = f if rule.instances else None
    for kinds in _kinds(n, types):
        found = 0
        for args in islice(_together([_of_kind(k) for k in kinds]), _MOST_TRIES):
            if _is_in_domain(f, args):
                yield Case(args, of=of)
                found += 1
                if found == _MOST_POINTS:
                    break


def _kinds(n: int, types: tuple[TypeSpec, ...]) -> Iterator[tuple[Any, ...]]:
    """What kinds of arguments to try: those of the rule, and numbers, arrays, or one array among numbers."""
    fixed = [t[0] if isinstance(t, tuple) else t for t in types]
    free = max(n - len(fixed), 0)
    if not free:
        yield tuple(fixed[:n]) if n >= len(fixed) else tuple(fixed)
        return
    yield (*fixed, *[float] * free)
    yield (*fixed, *[np.ndarray] * free)
    if free > 1:
        yield (*fixed, np.ndarray, *[float] * (free - 1))


def _of_kind(kind: Any) -> tuple[Any, ...]:
    if kind in _OTHERS:
        return _OTHERS[kind]
    return next((points for base, points in _OTHERS.items() if isinstance(kind, type) and issubclass(base, kind)), ())


def _together(choices: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """All combinations, those of unlike numbers first."""
    if choices and all(choices):
        longest = max(map(len, choices))
        for shift in range(longest):
            yield tuple(c[(i + shift) % len(c)] for i, c in enumerate(choices))
        yield from product(*choices)
    elif not choices:
        yield ()


def _is_in_domain(f: Any, args: tuple[Any, ...]) -> bool:
    try:
        with np.errstate(all="ignore"):
            y = settled(plain_call(f, args, {}))
    except Exception:
        return False
    found = [leaf for _, leaf in leaves(y, fields=True) if is_inexact(leaf)]
    return bool(found) and all(np.all(np.isfinite(leaf)) for leaf in found)


def _arity(f: Any, rule: Rule) -> int | None:
    """How many arguments have to be given."""
    scalar = None if rule.instances else scalar_rule_for(f)
    if scalar is not None and scalar.types == rule.types:
        return len(scalar.partials)
    for function, own in ((f, 0), (rule.function, bool(rule.needs) + rule.instances)):
        try:
            parameters = list(inspect.signature(function).parameters.values())[own:]
        except (TypeError, ValueError):
            continue
        required = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        n = sum(p.default is p.empty for p in required)
        if any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
            return None
        return max(n, len(rule.types) - rule.instances)
    return None


def _instances(cls: Callable[..., Any]) -> Iterator[Any]:
    """Some instances of a class whose constructor takes numbers or arrays."""
    try:
        n = sum(
            p.default is p.empty
            for p in inspect.signature(cls).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        )
    except (TypeError, ValueError):
        return
    for kind in (float, np.ndarray):
        for args in islice(_together([_of_kind(kind)] * n), 3):
            try:
                yield cls(*args)
            except Exception:
                continue
