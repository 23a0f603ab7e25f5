import numdifftools as nd
import numpy as np

CALLS = {
    "Derivative": (lambda a: nd.Derivative(lambda x: np.sin(a * x), num_steps=5)(0.3), 1.2),
    "Gradient": (lambda a: nd.Gradient(lambda x: (a * x**2).sum(), num_steps=5)(np.array([0.3, 0.4])), 1.2),
}
