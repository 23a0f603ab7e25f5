import numpy as np
from floris import FlorisModel

CALLS: dict = {}


def model():
    fmodel = FlorisModel("defaults")
    fmodel.set(wind_directions=np.array([270.0]), wind_speeds=np.array([8.0]), turbulence_intensities=np.array([0.06]))
    return fmodel


def powers(**how):
    fmodel = model()
    fmodel.set(**how)
    fmodel.run()
    return fmodel.get_turbine_powers() / 1e6


CALLS["wind speed"] = (lambda v: powers(layout_x=[0.0, 630.0], layout_y=[0.0, 30.0], wind_speeds=np.atleast_1d(v)), 8.3)
CALLS["direction"] = (
    lambda d: powers(layout_x=[0.0, 630.0], layout_y=[0.0, 30.0], wind_directions=np.atleast_1d(d)),
    269.0,
)
CALLS["layout"] = (lambda y: powers(layout_x=[0.0, 630.0], layout_y=y), np.array([0.0, 40.0]))
CALLS["yaw"] = (
    lambda a: powers(layout_x=[0.0, 630.0], layout_y=[0.0, 30.0], yaw_angles=np.reshape(a, (1, 2))),
    np.array([12.0, 0.5]),
)
