import numpy as np
from pybaselines import Baseline, utils

x = np.linspace(0, 10, 40)
y = utils.gaussian(x, 4, 3, 0.4) + utils.gaussian(x, 2, 7, 0.6) + 1 + 0.2 * x + 0.01 * np.cos(7 * x**2)
fit = Baseline(x_data=x)

CALLS = {
    "asls": (lambda y: fit.asls(y, lam=1e3, p=0.02)[0], y),
    "arpls": (lambda y: fit.arpls(y, lam=1e3)[0], y),
    "airpls": (lambda y: fit.airpls(y, lam=1e3)[0], y),
    "modpoly": (lambda y: fit.modpoly(y, poly_order=2)[0], y),
    "poly": (lambda y: fit.poly(y, poly_order=2)[0], y),
    "snip": (lambda y: fit.snip(y, max_half_window=5)[0], y),
    "imodpoly": (lambda y: fit.imodpoly(y, poly_order=2)[0], y),
    "mor": (lambda y: fit.mor(y, half_window=6)[0], y),
    "tophat": (lambda y: fit.tophat(y, half_window=6)[0], y),
    "pspline_asls": (lambda y: fit.pspline_asls(y, lam=10, num_knots=10)[0], y),
    "gaussian": (lambda h, c, s: utils.gaussian(x, h, c, s), 1.0, 4.0, 0.7),
    "whittaker_smooth": (lambda y: utils.whittaker_smooth(y, lam=10.0), y),
    "padded_convolve": (lambda y: utils.padded_convolve(y, utils.gaussian_kernel(5, 1.0)), y),
}
