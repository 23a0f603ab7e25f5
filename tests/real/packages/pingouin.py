import numpy as np
import pingouin as pg

x = np.array([1.0, 2.1, 3.3, 2.2, 4.5])
y = np.array([2.0, 1.5, 3.1, 4.4, 2.7])

CALLS = {
    "compute_effsize": (lambda x: pg.compute_effsize(x, y), x),
    "hedges": (lambda x: pg.compute_effsize(x, y, eftype="hedges"), x),
    "convert_effsize": (lambda d: pg.convert_effsize(d, "cohen", "eta_square"), 0.7),
    "circ_mean": (lambda a: pg.circ_mean(a), x),
    "circ_r": (lambda a: pg.circ_r(a), x),
    "madmedianrule": (lambda x: pg.mad(x), x),
    "geometric": (lambda x: pg.multivariate.multivariate_normality, x),
    "cronbach": (lambda d: pg.compute_effsize_from_t(d, nx=20, ny=30), 1.2),
}
del CALLS["geometric"]
