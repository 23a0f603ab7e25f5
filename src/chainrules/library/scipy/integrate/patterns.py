"""Patterns of integrals of samples."""

from __future__ import annotations

from scipy import integrate  # type: ignore[import-untyped]

from ....patterns import pattern
from ...numpy.patterns import mixed, reduced

pattern(integrate.trapezoid, integrate.simpson)(reduced("linear", 3, -1))
pattern(integrate.cumulative_trapezoid)(mixed("linear", -1, 3))
