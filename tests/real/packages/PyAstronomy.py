import numpy as np
from PyAstronomy import pyasl

CALLS: dict = {}
WAVES = np.linspace(5000.0, 5010.0, 41)
FLUX = 1.0 - 0.6 * np.exp(-(((WAVES - 5005.0) / 0.7) ** 2))
CALLS["KeplerEllipse.xyzPos"] = (
    lambda e: pyasl.KeplerEllipse(1.5, 2.0, e=e, Omega=30.0, i=40.0, w=10.0).xyzPos(np.array([0.3, 1.1])),
    0.3,
)
CALLS["KeplerEllipse.xyzVel"] = (lambda a: pyasl.KeplerEllipse(a, 2.0, e=0.3).xyzVel(0.4), 1.5)
CALLS["MarkleyKESolver"] = (lambda m: pyasl.MarkleyKESolver().getE(m, 0.4), 1.2)
CALLS["planck"] = (lambda t: 1e-12 * pyasl.planck(t, lam=6000e-10), 5800.0)
CALLS["broadGaussFast"] = (lambda s: pyasl.broadGaussFast(WAVES, FLUX, s, edgeHandling="firstlast"), 0.4)
CALLS["rotBroad"] = (lambda f: pyasl.rotBroad(WAVES, f, 0.5, 80.0), FLUX)
CALLS["dopplerShift"] = (lambda v: pyasl.dopplerShift(WAVES, FLUX, v, edgeHandling="firstlast")[0], 12.0)
CALLS["airtovac2"] = (lambda w: pyasl.airtovac2(w), WAVES[:4])
CALLS["airmassPP"] = (lambda z: pyasl.airmassPP(z), 40.0)
CALLS["unred"] = (lambda ebv: pyasl.unred(WAVES[::10], FLUX[::10], ebv), 0.2)
CALLS["atmosphericScaleHeight"] = (lambda t: pyasl.atmosphericScaleHeight(t, 2.3, 9.8), 280.0)
CALLS["transitDuration"] = (lambda i: pyasl.transitDuration(0.05, 0.1, 1.0, i, 3.5), 88.0)
CALLS["absMagToPower"] = (lambda m: pyasl.absMagToPower(m) * 1e-26, 4.3)
CALLS["getAngDist"] = (lambda r: pyasl.getAngDist(r, 40.0, 50.0, 41.0), 49.0)
CALLS["helcorr"] = (lambda lon: pyasl.helcorr(lon, 28.29, 2000.0, 80.5, 20.0, 2455000.3)[0], 342.0)
