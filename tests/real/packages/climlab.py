import climlab
import numpy as np

CALLS: dict = {}


def warmed(t, tau):
    model = climlab.EBM_annual(num_lat=10, a0=0.3, D=tau)
    model.Ts[:] = t
    model.step_forward()
    return np.asarray(model.Ts).ravel()


CALLS["EBM_annual"] = (warmed, 12.0, 0.6)
CALLS["insolation"] = (lambda lat: np.asarray(climlab.solar.insolation.daily_insolation(lat, 120.0)), 34.0)
