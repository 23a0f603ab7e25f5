"""Bottleneck's reductions and moving windows, as NumPy's functions that they stand for."""

import sys
from typing import Any

import numpy as np

from ..programs import program

bn: Any = sys.modules.get("bottleneck")  # None where only this module's text is wanted

REDUCTIONS = "nanmean nanmedian nanmin nanmax nansum nanvar nanstd median".split()
WINDOWS = {"move_sum": np.nansum, "move_mean": np.nanmean, "move_min": np.nanmin, "move_max": np.nanmax,
           "move_var": np.nanvar, "move_std": np.nanstd, "move_median": np.nanmedian}  # fmt: skip


def _reduction(name: str) -> None:
    of_numpy = getattr(np, name)

    @program(getattr(bn, name))
    def reduction(config: Any, a: Any, axis: Any = None, **kw: Any) -> Any:
        return of_numpy(a, axis=axis, **kw)


def _window(name: str, of_numpy: Any) -> None:
    @program(getattr(bn, name))
    def moved(config: Any, a: Any, window: int, min_count: int | None = None, axis: int = -1, **kw: Any) -> Any:
        plain = config.plainly(getattr(bn, name), a, window, min_count, axis, **kw)
        a = np.moveaxis(np.asarray(a), axis, -1)
        values = np.empty(a.shape)
        gaps = np.isnan(np.moveaxis(plain, axis, -1))
        for i in range(a.shape[-1]):
            here = a[..., max(0, i + 1 - window) : i + 1]
            found = of_numpy(np.where(gaps[..., i, None], 0.0, here), axis=-1, **kw)
            values[..., i] = np.where(gaps[..., i], np.nan, found)
        return np.moveaxis(values, -1, axis)


if bn is not None:
    for _name in REDUCTIONS:
        _reduction(_name)
    for _name, _function in WINDOWS.items():
        _window(_name, _function)
