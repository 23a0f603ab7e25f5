"""A compiled real function at a point: its value, gradient and Hessian by generated code."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from morula.eager.calls.meanings import has_rule
from morula.static.numba.sharing import any_shared, copied
from morula.static.tiers.dispatch import is_dispatcher, positional
from morula.static.tiers.fallback import current_mode, not_native
from morula.static.tiers.kernel_summary import in_order
from morula.static.tiers.kernel_table import STARS, arrays_in, at, kernels_for
from morula.static.unsupported import Unsupported
from morula.verbs.structure import Structure

ndarray = np.ndarray


class NativeProgram:
    """What `morula.verbs.curvature.Program` is, for a compiled function: also one operation of such a program.

    Attributes:
        value: of the function at the point.
        leaves: the numbers and arrays of the point.
        slopes: the gradient, by each leaf.
    """

    def __init__(self, kernels: Any, second: Any, args: tuple):
        self._kernels, self._second = kernels, second
        self._args, self.leaves = copied(args), kernels.leaves
        bars = [np.zeros_like(at(args, (leaf.argument, *leaf.path))) for leaf in kernels.leaves if leaf.is_array]
        self.value, numbers = kernels.fresh(copied(args), bars, (1.0,))
        self.slopes = list(map(np.asarray, in_order(kernels.leaves, bars, numbers)))

    def gradient(self) -> list[ndarray]:
        """By each leaf of the point."""
        return self.slopes

    def products(self, directions: Sequence[ndarray | None]) -> list[ndarray]:
        """Products of the Hessian with directions, which hold ``(n, *shape)`` for each leaf, or None for zeros."""
        n = next(len(d) for d in directions if d is not None)
        given = [np.zeros((n, *g.shape)) if d is None else d for d, g in zip(directions, self.slopes, strict=True)]
        found = self._second.several(self._args, given)
        if found is not None:
            return [np.reshape(part, d.shape) for part, d in zip(found, given, strict=True)]
        rows = [self._second.product(self._given(), direction) for direction in zip(*given, strict=True)]
        return [np.array(part).reshape(d.shape) for part, d in zip(zip(*rows, strict=True), given, strict=True)]

    def _given(self) -> tuple:
        return copied(self._args) if self._kernels.written else self._args


def native_program(f: Any, x: Any, kwargs: dict, structure: Structure) -> NativeProgram | None:
    """The program of ``f(x, **kwargs)``; None where generated code is not available for it.

    Raises:
        NotNative: that is not wanted.
    """
    if not is_dispatcher(f) or current_mode() == "never" or has_rule(f):
        return None
    try:
        return _made(f, x, kwargs, structure)
    except Unsupported as reason:
        if current_mode() == "require":
            raise not_native(f, reason) from None
        return None


def _made(f: Any, x: Any, kwargs: dict, structure: Structure) -> NativeProgram | None:
    args = positional(f, (x,), kwargs)
    if args is None:
        raise Unsupported(STARS, function=f.py_func.__qualname__)
    kernels = kernels_for(f, args, (True,) + (False,) * (len(args) - 1))
    if kernels is None:
        return None
    parts = structure.values(x)
    found = [at(args, (leaf.argument, *leaf.path)) for leaf in kernels.leaves]
    if len(found) != len(parts) or any(a is not b for a, b in zip(found, parts, strict=True)):
        return None  # there is something that the value does not depend on
    arrays = arrays_in(args)
    if any(any_shared([a], arrays) for a in arrays):
        return None
    (leaf, *more) = kernels.value_leaves or (None,)
    if more or leaf is None or leaf.is_array or leaf.path:
        return None
    from morula.static.numba.second_order import second_order

    second = second_order(kernels, args)
    made = NativeProgram(kernels, second, args)
    return made if type(made.value) is float else None
