"""One program, loaded as often as one likes, and what it means that two runs of it are the same."""

import linecache
import re
import types
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import morula


class Wrong(AssertionError):
    """Something disagrees with the plain run or with differences."""


class TimedOut(BaseException):
    """A program that runs for too long (a shrunk loop without its counter)."""


def text_found(source: str, number: int) -> str | None:
    """What the file of a program holds when it is differentiated: mostly its source, else nothing, or other text."""
    if number % 12 == 0:
        return None
    if number % 12 == 1:
        return re.sub(r"\b(\d\.\d+)\b", r"1\1", source)  # edited after it was loaded
    if number % 12 == 2:
        return "# edited\n" + source
    return source


class Module:
    """The source of one program, loaded as often as one likes."""

    def __init__(self, source: str):
        number = zlib.crc32(source.encode())
        self.filename = f"<program {number:08x}>"
        self.source = source
        self.code = compile(source, self.filename, "exec")
        text = text_found(source, number)
        if text is not None:
            linecache.cache[self.filename] = (len(text), None, text.splitlines(keepends=True), self.filename)

    def forget(self) -> None:
        linecache.cache.pop(self.filename, None)

    def load(self, **replacements: Any) -> dict[str, Any]:
        module = types.ModuleType("program")
        namespace = vars(module)
        exec(self.code, namespace)
        namespace.update({"LOG": [], **replacements})
        return namespace


def data_of(namespace: dict[str, Any]) -> dict[str, Any]:
    """The globals of a program that are data."""
    code = types.ModuleType | types.FunctionType | types.BuiltinFunctionType | type
    return {k: v for k, v in namespace.items() if not k.startswith("__") and not isinstance(v, code)}


def identity(x: Any) -> Any:
    """What tells an object from others; of an array its memory: an argument is another array over the caller's."""
    return (x.__array_interface__["data"], x.shape, x.strides) if isinstance(x, np.ndarray) and x.size else id(x)


def difference(got: Any, want: Any, at: str, seen: dict[int, int]) -> str | None:
    """Where two values differ: in type, in any bit, in which of their parts are the same object; or None."""
    if type(got).__name__ != type(want).__name__:
        return f"{at}: {got!r} of {type(got).__name__} is not {want!r} of {type(want).__name__}"
    if isinstance(want, float | complex | np.generic):
        same = np.asarray(got).tobytes() == np.asarray(want).tobytes() or (got != got and want != want)
        return None if same else f"{at}: {got!r} is not {want!r}"
    if isinstance(want, int | str | bytes | None | type | types.FunctionType | types.ModuleType):
        same = got == want or not isinstance(want, int | str | bytes)
        return None if same else f"{at}: {got!r} is not {want!r}"
    if id(want) in seen:
        return None if seen[id(want)] == identity(got) else f"{at}: the parts are not shared as they were"
    seen[id(want)] = identity(got)
    if isinstance(want, np.ndarray):
        if got.dtype != want.dtype or got.shape != want.shape or got.tobytes() != want.tobytes():
            return f"{at}: {got!r} is not {want!r}"
        return difference(got.base, want.base, f"{at}.base", seen) if isinstance(want.base, np.ndarray) else None
    for key, ours, theirs in paired_parts(got, want):
        found = difference(ours, theirs, f"{at}{key}", seen)
        if found is not None:
            return found
    return None


def paired_parts(got: Any, want: Any) -> Iterator[tuple[str, Any, Any]]:
    """The parts of two containers or objects of one type, side by side, in order."""
    if isinstance(want, dict):
        yield " keys", repr(list(got)), repr(list(want))
        yield from ((f"[{k!r}]", got.get(k), v) for k, v in want.items())
    elif isinstance(want, set | frozenset):
        yield " members", repr(sorted(map(repr, got))), repr(sorted(map(repr, want)))
    elif hasattr(want, "__len__") and hasattr(want, "__getitem__"):
        yield " length", len(got), len(want)
        yield from ((f"[{k}]", got[k], want[k]) for k in range(len(want)))
    names = attributes_of(want)
    yield " attributes", repr(attributes_of(got)), repr(names)
    yield from ((f".{n}", getattr(got, n), getattr(want, n)) for n in names)


def attributes_of(x: Any) -> list[str]:
    slots = (name for base in type(x).__mro__ for name in vars(base).get("__slots__", ()))
    return sorted({*getattr(x, "__dict__", ()), *(n for n in slots if n[0] != "_" and hasattr(x, n))})


def same(got: Any, want: Any, at: str) -> None:
    found = difference(got, want, at, {})
    if found is not None:
        raise Wrong(found)


def differentiated(verb: Callable, *args: Any) -> Any:
    """An exception that the plain run did not raise is wrong, unless it refuses."""
    try:
        return verb(*args)
    except morula.MorulaError:
        raise
    except Exception as error:
        raise Wrong(f"{getattr(verb, '__name__', verb)} raised {type(error).__name__}: {error}") from error
