"""Tools used inside differentiated functions, or to look at them."""

import linecache
import sys
import weakref
from collections.abc import Callable
from types import FrameType, FunctionType, MethodType
from typing import Any, TypeVar

import numpy as np

import chainrules
from morula.eager.calls.registry import ADJOINTS, adjoints_changed, structural
from morula.eager.context.entries import Hooked
from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import place_of
from morula.errors import MorulaError, NotDifferentiable, SourceNotFound, describe, no_source, refused
from morula.static.python.pairs import forget as forget_adjoints
from morula.static.tiers.dispatch import is_dispatcher
from morula.static.tiers.kernel_table import forget_kernels, source_for
from morula.static.tiers.verbs import forget_runners
from morula.transform import SourceUnavailable, forget_templates, template_of, text_of
from morula.transform.syntax import parsed

ndarray = np.ndarray
Pair = tuple[Any, Any]
Rule = TypeVar("Rule", bound=Callable)


def adjoint(f: Any) -> Callable[[Rule], Rule]:
    """Declare a rule for `f` that applies to this engine only and takes precedence over every other; a decorator.

    Args:
        f: a function, a method (``Point.width``), a builtin, or a class (a rule for its constructor).

    Returns:
        A decorator for the rule: a function of the same arguments that returns ``(y, pullback)``;
        ``pullback(y_bar)`` returns one cotangent, or a tuple of one per positional argument, None for none.
        A rule takes effect at the next call.

    Raises:
        MorulaError: the decorator was written without the function, ``@adjoint`` instead of ``@adjoint(f)``.
        RuleError: when a gradient is taken, if the rule returns something else.

    >>> import morula
    >>> def mul(a, b): return a * b
    >>> @morula.adjoint(mul)
    ... def _(a, b):
    ...     return mul(a, b), lambda c: (c * b, c * a)
    >>> morula.gradient(mul, 2, 3)
    (3.0, 2.0)
    """
    if is_being_defined(f, sys._getframe(1)):
        raise without_function(f)

    def declare(rule: Rule, *others: Any, **named: Any) -> Rule:
        if not callable(rule) or others or named:  # it stands in the place of a function
            raise without_function(f)
        ADJOINTS[f] = rule
        adjoints_changed()
        return rule

    return declare


def is_being_defined(f: Any, frame: FrameType) -> bool:
    """Whether a function is decorated at the current line of a frame, which is called for that."""
    if type(f) is not FunctionType or frame.f_code.co_filename != f.__code__.co_filename:
        return False
    code, name = f.__code__, f.__name__
    last = max([line for _, _, line in code.co_lines() if line is not None], default=code.co_firstlineno)
    if name == "<lambda>" or not code.co_firstlineno <= frame.f_lineno <= last:
        return False
    return frame.f_locals.get(name) is not f and frame.f_globals.get(name) is not f


def without_function(f: Any) -> MorulaError:
    """The error of ``@adjoint`` above the rule `f`, or of a call to what that has made."""
    name = getattr(f, "__name__", "rule")
    return MorulaError(
        f"adjoint needs the function that {describe(f)} is a rule for: write @morula.adjoint(f) above def {name}, "
        "where f is that function"
    )


def means(*fs: Any) -> Callable:
    """Define what functions do by a plain Python body, which is differentiated in their place; a decorator.

    If active values reach a call of one of the functions, the body is followed instead, like any code: it may write
    into its arguments, call back, or return an iterator. Otherwise the function itself runs.

    Args:
        fs: functions, methods (``Pool.map``), builtins: what Morula cannot follow because it is written in another
            language or works elsewhere.

    Returns:
        A decorator for the body, a Python function of the same arguments.

    Raises:
        TypeError: the body is not a Python function.

    >>> import ctypes, morula, numpy as np
    >>> def fill(out, value):
    ...     ctypes.memmove(out.ctypes.data, np.full(len(out), value).ctypes.data, out.nbytes)
    >>> @morula.means(fill)
    ... def _(out, value):
    ...     out[:] = value
    >>> def f(x):
    ...     y = np.zeros(3)
    ...     fill(y, x)
    ...     return y.sum()
    >>> morula.gradient(f, 2.0)
    (3.0,)
    """

    def declare(body: Callable) -> Callable:
        if not isinstance(body, FunctionType):
            raise TypeError(
                f"morula.means(*fs) decorates a Python function, the body that stands for fs, not {body!r:.60}"
            )

        def in_its_place(config: Any, *args: Any, **kwargs: Any) -> Any:
            return body(*args, **kwargs)

        chainrules.program(*fs)(in_its_place)
        return body

    return declare


def hook(fn: Callable[..., Any], x: Any) -> Any:
    """Return `x`, and replace the cotangent of *this use* of `x` by ``fn(x_bar)`` in the backward pass.

    Args:
        fn: a function of a cotangent that returns one of the same shape (or None for none).
        x: a number or an array.

    Returns:
        `x`.

    Raises:
        NotDifferentiable: for a container, and for an array that is written between the hook and its use.

    >>> import operator, morula
    >>> morula.gradient(lambda a, b: morula.hook(operator.neg, a) * b, 2, 3)
    (-3.0, 2.0)
    """
    return x


@structural(hook)
def _hook(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    fn, x, x_d = *args, ds[1]
    return _hooked(ctx, fn, x, x_d)


def _hooked(ctx: Context, fn: Callable, x: Any, x_d: Any) -> Pair:
    if isinstance(x, ndarray):
        x_d = ctx.array_shadow(x, x_d)
        if x_d is None:
            return x, None
        y_d: Any = ctx.buffers.aside(x, x_d)
    elif type(x_d) is list:
        y_d = [0]
    elif ctx.shadow_of(x, x_d) is None:
        return x, x_d
    else:
        raise NotDifferentiable(f"hook and showgrad work on numbers and arrays, not on {type(x).__qualname__}")
    ctx.append(Hooked(y_d, x, x_d, fn))
    return x, y_d


def showgrad(x: Any) -> Any:
    """Return `x`, and print the cotangent of this use, with the variable's name and the line, in the backward pass.

    Args:
        x: a number or an array.

    Returns:
        `x`.

    Raises:
        As `hook`.

    >>> import morula
    >>> morula.gradient(lambda a, b: morula.showgrad(a) * b, 2, 3)  # doctest: +ELLIPSIS
    d/d(a) = 3.0  (..., line ...)
    (3.0, 2.0)
    """
    return x


@structural(showgrad)
def _showgrad(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    name, place = _argument_text(sys._getframe(1))

    def show(x_bar: Any) -> Any:
        print(f"d/d({name}) = {x_bar}  ({place})")
        return x_bar

    return _hooked(ctx, show, args[0], ds[0])


def _argument_text(frame: Any) -> tuple[str, str]:
    """The text of the argument of the call that the user's frame is in, and the place of that call."""
    import ast

    while frame is not None and frame.f_globals.get("__name__", "").startswith("morula."):
        frame = frame.f_back
    if frame is None:
        return "x", "?"
    filename, line = frame.f_code.co_filename, frame.f_lineno
    name = "x"
    text = linecache.getline(filename, line).strip()
    start = text.find("showgrad(")
    for end in range(start + 1, len(text) + 1):  # the shortest text that is a whole call
        try:
            node = parsed(text[start:end], "eval").body
        except SyntaxError:
            continue
        if isinstance(node, ast.Call) and node.args:
            name = ast.unparse(node.args[0])
            break
    return name, f"{filename}, line {line}"


def stop_gradient(x: Any) -> Any:
    """Return `x` as a constant, through which no derivative flows.

    Args:
        x: a number, an array, or a tuple, list or dict of them.

    Returns:
        `x`; under differentiation a read-only copy of an array, apart from the memory that is active (writing
        into that memory while the copy lives is an error).

    Raises:
        NotDifferentiable: for other containers that hold active values.

    >>> import morula
    >>> morula.gradient(lambda x: x * morula.stop_gradient(x), 3.0)
    (3.0,)
    """
    return x


ignore_derivatives = chainrules.ignore_derivatives


@structural(stop_gradient, chainrules.ignore_derivatives)
def _stop(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return _detached(ctx, args[0]), None


def _detached(ctx: Context, x: Any) -> Any:
    if isinstance(x, ndarray):
        shadow = ctx.buffers.find(x)
        if shadow is None:
            return x
        stopped = x.copy()
        stopped.flags.writeable = False
        place = place_of(shadow.buffer)
        place.stopped = (*(r for r in place.stopped if r() is not None), weakref.ref(stopped))
        return stopped
    if not ctx.reaches_active(x, set()):
        return x
    if isinstance(x, tuple):
        parts = [_detached(ctx, v) for v in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if type(x) is list:
        return [_detached(ctx, v) for v in x]
    if type(x) is dict:
        return {k: _detached(ctx, v) for k, v in x.items()}
    raise NotDifferentiable(
        f"stop_gradient of a {type(x).__qualname__} that holds active values: apply it to its parts"
    )


def isderiving() -> bool:
    """Return whether the calling code is being differentiated, in reverse or forward mode; False in a plain call.

    >>> import morula
    >>> morula.isderiving(), morula.gradient(lambda x: x**2 if morula.isderiving() else x, 3.0)
    (False, (6.0,))
    """
    return False


@structural(isderiving)
def _isderiving(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return True, None


def refresh() -> None:
    """Empty every cache: functions are read and transformed again at their next use.

    New rules take effect without it; use it for functions whose source changed while the program was running.

    >>> import morula
    >>> morula.refresh()
    """
    forget_templates()
    forget_kernels()
    forget_runners()
    forget_adjoints()
    linecache.checkcache()


def code_adjoint(f: Callable[..., Any], /, *args: Any) -> str:
    """Return the code that `f` becomes under differentiation, for reading.

    In a Python function, every variable ``x`` has its shadow ``x_d`` beside it, and the context ``ctx`` performs every
    operation. For a function compiled with `numba.njit`, it is the code that Numba compiles for the gradient.

    Args:
        f: a Python function or method, or a function under `numba.njit`.
        args: arguments, whose types decide what is generated for a compiled function and for the static adjoint of a
            plain one. Without them it is what the eager tier runs, as where there is no static adjoint.

    Returns:
        Python source text.

    Raises:
        SourceNotFound: the source of `f` is not available.
        NotDifferentiable: `f` uses a construct that has no such form (`NotNative` for a compiled function).

    >>> import morula
    >>> def f(x): return x * 2.0
    >>> print(morula.code_adjoint(f))
    def f(ctx, x, x_d):
        t1, t1_d = ctx.mul(x, x_d, 2.0, None)
        return (t1, t1_d)
    """
    from morula.static.python.explain import static_text  # most programs run without it

    function = f.__func__ if isinstance(f, MethodType) else f
    if is_dispatcher(function):
        return source_for(function, args)
    if not isinstance(function, FunctionType):
        raise SourceNotFound(f"{f!r} is not a Python function, so there is no code to show; its derivative is a rule")
    if args and (text := static_text(function, args)) is not None:
        return text
    try:
        template = template_of(function)
    except SourceUnavailable as reason:
        raise no_source(f, str(reason)) from None
    if template.refused is not None:
        raise refused(*template.refused, f)
    return text_of(function)
