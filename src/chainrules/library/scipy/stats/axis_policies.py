"""Statistics of samples that SciPy wraps to give them `axis`, `nan_policy` and `keepdims`: what they wrap, at once.

The wrapper looks through signatures, broadcasts, and asks for NaN, which to follow costs fifty times the statistic. For
samples that are arrays of floats of one shape it comes to a call of the function inside, which is followed here; for
anything else the wrapper itself is.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np
from scipy import stats as st  # type: ignore[import-untyped]

from ....lookup import rules_for
from ....programs import program, program_of
from ..naming import itself

WRAPPER = "axis_nan_policy_wrapper"
NEEDED = (
    "hypotest_fun_in", "is_too_small", "kwd_samples", "n_outputs", "n_samples", "override", "result_to_tuple",
    "tuple_to_result", "default_axis",
)  # fmt: skip
OPTIONS = ("axis", "nan_policy", "keepdims")  # which functions inside may lack


def wrapped_in(f: Any) -> Iterator[FunctionType]:
    """The wrappers of a function, which may have others around them."""
    while isinstance(f, FunctionType):
        if f.__code__.co_name == WRAPPER:
            yield f
        f = getattr(f, "__wrapped__", None)


def captured(f: FunctionType) -> dict[str, Any]:
    """The variables of a wrapper, by name."""
    return {k: c.cell_contents for k, c in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)}


def is_sample(x: Any) -> bool:
    """Whether something is an array of floats, or a float."""
    return type(x) in (float, np.float64) or (type(x) is np.ndarray and x.dtype == np.float64 and x.ndim > 0)


def plan_of(known: dict[str, Any]) -> Callable[[tuple, dict], Any]:
    """What tells of arguments how many samples there are, along which axis they go, and how many results.

    The axis is None for samples in a row, "whole" for arrays that are read in a row; there is no plan for calls that
    are for the wrapper.
    """
    inside, override = known["hypotest_fun_in"], known["override"]
    names = list(inspect.signature(inside).parameters)
    is_variadic = known["n_samples"] is None

    def plan(args: tuple, named: dict[str, Any]) -> Any:
        given = named if is_variadic else {**dict(zip(names, args, strict=False)), **named}
        if not args or (not is_variadic and (len(args) > len(names) or len(given) < len(args) + len(named))):
            return None  # a wrong call
        n = known["n_samples"]
        n = n(dict(given)) if callable(n) else n or len(args)
        outputs = known["n_outputs"]
        outputs = outputs(dict(given)) if callable(outputs) else outputs
        samples = args[:n]
        if len(samples) < n or any(given.get(k) is not None for k in known["kwd_samples"]):
            return None
        if not all(map(is_sample, samples)) or any(k in OPTIONS for k in names[n : len(args)]):
            return None
        axis = given.get("axis", known["default_axis"])
        is_usual = given.get("nan_policy", "propagate") == "propagate" and given.get("keepdims", False) is False
        if not is_usual or type(axis) not in (int, type(None)):
            return None
        samples = tuple(map(np.atleast_1d, samples))
        if override["nan_propagation"] and any(np.isnan(x).any() for x in samples):
            return None
        rest = {k: v for k, v in given.items() if k not in (*names[:n], *OPTIONS)}

        def is_small(samples: list) -> bool:
            return bool(known["is_too_small"](samples, rest))

        shapes = {x.shape for x in samples}
        if all(len(shape) == 1 for shape in shapes) and axis in (0, -1, None):
            is_alike = not known.get("paired") or len(shapes) == 1
            return (n, None, outputs) if is_alike and not is_small(list(samples)) else None
        (shape,) = shapes if len(shapes) == 1 else ((),)
        if not math.prod(shape) > 0 or not shape:
            return None
        if axis is None:
            return None if is_small([x.ravel() for x in samples]) else (n, "whole", outputs)
        is_at_once = "axis" in names and not override["vectorization"] and -len(shape) <= axis < len(shape)
        return (n, axis, outputs) if is_at_once else None

    return plan


def followed_inside(f: FunctionType) -> None:
    """Declare that of a wrapper the function inside is followed where the wrapper does nothing else."""
    known = captured(f)
    if not set(NEEDED) <= known.keys() or program_of(f) is not None or rules_for(f):
        return
    plan, whole = plan_of(known), itself(f)
    inside, to_tuple, to_result = known["hypotest_fun_in"], known["result_to_tuple"], known["tuple_to_result"]

    def statistic(config: Any, *args: Any, **named: Any) -> Any:
        if named.get("_no_deco", False):  # as SciPy calls such functions from others
            return inside(*args, **{k: v for k, v in named.items() if k != "_no_deco"})
        found = config.plainly(plan, args, named)
        if found is None:
            return whole(*args, **named)
        n, axis, outputs = found
        rest = {k: v for k, v in named.items() if k not in OPTIONS}
        if axis is None:
            res = inside(*[x if isinstance(x, np.ndarray) else np.reshape(x, 1) for x in args[:n]], *args[n:], **rest)
        elif axis == "whole":
            res = inside(*[np.ravel(x) for x in args[:n]], *args[n:], **rest)
        else:
            res = inside(*[np.moveaxis(x, axis, -1) for x in args[:n]], *args[n:], axis=-1, **rest)
        return to_result(*to_tuple(res, outputs))

    program(f)(statistic)


for _f in list(vars(st).values()):
    for _wrapper in wrapped_in(_f):
        followed_inside(_wrapper)
