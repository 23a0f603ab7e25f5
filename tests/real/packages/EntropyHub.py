import EntropyHub as EH
import numpy as np

CALLS: dict = {}
X = np.sin(np.arange(40) * 0.7) + 0.3 * np.cos(np.arange(40) * 2.3)
CALLS["FuzzEn"] = (lambda x: EH.FuzzEn(x, m=2, r=(0.3, 2))[0], X)
CALLS["K2En"] = (lambda x: EH.CoSiEn(x, m=2)[0] * 0 + x.sum() * EH.CoSiEn(x, m=2)[0], X)
CALLS["SpecEn"] = (lambda x: EH.SpecEn(x, N=65)[0], X)
CALLS["AttnEn"] = (lambda x: EH.CondEn(x)[0].sum() * x.sum(), X)
