import warnings

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import burnman
    from burnman import minerals
from burnman.classes.averaging_schemes import VoigtReussHill
from burnman.eos import birch_murnaghan, debye
from burnman.utils.unitcell import cell_parameters_to_vectors


def mineral(name, P, T):
    m = getattr(minerals.SLB_2011, name)()
    m.set_state(P, T)
    return m


def rock(P, x):
    r = burnman.Composite([minerals.SLB_2011.mg_perovskite(), minerals.SLB_2011.periclase()], [x, 1 - x])
    r.set_state(P, 2000.0)
    return r


def solution(x):
    s = minerals.SLB_2011.ferropericlase()
    s.set_composition([x, 1 - x])
    s.set_state(25e9, 2000.0)
    return s


CALLS = {
    "density": (lambda P, T: mineral("periclase", P, T).density, 25e9, 2000.0),
    "K_T": (lambda P, T: mineral("stishovite", P, T).K_T, 25e9, 2000.0),
    "shear_wave_velocity": (lambda P, T: mineral("forsterite", P, T).shear_wave_velocity, 5e9, 1600.0),
    "gibbs": (lambda P, T: mineral("periclase", P, T).gibbs, 25e9, 2000.0),
    "thermal_expansivity": (lambda T: mineral("periclase", 25e9, T).alpha, 2000.0),
    "composite density": (lambda P, x: rock(P, x).density, 40e9, 0.8),
    "composite velocity": (lambda P: rock(P, 0.8).p_wave_velocity, 40e9),
    "solution": (lambda x: solution(x).molar_gibbs, 0.8),
    "birch_murnaghan": (lambda x: birch_murnaghan.birch_murnaghan(x, {"K_0": 160e9, "Kprime_0": 4.0, "P_0": 0.0}), 1.1),
    "debye_fn": (lambda x: debye.thermal_energy(2000.0, x, 5.0), 700.0),
    "VoigtReussHill": (
        lambda K: VoigtReussHill().average_bulk_moduli(np.array([0.3, 0.7]), K, np.array([80e9, 90e9])),
        np.array([160e9, 200e9]),
    ),
    "cell_parameters_to_vectors": (
        lambda c: cell_parameters_to_vectors(c),
        np.array([3.0, 4.0, 5.0, 80.0, 95.0, 100.0]),
    ),
}
