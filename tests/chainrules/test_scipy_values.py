"""Values of SciPy's functions that have programs: to the bit what SciPy gives, whatever the program computes with."""

import numpy as np
import pytest

import morula

pytest.importorskip("scipy")
from scipy import interpolate, stats
from scipy.spatial import distance
from scipy.spatial.transform import Rotation

T = np.array([0.0, 0.13, 0.2, 0.41, 0.5, 0.66, 0.7, 0.93, 1.0])
AT = np.array([0.05, 0.3, 0.52, 0.68, 0.97])
PLANE = np.stack([AT, AT[::-1]], axis=1)

CALLS = {
    "natural spline": lambda x: interpolate.CubicSpline(T, x, bc_type="natural")(AT),
    "monotone": lambda x: interpolate.PchipInterpolator(T, x)(AT),
    "akima": lambda x: interpolate.Akima1DInterpolator(T, x)(AT),
    "integral": lambda x: interpolate.CubicSpline(T, x).integrate(0.1, 0.7),
    "antiderivative": lambda x: interpolate.PchipInterpolator(T, x).antiderivative()(AT),
    "radial": lambda x: interpolate.RBFInterpolator(T[:, None], x)(AT[:, None]),
    "interpn": lambda x: interpolate.interpn((T, T), np.outer(x, x), PLANE),
    "product of rotations": lambda x: (Rotation.from_rotvec(x[:3]) * Rotation.from_rotvec(x[3:6])).as_matrix(),
    "angles": lambda x: Rotation.from_quat(x[:4]).as_euler("zyx"),
    "mahalanobis": lambda x: distance.mahalanobis(x[:3], x[3:6], np.eye(3) * 2 + 0.1),
    "jensenshannon": lambda x: distance.jensenshannon(x, x[::-1]),
    "cosine": lambda x: distance.pdist(x.reshape(3, 3), "cosine"),
    "density": lambda x: stats.gaussian_kde(x)(AT),
    "log density": lambda x: stats.gaussian_kde(x).logpdf(AT),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_those_of_scipy(name):
    f = CALLS[name]
    for seed in range(8):
        x = np.random.default_rng(seed).random(9) + 0.1
        with morula.tier("eager"):
            y, _ = morula.pullback(f, x)
        assert np.asarray(y).tobytes() == np.asarray(f(x)).tobytes()
