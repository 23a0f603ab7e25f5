"""The pullback of a run by a static adjoint, with a run on a tape for what that cannot tell."""

import copy
from typing import Any

import numpy as np

from morula.eager.calls.rule_config import STATIC
from morula.eager.context.run import Run
from morula.errors import StaleMemoryError, describe
from morula.static.python.answers import Pulled, noted, static_pulled


def is_same(x: Any, y: Any) -> bool:
    """Whether two values of numbers, arrays, tuples and lists are equal to the bit; a NaN is like any other.

    >>> is_same((float("nan"), 0.0), (-float("nan"), 0.0)), is_same(0.0, -0.0)
    (True, False)
    """
    if isinstance(x, tuple | list):
        return type(x) is type(y) and len(x) == len(y) and all(map(is_same, x, y))
    return type(x) is type(y) and _bits(x) == _bits(y)


def _bits(x: Any) -> bytes:
    values = np.asarray(x)
    if values.dtype.kind in "fc":  # the sign of a NaN depends on which of NumPy's loops made it
        values = np.where(np.isnan(values), np.nan, values)
    return values.tobytes()


class StaticRun:
    """A run by a static adjoint. What that cannot tell is done by a run on a tape, with the arguments as they were."""

    def __init__(self, pulled: Pulled):
        self._pulled = pulled
        self._f = pulled.f
        self._value = pulled.y if type(pulled.y) is float else copy.deepcopy(pulled.y)  # which the user may change
        self._run: Run | None = None

    @property
    def y(self) -> Any:
        """The value."""
        return self._pulled.y

    def gradients(self, seed: Any, absent: bool = False) -> tuple:
        """As those of a `Run`; zeros may stand for what is `absent`."""
        found = None if self._run is not None else self._pulled.pull(seed, absent)
        if found is None or (found[1] and not absent):
            return self._taped().gradients(seed)
        return (None, *found[0])

    def _taped(self) -> Run:
        if self._run is None:
            run = Run(self._f, self._pulled.args, {})
            y = run.value()
            if not is_same(y, self._value):
                raise StaleMemoryError(
                    f"{describe(self._f)} returned a different value than when its pullback was created; create it "
                    "again"
                )
            run.watch()
            self._run = run
        return self._run


def static_run(f: Any, args: tuple) -> StaticRun | None:
    """A run by a static adjoint, where there is one."""
    pulled = static_pulled(f, args)
    return None if pulled is None else StaticRun(pulled)


STATIC += [static_run, noted]
