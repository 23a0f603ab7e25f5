import numpy as np
import vector

CALLS: dict = {}
CALLS["mass"] = (
    lambda px, e: (vector.obj(px=px, py=0.4, pz=1.3, E=e) + vector.obj(pt=1.2, phi=px, eta=0.3, mass=0.1)).mass,
    0.7,
    3.1,
)
CALLS["boost"] = (
    lambda b: (
        vector.obj(x=1.0, y=2.0, z=3.0, t=7.0).boostX(beta=b).z
        + vector.obj(x=1.0, y=2.0, z=3.0, t=7.0).boostX(beta=b).x
    ),
    0.3,
)
CALLS["deltaR"] = (lambda phi: vector.obj(pt=1.0, phi=phi, eta=0.3).deltaR(vector.obj(pt=2.0, phi=1.1, eta=-0.4)), 0.2)
CALLS["rotate"] = (lambda a: vector.obj(x=1.0, y=2.0, z=3.0).rotate_axis(vector.obj(x=0.1, y=a, z=1.0), a).y, 0.7)
CALLS["array"] = (
    lambda p: vector.array({"px": p, "py": p[::-1] * 2, "pz": np.ones(3), "M": p**2}).energy,
    np.array([0.5, 1.0, 1.5]),
)
CALLS["cross"] = (lambda x: vector.obj(x=x, y=2.0, z=3.0).cross(vector.obj(x=1.0, y=x, z=0.5)).mag, 0.4)
CALLS["eta"] = (lambda z: vector.obj(x=0.3, y=0.4, z=z).eta, 1.3)
