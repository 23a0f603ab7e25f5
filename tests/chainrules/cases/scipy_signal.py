# ruff: noqa: E501
"""`scipy.signal`."""

import numpy as np
import scipy.signal as s

from chainrules.library.scipy.boundaries import folded

from .points import C, M, N, R, T, U, V, case

X = R.normal(size=9)
K2 = R.normal(size=(2, 3))
IMAGE = R.normal(size=(4, 5))
MODES = ("full", "same", "valid")
SINGLE = V.astype(np.float32)
B, A = np.array([0.4, -0.3, 0.2]), np.array([1.3, -0.5, 0.25])
SOS = [[2, 1, -1, 1, -1, 0], [1, -3, 2, 1, 0, 1]]  # of integers: SciPy wants the fourth column to be 1
CASES = [
    *(case(f, x, y, mode) for f in (s.convolve, s.correlate, s.fftconvolve, s.oaconvolve) for mode in MODES for x, y in ((X, V), (V, X), (X, U[:3]), (IMAGE, K2), (K2, IMAGE), (T, T[:, :2, 1:]))),
    *(case(f, x, y, mode, method) for f in (s.convolve, s.correlate) for mode in MODES for method in ("direct", "fft") for x, y in ((X, V), (V, U), (X, U[:3]), (IMAGE, K2), (C, K2 * (1 - 0.5j)), (C[0], C[1, :2]))), *(case(f, 0.3 + 1j, 0.7 - 0.2j) for f in (s.convolve, s.correlate)),
    *(case(f, T, y, mode, axes) for f in (s.fftconvolve, s.oaconvolve) for mode in MODES for y, axes in ((T[:1, :, :2], -1), (T[:, :, :2], 2), (T[:, :2, 1:3], [1, 2]))), *(case(f, T[:1], T[:, :, :2], mode, 2) for f in (s.fftconvolve, s.oaconvolve) for mode in MODES), *(case(f, C, N[:2, :2] * (1 - 0.5j)) for f in (s.fftconvolve, s.oaconvolve)),
    *(case(f, x, y, mode, boundary) for f in (s.convolve2d, s.correlate2d) for mode in MODES for boundary in ("fill", "wrap", "symm") for x, y in ((IMAGE, K2), (IMAGE, M[:2, :2]), (K2, IMAGE), (C, K2 * (1 - 0.5j)))), *(case(f, IMAGE, K2, mode, fillvalue=0.7) for f in (s.convolve2d, s.correlate2d) for mode in MODES),
    *(case(f, SINGLE, SINGLE[:2]) for f in (s.convolve, s.correlate, s.fftconvolve)), case(s.convolve, [1.0, 2.0, 3.0], [0.5, 1.0]),
    *(case(folded, T, 1, 1, 0, mode) for mode in ("constant", "reflect", "mirror", "nearest", "wrap")), case(folded, T, 2, 2, 1, "mirror"),
    *(case(f, IMAGE, K2, "same", boundary) for f in (s.convolve2d, s.correlate2d) for boundary in ("circular", "symmetric")),
    *(case(s.lfilter, b, a, x, axis) for b, a in ((B, A), (B, A[:2]), (B[:1], A), (B, A[:1]), (B * (1 + 0.3j), A)) for x, axis in ((X, -1), (T, 1), (C, 0))), *(case(s.lfilter, b, a, x, axis, zi) for b, a in ((B, A), (B, A[:2]), (B[:1], A)) for x, axis, zi in ((X, -1, U[: max(len(a), len(b)) - 1]), (T, 0, R.normal(size=(max(len(a), len(b)) - 1, 3, 4))))), case(s.lfilter, B, A, C, -1, C[:, :2] * 1j), case(s.lfilter, B, A, X[:1], zi=U[:2]), case(s.lfilter, B, A, SINGLE), case(s.lfilter, [0.5], 1.0, [1.0, 2.0, 3.0]),
    *(case(s.sosfilt, SOS, x, axis) for x, axis in ((X, -1), (T, 1), (C, 0))), case(s.sosfilt, SOS[:1], X), *(case(s.sosfilt, SOS, x, axis, zi) for x, axis, zi in ((X, -1, R.normal(size=(2, 2))), (T, 1, R.normal(size=(2, 2, 2, 4))))),
    *(case(s.upfirdn, h, x, up, down, axis) for h, x, axis in ((U, X, -1), (U[:3], T, 1), (C[0], X, 0), (U, C, -1), (U[:1], X, -1)) for up, down in ((1, 1), (2, 3), (3, 2), (1, 4))), *(case(s.upfirdn, U, X, up, down, -1, mode) for mode in ("symmetric", "reflect", "edge", "wrap") for up, down in ((1, 1), (2, 3), (3, 2))), case(s.upfirdn, U, X, 2, 3, cval=0.4),
    *(case(s.detrend, x, axis, kind) for x, axis in ((X, -1), (T, 1), (C, 0)) for kind in ("linear", "constant")), case(s.detrend, X, bp=[0, 4]),
    *(case(s.medfilt, x, 3) for x in (X, IMAGE, IMAGE + 2)), case(s.medfilt, X), case(s.medfilt2d, IMAGE, 3), case(s.order_filter, IMAGE, [[0, 1, 0], [1, 1, 1], [0, 1, 0]], 1),
    *(case(s.hilbert, x, n, axis) for x, axis in ((X, -1), (T, 1)) for n in (None, 3, 6)), case(s.hilbert, SINGLE),
    *(case(s.savgol_filter, x, 3, 1, deriv, 0.5, axis, mode, 0.3) for x, axis in ((X, -1), (T, 1)) for deriv in (0, 1) for mode in ("interp", "nearest", "mirror", "wrap", "constant")), *(case(s.savgol_filter, X, n, 2, mode=mode) for n in (4, 5, 9) for mode in ("interp", "mirror")), case(s.savgol_filter, SINGLE, 3, 1),
    *(case(s.welch, x, 2.0, "hann", size, None, n, kind, True, scaling, axis) for x, axis in ((X, -1), (T, 2), (T, 1)) for size, n in ((2, None), (3, 5)) for kind in ("constant", False) for scaling in ("density", "spectrum")), case(s.welch, X, 1.0, U, noverlap=1), case(s.welch, X, 1.0, s.get_window(("tukey", 0.3), 5), detrend="linear"), case(s.welch, T, 2.0, U, scaling="spectrum"), case(s.welch, SINGLE, nperseg=4),
]  # fmt: skip
