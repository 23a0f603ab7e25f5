import numpy as np
import thermofeel

CALLS: dict = {}
T, TD, VA, MRT = np.array([300.1, 305.2]), np.array([290.3, 295.7]), np.array([2.1, 4.0]), np.array([310.2, 320.1])
CALLS["utci"] = (lambda t: thermofeel.calculate_utci(t, VA, MRT, td_k=TD), T)
CALLS["wbgt"] = (lambda t: thermofeel.calculate_wbgt(t, MRT, VA, TD), T)
CALLS["wbgt_simple"] = (lambda t: thermofeel.calculate_wbgt_simple(t, np.array([50.0, 60.0])), T)
CALLS["heat_index_adjusted"] = (lambda t: thermofeel.calculate_heat_index_adjusted(t, TD), T)
CALLS["apparent_temperature"] = (lambda v: thermofeel.calculate_apparent_temperature(T, v, np.array([50.0, 60.0])), VA)
CALLS["wind_chill"] = (lambda v: thermofeel.calculate_wind_chill(T - 35.0, v), VA)
CALLS["humidex"] = (lambda td: thermofeel.calculate_humidex(T, td), TD)
CALLS["wbt"] = (lambda t: thermofeel.calculate_wbt(t, np.array([50.0, 60.0])), T)
CALLS["bgt"] = (lambda m: thermofeel.calculate_bgt(T, m, VA), MRT)
CALLS["normal_effective_temperature"] = (
    lambda t: thermofeel.calculate_normal_effective_temperature(t, VA, np.array([50.0, 60.0])),
    T,
)
CALLS["mrt_from_bgt"] = (lambda b: thermofeel.calculate_mrt_from_bgt(T, b, VA), MRT)
