"""`scipy.fftpack`: values as plainly computed, gradients and tangents by differences."""

import numpy as np
import pytest

import morula

fp = pytest.importorskip("scipy.fftpack")

RNG = np.random.default_rng(0)
X, M = RNG.normal(size=8), RNG.normal(size=(4, 6))
Z = X + 1j * X[::-1]

PROGRAMS = {
    **{
        f"{name} of {n}": (lambda x, name=name, n=n: getattr(fp, name)(x, n), (X, M))
        for name in ("fft", "ifft", "rfft", "irfft")
        for n in (None, 5, 9)
    },
    **{
        f"{name} {kind} {norm}": (lambda x, name=name, k=kind, norm=norm: getattr(fp, name)(x, k, norm=norm), (X,))
        for name in ("dct", "idct", "dst", "idst")
        for kind in (1, 2, 3, 4)
        for norm in (None, "ortho")
    },
    **{
        name: (lambda x, name=name: getattr(fp, name)(x), (M,))
        for name in ("dctn", "idctn", "dstn", "idstn", "fftn", "ifftn", "fft2", "ifft2")
    },
    **{f"diff {k}": (lambda x, k=k: fp.diff(x - x.mean(), k, period=3.0), (X, X[:7])) for k in (0, 1, 2, -1, -2)},
    "named": (lambda x: fp.rfft(x, n=5, axis=0) @ fp.dct(x, n=6, axis=0, type=3)[:5].T, (M,)),
    "shapes": (lambda x: fp.dctn(x, shape=(3, 5), axes=(0, 1)) + fp.fftn(x, (3, 5), axes=(0, 1)), (M,)),
    "hilbert": (lambda x: fp.hilbert(x) * fp.ihilbert(x), (X, X[:7])),
    "complex": (lambda x: fp.ifft(fp.fft(x) ** 2), (Z,)),
}


@pytest.mark.parametrize(("f", "points"), PROGRAMS.values(), ids=PROGRAMS)
def test_fftpack(f, points):
    for x in points:
        y = f(x)
        w, v = RNG.normal(size=y.shape) - 1j * RNG.normal(size=y.shape), RNG.normal(size=x.shape)
        loss = lambda x, w=w: np.real(np.sum(f(x) * w))
        h = 1e-6
        wanted = (loss(x + h * v) - loss(x - h * v)) / (2 * h)
        value, (x_bar,) = morula.withgradient(loss, x.copy())
        assert value == pytest.approx(loss(x), rel=1e-12)
        assert np.real(np.sum(np.conj(x_bar) * v)) == pytest.approx(wanted, rel=1e-6, abs=1e-7)
        tangent = morula.jvp(f, (x.copy(),), (v.astype(x.dtype),))[1]
        assert np.real(np.sum(tangent * w)) == pytest.approx(wanted, rel=1e-6, abs=1e-7)
