"""Patterns of the functions that mix numbers along axes."""

from __future__ import annotations

from typing import Any

from scipy import special as sp  # type: ignore[import-untyped]

from ....patterns import pattern
from ...numpy.patterns import joined, mixed, reduced


@pattern(sp.logsumexp)
def summed(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All along the axis, with constant weights."""
    if isinstance(y, tuple):
        return NotImplemented
    return reduced("smooth")(joining, y, args, marks, kwargs)


pattern(sp.softmax, sp.log_softmax)(mixed("smooth", None))

# -- element by element, of arguments that are no ufunc's -------------------------------------------------------

pattern(
    sp.comb, sp.perm, sp.factorial, sp.multigammaln, sp.lambertw, sp.zeta, sp.spherical_jn, sp.spherical_yn,
    sp.spherical_in, sp.spherical_kn,
)(joined("smooth"))  # fmt: skip
if hasattr(sp, "softplus"):
    pattern(sp.softplus)(joined("smooth"))
