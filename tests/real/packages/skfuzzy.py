import numpy as np
import skfuzzy as fuzz

u = np.linspace(0.0, 10.0, 11)

CALLS = {
    "trimf": (lambda p: fuzz.trimf(u, p), np.array([1.2, 4.1, 7.3])),
    "trapmf": (lambda p: fuzz.trapmf(u, p), np.array([1.2, 3.1, 5.4, 8.3])),
    "gaussmf": (lambda m, s: fuzz.gaussmf(u, m, s), 4.2, 1.5),
    "gbellmf": (lambda a, b, c: fuzz.gbellmf(u, a, b, c), 2.0, 1.5, 4.2),
    "sigmf": (lambda b, c: fuzz.sigmf(u, b, c), 4.2, 1.3),
    "defuzz": (lambda m: fuzz.defuzz(u, m, "centroid"), 0.1 + fuzz.gaussmf(u, 4.2, 1.5)),
    "interp_membership": (lambda x: fuzz.interp_membership(u, fuzz.gaussmf(u, 4.2, 1.5), x), 3.3),
    "fuzzy_and": (lambda a: fuzz.fuzzy_and(u, a, u, fuzz.gaussmf(u, 6.0, 1.0))[1], fuzz.gaussmf(u, 4.2, 1.5)),
    "smf": (lambda a, b: fuzz.smf(u, a, b), 2.1, 7.2),
}
