# ruff: noqa: E501
"""`scipy.ndimage`."""

import numpy as np
import scipy.ndimage as n

from .points import C, M, R, T, V, case

X = R.normal(size=7)
IMAGE = R.normal(size=(4, 5))
K2 = R.normal(size=(2, 3))
MODES = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-wrap")
SINGLE = V.astype(np.float32)
COMPLEX = M[0, :3] * (1 - 0.5j)
AWAY = R.uniform(-1.9, 5.9, (2, 6))
GRID = R.uniform(0.1, 2.9, (2, 3, 2))
MATRIX = np.array([[1.05, 0.13], [-0.17, 0.93]])
HOMOGENEOUS = np.array([[1.05, 0.13, 0.21], [-0.17, 0.93, 0.32]])
FOOTPRINT = np.array([[0, 1, 0], [1, 1, 1]])
SELECTIONS = (n.minimum_filter, n.maximum_filter, n.median_filter, n.grey_erosion, n.grey_dilation)
# Not `affine_transform` with a vector, which crashes SciPy where it is infinite.
CASES = [
    *(case(f, X, w, -1, None, mode, 0.4, origin) for f in (n.correlate1d, n.convolve1d) for mode in MODES for w, origin in ((V, 0), (V[:3], 1), (V, -2))), *(case(f, T, V[:3], axis, mode="mirror") for f in (n.correlate1d, n.convolve1d) for axis in (0, 1)), *(case(f, x, w, 0) for f in (n.correlate1d, n.convolve1d) for x, w in ((C, V[:3]), (M, COMPLEX), (C, COMPLEX), (V[:1], V), (SINGLE, V[:3]))), *(case(f, [1.0, 2.0, 4.0], [1.0, 3.0]) for f in (n.correlate1d, n.convolve1d, n.correlate, n.convolve)),
    *(case(f, IMAGE, K2, None, mode, 0.4, origin) for f in (n.correlate, n.convolve) for mode in MODES for origin in (0, (-1, 1))), *(case(f, C, K2) for f in (n.correlate, n.convolve)), *(case(f, T, K2, mode="wrap", axes=axes) for f in (n.correlate, n.convolve) for axes in ((0, 2), (1, 0))), *(case(f, IMAGE, K2 * (1 - 0.5j)) for f in (n.correlate, n.convolve)), *(case(f, T, T[:1, :2, :2]) for f in (n.correlate, n.convolve)),
    *(case(n.uniform_filter1d, x, size, axis, None, mode, 0.4, origin) for mode in MODES for x, size, axis, origin in ((X, 3, -1, 0), (X, 4, 0, -1), (T, 3, 1, 1))), case(n.uniform_filter1d, C, 3),
    *(case(n.gaussian_filter1d, x, 0.8, axis, order, None, mode, 0.4) for mode in MODES for order in (0, 1, 2, 3) for x, axis in ((X, -1), (T, 1))), case(n.gaussian_filter1d, X, 1.2, truncate=2.0), case(n.gaussian_filter1d, X, 1.2, radius=2), case(n.gaussian_filter1d, C, 0.7, 0), case(n.gaussian_filter1d, SINGLE, 0.7), case(n.gaussian_filter1d, X, 9.0),
    *(case(f, IMAGE, size, mode=mode, cval=0.3) for f in SELECTIONS for size in (3, (1, 4)) for mode in ("reflect", "constant", "wrap", "mirror")), *(case(f, IMAGE, footprint=FOOTPRINT, origin=(0, 1)) for f in SELECTIONS), *(case(f, T, 3, 1, mode="constant", cval=-0.2) for f in (n.minimum_filter1d, n.maximum_filter1d)), *(case(n.rank_filter, IMAGE, rank, 3) for rank in (0, 2, -1)), case(n.rank_filter, X, 1, 3), case(n.percentile_filter, IMAGE, 30, 3), case(n.minimum_filter, SINGLE, 3), case(n.maximum_filter, np.array([1.0, 2.0, 4.0]), 2),
    *(case(n.spline_filter1d, x, order, axis, mode=mode) for order in (1, 2, 3, 5) for mode in (*MODES, "grid-constant") for x, axis in ((X, -1), (T, 1))), *(case(n.spline_filter, IMAGE, order, mode=mode) for order in (2, 3, 4) for mode in ("mirror", "reflect", "grid-wrap")), case(n.spline_filter, C, 3, complex), case(n.spline_filter1d, C, 3, 0, complex), case(n.spline_filter1d, V[:1]),
    *(case(n.map_coordinates, IMAGE, at, None, order, mode, 0.3, prefilter) for order in (0, 1, 2, 3, 5) for mode in (*MODES, "grid-constant") for at, prefilter in ((AWAY, True), (GRID, False))), case(n.map_coordinates, C, GRID), case(n.map_coordinates, X, R.uniform(0.1, 5.9, (1, 4))), case(n.map_coordinates, T, R.uniform(0.1, 0.9, (3, 5)), order=1), case(n.map_coordinates, IMAGE, GRID.tolist(), order=2),
    *(case(n.zoom, x, zoom, None, order, mode) for x, zoom in ((IMAGE, 1.6), (IMAGE, (0.7, 2.0)), (X, 1), (C, 1.3)) for order, mode in ((1, "constant"), (3, "constant"), (3, "nearest"), (2, "reflect"))), case(n.zoom, X, 1.7, mode="grid-wrap", grid_mode=True, order=1), case(n.zoom, X, 0.1),
    *(case(n.shift, x, shift, None, order, mode, 0.3) for x, shift in ((IMAGE, 0.37), (IMAGE, np.array([0.4, -1.3])), (C, [0.3, 0.2])) for order, mode in ((1, "constant"), (3, "constant"), (3, "nearest"), (2, "wrap"))),
    *(case(n.affine_transform, IMAGE, matrix, offset, None, None, order, mode) for matrix, offset in ((MATRIX, 0.223), (MATRIX, np.array([0.223, -0.41])), (HOMOGENEOUS, 0.0)) for order, mode in ((1, "constant"), (3, "nearest"), (3, "mirror"))), case(n.affine_transform, IMAGE, np.array([[0.4], [0.7]]), 0.3, (5,)), case(n.affine_transform, C, MATRIX, 0.3),
    *(case(f, x, 0.7) for f in (n.fourier_gaussian, n.fourier_uniform, n.fourier_ellipsoid, n.fourier_shift) for x in (C, M)), *(case(f, C, [0.7, 0.3], 6, 1) for f in (n.fourier_gaussian, n.fourier_uniform, n.fourier_shift)),
    *(case(f, x, mode=mode, cval=0.3) for f in (n.sobel, n.prewitt, n.laplace, n.uniform_filter) for x in (X, IMAGE, T) for mode in ("reflect", "constant")), *(case(f, T, 1) for f in (n.sobel, n.prewitt)), case(n.uniform_filter, T, (3, 1, 2), mode=["wrap", "mirror", "nearest"], origin=(0, 0, -1)), *(case(f, C) for f in (n.sobel, n.uniform_filter, n.laplace)), case(n.uniform_filter, T, 3, axes=(0, 2)), case(n.laplace, T, axes=1), case(n.uniform_filter, IMAGE, 1),
    *(case(n.gaussian_filter, x, sigma, order, None, mode, 0.3) for x in (IMAGE, X) for sigma in (0.8, 1.3) for order in (0, 1) for mode in ("reflect", "constant")), case(n.gaussian_filter, T, np.array([0.7, 1.1, 0.9]), (0, 1, 2), mode=["wrap", "nearest", "mirror"]), case(n.gaussian_filter, T, [0.7, 0.0, 0.9]), case(n.gaussian_filter, T, [0.7, 0.9], radius=(1, 2), axes=(0, 2)), case(n.gaussian_filter, C, 0.8), case(n.gaussian_filter, SINGLE, 0.8),
]  # fmt: skip
