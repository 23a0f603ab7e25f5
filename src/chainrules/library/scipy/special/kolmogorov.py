"""The distributions of Kolmogorov and Smirnov, with the densities that SciPy keeps beside them; of first order."""

from __future__ import annotations

from typing import Any

from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import missing_partial, scalar_rule

SECOND = "the second derivative of a Kolmogorov-Smirnov distribution is not implemented"
SIZE = missing_partial("the derivative with respect to the size of a sample is not implemented: it is a whole number")

_own: Any = sp._ufuncs
if all(hasattr(_own, name) for name in ("_kolmogp", "_smirnovp")):  # slopes of the survival functions
    for _f, _sign in ((sp.kolmogorov, 1.0), (getattr(_own, "_kolmogc", None), -1.0)):
        if _f is not None:
            scalar_rule(_f, lambda y, x, s=_sign: s * _own._kolmogp(x), real=True)
    for _f, _sign in ((sp.kolmogi, 1.0), (getattr(_own, "_kolmogci", None), -1.0)):
        if _f is not None:
            scalar_rule(_f, lambda y, p, s=_sign: s / _own._kolmogp(y), real=True)
    for _f, _sign in ((sp.smirnov, 1.0), (getattr(_own, "_smirnovc", None), -1.0)):
        if _f is not None:
            scalar_rule(_f, SIZE, lambda y, n, x, s=_sign: s * _own._smirnovp(n, x), real=True)
    for _f, _sign in ((sp.smirnovi, 1.0), (getattr(_own, "_smirnovci", None), -1.0)):
        if _f is not None:
            scalar_rule(_f, SIZE, lambda y, n, p, s=_sign: s / _own._smirnovp(n, y), real=True)
    scalar_rule(_own._kolmogp, missing_partial(SECOND), real=True)
    scalar_rule(_own._smirnovp, missing_partial(SECOND), missing_partial(SECOND), real=True)
