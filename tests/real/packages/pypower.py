import numpy as np
from pypower.api import case9, ext2int, makeYbus
from pypower.bustypes import bustypes
from pypower.makeSbus import makeSbus
from pypower.newtonpf import newtonpf
from pypower.ppoption import ppoption

CALLS: dict = {}
ppc = ext2int(case9())
Y, Yf, Yt = makeYbus(ppc["baseMVA"], ppc["bus"], ppc["branch"])
V0 = np.ones(9) * np.exp(1j * 0.1 * np.arange(9))
CALLS["injections"] = (lambda a: (lambda V: np.abs(V * np.conj(Y @ V)))(np.exp(1j * a)), 0.1 * np.arange(9))


def ybus(r):
    br = ppc["branch"].copy()
    br[:, 2] = r
    return makeYbus(ppc["baseMVA"], ppc["bus"], br)[0].toarray()


CALLS["makeYbus"] = (ybus, ppc["branch"][:, 2] + 0.01)
CALLS["makeSbus"] = (
    lambda p: (lambda g: makeSbus(ppc["baseMVA"], ppc["bus"], g))(
        np.concatenate([ppc["gen"][:, :1], p[:, None], ppc["gen"][:, 2:]], 1)
    ),
    ppc["gen"][:, 1] + 1.0,
)
ref, pv, pq = bustypes(ppc["bus"], ppc["gen"])
S0 = makeSbus(ppc["baseMVA"], ppc["bus"], ppc["gen"])
CALLS["newtonpf"] = (
    lambda p: np.abs(newtonpf(Y, S0 * p, np.ones(9) + 0j, ref, pv, pq, ppoption(VERBOSE=0, PF_TOL=1e-12))[0]),
    1.05,
)
