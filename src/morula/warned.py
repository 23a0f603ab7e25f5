"""Warnings carry the line of the user's program, not that of the engine's code that computes in its place.

NumPy warns where one of its functions is called, which in a differentiated program is in the engine. Such a warning is
issued anew where the program stands, so that filters by module and "once for each line" mean what they mean plainly.
"""

import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from morula.frames import ENGINE, KINDS

STATIC = "<static adjoint of "  # the file name of texts, whose local variable `function` is what they stand for


def is_of_engine(filename: str) -> bool:
    """Whether a file is one of the engine's, or a text that it has generated."""
    return KINDS[filename] == ENGINE or filename.startswith(STATIC)


def place_of(frame: FrameType | None) -> tuple[str, int, dict[str, Any]] | None:
    """File, line and globals of the innermost code that is not the engine's."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(STATIC):
            function = frame.f_locals.get("function")
            if function is not None:
                return function.__code__.co_filename, function.__code__.co_firstlineno, function.__globals__
        elif KINDS[code.co_filename] != ENGINE:
            return code.co_filename, frame.f_lineno, frame.f_globals
        frame = frame.f_back
    return None


def showing_at_user_lines(show: Callable[[Any], None]) -> Callable[[Any], None]:
    """What shows a warning as `show` does, but one of the engine's where the program stands."""

    def show_at_user_line(message: Any) -> None:
        frame = sys._getframe(1)
        place = place_of(frame) if is_of_engine(message.filename) else None
        if place is None:
            return show(message)
        # What was noted of the engine's line counts for nothing, for all of a program's warnings come from there.
        frame.f_globals.get("__warningregistry__", {}).clear()
        warnings.onceregistry.pop((str(message.message), message.category), None)  # type: ignore[attr-defined]
        filename, line, space = place
        registry = space.setdefault("__warningregistry__", {})
        given = message.message, message.category, filename, line, space.get("__name__"), registry
        return warnings.warn_explicit(*given, source=message.source)

    return show_at_user_line


if hasattr(warnings, "_showwarnmsg"):  # which Python calls for each warning that is to be seen
    warnings._showwarnmsg = showing_at_user_lines(warnings._showwarnmsg)
