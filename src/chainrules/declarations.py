"""Declarations that are not rules: what has no derivative, what has no rule, and for which types."""

from __future__ import annotations

from typing import Any
from weakref import ProxyTypes, WeakKeyDictionary

from .checks import check_key, checked_types
from .refused import reason_refused
from .registry import (
    CONSTANTS,
    FOLLOWED,
    NON_DIFFERENTIABLE,
    OPAQUE,
    OPTED_OUT,
    UNSUPPORTED,
    changed,
    declaring,
    up_to_date,
)

__all__ = [
    "constant_instances",
    "ignore_derivatives",
    "is_constant",
    "is_non_differentiable",
    "needs_no_rule",
    "non_differentiable",
    "opaque",
    "opt_out",
    "reason_unsupported",
    "unsupported",
]


def non_differentiable(*fs: Any) -> None:
    """Declare that the results of ``fs`` do not depend differentiably on the arguments: their derivative is zero.

    Args:
        fs: functions, builtins, ufuncs, method descriptors or classes.

    >>> def epoch(x): return 3
    >>> non_differentiable(epoch)
    >>> is_non_differentiable(epoch)
    True
    """
    for f in fs:
        check_key(f)
    up_to_date()
    with declaring:
        NON_DIFFERENTIABLE.update(fs)
        changed()


def constant_instances(*classes: type) -> None:
    """Declare that instances of ``classes`` hold nothing that is differentiated, so that no engine searches them.

    To make one has no derivative either. Subclasses are not included.

    >>> class Table: pass
    >>> constant_instances(Table)
    >>> is_constant(Table()), is_non_differentiable(Table)
    (True, True)
    """
    non_differentiable(*classes)
    with declaring:
        CONSTANTS.update(classes)
        changed()


def is_constant(x: Any) -> bool:
    """Whether the class of ``x`` was declared by `constant_instances`, or it or a base of it by `opaque`.

    So is a weak proxy whose object is gone, which cannot even be asked for its class.

    >>> is_constant(1.0)
    False
    """
    kind = type(x)
    if kind in CONSTANTS:
        return True
    if kind in ProxyTypes and is_gone(x):
        return True
    if not OPAQUE:
        return False
    answer = _opaque.get(kind)
    if answer is None or answer[0] != len(OPAQUE):
        found = not OPAQUE.isdisjoint(kind.__mro__)
        answer = _opaque[kind] = (len(OPAQUE), found)
    return answer[1]


def is_gone(proxy: Any) -> bool:
    """Whether the object of a weak proxy is gone."""
    try:
        proxy.__class__  # noqa: B018
    except ReferenceError:
        return True
    return False


_opaque: WeakKeyDictionary[type, tuple[int, bool]] = WeakKeyDictionary()  # as of so many declarations


def opaque(*classes: type) -> None:
    """Declare that instances of ``classes``, and of classes derived from them, hold nothing that is differentiated.

    For handles: functions of another engine, pools of processes, clients. No engine searches them for values that
    depend on what is differentiated by, or looks whether they have changed. Unlike `constant_instances` it says
    nothing of calls: what a method or a call of such an object means is said by a rule.

    Raises:
        TypeError: where one is no class.

    >>> class Pool: pass
    >>> class Cluster(Pool): pass
    >>> opaque(Pool)
    >>> is_constant(Cluster()), is_non_differentiable(Cluster)
    (True, False)
    """
    for cls in classes:
        if not isinstance(cls, type):
            raise TypeError(f"opaque(*classes) takes classes, not {cls!r:.60}")
    up_to_date()
    with declaring:
        OPAQUE.update(classes)
        changed()


def is_non_differentiable(f: Any) -> bool:
    """Return whether ``f`` was declared by `non_differentiable`.

    Returns:
        True or False.

    >>> is_non_differentiable(len), is_non_differentiable(abs)
    (True, False)
    """
    up_to_date()
    try:
        return f in NON_DIFFERENTIABLE
    except TypeError:
        return False


def unsupported(reason: str, *fs: Any) -> None:
    """Declare that ``fs`` deliberately have no rule, and why. Engines quote the reason when they refuse a call.

    It is a word to people: an engine that has means of its own to follow such a function may do so.

    Args:
        reason: why, and what to do instead; goes on after the function's name, or after "it".
        fs: functions, builtins, ufuncs, method descriptors or classes.

    >>> def launch(x): ...
    >>> unsupported("starts a rocket", launch)
    >>> reason_unsupported(launch)
    'starts a rocket'
    """
    if not isinstance(reason, str):
        raise TypeError(f"unsupported(reason, *fs): the reason must be a string, not {reason!r:.60}")
    for f in fs:
        check_key(f)
    up_to_date()
    with declaring:
        UNSUPPORTED.update(dict.fromkeys(fs, reason))
        changed()


def reason_unsupported(f: Any, *args: Any) -> str | None:
    """Return why ``f`` has no rule, if that was declared by `unsupported`; otherwise ``None``.

    Args:
        f: any callable.
        args: of a call of ``f``; where one is of a class that was refused, that is the reason.

    >>> reason_unsupported(abs) is None
    True
    """
    up_to_date()
    reason = reason_refused(args)
    if reason is not None:
        return reason
    try:
        return UNSUPPORTED.get(f)
    except TypeError:
        return None


def needs_no_rule(*fs: Any) -> None:
    """Declare that ``fs`` are Python code over declared functions, so that an engine that follows it needs no rule.

    It documents, and changes no lookup; coverage lists them as ``followed``.

    >>> def twice(x): return x + x
    >>> needs_no_rule(twice)
    """
    for f in fs:
        check_key(f)
    up_to_date()
    with declaring:
        FOLLOWED.update(fs)
        changed()


def opt_out(f: Any, *types: type | tuple[type, ...]) -> None:
    """Declare that the general rules for ``f`` are wrong for arguments of these types.

    A rule for more specific types than these still holds.

    Args:
        f: as for `chainrules.rrule`.
        types: as for `chainrules.rrule`; none at all opts every call out.

    >>> from chainrules import is_opted_out
    >>> class Interval(float): pass
    >>> opt_out(divmod, Interval)
    >>> is_opted_out(divmod, (Interval(1.0), 2.0)), is_opted_out(divmod, (1.0, 2.0))
    (True, False)
    """
    check_key(f)
    types = checked_types(types)
    up_to_date()
    with declaring:
        OPTED_OUT[f] = (*(t for t in OPTED_OUT.get(f, ()) if t != types), types)
        changed()


def ignore_derivatives(x: Any) -> Any:
    """Return ``x`` as a constant, through which no derivative flows.

    >>> ignore_derivatives(3.0)
    3.0
    """
    return x


non_differentiable(ignore_derivatives)
