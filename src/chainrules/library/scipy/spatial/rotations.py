"""`scipy.spatial.transform.Rotation` and `Slerp`: quaternions in NumPy, ``(x, y, z, w)`` as SciPy keeps them.

SciPy makes the object; its quaternion is then computed once more. Near the identity, functions of the angle are series
in its square, so that they are smooth there. SciPy before 1.17 keeps quaternions where they cannot be replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial import transform  # type: ignore[import-untyped]

from ....declarations import needs_no_rule, unsupported
from ....programs import program
from ....tangents import NotImplementedDerivative
from ..solutions import moved_as

Rotation, Slerp = transform.Rotation, transform.Slerp
SMALL = 1e-6  # squares of angles, below which the next terms of the series are beyond a double's precision


def rotation(config: Any, q: Any) -> Any:
    """The rotation, or rotations, of unit quaternions."""
    made = config.plainly(Rotation, q, False)
    made._quat = q[None] if q.ndim == 1 else q
    return made


def quaternion(r: Any) -> Any:
    return r._quat[0] if r.single else r._quat


def normalized(q: Any) -> Any:
    return q / np.sqrt(np.sum(q * q, axis=-1))[..., None]


def radians(angles: Any, degrees: bool) -> Any:
    angles = np.asarray(angles, float)
    return np.deg2rad(angles) if degrees else angles


def of_rotvec(v: Any) -> Any:
    """``(v sin(a/2)/a, cos(a/2))`` with ``a = |v|``."""
    a2 = np.sum(v * v, axis=-1)
    small = a2 < SMALL
    a = np.sqrt(np.where(small, 1.0, a2))
    scale = np.where(small, 0.5 - a2 / 48 + a2 * a2 / 3840, np.sin(0.5 * a) / a)
    w = np.where(small, 1.0 - a2 / 8 + a2 * a2 / 384, np.cos(0.5 * a))
    return np.concatenate([v * scale[..., None], w[..., None]], axis=-1)


def rotvec_of(q: Any) -> Any:
    """``v 2 atan2(|v|, w)/|v|`` of the vector part ``v``: ``2 v/w (1 - t^2/3 + t^4/5 ...)`` with ``t = |v|/w``."""
    q = q * canonical_sign(q)[..., None]
    v, w = q[..., :3], q[..., 3]
    s2 = np.sum(v * v, axis=-1)
    small = s2 < SMALL
    s = np.sqrt(np.where(small, 1.0, s2))
    cosine = np.where(small, w, 1.0)
    t2 = np.where(small, s2, 0.0) / (cosine * cosine)
    near = 2.0 / cosine * (1.0 - t2 / 3 + t2 * t2 / 5 - t2 * t2 * t2 / 7)
    return v * np.where(small, near, 2.0 * np.arctan2(s, w) / s)[..., None]


def canonical_sign(q: Any) -> Any:
    """The sign that makes the last number positive, or the first one where that is 0, and so on."""
    sign = np.sign(q[..., 3])
    for i in range(3):
        sign = np.where(sign == 0, np.sign(q[..., i]), sign)
    return sign


def _products() -> Any:
    """What of each product of two parts of a quaternion is in each entry of the matrix: 16 rows, 9 columns."""
    table = np.zeros((4, 4, 3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        table[[i, j, k, 3], [i, j, k, 3], i, i] = 1.0, -1.0, -1.0, 1.0
        table[i, j, i, j] = table[i, j, j, i] = 2.0
        table[k, 3, j, i], table[k, 3, i, j] = 2.0, -2.0
    return np.reshape(table, (16, 9))


PRODUCTS = _products()


def matrix_of(q: Any) -> Any:
    """The matrix, quadratic in the parts of the quaternion."""
    pairs = np.reshape(q[..., :, None] * q[..., None, :], (*q.shape[:-1], 16))
    return np.reshape(pairs @ PRODUCTS, (*q.shape[:-1], 3, 3))


def of_matrix(m: Any) -> Any:
    """From the largest of the four squares; all are linear in the matrix."""
    d, e, f = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    x, y, z = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2]
    rows = [
        [1 + d - e - f, xy, xz, x],
        [xy, 1 + e - d - f, yz, y],
        [xz, yz, 1 + f - d - e, z],
        [x, y, z, 1 + d + e + f],
    ]
    choice = np.argmax(np.stack([d, e, f, d + e + f], axis=-1), axis=-1)[..., None]
    q = np.stack(rows[3], axis=-1)
    for i in range(3):
        q = np.where(choice == i, np.stack(rows[i], axis=-1), q)
    return normalized(q)


def nearest_rotation(config: Any, m: Any) -> Any:
    """The orthogonal factor of the polar decomposition, by Newton's iteration ``X <- (X + X^-T)/2``."""
    for _ in range(60):
        inverse = np.swapaxes(np.linalg.inv(m), -1, -2)
        near = config.plainly(np.allclose, m, inverse, 1e-15, 1e-15)
        m = 0.5 * (m + inverse)
        if near:
            break
    return m


def product(p: Any, q: Any) -> Any:
    a, b, v, w = p[..., :3], q[..., :3], p[..., 3:], q[..., 3:]
    return np.concatenate([v * b + w * a + np.cross(a, b), v * w - np.sum(a * b, axis=-1)[..., None]], axis=-1)


def of_axes(axes: Any, angles: Any, intrinsic: bool) -> Any:
    """The product of rotations by each of the angles, in the last axis, about each of the axes."""
    q = None
    for i, axis in enumerate(axes):
        half = 0.5 * angles[..., i, None]
        turn = np.concatenate([np.sin(half) * axis, np.cos(half)], axis=-1)
        q = turn if q is None else product(q, turn) if intrinsic else product(turn, q)
    return q


def from_quat_program(config: Any, quat: Any, *, scalar_first: Any = False) -> Any:
    config.plainly(Rotation.from_quat, quat)
    q = np.asarray(quat, float)
    return rotation(config, normalized(np.roll(q, -1, axis=-1) if scalar_first else q))


def init_program(
    config: Any, self: Any, quat: Any, normalize: Any = True, copy: Any = True, scalar_first: Any = False
) -> None:
    made = config.plainly(Rotation, quat, normalize, copy, scalar_first)
    for name, value in config.plainly(dict, vars(made)).items():
        setattr(self, name, value)
    q = np.asarray(quat, float)
    q = np.roll(q, -1, axis=-1) if scalar_first else q
    q = normalized(q) if normalize else q
    self._quat = q[None] if q.ndim == 1 else q


def from_rotvec_program(config: Any, rotvec: Any, degrees: Any = False) -> Any:
    config.plainly(Rotation.from_rotvec, rotvec)
    return rotation(config, of_rotvec(radians(rotvec, degrees)))


def from_matrix_program(config: Any, matrix: Any, *, assume_valid: Any = False) -> Any:
    config.plainly(Rotation.from_matrix, matrix)
    m = np.asarray(matrix, float)
    return rotation(config, of_matrix(m if assume_valid else nearest_rotation(config, m)))


def from_euler_program(config: Any, seq: Any, angles: Any, degrees: Any = False) -> Any:
    found = config.plainly(Rotation.from_euler, seq, angles, degrees)
    angles = np.reshape(radians(angles, degrees), (*np.shape(quaternion(found))[:-1], len(seq)))
    axes = [np.eye(3)["xyz".index(letter)] for letter in seq.lower()]
    return rotation(config, of_axes(axes, angles, seq.isupper()))


def from_davenport_program(config: Any, axes: Any, order: Any, angles: Any, degrees: Any = False) -> Any:
    found = config.plainly(Rotation.from_davenport, axes, order, angles, degrees)
    axes = np.atleast_2d(np.asarray(axes, float))
    axes = axes / np.sqrt(np.sum(axes * axes, axis=-1))[..., None]
    angles = np.reshape(radians(angles, degrees), (*np.shape(quaternion(found))[:-1], axes.shape[-2]))
    return rotation(config, of_axes([axes[..., i, :] for i in range(axes.shape[-2])], angles, order.startswith("i")))


def from_mrp_program(config: Any, mrp: Any) -> Any:
    config.plainly(Rotation.from_mrp, mrp)
    p = np.asarray(mrp, float)
    s = np.sum(p * p, axis=-1)[..., None]
    return rotation(config, np.concatenate([2.0 * p, 1.0 - s], axis=-1) / (1.0 + s))


def as_quat_program(config: Any, self: Any, canonical: Any = False, *, scalar_first: Any = False) -> Any:
    q = quaternion(self)
    q = q * canonical_sign(q)[..., None] if canonical else q * 1.0
    return np.roll(q, 1, axis=-1) if scalar_first else q


def as_rotvec_program(config: Any, self: Any, degrees: Any = False) -> Any:
    v = rotvec_of(quaternion(self))
    return np.rad2deg(v) if degrees else v


def as_euler_program(config: Any, self: Any, seq: Any, degrees: Any = False, **named: Any) -> Any:
    """After Bernardes and Viollet, PLOS ONE 17 (2022): the angles from two planar ones."""
    found = np.deg2rad(config.plainly(self.as_euler, seq, True, **named))
    q, extrinsic = quaternion(self), seq.islower()
    i, j, k = ["xyz".index(letter) for letter in (seq.lower() if extrinsic else seq.lower()[::-1])]
    symmetric = i == k
    k = 3 - i - j if symmetric else k
    sign = (i - j) * (j - k) * (k - i) // 2
    a, b, c, d = q[..., 3], q[..., i], q[..., j], q[..., k] * sign
    if not symmetric:
        a, b, c, d = a - c, b + d, c + a, d - b
    first, second = np.hypot(a, b), np.hypot(c, d)
    if config.plainly(np.any, np.minimum(first, second) <= 5e-8):
        raise NotImplementedDerivative("the angles are in gimbal lock, where they have no derivative")
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    middle = 2.0 * np.arctan2(second, first)
    one, other = half_sum - half_difference, half_sum + half_difference
    if not symmetric:
        other, middle = other * sign, middle - np.pi / 2
    angles = np.stack([one, middle, other] if extrinsic else [other, middle, one], axis=-1)
    angles = angles + 2.0 * np.pi * config.plainly(np.round, (found - angles) / (2.0 * np.pi))
    plain = config.plainly(self.as_euler, seq, degrees, **named)
    return moved_as(config, plain, np.rad2deg(angles) if degrees else angles)


def as_mrp_program(config: Any, self: Any) -> Any:
    q = quaternion(self)
    sign = np.where(q[..., 3:] < 0, -1.0, 1.0)
    return sign * q[..., :3] / (1.0 + sign * q[..., 3:])


def apply_program(config: Any, self: Any, vectors: Any, inverse: Any = False) -> Any:
    q, shape = quaternion(self), np.shape(vectors)
    if shape != (3,) and not (q.ndim == 1 and shape[1:] == (3,)):
        config.plainly(self.apply, vectors)  # it raises what is to be raised
    m = matrix_of(q)
    m = np.swapaxes(m, -1, -2) if inverse else m
    if q.ndim == 1:
        return np.asarray(vectors, float) @ m.T
    return (m @ np.asarray(vectors, float)[..., None])[..., 0]


def mul_program(config: Any, self: Any, other: Any) -> Any:
    if not isinstance(other, Rotation):
        return NotImplemented
    found = config.plainly(quaternion, config.plainly(self.__mul__, other))
    return rotation(config, moved_as(config, found, normalized(product(quaternion(self), quaternion(other)))))


def pow_program(config: Any, self: Any, n: Any, modulus: Any = None) -> Any:
    config.plainly(self.__pow__, n, modulus)
    return rotation(config, of_rotvec(rotvec_of(quaternion(self)) * n))


def magnitude_program(config: Any, self: Any) -> Any:
    q = quaternion(self)
    return 2.0 * np.arctan2(np.linalg.norm(q[..., :3], axis=-1), np.abs(q[..., 3]))


def mean_program(config: Any, self: Any, weights: Any = None, axis: Any = None) -> Any:
    config.plainly(self.mean, weights)
    if axis is not None or self._quat.ndim > 2:
        raise NotImplementedDerivative("means along an axis are not implemented")
    q = np.atleast_2d(quaternion(self))
    weighed = q if weights is None else q * np.asarray(weights, float)[:, None]
    return rotation(config, np.linalg.eigh(weighed.T @ q / len(q))[1][:, -1])


def concatenate_program(config: Any, rotations: Any) -> Any:
    if isinstance(rotations, Rotation):
        return rotation(config, quaternion(rotations))
    return rotation(config, np.concatenate([np.atleast_2d(quaternion(r)) for r in rotations]))


def getitem_program(config: Any, self: Any, indexer: Any) -> Any:
    if self.single:
        raise TypeError("Single rotation is not subscriptable.")
    return rotation(config, quaternion(self)[indexer])


def setitem_program(config: Any, self: Any, indexer: Any, value: Any) -> None:
    q = quaternion(self).copy()
    q[indexer] = quaternion(value)
    self._quat = q


def iter_program(config: Any, self: Any) -> Any:
    return iter([self[i] for i in range(len(self))])


def align_vectors_program(config: Any, a: Any, b: Any, weights: Any = None, return_sensitivity: Any = False) -> Any:
    """The method of Kabsch: with ``B = sum w a b^T = U S V^T`` the rotation is ``U V^T``, the last axis turned where
    that would be a reflection.
    """
    found = config.plainly(Rotation.align_vectors, a, b, weights, return_sensitivity)
    a, b = np.atleast_2d(np.asarray(a, float)), np.atleast_2d(np.asarray(b, float))
    w = np.ones(len(a)) if weights is None else np.asarray(weights, float)
    if return_sensitivity or len(a) == 1 or config.plainly(np.any, np.isinf(w)):
        raise NotImplementedDerivative("one pair, infinite weights and the sensitivity are not implemented")
    u, s, vh = np.linalg.svd((w[:, None] * a).T @ b)
    turn = np.array([1.0, 1.0, config.plainly(np.linalg.det, u @ vh)])
    turn = config.plainly(np.round, turn)
    rest = np.sum(w[:, None] * (a * a + b * b)) - 2.0 * np.sum(s * turn)
    rssd = np.sqrt(np.maximum(rest, 0.0)) if found[1] > 0 else found[1]
    return rotation(config, of_matrix((u * turn) @ vh)), rssd


def reduce_program(config: Any, self: Any, left: Any = None, right: Any = None, return_indices: Any = False) -> Any:
    """The product with the elements of the groups that make the angle smallest, as they are."""
    _, i, j = config.plainly(self.reduce, left, right, True)
    made = self
    if i is not None:
        made = left[int(np.ravel(i)[0]) if self.single else i] * made
    if j is not None:
        made = made * right[int(np.ravel(j)[0]) if self.single else j]
    return (made, i, j) if return_indices else made


def slerp_init(config: Any, self: Any, times: Any, rotations: Any) -> None:
    config.plainly(Slerp, times, rotations)
    self.times = np.asarray(times, float)
    self.timedelta = np.diff(self.times)
    q = quaternion(rotations)
    self.rotations = rotation(config, q[:-1])
    self.rotvecs = rotvec_of(product(q[:-1] * np.array([-1.0, -1.0, -1.0, 1.0]), q[1:]))


def slerp_call(config: Any, self: Any, times: Any) -> Any:
    config.plainly(self, times)
    t = np.asarray(times, float)
    i = np.maximum(np.searchsorted(self.times, t) - 1, 0)
    alpha = (t - self.times[i]) / self.timedelta[i]
    turn = of_rotvec(self.rotvecs[i] * alpha[..., None])
    return rotation(config, normalized(product(quaternion(self.rotations)[i], turn)))


PROGRAMS: dict[str, Callable[..., Any]] = {
    "from_quat": from_quat_program,
    "__init__": init_program,
    "from_rotvec": from_rotvec_program,
    "from_matrix": from_matrix_program,
    "from_euler": from_euler_program,
    "from_davenport": from_davenport_program,
    "from_mrp": from_mrp_program,
    "as_quat": as_quat_program,
    "as_matrix": lambda config, self: matrix_of(quaternion(self)),
    "as_rotvec": as_rotvec_program,
    "as_euler": as_euler_program,
    "as_mrp": as_mrp_program,
    "apply": apply_program,
    "__mul__": mul_program,
    "__pow__": pow_program,
    "inv": lambda config, self: rotation(config, quaternion(self) * np.array([-1.0, -1.0, -1.0, 1.0])),
    "magnitude": magnitude_program,
    "mean": mean_program,
    "concatenate": concatenate_program,
    "__getitem__": getitem_program,
    "__setitem__": setitem_program,
    "__iter__": iter_program,
    "align_vectors": align_vectors_program,
    "reduce": reduce_program,
    "approx_equal": lambda config, self, *args, **named: config.plainly(self.approx_equal, *args, **named),
}
if hasattr(Rotation.identity(), "_quat"):
    for _name, _body in PROGRAMS.items():
        program(getattr(Rotation, _name))(_body)
    needs_no_rule(Rotation)
    program(Slerp.__init__)(slerp_init)
    program(Slerp.__call__)(slerp_call)
else:
    unsupported("keeps quaternions in memory of its own before SciPy 1.17; write the rotation as a matrix", Rotation)
