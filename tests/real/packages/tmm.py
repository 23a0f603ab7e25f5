import numpy as np
from tmm import absorp_in_each_layer, coh_tmm, ellips, inc_tmm, interface_R, list_snell, unpolarized_RT

degree = np.pi / 180
n = [1.0, 2.2 + 0.1j, 3.3 + 0.3j, 1.0]


CALLS = {
    "coh_tmm R": (lambda d, th: coh_tmm("s", n, [np.inf, d, 300.0, np.inf], th, 500.0)["R"], 100.0, 0.3),
    "coh_tmm T": (lambda d, wl: coh_tmm("p", n, [np.inf, d, 300.0, np.inf], 0.2, wl)["T"], 100.0, 520.0),
    "coh_tmm index": (
        lambda k: coh_tmm("s", [1.0, k, 3.3 + 0.3j, 1.0], [np.inf, 100.0, 300.0, np.inf], 0.1, 500.0)["R"],
        2.2,
    ),
    "unpolarized_RT": (lambda d: unpolarized_RT(n, [np.inf, d, 300.0, np.inf], 0.2, 500.0)["R"], 100.0),
    "ellips": (lambda d: ellips([1, 2.2, 3.3 + 0.3j], [np.inf, d, np.inf], 70 * degree, 400.0)["psi"], 100.0),
    "absorp_in_each_layer": (
        lambda d: absorp_in_each_layer(coh_tmm("s", n, [np.inf, d, 300.0, np.inf], 0.3, 500.0)),
        100.0,
    ),
    "inc_tmm": (
        lambda d: inc_tmm("s", n, [np.inf, d, 300.0, np.inf], ["i", "c", "i", "i"], 0.3, 500.0)["R"],
        100.0,
    ),
    "list_snell": (lambda th: list_snell(np.array([1.0, 1.5, 1.2]), th), 0.4),
    "interface_R": (lambda a, b: interface_R("p", 1.0, 1.5, a, b), 0.4, 0.3),
}
