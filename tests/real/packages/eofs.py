import numpy as np
from eofs.standard import Eof

CALLS: dict = {}
FIELD = np.random.default_rng(4).standard_normal((7, 4)) * [3.0, 2.0, 1.0, 0.5]
CALLS["eigenvalues"] = (lambda x: Eof(x).eigenvalues(neigs=2), FIELD)
CALLS["varianceFraction"] = (lambda x: Eof(x).varianceFraction(), FIELD)
CALLS["reconstructedField"] = (lambda x: Eof(x).reconstructedField(2), FIELD)
CALLS["pcs"] = (lambda x: Eof(x).pcs(npcs=2, pcscaling=1) ** 2, FIELD)
CALLS["eofs"] = (lambda x: Eof(x, weights=np.array([1.0, 0.5, 2.0, 1.0])).eofsAsCovariance(neofs=1) ** 2, FIELD)
CALLS["projectField"] = (lambda x: Eof(FIELD).projectField(x, neofs=2), FIELD[:3] * 1.1)
