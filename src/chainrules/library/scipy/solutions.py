"""What the programs for solvers share: results of SciPy's, and whether there is one. Declares nothing."""

from __future__ import annotations

from typing import Any

from ...tangents import NotImplementedDerivative


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
