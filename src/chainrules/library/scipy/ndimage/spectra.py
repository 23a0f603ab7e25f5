"""Filters of Fourier transforms: factors, one for each frequency."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage as nd  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...forward import forward
from ...numpy.shared import as_array, leading
from .outputs import may_write


def _factors(f: Any, sign: int) -> None:
    def rule(input: Any, parameter: Any, n: int = -1, axis: int = -1, output: Any = None) -> Any:
        """The conjugate factors times the seed: of the parameter times ``sign``."""
        if isinstance(output, np.ndarray):
            return NotImplemented
        y = f(input, parameter, n, axis, output)
        return y, lambda y_bar: Thunk(lambda: f(y_bar, sign * as_array(parameter), n, axis))

    rrule(f)(leading(rule))
    forward(f)(lambda y, dots, input, *args, **named: f(dots[0], *args, **named))


for f, sign in ((nd.fourier_gaussian, 1), (nd.fourier_uniform, 1), (nd.fourier_ellipsoid, 1), (nd.fourier_shift, -1)):
    _factors(f, sign)
    may_write(f)
