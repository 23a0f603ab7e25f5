"""What Numba compiles in the place of a Python function: implementations declared by `numba.extending`.

The Python body of a function under `overload` is not what the compiled program runs, and an intrinsic, a stencil or a
class under `jitclass` has none at all.
"""

import weakref
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.core.typing.templates import builtin_registry

import chainrules
from morula.errors import NotDifferentiable, describe
from morula.static.numba.called_rules import has_rule
from morula.static.numba.frozen import FIXED, MISSING, content_of, frozen_names, is_fixed

BODILESS = {"_Intrinsic": "the intrinsic", "StencilFunc": "the stencil", "GUFunc": "the generalized ufunc"}
_FAITHFUL: "weakref.WeakKeyDictionary[FunctionType, tuple[int, ...]]" = weakref.WeakKeyDictionary()  # and since when
OF_JITCLASS = ("method", "ctor", "accessor", "mutator")


def templates_of(f: Any) -> list[Any]:
    """The implementations that a user has declared for a Python function, as Numba's templates."""
    if not isinstance(f, FunctionType) or (f.__module__ or "").split(".")[0] in FIXED:
        return []
    context = cpu_target.typing_context
    context.refresh()
    found = context._lookup_global(f)
    return [t for t in getattr(found, "templates", ()) if hasattr(t, "_overload_func")]


def is_jitable(f: Any) -> bool:
    """Whether a plain function is compiled as it is: it was made by `numba.extending.register_jitable`."""
    found = templates_of(f)
    return bool(found) and all(map(_is_itself, found))


def _is_itself(template: Any) -> bool:
    made: FunctionType = template._overload_func
    return made.__module__ == "numba.core.extending" and made.__qualname__.startswith("register_jitable.")


def implementations(f: Any) -> list[Any]:
    """The compiled functions that Numba has taken in the place of a function so far."""
    return [impl for t in templates_of(f) for impl, _ in getattr(t, "_impl_cache", {}).values() if impl is not None]


def implementation(f: Any, argument_types: tuple, keywords: dict[str, Any]) -> Any:
    """The compiled function that Numba takes for a call of `f` with these types; None where that cannot be told."""
    for template in templates_of(f):
        if template.prefer_literal:
            return None
        try:
            found, _ = template(cpu_target.typing_context)._get_impl(argument_types, keywords)
        except NumbaError:
            return None
        if found is not None:
            return found
    return None


def refuse_other_bodies(f: Any, function: FunctionType) -> None:
    """Raise where the Python function of a compiled one is not what was compiled.

    That what the function reads has not changed since it was compiled is not looked at here.

    Raises:
        NotDifferentiable: and says what it calls.
    """
    declarations = _declarations()
    if _FAITHFUL.get(function) == declarations:
        return
    attributes = _declared_attributes()
    for name, value in read_from_outside(function):
        if value is None:
            if name in attributes:
                raise _refused(f, f"uses {name!r}, an attribute declared by numba.extending")
        elif type(value).__name__ in BODILESS and type(value).__module__.startswith("numba."):
            if not has_rule(value):
                raise _refused(f, f"calls {BODILESS[type(value).__name__]} {name!r}")
        elif not has_rule(value) and not all(map(_is_itself, templates_of(value))):
            raise _refused(f, f"calls {name!r}, for which Numba compiles another body (numba.extending.overload)")
    _FAITHFUL[function] = declarations


def _declarations() -> tuple[int, ...]:
    """Numbers that grow when an implementation or a rule is declared."""
    context, declared = cpu_target.typing_context, builtin_registry
    found = (declared.functions, declared.attributes, declared.globals, context._functions, context._globals)
    return chainrules.registry_version(), *map(len, found)


def read_from_outside(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The names of a function that are no variables of its own, with their values; None for a name that has none."""
    names = dict.fromkeys(frozen_names(function.__code__))
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name in names:
        value = content_of(cells[name]) if name in cells else function.__globals__.get(name, MISSING)
        yield name, None if value is MISSING else value
        if isinstance(value, ModuleType) and not is_fixed(value):
            yield from ((inner, vars(value)[inner]) for inner in names.keys() & vars(value).keys())


def refuse_numbas_own(f: Any) -> None:
    """Raise where a compiled function belongs to a container or a class of Numba's.

    Raises:
        NotDifferentiable: it keeps values where they cannot be followed.
    """
    function = f.py_func
    if (function.__module__ or "").startswith("numba.typed"):
        raise NotDifferentiable(
            f"{describe(f)} of numba.typed was given active values, or is differentiated with respect to: what it "
            "holds cannot be followed. Use an array, a tuple or a plain list, or leave the container out with "
            "grad(..., argnums)"
        )
    if function.__code__.co_filename == "<string>" and function.__name__ in OF_JITCLASS:
        raise NotDifferentiable(
            "an instance of a class under numba.experimental.jitclass was given active values, and what it holds "
            "cannot be followed. Use a namedtuple, or pass its attributes as arguments"
        )


def _declared_attributes() -> set[str]:
    """The attributes and methods of types that were declared outside Numba."""
    found = set()
    for templates in cpu_target.typing_context._attributes.values():
        for t in templates:
            declared = getattr(t, "_overload_func", None)
            if declared is not None and not declared.__module__.startswith("numba."):
                found.add(t._attr)
    return found


def _refused(f: Any, fact: str) -> NotDifferentiable:
    return NotDifferentiable(
        f"{describe(f)} {fact}, so its Python function is not equivalent to the compiled one. Write a rule for it "
        "(chainrules.rrule, or morula.adjoint)"
    )


__all__ = ["implementation", "implementations", "is_jitable", "refuse_numbas_own", "refuse_other_bodies"]
