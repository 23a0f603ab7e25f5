"""Natural programs of vision: bundle adjustment with 3-vectors, and the tracking of a hand with matrices of 4 x 4.

A camera has 15 parameters: rotation (3), translation (3), focal lengths (2), principal point (2), distortion (5).
"""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

# -- one projection: a block of 2 x 18 ----------


@njit
def rotated(r, x):
    theta = np.sqrt(r @ r)
    if theta < 1e-12:
        return x + np.cross(r, x)
    axis = r / theta
    c, s = math.cos(theta), math.sin(theta)
    return x * c + np.cross(axis, x) * s + axis * (axis @ x) * (1.0 - c)


@njit
def project(camera, point):
    x = rotated(camera[:3], point) + camera[3:6]
    u = x[:2] / x[2]
    k1, k2, p1, p2, k3 = camera[10:15]
    r2 = u @ u
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    a, b = u[0], u[1]
    tangential = np.array([2.0 * p1 * a * b + p2 * (r2 + 2.0 * a * a), p1 * (r2 + 2.0 * b * b) + 2.0 * p2 * a * b])
    return camera[6:8] * (radial * u + tangential) + camera[8:10]


@njit
def turn(r, x, y):
    """The rotated point in `y`; what its derivative takes from there is returned."""
    theta = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    c, s = math.cos(theta), math.sin(theta)
    a0, a1, a2 = r[0] / theta, r[1] / theta, r[2] / theta
    along = a0 * x[0] + a1 * x[1] + a2 * x[2]
    y[0] = c * x[0] + s * (a1 * x[2] - a2 * x[1]) + (1.0 - c) * along * a0
    y[1] = c * x[1] + s * (a2 * x[0] - a0 * x[2]) + (1.0 - c) * along * a1
    y[2] = c * x[2] + s * (a0 * x[1] - a1 * x[0]) + (1.0 - c) * along * a2
    return theta, c, s, a0, a1, a2, along


@njit
def project_back(camera, point, x, kept, e0, e1, camera_bar, point_bar):
    """Add what the cotangent (e0, e1) of a projection contributes; `x` is the point in the camera's frame."""
    theta, c, s, a0, a1, a2, along = kept
    k1, k2, p1, p2, k3 = camera[10], camera[11], camera[12], camera[13], camera[14]
    z = 1.0 / x[2]
    a, b = x[0] * z, x[1] * z
    r2 = a * a + b * b
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    camera_bar[6] += e0 * (radial * a + 2.0 * p1 * a * b + p2 * (r2 + 2.0 * a * a))
    camera_bar[7] += e1 * (radial * b + p1 * (r2 + 2.0 * b * b) + 2.0 * p2 * a * b)
    camera_bar[8] += e0
    camera_bar[9] += e1
    f, g = e0 * camera[6], e1 * camera[7]
    radial_bar = f * a + g * b
    camera_bar[10] += radial_bar * r2
    camera_bar[11] += radial_bar * r2 * r2
    camera_bar[14] += radial_bar * r2 * r2 * r2
    camera_bar[12] += 2.0 * f * a * b + g * (r2 + 2.0 * b * b)
    camera_bar[13] += f * (r2 + 2.0 * a * a) + 2.0 * g * a * b
    r2_bar = radial_bar * (k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3)) + f * p2 + g * p1
    a_bar = f * (radial + 2.0 * p1 * b + 4.0 * p2 * a) + 2.0 * g * p2 * b + 2.0 * a * r2_bar
    b_bar = g * (radial + 4.0 * p1 * b + 2.0 * p2 * a) + 2.0 * f * p1 * a + 2.0 * b * r2_bar
    y0, y1 = a_bar * z, b_bar * z
    y2 = -(a_bar * a + b_bar * b) * z
    camera_bar[3] += y0
    camera_bar[4] += y1
    camera_bar[5] += y2
    v0, v1, v2 = point[0], point[1], point[2]
    m0, m1, m2 = a1 * v2 - a2 * v1, a2 * v0 - a0 * v2, a0 * v1 - a1 * v0
    dot = a0 * y0 + a1 * y1 + a2 * y2
    c_bar = v0 * y0 + v1 * y1 + v2 * y2 - along * dot
    s_bar = m0 * y0 + m1 * y1 + m2 * y2
    along_bar = (1.0 - c) * dot
    n0, n1, n2 = s * y0, s * y1, s * y2
    point_bar[0] += c * y0 + n1 * a2 - n2 * a1 + along_bar * a0
    point_bar[1] += c * y1 + n2 * a0 - n0 * a2 + along_bar * a1
    point_bar[2] += c * y2 + n0 * a1 - n1 * a0 + along_bar * a2
    b0 = v1 * n2 - v2 * n1 + along_bar * v0 + (1.0 - c) * along * y0
    b1 = v2 * n0 - v0 * n2 + along_bar * v1 + (1.0 - c) * along * y1
    b2 = v0 * n1 - v1 * n0 + along_bar * v2 + (1.0 - c) * along * y2
    inner = a0 * b0 + a1 * b1 + a2 * b2
    theta_bar = s_bar * c - c_bar * s
    camera_bar[0] += (b0 - inner * a0) / theta + theta_bar * a0
    camera_bar[1] += (b1 - inner * a1) / theta + theta_bar * a1
    camera_bar[2] += (b2 - inner * a2) / theta + theta_bar * a2


@njit
def block_by_hand(camera, point):
    by_camera, by_point, x = np.zeros((2, 15)), np.zeros((2, 3)), np.empty(3)
    kept = turn(camera, point, x)
    x += camera[3:6]
    project_back(camera, point, x, kept, 1.0, 0.0, by_camera[0], by_point[0])
    project_back(camera, point, x, kept, 0.0, 1.0, by_camera[1], by_point[1])
    return by_camera, by_point


def cameras(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    spread = [0.3, 0.3, 0.3, 1.0, 1.0, 1.0, 10.0, 10.0, 5.0, 5.0, 0.1, 0.1, 0.01, 0.01, 0.01]
    middle = [0.1, 0.2, 0.3, 0.0, 0.0, 8.0, 500.0, 500.0, 320.0, 240.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    return np.array(middle) + np.array(spread) * rng.uniform(-1.0, 1.0, (n, 15))


def one(_: int) -> tuple:
    return cameras(1, 0)[0], np.array([0.4, -0.3, 0.2])


# -- the sum of the squared errors of all projections ----------


@njit
def errors(views, points, seen, pixels):
    total = 0.0
    for k in range(seen.shape[0]):
        e = project(views[seen[k, 0]], points[seen[k, 1]]) - pixels[k]
        total += e @ e
    return total


@njit
def errors_by_hand(views, points, seen, pixels):
    views_bar, points_bar, x = np.zeros_like(views), np.zeros_like(points), np.empty(3)
    for k in range(seen.shape[0]):
        i, j = seen[k, 0], seen[k, 1]
        camera, point = views[i], points[j]
        kept = turn(camera, point, x)
        x += camera[3:6]
        a, b = x[0] / x[2], x[1] / x[2]
        r2 = a * a + b * b
        radial = 1.0 + r2 * (camera[10] + r2 * (camera[11] + r2 * camera[14]))
        p1, p2 = camera[12], camera[13]
        u = radial * a + 2.0 * p1 * a * b + p2 * (r2 + 2.0 * a * a)
        v = radial * b + p1 * (r2 + 2.0 * b * b) + 2.0 * p2 * a * b
        e0, e1 = camera[6] * u + camera[8] - pixels[k, 0], camera[7] * v + camera[9] - pixels[k, 1]
        project_back(camera, point, x, kept, 2.0 * e0, 2.0 * e1, views_bar[i], points_bar[j])
    return views_bar, points_bar


def errors_of(np):
    import jax

    def project(camera, point):
        r = camera[:3]
        theta = np.sqrt(r @ r)
        axis = r / theta
        c, s = np.cos(theta), np.sin(theta)
        x = point * c + np.cross(axis, point) * s + axis * (axis @ point) * (1.0 - c) + camera[3:6]
        u = x[:2] / x[2]
        k1, k2, p1, p2, k3 = camera[10:15]
        r2 = u @ u
        radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
        a, b = u
        twist = np.array([2.0 * p1 * a * b + p2 * (r2 + 2.0 * a * a), p1 * (r2 + 2.0 * b * b) + 2.0 * p2 * a * b])
        return camera[6:8] * (radial * u + twist) + camera[8:10]

    def f(views, points, seen, pixels):
        found = jax.vmap(project)(views[seen[:, 0]], points[seen[:, 1]])
        return np.sum((found - pixels) ** 2)

    return f


def scene(n: int) -> tuple:
    rng = np.random.default_rng(0)
    seen = np.stack([rng.integers(0, 10, n), rng.integers(0, 50, n)], axis=1)
    return cameras(10, 1), rng.normal(size=(50, 3)), seen, rng.uniform(0.0, 500.0, (n, 2))


# -- a hand: bones that turn, and points that several bones move ----------

PARENTS = np.array([-1, *[b for f in range(5) for b in (0, 3 * f + 1, 3 * f + 2)]])


@njit
def turned(a, b, c):
    x = np.eye(4)
    x[1, 1], x[1, 2], x[2, 1], x[2, 2] = math.cos(a), -math.sin(a), math.sin(a), math.cos(a)
    y = np.eye(4)
    y[0, 0], y[0, 2], y[2, 0], y[2, 2] = math.cos(b), math.sin(b), -math.sin(b), math.cos(b)
    z = np.eye(4)
    z[0, 0], z[0, 1], z[1, 0], z[1, 1] = math.cos(c), -math.sin(c), math.sin(c), math.cos(c)
    return x @ y @ z


@njit
def hand(theta, rest, inverses, weights, skin, seen):
    bones = rest.shape[0]
    placed = np.empty((bones, 4, 4))
    placed[0] = turned(theta[0], theta[1], theta[2])
    placed[0, :3, 3] = theta[3:6]
    for f in range(5):
        t = theta[6 + 4 * f : 10 + 4 * f]
        first = 3 * f + 1
        placed[first] = placed[0] @ (rest[first] @ turned(t[0], t[1], 0.0))
        placed[first + 1] = placed[first] @ (rest[first + 1] @ turned(t[2], 0.0, 0.0))
        placed[first + 2] = placed[first + 1] @ (rest[first + 2] @ turned(t[3], 0.0, 0.0))
    error = np.empty((skin.shape[0], 3))
    for v in range(skin.shape[0]):
        at = np.zeros(4)
        for b in range(bones):
            at += weights[v, b] * (placed[b] @ (inverses[b] @ skin[v]))
        error[v] = at[:3] - seen[v]
    return error


@njit
def times(a, b, c):
    for i in range(4):
        for j in range(4):
            c[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j] + a[i, 3] * b[3, j]


@njit
def turned_by_hand(angles, axis, made, work):
    """The product of the rotations about x, y, z in `made`, that by `axis` replaced by its derivative (-1: none)."""
    for k in range(3):
        m = work[k]
        m[:] = 0.0
        c, s = math.cos(angles[k]), math.sin(angles[k])
        i, j = (1, 2) if k == 0 else (2, 0) if k == 1 else (0, 1)
        if k == axis:
            m[i, i], m[i, j], m[j, i], m[j, j] = -s, -c, c, -s
        else:
            m[i, i], m[i, j], m[j, i], m[j, j] = c, -s, s, c
            m[k, k] = m[3, 3] = 1.0
    times(work[0], work[1], work[3])
    times(work[3], work[2], made)


@njit
def hand_by_hand(theta, rest, inverses, weights, skin, seen):
    """Forwards: a parameter moves a bone and those that follow it."""
    bones, many = rest.shape[0], skin.shape[0]
    angles = np.zeros((bones, 3))
    angles[0] = theta[:3]
    own, local, placed = np.empty((bones, 4, 4)), np.empty((bones, 4, 4)), np.empty((bones, 4, 4))
    work, made, dot = np.empty((4, 4, 4)), np.empty((4, 4)), np.empty((bones, 4, 4))
    moved = np.empty((bones, many, 4))
    for f in range(5):
        for k in range(4):
            angles[3 * f + 1 + max(k - 1, 0), 1 if k == 1 else 0] = theta[6 + 4 * f + k]
    for b in range(bones):
        turned_by_hand(angles[b], -1, own[b], work)
        if b == 0:
            placed[0] = own[0]
            placed[0, :3, 3] = theta[3:6]
        else:
            times(rest[b], own[b], local[b])
            times(placed[PARENTS[b]], local[b], placed[b])
        for v in range(many):
            for i in range(4):
                s = 0.0
                for j in range(4):
                    s += inverses[b, i, j] * skin[v, j]
                moved[b, v, i] = weights[v, b] * s
    jacobian = np.zeros((many, 3, theta.shape[0]))
    is_moving = np.empty(bones, np.bool_)
    for p in range(theta.shape[0]):
        if p < 6:
            first, axis = 0, p if p < 3 else -1
        else:
            k = (p - 6) % 4
            first, axis = 3 * ((p - 6) // 4) + 1 + max(k - 1, 0), 1 if k == 1 else 0
        is_moving[:] = False
        for b in range(first, bones):
            if b == first:
                is_moving[b] = True
                if 3 <= p < 6:
                    dot[b] = 0.0
                    dot[b, p - 3, 3] = 1.0
                elif b == 0:
                    turned_by_hand(angles[b], axis, dot[b], work)
                else:
                    turned_by_hand(angles[b], axis, made, work)
                    times(rest[b], made, work[3])
                    times(placed[PARENTS[b]], work[3], dot[b])
            elif is_moving[PARENTS[b]]:
                is_moving[b] = True
                times(dot[PARENTS[b]], local[b], dot[b])
            if is_moving[b]:
                d = dot[b]
                for v in range(many):
                    x = moved[b, v]
                    for i in range(3):
                        jacobian[v, i, p] += d[i, 0] * x[0] + d[i, 1] * x[1] + d[i, 2] * x[2] + d[i, 3] * x[3]
    return (jacobian,)


def hand_of(np):
    import jax

    def turned(a, b, c):
        zero, one = 0.0 * a, 1.0 + 0.0 * a

        def matrix(rows):
            return np.array([[*row, zero] for row in rows] + [[zero, zero, zero, one]])

        x = matrix([[one, zero, zero], [zero, np.cos(a), -np.sin(a)], [zero, np.sin(a), np.cos(a)]])
        y = matrix([[np.cos(b), zero, np.sin(b)], [zero, one, zero], [-np.sin(b), zero, np.cos(b)]])
        z = matrix([[np.cos(c), -np.sin(c), zero], [np.sin(c), np.cos(c), zero], [zero, zero, one]])
        return x @ y @ z

    def f(theta, rest, inverses, weights, skin, seen):
        fingers = theta[6:].reshape(5, 4)
        zero = np.zeros(5)
        joints = [
            jax.vmap(turned)(a, b, zero)
            for a, b in ((fingers[:, 0], fingers[:, 1]), (fingers[:, 2], zero), (fingers[:, 3], zero))
        ]
        root = turned(*theta[:3]).at[:3, 3].set(theta[3:6])
        chain = [root]
        for k in range(3):
            chain.append(chain[-1] @ (rest[1 + k :: 3] @ joints[k]))
        placed = np.concatenate([root[None], np.stack(chain[1:], axis=1).reshape(15, 4, 4)])
        at = np.einsum("vb,bij,bjk,vk->vi", weights, placed, inverses, skin, optimize=True)
        return at[:, :3] - seen

    return f


def skin_of(n: int) -> tuple:
    rng = np.random.default_rng(0)
    rest = np.tile(np.eye(4), (16, 1, 1))
    rest[:, :3, 3] = rng.normal(size=(16, 3))
    inverses = np.linalg.inv(rest)
    weights = rng.random((n, 16))
    skin = np.concatenate([rng.normal(size=(n, 3)), np.ones((n, 1))], axis=1)
    theta = rng.normal(size=26) / 3
    return theta, rest, inverses, weights / weights.sum(axis=1, keepdims=True), skin, rng.normal(size=(n, 3))


PROBLEMS = (
    Problem(
        name="block",
        title="one projection, a Jacobian of 2 x 18",
        primal=project,
        by_hand=block_by_hand,
        wrt=(0, 1),
        arguments=one,
        size=1,
        sizes=(1, 1, 1, 1),
        goal=2.0,
        call=3e-6,
        is_jacobian=True,
    ),
    Problem(
        name="bundle",
        title="bundle adjustment with 3-vectors",
        primal=errors,
        by_hand=errors_by_hand,
        wrt=(0, 1),
        arguments=scene,
        size=500,
        sizes=(50, 500, 5000, 50_000),
        goal=1.1,
        call=1e-5,
        peers={"JAX": errors_of},
    ),
    Problem(
        name="hand",
        title="hand tracking with 4 x 4 matrices, 26 columns",
        primal=hand,
        by_hand=hand_by_hand,
        wrt=(0,),
        arguments=skin_of,
        size=200,
        sizes=(20, 200, 2000, 20_000),
        goal=2.0,
        call=1e-5,
        is_jacobian=True,
        peers={"JAX": hand_of},
    ),
)
