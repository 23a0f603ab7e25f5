import numpy as np
from galpy import potential as gp
from galpy.util import coords

x = np.array([0.6, 0.9, 1.3])

CALLS = {
    "MiyamotoNagai": (lambda a, b: gp.MiyamotoNagaiPotential(a=a, b=b)(1.0, 0.1), 0.5, 0.04),
    "Rforce": (lambda R, z: gp.MiyamotoNagaiPotential(a=0.5, b=0.04).Rforce(R, z), 1.1, 0.2),
    "NFW": (lambda a: gp.NFWPotential(a=a)(1.0, 0.1), 4.5),
    "NFW vcirc": (lambda a, R: gp.NFWPotential(a=a).vcirc(R), 4.5, 1.1),
    "Hernquist mass": (lambda a: gp.HernquistPotential(a=a).mass(1.2), 1.5),
    "Plummer": (lambda R, z: gp.PlummerPotential(b=0.8).dens(R, z), 1.1, 0.2),
    "epifreq": (lambda R: gp.MiyamotoNagaiPotential(a=0.5, b=0.04).epifreq(R), 1.1),
    "evaluatePotentials": (lambda R: gp.evaluatePotentials(gp.MWPotential2014, R, 0.1), 1.1),
    "LogarithmicHalo": (lambda R, q: gp.LogarithmicHaloPotential(q=q)(R, 0.3), 1.1, 0.8),
    "rect_to_cyl": (lambda a, b: coords.rect_to_cyl(a, b, 0.3)[:2], 0.3, 0.8),
    "lb_to_radec": (lambda l, b: coords.lb_to_radec(l, b, degree=True), 120.0, 30.0),
    "vrpmllpmbb_to_vxvyvz": (lambda v: coords.vrpmllpmbb_to_vxvyvz(v, 0.1, 0.2, 30.0, 40.0, 1.2, degree=True), 12.0),
}
