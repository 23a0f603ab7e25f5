"""The real Schur form ``A = Z T Z^T`` where all eigenvalues are real and apart.

Where Z turns by the antisymmetric ``W = Z^T dZ``, the part of ``Z^T dA Z`` below the diagonal is that of ``T W - W T``
with opposite sign, and only the part of W below the diagonal has a share in it. It is found from the lower left corner
to the diagonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..implicit import Linear, solved
from ..solutions import moved_as


class Turning(Linear):
    """The constant map from the part of W below the diagonal to that of ``T W - W T``, both in columns."""

    def __init__(self, t: Any):
        self.n = len(t)
        self.t = t

    def inverse(self, b: Any, transposed: bool) -> Any:
        t, n = self.t, self.n
        w = np.zeros((n, n))
        b = np.reshape(b, (n, n))
        # its transpose takes G to the lower part of T^T G - G T^T: the same from the diagonal to the corner
        for d in range(1, n) if transposed else range(n - 1, 0, -1):
            for j in range(n - d):
                i = j + d
                if transposed:
                    rest = np.dot(t[j + 1 : i, i], w[j + 1 : i, j]) - np.dot(w[i, j + 1 : i], t[j, j + 1 : i])
                else:
                    rest = np.dot(t[i, i + 1 :], w[i + 1 :, j]) - np.dot(w[i, :j], t[:j, j])
                w[i, j] = (b[i, j] - rest) / (t[i, i] - t[j, j])
        return np.ravel(w)


def turning(t: Any) -> Turning:
    w = np.diag(t)
    if np.any(np.diag(t, -1)):
        raise NotImplementedDerivative("pairs of complex eigenvalues are not implemented; use eig")
    apart = np.abs(w[:, None] - w) + np.max(np.abs(t), initial=0.0) * np.eye(len(w))
    if np.min(apart, initial=np.inf) <= 1e-12 * np.max(np.abs(t), initial=0.0):
        raise NotImplementedDerivative("eigenvalues are repeated: the Schur form has no derivative there")
    return Turning(t)


@program(la.schur)
def schur_program(config: Any, a: Any, output: Any = "real", *options: Any, **named: Any) -> Any:
    found = config.plainly(la.schur, a, output, *options, **named)
    t, z = found[0], found[1]
    if t.dtype.kind == "c":
        raise NotImplementedDerivative("phases of a complex Schur form are a choice; use eig, or output='real'")
    if t.ndim > 2:
        raise NotImplementedDerivative("stacks of matrices are not implemented: loop over them")
    linear, eye = config.plainly(turning, t), np.eye(len(t))
    below = lambda z: np.tril(z.T @ a @ z, -1)
    r = config.plainly(below, z)
    for _ in range(config.orders()):
        w = np.reshape(solved(linear, np.ravel(below(z) - r)), t.shape)
        half = (w - w.T) / 2
        z = z @ np.linalg.solve(eye + half, eye - half)  # a rotation, and that by -W to first order
    turned = np.triu(z.T @ a @ z)
    return moved_as(config, t, turned), z, *found[2:]
