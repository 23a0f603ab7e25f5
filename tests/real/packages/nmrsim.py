import numpy as np
from nmrsim import Multiplet
from nmrsim.firstorder import first_order_spin_system, multiplet

CALLS: dict = {}
J = np.array([[0.0, 7.0, 2.0], [7.0, 0.0, 4.0], [2.0, 4.0, 0.0]])
CALLS["multiplet"] = (lambda v, j: [f for f, _ in multiplet((v, 1.0), [(j, 2), (3.0, 1)])], 100.0, 7.0)
CALLS["Multiplet"] = (lambda v, j: [f for f, _ in Multiplet(v, 1.0, [(j, 2)]).peaklist()], 100.0, 7.0)
CALLS["first_order_spin_system"] = (
    lambda v: sorted(f for f, _ in first_order_spin_system(list(v), J)),
    np.array([100.0, 220.0, 315.0]),
)
