import numpy as np
import unyt as u
from unyt import unyt_array, unyt_quantity

x = np.array([1.0, 2.0, 3.5])

CALLS = {
    "to": (lambda x: (unyt_array(x, "km").to("m")).value, x),
    "times unit": (lambda x: (x * u.km + 3.0 * u.m).to_value("cm"), 2.0),
    "array times unit": (lambda x: ((x * u.g) * (2.0 * u.m / u.s) ** 2).to_value("J"), x),
    "quantity": (lambda a, b: (unyt_quantity(a, "m") / unyt_quantity(b, "s")).to_value("km/hr"), 3.0, 2.0),
    "sum": (lambda x: (unyt_array(x, "m") ** 2).sum().value, x),
    "sqrt": (lambda x: np.sqrt(unyt_array(x, "m**2")).to_value("cm"), x),
    "in_base": (lambda x: unyt_array(x, "mile").in_base("cgs").value, x),
    "temperature": (lambda t: unyt_quantity(t, "degC").to_value("degF"), 20.0),
}
