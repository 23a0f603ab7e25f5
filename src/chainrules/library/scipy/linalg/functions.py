"""Functions of matrices.

The adjoint of the Frechet derivative at ``A`` is the one at ``A^H``, and that is a corner of the function itself,
``f([[A^H, G], [0, A^H]])``: R. Mathias, "A chain rule for matrix functions and applications" (1996). So derivatives of
any order follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...numpy.linear import _h
from ...numpy.shared import as_array, conj
from .solving import as_matrix


def frechet(f: Any, a: Any, g: Any) -> Any:
    """The derivative of the matrix function ``f`` at ``a`` in the direction ``g``."""
    n = a.shape[-1]
    # Scaled so that the corner is no larger than the blocks: what loses digits is a norm that is no one's own.
    scale = 1.0 + np.max(np.abs(g), initial=0.0) / (1.0 + np.max(np.abs(a), initial=0.0))
    above = np.concatenate((a, g / scale), axis=-1)
    below = np.concatenate((np.zeros(a.shape), a), axis=-1)
    return scale * f(np.concatenate((above, below), axis=-2))[..., :n, n:]


def matrix_function(f: Any) -> None:
    """The rule of a function of one matrix for which ``f(A^H) = f(A)^H``."""

    @rrule(f)
    def matrix_function_rule(A: Any, *options: Any) -> Any:
        """The corner of ``f([[A^H, G], [0, A^H]])``."""
        if options:  # deprecated ones, by which more is returned
            return NotImplemented
        if np.ndim(A) < 2 and f is not la.expm:  # SciPy's sqrtm of a number is the exponential
            raise NotImplementedError(f"the rule for scipy.linalg.{f.__name__} is for matrices, not for a number")
        y = f(A)
        return y, lambda y_bar: Thunk(lambda: frechet(f, _h(as_matrix(A)), y_bar))


for f in (la.expm, la.logm, la.sqrtm, la.cosm, la.sinm, la.tanm, la.coshm, la.sinhm, la.tanhm, la.signm):
    matrix_function(f)


@rrule(la.fractional_matrix_power)
def fractional_matrix_power_rule(A: Any, t: Any) -> Any:
    """As above; by the exponent ``A^t log A``."""
    y = la.fractional_matrix_power(A, t)

    def a_bar(y_bar: Any) -> Any:
        return frechet(lambda m: la.fractional_matrix_power(m, t), _h(as_array(A)), y_bar)

    def t_bar(y_bar: Any) -> Any:
        a = as_array(A)
        # SciPy warns of the rounding of single precision.
        return np.sum(conj(y @ la.logm(a.astype(np.result_type(a, float)))) * y_bar)

    return y, lambda y_bar: (Thunk(a_bar, y_bar), Thunk(t_bar, y_bar))
