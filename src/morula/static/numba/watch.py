"""Whether what an adjoint was generated from is what Numba has compiled, or would compile now."""

from collections import OrderedDict
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from morula.static.numba.called_rules import has_rule
from morula.static.numba.compiled_in import mark_of, refuse_stale
from morula.static.numba.frozen import MISSING, Frozen, content_of, frozen_names, is_fixed
from morula.static.numba.implementations import implementations, is_jitable
from morula.static.tiers.dispatch import is_dispatcher


def outside_of(functions: Iterable[Any]) -> tuple[Frozen, list[Any]]:
    """What compiled functions read from outside, and those that they call: all that Numba freezes in them.

    Args:
        functions: under `numba.njit`.

    Returns:
        The names, and the functions with all that they call, at every depth. What a function with a rule reads does not
        count.
    """
    found, every = Frozen(), list(functions)
    for f in every:
        function = getattr(f, "py_func", f)
        names = dict.fromkeys(frozen_names(function.__code__))
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name in names:
            space, key = (cells[name], None) if name in cells else (function.__globals__, name)
            value = content_of(cells[name]) if name in cells else function.__globals__.get(name, MISSING)
            if value is MISSING or is_fixed(value):
                continue
            found.note(space, key, value)
            values = [value]
            if isinstance(value, ModuleType):
                inside = vars(value)
                for attribute in names.keys() & inside.keys():
                    found.note(inside, attribute, inside[attribute])
                    values.append(inside[attribute])
            values += [g for v in values for g in implementations(v)]
            called = [v for v in values if (is_dispatcher(v) or is_jitable(v)) and not has_rule(v)]
            every += [v for v in called if not any(v is g for g in every)]
    return found, list(filter(is_dispatcher, every))


def newest(overloads: OrderedDict) -> Any:
    """The machine code that was made last; None where there is none.

    The methods of an `OrderedDict` itself would look it up by its types, whose hashes take microseconds.
    """
    return next(reversed(dict.values(overloads)), None)


class Watch:
    """Whether a generated adjoint is that of what Numba has compiled, or would compile now.

    Numba freezes what a function reads from outside when it compiles it. An adjoint holds as long as what it was
    generated from is what stands there at that time, and from then on for ever.

    Attributes:
        f: the function, under `numba.njit`.
        argument_types: Numba's types for which the adjoint is.
        shelf: where on disk the adjoint is kept, under a key that tells the values; None where it is not.
        is_idle: whether the function reads nothing from outside, so that there is nothing to watch.
    """

    def __init__(self, f: Any, argument_types: tuple, shelf: Any = None):
        self.f, self.argument_types, self.shelf = f, argument_types, shelf
        given = [t.dispatcher for t in argument_types if hasattr(t, "dispatcher")]
        self._outside, self._functions = outside_of([f, *given])
        self.is_idle = not self._outside.names and len(self._functions) == 1
        self._overloads = f.overloads
        self._made = dict.values(f.overloads)  # see `newest`
        self._last: Any = MISSING
        self._latest: list[int] = []
        self._is_compiled = False

    def holds(self) -> bool:
        """Whether all is as `settle` found it."""
        if self.is_idle:
            return True
        if next(reversed(self._made), None) is not self._last:
            return False
        return self._is_compiled or (self._outside.is_current() and self._latest == self._newest())

    def settle(self) -> bool:
        """Look anew; False where the adjoint is out of date.

        Raises:
            NotDifferentiable: Numba has compiled other values than those that stand there now.
        """
        if not self._outside.is_unchanged():
            return False
        if not self._has_overload() and self._outside.contents and self.f._can_compile:
            self.f.compile(self.argument_types)  # arrays may change before it is called
        for g in self._functions:
            refuse_stale(g, lambda mark: self.shelf is not None and self.shelf.has_mark(mark))
        self._note_proof()
        self._is_compiled = self._has_overload()
        self._last = newest(self._overloads)
        self._latest = self._newest()
        return True

    def _note_proof(self) -> None:
        """Write down which machine code is that of the values now, so that no later process has to find out."""
        overload = self._overloads.get(self.argument_types)
        if self.shelf is not None and overload is not None:
            mark = mark_of(overload)
            if not self.shelf.has_mark(mark):
                self.shelf.keep_mark(mark)

    def _newest(self) -> list[int]:
        """The newest machine code of all functions but the first, which is `f`."""
        return [id(newest(g.overloads)) for g in self._functions[1:]]

    def _has_overload(self) -> bool:
        return self.argument_types in self._overloads or not self.f._can_compile
