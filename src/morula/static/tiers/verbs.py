"""Gradients of compiled functions with the least that has to happen around their kernels.

For the types of arguments that a call has, a `Runner` is written once (`native.runners`). Calls that need more are left
to the engine, which is told by None: where the value is no float, where memory is shared, where a rule decides.
"""

import weakref
from collections.abc import Callable
from typing import Any

from chainrules import registry_version, when_declared
from morula.eager.calls.meanings import has_rule
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.eager.context.seeds import or_zero
from morula.static.tiers import fallback, kernel_table
from morula.static.tiers.dispatch import is_dispatcher, positional
from morula.static.tiers.kernel_table import kernels_for, when_gone
from morula.static.tiers.runners import Wanted, runner_for
from morula.static.unsupported import Unsupported

Runner = Callable[[tuple], Any]


class Runners(dict):
    """Runners by the types of the arguments; emptied when a rule is declared."""

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        key = id(self)
        _every[key] = when_gone(self, key, _every)

    def run(self, args: tuple) -> tuple[Any, Any] | None:
        """What the runner for these arguments gives; None where there is none, or where the engine is needed."""
        try:
            runner = self.get(kernel_table.fingerprint(args))
        except NotImplementedError:
            return None
        return None if runner is None else runner(args)


_every: dict[int, weakref.ref] = {}
_of_function: dict[int, Runners] = {}  # for the gradient with respect to all arguments, by the identity of the function
_alive: dict[int, weakref.ref] = {}  # these functions


def forget_runners() -> None:
    """Have them written anew: a rule was declared, or the mode has changed."""
    for reference in list(_every.values()):
        runners = reference()
        if runners is not None:
            runners.clear()


fallback.WHEN_NEVER.append(forget_runners)
WHEN_ADJOINT.append(forget_runners)
when_declared(forget_runners)


def value_and_gradient(f: Any, args: tuple) -> tuple[Any, Any] | None:
    """The value of ``f(*args)``, a float, and its gradient with respect to all arguments; None: ask the engine."""
    runners = _of_function.get(id(f))
    if runners is not None:
        found = runners.run(args)
        if found is not None:
            return found
    else:
        key = id(f)
        _alive[key] = when_gone(f, key, _of_function, _alive)
        runners = _of_function[key] = Runners()
    return first_run(runners, f, args, None)


def first_run(runners: Runners, f: Any, args: tuple, wanted: Callable[[tuple], Wanted] | None) -> Any:
    """A call with arguments of types that were not met before.

    Args:
        runners: of `f`, to which one is added.
        f: a function under `numba.njit`, perhaps.
        args: its arguments.
        wanted: says what is wanted of arguments; None: value and gradient with respect to all of them.

    Returns:
        What is wanted; None to ask the engine.
    """
    if not is_dispatcher(f) or fallback.current_mode() == "never" or has_rule(f):
        return None
    kernel_table.prepare()
    version = registry_version()
    chosen = None if wanted is None else wanted(args)
    every = positional(f, args, {})
    if every is None:
        return _first_starred_run(runners, f, args, chosen)
    active = tuple([i < len(args) and (chosen is None or i in chosen.positions) for i in range(len(every))])
    try:
        types = kernel_table.fingerprint(args)
        earlier = runners.get(types)
        if earlier is not None and not any(kernels.lengths for kernels in earlier.of):  # it has asked for the engine
            return None
        kernels = kernels_for(f, every, active)
        if earlier is not None and kernels in earlier.of:
            return None
    except (Unsupported, NotImplementedError):
        return None
    runner = None if kernels is None else runner_for(kernels, every, len(args), chosen)
    if runner is None:
        return None
    try:
        found = runner(args)
    except Exception as error:
        if not kernel_table.is_of_compiler(error):
            raise
        kernel_table.does_not_compile(f, every, active, error)
        return None
    if not fallback.never_blocks and registry_version() == version:
        runner.of = (kernels,)  # type: ignore[attr-defined]
        runners[types] = runner if earlier is None else _either(earlier, runner)
    return found


def _first_starred_run(runners: Runners, f: Any, args: tuple, chosen: Wanted | None) -> Any:
    """The same for a function that takes arguments by a star: its runner hands them on as a tuple."""
    from morula.static.numba.compiled_in import refuse_stale
    from morula.static.numba.starred import in_tuple, with_tuple

    n = f.py_func.__code__.co_argcount
    try:
        target = with_tuple(f)
        found = value_and_gradient(target, in_tuple(f, args))
    except Unsupported:
        return None
    if found is None:
        return None

    def run(args: tuple) -> Any:
        refuse_stale(f)
        found = value_and_gradient(target, (*args[:n], args[n:]))
        return None if found is None else _picked(found, args, n, chosen)

    run.of = ()  # type: ignore[attr-defined]
    runners[kernel_table.fingerprint(args)] = run
    return _picked(found, args, n, chosen)


def _picked(found: tuple[Any, Any], args: tuple, n: int, chosen: Wanted | None) -> Any:
    """What is wanted of the value and of the gradient with respect to `n` arguments and to a tuple of the others."""
    y, (*bars, starred) = found
    bars += [None] * (len(args) - n) if starred is None else starred
    if chosen is None:
        return y, tuple(bars)
    wanted = tuple([or_zero(bars[i], args[i]) for i in chosen.positions])
    result = wanted[0] if chosen.is_one else wanted
    return (y, result) if chosen.value else result


def _either(first: Any, second: Any) -> Any:
    """A runner for short arrays, and one for arrays of other lengths."""

    def run(args: tuple) -> Any:
        found = first(args)
        return second(args) if found is None else found

    run.of = (*first.of, *second.of)  # type: ignore[attr-defined]
    return run
