import numpy as np
import xarray as xr

t = xr.DataArray(np.array([1.0, 2.0, 3.0]), dims="t")
x = np.array([1.0, 2.0, 4.0])

CALLS = {
    "values": (lambda p: (t.values * p**2).sum(), 0.4),
    "array times number": (lambda p: (t * p).values, 0.4),
    "DataArray": (lambda v: xr.DataArray(v, dims="t").mean().item(), x),
    "sel": (lambda p: t.isel(t=1).item() * p**2, 0.4),
    "np.exp": (lambda p: np.exp(t * p).sum().item(), 0.4),
    "to_numpy": (lambda v: (xr.DataArray(v, dims="t") * t).to_numpy(), x),
}
