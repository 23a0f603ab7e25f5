"""What the programs for solvers share: results of SciPy's, and whether there is one. Declares nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...config import rrule_via
from ...rules import rrule
from ...tangents import NoTangent, NotImplementedDerivative, ZeroTangent


def converged(success: Any, message: Any) -> None:
    """Raise where there is no solution to be differentiated."""
    if not success:
        raise NotImplementedDerivative(
            f"the solver did not converge ({message}): there is no solution to differentiate"
        )


def with_values(result: Any, **values: Any) -> Any:
    """A result object of SciPy's, with some of its values replaced."""
    kind: Any = type(result)
    made = kind.__new__(kind)
    dict.update(made, result)
    for name, value in values.items():
        dict.__setitem__(made, name, value)
    return made


def tuple_of(args: Any) -> Any:
    """Further arguments, of which SciPy takes a single one by itself."""
    return args if isinstance(args, tuple) else (args,)


def moved_as(config: Any, found: Any, computed: Any) -> Any:
    """What SciPy has found, with the derivatives of another way to compute it, whose last digits may be others."""
    if not config.plainly(_is_finite, found, computed):
        return computed
    return found - (config.plainly(itself, computed) - computed)  # minus zero, also where that is -0.0


def _is_finite(found: Any, computed: Any) -> bool:
    return bool(np.shape(found) == np.shape(computed) and np.isfinite(found).all() and np.isfinite(computed).all())


def itself(x: Any) -> Any:
    """The value alone, if it is called plainly."""
    return x


def least(config: Any, found: Any, value: Any, x: Any) -> Any:
    """The value that was found, with the derivatives of ``value(x)``."""
    lasting = config.as_it_is(value)
    if lasting is not None:
        return moved_later(found, lasting, x)
    return found - (config.plainly(value, x) - value(x))


def moved_later(y: Any, f: Any, x: Any) -> Any:
    """`y`, with the derivatives of ``f(x)``, which is called when they are wanted."""
    return y * 1.0


@rrule(moved_later, needs=("reverse",))
def moved_later_rule(config: Any, y: Any, f: Any, x: Any) -> Any:
    """Users often leave aside what comes with a solution, such as covariances."""

    def moved_later_pullback(y_bar: Any) -> Any:
        f_bar, x_bar = rrule_via(config, f, x)[1](y_bar)
        # what the function captures may play no part in it
        return NoTangent(), ZeroTangent() if f_bar is None or isinstance(f_bar, NoTangent) else f_bar, x_bar

    return moved_later(y, f, x), moved_later_pullback
