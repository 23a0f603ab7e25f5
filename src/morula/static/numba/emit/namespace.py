"""The names that generated code may use without defining them."""

import cmath
from typing import Any

import numba
import numpy as np
from numba.typed import List

from morula.static.numba import (
    broadcasting,
    complex_lanes,
    helpers,
    lane_products,
    lanes,
    parallel_shadows,
    small_matrices,
    vector_math,
)

HELPERS: dict[str, Any] = {
    **{name: getattr(helpers, name) for name in helpers.__all__},
    **{name: getattr(broadcasting, name) for name in broadcasting.__all__},
    **{name: getattr(lane_products, name) for name in lane_products.__all__},
    **{name: getattr(lanes, name) for name in lanes.__all__},
    **{name: getattr(complex_lanes, name) for name in complex_lanes.__all__},
    **{name: getattr(parallel_shadows, name) for name in parallel_shadows.__all__},
    **{name: getattr(small_matrices, name) for name in small_matrices.__all__},
    "cmath": cmath,
    "np": np,
    "vector_math": vector_math,
    "List": List,
    "prange": numba.prange,
}
