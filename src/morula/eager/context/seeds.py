"""Seeds: what a value must be to have a gradient, and the cotangent that its backward pass starts from."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chainrules import AbstractTangent, Tangent
from morula.eager.context.kinds import is_exact_number
from morula.errors import ResultError, SeedError


def unit_seed(y: Any, verb: str) -> Any:
    """The seed 1 for a real number; an error that says what to do for anything else."""
    if type(y) is np.float64 or type(y) is float:
        return 1.0
    if isinstance(y, np.ndarray):
        if y.ndim == 0 and y.dtype.kind in "fiub":
            return np.ones((), y.dtype if y.dtype.kind == "f" else float)
        raise ResultError(
            f"{verb} needs a function that returns one real number, and this one returned an array of shape "
            f"{y.shape}. Reduce it (say, with .sum()), or ask for its jacobian."
        )
    if isinstance(y, complex | np.complexfloating):
        raise ResultError(
            f"{verb} needs a function that returns one real number, and this one returned the complex number {y}. "
            "Return its real part, its absolute value or the like."
        )
    if is_exact_number(type(y)):
        return type(y)(1)
    if isinstance(y, float | int | np.number | np.bool_):
        return 1.0
    kind = type(y).__qualname__
    hint = " (is a return statement missing?)" if y is None else ""
    tuple_hint = " withgradient takes the first item of a tuple as the value." if isinstance(y, tuple) else ""
    raise ResultError(
        f"{verb} needs a function that returns one real number, and this one returned {kind}{hint}.{tuple_hint}"
    )


def unit_seed_of_first(y: Any) -> Any:
    """The seed of a number, or of the first item of a tuple."""
    if isinstance(y, tuple) and y:
        return (unit_seed(y[0], "withgradient"), *(None for _ in y[1:]))
    return unit_seed(y, "withgradient")


def unit_seed_with_aux(y: Any, verb: str) -> Any:
    if not isinstance(y, tuple) or len(y) != 2:
        raise ResultError(f"with has_aux=True the function must return (value, aux), not {type(y).__name__}")
    return unit_seed(y[0], verb), None


def or_zero(g: Any, x: Any) -> Any:
    """Optimisers want an array: a missing gradient of a number or an array is zero here."""
    if g is not None:
        return g
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype if x.dtype.kind in "fc" else float)
    return 0.0 if isinstance(x, float | int) and not isinstance(x, bool) else None


def check_seed(y: Any, bar: Any, path: str) -> None:
    """Raise where a seed does not have the structure of the value."""
    if bar is None or isinstance(bar, AbstractTangent):
        return
    at = f" at {path}" if path else ""
    if isinstance(y, np.ndarray):
        if np.shape(bar) != y.shape:
            raise SeedError(f"the seed{at} has shape {np.shape(bar)}, and the value has shape {y.shape}")
    elif isinstance(y, float | int | complex | np.number):
        if np.ndim(bar) != 0 or isinstance(bar, dict | str):
            raise SeedError(f"the seed{at} must be a number, because the value is")
    elif isinstance(y, tuple | list):
        if isinstance(bar, dict | str) or not hasattr(bar, "__len__") or len(bar) != len(y):
            raise SeedError(f"the seed{at} must have {len(y)} items, because the value has")
        for i, (v, b) in enumerate(zip(y, bar, strict=True)):
            check_seed(v, b, f"{path}[{i}]")
    elif isinstance(y, dict):
        if not isinstance(bar, dict) or not bar.keys() <= y.keys():
            raise SeedError(f"the seed{at} must be a dict with the keys of the value: {list(y)}")
        for k, b in bar.items():
            check_seed(y[k], b, f"{path}[{k!r}]")


def of_a_tangent(value: Any, bar: Any) -> Any:
    """A cotangent in which that of a `Tangent`, such as one of the same class, is what code collects that reads it."""
    if isinstance(value, Tangent) and isinstance(bar, Tangent | dict):
        if isinstance(bar, Tangent) and bar.primal_type is Tangent is not value.primal_type:
            return bar
        parts = bar.fields() if isinstance(bar, Tangent) else bar
        return Tangent(Tangent, _fields=of_a_tangent(value.fields(), parts))
    if isinstance(value, Mapping) and isinstance(bar, Mapping):
        return {k: of_a_tangent(value.get(k), part) for k, part in bar.items()}
    if isinstance(value, list | tuple) and type(bar) is type(value):
        made = map(of_a_tangent, value, bar)
        return type(bar)(*made) if hasattr(bar, "_fields") else type(bar)(made)
    return bar
