"""What happens where no adjoint can be generated: the Python function is differentiated, and the user is told once."""

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

from morula.errors import MorulaError, NativeFallbackWarning, NotNative, describe
from morula.frames import is_engine_frame
from morula.static.rewrites import rewrite_for
from morula.static.tiers.dispatch import python_function
from morula.static.unsupported import Unsupported

MODES = ("auto", "require", "never", "compile")
_mode: ContextVar[str] = ContextVar("morula.native_mode", default="auto")
_lock = threading.Lock()
_told: WeakSet[Any] = WeakSet()  # the functions of which the user knows
_causes: set[tuple[str, str, int | None]] = set()  # the functions, constructs and lines that warnings have named
never_blocks = 0  # how many blocks of the mode "never" are open, in all threads
WHEN_NEVER: list[Callable[[], None]] = []  # what happens when one opens
WHEN_COMPILE: list[Callable[[], None]] = []  # likewise, of the mode "compile"


@contextmanager
def native_mode(mode: str) -> Iterator[None]:
    """Set where code compiled by Numba computes derivatives inside a ``with`` block; also a decorator.

    Args:
        mode: ``"auto"``, the default outside any block: use generated and compiled code; if there is none, fall back to
            the Python function, with one `NativeFallbackWarning` for each function. ``"require"``: raise an error
            instead of the warning. ``"never"``: always use the Python function, without a warning. ``"compile"``: as
            ``"auto"``; in addition, gradients of hot functions *without* a decorator are compiled where Numba can do
            it, in another process and into the disk cache, and used when they are ready and agree with Python on the
            first call. Numba's integers wrap around at 64 bits, and it sums in another order: the mode is a choice.

    Raises:
        MorulaError: another mode was given.
        NotNative: in a block of ``"require"``, when a gradient is taken of a function without generated code.

    >>> import morula
    >>> with morula.native_mode("never"):
    ...     morula.gradient(lambda x: x * x, 3.0)
    (6.0,)
    """
    global never_blocks
    if mode not in MODES:
        raise MorulaError(f"native_mode takes one of {', '.join(map(repr, MODES))}, not {mode!r}")
    never = mode == "never"
    with _lock:
        never_blocks += never
    token = _mode.set(mode)
    try:
        for tell in WHEN_NEVER if never else WHEN_COMPILE if mode == "compile" else ():
            tell()
        yield
    finally:
        _mode.reset(token)
        with _lock:
            never_blocks -= never


def current_mode() -> str:
    return _mode.get()


def fall_back(f: Any, reason: Unsupported) -> None:
    """Tell the user, once for each function, that `f` is differentiated as the Python function.

    Raises:
        NotNative: that is not wanted.
    """
    if current_mode() == "require":
        raise not_native(f, reason)
    if f in _told:
        return
    cause = (reason.function or python_function(f).__qualname__, reason.construct, reason.line)
    if is_inside(f, reason) or cause not in _causes:
        warnings.warn(
            f"{fact(f, reason)}, for which no adjoint can be generated: Morula falls back to its Python function, "
            f"which is slower. {advice(reason)}morula.native_mode can turn this into an error, or silence it",
            NativeFallbackWarning,
            stacklevel=_levels_to_user(),
        )
    _causes.add(cause)
    _told.add(f)


def not_native(f: Any, reason: Unsupported) -> NotNative:
    return NotNative(
        f"no adjoint can be generated for a compiled function: {fact(f, reason)}. {advice(reason)}".rstrip()
    )


def advice(reason: Unsupported) -> str:
    """A sentence that says what to write instead, if that is known."""
    text = rewrite_for(reason.construct)
    return f"Instead, {text}. " if text else ""


def is_inside(f: Any, reason: Unsupported) -> bool:
    """Whether what cannot be translated stands in a function that `f` calls."""
    function = python_function(f)
    return bool(reason.function) and reason.function not in (describe(f), function.__name__, function.__qualname__)


def fact(f: Any, reason: Unsupported) -> str:
    what = f"{describe(f)} calls {reason.function}, which uses" if is_inside(f, reason) else f"{describe(f)} uses"
    return f"{what} {reason.construct}" + ("" if reason.line is None else f" (line {reason.line})")


def python_body(f: Any) -> Any:
    """The Python function of a compiled one, to be followed in its place.

    Raises:
        NotDifferentiable: it reads something that Numba has compiled another value of, or calls something that Numba
            has another body of.
    """
    from morula.static.numba.compiled_in import refuse_stale
    from morula.static.numba.implementations import refuse_other_bodies
    from morula.static.numba.plain_classes import with_plain_classes

    function = python_function(f)
    refuse_stale(f)
    refuse_other_bodies(f, function)
    return with_plain_classes(function)


def for_tangents(f: Any, by_verb: bool = False) -> Any:
    """The function whose tangents of tangents, or of cotangents, are those of a compiled one: the Python function.

    Args:
        f: the compiled one.
        by_verb: whether it takes the place of `f` as an argument of a verb, where nothing hands its generator over.

    Raises:
        NotNative: that is not wanted.
        NotDifferentiable: it takes the place of `f` and would draw other numbers.
    """
    if by_verb:
        from morula.static.numba.generators import refuse_draws

        refuse_draws(f)
    if current_mode() == "require":
        fall_back(f, Unsupported("forward mode inside another derivation", function=f.py_func.__qualname__))
    return python_body(f)


def _levels_to_user() -> int:
    """How far up the stack the frame is that a warning is about."""
    level = 2
    frame: Any = sys._getframe(2)
    while frame is not None and is_engine_frame(frame.f_globals):
        frame = frame.f_back
        level += 1
    return level


def forget_told() -> None:
    """Warn anew, as if no function had been met."""
    _told.clear()
    _causes.clear()
