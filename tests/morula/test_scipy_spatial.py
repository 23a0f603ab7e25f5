"""Programs with `scipy.spatial`, as their users write them: distances, rotations, hulls, neighbours."""

import numpy as np
import pytest
from scipy import spatial
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial import distance as sd
from scipy.spatial import transform
from scipy.spatial.transform import Rotation, Slerp
from scipy_checks import check, weighed

import morula
from morula import NotDifferentiable, gradient, jvp

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")  # of newer versions of SciPy
R = np.random.default_rng(4)
A, B = R.normal(size=(5, 3)), R.normal(size=(4, 3))
P, Q = np.abs(A) + 0.1, np.abs(B) + 0.2  # distributions, when divided by their sums
W = np.array([0.7, 1.4, 0.4])
M = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, -0.2], [0.0, 0.1, 1.1]])
NAMED = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "canberra", "braycurtis", "cosine"]
NAMED += ["correlation", "seuclidean", "mahalanobis", "jensenshannon"]
COUNTING = ["dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]
WEIGHED = ["euclidean", "sqeuclidean", "cityblock", "minkowski", "canberra", "braycurtis", "cosine", "correlation"]


@pytest.mark.parametrize("metric", NAMED)
def test_named_metrics(metric) -> None:
    check(lambda a, b: weighed(sd.cdist(a, b, metric)), P, Q)
    check(lambda a: weighed(sd.pdist(a, metric)), P)


@pytest.mark.parametrize("metric", WEIGHED)
def test_weights(metric) -> None:
    check(lambda a, b, w: weighed(sd.cdist(a, b, metric, w=w)), A, B, W)
    check(lambda a, w: weighed(sd.pdist(a, metric, w=w)), A, W)


def test_parameters_of_metrics() -> None:
    check(lambda a, b, p, w: weighed(sd.cdist(a, b, "minkowski", p=p, w=w)), A, B, 2.7, W)
    check(lambda a, b, v: weighed(sd.cdist(a, b, "seuclidean", V=v)), A, B, W)
    check(lambda a, b, m: weighed(sd.cdist(a, b, "mahalanobis", VI=m)), A, B, M)
    check(lambda a, b: weighed(sd.cdist(a, b, "chebyshev", w=[1.0, 0.0, 2.0])), A, B)
    check(lambda a, b: weighed(sd.cdist(a, b, "minkowski", p=np.inf)), A, B)
    check(lambda a, b: weighed(sd.cdist(a, b, sd.canberra)), A, B)
    check(lambda a, b, s: weighed(sd.cdist(a, b, lambda u, v: np.log1p(((u - v) ** 2).sum() * s))), A, B, 0.3)
    check(lambda a, s: weighed(sd.pdist(a, lambda u, v: np.log1p(((u - v) ** 2).sum() * s))), A, 0.3)


@pytest.mark.parametrize("metric", COUNTING)
def test_counting_metrics_are_refused(metric) -> None:
    with pytest.raises(NotDifferentiable, match="truth values"):
        gradient(lambda a: sd.cdist(a, B, metric).sum(), A)
    with pytest.raises(NotDifferentiable, match="truth values"):
        gradient(lambda a: getattr(sd, metric)(a, B[0]) * 1.0, A[0])


VECTORS = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "canberra", "braycurtis", "cosine", "correlation"]


@pytest.mark.parametrize("metric", [*VECTORS, "jensenshannon", "minkowski"])
def test_distances_of_two_vectors(metric) -> None:
    check(lambda u, v: getattr(sd, metric)(u, v) * 1.0, P[0], Q[0])


def test_parameters_of_distances_of_two_vectors() -> None:
    check(lambda u, v, m: sd.mahalanobis(u, v, m), A[0], B[0], M)
    check(lambda u, v, w: sd.seuclidean(u, v, w), A[0], B[0], W)
    check(lambda u, v, w: sd.minkowski(u, v, 3, w), A[0], B[0], W)
    check(lambda p, q, b: weighed(sd.jensenshannon(p, q, b, axis=1)), P[:4], Q, 2.0)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "canberra",
                                    "seuclidean", "mahalanobis", "jensenshannon", "cosine"])  # fmt: skip
def test_coincident_points(metric) -> None:
    """No NaN: the distance of a point to itself has the derivative 0, in both orders."""
    f = lambda a: sd.cdist(a, a[:2], metric).sum()
    named = {"VI": M} if metric == "mahalanobis" else {}
    g = gradient(lambda a: sd.cdist(a, P[:2], metric, **named).sum(), P)[0]
    apart = gradient(lambda a: sd.cdist(a[2:], P[:2], metric, **named).sum(), P)[0] if metric != "seuclidean" else g
    assert np.all(np.isfinite(g)) and np.all(np.isfinite(gradient(f, P)[0]))
    np.testing.assert_allclose(g[2:], apart[2:], atol=1e-12)
    dot = jvp(lambda a: gradient(f, a)[0], (P,), (np.ones_like(P),))[1]
    assert np.all(np.isfinite(dot))
    u = getattr(sd, metric, None)
    if metric not in ("cosine", "seuclidean"):
        more = (M,) if metric == "mahalanobis" else ()
        assert np.all(gradient(lambda v: u(v, P[0], *more) * 1.0, P[0])[0] == 0.0)


def test_squareform_and_matrices_of_distances() -> None:
    check(lambda a: weighed(sd.squareform(sd.pdist(a))), A)
    check(lambda s: weighed(sd.squareform(s + s.T - 2 * np.diag(np.diag(s)), checks=False)), R.normal(size=(4, 4)))
    check(lambda a, b: weighed(spatial.distance_matrix(a, b)), A, B)
    check(lambda a, b: weighed(spatial.minkowski_distance(a[:4], b, 3)), A, B)
    check(lambda a, b: sd.directed_hausdorff(a, b)[0], A, B)
    check(lambda a, b: spatial.procrustes(a, b)[2], A[:4], B)
    assert (
        weighed(sd.cdist(A[:0], B)) == 0.0 and gradient(lambda a: sd.cdist(a[:0], B).sum() + a[0, 0], A)[0][0, 0] == 1
    )
    with pytest.raises(ValueError, match="Unknown"):
        gradient(lambda a: sd.cdist(a, B, "no such metric").sum(), A)
    with pytest.raises(NotDifferentiable, match="out="):
        gradient(lambda a: sd.cdist(a, B, out=np.empty((5, 4))).sum(), A)


def test_single_precision() -> None:
    g = gradient(lambda a: sd.cdist(a, B.astype(np.float32)).sum(), A.astype(np.float32))[0]
    assert g.dtype == np.float32


V = np.array([0.3, -0.5, 0.8])
TURNS = {
    "apply": lambda v, x: weighed(Rotation.from_rotvec(v).apply(x)),
    "apply, inverse": lambda v, x: weighed(Rotation.from_rotvec(v).apply(x[0], inverse=True)),
    "many": lambda v, x: weighed(Rotation.from_rotvec(x).apply(v)) + weighed(Rotation.from_rotvec(x).inv().apply(x)),
    "matrix": lambda v, x: weighed(Rotation.from_rotvec(v, degrees=True).as_matrix()) + x[0, 0],
    "quaternion": lambda v, x: weighed(Rotation.from_quat(np.append(v, 0.4)).as_rotvec(degrees=True)) + x[0, 0],
    "half a turn": lambda v, x: weighed(Rotation.from_quat(np.append(v, -1e-9)).as_matrix()) + x[0, 0],
    "scalar first": lambda v, x: (
        weighed(Rotation.from_quat(np.append(v, 0.4), scalar_first=True).as_quat(canonical=True, scalar_first=True))
        + x[0, 0]
    ),
    "of a matrix": lambda v, x: weighed(Rotation.from_matrix(np.eye(3) + 0.2 * x[:3]).as_quat()) + v[0],
    "of a rotation": lambda v, x: (
        weighed(Rotation.from_matrix(Rotation.from_rotvec(3 * v).as_matrix()).as_rotvec()) + x[0, 0]
    ),
    "reduced": lambda v, x: (
        weighed(Rotation.from_rotvec(9 * v).reduce(Rotation.create_group("O")).as_rotvec())
        + weighed(Rotation.from_rotvec(x).reduce(right=Rotation.create_group("C3"), return_indices=True)[0].as_matrix())
        * (2.0 - np.all(Rotation.from_rotvec(v).approx_equal(Rotation.identity())))
    ),
    "product": lambda v, x: (Rotation.from_rotvec(v) * Rotation.from_rotvec(x[0]).inv()).magnitude(),
    "power": lambda v, x: weighed((Rotation.from_rotvec(v) ** x[0, 0]).as_matrix()),
    "mean": lambda v, x: weighed(Rotation.from_rotvec(0.3 * x).mean(np.exp(x[:, 0])).as_matrix()) + v[0],
    "several": lambda v, x: weighed(
        Rotation.concatenate([Rotation.from_rotvec(v), Rotation.from_rotvec(x[0])])[1].as_matrix()
    ),
    "iterated": lambda v, x: weighed(sum(r.as_matrix() for r in Rotation.from_rotvec(x))) + v[0],
    "aligned": lambda v, x: weighed(Rotation.align_vectors(x, B[[0, 1, 2, 3, 0]] + v)[0].as_matrix()),
    "aligned, distance": lambda v, x: Rotation.align_vectors(x, B[[0, 1, 2, 3, 0]] + v, np.arange(1.0, 6.0))[1],
    "rodrigues": lambda v, x: weighed(Rotation.from_mrp(v).as_mrp()) + weighed(Rotation.from_mrp(x).as_matrix()),
    "about axes": lambda v, x: (
        weighed(Rotation.from_davenport([[2.0, 0, 0], [0, 3, 0]], "e", v[:2]).as_matrix()) + x[0, 0]
    ),
    "slerp": lambda v, x: weighed(Slerp([0.0, 1, 2, 3, 4], Rotation.from_rotvec(x))(np.abs(v) * 3).as_quat()),
    "slerp, one time": lambda v, x: weighed(Slerp(np.arange(5) + v[0], Rotation.from_rotvec(x))(1.7).as_matrix()),
}
if not hasattr(Rotation.identity(), "_quat"):
    TURNS = {}


@pytest.mark.parametrize("name", TURNS)
def test_rotations(name) -> None:
    check(TURNS[name], V, A)


@pytest.mark.parametrize("sequence", ["xyz", "ZYX", "zxz", "YXY", "XZY"] if TURNS else [])
def test_euler_angles(sequence) -> None:
    turned = lambda v: Rotation.from_euler(sequence, 50 * v, degrees=True)
    check(
        lambda v: weighed(turned(v).as_euler(sequence[::-1])) + weighed(turned(v).as_euler("zyx", degrees=True)) / 90, V
    )
    check(lambda a: weighed(Rotation.from_euler("z", a).as_matrix()), 0.4)
    check(lambda a: weighed(Rotation.from_euler("zy", a).as_matrix()), A[:, :2])


@pytest.mark.skipif(not TURNS, reason="of newer versions of SciPy")
def test_the_identity_and_gimbal_lock() -> None:
    there_and_back = lambda v: weighed(Rotation.from_rotvec(v).as_rotvec()) + weighed(Rotation.from_rotvec(v).apply(A))
    for scale in (0.0, 1e-9, 1e-4, 1e-3):
        check(there_and_back, scale * V)
    assert np.all(gradient(lambda v: Rotation.from_rotvec(v).magnitude(), np.zeros(3))[0] == 0.0)
    with pytest.raises(NotDifferentiable, match="gimbal lock"), pytest.warns(UserWarning):
        gradient(lambda a: weighed(Rotation.from_euler("xyz", a).as_euler("xyz")), np.array([0.1, np.pi / 2, 0.3]))
    with pytest.raises(ValueError, match="zero norm"):
        gradient(lambda q: weighed(Rotation.from_quat(q).as_matrix()), np.zeros(4))
    if hasattr(transform, "RigidTransform"):
        with pytest.raises(NotDifferentiable):
            gradient(lambda v: weighed(transform.RigidTransform.from_translation(v).as_matrix()), V)


@pytest.mark.skipif(not TURNS, reason="of newer versions of SciPy")
def test_a_rotation_that_is_written_into() -> None:
    def f(v, x):
        r = Rotation.from_rotvec(x)
        r[1] = Rotation.from_rotvec(v) * r[0]
        return weighed(r.as_matrix())

    check(f, V, A)


SOLID = R.normal(size=(12, 3))
PLANE = R.normal(size=(10, 2))
SHAPES = {
    "volume": (lambda p: spatial.ConvexHull(p).volume, SOLID),
    "surface": (lambda p: spatial.ConvexHull(p).area, SOLID),
    "plane": (lambda p: spatial.ConvexHull(p).volume * spatial.ConvexHull(p).area, PLANE),
    "facets": (lambda p: weighed(spatial.ConvexHull(p).equations) + spatial.ConvexHull(p).max_bound[0], SOLID),
    "corners": (lambda p: weighed((lambda h: h.points[h.vertices])(spatial.ConvexHull(p))), PLANE),
    "triangles": (lambda p: weighed(p[spatial.Delaunay(p).simplices]), PLANE),
    "edges": (
        lambda p: weighed((lambda t: t.points[t.simplices[:, 0]] - t.points[t.simplices[:, 1]])(spatial.Delaunay(p))),
        PLANE,
    ),
    "located": (
        lambda p: weighed(p[spatial.Delaunay(p).simplices[spatial.Delaunay(p).find_simplex([[0.1, 0.2]])]]),
        PLANE,
    ),
    "circumcentres": (lambda p: np.sum(np.tanh(spatial.Voronoi(p).vertices)), PLANE),
    "diagram in space": (lambda p: np.sum(np.tanh(spatial.Voronoi(p).vertices)), SOLID[:7]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_of_points(name) -> None:
    check(*SHAPES[name], h=1e-5, rtol=1e-5)


def test_shapes_that_are_refused() -> None:
    with pytest.raises(NotDifferentiable, match="incremental"):
        gradient(lambda p: spatial.ConvexHull(p, incremental=True).volume, PLANE)
    with pytest.raises(NotDifferentiable, match="barycentric"):
        gradient(lambda p: weighed(spatial.Delaunay(p).transform), PLANE)
    with pytest.raises(AttributeError):
        gradient(lambda p: weighed(spatial.Delaunay(p).equations), PLANE)
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    with pytest.raises(NotDifferentiable, match="split"):
        gradient(lambda p: weighed(spatial.Voronoi(p).vertices), square)


@pytest.mark.parametrize("tree", [spatial.KDTree, spatial.cKDTree])
@pytest.mark.parametrize("p", [1, 2, 3.5, np.inf])
def test_neighbours(tree, p) -> None:
    check(lambda a, b: weighed(tree(a).query(b, k=2, p=p)[0]), SOLID, B)


def test_neighbours_of_many_kinds() -> None:
    check(lambda a, b: weighed(spatial.cKDTree(a).query(b[0])[0]), SOLID, B)
    check(lambda a, b: weighed(spatial.KDTree(a % 1.0, boxsize=1.0).query(b % 1.0, k=[2])[0]), SOLID, B)
    fixed = spatial.KDTree(SOLID)
    check(lambda b: weighed(fixed.query(b, k=3)[0]), B)
    check(lambda a: weighed(spatial.KDTree(a).query(B)[0]) + weighed(spatial.KDTree(a).data), SOLID)
    check(lambda a: weighed(a[spatial.KDTree(a).query_ball_point(B[0], 1.5)]), SOLID)
    near = lambda a: spatial.KDTree(a).query(B, distance_upper_bound=0.4)[0]
    assert np.isinf(near(SOLID)).any()
    check(lambda a: np.sum(np.minimum(near(a), 1.0)), SOLID)
    g = gradient(lambda a: spatial.KDTree(a).query(SOLID)[0].sum(), SOLID)[0]
    assert np.all(g == 0.0)
    with pytest.raises(NotDifferentiable, match="query_pairs"):
        gradient(lambda a: spatial.KDTree(a).sparse_distance_matrix(fixed, 1.0).sum(), SOLID)


# -- programs ----------------------------------------------------------------------------------------------------


def test_hyperparameters_of_a_gaussian_process() -> None:
    x, y = R.uniform(-2, 2, size=(12, 2)), R.normal(size=12)

    def evidence(log_scales, log_noise, x):
        k = np.exp(-0.5 * sd.cdist(x / np.exp(log_scales), x / np.exp(log_scales), "sqeuclidean"))
        factor = cho_factor(k + np.exp(log_noise) * np.eye(12), lower=True)
        return 0.5 * y @ cho_solve(factor, y) + np.log(np.diag(factor[0])).sum()

    check(evidence, np.array([0.1, -0.2]), -1.0, x)

    def matern(scale, x):
        r = sd.squareform(sd.pdist(x)) / scale
        factor = cho_factor((1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r) + 0.1 * np.eye(12))
        return y @ cho_solve(factor, y) + 2 * np.log(np.diag(factor[0])).sum()

    check(matern, 1.3, x)


@pytest.mark.skipif(not TURNS, reason="of newer versions of SciPy")
@pytest.mark.slow
def test_a_robot_arm() -> None:
    links = np.array([[0.0, 0.0, 0.4], [0.3, 0.0, 0.0], [0.2, 0.0, 0.1]])
    target, pose = np.array([0.3, 0.2, 0.5]), Rotation.from_euler("xyz", [0.1, 0.4, -0.2])

    def cost(angles):
        turn, at = Rotation.identity(), np.zeros(3)
        for axis, angle, link in zip("zyy", angles, links, strict=True):
            turn = turn * Rotation.from_euler(axis, angle)
            at = at + turn.apply(link)
        return np.sum((at - target) ** 2) + 0.1 * (turn.inv() * pose).magnitude() ** 2

    check(cost, np.array([0.3, -0.4, 0.9]))
    angles = np.zeros(3)
    for _ in range(20):
        g, h = gradient(cost, angles)[0], morula.hessian(cost, angles)
        angles = angles - np.linalg.solve(h + 1e-3 * np.eye(3), g)
    assert np.linalg.norm(gradient(cost, angles)[0]) < 1e-3
