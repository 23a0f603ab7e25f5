import numpy as np
import quantities as pq

x = np.array([1.0, 2.0, 3.5])

CALLS = {
    "rescale": (lambda x: pq.Quantity(x, "km").rescale("m").magnitude, x),
    "times unit": (lambda x: (x * pq.m).rescale("cm").item(), 2.0),
    "array times unit": (lambda x: (x * pq.kg * (2.0 * pq.m / pq.s) ** 2).rescale("J").magnitude, x),
    "sum": (lambda x: (pq.Quantity(x, "m") ** 2).sum().item(), x),
    "quotient": (lambda a, b: ((a * pq.m) / (b * pq.s)).rescale("km/h").magnitude.item(), 3.0, 2.0),
    "simplified": (lambda x: (x * pq.ft).simplified.magnitude, x),
    "sqrt": (lambda x: np.sqrt(pq.Quantity(x, "m**2")).magnitude, x),
}
