import numpy as np
import rowan

q = np.array([0.9, 0.1, 0.3, 0.2])

CALLS = {
    "multiply": (lambda q: rowan.multiply(q, np.array([0.5, 0.5, 0.5, 0.5])), q),
    "rotate": (lambda q: rowan.rotate(rowan.normalize(q), np.array([1.0, 2.0, 3.0])), q),
    "exp": (rowan.exp, q),
    "log": (rowan.log, q),
    "to_matrix": (lambda q: rowan.to_matrix(rowan.normalize(q)), q),
    "from_euler": (lambda a: rowan.from_euler(a, 0.2, 0.3), 0.1),
    "to_euler": (lambda q: rowan.to_euler(rowan.normalize(q)), q),
    "power": (lambda q: rowan.power(q, 0.5), q),
    "slerp": (
        lambda t: rowan.interpolate.slerp(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.5, 0.5, 0.5, 0.5]), t),
        0.3,
    ),
    "geometry": (lambda q: rowan.geometry.distance(q, np.array([0.5, 0.5, 0.5, 0.5])), q),
}
