import numpy as np
import openmdao.api as om
from openmdao.components.interp_util.interp import InterpND

CALLS: dict = {}


def run(x):
    p = om.Problem(reports=False)
    p.model.add_subsystem("c", om.ExecComp("y=x**2+sin(x)"))
    p.setup()
    p.set_val("c.x", x)
    p.run_model()
    return p.get_val("c.y")


CALLS["ExecComp"] = (run, 1.3)
xs = np.linspace(0, 1, 6)
CALLS["InterpND"] = (
    lambda v: InterpND(method="akima", points=xs, values=v).interpolate(np.array([0.33, 0.71])),
    np.sin(xs),
)
