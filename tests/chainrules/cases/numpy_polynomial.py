# ruff: noqa: E501
"""`numpy.polynomial` and the older functions for polynomials."""

import numpy as np
from numpy import polynomial as P

from .points import C, M, R, T, U, V, case

BASES = [
    (P.polynomial, "poly"),
    (P.chebyshev, "cheb"),
    (P.legendre, "leg"),
    (P.hermite, "herm"),
    (P.hermite_e, "herme"),
    (P.laguerre, "lag"),
]
X, Y, Z = R.uniform(-1.5, 1.5, (3, 4, 2)).transpose(2, 0, 1).reshape(2, 12).reshape(3, 8)[:, :5]
V5, Q, F32 = np.array([0.5, -1.0, 2.0, 0.3, 0.8]), np.array([1.0, -0.4, 0.7]), np.float32
C3, C4, C5 = R.normal(size=(2, 3)), R.normal(size=(3, 2, 2)), R.normal(size=(3, 2, 4))
XW = np.linspace(-1.0, 1.2, 7) + 0.05 * R.normal(size=7)
YW, W = np.sin(XW) + XW**2, R.uniform(0.5, 1.5, 7)


def of(module, prefix):
    def f(name):
        return getattr(module, prefix + name)

    z = V + 0.5j * U
    return [
        *(case(f(n), x, y) for n in ("add", "sub", "mul") for x, y in ((V, U), (Q, V), (V5, Q), ([1.0], V), (z, Q), (V, [2.0, 1.0]), (V.astype(F32), Q.astype(F32)))),
        case(f("add"), 2.0, Q), case(f("mulx"), V), case(f("mulx"), z), case(f("mulx"), [2.0]),
        *(case(f("div"), x, y) for x, y in ((V5, Q), (Q, V5), (V5, [2.0]), (V5 * 1j + 1, Q), (V5, Q * 1j), (Q, Q + 1), ([1.0], [2.0]))),
        *(case(f("pow"), x, n) for x in (Q, Q * (1 + 0.5j), [2.0]) for n in (0, 1, 2, 4)), case(f("pow"), Q, 3, 5),
        *(case(f("roots"), x) for x in (V, Q, V5, [1.0, 2.0], [1.0], Q * (1 + 1j) + [0, 1j, 2j])), *(case(f("fromroots"), x) for x in (V, [1.0, 2.0, 2.0], V * 1j + 1, [], [0.5])),
        *(case(f("companion"), x) for x in (V, Q, [1.0, 2.0], V5 * (1 + 2j))), case(f("line"), 1.0, 2.0), case(f("line"), 1.5, -2),
        *(case(f("val"), x, c) for x in (0.4, X, X[:4].reshape(2, 2), np.array(0.3), [0.1, 0.2], X + 0.5j, np.zeros(0), X[:2].astype(F32)) for c in (V, V5, [2.0], C3.T, z)), case(f("val"), X[:3], C3, False), case(f("val"), X[:2], C4, tensor=False), case(f("val"), C4[0], M[:, :2], tensor=False),
        case(f("val"), 0.3, C4), case(f("val"), X[:4], V, tensor=False), *(case(f(n), X, Y, c) for n in ("val2d", "grid2d") for c in (M, C5, C, M[:1])), case(f("val2d"), X[:4].reshape(2, 2), Y[:4].reshape(2, 2), M), case(f("grid2d"), X[:2], Y[:4].reshape(2, 2), M), case(f("grid2d"), 0.3, Y, M), case(f("val2d"), 0.3, 0.5, C5),
        *(case(f(n), X[:3], Y[:3], Z[:3], c) for n in ("val3d", "grid3d") for c in (T, R.normal(size=(2, 2, 1, 3)))), case(f("grid3d"), X[:2], Y, Z[:1], T * 1j), case(f("val2d"), X * 1j, Y, M),
        *(case(f("vander"), x, n) for x in (X, 0.5, C3, X * 1j + Y) for n in (0, 1, 4)), case(f("vander2d"), X, Y, [1, 2]), case(f("vander2d"), C3, C3 + 0.2, [2, 0]), case(f("vander3d"), X, Y, Z, [1, 2, 1]), case(f("vander2d"), X * 1j, Y + 0j, (1, 2)),
        *(case(f("der"), c, m) for c in (V, V5, [2.0], z, M) for m in (0, 1, 2, 7)), case(f("der"), M, 2, 3.0, 1), case(f("der"), T, axis=-1), case(f("der"), T, 1, scl=0.5, axis=1), case(f("der"), V.astype(F32)),
        *(case(f("int"), c, m) for c in (V, [2.0], z, M) for m in (0, 1, 3)), case(f("int"), V, 2, [0.5, -1.0]), case(f("int"), V, 2, [0.5], 0.7, 2.0), case(f("int"), M, 1, 0.3, 0.2, 0.5, 1), case(f("int"), T, axis=-1, lbnd=0.3), case(f("int"), V, 1, np.array([0.5]), -1),
        *(case(f("fit"), XW, y, d) for y in (YW, np.stack([YW, W], 1), YW * (1 + 0.5j)) for d in (0, 2, [0, 3], [1], np.array([3, 1]))), case(f("fit"), XW, YW, 2, None, False, W), case(f("fit"), XW, np.stack([YW, W], 1), 3, None, False, W), case(f("fit"), XW, YW, 2, w=W), case(f("fit"), XW, YW, 2, 1e-13),
        *([case(getattr(module, prefix + "2poly"), c) for c in (V5, [1.0], z)] + [case(getattr(module, "poly2" + prefix), c) for c in (V5, [1.0, 2.0], z)] if prefix != "poly" else []),
        *([case(f("valnd"), (X[:3], Y[:3]), M), case(f("valnd"), [X[:3], Y[:3], Z[:3]], T), case(f("valnd"), np.stack([X, Y]), C5), case(f("valnd"), (0.3, 0.5), M)] if hasattr(module, prefix + "valnd") else []),
    ]  # fmt: skip


CASES = [
    *(c for base in BASES for c in of(*base)),
    *(case(f, X / 2) for f in (P.chebyshev.chebweight, P.hermite.hermweight, P.hermite_e.hermeweight, P.laguerre.lagweight)),
    *(case(P.polynomial.polyvalfromroots, x, r) for x in (0.3, X, C3, [0.1, 0.2], X * 1j) for r in (V, [1.0, 0.0, 0.0], C5)), case(P.polynomial.polyvalfromroots, X[:4], C5, False), case(P.polynomial.polyvalfromroots, X[:2], C4, tensor=False), case(P.polynomial.polyvalfromroots, 1.0, [1.0, 2.0]),
    case(P.polyutils.trimcoef, V), case(P.polyutils.trimcoef, np.array([1.0, 2.0, 1e-3]), 0.1), case(P.polyutils.trimseq, V), case(P.polyutils.as_series, [V, Q, np.array([1.0, 2.0])]), case(P.polyutils.as_series, [V, Q * 1j], False), case(P.polyutils.as_series, M),
    case(P.polyutils.mapparms, [0.5, 2.0], [-1.0, 1.0]), case(P.polyutils.mapparms, (0.5 + 1j, 2.0), (-1.0, 1j)), case(P.polyutils.mapparms, np.array([0.5, 2.0]), np.array([-1.0, 1.5])), *(case(P.polyutils.mapdomain, x, [0.5, 2.0], [-1.0, 1.0]) for x in (0.3, X, C3, X * 1j)), case(P.polyutils.mapdomain, X, np.array([0.5j, 2.0]), np.array([-1.0, 1.0])),
    case(P.polyutils.getdomain, V), case(P.polyutils.getdomain, C[0]), case(P.polyutils.getdomain, [1.0, 3.0, 2.0]),
]  # fmt: skip
Z = V + 0.5j * U
OLD = [
    *(case(f, x, y) for f in (np.polyadd, np.polysub, np.polymul) for x, y in ((V, U), (Q, V), (V5, Q), ([1.0], V), (Z, Q), (2.0, V), (V.astype(F32), Q.astype(F32)))),
    *(case(np.polydiv, x, y) for x, y in ((V5, Q), (Q, V5), (V5, [2.0]), (V5 * 1j + 1, Q), (V5, Q * 1j), (Q, Q + 1), ([1.0], [2.0]))), *(case(np.polyder, c, m) for c in (V, V5, [2.0], Z) for m in (0, 1, 2, 7)), case(np.polyder, V),
    *(case(np.polyint, c, m) for c in (V, [2.0], Z) for m in (0, 1, 3)), case(np.polyint, V, 2, [0.5, -1.0]), case(np.polyint, V, 3, 0.5), case(np.polyint, V, 1, k=0.5), case(np.polyint, V, 1, [0.5, 2.0]), case(np.polyint, V),
    *(case(np.polyval, c, x) for c in (V, [2.0], Z, []) for x in (0.3, X, C3, [0.1, 0.2], X * 1j, np.zeros(0))), case(np.polyval, C5[:, 0], U), case(np.polyval, C5[:, :, :1], U), case(np.polyval, M, 0.5),
    *(case(np.roots, c) for c in (V, V5, Q, [1.0, 2.0], [1.0], Z)), *(case(np.poly, r) for r in (V, [1.0, 2.0, 2.0], Z, [], M[:, :3], C[:, :3], np.array([[2.0]]))),
    *(case(np.polyfit, XW, y, d) for y in (YW, np.stack([YW, W], 1), YW * (1 + 0.5j)) for d in (0, 2)), case(np.polyfit, XW, YW, 2, None, False, W), case(np.polyfit, XW, np.stack([YW, W], 1), 3, w=W), case(np.polyfit, XW, YW, 2, 1e-13),
    *(case(np.i0, x) for x in (X, M, 0.0, 2.5, np.zeros((0, 3)), [1.0, 2.0], 12.0, np.array([35.0, -31.0, 8.1]) / 10, X.astype(F32))), case(np.kaiser, 8, 3.5), case(np.kaiser, 1, 2.0), case(np.kaiser, 0, 2.0), case(np.kaiser, 5, 0.7),
]  # fmt: skip
CASES = CASES + OLD
UNVARIED = [case(P.legendre.legweight, X)]
