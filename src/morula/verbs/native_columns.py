"""Tangents of a compiled function of one vector along several directions: its generated code and nothing around it."""

from typing import Any

import numpy as np

from morula.eager.calls.meanings import has_rule
from morula.static.tiers.dispatch import is_dispatcher, positional
from morula.static.tiers.fallback import current_mode
from morula.static.tiers.kernel_table import does_not_compile, is_of_compiler, kernels_for
from morula.static.unsupported import Unsupported

ndarray = np.ndarray
FLOAT = np.dtype(float)


def native_columns(f: Any, x: Any, args: tuple, kwargs: dict, directions: ndarray) -> ndarray | None:
    """The derivatives of the numbers of ``f(x, ...)`` along directions, one to a row.

    None where the general way has to be asked: there is no generated code, it writes into arguments, the value is no
    array of doubles, or something is not finite.
    """
    if not is_dispatcher(f) or type(x) is not ndarray or x.dtype != FLOAT or not x.flags.c_contiguous:
        return None
    if current_mode() == "never" or has_rule(f):
        return None
    every = positional(f, (x, *args), kwargs)
    if every is None:
        return None
    active = (True, *(False,) * (len(every) - 1))
    try:
        kernels = kernels_for(f, every, active)
    except Unsupported:
        return None
    if kernels is None or kernels.written or [(k.argument, k.path) for k in kernels.leaves] != [(0, ())]:
        return None
    kernels.refresh()
    rows: ndarray | None = None
    is_like_rows = x.flags.writeable and x.flags.aligned  # of one type for Numba
    value = kernels.value_leaves
    may_be_pushed = len(value) == 1 and value[0].is_array and not value[0].path and directions.dtype == FLOAT
    try:
        found = kernels.pushed(every, np.ascontiguousarray(directions)) if may_be_pushed else None
        if found is not None:
            rows = found[1]
            directions = directions[:0]
        for k, v in enumerate(directions):
            dot = v.reshape(x.shape)
            y, dots = kernels.plain_tangent(*every, dot) if is_like_rows else kernels.tangent(every, (dot,))
            if type(y) is not ndarray or len(dots) != 1 or y.dtype != FLOAT:
                return None
            if rows is None:
                rows = np.empty((len(directions), y.size))
            elif rows.shape[1] != y.size:
                return None
            rows[k] = dots[0].ravel()
    except Exception as error:
        if not is_of_compiler(error):
            raise
        does_not_compile(f, every, active, error)
        return None
    # A sum that is finite has finite terms.
    return rows if rows is not None and np.isfinite(np.add.reduce(rows, None)) else None
