import numpy as np
import pandas as pd
import wntr

CALLS: dict = {}


def network(d):
    wn = wntr.network.WaterNetworkModel()
    wn.add_reservoir("r", base_head=40.0)
    wn.add_junction("a", base_demand=0.01, elevation=3.0)
    wn.add_junction("b", base_demand=0.02, elevation=5.0)
    wn.add_pipe("p", "r", "a", length=500.0, diameter=d, roughness=100.0)
    wn.add_pipe("q", "a", "b", length=300.0, diameter=0.25, roughness=100.0)
    return wn


CALLS["simulator"] = (
    lambda d: wntr.sim.WNTRSimulator(network(d)).run_sim().node["pressure"].iloc[0].to_numpy().sum(),
    0.3,
)
CALLS["todini"] = (
    lambda h: wntr.metrics.todini_index(
        pd.DataFrame({"r": [40.0], "a": [h], "b": [35.0]}),
        pd.DataFrame({"r": [0.0], "a": [h - 3.0], "b": [30.0]}),
        pd.DataFrame({"r": [-0.03], "a": [0.01], "b": [0.02]}),
        pd.DataFrame({"p": [0.03], "q": [0.02]}),
        network(0.3),
        20.0,
    ).iloc[0],
    38.0,
)
CALLS["from_si"] = (
    lambda q: wntr.epanet.util.from_si(wntr.epanet.util.FlowUnits.GPM, q, wntr.epanet.util.HydParam.Flow),
    np.array([0.2, 0.4]),
)
CALLS["to_si"] = (
    lambda q: wntr.epanet.util.to_si(wntr.epanet.util.FlowUnits.LPS, q, wntr.epanet.util.HydParam.Pressure),
    np.array([0.2, 0.4]),
)
