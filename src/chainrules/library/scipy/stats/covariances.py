"""Covariances of `multivariate_normal`, `multivariate_t` and `matrix_normal`, which SciPy keeps by their eigenvectors.

A density takes from them ``U U^T``, the inverse, and the determinant. These have derivatives also where the
eigenvectors have none: at repeated eigenvalues, those of a multiple of the identity, say.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]
from scipy import stats as st

from ....programs import program
from ..objects import adopt

_own: Any = getattr(getattr(st, "_multivariate", None), "_PSD", None)
CLOSE = 1e-6  # a distance between eigenvalues, over the largest one, below which they count as repeated


def symmetric(m: Any, lower: bool) -> Any:
    """The matrix that `eigh` sees."""
    return np.tril(m) + np.tril(m, -1).T if lower else np.triu(m) + np.triu(m, 1).T


def factors(u: Any, m: Any) -> Any:
    """A matrix near to `u` with ``U U^T = m^-1``, and the logarithm of the change of the determinant.

    With ``u^T m u = L L^T``, which is the identity but for what varies, ``U = u L^-T``.
    """
    triangle = np.linalg.cholesky(u.T @ m @ u)
    return u @ la.solve_triangular(triangle, np.eye(len(u)), lower=True, trans=1), 2 * np.sum(np.log(np.diag(triangle)))


if _own is not None:

    @program(_own.__init__)
    def psd_init(
        config: Any, self: Any, M: Any, cond: Any = None, rcond: Any = None, lower: Any = True,
        check_finite: Any = True, allow_singular: Any = True,
    ) -> None:  # fmt: skip
        made = adopt(config, self, _own, M, cond, rcond, lower, check_finite, allow_singular)
        self._M = np.asarray(M)
        m = np.asarray(M) * 1.0
        s, u = config.plainly(la.eigh, m, lower=lower)
        if made.rank == len(u) and np.any(np.diff(s) <= CLOSE * s[-1]):
            m = symmetric(m, lower)
            inverse, change = factors(made.U, m)
            found = config.plainly(factors, made.U, m)
            self.U = made.U + (inverse - found[0])
            self.log_pdet = made.log_pdet + (change - found[1])
            return
        kept = config.plainly(np.greater, s, made.eps / 1e3)
        s, u = la.eigh(m, lower=lower)
        self.V = u[:, ~kept]
        self.U = u * np.where(kept, np.sqrt(1.0 / np.where(kept, s, 1.0)), 0.0)
        self.log_pdet = np.sum(np.log(s[kept]))
