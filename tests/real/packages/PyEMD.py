import numpy as np
from PyEMD import EMD

t = np.linspace(0, 1, 60)
signal = np.cos(11 * 2 * np.pi * t) + 2 * t**2 + 0.5 * np.sin(2 * np.pi * 3 * t)

CALLS = {
    "emd": (lambda s: EMD(MAX_ITERATION=5).emd(s, t, max_imf=1), signal),
    "emd parabol": (lambda s: EMD(extrema_detection="parabol", FIXE=2).emd(s, t, max_imf=1), signal),
    "emd akima": (lambda s: EMD(spline_kind="akima", FIXE=2).emd(s, t, max_imf=1), signal),
    "emd pchip": (lambda s: EMD(spline_kind="pchip", FIXE=2).emd(s, t, max_imf=1), signal),
}
