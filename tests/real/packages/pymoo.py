import numpy as np
from pymoo.indicators.gd import GD
from pymoo.indicators.hv import HV
from pymoo.indicators.igd import IGD
from pymoo.problems import get_problem

x = np.array([[0.3, 0.6, 0.2, 0.9], [0.1, 0.7, 0.8, 0.4]])
front = np.array([[0.1, 0.9], [0.4, 0.5], [0.8, 0.1]])


def problem(name, *values, **options):
    p = get_problem(name, **options)
    return lambda x: p.evaluate(x, return_values_of=list(values or "F"))


CALLS = {
    **{
        name: (problem(name, n_var=4), x)
        for name in ("zdt1", "zdt2", "rosenbrock", "ackley", "rastrigin", "sphere", "griewank")
    },
    "dtlz2": (problem("dtlz2", n_var=4, n_obj=2), x),
    "bnh": (problem("bnh", "F", "G"), x[:, :2].copy()),
    "GD": (lambda f: GD(front)(f), front + 0.13),
    "IGD": (lambda f: IGD(front)(f), front + 0.13),
    "HV": (lambda f: HV(ref_point=np.array([1.2, 1.2]))(f), front),
}
