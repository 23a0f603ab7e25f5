import numpy as np
from asteval import Interpreter

CALLS: dict = {}


def evaluated(text, **names):
    interpreter = Interpreter()
    interpreter.symtable.update(names)
    return interpreter(text)


CALLS["expression"] = (lambda x, y: evaluated("3 * sin(x)**2 + sqrt(y) / x", x=x, y=y), 0.7, 1.3)
CALLS["program"] = (lambda x: evaluated("t = 0.0\nfor i in range(4):\n    t = t + x**i / (i + 1)\nt", x=x), 0.7)
CALLS["array"] = (lambda x: evaluated("sum(exp(-x[1:]) * x[:-1])", x=x), np.array([0.3, 0.7, 1.1]))
CALLS["function"] = (
    lambda x: evaluated("def f(a, b=2):\n    if a > 0:\n        return a * b\n    return a\nf(x) + f(x, b=x)", x=x),
    0.7,
)
