"""Hypergeometric functions, orthogonal polynomials in x."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from .hypergeometric_parameters import hyp1f1_da, hyp1f1_db, hyp2f1_da, hyp2f1_db, hyp2f1_dc, shifted1, shifted2
from .shared import missing


def parameters(f: Any, n: int, what: str = "its parameters") -> tuple[Any, ...]:
    """``n`` missing partials."""
    return (missing(f.__name__, what),) * n


f: Any
partial: Any
scalar_rule(sp.hyp0f1, *parameters(sp.hyp0f1, 1), lambda y, v, z: sp.hyp0f1(v + 1.0, z) / v)
scalar_rule(
    sp.hyp1f1,
    lambda y, a, b, z: hyp1f1_da(a, b, z),
    lambda y, a, b, z: hyp1f1_db(a, b, z),
    lambda y, a, b, z: shifted1(sp.hyp1f1, a, b, z),
)
scalar_rule(
    sp.hyp2f1,
    lambda y, a, b, c, z: hyp2f1_da(a, b, c, z),
    lambda y, a, b, c, z: hyp2f1_db(a, b, c, z),
    lambda y, a, b, c, z: hyp2f1_dc(a, b, c, z),
    lambda y, a, b, c, z: shifted2(sp.hyp2f1, a, b, c, z),
)

scalar_rule(
    sp.hyperu, *parameters(sp.hyperu, 2), lambda y, a, b, x: -a * sp.hyperu(a + 1.0, b + 1.0, x), real=True
)  # fmt: skip

# Of degree 0 the factor, or what stands for a polynomial of degree -1, is 0.


def below(n: Any) -> Any:
    """The degree of the derivative; its polynomial is multiplied by 0 where it is 0 already."""
    return np.maximum(np.subtract(n, 1), 0)


def has_slope(n: Any) -> Any:
    """1 for a degree that is not 0."""
    return np.not_equal(n, 0) * 1.0


for f, partial in [
    (sp.eval_legendre, lambda y, n, x: has_slope(n) * (n + 1.0) * 0.5 * sp.eval_jacobi(below(n), 1.0, 1.0, x)),
    (sp.eval_chebyt, lambda y, n, x: n * sp.eval_chebyu(below(n), x)),
    (sp.eval_chebyu, lambda y, n, x: has_slope(n) * 2.0 * sp.eval_gegenbauer(below(n), 2.0, x)),
    (sp.eval_chebyc, lambda y, n, x: n * sp.eval_chebyu(below(n), 0.5 * x)),
    (sp.eval_chebys, lambda y, n, x: has_slope(n) * sp.eval_gegenbauer(below(n), 2.0, 0.5 * x)),
    (sp.eval_laguerre, lambda y, n, x: -has_slope(n) * sp.eval_genlaguerre(below(n), 1.0, x)),
    (
        sp.eval_sh_legendre,
        lambda y, n, x: has_slope(n) * (n + 1.0) * sp.eval_jacobi(below(n), 1.0, 1.0, 2.0 * x - 1.0),
    ),
    (sp.eval_sh_chebyt, lambda y, n, x: 2.0 * n * sp.eval_chebyu(below(n), 2.0 * x - 1.0)),
    (sp.eval_sh_chebyu, lambda y, n, x: has_slope(n) * 4.0 * sp.eval_gegenbauer(below(n), 2.0, 2.0 * x - 1.0)),
]:
    scalar_rule(f, *parameters(f, 1, "its degree"), partial)

for f, partial in [
    (sp.eval_hermite, lambda y, n, x: 2.0 * n * sp.eval_hermite(below(n), x)),
    (sp.eval_hermitenorm, lambda y, n, x: n * sp.eval_hermitenorm(below(n), x)),
]:
    scalar_rule(f, *parameters(f, 1, "its degree"), partial, real=True)

scalar_rule(
    sp.lpmv,
    *parameters(sp.lpmv, 2, "its order and degree"),
    lambda y, m, v, x: (v * x * y - (v + m) * sp.lpmv(m, v - 1.0, x)) / (x * x - 1.0),
    real=True,
)
scalar_rule(
    sp.wright_bessel,
    *parameters(sp.wright_bessel, 2),
    lambda y, a, b, x: sp.wright_bessel(a, a + b, x),
    real=True,
)
if hasattr(sp, "log_wright_bessel"):  # SciPy 1.14
    scalar_rule(
        sp.log_wright_bessel,
        *parameters(sp.log_wright_bessel, 2),
        lambda y, a, b, x: np.exp(sp.log_wright_bessel(a, a + b, x) - y),
        real=True,
    )
