import numpy as np
import numpy_financial as npf

flows = np.array([-100.0, 39.0, 59.0, 55.0, 20.0])

CALLS = {
    "npv": (lambda r, c: npf.npv(r, c), 0.1, flows),
    "irr": (npf.irr, flows),
    "mirr": (lambda c, a, b: npf.mirr(c, a, b), flows, 0.1, 0.08),
    "fv": (lambda r, p: npf.fv(r, 120, p, -100.0), 0.05 / 12, -100.0),
    "pv": (lambda r, p: npf.pv(r, 120, p, 15692.93), 0.05 / 12, -100.0),
    "pmt": (lambda r, p: npf.pmt(r, 180, p), 0.075 / 12, 200000.0),
    "nper": (lambda r, p: npf.nper(r, p, 8000.0), 0.07 / 12, -150.0),
    "rate": (lambda p: npf.rate(10, p, -3500.0, 10000.0), 0.5),
    "ipmt": (lambda r: npf.ipmt(r, 5, 24, 2500.0), 0.0824 / 12),
    "ppmt": (lambda r: npf.ppmt(r, 5, 24, 2500.0), 0.0824 / 12),
}
