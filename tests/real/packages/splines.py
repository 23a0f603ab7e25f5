import numpy as np
import splines

CALLS: dict = {}
P = np.array([[0.0, 0.0], [1.0, 2.0], [2.5, 1.0], [3.0, -0.5]])
CALLS["CatmullRom"] = (lambda p: splines.CatmullRom(p).evaluate(1.3), P)
CALLS["centripetal"] = (lambda p: splines.CatmullRom(p, alpha=0.5).evaluate(1.1), P)
CALLS["Natural"] = (lambda p: splines.Natural(p).evaluate(1.3), P)
CALLS["Bernstein"] = (lambda p: splines.Bernstein([p]).evaluate(0.3), P)
CALLS["KochanekBartels"] = (lambda p: splines.KochanekBartels(p, tcb=(0.1, 0.2, 0.3)).evaluate(1.3), P)
CALLS["PiecewiseMonotoneCubic"] = (
    lambda y: splines.PiecewiseMonotoneCubic(y).evaluate(1.3),
    np.array([0.0, 0.4, 1.5, 1.9]),
)
CALLS["at"] = (lambda t: splines.Natural(P).evaluate(t), 1.3)
