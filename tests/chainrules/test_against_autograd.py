"""A second opinion: cotangents against HIPS autograd, which has rules of its own."""

import numpy as np
import pytest

from chainrules.testing import call_rule, random_tangent

autograd = pytest.importorskip("autograd")
anp = pytest.importorskip("autograd.numpy")

R = np.random.default_rng(11)
X, Y = R.uniform(0.4, 1.6, (3, 4)), R.uniform(0.4, 1.6, (3, 4))
S = R.normal(size=(3, 3)) + 3 * np.eye(3)
T = R.normal(size=(2, 3, 4))

CASES = [
    ("tanh", (X,), {}),
    ("arctan2", (X, Y), {}),
    ("power", (X, Y), {}),
    ("logaddexp", (X, Y), {}),
    ("maximum", (X, Y), {}),
    ("sum", (T,), {"axis": (0, 2)}),
    ("mean", (T,), {"axis": 1, "keepdims": True}),
    ("prod", (X,), {"axis": 1}),
    ("std", (X,), {"axis": 0, "ddof": 1}),
    ("var", (T,), {"axis": (0, 1)}),
    ("max", (X,), {"axis": 1}),
    ("cumsum", (T,), {"axis": 1}),
    ("cumsum", (T,), {}),
    ("min", (T,), {"axis": (0, 2), "keepdims": True}),
    ("sort", (X[0],), {}),
    ("partition", (X[0], 2), {}),
    ("clip", (X, 0.6, 1.3), {}),
    ("diff", (T,), {"n": 2, "axis": 1}),
    ("gradient", (X,), {"axis": 1}),
    ("trace", (S,), {"offset": 1}),
    ("repeat", (X, 3), {"axis": 0}),
    ("select", ([X > 1.2, X > 0.8], [X, Y]), {}),
    ("logaddexp2", (X, Y), {}),
    ("fmax", (X, Y), {}),
    ("fmin", (X, Y), {}),
    ("arcsin", (X / 2,), {}),
    ("arctanh", (X / 2,), {}),
    ("arcsinh", (X + 1j * Y,), {}),
    ("expm1", (X,), {}),
    ("sinc", (X,), {}),
    ("nan_to_num", (X,), {}),
    ("matmul", (T, X.T), {}),
    ("dot", (T, X.T), {}),
    ("tensordot", (T, X), {"axes": 2}),
    ("einsum", ("ijk,jk->i", T, X), {}),
    ("kron", (X, Y[:2, :2]), {}),
    ("transpose", (T, (2, 0, 1)), {}),
    ("rollaxis", (T, 2), {}),
    ("tile", (X, (2, 3)), {}),
    ("where", (X > 1, X, Y), {}),
    ("linalg.det", (S,), {}),
    ("linalg.inv", (S,), {}),
    ("linalg.solve", (S, X), {}),
    ("linalg.norm", (X,), {}),
    ("linalg.pinv", (X,), {}),
    ("fft.fft", (X + 0j,), {}),
]


def named(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_same_cotangents(case):
    name, args, kwargs = case
    y, back = call_rule(named(np, name), *args, **kwargs)
    y_bar = random_tangent(y, np.random.default_rng(5))
    mine = back(y_bar)
    for i, x in enumerate(args):
        if not isinstance(x, np.ndarray) or x.dtype.kind not in "fc":
            continue

        def one(v, i=i):
            return named(anp, name)(*[v if j == i else a for j, a in enumerate(args)], **kwargs)

        # HIPS autograd's gradients are the conjugates of ours.
        theirs = autograd.make_vjp(one)(x)[0](np.conj(y_bar))
        np.testing.assert_allclose(mine[i], np.conj(theirs), rtol=1e-9, atol=1e-12)
