"""Every error that the engine raises; each message says what happened, where, and what to do.

Facts are raised deep inside; the public verbs add the user's line once, with `at_user_line`.
"""

import os
import sys
from types import CodeType, ModuleType, TracebackType

from morula.frames import Callers, is_engine_frame, is_installed, lines_of


class MorulaError(Exception):
    """Base class of everything that this package itself raises.

    >>> import morula
    >>> try:
    ...     morula.gradient(lambda x: [x], 2.0)
    ... except morula.MorulaError as error:
    ...     print(type(error).__name__)
    ResultError
    """


class NotDifferentiable(MorulaError, TypeError):
    """Active values reached a callable or a construct that has no derivative.

    >>> import struct
    >>> import morula
    >>> morula.gradient(lambda x: x * len(struct.pack("d", x)), 2.0)
    Traceback (most recent call last):
    morula.errors.NotDifferentiable: struct.pack was given active values, and there is no rule for it. ...
    """


class NotNative(NotDifferentiable):
    """A compiled function has no generated adjoint, inside ``native_mode("require")``.

    >>> import numba
    >>> import morula
    >>> @numba.njit
    ... def spelled(x):
    ...     return x * len(str(x))
    >>> with morula.native_mode("require"):
    ...     morula.gradient(spelled, 2.0)
    Traceback (most recent call last):
    morula.errors.NotNative: no adjoint can be generated for a compiled function: ...
    """


class NativeFallbackWarning(UserWarning):
    """A compiled function is differentiated as the Python function it was compiled from, which is slower.

    >>> import warnings
    >>> import numba
    >>> import morula
    >>> @numba.njit
    ... def spelled(x):
    ...     return x * len(str(3))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("ignore")
    ...     warnings.simplefilter("always", morula.NativeFallbackWarning)
    ...     morula.gradient(spelled, 2.0)
    (1.0,)
    >>> [w.category.__name__ for w in caught]
    ['NativeFallbackWarning']
    """


class SourceNotFound(MorulaError, OSError):
    """The source of a function that must be transformed is not available.

    Functions without source are read back from their byte code; this is what is left.

    >>> import morula
    >>> def odd(x):
    ...     return x
    >>> raise morula.errors.no_source(odd, "its byte code has a shape that is not known")
    Traceback (most recent call last):
    morula.errors.SourceNotFound: the source of ...odd is not available: its byte code has ...
    """


class ResultError(MorulaError, TypeError):
    """The function's result is not what the verb needs (a real number, for `gradient`).

    >>> import numpy as np
    >>> import morula
    >>> morula.gradient(lambda x: 2.0 * x, np.ones(3))
    Traceback (most recent call last):
    morula.errors.ResultError: gradient needs a function that returns one real number, and this one returned an array of
    shape (3,). Reduce it (say, with .sum()), or ask for its jacobian.
    """


class SeedError(MorulaError, ValueError):
    """A seed given to ``back`` does not have the structure of the function's value.

    >>> import numpy as np
    >>> import morula
    >>> y, back = morula.pullback(lambda x: 2.0 * x, np.ones(3))
    >>> back(np.ones(4))
    Traceback (most recent call last):
    morula.errors.SeedError: the seed has shape (4,), and the value has shape (3,)
    """


class RuleError(MorulaError, TypeError):
    """A rule returned something that is not a cotangent of its arguments.

    >>> import chainrules
    >>> import morula
    >>> def halved(x):
    ...     return x / 2
    >>> _ = chainrules.rrule(halved)(lambda x: (x / 2, 0.5))
    >>> morula.gradient(halved, 2.0)
    Traceback (most recent call last):
    morula.errors.RuleError: the rule for ...halved must return (y, pullback), ...
    """


class AliasedArgumentsError(MorulaError, ValueError):
    """Two arguments share memory and one of them is written.

    >>> import morula
    >>> x = [1.0, 2.0]
    >>> morula.gradient(lambda a, b: a[0] * b[0], x, x)
    Traceback (most recent call last):
    morula.errors.AliasedArgumentsError: the same list was passed as two arguments: pass a copy as one of them
    """


class StaleMemoryError(MorulaError, RuntimeError):
    """Memory or a container that the backward pass needs was changed where the engine could not follow.

    >>> import numpy as np
    >>> import morula
    >>> x = np.array([1.0, 2.0])
    >>> y, back = morula.pullback(lambda x: (x * x).sum(), x)
    >>> x[0] = 5.0
    >>> back(1.0)
    Traceback (most recent call last):
    morula.errors.StaleMemoryError: an array of shape (2,) and dtype float64 was changed after ...
    """


class NonFiniteError(MorulaError, FloatingPointError):
    """A gradient is NaN or infinite, inside ``errstate(nan="raise")``.

    >>> import numpy as np
    >>> import morula
    >>> with morula.errstate(nan="raise"):
    ...     morula.gradient(lambda x: np.sqrt(x) - np.sqrt(x), 0.0)
    Traceback (most recent call last):
    morula.errors.NonFiniteError: the gradient is NaN: ...
    """


class NonFiniteWarning(RuntimeWarning):
    """A gradient is NaN or infinite, inside ``errstate(nan="warn")``.

    >>> import warnings
    >>> import numpy as np
    >>> import morula
    >>> with warnings.catch_warnings(record=True) as caught, morula.errstate(nan="warn"):
    ...     warnings.simplefilter("always", morula.NonFiniteWarning)
    ...     _ = morula.gradient(lambda x: np.sqrt(x) - np.sqrt(x), 0.0)
    >>> [w.category.__name__ for w in caught]
    ['NonFiniteWarning']
    """


WAYS_OUT = (
    "Write a rule for it (chainrules.rrule, or morula.adjoint), "
    "declare it chainrules.non_differentiable if its result does not depend smoothly on these values, "
    "or use a supported function instead."
)


def describe(f: object) -> str:
    """The name under which a user knows a callable."""
    name = getattr(f, "__qualname__", None) or getattr(f, "__name__", None)
    if name is None:
        return f"an instance of {type(f).__qualname__}"
    if type(f).__name__ == "fortran":  # made by f2py
        return name.removeprefix("function ")
    module = getattr(f, "__module__", None) or home_of(f, name)
    if module in (None, "builtins", "__main__"):
        owner = getattr(f, "__objclass__", None)
        if owner is not None and "." not in name:
            return f"{owner.__qualname__}.{name}"
        return name
    return f"{public_module(str(module), name)}.{name}"


def public_module(module: str, name: str) -> str:
    """The module nearest to the top of its package that has what stands in a private one, or deep inside a library.

    >>> import struct
    >>> public_module("_struct", "pack"), public_module("mine._parts", "f")
    ('struct', 'mine._parts')
    """
    parts = module.split(".")
    if parts[0] not in LIBRARIES and not any(part.startswith("_") for part in parts):
        return module
    first = name.partition(".")[0]
    inner = getattr(sys.modules.get(module), first, None)
    parts[0] = parts[0].lstrip("_")
    for k in range(1, len(parts) + 1):
        shorter = ".".join(parts[:k])
        if parts[k - 1].startswith("_") or inner is None:
            break
        if getattr(sys.modules.get(shorter), first, None) is inner:
            return shorter
    return module


LIBRARIES = ("numpy", "scipy")


def home_of(f: object, name: str) -> str | None:
    """The module of a ufunc, which some do not tell."""
    if type(f).__name__ == "ufunc":
        for module in ("numpy", "scipy.special"):
            if getattr(sys.modules.get(module), name, None) is f:
                return module
    return None


def public_name(f: object) -> str:
    """The name under which a user reaches a callable: in the public module nearest to the top of its package.

    >>> import struct
    >>> describe(struct.pack), public_name(struct.pack)
    ('struct.pack', 'struct.pack')
    """
    full = describe(f)
    name = full.rpartition(".")[2]
    package = full.partition(".")[0].lstrip("_") if "." in full else None
    homes = [
        module
        for module, content in list(sys.modules.items())
        if isinstance(content, ModuleType)
        and (package is None or module.partition(".")[0] == package)
        and not any(part.startswith("_") for part in module.split("."))
        and vars(content).get(name) is f
    ]
    if not homes:
        return full
    return f"{min(homes, key=lambda module: (module.count('.'), len(module), module))}.{name}"


ADAPTERS = {
    "torch": ("morula.torch.from_torch", "morula.torch.to_torch"),
    "jax": ("morula.jax.from_jax", "morula.jax.to_jax"),
    "jaxlib": ("morula.jax.from_jax", "morula.jax.to_jax"),
    "autograd": (None, "morula.autograd.to_autograd"),
    "mygrad": (None, "morula.mygrad.to_mygrad"),
}


def adapters_for(*things: object) -> tuple[str | None, str] | None:
    """The adapters from and to the library that one of these belongs to, a function or an array."""
    for x in things:
        for module in (getattr(x, "__module__", None), type(x).__module__):
            found = ADAPTERS.get(str(module).split(".")[0])
            if found is not None:
                return found
    return None


def no_rule(f: object, reason: str | None = None, adapters: tuple[str | None, str] | None = None) -> NotDifferentiable:
    """The error for active values given to `f`, a function without a rule (for `reason`), or another library's."""
    if reason:
        return NotDifferentiable(
            f"{public_name(f)} was given active values, and it deliberately has no rule: it {reason}. If you know "
            "its derivative, write a rule (chainrules.rrule, or morula.adjoint)"
        )
    if adapters is not None:
        here, there = adapters
        way = f"put the part that works with its arrays into one function and wrap that: {here}(f)" if here else (
            f"give the whole function to that library: {there}(f)"
        )  # fmt: skip
        return NotDifferentiable(
            f"active values met another library with its own differentiation, in {public_name(f)}: {way}"
        )
    return NotDifferentiable(f"{public_name(f)} was given active values, and there is no rule for it. {WAYS_OUT}")


def wrong_rule(f: object, result: object) -> RuleError:
    """The error for a rule that returned `result` instead of a value and a pullback."""
    return RuleError(
        f"the rule for {describe(f)} must return (y, pullback), where pullback is a function, not {result!r:.80}"
    )


def no_source(f: object, reason: str) -> SourceNotFound:
    """The error for a function whose source is not available, for `reason`."""
    return SourceNotFound(
        f"the source of {describe(f)} is not available: {reason}. Define it in a file, a notebook or a doctest, "
        f"or write a rule for it with chainrules.rrule or morula.adjoint."
    )


def refused(construct: str, line: int, f: object) -> NotDifferentiable:
    """The error for a construct of the language that is refused, at `line` of `f`."""
    return NotDifferentiable(
        f"{describe(f)} uses {construct} (line {line}), which cannot be differentiated, and it was given active "
        f"values. {WAYS_OUT}"
    )


def place(code: CodeType, line: int | None) -> str:
    """File, line, function and text of a frame."""
    import traceback

    frame = traceback.FrameSummary(code.co_filename, line, code.co_name)
    return f"{frame.filename}, line {frame.lineno}, in {frame.name}" + (f": {frame.line}" if frame.line else "")


def arose_at(error: BaseException, callers: Callers) -> None:
    """Note the calls that `error`, met on the way back, is about: those of the innermost derivative."""
    if not hasattr(error, "_callers"):
        error._callers = callers  # type: ignore[attr-defined]


def is_call_of_part(outer: TracebackType, inner: TracebackType) -> bool:
    """Whether a frame is that of a function which runs in parts, and the next one that of a part."""
    code, part = outer.tb_frame.f_code, inner.tb_frame.f_code
    has_parts = any(name.startswith("<part ") for name in (*code.co_freevars, *code.co_varnames))
    return has_parts and part.co_qualname == code.co_qualname and part.co_firstlineno == outer.tb_lineno


def at_user_line(error: BaseException) -> None:
    """Drop the engine's own frames from the traceback of `error`, and say which line of the user it came from.

    The frames of the user's functions carry the user's file and lines, so what remains reads like the
    traceback of a plain call. Where it arose inside a library, a second note has that line. An error met on the way
    back is about a call that has returned, whose line is noted instead.
    Set the environment variable MORULA_FULL_TRACEBACK to see the engine's frames too.
    """
    if "MORULA_FULL_TRACEBACK" in os.environ:
        return
    kept: list[TracebackType] = []
    tb = error.__traceback__
    while tb is not None:
        if not is_engine_frame(tb.tb_frame.f_globals):
            if kept and is_call_of_part(kept[-1], tb):
                del kept[-1]
            kept.append(tb)
        tb = tb.tb_next
    noted = getattr(error, "_callers", None)
    places = lines_of(noted) if noted else [(tb.tb_frame.f_code, tb.tb_lineno) for tb in reversed(kept)]
    if (noted or isinstance(error, MorulaError)) and places and not getattr(error, "_located", False):
        called = next((at for at in places if not is_installed(at[0].co_filename)), places[0])
        error.add_note(f"  at {place(*called)}")
        if called is not places[0]:
            error.add_note(f"  inside it at {place(*places[0])}")
        error._located = True  # type: ignore[attr-defined]
    chain: TracebackType | None = None
    for tb in reversed(kept):
        line = tb.tb_lineno or tb.tb_frame.f_code.co_firstlineno  # an instruction may have none
        chain = TracebackType(chain, tb.tb_frame, tb.tb_lasti, line)
    error.__traceback__ = chain
