"""Sparse matrices as programs use them: operations, solvers, and programs as they are written, in every verb."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sla
from scipy_checks import weighed

import morula
from extent import part_of
from morula import NotDifferentiable, SeedError, gradient, hessian, hvp, jvp, pullback, withgradient

RNG = np.random.default_rng(5)
W = RNG.normal(size=400)
ROWS, COLUMNS = np.array([0, 0, 1, 2, 3, 4, 4, 2]), np.array([0, 2, 1, 3, 0, 2, 3, 3])  # (2, 3) twice
ENTRIES = RNG.uniform(0.5, 1.5, 8)
X4, X5 = RNG.normal(size=4), RNG.normal(size=5)
OTHER = sparse.random_array((5, 4), density=0.5, rng=np.random.default_rng(1), format="csr")
WIDE = sparse.random_array((4, 5), density=0.5, rng=np.random.default_rng(2), format="csc")
DENSE = RNG.normal(size=(5, 4))


def number(y):
    """A number that depends on all of a result."""
    y = np.asarray(y.toarray() if sparse.issparse(y) else y)
    return np.sum(np.sin(y) * W[: y.size].reshape(y.shape))


def slopes(f, x, h=1e-6):
    steps = h * np.eye(x.size).reshape(-1, *x.shape)
    return np.array([(f(x + e) - f(x - e)) / (2 * h) for e in steps]).reshape(x.shape)


def check(f, x, rtol=1e-5):
    """Gradient, directional derivative and product with the Hessian, against central differences."""
    y, (g,) = withgradient(f, x)
    assert y == pytest.approx(f(x), rel=1e-9, abs=1e-12)
    wanted, scale = slopes(f, x), 1e-6
    np.testing.assert_allclose(np.zeros_like(x) if g is None else g, wanted, rtol, scale)
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    assert jvp(f, (x,), (v,))[1] == pytest.approx(np.sum(wanted * v), rel=rtol, abs=scale)
    if g is not None:
        curved = (gradient(f, x + 1e-5 * v)[0] - gradient(f, x - 1e-5 * v)[0]) / 2e-5
        np.testing.assert_allclose(hvp(f, x, v), curved, 10 * rtol, 1e-5 * max(1.0, np.max(np.abs(curved), initial=0)))


OPERATIONS = {
    "A @ x": lambda a: a @ X4,
    "A.dot(x)": lambda a: a.dot(X4),
    "x @ A": lambda a: X5 @ a,
    "A @ X": lambda a: a @ DENSE.T,
    "X @ A": lambda a: DENSE.T @ a,
    "A @ column": lambda a: a @ X4[:, None],
    "A * 2": lambda a: a * 2.5,
    "2 * A": lambda a: 2.5 * a,
    "A / 2": lambda a: a / 2.5,
    "-A": lambda a: -a,
    "A + B": lambda a: a + OTHER,
    "B - A": lambda a: OTHER - a,
    "A + A * A": lambda a: a + a.multiply(a),
    "A @ B": lambda a: a @ WIDE,
    "B @ A": lambda a: WIDE @ a,
    "A @ A.T": lambda a: a @ a.T,
    "A.T @ x": lambda a: a.T @ X5,
    "transpose": lambda a: a.transpose() @ X5,
    "A.multiply(B)": lambda a: a.multiply(OTHER),
    "A.multiply(dense)": lambda a: a.multiply(DENSE),
    "A.multiply(row)": lambda a: a.multiply(X4),
    "tocsr": lambda a: a.tocsr(),
    "tocsc": lambda a: a.tocsc(),
    "tocoo": lambda a: a.tocoo(),
    "todia": lambda a: a.todia(),
    "tobsr": lambda a: a.tobsr(),
    "tolil": lambda a: a.tolil(),
    "todok": lambda a: a.todok(),
    "toarray": lambda a: a.toarray(),
    "diagonal": lambda a: a.diagonal(),
    "diagonal(-1)": lambda a: a.diagonal(-1),
    "trace": lambda a: a.trace(),
    "sum": lambda a: a.sum(),
    "data": lambda a: a.data**2 if a.format in ("csr", "csc", "coo") else a,
    "A[i, j]": lambda a: a.tocsr()[2, 3],
    "A[:, j]": lambda a: a.tocsr()[:, [3]],
    "A[i]": lambda a: a.tocsr()[[2]],
    "A[slices]": lambda a: a.tocsc()[::2, 1:],
    "A[rows]": lambda a: a.tocsr()[[0, 2, 2]],
    "power": lambda a: a.power(3),
    "sqrt": lambda a: a.tocsr().sqrt(),
    "abs": lambda a: abs(a),
    "np.sqrt": lambda a: np.sqrt(a.tocsr()),
    "reshape": lambda a: a.reshape((2, 10)),
    "maximum": lambda a: a.maximum(OTHER),
    "minimum": lambda a: a.minimum(OTHER),
    "hstack": lambda a: sparse.hstack([a, OTHER]),
    "vstack": lambda a: sparse.vstack([OTHER, a], format="csr"),
    "bmat": lambda a: sparse.bmat([[a, None], [None, OTHER]]),
    "block_diag": lambda a: sparse.block_diag([a, OTHER]),
    "kron": lambda a: sparse.kron(a, OTHER),
    "tril": lambda a: sparse.tril(a),
    "diags @ A": lambda a: sparse.diags_array(X5) @ a,
    "norm": lambda a: sla.norm(a),
    "norm 1": lambda a: sla.norm(sparse.csr_array(a), 1),
    "matrix_power": lambda a: sla.matrix_power(a @ a.T / 4, 2),
    "laplacian": lambda a: csgraph.laplacian(sparse.csr_array(a @ a.T)),
}  # fmt: skip


FORMS = [(form, "array") for form in ("csr", "csc", "coo", "dia", "bsr", "lil")]
FORMS += [(form, "matrix") for form in ("csr", "coo")]


@pytest.mark.parametrize(("form", "kind"), part_of(FORMS, 3))
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name, form, kind):
    made = getattr(sparse, f"coo_{kind}")
    check(lambda d: number(OPERATIONS[name](made((d, (ROWS, COLUMNS)), shape=(5, 4)).asformat(form))), ENTRIES)


Z = np.array([0.0, 1.0, 2.0])  # an entry that is 0 now is an entry


def with_items(made, z):
    a = made((3, 3))
    for i in range(3):
        a[i, i] = z[i]
    a[0, 2] = z[1] * z[2]
    return a.tocsr()


def with_diagonal(z):
    a = sparse.csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [4.0, 0.0, 1.0]]))
    a.setdiag(z)
    a.data *= z[2]
    return a


def without_zeros(z):
    a = sparse.csr_array(np.diag(z))
    a.eliminate_zeros()
    return a


MADE = {
    "diags": lambda z: sparse.diags([z[1:], z, z[:-1]], [-1, 0, 1], format="csr"),
    "diags_array": lambda z: sparse.diags_array(z, offsets=1, shape=(3, 4)).tocoo(),
    "spdiags": lambda z: sparse.spdiags([z, z], [0, 1], 3, 3),
    "coo": lambda z: sparse.coo_matrix((z, ([0, 1, 0], [2, 1, 2]))),
    "csr": lambda z: sparse.csr_array((z, np.array([0, 2, 2]), np.array([0, 2, 3])), shape=(2, 3)),
    "csc": lambda z: sparse.csc_matrix((z, ([0, 1, 0], [2, 1, 2])), shape=(3, 3)),
    "dense": lambda z: sparse.csr_array(np.outer(z, z)),
    "block_array": lambda z: sparse.block_array([[sparse.diags_array(z), None], [None, sparse.eye_array(2) * z[0]]]),
    "random": lambda z: sparse.random_array((3, 3), density=0.5, rng=3, data_sampler=lambda size: z[0] + np.ones(size)),
    "lil": lambda z: with_items(sparse.lil_matrix, z),
    "dok": lambda z: with_items(sparse.dok_array, z),
    "setdiag": with_diagonal,
    "eliminate_zeros": without_zeros,
    "cancelling": lambda z: sparse.diags_array(z).tocsr() - sparse.diags_array(Z).tocsr(),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_construction(name):
    check(lambda z: number(MADE[name](z)), Z)


N = 6
PATTERN = (sparse.random_array((N, N), density=0.3, rng=np.random.default_rng(1)) + 4 * sparse.eye_array(N)).tocoo()
D, B = PATTERN.data.copy(), RNG.normal(size=N)
BOTH = np.concatenate((D, B, RNG.normal(size=N)))  # entries, and two right-hand sides


def matrix(d, form="csc"):
    return sparse.coo_array((d[: D.size], PATTERN.coords), shape=(N, N)).asformat(form)


def symmetric(d):
    return (matrix(d) + matrix(d).T + 4 * sparse.eye_array(N)).tocsc()


def right(d):
    return d[D.size : D.size + N]


def rights(d):
    return d[D.size :].reshape(2, N).T


def operator(d):
    a = matrix(d)
    return sla.LinearOperator((N, N), matvec=lambda v: a @ v + d[0] * v)


def incomplete(a):
    factors = sla.spilu(a, drop_tol=1e-2)
    return sla.LinearOperator(a.shape, matvec=lambda v: factors.solve(v))


def lower(d):
    return sparse.tril(matrix(d)).tocsr()


SOLVED = {
    **{f"spsolve {form}": lambda d, form=form: sla.spsolve(matrix(d, form), right(d)) for form in ("csr", "csc")},
    "several": lambda d: sla.spsolve(matrix(d, "csr"), rights(d)),
    "sparse right-hand sides": lambda d: sla.spsolve(matrix(d), sparse.csc_array(rights(d))),
    "splu": lambda d: sla.splu(matrix(d)).solve(right(d)),
    "splu T": lambda d: sla.splu(matrix(d)).solve(rights(d), "T"),
    "splu H": lambda d: sla.splu(matrix(d)).solve(right(d), trans="H"),
    "inv": lambda d: sla.inv(matrix(d)),
    "splu, constant": lambda d: sla.splu(PATTERN.tocsc()).solve(rights(d), "T"),
    "factorized": lambda d: (lambda solve: solve(solve(right(d))))(sla.factorized(matrix(d))),
    "factorized, constant": lambda d: sla.factorized(PATTERN.tocsc())(right(d)),
    "triangular": lambda d: sla.spsolve_triangular(lower(d), right(d)),
    "unit triangular": lambda d: sla.spsolve_triangular(lower(d), rights(d), unit_diagonal=True),
    **{
        name: lambda d, name=name: getattr(sla, name)(symmetric(d), right(d), rtol=1e-12)[0]
        for name in "cg gmres bicgstab bicg cgs minres lgmres qmr tfqmr gcrotmk".split()
    },
    "gmres, not symmetric": lambda d: sla.gmres(matrix(d), right(d), rtol=1e-12)[0],
    "gmres, incomplete factors": lambda d: sla.gmres(matrix(d), right(d), M=incomplete(matrix(d)), rtol=1e-12)[0],
    "eigs": lambda d: np.sort_complex(sla.eigs(matrix(d), k=3, v0=np.ones(N), return_eigenvectors=False)).view(float),
    "eigs with vectors": lambda d: (lambda w, v: abs(v) * w.real)(*sla.eigs(matrix(d), 2, which="LR", v0=np.ones(N))),
    "eigs, generalised": lambda d: sla.eigs(matrix(d), 2, symmetric(d), sigma=0.3, v0=np.ones(N))[0].real,
    "gmres of an operator": lambda d: sla.gmres(operator(d), right(d), rtol=1e-12)[0],
    "an operator": lambda d: operator(d) @ right(d),
    "aslinearoperator": lambda d: sla.aslinearoperator(matrix(d)).T @ right(d),
    "lsqr": lambda d: sla.lsqr(matrix(d)[:, :4], right(d), atol=1e-14, btol=1e-14)[0],
    "lsqr with damp": lambda d: np.append(*sla.lsqr(matrix(d)[:, :4], right(d), 0.5, atol=1e-14, btol=1e-14)[:4:3]),
    "lsmr": lambda d: sla.lsmr(matrix(d)[:, :4], right(d), atol=1e-14, btol=1e-14)[0],
    "expm_multiply": lambda d: sla.expm_multiply(matrix(d) / 9, right(d)),
    "eigsh": lambda d: sla.eigsh(symmetric(d), k=2, return_eigenvectors=False),
    "eigsh with vectors": lambda d: abs(sla.eigsh(symmetric(d), k=2, which="SA", v0=np.ones(N))[1]),
    "eigsh, generalised": lambda d: sla.eigsh(symmetric(d), 2, sparse.diags_array(np.exp(0.1 * right(d))).tocsc())[0],
    "svds": lambda d: sla.svds(matrix(d), k=2, return_singular_vectors=False),
    "svds with vectors": lambda d: abs(sla.svds(matrix(d), k=2, v0=np.ones(N))[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", SOLVED)
def test_solutions(name):
    check(lambda d: number(SOLVED[name](d)), BOTH, rtol=2e-5)


def complex_solution(z):
    a = PATTERN.tocsc() * (1 + 0.5j) + sparse.diags_array(1j * z)
    return np.sum(np.abs(sla.spsolve(a.tocsc(), B)) ** 2 + np.abs(sla.splu(a.tocsc()).solve(B + 1j * z, "H")))


def test_complex_systems():
    check(complex_solution, B)
    check(lambda z: np.sum(np.abs(sparse.diags_array(z * (1 + 2j)).tocsr() @ (B + 1j))), B)


def test_single_precision():
    (g,) = gradient(lambda z: sla.spsolve(sparse.diags_array(z).tocsc(), np.ones(3, "f")).sum(), np.ones(3, "f"))
    assert g.dtype == np.float32


# -- gradients and tangents of matrices themselves ------------------------------------------------------------


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "bsr"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_the_gradient_of_a_matrix_has_its_pattern(form, kind):
    a = getattr(sparse, f"{form}_{kind}")(OTHER)
    loss = lambda a: np.sum(np.sin(a @ X4))
    (g,) = gradient(loss, a)
    assert type(g) is type(a) and g.data is not a.data
    wanted = np.outer(np.cos(a @ X4), X4)
    inside = a.copy()
    inside.data = np.ones_like(a.data)
    np.testing.assert_allclose(g.toarray(), wanted * (inside.toarray() != 0), rtol=1e-12)
    v = a.copy()
    v.data = np.cos(a.data)
    assert jvp(loss, (a,), (v,))[1] == pytest.approx(np.sum(wanted * v.toarray()))
    product = hvp(loss, a, v)
    assert type(product) is type(a)
    curved = -np.outer(np.sin(a @ X4) * (v @ X4), X4)
    np.testing.assert_allclose(product.toarray(), curved * (inside.toarray() != 0), rtol=1e-12)


def test_matrices_as_results():
    double = lambda a: a * 2.0
    y, y_dot = jvp(double, (OTHER,), (OTHER.copy(),))
    assert type(y_dot) is type(y) and (y_dot != y).nnz == 0
    (bar,) = pullback(double, OTHER)[1](y)
    assert (bar != 4 * OTHER).nnz == 0


def test_a_tangent_has_the_pattern_of_its_matrix():
    v = OTHER.copy()
    v.indices = v.indices[::-1].copy()
    with pytest.raises(SeedError, match="structure"):
        jvp(lambda a: a.sum(), (OTHER,), (v,))


def test_gradients_of_matrices_differentiate_again():
    loss = lambda a: np.sum(np.sin(a @ X4))
    (g,) = gradient(lambda a: np.sum(gradient(loss, a)[0].data ** 2), OTHER)
    f = lambda d: np.sum(gradient(loss, sparse.csr_array((d, OTHER.indices, OTHER.indptr), shape=(5, 4)))[0].data ** 2)
    np.testing.assert_allclose(g.data, slopes(f, OTHER.data), rtol=1e-6)


def test_arguments_stay_as_they_were():
    a = sparse.csr_array((ENTRIES.copy(), COLUMNS[[2, 0, 1, 3, 4, 5, 6, 7]], [0, 2, 3, 5, 6, 8]), shape=(5, 4))
    before = a.data.copy(), a.indices.copy(), a.indptr.copy()

    def f(a):
        y = a @ X4
        a.sort_indices()
        a.sum_duplicates()
        a.data[0] = y[1] * a.data[1]
        return np.sum(np.sin(a @ X4) * y)

    (g,) = gradient(f, a)
    for now, then in zip((a.data, a.indices, a.indptr), before, strict=True):
        np.testing.assert_array_equal(now, then)
    plain = lambda d: f(sparse.csr_array((d, before[1], before[2]), shape=(5, 4), copy=True))
    np.testing.assert_allclose(g.data, slopes(plain, before[0]), rtol=1e-6)


# -- graphs ----------------------------------------------------------------------------------------------------

EDGES = (np.array([0, 0, 1, 1, 2, 3, 4, 4]), np.array([1, 2, 2, 3, 4, 5, 3, 0]))
LENGTHS = np.array([1.0, 3.5, 1.2, 4.0, 0.7, 1.1, 0.9, 2.2])


def graph(z, form="csr"):
    return sparse.coo_array((z, EDGES), shape=(6, 6)).asformat(form)


def dense(z):
    a = np.zeros((6, 6))
    a[EDGES] = z
    return a


def reached(y):
    return weighed(y[np.isfinite(y)])


GRAPHS = {
    "shortest_path": lambda z: reached(csgraph.shortest_path(graph(z))),
    "shortest_path, some, without directions": lambda z: reached(
        csgraph.shortest_path(graph(z, "csc"), "D", False, indices=[0, 3])
    ),
    "dijkstra": lambda z: reached(csgraph.dijkstra(graph(z), indices=0)),
    "dijkstra, from the nearest": lambda z: reached(csgraph.dijkstra(graph(z), indices=[0, 4], min_only=True)),
    "dijkstra, up to a limit": lambda z: reached(csgraph.dijkstra(graph(z), directed=False, limit=3.0)),
    "dijkstra, counting": lambda z: reached(csgraph.dijkstra(graph(z), unweighted=True)) * z[0],
    "floyd_warshall": lambda z: reached(csgraph.floyd_warshall(dense(z), return_predecessors=True)[0]),
    "bellman_ford": lambda z: reached(csgraph.bellman_ford(graph(z))),
    "johnson": lambda z: reached(csgraph.johnson(graph(z), indices=1)),
    "both ways": lambda z: reached(csgraph.shortest_path(dense(z) + dense(z[::-1]).T, directed=False)),
    "minimum_spanning_tree": lambda z: weighed(csgraph.minimum_spanning_tree(graph(z)).toarray()),
    "of a dense matrix": lambda z: weighed(csgraph.minimum_spanning_tree(dense(z)).data),
    "breadth_first_tree": lambda z: weighed(csgraph.breadth_first_tree(graph(z), 0, directed=False).toarray()),
    "depth_first_tree": lambda z: weighed(csgraph.depth_first_tree(graph(z), 0).toarray()),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs(name):
    check(GRAPHS[name], LENGTHS)


# -- refusals -------------------------------------------------------------------------------------------------

REFUSED = {
    "singular": lambda z: sla.spsolve(sparse.diags_array(z * [0.0, 1.0, 1.0]).tocsc(), z),
    "did not converge": lambda z: sla.cg(sparse.diags_array(np.arange(1.0, 4.0)), z, maxiter=1)[0],
    "is repeated": lambda z: sla.eigsh(sparse.diags_array(np.append(z[:1], z[[0, 0, 1, 2, 2]] + 9)).tocsc(), k=2)[0],
    "underdetermined": lambda z: sla.lsqr(sparse.csr_array(np.ones((2, 3))), z[:2])[0],
    "rank": lambda z: sla.lsqr(sparse.csr_array(np.ones((3, 2))), z)[0],
    "general matrix": lambda z: sla.eigs(sparse.diags_array(np.append(z, z)).tocsc(), k=1)[0].real,
    "Give them to a solver as M": lambda z: sla.spilu(sparse.diags_array(z).tocsc()).solve(z),
    "take shortest_path": lambda z: csgraph.construct_dist_matrix(np.diag(z), np.zeros((3, 3), np.int32)),
    "overwrite=True": lambda z: csgraph.floyd_warshall(np.outer(z, z), overwrite=True),
    "use spsolve": lambda z: sla.gmres(sparse.diags_array(z * (1 + 1j)).tocsc(), z)[0].real,
}


@pytest.mark.parametrize("why", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_refused(why):
    with pytest.raises(NotDifferentiable, match=why):
        gradient(lambda z: np.sum(REFUSED[why](z)), np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("rtol", [1e-2, 1e-10])
def test_the_gradient_is_that_of_the_solution_and_not_of_the_iterations(rtol):
    a = symmetric(D)
    (g,) = gradient(lambda b: np.sum(sla.cg(a, b, rtol=rtol)[0]), B)
    np.testing.assert_allclose(g, sla.spsolve(a, np.ones(N)), rtol=1e-8)


def test_a_preconditioner_and_a_start_are_constants():
    a = symmetric(D)
    m = sla.LinearOperator(a.shape, sla.spilu(a).solve)
    check(lambda b: number(sla.cg(a, b, x0=b * 3.0, M=m, rtol=1e-12)[0]), B)


# -- programs as they are written -----------------------------------------------------------------------------


def poisson_control(u):
    """The heat that brings a plate near a target, which conducts better where it is warm."""
    n = 7
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    laplacian = sparse.kronsum(line, line, format="csc")
    y = np.zeros(n * n)
    for _ in range(3):
        conductivity = sparse.diags(1.0 + 0.1 * np.tanh(y))
        y = sla.spsolve((conductivity @ laplacian).tocsc(), np.repeat(u, n))
    target = np.linspace(0.0, 1.0, n * n)
    return 0.5 * np.sum((y - target) ** 2) + 0.01 * np.sum(u**2)


def diffusion(weights):
    """Heat on a graph whose edges conduct as their weights say."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (3, 4)]
    i, j = np.array(edges).T
    w = np.exp(weights)
    i, j = np.concatenate((i, j)), np.concatenate((j, i))
    a = sparse.coo_matrix((np.concatenate((w, w)), (i, j)), shape=(5, 5)).tocsr()
    laplacian = sparse.diags(a @ np.ones(5)) - a
    u = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    for _ in range(20):
        u = u - 0.05 * (laplacian @ u)
    return u[4]


def implicit_euler(k):
    """A rod that cools at its ends; the factors are kept."""
    n, dt = 11, 0.1
    stiffness = sparse.diags([-k[1:-1], k[1:] + k[:-1], -k[1:-1]], [-1, 0, 1], shape=(n, n), format="csc")
    solve = sla.splu(sparse.identity(n, format="csc") + dt * stiffness).solve
    u = np.sin(np.linspace(0.0, np.pi, n))
    for _ in range(5):
        u = solve(u)
    return np.sum(u**2)


def by_conjugate_gradients(p):
    """A Gaussian process without its matrix."""
    x = np.linspace(0.0, 1.0, 20)
    y = np.sin(6 * x)
    kernel = np.exp(-((x[:, None] - x) ** 2) / (2 * p[0] ** 2))
    a = sla.LinearOperator((20, 20), matvec=lambda v: kernel @ v + p[1] * v, dtype=float)
    alpha, info = sla.cg(a, y, rtol=1e-11)
    assert info == 0
    return y @ alpha


FEATURES = sparse.random(40, 9, density=0.3, format="csr", random_state=np.random.RandomState(0))
LABELS = (FEATURES @ np.linspace(-2.0, 2.0, 9) > 0).astype(float)


def logistic(w):
    """Regression on sparse features."""
    z = FEATURES @ w
    return np.mean(np.logaddexp(0.0, z) - LABELS * z) + 0.05 * w @ w


def pagerank(scores):
    """The rank of one page by power iterations, with links that are weighted."""
    rows, columns = np.array([1, 2, 2, 0, 3, 0, 3]), np.array([0, 0, 1, 2, 2, 3, 1])
    links = sparse.csr_matrix((np.exp(scores), (rows, columns)), shape=(4, 4))
    links = links @ sparse.diags(1.0 / (np.ones(4) @ links))
    r = np.full(4, 0.25)
    for _ in range(50):
        r = 0.85 * (links @ r) + 0.15 / 4
    return r[0]


PROGRAMS = [
    (poisson_control, RNG.normal(size=7)), (diffusion, RNG.normal(size=6)), (implicit_euler, np.linspace(1.0, 2.0, 12)),
    (by_conjugate_gradients, np.array([0.3, 0.5])), (logistic, RNG.normal(size=9)), (pagerank, RNG.normal(size=7)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.filterwarnings("ignore:spsolve")
def test_programs(f, x):
    check(f, x, rtol=1e-4)
    h = hessian(f, x)
    np.testing.assert_allclose(h, h.T, atol=1e-6 * np.max(np.abs(h)))
    v = np.cos(np.arange(x.size))
    np.testing.assert_allclose(h @ v, morula.hvp(f, x, v), atol=1e-6 * np.max(np.abs(h)))


# -- writes ---------------------------------------------------------------------------------------------------

SQUARE = sparse.csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.5], [0.3, 0.0, 1.0]]))


def scaled(a, x):
    a *= 2.0
    a /= x[0] * x[0]
    a.data[1] += 0.5


def set_items(a, x):
    a[0, 0] = 0.5
    a[2, 1] = x[1]
    a.setdiag(0.7)
    a.setdiag(x, 1)


def put_in_order(a, x):
    a.sort_indices()
    a.sum_duplicates()
    a.eliminate_zeros()


@pytest.mark.parametrize("write", [scaled, set_items, put_in_order])
@pytest.mark.parametrize("form", ["csr", "csc", "dia"])
@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
def test_writes_into_a_constant_matrix(write, form):
    if form == "dia" and write is not scaled:
        pytest.skip("it has no items, or no order")

    def f(x):
        a = SQUARE[:, [2, 0, 1]].asformat(form)
        y = np.sin(a @ x)
        write(a, x)
        return np.sum(a @ (a @ y))

    check(f, np.array([0.3, 0.5, 0.7]))


# -- numpy.matrix, which sparse matrices give -----------------------------------------------------------------


def weights(z):
    return sparse.csr_matrix((z, ([0, 1, 2], [0, 1, 1])), shape=(3, 3))


DENSELY = {
    "rows": lambda a: np.asarray(a.sum(axis=1)).ravel(),
    "columns": lambda a: np.array(a.sum(axis=0)).flatten(),
    "A1": lambda a: a.mean(axis=1).A1,
    "A": lambda a: a.mean(axis=0).A,
    "todense": lambda a: np.asarray(a.todense()),
    "a sum with an array": lambda a: np.asarray(a + np.ones((3, 3))),
    "laplacian": lambda a: sparse.diags(np.asarray(a.sum(axis=1)).ravel()) - a,
}


@pytest.mark.parametrize("name", DENSELY)
def test_dense_matrices_are_memory(name):
    check(lambda z: number(DENSELY[name](weights(z))), np.array([1.0, 2.0, 3.0]))


OPERANDS = {
    "@": lambda m: m @ np.ones(3), "+": lambda m: m + 1.0, "-": lambda m: 1.0 - m, "*": lambda m: m * m,
    "/": lambda m: m / 2, "neg": lambda m: -m, "sum": lambda m: m.sum(),
    "item": lambda m: m[0, 0], "T": lambda m: m.T, "exp": np.exp,
}  # fmt: skip


@pytest.mark.parametrize("name", OPERANDS)
def test_dense_matrices_are_operands(name):
    check(lambda z: np.sum(np.asarray(OPERANDS[name](weights(z).todense()))), np.array([1.0, 2.0, 3.0]))
