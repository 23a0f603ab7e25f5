import numpy as np
import pandas as pd
import pyet

CALLS: dict = {}
DAYS = pd.date_range("2020-06-01", periods=4, freq="D")
T = np.array([14.0, 17.5, 19.0, 16.0])


def series(values):
    return pd.Series(values, index=DAYS)


CALLS["oudin"] = (lambda t: pyet.oudin(series(t), lat=0.8).to_numpy(), T)
CALLS["hargreaves"] = (lambda t: pyet.hargreaves(series(t), series(t + 5), series(t - 5), lat=0.8).to_numpy(), T)
CALLS["hamon"] = (lambda t: pyet.hamon(series(t), lat=0.8).to_numpy(), T)
CALLS["pm"] = (
    lambda t: pyet.pm(
        series(t),
        series(T / 7),
        rs=series(T + 2),
        tmax=series(t + 5),
        tmin=series(t - 5),
        rh=series(T * 4),
        elevation=300.0,
        lat=0.8,
    ).to_numpy(),
    T,
)
CALLS["pm_fao56"] = (
    lambda w: pyet.pm_fao56(
        series(T),
        series(w),
        rs=series(T + 2),
        tmax=series(T + 5),
        tmin=series(T - 5),
        rh=series(T * 4),
        elevation=300.0,
        lat=0.8,
    ).to_numpy(),
    T / 7,
)
CALLS["priestley_taylor"] = (
    lambda r: pyet.priestley_taylor(series(T), rs=series(r), rh=series(T * 4), elevation=300.0, lat=0.8).to_numpy(),
    T + 2,
)
CALLS["makkink"] = (lambda r: pyet.makkink(series(T), rs=series(r), elevation=300.0).to_numpy(), T + 2)
CALLS["turc"] = (lambda r: pyet.turc(series(T), rs=series(r), rh=series(T * 4)).to_numpy(), T + 2)
CALLS["calc_es"] = (lambda t: pyet.calc_es(tmean=series(t)).to_numpy(), T)
