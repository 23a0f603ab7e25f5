"""Methods and attributes of arrays that have no function of the same name among the other rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...rules import rrule
from .select import choose_rule
from .shared import leading

rrule(np.ndarray.choose)(leading(choose_rule, active=2))

if hasattr(np.ndarray, "to_device"):  # from NumPy 2.1 on; there is one device
    non_differentiable(np.ndarray.device)

    @rrule(np.ndarray.to_device)
    @leading
    def to_device_rule(a: Any, *args: Any, **options: Any) -> Any:
        """The seed: it is the same array."""
        return a.to_device(*args, **options), lambda y_bar: y_bar


@rrule(np.ndarray.__array__)
@leading
def array_method_rule(a: Any, *args: Any, **options: Any) -> Any:
    """The seed; none gets through a conversion to integers."""
    y = a.__array__(*args, **options)
    if y.dtype.kind not in "fcO":
        return y, lambda y_bar: None
    return y, lambda y_bar: y_bar
