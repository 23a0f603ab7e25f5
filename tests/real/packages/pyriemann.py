import numpy as np
from pyriemann.utils import distance, geodesic, mean, tangentspace
from pyriemann.utils.base import expm, invsqrtm, logm, powm, sqrtm

CALLS: dict = {}
A = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.1]])
B = np.array([[1.2, -0.1, 0.2], [-0.1, 1.8, 0.3], [0.2, 0.3, 2.3]])
both = lambda m: (m + m.T) / 2
CALLS["sqrtm"] = (lambda a: sqrtm(both(a)), A)
CALLS["invsqrtm"] = (lambda a: invsqrtm(both(a)), A)
CALLS["logm"] = (lambda a: logm(both(a)), A)
CALLS["expm"] = (lambda a: expm(both(a)), A)
CALLS["powm"] = (lambda a, p: powm(both(a), p), A, 0.7)
for _name in ("euclid", "logeuclid", "riemann", "kullback", "logdet", "wasserstein"):
    CALLS[f"distance_{_name}"] = (
        lambda a, name=_name: getattr(distance, f"distance_{name}")(both(a), B),
        A,
    )
CALLS["geodesic_riemann"] = (lambda a, t: geodesic.geodesic_riemann(both(a), B, t), A, 0.3)
CALLS["mean_logeuclid"] = (lambda a: mean.mean_logeuclid(np.stack([both(a), B])), A)
CALLS["mean_riemann"] = (lambda a: mean.mean_riemann(np.stack([both(a), B]), tol=1e-14), A)
CALLS["tangent_space"] = (lambda a: tangentspace.tangent_space(both(a)[None], B), A)
