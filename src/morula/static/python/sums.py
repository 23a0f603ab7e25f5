"""How `sum` adds floats: from Python 3.12 on it makes up in the end for what rounding loses at each step."""

from __future__ import annotations

import math
import sys

__all__ = ["COMPENSATED", "PARTIALS", "compensated", "lost", "lost_from_zero"]

COMPENSATED = sys.version_info >= (3, 12)


def lost(total: float, x: float, found: float, so_far: float) -> float:
    """What rounding loses in ``found = total + x``, and lost before, where both are floats.

    Formula: Neumaier (1974), "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", as in CPython.

    >>> lost(1.0, 1e-20, 1.0, 0.0), lost(1, 1e-20, 1.0, 0.0)
    (1e-20, 0.0)
    """
    return lost_from_zero(total, x, found, so_far) if type(total) is float is type(x) else so_far


def lost_from_zero(total: float, x: float, found: float, so_far: float) -> float:
    """The same where `x` is a float, and so is the total, or zero.

    >>> lost_from_zero(1e-20, -1.0, -1.0, 2.0) - 2.0, lost_from_zero(0, -1.0, -1.0, 2.0)
    (0.0, 2.0)
    """
    # The test is whether abs(total) >= abs(x), which would take longer.
    return so_far + ((total - found) + x if (total >= x) is (total >= -x) else (x - found) + total)


def compensated(total: float, so_far: float) -> float:
    """The total with what was lost on the way.

    >>> compensated(1.0, 2e-16), compensated(1.0, float("nan"))
    (1.0000000000000002, 1.0)
    """
    return total + so_far if so_far and math.isfinite(so_far) else total


# In exact arithmetic nothing is lost.
PARTIALS = {lost: (0, 0, 0, 0), lost_from_zero: (0, 0, 0, 0), compensated: (1, 0)}
