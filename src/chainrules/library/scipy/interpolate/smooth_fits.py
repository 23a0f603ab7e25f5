"""`make_splrep` and `make_splprep`: the splines of `fitpack`, as instances of `BSpline`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from .fitpack import through
from .fits import found_by
from .smoothing import smoothed

PERIODIC = "bc_type='periodic' is not implemented for s > 0; use make_interp_spline or s=0"


def smooth(config: Any, c: Any, x: Any, y: Any, w: Any, found: Any, k: int, given: Any, ends: Any, s: Any) -> Any:
    """Knots and coefficients: see `fitpack.through`, but smoothed also on knots that are given, which hold the ends."""
    w = None if w is None else np.asarray(w, float)
    if given is None:
        return through(config, c, x, y, w, found, k, None, ends, s)
    t = np.asarray(given, float)
    return t, smoothed(config, c, x, y, t, k, np.ones(len(x)) if w is None else w, s)


if hasattr(si, "make_splrep"):  # SciPy 1.15

    @program(si.make_splrep)
    def make_splrep_program(
        config: Any, x: Any, y: Any, *, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, s: Any = 0,
        t: Any = None, nest: Any = None, **named: Any,
    ) -> Any:  # fmt: skip
        found, extrapolate, place = config.plainly(
            found_by, si.make_splrep, x, y, w=w, xb=xb, xe=xe, k=k, s=s, t=t, nest=nest, **named
        )
        if config.plainly(float, s) == 0:
            return si.make_interp_spline(x, y, k, bc_type=named.get("bc_type"))
        if named.get("bc_type") == "periodic":
            raise NotImplementedDerivative(PERIODIC)
        knots = config.plainly(lambda: si.make_splrep(x, y, w=w, xb=xb, xe=xe, k=k, s=s, t=t, nest=nest).t)
        x, y = np.asarray(x, float), np.asarray(y, float)
        ends = x[0] if xb is None else xb, x[-1] if xe is None else xe
        knots, c = smooth(config, found, x, y, w, knots, k, t, ends, s)
        return si.BSpline.construct_fast(knots, c, k, extrapolate, place)

    @program(si.make_splprep)
    def make_splprep_program(
        config: Any, x: Any, *, w: Any = None, u: Any = None, ub: Any = None, ue: Any = None, k: Any = 3, s: Any = 0,
        t: Any = None, nest: Any = None, **named: Any,
    ) -> Any:  # fmt: skip
        made = config.plainly(si.make_splprep, x, w=w, u=u, ub=ub, ue=ue, k=k, s=s, t=t, nest=nest, **named)[0]
        points = np.stack([np.asarray(row, float) for row in x], axis=1)
        if u is None:
            lengths = np.cumsum(np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1)))
            u = np.concatenate([np.zeros(1), lengths / lengths[-1]])
        u = np.asarray(u, float)
        if config.plainly(float, s) == 0:
            return si.make_interp_spline(u, np.transpose(points), k, axis=1, bc_type=named.get("bc_type")), u
        if named.get("bc_type") == "periodic":
            raise NotImplementedDerivative(PERIODIC)
        ends = u[0] if ub is None else ub, u[-1] if ue is None else ue
        knots, c = smooth(config, made.c, u, points, w, made.t, k, t, ends, s)
        return si.BSpline.construct_fast(knots, c, k, made.extrapolate, made.axis), u
