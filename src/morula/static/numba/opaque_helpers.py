"""What generated code calls, when it is itself read by the generator: such calls stay calls."""

from typing import Any

from morula.static.numba import broadcasting, helpers

__all__ = ["ALIASES", "FITS", "KEPT", "NUMBERS"]

FITS = (broadcasting.fit1, broadcasting.fit2, broadcasting.fit3)
# Functions that return an array, or where it does not fit another one of its type; of a tangent the same.
ALIASES: dict[Any, str] = {
    helpers.grown: "grown",
    broadcasting.fit_shadow1: "fit_shadow1",
    broadcasting.fit_shadow2: "fit_shadow2",
    broadcasting.fit_shadow3: "fit_shadow3",
}
# Functions of numbers whose derivatives are not those of their branches.
NUMBERS = (helpers.times, helpers.power_dx, helpers.power_dp, helpers.logistic, helpers.logistic2)
KEPT = frozenset({broadcasting.bdim, *FITS, *ALIASES, *NUMBERS})
