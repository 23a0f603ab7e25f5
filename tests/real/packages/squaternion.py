from squaternion import Quaternion

CALLS: dict = {}
CALLS["from_euler"] = (lambda r, p: list(Quaternion.from_euler(r, p, 0.3)), 0.2, 0.4)
CALLS["to_euler"] = (lambda w: list(Quaternion(w, 0.2, 0.3, 0.1).normalize.to_euler()), 0.9)
CALLS["product"] = (lambda x: list(Quaternion(0.9, x, 0.3, 0.1) * Quaternion.from_euler(x, 0.1, 0.2)), 0.2)
CALLS["conjugate"] = (lambda x: (Quaternion(0.9, x, 0.3, 0.1).conjugate * 2.0).magnitude, 0.2)
CALLS["rotation"] = (lambda x: Quaternion(0.9, x, 0.3, 0.1).normalize.to_rot(), 0.2)
