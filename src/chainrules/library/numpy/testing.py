"""The module `numpy.testing`: its functions look at numbers, and raise. Loaded when the program has imported it."""

from __future__ import annotations

import numpy.testing as npt

from ...declarations import non_differentiable

non_differentiable(*[getattr(npt, name) for name in npt.__all__ if name.startswith(("assert_array", "assert_a"))])
non_differentiable(npt.assert_equal, npt.assert_string_equal)
