import gstools as gs
import numpy as np

h = np.array([0.1, 0.7, 1.9])
x, y = np.array([0.3, 1.9, 1.1, 3.3]), np.array([1.2, 0.6, 3.2, 4.4])
values = np.array([0.47, 0.56, 0.74, 1.47])

CALLS = {
    "Gaussian.variogram": (lambda v, L: gs.Gaussian(dim=2, var=v, len_scale=L, nugget=0.1).variogram(h), 2.0, 1.5),
    "Exponential.covariance": (lambda v, L: gs.Exponential(dim=2, var=v, len_scale=L).covariance(h), 2.0, 1.5),
    "Matern.correlation": (lambda L: gs.Matern(dim=2, len_scale=L, nu=1.5).correlation(h), 1.5),
    "Spherical": (lambda h: gs.Spherical(dim=1, len_scale=3.0).variogram(h), h),
    "spectral_density": (lambda L: gs.Gaussian(dim=2, len_scale=L).spectral_density(h), 1.5),
    "Ordinary krige": (
        lambda v: gs.krige.Ordinary(gs.Gaussian(dim=2, var=0.5, len_scale=2), (x, y), v)((1.0, 2.0))[0],
        values,
    ),
    "Simple krige": (
        lambda L: gs.krige.Simple(gs.Gaussian(dim=2, var=0.5, len_scale=L), (x, y), values, mean=1.0)((1.0, 2.0))[0],
        2.0,
    ),
    "SRF": (lambda v, L: gs.SRF(gs.Gaussian(dim=2, var=v, len_scale=L), seed=3)((x, y)), 1.3, 2.0),
}
