"""Functions of matrices.

The adjoint of the Frechet derivative at ``A`` is the one at ``A^H``, and that is a corner of the function itself,
``f([[A^H, G], [0, A^H]])``: R. Mathias, "A chain rule for matrix functions and applications" (1996). So derivatives of
any order follow.

On the branch cut, at a real matrix with negative eigenvalues, rounding moves eigenvalues of that larger
matrix across it. So the logarithm and powers are taken of a matrix turned away from the cut, and the square root solves
an equation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from ....rules import rrule
from ....tangents import Thunk
from ...numpy.linear import _h
from ...numpy.shared import as_array, conj
from .solving import as_matrix, transposed_matrix


def frechet(f: Any, a: Any, g: Any) -> Any:
    """The derivative of the matrix function ``f`` at ``a`` in the direction ``g``."""
    n = a.shape[-1]
    # Scaled so that the corner is no larger than the blocks: what loses digits is a norm that is no one's own.
    scale = 1.0 + np.max(np.abs(g), initial=0.0) / (1.0 + np.max(np.abs(a), initial=0.0))
    above = np.concatenate((a, g / scale), axis=-1)
    below = np.concatenate((np.zeros(a.shape), a), axis=-1)
    return scale * f(np.concatenate((above, below), axis=-2))[..., :n, n:]


def turn_off_cut(a: Any) -> Any:
    """A number of modulus 1 that turns negative eigenvalues off the cut and no other across it; None without such.

    >>> turn_off_cut(np.diag([-1.0, 2.0])), turn_off_cut(np.diag([1.0, 2.0]))
    (np.complex128(6.123233995736766e-17-1j), None)
    """
    angles = np.angle(np.linalg.eigvals(a))
    on_cut = angles == np.pi
    if np.iscomplexobj(a) or not np.any(on_cut):
        return None
    return np.exp(-0.5j * (np.pi + np.min(angles, where=~on_cut, initial=0.0)))


non_differentiable(turn_off_cut)


def frechet_adjoint(f: Any, unturned: Any, a: Any, y_bar: Any) -> Any:
    """The adjoint of the Frechet derivative of ``f`` at ``a``, where ``unturned(f(t a), t)`` has the slope of ``f``."""
    t = turn_off_cut(a)
    if t is None:
        return frechet(f, _h(a), y_bar)
    return conj(unturned(frechet(f, t * transposed_matrix(a), t * conj(y_bar)), t))


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


@rrule(la.logm)
def logm_rule(A: Any, *options: Any) -> Any:
    """As above; ``log(t A) = log(A) + log(t)`` off the cut."""
    if options:
        return NotImplemented
    if np.ndim(A) < 2:
        raise NotImplementedError("the rule for scipy.linalg.logm is for matrices, not for a number")
    y = la.logm(A)
    return y, lambda y_bar: Thunk(lambda: frechet_adjoint(la.logm, lambda slope, t: slope, as_matrix(A), y_bar))


@rrule(la.sqrtm)
def sqrtm_rule(A: Any, *options: Any) -> Any:
    """``Y dY + dY Y = dA``."""
    if options:
        return NotImplemented
    if np.ndim(A) < 2:
        raise NotImplementedError("the rule for scipy.linalg.sqrtm is for matrices, not for a number")
    y = la.sqrtm(A)
    return y, lambda y_bar: Thunk(lambda: la.solve_sylvester(_h(y), _h(y), y_bar))


for f in (la.expm, la.cosm, la.sinm, la.tanm, la.coshm, la.sinhm, la.tanhm, la.signm):
    matrix_function(f)


@rrule(la.fractional_matrix_power)
def fractional_matrix_power_rule(A: Any, t: Any) -> Any:
    """As above; by the exponent ``A^t log A``."""
    y = la.fractional_matrix_power(A, t)

    def a_bar(y_bar: Any) -> Any:
        power = lambda m: la.fractional_matrix_power(m, t)
        return frechet_adjoint(power, lambda slope, turn: slope * turn**-t, as_array(A), y_bar)

    def t_bar(y_bar: Any) -> Any:
        a = as_array(A)
        # SciPy warns of the rounding of single precision.
        return np.sum(conj(y @ la.logm(a.astype(np.result_type(a, float)))) * y_bar)

    return y, lambda y_bar: (Thunk(a_bar, y_bar), Thunk(t_bar, y_bar))
