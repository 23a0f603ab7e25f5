import numpy as np
import pint

ureg = pint.UnitRegistry()
Q = ureg.Quantity

CALLS = {
    "to": (lambda x: Q(x, "km/hour").to("m/s").magnitude, 50.0),
    "mul": (lambda x, t: (x * ureg.meter / (t * ureg.second)).to("km/hour").m, 3.0, 2.0),
    "add": (lambda x, y: (Q(x, "m") + Q(y, "cm")).to_base_units().magnitude, 3.0, 2.0),
    "array": (lambda x: (Q(x, "m") ** 2).sum().to("cm**2").m, np.array([1.0, 2.0])),
    "np.sqrt": (lambda x: np.sqrt(Q(x, "m**2")).to("cm").m, 2.0),
    "np.mean": (lambda x: np.mean(Q(x, "m")).to("cm").m, np.array([1.0, 2.0])),
    "degC": (lambda x: Q(x, "degC").to("kelvin").m ** 2, 20.0),
    "sin": (lambda x: np.sin(Q(x, "degree")).m, 30.0),
    "m_as": (lambda x: (Q(x, "J") / (2.0 * ureg.kg)).m_as("m**2/s**2"), 20.0),
    "compare": (lambda x: (Q(x, "m") if Q(x, "m") > Q(10, "cm") else Q(2 * x, "m")).m, 3.0),
}
