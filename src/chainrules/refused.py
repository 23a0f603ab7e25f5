"""Classes that look like arrays and mean something else: no rule of the library takes their instances."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .registry import REFUSED, changed, declaring, up_to_date

__all__ = ["reason_refused", "refuse_instances", "refused_classes"]

_ordinary = frozenset((float, int, bool, complex, str, type(None), slice, np.ndarray, np.float64))
_reasons: WeakKeyDictionary[type, tuple[int, str | None]] = WeakKeyDictionary()  # as of so many declarations


def refuse_instances(reason: str, *classes: type) -> None:
    """Say that no rule of this library takes instances of ``classes``, wherever among the arguments they are.

    They look like arrays and mean something else, so that a rule would give a plausible number that is
    wrong. A rule that was declared for the class, or by somebody else, holds.

    Args:
        reason: as for `unsupported`.
        classes: and so their subclasses.

    >>> from chainrules import is_opted_out, reason_unsupported
    >>> class Celsius(float): pass
    >>> refuse_instances("has another zero", Celsius)
    >>> is_opted_out(abs, (Celsius(1.0),)), reason_unsupported(sum, [1.0, Celsius(1.0)])
    (True, 'has another zero')
    """
    up_to_date()
    with declaring:
        REFUSED.update(dict.fromkeys(classes, reason))
        changed()


def refused_classes() -> tuple[type, ...]:
    """What `refuse_instances` was told."""
    return tuple(REFUSED)


def reason_refused(args: Any) -> str | None:
    """Why rules do not take these arguments; ``None`` where none is of a refused class, at any depth of lists.

    >>> reason_refused((1.0, [2.0])) is None
    True
    """
    for x in args:
        kind = type(x)
        if kind in _ordinary:
            continue
        if kind is list or kind is tuple:
            reason = reason_refused(x)
        else:
            entry = _reasons.get(kind)
            reason = entry[1] if entry is not None and entry[0] == len(REFUSED) else _reason_of(kind)
        if reason is not None:
            return reason
    return None


def _reason_of(kind: type) -> str | None:
    reason = next((r for cls, r in REFUSED.items() if issubclass(kind, cls)), None)
    _reasons[kind] = (len(REFUSED), reason)
    return reason
