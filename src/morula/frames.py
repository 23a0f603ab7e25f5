"""Frames: whose code runs in them, and which of them called."""

import functools
import os
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

# code objects and instructions in turn, innermost first
Callers = tuple[Any, ...]


def is_engine_frame(frame_globals: dict) -> bool:
    """Whether a frame with these globals is one of Morula's or chainrules' own."""
    return frame_globals.get("__name__", "").split(".")[0] in ("morula", "chainrules")


# Also those of other environments, which ``.pth`` files and PYTHONPATH add.
PACKAGE_FOLDERS = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


@functools.cache
def library_folders() -> tuple[str, ...]:
    """The folders of the standard library and of installed packages."""
    import sysconfig  # takes milliseconds, which only an error needs

    return tuple(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def is_installed(filename: str) -> bool:
    """Whether a file belongs to the standard library or to an installed package."""
    if filename.startswith(("<frozen ", "<__array_function__ ", *library_folders())):
        return True
    return any(folder in filename for folder in PACKAGE_FOLDERS)


ENGINE, LIBRARY, USER = 0, 1, 2
HOME = os.path.dirname(os.path.abspath(__file__))
OWN = tuple(os.path.join(folder, "") for folder in (HOME, os.path.join(os.path.dirname(HOME), "chainrules")))


class Kinds(dict):
    """file name -> whose it is: `ENGINE`, `LIBRARY` or `USER`."""

    def __missing__(self, filename: str) -> int:
        kind = ENGINE if filename.startswith(OWN) else LIBRARY if is_installed(filename) else USER
        self[filename] = kind
        return kind

    def frames_from(self, frame: FrameType | None) -> Iterator[FrameType]:
        """The frames that are not the engine's, the innermost first."""
        while frame is not None:
            if self[frame.f_code.co_filename]:
                yield frame
            frame = frame.f_back


KINDS = Kinds()


def callers(frame: FrameType) -> Callers:
    """The calls outside the engine that lead to `frame`, up to one by code of the user's.

    Takes a small part of a microsecond for each frame: what a line is, is worked out by `lines_of`.
    """
    back: FrameType | None = frame
    code = frame.f_code
    kind = KINDS[code.co_filename]
    if kind == ENGINE and (back := frame.f_back) is not None:
        code = back.f_code
        kind = KINDS[code.co_filename]
    if kind == USER and back is not None:  # most frequently
        return (code, back.f_lasti)
    found: list[Any] = []
    while back is not None:
        code = back.f_code
        kind = KINDS[code.co_filename]
        if kind:
            found += (code, back.f_lasti)
            if kind == USER:
                break
        back = back.f_back
    return tuple(found)


def lines_of(found: Callers) -> list[tuple[CodeType, int | None]]:
    """Code objects and lines, as `callers` found them.

    >>> import sys
    >>> lines_of(callers(sys._getframe()))[0][1]
    1
    """
    return [
        (code, next((line for start, end, line in code.co_lines() if start <= lasti < end), code.co_firstlineno))
        for code, lasti in zip(found[::2], found[1::2], strict=True)
    ]
