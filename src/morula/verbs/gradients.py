"""The verbs: `gradient`, `withgradient`, `pullback`, `grad`, `value_and_grad`."""

import functools
import operator
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, ParamSpec, TypeVar

from morula.eager.context.observed import WATCH
from morula.eager.context.run import Run
from morula.eager.context.seeds import or_zero, unit_seed, unit_seed_of_first, unit_seed_with_aux
from morula.errors import MorulaError, at_user_line, describe
from morula.static.python.answers import noted, static_pulled
from morula.static.python.pairs import note, static_gradient
from morula.static.tiers import (
    ahead,  # noqa: F401  (it registers itself)
    kernel_table,
)
from morula.static.tiers.pullbacks import NativeRun, native_run
from morula.static.tiers.verbs import Runners, Wanted, first_run, value_and_gradient
from morula.verbs.progress import Progress, Shown
from morula.verbs.static_runs import StaticRun

CHECKS: list[Callable[[Callable, tuple, dict, Any], None]] = []  # of function, arguments and what was found
FIRST = (0,)
P = ParamSpec("P")
R = TypeVar("R")


class WithGradient(NamedTuple):
    """What `withgradient` returns: the value of the function, and a gradient for each argument, as of `gradient`.

    >>> withgradient(lambda x, y: x**2 * y, 3.0, 2.0)
    WithGradient(value=18.0, gradient=(12.0, 9.0))
    """

    value: Any
    gradient: tuple[Any, ...]


def _user_errors(verb: Callable[P, R]) -> Callable[P, R]:
    """Errors leave a verb with the user's own frames only."""

    @functools.wraps(verb)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except BaseException as error:
            at_user_line(error)
            add_hint(error, args, kwargs)
            raise

    return wrapped


def add_hint(error: BaseException, args: tuple, kwargs: dict) -> None:
    """Note what was meant where a verb was called as those of other libraries are."""
    if not isinstance(error, TypeError) or isinstance(error, MorulaError):
        return
    if "argnums" in kwargs and "argnums" in str(error):
        error.add_note(
            "  keyword arguments are passed on to the function: choose positions with morula.grad(f, argnums)(x) or "
            "morula.value_and_grad(f, argnums)(x), or pick them from the tuple that gradient returns"
        )
    elif args and not callable(args[0]) and "not callable" in str(error):
        error.add_note("  the first argument is the function itself: gradient(f, x) rather than gradient(f(x), x)")


def _checked(f: Callable, args: tuple, kwargs: dict, found: R) -> R:
    """What a verb found, once those who want to see it have (see `morula.errstate`)."""
    for check in CHECKS:
        check(f, args, kwargs, found)
    return found


def gradient(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Compute the gradient of a real-valued function with respect to every positional argument.

    Args:
        f: a function that returns one real number. It may loop, branch, recurse, write into arrays, keep state. One
            under `numba.njit` is differentiated by generated code, which Numba compiles (see `native_mode`).
        args: numbers, arrays of any shape, or tuples, lists, dicts, named tuples, dataclasses and objects of them.
        kwargs: passed on to `f`; constants.

    Returns:
        A tuple with one gradient per positional argument, each in the structure of its argument (an object's
        gradient is a `chainrules.Tangent` with its fields). None means that there is no gradient: the argument is not
        used, or not differentiable. Integers have float gradients. For complex arguments it
        is dL/dRe + i dL/dIm.

    Raises:
        ResultError: `f` returned something other than one real number.
        NotDifferentiable: active values met something without a derivative.
        Any exception raised by `f`, unchanged.

    >>> import numpy as np, morula
    >>> morula.gradient(lambda x, y: x * np.sin(y), 2.0, 0.0)
    (0.0, 2.0)
    >>> morula.gradient(lambda w: (w["a"] ** 2).sum() * w["b"], {"a": np.array([1.0, 2.0]), "b": 3.0})
    ({'a': array([ 6., 12.]), 'b': 5.0},)
    """
    try:
        if type(f).__name__ == "CPUDispatcher" and not kwargs:
            compiled = value_and_gradient(f, args)
            if compiled is not None:
                return compiled[1] if not CHECKS else _checked(f, args, kwargs, compiled[1])
        if not kwargs and (found := static_gradient(f, args)) is not None:
            return found[1] if not CHECKS else _checked(f, args, kwargs, found[1])
        start = perf_counter()
        bars = Run(f, args, kwargs).gradients_once(lambda y: unit_seed(y, "gradient"))
        note(f, args, perf_counter() - start)
        return bars if not CHECKS else _checked(f, args, kwargs, bars)
    except BaseException as error:
        at_user_line(error)
        add_hint(error, (f, *args), kwargs)
        raise


@_user_errors
def withgradient(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> WithGradient:
    """Compute the value and the gradient of a real-valued function.

    Args:
        f, args, kwargs: as for `gradient`; when `f` returns a tuple, the gradient is of its first item and the
            rest is auxiliary.

    Returns:
        A named pair ``(value, gradient)``.

    Raises:
        As `gradient`.

    >>> import morula
    >>> morula.withgradient(lambda x: x**2, 3.0)
    WithGradient(value=9.0, gradient=(6.0,))
    >>> morula.withgradient(lambda x: (x**2, "also this"), 3.0).value
    (9.0, 'also this')
    """
    if type(f).__name__ == "CPUDispatcher" and not kwargs:
        compiled = value_and_gradient(f, args)
        if compiled is not None:
            return WithGradient(*(compiled if not CHECKS else _checked(f, args, kwargs, compiled)))
    if not kwargs and (found := static_gradient(f, args)) is not None:
        return WithGradient(*(found if not CHECKS else _checked(f, args, kwargs, found)))
    start = perf_counter()
    run = Run(f, args, kwargs)
    found = WithGradient(*run.value_and_gradients_once(unit_seed_of_first))
    note(f, args, perf_counter() - start)
    return found if not CHECKS else _checked(f, args, kwargs, found)


class Back:
    """The pullback of one call: ``back(seed)`` returns the cotangents of the arguments, any number of times."""

    __slots__ = ("_run", "_with_self")

    def __init__(self, run: "Run | NativeRun | StaticRun", with_self: bool):
        self._run = run
        self._with_self = with_self

    @_user_errors
    def __call__(self, seed: Any, *, progress: Progress | None = None) -> tuple[Any, ...]:
        """One cotangent per positional argument, for the seed of the value.

        `progress` is put around the way back over the tape, as `tqdm` is around a loop.
        """
        if progress is not None and isinstance(self._run, Run):
            return self._run.gradients(seed, partial(Shown, progress=progress))[1:]
        return self._run.gradients(seed)[1:]

    @_user_errors
    def with_self(self, seed: Any) -> tuple[Any, ...]:
        """The cotangent of the function itself (a `Tangent` with one entry per captured variable or field, or
        None), then those of the arguments.
        """
        if not self._with_self:
            raise MorulaError("request this before the function runs: pullback(f, *args, with_self=True)")
        return self._run.gradients(seed)

    def __repr__(self) -> str:
        return f"<pullback of {getattr(self._run._f, '__qualname__', self._run._f)!s}>"


@_user_errors
def pullback(f: Callable[..., R], /, *args: Any, with_self: bool = False, **kwargs: Any) -> tuple[R, Back]:
    """Run a function once, and return its value and a pullback for cotangents.

    Args:
        f: a function of any result: a number, an array, a structure of them.
        args: as for `gradient`.
        with_self: also track what `f` captures, or the fields of the object that `f` is, for ``back.with_self``.
        kwargs: passed on to `f`; constants.

    Returns:
        ``(y, back)``. ``back(seed)``, with a seed of the structure of ``y`` (None inside it is a zero), returns
        one cotangent per argument; any number of times.

    Raises:
        As `gradient`; ``back`` raises SeedError for a seed that does not fit.

    >>> import math, morula
    >>> y, back = morula.pullback(math.sin, 0.5)
    >>> y, back(1.0), back(2.0)
    (0.479425538604203, (0.8775825618903728,), (1.7551651237807455,))
    >>> k = 3.0
    >>> def scale():
    ...     k = 3.0
    ...     return lambda x: k * x
    >>> _, back = morula.pullback(scale(), 2.0, with_self=True)
    >>> back.with_self(1.0)
    (Tangent[function](k=2.0), 3.0)
    """
    if type(f).__name__ == "CPUDispatcher" and not kwargs and not with_self:
        native = native_run(f, args)
        if native is not None:
            return native.y, Back(native, False)
    is_plain = not kwargs and not with_self and not WATCH
    if is_plain and args and (pulled := static_pulled(f, args)) is not None:
        return pulled.y, Back(StaticRun(pulled), False)
    start = perf_counter()
    run = Run(f, args, kwargs, with_self)
    y = run.value()
    if is_plain:
        noted("pullback", f, args, perf_counter() - start, tuple(range(len(args))))
    run.watch()
    return y, Back(run, with_self)


class _OfArguments:
    """A function made of another one and a choice of arguments; picklable where that function is."""

    verb = ""
    at_once = ""  # the verb that is given the arguments, too

    def __init__(self, f: Callable, argnums: int | tuple[int, ...], has_aux: bool):
        if not callable(f):
            raise MorulaError(f"{self.verb} takes a function, and was given a {type(f).__qualname__}")
        if not are_positions(argnums):
            raise MorulaError(
                f"argnums, the second argument of {self.verb}, is the position of an argument or a tuple of "
                f"positions, and was given a {type(argnums).__qualname__}. {self.verb}({describe(f)}) returns a "
                f"function: call that, {self.verb}(f)(x), or use {self.at_once}(f, x)"
            )
        self.f = f
        self.argnums = argnums if isinstance(argnums, tuple | list) else operator.index(argnums)
        self.has_aux = has_aux
        self._is_of_first = self.argnums == 0 and not has_aux
        self._runners = Runners() if type(f).__name__ == "CPUDispatcher" and not has_aux else None
        functools.update_wrapper(self, f, updated=())  # type: ignore[arg-type]
        self.__name__ = f"{self.verb}({getattr(f, '__name__', f)})"

    def __reduce__(self) -> tuple:
        return type(self), (self.f, self.argnums, self.has_aux)

    def __repr__(self) -> str:
        return f"<{self.__name__}>"

    @property
    def seed_of(self) -> Callable[[Any], Any]:
        """What makes the seed from the value; it does not hold the function."""
        return functools.partial(unit_seed_with_aux if self.has_aux else unit_seed, verb=self.verb)

    def chosen(self, args: Sequence) -> tuple[int, ...]:
        """The positions of the arguments that are differentiated by."""
        if type(self.argnums) is int and 0 <= self.argnums < len(args):
            return FIRST if not self.argnums else (self.argnums,)
        chosen = (self.argnums,) if isinstance(self.argnums, int) else tuple(self.argnums)
        try:
            chosen = tuple(operator.index(i) + (len(args) if i < 0 else 0) for i in chosen)
            for i in chosen:
                args[i]
        except IndexError:
            raise MorulaError(
                f"argnums={self.argnums} names an argument that was not passed by position ({len(args)} were)"
            ) from None
        return chosen

    def _first_run(self, args: tuple) -> Any:
        assert self._runners is not None
        return first_run(self._runners, self.f, args, self._wanted)

    def _wanted(self, args: tuple) -> Wanted:
        return Wanted(self.chosen(args), isinstance(self.argnums, int), self.verb == "value_and_grad")

    def _both(self, args: tuple, kwargs: dict, is_tried: bool = False) -> tuple[Any, Any]:
        """Value and gradient; `is_tried`: static adjoints could not tell."""
        chosen = self.chosen(args)
        is_plain = not kwargs and not self.has_aux
        static = static_gradient(self.f, args, chosen) if is_plain and not is_tried else None
        if static is not None:
            y, bars = static
        else:
            start = perf_counter()
            run = Run(self.f, args, kwargs, active=chosen)
            every = run.gradients_once(self.seed_of)
            y, bars = run.y, tuple([every[i] for i in chosen])
            if is_plain:
                note(self.f, args, perf_counter() - start, chosen)
        if CHECKS:
            _checked(self.f, args, kwargs, bars)
        found = tuple([or_zero(bar, args[i]) for bar, i in zip(bars, chosen, strict=True)])
        return y, found[0] if isinstance(self.argnums, int) else found


def are_positions(argnums: Any) -> bool:
    """Whether `argnums` is an index or a sequence of such; an array is more likely to be the argument itself."""
    if isinstance(argnums, tuple | list):
        return all(not isinstance(i, tuple | list) and are_positions(i) for i in argnums)
    return hasattr(type(argnums), "__index__") and not getattr(argnums, "shape", ())


class _Grad(_OfArguments):
    verb = "grad"
    at_once = "gradient"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            # written out: this is all that happens around a kernel
            if self._runners is not None and not kwargs and not CHECKS:
                try:
                    runner = self._runners.get(kernel_table.fingerprint(args))
                except NotImplementedError:
                    runner = None
                found = runner(args) if runner is not None else self._first_run(args)
                if found is not None:
                    return found
            is_quick = self._is_of_first and args and not kwargs and not CHECKS
            if is_quick and (static := static_gradient(self.f, args, FIRST)) is not None:
                bar = static[1][0]
                return bar if bar is not None else or_zero(bar, args[0])
            y, g = self._both(args, kwargs, bool(is_quick))
        except BaseException as error:
            at_user_line(error)
            raise
        return (g, y[1]) if self.has_aux else g


class _ValueAndGrad(_OfArguments):
    verb = "value_and_grad"
    at_once = "withgradient"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if self._runners is not None and not kwargs and not CHECKS:
                found = self._runners.run(args) if self._runners else None
                if found is not None or (found := self._first_run(args)) is not None:
                    return found
            is_quick = self._is_of_first and args and not kwargs and not CHECKS
            if is_quick and (static := static_gradient(self.f, args, FIRST)) is not None:
                y, (bar,) = static
                return y, bar if bar is not None else or_zero(bar, args[0])
            return self._both(args, kwargs, bool(is_quick))
        except BaseException as error:
            at_user_line(error)
            raise


def grad(f: Callable[P, Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[P, Any]:
    """Return a function of the same arguments that computes the gradient of `f`.

    Args:
        f: a function that returns one real number (with `has_aux`, a pair of that and anything else).
        argnums: the positional argument to differentiate with respect to, or a tuple of them; the others are constants
            and cost nothing.
        has_aux: `f` returns ``(value, aux)``, and the new function ``(gradient, aux)``.

    Returns:
        A picklable function. Its gradient is an array where the argument is one (zeros, not None, where `f`
        does not depend on it), or a tuple for a tuple of `argnums`.

    Raises:
        As `gradient`, when called.

    >>> import numpy as np, morula
    >>> morula.grad(lambda w, x: (w * x).sum())(np.zeros(2), np.array([1.0, 2.0]))
    array([1., 2.])
    """
    return _Grad(f, argnums, has_aux)


def value_and_grad(
    f: Callable[P, R], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[P, tuple[R, Any]]:
    """Return a function of the same arguments that computes the value of `f` and its gradient.

    Args:
        f, argnums, has_aux: as for `grad`; with `has_aux` the value is ``(value, aux)``.

    Returns:
        A picklable function, suitable for ``scipy.optimize.minimize(..., jac=True)``.

    Raises:
        As `gradient`, when called.

    >>> import numpy as np, morula
    >>> morula.value_and_grad(lambda x: float((x**2).sum()))(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    """
    return _ValueAndGrad(f, argnums, has_aux)
