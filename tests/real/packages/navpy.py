import navpy
import numpy as np

CALLS: dict = {}
A = np.array([0.3, -0.2, 0.5])
CALLS["angle2dcm"] = (lambda a: navpy.angle2dcm(a[0], a[1], a[2]), A)
CALLS["angle2quat"] = (lambda a: navpy.angle2quat(a[0], a[1], a[2])[1], A)
CALLS["quat2angle"] = (lambda q: navpy.quat2angle(q[0], q[1:]), np.array([0.9, 0.1, -0.3, 0.2]))
CALLS["qmult"] = (
    lambda q: navpy.qmult(q[0], q[1:], 0.5, np.array([0.1, 0.2, 0.3]))[1],
    np.array([0.9, 0.1, -0.3, 0.2]),
)
CALLS["lla2ecef"] = (lambda lat, lon, alt: navpy.lla2ecef(lat, lon, alt) / 1e6, 44.9, -93.1, 250.0)
CALLS["ecef2lla"] = (lambda e: navpy.ecef2lla(e * 1e6), np.array([-0.24, -4.5, 4.48]))
CALLS["lla2ned"] = (lambda lat, lon: navpy.lla2ned(lat, lon, 300.0, 44.8, -93.0, 200.0), 44.9, -93.1)
CALLS["wrapToPi"] = (lambda a: navpy.wrapToPi(a) ** 2, 2.3)
CALLS["omega2rates"] = (lambda p, r: navpy.omega2rates(p, r), 0.2, 0.3)
CALLS["llarate"] = (lambda v: navpy.llarate(v[0], v[1], v[2], 44.9, 300.0), A)
