"""A refusal belongs to the run: the program neither catches it, nor puts something else in its place.

The errors of this package are Python exceptions of ordinary classes, so that whoever calls a verb can catch them. The
plain program does not raise them, though: a handler that caught one would send the program along a path that it does
not take. So the first clause of each transformed ``try`` lets them through and notes them, ``finally`` and ``__exit__``
run to clean up and have no say, and a run that has noted a refusal ends with it, whatever the program came to.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from chainrules import NotImplementedDerivative
from morula.eager.calls.watched_observers import stop_watching
from morula.eager.context.part import Part
from morula.errors import MorulaError, NativeFallbackWarning

REFUSALS = (MorulaError, NotImplementedDerivative, NativeFallbackWarning)  # a warning where filters make it an error


class Refusals(Part):
    """What a context notes of the errors that are not the program's."""

    __slots__ = ("refusal",)

    refusal: BaseException | None

    refusals = REFUSALS  # the head of the first clause of a transformed ``try``

    def refuse(self) -> None:
        """Note the refusal that is being raised. What raised it goes on to raise it."""
        self.note_refusal(sys.exc_info()[1])

    def note_refusal(self, error: BaseException | None) -> bool:
        """Note an error if it is a refusal; whether it is one."""
        if not isinstance(error, REFUSALS):
            return False
        if self.refusal is None:
            self.refusal = error
        return True

    def stay_refused(self) -> None:
        """Raise the refusal that the program is about to leave behind: by a jump out of ``finally``, say."""
        if self.refusal is not None:
            raise self.refusal

    def seen_by(self, kinds: Any) -> Any:
        """The head of an ``except*`` clause, which sees no refusal."""
        return () if self.note_refusal(sys.exc_info()[1]) else kinds

    def leave(self, leave: Callable, error: tuple) -> Any:
        """``leave(*error)``, the ``__exit__`` of a context manager, whose answer to a refusal does not count."""
        if not self.note_refusal(error[1]):
            return leave(*error)
        with suppress(Exception):  # the refusal in other words, say
            leave(*error)
        return False

    def noting(self, call: Callable, *args: Any) -> Any:
        """``call(*args)``, a run of its own that code which is not transformed has asked for, and may catch."""
        try:
            return call(*args)
        except REFUSALS as error:
            self.note_refusal(error)
            raise

    def whole(self, call: Callable, *args: Any) -> Any:
        """``call(*args)``, all that a run does. It ends with the refusal that was met on the way, if there was one."""
        try:
            found = call(*args)
            if self.elsewhere:
                self.check_elsewhere()
        except Exception as error:
            if self.refusal is None or error is self.refusal:
                raise
        finally:
            if self.records.watched:
                stop_watching(self.records)
        self.note_refusal(self.records.refusal)
        self.stay_refused()
        return found
