# ruff: noqa: E501
"""NumPy's functions that call back, that compose others, or that look at memory: `vectorize`, `apply_along_axis`, `r_`, views."""

import enum
import sys

import numpy as np
import pytest
from morula_helpers import assert_same, module_of, verify

import chainrules
import morula
from morula.eager.numpy.numpy_substitutes import substitute

V = np.array([0.31, 0.72, 0.55, 0.93, 1.4, -0.3])
M = np.array([[1.3, 0.2, 0.7], [0.45, 1.71, -0.6]])
S = np.array([[1.3, 0.2, 0.7], [0.45, 1.7, -0.6], [0.5, 0.1, 0.9]])
C = M + 1j * M[::-1]
LOG: list = []


def program(source):
    lines = source.split("\n") if "\n" in source else source.split("; ")
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in lines)
    return module_of(text, f"program {source}", np=np, LOG=LOG).f


VECTORIZE = [
    "return (np.vectorize(lambda t: t * t if t > 0.5 else np.sin(t))(x) * x).sum()", "g = np.vectorize(lambda t, u: t * u + 1.0); return (g(x, x[0]) * x).sum()", "g = np.vectorize(lambda t, u=2.0: t * u + 1.0); return (g(x, u=x[0]) * x).sum() + (g(x) * x).sum() + (g(t=x) * x).sum()",
    "g = np.vectorize(lambda t: (t * t, np.sin(t))); a, b = g(x); return (a * b).sum()", "g = np.vectorize(lambda t: (t * t, 2), otypes=[float, int]); a, b = g(x); return (a * b).sum()", "g = np.vectorize(lambda t: t * t, otypes='d'); return (g(x) * x).sum()",
    "g = np.vectorize(lambda t, p: t * p[0] + p[1], excluded=[1]); return (g(x, x[0]) * x).sum()", "g = np.vectorize(lambda t, p: t * p[0] + p[1], excluded={'p'}); return (g(x, p=x[0]) * x).sum()", "g = np.vectorize(lambda t: t * x[0, 0]); return (g(np.arange(3.0)) ** 2).sum()",
    "g = np.vectorize(lambda a, b: (a * b).sum(), signature='(n),(n)->()'); return (g(x, x[0]) * x[:, 0]).sum()", "g = np.vectorize(lambda a, b: np.outer(a, b), signature='(n),(m)->(n,m)'); return (g(x, x[0]) ** 2).sum()", "g = np.vectorize(lambda a: (a * a, a.sum()), signature='(n)->(n),()'); a, b = g(x); return (a ** 2).sum() + (b ** 2).sum()",
    "g = np.vectorize(lambda t: np.array([t, t * t]), signature='()->(k)'); return (g(x) ** 2).sum()", "g = np.vectorize(lambda a, k: a * k, signature='(n)->(n)', excluded={'k'}); return (g(x, k=x[0, 0]) ** 2).sum()", "g = np.vectorize(lambda a: a * a, signature='(n)->(n)', otypes='D'); return np.abs(g(x) * x).sum()",
    "@np.vectorize\ndef g(t):\n    return t * t if t > 0.5 else 0.0\nreturn (g(x) * x).sum()", "@np.vectorize(otypes=[float])\ndef g(t):\n    return t * t\nreturn (g(x) * x).sum()", "g = np.vectorize(lambda t: t * t); return g(x[0, 0]) * 1.0", "g = np.vectorize(lambda t: t + 1, otypes=[float]); return g(x[:0]).sum() + x.sum()",
    "g = np.vectorize(np.sin); return (g(x) * x).sum()", "import math\nfrom functools import partial\ng = np.vectorize(math.sin)\nh = np.vectorize(partial(lambda k, t: k * t, x[0, 0]))\nreturn (g(x) * h(x)).sum()",
    "class A:\n    def __init__(self, k):\n        self.k = k\n    def f(self, t):\n        return t * self.k\nreturn (np.vectorize(A(x[0, 0]).f)(x) * x).sum()", "y = np.empty((2, 3)); y[...] = np.vectorize(lambda t: t ** 3)(x); y[0] = 1; return (y * x).sum()",
    "c = np.ones(3); t = (c * x).sum(); np.vectorize(lambda i: c.put(i, 5.0) or 0.0)(np.arange(3)); return t + (c * x * x).sum()", "return np.vectorize(lambda: x[0, 0] * 2.0)() * x[0, 1]",
]  # fmt: skip
APPLY = [
    "return (np.apply_along_axis(lambda r: r * r.sum(), 1, x) * x).sum()", "return (np.apply_along_axis(lambda r: (r * r).sum(), 0, x) * x[0]).sum()", "return (np.apply_along_axis(lambda r: np.outer(r, r), 1, x) ** 2).sum()", "return (np.apply_along_axis(np.cumsum, 1, x) ** 2).sum()",
    "return (np.apply_along_axis(lambda r, c, d=1.0: r * c * d, 1, x, x[0, 0], d=x[0, 1]) ** 2).sum()", "return (np.apply_along_axis(np.sort, -1, x) * x).sum()", "return (np.apply_along_axis(lambda r: r[:, None] * r, 1, x[None] * np.ones((2, 1, 1))) ** 2).sum()",
    "def h(r):\n    r[0] = r[1] * 2\n    return r.sum()\na = x * 2\nb = np.apply_along_axis(h, 1, a)\nreturn (a * x).sum() + (b ** 2).sum()", "return (np.apply_over_axes(np.sum, x * x, [0, 1]) ** 2).sum() + (np.apply_over_axes(np.sum, x * x, 1) * x).sum() + (np.apply_over_axes(np.cumsum, x, -1) ** 2).sum()",
    "return (np.piecewise(x, [x < 0.5, x >= 0.5], [lambda t: t * t, lambda t: np.sin(t)]) * x).sum()", "return (np.piecewise(x, [x < 0.5], [lambda t: t * t, 3.0]) * x).sum()", "return (np.piecewise(x, [x < 0.5], [lambda t, c, d=1.0: t * c * d], x[0, 0], d=x[0, 1]) * x).sum()",
    "return (np.piecewise(x[0], x[0] < 0.5, [x[0, 0], lambda t: t * t]) * x).sum()", "return np.piecewise(x[0, 0], [x[0, 0] < 0.5], [lambda t: t * t, 3.0]) * x[0, 0]", "return (np.fromfunction(lambda i, j: i * x[0, 0] + j * x[0, 1], (2, 3)) * x).sum()",
    "return (np.fromiter((v * v for v in x[0]), float) * x).sum() + (np.fromiter(x[0], float, count=2) * x[:, 0]).sum() + (np.fromiter([v * v for v in x[0]], dtype=float, count=3) * x).sum()", "g = (v * v for v in x[0])\na = np.fromiter(g, float, count=2)\nreturn a.sum() * next(g)",
    "s = 0.0\nfor (i, j), v in np.ndenumerate(x):\n    s = s + v * v * j\nreturn s", "s = 0.0\nfor i in np.ndindex(x.shape):\n    s = s + x[i] ** 2\nreturn s", "return (np.select([x > 0.9, x > 0.5], [x * x, np.sin(x)], x ** 3) * x).sum() + (np.choose([0, 1, 0], [x, x * x]) * x).sum()",
    "y = x[0]; return (np.r_[y, y * 2, 1.0] ** 2).sum() + (np.r_[y, 0:3, y[0], 1:2:3j] ** 2).sum() + (np.r_['0,2', y, y * 2] ** 2).sum() + (np.r_[y[:2], [y[0], 2.0], y[0]] ** 2).sum()", "y = x[0]; return (np.c_[y, y * 2] ** 2).sum() + (np.c_[y[None], 0, y[None]] ** 2).sum() + (np.r_['-1,2,0', y, y] ** 2).sum()",
    "return (np.r_['1', x, x * 2] ** 2).sum() + (np.r_[np.float32(0.1), x[0]] ** 2).sum() + np.r_['1,3,1', x[0], x[1]].prod()", "a = x * 2; a[np.ix_([0, 1], [0, 2])] = x[:, :2]; return (a * x).sum() + a[np.ix_([0, 1], [0, 2])].prod() + (x[np.s_[:, 1:]] ** 2).sum()",
    "return (np.insert(x, 1, x[0], axis=0) ** 2).sum() + (np.insert(x, 1, x[:, 0], axis=1) ** 3).sum() + (np.insert(x, [1, 1], x[:, :2], axis=1) ** 3).sum() + (np.insert(x, 1, 5.0) ** 2).sum()", "h, e = np.histogram([0.1, 0.2, 0.7], bins=2, weights=x[0]); d, _ = np.histogram([0.1, 0.2, 0.7], [0, 0.5, 1], density=True, weights=x[0] + 1); return (h ** 2).sum() + (d ** 2).sum()",
    "return (np.interp(x, [0.9, 0.0, 0.5], [1.0, 3.0, 2.0], period=1.2) ** 2).sum()",
    "a = x * 2; b, c, d = np.atleast_1d(a, x[0, 0], 2.0); b[0] *= 2; c[0] *= x[0, 1]; e, g = np.atleast_3d(a, a[0]); e += 1; return (a * x).sum() * c[0] * d[0] + (b * e[..., 0]).sum() + g.prod()",
]  # fmt: skip


@pytest.mark.parametrize("source", VECTORIZE + APPLY)
def test_helpers(source):
    verify(program(source), M)


COMPOSED = [
    "return (np.corrcoef(x)[0, 1] * x).sum() + (np.corrcoef(x, x[:, ::-1] * x, rowvar=False)[:2] ** 2).sum()",
    "y = x[0]; return (np.polyadd(y, x[1, :2]) ** 2).sum() + (np.polysub(x[1, 0], y) ** 3).sum() + (np.polymul(y, np.array([0.0, 2.0, 1.0])) ** 2).sum() + (np.polymul([0.0], y) + y[0]).sum()",
    "y = x[0]; return (np.polyder(y) ** 2).sum() + (np.polyder(y, 2) ** 2).sum() + (np.polyint(y, k=x[1, 0]) ** 2).sum() + (np.polyint(y, 2, [x[1, 1], 2.0]) ** 2).sum() + (np.polyint(y, 2, 3) ** 2).sum()",
    "return (np.union1d(x, x[0] * 2) ** 3 * np.arange(9)).sum()",
    "a = x[:, :, None, None] * np.eye(6).reshape(2, 3, 2, 3) + 0.1; return (np.linalg.tensorsolve(a, x) ** 2).sum() + (np.linalg.tensorinv(a) ** 2).sum() * 1e-3 + (np.linalg.tensorsolve(a.transpose(0, 2, 1, 3), x.reshape(2, 3), axes=(1,)) ** 2).sum()",
]  # fmt: skip


@pytest.mark.parametrize("source", COMPOSED)
def test_compositions(source):
    verify(program(source), M)


ORDERED = [
    "g = np.vectorize(lambda t: LOG.append(float(t)) or t * t); return (g(x.T) * x.T).sum()", "g = np.vectorize(lambda t, u: LOG.append((float(t), float(u))) or t * u); return (g(x.T, x[0][:, None]) * x.T).sum()", "g = np.vectorize(lambda t, u: LOG.append((float(t), float(u))) or t * u, otypes=[float]); return (g(x[:, ::-1], x[0]) * x).sum()",
    "g = np.vectorize(lambda t: LOG.append(type(t).__name__) or t * t, cache=True); return (g(x) * x).sum()", "g = np.vectorize(lambda t: LOG.append(type(t).__name__) or t * t); return (g(x) * x).sum()", "g = np.vectorize(lambda a: LOG.append(a.shape) or a * a, signature='(n)->(n)'); return (g(x) * x).sum()",
    "return (np.apply_along_axis(lambda r: LOG.append(r.tolist()) or r[0] * r, 0, x) ** 2).sum()", "return np.fromiter((LOG.append(i) or v * v for i, v in enumerate(x[0])), float, count=2).sum() * x[1, 1]",
    "g = np.vectorize(lambda t: LOG.append(float(t)) or 1.0 / (t > 0))\ntry:\n    g(x)\nexcept ZeroDivisionError:\n    LOG.append('error')\nreturn (x * x).sum()",
    "return (np.piecewise(x, [x < 0.5, x > 9.0], [lambda t: LOG.append(t.size) or t * t, lambda t: LOG.append('never') or t, lambda t: LOG.append('else') or t]) * x).sum()",
]  # fmt: skip


@pytest.mark.parametrize("source", ORDERED)
def test_callbacks_come_in_numpys_own_order(source):
    verify(program(source), M, log=LOG)


VIEWS = [
    "np.squeeze(a[None])", "np.expand_dims(a, 0)", "np.moveaxis(a, 0, 1)", "np.swapaxes(a, 0, 1)", "np.rollaxis(a, 1)", "np.transpose(a)", "a.transpose(1, 0)", "np.ravel(a)", "a.ravel()", "a.ravel('F')", "a.reshape(3, 2)", "np.reshape(a, -1)", "a.reshape(6, order='F')", "a.flatten()", "a.T.ravel()", "a.view()",
    "a[::-1, ::-1]", "a.T[::-1]", "np.atleast_1d(a)", "np.atleast_3d(a)", "np.atleast_2d(a[0])", "np.asarray(a)", "np.asanyarray(a)", "np.ascontiguousarray(a)", "np.ascontiguousarray(a.T)", "np.asfortranarray(a)", "np.require(a)", "np.require(a, requirements=['C', 'W'])", "np.require(a, np.float64, ['F'])",
    "np.array(a, copy=None)", "np.array(a, copy=False)", "np.array(a, ndmin=3, copy=False)", "np.array(a, dtype=float, copy=None)", "np.array(a, order='F', copy=None)", "np.array(a, copy=True)", "np.array(a, ndmin=3)", "a.astype(float, copy=False)", "np.astype(a, np.float64, copy=False)", "a.astype(float)",
    "np.flip(a)", "np.fliplr(a)", "np.flipud(a)", "np.rot90(a)", "np.rot90(a, 2)", "np.einsum('ij->ji', a)", "np.einsum('ij->ij', a)", "np.split(a, 3, 1)[1]", "np.array_split(a, 2, 1)[0]", "np.hsplit(a, 3)[2]", "np.vsplit(a, 2)[0]", "a.swapaxes(0, 1)", "a.squeeze()", "a.mT", "np.matrix_transpose(a)", "a.real", "np.real(a)",
    "np.permute_dims(a, (1, 0))", "np.lib.stride_tricks.as_strided(a)", "np.copy(a)", "a[:, np.newaxis]", "a[..., 1:]", "np.asarray_chkfinite(a)", "np.real_if_close(a)", "np.broadcast_arrays(a, a)[0].copy()", "np.nan_to_num(a, copy=False)", "a.view(np.ndarray)", "a.view(float)", "np.ndarray.view(a)",
    "np.resize(a, (3, 2))", "np.positive(a)", "np.meshgrid(a, copy=False)[0]", "np.meshgrid(a[0], a[1], copy=False, sparse=True)[1]", "np.ix_(a[0], a[1])[0]", "np.trim_zeros(a[0])", "np.ndarray.reshape(a, 6)", "a.__getitem__((slice(None), 0))", "np.ndarray.__getitem__(a, 0)",
]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_writes_are_seen_where_they_are_seen_plainly(view):
    """A view, a copy, or the array itself: whatever the function gives, it is written, and the array through it."""
    source = f"a = x * 2; b = {view}; s = (b * b).sum(); b[...] = x.ravel()[:b.size].reshape(b.shape) * 3; a[0, 1] *= x[1, 1]; np.put(b, [0], x[0]); t = (b ** 3).sum(); a *= x; return s + t + (a * x).sum() + (b * b).sum()"
    verify(program(source), M)


READ_ONLY = [
    "np.broadcast_to(a, (4, 3, 3))",
    "np.diag(a)",
    "np.diagonal(a)",
    "a.diagonal(1)",
    "np.lib.stride_tricks.sliding_window_view(a, (2, 2))",
]


@pytest.mark.parametrize("view", READ_ONLY)
def test_views_that_are_read_only_follow_their_array(view):
    verify(
        program(
            f"a = x * 2; b = {view}; s = (b * b).sum(); a[0] = x[1]; np.sin(a, out=a); return s + (b ** 3).sum() + (a * x).sum()"
        ),
        S,
    )


REINTERPRETED = [
    "b = (a.real * 1.0).view(complex) if a.shape[1] % 2 == 0 else a; return np.abs(b * b).sum()", "b = a.view(float); b[0, 1] = np.real(x[1, 0]); return np.abs(a * a).sum() + (b ** 2).sum()", "b = a.view(float); b[:, 1::2] *= 3.0; np.put(b, [0, 3], 1.0); return np.abs(a * a).sum() + (b ** 2).sum()",
    "a.imag.sort(); a.real[...] = x.imag; np.add.at(a.imag, (0, [0, 0]), x.real[0, :2]); return np.abs(a * a * x).sum()", "c = np.zeros((2, 3), complex); c.imag = x.real; c.real[0] += x.imag[1]; np.exp(x.real, out=c.real[...], where=x.real > 0.3); return np.abs(c + x).sum()",
]  # fmt: skip


@pytest.mark.parametrize("source", REINTERPRETED)
def test_real_and_imaginary_parts_are_memory_too(source):
    verify(program(f"a = x * 2; {source}"), C)


def test_a_class_of_arrays_of_its_own_is_refused():
    for wrap in ("np.rec.fromarrays([x, x]).f0", "x.view(np.recarray)"):
        with pytest.raises(morula.NotDifferentiable):
            morula.gradient(program(f"return ({wrap} * x).sum()"), V)


def test_classes_of_their_own_are_as_numpy_makes_them_where_nothing_is_active():
    def f(x):
        m = np.ma.masked_array(np.arange(6.0), [0, 1, 0, 0, 0, 0])
        mean = np.apply_along_axis(np.mean, 0, m)
        return float(mean) * x[0] + float(np.r_[m, 1.0].sum()) * x[1]

    verify(f, V)


def test_what_the_user_declares_comes_before_the_body_of_the_engine():
    def doubled(x):
        return 2.0 * x

    def same(x):
        return 2.0 * x

    for f in (doubled, same):
        substitute(f)(lambda x: x + x)
    (before,) = morula.gradient(lambda x: doubled(x).sum(), V)
    np.testing.assert_array_equal(before, np.full(6, 2.0))
    chainrules.rrule(doubled)(lambda x: (2.0 * x, lambda bar: 7.0 * bar))
    chainrules.non_differentiable(same)
    (after,) = morula.gradient(lambda x: (doubled(x) + same(x)).sum(), V)
    np.testing.assert_array_equal(after, np.full(6, 7.0))


def test_items_counted_from_the_end():
    m = np.arange(6.0).reshape(2, 3)
    for index, cell in ((-1, (1, 2)), (-6, (0, 0)), (4, (1, 1))):
        (g,) = morula.gradient(lambda m: m.item(index) ** 2, m)  # noqa: B023
        wanted = np.zeros((2, 3))
        wanted[cell] = 2 * m[cell]
        assert_same(g, wanted)
    with pytest.raises(IndexError):
        morula.gradient(lambda m: m.item(6), m)


def test_a_function_of_a_number_that_makes_an_array_of_it():
    (g,) = morula.gradient(lambda b: np.i0(b) * np.sum(np.ones(3)) / np.i0(2.0), 0.7)
    up, down = np.i0(0.7 + 1e-6), np.i0(0.7 - 1e-6)
    assert g == pytest.approx(3 * (up - down) / 2e-6 / np.i0(2.0), rel=1e-6)


def test_projectors_at_repeated_eigenvalues_and_functions_of_the_matrix():
    g, a = np.cos(np.arange(9.0)).reshape(3, 3), np.diag([1.0, 1.0, 2.0])

    def of_projector(a):
        _, v = np.linalg.eigh(a)
        return np.sum(g * (v[:, :2] @ v[:, :2].T))

    def of_polar_factor(a):
        u, _, vh = np.linalg.svd(a)
        return np.sum(g * (u @ vh))

    for f, symmetric in ((of_projector, True), (of_polar_factor, False)):
        (bar,) = morula.gradient(f, a)
        for i, j in np.ndindex(3, 3):
            e = np.zeros((3, 3))
            e[i, j] = 1.0
            e = np.maximum(e, e.T) if symmetric else e
            wanted = (f(a + 1e-6 * e) - f(a - 1e-6 * e)) / 2e-6
            assert np.sum(bar * e) == pytest.approx(wanted, abs=1e-7)
    of_the_matrix = lambda a: np.sum(g * ((v := np.linalg.eigh(a)).eigenvectors * v.eigenvalues) @ v.eigenvectors.T)
    assert np.isnan(morula.gradient(of_the_matrix, a)[0]).any()  # see docs/design.md: no rule can know


class Level(enum.IntEnum):
    HIGH = 3


class Metres(float):
    pass


@pytest.mark.parametrize("number", [Level.HIGH, Metres(0.3)])
@pytest.mark.parametrize("x", [np.float32(0.7), np.array([0.4, 1.3], np.float32)])
def test_numbers_of_classes_beside_single_precision(x, number):
    """They are no plain numbers of Python to NumPy, which takes the dtype of their size."""

    def f(x):
        return (number * x + x**number) / number - x

    y, back = morula.pullback(f, x)
    assert y.dtype == f(x).dtype == np.float64 and np.array_equal(y, f(x))
    wide = np.asarray(x, float)
    slope = (f(wide + 1e-6) - f(wide - 1e-6)) / 2e-6
    np.testing.assert_allclose(back(np.ones_like(y)[()])[0], slope, rtol=1e-5)


@pytest.mark.parametrize("f", [np.linalg.eigh, np.linalg.qr, np.linalg.svd, np.linalg.slogdet])
def test_functions_of_several_results_run_once(f):
    """What a rule has computed is not computed again because it is no single array."""
    code = f.__wrapped__.__code__
    calls = []

    def watch(frame, event, arg):
        if event == "call" and frame.f_code is code:
            calls.append(event)

    def program(a):
        return sum(np.sum(part) for part in f(a))

    a = np.array([[2.0, 0.3], [0.3, 1.0]])
    with morula.tier("eager"):
        morula.gradient(program, a)  # which makes the twin
        sys.setprofile(watch)
        try:
            morula.gradient(program, a)
        finally:
            sys.setprofile(None)
    assert len(calls) == 1
