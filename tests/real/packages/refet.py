import numpy as np
import refet

CALLS: dict = {}
CALLS["Daily.eto"] = (
    lambda tn, tx: refet.Daily(tmin=tn, tmax=tx, ea=1.2, rs=22.0, uz=3.0, zw=3.0, elev=1208.0, lat=39.0, doy=182).eto(),
    15.0,
    36.0,
)
CALLS["Hourly.etr"] = (
    lambda t: refet.Hourly(
        tmean=t, ea=1.2, rs=3.0, uz=3.0, zw=3.0, elev=1208.0, lat=39.0, lon=-118.0, doy=182, time=18
    ).etr(),
    30.0,
)
CALLS["arrays"] = (
    lambda t: refet.Daily(
        tmin=t,
        tmax=t + 12,
        ea=np.array([1.2, 1.1]),
        rs=np.array([22.0, 20.0]),
        uz=np.array([3.0, 2.0]),
        zw=3.0,
        elev=1208.0,
        lat=39.0,
        doy=182,
    ).eto(),
    np.array([15.0, 12.0]),
)
