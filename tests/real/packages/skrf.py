import numpy as np
import skrf as rf

f = rf.Frequency(1, 10, 5, "GHz")
s = np.array([[0.1 + 0.2j, 0.5], [0.5, -0.1 + 0.3j]])


def line(d, z0=50.0):
    medium = rf.media.DefinedGammaZ0(f, z0=50.0, gamma=0.1 + 20j)
    return medium.line(d, "m", z0=z0)


CALLS = {
    "line": (lambda d: line(d).s, 0.01),
    "cascade": (lambda d, z: (line(d) ** line(0.02, z)).s, 0.01, 70.0),
    "resistor": (lambda r: rf.media.DefinedGammaZ0(f, z0=50.0).resistor(r).s, 30.0),
    "shunt capacitor": (lambda c: rf.media.DefinedGammaZ0(f, z0=50.0).shunt_capacitor(c * 1e-12).s, 1.3),
    "s2z": (lambda x: rf.network.s2z(s[None] * x), 0.9),
    "s2a": (lambda x: rf.network.s2a(s[None] * x), 0.9),
    "magnitude_2_db": (rf.mathFunctions.magnitude_2_db, np.array([0.1, 0.5])),
    "z2s": (lambda r: rf.network.z2s(np.array([[[1.0, 0.2], [0.2, 2.0]]]) * r, 50.0), 30.0),
    "s_db": (lambda d: rf.Network(frequency=f, s=np.array([s * d] * 5), z0=50).s_db, 0.8),
    "z0_2_reflection": (lambda z: rf.tlineFunctions.zl_2_Gamma0(50.0, z), 73.0),
    "input_impedance": (lambda z: rf.tlineFunctions.zl_2_zin(50.0, z, 0.3), 73.0),
}
