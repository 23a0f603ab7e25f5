"""The kernels of calls that were met before, and what stands against having some."""

import sys
import weakref
from enum import Enum
from typing import Any

import numpy as np

import chainrules
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.eager.context.kinds import ATOMS
from morula.errors import NotNative, describe
from morula.static.numba.smooth_parameters import holds_integers, reaching_value
from morula.static.short_arguments import fits
from morula.static.tiers.dispatch import is_dispatcher, positional
from morula.static.tiers.fallback import not_native
from morula.static.unsupported import Unsupported

ndarray = np.ndarray
MISSING = object()
Found = Any  # Kernels, or the reason why there are none
STARS = "parameters with a star, or by keyword only"

_REASONS = (Unsupported, type(None))

_prepared: list[bool] = []
_tables: dict[int, dict[Any, Found]] = {}  # by the identity of the function
_alive: dict[int, weakref.ref] = {}  # these functions


def table_of(f: Any) -> dict[Any, Found]:
    """What is known of `f`; forgotten with it, and when a rule is declared."""
    table = _tables.get(id(f))
    if table is None:
        prepare()
        key = id(f)
        _alive[key] = when_gone(f, key, _tables, _alive)
        table = _tables[key] = {}
    return table


def prepare() -> None:
    """Import the generator and what Numba imports late, and have the rules for it declared: that would empty tables."""
    if not _prepared:
        from numba.core.registry import cpu_target

        import morula.static.numba.array_rules  # noqa: F401

        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
        _prepared.append(True)
    chainrules.registry_version()


def when_gone(f: Any, key: int, *tables: dict) -> weakref.ref:
    """A reference that takes `key` out of tables when `f` dies."""

    def forget(_: Any) -> None:
        for table in tables:
            table.pop(key, None)

    return weakref.ref(f, forget)


def forget_kernels() -> None:
    """Have all made anew: a rule was declared, which may be one for a function that is called inside."""
    _tables.clear()


WHEN_ADJOINT.append(forget_kernels)
chainrules.when_declared(forget_kernels)


def fingerprint(args: tuple) -> bytes:
    """What tells arguments apart as Numba's types do.

    Raises:
        NotImplementedError: for what Numba has no such thing for.
    """
    from numba import _dispatcher

    globals()["fingerprint"] = _dispatcher.compute_fingerprint  # from now on itself
    found: bytes = _dispatcher.compute_fingerprint(args)
    return found


def key_of(args: tuple) -> Any:
    """As `fingerprint`, also of texts, members of enumerations and functions; None for what else has none."""
    try:
        return fingerprint(args)
    except NotImplementedError:
        keys = tuple(map(_key_of_one, args))
        return None if None in keys else (type(args), keys)


def _key_of_one(a: Any) -> Any:
    if type(a) is str or isinstance(a, Enum):
        return type(a)
    if is_dispatcher(a):  # whose body stands in the kernels, which keep it alive anyway
        return a
    if isinstance(a, tuple):
        return key_of(a)
    try:
        return fingerprint((a,))
    except NotImplementedError:
        return None


def kernels_for(f: Any, args: tuple, active: tuple[bool, ...]) -> Any:
    """The kernels of a call of `f` with all arguments by position.

    Args:
        f: a function under `numba.njit`.
        args: its arguments.
        active: for each of them, whether it is differentiated by.

    Returns:
        `Kernels` with a leaf for each active float in the arguments that may reach the value, also in those that the
        function writes into: what lies there may become active. None where nothing reaches the value.

    Raises:
        Unsupported: there are none.
        NotDifferentiable: the compiled function and the Python function are not the same any more.
    """
    for a, is_active in zip(args, active, strict=True):
        if is_active and type(a) is not ndarray and type(a) not in ATOMS:
            refuse_structure(f, a)  # which the types do not tell
    types = key_of(args)
    table = table_of(f)
    found: Any = MISSING if types is None else table.get((types, active), MISSING)
    if found is MISSING or not (isinstance(found, _REASONS) or fits(args, found.lengths)):
        try:
            found = _made(f, args, active)
        except Unsupported as reason:
            found = reason
        if types is not None:
            table[types, active] = found
    if isinstance(found, Unsupported):
        raise found
    if found is not None and not found.watch.holds() and not found.watch.settle():
        for forget in WHEN_ADJOINT:
            forget()
        return kernels_for(f, args, active)
    return found


def source_for(f: Any, args: tuple) -> str:
    """The generated text for the gradient of ``f(*args)`` by all arguments.

    Raises:
        NotNative: there is none.
        TypeError: the call is wrong.
    """
    every = positional(f, args, {})
    if every is None:
        raise not_native(f, Unsupported(STARS, function=f.py_func.__qualname__))
    try:
        kernels = kernels_for(f, every, (True,) * len(every))
    except Unsupported as reason:
        raise not_native(f, reason) from None
    if kernels is None:
        raise NotNative(f"no adjoint is generated for {describe(f)}: its value does not depend on its arguments")
    text: str = kernels.source
    return text


def _made(f: Any, args: tuple, active: tuple[bool, ...]) -> Any:
    from morula.static.numba.kernels import kernels_of

    reaching = reaching_value(f.py_func, args)
    for i, a in enumerate(args):
        if active[i] and reaching[i] and holds_integers(a) and not isinstance(a, int | np.integer):
            name = f.py_func.__code__.co_varnames[i]
            raise Unsupported(
                f"the integer argument {name!r} as a number to differentiate with respect to (pass a float, or "
                "leave it out with grad(..., argnums))",
                function=f.py_func.__qualname__,
            )
    active = tuple([
        is_active and (reaches or (isinstance(a, tuple) and holds_integers(a)))
        for is_active, reaches, a in zip(active, reaching, args, strict=True)
    ])  # fmt: skip
    if not any(active):
        return None
    try:
        kernels = kernels_of(f, args, active)
        more = tuple([a or i in kernels.written for i, a in enumerate(active)])
        kernels = kernels if more == active else kernels_of(f, args, more)
        return kernels if kernels.leaves else None
    except Unsupported:
        raise
    except Exception as error:
        raise unforeseen(f, error) from error


def unforeseen(f: Any, error: Exception) -> Unsupported:
    """What a failure of the generator is to a user: the Python function is differentiated, which is right."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in")]
    return Unsupported(
        f"code for which generating an adjoint failed ({type(error).__name__}: {lines[0] if lines else ''})",
        function=f.py_func.__qualname__,
    )


def is_of_compiler(error: Exception) -> bool:
    """Whether an error says that Numba does not compile something."""
    module = sys.modules.get("numba.core.errors")
    return module is not None and isinstance(error, module.NumbaError)


def does_not_compile(f: Any, args: tuple, active: tuple[bool, ...], error: Exception) -> Unsupported:
    """Remember that Numba does not compile the kernels of a call."""
    reason = unforeseen(f, error)
    types = key_of(args)
    if types is not None:
        table_of(f)[types, active] = reason
    return reason


def compile_backward(kernels: Any, args: tuple, y: Any, kept: Any) -> None:
    """Have the backward kernel compiled before its first forward run is relied on: a run for seeds that are zero."""
    if getattr(kernels, "has_compiled", False):
        return
    bars = [np.zeros_like(at(args, (leaf.argument, *leaf.path))) for leaf in kernels.leaves if leaf.is_array]
    values = [at((y,), (0, *leaf.path)) for leaf in kernels.value_leaves]
    kernels.backward(args, kept, tuple(bars), tuple([0.0 * v for v in values]))
    kernels.has_compiled = True


def refuse_structure(f: Any, a: Any) -> None:
    """Raise where an argument is nothing that a kernel has a cotangent of."""
    if isinstance(a, tuple):
        for part in a:
            refuse_structure(f, part)
    elif type(a) is not ndarray and type(a) not in ATOMS and not is_dispatcher(a):
        raise Unsupported(f"an argument of type {type(a).__qualname__}", function=f.py_func.__qualname__)


def arrays_in(args: Any) -> list[ndarray]:
    """The arrays among arguments, also in tuples and lists."""
    found: list[ndarray] = []
    for a in args:
        if isinstance(a, ndarray):
            found.append(a)
        elif isinstance(a, tuple | list):
            found += arrays_in(a)
    return found


def watched(kept: Any, y: Any) -> Any:
    """What is to be watched besides the tape of a forward kernel: the value, where it may lie in a list of Numba's."""
    parts = kept if isinstance(kept, tuple) else (kept,)
    return None if all(type(part) is ndarray or type(part) in ATOMS for part in parts) else y


def at(values: tuple, path: tuple[int, ...]) -> Any:
    """The part of a nested tuple at a path."""
    found: Any = values
    for i in path:
        found = found[i]
    return found
