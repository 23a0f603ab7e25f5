"""Where declarations are kept, and when those of a library are loaded. Nothing here knows what a rule is.

Rules for a library that takes long to import are loaded when the program has imported it (`when_loaded`);
rules that an installed package brings along are announced by an entry point of the group ``chainrules``.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

__all__ = ["postponed", "registry_version", "when_declared", "when_loaded"]

GROUP = "chainrules"
"""The entry-point group: the name is a module, the value what to import, or to call, once it is imported."""

RULES: dict[Hashable, tuple[Any, ...]] = {}
INSTANCE_RULES: dict[type, tuple[Any, ...]] = {}
FORWARD_RULES: dict[Hashable, tuple[Any, ...]] = {}
FORWARD_INSTANCE_RULES: dict[type, tuple[Any, ...]] = {}
SPLIT_RULES: dict[Hashable, tuple[Any, ...]] = {}
SCALAR_RULES: dict[Any, Any] = {}  # what the rules of a function have been derived from
PROGRAMS: dict[Hashable, Callable[..., Any]] = {}
SHORTCUTS: dict[Hashable, Callable[..., Any]] = {}
PATTERNS: dict[Hashable, Callable[..., Any]] = {}
NON_DIFFERENTIABLE: set[Hashable] = set()
FOLLOWED: set[Hashable] = set()  # plain Python over what is declared, for engines that follow it
UNSUPPORTED: dict[Hashable, str] = {}
REFUSED: dict[type, str] = {}  # classes whose instances no rule of this library takes, and why
VARYING: dict[type, tuple[str, ...]] = {}  # classes of which all else but these attributes is structure
CONSTANTS: set[type] = set()  # classes whose instances hold nothing that is differentiated
OPAQUE: set[type] = set()  # classes whose instances, and those of their subclasses, hold nothing either
OPTED_OUT: dict[Hashable, tuple[tuple[Any, ...], ...]] = {}

declaring = threading.Lock()  # held where a declaration is entered; lookups see what was there before or after
_version = 0
_listeners: list[Callable[[], object]] = []
# The modules whose rules wait for them, with what declares those; those being loaded stay until they are done.
_pending: tuple[tuple[str, Callable[[], object]], ...] = ()
_running: list[str] = []
_loading = threading.RLock()


def registry_version() -> int:
    """A number that grows with every declaration, late ones of `when_loaded` too; caches keyed by it are
    never stale.

    >>> from chainrules import non_differentiable
    >>> before = registry_version()
    >>> non_differentiable(print)
    >>> registry_version() > before
    True
    """
    count, last, waiting = _looked_at  # as `up_to_date` does, without a call
    loaded = sys.modules
    if len(loaded) != count or next(reversed(loaded)) is not last or _pending is not waiting:
        up_to_date()
    return _version


def changed() -> None:
    """Every declaration calls this while it holds `declaring`."""
    global _version
    _version += 1
    for notify in _listeners:
        notify()


def when_declared(notify: Callable[[], object]) -> None:
    """Have something called after each declaration, late ones of `when_loaded` too.

    For an engine's caches that are read too often to ask for the `registry_version` each time.

    Args:
        notify: called without arguments. It must neither declare nor look up anything.

    >>> from chainrules import non_differentiable
    >>> declared = []
    >>> when_declared(lambda: declared.append("something"))
    >>> non_differentiable(print)
    >>> declared
    ['something']
    """
    _listeners.append(notify)


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
    >>> from chainrules import rules_for, scalar_rule
    >>> def late(x): return 2 * x
    >>> when_loaded("late_module", lambda: scalar_rule(late, 2))
    >>> rules_for(late)
    ()
    >>> sys.modules["late_module"] = types.ModuleType("late_module")
    >>> len(rules_for(late)), sys.modules.pop("late_module").__name__
    (1, 'late_module')
    """
    global _pending
    with _loading:
        _pending = (*_pending, (module, load))


class _Thread(threading.local):
    postpones = False


_thread = _Thread()


@contextmanager
def postponed() -> Iterator[None]:
    """Load nothing that waits for a module before the block has ended, in this thread.

    For modules that make declarations while they are imported, and that what waits imports in its turn.

    >>> import sys, types
    >>> loaded = []
    >>> when_loaded("another_module", lambda: loaded.append(True))
    >>> sys.modules["another_module"] = types.ModuleType("another_module")
    >>> with postponed():
    ...     up_to_date()
    >>> list(loaded), up_to_date(), loaded, sys.modules.pop("another_module").__name__
    ([], None, [True], 'another_module')
    """
    before, _thread.postpones = _thread.postpones, True
    try:
        yield
    finally:
        _thread.postpones = before


_looked_at: tuple[int, str, Any] = (0, "", None)  # how many modules there were, the last of them, and what waited


def up_to_date() -> None:
    """Run what waits for modules that are there by now; every lookup and declaration begins with this."""
    global _pending, _looked_at
    loaded = sys.modules
    count, last, waiting = _looked_at
    newest = next(reversed(loaded))  # new modules come last
    if newest is last and len(loaded) == count and _pending is waiting:
        return
    if _thread.postpones:
        return
    now = (len(loaded), newest, _pending)
    for name, _ in _pending:
        if name in loaded:
            break
    else:
        _looked_at = now
        return
    # Another thread's lookup waits here until the rules are complete; the loader's own lookups pass. What a room needs
    # of another it imports: none is entered while another one is.
    with _loading:
        for entry in () if _running else _pending:
            name, load = entry
            module = loaded.get(name)
            if module is None or _being_imported(module):
                continue
            _running.append(name)
            try:
                load()
            finally:
                _running.remove(name)
                _pending = tuple([e for e in _pending if e is not entry])


def find_plugins() -> None:
    """Have the rules that installed packages announce wait for the modules they are for."""
    if not any(map(_may_announce, sys.path)):
        return
    from importlib.metadata import entry_points  # takes long to import: most programs do without

    # an installation that is found in two places announces everything twice
    for point in {(point.name, point.value): point for point in entry_points(group=GROUP)}.values():
        when_loaded(point.name, partial(_load_plugin, point))
    up_to_date()


def _may_announce(path: str) -> bool:
    """Whether something that is installed at this place of `sys.path` has entry points of the group."""
    try:
        installed = [e.path for e in os.scandir(path or ".") if e.name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:  # an archive, which is not looked into here
        return True
    except OSError:
        return False
    for directory in installed:
        try:
            with open(os.path.join(directory, "entry_points.txt"), "rb") as file:
                if b"[" + GROUP.encode() + b"]" in file.read():
                    return True
        except OSError:
            continue
    return False


def _load_plugin(point: Any) -> None:
    target: Any = import_module(point.module)
    for name in point.attr.split(".") if point.attr else ():
        target = getattr(target, name)
    if point.attr:
        target()


def _being_imported(module: Any) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))
