"""Arguments that look like numbers and are none to the engine: tensors of other libraries, tables, raw memory.

Nothing in them is a leaf, so that every gradient with respect to them would be None.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from morula.eager.containers.parts import DEPTH, holds_number, is_like_an_array
from morula.eager.context.kinds import ATOMS, module_of
from morula.errors import NotDifferentiable, adapters_for

# libraries whose arrays have derivatives of their own
DIFFERENTIATING = frozenset("torch tensorflow jax jaxlib cupy autograd mygrad tinygrad mlx pytensor casadi".split())


def refuse_foreign_arguments(args: Sequence, active: Sequence[int] | None) -> None:
    """Raise where an argument would have no gradient, though the program can compute with it.

    Args:
        args: of the differentiated call.
        active: the positions of those that were asked for; None: all.

    Raises:
        NotDifferentiable: an array of a library that differentiates by itself is among the arguments (also in a
            list, tuple or dict); or an argument that was asked for, or that is the only one, is array-like and holds
            no number that Morula sees. Beside other arguments it is a constant: a table of data, say.
    """
    if SIMPLE.issuperset(map(type, args)):
        return
    wanted = range(len(args)) if active is None else active
    for i in wanted:
        tensor = _tensor_in(args[i], DEPTH)
        if tensor is not None:
            raise _foreign(tensor)
    if active is None and any(holds_number(a, DEPTH) for a in args):
        return
    for i in wanted:
        if is_like_an_array(args[i]) and not holds_number(args[i], DEPTH):
            raise _foreign(args[i])


SIMPLE = frozenset({float, int, complex, np.ndarray, np.float64, str, bool, type(None)})


def _foreign(x: Any) -> NotDifferentiable:
    kind = type(x)
    adapters = adapters_for(x)
    if adapters is not None:
        return NotDifferentiable(
            f"an argument of type {kind.__module__}.{kind.__qualname__} belongs to a library with its own "
            f"differentiation: give that library the function, {adapters[1]}(f), and take the gradient there; or "
            "convert the argument (numpy.asarray), or pass it by keyword if it is constant"
        )
    return NotDifferentiable(
        f"an argument of type {kind.__module__}.{kind.__qualname__} is not a number, an array, a container or an "
        "object of yours, so it has no gradient: convert it (numpy.asarray), or pass it by keyword if it is "
        "constant"
    )


def _tensor_in(x: Any, depth: int) -> Any:
    """An array of a library that differentiates by itself, at any depth of containers; None without."""
    kind = type(x)
    if kind in ATOMS or isinstance(x, np.ndarray | np.generic) or depth == 0:
        return None
    if isinstance(x, list | tuple | dict):
        parts = x.values() if isinstance(x, dict) else x
        return next((t for t in (_tensor_in(v, depth - 1) for v in parts) if t is not None), None)
    differentiates = module_of(kind).partition(".")[0] in DIFFERENTIATING and (
        hasattr(kind, "__mul__") or hasattr(kind, "__array__")
    )
    return x if differentiates or (hasattr(kind, "__dlpack__") and not holds_number(x, depth)) else None
