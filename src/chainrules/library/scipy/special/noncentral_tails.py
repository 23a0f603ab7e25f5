"""Distribution functions of `noncentral`, with their densities and inverses, in all parameters.

Where ``F(..., x, ...) = p``, what is found for one argument from p has the derivative ``1/F_x`` with respect to p, and
``-F_a/F_x`` with respect to another argument a.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy import special as sp  # type: ignore[import-untyped]

from ....products import strong_mul
from ....scalar import scalar_rule
from . import noncentral as nc_
from .shared import over

Partial = Callable[..., Any]


def ncx2_log_dz(z: Any, df: Any, nc: Any) -> Any:
    return over(0.5 * df - 1.0, z) - 0.5 + 0.25 * nc * nc_.ncx2_inverse(z, df, nc)


def negated(partial: Partial) -> Partial:
    return lambda y, *args: -partial(y, *args)


def inverses(slopes: tuple[Partial, ...], names: dict[str, int]) -> None:
    """Declare what finds one argument from the probability, which stands in its place.

    Args:
        slopes: the partials of the distribution function.
        names: functions, and where the argument stands.
    """
    for name, place in names.items():
        scalar_rule(
            getattr(sp, name),
            *[_inverse(slopes, place, None if i == place else i) for i in range(len(slopes))],
            real=True,
        )


def _inverse(slopes: tuple[Partial, ...], place: int, by: int | None) -> Partial:
    def partial(y: Any, *args: Any) -> Any:
        at = (*args[:place], y, *args[place + 1 :])
        return (1.0 if by is None else -slopes[by](None, *at)) / slopes[place](None, *at)

    return partial


def declare(
    density: Any, scores: tuple[Partial, ...], lower: Any, slopes: tuple[Partial, ...], upper: Any, order: list[int],
    found: dict[str, int],
) -> None:  # fmt: skip
    """Declare the functions of one distribution.

    Args:
        density: of ``(z, *shapes)``.
        scores: the derivatives of its logarithm.
        lower: the distribution function, with its arguments in an order of its own.
        slopes: its derivatives with respect to ``z`` and the shapes, of ``(density, z, *shapes)``.
        upper: its complement, of ``(z, *shapes)``.
        order: where ``z`` and the shapes stand among the arguments of `lower`.
        found: its inverses, and the place of what they find.
    """
    scalar_rule(density, *[lambda y, *a, s=s: strong_mul(y, s(*a)) for s in scores], real=True)
    plain = [lambda y, *a, s=s: s(density(*a), *a) for s in slopes]
    scalar_rule(upper, *map(negated, plain), real=True)
    turned = [lambda y, *a, s=plain[i]: s(y, *[a[k] for k in order]) for i in map(order.index, range(len(order)))]
    scalar_rule(lower, *turned, real=True)
    inverses(tuple(turned), found)


_own = sp._ufuncs
if all(hasattr(_own, name) for name in "_ncx2_pdf _ncx2_sf _ncf_pdf _ncf_sf _nct_pdf _nct_sf".split()):
    declare(
        _own._ncx2_pdf,
        (ncx2_log_dz, nc_.ncx2_score, lambda z, df, nc: 0.25 * z * nc_.ncx2_inverse(z, df, nc) - 0.5),
        sp.chndtr,
        (
            lambda p, z, df, nc: p,
            lambda p, z, df, nc: nc_.ncx2_flow(z, df, nc),
            lambda p, z, df, nc: -0.5 * z * strong_mul(p, nc_.ncx2_inverse(z, df, nc)),
        ),
        _own._ncx2_sf,
        [0, 1, 2],
        {"chndtrix": 0, "chndtridf": 1, "chndtrinc": 2},
    )
    declare(
        _own._ncf_pdf,
        (nc_.ncf_dz, nc_.ncf_dm, nc_.ncf_dn, lambda z, m, n, nc: nc_.ncf_count(z, m, n, nc) - 0.5),
        sp.ncfdtr,
        (
            lambda p, z, m, n, nc: p,
            lambda p, z, m, n, nc: nc_.ncf_flow(z, m, n, nc, 0.0) + p * z / m,
            lambda p, z, m, n, nc: nc_.ncf_flow(z, m, n, nc, 1.0) - p * z / n,
            lambda p, z, m, n, nc: -0.5 * p * z * nc_.ncf_inverse(z, m, n, nc),
        ),
        _own._ncf_sf,
        [3, 0, 1, 2],
        {"ncfdtridfn": 0, "ncfdtridfd": 1, "ncfdtrinc": 2, "ncfdtri": 3},
    )
    declare(
        _own._nct_pdf,
        (nc_.nct_dz, nc_.nct_ddf, nc_.nct_dnc),
        sp.nctdtr,
        (
            lambda p, z, df, nc: p,
            lambda p, z, df, nc: nc_.nct_flow(z, df, nc),
            lambda p, z, df, nc: -p * nc_.nct_inverse(z, df, nc),
        ),
        _own._nct_sf,
        [2, 0, 1],
        {"nctdtridf": 0, "nctdtrinc": 1, "nctdtrit": 2},
    )
