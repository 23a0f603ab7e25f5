import numpy as np
from ruptures.costs import CostAR, CostCLinear, CostL1, CostL2, CostLinear, CostNormal, CostRbf

signal = np.array([0.1, 0.3, 0.2, 1.4, 1.1, 1.3, 0.7, 0.9, 0.65, 0.8])[:, None] + 0.01 * np.arange(10)[:, None] ** 1.5


def cost(kind, s, **options):
    return kind(**options).fit(s).error(1, 9)


CALLS = {
    "CostL2": (lambda s: cost(CostL2, s), signal),
    "CostL1": (lambda s: cost(CostL1, s), signal),
    "CostNormal": (lambda s: cost(CostNormal, s), signal),
    "CostRbf": (lambda s: cost(CostRbf, s, gamma=0.7), signal),
    "CostRbf gamma": (lambda g: cost(CostRbf, signal, gamma=g), 0.7),
    "CostLinear": (lambda s: cost(CostLinear, np.column_stack([s, np.ones(10), np.arange(10.0)])), signal),
    "CostCLinear": (lambda s: cost(CostCLinear, s), signal),
    "CostAR": (lambda s: cost(CostAR, s, order=1), signal),
}
