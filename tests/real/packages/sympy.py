import numpy as np
import sympy as sp

a, b = sp.symbols("a b")

CALLS = {
    "lambdify": (lambda x, y: sp.lambdify((a, b), sp.sin(a) * b**2)(x, y), 0.4, 2.0),
    "lambdify numpy": (sp.lambdify((a, b), sp.exp(-(a**2)) * b, "numpy"), np.array([0.1, 0.2]), 2.0),
    "lambdify math": (sp.lambdify(a, sp.sqrt(a) + sp.log(a), "math"), 0.4),
    "lambdify matrix": (sp.lambdify((a, b), sp.Matrix([[a, b], [a * b, 1]]), "numpy"), 0.4, 2.0),
    "lambdify cse": (sp.lambdify((a, b), (a + b) ** 2 + sp.sqrt(a + b), cse=True), 0.4, 2.0),
    "lambdify Piecewise": (sp.lambdify(a, sp.Piecewise((a**2, a < 1), (a, True))), 0.4),
    "lambdify Max": (sp.lambdify((a, b), sp.Max(a, b) * sp.Abs(a)), 0.4, 2.0),
    "lambdify scipy": (sp.lambdify(a, sp.erf(a) + sp.gamma(a), "scipy"), 0.4),
}
